/*
 * Tensors written as nested brackets, for the command line and for small examples. By hand and
 * not by a JSON library, because masks need -inf, which JSON has no word for.
 *
 *     tensor  = "[" [ item { "," item } ] "]" ;  item = tensor | element
 *     element = number | "true" | "false"
 */
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <qkv/file.h>

#include "base/error.h"

typedef struct reader {
    const char *text, *at;
    size_t shape[QKV_MAX_RANK]; /* of the axes met so far; SIZE_MAX: not closed yet */
    int rank;                   /* 0 until the first element or the first empty list */
    qkv_type type;              /* of the elements, f64 or bool; QKV_NONE until the first */
    void *elements;             /* of that type; NULL on the first pass, which counts */
    size_t count;
    qkv_error *error;
} reader;

static qkv_status fail(const reader *r, const char *what)
{
    return qkv__fail(r->error, QKV_ERROR_FORMAT, "\"%.40s%s\": character %td: %s", r->text,
                     strlen(r->text) > 40 ? "..." : "", r->at - r->text + 1, what);
}

static void skip_space(reader *r)
{
    r->at += strspn(r->at, " \t\r\n");
}

/* "true" or "false" as 1 or 0. Returns the characters read; 0: it is neither. */
static size_t read_word(const char *at, double *value)
{
    static const char *const words[] = {"false", "true"};
    for (int i = 0; i < 2; i++) {
        size_t length = strlen(words[i]);
        if (strncmp(at, words[i], length) != 0) continue;
        *value = i;
        return length;
    }
    return 0;
}

static void store(reader *r, double value)
{
    if (r->elements != NULL && r->type == QKV_BOOL)
        ((unsigned char *)r->elements)[r->count] = value != 0.0;
    else if (r->elements != NULL)
        ((double *)r->elements)[r->count] = value;
    r->count++;
}

static qkv_status take_element(reader *r, int depth)
{
    double value;
    size_t length = read_word(r->at, &value);
    qkv_type type = length > 0 ? QKV_BOOL : QKV_F64;
    if (type == QKV_F64) {
        char *end;
        errno = 0;
        value = strtod(r->at, &end);
        length = (size_t)(end - r->at);
        if (length == 0) return fail(r, "expected a number, true, false or '['");
        if (errno == ERANGE && isinf(value)) return fail(r, "a number too large for f64");
    }
    if (r->rank == 0) r->rank = depth;
    if (r->rank != depth) return fail(r, "elements at different depths");
    if (r->type == QKV_NONE) r->type = type;
    if (r->type != type)
        return fail(r, type == QKV_BOOL ? "true or false among numbers"
                                        : "a number among true and false");
    r->at += length;
    store(r, value);
    return QKV_OK;
}

static qkv_status take_list(reader *r, int depth)
{
    size_t length = 0;
    qkv_status status;
    if (depth == QKV_MAX_RANK) return fail(r, "more than 4 axes");
    r->at++; /* the bracket */
    for (skip_space(r); *r->at != ']'; skip_space(r)) {
        if (length > 0) {
            if (*r->at != ',') return fail(r, "expected ',' or ']'");
            r->at++;
            skip_space(r);
        }
        status = *r->at == '[' ? take_list(r, depth + 1) : take_element(r, depth + 1);
        if (status != QKV_OK) return status;
        length++;
    }
    if (length == 0 && r->rank == 0) r->rank = depth + 1;
    if (length == 0 && r->rank != depth + 1) return fail(r, "an empty list among others");
    if (r->shape[depth] == SIZE_MAX) r->shape[depth] = length;
    if (r->shape[depth] != length) return fail(r, "lists of one level have different lengths");
    r->at++;
    return QKV_OK;
}

/* One pass over the text: counts on the first, stores on the second. */
static qkv_status scan(reader *r)
{
    r->at = r->text;
    r->rank = 0;
    r->type = QKV_NONE;
    r->count = 0;
    for (int axis = 0; axis < QKV_MAX_RANK; axis++) r->shape[axis] = SIZE_MAX;
    skip_space(r);
    if (*r->at != '[') return fail(r, "expected '['");
    qkv_status status = take_list(r, 0);
    if (status != QKV_OK) return status;
    skip_space(r);
    return *r->at == '\0' ? QKV_OK : fail(r, "text after the last ']'");
}

static qkv_status read_text(const char *text, qkv_tensor **tensor, qkv_error *error)
{
    reader r = {.text = text, .error = error};
    qkv_status status = scan(&r);
    if (status != QKV_OK) return status;
    qkv_tensor *made = NULL;
    if (r.type == QKV_NONE) r.type = QKV_F64; /* there are no elements */
    status = qkv_tensor_create(r.type, r.rank, r.shape, &made, error);
    if (status != QKV_OK) return status;
    r.elements = qkv_tensor_view(made)->data;
    (void)scan(&r); /* cannot fail: the same text was read before, to count */
    *tensor = made;
    return QKV_OK;
}

/* A program may have chosen a locale that writes 1,5 for 1.5, where "[1,5]" would be one number:
 * this thread reads in the plain one. */
qkv_status qkv_tensor_from_text(const char *text, qkv_tensor **tensor, qkv_error *error)
{
    if (text == NULL) return qkv__fail(error, QKV_ERROR_ARGUMENT, "text is NULL");
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0) return qkv__fail_memory(error, sizeof plain);
    locale_t usual = uselocale(plain);
    qkv_status status = read_text(text, tensor, error);
    uselocale(usual);
    freelocale(plain);
    return status;
}
