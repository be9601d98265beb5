/* Leading terms and limits. Knows nothing of vectors or claims. */
#include "exact/limit.h"

#include <assert.h>

const qkv__form *qkv__exponent_part(qkv__algebra *algebra, const qkv__form *exponent, int parameter,
                                    bool depending)
{
    assert(qkv__is_parameter(algebra, parameter));
    const qkv__form *sum = qkv__form_whole(algebra, 0);
    for (size_t i = 0; exponent != NULL && i < exponent->count; i++)
        if ((exponent->term[i].power[parameter] != 0) == depending)
            sum = qkv__form_add(algebra, sum, qkv__form_term(algebra, &exponent->term[i]));
    return sum;
}

/* Whether some term falls as the parameter grows: e^(1/beta) has no place in this theory. */
static bool has_negative_power(const qkv__form *form, int parameter)
{
    assert(parameter >= 0 && parameter < QKV__PARAMETERS);
    for (size_t i = 0; i < form->count; i++)
        if (form->term[i].power[parameter] < 0) return true;
    return false;
}

/* The coefficient of the highest power of the parameter in a form without exponentials. */
static const qkv__form *top_coefficient(qkv__algebra *algebra, const qkv__form *form, int parameter)
{
    assert(qkv__is_parameter(algebra, parameter));
    int top = 0;
    for (size_t i = 0; i < form->count; i++)
        if (i == 0 || form->term[i].power[parameter] > top) top = form->term[i].power[parameter];
    const qkv__form *sum = qkv__form_whole(algebra, 0);
    for (size_t i = 0; i < form->count; i++) {
        qkv__term term = form->term[i];
        if (term.power[parameter] != top) continue;
        term.power[parameter] = 0;
        sum = qkv__form_add(algebra, sum, qkv__form_term(algebra, &term));
    }
    return sum;
}

/* How e^a compares with e^b as the parameter grows: 1, -1, 0 for the same growth; false when the
 * sign of what decides is not known. */
static bool compare_growth(qkv__algebra *algebra, const qkv__form *a, const qkv__form *b,
                           int parameter, int *order)
{
    assert(order != NULL);
    const qkv__form *difference = qkv__form_subtract(algebra, a, b);
    *order = 0;
    if (difference == NULL || has_negative_power(difference, parameter)) return false;
    if (difference->count == 0) return true;
    qkv__sign sign = qkv__form_sign(algebra, top_coefficient(algebra, difference, parameter));
    if (sign == QKV__SIGN_POSITIVE) *order = 1;
    if (sign == QKV__SIGN_NEGATIVE) *order = -1;
    return *order != 0;
}

/* The fastest growing exponent of any term, as far as it depends on the parameter. */
static const qkv__form *fastest_growth(qkv__algebra *algebra, const qkv__form *form, int parameter)
{
    const qkv__form *fastest = NULL;
    for (size_t i = 0; i < form->count; i++) {
        const qkv__form *growth =
            qkv__exponent_part(algebra, form->term[i].exponent, parameter, true);
        int order = 1;
        if (growth == NULL) return NULL;
        if (fastest != NULL && !compare_growth(algebra, growth, fastest, parameter, &order))
            return NULL;
        if (order > 0) fastest = growth;
    }
    return fastest;
}

bool qkv__form_leading(qkv__algebra *algebra, const qkv__form *form, int parameter,
                       qkv__leading *leading)
{
    assert(qkv__is_parameter(algebra, parameter));
    if (form == NULL || form->count == 0) return false;
    *leading = (qkv__leading){.growth = fastest_growth(algebra, form, parameter)};
    if (leading->growth == NULL) return false;
    bool found = false;
    for (size_t i = 0; i < form->count; i++) {
        qkv__term term = form->term[i];
        const qkv__form *growth = qkv__exponent_part(algebra, term.exponent, parameter, true);
        int power = term.power[parameter];
        if (!qkv__form_equal(growth, leading->growth) || (found && power < leading->power))
            continue;
        if (!found || power > leading->power) leading->coefficient = qkv__form_whole(algebra, 0);
        found = true;
        leading->power = power;
        const qkv__form *rest = qkv__exponent_part(algebra, term.exponent, parameter, false);
        term.power[parameter] = 0;
        term.exponent = NULL;
        const qkv__form *part = qkv__form_multiply(algebra, qkv__form_term(algebra, &term),
                                                   qkv__form_exponential(algebra, rest));
        leading->coefficient = qkv__form_add(algebra, leading->coefficient, part);
    }
    return leading->coefficient != NULL;
}

/* What is left of a form that depends on 1/parameter alone, roots and exponents included, as that
 * goes to 0: it is continuous there. NULL where the parameter also stands elsewhere. */
static const qkv__form *settle(qkv__algebra *algebra, const qkv__form *form, int parameter)
{
    const qkv__form *sum = qkv__form_whole(algebra, 0);
    for (size_t i = 0; i < form->count; i++) {
        qkv__term term = form->term[i];
        if (term.power[parameter] > 0) return NULL;
        for (size_t j = 0; term.exponent != NULL && j < term.exponent->count; j++)
            if (term.exponent->term[j].power[parameter] > 0) return NULL;
        if (term.power[parameter] < 0) continue; /* times an exponential that settles: to 0 */
        const qkv__form *rest = qkv__exponent_part(algebra, term.exponent, parameter, false);
        if (rest == NULL) return NULL;
        term.exponent = rest->count == 0 ? NULL : rest;
        sum = qkv__form_add(algebra, sum, qkv__form_term(algebra, &term));
    }
    return sum;
}

/* e^(1/beta), and whatever else has a limit by continuity. */
static bool settles(qkv__algebra *algebra, qkv__ratio ratio, int parameter, qkv__limit *limit)
{
    const qkv__form *above = settle(algebra, ratio.numerator, parameter),
                    *below = settle(algebra, ratio.denominator, parameter);
    if (above == NULL || below == NULL) return false;
    qkv__sign sign = qkv__form_sign(algebra, below);
    if (sign != QKV__SIGN_POSITIVE && sign != QKV__SIGN_NEGATIVE) return false;
    *limit = (qkv__limit){QKV__LIMIT_FINITE,
                          qkv__ratio_divide(algebra, qkv__ratio_of_form(algebra, above),
                                            qkv__ratio_of_form(algebra, below))};
    return !qkv__ratio_is_lost(limit->value);
}

qkv__limit qkv__ratio_limit(qkv__algebra *algebra, qkv__ratio ratio, int parameter)
{
    const qkv__limit unknown = {.kind = QKV__LIMIT_UNKNOWN};
    qkv__leading above, below;
    qkv__limit settled;
    if (qkv__ratio_is_lost(ratio)) return unknown;
    if (qkv__form_is_zero(ratio.numerator))
        return (qkv__limit){QKV__LIMIT_FINITE, qkv__ratio_whole(algebra, 0)};
    if (settles(algebra, ratio, parameter, &settled)) return settled;
    if (!qkv__form_leading(algebra, ratio.numerator, parameter, &above) ||
        !qkv__form_leading(algebra, ratio.denominator, parameter, &below))
        return unknown;
    /* The winner below must be a winner whatever the other parameters are. */
    qkv__sign below_sign = qkv__form_sign(algebra, below.coefficient);
    if (below_sign != QKV__SIGN_POSITIVE && below_sign != QKV__SIGN_NEGATIVE) return unknown;
    int order;
    if (!compare_growth(algebra, above.growth, below.growth, parameter, &order)) return unknown;
    if (order == 0) order = (above.power > below.power) - (above.power < below.power);
    if (order < 0) return (qkv__limit){QKV__LIMIT_FINITE, qkv__ratio_whole(algebra, 0)};
    if (order == 0) {
        qkv__ratio value =
            qkv__ratio_divide(algebra, qkv__ratio_of_form(algebra, above.coefficient),
                              qkv__ratio_of_form(algebra, below.coefficient));
        return qkv__ratio_is_lost(value) ? unknown : (qkv__limit){QKV__LIMIT_FINITE, value};
    }
    qkv__sign sign = qkv__sign_multiply(qkv__form_sign(algebra, above.coefficient), below_sign);
    if (sign == QKV__SIGN_POSITIVE) return (qkv__limit){.kind = QKV__LIMIT_PLUS_INFINITY};
    if (sign == QKV__SIGN_NEGATIVE) return (qkv__limit){.kind = QKV__LIMIT_MINUS_INFINITY};
    return unknown;
}

/* ---- Signs far out -------------------------------------------------------------------------- */

/* The sign of the part that grows fastest, which must not vanish for any values of the others. */
static qkv__sign eventual_sign_of_form(qkv__algebra *algebra, const qkv__form *form, int parameter)
{
    qkv__leading leading;
    if (!qkv__form_leading(algebra, form, parameter, &leading)) return QKV__SIGN_UNKNOWN;
    qkv__sign sign = qkv__form_sign(algebra, leading.coefficient);
    bool strict = sign == QKV__SIGN_POSITIVE || sign == QKV__SIGN_NEGATIVE;
    return strict ? sign : QKV__SIGN_UNKNOWN;
}

qkv__sign qkv__ratio_eventual_sign(qkv__algebra *algebra, qkv__ratio ratio, int parameter)
{
    if (qkv__ratio_is_lost(ratio) || parameter < 0 ||
        (size_t)parameter >= algebra->parameter_count ||
        algebra->parameter[parameter].upper.known || algebra->parameter[parameter].prime != 0)
        return QKV__SIGN_UNKNOWN;
    qkv__sign below = eventual_sign_of_form(algebra, ratio.denominator, parameter);
    if (below == QKV__SIGN_UNKNOWN) return QKV__SIGN_UNKNOWN;
    if (qkv__form_is_zero(ratio.numerator)) return QKV__SIGN_ZERO;
    return qkv__sign_multiply(eventual_sign_of_form(algebra, ratio.numerator, parameter), below);
}
