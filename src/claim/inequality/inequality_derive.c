/* Derivatives by a number and gradients by a vector, of trees, for attention over any number of
 * keys: with scores s and weights w, dw[i] = w[i]*(ds[i] - sum(w[j]*ds[j])). Knows nothing of
 * proofs. */
#include <string.h>

#include "claim/inequality/inequality_part.h"
#include "claim/model/binding.h"
#include "claim/model/derivative.h"
#include "exact/space.h"
#include "language/builtin.h"
#include "language/tree.h"

/* What a derivative is taken by: a number, a vector q, or the member k[j] of a family. */
typedef struct variable {
    const char *name;       /* beta, q or k */
    const qkv__node *index; /* j; NULL: it is no member */
} variable;

/* ---- Making trees, without zeros ----------------------------------------------------- */

static bool is_zero(const qkv__node *node)
{
    return node->kind == QKV__NODE_NUMBER && qkv__rational_is_zero(node->value);
}

static const qkv__node *zero(qkv__inequality *q)
{
    return qkv__tree_number(q, 0);
}

static const qkv__node *add(qkv__inequality *q, const qkv__node *x, const qkv__node *y)
{
    if (x == NULL || y == NULL) return NULL;
    if (is_zero(x)) return y;
    return is_zero(y) ? x : qkv__tree_make(q, QKV__NODE_ADD, "", x, y);
}

static const qkv__node *negate(qkv__inequality *q, const qkv__node *x)
{
    return x == NULL || is_zero(x) ? x : qkv__tree_make(q, QKV__NODE_NEGATE, "", x, NULL);
}

/* x*y, or x.y */
static const qkv__node *product(qkv__inequality *q, qkv__node_kind kind, const qkv__node *x,
                                const qkv__node *y)
{
    if (x == NULL || y == NULL) return NULL;
    return is_zero(x) || is_zero(y) ? zero(q) : qkv__tree_make(q, kind, "", x, y);
}

static const qkv__node *multiply(qkv__inequality *q, const qkv__node *x, const qkv__node *y)
{
    return product(q, QKV__NODE_MULTIPLY, x, y);
}

static const qkv__node *divide(qkv__inequality *q, const qkv__node *x, const qkv__node *y)
{
    if (x == NULL || y == NULL) return NULL;
    return is_zero(x) ? x : qkv__tree_make(q, QKV__NODE_DIVIDE, "", x, y);
}

static const qkv__node *name_node(qkv__inequality *q, const char *name)
{
    return name == NULL ? NULL : qkv__tree_make(q, QKV__NODE_NAME, name, NULL, NULL);
}

static const qkv__node *sum(qkv__inequality *q, const char *name, const qkv__node *body,
                            const qkv__node *range)
{
    const qkv__node *index = name_node(q, name);
    if (body == NULL || index == NULL || is_zero(body)) return body;
    return qkv__tree_sum(q, name, body, qkv__tree_domain(q, index, range));
}

static const qkv__node *weight_of(qkv__inequality *q, const qkv__node *attention,
                                  const qkv__node *index)
{
    const qkv__node *weights = qkv__tree_make(q, QKV__NODE_MEMBER, "weight", attention, NULL);
    return weights == NULL || index == NULL
               ? NULL
               : qkv__tree_make(q, QKV__NODE_INDEX, "", weights, index);
}

/* ---- Derivatives and gradients ------------------------------------------------------- */

/* The change of a number; of a vector x, by a number: its derivative. */
static const qkv__node *change(qkv__inequality *q, const qkv__node *node, variable by, bool vector);
static const qkv__node *turned_change(qkv__inequality *q, const qkv__node *x, const qkv__node *y,
                                      variable by);

/* 1: x is the member that the derivative is taken by; 0: it is another one; -1: it may be either.
 */
static int is_same_member(qkv__inequality *q, const qkv__node *index, variable by)
{
    const char *x = qkv__tree_text(q, index), *y = qkv__tree_text(q, by.index);
    if (x == NULL || y == NULL) return -1;
    if (strcmp(x, y) == 0) return 1;
    if (index->kind == QKV__NODE_NUMBER && by.index->kind == QKV__NODE_NUMBER) return 0;
    const bool names = index->kind == QKV__NODE_NAME && by.index->kind == QKV__NODE_NAME;
    return names && qkv__tree_is_distinct(q, index->text, by.index->text) ? 0 : -1;
}

/* The change of the score of a key by way of the query and the scale; the key stands still. */
static const qkv__node *score_change(qkv__inequality *q, const qkv__node *attention,
                                     const qkv__node *index, variable by, bool vector)
{
    const qkv__node *key = qkv__tree_make(q, QKV__NODE_INDEX, "", attention->child[1], index);
    const qkv__node *scale = attention->count == 4 ? attention->child[3]->child[0] : NULL;
    const qkv__node *query = attention->child[0];
    if (key == NULL) return NULL;
    const qkv__node *way = vector ? turned_change(q, query, key, by)
                                  : product(q, QKV__NODE_DOT, key, change(q, query, by, false));
    if (scale == NULL || way == NULL) return way;
    const qkv__node *score = qkv__tree_make(q, QKV__NODE_DOT, "", key, query);
    return add(q, multiply(q, scale, way), multiply(q, score, change(q, scale, by, vector)));
}

/* sum(w[j]*ds[j]) */
static const qkv__node *mean_change(qkv__inequality *q, const qkv__node *attention, variable by,
                                    bool vector)
{
    const char *name = qkv__tree_fresh_name(q);
    const qkv__node *index = name_node(q, name);
    const qkv__node *range = qkv__tree_family_range(q, attention->child[1]->text);
    q->derived = true;
    if (index == NULL || range == NULL) return NULL;
    return sum(
        q, name,
        multiply(q, weight_of(q, attention, index), score_change(q, attention, index, by, vector)),
        range);
}

/* The change of the logarithm of a weight, ds[i] - sum(w[j]*ds[j]), the keys standing still. */
static const qkv__node *log_weight_change(qkv__inequality *q, const qkv__node *attention,
                                          const qkv__node *index, variable by, bool vector)
{
    return add(q, score_change(q, attention, index, by, vector),
               negate(q, mean_change(q, attention, by, vector)));
}

static bool is_of_keys(const qkv__node *attention, variable by)
{
    return by.index != NULL && strcmp(attention->child[1]->text, by.name) == 0;
}

static bool is_of_values(const qkv__node *attention, variable by)
{
    return by.index != NULL && strcmp(attention->child[2]->text, by.name) == 0;
}

/* scale*query: what the score of a key changes by with that key. */
static const qkv__node *key_change(qkv__inequality *q, const qkv__node *attention)
{
    return attention->count == 4 ? multiply(q, attention->child[3]->child[0], attention->child[0])
                                 : attention->child[0];
}

static const qkv__node *weight_change(qkv__inequality *q, const qkv__node *node, variable by,
                                      bool vector)
{
    const qkv__node *attention, *index;
    if (!qkv__tree_is_weight(q, node, &attention, &index) || qkv__tree_has_free(index, by.name))
        return NULL;
    const qkv__node *moved = log_weight_change(q, attention, index, by, vector);
    if (is_of_keys(attention, by)) {
        const int same = is_same_member(q, index, by);
        const qkv__node *own = qkv__tree_number(q, same == 1);
        const qkv__node *other = weight_of(q, attention, by.index);
        const qkv__node *part = same < 0 ? NULL : add(q, own, negate(q, other));
        moved = add(q, moved, multiply(q, part, key_change(q, attention)));
    }
    return multiply(q, node, moved);
}

/* The derivative of the output: sum(w[i]*dln(w[i])*v[i]). */
static const qkv__node *output_change(qkv__inequality *q, const qkv__node *attention, variable by)
{
    const char *name = qkv__tree_fresh_name(q);
    const qkv__node *index = name_node(q, name);
    const qkv__node *range = qkv__tree_family_range(q, attention->child[1]->text);
    if (index == NULL || range == NULL) return NULL;
    const qkv__node *value = qkv__tree_make(q, QKV__NODE_INDEX, "", attention->child[2], index);
    const qkv__node *moved = log_weight_change(q, attention, index, by, false);
    return sum(q, name, multiply(q, multiply(q, weight_of(q, attention, index), moved), value),
               range);
}

/* The gradient of c.y, y held fixed: sum(w[i]*(v[i].y)*dln(w[i])) by way of the query; by a key,
 * w[j]*(v[j].y - c.y)*query; by a value, w[j]*y. */
static const qkv__node *output_gradient(qkv__inequality *q, const qkv__node *attention,
                                        const qkv__node *y, variable by)
{
    const char *name = qkv__tree_fresh_name(q);
    const qkv__node *index = name_node(q, name), *values = attention->child[2];
    const qkv__node *range = qkv__tree_family_range(q, attention->child[1]->text);
    if (index == NULL || range == NULL) return NULL;
    const qkv__node *value = qkv__tree_make(q, QKV__NODE_INDEX, "", values, index);
    const qkv__node *number = product(q, QKV__NODE_DOT, value, y);
    const qkv__node *moved = log_weight_change(q, attention, index, by, true);
    const qkv__node *all = sum(
        q, name, multiply(q, multiply(q, weight_of(q, attention, index), number), moved), range);
    const qkv__node *own = by.index == NULL ? NULL : weight_of(q, attention, by.index);
    if (is_of_keys(attention, by)) {
        const qkv__node *its = qkv__tree_make(q, QKV__NODE_INDEX, "", values, by.index);
        const qkv__node *gap = add(q, product(q, QKV__NODE_DOT, its, y),
                                   negate(q, product(q, QKV__NODE_DOT, attention, y)));
        all = add(q, all, multiply(q, multiply(q, own, gap), key_change(q, attention)));
    }
    return is_of_values(attention, by) ? add(q, all, multiply(q, own, y)) : all;
}

static bool is_sum(const qkv__node *node)
{
    return node->kind == QKV__NODE_CALL && node->count == 1 && qkv__call_is_over(node) &&
           qkv__builtin_of(node) == QKV__BUILTIN_SUM;
}

/* The body of a sum over a range with an index of its own; NULL: it is of another kind. */
static const qkv__node *body_of(qkv__inequality *q, const qkv__node *call, const char **name,
                                const qkv__node **range)
{
    const qkv__node *over = call->child[0], *domain = over->child[1];
    *name = qkv__tree_fresh_name(q);
    if (*name == NULL || domain->kind != QKV__NODE_COMPARE || domain->comparison != QKV__IN ||
        domain->child[1]->kind != QKV__NODE_RANGE)
        return NULL;
    *range = domain->child[1];
    return qkv__tree_put(q, over->child[0], over->text, *name);
}

/* The gradient of x.y, y held fixed. */
static const qkv__node *turned_change(qkv__inequality *q, const qkv__node *x, const qkv__node *y,
                                      variable by)
{
    const char *name;
    const qkv__node *range;
    if (!qkv__tree_has_free(x, by.name)) return zero(q);
    if (!qkv__inequality_is_vector(q, x)) return NULL;
    switch (x->kind) {
    case QKV__NODE_NAME: return by.index == NULL ? y : NULL;
    case QKV__NODE_INDEX: {
        const int same = by.index == NULL || x->child[0]->kind != QKV__NODE_NAME ||
                                 strcmp(x->child[0]->text, by.name) != 0
                             ? -1
                             : is_same_member(q, x->child[1], by);
        return same < 0 ? NULL : same == 1 ? y : zero(q);
    }
    case QKV__NODE_NEGATE: return negate(q, turned_change(q, x->child[0], y, by));
    case QKV__NODE_ADD:
        return add(q, turned_change(q, x->child[0], y, by), turned_change(q, x->child[1], y, by));
    case QKV__NODE_SUBTRACT:
        return add(q, turned_change(q, x->child[0], y, by),
                   negate(q, turned_change(q, x->child[1], y, by)));
    case QKV__NODE_MULTIPLY: {
        const int at = qkv__inequality_is_vector(q, x->child[1]);
        const qkv__node *vector = x->child[at], *number = x->child[1 - at];
        return add(q, multiply(q, number, turned_change(q, vector, y, by)),
                   multiply(q, product(q, QKV__NODE_DOT, vector, y), change(q, number, by, true)));
    }
    case QKV__NODE_DIVIDE:
        return qkv__tree_has_free(x->child[1], by.name)
                   ? NULL
                   : divide(q, turned_change(q, x->child[0], y, by), x->child[1]);
    case QKV__NODE_CALL:
        if (qkv__tree_is_attention(q, x)) return output_gradient(q, x, y, by);
        if (is_sum(x)) {
            const qkv__node *body = body_of(q, x, &name, &range);
            return body == NULL ? NULL : sum(q, name, turned_change(q, body, y, by), range);
        }
        return NULL;
    default: return NULL;
    }
}

static const qkv__node *power_change(qkv__inequality *q, const qkv__node *node, variable by,
                                     bool vector)
{
    const qkv__node *base = node->child[0], *exponent = node->child[1];
    if (base->kind == QKV__NODE_NAME && strcmp(base->text, "e") == 0)
        return multiply(q, node, change(q, exponent, by, vector));
    if (exponent->kind != QKV__NODE_NUMBER || !qkv__rational_is_whole(exponent->value) ||
        exponent->value.numerator < 2 || exponent->value.numerator > 8)
        return NULL;
    if (base->kind == QKV__NODE_SIZE && qkv__inequality_is_vector(q, base->child[0])) {
        if (exponent->value.numerator != 2) return NULL;
        const qkv__node *x = base->child[0]; /* |x|^2 = x.x */
        return change(q, qkv__tree_make(q, QKV__NODE_DOT, "", x, x), by, vector);
    }
    const qkv__node *less = qkv__tree_number(q, exponent->value.numerator - 1);
    const qkv__node *rest =
        less == NULL ? NULL : qkv__tree_make(q, QKV__NODE_POWER, "", base, less);
    return multiply(q, multiply(q, exponent, rest), change(q, base, by, vector));
}

/* Numbers a, b, ... of entropy(softmax([a, b, ...])); NULL: it is something else. */
static const qkv__node *logits_of(const qkv__node *call)
{
    if (qkv__builtin_of(call) != QKV__BUILTIN_ENTROPY || call->count != 1) return NULL;
    const qkv__node *of = call->child[0];
    return of->kind == QKV__NODE_CALL && qkv__builtin_of(of) == QKV__BUILTIN_SOFTMAX &&
                   of->count == 1 && of->child[0]->kind == QKV__NODE_LIST
               ? of
               : NULL;
}

static const qkv__node *raised(qkv__inequality *q, const qkv__node *exponent)
{
    const qkv__node *base = name_node(q, "e");
    return base == NULL || exponent == NULL
               ? NULL
               : qkv__tree_make(q, QKV__NODE_POWER, "", base, exponent);
}

/* An entropy moves by minus the covariance of the logits s and their changes ds: by minus the sum
 * over all pairs of e^s[i]*e^s[j]*(s[i] - s[j])*(ds[i] - ds[j]), over the square of the sum of
 * e^s. */
static const qkv__node *entropy_change(qkv__inequality *q, const qkv__node *logits, variable by)
{
    const qkv__node *x, *y, *pairs = zero(q), *total = zero(q);
    q->derived = true;
    for (size_t i = 0; (x = qkv__tree_listed(logits, i)) != NULL; i++) {
        if (!qkv__tree_is_scalar(q, x)) return NULL;
        total = add(q, total, raised(q, x));
        for (size_t j = 0; j < i; j++) {
            y = qkv__tree_listed(logits, j);
            const qkv__node *gap = add(q, x, negate(q, y));
            const qkv__node *moved =
                add(q, change(q, x, by, false), negate(q, change(q, y, by, false)));
            const qkv__node *both = multiply(q, raised(q, x), raised(q, y));
            pairs = add(q, pairs, multiply(q, both, multiply(q, gap, moved)));
        }
    }
    return negate(q, divide(q, pairs, multiply(q, total, total)));
}

static const qkv__node *call_change(qkv__inequality *q, const qkv__node *node, variable by,
                                    bool vector)
{
    const char *name;
    const qkv__node *range;
    if (is_sum(node)) {
        const qkv__node *body = body_of(q, node, &name, &range);
        return body == NULL ? NULL : sum(q, name, change(q, body, by, vector), range);
    }
    if (qkv__tree_is_attention(q, node)) return vector ? NULL : output_change(q, node, by);
    const qkv__node *logits = vector ? NULL : logits_of(node);
    if (logits != NULL) return entropy_change(q, logits, by);
    if (node->count != 1) return NULL;
    const qkv__node *x = node->child[0];
    switch (qkv__builtin_of(node)) {
    case QKV__BUILTIN_EXP: return multiply(q, node, change(q, x, by, vector));
    case QKV__BUILTIN_LN: return divide(q, change(q, x, by, vector), x);
    default: return NULL;
    }
}

static const qkv__node *change(qkv__inequality *q, const qkv__node *node, variable by, bool vector)
{
    if (!qkv__tree_has_free(node, by.name)) return zero(q);
    if (vector && qkv__inequality_is_vector(q, node)) return NULL;
    const qkv__node *x = node->count > 0 ? node->child[0] : NULL;
    const qkv__node *y = node->count > 1 ? node->child[1] : NULL;
    switch (node->kind) {
    case QKV__NODE_NAME: return vector ? NULL : qkv__tree_number(q, 1);
    case QKV__NODE_NEGATE: return negate(q, change(q, x, by, vector));
    case QKV__NODE_ADD: return add(q, change(q, x, by, vector), change(q, y, by, vector));
    case QKV__NODE_SUBTRACT:
        return add(q, change(q, x, by, vector), negate(q, change(q, y, by, vector)));
    case QKV__NODE_MULTIPLY:
        return add(q, multiply(q, x, change(q, y, by, vector)),
                   multiply(q, y, change(q, x, by, vector)));
    case QKV__NODE_DIVIDE: {
        const qkv__node *above = divide(q, change(q, x, by, vector), y);
        const qkv__node *below = change(q, y, by, vector);
        return add(q, above, negate(q, multiply(q, divide(q, x, multiply(q, y, y)), below)));
    }
    case QKV__NODE_DOT:
        return vector ? add(q, turned_change(q, x, y, by), turned_change(q, y, x, by))
                      : add(q, product(q, QKV__NODE_DOT, x, change(q, y, by, false)),
                            product(q, QKV__NODE_DOT, y, change(q, x, by, false)));
    case QKV__NODE_POWER: return power_change(q, node, by, vector);
    case QKV__NODE_INDEX: return weight_change(q, node, by, vector);
    case QKV__NODE_CALL: return call_change(q, node, by, vector);
    default: return NULL;
    }
}

/* ---- What a derivative may be taken by ----------------------------------------------- */

static bool has_equation(const qkv__node *node)
{
    if (node->kind == QKV__NODE_COMPARE && node->comparison == QKV__EQUAL) return true;
    for (size_t i = 0; i < node->count; i++)
        if (has_equation(node->child[i])) return true;
    return false;
}

/* Whether a premise of the claim or of its document relates a name to others, which may then change
 * with it. */
static bool is_tied(const qkv__inequality *q, const char *name, bool by_equations)
{
    for (size_t i = 0; i < q->premise_count; i++)
        if (qkv__node_names(q->premise[i], name) && (!by_equations || has_equation(q->premise[i])))
            return true;
    return false;
}

/* Whether a parameter moves alone: nothing that is declared or given ties a vector to it. */
static bool is_free_parameter(qkv__inequality *q, const qkv__node *node)
{
    qkv__failure failure = {0};
    const qkv__node *culprit = node;
    qkv__evaluation e = {.model = q->model, .failure = &failure, .culprit = &culprit};
    const int parameter = node->kind == QKV__NODE_NAME ? qkv__derivative_parameter(&e, node) : -1;
    const qkv__space *space = &q->model->space;
    for (size_t f = 0; parameter >= 0 && f < space->family_count; f++)
        if (space->family[f].gram != QKV__GRAM_UNKNOWN &&
            (qkv__ratio_depends_on(space->family[f].same, parameter) ||
             qkv__ratio_depends_on(space->family[f].different, parameter)))
            return false;
    return parameter >= 0 && !is_tied(q, node->text, true);
}

/* Whether a vector is declared without properties, and no premise of the document names it. */
static bool is_free_vector(qkv__inequality *q, const char *name, bool member)
{
    const qkv__statement *s = qkv__tree_declaration(q, name);
    if (s == NULL || s->kind != (member ? QKV__STATEMENT_FAMILY : QKV__STATEMENT_OBJECT))
        return false;
    if (!member && strcmp(s->text, "vector") != 0) return false;
    for (size_t i = 0; i < s->count; i++)
        if (s->node[i]->kind != (member ? QKV__NODE_INDEX : QKV__NODE_NAME) ||
            strcmp(s->node[i]->text, "orthonormal") == 0 ||
            strcmp(s->node[i]->text, "orthogonal") == 0)
            return false;
    return !is_tied(q, name, false);
}

const qkv__node *qkv__tree_derivative(qkv__inequality *q, const qkv__node *call)
{
    const qkv__node *of = call->child[0], *by = call->child[1];
    if (qkv__builtin_of(call) == QKV__BUILTIN_DERIVATIVE) {
        if (!is_free_parameter(q, by)) return NULL;
        return change(q, of, (variable){by->text, NULL}, false);
    }
    const bool member =
        by->kind == QKV__NODE_INDEX && by->count == 2 && by->child[0]->kind == QKV__NODE_NAME &&
        (by->child[1]->kind == QKV__NODE_NAME || by->child[1]->kind == QKV__NODE_NUMBER);
    const qkv__node *name = member ? by->child[0] : by;
    if (name->kind != QKV__NODE_NAME || !is_free_vector(q, name->text, member)) return NULL;
    return change(q, of, (variable){name->text, member ? by->child[1] : NULL}, true);
}
