/* Double precision for the kernels in lanes: see lanes_product.h. */
#ifndef QKV_ATTENTION_LANES_REAL_F64_H
#define QKV_ATTENTION_LANES_REAL_F64_H

#include <stdint.h>

#define REAL double
#define REAL_TYPE QKV_F64
#define REAL_BITS uint64_t
#define REAL_INFINITY ((double)INFINITY)
#define REAL_LARGEST DBL_MAX
#define REAL_TANH tanh
#define REAL_FRACTION_BITS 52
#define REAL_EXPONENT_BIAS 1023
#define REAL_MAGIC 0x1.8p52
#define REAL_EXP2_COEFFICIENTS                                                                     \
    {                                                                                              \
        0x1.62e42fefa39efp-1, 0x1.ebfbdff82c5a4p-3, 0x1.c6b08d7049fe8p-5, 0x1.3b2ab6fba0119p-7,    \
            0x1.5d87fe78cd6d4p-10, 0x1.4309130ed8dap-13, 0x1.ffcbfba97fab8p-17,                    \
            0x1.62bfc79d2fa58p-20, 0x1.b5267ce2583c7p-24, 0x1.e61b4fc4ab239p-28,                   \
            0x1.e79bb37875897p-32                                                                  \
    }

#endif
