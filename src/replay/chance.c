/*
 * P, E, Var and Cov at one case, as sums over draws (draw.c). Where one or two random numbers
 * matter the sum is over a grid, otherwise over random draws. Its error is estimated, not bounded,
 * so that what comes of it checks verdicts and decides nothing.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "replay/names.h"
#include "replay/replay.h"

enum {
    GRID_LINE = 65, /* points of a grid with one random number; with two, on each side: */
    GRID_SIDE = 17,
    DRAWS = 1024,
    DRAWS_AT_LEAST = 128, /* where a draw is dear */
    FINER = 4,            /* times more points, or draws, at each effort */
};

static const size_t OPERATIONS = 10000; /* on reals, for the draws of one sum at the first effort */
static const double GRID_END = 5.0;     /* of a standard normal number */
static const double DEVIATIONS = 7.0;
static const double ASIDE = 0.375; /* of a step */
static const double TWO_PI = 6.283185307179586;
static const double TINY = 0x1p-1022;   /* stands for what is too small for a double, and not 0 */
static const double TOO_SMALL = 1e-100; /* where all is, what is not small was not met */

static bool unable(qkv__scene *scene)
{
    return qkv__bench_fail(&scene->replay->bench, QKV__OBSTACLE_UNABLE);
}

static bool vague(qkv__scene *scene)
{
    return qkv__bench_fail(&scene->replay->bench, QKV__OBSTACLE_VAGUE);
}

/* ---- Normal numbers ------------------------------------------------------------------------ */

/* SplitMix64's mixing (Steele, Lea and Flood 2014). */
static uint64_t mix(uint64_t z)
{
    z += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* By Box and Muller, as a function of the draw and of which number it is. */
static double normal_number(uint64_t seed, uint64_t key)
{
    uint64_t first = mix(seed ^ mix(key)), second = mix(first);
    double u = ((double)(first >> 11) + 0.5) * 0x1p-53, v = (double)(second >> 11) * 0x1p-53;
    return sqrt(-2.0 * log(u)) * cos(TWO_PI * v);
}

double qkv__replay_noise(qkv__replay *replay, size_t statement, size_t member, size_t at)
{
    qkv__replay_draw *draw = &replay->draw;
    uint64_t key = ((uint64_t)statement << 40) + ((uint64_t)member << 20) + at;
    size_t i = 0;
    while (i < draw->live_count && draw->live[i] != key) i++;
    if (i == draw->live_count && i < QKV__REPLAY_LIVE) draw->live[draw->live_count++] = key;
    if (!draw->grid) return normal_number(draw->seed, key);
    return i < 2 ? draw->at[i] : 0.0;
}

/* ---- Draws --------------------------------------------------------------------------------- */

/* What is drawn: x and, for Cov, y; how much each draw counts. */
typedef struct sample {
    const qkv__node *x, *y;
    const qkv__node *given;
    bool event;
    size_t count, side; /* side: of a grid; 0 for random draws */
    double *value, *other, *weight;
    double unclear; /* the weight of draws of which nothing is known */
} sample;

/* All that a draw changes, to be put back. */
typedef struct outside {
    qkv__bench_place place, floor;
    qkv__replay_draw draw;
    bool known[QKV__REPLAY_STATEMENTS];
    qkv__case_value value[QKV__REPLAY_STATEMENTS];
    bool unknown_known[QKV__UNKNOWNS];
    qkv__case_value unknown_value[QKV__UNKNOWNS];
    qkv__rational limit[QKV__REPLAY_LIMITS];
} outside;

static void keep_outside(const qkv__replay *replay, outside *o)
{
    o->place = qkv__bench_here(&replay->bench);
    o->floor = replay->floor;
    o->draw = replay->draw;
    memcpy(o->known, replay->known, qkv__replay_statements(replay) * sizeof o->known[0]);
    memcpy(o->value, replay->value, qkv__replay_statements(replay) * sizeof o->value[0]);
    memcpy(o->unknown_known, replay->unknown_known, sizeof o->unknown_known);
    memcpy(o->unknown_value, replay->unknown_value, sizeof o->unknown_value);
    for (size_t i = 0; i < replay->limit_count; i++)
        o->limit[i] = replay->slot[replay->unknown[replay->limit[i].unknown].offset];
}

static void restore_outside(qkv__replay *replay, const outside *o)
{
    qkv__bench_return(&replay->bench, o->place);
    replay->floor = o->floor;
    replay->draw = o->draw;
    memcpy(replay->known, o->known, qkv__replay_statements(replay) * sizeof o->known[0]);
    memcpy(replay->value, o->value, qkv__replay_statements(replay) * sizeof o->value[0]);
    memcpy(replay->unknown_known, o->unknown_known, sizeof o->unknown_known);
    memcpy(replay->unknown_value, o->unknown_value, sizeof o->unknown_value);
    for (size_t i = 0; i < replay->limit_count; i++)
        replay->slot[replay->unknown[replay->limit[i].unknown].offset] = o->limit[i];
}

/* What a draw does not change is kept from the first evaluation; a walk to a limit changes all. */
static void begin_draw(qkv__replay *replay, const outside *first, bool limit)
{
    qkv__bench_return(&replay->bench, first->place);
    for (size_t s = 0; s < qkv__replay_statements(replay); s++)
        replay->known[s] = first->known[s] && !replay->is_random[s] && !limit;
    for (size_t i = 0; i < replay->unknown_count; i++)
        replay->unknown_known[i] = first->unknown_known[i] && !limit;
    if (limit) replay->draw.law_count = 0;
}

/* Whether a condition holds in this draw. */
static bool judge_given(qkv__scene *scene, const sample *s, int *certain)
{
    const qkv__replay *replay = scene->replay;
    qkv__truth truth;
    *certain = 1;
    for (size_t i = 0; i < replay->condition_count; i++) {
        qkv__scene here = {.replay = scene->replay, .position = replay->condition[i].position};
        if (!qkv__replay_judge_premise(&here, replay->condition[i].node, &truth)) return false;
        if (truth.certain < *certain) *certain = truth.certain;
    }
    if (s->given == NULL) return true;
    if (!qkv__replay_judge_premise(scene, s->given, &truth)) return false;
    if (truth.certain < *certain) *certain = truth.certain;
    return true;
}

static bool scalar(qkv__scene *scene, const qkv__node *node, double *number)
{
    qkv__case_value value;
    if (!qkv__replay_evaluate(scene, node, &value)) return false;
    if (value.kind != QKV__CASE_SCALAR) return unable(scene);
    if (!qkv__real_is_defined(value.entry)) return vague(scene);
    *number = qkv__real_middle(value.entry);
    if (*number == 0.0 && qkv__real_sign(value.entry) != 0) *number = TINY;
    return isfinite(*number) || vague(scene);
}

static bool take_draw(qkv__scene *scene, sample *s, size_t at, double weight)
{
    int certain;
    s->weight[at] = s->value[at] = s->other[at] = 0.0;
    if (!judge_given(scene, s, &certain)) return false;
    if (certain == -1) return true;
    if (certain == 0) return s->unclear += weight, true;
    s->weight[at] = weight;
    if (!s->event)
        return scalar(scene, s->x, &s->value[at]) &&
               (s->y == NULL || scalar(scene, s->y, &s->other[at]));
    if (!qkv__replay_judge_event(scene, s->x, &certain)) return false;
    s->value[at] = certain == 1 ? 1.0 : 0.0;
    if (certain == 0) s->unclear += weight, s->value[at] = 0.5;
    return true;
}

/* Over a grid of one or two random numbers, or over random draws. The grid is moved by part of a
 * step: sums over it are as good wherever it begins. */
static bool take_draws(qkv__scene *scene, sample *s, const outside *first, double moved)
{
    qkv__replay *replay = scene->replay;
    const size_t columns = s->side == 0 ? s->count : s->side, lines = s->count / columns;
    const double step = s->side == 0 ? 0.0 : 2.0 * GRID_END / (double)(s->side - 1);
    const uint64_t seed = mix(replay->draw.seed + (uint64_t)replay->effort);
    const bool limit = s->event && qkv__replay_is_limit_event(replay, s->x);
    for (size_t i = 0; i < s->count; i++) {
        double x = -GRID_END + step * ((double)(i % columns) + moved);
        double y = lines == 1 ? 0.0 : -GRID_END + step * ((double)(i / columns) + moved);
        double weight = 1.0 / (double)s->count;
        begin_draw(replay, first, limit);
        replay->draw.seed = mix(seed + i);
        replay->draw.grid = s->side > 0;
        replay->draw.at[0] = x;
        replay->draw.at[1] = y;
        if (s->side > 0) {
            weight = step * exp(-x * x / 2.0) / sqrt(TWO_PI);
            if (lines > 1) weight *= step * exp(-y * y / 2.0) / sqrt(TWO_PI);
        }
        size_t live = replay->draw.live_count;
        qkv__scene here = *scene;
        if (!take_draw(&here, s, i, weight)) return false;
        if (s->side > 0 && replay->draw.live_count != live) return vague(scene);
    }
    return true;
}

/* ---- Sums ---------------------------------------------------------------------------------- */

typedef struct estimate {
    double middle, error;
} estimate;

/* What lies beyond both ends of a line of a grid, if weights go on to fall, and numbers to grow, as
 * they do there. A number that is no larger than others of its line does not grow; one that grows
 * faster than weights fall does so at most to the largest of the grid, unless it is that. */
static double beyond_ends(const sample *s, const double *number, double largest, size_t first,
                          size_t step, size_t count)
{
    double sum = 0.0;
    for (int end = 0; end < 2; end++) {
        size_t last = first + (end == 0 ? 0 : (count - 1) * step);
        size_t before = end == 0 ? last + step : last - step;
        double outer = fabs(number[last]), others = 0.0;
        for (size_t i = 0; i < count; i++)
            if (first + i * step != last) others = fmax(others, fabs(number[first + i * step]));
        if (outer == 0.0 || s->weight[last] == 0.0 || s->weight[before] == 0.0) continue;
        double fall = s->weight[last] / s->weight[before], factor = fall;
        if (others > 0.0) factor *= fmax(1.0, outer / others);
        if (factor >= 1.0 && outer < largest) {
            factor = fall;
            outer = largest;
        }
        sum += factor < 1.0 ? s->weight[last] * outer * factor / (1.0 - factor) : INFINITY;
    }
    return sum;
}

/* The mean of numbers by their weights: not divided by the sum of the weights. */
static estimate weighted_mean(const sample *s, const double *number, double range)
{
    estimate e = {0.0, 0.0};
    double squares = 0.0, largest = range;
    const size_t side = s->side, lines = side == 0 ? 1 : s->count / side;
    for (size_t i = 0; i < s->count; i++) e.middle += s->weight[i] * number[i];
    if (side == 0) {
        for (size_t i = 0; i < s->count; i++) {
            double term = (double)s->count * s->weight[i] * number[i] - e.middle;
            squares += term * term;
            largest = fmax(largest, fabs(term));
        }
        e.error = (DEVIATIONS * sqrt(squares) + 2.0 * DEVIATIONS * largest) / (double)s->count;
    }
    /* By second differences: they are as large as the error where a number jumps. */
    for (size_t i = 0; side > 0 && i < s->count; i++) {
        double here = s->weight[i] * number[i];
        if (i % side > 0 && i % side + 1 < side)
            e.error += fabs(s->weight[i - 1] * number[i - 1] - 2.0 * here +
                            s->weight[i + 1] * number[i + 1]) /
                       2.0;
        if (lines > 1 && i >= side && i + side < s->count)
            e.error += fabs(s->weight[i - side] * number[i - side] - 2.0 * here +
                            s->weight[i + side] * number[i + side]) /
                       2.0;
    }
    double most = 0.0;
    for (size_t i = 0; side > 0 && i < s->count; i++) most = fmax(most, fabs(number[i]));
    for (size_t line = 0; side > 0 && line < lines; line++)
        e.error += beyond_ends(s, number, most, line * side, 1, side);
    for (size_t column = 0; lines > 1 && column < side; column++)
        e.error += beyond_ends(s, number, most, column, side, lines);
    e.error += 1e-12 * (1.0 + fabs(e.middle));
    if (side > 0) e.error += 1e-6 * (1.0 + fabs(e.middle));
    return e;
}

/* Whether all numbers are next to nothing: what is not was not met. Squares of them would be 0. */
static bool is_missed(const sample *s, const double *number)
{
    double most = 0.0;
    for (size_t i = 0; i < s->count; i++) most = fmax(most, fabs(number[i]));
    return most > 0.0 && most < TOO_SMALL;
}

/* A mean that a few draws make is none: the largest draws were not met. */
static bool is_heavy(const sample *s, const double *number)
{
    double sum = 0.0, largest = 0.0;
    for (size_t i = 0; i < s->count; i++) {
        double term = fabs(s->weight[i] * number[i]);
        sum += term;
        largest = fmax(largest, term);
    }
    return is_missed(s, number) ||
           (s->side == 0 && largest > 0.1 * sum && sum > 0.0 && s->given == NULL);
}

static estimate quotient(estimate x, estimate y)
{
    estimate q = {x.middle / y.middle, 0.0};
    q.error = (x.error + fabs(q.middle) * y.error) / (y.middle - y.error);
    return q;
}

static void multiply_by(double *number, const double *factor, double mean, double other,
                        size_t count)
{
    for (size_t i = 0; i < count; i++) number[i] = (number[i] - mean) * (factor[i] - other);
}

/* P, E, Var or Cov from the draws. */
static bool estimate_of(qkv__scene *scene, sample *s, bool second, double *ones, estimate *result)
{
    for (size_t i = 0; i < s->count; i++) ones[i] = 1.0;
    estimate all = weighted_mean(s, ones, 0.0);
    double slack = s->unclear;
    if (all.middle - all.error < 0.01) return vague(scene); /* the condition is hardly ever met */
    if (s->unclear > 0.2 * all.middle) return vague(scene);
    estimate x = quotient(weighted_mean(s, s->value, s->event ? 1.0 : 0.0), all);
    if (second && (is_missed(s, s->value) || (s->y != NULL && is_missed(s, s->other))))
        return vague(scene);
    if (second) {
        const double *factor = s->y == NULL ? s->value : s->other;
        estimate y = s->y == NULL ? x : quotient(weighted_mean(s, s->other, 0.0), all);
        memcpy(ones, factor, s->count * sizeof *ones);
        multiply_by(s->value, ones, x.middle, y.middle, s->count);
        double cross = x.error * y.error;
        x = quotient(weighted_mean(s, s->value, 0.0), all);
        x.error += cross;
        slack *= 2.0 * fabs(x.middle) + cross;
    } else if (!s->event) {
        slack *= 2.0 * fabs(x.middle);
    }
    if (!s->event && is_heavy(s, s->value)) return vague(scene);
    x.error += slack / all.middle;
    *result = x;
    return true;
}

/* How many draws, and of which kind: by how many random numbers matter, and what one costs. */
static void plan(qkv__replay *replay, sample *s, size_t cost)
{
    size_t live = replay->draw.live_count, finer = 1;
    for (int i = 0; i < replay->effort; i++) finer *= FINER;
    s->side = 0;
    s->count = 1;
    if (live == 0) return;
    if (live <= 2) {
        s->side = live == 1 ? (GRID_LINE - 1) * finer + 1
                            : (GRID_SIDE - 1) * (replay->effort > 0 ? finer / 2 : 1) + 1;
        s->count = live == 1 ? s->side : s->side * s->side;
        return;
    }
    size_t affordable = OPERATIONS / (cost + 1);
    s->count = affordable > DRAWS ? DRAWS : affordable;
    if (s->count < DRAWS_AT_LEAST) s->count = DRAWS_AT_LEAST;
    s->count *= finer;
}

static bool sum_draws(qkv__scene *scene, sample *s, bool second, outside *first, estimate *result)
{
    qkv__replay *replay = scene->replay;
    size_t before = replay->bench.operations;
    double one[3];
    bool good = false;
    replay->floor = qkv__bench_here(&replay->bench);
    for (size_t i = 0; i < qkv__replay_statements(replay); i++) /* a premise may have drawn */
        replay->known[i] = replay->known[i] && !replay->is_random[i];
    /* A first draw shows what matters, and evaluates what does not change. */
    replay->draw.live_count = 0;
    replay->draw.grid = false;
    replay->draw.is_first = replay->draw.depth == 1;
    *s = (sample){.x = s->x, .y = s->y, .given = s->given, .event = s->event, .count = 1};
    s->value = &one[0], s->other = &one[1], s->weight = &one[2];
    replay->draw.seed = mix(replay->draw.seed);
    if (!take_draw(scene, s, 0, 1.0)) return false;
    replay->draw.is_first = false;
    plan(replay, s, replay->bench.operations - before);
    s->unclear = 0.0;
    keep_outside(replay, first);
    replay->floor = first->place;
    double *room = qkv__allocate(4 * s->count * sizeof *room);
    if (room == NULL) return qkv__bench_fail(&replay->bench, QKV__OBSTACLE_ROOM);
    s->value = room, s->other = room + s->count, s->weight = room + 2 * s->count;
    bool taken = take_draws(scene, s, first, 0.0);
    if (!taken && s->side > 0 && replay->bench.obstacle == QKV__OBSTACLE_UNDEFINED) {
        /* z/|z| has no value at 0, which is a point of the grid and has no weight. */
        replay->bench.obstacle = QKV__OBSTACLE_NONE;
        s->unclear = 0.0;
        taken = take_draws(scene, s, first, ASIDE);
    }
    if (taken) good = estimate_of(scene, s, second, room + 3 * s->count, result);
    qkv__free(room);
    return good;
}

static bool from_estimate(qkv__scene *scene, estimate e, qkv__case_value *value)
{
    qkv__real *entry = qkv__bench_take(&scene->replay->bench, 1);
    if (entry == NULL) return false;
    qkv__real_set_near(entry, e.middle, e.error);
    *value = (qkv__case_value){.kind = QKV__CASE_SCALAR, .rows = 1, .columns = 1, .entry = entry};
    return true;
}

/* A probability of the limit is the same at every step of the path. */
static bool recall(const qkv__replay *replay, const qkv__node *node, estimate *e)
{
    for (size_t i = 0; i < replay->recalled_count; i++)
        if (replay->recalled[i].node == node) {
            *e = (estimate){replay->recalled[i].middle, replay->recalled[i].error};
            return true;
        }
    return false;
}

bool qkv__replay_chance(qkv__scene *scene, const qkv__node *node, qkv__case_value *value)
{
    assert(node->kind == QKV__NODE_CALL);
    qkv__replay *replay = scene->replay;
    bool covariance = strcmp(node->text, "Cov") == 0, second = node->text[0] == 'V' || covariance;
    sample s = {.event = node->text[0] == 'P'};
    estimate result;
    if (node->count != (covariance ? 2u : 1u) || replay->draw.depth > 1) return unable(scene);
    const qkv__node *last = node->child[node->count - 1];
    if (last->kind == QKV__NODE_GIVEN) {
        s.given = last->child[1];
        last = last->child[0];
    }
    s.x = covariance ? node->child[0] : last;
    s.y = covariance ? last : NULL;
    bool limit = s.event && scene->locals == NULL && qkv__replay_is_limit_event(replay, s.x);
    if (limit && recall(replay, node, &result)) return from_estimate(scene, result, value);
    outside *room = qkv__allocate(2 * sizeof *room);
    if (room == NULL) return qkv__bench_fail(&replay->bench, QKV__OBSTACLE_ROOM);
    keep_outside(replay, &room[0]);
    replay->draw.depth++;
    bool good = sum_draws(scene, &s, second, &room[1], &result);
    restore_outside(replay, &room[0]);
    qkv__free(room);
    if (!good) return false;
    if (limit && replay->recalled_count < QKV__REPLAY_LIMITS) {
        size_t at = replay->recalled_count++;
        replay->recalled[at].node = node;
        replay->recalled[at].middle = result.middle;
        replay->recalled[at].error = result.error;
    }
    return from_estimate(scene, result, value);
}
