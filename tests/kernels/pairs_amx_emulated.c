/* The kernel of src/attention/x86/pairs_amx.c on tiles that are emulated, under its own name: a
 * test that links it has it in the place of the library's, on any CPU with vdpbf16ps. */
#include "kernels/tiles_emulated.h"

#include "attention/x86/pairs_amx.h"
#include "base/cpu.h"

#define KERNEL qkv__kernel_amx
#define KERNEL_NAME "amx"
#define KERNEL_FEATURES QKV__CPU_AVX512_BF16

#include "attention/x86/pairs_template.c"
