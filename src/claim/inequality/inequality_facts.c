/* What is known: bounds, premises, rules for all indexes, and what lemmas say of atoms, added until
 * nothing is new. Knows nothing of proofs. */
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

bool qkv__inequality_domain(qkv__inequality *q, const qkv__node *domain, qkv__running *made)
{
    if (domain->kind != QKV__NODE_COMPARE || domain->child[0]->kind != QKV__NODE_NAME) return false;
    const qkv__node *of = domain->child[1];
    *made = (qkv__running){.name = domain->child[0]->text};
    if (domain->comparison == QKV__IN && of->kind == QKV__NODE_RANGE)
        made->range = qkv__tree_text(q, of);
    if (domain->comparison == QKV__NOT_EQUAL && of->kind == QKV__NODE_NAME)
        for (size_t i = 0; i < q->index_count; i++)
            if (strcmp(q->index[i].name, of->text) == 0) {
                made->range = q->index[i].range;
                made->differs = of->text;
            }
    return made->range != NULL;
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

static void tell_zeros(qkv__inequality *q)
{
    for (size_t z = 0; z < q->zero_count; z++)
        for (size_t b = 0; b < q->base_count; b++) {
            qkv__mixture base = {.count = 0};
            qkv__ratio product;
            if (!qkv__mixture_add(q, &base, (int)b, qkv__ratio_whole(&q->algebra, 1)) ||
                !qkv__inequality_product(q, &q->zero[z], &base, &product))
                continue;
            qkv__inequality_know_ratio(q, product, false, "a premise");
            qkv__inequality_know_ratio(q, qkv__ratio_negate(&q->algebra, product), false,
                                       "a premise");
        }
}

void qkv__inequality_suppose(qkv__inequality *q, const qkv__node *node, const char *label)
{
    qkv__ratio x, y;
    if (node == NULL) return;
    if (node->kind == QKV__NODE_AND) {
        qkv__inequality_suppose(q, node->child[0], label);
        qkv__inequality_suppose(q, node->child[1], label);
        return;
    }
    if (node->kind == QKV__NODE_FOR_ALL && node->count > 1) {
        qkv__running of;
        if (qkv__inequality_domain(q, node->child[0], &of))
            qkv__inequality_rule(q, of, qkv__tree_without_first(q, node), label);
        return;
    }
    if (node->kind != QKV__NODE_COMPARE || node->count != 2) return;
    if (node->comparison == QKV__IN && node->child[1]->kind == QKV__NODE_RANGE) {
        const qkv__node *range = node->child[1];
        qkv__inequality_suppose(q, qkv__tree_compare(q, range->child[0], node->child[0]), label);
        qkv__inequality_suppose(q, qkv__tree_compare(q, node->child[0], range->child[1]), label);
        return;
    }
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

/* ---- All of them --------------------------------------------------------------------- */

static void tell_bounds(qkv__inequality *q, int atom)
{
    qkv__algebra *algebra = &q->algebra;
    const qkv__parameter x = algebra->parameter[atom];
    const qkv__form *own = qkv__form_parameter(algebra, atom);
    const char *label = q->atom[atom].kind == QKV__ATOM_WEIGHT   ? "weights lie between 0 and 1"
                        : q->atom[atom].kind == QKV__ATOM_NUMBER ? "a premise"
                                                                 : "norms are not negative";
    if (x.lower.known)
        qkv__inequality_know(
            q, qkv__form_subtract(algebra, own, qkv__form_constant(algebra, x.lower.value)),
            x.lower.strict, label);
    if (x.upper.known)
        qkv__inequality_know(
            q, qkv__form_subtract(algebra, qkv__form_constant(algebra, x.upper.value), own),
            x.upper.strict, label);
}

static bool applies(qkv__inequality *q, const qkv__rule *rule, const qkv__running *to)
{
    if (to->range == NULL || to->name == NULL) return false; /* no memory for it */
    if (strcmp(rule->of.range, to->range) != 0) return false;
    return rule->of.differs == NULL ||
           (to->differs != NULL && strcmp(rule->of.differs, to->differs) == 0) ||
           qkv__tree_is_distinct(q, rule->of.differs, to->name);
}

/* Whether something new may have been said. */
static bool apply_rules(qkv__inequality *q)
{
    bool any = false;
    for (size_t r = 0; r < q->rule_count; r++) /* rules and indexes may grow meanwhile */
        while (q->rule[r].applied < q->index_count) {
            const qkv__rule rule = q->rule[r];
            const qkv__running to = q->index[q->rule[r].applied++];
            if (!applies(q, &rule, &to)) continue;
            qkv__inequality_suppose(q, qkv__tree_put(q, rule.proposition, rule.of.name, to.name),
                                    rule.label);
            any = true;
        }
    return any;
}

static bool is_length(const qkv__inequality *q, size_t atom)
{
    return q->atom[atom].kind == QKV__ATOM_LENGTH || q->atom[atom].kind == QKV__ATOM_NORM;
}

/* |x| <= |y| + |z| where x is y + z, whatever the signs. */
static void know_triangles(qkv__inequality *q, size_t x, size_t y, size_t z)
{
    qkv__algebra *algebra = &q->algebra;
    for (int signs = 0; signs < 4; signs++) {
        qkv__mixture sum = q->atom[x].vector;
        bool good = true;
        for (int n = 0; n < 2; n++) {
            const qkv__mixture *other = &q->atom[n == 0 ? y : z].vector;
            const qkv__ratio sign = qkv__ratio_whole(algebra, (signs >> n & 1) ? 1 : -1);
            for (size_t i = 0; good && i < other->count; i++)
                good = qkv__mixture_add(q, &sum, other->part[i].base,
                                        qkv__ratio_multiply(algebra, sign, other->part[i].factor));
        }
        if (!good || sum.count != 0) continue;
        const size_t side[3] = {x, y, z};
        for (int longest = 0; longest < 3; longest++) {
            qkv__ratio rest = qkv__ratio_whole(algebra, 0);
            for (int n = 0; n < 3; n++) {
                const qkv__ratio length =
                    qkv__ratio_of_form(algebra, qkv__form_parameter(algebra, (int)side[n]));
                rest = n == longest ? qkv__ratio_subtract(algebra, rest, length)
                                    : qkv__ratio_add(algebra, rest, length);
            }
            qkv__inequality_know_ratio(q, rest, false, "the triangle inequality");
        }
    }
}

/* What holds for lengths of two or three vectors. */
static void tell_lengths(qkv__inequality *q)
{
    const size_t count = q->algebra.parameter_count;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++) {
            if (!is_length(q, i) || !is_length(q, j)) continue;
            for (size_t k = 0; k < j; k++)
                if (is_length(q, k)) know_triangles(q, i, j, k);
            const qkv__mixture x = q->atom[i].vector, y = q->atom[j].vector;
            if (q->with_norms) qkv__inequality_know_schwarz(q, &x, &y);
        }
}

/* Squares of x + y and x - y, and of x + y + z with all signs, for the vectors of a claim. */
static void tell_squares(qkv__inequality *q)
{
    enum { MOST = 4 };
    const qkv__ratio sign[] = {qkv__ratio_whole(&q->algebra, 1), qkv__ratio_whole(&q->algebra, -1)};
    const size_t count = q->base_count;
    for (size_t i = 0; count <= MOST && i < count; i++)
        for (size_t j = 0; j < i; j++)
            for (size_t k = 0; k <= j; k++) /* k = j: two vectors alone */
                for (int signs = 0; signs < (k == j ? 2 : 4); signs++) {
                    qkv__mixture sum = {.count = 0};
                    qkv__ratio square;
                    if (!qkv__mixture_add(q, &sum, (int)i, sign[0]) ||
                        !qkv__mixture_add(q, &sum, (int)j, sign[signs & 1]) ||
                        (k < j && !qkv__mixture_add(q, &sum, (int)k, sign[signs >> 1])) ||
                        !qkv__inequality_product(q, &sum, &sum, &square))
                        continue;
                    qkv__inequality_know_ratio(q, square, false, "a square is not negative");
                }
}

/* (x - y)^2 of a few numbers of the document. */
static void tell_differences(qkv__inequality *q)
{
    enum { MOST = 5 };
    int number[MOST];
    size_t count = 0;
    for (size_t i = 0; i < q->algebra.parameter_count; i++) {
        if (q->atom[i].kind != QKV__ATOM_NUMBER) continue;
        if (count == MOST) return;
        number[count++] = (int)i;
    }
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++) {
            const qkv__form *gap =
                qkv__form_subtract(&q->algebra, qkv__form_parameter(&q->algebra, number[i]),
                                   qkv__form_parameter(&q->algebra, number[j]));
            qkv__inequality_know(q, qkv__form_power(&q->algebra, gap, 2), false,
                                 "a square is not negative");
        }
}

void qkv__inequality_saturate(qkv__inequality *q)
{
    enum { ROUNDS = 4 };
    bool any = true;
    for (int round = 0; any && round < ROUNDS; round++) {
        any = apply_rules(q);
        for (size_t i = 0; i < q->algebra.parameter_count; i++) {
            if (q->atom[i].told) continue;
            q->atom[i].told = any = true;
            qkv__inequality_tell(q, (int)i);
            tell_bounds(q, (int)i);
        }
    }
    tell_zeros(q);
    tell_lengths(q);
    if (q->with_norms) tell_squares(q);
    if (q->derived) tell_differences(q);
    for (size_t i = 0; i < q->algebra.parameter_count; i++)
        for (size_t j = 0; j < i; j++)
            if (q->atom[i].kind == QKV__ATOM_WEIGHT && q->atom[j].kind == QKV__ATOM_WEIGHT)
                qkv__inequality_tell_weights(q, (int)i, (int)j);
    qkv__inequality_tell_logarithms(q);
    qkv__inequality_tell_log_sums(q);
    for (size_t i = 0; i < q->algebra.parameter_count; i++)
        if (!q->atom[i].told) tell_bounds(q, (int)i);
}
