/* Expectations over two independent normal parameters: of their sum or difference alone, which is
 * normal again, or else an integral of integrals, for bounded functions, whose tails weigh as much
 * as the law says. */
#include "ball/expectation.h"

#include <assert.h>
#include "ball/expectation_part.h"

enum {
    PRECISION = 53,
    GOAL_BITS = 24, /* of the whole; the inner integral has a few more */
    INNER_EVALUATIONS = 1000,
    OUTER_EVALUATIONS = 1000,
};

static const double cut = 6.5; /* beyond lies less than 2^-33 */

typedef struct plan {
    qkv__complex_ratio f;
    qkv__normal_ball ball[2];
    acb_t outer; /* the first parameter, while the inner integral runs */
} plan;

/* ---- One parameter for two ------------------------------------------------------------------ */

/* x for x + y or x - y: f with x replaced by x - sign*y, which is free of y if f was one of x +
 * sign*y alone. */
static bool merge_as(qkv__algebra *algebra, qkv__ratio *f, const qkv__normal normal[2], int sign,
                     qkv__normal *merged)
{
    assert(sign == 1 || sign == -1);
    int x = normal[0].parameter, y = normal[1].parameter;
    qkv__rational factor = qkv__rational_whole(sign);
    const qkv__form *other =
        qkv__form_scale(algebra, qkv__form_parameter(algebra, y), qkv__rational_negate(factor));
    qkv__ratio moved = qkv__ratio_substitute(
        algebra, *f, x, qkv__form_add(algebra, qkv__form_parameter(algebra, x), other));
    if (qkv__ratio_is_lost(moved) || qkv__ratio_depends_on(moved, y)) return false;
    *f = moved;
    *merged = (qkv__normal){
        x, qkv__rational_add(normal[0].mean, qkv__rational_multiply(factor, normal[1].mean)),
        qkv__rational_add(normal[0].variance, normal[1].variance)};
    return true;
}

/* e^x/(e^x + e^y) becomes 1/(1 + e^(y - x)) before: over the first term of the denominator. */
static qkv__ratio over_first_term(qkv__algebra *algebra, qkv__ratio f)
{
    if (f.denominator->count == 0) return f;
    const qkv__term *term = &f.denominator->term[0];
    qkv__ratio divided = {qkv__form_divide_by_term(algebra, f.numerator, term),
                          qkv__form_divide_by_term(algebra, f.denominator, term)};
    return qkv__ratio_is_lost(divided) ? f : divided;
}

bool qkv__normal_merge(qkv__algebra *algebra, qkv__ratio *f, const qkv__normal normal[2],
                       qkv__normal *merged)
{
    if (qkv__ratio_is_lost(*f) || normal[0].parameter == normal[1].parameter) return false;
    for (int i = 0; i < 2; i++)
        if (!qkv__normal_is_sound(algebra, normal[i])) return false;
    qkv__ratio plain = over_first_term(algebra, *f);
    if (!merge_as(algebra, &plain, normal, -1, merged) &&
        !merge_as(algebra, &plain, normal, 1, merged))
        return false;
    *f = plain;
    return true;
}

/* ---- The integral --------------------------------------------------------------------------- */

static void place(acb_t z, const acb_t x, const qkv__normal_ball *ball, slong precision)
{
    acb_mul_arb(z, x, ball->deviation, precision);
    acb_add_arb(z, z, ball->mean, precision);
}

static void inner_value(acb_t value, const acb_t x, void *context, slong precision)
{
    const plan *p = context;
    acb_ptr z = _acb_vec_init(QKV__VARIABLES);
    acb_set(z, p->outer);
    place(z + 1, x, &p->ball[1], precision);
    qkv__complex_ratio_value(value, &p->f, z, precision);
    _acb_vec_clear(z, QKV__VARIABLES);
}

static void integrate(acb_t sum, qkv__curve *curve, plan *p, slong goal, slong evaluations)
{
    arf_t from, to;
    mag_t tolerance;
    arf_init(from);
    arf_init(to);
    mag_init(tolerance);
    arf_set_d(from, -cut);
    arf_set_d(to, cut);
    mag_set_ui_2exp_si(tolerance, 1, -goal);
    qkv__normal_integrate(sum, curve, p, from, to, tolerance, goal, evaluations, PRECISION);
    arf_clear(from);
    arf_clear(to);
    mag_clear(tolerance);
}

/* Analytic in the outer variable wherever it is finite: then the integrand was seen to be so over
 * the outer ball and all of the inner path. */
static void outer_value(acb_t value, const acb_t x, void *context, slong precision)
{
    plan *p = context;
    place(p->outer, x, &p->ball[0], precision);
    integrate(value, inner_value, p, GOAL_BITS + 4, INNER_EVALUATIONS);
}

/* ---- What lies beyond the cuts -------------------------------------------------------------- */

/* 1 - (1 - 2q)^2 = 4q(1 - q) for the weight q of one tail */
static void add_outside(arb_t sum, const qkv__interval *bounds)
{
    arb_t weight, values;
    arb_init(weight);
    arb_init(values);
    arb_set_d(values, cut);
    qkv__normal_above(weight, values, PRECISION);
    arb_mul(values, weight, weight, PRECISION);
    arb_sub(weight, weight, values, PRECISION);
    arb_mul_2exp_si(weight, weight, 2);
    arb_set_interval_arf(values, bounds->lower, bounds->upper, PRECISION);
    arb_addmul(sum, weight, values, PRECISION);
    arb_clear(weight);
    arb_clear(values);
}

/* ---- The whole ------------------------------------------------------------------------------ */

static void expect(plan *p, const qkv__interval *bounds, qkv__enclosure *out)
{
    acb_t sum;
    qkv__interval found;
    acb_init(sum);
    qkv__interval_init(&found);
    integrate(sum, outer_value, p, GOAL_BITS, OUTER_EVALUATIONS);
    add_outside(acb_realref(sum), bounds);
    if (acb_is_finite(sum)) {
        arb_get_interval_arf(found.lower, found.upper, acb_realref(sum), PRECISION);
        qkv__interval_meet(&found, &found, bounds);
        qkv__enclosure_set(out, &found);
    }
    acb_clear(sum);
    qkv__interval_clear(&found);
}

static void expect_with(qkv__algebra *algebra, qkv__ratio f, const qkv__normal normal[2],
                        const qkv__box *box, qkv__enclosure *out)
{
    qkv__complex_frame frame = {algebra, box, 2, {normal[0].parameter, normal[1].parameter}};
    plan p;
    if (!qkv__complex_ratio_init(&p.f, f, &frame, PRECISION)) return;
    qkv__interval bounds;
    qkv__interval_init(&bounds);
    for (int i = 0; i < 2; i++) qkv__normal_ball_init(&p.ball[i], normal[i], PRECISION);
    acb_init(p.outer);
    if (qkv__ratio_bound(algebra, f, box, &bounds)) expect(&p, &bounds, out);
    acb_clear(p.outer);
    for (int i = 0; i < 2; i++) qkv__normal_ball_clear(&p.ball[i]);
    qkv__interval_clear(&bounds);
    qkv__complex_ratio_clear(&p.f);
}

bool qkv__ball_expectation_two(const qkv__algebra *algebra, qkv__ratio f,
                               const qkv__normal normal[2], const qkv__box *box,
                               qkv__enclosure *out)
{
    qkv__box freed;
    *out = (qkv__enclosure){0};
    if (qkv__ratio_is_lost(f) || normal[0].parameter == normal[1].parameter) return false;
    for (int i = 0; i < 2; i++) {
        if (!qkv__normal_is_sound(algebra, normal[i])) return false;
        if (!qkv__box_free(algebra, i == 0 ? box : &freed, normal[i].parameter, &freed))
            return false;
    }
    qkv__algebra scratch = qkv__algebra_scratch(algebra);
    qkv__normal merged;
    f = qkv__ratio_fix(&scratch, f, &freed);
    if (qkv__normal_merge(&scratch, &f, normal, &merged))
        qkv__ball_expectation(&scratch, f, merged, &freed, out);
    else
        expect_with(&scratch, f, normal, &freed, out);
    qkv__arena_free(&scratch.arena);
    return out->known;
}
