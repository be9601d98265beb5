/* Step functions that ratios tend to, and their expectations in closed form. Exact but for the last
 * step, the enclosure of erfc. Knows nothing of integration. */
#include "ball/expectation_limit.h"

#include <inttypes.h>

#include "ball/expectation_part.h"

enum { LINES = 12, PRECISION = 128 };

/* The line p x + q, over which b grows in the exponent, and the power of b beside it. */
typedef struct line {
    qkv__rational p, q;
    int power;               /* of b, in halves */
    const qkv__form *factor; /* all terms with this line and power, without their exponential */
} line;

typedef struct lines {
    size_t count;
    line line[LINES];
} lines;

/* ---- Terms as lines ------------------------------------------------------------------------- */

/* Whether a term of an exponent is a rational times b, or times b x; or else free of both. */
static bool read_exponent_term(const qkv__term *term, int growing, int parameter, line *l,
                               bool *free)
{
    *free = term->power[growing] == 0 && term->power[parameter] == 0;
    if (*free) return true;
    if (term->power[growing] != 2) return false;
    for (int p = 0; p < QKV__PARAMETERS; p++)
        if (p != growing && p != parameter && term->power[p] != 0) return false;
    if (term->power[parameter] == 0)
        l->q = term->coefficient;
    else if (term->power[parameter] == 2)
        l->p = term->coefficient;
    else
        return false;
    return true;
}

/* The term as a line and a factor e^(what is free of b and x) * the powers of other parameters. */
static bool read_term(qkv__algebra *algebra, const qkv__term *term, int growing, int parameter,
                      line *l)
{
    const qkv__form *rest = qkv__form_whole(algebra, 0);
    qkv__term factor = *term;
    *l = (line){qkv__rational_whole(0), qkv__rational_whole(0), term->power[growing], NULL};
    if (term->power[parameter] != 0) return false;
    for (size_t i = 0; term->exponent != NULL && i < term->exponent->count; i++) {
        bool free;
        if (!read_exponent_term(&term->exponent->term[i], growing, parameter, l, &free))
            return false;
        if (free)
            rest = qkv__form_add(algebra, rest, qkv__form_term(algebra, &term->exponent->term[i]));
    }
    factor.exponent = NULL;
    factor.power[growing] = 0;
    l->factor = qkv__form_multiply(algebra, qkv__form_term(algebra, &factor),
                                   qkv__form_exponential(algebra, rest));
    return l->factor != NULL;
}

static bool is_same_line(const line *a, const line *b)
{
    return qkv__rational_compare(a->p, b->p) == 0 && qkv__rational_compare(a->q, b->q) == 0;
}

static bool read_lines(qkv__algebra *algebra, const qkv__form *form, int growing, int parameter,
                       lines *all)
{
    all->count = 0;
    for (size_t i = 0; i < form->count; i++) {
        line next;
        size_t at = 0;
        if (!read_term(algebra, &form->term[i], growing, parameter, &next)) return false;
        while (at < all->count &&
               !(is_same_line(&all->line[at], &next) && all->line[at].power == next.power))
            at++;
        if (at == LINES) return false;
        if (at < all->count)
            next.factor = qkv__form_add(algebra, all->line[at].factor, next.factor);
        else
            all->count++;
        if (next.factor == NULL) return false;
        all->line[at] = next;
    }
    return true;
}

/* ---- Crossings ------------------------------------------------------------------------------ */

typedef struct crossings {
    size_t count;
    qkv__rational at[QKV__STEPS - 1];
} crossings;

static bool insert_crossing(crossings *all, qkv__rational x)
{
    size_t at = 0;
    if (qkv__rational_is_lost(x)) return false;
    while (at < all->count && qkv__rational_compare(all->at[at], x) < 0) at++;
    if (at < all->count && qkv__rational_compare(all->at[at], x) == 0) return true;
    if (all->count == QKV__STEPS - 1) return false;
    for (size_t i = all->count++; i > at; i--) all->at[i] = all->at[i - 1];
    all->at[at] = x;
    return true;
}

static bool cross_lines(const line *a, const line *b, crossings *all)
{
    qkv__rational slope = qkv__rational_subtract(a->p, b->p);
    if (qkv__rational_is_zero(slope)) return true;
    return insert_crossing(all, qkv__rational_divide(qkv__rational_subtract(b->q, a->q), slope));
}

static bool cross_all(const lines *above, const lines *below, crossings *all)
{
    size_t count = above->count + below->count;
    all->count = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++) {
            const line *a = i < above->count ? &above->line[i] : &below->line[i - above->count];
            const line *b = j < above->count ? &above->line[j] : &below->line[j - above->count];
            if (!cross_lines(a, b, all)) return false;
        }
    return true;
}

/* A point between two crossings, or beyond the last. */
static qkv__rational point_of(const qkv__step *step)
{
    const qkv__rational one = qkv__rational_whole(1);
    if (step->has_lower && step->has_upper)
        return qkv__rational_divide(qkv__rational_add(step->lower, step->upper),
                                    qkv__rational_whole(2));
    if (step->has_lower) return qkv__rational_add(step->lower, one);
    if (step->has_upper) return qkv__rational_subtract(step->upper, one);
    return qkv__rational_whole(0);
}

/* ---- Steps ---------------------------------------------------------------------------------- */

/* The sign of how much faster one term grows than another at x; both not lost. */
static int compare_growth(const line *a, const line *b, qkv__rational x)
{
    qkv__rational left = qkv__rational_add(qkv__rational_multiply(a->p, x), a->q);
    qkv__rational right = qkv__rational_add(qkv__rational_multiply(b->p, x), b->q);
    int order = qkv__rational_compare(left, right);
    return order != 0 ? order : (a->power > b->power) - (a->power < b->power);
}

static const line *largest(const lines *all, qkv__rational x)
{
    const line *found = &all->line[0];
    for (size_t i = 1; i < all->count; i++)
        if (compare_growth(&all->line[i], found, x) > 0) found = &all->line[i];
    return found;
}

static bool is_strict(qkv__sign sign)
{
    return sign == QKV__SIGN_POSITIVE || sign == QKV__SIGN_NEGATIVE;
}

/* A denominator whose largest term may vanish tells nothing; a numerator's may, as far as values
 * go: what is smaller than it is then smaller still. */
static bool set_step(qkv__algebra *algebra, const lines *above, const lines *below, qkv__step *step)
{
    qkv__rational x = point_of(step);
    if (qkv__rational_is_lost(x) || below->count == 0) return false;
    const line *bottom = largest(below, x);
    qkv__sign sign = qkv__form_sign(algebra, bottom->factor);
    if (!is_strict(sign)) return false;
    step->value = qkv__ratio_whole(algebra, 0);
    step->sign = QKV__SIGN_ZERO;
    if (above->count == 0) return true;
    const line *top = largest(above, x);
    qkv__sign top_sign = qkv__form_sign(algebra, top->factor);
    step->sign = is_strict(top_sign) ? qkv__sign_multiply(top_sign, sign) : QKV__SIGN_UNKNOWN;
    int order = compare_growth(top, bottom, x);
    if (order > 0) step->value = (qkv__ratio){NULL, NULL};
    if (order == 0)
        step->value = qkv__ratio_divide(algebra, qkv__ratio_of_form(algebra, top->factor),
                                        qkv__ratio_of_form(algebra, bottom->factor));
    return true;
}

/* Lines and points are made of products of rationals that may be lost: compare would not see it. */
static bool is_small(const lines *all)
{
    const int64_t limit = INT64_C(1) << 15;
    for (size_t i = 0; i < all->count; i++) {
        qkv__rational p = all->line[i].p, q = all->line[i].q;
        if (p.numerator > limit || p.numerator < -limit || p.denominator > limit) return false;
        if (q.numerator > limit || q.numerator < -limit || q.denominator > limit) return false;
    }
    return true;
}

bool qkv__limit_steps(qkv__algebra *algebra, qkv__ratio f, int growing, int parameter,
                      qkv__steps *steps)
{
    lines above, below;
    crossings all;
    steps->count = 0;
    if (qkv__ratio_is_lost(f) || growing == parameter) return false;
    if (!read_lines(algebra, f.numerator, growing, parameter, &above)) return false;
    if (!read_lines(algebra, f.denominator, growing, parameter, &below)) return false;
    if (!is_small(&above) || !is_small(&below) || !cross_all(&above, &below, &all)) return false;
    for (size_t i = 0; i <= all.count; i++) {
        qkv__step *step = &steps->step[steps->count++];
        *step = (qkv__step){.has_lower = i > 0, .has_upper = i < all.count};
        if (step->has_lower) step->lower = all.at[i - 1];
        if (step->has_upper) step->upper = all.at[i];
        if (!set_step(algebra, &above, &below, step)) return false;
    }
    return true;
}

/* ---- Sums of tails -------------------------------------------------------------------------- */

/* first + the sum of jump_i P(x > at_i): the expectation of a step function. */
typedef struct tails {
    qkv__rational first;
    size_t count;
    qkv__rational at[QKV__STEPS], jump[QKV__STEPS];
} tails;

/* Values of the steps, in order. */
static void set_tails(tails *sum, const qkv__steps *steps, const qkv__rational *value)
{
    *sum = (tails){.first = value[0]};
    for (size_t i = 1; i < steps->count; i++) {
        qkv__rational jump = qkv__rational_subtract(value[i], value[i - 1]);
        if (qkv__rational_is_zero(jump)) continue;
        sum->at[sum->count] = steps->step[i].lower;
        sum->jump[sum->count++] = jump;
    }
}

static void enclose_tails(arb_t value, const tails *sum, qkv__normal normal)
{
    qkv__normal_ball ball;
    arb_t chance, jump;
    arb_init(chance);
    arb_init(jump);
    qkv__normal_ball_init(&ball, normal, PRECISION);
    qkv__arb_set_rational(value, sum->first, PRECISION);
    for (size_t i = 0; i < sum->count; i++) {
        qkv__half_line above = {true, sum->at[i], sum->at[i]};
        qkv__line_chance(chance, &above, &ball, PRECISION);
        qkv__arb_set_rational(jump, sum->jump[i], PRECISION);
        arb_addmul(value, jump, chance, PRECISION);
    }
    qkv__normal_ball_clear(&ball);
    arb_clear(chance);
    arb_clear(jump);
}

/* P(x > t) is 1/2 erfc(u), or 1 - 1/2 erfc(-u): the constants are collected in front. */
static qkv__rational constant_part(const tails *sum, qkv__normal normal)
{
    qkv__rational constant = sum->first;
    for (size_t i = 0; i < sum->count; i++) {
        int side = qkv__rational_compare(sum->at[i], normal.mean);
        if (side > 0) continue;
        qkv__rational part = side < 0 ? qkv__rational_whole(1) : qkv__rational_make(1, 2);
        constant = qkv__rational_add(constant, qkv__rational_multiply(sum->jump[i], part));
    }
    return constant;
}

static void write_rational(qkv__rational value, qkv__text *text)
{
    qkv__text_format(text, "%" PRId64, value.numerator);
    if (value.denominator != 1) qkv__text_format(text, "/%" PRId64, value.denominator);
}

static void write_tails(const tails *sum, qkv__normal normal, qkv__text *text)
{
    qkv__rational constant = constant_part(sum, normal);
    bool begun = !qkv__rational_is_zero(constant);
    if (begun) write_rational(constant, text);
    for (size_t i = 0; i < sum->count; i++) {
        int side = qkv__rational_compare(sum->at[i], normal.mean);
        if (side == 0) continue;
        qkv__rational factor =
            qkv__rational_multiply(sum->jump[i], qkv__rational_make(side > 0 ? 1 : -1, 2));
        bool negative = qkv__rational_sign(factor) < 0;
        qkv__text_format(text, "%s", begun ? (negative ? " - " : " + ") : negative ? "-" : "");
        write_rational(negative ? qkv__rational_negate(factor) : factor, text);
        qkv__text_format(text, "*");
        qkv__normal_write_erfc(normal, sum->at[i], text);
        begun = true;
    }
    if (!begun) qkv__text_format(text, "0");
}

static bool has_law(const qkv__algebra *algebra, qkv__normal normal, int growing)
{
    return qkv__normal_is_sound(algebra, normal) && qkv__rational_sign(normal.variance) > 0 &&
           growing >= 0 && (size_t)growing < algebra->parameter_count &&
           algebra->parameter[growing].prime == 0 && !algebra->parameter[growing].upper.known;
}

static bool are_found(const tails *sum)
{
    bool found = !qkv__rational_is_lost(sum->first);
    for (size_t i = 0; i < sum->count; i++) found = found && !qkv__rational_is_lost(sum->jump[i]);
    return found;
}

static bool tell_tails(const tails *sum, qkv__normal normal, qkv__enclosure *out, qkv__text *text)
{
    if (!are_found(sum)) return false;
    arb_t value;
    arb_init(value);
    enclose_tails(value, sum, normal);
    qkv__enclosure_of_arb(out, value);
    if (out->known && text != NULL) write_tails(sum, normal, text);
    arb_clear(value);
    return out->known;
}

/* ---- Probabilities -------------------------------------------------------------------------- */

static int sign_number(qkv__sign sign)
{
    return sign == QKV__SIGN_POSITIVE ? 1 : sign == QKV__SIGN_NEGATIVE ? -1 : 0;
}

/* Whether f > 0 holds from some b on is known for every x but the crossings, so that the chances
 * converge too. */
bool qkv__limit_probability(qkv__algebra *algebra, qkv__ratio f, qkv__event event, int growing,
                            qkv__normal normal, qkv__enclosure *out, qkv__text *text)
{
    qkv__steps steps;
    qkv__rational value[QKV__STEPS] = {{0, 0}};
    tails sum;
    *out = (qkv__enclosure){0};
    if (!has_law(algebra, normal, growing)) return false;
    if (!qkv__limit_steps(algebra, f, growing, normal.parameter, &steps)) return false;
    for (size_t i = 0; i < steps.count; i++) {
        if (steps.step[i].sign == QKV__SIGN_UNKNOWN) return false;
        value[i] =
            qkv__rational_whole(qkv__event_holds(event, sign_number(steps.step[i].sign)) ? 1 : 0);
    }
    set_tails(&sum, &steps, value);
    return tell_tails(&sum, normal, out, text);
}

/* ---- Expectations --------------------------------------------------------------------------- */

/* Every parameter with a lower bound counted from there: n e^x - 2 e^x, of which intervals know
 * nothing, is y e^x with y = n - 2 >= 0. */
static qkv__ratio count_from_bounds(qkv__algebra *algebra, qkv__ratio f, int growing)
{
    for (int p = 0; p < (int)algebra->parameter_count; p++) {
        qkv__parameter *parameter = &algebra->parameter[p];
        qkv__rational from = parameter->lower.value;
        if (p == growing || parameter->prime != 0 || !parameter->lower.known) continue;
        const qkv__form *moved = qkv__form_add(algebra, qkv__form_constant(algebra, from),
                                               qkv__form_parameter(algebra, p));
        qkv__ratio counted = qkv__ratio_substitute(algebra, f, p, moved);
        if (qkv__ratio_is_lost(counted)) continue;
        f = counted;
        parameter->whole = parameter->whole && qkv__rational_is_whole(from);
        parameter->lower.value = qkv__rational_whole(0);
        parameter->upper.value = qkv__rational_subtract(parameter->upper.value, from);
    }
    return f;
}

static bool is_never_negative(qkv__sign sign)
{
    return sign == QKV__SIGN_POSITIVE || sign == QKV__SIGN_NONNEGATIVE || sign == QKV__SIGN_ZERO;
}

/* -K <= f <= K: the numerator is within K times a denominator that is positive, by algebra. */
static bool is_within(qkv__algebra *algebra, qkv__ratio f, int64_t most)
{
    const qkv__form *limit = qkv__form_scale(algebra, f.denominator, qkv__rational_whole(most));
    const qkv__form *above = qkv__form_subtract(algebra, limit, f.numerator);
    const qkv__form *below = qkv__form_add(algebra, limit, f.numerator);
    if (above == NULL || below == NULL) return false;
    return is_never_negative(qkv__form_sign(algebra, above)) &&
           is_never_negative(qkv__form_sign(algebra, below));
}

static bool is_bounded_by_algebra(qkv__algebra *algebra, qkv__ratio f)
{
    if (qkv__form_sign(algebra, f.denominator) != QKV__SIGN_POSITIVE) return false;
    for (int64_t most = 1; most <= 4096; most *= 16)
        if (is_within(algebra, f, most)) return true;
    return false;
}

/* Bounded for all b from 1 on and all x. */
static bool is_bounded(const qkv__algebra *algebra, qkv__ratio f, int growing, int parameter)
{
    qkv__algebra scratch = qkv__algebra_scratch(algebra);
    qkv__box box;
    qkv__interval bounds;
    qkv__range large = {.lower = {.known = true, .value = {1, 1}}};
    qkv__interval_init(&bounds);
    scratch.parameter[parameter].lower.known = scratch.parameter[parameter].upper.known = false;
    bool bounded = is_bounded_by_algebra(&scratch, f);
    if (!bounded) {
        f = count_from_bounds(&scratch, f, growing);
        bounded = qkv__box_of_algebra(&scratch, &box) &&
                  qkv__box_narrow(&scratch, &box, growing, large) &&
                  qkv__ratio_bound(&scratch, f, &box, &bounds);
    }
    qkv__arena_free(&scratch.arena);
    qkv__interval_clear(&bounds);
    return bounded;
}

/* The values of the steps; false unless all are rational numbers. */
static bool read_values(const qkv__steps *steps, qkv__rational value[QKV__STEPS])
{
    for (size_t i = 0; i < steps->count; i++)
        if (qkv__ratio_is_lost(steps->step[i].value) ||
            !qkv__ratio_is_constant(steps->step[i].value, &value[i]))
            return false;
    return steps->count > 0;
}

static bool find_steps(qkv__algebra *algebra, qkv__ratio f, int growing, qkv__normal normal,
                       tails *sum)
{
    qkv__steps steps;
    qkv__rational value[QKV__STEPS] = {{0, 0}};
    if (!qkv__limit_steps(algebra, f, growing, normal.parameter, &steps)) return false;
    if (!read_values(&steps, value)) return false;
    set_tails(sum, &steps, value);
    return are_found(sum);
}

static bool find_tails(qkv__algebra *algebra, qkv__ratio f, int growing, qkv__normal normal,
                       tails *sum)
{
    return has_law(algebra, normal, growing) && find_steps(algebra, f, growing, normal, sum) &&
           is_bounded(algebra, f, growing, normal.parameter);
}

bool qkv__limit_expectation(qkv__algebra *algebra, qkv__ratio f, int growing, qkv__normal normal,
                            qkv__enclosure *out, qkv__text *text)
{
    tails sum;
    *out = (qkv__enclosure){0};
    if (!find_tails(algebra, f, growing, normal, &sum)) return false;
    return tell_tails(&sum, normal, out, text);
}

bool qkv__limit_covariance(qkv__algebra *algebra, qkv__ratio f, qkv__ratio g, int growing,
                           qkv__normal normal, qkv__enclosure *out)
{
    tails first, second, both;
    qkv__ratio product = qkv__ratio_multiply(algebra, f, g);
    *out = (qkv__enclosure){0};
    if (!find_tails(algebra, f, growing, normal, &first) ||
        !find_tails(algebra, g, growing, normal, &second) ||
        !find_steps(algebra, product, growing, normal, &both)) /* bounded, as its factors are */
        return false;
    arb_t sum[3];
    for (int i = 0; i < 3; i++) arb_init(sum[i]);
    enclose_tails(sum[0], &first, normal);
    enclose_tails(sum[1], &second, normal);
    enclose_tails(sum[2], &both, normal);
    arb_submul(sum[2], sum[0], sum[1], PRECISION);
    qkv__enclosure_of_arb(out, sum[2]);
    for (int i = 0; i < 3; i++) arb_clear(sum[i]);
    return out->known;
}
