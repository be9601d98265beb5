/* The kernel in pairs by the dot products of AVX-512: three vectors of 16 queries side by side. */
enum { VECTORS = 3, TILES = 4, BLOCK = 256, STEP = 2, START = 8, SLOTS = 1 };

#include "attention/pairs_rows.h"

#include "attention/pairs_dot.h"
#include "base/cpu.h"

#define KERNEL qkv__kernel_avx512_bf16
#define KERNEL_NAME "avx512_bf16"
#define KERNEL_FEATURES QKV__CPU_AVX512_BF16

#include "attention/pairs_template.c"
