/*
 * Dropout for the kernels in lanes: the factors of a block of keys by a tile of rows, with the
 * generator run for as many rows at a time as a vector has lanes. The words are those of
 * dropout.h's one row and key. Included behind tile.h; the includer defines REAL and LANES.
 */
#ifndef QKV_ATTENTION_LANES_DROPOUT_H
#define QKV_ATTENTION_LANES_DROPOUT_H

#include "attention/dropout.h"
#include "attention/tile.h"

/* Four words a lane. */
typedef struct drop_words {
    uint32_t word[4][LANES];
} drop_words;

/* The ten rounds of base/philox.c, side by side. */
static inline void mix_words(drop_words *x, uint64_t seed)
{
    uint32_t key_0 = (uint32_t)seed, key_1 = (uint32_t)(seed >> 32);
    for (int round = 0; round < QKV__PHILOX_ROUNDS; round++) {
        for (size_t i = 0; i < LANES; i++) {
            const uint64_t product_0 = (uint64_t)QKV__PHILOX_MULTIPLIER_0 * x->word[0][i];
            const uint64_t product_1 = (uint64_t)QKV__PHILOX_MULTIPLIER_1 * x->word[2][i];
            x->word[0][i] = (uint32_t)(product_1 >> 32) ^ x->word[1][i] ^ key_0;
            x->word[1][i] = (uint32_t)product_1;
            x->word[2][i] = (uint32_t)(product_0 >> 32) ^ x->word[3][i] ^ key_1;
            x->word[3][i] = (uint32_t)product_0;
        }
        key_0 += QKV__PHILOX_WEYL_0;
        key_1 += QKV__PHILOX_WEYL_1;
    }
}

/* The factors of the weights of keys first to first + count - 1: to (count, columns). Those of the
 * lanes that belong to nobody are 0. */
static void find_dropped(const tile *t, size_t first, size_t count, REAL *to)
{
    const qkv__dropout *any = &t->head[0]->dropout;
    for (size_t lane = 0; lane < t->columns; lane += LANES)
        for (size_t key = first / QKV__DROPOUT_KEYS * QKV__DROPOUT_KEYS; key < first + count;
             key += QKV__DROPOUT_KEYS) {
            drop_words x;
            for (size_t i = 0; i < LANES; i++) {
                const qkv__head *head = t->head[lane + i];
                x.word[0][i] = (uint32_t)(key / QKV__DROPOUT_KEYS);
                x.word[1][i] = head == NULL ? 0 : (uint32_t)t->query[lane + i];
                x.word[2][i] = head == NULL ? 0 : head->dropout.head;
                x.word[3][i] = any->sequence;
            }
            mix_words(&x, any->seed);
            for (size_t w = 0; w < QKV__DROPOUT_KEYS; w++) {
                if (key + w < first || key + w >= first + count) continue;
                REAL *row = to + (key + w - first) * t->columns + lane;
                for (size_t i = 0; i < LANES; i++)
                    row[i] = x.word[w][i] >= any->least ? (REAL)any->factor : 0;
            }
        }
}

#endif
