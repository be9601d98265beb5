/* Tensors that own their memory, from files and to files. Knows the formats by io/format.h. */
#include <stdint.h>
#include <string.h>

#include <qkv/file.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/view.h"
#include "io/file.h"
#include "io/format.h"

struct qkv_tensor {
    qkv_view view;
    void *memory;     /* elements of its own, or NULL */
    qkv__bytes bytes; /* the file that the view looks into, or empty */
};

bool qkv__location_bytes(const qkv__location *location, size_t *bytes)
{
    *bytes = qkv_type_size(location->type);
    for (int axis = 0; axis < location->rank; axis++)
        if (location->shape[axis] == 0) return *bytes = 0, true;
    for (int axis = 0; axis < location->rank; axis++)
        if (!qkv__size_multiply(*bytes, location->shape[axis], bytes)) return false;
    return *bytes <= PTRDIFF_MAX;
}

qkv_status qkv_tensor_create(qkv_type type, int rank, const size_t *shape, qkv_tensor **tensor,
                             qkv_error *error)
{
    qkv__location wanted = {.type = type, .rank = rank};
    if (rank < 1 || rank > QKV_MAX_RANK || qkv_type_size(type) == 0)
        return qkv__fail(error, QKV_ERROR_SHAPE, "cannot create a tensor of rank %d and type %s",
                         rank, qkv_type_name(type));
    memcpy(wanted.shape, shape, (size_t)rank * sizeof shape[0]);
    size_t bytes = SIZE_MAX;
    qkv_tensor *created = qkv__allocate_zero(sizeof *created);
    if (created == NULL || !qkv__location_bytes(&wanted, &bytes) ||
        (created->memory = qkv__allocate_zero(bytes == 0 ? 1 : bytes)) == NULL) {
        qkv__free(created);
        return qkv__fail_memory(error, bytes);
    }
    created->view = qkv_view_dense(type, created->memory, rank, shape);
    *tensor = created;
    return QKV_OK;
}

const qkv_view *qkv_tensor_view(const qkv_tensor *tensor)
{
    return &tensor->view;
}

void qkv_tensor_free(qkv_tensor **tensor)
{
    if (tensor == NULL || *tensor == NULL) return;
    qkv__bytes_close(&(*tensor)->bytes);
    qkv__free((*tensor)->memory);
    qkv__free(*tensor);
    *tensor = NULL;
}

/* ---- Reading ------------------------------------------------------------------------------ */

/* A dense view in C or Fortran order. */
static qkv_view view_at(const qkv__location *location, void *data)
{
    qkv_view view = qkv_view_dense(location->type, data, location->rank, location->shape);
    ptrdiff_t stride = 1;
    for (int axis = 0; location->fortran && axis < location->rank; axis++) {
        view.stride[axis] = stride;
        stride = (ptrdiff_t)((size_t)stride * location->shape[axis]);
    }
    return view;
}

static void swap_bytes(unsigned char *data, size_t bytes, size_t size)
{
    for (size_t i = 0; i < bytes; i += size)
        for (size_t j = 0; j < size / 2; j++) {
            unsigned char other = data[i + j];
            data[i + j] = data[i + size - 1 - j];
            data[i + size - 1 - j] = other;
        }
}

/* Takes over `bytes` when the elements can stay where they are; else copies them. */
static qkv_status make_tensor(const qkv__location *location, qkv__bytes *bytes, bool keep,
                              qkv_tensor **tensor, qkv_error *error)
{
    size_t size = qkv_type_size(location->type), count;
    const unsigned char *from = bytes->data + location->offset;
    qkv_tensor *made = qkv__allocate_zero(sizeof *made);
    if (made == NULL) return qkv__fail_memory(error, sizeof *made);
    qkv__location_bytes(location, &count); /* was counted when it was located */
    if (keep && (uintptr_t)from % size == 0 && !location->swapped) {
        made->view = view_at(location, (void *)(uintptr_t)from);
        made->bytes = *bytes;
        *bytes = (qkv__bytes){0};
    } else {
        made->memory = qkv__allocate(count == 0 ? 1 : count);
        if (made->memory == NULL) {
            qkv__free(made);
            return qkv__fail_memory(error, count);
        }
        memcpy(made->memory, from, count);
        if (location->swapped) swap_bytes(made->memory, count, size);
        made->view = view_at(location, made->memory);
    }
    *tensor = made;
    return QKV_OK;
}

static qkv_status locate(const qkv__bytes *bytes, const char *source, const char *name,
                         qkv__location *location, qkv_error *error)
{
    *location = (qkv__location){0};
    if (!qkv__npy_recognise(bytes))
        return qkv__safetensors_locate(bytes, source, name, location, error);
    if (name != NULL)
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "%s: is an npy file and has no tensor named \"%.64s\"", source, name);
    return qkv__npy_locate(bytes, source, location, error);
}

qkv_status qkv_tensor_read(const char *path, const char *name, qkv_tensor **tensor,
                           qkv_error *error)
{
    qkv__bytes bytes = {0};
    qkv__location location;
    qkv_status status = qkv__bytes_open(path, &bytes, error);
    if (status != QKV_OK) return status;
    const char *source = strcmp(path, "-") == 0 ? "standard input" : path;
    status = locate(&bytes, source, name, &location, error);
    if (status == QKV_OK) status = make_tensor(&location, &bytes, true, tensor, error);
    qkv__bytes_close(&bytes);
    return status;
}

qkv_status qkv_tensor_parse(const void *data, size_t count, const char *name, qkv_tensor **tensor,
                            qkv_error *error)
{
    qkv__bytes bytes = {.data = data, .count = count};
    qkv__location location;
    qkv_status status = locate(&bytes, "bytes", name, &location, error);
    if (status == QKV_OK) status = make_tensor(&location, &bytes, false, tensor, error);
    return status;
}

/* ---- Writing ------------------------------------------------------------------------------ */

void qkv__write_elements(FILE *stream, const qkv_view *view)
{
    const size_t size = qkv_type_size(view->type);
    const qkv_view dense = qkv_view_dense(view->type, view->data, view->rank, view->shape);
    if (qkv_view_count(view) == 0) return;
    if (memcmp(dense.stride, view->stride, (size_t)view->rank * sizeof view->stride[0]) == 0) {
        fwrite(view->data, size, qkv_view_count(view), stream);
        return;
    }
    size_t index[QKV_MAX_RANK] = {0};
    do {
        const unsigned char *element = view->data;
        fwrite(element + qkv__view_offset(view, index) * (ptrdiff_t)size, size, 1, stream);
    } while (qkv__index_next(view->rank, view->shape, index));
}

static bool ends_in(const char *path, const char *suffix)
{
    size_t length = strlen(path), tail = strlen(suffix);
    return length > tail && strcmp(path + length - tail, suffix) == 0;
}

qkv_status qkv_tensor_write_check(const qkv_tensor_output *outputs, size_t count, qkv_error *error)
{
    for (size_t i = 0; i < count; i++) {
        const char *path = outputs[i].path;
        bool standard = strcmp(path, "-") == 0;
        bool shared = ends_in(path, ".safetensors");
        qkv_status status = qkv__view_check(&outputs[i].view, path, error);
        if (status != QKV_OK) return status;
        if (!shared && !standard && !ends_in(path, ".npy"))
            return qkv__fail(error, QKV_ERROR_ARGUMENT, "%s: ends in neither .npy nor .safetensors",
                             path);
        for (size_t j = 0; j < i && !shared; j++)
            if (strcmp(outputs[j].path, path) == 0)
                return qkv__fail(error, QKV_ERROR_ARGUMENT, "%s: is named for two results", path);
        if (!shared) status = qkv__npy_check(&outputs[i].view, path, error);
        if (status == QKV_OK && shared) status = qkv__safetensors_check(outputs, i + 1, error);
        if (status == QKV_OK && !standard) status = qkv__draft_check(path, error);
        if (status != QKV_OK) return status;
    }
    return QKV_OK;
}

/* All outputs that go to the path of outputs[first], into one file. */
static qkv_status write_file(const qkv_tensor_output *outputs, size_t count, size_t first,
                             const qkv_tensor_output **group, qkv__draft *draft, qkv_error *error)
{
    size_t members = 0;
    for (size_t i = first; i < count; i++)
        if (strcmp(outputs[i].path, outputs[first].path) == 0) group[members++] = &outputs[i];
    qkv_status status = qkv__draft_begin(outputs[first].path, draft, error);
    if (status != QKV_OK) return status;
    if (ends_in(outputs[first].path, ".safetensors"))
        status = qkv__safetensors_write(draft->stream, group, members, error);
    else
        status = qkv__npy_write(draft->stream, &outputs[first].view, error);
    return status == QKV_OK ? qkv__draft_finish(draft, error) : status;
}

static bool path_seen(const qkv_tensor_output *outputs, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(outputs[i].path, outputs[index].path) == 0) return true;
    return false;
}

/* Standard output goes first: a reader that has gone away then leaves no file behind. */
static qkv_status write_standard(const qkv_tensor_output *outputs, size_t count, qkv_error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(outputs[i].path, "-") != 0) continue;
        qkv_status status = qkv__npy_write(stdout, &outputs[i].view, error);
        if (status != QKV_OK) return status;
        if (fflush(stdout) != 0 || ferror(stdout))
            return qkv__fail(error, QKV_ERROR_FILE, "standard output: cannot write");
    }
    return QKV_OK;
}

qkv_status qkv_tensor_write(const qkv_tensor_output *outputs, size_t count, qkv_error *error)
{
    qkv_status status = qkv_tensor_write_check(outputs, count, error);
    if (status != QKV_OK || count == 0) return status;
    size_t drafts_bytes = count * sizeof(qkv__draft), bytes = drafts_bytes + count * sizeof(void *);
    qkv__draft *drafts = qkv__allocate_zero(bytes);
    if (drafts == NULL) return qkv__fail_memory(error, bytes);
    const qkv_tensor_output **group = (const qkv_tensor_output **)(void *)(drafts + count);

    status = write_standard(outputs, count, error);
    for (size_t i = 0; i < count && status == QKV_OK; i++)
        if (strcmp(outputs[i].path, "-") != 0 && !path_seen(outputs, i))
            status = write_file(outputs, count, i, group, &drafts[i], error);
    for (size_t i = 0; i < count && status == QKV_OK; i++)
        if (drafts[i].target != NULL) status = qkv__draft_commit(&drafts[i], error);
    for (size_t i = 0; i < count; i++) qkv__draft_end(&drafts[i]);
    qkv__free(drafts);
    return status;
}
