/* The two sides of a comparison: their values, limits and numbers, and the difference; of matrices
 * of any size the normal forms. Knows values; leaves the verdict to who decided. */
#include "claim/explain/explain.h"

#include <assert.h>
#include "claim/model/definition.h"
#include "claim/premise/gap.h"
#include "claim/words/words_engine.h"
#include "language/write.h"

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
    qkv__sheet_step(lesson->sheet, "Both sides, with definitions expanded");
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
    qkv__sheet_step(lesson->sheet, "Normal forms: products expanded, rules applied");
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

/* ---- Numbers ------------------------------------------------------------------------- */

static void tell_number(qkv__lesson *lesson, const char *name, const qkv__value *value)
{
    assert(value->kind == QKV__VALUE_SCALAR);
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
    if (lesson->situation->limit_count == 0 ||
        x->kind == QKV__VALUE_SCALAR) { /* outputs are there already */
        qkv__sheet_step(lesson->sheet, "Both sides of %s", qkv__shown(&title));
        tell_value(lesson, "left", x, false);
        tell_value(lesson, "right", y, false);
        if (subtracts) tell_value(lesson, "left - right", &difference, false);
    }
    if (lesson->situation->limit_count > 0) {
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
    qkv__shown_free(lesson, &title);
    qkv__shown_free(lesson, &limits);
}

/* x in l .. u is two comparisons. */
static void tell_interval(qkv__lesson *lesson, const qkv__node *node)
{
    assert(node->kind == QKV__NODE_COMPARE);
    static const qkv__comparison comparisons[] = {QKV__GREATER_OR_EQUAL, QKV__LESS_OR_EQUAL};
    for (int i = 0; i < 2; i++) {
        const qkv__node *children[] = {node->child[0], node->child[1]->child[i]};
        qkv__node part = *node;
        part.comparison = comparisons[i];
        part.child = children;
        qkv__derive_sides(lesson, &part);
    }
}

/* What a premise says, and the sides of what follows from it. */
static void tell_implication(qkv__lesson *lesson, const qkv__node *node)
{
    assert(node->kind == QKV__NODE_IMPLIES);
    qkv__text premise = {0};
    qkv__node_write(node->child[0], &premise);
    qkv__sheet_step(lesson->sheet, "Premise");
    qkv__sheet_line(lesson->sheet, "%s", qkv__shown(&premise));
    qkv__shown_free(lesson, &premise);
    qkv__derive_sides(lesson, node->child[1]);
}

static void tell_sides(qkv__lesson *lesson, const qkv__node *node)
{
    assert(node->kind == QKV__NODE_COMPARE);
    qkv__value x, y;
    if (node->comparison == QKV__IN && node->child[1]->kind == QKV__NODE_RANGE) {
        tell_interval(lesson, node);
    } else if (qkv__model_is_symbolic(lesson->model, node)) {
        if (node->comparison == QKV__EQUAL)
            qkv__derive_words(lesson->model, node, tell_words, lesson);
    } else if (qkv__lesson_value(lesson, node->child[0], &x) &&
               qkv__lesson_value(lesson, node->child[1], &y)) {
        qkv__match_kinds(lesson->situation, &x, &y);
        qkv__match_kinds(lesson->situation, &y, &x);
        tell_comparison(lesson, node, &x, &y);
    }
}

void qkv__derive_sides(qkv__lesson *lesson, const qkv__node *proposition)
{
    switch (proposition->kind) {
    case QKV__NODE_COMPARE: tell_sides(lesson, proposition); break;
    case QKV__NODE_AND:
    case QKV__NODE_OR:
        qkv__derive_sides(lesson, proposition->child[0]);
        qkv__derive_sides(lesson, proposition->child[1]);
        break;
    case QKV__NODE_NOT: qkv__derive_sides(lesson, proposition->child[0]); break;
    case QKV__NODE_IMPLIES: tell_implication(lesson, proposition); break;
    case QKV__NODE_FOR_ALL:
        qkv__derive_sides(lesson, proposition->child[proposition->count - 1]);
        break;
    default: break; /* what exists is told by the verdict */
    }
}
