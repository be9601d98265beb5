/* The lemmas, one row each at the end of the file. A lemma looks at one atom, checks what it needs,
 * and says a fact. Nothing here is a matter of how a claim is written: what is written differently
 * is read into the same atoms. */
#include <string.h>

#include "claim/inequality/inequality_part.h"
#include "language/builtin.h"
#include "language/tree.h"

static const qkv__node *name_node(qkv__inequality *q, const char *name)
{
    return name == NULL ? NULL : qkv__tree_make(q, QKV__NODE_NAME, name, NULL, NULL);
}

static bool same(qkv__inequality *q, const qkv__node *x, const qkv__node *y)
{
    const char *a = qkv__tree_text(q, x), *b = qkv__tree_text(q, y);
    return a != NULL && b != NULL && strcmp(a, b) == 0;
}

/* ---- Lemmas about numbers ------------------------------------------------------------ */

/* |x| >= x and |x| >= -x */
static void tell_size(qkv__inequality *q, int atom)
{
    const qkv__ratio x = q->atom[atom].argument;
    const qkv__ratio size = qkv__ratio_of_form(&q->algebra, qkv__form_parameter(&q->algebra, atom));
    if (qkv__ratio_is_lost(x)) return;
    qkv__inequality_know_ratio(q, qkv__ratio_subtract(&q->algebra, size, x), false, "|x| >= x");
    qkv__inequality_know_ratio(q, qkv__ratio_add(&q->algebra, size, x), false, "|x| >= -x");
}

/* A weight is below 1 if there are two keys, and w*(1 - w) is at most 1/4. */
static void tell_weight(qkv__inequality *q, int atom)
{
    const qkv__node *keys = q->atom[atom].attention->child[1];
    const qkv__node *size = qkv__tree_size(q, qkv__tree_family_range(q, keys->text));
    const qkv__form *own = qkv__form_parameter(&q->algebra, atom);
    const qkv__form *rest = qkv__form_subtract(&q->algebra, qkv__form_whole(&q->algebra, 1), own);
    qkv__ratio count;
    if (q->derived) /* w*(1 - w) <= 1/4 */
        qkv__inequality_know(
            q, qkv__form_power(&q->algebra, qkv__form_subtract(&q->algebra, rest, own), 2), false,
            "a square is not negative");
    if (size == NULL || !qkv__inequality_number(q, size, &count)) return;
    qkv__sign sign = qkv__ratio_sign(
        &q->algebra, qkv__ratio_subtract(&q->algebra, count, qkv__ratio_whole(&q->algebra, 2)));
    if (sign == QKV__SIGN_NONNEGATIVE || sign == QKV__SIGN_POSITIVE || sign == QKV__SIGN_ZERO)
        qkv__inequality_know(q, rest, true, "a weight is less than 1");
}

/* Two weights of one attention: those of different keys are at most 1 together, and the larger one
 * has the larger score. */
void qkv__inequality_tell_weights(qkv__inequality *q, int a, int b)
{
    qkv__algebra *algebra = &q->algebra;
    const qkv__node *x = q->atom[a].index, *y = q->atom[b].index;
    const qkv__form *own = qkv__form_parameter(algebra, a),
                    *other = qkv__form_parameter(algebra, b);
    if (!qkv__tree_weighs_alike(q, q->atom[a].attention, q->atom[b].attention)) return;
    if (qkv__inequality_differ(q, x, y))
        qkv__inequality_know(q,
                             qkv__form_subtract(algebra, qkv__form_whole(algebra, 1),
                                                qkv__form_add(algebra, own, other)),
                             false, "weights sum to 1");
    for (int turned = 0; turned < 2; turned++) {
        const qkv__form *gap = turned ? qkv__form_subtract(algebra, other, own)
                                      : qkv__form_subtract(algebra, own, other);
        bool known = false, strict = false;
        for (size_t i = 0; i < q->fact_count; i++)
            if (qkv__form_equal(q->fact[i].form, gap)) {
                known = true;
                strict = q->fact[i].strict;
            }
        const qkv__node *large =
            known ? qkv__tree_score(q, q->atom[a].attention, turned ? y : x) : NULL;
        const qkv__node *small =
            known ? qkv__tree_score(q, q->atom[a].attention, turned ? x : y) : NULL;
        qkv__ratio more, less;
        if (large != NULL && small != NULL && qkv__inequality_number(q, large, &more) &&
            qkv__inequality_number(q, small, &less))
            qkv__inequality_know_ratio(q, qkv__ratio_subtract(algebra, more, less), strict,
                                       "a larger weight has a larger score");
    }
}

/* 1 - 1/x <= ln x <= x - 1 */
static void tell_logarithm(qkv__inequality *q, int atom)
{
    qkv__algebra *algebra = &q->algebra;
    const qkv__ratio own = qkv__ratio_of_form(algebra, qkv__form_parameter(algebra, atom));
    const qkv__ratio one = qkv__ratio_whole(algebra, 1), x = q->atom[atom].argument;
    qkv__inequality_know_ratio(
        q, qkv__ratio_subtract(algebra, qkv__ratio_subtract(algebra, x, one), own), false,
        "ln x <= x - 1");
    qkv__inequality_know_ratio(q,
                               qkv__ratio_add(algebra, qkv__ratio_subtract(algebra, own, one),
                                              qkv__ratio_divide(algebra, one, x)),
                               false, "ln x >= 1 - 1/x");
    qkv__inequality_know_ratio(q, x, true, "only positive numbers have a logarithm");
    const qkv__sign sign = qkv__ratio_sign(algebra, qkv__ratio_subtract(algebra, x, one));
    if (sign == QKV__SIGN_POSITIVE || sign == QKV__SIGN_NONNEGATIVE)
        qkv__inequality_know(q, qkv__form_parameter(algebra, atom), sign == QKV__SIGN_POSITIVE,
                             "ln is increasing");
}

/* Whether a claim speaks of the logarithm of a sum, or of a weight of another attention. */
static bool has_other_logarithm(qkv__inequality *q, const qkv__node *attention)
{
    const qkv__node *other, *index;
    for (size_t i = 0; i < q->algebra.parameter_count; i++) {
        const qkv__node *node = q->atom[i].kind == QKV__ATOM_LOGARITHM ? q->atom[i].node : NULL;
        if (node == NULL) continue;
        if (node->kind == QKV__NODE_CALL && qkv__builtin_of(node) == QKV__BUILTIN_SUM) return true;
        if (qkv__tree_is_weight(q, node, &other, &index) &&
            !qkv__tree_weighs_alike(q, attention, other))
            return true;
    }
    return false;
}

const qkv__node *qkv__tree_log_weight(qkv__inequality *q, const qkv__node *attention,
                                      const qkv__node *index)
{
    const qkv__node *name = name_node(q, "$i"), *base = name_node(q, "e");
    const qkv__node *range = qkv__tree_family_range(q, attention->child[1]->text);
    const qkv__node *domain = name == NULL ? NULL : qkv__tree_domain(q, name, range);
    const qkv__node *score = name == NULL ? NULL : qkv__tree_score(q, attention, name);
    const qkv__node *own = qkv__tree_score(q, attention, index);
    const qkv__node *power =
        base == NULL || score == NULL ? NULL : qkv__tree_make(q, QKV__NODE_POWER, "", base, score);
    const qkv__node *sum = qkv__tree_sum(q, "$i", power, domain);
    const qkv__node *ln = sum == NULL ? NULL : qkv__tree_make(q, QKV__NODE_CALL, "ln", sum, NULL);
    return ln == NULL || own == NULL ? NULL : qkv__tree_make(q, QKV__NODE_SUBTRACT, "", own, ln);
}

/* ln w[i] = s[i] - ln(sum of e^s), where there is another logarithm of the kind, or nothing else
 * helped. */
static void tell_log_weight(qkv__inequality *q, int atom)
{
    const qkv__node *attention, *index, *node = q->atom[atom].node;
    if (!qkv__tree_is_weight(q, node, &attention, &index) ||
        !(q->with_norms || has_other_logarithm(q, attention)))
        return;
    const qkv__node *left = qkv__tree_make(q, QKV__NODE_CALL, "ln", node, NULL);
    const qkv__node *right = qkv__tree_log_weight(q, attention, index);
    if (left == NULL || right == NULL) return;
    qkv__inequality_suppose(q, qkv__tree_compare(q, left, right), "the definition of a weight");
    qkv__inequality_suppose(q, qkv__tree_compare(q, right, left), "the definition of a weight");
}

/* ln x <= ln y where x <= y. */
void qkv__inequality_tell_logarithms(qkv__inequality *q)
{
    qkv__algebra *algebra = &q->algebra;
    for (size_t i = 0; i < algebra->parameter_count; i++)
        for (size_t j = 0; j < algebra->parameter_count; j++) {
            if (i == j || q->atom[i].kind != QKV__ATOM_LOGARITHM ||
                q->atom[j].kind != QKV__ATOM_LOGARITHM)
                continue;
            const qkv__form *gap = qkv__inequality_cleared(
                q, qkv__ratio_subtract(algebra, q->atom[i].argument, q->atom[j].argument));
            const size_t told = q->reason.length;
            const bool above = gap != NULL && qkv__inequality_certify(q, gap, false, 1);
            qkv__text_take_out(&q->reason, told, q->reason.length);
            if (above)
                qkv__inequality_know(q,
                                     qkv__form_subtract(algebra,
                                                        qkv__form_parameter(algebra, (int)i),
                                                        qkv__form_parameter(algebra, (int)j)),
                                     false, "ln is increasing");
        }
}

/* ---- Lemmas about sums --------------------------------------------------------------- */

/* Whether an expression is never negative, by its form alone. */
static bool is_never_negative(qkv__inequality *q, const qkv__node *node)
{
    const qkv__node *attention, *index;
    if (qkv__tree_exponent(node) != NULL || node->kind == QKV__NODE_SIZE) return true;
    if (node->kind == QKV__NODE_NUMBER) return qkv__rational_sign(node->value) >= 0;
    if (node->kind == QKV__NODE_MULTIPLY || node->kind == QKV__NODE_ADD ||
        node->kind == QKV__NODE_DIVIDE)
        return is_never_negative(q, node->child[0]) && is_never_negative(q, node->child[1]);
    if (node->kind == QKV__NODE_POWER && node->child[1]->kind == QKV__NODE_NUMBER &&
        qkv__rational_is_whole(node->child[1]->value))
        return node->child[1]->value.numerator % 2 == 0 || is_never_negative(q, node->child[0]);
    return qkv__tree_is_weight(q, node, &attention, &index);
}

static void tell_sum_of_terms(qkv__inequality *q, int atom)
{
    const qkv__node *call = q->atom[atom].node, *over = call->child[0], *domain = over->child[1];
    if (!is_never_negative(q, over->child[0])) return;
    qkv__inequality_know(q, qkv__form_parameter(&q->algebra, atom), false,
                         "no term of the sum is negative");
    if (domain->comparison == QKV__IN && domain->child[1]->kind == QKV__NODE_RANGE)
        qkv__inequality_rule(
            q, (qkv__running){.name = over->text, .range = qkv__tree_text(q, domain->child[1])},
            qkv__tree_compare(q, over->child[0], call),
            "a sum is at least each of its terms, none of which is negative");
}

/* The root of a square: x of x^2 and of x*x. */
static const qkv__node *root_of(qkv__inequality *q, const qkv__node *node)
{
    if (node->kind == QKV__NODE_POWER && node->child[1]->kind == QKV__NODE_NUMBER &&
        qkv__rational_compare(node->child[1]->value, qkv__rational_whole(2)) == 0)
        return node->child[0];
    if (node->kind != QKV__NODE_MULTIPLY) return NULL;
    const char *x = qkv__tree_text(q, node->child[0]), *y = qkv__tree_text(q, node->child[1]);
    return x != NULL && y != NULL && strcmp(x, y) == 0 ? node->child[0] : NULL;
}

/* x^m of x^(2*m), and the root of any other square; NULL: it is none. */
static const qkv__node *half_of(qkv__inequality *q, const qkv__node *node)
{
    const qkv__node *exponent = node->kind == QKV__NODE_POWER ? node->child[1] : NULL;
    if (exponent == NULL || exponent->kind != QKV__NODE_NUMBER ||
        !qkv__rational_is_whole(exponent->value) || exponent->value.numerator % 2 != 0 ||
        exponent->value.numerator <= 2)
        return root_of(q, node);
    const qkv__node *half = qkv__tree_number(q, exponent->value.numerator / 2);
    return half == NULL ? NULL : qkv__tree_make(q, QKV__NODE_POWER, "", node->child[0], half);
}

/* (sum of x)^2 <= n * (sum of x^2) */
static void tell_sum_of_squares(qkv__inequality *q, int atom)
{
    const qkv__node *call = q->atom[atom].node, *over = call->child[0];
    const qkv__node *root = root_of(q, over->child[0]);
    if (root == NULL || !qkv__tree_is_over_family(q, over)) return;
    const qkv__node *roots = qkv__tree_make(q, QKV__NODE_SUM, over->text, root, over->child[1]);
    const qkv__node *total =
        roots == NULL ? NULL : qkv__tree_make(q, QKV__NODE_CALL, "sum", roots, NULL);
    const qkv__node *two = qkv__tree_number(q, 2);
    const qkv__node *square =
        total == NULL || two == NULL ? NULL : qkv__tree_make(q, QKV__NODE_POWER, "", total, two);
    const qkv__node *most = qkv__tree_make(q, QKV__NODE_MULTIPLY, "",
                                           qkv__tree_size(q, over->child[1]->child[1]), call);
    if (square != NULL && most != NULL)
        qkv__inequality_suppose(q, qkv__tree_compare(q, square, most),
                                "the square of a mean is at most the mean of the squares");
}

/* w*f, where w is the weight at the running index of the sum: a mean of f. `rest` is f. */
static bool splits(qkv__inequality *q, const qkv__node *body, const qkv__node *over,
                   const qkv__node **weight, const qkv__node **rest)
{
    const qkv__node *attention, *index, *inner;
    const qkv__node *root = root_of(q, body);
    if (root != NULL && qkv__tree_is_weight(q, root, &attention, &index)) {
        *weight = *rest = root;
        return index->kind == QKV__NODE_NAME && strcmp(index->text, over->text) == 0 &&
               !qkv__node_names(attention, over->text);
    }
    if (body->kind == QKV__NODE_POWER && body->child[1]->kind == QKV__NODE_NUMBER &&
        qkv__rational_is_whole(body->child[1]->value) && body->child[1]->value.numerator > 2 &&
        qkv__tree_is_weight(q, body->child[0], &attention, &index)) { /* w^3 = w*w^2 */
        const qkv__node *one_less = qkv__tree_number(q, body->child[1]->value.numerator - 1);
        *weight = body->child[0];
        *rest = one_less == NULL ? NULL
                                 : qkv__tree_make(q, QKV__NODE_POWER, "", body->child[0], one_less);
        return *rest != NULL && index->kind == QKV__NODE_NAME &&
               strcmp(index->text, over->text) == 0 && !qkv__node_names(attention, over->text);
    }
    if (body->kind != QKV__NODE_MULTIPLY && body->kind != QKV__NODE_DIVIDE) return false;
    for (int at = 0; at < (body->kind == QKV__NODE_DIVIDE ? 1 : 2); at++) {
        const qkv__node *other = body->child[1 - at];
        if (body->kind == QKV__NODE_MULTIPLY &&
            qkv__tree_is_weight(q, body->child[at], &attention, &index) &&
            index->kind == QKV__NODE_NAME && strcmp(index->text, over->text) == 0 &&
            !qkv__node_names(attention, over->text)) {
            *weight = body->child[at];
            *rest = other;
            return true;
        }
        if (splits(q, body->child[at], over, weight, &inner)) {
            *rest = qkv__tree_make(q, body->kind, "", inner, other);
            return *rest != NULL;
        }
    }
    return false;
}

/* Whether a node is the weight of some attention over the range of a sum, at its running index. */
static bool is_running_weight(qkv__inequality *q, const qkv__node *node, const qkv__node *over)
{
    return qkv__tree_is_over_family(q, over) && qkv__inequality_is_weight_over(q, node, over);
}

/* The square of a mean of x is at most the mean of x^2, under the same weights of all keys. */
static void tell_mean_square(qkv__inequality *q, int atom)
{
    const qkv__node *call = q->atom[atom].node, *over = call->child[0], *weight, *rest;
    if (!splits(q, over->child[0], over, &weight, &rest) || !is_running_weight(q, weight, over))
        return;
    const qkv__node *root = half_of(q, rest), *two = qkv__tree_number(q, 2);
    if (root == NULL || two == NULL || qkv__inequality_is_vector(q, root)) return;
    const qkv__node *mean = qkv__tree_sum(
        q, over->text, qkv__tree_make(q, QKV__NODE_MULTIPLY, "", weight, root), over->child[1]);
    const qkv__node *square =
        mean == NULL ? NULL : qkv__tree_make(q, QKV__NODE_POWER, "", mean, two);
    if (square != NULL)
        qkv__inequality_suppose(q, qkv__tree_compare(q, square, call),
                                "a variance under weights is not negative");
}

/* A mean of f under weights lies between f at some index and f at some other. */
static void tell_mean(qkv__inequality *q, int atom)
{
    const qkv__node *call = q->atom[atom].node, *over = call->child[0], *weight, *rest;
    if (!splits(q, over->child[0], over, &weight, &rest) || !is_running_weight(q, weight, over) ||
        qkv__inequality_is_vector(q, rest))
        return;
    for (int above = 0; above < 2; above++) {
        const char *range = qkv__tree_text(q, over->child[1]->child[1]);
        const char *index = qkv__inequality_index(q, range, NULL);
        const qkv__node *member = index == NULL ? NULL : qkv__tree_put(q, rest, over->text, index);
        if (member == NULL) return;
        qkv__inequality_suppose(
            q, above ? qkv__tree_compare(q, call, member) : qkv__tree_compare(q, member, call),
            "a mean lies between the least and the largest");
    }
}

/* Weights grow with the scores, so that the mean of the scores under them is at least the plain
 * one. */
static void tell_mean_score(qkv__inequality *q, int atom)
{
    const qkv__node *call = q->atom[atom].node, *over = call->child[0], *weight, *rest;
    const qkv__node *attention, *index;
    if (!splits(q, over->child[0], over, &weight, &rest) || !is_running_weight(q, weight, over) ||
        !qkv__tree_is_weight(q, weight, &attention, &index))
        return;
    const qkv__node *score = qkv__tree_score(q, attention, index);
    if (score == NULL || !same(q, score, rest)) return;
    const qkv__node *scores = qkv__tree_make(q, QKV__NODE_SUM, over->text, rest, over->child[1]);
    const qkv__node *mean =
        scores == NULL ? NULL : qkv__tree_make(q, QKV__NODE_CALL, "mean", scores, NULL);
    if (mean != NULL)
        qkv__inequality_suppose(q, qkv__tree_compare(q, mean, call),
                                "larger scores have larger weights (Chebyshev's inequality)");
}

static const qkv__node *logarithm_in(const qkv__node *node)
{
    return node->kind == QKV__NODE_CALL && node->count == 1 &&
                   qkv__builtin_of(node) == QKV__BUILTIN_LN
               ? node->child[0]
               : NULL;
}

/* The mean of ln x is at most the mean of x less 1, and the logarithm of the mean of x; where the
 * mean of x is spoken of. */
static void tell_mean_logarithm(qkv__inequality *q, int atom)
{
    const qkv__node *call = q->atom[atom].node, *over = call->child[0], *weight, *rest;
    if (!splits(q, over->child[0], over, &weight, &rest) || !is_running_weight(q, weight, over))
        return;
    const qkv__node *inside = logarithm_in(rest);
    const qkv__node *body =
        inside == NULL ? NULL : qkv__tree_make(q, QKV__NODE_MULTIPLY, "", weight, inside);
    const qkv__node *terms =
        body == NULL ? NULL : qkv__tree_make(q, QKV__NODE_SUM, over->text, body, over->child[1]);
    if (terms == NULL || !qkv__inequality_has_sum(q, terms)) return;
    const qkv__node *mean = qkv__tree_make(q, QKV__NODE_CALL, "sum", terms, NULL);
    const qkv__node *one = qkv__tree_number(q, 1);
    if (mean == NULL || one == NULL) return;
    const qkv__node *less = qkv__tree_make(q, QKV__NODE_SUBTRACT, "", mean, one);
    const qkv__node *logarithm = qkv__tree_make(q, QKV__NODE_CALL, "ln", mean, NULL);
    if (less != NULL) qkv__inequality_suppose(q, qkv__tree_compare(q, call, less), "ln x <= x - 1");
    if (logarithm != NULL)
        qkv__inequality_suppose(q, qkv__tree_compare(q, call, logarithm), "ln is concave");
}

/* An entropy that is known to be ln n at least: all scores are equal. (ln is strictly concave, so
 * that the weights are equal, and e^x is strictly increasing.) */
static void tell_largest_entropy(qkv__inequality *q, int atom, const qkv__node *weight,
                                 qkv__ratio most)
{
    const qkv__node *over = q->atom[atom].node->child[0], *attention, *index;
    const qkv__form *gap = qkv__inequality_cleared(
        q, qkv__ratio_negate(&q->algebra,
                             qkv__ratio_add(&q->algebra, most, qkv__atom_number(q, atom))));
    bool known = false;
    for (size_t i = 0; gap != NULL && i < q->fact_count; i++)
        known = known || qkv__form_equal(q->fact[i].form, gap);
    if (!known || !qkv__tree_is_weight(q, weight, &attention, &index)) return;
    const char *range = qkv__tree_text(q, over->child[1]->child[1]);
    const qkv__node *some = name_node(q, qkv__inequality_index(q, range, NULL));
    const qkv__node *own = qkv__tree_score(q, attention, index);
    const qkv__node *other = some == NULL ? NULL : qkv__tree_score(q, attention, some);
    if (own == NULL || other == NULL) return;
    const qkv__running of = {.name = over->text, .range = range};
    static const char label[] = "an entropy of ln n leaves all scores equal";
    qkv__inequality_rule(q, of, qkv__tree_compare(q, own, other), label);
    qkv__inequality_rule(q, of, qkv__tree_compare(q, other, own), label);
}

/* sum of w ln w is between -ln n and 0; sum of w ln(w/u) is not negative, u weights as well. */
static void tell_entropy(qkv__inequality *q, int atom)
{
    const qkv__node *call = q->atom[atom].node, *over = call->child[0], *weight, *rest;
    const qkv__form *own = qkv__form_parameter(&q->algebra, atom);
    qkv__ratio most;
    if (!splits(q, over->child[0], over, &weight, &rest) || !is_running_weight(q, weight, over))
        return;
    const qkv__node *inside = logarithm_in(rest);
    if (inside == NULL) return;
    const qkv__node *size = qkv__tree_size(q, over->child[1]->child[1]);
    const qkv__node *count = qkv__tree_make(q, QKV__NODE_CALL, "ln", size, NULL);
    if (same(q, inside, weight)) {
        qkv__inequality_know(q, qkv__form_scale(&q->algebra, own, qkv__rational_whole(-1)), false,
                             "an entropy is not negative");
        if (count == NULL || !qkv__inequality_number(q, count, &most)) return;
        qkv__inequality_know_ratio(
            q, qkv__ratio_add(&q->algebra, most, qkv__ratio_of_form(&q->algebra, own)), false,
            "an entropy is at most the logarithm of the number of outcomes");
        tell_largest_entropy(q, atom, weight, most);
    } else if (inside->kind == QKV__NODE_DIVIDE && same(q, inside->child[0], weight) &&
               is_running_weight(q, inside->child[1], over)) {
        qkv__inequality_know(q, own, false, "a relative entropy is not negative");
    } else if (is_running_weight(q, inside, over)) {
        const qkv__node *logarithm = qkv__tree_make(q, QKV__NODE_CALL, "ln", weight, NULL);
        const qkv__node *body =
            logarithm == NULL ? NULL : qkv__tree_make(q, QKV__NODE_MULTIPLY, "", weight, logarithm);
        const qkv__node *terms =
            body == NULL ? NULL
                         : qkv__tree_make(q, QKV__NODE_SUM, over->text, body, over->child[1]);
        const qkv__node *entropy =
            terms == NULL ? NULL : qkv__tree_make(q, QKV__NODE_CALL, "sum", terms, NULL);
        if (entropy != NULL)
            qkv__inequality_suppose(q, qkv__tree_compare(q, call, entropy),
                                    "a cross-entropy is at least the entropy");
    }
}

/* ---- All of them --------------------------------------------------------------------- */

static const struct {
    qkv__atom_kind kind;
    void (*tell)(qkv__inequality *q, int atom);
} lemmas[] = {
    {QKV__ATOM_ROOT, tell_size},
    {QKV__ATOM_WEIGHT, tell_weight},
    {QKV__ATOM_LOGARITHM, tell_logarithm},
    {QKV__ATOM_LOGARITHM, tell_log_weight},
    {QKV__ATOM_SUM, tell_sum_of_terms},
    {QKV__ATOM_SUM, tell_sum_of_squares},
    {QKV__ATOM_SUM, tell_mean_square}, /* before indexes are taken */
    {QKV__ATOM_SUM, tell_mean},
    {QKV__ATOM_SUM, tell_mean_score},
    {QKV__ATOM_SUM, tell_entropy},
    {QKV__ATOM_SUM, tell_mean_logarithm},
};

void qkv__inequality_tell(qkv__inequality *q, int atom)
{
    qkv__inequality_tell_vectors(q, atom);
    for (size_t row = 0; row < sizeof lemmas / sizeof lemmas[0]; row++)
        if (lemmas[row].kind == q->atom[atom].kind) lemmas[row].tell(q, atom);
    if (q->atom[atom].kind == QKV__ATOM_LOGARITHM) qkv__inequality_tell_log_sum(q, atom);
}
