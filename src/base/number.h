/*
 * Loading and storing numbers of any element type, correctly rounded. The 16-bit formats are
 * done in integer arithmetic: C17 has no portable type for them.
 */
#ifndef QKV_BASE_NUMBER_H
#define QKV_BASE_NUMBER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <qkv/tensor.h>

static inline float qkv__float_from_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t qkv__float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double qkv__double_from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t qkv__double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Bytes of one element; 0 for QKV_NONE and for a number that is no type. */
static inline size_t qkv__type_size(qkv_type type)
{
    switch (type) {
    case QKV_F64: return 8;
    case QKV_F32: return 4;
    case QKV_F16:
    case QKV_BF16: return 2;
    case QKV_BOOL:
    case QKV_I8:
    case QKV_E4M3: return 1;
    case QKV_NONE: break;
    }
    return 0;
}

static inline float qkv__bf16_to_float(uint16_t bits)
{
    return qkv__float_from_bits((uint32_t)bits << 16);
}

/* Moves the 15 bits of magnitude under a float's; the product with 2^112 mends the exponent's
 * bias, and is exact for subnormals too. All-ones exponents (infinity, NaN) are put back. */
static inline float qkv__f16_to_float(uint16_t bits)
{
    uint32_t magnitude = (uint32_t)(bits & 0x7fffu) << 13;
    float value = qkv__float_from_bits(magnitude) * 0x1p112f;
    uint32_t result = qkv__float_bits(value);
    if (magnitude >= 0x0f800000u) result = magnitude | 0x7f800000u;
    return qkv__float_from_bits(result | (uint32_t)(bits & 0x8000u) << 16);
}

/* The same for 7 bits of magnitude and a bias of 7: 2^120. All ones are NaN, there is no infinity.
 */
static inline float qkv__e4m3_to_float(uint8_t bits)
{
    uint32_t magnitude = (uint32_t)(bits & 0x7fu) << 20;
    uint32_t result = qkv__float_bits(qkv__float_from_bits(magnitude) * 0x1p120f);
    if (magnitude == 0x07f00000u) result = 0x7fc00000u;
    return qkv__float_from_bits(result | (uint32_t)(bits & 0x80u) << 24);
}

/* Round to nearest even, straight from double: going through float would round twice. */
uint16_t qkv__double_to_f16(double value);
uint16_t qkv__double_to_bf16(double value);

/* Round to nearest even, cut to -128 and 127; NaN becomes 0. */
int8_t qkv__double_to_i8(double value);

/* Round to nearest even, cut to -448 and 448; NaN stays NaN. */
uint8_t qkv__double_to_e4m3(double value);

/* The element `offset` elements behind data, as a double: exact for every type. */
static inline double qkv__load(qkv_type type, const void *data, ptrdiff_t offset)
{
    switch (type) {
    case QKV_F64: return ((const double *)data)[offset];
    case QKV_F32: return (double)((const float *)data)[offset];
    case QKV_F16: return (double)qkv__f16_to_float(((const uint16_t *)data)[offset]);
    case QKV_BF16: return (double)qkv__bf16_to_float(((const uint16_t *)data)[offset]);
    case QKV_BOOL: return ((const unsigned char *)data)[offset] != 0 ? 1.0 : 0.0;
    case QKV_I8: return (double)((const int8_t *)data)[offset];
    case QKV_E4M3: return (double)qkv__e4m3_to_float(((const uint8_t *)data)[offset]);
    case QKV_NONE: break;
    }
    return 0.0;
}

static inline void qkv__store(qkv_type type, void *data, ptrdiff_t offset, double value)
{
    switch (type) {
    case QKV_F64: ((double *)data)[offset] = value; break;
    case QKV_F32: ((float *)data)[offset] = (float)value; break;
    case QKV_F16: ((uint16_t *)data)[offset] = qkv__double_to_f16(value); break;
    case QKV_BF16: ((uint16_t *)data)[offset] = qkv__double_to_bf16(value); break;
    case QKV_BOOL: ((unsigned char *)data)[offset] = value != 0.0; break;
    case QKV_I8: ((int8_t *)data)[offset] = qkv__double_to_i8(value); break;
    case QKV_E4M3: ((uint8_t *)data)[offset] = qkv__double_to_e4m3(value); break;
    case QKV_NONE: break;
    }
}

#endif
