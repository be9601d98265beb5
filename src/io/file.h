/* Whole files as bytes: mapped or read, and written so that a reader never sees half of one. */
#ifndef QKV_IO_FILE_H
#define QKV_IO_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <qkv/status.h>

typedef struct qkv__bytes {
    const unsigned char *data;
    size_t count;
    bool mapped; /* else data came from qkv__allocate */
} qkv__bytes;

/* "-" is standard input. What cannot be mapped (a pipe, a terminal) is read to its end. */
qkv_status qkv__bytes_open(const char *path, qkv__bytes *bytes, qkv_error *error);
void qkv__bytes_close(qkv__bytes *bytes);

/*
 * A file being written: a temporary one beside its target until commit renames it. A target that
 * exists and is no regular file (a device, a pipe) is written to as it is.
 */
typedef struct qkv__draft {
    FILE *stream;
    char *target;    /* links resolved */
    char *temporary; /* NULL for what is written to directly */
} qkv__draft;

/* Whether a draft for this path could be begun; touches nothing. */
qkv_status qkv__draft_check(const char *path, qkv_error *error);

qkv_status qkv__draft_begin(const char *path, qkv__draft *draft, qkv_error *error);

/* Flushes to disk and closes; only then may commit follow. */
qkv_status qkv__draft_finish(qkv__draft *draft, qkv_error *error);

/* Renames the finished draft to its target. */
qkv_status qkv__draft_commit(qkv__draft *draft, qkv_error *error);

/* Removes what was not committed, and frees; safe after any of the above. */
void qkv__draft_end(qkv__draft *draft);

#endif
