/*
 * Limits of numbers with logarithms in them, such as entropies. As p grows, an argument is its
 * leading term times 1 + u,
 *
 *     ln r = ln(c p^m e^g (1 + u)) = ln c + m ln p + g + ln(1 + u),
 *
 * and |ln(1 + u)| <= 2 |u| from some p on. What multiplies the logarithm must make u vanish too.
 * What is left is a quotient of forms, whose limit is known, and logarithms of what does not move.
 */
#include <assert.h>

#include "claim/calculus/part.h"

enum { CONSTANT_DEPTH = 2 }; /* of proofs that a limit is not 0 */

/* ---- What moves ------------------------------------------------------------------------------ */

/* Whether a number depends on inner products that are not given, or on scores that stand for many:
 * they may change along with the limit. */
static bool is_free(const qkv__calculus *c, qkv__ratio x)
{
    for (const qkv__unknown_product *u = c->space->unknown; u != NULL; u = u->next)
        if (qkv__calculus_depends(c, x, u->parameter)) return true;
    for (const qkv__spread *b = c->space->spreads; b != NULL; b = b->next)
        if (qkv__calculus_depends(c, x, b->parameter)) return true;
    return qkv__ratio_is_generic(c->algebra, x);
}

static bool moves(const qkv__calculus *c, const qkv__atom *atom, int parameter)
{
    return qkv__calculus_depends(c, atom->argument, parameter);
}

/* Whether the arguments of a letter hold another one that moves. */
static bool is_nested(const qkv__calculus *c, const qkv__atom *atom, int parameter)
{
    for (size_t i = 0; i < c->count; i++)
        if (moves(c, &c->atom[i], parameter) &&
            qkv__ratio_depends_on(atom->argument, c->atom[i].parameter))
            return true;
    return false;
}

static qkv__ratio put_number(qkv__calculus *c, qkv__ratio x, int letter, int64_t number)
{
    return qkv__ratio_substitute(c->algebra, x, letter, qkv__form_whole(c->algebra, number));
}

/* x = rest + sum of factor[i] times letter i, over the letters that move; false if it is not. */
static bool take_apart(qkv__calculus *c, qkv__ratio x, int parameter, qkv__ratio *rest,
                       qkv__ratio *factor)
{
    qkv__ratio whole;
    *rest = x;
    for (size_t i = 0; i < c->count; i++)
        if (moves(c, &c->atom[i], parameter)) *rest = put_number(c, *rest, c->atom[i].parameter, 0);
    whole = *rest;
    for (size_t i = 0; i < c->count; i++) {
        const int letter = c->atom[i].parameter;
        factor[i] = qkv__ratio_whole(c->algebra, 0);
        if (!moves(c, &c->atom[i], parameter) || !qkv__ratio_depends_on(x, letter)) continue;
        if (c->atom[i].kind != QKV__ATOM_LOGARITHM || is_nested(c, &c->atom[i], parameter))
            return false;
        qkv__ratio one = put_number(c, x, letter, 1);
        for (size_t j = 0; j < c->count; j++)
            if (j != i && moves(c, &c->atom[j], parameter))
                one = put_number(c, one, c->atom[j].parameter, 0);
        factor[i] = qkv__ratio_subtract(c->algebra, one, *rest);
        const qkv__ratio as_letter =
            qkv__ratio_of_form(c->algebra, qkv__form_parameter(c->algebra, letter));
        whole = qkv__ratio_add(c->algebra, whole,
                               qkv__ratio_multiply(c->algebra, factor[i], as_letter));
    }
    return !qkv__ratio_is_lost(whole) && qkv__ratio_equal(c->algebra, x, whole);
}

/* ---- Growth without bound -------------------------------------------------------------------- */

static bool vanishes(qkv__calculus *c, qkv__ratio x, int parameter)
{
    const qkv__limit limit = qkv__ratio_limit(c->algebra, x, parameter);
    return limit.kind == QKV__LIMIT_FINITE && qkv__ratio_is_zero(limit.value);
}

/* parameter^(halves/2) */
static const qkv__form *power_of(qkv__calculus *c, int parameter, int halves)
{
    qkv__term term = {.coefficient = qkv__rational_whole(1)};
    term.power[parameter] = (int16_t)halves;
    return qkv__form_term(c->algebra, &term);
}

/* The leading term of a form, as a form. */
static const qkv__form *first_of(qkv__calculus *c, const qkv__leading *first, int parameter)
{
    const qkv__form *term =
        qkv__form_multiply(c->algebra, first->coefficient, power_of(c, parameter, first->power));
    return qkv__form_multiply(c->algebra, term, qkv__form_exponential(c->algebra, first->growth));
}

typedef struct tendency {
    qkv__ratio steady;  /* what has a limit as a quotient of forms */
    qkv__ratio slow;    /* what multiplies ln p */
    qkv__ratio letters; /* logarithms of what does not move, times the limits of their factors */
} tendency;

/* factor * ln(argument), added to what is known of the rest. */
static bool add_logarithm(qkv__calculus *c, qkv__ratio argument, qkv__ratio factor, int parameter,
                          tendency *t)
{
    qkv__algebra *algebra = c->algebra;
    qkv__leading above, below;
    if (!qkv__form_leading(algebra, argument.numerator, parameter, &above) ||
        !qkv__form_leading(algebra, argument.denominator, parameter, &below))
        return false;
    const qkv__ratio constant =
        qkv__ratio_divide(algebra, qkv__ratio_of_form(algebra, above.coefficient),
                          qkv__ratio_of_form(algebra, below.coefficient));
    const qkv__ratio first = {first_of(c, &above, parameter), first_of(c, &below, parameter)};
    if (qkv__ratio_is_lost(constant) || first.numerator == NULL || first.denominator == NULL ||
        qkv__ratio_sign(algebra, constant) != QKV__SIGN_POSITIVE)
        return false;
    const qkv__ratio more = qkv__ratio_subtract(
        algebra, qkv__ratio_divide(algebra, argument, first), qkv__ratio_whole(algebra, 1));
    if (qkv__ratio_is_lost(more) || !vanishes(c, more, parameter) ||
        !vanishes(c, qkv__ratio_multiply(algebra, factor, more), parameter))
        return false;
    const qkv__ratio growth =
        qkv__ratio_of_form(algebra, qkv__form_subtract(algebra, above.growth, below.growth));
    t->steady = qkv__ratio_add(algebra, t->steady, qkv__ratio_multiply(algebra, factor, growth));
    const qkv__ratio power =
        qkv__ratio_constant(algebra, qkv__rational_make(above.power - below.power, 2));
    t->slow = qkv__ratio_add(algebra, t->slow, qkv__ratio_multiply(algebra, factor, power));
    if (qkv__ratio_equal(algebra, constant, qkv__ratio_whole(algebra, 1))) return true;
    const qkv__limit limit = qkv__ratio_limit(algebra, factor, parameter);
    if (limit.kind != QKV__LIMIT_FINITE) return false;
    t->letters = qkv__ratio_add(
        algebra, t->letters,
        qkv__ratio_multiply(algebra, limit.value, qkv__calculus_logarithm(c, constant)));
    return !qkv__ratio_is_lost(t->letters);
}

static bool is_bounded(qkv__calculus *c, qkv__ratio x, int parameter)
{
    return qkv__ratio_limit(c->algebra, x, parameter).kind == QKV__LIMIT_FINITE;
}

static qkv__limit infinite(qkv__sign sign)
{
    if (sign == QKV__SIGN_POSITIVE) return (qkv__limit){.kind = QKV__LIMIT_PLUS_INFINITY};
    if (sign == QKV__SIGN_NEGATIVE) return (qkv__limit){.kind = QKV__LIMIT_MINUS_INFINITY};
    return (qkv__limit){.kind = QKV__LIMIT_UNKNOWN};
}

/* What a number is like far out: lead, or lead*ln p, times what tends to 1. */
typedef struct order {
    qkv__ratio lead;
    bool slow; /* times ln p */
} order;

static qkv__limit limit_of_order(qkv__calculus *c, order x, qkv__ratio root, int parameter)
{
    qkv__algebra *algebra = c->algebra;
    if (!x.slow) return qkv__ratio_limit(algebra, x.lead, parameter);
    if (vanishes(c, qkv__ratio_multiply(algebra, x.lead, root), parameter)) /* ln p < sqrt(p) */
        return (qkv__limit){QKV__LIMIT_FINITE, qkv__ratio_whole(algebra, 0)};
    const qkv__ratio one = qkv__ratio_whole(algebra, 1);
    return infinite(is_bounded(c, qkv__ratio_divide(algebra, one, x.lead), parameter)
                        ? qkv__ratio_eventual_sign(algebra, x.lead, parameter)
                        : QKV__SIGN_UNKNOWN);
}

/* Whether a number is not 0 from some value of the parameter on, whatever is held fixed. */
static bool has_sign(const qkv__calculus *c, qkv__ratio x, int parameter)
{
    const qkv__sign sign = qkv__ratio_eventual_sign(c->algebra, x, parameter);
    return sign == QKV__SIGN_POSITIVE || sign == QKV__SIGN_NEGATIVE;
}

/* steady + slow*ln p, where slow does not vanish fast. Constants do not matter. */
static bool order_of_growth(qkv__calculus *c, const tendency *t, qkv__ratio root, int parameter,
                            order *x)
{
    qkv__algebra *algebra = c->algebra;
    const qkv__ratio one = qkv__ratio_whole(algebra, 1);
    const qkv__limit limit = qkv__ratio_limit(algebra, t->steady, parameter);
    /* |slow| sqrt(p)/|steady| -> 0, and ln p <= sqrt(p) */
    if ((limit.kind == QKV__LIMIT_PLUS_INFINITY || limit.kind == QKV__LIMIT_MINUS_INFINITY) &&
        vanishes(c,
                 qkv__ratio_divide(algebra, qkv__ratio_multiply(algebra, t->slow, root), t->steady),
                 parameter)) {
        *x = (order){t->steady, false};
        return true;
    }
    /* slow*(ln p + steady/slow), where the quotient is bounded and |slow| is not small, nor 0 for
     * some of what is held fixed */
    *x = (order){t->slow, true};
    return has_sign(c, t->slow, parameter) &&
           is_bounded(c, qkv__ratio_divide(algebra, t->steady, t->slow), parameter) &&
           is_bounded(c, qkv__ratio_divide(algebra, one, t->slow), parameter);
}

static bool tendency_of(qkv__calculus *c, qkv__ratio x, int parameter, tendency *t)
{
    const size_t count = c->count; /* constants bring letters of their own, which do not move */
    qkv__ratio factor[QKV__ATOMS];
    t->slow = t->letters = qkv__ratio_whole(c->algebra, 0);
    if (!take_apart(c, x, parameter, &t->steady, factor)) return false;
    for (size_t i = 0; i < count; i++)
        if (!qkv__ratio_is_zero(factor[i]) &&
            !add_logarithm(c, c->atom[i].argument, factor[i], parameter, t))
            return false;
    return true;
}

/* The limit of a sum of forms and logarithms, and, unless it is 0 or may be, the order. */
static qkv__limit tends_as_sum(qkv__calculus *c, qkv__ratio x, qkv__ratio root, int parameter,
                               order *like)
{
    qkv__algebra *algebra = c->algebra;
    const qkv__ratio lost = {NULL, NULL};
    tendency t;
    like->lead = lost;
    if (!tendency_of(c, x, parameter, &t)) return infinite(QKV__SIGN_UNKNOWN);
    if (!qkv__ratio_is_zero(t.slow) &&
        !vanishes(c, qkv__ratio_multiply(algebra, t.slow, root), parameter)) {
        if (order_of_growth(c, &t, root, parameter, like))
            return limit_of_order(c, *like, root, parameter);
        like->lead = lost;
        return infinite(QKV__SIGN_UNKNOWN);
    }
    qkv__limit limit = qkv__ratio_limit(algebra, t.steady, parameter);
    *like = (order){t.steady, false};
    if (limit.kind != QKV__LIMIT_FINITE) return limit;
    limit.value = qkv__ratio_add(algebra, limit.value, t.letters);
    const bool apart = qkv__calculus_prove(c, limit.value, QKV__GREATER, CONSTANT_DEPTH) ||
                       qkv__calculus_prove(c, limit.value, QKV__LESS, CONSTANT_DEPTH);
    like->lead = apart ? limit.value : lost;
    return limit;
}

static int least_power(const qkv__form *form, int parameter)
{
    int least = 0;
    for (size_t i = 0; form != NULL && i < form->count; i++)
        if (form->term[i].power[parameter] < least) least = form->term[i].power[parameter];
    return least;
}

/* Both parts without negative powers of letters that move: 1/ln t is a power as well. */
static qkv__ratio cleared(qkv__calculus *c, qkv__ratio x, int parameter)
{
    for (size_t i = 0; i < c->count; i++) {
        const int letter = c->atom[i].parameter;
        const int above = least_power(x.numerator, letter);
        const int below = least_power(x.denominator, letter);
        const int least = above < below ? above : below;
        if (least == 0 || !moves(c, &c->atom[i], parameter)) continue;
        const qkv__form *power = power_of(c, letter, -least);
        x.numerator = qkv__form_multiply(c->algebra, x.numerator, power);
        x.denominator = qkv__form_multiply(c->algebra, x.denominator, power);
    }
    return x;
}

/* What multiplies a logarithm that moves in the denominator: both parts are divided by it, so that
 * neither grows more than it must. 1 where there is none. */
static qkv__ratio weight_of(qkv__calculus *c, qkv__ratio denominator, int parameter)
{
    qkv__ratio rest, factor[QKV__ATOMS];
    if (take_apart(c, denominator, parameter, &rest, factor))
        for (size_t i = 0; i < c->count; i++)
            if (has_sign(c, factor[i], parameter)) return factor[i];
    return qkv__ratio_whole(c->algebra, 1);
}

/* A quotient of such sums: ln(1 + t)/ln(t). */
static qkv__limit tends_as_quotient(qkv__calculus *c, qkv__ratio x, qkv__ratio root, int parameter)
{
    qkv__algebra *algebra = c->algebra;
    order above, below;
    x = cleared(c, x, parameter);
    if (x.numerator == NULL || x.denominator == NULL) return infinite(QKV__SIGN_UNKNOWN);
    const qkv__ratio whole = qkv__ratio_of_form(algebra, x.denominator);
    const qkv__ratio weight = weight_of(c, whole, parameter);
    const qkv__ratio numerator =
        qkv__ratio_divide(algebra, qkv__ratio_of_form(algebra, x.numerator), weight);
    const qkv__ratio denominator = qkv__ratio_divide(algebra, whole, weight);
    if (qkv__ratio_is_lost(numerator) || qkv__ratio_is_lost(denominator))
        return infinite(QKV__SIGN_UNKNOWN);
    const qkv__limit over = tends_as_sum(c, numerator, root, parameter, &above);
    const qkv__limit under = tends_as_sum(c, denominator, root, parameter, &below);
    if (over.kind == QKV__LIMIT_FINITE && under.kind > QKV__LIMIT_FINITE)
        return (qkv__limit){QKV__LIMIT_FINITE, qkv__ratio_whole(algebra, 0)};
    if (over.kind == QKV__LIMIT_FINITE && !qkv__ratio_is_lost(below.lead) &&
        under.kind == QKV__LIMIT_FINITE)
        return (qkv__limit){QKV__LIMIT_FINITE, qkv__ratio_divide(algebra, over.value, under.value)};
    if (qkv__ratio_is_lost(above.lead) || qkv__ratio_is_lost(below.lead))
        return infinite(QKV__SIGN_UNKNOWN);
    const order quotient = {qkv__ratio_divide(algebra, above.lead, below.lead),
                            above.slow && !below.slow};
    if (qkv__ratio_is_lost(quotient.lead)) return infinite(QKV__SIGN_UNKNOWN);
    if (above.slow || !below.slow) return limit_of_order(c, quotient, root, parameter);
    if (is_bounded(c, quotient.lead, parameter)) /* over ln p */
        return (qkv__limit){QKV__LIMIT_FINITE, qkv__ratio_whole(algebra, 0)};
    const qkv__limit limit =
        qkv__ratio_limit(algebra, qkv__ratio_divide(algebra, quotient.lead, root), parameter);
    return limit.kind == QKV__LIMIT_FINITE ? infinite(QKV__SIGN_UNKNOWN) : limit;
}

static qkv__limit tends_far_out(qkv__calculus *c, qkv__ratio x, int parameter)
{
    const qkv__ratio root = qkv__ratio_of_form(c->algebra, power_of(c, parameter, 1));
    order like;
    const qkv__limit limit = tends_as_sum(c, x, root, parameter, &like);
    return limit.kind != QKV__LIMIT_UNKNOWN ? limit : tends_as_quotient(c, x, root, parameter);
}

/* ---- A finite point, at which everything is continuous ----------------------------------------
 */

static bool is_apart_from_zero(qkv__calculus *c, const qkv__form *form)
{
    const qkv__sign sign = form == NULL ? QKV__SIGN_UNKNOWN : qkv__form_sign(c->algebra, form);
    return sign == QKV__SIGN_POSITIVE || sign == QKV__SIGN_NEGATIVE;
}

static qkv__limit tends_at_point(qkv__calculus *c, qkv__ratio x, const qkv__passage *passage)
{
    const qkv__limit unknown = {.kind = QKV__LIMIT_UNKNOWN};
    qkv__algebra *algebra = c->algebra;
    const qkv__form *point = qkv__form_constant(algebra, passage->point);
    const size_t count = c->count;
    if (!is_apart_from_zero(
            c, qkv__form_substitute(algebra, x.denominator, passage->parameter, point)))
        return unknown;
    for (size_t i = 0; i < count; i++) {
        const qkv__atom *atom = &c->atom[i];
        if (!moves(c, atom, passage->parameter) || !qkv__ratio_depends_on(x, atom->parameter))
            continue;
        if (atom->kind != QKV__ATOM_LOGARITHM || is_nested(c, atom, passage->parameter) ||
            !is_apart_from_zero(c, qkv__form_substitute(algebra, atom->argument.denominator,
                                                        passage->parameter, point)))
            return unknown;
        const qkv__ratio there =
            qkv__ratio_substitute(algebra, atom->argument, passage->parameter, point);
        if (qkv__ratio_is_lost(there) || qkv__ratio_sign(algebra, there) != QKV__SIGN_POSITIVE)
            return unknown;
    }
    return (qkv__limit){
        .kind = QKV__LIMIT_FINITE,
        .value = qkv__calculus_put(c, x, passage->parameter, qkv__ratio_of_form(algebra, point))};
}

/* Whether a number depends on another size than the one that grows: they may grow together. */
static bool has_other_size(const qkv__calculus *c, qkv__ratio x, int moving)
{
    const qkv__algebra *algebra = c->algebra;
    for (int p = 0; p < (int)algebra->parameter_count; p++)
        if (p != moving && algebra->parameter[p].whole && qkv__calculus_depends(c, x, p))
            return true;
    return false;
}

qkv__limit qkv__calculus_tends(qkv__calculus *c, qkv__ratio x)
{
    const qkv__limit unknown = {.kind = QKV__LIMIT_UNKNOWN};
    assert(c->s->limit_count == 1);
    const qkv__passage *passage = &c->s->limit[0];
    const qkv__parameter *moving = &c->algebra->parameter[passage->parameter];
    if (is_free(c, x) || (moving->whole && has_other_size(c, x, passage->parameter)))
        return unknown;
    for (size_t i = 0; i < c->count; i++)
        if (is_free(c, c->atom[i].argument)) return unknown;
    if (!passage->infinite) return tends_at_point(c, x, passage);
    return moving->upper.known ? unknown : tends_far_out(c, x, passage->parameter);
}
