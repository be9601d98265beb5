/*
 * Events to probabilities: comparisons, intervals, what is put together by and, or, not; in a limit
 * the stretches of a partition on which an event holds. Knows propositions and laws; integrals are
 * chance.c's.
 */
#include <assert.h>
#include <string.h>

#include "claim/chance/chance_part.h"
#include "claim/chance/likely.h"
#include "claim/chance/moment.h"
#include "claim/compare/limit_compare.h"
#include "claim/model/evaluate.h"
#include "claim/model/random_parameters.h"
#include "claim/premise/gap.h"
#include "language/write.h"

/* ---- In a limit ---------------------------------------------------------------------- */

/* The verdict on a stretch: for ~ by the limits, for an order by the limit's sign. A limit that is
 * reached says nothing of = on the way to it. */
static qkv__verdict judge_on(qkv__situation *s, const qkv__partition *partition, size_t stretch,
                             const qkv__gap *gaps, size_t count, qkv__comparison comparison)
{
    qkv__scope scope = qkv__situation_open(s);
    qkv__partition_enter(s, partition, stretch);
    qkv__verdict verdict = QKV__UNDECIDED;
    if (comparison == QKV__NEAR) {
        qkv__nullity all = qkv__limits_vanish(s, gaps, count);
        if (all == QKV__NULLITY_ZERO) verdict = QKV__PROVED;
        if (all == QKV__NULLITY_NEVER) verdict = QKV__REFUTED;
    } else {
        qkv__limit limit = qkv__limit_of(s, gaps[0].difference);
        qkv__sign sign = limit.kind == QKV__LIMIT_FINITE
                             ? qkv__ratio_sign(&s->model->algebra, limit.value)
                             : QKV__SIGN_UNKNOWN;
        if (sign == QKV__SIGN_POSITIVE || sign == QKV__SIGN_NEGATIVE)
            verdict = qkv__judge_sign(sign, comparison);
    }
    qkv__situation_close(s, &scope);
    return verdict;
}

/* P(x ~ y) in a limit: of vectors coefficient by coefficient, that is for values in general
 * position. */
static bool limit_probability(qkv__situation *s, const qkv__node *node, qkv__likely *result)
{
    assert(node->kind == QKV__NODE_COMPARE);
    qkv__value x, y;
    qkv__failure failure = {0};
    const qkv__node *culprit;
    qkv__gap gaps[QKV__GAPS];
    qkv__ratio ratios[QKV__GAPS];
    size_t count;
    qkv__partition partition;
    bool near = node->comparison == QKV__NEAR;
    if (node->comparison == QKV__IN || node->comparison == QKV__NOT_IN) return false;
    if (!qkv__model_evaluate(s->model, node->child[0], s->locals, &x, &failure, &culprit) ||
        !qkv__model_evaluate(s->model, node->child[1], s->locals, &y, &failure, &culprit))
        return qkv__situation_failed(s, &failure, culprit), false;
    qkv__match_kinds(s, &x, &y);
    qkv__match_kinds(s, &y, &x);
    if (!qkv__gaps_between(s, &x, &y, gaps, &count) || count == 0 || (!near && count != 1))
        return false;
    for (size_t i = 0; i < count; i++) ratios[i] = gaps[i].difference;
    if (!qkv__partition_make(s, ratios, count, &partition)) return false;
    bool holds[QKV__STRETCHES];
    for (size_t i = 0; i < partition.count; i++) {
        qkv__verdict verdict = judge_on(s, &partition, i, gaps, count, node->comparison);
        if (verdict == QKV__UNDECIDED) return false;
        holds[i] = verdict == QKV__PROVED;
    }
    *result = qkv__likely_rational(qkv__rational_whole(0));
    for (size_t i = 0, last; i < partition.count; i = last + 1) {
        for (last = i; last + 1 < partition.count && holds[last + 1] == holds[i];) last++;
        if (holds[i])
            *result = qkv__likely_add(*result, qkv__partition_probability(&partition, i, last));
    }
    return true;
}

static bool event_of(qkv__comparison comparison, qkv__event *event)
{
    static const struct {
        qkv__comparison comparison;
        qkv__event event;
    } events[] = {{QKV__GREATER, QKV__EVENT_ABOVE}, {QKV__GREATER_OR_EQUAL, QKV__EVENT_AT_LEAST},
                  {QKV__LESS, QKV__EVENT_BELOW},    {QKV__LESS_OR_EQUAL, QKV__EVENT_AT_MOST},
                  {QKV__EQUAL, QKV__EVENT_EQUAL},   {QKV__NOT_EQUAL, QKV__EVENT_UNEQUAL}};
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++)
        if (events[i].comparison == comparison) return *event = events[i].event, true;
    return false;
}

/* ---- At given parameters ------------------------------------------------------------- */

/* A comparison of numbers: a ratio beside 0. */
typedef struct trial {
    qkv__ratio difference;
    qkv__event event;
} trial;

/* x - y, or a number of its sign where they are norms. */
static bool numbers_apart(qkv__situation *s, const qkv__value *x, const qkv__value *y,
                          qkv__ratio *difference)
{
    qkv__ratio a, b;
    if (x->kind != QKV__VALUE_SCALAR || y->kind != QKV__VALUE_SCALAR) return false;
    if (!qkv__value_as_ratio(x, &a) || !qkv__value_as_ratio(y, &b))
        return qkv__surd_difference(s, x->scalar, y->scalar, difference);
    *difference = qkv__ratio_subtract(&s->model->algebra, a, b);
    return true;
}

static bool trial_of(qkv__situation *s, const qkv__node *left, const qkv__node *right,
                     qkv__comparison comparison, trial *made)
{
    qkv__value x, y;
    qkv__failure failure = {0};
    const qkv__node *culprit;
    if (!qkv__model_evaluate(s->model, left, s->locals, &x, &failure, &culprit) ||
        !qkv__model_evaluate(s->model, right, s->locals, &y, &failure, &culprit))
        return qkv__situation_failed(s, &failure, culprit), false;
    if (!numbers_apart(s, &x, &y, &made->difference) || !event_of(comparison, &made->event))
        return false;
    made->difference = qkv__moment_apply(s, made->difference);
    return true;
}

static bool compare_probability(qkv__situation *s, const qkv__node *left, const qkv__node *right,
                                qkv__comparison comparison, qkv__likely *result)
{
    trial made;
    return trial_of(s, left, right, comparison, &made) &&
           qkv__chance_probability(s, made.difference, made.event, result);
}

/* Whether an end of an interval is random itself. */
static bool is_random(qkv__situation *s, const qkv__node *node)
{
    qkv__value value;
    return !qkv__model_value(s->model, node, s->locals, &value) ||
           value.kind != QKV__VALUE_SCALAR || qkv__random_touches(s->model, value.scalar.factor) ||
           qkv__random_touches(s->model, value.scalar.radicand);
}

/* lower (<, <=) x (<, <=) upper, with ends that are fixed: below the upper one, less what is not
 * above the lower one. Where the ends have changed places, that is not positive, and the event
 * never happens. */
static bool between_probability(qkv__situation *s, const qkv__node *x, const qkv__node *lower,
                                bool above, const qkv__node *upper, qkv__comparison below,
                                qkv__likely *result)
{
    qkv__likely most, less;
    if (is_random(s, lower) || is_random(s, upper) ||
        !compare_probability(s, x, upper, below, &most) ||
        !compare_probability(s, x, lower, above ? QKV__LESS_OR_EQUAL : QKV__LESS, &less))
        return false;
    *result = qkv__likely_positive_part(qkv__likely_subtract(most, less));
    return true;
}

static bool is_upward(const qkv__node *node)
{
    return node->kind == QKV__NODE_COMPARE &&
           (node->comparison == QKV__LESS || node->comparison == QKV__LESS_OR_EQUAL);
}

/* l <= x <= u, which is l <= x and x <= u. */
static bool is_chain(const qkv__node *node)
{
    return node->kind == QKV__NODE_AND && is_upward(node->child[0]) && is_upward(node->child[1]) &&
           (node->child[0]->child[1] == node->child[1]->child[0] ||
            qkv__node_same_text(node->child[0]->child[1], node->child[1]->child[0]));
}

/* ---- Several events ------------------------------------------------------------------ */

enum { TRIALS = 8 };

/* The comparisons that an event is put together from. */
static bool collect_trials(qkv__situation *s, const qkv__node *node, trial *trials, size_t *count)
{
    if (node->kind == QKV__NODE_AND || node->kind == QKV__NODE_OR || node->kind == QKV__NODE_NOT) {
        for (size_t i = 0; i < node->count; i++)
            if (!collect_trials(s, node->child[i], trials, count)) return false;
        return true;
    }
    if (node->kind != QKV__NODE_COMPARE || *count == TRIALS) return false;
    return trial_of(s, node->child[0], node->child[1], node->comparison, &trials[(*count)++]);
}

/* Jointly normal numbers that are not correlated are independent, and so is what is made of them.
 */
static bool are_independent(qkv__situation *s, const qkv__node *one, const qkv__node *two)
{
    trial first[TRIALS], second[TRIALS];
    size_t n = 0, m = 0;
    if (!collect_trials(s, one, first, &n) || !collect_trials(s, two, second, &m)) return false;
    int parameters =
        (int)s->model->algebra.parameter_count; /* with those that the trials brought */
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            for (int p = 0; p < parameters; p++)
                for (int q = 0; q < parameters; q++) {
                    qkv__ratio covariance;
                    if (!qkv__random_is(s->model, p) || !qkv__random_is(s->model, q) ||
                        !qkv__ratio_depends_on(first[i].difference, p) ||
                        !qkv__ratio_depends_on(second[j].difference, q))
                        continue;
                    if (!qkv__moment_of_parameters(s, p, q, &covariance) ||
                        !qkv__ratio_is_zero(covariance))
                        return false;
                }
    return true;
}

static bool both_probability(qkv__situation *s, const qkv__node *one, const qkv__node *two,
                             qkv__likely *result)
{
    trial trials[TRIALS];
    size_t count = 0;
    qkv__likely first, second;
    if (are_independent(s, one, two)) {
        if (!qkv__chance_of_event(s, one, &first) || !qkv__chance_of_event(s, two, &second))
            return false;
        *result = qkv__likely_multiply(first, second);
        return true;
    }
    if (one->kind != QKV__NODE_COMPARE || two->kind != QKV__NODE_COMPARE ||
        !collect_trials(s, one, trials, &count) || !collect_trials(s, two, trials, &count))
        return false;
    qkv__ratio f[2] = {trials[0].difference, trials[1].difference};
    qkv__event event[2] = {trials[0].event, trials[1].event};
    return qkv__chance_of_both(s, f, event, result);
}

/* p or q: as likely as p and as q, less both. */
static bool either_probability(qkv__situation *s, const qkv__node *node, qkv__likely *result)
{
    assert(node->kind == QKV__NODE_OR);
    qkv__likely first, second, both;
    if (!qkv__chance_of_event(s, node->child[0], &first) ||
        !qkv__chance_of_event(s, node->child[1], &second) ||
        !both_probability(s, node->child[0], node->child[1], &both))
        return false;
    *result = qkv__likely_subtract(qkv__likely_add(first, second), both);
    return true;
}

/* By symmetry, where that gives a number. */
static bool order_probability(qkv__situation *s, const qkv__node *node, qkv__likely *result)
{
    qkv__ratio chance;
    qkv__rational value;
    if (!qkv__chance_of_order(s, node, &chance) ||
        !qkv__ratio_is_constant(qkv__situation_apply(s, chance), &value))
        return false;
    *result = qkv__likely_rational(value);
    return true;
}

bool qkv__chance_of_event(qkv__situation *s, const qkv__node *node, qkv__likely *result)
{
    if (s->limit_count == 0 && order_probability(s, node, result)) return true;
    if (node->kind == QKV__NODE_NOT) {
        qkv__likely other;
        if (!qkv__chance_of_event(s, node->child[0], &other)) return false;
        *result = qkv__likely_subtract(qkv__likely_rational(qkv__rational_whole(1)), other);
        return true;
    }
    if (s->limit_count > 0)
        return node->kind == QKV__NODE_COMPARE && limit_probability(s, node, result);
    if (node->kind == QKV__NODE_COMPARE && node->comparison == QKV__IN &&
        node->child[1]->kind == QKV__NODE_RANGE)
        return between_probability(s, node->child[0], node->child[1]->child[0], false,
                                   node->child[1]->child[1], QKV__LESS_OR_EQUAL, result);
    if (is_chain(node) &&
        between_probability(s, node->child[0]->child[1], node->child[0]->child[0],
                            node->child[0]->comparison == QKV__LESS, node->child[1]->child[1],
                            node->child[1]->comparison, result))
        return true;
    if (node->kind == QKV__NODE_AND)
        return both_probability(s, node->child[0], node->child[1], result);
    if (node->kind == QKV__NODE_OR) return either_probability(s, node, result);
    return node->kind == QKV__NODE_COMPARE &&
           compare_probability(s, node->child[0], node->child[1], node->comparison, result);
}
