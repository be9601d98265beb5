/* A problem's statements read into a model: bounds, index sets, families, definitions. Knows
 * nothing of verdicts. */
#include "claim/model/model.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "claim/model/definition.h"
#include "claim/model/evaluate.h"
#include "claim/model/random_declare.h"
#include "exact/sign.h"
#include "language/tree.h"
#include "language/chance_call.h"
#include "language/complaint.h"
#include "language/write.h"

bool qkv__model_complain(qkv__model *model, qkv__place place, const char *format, ...)
{
    if (model->mute) return false;
    char message[320];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    qkv__document_complain(model->document, place, message);
    return false;
}

bool qkv__model_bind(qkv__model *model, qkv__binding binding)
{
    qkv__binding *kept = qkv__arena_take(&model->algebra.arena, sizeof *kept);
    if (kept == NULL) return false;
    *kept = binding;
    kept->next = model->bindings;
    model->bindings = kept;
    return true;
}

qkv__binding qkv__index_binding(const char *name, qkv__index_set *set, int member,
                                const qkv__binding *next)
{
    return (qkv__binding){.name = name,
                          .value = {.kind = QKV__VALUE_INDEX, .set = set, .member = member},
                          .next = next};
}

int qkv__model_parameter(qkv__model *model, const char *name)
{
    int found = qkv__parameter_find(&model->algebra, name);
    return found >= 0 ? found : qkv__parameter_add(&model->algebra, name);
}

/* ---- Index sets ------------------------------------------------------------------------------ */

/* The text of a range, which is the set's name: two sets are one if they are written alike. */
static char *set_name(qkv__model *model, const qkv__node *node)
{
    qkv__text text = {0};
    qkv__node_write(node, &text);
    char *name =
        text.failed ? NULL : qkv__arena_text(&model->algebra.arena, text.data, text.length);
    qkv__text_free(&text);
    return name;
}

static qkv__index_set *find_set(const qkv__model *model, const char *name)
{
    for (size_t i = 0; i < model->set_count; i++)
        if (strcmp(model->sets[i]->name, name) == 0) return model->sets[i];
    return NULL;
}

static qkv__index_set *new_set(qkv__model *model, const char *name)
{
    qkv__index_set *set = qkv__arena_take(&model->algebra.arena, sizeof *set);
    if (set == NULL || model->set_count == QKV__FAMILIES) return NULL;
    set->name = name;
    model->sets[model->set_count++] = set;
    return set;
}

static bool add_mark(qkv__model *model, qkv__index_set *set, const char *name)
{
    if (qkv__mark_find(set, name) >= 0) return true;
    if (set->mark_count == QKV__MARKS) return false;
    char *copy = qkv__arena_text(&model->algebra.arena, name, strlen(name));
    if (copy == NULL) return false;
    set->mark[set->mark_count++] = copy;
    return true;
}

/* A range that begins with 1 and whose end is a value: its size. */
static bool range_size(qkv__model *model, const qkv__node *range, qkv__ratio *size,
                       qkv__failure *failure)
{
    qkv__value end;
    const qkv__node *culprit;
    if (range->kind != QKV__NODE_RANGE || range->child[0]->kind != QKV__NODE_NUMBER ||
        range->child[0]->value.numerator != 1 || range->child[0]->value.denominator != 1)
        return qkv__fail_value(failure, QKV__TROUBLE_TEXT, "expected a range such as 1..n");
    if (!qkv__model_evaluate(model, range->child[1], NULL, &end, failure, &culprit)) return false;
    if (!qkv__value_as_ratio(&end, size))
        return qkv__fail_value(failure, QKV__TROUBLE_TEXT, "the end of a range is no number");
    return true;
}

static bool add_premise(qkv__model *model, const qkv__node *premise);
static const qkv__node *new_comparison(qkv__model *model, const qkv__node *left,
                                       qkv__comparison comparison, const qkv__node *right);

/* The whole number next to a bound, inside of it: n < 2 is n <= 1, n > 5/2 is n >= 3. */
static void round_bound(qkv__bound *bound, int64_t inward)
{
    if (!bound->known || qkv__rational_is_lost(bound->value)) return;
    bool whole = qkv__rational_is_whole(bound->value);
    int64_t below = bound->value.numerator / bound->value.denominator;
    if (!whole && bound->value.numerator < 0) below--; /* division goes towards 0 */
    if (whole && !bound->strict) return;
    if (whole)
        bound->value = qkv__rational_add(bound->value, qkv__rational_whole(inward));
    else
        bound->value = qkv__rational_whole(inward > 0 ? below + 1 : below);
    bound->strict = false;
}

/* What is known of a number that turns out to count. */
static void count_with(qkv__parameter *parameter)
{
    parameter->whole = true;
    round_bound(&parameter->lower, 1);
    round_bound(&parameter->upper, -1);
}

/* The slope of a parameter in a form that is linear in it; 0: it is not. */
static int64_t slope_in(qkv__algebra *algebra, const qkv__form *form, int parameter)
{
    const qkv__form *zero = qkv__form_whole(algebra, 0), *one = qkv__form_whole(algebra, 1);
    const qkv__form *rest = qkv__form_substitute(algebra, form, parameter, zero);
    const qkv__form *step =
        qkv__form_subtract(algebra, qkv__form_substitute(algebra, form, parameter, one), rest);
    qkv__rational slope;
    if (rest == NULL || !qkv__form_is_constant(step, &slope) || !qkv__rational_is_whole(slope))
        return 0;
    const qkv__form *line = qkv__form_add(
        algebra, rest, qkv__form_scale(algebra, qkv__form_parameter(algebra, parameter), slope));
    return qkv__form_equal(form, line) ? slope.numerator : 0;
}

/* A polynomial with whole coefficients. */
static bool is_whole_polynomial(qkv__ratio ratio)
{
    qkv__rational one;
    if (qkv__ratio_is_lost(ratio) || !qkv__form_is_constant(ratio.denominator, &one) ||
        one.numerator != 1 || one.denominator != 1 || !qkv__form_is_polynomial(ratio.numerator))
        return false;
    for (size_t i = 0; i < ratio.numerator->count; i++)
        if (!qkv__rational_is_whole(ratio.numerator->term[i].coefficient)) return false;
    return true;
}

/* A size n - 1 is whole, and so is n; of 2*m, or of n + m, that does not follow. */
static void make_whole(qkv__model *model, qkv__ratio size)
{
    qkv__algebra *algebra = &model->algebra;
    int open = -1;
    if (!is_whole_polynomial(size)) return;
    for (int p = 0; p < (int)algebra->parameter_count; p++) {
        if (!qkv__form_depends_on(size.numerator, p) || algebra->parameter[p].whole) continue;
        if (open >= 0) return;
        open = p;
    }
    int64_t slope = open < 0 ? 0 : slope_in(algebra, size.numerator, open);
    if (slope == 1 || slope == -1) count_with(&algebra->parameter[open]);
}

/* In k[1..n-1] it is n - 1 that is not negative; a name, also one that is defined, is at least 1.
 */
static void bound_expression(qkv__model *model, const qkv__node *size, const qkv__index_set *set)
{
    qkv__node *least = qkv__arena_take(&model->algebra.arena, sizeof *least);
    bool name = size->kind == QKV__NODE_NAME;
    if (least == NULL || size->kind == QKV__NODE_NUMBER) return;
    make_whole(model, set->size);
    *least = *size;
    least->kind = QKV__NODE_NUMBER;
    least->value = qkv__rational_whole(name && set->mark_count == 0 ? 1 : (int64_t)set->mark_count);
    least->count = 0;
    add_premise(model, new_comparison(model, size, QKV__GREATER_OR_EQUAL, least));
}

/* A size counts: it is whole, at least 1, and no less than the number of picked indices. */
static void bound_size(qkv__model *model, const qkv__node *range, const qkv__index_set *set)
{
    if (range->child[1]->kind != QKV__NODE_NAME) {
        bound_expression(model, range->child[1], set);
        return;
    }
    int parameter = qkv__parameter_find(&model->algebra, range->child[1]->text);
    if (parameter < 0) {
        bound_expression(model, range->child[1], set);
        return;
    }
    qkv__parameter *known = &model->algebra.parameter[parameter];
    qkv__rational least = qkv__rational_whole(set->mark_count == 0 ? 1 : (int64_t)set->mark_count);
    count_with(known);
    if (!known->lower.known || qkv__rational_compare(known->lower.value, least) < 0)
        known->lower = (qkv__bound){.known = true, .value = least};
}

/* A long range has marks for the numbers that the problem mentions; the rest are alike. */
static bool mark_mentioned(qkv__model *model, qkv__index_set *set, int64_t size,
                           qkv__failure *failure)
{
    int64_t number[QKV__MARKS];
    char text[32];
    size_t count = qkv__mentioned_numbers(model->statements, size, number, QKV__MARKS);
    if (count > QKV__MARKS)
        return qkv__fail_value(failure, QKV__TROUBLE_UNABLE,
                               "more than %d indices of %s are mentioned", QKV__MARKS, set->name);
    for (size_t i = 0; i < count; i++) {
        snprintf(text, sizeof text, "%lld", (long long)number[i]);
        if (!add_mark(model, set, text)) return false;
    }
    return true;
}

/* Whether a number is a whole one wherever it is allowed: n, 2*n - 1, where n counts. */
static bool is_whole_valued(const qkv__algebra *algebra, qkv__ratio ratio)
{
    if (!is_whole_polynomial(ratio)) return false;
    for (int p = 0; p < (int)algebra->parameter_count; p++)
        if (qkv__form_depends_on(ratio.numerator, p) && !algebra->parameter[p].whole) return false;
    return true;
}

/* A range in a claim says nothing of its end: sum(1 for i in 1..m) is 0 for m = 0. */
static bool is_never_empty(qkv__model *model, const qkv__index_set *set, qkv__failure *failure)
{
    qkv__algebra *algebra = &model->algebra;
    qkv__ratio above = qkv__ratio_subtract(algebra, set->size, qkv__ratio_whole(algebra, 1));
    qkv__sign sign = qkv__ratio_sign(algebra, above);
    if (set->declared ||
        (is_whole_valued(algebra, set->size) &&
         (sign == QKV__SIGN_ZERO || sign == QKV__SIGN_POSITIVE || sign == QKV__SIGN_NONNEGATIVE)))
        return true;
    return qkv__fail_value(failure, QKV__TROUBLE_UNABLE,
                           "nothing says that %s is a range of at least one number", set->name);
}

static qkv__index_set *range_set(qkv__model *model, const qkv__node *range, bool declared,
                                 qkv__failure *failure)
{
    char *name = set_name(model, range);
    if (name == NULL) {
        qkv__fail_value(failure, QKV__TROUBLE_UNABLE, "out of memory");
        return NULL;
    }
    qkv__index_set *set = find_set(model, name);
    qkv__ratio size;
    bool sized = set != NULL && !qkv__ratio_is_lost(set->size);
    if (!sized && !range_size(model, range, &size, failure)) return NULL;
    if (set == NULL) set = new_set(model, name);
    if (set == NULL) return NULL;
    if (!sized) set->size = size;
    if (declared && !set->declared) bound_size(model, range, set);
    set->declared = set->declared || declared;
    if (!is_never_empty(model, set, failure)) return NULL;
    if (sized) return set;
    /* A range of known, small length without picks has all its numbers for marks. */
    qkv__rational number;
    if (set->mark_count == 0 && qkv__ratio_is_constant(size, &number) &&
        number.numerator <= QKV__MARKS)
        for (int64_t i = 1; i <= number.numerator; i++) {
            char text[32];
            snprintf(text, sizeof text, "%lld", (long long)i);
            if (!add_mark(model, set, text)) return NULL;
        }
    else if (set->mark_count == 0 && qkv__ratio_is_constant(size, &number) &&
             !mark_mentioned(model, set, number.numerator, failure))
        return NULL;
    return set;
}

qkv__index_set *qkv__model_set(qkv__model *model, const qkv__node *range, qkv__failure *failure)
{
    return range_set(model, range, false, failure);
}

/* A picked index that is known in this case is another name of the member that it is. */
static bool pick_known(qkv__model *model, qkv__index_set *set, const char *name)
{
    for (size_t i = 0; i < model->fixed_count; i++) {
        const qkv__fixed_index *fixed = &model->fixed[i];
        if (fixed->pick == NULL || strcmp(fixed->name, name) != 0) continue;
        if (set->alias_count == QKV__ALIASES) return false;
        set->alias[set->alias_count].name = name;
        set->alias[set->alias_count++].mark = fixed->mark;
        return true;
    }
    return false;
}

/* An index that is none of the members with a mark gets one of its own. */
static bool mark_fixed(qkv__model *model)
{
    for (size_t i = 0; i < model->fixed_count; i++) {
        const qkv__fixed_index *fixed = &model->fixed[i];
        if (fixed->pick != NULL) continue;
        qkv__index_set *set = find_set(model, fixed->set);
        if (set == NULL) set = new_set(model, fixed->set);
        if (set == NULL || !add_mark(model, set, fixed->mark)) return false;
    }
    return true;
}

/* pick a, b distinct in 1..n: marks must be known before anything is evaluated. */
static bool collect_pick(qkv__model *model, const qkv__statement *statement)
{
    const qkv__node *range = statement->node[statement->count - 1];
    char *name = set_name(model, range);
    qkv__index_set *set = name == NULL ? NULL : find_set(model, name);
    if (name != NULL && set == NULL) set = new_set(model, name);
    if (set == NULL) return qkv__model_complain(model, statement->place, "too many index sets");
    if ((!statement->distinct && statement->count > 2) || set->mark_count > 0 ||
        set->alias_count > 0)
        return qkv__model_complain(model, statement->place,
                                   "indices that may be equal: write pick ... distinct in ...");
    for (size_t i = 0; i + 1 < statement->count; i++) {
        const char *picked = statement->node[i]->text;
        if (!pick_known(model, set, picked) && !add_mark(model, set, picked))
            return qkv__model_complain(model, statement->place, "too many picked indices");
    }
    return true;
}

static bool collect_picks(qkv__model *model, const qkv__statement *first)
{
    bool good = true;
    for (const qkv__statement *s = first; s != NULL; s = s->next) {
        if (s->kind == QKV__STATEMENT_PROBLEM && s != first) break;
        if (s->kind != QKV__STATEMENT_PICK || collect_pick(model, s)) continue;
        good = false;
        if (!model->mute) qkv__document_lose(model->document, s->kind, s->place.line);
    }
    return good;
}

bool qkv__model_begin_case(qkv__model *model, qkv__document *document, const qkv__statement *first,
                           const qkv__table_reader *table_reader, const qkv__fixed_index *fixed,
                           size_t count, bool mute)
{
    *model = (qkv__model){.document = document,
                          .statements = first,
                          .table_reader = table_reader,
                          .fixed_count = count,
                          .mute = mute};
    if (count > 0) memcpy(model->fixed, fixed, count * sizeof *fixed);
    model->space.algebra = &model->algebra;
    model->algebra.arena.limit = (size_t)256 << 20; /* a claim that needs more is undecided */
    return collect_picks(model, first) && mark_fixed(model);
}

bool qkv__model_begin(qkv__model *model, qkv__document *document, const qkv__statement *first,
                      const qkv__table_reader *table_reader)
{
    return qkv__model_begin_case(model, document, first, table_reader, NULL, 0, false);
}

void qkv__model_end(qkv__model *model)
{
    if (model->tables != NULL) model->table_reader->free_since(model, NULL);
    qkv__arena_free(&model->algebra.arena);
}

/* ---- Bounds ---------------------------------------------------------------------------------- */

/* Of two bounds on the same side the one that leaves less; direction is 1 for lower ones. */
static qkv__bound stronger(qkv__bound x, qkv__bound y, int direction)
{
    if (!x.known) return y;
    int order = direction * qkv__rational_compare(x.value, y.value);
    if (order == 0) x.strict = x.strict || y.strict;
    return order >= 0 ? x : y;
}

void qkv__parameter_narrow(qkv__parameter *parameter, qkv__comparison comparison,
                           qkv__rational value)
{
    bool strict = comparison == QKV__LESS || comparison == QKV__GREATER;
    qkv__bound bound = {.known = true, .strict = strict, .value = value};
    bool lower = comparison != QKV__LESS && comparison != QKV__LESS_OR_EQUAL;
    bool upper = comparison != QKV__GREATER && comparison != QKV__GREATER_OR_EQUAL;
    if (lower) parameter->lower = stronger(parameter->lower, bound, 1);
    if (upper) parameter->upper = stronger(parameter->upper, bound, -1);
    if (parameter->whole && comparison != QKV__EQUAL) { /* n > 2 is n >= 3 */
        round_bound(&parameter->lower, 1);
        round_bound(&parameter->upper, -1);
    }
}

bool qkv__model_bound(qkv__model *model, const qkv__node *proposition, qkv__failure *failure)
{
    const qkv__node *culprit;
    qkv__value value;
    qkv__ratio ratio;
    qkv__rational number;
    if (proposition->kind == QKV__NODE_AND)
        return qkv__model_bound(model, proposition->child[0], failure) &&
               qkv__model_bound(model, proposition->child[1], failure);
    if (proposition->kind != QKV__NODE_COMPARE || proposition->comparison > QKV__GREATER_OR_EQUAL ||
        proposition->comparison == QKV__NOT_EQUAL)
        return qkv__fail_value(failure, QKV__TROUBLE_TEXT, "expected a bound such as n >= 3");
    const qkv__node *left = proposition->child[0], *right = proposition->child[1];
    qkv__comparison comparison = proposition->comparison;
    if (left->kind != QKV__NODE_NAME) {
        const qkv__node *other = left;
        left = right;
        right = other;
        comparison = qkv__comparison_mirror(comparison);
    }
    /* A name that is defined is no parameter: what is said of it is a premise. */
    if (left->kind != QKV__NODE_NAME || qkv__model_find(model, NULL, left->text) != NULL ||
        !qkv__model_evaluate(model, right, NULL, &value, failure, &culprit) ||
        !qkv__value_as_ratio(&value, &ratio) || !qkv__ratio_is_constant(ratio, &number))
        return qkv__fail_value(failure, QKV__TROUBLE_TEXT,
                               "expected a name compared with a number");
    int parameter = qkv__model_parameter(model, left->text);
    if (parameter < 0) return qkv__fail_value(failure, QKV__TROUBLE_UNABLE, "too many parameters");
    qkv__parameter_narrow(&model->algebra.parameter[parameter], comparison, number);
    return true;
}

static bool complain_failure(qkv__model *model, qkv__place place, const qkv__failure *failure)
{
    return qkv__model_complain(model, place, "%s", failure->message);
}

static bool add_premise(qkv__model *model, const qkv__node *premise)
{
    if (premise == NULL || model->premise_count == sizeof model->premise / sizeof model->premise[0])
        return false;
    model->premise[model->premise_count++] = premise;
    return true;
}

/* A vector that is one symbol. */
static bool single_symbol(const qkv__value *value, qkv__symbol *symbol)
{
    const qkv__vector *vector;
    qkv__rational one;
    if (!qkv__value_as_vector(value, &vector) || vector->count != 1 ||
        !qkv__ratio_is_constant(vector->component[0].factor, &one) || one.numerator != 1 ||
        one.denominator != 1)
        return false;
    *symbol = vector->component[0].symbol;
    return true;
}

/* |q| = s says that s is not negative. */
static bool give_not_negative(qkv__model *model, const qkv__node *norm)
{
    qkv__node *zero = qkv__arena_take(&model->algebra.arena, sizeof *zero);
    if (zero == NULL) return false;
    *zero = *norm;
    zero->kind = QKV__NODE_NUMBER;
    zero->value = qkv__rational_whole(0);
    zero->count = 0;
    return add_premise(model, new_comparison(model, norm, QKV__GREATER_OR_EQUAL, zero));
}

/* k[a].k[b] = 1/2, or |q| = beta: an inner product that is given, between symbols of which it was
 * not known. False when the proposition is none, or a product is one of many. */
static bool give_product(qkv__model *model, const qkv__node *node)
{
    qkv__value x, y, value;
    qkv__failure failure;
    const qkv__node *culprit, *left = node->kind == QKV__NODE_COMPARE ? node->child[0] : node;
    qkv__symbol first, second;
    qkv__ratio ratio, known;
    bool norm = left->kind == QKV__NODE_SIZE;
    if (node->kind != QKV__NODE_COMPARE || node->comparison != QKV__EQUAL ||
        (!norm && left->kind != QKV__NODE_DOT) ||
        !qkv__model_evaluate(model, left->child[0], NULL, &x, &failure, &culprit) ||
        !qkv__model_evaluate(model, left->child[norm ? 0 : 1], NULL, &y, &failure, &culprit) ||
        !qkv__model_evaluate(model, node->child[1], NULL, &value, &failure, &culprit) ||
        !single_symbol(&x, &first) || !single_symbol(&y, &second) ||
        !qkv__value_as_ratio(&value, &ratio) || first.member < 0 || second.member < 0 ||
        qkv__symbol_product(&model->space, first, second, &known) ||
        qkv__space_asked(&model->space, first, second))
        return false;
    qkv__space_give(&model->space, first, second,
                    norm ? qkv__ratio_power(&model->algebra, ratio, 2) : ratio);
    return !norm || give_not_negative(model, node->child[1]);
}

/* Bounds of parameters and inner products are known from here on; any other proposition is a
 * premise of every claim. */
static bool give(qkv__model *model, const qkv__node *node)
{
    const qkv__node *culprit;
    qkv__failure failure = {0}, mistake = {0};
    qkv__value value;
    if (give_product(model, node) || qkv__model_bound(model, node, &failure)) return true;
    for (size_t j = 0; node->kind == QKV__NODE_COMPARE && j < 2; j++)
        if (node->child[j]->kind != QKV__NODE_RANGE && node->child[j]->kind != QKV__NODE_SET &&
            !qkv__model_is_symbolic(model, node->child[j]) &&
            !qkv__model_evaluate(model, node->child[j], NULL, &value, &mistake, &culprit) &&
            mistake.trouble == QKV__TROUBLE_TEXT)
            return complain_failure(model, culprit->place, &mistake);
    return add_premise(model, node) || qkv__model_complain(model, node->place, "too many premises");
}

/* The name that a statement declares or defines with one of its nodes; NULL: none. */
static const char *declared_name(const qkv__statement *statement, size_t i)
{
    const qkv__node *node = statement->node[i];
    if (statement->kind == QKV__STATEMENT_DEFINE && i > 0) return NULL;
    if (statement->kind != QKV__STATEMENT_DEFINE && statement->kind != QKV__STATEMENT_OBJECT &&
        statement->kind != QKV__STATEMENT_FAMILY)
        return NULL;
    if (statement->kind == QKV__STATEMENT_FAMILY && node->kind != QKV__NODE_INDEX &&
        node->kind != QKV__NODE_COMPARE)
        return NULL; /* a property */
    if (node->kind == QKV__NODE_COMPARE) node = node->child[0];
    if (node->kind == QKV__NODE_INDEX) node = node->child[0];
    return node->text;
}

/* Whether a name stands for nothing yet, and is declared or defined further down. */
static bool comes_later(const qkv__model *model, const qkv__statement *after, const char *name)
{
    if (qkv__model_find(model, NULL, name) != NULL) return false;
    for (const qkv__statement *s = after; s != NULL; s = s->next) {
        if (s->kind == QKV__STATEMENT_PROBLEM && s != model->statements) break;
        for (size_t i = 0; i < s->count; i++) {
            const char *declared = declared_name(s, i);
            if (declared != NULL && strcmp(declared, name) == 0) return true;
        }
    }
    return false;
}

static bool waits(const qkv__model *model, const qkv__statement *after, const qkv__node *node)
{
    if ((node->kind == QKV__NODE_NAME || node->kind == QKV__NODE_CALL) &&
        comes_later(model, after, node->text))
        return true;
    for (size_t i = 0; i < node->count; i++)
        if (waits(model, after, node->child[i])) return true;
    return false;
}

/* A premise may stand in front of the declaration of what it speaks of: then it waits. */
static bool declare_given(qkv__model *model, const qkv__statement *statement)
{
    for (size_t i = 0; i < statement->count; i++) {
        const qkv__node *node = statement->node[i];
        if (!waits(model, statement->next, node)) {
            if (!give(model, node)) return false;
        } else if (model->deferred_count == sizeof model->deferred / sizeof model->deferred[0]) {
            return qkv__model_complain(model, node->place, "too many premises");
        } else {
            model->deferred[model->deferred_count++] = node;
        }
    }
    return true;
}

/* Premises whose names are all there now. */
static bool give_deferred(qkv__model *model, const qkv__statement *statement)
{
    size_t kept = 0;
    bool good = true;
    for (size_t i = 0; i < model->deferred_count; i++)
        if (waits(model, statement->next, model->deferred[i]))
            model->deferred[kept++] = model->deferred[i];
        else
            good = give(model, model->deferred[i]) && good;
    model->deferred_count = kept;
    return good;
}

/* ---- Families -------------------------------------------------------------------------------- */

/* The vectors of a declared family: a symbol for each mark, one generic. */
static const qkv__vectors *family_vectors(qkv__model *model, const qkv__family *family)
{
    qkv__arena *arena = &model->algebra.arena;
    qkv__vectors *vectors = qkv__arena_take(arena, sizeof *vectors);
    if (vectors == NULL) return NULL;
    *vectors = (qkv__vectors){.set = family->set};
    vectors->mark = qkv__arena_array(arena, family->set->mark_count, sizeof *vectors->mark);
    if (vectors->mark == NULL) return NULL;
    for (size_t i = 0; i < family->set->mark_count; i++)
        vectors->mark[i] = qkv__vector_symbol(&model->space, family, (int)i);
    if (!qkv__ratio_is_zero(qkv__rest_size(&model->algebra, family->set)))
        vectors->generic = qkv__vector_symbol(&model->space, family, QKV__GENERIC);
    return vectors;
}

/* The set of k[1..n] or of u[a, b, c, d]. */
static qkv__index_set *declared_set(qkv__model *model, const qkv__node *declared,
                                    qkv__failure *failure)
{
    if (declared->count == 2 && declared->child[1]->kind == QKV__NODE_RANGE)
        return range_set(model, declared->child[1], true, failure);
    qkv__text text = {0};
    for (size_t i = 1; i < declared->count; i++)
        qkv__text_format(&text, "%s%s", i == 1 ? "" : ",", declared->child[i]->text);
    char *name =
        text.failed ? NULL : qkv__arena_text(&model->algebra.arena, text.data, text.length);
    qkv__text_free(&text);
    qkv__index_set *set = name == NULL ? NULL : find_set(model, name);
    if (set != NULL || name == NULL) return set;
    set = new_set(model, name);
    for (size_t i = 1; set != NULL && i < declared->count; i++)
        if (declared->child[i]->kind != QKV__NODE_NAME ||
            !add_mark(model, set, declared->child[i]->text)) {
            qkv__fail_value(failure, QKV__TROUBLE_TEXT, "expected names or a range as indices");
            return NULL;
        }
    if (set != NULL) set->size = qkv__ratio_whole(&model->algebra, (int64_t)set->mark_count);
    return set;
}

static const qkv__node *new_comparison(qkv__model *model, const qkv__node *left,
                                       qkv__comparison comparison, const qkv__node *right)
{
    qkv__arena *arena = &model->algebra.arena;
    qkv__node *node = qkv__arena_take(arena, sizeof *node);
    const qkv__node **sides = qkv__arena_array(arena, 2, sizeof *sides);
    if (node == NULL || sides == NULL) return NULL;
    sides[0] = left;
    sides[1] = right;
    *node = *left;
    node->kind = QKV__NODE_COMPARE;
    node->text = "";
    node->comparison = comparison;
    node->count = 2;
    node->child = sides;
    node->table = NULL;
    return node;
}

/* A norm that is declared is positive: vectors of length 0 are no family of any use. */
static bool give_positive(qkv__model *model, const qkv__node *norm, qkv__ratio value,
                          qkv__failure *failure)
{
    qkv__rational number;
    qkv__arena *arena = &model->algebra.arena;
    bool constant = qkv__ratio_is_constant(value, &number);
    if (constant && qkv__rational_sign(number) <= 0)
        return qkv__fail_value(failure, QKV__TROUBLE_TEXT, "expected a norm that is positive");
    if (constant) return true;
    if (norm->kind == QKV__NODE_NAME && qkv__parameter_find(&model->algebra, norm->text) >= 0) {
        int parameter = qkv__parameter_find(&model->algebra, norm->text);
        qkv__parameter_narrow(&model->algebra.parameter[parameter], QKV__GREATER,
                              qkv__rational_whole(0));
        return true;
    }
    qkv__node *zero = qkv__arena_take(arena, sizeof *zero);
    if (zero == NULL) return qkv__fail_value(failure, QKV__TROUBLE_UNABLE, "out of memory");
    *zero = *norm;
    zero->kind = QKV__NODE_NUMBER;
    zero->value = qkv__rational_whole(0);
    zero->count = 0;
    return add_premise(model, new_comparison(model, norm, QKV__GREATER, zero)) ||
           qkv__fail_value(failure, QKV__TROUBLE_UNABLE, "too many premises");
}

/* A dimension counts. */
static void bound_dimension(qkv__model *model, const qkv__node *dimension)
{
    qkv__value value;
    qkv__failure failure;
    const qkv__node *culprit;
    if (dimension->kind != QKV__NODE_NAME ||
        !qkv__model_evaluate(model, dimension, NULL, &value, &failure, &culprit))
        return;
    int parameter = qkv__parameter_find(&model->algebra, dimension->text);
    if (parameter < 0) return;
    count_with(&model->algebra.parameter[parameter]);
    qkv__parameter_narrow(&model->algebra.parameter[parameter], QKV__GREATER_OR_EQUAL,
                          qkv__rational_whole(1));
}

/* The one dimension that is declared, if it is a number. One that is a name of its own leaves room
 * for all vectors beside orthogonal ones, unless something is said of it. */
static void keep_dimension(qkv__model *model, const qkv__statement *statement,
                           const qkv__node *dimension, bool orthogonal)
{
    const qkv__node *declared = statement->node[0];
    bool name = orthogonal && dimension->kind == QKV__NODE_NAME;
    for (size_t i = 1; name && i < declared->count; i++)
        name = declared->child[i]->kind != QKV__NODE_RANGE ||
               declared->child[i]->child[1]->kind != QKV__NODE_NAME ||
               strcmp(declared->child[i]->child[1]->text, dimension->text) != 0;
    if (name &&
        (model->dimension_name == NULL || strcmp(model->dimension_name, dimension->text) == 0))
        model->dimension_name = dimension->text;
    else
        model->confined = true;
    bool number = dimension->kind == QKV__NODE_NUMBER && qkv__rational_is_whole(dimension->value);
    int64_t value = number ? dimension->value.numerator : 0;
    model->dimension = model->dimension == 0 || model->dimension == value ? value : -1;
    if (!number) model->dimension = -1;
}

/* Orthogonal vectors are no more than the dimension. */
static bool give_dimension(qkv__model *model, const qkv__node *declared, const qkv__node *dimension)
{
    const qkv__node *range = declared->count == 2 ? declared->child[1] : NULL;
    if (range == NULL || range->kind != QKV__NODE_RANGE) return true;
    return add_premise(model,
                       new_comparison(model, dimension, QKV__GREATER_OR_EQUAL, range->child[1]));
}

/* Values share a dimension, and all other vectors share one, wherever it is declared. */
static bool share_dimension(qkv__model *model, bool values, const qkv__node *dimension)
{
    qkv__frames *frames = &model->frames[values];
    if (frames->dimension != NULL) return true;
    frames->dimension = dimension;
    for (size_t i = 0; i < frames->count; i++)
        if (!give_dimension(model, frames->declared[i], dimension)) return false;
    return true;
}

static bool keep_frame(qkv__model *model, bool values, const qkv__node *declared)
{
    qkv__frames *frames = &model->frames[values];
    if (frames->dimension != NULL) return give_dimension(model, declared, frames->dimension);
    if (frames->count == sizeof frames->declared / sizeof frames->declared[0]) return false;
    frames->declared[frames->count++] = declared;
    return true;
}

/* orthonormal; orthogonal, norm x; nothing. */
static bool read_properties(qkv__model *model, const qkv__statement *statement, size_t first,
                            qkv__family *family, qkv__failure *failure)
{
    bool orthogonal = false, normed = false;
    bool values = strcmp(statement->text, "values") == 0;
    qkv__ratio norm = qkv__ratio_whole(&model->algebra, 1);
    for (size_t i = first; i < statement->count; i++) {
        const qkv__node *node = statement->node[i], *culprit;
        qkv__value value;
        if (node->kind == QKV__NODE_NAME && strcmp(node->text, "orthonormal") == 0) {
            orthogonal = normed = true;
        } else if (node->kind == QKV__NODE_NAME && strcmp(node->text, "orthogonal") == 0) {
            orthogonal = true;
        } else if (node->kind == QKV__NODE_CALL && strcmp(node->text, "norm") == 0) {
            if (!qkv__model_evaluate(model, node->child[0], NULL, &value, failure, &culprit))
                return false;
            if (!qkv__value_as_ratio(&value, &norm))
                return qkv__fail_value(failure, QKV__TROUBLE_TEXT, "a norm is a number");
            if (!give_positive(model, node->child[0], norm, failure)) return false;
            normed = true;
        } else if (node->kind != QKV__NODE_CALL || strcmp(node->text, "dimension") != 0) {
            return qkv__fail_value(failure, QKV__TROUBLE_TEXT, "unknown property %s", node->text);
        }
    }
    for (size_t i = first; i < statement->count; i++) {
        const qkv__node *node = statement->node[i];
        if (node->kind != QKV__NODE_CALL || strcmp(node->text, "dimension") != 0) continue;
        bound_dimension(model, node->child[0]);
        keep_dimension(model, statement, node->child[0], orthogonal);
        if (!share_dimension(model, values, node->child[0]) ||
            (orthogonal && !give_dimension(model, statement->node[0], node->child[0])))
            return qkv__fail_value(failure, QKV__TROUBLE_UNABLE, "too many premises");
    }
    if (orthogonal && !keep_frame(model, values, statement->node[0]))
        return qkv__fail_value(failure, QKV__TROUBLE_UNABLE, "too many premises");
    model->free_vectors = model->free_vectors || (!orthogonal && !values);
    if (!orthogonal && !normed) return true;
    if (!normed)
        return qkv__fail_value(failure, QKV__TROUBLE_TEXT,
                               "orthogonal vectors need a norm: orthogonal, norm beta");
    family->gram = orthogonal ? QKV__GRAM_UNIFORM : QKV__GRAM_LENGTHS;
    family->same = qkv__ratio_power(&model->algebra, norm, 2);
    family->different = qkv__ratio_whole(&model->algebra, 0);
    return true;
}

/* The coordinate axes of explicit vectors, 1 to width: orthonormal. */
static const qkv__family *axes(qkv__model *model)
{
    for (size_t i = 0; i < model->space.family_count; i++)
        if (model->space.family[i].axis) return &model->space.family[i];
    qkv__index_set *set = new_set(model, "coordinate axes");
    qkv__family *family = set == NULL ? NULL : qkv__family_add(&model->space, "axis", set);
    if (family == NULL) return NULL;
    family->axis = set->axes = true;
    for (int i = 1; i <= QKV__MARKS; i++) {
        char text[16];
        snprintf(text, sizeof text, "%d", i);
        if (!add_mark(model, set, text)) return NULL;
    }
    set->size = qkv__ratio_whole(&model->algebra, QKV__MARKS);
    family->gram = QKV__GRAM_UNIFORM;
    family->same = qkv__ratio_whole(&model->algebra, 1);
    family->different = qkv__ratio_whole(&model->algebra, 0);
    return family;
}

/* [1, 0, t] as a vector of coordinates. */
bool qkv__model_coordinates(qkv__model *model, const qkv__value *list, const qkv__vector **vector,
                            qkv__failure *failure)
{
    const qkv__family *axis = axes(model);
    *vector = qkv__vector_zero(&model->space);
    if (axis == NULL || list->count > QKV__MARKS)
        return qkv__fail_value(failure, QKV__TROUBLE_UNABLE,
                               "explicit vectors wider than %d are beyond the exact engine",
                               QKV__MARKS);
    for (size_t i = 0; i < list->count; i++) {
        qkv__ratio entry;
        if (!qkv__value_as_ratio(&list->element[i], &entry))
            return qkv__fail_value(failure, QKV__TROUBLE_TEXT, "expected numbers in a vector");
        *vector = qkv__vector_add(&model->space, *vector,
                                  qkv__vector_scale(&model->space,
                                                    qkv__vector_symbol(&model->space, axis, (int)i),
                                                    entry));
    }
    return *vector != NULL || qkv__fail_value(failure, QKV__TROUBLE_UNABLE, "out of range");
}

/* keys k = [[1, 0], [0, 1]]; a list of numbers gives vectors of width 1. */
static bool explicit_family(qkv__model *model, const qkv__node *node, qkv__failure *failure)
{
    qkv__value list;
    const qkv__node *culprit;
    qkv__arena *arena = &model->algebra.arena;
    if (!qkv__model_evaluate(model, node->child[1], NULL, &list, failure, &culprit)) return false;
    if (list.kind != QKV__VALUE_LIST || list.count == 0 || list.count > QKV__MARKS)
        return qkv__fail_value(failure, QKV__TROUBLE_UNABLE, "expected a list of 1 to %d vectors",
                               QKV__MARKS);
    char name[32];
    snprintf(name, sizeof name, "1..%zu", list.count);
    qkv__index_set *set = find_set(model, name);
    if (set == NULL) set = new_set(model, qkv__arena_text(arena, name, strlen(name)));
    qkv__vectors *vectors = qkv__arena_take(arena, sizeof *vectors);
    if (set == NULL || vectors == NULL) return false;
    set->size = qkv__ratio_whole(&model->algebra, (int64_t)list.count);
    *vectors = (qkv__vectors){.set = set};
    vectors->mark = qkv__arena_array(arena, list.count, sizeof *vectors->mark);
    if (vectors->mark == NULL) return false;
    for (size_t i = 0; i < list.count; i++) {
        qkv__value single = {.kind = QKV__VALUE_LIST, .count = 1, .element = &list.element[i]};
        const qkv__value *row =
            list.element[i].kind == QKV__VALUE_LIST ? &list.element[i] : &single;
        snprintf(name, sizeof name, "%zu", i + 1);
        if (!add_mark(model, set, name) || qkv__mark_find(set, name) != (int)i ||
            !qkv__model_coordinates(model, row, &vectors->mark[i], failure))
            return qkv__fail_value(failure, QKV__TROUBLE_UNABLE,
                                   "indices of %s were picked before its members are listed",
                                   set->name);
    }
    return qkv__model_bind(
        model, (qkv__binding){.name = node->child[0]->text,
                              .value = {.kind = QKV__VALUE_VECTORS, .vectors = vectors}});
}

/* Keys that are listed say of how many dimensions all others are. */
static bool share_listed(qkv__model *model, const qkv__statement *statement)
{
    const bool values = strcmp(statement->text, "values") == 0;
    const size_t width = qkv__model_list_width(model, values);
    qkv__node *number = qkv__arena_take(&model->algebra.arena, sizeof *number);
    if (width == 0 || number == NULL) return number != NULL;
    *number = (qkv__node){.kind = QKV__NODE_NUMBER,
                          .text = "",
                          .place = statement->place,
                          .value = qkv__rational_whole((int64_t)width),
                          .depth = 1};
    return share_dimension(model, values, number) ||
           qkv__model_complain(model, statement->place, "too many premises");
}

static bool declare_family(qkv__model *model, const qkv__statement *statement)
{
    qkv__failure failure = {0};
    const qkv__node *declared = statement->node[0], *culprit;
    if (declared->kind == QKV__NODE_COMPARE && declared->comparison == QKV__EQUAL &&
        !share_listed(model, statement))
        return false;
    if (declared->kind == QKV__NODE_COMPARE && declared->comparison == QKV__EQUAL &&
        model->table_reader != NULL && model->table_reader->makes(declared->child[1]))
        return model->table_reader->declare(model, declared->child[0]->text, declared->child[1],
                                            &failure, &culprit) ||
               complain_failure(model, culprit->place, &failure);
    if (declared->kind == QKV__NODE_COMPARE && declared->comparison == QKV__EQUAL)
        return explicit_family(model, declared, &failure) ||
               complain_failure(model, statement->place, &failure);
    if (declared->kind == QKV__NODE_COMPARE) {
        culprit = declared;
        return qkv__random_declare(model, declared, &failure, &culprit) ||
               complain_failure(model, culprit->place, &failure);
    }
    qkv__index_set *set = declared_set(model, declared, &failure);
    if (set == NULL) return complain_failure(model, declared->place, &failure);
    qkv__family *family = qkv__family_add(&model->space, declared->child[0]->text, set);
    if (family == NULL)
        return qkv__model_complain(model, statement->place, "too many families of vectors");
    if (!read_properties(model, statement, 1, family, &failure))
        return complain_failure(model, statement->place, &failure);
    const qkv__vectors *vectors = family_vectors(model, family);
    return vectors != NULL &&
           qkv__model_bind(
               model, (qkv__binding){.name = family->name,
                                     .value = {.kind = QKV__VALUE_VECTORS, .vectors = vectors}});
}

/* ---- Objects and definitions --------------------------------------------------------- */

/* The sizes of a matrix are whole and at least 1. */
static void count_sizes(qkv__model *model, const qkv__node *declared)
{
    const qkv__rational one = qkv__rational_whole(1);
    for (size_t i = 1; declared->kind == QKV__NODE_INDEX && i < declared->count; i++) {
        const qkv__node *size = declared->child[i];
        if (size->kind != QKV__NODE_NAME || qkv__model_find(model, NULL, size->text) != NULL)
            continue;
        int parameter = qkv__model_parameter(model, size->text);
        if (parameter < 0) continue;
        qkv__parameter *known = &model->algebra.parameter[parameter];
        count_with(known);
        if (!known->lower.known || qkv__rational_compare(known->lower.value, one) < 0)
            known->lower = (qkv__bound){.known = true, .value = one};
    }
}

/* vector q: a symbol of its own; matrix and permutation wait for the words engine. */
static bool declare_object(qkv__model *model, const qkv__statement *statement)
{
    for (size_t i = 0; i < statement->count; i++) {
        const qkv__node *node = statement->node[i];
        count_sizes(model, node);
        const char *name = node->kind == QKV__NODE_INDEX ? node->child[0]->text : node->text;
        qkv__binding binding = {.name = name};
        if (strcmp(statement->text, "scalar") == 0) {
            if (qkv__model_parameter(model, name) < 0)
                return qkv__model_complain(model, node->place, "too many parameters");
            continue;
        }
        if (strcmp(statement->text, "vector") == 0 && node->kind == QKV__NODE_NAME) {
            qkv__family *family = qkv__family_add(&model->space, name, NULL);
            if (family == NULL) return qkv__model_complain(model, node->place, "too many vectors");
            model->free_vectors = true;
            binding.value = qkv__value_vector(qkv__vector_symbol(&model->space, family, 0));
        } else {
            binding.symbolic = node;
            binding.symbolic_kind = statement->text;
        }
        if (!qkv__model_bind(model, binding)) return false;
    }
    return true;
}

/* x[1] = ...: the family grows by one member, in order. */
static bool define_member(qkv__model *model, const qkv__node *target, const qkv__vector *vector,
                          qkv__failure *failure)
{
    const char *name = target->child[0]->text;
    const qkv__binding *old = qkv__model_find(model, NULL, name);
    qkv__arena *arena = &model->algebra.arena;
    if (old != NULL && old->value.kind != QKV__VALUE_VECTORS)
        return qkv__fail_value(failure, QKV__TROUBLE_TEXT, "%s is no family of vectors", name);
    size_t count = old == NULL ? 0 : old->value.vectors->set->mark_count;
    if (target->count != 2 || target->child[1]->kind != QKV__NODE_NUMBER ||
        target->child[1]->value.numerator != (int64_t)count + 1)
        return qkv__fail_value(failure, QKV__TROUBLE_TEXT,
                               "members are defined in order: expected %s[%zu]", name, count + 1);
    char text[64];
    snprintf(text, sizeof text, "1..%zu", count + 1);
    qkv__index_set *set = find_set(model, text);
    if (set == NULL) set = new_set(model, qkv__arena_text(arena, text, strlen(text)));
    qkv__vectors *vectors = qkv__arena_take(arena, sizeof *vectors);
    const qkv__vector **mark = qkv__arena_array(arena, count + 1, sizeof *mark);
    if (set == NULL || vectors == NULL || mark == NULL)
        return qkv__fail_value(failure, QKV__TROUBLE_UNABLE, "out of memory");
    set->size = qkv__ratio_whole(&model->algebra, (int64_t)count + 1);
    for (size_t i = 1; i <= count + 1; i++) {
        snprintf(text, sizeof text, "%zu", i);
        if (!add_mark(model, set, text) || qkv__mark_find(set, text) != (int)i - 1)
            return qkv__fail_value(failure, QKV__TROUBLE_UNABLE,
                                   "indices of %s were picked before its members are defined",
                                   set->name);
    }
    if (count > 0) memcpy(mark, old->value.vectors->mark, count * sizeof *mark);
    mark[count] = vector;
    *vectors = (qkv__vectors){.set = set, .mark = mark};
    return qkv__model_bind(
        model,
        (qkv__binding){.name = name, .value = {.kind = QKV__VALUE_VECTORS, .vectors = vectors}});
}

/* A list of numbers that is defined as a vector: q = [5, 0]. */
static bool as_plain_vector(qkv__model *model, qkv__value *value, qkv__failure *failure)
{
    bool numbers = value->kind == QKV__VALUE_LIST && value->count > 0;
    for (size_t i = 0; numbers && i < value->count; i++)
        numbers = value->element[i].kind == QKV__VALUE_SCALAR;
    const qkv__vector *vector;
    if (!numbers) return true;
    if (!qkv__model_coordinates(model, value, &vector, failure)) return false;
    *value = qkv__value_vector(vector);
    return true;
}

static bool declare_definition(qkv__model *model, const qkv__statement *statement)
{
    const qkv__node *target = statement->node[0], *body = statement->node[1], *culprit = body;
    qkv__failure failure = {0};
    qkv__value value;
    if (target->kind == QKV__NODE_NAME && qkv__parameter_find(&model->algebra, target->text) >= 0)
        return qkv__model_complain(model, target->place,
                                   "%s was a free number above; define it before it is used",
                                   target->text);
    if (target->kind == QKV__NODE_CALL || /* or an abbreviation for the words engine */
        qkv__model_is_symbolic(model, body))
        return qkv__definition_bind(model, statement);
    const qkv__node *expanded = qkv__chance_expand(model, body);
    if (expanded != NULL && target->kind == QKV__NODE_NAME && qkv__speaks_of_chance(expanded))
        return qkv__model_bind(model,
                               (qkv__binding){.name = target->text,
                                              .beyond = "a number of chance stands in claims alone",
                                              .chance = expanded});
    bool table = model->table_reader != NULL && model->table_reader->takes(model, body);
    bool good = table ? model->table_reader->evaluate(model, body, &value, &failure, &culprit)
                      : qkv__model_evaluate(model, body, NULL, &value, &failure, &culprit) &&
                            as_plain_vector(model, &value, &failure);
    if (!good && !table && failure.trouble == QKV__TROUBLE_UNABLE &&
        target->kind == QKV__NODE_NAME) {
        const char *why = /* other engines may still take it */
            qkv__arena_text(&model->algebra.arena, failure.message, strlen(failure.message));
        return qkv__model_bind(model,
                               (qkv__binding){.name = target->text, .beyond = why, .body = body});
    }
    if (!good) return complain_failure(model, culprit->place, &failure);
    if (target->kind == QKV__NODE_INDEX) {
        const qkv__vector *vector;
        if (!qkv__value_as_vector(&value, &vector))
            return qkv__model_complain(model, body->place, "expected a vector, found %s",
                                       qkv__value_kind_name(value.kind));
        return define_member(model, target, vector, &failure) ||
               complain_failure(model, target->place, &failure);
    }
    return qkv__model_bind(model, (qkv__binding){.name = target->text, .value = value});
}

size_t qkv__model_list_width(const qkv__model *model, bool values)
{
    size_t width = 0;
    for (const qkv__statement *s = model->statements; s != NULL; s = s->next) {
        if (s->kind == QKV__STATEMENT_PROBLEM && s != model->statements) break;
        if (s->kind != QKV__STATEMENT_FAMILY || (strcmp(s->text, "values") == 0) != values ||
            s->node[0]->kind != QKV__NODE_COMPARE || s->node[0]->comparison != QKV__EQUAL)
            continue;
        const qkv__node *list = s->node[0]->child[1];
        const qkv__node *first =
            list->kind == QKV__NODE_LIST && list->count > 0 ? list->child[0] : NULL;
        size_t here = first == NULL ? 0 : first->kind == QKV__NODE_LIST ? first->count : 1;
        if (list->table != NULL) here = list->table->flat ? 1 : list->table->columns;
        if (here == 0 || (width != 0 && width != here)) return 0;
        width = here;
    }
    return width;
}

bool qkv__model_is_defined(const qkv__model *model, const char *name)
{
    for (const qkv__statement *s = model->statements; s != NULL; s = s->next) {
        if (s->kind == QKV__STATEMENT_PROBLEM && s != model->statements) break;
        if (s->kind == QKV__STATEMENT_DEFINE && s->node[0]->kind == QKV__NODE_NAME &&
            strcmp(s->node[0]->text, name) == 0)
            return qkv__model_find(model, NULL, name) != NULL;
    }
    return false;
}

/* What is assumed of matrices is for the words engine, anything else is given. */
static bool names_matrices(const qkv__model *model, const qkv__statement *statement)
{
    for (size_t i = 0; i < statement->count; i++)
        if (!qkv__model_is_symbolic(model, statement->node[i])) return false;
    return true;
}

/* What is picked from a set is there. */
static void declare_pick(qkv__model *model, const qkv__statement *statement)
{
    const qkv__node *range = statement->node[statement->count - 1];
    qkv__failure failure = {0};
    if (range->kind == QKV__NODE_RANGE && !waits(model, statement->next, range))
        range_set(model, range, true, &failure);
}

static bool declare(qkv__model *model, const qkv__statement *statement)
{
    switch (statement->kind) {
    case QKV__STATEMENT_GIVEN: return declare_given(model, statement);
    case QKV__STATEMENT_FAMILY: return declare_family(model, statement);
    case QKV__STATEMENT_OBJECT: return declare_object(model, statement);
    case QKV__STATEMENT_DEFINE: return declare_definition(model, statement);
    case QKV__STATEMENT_PICK: declare_pick(model, statement); return true;
    case QKV__STATEMENT_ASSUME:
        if (!names_matrices(model, statement)) return declare_given(model, statement);
        if (model->assumption_count < sizeof model->assumptions / sizeof model->assumptions[0])
            model->assumptions[model->assumption_count++] = statement;
        return true;
    default: return true; /* claims are decided elsewhere */
    }
}

bool qkv__model_declare(qkv__model *model, const qkv__statement *statement)
{
    bool good = declare(model, statement);
    return (model->deferred_count == 0 || give_deferred(model, statement)) && good;
}
