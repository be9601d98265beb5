/* Limits and numbers of a derivation: which term wins, what the weights tend to, what is left
 * outside and from when on that is little; enclosures at fixed parameters. Knows the exact engine
 * and the ball; nothing of verdicts. */
#include <stdio.h>
#include <string.h>

#include "ball/enclosure.h"
#include "ball/least.h"
#include "claim/compare/limit_compare.h"
#include "claim/explain/explain.h"
#include "claim/premise/gap.h"

enum { ONE_ROW = 60 }; /* characters of a vector that is written in one row */

const char *qkv__shown(const qkv__text *text)
{
    return text->data == NULL ? "" : text->data;
}

void qkv__shown_free(qkv__lesson *lesson, qkv__text *text)
{
    if (text->failed) lesson->sheet->arena->failed = true;
    qkv__text_free(text);
}

/* ---- Ratios and vectors on the sheet ------------------------------------------------- */

void qkv__sheet_ratio(qkv__lesson *lesson, const char *left, const char *relation, qkv__ratio ratio,
                      const char *note)
{
    qkv__text right = {0};
    qkv__ratio_write(&lesson->model->algebra, ratio, &right);
    qkv__sheet_row(lesson->sheet, left, relation, qkv__shown(&right), note);
    qkv__shown_free(lesson, &right);
}

/* One component without its sign; whether it has one. */
static bool write_component(qkv__lesson *lesson, const qkv__component *component, qkv__text *text)
{
    qkv__space *space = &lesson->model->space;
    qkv__text part = {0};
    qkv__symbol symbol = component->symbol;
    qkv__vector_write(space,
                      qkv__vector_scale(space,
                                        qkv__vector_symbol(space, symbol.family, symbol.member),
                                        component->factor),
                      &part);
    bool minus = qkv__shown(&part)[0] == '-';
    qkv__text_format(text, "%s", qkv__shown(&part) + (minus ? 1 : 0));
    qkv__shown_free(lesson, &part);
    return minus;
}

/* All of a vector in one row; false, and nothing written, when that is too long. */
static bool write_short(qkv__lesson *lesson, const char *left, const char *relation,
                        const qkv__vector *vector)
{
    qkv__text whole = {0};
    if (vector == NULL || vector->count == 0)
        qkv__text_format(&whole, "%s", vector == NULL ? "?" : "0");
    for (size_t i = 0; vector != NULL && i < vector->count && whole.length <= ONE_ROW; i++) {
        qkv__text part = {0};
        bool minus = write_component(lesson, &vector->component[i], &part);
        const char *joint = i == 0 ? (minus ? "-" : "") : (minus ? " - " : " + ");
        qkv__text_format(&whole, "%s%s", joint, qkv__shown(&part));
        qkv__shown_free(lesson, &part);
    }
    bool fits = whole.length <= ONE_ROW || vector == NULL || vector->count <= 1;
    if (fits) qkv__sheet_row(lesson->sheet, left, relation, qkv__shown(&whole), "");
    qkv__shown_free(lesson, &whole);
    return fits;
}

/* One entry of the list [x, y, z], with the bracket or comma that belongs to it. */
static void write_coordinate(qkv__lesson *lesson, const qkv__vector *vector, int entry,
                             qkv__text *text)
{
    qkv__space *space = &lesson->model->space;
    qkv__symbol symbol = vector->component[vector->count - 1].symbol; /* the last one */
    bool last = entry == symbol.member;
    symbol.member = entry;
    qkv__text_format(text, "%s", entry == 0 ? "[" : " ");
    qkv__ratio_write(space->algebra, qkv__vector_factor(space, vector, symbol), text);
    qkv__text_format(text, "%s", last ? "]" : ",");
}

/* A vector of coordinates, in one row or one row an entry. */
static void write_coordinates(qkv__lesson *lesson, const char *left, const char *relation,
                              const qkv__vector *vector)
{
    int count = vector->component[vector->count - 1].symbol.member + 1;
    qkv__text whole = {0};
    for (int i = 0; i < count; i++) write_coordinate(lesson, vector, i, &whole);
    bool fits = whole.length <= ONE_ROW;
    if (fits) qkv__sheet_row(lesson->sheet, left, relation, qkv__shown(&whole), "");
    for (int i = 0; i < count && !fits; i++) {
        qkv__text entry = {0};
        write_coordinate(lesson, vector, i, &entry);
        qkv__sheet_row(lesson->sheet, i == 0 ? left : "", i == 0 ? relation : "",
                       qkv__shown(&entry), "");
        qkv__shown_free(lesson, &entry);
    }
    qkv__shown_free(lesson, &whole);
}

void qkv__sheet_vector(qkv__lesson *lesson, const char *left, const char *relation,
                       const qkv__vector *vector)
{
    if (vector != NULL && vector->count > 0 && qkv__has_coordinates(vector)) {
        write_coordinates(lesson, left, relation, vector);
        return;
    }
    if (write_short(lesson, left, relation, vector)) return;
    for (size_t i = 0; i < vector->count; i++) {
        qkv__text part = {0}, first = {0};
        bool minus = write_component(lesson, &vector->component[i], &part);
        const char *joint = minus ? "-" : "+";
        qkv__text_format(&first, "%s%s", minus ? "-" : "", qkv__shown(&part));
        if (i == 0)
            qkv__sheet_row(lesson->sheet, left, relation, qkv__shown(&first), "");
        else
            qkv__sheet_row(lesson->sheet, "", joint, qkv__shown(&part), "");
        qkv__shown_free(lesson, &part);
        qkv__shown_free(lesson, &first);
    }
}

/* ---- Conditions ---------------------------------------------------------------------- */

static qkv__limit limit_of(qkv__lesson *lesson, qkv__ratio ratio)
{
    return qkv__limit_of(lesson->situation, qkv__situation_apply(lesson->situation, ratio));
}

void qkv__write_limit(qkv__lesson *lesson, qkv__ratio ratio, qkv__text *text)
{
    qkv__limit limit = limit_of(lesson, ratio);
    switch (limit.kind) {
    case QKV__LIMIT_FINITE: qkv__ratio_write(&lesson->model->algebra, limit.value, text); break;
    case QKV__LIMIT_PLUS_INFINITY: qkv__text_format(text, "inf"); break;
    case QKV__LIMIT_MINUS_INFINITY: qkv__text_format(text, "-inf"); break;
    case QKV__LIMIT_UNKNOWN:
        qkv__text_format(text, "? (which term wins depends on unknown quantities)");
        break;
    }
}

const qkv__vector *qkv__lesson_limit_vector(qkv__lesson *lesson, const qkv__vector *vector)
{
    qkv__space *space = &lesson->model->space;
    const qkv__vector *sum = qkv__vector_zero(space);
    for (size_t i = 0; vector != NULL && i < vector->count; i++) {
        qkv__symbol symbol = vector->component[i].symbol;
        qkv__limit limit = limit_of(lesson, vector->component[i].factor);
        if (limit.kind != QKV__LIMIT_FINITE) return NULL;
        sum = qkv__vector_add(
            space, sum,
            qkv__vector_scale(space, qkv__vector_symbol(space, symbol.family, symbol.member),
                              limit.value));
    }
    return vector == NULL ? NULL : sum;
}

void qkv__write_limits(const qkv__lesson *lesson, qkv__text *text)
{
    const qkv__situation *s = lesson->situation;
    for (size_t i = 0; i < s->limit_count; i++) {
        qkv__rational point = s->limit[i].point;
        qkv__text_format(text, "%s%s -> ", i == 0 ? "" : ", then ",
                         s->model->algebra.parameter[s->limit[i].parameter].name);
        if (s->limit[i].infinite)
            qkv__text_format(text, "inf");
        else
            qkv__text_format(text, point.denominator == 1 ? "%lld" : "%lld/%lld",
                             (long long)point.numerator, (long long)point.denominator);
    }
}

/* The parameter that grows first; -1 where there is none. */
static int growing(const qkv__lesson *lesson)
{
    const qkv__situation *s = lesson->situation;
    return s->limit_count > 0 && s->limit[0].infinite ? s->limit[0].parameter : -1;
}

/* ---- Leading terms and leaks --------------------------------------------------------- */

/* The part of the sum of exponentials that grows fastest, as a form; NULL where that is not told.
 */
static const qkv__form *leading_part(qkv__algebra *algebra, const qkv__form *form, int parameter)
{
    qkv__leading leading;
    if (!qkv__form_leading(algebra, form, parameter, &leading) || leading.power < 0 ||
        leading.power % 2 != 0)
        return NULL;
    const qkv__form *power =
        qkv__form_power(algebra, qkv__form_parameter(algebra, parameter), leading.power / 2);
    return qkv__form_multiply(
        algebra, leading.coefficient,
        qkv__form_multiply(algebra, power, qkv__form_exponential(algebra, leading.growth)));
}

static void tell_leading(qkv__lesson *lesson, const qkv__shares *shares)
{
    qkv__algebra *algebra = &lesson->model->algebra;
    int parameter = growing(lesson);
    qkv__ratio total = qkv__situation_apply(lesson->situation, shares->total);
    if (parameter < 0 || qkv__ratio_is_lost(total) || total.denominator->count != 1) return;
    const qkv__form *part = leading_part(algebra, total.numerator, parameter);
    if (part == NULL) return;
    qkv__ratio leading = qkv__ratio_divide(algebra, qkv__ratio_of_form(algebra, part),
                                           qkv__ratio_of_form(algebra, total.denominator));
    bool all = qkv__ratio_equal(algebra, leading, total);
    qkv__sheet_ratio(lesson, "sum of e^score", "~", leading,
                     all ? "" : "the terms that grow fastest");
}

/* What all the keys together have that are left with nothing in the limit. False where no key is
 * left with nothing, or where that is not known. */
static bool leak_of(qkv__lesson *lesson, const qkv__shares *shares, qkv__ratio *leak)
{
    qkv__algebra *algebra = &lesson->model->algebra;
    bool some = false, others = false;
    *leak = qkv__ratio_whole(algebra, 0);
    for (size_t i = 0; i < shares->attention->count; i++) {
        qkv__ratio weight = shares->attention->weight[i];
        qkv__limit limit = limit_of(lesson, weight);
        if (limit.kind != QKV__LIMIT_FINITE) return false;
        bool vanishes = qkv__ratio_is_zero(limit.value);
        others = others || !vanishes;
        if (!vanishes || qkv__ratio_is_zero(weight)) continue;
        some = true;
        *leak = qkv__ratio_add(
            algebra, *leak,
            qkv__ratio_multiply(
                algebra, qkv__class_size(lesson, shares->keys, shares->attention, i), weight));
    }
    *leak = qkv__situation_apply(lesson->situation, *leak);
    return some && others && !qkv__ratio_is_lost(*leak);
}

/* 99*(n - 2)/2, or 198 where it is a number. */
static void write_threshold(qkv__algebra *algebra, const qkv__form *above, const qkv__form *below,
                            qkv__text *text)
{
    qkv__rational numerator, denominator;
    bool number = qkv__form_is_constant(above, &numerator);
    bool divisor = qkv__form_is_constant(below, &denominator);
    if (number && divisor) {
        numerator = qkv__rational_multiply(qkv__rational_whole(99), numerator);
        numerator = qkv__rational_divide(numerator, denominator);
        qkv__form_write(algebra, qkv__form_constant(algebra, numerator), text);
        return;
    }
    qkv__text_format(text, "99*%s", above->count > 1 ? "(" : "");
    qkv__form_write(algebra, above, text);
    qkv__text_format(text, "%s", above->count > 1 ? ")" : "");
    if (divisor && denominator.numerator == denominator.denominator) return;
    qkv__text under = {0};
    qkv__form_write(algebra, below, &under);
    bool plain = strpbrk(qkv__shown(&under), "*/ ") == NULL;
    qkv__text_format(text, plain ? "/%s" : "/(%s)", qkv__shown(&under));
    text->failed = text->failed || under.failed;
    qkv__text_free(&under);
}

/* Where the leak is A/(A + B e^g), A and B without the parameter: it is at most 1 % exactly when
 * e^g >= 99 A/B. */
static void tell_condition(qkv__lesson *lesson, qkv__ratio leak)
{
    qkv__algebra *algebra = &lesson->model->algebra;
    int parameter = growing(lesson);
    qkv__leading leading;
    const qkv__form *rest = qkv__form_subtract(algebra, leak.denominator, leak.numerator);
    if (rest == NULL || qkv__form_depends_on(leak.numerator, parameter) ||
        !qkv__form_leading(algebra, rest, parameter, &leading) || leading.power != 0 ||
        qkv__form_is_zero(leading.growth) ||
        qkv__form_sign(algebra, leading.coefficient) != QKV__SIGN_POSITIVE)
        return;
    const qkv__form *growth = qkv__form_exponential(algebra, leading.growth);
    if (!qkv__form_equal(rest, qkv__form_multiply(algebra, leading.coefficient, growth))) return;
    qkv__text left = {0}, right = {0};
    qkv__form_write(algebra, growth, &left);
    write_threshold(algebra, leak.numerator, leading.coefficient, &right);
    qkv__sheet_line(lesson->sheet, "That is at most 1 %% exactly when %s >= %s.", qkv__shown(&left),
                    qkv__shown(&right));
    qkv__shown_free(lesson, &left);
    qkv__shown_free(lesson, &right);
}

/* The least value of the limit's parameter from which on f >= 0, by the ball; rounded up. */
static bool least_value(qkv__lesson *lesson, qkv__ratio f, const qkv__box *box, char *text,
                        size_t size)
{
    qkv__least_result result;
    if (qkv__ball_least(&lesson->model->algebra, f, growing(lesson), box, 0, &result) !=
            QKV__LEAST_FOUND ||
        !result.enclosure.known)
        return false;
    snprintf(text, size, "%.4f", result.enclosure.upper + 0.00005);
    return true;
}

/* The one parameter, apart from the limit's, that a ratio depends on: -1 for none, -2 for more. */
static int other_parameter(const qkv__lesson *lesson, qkv__ratio ratio)
{
    int found = -1;
    for (int p = 0; p < (int)lesson->model->algebra.parameter_count; p++)
        if (p != growing(lesson) && lesson->model->algebra.parameter[p].prime == 0 &&
            qkv__ratio_depends_on(ratio, p))
            found = found == -1 ? p : -2;
    return found;
}

/* From when on the leak is at most 1 %: once, or at some values of the number of keys. */
static void tell_least(qkv__lesson *lesson, qkv__ratio leak)
{
    qkv__algebra *algebra = &lesson->model->algebra;
    int parameter = growing(lesson);
    qkv__ratio f = qkv__ratio_subtract(
        algebra, qkv__ratio_constant(algebra, qkv__rational_make(1, 100)), leak);
    int other = other_parameter(lesson, leak);
    qkv__box box, fixed;
    char text[64];
    if (parameter < 0 || lesson->situation->limit_count != 1 || !qkv__box_of_algebra(algebra, &box))
        return;
    /* The search needs a first value; where the leak is more than 1 % at 0, none was passed. */
    if (!box.range[parameter].lower.known)
        box.range[parameter].lower = (qkv__bound){.known = true, .value = {0, 1}};
    const char *name = algebra->parameter[parameter].name;
    if (other == -1 && least_value(lesson, f, &box, text, sizeof text))
        qkv__sheet_line(lesson->sheet, "That is at most 1 %% once %s >= %s.", name, text);
    if (other < 0 || !algebra->parameter[other].whole) return;
    static const int64_t sizes[] = {3, 10, 100, 1000};
    qkv__text line = {0};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        fixed = box;
        if (!qkv__box_fix(algebra, &fixed, other, qkv__rational_whole(sizes[i])) ||
            !least_value(lesson, f, &fixed, text, sizeof text))
            continue;
        qkv__text_format(&line, "%s%s at %s = %lld", line.length > 0 ? ", " : "", text,
                         algebra->parameter[other].name, (long long)sizes[i]);
    }
    if (line.length > 0)
        qkv__sheet_line(lesson->sheet, "The least %s for 1 %%: %s.", name, qkv__shown(&line));
    qkv__shown_free(lesson, &line);
}

void qkv__derive_limit(qkv__lesson *lesson, const qkv__shares *shares)
{
    qkv__ratio leak;
    qkv__text title = {0};
    if (lesson->situation->limit_count == 0) return;
    qkv__write_limits(lesson, &title);
    qkv__sheet_step(lesson->sheet, "%s as %s", shares->output, qkv__shown(&title));
    qkv__shown_free(lesson, &title);
    tell_leading(lesson, shares);
    for (size_t i = 0; i < shares->attention->count; i++) {
        qkv__text left = {0}, right = {0}, note = {0};
        qkv__write_weight(shares, i, &left);
        qkv__write_limit(lesson, shares->attention->weight[i], &right);
        qkv__write_others(lesson, shares->keys, shares->attention, i, &note);
        qkv__sheet_row(lesson->sheet, qkv__shown(&left), "->", qkv__shown(&right),
                       qkv__shown(&note));
        qkv__shown_free(lesson, &left);
        qkv__shown_free(lesson, &right);
        qkv__shown_free(lesson, &note);
    }
    const qkv__vector *output = qkv__lesson_limit_vector(lesson, shares->attention->output);
    if (output != NULL) qkv__sheet_vector(lesson, shares->output, "->", output);
    if (growing(lesson) < 0 || !leak_of(lesson, shares, &leak)) return;
    qkv__text text = {0};
    qkv__ratio_write(&lesson->model->algebra, leak, &text);
    qkv__sheet_line(lesson->sheet, "The others together keep %s.", qkv__shown(&text));
    qkv__shown_free(lesson, &text);
    if (lesson->situation->slacks != 0)
        qkv__sheet_line(lesson->sheet,
                        "A slack, at least 0, is the margin by which a premise holds.");
    tell_condition(lesson, leak);
    tell_least(lesson, leak);
}

/* ---- Numbers ------------------------------------------------------------------------- */

bool qkv__write_enclosure(qkv__lesson *lesson, qkv__ratio ratio, qkv__text *text)
{
    qkv__box box;
    qkv__enclosure enclosure;
    qkv__rational number;
    const qkv__algebra *algebra = &lesson->model->algebra;
    if (qkv__ratio_is_constant(ratio, &number)) {
        qkv__ratio_write(algebra, ratio, text);
        return true;
    }
    for (int p = 0; p < (int)algebra->parameter_count; p++)
        if (qkv__ratio_depends_on(ratio, p) && algebra->parameter[p].prime == 0 && !lesson->told[p])
            return false;
    if (!qkv__box_of_algebra(algebra, &box) || !qkv__ball_enclose(algebra, ratio, &box, &enclosure))
        return false;
    qkv__text_format(text, "%s", enclosure.text);
    return true;
}

static void tell_number(qkv__lesson *lesson, const char *left, qkv__ratio ratio, const char *note)
{
    qkv__text right = {0};
    if (qkv__write_enclosure(lesson, ratio, &right))
        qkv__sheet_row(lesson->sheet, left, qkv__shown(&right)[0] == '[' ? "in" : "=",
                       qkv__shown(&right), note);
    qkv__shown_free(lesson, &right);
}

void qkv__derive_numbers(qkv__lesson *lesson, const qkv__shares *shares)
{
    if (lesson->bounds.length == 0 || lesson->situation->limit_count > 0) return;
    qkv__sheet_step(lesson->sheet, "%s for %s", shares->output, lesson->bounds.data);
    if (!qkv__ratio_is_lost(shares->total))
        tell_number(lesson, "sum of e^score", shares->total, "");
    for (size_t i = 0; i < shares->attention->count; i++) {
        qkv__text left = {0}, note = {0};
        qkv__write_weight(shares, i, &left);
        qkv__write_others(lesson, shares->keys, shares->attention, i, &note);
        tell_number(lesson, qkv__shown(&left), shares->attention->weight[i], qkv__shown(&note));
        qkv__shown_free(lesson, &left);
        qkv__shown_free(lesson, &note);
    }
}
