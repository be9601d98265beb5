/*
 * P of events about random numbers, as formulas in the letters. Knows laws and comparisons; no
 * floating point.
 *
 * A number that is 0 or 1 is put in both ways: P(A) = p P(A where it is 1) + (1 - p) P(A where it
 * is 0). What is left is taken as comparisons that all must hold, or not all: each fixes nothing,
 * or bounds one uniform number from one side. The bounds of one number leave an interval, and
 * different numbers are independent. Where signs do not say which bound counts, nothing is known.
 */
#include <assert.h>

#include "claim/chance/chance_part.h"
#include "claim/chance/moment.h"
#include "claim/chance/number_law.h"
#include "claim/model/evaluate.h"
#include "claim/model/random_parameters.h"
#include "claim/premise/gap.h"
#include "exact/sign.h"
#include "language/tree.h"

enum { LEAVES = 8 };

/* f compared with 0. */
typedef struct leaf {
    qkv__ratio f;
    qkv__comparison comparison;
} leaf;

/* Comparisons that must all hold; none: the contrary is asked for. */
typedef struct leaves {
    size_t count;
    leaf leaf[LEAVES];
} leaves;

/* The interval of a uniform number that is left. */
typedef struct stretch {
    const qkv__chance *chance;
    qkv__ratio low, high;
} stretch;

/* ---- The event ----------------------------------------------------------------------- */

static bool read_leaf(qkv__situation *s, const qkv__node *node, bool opposite, leaves *all)
{
    assert(node->kind == QKV__NODE_COMPARE);
    qkv__value x, y;
    leaf made = {.comparison = node->comparison};
    if (node->comparison > QKV__GREATER_OR_EQUAL || all->count == LEAVES ||
        (opposite && !qkv__comparison_opposite(node->comparison, &made.comparison)) ||
        !qkv__model_value(s->model, node->child[0], s->locals, &x) ||
        !qkv__model_value(s->model, node->child[1], s->locals, &y) || x.kind != QKV__VALUE_SCALAR ||
        y.kind != QKV__VALUE_SCALAR || !qkv__surd_difference(s, x.scalar, y.scalar, &made.f))
        return false;
    made.f = qkv__moment_apply(s, made.f);
    if (qkv__ratio_is_lost(made.f)) return false;
    all->leaf[all->count++] = made;
    return true;
}

/* All comparisons of a conjunction; opposite: of a disjunction, each turned round. */
static bool read_leaves(qkv__situation *s, const qkv__node *node, bool opposite, leaves *all)
{
    if (node->kind == QKV__NODE_NOT) return read_leaves(s, node->child[0], !opposite, all);
    if (node->kind == QKV__NODE_COMPARE) return read_leaf(s, node, opposite, all);
    if (node->kind != (opposite ? QKV__NODE_OR : QKV__NODE_AND)) return false;
    return read_leaves(s, node->child[0], opposite, all) &&
           read_leaves(s, node->child[1], opposite, all);
}

/* ---- Intervals ----------------------------------------------------------------------- */

static bool is_not_below(qkv__sign sign)
{
    return sign == QKV__SIGN_POSITIVE || sign == QKV__SIGN_NONNEGATIVE || sign == QKV__SIGN_ZERO;
}

static bool is_not_above(qkv__sign sign)
{
    return sign == QKV__SIGN_NEGATIVE || sign == QKV__SIGN_NONPOSITIVE || sign == QKV__SIGN_ZERO;
}

/* What is not random holds or does not; false where its sign is not known. */
static bool judge_fixed(qkv__situation *s, const leaf *l, bool *holds)
{
    qkv__sign sign = qkv__ratio_sign(&s->model->algebra, l->f);
    bool above = sign == QKV__SIGN_POSITIVE, below = sign == QKV__SIGN_NEGATIVE;
    bool zero = sign == QKV__SIGN_ZERO || qkv__ratio_is_zero(l->f);
    switch (l->comparison) {
    case QKV__EQUAL: return *holds = zero, zero || above || below;
    case QKV__NOT_EQUAL: return *holds = !zero, zero || above || below;
    case QKV__GREATER: return *holds = above, above || zero || is_not_above(sign);
    case QKV__GREATER_OR_EQUAL: return *holds = zero || is_not_below(sign), *holds || below;
    case QKV__LESS: return *holds = below, below || zero || is_not_below(sign);
    case QKV__LESS_OR_EQUAL: return *holds = zero || is_not_above(sign), *holds || above;
    default: return false;
    }
}

/* The larger (or smaller) of two numbers, where it is known which. */
static bool choose(qkv__situation *s, qkv__ratio x, qkv__ratio y, bool larger, qkv__ratio *chosen)
{
    qkv__algebra *algebra = &s->model->algebra;
    qkv__sign sign = qkv__ratio_sign(algebra, qkv__ratio_subtract(algebra, x, y));
    bool first = larger ? is_not_below(sign) : is_not_above(sign);
    *chosen = first ? x : y;
    return first || (larger ? is_not_above(sign) : is_not_below(sign));
}

/* slope*x + rest > 0 and the like: x > -rest/slope, or x below that. Single points count nothing.
 */
static bool narrow(qkv__situation *s, stretch *t, qkv__ratio slope, qkv__ratio rest,
                   qkv__comparison comparison, bool *holds)
{
    qkv__algebra *algebra = &s->model->algebra;
    qkv__sign sign = qkv__ratio_sign(algebra, slope);
    *holds = comparison == QKV__NOT_EQUAL;
    if (sign != QKV__SIGN_POSITIVE && sign != QKV__SIGN_NEGATIVE) return false;
    if (comparison == QKV__EQUAL || comparison == QKV__NOT_EQUAL) return true;
    bool above = comparison == QKV__GREATER || comparison == QKV__GREATER_OR_EQUAL;
    if (sign == QKV__SIGN_NEGATIVE) above = !above;
    qkv__ratio at = qkv__ratio_divide(algebra, qkv__ratio_negate(algebra, rest), slope);
    *holds = true;
    return above ? choose(s, t->low, at, true, &t->low) : choose(s, t->high, at, false, &t->high);
}

static bool is_bounded(const qkv__situation *s, const qkv__chance *chance)
{
    const qkv__parameter *known = &s->model->algebra.parameter[chance->parameter];
    return known->lower.known || known->upper.known;
}

/* P that all comparisons hold, none of which has a number in it that is 0 or 1. */
static bool chance_of_all(qkv__situation *s, const leaves *all, qkv__ratio *chance)
{
    qkv__algebra *algebra = &s->model->algebra;
    stretch part[LEAVES];
    size_t count = 0;
    bool holds = true, never = false;
    for (size_t i = 0; i < all->count; i++) {
        qkv__ratio slope, rest;
        const qkv__chance *law = qkv__law_linear_uniform(s, all->leaf[i].f, &slope, &rest);
        size_t at = 0;
        if (law == NULL) {
            if (qkv__random_touches(s->model, all->leaf[i].f) ||
                !judge_fixed(s, &all->leaf[i], &holds))
                return false;
            never = never || !holds;
            continue;
        }
        if (qkv__random_touches(s->model, slope) || qkv__random_touches(s->model, rest) ||
            is_bounded(s, law))
            return false;
        while (at < count && part[at].chance != law) at++;
        if (at == count) part[count++] = (stretch){law, law->low, law->high};
        if (!narrow(s, &part[at], slope, rest, all->leaf[i].comparison, &holds)) return false;
        never = never || !holds;
    }
    *chance = qkv__ratio_whole(algebra, never ? 0 : 1);
    for (size_t i = 0; i < count && !never; i++) {
        qkv__ratio width = qkv__ratio_subtract(algebra, part[i].high, part[i].low);
        qkv__ratio whole = qkv__ratio_subtract(algebra, part[i].chance->high, part[i].chance->low);
        qkv__sign sign = qkv__ratio_sign(algebra, width);
        if (is_not_above(sign)) return *chance = qkv__ratio_whole(algebra, 0), true;
        if (!is_not_below(sign)) return false;
        *chance = qkv__ratio_multiply(algebra, *chance, qkv__ratio_divide(algebra, width, whole));
    }
    return !qkv__ratio_is_lost(*chance);
}

/* The same with numbers that are 0 or 1, each put in both ways. */
static bool chance_of_cases(qkv__situation *s, const leaves *all, qkv__ratio *chance)
{
    qkv__algebra *algebra = &s->model->algebra;
    const qkv__chance *law = NULL;
    bool discrete = false;
    for (size_t i = 0; i < all->count && !discrete; i++)
        discrete = qkv__law_is_discrete(s, all->leaf[i].f, &law);
    if (!discrete) return chance_of_all(s, all, chance);
    if (is_bounded(s, law)) return false;
    *chance = qkv__ratio_whole(algebra, 0);
    for (int value = 0; value < 2; value++) {
        leaves there = *all;
        qkv__ratio part, likely = law->mean;
        if (value == 0)
            likely = qkv__ratio_subtract(algebra, qkv__ratio_whole(algebra, 1), law->mean);
        for (size_t i = 0; i < there.count; i++) {
            there.leaf[i].f = qkv__ratio_substitute(algebra, there.leaf[i].f, law->parameter,
                                                    qkv__form_whole(algebra, value));
            if (qkv__ratio_is_lost(there.leaf[i].f)) return false;
        }
        if (!chance_of_cases(s, &there, &part)) return false;
        *chance = qkv__ratio_add(algebra, *chance, qkv__ratio_multiply(algebra, likely, part));
    }
    return !qkv__ratio_is_lost(*chance);
}

bool qkv__law_event(qkv__situation *s, const qkv__node *event, qkv__ratio *chance)
{
    qkv__algebra *algebra = &s->model->algebra;
    leaves all = {.count = 0};
    bool contrary = event->kind == QKV__NODE_OR;
    if (!read_leaves(s, event, contrary, &all) || !chance_of_cases(s, &all, chance)) return false;
    if (contrary) *chance = qkv__ratio_subtract(algebra, qkv__ratio_whole(algebra, 1), *chance);
    *chance = qkv__situation_apply(s, *chance);
    return !qkv__ratio_is_lost(*chance);
}
