/*
 * Questions about a query: from what is demanded of the weights to weights that answer it, and on
 * to the file that knows the keys. Weights are positive and sum to 1, which already rules many
 * demands out. Knows linear algebra over the weights; nothing of keys.
 */
#include <string.h>

#include "claim/design/design_part.h"
#include "exact/echelon.h"

enum { CORNERS = 64, CORNER_KEYS = 12, ROUNDS = 3 };

/* The demand as equations for masses, the weight of a class as a whole: rows of `matrix`, one
 * column a class, with right sides. */
typedef struct system_of {
    size_t rows, columns;
    qkv__rational *matrix;
    qkv__ratio *right;
    int pivot[QKV__DESIGN_KEYS];
    int rank;
} system_of;

/* ---- What refutes ------------------------------------------------------------------------- */

/*
 * Whether weights that do not answer the relations exactly (or in the limit) answer the question
 * with no choice of what is arbitrary: components must vanish one by one where the symbols are
 * independent; a tolerance is overcome by scaling vectors of which nothing is known.
 */
static bool may_refute(qkv__design_task *task, const qkv__design_demand *demand)
{
    for (size_t i = 0; i < demand->count; i++) {
        const qkv__design_relation *relation = &demand->relation[i];
        bool tolerant = !qkv__ratio_is_lost(relation->tolerance);
        if (relation->alone && tolerant) return false;
        if (relation->alone) continue;
        if (!qkv__design_is_independent(task, relation->symbol.family)) return false;
        if (tolerant && relation->symbol.family->gram != QKV__GRAM_UNKNOWN) return false;
    }
    return true;
}

/* ---- Equations ---------------------------------------------------------------------------- */

/* One relation in terms of masses. With a single class in it, its factor is divided out. */
static bool fill_row(qkv__design_task *task, const qkv__design_demand *demand,
                     const qkv__design_relation *relation, qkv__rational *row, qkv__ratio *right)
{
    qkv__algebra *algebra = &task->model->algebra;
    const qkv__design_head *head = &demand->head;
    size_t used = 0, last = 0;
    bool constant = true;
    for (size_t i = 0; i < head->count; i++) {
        qkv__ratio factor = qkv__ratio_divide(algebra, relation->coefficient[i], head->size[i]);
        row[i] = qkv__rational_whole(0);
        if (qkv__ratio_is_zero(relation->coefficient[i])) continue;
        used++;
        last = i;
        constant = constant && qkv__ratio_is_constant(factor, &row[i]);
    }
    *right = qkv__ratio_negate(algebra, relation->constant);
    /* A component along the sum of the rest says nothing where there is no rest. */
    if (used == 0 && !relation->alone && relation->symbol.member == QKV__REST)
        *right = qkv__ratio_multiply(algebra, *right,
                                     qkv__rest_size(algebra, relation->symbol.family->set));
    if (constant) return !qkv__ratio_is_lost(*right);
    if (used != 1) return false;
    qkv__sign sign = qkv__design_sign(task, relation->coefficient[last]);
    if (sign != QKV__SIGN_POSITIVE && sign != QKV__SIGN_NEGATIVE) return false;
    row[last] = qkv__rational_whole(1);
    *right = qkv__ratio_multiply(
        algebra, qkv__ratio_divide(algebra, *right, relation->coefficient[last]), head->size[last]);
    return !qkv__ratio_is_lost(*right);
}

/* All relations, and last of all that the masses sum to 1 (where `sum`). */
static bool fill_system(qkv__design_task *task, const qkv__design_demand *demand, bool sum,
                        system_of *s)
{
    qkv__arena *arena = &task->model->algebra.arena;
    size_t columns = demand->head.count, room = demand->count + 1 + ROUNDS * columns;
    *s = (system_of){.rows = demand->count + (sum ? 1 : 0), .columns = columns};
    s->matrix = qkv__arena_array(arena, room * columns, sizeof *s->matrix);
    s->right = qkv__arena_array(arena, room, sizeof *s->right);
    if (s->matrix == NULL || s->right == NULL) return false;
    for (size_t r = 0; r < demand->count; r++)
        if (!fill_row(task, demand, &demand->relation[r], s->matrix + r * columns, &s->right[r]))
            return false;
    for (size_t c = 0; sum && c < columns; c++)
        s->matrix[demand->count * columns + c] = qkv__rational_whole(1);
    if (sum) s->right[demand->count] = qkv__ratio_whole(&task->model->algebra, 1);
    s->rank =
        qkv__echelon_reduce(&task->model->algebra, s->matrix, s->rows, columns, s->pivot, s->right);
    return s->rank >= 0;
}

/* 1: some equation cannot hold; 0: none is seen to fail; -1: not known. */
static int is_inconsistent(qkv__design_task *task, const system_of *s, qkv__text *at)
{
    for (size_t r = (size_t)s->rank; r < s->rows; r++) {
        if (qkv__ratio_is_zero(s->right[r])) continue;
        return qkv__design_somewhere_nonzero(task, s->right[r], at) ? 1 : -1;
    }
    return 0;
}

/* A row whose factors are all positive: its right side must not be negative, and where it is 0 all
 * its masses are. Returns 1 when that contradicts, 0 when nothing new came out, 2 when it did. */
static int use_signs(qkv__design_task *task, system_of *s, qkv__text *at)
{
    size_t rows = s->rows;
    for (size_t r = 0; r < (size_t)s->rank; r++) {
        int positive = 0, negative = 0;
        const qkv__rational *row = s->matrix + r * s->columns;
        for (size_t c = 0; c < s->columns; c++) {
            positive += qkv__rational_sign(row[c]) > 0;
            negative += qkv__rational_sign(row[c]) < 0;
        }
        if (negative > 0) continue;
        if (qkv__design_somewhere_negative(task, s->right[r], at)) return 1;
        if (!qkv__ratio_is_zero(s->right[r]) || positive < 2) continue;
        for (size_t c = 0; c < s->columns; c++) {
            if (qkv__rational_sign(row[c]) == 0) continue;
            for (size_t i = 0; i < s->columns; i++)
                s->matrix[rows * s->columns + i] = qkv__rational_whole(i == c);
            s->right[rows++] = qkv__ratio_whole(&task->model->algebra, 0);
        }
        s->rows = rows;
        s->rank = qkv__echelon_reduce(&task->model->algebra, s->matrix, s->rows, s->columns,
                                      s->pivot, s->right);
        return 2;
    }
    return 0;
}

/* ---- Refusals ----------------------------------------------------------------------------- */

/* Says what weights the target would need, where the components name them. */
static bool explain_weights(qkv__design_task *task, const qkv__design_demand *demand)
{
    qkv__algebra *algebra = &task->model->algebra;
    system_of s;
    qkv__rational value;
    qkv__text text = {0};
    if (!fill_system(task, demand, false, &s) || s.rank != (int)s.columns ||
        is_inconsistent(task, &s, NULL) != 0)
        return false;
    qkv__ratio sum = qkv__ratio_whole(algebra, 0);
    for (size_t c = 0; c < s.columns; c++) {
        qkv__ratio mass = s.right[s.pivot[c]];
        sum = qkv__ratio_add(algebra, sum, mass);
        qkv__text at = {0};
        if (text.length == 0 && qkv__design_somewhere_negative(task, mass, &at)) {
            qkv__text_format(&text, "The target needs the weight ");
            qkv__ratio_write(algebra, mass, &text);
            qkv__text_format(&text, " on ");
            qkv__design_key_write(task, &demand->head, c, &text);
            qkv__text_format(&text,
                             "%s, but weights are positive: when that key's value is 1 and all "
                             "others are 0, the output is positive and the target is not.",
                             at.data == NULL ? "" : at.data);
        }
        qkv__text_free(&at);
    }
    if (text.length == 0 &&
        (!qkv__ratio_is_constant(sum, &value) || value.numerator != 1 || value.denominator != 1)) {
        qkv__text_format(&text, "The target's weights sum to ");
        qkv__ratio_write(algebra, sum, &text);
        qkv__text_format(&text, ", those of attention to 1: when all values are equal, the output "
                                "is that value, whatever the query.");
    }
    bool found = text.length > 0 && !text.failed;
    if (found) qkv__design_say(task, "%s", text.data);
    qkv__text_free(&text);
    return found;
}

/* The target whose components the relations are. */
static const qkv__vector *target_of(qkv__design_task *task, const qkv__design_demand *demand)
{
    qkv__space *space = &task->model->space;
    const qkv__vector *target = qkv__vector_zero(space);
    for (size_t i = 0; i < demand->count; i++) {
        const qkv__design_relation *relation = &demand->relation[i];
        if (relation->alone) return NULL;
        target = qkv__vector_add(
            space, target,
            qkv__vector_scale(
                space, qkv__vector_symbol(space, relation->symbol.family, relation->symbol.member),
                qkv__ratio_negate(space->algebra, relation->constant)));
    }
    return target;
}

static void refuse(qkv__design_task *task, const qkv__design_demand *demand, const char *at)
{
    if (!may_refute(task, demand)) {
        qkv__design_leave(task, "no weights give the target exactly, but a tolerance, or known "
                                "facts about the values, may allow it");
        return;
    }
    if (!explain_weights(task, demand) &&
        !qkv__design_separate(task, target_of(task, demand), demand->head.values))
        qkv__design_say(task,
                        "No positive weights that sum to 1 give this%s: the target lies outside "
                        "the convex hull of the values.",
                        at == NULL ? "" : at);
    qkv__design_refute(task, at == NULL && qkv__design_is_uniform(demand));
}

/* ---- Weights ------------------------------------------------------------------------------ */

static void dispatch(qkv__design_task *task, const qkv__design_demand *demand,
                     const qkv__design_weights *weights, bool unique)
{
    switch (demand->head.kind) {
    case QKV__KEYS_INDEPENDENT: qkv__design_independent(task, demand, weights, unique); return;
    case QKV__KEYS_NUMBERS: qkv__design_numbers(task, demand, weights, unique); return;
    case QKV__KEYS_ARBITRARY: qkv__design_arbitrary(task, demand, weights); return;
    case QKV__KEYS_OTHER: break;
    }
    qkv__design_leave(task, "too little is known about the inner products of the keys");
}

/* The masses of a solved system as weights; false when some may be negative. */
static bool weights_of(qkv__design_task *task, const qkv__design_demand *demand, const system_of *s,
                       qkv__design_weights *weights)
{
    for (size_t c = 0; c < s->columns; c++) {
        qkv__ratio mass =
            s->pivot[c] < 0 ? qkv__ratio_whole(&task->model->algebra, 0) : s->right[s->pivot[c]];
        qkv__sign sign = qkv__design_sign(task, mass);
        if (sign != QKV__SIGN_POSITIVE && sign != QKV__SIGN_ZERO) return false;
        /* A rest that may be empty carries nothing. */
        if (sign == QKV__SIGN_POSITIVE &&
            qkv__design_sign(task, demand->head.size[c]) != QKV__SIGN_POSITIVE)
            return false;
        weights->weight[c] = qkv__ratio_divide(&task->model->algebra, mass, demand->head.size[c]);
        if (qkv__ratio_is_lost(weights->weight[c])) return false;
    }
    return true;
}

/* Weights on some of the classes alone, where the equations then leave one choice: 1; 0 for none;
 * -1 when a number is lost. */
static int corner(qkv__design_task *task, const qkv__design_demand *demand, const system_of *full,
                  unsigned support, qkv__design_weights *weights)
{
    qkv__arena *arena = &task->model->algebra.arena;
    system_of s = *full;
    s.matrix =
        qkv__arena_array(arena, (full->rows + full->columns) * full->columns, sizeof *s.matrix);
    s.right = qkv__arena_array(arena, full->rows + full->columns, sizeof *s.right);
    if (s.matrix == NULL || s.right == NULL) return -1;
    memcpy(s.matrix, full->matrix, full->rows * full->columns * sizeof *s.matrix);
    memcpy(s.right, full->right, full->rows * sizeof *s.right);
    for (size_t c = 0; c < s.columns; c++) {
        if ((support >> c & 1u) != 0) continue;
        for (size_t i = 0; i < s.columns; i++)
            s.matrix[s.rows * s.columns + i] = qkv__rational_whole(i == c);
        s.right[s.rows++] = qkv__ratio_whole(&task->model->algebra, 0);
    }
    s.rank =
        qkv__echelon_reduce(&task->model->algebra, s.matrix, s.rows, s.columns, s.pivot, s.right);
    if (s.rank < 0) return -1;
    return s.rank == (int)s.columns && is_inconsistent(task, &s, NULL) == 0 &&
           weights_of(task, demand, &s, weights);
}

/* Tries weights one after the other until a design is found. What was said of those that failed
 * is taken back. Returns whether there is a verdict. */
static bool attempt(qkv__design_task *task, const qkv__design_demand *demand,
                    const qkv__design_weights *weights, bool unique)
{
    size_t found = task->finding->found.length, reason = task->finding->reason.length;
    dispatch(task, demand, weights, unique);
    if (task->finding->verdict != QKV__UNDECIDED) return true;
    if (task->finding->found.data != NULL) task->finding->found.data[found] = '\0';
    if (task->finding->reason.data != NULL) task->finding->reason.data[reason] = '\0';
    task->finding->found.length = found;
    task->finding->reason.length = reason;
    return false;
}

static unsigned bits(unsigned set)
{
    unsigned count = 0;
    for (; set != 0; set &= set - 1) count++;
    return count;
}

/*
 * Several weights answer the demand. The set of all is a polytope; its corners are tried, and the
 * middle of them. A polytope without a corner is empty.
 */
static void try_corners(qkv__design_task *task, const qkv__design_demand *demand,
                        const system_of *s)
{
    qkv__algebra *algebra = &task->model->algebra;
    qkv__design_weights weights, middle;
    size_t corners = 0;
    bool numbers = !demand->head.has_rest;
    for (size_t r = 0; r < (size_t)s->rank; r++) {
        qkv__rational value;
        numbers = numbers && qkv__ratio_is_constant(s->right[r], &value);
    }
    for (size_t c = 0; c < s->columns; c++) middle.weight[c] = qkv__ratio_whole(algebra, 0);
    if (s->columns > CORNER_KEYS) {
        qkv__design_leave(task, "too many weights are left open");
        return;
    }
    for (unsigned support = 1; support < 1u << s->columns && corners < CORNERS; support++) {
        if (bits(support) > (unsigned)s->rank) continue;
        int outcome = corner(task, demand, s, support, &weights);
        numbers = numbers && outcome >= 0;
        if (outcome <= 0) continue;
        corners++;
        for (size_t c = 0; c < s->columns; c++)
            middle.weight[c] = qkv__ratio_add(algebra, middle.weight[c], weights.weight[c]);
        if (attempt(task, demand, &weights, false)) return;
    }
    if (corners == 0 && numbers) {
        refuse(task, demand, NULL);
        return;
    }
    qkv__ratio share =
        qkv__ratio_constant(algebra, qkv__rational_make(1, (int64_t)(corners == 0 ? 1 : corners)));
    for (size_t c = 0; c < s->columns; c++)
        middle.weight[c] = qkv__ratio_multiply(algebra, middle.weight[c], share);
    if (corners > 1 && attempt(task, demand, &middle, false)) return;
    qkv__design_leave(task,
                      "many choices of weights would do, but none of those tried can be reached");
}

/* ---- Orders ------------------------------------------------------------------------------- */

/* Whether weights in the limit answer all relations, orders with room to spare. */
static bool answers(qkv__design_task *task, const qkv__design_demand *demand,
                    const qkv__design_weights *weights)
{
    for (size_t i = 0; i < demand->count; i++) {
        const qkv__design_relation *relation = &demand->relation[i];
        qkv__ratio value = qkv__design_relation_at(task, demand, relation, weights);
        qkv__sign sign = qkv__design_sign(task, value);
        bool less = relation->comparison == QKV__LESS || relation->comparison == QKV__LESS_OR_EQUAL;
        bool more =
            relation->comparison == QKV__GREATER || relation->comparison == QKV__GREATER_OR_EQUAL;
        if (less && sign != QKV__SIGN_NEGATIVE) return false;
        if (more && sign != QKV__SIGN_POSITIVE) return false;
        if (!less && !more && sign != QKV__SIGN_ZERO) return false;
        if (relation->comparison == QKV__EQUAL) return false;
    }
    return true;
}

/* A relation's value with all of the weight on one class, as something that should be positive; 0
 * for what is no order. */
static qkv__ratio wanted_at(qkv__design_task *task, const qkv__design_demand *demand, size_t index,
                            size_t class)
{
    qkv__algebra *algebra = &task->model->algebra;
    const qkv__design_relation *relation = &demand->relation[index];
    qkv__ratio value = qkv__ratio_add(
        algebra, qkv__ratio_divide(algebra, relation->coefficient[class], demand->head.size[class]),
        relation->constant);
    if (relation->comparison == QKV__LESS || relation->comparison == QKV__LESS_OR_EQUAL)
        return qkv__ratio_negate(algebra, value);
    if (relation->comparison == QKV__GREATER || relation->comparison == QKV__GREATER_OR_EQUAL)
        return value;
    return qkv__ratio_whole(algebra, 0);
}

/* Orders whose sum is negative with all of the weight on any one class, and so for any weights. */
static bool sums_refute(qkv__design_task *task, const qkv__design_demand *demand)
{
    qkv__algebra *algebra = &task->model->algebra;
    for (unsigned set = 1; demand->count <= CORNER_KEYS && set < 1u << demand->count; set++) {
        bool negative = true;
        for (size_t c = 0; c < demand->head.count && negative; c++) {
            qkv__ratio sum = qkv__ratio_whole(algebra, 0);
            for (size_t i = 0; i < demand->count; i++)
                if ((set >> i & 1u) != 0)
                    sum = qkv__ratio_add(algebra, sum, wanted_at(task, demand, i, c));
            negative = qkv__ratio_sign(algebra, sum) == QKV__SIGN_NEGATIVE;
        }
        if (!negative) continue;
        qkv__design_say(
            task,
            "Weights are positive and sum to 1, and the conditions together contradict that.");
        qkv__design_refute(task, true);
        return true;
    }
    return false;
}

/* Equal weights on some of the keys, tried for a demand with orders in it. */
static void try_subsets(qkv__design_task *task, const qkv__design_demand *demand)
{
    qkv__algebra *algebra = &task->model->algebra;
    size_t marks = demand->head.keys->set->mark_count;
    for (unsigned set = 1; marks <= CORNER_KEYS && set < 1u << marks; set++) {
        qkv__design_weights weights;
        for (size_t c = 0; c < demand->head.count; c++)
            weights.weight[c] =
                c < marks && (set >> c & 1u) != 0
                    ? qkv__ratio_constant(algebra, qkv__rational_make(1, (int64_t)bits(set)))
                    : qkv__ratio_whole(algebra, 0);
        if (answers(task, demand, &weights) && attempt(task, demand, &weights, false)) return;
    }
    if (!sums_refute(task, demand))
        qkv__design_leave(task, "no query was found, but it is not proved that there is none");
}

/* Whether what is wanted depends on the parameter of the limit. */
static bool changes_in_limit(const qkv__design_task *task, const qkv__design_demand *demand,
                             const qkv__design_relation *relation)
{
    if (task->growth < 0) return false;
    bool changes = qkv__ratio_depends_on(relation->constant, task->growth) ||
                   (!qkv__ratio_is_lost(relation->tolerance) &&
                    qkv__ratio_depends_on(relation->tolerance, task->growth));
    for (size_t i = 0; i < demand->head.count; i++)
        changes = changes || qkv__ratio_depends_on(relation->coefficient[i], task->growth) ||
                  qkv__ratio_depends_on(demand->head.size[i], task->growth);
    return changes;
}

/* ---- The question ------------------------------------------------------------------------- */

static void solve(qkv__design_task *task, const qkv__design_demand *demand)
{
    system_of s;
    qkv__text at = {0};
    qkv__design_weights weights;
    if (!fill_system(task, demand, true, &s)) {
        qkv__design_leave(
            task, "the wanted weights depend on the parameters in a way that is not supported");
        return;
    }
    int inconsistent = is_inconsistent(task, &s, &at);
    for (int round = 0, news = 2; inconsistent == 0 && news == 2 && round < ROUNDS; round++) {
        news = use_signs(task, &s, &at);
        if (s.rank < 0)
            inconsistent = -1;
        else if (news == 1)
            inconsistent = 1;
        else if (news == 2)
            inconsistent = is_inconsistent(task, &s, &at);
    }
    if (inconsistent == 1)
        refuse(task, demand, at.data);
    else if (inconsistent == -1)
        qkv__design_leave(task, "it is not known whether the wanted weights sum to 1");
    else if (s.rank < (int)s.columns)
        try_corners(task, demand, &s);
    else if (weights_of(task, demand, &s, &weights))
        dispatch(task, demand, &weights, may_refute(task, demand));
    else
        qkv__design_leave(task, "it is not known whether the wanted weights are positive");
    qkv__text_free(&at);
}

/* Inner products with the query, k[a].q = beta: linear equations for its coordinates. */
static void solve_scores(qkv__design_task *task)
{
    qkv__space *space = &task->model->space;
    qkv__design_demand demand;
    system_of s;
    const qkv__vector *symbol[QKV__DESIGN_KEYS];
    if (!qkv__design_scores_read(task, &demand, symbol) || !fill_system(task, &demand, false, &s) ||
        is_inconsistent(task, &s, NULL) != 0) {
        qkv__design_leave(task, "the proposition is not a linear condition on the weights of one "
                                "attention or on inner products with the query");
        return;
    }
    const qkv__vector *query = qkv__vector_zero(space);
    for (size_t c = 0; c < s.columns; c++)
        if (s.pivot[c] >= 0)
            query = qkv__vector_add(space, query,
                                    qkv__vector_scale(space, symbol[c], s.right[s.pivot[c]]));
    qkv__value value = qkv__value_vector(query);
    if (query == NULL ||
        qkv__design_verify(task, task->proposition, &value, false, false) != QKV__PROVED) {
        qkv__design_leave(task, "the query could not be checked");
        return;
    }
    qkv__design_begin_found(task);
    qkv__design_vector_write(task, query, &task->finding->found);
    qkv__design_say(task, "Put in place and decided.");
    qkv__design_conclude(task, QKV__PROVED, "exact");
}

static bool same_coefficients(qkv__design_task *task, const qkv__design_demand *demand,
                              const qkv__design_relation *x, const qkv__design_relation *y,
                              qkv__ratio sign)
{
    bool same = x->alone && y->alone;
    for (size_t c = 0; c < demand->head.count && same; c++)
        same = qkv__ratio_equal(&task->model->algebra,
                                qkv__ratio_multiply(&task->model->algebra, sign, x->coefficient[c]),
                                y->coefficient[c]);
    return same;
}

/* Whether all relations are orders on one and the same number, l <= f <= u; the middle is looked
 * for instead. */
static bool solve_band(qkv__design_task *task, const qkv__design_demand *demand)
{
    qkv__algebra *algebra = &task->model->algebra;
    qkv__design_relation middle = demand->relation[0];
    qkv__ratio bound[2] = {{NULL, NULL}, {NULL, NULL}}; /* f >= the first, f <= the second */
    if (demand->count != 2) return false;
    for (size_t i = 0; i < 2; i++) {
        const qkv__design_relation *relation = &demand->relation[i];
        bool less = relation->comparison == QKV__LESS || relation->comparison == QKV__LESS_OR_EQUAL;
        qkv__ratio sign = qkv__ratio_whole(algebra, 1);
        if (!same_coefficients(task, demand, relation, &middle, sign)) {
            sign = qkv__ratio_whole(algebra, -1);
            less = !less;
            if (!same_coefficients(task, demand, relation, &middle, sign)) return false;
        }
        bound[less] =
            qkv__ratio_negate(algebra, qkv__ratio_multiply(algebra, sign, relation->constant));
    }
    if (qkv__ratio_is_lost(bound[0]) || qkv__ratio_is_lost(bound[1]) ||
        qkv__design_sign(task, qkv__ratio_subtract(algebra, bound[1], bound[0])) !=
            QKV__SIGN_POSITIVE)
        return false;
    middle.comparison = QKV__NEAR;
    middle.constant = qkv__ratio_negate(
        algebra, qkv__ratio_multiply(algebra, qkv__ratio_add(algebra, bound[0], bound[1]),
                                     qkv__ratio_constant(algebra, qkv__rational_make(1, 2))));
    qkv__design_demand inside = *demand;
    inside.count = 1;
    inside.relation = &middle;
    size_t said = task->finding->reason.length;
    qkv__design_single(task, &inside);
    if (task->finding->verdict == QKV__PROVED) return true;
    if (task->finding->reason.data != NULL) task->finding->reason.data[said] = '\0';
    task->finding->reason.length = said;
    qkv__design_conclude(task, QKV__UNDECIDED, "");
    return false;
}

void qkv__design_query(qkv__design_task *task)
{
    qkv__design_demand demand;
    if (!qkv__design_demand_read(task, &demand)) {
        solve_scores(task);
        return;
    }
    bool orders = false;
    for (size_t i = 0; i < demand.count; i++) {
        qkv__comparison comparison = demand.relation[i].comparison;
        orders = orders || (comparison != QKV__NEAR && comparison != QKV__EQUAL);
        if (changes_in_limit(task, &demand, &demand.relation[i])) {
            qkv__design_leave(task, "the target changes with the parameter of the limit");
            return;
        }
    }
    bool single = demand.count == 1 && demand.relation[0].alone;
    if (demand.head.kind == QKV__KEYS_ARBITRARY && (single || orders))
        qkv__design_arbitrary(task, &demand, NULL);
    else if (single && demand.head.kind != QKV__KEYS_OTHER)
        qkv__design_single(task, &demand);
    else if (orders && demand.head.kind != QKV__KEYS_OTHER && solve_band(task, &demand))
        return;
    else if (orders)
        try_subsets(task, &demand);
    else
        solve(task, &demand);
}
