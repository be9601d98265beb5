/* Between the library's own rationals, of 64 bits, and the numbers of FLINT and Arb: those without
 * bound, and words, which have 32 bits on some machines. */
#ifndef QKV_BALL_FRACTION_H
#define QKV_BALL_FRACTION_H

#include "ball/arb_header.h"
#include "exact/rational.h"

void qkv__fmpz_set_int64(fmpz_t result, int64_t value);

/* False, and nothing written, where it does not fit. */
bool qkv__fmpz_get_int64(const fmpz_t value, int64_t *result);

void qkv__fmpq_set_rational(fmpq_t result, qkv__rational value); /* not lost */

/* Lost where numerator or denominator do not fit. */
qkv__rational qkv__rational_of_fmpq(const fmpq_t value);

/* x, x * y, x / y, ln x */
void qkv__arf_set_int64(arf_t z, int64_t x);
void qkv__arb_set_int64(arb_t z, int64_t x);
void qkv__arb_mul_int64(arb_t z, const arb_t x, int64_t y, slong precision);
void qkv__arb_div_int64(arb_t z, const arb_t x, int64_t y, slong precision);
void qkv__arf_div_int64(arf_t z, const arf_t x, int64_t y, slong precision, arf_rnd_t rounding);
void qkv__arb_log_int64(arb_t z, int64_t x, slong precision); /* x > 0 */

#endif
