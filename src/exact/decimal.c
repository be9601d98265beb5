/* Decimals from text and to text. Knows nothing of tokens or of files. */
#include "exact/decimal.h"

#include <inttypes.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Zeros wait until another digit follows, so that 1.000 and 100...0e-30 are read as what they are.
 */
typedef struct reading {
    uint64_t digits;
    int count;      /* of digits, from the first that is not 0 */
    int64_t zeros;  /* that wait */
    int64_t places; /* behind the point */
} reading;

static void take_digit(reading *r, unsigned digit, bool fraction)
{
    r->places += fraction;
    if (digit == 0) {
        r->zeros += r->count > 0;
        return;
    }
    for (; r->zeros >= 0 && r->count <= 18; r->zeros--) {
        r->digits *= 10;
        r->count++;
    }
    r->digits += r->count <= 18 ? digit : 0;
    r->zeros = 0;
}

static size_t scan_exponent(const char *text, size_t length, int64_t *exponent)
{
    *exponent = 0;
    if (length < 2 || (text[0] != 'e' && text[0] != 'E')) return 0;
    const size_t first = text[1] == '+' || text[1] == '-' ? 2 : 1;
    size_t at = first;
    for (; at < length && is_digit(text[at]); at++)
        if (*exponent < 1000000000) *exponent = 10 * *exponent + (text[at] - '0');
    if (text[1] == '-') *exponent = -*exponent;
    return at == first ? 0 : at;
}

size_t qkv__decimal_scan(const char *text, size_t length, qkv__decimal *decimal, bool *fits)
{
    reading r = {0};
    size_t at = 0;
    int64_t exponent;
    for (; at < length && is_digit(text[at]); at++)
        take_digit(&r, (unsigned)(text[at] - '0'), false);
    if (at + 1 < length && text[at] == '.' && is_digit(text[at + 1]))
        for (at++; at < length && is_digit(text[at]); at++)
            take_digit(&r, (unsigned)(text[at] - '0'), true);
    if (at == 0) return 0;
    at += scan_exponent(text + at, length - at, &exponent);
    exponent += r.zeros - r.places;
    if (r.digits == 0) exponent = 0;
    *fits = r.count <= 18 && exponent >= -QKV__DECIMAL_RANGE && exponent <= QKV__DECIMAL_RANGE;
    *decimal = (qkv__decimal){*fits ? (int64_t)r.digits : 0, *fits ? (int32_t)exponent : 0};
    return at;
}

void qkv__decimal_write(qkv__decimal decimal, qkv__text *text)
{
    enum { PLACES = 18 };
    int64_t digits = decimal.digits < 0 ? -decimal.digits : decimal.digits, unit = 1;
    if (decimal.digits < 0) qkv__text_append(text, "-", 1);
    if (decimal.exponent >= 0 || decimal.exponent < -PLACES) {
        qkv__text_format(text, "%" PRId64, digits);
        if (decimal.exponent != 0) qkv__text_format(text, "e%" PRId32, decimal.exponent);
        return;
    }
    for (int32_t i = 0; i < -decimal.exponent; i++) unit *= 10;
    qkv__text_format(text, "%" PRId64 ".%0*" PRId64, digits / unit, (int)-decimal.exponent,
                     digits % unit);
}
