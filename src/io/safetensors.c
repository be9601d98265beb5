/*
 * .safetensors files: the length of a header in 8 bytes, the header as a JSON object, the data.
 *
 *     {"q": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, "__metadata__": {...}}
 *
 * As the format demands, the header is at most 100 MB long and begins with '{', no name occurs
 * twice, and the tensors cover the data from its beginning to its end, without gap or overlap.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/view.h"
#include "io/format.h"

#define HEADER_LIMIT 100000000u

static const struct {
    const char *name;
    qkv_type type; /* QKV_NONE: known to the format, not to qkv */
    size_t bits;
} dtypes[] = {
    {"F64", QKV_F64, 64},     {"F32", QKV_F32, 32},     {"F16", QKV_F16, 16},
    {"BF16", QKV_BF16, 16},   {"BOOL", QKV_BOOL, 8},    {"I64", QKV_NONE, 64},
    {"I32", QKV_NONE, 32},    {"I16", QKV_NONE, 16},    {"I8", QKV_NONE, 8},
    {"U64", QKV_NONE, 64},    {"U32", QKV_NONE, 32},    {"U16", QKV_NONE, 16},
    {"U8", QKV_NONE, 8},      {"C64", QKV_NONE, 64},    {"F8_E4M3", QKV_NONE, 8},
    {"F8_E5M2", QKV_NONE, 8}, {"F8_E8M0", QKV_NONE, 8},
};
enum { DTYPE_COUNT = sizeof dtypes / sizeof dtypes[0] };

#ifdef QKV_HAVE_JANSSON
#include <jansson.h>

typedef struct extent {
    size_t begin, end;
} extent;

static int compare_extents(const void *a, const void *b)
{
    const extent *x = a, *y = b;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    return x->end < y->end ? -1 : x->end > y->end;
}

static bool read_size(const json_t *value, size_t *size)
{
    if (!json_is_integer(value) || json_integer_value(value) < 0) return false;
    *size = (size_t)json_integer_value(value);
    return true;
}

/* One entry of the header: its extent, and where it lies if its type and rank are ours. */
static qkv_status read_entry(const char *source, const char *name, const json_t *entry,
                             extent *range, qkv__location *location, qkv_error *error)
{
    const json_t *shape = json_object_get(entry, "shape");
    const json_t *offsets = json_object_get(entry, "data_offsets");
    const char *dtype = json_string_value(json_object_get(entry, "dtype"));
    size_t known = 0;
    while (dtype != NULL && known < DTYPE_COUNT && strcmp(dtype, dtypes[known].name) != 0) known++;
    if (dtype == NULL || !json_is_array(shape) || json_array_size(offsets) != 2 ||
        !read_size(json_array_get(offsets, 0), &range->begin) ||
        !read_size(json_array_get(offsets, 1), &range->end))
        return qkv__fail(error, QKV_ERROR_FORMAT,
                         "%s: tensor \"%.64s\" lacks a dtype, a shape or two data_offsets", source,
                         name);
    if (known == DTYPE_COUNT)
        return qkv__fail(error, QKV_ERROR_FORMAT,
                         "%s: tensor \"%.64s\" has unknown dtype \"%.16s\"", source, name, dtype);
    *location = (qkv__location){.type = dtypes[known].type, .offset = range->begin};
    size_t rank = json_array_size(shape), bytes = dtypes[known].bits / 8;
    bool counted = true;
    for (size_t axis = 0; axis < rank; axis++) {
        size_t size = 0;
        counted = counted && read_size(json_array_get(shape, axis), &size) &&
                  qkv__size_multiply(bytes, size, &bytes);
        if (axis < QKV_MAX_RANK) location->shape[axis] = size;
    }
    if (!counted || range->end < range->begin || range->end - range->begin != bytes)
        return qkv__fail(error, QKV_ERROR_FORMAT,
                         "%s: tensor \"%.64s\" has data_offsets [%zu, %zu], which do not fit its "
                         "shape",
                         source, name, range->begin, range->end);
    location->rank = rank > QKV_MAX_RANK ? -1 : (int)rank;
    return QKV_OK;
}

/* From 0 to `size`, without gap or overlap. */
static qkv_status check_cover(const char *source, extent *ranges, size_t count, size_t size,
                              qkv_error *error)
{
    size_t reached = 0;
    qsort(ranges, count, sizeof *ranges, compare_extents);
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

/* All entries are checked; *location is set to the one of that name, or the only one. */
static qkv_status search_header(json_t *header, const char *source, const char *wanted,
                                size_t data_size, qkv__location *location, qkv_error *error)
{
    size_t count = 0, size = json_object_size(header);
    extent *ranges = qkv__allocate((size + 1) * sizeof *ranges);
    if (ranges == NULL) return qkv__fail_memory(error, (size + 1) * sizeof *ranges);
    qkv_status status = QKV_OK;
    const char *name, *found = NULL;
    json_t *entry;
    json_object_foreach(header, name, entry)
    {
        qkv__location place;
        if (strcmp(name, "__metadata__") == 0) continue;
        status = read_entry(source, name, entry, &ranges[count], &place, error);
        if (status != QKV_OK) break;
        count++;
        if (wanted == NULL ? found != NULL : strcmp(name, wanted) != 0) continue;
        found = name;
        *location = place;
    }
    if (status == QKV_OK) status = check_cover(source, ranges, count, data_size, error);
    qkv__free(ranges);
    if (status != QKV_OK) return status;
    if (wanted == NULL && count != 1)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "%s: holds %zu tensors; say which one is meant",
                         source, count);
    if (found == NULL)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "%s: has no tensor \"%.64s\"", source, wanted);
    if (location->type == QKV_NONE)
        return qkv__fail(error, QKV_ERROR_TYPE,
                         "%s: tensor \"%.64s\" has a type other than F64, F32, F16, BF16 and BOOL",
                         source, found);
    if (location->rank < 1)
        return qkv__fail(error, QKV_ERROR_SHAPE, "%s: tensor \"%.64s\" has rank 0 or above %d",
                         source, found, QKV_MAX_RANK);
    return QKV_OK;
}

qkv_status qkv__safetensors_locate(const qkv__bytes *bytes, const char *source, const char *name,
                                   qkv__location *location, qkv_error *error)
{
    uint64_t length = 0;
    if (bytes->count < 9)
        return qkv__fail(error, QKV_ERROR_FORMAT,
                         "%s: is neither an npy nor a safetensors file (%zu bytes)", source,
                         bytes->count);
    for (int i = 0; i < 8; i++) length |= (uint64_t)bytes->data[i] << (8 * i);
    if (length > HEADER_LIMIT || length > bytes->count - 8 || bytes->data[8] != '{')
        return qkv__fail(error, QKV_ERROR_FORMAT,
                         "%s: is neither an npy file nor a whole safetensors file", source);
    json_error_t problem;
    json_t *header =
        json_loadb((const char *)bytes->data + 8, (size_t)length, JSON_REJECT_DUPLICATES, &problem);
    if (header == NULL)
        return qkv__fail(error, QKV_ERROR_FORMAT, "%s: safetensors header: %s (byte %d)", source,
                         problem.text, problem.position);
    size_t start = 8 + (size_t)length;
    qkv_status status = search_header(header, source, name, bytes->count - start, location, error);
    json_decref(header);
    location->offset += start;
    return status;
}
#else
qkv_status qkv__safetensors_locate(const qkv__bytes *bytes, const char *source, const char *name,
                                   qkv__location *location, qkv_error *error)
{
    (void)bytes, (void)name, (void)location;
    return qkv__fail(error, QKV_ERROR_UNSUPPORTED,
                     "%s: is no npy file; this qkv was built without safetensors (jansson)",
                     source);
}
#endif

/* ---- Writing ------------------------------------------------------------------------------ */

static const char *dtype_of(qkv_type type)
{
    for (size_t i = 0; i < DTYPE_COUNT; i++)
        if (dtypes[i].type == type) return dtypes[i].name;
    return NULL;
}

qkv_status qkv__safetensors_check(const qkv_tensor_output *outputs, size_t count, qkv_error *error)
{
    for (size_t i = 0; i < count; i++) {
        const char *name = outputs[i].name;
        if (name == NULL || name[0] == '\0' || strcmp(name, "__metadata__") == 0)
            return qkv__fail(error, QKV_ERROR_ARGUMENT, "%s: a tensor needs a name",
                             outputs[i].path);
        for (size_t j = 0; j < i; j++)
            if (strcmp(outputs[j].path, outputs[i].path) == 0 && strcmp(outputs[j].name, name) == 0)
                return qkv__fail(error, QKV_ERROR_ARGUMENT, "%s: two tensors are named \"%.64s\"",
                                 outputs[i].path, name);
    }
    return QKV_OK;
}

qkv_status qkv__safetensors_write(FILE *stream, const qkv_tensor_output *const *outputs,
                                  size_t count, qkv_error *error)
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
        qkv__text_free(&header);
        return qkv__fail_memory(error, header.capacity);
    }
    unsigned char length[8];
    for (int i = 0; i < 8; i++) length[i] = (unsigned char)((uint64_t)header.length >> (8 * i));
    fwrite(length, 1, sizeof length, stream);
    fwrite(header.data, 1, header.length, stream);
    qkv__text_free(&header);
    for (size_t i = 0; i < count; i++) qkv__write_elements(stream, &outputs[i]->view);
    return QKV_OK;
}
