/* The kernel in lanes for AVX-512 in single precision: 16 queries side by side in a vector. */
#include <immintrin.h>

#include "attention/lanes_real_f32.h"

enum { LANES = 16, PANEL = 8, VECTORS = 3 };

typedef REAL lanes __attribute__((vector_size(64)));
typedef REAL_BITS lane_bits __attribute__((vector_size(64)));

static inline lanes lanes_fma(lanes a, lanes b, lanes c)
{
    return (lanes)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}

/* The larger; b where one of them is NaN. */
static inline lanes lanes_max(lanes a, lanes b)
{
    return (lanes)_mm512_max_ps((__m512)a, (__m512)b);
}

#include "attention/x86/lanes_wide_avx512_f32.h"

#define KERNEL qkv__kernel_avx512_f32
#define KERNEL_GRADIENT qkv__gradient_avx512_f32
#define KERNEL_NAME "avx512"
#define KERNEL_FEATURES QKV__CPU_AVX512
#define KERNEL_CAREFUL qkv__kernel_portable_f32

#include "attention/lanes_template.c"
#include "attention/gradient_lanes_template.c"
