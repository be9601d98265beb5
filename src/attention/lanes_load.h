/*
 * Reading the caller's memory for the kernels in lanes: rows of any type and stride as numbers of
 * the kernel's precision. Included by lanes_template.c behind lanes_product.h; knows matrices, not
 * tiles.
 */
#ifndef QKV_ATTENTION_LANES_LOAD_H
#define QKV_ATTENTION_LANES_LOAD_H

#include <math.h>
#include <string.h>

#include "attention/lanes_product.h"
#include "attention/problem.h"
#include "base/number.h"

#ifndef LANES_WIDE /* no instructions for other types */
static inline lanes lanes_widen(const qkv_type type, const unsigned char *from)
{
    lanes result;
    (void)type;
    memcpy(&result, from, sizeof result);
    return result;
}

static inline void lanes_narrow(const qkv_type type, lanes value, unsigned char *to)
{
    (void)type;
    memcpy(to, &value, sizeof value);
}
#endif

/* Whether rows of the matrix are read, and are written, by whole vectors: they lie densely, in a
 * type that lanes_widen and lanes_narrow know. */
static inline bool takes_vectors(const qkv__matrix *m)
{
#ifdef LANES_WIDE
    const bool known = m->type == QKV_F32 || m->type == QKV_F16 || m->type == QKV_BF16;
#else
    const bool known = m->type == REAL_TYPE;
#endif
    return known && m->column == 1 && m->data != NULL;
}

/* Where number `first` of a row lies. */
static inline unsigned char *row_at(const qkv__matrix *m, size_t row, size_t first)
{
    const ptrdiff_t number = (ptrdiff_t)row * m->row + (ptrdiff_t)first * m->column;
    return (unsigned char *)m->data + number * (ptrdiff_t)qkv__type_size(m->type);
}

/* Dense numbers by whole vectors, where the instruction set has a way; returns how many. */
static size_t widen_row(const qkv__matrix *m, ptrdiff_t base, size_t count, REAL *to)
{
    size_t i = 0;
#ifdef LANES_WIDE
    const unsigned char *from = m->data;
    from += base * (ptrdiff_t)qkv__type_size(m->type);
    if (m->type == QKV_F16)
        for (; i + LANES <= count; i += LANES)
            lanes_store(to + i, lanes_widen(QKV_F16, from + 2 * i));
    else if (m->type == QKV_BF16)
        for (; i + LANES <= count; i += LANES)
            lanes_store(to + i, lanes_widen(QKV_BF16, from + 2 * i));
    else if (m->type == QKV_I8)
        for (; i + LANES <= count; i += LANES) lanes_store(to + i, lanes_widen(QKV_I8, from + i));
#else
    (void)m, (void)base, (void)count, (void)to;
#endif
    return i;
}

/* Numbers first to first + count - 1 of a row, of any type and stride. */
static void load_row(const qkv__matrix *m, size_t row, size_t first, size_t count, REAL *to)
{
    const ptrdiff_t stride = m->column;
    const ptrdiff_t base = (ptrdiff_t)row * m->row + (ptrdiff_t)first * stride;
    if (count == 0) return; /* an empty matrix has no data to point into */
    const size_t done = stride == 1 ? widen_row(m, base, count, to) : 0;
    if (done > 0) {
        load_row(m, row, first + done, count - done, to + done);
        return;
    }
    if (m->type == REAL_TYPE && stride == 1) {
        memcpy(to, (const REAL *)m->data + base, count * sizeof(REAL));
    } else if (m->type == REAL_TYPE) {
        const REAL *from = (const REAL *)m->data + base;
        for (size_t i = 0; i < count; i++) to[i] = from[(ptrdiff_t)i * stride];
    } else if (m->type == QKV_BF16) {
        const uint16_t *from = (const uint16_t *)m->data + base;
        for (size_t i = 0; i < count; i++)
            to[i] = (REAL)qkv__bf16_to_float(from[(ptrdiff_t)i * stride]);
    } else if (m->type == QKV_F16) {
        const uint16_t *from = (const uint16_t *)m->data + base;
        for (size_t i = 0; i < count; i++)
            to[i] = (REAL)qkv__f16_to_float(from[(ptrdiff_t)i * stride]);
    } else if (m->type == QKV_BOOL) {
        const unsigned char *from = (const unsigned char *)m->data + base;
        for (size_t i = 0; i < count; i++) to[i] = from[(ptrdiff_t)i * stride] != 0;
    } else {
        for (size_t i = 0; i < count; i++)
            to[i] = (REAL)qkv__load(m->type, m->data, base + (ptrdiff_t)i * stride);
    }
}

/* Rows first to first + count - 1 of keys or values: in place if they can be read so, or else
 * copied. */
static broadcast load_block(const qkv__matrix *m, size_t first, size_t count, size_t width,
                            REAL *copy)
{
    if (m->type == REAL_TYPE && m->column == 1 && m->data != NULL)
        return (broadcast){(const REAL *)m->data + (ptrdiff_t)first * m->row, m->row, 1};
    if (m->row == (ptrdiff_t)width && m->column == 1)
        load_row(m, first, 0, count * width, copy); /* rows without gaps are one long row */
    else
        for (size_t j = 0; j < count; j++) load_row(m, first + j, 0, width, copy + j * width);
    return (broadcast){copy, (ptrdiff_t)width, 1};
}

/* A finite entry of a wider type stays finite: only -infinity itself masks. */
static void keep_finite(const qkv__matrix *m, size_t row, size_t first, size_t count, REAL *numbers)
{
    if (m->type != QKV_F64 || REAL_TYPE == QKV_F64) return;
    for (size_t j = 0; j < count; j++) {
        const double entry = qkv__matrix_get(m, row, first + j);
        if (isfinite(entry) && isinf(numbers[j]))
            numbers[j] = entry < 0 ? -REAL_LARGEST : REAL_LARGEST;
    }
}

/* Squares of LANES rows, transposed: `count` numbers of each row, a multiple of LANES. */
static inline __attribute__((always_inline)) void
transpose_type(const qkv_type type, const unsigned char *const rows[LANES], size_t count, REAL *to,
               size_t stride)
{
    for (size_t part = 0; part < count; part += LANES) {
        lanes square[LANES];
        UNROLLED (i, LANES) square[i] = lanes_widen(type, rows[i] + part * qkv__type_size(type));
        transpose(square);
        UNROLLED (i, LANES) lanes_store(to + (part + i) * stride, square[i]);
    }
}

static void transpose_rows(qkv_type type, const unsigned char *const rows[LANES], size_t count,
                           REAL *to, size_t stride)
{
#ifdef LANES_WIDE
    if (type == QKV_F16) {
        transpose_type(QKV_F16, rows, count, to, stride);
        return;
    }
    if (type == QKV_BF16) {
        transpose_type(QKV_BF16, rows, count, to, stride);
        return;
    }
#endif
    (void)type;
    transpose_type(REAL_TYPE, rows, count, to, stride);
}

/* A square of LANES rows from numbers `begin` on, transposed; `count` numbers are there. */
static void transpose_square(const REAL *const rows[LANES], size_t begin, size_t count, REAL *to,
                             size_t stride)
{
    lanes square[LANES] = {{0}};
    const size_t length = count - begin < LANES ? count - begin : LANES;
    if (length == LANES)
        UNROLLED (i, LANES) square[i] = lanes_load(rows[i] + begin);
    else
        for (size_t i = 0; i < LANES; i++)
            memcpy(&square[i], rows[i] + begin, length * sizeof(REAL));
    transpose(square);
    for (size_t i = 0; i < length; i++) lanes_store(to + i * stride, square[i]);
}

/* The other way: `count` columns of LANES numbers, a multiple of LANES, into LANES rows. NULL: a
 * row that is left alone. */
static inline __attribute__((always_inline)) void store_type(const qkv_type type, const REAL *from,
                                                             size_t stride, size_t count,
                                                             unsigned char *const rows[LANES])
{
    for (size_t part = 0; part < count; part += LANES) {
        lanes square[LANES];
        UNROLLED (i, LANES) square[i] = lanes_load(from + (part + i) * stride);
        transpose(square);
        UNROLLED (i, LANES)
            if (rows[i] != NULL)
                lanes_narrow(type, square[i], rows[i] + part * qkv__type_size(type));
    }
}

static void store_transposed(qkv_type type, const REAL *from, size_t stride, size_t count,
                             unsigned char *const rows[LANES])
{
#ifdef LANES_WIDE
    if (type == QKV_F16) {
        store_type(QKV_F16, from, stride, count, rows);
        return;
    }
    if (type == QKV_BF16) {
        store_type(QKV_BF16, from, stride, count, rows);
        return;
    }
#endif
    (void)type;
    store_type(REAL_TYPE, from, stride, count, rows);
}

/* A NaN with its sign and without digits, as qkv__store rounds it; other numbers as they are. */
static inline lanes plain_nan(lanes value)
{
    const lanes minus = lanes_all((REAL)-0.0), quiet = lanes_all((REAL)NAN);
    lane_bits bits, sign, plain;
    memcpy(&bits, &value, sizeof bits);
    memcpy(&sign, &minus, sizeof sign);
    memcpy(&plain, &quiet, sizeof plain);
    const lane_bits is_nan = (lane_bits)(value != value);
    bits = (((bits & sign) | plain) & is_nan) | (bits & ~is_nan);
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The first numbers of a row by whole vectors; returns how many. */
static size_t narrow_row(const qkv__matrix *m, unsigned char *to, size_t count, const REAL *from)
{
    size_t i = 0;
    if (m->type == QKV_F16)
        for (; i + LANES <= count; i += LANES)
            lanes_narrow(QKV_F16, plain_nan(lanes_load(from + i)), to + 2 * i);
    else if (m->type == QKV_BF16)
        for (; i + LANES <= count; i += LANES)
            lanes_narrow(QKV_BF16, plain_nan(lanes_load(from + i)), to + 2 * i);
    return i;
}

/* A float in bf16, rounded to nearest even: quicker than through double, which qkv__store takes. */
static inline uint16_t round_to_bf16(float value)
{
    const uint32_t bits = qkv__float_bits(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return (uint16_t)((bits >> 16 & 0x8000u) | 0x7fc0u);
    return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}

/* Numbers into a row, from number `first` on, rounded to its type. */
static void store_row(const qkv__matrix *m, size_t row, size_t first, size_t count,
                      const REAL *from)
{
    const ptrdiff_t base = (ptrdiff_t)row * m->row + (ptrdiff_t)first * m->column;
    if (m->type == REAL_TYPE && m->column == 1) {
        memcpy((REAL *)m->data + base, from, count * sizeof(REAL));
        return;
    }
    size_t i = takes_vectors(m) ? narrow_row(m, row_at(m, row, first), count, from) : 0;
    if (m->type == QKV_BF16 && REAL_TYPE == QKV_F32)
        for (; i < count; i++)
            ((uint16_t *)m->data)[base + (ptrdiff_t)i * m->column] = round_to_bf16((float)from[i]);
    for (; i < count; i++)
        qkv__store(m->type, m->data, base + (ptrdiff_t)i * m->column, (double)from[i]);
}

#endif
