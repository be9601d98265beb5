/*
 * That nothing will do, at one case: `exists t: p` fails for every choice of t, certainly.
 *
 * It is enough that one part of p cannot be satisfied. Linear equations are eliminated: if some
 * combination of them no longer contains an unknown and is not 0, there is no solution. A
 * comparison that is quadratic in one number is decided by its discriminant. Any other dependence
 * proves nothing. Bounds on the unknowns are ignored: if no number at all will do, none within the
 * bounds will.
 */
#include <assert.h>
#include <string.h>

#include "language/builtin.h"
#include "language/tree.h"
#include "replay/names.h"
#include "replay/none.h"
#include "replay/walk.h"

/* ---- What is chosen ------------------------------------------------------------------------ */

static bool find_choices(qkv__choice *c)
{
    const qkv__replay *replay = c->scene->replay;
    for (size_t i = 0; i + 1 < c->exists->count; i++) {
        const qkv__node *bound = c->exists->child[i], *declared;
        const char *kind;
        if (bound->kind == QKV__NODE_COMPARE || c->name_count == QKV__CHOICE_NAMES) return false;
        const char *name = qkv__binding_name(bound, &kind, &declared);
        int unknown = qkv__replay_unknown(replay, name, NULL, bound);
        if (unknown < 0) unknown = qkv__replay_unknown(replay, name, NULL, NULL);
        if (unknown < 0) return false;
        const qkv__unknown *u = &replay->unknown[unknown];
        bool numbers = u->kind == QKV__UNKNOWN_PARAMETER || u->kind == QKV__UNKNOWN_VECTOR ||
                       u->kind == QKV__UNKNOWN_MATRIX;
        if (!numbers || u->is_size || u->in_size || u->norm != NULL) return false;
        c->name[c->name_count] = name;
        c->unknown[c->name_count++] = unknown;
        for (size_t j = 0; j < qkv__unknown_slots(u); j++) {
            if (c->slot_count == QKV__CHOICES) return false;
            c->slot[c->slot_count++] = u->offset + j;
        }
    }
    return c->slot_count > 0;
}

static bool mentions_choice(const qkv__choice *c, const qkv__node *node)
{
    for (size_t i = 0; i < c->name_count; i++)
        if (qkv__node_names(node, c->name[i])) return true;
    return false;
}

/* Whether a definition that the node refers to, or a size, depends on what is chosen. */
static bool hides_choice(const qkv__choice *c, const qkv__node *node)
{
    enum { MOST = 16 };
    qkv__shadow own[MOST];
    const qkv__shadow *shadows = NULL;
    size_t count = 0;
    qkv__replay *replay = c->scene->replay;
    const size_t known = replay->unknown_count;
    for (size_t i = 0; i < c->name_count; i++, count++) {
        own[count] = (qkv__shadow){c->name[i], shadows};
        shadows = &own[count];
    }
    for (const qkv__local *l = c->scene->locals; l != NULL; l = l->next, count++) {
        if (count == MOST) return true;
        own[count] = (qkv__shadow){l->name, shadows};
        shadows = &own[count];
    }
    qkv__walk walk = {.replay = replay};
    bool good = qkv__walk_node(&walk, node, shadows, c->scene->position, false);
    if (!good || replay->unknown_count != known) {
        replay->unknown_count = known;
        return true;
    }
    for (size_t i = 0; i < c->name_count; i++)
        if ((walk.touched >> c->unknown[i] & 1) != 0) return true;
    return false;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

int qkv__choice_degree(const qkv__choice *c, const qkv__node *node)
{
    int most = 0;
    if (!mentions_choice(c, node)) return 0;
    switch (node->kind) {
    case QKV__NODE_NAME: return 1; /* it is mentioned */
    case QKV__NODE_NEGATE:
    case QKV__NODE_TRANSPOSE: return qkv__choice_degree(c, node->child[0]);
    case QKV__NODE_ADD:
    case QKV__NODE_SUBTRACT:
    case QKV__NODE_LIST:
        for (size_t i = 0; i < node->count; i++)
            most = larger(most, qkv__choice_degree(c, node->child[i]));
        return most;
    case QKV__NODE_MULTIPLY:
    case QKV__NODE_DOT:
        return qkv__choice_degree(c, node->child[0]) + qkv__choice_degree(c, node->child[1]);
    case QKV__NODE_DIVIDE:
        return mentions_choice(c, node->child[1]) ? QKV__NO_POLYNOMIAL
                                                  : qkv__choice_degree(c, node->child[0]);
    case QKV__NODE_POWER:
        if (node->child[1]->kind == QKV__NODE_NUMBER &&
            qkv__rational_compare(node->child[1]->value, qkv__rational_whole(2)) == 0)
            return 2 * qkv__choice_degree(c, node->child[0]);
        return QKV__NO_POLYNOMIAL;
    default: return QKV__NO_POLYNOMIAL;
    }
}

/* ---- The sides at a choice ----------------------------------------------------------------- */

void qkv__choice_put(const qkv__choice *c, size_t at, int64_t number)
{
    qkv__replay *replay = c->scene->replay;
    for (size_t i = 0; i < c->slot_count; i++)
        replay->slot[c->slot[i]] = qkv__rational_whole(i == at ? number : 0);
    for (size_t i = 0; i < c->name_count; i++) replay->unknown_known[c->unknown[i]] = false;
}

/* The scene with the vectors and matrices that were chosen under their names. */
typedef struct bound_scene {
    qkv__scene scene;
    qkv__local local[QKV__CHOICE_NAMES];
    qkv__case_value value[QKV__CHOICE_NAMES];
} bound_scene;

static bool bind(const qkv__choice *c, bound_scene *b)
{
    b->scene = *c->scene;
    for (size_t i = 0; i < c->name_count; i++) {
        if (b->scene.replay->unknown[c->unknown[i]].quantifier == NULL) continue;
        if (!qkv__replay_unknown_value(&b->scene, c->unknown[i], &b->value[i])) return false;
        b->local[i] =
            (qkv__local){.name = c->name[i], .value = &b->value[i], .next = b->scene.locals};
        b->scene.locals = &b->local[i];
    }
    return true;
}

bool qkv__choice_evaluate(const qkv__choice *c, const qkv__node *node, qkv__case_value *value)
{
    bound_scene b;
    return bind(c, &b) && qkv__replay_evaluate(&b.scene, node, value);
}

/* Left side less right side, entry by entry. */
static bool difference(const qkv__choice *c, const qkv__node *comparison, qkv__real **entry,
                       size_t *count)
{
    assert(comparison->kind == QKV__NODE_COMPARE);
    qkv__bench *bench = &c->scene->replay->bench;
    qkv__case_value x, y, left, right;
    if (!qkv__choice_evaluate(c, comparison->child[0], &x) ||
        !qkv__choice_evaluate(c, comparison->child[1], &y) ||
        !qkv__case_align(bench, &x, &y, &left, &right))
        return false;
    *count = left.rows * left.columns;
    *entry = qkv__bench_take(bench, *count);
    for (size_t i = 0; *entry != NULL && i < *count; i++) {
        qkv__real_subtract(&(*entry)[i], &left.entry[i], &right.entry[i]);
        if (!qkv__real_is_defined(&(*entry)[i])) return false;
    }
    return *entry != NULL;
}

/* ---- Linear equations ---------------------------------------------------------------------- */

static bool add_equation(const qkv__choice *c, const qkv__node *comparison, qkv__equations *e)
{
    qkv__real *constant, *moved;
    size_t count, same;
    qkv__bench *bench = &c->scene->replay->bench;
    qkv__choice_put(c, SIZE_MAX, 0);
    if (!difference(c, comparison, &constant, &count) || e->rows + count > QKV__EQUATIONS)
        return false;
    for (size_t i = 0; i < count; i++) {
        qkv__real *row = e->row[e->rows + i] = qkv__bench_take(bench, e->columns + 1);
        if (row == NULL) return false;
        qkv__real_set(&row[e->columns], &constant[i]);
    }
    for (size_t j = 0; j < e->columns; j++) {
        qkv__choice_put(c, j, 1);
        if (!difference(c, comparison, &moved, &same) || same != count) return false;
        for (size_t i = 0; i < count; i++)
            qkv__real_subtract(&e->row[e->rows + i][j], &moved[i], &constant[i]);
    }
    e->rows += count;
    return true;
}

/* The row from `first` on whose number in a column is farthest from 0, for certain; false where
 * none is for certain and one may be. *row is SIZE_MAX where all are 0. */
static bool find_pivot(const qkv__equations *e, size_t first, size_t column, size_t *row)
{
    bool open = false;
    double most = 0.0;
    *row = SIZE_MAX;
    for (size_t i = first; i < e->rows; i++) {
        int sign = qkv__real_sign(&e->row[i][column]);
        double middle = qkv__real_middle(&e->row[i][column]);
        if (sign == QKV__SIGN_OPEN) open = true;
        if (sign != 1 && sign != -1) continue;
        if (*row != SIZE_MAX && sign * middle <= most) continue;
        most = sign * middle;
        *row = i;
    }
    return *row != SIZE_MAX || !open;
}

bool qkv__equations_reduce(qkv__bench *bench, qkv__equations *e)
{
    size_t pivot;
    qkv__real *factor = qkv__bench_take(bench, 2);
    e->pivots = 0;
    for (size_t j = 0; factor != NULL && j < e->columns; j++) {
        if (!find_pivot(e, e->pivots, j, &pivot)) return false;
        if (pivot == SIZE_MAX) continue;
        qkv__real *row = e->row[pivot];
        e->row[pivot] = e->row[e->pivots];
        e->row[e->pivots++] = row;
        for (size_t i = e->pivots; i < e->rows; i++) {
            qkv__real_divide(&factor[0], &e->row[i][j], &row[j]);
            for (size_t k = j + 1; k <= e->columns; k++) {
                qkv__real_multiply(&factor[1], &factor[0], &row[k]);
                qkv__real_subtract(&e->row[i][k], &e->row[i][k], &factor[1]);
            }
        }
    }
    return factor != NULL;
}

bool qkv__equations_exclude(const qkv__equations *e)
{
    for (size_t i = e->pivots; i < e->rows; i++) {
        int sign = qkv__real_sign(&e->row[i][e->columns]);
        if (sign == 1 || sign == -1) return true;
    }
    return false;
}

/* ---- One number ---------------------------------------------------------------------------- */

/* a t^2 + b t + c, from the values at 0, 1 and -1; no entry of a vector but a number. */
static bool quadratic(const qkv__choice *c, const qkv__node *comparison, qkv__real *a, qkv__real *b,
                      qkv__real *constant)
{
    static const int64_t points[] = {0, 1, -1};
    qkv__real *at[3], half;
    size_t count;
    for (size_t i = 0; i < 3; i++) {
        qkv__choice_put(c, 0, points[i]);
        if (!difference(c, comparison, &at[i], &count) || count != 1) return false;
    }
    qkv__real_init(&half);
    qkv__real_set_rational(&half, qkv__rational_make(1, 2));
    qkv__real_add(a, at[1], at[2]);
    qkv__real_multiply(a, a, &half);
    qkv__real_subtract(a, a, at[0]);
    qkv__real_subtract(b, at[1], at[2]);
    qkv__real_multiply(b, b, &half);
    qkv__real_set(constant, at[0]);
    qkv__real_clear(&half);
    return true;
}

/* Whether a t^2 + b t + c is of one sign for all t, for certain: below 0, or, where that will do,
 * at most 0. */
static bool stays_below(qkv__bench *bench, const qkv__real *a, const qkv__real *b,
                        const qkv__real *c, bool or_zero)
{
    qkv__real *part = qkv__bench_take(bench, 2);
    if (part == NULL) return false;
    int highest = qkv__real_sign(a), constant = qkv__real_sign(c);
    if (highest == 0 && qkv__real_sign(b) == 0) return constant == -1 || (or_zero && constant == 0);
    if (highest != -1) return false;
    qkv__real_multiply(&part[0], b, b); /* b^2 - 4 a c */
    qkv__real_multiply(&part[1], a, c);
    for (int i = 0; i < 4; i++) qkv__real_subtract(&part[0], &part[0], &part[1]);
    int discriminant = qkv__real_sign(&part[0]);
    return discriminant == -1 || (or_zero && discriminant == 0);
}

/* Whether no number satisfies a comparison that is at most quadratic in it. */
static bool fails_for_all(const qkv__choice *c, const qkv__node *comparison)
{
    qkv__bench *bench = &c->scene->replay->bench;
    qkv__real *part = qkv__bench_take(bench, 6);
    if (part == NULL || !quadratic(c, comparison, &part[0], &part[1], &part[2])) return false;
    for (size_t i = 0; i < 3; i++) qkv__real_negate(&part[3 + i], &part[i]);
    bool strict = comparison->comparison == QKV__LESS || comparison->comparison == QKV__GREATER;
    switch (comparison->comparison) {
    case QKV__GREATER:
    case QKV__GREATER_OR_EQUAL: return stays_below(bench, &part[0], &part[1], &part[2], strict);
    case QKV__LESS:
    case QKV__LESS_OR_EQUAL: return stays_below(bench, &part[3], &part[4], &part[5], strict);
    case QKV__EQUAL:
    case QKV__NEAR:
        return stays_below(bench, &part[0], &part[1], &part[2], false) ||
               stays_below(bench, &part[3], &part[4], &part[5], false);
    default: return false;
    }
}

/* ---- The parts ----------------------------------------------------------------------------- */

/* Gathers the equations that must hold, and says whether one part alone cannot. */
static bool part_fails(const qkv__choice *c, const qkv__node *node, qkv__equations *e)
{
    qkv__truth truth;
    bound_scene b;
    if (node->kind == QKV__NODE_AND)
        return part_fails(c, node->child[0], e) || part_fails(c, node->child[1], e);
    if (node->kind != QKV__NODE_COMPARE || node->comparison > QKV__NEAR || hides_choice(c, node))
        return false;
    if (qkv__choice_is_idle(c, node))
        return bind(c, &b) && qkv__replay_judge_node(&b.scene, node, &truth) && truth.certain == -1;
    if (c->scene->replay->tolerance != NULL) return false;
    int most = larger(qkv__choice_degree(c, node->child[0]), qkv__choice_degree(c, node->child[1]));
    if (most > 2) return qkv__choice_weights_fail(c, node);
    bool equation = node->comparison == QKV__EQUAL || node->comparison == QKV__NEAR;
    const size_t before = e->rows;
    if (equation && most <= 1 && !add_equation(c, node, e)) e->rows = before;
    return c->slot_count == 1 && fails_for_all(c, node);
}

bool qkv__replay_judge_none(const qkv__scene *scene, const qkv__node *exists)
{
    assert(exists->kind == QKV__NODE_EXISTS);
    qkv__replay *replay = scene->replay;
    qkv__rational kept[QKV__CHOICES];
    qkv__choice c = {.scene = scene, .exists = exists};
    qkv__equations e = {0};
    if (!find_choices(&c)) return false;
    for (size_t i = 0; i < c.slot_count; i++) kept[i] = replay->slot[c.slot[i]];
    const qkv__obstacle obstacle = replay->bench.obstacle;
    const qkv__comparison_seen seen = replay->seen;
    e.columns = c.slot_count;
    bool none = part_fails(&c, exists->child[exists->count - 1], &e) ||
                (qkv__equations_reduce(&replay->bench, &e) && qkv__equations_exclude(&e));
    for (size_t i = 0; i < c.slot_count; i++) replay->slot[c.slot[i]] = kept[i];
    for (size_t i = 0; i < c.name_count; i++) replay->unknown_known[c.unknown[i]] = false;
    replay->bench.obstacle = obstacle;
    replay->seen = seen;
    return none;
}
