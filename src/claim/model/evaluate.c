/* Expressions to exact values. Knows syntax and values; nothing of verdicts. Calls are in
 * evaluate_call.c. */
#include "claim/model/evaluate.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "claim/model/binding.h"
#include "claim/model/index_set.h"
#include "claim/model/listed.h"
#include "claim/model/suggest.h"
#include "language/family_index.h"
#include "language/names.h"
#include "language/tree.h"

/* ---- Failing -------------------------------------------------------------------------------- */

bool qkv__evaluation_unable_to(qkv__evaluation *e, const qkv__node *node, const char *message,
                               const char *detail)
{
    *e->culprit = node;
    return qkv__fail_value(e->failure, QKV__TROUBLE_UNABLE, message, detail);
}

bool qkv__evaluation_misread(qkv__evaluation *e, const qkv__node *node, const char *message,
                             const char *detail)
{
    *e->culprit = node;
    return qkv__fail_value(e->failure, QKV__TROUBLE_TEXT, message, detail);
}

bool qkv__evaluation_unable(qkv__evaluation *e, const qkv__node *node, const char *message)
{
    return qkv__evaluation_unable_to(e, node, "%s", message);
}

/* Remembers where an operation failed, if it did. */
static bool blame(qkv__evaluation *e, const qkv__node *node, bool succeeded)
{
    if (!succeeded) *e->culprit = node;
    return succeeded;
}

bool qkv__vector_is_generic(const qkv__space *space, const qkv__vector *vector)
{
    for (size_t i = 0; i < vector->count; i++)
        if (vector->component[i].symbol.member == QKV__GENERIC ||
            qkv__ratio_is_generic(space->algebra, vector->component[i].factor))
            return true;
    return false;
}

/* ---- Names ----------------------------------------------------------------------------------- */

bool qkv__may_be_parameter(const char *name)
{
    return qkv__is_letter_name(name, strlen(name));
}

bool qkv__member(const qkv__vectors *vectors, int member, const qkv__vector **vector)
{
    *vector = member == QKV__GENERIC ? vectors->generic : vectors->mark[member];
    return *vector != NULL;
}

/* v_a for v[a], where v is a family and a one of its marks. */
static bool evaluate_subscript(qkv__evaluation *e, const qkv__node *node, qkv__value *value)
{
    assert(node->kind == QKV__NODE_NAME);
    const char *line = strchr(node->text, '_');
    char family[64];
    if (line == NULL || (size_t)(line - node->text) >= sizeof family) return false;
    memcpy(family, node->text, (size_t)(line - node->text));
    family[line - node->text] = '\0';
    const qkv__binding *binding = qkv__model_find(e->model, e->locals, family);
    if (binding == NULL || binding->value.kind != QKV__VALUE_VECTORS) return false;
    const qkv__vectors *vectors = binding->value.vectors;
    for (const qkv__binding *l = e->locals; l != NULL; l = l->next) /* a bound index, or argument */
        if (strcmp(l->name, line + 1) == 0) {
            if (l->value.kind != QKV__VALUE_INDEX || l->value.set != vectors->set) return false;
            const qkv__vector *vector;
            if (!qkv__member(vectors, l->value.member, &vector)) return false;
            *value = qkv__value_vector(vector);
            return true;
        }
    int mark = qkv__mark_find(vectors->set, line + 1);
    if (mark < 0) return false;
    *value = qkv__value_vector(vectors->mark[mark]);
    return true;
}

static bool evaluate_builtin(qkv__evaluation *e, const qkv__node *node, qkv__value *value)
{
    assert(node->kind == QKV__NODE_NAME);
    qkv__algebra *algebra = &e->model->algebra;
    if (strcmp(node->text, "e") == 0) {
        *value = qkv__value_scalar(&e->model->space,
                                   qkv__ratio_exponential(algebra, qkv__ratio_whole(algebra, 1)));
        return true;
    }
    if (strcmp(node->text, "I") != 0) return false;
    qkv__matrix_sum *identity = qkv__arena_take(&algebra->arena, sizeof *identity);
    if (identity == NULL) return false;
    identity->identity = qkv__ratio_whole(algebra, 1);
    *value = (qkv__value){.kind = QKV__VALUE_MATRIX, .matrix = identity};
    return true;
}

/* A definition that could not be evaluated where it stands, with the names that it saw there. */
static bool evaluate_body(qkv__evaluation *e, const qkv__binding *binding, qkv__value *value)
{
    const qkv__binding *bindings = e->model->bindings, *locals = e->locals;
    e->model->bindings = binding->next;
    e->locals = NULL;
    bool good = qkv__evaluate_in(e, binding->body, value);
    e->model->bindings = bindings;
    e->locals = locals;
    return good;
}

static bool evaluate_name(qkv__evaluation *e, const qkv__node *node, qkv__value *value)
{
    assert(node->kind == QKV__NODE_NAME);
    const qkv__binding *binding = qkv__model_find(e->model, e->locals, node->text);
    if (binding != NULL && binding->value.kind != QKV__VALUE_NONE) {
        *value = binding->value;
        return true;
    }
    if (binding != NULL && binding->function != NULL)
        return qkv__evaluation_misread(e, node, "%s is a function; expected it with its arguments",
                                       node->text);
    if (binding != NULL && binding->body != NULL && e->model->noisy)
        return evaluate_body(e, binding, value);
    if (binding != NULL && binding->beyond != NULL)
        return qkv__evaluation_unable(e, node, binding->beyond);
    if (binding != NULL)
        return qkv__evaluation_unable_to(e, node, "%s is a matrix of symbolic size", node->text);
    if (evaluate_subscript(e, node, value) || evaluate_builtin(e, node, value)) return true;
    if (strcmp(node->text, "pi") == 0)
        return qkv__evaluation_unable_to(e, node, "%s is beyond the exact engine", node->text);
    for (size_t i = 0; i < e->model->set_count; i++)
        if (!e->model->sets[i]->axes && qkv__mark_find(e->model->sets[i], node->text) >= 0 &&
            qkv__parameter_find(&e->model->algebra, node->text) < 0)
            return qkv__evaluation_misread(e, node, "%s is an index, not a number", node->text);
    if (qkv__parameter_find(&e->model->algebra, node->text) < 0 &&
        !qkv__may_be_parameter(node->text)) {
        const char *near = qkv__suggest(e->model, node->text);
        *e->culprit = node;
        if (near != NULL)
            return qkv__fail_value(e->failure, QKV__TROUBLE_TEXT, "unknown name %s (perhaps %s)",
                                   node->text, near);
        return qkv__evaluation_misread(
            e, node, "unknown name %s: if it is a number, say so by 'scalar' or 'given'",
            node->text);
    }
    int parameter = qkv__model_parameter(e->model, node->text);
    if (parameter < 0)
        return qkv__evaluation_unable_to(e, node, "too many parameters at %s", node->text);
    *value = qkv__value_scalar(
        &e->model->space,
        qkv__ratio_of_form(&e->model->algebra, qkv__form_parameter(&e->model->algebra, parameter)));
    return true;
}

/* ---- Indices --------------------------------------------------------------------------------- */

/* The member of a set that an index expression names: a bound i, a mark a, a number 2. */
bool qkv__evaluate_index(qkv__evaluation *e, const qkv__node *node, const qkv__index_set *set,
                         int *member)
{
    char number[32];
    const char *name = node->text;
    *member = QKV__GENERIC;
    if (node->kind == QKV__NODE_NUMBER && qkv__rational_is_whole(node->value)) {
        snprintf(number, sizeof number, "%lld", (long long)node->value.numerator);
        name = number;
    } else if (node->kind != QKV__NODE_NAME) {
        return qkv__evaluation_misread(e, node, "expected an index: a name or a number%s", "");
    }
    for (const qkv__binding *b = e->locals; b != NULL; b = b->next)
        if (strcmp(b->name, name) == 0 && b->value.kind == QKV__VALUE_INDEX) {
            *member = b->value.member;
            if (b->value.set == set) return true;
            return qkv__evaluation_misread(e, node, "index %s runs over another set", name);
        }
    *member = qkv__mark_find(set, name);
    if (*member >= 0) return true;
    qkv__rational size;
    if (node->kind == QKV__NODE_NUMBER && node->value.numerator > 0 && set != NULL &&
        (!qkv__ratio_is_constant(set->size, &size) || /* beside indexes that are picked: */
         qkv__rational_compare(node->value, size) <= 0))
        return qkv__evaluation_unable_to(
            e, node, "the exact engine knows no member %s: pick an index", name);
    return qkv__evaluation_misread(e, node, "no index %s in this family", name);
}

/* The weights or scores of one query over the keys. */
static const qkv__numbers *numbers_of(qkv__model *model, const qkv__result *result, size_t row,
                                      bool scores)
{
    qkv__arena *arena = &model->algebra.arena;
    const qkv__attention *attention = result->row[row];
    const qkv__ratio *from = scores ? attention->score : attention->weight;
    qkv__numbers *numbers = qkv__arena_take(arena, sizeof *numbers);
    if (numbers == NULL || from == NULL) return NULL;
    *numbers = (qkv__numbers){.set = result->keys};
    numbers->mark = qkv__arena_array(arena, result->keys->mark_count, sizeof *numbers->mark);
    if (numbers->mark == NULL) return NULL;
    for (size_t i = 0; i < result->keys->mark_count; i++) numbers->mark[i] = from[i];
    if (attention->count > result->keys->mark_count)
        numbers->generic = from[result->keys->mark_count];
    if (attention->count > result->keys->mark_count + 1 && !scores) numbers->spread = attention;
    if (attention->whole && scores) {
        numbers->generic = attention->own;
    } else if (attention->whole) { /* no key stands for those without names */
        numbers->generic = (qkv__ratio){NULL, NULL};
        numbers->spread = attention;
    }
    return numbers;
}

/* Within a sum over the rest the weight of the i-th key is a letter. */
static qkv__ratio summand(qkv__evaluation *e, const qkv__numbers *numbers)
{
    qkv__algebra *algebra = &e->model->algebra;
    qkv__summation *summation = e->summation;
    if (summation->spread != NULL && summation->spread != numbers->spread) summation->mixed = true;
    if (summation->spread == NULL) {
        summation->spread = numbers->spread;
        summation->parameter = qkv__model_parameter(e->model, "weight[i]");
        if (summation->parameter >= 0) algebra->parameter[summation->parameter].generic = true;
    }
    return qkv__ratio_of_form(algebra, qkv__form_parameter(algebra, summation->parameter));
}

static bool index_numbers(qkv__evaluation *e, const qkv__node *index, const qkv__numbers *numbers,
                          qkv__value *value)
{
    assert(value->kind == QKV__VALUE_NUMBERS);
    int member;
    if (!qkv__evaluate_index(e, index, numbers->set, &member)) return false;
    qkv__ratio ratio = member != QKV__GENERIC                            ? numbers->mark[member]
                       : e->summation != NULL && numbers->spread != NULL ? summand(e, numbers)
                                                                         : numbers->generic;
    if (qkv__ratio_is_lost(ratio) && numbers->spread != NULL)
        return qkv__evaluation_unable(
            e, index, "there may be no key beside the picked ones: give a larger least n");
    if (qkv__ratio_is_lost(ratio))
        return qkv__evaluation_misread(e, index, "there is no such key%s", "");
    *value = qkv__value_scalar(&e->model->space, ratio);
    return true;
}

/* The attention of one token; of one that has no name the output stands for those of all. */
static bool index_tokens(qkv__evaluation *e, const qkv__node *index,
                         const qkv__attending *attending, qkv__value *value)
{
    int member;
    if (!qkv__evaluate_index(e, index, attending->keys->set, &member)) return false;
    if (member != QKV__GENERIC) return qkv__evaluate_token(e, index, attending, member, value);
    const qkv__vector *vector = qkv__evaluate_unnamed_token(e, attending);
    if (vector == NULL) return qkv__evaluation_unable(e, index, "too many families of vectors");
    *value = qkv__value_vector(vector);
    return true;
}

/* One index applied to a value. */
static bool apply_index(qkv__evaluation *e, const qkv__node *index, const qkv__value *base,
                        qkv__value *value)
{
    int member;
    if (qkv__value_is_joined(base))
        return qkv__evaluation_unable(e, index, "a member of joined families, by its number");
    if (base->kind == QKV__VALUE_VECTORS) {
        const qkv__vector *vector;
        if (!qkv__evaluate_index(e, index, base->vectors->set, &member)) return false;
        if (!qkv__member(base->vectors, member, &vector))
            return qkv__evaluation_misread(e, index, "there is no such vector%s", "");
        *value = qkv__value_vector(vector);
        return true;
    }
    if (base->kind == QKV__VALUE_NUMBERS) return index_numbers(e, index, base->numbers, value);
    if (base->kind == QKV__VALUE_TOKENS) return index_tokens(e, index, base->tokens, value);
    if (base->kind == QKV__VALUE_RESULT && base->result->queries != NULL) {
        if (!qkv__evaluate_index(e, index, base->result->queries, &member) || member < 0)
            return false;
        qkv__result *row = qkv__arena_take(&e->model->algebra.arena, sizeof *row);
        if (row == NULL) return false;
        *row = (qkv__result){.keys = base->result->keys,
                             .count = 1,
                             .row = &base->result->row[member],
                             .values = base->result->values,
                             .adjusted = base->result->adjusted};
        *value = (qkv__value){.kind = QKV__VALUE_RESULT, .result = row};
        return true;
    }
    if (base->kind == QKV__VALUE_LIST && index->kind == QKV__NODE_NUMBER &&
        index->value.numerator >= 1 && (size_t)index->value.numerator <= base->count) {
        *value = base->element[index->value.numerator - 1];
        return true;
    }
    qkv__ratio entry; /* p[1] where p = [x, y] */
    if (base->kind == QKV__VALUE_VECTOR && index->kind == QKV__NODE_NUMBER &&
        index->value.denominator == 1 && index->value.numerator >= 1 &&
        (size_t)index->value.numerator <= qkv__value_entry_count(base) &&
        qkv__value_entry(&e->model->algebra, base, (size_t)index->value.numerator - 1, &entry)) {
        *value = qkv__value_scalar(&e->model->space, entry);
        return true;
    }
    return qkv__evaluation_misread(e, index, "%s has no such index",
                                   qkv__value_kind_name(base->kind));
}

/* The weight of k[a] in an attention over [k, u], where `a` is a marked index of k. */
static bool joined_weight(qkv__evaluation *e, const qkv__value *base, const qkv__node *index,
                          qkv__value *value)
{
    if (base->first == NULL || index->kind != QKV__NODE_NAME) return false;
    for (const qkv__binding *b = e->locals; b != NULL; b = b->next)
        if (strcmp(b->name, index->text) == 0) return false;
    const int member = qkv__mark_find(base->first, index->text);
    if (member < 0) return false;
    *value = qkv__value_scalar(&e->model->space, base->joined->weight[member]);
    return true;
}

/* c.weight[a], z.weight[2], z.weight[2][1], z.weight[2, 1], c.score[a], c.head[1]: the node is the
 * MEMBER, the indices follow. Returns how many of them were used up. */
static bool evaluate_member(qkv__evaluation *e, const qkv__node *node,
                            const qkv__node *const *indices, size_t count, size_t *used,
                            qkv__value *value)
{
    assert(node->kind == QKV__NODE_MEMBER);
    qkv__value base = {0};
    *used = 0;
    if (!qkv__evaluate_in(e, node->child[0], &base)) return false;
    if (base.kind == QKV__VALUE_VECTOR && base.joined != NULL) {
        if (strcmp(node->text, "output") == 0) return *value = base, true;
        if (count == 1 && strcmp(node->text, "weight") == 0 &&
            joined_weight(e, &base, indices[0], value)) {
            *used = 1;
            return true;
        }
        return qkv__evaluation_unable(e, node, "weights over joined families, by their numbers");
    }
    if (base.kind == QKV__VALUE_TOKENS && strcmp(node->text, "output") == 0)
        return *value = base, true;
    if (base.kind == QKV__VALUE_TOKENS && count > 0) {
        const qkv__attending *attending = base.tokens;
        int query;
        if (!qkv__evaluate_index(e, indices[0], attending->keys->set, &query) ||
            !qkv__evaluate_token(e, indices[0], attending, query, &base))
            return false;
        *used = 1;
    }
    if (base.kind == QKV__VALUE_TOKENS)
        return qkv__evaluation_misread(e, node, ".%s of self-attention needs the query's index",
                                       node->text);
    if (base.kind != QKV__VALUE_RESULT)
        return qkv__evaluation_misread(e, node, "only a result of attention has .%s", node->text);
    const qkv__result *result = base.result;
    if (strcmp(node->text, "output") == 0) return *value = base, true;
    if (strcmp(node->text, "head") == 0) {
        bool fits = count > 0 && indices[0]->kind == QKV__NODE_NUMBER &&
                    indices[0]->value.numerator >= 1 &&
                    (size_t)indices[0]->value.numerator <= result->head_count;
        if (!fits)
            return qkv__evaluation_misread(e, node, "expected .head[1] up to the number of heads%s",
                                           "");
        *used = 1;
        *value = (qkv__value){.kind = QKV__VALUE_RESULT,
                              .result = result->head[indices[0]->value.numerator - 1]};
        return true;
    }
    int row = 0;
    if (result->queries != NULL) {
        if (count == 0)
            return qkv__evaluation_misread(e, node, ".%s of self-attention needs the query's index",
                                           node->text);
        if (!qkv__evaluate_index(e, indices[0], result->queries, &row) || row < 0) return false;
        *used = 1;
    }
    const qkv__numbers *numbers =
        numbers_of(e->model, result, (size_t)row, strcmp(node->text, "score") == 0);
    if (numbers == NULL && e->model->algebra.arena.failed)
        return qkv__evaluation_unable(e, node, "out of memory");
    if (numbers == NULL)
        return qkv__evaluation_misread(e, node, "a mean of heads has no .%s of its own",
                                       node->text);
    *value = (qkv__value){.kind = QKV__VALUE_NUMBERS, .numbers = numbers};
    return true;
}

/* Gathers the indices of nested INDEX nodes, x[1][2] and x[1, 2] alike; the base is returned. */
static const qkv__node *flatten(const qkv__node *node, const qkv__node **indices, size_t *count)
{
    const qkv__node *base = node;
    if (node->kind == QKV__NODE_INDEX) {
        base = flatten(node->child[0], indices, count);
        for (size_t i = 1; i < node->count && *count < QKV__INDICES; i++)
            indices[(*count)++] = node->child[i];
    }
    return base;
}

static bool evaluate_indexed(qkv__evaluation *e, const qkv__node *node, qkv__value *value)
{
    const qkv__node *indices[QKV__INDICES];
    size_t count = 0, used = 0;
    const qkv__node *base = flatten(node, indices, &count);
    bool good = base->kind == QKV__NODE_MEMBER
                    ? evaluate_member(e, base, indices, count, &used, value)
                    : qkv__evaluate_in(e, base, value);
    for (; good && used < count; used++) {
        qkv__value from = *value;
        good = apply_index(e, indices[used], &from, value);
    }
    return good;
}

/* ---- Operators ----------------------------------------------------------------------- */

/* e^x, whatever x; other bases only to small powers. */
static bool evaluate_power(qkv__evaluation *e, const qkv__node *node, qkv__value *value)
{
    assert(node->kind == QKV__NODE_POWER);
    qkv__value base, exponent;
    bool natural =
        qkv__node_is(node->child[0], "e") && qkv__model_find(e->model, e->locals, "e") == NULL;
    const qkv__node *raised = node->child[1];
    if (!natural && (!qkv__evaluate_in(e, node->child[0], &base) ||
                     !qkv__evaluate_number(e, node->child[0], &base)))
        return false;
    if (!natural && base.kind != QKV__VALUE_SCALAR && qkv__node_is(raised, "T") &&
        qkv__model_find(e->model, e->locals, "T") ==
            NULL) /* k^T, as on paper: of a number it is a power */
        return blame(e, node, qkv__value_transpose(&e->model->space, &base, value, e->failure));
    if (!qkv__evaluate_in(e, raised, &exponent) || !qkv__evaluate_number(e, raised, &exponent))
        return false;
    if (natural) return qkv__evaluate_exponential(e, node, &exponent, value);
    return blame(e, node, qkv__value_power(&e->model->space, &base, &exponent, value, e->failure));
}

/* What an operation works on: a list of numbers is a vector there. */
static bool evaluate_operand(qkv__evaluation *e, const qkv__node *node, qkv__value *value)
{
    return qkv__evaluate_in(e, node, value) &&
           blame(e, node, qkv__model_as_vector(e->model, value, e->failure));
}

/* Beside a number, a vector of one coordinate is one. */
static void match_number(qkv__space *space, const qkv__value *other, qkv__value *value)
{
    qkv__ratio number;
    if (other->kind == QKV__VALUE_SCALAR && qkv__value_as_number(value, &number))
        *value = qkv__value_scalar(space, number);
}

static bool are_vectors(const qkv__value *x, const qkv__value *y)
{
    const qkv__vector *vector;
    return qkv__value_as_vector(x, &vector) && qkv__value_as_vector(y, &vector);
}

static bool evaluate_binary(qkv__evaluation *e, const qkv__node *node, qkv__value *value)
{
    qkv__value x, y;
    qkv__space *space = &e->model->space;
    if (node->kind == QKV__NODE_MULTIPLY && qkv__evaluate_matrix_sum_times(e, node, value))
        return true;
    if (!evaluate_operand(e, node->child[0], &x) || !evaluate_operand(e, node->child[1], &y) ||
        !qkv__evaluate_number(e, node->child[0], &x) ||
        !qkv__evaluate_number(e, node->child[1], &y))
        return false;
    if (node->kind != QKV__NODE_DOT && (qkv__value_is_family(&x) || qkv__value_is_family(&y) ||
                                        qkv__value_is_joined(&x) || qkv__value_is_joined(&y)))
        return qkv__evaluate_members(e, node, &x, &y, value);
    bool good = false;
    if (node->kind == QKV__NODE_ADD || node->kind == QKV__NODE_SUBTRACT) {
        match_number(space, &x, &y);
        match_number(space, &y, &x);
    }
    switch (node->kind) {
    case QKV__NODE_ADD: good = qkv__value_add(space, &x, &y, false, value, e->failure); break;
    case QKV__NODE_SUBTRACT: good = qkv__value_add(space, &x, &y, true, value, e->failure); break;
    case QKV__NODE_MULTIPLY:
        good = (node->text[0] == '.' && are_vectors(&x, &y) ? qkv__value_dot : qkv__value_multiply)(
            space, &x, &y, value, e->failure);
        break;
    case QKV__NODE_DIVIDE: good = qkv__value_divide(space, &x, &y, value, e->failure); break;
    default: good = qkv__value_dot(space, &x, &y, value, e->failure); break;
    }
    return blame(e, node, good);
}

static bool evaluate_unary(qkv__evaluation *e, const qkv__node *node, qkv__value *value)
{
    qkv__value x,
        minus = qkv__value_scalar(&e->model->space, qkv__ratio_whole(&e->model->algebra, -1));
    if (!evaluate_operand(e, node->child[0], &x) || !qkv__evaluate_number(e, node->child[0], &x))
        return false;
    if (node->kind == QKV__NODE_NEGATE && (qkv__value_is_family(&x) || qkv__value_is_joined(&x))) {
        qkv__node product = *node;
        product.kind = QKV__NODE_MULTIPLY;
        return qkv__evaluate_members(e, &product, &minus, &x, value);
    }
    if (node->kind == QKV__NODE_NEGATE)
        return blame(e, node, qkv__value_multiply(&e->model->space, &minus, &x, value, e->failure));
    if (node->kind == QKV__NODE_TRANSPOSE)
        return blame(e, node, qkv__value_transpose(&e->model->space, &x, value, e->failure));
    return blame(e, node, qkv__value_size(&e->model->space, &x, value, e->failure));
}

static bool evaluate_list(qkv__evaluation *e, const qkv__node *node, qkv__value *value)
{
    assert(node->kind == QKV__NODE_LIST);
    if (node->table != NULL)
        return qkv__evaluation_unable(e, node, "a list this long is not allowed here");
    if (qkv__list_is_family(node)) return qkv__evaluate_family(e, node, value);
    qkv__value *elements =
        qkv__arena_array(&e->model->algebra.arena, node->count, sizeof *elements);
    if (elements == NULL && node->count > 0)
        return qkv__evaluation_unable(e, node, "out of memory");
    for (size_t i = 0; i < node->count; i++)
        if (!qkv__evaluate_in(e, node->child[i], &elements[i])) return false;
    *value = (qkv__value){.kind = QKV__VALUE_LIST, .count = node->count, .element = elements};
    return qkv__evaluate_join(e, node, value);
}

/* ---- The switch ---------------------------------------------------------------------- */

bool qkv__evaluate_in(qkv__evaluation *e, const qkv__node *node, qkv__value *value)
{
    enum { STEPS = 1000000 }; /* functions of functions of functions */
    if (++e->model->steps > STEPS) return qkv__evaluation_unable(e, node, "too much to evaluate");
    switch (node->kind) {
    case QKV__NODE_NUMBER:
        *value = qkv__value_scalar(&e->model->space,
                                   qkv__ratio_constant(&e->model->algebra, node->value));
        return true;
    case QKV__NODE_NAME: return evaluate_name(e, node, value);
    case QKV__NODE_INDEX:
    case QKV__NODE_MEMBER: return evaluate_indexed(e, node, value);
    case QKV__NODE_CALL: return qkv__evaluate_call(e, node, value);
    case QKV__NODE_NEGATE:
    case QKV__NODE_TRANSPOSE:
    case QKV__NODE_SIZE: return evaluate_unary(e, node, value);
    case QKV__NODE_ADD:
    case QKV__NODE_SUBTRACT:
    case QKV__NODE_MULTIPLY:
    case QKV__NODE_DIVIDE:
    case QKV__NODE_DOT: return evaluate_binary(e, node, value);
    case QKV__NODE_POWER: return evaluate_power(e, node, value);
    case QKV__NODE_LIST: return evaluate_list(e, node, value);
    case QKV__NODE_WITH: return qkv__evaluate_with(e, node, value);
    default:
        return qkv__evaluation_misread(e, node, "expected a value here, not %s",
                                       node->kind == QKV__NODE_SET ? "a set"
                                       : node->kind == QKV__NODE_INFINITY
                                           ? "inf, which belongs to claims in a limit: x ~ inf"
                                           : "a proposition");
    }
}

bool qkv__model_evaluate(qkv__model *model, const qkv__node *node, const qkv__binding *locals,
                         qkv__value *value, qkv__failure *failure, const qkv__node **culprit)
{
    qkv__evaluation e = {.model = model, .locals = locals, .failure = failure, .culprit = culprit};
    *culprit = node;
    return qkv__evaluate_in(&e, node, value);
}

bool qkv__model_value(qkv__model *model, const qkv__node *node, const qkv__binding *locals,
                      qkv__value *value)
{
    qkv__failure failure = {0};
    const qkv__node *culprit;
    return qkv__model_evaluate(model, node, locals, value, &failure, &culprit);
}
