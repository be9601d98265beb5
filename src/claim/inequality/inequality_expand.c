/* Trees multiplied out: products of sums, inner products of sums of vectors, and sums over indexes
 * taken apart into sums of monomials, without what does not depend on the index. Two expressions
 * that are alike up to such steps are then written alike. Knows nothing of what numbers are. */
#include <stdio.h>
#include <string.h>

#include "claim/inequality/inequality_part.h"
#include "language/builtin.h"
#include "language/tree.h"

enum { TERMS = 40, FACTORS = 8, DEEPEST = 40, LARGEST_POWER = 4 };

/* coefficient * the product of factor^power * vector */
typedef struct term {
    qkv__rational coefficient;
    size_t count;
    struct {
        const qkv__node *node;
        const char *text;
        int power;           /* not 0 */
    } factor[FACTORS];       /* in the order of their texts */
    const qkv__node *vector; /* NULL: the term is a number */
    const char *vector_text;
} term;

typedef struct expansion {
    size_t count;
    term term[TERMS];
} expansion;

static bool expand(qkv__inequality *q, const qkv__node *node, int depth, expansion *sum);
static bool expand_product(qkv__inequality *q, const qkv__node *left, const qkv__node *right,
                           int depth, expansion *sum);

/* ---- Terms --------------------------------------------------------------------------- */

static term number_term(qkv__rational coefficient)
{
    return (term){.coefficient = coefficient};
}

/* Whether two terms differ in their coefficients alone. */
static bool alike(const term *x, const term *y)
{
    if (x->count != y->count || (x->vector == NULL) != (y->vector == NULL)) return false;
    for (size_t i = 0; i < x->count; i++)
        if (x->factor[i].power != y->factor[i].power ||
            strcmp(x->factor[i].text, y->factor[i].text) != 0)
            return false;
    return x->vector == NULL || strcmp(x->vector_text, y->vector_text) == 0;
}

static bool add_term(expansion *sum, const term *more)
{
    if (qkv__rational_is_lost(more->coefficient)) return false;
    if (qkv__rational_is_zero(more->coefficient)) return true;
    for (size_t i = 0; i < sum->count; i++) {
        term *own = &sum->term[i];
        if (!alike(own, more)) continue;
        own->coefficient = qkv__rational_add(own->coefficient, more->coefficient);
        if (qkv__rational_is_lost(own->coefficient)) return false;
        if (qkv__rational_is_zero(own->coefficient)) *own = sum->term[--sum->count];
        return true;
    }
    if (sum->count == TERMS) return false;
    sum->term[sum->count++] = *more;
    return true;
}

static bool times_factor(term *product, const qkv__node *node, const char *text, int power)
{
    size_t at = 0;
    if (node == NULL || text == NULL) return false;
    while (at < product->count && strcmp(product->factor[at].text, text) < 0) at++;
    if (at < product->count && strcmp(product->factor[at].text, text) == 0) {
        product->factor[at].power += power;
        if (product->factor[at].power != 0) return true;
        product->count--;
        memmove(&product->factor[at], &product->factor[at + 1],
                (product->count - at) * sizeof product->factor[0]);
        return true;
    }
    if (product->count == FACTORS) return false;
    memmove(&product->factor[at + 1], &product->factor[at],
            (product->count - at) * sizeof product->factor[0]);
    product->count++;
    product->factor[at].node = node;
    product->factor[at].text = text;
    product->factor[at].power = power;
    return true;
}

/* The product of two terms, of which one at most has a vector. */
static bool times(const term *x, const term *y, term *product)
{
    *product = *x;
    product->coefficient = qkv__rational_multiply(x->coefficient, y->coefficient);
    if (y->vector != NULL) {
        if (x->vector != NULL) return false;
        product->vector = y->vector;
        product->vector_text = y->vector_text;
    }
    for (size_t i = 0; i < y->count; i++)
        if (!times_factor(product, y->factor[i].node, y->factor[i].text, y->factor[i].power))
            return false;
    return !qkv__rational_is_lost(product->coefficient);
}

static expansion *empty(qkv__inequality *q)
{
    expansion *made = qkv__arena_take(&q->algebra.arena, sizeof *made);
    if (made != NULL) made->count = 0;
    return made;
}

/* sum += factor*x */
static bool add_multiple(expansion *sum, const expansion *x, const term *factor)
{
    term product;
    for (size_t i = 0; i < x->count; i++)
        if (!times(&x->term[i], factor, &product) || !add_term(sum, &product)) return false;
    return true;
}

/* ---- Back to trees ------------------------------------------------------------------- */

/* The product of the factors of a term and its vector, or 1; `name`: of those alone that speak of
 * it, or (inside false) of the others. */
static const qkv__node *product_of(qkv__inequality *q, const term *x, const char *name, bool inside)
{
    const qkv__node *product = NULL;
    for (size_t i = 0; i < x->count; i++) {
        const qkv__node *one = x->factor[i].node;
        const int power = x->factor[i].power;
        if (name != NULL && qkv__tree_has_free(one, name) != inside) continue;
        const qkv__node *exponent = qkv__tree_number(q, power < 0 ? -power : power);
        if (exponent == NULL) return NULL;
        if (power != 1 && power != -1) one = qkv__tree_make(q, QKV__NODE_POWER, "", one, exponent);
        if (one == NULL) return NULL;
        if (product == NULL && power < 0) product = qkv__tree_number(q, 1);
        product = power < 0         ? qkv__tree_make(q, QKV__NODE_DIVIDE, "", product, one)
                  : product == NULL ? one
                                    : qkv__tree_make(q, QKV__NODE_MULTIPLY, "", product, one);
        if (product == NULL) return NULL;
    }
    if (x->vector != NULL && (name == NULL || qkv__tree_has_free(x->vector, name) == inside))
        product = product == NULL ? x->vector
                                  : qkv__tree_make(q, QKV__NODE_MULTIPLY, "", product, x->vector);
    return product == NULL ? qkv__tree_number(q, 1) : product;
}

static const qkv__node *term_tree(qkv__inequality *q, const term *x)
{
    const qkv__node *product = product_of(q, x, NULL, false);
    qkv__node like = {.kind = QKV__NODE_NUMBER, .place = q->claim->place, .text = ""};
    qkv__node *number = qkv__arena_take(&q->algebra.arena, sizeof *number);
    if (product == NULL || number == NULL) return NULL;
    const qkv__node *none = qkv__tree_number(q, 1);
    if (none == NULL) return NULL;
    like = *none;
    like.value = x->coefficient;
    *number = like;
    if (product->kind == QKV__NODE_NUMBER) return number;
    return qkv__rational_compare(x->coefficient, qkv__rational_whole(1)) == 0
               ? product
               : qkv__tree_make(q, QKV__NODE_MULTIPLY, "", number, product);
}

/* The order in which terms are written: that of their texts, so that q + t*u and t*u + q are alike.
 */
static int compare_terms(const term *x, const term *y)
{
    if ((x->vector == NULL) != (y->vector == NULL)) return x->vector == NULL ? -1 : 1;
    int order = x->vector == NULL ? 0 : strcmp(x->vector_text, y->vector_text);
    for (size_t i = 0; order == 0 && i < x->count && i < y->count; i++) {
        order = strcmp(x->factor[i].text, y->factor[i].text);
        if (order == 0) order = x->factor[i].power - y->factor[i].power;
    }
    return order != 0 ? order : (int)x->count - (int)y->count;
}

static const qkv__node *sum_tree(qkv__inequality *q, const expansion *x)
{
    const qkv__node *sum = NULL;
    size_t order[TERMS];
    for (size_t i = 0; i < x->count; i++) {
        size_t at = i;
        for (; at > 0 && compare_terms(&x->term[i], &x->term[order[at - 1]]) < 0; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    for (size_t i = 0; i < x->count; i++) {
        const qkv__node *one = term_tree(q, &x->term[order[i]]);
        if (one == NULL) return NULL;
        sum = sum == NULL ? one : qkv__tree_make(q, QKV__NODE_ADD, "", sum, one);
        if (sum == NULL) return NULL;
    }
    return sum == NULL ? qkv__tree_number(q, 0) : sum;
}

/* ---- Sums over indexes --------------------------------------------------------------- */

const char *qkv__tree_fresh_name(qkv__inequality *q)
{
    char name[16];
    snprintf(name, sizeof name, "$k%04u", q->fresh_names++ % 10000u);
    return qkv__arena_text(&q->algebra.arena, name, strlen(name));
}

const qkv__node *qkv__tree_sum(qkv__inequality *q, const char *name, const qkv__node *body,
                               const qkv__node *domain)
{
    const qkv__node *over = body == NULL || domain == NULL
                                ? NULL
                                : qkv__tree_make(q, QKV__NODE_SUM, name, body, domain);
    return over == NULL ? NULL : qkv__tree_make(q, QKV__NODE_CALL, "sum", over, NULL);
}

/* weight[i]*(v[i].y), the weights of one attention and v a family of as many, y the same for all i:
 * its sum is attend(.., v).y. NULL: the term is something else. */
static const qkv__node *mean_product(qkv__inequality *q, const term *x, const char *name,
                                     const qkv__node *domain)
{
    const qkv__node *weight = NULL, *product = NULL, *attention, *index;
    if (x->vector != NULL) return NULL;
    for (size_t i = 0; i < x->count; i++) {
        const qkv__node *node = x->factor[i].node;
        if (!qkv__tree_has_free(node, name)) continue;
        if (x->factor[i].power != 1) return NULL;
        if (node->kind == QKV__NODE_DOT && product == NULL)
            product = node;
        else if (weight == NULL && qkv__tree_is_weight(q, node, &attention, &index))
            weight = node;
        else
            return NULL;
    }
    for (size_t at = 0; weight != NULL && product != NULL && at < 2; at++) {
        const qkv__node *value = product->child[at], *other = product->child[1 - at];
        if (qkv__tree_has_free(other, name)) continue;
        const qkv__node *body = qkv__tree_make(q, QKV__NODE_MULTIPLY, "", weight, value);
        const qkv__node *over =
            body == NULL ? NULL : qkv__tree_make(q, QKV__NODE_SUM, name, body, domain);
        const qkv__node *mean = over == NULL ? NULL : qkv__tree_mean(q, over);
        return mean == NULL ? NULL : qkv__tree_make(q, QKV__NODE_DOT, "", mean, other);
    }
    return NULL;
}

/* The exponent x of e^x; NULL: it is no such power. */
static const qkv__node *exponent_of(const qkv__node *node)
{
    return node->kind == QKV__NODE_POWER && node->child[0]->kind == QKV__NODE_NAME &&
                   strcmp(node->child[0]->text, "e") == 0
               ? node->child[1]
               : NULL;
}

/* query += factor*y, where a term is (factor*k[name]).y, k one family for all terms, and neither
 * the factor nor y depends on the index. */
static bool take_score_term(qkv__inequality *q, const term *own, const char *name, int sign,
                            const qkv__node **family, expansion *query)
{
    term rest = number_term(own->coefficient);
    const qkv__node *other = NULL;
    if (sign < 0) rest.coefficient = qkv__rational_negate(rest.coefficient);
    for (size_t i = 0; i < own->count; i++) {
        const qkv__node *node = own->factor[i].node;
        if (!qkv__tree_has_free(node, name)) {
            if (!times_factor(&rest, node, own->factor[i].text, own->factor[i].power)) return false;
            continue;
        }
        if (node->kind != QKV__NODE_DOT || other != NULL || own->factor[i].power != 1) return false;
        const int at = qkv__tree_has_free(node->child[1], name);
        const qkv__node *key = node->child[at];
        other = node->child[1 - at];
        if (qkv__tree_has_free(other, name) || key->kind != QKV__NODE_INDEX || key->count != 2 ||
            key->child[0]->kind != QKV__NODE_NAME || key->child[1]->kind != QKV__NODE_NAME ||
            strcmp(key->child[1]->text, name) != 0 ||
            (*family != NULL && strcmp((*family)->text, key->child[0]->text) != 0))
            return false;
        *family = key->child[0];
    }
    expansion *vector = empty(q);
    return own->vector == NULL && other != NULL && vector != NULL && expand(q, other, 0, vector) &&
           add_multiple(query, vector, &rest);
}

/* The same for every term of an exponent. */
static bool take_score(qkv__inequality *q, const qkv__node *exponent, const char *name, int sign,
                       const qkv__node **family, expansion *query)
{
    expansion *x = empty(q);
    if (x == NULL || !expand(q, exponent, 0, x) || x->count == 0) return false;
    for (size_t i = 0; i < x->count; i++)
        if (!take_score_term(q, &x->term[i], name, sign, family, query)) return false;
    return true;
}

const qkv__node *qkv__tree_query(qkv__inequality *q, const qkv__node *exponent, const char *name,
                                 const qkv__node **family)
{
    expansion *query = empty(q);
    *family = NULL;
    return query != NULL && take_score(q, exponent, name, 1, family, query) && query->count > 0
               ? sum_tree(q, query)
               : NULL;
}

/*
 * e^s[i], with the score s[i] = k[i].y for all keys, is weight[i] of attend(y, k, k) times the sum
 * of e^s. A term in which such powers of e are: with the weight and the sum in their place. True
 * too where there is none, or of another kind: the term stays.
 */
static bool weigh(qkv__inequality *q, term *x, const char *name, const qkv__node *domain)
{
    expansion *query = empty(q);
    term rest = *x;
    const qkv__node *family = NULL, *product = NULL;
    if (query == NULL) return false;
    rest.count = 0;
    for (size_t i = 0; i < x->count; i++) {
        const qkv__node *node = x->factor[i].node, *exponent = exponent_of(node);
        const int power = x->factor[i].power;
        if (exponent == NULL || !qkv__tree_has_free(node, name)) {
            if (!times_factor(&rest, node, x->factor[i].text, power)) return false;
            continue;
        }
        if ((power != 1 && power != -1) || !take_score(q, exponent, name, power, &family, query))
            return true;
        term alone = number_term(qkv__rational_whole(1));
        alone.count = 1;
        alone.factor[0] = x->factor[i];
        const qkv__node *one = product_of(q, &alone, NULL, false);
        product = product == NULL || one == NULL
                      ? one
                      : qkv__tree_make(q, QKV__NODE_MULTIPLY, "", product, one);
        if (product == NULL) return false;
    }
    if (product == NULL) return true;
    const qkv__node *keys = qkv__tree_family_range(q, family->text);
    const qkv__node *by = sum_tree(q, query);
    const qkv__node *weight =
        by == NULL || keys == NULL ? NULL : qkv__tree_running_weight(q, by, family, name);
    const qkv__node *over =
        weight == NULL ? NULL : qkv__tree_make(q, QKV__NODE_SUM, name, weight, domain);
    const qkv__node *total = qkv__tree_sum(q, name, product, domain);
    if (over == NULL || total == NULL || !qkv__inequality_is_weight_over(q, weight, over))
        return true;
    if (!times_factor(&rest, weight, qkv__tree_text(q, weight), 1) ||
        !times_factor(&rest, total, qkv__tree_text(q, total), 1))
        return false;
    *x = rest;
    return true;
}

/* sum(x for name in S) for one term x: what does not depend on the index stands in front. */
static bool sum_term(qkv__inequality *q, const term *x, const char *name, const qkv__node *domain,
                     expansion *sum)
{
    term rest = number_term(x->coefficient);
    for (size_t i = 0; i < x->count; i++)
        if (!qkv__tree_has_free(x->factor[i].node, name) &&
            !times_factor(&rest, x->factor[i].node, x->factor[i].text, x->factor[i].power))
            return false;
    const bool running = x->vector != NULL && qkv__tree_has_free(x->vector, name);
    if (!running) {
        rest.vector = x->vector;
        rest.vector_text = x->vector_text;
    }
    const qkv__node *body = product_of(q, x, name, true);
    const qkv__node *over =
        body == NULL ? NULL : qkv__tree_make(q, QKV__NODE_SUM, name, body, domain);
    if (over == NULL) return false;
    if (running) {
        const qkv__node *mean = qkv__tree_mean(q, over);
        rest.vector = mean != NULL ? mean : qkv__tree_make(q, QKV__NODE_CALL, "sum", over, NULL);
        rest.vector_text = rest.vector == NULL ? NULL : qkv__tree_text(q, rest.vector);
        return rest.vector_text != NULL && add_term(sum, &rest);
    }
    if (qkv__inequality_is_weight_over(q, body, over)) return add_term(sum, &rest); /* their sum */
    term plain = *x;
    plain.vector = NULL;
    const qkv__node *mean = mean_product(q, &plain, name, domain);
    const qkv__node *whole =
        mean != NULL ? mean : qkv__tree_make(q, QKV__NODE_CALL, "sum", over, NULL);
    return whole != NULL && times_factor(&rest, whole, qkv__tree_text(q, whole), 1) &&
           add_term(sum, &rest);
}

/* sum(x for i in S) */
static bool expand_over(qkv__inequality *q, const qkv__node *over, int depth, expansion *sum)
{
    const char *name = qkv__tree_fresh_name(q);
    const qkv__node *body =
        name == NULL ? NULL : qkv__tree_put(q, over->child[0], over->text, name);
    const qkv__node *domain = over->child[1];
    const qkv__node *index =
        name == NULL ? NULL : qkv__tree_make(q, QKV__NODE_NAME, name, NULL, NULL);
    expansion *inside = empty(q);
    if (body == NULL || index == NULL || inside == NULL || domain->kind != QKV__NODE_COMPARE ||
        domain->comparison != QKV__IN || domain->child[1]->kind != QKV__NODE_RANGE ||
        !expand(q, body, depth + 1, inside))
        return false;
    domain = qkv__tree_domain(q, index, domain->child[1]);
    for (size_t i = 0; i < inside->count; i++)
        if (domain == NULL || !weigh(q, &inside->term[i], name, domain) ||
            !sum_term(q, &inside->term[i], name, domain, sum))
            return false;
    return true;
}

/* ---- Inner products ------------------------------------------------------------------ */

static bool is_sum(const qkv__node *node)
{
    return node->kind == QKV__NODE_CALL && node->count == 1 && qkv__call_is_over(node) &&
           qkv__builtin_of(node) == QKV__BUILTIN_SUM;
}

/* x.y of two vectors that are no sums, times a term: |x|^2 where they are one; of a sum over an
 * index, the sum of the products. */
static bool add_product(qkv__inequality *q, const qkv__node *x, const qkv__node *y,
                        const term *factor, int depth, expansion *sum)
{
    for (int side = 0; side < 2; side++) {
        const qkv__node *outer = side == 0 ? x : y, *other = side == 0 ? y : x;
        if (!is_sum(outer)) continue;
        expansion *inside = empty(q);
        const char *name = qkv__tree_fresh_name(q);
        const qkv__node *over = outer->child[0];
        const qkv__node *body =
            name == NULL ? NULL : qkv__tree_put(q, over->child[0], over->text, name);
        const qkv__node *product =
            body == NULL ? NULL : qkv__tree_make(q, QKV__NODE_DOT, "", body, other);
        const qkv__node *made =
            product == NULL ? NULL
                            : qkv__tree_make(q, QKV__NODE_SUM, name, product, over->child[1]);
        return made != NULL && inside != NULL && expand_over(q, made, depth + 1, inside) &&
               add_multiple(sum, inside, factor);
    }
    term own = *factor;
    const char *a = qkv__tree_text(q, x), *b = qkv__tree_text(q, y);
    const bool same = a != NULL && b != NULL && strcmp(a, b) == 0;
    const qkv__node *length = same ? qkv__tree_declared_length(q, x) : NULL;
    if (length != NULL) {
        expansion *square = empty(q);
        return square != NULL && expand_product(q, length, length, depth, square) &&
               add_multiple(sum, square, factor);
    }
    const qkv__node *node = same ? qkv__tree_make(q, QKV__NODE_SIZE, "", x, NULL)
                                 : qkv__tree_make(q, QKV__NODE_DOT, "", x, y);
    return node != NULL && times_factor(&own, node, qkv__tree_text(q, node), same ? 2 : 1) &&
           add_term(sum, &own);
}

static bool expand_dot(qkv__inequality *q, const qkv__node *left, const qkv__node *right, int depth,
                       expansion *sum)
{
    expansion *x = empty(q), *y = empty(q);
    if (x == NULL || y == NULL || !expand(q, left, depth + 1, x) || !expand(q, right, depth + 1, y))
        return false;
    for (size_t i = 0; i < x->count; i++)
        for (size_t j = 0; j < y->count; j++) {
            term a = x->term[i], b = y->term[j], both;
            const qkv__node *u = a.vector, *v = b.vector;
            a.vector = b.vector = NULL;
            if (u == NULL || v == NULL || !times(&a, &b, &both) ||
                !add_product(q, u, v, &both, depth, sum))
                return false;
        }
    return true;
}

/* ---- Expressions --------------------------------------------------------------------- */

static bool expand_product(qkv__inequality *q, const qkv__node *left, const qkv__node *right,
                           int depth, expansion *sum)
{
    expansion *x = empty(q), *y = empty(q);
    if (x == NULL || y == NULL || !expand(q, left, depth + 1, x) || !expand(q, right, depth + 1, y))
        return false;
    for (size_t i = 0; i < y->count; i++)
        if (!add_multiple(sum, x, &y->term[i])) return false;
    return true;
}

/* Whether an expression is a vector for certain: M*x with a matrix M is not taken for a number
 * times a vector. */
static bool is_plain_vector(qkv__inequality *q, const qkv__node *node)
{
    if (!qkv__inequality_is_vector(q, node)) return false;
    switch (node->kind) {
    case QKV__NODE_NEGATE: return is_plain_vector(q, node->child[0]);
    case QKV__NODE_ADD:
    case QKV__NODE_SUBTRACT:
        return is_plain_vector(q, node->child[0]) && is_plain_vector(q, node->child[1]);
    case QKV__NODE_DIVIDE:
        return is_plain_vector(q, node->child[0]) && qkv__tree_is_scalar(q, node->child[1]);
    case QKV__NODE_MULTIPLY: {
        const int at = qkv__inequality_is_vector(q, node->child[1]);
        return is_plain_vector(q, node->child[at]) && qkv__tree_is_scalar(q, node->child[1 - at]);
    }
    case QKV__NODE_CALL:
        return !qkv__call_is_over(node) || is_plain_vector(q, node->child[0]->child[0]);
    default: return true;
    }
}

/* Whether a name is a number of the document: no matrix, whose products have an order. */
static bool is_number_name(qkv__inequality *q, const char *name)
{
    const qkv__statement *s = qkv__tree_declaration(q, name);
    if (strcmp(name, "e") == 0) return true;
    if (qkv__tree_veil(q, name) != NULL) return false;
    if (s != NULL && (s->kind != QKV__STATEMENT_OBJECT || strcmp(s->text, "scalar") != 0))
        return false;
    for (size_t i = 0; i < q->index_count; i++)
        if (strcmp(q->index[i].name, name) == 0) return q->numbers;
    if (name[0] == '$') return q->numbers; /* a bound index */
    return strcmp(name, "I") != 0;         /* no matrix */
}

bool qkv__tree_is_scalar(qkv__inequality *q, const qkv__node *node)
{
    const qkv__node *attention, *index;
    switch (node->kind) {
    case QKV__NODE_NUMBER: return true;
    case QKV__NODE_NAME: return is_number_name(q, node->text);
    case QKV__NODE_INDEX: return qkv__tree_is_weight(q, node, &attention, &index);
    case QKV__NODE_DOT:
        return is_plain_vector(q, node->child[0]) && is_plain_vector(q, node->child[1]);
    case QKV__NODE_SIZE:
        return is_plain_vector(q, node->child[0]) || qkv__tree_is_scalar(q, node->child[0]);
    case QKV__NODE_NEGATE:
    case QKV__NODE_ADD:
    case QKV__NODE_SUBTRACT:
    case QKV__NODE_MULTIPLY:
    case QKV__NODE_DIVIDE:
    case QKV__NODE_POWER: break;
    case QKV__NODE_CALL:
        if (node->count != 1) return false;
        switch (qkv__builtin_of(node)) {
        case QKV__BUILTIN_EXP:
        case QKV__BUILTIN_LN:
        case QKV__BUILTIN_SQRT:
        case QKV__BUILTIN_ABS: return qkv__tree_is_scalar(q, node->child[0]);
        case QKV__BUILTIN_SUM:
        case QKV__BUILTIN_MEAN:
        case QKV__BUILTIN_MAX:
        case QKV__BUILTIN_MIN:
            return qkv__call_is_over(node) && qkv__tree_is_scalar(q, node->child[0]->child[0]);
        default: return false;
        }
    default: return false;
    }
    for (size_t i = 0; i < node->count; i++)
        if (!qkv__tree_is_scalar(q, node->child[i])) return false;
    return true;
}

/* A number that is not looked into. */
static bool expand_atom(qkv__inequality *q, const qkv__node *node, int power, expansion *sum)
{
    term own = number_term(qkv__rational_whole(1));
    return qkv__tree_is_scalar(q, node) &&
           times_factor(&own, node, qkv__tree_text(q, node), power) && add_term(sum, &own);
}

static bool expand_quotient(qkv__inequality *q, const qkv__node *node, int depth, expansion *sum)
{
    expansion *x = empty(q), *y = empty(q);
    if (x == NULL || y == NULL || !expand(q, node->child[0], depth + 1, x) ||
        !expand(q, node->child[1], depth + 1, y) || y->count == 0)
        return false;
    term inverse = number_term(qkv__rational_whole(1));
    if (y->count == 1) {
        inverse.coefficient = qkv__rational_divide(inverse.coefficient, y->term[0].coefficient);
        for (size_t i = 0; i < y->term[0].count; i++)
            if (!times_factor(&inverse, y->term[0].factor[i].node, y->term[0].factor[i].text,
                              -y->term[0].factor[i].power))
                return false;
    } else if (!qkv__tree_is_scalar(q, node->child[1]) ||
               !times_factor(&inverse, node->child[1], qkv__tree_text(q, node->child[1]), -1)) {
        return false;
    }
    return add_multiple(sum, x, &inverse);
}

/* e^(x + 2*y - z) = e^x * e^(2*y) / e^z */
static bool expand_exponential(qkv__inequality *q, const qkv__node *exponent, int depth,
                               expansion *sum)
{
    expansion *x = empty(q);
    term own = number_term(qkv__rational_whole(1));
    const qkv__node *base = qkv__tree_make(q, QKV__NODE_NAME, "e", NULL, NULL);
    if (x == NULL || base == NULL || !qkv__tree_is_scalar(q, exponent) ||
        !expand(q, exponent, depth + 1, x))
        return false;
    for (size_t i = 0; i < x->count; i++) {
        term one = x->term[i];
        const int sign = qkv__rational_sign(one.coefficient);
        if (sign < 0) one.coefficient = qkv__rational_negate(one.coefficient);
        const qkv__node *part = one.vector != NULL ? NULL : term_tree(q, &one);
        const qkv__node *power =
            part == NULL ? NULL : qkv__tree_make(q, QKV__NODE_POWER, "", base, part);
        if (power == NULL || !times_factor(&own, power, qkv__tree_text(q, power), sign))
            return false;
    }
    return add_term(sum, &own);
}

static bool is_euler(const qkv__node *node)
{
    return node->kind == QKV__NODE_NAME && strcmp(node->text, "e") == 0;
}

static bool expand_power(qkv__inequality *q, const qkv__node *node, int depth, expansion *sum)
{
    const qkv__node *base = node->child[0], *exponent = node->child[1];
    if (is_euler(base)) return expand_exponential(q, exponent, depth, sum);
    if (exponent->kind != QKV__NODE_NUMBER || !qkv__rational_is_whole(exponent->value) ||
        exponent->value.numerator < 1 || exponent->value.numerator > LARGEST_POWER)
        return expand_atom(q, node, 1, sum);
    const int64_t power = exponent->value.numerator;
    if (base->kind == QKV__NODE_SIZE && qkv__inequality_is_vector(q, base->child[0]) && power == 2)
        return expand_dot(q, base->child[0], base->child[0], depth, sum);
    const qkv__node *rest = qkv__tree_number(q, power - 1);
    const qkv__node *less =
        power == 1 || rest == NULL ? NULL : qkv__tree_make(q, QKV__NODE_POWER, "", base, rest);
    if (power == 1) return expand(q, base, depth + 1, sum);
    return less != NULL && expand_product(q, less, base, depth, sum);
}

/* |x| of a vector, x multiplied out. */
static bool expand_size(qkv__inequality *q, const qkv__node *node, int depth, expansion *sum)
{
    const qkv__node *x = node->child[0];
    expansion *inside = empty(q);
    if (!qkv__inequality_is_vector(q, x)) return expand_atom(q, node, 1, sum);
    if (!is_plain_vector(q, x) || inside == NULL || !expand(q, x, depth + 1, inside)) return false;
    if (inside->count == 0) return true; /* |0| = 0 */
    const qkv__node *made = sum_tree(q, inside);
    const qkv__node *size = made == NULL ? NULL : qkv__tree_make(q, QKV__NODE_SIZE, "", made, NULL);
    return size != NULL && expand_atom(q, size, 1, sum);
}

/* ln(c.weight[i]) = the score of i - ln(sum of e^score) */
static bool expand_log_weight(qkv__inequality *q, const qkv__node *attention,
                              const qkv__node *index, int depth, expansion *sum)
{
    const char *name = qkv__tree_fresh_name(q);
    const qkv__node *running =
        name == NULL ? NULL : qkv__tree_make(q, QKV__NODE_NAME, name, NULL, NULL);
    const qkv__node *base = qkv__tree_make(q, QKV__NODE_NAME, "e", NULL, NULL);
    const qkv__node *score = running == NULL ? NULL : qkv__tree_score(q, attention, running);
    const qkv__node *power =
        score == NULL || base == NULL ? NULL : qkv__tree_make(q, QKV__NODE_POWER, "", base, score);
    const qkv__node *range = qkv__tree_family_range(q, attention->child[1]->text);
    const qkv__node *all =
        power == NULL ? NULL : qkv__tree_sum(q, name, power, qkv__tree_domain(q, running, range));
    const qkv__node *ln = all == NULL ? NULL : qkv__tree_make(q, QKV__NODE_CALL, "ln", all, NULL);
    const qkv__node *own = qkv__tree_score(q, attention, index);
    const qkv__node *made =
        ln == NULL || own == NULL ? NULL : qkv__tree_make(q, QKV__NODE_SUBTRACT, "", own, ln);
    return made != NULL && expand(q, made, depth + 1, sum);
}

/* The n of mean(x for i in 1..n), where a family has as many members; NULL: it is none. */
static const qkv__node *size_of_mean(qkv__inequality *q, const qkv__node *node)
{
    if (node->kind != QKV__NODE_CALL || node->count != 1 || !qkv__call_is_over(node) ||
        qkv__builtin_of(node) != QKV__BUILTIN_MEAN)
        return NULL;
    const qkv__node *domain = node->child[0]->child[1];
    return domain->kind == QKV__NODE_COMPARE && domain->comparison == QKV__IN
               ? qkv__tree_size(q, domain->child[1])
               : NULL;
}

static bool expand_call(qkv__inequality *q, const qkv__node *node, int depth, expansion *sum)
{
    const qkv__node *attention, *index, *other, *another;
    if (is_sum(node) && node->child[0]->child[1]->kind == QKV__NODE_COMPARE &&
        node->child[0]->child[1]->comparison == QKV__IN &&
        node->child[0]->child[1]->child[1]->kind == QKV__NODE_RANGE)
        return expand_over(q, node->child[0], depth, sum);
    if (size_of_mean(q, node) != NULL) {
        const qkv__node *sum_call = qkv__tree_make(q, QKV__NODE_CALL, "sum", node->child[0], NULL);
        const qkv__node *made = sum_call == NULL ? NULL
                                                 : qkv__tree_make(q, QKV__NODE_DIVIDE, "", sum_call,
                                                                  size_of_mean(q, node));
        return made != NULL && expand(q, made, depth + 1, sum);
    }
    if (node->count == 1 && qkv__builtin_of(node) == QKV__BUILTIN_LN &&
        qkv__tree_is_weight(q, node->child[0], &attention, &index))
        return expand_log_weight(q, attention, index, depth, sum);
    if (node->count == 1 && qkv__builtin_of(node) == QKV__BUILTIN_LN &&
        node->child[0]->kind == QKV__NODE_DIVIDE &&
        qkv__tree_is_weight(q, node->child[0]->child[0], &attention, &index) &&
        qkv__tree_is_weight(q, node->child[0]->child[1], &other, &another)) {
        expansion *below = empty(q); /* both are positive */
        const term minus = number_term(qkv__rational_whole(-1));
        return below != NULL && expand_log_weight(q, attention, index, depth, sum) &&
               expand_log_weight(q, other, another, depth, below) &&
               add_multiple(sum, below, &minus);
    }
    if (node->count == 1 && qkv__builtin_of(node) == QKV__BUILTIN_EXP)
        return expand_exponential(q, node->child[0], depth, sum);
    return expand_atom(q, node, 1, sum);
}

/* attend(q, k, v, scale = x) as attend(x*q, k, v), x*q multiplied out. */
static const qkv__node *plain_attention(qkv__inequality *q, const qkv__node *attention, int depth)
{
    const qkv__node *query = attention->child[0];
    expansion *sum = empty(q);
    if (attention->count == 4)
        query = qkv__tree_make(q, QKV__NODE_MULTIPLY, "", attention->child[3]->child[0], query);
    if (query == NULL || sum == NULL || !expand(q, query, depth + 1, sum)) return NULL;
    query = sum_tree(q, sum);
    return query == NULL ? NULL : qkv__tree_with_query(q, attention, query);
}

/* A weight does not depend on the values: it is written as that of attend(q, k, k). */
static const qkv__node *plain_weight(qkv__inequality *q, const qkv__node *attention,
                                     const qkv__node *index, int depth)
{
    const qkv__node *plain = plain_attention(q, attention, depth);
    if (plain != NULL) plain = qkv__tree_with_values(q, plain, plain->child[1]);
    const qkv__node *weights =
        plain == NULL ? NULL : qkv__tree_make(q, QKV__NODE_MEMBER, "weight", plain, NULL);
    return weights == NULL ? NULL : qkv__tree_make(q, QKV__NODE_INDEX, "", weights, index);
}

static bool expand_vector(qkv__inequality *q, const qkv__node *node, int depth, expansion *sum)
{
    term own = number_term(qkv__rational_whole(1));
    if (!is_plain_vector(q, node)) return false;
    if (qkv__tree_is_attention(q, node) && (node = plain_attention(q, node, depth)) == NULL)
        return false;
    own.vector = node;
    own.vector_text = qkv__tree_text(q, node);
    return own.vector_text != NULL && add_term(sum, &own);
}

static bool expand(qkv__inequality *q, const qkv__node *node, int depth, expansion *sum)
{
    const qkv__node *attention, *index;
    const term minus = number_term(qkv__rational_whole(-1));
    if (depth > DEEPEST || q->algebra.arena.failed) return false;
    switch (node->kind) {
    case QKV__NODE_NUMBER: {
        const term own = number_term(node->value);
        return add_term(sum, &own);
    }
    case QKV__NODE_ADD:
        return expand(q, node->child[0], depth + 1, sum) &&
               expand(q, node->child[1], depth + 1, sum);
    case QKV__NODE_SUBTRACT:
    case QKV__NODE_NEGATE: {
        expansion *x = empty(q);
        const bool two = node->kind == QKV__NODE_SUBTRACT;
        return x != NULL && (!two || expand(q, node->child[0], depth + 1, sum)) &&
               expand(q, node->child[two ? 1 : 0], depth + 1, x) && add_multiple(sum, x, &minus);
    }
    case QKV__NODE_MULTIPLY: return expand_product(q, node->child[0], node->child[1], depth, sum);
    case QKV__NODE_DIVIDE: return expand_quotient(q, node, depth, sum);
    case QKV__NODE_POWER: return expand_power(q, node, depth, sum);
    case QKV__NODE_DOT: return expand_dot(q, node->child[0], node->child[1], depth, sum);
    case QKV__NODE_CALL:
        if (is_sum(node) || size_of_mean(q, node) != NULL || !qkv__inequality_is_vector(q, node))
            return expand_call(q, node, depth, sum);
        break;
    case QKV__NODE_INDEX:
        if (qkv__tree_is_weight(q, node, &attention, &index) &&
            (node = plain_weight(q, attention, index, depth)) == NULL)
            return false;
        break;
    case QKV__NODE_SIZE: return expand_size(q, node, depth, sum);
    default: break;
    }
    return qkv__inequality_is_vector(q, node) ? expand_vector(q, node, depth, sum)
                                              : expand_atom(q, node, 1, sum);
}

const qkv__node *qkv__tree_multiplied(qkv__inequality *q, const qkv__node *node)
{
    expansion *sum = empty(q);
    const qkv__node *made = sum != NULL && expand(q, node, 0, sum) ? sum_tree(q, sum) : NULL;
    return made == NULL ? node : made;
}
