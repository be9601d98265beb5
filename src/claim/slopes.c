/* The mean value theorem, as propositions about derivatives. Knows syntax and bounds of parameters;
 * nothing of how a proposition is decided. */
#include "claim/slopes.h"

#include <assert.h>
#include <string.h>

#include "claim/model/binding.h"
#include "claim/model/bound.h"
#include "claim/model/compose.h"
#include "claim/model/evaluate.h"
#include "language/builtin.h"
#include "language/tree.h"
#include "language/write.h"

enum { NAMES = 4 };

static const char between[] = "a number between";

/* ---- Functions that have a derivative everywhere ------------------------------------------- */

typedef struct look {
    qkv__model *model;
    const qkv__binding *locals;
    const char *name[NAMES]; /* the numbers that it depends on */
    size_t count;            /* of them; more than there is room for: too many */
    const qkv__node
        *where; /* what must hold so that all has a value and a derivative; NULL: nothing */
} look;

static bool is_letter(const qkv__model *model, const char *name)
{
    const int parameter = qkv__parameter_find(&model->algebra, name);
    return parameter >= 0 && !qkv__model_is_defined(model, name) &&
           model->algebra.parameter[parameter].prime == 0;
}

static bool take_name(look *l, const qkv__node *node)
{
    qkv__value value; /* which makes a letter a parameter */
    const char *name = node->text;
    if (strcmp(name, "e") == 0 || strcmp(name, "pi") == 0)
        return !qkv__model_is_defined(l->model, name);
    if (!qkv__model_value(l->model, node, l->locals, &value) || !is_letter(l->model, name) ||
        qkv__model_find(l->model, l->locals, name) != NULL)
        return false;
    for (size_t i = 0; i < l->count && i < NAMES; i++)
        if (strcmp(l->name[i], name) == 0) return true;
    if (l->count < NAMES) l->name[l->count] = name;
    return ++l->count <= NAMES;
}

static bool require_positive(look *l, const qkv__node *node)
{
    const qkv__node *zero = qkv__compose_number(l->model, qkv__rational_whole(0), node->place);
    const qkv__node *positive =
        zero == NULL ? NULL : qkv__model_comparison(l->model, node, QKV__GREATER, zero);
    if (positive == NULL) return false;
    l->where = l->where == NULL ? positive
                                : qkv__compose_binary(l->model, QKV__NODE_AND, l->where, positive);
    return l->where != NULL;
}

/* Whether a tree is made of functions that have a derivative wherever what is required holds; its
 * definitions written out. NULL: it is not. */
static const qkv__node *smooth(look *l, const qkv__node *node);

static const qkv__node *smooth_parts(look *l, const qkv__node *node)
{
    enum { MOST = 4 };
    const qkv__node *child[MOST];
    if (node->count > MOST) return NULL;
    for (size_t i = 0; i < node->count; i++)
        if ((child[i] = smooth(l, node->child[i])) == NULL) return NULL;
    return qkv__compose_like(l->model, node, child);
}

static const qkv__node *smooth_call(look *l, const qkv__node *call)
{
    if (call->count != 1 || qkv__call_is_over(call)) return NULL;
    switch (qkv__builtin_of(call)) {
    case QKV__BUILTIN_LN:
    case QKV__BUILTIN_SQRT:
        call = smooth_parts(l, call);
        return call != NULL && require_positive(l, call->child[0]) ? call : NULL;
    case QKV__BUILTIN_EXP:
    case QKV__BUILTIN_SIN:
    case QKV__BUILTIN_COS:
    case QKV__BUILTIN_SINH:
    case QKV__BUILTIN_COSH:
    case QKV__BUILTIN_TANH:
    case QKV__BUILTIN_ERF:
    case QKV__BUILTIN_SIGMOID:
    case QKV__BUILTIN_SOFTPLUS: return smooth_parts(l, call);
    default: return NULL;
    }
}

static const qkv__node *smooth(look *l, const qkv__node *node)
{
    if (qkv__node_is_word(node)) node = qkv__compose_unfolded(l->model, l->locals, node);
    if (node == NULL) return NULL;
    switch (node->kind) {
    case QKV__NODE_NUMBER: return node;
    case QKV__NODE_NAME: return take_name(l, node) ? node : NULL;
    case QKV__NODE_NEGATE:
    case QKV__NODE_ADD:
    case QKV__NODE_SUBTRACT:
    case QKV__NODE_MULTIPLY: return smooth_parts(l, node);
    case QKV__NODE_DIVIDE:
        node = smooth_parts(l, node);
        return node != NULL && (node->child[1]->kind == QKV__NODE_NUMBER ||
                                require_positive(l, node->child[1]))
                   ? node
                   : NULL;
    case QKV__NODE_POWER: {
        const qkv__node *exponent = node->child[1];
        const bool whole = exponent->kind == QKV__NODE_NUMBER &&
                           qkv__rational_is_whole(exponent->value) &&
                           qkv__rational_sign(exponent->value) > 0;
        if (!whole && !qkv__node_is(node->child[0], "e")) return NULL;
        return smooth_parts(l, node);
    }
    case QKV__NODE_CALL: return smooth_call(l, node);
    default: return NULL;
    }
}

/* ---- Pieces of propositions ---------------------------------------------------------------- */

/* The factor of |x - y| in a product or quotient with it; NULL: it is none, or speaks of x and y
 * elsewhere. */
static const qkv__node *factor_of_gap(qkv__model *model, const qkv__node *node, const char *x,
                                      const char *y)
{
    if (node->kind == QKV__NODE_SIZE) {
        const qkv__node *gap = node->child[0];
        const bool is = gap->kind == QKV__NODE_SUBTRACT &&
                        ((qkv__node_is(gap->child[0], x) && qkv__node_is(gap->child[1], y)) ||
                         (qkv__node_is(gap->child[0], y) && qkv__node_is(gap->child[1], x)));
        return is ? qkv__compose_number(model, qkv__rational_whole(1), node->place) : NULL;
    }
    if (node->kind != QKV__NODE_MULTIPLY && node->kind != QKV__NODE_DIVIDE) return NULL;
    const size_t ends = node->kind == QKV__NODE_MULTIPLY ? 2 : 1;
    for (size_t at = 0; at < ends; at++) {
        const qkv__node *other = node->child[1 - at];
        const qkv__node *factor = factor_of_gap(model, node->child[at], x, y);
        if (factor == NULL || qkv__node_names(other, x) || qkv__node_names(other, y)) continue;
        return qkv__compose_binary(model, node->kind, factor, other);
    }
    return NULL;
}

static const qkv__node *both(qkv__model *model, const qkv__node *p, const qkv__node *q)
{
    return p == NULL || q == NULL ? NULL : qkv__compose_binary(model, QKV__NODE_AND, p, q);
}

static const qkv__node *compared(qkv__model *model, const qkv__node *x, qkv__comparison comparison,
                                 const qkv__node *y)
{
    return x == NULL || y == NULL ? NULL : qkv__model_comparison(model, x, comparison, y);
}

/* d(f, t), t being any number between x and y, in place of x. */
static const qkv__node *slope(qkv__model *model, const qkv__node *f, const char *x)
{
    const qkv__node *moved = f == NULL ? NULL : qkv__compose_renamed(model, f, x, between);
    const qkv__node *name = moved == NULL ? NULL : qkv__compose_name(model, between, f->place);
    qkv__node *made = name == NULL ? NULL : qkv__compose_binary(model, QKV__NODE_CALL, moved, name);
    if (made != NULL) made->text = "d";
    return made;
}

/* The lower one of two bounds, if both are known: what is above it is not below both. */
static qkv__bound lower_of(qkv__bound x, qkv__bound y)
{
    if (!x.known || !y.known) return (qkv__bound){.known = false};
    const int order = qkv__rational_compare(x.value, y.value);
    qkv__bound least = order <= 0 ? x : y;
    if (order == 0) least.strict = x.strict && y.strict;
    return least;
}

static qkv__bound upper_of(qkv__bound x, qkv__bound y)
{
    if (!x.known || !y.known) return (qkv__bound){.known = false};
    const int order = qkv__rational_compare(x.value, y.value);
    qkv__bound most = order >= 0 ? x : y;
    if (order == 0) most.strict = x.strict && y.strict;
    return most;
}

/* Whatever lies between two numbers is within the bounds that both have; where x >= y, it is not
 * below y and not above x. */
static bool bound_between(qkv__model *model, const char *x, const char *y, bool ordered)
{
    qkv__algebra *algebra = &model->algebra;
    const int one = qkv__parameter_find(algebra, x), two = qkv__parameter_find(algebra, y);
    const int made = one < 0 || two < 0 ? -1 : qkv__model_parameter(model, between);
    if (made < 0) return false;
    const qkv__parameter more = algebra->parameter[one], less = algebra->parameter[two];
    qkv__parameter *t = &algebra->parameter[made];
    t->lower = ordered ? less.lower : lower_of(more.lower, less.lower);
    t->upper = ordered ? more.upper : upper_of(more.upper, less.upper);
    return true;
}

/* What is required, said of any number between x and y. */
static const qkv__node *required(look *l, const qkv__node *proposition, const char *x)
{
    if (l->where == NULL || proposition == NULL) return proposition;
    return both(l->model, qkv__compose_renamed(l->model, l->where, x, between), proposition);
}

/* That f is 0 where x is y, and p: p alone where f is a difference of two that are written alike
 * then. */
static const qkv__node *with_same(qkv__model *model, const qkv__node *f, const char *x,
                                  const char *y, const qkv__node *p)
{
    const qkv__node *zero = qkv__compose_number(model, qkv__rational_whole(0), f->place);
    const qkv__node *same = qkv__compose_renamed(model, f, x, y);
    if (same == NULL) return NULL;
    if (same->kind == QKV__NODE_SUBTRACT && qkv__node_same_text(same->child[0], same->child[1]))
        return p;
    return both(model, compared(model, same, QKV__EQUAL, zero), p);
}

/* ---- Comparisons --------------------------------------------------------------------------- */

/* |x - y| of two names. */
static bool is_gap(const qkv__node *node, const void *context)
{
    (void)context;
    return node->kind == QKV__NODE_SIZE && node->child[0]->kind == QKV__NODE_SUBTRACT &&
           node->child[0]->child[0]->kind == QKV__NODE_NAME &&
           node->child[0]->child[1]->kind == QKV__NODE_NAME;
}

static bool has_letter(const look *l, const char *name)
{
    for (size_t i = 0; i < l->count; i++)
        if (strcmp(l->name[i], name) == 0) return true;
    return false;
}

/* |f| <= b*|x - y|: f is 0 where x is y, and moves by at most b. */
static const qkv__node *by_steepness(look *l, const qkv__node *f, const qkv__node *right)
{
    qkv__model *model = l->model;
    f = smooth(l, f);
    const qkv__node *gap = qkv__node_find(right, is_gap, NULL);
    if (f == NULL || gap == NULL) return NULL;
    const char *x = gap->child[0]->child[0]->text, *y = gap->child[0]->child[1]->text;
    if (!has_letter(l, x) || !has_letter(l, y)) return NULL;
    const qkv__node *b = factor_of_gap(model, right, x, y);
    if (b == NULL || !bound_between(model, x, y, false)) return NULL;
    const qkv__node *d = slope(model, f, x);
    const qkv__node *minus = d == NULL ? NULL : qkv__compose_unary(model, QKV__NODE_NEGATE, "", d);
    return required(l,
                    with_same(model, f, x, y,
                              both(model, compared(model, d, QKV__LESS_OR_EQUAL, b),
                                   compared(model, minus, QKV__LESS_OR_EQUAL, b))),
                    x);
}

/* less <= more, where x >= y: they agree where x is y, and the difference never falls with x. */
static const qkv__node *by_order(look *l, const qkv__node *less, const qkv__node *more, bool strict,
                                 bool turned)
{
    qkv__model *model = l->model;
    const qkv__node *f = qkv__compose_binary(model, QKV__NODE_SUBTRACT, more, less);
    f = f == NULL ? NULL : smooth(l, f);
    if (f == NULL || l->count != 2) return NULL;
    const char *x = l->name[turned], *y = l->name[!turned];
    if (!bound_between(model, x, y, true)) return NULL;
    const qkv__node *zero = qkv__compose_number(model, qkv__rational_whole(0), f->place);
    const qkv__comparison order = strict ? QKV__GREATER : QKV__GREATER_OR_EQUAL;
    const qkv__node *premise = compared(model, qkv__compose_name(model, x, f->place), order,
                                        qkv__compose_name(model, y, f->place));
    return both(
        model, premise,
        required(l, with_same(model, f, x, y, compared(model, slope(model, f, x), order, zero)),
                 x));
}

const qkv__node *qkv__slope_of_comparison(qkv__model *model, const qkv__binding *locals,
                                          const qkv__node *node, size_t way)
{
    assert(node->kind == QKV__NODE_COMPARE && node->count == 2);
    look l = {.model = model, .locals = locals};
    const bool strict = node->comparison == QKV__LESS || node->comparison == QKV__GREATER;
    const bool turned =
        node->comparison == QKV__GREATER || node->comparison == QKV__GREATER_OR_EQUAL;
    if (node->comparison < QKV__LESS || node->comparison > QKV__GREATER_OR_EQUAL ||
        qkv__node_names(node, between) || qkv__model_is_defined(model, "d"))
        return NULL;
    const qkv__node *less = node->child[turned], *more = node->child[!turned];
    if (less->kind == QKV__NODE_NAME && more->kind == QKV__NODE_NAME) return NULL;
    if (way > 0) return by_order(&l, less, more, strict, way == 2);
    const bool size = less->kind == QKV__NODE_SIZE ||
                      (less->count == 1 && qkv__builtin_of(less) == QKV__BUILTIN_ABS);
    return size && !strict ? by_steepness(&l, less->child[0], more) : NULL;
}
