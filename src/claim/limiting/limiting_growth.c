/* How an expression grows with the parameter of a limit: its leading power and what multiplies it.
 * Knows trees; nothing of attention. */
#include <stdlib.h>
#include <string.h>

#include "claim/limiting/limiting_part.h"
#include "language/tree.h"

enum { LARGEST_DEGREE = 100 };

bool qkv__limiting_is_fixed(const qkv__limiting *l, const qkv__node *node)
{
    return l->moving == NULL || !qkv__node_names(node, l->moving);
}

bool qkv__limiting_is_large(const qkv__limiting *l, int degree)
{
    return l->infinite ? degree > 0 : degree < 0;
}

bool qkv__limiting_is_small(const qkv__limiting *l, int degree)
{
    return l->infinite ? degree < 0 : degree > 0;
}

/* A whole number, or minus one. */
static bool whole_of(const qkv__node *node, int *number)
{
    const bool minus = node->kind == QKV__NODE_NEGATE;
    if (minus) node = node->child[0];
    if (node->kind != QKV__NODE_NUMBER || !qkv__rational_is_whole(node->value) ||
        llabs(node->value.numerator) > LARGEST_DEGREE)
        return false;
    *number = (int)(minus ? -node->value.numerator : node->value.numerator);
    return true;
}

static bool made(qkv__growth *growth, int degree, const qkv__node *coefficient, bool exact)
{
    *growth = (qkv__growth){degree, coefficient, exact};
    return coefficient != NULL && abs(degree) <= LARGEST_DEGREE;
}

/* The same operation on other operands. */
static const qkv__node *like(qkv__limiting *l, const qkv__node *node, const qkv__node *x,
                             const qkv__node *y)
{
    return qkv__tree_make(l->q, node->kind, node->text, x, y);
}

static bool is_one(const qkv__node *node)
{
    return node->kind == QKV__NODE_NUMBER &&
           qkv__rational_compare(node->value, qkv__rational_whole(1)) == 0;
}

static bool growth_of_sum(qkv__limiting *l, const qkv__node *node, qkv__growth x, qkv__growth y,
                          qkv__growth *growth)
{
    const bool minus = node->kind == QKV__NODE_SUBTRACT;
    if (x.degree == y.degree)
        return made(growth, x.degree, like(l, node, x.coefficient, y.coefficient),
                    x.exact && y.exact);
    if (qkv__limiting_is_large(l, x.degree - y.degree))
        return made(growth, x.degree, x.coefficient, false);
    return made(growth, y.degree,
                minus ? qkv__tree_make(l->q, QKV__NODE_NEGATE, "", y.coefficient, NULL)
                      : y.coefficient,
                false);
}

static bool growth_of_power(qkv__limiting *l, const qkv__node *node, qkv__growth *growth)
{
    int power;
    qkv__growth x;
    if (!whole_of(node->child[1], &power) || !qkv__limiting_growth(l, node->child[0], &x) ||
        (power < 0 && !x.exact) || power == 0)
        return false;
    const qkv__node *coefficient =
        is_one(x.coefficient) ? x.coefficient : like(l, node, x.coefficient, node->child[1]);
    return made(growth, x.degree * power, coefficient, x.exact);
}

bool qkv__limiting_growth(qkv__limiting *l, const qkv__node *node, qkv__growth *growth)
{
    qkv__growth x, y;
    if (qkv__limiting_is_fixed(l, node)) return made(growth, 0, node, true);
    switch (node->kind) {
    case QKV__NODE_NAME: return made(growth, 1, qkv__tree_number(l->q, 1), true);
    case QKV__NODE_NEGATE:
        return qkv__limiting_growth(l, node->child[0], &x) &&
               made(growth, x.degree, like(l, node, x.coefficient, NULL), x.exact);
    case QKV__NODE_ADD:
    case QKV__NODE_SUBTRACT:
        return qkv__limiting_growth(l, node->child[0], &x) &&
               qkv__limiting_growth(l, node->child[1], &y) && growth_of_sum(l, node, x, y, growth);
    case QKV__NODE_MULTIPLY:
        if (!qkv__limiting_growth(l, node->child[0], &x) ||
            !qkv__limiting_growth(l, node->child[1], &y))
            return false;
        return made(growth, x.degree + y.degree,
                    is_one(x.coefficient)   ? y.coefficient
                    : is_one(y.coefficient) ? x.coefficient
                                            : like(l, node, x.coefficient, y.coefficient),
                    x.exact && y.exact);
    case QKV__NODE_DOT:
        return qkv__limiting_growth(l, node->child[0], &x) &&
               qkv__limiting_growth(l, node->child[1], &y) &&
               made(growth, x.degree + y.degree, like(l, node, x.coefficient, y.coefficient),
                    x.exact && y.exact);
    case QKV__NODE_DIVIDE: /* by a power alone, so that no divisor vanishes on the way */
        if (!qkv__limiting_growth(l, node->child[0], &x) ||
            !qkv__limiting_growth(l, node->child[1], &y) || !y.exact)
            return false;
        return made(growth, x.degree - y.degree,
                    is_one(y.coefficient) ? x.coefficient
                                          : like(l, node, x.coefficient, y.coefficient),
                    x.exact);
    case QKV__NODE_POWER: return growth_of_power(l, node, growth);
    default: return false;
    }
}
