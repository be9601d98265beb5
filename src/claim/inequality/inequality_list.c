/* Lists of numbers as vectors, entry by entry: their lengths, and how far softmax takes one from
 * another. Knows trees and atoms; nothing of proofs. */
#include <string.h>

#include "claim/inequality/inequality_part.h"
#include "language/builtin.h"
#include "language/family_index.h"

enum { LONGEST = 16 };

static bool is_joined(const qkv__node *node)
{
    return node->kind == QKV__NODE_ADD || node->kind == QKV__NODE_SUBTRACT;
}

/* How many entries a list has: [x, y], and sums, differences and multiples of such; 0: it is none.
 */
static size_t length_of(qkv__inequality *q, const qkv__node *node)
{
    size_t x, y;
    switch (node->kind) {
    case QKV__NODE_LIST:
        if (qkv__list_is_family(node) || node->table != NULL || node->count > LONGEST) return 0;
        for (size_t i = 0; i < node->count; i++)
            if (!qkv__tree_is_scalar(q, node->child[i])) return 0;
        return node->count;
    case QKV__NODE_NEGATE: return length_of(q, node->child[0]);
    case QKV__NODE_ADD:
    case QKV__NODE_SUBTRACT:
        x = length_of(q, node->child[0]);
        y = length_of(q, node->child[1]);
        return x == y ? x : 0;
    case QKV__NODE_DIVIDE:
        return qkv__tree_is_scalar(q, node->child[1]) ? length_of(q, node->child[0]) : 0;
    case QKV__NODE_MULTIPLY:
        for (size_t at = 0; at < 2; at++)
            if (qkv__tree_is_scalar(q, node->child[1 - at])) return length_of(q, node->child[at]);
        return 0;
    default: return 0;
    }
}

static const qkv__node *entry_of(qkv__inequality *q, const qkv__node *node, size_t i)
{
    const qkv__node *x, *y;
    if (node->kind == QKV__NODE_LIST) return node->child[i];
    if (is_joined(node)) {
        x = entry_of(q, node->child[0], i);
        y = entry_of(q, node->child[1], i);
        return x == NULL || y == NULL ? NULL : qkv__tree_make(q, node->kind, "", x, y);
    }
    const size_t at = node->kind == QKV__NODE_MULTIPLY && qkv__tree_is_scalar(q, node->child[0]);
    x = entry_of(q, node->child[at], i);
    if (x == NULL || node->kind == QKV__NODE_NEGATE)
        return x == NULL ? NULL : qkv__tree_make(q, node->kind, "", x, NULL);
    return qkv__tree_make(q, node->kind, "", x, node->child[1 - at]);
}

/* The list x of softmax(x); NULL: it is something else. */
static const qkv__node *logits_of(qkv__inequality *q, const qkv__node *node)
{
    return node->kind == QKV__NODE_CALL && node->count == 1 &&
                   qkv__builtin_of(node) == QKV__BUILTIN_SOFTMAX && length_of(q, node->child[0]) > 0
               ? node->child[0]
               : NULL;
}

static bool is_gap(qkv__inequality *q, const qkv__node *node, const qkv__node **x,
                   const qkv__node **y)
{
    if (node->kind != QKV__NODE_SUBTRACT) return false;
    *x = logits_of(q, node->child[0]);
    *y = logits_of(q, node->child[1]);
    return *x != NULL && *y != NULL && length_of(q, *x) == length_of(q, *y);
}

bool qkv__inequality_is_list(qkv__inequality *q, const qkv__node *node)
{
    const qkv__node *x, *y;
    return length_of(q, node) > 0 || is_gap(q, node, &x, &y);
}

static bool size_of(qkv__inequality *q, const qkv__node *list, qkv__ratio *size);

/* |x + y| <= |x| + |y| */
static void know_triangle(qkv__inequality *q, const qkv__node *sum, qkv__ratio size)
{
    qkv__ratio x, y;
    if (is_joined(sum) && size_of(q, sum->child[0], &x) && size_of(q, sum->child[1], &y))
        qkv__inequality_know_ratio(
            q, qkv__ratio_subtract(&q->algebra, qkv__ratio_add(&q->algebra, x, y), size), false,
            "the triangle inequality");
}

/* The root of the sum of the squares of all entries. */
static bool size_of(qkv__inequality *q, const qkv__node *list, qkv__ratio *size)
{
    qkv__algebra *algebra = &q->algebra;
    qkv__ratio sum = qkv__ratio_whole(algebra, 0), one;
    int atom;
    const size_t count = length_of(q, list);
    for (size_t i = 0; i < count; i++) {
        const qkv__node *entry = entry_of(q, list, i);
        if (entry == NULL || !qkv__inequality_number(q, entry, &one)) return false;
        sum = qkv__ratio_add(algebra, sum, qkv__ratio_power(algebra, one, 2));
    }
    if (!qkv__inequality_reduced(q, sum, &sum)) return false;
    if (qkv__ratio_is_zero(sum)) {
        *size = sum;
        return true;
    }
    if (!qkv__atom_take_root(q, QKV__ATOM_ROOT, sum, qkv__inequality_written(q, "sqrt(", sum, ")"),
                             &atom))
        return false;
    *size = qkv__atom_number(q, atom);
    qkv__inequality_know_ratio(q, sum, false, "a square is not negative");
    know_triangle(q, list, *size);
    return true;
}

/*
 * |softmax(x) - softmax(y)| <= |x - y|/2: on the way from y to x the weights p move by
 * diag(p) - p*p', the covariance of what is drawn from p. For |u| = 1 the variance of u is at most
 * the square of half the range of its entries, which is at most sqrt(2): no eigenvalue is above
 * 1/2.
 */
static bool gap_size(qkv__inequality *q, const qkv__node *gap, const qkv__node *x,
                     const qkv__node *y, qkv__ratio *size)
{
    static const char label[] = "softmax moves by half as much as its list, at most";
    bool made;
    qkv__ratio way;
    const qkv__node *between = qkv__tree_make(q, QKV__NODE_SUBTRACT, "", x, y);
    if (between == NULL || !size_of(q, between, &way)) return false;
    const int atom = qkv__atom_take(q, QKV__ATOM_LIST, qkv__tree_text(q, gap), &made);
    if (atom < 0) return false;
    *size = qkv__atom_number(q, atom);
    if (!made) return true;
    q->algebra.parameter[atom].lower = (qkv__bound){.known = true, .value = {0, 1}};
    const qkv__ratio most = qkv__ratio_divide(&q->algebra, way, qkv__ratio_whole(&q->algebra, 2));
    qkv__inequality_know_ratio(q, qkv__ratio_subtract(&q->algebra, most, *size), false, label);
    if (most.denominator != NULL && most.denominator->count == 1) {
        q->atom[atom].bound.most =
            qkv__form_divide_by_term(&q->algebra, most.numerator, &most.denominator->term[0]);
        q->atom[atom].bound.label = label;
    }
    return true;
}

bool qkv__inequality_list_size(qkv__inequality *q, const qkv__node *node, qkv__ratio *size)
{
    const qkv__node *x, *y;
    return is_gap(q, node, &x, &y) ? gap_size(q, node, x, y, size) : size_of(q, node, size);
}

/* entropy(softmax(x)), which lies between 0 and the logarithm of the number of entries. */
bool qkv__inequality_list_entropy(qkv__inequality *q, const qkv__node *call, qkv__ratio *entropy)
{
    bool made;
    qkv__ratio most;
    const qkv__node *x = call->count == 1 ? logits_of(q, call->child[0]) : NULL;
    const int atom =
        x == NULL ? -1 : qkv__atom_take(q, QKV__ATOM_LIST, qkv__tree_text(q, call), &made);
    if (atom < 0) return false;
    *entropy = qkv__atom_number(q, atom);
    if (!made) return true;
    q->algebra.parameter[atom].lower = (qkv__bound){.known = true, .value = {0, 1}};
    const qkv__node *count = qkv__tree_number(q, (int64_t)length_of(q, x));
    const qkv__node *ln =
        count == NULL ? NULL : qkv__tree_make(q, QKV__NODE_CALL, "ln", count, NULL);
    if (ln != NULL && qkv__inequality_number(q, ln, &most))
        qkv__inequality_know_ratio(q, qkv__ratio_subtract(&q->algebra, most, *entropy), false,
                                   "an entropy is at most the logarithm of the number of outcomes");
    return true;
}
