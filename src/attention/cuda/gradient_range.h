/*
 * Which tiles of queries and which blocks of keys meet in the gradient. The kernel asks it from
 * both sides: a block of keys for its tiles, and a tile of queries for the blocks whose sums it
 * gets, in their order. Both answers must agree, or a block would wait for one that never comes;
 * the unit tests compare them. C and CUDA C both read this header.
 */
#ifndef QKV_ATTENTION_CUDA_GRADIENT_RANGE_H
#define QKV_ATTENTION_CUDA_GRADIENT_RANGE_H

#include <stdint.h>

#ifdef __CUDACC__
#define QKV__ANYWHERE static __host__ __device__ __forceinline__
#else
#define QKV__ANYWHERE static inline
#endif

enum {
    QKV__CUDA_GRADIENT_QUERIES = 64, /* of a tile */
    QKV__CUDA_GRADIENT_KEYS = 128,   /* of a block */
    QKV__CUDA_GRADIENT_PIECE = 64,   /* columns of dq that are added to its sums at a time */
};

/* One head's lengths and positions: query i stands at i + offset and looks at keys from
 * i + offset - left to i + offset + right. All under QKV__CUDA_POSITION_LIMIT. */
typedef struct qkv__cuda_positions {
    int32_t queries, keys, offset, left, right;
} qkv__cuda_positions;

/*
 * A sequence in a list of them, where they differ in length or lie one after the other. Rows count
 * from the start of the batch; tiles are numbered within a head of the batch, blocks throughout.
 */
typedef struct qkv__cuda_gradient_sequence {
    qkv__cuda_positions positions;
    int32_t batch, query, key; /* the first query and key */
    int32_t rows;              /* of dk and dv to be written: keys, and those past a key length */
    int32_t tile, block;       /* the first of each */
    int32_t number;            /* of the sequence in the call */
} qkv__cuda_gradient_sequence;

typedef struct qkv__cuda_span {
    int32_t begin, end; /* nothing where end <= begin */
} qkv__cuda_span;

QKV__ANYWHERE int32_t qkv__cuda_least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/* Blocks of keys that some query of a tile may look at. */
QKV__ANYWHERE qkv__cuda_span qkv__cuda_blocks_of_tile(const qkv__cuda_positions *p, int32_t tile)
{
    const int32_t first = tile * QKV__CUDA_GRADIENT_QUERIES;
    const int32_t last = qkv__cuda_least(first + QKV__CUDA_GRADIENT_QUERIES, p->queries) - 1;
    const int32_t begin = first + p->offset - p->left;
    const int32_t end = qkv__cuda_least(last + p->offset + p->right + 1, p->keys);
    const qkv__cuda_span span = {
        begin > 0 ? begin / QKV__CUDA_GRADIENT_KEYS : 0,
        end > 0 ? (end + QKV__CUDA_GRADIENT_KEYS - 1) / QKV__CUDA_GRADIENT_KEYS : 0,
    };
    return span;
}

/* Tiles of queries that look at a block of keys, or whose span has it all the same. */
QKV__ANYWHERE qkv__cuda_span qkv__cuda_tiles_of_block(const qkv__cuda_positions *p, int32_t block)
{
    const int32_t first = block * QKV__CUDA_GRADIENT_KEYS;
    const int32_t begin = first - p->right - p->offset;
    const int32_t last =
        qkv__cuda_least(first + QKV__CUDA_GRADIENT_KEYS - 1 + p->left - p->offset, p->queries - 1);
    qkv__cuda_span span = {
        begin > 0 ? begin / QKV__CUDA_GRADIENT_QUERIES : 0,
        last >= 0 ? last / QKV__CUDA_GRADIENT_QUERIES + 1 : 0,
    };
    /* The first tile may end, with the queries, before the block is looked at. */
    if (begin >= p->queries) span.begin = span.end;
    return span;
}

/* Of those tiles, the ones where every query looks at every key of the block. */
QKV__ANYWHERE qkv__cuda_span qkv__cuda_whole_tiles(const qkv__cuda_positions *p, int32_t block)
{
    const int32_t size = QKV__CUDA_GRADIENT_QUERIES;
    const int32_t first = block * QKV__CUDA_GRADIENT_KEYS;
    const int32_t last = first + QKV__CUDA_GRADIENT_KEYS - 1;
    const int32_t begin = last - p->right - p->offset; /* the first query that sees the last key */
    const int32_t past = first + p->left - p->offset + 1;
    const qkv__cuda_span span = {
        begin > 0 ? (begin + size - 1) / size : 0,
        past >= p->queries ? (p->queries + size - 1) / size
        : past > 0         ? past / size
                           : 0,
    };
    const qkv__cuda_span none = {0, 0};
    return last < p->keys ? span : none;
}

#endif
