/*
 * That nothing will do, where the unknown enters the query of attention. The output lies in the
 * hull of the values. And a combination of scores that does not depend on the unknown ties the
 * weights to each other: if sum(c[i]) = 0 and sum(c[i]*score[i]) = s for every choice, the product
 * of weight[i]^c[i] is e^s. Both also hold in the limit, for outputs that are only approached.
 */
#include "replay/none.h"

#include <assert.h>
#include <string.h>

#include "language/builtin.h"
#include "replay/names.h"

enum { KEYS = 16, LARGEST_POWER = 64 };

/* Scores as linear functions of the unknowns, with exact coefficients. */
typedef struct scores {
    size_t keys, choices;
    qkv__rational constant[KEYS];
    qkv__rational slope[KEYS][QKV__CHOICES];
} scores;

/* attend(q, k, v) where only q contains unknowns, and linearly. */
static bool is_attention(const qkv__choice *c, const qkv__node *node)
{
    const qkv__node *declared;
    if (qkv__builtin_of(node) != QKV__BUILTIN_ATTEND || node->count < 3 ||
        qkv__replay_resolve(c->scene->replay, node->text, c->scene->position, &declared) >= 0)
        return false;
    for (size_t i = 1; i < node->count; i++) {
        bool option = node->child[i]->kind == QKV__NODE_OPTION;
        if (option && strcmp(node->child[i]->text, "scale") != 0) return false; /* a mask, a sink */
        if (qkv__choice_degree(c, node->child[i]) > 0) return false;
    }
    return qkv__choice_degree(c, node->child[0]) <= 1;
}

static bool attend(const qkv__choice *c, const qkv__node *call, const qkv__case_result **result)
{
    qkv__case_value value;
    if (!qkv__choice_evaluate(c, call, &value) || value.kind != QKV__CASE_RESULT) return false;
    *result = value.result;
    return value.result->single && value.result->score != NULL && value.result->keys <= KEYS;
}

static bool read_scores(const qkv__choice *c, const qkv__node *call, scores *s)
{
    const qkv__case_result *at;
    qkv__choice_put(c, SIZE_MAX, 0);
    if (!attend(c, call, &at)) return false;
    *s = (scores){.keys = at->keys, .choices = c->slot_count};
    for (size_t i = 0; i < s->keys; i++) {
        s->constant[i] = at->score[i].exact;
        if (qkv__rational_is_lost(s->constant[i])) return false;
    }
    for (size_t j = 0; j < s->choices; j++) {
        qkv__choice_put(c, j, 1);
        if (!attend(c, call, &at) || at->keys != s->keys) return false;
        for (size_t i = 0; i < s->keys; i++) {
            s->slope[i][j] = qkv__rational_subtract(at->score[i].exact, s->constant[i]);
            if (qkv__rational_is_lost(s->slope[i][j])) return false;
        }
    }
    return true;
}

/* ---- What no choice changes ---------------------------------------------------------------- */

/* Scores that move together leave the weights as they are. */
static bool weights_are_fixed(const qkv__choice *c, const qkv__node *call)
{
    scores s;
    if (!read_scores(c, call, &s)) return false;
    for (size_t i = 1; i < s.keys; i++)
        for (size_t j = 0; j < s.choices; j++)
            if (qkv__rational_compare(s.slope[i][j], s.slope[0][j]) != 0) return false;
    return true;
}

bool qkv__choice_is_idle(const qkv__choice *c, const qkv__node *node)
{
    if (qkv__choice_degree(c, node) == 0) return true;
    if (node->kind == QKV__NODE_MEMBER && strcmp(node->text, "score") == 0) return false;
    if (is_attention(c, node)) return weights_are_fixed(c, node);
    for (size_t i = 0; i < node->count; i++)
        if (!qkv__choice_is_idle(c, node->child[i])) return false;
    return node->count > 0;
}

/* ---- Weights that an output needs ---------------------------------------------------------- */

/* The weights that make the output of a call the target: equations for values and sum. Reduced;
 * false where there is more than one solution, or that is not known. */
static bool weights_of(const qkv__choice *c, const qkv__case_value *target,
                       const qkv__case_value *values, qkv__equations *e)
{
    qkv__bench *bench = &c->scene->replay->bench;
    *e = (qkv__equations){.rows = target->rows + 1, .columns = values->rows};
    if (e->rows > QKV__EQUATIONS) return false;
    for (size_t i = 0; i < e->rows; i++) {
        bool sum = i == target->rows;
        e->row[i] = qkv__bench_take(bench, e->columns + 1);
        if (e->row[i] == NULL) return false;
        for (size_t j = 0; j < e->columns; j++)
            if (sum)
                qkv__real_set_whole(&e->row[i][j], 1);
            else
                qkv__real_set(&e->row[i][j], &values->entry[j * values->columns + i]);
        if (sum)
            qkv__real_set_whole(&e->row[i][e->columns], -1);
        else
            qkv__real_negate(&e->row[i][e->columns], &target->entry[i]);
    }
    return qkv__equations_reduce(bench, e) && e->pivots == e->columns;
}

/* From the last row up. */
static bool solve(qkv__bench *bench, const qkv__equations *e, qkv__real *weight)
{
    qkv__real *part = qkv__bench_take(bench, 1);
    for (size_t i = e->columns; part != NULL && i-- > 0;) {
        qkv__real_negate(&weight[i], &e->row[i][e->columns]);
        for (size_t j = i + 1; j < e->columns; j++) {
            qkv__real_multiply(part, &e->row[i][j], &weight[j]);
            qkv__real_subtract(&weight[i], &weight[i], part);
        }
        qkv__real_divide(&weight[i], &weight[i], &e->row[i][i]);
    }
    return part != NULL;
}

/* ---- Ties between the weights -------------------------------------------------------------- */

/* The conditions on c: one row for the sum, one for each choice; in steps, with ones in front. */
typedef struct conditions {
    size_t rows, pivot[QKV__CHOICES + 1];
    qkv__rational entry[QKV__CHOICES + 1][KEYS];
} conditions;

static void clear_column(conditions *d, size_t done, size_t column, size_t keys)
{
    for (size_t i = 0; i < d->rows; i++) {
        const qkv__rational factor = d->entry[i][column];
        if (i == done || factor.numerator == 0) continue;
        for (size_t j = 0; j < keys; j++)
            d->entry[i][j] = qkv__rational_subtract(
                d->entry[i][j], qkv__rational_multiply(factor, d->entry[done][j]));
    }
}

static void reduce(conditions *d, size_t keys)
{
    size_t done = 0;
    for (size_t j = 0; j < keys && done < d->rows; j++) {
        size_t row = done;
        while (row < d->rows && d->entry[row][j].numerator == 0) row++;
        if (row == d->rows) continue;
        for (size_t k = 0; k < keys; k++) {
            const qkv__rational swapped = d->entry[row][k];
            d->entry[row][k] = d->entry[done][k];
            d->entry[done][k] = swapped;
        }
        const qkv__rational first = d->entry[done][j];
        for (size_t k = 0; k < keys; k++)
            d->entry[done][k] = qkv__rational_divide(d->entry[done][k], first);
        clear_column(d, done, j, keys);
        d->pivot[done++] = j;
    }
    d->rows = done;
}

/* One combination for a column that no row begins with, in whole numbers; false where they are too
 * large. */
static bool combination(const conditions *d, size_t keys, size_t free, int64_t *power)
{
    qkv__rational part[KEYS];
    int64_t common = 1;
    for (size_t j = 0; j < keys; j++) part[j] = qkv__rational_whole(j == free);
    for (size_t i = 0; i < d->rows; i++) {
        if (qkv__rational_is_lost(d->entry[i][free])) return false;
        part[d->pivot[i]] = qkv__rational_negate(d->entry[i][free]);
    }
    for (size_t j = 0; j < keys; j++) {
        qkv__rational whole = qkv__rational_multiply(part[j], qkv__rational_whole(common));
        if (qkv__rational_is_lost(whole) || whole.denominator > LARGEST_POWER) return false;
        common *= whole.denominator;
        if (common > LARGEST_POWER) return false;
    }
    for (size_t j = 0; j < keys; j++) {
        qkv__rational whole = qkv__rational_multiply(part[j], qkv__rational_whole(common));
        power[j] = whole.numerator;
        if (qkv__rational_is_lost(whole) || power[j] > LARGEST_POWER || power[j] < -LARGEST_POWER)
            return false;
    }
    return true;
}

/* Whether no choice is left in a combination of scores, and its factors sum to 0. */
static bool is_tie(const scores *s, const int64_t *power)
{
    for (size_t j = 0; j <= s->choices; j++) {
        qkv__rational sum = qkv__rational_whole(0);
        for (size_t i = 0; i < s->keys; i++) {
            qkv__rational part = qkv__rational_whole(power[i]);
            if (j < s->choices) part = qkv__rational_multiply(part, s->slope[i][j]);
            sum = qkv__rational_add(sum, part);
        }
        if (qkv__rational_is_lost(sum) || sum.numerator != 0) return false;
    }
    return true;
}

/* Whether the weights break a tie: one product is not the other, times e^sum(c[i]*constant[i]). */
static bool breaks(qkv__bench *bench, const scores *s, const int64_t *power,
                   const qkv__real *weight)
{
    qkv__real *product = qkv__bench_take(bench, 3);
    qkv__rational constant = qkv__rational_whole(0);
    if (product == NULL) return false;
    qkv__real_set_whole(&product[0], 1);
    for (size_t i = 0; i < s->keys; i++)
        constant = qkv__rational_add(
            constant, qkv__rational_multiply(s->constant[i], qkv__rational_whole(power[i])));
    qkv__real_set_rational(&product[1], constant);
    qkv__real_exponential(&product[1], &product[1]);
    for (size_t i = 0; i < s->keys; i++)
        for (int64_t n = power[i] < 0 ? -power[i] : power[i]; n > 0; n--)
            qkv__real_multiply(&product[power[i] < 0], &product[power[i] < 0], &weight[i]);
    qkv__real_subtract(&product[2], &product[0], &product[1]);
    int sign = qkv__real_is_defined(&product[2]) ? qkv__real_sign(&product[2]) : QKV__SIGN_OPEN;
    return sign == 1 || sign == -1;
}

static bool breaks_some_tie(qkv__bench *bench, const scores *s, const qkv__real *weight)
{
    conditions d = {.rows = s->choices + 1};
    int64_t power[KEYS];
    for (size_t j = 0; j < s->keys; j++) {
        d.entry[0][j] = qkv__rational_whole(1);
        for (size_t i = 0; i < s->choices; i++) d.entry[i + 1][j] = s->slope[j][i];
    }
    reduce(&d, s->keys);
    for (size_t j = 0, row = 0; j < s->keys; j++) {
        if (row < d.rows && d.pivot[row] == j) {
            row++;
            continue;
        }
        if (combination(&d, s->keys, j, power) && is_tie(s, power) &&
            breaks(bench, s, power, weight))
            return true;
    }
    return false;
}

/* ---- The comparison ------------------------------------------------------------------------ */

bool qkv__choice_weights_fail(const qkv__choice *c, const qkv__node *comparison)
{
    assert(comparison->kind == QKV__NODE_COMPARE);
    qkv__bench *bench = &c->scene->replay->bench;
    const bool equal = comparison->comparison == QKV__EQUAL;
    const bool turned = !is_attention(c, comparison->child[0]);
    const qkv__node *call = comparison->child[turned], *wanted = comparison->child[!turned];
    qkv__case_value given, target, values, family;
    qkv__equations e;
    scores s;
    if ((!equal && comparison->comparison != QKV__NEAR) || !is_attention(c, call) ||
        qkv__choice_degree(c, wanted) > 0 || !read_scores(c, call, &s) ||
        !qkv__choice_evaluate(c, wanted, &given) ||
        !qkv__choice_evaluate(c, call->child[2], &target) || !qkv__case_rows(&target, &values))
        return false;
    target = qkv__case_plain(&given);
    if (target.kind != QKV__CASE_VECTOR || values.kind == QKV__CASE_AXES ||
        values.columns != target.rows || values.rows != s.keys)
        return false;
    qkv__truth inside;
    qkv__scene scene = *c->scene;
    if (qkv__replay_evaluate(&scene, call->child[2], &family) &&
        qkv__replay_judge_hull(bench, &target, &family, &inside) && inside.certain == -1)
        return true;
    if (!weights_of(c, &target, &values, &e)) return false;
    qkv__real *weight = qkv__bench_take(bench, s.keys);
    if (weight == NULL || !solve(bench, &e, weight)) return false;
    for (size_t i = 0; equal && i < s.keys; i++)
        if (qkv__real_sign(&weight[i]) == 0) return true; /* e^score is never 0 */
    return breaks_some_tie(bench, &s, weight);
}
