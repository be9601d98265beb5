/* Seeded numbers for tests: the same on every machine. */
#ifndef TESTS_SUPPORT_RANDOM_H
#define TESTS_SUPPORT_RANDOM_H

#include <stddef.h>
#include <stdint.h>

typedef struct random_source {
    uint64_t state;
} random_source;

/* SplitMix64 (Steele, Lea and Flood 2014). */
static inline uint64_t random_bits(random_source *source)
{
    uint64_t z = source->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* In [0, 1). */
static inline double random_uniform(random_source *source)
{
    return (double)(random_bits(source) >> 11) * 0x1p-53;
}

/* In 0 ... limit - 1. */
static inline size_t random_below(random_source *source, size_t limit)
{
    return (size_t)(random_bits(source) % limit);
}

/* Bell-shaped with mean 0 and variance 1, the sum of three uniforms: quick, and near enough to
 * normal for test data. */
static inline double random_bell(random_source *source)
{
    double sum = random_uniform(source) + random_uniform(source) + random_uniform(source);
    return 2.0 * sum - 3.0;
}

#endif
