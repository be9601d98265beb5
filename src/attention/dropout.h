/*
 * Dropout: which weights are kept. A weight is known by its sequence, head, query and key, and
 * these are the counter of a counter-based generator: so the mask is the same for every kernel, for
 * any number of threads, and in the gradient. Knows nothing of scores.
 */
#ifndef QKV_ATTENTION_DROPOUT_H
#define QKV_ATTENTION_DROPOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/philox.h"

/* One random block of four words serves four keys in a row. */
enum { QKV__DROPOUT_KEYS = 4 };

/* Dropout in one head of one sequence. */
typedef struct qkv__dropout {
    bool on;
    uint32_t least; /* the least random word of a weight that is kept */
    double factor;  /* of weights that are kept: 1 / (1 - dropout), or 0 if none is to be left */
    uint64_t seed;
    uint32_t sequence, head;
} qkv__dropout;

static inline qkv__dropout qkv__dropout_make(double share, uint64_t seed, size_t sequence,
                                             size_t head)
{
    if (share == 0.0) return (qkv__dropout){.on = false};
    const bool all = share >= 1.0;
    return (qkv__dropout){.on = true,
                          .least = all ? UINT32_MAX : (uint32_t)(share * 0x1p32),
                          .factor = all ? 0.0 : 1.0 / (1.0 - share),
                          .seed = seed,
                          .sequence = (uint32_t)sequence,
                          .head = (uint32_t)head};
}

/* What the weight of key j for query i is multiplied by. */
static inline double qkv__dropout_factor(const qkv__dropout *dropout, size_t i, size_t j)
{
    if (!dropout->on) return 1.0;
    const qkv__philox_words counter = {
        {(uint32_t)(j / QKV__DROPOUT_KEYS), (uint32_t)i, dropout->head, dropout->sequence}};
    const qkv__philox_words words = qkv__philox(counter, dropout->seed);
    return words.word[j % QKV__DROPOUT_KEYS] >= dropout->least ? dropout->factor : 0.0;
}

#endif
