/*
 * What a question about a query demands of the attention weights. The attention with the unknown
 * query is replaced by one whose weights are parameters; what the proposition then says is linear
 * in them, or it is not a question for this designer. Knows trees and values; nothing of verdicts.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "claim/design/design_part.h"
#include "claim/model/binding.h"
#include "claim/model/evaluate.h"
#include "claim/model/listed.h"
#include "language/tree.h"

/* Blanks cannot be typed in a name, so that these never meet one of the document. */
static const char *const stand_in = "the attention";

/* ---- Keys --------------------------------------------------------------------------------- */

static bool given_products(const qkv__space *space, const qkv__family *family)
{
    for (const qkv__given_product *g = space->given; g != NULL; g = g->next)
        if (g->x.family == family || g->y.family == family) return true;
    return false;
}

static bool at_right_angles(qkv__design_task *task, const qkv__family *family)
{
    return family->gram == QKV__GRAM_UNIFORM && qkv__ratio_is_zero(family->different) &&
           !given_products(&task->model->space, family) &&
           qkv__design_sign(task, family->same) == QKV__SIGN_POSITIVE;
}

/* The class's key as one member of a family; false when it is anything else. */
static bool single_symbol(const qkv__vector *key, qkv__symbol *symbol)
{
    qkv__rational one;
    if (key == NULL || key->count != 1 || key->component[0].symbol.family->set == NULL ||
        !qkv__ratio_is_constant(key->component[0].factor, &one) || one.numerator != 1 ||
        one.denominator != 1)
        return false;
    *symbol = key->component[0].symbol;
    return true;
}

static const qkv__vector *class_of(const qkv__vectors *vectors, size_t class)
{
    return class < vectors->set->mark_count ? vectors->mark[class] : vectors->generic;
}

/* All keys are different members of one family. */
static bool one_family(const qkv__design_head *head, const qkv__family **family)
{
    qkv__symbol first = {NULL, 0}, symbol;
    for (size_t i = 0; i < head->count; i++) {
        if (!single_symbol(class_of(head->keys, i), &symbol)) return false;
        if (i == 0) first = symbol;
        if (symbol.family != first.family) return false;
        for (size_t j = 0; j < i; j++)
            if (class_of(head->keys, j)->component[0].symbol.member == symbol.member) return false;
    }
    *family = first.family;
    return true;
}

static bool vector_uses(const qkv__vector *vector, const qkv__family *family)
{
    for (size_t i = 0; vector != NULL && i < vector->count; i++)
        if (vector->component[i].symbol.family == family) return true;
    return false;
}

/* Coordinates along the members of one family at right angles. */
static bool read_coordinates(qkv__design_task *task, qkv__design_head *head)
{
    head->family = NULL;
    head->width = 0;
    head->coordinate = qkv__arena_array(&task->model->algebra.arena,
                                        head->count * QKV__DESIGN_WIDTH, sizeof(qkv__rational));
    if (head->coordinate == NULL || head->has_rest) return false;
    for (size_t i = 0; i < head->count * QKV__DESIGN_WIDTH; i++)
        head->coordinate[i] = qkv__rational_whole(0);
    for (size_t i = 0; i < head->count; i++) {
        const qkv__vector *key = qkv__design_fixed_vector(task->model, head->keys->mark[i]);
        for (size_t c = 0; key != NULL && c < key->count; c++) {
            qkv__symbol symbol = key->component[c].symbol;
            qkv__rational value;
            if (head->family == NULL) head->family = symbol.family;
            size_t at = 0;
            while (at < head->width && head->axis[at] != symbol.member) at++;
            if (symbol.family != head->family || symbol.member < 0 || at == QKV__DESIGN_WIDTH ||
                !qkv__ratio_is_constant(key->component[c].factor, &value))
                return false;
            if (at == head->width) head->axis[head->width++] = symbol.member;
            head->coordinate[i * QKV__DESIGN_WIDTH + at] = value;
        }
        if (key == NULL) return false;
    }
    return head->family != NULL && at_right_angles(task, head->family);
}

static void classify(qkv__design_task *task, qkv__design_head *head)
{
    const qkv__family *family = NULL;
    bool single = one_family(head, &family), apart = single;
    for (size_t i = 0; apart && i < head->count; i++)
        apart = !vector_uses(class_of(head->values, i), family);
    head->kind = QKV__KEYS_OTHER;
    if (single && at_right_angles(task, family)) {
        head->kind = QKV__KEYS_INDEPENDENT;
        head->family = family;
    } else if (single && apart && family->gram != QKV__GRAM_UNIFORM &&
               !given_products(&task->model->space, family)) {
        head->kind = QKV__KEYS_ARBITRARY;
        head->family = family;
    } else if (read_coordinates(task, head)) {
        head->kind = QKV__KEYS_NUMBERS;
    }
    if (head->kind == QKV__KEYS_INDEPENDENT || head->kind == QKV__KEYS_NUMBERS)
        head->square = qkv__design_fixed(task->model, head->family->same);
}

/* ---- The head ----------------------------------------------------------------------------- */

static bool read_scale(qkv__design_task *task, const qkv__node *call, qkv__ratio *scale)
{
    assert(call->kind == QKV__NODE_CALL);
    qkv__value value;
    *scale = qkv__ratio_whole(&task->model->algebra, 1);
    if (call->count == 3) return true;
    const qkv__node *option = call->child[3];
    if (call->count != 4 || option->kind != QKV__NODE_OPTION ||
        strcmp(option->text, "scale") != 0 || qkv__design_mentions(task, option))
        return false;
    if (!qkv__model_value(task->model, option->child[0], NULL, &value) ||
        !qkv__value_as_ratio(&value, scale))
        return false;
    *scale = qkv__design_fixed(task->model, *scale);
    qkv__sign sign = qkv__design_sign(task, *scale);
    return sign == QKV__SIGN_POSITIVE || sign == QKV__SIGN_NEGATIVE;
}

static bool read_family(qkv__design_task *task, const qkv__node *node, const qkv__vectors **family)
{
    qkv__value value;
    if (qkv__design_mentions(task, node) || !qkv__model_value(task->model, node, NULL, &value) ||
        value.kind != QKV__VALUE_VECTORS)
        return false;
    *family = value.vectors;
    return true;
}

static bool fill_head(qkv__design_task *task, const qkv__node *call, qkv__design_head *head)
{
    assert(call->kind == QKV__NODE_CALL);
    qkv__algebra *algebra = &task->model->algebra;
    *head = (qkv__design_head){.call = call};
    if (call->count < 3 || !read_scale(task, call, &head->scale) ||
        !read_family(task, call->child[1], &head->keys) ||
        !read_family(task, call->child[2], &head->values) || head->keys->set != head->values->set)
        return false;
    const qkv__index_set *set = head->keys->set;
    qkv__ratio rest = qkv__design_fixed(task->model, qkv__rest_size(algebra, set));
    head->has_rest = !qkv__ratio_is_zero(rest);
    head->count = set->mark_count + (head->has_rest ? 1 : 0);
    if (head->count > QKV__DESIGN_KEYS || head->count == 0 || qkv__ratio_is_lost(rest))
        return false;
    for (size_t i = 0; i < head->count; i++)
        head->size[i] = i < set->mark_count ? qkv__ratio_whole(algebra, 1) : rest;
    classify(task, head);
    return true;
}

/* ---- Replacing the attention -------------------------------------------------------------- */

static bool same_head(qkv__design_task *task, const qkv__design_head *a, const qkv__design_head *b)
{
    return a->keys == b->keys && a->values == b->values &&
           qkv__ratio_equal(&task->model->algebra, a->scale, b->scale);
}

static bool is_call(const qkv__node *node, const char *name)
{
    return node->kind == QKV__NODE_CALL && strcmp(node->text, name) == 0 && node->count > 0;
}

/* attend(q, k, v) with an unknown q. */
static bool is_open(qkv__design_task *task, const qkv__node *node)
{
    return is_call(node, "attend") && qkv__design_mentions(task, node->child[0]);
}

/* mean(attend(q1, k, v), attend(q2, k, v)) with all queries unknown. */
static bool is_open_mean(qkv__design_task *task, const qkv__node *node)
{
    bool open = is_call(node, "mean");
    for (size_t i = 0; open && i < node->count; i++) open = is_open(task, node->child[i]);
    return open;
}

/* Adds the heads of an attention or a mean of them. A second one must be the first again: the
 * weights of different queries have nothing to do with each other. */
static bool add_heads(qkv__design_task *task, const qkv__node *const *calls, size_t count,
                      qkv__design_demand *demand)
{
    bool again = demand->heads > 0;
    if (count > QKV__DESIGN_UNKNOWNS || (again && count != demand->heads)) return false;
    for (size_t i = 0; i < count; i++) {
        qkv__design_head head;
        const qkv__node *query = calls[i]->child[0];
        if (query->kind != QKV__NODE_NAME || !fill_head(task, calls[i], &head)) return false;
        if ((again || i > 0) && !same_head(task, &head, &demand->head)) return false;
        if (again && strcmp(query->text, demand->query[i]->text) != 0) return false;
        if (!again && i == 0) demand->head = head;
        demand->query[i] = query;
    }
    demand->heads = count;
    return true;
}

typedef struct replacement {
    qkv__design_task *task;
    qkv__design_demand *demand;
} replacement;

/* What has an unknown query gives way to the stand-in; NULL when it cannot. */
static const qkv__node *replace(const qkv__node *node, void *context)
{
    const replacement *r = context;
    qkv__model *model = r->task->model;
    bool open = is_open(r->task, node);
    if (!open && !is_open_mean(r->task, node))
        return qkv__node_changed(&model->algebra.arena, node, replace, context);
    if (!add_heads(r->task, open ? &node : node->child, open ? 1 : node->count, r->demand))
        return NULL;
    return qkv__node_name(&model->algebra.arena, stand_in, node->place);
}

/* A parameter for each weight, from 0 to 1; the same ones for every question. */
static bool add_weights(qkv__design_task *task, qkv__design_head *head)
{
    for (size_t i = 0; i < head->count; i++) {
        char name[32];
        snprintf(name, sizeof name, "the weight %zu", i + 1);
        head->parameter[i] = qkv__model_parameter(task->model, name);
        if (head->parameter[i] < 0) return false;
        qkv__parameter *known = &task->model->algebra.parameter[head->parameter[i]];
        known->lower = (qkv__bound){.known = true, .value = qkv__rational_whole(0)};
        known->upper = (qkv__bound){.known = true, .value = qkv__rational_whole(1)};
    }
    return true;
}

static bool bind_stand_in(qkv__design_task *task, const qkv__design_head *head)
{
    qkv__space *space = &task->model->space;
    qkv__arena *arena = &space->algebra->arena;
    qkv__attention *attention = qkv__arena_take(arena, sizeof *attention);
    qkv__result *result = qkv__arena_take(arena, sizeof *result);
    const qkv__attention **row = qkv__arena_take(arena, sizeof *row);
    qkv__ratio *weight = qkv__arena_array(arena, head->count, sizeof *weight);
    if (attention == NULL || result == NULL || row == NULL || weight == NULL) return false;
    const qkv__vector *output = qkv__vector_zero(space);
    for (size_t i = 0; i < head->count; i++) {
        weight[i] = qkv__ratio_of_form(space->algebra,
                                       qkv__form_parameter(space->algebra, head->parameter[i]));
        const qkv__vector *total = qkv__design_fixed_vector(task->model, class_of(head->values, i));
        if (i == head->keys->set->mark_count)
            total = qkv__vector_sum_over_rest(space, total, head->keys->set);
        output = qkv__vector_add(space, output, qkv__vector_scale(space, total, weight[i]));
    }
    if (output == NULL) return false;
    *attention = (qkv__attention){.count = head->count, .weight = weight, .output = output};
    row[0] = attention;
    *result = (qkv__result){.keys = head->keys->set, .count = 1, .row = row};
    return qkv__model_bind(
        task->model,
        (qkv__binding){.name = stand_in, .value = {.kind = QKV__VALUE_RESULT, .result = result}});
}

/* ---- Relations ---------------------------------------------------------------------------- */

/* Splits a difference that is linear in the weights. */
static bool split(qkv__design_task *task, const qkv__design_head *head, qkv__ratio difference,
                  qkv__design_relation *relation)
{
    qkv__algebra *algebra = &task->model->algebra;
    difference = qkv__design_fixed(task->model, difference);
    if (qkv__ratio_is_lost(difference)) return false;
    for (size_t i = 0; i < head->count; i++) {
        relation->coefficient[i] = qkv__ratio_whole(algebra, 0);
        if (qkv__form_depends_on(difference.denominator, head->parameter[i])) return false;
    }
    relation->constant = qkv__ratio_whole(algebra, 0);
    qkv__ratio below = qkv__ratio_of_form(algebra, difference.denominator);
    for (size_t t = 0; t < difference.numerator->count; t++) {
        qkv__term term = difference.numerator->term[t];
        qkv__ratio *to = &relation->constant;
        for (size_t i = 0; i < head->count; i++) {
            int p = head->parameter[i];
            if (term.exponent != NULL && qkv__form_depends_on(term.exponent, p)) return false;
            if (term.power[p] == 0) continue;
            if (term.power[p] != 2 || to != &relation->constant) return false;
            to = &relation->coefficient[i];
            term.power[p] = 0;
        }
        qkv__ratio part = qkv__ratio_of_form(algebra, qkv__form_term(algebra, &term));
        *to = qkv__ratio_add(algebra, *to, qkv__ratio_divide(algebra, part, below));
        if (qkv__ratio_is_lost(*to)) return false;
    }
    return true;
}

static bool add_relation(qkv__design_task *task, qkv__design_demand *demand, qkv__ratio difference,
                         const qkv__design_relation *like)
{
    if (demand->count == QKV__DESIGN_RELATIONS) return false;
    qkv__design_relation *relation = &demand->relation[demand->count];
    *relation = *like;
    if (!split(task, &demand->head, difference, relation)) return false;
    bool empty = qkv__ratio_is_zero(relation->constant);
    for (size_t i = 0; i < demand->head.count; i++)
        empty = empty && qkv__ratio_is_zero(relation->coefficient[i]);
    if (!empty || relation->alone) demand->count++;
    return true;
}

/* [1, 2] as a vector of coordinates, where the document has such coordinates. */
static void as_coordinates(qkv__design_task *task, qkv__value *value)
{
    const qkv__space *space = &task->model->space;
    const qkv__vector *vector;
    qkv__failure failure = {0};
    bool known = false;
    for (size_t i = 0; i < space->family_count; i++)
        known = known || (space->family[i].axis && value->kind == QKV__VALUE_LIST &&
                          space->family[i].set->mark_count == value->count);
    if (known && qkv__model_coordinates(task->model, value, &vector, &failure))
        *value = qkv__value_vector(vector);
}

/* Beside a vector, 0 is the zero vector. */
static void as_zero_vector(qkv__design_task *task, const qkv__value *beside, qkv__value *value)
{
    const qkv__vector *vector;
    qkv__ratio number;
    if (qkv__value_as_vector(beside, &vector) && qkv__value_as_ratio(value, &number) &&
        qkv__ratio_is_zero(number))
        *value = qkv__value_vector(qkv__vector_zero(&task->model->space));
}

/* Everything that must vanish for x = y. */
static bool add_difference(qkv__design_task *task, qkv__design_demand *demand, const qkv__value *x,
                           const qkv__value *y, qkv__design_relation like)
{
    qkv__algebra *algebra = &task->model->algebra;
    const qkv__vector *u, *v;
    qkv__ratio a, b;
    if (qkv__value_as_vector(x, &u) && qkv__value_as_vector(y, &v)) {
        const qkv__vector *difference = qkv__vector_subtract(&task->model->space, u, v);
        bool good = difference != NULL;
        for (size_t i = 0; good && i < difference->count; i++) {
            like.symbol = difference->component[i].symbol;
            good = add_relation(task, demand, difference->component[i].factor, &like);
        }
        return good;
    }
    like.alone = true;
    if (x->kind == QKV__VALUE_NUMBERS && y->kind == QKV__VALUE_LIST) {
        bool good = y->count == x->numbers->set->mark_count;
        for (size_t i = 0; good && i < y->count; i++)
            good = qkv__value_as_ratio(&y->element[i], &a) &&
                   add_relation(task, demand, qkv__ratio_subtract(algebra, x->numbers->mark[i], a),
                                &like);
        return good;
    }
    return qkv__value_as_ratio(x, &a) && qkv__value_as_ratio(y, &b) &&
           add_relation(task, demand, qkv__ratio_subtract(algebra, a, b), &like);
}

/* |x - y| <= tau is x ~ y within tau. */
static bool read_size(qkv__design_task *task, const qkv__node *size, const qkv__node *bound,
                      qkv__design_demand *demand)
{
    assert(size->kind == QKV__NODE_SIZE);
    qkv__value inner, tolerance, zero;
    qkv__design_relation like = {.comparison = QKV__NEAR};
    if (!qkv__model_value(task->model, size->child[0], NULL, &inner) ||
        !qkv__model_value(task->model, bound, NULL, &tolerance) ||
        !qkv__value_as_ratio(&tolerance, &like.tolerance) ||
        qkv__ratio_sign(&task->model->algebra, like.tolerance) != QKV__SIGN_POSITIVE)
        return false;
    for (size_t i = 0; i < demand->head.count; i++)
        if (qkv__ratio_depends_on(like.tolerance, demand->head.parameter[i])) return false;
    const qkv__vector *vector;
    if (qkv__value_as_vector(&inner, &vector))
        zero = qkv__value_vector(qkv__vector_zero(&task->model->space));
    else
        zero = qkv__value_scalar(&task->model->space, qkv__ratio_whole(&task->model->algebra, 0));
    return add_difference(task, demand, &inner, &zero, like);
}

static bool read_comparison(qkv__design_task *task, const qkv__node *node,
                            qkv__design_demand *demand)
{
    assert(node->kind == QKV__NODE_COMPARE);
    qkv__value x, y;
    qkv__failure failure = {0};
    const qkv__node *culprit, *left = node->child[0], *right = node->child[1];
    qkv__comparison comparison = node->comparison;
    bool less = comparison == QKV__LESS || comparison == QKV__LESS_OR_EQUAL;
    bool more = comparison == QKV__GREATER || comparison == QKV__GREATER_OR_EQUAL;
    if (less && left->kind == QKV__NODE_SIZE) return read_size(task, left, right, demand);
    if (more && right->kind == QKV__NODE_SIZE) return read_size(task, right, left, demand);
    if (comparison == QKV__NOT_EQUAL || comparison > QKV__NEAR) return false;
    if (!qkv__model_evaluate(task->model, left, NULL, &x, &failure, &culprit) ||
        !qkv__model_evaluate(task->model, right, NULL, &y, &failure, &culprit))
        return false;
    const qkv__vector *vector;
    if (qkv__value_as_vector(&x, &vector)) as_coordinates(task, &y);
    as_zero_vector(task, &x, &y);
    as_zero_vector(task, &y, &x);
    qkv__design_relation like = {.comparison = comparison};
    if (comparison == QKV__EQUAL && (task->has_limit || task->has_tolerance))
        like.comparison = QKV__NEAR;
    if (like.comparison == QKV__NEAR && task->has_tolerance) like.tolerance = task->tolerance;
    if ((less || more) && task->has_limit) return false;
    return add_difference(task, demand, &x, &y, like);
}

/* x in l .. u is l <= x <= u. */
static bool read_interval(qkv__design_task *task, const qkv__node *node, qkv__design_demand *demand)
{
    assert(node->kind == QKV__NODE_COMPARE);
    for (size_t i = 0; i < 2; i++) {
        qkv__node *part = qkv__node_pair(&task->model->algebra.arena, node, QKV__NODE_COMPARE,
                                         node->child[0], node->child[1]->child[i]);
        if (part == NULL) return false;
        part->comparison = i == 0 ? QKV__GREATER_OR_EQUAL : QKV__LESS_OR_EQUAL;
        if (!read_comparison(task, part, demand)) return false;
    }
    return true;
}

static bool read_proposition(qkv__design_task *task, const qkv__node *node,
                             qkv__design_demand *demand)
{
    if (node->kind == QKV__NODE_AND)
        return read_proposition(task, node->child[0], demand) &&
               read_proposition(task, node->child[1], demand);
    if (node->kind != QKV__NODE_COMPARE) return false;
    if (node->comparison == QKV__IN && node->child[1]->kind == QKV__NODE_RANGE)
        return read_interval(task, node, demand);
    return read_comparison(task, node, demand);
}

bool qkv__design_demand_read(qkv__design_task *task, qkv__design_demand *demand)
{
    *demand = (qkv__design_demand){.heads = 0};
    demand->relation = qkv__arena_array(&task->model->algebra.arena, QKV__DESIGN_RELATIONS,
                                        sizeof *demand->relation);
    replacement r = {task, demand};
    const qkv__node *replaced = replace(task->proposition, &r);
    if (demand->relation == NULL || replaced == NULL || demand->heads == 0 ||
        qkv__design_mentions(task, replaced))
        return false;
    const qkv__binding *kept = task->model->bindings;
    bool good = add_weights(task, &demand->head) && bind_stand_in(task, &demand->head) &&
                read_proposition(task, replaced, demand);
    task->model->bindings = kept;
    return good && demand->count > 0;
}

/* ---- Scores --------------------------------------------------------------------------------- */

/* A query as a combination, with a parameter for each symbol of the families that are named. */
static const qkv__vector *open_query(qkv__design_task *task, qkv__design_demand *demand,
                                     const qkv__vector **symbol)
{
    qkv__space *space = &task->model->space;
    qkv__design_head *head = &demand->head;
    const qkv__vector *query = qkv__vector_zero(space);
    for (size_t f = 0; f < space->family_count; f++) {
        const qkv__family *family = &space->family[f];
        if (family->set == NULL || !qkv__node_names(task->proposition, family->name) ||
            !at_right_angles(task, family))
            continue;
        bool rest = !qkv__ratio_is_zero(
            qkv__design_fixed(task->model, qkv__rest_size(space->algebra, family->set)));
        for (size_t i = 0; i < family->set->mark_count + rest; i++) {
            if (head->count == QKV__DESIGN_KEYS) return NULL;
            symbol[head->count] =
                qkv__vector_symbol(space, family, i < family->set->mark_count ? (int)i : QKV__REST);
            head->size[head->count++] = qkv__ratio_whole(space->algebra, 1);
        }
    }
    if (head->count == 0 || !add_weights(task, head)) return NULL;
    for (size_t i = 0; i < head->count; i++) {
        qkv__parameter *known = &space->algebra->parameter[head->parameter[i]];
        known->lower.known = known->upper.known = false;
        query = qkv__vector_add(
            space, query,
            qkv__vector_scale(
                space, symbol[i],
                qkv__ratio_of_form(space->algebra,
                                   qkv__form_parameter(space->algebra, head->parameter[i]))));
    }
    return query;
}

bool qkv__design_scores_read(qkv__design_task *task, qkv__design_demand *demand,
                             const qkv__vector **symbol)
{
    *demand = (qkv__design_demand){.heads = 0};
    demand->relation = qkv__arena_array(&task->model->algebra.arena, QKV__DESIGN_RELATIONS,
                                        sizeof *demand->relation);
    if (demand->relation == NULL || task->count != 1) return false;
    const qkv__vector *query = open_query(task, demand, symbol);
    const qkv__binding *kept = task->model->bindings;
    bool good = query != NULL &&
                qkv__model_bind(task->model, (qkv__binding){.name = task->name[0],
                                                            .value = qkv__value_vector(query)}) &&
                read_proposition(task, task->proposition, demand);
    task->model->bindings = kept;
    return good && demand->count > 0;
}

qkv__ratio qkv__design_relation_at(qkv__design_task *task, const qkv__design_demand *demand,
                                   const qkv__design_relation *relation,
                                   const qkv__design_weights *weights)
{
    qkv__algebra *algebra = &task->model->algebra;
    qkv__ratio sum = relation->constant;
    for (size_t i = 0; i < demand->head.count; i++)
        sum = qkv__ratio_add(
            algebra, sum,
            qkv__ratio_multiply(algebra, relation->coefficient[i], weights->weight[i]));
    return sum;
}

void qkv__design_key_write(const qkv__design_task *task, const qkv__design_head *head, size_t key,
                           qkv__text *text)
{
    const qkv__node *keys = head->call->child[1];
    if (key == head->keys->set->mark_count)
        qkv__text_format(text, "each other key");
    else if (keys->kind == QKV__NODE_NAME)
        qkv__text_format(text, "%s[%s]", keys->text, head->keys->set->mark[key]);
    else
        qkv__vector_write(&task->model->space, head->keys->mark[key], text);
}

void qkv__design_vector_write(const qkv__design_task *task, const qkv__vector *vector,
                              qkv__text *text)
{
    const qkv__space *space = &task->model->space;
    int width = (int)qkv__model_list_width(task->model, false);
    bool axes = vector != NULL && vector->count > 0;
    for (size_t i = 0; axes && i < vector->count; i++) {
        qkv__symbol symbol = vector->component[i].symbol;
        axes = strcmp(symbol.family->name, "axis") == 0 && symbol.member >= 0;
        if (symbol.member >= width) width = symbol.member + 1;
    }
    if (!axes) {
        qkv__vector_write(space, vector, text);
        return;
    }
    size_t next = 0;
    for (int i = 0; i < width; i++) {
        qkv__text_format(text, i == 0 ? "[" : ", ");
        if (next < vector->count && vector->component[next].symbol.member == i)
            qkv__ratio_write(space->algebra, vector->component[next++].factor, text);
        else
            qkv__text_format(text, "0");
    }
    qkv__text_format(text, "]");
}

void qkv__design_rational_write(qkv__rational value, qkv__text *text)
{
    qkv__text_format(text, "%lld", (long long)value.numerator);
    if (value.denominator != 1) qkv__text_format(text, "/%lld", (long long)value.denominator);
}

/* ---- What is known of vectors ------------------------------------------------------------- */

bool qkv__design_has_property(const qkv__model *model, const qkv__family *family,
                              const char *property)
{
    for (const qkv__statement *s = model->statements; s != NULL; s = qkv__statement_after(s)) {
        if (s->kind != QKV__STATEMENT_FAMILY || s->node[0]->kind != QKV__NODE_INDEX ||
            strcmp(s->node[0]->child[0]->text, family->name) != 0)
            continue;
        for (size_t i = 1; i < s->count; i++)
            if (property == NULL || strcmp(s->node[i]->text, property) == 0) return true;
    }
    return false;
}

bool qkv__design_is_independent(qkv__design_task *task, const qkv__family *family)
{
    for (const qkv__given_product *g = task->model->space.given; g != NULL; g = g->next)
        if (g->x.family == family || g->y.family == family) return false;
    /* A family with a dimension may have no independent members. */
    if (qkv__design_has_property(task->model, family, "dimension")) return false;
    if (family->gram == QKV__GRAM_UNKNOWN) return true;
    if (family->gram == QKV__GRAM_LENGTHS)
        return qkv__design_sign(task, family->same) == QKV__SIGN_POSITIVE;
    return qkv__ratio_is_zero(family->different) &&
           qkv__design_sign(task, family->same) == QKV__SIGN_POSITIVE;
}

bool qkv__design_is_uniform(const qkv__design_demand *demand)
{
    for (size_t i = 0; i < demand->count; i++)
        if (!demand->relation[i].alone &&
            demand->relation[i].symbol.family->gram != QKV__GRAM_UNIFORM)
            return false;
    return true;
}
