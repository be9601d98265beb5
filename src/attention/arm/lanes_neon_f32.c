/* The kernel in lanes for NEON in single precision: 4 queries side by side in a vector. */
#include <arm_neon.h>

#include "attention/lanes_real_f32.h"

enum { LANES = 4, PANEL = 8, VECTORS = 3 };

typedef REAL lanes __attribute__((vector_size(16)));
typedef REAL_BITS lane_bits __attribute__((vector_size(16)));

static inline lanes lanes_fma(lanes a, lanes b, lanes c)
{
    return (lanes)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
}

/* The larger; NaN where one of them is NaN. */
static inline lanes lanes_max(lanes a, lanes b)
{
    return (lanes)vmaxq_f32((float32x4_t)a, (float32x4_t)b);
}

#define KERNEL qkv__kernel_neon_f32
#define KERNEL_GRADIENT qkv__gradient_neon_f32
#define KERNEL_NAME "neon"
#define KERNEL_FEATURES QKV__CPU_NEON
#define KERNEL_CAREFUL qkv__kernel_portable_f32

#include "attention/lanes_template.c"
#include "attention/gradient_lanes_template.c"
