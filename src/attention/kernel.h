/*
 * The contract between the operator and its kernels. A kernel computes some rows of some heads
 * that share keys and values; it reads the qkv__heads, writes the outputs that they name, never
 * allocates and cannot fail. The bits that it gives for a row may depend on nothing but that
 * row's query, keys, values and masks: not on the rows beside it nor on the workspace's contents.
 *
 * A kernel that sets `segment` can also work on a stretch of the keys alone: `partial` leaves what
 * segment number s says of the rows in memory of the operator's, and `merge` puts the segments
 * together and writes the results, with the same bits as `forward` over all keys. That is how one
 * query over many keys keeps several cores busy.
 */
#ifndef QKV_ATTENTION_KERNEL_H
#define QKV_ATTENTION_KERNEL_H

#include "attention/problem.h"

/*
 * Rows of heads that share keys and values: row r is query r % queries of heads[r / queries],
 * where all heads have equally many queries. There is at least one row. All heads of the rows have
 * an ALiBi slope or none has, since scores that need more done to them may go another way.
 */
typedef struct qkv__rows {
    const qkv__head *heads;
    size_t begin, end;
} qkv__rows;

typedef struct qkv__kernel {
    const char *name;
    qkv_type compute;  /* QKV_F64 or QKV_F32: the problems it takes; QKV_NONE for both */
    qkv_type only;     /* of query, key, value and output, where it takes no other; or QKV_NONE */
    unsigned features; /* of the CPU that it needs: a set of qkv__cpu_feature */
    size_t rows;       /* at most this many rows make one task */
    size_t grain;      /* rows that it takes side by side: tasks of fewer waste its width */
    size_t segment;    /* keys in a segment; 0: it cannot work on a stretch of the keys */
    bool drops;        /* whether it takes problems with dropout */

    /* Bytes that one worker needs, aligned to 64; false when they cannot be counted. */
    bool (*workspace)(const qkv__problem *problem, size_t *bytes);

    void (*forward)(const qkv__rows *rows, void *workspace);

    /* Bytes that `rows` rows of one segment need, a multiple of 64. */
    bool (*partial_bytes)(const qkv__problem *problem, size_t rows, size_t *bytes);
    void (*partial)(const qkv__rows *rows, size_t segment, void *part, void *workspace);

    /* Parts lie `bytes` apart, one for each segment that the keys have. */
    void (*merge)(const qkv__rows *rows, const void *parts, size_t bytes, void *workspace);

    const struct qkv__gradient_kernel *gradient; /* see gradient.h; NULL: the definition's */
} qkv__kernel;

extern const struct qkv__gradient_kernel qkv__gradient_avx512_f32;

extern const qkv__kernel qkv__kernel_reference;
extern const qkv__kernel qkv__kernel_portable_f32;
extern const qkv__kernel qkv__kernel_portable_f64;
extern const qkv__kernel qkv__kernel_amx;
extern const qkv__kernel qkv__kernel_avx512_bf16;
extern const qkv__kernel qkv__kernel_avx512_f32;
extern const qkv__kernel qkv__kernel_avx512_f64;
extern const qkv__kernel qkv__kernel_avx2_f32;
extern const qkv__kernel qkv__kernel_avx2_f64;
extern const qkv__kernel qkv__kernel_neon_f32;
extern const qkv__kernel qkv__kernel_neon_f64;

/*
 * The kernel of that name for that problem; NULL name: what the environment variable
 * QKV_KERNEL named at the first such call, or else the best for this CPU.
 */
qkv_status qkv__kernel_find(const char *name, const qkv__problem *problem,
                            const qkv__kernel **kernel, qkv_error *error);

/* The number of the head of the first row: seldom worth a division. */
static inline size_t qkv__rows_head(const qkv__rows *rows)
{
    return rows->begin < rows->heads[0].queries ? 0 : rows->begin / rows->heads[0].queries;
}

/* Takes from *rows the next stretch that lies in one head: that head and its queries `begin` up
 * to, not including, `end`. False when none are left. */
static inline bool qkv__rows_next(qkv__rows *rows, const qkv__head **head, size_t *begin,
                                  size_t *end)
{
    if (rows->begin >= rows->end) return false;
    const size_t queries = rows->heads[0].queries, number = qkv__rows_head(rows);
    const size_t first = number * queries;
    *head = rows->heads + number;
    *begin = rows->begin - first;
    *end = rows->end - first < queries ? rows->end - first : queries;
    rows->begin = first + *end;
    return true;
}

#endif
