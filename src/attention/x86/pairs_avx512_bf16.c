/* The kernel in pairs by the dot products of AVX-512: three vectors of 16 queries side by side. */
#include "attention/x86/pairs_dot.h"
#include "base/cpu.h"

#define KERNEL qkv__kernel_avx512_bf16
#define KERNEL_NAME "avx512_bf16"
#define KERNEL_FEATURES QKV__CPU_AVX512_BF16

#include "attention/x86/pairs_template.c"
