/*
 * Signs of numbers with letters in them: directly, letters being any numbers within their bounds;
 * by their value, where no parameter is left; and by a derivative: what is not negative at one
 * point, falls on its left and grows on its right is negative nowhere. Knows nothing of syntax.
 *
 * The derivative counts only where the number is differentiable in between: logarithms and roots
 * of positive numbers, no |x|, no divisor that may vanish, no 1/p or root of p where p may be 0.
 */
#include <assert.h>
#include <string.h>

#include "claim/calculus/part.h"
#include "claim/premise/gap.h"

static bool is_settled(qkv__sign sign, qkv__comparison comparison)
{
    return qkv__judge_sign(sign, comparison) == QKV__PROVED;
}

/* ---- Directly
 * ------------------------------------------------------------------------------------- */

static bool prove_value(qkv__calculus *c, qkv__ratio x, qkv__comparison comparison, bool *known)
{
    static const qkv__sign signs[] = {QKV__SIGN_NEGATIVE, QKV__SIGN_ZERO, QKV__SIGN_POSITIVE};
    qkv__real value;
    qkv__real_init(&value);
    *known = qkv__calculus_value(c, x, &value) && qkv__real_is_defined(&value);
    int sign = *known ? qkv__real_sign(&value) : QKV__SIGN_OPEN;
    qkv__real_clear(&value);
    return sign != QKV__SIGN_OPEN && is_settled(signs[sign + 1], comparison);
}

/* What a sign takes of the effort of a claim: one, but more where the number is long, since each
 * evaluation takes longer and is less often of use. */
static size_t cost_of(qkv__ratio x)
{
    enum { SHORT = 40, TERMS_FOR_ONE = 5 };
    const size_t terms = x.numerator->count + x.denominator->count;
    return terms <= SHORT ? 1 : terms / TERMS_FOR_ONE;
}

static bool prove_directly(qkv__calculus *c, qkv__ratio x, qkv__comparison comparison)
{
    enum { EFFORT = 1500 };
    qkv__sign_result result;
    qkv__box box;
    bool known;
    if (is_settled(qkv__ratio_sign(c->algebra, x), comparison)) return true;
    if (prove_value(c, x, comparison, &known)) return true;
    if (known || c->effort == 0 || !qkv__box_of_algebra(c->algebra, &box)) return false;
    const size_t cost = cost_of(x);
    c->effort -= cost < c->effort ? cost : c->effort;
    return is_settled(qkv__ball_sign(c->algebra, x, &box, EFFORT, &result), comparison);
}

static bool is_never_zero(qkv__calculus *c, const qkv__form *form, bool *negative)
{
    qkv__ratio x = qkv__ratio_of_form(c->algebra, form);
    *negative = prove_directly(c, x, QKV__LESS);
    return *negative || prove_directly(c, x, QKV__GREATER);
}

/* ---- Where there is a derivative
 * ------------------------------------------------------------------- */

static bool is_positive_letter(const qkv__parameter *known)
{
    return known->lower.known &&
           (qkv__rational_sign(known->lower.value) > 0 ||
            (qkv__rational_sign(known->lower.value) == 0 && known->lower.strict));
}

static bool is_smooth(qkv__calculus *c, qkv__ratio x, int parameter);

static bool is_smooth_form(qkv__calculus *c, const qkv__form *form, int parameter)
{
    for (size_t i = 0; i < form->count; i++) {
        const qkv__term *term = &form->term[i];
        for (int p = 0; p < (int)c->algebra->parameter_count; p++) {
            const qkv__atom *atom = qkv__calculus_atom(c, p);
            bool awkward = term->power[p] < 0 || term->power[p] % 2 != 0;
            if (awkward && !is_positive_letter(&c->algebra->parameter[p])) return false;
            if (term->power[p] == 0 || atom == NULL) continue;
            const qkv__atom kept = *atom;
            if (kept.kind == QKV__ATOM_SIZE) return false;
            if (!is_smooth(c, kept.argument, parameter)) return false;
            bool needs = kept.kind == QKV__ATOM_LOGARITHM || kept.kind == QKV__ATOM_ROOT;
            if (needs && !prove_directly(c, kept.argument, QKV__GREATER)) return false;
        }
        if (term->exponent != NULL && !is_smooth_form(c, term->exponent, parameter)) return false;
    }
    return true;
}

/* Whether a number is differentiable by all it is made of, over all that is allowed. */
static bool is_smooth(qkv__calculus *c, qkv__ratio x, int parameter)
{
    bool negative;
    return !qkv__ratio_is_lost(x) && is_smooth_form(c, x.numerator, parameter) &&
           is_smooth_form(c, x.denominator, parameter) &&
           is_never_zero(c, x.denominator, &negative);
}

/* ---- By a derivative
 * -------------------------------------------------------------------------------- */

/* The numerator, turned where the divisor is negative: a number of the same sign. */
static bool same_sign(qkv__calculus *c, qkv__ratio x, qkv__ratio *plain)
{
    bool negative;
    if (qkv__ratio_is_lost(x) || !is_never_zero(c, x.denominator, &negative)) return false;
    *plain = qkv__ratio_of_form(c->algebra, x.numerator);
    if (negative) *plain = qkv__ratio_negate(c->algebra, *plain);
    return true;
}

/* x over the factor of a logarithm in it, where x is linear in the logarithm and the factor has a
 * sign: of the same sign, and its derivative is free of the logarithm. */
static bool free_logarithm(qkv__calculus *c, qkv__ratio x, qkv__ratio *freed)
{
    const qkv__form *zero = qkv__form_whole(c->algebra, 0), *one = qkv__form_whole(c->algebra, 1);
    for (size_t i = 0; i < c->count; i++) {
        const int p = c->atom[i].parameter;
        qkv__rational number;
        bool negative;
        if (c->atom[i].kind != QKV__ATOM_LOGARITHM || !qkv__ratio_depends_on(x, p)) continue;
        qkv__ratio rest = qkv__ratio_substitute(c->algebra, x, p, zero);
        qkv__ratio factor =
            qkv__ratio_subtract(c->algebra, qkv__ratio_substitute(c->algebra, x, p, one), rest);
        qkv__ratio letter = qkv__ratio_of_form(c->algebra, qkv__form_parameter(c->algebra, p));
        qkv__ratio line =
            qkv__ratio_add(c->algebra, rest, qkv__ratio_multiply(c->algebra, factor, letter));
        if (qkv__ratio_is_lost(line) || !qkv__ratio_equal(c->algebra, x, line) ||
            qkv__ratio_is_constant(factor, &number) ||
            !is_never_zero(c, factor.numerator, &negative))
            continue;
        *freed = qkv__ratio_divide(c->algebra, x, factor);
        if (negative) *freed = qkv__ratio_negate(c->algebra, *freed);
        bool below;
        if (!is_never_zero(c, factor.denominator, &below)) continue;
        if (below) *freed = qkv__ratio_negate(c->algebra, *freed);
        return !qkv__ratio_is_lost(*freed);
    }
    return false;
}

/* The sum of whole multiples of logarithms and of a rest without exponentials is at least 0 where
 * e to its power, a product, is at least 1. */
static bool prove_power(qkv__calculus *c, qkv__ratio x, qkv__comparison comparison, int depth)
{
    bool some = false;
    if (x.denominator->count != 1) return false;
    const qkv__form *form =
        qkv__form_divide_by_term(c->algebra, x.numerator, &x.denominator->term[0]);
    int64_t common = 1;
    for (size_t i = 0; form != NULL && i < form->count; i++) {
        const qkv__term *term = &form->term[i];
        bool logarithm = false;
        for (int p = 0; p < (int)c->algebra->parameter_count; p++) {
            const qkv__atom *atom = qkv__calculus_atom(c, p);
            logarithm = logarithm ||
                        (term->power[p] != 0 && atom != NULL && atom->kind == QKV__ATOM_LOGARITHM);
        }
        if (logarithm && term->coefficient.denominator > 4) return false;
        if (logarithm && common % term->coefficient.denominator != 0)
            common *= term->coefficient.denominator;
        some = some || logarithm;
    }
    if (form == NULL || !some) return false;
    qkv__ratio product = qkv__calculus_exponential(
        c, qkv__ratio_of_form(c->algebra,
                              qkv__form_scale(c->algebra, form, qkv__rational_whole(common))));
    for (size_t i = 0; i < c->count; i++)
        if (c->atom[i].kind == QKV__ATOM_LOGARITHM && !qkv__ratio_is_lost(product) &&
            qkv__ratio_depends_on(product, c->atom[i].parameter))
            return false;
    return qkv__calculus_prove(
        c, qkv__ratio_subtract(c->algebra, product, qkv__ratio_whole(c->algebra, 1)), comparison,
        depth);
}

/* a r + b against 0, for a root r of s: where a > 0 it follows from a^2 s against b^2, and where
 * a < 0 from b^2 against a^2 s, if b is not negative. */
static bool prove_root(qkv__calculus *c, qkv__ratio x, qkv__comparison comparison, int depth)
{
    qkv__algebra *algebra = c->algebra;
    const qkv__form *zero = qkv__form_whole(algebra, 0), *one = qkv__form_whole(algebra, 1);
    for (size_t i = 0; i < c->count; i++) {
        const qkv__atom atom = c->atom[i];
        if (atom.kind != QKV__ATOM_ROOT || !qkv__ratio_depends_on(x, atom.parameter)) continue;
        qkv__ratio rest = qkv__ratio_substitute(algebra, x, atom.parameter, zero);
        qkv__ratio factor = qkv__ratio_subtract(
            algebra, qkv__ratio_substitute(algebra, x, atom.parameter, one), rest);
        qkv__ratio letter =
            qkv__ratio_of_form(algebra, qkv__form_parameter(algebra, atom.parameter));
        qkv__ratio line =
            qkv__ratio_add(algebra, rest, qkv__ratio_multiply(algebra, factor, letter));
        if (qkv__ratio_is_lost(line) || !qkv__ratio_equal(algebra, x, line)) continue;
        qkv__ratio inner =
            qkv__ratio_multiply(algebra, qkv__ratio_power(algebra, factor, 2), atom.argument);
        qkv__ratio outer = qkv__ratio_power(algebra, rest, 2);
        qkv__ratio difference =
            qkv__calculus_rewrite(c, qkv__ratio_subtract(algebra, inner, outer));
        if (prove_directly(c, factor, QKV__GREATER))
            return qkv__calculus_prove(c, difference, comparison, depth);
        return prove_directly(c, factor, QKV__LESS) &&
               qkv__calculus_prove(c, rest, QKV__GREATER_OR_EQUAL, depth) &&
               qkv__calculus_prove(c, qkv__ratio_negate(algebra, difference), comparison, depth);
    }
    return false;
}

static bool is_inside(const qkv__parameter *known, qkv__rational point)
{
    int low = known->lower.known ? qkv__rational_compare(point, known->lower.value) : 1;
    int high = known->upper.known ? qkv__rational_compare(known->upper.value, point) : 1;
    return low >= 0 && high >= 0;
}

/* Whether x >= 0 (or > 0) by its value at one point of a parameter, and by its derivative. */
static bool prove_from(qkv__calculus *c, qkv__ratio x, qkv__ratio slope, bool strict, int parameter,
                       qkv__rational point, int depth)
{
    qkv__parameter *known = &c->algebra->parameter[parameter];
    const qkv__parameter whole = *known;
    const bool at_lower = whole.lower.known && qkv__rational_compare(point, whole.lower.value) == 0;
    const bool at_upper = whole.upper.known && qkv__rational_compare(point, whole.upper.value) == 0;
    const bool left_out = (at_lower && whole.lower.strict) || (at_upper && whole.upper.strict);
    qkv__ratio start = qkv__calculus_put(c, x, parameter, qkv__ratio_constant(c->algebra, point));
    if (qkv__ratio_is_lost(start)) return false;
    bool firm = qkv__calculus_prove(c, start, QKV__GREATER, depth - 1);
    if (!firm && !qkv__calculus_prove(c, start, QKV__GREATER_OR_EQUAL, depth - 1)) return false;
    if (strict && !firm && !left_out) return false;
    const bool steep = strict && !firm; /* it must grow in earnest */
    bool good = true;
    if (!at_upper) {
        known->lower = (qkv__bound){.known = true, .strict = steep, .value = point};
        good =
            qkv__calculus_prove(c, slope, steep ? QKV__GREATER : QKV__GREATER_OR_EQUAL, depth - 1);
        *known = whole;
    }
    if (good && !at_lower) {
        known->upper = (qkv__bound){.known = true, .strict = steep, .value = point};
        good = qkv__calculus_prove(c, slope, steep ? QKV__LESS : QKV__LESS_OR_EQUAL, depth - 1);
        *known = whole;
    }
    return good;
}

/* a e^p + b, with a and b free of the parameter p; false: the form is not that. */
static bool split_exponential(qkv__calculus *c, const qkv__form *form, int parameter, qkv__ratio *a,
                              qkv__ratio *b)
{
    qkv__algebra *algebra = c->algebra;
    const qkv__form *alone = qkv__form_parameter(algebra, parameter);
    const qkv__form *unit = qkv__form_exponential(algebra, alone);
    *a = *b = qkv__ratio_whole(algebra, 0);
    for (size_t i = 0; unit != NULL && i < form->count; i++) {
        const qkv__form *term = qkv__form_term(algebra, &form->term[i]);
        const bool within = form->term[i].exponent != NULL &&
                            qkv__form_depends_on(form->term[i].exponent, parameter);
        qkv__ratio part = qkv__ratio_of_form(
            algebra, within ? qkv__form_divide_by_term(algebra, term, &unit->term[0]) : term);
        if (qkv__ratio_is_lost(part) || qkv__calculus_depends(c, part, parameter)) return false;
        qkv__ratio *to = within ? a : b;
        *to = qkv__ratio_add(algebra, *to, part);
    }
    return unit != NULL;
}

/* Where the slope has the sign of a e^p + b, a > 0 > b, and p may be any number, x is least at
 * p = ln(-b/a). */
static bool prove_at_turn(qkv__calculus *c, qkv__ratio x, qkv__ratio slope, bool strict,
                          int parameter, int depth)
{
    qkv__ratio plain, a, b;
    if (!same_sign(c, slope, &plain) || !split_exponential(c, plain.numerator, parameter, &a, &b) ||
        !prove_directly(c, a, QKV__GREATER) || !prove_directly(c, b, QKV__LESS))
        return false;
    qkv__ratio turn = qkv__calculus_logarithm(
        c, qkv__ratio_divide(c->algebra, qkv__ratio_negate(c->algebra, b), a));
    qkv__ratio least = qkv__calculus_put(c, x, parameter, turn);
    return !qkv__ratio_is_lost(turn) && !qkv__ratio_is_lost(least) &&
           qkv__calculus_prove(c, least, strict ? QKV__GREATER : QKV__GREATER_OR_EQUAL, depth - 1);
}

static bool prove_by_slope(qkv__calculus *c, qkv__ratio x, bool strict, int depth)
{
    const int count = (int)c->algebra->parameter_count;
    for (int p = 0; p < count; p++) {
        const qkv__parameter known = c->algebra->parameter[p];
        if (qkv__calculus_atom(c, p) != NULL || known.prime != 0 || known.generic) continue;
        qkv__ratio slope = qkv__calculus_derivative(c, x, p);
        slope = qkv__calculus_rewrite(c, slope);
        if (qkv__ratio_is_lost(slope) || qkv__ratio_is_zero(slope) || !is_smooth(c, x, p)) continue;
        if (!known.lower.known && !known.upper.known && !known.whole &&
            prove_at_turn(c, x, slope, strict, p, depth))
            return true;
        const bool finite = known.lower.known && known.upper.known;
        const qkv__rational middle = qkv__rational_divide(
            qkv__rational_add(known.lower.value, known.upper.value), qkv__rational_whole(2));
        const qkv__rational points[] = {
            known.lower.value, known.upper.value, middle, {0, 1}, {1, 1}};
        const bool useful[] = {known.lower.known, known.upper.known, finite, true, true};
        for (size_t i = 0; i < sizeof points / sizeof points[0]; i++) {
            if (!useful[i] || qkv__rational_is_lost(points[i]) || !is_inside(&known, points[i]))
                continue;
            if (prove_from(c, x, slope, strict, p, points[i], depth)) return true;
        }
    }
    return false;
}

/* ---- Where there is no proof
 * --------------------------------------------------------------------------- */

/* One of a few numbers between the bounds of a parameter, by turns; lost where none of them is. */
static qkv__rational point_of(const qkv__parameter *known, size_t turn)
{
    static const qkv__rational steps[] = {{1, 1},  {0, 1},  {3, 1},    {-1, 1},    {1, 2},
                                          {-5, 1}, {40, 1}, {1000, 1}, {-1000, 1}, {1000000000, 1}};
    enum { STEPS = sizeof steps / sizeof steps[0] };
    const qkv__rational from = known->lower.known   ? known->lower.value
                               : known->upper.known ? known->upper.value
                                                    : qkv__rational_whole(0);
    for (size_t i = 0; i < STEPS; i++) {
        const qkv__rational point = qkv__rational_add(from, steps[(turn + i) % STEPS]);
        if (qkv__rational_is_lost(point)) continue;
        const int low = known->lower.known ? qkv__rational_compare(point, known->lower.value) : 1;
        const int high = known->upper.known ? qkv__rational_compare(known->upper.value, point) : 1;
        if (low >= known->lower.strict && high >= known->upper.strict &&
            (!known->whole || qkv__rational_is_whole(point)))
            return point;
    }
    return QKV__RATIONAL_LOST;
}

/* The sign at one point of all parameters; QKV__SIGN_OPEN where it has none. */
static int sign_at(qkv__calculus *c, qkv__ratio x, size_t turn)
{
    const size_t count = c->algebra->parameter_count;
    qkv__parameter kept[QKV__PARAMETERS];
    qkv__real value;
    bool good = true;
    memcpy(kept, c->algebra->parameter, count * sizeof kept[0]);
    for (size_t p = 0; p < count; p++) {
        qkv__parameter *known = &c->algebra->parameter[p];
        if (known->prime != 0 || qkv__calculus_atom(c, (int)p) != NULL) continue;
        const qkv__rational point = point_of(known, turn * (p + 1) + turn / 9);
        good = good && !qkv__rational_is_lost(point);
        known->lower = known->upper = (qkv__bound){.known = true, .value = point};
    }
    qkv__real_init(&value);
    good = good && qkv__calculus_value(c, x, &value) && qkv__real_is_defined(&value);
    const int sign = good ? qkv__real_sign(&value) : QKV__SIGN_OPEN;
    qkv__real_clear(&value);
    memcpy(c->algebra->parameter, kept, count * sizeof kept[0]);
    return sign;
}

bool qkv__calculus_fails(qkv__calculus *c, qkv__ratio x, qkv__comparison comparison)
{
    enum { POINTS = 60 };
    static const qkv__sign signs[] = {QKV__SIGN_NEGATIVE, QKV__SIGN_ZERO, QKV__SIGN_POSITIVE};
    assert(comparison >= QKV__LESS && comparison <= QKV__GREATER_OR_EQUAL);
    if (qkv__ratio_is_lost(x)) return true;
    for (size_t turn = 0; turn < POINTS; turn++) {
        const int sign = sign_at(c, x, turn);
        if (sign != QKV__SIGN_OPEN && !is_settled(signs[sign + 1], comparison)) return true;
    }
    return false;
}

/* ---- All of it
 * ---------------------------------------------------------------------------------------- */

bool qkv__calculus_prove(qkv__calculus *c, qkv__ratio x, qkv__comparison comparison, int depth)
{
    qkv__ratio plain, freed;
    bool settled;
    if (qkv__ratio_is_lost(x)) return false;
    if (comparison == QKV__LESS || comparison == QKV__LESS_OR_EQUAL) {
        x = qkv__ratio_negate(c->algebra, x);
        comparison = comparison == QKV__LESS ? QKV__GREATER : QKV__GREATER_OR_EQUAL;
    }
    if (prove_directly(c, x, comparison)) return true;
    if (depth <= 0 || c->effort == 0) return false;
    if (qkv__calculus_prove_cases(c, x, comparison, depth, &settled)) return true;
    if (settled || !same_sign(c, x, &plain)) return false;
    if (prove_directly(c, plain, comparison) || prove_power(c, x, comparison, depth - 1) ||
        prove_root(c, plain, comparison, depth - 1))
        return true;
    if (free_logarithm(c, plain, &freed) &&
        prove_by_slope(c, freed, comparison == QKV__GREATER, depth))
        return true;
    return prove_by_slope(c, plain, comparison == QKV__GREATER, depth);
}
