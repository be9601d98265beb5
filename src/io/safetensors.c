/*
 * .safetensors files: the length of a header in 8 bytes, the header as a JSON object, the data.
 *
 *     {"q": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, "__metadata__": {...}}
 *
 * As the format demands, the header is at most 100 MB long and begins with '{', no name occurs
 * twice, and the tensors cover the data from its beginning to its end, without gap or overlap.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/view.h"
#include "io/format.h"
#include "io/json.h"

#define HEADER_LIMIT 100000000u

static const struct {
    const char *name;
    qkv_type type; /* QKV_NONE: known to the format, not to qkv */
    size_t bytes;
} dtypes[] = {
    {"F64", QKV_F64, 8},      {"F32", QKV_F32, 4},      {"F16", QKV_F16, 2},
    {"BF16", QKV_BF16, 2},    {"BOOL", QKV_BOOL, 1},    {"I64", QKV_NONE, 8},
    {"I32", QKV_NONE, 4},     {"I16", QKV_NONE, 2},     {"I8", QKV_I8, 1},
    {"U64", QKV_NONE, 8},     {"U32", QKV_NONE, 4},     {"U16", QKV_NONE, 2},
    {"U8", QKV_NONE, 1},      {"C64", QKV_NONE, 8},     {"F8_E4M3", QKV_E4M3, 1},
    {"F8_E5M2", QKV_NONE, 1}, {"F8_E8M0", QKV_NONE, 1},
};
enum { DTYPE_COUNT = sizeof dtypes / sizeof dtypes[0] };

/* ---- Reading ------------------------------------------------------------------------------ */

/* A tensor of the header: its name, and where its data lies. A valid entry has more bytes than
 * this, and only for valid ones memory is taken: never more than the file has. */
typedef struct extent {
    qkv__json name;
    size_t begin, end;
} extent;

static int compare_extents(const void *a, const void *b)
{
    const extent *x = a, *y = b;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    return x->end < y->end ? -1 : x->end > y->end;
}

static int compare_names(const void *a, const void *b)
{
    const extent *x = a, *y = b;
    return qkv__json_compare(x->name, y->name);
}

/* A string of the header, for a message. */
typedef struct shown {
    char text[65];
} shown;

static shown show(qkv__json string)
{
    shown made = {.text = ""};
    qkv__json_copy(string, made.text, sizeof made.text);
    return made;
}

/* Two numbers in brackets. */
static bool read_pair(qkv__json array, size_t *first, size_t *second)
{
    qkv__json key, value;
    return qkv__json_is_array(array) && qkv__json_next(&array, &key, &value) &&
           qkv__json_size(value, first) && qkv__json_next(&array, &key, &value) &&
           qkv__json_size(value, second) && !qkv__json_next(&array, &key, &value);
}

/* The three members of an entry that count, each at most once; the others may be anything. */
typedef struct entry {
    qkv__json dtype, shape, offsets;
} entry;

static bool read_members(qkv__json object, entry *found)
{
    qkv__json key, value;
    *found = (entry){.dtype = {0}};
    while (qkv__json_next(&object, &key, &value)) {
        if (key.at == NULL) return false; /* an array */
        qkv__json *member = qkv__json_is(key, "dtype")          ? &found->dtype
                            : qkv__json_is(key, "shape")        ? &found->shape
                            : qkv__json_is(key, "data_offsets") ? &found->offsets
                                                                : NULL;
        if (member == NULL) continue;
        if (member->at != NULL) return false;
        *member = value;
    }
    return true;
}

/* Its sizes up to QKV_MAX_RANK, its rank, and *bytes times the number of elements. */
static bool read_shape(qkv__json shape, qkv__location *location, size_t *bytes)
{
    qkv__json key, value;
    size_t rank = 0, size;
    for (; qkv__json_next(&shape, &key, &value); rank++) {
        if (!qkv__json_size(value, &size) || !qkv__size_multiply(*bytes, size, bytes)) return false;
        if (rank < QKV_MAX_RANK) location->shape[rank] = size;
    }
    location->rank = (int)rank; /* the header's limit keeps it small */
    return true;
}

/* One entry of the header: its extent, and where it lies if its type and rank are ours. */
static qkv_status read_entry(const char *source, qkv__json object, extent *range,
                             qkv__location *location, qkv_error *error)
{
    entry e;
    size_t known = 0;
    if (!read_members(object, &e) || !qkv__json_is_string(e.dtype) ||
        !qkv__json_is_array(e.shape) || !read_pair(e.offsets, &range->begin, &range->end))
        return qkv__fail(error, QKV_ERROR_FORMAT,
                         "%s: tensor \"%s\" lacks a dtype, a shape or two data_offsets", source,
                         show(range->name).text);
    while (known < DTYPE_COUNT && !qkv__json_is(e.dtype, dtypes[known].name)) known++;
    if (known == DTYPE_COUNT)
        return qkv__fail(error, QKV_ERROR_FORMAT, "%s: tensor \"%s\" has unknown dtype \"%.16s\"",
                         source, show(range->name).text, show(e.dtype).text);
    size_t bytes = dtypes[known].bytes;
    *location = (qkv__location){
        .type = dtypes[known].type, .offset = range->begin, .swapped = !qkv__little_endian()};
    if (!read_shape(e.shape, location, &bytes) || range->end < range->begin ||
        range->end - range->begin != bytes)
        return qkv__fail(
            error, QKV_ERROR_FORMAT,
            "%s: tensor \"%s\" has data_offsets [%zu, %zu], which do not fit its shape", source,
            show(range->name).text, range->begin, range->end);
    return QKV_OK;
}

/* From 0 to `size`, without gap or overlap. */
static qkv_status check_cover(const char *source, extent *ranges, size_t count, size_t size,
                              qkv_error *error)
{
    size_t reached = 0;
    if (count > 1) qsort(ranges, count, sizeof *ranges, compare_extents);
    for (size_t i = 0; i < count; i++) {
        if (ranges[i].begin != reached)
            return qkv__fail(error, QKV_ERROR_FORMAT,
                             "%s: tensors leave a gap or overlap at byte %zu of the data", source,
                             reached);
        reached = ranges[i].end;
    }
    if (reached == size) return QKV_OK;
    return qkv__fail(error, QKV_ERROR_FORMAT,
                     "%s: tensors end at byte %zu of the data; expected %zu, the end of the file",
                     source, reached, size);
}

/* The next tensor of the header. */
static bool next_tensor(qkv__json *rest, qkv__json *name, qkv__json *object)
{
    while (qkv__json_next(rest, name, object))
        if (!qkv__json_is(*name, "__metadata__")) return true;
    return false;
}

static qkv_status check_names(const char *source, extent *ranges, size_t count, qkv_error *error)
{
    qsort(ranges, count, sizeof *ranges, compare_names);
    for (size_t i = 1; i < count; i++)
        if (compare_names(&ranges[i - 1], &ranges[i]) == 0)
            return qkv__fail(error, QKV_ERROR_FORMAT,
                             "%s: safetensors header: duplicate name \"%s\"", source,
                             show(ranges[i].name).text);
    return QKV_OK;
}

/* Why the header has not the one tensor that was meant; names what it has. */
static qkv_status fail_choice(qkv__json header, const char *source, const char *wanted,
                              size_t count, qkv_error *error)
{
    qkv__text names = {0};
    qkv__json name, object;
    while (next_tensor(&header, &name, &object)) {
        if (names.length > 200) { /* a model has thousands */
            qkv__text_append(&names, ", ...", 5);
            break;
        }
        if (names.length > 0) qkv__text_append(&names, ", ", 2);
        qkv__text_append(&names, name.at, (size_t)(name.end - name.at)); /* in its quotes */
    }
    const char *list = names.data == NULL ? "" : names.data;
    if (wanted == NULL)
        qkv__fail(error, QKV_ERROR_ARGUMENT, "%s: holds %zu tensors (%s); say which one is meant",
                  source, count, list);
    else
        qkv__fail(error, QKV_ERROR_ARGUMENT, "%s: has no tensor \"%.64s\"; it holds %zu (%s)",
                  source, wanted, count, list);
    qkv__text_free(&names);
    return QKV_ERROR_ARGUMENT;
}

/* All entries are read and counted. *location is set to the one of that name, or the only one, of
 * which *found is the name; ranges may be NULL. */
static qkv_status read_entries(qkv__json header, const char *source, const char *wanted,
                               extent *ranges, size_t *count, qkv__json *found,
                               qkv__location *location, qkv_error *error)
{
    qkv__json name, object;
    *found = (qkv__json){.at = NULL};
    for (*count = 0; next_tensor(&header, &name, &object); ++*count) {
        qkv__location place;
        extent range = {.name = name};
        qkv_status status = read_entry(source, object, &range, &place, error);
        if (status != QKV_OK) return status;
        if (ranges != NULL) ranges[*count] = range;
        if (wanted == NULL ? found->at != NULL : !qkv__json_is(name, wanted)) continue;
        *found = name;
        *location = place;
    }
    return QKV_OK;
}

/* What the entries must be together. */
static qkv_status check_entries(qkv__json header, const char *source, size_t count,
                                size_t data_size, qkv_error *error)
{
    qkv__json found;
    qkv__location location;
    if (count == 0) return check_cover(source, NULL, 0, data_size, error);
    extent *ranges = qkv__allocate(count * sizeof *ranges);
    if (ranges == NULL) return qkv__fail_memory(error, count * sizeof *ranges);
    /* Cannot fail: the same entries were read before, to count them. */
    (void)read_entries(header, source, NULL, ranges, &count, &found, &location, error);
    qkv_status status = check_names(source, ranges, count, error);
    if (status == QKV_OK) status = check_cover(source, ranges, count, data_size, error);
    qkv__free(ranges);
    return status;
}

static qkv_status search_header(qkv__json header, const char *source, const char *wanted,
                                size_t data_size, qkv__location *location, qkv_error *error)
{
    size_t count;
    qkv__json found;
    qkv_status status = read_entries(header, source, wanted, NULL, &count, &found, location, error);
    if (status == QKV_OK) status = check_entries(header, source, count, data_size, error);
    if (status != QKV_OK) return status;
    if (found.at == NULL || (wanted == NULL && count != 1))
        return fail_choice(header, source, wanted, count, error);
    if (location->type == QKV_NONE)
        return qkv__fail(
            error, QKV_ERROR_TYPE,
            "%s: tensor \"%s\" has a type other than F64, F32, F16, BF16, BOOL, I8 and F8_E4M3",
            source, show(found).text);
    if (location->rank < 1 || location->rank > QKV_MAX_RANK)
        return qkv__fail(error, QKV_ERROR_SHAPE, "%s: tensor \"%s\" has rank %d; expected 1 to %d",
                         source, show(found).text, location->rank, QKV_MAX_RANK);
    return QKV_OK;
}

/* Eight bytes of length, and the '{' behind them. */
static bool recognise(const qkv__bytes *bytes)
{
    return bytes->count > 8 && bytes->data[8] == '{';
}

static qkv_status check_start(const qkv__bytes *bytes, const char *source, uint64_t *length,
                              qkv_error *error)
{
    *length = 0;
    for (int i = 0; i < 8; i++) *length |= (uint64_t)bytes->data[i] << (8 * i);
    if (*length > HEADER_LIMIT || *length > bytes->count - 8)
        return qkv__fail(error, QKV_ERROR_FORMAT,
                         "%s: claims a safetensors header of %" PRIu64 " bytes; %zu bytes follow, "
                         "and %u are the most",
                         source, *length, bytes->count - 8, HEADER_LIMIT);
    return QKV_OK;
}

static qkv_status locate(const qkv__bytes *bytes, const char *source, const char *name,
                         qkv__location *location, qkv_error *error)
{
    uint64_t length = 0;
    qkv_status status = check_start(bytes, source, &length, error);
    if (status != QKV_OK) return status;
    qkv__json header;
    const char *trouble;
    size_t place, start = 8 + (size_t)length;
    if (!qkv__json_check((const char *)bytes->data + 8, (size_t)length, &header, &trouble, &place))
        return qkv__fail(error, QKV_ERROR_FORMAT, "%s: safetensors header: %s (byte %zu)", source,
                         trouble, place);
    status = search_header(header, source, name, bytes->count - start, location, error);
    location->offset += start;
    return status;
}
/* ---- Writing ------------------------------------------------------------------------------ */

static const char *dtype_of(qkv_type type)
{
    size_t i = 0;
    while (dtypes[i].type != type) i++; /* every type of ours is in the table */
    return dtypes[i].name;
}

static qkv_status check(const qkv_tensor_output *outputs, size_t index, qkv_error *error)
{
    const char *path = outputs[index].path, *name = outputs[index].name;
    if (name == NULL || name[0] == '\0')
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "%s: a tensor needs a name", path);
    if (strcmp(name, "__metadata__") == 0)
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "%s: a tensor is named \"%s\", which the format keeps for itself", path,
                         name);
    /* Mended names could become equal, and a file with equal names cannot be read. */
    if (!qkv__text_is_utf8(name))
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "%s: the name of a tensor is not UTF-8", path);
    for (size_t i = 0; i < index; i++)
        if (strcmp(outputs[i].path, path) == 0 && strcmp(outputs[i].name, name) == 0)
            return qkv__fail(error, QKV_ERROR_ARGUMENT, "%s: two tensors are named \"%.64s\"", path,
                             name);
    return QKV_OK;
}

static qkv_status write(FILE *stream, const qkv_tensor_output *const *outputs, size_t count,
                        qkv_error *error)
{
    qkv__text header = {0};
    size_t offset = 0;
    for (size_t i = 0; i < count; i++) {
        const qkv_view *view = &outputs[i]->view;
        size_t bytes = qkv_view_count(view) * qkv_type_size(view->type);
        qkv__text_append(&header, i == 0 ? "{" : ",", 1);
        qkv__text_json_string(&header, outputs[i]->name);
        qkv__text_format(&header, ":{\"dtype\":\"%s\",\"shape\":[", dtype_of(view->type));
        for (int axis = 0; axis < view->rank; axis++)
            qkv__text_format(&header, "%s%zu", axis == 0 ? "" : ",", view->shape[axis]);
        qkv__text_format(&header, "],\"data_offsets\":[%zu,%zu]}", offset, offset + bytes);
        offset += bytes;
    }
    qkv__text_append(&header, "}", 1);
    while (!header.failed && header.length % 8 != 0) qkv__text_append(&header, " ", 1);
    if (header.failed) {
        qkv__fail(error, QKV_ERROR_MEMORY, "out of memory: the header has over %zu bytes",
                  header.length);
        qkv__text_free(&header);
        return QKV_ERROR_MEMORY;
    }
    unsigned char length[8];
    for (int i = 0; i < 8; i++) length[i] = (unsigned char)((uint64_t)header.length >> (8 * i));
    fwrite(length, 1, sizeof length, stream);
    fwrite(header.data, 1, header.length, stream);
    qkv__text_free(&header);
    for (size_t i = 0; i < count; i++) qkv__write_elements(stream, &outputs[i]->view);
    return QKV_OK;
}

const qkv__format qkv__format_safetensors = {
    .recognise = recognise, .locate = locate, .check = check, .write = write};
