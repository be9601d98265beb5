/* The kernel of src/attention/x86/pairs_amx.c on tiles that are emulated, under its own name: a
 * test that links it has it in the place of the library's, on any CPU with vdpbf16ps. */
enum { VECTORS = 2, TILES = 16, BLOCK = 256, STEP = 32, START = 32, SLOTS = 2 };

#include "attention/pairs_rows.h"

#include "kernels/tiles_emulated.h"

#include "attention/pairs_amx.h"
#include "base/cpu.h"

#define KERNEL qkv__kernel_amx
#define KERNEL_NAME "amx"
#define KERNEL_FEATURES QKV__CPU_AVX512_BF16

#include "attention/pairs_template.c"
