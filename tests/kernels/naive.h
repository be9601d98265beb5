/*
 * Attention the obvious way, in one precision: what a kernel must not be less accurate than.
 *
 * One head, dense: q (queries, width), k transposed (width, keys), v (keys, value_width), c
 * (queries, value_width). A row sums its scores in order, finds the maximum, takes exponentials,
 * divides each by their sum, and adds up the values in order. The types: naive_f64, naive_f32 every
 * number in that type naive_f16, naive_bf16  sums in f32; scores, weights and results rounded to
 * the type, as a framework does that stores its score matrix in it naive_oracle           80-bit
 * (or 128-bit) floating point: the truth, for f64; for the others naive_f64, with 29 bits more than
 * f32, is truth enough Inputs come as doubles that are numbers of the type; results likewise.
 */
#ifndef TESTS_KERNELS_NAIVE_H
#define TESTS_KERNELS_NAIVE_H

#include <stddef.h>

typedef struct naive_problem {
    size_t queries, keys, width, value_width;
    double scale;
    const double *q, *kt, *v;
    long causal_offset; /* query i may look at keys j <= i + causal_offset */
    double softcap;     /* 0: none */
} naive_problem;

/* workspace: room for keys + value_width numbers of 16 bytes. */
void naive_f64(const naive_problem *problem, double *c, void *workspace);
void naive_f32(const naive_problem *problem, double *c, void *workspace);
void naive_f16(const naive_problem *problem, double *c, void *workspace);
void naive_bf16(const naive_problem *problem, double *c, void *workspace);
void naive_oracle(const naive_problem *problem, long double *c, void *workspace);

/*
 * The gradient the obvious way: weights as above, dp_j = g . v_j, ds_j = a_j (dp_j - g . c) times
 * the slope of the cap and the scale, and everything summed in order, query by query. The 16-bit
 * types round scores, weights, dp, ds and c as well. g is (queries, value_width). Results have the
 * shapes of q, k and v. workspace: room for (keys + 1) * (width + value_width + 3) numbers of 16
 * bytes.
 */
typedef struct naive_gradients {
    long double *q, *k, *v;
} naive_gradients;

void naive_gradient_f64(const naive_problem *problem, const double *g, const naive_gradients *d,
                        void *workspace);
void naive_gradient_f32(const naive_problem *problem, const double *g, const naive_gradients *d,
                        void *workspace);
void naive_gradient_f16(const naive_problem *problem, const double *g, const naive_gradients *d,
                        void *workspace);
void naive_gradient_bf16(const naive_problem *problem, const double *g, const naive_gradients *d,
                         void *workspace);
void naive_gradient_oracle(const naive_problem *problem, const double *g, const naive_gradients *d,
                           void *workspace);

#endif
