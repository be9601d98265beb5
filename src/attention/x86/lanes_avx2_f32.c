/* The kernel in lanes for AVX2 in single precision: 8 queries side by side in a vector. */
#include <immintrin.h>

#include "attention/lanes_real_f32.h"

enum { LANES = 8, PANEL = 4, VECTORS = 3 };

typedef REAL lanes __attribute__((vector_size(32)));
typedef REAL_BITS lane_bits __attribute__((vector_size(32)));

static inline lanes lanes_fma(lanes a, lanes b, lanes c)
{
    return (lanes)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}

/* The larger; b where one of them is NaN. */
static inline lanes lanes_max(lanes a, lanes b)
{
    return (lanes)_mm256_max_ps((__m256)a, (__m256)b);
}

#include "attention/x86/lanes_wide_avx2_f32.h"

#define KERNEL qkv__kernel_avx2_f32
#define KERNEL_GRADIENT qkv__gradient_avx2_f32
#define KERNEL_NAME "avx2"
#define KERNEL_FEATURES QKV__CPU_AVX2
#define KERNEL_CAREFUL qkv__kernel_portable_f32

#include "attention/lanes_template.c"
#include "attention/gradient_lanes_template.c"
