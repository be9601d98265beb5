/*
 * Comparisons about tables to verdicts, and what to say about them: numbers, vectors, hulls. Every
 * verdict rests on a sign that was proved, by exact scores or by enclosures. Knows nothing of
 * conditions or of how propositions are put together.
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ball/enclosure.h"
#include "claim/table/table_part.h"

/* ---- Saying -------------------------------------------------------------------------------- */

void qkv__table_say(qkv__table_situation *s, const char *sentence)
{
    qkv__text *reason = &s->finding->reason;
    if (reason->data != NULL && strstr(reason->data, sentence) != NULL) return;
    qkv__text_format(reason, "%s%s", reason->length > 0 ? " " : "", sentence);
}

qkv__verdict qkv__table_conclude(qkv__table_situation *s, qkv__verdict verdict, const char *engine)
{
    s->finding->engine = engine;
    return verdict;
}

qkv__verdict qkv__table_undecided(qkv__table_situation *s, const char *reason)
{
    if (s->finding->reason.length == 0) qkv__text_format(&s->finding->reason, "%s", reason);
    return qkv__table_conclude(s, QKV__UNDECIDED, "");
}

qkv__verdict qkv__table_ill_posed(qkv__table_situation *s, const qkv__node *culprit,
                                  const char *message)
{
    if (s->finding->culprit == NULL) {
        s->finding->culprit = culprit;
        snprintf(s->finding->complaint, sizeof s->finding->complaint, "%s", message);
    }
    return qkv__table_conclude(s, QKV__UNDECIDED, "");
}

qkv__verdict qkv__table_failed(qkv__table_situation *s, const qkv__failure *failure,
                               const qkv__node *culprit)
{
    if (failure->trouble == QKV__TROUBLE_TEXT)
        return qkv__table_ill_posed(s, culprit == NULL ? s->node : culprit, failure->message);
    return qkv__table_undecided(s, failure->message);
}

void qkv__table_begin_found(qkv__table_situation *s)
{
    if (s->finding->found.length > 0) qkv__text_format(&s->finding->found, "; ");
    if (s->moment.limit >= 0) qkv__text_format(&s->finding->found, "-> ");
}

static void widen(qkv__bounds *span, const qkv__enclosure *enclosure)
{
    span->lower = fmin(span->lower, enclosure->lower);
    span->upper = fmax(span->upper, enclosure->upper);
}

/* A plain number as it is, others in decimals that enclose them. */
static void write_number(qkv__table_situation *s, const qkv__number *number)
{
    qkv__failure ignored;
    qkv__interval interval;
    qkv__enclosure enclosure;
    qkv__ratio ratio;
    arb_t ball;
    if (s->span == NULL && qkv__number_as_ratio(number, &ratio)) {
        qkv__table_begin_found(s);
        qkv__ratio_write(&s->model->algebra, ratio, &s->finding->found);
        return;
    }
    arb_init(ball);
    if (qkv__number_ball(s->model, number, &s->moment, 96, ball, &ignored)) {
        qkv__interval_init(&interval);
        arb_get_interval_arf(interval.lower, interval.upper, ball, 96);
        qkv__enclosure_set(&enclosure, &interval);
        if (enclosure.known && s->span != NULL) {
            widen(s->span, &enclosure);
        } else if (enclosure.known) {
            qkv__table_begin_found(s);
            qkv__text_format(&s->finding->found, "%s", enclosure.text);
        }
        qkv__interval_clear(&interval);
    }
    arb_clear(ball);
}

/* Which keys have the weight: "Key 7 has the largest score.", "Keys 3 and 8 share ...". */
static void say_leaders(qkv__table_situation *s, const qkv__table_result *result)
{
    enum { SHOWN = 6 };
    qkv__failure ignored;
    qkv__softmax *softmax = qkv__table_softmax(s->model, result, &s->moment, &ignored);
    qkv__text text = {0};
    if (softmax == NULL) return;
    size_t count = 0;
    bool limit = s->moment.limit >= 0;
    while (count < softmax->active_count &&
           (limit || softmax->class_of[softmax->order[count]] == 0))
        count++;
    qkv__text_format(&text, count == 1 ? "Key" : "Keys");
    for (size_t i = 0; i < count && i < SHOWN; i++)
        qkv__text_format(&text, "%s %zu",
                         i == 0           ? ""
                         : i + 1 == count ? " and"
                                          : ",",
                         softmax->order[i] + 1);
    if (count > SHOWN) qkv__text_format(&text, " and %zu others", count - SHOWN);
    qkv__text_format(&text, count == 1 ? " has the largest score." : " share the largest score.");
    if (!text.failed) qkv__table_say(s, text.data);
    qkv__text_free(&text);
}

/* The weight of a key in the limit: 1/3 where the keys share alike, else decimals. */
static void write_weight(qkv__table_situation *s, qkv__softmax *softmax, size_t key)
{
    qkv__text *found = &s->finding->found;
    if (softmax->class_count == 1 && softmax->active_count == 1) return;
    if (softmax->class_count == 1)
        qkv__text_format(found, "1/%zu*", softmax->active_count);
    else
        qkv__text_format(
            found, "%.6g*",
            arf_get_d(arb_midref(qkv__softmax_weights(softmax, 96) + key), ARF_RND_NEAR));
}

/* One query's output as weights times values; nothing where it is a mixture of many. */
static void write_output(qkv__table_situation *s, const qkv__combination *vector)
{
    enum { SHOWN = 6 };
    qkv__failure ignored;
    qkv__rational one;
    if (vector->count != 1 || vector->piece[0].kind != QKV__PIECE_OUTPUT ||
        !qkv__ratio_is_constant(vector->piece[0].factor, &one) || one.numerator != 1 ||
        one.denominator != 1)
        return;
    const qkv__table_result *result = vector->piece[0].result;
    const char *name = result->values->name[0] == '\0' ? "v" : result->values->name;
    qkv__softmax *softmax = qkv__table_softmax(s->model, result, &s->moment, &ignored);
    if (softmax == NULL || softmax->active_count > SHOWN) return;
    qkv__table_begin_found(s);
    for (size_t i = 0; i < softmax->active_count; i++) {
        if (i > 0) qkv__text_format(&s->finding->found, " + ");
        write_weight(s, softmax, softmax->order[i]);
        qkv__text_format(&s->finding->found, "%s[%zu]", name, softmax->order[i] + 1);
    }
}

/* ---- Numbers ------------------------------------------------------------------------------- */

static qkv__verdict judge(int sign, qkv__comparison comparison)
{
    bool holds = false;
    switch (comparison) {
    case QKV__EQUAL:
    case QKV__NEAR: holds = sign == 0; break;
    case QKV__NOT_EQUAL: holds = sign != 0; break;
    case QKV__LESS: holds = sign < 0; break;
    case QKV__LESS_OR_EQUAL: holds = sign <= 0; break;
    case QKV__GREATER: holds = sign > 0; break;
    case QKV__GREATER_OR_EQUAL: holds = sign >= 0; break;
    default: return QKV__UNDECIDED;
    }
    return holds ? QKV__PROVED : QKV__REFUTED;
}

/* Over a range: holds where only signs that it allows may occur; fails at a point of another. */
static qkv__verdict judge_range(qkv__table_situation *s, const qkv__range_sign *sign, int parameter,
                                qkv__comparison comparison)
{
    assert(parameter >= 0 && parameter < QKV__PARAMETERS);
    bool positive = judge(1, comparison) == QKV__PROVED, zero = judge(0, comparison) == QKV__PROVED;
    bool negative = judge(-1, comparison) == QKV__PROVED;
    if ((positive || !sign->positive) && (negative || !sign->negative) && (zero || !sign->zero)) {
        qkv__table_say(s, sign->positive || sign->negative
                              ? "The difference keeps its sign over the whole range."
                              : "Both sides are equal over the whole range.");
        return qkv__table_conclude(s, QKV__PROVED, "ball");
    }
    const qkv__rational *where = NULL;
    if (!positive && sign->has_positive) where = &sign->where_positive;
    if (!negative && sign->has_negative) where = &sign->where_negative;
    if (where == NULL)
        return qkv__table_undecided(s, "the sign of the difference over the range is open");
    qkv__text text = {0};
    qkv__text_format(&text, "It fails at %s = ", s->model->algebra.parameter[parameter].name);
    qkv__rational_write(*where, &text);
    qkv__text_format(&text, ".");
    if (!text.failed) qkv__table_say(s, text.data);
    qkv__text_free(&text);
    return qkv__table_conclude(s, QKV__REFUTED, "ball");
}

/* The sign of a difference against a comparison with 0. */
static qkv__verdict decide_sign(qkv__table_situation *s, const qkv__number *difference,
                                qkv__comparison comparison)
{
    qkv__failure failure = {0};
    if (difference == NULL) return qkv__table_undecided(s, "numbers grow beyond 64 bits");
    int open = qkv__number_open_parameter(s->model, difference, &s->moment);
    if (open >= 0 && s->moment.limit < 0) {
        qkv__range_sign sign;
        if (!qkv__number_range_sign(s->model, difference, &s->moment, open, &sign, &failure))
            return qkv__table_failed(s, &failure, NULL);
        return judge_range(s, &sign, open, comparison);
    }
    int sign = qkv__number_sign(s->model, difference, &s->moment, &failure);
    if (sign == QKV__SIGN_OPEN) return qkv__table_failed(s, &failure, NULL);
    bool order = comparison != QKV__EQUAL && comparison != QKV__NEAR;
    if (s->moment.limit >= 0 && sign == 0 && order)
        return qkv__table_undecided(s, "the limits are equal, which leaves an inequality open");
    return qkv__table_conclude(s, judge(sign, comparison), s->moment.limit >= 0 ? "exact" : "ball");
}

/* The first result that a number is made of, for what is said about it. */
static const qkv__table_result *result_of(const qkv__number *number)
{
    for (size_t i = 0; number != NULL && i < number->count; i++)
        if (number->term[i].result != NULL) return number->term[i].result;
    const qkv__table_result *found = NULL;
    if (number != NULL && number->x != NULL) found = result_of(number->x);
    if (number != NULL && number->y != NULL && found == NULL) found = result_of(number->y);
    return found;
}

static void explain_number(qkv__table_situation *s, const qkv__number *x, qkv__verdict verdict)
{
    bool plain = qkv__number_as_ratio(x, &(qkv__ratio){NULL, NULL});
    if (!plain && qkv__number_open_parameter(s->model, x, &s->moment) >= 0) return;
    if (verdict == QKV__REFUTED) s->span = NULL;
    write_number(s, x);
    if (verdict == QKV__REFUTED && result_of(x) != NULL) say_leaders(s, result_of(x));
}

/* -t <= x - y <= t */
static qkv__verdict decide_within(qkv__table_situation *s, const qkv__number *difference)
{
    const qkv__number *tolerance = qkv__number_constant(s->model, s->tolerance);
    if (difference == NULL || tolerance == NULL)
        return qkv__table_undecided(s, "numbers beyond 64 bits");
    qkv__verdict above =
        decide_sign(s, qkv__number_add(s->model, difference, tolerance, true), QKV__LESS_OR_EQUAL);
    if (above == QKV__REFUTED) return above;
    return qkv__verdict_both(above,
                             decide_sign(s, qkv__number_add(s->model, difference, tolerance, false),
                                         QKV__GREATER_OR_EQUAL));
}

qkv__verdict qkv__table_compare_numbers(qkv__table_situation *s, const qkv__number *x,
                                        const qkv__number *y, qkv__comparison comparison)
{
    const qkv__number *difference = qkv__number_add(s->model, x, y, true);
    bool equation = comparison == QKV__EQUAL || comparison == QKV__NEAR;
    if (comparison == QKV__NOT_EQUAL && s->has_tolerance)
        return qkv__table_undecided(s, "tables do not support '!=' with a tolerance");
    qkv__verdict verdict = equation && s->has_tolerance ? decide_within(s, difference)
                                                        : decide_sign(s, difference, comparison);
    bool equal = equation && !s->has_tolerance && verdict == QKV__PROVED;
    /* What is equal is told by its shorter name, and weights rather than what bounds them. */
    bool other = equal || (result_of(x) == NULL && result_of(y) != NULL);
    explain_number(s, other ? y : x, verdict);
    return verdict;
}

/* ---- Vectors ------------------------------------------------------------------------------- */

/* The row that stands for all that are given to be equal to it. */
static size_t representative(const qkv__table_situation *s, const char *family, size_t row)
{
    for (size_t i = 0; i < s->same_count; i++) /* what is kept may be replaced by a later one */
        if (strcmp(s->same[i].family, family) == 0 && s->same[i].other == row)
            row = s->same[i].kept;
    return row;
}

/* Equal rows count together: the first of them takes the factors of the others. */
static bool merge_same(qkv__table_situation *s, qkv__coordinates *coordinates)
{
    const char *family = coordinates->symbols->name;
    const qkv__number **number =
        qkv__arena_array(&s->model->algebra.arena, coordinates->count, sizeof *number);
    if (number == NULL) return coordinates->count == 0;
    memcpy(number, coordinates->number, coordinates->count * sizeof *number);
    for (size_t j = 0; s->same_count > 0 && j < coordinates->count; j++) {
        size_t row = representative(s, family, coordinates->index[j]), first = 0;
        while (representative(s, family, coordinates->index[first]) != row) first++;
        if (first == j) continue;
        number[first] = qkv__number_add(s->model, number[first], number[j], false);
        number[j] = qkv__number_constant(s->model, qkv__ratio_whole(&s->model->algebra, 0));
        if (number[first] == NULL || number[j] == NULL) return false;
    }
    coordinates->number = number;
    return true;
}

/* All coordinates of the difference, or all factors of its symbols, must vanish. `symbols` tells
 * whether there are any: what differs as a combination of them may be equal where they are. */
static qkv__verdict decide_zero(qkv__table_situation *s, const qkv__combination *difference,
                                bool *symbols)
{
    qkv__coordinates coordinates;
    qkv__failure failure = {0};
    qkv__verdict verdict = QKV__PROVED;
    if (!qkv__combination_coordinates(s->model, difference, &s->moment, &coordinates, &failure))
        return qkv__table_failed(s, &failure, NULL);
    *symbols = coordinates.symbols != NULL;
    if (*symbols && !merge_same(s, &coordinates)) return qkv__table_undecided(s, "out of memory");
    for (size_t j = 0; j < coordinates.count && verdict != QKV__REFUTED; j++) {
        int sign = qkv__number_sign(s->model, coordinates.number[j], &s->moment, &failure);
        if (sign == QKV__SIGN_OPEN)
            verdict = QKV__UNDECIDED;
        else if (sign != 0)
            verdict = QKV__REFUTED;
    }
    if (verdict == QKV__UNDECIDED) return qkv__table_failed(s, &failure, NULL);
    return qkv__table_conclude(s, verdict, "exact");
}

qkv__verdict qkv__table_compare_vectors(qkv__table_situation *s, const qkv__node *node,
                                        const qkv__combination *x, const qkv__combination *y)
{
    assert(node->kind == QKV__NODE_COMPARE);
    const qkv__combination *difference = qkv__combination_add(s->model, x, y, true);
    if (difference == NULL) return qkv__table_undecided(s, "numbers grow beyond 64 bits");
    bool equation = node->comparison == QKV__EQUAL || node->comparison == QKV__NEAR;
    qkv__verdict verdict;
    bool symbols = false;
    if (node->comparison == QKV__NOT_EQUAL && s->has_tolerance)
        return qkv__table_undecided(s, "tables do not support '!=' with a tolerance");
    if (node->comparison == QKV__NOT_EQUAL) {
        verdict = decide_zero(s, difference, &symbols);
        if (verdict == QKV__UNDECIDED) return verdict;
        if (verdict == QKV__REFUTED && symbols)
            return qkv__table_undecided(s, "whether they differ depends on unknown quantities");
        write_output(s, x);
        qkv__table_say(s, verdict == QKV__PROVED ? "Both sides are equal." : "They differ.");
        return qkv__table_conclude(s, verdict == QKV__PROVED ? QKV__REFUTED : QKV__PROVED, "exact");
    }
    if (!equation) return qkv__table_ill_posed(s, node, "only numbers can be ordered");
    if (s->has_tolerance) {
        qkv__number norm = {.kind = QKV__NUMBER_NORM, .vector = difference};
        const qkv__number *tolerance = qkv__number_constant(s->model, s->tolerance);
        verdict =
            decide_sign(s, qkv__number_add(s->model, &norm, tolerance, true), QKV__LESS_OR_EQUAL);
    } else {
        verdict = decide_zero(s, difference, &symbols);
    }
    write_output(s, x);
    for (size_t i = 0; i < x->count && verdict == QKV__REFUTED; i++)
        if (x->piece[i].kind == QKV__PIECE_OUTPUT) say_leaders(s, x->piece[i].result);
    if (verdict == QKV__PROVED && s->moment.limit >= 0) qkv__table_say(s, "That is the limit.");
    return verdict;
}

/* Outputs with the values of the hull, and members of it, in shares that add up to 1. */
qkv__verdict qkv__table_compare_hull(qkv__table_situation *s, const qkv__combination *x,
                                     const qkv__table_family *hull)
{
    qkv__algebra *algebra = &s->model->algebra;
    qkv__ratio total = qkv__ratio_whole(algebra, 0), one = qkv__ratio_whole(algebra, 1);
    for (size_t i = 0; i < x->count; i++) {
        const qkv__piece *piece = &x->piece[i];
        const qkv__table_family *family =
            piece->kind == QKV__PIECE_OUTPUT ? piece->result->values : piece->family;
        bool same = hull->symbols != NULL  ? family->symbols == hull->symbols
                    : hull->origin != NULL ? family->origin == hull->origin
                                           : family->grid == hull->grid;
        qkv__rational share;
        if (!same || !qkv__ratio_is_constant(piece->factor, &share) || share.numerator < 0)
            return qkv__table_undecided(
                s, "in a hull, tables support only combinations of outputs and members");
        total = qkv__ratio_add(algebra, total, piece->factor);
    }
    if (!qkv__ratio_equal(algebra, total, one))
        return qkv__table_undecided(s, "the coefficients do not add up to 1");
    qkv__table_say(s, "Weights are positive and add up to 1.");
    return qkv__table_conclude(s, QKV__PROVED, "exact");
}
