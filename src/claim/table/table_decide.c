/*
 * Claims about tables to verdicts: conditions, comparisons, and what to say about them. Every
 * verdict rests on a sign that was proved, by exact scores or by enclosures. Knows nothing of
 * documents.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ball/enclosure.h"
#include "ball/numeric.h"
#include "claim/model/binding.h"
#include "claim/model/bound.h"
#include "claim/model/evaluate.h"
#include "claim/table/table_part.h"

enum { SAME = 16 };

/* What a claim is asked under. */
typedef struct situation {
    qkv__model *model;
    const qkv__binding *locals;
    qkv__moment moment;
    bool has_tolerance;
    qkv__ratio tolerance;
    const qkv__node *index; /* i in 1..100, i not in {7}: the claim is meant for all such i */
    const qkv__node *asked; /* the whole claim, or what is asked of a least number */
    const qkv__node *node;  /* the comparison at hand, for complaints */
    qkv__bounds *span;      /* one of many: instead of each value, the range of all is told */
    size_t same_count;      /* rows that are given to be equal, v[3] = v[4] */
    struct {
        const char *family;
        size_t kept, other;
    } same[SAME];
    bool strict;   /* of a least number: the inequality is */
    bool weakened; /* a premise was not taken: what fails without it may hold with it */
    qkv__finding *finding;
} situation;

/* ---- Saying -------------------------------------------------------------------------------- */

static void say(situation *s, const char *sentence)
{
    qkv__text *reason = &s->finding->reason;
    if (reason->data != NULL && strstr(reason->data, sentence) != NULL) return;
    qkv__text_format(reason, "%s%s", reason->length > 0 ? " " : "", sentence);
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
        snprintf(s->finding->complaint, sizeof s->finding->complaint, "%s", message);
    }
    return conclude(s, QKV__UNDECIDED, "");
}

static qkv__verdict failed(situation *s, const qkv__failure *failure, const qkv__node *culprit)
{
    if (failure->trouble == QKV__TROUBLE_TEXT)
        return ill_posed(s, culprit == NULL ? s->node : culprit, failure->message);
    return undecided(s, failure->message);
}

static void begin_found(situation *s)
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
static void write_number(situation *s, const qkv__number *number)
{
    qkv__failure ignored;
    qkv__interval interval;
    qkv__enclosure enclosure;
    qkv__ratio ratio;
    arb_t ball;
    if (s->span == NULL && qkv__number_as_ratio(number, &ratio)) {
        begin_found(s);
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
            begin_found(s);
            qkv__text_format(&s->finding->found, "%s", enclosure.text);
        }
        qkv__interval_clear(&interval);
    }
    arb_clear(ball);
}

/* Which keys have the weight: "Key 7 has the largest score.", "Keys 3 and 8 share ...". */
static void say_leaders(situation *s, const qkv__table_result *result)
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
    if (!text.failed) say(s, text.data);
    qkv__text_free(&text);
}

/* The weight of a key in the limit: 1/3 where the keys share alike, else decimals. */
static void write_weight(situation *s, qkv__softmax *softmax, size_t key)
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
static void write_output(situation *s, const qkv__combination *vector)
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
    begin_found(s);
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
static qkv__verdict judge_range(situation *s, const qkv__range_sign *sign, int parameter,
                                qkv__comparison comparison)
{
    bool positive = judge(1, comparison) == QKV__PROVED, zero = judge(0, comparison) == QKV__PROVED;
    bool negative = judge(-1, comparison) == QKV__PROVED;
    if ((positive || !sign->positive) && (negative || !sign->negative) && (zero || !sign->zero)) {
        say(s, sign->positive || sign->negative
                   ? "The difference keeps its sign over the whole range."
                   : "Both sides are equal over the whole range.");
        return conclude(s, QKV__PROVED, "ball");
    }
    const qkv__rational *where = NULL;
    if (!positive && sign->has_positive) where = &sign->where_positive;
    if (!negative && sign->has_negative) where = &sign->where_negative;
    if (where == NULL) return undecided(s, "the sign of the difference over the range is open");
    qkv__text text = {0};
    qkv__text_format(&text, "It fails at %s = ", s->model->algebra.parameter[parameter].name);
    qkv__rational_write(*where, &text);
    qkv__text_format(&text, ".");
    if (!text.failed) say(s, text.data);
    qkv__text_free(&text);
    return conclude(s, QKV__REFUTED, "ball");
}

/* The sign of a difference against a comparison with 0. */
static qkv__verdict decide_sign(situation *s, const qkv__number *difference,
                                qkv__comparison comparison)
{
    qkv__failure failure = {0};
    if (difference == NULL) return undecided(s, "numbers grow beyond 64 bits");
    int open = qkv__number_open_parameter(s->model, difference, &s->moment);
    if (open >= 0 && s->moment.limit < 0) {
        qkv__range_sign sign;
        if (!qkv__number_range_sign(s->model, difference, &s->moment, open, &sign, &failure))
            return failed(s, &failure, NULL);
        return judge_range(s, &sign, open, comparison);
    }
    int sign = qkv__number_sign(s->model, difference, &s->moment, &failure);
    if (sign == QKV__SIGN_OPEN) return failed(s, &failure, NULL);
    bool order = comparison != QKV__EQUAL && comparison != QKV__NEAR;
    if (s->moment.limit >= 0 && sign == 0 && order)
        return undecided(s, "the limits are equal, which leaves an inequality open");
    return conclude(s, judge(sign, comparison), s->moment.limit >= 0 ? "exact" : "ball");
}

static qkv__verdict both(qkv__verdict a, qkv__verdict b)
{
    if (a == QKV__REFUTED || b == QKV__REFUTED) return QKV__REFUTED;
    return a == QKV__UNDECIDED || b == QKV__UNDECIDED ? QKV__UNDECIDED : QKV__PROVED;
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

static void explain_number(situation *s, const qkv__number *x, qkv__verdict verdict)
{
    bool plain = qkv__number_as_ratio(x, &(qkv__ratio){NULL, NULL});
    if (!plain && qkv__number_open_parameter(s->model, x, &s->moment) >= 0) return;
    if (verdict == QKV__REFUTED) s->span = NULL;
    write_number(s, x);
    if (verdict == QKV__REFUTED && result_of(x) != NULL) say_leaders(s, result_of(x));
}

/* -t <= x - y <= t */
static qkv__verdict decide_within(situation *s, const qkv__number *difference)
{
    const qkv__number *tolerance = qkv__number_constant(s->model, s->tolerance);
    if (difference == NULL || tolerance == NULL) return undecided(s, "numbers beyond 64 bits");
    qkv__verdict above =
        decide_sign(s, qkv__number_add(s->model, difference, tolerance, true), QKV__LESS_OR_EQUAL);
    if (above == QKV__REFUTED) return above;
    return both(above, decide_sign(s, qkv__number_add(s->model, difference, tolerance, false),
                                   QKV__GREATER_OR_EQUAL));
}

static qkv__verdict decide_numbers(situation *s, const qkv__number *x, const qkv__number *y,
                                   qkv__comparison comparison)
{
    const qkv__number *difference = qkv__number_add(s->model, x, y, true);
    bool equation = comparison == QKV__EQUAL || comparison == QKV__NEAR;
    if (comparison == QKV__NOT_EQUAL && s->has_tolerance)
        return undecided(s, "of tables, '!=' is decided without a tolerance");
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
static size_t representative(const situation *s, const char *family, size_t row)
{
    for (size_t i = 0; i < s->same_count; i++) /* what is kept may be replaced by a later one */
        if (strcmp(s->same[i].family, family) == 0 && s->same[i].other == row)
            row = s->same[i].kept;
    return row;
}

/* Equal rows count together: the first of them takes the factors of the others. */
static bool merge_same(situation *s, qkv__coordinates *coordinates)
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
static qkv__verdict decide_zero(situation *s, const qkv__combination *difference, bool *symbols)
{
    qkv__coordinates coordinates;
    qkv__failure failure = {0};
    qkv__verdict verdict = QKV__PROVED;
    if (!qkv__combination_coordinates(s->model, difference, &s->moment, &coordinates, &failure))
        return failed(s, &failure, NULL);
    *symbols = coordinates.symbols != NULL;
    if (*symbols && !merge_same(s, &coordinates)) return undecided(s, "out of memory");
    for (size_t j = 0; j < coordinates.count && verdict != QKV__REFUTED; j++) {
        int sign = qkv__number_sign(s->model, coordinates.number[j], &s->moment, &failure);
        if (sign == QKV__SIGN_OPEN)
            verdict = QKV__UNDECIDED;
        else if (sign != 0)
            verdict = QKV__REFUTED;
    }
    if (verdict == QKV__UNDECIDED) return failed(s, &failure, NULL);
    return conclude(s, verdict, "exact");
}

static qkv__verdict decide_vectors(situation *s, const qkv__node *node, const qkv__combination *x,
                                   const qkv__combination *y)
{
    const qkv__combination *difference = qkv__combination_add(s->model, x, y, true);
    if (difference == NULL) return undecided(s, "numbers grow beyond 64 bits");
    bool equation = node->comparison == QKV__EQUAL || node->comparison == QKV__NEAR;
    qkv__verdict verdict;
    bool symbols = false;
    if (node->comparison == QKV__NOT_EQUAL && s->has_tolerance)
        return undecided(s, "of tables, '!=' is decided without a tolerance");
    if (node->comparison == QKV__NOT_EQUAL) {
        verdict = decide_zero(s, difference, &symbols);
        if (verdict == QKV__UNDECIDED) return verdict;
        if (verdict == QKV__REFUTED && symbols)
            return undecided(s, "whether they differ depends on what is not known");
        write_output(s, x);
        say(s, verdict == QKV__PROVED ? "Both sides are equal." : "They differ.");
        return conclude(s, verdict == QKV__PROVED ? QKV__REFUTED : QKV__PROVED, "exact");
    }
    if (!equation) return ill_posed(s, node, "only numbers can be ordered");
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
    if (verdict == QKV__PROVED && s->moment.limit >= 0) say(s, "That is the limit.");
    return verdict;
}

/* Outputs with the values of the hull, and members of it, in shares that add up to 1. */
static qkv__verdict decide_hull(situation *s, const qkv__combination *x,
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
            return undecided(s, "only shares of outputs and members are seen to be in a hull");
        total = qkv__ratio_add(algebra, total, piece->factor);
    }
    if (!qkv__ratio_equal(algebra, total, one))
        return undecided(s, "the shares do not add up to 1");
    say(s, "Weights are positive and add up to 1.");
    return conclude(s, QKV__PROVED, "exact");
}

/* ---- Propositions -------------------------------------------------------------------------- */

static bool evaluate(situation *s, const qkv__node *node, qkv__quantity *quantity)
{
    qkv__failure failure = {0};
    const qkv__node *culprit = node;
    qkv__evaluation e = {
        .model = s->model, .locals = s->locals, .failure = &failure, .culprit = &culprit};
    if (qkv__table_quantity(&e, node, quantity)) return true;
    failed(s, &failure, culprit);
    return false;
}

static qkv__verdict decide_interval(situation *s, const qkv__node *node)
{
    qkv__quantity x, end[2];
    const qkv__node *range = node->child[1];
    if (!evaluate(s, node->child[0], &x) || !evaluate(s, range->child[0], &end[0]) ||
        !evaluate(s, range->child[1], &end[1]))
        return QKV__UNDECIDED;
    if (x.kind != QKV__QUANTITY_NUMBER || end[0].kind != QKV__QUANTITY_NUMBER ||
        end[1].kind != QKV__QUANTITY_NUMBER)
        return ill_posed(s, node, "only numbers are in an interval");
    qkv__verdict low = decide_numbers(s, x.number, end[0].number, QKV__GREATER_OR_EQUAL);
    if (low == QKV__REFUTED) return low;
    return both(low, decide_numbers(s, x.number, end[1].number, QKV__LESS_OR_EQUAL));
}

static qkv__verdict decide_comparison(situation *s, const qkv__node *node)
{
    qkv__quantity x, y;
    s->node = node;
    if (node->comparison == QKV__IN && node->child[1]->kind == QKV__NODE_RANGE)
        return decide_interval(s, node);
    if (!evaluate(s, node->child[0], &x) || !evaluate(s, node->child[1], &y)) return QKV__UNDECIDED;
    if (node->comparison == QKV__IN && y.kind == QKV__QUANTITY_HULL && x.vector != NULL)
        return decide_hull(s, x.vector, y.family);
    if (node->comparison > QKV__NEAR)
        return undecided(s, "this comparison is beyond what tables are asked about");
    if (node->comparison == QKV__NEAR && s->moment.limit < 0 && !s->has_tolerance)
        return ill_posed(s, node, "'~' needs 'as beta -> inf' or 'within' a tolerance");
    if (x.kind == QKV__QUANTITY_NUMBER && y.kind == QKV__QUANTITY_NUMBER)
        return decide_numbers(s, x.number, y.number, node->comparison);
    if (x.vector != NULL && y.vector != NULL) return decide_vectors(s, node, x.vector, y.vector);
    char message[128];
    snprintf(message, sizeof message, "cannot compare %s with %s", qkv__quantity_name(x.kind),
             qkv__quantity_name(y.kind));
    return ill_posed(s, node, message);
}

static qkv__verdict decide_proposition(situation *s, const qkv__node *node);

/* Every index of a range, one by one. */
static qkv__verdict decide_indices(situation *s, const char *name, size_t first, size_t last,
                                   const qkv__node *excluded, const qkv__node *proposition)
{
    qkv__verdict verdict = QKV__PROVED;
    qkv__bounds span = {INFINITY, -INFINITY};
    enum { LONGEST = 100000 };
    if (last > first && last - first > LONGEST)
        return undecided(s, "more indices than are looked at one by one");
    bool many = s->span == NULL && last >= first + 3;
    for (size_t i = first; i <= last; i++) {
        bool out = false;
        size_t count = excluded == NULL ? 0 : excluded->kind == QKV__NODE_SET ? excluded->count : 1;
        for (size_t j = 0; j < count; j++) {
            const qkv__node *one = excluded->kind == QKV__NODE_SET ? excluded->child[j] : excluded;
            if (one->kind != QKV__NODE_NUMBER)
                return undecided(s, "the indices of a table are numbers");
            out = out || (one->value.denominator == 1 && one->value.numerator == (int64_t)i);
        }
        if (out) continue;
        qkv__quantity index = {.kind = QKV__QUANTITY_INDEX, .index = i};
        qkv__binding local = {
            .name = name, .value = {.kind = QKV__VALUE_TABLE, .table = &index}, .next = s->locals};
        situation inner = *s;
        inner.locals = &local;
        inner.index = NULL;
        if (many) inner.span = &span;
        verdict = both(verdict, decide_proposition(&inner, proposition));
        if (s->finding->culprit != NULL) return QKV__UNDECIDED;
        if (verdict != QKV__REFUTED) continue;
        qkv__text_format(&s->finding->reason, "%sIt fails for %s = %zu.",
                         s->finding->reason.length > 0 ? " " : "", name, i);
        return verdict;
    }
    if (first > last) { /* nothing is claimed */
        s->finding->empty = true;
        return undecided(s, "there is no such index: nothing is claimed");
    }
    if (span.lower <= span.upper) {
        begin_found(s);
        qkv__text_format(&s->finding->found, "from about %.6g to %.6g", span.lower, span.upper);
    }
    return verdict;
}

static bool is_domain(const qkv__node *node)
{
    return node->kind == QKV__NODE_COMPARE && node->child[0]->kind == QKV__NODE_NAME &&
           (node->comparison == QKV__IN || node->comparison == QKV__NOT_IN ||
            node->comparison == QKV__NOT_EQUAL);
}

static bool is_named(const qkv__node *node, const char *name)
{
    return node->kind == QKV__NODE_NAME && strcmp(node->text, name) == 0;
}

/* Whether a name stands in the place of an index, x[i]: else it is a number. */
static bool is_index_in(const qkv__node *node, const char *name)
{
    for (size_t i = 1; node->kind == QKV__NODE_INDEX && i < node->count; i++)
        if (is_named(node->child[i], name)) return true;
    for (size_t i = 0; i < node->count; i++)
        if (is_index_in(node->child[i], name)) return true;
    return false;
}

/* How many members what an index stands behind has: k[i], c.weight[i]; 0: not known. */
static size_t members_of(const qkv__model *model, const qkv__node *base)
{
    while (base->kind == QKV__NODE_MEMBER) base = base->child[0];
    const qkv__binding *b =
        base->kind == QKV__NODE_NAME ? qkv__model_find(model, NULL, base->text) : NULL;
    const qkv__quantity *q = b != NULL && b->value.kind == QKV__VALUE_TABLE ? b->value.table : NULL;
    qkv__rational size;
    if (q != NULL && q->kind == QKV__QUANTITY_RESULT) return q->head[0]->keys->count;
    if (q != NULL && q->kind == QKV__QUANTITY_FAMILY) return q->family->count;
    if (b != NULL && b->value.kind == QKV__VALUE_VECTORS &&
        qkv__ratio_is_constant(b->value.vectors->set->size, &size))
        return (size_t)size.numerator;
    return 0;
}

/* How many members an index has that runs over all but some: those of everything that it stands
 * behind; false where they are not known, or not the same. */
static bool count_of(const qkv__model *model, const qkv__node *node, const char *name,
                     size_t *count)
{
    if (node->kind == QKV__NODE_INDEX && is_named(node->child[1], name)) {
        size_t found = members_of(model, node->child[0]);
        if (found == 0 || (*count != 0 && *count != found)) return false;
        *count = found;
    }
    for (size_t i = 0; i < node->count; i++)
        if (!count_of(model, node->child[i], name, count)) return false;
    return true;
}

static qkv__verdict decide_for_index(situation *s, const qkv__node *condition,
                                     const qkv__node *proposition)
{
    const qkv__node *set = condition->child[1];
    const char *name = condition->child[0]->text;
    size_t first = 0, last = 0;
    bool range = condition->comparison == QKV__IN && set->kind == QKV__NODE_RANGE;
    if (range) {
        qkv__failure failure = {0};
        const qkv__node *culprit = set;
        qkv__evaluation e = {
            .model = s->model, .locals = s->locals, .failure = &failure, .culprit = &culprit};
        if (!qkv__table_index(&e, set->child[0], INT32_MAX, &first) ||
            !qkv__table_index(&e, set->child[1], INT32_MAX, &last))
            return failed(s, &failure, culprit);
        return decide_indices(s, name, first + 1, last + 1, NULL, proposition);
    }
    bool known = count_of(s->model, proposition, name, &last);
    if (condition->comparison == QKV__IN || !known || last == 0)
        return undecided(s, "for which indices this is meant could not be told");
    return decide_indices(s, name, 1, last, set, proposition);
}

static qkv__verdict decide_for_all(situation *s, const qkv__node *node)
{
    const qkv__node *bound = node->child[0], *body = node->child[node->count - 1];
    if (node->count == 2 && is_domain(bound) && is_index_in(body, bound->child[0]->text))
        return decide_for_index(s, bound, body);
    for (size_t i = 0; i + 1 < node->count; i++)
        if (node->child[i]->kind != QKV__NODE_NAME)
            return undecided(s, "this quantifier is beyond what tables are asked about");
    return decide_proposition(s, body); /* names are free, and free names are meant for all */
}

/* not x <= y is x > y, whatever the parameters are. */
static qkv__verdict decide_not(situation *s, const qkv__node *node)
{
    static const qkv__comparison opposite[] = {
        [QKV__EQUAL] = QKV__NOT_EQUAL,       [QKV__NOT_EQUAL] = QKV__EQUAL,
        [QKV__LESS] = QKV__GREATER_OR_EQUAL, [QKV__LESS_OR_EQUAL] = QKV__GREATER,
        [QKV__GREATER] = QKV__LESS_OR_EQUAL, [QKV__GREATER_OR_EQUAL] = QKV__LESS,
    };
    qkv__node negated = *node;
    if (node->kind != QKV__NODE_COMPARE || node->comparison > QKV__GREATER_OR_EQUAL ||
        s->has_tolerance || s->moment.limit >= 0)
        return undecided(s, "of tables, only plain comparisons are negated");
    negated.comparison = opposite[node->comparison];
    return decide_comparison(s, &negated);
}

static qkv__verdict decide_proposition(situation *s, const qkv__node *node)
{
    qkv__verdict first;
    switch (node->kind) {
    case QKV__NODE_COMPARE: return decide_comparison(s, node);
    case QKV__NODE_AND:
        first = decide_proposition(s, node->child[0]);
        return first == QKV__REFUTED ? first : both(first, decide_proposition(s, node->child[1]));
    case QKV__NODE_OR: /* both may fail, each elsewhere: that refutes nothing */
        first = decide_proposition(s, node->child[0]);
        if (first != QKV__PROVED) first = decide_proposition(s, node->child[1]);
        return first == QKV__PROVED ? first : undecided(s, "neither holds everywhere");
    case QKV__NODE_NOT: return decide_not(s, node->child[0]);
    case QKV__NODE_FOR_ALL: return decide_for_all(s, node);
    default: return undecided(s, "this kind of proposition is not asked about tables yet");
    }
}

/* ---- Conditions ---------------------------------------------------------------------------- */

static bool take_limit(situation *s, const qkv__node *node)
{
    int parameter = node->child[0]->kind == QKV__NODE_NAME
                        ? qkv__model_parameter(s->model, node->child[0]->text)
                        : -1;
    if (parameter < 0 || node->child[1]->kind != QKV__NODE_INFINITY || s->moment.limit >= 0) {
        undecided(s, "of tables, only one limit to infinity is supported");
        return false;
    }
    s->moment.limit = parameter;
    return true;
}

/* beta in 0..10: two bounds. */
static bool take_interval(situation *s, const qkv__node *node)
{
    static const qkv__comparison comparisons[] = {QKV__GREATER_OR_EQUAL, QKV__LESS_OR_EQUAL};
    for (int i = 0; i < 2; i++) {
        const qkv__node *children[] = {node->child[0], node->child[1]->child[i]};
        qkv__node bound = *node;
        qkv__failure failure = {0};
        bound.comparison = comparisons[i];
        bound.child = children;
        if (qkv__model_bound(s->model, &bound, &failure)) continue;
        failed(s, &failure, node);
        return false;
    }
    return true;
}

static bool take_range(situation *s, const qkv__node *node)
{
    qkv__failure failure = {0};
    bool index = is_domain(node) && is_index_in(s->asked, node->child[0]->text);
    if (is_domain(node) && !index && node->comparison == QKV__IN &&
        node->child[1]->kind == QKV__NODE_RANGE)
        return take_interval(s, node);
    if (is_domain(node) && !index) {
        undecided(s, "this condition is beyond what tables are asked about");
        return false;
    }
    if (node->kind == QKV__NODE_NAME) return true; /* for all v */
    if (node->kind == QKV__NODE_COMPARE && node->child[0]->kind == QKV__NODE_NAME &&
        (node->comparison == QKV__NOT_IN || node->comparison == QKV__IN ||
         node->comparison == QKV__NOT_EQUAL)) {
        if (s->index != NULL) {
            undecided(s, "of tables, one index at a time is supported");
            return false;
        }
        s->index = node;
        return true;
    }
    if (qkv__model_bound(s->model, node, &failure)) return true;
    failed(s, &failure, node);
    return false;
}

/* ---- What is given in the problem ---------------------------------------------------------- */

/* v[3] of a family, by a number. */
static const char *row_of(const qkv__node *node, size_t *row)
{
    bool plain =
        node->kind == QKV__NODE_INDEX && node->count == 2 &&
        node->child[0]->kind == QKV__NODE_NAME && node->child[1]->kind == QKV__NODE_NUMBER &&
        qkv__rational_is_whole(node->child[1]->value) && node->child[1]->value.numerator >= 1;
    if (plain) *row = (size_t)node->child[1]->value.numerator - 1;
    return plain ? node->child[0]->text : NULL;
}

/* v[3] = v[4]: the last row that is the same takes the place of the others. */
static bool take_same(situation *s, const qkv__node *node)
{
    size_t x = 0, y = 0;
    if (node->kind != QKV__NODE_COMPARE || node->comparison != QKV__EQUAL) return false;
    const char *left = row_of(node->child[0], &x), *right = row_of(node->child[1], &y);
    const qkv__binding *family = left == NULL ? NULL : qkv__model_find(s->model, NULL, left);
    if (right == NULL || family == NULL || family->value.kind != QKV__VALUE_VECTORS ||
        strcmp(left, right) != 0 || s->same_count == SAME)
        return false;
    for (size_t i = 0; i < s->same_count; i++) { /* both may have been replaced before */
        if (strcmp(s->same[i].family, left) != 0) continue;
        if (s->same[i].other == x) x = s->same[i].kept;
        if (s->same[i].other == y) y = s->same[i].kept;
    }
    if (x == y) return true;
    s->same[s->same_count].family = left;
    s->same[s->same_count].kept = y;
    s->same[s->same_count++].other = x;
    return true;
}

/* beta^2 >= 400 where beta is positive: beta >= 20. */
static bool take_square(situation *s, const qkv__node *node)
{
    const qkv__node *power = node->child[0];
    if (node->kind != QKV__NODE_COMPARE || node->comparison > QKV__GREATER_OR_EQUAL ||
        node->comparison == QKV__NOT_EQUAL || power->kind != QKV__NODE_POWER ||
        power->child[0]->kind != QKV__NODE_NAME || power->child[1]->kind != QKV__NODE_NUMBER ||
        power->child[1]->value.numerator != 2 || power->child[1]->value.denominator != 1 ||
        node->child[1]->kind != QKV__NODE_NUMBER)
        return false;
    int parameter = qkv__parameter_find(&s->model->algebra, power->child[0]->text);
    qkv__parameter *known = parameter < 0 ? NULL : &s->model->algebra.parameter[parameter];
    const qkv__rational square = node->child[1]->value;
    if (known == NULL || !known->lower.known || qkv__rational_sign(known->lower.value) < 0 ||
        qkv__rational_sign(square) < 0)
        return false;
    const qkv__rational root =
        qkv__rational_make((int64_t)llround(sqrt((double)square.numerator)),
                           (int64_t)llround(sqrt((double)square.denominator)));
    if (qkv__rational_compare(qkv__rational_multiply(root, root), square) != 0) return false;
    qkv__parameter_narrow(known, node->comparison, root);
    return true;
}

static void take_premises(situation *s)
{
    s->weakened = s->model->gappy;
    for (size_t i = 0; i < s->model->premise_count; i++) {
        const qkv__node *premise = s->model->premise[i];
        if (!take_same(s, premise) && !take_square(s, premise)) s->weakened = true;
    }
}

static bool take_tolerance(situation *s, const qkv__node *node)
{
    qkv__quantity tolerance;
    if (!evaluate(s, node, &tolerance)) return false;
    s->has_tolerance = tolerance.kind == QKV__QUANTITY_NUMBER &&
                       qkv__number_as_ratio(tolerance.number, &s->tolerance);
    if (!s->has_tolerance) undecided(s, "a tolerance that is no plain number");
    return s->has_tolerance;
}

static bool take_condition(situation *s, const qkv__condition *condition)
{
    bool good = true;
    for (size_t i = 0; good && i < condition->count; i++) {
        const qkv__node *node = condition->node[i];
        if (condition->kind == QKV__CONDITION_LIMIT)
            good = take_limit(s, node);
        else if (condition->kind == QKV__CONDITION_WITHIN)
            good = take_tolerance(s, node);
        else if (condition->kind != QKV__CONDITION_EXPECT)
            good = take_range(s, node);
    }
    return good;
}

/* The parameters that the conditions leave one value. */
static void fix_parameters(situation *s)
{
    const qkv__algebra *algebra = &s->model->algebra;
    for (int p = 0; p < QKV__PARAMETERS; p++) {
        const qkv__parameter *known = &algebra->parameter[p];
        s->moment.value[p] = QKV__RATIONAL_LOST;
        if (p < (int)algebra->parameter_count && p != s->moment.limit && known->lower.known &&
            known->upper.known && known->prime == 0 &&
            qkv__rational_compare(known->lower.value, known->upper.value) == 0)
            s->moment.value[p] = known->lower.value;
    }
}

/* Bounds that a claim brought end with it. */
static void restore(qkv__algebra *algebra, const qkv__parameter *kept, size_t known)
{
    for (size_t p = 0; p < algebra->parameter_count; p++) {
        if (p < known) {
            algebra->parameter[p] = kept[p];
        } else if (algebra->parameter[p].prime == 0) {
            algebra->parameter[p].lower.known = false;
            algebra->parameter[p].upper.known = false;
        }
    }
}

/* A question or claim from its conditions to its end. */
typedef struct session {
    situation s;
    qkv__parameter kept[QKV__PARAMETERS];
    size_t known;
} session;

/* False when the conditions are not understood, or exclude each other; the finding says so. */
static bool begin(session *one, qkv__model *model, const qkv__node *asked,
                  const qkv__circumstances *circumstances, qkv__finding *finding)
{
    memcpy(one->kept, model->algebra.parameter, sizeof one->kept);
    one->known = model->algebra.parameter_count;
    one->s = (situation){.model = model, .asked = asked, .finding = finding};
    one->s.moment.limit = -1;
    *finding = (qkv__finding){.engine = ""};
    bool good = true;
    for (size_t i = 0; i < circumstances->count && good; i++)
        for (const qkv__condition *c = circumstances->lists[i]; c != NULL && good; c = c->next)
            good = take_condition(&one->s, c);
    take_premises(&one->s);
    qkv__box box;
    bool reached =
        one->s.moment.limit < 0 || !model->algebra.parameter[one->s.moment.limit].upper.known;
    if (good && (!reached || !qkv__box_of_algebra(&model->algebra, &box))) {
        undecided(&one->s, "the conditions exclude each other: nothing is left to decide");
        good = false;
    }
    fix_parameters(&one->s);
    return good;
}

static void end(session *one)
{
    qkv__finding *finding = one->s.finding;
    if (finding->culprit != NULL) finding->verdict = QKV__UNDECIDED;
    if (finding->verdict == QKV__REFUTED && one->s.weakened) {
        qkv__finding_free(finding);
        finding->verdict = QKV__UNDECIDED;
        qkv__text_format(&finding->reason,
                         "it fails without a premise that is beyond what tables are asked about");
    }
    if (finding->verdict == QKV__UNDECIDED) finding->engine = "";
    restore(&one->s.model->algebra, one->kept, one->known);
}

void qkv__table_decide(qkv__model *model, const qkv__node *proposition,
                       const qkv__circumstances *circumstances, qkv__finding *finding)
{
    session one;
    if (begin(&one, model, proposition, circumstances, finding))
        finding->verdict = one.s.index != NULL ? decide_for_index(&one.s, one.s.index, proposition)
                                               : decide_proposition(&one.s, proposition);
    end(&one);
}

/* ---- Thresholds ---------------------------------------------------------------------------- */

/* What must not be negative for a comparison to hold; NULL for others than orders of numbers. */
static const qkv__number *margin(situation *s, const qkv__node *node)
{
    qkv__quantity x, y;
    bool less = node->comparison == QKV__LESS || node->comparison == QKV__LESS_OR_EQUAL;
    bool greater = node->comparison == QKV__GREATER || node->comparison == QKV__GREATER_OR_EQUAL;
    if (node->kind != QKV__NODE_COMPARE || (!less && !greater)) {
        undecided(s, "of tables, the least number is found for an inequality alone");
        return NULL;
    }
    s->node = node;
    s->strict = node->comparison == QKV__LESS || node->comparison == QKV__GREATER;
    if (!evaluate(s, node->child[0], &x) || !evaluate(s, node->child[1], &y)) return NULL;
    if (x.kind != QKV__QUANTITY_NUMBER || y.kind != QKV__QUANTITY_NUMBER) {
        ill_posed(s, node, "only numbers can be ordered");
        return NULL;
    }
    return qkv__number_add(s->model, less ? y.number : x.number, less ? x.number : y.number, true);
}

static qkv__verdict find_turn(situation *s, int parameter, const qkv__exponential_sum *sum,
                              const qkv__sum_shape *shape)
{
    const qkv__parameter *range = &s->model->algebra.parameter[parameter];
    qkv__rational below, above;
    qkv__enclosure enclosure;
    if (!qkv__exponential_sum_turn(sum, shape, &below, &above))
        return undecided(s, "the threshold was not found");
    if (range->lower.known && qkv__rational_compare(range->lower.value, above) >= 0) {
        say(s, "It holds over the whole range.");
        return conclude(s, QKV__PROVED, "ball");
    }
    qkv__enclosure_set_rationals(&enclosure, below, above);
    qkv__text_format(&s->finding->found, "%s = %s", range->name, enclosure.text);
    say(s, "It fails just below and holds from there on.");
    return conclude(s, QKV__PROVED, "ball");
}

/* What fails for all large values holds, if at all, at the least one that is allowed. */
static qkv__verdict find_at_the_end(situation *s, const qkv__number *number, int parameter)
{
    const qkv__parameter *range = &s->model->algebra.parameter[parameter];
    qkv__failure failure = {0};
    int sign = -1;
    if (range->lower.known && !range->lower.strict) {
        s->moment.value[parameter] = range->lower.value;
        sign = qkv__number_sign(s->model, number, &s->moment, &failure);
    }
    if (sign == 0 || sign == QKV__SIGN_OPEN)
        return undecided(s, "whether it holds at the least value that is allowed is open");
    if (sign < 0) {
        say(s, "It fails for all large values.");
        return conclude(s, QKV__REFUTED, "exact");
    }
    qkv__text_format(&s->finding->found, "%s = ", range->name);
    qkv__rational_write(range->lower.value, &s->finding->found);
    say(s, "It holds there, at the least value that is allowed, but not for all larger ones.");
    return conclude(s, QKV__PROVED, "ball");
}

static qkv__verdict find_least(situation *s, const qkv__number *number, int parameter)
{
    qkv__failure failure = {0};
    qkv__exponential_sum sum;
    qkv__sum_shape shape;
    bool good = qkv__number_as_sum(s->model, number, &s->moment, parameter, &sum, &failure);
    qkv__verdict verdict = QKV__UNDECIDED;
    if (!good)
        failed(s, &failure, NULL);
    else if (!qkv__exponential_sum_shape(&sum, &shape) || shape.changes > 1)
        undecided(s, "the difference may change its sign more than once");
    else if (shape.upward < 0) {
        verdict = find_at_the_end(s, number, parameter);
    } else if (shape.upward == 0 && s->strict) {
        say(s, "Both sides are equal everywhere.");
        verdict = conclude(s, QKV__REFUTED, "exact");
    } else if (shape.changes == 0) {
        say(s, "It holds everywhere.");
        verdict = conclude(s, QKV__PROVED, "exact");
    } else {
        verdict = find_turn(s, parameter, &sum, &shape);
    }
    qkv__exponential_sum_free(&sum);
    return verdict;
}

void qkv__table_find(qkv__model *model, const qkv__statement *statement,
                     const qkv__circumstances *circumstances, qkv__finding *finding)
{
    session one;
    situation *s = &one.s;
    bool good = begin(&one, model, statement->node[statement->count - 1], circumstances, finding);
    bool least = statement->least && statement->count == 2 &&
                 statement->node[0]->kind == QKV__NODE_NAME && s->index == NULL &&
                 s->moment.limit < 0;
    if (good && !least) undecided(s, "of tables, only 'find least' one number is answered");
    const qkv__number *number = good && least ? margin(s, statement->node[1]) : NULL;
    if (number != NULL && s->weakened) {
        undecided(s, "a premise is beyond what tables are asked about");
    } else if (number != NULL) {
        int parameter = qkv__model_parameter(model, statement->node[0]->text);
        bool upward = parameter >= 0 && !model->algebra.parameter[parameter].upper.known &&
                      !model->algebra.parameter[parameter].whole;
        finding->verdict = upward ? find_least(s, number, parameter)
                                  : undecided(s, "a parameter with an upper bound, or whole");
    }
    end(&one);
}
