/* Sums and means: over the members of a family, and of what is listed. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "claim/model/binding.h"
#include "claim/model/compose.h"
#include "claim/model/evaluate.h"
#include "claim/model/index_set.h"
#include "exact/average.h"
#include "exact/sign.h"
#include "language/builtin.h"
#include "language/tree.h"

/* ---- Means -------------------------------------------------------------------------- */

/* Heads averaged: outputs and weights; scores belong to the heads alone. */
static bool mean_of_results(qkv__evaluation *e, const qkv__node *node, const qkv__value *values,
                            size_t count, qkv__value *value)
{
    assert(node->count == count && count >= 1);
    qkv__space *space = &e->model->space;
    qkv__arena *arena = &space->algebra->arena;
    qkv__ratio share = qkv__ratio_constant(space->algebra, qkv__rational_make(1, (int64_t)count));
    qkv__result *result = qkv__arena_take(arena, sizeof *result);
    qkv__attention *mean = qkv__arena_take(arena, sizeof *mean);
    const qkv__attention **rows = qkv__arena_take(arena, sizeof *rows);
    const qkv__result **heads = qkv__arena_array(arena, count, sizeof *heads);
    const size_t marks = values[0].result->keys->mark_count;
    size_t keys = values[0].result->row[0]->count;
    bool alike = true; /* in how their rest is told apart: else its weights are not known */
    for (size_t i = 0; i < count; i++)
        alike =
            alike && values[i].result->row[0]->count == keys && !values[i].result->row[0]->whole;
    if (!alike) keys = marks + 2;
    if (result == NULL || mean == NULL || rows == NULL || heads == NULL) return false;
    *mean = (qkv__attention){.count = keys, .output = qkv__vector_zero(space)};
    mean->weight = qkv__arena_array(arena, keys, sizeof *mean->weight);
    if (mean->weight == NULL) return false;
    for (size_t j = 0; j < keys; j++) mean->weight[j] = qkv__ratio_whole(space->algebra, 0);
    for (size_t i = 0; i < count; i++) {
        const qkv__result *head = values[i].result;
        if (head->keys != values[0].result->keys || head->queries != NULL)
            return qkv__evaluation_misread(e, node, "heads look at different keys%s", "");
        heads[i] = head;
        mean->output = qkv__vector_add(space, mean->output,
                                       qkv__vector_scale(space, head->row[0]->output, share));
        for (size_t j = marks; !alike && j < keys; j++) mean->weight[j] = (qkv__ratio){NULL, NULL};
        for (size_t j = 0; j < (alike ? keys : marks); j++)
            mean->weight[j] =
                qkv__ratio_add(space->algebra, mean->weight[j],
                               qkv__ratio_multiply(space->algebra, share, head->row[0]->weight[j]));
    }
    if (mean->output == NULL)
        return qkv__evaluation_unable(e, node, "outputs that outgrow the exact engine");
    rows[0] = mean;
    *result = (qkv__result){.keys = values[0].result->keys,
                            .count = 1,
                            .row = rows,
                            .head_count = count,
                            .head = heads,
                            .values = values[0].result->values};
    for (size_t i = 0; i < count; i++)
        if (heads[i]->values != result->values) result->values = NULL;
    *value = (qkv__value){.kind = QKV__VALUE_RESULT, .result = result};
    return true;
}

bool qkv__evaluate_mean(qkv__evaluation *e, const qkv__node *node, qkv__value *value)
{
    assert(node->kind == QKV__NODE_CALL);
    enum { MOST = 16 };
    qkv__value values[MOST];
    bool results = true;
    if (node->count < 1 || node->count > MOST)
        return qkv__evaluation_misread(e, node, "mean takes 1 to 16 arguments%s", "");
    for (size_t i = 0; i < node->count; i++) {
        if (!qkv__evaluate_in(e, node->child[i], &values[i])) return false;
        results = results && values[i].kind == QKV__VALUE_RESULT;
    }
    for (size_t i = 0; !results && i < node->count; i++)
        if (qkv__value_is_family(&values[i]))
            return qkv__evaluation_unable(e, node, "a mean of families: write it member by member");
    if (results) return mean_of_results(e, node, values, node->count, value);
    qkv__value count = qkv__value_scalar(
        &e->model->space, qkv__ratio_whole(&e->model->algebra, (int64_t)node->count));
    qkv__value sum = values[0];
    *e->culprit = node;
    for (size_t i = 1; i < node->count; i++) {
        qkv__value before = sum;
        if (!qkv__value_add(&e->model->space, &before, &values[i], false, &sum, e->failure))
            return false;
    }
    return qkv__value_divide(&e->model->space, &sum, &count, value, e->failure);
}

/* ---- What a sum runs over ------------------------------------------------------------ */

/* "a", or "2" for a number. */
static const char *index_name(const qkv__node *node, char *text, size_t size)
{
    if (node->kind != QKV__NODE_NUMBER) return node->text;
    snprintf(text, size, "%lld", (long long)node->value.numerator);
    return text;
}

/* Marks the names in a set; false with the one that it does not have. */
static bool mark_names(const qkv__index_set *set, const qkv__node *const *names, size_t count,
                       bool *flags, const qkv__node **missing)
{
    char text[32];
    memset(flags, 0, (QKV__MARKS + 1) * sizeof *flags);
    for (size_t i = 0; i < count; i++) {
        int mark = qkv__mark_find(set, index_name(names[i], text, sizeof text));
        *missing = names[i];
        if (mark < 0) return false;
        flags[mark] = true;
    }
    return true;
}

/* An index bound further out that is among the names; NULL: none. */
static const qkv__binding *bound_index(const qkv__evaluation *e, const qkv__node *const *names,
                                       size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (const qkv__binding *b = e->locals; b != NULL; b = b->next)
            if (b->value.kind == QKV__VALUE_INDEX && names[i]->kind == QKV__NODE_NAME &&
                strcmp(b->name, names[i]->text) == 0)
                return b;
    return NULL;
}

/* Whether no member of a set may be left, though another family has such indexes as well: then
 * nothing would show that they are those of the other. */
static bool may_be_misplaced(qkv__model *model, const qkv__index_set *set, const bool *left_out)
{
    if (!left_out[QKV__MARKS] && qkv__set_has_rest(model, set)) return false;
    for (size_t i = 0; i < set->mark_count; i++)
        if (!left_out[i]) return false;
    for (size_t n = 0; n < model->set_count; n++)
        if (model->sets[n] != set && !model->sets[n]->axes) return true;
    return false;
}

static bool misplaced(qkv__evaluation *e, const qkv__node *domain)
{
    return qkv__evaluation_unable_to(
        e, domain->child[1],
        "there may be no such index: write which family's %s is meant, as in 1..n",
        domain->child[0]->text);
}

bool qkv__evaluate_domain(qkv__evaluation *e, const qkv__node *domain, qkv__index_set **set,
                          bool *left_out)
{
    assert(domain->kind == QKV__NODE_COMPARE);
    const qkv__node *over = domain->child[1], *missing = over;
    const qkv__node *const *names = over->kind == QKV__NODE_SET ? over->child : &over;
    size_t count = over->kind == QKV__NODE_SET ? over->count : 1;
    memset(left_out, 0, (QKV__MARKS + 1) * sizeof *left_out);
    if (over->kind == QKV__NODE_RANGE) {
        *set = qkv__model_set(e->model, over, e->failure);
        if (*set == NULL) *e->culprit = over;
        return *set != NULL;
    }
    const qkv__binding *bound = bound_index(e, names, count);
    if (bound != NULL) { /* i != j inside of "for j": one index is left out */
        *set = bound->value.set;
        if (count != 1 || bound->value.member < 0 || domain->comparison == QKV__IN)
            return qkv__evaluation_unable(e, over, "an unnamed index cannot be left out: pick it");
        left_out[bound->value.member] = true;
        return !may_be_misplaced(e->model, *set, left_out) || misplaced(e, domain);
    }
    for (size_t n = 0; n < e->model->set_count; n++) {
        *set = e->model->sets[n];
        if ((*set)->axes || !mark_names(*set, names, count, left_out, &missing)) continue;
        if (domain->comparison == QKV__IN) /* those named, and no others */
            for (size_t i = 0; i <= QKV__MARKS; i++) left_out[i] = !left_out[i];
        return !may_be_misplaced(e->model, *set, left_out) || misplaced(e, domain);
    }
    if (missing->kind != QKV__NODE_NAME || missing->text[0] == '\0')
        return qkv__evaluation_misread(e, missing, "%s",
                                       "cannot tell which family these indexes belong to");
    if (domain->comparison == QKV__NOT_EQUAL && qkv__model_find(e->model, NULL, missing->text))
        return qkv__evaluation_misread(
            e, missing, "%s is not a picked index; that vectors differ is |x - y| > 0",
            missing->text);
    return qkv__evaluation_misread(e, missing, "%s is not a picked index", missing->text);
}

/* ---- Sums over the rest --------------------------------------------------------------- */

/* f(g) = constant + slope*g, if it is; the constant must be the same for all the rest. */
static bool split_linear(qkv__space *space, qkv__ratio f, const qkv__summation *summation,
                         qkv__ratio *constant, qkv__ratio *slope)
{
    qkv__algebra *algebra = space->algebra;
    const qkv__form *zero = qkv__form_whole(algebra, 0), *one = qkv__form_whole(algebra, 1);
    *constant = f;
    *slope = qkv__ratio_whole(algebra, 0);
    if (summation->spread != NULL) {
        qkv__ratio g =
            qkv__ratio_of_form(algebra, qkv__form_parameter(algebra, summation->parameter));
        *constant = qkv__ratio_substitute(algebra, f, summation->parameter, zero);
        *slope = qkv__ratio_subtract(
            algebra, qkv__ratio_substitute(algebra, f, summation->parameter, one), *constant);
        qkv__ratio line =
            qkv__ratio_add(algebra, *constant, qkv__ratio_multiply(algebra, *slope, g));
        if (!qkv__ratio_equal(algebra, f, line)) return false;
    }
    return !qkv__ratio_is_lost(*constant) && !qkv__ratio_is_lost(*slope) &&
           !qkv__space_differs(space, *constant);
}

/* What all the rest weigh together, and what their values come to. */
typedef struct rest_total {
    qkv__ratio size, weight;
    qkv__ratio one, others; /* the weight of the generic key, and what the others weigh together */
    qkv__ratio score;       /* of the generic key; lost for a mean of heads, or if they are one */
    const qkv__vector *value, *output;
} rest_total;

static rest_total total_of_rest(qkv__space *space, const qkv__index_set *set,
                                const qkv__attention *spread)
{
    qkv__algebra *algebra = space->algebra;
    rest_total total = {.size = qkv__rest_size(algebra, set)};
    if (spread == NULL) return total;
    size_t one = set->mark_count, others = one + 1;
    total.value = spread->value;
    if (spread->whole) {
        total.weight = qkv__ratio_multiply(algebra, total.size, spread->weight[one]);
        total.output = qkv__vector_scale(space, spread->others, total.weight);
        return total;
    }
    qkv__ratio fewer = qkv__ratio_subtract(algebra, total.size, qkv__ratio_whole(algebra, 1));
    qkv__ratio weight = qkv__ratio_multiply(algebra, fewer, spread->weight[others]);
    total.weight = qkv__ratio_add(algebra, spread->weight[one], weight);
    total.output =
        qkv__vector_add(space, qkv__vector_scale(space, spread->value, spread->weight[one]),
                        qkv__vector_scale(space, spread->others, weight));
    total.one = spread->weight[one];
    total.others = weight;
    if (spread->score != NULL) total.score = spread->score[one];
    return total;
}

/* The sum of weight times vector over the rest, for a vector that is linear in the keys. */
static const qkv__vector *weigh_vector(qkv__space *space, const rest_total *total,
                                       const qkv__vector *x)
{
    if (qkv__ratio_is_lost(total->score)) return NULL;
    return qkv__vector_add(
        space, qkv__vector_scale(space, x, total->one),
        qkv__vector_scale(space, qkv__average_vector(space, total->score, x), total->others));
}

/* Whether a number is made of what the other keys come to beside the generic one. */
static bool depends_on_spread(const qkv__space *space, qkv__ratio x)
{
    for (const qkv__spread *s = space->spreads; s != NULL; s = s->next)
        if (qkv__ratio_depends_on(x, s->parameter)) return true;
    return false;
}

/* The same of a number. */
static qkv__ratio weigh_number(qkv__space *space, const rest_total *total, qkv__ratio x)
{
    qkv__algebra *algebra = space->algebra;
    if (!qkv__space_differs(space, x)) return qkv__ratio_multiply(algebra, x, total->weight);
    if (qkv__ratio_is_lost(total->score) || depends_on_spread(space, x))
        return (qkv__ratio){NULL, NULL};
    return qkv__ratio_add(
        algebra, qkv__ratio_multiply(algebra, x, total->one),
        qkv__ratio_multiply(algebra, qkv__average_number(space, total->score, x), total->others));
}

/* The sum of a vector over the rest: a member of the values' family, weighted, is known in sum. */
static const qkv__vector *sum_vector(qkv__space *space, const qkv__index_set *set,
                                     const qkv__vector *x, const qkv__summation *summation)
{
    rest_total total = total_of_rest(space, set, summation->spread);
    const qkv__vector *sum = qkv__vector_zero(space);
    for (size_t i = 0; x != NULL && i < x->count; i++) {
        qkv__ratio constant, slope;
        const qkv__symbol symbol = x->component[i].symbol;
        if (!split_linear(space, x->component[i].factor, summation, &constant, &slope) ||
            qkv__space_differs(space, slope))
            return NULL;
        const qkv__vector *plain = qkv__vector_symbol(space, symbol.family, symbol.member);
        sum = qkv__vector_add(
            space, sum,
            qkv__vector_sum_over_rest(space, qkv__vector_scale(space, plain, constant), set));
        if (qkv__ratio_is_zero(slope)) continue;
        bool generic = symbol.member == QKV__GENERIC && symbol.family->set == set;
        const qkv__vector *weighed = generic && qkv__vector_equal(space, plain, total.value)
                                         ? total.output
                                         : weigh_vector(space, &total, plain);
        if (generic && weighed == NULL) return NULL;
        sum = qkv__vector_add(
            space, sum,
            generic ? qkv__vector_scale(space, weighed, slope)
                    : qkv__vector_scale(space, plain,
                                        qkv__ratio_multiply(space->algebra, slope, total.weight)));
    }
    return x == NULL ? NULL : sum;
}

static qkv__ratio lost(void)
{
    return (qkv__ratio){NULL, NULL};
}

/* The sum over the rest of what differs in exponents alone: of r e^s it is r e^s for one of them,
 * and as many times r e^b for the others (see qkv__spread). There must be one. */
static qkv__ratio sum_exponentials(qkv__space *space, const qkv__index_set *set, qkv__ratio x)
{
    qkv__algebra *algebra = space->algebra;
    qkv__ratio sum = qkv__ratio_whole(algebra, 0), size = qkv__rest_size(algebra, set);
    qkv__ratio fewer = qkv__ratio_subtract(algebra, size, qkv__ratio_whole(algebra, 1));
    qkv__ratio below = qkv__ratio_of_form(algebra, x.denominator);
    if (qkv__space_differs(space, below)) return lost();
    for (size_t i = 0; i < x.numerator->count; i++) {
        qkv__term factor = x.numerator->term[i];
        factor.exponent = NULL;
        qkv__ratio part =
            qkv__ratio_of_form(algebra, qkv__form_term(algebra, &x.numerator->term[i]));
        qkv__ratio outside = qkv__ratio_of_form(algebra, qkv__form_term(algebra, &factor));
        if (qkv__space_differs(space, outside)) return lost();
        if (!qkv__space_differs(space, part)) {
            sum = qkv__ratio_add(algebra, sum, qkv__ratio_multiply(algebra, size, part));
            continue;
        }
        qkv__ratio score = qkv__ratio_of_form(algebra, x.numerator->term[i].exponent);
        qkv__ratio others =
            qkv__score_set(space, score) == set ? qkv__average_exponent(space, score) : lost();
        if (qkv__ratio_is_lost(others)) return lost();
        qkv__ratio other = qkv__ratio_exponential(algebra, others);
        other = qkv__ratio_multiply(algebra, qkv__ratio_multiply(algebra, fewer, outside), other);
        sum = qkv__ratio_add(algebra, sum, qkv__ratio_add(algebra, part, other));
    }
    return qkv__ratio_divide(algebra, sum, below);
}

/* What the rest add to a sum, from the body for the generic member. */
static bool sum_over_rest(qkv__evaluation *e, const qkv__node *node, const qkv__index_set *set,
                          const qkv__summation *summation, qkv__value *part)
{
    qkv__space *space = &e->model->space;
    const qkv__vector *vector;
    qkv__ratio ratio, constant, slope;
    if (!summation->mixed && qkv__value_as_vector(part, &vector)) {
        *part = qkv__value_vector(sum_vector(space, set, vector, summation));
        if (part->vector != NULL) return true;
    } else if (!summation->mixed && qkv__value_as_ratio(part, &ratio) &&
               split_linear(space, ratio, summation, &constant, &slope)) {
        rest_total total = total_of_rest(space, set, summation->spread);
        ratio = qkv__ratio_multiply(space->algebra, total.size, constant);
        if (!qkv__ratio_is_zero(slope))
            ratio = qkv__ratio_add(space->algebra, ratio, weigh_number(space, &total, slope));
        *part = qkv__value_scalar(space, ratio);
        if (!qkv__ratio_is_lost(ratio)) return true;
    } else if (summation->spread == NULL && qkv__set_has_rest(e->model, set) &&
               qkv__value_as_ratio(part, &ratio)) {
        ratio = sum_exponentials(space, set, ratio);
        *part = qkv__value_scalar(space, ratio);
        if (!qkv__ratio_is_lost(ratio)) return true;
    }
    return qkv__evaluation_unable(e, node,
                                  "a sum over numbers that differ from key to key is not known");
}

/* ---- Sums within sums ---------------------------------------------------------------- */

/* Whether a value has to do with an unmarked index, one that stands for any of them. */
static bool is_generic(qkv__model *model, const qkv__value *value)
{
    switch (value->kind) {
    case QKV__VALUE_INDEX: return value->member == QKV__GENERIC;
    case QKV__VALUE_SCALAR:
        return qkv__ratio_is_generic(&model->algebra, value->scalar.factor) ||
               qkv__ratio_is_generic(&model->algebra, value->scalar.radicand);
    case QKV__VALUE_VECTOR:
    case QKV__VALUE_COVECTOR: return qkv__vector_is_generic(&model->space, value->vector);
    default: return true; /* not looked into */
    }
}

/* Whether a body of a sum speaks of an unmarked index that is bound further out: in the sum it
 * would be taken for the one that is summed over. */
bool qkv__evaluation_is_entangled(const qkv__evaluation *e, const qkv__node *body, const char *own)
{
    for (const qkv__binding *b = e->locals; b != NULL; b = b->next)
        if (strcmp(b->name, own) != 0 && qkv__node_has_index(body, b->name) &&
            is_generic(e->model, &b->value))
            return true;
    return false;
}

static qkv__node *copy_node(qkv__evaluation *e, const qkv__node *node, const qkv__node *first,
                            const qkv__node *second)
{
    qkv__arena *arena = &e->model->algebra.arena;
    qkv__node *copy = qkv__arena_take(arena, sizeof *copy);
    const qkv__node **child = qkv__arena_array(arena, 2, sizeof *child);
    if (copy == NULL || child == NULL) return NULL;
    child[0] = first;
    child[1] = second;
    *copy = *node;
    copy->child = child;
    return copy;
}

/* sum(x for i in S), as a call. */
static const qkv__node *sum_of(qkv__evaluation *e, const qkv__node *sum, const qkv__node *body)
{
    assert(sum->kind == QKV__NODE_SUM);
    qkv__node *inner = copy_node(e, sum, body, sum->child[1]);
    qkv__node *call = inner == NULL ? NULL : copy_node(e, sum, inner, NULL);
    if (call == NULL) return NULL;
    call->kind = QKV__NODE_CALL;
    call->text = "sum";
    call->count = 1;
    return call;
}

/* What does not change is summed by counting. */
static const qkv__node *repeated(qkv__evaluation *e, const qkv__node *sum)
{
    assert(sum->kind == QKV__NODE_SUM);
    qkv__node *one = copy_node(e, sum, NULL, NULL);
    if (one == NULL) return NULL;
    one->kind = QKV__NODE_NUMBER;
    one->value = qkv__rational_whole(1);
    one->count = 0;
    qkv__node *product = copy_node(e, sum, sum_of(e, sum, one), sum->child[0]);
    if (product != NULL) product->kind = QKV__NODE_MULTIPLY;
    return product;
}

/* A sum is linear: it goes to the parts of a sum, and past a factor that does not change. NULL
 * where that does not help. */
static const qkv__node *distribute(qkv__evaluation *e, const qkv__node *sum)
{
    assert(sum->kind == QKV__NODE_SUM);
    const qkv__node *body = sum->child[0], *x = body->count > 0 ? body->child[0] : NULL;
    const qkv__node *y = body->count > 1 ? body->child[1] : NULL;
    if (!qkv__node_has_index(body, sum->text)) return repeated(e, sum);
    switch (body->kind) {
    case QKV__NODE_NEGATE: return copy_node(e, body, sum_of(e, sum, x), NULL);
    case QKV__NODE_ADD:
    case QKV__NODE_SUBTRACT: return copy_node(e, body, sum_of(e, sum, x), sum_of(e, sum, y));
    case QKV__NODE_MULTIPLY:
    case QKV__NODE_DOT:
        if (!qkv__node_has_index(x, sum->text)) return copy_node(e, body, x, sum_of(e, sum, y));
        if (!qkv__node_has_index(y, sum->text)) return copy_node(e, body, sum_of(e, sum, x), y);
        return NULL;
    case QKV__NODE_DIVIDE:
        return qkv__node_has_index(y, sum->text) ? NULL : copy_node(e, body, sum_of(e, sum, x), y);
    default: return NULL;
    }
}

static bool has_null(const qkv__node *node)
{
    for (size_t i = 0; i < node->count; i++)
        if (node->child[i] == NULL) return true;
    return false;
}

static bool evaluate_entangled(qkv__evaluation *e, const qkv__node *node, qkv__value *value)
{
    const qkv__node *parts = distribute(e, node);
    if (parts == NULL || has_null(parts))
        return qkv__evaluation_unable(e, node, "a sum beside another index over the same family");
    return qkv__evaluate_in(e, parts, value);
}

/* Whether something in a term is divided by what may be 0. */
static bool may_lack_value(qkv__evaluation *e, const qkv__node *node)
{
    qkv__value divisor;
    qkv__ratio ratio;
    if (node->kind == QKV__NODE_DIVIDE) {
        bool known =
            qkv__evaluate_in(e, node->child[1], &divisor) && qkv__value_as_ratio(&divisor, &ratio);
        qkv__sign sign = known ? qkv__ratio_sign(&e->model->algebra, ratio) : QKV__SIGN_ZERO;
        if (sign != QKV__SIGN_POSITIVE && sign != QKV__SIGN_NEGATIVE) return true;
    }
    for (size_t i = 0; i < node->count; i++)
        if (may_lack_value(e, node->child[i])) return true;
    return false;
}

/* The marks one by one, and the rest by its generic member. */
bool qkv__evaluate_sum(qkv__evaluation *e, const qkv__node *call, qkv__value *value)
{
    assert(call->kind == QKV__NODE_CALL);
    const qkv__node *node = call->child[0];
    qkv__space *space = &e->model->space;
    qkv__index_set *set = NULL;
    bool left_out[QKV__MARKS + 1], begun = false;
    if (!qkv__evaluate_domain(e, node->child[1], &set, left_out)) return false;
    assert(set != NULL);
    bool some_rest = qkv__set_may_have_rest(e->model, set) && !left_out[QKV__MARKS];
    if (some_rest && qkv__evaluation_is_entangled(e, node->child[0], node->text))
        return evaluate_entangled(e, node, value);
    size_t members = set->mark_count + (some_rest ? 1 : 0);
    for (size_t i = 0; i < members; i++) {
        bool rest = i == set->mark_count;
        if (left_out[rest ? QKV__MARKS : i]) continue;
        qkv__binding local =
            qkv__index_binding(node->text, set, rest ? QKV__GENERIC : (int)i, e->locals);
        qkv__summation summation = {0};
        qkv__evaluation inner = *e;
        qkv__value part, before;
        inner.locals = &local;
        if (rest) inner.summation = &summation;
        if (!qkv__evaluate_in(&inner, node->child[0], &part)) return false;
        if (rest && !qkv__set_has_rest(e->model, set) && may_lack_value(&inner, node->child[0]))
            return qkv__evaluation_unable(
                e, node, "a sum that may be empty, of terms that may have no value");
        if (rest && !sum_over_rest(e, node, set, &summation, &part)) return false;
        before = begun ? *value : part;
        if (!begun) *value = part;
        if (begun && !qkv__value_add(space, &before, &part, false, value, e->failure)) return false;
        begun = true;
    }
    if (!begun) *value = qkv__value_scalar(space, qkv__ratio_whole(space->algebra, 0));
    return true;
}

bool qkv__evaluate_mean_over(qkv__evaluation *e, const qkv__node *call, qkv__value *value)
{
    assert(qkv__call_is_over(call));
    qkv__node one = {.kind = QKV__NODE_NUMBER,
                     .place = call->place,
                     .text = "",
                     .value = qkv__rational_whole(1),
                     .depth = 1};
    const qkv__node *counted[] = {&one, call->child[0]->child[1]};
    qkv__node over = *call->child[0], count = *call;
    const qkv__node *inside = &over;
    qkv__value sum, number;
    over.child = counted;
    count.child = &inside;
    if (!qkv__evaluate_sum(e, call, &sum) || !qkv__evaluate_sum(e, &count, &number)) return false;
    *e->culprit = call;
    return qkv__value_divide(&e->model->space, &sum, &number, value, e->failure);
}

/* ---- Sums of outer products times a vector -------------------------------------------- */

/* What a name was defined as that the exact engine does not hold. */
static const qkv__node *behind(const qkv__evaluation *e, const qkv__node *node)
{
    if (node->kind != QKV__NODE_NAME) return node;
    const qkv__binding *binding = qkv__model_find(e->model, e->locals, node->text);
    const bool held = binding == NULL || binding->body == NULL || binding->chance != NULL;
    return held ? node : binding->body;
}

static bool is_sum(const qkv__node *node)
{
    return qkv__builtin_of(node) == QKV__BUILTIN_SUM && qkv__call_is_over(node);
}

static bool has_transpose(const qkv__node *node)
{
    return qkv__node_has_kind(node, QKV__NODE_TRANSPOSE);
}

/* Whether a factor is made of sums of matrices, written out; so that (A + B) y = A y + B y. */
static bool has_matrix_sum(const qkv__evaluation *e, const qkv__node *node)
{
    node = behind(e, node);
    if (is_sum(node)) return has_transpose(node->child[0]->child[0]);
    switch (node->kind) {
    case QKV__NODE_ADD:
    case QKV__NODE_SUBTRACT:
    case QKV__NODE_MULTIPLY:
        return has_matrix_sum(e, node->child[0]) || has_matrix_sum(e, node->child[1]);
    case QKV__NODE_DIVIDE:
    case QKV__NODE_NEGATE:
    case QKV__NODE_TRANSPOSE: return has_matrix_sum(e, node->child[0]);
    default: return false;
    }
}

/* (a b') y = (b.y) a; turned: (a b')' y = (a.y) b. Other bodies are multiplied as they stand. */
static const qkv__node *body_times(qkv__evaluation *e, const qkv__node *body, bool turned,
                                   const qkv__node *y)
{
    const qkv__node *x = body->count > 0 ? body->child[0] : NULL;
    const qkv__node *z = body->count > 1 ? body->child[1] : NULL;
    switch (body->kind) {
    case QKV__NODE_MULTIPLY:
        assert(z != NULL);
        if (z->kind == QKV__NODE_TRANSPOSE && !has_transpose(x)) {
            const qkv__node *column = z->child[0];
            const qkv__node *number =
                qkv__compose_binary(e->model, QKV__NODE_DOT, turned ? x : column, y);
            return qkv__compose_binary(e->model, QKV__NODE_MULTIPLY, number, turned ? column : x);
        }
        return has_transpose(x) ? NULL
                                : qkv__compose_binary(e->model, QKV__NODE_MULTIPLY, x,
                                                      body_times(e, z, turned, y));
    case QKV__NODE_DIVIDE: {
        const qkv__node *above = has_transpose(z) ? NULL : body_times(e, x, turned, y);
        return above == NULL ? NULL : copy_node(e, body, above, z);
    }
    case QKV__NODE_NEGATE:
        return qkv__compose_unary(e->model, QKV__NODE_NEGATE, body->text,
                                  body_times(e, x, turned, y));
    case QKV__NODE_ADD:
    case QKV__NODE_SUBTRACT: {
        const qkv__node *one = body_times(e, x, turned, y), *other = body_times(e, z, turned, y);
        return one == NULL || other == NULL ? NULL : copy_node(e, body, one, other);
    }
    default: return NULL;
    }
}

/* sum(A for i in S)*y is sum(A*y for i in S). */
static const qkv__node *sum_times(qkv__evaluation *e, const qkv__node *sum, bool turned,
                                  const qkv__node *y)
{
    const qkv__node *over = sum->child[0], *body = over->child[0], *domain = over->child[1];
    const char *name = over->text;
    if (qkv__node_has_index(y, name)) {
        char *other = qkv__arena_array(&e->model->algebra.arena, strlen(name) + 2, 1);
        if (other == NULL) return NULL;
        sprintf(other, "%s'", name);
        body = qkv__compose_renamed(e->model, body, name, other);
        domain = body == NULL ? NULL : qkv__compose_renamed(e->model, domain, name, other);
        name = other;
    }
    const qkv__node *product = body == NULL ? NULL : body_times(e, body, turned, y);
    if (product == NULL || domain == NULL) return NULL;
    qkv__node *inside = copy_node(e, over, product, domain);
    if (inside == NULL) return NULL;
    inside->text = name;
    return qkv__compose_unary(e->model, QKV__NODE_CALL, sum->text, inside);
}

static const qkv__node *factor_times(qkv__evaluation *e, const qkv__node *node, const qkv__node *y)
{
    const qkv__node *factor = behind(e, node);
    if (!has_matrix_sum(e, factor))
        return qkv__compose_binary(e->model, QKV__NODE_MULTIPLY, node, y);
    if (is_sum(factor)) return sum_times(e, factor, false, y);
    const qkv__node *first = factor->child[0];
    switch (factor->kind) {
    case QKV__NODE_ADD:
    case QKV__NODE_SUBTRACT: {
        const qkv__node *one = factor_times(e, first, y);
        const qkv__node *other = factor_times(e, factor->child[1], y);
        return one == NULL || other == NULL ? NULL : copy_node(e, factor, one, other);
    }
    case QKV__NODE_NEGATE:
        return qkv__compose_unary(e->model, QKV__NODE_NEGATE, factor->text,
                                  factor_times(e, first, y));
    case QKV__NODE_DIVIDE: {
        const qkv__node *one = factor_times(e, first, y);
        return one == NULL ? NULL : copy_node(e, factor, one, factor->child[1]);
    }
    case QKV__NODE_MULTIPLY: /* (A B) y = A (B y) */
        return factor_times(e, first, factor_times(e, factor->child[1], y));
    default: return is_sum(behind(e, first)) ? sum_times(e, behind(e, first), true, y) : NULL;
    }
}

const qkv__node *qkv__matrix_sum_times(qkv__model *model, const qkv__binding *locals,
                                       const qkv__node *product)
{
    assert(product->kind == QKV__NODE_MULTIPLY);
    qkv__evaluation e = {.model = model, .locals = locals};
    return has_matrix_sum(&e, product->child[0])
               ? factor_times(&e, product->child[0], product->child[1])
               : NULL;
}

bool qkv__evaluate_matrix_sum_times(qkv__evaluation *e, const qkv__node *node, qkv__value *value)
{
    assert(node->kind == QKV__NODE_MULTIPLY);
    enum { DEEP = 16 }; /* products of products of sums */
    const qkv__node *parts =
        e->depth > DEEP ? NULL : qkv__matrix_sum_times(e->model, e->locals, node);
    if (parts == NULL) return false;
    qkv__failure failure = {0};
    const qkv__node *culprit = node;
    qkv__evaluation inner = *e;
    inner.failure = &failure; /* what fails is said of the product as it stands */
    inner.culprit = &culprit;
    inner.depth++;
    return qkv__evaluate_in(&inner, parts, value);
}
