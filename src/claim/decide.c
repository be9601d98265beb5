/* Propositions to verdicts, by the exact engine and the ball. Knows values and engines; nothing of
 * documents or of printing. */
#include "claim/decide.h"

#include <string.h>

#include "ball/enclosure.h"
#include "ball/sign.h"
#include "claim/decide_words.h"
#include "claim/design.h"
#include "claim/evaluate.h"
#include "claim/search.h"
#include "exact/limit.h"
#include "exact/sign.h"

enum { LIMITS = 4, COMPONENTS = 128 };

/* What a claim is asked under. */
typedef struct situation {
    qkv__model *model;
    const qkv__binding *locals;
    const qkv__circumstances *circumstances;
    int limit[LIMITS]; /* parameters that grow without bound, in order */
    size_t limit_count;
    bool has_tolerance;
    qkv__ratio tolerance;
    const qkv__node *index; /* i not in {a, b}: the claim is meant for all such i */
    qkv__finding *finding;
} situation;

/* One number that must vanish, or have a sign: a coefficient of a difference. */
typedef struct component {
    qkv__ratio difference;
    qkv__symbol symbol; /* whose coefficient; family NULL for a plain number */
} component;

const char *qkv__verdict_name(qkv__verdict verdict)
{
    static const char *const names[] = {"undecided", "proved", "refuted", "supported"};
    return names[verdict];
}

void qkv__finding_free(qkv__finding *finding)
{
    qkv__text_free(&finding->found);
    qkv__text_free(&finding->reason);
}

/* ---- Saying what was found ----------------------------------------------------------- */

/* Propositions joined by `and` find several things: they are listed, and a sentence is said once.
 */
static void say(situation *s, const char *sentence)
{
    qkv__text *reason = &s->finding->reason;
    if (reason->data != NULL && strstr(reason->data, sentence) != NULL) return;
    qkv__text_format(reason, "%s%s", reason->length > 0 ? " " : "", sentence);
}

static void begin_found(situation *s)
{
    if (s->finding->found.length > 0) qkv__text_format(&s->finding->found, "; ");
}

static qkv__verdict conclude(situation *s, qkv__verdict verdict, const char *engine)
{
    s->finding->engine = engine;
    return verdict;
}

static qkv__verdict undecided(situation *s, const char *reason)
{
    if (s->finding->reason.length == 0) qkv__text_format(&s->finding->reason, "%s", reason);
    return conclude(s, QKV__UNDECIDED, "");
}

static qkv__verdict ill_posed(situation *s, const qkv__node *culprit, const char *message)
{
    if (s->finding->culprit == NULL) {
        s->finding->culprit = culprit;
        strncat(s->finding->complaint, message,
                sizeof s->finding->complaint - strlen(s->finding->complaint) - 1);
    }
    return conclude(s, QKV__UNDECIDED, "");
}

static qkv__verdict failed(situation *s, const qkv__failure *failure, const qkv__node *culprit)
{
    if (failure->trouble == QKV__TROUBLE_TEXT) return ill_posed(s, culprit, failure->message);
    return undecided(s, failure->message);
}

/* "at beta = 1, n = 3": the parameters of the claim that a witness fixes. */
static void write_point(const situation *s, qkv__ratio ratio, const qkv__point *point,
                        qkv__text *text)
{
    const qkv__algebra *algebra = &s->model->algebra;
    bool first = true;
    for (int p = 0; p < (int)algebra->parameter_count; p++) {
        qkv__rational value = point->value[p];
        if (!qkv__ratio_depends_on(ratio, p) || qkv__rational_is_lost(value)) continue;
        qkv__text_format(text, "%s%s = %lld", first ? "" : ", ", algebra->parameter[p].name,
                         (long long)value.numerator);
        if (value.denominator != 1) qkv__text_format(text, "/%lld", (long long)value.denominator);
        first = false;
    }
}

/* ---- Differences --------------------------------------------------------------------- */

/* Two surds as one plain difference with the same sign, where both are known not to be negative:
 * that of their squares. */
static bool surd_difference(situation *s, qkv__surd x, qkv__surd y, qkv__ratio *difference)
{
    qkv__algebra *algebra = &s->model->algebra;
    qkv__rational one;
    bool plain_x = qkv__ratio_is_constant(x.radicand, &one) && one.numerator == one.denominator;
    bool plain_y = qkv__ratio_is_constant(y.radicand, &one) && one.numerator == one.denominator;
    if (plain_x && plain_y) {
        *difference = qkv__ratio_subtract(algebra, x.factor, y.factor);
        return true;
    }
    qkv__sign sign_x = qkv__ratio_sign(algebra, x.factor);
    qkv__sign sign_y = qkv__ratio_sign(algebra, y.factor);
    bool good_x =
        sign_x == QKV__SIGN_POSITIVE || sign_x == QKV__SIGN_NONNEGATIVE || sign_x == QKV__SIGN_ZERO;
    bool good_y =
        sign_y == QKV__SIGN_POSITIVE || sign_y == QKV__SIGN_NONNEGATIVE || sign_y == QKV__SIGN_ZERO;
    if (!good_x || !good_y) return false;
    qkv__ratio left =
        qkv__ratio_multiply(algebra, qkv__ratio_power(algebra, x.factor, 2), x.radicand);
    qkv__ratio right =
        qkv__ratio_multiply(algebra, qkv__ratio_power(algebra, y.factor, 2), y.radicand);
    *difference = qkv__ratio_subtract(algebra, left, right);
    return true;
}

/* A sum over the rest is zero where there is no rest: its coefficient counts times its size. */
static bool add_vector_components(situation *s, const qkv__vector *difference,
                                  component *components, size_t *count)
{
    if (difference == NULL || difference->count > COMPONENTS) return false;
    for (size_t i = 0; i < difference->count; i++) {
        qkv__symbol symbol = difference->component[i].symbol;
        qkv__ratio factor = difference->component[i].factor;
        if (symbol.member == QKV__REST)
            factor = qkv__ratio_multiply(&s->model->algebra, factor,
                                         qkv__rest_size(&s->model->algebra, symbol.family->set));
        if (qkv__ratio_is_lost(factor)) return false;
        components[(*count)++] = (component){factor, symbol};
    }
    return true;
}

/* A family of numbers against a list, mark by mark. */
static bool add_list_components(situation *s, const qkv__value *x, const qkv__value *y,
                                component *components, size_t *count)
{
    const qkv__numbers *numbers = x->numbers;
    if (y->count != numbers->set->mark_count || y->count > COMPONENTS) return false;
    for (size_t i = 0; i < y->count; i++) {
        qkv__ratio entry;
        if (!qkv__value_as_ratio(&y->element[i], &entry)) return false;
        components[(*count)++] = (component){
            qkv__ratio_subtract(&s->model->algebra, numbers->mark[i], entry), {NULL, 0}};
    }
    return true;
}

/* A parameter that the conditions leave one value is that number. */
static qkv__ratio with_fixed_parameters(situation *s, qkv__ratio ratio)
{
    qkv__algebra *algebra = &s->model->algebra;
    for (int p = 0; p < (int)algebra->parameter_count; p++) {
        const qkv__parameter *known = &algebra->parameter[p];
        if (known->lower.known && known->upper.known && qkv__ratio_depends_on(ratio, p) &&
            qkv__rational_compare(known->lower.value, known->upper.value) == 0)
            ratio = qkv__ratio_substitute(algebra, ratio, p,
                                          qkv__form_constant(algebra, known->lower.value));
    }
    return ratio;
}

/* What must vanish for x = y; one number for scalars, one a symbol for vectors. */
static bool raw_differences(situation *s, const qkv__value *x, const qkv__value *y,
                            component *components, size_t *count)
{
    const qkv__vector *u, *v;
    *count = 0;
    if (qkv__value_as_vector(x, &u) && qkv__value_as_vector(y, &v))
        return add_vector_components(s, qkv__vector_subtract(&s->model->space, u, v), components,
                                     count);
    if (x->kind == QKV__VALUE_NUMBERS && y->kind == QKV__VALUE_LIST)
        return add_list_components(s, x, y, components, count);
    if (x->kind != QKV__VALUE_SCALAR || y->kind != QKV__VALUE_SCALAR) return false;
    components[0] = (component){.symbol = {NULL, 0}};
    *count = 1;
    return surd_difference(s, x->scalar, y->scalar, &components[0].difference) &&
           !qkv__ratio_is_lost(components[0].difference);
}

static bool differences(situation *s, const qkv__value *x, const qkv__value *y,
                        component *components, size_t *count)
{
    if (!raw_differences(s, x, y, components, count)) return false;
    for (size_t i = 0; i < *count; i++) {
        components[i].difference = with_fixed_parameters(s, components[i].difference);
        if (qkv__ratio_is_lost(components[i].difference)) return false;
    }
    return true;
}

/* ---- Limits -------------------------------------------------------------------------- */

/* The limit in all the parameters, one after the other. */
static qkv__limit limit_of(situation *s, qkv__ratio ratio)
{
    qkv__limit limit = {QKV__LIMIT_FINITE, ratio};
    for (size_t i = 0; i < s->limit_count && limit.kind == QKV__LIMIT_FINITE; i++)
        limit = qkv__ratio_limit(&s->model->algebra, limit.value, s->limit[i]);
    return limit;
}

/* "c -> 1/2*v[a] + 1/2*v[b]", or what of it is finite. */
static void write_limit(situation *s, const qkv__value *value, qkv__text *text)
{
    qkv__space *space = &s->model->space;
    const qkv__vector *vector;
    qkv__ratio ratio;
    if (qkv__value_as_ratio(value, &ratio)) {
        qkv__limit limit = limit_of(s, ratio);
        if (limit.kind == QKV__LIMIT_FINITE) qkv__ratio_write(space->algebra, limit.value, text);
        if (limit.kind == QKV__LIMIT_PLUS_INFINITY) qkv__text_format(text, "inf");
        if (limit.kind == QKV__LIMIT_MINUS_INFINITY) qkv__text_format(text, "-inf");
        return;
    }
    if (value->kind == QKV__VALUE_NUMBERS) { /* weights in a row: [1, 0, 0] */
        for (size_t i = 0; i < value->numbers->set->mark_count; i++) {
            qkv__value entry = qkv__value_scalar(space, value->numbers->mark[i]);
            qkv__text_format(text, i == 0 ? "[" : ", ");
            write_limit(s, &entry, text);
        }
        qkv__text_format(text, "]");
    }
    if (!qkv__value_as_vector(value, &vector)) return;
    const qkv__vector *sum = qkv__vector_zero(space);
    for (size_t i = 0; i < vector->count; i++) {
        qkv__limit limit = limit_of(s, vector->component[i].factor);
        if (limit.kind != QKV__LIMIT_FINITE) return;
        const qkv__symbol symbol = vector->component[i].symbol;
        sum = qkv__vector_add(
            space, sum,
            qkv__vector_scale(space, qkv__vector_symbol(space, symbol.family, symbol.member),
                              limit.value));
    }
    qkv__vector_write(space, sum, text);
}

/* Whether a number, free of the limit's parameters, is proved to be other than zero somewhere. */
static bool proved_nonzero(situation *s, qkv__ratio ratio)
{
    qkv__sign sign = qkv__ratio_sign(&s->model->algebra, ratio);
    if (sign == QKV__SIGN_POSITIVE || sign == QKV__SIGN_NEGATIVE) return true;
    qkv__box box;
    qkv__sign_result result;
    if (!qkv__box_of_algebra(&s->model->algebra, &box)) return false;
    qkv__ball_sign(&s->model->algebra, ratio, &box, 0, &result);
    return result.has_positive || result.has_negative;
}

static qkv__verdict decide_limit(situation *s, const qkv__value *x, const component *components,
                                 size_t count)
{
    bool open = false, differs = false;
    for (size_t i = 0; i < count; i++) {
        qkv__limit limit = limit_of(s, components[i].difference);
        if (limit.kind == QKV__LIMIT_UNKNOWN)
            open = true;
        else if (limit.kind != QKV__LIMIT_FINITE)
            differs = true;
        else if (!qkv__ratio_is_zero(limit.value)) {
            if (proved_nonzero(s, limit.value))
                differs = true;
            else
                open = true;
        }
    }
    begin_found(s);
    qkv__text_format(&s->finding->found, "-> ");
    write_limit(s, x, &s->finding->found);
    if (differs) {
        say(s, "The limit is another one.");
        return conclude(s, QKV__REFUTED, "exact");
    }
    if (open) return undecided(s, "which term grows fastest depends on what is not known");
    say(s, "That is the limit.");
    return conclude(s, QKV__PROVED, "exact");
}

/* ---- Equality and order -------------------------------------------------------------- */

static bool sign_over_box(situation *s, qkv__ratio ratio, qkv__sign_result *result)
{
    qkv__box box;
    *result = (qkv__sign_result){.sign = QKV__SIGN_UNKNOWN};
    if (!qkv__box_of_algebra(&s->model->algebra, &box)) return false;
    qkv__ball_sign(&s->model->algebra, ratio, &box, 0, result);
    return true;
}

static void write_value(situation *s, const qkv__value *value, qkv__text *text)
{
    qkv__ratio ratio;
    const qkv__vector *vector;
    if (qkv__value_as_ratio(value, &ratio))
        qkv__ratio_write(&s->model->algebra, ratio, text);
    else if (qkv__value_as_vector(value, &vector))
        qkv__vector_write(&s->model->space, vector, text);
}

/* Both sides at a witness, as far as they are plain numbers. */
static void write_witness(situation *s, qkv__ratio difference, const qkv__point *point)
{
    qkv__text *reason = &s->finding->reason;
    qkv__box box;
    qkv__enclosure enclosure;
    say(s, "The sides differ");
    qkv__text place = {0};
    write_point(s, difference, point, &place);
    if (place.length > 0) qkv__text_format(reason, " at %s", place.data);
    qkv__text_free(&place);
    if (qkv__box_of_algebra(&s->model->algebra, &box)) {
        bool fixed = true;
        for (int p = 0; p < (int)s->model->algebra.parameter_count; p++)
            if (qkv__ratio_depends_on(difference, p) && !qkv__rational_is_lost(point->value[p]))
                fixed = fixed && qkv__box_fix(&s->model->algebra, &box, p, point->value[p]);
        if (fixed && qkv__ball_enclose(&s->model->algebra, difference, &box, &enclosure))
            qkv__text_format(reason, ", by %.6g", 0.5 * (enclosure.lower + enclosure.upper));
    }
    qkv__text_format(reason, ".");
}

static qkv__verdict decide_equal(situation *s, const qkv__value *x, const component *components,
                                 size_t count)
{
    bool all = true;
    for (size_t i = 0; i < count; i++) all = all && qkv__ratio_is_zero(components[i].difference);
    begin_found(s);
    write_value(s, x, &s->finding->found);
    if (all) {
        say(s, "Both sides are the same expression.");
        return conclude(s, QKV__PROVED, "exact");
    }
    for (size_t i = 0; i < count; i++) {
        qkv__sign_result result;
        if (!sign_over_box(s, components[i].difference, &result)) continue;
        if (!result.has_positive && !result.has_negative) continue;
        write_witness(s, components[i].difference,
                      result.has_positive ? &result.positive : &result.negative);
        return conclude(s, QKV__REFUTED, "ball");
    }
    return undecided(s, "the normal forms differ, but no point was found where the values do");
}

/* Whether the sign is one that the comparison with zero allows, or proves wrong. */
static qkv__verdict judge_sign(qkv__sign sign, qkv__comparison comparison)
{
    bool positive = sign == QKV__SIGN_POSITIVE, negative = sign == QKV__SIGN_NEGATIVE;
    bool zero = sign == QKV__SIGN_ZERO;
    bool not_negative = positive || zero || sign == QKV__SIGN_NONNEGATIVE;
    bool not_positive = negative || zero || sign == QKV__SIGN_NONPOSITIVE;
    switch (comparison) {
    case QKV__GREATER: return positive ? QKV__PROVED : not_positive ? QKV__REFUTED : QKV__UNDECIDED;
    case QKV__GREATER_OR_EQUAL:
        return not_negative ? QKV__PROVED : negative ? QKV__REFUTED : QKV__UNDECIDED;
    case QKV__LESS: return negative ? QKV__PROVED : not_negative ? QKV__REFUTED : QKV__UNDECIDED;
    case QKV__LESS_OR_EQUAL:
        return not_positive ? QKV__PROVED : positive ? QKV__REFUTED : QKV__UNDECIDED;
    case QKV__NOT_EQUAL:
        return positive || negative ? QKV__PROVED : zero ? QKV__REFUTED : QKV__UNDECIDED;
    default: return QKV__UNDECIDED;
    }
}

/* A witness that contradicts the comparison. */
static const qkv__point *contradiction(const qkv__sign_result *result, qkv__comparison comparison)
{
    bool wants_positive = comparison == QKV__GREATER || comparison == QKV__GREATER_OR_EQUAL;
    bool wants_negative = comparison == QKV__LESS || comparison == QKV__LESS_OR_EQUAL;
    if (wants_positive && result->has_negative) return &result->negative;
    if (wants_negative && result->has_positive) return &result->positive;
    return NULL;
}

static qkv__verdict decide_order(situation *s, const qkv__value *x, qkv__ratio difference,
                                 qkv__comparison comparison)
{
    qkv__sign sign = qkv__ratio_sign(&s->model->algebra, difference);
    qkv__verdict verdict = judge_sign(sign, comparison);
    begin_found(s);
    write_value(s, x, &s->finding->found);
    if (verdict != QKV__UNDECIDED) {
        say(s, verdict == QKV__PROVED ? "The difference has this sign for all parameters."
                                      : "The difference has the other sign for all parameters.");
        return conclude(s, verdict, "exact");
    }
    qkv__sign_result result;
    if (!sign_over_box(s, difference, &result))
        return undecided(s, "the conditions exclude each other");
    verdict = judge_sign(result.sign, comparison);
    const qkv__point *point = contradiction(&result, comparison);
    if (point != NULL) {
        write_witness(s, difference, point);
        return conclude(s, QKV__REFUTED, "ball");
    }
    if (verdict == QKV__UNDECIDED)
        return undecided(s, "the sign of the difference could not be enclosed");
    say(s, "Enclosed over the whole range.");
    return conclude(s, verdict, "ball");
}

/* ---- Comparisons --------------------------------------------------------------------- */

static qkv__verdict both(qkv__verdict a, qkv__verdict b)
{
    if (a == QKV__REFUTED || b == QKV__REFUTED) return QKV__REFUTED;
    if (a == QKV__UNDECIDED || b == QKV__UNDECIDED) return QKV__UNDECIDED;
    return a == QKV__SUPPORTED || b == QKV__SUPPORTED ? QKV__SUPPORTED : QKV__PROVED;
}

/* x ~ y within t: -t <= x - y <= t for a number; |x - y| <= t for vectors whose norms are known. */
static qkv__verdict decide_within(situation *s, const qkv__value *x, const qkv__value *y)
{
    qkv__algebra *algebra = &s->model->algebra;
    qkv__value difference, size;
    qkv__failure failure = {0};
    qkv__value tolerance = qkv__value_scalar(&s->model->space, s->tolerance);
    qkv__ratio ratio;
    if (!qkv__value_add(&s->model->space, x, y, true, &difference, &failure))
        return failed(s, &failure, NULL);
    if (qkv__value_as_ratio(&difference, &ratio)) {
        qkv__verdict above = decide_order(s, x, qkv__ratio_subtract(algebra, ratio, s->tolerance),
                                          QKV__LESS_OR_EQUAL);
        if (above == QKV__REFUTED) return above;
        return both(above, decide_order(s, x, qkv__ratio_add(algebra, ratio, s->tolerance),
                                        QKV__GREATER_OR_EQUAL));
    }
    if (!qkv__value_size(&s->model->space, &difference, &size, &failure))
        return failed(s, &failure, NULL);
    if (!surd_difference(s, size.scalar, tolerance.scalar, &ratio))
        return undecided(s, "a norm of unknown sign");
    return decide_order(s, x, ratio, QKV__LESS_OR_EQUAL);
}

static qkv__verdict decide_values(situation *s, const qkv__node *node, const qkv__value *x,
                                  const qkv__value *y)
{
    component components[COMPONENTS + 1];
    size_t count;
    bool near = node->comparison == QKV__NEAR;
    if ((near || node->comparison == QKV__EQUAL) && s->has_tolerance) return decide_within(s, x, y);
    if (near && s->limit_count == 0)
        return ill_posed(s, node, "'~' needs 'as beta -> inf' or 'within' a tolerance");
    if (!differences(s, x, y, components, &count)) {
        bool scalars = x->kind == QKV__VALUE_SCALAR && y->kind == QKV__VALUE_SCALAR;
        const qkv__vector *u, *v;
        if (scalars || (qkv__value_as_vector(x, &u) && qkv__value_as_vector(y, &v)))
            return undecided(s, "the difference is beyond the exact engine");
        qkv__failure failure = {0};
        qkv__fail_value(&failure, QKV__TROUBLE_TEXT, "cannot compare %s with %s",
                        qkv__value_kind_name(x->kind), qkv__value_kind_name(y->kind));
        return failed(s, &failure, node);
    }
    if (near || (s->limit_count > 0 && node->comparison == QKV__EQUAL))
        return decide_limit(s, x, components, count);
    if (s->limit_count > 0) return undecided(s, "an inequality in the limit is not supported");
    if (node->comparison == QKV__EQUAL) return decide_equal(s, x, components, count);
    if (count != 1 || x->kind != QKV__VALUE_SCALAR)
        return ill_posed(s, node, "only numbers can be ordered");
    return decide_order(s, x, components[0].difference, node->comparison);
}

/* x in l .. u */
static qkv__verdict decide_interval(situation *s, const qkv__node *node)
{
    const qkv__node *range = node->child[1];
    qkv__comparison comparisons[] = {QKV__GREATER_OR_EQUAL, QKV__LESS_OR_EQUAL};
    qkv__verdict verdict = QKV__PROVED;
    for (int i = 0; i < 2; i++) {
        const qkv__node *children[] = {node->child[0], range->child[i]};
        qkv__node part = *node;
        part.comparison = comparisons[i];
        part.child = children;
        qkv__value x, y;
        qkv__failure failure = {0};
        const qkv__node *culprit;
        if (!qkv__model_evaluate(s->model, children[0], s->locals, &x, &failure, &culprit) ||
            !qkv__model_evaluate(s->model, children[1], s->locals, &y, &failure, &culprit))
            return failed(s, &failure, culprit);
        verdict = both(verdict, decide_values(s, &part, &x, &y));
        if (verdict == QKV__REFUTED) return verdict;
    }
    return verdict;
}

static qkv__verdict decide_comparison(situation *s, const qkv__node *node)
{
    qkv__value x, y;
    qkv__failure failure = {0};
    const qkv__node *culprit = node;
    if (node->comparison == QKV__IN && node->child[1]->kind == QKV__NODE_RANGE)
        return decide_interval(s, node);
    if (qkv__model_is_symbolic(s->model, node)) {
        if (node->comparison != QKV__EQUAL)
            return undecided(s, "of symbolic matrices only equations can be decided");
        qkv__decide_words(s->model, node, s->finding);
        return s->finding->verdict;
    }
    if (!qkv__model_evaluate(s->model, node->child[0], s->locals, &x, &failure, &culprit) ||
        !qkv__model_evaluate(s->model, node->child[1], s->locals, &y, &failure, &culprit))
        return failed(s, &failure, culprit);
    if (node->comparison == QKV__IN && y.kind == QKV__VALUE_HULL)
        return undecided(s, "convex hulls are not supported yet");
    return decide_values(s, node, &x, &y);
}

/* ---- Propositions -------------------------------------------------------------------- */

static qkv__verdict decide_exists(situation *s, const qkv__node *node)
{
    qkv__design_question question = {.unknown_count = node->count - 1,
                                     .unknown = node->child,
                                     .proposition = node->child[node->count - 1],
                                     .locals = s->locals,
                                     .circumstances = s->circumstances};
    qkv__design(s->model, &question, s->finding);
    return s->finding->verdict;
}

static qkv__verdict decide_proposition(situation *s, const qkv__node *node)
{
    qkv__verdict first, second;
    switch (node->kind) {
    case QKV__NODE_COMPARE: return decide_comparison(s, node);
    case QKV__NODE_AND:
        first = decide_proposition(s, node->child[0]);
        return first == QKV__REFUTED ? first : both(first, decide_proposition(s, node->child[1]));
    case QKV__NODE_FOR_ALL: /* names are free, and free names are meant for all */
        return decide_proposition(s, node->child[node->count - 1]);
    case QKV__NODE_IMPLIES:
        first = decide_proposition(s, node->child[0]);
        second = decide_proposition(s, node->child[1]);
        if (second == QKV__PROVED) return second;
        if (first == QKV__PROVED && second == QKV__REFUTED) return second;
        return undecided(s, "the premise does not hold for all that the parameters may be");
    case QKV__NODE_EXISTS: return decide_exists(s, node);
    default: return undecided(s, "this kind of proposition is not supported yet");
    }
}

/* Every index that the claim is meant for: the marks not left out, and the generic one. */
static qkv__verdict decide_for_indices(situation *s, const qkv__node *proposition)
{
    if (s->index == NULL) return decide_proposition(s, proposition);
    const qkv__node *excluded = s->index->child[1];
    const char *name = s->index->child[0]->text;
    qkv__verdict verdict = QKV__PROVED;
    for (size_t n = 0; n < s->model->set_count; n++) {
        qkv__index_set *set = s->model->sets[n];
        const qkv__node *sample =
            excluded->kind == QKV__NODE_SET && excluded->count > 0 ? excluded->child[0] : excluded;
        bool range = excluded->kind == QKV__NODE_RANGE;
        qkv__failure failure = {0};
        if (range ? qkv__model_set(s->model, excluded, &failure) != set
                  : qkv__mark_find(set, sample->text) < 0)
            continue;
        for (int member = QKV__GENERIC; member < (int)set->mark_count; member++) {
            bool out = false;
            for (size_t i = 0;
                 !range && i < (excluded->kind == QKV__NODE_SET ? excluded->count : 1); i++) {
                const qkv__node *mark =
                    excluded->kind == QKV__NODE_SET ? excluded->child[i] : excluded;
                out = out || (member >= 0 && strcmp(set->mark[member], mark->text) == 0);
            }
            if (out || (member == QKV__GENERIC &&
                        qkv__ratio_is_zero(qkv__rest_size(&s->model->algebra, set))))
                continue;
            qkv__binding local = qkv__index_binding(name, set, member, s->locals);
            situation inner = *s;
            inner.locals = &local;
            inner.index = NULL;
            verdict = both(verdict, decide_proposition(&inner, proposition));
            if (verdict == QKV__REFUTED) return verdict;
        }
        return verdict;
    }
    return ill_posed(s, s->index, "no index set has these members");
}

/* ---- Conditions ---------------------------------------------------------------------- */

static bool take_limit(situation *s, const qkv__node *node)
{
    int parameter = qkv__model_parameter(s->model, node->child[0]->text);
    if (node->child[1]->kind != QKV__NODE_INFINITY || parameter < 0 || s->limit_count == LIMITS) {
        undecided(s, "only limits to infinity are supported yet");
        return false;
    }
    s->limit[s->limit_count++] = parameter;
    return true;
}

static bool take_range(situation *s, const qkv__node *node)
{
    qkv__failure failure = {0};
    if (node->kind == QKV__NODE_NAME) return true; /* for all v */
    if (node->kind == QKV__NODE_COMPARE &&
        (node->comparison == QKV__NOT_IN || node->comparison == QKV__IN ||
         node->comparison == QKV__NOT_EQUAL)) {
        s->index = node;
        return true;
    }
    if (qkv__model_bound(s->model, node, &failure)) return true;
    failed(s, &failure, node);
    return false;
}

static bool take_condition(situation *s, const qkv__condition *condition)
{
    qkv__value value;
    qkv__failure failure = {0};
    const qkv__node *culprit;
    switch (condition->kind) {
    case QKV__CONDITION_LIMIT:
        for (size_t i = 0; i < condition->count; i++)
            if (!take_limit(s, condition->node[i])) return false;
        return true;
    case QKV__CONDITION_RANGE:
    case QKV__CONDITION_AT:
        for (size_t i = 0; i < condition->count; i++)
            if (!take_range(s, condition->node[i])) return false;
        return true;
    case QKV__CONDITION_WITHIN:
        if (!qkv__model_evaluate(s->model, condition->node[0], NULL, &value, &failure, &culprit)) {
            failed(s, &failure, culprit);
            return false;
        }
        s->has_tolerance = qkv__value_as_ratio(&value, &s->tolerance);
        if (!s->has_tolerance) undecided(s, "a tolerance that is no plain number");
        return s->has_tolerance;
    case QKV__CONDITION_GIVEN:
        if (take_range(s, condition->node[0])) return true;
        return false;
    case QKV__CONDITION_EXPECT: return true;
    }
    return false;
}

void qkv__decide(qkv__model *model, const qkv__node *proposition,
                 const qkv__circumstances *circumstances, qkv__finding *finding)
{
    qkv__parameter kept[QKV__PARAMETERS];
    memcpy(kept, model->algebra.parameter, sizeof kept);
    size_t known = model->algebra.parameter_count;
    *finding = (qkv__finding){.engine = ""};
    situation s = {.model = model, .circumstances = circumstances, .finding = finding};
    bool good = true;
    for (size_t i = 0; i < circumstances->count && good; i++)
        for (const qkv__condition *c = circumstances->lists[i]; c != NULL && good; c = c->next)
            good = take_condition(&s, c);
    qkv__box box;
    if (good && !qkv__box_of_algebra(&model->algebra, &box)) {
        undecided(&s, "the conditions exclude each other: nothing is left to decide");
        good = false;
    }
    if (good) finding->verdict = decide_for_indices(&s, proposition);
    if (finding->culprit != NULL)
        finding->verdict = QKV__UNDECIDED;
    else if (good && finding->verdict == QKV__UNDECIDED)
        qkv__search(model, proposition, circumstances, finding);
    /* Bounds of this claim end with it; parameters that it brought stay, free. */
    for (size_t p = 0; p < model->algebra.parameter_count; p++) {
        if (p < known) {
            model->algebra.parameter[p] = kept[p];
        } else if (model->algebra.parameter[p].prime == 0) {
            model->algebra.parameter[p].lower.known = false;
            model->algebra.parameter[p].upper.known = false;
        }
    }
}
