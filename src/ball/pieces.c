/* Pieces of boxes, each asked of a prover of its own. Knows nothing of quotients. */
#include "ball/pieces.h"

#include <assert.h>

#include "ball/witness.h"

enum {
    FIRST_CUTS = 3, /* parameters that are cut at 0 */
    MOST_CUTS = 24,
    LEAST_EFFORT = 64, /* for a piece */
};

static qkv__outcome prove_box(qkv__pieces *work, const qkv__box *box, size_t share);

/* ---- Turning ------------------------------------------------------------------------------- */

static bool is_nonpositive(const qkv__range *range)
{
    return range->upper.known && qkv__rational_sign(range->upper.value) <= 0 &&
           !(range->lower.known && qkv__rational_sign(range->lower.value) >= 0);
}

/* The parameters that are turned around in a piece. */
static qkv__parameter_set choose_turned(const qkv__pieces *work, const qkv__box *box)
{
    qkv__parameter_set turned = 0;
    for (int p = 0; p < (int)work->algebra->parameter_count; p++)
        if (work->algebra->parameter[p].prime == 0 && is_nonpositive(&box->range[p]) &&
            qkv__form_depends_on(work->form, p))
            turned |= (qkv__parameter_set)1 << p;
    return turned;
}

static void turn_box(qkv__box *box, qkv__parameter_set turned)
{
    for (int p = 0; p < QKV__PARAMETERS; p++) {
        if (!qkv__parameter_set_has(turned, p)) continue;
        qkv__range *range = &box->range[p];
        qkv__bound lower = range->upper, upper = range->lower;
        lower.value = qkv__rational_negate(lower.value);
        upper.value = qkv__rational_negate(upper.value);
        *range = (qkv__range){.lower = lower, .upper = upper};
    }
}

static const qkv__form *turn_form(qkv__algebra *algebra, const qkv__form *form,
                                  qkv__parameter_set turned)
{
    for (int p = 0; p < (int)algebra->parameter_count; p++)
        if (qkv__parameter_set_has(turned, p))
            form = qkv__form_substitute(
                algebra, form, p,
                qkv__form_scale(algebra, qkv__form_parameter(algebra, p), qkv__rational_whole(-1)));
    return form;
}

static qkv__point turn_point(qkv__point point, qkv__parameter_set turned)
{
    for (int p = 0; p < QKV__PARAMETERS; p++)
        if (qkv__parameter_set_has(turned, p))
            point.value[p] = qkv__rational_negate(point.value[p]);
    return point;
}

/* ---- Cutting ------------------------------------------------------------------------------- */

static qkv__outcome worse(qkv__outcome a, qkv__outcome b)
{
    return a < b ? a : b;
}

/* Both sides of p = value, which both have. */
static qkv__outcome prove_sides(qkv__pieces *work, const qkv__box *box, int p, qkv__rational value,
                                size_t share)
{
    assert(p >= 0 && p < QKV__PARAMETERS);
    qkv__box low = *box, high = *box;
    low.range[p].upper = high.range[p].lower = (qkv__bound){.known = true, .value = value};
    work->cuts++;
    qkv__outcome below = prove_box(work, &low, share / 2);
    if (below == QKV__FAILED) return below;
    return worse(below, prove_box(work, &high, share / 2));
}

/* The form vanishes where p is the value: at the middle of that face, for one. */
static void note_zero(qkv__pieces *work, const qkv__box *box, int p, qkv__rational value)
{
    assert(p >= 0 && p < QKV__PARAMETERS);
    qkv__point point;
    work->zero = true;
    if (work->has_zero_point || !qkv__box_middle(work->algebra, box, &point)) return;
    point.value[p] = value;
    work->has_zero_point = true;
    work->zero_point = point;
}

static qkv__outcome prove_box(qkv__pieces *work, const qkv__box *box, size_t share)
{
    qkv__parameter_set turned = choose_turned(work, box);
    qkv__box piece = *box;
    qkv__prover prover;
    if (share > work->left) share = work->left;
    turn_box(&piece, turned);
    qkv__prover_init(&prover, work->algebra, &piece, share);
    qkv__sign_search task = {.prover = &prover,
                             .form = turn_form(&prover.algebra, work->form, turned),
                             .sign = work->sign,
                             .zero = work->zero};
    qkv__outcome found = task.form == NULL ? QKV__FAILED : qkv__search_prove(&task);
    work->left -= share - prover.left;
    if (task.opposed) {
        work->opposed = true;
        work->witness = turn_point(task.witness, turned);
    }
    qkv__prover_free(&prover);
    if (!task.has_cut || task.opposed) return found;
    bool back = qkv__parameter_set_has(turned, task.cut_parameter);
    qkv__rational cut = back ? qkv__rational_negate(task.cut) : task.cut;
    bool whole = work->algebra->parameter[task.cut_parameter].whole;
    if (!whole || qkv__rational_is_whole(cut)) note_zero(work, box, task.cut_parameter, cut);
    if (work->cuts >= MOST_CUTS || (whole && !qkv__rational_is_whole(cut))) return QKV__FAILED;
    return prove_sides(work, box, task.cut_parameter, cut, share);
}

/* ---- Orthants ------------------------------------------------------------------------------ */

static bool has_both_signs(const qkv__range *range)
{
    return !(range->lower.known && qkv__rational_sign(range->lower.value) >= 0) &&
           !(range->upper.known && qkv__rational_sign(range->upper.value) <= 0);
}

/* Cuts at 0 from parameter p on, then asks. */
static qkv__outcome prove_orthants(qkv__pieces *work, const qkv__box *box, int p, int cuts,
                                   size_t share)
{
    assert(p >= 0 && p < QKV__PARAMETERS);
    const qkv__algebra *algebra = work->algebra;
    for (; p < (int)algebra->parameter_count && cuts < FIRST_CUTS; p++) {
        if (algebra->parameter[p].prime != 0 || !has_both_signs(&box->range[p])) continue;
        if (!qkv__form_depends_on(work->form, p)) continue;
        qkv__box low = *box, high = *box;
        low.range[p].upper = high.range[p].lower =
            (qkv__bound){.known = true, .value = qkv__rational_whole(0)};
        qkv__outcome below = prove_orthants(work, &low, p + 1, cuts + 1, share / 2);
        if (below == QKV__FAILED) return below;
        return worse(below, prove_orthants(work, &high, p + 1, cuts + 1, share / 2));
    }
    return prove_box(work, box, share < LEAST_EFFORT ? LEAST_EFFORT : share);
}

qkv__outcome qkv__pieces_prove(qkv__pieces *work, const qkv__box *box)
{
    return prove_orthants(work, box, 0, 0, work->left);
}
