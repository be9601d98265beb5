/* What a normal law leaves beyond a cut: bounds of the function there, and the weight that the law
 * gives to it. Knows nothing of what lies between the cuts. */
#include <assert.h>
#include <math.h>

#include "ball/evaluate.h"
#include "ball/expectation_part.h"
#include "ball/fraction.h"

enum { PRECISION = 64 }; /* of bounds: width comes from the tail */

/* ---- Bounds of the function ----------------------------------------------------------------- */

/* f(from + side*y) e^(-growth*y), with the parameter in the role of y. */
static qkv__ratio move_to_tail(qkv__algebra *algebra, qkv__ratio f, int parameter,
                               qkv__rational from, int side, int64_t growth)
{
    const qkv__form *y = qkv__form_parameter(algebra, parameter);
    const qkv__form *place = qkv__form_add(algebra, qkv__form_constant(algebra, from),
                                           qkv__form_scale(algebra, y, qkv__rational_whole(side)));
    qkv__ratio moved = qkv__ratio_substitute(algebra, f, parameter, place);
    if (growth == 0) return moved;
    const qkv__form *slope = qkv__form_scale(algebra, y, qkv__rational_whole(-growth));
    moved.numerator =
        qkv__form_multiply(algebra, moved.numerator, qkv__form_exponential(algebra, slope));
    return moved;
}

static void evaluate_ways(const qkv__ratio *way, size_t count, const qkv__domain *domain,
                          qkv__interval *bounds)
{
    qkv__interval above, below;
    qkv__interval_init(&above);
    qkv__interval_init(&below);
    qkv__interval_set_everything(bounds);
    for (size_t i = 0; i < count; i++) {
        qkv__evaluate(way[i].numerator, domain, &above);
        qkv__evaluate(way[i].denominator, domain, &below);
        qkv__interval_divide(&above, &above, &below, domain->precision);
        qkv__interval_meet(bounds, bounds, &above);
    }
    qkv__interval_clear(&above);
    qkv__interval_clear(&below);
}

/* The tail in pieces, since y^k e^(-y) is bounded where it rises and where it falls, but not over
 * both at once. */
static void bound_over(qkv__algebra *algebra, qkv__ratio f, int parameter, qkv__box box,
                       qkv__interval *bounds)
{
    assert(qkv__is_parameter(algebra, parameter));
    static const int64_t cut[] = {4, 64, 1024};
    enum { PIECES = sizeof cut / sizeof cut[0] + 1 };
    qkv__ratio way[QKV__WAYS];
    qkv__interval piece;
    qkv__interval_init(&piece);
    size_t count = qkv__ratio_ways(algebra, f, &box, way);
    qkv__range *range = &box.range[parameter];
    *range = (qkv__range){.upper = {.known = true, .value = {0, 1}}};
    for (int i = 0; i < PIECES; i++) {
        qkv__domain domain;
        range->lower = range->upper;
        range->upper = (qkv__bound){.known = i < PIECES - 1};
        if (range->upper.known) range->upper.value = qkv__rational_whole(cut[i]);
        qkv__domain_init(&domain, algebra, &box, PRECISION);
        evaluate_ways(way, count, &domain, &piece);
        qkv__domain_clear(&domain);
        if (i == 0) qkv__interval_set(bounds, &piece);
        qkv__interval_join(bounds, bounds, &piece);
    }
    qkv__interval_clear(&piece);
}

bool qkv__ratio_bound(qkv__algebra *algebra, qkv__ratio f, const qkv__box *box,
                      qkv__interval *bounds)
{
    qkv__ratio way[QKV__WAYS];
    qkv__domain domain;
    size_t count = qkv__ratio_ways(algebra, f, box, way);
    qkv__domain_init(&domain, algebra, box, PRECISION);
    evaluate_ways(way, count, &domain, bounds);
    qkv__domain_clear(&domain);
    return qkv__interval_is_finite(bounds) && arf_cmp(bounds->lower, bounds->upper) <= 0;
}

bool qkv__tail_bound(const qkv__algebra *algebra, qkv__ratio f, int parameter, qkv__rational from,
                     int side, int64_t growth, const qkv__box *box, qkv__interval *bounds)
{
    assert(qkv__is_parameter(algebra, parameter));
    qkv__algebra scratch = qkv__algebra_scratch(algebra);
    qkv__box tail = *box;
    tail.range[parameter] = (qkv__range){.lower = {.known = true, .value = {0, 1}}};
    qkv__interval_set_everything(bounds);
    qkv__ratio moved = move_to_tail(&scratch, f, parameter, from, side, growth);
    if (!qkv__ratio_is_lost(moved)) bound_over(&scratch, moved, parameter, tail, bounds);
    qkv__arena_free(&scratch.arena);
    return qkv__interval_is_finite(bounds) && arf_cmp(bounds->lower, bounds->upper) <= 0;
}

/* ---- The weight of a tail ------------------------------------------------------------------- */

/* side*(mean + side*cut*deviation - from): how much further out the cut is */
static void distance(arb_t y, const qkv__normal_ball *ball, double cut, qkv__rational from,
                     int side, slong precision)
{
    arb_t start;
    arf_t deviations;
    arb_init(start);
    arf_init(deviations);
    qkv__arb_set_rational(start, from, precision);
    arb_sub(y, ball->mean, start, precision);
    if (side < 0) arb_neg(y, y);
    arf_set_d(deviations, cut);
    arb_addmul_arf(y, ball->deviation, deviations, precision);
    arb_clear(start);
    arf_clear(deviations);
}

qkv__rational qkv__tail_start(const qkv__normal_ball *ball, double cut, int side)
{
    double mean = qkv__arb_approximate(ball->mean);
    double reach = cut * qkv__arb_approximate(ball->deviation);
    double start = side > 0 ? floor(mean + reach) : ceil(mean - reach);
    if (!(fabs(start) < 0x1p40)) return QKV__RATIONAL_LOST;
    qkv__rational from = qkv__rational_whole((int64_t)start);
    arb_t y;
    arb_init(y);
    distance(y, ball, cut, from, side, PRECISION);
    if (!arb_is_nonnegative(y)) from = qkv__rational_whole((int64_t)start - side);
    distance(y, ball, cut, from, side, PRECISION);
    bool good = arb_is_nonnegative(y);
    arb_clear(y);
    return good ? from : QKV__RATIONAL_LOST;
}

/* With u = side*(parameter - mean), normal about 0: y = u + c, and E(e^(ku); u > d cut) is
 * e^(k^2 d^2 / 2) P(x > cut - k d). */
void qkv__tail_weight(arb_t weight, const qkv__normal_ball *ball, double cut, qkv__rational from,
                      int side, int64_t growth, slong precision)
{
    arb_t power, shift;
    arb_init(power);
    arb_init(shift);
    qkv__arb_mul_int64(shift, ball->deviation, growth, precision);
    distance(power, ball, 0, from, side, precision);
    qkv__arb_mul_int64(power, power, growth, precision);
    arb_mul(weight, shift, shift, precision);
    arb_mul_2exp_si(weight, weight, -1);
    arb_add(power, power, weight, precision);
    arb_exp(power, power, precision);
    arb_set_d(weight, cut);
    arb_sub(weight, weight, shift, precision);
    qkv__normal_above(weight, weight, precision);
    arb_mul(weight, weight, power, precision);
    arb_clear(power);
    arb_clear(shift);
}
