/* Results of attention over noisy keys, which the exact engine cannot hold: definitions are
 * followed in the syntax down to the calls of attend. Knows the lab's heads; draws nothing. */
#include <assert.h>
#include <string.h>

#include "claim/model/evaluate.h"
#include "claim/sample/sample_part.h"
#include "language/builtin.h"
#include "language/tree.h"

enum { DEPTH = 32 };

/* ---- Definitions --------------------------------------------------------------------------- */

/* The name that a statement gives a meaning to; "" for none. */
static const char *target_of(const qkv__statement *statement)
{
    const qkv__node *node = statement->count == 0 ? NULL : statement->node[0];
    while (node != NULL && node->count > 0 &&
           (node->kind == QKV__NODE_INDEX || node->kind == QKV__NODE_COMPARE))
        node = node->child[0];
    bool gives = statement->kind == QKV__STATEMENT_DEFINE ||
                 statement->kind == QKV__STATEMENT_FAMILY ||
                 statement->kind == QKV__STATEMENT_OBJECT;
    return gives && node != NULL ? node->text : "";
}

static void scan(const qkv__statement *first, const char *name, int line, bool inside,
                 const qkv__statement **found, bool *changed)
{
    for (const qkv__statement *s = first; s != NULL && s->place.line <= line; s = s->next) {
        if (s->kind == QKV__STATEMENT_PROBLEM && s != first && !inside) break;
        if (s->kind == QKV__STATEMENT_BLOCK) scan(s->inside, name, line, true, found, changed);
        const char *target = target_of(s);
        if (target[0] == '\0') continue;
        if (s->kind == QKV__STATEMENT_DEFINE && s->node[0]->kind != QKV__NODE_INDEX &&
            strcmp(target, name) == 0) {
            *found = s;
            *changed = false;
        } else if (*found != NULL && qkv__node_mentions((*found)->node[1], target)) {
            *changed = true; /* what the definition speaks of was something else then */
        }
    }
}

/* The last definition of a name above the claim; NULL for none, or where it cannot be trusted. */
static const qkv__statement *definition(qkv__sample *sample, const char *name)
{
    const qkv__statement *found = NULL;
    bool changed = false;
    scan(sample->s->model->statements, name, sample->line, false, &found, &changed);
    if (changed)
        qkv__sample_fail(sample, "the definition of %s uses something that was changed after it",
                         name);
    return changed ? NULL : found;
}

/* ---- Which results ------------------------------------------------------------------------- */

static bool is_mean(const qkv__node *node)
{
    return qkv__builtin_of(node) == QKV__BUILTIN_MEAN && node->count > 0 &&
           node->child[0]->kind != QKV__NODE_SUM;
}

static bool is_attend(const qkv__node *node)
{
    return qkv__builtin_of(node) == QKV__BUILTIN_ATTEND;
}

static bool is_head(const qkv__node *node)
{
    return node->kind == QKV__NODE_INDEX && node->count == 2 &&
           node->child[0]->kind == QKV__NODE_MEMBER && strcmp(node->child[0]->text, "head") == 0 &&
           node->child[1]->kind == QKV__NODE_NUMBER;
}

static bool is_output(const qkv__node *node)
{
    return node->kind == QKV__NODE_MEMBER && strcmp(node->text, "output") == 0;
}

static bool is_local(const qkv__sample *sample, const char *name)
{
    for (const qkv__binding *b = sample->locals; b != NULL; b = b->next)
        if (strcmp(b->name, name) == 0) return true;
    return false;
}

/* The expression that a name stands for, through as many names as it takes. */
static const qkv__node *follow(qkv__sample *sample, const qkv__node *node)
{
    for (int depth = 0; depth < DEPTH && node->kind == QKV__NODE_NAME; depth++) {
        const qkv__statement *statement =
            is_local(sample, node->text) ? NULL : definition(sample, node->text);
        if (statement == NULL || statement->node[0]->kind != QKV__NODE_NAME) break;
        node = statement->node[1];
    }
    return node;
}

/* The function that a call names; NULL for none. */
static const qkv__statement *function_of(qkv__sample *sample, const qkv__node *node)
{
    if (node->kind != QKV__NODE_CALL || is_attend(node) || is_mean(node)) return NULL;
    const qkv__statement *statement = definition(sample, node->text);
    bool fits = statement != NULL && statement->node[0]->kind == QKV__NODE_CALL &&
                statement->node[0]->count == node->count;
    return fits ? statement : NULL;
}

static bool is_result(qkv__sample *sample, const qkv__node *node, int depth)
{
    node = follow(sample, node);
    if (depth == DEPTH) return false;
    if (is_attend(node)) return true;
    if (is_mean(node)) return is_result(sample, node->child[0], depth + 1);
    if (is_output(node)) return is_result(sample, node->child[0], depth + 1);
    if (is_head(node)) return is_result(sample, node->child[0]->child[0], depth + 1);
    const qkv__statement *function = function_of(sample, node);
    return function != NULL && is_result(sample, function->node[1], depth + 1);
}

bool qkv__sample_is_result(qkv__sample *sample, const qkv__node *node)
{
    return is_result(sample, node, 0);
}

/* ---- Heads --------------------------------------------------------------------------------- */

static bool evaluate(qkv__sample *sample, const qkv__node *node, qkv__value *value)
{
    qkv__failure failure = {0};
    const qkv__node *culprit;
    return qkv__model_evaluate(sample->s->model, node, sample->locals, value, &failure, &culprit) ||
           qkv__sample_fail(sample, "%s", failure.message);
}

static bool read_scale(qkv__sample *sample, const qkv__node *call, size_t *plain, double *scale)
{
    assert(call->kind == QKV__NODE_CALL);
    *plain = 0;
    *scale = 1.0;
    for (size_t i = 0; i < call->count; i++) {
        const qkv__node *argument = call->child[i];
        qkv__value value;
        qkv__ratio ratio;
        if (qkv__node_is(argument, "causal"))
            return qkv__sample_fail(sample, "attention with a mask is not sampled");
        if (argument->kind != QKV__NODE_OPTION) {
            ++*plain;
        } else if (strcmp(argument->text, "scale") != 0 ||
                   !evaluate(sample, argument->child[0], &value) ||
                   !qkv__value_as_ratio(&value, &ratio) ||
                   !qkv__sample_number(sample, ratio, scale)) {
            return qkv__sample_fail(sample, "a scale that is not a plain number");
        }
    }
    return true;
}

/* attend(q, k, v) as one part of a result. */
static bool read_attend(qkv__sample *sample, const qkv__node *call, double share,
                        qkv__sample_result *result)
{
    assert(call->kind == QKV__NODE_CALL);
    qkv__value query, keys, values;
    const qkv__vector *vector;
    double scale;
    size_t plain;
    if (result->count == QKV__SAMPLE_PARTS) return qkv__sample_fail(sample, "too many heads");
    if (!read_scale(sample, call, &plain, &scale)) return false;
    if (plain != 3) return qkv__sample_fail(sample, "attend takes a query, keys and values");
    if (!evaluate(sample, call->child[0], &query) || !evaluate(sample, call->child[1], &keys) ||
        !evaluate(sample, call->child[2], &values))
        return false;
    if (!qkv__value_as_vector(&query, &vector) || keys.kind != QKV__VALUE_VECTORS ||
        values.kind != QKV__VALUE_VECTORS || values.vectors->set != sample->keys->set)
        return qkv__sample_fail(sample, "attention that is not over random keys");
    if (keys.vectors != sample->keys)
        return qkv__sample_fail(sample, "attention over keys other than %s", sample->family);
    int head = qkv__sample_head(sample, vector, scale);
    if (head < 0) return false;
    result->part[result->count].head = head;
    result->part[result->count].share = share;
    result->part[result->count++].values = values.vectors;
    return true;
}

static bool read_result(qkv__sample *sample, const qkv__node *node, double share, int depth,
                        qkv__sample_result *result);

/* f(x): the body with the argument's value. */
static bool read_function(qkv__sample *sample, const qkv__node *call,
                          const qkv__statement *function, double share, int depth,
                          qkv__sample_result *result)
{
    assert(call->kind == QKV__NODE_CALL);
    assert(function->kind == QKV__STATEMENT_DEFINE);
    enum { MOST = 8 };
    qkv__binding arguments[MOST];
    const qkv__binding *outer = sample->locals;
    if (call->count > MOST) return qkv__sample_fail(sample, "too many arguments");
    for (size_t i = 0; i < call->count; i++) {
        arguments[i] = (qkv__binding){.name = function->node[0]->child[i]->text,
                                      .next = i == 0 ? NULL : &arguments[i - 1]};
        if (!evaluate(sample, call->child[i], &arguments[i].value)) return false;
    }
    sample->locals = call->count == 0 ? NULL : &arguments[call->count - 1];
    bool good = read_result(sample, function->node[1], share, depth + 1, result);
    sample->locals = outer;
    return good;
}

/* x.head[2]: the second of the heads that x is the mean of. */
static const qkv__node *pick_head(qkv__sample *sample, const qkv__node *node)
{
    assert(node->kind == QKV__NODE_INDEX);
    const qkv__node *mean = follow(sample, node->child[0]->child[0]);
    qkv__rational which = node->child[1]->value;
    bool fits = is_mean(mean) && qkv__rational_is_whole(which) && which.numerator >= 1 &&
                (size_t)which.numerator <= mean->count;
    if (!fits) qkv__sample_fail(sample, "expected .head[1] up to the number of heads");
    return fits ? mean->child[which.numerator - 1] : NULL;
}

static bool read_result(qkv__sample *sample, const qkv__node *node, double share, int depth,
                        qkv__sample_result *result)
{
    node = follow(sample, node);
    if (depth == DEPTH) return qkv__sample_fail(sample, "the definitions are nested too deeply");
    if (is_attend(node)) return read_attend(sample, node, share, result);
    if (is_output(node)) return read_result(sample, node->child[0], share, depth + 1, result);
    if (is_head(node)) {
        const qkv__node *head = pick_head(sample, node);
        return head != NULL && read_result(sample, head, share, depth + 1, result);
    }
    if (is_mean(node)) {
        for (size_t i = 0; i < node->count; i++)
            if (!read_result(sample, node->child[i], share / (double)node->count, depth + 1,
                             result))
                return false;
        return true;
    }
    const qkv__statement *function = function_of(sample, node);
    if (function != NULL) return read_function(sample, node, function, share, depth, result);
    return qkv__sample_fail(sample, "expected a result of attend, or a mean of them");
}

bool qkv__sample_result_of(qkv__sample *sample, const qkv__node *node, qkv__sample_result *result)
{
    result->count = 0;
    return read_result(sample, node, 1.0, 0, result);
}

int qkv__sample_weight(qkv__sample *sample, const qkv__sample_result *result, size_t key)
{
    int sum = -1;
    for (size_t i = 0; i < result->count; i++) {
        int weight =
            qkv__sample_quantity(sample, QKV_LAB_WEIGHT, key, (size_t)result->part[i].head);
        if (result->part[i].share != 1.0)
            weight = qkv__sample_apply(sample, QKV__SAMPLE_MULTIPLY, weight,
                                       qkv__sample_constant(sample, result->part[i].share));
        sum = i == 0 ? weight : qkv__sample_apply(sample, QKV__SAMPLE_ADD, sum, weight);
        if (sum < 0) return -1;
    }
    return sum;
}
