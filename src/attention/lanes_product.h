/*
 * Products of matrices and exponentials with vectors of LANES numbers, for the kernels that are
 * compiled once an instruction set. Included behind one of the folders' lanes_*.h, which say what
 * a vector is: REAL, LANES, PANEL, VECTORS, the type `lanes`, lanes_fma and lanes_max. Each number
 * of a result goes through the same operations in the same order whatever the width of a vector
 * is, so that all these kernels give the same bits.
 */
#ifndef QKV_ATTENTION_LANES_PRODUCT_H
#define QKV_ATTENTION_LANES_PRODUCT_H

#include <stddef.h>
#include <string.h>

/*
 * The head of a loop i = 0, ..., count - 1 that becomes as many copies of its body, so that arrays
 * over i become registers; count is a constant where this is inlined. To clang, gcc's pragma is a
 * factor to unroll by, and a loop that is shorter stays a loop. The sanitizers' builds want loops.
 */
#if defined(QKV_PLAIN_LOOPS)
#define UNROLLED(i, count) for (size_t i = 0; i < (count); i++)
#elif defined(__clang__)
#define UNROLLED(i, count) _Pragma("clang loop unroll(full)") for (size_t i = 0; i < (count); i++)
#else
#define UNROLLED(i, count) _Pragma("GCC unroll 16") for (size_t i = 0; i < (count); i++)
#endif

static inline lanes lanes_load(const REAL *from)
{
    lanes result;
    memcpy(&result, from, sizeof result);
    return result;
}

static inline void lanes_store(REAL *to, lanes value)
{
    memcpy(to, &value, sizeof value);
}

/* The same, kept in a register: gcc would read memory again at each use of the vector, and loads
 * are what a product of matrices runs out of first. */
static inline lanes lanes_load_once(const REAL *from)
{
    lanes result = lanes_load(from);
#if defined(__x86_64__)
    __asm__("" : "+v"(result));
#elif defined(__aarch64__)
    __asm__("" : "+w"(result));
#endif
    return result;
}

static inline lanes lanes_all(REAL value)
{
    return value - (lanes){0};
}

/* Lane i of the result is lane pick[i] of a, or lane pick[i] - LANES of b. */
static inline lanes lanes_pick(lanes a, lanes b, lane_bits pick)
{
#if defined(__clang__)
    lanes result = a;
    UNROLLED (i, LANES) result[i] = pick[i] < LANES ? a[pick[i]] : b[pick[i] - LANES];
    return result;
#else
    return __builtin_shuffle(a, b, pick);
#endif
}

/*
 * Transposes a square of LANES vectors in registers: in step s, rows whose numbers differ in the
 * bit s alone exchange the halves in which their lanes differ in that bit.
 */
static inline __attribute__((always_inline)) void transpose(lanes square[LANES])
{
    enum { STEPS = 1 + (LANES > 2) + (LANES > 4) + (LANES > 8) };
    UNROLLED (s, STEPS) {
        const size_t step = (size_t)1 << s;
        lane_bits low = {0}, high = {0};
        UNROLLED (i, LANES) {
            low[i] = (REAL_BITS)((i & step) == 0 ? i : LANES + i - step);
            high[i] = (REAL_BITS)((i & step) == 0 ? i + step : LANES + i);
        }
        UNROLLED (i, LANES)
            if ((i & step) == 0) {
                const lanes a = square[i], b = square[i + step];
                square[i] = lanes_pick(a, b, low);
                square[i + step] = lanes_pick(a, b, high);
            }
    }
}

/* ---- Exponentials ------------------------------------------------------------------------ */

/* c = log2(e) as the sum of two numbers, and a difference d with 2^(c d) = 0: so far below the
 * normal numbers that c d rounds to one less than their least exponent. */
typedef struct exponent {
    lanes high, low, least;
} exponent;

static inline exponent exponent_make(void)
{
    const REAL high = (REAL)0x1.71547652b82fep+0;
    const double rest = (0x1.71547652b82fep+0 - (double)high) + 0x1.777d0ffda0d24p-56;
    return (exponent){lanes_all(high), lanes_all((REAL)rest),
                      lanes_all((REAL)(-REAL_EXPONENT_BIAS * 0x1.62e42fefa39efp-1))};
}

/*
 * 2^(c d), lane by lane, for d <= 0: exactly 1 for 0, 0 below the normal numbers and for
 * -infinity, NaN for NaN. With n the whole number nearest to c d, the result is 2^r 2^n with
 * r = c d - n. Adding 1.5 * 2^(fraction bits) rounds c d to n and leaves n in the low bits, from
 * where it is shifted into an exponent; r is one fused operation away. 2^r is a polynomial with
 * the least relative error (2e-9 in single, 4e-18 in double precision) among those that give 1 at
 * 0.
 */
static inline lanes lanes_exp2(lanes d, const exponent *c)
{
    static const REAL coefficients[] = REAL_EXP2_COEFFICIENTS; /* of r^1, r^2, ... */
    enum { DEGREE = sizeof coefficients / sizeof coefficients[0] };
    d = lanes_max(c->least, d);
    const lanes magic = lanes_all(REAL_MAGIC), shifted = lanes_fma(d, c->high, magic);
    const lanes r = lanes_fma(d, c->low, lanes_fma(d, c->high, magic - shifted));
    lanes p = lanes_all(coefficients[DEGREE - 1]);
    UNROLLED (i, DEGREE - 1) p = lanes_fma(p, r, lanes_all(coefficients[DEGREE - 2 - i]));
    p = lanes_fma(p, r, lanes_all(1));
    lane_bits power;
    memcpy(&power, &shifted, sizeof power);
    power = (power + REAL_EXPONENT_BIAS) << REAL_FRACTION_BITS;
    lanes scale;
    memcpy(&scale, &power, sizeof scale);
    return p * scale;
}

/* ---- Products ---------------------------------------------------------------------------- */

/* A matrix whose numbers are read one by one: element (i, k) is data[i * row + k * column]; one of
 * the strides is 1. */
typedef struct broadcast {
    const REAL *data;
    ptrdiff_t row, column;
} broadcast;

/* c = factor * c + sum for one vector; without factor c is overwritten. */
static inline void store_sum(REAL *c, lanes sum, const REAL *factor)
{
    if (factor != NULL) sum = lanes_fma(lanes_load(c), lanes_load(factor), sum);
    lanes_store(c, sum);
}

/*
 * c (rows, vectors * LANES) = factor * c + a (rows, depth) b (depth, vectors * LANES), where
 * factor is one number per column; without factor c is overwritten. Even and odd terms are summed
 * apart, which halves the length of sums and so their error. rows and vectors are constants where
 * this is inlined: 2 * rows * vectors registers hold the sums.
 */
static inline __attribute__((always_inline)) void
multiply_panel(const size_t rows, const size_t vectors, size_t depth, broadcast a, const REAL *b,
               size_t b_stride, REAL *c, size_t c_stride, const REAL *factor)
{
    lanes even[PANEL][VECTORS], odd[PANEL][VECTORS];
    UNROLLED (i, rows)
        UNROLLED (j, vectors) even[i][j] = odd[i][j] = (lanes){0};
    const REAL *x = a.data;
    for (size_t k = depth / 2; k > 0; k--, b += 2 * b_stride, x += 2 * a.column) {
        lanes first[VECTORS], second[VECTORS];
        UNROLLED (j, vectors) first[j] = lanes_load_once(b + j * LANES);
        UNROLLED (i, rows)
            UNROLLED (j, vectors)
                even[i][j] = lanes_fma(lanes_all(x[(ptrdiff_t)i * a.row]), first[j], even[i][j]);
        UNROLLED (j, vectors) second[j] = lanes_load_once(b + b_stride + j * LANES);
        UNROLLED (i, rows)
            UNROLLED (j, vectors)
                odd[i][j] =
                    lanes_fma(lanes_all(x[(ptrdiff_t)i * a.row + a.column]), second[j], odd[i][j]);
    }
    if (depth % 2 != 0)
        UNROLLED (i, rows)
            UNROLLED (j, vectors)
                even[i][j] = lanes_fma(lanes_all(x[(ptrdiff_t)i * a.row]),
                                       lanes_load(b + j * LANES), even[i][j]);
    UNROLLED (i, rows)
        UNROLLED (j, vectors)
            store_sum(c + i * c_stride + j * LANES, even[i][j] + odd[i][j],
                      factor == NULL ? NULL : factor + j * LANES);
}

/* Panels of `panel` rows each from row i on, while they last; returns the row behind them. */
static inline __attribute__((always_inline)) size_t
multiply_panels(size_t i, size_t rows, const size_t panel, const size_t vectors, size_t depth,
                broadcast a, const REAL *b, size_t b_stride, REAL *c, size_t c_stride,
                const REAL *factor)
{
    for (; panel > 0 && i + panel <= rows; i += panel) {
        const broadcast part = {a.data + (ptrdiff_t)i * a.row, a.row, a.column};
        multiply_panel(panel, vectors, depth, part, b, b_stride, c + i * c_stride, c_stride,
                       factor);
    }
    return i;
}

/* All rows, in panels of as many as the registers hold, then of fewer. Not a loop over sizes: a
 * panel's must be a constant before loops are unrolled. */
static inline __attribute__((always_inline)) void
multiply_vectors(size_t rows, const size_t vectors, size_t depth, broadcast a, const REAL *b,
                 size_t b_stride, REAL *c, size_t c_stride, const REAL *factor)
{
    const size_t most = vectors == 1 ? PANEL : PANEL / 2;
    size_t i = 0;
    i = multiply_panels(i, rows, most, vectors, depth, a, b, b_stride, c, c_stride, factor);
    i = multiply_panels(i, rows, most / 2, vectors, depth, a, b, b_stride, c, c_stride, factor);
    i = multiply_panels(i, rows, most / 4, vectors, depth, a, b, b_stride, c, c_stride, factor);
    multiply_panels(i, rows, most / 8, vectors, depth, a, b, b_stride, c, c_stride, factor);
}

/* c (rows, columns) = factor * c + a (rows, depth) b (depth, columns), with columns a multiple of
 * LANES; without factor c is overwritten. */
static inline __attribute__((always_inline)) void
multiply_inline(size_t rows, size_t columns, size_t depth, broadcast a, const REAL *b,
                size_t b_stride, REAL *c, size_t c_stride, const REAL *factor)
{
    for (size_t j = 0; j < columns; j += VECTORS * LANES) {
        const REAL *part = factor == NULL ? NULL : factor + j;
        const size_t left = (columns - j) / LANES;
        if (left >= 3)
            multiply_vectors(rows, 3, depth, a, b + j, b_stride, c + j, c_stride, part);
        else if (left == 2)
            multiply_vectors(rows, 2, depth, a, b + j, b_stride, c + j, c_stride, part);
        else
            multiply_vectors(rows, 1, depth, a, b + j, b_stride, c + j, c_stride, part);
    }
}

/* The same, compiled for the two ways in which a is read: its rows lie densely, or its columns do.
 * Strides that are known to be 1 leave the compiler enough registers for addresses. */
static void multiply_rows(size_t rows, size_t columns, size_t depth, broadcast a, const REAL *b,
                          size_t b_stride, REAL *c, size_t c_stride, const REAL *factor)
{
    const broadcast dense = {a.data, a.row, 1};
    multiply_inline(rows, columns, depth, dense, b, b_stride, c, c_stride, factor);
}

static void multiply_columns(size_t rows, size_t columns, size_t depth, broadcast a, const REAL *b,
                             size_t b_stride, REAL *c, size_t c_stride, const REAL *factor)
{
    const broadcast dense = {a.data, 1, a.column};
    multiply_inline(rows, columns, depth, dense, b, b_stride, c, c_stride, factor);
}

static void multiply(size_t rows, size_t columns, size_t depth, broadcast a, const REAL *b,
                     size_t b_stride, REAL *c, size_t c_stride, const REAL *factor)
{
    if (a.row == 1)
        multiply_columns(rows, columns, depth, a, b, b_stride, c, c_stride, factor);
    else
        multiply_rows(rows, columns, depth, a, b, b_stride, c, c_stride, factor);
}

#endif
