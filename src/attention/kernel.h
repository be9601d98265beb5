/*
 * The contract between the operator and its kernels. A kernel computes some rows of one head,
 * whatever else there is; it reads a qkv__head, writes the outputs that the head names, never
 * allocates and cannot fail. The bits that it gives for a row may depend on nothing but that
 * row's query, keys, values and masks: not on row_begin, row_end or the workspace's contents.
 */
#ifndef QKV_ATTENTION_KERNEL_H
#define QKV_ATTENTION_KERNEL_H

#include "attention/problem.h"

typedef struct qkv__kernel {
    const char *name;
    qkv_type compute; /* QKV_F64 or QKV_F32: the problems it takes; QKV_NONE for both */
    size_t rows;      /* at most this many rows make one task */

    /* Bytes that one worker needs, aligned to 64; false when they cannot be counted. */
    bool (*workspace)(size_t width, size_t value_width, size_t keys, size_t *bytes);

    void (*forward)(const qkv__head *head, size_t row_begin, size_t row_end, void *workspace);
} qkv__kernel;

extern const qkv__kernel qkv__kernel_reference;
extern const qkv__kernel qkv__kernel_portable_f32;
extern const qkv__kernel qkv__kernel_portable_f64;

/*
 * The kernel of that name for that compute type; NULL name: what the environment variable
 * QKV_KERNEL names, or else the best for this CPU.
 */
qkv_status qkv__kernel_find(const char *name, qkv_type compute, const qkv__kernel **kernel,
                            qkv_error *error);

#endif
