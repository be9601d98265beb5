/*
 * Decimal numbers as they are written: whole digits and a power of ten, without loss. For long
 * lists of numbers, where a quotient in lowest terms for each would cost more than it is worth,
 * and where 0.000012345678901234 must not be too fine.
 */
#ifndef QKV_EXACT_DECIMAL_H
#define QKV_EXACT_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

typedef struct qkv__decimal {
    int64_t digits;   /* at most 18 of them */
    int32_t exponent; /* the number is digits * 10^exponent; the exponent is 0 for 0 */
} qkv__decimal;

enum { QKV__DECIMAL_RANGE = 400 }; /* of exponents: a little more than doubles have */

/*
 * number = ( digits [ "." digits ] | "." digits ) [ ( "e" | "E" ) [ "+" | "-" ] digits ]
 *
 * The number at the beginning of text[0 ... length). Returns its bytes, 0 when there is none.
 * `fits` says whether the decimal holds it; else it has too many digits, or too large an exponent.
 */
size_t qkv__decimal_scan(const char *text, size_t length, qkv__decimal *decimal, bool *fits);

/* "-0.125", "12", "5e-20", readable by the claim language. */
void qkv__decimal_write(qkv__decimal decimal, qkv__text *text);

#endif
