/* Rounding doubles to the formats of 16 and 8 bits. Knows nothing of tensors. */
#include "base/number.h"

/*
 * Rounds to a format of `fraction` stored bits whose exponent field is 15 - fraction bits wide:
 * (10, 5) is f16, (7, 8) is bf16. A value m * 2^e with 53-bit m keeps its top fraction + 1 bits,
 * fewer below the smallest normal number; the carry of rounding up runs into the exponent by
 * itself, as far as infinity.
 */
static uint16_t round_to_16(double value, int fraction)
{
    const int bias = (1 << (14 - fraction)) - 1;
    const uint16_t infinity = (uint16_t)(((1u << (15 - fraction)) - 1u) << fraction);
    uint64_t bits = qkv__double_bits(value);
    uint16_t sign = (uint16_t)(bits >> 63 << 15);
    uint64_t magnitude = bits & ~(UINT64_C(1) << 63);

    if (magnitude > UINT64_C(0x7ff0000000000000)) /* NaN: keep it quiet */
        return (uint16_t)(sign | infinity | 1u << (fraction - 1));

    int exponent = (int)(magnitude >> 52) - 1023;     /* of the leading bit */
    if (exponent < -bias - fraction - 1) return sign; /* under half the smallest: zero */
    if (exponent > bias) return (uint16_t)(sign | infinity);

    uint64_t mantissa = (magnitude & UINT64_C(0xfffffffffffff)) | UINT64_C(1) << 52;
    int drop = 52 - fraction;
    uint64_t base = 0; /* the exponent field, less the leading bit that the mantissa brings */
    if (exponent < 1 - bias)
        drop += 1 - bias - exponent; /* subnormal */
    else
        base = (uint64_t)(exponent + bias - 1) << fraction;

    uint64_t kept = mantissa >> drop;
    uint64_t rest = mantissa & ((UINT64_C(1) << drop) - 1);
    uint64_t half = UINT64_C(1) << (drop - 1);
    if (rest > half || (rest == half && (kept & 1))) kept++;
    return (uint16_t)(sign | (uint16_t)(base + kept));
}

uint16_t qkv__double_to_f16(double value)
{
    return round_to_16(value, 10);
}

uint16_t qkv__double_to_bf16(double value)
{
    return round_to_16(value, 7);
}

int8_t qkv__double_to_i8(double value)
{
    const double magic = 0x1.8p52; /* its last place is 1 */
    if (!(value > -128.0)) return value <= -128.0 ? -128 : 0;
    return value > 127.0 ? 127 : (int8_t)((value + magic) - magic);
}

/* A number of 2^e up to 2^(e + 1) has steps of 2^(e - 3); under 2^-6 they stay 2^-9. Counted in
 * steps it is at most 16, and the carry of rounding up runs into the exponent by itself. */
uint8_t qkv__double_to_e4m3(double value)
{
    const uint64_t bits = qkv__double_bits(value), magnitude = bits & ~(UINT64_C(1) << 63);
    const uint8_t sign = (uint8_t)(bits >> 63 << 7);
    const double magic = 0x1p52; /* its last place is 1 */
    if (magnitude > UINT64_C(0x7ff0000000000000)) return (uint8_t)(sign | 0x7fu);
    if (qkv__double_from_bits(magnitude) >= 448.0) return (uint8_t)(sign | 0x7eu);
    int exponent = (int)(magnitude >> 52) - 1023;
    if (exponent < -6) exponent = -6;
    const double step = qkv__double_from_bits((uint64_t)(1023 + 3 - exponent) << 52); /* per unit */
    const double count = (qkv__double_from_bits(magnitude) * step + magic) - magic;
    return (uint8_t)(sign | (uint8_t)((exponent + 6) * 8 + (int)count));
}
