/*
 * NumPy's .npy files, versions 1 to 3: a magic string, a version, the length of a header, the
 * header as the text of a Python dictionary, the elements.
 *
 *     {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
 */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/view.h"
#include "io/format.h"

#define MAGIC "\x93NUMPY"
enum { MAGIC_LENGTH = 6, ALIGNMENT = 64 };

static bool recognise(const qkv__bytes *bytes)
{
    return bytes->count >= MAGIC_LENGTH && memcmp(bytes->data, MAGIC, MAGIC_LENGTH) == 0;
}

/* ---- Reading the header ------------------------------------------------------------------- */

typedef struct reader {
    const char *at, *end;
    const char *source;
    qkv_error *error;
} reader;

static qkv_status fail(const reader *r, const char *what)
{
    return qkv__fail(r->error, QKV_ERROR_FORMAT, "%s: npy header: %s", r->source, what);
}

static void skip_space(reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r'))
        r->at++;
}

static bool take(reader *r, char symbol)
{
    skip_space(r);
    if (r->at == r->end || *r->at != symbol) return false;
    r->at++;
    return true;
}

/* string = ' characters ' | " characters " : the forms without escapes, all that NumPy writes. */
static bool take_string(reader *r, const char **text, size_t *length)
{
    skip_space(r);
    if (r->at == r->end || (*r->at != '\'' && *r->at != '"')) return false;
    const char *close = memchr(r->at + 1, *r->at, (size_t)(r->end - r->at - 1));
    if (close == NULL) return false;
    *text = r->at + 1;
    *length = (size_t)(close - *text);
    r->at = close + 1;
    return true;
}

static bool take_word(reader *r, const char *word)
{
    size_t length = strlen(word);
    skip_space(r);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length) != 0) return false;
    r->at += length;
    return true;
}

/* size = digits [ "L" ] : Python 2 wrote the L. */
static bool take_size(reader *r, size_t *size)
{
    skip_space(r);
    const char *start = r->at;
    *size = 0;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++)
        if (!qkv__size_multiply(*size, 10, size) ||
            !qkv__size_add(*size, (size_t)(*r->at - '0'), size))
            return false;
    if (r->at == start) return false;
    if (r->at < r->end && *r->at == 'L') r->at++;
    return true;
}

static const struct {
    const char *name;
    qkv_type type;
} known[] = {{"f8", QKV_F64}, {"f4", QKV_F32}, {"f2", QKV_F16}, {"b1", QKV_BOOL}, {"i1", QKV_I8}};
enum { KNOWN = sizeof known / sizeof known[0] };

/* descr = byte order, kind, size */
static qkv_status take_type(reader *r, qkv__location *location)
{
    const char *text;
    size_t length;
    if (!take_string(r, &text, &length))
        return fail(r, "descr is not a string; structured arrays are not supported");
    for (size_t i = 0; i < KNOWN; i++)
        if (length == 3 && memchr("<>|=", text[0], 4) != NULL &&
            memcmp(text + 1, known[i].name, 2) == 0) {
            const char other = qkv__little_endian() ? '>' : '<';
            location->type = known[i].type;
            location->swapped = qkv_type_size(known[i].type) > 1 && text[0] == other;
            return QKV_OK;
        }
    bool object = length > 0 && text[length - 1] == 'O';
    return qkv__fail(r->error, QKV_ERROR_TYPE,
                     "%s: has element type '%.*s'%s; expected f8, f4, f2, b1 or i1", r->source,
                     (int)(length < 32 ? length : 32), text, object ? " (Python objects)" : "");
}

/* shape = "(" [ size { "," size } [ "," ] ] ")" */
static qkv_status take_shape(reader *r, qkv__location *location)
{
    if (!take(r, '(')) return fail(r, "shape is not a tuple");
    size_t rank = 0;
    while (!take(r, ')')) {
        size_t size;
        if (rank > 0 && !take(r, ',')) return fail(r, "expected ',' or ')' in shape");
        if (rank > 0 && take(r, ')')) break;
        if (!take_size(r, &size))
            return fail(r, "a size in shape is not a number, or is too large");
        if (rank < QKV_MAX_RANK) location->shape[rank] = size;
        rank++;
    }
    if (rank == 0 || rank > QKV_MAX_RANK)
        return qkv__fail(r->error, QKV_ERROR_SHAPE, "%s: has rank %zu; expected 1 to %d", r->source,
                         rank, QKV_MAX_RANK);
    location->rank = (int)rank;
    return QKV_OK;
}

/* header = "{" { key ":" value "," } "}" ; each of the three keys once, in any order */
static qkv_status take_header(reader *r, qkv__location *location)
{
    enum { DESCR = 1, FORTRAN = 2, SHAPE = 4 };
    int seen = 0;
    if (!take(r, '{')) return fail(r, "expected '{'");
    while (!take(r, '}')) {
        const char *key;
        size_t length;
        if (!take_string(r, &key, &length) || !take(r, ':')) return fail(r, "expected a key");
        int which = length == 5 && memcmp(key, "descr", 5) == 0             ? DESCR
                    : length == 13 && memcmp(key, "fortran_order", 13) == 0 ? FORTRAN
                    : length == 5 && memcmp(key, "shape", 5) == 0           ? SHAPE
                                                                            : 0;
        if (which == 0 || (seen & which) != 0) return fail(r, "unknown or repeated key");
        seen |= which;
        qkv_status status = QKV_OK;
        if (which == DESCR) status = take_type(r, location);
        if (which == SHAPE) status = take_shape(r, location);
        if (which == FORTRAN && !(location->fortran = take_word(r, "True")) &&
            !take_word(r, "False"))
            status = fail(r, "fortran_order is neither True nor False");
        if (status != QKV_OK) return status;
        if (take(r, ',')) continue;
        if (take(r, '}')) break;
        return fail(r, "expected ',' or '}'");
    }
    skip_space(r);
    if (r->at != r->end) return fail(r, "text after the dictionary");
    if (seen != (DESCR | FORTRAN | SHAPE))
        return fail(r, "descr, fortran_order or shape is missing");
    return QKV_OK;
}

static qkv_status locate(const qkv__bytes *bytes, const char *source, const char *name,
                         qkv__location *location, qkv_error *error)
{
    const unsigned char *data = bytes->data;
    if (name != NULL)
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "%s: is an npy file and has no tensor named \"%.64s\"", source, name);
    if (bytes->count < MAGIC_LENGTH + 4)
        return qkv__fail(error, QKV_ERROR_FORMAT, "%s: ends within the npy header", source);
    unsigned major = data[MAGIC_LENGTH], minor = data[MAGIC_LENGTH + 1];
    if (major < 1 || major > 3 || minor != 0)
        return qkv__fail(error, QKV_ERROR_FORMAT,
                         "%s: has npy version %u.%u; expected 1.0, 2.0 or 3.0", source, major,
                         minor);
    size_t length_bytes = major == 1 ? 2 : 4, start = MAGIC_LENGTH + 2 + length_bytes;
    size_t length = 0;
    for (size_t i = 0; i < length_bytes && MAGIC_LENGTH + 2 + i < bytes->count; i++)
        length |= (size_t)data[MAGIC_LENGTH + 2 + i] << (8 * i);
    if (start > bytes->count || length > bytes->count - start)
        return qkv__fail(error, QKV_ERROR_FORMAT, "%s: ends within the npy header", source);
    const char *header = (const char *)data + start;
    reader r = {.at = header, .end = header + length, .source = source, .error = error};
    qkv_status status = take_header(&r, location);
    if (status != QKV_OK) return status;

    size_t expected;
    location->offset = start + length;
    if (!qkv__tensor_bytes(location->type, location->rank, location->shape, &expected))
        return qkv__fail(error, QKV_ERROR_SHAPE, "%s: shape %s is too large", source,
                         qkv__shape_format(location->rank, location->shape).text);
    size_t present = bytes->count - location->offset;
    if (present != expected)
        return qkv__fail(error, QKV_ERROR_FORMAT,
                         "%s: has %zu bytes of elements; expected %zu for %s of shape %s", source,
                         present, expected, qkv_type_name(location->type),
                         qkv__shape_format(location->rank, location->shape).text);
    return QKV_OK;
}

/* ---- Writing ------------------------------------------------------------------------------ */

/* Kind and size; NULL where the format has none for the type. */
static const char *name_of(qkv_type type)
{
    for (size_t i = 0; i < KNOWN; i++)
        if (known[i].type == type) return known[i].name;
    return NULL;
}

static qkv_status check(const qkv_tensor_output *outputs, size_t index, qkv_error *error)
{
    const qkv_view *view = &outputs[index].view;
    const char *path = outputs[index].path;
    for (size_t i = 0; i < index; i++)
        if (strcmp(outputs[i].path, path) == 0)
            return qkv__fail(error, QKV_ERROR_ARGUMENT, "%s: is named for two results", path);
    if (name_of(view->type) != NULL) return QKV_OK;
    return qkv__fail(error, QKV_ERROR_TYPE,
                     "%s: an npy file cannot hold %s; write a .safetensors file, or another type",
                     path, qkv_type_name(view->type));
}

static qkv_status write(FILE *stream, const qkv_tensor_output *const *outputs, size_t count,
                        qkv_error *error)
{
    const qkv_view *view = &outputs[0]->view;
    qkv__text header = {0};
    (void)count; /* 1: the file holds one */
    qkv__text_format(&header, "{'descr': '%c%s', 'fortran_order': False, 'shape': (",
                     qkv_type_size(view->type) > 1 ? '<' : '|', name_of(view->type));
    for (int axis = 0; axis < view->rank; axis++)
        qkv__text_format(&header, "%zu%s", view->shape[axis],
                         view->rank == 1         ? ","
                         : axis + 1 < view->rank ? ", "
                                                 : "");
    qkv__text_format(&header, "), }");
    /* Spaces up to a newline that ends the header on a multiple of 64 bytes. */
    while (!header.failed && (MAGIC_LENGTH + 4 + header.length + 1) % ALIGNMENT != 0)
        qkv__text_append(&header, " ", 1);
    qkv__text_append(&header, "\n", 1);
    if (header.failed) {
        qkv__fail(error, QKV_ERROR_MEMORY, "out of memory: the header has over %zu bytes",
                  header.length);
        qkv__text_free(&header);
        return QKV_ERROR_MEMORY;
    }
    unsigned char length[2] = {(unsigned char)(header.length & 255),
                               (unsigned char)(header.length >> 8)};
    fwrite(MAGIC "\x01\x00", 1, MAGIC_LENGTH + 2, stream);
    fwrite(length, 1, sizeof length, stream);
    fwrite(header.data, 1, header.length, stream);
    qkv__text_free(&header);
    qkv__write_elements(stream, view);
    return QKV_OK;
}

const qkv__format qkv__format_npy = {
    .recognise = recognise, .locate = locate, .check = check, .write = write};
