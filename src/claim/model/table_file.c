/*
 * Tables from files: npy and safetensors by the readers of src/io, and text, whose decimals are
 * kept exactly. Knows nothing of attention.
 *
 *     text = row { newline row } ; row = number { ( "," | ";" | blanks ) number }
 *          | "[" row "]" with rows in brackets, or the numbers themselves
 */
#include "claim/model/table_file.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <qkv/file.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/view.h"
#include "io/file.h"

/* The path as the document says it, from the folder that the document is in. */
static char *path_from(qkv__model *model, const char *path)
{
    const char *name = model->document->name, *slash = strrchr(name, '/');
    size_t folder = path[0] == '/' || slash == NULL ? 0 : (size_t)(slash - name) + 1;
    size_t length = strlen(path);
    char *joined = qkv__arena_take(&model->algebra.arena, folder + length + 1);
    if (joined == NULL) return NULL;
    memcpy(joined, name, folder);
    memcpy(joined + folder, path, length);
    return joined;
}

/* A document may name anything: devices and pipes, which may never end, are not read. */
static bool is_regular(const char *path, qkv__failure *failure)
{
    struct stat about;
    if (strcmp(path, "-") == 0 || (stat(path, &about) == 0 && !S_ISREG(about.st_mode)))
        return qkv__fail_value(failure, QKV__TROUBLE_TEXT, "%s: is not a regular file", path);
    return true;
}

/* ---- Tensors ------------------------------------------------------------------------------- */

/* The elements row by row; NULL with the failure set. */
static double *copy_elements(const qkv_view *view, const char *path, qkv__failure *failure)
{
    size_t count = qkv_view_count(view), index[QKV_MAX_RANK] = {0}, at = 0;
    double *number = qkv__allocate(count * sizeof *number);
    if (number == NULL) {
        qkv__fail_value(failure, QKV__TROUBLE_UNABLE, "out of memory");
        return NULL;
    }
    do {
        double x = qkv__load(view->type, view->data, qkv__view_offset(view, index));
        if (!isfinite(x)) {
            size_t columns = view->rank == 2 ? view->shape[1] : 1;
            qkv__fail_value(failure, QKV__TROUBLE_TEXT,
                            "%s: row %zu, column %zu is %g, expected a finite number", path,
                            at / columns + 1, at % columns + 1, x);
            qkv__free(number);
            return NULL;
        }
        number[at++] = x;
    } while (qkv__index_next(view->rank, view->shape, index));
    return number;
}

static qkv__grid *grid_of_view(const qkv_view *view, const char *path, bool *flat,
                               qkv__failure *failure)
{
    *flat = view->rank == 1;
    if (view->rank > 2 || !qkv__type_is_float(view->type) || qkv_view_count(view) == 0) {
        qkv__fail_value(failure, QKV__TROUBLE_TEXT,
                        "%s: has %s of shape %s, expected numbers in rows and columns", path,
                        qkv_type_name(view->type), qkv__shape_format(view->rank, view->shape).text);
        return NULL;
    }
    double *number = copy_elements(view, path, failure);
    if (number == NULL) return NULL;
    qkv__grid *grid = qkv__grid_of_doubles(view->shape[0], *flat ? 1 : view->shape[1], number);
    qkv__free(number);
    if (grid == NULL)
        qkv__fail_value(failure, QKV__TROUBLE_UNABLE, "%s: takes too much memory", path);
    return grid;
}

static qkv__grid *read_tensor(const char *path, const char *name, bool *flat, qkv__failure *failure)
{
    qkv_tensor *tensor = NULL;
    qkv_error error;
    if (qkv_tensor_read(path, name, &tensor, &error) != QKV_OK) {
        qkv__fail_value(failure, QKV__TROUBLE_TEXT, "%s", error.message);
        return NULL;
    }
    qkv__grid *grid = grid_of_view(qkv_tensor_view(tensor), path, flat, failure);
    qkv_tensor_free(&tensor);
    return grid;
}

/* ---- Text ---------------------------------------------------------------------------------- */

typedef struct reader {
    const char *path, *text;
    size_t length, at;
    size_t line;
    bool bracketed; /* rows end with ']', not with their line */
    int depth;      /* brackets open */
    bool filled;    /* a number, or a row, since the last comma */
    qkv__decimal *number;
    size_t count, capacity;
    size_t rows, columns, in_row;
    qkv__failure *failure;
} reader;

static bool fail(reader *r, const char *what)
{
    return qkv__fail_value(r->failure, QKV__TROUBLE_TEXT, "%s: line %zu: %s", r->path, r->line,
                           what);
}

static bool grow(reader *r)
{
    if (r->count < r->capacity) return true;
    size_t capacity = r->capacity == 0 ? 1024 : 2 * r->capacity;
    qkv__decimal *grown = qkv__allocate(capacity * sizeof *grown);
    if (grown == NULL) return qkv__fail_value(r->failure, QKV__TROUBLE_UNABLE, "out of memory");
    if (r->count > 0) memcpy(grown, r->number, r->count * sizeof *grown);
    qkv__free(r->number);
    r->number = grown;
    r->capacity = capacity;
    return true;
}

static bool end_row(reader *r)
{
    char what[96];
    if (r->in_row == 0) return true;
    if (r->rows == 0) r->columns = r->in_row;
    r->rows++;
    snprintf(what, sizeof what, "row %zu has %zu numbers, expected %zu as in the first row",
             r->rows, r->in_row, r->columns);
    bool even = r->in_row == r->columns;
    r->in_row = 0;
    return even || fail(r, what);
}

/* [ "+" | "-" ] number */
static bool take_number(reader *r)
{
    bool negative = r->text[r->at] == '-', fits;
    qkv__decimal number;
    if (negative || r->text[r->at] == '+') r->at++;
    size_t length = qkv__decimal_scan(r->text + r->at, r->length - r->at, &number, &fits);
    if (length == 0) return fail(r, "expected a number");
    if (!fits) return fail(r, "a number with more than 18 digits, or too large an exponent");
    r->at += length;
    if (r->at < r->length && strchr(" \t\r\n,;]#", r->text[r->at]) == NULL)
        return fail(r, "expected a number"); /* 1.2.3 */
    r->filled = true;
    if (negative) number.digits = -number.digits;
    if (!grow(r)) return false;
    assert(r->number != NULL);
    r->number[r->count++] = number;
    r->in_row++;
    return true;
}

static bool take_bracket(reader *r, char c)
{
    r->depth += c == '[' ? 1 : -1;
    if (r->depth < 0 || r->depth > 2) return fail(r, "expected numbers in rows and columns");
    if (!r->bracketed && c == '[' && (r->rows > 0 || r->in_row > 0))
        return fail(r, "expected a number");
    r->bracketed = true;
    r->filled = c == ']';
    return c == '[' || end_row(r);
}

/* A comma stands behind a number. */
static bool take_comma(reader *r)
{
    if (!r->filled) return fail(r, "expected a number before the comma");
    r->filled = false;
    return true;
}

/* One character of what stands between numbers, or a number. */
static bool step(reader *r)
{
    char c = r->text[r->at];
    if (c == '[' || c == ']') return r->at++, take_bracket(r, c);
    bool paired = c == '\r' && r->at + 1 < r->length && r->text[r->at + 1] == '\n';
    if (c == '\n' || (c == '\r' && !paired)) {
        r->at++;
        bool good = r->bracketed || end_row(r);
        if (!r->bracketed) r->filled = false;
        r->line++;
        return good;
    }
    if (c == '#') {
        while (r->at < r->length && r->text[r->at] != '\n' && r->text[r->at] != '\r') r->at++;
        return true;
    }
    if (c == ',' || c == ';') return r->at++, take_comma(r);
    if (c == ' ' || c == '\t' || c == '\r') return r->at++, true;
    return take_number(r);
}

static qkv__grid *read_text(const char *path, bool *flat, qkv__failure *failure)
{
    qkv__bytes bytes = {0};
    qkv_error error;
    if (qkv__bytes_open(path, &bytes, &error) != QKV_OK) {
        qkv__fail_value(failure, QKV__TROUBLE_TEXT, "%s", error.message);
        return NULL;
    }
    reader r = {.path = path,
                .text = (const char *)bytes.data,
                .length = bytes.count,
                .at = bytes.count >= 3 && memcmp(bytes.data, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0,
                .line = 1,
                .failure = failure};
    bool good = true;
    while (good && r.at < r.length) good = step(&r);
    good = good && end_row(&r);
    if (good && r.depth != 0) good = fail(&r, "expected ']'");
    if (good && r.rows == 0) good = fail(&r, "expected numbers, found none");
    *flat = r.rows == 1 && r.bracketed;
    qkv__grid *grid = good ? qkv__grid_of_decimals(r.rows, r.columns, r.number) : NULL;
    if (good && grid == NULL)
        qkv__fail_value(failure, QKV__TROUBLE_UNABLE, "%s: takes too much memory", path);
    if (grid != NULL && *flat) { /* a list of numbers: one column, as an npy file of one axis */
        grid->rows = grid->columns;
        grid->columns = 1;
    }
    qkv__free(r.number);
    qkv__bytes_close(&bytes);
    return grid;
}

/* ---- Both ---------------------------------------------------------------------------------- */

qkv__grid *qkv__table_read(qkv__model *model, const qkv__node *call, bool *flat,
                           qkv__failure *failure)
{
    assert(call->kind == QKV__NODE_CALL);
    bool named = call->count == 2;
    if (call->count < 1 || call->count > 2 || call->child[0]->kind != QKV__NODE_STRING ||
        (named && call->child[1]->kind != QKV__NODE_STRING)) {
        qkv__fail_value(failure, QKV__TROUBLE_TEXT,
                        "expected file(\"path\"), or file(\"path\", \"name\") for one of several "
                        "tensors");
        return NULL;
    }
    char *path = path_from(model, call->child[0]->text);
    if (path == NULL) {
        qkv__fail_value(failure, QKV__TROUBLE_UNABLE, "out of memory");
        return NULL;
    }
    if (!is_regular(path, failure)) return NULL;
    if (qkv_is_tensor_file(path, NULL))
        return read_tensor(path, named ? call->child[1]->text : NULL, flat, failure);
    if (named) {
        qkv__fail_value(failure, QKV__TROUBLE_TEXT, "%s: a text has no tensor named \"%s\"", path,
                        call->child[1]->text);
        return NULL;
    }
    return read_text(path, flat, failure);
}
