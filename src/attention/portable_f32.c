/* The portable kernel in single precision, for f32, f16 and bf16. */
#define REAL float
#define REAL_TYPE QKV_F32
#define REAL_INFINITY INFINITY
#define REAL_LARGEST FLT_MAX
#define REAL_EXP qkv__exp_f32
#define REAL_LOG logf
#define REAL_TANH tanhf
#define REAL_SPLIT 0x1.002p12f /* 2^12 + 1 */
#define KERNEL qkv__kernel_portable_f32

#include "attention/portable_template.c"
