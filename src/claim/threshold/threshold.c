/* Solving A + B x + C x^2 >= 0 with letters. Knows forms and their signs; nothing of claims. How
 * the answer is written is in threshold_write.c. */
#include "claim/threshold/threshold.h"

#include <assert.h>
#include <math.h>

#include "ball/enclosure.h"
#include "ball/sign.h"
#include "exact/limit.h"

enum { GROUPS = 3 };

/* The terms of a form that depend on p in the same way: coefficient * p^(power/2) * e^growth. */
typedef struct group {
    int power;
    const qkv__form *growth;
    const qkv__form *coefficient;
} group;

typedef struct groups {
    size_t count;
    group group[GROUPS];
} groups;

qkv__sign qkv__sign_of_form(qkv__algebra *algebra, const qkv__form *form)
{
    qkv__box box;
    qkv__sign_result result;
    qkv__sign sign = qkv__form_sign(algebra, form);
    if (sign != QKV__SIGN_UNKNOWN || form == NULL || !qkv__box_of_algebra(algebra, &box))
        return sign;
    return qkv__ball_sign_form(algebra, form, &box, 0, &result);
}

static bool is_positive(qkv__algebra *algebra, const qkv__form *form)
{
    return qkv__sign_of_form(algebra, form) == QKV__SIGN_POSITIVE;
}

static bool is_negative(qkv__algebra *algebra, const qkv__form *form)
{
    return qkv__sign_of_form(algebra, form) == QKV__SIGN_NEGATIVE;
}

/* ---- Groups -------------------------------------------------------------------------- */

static bool add_to_group(qkv__algebra *algebra, groups *all, int power, const qkv__form *growth,
                         const qkv__form *part)
{
    size_t i = 0;
    while (i < all->count &&
           (all->group[i].power != power || !qkv__form_equal(all->group[i].growth, growth)))
        i++;
    if (i == GROUPS) return false;
    if (i == all->count)
        all->group[all->count++] = (group){power, growth, qkv__form_whole(algebra, 0)};
    all->group[i].coefficient = qkv__form_add(algebra, all->group[i].coefficient, part);
    return all->group[i].coefficient != NULL;
}

static bool collect_groups(qkv__algebra *algebra, const qkv__form *form, int parameter, groups *all)
{
    assert(qkv__is_parameter(algebra, parameter));
    *all = (groups){0};
    for (size_t i = 0; i < form->count; i++) {
        qkv__term term = form->term[i];
        int power = term.power[parameter];
        const qkv__form *growth = qkv__exponent_part(algebra, term.exponent, parameter, true);
        const qkv__form *rest = qkv__exponent_part(algebra, term.exponent, parameter, false);
        term.power[parameter] = 0;
        term.exponent = NULL;
        const qkv__form *part = qkv__form_multiply(algebra, qkv__form_term(algebra, &term),
                                                   qkv__form_exponential(algebra, rest));
        if (growth == NULL || part == NULL || !add_to_group(algebra, all, power, growth, part))
            return false;
    }
    return true;
}

/* ---- The quantity x ------------------------------------------------------------------ */

static bool is_not_negative(const qkv__algebra *algebra, int parameter)
{
    assert(qkv__is_parameter(algebra, parameter));
    const qkv__bound *lower = &algebra->parameter[parameter].lower;
    return lower->known && qkv__rational_sign(lower->value) >= 0;
}

/* growth = rate * p^(power/2), with one power of p; false for anything else. */
static bool split_growth(qkv__algebra *algebra, const qkv__form *growth, int parameter,
                         const qkv__form **rate, int *power)
{
    assert(qkv__is_parameter(algebra, parameter));
    *rate = qkv__form_whole(algebra, 0);
    *power = growth->count == 0 ? 0 : growth->term[0].power[parameter];
    for (size_t i = 0; i < growth->count; i++) {
        qkv__term term = growth->term[i];
        if (term.power[parameter] != *power) return false;
        term.power[parameter] = 0;
        *rate = qkv__form_add(algebra, *rate, qkv__form_term(algebra, &term));
    }
    return *rate != NULL && *power > 0;
}

/* x as the quotient of what two groups have of p; false when it is not known to grow with p. */
static bool quantity(qkv__algebra *algebra, const group *base, const group *other,
                     qkv__threshold *t)
{
    const qkv__form *growth = qkv__form_subtract(algebra, other->growth, base->growth);
    if (growth == NULL) return false;
    t->exponential = growth->count > 0;
    if (!t->exponential) {
        t->power = other->power - base->power;
        /* an odd whole power grows everywhere, others from 0 on */
        bool everywhere = t->power % 2 == 0 && t->power / 2 % 2 != 0;
        return t->power > 0 && (everywhere || is_not_negative(algebra, t->parameter));
    }
    if (other->power != base->power ||
        !split_growth(algebra, growth, t->parameter, &t->rate, &t->power))
        return false;
    bool everywhere = t->power % 2 == 0 && t->power / 2 % 2 != 0;
    return (everywhere || is_not_negative(algebra, t->parameter)) && is_positive(algebra, t->rate);
}

/* What the base group has of p divides out: it must not be negative, and where it may be 0 that is
 * remembered. */
static bool base_divides_out(const qkv__algebra *algebra, const group *base, qkv__threshold *t)
{
    const qkv__parameter *known = &algebra->parameter[t->parameter];
    int lower = known->lower.known ? qkv__rational_sign(known->lower.value) : -1;
    t->zero = base->power > 0 && (lower < 0 || (lower == 0 && !known->lower.strict));
    return base->power % 4 == 0 || is_not_negative(algebra, t->parameter);
}

/* ---- Solving ------------------------------------------------------------------------- */

/* A + B x >= 0 with B > 0 is x >= -A/B. */
static bool solve_linear(qkv__algebra *algebra, const groups *all, qkv__threshold *t)
{
    for (size_t i = 0; i < 2; i++) {
        const group *base = &all->group[i], *other = &all->group[1 - i];
        if (!base_divides_out(algebra, base, t) || !quantity(algebra, base, other, t)) continue;
        if (!is_positive(algebra, other->coefficient)) return false;
        t->above = qkv__form_scale(algebra, base->coefficient, qkv__rational_whole(-1));
        t->radicand = NULL;
        t->below = other->coefficient;
        t->defined = is_positive(algebra, t->above);
        return t->above != NULL;
    }
    return false;
}

/* Whether the second quantity is the square of the first. */
static bool is_square_of(qkv__algebra *algebra, const qkv__threshold *square,
                         const qkv__threshold *root)
{
    if (square->exponential != root->exponential) return false;
    if (!root->exponential) return square->power == 2 * root->power;
    const qkv__form *twice = qkv__form_scale(algebra, root->rate, qkv__rational_whole(2));
    return square->power == root->power && qkv__form_equal(square->rate, twice);
}

/* s^2 r for a whole number that is not too large, with r free of squares. */
static int64_t square_part(int64_t number)
{
    int64_t root = 1;
    for (int64_t s = 2; s * s <= number && s < 1000; s++)
        while (number % (s * s) == 0) {
            number /= s * s;
            root *= s;
        }
    return root;
}

/* The root of a single positive term, with whole squares taken out; NULL where there is none. */
static const qkv__form *plain_root(qkv__algebra *algebra, const qkv__form *form)
{
    if (form == NULL || form->count != 1) return NULL;
    qkv__rational c = form->term[0].coefficient;
    if (qkv__rational_sign(c) <= 0) return NULL;
    /* sqrt(p/q) = sqrt(p q)/q */
    qkv__rational under = qkv__rational_multiply(qkv__rational_whole(c.numerator),
                                                 qkv__rational_whole(c.denominator));
    if (qkv__rational_is_lost(under)) return NULL;
    int64_t out = square_part(under.numerator);
    qkv__term term = form->term[0];
    term.coefficient = qkv__rational_make(under.numerator / (out * out), 1);
    return qkv__form_scale(algebra, qkv__form_root(algebra, qkv__form_term(algebra, &term)),
                           qkv__rational_make(out, c.denominator));
}

/* A number that leaves no fractions in the form when it is multiplied with it and `sofar`. */
static int64_t common_denominator(const qkv__form *form, int64_t sofar)
{
    for (size_t i = 0; form != NULL && i < form->count; i++) {
        qkv__rational part =
            qkv__rational_multiply(qkv__rational_whole(sofar), form->term[i].coefficient);
        qkv__rational grown = qkv__rational_multiply(qkv__rational_whole(sofar),
                                                     qkv__rational_whole(part.denominator));
        if (qkv__rational_is_lost(part) || qkv__rational_is_lost(grown)) return 1;
        sofar = grown.numerator;
    }
    return sofar;
}

/* A + B x + C x^2 with C > 0 > A has one positive root, and is not negative from it on. */
static bool set_quadratic(qkv__algebra *algebra, const qkv__form *a, const qkv__form *b,
                          const qkv__form *c, qkv__threshold *t)
{
    int64_t scale = common_denominator(c, common_denominator(b, common_denominator(a, 1)));
    a = qkv__form_scale(algebra, a, qkv__rational_whole(scale));
    b = qkv__form_scale(algebra, b, qkv__rational_whole(scale));
    c = qkv__form_scale(algebra, c, qkv__rational_whole(scale));
    if (!is_positive(algebra, c) || !is_negative(algebra, a)) return false;
    const qkv__form *product = qkv__form_multiply(algebra, a, c);
    const qkv__form *discriminant =
        qkv__form_subtract(algebra, qkv__form_power(algebra, b, 2),
                           qkv__form_scale(algebra, product, qkv__rational_whole(4)));
    const qkv__form *root = plain_root(algebra, discriminant);
    t->above = qkv__form_scale(algebra, b, qkv__rational_whole(-1));
    t->below = qkv__form_scale(algebra, c, qkv__rational_whole(2));
    if (root != NULL) t->above = qkv__form_add(algebra, t->above, root);
    t->radicand = root != NULL ? NULL : discriminant;
    t->defined = true;
    return t->above != NULL && t->below != NULL && discriminant != NULL;
}

static bool solve_quadratic(qkv__algebra *algebra, const groups *all, qkv__threshold *t)
{
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++) {
            size_t k = 3 - i - j;
            if (i == j) continue;
            const group *base = &all->group[i], *first = &all->group[j], *second = &all->group[k];
            qkv__threshold square = *t;
            if (!base_divides_out(algebra, base, t) || !quantity(algebra, base, first, t) ||
                !quantity(algebra, base, second, &square) || !is_square_of(algebra, &square, t))
                continue;
            return set_quadratic(algebra, base->coefficient, first->coefficient,
                                 second->coefficient, t);
        }
    return false;
}

/* The numerator, with the sign of the denominator, which must have one. */
static const qkv__form *cleared(qkv__algebra *algebra, qkv__ratio ratio)
{
    if (qkv__ratio_is_lost(ratio)) return NULL;
    if (is_positive(algebra, ratio.denominator)) return ratio.numerator;
    if (!is_negative(algebra, ratio.denominator)) return NULL;
    return qkv__form_scale(algebra, ratio.numerator, qkv__rational_whole(-1));
}

bool qkv__threshold_solve(qkv__algebra *algebra, qkv__ratio ratio, int parameter,
                          qkv__threshold *threshold)
{
    groups all;
    const qkv__form *form = cleared(algebra, ratio);
    *threshold = (qkv__threshold){.parameter = parameter};
    if (form == NULL || !collect_groups(algebra, form, parameter, &all)) return false;
    bool solved = all.count == 2   ? solve_linear(algebra, &all, threshold)
                  : all.count == 3 ? solve_quadratic(algebra, &all, threshold)
                                   : false;
    /* sqrt(p) >= R says p >= R^2 only where R is not negative. */
    bool root = threshold->power == 1 && (threshold->exponential || !threshold->defined);
    return solved && !root;
}

/* ---- In numbers ---------------------------------------------------------------------- */

static bool approximate(qkv__algebra *algebra, const qkv__form *form, double *value)
{
    qkv__box box;
    qkv__enclosure enclosure;
    for (int p = 0; p < (int)algebra->parameter_count; p++)
        if (qkv__form_depends_on(form, p) && algebra->parameter[p].prime == 0) {
            const qkv__parameter *known = &algebra->parameter[p];
            if (!known->lower.known || !known->upper.known ||
                qkv__rational_compare(known->lower.value, known->upper.value) != 0)
                return false;
        }
    if (!qkv__box_of_algebra(algebra, &box) ||
        !qkv__ball_enclose(algebra, qkv__ratio_of_form(algebra, form), &box, &enclosure))
        return false;
    *value = 0.5 * (enclosure.lower + enclosure.upper);
    return true;
}

bool qkv__threshold_approximate(qkv__algebra *algebra, const qkv__threshold *threshold,
                                double *value)
{
    double above, below, radicand = 0, rate = 1;
    if (!approximate(algebra, threshold->above, &above) ||
        !approximate(algebra, threshold->below, &below) ||
        (threshold->radicand != NULL && !approximate(algebra, threshold->radicand, &radicand)) ||
        (threshold->exponential && !approximate(algebra, threshold->rate, &rate)))
        return false;
    double x = (above + sqrt(radicand)) / below;
    if (threshold->exponential) x = log(x) / rate;
    *value = pow(x, 2.0 / threshold->power);
    return isfinite(*value);
}
