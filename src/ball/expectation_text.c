/* Tails of the normal law in closed form. Exact; knows nothing of enclosures. */
#include <inttypes.h>
#include <math.h>

#include "ball/expectation_part.h"

/* The root of a whole number that is a square; -1 for others. */
static int64_t whole_root(int64_t square)
{
    int64_t root = (int64_t)llround(sqrt((double)square));
    for (int64_t near = root - 1; near <= root + 1; near++)
        if (near >= 0 && near < INT64_C(3037000500) && near * near == square) return near;
    return -1;
}

/* The root of a positive rational: 3/2, or sqrt(1/2). */
static void write_root(qkv__rational square, qkv__text *text)
{
    int64_t above = whole_root(square.numerator), below = whole_root(square.denominator);
    bool exact = above >= 0 && below > 0;
    if (!exact) qkv__text_format(text, "sqrt(");
    qkv__rational_write(exact ? qkv__rational_make(above, below) : square, text);
    if (!exact) qkv__text_format(text, ")");
}

void qkv__normal_write_erfc(qkv__normal normal, qkv__rational threshold, qkv__text *text)
{
    qkv__rational distance = qkv__rational_subtract(threshold, normal.mean);
    qkv__rational twice = qkv__rational_multiply(qkv__rational_whole(2), normal.variance);
    qkv__rational square = qkv__rational_divide(qkv__rational_multiply(distance, distance), twice);
    qkv__text_format(text, "erfc(");
    if (qkv__rational_is_lost(square))
        qkv__text_format(text, "?");
    else
        write_root(square, text);
    qkv__text_format(text, ")");
}

/* P(x > t) = 1/2 erfc((t - mean)/sqrt(2 variance)), and erfc(-u) = 2 - erfc(u). */
bool qkv__normal_write_above(qkv__normal normal, qkv__rational threshold, qkv__text *text)
{
    qkv__rational distance = qkv__rational_subtract(threshold, normal.mean);
    if (qkv__rational_is_lost(distance) || qkv__rational_is_lost(normal.variance)) return false;
    if (qkv__rational_sign(normal.variance) < 0) return false;
    int side = qkv__rational_sign(distance);
    if (qkv__rational_is_zero(normal.variance)) {
        qkv__text_format(text, side < 0 ? "1" : "0");
    } else if (side == 0) {
        qkv__text_format(text, "1/2");
    } else {
        qkv__text_format(text, side > 0 ? "1/2*" : "1 - 1/2*");
        qkv__normal_write_erfc(normal, threshold, text);
    }
    return true;
}
