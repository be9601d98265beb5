/*
 * Whole-number checks of what floating-point solvers suggest. Knows nothing of keys or queries.
 * A double is a whole number times a power of two, so a sum of whole numbers times doubles is
 * decided exactly once all are brought to one power.
 */
#include "reach/reach_part.h"

#include <math.h>

__extension__ typedef __int128 wide;

/* Sums of this many products below 2^62 2^52 stay below 2^127. */
enum { LARGEST_SUM = 1 << 12 };

/*
 * A fraction is guessed when it is this near. Basic solutions of small systems of small numbers
 * are right to about 1e-14, a random number is this near to a fraction of a denominator below
 * LARGEST_STEP by chance less than once in ten thousand. Either mistake may cost an answer, but
 * never makes one wrong, since every guess is then checked exactly.
 */
static const double NEAR = 0x1p-30;
enum { LARGEST_STEP = 1 << 16 };
static const double LARGEST_WHOLE = 0x1p52; /* a double counts exactly up to here */

/* The smallest denominator of a fraction near value, by continued fractions; 0 if none is small. */
static int64_t denominator_of(double value)
{
    double rest = fabs(value) - floor(fabs(value));
    int64_t before = 0, denominator = 1;
    for (int step = 0; step < 20; step++) {
        double scaled = fabs(value) * (double)denominator;
        if (fabs(scaled - nearbyint(scaled)) <= NEAR) return denominator;
        double inverse = 1.0 / rest, part = floor(inverse);
        if (!(part < LARGEST_STEP)) return 0;
        int64_t next = (int64_t)part * denominator + before;
        if (next > LARGEST_STEP) return 0;
        before = denominator;
        denominator = next;
        rest = inverse - part;
    }
    return 0;
}

static int64_t greatest_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

bool qkv__reach_whole(size_t count, const double *values, int64_t *whole)
{
    double common = 1.0;
    for (size_t i = 0; i < count; i++) {
        if (!(fabs(values[i]) * common < LARGEST_WHOLE)) return false;
        int64_t denominator = denominator_of(values[i] * common);
        if (denominator == 0) return false;
        common *= (double)denominator;
        if (common > LARGEST_WHOLE) return false;
    }
    int64_t divisor = 0;
    for (size_t i = 0; i < count; i++) {
        double scaled = nearbyint(values[i] * common);
        if (!(fabs(scaled) < LARGEST_WHOLE)) return false;
        whole[i] = (int64_t)scaled;
        divisor = greatest_divisor(divisor, whole[i]);
    }
    if (divisor == 0) return false;
    for (size_t i = 0; i < count; i++) whole[i] /= divisor;
    return true;
}

/* The power of two that the last set bit of a number that is not 0 stands for. */
static int last_bit(double value)
{
    int exponent;
    double mantissa = frexp(value, &exponent);
    int64_t bits = (int64_t)ldexp(mantissa, 53);
    int shift = 0;
    for (; bits % 2 == 0; bits /= 2) shift++;
    return exponent - 53 + shift;
}

bool qkv__reach_sum_is_zero(size_t count, const int64_t *whole, const double *values)
{
    if (count > LARGEST_SUM) return false;
    int least = 0;
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        if (whole[i] == 0 || values[i] == 0.0) continue;
        int bit = last_bit(values[i]);
        least = any && least < bit ? least : bit;
        any = true;
    }
    wide sum = 0;
    for (size_t i = 0; any && i < count; i++) {
        if (whole[i] == 0) continue;
        double scaled = ldexp(values[i], -least);
        if (!(fabs(scaled) < 0x1p62)) return false;
        sum += (wide)whole[i] * (int64_t)scaled;
    }
    return sum == 0;
}
