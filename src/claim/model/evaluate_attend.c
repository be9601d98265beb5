/* Attention: classes of keys with equal scores, masks and biases, one query or one for each token.
 * Knows values and index sets; nothing of verdicts. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "claim/model/binding.h"
#include "claim/model/evaluate.h"
#include "claim/model/index_set.h"
#include "claim/model/listed.h"
#include "claim/model/random_parameters.h"
#include "language/builtin.h"
#include "language/tree.h"
#include "language/write.h"

/* ---- Options --------------------------------------------------------------------------------- */

/* What follows the plain arguments of a call, which are counted. */
typedef struct options {
    size_t plain;
    bool causal;
    const qkv__node *scale, *bias, *mask, *sink, *window; /* NULL: none */
} options;

static bool read_options(qkv__evaluation *e, const qkv__node *node, options *o)
{
    assert(node->kind == QKV__NODE_CALL);
    *o = (options){0};
    const struct {
        const char *name;
        const qkv__node **place;
    } known[] = {{"scale", &o->scale},
                 {"bias", &o->bias},
                 {"mask", &o->mask},
                 {"sink", &o->sink},
                 {"window", &o->window}};
    for (size_t i = 0; i < node->count; i++) {
        const qkv__node *argument = node->child[i];
        if (qkv__node_is(argument, "causal")) {
            o->causal = true;
        } else if (argument->kind != QKV__NODE_OPTION) {
            o->plain++;
        } else {
            size_t k = 0;
            while (k < sizeof known / sizeof known[0] && strcmp(known[k].name, argument->text) != 0)
                k++;
            if (k == sizeof known / sizeof known[0])
                return qkv__evaluation_misread(
                    e, argument,
                    "unknown option %s; expected scale, bias, mask, sink, window or causal",
                    argument->text);
            *known[k].place = argument->child[0];
        }
    }
    return true;
}

static bool read_number(qkv__evaluation *e, const qkv__node *node, const char *what,
                        qkv__ratio *number)
{
    qkv__value value;
    if (node == NULL) return true;
    if (!qkv__evaluate_in(e, node, &value)) return false;
    if (qkv__value_as_ratio(&value, number)) return true;
    return value.kind == QKV__VALUE_SCALAR
               ? qkv__evaluation_unable_to(e, node, "a %s that is not a plain number", what)
               : qkv__evaluation_misread(e, node, "a %s is a number", what);
}

/* Whether the marks are the members in their order: those of 1..3 may be picked ones instead. */
static bool is_listed(const qkv__index_set *keys)
{
    if (strstr(keys->name, "..") == NULL) return true; /* u[a, b, c] */
    for (size_t i = 0; i < keys->mark_count; i++) {
        char number[24];
        snprintf(number, sizeof number, "%zu", i + 1);
        if (strcmp(keys->mark[i], number) != 0) return false;
    }
    return true;
}

/* [0, 0, -t], or the vector that such a list is under a name, beside as many keys: one number for
 * each. Any other value stays as it is. */
static bool list_as_bias(qkv__evaluation *e, const qkv__index_set *keys, qkv__value *value)
{
    qkv__algebra *algebra = &e->model->algebra;
    const size_t count = qkv__value_entry_count(value);
    if (count == 0 || count != keys->mark_count || !is_listed(keys) ||
        !qkv__ratio_is_zero(qkv__rest_size(algebra, keys)))
        return true;
    qkv__numbers *numbers = qkv__arena_take(&algebra->arena, sizeof *numbers);
    qkv__ratio *mark = qkv__arena_array(&algebra->arena, count, sizeof *mark);
    if (numbers == NULL || mark == NULL) return false;
    for (size_t i = 0; i < count; i++)
        if (!qkv__value_entry(algebra, value, i, &mark[i])) return true;
    *numbers = (qkv__numbers){.set = (qkv__index_set *)keys, .mark = mark};
    *value = (qkv__value){.kind = QKV__VALUE_NUMBERS, .numbers = numbers};
    return true;
}

/* A number for each key: a family of them, or a list. */
static bool read_bias(qkv__evaluation *e, const qkv__node *node, const qkv__index_set *keys,
                      qkv__attending *a)
{
    qkv__value value;
    if (node == NULL) return true;
    if (!qkv__evaluate_in(e, node, &value)) return false;
    if (!list_as_bias(e, keys, &value)) return qkv__evaluation_unable(e, node, "out of memory");
    if (qkv__value_entry_count(&value) > 0 && value.kind != QKV__VALUE_NUMBERS)
        return qkv__evaluation_unable(e, node,
                                      "a list as a bias needs as many keys, without picks");
    if (value.kind != QKV__VALUE_NUMBERS)
        return qkv__evaluation_misread(
            e, node, "a bias is a family of numbers, one for each key: b[i] = ...; found %s",
            qkv__value_kind_name(value.kind));
    if (value.numbers->set != keys)
        return qkv__evaluation_misread(e, node, "the bias has other indexes than the keys, %s",
                                       keys->name);
    if (value.numbers->spread != NULL)
        return qkv__evaluation_unable(e, node, "weights that differ from key to key as a bias");
    a->bias = value.numbers;
    return true;
}

/* 1..n, as the keys themselves are indexed. */
static bool is_whole_set(const qkv__node *range, const qkv__index_set *keys)
{
    qkv__text text = {0};
    qkv__node_write(range, &text);
    bool whole = text.data != NULL && !text.failed && strcmp(text.data, keys->name) == 0;
    qkv__text_free(&text);
    return whole;
}

/* mask = {a, b} or 1..3: the keys that are looked at. */
static bool read_mask(qkv__evaluation *e, const qkv__node *node, const qkv__index_set *keys,
                      qkv__attending *a)
{
    if (node == NULL || is_whole_set(node, keys)) return true;
    bool *seen = qkv__arena_array(&e->model->algebra.arena, keys->mark_count + 1, sizeof *seen);
    if (seen == NULL) return qkv__evaluation_unable(e, node, "out of memory");
    memset(seen, 0, (keys->mark_count + 1) * sizeof *seen);
    a->seen = seen;
    if (node->kind == QKV__NODE_SET) {
        for (size_t i = 0; i < node->count; i++) {
            int member;
            if (!qkv__evaluate_index(e, node->child[i], keys, &member)) return false;
            if (member < 0)
                return qkv__evaluation_unable(e, node, "an unnamed key in a mask: pick it");
            seen[member] = true;
        }
        return node->count > 0 || qkv__evaluation_misread(e, node, "a mask without keys%s", "");
    }
    if (node->kind != QKV__NODE_RANGE)
        return qkv__evaluation_misread(
            e, node, "a mask is a set of keys that are looked at: {1, 2} or 1..3%s", "");
    qkv__ratio end[2] = {{NULL, NULL}, {NULL, NULL}};
    qkv__rational low, high;
    if (!read_number(e, node->child[0], "mask's end", &end[0]) ||
        !read_number(e, node->child[1], "mask's end", &end[1]))
        return false;
    if (!qkv__ratio_is_constant(end[0], &low) || !qkv__ratio_is_constant(end[1], &high) ||
        !qkv__rational_is_whole(low) || !qkv__rational_is_whole(high) ||
        qkv__set_may_have_rest(e->model, keys))
        return qkv__evaluation_unable(e, node, "a range of symbolic length as a mask");
    bool some = false;
    for (size_t i = 0; i < keys->mark_count; i++) {
        int64_t number;
        if (!qkv__mark_number(keys, (int)i, &number))
            return qkv__evaluation_unable(e, node, "a range of indexes that have names");
        seen[i] = low.numerator <= number && number <= high.numerator;
        some = some || seen[i];
    }
    return some || qkv__evaluation_unable(e, node, "a mask without keys");
}

/* ---- Classes --------------------------------------------------------------------------------- */

/* Whether there may be no key beside the named ones. Random keys are told apart one by one. */
static bool may_be_empty(const qkv__evaluation *e, const qkv__index_set *set)
{
    return e->model->chance_count == 0 && e->model->noise == 0 && !qkv__set_has_rest(e->model, set);
}

/* The classes of keys: every mark, and the rest where there is one. */
static size_t add_classes(qkv__evaluation *e, const qkv__attending *a, qkv__class *classes)
{
    qkv__space *space = &e->model->space;
    const qkv__vectors *keys = a->keys, *values = a->values;
    const qkv__index_set *set = keys->set;
    size_t count = 0;
    for (size_t i = 0; i < set->mark_count; i++)
        classes[count++] = (qkv__class){.count = qkv__ratio_whole(space->algebra, 1),
                                        .key = keys->mark[i],
                                        .value = values->mark[i],
                                        .total = values->mark[i]};
    if (qkv__set_may_have_rest(e->model, set))
        classes[count++] =
            (qkv__class){.count = qkv__rest_size(space->algebra, set),
                         .of = set,
                         .open = may_be_empty(e, set),
                         .key = keys->generic,
                         .value = values->generic,
                         .total = qkv__vector_sum_over_rest(space, values->generic, set)};
    for (size_t i = 0; i < count; i++) {
        if (a->bias != NULL)
            classes[i].bias = i < set->mark_count ? a->bias->mark[i] : a->bias->generic;
        classes[i].masked = a->seen != NULL && (i == set->mark_count || !a->seen[i]);
    }
    return count;
}

static bool attention_lost(qkv__evaluation *e, const qkv__node *node)
{
    return qkv__evaluation_unable(e, node,
                                  "the scores are not the same for all the other keys, or outgrow "
                                  "the exact engine");
}

/* Whether keys can be attended to: noise waits for its limit, and there must be some key. */
static bool check_keys(qkv__evaluation *e, const qkv__node *node, const qkv__vectors *keys)
{
    bool noisy = qkv__random_is_noisy(keys->generic);
    for (size_t i = 0; i < keys->set->mark_count; i++)
        noisy = noisy || qkv__random_is_noisy(keys->mark[i]);
    if (noisy && !e->model->noisy)
        return qkv__evaluation_unable(
            e, node, "keys with noise in every direction: say as alpha -> 0, or sample");
    if (keys->set->mark_count == 0 && !qkv__set_has_rest(e->model, keys->set))
        return qkv__evaluation_unable(e, node,
                                      "there may be no keys at all: give a larger least n");
    return true;
}

/* A class whose scores differ must not be empty, and some class must be seen. */
static const qkv__attention *attend(qkv__evaluation *e, const qkv__node *node,
                                    const qkv__vector *query, const qkv__class *classes,
                                    size_t count, const qkv__attending *a)
{
    bool seen = false, lacking = false;
    for (size_t i = 0; i < count; i++) {
        seen = seen || !classes[i].masked;
        lacking = lacking || (classes[i].of != NULL && !classes[i].masked &&
                              !qkv__set_has_rest(e->model, classes[i].of));
    }
    if (!seen) {
        qkv__evaluation_unable(e, node, "attention over no keys has no value");
        return NULL;
    }
    const qkv__attention *row =
        qkv__attend(&e->model->space, query, classes, count, a->scale, a->sink);
    if (row == NULL) attention_lost(e, node);
    if (row != NULL && row->count > count && lacking) {
        qkv__evaluation_unable(e, node,
                               "there may be no key beside the picked ones: give a larger least n");
        return NULL;
    }
    return row;
}

static bool is_adjusted(const qkv__attending *a)
{
    return a->bias != NULL || a->seen != NULL || a->window > 0 || !qkv__ratio_is_lost(a->sink);
}

/* One row as a result; where a sink takes a part the weights sum to less than 1. */
static bool give_row(qkv__evaluation *e, const qkv__node *node, const qkv__attention *row,
                     const qkv__attending *a, qkv__value *value)
{
    qkv__result *result = qkv__arena_take(&e->model->algebra.arena, sizeof *result);
    const qkv__attention **rows = qkv__arena_take(&e->model->algebra.arena, sizeof *rows);
    if (row == NULL) return false;
    if (result == NULL || rows == NULL) return qkv__evaluation_unable(e, node, "out of memory");
    rows[0] = row;
    *result = (qkv__result){.keys = a->keys->set,
                            .count = 1,
                            .row = rows,
                            .adjusted = is_adjusted(a),
                            .values = qkv__ratio_is_lost(a->sink) ? a->values : NULL};
    *value = (qkv__value){.kind = QKV__VALUE_RESULT, .result = result};
    return true;
}

/* ---- Attention over joined families ---------------------------------------------------------- */

/* A vector among families is a class of one. */
static bool add_part(qkv__evaluation *e, const qkv__node *node, const qkv__value *key,
                     const qkv__value *value, qkv__class *classes, size_t *count)
{
    const qkv__vector *one, *its_value;
    qkv__attending part = {0};
    if (qkv__value_as_vector(key, &one) && qkv__value_as_vector(value, &its_value)) {
        classes[(*count)++] = (qkv__class){.count = qkv__ratio_whole(&e->model->algebra, 1),
                                           .key = one,
                                           .value = its_value,
                                           .total = its_value};
        return true;
    }
    if (!qkv__evaluate_as_vectors(e, node->child[1], key, &part.keys) ||
        !qkv__evaluate_as_vectors(e, node->child[2], value, &part.values) ||
        !check_keys(e, node, part.keys))
        return false;
    if (part.keys->set != part.values->set)
        return qkv__evaluation_unable(e, node, "keys and values that are joined in other parts");
    *count += add_classes(e, &part, classes + *count);
    return true;
}

/* attend(q, [k, m], [v, w]): what comes of it; k[a] has the same index among all keys. */
static bool attend_joined(qkv__evaluation *e, const qkv__node *node, const qkv__vector *query,
                          const qkv__value *keys, const qkv__value *values, const qkv__attending *a,
                          qkv__value *value)
{
    const size_t parts = keys->count;
    size_t count = 0;
    if (keys->kind != QKV__VALUE_LIST || values->kind != QKV__VALUE_LIST || parts != values->count)
        return qkv__evaluation_unable(e, node, "keys and values that are joined in other parts");
    qkv__class *classes =
        qkv__arena_array(&e->model->algebra.arena, parts * (QKV__MARKS + 1), sizeof *classes);
    if (classes == NULL) return qkv__evaluation_unable(e, node, "out of memory");
    for (size_t i = 0; i < parts; i++)
        if (!add_part(e, node, &keys->element[i], &values->element[i], classes, &count))
            return false;
    const qkv__attention *row = attend(e, node, query, classes, count, a);
    if (row == NULL) return false;
    const qkv__vectors *first;
    *value = qkv__value_vector(row->output);
    value->joined = row;
    if (qkv__value_is_family(&keys->element[0]) &&
        qkv__evaluate_as_vectors(e, node->child[1], &keys->element[0], &first))
        value->first = first->set;
    return true;
}

/* ---- Attention of one query ------------------------------------------------------------------ */

static bool read_scale_and_sink(qkv__evaluation *e, const options *o, qkv__attending *a)
{
    *a = (qkv__attending){.scale = qkv__ratio_whole(&e->model->algebra, 1)};
    return read_number(e, o->scale, "scale", &a->scale) &&
           read_number(e, o->sink, "sink", &a->sink);
}

/* Whether an option, or a family that is made here, speaks of an unmarked index that is bound
 * further out: among the keys it would be taken for each of them. */
static bool is_entangled(qkv__evaluation *e, const qkv__node *node, const options *o)
{
    const qkv__node *option[] = {o->scale, o->sink, o->bias};
    bool found = false;
    for (size_t i = 0; i < sizeof option / sizeof option[0]; i++)
        found = found || (option[i] != NULL && qkv__evaluation_is_entangled(e, option[i], ""));
    for (size_t i = 0; i < o->plain; i++)
        found = found || (node->child[i]->kind == QKV__NODE_LIST &&
                          qkv__evaluation_is_entangled(e, node->child[i], ""));
    if (found) qkv__evaluation_unable(e, node, "attention of an unnamed token: pick it");
    return found;
}

/* A query: a vector, a list of numbers, or a number beside keys that are listed as numbers. */
static bool as_query(qkv__evaluation *e, const qkv__node *node, qkv__value *value,
                     const qkv__vector **query)
{
    const qkv__value number = *value;
    if (value->kind == QKV__VALUE_SCALAR && qkv__model_list_width(e->model, false) == 1)
        *value = (qkv__value){.kind = QKV__VALUE_LIST, .count = 1, .element = &number};
    *e->culprit = node;
    if (!qkv__model_as_vector(e->model, value, e->failure)) return false;
    return qkv__value_as_vector(value, query) ||
           qkv__evaluation_misread(e, node, "expected a vector as the query, found %s",
                                   qkv__value_kind_name(value->kind));
}

/* attend(q, k, v) */
bool qkv__evaluate_attend(qkv__evaluation *e, const qkv__node *node, qkv__value *value)
{
    assert(node->kind == QKV__NODE_CALL);
    qkv__value argument[3];
    options o;
    qkv__attending a;
    const qkv__vector *query;
    if (!read_options(e, node, &o) || is_entangled(e, node, &o) || !read_scale_and_sink(e, &o, &a))
        return false;
    if (o.plain != 3)
        return qkv__evaluation_misread(e, node, "attend takes a query, keys and values%s", "");
    if (o.window != NULL)
        return qkv__evaluation_misread(e, o.window, "a window is an option of %s", "self_attend");
    for (int i = 0; i < 3; i++)
        if (!qkv__evaluate_in(e, node->child[i], &argument[i])) return false;
    if (!as_query(e, node->child[0], &argument[0], &query)) return false;
    const bool generic = qkv__vector_is_generic(&e->model->space, query);
    const bool joined = qkv__value_is_joined(&argument[1]) || qkv__value_is_joined(&argument[2]);
    if (joined && (o.bias != NULL || o.mask != NULL))
        return qkv__evaluation_unable(e, node, "a mask or bias over joined families");
    if (joined && !generic)
        return attend_joined(e, node, query, &argument[1], &argument[2], &a, value);
    if (!qkv__evaluate_as_vectors(e, node->child[1], &argument[1], &a.keys) ||
        !qkv__evaluate_as_vectors(e, node->child[2], &argument[2], &a.values))
        return false;
    if (a.keys->set != a.values->set)
        return qkv__evaluation_misread(e, node, "keys and values are not indexed alike%s", "");
    if (!check_keys(e, node, a.keys) || !read_bias(e, o.bias, a.keys->set, &a) ||
        !read_mask(e, o.mask, a.keys->set, &a))
        return false;
    if (generic)
        return qkv__evaluation_unable(e, node,
                                      "a query that is itself one of the unnamed keys: pick it");
    qkv__class *classes =
        qkv__arena_array(&e->model->algebra.arena, a.keys->set->mark_count + 1, sizeof *classes);
    if (classes == NULL) return qkv__evaluation_unable(e, node, "out of memory");
    const size_t count = add_classes(e, &a, classes);
    return give_row(e, node, attend(e, node, query, classes, count, &a), &a, value);
}

/* ---- Self-attention -------------------------------------------------------------------------- */

/* A matrix applied to every member of a family. */
static const qkv__vectors *project(qkv__evaluation *e, const qkv__node *node,
                                   const qkv__value *matrix, const qkv__vectors *x)
{
    qkv__value family = {.kind = QKV__VALUE_VECTORS, .vectors = x}, product;
    qkv__node times = *node;
    times.kind = QKV__NODE_MULTIPLY;
    return qkv__evaluate_members(e, &times, matrix, &family, &product) &&
                   product.kind == QKV__VALUE_VECTORS
               ? product.vectors
               : NULL;
}

/* Which keys a token sees: earlier ones if causal, near ones if there is a window. Both need to
 * know which number the token has. */
static bool mask_row(qkv__evaluation *e, const qkv__node *node, const qkv__attending *a, int query,
                     qkv__class *classes, size_t count)
{
    const qkv__index_set *set = a->keys->set;
    int64_t own, other, last = 0;
    if (!a->causal && a->window == 0) return true;
    if (!qkv__mark_number(set, query, &own))
        return qkv__evaluation_unable(e, node,
                                      "which tokens come before one that is known by no number");
    for (size_t j = 0; j < set->mark_count; j++) /* 1, 2, ... up to the last number */
        if (qkv__mark_number(set, (int)j, &other) && other > last) last = other;
    const int64_t end = a->causal ? own : own + (int64_t)a->window - 1;
    for (int64_t number = 1; number <= end; number++) {
        bool there = false;
        for (size_t j = 0; j < set->mark_count && !there; j++)
            there = qkv__mark_number(set, (int)j, &other) && other == number;
        if (!there && qkv__set_may_have_rest(e->model, set))
            return qkv__evaluation_unable(e, node, "tokens that are not known by their numbers");
    }
    for (size_t j = 0; j < count; j++) {
        /* What has no number comes behind all those that have one. */
        bool known = j < set->mark_count && qkv__mark_number(set, (int)j, &other);
        bool later = !known || (a->causal && other > own);
        bool far = !known || (a->window > 0 && llabs(own - other) >= (int64_t)a->window);
        classes[j].masked = classes[j].masked || later || far;
    }
    return true;
}

/* The row of one token. */
static const qkv__attention *attend_token(qkv__evaluation *e, const qkv__node *node,
                                          const qkv__attending *a, int query)
{
    qkv__class *classes =
        qkv__arena_array(&e->model->algebra.arena, a->keys->set->mark_count + 1, sizeof *classes);
    if (classes == NULL) {
        qkv__evaluation_unable(e, node, "out of memory");
        return NULL;
    }
    const size_t count = add_classes(e, a, classes);
    if (!mask_row(e, node, a, query, classes, count)) return NULL;
    return attend(e, node, a->queries->mark[query], classes, count, a);
}

bool qkv__evaluate_token(qkv__evaluation *e, const qkv__node *node, const qkv__attending *a,
                         int query, qkv__value *value)
{
    if (query < 0) return qkv__evaluation_unable(e, node, "attention of an unnamed token: pick it");
    return give_row(e, node, attend_token(e, node, a, query), a, value);
}

/* Whether what a token sees of the others is the same for all the rest, where each of them is
 * orthogonal to the others in one way: the output of the generic one is then known. */
static const qkv__vector *uniform_output(qkv__evaluation *e, const qkv__attending *a)
{
    qkv__space *space = &e->model->space;
    const size_t marks = a->keys->set->mark_count;
    qkv__class *classes = qkv__arena_array(&space->algebra->arena, marks + 2, sizeof *classes);
    if (a->causal || a->window > 0 || a->bias != NULL || a->seen != NULL || classes == NULL)
        return NULL;
    const size_t count = add_classes(e, a, classes);
    qkv__class *own = &classes[count - 1], *others = &classes[count];
    qkv__ratio one = qkv__ratio_whole(space->algebra, 1);
    *others = *own;
    others->count = qkv__ratio_subtract(space->algebra, own->count, one);
    others->total = qkv__vector_subtract(space, own->total, own->value);
    others->scored = true;
    others->score = qkv__ratio_multiply(
        space->algebra, a->scale,
        qkv__vector_dot_apart(space, a->keys->generic, a->queries->generic, a->keys->set));
    own->count = one;
    own->total = own->value;
    own->of = others->of = NULL;
    for (size_t i = 0; i < count; i++)
        if (qkv__space_differs(space, qkv__vector_dot(space, classes[i].key, a->queries->generic)))
            return NULL;
    if (qkv__ratio_is_lost(others->score) || qkv__space_differs(space, others->score)) return NULL;
    const qkv__attention *row =
        qkv__attend(space, a->queries->generic, classes, count + 1, a->scale, a->sink);
    return row == NULL ? NULL : row->output;
}

const qkv__vector *qkv__evaluate_unnamed_token(qkv__evaluation *e, const qkv__attending *a)
{
    const qkv__vector *known = uniform_output(e, a);
    if (known != NULL) return known;
    e->model->opaque = true; /* some vector for each token, of which nothing is known */
    return a->outputs == NULL ? NULL
                              : qkv__vector_symbol(&e->model->space, a->outputs, QKV__GENERIC);
}

/* Tokens that have no names are attended to one by one, when they are asked for. */
static bool keep_tokens(qkv__evaluation *e, const qkv__node *node, const qkv__attending *a,
                        qkv__value *value)
{
    qkv__arena *arena = &e->model->algebra.arena;
    qkv__attending *kept = qkv__arena_take(arena, sizeof *kept);
    qkv__text text = {0};
    if (e->model->chance_count > 0 || e->model->noise != 0)
        return qkv__evaluation_unable(
            e, node, "self-attention over a symbolic number of tokens, together with random keys");
    qkv__node_write(node, &text);
    const char *name = text.failed ? NULL : qkv__arena_text(arena, text.data, text.length);
    qkv__text_free(&text);
    qkv__family *outputs =
        name == NULL ? NULL : qkv__family_add(&e->model->space, name, a->keys->set);
    if (kept == NULL || outputs == NULL)
        return qkv__evaluation_unable(e, node, "too many families of vectors");
    *kept = *a;
    kept->outputs = outputs;
    *value = (qkv__value){.kind = QKV__VALUE_TOKENS, .tokens = kept};
    return true;
}

/* One row for each token. */
static bool attend_each(qkv__evaluation *e, const qkv__node *node, const qkv__attending *a,
                        qkv__value *value)
{
    qkv__arena *arena = &e->model->algebra.arena;
    qkv__index_set *set = a->keys->set;
    qkv__result *result = qkv__arena_take(arena, sizeof *result);
    const qkv__attention **rows = qkv__arena_array(arena, set->mark_count, sizeof *rows);
    if (result == NULL || rows == NULL) return qkv__evaluation_unable(e, node, "out of memory");
    for (size_t i = 0; i < set->mark_count; i++) {
        rows[i] = attend_token(e, node, a, (int)i);
        if (rows[i] == NULL) return keep_tokens(e, node, a, value); /* others may be known */
    }
    *result = (qkv__result){.keys = set,
                            .queries = set,
                            .count = set->mark_count,
                            .row = rows,
                            .adjusted = is_adjusted(a),
                            .values = qkv__ratio_is_lost(a->sink) ? a->values : NULL};
    *value = (qkv__value){.kind = QKV__VALUE_RESULT, .result = result};
    return true;
}

static bool read_window(qkv__evaluation *e, const qkv__node *node, qkv__attending *a)
{
    qkv__ratio number;
    qkv__rational width;
    if (node == NULL) return true;
    if (!read_number(e, node, "window", &number)) return false;
    if (!qkv__ratio_is_constant(number, &width))
        return qkv__evaluation_unable(e, node, "a window of symbolic width");
    if (!qkv__rational_is_whole(width) || width.numerator < 1)
        return qkv__evaluation_misread(e, node, "a window is a whole number of tokens%s", "");
    a->window = (size_t)width.numerator;
    return true;
}

/* self_attend(x) or self_attend(x, Q, K, V) */
bool qkv__evaluate_self_attend(qkv__evaluation *e, const qkv__node *node, qkv__value *value)
{
    assert(node->kind == QKV__NODE_CALL);
    qkv__value argument[4];
    options o;
    qkv__attending a;
    const qkv__vectors *x;
    if (!read_options(e, node, &o) || is_entangled(e, node, &o) || !read_scale_and_sink(e, &o, &a))
        return false;
    if (o.plain != 1 && o.plain != 4)
        return qkv__evaluation_misread(e, node, "self_attend takes x, or x, Q, K and V%s", "");
    for (size_t i = 0; i < o.plain; i++)
        if (!qkv__evaluate_in(e, node->child[i], &argument[i])) return false;
    if (!qkv__evaluate_as_vectors(e, node->child[0], &argument[0], &x)) return false;
    const qkv__vectors **families[3] = {&a.queries, &a.keys, &a.values};
    for (size_t i = 0; i < 3; i++) *families[i] = x;
    for (size_t i = 1; i < o.plain; i++) {
        if (argument[i].kind != QKV__VALUE_MATRIX)
            return qkv__evaluation_misread(e, node->child[i], "expected a matrix, found %s",
                                           qkv__value_kind_name(argument[i].kind));
        *families[i - 1] = project(e, node, &argument[i], x);
        if (*families[i - 1] == NULL) return attention_lost(e, node);
    }
    a.causal = o.causal;
    if (!read_bias(e, o.bias, x->set, &a) || !read_mask(e, o.mask, x->set, &a) ||
        !read_window(e, o.window, &a))
        return false;
    if (qkv__set_may_have_rest(e->model, x->set)) return keep_tokens(e, node, &a, value);
    return attend_each(e, node, &a, value);
}

/* ---- What is averaged ------------------------------------------------------------------------ */

bool qkv__evaluate_averaged(qkv__evaluation *e, const qkv__node *node, const qkv__vectors **values)
{
    const qkv__binding *known =
        node->kind == QKV__NODE_NAME ? qkv__model_find(e->model, e->locals, node->text) : NULL;
    qkv__value value;
    options o;
    if (known != NULL && known->body != NULL) return qkv__evaluate_averaged(e, known->body, values);
    if (node->kind == QKV__NODE_INDEX && node->count == 2) {
        if (!qkv__evaluate_in(e, node->child[0], &value) || value.kind != QKV__VALUE_TOKENS ||
            !qkv__ratio_is_lost(value.tokens->sink))
            return false;
        *values = value.tokens->values;
        return true;
    }
    return qkv__builtin_of(node) == QKV__BUILTIN_ATTEND && read_options(e, node, &o) &&
           o.plain == 3 && o.sink == NULL && qkv__evaluate_in(e, node->child[2], &value) &&
           qkv__evaluate_as_vectors(e, node->child[2], &value, values);
}
