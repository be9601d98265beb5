/* Forms as text that the claim language reads back: 2*e^beta + n - 2. */
#include <stdlib.h>

#include "exact/form.h"

/* A parameter to a power given in halves: beta, beta^2, sqrt(d), beta^(-1), beta^(3/2). */
static void write_power(const char *name, int power, qkv__text *text)
{
    if (power == 1) {
        qkv__text_format(text, "sqrt(%s)", name);
        return;
    }
    qkv__text_format(text, "%s", name);
    if (power == 2) return;
    if (power % 2 != 0)
        qkv__text_format(text, "^(%d/2)", power);
    else
        qkv__text_format(text, power < 0 ? "^(%d)" : "^%d", power / 2);
}

/* Whether an exponent needs no parentheses: a single parameter, such as beta, or a whole number. */
static bool is_bare(const qkv__form *exponent)
{
    qkv__rational number;
    if (qkv__form_is_constant(exponent, &number))
        return qkv__rational_is_whole(number) && number.numerator > 0;
    if (exponent->count != 1 || exponent->term[0].coefficient.denominator != 1 ||
        exponent->term[0].coefficient.numerator != 1)
        return false;
    int powers = 0;
    for (int p = 0; p < QKV__PARAMETERS; p++) powers += abs(exponent->term[0].power[p]);
    return powers == 2;
}

/* The number under the root if the exponent is half the logarithm of a whole number; else 0. */
static int64_t under_root(const qkv__algebra *algebra, const qkv__form *exponent)
{
    int64_t product = 1;
    for (size_t i = 0; i < exponent->count; i++) {
        const qkv__term *term = &exponent->term[i];
        int prime = -1;
        for (int p = 0; p < QKV__PARAMETERS; p++)
            if (term->power[p] != 0) prime = prime < 0 && term->power[p] == 2 ? p : QKV__PARAMETERS;
        if (prime < 0 || prime >= QKV__PARAMETERS || algebra->parameter[prime].prime == 0 ||
            term->coefficient.numerator != 1 || term->coefficient.denominator != 2 ||
            product > INT64_MAX / algebra->parameter[prime].prime)
            return 0;
        product *= algebra->parameter[prime].prime;
    }
    return product;
}

static void write_exponential(const qkv__algebra *algebra, const qkv__form *exponent,
                              qkv__text *text)
{
    qkv__rational number;
    int64_t square = under_root(algebra, exponent);
    if (square > 0) {
        qkv__text_format(text, "sqrt(%lld)", (long long)square);
        return;
    }
    qkv__text_append(text, "e", 1);
    if (qkv__form_is_constant(exponent, &number) && number.numerator == 1 &&
        number.denominator == 1)
        return;
    bool bare = is_bare(exponent);
    qkv__text_format(text, bare ? "^" : "^(");
    qkv__form_write(algebra, exponent, text);
    if (!bare) qkv__text_append(text, ")", 1);
}

/* The factors behind the coefficient, joined by '*'; whether there was any. */
static bool write_factors(const qkv__algebra *algebra, const qkv__term *term, bool joined,
                          qkv__text *text)
{
    for (int p = 0; p < QKV__PARAMETERS; p++) {
        if (term->power[p] == 0) continue;
        if (joined) qkv__text_append(text, "*", 1);
        write_power(algebra->parameter[p].name, term->power[p], text);
        joined = true;
    }
    if (term->exponent == NULL) return joined;
    if (joined) qkv__text_append(text, "*", 1);
    write_exponential(algebra, term->exponent, text);
    return true;
}

static void write_term(const qkv__algebra *algebra, const qkv__term *term, bool first,
                       qkv__text *text)
{
    qkv__rational size = term->coefficient;
    bool negative = qkv__rational_sign(size) < 0;
    if (negative) size = qkv__rational_negate(size);
    qkv__text_format(text, "%s", first ? (negative ? "-" : "") : (negative ? " - " : " + "));
    bool one = size.numerator == 1 && size.denominator == 1;
    if (!one) qkv__rational_write(size, text);
    if (!write_factors(algebra, term, !one, text) && one) qkv__text_append(text, "1", 1);
}

void qkv__term_write(const qkv__algebra *algebra, const qkv__term *term, qkv__text *text)
{
    write_term(algebra, term, true, text);
}

/* ---- Terms with the same exponential: (n - 2)*e^s for n*e^s - 2*e^s -------------------------- */

static bool is_alike(const qkv__term *a, const qkv__term *b)
{
    return a->exponent != NULL && b->exponent != NULL &&
           (a->exponent == b->exponent || qkv__form_compare(a->exponent, b->exponent) == 0);
}

/* How many terms have the exponential of term i; 0 if an earlier one has it, and they are written.
 */
static size_t count_alike(const qkv__form *form, size_t i)
{
    size_t count = 0;
    for (size_t j = 0; j < form->count; j++) {
        if (j != i && !is_alike(&form->term[j], &form->term[i])) continue;
        if (j < i) return 0;
        count++;
    }
    return count;
}

/* The whole number that divides all their factors, with the sign of the first; 1 if some are
 * fractions. */
static int64_t common_factor(const qkv__form *form, size_t i)
{
    int64_t common = 0;
    for (size_t j = i; j < form->count; j++) {
        const qkv__rational factor = form->term[j].coefficient;
        if (j != i && !is_alike(&form->term[j], &form->term[i])) continue;
        if (factor.denominator != 1 || factor.numerator == INT64_MIN) return 1;
        int64_t a = factor.numerator < 0 ? -factor.numerator : factor.numerator;
        while (common != 0) {
            const int64_t rest = a % common;
            a = common;
            common = rest;
        }
        common = a;
    }
    return form->term[i].coefficient.numerator < 0 ? -common : common;
}

static void write_alike(const qkv__algebra *algebra, const qkv__form *form, size_t i, bool first,
                        qkv__text *text)
{
    const int64_t common = common_factor(form, i);
    const qkv__rational part = qkv__rational_make(1, common);
    qkv__term outside = {.coefficient = qkv__rational_whole(1), .exponent = form->term[i].exponent};
    qkv__text_format(text, "%s", first ? (common < 0 ? "-" : "") : common < 0 ? " - " : " + ");
    if (common != 1 && common != -1)
        qkv__text_format(text, "%lld*", (long long)(common < 0 ? -common : common));
    for (size_t j = i; j < form->count; j++) {
        if (j != i && !is_alike(&form->term[j], &form->term[i])) continue;
        qkv__term inside = form->term[j];
        inside.exponent = NULL;
        inside.coefficient = qkv__rational_multiply(inside.coefficient, part);
        if (j == i) qkv__text_append(text, "(", 1);
        write_term(algebra, &inside, j == i, text);
    }
    qkv__text_append(text, ")", 1);
    write_factors(algebra, &outside, true, text);
}

bool qkv__form_is_sum(const qkv__form *form)
{
    return form != NULL && form->count > 1 && count_alike(form, 0) < form->count;
}

void qkv__form_write(const qkv__algebra *algebra, const qkv__form *form, qkv__text *text)
{
    if (form == NULL) {
        qkv__text_append(text, "?", 1);
        return;
    }
    if (form->count == 0) qkv__text_append(text, "0", 1);
    for (size_t i = 0; i < form->count; i++) {
        const size_t alike = count_alike(form, i);
        if (alike > 1)
            write_alike(algebra, form, i, i == 0, text);
        else if (alike == 1)
            write_term(algebra, &form->term[i], i == 0, text);
    }
}
