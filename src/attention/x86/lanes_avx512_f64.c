/* The kernel in lanes for AVX-512 in double precision: 8 queries side by side in a vector. */
#include <immintrin.h>

#include "attention/lanes_real_f64.h"

enum { LANES = 8, PANEL = 8, VECTORS = 3 };

typedef REAL lanes __attribute__((vector_size(64)));
typedef REAL_BITS lane_bits __attribute__((vector_size(64)));

static inline lanes lanes_fma(lanes a, lanes b, lanes c)
{
    return (lanes)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}

/* The larger; b where one of them is NaN. */
static inline lanes lanes_max(lanes a, lanes b)
{
    return (lanes)_mm512_max_pd((__m512d)a, (__m512d)b);
}

#define KERNEL qkv__kernel_avx512_f64
#define KERNEL_GRADIENT qkv__gradient_avx512_f64
#define KERNEL_NAME "avx512"
#define KERNEL_FEATURES QKV__CPU_AVX512
#define KERNEL_CAREFUL qkv__kernel_portable_f64

#include "attention/lanes_template.c"
#include "attention/gradient_lanes_template.c"
