/*
 * Questions about numbers: exists t: p(t). Values for t are tried and checked by the other engines;
 * that there is none is shown with t as a parameter like any other, for all that it may be: the
 * contrary holds, or some component of a difference keeps away from 0, or the target stays outside
 * of the convex hull of the values. Knows comparisons and values; nothing of queries.
 */
#include <assert.h>
#include <string.h>

#include "claim/design/design_part.h"
#include "claim/model/binding.h"
#include "claim/model/bound.h"
#include "claim/model/evaluate.h"
#include "claim/model/random_parameters.h"
#include "language/tree.h"

enum { CANDIDATES = 48, POINTS = 4, PARTS = 2 };

/* ---- With the unknowns as parameters ------------------------------------------------------- */

static bool parameters(qkv__design_task *task, int *parameter, qkv__value *values)
{
    qkv__model *model = task->model;
    const size_t count = task->count;
    for (size_t i = 0; i < count; i++) {
        parameter[i] = qkv__model_parameter(model, task->name[i]);
        if (parameter[i] < 0) return false;
        values[i] = qkv__value_scalar(
            &model->space, qkv__ratio_of_form(&model->algebra,
                                              qkv__form_parameter(&model->algebra, parameter[i])));
    }
    return true;
}

bool qkv__design_evaluate_with(qkv__design_task *task, const qkv__node *node,
                               const qkv__value *values, qkv__value *value)
{
    const qkv__binding *kept = task->model->bindings;
    bool good = true;
    for (size_t i = 0; i < task->count && good; i++)
        good =
            qkv__model_bind(task->model, (qkv__binding){.name = task->name[i], .value = values[i]});
    good = good && qkv__model_value(task->model, node, NULL, value);
    task->model->bindings = kept;
    return good;
}

/* The conjuncts of a proposition that are comparisons. */
static size_t conjuncts(const qkv__node *node, const qkv__node **list, size_t room)
{
    if (node->kind == QKV__NODE_AND) {
        size_t first = conjuncts(node->child[0], list, room);
        return first + conjuncts(node->child[1], list + first, room - first);
    }
    if (node->kind != QKV__NODE_COMPARE || room == 0) return 0;
    list[0] = node;
    return 1;
}

/* ---- Candidates ---------------------------------------------------------------------------- */

typedef struct candidates {
    size_t count;
    qkv__ratio value[CANDIDATES];
} candidates;

/* A number is asked for: what depends on what was drawn is none. */
static void add(const qkv__model *model, candidates *list, qkv__ratio value)
{
    if (list->count < CANDIDATES && !qkv__ratio_is_lost(value) &&
        !qkv__random_touches(model, value))
        list->value[list->count++] = value;
}

/* x, -x, 1/x, x^2 */
static void add_parameter(qkv__design_task *task, int parameter, candidates *list)
{
    qkv__algebra *algebra = &task->model->algebra;
    qkv__ratio x = qkv__ratio_of_form(algebra, qkv__form_parameter(algebra, parameter));
    add(task->model, list, x);
    add(task->model, list, qkv__ratio_negate(algebra, x));
    add(task->model, list, qkv__ratio_power(algebra, x, -1));
    add(task->model, list, qkv__ratio_power(algebra, x, 2));
}

static void add_numbers(qkv__design_task *task, candidates *list)
{
    static const int64_t numbers[][2] = {{0, 1},  {1, 1}, {-1, 1}, {2, 1},  {1, 2},  {-2, 1},
                                         {-1, 2}, {3, 1}, {10, 1}, {-3, 1}, {100, 1}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        add(task->model, list,
            qkv__ratio_constant(&task->model->algebra,
                                qkv__rational_make(numbers[i][0], numbers[i][1])));
}

/* The root of a numerator that is linear in the unknown. */
static void add_root(qkv__design_task *task, int parameter, qkv__ratio difference, candidates *list)
{
    assert(parameter >= 0 && parameter < QKV__PARAMETERS);
    qkv__algebra *algebra = &task->model->algebra;
    qkv__ratio slope = qkv__ratio_whole(algebra, 0), constant = slope;
    if (qkv__ratio_is_lost(difference)) return;
    for (size_t t = 0; t < difference.numerator->count; t++) {
        qkv__term term = difference.numerator->term[t];
        int power = term.power[parameter];
        if ((power != 0 && power != 2) ||
            (term.exponent != NULL && qkv__form_depends_on(term.exponent, parameter)))
            return;
        term.power[parameter] = 0;
        qkv__ratio part = qkv__ratio_of_form(algebra, qkv__form_term(algebra, &term));
        qkv__ratio *to = power == 2 ? &slope : &constant;
        *to = qkv__ratio_add(algebra, *to, part);
    }
    qkv__sign sign = qkv__design_sign(task, slope); /* it must vanish nowhere */
    if (sign == QKV__SIGN_POSITIVE || sign == QKV__SIGN_NEGATIVE)
        add(task->model, list,
            qkv__ratio_negate(algebra, qkv__ratio_divide(algebra, constant, slope)));
}

/* Points where the difference of two numbers has one sign or the other. */
static void add_witnesses(qkv__design_task *task, int parameter, qkv__ratio difference,
                          candidates *list)
{
    assert(parameter >= 0 && parameter < QKV__PARAMETERS);
    qkv__box box;
    qkv__sign_result result;
    if (qkv__ratio_is_lost(difference) || !qkv__ratio_depends_on(difference, parameter) ||
        !qkv__box_of_algebra(&task->model->algebra, &box))
        return;
    qkv__ball_sign(&task->model->algebra, difference, &box, 0, &result);
    if (result.has_positive)
        add(task->model, list,
            qkv__ratio_constant(&task->model->algebra, result.positive.value[parameter]));
    if (result.has_negative)
        add(task->model, list,
            qkv__ratio_constant(&task->model->algebra, result.negative.value[parameter]));
}

/* What the comparisons themselves suggest. */
static void add_suggestions(qkv__design_task *task, int parameter, const qkv__value *values,
                            candidates *list)
{
    enum { MOST = 16 };
    const qkv__node *nodes[MOST];
    size_t count = conjuncts(task->proposition, nodes, MOST);
    for (size_t i = 0; i < count; i++) {
        qkv__value x, y;
        qkv__ratio a, b;
        const qkv__vector *u, *v;
        if (!qkv__design_evaluate_with(task, nodes[i]->child[0], values, &x) ||
            !qkv__design_evaluate_with(task, nodes[i]->child[1], values, &y))
            continue;
        if (qkv__value_as_ratio(&x, &a) && qkv__value_as_ratio(&y, &b)) {
            qkv__ratio difference = qkv__ratio_subtract(&task->model->algebra, a, b);
            add_root(task, parameter, difference, list);
            add_witnesses(task, parameter, difference, list);
        }
        if (!qkv__value_as_vector(&x, &u) || !qkv__value_as_vector(&y, &v)) continue;
        const qkv__vector *difference = qkv__vector_subtract(&task->model->space, u, v);
        for (size_t c = 0; difference != NULL && c < difference->count; c++)
            add_root(task, parameter, difference->component[c].factor, list);
    }
}

/* ---- Trying -------------------------------------------------------------------------------- */

/* Whether a number is not below 0; one that changes with the growing parameter: from some value of
 * that on. */
static bool is_allowed(qkv__design_task *task, qkv__ratio room, bool strict)
{
    qkv__algebra *algebra = &task->model->algebra;
    if (qkv__ratio_is_lost(room)) return false;
    if (task->growth >= 0 && qkv__ratio_depends_on(room, task->growth)) {
        qkv__limit limit = qkv__ratio_limit(algebra, room, task->growth);
        return limit.kind == QKV__LIMIT_PLUS_INFINITY ||
               (limit.kind == QKV__LIMIT_FINITE &&
                qkv__design_sign(task, limit.value) == QKV__SIGN_POSITIVE);
    }
    qkv__sign sign = qkv__design_sign(task, room);
    return sign == QKV__SIGN_POSITIVE ||
           (!strict && (sign == QKV__SIGN_ZERO || sign == QKV__SIGN_NONNEGATIVE));
}

/* Whether a value lies within what is known of the unknown: given t >= 0. */
static bool is_within(qkv__design_task *task, int parameter, qkv__ratio value)
{
    assert(parameter >= 0 && parameter < QKV__PARAMETERS);
    qkv__algebra *algebra = &task->model->algebra;
    const qkv__parameter known = algebra->parameter[parameter];
    qkv__rational number;
    if (known.whole && !(qkv__ratio_is_constant(value, &number) && qkv__rational_is_whole(number)))
        return false;
    return (!known.lower.known ||
            is_allowed(task,
                       qkv__ratio_subtract(algebra, value,
                                           qkv__ratio_constant(algebra, known.lower.value)),
                       known.lower.strict)) &&
           (!known.upper.known ||
            is_allowed(task,
                       qkv__ratio_subtract(algebra, qkv__ratio_constant(algebra, known.upper.value),
                                           value),
                       known.upper.strict));
}

/* The proposition with values in place of the unknowns. Where they are numbers they are also what
 * the parameters of that name are, so that sizes such as n follow. */
static qkv__verdict verify_values(qkv__design_task *task, const qkv__value *values, bool grow)
{
    qkv__algebra *algebra = &task->model->algebra;
    qkv__parameter kept[QKV__DESIGN_UNKNOWNS];
    int parameter[QKV__DESIGN_UNKNOWNS];
    qkv__verdict verdict = QKV__UNDECIDED;
    const size_t count = task->count;
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        parameter[i] = qkv__parameter_find(algebra, task->name[i]);
        if (parameter[i] < 0) return QKV__UNDECIDED;
        good = good && is_within(task, parameter[i], values[i].scalar.factor);
        kept[i] = algebra->parameter[parameter[i]];
    }
    for (size_t i = 0; i < count && good; i++) {
        qkv__parameter *known = &algebra->parameter[parameter[i]];
        qkv__rational number;
        if (qkv__ratio_is_constant(values[i].scalar.factor, &number))
            known->lower = known->upper = (qkv__bound){.known = true, .value = number};
    }
    if (good) verdict = qkv__design_verify(task, task->proposition, values, grow, false);
    for (size_t i = 0; i < count; i++) algebra->parameter[parameter[i]] = kept[i];
    return verdict;
}

static bool try_values(qkv__design_task *task, const qkv__value *values, bool grow)
{
    if (verify_values(task, values, grow) != QKV__PROVED) return false;
    qkv__text *found = &task->finding->found;
    for (size_t i = 0; i < task->count; i++) {
        qkv__ratio value;
        qkv__text_format(found, "%s%s = ", found->length > 0 ? (i > 0 ? ", " : "; ") : "",
                         task->name[i]);
        if (qkv__value_as_ratio(&values[i], &value))
            qkv__ratio_write(&task->model->algebra, value, found);
    }
    bool used = false;
    for (size_t i = 0; i < task->count && grow; i++)
        used = used || qkv__ratio_depends_on(values[i].scalar.factor, task->growth);
    qkv__design_say(
        task, used ? "Put in place and decided in the limit of %s." : "Put in place and decided%s.",
        used ? task->model->algebra.parameter[task->growth].name : "");
    qkv__design_conclude(task, QKV__PROVED, "exact");
    return true;
}

/* What the difference of the sides tends to as the growing parameter does, with the unknowns in
 * place; for |x| <= y that of x^2 and y^2. */
static bool limit_difference(qkv__design_task *task, const qkv__node *node,
                             const qkv__value *values, qkv__limit *limit)
{
    assert(node->kind == QKV__NODE_COMPARE);
    qkv__algebra *algebra = &task->model->algebra;
    qkv__value x, y;
    qkv__ratio difference;
    if (!qkv__design_evaluate_with(task, node->child[0], values, &x) ||
        !qkv__design_evaluate_with(task, node->child[1], values, &y) ||
        x.kind != QKV__VALUE_SCALAR || y.kind != QKV__VALUE_SCALAR)
        return false;
    qkv__ratio left = x.scalar.factor, right = y.scalar.factor, plain;
    if (!qkv__value_as_ratio(&x, &plain) || !qkv__value_as_ratio(&y, &plain)) {
        if (qkv__design_sign(task, left) != QKV__SIGN_POSITIVE ||
            qkv__design_sign(task, right) != QKV__SIGN_POSITIVE)
            return false;
        left = qkv__ratio_multiply(algebra, qkv__ratio_power(algebra, left, 2), x.scalar.radicand);
        right =
            qkv__ratio_multiply(algebra, qkv__ratio_power(algebra, right, 2), y.scalar.radicand);
    }
    difference = qkv__design_fixed(task->model, qkv__ratio_subtract(algebra, left, right));
    if (qkv__ratio_is_lost(difference) || qkv__random_touches(task->model, difference))
        return false;
    *limit = qkv__ratio_limit(algebra, difference, task->growth);
    return true;
}

/* Whether an order holds from some value of the growing parameter on: its limit has the sign. */
static bool holds_far_out(qkv__design_task *task, const qkv__node *node, const qkv__value *values)
{
    assert(node->kind == QKV__NODE_COMPARE);
    qkv__limit limit;
    bool less = node->comparison == QKV__LESS || node->comparison == QKV__LESS_OR_EQUAL;
    bool more = node->comparison == QKV__GREATER || node->comparison == QKV__GREATER_OR_EQUAL;
    if ((!less && !more) || !limit_difference(task, node, values, &limit)) return false;
    if (limit.kind == QKV__LIMIT_PLUS_INFINITY) return more;
    if (limit.kind == QKV__LIMIT_MINUS_INFINITY) return less;
    return limit.kind == QKV__LIMIT_FINITE &&
           qkv__design_sign(task, limit.value) == (more ? QKV__SIGN_POSITIVE : QKV__SIGN_NEGATIVE);
}

/* No root and no division by the parameter: the form is continuous in it everywhere. */
static bool is_continuous(const qkv__form *form, int parameter)
{
    assert(parameter >= 0 && parameter < QKV__PARAMETERS);
    for (size_t t = 0; t < form->count; t++) {
        const qkv__term *term = &form->term[t];
        if (term->power[parameter] < 0 || term->power[parameter] % 2 != 0) return false;
        if (term->exponent != NULL && !is_continuous(term->exponent, parameter)) return false;
    }
    return true;
}

/* An equation of two numbers that depend on the unknown alone: where their difference takes both
 * signs it is 0 between, since it is continuous. */
static bool try_between(qkv__design_task *task)
{
    qkv__algebra *algebra = &task->model->algebra;
    const qkv__node *node = task->proposition;
    int parameter[QKV__DESIGN_UNKNOWNS];
    qkv__value values[QKV__DESIGN_UNKNOWNS], x, y;
    qkv__ratio a, b;
    qkv__box box;
    qkv__sign_result result;
    bool equation = node->kind == QKV__NODE_COMPARE &&
                    (node->comparison == QKV__EQUAL || node->comparison == QKV__NEAR);
    if (!equation || task->count != 1 || task->has_limit || !parameters(task, parameter, values) ||
        algebra->parameter[parameter[0]].whole ||
        !qkv__design_evaluate_with(task, node->child[0], values, &x) ||
        !qkv__design_evaluate_with(task, node->child[1], values, &y) ||
        !qkv__value_as_ratio(&x, &a) || !qkv__value_as_ratio(&y, &b))
        return false;
    a = qkv__design_fixed(task->model, qkv__ratio_subtract(algebra, a, b));
    if (qkv__ratio_is_lost(a)) return false;
    for (int p = 0; p < (int)algebra->parameter_count; p++)
        if (p != parameter[0] && algebra->parameter[p].prime == 0 && qkv__ratio_depends_on(a, p))
            return false;
    qkv__sign below = qkv__form_sign(algebra, a.denominator);
    if ((below != QKV__SIGN_POSITIVE && below != QKV__SIGN_NEGATIVE) ||
        !is_continuous(a.numerator, parameter[0]) || !is_continuous(a.denominator, parameter[0]) ||
        !qkv__box_of_algebra(algebra, &box))
        return false;
    qkv__ball_sign(algebra, a, &box, 0, &result);
    if (!qkv__sign_is_mixed(&result)) return false;
    qkv__text text = {0};
    qkv__text_format(&text,
                     "The difference of the sides is continuous, positive at %s = ", task->name[0]);
    qkv__design_rational_write(result.positive.value[parameter[0]], &text);
    qkv__text_format(&text, " and negative at ");
    qkv__design_rational_write(result.negative.value[parameter[0]], &text);
    if (!text.failed) qkv__design_say(task, "%s.", text.data);
    qkv__text_free(&text);
    qkv__design_conclude(task, QKV__PROVED, "ball");
    return true;
}

/* Whether a proposition is made of comparisons joined by `and`. */
static bool is_conjunction(const qkv__node *node)
{
    if (node->kind == QKV__NODE_AND)
        return is_conjunction(node->child[0]) && is_conjunction(node->child[1]);
    return node->kind == QKV__NODE_COMPARE;
}

/* Orders for a number that is large enough, or small enough: how large may depend on the rest. */
static bool try_far_out(qkv__design_task *task)
{
    enum { MOST = 16 };
    const qkv__node *nodes[MOST];
    qkv__value values[QKV__DESIGN_UNKNOWNS];
    candidates list = {.count = 0};
    size_t count = conjuncts(task->proposition, nodes, MOST);
    if (task->growth < 0 || task->has_limit || count == 0 || count == MOST || task->count != 1 ||
        !is_conjunction(task->proposition))
        return false;
    add_parameter(task, task->growth, &list);
    for (size_t i = 0; i < 3 && i < list.count; i++) { /* large, small, near 0 */
        int parameter = qkv__model_parameter(task->model, task->name[0]);
        bool good = parameter >= 0 && is_within(task, parameter, list.value[i]);
        values[0] = qkv__value_scalar(&task->model->space, list.value[i]);
        for (size_t c = 0; c < count && good; c++) good = holds_far_out(task, nodes[c], values);
        if (!good) continue;
        static const char *const words[] = {"large", "far below 0", "near 0, above it"};
        qkv__design_say(task, "It holds for every %s that is %s enough, by the limit.",
                        task->name[0], words[i]);
        qkv__design_conclude(task, QKV__PROVED, "exact");
        return true;
    }
    return false;
}

/* Where something is made of an unknown, only what is put in for it as a number is put in there. */
static bool are_numbers(const qkv__design_task *task, const qkv__value *values)
{
    qkv__rational number;
    for (size_t i = 0; i < task->count; i++)
        if (!qkv__ratio_is_constant(values[i].scalar.factor, &number)) return false;
    return true;
}

/* One unknown: every candidate. More: all pairs for the first two, the others 0. */
static bool try_candidates(qkv__design_task *task, bool grow)
{
    const size_t count = task->count;
    int parameter[QKV__DESIGN_UNKNOWNS];
    qkv__value values[QKV__DESIGN_UNKNOWNS];
    if (!parameters(task, parameter, values)) return false;
    candidates list[2] = {{.count = 0}, {.count = 0}};
    for (size_t i = 0; i < 2 && i < count; i++) {
        add_suggestions(task, parameter[i], values, &list[i]);
        add_numbers(task, &list[i]);
        /* An '=' beside a '~' means equality, not a limit: then only fixed numbers will do. */
        if (task->has_limit || (grow && !qkv__node_has_comparison(task->proposition, QKV__EQUAL)))
            add_parameter(task, task->growth, &list[i]);
    }
    size_t second = task->count > 1 ? list[1].count : 1;
    /* Where premises tie vectors, each pair takes long to try. */
    const size_t most = task->count > 1 && qkv__design_has_premises(task) ? 4 : 12;
    for (size_t i = 0; i < list[0].count && (most == 12 || i < most); i++)
        for (size_t j = 0; j < second && j < most; j++) {
            for (size_t k = 2; k < task->count; k++)
                values[k] = qkv__value_scalar(&task->model->space,
                                              qkv__ratio_whole(&task->model->algebra, 0));
            values[0] = qkv__value_scalar(&task->model->space, list[0].value[i]);
            if (task->count > 1)
                values[1] = qkv__value_scalar(&task->model->space, list[1].value[j]);
            if (task->hidden && !are_numbers(task, values)) continue;
            if (try_values(task, values, grow)) return true;
        }
    return false;
}

/* ---- The contrary -------------------------------------------------------------------------- */

/* The contrary of a comparison, decided with the unknowns as parameters. */
static bool contrary_holds(qkv__design_task *task, const qkv__node *node, const qkv__value *values)
{
    assert(node->kind == QKV__NODE_COMPARE);
    qkv__node *opposite = qkv__node_pair(&task->model->algebra.arena, node, QKV__NODE_COMPARE,
                                         node->child[0], node->child[1]);
    if (opposite == NULL || task->has_limit ||
        !qkv__comparison_opposite(node->comparison, &opposite->comparison))
        return false;
    if (task->has_tolerance && node->comparison == QKV__EQUAL) return false;
    if (qkv__design_verify(task, opposite, values, false, false) != QKV__PROVED) return false;
    qkv__text text = {0};
    qkv__design_write_range(task, &text);
    if (!text.failed) qkv__design_say(task, "The contrary holds, %s.", text.data);
    qkv__text_free(&text);
    return true;
}

static bool refute_at_once(qkv__design_task *task, const qkv__node *node, const qkv__value *values)
{
    assert(node->kind == QKV__NODE_COMPARE);
    bool near = node->comparison == QKV__NEAR ||
                (node->comparison == QKV__EQUAL && (task->has_limit || task->has_tolerance));
    if (!near && contrary_holds(task, node, values)) return true;
    if (!near && node->comparison != QKV__EQUAL) return false;
    return qkv__design_keeps_away(task, node, values);
}

/* A range of the one unknown cut in two, at 0 and then further out; each part must be refuted. */
static bool refute_in_parts(qkv__design_task *task, const qkv__node *node, const qkv__value *values,
                            int parameter, int depth)
{
    assert(parameter >= 0 && parameter < QKV__PARAMETERS);
    qkv__parameter *known = &task->model->algebra.parameter[parameter];
    const qkv__bound lower = known->lower, upper = known->upper;
    size_t said = task->finding->reason.length;
    if (refute_at_once(task, node, values)) return true;
    if (depth == 0 || task->count > 1 || known->whole) return false;
    qkv__rational cut = qkv__rational_whole(0), one = qkv__rational_whole(1);
    if (lower.known && upper.known)
        cut = qkv__rational_divide(qkv__rational_add(lower.value, upper.value),
                                   qkv__rational_whole(2));
    else if (lower.known && qkv__rational_sign(lower.value) >= 0)
        cut = qkv__rational_add(lower.value, one);
    else if (upper.known && qkv__rational_sign(upper.value) <= 0)
        cut = qkv__rational_subtract(upper.value, one);
    if (qkv__rational_is_lost(cut)) return false;
    const qkv__bound at = {.known = true, .value = cut};
    known->upper = at;
    bool refuted = refute_in_parts(task, node, values, parameter, depth - 1);
    known->upper = upper;
    known->lower = at;
    refuted = refuted && refute_in_parts(task, node, values, parameter, depth - 1);
    known->lower = lower;
    if (!refuted && task->finding->reason.data != NULL) {
        task->finding->reason.data[said] = '\0';
        task->finding->reason.length = said;
    }
    return refuted;
}

/* ---- Where ---------------------------------------------------------------------------------- */

/* Fixes every parameter that is neither unknown nor fixed already at a small number of its range;
 * `which` tells them apart. What holds for all parameters must hold there. */
static void fix_others(qkv__design_task *task, const int *unknown, int64_t which)
{
    qkv__algebra *algebra = &task->model->algebra;
    for (int p = 0; p < (int)algebra->parameter_count; p++) {
        qkv__parameter *known = &algebra->parameter[p];
        /* Inner products depend on each other: no choice of theirs is safe. */
        bool open = known->prime == 0 && strchr(known->name, '.') == NULL;
        for (size_t i = 0; i < task->count; i++) open = open && unknown[i] != p;
        qkv__rational value = qkv__rational_whole(which);
        if (known->lower.known && qkv__rational_compare(value, known->lower.value) <= 0)
            value = qkv__rational_add(known->whole ? qkv__rational_ceiling(known->lower.value)
                                                   : known->lower.value,
                                      qkv__rational_whole(which > 0 ? which : 1));
        if (known->upper.known && qkv__rational_compare(value, known->upper.value) >= 0)
            open = false;
        if (!open || qkv__rational_is_lost(value)) continue;
        known->lower = known->upper = (qkv__bound){.known = true, .value = value};
    }
}

/* "That is at beta = 1.": where parameters were fixed, or bounded, for a refutation. */
static void say_where(qkv__design_task *task, const int *unknown, const qkv__parameter *kept)
{
    const qkv__algebra *algebra = &task->model->algebra;
    qkv__text text = {0};
    for (int p = 0; p < (int)algebra->parameter_count; p++) {
        const qkv__parameter *now = &algebra->parameter[p];
        bool changed =
            now->lower.known && (!kept[p].lower.known ||
                                 qkv__rational_compare(now->lower.value, kept[p].lower.value) != 0);
        for (size_t i = 0; i < task->count; i++) changed = changed && unknown[i] != p;
        if (!changed || !qkv__design_depends(task->model, task->proposition, p)) continue;
        qkv__text_format(&text, "%s%s %s ", text.length > 0 ? ", " : "", now->name,
                         now->upper.known ? "=" : ">=");
        qkv__design_rational_write(now->lower.value, &text);
    }
    if (text.length > 0 && !text.failed) qkv__design_say(task, "That is at %s.", text.data);
    qkv__text_free(&text);
}

/* A conjunct such as t < 1 bounds the unknown for the others. */
static void take_bound(qkv__design_task *task, const qkv__node *node)
{
    assert(node->kind == QKV__NODE_COMPARE);
    qkv__failure failure = {0};
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < task->count; i++)
            if (node->comparison >= QKV__LESS && node->comparison <= QKV__GREATER_OR_EQUAL &&
                qkv__node_is(node->child[side], task->name[i]) &&
                node->child[1 - side]->kind == QKV__NODE_NUMBER)
                qkv__model_bound(task->model, node, &failure);
}

/* Tries to refute each conjunct, for all parameters, then at a few points (or far out, where a
 * limit is asked for). */
static bool refute(qkv__design_task *task)
{
    enum { MOST = 16 };
    const qkv__node *nodes[MOST];
    qkv__algebra *algebra = &task->model->algebra;
    qkv__parameter kept[QKV__PARAMETERS];
    int parameter[QKV__DESIGN_UNKNOWNS];
    qkv__value values[QKV__DESIGN_UNKNOWNS];
    bool refuted = false, everywhere = true;
    assert(task->count > 0);
    task->finding->uniform = true; /* until something is used that is not */
    if (!parameters(task, parameter, values)) return task->finding->uniform = false;
    size_t count = conjuncts(task->proposition, nodes, MOST);
    static const int64_t places[POINTS] = {1, 1, 2, 0}; /* the first is not used */
    for (int point = 0; point < POINTS && !refuted; point++) {
        memcpy(kept, algebra->parameter, sizeof kept);
        size_t known = algebra->parameter_count;
        if (point > 0 && !task->has_limit) fix_others(task, parameter, places[point]);
        qkv__rational far = qkv__rational_whole(2 * point);
        if (point > 0 && task->has_limit &&
            qkv__rational_compare(kept[task->growth].lower.value, far) < 0)
            algebra->parameter[task->growth].lower = (qkv__bound){.known = true, .value = far};
        for (int bounded = 0; bounded < 2 && !refuted; bounded++) {
            for (size_t i = 0; bounded == 1 && i < count; i++) take_bound(task, nodes[i]);
            for (size_t i = 0; i < count && !refuted && (bounded == 0 || count > 1); i++)
                refuted = refute_in_parts(task, nodes[i], values, parameter[0], PARTS);
        }
        if (refuted && point > 0) say_where(task, parameter, kept);
        everywhere = point == 0 || task->has_limit;
        for (size_t p = 0; p < known; p++) algebra->parameter[p] = kept[p];
    }
    const bool uniform = refuted && everywhere && task->finding->uniform;
    task->finding->uniform = false;
    if (refuted) qkv__design_refute(task, uniform);
    return refuted;
}

void qkv__design_scalar(qkv__design_task *task)
{
    bool grow = qkv__node_has_comparison(task->proposition, QKV__NEAR) && !task->has_limit &&
                !task->has_tolerance;
    if (grow && task->growth < 0) {
        qkv__design_leave(task, "no parameter is free to grow");
        return;
    }
    if (try_candidates(task, grow)) return;
    if (!task->hidden && ((!grow && try_far_out(task)) || try_between(task))) return;
    if (refute(task)) return;
    qkv__design_leave(task,
                      "no number was found, and no method applies that could prove there is none");
}
