/* The two sides of a comparison: their values, limits and numbers, the difference, and for a
 * refuted one a point where they differ. Knows values; leaves the verdict to who decided. */
#include <string.h>

#include "ball/sign.h"
#include "claim/decide_words.h"
#include "claim/explain.h"

/* ---- Matrices of symbolic size ------------------------------------------------------- */

static void tell_expression(qkv__lesson *lesson, const char *name, const qkv__theory *theory,
                            const qkv__expression *expression)
{
    qkv__text text = {0};
    qkv__expression_write(theory, expression, &text);
    qkv__sheet_row(lesson->sheet, name, "=", qkv__shown(&text), "");
    qkv__shown_free(lesson, &text);
}

static void tell_normal_form(qkv__lesson *lesson, const char *name, const qkv__theory *theory,
                             const qkv__words *words)
{
    qkv__text text = {0};
    qkv__words_write(theory, words, &text);
    qkv__sheet_row(lesson->sheet, name, "=", qkv__shown(&text), "");
    qkv__shown_free(lesson, &text);
}

static void tell_words(void *data, const qkv__theory *theory, const qkv__expression *left,
                       const qkv__expression *right, const qkv__words_proof *proof)
{
    qkv__lesson *lesson = data;
    qkv__sheet_step(lesson->sheet, "Both sides, with definitions written out");
    tell_expression(lesson, "left", theory, left);
    tell_expression(lesson, "right", theory, right);
    if (theory->equation_count > 0) qkv__sheet_step(lesson->sheet, "What is assumed");
    for (size_t i = 0; i < theory->equation_count; i++) {
        qkv__text text = {0}, other = {0};
        qkv__expression_write(theory, theory->equation[i].left, &text);
        qkv__expression_write(theory, theory->equation[i].right, &other);
        qkv__sheet_row(lesson->sheet, qkv__shown(&text), "=", qkv__shown(&other), "");
        qkv__shown_free(lesson, &text);
        qkv__shown_free(lesson, &other);
    }
    if (proof->step_count > 0) qkv__sheet_step(lesson->sheet, "Rules used, in order");
    for (size_t i = 0; i < proof->step_count; i++)
        qkv__sheet_line(lesson->sheet, "%zu. %s", i + 1, proof->step[i]);
    qkv__sheet_step(lesson->sheet, "Normal forms: products written out, rules applied");
    tell_normal_form(lesson, "left", theory, proof->left);
    tell_normal_form(lesson, "right", theory, proof->right);
}

/* ---- Values -------------------------------------------------------------------------- */

static bool is_plain(qkv__ratio radicand)
{
    qkv__rational number;
    return qkv__ratio_is_constant(radicand, &number) && number.numerator == number.denominator;
}

/* factor*sqrt(radicand) */
static void write_surd(const qkv__lesson *lesson, const qkv__surd *surd, qkv__text *text)
{
    const qkv__algebra *algebra = &lesson->model->algebra;
    bool sum = surd->factor.numerator != NULL && surd->factor.numerator->count > 1;
    if (is_plain(surd->radicand)) {
        qkv__ratio_write(algebra, surd->factor, text);
        return;
    }
    qkv__text_format(text, "%s", sum ? "(" : "");
    qkv__ratio_write(algebra, surd->factor, text);
    qkv__text_format(text, "%s*sqrt(", sum ? ")" : "");
    qkv__ratio_write(algebra, surd->radicand, text);
    qkv__text_format(text, ")");
}

static void write_entry(qkv__lesson *lesson, qkv__ratio ratio, bool limit, qkv__text *text)
{
    if (limit)
        qkv__write_limit(lesson, ratio, text);
    else
        qkv__ratio_write(&lesson->model->algebra, ratio, text);
}

/* [x, y, z], as far as they are numbers. */
static bool write_list(qkv__lesson *lesson, const qkv__value *value, bool limit, qkv__text *text)
{
    bool numbers = value->kind == QKV__VALUE_NUMBERS;
    size_t count = numbers ? value->numbers->set->mark_count : value->count;
    if (!numbers && value->kind != QKV__VALUE_LIST) return false;
    for (size_t i = 0; i < count; i++) {
        qkv__ratio entry;
        if (numbers)
            entry = value->numbers->mark[i];
        else if (!qkv__value_as_ratio(&value->element[i], &entry))
            return false;
        qkv__text_format(text, "%s", i == 0 ? "[" : ", ");
        write_entry(lesson, entry, limit, text);
    }
    qkv__text_format(text, "]");
    return true;
}

/* One side, or the difference, as one row or one row a component. */
static void tell_value(qkv__lesson *lesson, const char *name, const qkv__value *value, bool limit)
{
    qkv__text text = {0};
    const qkv__vector *vector;
    qkv__ratio ratio;
    const char *relation = limit ? "->" : "=";
    if (qkv__value_as_vector(value, &vector)) {
        const qkv__vector *shown = limit ? qkv__lesson_limit_vector(lesson, vector) : vector;
        if (shown != NULL) qkv__sheet_vector(lesson, name, relation, shown);
    } else if (qkv__value_as_ratio(value, &ratio)) {
        write_entry(lesson, ratio, limit, &text);
    } else if (value->kind == QKV__VALUE_SCALAR && !limit) {
        write_surd(lesson, &value->scalar, &text);
    } else if (!write_list(lesson, value, limit, &text)) {
        qkv__text_free(&text);
    }
    if (text.length > 0) qkv__sheet_row(lesson->sheet, name, relation, qkv__shown(&text), "");
    qkv__shown_free(lesson, &text);
}

/* ---- Numbers and witnesses ----------------------------------------------------------- */

static void tell_number(qkv__lesson *lesson, const char *name, const qkv__value *value)
{
    qkv__text text = {0};
    qkv__ratio ratio;
    if (qkv__value_as_ratio(value, &ratio) && qkv__write_enclosure(lesson, ratio, &text))
        qkv__sheet_row(lesson->sheet, name, qkv__shown(&text)[0] == '[' ? "in" : "=",
                       qkv__shown(&text), "");
    qkv__shown_free(lesson, &text);
}

static bool has_number(qkv__lesson *lesson, const qkv__value *value)
{
    qkv__text text = {0};
    qkv__ratio ratio;
    bool has = qkv__value_as_ratio(value, &ratio) && qkv__write_enclosure(lesson, ratio, &text);
    qkv__shown_free(lesson, &text);
    return has;
}

/* Narrows the parameters of the model to a point, as far as a ratio depends on them; the title
 * gets them. */
static void go_to_point(qkv__lesson *lesson, qkv__ratio ratio, const qkv__point *point,
                        qkv__text *title)
{
    qkv__algebra *algebra = &lesson->model->algebra;
    for (int p = 0; p < (int)algebra->parameter_count; p++) {
        qkv__rational value = point->value[p];
        if (!qkv__ratio_depends_on(ratio, p) || qkv__rational_is_lost(value)) continue;
        qkv__bound bound = {.known = true, .value = value};
        algebra->parameter[p].lower = algebra->parameter[p].upper = bound;
        lesson->told[p] = true;
        qkv__text_format(title, "%s%s = %lld", title->length > 0 ? ", " : "",
                         algebra->parameter[p].name, (long long)value.numerator);
        if (value.denominator != 1) qkv__text_format(title, "/%lld", (long long)value.denominator);
    }
}

/* A point where the difference has a sign that the comparison does not allow. */
static const qkv__point *choose_point(const qkv__sign_result *result, qkv__comparison comparison)
{
    bool below = comparison == QKV__LESS || comparison == QKV__LESS_OR_EQUAL;
    bool above = comparison == QKV__GREATER || comparison == QKV__GREATER_OR_EQUAL;
    if (result->has_positive && !above) return &result->positive;
    return result->has_negative && !below ? &result->negative : NULL;
}

/* Both sides in numbers at a point where they differ. */
static void tell_witness(qkv__lesson *lesson, qkv__comparison comparison, const char *what,
                         qkv__ratio left, qkv__ratio right)
{
    qkv__algebra *algebra = &lesson->model->algebra;
    qkv__parameter kept[QKV__PARAMETERS];
    bool told[QKV__PARAMETERS];
    qkv__box box;
    qkv__sign_result result;
    qkv__ratio difference = qkv__ratio_subtract(algebra, left, right);
    if (qkv__ratio_is_lost(difference) || !qkv__box_of_algebra(algebra, &box)) return;
    qkv__ball_sign(algebra, difference, &box, 0, &result);
    const qkv__point *point = choose_point(&result, comparison);
    if (point == NULL) return;
    memcpy(kept, algebra->parameter, sizeof kept);
    memcpy(told, lesson->told, sizeof told);
    qkv__text title = {0};
    go_to_point(lesson, difference, point, &title);
    qkv__sheet_step(lesson->sheet, "A point where they differ%s%s", title.length > 0 ? ": " : "",
                    qkv__shown(&title));
    if (what[0] != '\0') qkv__sheet_line(lesson->sheet, "the coefficients of %s:", what);
    qkv__value x = qkv__value_scalar(&lesson->model->space, left);
    qkv__value y = qkv__value_scalar(&lesson->model->space, right);
    tell_number(lesson, "left", &x);
    tell_number(lesson, "right", &y);
    qkv__shown_free(lesson, &title);
    memcpy(algebra->parameter, kept, sizeof kept);
    memcpy(lesson->told, told, sizeof told);
}

/* The first symbol whose coefficients differ; one that stands for a sum over the rest counts only
 * where there is a rest, so it is passed over. */
static void tell_vector_witness(qkv__lesson *lesson, const qkv__vector *x, const qkv__vector *y)
{
    qkv__space *space = &lesson->model->space;
    const qkv__vector *difference = qkv__vector_subtract(space, x, y);
    for (size_t i = 0; difference != NULL && i < difference->count; i++) {
        qkv__symbol symbol = difference->component[i].symbol;
        qkv__text name = {0};
        if (symbol.member == QKV__REST) continue;
        qkv__vector_write(space, qkv__vector_symbol(space, symbol.family, symbol.member), &name);
        tell_witness(lesson, QKV__EQUAL, qkv__shown(&name), qkv__vector_factor(space, x, symbol),
                     qkv__vector_factor(space, y, symbol));
        qkv__shown_free(lesson, &name);
        return;
    }
}

static void tell_difference_in_numbers(qkv__lesson *lesson, qkv__comparison comparison,
                                       const qkv__value *x, const qkv__value *y)
{
    const qkv__vector *u, *v;
    qkv__ratio left, right;
    if (lesson->finding->verdict != QKV__REFUTED || lesson->limit_count > 0) return;
    if (qkv__value_as_ratio(x, &left) && qkv__value_as_ratio(y, &right))
        tell_witness(lesson, comparison, "", left, right);
    else if (comparison == QKV__EQUAL && qkv__value_as_vector(x, &u) && qkv__value_as_vector(y, &v))
        tell_vector_witness(lesson, u, v);
}

/* ---- Comparisons --------------------------------------------------------------------- */

static void tell_comparison(qkv__lesson *lesson, const qkv__node *node, const qkv__value *x,
                            const qkv__value *y)
{
    qkv__text title = {0}, limits = {0};
    qkv__value difference;
    qkv__failure failure = {0};
    qkv__space *space = &lesson->model->space;
    bool subtracts = qkv__value_add(space, x, y, true, &difference, &failure);
    qkv__node_write(node, &title);
    if (lesson->limit_count == 0 || x->kind == QKV__VALUE_SCALAR) { /* outputs are there already */
        qkv__sheet_step(lesson->sheet, "Both sides of %s", qkv__shown(&title));
        tell_value(lesson, "left", x, false);
        tell_value(lesson, "right", y, false);
        if (subtracts) tell_value(lesson, "left - right", &difference, false);
    }
    if (lesson->limit_count > 0) {
        qkv__write_limits(lesson, &limits);
        qkv__sheet_step(lesson->sheet, "Both sides as %s", qkv__shown(&limits));
        tell_value(lesson, "left", x, true);
        tell_value(lesson, "right", y, true);
        if (subtracts) tell_value(lesson, "left - right", &difference, true);
    } else if (lesson->bounds.length > 0 && has_number(lesson, x)) {
        qkv__sheet_step(lesson->sheet, "Both sides for %s", qkv__shown(&lesson->bounds));
        tell_number(lesson, "left", x);
        tell_number(lesson, "right", y);
        if (subtracts) tell_number(lesson, "left - right", &difference);
    }
    tell_difference_in_numbers(lesson, node->comparison, x, y);
    qkv__shown_free(lesson, &title);
    qkv__shown_free(lesson, &limits);
}

/* x in l .. u is two comparisons. */
static void tell_interval(qkv__lesson *lesson, const qkv__node *node)
{
    static const qkv__comparison comparisons[] = {QKV__GREATER_OR_EQUAL, QKV__LESS_OR_EQUAL};
    for (int i = 0; i < 2; i++) {
        const qkv__node *children[] = {node->child[0], node->child[1]->child[i]};
        qkv__node part = *node;
        part.comparison = comparisons[i];
        part.child = children;
        qkv__explain_sides(lesson, &part);
    }
}

void qkv__explain_sides(qkv__lesson *lesson, const qkv__node *proposition)
{
    qkv__value x, y;
    if (proposition->kind == QKV__NODE_AND) {
        qkv__explain_sides(lesson, proposition->child[0]);
        qkv__explain_sides(lesson, proposition->child[1]);
        return;
    }
    if (proposition->kind == QKV__NODE_FOR_ALL) {
        qkv__explain_sides(lesson, proposition->child[proposition->count - 1]);
        return;
    }
    if (proposition->kind != QKV__NODE_COMPARE) return;
    if (proposition->comparison == QKV__IN && proposition->child[1]->kind == QKV__NODE_RANGE) {
        tell_interval(lesson, proposition);
    } else if (qkv__model_is_symbolic(lesson->model, proposition)) {
        if (proposition->comparison == QKV__EQUAL)
            qkv__derive_words(lesson->model, proposition, tell_words, lesson);
    } else if (qkv__lesson_value(lesson, proposition->child[0], &x) &&
               qkv__lesson_value(lesson, proposition->child[1], &y)) {
        tell_comparison(lesson, proposition, &x, &y);
    }
}
