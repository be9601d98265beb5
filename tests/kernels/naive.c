/* Five precisions of one loop; see naive.h. */
#include "kernels/naive.h"

#include <math.h>

#include "base/number.h"

static float round_f16(float value)
{
    return qkv__f16_to_float(qkv__double_to_f16((double)value));
}

static float round_bf16(float value)
{
    return qkv__bf16_to_float(qkv__double_to_bf16((double)value));
}

#define REAL double
#define ROUND(x) (x)
#define RESULT double
#define NAIVE naive_f64
#define EXP exp
#define TANH tanh
#include "kernels/naive_template.c"

#define REAL float
#define ROUND(x) (x)
#define RESULT double
#define NAIVE naive_f32
#define EXP expf
#define TANH tanhf
#include "kernels/naive_template.c"

#define REAL float
#define ROUND(x) round_f16(x)
#define RESULT double
#define NAIVE naive_f16
#define EXP expf
#define TANH tanhf
#include "kernels/naive_template.c"

#define REAL float
#define ROUND(x) round_bf16(x)
#define RESULT double
#define NAIVE naive_bf16
#define EXP expf
#define TANH tanhf
#include "kernels/naive_template.c"

#define REAL long double
#define ROUND(x) (x)
#define RESULT long double
#define NAIVE naive_oracle
#define EXP expl
#define TANH tanhl
#include "kernels/naive_template.c"

/* ---- Gradients ---- */

#define REAL double
#define ROUND(x) (x)
#define NAIVE naive_gradient_f64
#define EXP exp
#define TANH tanh
#include "kernels/naive_gradient_template.c"

#define REAL float
#define ROUND(x) (x)
#define NAIVE naive_gradient_f32
#define EXP expf
#define TANH tanhf
#include "kernels/naive_gradient_template.c"

#define REAL float
#define ROUND(x) round_f16(x)
#define NAIVE naive_gradient_f16
#define EXP expf
#define TANH tanhf
#include "kernels/naive_gradient_template.c"

#define REAL float
#define ROUND(x) round_bf16(x)
#define NAIVE naive_gradient_bf16
#define EXP expf
#define TANH tanhf
#include "kernels/naive_gradient_template.c"

#define REAL long double
#define ROUND(x) (x)
#define NAIVE naive_gradient_oracle
#define EXP expl
#define TANH tanhl
#include "kernels/naive_gradient_template.c"
