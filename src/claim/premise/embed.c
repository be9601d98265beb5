/*
 * Vectors of which nothing is known, put into coordinates: inner products among them are no free
 * numbers, since |x.y| <= |x||y|. Two vectors have the lengths r, s and the cosine t; more of them,
 * beside orthogonal ones of known length, have the rows of a triangular matrix for coordinates.
 * Either way every choice of the new numbers belongs to vectors, and all vectors have one, so that
 * what is proved holds for them all and what is found can be had.
 */
#include "claim/premise/embed.h"

#include <string.h>

#include "claim/model/binding.h"
#include "claim/premise/situation.h"
#include "claim/premise/reach.h"
#include "language/tree.h"

enum { VECTORS = 6 };

/* The vectors whose inner products a comparison depends on. */
typedef struct embedding {
    size_t count;
    qkv__symbol symbol[VECTORS];
    const qkv__unknown_product *product[VECTORS][VECTORS]; /* in play; NULL: not */
    bool has_length;                                       /* some x.x is in play */
} embedding;

static int index_of(embedding *e, qkv__symbol symbol)
{
    for (size_t i = 0; i < e->count; i++)
        if (e->symbol[i].family == symbol.family && e->symbol[i].member == symbol.member)
            return (int)i;
    if (e->count == VECTORS) return -1;
    e->symbol[e->count] = symbol;
    return (int)e->count++;
}

static bool depends(const qkv__value *x, int parameter)
{
    const qkv__vector *vector;
    if (x->kind == QKV__VALUE_SCALAR)
        return qkv__ratio_depends_on(x->scalar.factor, parameter) ||
               qkv__ratio_depends_on(x->scalar.radicand, parameter);
    if (!qkv__value_as_vector(x, &vector)) return false;
    for (size_t i = 0; i < vector->count; i++)
        if (qkv__ratio_depends_on(vector->component[i].factor, parameter)) return true;
    return false;
}

/* False where something else is known of a product, or too much is in play. */
static bool collect(const qkv__situation *s, const qkv__value *x, const qkv__value *y, embedding *e)
{
    const qkv__algebra *algebra = &s->model->algebra;
    for (const qkv__unknown_product *u = s->model->space.unknown; u != NULL; u = u->next) {
        if (!depends(x, u->parameter) && !depends(y, u->parameter)) continue;
        const qkv__parameter *known = &algebra->parameter[u->parameter];
        int i = index_of(e, u->x), j = index_of(e, u->y);
        bool bounded = known->upper.known ||
                       (known->lower.known && (i != j || known->lower.strict ||
                                               qkv__rational_sign(known->lower.value) != 0));
        if (i < 0 || j < 0 || bounded || known->generic) return false;
        for (size_t n = 0; n < s->substitution_count; n++)
            if (s->substitution[n].parameter == u->parameter) return false;
        e->product[i][j] = e->product[j][i] = u;
        e->has_length = e->has_length || i == j;
    }
    return e->has_length;
}

/* A new number of the coordinates, named for reports: |x|, cos(x, y), y.e1. */
static int add_number(qkv__situation *s, const char *format, const embedding *e, size_t i, size_t j)
{
    qkv__text first = {0}, second = {0}, name = {0};
    qkv__symbol_write(e->symbol[i], &first);
    qkv__symbol_write(e->symbol[j], &second);
    int parameter = -1;
    if (!first.failed && !second.failed) {
        if (strcmp(format, "coordinate") == 0)
            qkv__text_format(&name, "%s.e%zu", first.data, j + 1);
        else if (i == j)
            qkv__text_format(&name, "|%s|", first.data);
        else
            qkv__text_format(&name, "cos(%s, %s)", first.data, second.data);
        if (!name.failed) parameter = qkv__model_parameter(s->model, name.data);
    }
    qkv__text_free(&first);
    qkv__text_free(&second);
    qkv__text_free(&name);
    return parameter;
}

static const qkv__form *number(qkv__situation *s, int parameter)
{
    return qkv__form_parameter(&s->model->algebra, parameter);
}

static bool put(qkv__situation *s, const qkv__unknown_product *product, const qkv__form *form)
{
    if (product == NULL) return true;
    if (form == NULL || s->substitution_count == QKV__SUBSTITUTIONS) return false;
    s->substitution[s->substitution_count++] = (qkv__substitution){product->parameter, form, true};
    return true;
}

/* ---- Two vectors --------------------------------------------------------------------- */

/* The length of a vector: a number that is not negative, or 1. */
static const qkv__form *length_of(qkv__situation *s, const embedding *e, size_t i)
{
    qkv__ratio known;
    qkv__rational one;
    if (qkv__symbol_product(&s->model->space, e->symbol[i], e->symbol[i], &known))
        return qkv__ratio_is_constant(known, &one) && one.numerator == 1 && one.denominator == 1
                   ? qkv__form_whole(&s->model->algebra, 1)
                   : NULL;
    int parameter = add_number(s, "length", e, i, i);
    if (parameter < 0) return NULL;
    s->model->algebra.parameter[parameter].lower =
        (qkv__bound){.known = true, .value = qkv__rational_whole(0)};
    return number(s, parameter);
}

static bool embed_two(qkv__situation *s, const embedding *e)
{
    qkv__algebra *algebra = &s->model->algebra;
    const qkv__form *length[2] = {NULL, NULL};
    for (size_t i = 0; i < e->count; i++) {
        length[i] = length_of(s, e, i);
        if (length[i] == NULL || !put(s, e->product[i][i], qkv__form_power(algebra, length[i], 2)))
            return false;
    }
    if (e->count == 1) return true;
    qkv__ratio known;
    if (e->product[0][1] == NULL) /* then it is 0, or of no account */
        return !qkv__symbol_product(&s->model->space, e->symbol[0], e->symbol[1], &known) ||
               qkv__ratio_is_zero(known);
    int cosine = add_number(s, "cosine", e, 0, 1);
    if (cosine < 0) return false;
    qkv__parameter *between = &algebra->parameter[cosine];
    between->lower = (qkv__bound){.known = true, .value = qkv__rational_whole(-1)};
    between->upper = (qkv__bound){.known = true, .value = qkv__rational_whole(1)};
    return put(s, e->product[0][1],
               qkv__form_multiply(algebra, qkv__form_multiply(algebra, length[0], length[1]),
                                  number(s, cosine)));
}

/* ---- More of them -------------------------------------------------------------------- */

/* The coordinate of vector i along the known vector k: a number of its own if nothing else is said
 * of it. It must not be left out, even if only products with other vectors are in play: y.z is at
 * most |y||z|, and more than what is left of y beside k allows. */
static const qkv__form *along(qkv__situation *s, const embedding *e, size_t i, size_t k)
{
    qkv__algebra *algebra = &s->model->algebra;
    qkv__ratio known;
    qkv__rational value;
    if (e->product[i][k] != NULL) return number(s, e->product[i][k]->parameter);
    if (!qkv__symbol_product(&s->model->space, e->symbol[i], e->symbol[k], &known)) {
        int parameter = add_number(s, "coordinate", e, i, k);
        return parameter < 0 ? NULL : number(s, parameter);
    }
    return qkv__ratio_is_constant(known, &value) ? qkv__form_constant(algebra, value) : NULL;
}

/* Known vectors must be of length 1 and orthogonal to each other. */
static bool is_frame(qkv__situation *s, const embedding *e, const bool *is_known)
{
    for (size_t i = 0; i < e->count; i++)
        for (size_t j = 0; j <= i; j++) {
            qkv__ratio known;
            qkv__rational value;
            if (!is_known[i] || !is_known[j]) continue;
            if (!qkv__symbol_product(&s->model->space, e->symbol[i], e->symbol[j], &known) ||
                !qkv__ratio_is_constant(known, &value) ||
                qkv__rational_compare(value, qkv__rational_whole(i == j)) != 0)
                return false;
        }
    return true;
}

/* Whether the known vectors span the space of all. Values have a space of their own. */
static bool is_full(const qkv__situation *s, const embedding *e, size_t known)
{
    for (const qkv__statement *t = s->model->statements; t != NULL; t = qkv__statement_after(t))
        for (size_t i = 0; t->kind == QKV__STATEMENT_FAMILY && i < e->count; i++)
            if (strcmp(t->text, "values") == 0 &&
                strcmp(qkv__statement_name(t), e->symbol[i].family->name) == 0)
                return false;
    return known > 0 && (int64_t)known == s->model->dimension;
}

/* u_i.u_j = sum over known k of (u_i.k)(u_j.k) + sum over l <= j of L_il L_jl, for j <= i. */
static const qkv__form *product_of(qkv__situation *s, const embedding *e, const bool *is_known,
                                   size_t i, size_t j)
{
    qkv__algebra *algebra = &s->model->algebra;
    const qkv__form *sum = qkv__form_whole(algebra, 0);
    for (size_t k = 0; k < e->count; k++)
        if (is_known[k])
            sum = qkv__form_add(algebra, sum,
                                qkv__form_multiply(algebra, along(s, e, i, k), along(s, e, j, k)));
    size_t known = 0;
    for (size_t k = 0; k < e->count; k++) known += is_known[k];
    if (is_full(s, e, known)) return sum; /* nothing is left */
    for (size_t l = 0; l <= j; l++)
        if (!is_known[l])
            sum = qkv__form_add(
                algebra, sum,
                qkv__form_multiply(algebra, number(s, add_number(s, "coordinate", e, i, l)),
                                   number(s, add_number(s, "coordinate", e, j, l))));
    return sum;
}

static bool embed_many(qkv__situation *s, const embedding *e)
{
    bool is_known[VECTORS];
    qkv__ratio known;
    for (size_t i = 0; i < e->count; i++)
        is_known[i] = qkv__symbol_product(&s->model->space, e->symbol[i], e->symbol[i], &known);
    if (!is_frame(s, e, is_known)) return false;
    for (size_t i = 0; i < e->count; i++)
        for (size_t j = 0; j <= i; j++) {
            if (is_known[i] || is_known[j]) continue; /* (u.k) stays a number by itself */
            if (qkv__symbol_product(&s->model->space, e->symbol[i], e->symbol[j], &known))
                return false;
            if (!put(s, e->product[i][j], product_of(s, e, is_known, i, j))) return false;
        }
    return true;
}

void qkv__situation_embed(qkv__situation *s, const qkv__value *x, const qkv__value *y)
{
    embedding e = {.count = 0};
    size_t before = s->substitution_count;
    if (!collect(s, x, y, &e)) return;
    bool good = e.count <= 2 ? embed_two(s, &e) : embed_many(s, &e);
    if (!good) s->substitution_count = before;
}
