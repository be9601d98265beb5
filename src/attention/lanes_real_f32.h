/* Single precision for the kernels in lanes: see lanes_product.h. */
#ifndef QKV_ATTENTION_LANES_REAL_F32_H
#define QKV_ATTENTION_LANES_REAL_F32_H

#include <stdint.h>

#define REAL float
#define REAL_TYPE QKV_F32
#define REAL_BITS uint32_t
#define REAL_INFINITY INFINITY
#define REAL_LARGEST FLT_MAX
#define REAL_TANH tanhf
#define REAL_FRACTION_BITS 23
#define REAL_EXPONENT_BIAS 127
#define REAL_MAGIC 0x1.8p23f
#define REAL_EXP2_COEFFICIENTS                                                                     \
    {                                                                                              \
        0x1.62e43p-1f, 0x1.ebfbdcp-3f, 0x1.c6aee8p-5f, 0x1.3b2d4cp-7f, 0x1.5f3e54p-10f,            \
            0x1.41fbbap-13f                                                                        \
    }

#endif
