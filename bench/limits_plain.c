/*
 * Limits of any CPU, in vectors of 16 bytes, which SSE2 and NEON have: products and sums, the
 * exponential, reading. Memory is read by four streams, a quarter of it each.
 */
#include "limits_kernels.h"

#include <stdint.h>
#include <string.h>

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

enum { SUMS = 12, STEPS = 4096, STREAMS = 4 };

typedef float floats __attribute__((vector_size(16)));
typedef double doubles __attribute__((vector_size(16)));
typedef int32_t integers __attribute__((vector_size(16)));

static floats multiply_add_floats(floats a, floats b, floats c)
{
#if defined(__aarch64__)
    return (floats)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#else
    return a * b + c;
#endif
}

static doubles multiply_add_doubles(doubles a, doubles b, doubles c)
{
#if defined(__aarch64__)
    return (doubles)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
#else
    return a * b + c;
#endif
}

double limits_plain_f32(void *memory, size_t bytes)
{
    floats sum[SUMS], factor, term, total = {0};
    (void)bytes;
    for (int i = 0; i < 4; i++) factor[i] = 0.9f, term[i] = 0.1f;
    for (int i = 0; i < SUMS; i++) sum[i] = term;
    for (int n = 0; n < STEPS; n++)
        for (int i = 0; i < SUMS; i++) sum[i] = multiply_add_floats(sum[i], factor, term);
    for (int i = 0; i < SUMS; i++) total += sum[i];
    memcpy(memory, &total, sizeof total);
    return 2.0 * 4 * SUMS * STEPS;
}

double limits_plain_f64(void *memory, size_t bytes)
{
    doubles sum[SUMS], factor, term, total = {0};
    (void)bytes;
    for (int i = 0; i < 2; i++) factor[i] = 0.9, term[i] = 0.1;
    for (int i = 0; i < SUMS; i++) sum[i] = term;
    for (int n = 0; n < STEPS; n++)
        for (int i = 0; i < SUMS; i++) sum[i] = multiply_add_doubles(sum[i], factor, term);
    for (int i = 0; i < SUMS; i++) total += sum[i];
    memcpy(memory, &total, sizeof total);
    return 2.0 * 2 * SUMS * STEPS;
}

/* Taylor's coefficients of 2^r, |r| <= 1/2: what is timed is their number, not their last digits.
 */
static const float coefficients[] = {1.3333558e-3f, 9.6181291e-3f, 5.5504109e-2f,
                                     2.4022651e-1f, 6.9314718e-1f, 1.0f};

/* exp(x) = 2^n 2^r: rounding by adding 1.5 * 2^23, the exponent by adding to its bits. */
static floats exponential(floats x)
{
    floats shifted = x * 1.44269504f + 12582912.0f;
    floats r = x * 1.44269504f - (shifted - 12582912.0f), p = r * coefficients[0] + coefficients[1];
    for (int i = 2; i < 6; i++) p = multiply_add_floats(p, r, (floats){0} + coefficients[i]);
    return (floats)((integers)p + ((integers)shifted << 23));
}

double limits_plain_exp(void *memory, size_t bytes)
{
    const floats *x = memory;
    floats sum[STREAMS] = {{0}};
    size_t count = bytes / sizeof *x / 2 / STREAMS * STREAMS;
    for (size_t i = 0; i < count; i += STREAMS)
        for (size_t s = 0; s < STREAMS; s++) sum[s] += exponential(x[i + s]);
    sum[0] += sum[1] + sum[2] + sum[3];
    memcpy((char *)memory + bytes - sizeof sum[0], &sum[0], sizeof sum[0]);
    return 4.0 * (double)count;
}

double limits_plain_read(void *memory, size_t bytes)
{
    const integers *x = memory;
    integers sum[STREAMS] = {{0}};
    size_t part = bytes / sizeof *x / STREAMS;
    for (size_t i = 0; i < part; i++)
        for (size_t s = 0; s < STREAMS; s++) sum[s] ^= x[s * part + i];
    sum[0] ^= sum[1] ^ sum[2] ^ sum[3];
    memcpy(memory, &sum[0], sizeof sum[0]);
    return (double)(part * STREAMS * sizeof *x);
}
