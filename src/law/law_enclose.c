/*
 * The laws of qkv/law.h with proved bounds: the same formulas as in double precision, in balls, and
 * moments by rigorous integration. beta, noise and tolerance are balls that hold every number which
 * rounds to the double given. Options are checked by qkv_law_compute.
 *
 * As there, a key's weight in the output is base + slope*X, X the noisy key's weight in the head
 * that feels it.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <qkv/law.h>

#include "ball/expectation_part.h"
#include "base/error.h"

enum { PRECISION = 96, GOAL_BITS = 62, EVALUATIONS = 40000 };

static const double cut = 10; /* beyond lies less than 2^-75 */
static const double largest_beta = 1e9;

enum { NOISY, WANTED, UNWANTED, CLASSES };

typedef struct class
{
    slong count;
    arb_t base, slope, target;
} class;

typedef struct law {
    const qkv_law_options *options;
    arb_t beta, noise, tolerance;
    arb_t location, scale; /* of X; a scale that is 0 exactly is no noise */
    arb_t mean, variance;
    arb_t low, high; /* where no head fails */
    bool fails;      /* some other head fails, whatever the noise, */
    bool may_fail;   /* or it could not be told */
    class classes[CLASSES];
} law;

/* Every number of a law, to be initialised and cleared. */
static size_t numbers(law *l, arb_ptr *list)
{
    arb_ptr own[] = {l->beta, l->noise,    l->tolerance, l->location, l->scale,
                     l->mean, l->variance, l->low,       l->high};
    size_t count = sizeof own / sizeof own[0];
    memcpy(list, own, sizeof own);
    for (int i = 0; i < CLASSES; i++) {
        list[count++] = l->classes[i].base;
        list[count++] = l->classes[i].slope;
        list[count++] = l->classes[i].target;
    }
    return count;
}

enum { NUMBERS = 9 + 3 * CLASSES };

static void law_init(law *l, const qkv_law_options *options)
{
    arb_ptr list[NUMBERS];
    *l = (law){.options = options};
    size_t count = numbers(l, list);
    for (size_t i = 0; i < count; i++) arb_init(list[i]);
}

static void law_clear(law *l)
{
    arb_ptr list[NUMBERS];
    size_t count = numbers(l, list);
    for (size_t i = 0; i < count; i++) arb_clear(list[i]);
}

/* All numbers that round to x: half a unit of its last place on both sides. */
static void set_rounded(arb_t ball, double x)
{
    mag_t half;
    mag_init(half);
    arb_set_d(ball, x);
    if (x != 0) mag_set_ui_2exp_si(half, 1, ilogb(x) - 53);
    arb_add_error_mag(ball, half);
    mag_clear(half);
}

/* ---- Sigmoids ------------------------------------------------------------------------------- */

/* 1/(1 + e^-x) */
static void sigmoid(arb_t y, const arb_t x)
{
    arb_neg(y, x);
    arb_exp(y, y, PRECISION);
    arb_add_ui(y, y, 1, PRECISION);
    arb_inv(y, y, PRECISION);
}

static void logit(arb_t y, const arb_t x)
{
    arb_t rest;
    arb_init(rest);
    arb_sub_ui(rest, x, 1, PRECISION);
    arb_neg(rest, rest);
    arb_div(y, x, rest, PRECISION);
    arb_log(y, y, PRECISION);
    arb_clear(rest);
}

/* ---- Weights by class ----------------------------------------------------------------------- */

/* 1 - tolerance of a part */
static void set_least_part(arb_t part, const law *l, slong parts)
{
    arb_sub_ui(part, l->tolerance, 1, PRECISION);
    arb_neg(part, part);
    arb_div_si(part, part, parts, PRECISION);
}

/* See spread_one_query in lab/design.c for the formulas. */
static void spread_one_query(law *l)
{
    const qkv_law_options *o = l->options;
    class *wanted = &l->classes[WANTED], *unwanted = &l->classes[UNWANTED];
    arb_t fade, sum;
    arb_init(fade);
    arb_init(sum);
    arb_neg(fade, l->beta);
    arb_exp(fade, fade, PRECISION);
    arb_mul_si(sum, fade, unwanted->count, PRECISION);
    arb_add_si(sum, sum, wanted->count, PRECISION);
    if (wanted->count > 0) {
        arb_inv(wanted->base, sum, PRECISION);
        arb_mul(unwanted->base, fade, wanted->base, PRECISION);
    } else {
        arb_set_si(unwanted->base, unwanted->count);
        arb_inv(unwanted->base, unwanted->base, PRECISION);
    }
    arb_neg(wanted->slope, wanted->base);
    arb_neg(unwanted->slope, unwanted->base);
    arb_one(l->classes[NOISY].slope);
    if (wanted->count > 0) {
        arb_log(l->location, sum, PRECISION);
    } else {
        arb_log_ui(l->location, (ulong)unwanted->count, PRECISION);
        arb_sub(l->location, l->location, l->beta, PRECISION);
    }
    arb_neg(l->location, l->location);
    if (o->other_noisy) arb_sub(l->location, l->location, l->beta, PRECISION);
    bool felt = (o->design == QKV_DESIGN_IMMUNE) == o->other_noisy;
    if (felt) arb_mul(l->scale, l->beta, l->scale, PRECISION);
    if (!felt) arb_zero(l->scale);
    if (!o->other_noisy) set_least_part(l->low, l, (slong)o->wanted);
    arb_one(l->high);
    if (wanted->count > 0) {
        set_least_part(fade, l, (slong)o->wanted);
        arb_submul(l->high, fade, sum, PRECISION);
    }
    arb_clear(fade);
    arb_clear(sum);
}

/* (a + count*b)/heads; mean is neither a nor b */
static void set_mean_of_heads(arb_t mean, const arb_t a, slong count, const arb_t b, slong heads)
{
    arb_mul_si(mean, b, count, PRECISION);
    arb_add(mean, mean, a, PRECISION);
    arb_div_si(mean, mean, heads, PRECISION);
}

static void spread_heads(law *l)
{
    const qkv_law_options *o = l->options;
    slong keys = (slong)o->keys, heads = (slong)o->wanted;
    class *c = l->classes;
    arb_t own, rest, even;
    arb_init(own);
    arb_init(rest);
    arb_init(even);
    arb_neg(rest, l->beta);
    arb_exp(rest, rest, PRECISION);
    arb_mul_si(own, rest, keys - 1, PRECISION);
    arb_add_ui(own, own, 1, PRECISION);
    arb_inv(own, own, PRECISION);
    arb_mul(rest, rest, own, PRECISION);
    arb_one(l->high);
    set_least_part(even, l, 1);
    bool others = heads > 1 || o->other_noisy;
    l->fails = others && arb_lt(own, even);
    l->may_fail = others && !arb_ge(own, even);
    if (o->other_noisy) {
        logit(l->location, rest);
        arb_zero(l->scale);
        arb_one(c[NOISY].slope);
        set_mean_of_heads(c[WANTED].base, own, heads - 1, rest, heads);
        arb_set(c[UNWANTED].base, rest);
    } else {
        arb_set(l->low, even);
        arb_log_ui(l->location, (ulong)(keys - 1), PRECISION);
        arb_sub(l->location, l->beta, l->location, PRECISION);
        arb_mul(l->scale, l->beta, l->scale, PRECISION);
        arb_set_si(even, keys - 1);
        arb_inv(even, even, PRECISION);
        arb_mul_si(c[NOISY].base, rest, heads - 1, PRECISION);
        arb_div_si(c[NOISY].base, c[NOISY].base, heads, PRECISION);
        set_mean_of_heads(c[UNWANTED].base, even, heads - 1, rest, heads);
        arb_add(own, own, even, PRECISION);
        set_mean_of_heads(c[WANTED].base, own, heads - 2, rest, heads);
        arb_div_si(even, even, -heads, PRECISION);
        arb_set(c[WANTED].slope, even);
        arb_set(c[UNWANTED].slope, even);
        arb_set_si(c[NOISY].slope, heads);
        arb_inv(c[NOISY].slope, c[NOISY].slope, PRECISION);
    }
    arb_clear(own);
    arb_clear(rest);
    arb_clear(even);
}

static void spread(law *l)
{
    const qkv_law_options *o = l->options;
    slong wanted = (slong)o->wanted, unwanted = (slong)(o->keys - o->wanted);
    set_rounded(l->beta, o->beta);
    set_rounded(l->noise, o->noise);
    set_rounded(l->tolerance, o->tolerance);
    if (o->noise > 0) arb_sqrt(l->scale, l->noise, PRECISION);
    l->classes[NOISY].count = 1;
    l->classes[WANTED].count = o->other_noisy ? wanted : wanted - 1;
    l->classes[UNWANTED].count = o->other_noisy ? unwanted - 1 : unwanted;
    arb_set_si(l->classes[WANTED].target, wanted);
    arb_inv(l->classes[WANTED].target, l->classes[WANTED].target, PRECISION);
    if (!o->other_noisy) arb_set(l->classes[NOISY].target, l->classes[WANTED].target);
    if (o->design == QKV_DESIGN_HEADS)
        spread_heads(l);
    else
        spread_one_query(l);
}

/* ---- Moments -------------------------------------------------------------------------------- */

typedef struct power {
    const law *l;
    const arf_struct *centre;
    bool square;
} power;

/* 1/(1 + e^-y) or e^y/(1 + e^y): the exponential that is small, since over a wide ball a large one
 * may be 0 for all that is known of it. */
static void complex_sigmoid(acb_t value, const acb_t y, slong precision)
{
    acb_t small, sum;
    acb_init(small);
    acb_init(sum);
    bool left = arf_sgn(arb_midref(acb_realref(y))) < 0;
    acb_set(small, y);
    if (!left) acb_neg(small, small);
    acb_exp(small, small, precision);
    acb_add_ui(sum, small, 1, precision);
    if (left)
        acb_div(value, small, sum, precision);
    else
        acb_inv(value, sum, precision);
    acb_clear(small);
    acb_clear(sum);
}

static void power_at(acb_t value, const acb_t x, void *context, slong precision)
{
    const power *p = context;
    acb_t y;
    acb_init(y);
    acb_mul_arb(y, x, p->l->scale, precision);
    acb_add_arb(y, y, p->l->location, precision);
    complex_sigmoid(value, y, precision);
    arb_sub_arf(acb_realref(value), acb_realref(value), p->centre, precision);
    if (p->square) acb_mul(value, value, value, precision);
    acb_clear(y);
}

/* A number between 0 and 1 by its meaning, whatever the arithmetic says; all of that where it says
 * nothing. */
static void keep_chance(arb_t x)
{
    arb_t all;
    arb_init(all);
    arb_one(all);
    arb_mul_2exp_si(all, all, -1);
    mag_set_ui_2exp_si(arb_radref(all), 1, -1);
    if (!arb_is_finite(x) || !arb_intersection(x, x, all, PRECISION)) arb_set(x, all);
    arb_clear(all);
}

/* Beyond the cuts the integrand is between -1 and 1. */
static void integrate(arb_t sum, const power *p)
{
    arf_t from, to;
    mag_t tolerance;
    acb_t centre;
    arb_t tail;
    arf_init(from);
    arf_init(to);
    mag_init(tolerance);
    acb_init(centre);
    arb_init(tail);
    arf_set_d(from, -cut);
    arf_set_d(to, cut);
    mag_set_ui_2exp_si(tolerance, 1, -GOAL_BITS);
    qkv__normal_integrate(centre, power_at, (void *)(uintptr_t)p, from, to, tolerance, GOAL_BITS,
                          EVALUATIONS, PRECISION);
    arb_set_arf(tail, to);
    qkv__normal_above(tail, tail, PRECISION);
    arb_mul_2exp_si(tail, tail, 1);
    arb_set(sum, acb_realref(centre));
    arb_add_error(sum, tail);
    arf_clear(from);
    arf_clear(to);
    mag_clear(tolerance);
    acb_clear(centre);
    arb_clear(tail);
}

static void set_moments(law *l)
{
    if (arb_is_zero(l->scale)) {
        sigmoid(l->mean, l->location);
        keep_chance(l->mean);
        arb_zero(l->variance);
        return;
    }
    arf_t centre;
    arb_t gap;
    arf_init(centre);
    arb_init(gap);
    power first = {l, centre, false}, second = {l, centre, true};
    integrate(l->mean, &first);
    keep_chance(l->mean);
    arf_set_round(centre, arb_midref(l->mean), PRECISION, ARF_RND_NEAR);
    integrate(l->variance, &second);
    arb_sub_arf(gap, l->mean, centre, PRECISION);
    arb_submul(l->variance, gap, gap, PRECISION);
    keep_chance(l->variance);
    arf_clear(centre);
    arb_clear(gap);
}

/* ---- Numbers that follow -------------------------------------------------------------------- */

static void set_bounds(qkv_bounds *bounds, const arb_t value, bool nonnegative)
{
    qkv__interval interval;
    qkv__enclosure enclosure = {0};
    qkv__interval_init(&interval);
    arb_get_interval_arf(interval.lower, interval.upper, value, PRECISION);
    if (nonnegative && arf_sgn(interval.lower) < 0) arf_zero(interval.lower);
    qkv__enclosure_set(&enclosure, &interval);
    *bounds = (qkv_bounds){-INFINITY, INFINITY, "unknown"};
    if (enclosure.known) {
        bounds->lower = enclosure.lower;
        bounds->upper = enclosure.upper;
        snprintf(bounds->text, sizeof bounds->text, "%s", enclosure.text);
    }
    qkv__interval_clear(&interval);
}

/* P(X < low) + P(X > high), each by the normal law behind X; both ends are within (0, 1). */
static void add_tails(arb_t chance, const law *l)
{
    arb_t z;
    arb_init(z);
    arb_zero(chance);
    if (!arb_is_zero(l->low)) {
        logit(z, l->low);
        arb_sub(z, l->location, z, PRECISION);
        arb_div(z, z, l->scale, PRECISION);
        qkv__normal_above(chance, z, PRECISION);
    }
    if (!arb_is_one(l->high)) {
        logit(z, l->high);
        arb_sub(z, z, l->location, PRECISION);
        arb_div(z, z, l->scale, PRECISION);
        qkv__normal_above(z, z, PRECISION);
        arb_add(chance, chance, z, PRECISION);
    }
    arb_clear(z);
}

/* 1 where a head fails for certain, 0 where none can; where balls overlap, from 0 to 1. */
static void set_failure(arb_t chance, const law *l)
{
    bool fixed = arb_is_zero(l->scale);
    bool unlimited = arb_is_one(l->high); /* which no weight passes, whatever its ball says */
    bool never = fixed && arb_ge(l->mean, l->low) && (unlimited || arb_le(l->mean, l->high));
    bool always =
        fixed ? arb_lt(l->mean, l->low) || arb_gt(l->mean, l->high) : arb_ge(l->low, l->high);
    if (l->fails || always)
        arb_one(chance);
    else if (l->may_fail || (fixed && !never) || (!fixed && !arb_lt(l->low, l->high)))
        arb_indeterminate(chance);
    else if (fixed)
        arb_zero(chance);
    else
        add_tails(chance, l);
    keep_chance(chance);
}

static void weight_at(arb_t weight, const class *c, const arb_t x)
{
    arb_set(weight, c->base);
    arb_addmul(weight, c->slope, x, PRECISION);
}

static void set_leak(arb_t leak, const law *l)
{
    arb_t x, weight;
    arb_init(x);
    arb_init(weight);
    sigmoid(x, l->location);
    weight_at(leak, &l->classes[UNWANTED], x);
    arb_mul_si(leak, leak, l->classes[UNWANTED].count, PRECISION);
    weight_at(weight, &l->classes[NOISY], x);
    if (l->options->other_noisy) arb_add(leak, leak, weight, PRECISION);
    keep_chance(leak);
    arb_clear(x);
    arb_clear(weight);
}

/* The squares of bias and error, summed over the classes. */
static void set_errors(arb_t bias, arb_t error, const law *l)
{
    arb_t gap, slopes;
    arb_init(gap);
    arb_init(slopes);
    arb_zero(bias);
    for (int i = 0; i < CLASSES; i++) {
        const class *c = &l->classes[i];
        weight_at(gap, c, l->mean);
        arb_sub(gap, gap, c->target, PRECISION);
        arb_mul(gap, gap, gap, PRECISION);
        arb_addmul_si(bias, gap, c->count, PRECISION);
        arb_mul(gap, c->slope, c->slope, PRECISION);
        arb_addmul_si(slopes, gap, c->count, PRECISION);
    }
    arb_set(error, bias);
    arb_addmul(error, slopes, l->variance, PRECISION);
    arb_sqrtpos(bias, bias, PRECISION);
    arb_clear(gap);
    arb_clear(slopes);
}

static void set_all(const law *l, qkv_law_bounds *bounds)
{
    arb_t a, b;
    arb_init(a);
    arb_init(b);
    bool heads = l->options->design == QKV_DESIGN_HEADS && !l->options->other_noisy;
    set_bounds(&bounds->mean, l->mean, true);
    set_bounds(&bounds->variance, l->variance, true);
    arb_set_si(a, heads ? (slong)l->options->wanted : 1);
    arb_mul(a, a, a, PRECISION);
    arb_div(a, l->variance, a, PRECISION);
    set_bounds(&bounds->covariance, a, true);
    set_leak(a, l);
    set_bounds(&bounds->leak, a, true);
    set_errors(a, b, l);
    set_bounds(&bounds->bias, a, true);
    set_bounds(&bounds->error, b, true);
    set_failure(a, l);
    set_bounds(&bounds->failure, a, true);
    arb_clear(a);
    arb_clear(b);
}

qkv_status qkv_law_enclose(const qkv_law_options *options, qkv_law_bounds *bounds, qkv_error *error)
{
    qkv_law unused;
    qkv_status status = qkv_law_compute(options, &unused, error);
    if (status != QKV_OK) return status;
    if (options->beta > largest_beta)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "beta: got %g; expected at most %g for bounds",
                         options->beta, largest_beta);
    if ((uint64_t)options->keys > UINT64_C(1) << 53)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "keys: got %zu; expected at most 2^53",
                         options->keys);
    law l;
    law_init(&l, options);
    spread(&l);
    set_moments(&l);
    set_all(&l, bounds);
    law_clear(&l);
    return QKV_OK;
}
