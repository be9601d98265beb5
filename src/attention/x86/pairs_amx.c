/* The kernel in pairs by the tiles of AMX: two of them, 32 queries, side by side. */
#include "attention/x86/pairs_tiles.h"

#include "attention/x86/pairs_amx.h"
#include "base/cpu.h"

#define KERNEL qkv__kernel_amx
#define KERNEL_NAME "amx"
#define KERNEL_FEATURES (QKV__CPU_AMX_BF16 | QKV__CPU_AVX512_BF16)

#include "attention/x86/pairs_template.c"
