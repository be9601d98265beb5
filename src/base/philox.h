/*
 * Philox4x32-10, a counter-based generator (Salmon, Moraes, Dror and Shaw, "Parallel random
 * numbers: as easy as 1, 2, 3", 2011): 128 bits of counter and 64 bits of key are mixed by ten
 * rounds into 128 random bits. There is no state, so number i is number i wherever it is computed.
 */
#ifndef QKV_BASE_PHILOX_H
#define QKV_BASE_PHILOX_H

#include <stdint.h>

#define QKV__PHILOX_MULTIPLIER_0 UINT32_C(0xd2511f53)
#define QKV__PHILOX_MULTIPLIER_1 UINT32_C(0xcd9e8d57)
#define QKV__PHILOX_WEYL_0 UINT32_C(0x9e3779b9) /* the golden ratio */
#define QKV__PHILOX_WEYL_1 UINT32_C(0xbb67ae85) /* sqrt(3) - 1 */
enum { QKV__PHILOX_ROUNDS = 10 };

typedef struct qkv__philox_words {
    uint32_t word[4];
} qkv__philox_words;

/* The random words of a counter under a key, whose low half is key word 0. */
qkv__philox_words qkv__philox(qkv__philox_words counter, uint64_t key);

#endif
