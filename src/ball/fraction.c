/* Between 64-bit rationals and the numbers of FLINT. What fits into a word takes the word's way. */
#include "ball/fraction.h"

static bool fits_word(int64_t value)
{
    return value >= WORD_MIN && value <= WORD_MAX;
}

void qkv__fmpz_set_int64(fmpz_t result, int64_t value)
{
    if (fits_word(value)) {
        fmpz_set_si(result, (slong)value);
        return;
    }
    fmpz_set_si(result, (slong)(value >> 32)); /* rounded down, so that the rest is not negative */
    fmpz_mul_2exp(result, result, 32);
    fmpz_add_ui(result, result, (ulong)((uint64_t)value & UINT32_MAX));
}

bool qkv__fmpz_get_int64(const fmpz_t value, int64_t *result)
{
    fmpz_t upper, lower;
    if (fmpz_fits_si(value)) {
        *result = fmpz_get_si(value);
        return true;
    }
    if (fmpz_bits(value) > 63) return false;
    fmpz_init(upper);
    fmpz_init(lower);
    fmpz_fdiv_q_2exp(upper, value, 32);
    fmpz_fdiv_r_2exp(lower, value, 32);
    *result = (int64_t)fmpz_get_si(upper) * (INT64_C(1) << 32) + (int64_t)fmpz_get_ui(lower);
    fmpz_clear(upper);
    fmpz_clear(lower);
    return true;
}

void qkv__fmpq_set_rational(fmpq_t result, qkv__rational value)
{
    qkv__fmpz_set_int64(fmpq_numref(result), value.numerator);
    qkv__fmpz_set_int64(fmpq_denref(result), value.denominator);
}

qkv__rational qkv__rational_of_fmpq(const fmpq_t value)
{
    int64_t numerator, denominator;
    if (!qkv__fmpz_get_int64(fmpq_numref(value), &numerator) ||
        !qkv__fmpz_get_int64(fmpq_denref(value), &denominator))
        return QKV__RATIONAL_LOST;
    return qkv__rational_make(numerator, denominator);
}

/* ---- Balls and their ends ------------------------------------------------------------------ */

void qkv__arf_set_int64(arf_t z, int64_t x)
{
    fmpz_t whole;
    if (fits_word(x)) {
        arf_set_si(z, (slong)x);
        return;
    }
    fmpz_init(whole);
    qkv__fmpz_set_int64(whole, x);
    arf_set_fmpz(z, whole);
    fmpz_clear(whole);
}

void qkv__arb_set_int64(arb_t z, int64_t x)
{
    qkv__arf_set_int64(arb_midref(z), x);
    mag_zero(arb_radref(z));
}

void qkv__arb_mul_int64(arb_t z, const arb_t x, int64_t y, slong precision)
{
    arf_t factor;
    arf_init(factor);
    qkv__arf_set_int64(factor, y);
    arb_mul_arf(z, x, factor, precision);
    arf_clear(factor);
}

void qkv__arb_div_int64(arb_t z, const arb_t x, int64_t y, slong precision)
{
    arf_t divisor;
    arf_init(divisor);
    qkv__arf_set_int64(divisor, y);
    arb_div_arf(z, x, divisor, precision);
    arf_clear(divisor);
}

void qkv__arf_div_int64(arf_t z, const arf_t x, int64_t y, slong precision, arf_rnd_t rounding)
{
    arf_t divisor;
    arf_init(divisor);
    qkv__arf_set_int64(divisor, y);
    arf_div(z, x, divisor, precision, rounding);
    arf_clear(divisor);
}

void qkv__arb_log_int64(arb_t z, int64_t x, slong precision)
{
    if (fits_word(x)) {
        arb_log_ui(z, (ulong)x, precision);
        return;
    }
    qkv__arb_set_int64(z, x);
    arb_log(z, z, precision);
}
