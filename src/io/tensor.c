/* Tensors that own their memory, from files and to files. Knows the formats by io/format.h. */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include <qkv/file.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "base/view.h"
#include "io/file.h"
#include "io/format.h"

struct qkv_tensor {
    qkv_view view;
    void *memory;     /* elements of its own, or NULL */
    qkv__bytes bytes; /* the file that the view looks into, or empty */
};

bool qkv__tensor_bytes(qkv_type type, int rank, const size_t *shape, size_t *bytes)
{
    *bytes = qkv_type_size(type);
    for (int axis = 0; axis < rank; axis++)
        if (shape[axis] == 0) return *bytes = 0, true;
    for (int axis = 0; axis < rank; axis++)
        if (!qkv__size_multiply(*bytes, shape[axis], bytes)) return false;
    return *bytes <= PTRDIFF_MAX;
}

/* A tensor with `bytes` bytes of its own, not yet a view of them; NULL with the error set. */
static qkv_tensor *allocate_tensor(size_t bytes, qkv_error *error)
{
    qkv_tensor *made = qkv__allocate_zero(sizeof *made);
    if (made == NULL) {
        qkv__fail_memory(error, sizeof *made);
        return NULL;
    }
    made->memory = qkv__allocate(bytes == 0 ? 1 : bytes); /* an empty tensor has data, too */
    if (made->memory == NULL) {
        qkv__fail_memory(error, bytes);
        qkv__free(made);
        return NULL;
    }
    return made;
}

qkv_status qkv_tensor_create(qkv_type type, int rank, const size_t *shape, qkv_tensor **tensor,
                             qkv_error *error)
{
    size_t bytes;
    if (rank < 1 || rank > QKV_MAX_RANK)
        return qkv__fail(error, QKV_ERROR_SHAPE, "new tensor has rank %d; expected 1 to %d", rank,
                         QKV_MAX_RANK);
    if (qkv_type_size(type) == 0)
        return qkv__fail(error, QKV_ERROR_TYPE, "new tensor has no element type (%d)", (int)type);
    if (!qkv__tensor_bytes(type, rank, shape, &bytes))
        return qkv__fail(error, QKV_ERROR_SHAPE, "new tensor of shape %s is too large to address",
                         qkv__shape_format(rank, shape).text);
    qkv_tensor *created = allocate_tensor(bytes, error);
    if (created == NULL) return QKV_ERROR_MEMORY;
    memset(created->memory, 0, bytes);
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

/* The mapping or the buffer becomes the tensor's own: nothing is copied. */
static qkv_status keep_bytes(const qkv__location *location, qkv__bytes *bytes, qkv_tensor **tensor,
                             qkv_error *error)
{
    qkv_tensor *made = qkv__allocate_zero(sizeof *made);
    if (made == NULL) return qkv__fail_memory(error, sizeof *made);
    made->view = view_at(location, (void *)(uintptr_t)(bytes->data + location->offset));
    made->bytes = *bytes;
    *bytes = (qkv__bytes){0};
    *tensor = made;
    return QKV_OK;
}

static qkv_status copy_bytes(const qkv__location *location, const qkv__bytes *bytes,
                             qkv_tensor **tensor, qkv_error *error)
{
    size_t count;
    /* Cannot fail: the elements lie in the file, as was seen when they were located. */
    qkv__tensor_bytes(location->type, location->rank, location->shape, &count);
    qkv_tensor *made = allocate_tensor(count, error);
    if (made == NULL) return QKV_ERROR_MEMORY;
    memcpy(made->memory, bytes->data + location->offset, count);
    if (location->swapped) swap_bytes(made->memory, count, qkv_type_size(location->type));
    made->view = view_at(location, made->memory);
    *tensor = made;
    return QKV_OK;
}

static qkv_status locate(const qkv__bytes *bytes, const char *source, const char *name,
                         qkv__location *location, qkv_error *error)
{
    *location = (qkv__location){0};
    const qkv__format *format = qkv__format_of_bytes(bytes, source, error);
    return format == NULL ? QKV_ERROR_FORMAT : format->locate(bytes, source, name, location, error);
}

qkv_status qkv_tensor_read(const char *path, const char *name, qkv_tensor **tensor,
                           qkv_error *error)
{
    qkv__bytes bytes = {0};
    qkv__location location;
    if (path == NULL) return qkv__fail(error, QKV_ERROR_ARGUMENT, "path is NULL");
    qkv_status status = qkv__bytes_open(path, &bytes, error);
    if (status != QKV_OK) return status;
    const char *source = strcmp(path, "-") == 0 ? "standard input" : path;
    status = locate(&bytes, source, name, &location, error);
    if (status == QKV_OK) {
        uintptr_t first = (uintptr_t)(bytes.data + location.offset);
        bool keep = first % qkv_type_size(location.type) == 0 && !location.swapped;
        status = keep ? keep_bytes(&location, &bytes, tensor, error)
                      : copy_bytes(&location, &bytes, tensor, error);
    }
    qkv__bytes_close(&bytes);
    return status;
}

qkv_status qkv_tensor_parse(const void *data, size_t count, const char *name, qkv_tensor **tensor,
                            qkv_error *error)
{
    qkv__bytes bytes = {.data = data, .count = count};
    qkv__location location;
    if (data == NULL) return qkv__fail(error, QKV_ERROR_ARGUMENT, "bytes are NULL");
    qkv_status status = locate(&bytes, "bytes", name, &location, error);
    return status == QKV_OK ? copy_bytes(&location, &bytes, tensor, error) : status;
}

/* ---- Writing ------------------------------------------------------------------------------ */

/* One element as the formats want it: lowest byte first, and true as 1 and nothing else. */
static void write_element(FILE *stream, const unsigned char *element, qkv_type type)
{
    const size_t size = qkv_type_size(type);
    unsigned char bytes[8];
    memcpy(bytes, element, size);
    if (type == QKV_BOOL) bytes[0] = bytes[0] != 0;
    if (!qkv__little_endian()) swap_bytes(bytes, size, size);
    fwrite(bytes, size, 1, stream);
}

enum { QUESTION = 256 }; /* the caller is asked after so many rows or elements */

/* Rows that lie in memory as they shall in the file go out at once, other elements one by one. Ends
 * early if the caller is interrupted. */
void qkv__write_elements(FILE *stream, const qkv_view *view)
{
    const size_t size = qkv_type_size(view->type);
    const int last = view->rank - 1;
    const bool rows = view->stride[last] == 1 && view->type != QKV_BOOL && qkv__little_endian();
    qkv_view steps = *view;
    size_t index[QKV_MAX_RANK] = {0}, written = 0;
    if (qkv_view_count(view) == 0) return;
    if (rows) steps.shape[last] = 1;
    do {
        const unsigned char *element = view->data;
        element += qkv__view_offset(view, index) * (ptrdiff_t)size;
        if (rows)
            fwrite(element, size, view->shape[last], stream);
        else
            write_element(stream, element, view->type);
        if (++written % QUESTION == 0 && qkv__interrupt_ask()) return;
    } while (!ferror(stream) && qkv__index_next(view->rank, steps.shape, index));
}

/* One output by itself, and against those before it. */
static qkv_status check_output(const qkv_tensor_output *outputs, size_t index, qkv_error *error)
{
    const char *path = outputs[index].path;
    const qkv_view *view = &outputs[index].view;
    size_t bytes;
    if (path == NULL)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "the path of output %zu is NULL", index);
    const qkv__format *format = qkv__format_of_path(path, error);
    if (format == NULL) return QKV_ERROR_ARGUMENT;
    qkv_status status = qkv__view_check(view, path, error);
    if (status != QKV_OK) return status;
    /* A view may repeat its elements (stride 0); a file holds each of them. */
    if (!qkv__tensor_bytes(view->type, view->rank, view->shape, &bytes))
        return qkv__fail(error, QKV_ERROR_SHAPE, "%s: shape %s is too large for a file", path,
                         qkv__shape_format(view->rank, view->shape).text);
    return format->check(outputs, index, error);
}

/* The target of outputs[index], which must be no other's by a second path ("x.npy", "./x.npy"). */
static qkv_status check_target(const qkv_tensor_output *outputs, size_t index, qkv__target *targets,
                               qkv_error *error)
{
    const char *path = outputs[index].path;
    qkv_status status = qkv__target_find(path, &targets[index], error);
    for (size_t i = 0; i < index && status == QKV_OK; i++)
        if (targets[i].path != NULL && !targets[i].direct &&
            strcmp(targets[i].path, targets[index].path) == 0 && strcmp(outputs[i].path, path) != 0)
            status = qkv__fail(error, QKV_ERROR_ARGUMENT, "%s and %s are the same file",
                               outputs[i].path, path);
    return status;
}

qkv_status qkv_tensor_write_check(const qkv_tensor_output *outputs, size_t count, qkv_error *error)
{
    qkv_status status = QKV_OK;
    for (size_t i = 0; i < count && status == QKV_OK; i++) status = check_output(outputs, i, error);
    if (status != QKV_OK || count == 0) return status;
    qkv__target *targets = qkv__allocate_zero(count * sizeof *targets);
    if (targets == NULL) return qkv__fail_memory(error, count * sizeof *targets);
    for (size_t i = 0; i < count && status == QKV_OK; i++)
        if (strcmp(outputs[i].path, "-") != 0) status = check_target(outputs, i, targets, error);
    for (size_t i = 0; i < count; i++) qkv__target_free(&targets[i]);
    qkv__free(targets);
    return status;
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
    const qkv__format *format = qkv__format_of_path(outputs[first].path, error);
    status = format->write(draft->stream, group, members, error);
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
        const qkv_tensor_output *one = &outputs[i];
        qkv_status status = qkv__format_npy.write(stdout, &one, 1, error);
        if (status != QKV_OK) return status;
        if (fflush(stdout) != 0 || ferror(stdout))
            return qkv__fail(error, QKV_ERROR_FILE, "standard output: cannot write: %s",
                             strerror(errno));
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

    qkv__interrupt_begin();
    status = write_standard(outputs, count, error);
    for (size_t i = 0; i < count && status == QKV_OK && !qkv__interrupt_ask(); i++)
        if (strcmp(outputs[i].path, "-") != 0 && !path_seen(outputs, i))
            status = write_file(outputs, count, i, group, &drafts[i], error);
    const qkv_status interrupted = qkv__interrupt_status(status == QKV_OK ? error : NULL);
    if (status == QKV_OK) status = interrupted;
    for (size_t i = 0; i < count && status == QKV_OK; i++)
        status = qkv__draft_commit(&drafts[i], error);
    for (size_t i = 0; i < count; i++) qkv__draft_end(&drafts[i]);
    qkv__free(drafts);
    return status;
}
