/* The portable kernel in double precision. */
#define REAL double
#define REAL_TYPE QKV_F64
#define REAL_INFINITY ((double)INFINITY)
#define REAL_LARGEST DBL_MAX
#define REAL_EXP qkv__exp_f64
#define REAL_LOG log
#define REAL_TANH tanh
#define REAL_SPLIT 0x1.0000002p27 /* 2^27 + 1 */
#define KERNEL qkv__kernel_portable_f64

#include "attention/portable_template.c"
