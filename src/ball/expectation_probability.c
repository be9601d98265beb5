/* Probabilities of signs: the line is cut into cells, a cell whose sign is proved gives its weight
 * to one side, and what is left undecided is the width of the enclosure. Knows nothing of
 * integrals. */
#include <math.h>

#include "ball/derivative.h"
#include "ball/expectation.h"
#include "ball/expectation_part.h"
#include "ball/sign.h"
#include "base/memory.h"

enum {
    PRECISION = 128,
    CUT = 13,          /* deviations: beyond lies less than 2^-126 */
    CELLS = 6000,      /* looked at */
    DEEPEST = 62,      /* halvings of the line between the cuts */
    FIRST_DEPTH = 4,   /* cells of this depth are cut without a look: they are too wide */
    LINE_EFFORT = 400, /* evaluations, to see whether the sign is the same all over the line */
};

/* One part of the ratio in the ways it can be written, each with its slope. */
typedef struct part {
    size_t count;
    qkv__complex_form value[QKV__WAYS], slope[QKV__WAYS];
} part;

typedef struct cell {
    arf_t from, to; /* of the parameter itself */
    int depth;
} cell;

typedef struct search {
    const qkv__algebra *algebra;
    qkv__box box;
    qkv__normal normal;
    qkv__event event;
    qkv__normal_ball ball;
    part above, below;
    size_t first, end; /* of the waiting cells */
    cell *waiting;     /* room for CELLS + 2 */
    arb_t yes, no;     /* the weight of what was proved */
    bool limited;      /* count cells on one side of the threshold alone */
    qkv__half_line line;
    arf_t innermost; /* the end of the threshold's range on that side */
    bool decided;    /* the sign of some cell was proved */
} search;

/* ---- The two parts of a ratio --------------------------------------------------------------- */

/* With their slopes; false when none could be had. */
static bool part_init(part *p, const qkv__form *const *way, size_t count, search *s,
                      qkv__algebra *scratch)
{
    qkv__complex_frame frame = {s->algebra, &s->box, 1, {s->normal.parameter}};
    for (size_t i = 0; i < count; i++) {
        const qkv__form *slope = qkv__form_derivative(scratch, way[i], s->normal.parameter);
        if (!qkv__complex_form_init(&p->value[p->count], way[i], &frame, PRECISION)) continue;
        if (!qkv__complex_form_init(&p->slope[p->count], slope, &frame, PRECISION))
            qkv__complex_form_clear(&p->value[p->count]);
        else
            p->count++;
    }
    return p->count > 0;
}

static void part_clear(part *p)
{
    for (size_t i = 0; i < p->count; i++) {
        qkv__complex_form_clear(&p->value[i]);
        qkv__complex_form_clear(&p->slope[i]);
    }
}

static bool parts_init(search *s, qkv__ratio f)
{
    qkv__algebra scratch = qkv__algebra_scratch(s->algebra);
    qkv__ratio way[QKV__WAYS];
    const qkv__form *above[QKV__WAYS], *below[QKV__WAYS];
    f = qkv__ratio_fix(&scratch, f, &s->box);
    size_t count = qkv__ratio_ways(&scratch, f, &s->box, way);
    for (size_t i = 0; i < count; i++) {
        above[i] = way[i].numerator;
        below[i] = way[i].denominator;
    }
    bool good = part_init(&s->above, above, count, s, &scratch) &&
                part_init(&s->below, below, count, s, &scratch);
    qkv__arena_free(&scratch.arena);
    return good;
}

static int sign_of(const arb_t x)
{
    return arb_is_positive(x) ? 1 : arb_is_negative(x) ? -1 : 0;
}

/* By the value over the cell, or by the value in its middle and the slope over the cell. */
static int way_sign(const qkv__complex_form *value, const qkv__complex_form *slope,
                    const arb_t over)
{
    acb_t z[QKV__VARIABLES], direct, middle;
    for (int i = 0; i < QKV__VARIABLES; i++) acb_init(z[i]);
    acb_init(direct);
    acb_init(middle);
    acb_set_arb(z[0], over);
    qkv__complex_form_value(direct, value, z[0], PRECISION);
    int sign = acb_is_finite(direct) ? sign_of(acb_realref(direct)) : 0;
    if (sign == 0 && acb_is_finite(direct)) {
        qkv__complex_form_value(direct, slope, z[0], PRECISION);
        arb_sub_arf(acb_realref(z[1]), over, arb_midref(over), PRECISION);
        acb_mul(direct, direct, z[1], PRECISION);
        acb_zero(z[1]);
        arb_set_arf(acb_realref(z[0]), arb_midref(over));
        qkv__complex_form_value(middle, value, z[0], PRECISION);
        acb_add(direct, direct, middle, PRECISION);
        sign = acb_is_finite(direct) ? sign_of(acb_realref(direct)) : 0;
    }
    for (int i = 0; i < QKV__VARIABLES; i++) acb_clear(z[i]);
    acb_clear(direct);
    acb_clear(middle);
    return sign;
}

/* The ways differ by positive factors, so that the first sign that is found will do. */
static int part_sign(const part *p, const arb_t over)
{
    int sign = 0;
    for (size_t i = 0; sign == 0 && i < p->count; i++)
        sign = way_sign(&p->value[i], &p->slope[i], over);
    return sign;
}

/* ---- Cells ---------------------------------------------------------------------------------- */

bool qkv__event_holds(qkv__event event, int sign)
{
    switch (event) {
    case QKV__EVENT_ABOVE: return sign > 0;
    case QKV__EVENT_AT_LEAST: return sign >= 0;
    case QKV__EVENT_BELOW: return sign < 0;
    case QKV__EVENT_AT_MOST: return sign <= 0;
    case QKV__EVENT_EQUAL: return sign == 0;
    case QKV__EVENT_UNEQUAL: return sign != 0;
    }
    return false;
}

static void deviations_of(arb_t x, const arf_t value, const search *s)
{
    arb_set_arf(x, value);
    arb_sub(x, x, s->ball.mean, PRECISION);
    arb_div(x, x, s->ball.deviation, PRECISION);
}

static void add_weight(arb_t sum, const arf_t from, const arf_t to, const search *s)
{
    arb_t a, b;
    arb_init(a);
    arb_init(b);
    deviations_of(a, from, s);
    deviations_of(b, to, s);
    qkv__normal_between(a, a, b, PRECISION);
    arb_add(sum, sum, a, PRECISION);
    arb_clear(a);
    arb_clear(b);
}

/* The part of a decided cell on the half line: all of it, or, where the threshold may run through
 * it, what is certainly beyond. */
static void count_cell(search *s, const cell *c, bool holds)
{
    arf_t from, to;
    arf_init(from);
    arf_init(to);
    arf_set(from, c->from);
    arf_set(to, c->to);
    if (s->limited && s->line.above) arf_max(from, from, s->innermost);
    if (s->limited && !s->line.above) arf_min(to, to, s->innermost);
    s->decided = true;
    if (arf_cmp(from, to) < 0) add_weight(holds ? s->yes : s->no, from, to, s);
    arf_clear(from);
    arf_clear(to);
}

static int cell_sign(const search *s, const cell *c)
{
    arb_t over;
    arb_init(over);
    arb_set_interval_arf(over, c->from, c->to, PRECISION);
    int sign = part_sign(&s->above, over);
    if (sign != 0) sign *= part_sign(&s->below, over);
    arb_clear(over);
    return sign;
}

static void push_cell(search *s, const arf_t from, const arf_t to, int depth)
{
    cell *added = &s->waiting[s->end++];
    arf_init(added->from);
    arf_init(added->to);
    arf_set(added->from, from);
    arf_set(added->to, to);
    added->depth = depth;
}

static void halve_cell(search *s, const cell *c)
{
    arf_t middle;
    arf_init(middle);
    arf_add(middle, c->from, c->to, ARF_PREC_EXACT, ARF_RND_NEAR);
    arf_mul_2exp_si(middle, middle, -1);
    push_cell(s, c->from, middle, c->depth + 1);
    push_cell(s, middle, c->to, c->depth + 1);
    arf_clear(middle);
}

static void search_cells(search *s)
{
    while (s->first < s->end) {
        cell *c = &s->waiting[s->first++];
        int sign = c->depth < FIRST_DEPTH ? 0 : cell_sign(s, c);
        if (sign != 0)
            count_cell(s, c, qkv__event_holds(s->event, sign));
        else if (c->depth < DEEPEST && s->end + 2 <= CELLS)
            halve_cell(s, c);
    }
    for (size_t i = 0; i < s->end; i++) {
        arf_clear(s->waiting[i].from);
        arf_clear(s->waiting[i].to);
    }
}

static void begin(search *s)
{
    double mean = qkv__arb_approximate(s->ball.mean);
    double deviation = qkv__arb_approximate(s->ball.deviation);
    arf_t from, to;
    arf_init(from);
    arf_init(to);
    arf_set_d(from, mean - CUT * deviation);
    arf_set_d(to, mean + CUT * deviation);
    push_cell(s, from, to, 0);
    arf_clear(from);
    arf_clear(to);
}

/* ---- The threshold -------------------------------------------------------------------------- */

static void set_threshold(search *s, qkv__half_line line)
{
    qkv__interval low, high;
    qkv__interval_init(&low);
    qkv__interval_init(&high);
    qkv__interval_set_rational(&low, line.lower, PRECISION);
    qkv__interval_set_rational(&high, line.upper, PRECISION);
    arf_set(s->innermost, line.above ? high.upper : low.lower);
    s->limited = true;
    s->line = line;
    qkv__interval_clear(&low);
    qkv__interval_clear(&high);
}

/* What was proved over P(half line): yes/all and 1 - no/all, never outside of [0, 1]. */
static void set_result(const search *s, const arb_t all, qkv__enclosure *out)
{
    qkv__interval low, high;
    arb_t share;
    qkv__interval_init(&low);
    qkv__interval_init(&high);
    arb_init(share);
    arb_div(share, s->yes, all, PRECISION);
    arb_get_interval_arf(low.lower, low.upper, share, PRECISION);
    arb_div(share, s->no, all, PRECISION);
    arb_sub_ui(share, share, 1, PRECISION);
    arb_neg(share, share);
    arb_get_interval_arf(high.lower, high.upper, share, PRECISION);
    qkv__interval_span(&low, &low, &high);
    if (arf_sgn(low.lower) < 0) arf_zero(low.lower);
    if (arf_cmp_si(low.upper, 1) > 0) arf_one(low.upper);
    if (arb_is_finite(share)) qkv__enclosure_set(out, &low);
    arb_clear(share);
    qkv__interval_clear(&low);
    qkv__interval_clear(&high);
}

/* ---- The whole ------------------------------------------------------------------------------ */

static bool search_init(search *s, qkv__ratio f)
{
    qkv__normal_ball_init(&s->ball, s->normal, PRECISION);
    arb_init(s->yes);
    arb_init(s->no);
    arf_init(s->innermost);
    s->waiting = qkv__allocate((CELLS + 2) * sizeof *s->waiting);
    return s->waiting != NULL && parts_init(s, f);
}

static void search_clear(search *s)
{
    qkv__free(s->waiting);
    part_clear(&s->above);
    part_clear(&s->below);
    qkv__normal_ball_clear(&s->ball);
    arb_clear(s->yes);
    arb_clear(s->no);
    arf_clear(s->innermost);
}

/* The sign all over the box, by algebra or by cutting. The algebra is told what the box says. */
static qkv__sign sign_over(const search *s, qkv__ratio f, const qkv__box *box)
{
    qkv__algebra scratch = qkv__algebra_scratch(s->algebra);
    qkv__sign_result result;
    for (size_t p = 0; p < scratch.parameter_count; p++) {
        if (scratch.parameter[p].prime != 0) continue;
        scratch.parameter[p].lower = box->range[p].lower;
        scratch.parameter[p].upper = box->range[p].upper;
    }
    f = qkv__ratio_fix(&scratch, f, box);
    qkv__sign sign = qkv__ratio_sign(&scratch, f);
    if (sign == QKV__SIGN_UNKNOWN || sign == QKV__SIGN_NONNEGATIVE || sign == QKV__SIGN_NONPOSITIVE)
        sign = qkv__ball_sign(&scratch, f, box, LINE_EFFORT, &result);
    qkv__arena_free(&scratch.arena);
    return sign;
}

/* One sign all over the line, or at the mean where there is no variance: then the event is certain
 * or impossible. */
static bool is_settled(const search *s, qkv__ratio f, qkv__enclosure *out)
{
    qkv__box box = s->box;
    bool holds;
    if (qkv__rational_is_zero(s->normal.variance) &&
        !qkv__box_fix(s->algebra, &box, s->normal.parameter, s->normal.mean))
        return false;
    switch (sign_over(s, f, &box)) {
    case QKV__SIGN_ZERO: holds = qkv__event_holds(s->event, 0); break;
    case QKV__SIGN_POSITIVE: holds = qkv__event_holds(s->event, 1); break;
    case QKV__SIGN_NEGATIVE: holds = qkv__event_holds(s->event, -1); break;
    default: return false;
    }
    qkv__rational chance = qkv__rational_whole(holds);
    qkv__enclosure_set_rationals(out, chance, chance);
    return true;
}

/* Both parts are analytic, and one that is not 0 all over a cell is 0 at single points alone. */
static bool is_almost_sure(const search *s, qkv__enclosure *out)
{
    bool equal = s->event == QKV__EVENT_EQUAL;
    if (!s->decided || !(equal || s->event == QKV__EVENT_UNEQUAL)) return false;
    qkv__rational chance = qkv__rational_whole(equal ? 0 : 1);
    qkv__enclosure_set_rationals(out, chance, chance);
    return true;
}

static bool find(search *s, qkv__ratio f, const qkv__half_line *given, qkv__enclosure *out)
{
    if (is_settled(s, f, out)) return true;
    if (qkv__rational_is_zero(s->normal.variance)) return false;
    if (search_init(s, f)) {
        arb_t all;
        arb_init(all);
        arb_one(all);
        if (given != NULL) {
            set_threshold(s, *given);
            qkv__line_chance(all, given, &s->ball, PRECISION);
        }
        begin(s);
        search_cells(s);
        if (!is_almost_sure(s, out)) set_result(s, all, out);
        arb_clear(all);
    }
    search_clear(s);
    return out->known;
}

bool qkv__ball_probability(const qkv__algebra *algebra, qkv__ratio f, qkv__event event,
                           qkv__normal normal, const qkv__box *box, qkv__enclosure *out)
{
    search s = {.algebra = algebra, .normal = normal, .event = event};
    *out = (qkv__enclosure){0};
    if (qkv__ratio_is_lost(f) || !qkv__normal_is_sound(algebra, normal)) return false;
    if (!qkv__box_free(algebra, box, normal.parameter, &s.box)) return false;
    return find(&s, f, NULL, out);
}

bool qkv__ball_probability_given(const qkv__algebra *algebra, qkv__ratio f, qkv__event event,
                                 qkv__normal normal, qkv__half_line given, const qkv__box *box,
                                 qkv__enclosure *out)
{
    search s = {.algebra = algebra, .normal = normal, .event = event};
    *out = (qkv__enclosure){0};
    if (qkv__ratio_is_lost(f) || !qkv__normal_is_sound(algebra, normal)) return false;
    if (!qkv__half_line_is_sound(given) || qkv__rational_is_zero(normal.variance)) return false;
    if (!qkv__box_free(algebra, box, normal.parameter, &s.box)) return false;
    return find(&s, f, &given, out);
}
