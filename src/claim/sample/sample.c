/* Comparisons of P, E, Var and Cov decided by sampling: the claim's calls become estimates, and
 * intervals of them are compared like enclosures, until they tell or the budget is spent. */
#include "claim/model/random_parameters.h"
#include "claim/sample/sample.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "claim/chance/likely.h"
#include "claim/model/evaluate.h"
#include "claim/model/limits.h"
#include "claim/model/random_declare.h"
#include "claim/model/random_still.h"
#include "claim/sample/sample_part.h"
#include "language/builtin.h"
#include "language/chance_call.h"
#include "language/tree.h"

static const double ERROR = 1e-6;
static const uint64_t SEED = 1;
static const uint64_t LEAST = 65536; /* samples, so that what is found has some digits */

/* ---- Estimates ----------------------------------------------------------------------------- */

/* Both events; -1 is the event that always happens. */
static int both(qkv__sample *sample, int x, int y)
{
    if (x < 0 || y < 0) return x < 0 ? y : x;
    return qkv__sample_apply(sample, QKV__SAMPLE_LEAST, x, y);
}

/* The variance of a vector of outputs. */
static bool read_vector(qkv__sample *sample, const qkv__node *node, qkv__sample_estimate *e)
{
    int *entry = qkv__arena_array(&sample->arena, sample->count, sizeof *entry);
    if (entry == NULL) return qkv__sample_fail(sample, "out of memory");
    e->kind = 'W';
    e->entries = sample->count;
    e->entry = entry;
    return qkv__sample_vector(sample, node, entry, &e->square);
}

static bool read_estimate(qkv__sample *sample, const qkv__chance_call *call,
                          qkv__sample_estimate *e)
{
    const qkv__node *argument = call->argument[0];
    if (call->given != NULL) {
        int given = qkv__sample_event(sample, call->given);
        e->given = both(sample, e->given, given);
        if (given < 0 || e->given < 0) return false;
    }
    if (call->kind == 'P') return (e->x = qkv__sample_event(sample, argument)) >= 0;
    if (call->kind == 'V' && qkv__sample_is_result(sample, argument))
        return read_vector(sample, argument, e);
    e->x = qkv__sample_expression(sample, argument);
    if (call->kind != 'C' || e->x < 0) return e->x >= 0;
    if (call->count != 2) return qkv__sample_fail(sample, "Cov takes two numbers");
    return (e->y = qkv__sample_expression(sample, call->argument[1])) >= 0;
}

int qkv__sample_estimate_of(qkv__sample *sample, const qkv__node *node)
{
    qkv__chance_call call = qkv__chance_read(node);
    for (size_t i = 0; i < sample->estimate_count; i++)
        if (sample->estimate[i].call == node) return (int)i;
    if (sample->estimate_count == QKV__SAMPLE_ESTIMATES)
        return qkv__sample_fail(sample, "too many quantities to estimate at once"), -1;
    qkv__sample_estimate e = {
        .call = node, .kind = call.kind, .x = -1, .y = -1, .given = sample->given};
    if (!read_estimate(sample, &call, &e)) return -1;
    sample->estimate[sample->estimate_count] = e;
    return (int)sample->estimate_count++;
}

static bool collect(qkv__sample *sample, const qkv__node *node)
{
    if (qkv__chance_read(node).kind != 0) return qkv__sample_estimate_of(sample, node) >= 0;
    for (size_t i = 0; i < node->count; i++)
        if (!collect(sample, node->child[i])) return false;
    return true;
}

/* ---- Conditions ---------------------------------------------------------------------------- */

/* Whether a condition is about numbers alone: then it is among the bounds of parameters. */
static bool is_about_numbers(qkv__situation *s, const qkv__node *node)
{
    if (qkv__node_is_word(node)) return true; /* for all v */
    if (node->kind != QKV__NODE_COMPARE) return false;
    if (qkv__random_is_met(s->model, node) || qkv__situation_is_index(s, node)) return true;
    for (size_t i = 0; i < node->count; i++) {
        qkv__value value;
        qkv__failure failure = {0};
        const qkv__node *culprit, *side = node->child[i];
        if (side->kind == QKV__NODE_RANGE || side->kind == QKV__NODE_INFINITY) continue;
        if (!qkv__model_evaluate(s->model, side, s->locals, &value, &failure, &culprit) ||
            value.kind != QKV__VALUE_SCALAR || qkv__random_touches(s->model, value.scalar.factor) ||
            qkv__random_touches(s->model, value.scalar.radicand))
            return false;
    }
    return true;
}

static bool take_condition(qkv__sample *sample, const qkv__node *node)
{
    if (is_about_numbers(sample->s, node)) return true;
    int event = qkv__sample_event(sample, node);
    if (event < 0) return false;
    sample->given = both(sample, sample->given, event);
    return sample->given >= 0;
}

static bool take_conditions(qkv__sample *sample)
{
    const qkv__circumstances *circumstances = sample->s->circumstances;
    for (size_t i = 0; i < circumstances->count; i++)
        if (qkv__circumstance_is_premise(&circumstances->item[i]) &&
            !take_condition(sample, circumstances->item[i].node))
            return false;
    for (size_t i = 0; i < sample->s->model->premise_count; i++)
        if (!take_condition(sample, sample->s->model->premise[i])) return false;
    return true;
}

/* ---- Values -------------------------------------------------------------------------------- */

/* A comparison under way. */
typedef struct inquiry {
    qkv__sample sample;
    const qkv__node *left, *right, *upper; /* upper: x in left .. upper; else NULL */
    qkv__comparison comparison;
    qkv__likely tolerance;
    qkv__likely x, y;
    qkv__verdict verdict;
    qkv__told told; /* before this comparison */
} inquiry;

static bool value(inquiry *q, const qkv__sample_tally *tally, const qkv__node *node,
                  qkv__likely *result);

static bool plain_value(inquiry *q, const qkv__node *node, qkv__likely *result)
{
    qkv__situation *s = q->sample.s;
    qkv__value found;
    qkv__failure failure = {0};
    const qkv__node *culprit;
    qkv__ratio ratio;
    qkv__rational exact;
    double number;
    if (!qkv__model_evaluate(s->model, node, s->locals, &found, &failure, &culprit))
        return qkv__sample_fail(&q->sample, "%s", failure.message);
    if (found.kind != QKV__VALUE_SCALAR)
        return qkv__sample_fail(&q->sample, "expected a number on both sides");
    if (qkv__value_as_ratio(&found, &ratio) &&
        qkv__ratio_is_constant(qkv__situation_apply(s, ratio), &exact))
        return *result = qkv__likely_rational(exact), true;
    double radicand;
    if (!qkv__sample_number(&q->sample, found.scalar.factor, &number) ||
        !qkv__sample_number(&q->sample, found.scalar.radicand, &radicand))
        return false;
    number *= sqrt(radicand);
    *result = qkv__likely_between(number - 1e-11 * (1.0 + fabs(number)),
                                  number + 1e-11 * (1.0 + fabs(number)));
    return true;
}

static bool power_value(inquiry *q, const qkv__sample_tally *tally, const qkv__node *node,
                        qkv__likely *result)
{
    const qkv__node *exponent = node->child[1];
    qkv__likely base;
    if (exponent->kind != QKV__NODE_NUMBER || !qkv__rational_is_whole(exponent->value) ||
        exponent->value.numerator < 1 || exponent->value.numerator > 8 ||
        !value(q, tally, node->child[0], &base))
        return qkv__sample_fail(&q->sample, "only whole powers up to 8 are compared");
    *result = base;
    for (int64_t i = 1; i < exponent->value.numerator; i++)
        *result = qkv__likely_multiply(*result, base);
    return true;
}

static bool value(inquiry *q, const qkv__sample_tally *tally, const qkv__node *node,
                  qkv__likely *result)
{
    qkv__likely x, y;
    if (qkv__chance_read(node).kind != 0) {
        qkv_lab_interval interval =
            qkv__sample_interval(tally, (size_t)qkv__sample_estimate_of(&q->sample, node));
        *result = qkv__likely_between(interval.low, interval.high);
        return true;
    }
    if (!qkv__speaks_of_chance(node)) return plain_value(q, node, result);
    if (node->kind == QKV__NODE_POWER) return power_value(q, tally, node, result);
    if (node->count == 0 || !value(q, tally, node->child[0], &x))
        return qkv__sample_fail(&q->sample, "an expression that cannot be sampled");
    if (node->kind == QKV__NODE_NEGATE) {
        *result = qkv__likely_subtract(qkv__likely_rational(qkv__rational_whole(0)), x);
        return true;
    }
    if (node->kind == QKV__NODE_SIZE) return *result = qkv__likely_size(x), true;
    if (qkv__builtin_of(node) == QKV__BUILTIN_SQRT && node->count == 1)
        return *result = qkv__likely_root(x), true;
    if (node->count != 2 || !value(q, tally, node->child[1], &y))
        return qkv__sample_fail(&q->sample, "an expression that cannot be sampled");
    switch (node->kind) {
    case QKV__NODE_ADD: *result = qkv__likely_add(x, y); return true;
    case QKV__NODE_SUBTRACT: *result = qkv__likely_subtract(x, y); return true;
    case QKV__NODE_MULTIPLY: *result = qkv__likely_multiply(x, y); return true;
    case QKV__NODE_DIVIDE: *result = qkv__likely_divide(x, y); return true;
    default: return qkv__sample_fail(&q->sample, "an expression that cannot be sampled");
    }
}

/* ---- Verdicts ------------------------------------------------------------------------------ */

/* Products and differences of unbounded intervals are no numbers: they say nothing. */
static bool is_known(qkv__likely x)
{
    return !isnan(x.lower) && !isnan(x.upper);
}

static qkv__verdict judge(inquiry *q, const qkv__sample_tally *tally)
{
    qkv__likely upper;
    if (!value(q, tally, q->left, &q->x) || !value(q, tally, q->right, &q->y))
        return QKV__UNDECIDED;
    if (!is_known(q->x) || !is_known(q->y)) return QKV__UNDECIDED;
    if (q->upper != NULL) {
        qkv__verdict above = qkv__chance_judge(q->x, q->y, QKV__GREATER_OR_EQUAL);
        if (!value(q, tally, q->upper, &upper) || !is_known(upper)) return QKV__UNDECIDED;
        return qkv__verdict_both(above, qkv__chance_judge(q->x, upper, QKV__LESS_OR_EQUAL));
    }
    bool equal = q->comparison == QKV__EQUAL || q->comparison == QKV__NEAR;
    if (!q->sample.s->has_tolerance || (!equal && q->comparison != QKV__NOT_EQUAL))
        return qkv__chance_judge(q->x, q->y, q->comparison); /* an order knows no tolerance */
    qkv__likely apart = qkv__likely_size(qkv__likely_subtract(q->x, q->y));
    return qkv__chance_judge(apart, q->tolerance, equal ? QKV__LESS_OR_EQUAL : QKV__GREATER);
}

static bool proceed(void *context, const qkv__sample_tally *tally, uint64_t total)
{
    inquiry *q = context;
    (void)total;
    q->verdict = judge(q, tally);
    if (q->sample.trouble[0] != '\0') return false;
    return q->verdict == QKV__UNDECIDED || qkv__sample_drawn(tally) < LEAST;
}

/* "1,200,000" */
static void write_count(uint64_t count, qkv__text *text)
{
    if (count >= 1000) {
        write_count(count / 1000, text);
        qkv__text_format(text, ",%03u", (unsigned)(count % 1000));
    } else {
        qkv__text_format(text, "%u", (unsigned)count);
    }
}

/* Ends rounded outward to two digits of the width. */
static void write_interval(qkv__likely x, qkv__text *text)
{
    double width = x.upper - x.lower;
    if (x.exact || !(width > 0.0) || !isfinite(width)) {
        qkv__likely_write(x, text);
        return;
    }
    int digits = (int)fmin(fmax(1.0 - floor(log10(width)), 0.0), 17.0);
    double unit = pow(10.0, -digits);
    qkv__text_format(text, "%.*f to %.*f", digits, floor(x.lower / unit) * unit + 0.0, digits,
                     ceil(x.upper / unit) * unit);
}

static void tell(inquiry *q, const qkv__sample_tally *tally)
{
    qkv__situation *s = q->sample.s;
    qkv__text *found = &s->finding->found;
    bool left = qkv__speaks_of_chance(q->left), right = qkv__speaks_of_chance(q->right);
    qkv__situation_begin_found(s);
    if (left) write_interval(q->x, found);
    if (left && right) qkv__text_format(found, " against ");
    if (right) write_interval(q->y, found);
    qkv__text_format(found, " in ");
    write_count(qkv__sample_drawn(tally), found);
    qkv__text_format(found, " samples");
}

/* Shortens a text to what it was. */
static void cut(qkv__text *text, size_t length)
{
    if (text->data == NULL || text->length <= length) return;
    text->length = length;
    text->data[length] = '\0';
}

static void cut_to(qkv__situation *s, qkv__told told)
{
    cut(&s->finding->found, told.found);
    cut(&s->finding->reason, told.reason);
}

static qkv__verdict conclude(inquiry *q, const qkv__sample_tally *tally)
{
    qkv__situation *s = q->sample.s;
    bool empty = q->x.lower == -INFINITY && q->x.upper == INFINITY;
    if (q->verdict == QKV__UNDECIDED) {
        if (empty || !is_known(q->x) || !is_known(q->y))
            return qkv__situation_undecided(s, "the sampled quantity has no known bounds");
        cut_to(s, q->told);
        tell(q, tally);
        return qkv__situation_undecided(s, "the samples cannot separate the two sides");
    }
    cut_to(s, q->told);
    tell(q, tally);
    qkv__situation_say(s, "Sampled: the interval fails with a probability of at most 1e-6.");
    return qkv__situation_conclude(s, q->verdict == QKV__PROVED ? QKV__SUPPORTED : QKV__REFUTED,
                                   "sample");
}

static bool prepare(inquiry *q, qkv__situation *s, const qkv__node *node)
{
    assert(node->kind == QKV__NODE_COMPARE);
    bool in = node->comparison == QKV__IN && node->child[1]->kind == QKV__NODE_RANGE;
    q->left = node->child[0];
    q->right = in ? node->child[1]->child[0] : node->child[1];
    q->upper = in ? node->child[1]->child[1] : NULL;
    q->comparison = node->comparison;
    double tolerance;
    if (!in && node->comparison > QKV__NEAR) return false;
    if (!qkv__sample_begin(&q->sample, s, node->place.line) || !take_conditions(&q->sample) ||
        !collect(&q->sample, node))
        return false;
    if (!s->has_tolerance) return node->comparison != QKV__NEAR;
    if (!qkv__sample_number(&q->sample, s->tolerance, &tolerance)) return false;
    q->tolerance = qkv__likely_between(tolerance, tolerance);
    return true;
}

static qkv__verdict inquire(inquiry *q, const qkv__limits *limits)
{
    qkv__sample_run_options options = {.seed = SEED,
                                       .error = ERROR,
                                       .threads = limits == NULL ? 1 : limits->threads,
                                       .proceed = proceed,
                                       .context = q};
    qkv__sample_tally *tally = qkv__sample_draw(&q->sample, &options);
    qkv__verdict verdict = QKV__UNDECIDED;
    if (tally != NULL && q->sample.trouble[0] == '\0') verdict = conclude(q, tally);
    qkv__sample_tally_free(tally);
    return verdict;
}

qkv__verdict qkv__sample_decide(qkv__situation *s, const qkv__node *node, qkv__told told)
{
    inquiry q = {.verdict = QKV__UNDECIDED, .told = told};
    qkv__verdict verdict = QKV__UNDECIDED;
    /* A premise may be about what is random, and then makes the law another one. */
    if (s->finding->culprit != NULL || s->limit_count > 0 || s->supposed ||
        !qkv__random_is_declared(s->model->statements) ||
        qkv__sample_stranger(s->model->statements) != NULL)
        return QKV__UNDECIDED;
    if (prepare(&q, s, node)) verdict = inquire(&q, s->model->limits);
    bool found = s->finding->found.length > told.found; /* an integral, which says more */
    if (verdict == QKV__UNDECIDED && !found && q.sample.trouble[0] != '\0') {
        cut_to(s, told);
        qkv__situation_undecided(s, q.sample.trouble);
    }
    qkv__sample_end(&q.sample);
    return verdict;
}
