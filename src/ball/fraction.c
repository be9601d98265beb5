/* Between 64-bit rationals and those of FLINT. */
#include "ball/fraction.h"

void qkv__fmpq_set_rational(fmpq_t result, qkv__rational value)
{
    fmpz_set_si(fmpq_numref(result), value.numerator);
    fmpz_set_si(fmpq_denref(result), value.denominator);
}

qkv__rational qkv__rational_of_fmpq(const fmpq_t value)
{
    if (!fmpz_fits_si(fmpq_numref(value)) || !fmpz_fits_si(fmpq_denref(value)))
        return QKV__RATIONAL_LOST;
    return qkv__rational_make(fmpz_get_si(fmpq_numref(value)), fmpz_get_si(fmpq_denref(value)));
}
