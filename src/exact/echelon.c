/* Echelon forms by elimination. No floating point, nothing of claims. */
#include "exact/echelon.h"

#include <assert.h>

static void swap_rows(qkv__rational *matrix, size_t columns, size_t a, size_t b, qkv__ratio *right)
{
    for (size_t c = 0; c < columns && a != b; c++) {
        qkv__rational kept = matrix[a * columns + c];
        matrix[a * columns + c] = matrix[b * columns + c];
        matrix[b * columns + c] = kept;
    }
    if (right != NULL && a != b) {
        qkv__ratio kept = right[a];
        right[a] = right[b];
        right[b] = kept;
    }
}

/* Row a becomes row a times a factor. */
static void scale_row(qkv__algebra *algebra, qkv__rational *row, size_t columns,
                      qkv__rational factor, qkv__ratio *right)
{
    assert(!qkv__rational_is_zero(factor));
    for (size_t c = 0; c < columns; c++) row[c] = qkv__rational_multiply(row[c], factor);
    if (right != NULL)
        *right = qkv__ratio_multiply(algebra, *right, qkv__ratio_constant(algebra, factor));
}

/* Row a becomes row a minus a factor times row b; false when a number is lost. */
static bool subtract_row(qkv__algebra *algebra, qkv__rational *a, const qkv__rational *b,
                         size_t columns, qkv__rational factor, qkv__ratio *right_a,
                         const qkv__ratio *right_b)
{
    bool good = true;
    for (size_t c = 0; c < columns; c++) {
        a[c] = qkv__rational_subtract(a[c], qkv__rational_multiply(factor, b[c]));
        good = good && !qkv__rational_is_lost(a[c]);
    }
    if (right_a == NULL) return good;
    qkv__ratio part = qkv__ratio_multiply(algebra, *right_b, qkv__ratio_constant(algebra, factor));
    *right_a = qkv__ratio_subtract(algebra, *right_a, part);
    return good && !qkv__ratio_is_lost(*right_a);
}

int qkv__echelon_reduce(qkv__algebra *algebra, qkv__rational *matrix, size_t rows, size_t columns,
                        int *pivot, qkv__ratio *right)
{
    assert(pivot != NULL);
    size_t rank = 0;
    for (size_t c = 0; c < columns; c++) {
        size_t row = rank;
        pivot[c] = -1;
        while (row < rows && qkv__rational_is_zero(matrix[row * columns + c])) row++;
        if (row >= rows) continue;
        swap_rows(matrix, columns, rank, row, right);
        qkv__rational inverse =
            qkv__rational_divide(qkv__rational_whole(1), matrix[rank * columns + c]);
        scale_row(algebra, matrix + rank * columns, columns, inverse,
                  right == NULL ? NULL : &right[rank]);
        for (size_t r = 0; r < rows; r++) {
            qkv__rational factor = matrix[r * columns + c];
            if (r == rank || qkv__rational_is_zero(factor)) continue;
            if (!subtract_row(algebra, matrix + r * columns, matrix + rank * columns, columns,
                              factor, right == NULL ? NULL : &right[r],
                              right == NULL ? NULL : &right[rank]))
                return -1;
        }
        for (size_t i = 0; i < columns; i++)
            if (qkv__rational_is_lost(matrix[rank * columns + i])) return -1;
        pivot[c] = (int)rank++;
    }
    return (int)rank;
}
