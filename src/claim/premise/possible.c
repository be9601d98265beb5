/*
 * Whether vectors with the inner products of a situation can exist at all. A Gram matrix is
 * positive semidefinite, so that none of its principal minors is negative: where one is negative
 * for all that the parameters may be, what is supposed is impossible. The converse does not hold,
 * and is not used. Knows situations and signs; nothing of propositions.
 */
#include "claim/premise/possible.h"

#include "ball/sign.h"
#include "exact/sign.h"

enum { VECTORS = 10, MINOR = 4, EFFORT = 400 };

/* The vectors of which inner products are given or bounded. */
typedef struct vectors {
    size_t count;
    qkv__symbol symbol[VECTORS];
} vectors;

/* A member that stands for all others where there may be none says nothing. */
static bool may_be_absent(const qkv__situation *s, qkv__symbol symbol)
{
    return symbol.member == QKV__GENERIC &&
           qkv__ratio_sign(&s->model->algebra,
                           qkv__rest_size(&s->model->algebra, symbol.family->set)) !=
               QKV__SIGN_POSITIVE;
}

static void add_vector(const qkv__situation *s, vectors *v, qkv__symbol symbol)
{
    if (may_be_absent(s, symbol)) return;
    for (size_t i = 0; i < v->count; i++)
        if (v->symbol[i].family == symbol.family && v->symbol[i].member == symbol.member) return;
    if (v->count < VECTORS && symbol.member != QKV__REST) v->symbol[v->count++] = symbol;
}

/* Whether more is known of a product than that it is one. */
static bool is_restricted(const qkv__situation *s, const qkv__unknown_product *u)
{
    const qkv__parameter *known = &s->model->algebra.parameter[u->parameter];
    if (known->upper.known ||
        (known->lower.known && (u->x.family != u->y.family || u->x.member != u->y.member)))
        return true;
    for (size_t i = 0; i < s->substitution_count; i++)
        if (s->substitution[i].parameter == u->parameter && !s->substitution[i].embedded)
            return true;
    return false;
}

static void collect(const qkv__situation *s, vectors *v)
{
    for (const qkv__given_product *g = s->model->space.given; g != NULL; g = g->next) {
        add_vector(s, v, g->x);
        add_vector(s, v, g->y);
    }
    for (const qkv__unknown_product *u = s->model->space.unknown; u != NULL; u = u->next) {
        if (!is_restricted(s, u)) continue;
        add_vector(s, v, u->x);
        add_vector(s, v, u->y);
    }
}

/* The product of two vectors under the premises; false where nothing stands for it. */
static bool product_of(const qkv__situation *s, qkv__symbol x, qkv__symbol y, qkv__ratio *product)
{
    bool known = qkv__symbol_product(&s->model->space, x, y, product);
    for (const qkv__unknown_product *u = s->model->space.unknown; u != NULL && !known;
         u = u->next) {
        bool one = u->x.family == x.family && u->x.member == x.member && u->y.family == y.family &&
                   u->y.member == y.member;
        bool other = u->x.family == y.family && u->x.member == y.member &&
                     u->y.family == x.family && u->y.member == x.member;
        if (!one && !other) continue;
        *product = qkv__ratio_of_form(&s->model->algebra,
                                      qkv__form_parameter(&s->model->algebra, u->parameter));
        known = true;
    }
    if (known) *product = qkv__situation_apply(s, *product);
    return known && !qkv__ratio_is_lost(*product);
}

/* By the first row. */
static qkv__ratio determinant(qkv__algebra *algebra, size_t size, qkv__ratio m[MINOR][MINOR])
{
    qkv__ratio sum = qkv__ratio_whole(algebra, 0);
    if (size == 1) return m[0][0];
    for (size_t c = 0; c < size; c++) {
        qkv__ratio below[MINOR][MINOR];
        if (qkv__ratio_is_zero(m[0][c])) continue;
        for (size_t i = 1; i < size; i++)
            for (size_t j = 0, to = 0; j < size; j++)
                if (j != c) below[i - 1][to++] = m[i][j];
        qkv__ratio part =
            qkv__ratio_multiply(algebra, m[0][c], determinant(algebra, size - 1, below));
        sum = c % 2 == 0 ? qkv__ratio_add(algebra, sum, part)
                         : qkv__ratio_subtract(algebra, sum, part);
    }
    return sum;
}

static bool is_negative(const qkv__situation *s, qkv__ratio ratio)
{
    qkv__sign_result result;
    qkv__box box;
    if (qkv__ratio_is_lost(ratio)) return false;
    if (qkv__ratio_sign(&s->model->algebra, ratio) == QKV__SIGN_NEGATIVE) return true;
    if (!qkv__box_of_algebra(&s->model->algebra, &box)) return false;
    return qkv__ball_sign(&s->model->algebra, ratio, &box, EFFORT, &result) == QKV__SIGN_NEGATIVE;
}

/* A vector of length 0 is orthogonal to all others, whatever their length. */
static bool is_zero_but_not_orthogonal(const qkv__situation *s, qkv__symbol x, qkv__symbol y)
{
    qkv__ratio square, product;
    if (!product_of(s, x, x, &square) || !qkv__ratio_is_zero(square) ||
        !product_of(s, x, y, &product))
        return false;
    return is_negative(s, product) ||
           is_negative(s, qkv__ratio_subtract(&s->model->algebra,
                                              qkv__ratio_whole(&s->model->algebra, 0), product));
}

/* The minor of the chosen vectors; a product of which nothing is known says nothing. */
static bool minor_is_negative(const qkv__situation *s, const vectors *v, const size_t *chosen,
                              size_t size)
{
    qkv__ratio m[MINOR][MINOR];
    for (size_t i = 0; size == 2 && i < 2; i++)
        if (is_zero_but_not_orthogonal(s, v->symbol[chosen[i]], v->symbol[chosen[1 - i]]))
            return true;
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j <= i; j++) {
            if (!product_of(s, v->symbol[chosen[i]], v->symbol[chosen[j]], &m[i][j])) return false;
            m[j][i] = m[i][j];
        }
    return is_negative(s, determinant(&s->model->algebra, size, m));
}

static bool some_minor_is_negative(const qkv__situation *s, const vectors *v, size_t *chosen,
                                   size_t size, size_t from)
{
    if (size > 0 && minor_is_negative(s, v, chosen, size)) return true;
    for (size_t next = from; size < MINOR && next < v->count; next++) {
        chosen[size] = next;
        if (some_minor_is_negative(s, v, chosen, size + 1, next + 1)) return true;
    }
    return false;
}

bool qkv__situation_is_impossible(const qkv__situation *s)
{
    vectors v = {.count = 0};
    size_t chosen[MINOR];
    collect(s, &v);
    return v.count > 0 && some_minor_is_negative(s, &v, chosen, 0, 0);
}
