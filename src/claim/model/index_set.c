/* Index sets: ranges and lists of names, their sizes, and the members that have names. Knows
 * parameters and picks; nothing of vectors. */
#include "claim/model/index_set.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "claim/model/binding.h"
#include "claim/model/bound.h"
#include "claim/model/evaluate.h"
#include "claim/model/model.h"
#include "exact/sign.h"
#include "language/complaint.h"
#include "language/tree.h"
#include "language/write.h"

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

qkv__index_set *qkv__set_find(const qkv__model *model, const char *name)
{
    for (size_t i = 0; i < model->set_count; i++)
        if (strcmp(model->sets[i]->name, name) == 0) return model->sets[i];
    return NULL;
}

qkv__index_set *qkv__set_new(qkv__model *model, const char *name)
{
    qkv__index_set *set = qkv__arena_take(&model->algebra.arena, sizeof *set);
    if (set == NULL || model->set_count == QKV__FAMILIES) return NULL;
    set->name = name;
    model->sets[model->set_count++] = set;
    return set;
}

bool qkv__set_may_have_rest(qkv__model *model, const qkv__index_set *set)
{
    return !qkv__ratio_is_zero(qkv__rest_size(&model->algebra, set));
}

bool qkv__set_has_rest(qkv__model *model, const qkv__index_set *set)
{
    return qkv__ratio_sign(&model->algebra, qkv__rest_size(&model->algebra, set)) ==
           QKV__SIGN_POSITIVE;
}

int qkv__mark_find(const qkv__index_set *set, const char *name)
{
    for (size_t i = 0; set != NULL && i < set->alias_count; i++)
        if (strcmp(set->alias[i].name, name) == 0) {
            name = set->alias[i].mark;
            break;
        }
    for (size_t i = 0; set != NULL && i < set->mark_count; i++)
        if (strcmp(set->mark[i], name) == 0) return (int)i;
    return -1;
}

bool qkv__set_add_mark(qkv__model *model, qkv__index_set *set, const char *name)
{
    if (qkv__mark_find(set, name) >= 0) return true;
    if (set->mark_count == QKV__MARKS) return false;
    char *copy = qkv__arena_text(&model->algebra.arena, name, strlen(name));
    if (copy == NULL) return false;
    set->mark[set->mark_count++] = copy;
    return true;
}

static bool is_number(const char *text, int64_t *number)
{
    char *end;
    *number = strtol(text, &end, 10);
    return *end == '\0' && *number > 0;
}

bool qkv__mark_number(const qkv__index_set *set, int member, int64_t *number)
{
    if (member < 0 || (size_t)member >= set->mark_count) return false;
    *number = member + 1;
    if (strstr(set->name, "..") == NULL) return true; /* all its names, in order */
    if (is_number(set->mark[member], number)) return true;
    for (size_t i = 0; i < set->alias_count; i++) /* picked, and its number is known */
        if (strcmp(set->alias[i].mark, set->mark[member]) == 0 &&
            is_number(set->alias[i].name, number))
            return true;
    return false;
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
        return qkv__fail_value(failure, QKV__TROUBLE_TEXT, "the end of a range is not a number");
    return true;
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

/* The letters of a size, as in 2*m or n - 1, are whole numbers, and not negative. */
static void make_whole(qkv__model *model, qkv__ratio size)
{
    qkv__algebra *algebra = &model->algebra;
    if (!is_whole_polynomial(size)) return;
    for (int p = 0; p < (int)algebra->parameter_count; p++) {
        qkv__parameter *letter = &algebra->parameter[p];
        if (!qkv__form_depends_on(size.numerator, p) || letter->whole) continue;
        qkv__parameter_counts(letter);
        qkv__parameter_narrow(letter, QKV__GREATER_OR_EQUAL, qkv__rational_whole(0));
    }
}

/* In k[1..n-1] it is n - 1 that is not negative; a name, also one that is defined, is at least 1.
 */
static void bound_expression(qkv__model *model, const qkv__node *size, const qkv__index_set *set)
{
    bool name = size->kind == QKV__NODE_NAME;
    if (size->kind == QKV__NODE_NUMBER) return;
    make_whole(model, set->size);
    const qkv__node *least = qkv__node_number(
        &model->algebra.arena,
        qkv__rational_whole(name && set->mark_count == 0 ? 1 : (int64_t)set->mark_count),
        size->place);
    qkv__model_add_premise(model, qkv__model_comparison(model, size, QKV__GREATER_OR_EQUAL, least));
}

/* A size counts: it is whole, at least 1, and no less than the number of picked indices. */
static void bound_size(qkv__model *model, const qkv__node *range, const qkv__index_set *set)
{
    assert(range->kind == QKV__NODE_RANGE);
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
    qkv__parameter_counts(known);
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
        if (!qkv__set_add_mark(model, set, text)) return false;
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
    const bool whole = is_whole_valued(algebra, set->size);
    return qkv__fail_value(failure, QKV__TROUBLE_UNABLE,
                           whole ? "%s may be an empty range"
                                 : "nothing says that %s ends at a whole number, as the size of a "
                                   "family does",
                           set->name);
}

qkv__index_set *qkv__set_of_range(qkv__model *model, const qkv__node *range, bool declared,
                                  qkv__failure *failure)
{
    char *name = set_name(model, range);
    if (name == NULL) {
        qkv__fail_value(failure, QKV__TROUBLE_UNABLE, "out of memory");
        return NULL;
    }
    qkv__index_set *set = qkv__set_find(model, name);
    qkv__ratio size = {NULL, NULL};
    bool sized = set != NULL && !qkv__ratio_is_lost(set->size);
    if (!sized && !range_size(model, range, &size, failure)) return NULL;
    if (set == NULL) set = qkv__set_new(model, name);
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
            if (!qkv__set_add_mark(model, set, text)) return NULL;
        }
    else if (set->mark_count == 0 && qkv__ratio_is_constant(size, &number) &&
             !mark_mentioned(model, set, number.numerator, failure))
        return NULL;
    return set;
}

qkv__index_set *qkv__model_set(qkv__model *model, const qkv__node *range, qkv__failure *failure)
{
    return qkv__set_of_range(model, range, false, failure);
}

/* ---- Marks ----------------------------------------------------------------------------------- */

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
bool qkv__model_mark_fixed(qkv__model *model)
{
    for (size_t i = 0; i < model->fixed_count; i++) {
        const qkv__fixed_index *fixed = &model->fixed[i];
        if (fixed->pick != NULL) continue;
        qkv__index_set *set = qkv__set_find(model, fixed->set);
        if (set == NULL) set = qkv__set_new(model, fixed->set);
        if (set == NULL || !qkv__set_add_mark(model, set, fixed->mark)) return false;
        if (fixed->domain != NULL || strcmp(fixed->name, fixed->mark) == 0) continue;
        if (set->alias_count == QKV__ALIASES) return false; /* the number of a picked one */
        set->alias[set->alias_count].name = fixed->name;
        set->alias[set->alias_count++].mark = fixed->mark;
    }
    return true;
}

/* pick a, b distinct in 1..n: marks must be known before anything is evaluated. */
static bool collect_pick(qkv__model *model, const qkv__statement *statement)
{
    assert(statement->kind == QKV__STATEMENT_PICK);
    const qkv__node *range = statement->node[statement->count - 1];
    char *name = set_name(model, range);
    qkv__index_set *set = name == NULL ? NULL : qkv__set_find(model, name);
    if (name != NULL && set == NULL) set = qkv__set_new(model, name);
    if (set == NULL) return qkv__model_complain(model, statement->place, "too many index sets");
    if ((!statement->distinct && statement->count > 2) || set->mark_count > 0 ||
        set->alias_count > 0)
        return qkv__model_complain(
            model, statement->place,
            "several picked indexes differ: write pick ... distinct in ..., or, "
            "where they may be equal, claim: ... for a in 1..n, b in 1..n");
    for (size_t i = 0; i + 1 < statement->count; i++) {
        const char *picked = statement->node[i]->text;
        if (!pick_known(model, set, picked) && !qkv__set_add_mark(model, set, picked))
            return qkv__model_complain(model, statement->place, "too many picked indices");
    }
    return true;
}

bool qkv__model_collect_picks(qkv__model *model, const qkv__statement *first)
{
    bool good = true;
    for (const qkv__statement *s = first; s != NULL; s = qkv__statement_after(s)) {
        if (s->kind != QKV__STATEMENT_PICK || collect_pick(model, s)) continue;
        good = false;
        if (!model->mute) qkv__document_lose(model->document, s->place.line);
    }
    return good;
}
