/*
 * Tensors in files: NumPy's .npy (versions 1 to 3; f8, f4, f2, i1 and bool) and .safetensors
 * (F64, F32, F16, BF16, I8, F8_E4M3, BOOL).
 *
 *     qkv_tensor *q = NULL;
 *     qkv_error error;
 *     if (qkv_tensor_read("q.npy", NULL, &q, &error) != QKV_OK) ...
 *     const qkv_view *view = qkv_tensor_view(q);
 *     ...
 *     qkv_tensor_free(&q);
 *
 * Files are mapped, not read, so a tensor may be larger than memory; unaligned data and data in
 * the other byte order are copied. Where another process may truncate a file that is in use, read
 * it yourself and pass the bytes to qkv_tensor_parse: the system ends a process that reads beyond
 * the new end of a mapped file by SIGBUS, and a signal is not the library's to catch. A file that
 * is replaced by renaming, as here, keeps its old contents for those who have it mapped. Results
 * are written to a temporary file beside the target, flushed to disk and renamed: the target is
 * either the old file or the complete new one. A replaced file keeps its permissions; a read-only
 * file and a dangling link are refused. Devices and pipes are written to directly.
 */
#ifndef QKV_FILE_H
#define QKV_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include <qkv/status.h>
#include <qkv/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A tensor and the memory or the mapping that holds it. */
typedef struct qkv_tensor qkv_tensor;

/* A new tensor of zeros, densely stored. */
QKV_API qkv_status qkv_tensor_create(qkv_type type, int rank, const size_t *shape,
                                     qkv_tensor **tensor, qkv_error *error);

/*
 * A tensor from a file. path "-" reads standard input to its end. name picks a tensor of a
 * safetensors file and may be NULL if the file has only one; an .npy file has no names.
 * The view is read-only unless the tensor came from qkv_tensor_create.
 */
QKV_API qkv_status qkv_tensor_read(const char *path, const char *name, qkv_tensor **tensor,
                                   qkv_error *error);

/* The same from bytes in memory, which are copied as needed and may be freed afterwards. */
QKV_API qkv_status qkv_tensor_parse(const void *bytes, size_t count, const char *name,
                                    qkv_tensor **tensor, qkv_error *error);

/*
 * A tensor written as nested brackets, for example "[[1, 2], [3, 4]]". All rows of a level
 * must have the same length. Numbers, including inf and nan, make a tensor of type f64; the words
 * true and false one of type bool, for example a mask "[[true, false]]". The two cannot be mixed,
 * and a tensor without elements is f64.
 */
QKV_API qkv_status qkv_tensor_from_text(const char *text, qkv_tensor **tensor, qkv_error *error);

/* Valid until the tensor is freed. */
QKV_API const qkv_view *qkv_tensor_view(const qkv_tensor *tensor);

/* Frees and sets the pointer to NULL; NULL is fine. */
QKV_API void qkv_tensor_free(qkv_tensor **tensor);

/* Whether a path ends as files of tensors do, such as .npy. *named, unless NULL: whether such a
 * file holds several tensors by their names. */
QKV_API bool qkv_is_tensor_file(const char *path, bool *named);

/* One tensor to write: its file, its name (safetensors), and its data. */
typedef struct qkv_tensor_output {
    const char *path; /* ends in .npy or .safetensors; "-" is standard output, as npy */
    const char *name; /* the tensor's name in a safetensors file; otherwise ignored */
    qkv_view view;
} qkv_tensor_output;

/*
 * Writes tensors: those with the same .safetensors path share that file; two paths to one file
 * are refused. All files are complete on disk before the first is renamed; a failure before that
 * leaves every target unchanged.
 */
QKV_API qkv_status qkv_tensor_write(const qkv_tensor_output *outputs, size_t count,
                                    qkv_error *error);

/* Whether qkv_tensor_write would accept these; changes nothing. */
QKV_API qkv_status qkv_tensor_write_check(const qkv_tensor_output *outputs, size_t count,
                                          qkv_error *error);

#ifdef __cplusplus
}
#endif
#endif
