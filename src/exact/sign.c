/* Signs by shifting every variable to its bound; see sign.h. Knows nothing of floating point. */
#include "exact/sign.h"

#include <string.h>

enum { GENERATORS = 12, DEGREE_LIMIT = 24 };

/* A variable e^(monomial / divisor). Its parameter in the scratch algebra takes its place. */
typedef struct generator {
    int16_t power[QKV__PARAMETERS]; /* of the monomial, in halves */
    int64_t divisor;
    int parameter;
} generator;

/* A copy of the algebra in which the form is rewritten without exponentials. */
typedef struct rewriting {
    qkv__algebra *algebra; /* the one that was asked; memory comes from it */
    qkv__algebra scratch;  /* its parameters, and one more for each generator */
    generator generators[GENERATORS];
    size_t count;
    bool end_left_out; /* y never reaches infinity, but the parameter may reach its upper bound */
} rewriting;

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

/* ---- Exponentials become variables --------------------------------------------------------- */

static int64_t greatest_common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static generator *find_generator(rewriting *r, const int16_t *power)
{
    for (size_t i = 0; i < r->count; i++)
        if (memcmp(r->generators[i].power, power, sizeof r->generators[i].power) == 0)
            return &r->generators[i];
    if (r->count == GENERATORS) return NULL;
    generator *made = &r->generators[r->count++];
    memcpy(made->power, power, sizeof made->power);
    made->divisor = 1;
    return made;
}

/* Notes the monomials of all exponents, and the least common denominator of each one's factors. */
static bool collect_generators(rewriting *r, const qkv__form *form)
{
    for (size_t i = 0; i < form->count; i++) {
        const qkv__form *exponent = form->term[i].exponent;
        for (size_t j = 0; exponent != NULL && j < exponent->count; j++) {
            generator *g = find_generator(r, exponent->term[j].power);
            if (g == NULL) return false;
            int64_t below = exponent->term[j].coefficient.denominator;
            int64_t factor = below / greatest_common_divisor(g->divisor, below);
            if (g->divisor > INT64_MAX / 1024 || factor > 1024) return false;
            g->divisor *= factor;
        }
    }
    return true;
}

/* A lower bound of a product of powers, where every factor has one that is not negative. */
static qkv__bound monomial_bound(const qkv__algebra *algebra, const int16_t *power)
{
    qkv__bound bound = {.known = true, .value = qkv__rational_whole(1)};
    for (int p = 0; p < QKV__PARAMETERS; p++) {
        if (power[p] == 0) continue;
        const qkv__bound *lower = &algebra->parameter[p].lower;
        if (!lower->known || qkv__rational_sign(lower->value) < 0) return (qkv__bound){0};
        qkv__rational least = qkv__rational_whole(0); /* roots and inverses: at least positive */
        if (power[p] > 0 && power[p] % 2 == 0)
            least = qkv__rational_power(lower->value, power[p] / 2);
        bound.value = qkv__rational_multiply(bound.value, least);
        bound.strict = bound.strict || lower->strict;
    }
    bound.known = !qkv__rational_is_lost(bound.value);
    return bound;
}

/* The bound of e^(m/D): 1 + x + x^2/2 for m/D >= x >= 0, else 0, which it never reaches. */
static qkv__bound exponential_bound(const qkv__algebra *algebra, const generator *g)
{
    const qkv__bound zero = {.known = true, .strict = true, .value = qkv__rational_whole(0)};
    qkv__bound bound = monomial_bound(algebra, g->power);
    if (!bound.known) return zero;
    qkv__rational x = qkv__rational_divide(bound.value, qkv__rational_whole(g->divisor));
    qkv__rational square =
        qkv__rational_multiply(qkv__rational_multiply(x, x), qkv__rational_make(1, 2));
    bound.value = qkv__rational_add(qkv__rational_add(qkv__rational_whole(1), x), square);
    if (qkv__rational_is_lost(bound.value)) return zero;
    bound.strict = bound.strict || qkv__rational_sign(x) > 0;
    return bound;
}

static bool add_generator_parameters(rewriting *r)
{
    for (size_t i = 0; i < r->count; i++) {
        generator *g = &r->generators[i];
        if (r->scratch.parameter_count == QKV__PARAMETERS) return false;
        g->parameter = (int)r->scratch.parameter_count++;
        r->scratch.parameter[g->parameter] =
            (qkv__parameter){.name = "E", .lower = exponential_bound(r->algebra, g)};
    }
    return true;
}

/* The form with e^(k m / D) written as the k-th power of its variable. */
static const qkv__form *without_exponentials(rewriting *r, const qkv__form *form)
{
    const qkv__form *sum = qkv__form_whole(r->algebra, 0);
    for (size_t i = 0; i < form->count && sum != NULL; i++) {
        qkv__term term = form->term[i];
        const qkv__form *exponent = term.exponent;
        term.exponent = NULL;
        for (size_t j = 0; exponent != NULL && j < exponent->count; j++) {
            const generator *g = find_generator(r, exponent->term[j].power);
            qkv__rational k = qkv__rational_multiply(exponent->term[j].coefficient,
                                                     qkv__rational_whole(g->divisor));
            if (!qkv__rational_is_whole(k) || k.numerator > DEGREE_LIMIT ||
                k.numerator < -DEGREE_LIMIT)
                return NULL;
            term.power[g->parameter] = (int16_t)(2 * k.numerator);
        }
        sum = qkv__form_add(r->algebra, sum, qkv__form_term(r->algebra, &term));
    }
    return sum;
}

/* ---- Shifting ------------------------------------------------------------------------------ */

/* The least and greatest power of a parameter, and whether halves occur. */
static void power_range(const qkv__form *form, int parameter, int *least, int *greatest, bool *odd)
{
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
static const qkv__form *clear_powers(rewriting *r, const qkv__form *form, int parameter)
{
    int least, greatest;
    bool odd;
    power_range(form, parameter, &least, &greatest, &odd);
    if (least == 0 && !odd) return form;
    qkv__parameter *known = &r->scratch.parameter[parameter];
    if (!known->lower.known || qkv__rational_sign(known->lower.value) < 0 ||
        (qkv__rational_sign(known->lower.value) == 0 && !known->lower.strict))
        return NULL; /* may be zero or negative: neither inverse nor root is safe */
    qkv__term factor = {.coefficient = qkv__rational_whole(1)};
    factor.power[parameter] = (int16_t)-least;
    form = qkv__form_multiply(r->algebra, form, qkv__form_term(r->algebra, &factor));
    if (!odd || form == NULL) return form;
    const qkv__form *doubled = qkv__form_whole(r->algebra, 0);
    for (size_t i = 0; i < form->count && doubled != NULL; i++) {
        qkv__term term = form->term[i];
        term.power[parameter] = (int16_t)(2 * term.power[parameter]);
        doubled = qkv__form_add(r->algebra, doubled, qkv__form_term(r->algebra, &term));
    }
    /* The root of L is at least 1 where L is, and else at least 0; upper bounds are let go. */
    bool above_one = qkv__rational_compare(known->lower.value, qkv__rational_whole(1)) >= 0;
    known->lower.value = qkv__rational_whole(above_one ? 1 : 0);
    known->lower.strict = !above_one;
    known->upper.known = false;
    return doubled;
}

/* sum_k c_k x^k with x = (L + U y)/(1 + y), times (1 + y)^degree. */
static const qkv__form *between(rewriting *r, const qkv__form *form, int parameter, int degree)
{
    const qkv__parameter *known = &r->scratch.parameter[parameter];
    const qkv__form *y = qkv__form_parameter(r->algebra, parameter);
    const qkv__form *one = qkv__form_whole(r->algebra, 1);
    const qkv__form *below = qkv__form_add(r->algebra, one, y);
    const qkv__form *above =
        qkv__form_add(r->algebra, qkv__form_constant(r->algebra, known->lower.value),
                      qkv__form_scale(r->algebra, y, known->upper.value));
    const qkv__form *sum = qkv__form_whole(r->algebra, 0);
    for (size_t i = 0; i < form->count && sum != NULL; i++) {
        qkv__term rest = form->term[i];
        int power = rest.power[parameter] / 2;
        rest.power[parameter] = 0;
        const qkv__form *part = qkv__form_multiply(r->algebra, qkv__form_term(r->algebra, &rest),
                                                   qkv__form_power(r->algebra, above, power));
        part = qkv__form_multiply(r->algebra, part,
                                  qkv__form_power(r->algebra, below, degree - power));
        sum = qkv__form_add(r->algebra, sum, part);
    }
    return sum;
}

/* The form in y >= 0 instead of the parameter; NULL where no bound helps. *strict: y > 0. */
static const qkv__form *shift(rewriting *r, const qkv__form *form, int parameter, bool *strict)
{
    const qkv__parameter *known = &r->scratch.parameter[parameter];
    const qkv__form *y = qkv__form_parameter(r->algebra, parameter);
    int least, degree;
    bool odd;
    power_range(form, parameter, &least, &degree, &odd);
    if (degree / 2 > DEGREE_LIMIT) return NULL;
    *strict = known->lower.strict;
    if (known->lower.known && known->upper.known &&
        qkv__rational_compare(known->lower.value, known->upper.value) == 0)
        return qkv__form_substitute(r->algebra, form, parameter,
                                    qkv__form_constant(r->algebra, known->lower.value));
    if (known->lower.known && known->upper.known) {
        r->end_left_out = r->end_left_out || !known->upper.strict;
        return between(r, form, parameter, degree / 2);
    }
    if (known->lower.known)
        return qkv__form_substitute(
            r->algebra, form, parameter,
            qkv__form_add(r->algebra, qkv__form_constant(r->algebra, known->lower.value), y));
    *strict = known->upper.strict;
    if (!known->upper.known) return NULL;
    return qkv__form_substitute(
        r->algebra, form, parameter,
        qkv__form_subtract(r->algebra, qkv__form_constant(r->algebra, known->upper.value), y));
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
    rewriting r = {.algebra = algebra, .scratch = *algebra};
    bool strict[QKV__PARAMETERS] = {false};
    if (form == NULL) return QKV__SIGN_UNKNOWN;
    if (form->count == 0) return QKV__SIGN_ZERO;
    if (!collect_generators(&r, form) || !add_generator_parameters(&r)) return QKV__SIGN_UNKNOWN;
    form = without_exponentials(&r, form);
    for (int p = 0; p < (int)r.scratch.parameter_count && form != NULL; p++) {
        if (!qkv__form_depends_on(form, p)) continue;
        form = clear_powers(&r, form, p);
        if (form != NULL && qkv__form_depends_on(form, p)) form = shift(&r, form, p, &strict[p]);
    }
    if (form == NULL) return QKV__SIGN_UNKNOWN;
    qkv__sign sign = read_signs(form, strict);
    /* By continuity the end has the same sign or is zero. */
    if (r.end_left_out && sign == QKV__SIGN_POSITIVE) return QKV__SIGN_NONNEGATIVE;
    if (r.end_left_out && sign == QKV__SIGN_NEGATIVE) return QKV__SIGN_NONPOSITIVE;
    return sign;
}

qkv__sign qkv__ratio_sign(qkv__algebra *algebra, qkv__ratio ratio)
{
    if (qkv__ratio_is_lost(ratio)) return QKV__SIGN_UNKNOWN;
    qkv__sign below = qkv__form_sign(algebra, ratio.denominator);
    if (!is_strict(below)) return QKV__SIGN_UNKNOWN;
    return qkv__sign_multiply(qkv__form_sign(algebra, ratio.numerator), below);
}
