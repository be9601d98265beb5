/* The lemmas about vectors, one row each at the end of the file: averages, norms, inner products. A
 * lemma looks at one atom, checks what it needs, and says a fact. Knows nothing of proofs. */
#include <assert.h>
#include <string.h>

#include "claim/inequality/inequality_part.h"
#include "language/builtin.h"
#include "language/tree.h"

static const qkv__node *name_node(qkv__inequality *q, const char *name)
{
    return name == NULL ? NULL : qkv__tree_make(q, QKV__NODE_NAME, name, NULL, NULL);
}

/* Some member of a family, whichever it is. */
static bool some_member(qkv__inequality *q, const qkv__node *family, qkv__mixture *vector)
{
    const qkv__node *range = qkv__tree_family_range(q, family->text);
    const qkv__node *index = name_node(q, qkv__inequality_index(q, qkv__tree_text(q, range), NULL));
    const qkv__node *member =
        index == NULL ? NULL : qkv__tree_make(q, QKV__NODE_INDEX, "", family, index);
    return member != NULL && qkv__inequality_vector(q, member, vector);
}

/* The value of some key, in place of the output of an attention. */
static bool some_value(qkv__inequality *q, const qkv__node *attention, qkv__mixture *value)
{
    return some_member(q, attention->child[2], value);
}

/* x with a base replaced by another vector. */
static bool exchanged(qkv__inequality *q, const qkv__mixture *x, int base, const qkv__mixture *by,
                      qkv__mixture *made)
{
    qkv__algebra *algebra = &q->algebra;
    qkv__ratio factor = qkv__ratio_whole(algebra, 0);
    *made = *by;
    for (size_t i = 0; i < x->count; i++)
        if (x->part[i].base == base) factor = x->part[i].factor;
    for (size_t i = 0; i < made->count; i++)
        made->part[i].factor = qkv__ratio_multiply(algebra, made->part[i].factor, factor);
    for (size_t i = 0; i < x->count; i++)
        if (x->part[i].base != base &&
            !qkv__mixture_add(q, made, x->part[i].base, x->part[i].factor))
            return false;
    return true;
}

/* |x| <= factor*|y|, where y is x with averages replaced by what they are averages of; the right
 * side, or NULL. */
static const qkv__form *know_average_norm(qkv__inequality *q, int atom, const qkv__mixture *other,
                                          qkv__ratio factor, const char *label)
{
    qkv__ratio norm;
    qkv__rational one;
    if (!qkv__inequality_norm(q, other, &norm)) return NULL;
    const qkv__ratio own = qkv__ratio_of_form(&q->algebra, qkv__form_parameter(&q->algebra, atom));
    norm = qkv__ratio_multiply(&q->algebra, factor, norm);
    qkv__inequality_know_ratio(q, qkv__ratio_subtract(&q->algebra, norm, own), false, label);
    const bool plain = !qkv__ratio_is_lost(norm) && qkv__form_is_constant(norm.denominator, &one) &&
                       qkv__rational_compare(one, qkv__rational_whole(1)) == 0;
    return plain ? norm.numerator : NULL;
}

/* Of x = c - v[a], or a multiple of it, the weight that c does not give to v[a]; false: x is
 * something else. */
static bool rest_of_weight(qkv__inequality *q, const qkv__mixture *x, int average, qkv__ratio *rest)
{
    qkv__algebra *algebra = &q->algebra;
    const qkv__node *attention = q->base[average].node, *value = NULL;
    qkv__ratio sum = qkv__ratio_whole(algebra, 0);
    for (size_t i = 0; i < x->count; i++) {
        sum = qkv__ratio_add(algebra, sum, x->part[i].factor);
        if (x->part[i].base != average) value = q->base[x->part[i].base].node;
    }
    if (x->count != 2 || !qkv__ratio_is_zero(sum)) return false;
    assert(value != NULL); /* the parts of a mixture differ */
    if (value->kind != QKV__NODE_INDEX || value->count != 2 ||
        value->child[0]->kind != QKV__NODE_NAME ||
        strcmp(value->child[0]->text, attention->child[2]->text) != 0)
        return false;
    const qkv__node *weights = qkv__tree_make(q, QKV__NODE_MEMBER, "weight", attention, NULL);
    const qkv__node *weight =
        weights == NULL ? NULL : qkv__tree_make(q, QKV__NODE_INDEX, "", weights, value->child[1]);
    qkv__ratio own;
    if (weight == NULL || !qkv__inequality_number(q, weight, &own)) return false;
    *rest = qkv__ratio_subtract(algebra, qkv__ratio_whole(algebra, 1), own);
    return true;
}

/* x with all its averages, which have the same weights, replaced by what they are averages of, at
 * some index; false: their weights may differ. */
static bool at_one_index(qkv__inequality *q, const qkv__mixture *x, qkv__mixture *made)
{
    const qkv__node *first = NULL, *index = NULL;
    *made = *x;
    for (size_t i = 0; i < x->count; i++) {
        const qkv__node *base = q->base[x->part[i].base].node;
        if (!qkv__tree_is_attention(q, base)) continue;
        if (first != NULL && !qkv__tree_weighs_alike(q, first, base)) return false;
        first = base;
    }
    for (size_t i = 0; first != NULL && i < x->count; i++) {
        const qkv__node *base = q->base[x->part[i].base].node;
        qkv__mixture value, other;
        if (!qkv__tree_is_attention(q, base)) continue;
        if (index == NULL) {
            const qkv__node *range = qkv__tree_family_range(q, base->child[2]->text);
            index = name_node(q, qkv__inequality_index(q, qkv__tree_text(q, range), NULL));
        }
        const qkv__node *member =
            index == NULL ? NULL : qkv__tree_make(q, QKV__NODE_INDEX, "", base->child[2], index);
        if (member == NULL || !qkv__inequality_vector(q, member, &value) ||
            !exchanged(q, made, x->part[i].base, &value, &other))
            return false;
        *made = other;
    }
    return first != NULL;
}

/* |c + x|, c an average of values, is at most |v[j] + x| for some j; |b - c| of two averages at
 * most |v[j] - v[l]| for some j and l, which are one if the weights are; and |c - v[a]| at most
 * (1 - weight[a])*|v[j] - v[a]|. */
static void tell_average_norm(qkv__inequality *q, int atom)
{
    static const char label[] = "attention averages the values, and a norm is convex";
    static const char rest_label[] = "an average differs from a value by the weight of the others";
    const qkv__mixture vector = q->atom[atom].vector;
    const qkv__ratio one = qkv__ratio_whole(&q->algebra, 1);
    qkv__mixture all = vector, value, other;
    qkv__ratio rest;
    size_t averages = 0;
    bool good = true;
    for (size_t i = 0; i < vector.count; i++)
        averages += qkv__tree_is_attention(q, q->base[vector.part[i].base].node);
    for (size_t i = 0; averages > 1 && good && i < vector.count; i++) {
        const int base = vector.part[i].base;
        if (!qkv__tree_is_attention(q, q->base[base].node)) continue;
        good =
            some_value(q, q->base[base].node, &value) && exchanged(q, &all, base, &value, &other);
        if (good) all = other;
    }
    if (averages > 1 && good) know_average_norm(q, atom, &all, one, label);
    if (averages > 1 && at_one_index(q, &vector, &other))
        know_average_norm(q, atom, &other, one, label);
    for (size_t i = 0; i < vector.count; i++) {
        const int base = vector.part[i].base;
        if (!qkv__tree_is_attention(q, q->base[base].node) ||
            !some_value(q, q->base[base].node, &value) ||
            !exchanged(q, &vector, base, &value, &other))
            continue;
        know_average_norm(q, atom, &other, one, label);
        if (!rest_of_weight(q, &vector, base, &rest)) continue;
        q->atom[atom].bound.most = know_average_norm(q, atom, &other, rest, rest_label);
        q->atom[atom].bound.label = rest_label;
    }
}

/* sum += factor*x */
static bool add_multiple(qkv__inequality *q, qkv__mixture *sum, const qkv__mixture *x,
                         qkv__ratio factor)
{
    for (size_t i = 0; i < x->count; i++)
        if (!qkv__mixture_add(q, sum, x->part[i].base,
                              qkv__ratio_multiply(&q->algebra, x->part[i].factor, factor)))
            return false;
    return true;
}

/* |scale|*|p - q| of two attentions that differ in their query alone. False: they differ in more,
 * or nothing else speaks of that distance. */
static bool way_of_query(qkv__inequality *q, const qkv__node *x, const qkv__node *y,
                         qkv__ratio *way)
{
    const qkv__node *const call[] = {x, y};
    qkv__mixture query[2];
    qkv__ratio scale[2], size;
    for (size_t i = 0; i < 2; i++) {
        scale[i] = qkv__ratio_whole(&q->algebra, 1);
        if (!qkv__tree_is_attention(q, call[i]) ||
            !qkv__inequality_vector(q, call[i]->child[0], &query[i]) ||
            (call[i]->count == 4 &&
             !qkv__inequality_number(q, call[i]->child[3]->child[0], &scale[i])))
            return false;
    }
    if (strcmp(x->child[1]->text, y->child[1]->text) != 0 ||
        strcmp(x->child[2]->text, y->child[2]->text) != 0 ||
        !qkv__ratio_equal(&q->algebra, scale[0], scale[1]) ||
        !add_multiple(q, &query[0], &query[1], qkv__ratio_whole(&q->algebra, -1)))
        return false;
    const size_t atoms = q->algebra.parameter_count;
    if (!qkv__inequality_norm(q, &query[0], way) ||
        (query[0].count > 1 && q->algebra.parameter_count > atoms) ||
        !qkv__inequality_size(q, scale[0], &size))
        return false;
    *way = qkv__ratio_multiply(&q->algebra, *way, size);
    return true;
}

static bool norm_of_some(qkv__inequality *q, const qkv__node *family, qkv__ratio *norm)
{
    qkv__mixture member;
    return some_member(q, family, &member) && qkv__inequality_norm(q, &member, norm);
}

/*
 * Two queries p and q over the same keys and values. On the way from p to q the output moves by the
 * covariance of (q - p).k and v under the weights of the moment. A covariance is at most the root
 * of the means of both squares: |q - p| |k[j]| |v[l]|, for the longest key and the longest value.
 */
static void tell_two_queries(qkv__inequality *q, int atom)
{
    static const char label[] = "attention moves with its query by a covariance of keys and values";
    const qkv__mixture vector = q->atom[atom].vector;
    qkv__algebra *algebra = &q->algebra;
    qkv__ratio way, size, key, value;
    if (vector.count != 2 ||
        !qkv__ratio_is_zero(qkv__ratio_add(algebra, vector.part[0].factor, vector.part[1].factor)))
        return;
    const qkv__node *x = q->base[vector.part[0].base].node, *y = q->base[vector.part[1].base].node;
    if (!way_of_query(q, x, y, &way) || !qkv__inequality_size(q, vector.part[0].factor, &size) ||
        !norm_of_some(q, x->child[1], &key) || !norm_of_some(q, x->child[2], &value))
        return;
    const qkv__ratio most = qkv__ratio_multiply(algebra, qkv__ratio_multiply(algebra, way, size),
                                                qkv__ratio_multiply(algebra, key, value));
    qkv__inequality_know_ratio(q, qkv__ratio_subtract(algebra, most, qkv__atom_number(q, atom)),
                               false, label);
    if (qkv__ratio_is_lost(most) || most.denominator->count != 1) return;
    q->atom[atom].bound.most =
        qkv__form_divide_by_term(algebra, most.numerator, &most.denominator->term[0]);
    q->atom[atom].bound.label = label;
}

/* sum(weight*f(v[i]) for i in 1..n), as a tree. */
static const qkv__node *mean_of_values(qkv__inequality *q, const qkv__node *attention, bool square)
{
    const qkv__node *values = attention->child[2];
    const qkv__node *range = qkv__tree_family_range(q, values->text);
    const qkv__node *index = name_node(q, "$i");
    const qkv__node *member = qkv__tree_make(q, QKV__NODE_MEMBER, "weight", attention, NULL);
    const qkv__node *two = qkv__tree_number(q, 2);
    if (index == NULL || member == NULL || two == NULL) return NULL;
    const qkv__node *weight = qkv__tree_make(q, QKV__NODE_INDEX, "", member, index);
    const qkv__node *value = qkv__tree_make(q, QKV__NODE_INDEX, "", values, index);
    const qkv__node *size =
        value == NULL ? NULL : qkv__tree_make(q, QKV__NODE_SIZE, "", value, NULL);
    if (size != NULL && square) size = qkv__tree_make(q, QKV__NODE_POWER, "", size, two);
    const qkv__node *body = weight == NULL || size == NULL
                                ? NULL
                                : qkv__tree_make(q, QKV__NODE_MULTIPLY, "", weight, size);
    const qkv__node *domain = qkv__tree_domain(q, index, range);
    if (body == NULL || domain == NULL) return NULL;
    const qkv__node *over = qkv__tree_make(q, QKV__NODE_SUM, "$i", body, domain);
    return over == NULL ? NULL : qkv__tree_make(q, QKV__NODE_CALL, "sum", over, NULL);
}

/* |c| <= sum of weight*|v|, and |c|^2 <= sum of weight*|v|^2, where such a sum is spoken of. */
static void tell_average_mean(qkv__inequality *q, int atom)
{
    const qkv__node *attention = q->base[q->atom[atom].vector.part[0].base].node;
    bool any = false;
    for (size_t i = 0; i < q->algebra.parameter_count; i++)
        any = any || q->atom[i].kind == QKV__ATOM_SUM;
    if (!any || !qkv__tree_is_attention(q, attention)) return;
    for (int square = 0; square < 2; square++) {
        const qkv__node *sum = mean_of_values(q, attention, square != 0);
        const qkv__node *own = qkv__tree_make(q, QKV__NODE_SIZE, "", attention, NULL);
        const qkv__node *two = qkv__tree_number(q, 2);
        if (square && own != NULL && two != NULL)
            own = qkv__tree_make(q, QKV__NODE_POWER, "", own, two);
        if (sum != NULL && own != NULL)
            qkv__inequality_suppose(q, qkv__tree_compare(q, own, sum),
                                    "attention averages the values, and a norm is convex");
    }
}

/* c.x, c an average of values, lies between v[j].x and v[l].x for some j and l. */
static void tell_average_product(qkv__inequality *q, int atom)
{
    for (int side = 0; side < 2; side++) {
        const int base = q->atom[atom].base[side], rest = q->atom[atom].base[1 - side];
        const qkv__ratio own =
            qkv__ratio_of_form(&q->algebra, qkv__form_parameter(&q->algebra, atom));
        if (!qkv__tree_is_attention(q, q->base[base].node)) continue;
        for (int above = 0; above < 2; above++) {
            qkv__mixture value, other = {.count = 0};
            qkv__ratio product;
            if (!some_value(q, q->base[base].node, &value) ||
                !qkv__mixture_add(q, &other, rest, qkv__ratio_whole(&q->algebra, 1)) ||
                !qkv__inequality_product(q, &value, &other, &product))
                break;
            qkv__inequality_know_ratio(q,
                                       above ? qkv__ratio_subtract(&q->algebra, product, own)
                                             : qkv__ratio_subtract(&q->algebra, own, product),
                                       false, "attention averages the values");
        }
    }
}

/* Of an attention whose values are its keys, the scale and scale*query; false: it is another one.
 */
static bool scaled_query(qkv__inequality *q, const qkv__node *attention, qkv__ratio *scale,
                         qkv__mixture *query)
{
    qkv__mixture plain;
    *scale = qkv__ratio_whole(&q->algebra, 1);
    query->count = 0;
    return qkv__tree_is_attention(q, attention) &&
           strcmp(attention->child[1]->text, attention->child[2]->text) == 0 &&
           qkv__inequality_vector(q, attention->child[0], &plain) &&
           (attention->count == 3 ||
            qkv__inequality_number(q, attention->child[3]->child[0], scale)) &&
           add_multiple(q, query, &plain, *scale);
}

/* The same where one query is 0, and its output the mean of the keys: c.x is at least the mean of
 * k[i].x, where that is spoken of. */
static void know_mean_score(qkv__inequality *q, const qkv__node *attention)
{
    const qkv__node *index = name_node(q, "$i");
    const qkv__node *range = qkv__tree_family_range(q, attention->child[1]->text);
    const qkv__node *domain = index == NULL ? NULL : qkv__tree_domain(q, index, range);
    const qkv__node *score = index == NULL ? NULL : qkv__tree_score(q, attention, index);
    const qkv__node *all = score == NULL || domain == NULL
                               ? NULL
                               : qkv__tree_make(q, QKV__NODE_SUM, "$i", score, domain);
    if (all == NULL || attention->count != 3 || !qkv__inequality_has_sum(q, all)) return;
    const qkv__node *mean = qkv__tree_make(q, QKV__NODE_CALL, "mean", all, NULL);
    const qkv__node *own = qkv__tree_make(q, QKV__NODE_DOT, "", attention, attention->child[0]);
    if (mean != NULL && own != NULL)
        qkv__inequality_suppose(q, qkv__tree_compare(q, mean, own),
                                "larger scores have larger weights (Chebyshev's inequality)");
}

/* With its keys as values, attention is the gradient of log-sum-exp, which is convex: the outputs b
 * and c for two queries x and y over the same keys have (b - c).(x - y) >= 0. */
static void tell_monotone(qkv__inequality *q, int atom)
{
    const qkv__ratio one = qkv__ratio_whole(&q->algebra, 1);
    const qkv__ratio minus = qkv__ratio_whole(&q->algebra, -1);
    for (int side = 0; side < 2; side++) {
        const int base = q->atom[atom].base[side];
        const qkv__node *attention = q->base[base].node;
        qkv__mixture own, other;
        qkv__ratio scale, another;
        if (!scaled_query(q, attention, &scale, &own)) continue;
        know_mean_score(q, attention);
        const size_t bases = q->base_count;
        for (int i = 0; i < (int)bases; i++) {
            qkv__mixture queries = own, outputs = {.count = 0};
            qkv__ratio product;
            if (i == base || !scaled_query(q, q->base[i].node, &another, &other) ||
                strcmp(q->base[i].node->child[1]->text, attention->child[1]->text) != 0)
                continue;
            if (!add_multiple(q, &queries, &other, minus) ||
                !qkv__mixture_add(q, &outputs, base, one) ||
                !qkv__mixture_add(q, &outputs, i, minus) ||
                !qkv__inequality_product(q, &outputs, &queries, &product))
                continue;
            if (qkv__ratio_equal(&q->algebra, scale, another) &&
                qkv__ratio_sign(&q->algebra, scale) == QKV__SIGN_POSITIVE)
                product = qkv__ratio_divide(&q->algebra, product, scale);
            qkv__inequality_know_ratio(q, product, false,
                                       "attention to its own keys is monotone in the query");
        }
    }
}

/* |sum of x| is at most the sum of |x|. */
static void tell_norm_of_sum(qkv__inequality *q, int atom)
{
    const qkv__node *sum = q->base[q->atom[atom].vector.part[0].base].node;
    if (sum->kind != QKV__NODE_CALL || !qkv__call_is_over(sum)) return;
    const qkv__node *over = sum->child[0];
    const qkv__node *norm = qkv__tree_make(q, QKV__NODE_SIZE, "", over->child[0], NULL);
    const qkv__node *norms =
        norm == NULL ? NULL : qkv__tree_make(q, QKV__NODE_SUM, over->text, norm, over->child[1]);
    const qkv__node *total =
        norms == NULL ? NULL : qkv__tree_make(q, QKV__NODE_CALL, "sum", norms, NULL);
    const qkv__node *left = qkv__tree_make(q, QKV__NODE_SIZE, "", sum, NULL);
    if (total != NULL && left != NULL)
        qkv__inequality_suppose(q, qkv__tree_compare(q, left, total), "the triangle inequality");
}

/* |a*x + b*y| <= |a|*|x| + |b|*|y| */
static void tell_norm_of_parts(qkv__inequality *q, int atom)
{
    const qkv__mixture vector = q->atom[atom].vector;
    qkv__algebra *algebra = &q->algebra;
    qkv__ratio total = qkv__ratio_whole(algebra, 0), norm;
    for (size_t i = 0; i < vector.count; i++) {
        qkv__mixture part = {.count = 0};
        if (!qkv__mixture_add(q, &part, vector.part[i].base, vector.part[i].factor) ||
            !qkv__inequality_norm(q, &part, &norm))
            return;
        total = qkv__ratio_add(algebra, total, norm);
    }
    qkv__inequality_know_ratio(q, qkv__ratio_subtract(algebra, total, qkv__atom_number(q, atom)),
                               false, "the triangle inequality");
}

static bool has_length(const qkv__inequality *q, int base)
{
    return !qkv__ratio_is_lost(q->base[base].length);
}

/* |x||y| - x.y >= 0 and |x||y| + x.y >= 0 */
void qkv__inequality_know_schwarz(qkv__inequality *q, const qkv__mixture *x, const qkv__mixture *y)
{
    qkv__ratio a, b, product;
    if (!qkv__inequality_norm(q, x, &a) || !qkv__inequality_norm(q, y, &b) ||
        !qkv__inequality_product(q, x, y, &product))
        return;
    a = qkv__ratio_multiply(&q->algebra, a, b);
    qkv__inequality_know_ratio(q, qkv__ratio_subtract(&q->algebra, a, product), false,
                               "Cauchy-Schwarz");
    qkv__inequality_know_ratio(q, qkv__ratio_add(&q->algebra, a, product), false, "Cauchy-Schwarz");
}

static void tell_schwarz(qkv__inequality *q, int atom)
{
    qkv__mixture x = {.count = 0}, y = {.count = 0};
    const qkv__ratio one = qkv__ratio_whole(&q->algebra, 1);
    const int *base = q->atom[atom].base;
    if (!q->with_norms && !(has_length(q, base[0]) && has_length(q, base[1]))) {
        q->atom[atom].told = false; /* there may be lengths later on */
        return;
    }
    if (qkv__mixture_add(q, &x, base[0], one) && qkv__mixture_add(q, &y, base[1], one))
        qkv__inequality_know_schwarz(q, &x, &y);
}

/* ---- All of them --------------------------------------------------------------------- */

static const struct {
    qkv__atom_kind kind;
    void (*tell)(qkv__inequality *q, int atom);
} lemmas[] = {
    {QKV__ATOM_LENGTH, tell_average_norm},
    {QKV__ATOM_LENGTH, tell_norm_of_sum},
    {QKV__ATOM_LENGTH, tell_average_mean},
    {QKV__ATOM_NORM, tell_two_queries}, /* first: there are but so many indexes */
    {QKV__ATOM_NORM, tell_average_norm},
    {QKV__ATOM_NORM, tell_norm_of_parts},
    {QKV__ATOM_PRODUCT, tell_monotone},
    {QKV__ATOM_PRODUCT, tell_average_product},
    {QKV__ATOM_PRODUCT, tell_schwarz},
};

void qkv__inequality_tell_vectors(qkv__inequality *q, int atom)
{
    for (size_t row = 0; row < sizeof lemmas / sizeof lemmas[0]; row++)
        if (lemmas[row].kind == q->atom[atom].kind) lemmas[row].tell(q, atom);
}
