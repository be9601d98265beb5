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

/* Dense numbers by whole vectors, where the instruction set has a way; returns how many. */
static size_t widen_row(const qkv__matrix *m, ptrdiff_t base, size_t count, REAL *to)
{
    size_t i = 0;
#ifdef LANES_WIDE
    const unsigned char *from = m->data;
    from += base * (ptrdiff_t)qkv_type_size(m->type);
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

/* A square of LANES rows from numbers `begin` on, transposed; `count` numbers are there. */
static void transpose_square(const REAL *const rows[LANES], size_t begin, size_t count, REAL *to,
                             size_t stride)
{
    lanes square[LANES] = {{0}};
    const size_t length = count - begin < LANES ? count - begin : LANES;
    for (size_t i = 0; i < LANES; i++)
        if (length == LANES)
            square[i] = lanes_load(rows[i] + begin);
        else
            memcpy(&square[i], rows[i] + begin, length * sizeof(REAL));
    transpose(square);
    for (size_t i = 0; i < length; i++) lanes_store(to + i * stride, square[i]);
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
    for (size_t i = 0; i < count; i++)
        qkv__store(m->type, m->data, base + (ptrdiff_t)i * m->column, (double)from[i]);
}

#endif
