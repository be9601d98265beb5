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

/* Where a path leads. Two paths with the same target would overwrite each other. */
typedef struct qkv__target {
    char *path;    /* absolute and without links; of what is direct, as it was given */
    char *folder;  /* of that path; NULL for what is direct */
    bool direct;   /* exists and is no regular file (a device, a pipe): written to as it is */
    bool exists;   /* a regular file is there, to be replaced */
    unsigned mode; /* the permissions of that file, which the new one keeps, or a new file's */
} qkv__target;

/* Finds a target that could be written, or says why there is none; touches nothing. */
qkv_status qkv__target_find(const char *path, qkv__target *target, qkv_error *error);
void qkv__target_free(qkv__target *target);

/* A file being written: a temporary one in the target's folder until commit renames it. */
typedef struct qkv__draft {
    FILE *stream;
    qkv__target target;
    char *temporary; /* NULL for what is written to directly or has no name, and after commit */
    int unnamed;     /* one more than a descriptor of the file, if it has no name yet; or 0 */
    char *name;      /* room for one then: commit must not run out of memory */
} qkv__draft;

qkv_status qkv__draft_begin(const char *path, qkv__draft *draft, qkv_error *error);

/* Flushes to disk and closes; only then may commit follow. */
qkv_status qkv__draft_finish(qkv__draft *draft, qkv_error *error);

/* Renames the finished draft to its target. */
qkv_status qkv__draft_commit(qkv__draft *draft, qkv_error *error);

/* Removes what was not committed, and frees; safe after any of the above. */
void qkv__draft_end(qkv__draft *draft);

#endif
