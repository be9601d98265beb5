/*
 * A query for one number f = sum A_i a_i + c of the weights: f ~ 0, f = 0, f > 0. With all of the
 * weight on class i it is P_i; over all weights that are positive and sum to 1 it takes the values
 * between the least and the largest of these. It is continuous in the query, so that two values of
 * it give all between them. Knows weights; asks others what the keys allow.
 */
#include "claim/design/design_part.h"

/* What is known of f. */
typedef struct single {
    const qkv__design_relation *relation;
    qkv__ratio corner[QKV__DESIGN_KEYS]; /* P_i */
    qkv__sign sign[QKV__DESIGN_KEYS];
    bool certain[QKV__DESIGN_KEYS]; /* there is such a key for all that the parameters may be */
    qkv__ratio middle;              /* f at q = 0 */
    qkv__sign middle_sign;
    bool constant; /* all P_i are the same */
} single;

static bool read_single(qkv__design_task *task, const qkv__design_demand *demand, single *f)
{
    qkv__algebra *algebra = &task->model->algebra;
    const qkv__design_head *head = &demand->head;
    *f = (single){.relation = &demand->relation[0], .constant = true};
    qkv__ratio sum = qkv__ratio_whole(algebra, 0), keys = sum;
    for (size_t i = 0; i < head->count; i++) {
        qkv__ratio share = qkv__ratio_divide(algebra, f->relation->coefficient[i], head->size[i]);
        f->corner[i] = qkv__ratio_add(algebra, share, f->relation->constant);
        if (qkv__ratio_is_lost(f->corner[i])) return false;
        f->sign[i] = qkv__design_sign(task, f->corner[i]);
        f->certain[i] = i < head->keys->set->mark_count ||
                        qkv__design_sign(task, head->size[i]) == QKV__SIGN_POSITIVE;
        f->constant = f->constant && qkv__ratio_equal(algebra, f->corner[0], f->corner[i]);
        keys = qkv__ratio_add(algebra, keys, head->size[i]);
        sum = qkv__ratio_add(algebra, sum, f->relation->coefficient[i]);
    }
    /* The coefficient of the rest belongs to each of its keys' common weight: A_rest is whole. */
    f->middle =
        qkv__ratio_add(algebra, qkv__ratio_divide(algebra, sum, keys), f->relation->constant);
    f->middle_sign = qkv__design_sign(task, f->middle);
    return !qkv__ratio_is_lost(f->middle);
}

/* All of the weight on one class. */
static qkv__design_weights all_on(qkv__design_task *task, const qkv__design_head *head, size_t at)
{
    qkv__algebra *algebra = &task->model->algebra;
    qkv__design_weights weights = {.weight = {{NULL, NULL}}};
    for (size_t i = 0; i < head->count; i++)
        weights.weight[i] =
            qkv__ratio_divide(algebra, qkv__ratio_whole(algebra, i == at), head->size[i]);
    return weights;
}

static qkv__design_weights mixed(qkv__design_task *task, const qkv__design_head *head,
                                 const qkv__design_weights *x, const qkv__design_weights *y,
                                 qkv__ratio share)
{
    qkv__algebra *algebra = &task->model->algebra;
    qkv__design_weights weights = {.weight = {{NULL, NULL}}};
    qkv__ratio other = qkv__ratio_subtract(algebra, qkv__ratio_whole(algebra, 1), share);
    for (size_t i = 0; i < head->count; i++)
        weights.weight[i] =
            qkv__ratio_add(algebra, qkv__ratio_multiply(algebra, x->weight[i], other),
                           qkv__ratio_multiply(algebra, y->weight[i], share));
    return weights;
}

/* Where f vanishes between two weights at which it has the values p and r. */
static qkv__ratio crossing(qkv__design_task *task, qkv__ratio p, qkv__ratio r)
{
    return qkv__ratio_divide(&task->model->algebra, p,
                             qkv__ratio_subtract(&task->model->algebra, p, r));
}

static qkv__design_weights equal_weights(qkv__design_task *task, const qkv__design_head *head)
{
    qkv__algebra *algebra = &task->model->algebra;
    qkv__design_weights weights = {.weight = {{NULL, NULL}}};
    qkv__ratio keys = qkv__ratio_whole(algebra, 0);
    for (size_t i = 0; i < head->count; i++) keys = qkv__ratio_add(algebra, keys, head->size[i]);
    for (size_t i = 0; i < head->count; i++)
        weights.weight[i] = qkv__ratio_divide(algebra, qkv__ratio_whole(algebra, 1), keys);
    return weights;
}

/* A class that is certain to be there with that sign; the number of classes if there is none. */
static size_t find_sign(const single *f, size_t count, qkv__sign sign)
{
    size_t i = 0;
    while (i < count && (f->sign[i] != sign || !f->certain[i])) i++;
    return i;
}

/* ---- What no weights can do ---------------------------------------------------------------- */

/* Whether every P_i minus `level` has the sign, or with `weak` is 0 (but not all of them). */
static bool all_have(qkv__design_task *task, const single *f, size_t count, qkv__ratio level,
                     qkv__sign wanted, bool weak)
{
    size_t strict = 0;
    for (size_t i = 0; i < count; i++) {
        qkv__sign sign =
            qkv__design_sign(task, qkv__ratio_subtract(&task->model->algebra, f->corner[i], level));
        if (sign != wanted && !(weak && sign == QKV__SIGN_ZERO)) return false;
        strict += sign == wanted;
    }
    return strict > 0;
}

/* Refutes by the range of f over all weights that are positive and sum to 1. */
static bool out_of_range(qkv__design_task *task, const single *f, size_t count)
{
    qkv__algebra *algebra = &task->model->algebra;
    qkv__ratio zero = qkv__ratio_whole(algebra, 0);
    bool tolerant = !qkv__ratio_is_lost(f->relation->tolerance);
    qkv__ratio above = tolerant ? f->relation->tolerance : zero;
    qkv__ratio below = qkv__ratio_negate(algebra, above);
    bool refuted = false, strict = false;
    switch (f->relation->comparison) {
    case QKV__NEAR:
        refuted = all_have(task, f, count, above, QKV__SIGN_POSITIVE, tolerant) ||
                  all_have(task, f, count, below, QKV__SIGN_NEGATIVE, tolerant);
        break;
    case QKV__EQUAL:
        strict = true;
        refuted = all_have(task, f, count, zero, QKV__SIGN_POSITIVE, true) ||
                  all_have(task, f, count, zero, QKV__SIGN_NEGATIVE, true);
        break;
    case QKV__LESS:
    case QKV__LESS_OR_EQUAL:
        strict = true;
        refuted = all_have(task, f, count, zero, QKV__SIGN_POSITIVE, true);
        break;
    default: strict = true; refuted = all_have(task, f, count, zero, QKV__SIGN_NEGATIVE, true);
    }
    if (!refuted) return false;
    qkv__design_say(task, "Weights are positive and sum to 1, and no such weights %s.",
                    strict ? "do that" : "come near");
    bool certain = true;
    for (size_t i = 0; i < count; i++) certain = certain && f->certain[i];
    qkv__design_refute(task, certain);
    return true;
}

/* f does not depend on the weights at all. */
static void decide_constant(qkv__design_task *task, const qkv__design_demand *demand,
                            const single *f)
{
    qkv__sign sign = f->sign[0];
    bool holds = false, fails = false;
    bool positive = sign == QKV__SIGN_POSITIVE, negative = sign == QKV__SIGN_NEGATIVE;
    switch (f->relation->comparison) {
    case QKV__NEAR:
    case QKV__EQUAL:
        holds = sign == QKV__SIGN_ZERO;
        fails = (positive || negative) && qkv__ratio_is_lost(f->relation->tolerance);
        break;
    case QKV__LESS: holds = negative, fails = positive || sign == QKV__SIGN_ZERO; break;
    case QKV__LESS_OR_EQUAL: holds = negative || sign == QKV__SIGN_ZERO, fails = positive; break;
    case QKV__GREATER: holds = positive, fails = negative || sign == QKV__SIGN_ZERO; break;
    default: holds = positive || sign == QKV__SIGN_ZERO, fails = negative;
    }
    (void)demand;
    if (!holds && !fails) {
        qkv__design_leave(task, "the number does not depend on the query, and its sign is open");
        return;
    }
    qkv__design_say(task, "The number is the same for every query.");
    if (holds)
        qkv__design_conclude(task, QKV__PROVED, "exact");
    else
        qkv__design_refute(task, true);
}

/* ---- Independent keys ---------------------------------------------------------------------- */

/* f = 0 exactly: weights that are all positive, between the equal ones and a corner. */
static bool exact_weights(qkv__design_task *task, const qkv__design_head *head, const single *f,
                          qkv__design_weights *weights)
{
    qkv__design_weights equal = equal_weights(task, head), corner;
    if (f->middle_sign == QKV__SIGN_ZERO) {
        *weights = equal;
        return true;
    }
    bool above = f->middle_sign == QKV__SIGN_POSITIVE;
    if (!above && f->middle_sign != QKV__SIGN_NEGATIVE) return false;
    size_t other = find_sign(f, head->count, above ? QKV__SIGN_NEGATIVE : QKV__SIGN_POSITIVE);
    if (other == head->count) return false;
    corner = all_on(task, head, other);
    *weights = mixed(task, head, &equal, &corner, crossing(task, f->middle, f->corner[other]));
    return true;
}

/* Weights in the limit; a class where f is as wanted, or a mixture of two. */
static bool limit_weights(qkv__design_task *task, const qkv__design_head *head, const single *f,
                          qkv__design_weights *weights)
{
    qkv__algebra *algebra = &task->model->algebra;
    size_t count = head->count, positive = find_sign(f, count, QKV__SIGN_POSITIVE);
    size_t negative = find_sign(f, count, QKV__SIGN_NEGATIVE);
    size_t zero = find_sign(f, count, QKV__SIGN_ZERO), chosen = count;
    qkv__comparison comparison = f->relation->comparison;
    if (comparison == QKV__GREATER || comparison == QKV__GREATER_OR_EQUAL) chosen = positive;
    if (comparison == QKV__LESS || comparison == QKV__LESS_OR_EQUAL) chosen = negative;
    if (comparison == QKV__NEAR) chosen = zero;
    for (size_t i = 0; chosen == count && comparison == QKV__NEAR && i < count; i++) {
        qkv__ratio room = f->relation->tolerance;
        if (!qkv__ratio_is_lost(room) && f->certain[i] &&
            qkv__design_sign(task, qkv__ratio_subtract(algebra, room, f->corner[i])) ==
                QKV__SIGN_POSITIVE &&
            qkv__design_sign(task, qkv__ratio_add(algebra, room, f->corner[i])) ==
                QKV__SIGN_POSITIVE)
            chosen = i;
    }
    if (chosen < count) {
        *weights = all_on(task, head, chosen);
        return true;
    }
    if (comparison != QKV__NEAR || positive == count || negative == count) return false;
    qkv__design_weights x = all_on(task, head, positive), y = all_on(task, head, negative);
    *weights = mixed(task, head, &x, &y, crossing(task, f->corner[positive], f->corner[negative]));
    return true;
}

static void single_independent(qkv__design_task *task, const qkv__design_demand *demand,
                               const single *f)
{
    qkv__design_weights weights;
    bool found = f->relation->comparison == QKV__EQUAL
                     ? exact_weights(task, &demand->head, f, &weights)
                     : limit_weights(task, &demand->head, f, &weights);
    if (found)
        qkv__design_independent(task, demand, &weights, false);
    else
        qkv__design_leave(task, "which keys would do depends on the parameters");
}

/* ---- Explicit keys ------------------------------------------------------------------------- */

/* f = c + A a_j, where only one weight counts: what a ceiling of that weight leaves of f. */
static bool under_ceiling(qkv__design_task *task, const single *f, size_t count, size_t key,
                          qkv__rational ceiling)
{
    qkv__algebra *algebra = &task->model->algebra;
    qkv__comparison comparison = f->relation->comparison;
    bool tolerant = !qkv__ratio_is_lost(f->relation->tolerance);
    size_t other = key == 0 ? 1 : 0;
    if (count < 2 || qkv__rational_is_lost(ceiling)) return false;
    for (size_t i = 0; i < count; i++)
        if (i != key && !qkv__ratio_equal(algebra, f->corner[i], f->corner[other])) return false;
    qkv__ratio most = qkv__ratio_constant(algebra, ceiling);
    qkv__ratio slope = qkv__ratio_subtract(algebra, f->corner[key], f->corner[other]);
    qkv__ratio end =
        qkv__ratio_add(algebra, f->corner[other], qkv__ratio_multiply(algebra, slope, most));
    bool rising = qkv__design_sign(task, slope) == QKV__SIGN_POSITIVE;
    bool falling = qkv__design_sign(task, slope) == QKV__SIGN_NEGATIVE;
    qkv__ratio room = tolerant ? f->relation->tolerance : qkv__ratio_whole(algebra, 0);
    if (comparison == QKV__GREATER || comparison == QKV__GREATER_OR_EQUAL) falling = false;
    if (comparison == QKV__LESS || comparison == QKV__LESS_OR_EQUAL) rising = false;
    /* Between its value without the key and `end`: all of it must lie on the wrong side. */
    qkv__sign sign = qkv__design_sign(task, rising ? qkv__ratio_add(algebra, end, room)
                                                   : qkv__ratio_subtract(algebra, end, room));
    bool strict = comparison == QKV__GREATER || comparison == QKV__LESS;
    if (strict && sign == QKV__SIGN_ZERO) return rising || falling;
    return (rising && sign == QKV__SIGN_NEGATIVE) || (falling && sign == QKV__SIGN_POSITIVE);
}

/* Whether a value of f, approached along a query, is wanted with room to spare (or is 0). */
static bool is_wanted(qkv__design_task *task, const single *f, size_t key)
{
    qkv__algebra *algebra = &task->model->algebra;
    qkv__ratio room = f->relation->tolerance;
    switch (f->relation->comparison) {
    case QKV__LESS:
    case QKV__LESS_OR_EQUAL: return f->sign[key] == QKV__SIGN_NEGATIVE;
    case QKV__GREATER:
    case QKV__GREATER_OR_EQUAL: return f->sign[key] == QKV__SIGN_POSITIVE;
    case QKV__NEAR:
        if (f->sign[key] == QKV__SIGN_ZERO || qkv__ratio_is_lost(room))
            return f->sign[key] == QKV__SIGN_ZERO;
        return qkv__design_sign(task, qkv__ratio_subtract(algebra, room, f->corner[key])) ==
                   QKV__SIGN_POSITIVE &&
               qkv__design_sign(task, qkv__ratio_add(algebra, room, f->corner[key])) ==
                   QKV__SIGN_POSITIVE;
    default: return false;
    }
}

/* Two values of opposite sign: f vanishes somewhere between, since it is continuous in q. */
static void between(qkv__design_task *task, const single *f, const qkv__vector *query)
{
    qkv__text text = {0};
    qkv__text_format(&text, "At q = 0 the difference of the sides is ");
    qkv__ratio_write(&task->model->algebra, f->middle, &text);
    qkv__text_format(&text, ", along q = ");
    qkv__design_vector_write(task, query, &text);
    qkv__text_format(&text, " it gets the other sign, and it is continuous in q.");
    if (!text.failed) qkv__design_say(task, "%s", text.data);
    qkv__text_free(&text);
    qkv__design_conclude(task, QKV__PROVED, "exact");
}

static void single_numbers(qkv__design_task *task, const qkv__design_demand *demand,
                           const single *f)
{
    qkv__comparison comparison = f->relation->comparison;
    bool equation = comparison == QKV__NEAR || comparison == QKV__EQUAL;
    bool more = comparison == QKV__GREATER || comparison == QKV__GREATER_OR_EQUAL;
    bool wanted_at_once =
        equation ? f->middle_sign == QKV__SIGN_ZERO
                 : f->middle_sign == (more ? QKV__SIGN_POSITIVE : QKV__SIGN_NEGATIVE) ||
                       (f->middle_sign == QKV__SIGN_ZERO &&
                        (comparison == QKV__LESS_OR_EQUAL || comparison == QKV__GREATER_OR_EQUAL));
    if (wanted_at_once) {
        qkv__design_begin_found(task);
        qkv__text_format(&task->finding->found, "0");
        qkv__design_say(task, "All weights are equal at q = 0.");
        qkv__design_conclude(task, QKV__PROVED, "exact");
        return;
    }
    for (size_t i = 0; i < demand->head.count; i++) {
        const qkv__vector *query = NULL;
        qkv__rational ceiling = QKV__RATIONAL_LOST;
        qkv__sign opposite = f->middle_sign == QKV__SIGN_POSITIVE   ? QKV__SIGN_NEGATIVE
                             : f->middle_sign == QKV__SIGN_NEGATIVE ? QKV__SIGN_POSITIVE
                                                                    : QKV__SIGN_UNKNOWN;
        int copy = qkv__design_can_copy(task, &demand->head, i, &query, &ceiling);
        if (copy == 1 && is_wanted(task, f, i)) {
            qkv__design_weights weights = all_on(task, &demand->head, i);
            qkv__design_numbers(task, demand, &weights, false);
            if (task->finding->verdict != QKV__UNDECIDED) return;
        }
        if (copy == 1 && equation && query != NULL && opposite != QKV__SIGN_UNKNOWN &&
            f->sign[i] == opposite) {
            between(task, f, query);
            return;
        }
        if (copy == 0 && under_ceiling(task, f, demand->head.count, i, ceiling)) {
            qkv__design_weights weights = all_on(task, &demand->head, i);
            qkv__design_refuse_copy(task, demand, &weights);
            return;
        }
    }
    qkv__design_leave(task, "no query was found, but it is not proved that there is none");
}

void qkv__design_single(qkv__design_task *task, const qkv__design_demand *demand)
{
    single f;
    if (!read_single(task, demand, &f)) {
        qkv__design_leave(task, "the number is beyond the exact engine");
        return;
    }
    if (f.constant)
        decide_constant(task, demand, &f);
    else if (out_of_range(task, &f, demand->head.count))
        return;
    else if (demand->head.kind == QKV__KEYS_INDEPENDENT)
        single_independent(task, demand, &f);
    else
        single_numbers(task, demand, &f);
}
