/* The kernel in lanes for AVX2 in double precision: 4 queries side by side in a vector. */
#include <immintrin.h>

#include "attention/lanes_real_f64.h"

enum { LANES = 4, PANEL = 4, VECTORS = 3 };

typedef REAL lanes __attribute__((vector_size(32)));
typedef REAL_BITS lane_bits __attribute__((vector_size(32)));

static inline lanes lanes_fma(lanes a, lanes b, lanes c)
{
    return (lanes)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}

/* The larger; b where one of them is NaN. */
static inline lanes lanes_max(lanes a, lanes b)
{
    return (lanes)_mm256_max_pd((__m256d)a, (__m256d)b);
}

#define KERNEL qkv__kernel_avx2_f64
#define KERNEL_GRADIENT qkv__gradient_avx2_f64
#define KERNEL_NAME "avx2"
#define KERNEL_FEATURES QKV__CPU_AVX2
#define KERNEL_CAREFUL qkv__kernel_portable_f64

#include "attention/lanes_template.c"
#include "attention/gradient_lanes_template.c"
