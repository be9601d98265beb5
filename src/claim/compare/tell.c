/* What is true, in words of the language: the value of a side, its limit, and why the limit is what
 * it is: the scores that led to it, and how much of the weight is left to the other keys. */
#include "claim/compare/tell.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ball/enclosure.h"
#include "claim/compare/limit_compare.h"
#include "claim/premise/gap.h"
#include "claim/threshold/threshold_number.h"
#include "exact/limit.h"

enum { KEYS_SHOWN = 6, DIGITS = 6 };

/* ---- Values -------------------------------------------------------------------------- */

/* " = 0.119203" behind a formula without parameters that is not a plain number. */
static void tell_number(qkv__situation *s, qkv__ratio ratio, qkv__text *text)
{
    const qkv__algebra *algebra = &s->model->algebra;
    qkv__rational number;
    qkv__box box;
    qkv__enclosure enclosure;
    if (qkv__ratio_is_lost(ratio) || qkv__ratio_is_constant(ratio, &number)) return;
    for (int p = 0; p < (int)algebra->parameter_count; p++)
        if (qkv__ratio_depends_on(ratio, p) && algebra->parameter[p].prime == 0) return;
    if (!qkv__box_of_algebra(algebra, &box) || !qkv__ball_enclose(algebra, ratio, &box, &enclosure))
        return;
    /* Doubles end somewhere, and what is nearly 0 or 1 is neither. */
    char shown[32];
    double middle = 0.5 * (enclosure.lower + enclosure.upper);
    snprintf(shown, sizeof shown, "%.*g", DIGITS, middle);
    if (isfinite(middle) && middle != 0.0 && strcmp(shown, "1") != 0)
        qkv__text_format(text, " = %s", shown);
}

/* A ratio in letters of the document: a premise d >= n made d of n and a slack, which is d - n. */
static qkv__ratio without_slacks(qkv__situation *s, qkv__ratio ratio)
{
    qkv__algebra *algebra = &s->model->algebra;
    const qkv__form *zero = qkv__form_whole(algebra, 0), *one = qkv__form_whole(algebra, 1);
    for (size_t i = s->substitution_count; i-- > 0;) {
        const qkv__substitution *put = &s->substitution[i];
        for (int p = 0; p < (int)algebra->parameter_count; p++) {
            qkv__rational slope;
            if (!qkv__parameter_set_has(s->slacks, p) || !qkv__form_depends_on(put->form, p) ||
                !qkv__ratio_depends_on(ratio, p))
                continue;
            const qkv__form *rest = qkv__form_substitute(algebra, put->form, p, zero);
            const qkv__form *step =
                qkv__form_subtract(algebra, qkv__form_substitute(algebra, put->form, p, one), rest);
            if (!qkv__form_is_constant(step, &slope) || qkv__rational_is_zero(slope)) continue;
            const qkv__form *back = qkv__form_scale(
                algebra,
                qkv__form_subtract(algebra, qkv__form_parameter(algebra, put->parameter), rest),
                qkv__rational_divide(qkv__rational_whole(1), slope));
            qkv__ratio told = qkv__ratio_substitute(algebra, ratio, p, back);
            if (!qkv__ratio_is_lost(told)) ratio = told;
        }
    }
    return ratio;
}

/* [x, y, z] for a vector of coordinates. */
static void tell_coordinates(qkv__situation *s, const qkv__vector *vector, qkv__text *text)
{
    qkv__space *space = &s->model->space;
    const qkv__family *axis = vector->component[0].symbol.family;
    for (int i = 0; i < (int)axis->set->mark_count; i++) {
        qkv__text_format(text, i == 0 ? "[" : ", ");
        qkv__ratio_write(&s->model->algebra,
                         qkv__vector_factor(space, vector, (qkv__symbol){axis, i}), text);
    }
    qkv__text_format(text, "]");
}

static void tell_vector(qkv__situation *s, const qkv__vector *vector, qkv__text *text)
{
    if (vector != NULL && vector->count > 0 && qkv__has_coordinates(vector))
        tell_coordinates(s, vector, text);
    else
        qkv__vector_write(&s->model->space, vector, text);
}

void qkv__tell_value(qkv__situation *s, const qkv__value *value, qkv__text *text)
{
    qkv__ratio ratio;
    const qkv__vector *vector;
    if (qkv__value_as_ratio(value, &ratio)) {
        qkv__ratio_write(&s->model->algebra, without_slacks(s, ratio), text);
        tell_number(s, qkv__situation_apply(s, ratio), text);
    } else if (qkv__value_as_vector(value, &vector)) {
        tell_vector(s, vector, text);
    }
}

/* ---- Limits -------------------------------------------------------------------------- */

/* Whether the length of a vector changes along with the limit, so that its factor does not tell
 * what becomes of it. */
static bool grows(qkv__situation *s, qkv__symbol symbol)
{
    qkv__ratio length;
    if (symbol.family == NULL || symbol.member == QKV__REST ||
        !qkv__symbol_product(&s->model->space, symbol, symbol, &length))
        return false;
    length = qkv__situation_apply(s, length);
    for (size_t l = 0; l < s->limit_count; l++)
        if (qkv__ratio_depends_on(length, s->limit[l].parameter)) return true;
    return false;
}

/* "c -> 1/2*v[a] + 1/2*v[b]", or what of it is finite. */
void qkv__tell_limit(qkv__situation *s, const qkv__value *value, qkv__text *text)
{
    qkv__space *space = &s->model->space;
    const qkv__vector *vector;
    qkv__ratio ratio;
    if (qkv__value_as_ratio(value, &ratio)) {
        qkv__limit limit = qkv__limit_of(s, qkv__situation_apply(s, ratio));
        if (limit.kind == QKV__LIMIT_FINITE)
            qkv__ratio_write(space->algebra, without_slacks(s, limit.value), text);
        if (limit.kind == QKV__LIMIT_PLUS_INFINITY) qkv__text_format(text, "inf");
        if (limit.kind == QKV__LIMIT_MINUS_INFINITY) qkv__text_format(text, "-inf");
        return;
    }
    if (value->kind == QKV__VALUE_NUMBERS) { /* weights in a row: [1, 0, 0] */
        for (size_t i = 0; i < value->numbers->set->mark_count; i++) {
            qkv__value entry = qkv__value_scalar(space, value->numbers->mark[i]);
            qkv__text_format(text, i == 0 ? "[" : ", ");
            qkv__tell_limit(s, &entry, text);
        }
        qkv__text_format(text, "]");
    }
    if (!qkv__value_as_vector(value, &vector)) return;
    const qkv__vector *sum = qkv__vector_zero(space);
    for (size_t i = 0; i < vector->count; i++) {
        qkv__limit limit = qkv__limit_of(s, qkv__situation_apply(s, vector->component[i].factor));
        const qkv__symbol symbol = vector->component[i].symbol;
        if (limit.kind != QKV__LIMIT_FINITE || grows(s, symbol)) return;
        sum = qkv__vector_add(
            space, sum,
            qkv__vector_scale(space, qkv__vector_symbol(space, symbol.family, symbol.member),
                              limit.value));
    }
    tell_vector(s, sum, text);
}

static qkv__ratio limit_of_weight(qkv__situation *s, qkv__ratio weight)
{
    qkv__limit limit = qkv__limit_of(s, qkv__situation_apply(s, weight));
    return limit.kind == QKV__LIMIT_FINITE ? limit.value : (qkv__ratio){NULL, NULL};
}

void qkv__tell_limit_of(qkv__situation *s, const qkv__value *value)
{
    qkv__text text = {0};
    qkv__tell_limit(s, value, &text);
    if (text.length > 0) qkv__text_format(&s->finding->found, "-> %s", text.data);
    qkv__text_free(&text);
}

/* Whose score a class's is: a key by its name, or the others. */
static void write_owner(const qkv__result *result, size_t class, qkv__text *text)
{
    bool others = class >= result->keys->mark_count;
    bool alone = result->row[0]->count == 1;
    qkv__text_format(text, "%s",
                     !others ? result->keys->mark[class]
                     : alone ? "all keys"
                             : "the others");
}

/* "beta for a and b, 0 for the others": equal scores are told once. */
static void write_scores(qkv__situation *s, const qkv__result *result, qkv__text *text)
{
    qkv__algebra *algebra = &s->model->algebra;
    const qkv__attention *row = result->row[0];
    bool told[KEYS_SHOWN] = {false}, first = true;
    for (size_t i = 0; i < row->count; i++) {
        if (told[i]) continue;
        size_t last = i;
        for (size_t j = i; j < row->count; j++)
            if (qkv__ratio_equal(algebra, row->score[i], row->score[j])) {
                told[j] = true;
                last = j;
            }
        qkv__text_format(text, "%s", first ? "" : ", ");
        qkv__ratio_write(algebra, qkv__situation_apply(s, row->score[i]), text);
        qkv__text_format(text, " for ");
        for (size_t j = i; j <= last; j++) {
            if (!qkv__ratio_equal(algebra, row->score[i], row->score[j])) continue;
            qkv__text_format(text, "%s", j == i ? "" : j == last ? " and " : ", ");
            write_owner(result, j, text);
        }
        first = false;
    }
}

/* The weight of all keys whose own weight tends to 0; lost when that cannot be told. */
static qkv__ratio leak_of(qkv__situation *s, const qkv__result *result)
{
    qkv__algebra *algebra = &s->model->algebra;
    const qkv__attention *row = result->row[0];
    qkv__ratio leak = qkv__ratio_whole(algebra, 0);
    for (size_t i = 0; i < row->count; i++) {
        qkv__ratio limit = limit_of_weight(s, row->weight[i]);
        if (qkv__ratio_is_lost(limit)) return limit;
        if (!qkv__ratio_is_zero(limit)) continue;
        qkv__ratio part = row->weight[i];
        if (i >= result->keys->mark_count)
            part = qkv__ratio_multiply(algebra, part, qkv__rest_size(algebra, result->keys));
        leak = qkv__ratio_add(algebra, leak, part);
    }
    return qkv__situation_apply(s, leak);
}

/* ", at most 1 % once beta >= ln(99*(n - 2)/2)": where it is known. */
static void tell_from_when_on(qkv__situation *s, qkv__ratio leak, qkv__text *text)
{
    qkv__text sentence = {0};
    if (s->limit_count == 1 && s->substitution_count == 0 &&
        qkv__find_least_sentence(s->model, leak, s->limit[0].parameter, qkv__rational_make(1, 100),
                                 &sentence) &&
        !sentence.failed)
        qkv__text_format(text, ", %s", sentence.data);
    qkv__text_free(&sentence);
}

static bool is_short(const qkv__result *result)
{
    const qkv__attention *row = result->row[0];
    return result->queries == NULL && !row->whole && !result->adjusted && row->score != NULL &&
           row->count <= KEYS_SHOWN && row->count <= result->keys->mark_count + 1;
}

/* The weight that the other keys keep, and from which parameter on it is small. */
static void tell_leak(qkv__situation *s, const qkv__result *result, qkv__text *text)
{
    qkv__ratio leak = leak_of(s, result);
    if (qkv__ratio_is_lost(leak) || qkv__ratio_is_zero(leak)) return;
    qkv__text_format(text, " The other keys keep ");
    qkv__ratio_write(&s->model->algebra, leak, text);
    qkv__text_format(text, " of the weight");
    tell_from_when_on(s, leak, text);
    qkv__text_format(text, ".");
}

void qkv__explain_limit(qkv__situation *s, const qkv__value *x, bool proved)
{
    qkv__text text = {0};
    const qkv__result *result = x->result;
    if (x->kind != QKV__VALUE_RESULT || s->model->trying) return;
    if (result->head_count == 0 && is_short(result)) {
        qkv__text_format(&text, "The scores are ");
        write_scores(s, result, &text);
        qkv__text_format(&text, ".");
        if (proved) tell_leak(s, result, &text);
    }
    for (size_t i = 0; i < result->head_count; i++) {
        if (!is_short(result->head[i])) continue;
        qkv__text_format(&text, "%sHead %zu has the scores ", text.length == 0 ? "" : " ", i + 1);
        write_scores(s, result->head[i], &text);
        qkv__text_format(&text, ".");
    }
    if (text.length > 0 && !text.failed) qkv__situation_say(s, text.data);
    qkv__text_free(&text);
}
