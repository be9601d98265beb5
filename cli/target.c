/* What stands in a file is looked at to know whether qkv wrote it. Knows how such files begin. */
#include "target.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "report.h"
#include "same_file.h"

/* Words near the beginning of each kind of file that qkv writes. */
static const char *const marks[] = {
    [CLI_TARGET_HTML] = "name=\"generator\" content=\"qkv ",
    [CLI_TARGET_JSON] = "{\"tests\": [",
    [CLI_TARGET_CSV] = "student,points,of,to look at",
    [CLI_TARGET_ZIP] = "made-by-qkv-grade",
    [CLI_TARGET_TEX] = "% Made by qkv ",
    [CLI_TARGET_MARKDOWN] = "<!-- Made by qkv ",
};

static bool ends_in(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && strcmp(text + length - tail, ending) == 0;
}

static bool is_document_name(const char *path)
{
    return ends_in(path, ".md") || ends_in(path, ".qkv") || ends_in(path, ".markdown");
}

/* Whether the file is empty, or begins as qkv writes one. Bytes of '\0' count as any other. Returns
 * false where the file cannot be read, with the reason in errno. */
static bool find_mark(const char *path, const char *mark, bool *found)
{
    char head[4096];
    const size_t length = strlen(mark);
    FILE *stream = fopen(path, "rb");
    *found = false;
    if (stream == NULL) return false;
    const size_t got = fread(head, 1, sizeof head, stream);
    const bool failed = ferror(stream) != 0;
    const int reason = errno;
    fclose(stream);
    errno = reason;
    *found = got == 0;
    for (size_t i = 0; i + length <= got && !*found; i++)
        *found = memcmp(head + i, mark, length) == 0;
    return !failed;
}

int cli_target_check(const char *who, const char *option, const char *target, cli_target_kind kind,
                     size_t count, char *const *files)
{
    if (target[0] == '\0') return cli_fail_value(who, option, target, "a file to write to");
    for (size_t i = 0; i < count; i++)
        if (cli_same_file(files[i], target))
            return cli_fail(who, "%s: %s is one of the documents; expected another file", option,
                            target);
    const bool exists = cli_file_exists(target);
    bool ours = false;
    if (exists && !find_mark(target, marks[kind], &ours))
        return cli_fail(who, "%s: %s exists, and cannot be read: %s", option, target,
                        strerror(errno));
    if (is_document_name(target) && !(kind == CLI_TARGET_MARKDOWN && (ours || !exists)))
        return cli_fail(who, "%s: %s has the name of a document; expected another ending", option,
                        target);
    if (exists && !ours)
        return cli_fail(who, "%s: %s exists, and was not written by qkv; expected another file",
                        option, target);
    return CLI_PROCEED;
}
