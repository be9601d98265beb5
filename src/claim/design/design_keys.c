/*
 * Queries for keys that are independent of each other, and for keys that may be anything. For keys
 * at right angles every score can be chosen by itself: with growth g the query
 *
 *     q = sum over the wanted keys of (g + ln w_i)/(scale |k|^2) k_i
 *
 * has the scores g + ln w_i and 0, so that the weights tend to w. Knows weights and keys; nothing
 * of how the weights were found.
 */
#include <math.h>
#include <string.h>

#include "claim/design/design_part.h"
#include "claim/model/binding.h"
#include "claim/model/evaluate.h"

/* ---- Checking a query ---------------------------------------------------------------------- */

static bool tends_to(qkv__design_task *task, qkv__ratio weight, qkv__ratio wanted, bool exact)
{
    qkv__algebra *algebra = &task->model->algebra;
    weight = qkv__design_fixed(task->model, weight);
    if (qkv__ratio_is_lost(weight)) return false;
    if (qkv__ratio_equal(algebra, weight, wanted)) return true;
    if (exact || task->growth < 0) return false;
    qkv__limit limit = qkv__ratio_limit(algebra, weight, task->growth);
    return limit.kind == QKV__LIMIT_FINITE && qkv__ratio_equal(algebra, limit.value, wanted);
}

/*
 * The same by the scores, for logarithms that do not come out of the exponentials: on the wanted
 * keys they differ by the differences of ln w, and the others fall behind without bound.
 */
static bool scores_reach(qkv__design_task *task, const qkv__design_head *head,
                         const qkv__attention *attention, const qkv__design_weights *weights)
{
    qkv__algebra *algebra = &task->model->algebra;
    size_t first = 0;
    qkv__rational number, reference;
    if (attention->score == NULL) return false;
    while (first < head->count && qkv__ratio_is_zero(weights->weight[first])) first++;
    if (first == head->count || !qkv__ratio_is_constant(weights->weight[first], &reference))
        return false;
    for (size_t i = 0; i < head->count; i++) {
        qkv__ratio ahead =
            qkv__design_fixed(task->model, qkv__ratio_subtract(algebra, attention->score[i],
                                                               attention->score[first]));
        if (qkv__ratio_is_lost(ahead) || !qkv__ratio_is_constant(weights->weight[i], &number))
            return false;
        if (number.numerator == 0) {
            if (task->growth < 0 ||
                qkv__ratio_limit(algebra, ahead, task->growth).kind != QKV__LIMIT_MINUS_INFINITY)
                return false;
            continue;
        }
        qkv__ratio wanted = qkv__ratio_of_form(
            algebra, qkv__form_logarithm(algebra, qkv__rational_divide(number, reference)));
        if (!qkv__ratio_equal(algebra, ahead, wanted)) return false;
    }
    return true;
}

bool qkv__design_reaches(qkv__design_task *task, const qkv__design_demand *demand,
                         const qkv__vector *query, const qkv__design_weights *weights, bool exact,
                         const qkv__attention **attention)
{
    const qkv__binding *kept = task->model->bindings;
    qkv__value value;
    bool good = query != NULL;
    for (size_t i = 0; i < task->count && good; i++)
        good = qkv__model_bind(
            task->model, (qkv__binding){.name = task->name[i], .value = qkv__value_vector(query)});
    good = good && qkv__model_value(task->model, demand->head.call, NULL, &value) &&
           value.kind == QKV__VALUE_RESULT && value.result->count == 1 &&
           value.result->row[0]->count >= demand->head.count && !value.result->row[0]->whole;
    task->model->bindings = kept;
    if (!good) return false;
    *attention = value.result->row[0];
    for (size_t i = 0; good && i < demand->head.count; i++)
        good = tends_to(task, value.result->row[0]->weight[i], weights->weight[i], exact);
    return good || scores_reach(task, &demand->head, *attention, weights);
}

/* Whether the proposition is made of '~' and '=' alone, which can be decided in the limit. */
static bool is_plain(const qkv__node *node)
{
    if (node->kind == QKV__NODE_AND) return is_plain(node->child[0]) && is_plain(node->child[1]);
    return node->kind == QKV__NODE_COMPARE &&
           (node->comparison == QKV__NEAR || node->comparison == QKV__EQUAL);
}

/* The proposition itself, decided again with the query in place; where that cannot be decided the
 * weights, which were checked, stand for it. */
bool qkv__design_confirm(qkv__design_task *task, const qkv__vector *query, bool grow)
{
    qkv__value values[QKV__DESIGN_UNKNOWNS];
    for (size_t i = 0; i < task->count; i++) values[i] = qkv__value_vector(query);
    if (!is_plain(task->proposition)) return true;
    return qkv__design_verify(task, task->proposition, values, grow, true) != QKV__REFUTED;
}

void qkv__design_begin_found(qkv__design_task *task)
{
    qkv__text *found = &task->finding->found;
    if (found->length > 0) qkv__text_format(found, "; ");
    for (size_t i = 0; i < task->count; i++) qkv__text_format(found, "%s = ", task->name[i]);
}

/* ---- Independent keys ---------------------------------------------------------------------- */

/* The class's key, or the sum of the keys of the rest. */
static const qkv__vector *sum_of_class(qkv__design_task *task, const qkv__design_head *head,
                                       size_t class)
{
    size_t marks = head->keys->set->mark_count;
    if (class < marks) return head->keys->mark[class];
    return qkv__vector_sum_over_rest(&task->model->space, head->keys->generic, head->keys->set);
}

/* Which classes have a weight that is not 0, and whether all of these are equal. */
typedef struct support_of {
    bool in[QKV__DESIGN_KEYS];
    size_t count;
    bool all, uniform, numbers;
    qkv__ratio members, others; /* how many keys */
} support_of;

static support_of support(qkv__design_task *task, const qkv__design_head *head,
                          const qkv__design_weights *weights)
{
    qkv__algebra *algebra = &task->model->algebra;
    support_of s = {.uniform = true, .numbers = true};
    qkv__ratio first = {NULL, NULL};
    s.members = s.others = qkv__ratio_whole(algebra, 0);
    for (size_t i = 0; i < head->count; i++) {
        qkv__rational number;
        s.in[i] = !qkv__ratio_is_zero(weights->weight[i]);
        qkv__ratio *to = s.in[i] ? &s.members : &s.others;
        *to = qkv__ratio_add(algebra, *to, head->size[i]);
        if (!s.in[i]) continue;
        if (s.count++ == 0) first = weights->weight[i];
        s.uniform = s.uniform && qkv__ratio_equal(algebra, first, weights->weight[i]);
        s.numbers = s.numbers && qkv__ratio_is_constant(weights->weight[i], &number);
    }
    s.all = s.count == head->count;
    return s;
}

/* Where every key has a weight, scores may all be shifted: weights relative to that of the rest,
 * or of the last key, leave a shorter query. */
static qkv__design_weights relative(qkv__design_task *task, const qkv__design_head *head,
                                    const qkv__design_weights *weights)
{
    qkv__algebra *algebra = &task->model->algebra;
    qkv__design_weights shifted = *weights;
    for (size_t i = 0; i < head->count; i++)
        shifted.weight[i] =
            qkv__design_tidy(algebra, qkv__ratio_divide(algebra, weights->weight[i],
                                                        weights->weight[head->count - 1]));
    return shifted;
}

static bool is_one(qkv__ratio ratio)
{
    qkv__rational value;
    return qkv__ratio_is_constant(ratio, &value) && value.numerator == 1 && value.denominator == 1;
}

/* The factor of one class's keys: (g + ln w)/(scale |k|^2); lost where ln w is no form. */
static qkv__ratio factor_of(qkv__design_task *task, const qkv__design_head *head,
                            const support_of *s, qkv__ratio weight)
{
    qkv__algebra *algebra = &task->model->algebra;
    qkv__ratio score = qkv__ratio_whole(algebra, 0);
    qkv__rational number;
    if (!s->all) score = qkv__ratio_of_form(algebra, qkv__form_parameter(algebra, task->growth));
    if (!s->uniform) {
        if (!qkv__ratio_is_constant(weight, &number)) return (qkv__ratio){NULL, NULL};
        score = qkv__ratio_add(algebra, score,
                               qkv__ratio_of_form(algebra, qkv__form_logarithm(algebra, number)));
    }
    return qkv__ratio_divide(algebra, score,
                             qkv__ratio_multiply(algebra, head->scale, head->square));
}

static const qkv__vector *build(qkv__design_task *task, const qkv__design_head *head,
                                const support_of *s, const qkv__design_weights *weights)
{
    const qkv__vector *query = qkv__vector_zero(&task->model->space);
    for (size_t i = 0; i < head->count; i++)
        if (s->in[i])
            query =
                qkv__vector_add(&task->model->space, query,
                                qkv__vector_scale(&task->model->space, sum_of_class(task, head, i),
                                                  factor_of(task, head, s, weights->weight[i])));
    return query;
}

static void write_class(qkv__design_task *task, const qkv__design_head *head, size_t class,
                        qkv__text *text)
{
    if (class < head->keys->set->mark_count)
        qkv__design_key_write(task, head, class, text);
    else
        qkv__vector_write(&task->model->space, sum_of_class(task, head, class), text);
}

/* "beta*(k[a] + k[b])"; with different weights "(beta + ln(1/3))*k[a] + ...". */
static void write_query(qkv__design_task *task, const qkv__design_head *head, const support_of *s,
                        const qkv__design_weights *weights, qkv__text *text)
{
    const qkv__algebra *algebra = &task->model->algebra;
    bool first = true;
    qkv__ratio below = qkv__ratio_multiply(&task->model->algebra, head->scale, head->square);
    qkv__rational one;
    bool plain = qkv__ratio_is_constant(below, &one) && one.numerator == 1 && one.denominator == 1;
    if (s->all && s->uniform) {
        qkv__text_format(text, "0");
        return;
    }
    if (s->uniform) {
        qkv__ratio_write(algebra, factor_of(task, head, s, weights->weight[0]), text);
        qkv__text_format(text, s->count > 1 ? "*(" : "*");
    }
    for (size_t i = 0; i < head->count; i++) {
        if (!s->in[i] || (s->all && is_one(weights->weight[i]))) continue;
        qkv__text_format(text, "%s", first ? "" : " + ");
        first = false;
        if (!s->uniform) {
            qkv__text_format(text, s->all ? "ln(" : "(%s + ln(",
                             s->all ? "" : algebra->parameter[task->growth].name);
            qkv__ratio_write(algebra, weights->weight[i], text);
            qkv__text_format(text, s->all ? ")" : "))");
            if (!plain) {
                qkv__text_format(text, "/(");
                qkv__ratio_write(algebra, below, text);
                qkv__text_format(text, ")");
            }
            qkv__text_format(text, "*");
        }
        write_class(task, head, i, text);
    }
    if (s->uniform && s->count > 1) qkv__text_format(text, ")");
}

/* The leak, others/(members e^g + others) or others/(e^g + others), and where it is 1 %. */
static void explain_leak(qkv__design_task *task, const support_of *s)
{
    qkv__algebra *algebra = &task->model->algebra;
    const char *name = algebra->parameter[task->growth].name;
    qkv__ratio growth = qkv__ratio_of_form(algebra, qkv__form_parameter(algebra, task->growth));
    qkv__ratio members = s->uniform ? s->members : qkv__ratio_whole(algebra, 1);
    qkv__ratio below = qkv__ratio_add(
        algebra, qkv__ratio_multiply(algebra, members, qkv__ratio_exponential(algebra, growth)),
        s->others);
    qkv__ratio enough = qkv__ratio_divide(
        algebra, qkv__ratio_multiply(algebra, qkv__ratio_whole(algebra, 99), s->others), members);
    qkv__rational number;
    qkv__text text = {0};
    qkv__text_format(&text, "The other keys keep ");
    qkv__ratio_write(algebra, qkv__ratio_divide(algebra, s->others, below), &text);
    qkv__text_format(&text, ", at most 1 %% once %s >= ", name);
    if (qkv__ratio_is_constant(enough, &number) && number.numerator > 0)
        qkv__text_format(&text, "%.4f.",
                         ceil(1e4 * log((double)number.numerator / (double)number.denominator)) /
                             1e4);
    else {
        qkv__text_format(&text, "ln(");
        qkv__ratio_write(algebra, enough, &text);
        qkv__text_format(&text, ").");
    }
    if (!text.failed) qkv__design_say(task, "%s", text.data);
    qkv__text_free(&text);
}

static void succeed(qkv__design_task *task, const qkv__design_demand *demand, const support_of *s,
                    const qkv__design_weights *weights)
{
    qkv__design_begin_found(task);
    write_query(task, &demand->head, s, weights, &task->finding->found);
    if (s->all)
        qkv__design_say(task, "The keys are independent, so each score can be chosen by itself; "
                              "this query gives the weights exactly.");
    else
        explain_leak(task, s);
    qkv__design_conclude(task, QKV__PROVED, "exact");
}

/* All '=', or some of them. */
static void count_equations(const qkv__design_demand *demand, bool *all, bool *some)
{
    *all = true;
    *some = false;
    for (size_t i = 0; i < demand->count; i++) {
        bool equal = demand->relation[i].comparison == QKV__EQUAL;
        *all = *all && equal;
        *some = *some || equal;
    }
}

void qkv__design_independent(qkv__design_task *task, const qkv__design_demand *demand,
                             const qkv__design_weights *weights, bool unique)
{
    const qkv__design_head *head = &demand->head;
    support_of s = support(task, head, weights);
    const qkv__attention *attention;
    bool exact, some;
    count_equations(demand, &exact, &some);
    if (!s.all && some) {
        if (exact && unique) {
            qkv__text text = {0};
            size_t zero = 0;
            while (s.in[zero]) zero++;
            qkv__design_key_write(task, head, zero, &text);
            qkv__design_say(task,
                            "The weight of %s would have to be 0, and e^score is positive at "
                            "every query; it can be approached, not reached.",
                            text.data == NULL ? "a key" : text.data);
            qkv__text_free(&text);
            qkv__design_refute(task, zero < head->keys->set->mark_count &&
                                         qkv__design_is_uniform(demand));
            return;
        }
        qkv__design_leave(task, "these weights are reached only in the limit");
        return;
    }
    if (!s.all && task->growth < 0) {
        qkv__design_leave(task, "no parameter is free to grow");
        return;
    }
    qkv__design_weights shown = s.all ? relative(task, head, weights) : *weights;
    for (size_t i = 0; i < head->count; i++)
        shown.weight[i] = qkv__design_tidy(&task->model->algebra, shown.weight[i]);
    if (s.uniform || s.numbers) {
        const qkv__vector *query = build(task, head, &s, &shown);
        if (!qkv__design_reaches(task, demand, query, weights, exact || s.all, &attention) ||
            !qkv__design_confirm(task, query, !s.all)) {
            qkv__design_leave(task, "the design could not be checked");
            return;
        }
    }
    succeed(task, demand, &s, &shown);
}

/* ---- Keys that may be anything ------------------------------------------------------------- */

/* Equal keys have equal weights, whatever the query. */
static bool uniform_weights(qkv__design_task *task, const qkv__design_head *head,
                            qkv__design_weights *weights)
{
    qkv__algebra *algebra = &task->model->algebra;
    qkv__ratio total = qkv__ratio_whole(algebra, 0);
    for (size_t i = 0; i < head->count; i++) total = qkv__ratio_add(algebra, total, head->size[i]);
    qkv__ratio share = qkv__ratio_divide(algebra, qkv__ratio_whole(algebra, 1), total);
    for (size_t i = 0; i < head->count; i++) weights->weight[i] = share;
    return !qkv__ratio_is_lost(share);
}

/* Whether a relation is proved to fail at some point for these weights. */
static bool fails(qkv__design_task *task, const qkv__design_demand *demand,
                  const qkv__design_relation *relation, const qkv__design_weights *weights,
                  qkv__text *at)
{
    qkv__algebra *algebra = &task->model->algebra;
    qkv__ratio value = qkv__design_relation_at(task, demand, relation, weights);
    qkv__ratio minus = qkv__ratio_negate(algebra, value);
    bool tolerant = !qkv__ratio_is_lost(relation->tolerance);
    if (!relation->alone && !qkv__design_is_independent(task, relation->symbol.family))
        return false;
    if (relation->comparison == QKV__LESS || relation->comparison == QKV__LESS_OR_EQUAL)
        return qkv__design_somewhere_negative(task, minus, at);
    if (relation->comparison == QKV__GREATER || relation->comparison == QKV__GREATER_OR_EQUAL)
        return qkv__design_somewhere_negative(task, value, at);
    if (!tolerant) return qkv__design_somewhere_nonzero(task, value, at);
    /* A component of vectors that may be anything is as large as one likes. */
    if (!relation->alone)
        return relation->symbol.family->gram == QKV__GRAM_UNKNOWN &&
               qkv__design_somewhere_nonzero(task, value, at);
    return qkv__design_somewhere_negative(
               task, qkv__ratio_subtract(algebra, relation->tolerance, value), at) ||
           qkv__design_somewhere_negative(task, qkv__ratio_add(algebra, relation->tolerance, value),
                                          at);
}

/* The key in the middle of three on a line can be copied by no query. */
static void explain_any(qkv__design_task *task, const qkv__design_head *head,
                        const qkv__design_weights *weights, const char *at)
{
    qkv__text text = {0};
    size_t copied = head->count, members = 0;
    qkv__rational one;
    for (size_t i = 0; weights != NULL && i < head->keys->set->mark_count; i++) {
        if (qkv__ratio_is_zero(weights->weight[i])) continue;
        members++;
        if (qkv__ratio_is_constant(weights->weight[i], &one) && one.numerator == one.denominator)
            copied = i;
    }
    qkv__ratio two_more = qkv__ratio_subtract(&task->model->algebra, head->keys->set->size,
                                              qkv__ratio_whole(&task->model->algebra, 3));
    qkv__sign room = qkv__design_sign(task, qkv__design_fixed(task->model, two_more));
    bool three =
        room == QKV__SIGN_POSITIVE || room == QKV__SIGN_NONNEGATIVE || room == QKV__SIGN_ZERO;
    if (members == 1 && copied < head->count && three &&
        !qkv__design_has_property(task->model, head->family, NULL)) {
        qkv__design_key_write(task, head, copied, &text);
        qkv__design_say(task,
                        "Not for all keys: when %s = 0 and two others are -1 and 1, its weight is "
                        "at most 1/(1 + e^x + e^-x) <= 1/3 for every query.",
                        text.data == NULL ? "the key" : text.data);
    } else {
        qkv__design_say(task,
                        "Not for all keys: when they are equal, every query gives equal weights%s.",
                        at == NULL ? "" : at);
    }
    qkv__text_free(&text);
}

void qkv__design_arbitrary(qkv__design_task *task, const qkv__design_demand *demand,
                           const qkv__design_weights *weights)
{
    qkv__design_weights equal;
    qkv__text at = {0};
    bool holds = true;
    if (!uniform_weights(task, &demand->head, &equal)) {
        qkv__design_leave(task, "the number of keys is beyond the exact engine");
        return;
    }
    for (size_t i = 0; i < demand->count; i++) {
        if (fails(task, demand, &demand->relation[i], &equal, &at)) {
            explain_any(task, &demand->head, weights, at.data);
            qkv__text_free(&at);
            qkv__design_refute(task, false);
            return;
        }
        holds = holds &&
                qkv__ratio_is_zero(
                    qkv__design_relation_at(task, demand, &demand->relation[i], &equal)) &&
                (demand->relation[i].comparison == QKV__NEAR ||
                 demand->relation[i].comparison == QKV__EQUAL);
    }
    qkv__text_free(&at);
    if (!holds) {
        qkv__design_leave(task, "nothing is known about the keys");
        return;
    }
    qkv__design_begin_found(task);
    qkv__text_format(&task->finding->found, "0");
    qkv__design_say(task, "All scores are 0, so that all weights are equal, whatever the keys.");
    qkv__design_conclude(task, QKV__PROVED, "exact");
}
