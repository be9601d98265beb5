/* What the file formats have in common: they say where in the bytes a tensor lies. */
#ifndef QKV_IO_FORMAT_H
#define QKV_IO_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <qkv/file.h>

#include "io/file.h"

typedef struct qkv__location {
    qkv_type type;
    int rank;
    size_t shape[QKV_MAX_RANK];
    size_t offset; /* bytes from the beginning of the file */
    bool fortran;  /* the first axis runs fastest */
    bool swapped;  /* the bytes of an element are in the other order */
} qkv__location;

/* One file format. */
typedef struct qkv__format {
    bool (*recognise)(const qkv__bytes *bytes);
    /* Where a tensor lies; name: NULL for the only one. `source` is what messages call the file. */
    qkv_status (*locate)(const qkv__bytes *bytes, const char *source, const char *name,
                         qkv__location *location, qkv_error *error);
    /* Whether outputs[index] can be written, alone and beside those before it with the same path.
     */
    qkv_status (*check)(const qkv_tensor_output *outputs, size_t index, qkv_error *error);
    /* All outputs with one path. */
    qkv_status (*write)(FILE *stream, const qkv_tensor_output *const *outputs, size_t count,
                        qkv_error *error);
} qkv__format;

#define FORMAT(name, word, tensors, help, details) extern const qkv__format qkv__format_##name;
#include "io/formats.def"

/* The format of a file, by its first bytes. NULL, with an error: none. */
const qkv__format *qkv__format_of_bytes(const qkv__bytes *bytes, const char *source,
                                        qkv_error *error);

/* The format of a file to write, by the ending of its path; "-", standard output, is npy. NULL,
 * with an error: none. */
const qkv__format *qkv__format_of_path(const char *path, qkv_error *error);

/* Writes the elements in C order, lowest byte first; the stream's own error flag tells of
 * failure. */
void qkv__write_elements(FILE *stream, const qkv_view *view);

/* Bytes of the elements of a tensor; false when they cannot be counted in ptrdiff_t. */
bool qkv__tensor_bytes(qkv_type type, int rank, const size_t *shape, size_t *bytes);

/* Whether this machine keeps the lowest byte of a number first, as safetensors files do. */
static inline bool qkv__little_endian(void)
{
    const uint16_t probe = 1;
    return *(const unsigned char *)&probe == 1;
}

#endif
