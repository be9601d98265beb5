/* Signs by shifting every variable to its bound; see sign.h. Knows nothing of floating point. */
#include "exact/sign.h"

#include <assert.h>

#include "exact/generators.h"

enum { DEGREE_LIMIT = 24 };

/* The form being shifted, in the scratch algebra of its rewriting. */
typedef struct shifting {
    qkv__rewriting to_variables;
    bool end_left_out; /* y never reaches infinity, but the parameter may reach its upper bound */
} shifting;

qkv__sign qkv__sign_negate(qkv__sign sign)
{
    switch (sign) {
    case QKV__SIGN_POSITIVE: return QKV__SIGN_NEGATIVE;
    case QKV__SIGN_NEGATIVE: return QKV__SIGN_POSITIVE;
    case QKV__SIGN_NONNEGATIVE: return QKV__SIGN_NONPOSITIVE;
    case QKV__SIGN_NONPOSITIVE: return QKV__SIGN_NONNEGATIVE;
    case QKV__SIGN_UNKNOWN:
    case QKV__SIGN_ZERO: break;
    }
    return sign;
}

static bool is_negative_side(qkv__sign sign)
{
    return sign == QKV__SIGN_NEGATIVE || sign == QKV__SIGN_NONPOSITIVE;
}

static bool is_strict(qkv__sign sign)
{
    return sign == QKV__SIGN_POSITIVE || sign == QKV__SIGN_NEGATIVE;
}

qkv__sign qkv__sign_multiply(qkv__sign a, qkv__sign b)
{
    if (a == QKV__SIGN_ZERO || b == QKV__SIGN_ZERO) return QKV__SIGN_ZERO;
    if (a == QKV__SIGN_UNKNOWN || b == QKV__SIGN_UNKNOWN) return QKV__SIGN_UNKNOWN;
    qkv__sign size = is_strict(a) && is_strict(b) ? QKV__SIGN_POSITIVE : QKV__SIGN_NONNEGATIVE;
    return is_negative_side(a) != is_negative_side(b) ? qkv__sign_negate(size) : size;
}

/* ---- Shifting ------------------------------------------------------------------------------ */

/* The least and greatest power of a parameter, and whether halves occur. */
static void power_range(const qkv__form *form, int parameter, int *least, int *greatest, bool *odd)
{
    assert(parameter >= 0 && parameter < QKV__PARAMETERS);
    *least = *greatest = 0;
    *odd = false;
    for (size_t i = 0; i < form->count; i++) {
        int power = form->term[i].power[parameter];
        if (power < *least) *least = power;
        if (power > *greatest) *greatest = power;
        *odd = *odd || power % 2 != 0;
    }
}

/* Multiplies by a power of a positive parameter so that none is negative, and where halves occur
 * lets the parameter stand for its own root: powers in halves become whole ones. */
static const qkv__form *clear_powers(shifting *s, const qkv__form *form, int parameter)
{
    assert(parameter >= 0 && parameter < QKV__PARAMETERS);
    int least, greatest;
    bool odd;
    power_range(form, parameter, &least, &greatest, &odd);
    if (least == 0 && !odd) return form;
    qkv__parameter *known = &s->to_variables.scratch.parameter[parameter];
    if (!known->lower.known || qkv__rational_sign(known->lower.value) < 0 ||
        (qkv__rational_sign(known->lower.value) == 0 && !known->lower.strict))
        return NULL; /* may be zero or negative: neither inverse nor root is safe */
    qkv__term factor = {.coefficient = qkv__rational_whole(1)};
    factor.power[parameter] = (int16_t)-least;
    form = qkv__form_multiply(s->to_variables.algebra, form,
                              qkv__form_term(s->to_variables.algebra, &factor));
    if (!odd || form == NULL) return form;
    qkv__form_sum doubled = {.failed = false};
    for (size_t i = 0; i < form->count && !doubled.failed; i++) {
        qkv__term term = form->term[i];
        term.power[parameter] = (int16_t)(2 * term.power[parameter]);
        qkv__form_sum_add(s->to_variables.algebra, &doubled,
                          qkv__form_term(s->to_variables.algebra, &term));
    }
    /* The root of L is at least 1 where L is, and else at least 0; upper bounds are let go. */
    bool above_one = qkv__rational_compare(known->lower.value, qkv__rational_whole(1)) >= 0;
    known->lower.value = qkv__rational_whole(above_one ? 1 : 0);
    known->lower.strict = !above_one;
    known->upper.known = false;
    return qkv__form_sum_total(s->to_variables.algebra, &doubled);
}

/* sum_k c_k x^k with x = (L + U y)/(1 + y), times (1 + y)^degree. */
static const qkv__form *between(shifting *s, const qkv__form *form, int parameter, int degree)
{
    assert(parameter >= 0 && parameter < QKV__PARAMETERS);
    const qkv__parameter *known = &s->to_variables.scratch.parameter[parameter];
    const qkv__form *y = qkv__form_parameter(s->to_variables.algebra, parameter);
    const qkv__form *one = qkv__form_whole(s->to_variables.algebra, 1);
    const qkv__form *below = qkv__form_add(s->to_variables.algebra, one, y);
    const qkv__form *above = qkv__form_add(
        s->to_variables.algebra, qkv__form_constant(s->to_variables.algebra, known->lower.value),
        qkv__form_scale(s->to_variables.algebra, y, known->upper.value));
    qkv__form_sum sum = {.failed = false};
    for (size_t i = 0; i < form->count && !sum.failed; i++) {
        qkv__term rest = form->term[i];
        int power = rest.power[parameter] / 2;
        rest.power[parameter] = 0;
        const qkv__form *part = qkv__form_multiply(
            s->to_variables.algebra, qkv__form_term(s->to_variables.algebra, &rest),
            qkv__form_power(s->to_variables.algebra, above, power));
        part = qkv__form_multiply(s->to_variables.algebra, part,
                                  qkv__form_power(s->to_variables.algebra, below, degree - power));
        qkv__form_sum_add(s->to_variables.algebra, &sum, part);
    }
    return qkv__form_sum_total(s->to_variables.algebra, &sum);
}

/* The form in y >= 0 instead of the parameter; NULL where no bound helps. *strict: y > 0. */
static const qkv__form *shift(shifting *s, const qkv__form *form, int parameter, bool *strict)
{
    assert(parameter >= 0 && parameter < QKV__PARAMETERS);
    const qkv__parameter *known = &s->to_variables.scratch.parameter[parameter];
    const qkv__form *y = qkv__form_parameter(s->to_variables.algebra, parameter);
    int least, degree;
    bool odd;
    power_range(form, parameter, &least, &degree, &odd);
    if (degree / 2 > DEGREE_LIMIT) return NULL;
    *strict = known->lower.strict;
    if (known->lower.known && known->upper.known &&
        qkv__rational_compare(known->lower.value, known->upper.value) == 0)
        return qkv__form_substitute(
            s->to_variables.algebra, form, parameter,
            qkv__form_constant(s->to_variables.algebra, known->lower.value));
    if (known->lower.known && known->upper.known) {
        s->end_left_out = s->end_left_out || !known->upper.strict;
        return between(s, form, parameter, degree / 2);
    }
    if (known->lower.known)
        return qkv__form_substitute(
            s->to_variables.algebra, form, parameter,
            qkv__form_add(s->to_variables.algebra,
                          qkv__form_constant(s->to_variables.algebra, known->lower.value), y));
    *strict = known->upper.strict;
    if (!known->upper.known) return NULL;
    return qkv__form_substitute(
        s->to_variables.algebra, form, parameter,
        qkv__form_subtract(s->to_variables.algebra,
                           qkv__form_constant(s->to_variables.algebra, known->upper.value), y));
}

/* All coefficients of one sign; strict if some term cannot vanish. */
static qkv__sign read_signs(const qkv__form *form, const bool *strict)
{
    bool positive = false, negative = false, firm = false;
    for (size_t i = 0; i < form->count; i++) {
        const qkv__term *term = &form->term[i];
        bool vanishes = false;
        for (int p = 0; p < QKV__PARAMETERS; p++)
            vanishes = vanishes || (term->power[p] != 0 && !strict[p]);
        positive = positive || qkv__rational_sign(term->coefficient) > 0;
        negative = negative || qkv__rational_sign(term->coefficient) < 0;
        firm = firm || !vanishes;
    }
    if (form->count == 0) return QKV__SIGN_ZERO;
    if (positive && negative) return QKV__SIGN_UNKNOWN;
    qkv__sign size = firm ? QKV__SIGN_POSITIVE : QKV__SIGN_NONNEGATIVE;
    return negative ? qkv__sign_negate(size) : size;
}

qkv__sign qkv__form_sign(qkv__algebra *algebra, const qkv__form *form)
{
    shifting s = {.end_left_out = false};
    bool strict[QKV__PARAMETERS] = {false};
    if (form == NULL) return QKV__SIGN_UNKNOWN;
    if (form->count == 0) return QKV__SIGN_ZERO;
    form = qkv__rewrite(&s.to_variables, algebra, form);
    for (int p = 0; p < (int)s.to_variables.scratch.parameter_count && form != NULL; p++) {
        if (!qkv__form_depends_on(form, p)) continue;
        form = clear_powers(&s, form, p);
        if (form != NULL && qkv__form_depends_on(form, p)) form = shift(&s, form, p, &strict[p]);
    }
    if (form == NULL) return QKV__SIGN_UNKNOWN;
    qkv__sign sign = read_signs(form, strict);
    /* By continuity the end has the same sign or is zero. */
    if (s.end_left_out && sign == QKV__SIGN_POSITIVE) return QKV__SIGN_NONNEGATIVE;
    if (s.end_left_out && sign == QKV__SIGN_NEGATIVE) return QKV__SIGN_NONPOSITIVE;
    return sign;
}

qkv__sign qkv__ratio_sign(qkv__algebra *algebra, qkv__ratio ratio)
{
    if (qkv__ratio_is_lost(ratio)) return QKV__SIGN_UNKNOWN;
    qkv__sign below = qkv__form_sign(algebra, ratio.denominator);
    if (!is_strict(below)) return QKV__SIGN_UNKNOWN;
    return qkv__sign_multiply(qkv__form_sign(algebra, ratio.numerator), below);
}
