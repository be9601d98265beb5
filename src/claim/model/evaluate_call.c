/* Calls: attention, sums, elementary functions, and functions that the document defines. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "claim/model/binding.h"
#include "claim/model/evaluate.h"
#include "claim/model/index_set.h"
#include "claim/model/random_declare.h"
#include "exact/sign.h"
#include "language/builtin.h"

enum { CALL_DEPTH = 32 };

static bool fail_text(qkv__evaluation *e, const qkv__node *node, const char *message,
                      const char *detail)
{
    return qkv__evaluation_fail(e, node, QKV__TROUBLE_TEXT, message, detail);
}

static bool fail_unable(qkv__evaluation *e, const qkv__node *node, const char *message)
{
    return qkv__evaluation_fail(e, node, QKV__TROUBLE_UNABLE, "%s", message);
}

/* ---- Elementary functions -------------------------------------------------------------------- */

bool qkv__evaluate_exponential(qkv__evaluation *e, const qkv__node *node,
                               const qkv__value *exponent, qkv__value *value)
{
    qkv__ratio power;
    if (exponent->kind != QKV__VALUE_SCALAR)
        return fail_text(e, node, "e to the power of %s", qkv__value_kind_name(exponent->kind));
    if (!qkv__value_as_ratio(exponent, &power))
        return fail_unable(e, node, "e to the power of a norm is beyond the exact engine");
    qkv__ratio result = qkv__ratio_exponential(&e->model->algebra, power);
    if (qkv__ratio_is_lost(result))
        return fail_unable(e, node,
                           "an exponent with exponentials or quotients in it is beyond "
                           "the exact engine");
    *value = qkv__value_scalar(&e->model->space, result);
    return true;
}

static bool evaluate_logarithm(qkv__evaluation *e, const qkv__node *node, const qkv__value *x,
                               qkv__value *value)
{
    qkv__ratio ratio;
    qkv__rational number;
    if (!qkv__value_as_ratio(x, &ratio) || !qkv__ratio_is_constant(ratio, &number))
        return fail_unable(e, node, "the exact engine takes logarithms of numbers alone");
    if (qkv__rational_sign(number) <= 0)
        return fail_text(e, node, "the logarithm of a number that is not positive%s", "");
    const qkv__form *form = qkv__form_logarithm(&e->model->algebra, number);
    if (form == NULL) return fail_unable(e, node, "a number too large to factor");
    *value = qkv__value_scalar(&e->model->space, qkv__ratio_of_form(&e->model->algebra, form));
    return true;
}

static bool evaluate_elementary(qkv__evaluation *e, const qkv__node *node, qkv__value *value)
{
    assert(node->kind == QKV__NODE_CALL);
    qkv__value x;
    qkv__space *space = &e->model->space;
    if (node->count != 1) return fail_text(e, node, "%s takes one argument", node->text);
    if (!qkv__evaluate_in(e, node->child[0], &x)) return false;
    *e->culprit = node;
    qkv__builtin function = qkv__builtin_of(node);
    if (function == QKV__BUILTIN_EXP) return qkv__evaluate_exponential(e, node, &x, value);
    if (function == QKV__BUILTIN_LN) return evaluate_logarithm(e, node, &x, value);
    if (function == QKV__BUILTIN_SQRT) {
        qkv__value half =
            qkv__value_scalar(space, qkv__ratio_constant(space->algebra, qkv__rational_make(1, 2)));
        return qkv__value_power(space, &x, &half, value, e->failure);
    }
    return qkv__value_size(space, &x, value, e->failure); /* abs, norm */
}

/* cos(x, y), of the angle between two vectors, and dist(x, y). */
static bool evaluate_pair(qkv__evaluation *e, const qkv__node *node, qkv__value *value)
{
    assert(node->kind == QKV__NODE_CALL);
    qkv__value x, y, difference, product, x_size, y_size, sizes;
    qkv__space *space = &e->model->space;
    bool cosine = qkv__builtin_of(node) == QKV__BUILTIN_COS;
    if (cosine && node->count == 1)
        return fail_unable(e, node, "this call is beyond the exact engine");
    if (node->count != 2) return fail_text(e, node, "%s takes two vectors", node->text);
    if (!qkv__evaluate_in(e, node->child[0], &x) || !qkv__evaluate_in(e, node->child[1], &y))
        return false;
    *e->culprit = node;
    if (!cosine)
        return qkv__value_add(space, &x, &y, true, &difference, e->failure) &&
               qkv__value_size(space, &difference, value, e->failure);
    return qkv__value_dot(space, &x, &y, &product, e->failure) &&
           qkv__value_size(space, &x, &x_size, e->failure) &&
           qkv__value_size(space, &y, &y_size, e->failure) &&
           qkv__value_multiply(space, &x_size, &y_size, &sizes, e->failure) &&
           qkv__value_divide(space, &product, &sizes, value, e->failure);
}

/* ---- Attention ----------------------------------------------------------------------- */

static bool has_rest(qkv__model *model, const qkv__index_set *set)
{
    return !qkv__ratio_is_zero(qkv__rest_size(&model->algebra, set));
}

static bool rest_is_there(qkv__model *model, const qkv__index_set *set)
{
    return qkv__ratio_sign(&model->algebra, qkv__rest_size(&model->algebra, set)) ==
           QKV__SIGN_POSITIVE;
}

/* A list of lists or vectors as a family over 1..count. Numbers become coordinates. */
static bool as_vectors(qkv__evaluation *e, const qkv__node *node, qkv__value *value)
{
    if (value->kind == QKV__VALUE_VECTORS) return true;
    return fail_text(e, node, "expected a family of vectors, found %s",
                     qkv__value_kind_name(value->kind));
}

/* The classes of keys: every mark, and the rest where there is one. */
static qkv__class *make_classes(qkv__evaluation *e, const qkv__vectors *keys,
                                const qkv__vectors *values, size_t *count)
{
    qkv__space *space = &e->model->space;
    const qkv__index_set *set = keys->set;
    qkv__class *classes =
        qkv__arena_array(&space->algebra->arena, set->mark_count + 1, sizeof *classes);
    if (classes == NULL) return NULL;
    *count = 0;
    for (size_t i = 0; i < set->mark_count; i++)
        classes[(*count)++] = (qkv__class){.count = qkv__ratio_whole(space->algebra, 1),
                                           .key = keys->mark[i],
                                           .value = values->mark[i],
                                           .total = values->mark[i]};
    if (has_rest(e->model, set))
        classes[(*count)++] =
            (qkv__class){.count = qkv__rest_size(space->algebra, set),
                         .key = keys->generic,
                         .value = values->generic,
                         .total = qkv__vector_sum_over_rest(space, values->generic, set)};
    return classes;
}

/* Whether a vector has to do with an unmarked index: a class of keys cannot tell itself from it. */
static bool mentions_generic(qkv__model *model, const qkv__vector *vector)
{
    for (size_t i = 0; i < vector->count; i++)
        if (vector->component[i].symbol.member == QKV__GENERIC ||
            qkv__ratio_is_generic(&model->algebra, vector->component[i].factor))
            return true;
    return false;
}

/* scale = x and causal among the arguments; the others are counted. */
typedef struct attention_options {
    qkv__ratio scale;
    bool causal;
    size_t plain; /* arguments before the options */
} attention_options;

static bool read_options(qkv__evaluation *e, const qkv__node *node, attention_options *options)
{
    assert(node->kind == QKV__NODE_CALL);
    *options = (attention_options){.scale = qkv__ratio_whole(&e->model->algebra, 1)};
    for (size_t i = 0; i < node->count; i++) {
        const qkv__node *argument = node->child[i];
        qkv__value value;
        if (argument->kind == QKV__NODE_NAME && strcmp(argument->text, "causal") == 0) {
            options->causal = true;
        } else if (argument->kind != QKV__NODE_OPTION) {
            options->plain++;
        } else if (strcmp(argument->text, "scale") == 0) {
            if (!qkv__evaluate_in(e, argument->child[0], &value)) return false;
            if (!qkv__value_as_ratio(&value, &options->scale))
                return fail_unable(e, argument, "a scale that is no plain number");
        } else {
            return fail_text(e, argument, "unknown option %s; expected scale or causal",
                             argument->text);
        }
    }
    return true;
}

static bool attention_lost(qkv__evaluation *e, const qkv__node *node)
{
    return fail_unable(e, node,
                       "the scores are not the same for all the other keys, or outgrow "
                       "the exact engine");
}

/* attend(q, k, v) */
static bool evaluate_attend(qkv__evaluation *e, const qkv__node *node, qkv__value *value)
{
    assert(node->kind == QKV__NODE_CALL);
    qkv__value argument[3];
    attention_options options;
    const qkv__vector *query;
    if (!read_options(e, node, &options)) return false;
    if (options.plain != 3)
        return fail_text(e, node, "attend takes a query, keys and values%s", "");
    for (int i = 0; i < 3; i++)
        if (!qkv__evaluate_in(e, node->child[i], &argument[i])) return false;
    if (!qkv__value_as_vector(&argument[0], &query))
        return fail_text(e, node->child[0], "expected a vector as the query, found %s",
                         qkv__value_kind_name(argument[0].kind));
    if (!as_vectors(e, node->child[1], &argument[1]) ||
        !as_vectors(e, node->child[2], &argument[2]))
        return false;
    if (argument[1].vectors->set != argument[2].vectors->set)
        return fail_text(e, node, "keys and values are not indexed alike%s", "");
    bool noisy = qkv__random_is_noisy(argument[1].vectors->generic);
    for (size_t i = 0; i < argument[1].vectors->set->mark_count; i++)
        noisy = noisy || qkv__random_is_noisy(argument[1].vectors->mark[i]);
    if (noisy && !e->model->noisy)
        return fail_unable(e, node,
                           "keys with noise in every direction: say as alpha -> 0, or sample");
    if (argument[1].vectors->set->mark_count == 0 &&
        !rest_is_there(e->model, argument[1].vectors->set))
        return fail_unable(e, node, "there may be no keys at all: give a larger least n");
    if (mentions_generic(e->model, query))
        return fail_unable(e, node, "a query that is itself one of the unnamed keys: pick it");
    size_t count;
    qkv__class *classes = make_classes(e, argument[1].vectors, argument[2].vectors, &count);
    const qkv__attention *row =
        classes == NULL ? NULL
                        : qkv__attend(&e->model->space, query, classes, count, options.scale);
    qkv__result *result = qkv__arena_take(&e->model->algebra.arena, sizeof *result);
    const qkv__attention **rows = qkv__arena_take(&e->model->algebra.arena, sizeof *rows);
    if (row == NULL || result == NULL || rows == NULL) return attention_lost(e, node);
    if (row->count > count && !rest_is_there(e->model, argument[1].vectors->set))
        return fail_unable(e, node,
                           "there may be no key beside the picked ones: give a larger least n");
    rows[0] = row;
    *result = (qkv__result){
        .keys = argument[1].vectors->set, .count = 1, .row = rows, .values = argument[2].vectors};
    *value = (qkv__value){.kind = QKV__VALUE_RESULT, .result = result};
    return true;
}

/* A matrix applied to every member of a family. */
static const qkv__vectors *project(qkv__evaluation *e, const qkv__value *matrix,
                                   const qkv__vectors *x)
{
    qkv__arena *arena = &e->model->algebra.arena;
    qkv__vectors *projected = qkv__arena_take(arena, sizeof *projected);
    if (projected == NULL || matrix->kind != QKV__VALUE_MATRIX) return NULL;
    *projected = (qkv__vectors){.set = x->set};
    projected->mark = qkv__arena_array(arena, x->set->mark_count, sizeof *projected->mark);
    if (projected->mark == NULL) return NULL;
    for (size_t i = 0; i < x->set->mark_count; i++) {
        qkv__value from = qkv__value_vector(x->mark[i]), to;
        if (!qkv__value_multiply(&e->model->space, matrix, &from, &to, e->failure)) return NULL;
        projected->mark[i] = to.vector;
    }
    return projected;
}

/* One row for each token; with `causal` a token looks at itself and those before it. */
static const qkv__result *self_attend(qkv__evaluation *e, const qkv__vectors *families[3],
                                      const attention_options *options)
{
    qkv__arena *arena = &e->model->algebra.arena;
    qkv__index_set *set = families[0]->set;
    size_t count;
    qkv__class *classes = make_classes(e, families[1], families[2], &count);
    qkv__result *result = qkv__arena_take(arena, sizeof *result);
    const qkv__attention **rows = qkv__arena_array(arena, set->mark_count, sizeof *rows);
    if (classes == NULL || result == NULL || rows == NULL) return NULL;
    for (size_t i = 0; i < set->mark_count; i++) {
        for (size_t j = 0; j < count; j++) classes[j].masked = options->causal && j > i;
        rows[i] =
            qkv__attend(&e->model->space, families[0]->mark[i], classes, count, options->scale);
        if (rows[i] == NULL) return NULL;
    }
    *result = (qkv__result){
        .keys = set, .queries = set, .count = set->mark_count, .row = rows, .values = families[2]};
    return result;
}

/* self_attend(x) or self_attend(x, Q, K, V) */
static bool evaluate_self_attend(qkv__evaluation *e, const qkv__node *node, qkv__value *value)
{
    assert(node->kind == QKV__NODE_CALL);
    qkv__value argument[4];
    attention_options options;
    if (!read_options(e, node, &options)) return false;
    if (options.plain != 1 && options.plain != 4)
        return fail_text(e, node, "self_attend takes x, or x, Q, K and V%s", "");
    for (size_t i = 0; i < options.plain; i++)
        if (!qkv__evaluate_in(e, node->child[i], &argument[i])) return false;
    if (!as_vectors(e, node->child[0], &argument[0])) return false;
    const qkv__vectors *x = argument[0].vectors, *families[3] = {x, x, x};
    if (has_rest(e->model, x->set))
        return fail_unable(e, node, "self-attention over a symbolic number of tokens");
    for (size_t i = 1; i < options.plain; i++) {
        if (argument[i].kind != QKV__VALUE_MATRIX)
            return fail_text(e, node->child[i], "expected a matrix, found %s",
                             qkv__value_kind_name(argument[i].kind));
        families[i - 1] = project(e, &argument[i], x);
        if (families[i - 1] == NULL) return attention_lost(e, node);
    }
    const qkv__result *result = self_attend(e, families, &options);
    if (result == NULL) return attention_lost(e, node);
    *value = (qkv__value){.kind = QKV__VALUE_RESULT, .result = result};
    return true;
}

/* ---- Sums and means ------------------------------------------------------------------ */

/* Heads averaged: outputs and weights; scores belong to the heads alone. */
static bool mean_of_results(qkv__evaluation *e, const qkv__node *node, const qkv__value *values,
                            size_t count, qkv__value *value)
{
    assert(node->count == 2);
    qkv__space *space = &e->model->space;
    qkv__arena *arena = &space->algebra->arena;
    qkv__ratio share = qkv__ratio_constant(space->algebra, qkv__rational_make(1, (int64_t)count));
    qkv__result *result = qkv__arena_take(arena, sizeof *result);
    qkv__attention *mean = qkv__arena_take(arena, sizeof *mean);
    const qkv__attention **rows = qkv__arena_take(arena, sizeof *rows);
    const qkv__result **heads = qkv__arena_array(arena, count, sizeof *heads);
    size_t keys = values[0].result->row[0]->count;
    if (result == NULL || mean == NULL || rows == NULL || heads == NULL) return false;
    *mean = (qkv__attention){.count = keys, .output = qkv__vector_zero(space)};
    mean->weight = qkv__arena_array(arena, keys, sizeof *mean->weight);
    if (mean->weight == NULL) return false;
    for (size_t j = 0; j < keys; j++) mean->weight[j] = qkv__ratio_whole(space->algebra, 0);
    for (size_t i = 0; i < count; i++) {
        const qkv__result *head = values[i].result;
        if (head->keys != values[0].result->keys || head->queries != NULL)
            return fail_text(e, node, "heads look at different keys%s", "");
        heads[i] = head;
        mean->output = qkv__vector_add(space, mean->output,
                                       qkv__vector_scale(space, head->row[0]->output, share));
        for (size_t j = 0; j < keys; j++)
            mean->weight[j] =
                qkv__ratio_add(space->algebra, mean->weight[j],
                               qkv__ratio_multiply(space->algebra, share, head->row[0]->weight[j]));
    }
    if (mean->output == NULL) return attention_lost(e, node);
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

/* mean(x, y, ...) of heads, vectors or numbers. */
static bool evaluate_mean(qkv__evaluation *e, const qkv__node *node, qkv__value *value)
{
    assert(node->kind == QKV__NODE_CALL);
    enum { MOST = 16 };
    qkv__value values[MOST];
    bool results = true;
    if (node->count < 1 || node->count > MOST)
        return fail_text(e, node, "mean takes 1 to 16 arguments%s", "");
    for (size_t i = 0; i < node->count; i++) {
        if (!qkv__evaluate_in(e, node->child[i], &values[i])) return false;
        results = results && values[i].kind == QKV__VALUE_RESULT;
    }
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
            return fail_unable(e, over, "an unnamed index cannot be left out: pick it");
        left_out[bound->value.member] = true;
        return true;
    }
    for (size_t n = 0; n < e->model->set_count; n++) {
        *set = e->model->sets[n];
        if ((*set)->axes || !mark_names(*set, names, count, left_out, &missing)) continue;
        if (domain->comparison == QKV__IN) /* those named, and no others */
            for (size_t i = 0; i <= QKV__MARKS; i++) left_out[i] = !left_out[i];
        return true;
    }
    if (missing->kind != QKV__NODE_NAME || missing->text[0] == '\0')
        return fail_text(e, missing, "%s", "cannot tell which family these indexes belong to");
    return fail_text(e, missing, "%s is no index that was picked", missing->text);
}

/* f(g) = constant + slope*g, if it is; both must be the same for all the rest. */
static bool split_linear(qkv__algebra *algebra, qkv__ratio f, const qkv__summation *summation,
                         qkv__ratio *constant, qkv__ratio *slope)
{
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
           !qkv__ratio_is_generic(algebra, *constant) && !qkv__ratio_is_generic(algebra, *slope);
}

/* What all the rest weigh together, and what their values come to. */
typedef struct rest_total {
    qkv__ratio size, weight;
    const qkv__vector *value, *output;
} rest_total;

static rest_total total_of_rest(qkv__space *space, const qkv__index_set *set,
                                const qkv__attention *spread)
{
    qkv__algebra *algebra = space->algebra;
    rest_total total = {.size = qkv__rest_size(algebra, set)};
    if (spread == NULL) return total;
    size_t one = set->mark_count, others = one + 1;
    qkv__ratio fewer = qkv__ratio_subtract(algebra, total.size, qkv__ratio_whole(algebra, 1));
    qkv__ratio weight = qkv__ratio_multiply(algebra, fewer, spread->weight[others]);
    total.weight = qkv__ratio_add(algebra, spread->weight[one], weight);
    total.value = spread->value;
    total.output =
        qkv__vector_add(space, qkv__vector_scale(space, spread->value, spread->weight[one]),
                        qkv__vector_scale(space, spread->others, weight));
    return total;
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
        if (!split_linear(space->algebra, x->component[i].factor, summation, &constant, &slope))
            return NULL;
        const qkv__vector *plain = qkv__vector_symbol(space, symbol.family, symbol.member);
        sum = qkv__vector_add(
            space, sum,
            qkv__vector_sum_over_rest(space, qkv__vector_scale(space, plain, constant), set));
        if (qkv__ratio_is_zero(slope)) continue;
        bool generic = symbol.member == QKV__GENERIC && symbol.family->set == set;
        if (generic && !qkv__vector_equal(space, plain, total.value)) return NULL;
        sum = qkv__vector_add(
            space, sum,
            generic ? qkv__vector_scale(space, total.output, slope)
                    : qkv__vector_scale(space, plain,
                                        qkv__ratio_multiply(space->algebra, slope, total.weight)));
    }
    return x == NULL ? NULL : sum;
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
               split_linear(space->algebra, ratio, summation, &constant, &slope)) {
        rest_total total = total_of_rest(space, set, summation->spread);
        ratio = qkv__ratio_multiply(space->algebra, total.size, constant);
        if (!qkv__ratio_is_zero(slope))
            ratio = qkv__ratio_add(space->algebra, ratio,
                                   qkv__ratio_multiply(space->algebra, slope, total.weight));
        *part = qkv__value_scalar(space, ratio);
        if (!qkv__ratio_is_lost(ratio)) return true;
    }
    return fail_unable(e, node, "a sum over numbers that differ from key to key is not known");
}

/* ---- Sums within sums ---------------------------------------------------------------- */

static bool mentions(const qkv__node *node, const char *name)
{
    if (node->kind == QKV__NODE_NAME && strcmp(node->text, name) == 0) return true;
    for (size_t i = 0; i < node->count; i++)
        if (mentions(node->child[i], name)) return true;
    return false;
}

/* Whether a value has to do with an unmarked index, one that stands for any of them. */
static bool is_generic(qkv__model *model, const qkv__value *value)
{
    const qkv__vector *vector;
    switch (value->kind) {
    case QKV__VALUE_INDEX: return value->member == QKV__GENERIC;
    case QKV__VALUE_SCALAR:
        return qkv__ratio_is_generic(&model->algebra, value->scalar.factor) ||
               qkv__ratio_is_generic(&model->algebra, value->scalar.radicand);
    case QKV__VALUE_MATRIX:
    case QKV__VALUE_LIST: return true; /* not looked into */
    default: return qkv__value_as_vector(value, &vector) && mentions_generic(model, vector);
    }
}

/* Whether a body of a sum speaks of an unmarked index that is bound further out: in the sum it
 * would be taken for the one that is summed over. */
static bool is_entangled(const qkv__evaluation *e, const qkv__node *body, const char *own)
{
    for (const qkv__binding *b = e->locals; b != NULL; b = b->next)
        if (strcmp(b->name, own) != 0 && mentions(body, b->name) && is_generic(e->model, &b->value))
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
    if (!mentions(body, sum->text)) return repeated(e, sum);
    switch (body->kind) {
    case QKV__NODE_NEGATE: return copy_node(e, body, sum_of(e, sum, x), NULL);
    case QKV__NODE_ADD:
    case QKV__NODE_SUBTRACT: return copy_node(e, body, sum_of(e, sum, x), sum_of(e, sum, y));
    case QKV__NODE_MULTIPLY:
    case QKV__NODE_DOT:
        if (!mentions(x, sum->text)) return copy_node(e, body, x, sum_of(e, sum, y));
        if (!mentions(y, sum->text)) return copy_node(e, body, sum_of(e, sum, x), y);
        return NULL;
    case QKV__NODE_DIVIDE:
        return mentions(y, sum->text) ? NULL : copy_node(e, body, sum_of(e, sum, x), y);
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
        return fail_unable(e, node, "a sum beside another index over the same family");
    return qkv__evaluate_in(e, parts, value);
}

/* sum(x for i in S): the marks one by one, and the rest by its generic member. */
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

static bool evaluate_sum(qkv__evaluation *e, const qkv__node *call, qkv__value *value)
{
    assert(call->kind == QKV__NODE_CALL);
    const qkv__node *node = call->child[0];
    qkv__space *space = &e->model->space;
    qkv__index_set *set;
    bool left_out[QKV__MARKS + 1], begun = false;
    if (!qkv__evaluate_domain(e, node->child[1], &set, left_out)) return false;
    bool some_rest = has_rest(e->model, set) && !left_out[QKV__MARKS];
    if (some_rest && is_entangled(e, node->child[0], node->text))
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
        if (rest && !rest_is_there(e->model, set) && may_lack_value(&inner, node->child[0]))
            return fail_unable(e, node, "a sum that may be empty, of terms that may have no value");
        if (rest && !sum_over_rest(e, node, set, &summation, &part)) return false;
        before = begun ? *value : part;
        if (!begun) *value = part;
        if (begun && !qkv__value_add(space, &before, &part, false, value, e->failure)) return false;
        begun = true;
    }
    if (!begun) *value = qkv__value_scalar(space, qkv__ratio_whole(space->algebra, 0));
    return true;
}

static bool evaluate_hull(qkv__evaluation *e, const qkv__node *node, qkv__value *value)
{
    assert(node->kind == QKV__NODE_CALL);
    if (!qkv__evaluate_in(e, node->child[0], value) || !as_vectors(e, node->child[0], value))
        return false;
    value->kind = QKV__VALUE_HULL;
    return true;
}

/* ---- x with x[2] = y ----------------------------------------------------------------- */

bool qkv__evaluate_with(qkv__evaluation *e, const qkv__node *node, qkv__value *value)
{
    assert(node->kind == QKV__NODE_WITH);
    qkv__value base, changed;
    const qkv__vector *vector;
    const qkv__node *target = node->child[1];
    int member;
    if (!qkv__evaluate_in(e, node->child[0], &base) ||
        !qkv__evaluate_in(e, node->child[2], &changed))
        return false;
    if (!as_vectors(e, node->child[0], &base)) return false;
    if (target->kind != QKV__NODE_INDEX || target->count != 2)
        return fail_text(e, target, "expected one member to change, such as x[2]%s", "");
    if (!qkv__evaluate_index(e, target->child[1], base.vectors->set, &member)) return false;
    if (!qkv__value_as_vector(&changed, &vector) || member < 0)
        return fail_text(e, node->child[2], "expected a vector, found %s",
                         qkv__value_kind_name(changed.kind));
    size_t marks = base.vectors->set->mark_count;
    qkv__vectors *copy = qkv__arena_take(&e->model->algebra.arena, sizeof *copy);
    const qkv__vector **mark = qkv__arena_array(&e->model->algebra.arena, marks, sizeof *mark);
    if (copy == NULL || mark == NULL) return fail_unable(e, node, "out of memory");
    memcpy(mark, base.vectors->mark, marks * sizeof *mark);
    mark[member] = vector;
    *copy = (qkv__vectors){base.vectors->set, mark, base.vectors->generic};
    *value = (qkv__value){.kind = QKV__VALUE_VECTORS, .vectors = copy};
    return true;
}

/* ---- Which function ------------------------------------------------------------------ */

static bool call_function(qkv__evaluation *e, const qkv__node *node, const qkv__statement *function,
                          qkv__value *value)
{
    assert(node->kind == QKV__NODE_CALL);
    assert(function->kind == QKV__STATEMENT_DEFINE);
    enum { MOST = 8 };
    qkv__binding arguments[MOST];
    const qkv__node *target = function->node[0];
    if (target->count != node->count || node->count > MOST)
        return fail_text(e, node, "%s has another number of arguments", node->text);
    if (e->depth >= CALL_DEPTH) return fail_text(e, node, "%s calls itself", node->text);
    qkv__evaluation inner = *e;
    inner.depth++;
    inner.locals = NULL;
    for (size_t i = 0; i < node->count; i++) {
        arguments[i] = (qkv__binding){.name = target->child[i]->text,
                                      .next = i == 0 ? NULL : &arguments[i - 1]};
        if (!qkv__evaluate_in(e, node->child[i], &arguments[i].value)) return false;
        inner.locals = &arguments[i];
    }
    return qkv__evaluate_in(&inner, function->node[1], value);
}

bool qkv__evaluate_call(qkv__evaluation *e, const qkv__node *node, qkv__value *value)
{
    assert(node->kind == QKV__NODE_CALL);
    const qkv__binding *binding = qkv__model_find(e->model, e->locals, node->text);
    if (binding != NULL && binding->function != NULL)
        return call_function(e, node, binding->function, value);
    if (binding != NULL && binding->value.kind != QKV__VALUE_NONE && node->count == 1) {
        qkv__value right; /* M(x + y): a product */
        *e->culprit = node;
        return qkv__evaluate_in(e, node->child[0], &right) &&
               qkv__value_multiply(&e->model->space, &binding->value, &right, value, e->failure);
    }
    bool over = qkv__call_is_over(node);
    qkv__builtin function = qkv__builtin_of(node);
    switch (function) {
    case QKV__BUILTIN_ABS:
    case QKV__BUILTIN_EXP:
    case QKV__BUILTIN_LN:
    case QKV__BUILTIN_NORM:
    case QKV__BUILTIN_SQRT: return evaluate_elementary(e, node, value);
    case QKV__BUILTIN_ATTEND: return evaluate_attend(e, node, value);
    case QKV__BUILTIN_COS:
    case QKV__BUILTIN_DISTANCE: return evaluate_pair(e, node, value);
    case QKV__BUILTIN_HULL:
        if (node->count != 1) break;
        return evaluate_hull(e, node, value);
    case QKV__BUILTIN_MEAN:
        if (over) break;
        return evaluate_mean(e, node, value);
    case QKV__BUILTIN_SELF_ATTEND: return evaluate_self_attend(e, node, value);
    case QKV__BUILTIN_SUM:
        if (!over) break;
        return evaluate_sum(e, node, value);
    default: break;
    }
    if (binding == NULL && qkv__builtin_kind_of(function) == QKV__OF_CHANCE)
        return fail_unable(e, node,
                           "P, E, Var and Cov are compared in claims, and stand in nothing else");
    if (binding != NULL || function != QKV__BUILTIN_NONE)
        return fail_unable(e, node, "this call is beyond the exact engine");
    if (node->count == 1 && qkv__may_be_parameter(node->text)) {
        qkv__value left, right; /* beta(k[a] + k[b]): a product, as on paper */
        qkv__node name = *node;
        name.kind = QKV__NODE_NAME;
        name.count = 0;
        *e->culprit = node;
        return qkv__evaluate_in(e, &name, &left) && qkv__evaluate_in(e, node->child[0], &right) &&
               qkv__value_multiply(&e->model->space, &left, &right, value, e->failure);
    }
    return fail_text(e, node, "unknown function %s", node->text);
}
