/* Tensors from the command line. Knows the forms of an argument, not what attention does. */
#include "input.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "same_file.h"

static int fail_role(const char *who, const cli_role *role, const char *text)
{
    return cli_fail(who, "--%s: %s", role->name, text);
}

/* The tensor called as its role, or by its letter. QKV_ERROR_ARGUMENT: there is none, and the
 * message tells of the longer name. */
static qkv_status read_by_role(const char *path, const cli_role *role, qkv_tensor **tensor,
                               qkv_error *error)
{
    qkv_error second;
    qkv_status status = qkv_tensor_read(path, role->name, tensor, error);
    if (status != QKV_ERROR_ARGUMENT || role->letter == NULL) return status;
    status = qkv_tensor_read(path, role->letter, tensor, &second);
    if (status != QKV_OK && status != QKV_ERROR_ARGUMENT) *error = second;
    return status;
}

static int fail_absent(const char *who, const cli_role *role, const qkv_error *error)
{
    if (role->letter == NULL)
        return cli_fail(who, "--%s: %s; expected that, or FILE:NAME", role->name, error->message);
    return cli_fail(who, "--%s: %s; expected that or \"%s\", or FILE:NAME", role->name,
                    error->message, role->letter);
}

/* PATH:NAME; colon is the one between the two. */
static int read_named(const char *who, const cli_role *role, const char *argument,
                      const char *colon, cli_input *input)
{
    qkv_error error;
    size_t length = (size_t)(colon - argument);
    char *path = malloc(length + 1);
    if (path == NULL) return fail_role(who, role, qkv_status_text(QKV_ERROR_MEMORY));
    memcpy(path, argument, length);
    path[length] = '\0';
    qkv_status status = qkv_tensor_read(path, colon + 1, &input->tensor, &error);
    free(path);
    return status == QKV_OK ? CLI_PROCEED : fail_role(who, role, error.message);
}

static int read_file(const char *who, const cli_role *role, const char *path, cli_input *input)
{
    qkv_error error, ignored;
    bool names;
    qkv_is_tensor_file(path, &names);
    qkv_status status = names ? read_by_role(path, role, &input->tensor, &error)
                              : qkv_tensor_read(path, NULL, &input->tensor, &error);
    if (status == QKV_ERROR_ARGUMENT && names) {
        if (qkv_tensor_read(path, NULL, &input->tensor, &ignored) == QKV_OK) return CLI_PROCEED;
        return fail_absent(who, role, &error);
    }
    return status == QKV_OK ? CLI_PROCEED : fail_role(who, role, error.message);
}

/* The colon of PATH:NAME, where PATH ends as files with named tensors do; NULL: there is none. */
static const char *colon_of(const char *argument)
{
    char path[PATH_MAX + 1];
    for (const char *colon = strchr(argument, ':'); colon != NULL; colon = strchr(colon + 1, ':')) {
        const size_t length = (size_t)(colon - argument);
        bool named;
        if (length > PATH_MAX) break; /* the system takes no longer names */
        memcpy(path, argument, length);
        path[length] = '\0';
        if (qkv_is_tensor_file(path, &named) && named) return colon;
    }
    return NULL;
}

int cli_input_read(const char *who, const cli_role *role, const char *argument, cli_input *input)
{
    if (argument[strspn(argument, " \t\n")] == '[') {
        qkv_error error;
        input->literal = true;
        if (qkv_tensor_from_text(argument, &input->tensor, &error) == QKV_OK) return CLI_PROCEED;
        return fail_role(who, role, error.message);
    }
    if (argument[0] == '\0')
        return fail_role(who, role, "got \"\"; expected a file or a literal such as [[1,0],[0,1]]");
    const char *colon = colon_of(argument);
    return colon != NULL ? read_named(who, role, argument, colon, input)
                         : read_file(who, role, argument, input);
}

int cli_input_read_member(const char *who, const cli_role *role, const char *path, bool optional,
                          cli_input *input)
{
    qkv_error error;
    qkv_status status = read_by_role(path, role, &input->tensor, &error);
    if (status == QKV_OK || (status == QKV_ERROR_ARGUMENT && optional)) return CLI_PROCEED;
    if (status == QKV_ERROR_ARGUMENT) return fail_absent(who, role, &error);
    return cli_fail(who, "%s", error.message);
}

int cli_input_convert(const char *who, const cli_role *role, qkv_type type, cli_input *input)
{
    qkv_error error;
    qkv_tensor *converted = NULL;
    if (!input->literal || qkv_tensor_view(input->tensor)->type == QKV_BOOL) return CLI_PROCEED;
    const qkv_view *from = qkv_tensor_view(input->tensor);
    qkv_status status = qkv_tensor_create(type, from->rank, from->shape, &converted, &error);
    if (status == QKV_OK) status = qkv_view_copy(from, qkv_tensor_view(converted), &error);
    if (status != QKV_OK) {
        qkv_tensor_free(&converted);
        return fail_role(who, role, error.message);
    }
    qkv_tensor_free(&input->tensor);
    input->tensor = converted;
    return CLI_PROCEED;
}

bool cli_input_reads(const char *argument, const char *path)
{
    char file[PATH_MAX + 1];
    const char *colon = colon_of(argument);
    const size_t length = colon == NULL ? strlen(argument) : (size_t)(colon - argument);
    if (length > PATH_MAX) return false;
    memcpy(file, argument, length);
    file[length] = '\0';
    return strcmp(argument, "-") != 0 && cli_same_file(file, path);
}

void cli_input_free(cli_input *input)
{
    qkv_tensor_free(&input->tensor);
}
