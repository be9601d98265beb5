/* What is known: facts, premises, and rules for all indexes. Knows nothing of lemmas. */
#include <string.h>

#include "claim/inequality/inequality_part.h"
#include "claim/model/binding.h"
#include "language/builtin.h"
#include "language/tree.h"

/* ---- Facts --------------------------------------------------------------------------- */

/* a*x + b >= 0 bounds x. */
static void narrow(qkv__inequality *q, const qkv__form *form, bool strict)
{
    qkv__rational slope = {0, 1}, offset = {0, 1};
    int atom = -1;
    for (size_t i = 0; i < form->count; i++) {
        const qkv__term *term = &form->term[i];
        int at = -1;
        if (term->exponent != NULL) return;
        for (size_t k = 0; k < q->algebra.parameter_count; k++) {
            if (term->power[k] == 0) continue;
            if (term->power[k] != 2 || at >= 0) return;
            at = (int)k;
        }
        if (at < 0) {
            offset = term->coefficient;
        } else {
            if (atom >= 0) return;
            atom = at;
            slope = term->coefficient;
        }
    }
    if (atom < 0) return;
    const qkv__rational end =
        qkv__rational_negate(qkv__rational_divide(offset, slope)); /* slope is not 0 */
    if (qkv__rational_is_lost(end)) return;
    qkv__parameter *x = &q->algebra.parameter[atom];
    const bool below = qkv__rational_sign(slope) > 0;
    qkv__bound *bound = below ? &x->lower : &x->upper;
    const int order = bound->known ? qkv__rational_compare(end, bound->value) : 0;
    const bool better = !bound->known || (below ? order > 0 : order < 0);
    if (better)
        *bound = (qkv__bound){.known = true, .strict = strict, .value = end};
    else if (order == 0 && strict)
        bound->strict = true;
}

void qkv__inequality_know(qkv__inequality *q, const qkv__form *form, bool strict, const char *label)
{
    qkv__rational value;
    form = qkv__inequality_reduce(q, form);
    if (form == NULL || form->count == 0 || qkv__form_is_constant(form, &value)) return;
    for (size_t i = 0; i < q->fact_count; i++)
        if (qkv__form_equal(q->fact[i].form, form)) {
            q->fact[i].strict = q->fact[i].strict || strict;
            return;
        }
    if (q->fact_count == QKV__INEQUALITY_FACTS) return;
    q->fact[q->fact_count++] = (qkv__fact){form, strict, label};
    narrow(q, form, strict);
}

/* number >= 0 without its denominator, which is not 0 where there is a value. */
const qkv__form *qkv__inequality_cleared(qkv__inequality *q, qkv__ratio number)
{
    qkv__algebra *algebra = &q->algebra;
    if (qkv__ratio_is_lost(number)) return NULL;
    if (number.denominator->count == 1)
        return qkv__form_divide_by_term(algebra, number.numerator, &number.denominator->term[0]);
    switch (qkv__form_sign(algebra, number.denominator)) {
    case QKV__SIGN_POSITIVE:
    case QKV__SIGN_NONNEGATIVE: return number.numerator;
    case QKV__SIGN_NEGATIVE:
    case QKV__SIGN_NONPOSITIVE:
        return qkv__form_scale(algebra, number.numerator, qkv__rational_whole(-1));
    default: return qkv__form_multiply(algebra, number.numerator, number.denominator);
    }
}

void qkv__inequality_know_ratio(qkv__inequality *q, qkv__ratio number, bool strict,
                                const char *label)
{
    const qkv__form *form = qkv__inequality_cleared(q, number);
    if (form != NULL) qkv__inequality_know(q, form, strict, label);
}

bool qkv__inequality_differs(const qkv__running *running, const char *index)
{
    for (size_t i = 0; i < QKV__INEQUALITY_DIFFERS && running->differs[i] != NULL; i++)
        if (strcmp(running->differs[i], index) == 0) return true;
    return false;
}

static bool add_difference(qkv__running *running, const char *index)
{
    if (qkv__inequality_differs(running, index)) return true;
    for (size_t i = 0; i < QKV__INEQUALITY_DIFFERS; i++)
        if (running->differs[i] == NULL) {
            running->differs[i] = index;
            return true;
        }
    return false;
}

bool qkv__inequality_join(qkv__running *running, const qkv__running *other)
{
    if (strcmp(running->name, other->name) != 0 || strcmp(running->range, other->range) != 0)
        return false;
    for (size_t i = 0; i < QKV__INEQUALITY_DIFFERS && other->differs[i] != NULL; i++)
        if (!add_difference(running, other->differs[i])) return false;
    return true;
}

/* i != j, of the range of j. */
static bool add_other(qkv__inequality *q, const qkv__node *other, qkv__running *made)
{
    for (size_t i = 0; other->kind == QKV__NODE_NAME && i < q->index_count; i++)
        if (strcmp(q->index[i].name, other->text) == 0) {
            if (made->range == NULL) made->range = q->index[i].range;
            return made->range != NULL && q->index[i].range != NULL &&
                   strcmp(made->range, q->index[i].range) == 0 && add_difference(made, other->text);
        }
    return false;
}

bool qkv__inequality_domain(qkv__inequality *q, const qkv__node *domain, qkv__running *made)
{
    if (domain->kind != QKV__NODE_COMPARE || domain->child[0]->kind != QKV__NODE_NAME) return false;
    const qkv__node *of = domain->child[1];
    *made = (qkv__running){.name = domain->child[0]->text};
    if (domain->comparison == QKV__IN && of->kind == QKV__NODE_RANGE)
        made->range = qkv__tree_text(q, of);
    if (domain->comparison == QKV__NOT_EQUAL && !add_other(q, of, made)) return false;
    if (domain->comparison == QKV__NOT_IN && of->kind == QKV__NODE_SET)
        for (size_t i = 0; i < of->count; i++)
            if (!add_other(q, of->child[i], made)) return false;
    return made->range != NULL;
}

/* for all i in 1..n, i != j: p says p of one index; how many of the bounds are of it, 0: it is not
 * known what they say. */
static size_t first_bounds(qkv__inequality *q, const qkv__node *for_all, qkv__running *of)
{
    size_t count = 1;
    if (!qkv__inequality_domain(q, for_all->child[0], of)) return 0;
    for (; count + 1 < for_all->count; count++) {
        const qkv__node *domain = for_all->child[count];
        qkv__running more;
        if (domain->kind != QKV__NODE_COMPARE || domain->child[0]->kind != QKV__NODE_NAME ||
            strcmp(domain->child[0]->text, of->name) != 0)
            break;
        if (!qkv__inequality_domain(q, domain, &more) || !qkv__inequality_join(of, &more)) return 0;
    }
    return count;
}

/* max(f for i in S) <= x says f <= x for every i; x <= min(f for i in S) likewise. */
static bool suppose_of_all(qkv__inequality *q, const qkv__node *node, const char *label)
{
    const bool less = node->comparison == QKV__LESS || node->comparison == QKV__LESS_OR_EQUAL;
    if (node->comparison < QKV__LESS || node->comparison > QKV__GREATER_OR_EQUAL) return false;
    for (int at = 0; at < 2; at++) {
        const qkv__node *call = node->child[at];
        const bool below = (at == 0) == less;
        if (call->kind != QKV__NODE_CALL || !qkv__call_is_over(call) ||
            qkv__builtin_of(call) != (below ? QKV__BUILTIN_MAX : QKV__BUILTIN_MIN))
            continue;
        const qkv__node *over = call->child[0], *other = node->child[1 - at];
        qkv__running of;
        if (qkv__tree_has_free(other, over->text) ||
            !qkv__inequality_domain(q, over->child[1], &of))
            continue;
        qkv__node *member = (qkv__node *)(uintptr_t)qkv__tree_compare(
            q, below ? over->child[0] : other, below ? other : over->child[0]);
        if (member != NULL && (node->comparison == QKV__LESS || node->comparison == QKV__GREATER))
            member->comparison = QKV__LESS;
        qkv__inequality_rule(q, of, member, label);
        return true;
    }
    return false;
}

/* x of ln(x), and x^c of c*ln(x), c a whole number; NULL: it is neither. */
static const qkv__node *inside_logarithm(qkv__inequality *q, const qkv__node *node)
{
    if (qkv__builtin_of(node) == QKV__BUILTIN_LN && node->count == 1) return node->child[0];
    if (node->kind != QKV__NODE_MULTIPLY || node->child[0]->kind != QKV__NODE_NUMBER ||
        !qkv__rational_is_whole(node->child[0]->value) ||
        qkv__rational_sign(node->child[0]->value) <= 0)
        return NULL;
    const qkv__node *inside = inside_logarithm(q, node->child[1]);
    return inside == NULL ? NULL : qkv__tree_make(q, QKV__NODE_POWER, "", inside, node->child[0]);
}

/* x >= ln(y) is e^x >= y, wherever it has a value. */
static void suppose_exponentials(qkv__inequality *q, const qkv__node *node, const char *label)
{
    const qkv__node *x = inside_logarithm(q, node->child[0]);
    const qkv__node *y = inside_logarithm(q, node->child[1]);
    if ((x == NULL) == (y == NULL)) return;
    const qkv__node *other = node->child[x == NULL ? 0 : 1];
    const qkv__node *base = qkv__tree_make(q, QKV__NODE_NAME, "e", NULL, NULL);
    const qkv__node *raised =
        base == NULL ? NULL : qkv__tree_make(q, QKV__NODE_POWER, "", base, other);
    if (raised == NULL || qkv__model_find(q->model, NULL, "e") != NULL) return;
    qkv__node *made = (qkv__node *)(uintptr_t)qkv__tree_make(
        q, QKV__NODE_COMPARE, "", x == NULL ? raised : x, x == NULL ? y : raised);
    if (made == NULL) return;
    made->comparison = node->comparison;
    qkv__inequality_suppose(q, made, label);
}

/* x <= y and x != y is x < y; NULL: it is something else. */
static const qkv__node *strict_order(qkv__inequality *q, const qkv__node *order,
                                     const qkv__node *apart)
{
    if (order->kind != QKV__NODE_COMPARE || apart->kind != QKV__NODE_COMPARE ||
        (order->comparison != QKV__LESS_OR_EQUAL && order->comparison != QKV__GREATER_OR_EQUAL) ||
        apart->comparison != QKV__NOT_EQUAL)
        return NULL;
    const char *text[2][2];
    for (int i = 0; i < 2; i++) {
        text[0][i] = qkv__tree_text(q, order->child[i]);
        text[1][i] = qkv__tree_text(q, apart->child[i]);
        if (text[0][i] == NULL || text[1][i] == NULL) return NULL;
    }
    const int turned = strcmp(text[0][0], text[1][0]) == 0 ? 0 : 1;
    if (strcmp(text[0][0], text[1][turned]) != 0 || strcmp(text[0][1], text[1][1 - turned]) != 0)
        return NULL;
    qkv__node *made =
        (qkv__node *)(uintptr_t)qkv__tree_compare(q, order->child[0], order->child[1]);
    if (made != NULL)
        made->comparison = order->comparison == QKV__LESS_OR_EQUAL ? QKV__LESS : QKV__GREATER;
    return made;
}

/* x = y and x != y of vectors say whether |x - y|^2 is 0, and x != y of numbers that (x - y)^2 is
 * not. */
static void suppose_gap(qkv__inequality *q, const qkv__node *node, const char *label)
{
    const bool equal = node->comparison == QKV__EQUAL;
    const qkv__node *between =
        qkv__tree_make(q, QKV__NODE_SUBTRACT, "", node->child[0], node->child[1]);
    qkv__mixture gap;
    qkv__ratio x;
    if (between == NULL || qkv__inequality_is_vector(q, node->child[0]) !=
                               qkv__inequality_is_vector(q, node->child[1]))
        return;
    if (qkv__inequality_is_vector(q, between)) {
        if (!qkv__inequality_vector(q, between, &gap) ||
            !qkv__inequality_product(q, &gap, &gap, &x))
            return;
    } else if (equal || !qkv__inequality_number(q, between, &x)) {
        return;
    } else {
        x = qkv__ratio_power(&q->algebra, x, 2);
    }
    qkv__inequality_know_ratio(q, equal ? qkv__ratio_negate(&q->algebra, x) : x, !equal, label);
}

/* x = y of vectors: x - y is 0, and so is its product with any vector. */
static bool suppose_vectors(qkv__inequality *q, const qkv__node *node)
{
    qkv__mixture x, y;
    const qkv__node *left = node->child[0], *right = node->child[1];
    const bool zero = right->kind == QKV__NODE_NUMBER && qkv__rational_is_zero(right->value);
    y.count = 0;
    if (node->comparison != QKV__EQUAL || !qkv__inequality_is_vector(q, left) ||
        (!zero && !qkv__inequality_is_vector(q, right)) || !qkv__inequality_vector(q, left, &x) ||
        (!zero && !qkv__inequality_vector(q, right, &y)))
        return false;
    for (size_t i = 0; i < y.count; i++)
        if (!qkv__mixture_add(q, &x, y.part[i].base,
                              qkv__ratio_negate(&q->algebra, y.part[i].factor)))
            return false;
    if (x.count > 0 && q->zero_count < QKV__INEQUALITY_ZEROS) q->zero[q->zero_count++] = x;
    return true;
}

void qkv__inequality_suppose(qkv__inequality *q, const qkv__node *node, const char *label)
{
    qkv__ratio x, y;
    if (node == NULL) return;
    if (node->kind == QKV__NODE_AND) {
        qkv__inequality_suppose(q, strict_order(q, node->child[0], node->child[1]), label);
        qkv__inequality_suppose(q, strict_order(q, node->child[1], node->child[0]), label);
        qkv__inequality_suppose(q, node->child[0], label);
        qkv__inequality_suppose(q, node->child[1], label);
        return;
    }
    if (node->kind == QKV__NODE_FOR_ALL && node->count > 1) {
        qkv__running of;
        const size_t bounds = first_bounds(q, node, &of);
        for (size_t i = 0; node != NULL && i < bounds; i++) node = qkv__tree_without_first(q, node);
        if (bounds > 0) qkv__inequality_rule(q, of, node, label);
        return;
    }
    if (node->kind != QKV__NODE_COMPARE || node->count != 2) return;
    if (node->comparison == QKV__IN && node->child[1]->kind == QKV__NODE_RANGE) {
        const qkv__node *range = node->child[1];
        qkv__inequality_suppose(q, qkv__tree_compare(q, range->child[0], node->child[0]), label);
        qkv__inequality_suppose(q, qkv__tree_compare(q, node->child[0], range->child[1]), label);
        return;
    }
    if (node->comparison == QKV__EQUAL || node->comparison == QKV__NOT_EQUAL)
        suppose_gap(q, node, label);
    if (node->comparison > QKV__GREATER_OR_EQUAL || node->comparison == QKV__NOT_EQUAL) return;
    if (suppose_of_all(q, node, label) || suppose_vectors(q, node)) return;
    suppose_exponentials(q, node, label);
    const qkv__node *left =
        q->multiplied ? qkv__tree_multiplied(q, node->child[0]) : node->child[0];
    const qkv__node *right =
        q->multiplied ? qkv__tree_multiplied(q, node->child[1]) : node->child[1];
    if (!qkv__inequality_number(q, left, &x) || !qkv__inequality_number(q, right, &y)) return;
    const qkv__ratio more = qkv__ratio_subtract(&q->algebra, x, y),
                     less = qkv__ratio_subtract(&q->algebra, y, x);
    const bool strict = node->comparison == QKV__LESS || node->comparison == QKV__GREATER;
    if (node->comparison != QKV__LESS && node->comparison != QKV__LESS_OR_EQUAL)
        qkv__inequality_know_ratio(q, more, strict, label);
    if (node->comparison != QKV__GREATER && node->comparison != QKV__GREATER_OR_EQUAL)
        qkv__inequality_know_ratio(q, less, strict, label);
}

void qkv__inequality_rule(qkv__inequality *q, qkv__running of, const qkv__node *proposition,
                          const char *label)
{
    if (proposition == NULL || of.range == NULL || q->rule_count == QKV__INEQUALITY_RULES) return;
    q->rule[q->rule_count++] = (qkv__rule){of, proposition, label, 0};
}
