/* Grids on FLINT's integers. Knows nothing of attention or claims. */
#include "ball/grid.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "ball/fraction.h"
#include "base/memory.h"

enum { LARGEST = 512 << 20 }; /* bytes of exact numbers in one grid */

qkv__grid *qkv__grid_make(size_t rows, size_t columns)
{
    size_t count, bytes;
    qkv__grid *grid = qkv__allocate_zero(sizeof *grid);
    if (grid == NULL) return NULL;
    if (!qkv__size_multiply(rows, columns, &count) ||
        !qkv__size_multiply(count, sizeof *grid->entry, &bytes)) {
        qkv__free(grid);
        return NULL;
    }
    *grid = (qkv__grid){.rows = rows, .columns = columns};
    grid->entry = qkv__allocate_zero(bytes == 0 ? sizeof *grid->entry : bytes); /* 0 is zero */
    if (grid->entry == NULL) {
        qkv__free(grid);
        return NULL;
    }
    fmpz_init_set_ui(grid->denominator, 1);
    return grid;
}

void qkv__grid_free(qkv__grid *grid)
{
    if (grid == NULL) return;
    for (size_t i = 0; i < grid->rows * grid->columns; i++) fmpz_clear(grid->entry + i);
    fmpz_clear(grid->denominator);
    qkv__free(grid->entry);
    qkv__free(grid);
}

/* Whether so many integers of so many bits each, and half as much again, may be kept. */
static bool is_affordable(size_t rows, size_t columns, size_t bits)
{
    size_t count, bytes;
    return qkv__size_multiply(rows, columns, &count) &&
           qkv__size_multiply(count, 8 + bits / 8, &bytes) && bytes <= LARGEST;
}

/* ---- Making -------------------------------------------------------------------------------- */

qkv__grid *qkv__grid_of_decimals(size_t rows, size_t columns, const qkv__decimal *number)
{
    int32_t least = 0, largest = 0;
    for (size_t i = 0; i < rows * columns; i++) {
        if (number[i].exponent < least) least = number[i].exponent;
        if (number[i].exponent > largest) largest = number[i].exponent;
    }
    size_t spread = (size_t)(largest - least); /* 10 has fewer than 4 bits */
    qkv__grid *grid =
        is_affordable(rows, columns, 64 + 4 * spread) ? qkv__grid_make(rows, columns) : NULL;
    if (grid == NULL) return NULL;
    fmpz_t power;
    fmpz_init(power);
    fmpz_ui_pow_ui(grid->denominator, 10, (ulong)-least);
    for (size_t i = 0; i < rows * columns; i++) {
        ulong shift = (ulong)(number[i].exponent - least);
        qkv__fmpz_set_int64(grid->entry + i, number[i].digits);
        if (shift == 0) continue;
        fmpz_ui_pow_ui(power, 10, shift);
        fmpz_mul(grid->entry + i, grid->entry + i, power);
    }
    fmpz_clear(power);
    return grid;
}

/* x = mantissa * 2^exponent with a whole mantissa. */
static int64_t take_apart(double x, int *exponent)
{
    double fraction = frexp(x, exponent);
    int64_t mantissa = (int64_t)ldexp(fraction, 53);
    *exponent -= 53;
    for (; mantissa != 0 && mantissa % 2 == 0; ++*exponent) mantissa /= 2;
    if (mantissa == 0) *exponent = 0;
    return mantissa;
}

qkv__grid *qkv__grid_of_doubles(size_t rows, size_t columns, const double *number)
{
    int least = 0, largest = 0, exponent;
    for (size_t i = 0; i < rows * columns; i++) {
        take_apart(number[i], &exponent);
        if (exponent < least) least = exponent;
        if (exponent > largest) largest = exponent;
    }
    qkv__grid *grid = is_affordable(rows, columns, 64 + (size_t)(largest - least))
                          ? qkv__grid_make(rows, columns)
                          : NULL;
    if (grid == NULL) return NULL;
    fmpz_mul_2exp(grid->denominator, grid->denominator, (ulong)-least);
    for (size_t i = 0; i < rows * columns; i++) {
        qkv__fmpz_set_int64(grid->entry + i, take_apart(number[i], &exponent));
        fmpz_mul_2exp(grid->entry + i, grid->entry + i, (ulong)(exponent - least));
    }
    return grid;
}

qkv__grid *qkv__grid_of_rationals(size_t rows, size_t columns, const qkv__rational *number)
{
    qkv__grid *grid = qkv__grid_make(rows, columns);
    if (grid == NULL) return NULL;
    fmpz_t one, numerator;
    fmpz_init(one);
    fmpz_init(numerator);
    for (size_t i = 0; i < rows * columns; i++) {
        qkv__fmpz_set_int64(one, number[i].denominator);
        fmpz_lcm(grid->denominator, grid->denominator, one);
    }
    bool good = is_affordable(rows, columns, 64 + fmpz_bits(grid->denominator));
    for (size_t i = 0; good && i < rows * columns; i++) {
        qkv__fmpz_set_int64(one, number[i].denominator);
        qkv__fmpz_set_int64(numerator, number[i].numerator);
        fmpz_divexact(one, grid->denominator, one);
        fmpz_mul(grid->entry + i, one, numerator);
    }
    fmpz_clear(one);
    fmpz_clear(numerator);
    if (good) return grid;
    qkv__grid_free(grid);
    return NULL;
}

/* ---- Arithmetic ---------------------------------------------------------------------------- */

void qkv__grid_get(const qkv__grid *grid, size_t row, size_t column, fmpq_t number)
{
    assert(row < grid->rows && column < grid->columns);
    fmpz_set(fmpq_numref(number), grid->entry + row * grid->columns + column);
    fmpz_set(fmpq_denref(number), grid->denominator);
    fmpq_canonicalise(number);
}

/* Makes the denominator a multiple of `wanted`. */
static void refine(qkv__grid *grid, const fmpz_t wanted)
{
    fmpz_t common, factor;
    fmpz_init(common);
    fmpz_init(factor);
    fmpz_lcm(common, grid->denominator, wanted);
    fmpz_divexact(factor, common, grid->denominator);
    for (size_t i = 0; !fmpz_is_one(factor) && i < grid->rows * grid->columns; i++)
        fmpz_mul(grid->entry + i, grid->entry + i, factor);
    fmpz_swap(grid->denominator, common);
    fmpz_clear(common);
    fmpz_clear(factor);
}

/* to[0 ... count) += factor * from[0 ... count), which belong to the two grids. */
static void add_entries(qkv__grid *to, size_t at, const fmpq_t factor, const qkv__grid *from,
                        size_t source, size_t count)
{
    fmpz_t wanted, multiplier;
    fmpz_init(wanted);
    fmpz_init(multiplier);
    fmpz_mul(wanted, from->denominator, fmpq_denref(factor));
    refine(to, wanted);
    fmpz_divexact(multiplier, to->denominator, wanted);
    fmpz_mul(multiplier, multiplier, fmpq_numref(factor));
    for (size_t i = 0; i < count; i++)
        fmpz_addmul(to->entry + at + i, multiplier, from->entry + source + i);
    fmpz_clear(wanted);
    fmpz_clear(multiplier);
}

void qkv__grid_add_row(qkv__grid *to, size_t row, const fmpq_t factor, const qkv__grid *from,
                       size_t source)
{
    add_entries(to, row * to->columns, factor, from, source * from->columns, from->columns);
}

void qkv__grid_add(qkv__grid *x, const fmpq_t factor, const qkv__grid *y)
{
    assert(x->rows == y->rows && x->columns == y->columns);
    add_entries(x, 0, factor, y, 0, y->rows * y->columns);
}

qkv__grid *qkv__grid_products(const qkv__grid *grid, const qkv__grid *vector)
{
    assert(grid->columns == vector->columns);
    qkv__grid *products = qkv__grid_make(grid->rows, 1);
    if (products == NULL) return NULL;
    for (size_t i = 0; i < grid->rows; i++)
        for (size_t j = 0; j < grid->columns; j++)
            fmpz_addmul(products->entry + i, grid->entry + i * grid->columns + j,
                        vector->entry + j);
    fmpz_mul(products->denominator, grid->denominator, vector->denominator);
    return products;
}
