/* Heat maps with fewer cells than numbers: each stands for a block of them. It knows nothing of how
 * cells are drawn. */
#include <math.h>

#include "figure/part.h"

qkv__heat_blocks qkv__heat_cut(const qkv_heat *heat, size_t high, size_t wide)
{
    return (qkv__heat_blocks){high, wide, (heat->rows + high - 1) / high,
                              (heat->columns + wide - 1) / wide};
}

double qkv__heat_largest(const qkv_heat *heat, const qkv__heat_blocks *b, size_t row, size_t column)
{
    const size_t rows = heat->rows, columns = heat->columns;
    double largest = -INFINITY;
    for (size_t i = row * b->high; i < (row + 1) * b->high && i < rows; i++)
        for (size_t j = column * b->wide; j < (column + 1) * b->wide && j < columns; j++) {
            double value = heat->values[i * columns + j];
            if (isnan(value)) return NAN;
            largest = fmax(largest, value);
        }
    return largest;
}

double qkv__heat_beside(const qkv_heat *heat, const qkv__heat_blocks *b, size_t row)
{
    double sum = 0, count = 0;
    for (size_t i = row * b->high; i < (row + 1) * b->high && i < heat->rows; i++, count++)
        sum += heat->beside[i];
    return sum / count;
}
