/* Families that are made of others: member by member, by operations on all members at once, and the
 * outputs of self-attention. Knows values and index sets; nothing of verdicts. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "claim/model/binding.h"
#include "claim/model/evaluate.h"
#include "claim/model/index_set.h"
#include "claim/model/listed.h"
#include "language/family_index.h"

/* ---- Members ------------------------------------------------------------------------------- */

/* A family under way: vectors or numbers, as its first member is. */
typedef struct making {
    qkv__evaluation *e;
    const qkv__node *node; /* where it is made */
    qkv__index_set *set;
    qkv__vectors *vectors; /* NULL: none yet, or numbers */
    qkv__numbers *numbers;
} making;

static bool begin(making *m, const qkv__value *first)
{
    qkv__arena *arena = &m->e->model->algebra.arena;
    const size_t marks = m->set->mark_count;
    const qkv__vector *vector;
    qkv__ratio number;
    if (qkv__value_as_vector(first, &vector)) {
        m->vectors = qkv__arena_take(arena, sizeof *m->vectors);
        if (m->vectors == NULL) return false;
        *m->vectors = (qkv__vectors){.set = m->set};
        m->vectors->mark = qkv__arena_array(arena, marks, sizeof *m->vectors->mark);
        return m->vectors->mark != NULL;
    }
    if (!qkv__value_as_ratio(first, &number)) {
        if (first->kind == QKV__VALUE_SCALAR)
            return qkv__evaluation_unable(m->e, m->node,
                                          "a family of norms is beyond the exact engine");
        return qkv__evaluation_misread(m->e, m->node,
                                       "expected a vector or a number for each index, found %s",
                                       qkv__value_kind_name(first->kind));
    }
    m->numbers = qkv__arena_take(arena, sizeof *m->numbers);
    if (m->numbers == NULL) return false;
    *m->numbers = (qkv__numbers){.set = m->set};
    m->numbers->mark = qkv__arena_array(arena, marks, sizeof *m->numbers->mark);
    return m->numbers->mark != NULL;
}

/* Member `at` of the set, QKV__GENERIC for the rest. */
static bool put(making *m, int at, const qkv__value *member)
{
    const qkv__vector *vector;
    qkv__ratio number;
    if (m->vectors == NULL && m->numbers == NULL && !begin(m, member))
        return m->e->failure->trouble != QKV__TROUBLE_NONE || m->e->model->algebra.arena.failed
                   ? false
                   : qkv__evaluation_unable(m->e, m->node, "out of memory");
    if (m->vectors != NULL && qkv__value_as_vector(member, &vector)) {
        *(at == QKV__GENERIC ? &m->vectors->generic : &m->vectors->mark[at]) = vector;
        return true;
    }
    if (m->numbers != NULL && qkv__value_as_ratio(member, &number)) {
        *(at == QKV__GENERIC ? &m->numbers->generic : &m->numbers->mark[at]) = number;
        return true;
    }
    return qkv__evaluation_unable(m->e, m->node, "members that are not all of one kind");
}

static bool finish(making *m, qkv__value *value)
{
    if (m->vectors == NULL && m->numbers == NULL)
        return qkv__evaluation_unable(m->e, m->node, "a family without members");
    *value = m->vectors != NULL ? (qkv__value){.kind = QKV__VALUE_VECTORS, .vectors = m->vectors}
                                : (qkv__value){.kind = QKV__VALUE_NUMBERS, .numbers = m->numbers};
    return true;
}

/* ---- [x for i in 1..n] --------------------------------------------------------------------- */

static bool all_are_in(const qkv__index_set *set, bool some_rest, const bool *left_out)
{
    for (size_t i = 0; i < set->mark_count; i++)
        if (left_out[i]) return false;
    return !some_rest || !left_out[QKV__MARKS];
}

bool qkv__evaluate_number(qkv__evaluation *e, const qkv__node *node, qkv__value *value)
{
    int64_t number;
    if (value->kind != QKV__VALUE_INDEX || node->kind != QKV__NODE_NAME) return true;
    const qkv__binding *local = qkv__model_find(e->model, e->locals, node->text);
    if (local == NULL || !local->number) return true;
    if (!qkv__mark_number(value->set, value->member, &number))
        return qkv__evaluation_unable_to(
            e, node,
            "%s stands for its number, which the exact engine takes only "
            "where it runs between plain numbers",
            node->text);
    *value = qkv__value_scalar(&e->model->space, qkv__ratio_whole(&e->model->algebra, number));
    return true;
}

bool qkv__evaluate_family(qkv__evaluation *e, const qkv__node *node, qkv__value *value)
{
    assert(qkv__list_is_family(node));
    const qkv__node *sum = node->child[0];
    making m = {.e = e, .node = sum->child[0]};
    bool left_out[QKV__MARKS + 1];
    if (!qkv__evaluate_domain(e, sum->child[1], &m.set, left_out)) return false;
    const bool some_rest = qkv__set_may_have_rest(e->model, m.set);
    if (!all_are_in(m.set, some_rest, left_out))
        return qkv__evaluation_unable(e, sum->child[1], "a family over a part of the indexes");
    if (some_rest && qkv__evaluation_is_entangled(e, sum->child[0], sum->text))
        return qkv__evaluation_unable(
            e, node, "a family beside an unnamed index of the same set: pick the index");
    for (size_t i = 0; i < m.set->mark_count + (some_rest ? 1 : 0); i++) {
        const int at = i == m.set->mark_count ? QKV__GENERIC : (int)i;
        qkv__binding local = qkv__index_binding(sum->text, m.set, at, e->locals);
        qkv__summation summation = {0};
        qkv__evaluation inner = *e;
        qkv__value member;
        inner.locals = &local;
        local.number = sum->child[1]->child[1]->kind == QKV__NODE_RANGE;
        if (at == QKV__GENERIC) inner.summation = &summation;
        if (!qkv__evaluate_in(&inner, sum->child[0], &member) ||
            !qkv__evaluate_number(&inner, sum->child[0], &member))
            return false;
        if (summation.spread != NULL)
            return qkv__evaluation_unable(
                e, node, "a family of weights that differ from key to key: write its members out");
        if (!put(&m, at, &member)) return false;
    }
    return finish(&m, value);
}

/* ---- Operations on all members ------------------------------------------------------------- */

bool qkv__value_is_family(const qkv__value *value)
{
    return value->kind == QKV__VALUE_VECTORS || value->kind == QKV__VALUE_NUMBERS ||
           value->kind == QKV__VALUE_TOKENS ||
           (value->kind == QKV__VALUE_RESULT && value->result->queries != NULL);
}

static qkv__index_set *set_of(const qkv__value *value)
{
    if (value->kind == QKV__VALUE_VECTORS) return value->vectors->set;
    if (value->kind == QKV__VALUE_NUMBERS) return value->numbers->set;
    if (value->kind == QKV__VALUE_TOKENS) return value->tokens->keys->set;
    return value->result->queries;
}

/* A member of a family; of anything else, the thing itself. */
static bool member_of(qkv__evaluation *e, const qkv__node *node, const qkv__value *value, int at,
                      qkv__value *member)
{
    *member = *value;
    if (!qkv__value_is_family(value)) return true;
    if (value->kind == QKV__VALUE_VECTORS) {
        const qkv__vector *vector;
        if (!qkv__member(value->vectors, at, &vector)) return false;
        *member = qkv__value_vector(vector);
        return true;
    }
    if (value->kind == QKV__VALUE_NUMBERS) {
        const qkv__numbers *numbers = value->numbers;
        qkv__ratio number = at == QKV__GENERIC ? numbers->generic : numbers->mark[at];
        if (qkv__ratio_is_lost(number) || numbers->spread != NULL) return false;
        *member = qkv__value_scalar(&e->model->space, number);
        return true;
    }
    if (value->kind == QKV__VALUE_TOKENS && at == QKV__GENERIC) {
        const qkv__vector *vector = qkv__evaluate_unnamed_token(e, value->tokens);
        if (vector == NULL) return false;
        *member = qkv__value_vector(vector);
        return true;
    }
    if (value->kind == QKV__VALUE_TOKENS)
        return qkv__evaluate_token(e, node, value->tokens, at, member);
    if (at == QKV__GENERIC) return false;
    *member = qkv__value_vector(value->result->row[at]->output);
    return true;
}

static bool combine(qkv__space *space, qkv__node_kind kind, const qkv__value *x,
                    const qkv__value *y, qkv__value *value, qkv__failure *failure)
{
    switch (kind) {
    case QKV__NODE_ADD: return qkv__value_add(space, x, y, false, value, failure);
    case QKV__NODE_SUBTRACT: return qkv__value_add(space, x, y, true, value, failure);
    case QKV__NODE_MULTIPLY: return qkv__value_multiply(space, x, y, value, failure);
    default: return qkv__value_divide(space, x, y, value, failure);
    }
}

static bool misplaced(qkv__evaluation *e, const qkv__node *node)
{
    return qkv__evaluation_misread(
        e, node, "%s of two families: write it member by member, as in m[i] = ...",
        node->kind == QKV__NODE_MULTIPLY ? "a product" : "a quotient");
}

bool qkv__evaluate_members(qkv__evaluation *e, const qkv__node *node, const qkv__value *x,
                           const qkv__value *y, qkv__value *value)
{
    const bool both = qkv__value_is_family(x) && qkv__value_is_family(y);
    if (qkv__value_is_joined(x) || qkv__value_is_joined(y))
        return qkv__evaluation_unable(e, node, "joined families are keys and values of attend");
    making m = {.e = e, .node = node, .set = set_of(qkv__value_is_family(x) ? x : y)};
    if (both && node->kind != QKV__NODE_ADD && node->kind != QKV__NODE_SUBTRACT)
        return misplaced(e, node);
    if (both && set_of(x) != set_of(y))
        return qkv__evaluation_misread(e, node, "families with different indexes: %s",
                                       set_of(y)->name);
    const bool some_rest = qkv__set_may_have_rest(e->model, m.set);
    if (some_rest && qkv__evaluation_is_entangled(e, node, ""))
        return qkv__evaluation_unable(
            e, node, "a family beside an unnamed index of the same set: pick the index");
    for (size_t i = 0; i < m.set->mark_count + (some_rest ? 1 : 0); i++) {
        const int at = i == m.set->mark_count ? QKV__GENERIC : (int)i;
        qkv__value left, right, member;
        if (!member_of(e, node, x, at, &left) || !member_of(e, node, y, at, &right))
            return e->failure->trouble != QKV__TROUBLE_NONE
                       ? false
                       : qkv__evaluation_unable(e, node, "a family that differs from key to key");
        *e->culprit = node;
        if (!combine(&e->model->space, node->kind, &left, &right, &member, e->failure) ||
            !put(&m, at, &member))
            return false;
    }
    return finish(&m, value);
}

/* ---- [k, m, u] ----------------------------------------------------------------------------- */

bool qkv__value_is_joined(const qkv__value *value)
{
    for (size_t i = 0; value->kind == QKV__VALUE_LIST && i < value->count; i++)
        if (qkv__value_is_family(&value->element[i]) &&
            value->element[i].kind != QKV__VALUE_NUMBERS)
            return true;
    return false;
}

/* The set 1..count, all of whose members have their numbers for marks. */
static qkv__index_set *set_of_numbers(qkv__model *model, size_t count)
{
    char name[32];
    if (count > QKV__MARKS) return NULL;
    snprintf(name, sizeof name, "1..%zu", count);
    qkv__index_set *set = qkv__set_find(model, name);
    if (set == NULL)
        set = qkv__set_new(model, qkv__arena_text(&model->algebra.arena, name, strlen(name)));
    if (set == NULL) return NULL;
    set->size = qkv__ratio_whole(&model->algebra, (int64_t)count);
    for (size_t i = 1; i <= count; i++) {
        snprintf(name, sizeof name, "%zu", i);
        if (!qkv__set_add_mark(model, set, name) || qkv__mark_find(set, name) != (int)i - 1)
            return NULL;
    }
    return set;
}

/* How many members the parts of a list have, if that is a number. */
static bool count_members(const qkv__evaluation *e, const qkv__value *list, size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < list->count; i++) {
        const bool family = qkv__value_is_family(&list->element[i]);
        if (family && qkv__set_may_have_rest(e->model, set_of(&list->element[i]))) return false;
        *count += family ? set_of(&list->element[i])->mark_count : 1;
    }
    return true;
}

bool qkv__evaluate_join(qkv__evaluation *e, const qkv__node *node, qkv__value *list)
{
    size_t count, at = 0;
    making m = {.e = e, .node = node};
    if (!qkv__value_is_joined(list) || !count_members(e, list, &count)) return true;
    m.set = set_of_numbers(e->model, count);
    if (m.set == NULL)
        return qkv__evaluation_unable(e, node,
                                      "families that are joined have too many members, "
                                      "or their indexes are picked");
    for (size_t i = 0; i < list->count; i++) {
        const qkv__value *part = &list->element[i];
        const size_t members = qkv__value_is_family(part) ? set_of(part)->mark_count : 1;
        for (size_t j = 0; j < members; j++) {
            qkv__value member;
            if (!member_of(e, node, part, (int)j, &member) || !put(&m, (int)at++, &member))
                return false;
        }
    }
    return finish(&m, list);
}

/* ---- What a call is given ------------------------------------------------------------------ */

/* The outputs of self-attention, one a token. */
static bool outputs_of(qkv__evaluation *e, const qkv__node *node, const qkv__value *value,
                       const qkv__vectors **vectors)
{
    making m = {.e = e, .node = node, .set = set_of(value)};
    const bool some_rest = qkv__set_may_have_rest(e->model, m.set);
    for (size_t i = 0; i < m.set->mark_count + (some_rest ? 1 : 0); i++) {
        const int at = i == m.set->mark_count ? QKV__GENERIC : (int)i;
        qkv__value member;
        if (!member_of(e, node, value, at, &member)) {
            if (e->failure->trouble != QKV__TROUBLE_NONE) return false;
            return qkv__evaluation_unable(e, node, "too many families of vectors");
        }
        if (!put(&m, at, &member)) return false;
    }
    if (m.vectors == NULL) return qkv__evaluation_unable(e, node, "a family without members");
    m.vectors->within = value->kind == QKV__VALUE_RESULT          ? value->result->values
                        : qkv__ratio_is_lost(value->tokens->sink) ? value->tokens->values
                                                                  : NULL;
    *vectors = m.vectors;
    return true;
}

bool qkv__evaluate_as_vectors(qkv__evaluation *e, const qkv__node *node, const qkv__value *value,
                              const qkv__vectors **vectors)
{
    if (value->kind == QKV__VALUE_TOKENS ||
        (value->kind == QKV__VALUE_RESULT && value->result->queries != NULL))
        return outputs_of(e, node, value, vectors);
    if (qkv__value_is_joined(value))
        return qkv__evaluation_unable(e, node, "joined families are keys and values of attend");
    qkv__value family = *value;
    *e->culprit = node;
    if (value->kind == QKV__VALUE_LIST && !qkv__model_as_family(e->model, &family, e->failure))
        return false;
    if (family.kind != QKV__VALUE_VECTORS)
        return qkv__evaluation_misread(e, node, "expected a family of vectors, found %s",
                                       qkv__value_kind_name(value->kind));
    *vectors = family.vectors;
    return true;
}
