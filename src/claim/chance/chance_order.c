/*
 * Which of several random numbers is the largest, by symmetry. Numbers that may change places
 * without a change of their joint law, and that are almost surely different, are in each order with
 * the same probability: of m numbers an event about their order holds in so many of the m! orders,
 * and one of n is above all others with probability 1/n. Knows propositions and laws; no floating
 * point.
 *
 * They may change places if they are
 *   - jointly normal, with one mean, one variance V and one covariance c; different if V > c;
 *   - independent and uniform between the same ends;
 *   - a z.x, a z.y, ... of one noise z with independent others, which are so for every z. They are
 *     different unless z.(x - y) = 0.
 * Weights of one query are in the order of the scores.
 */
#include <assert.h>
#include <stdint.h>

#include "claim/chance/chance_part.h"
#include "claim/chance/moment.h"
#include "claim/chance/number_law.h"
#include "claim/chance/symmetry.h"
#include "claim/model/binding.h"
#include "claim/model/evaluate.h"
#include "claim/model/index_set.h"
#include "claim/model/random_parameters.h"
#include "claim/model/random_number.h"
#include "exact/sign.h"
#include "language/builtin.h"
#include "language/tree.h"

enum { NUMBERS = 7 };

/* The numbers that are compared, each once. One of them may stand for the rest of a set. */
typedef struct contest {
    qkv__situation *s;
    size_t count;
    qkv__ratio number[NUMBERS];
    const qkv__index_set *rest; /* NULL: none does */
    size_t generic;             /* which number stands for it */
    bool sure;                  /* there is a rest */
} contest;

/* One side of a comparison: a number, or the largest or least of some. */
typedef struct side {
    size_t count, item[NUMBERS];
    bool least;
} side;

typedef struct event {
    qkv__node_kind kind; /* AND, OR, NOT or COMPARE */
    qkv__comparison comparison;
    side left, right;
    const struct event *first, *second;
} event;

/* ---- Reading ------------------------------------------------------------------------- */

static event *new_event(contest *c, qkv__node_kind kind, const event *first, const event *second)
{
    event *made = qkv__arena_take(&c->s->model->algebra.arena, sizeof *made);
    if (made != NULL) *made = (event){.kind = kind, .first = first, .second = second};
    return made;
}

static qkv__evaluation evaluation(contest *c, const qkv__binding *locals, qkv__failure *failure,
                                  const qkv__node **culprit)
{
    *failure = (qkv__failure){0};
    return (qkv__evaluation){
        .model = c->s->model, .locals = locals, .failure = failure, .culprit = culprit};
}

/* generic: the set of which it stands for the rest, NULL for none. */
static bool add_number(contest *c, const qkv__node *node, const qkv__binding *locals,
                       const qkv__index_set *generic, side *to)
{
    qkv__algebra *algebra = &c->s->model->algebra;
    qkv__value value;
    qkv__failure failure;
    const qkv__node *culprit;
    qkv__evaluation e = evaluation(c, locals, &failure, &culprit);
    qkv__ratio number;
    if (!qkv__evaluate_in(&e, node, &value) || !qkv__value_as_ratio(&value, &number)) return false;
    number = qkv__moment_apply(c->s, number);
    if (qkv__ratio_is_lost(number) || to->count == NUMBERS) return false;
    size_t at = 0;
    while (at < c->count && !qkv__ratio_equal(algebra, c->number[at], number)) at++;
    const bool same = at < c->count && c->rest != NULL && c->generic == at;
    if (at == NUMBERS || (generic == NULL && same)) return false;
    if (generic != NULL && !same) {
        if (c->rest != NULL || at < c->count) return false;
        c->rest = generic;
        c->generic = at;
    }
    if (at == c->count) c->number[c->count++] = number;
    to->item[to->count++] = at;
    return true;
}

/* What is done for every index of a domain; `rest` is the set for the one that has no name. */
typedef bool for_index(contest *c, const qkv__node *node, const qkv__binding *locals,
                       const qkv__index_set *rest, void *context);

static bool each_index(contest *c, const qkv__node *domain, const char *name, const qkv__node *body,
                       const qkv__binding *locals, bool sole, for_index *take, void *context)
{
    qkv__model *model = c->s->model;
    qkv__failure failure;
    const qkv__node *culprit;
    qkv__index_set *set;
    bool left_out[QKV__MARKS + 1];
    qkv__evaluation e = evaluation(c, locals, &failure, &culprit);
    if (!qkv__evaluate_domain(&e, domain, &set, left_out)) return false;
    const bool rest = qkv__set_may_have_rest(model, set) && !left_out[QKV__MARKS];
    if (rest && (!sole || qkv__evaluation_is_entangled(&e, body, name))) return false;
    if (rest) c->sure = qkv__set_has_rest(model, set);
    for (size_t i = 0; i < set->mark_count + rest; i++) {
        const bool last = i == set->mark_count;
        if (!last && left_out[i]) continue;
        qkv__binding local = qkv__index_binding(name, set, last ? QKV__GENERIC : (int)i, locals);
        if (!take(c, body, &local, last ? set : NULL, context)) return false;
    }
    return true;
}

static bool take_item(contest *c, const qkv__node *node, const qkv__binding *locals,
                      const qkv__index_set *rest, void *context)
{
    return add_number(c, node, locals, rest, context);
}

/* generic: of a body that is read for the rest of a set. all: what is said of the largest is said
 * of all, as it is where something is above it, or for a least number below it. */
static bool read_side(contest *c, const qkv__node *node, const qkv__binding *locals,
                      const qkv__index_set *generic, bool all, side *to)
{
    const qkv__builtin function = qkv__builtin_of(node);
    const bool extreme = function == QKV__BUILTIN_MAX || function == QKV__BUILTIN_MIN;
    *to = (side){.least = function == QKV__BUILTIN_MIN};
    if (!extreme) {
        for (const qkv__binding *b = locals; generic != NULL && b != NULL; b = b->next)
            if (b->value.kind == QKV__VALUE_INDEX && b->value.member == QKV__GENERIC &&
                qkv__node_names(node, b->name))
                return add_number(c, node, locals, generic, to);
        return add_number(c, node, locals, NULL, to);
    }
    if (generic != NULL) return false;
    if (qkv__call_is_over(node)) {
        const qkv__node *over = node->child[0];
        return each_index(c, over->child[1], over->text, over->child[0], locals, all, take_item,
                          to) &&
               to->count > 0;
    }
    for (size_t i = 0; i < node->count; i++)
        if (!add_number(c, node->child[i], locals, NULL, to)) return false;
    return to->count > 0;
}

static bool is_below(qkv__comparison comparison)
{
    return comparison == QKV__LESS || comparison == QKV__LESS_OR_EQUAL;
}

/* max(...) may be over the rest of a set where it is the smaller side, or said to be a number;
 * min(...) where it is the larger one. */
static bool is_for_all(const qkv__node *node, qkv__comparison comparison, bool right)
{
    const bool least = qkv__builtin_of(node) == QKV__BUILTIN_MIN;
    if (comparison == QKV__EQUAL) return true;
    if (comparison == QKV__NOT_EQUAL) return false;
    return (is_below(comparison) == right) == least;
}

static event *read_event(contest *c, const qkv__node *node, const qkv__binding *locals,
                         const qkv__index_set *generic, bool all);

static event *read_comparison(contest *c, const qkv__node *node, const qkv__binding *locals,
                              const qkv__index_set *generic, bool all)
{
    assert(node->kind == QKV__NODE_COMPARE);
    event *made = new_event(c, node->kind, NULL, NULL);
    if (made == NULL || node->comparison > QKV__GREATER_OR_EQUAL) return NULL;
    made->comparison = node->comparison;
    for (int i = 0; i < 2; i++)
        if (!read_side(c, node->child[i], locals, generic,
                       all && is_for_all(node->child[i], node->comparison, i == 1),
                       i == 0 ? &made->left : &made->right))
            return NULL;
    return made;
}

static bool take_event(contest *c, const qkv__node *node, const qkv__binding *locals,
                       const qkv__index_set *rest, void *context)
{
    const event **so_far = context;
    const event *next = read_event(c, node, locals, rest, true);
    *so_far = *so_far == NULL || next == NULL ? next : new_event(c, QKV__NODE_AND, *so_far, next);
    return *so_far != NULL;
}

/* all: this must hold, whatever else; else it stands below `or` or `not`. */
static event *read_event(contest *c, const qkv__node *node, const qkv__binding *locals,
                         const qkv__index_set *generic, bool all)
{
    const bool both = node->kind == QKV__NODE_AND || node->kind == QKV__NODE_OR;
    if (node->kind == QKV__NODE_COMPARE) return read_comparison(c, node, locals, generic, all);
    if (node->kind == QKV__NODE_FOR_ALL && node->count == 2 && generic == NULL &&
        qkv__node_is_domain(node->child[0]) && node->child[0]->child[0]->kind == QKV__NODE_NAME) {
        const event *made = NULL;
        return each_index(c, node->child[0], node->child[0]->child[0]->text, node->child[1], locals,
                          all, take_event, &made)
                   ? (event *)(uintptr_t)made
                   : NULL;
    }
    if (node->kind != QKV__NODE_NOT && !both) return NULL;
    all = all && node->kind == QKV__NODE_AND;
    if (generic != NULL && !all) return NULL;
    const event *first = read_event(c, node->child[0], locals, generic, all);
    const event *second =
        both && first != NULL ? read_event(c, node->child[1], locals, generic, all) : NULL;
    return first == NULL || (both && second == NULL) ? NULL
                                                     : new_event(c, node->kind, first, second);
}

/* ---- Laws ---------------------------------------------------------------------------- */

/* Whether all that is random in the number for the rest is drawn for each member by itself: its own
 * noise, or the product of one noise with members at right angles. */
static bool is_own(const contest *c)
{
    const qkv__model *model = c->s->model;
    for (int p = 0; p < (int)model->algebra.parameter_count; p++) {
        if (!qkv__ratio_depends_on(c->number[c->generic], p) || !qkv__random_is(model, p)) continue;
        const qkv__unknown_product *u = qkv__random_product(model, p);
        if (u == NULL || u->x.family->noise == u->y.family->noise) return false;
        const qkv__symbol noise = u->x.family->noise ? u->x : u->y;
        const qkv__symbol other = u->x.family->noise ? u->y : u->x;
        const bool own = noise.member == QKV__GENERIC && other.member != QKV__REST;
        const bool apart = noise.family->set == NULL && other.member == QKV__GENERIC &&
                           other.family->gram == QKV__GRAM_UNIFORM &&
                           qkv__ratio_is_zero(other.family->different);
        if (!own && !apart) return false;
    }
    return true;
}

static bool is_positive(contest *c, qkv__ratio x)
{
    return qkv__ratio_sign(&c->s->model->algebra, qkv__situation_apply(c->s, x)) ==
           QKV__SIGN_POSITIVE;
}

/* One mean, one variance, one covariance that is smaller. */
static bool are_normal(contest *c)
{
    qkv__algebra *algebra = &c->s->model->algebra;
    qkv__ratio mean, variance, covariance = {0};
    for (size_t i = 0; i < c->count; i++) {
        qkv__ratio m, v;
        if (!qkv__moment_normal(c->s, c->number[i], &m, &v) || qkv__ratio_is_generic(algebra, m) ||
            qkv__ratio_is_generic(algebra, v))
            return false;
        if (i == 0) mean = m, variance = v;
        if (!qkv__ratio_equal(algebra, m, mean) || !qkv__ratio_equal(algebra, v, variance))
            return false;
        for (size_t j = 0; j < i; j++) {
            qkv__ratio next;
            if (!qkv__moment_covariance(c->s, c->number[i], c->number[j], &next)) return false;
            if (covariance.numerator == NULL) covariance = next;
            if (!qkv__ratio_equal(algebra, next, covariance)) return false;
        }
    }
    if (c->rest != NULL && (!is_own(c) || !qkv__ratio_is_zero(covariance))) return false;
    return is_positive(c, qkv__ratio_subtract(algebra, variance, covariance));
}

/* factor*p + shift, where p is all that is random. */
static bool is_linear(contest *c, qkv__ratio x, int *parameter, qkv__ratio *factor,
                      qkv__ratio *shift)
{
    qkv__algebra *algebra = &c->s->model->algebra;
    *parameter = -1;
    for (int p = 0; p < (int)algebra->parameter_count; p++) {
        if (!qkv__ratio_depends_on(x, p) || !qkv__random_is(c->s->model, p)) continue;
        if (*parameter >= 0) return false;
        *parameter = p;
    }
    if (*parameter < 0) return false;
    *shift = qkv__ratio_substitute(algebra, x, *parameter, qkv__form_whole(algebra, 0));
    *factor = qkv__ratio_subtract(
        algebra, qkv__ratio_substitute(algebra, x, *parameter, qkv__form_whole(algebra, 1)),
        *shift);
    qkv__ratio alone = qkv__ratio_of_form(algebra, qkv__form_parameter(algebra, *parameter));
    qkv__ratio again =
        qkv__ratio_add(algebra, qkv__ratio_multiply(algebra, *factor, alone), *shift);
    return !qkv__ratio_is_lost(again) && qkv__ratio_equal(algebra, x, again);
}

static bool are_uniform(contest *c, const int *parameter)
{
    qkv__algebra *algebra = &c->s->model->algebra;
    const qkv__chance *law = qkv__random_chance(c->s->model, parameter[0]);
    for (size_t i = 0; i < c->count; i++) {
        const qkv__chance *next = qkv__random_chance(c->s->model, parameter[i]);
        const qkv__parameter *known = &algebra->parameter[parameter[i]];
        if (next == NULL || next->law != QKV__LAW_UNIFORM || known->lower.known ||
            known->upper.known || !qkv__ratio_equal(algebra, next->low, law->low) ||
            !qkv__ratio_equal(algebra, next->high, law->high))
            return false;
    }
    return c->rest == NULL;
}

static bool is_symbol(qkv__symbol x, qkv__symbol y)
{
    return x.family == y.family && x.member == y.member;
}

/* z.x, z.y, ... with one z. Different parameters are different products. */
static bool share_noise(contest *c, const int *parameter)
{
    qkv__algebra *algebra = &c->s->model->algebra;
    const qkv__unknown_product *first = qkv__random_product(c->s->model, parameter[0]);
    for (int which = 0; first != NULL && which < 2; which++) {
        const qkv__symbol z = which == 0 ? first->x : first->y;
        bool good = z.member != QKV__GENERIC;
        for (size_t i = 0; i < c->count && good; i++) {
            const qkv__unknown_product *u = qkv__random_product(c->s->model, parameter[i]);
            /* balanced: of two different noises, and nothing is given of any */
            good =
                u != NULL && (is_symbol(u->x, z) || is_symbol(u->y, z)) &&
                u->x.member != QKV__REST && u->y.member != QKV__REST &&
                qkv__moment_is_balanced(
                    c->s, qkv__ratio_of_form(algebra, qkv__form_parameter(algebra, parameter[i])));
        }
        if (good) return true;
    }
    return false;
}

/* The same multiples of numbers with one law, each drawn by itself. */
static bool are_drawn_alike(contest *c)
{
    qkv__algebra *algebra = &c->s->model->algebra;
    int parameter[NUMBERS];
    qkv__ratio factor, shift;
    assert(c->count > 0);
    for (size_t i = 0; i < c->count; i++) {
        qkv__ratio f, x;
        if (!is_linear(c, c->number[i], &parameter[i], &f, &x)) return false;
        if (i == 0) factor = f, shift = x;
        if (!qkv__ratio_equal(algebra, f, factor) || !qkv__ratio_equal(algebra, x, shift))
            return false;
    }
    const qkv__sign sign = qkv__ratio_sign(algebra, qkv__situation_apply(c->s, factor));
    return (sign == QKV__SIGN_POSITIVE || sign == QKV__SIGN_NEGATIVE) &&
           (are_uniform(c, parameter) || share_noise(c, parameter));
}

/* a e^x/D, a e^y/D ... with a/D > 0 are in the order of x, y ... */
static bool take_exponents(contest *c)
{
    qkv__algebra *algebra = &c->s->model->algebra;
    const qkv__form *factor = NULL, *below = c->number[0].denominator;
    for (size_t i = 0; i < c->count; i++) {
        const qkv__ratio x = c->number[i];
        if (x.numerator->count != 1 || x.numerator->term[0].exponent == NULL ||
            !qkv__form_equal(x.denominator, below))
            return false;
        qkv__term plain = x.numerator->term[0];
        plain.exponent = NULL;
        const qkv__form *next = qkv__form_term(algebra, &plain);
        if (i == 0) factor = next;
        if (!qkv__form_equal(next, factor)) return false;
    }
    if (qkv__form_sign(algebra, factor) != QKV__SIGN_POSITIVE ||
        qkv__symmetry_sign(c->s, below) != QKV__SIGN_POSITIVE)
        return false;
    for (size_t i = 0; i < c->count; i++)
        c->number[i] = qkv__ratio_of_form(algebra, c->number[i].numerator->term[0].exponent);
    return true;
}

static bool may_change_places(contest *c)
{
    return are_normal(c) || are_drawn_alike(c) ||
           (take_exponents(c) && (are_normal(c) || are_drawn_alike(c)));
}

/* ---- Orders -------------------------------------------------------------------------- */

static int rank_of(const side *x, const int *rank)
{
    int extreme = rank[x->item[0]];
    for (size_t i = 1; i < x->count; i++)
        if (x->least ? rank[x->item[i]] < extreme : rank[x->item[i]] > extreme)
            extreme = rank[x->item[i]];
    return extreme;
}

static bool happens(const event *x, const int *rank)
{
    if (x->kind == QKV__NODE_AND) return happens(x->first, rank) && happens(x->second, rank);
    if (x->kind == QKV__NODE_OR) return happens(x->first, rank) || happens(x->second, rank);
    if (x->kind == QKV__NODE_NOT) return !happens(x->first, rank);
    const int left = rank_of(&x->left, rank), right = rank_of(&x->right, rank);
    switch (x->comparison) {
    case QKV__EQUAL: return left == right;
    case QKV__NOT_EQUAL: return left != right;
    case QKV__LESS: return left < right;
    case QKV__LESS_OR_EQUAL: return left <= right;
    case QKV__GREATER: return left > right;
    default: return left >= right;
    }
}

/* In how many orders it happens, and whether just where a number is above, or below, all others. */
typedef struct tally {
    int64_t all, good;
    bool highest[NUMBERS], lowest[NUMBERS];
} tally;

static void count_orders(const contest *c, const event *x, int *rank, size_t at, tally *t)
{
    const int last = (int)c->count - 1;
    if (at == c->count) {
        const bool good = happens(x, rank);
        t->all++;
        t->good += good;
        for (size_t i = 0; i < c->count; i++) {
            t->highest[i] = t->highest[i] && good == (rank[i] == last);
            t->lowest[i] = t->lowest[i] && good == (rank[i] == 0);
        }
        return;
    }
    for (int r = 0; r <= last; r++) {
        bool taken = false;
        for (size_t i = 0; i < at; i++) taken = taken || rank[i] == r;
        if (taken) continue;
        rank[at] = r;
        count_orders(c, x, rank, at + 1, t);
    }
}

/* With a number for the rest: one of the others is above all of them and all others, or below. */
static bool chance_of_first(const contest *c, const tally *t, qkv__ratio *chance)
{
    qkv__algebra *algebra = &c->s->model->algebra;
    bool first = false;
    for (size_t i = 0; i < c->count; i++)
        first = first || (i != c->generic && (t->highest[i] || t->lowest[i]));
    if (!first || (!c->sure && c->count > 2)) return false;
    qkv__ratio contestants = qkv__ratio_add(algebra, qkv__rest_size(algebra, c->rest),
                                            qkv__ratio_whole(algebra, (int64_t)c->count - 1));
    *chance = qkv__ratio_divide(algebra, qkv__ratio_whole(algebra, 1), contestants);
    return !qkv__ratio_is_lost(*chance);
}

bool qkv__chance_of_order(qkv__situation *s, const qkv__node *node, qkv__ratio *chance)
{
    contest c = {.s = s};
    tally t = {0};
    int rank[NUMBERS];
    const bool noisy = s->model->noisy;
    s->model->noisy = true;
    const event *x = read_event(&c, node, s->locals, NULL, true);
    const bool alike = x != NULL && c.count > 1 && may_change_places(&c);
    s->model->noisy = noisy;
    if (!alike) return false;
    for (size_t i = 0; i < c.count; i++) t.highest[i] = t.lowest[i] = true;
    count_orders(&c, x, rank, 0, &t);
    if (c.rest != NULL) return chance_of_first(&c, &t, chance);
    *chance = qkv__ratio_constant(&s->model->algebra, qkv__rational_make(t.good, t.all));
    return true;
}
