/* Functions that are made of others, written out as the manual defines them: relu(x) is max(x, 0).
 * Whoever reads trees meets only what they stand for. Knows nothing of values. */
#include "language/builtin.h"
#include "language/parse_part.h"

static const qkv__node *whole(qkv__parser *p, const qkv__node *at, int64_t value)
{
    qkv__node *node = qkv__node_leaf(p, QKV__NODE_NUMBER, at->place, NULL);
    if (node != NULL) node->value = qkv__rational_whole(value);
    return node;
}

/* A call of a function of the language, at the place of another; NULL if an argument is. */
static const qkv__node *call(qkv__parser *p, const qkv__node *at, const char *name,
                             const qkv__node *x)
{
    qkv__node *node = qkv__node_unary(p, QKV__NODE_CALL, at->place, x);
    if (node != NULL) node->text = name;
    return node;
}

static const qkv__node *larger(qkv__parser *p, const qkv__node *at, const qkv__node *x,
                               const qkv__node *y)
{
    qkv__node *node = qkv__node_binary(p, QKV__NODE_CALL, at->place, x, y);
    if (node != NULL) node->text = "max";
    return node;
}

/* 1/(1 + e^-x) */
static const qkv__node *sigmoid(qkv__parser *p, const qkv__node *at, const qkv__node *x)
{
    const qkv__node *minus = qkv__node_unary(p, QKV__NODE_NEGATE, at->place, x);
    const qkv__node *sum =
        qkv__node_binary(p, QKV__NODE_ADD, at->place, whole(p, at, 1), call(p, at, "exp", minus));
    return qkv__node_binary(p, QKV__NODE_DIVIDE, at->place, whole(p, at, 1), sum);
}

/* ln(1 + e^x) */
static const qkv__node *softplus(qkv__parser *p, const qkv__node *at, const qkv__node *x)
{
    const qkv__node *sum =
        qkv__node_binary(p, QKV__NODE_ADD, at->place, whole(p, at, 1), call(p, at, "exp", x));
    return call(p, at, "ln", sum);
}

/* ln(sum(e^x for i in S)) */
static const qkv__node *log_sum_over(qkv__parser *p, const qkv__node *at, const qkv__node *over)
{
    qkv__node *sum = qkv__node_binary(p, QKV__NODE_SUM, over->place,
                                      call(p, at, "exp", over->child[0]), over->child[1]);
    if (sum == NULL) return NULL;
    sum->text = over->text;
    return call(p, at, "ln", call(p, at, "sum", sum));
}

/* ln(e^x + e^y + ...) */
static const qkv__node *log_sum_of(qkv__parser *p, const qkv__node *at,
                                   const qkv__node *const *items, size_t count)
{
    const qkv__node *sum = call(p, at, "exp", items[0]);
    for (size_t i = 1; i < count; i++)
        sum = qkv__node_binary(p, QKV__NODE_ADD, at->place, sum, call(p, at, "exp", items[i]));
    return call(p, at, "ln", sum);
}

/* max([x, y]) is max(x, y). */
static const qkv__node *of_list(qkv__parser *p, const qkv__node *at, const qkv__node *list)
{
    size_t base = p->stacked;
    for (size_t i = 0; i < list->count; i++)
        if (!qkv__nodes_push(p, list->child[i])) return NULL;
    qkv__node *node = qkv__node_gather(p, QKV__NODE_CALL, at->place, NULL, base);
    if (node != NULL) node->text = at->text;
    return node;
}

const qkv__node *qkv__write_out(qkv__parser *p, const qkv__node *node)
{
    if (node == NULL || node->count == 0) return node;
    const qkv__node *x = node->child[0];
    bool over = qkv__call_is_over(node), single = node->count == 1 && !over;
    bool listed = single && x->kind == QKV__NODE_LIST && x->count > 0;
    switch (qkv__builtin_of(node)) {
    case QKV__BUILTIN_RELU: return single ? larger(p, node, x, whole(p, node, 0)) : node;
    case QKV__BUILTIN_SIGMOID: return single ? sigmoid(p, node, x) : node;
    case QKV__BUILTIN_SOFTPLUS: return single ? softplus(p, node, x) : node;
    case QKV__BUILTIN_MAX:
    case QKV__BUILTIN_MIN: return listed && x->count > 1 ? of_list(p, node, x) : node;
    case QKV__BUILTIN_LOG_SUM_EXP:
        if (over) return log_sum_over(p, node, x);
        if (listed) return log_sum_of(p, node, x->child, x->count);
        return node->count > 1 ? log_sum_of(p, node, node->child, node->count) : node;
    default: return node;
    }
}
