/* Expectations, covariances and conditional expectations of ratios over one normal parameter: the
 * integral between the cuts plus what bounds say of the tails. Knows nothing of signs. */
#include "ball/expectation.h"

#include <assert.h>
#include <math.h>

#include "ball/expectation_part.h"

enum {
    FACTORS = 2,
    FIRST_PRECISION = 64,
    LAST_PRECISION = 256,
    ENOUGH_BITS = 48,       /* of relative accuracy, which ends the raising of precision */
    ENOUGH_ABSOLUTE = -100, /* or an error below 2 to that */
    POINT_EVALUATIONS = 40000,
    WIDE_EVALUATIONS = 3000,
    MOST_GROWTH = 512,
    PARTS = 16, /* that a box is cut into */
};

/* E of the product of (factor - centre), the parameter on the half line if there is one. */
typedef struct task {
    const qkv__algebra *algebra;
    qkv__algebra scratch; /* the same with an arena of its own */
    qkv__box box;         /* tidy, and free in the normal parameter */
    qkv__normal normal;
    bool point; /* all other parameters are fixed */
    size_t count;
    qkv__ratio factor[FACTORS];
    const arf_struct *centre[FACTORS]; /* NULL: 0 */
    const qkv__half_line *line;        /* NULL: the whole line */
} task;

/* What lies beyond one cut. */
typedef struct tail {
    qkv__rational from;
    int64_t growth;
    qkv__interval bounds; /* of the product over e^(growth*y) */
} tail;

/* The integrand and its cuts. */
typedef struct plan {
    qkv__normal_ball ball;
    size_t count;
    bool square; /* the second factor is the first */
    const arf_struct *const *centre;
    qkv__complex_ratio factor[FACTORS];
    double cut;
    tail tail[2]; /* below, above */
} plan;

/* ---- The integrand -------------------------------------------------------------------------- */

static void subtract_centre(acb_t value, const arf_struct *centre, slong precision)
{
    if (centre != NULL) arb_sub_arf(acb_realref(value), acb_realref(value), centre, precision);
}

static void product_at(acb_t value, const acb_t x, void *context, slong precision)
{
    const plan *p = context;
    acb_t z[QKV__VARIABLES], next;
    for (int i = 0; i < QKV__VARIABLES; i++) acb_init(z[i]);
    acb_init(next);
    acb_mul_arb(z[0], x, p->ball.deviation, precision);
    acb_add_arb(z[0], z[0], p->ball.mean, precision);
    qkv__complex_ratio_value(value, &p->factor[0], z[0], precision);
    subtract_centre(value, p->centre[0], precision);
    if (p->square) {
        acb_mul(value, value, value, precision);
    } else if (p->count == 2) {
        qkv__complex_ratio_value(next, &p->factor[1], z[0], precision);
        subtract_centre(next, p->centre[1], precision);
        acb_mul(value, value, next, precision);
    }
    acb_clear(next);
    for (int i = 0; i < QKV__VARIABLES; i++) acb_clear(z[i]);
}

/* ---- Tails ---------------------------------------------------------------------------------- */

/* (f - c) e^(-ky) for bounds of f e^(-ky): c e^(-ky) lies between 0 and c. */
static void subtract_from_bounds(qkv__interval *bounds, const arf_struct *centre, bool grows)
{
    if (centre == NULL) return;
    qkv__interval shift;
    qkv__interval_init(&shift);
    arf_neg(shift.lower, centre);
    arf_set(shift.upper, shift.lower);
    if (grows) {
        arf_t zero;
        arf_init(zero);
        arf_min(shift.lower, shift.lower, zero);
        arf_max(shift.upper, shift.upper, zero);
        arf_clear(zero);
    }
    qkv__interval_add(bounds, bounds, &shift, FIRST_PRECISION);
    qkv__interval_clear(&shift);
}

/* Bounds of one factor without growth, or else with the growth that is tried now. */
static bool bound_factor(const task *t, size_t i, const tail *side, int direction, int64_t growth,
                         qkv__interval *bounds, int64_t *used)
{
    assert(direction == 1 || direction == -1);
    *used = 0;
    bool found = qkv__tail_bound(t->algebra, t->factor[i], t->normal.parameter, side->from,
                                 direction, 0, &t->box, bounds);
    if (!found && growth > 0) {
        *used = growth;
        found = qkv__tail_bound(t->algebra, t->factor[i], t->normal.parameter, side->from,
                                direction, growth, &t->box, bounds);
    }
    if (found) subtract_from_bounds(bounds, t->centre[i], *used > 0);
    return found;
}

static bool bound_tail(const task *t, plan *p, int direction, int64_t growth)
{
    assert(direction == 1 || direction == -1);
    tail *side = &p->tail[direction > 0];
    qkv__interval bounds;
    int64_t used;
    side->growth = 0;
    side->from = qkv__tail_start(&p->ball, p->cut, direction);
    if (qkv__rational_is_lost(side->from)) return false;
    qkv__interval_init(&bounds);
    qkv__interval_set_rational(&side->bounds, qkv__rational_whole(1), FIRST_PRECISION);
    bool found = true;
    for (size_t i = 0; found && i < t->count; i++) {
        found = bound_factor(t, i, side, direction, growth, &bounds, &used);
        if (!found) break;
        qkv__interval_multiply(&side->bounds, &side->bounds, &bounds, FIRST_PRECISION);
        side->growth += used;
    }
    qkv__interval_clear(&bounds);
    return found;
}

/* How far out a threshold is, in deviations, towards the side that is kept. */
static double line_distance(const task *t)
{
    if (t->line == NULL) return 0;
    double mean = qkv__rational_approximate(t->normal.mean);
    double deviation = sqrt(qkv__rational_approximate(t->normal.variance));
    double from = qkv__rational_approximate(t->line->lower);
    return fmax(0, (t->line->above ? from - mean : mean - from) / deviation);
}

/* The law beyond the cut weighs 2^-precision of what lies before it; a function that grows needs
 * its cuts further out. */
static bool choose_cut(const task *t, plan *p, slong precision)
{
    double out = line_distance(t), deviation = qkv__arb_approximate(p->ball.deviation);
    double base = sqrt(out * out + 2 * log(2) * (double)precision);
    for (int64_t growth = 0; growth <= MOST_GROWTH; growth = growth == 0 ? 1 : 2 * growth) {
        p->cut = ceil(4 * (base + 2 * (double)t->count * (double)growth * deviation)) / 4;
        if (!(p->cut < 0x1p20)) return false;
        if (bound_tail(t, p, -1, growth) && bound_tail(t, p, 1, growth)) return true;
    }
    return false;
}

/* What lies beyond a cut is all of the half line there, or some part of it, or nothing. */
static void add_tail(const plan *p, int direction, bool partly, arb_t sum, slong precision)
{
    assert(direction == 1 || direction == -1);
    const tail *side = &p->tail[direction > 0];
    arb_t weight, bounds;
    arb_init(weight);
    arb_init(bounds);
    qkv__tail_weight(weight, &p->ball, p->cut, side->from, direction, side->growth, precision);
    if (partly) {
        arb_zero(bounds);
        arb_union(weight, weight, bounds, precision);
    }
    arb_set_interval_arf(bounds, side->bounds.lower, side->bounds.upper, precision);
    arb_addmul(sum, weight, bounds, precision);
    arb_clear(weight);
    arb_clear(bounds);
}

/* ---- Between the cuts ----------------------------------------------------------------------- */

/* Where the integral begins and ends, and what is left between there and a threshold that is no
 * floating point number. */
typedef struct stretch {
    arf_t from, to;
    bool below, above; /* whether the tail there belongs to it, */
    bool partly;       /* and if so not all of it */
    arb_t edge;        /* the threshold, in deviations */
    bool has_edge;     /* it lies between the cuts */
    bool empty;        /* there is nothing between threshold and cut */
} stretch;

static void set_edge(stretch *s, const task *t, const plan *p, slong precision)
{
    qkv__interval low, high;
    qkv__interval_init(&low);
    qkv__interval_init(&high);
    qkv__interval_set_rational(&low, t->line->lower, precision);
    qkv__interval_set_rational(&high, t->line->upper, precision);
    arb_set_interval_arf(s->edge, low.lower, high.upper, precision);
    arb_sub(s->edge, s->edge, p->ball.mean, precision);
    arb_div(s->edge, s->edge, p->ball.deviation, precision);
    qkv__interval_clear(&low);
    qkv__interval_clear(&high);
}

/* The half line above the edge; the one below is its mirror image. */
static void cut_stretch(stretch *s, const task *t, slong precision)
{
    arf_t inner;
    arf_init(inner);
    if (t->line->above) {
        arb_get_ubound_arf(inner, s->edge, precision);
        s->has_edge = arf_cmp(inner, s->from) > 0;
        s->below = s->partly = !s->has_edge;
        if (s->has_edge) arf_set(s->from, inner);
    } else {
        arb_get_lbound_arf(inner, s->edge, precision);
        s->has_edge = arf_cmp(inner, s->to) < 0;
        s->above = s->partly = !s->has_edge;
        if (s->has_edge) arf_set(s->to, inner);
    }
    s->empty = arf_cmp(s->from, s->to) >= 0;
    arf_clear(inner);
}

static void stretch_init(stretch *s, const task *t, const plan *p, slong precision)
{
    *s = (stretch){.below = true, .above = true};
    arf_init(s->from);
    arf_init(s->to);
    arb_init(s->edge);
    arf_set_d(s->from, -p->cut);
    arf_set_d(s->to, p->cut);
    if (t->line == NULL) return;
    set_edge(s, t, p, precision);
    cut_stretch(s, t, precision);
}

static void stretch_clear(stretch *s)
{
    arf_clear(s->from);
    arf_clear(s->to);
    arb_clear(s->edge);
}

/* The integral over the ball of the edge: its width times the integrand there. */
static void add_edge(const stretch *s, plan *p, bool above, arb_t sum, slong precision)
{
    acb_t x, value;
    arb_t width, density;
    acb_init(x);
    acb_init(value);
    arb_init(width);
    arb_init(density);
    acb_set_arb(x, s->edge);
    product_at(value, x, p, precision);
    arb_set_arf(width, above ? s->from : s->to);
    arb_sub(width, width, s->edge, precision);
    if (!above) arb_neg(width, width);
    arb_mul(density, s->edge, s->edge, precision);
    arb_mul_2exp_si(density, density, -1);
    arb_neg(density, density);
    arb_exp(density, density, precision);
    arb_mul(width, width, density, precision);
    arb_const_sqrt_pi(density, precision);
    arb_div(width, width, density, precision);
    arb_sqrt_ui(density, 2, precision);
    arb_div(width, width, density, precision);
    arb_addmul(sum, width, acb_realref(value), precision);
    acb_clear(x);
    acb_clear(value);
    arb_clear(width);
    arb_clear(density);
}

static void integrate(const task *t, plan *p, const stretch *s, arb_t sum, slong precision)
{
    acb_t centre;
    mag_t tolerance;
    acb_init(centre);
    mag_init(tolerance);
    double out = line_distance(t);
    mag_set_ui_2exp_si(tolerance, 1, -precision - (slong)(out * out / (2 * log(2))));
    qkv__normal_integrate(centre, product_at, p, s->from, s->to, tolerance, precision - 4,
                          t->point ? POINT_EVALUATIONS : WIDE_EVALUATIONS, precision);
    arb_set(sum, acb_realref(centre));
    acb_clear(centre);
    mag_clear(tolerance);
}

/* ---- A moment ------------------------------------------------------------------------------- */

static bool is_same(qkv__ratio a, qkv__ratio b)
{
    return a.numerator == b.numerator && a.denominator == b.denominator;
}

static bool plan_factors(const task *t, plan *p, slong precision)
{
    qkv__complex_frame frame = {t->algebra, &t->box, 1, {t->normal.parameter}};
    p->square =
        t->count == 2 && is_same(t->factor[0], t->factor[1]) && t->centre[0] == t->centre[1];
    for (p->count = 0; p->count < t->count; p->count++) {
        if (p->square && p->count == 1) continue;
        if (!qkv__complex_ratio_init(&p->factor[p->count], t->factor[p->count], &frame, precision))
            return false;
    }
    return true;
}

static bool plan_init(const task *t, plan *p, slong precision)
{
    *p = (plan){.centre = t->centre};
    qkv__normal_ball_init(&p->ball, t->normal, precision);
    qkv__interval_init(&p->tail[0].bounds);
    qkv__interval_init(&p->tail[1].bounds);
    return plan_factors(t, p, precision) && choose_cut(t, p, precision);
}

static void plan_clear(plan *p)
{
    for (size_t i = 0; i < FACTORS; i++) qkv__complex_ratio_clear(&p->factor[i]);
    qkv__interval_clear(&p->tail[0].bounds);
    qkv__interval_clear(&p->tail[1].bounds);
    qkv__normal_ball_clear(&p->ball);
}

static bool moment(const task *t, slong precision, arb_t sum)
{
    plan p;
    bool good = plan_init(t, &p, precision);
    if (good) {
        stretch s;
        stretch_init(&s, t, &p, precision);
        good = !s.empty;
        if (good) {
            integrate(t, &p, &s, sum, precision);
            if (s.has_edge) add_edge(&s, &p, t->line->above, sum, precision);
            if (s.below) add_tail(&p, -1, s.partly, sum, precision);
            if (s.above) add_tail(&p, 1, s.partly, sum, precision);
        }
        stretch_clear(&s);
    }
    plan_clear(&p);
    return good && arb_is_finite(sum);
}

/* E of the product of deviations from centres near the means, less the product of what the centres
 * miss: the small difference of large numbers is then a difference of small ones. */
static bool covariance(const task *t, slong precision, arb_t value)
{
    arb_t mean[FACTORS];
    task alone = *t, both = *t;
    bool good = true;
    for (int i = 0; i < FACTORS; i++) arb_init(mean[i]);
    alone.count = 1;
    alone.centre[0] = NULL;
    for (int i = 0; good && i < FACTORS; i++) {
        alone.factor[0] = t->factor[i];
        if (i == 1 && is_same(t->factor[0], t->factor[1]))
            arb_set(mean[1], mean[0]);
        else
            good = moment(&alone, precision, mean[i]);
    }
    arf_t centre[FACTORS];
    for (int i = 0; i < FACTORS; i++) {
        arf_init(centre[i]);
        arf_set_round(centre[i], arb_midref(mean[i]), precision, ARF_RND_NEAR);
        both.centre[i] = centre[i];
    }
    if (is_same(t->factor[0], t->factor[1])) both.centre[1] = both.centre[0];
    good = good && moment(&both, precision, value);
    for (int i = 0; i < FACTORS; i++) arb_sub_arf(mean[i], mean[i], centre[i], precision);
    arb_mul(mean[0], mean[0], mean[1], precision);
    arb_sub(value, value, mean[0], precision);
    for (int i = 0; i < FACTORS; i++) {
        arb_clear(mean[i]);
        arf_clear(centre[i]);
    }
    return good;
}

void qkv__line_chance(arb_t chance, const qkv__half_line *line, const qkv__normal_ball *ball,
                      slong precision)
{
    qkv__interval low, high;
    qkv__interval_init(&low);
    qkv__interval_init(&high);
    qkv__interval_set_rational(&low, line->lower, precision);
    qkv__interval_set_rational(&high, line->upper, precision);
    arb_set_interval_arf(chance, low.lower, high.upper, precision);
    arb_sub(chance, chance, ball->mean, precision);
    arb_div(chance, chance, ball->deviation, precision);
    if (!line->above) arb_neg(chance, chance);
    qkv__normal_above(chance, chance, precision);
    qkv__interval_clear(&low);
    qkv__interval_clear(&high);
}

static bool conditional(const task *t, slong precision, arb_t value)
{
    if (!moment(t, precision, value)) return false;
    qkv__normal_ball ball;
    arb_t chance;
    arb_init(chance);
    qkv__normal_ball_init(&ball, t->normal, precision);
    qkv__line_chance(chance, t->line, &ball, precision);
    arb_div(value, value, chance, precision);
    qkv__normal_ball_clear(&ball);
    arb_clear(chance);
    return arb_is_finite(value);
}

/* ---- Enclosures ----------------------------------------------------------------------------- */

typedef bool quantity(const task *t, slong precision, arb_t value);

static bool is_accurate(const arb_t value)
{
    return arb_rel_accuracy_bits(value) >= ENOUGH_BITS ||
           mag_cmp_2exp_si(arb_radref(value), ENOUGH_ABSOLUTE) < 0;
}

static bool measure_point(const task *t, quantity *what, arb_t value)
{
    bool found = false;
    arb_t next;
    arb_init(next);
    for (slong precision = FIRST_PRECISION; precision <= LAST_PRECISION; precision *= 2) {
        if (!what(t, precision, next)) break;
        arb_swap(value, next);
        found = true;
        if (is_accurate(value)) break;
    }
    arb_clear(next);
    return found;
}

static qkv__parameter_set ranging(const task *t)
{
    qkv__parameter_set set = 0;
    for (size_t i = 0; i < t->count; i++)
        set |= qkv__form_parameters(t->algebra, t->factor[i].numerator) |
               qkv__form_parameters(t->algebra, t->factor[i].denominator);
    return set & ~((qkv__parameter_set)1 << t->normal.parameter);
}

/* Cuts the box into parts of about equal width: every part once before any twice. Their number. */
static size_t cut_box(const task *t, qkv__box part[PARTS])
{
    qkv__parameter_set among = ranging(t);
    size_t count = 1, before;
    part[0] = t->box;
    do {
        before = count;
        for (size_t i = 0; i < before && count < PARTS; i++) {
            int widest = qkv__box_widest(t->algebra, &part[i], among);
            qkv__box low;
            if (widest < 0 || !qkv__box_split(t->algebra, &part[i], widest, &low, &part[count]))
                continue;
            part[i] = low;
            count++;
        }
    } while (count > before && count < PARTS);
    return count;
}

static bool measure_box(const task *t, quantity *what, arb_t value)
{
    qkv__box part[PARTS];
    size_t count = cut_box(t, part);
    task piece = *t;
    arb_t next;
    arb_init(next);
    bool found = true;
    for (size_t i = 0; found && i < count; i++) {
        piece.box = part[i];
        found = what(&piece, FIRST_PRECISION, next);
        if (i == 0)
            arb_set(value, next);
        else
            arb_union(value, value, next, FIRST_PRECISION);
    }
    arb_clear(next);
    return found;
}

static void set_enclosure(qkv__enclosure *out, const arb_t value, bool nonnegative)
{
    qkv__interval interval;
    *out = (qkv__enclosure){0};
    if (!arb_is_finite(value)) return;
    qkv__interval_init(&interval);
    arb_get_interval_arf(interval.lower, interval.upper, value, LAST_PRECISION);
    if (nonnegative && arf_sgn(interval.lower) < 0) arf_zero(interval.lower);
    qkv__enclosure_set(out, &interval);
    qkv__interval_clear(&interval);
}

static void enclose(task *t, quantity *what, bool nonnegative, qkv__enclosure *out)
{
    arb_t value;
    arb_init(value);
    t->point = qkv__box_widest(t->algebra, &t->box, ranging(t)) < 0;
    bool found = t->point ? measure_point(t, what, value) : measure_box(t, what, value);
    if (found) set_enclosure(out, value, nonnegative);
    arb_clear(value);
}

bool qkv__box_free(const qkv__algebra *algebra, const qkv__box *box, int parameter, qkv__box *freed)
{
    assert(qkv__is_parameter(algebra, parameter));
    *freed = *box;
    freed->range[parameter] = (qkv__range){0};
    return qkv__box_tidy(algebra, freed);
}

/* The task without its functions; false for what has no meaning. What is prepared is finished. */
static bool prepare(task *t, const qkv__algebra *algebra, qkv__normal normal, const qkv__box *box)
{
    *t = (task){.algebra = algebra, .normal = normal, .scratch = qkv__algebra_scratch(algebra)};
    return qkv__normal_is_sound(algebra, normal) &&
           qkv__box_free(algebra, box, normal.parameter, &t->box);
}

static void add_factor(task *t, qkv__ratio f)
{
    t->factor[t->count++] = qkv__ratio_fix(&t->scratch, f, &t->box);
}

static bool finish(task *t, qkv__enclosure *out)
{
    qkv__arena_free(&t->scratch.arena);
    return out->known;
}

/* A parameter without variance is its mean. */
static bool at_mean(const task *t, qkv__ratio f, qkv__enclosure *out)
{
    qkv__box box = t->box;
    return qkv__box_fix(t->algebra, &box, t->normal.parameter, t->normal.mean) &&
           qkv__ball_enclose(t->algebra, f, &box, out);
}

static bool is_certain(const task *t, qkv__ratio f)
{
    return qkv__rational_is_zero(t->normal.variance) ||
           !qkv__ratio_depends_on(f, t->normal.parameter);
}

bool qkv__ball_expectation(const qkv__algebra *algebra, qkv__ratio f, qkv__normal normal,
                           const qkv__box *box, qkv__enclosure *out)
{
    assert(out != NULL && !qkv__rational_is_lost(normal.variance));
    task t;
    *out = (qkv__enclosure){0};
    if (qkv__ratio_is_lost(f) || !prepare(&t, algebra, normal, box)) return false;
    if (is_certain(&t, f)) return at_mean(&t, f, out);
    add_factor(&t, f);
    enclose(&t, moment, false, out);
    return finish(&t, out);
}

/* What does not vary varies with nothing; but both must have values at all. */
static bool zero_covariance(const task *t, qkv__ratio f, qkv__ratio g, qkv__enclosure *out)
{
    qkv__enclosure value;
    bool finite = !is_certain(t, f) || at_mean(t, f, &value);
    finite = finite && (!is_certain(t, g) || at_mean(t, g, &value));
    if (finite) qkv__enclosure_set_rationals(out, qkv__rational_whole(0), qkv__rational_whole(0));
    return out->known;
}

bool qkv__ball_covariance(const qkv__algebra *algebra, qkv__ratio f, qkv__ratio g,
                          qkv__normal normal, const qkv__box *box, qkv__enclosure *out)
{
    task t;
    *out = (qkv__enclosure){0};
    if (qkv__ratio_is_lost(f) || qkv__ratio_is_lost(g)) return false;
    if (!prepare(&t, algebra, normal, box)) return false;
    if (is_certain(&t, f) || is_certain(&t, g)) return zero_covariance(&t, f, g, out);
    add_factor(&t, f);
    add_factor(&t, g);
    if (is_same(f, g)) t.factor[1] = t.factor[0];
    enclose(&t, covariance, is_same(f, g), out);
    return finish(&t, out);
}

bool qkv__half_line_is_sound(qkv__half_line line)
{
    return !qkv__rational_is_lost(line.lower) && !qkv__rational_is_lost(line.upper) &&
           qkv__rational_compare(line.lower, line.upper) <= 0;
}

bool qkv__ball_expectation_given(const qkv__algebra *algebra, qkv__ratio f, qkv__normal normal,
                                 qkv__half_line given, const qkv__box *box, qkv__enclosure *out)
{
    task t;
    *out = (qkv__enclosure){0};
    if (qkv__ratio_is_lost(f) || !qkv__half_line_is_sound(given)) return false;
    if (!prepare(&t, algebra, normal, box) || qkv__rational_is_zero(normal.variance)) return false;
    if (is_certain(&t, f)) return at_mean(&t, f, out);
    add_factor(&t, f);
    t.line = &given;
    enclose(&t, conditional, false, out);
    return finish(&t, out);
}

bool qkv__ball_half_line(qkv__normal normal, qkv__half_line line, qkv__enclosure *out)
{
    assert(!qkv__rational_is_lost(normal.mean));
    *out = (qkv__enclosure){0};
    if (qkv__rational_is_lost(normal.mean) || qkv__rational_is_lost(normal.variance)) return false;
    if (!qkv__half_line_is_sound(line) || qkv__rational_sign(normal.variance) <= 0) return false;
    qkv__normal_ball ball;
    arb_t chance;
    arb_init(chance);
    qkv__normal_ball_init(&ball, normal, LAST_PRECISION);
    qkv__line_chance(chance, &line, &ball, LAST_PRECISION);
    set_enclosure(out, chance, true);
    qkv__normal_ball_clear(&ball);
    arb_clear(chance);
    return out->known;
}
