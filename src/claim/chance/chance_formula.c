/*
 * P, E, Var and Cov as formulas in the parameters. Where a moment is a polynomial's, it is one
 * (moment.h); where symmetry tells it, likewise (symmetry.h). Else it becomes a letter of its own,
 * the same one for all moments that are multiples of each other in law, so that
 *
 *     Var(x + x) = 4*Var(x),   E(c.weight[a]) = E(c.weight[b]),   Var(c.weight[a]) <= 1/4
 *
 * are equations between letters. A letter knows its bounds: moments of what lies between 0 and 1
 * do, and a variance is not negative. What holds for all values of the letters holds for the
 * moments; what fails for some says nothing, so that formulas with letters prove and never refute.
 */
#include <assert.h>
#include <string.h>

#include "claim/chance/chance_part.h"
#include "claim/chance/moment.h"
#include "claim/chance/number_law.h"
#include "claim/chance/symmetry.h"
#include "claim/compare/compare.h"
#include "claim/model/evaluate.h"
#include "claim/model/random_parameters.h"
#include "language/chance_call.h"
#include "language/write.h"

enum { LETTERS = 10, PARTS = 12, ROOM = 48 << 20 };

/* A moment that has no formula: E(f), or Cov(f, g). */
typedef struct letter {
    char kind; /* E or C */
    qkv__ratio of[QKV__ALIKE];
    int parameter;
} letter;

typedef struct formulas {
    qkv__situation *s;
    size_t count;
    letter letters[LETTERS];
    const qkv__node *node; /* whose moment is being taken, for names */
    bool part;             /* of it, or a multiple: a letter is then not the moment itself */
    bool told;             /* only what needs no letter */
    size_t room;           /* bytes that the arena may have taken before this is given up */
    bool split; /* covariances are taken apart into expectations, and these term by term */
} formulas;

/* ---- Letters ------------------------------------------------------------------------- */

/* Whether a ratio lies between 0 and 1, whatever is random; its moments are finite then. */
static bool is_share(qkv__situation *s, qkv__ratio f)
{
    return qkv__symmetry_lies_below(s, f, 1);
}

/* Named after the moment that it is first met in, or a part of that. */
static int name_letter(formulas *x)
{
    qkv__algebra *algebra = &x->s->model->algebra;
    qkv__text name = {0};
    if (x->part) qkv__text_format(&name, "a part of ");
    qkv__node_write(x->node, &name);
    while (!name.failed && qkv__parameter_find(algebra, name.data) >= 0)
        qkv__text_append(&name, "'", 1);
    int parameter = name.failed ? -1 : qkv__parameter_add(algebra, name.data);
    qkv__text_free(&name);
    return parameter;
}

/* E f lies between 0 and 1 as f does; Var f between 0 and 1/4, Cov(f, g) between -1/4 and 1/4. */
static void bound_letter(formulas *x, const letter *made)
{
    qkv__parameter *known = &x->s->model->algebra.parameter[made->parameter];
    bool variance =
        made->kind == 'C' && qkv__ratio_equal(&x->s->model->algebra, made->of[0], made->of[1]);
    qkv__rational quarter = qkv__rational_make(1, 4);
    known->lower = (qkv__bound){.known = true, .value = qkv__rational_whole(0)};
    known->upper = (qkv__bound){.known = true, .value = qkv__rational_whole(1)};
    if (made->kind != 'C') return;
    known->upper.value = quarter;
    if (!variance) known->lower.value = qkv__rational_negate(quarter);
}

/* A moment of shares as a multiple of a letter's. */
static bool letter_for(formulas *x, char kind, qkv__ratio f, qkv__ratio g, qkv__ratio *result)
{
    qkv__situation *s = x->s;
    qkv__algebra *algebra = &s->model->algebra;
    letter made = {.kind = kind, .of = {f, g}};
    size_t parts = kind == 'E' ? 1 : 2;
    for (size_t i = 0; i < x->count; i++) {
        qkv__multiple how[QKV__ALIKE];
        const letter *l = &x->letters[i];
        if (l->kind != kind || !qkv__symmetry_alike(s, l->of, made.of, parts, how)) continue;
        *result = qkv__ratio_multiply(
            algebra, how[0].factor,
            qkv__ratio_of_form(algebra, qkv__form_parameter(algebra, l->parameter)));
        *result = kind == 'E' ? qkv__ratio_add(algebra, *result, how[0].shift)
                              : qkv__ratio_multiply(algebra, *result, how[1].factor);
        return true;
    }
    if (x->count == LETTERS || !is_share(s, f) || !is_share(s, g)) return false;
    made.parameter = name_letter(x);
    if (made.parameter < 0) return false;
    bound_letter(x, &made);
    x->letters[x->count++] = made;
    *result = qkv__ratio_of_form(algebra, qkv__form_parameter(algebra, made.parameter));
    return true;
}

/* A multiple of f that is a share: f over the largest of some whole numbers, with that number. */
static bool as_share(qkv__situation *s, qkv__ratio *f, qkv__ratio *factor)
{
    qkv__algebra *algebra = &s->model->algebra;
    for (int64_t most = 1; most <= 8; most *= 2)
        for (int64_t sign = 1; sign >= -1; sign -= 2) {
            *factor = qkv__ratio_whole(algebra, sign * most);
            qkv__ratio part = qkv__ratio_divide(algebra, *f, *factor);
            if (!is_share(s, part)) continue;
            *f = part;
            return true;
        }
    return false;
}

static bool is_one(qkv__ratio x)
{
    qkv__rational value;
    return qkv__ratio_is_constant(x, &value) && value.numerator == 1 && value.denominator == 1;
}

/* ---- Moments ------------------------------------------------------------------------- */

static bool mean_of(formulas *x, qkv__ratio f, qkv__ratio *result);

/* The terms of a numerator one by one: expectations add up. */
static bool mean_by_terms(formulas *x, qkv__ratio f, qkv__ratio *result)
{
    qkv__algebra *algebra = &x->s->model->algebra;
    *result = qkv__ratio_whole(algebra, 0);
    if (f.numerator->count > PARTS) return false;
    for (size_t i = 0; i < f.numerator->count; i++) {
        qkv__ratio mean,
            part = qkv__ratio_divide(
                algebra,
                qkv__ratio_of_form(algebra, qkv__form_term(algebra, &f.numerator->term[i])),
                qkv__ratio_of_form(algebra, f.denominator));
        if (!mean_of(x, part, &mean)) return false;
        *result = qkv__ratio_add(algebra, *result, mean);
    }
    return true;
}

/* Terms first: where each of them is told without a letter, so is the sum. */
static bool mean_of(formulas *x, qkv__ratio f, qkv__ratio *result)
{
    qkv__situation *s = x->s;
    qkv__ratio factor;
    if (qkv__ratio_is_lost(f) || s->model->algebra.arena.used > x->room) return false;
    if (qkv__moment_mean(s, f, result) || qkv__symmetry_mean(s, f, result)) return true;
    if (x->told) return false;
    if (f.numerator->count > 1) {
        x->told = true;
        bool told = mean_by_terms(x, f, result);
        x->told = false;
        if (told) return true;
    }
    if (x->split && f.numerator->count > 1) return mean_by_terms(x, f, result);
    if (!as_share(s, &f, &factor)) return false;
    x->part = x->split || !is_one(factor);
    if (!letter_for(x, 'E', f, f, result)) return false;
    *result = qkv__ratio_multiply(&s->model->algebra, factor, *result);
    return true;
}

static bool covariance_of(formulas *x, qkv__ratio f, qkv__ratio g, qkv__ratio *result)
{
    qkv__situation *s = x->s;
    qkv__algebra *algebra = &s->model->algebra;
    qkv__ratio first, second, product;
    if (qkv__moment_covariance(s, f, g, result)) return true;
    if (x->split) {
        if (!mean_of(x, f, &first) || !mean_of(x, g, &second) ||
            !mean_of(x, qkv__ratio_multiply(algebra, f, g), &product))
            return false;
        *result =
            qkv__ratio_subtract(algebra, product, qkv__ratio_multiply(algebra, first, second));
        return true;
    }
    if (!as_share(s, &f, &first) || !as_share(s, &g, &second)) return false;
    x->part = !is_one(first) || !is_one(second);
    if (!letter_for(x, 'C', f, g, result)) return false;
    *result = qkv__ratio_multiply(algebra, *result, qkv__ratio_multiply(algebra, first, second));
    return true;
}

/* ---- Expressions --------------------------------------------------------------------- */

/* noisy: what is random may be attention over keys with noise in every direction. */
static bool plain(formulas *x, const qkv__node *node, bool noisy, qkv__value *value)
{
    bool outer = x->s->model->noisy;
    x->s->model->noisy = noisy;
    bool good = qkv__model_value(x->s->model, node, x->s->locals, value);
    x->s->model->noisy = outer;
    return good;
}

static bool vector_moment(formulas *x, char kind, const qkv__vector *vector, qkv__value *value)
{
    qkv__ratio variance;
    const qkv__vector *mean;
    if (kind == 'V' && qkv__moment_spread(x->s, vector, &variance))
        return *value = qkv__value_scalar(&x->s->model->space, variance), true;
    if (kind == 'E' && qkv__moment_vector(x->s, vector, &mean))
        return *value = qkv__value_vector(mean), true;
    return false;
}

/* A root that is not random is a factor of the moment: E(x/sqrt(d)) = E(x)/sqrt(d). */
static bool times_roots(formulas *x, bool one, const qkv__surd *first, const qkv__surd *second,
                        qkv__ratio moment, qkv__value *value)
{
    qkv__model *model = x->s->model;
    qkv__ratio one_root = first->radicand, other = second->radicand;
    *value = qkv__value_scalar(&model->space, moment);
    if (qkv__random_touches(model, one_root) || qkv__random_touches(model, other)) return false;
    if (one) return value->scalar.radicand = one_root, true;
    if (qkv__ratio_equal(&model->algebra, one_root, other)) {
        *value = qkv__value_scalar(&model->space,
                                   qkv__ratio_multiply(&model->algebra, moment, one_root));
        return true;
    }
    return is_one(one_root) && is_one(other);
}

/* x |z|: a random root of a single product is a factor, with half of its powers. */
static void take_root_in(qkv__algebra *algebra, qkv__surd *surd)
{
    qkv__rational below;
    if (is_one(surd->radicand) || qkv__ratio_is_lost(surd->radicand) ||
        !qkv__form_is_constant(surd->radicand.denominator, &below))
        return;
    const qkv__form *above = qkv__form_scale(algebra, surd->radicand.numerator,
                                             qkv__rational_divide(qkv__rational_whole(1), below));
    const qkv__form *root = above == NULL ? NULL : qkv__form_root(algebra, above);
    if (root == NULL) return;
    surd->factor = qkv__ratio_multiply(algebra, surd->factor, qkv__ratio_of_form(algebra, root));
    surd->radicand = qkv__ratio_whole(algebra, 1);
}

static bool moment(formulas *x, const qkv__chance_call *call, qkv__value *value)
{
    qkv__situation *s = x->s;
    qkv__value first, second;
    const qkv__vector *vector;
    qkv__ratio f, g, result;
    const qkv__node *other = call->argument[call->kind == 'C' && call->count == 2 ? 1 : 0];
    if (call->given != NULL || qkv__chance_is_replaced(s)) return false;
    if (call->kind == 'P') {
        if (!qkv__law_event(s, call->argument[0], &result) &&
            !qkv__chance_of_order(s, call->argument[0], &result))
            return false;
        return *value = qkv__value_scalar(&s->model->space, result), true;
    }
    if (!plain(x, call->argument[0], true, &first) || !plain(x, other, true, &second)) return false;
    if (call->kind != 'C' && qkv__value_as_vector(&first, &vector))
        return vector_moment(x, call->kind, vector, value);
    if (first.kind != QKV__VALUE_SCALAR || second.kind != QKV__VALUE_SCALAR) return false;
    if (qkv__random_touches(s->model, first.scalar.radicand))
        take_root_in(&s->model->algebra, &first.scalar);
    if (qkv__random_touches(s->model, second.scalar.radicand))
        take_root_in(&s->model->algebra, &second.scalar);
    f = qkv__moment_apply(s, first.scalar.factor);
    g = qkv__moment_apply(s, second.scalar.factor);
    if (!(call->kind == 'E' ? mean_of(x, f, &result) : covariance_of(x, f, g, &result)))
        return false;
    return times_roots(x, call->kind == 'E', &first.scalar, &second.scalar, result, value);
}

static bool formula(formulas *x, const qkv__node *node, qkv__value *value)
{
    qkv__space *space = &x->s->model->space;
    qkv__chance_call call = qkv__chance_read(node);
    qkv__failure failure = {0};
    qkv__value a, b;
    x->node = call.kind != 0 ? node : x->node;
    if (call.kind != 0) return moment(x, &call, value);
    if (!qkv__speaks_of_chance(node)) return plain(x, node, false, value);
    if (node->kind == QKV__NODE_SUM) return false; /* its index stands for many numbers */
    if (node->count == 0 || !formula(x, node->child[0], &a)) return false;
    b = qkv__value_scalar(space, qkv__ratio_whole(space->algebra, -1));
    if (node->kind == QKV__NODE_NEGATE) return qkv__value_multiply(space, &b, &a, value, &failure);
    if (node->count != 2 || !formula(x, node->child[1], &b)) return false;
    switch (node->kind) {
    case QKV__NODE_ADD: return qkv__value_add(space, &a, &b, false, value, &failure);
    case QKV__NODE_SUBTRACT: return qkv__value_add(space, &a, &b, true, value, &failure);
    case QKV__NODE_MULTIPLY: return qkv__value_multiply(space, &a, &b, value, &failure);
    case QKV__NODE_DIVIDE: return qkv__value_divide(space, &a, &b, value, &failure);
    case QKV__NODE_POWER: return qkv__value_power(space, &a, &b, value, &failure);
    case QKV__NODE_DOT: return qkv__value_dot(space, &a, &b, value, &failure);
    default: return false;
    }
}

/* ---- Comparisons --------------------------------------------------------------------- */

static void take_back(qkv__text *text, size_t length)
{
    if (text->length <= length) return;
    text->length = length;
    text->data[length] = '\0';
}

/* With letters in it a formula is compared without refuting; what was told is taken back unless it
 * is a proof. */
static bool settle(formulas *x, const qkv__node *node, const qkv__value *left,
                   const qkv__value *right, qkv__verdict *verdict)
{
    qkv__situation *s = x->s;
    bool weakened = s->weakened;
    size_t found = s->finding->found.length, reason = s->finding->reason.length;
    s->weakened = weakened || x->count > 0;
    *verdict = qkv__compare_values(s, node, *left, *right);
    s->weakened = weakened;
    if (x->count == 0 || *verdict == QKV__PROVED) return true;
    take_back(&s->finding->found, found);
    take_back(&s->finding->reason, reason);
    return false;
}

static size_t count_calls(const qkv__node *node)
{
    size_t count = qkv__chance_read(node).kind != 0 ? 1 : 0;
    for (size_t i = 0; i < node->count; i++) count += count_calls(node->child[i]);
    return count;
}

/* Terms are taken apart only where several moments may be made of the same ones. */
bool qkv__chance_by_formula(qkv__situation *s, const qkv__node *node, qkv__verdict *verdict)
{
    assert(node->kind == QKV__NODE_COMPARE);
    qkv__value left, right;
    if (node->comparison == QKV__IN || node->comparison == QKV__NOT_IN || s->limit_count > 0)
        return false;
    for (int split = 0; split < (count_calls(node) > 1 ? 2 : 1); split++) {
        formulas x = {.s = s, .split = split == 1};
        x.room = s->model->algebra.arena.used + ROOM;
        if (formula(&x, node->child[0], &left) && formula(&x, node->child[1], &right) &&
            settle(&x, node, &left, &right, verdict))
            return true;
    }
    return false;
}
