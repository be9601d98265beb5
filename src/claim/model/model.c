/* A problem's statements read into a model, in order: premises, families, objects, definitions.
 * Knows nothing of verdicts. */
#include "claim/model/listed.h"
#include "claim/model/model.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "claim/model/binding.h"
#include "claim/model/bound.h"
#include "claim/model/definition.h"
#include "claim/model/evaluate.h"
#include "claim/model/family.h"
#include "claim/model/index_set.h"
#include "claim/model/random_declare.h"
#include "language/chance_call.h"
#include "language/family_index.h"
#include "language/law.h"
#include "language/tree.h"

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
    return qkv__model_collect_picks(model, first) && qkv__model_mark_fixed(model);
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

/* ---- What is given --------------------------------------------------------------------------- */

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
    const qkv__node *zero =
        qkv__node_number(&model->algebra.arena, qkv__rational_whole(0), norm->place);
    return qkv__model_add_premise(model,
                                  qkv__model_comparison(model, norm, QKV__GREATER_OR_EQUAL, zero));
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
            return qkv__model_complain_failure(model, culprit->place, &mistake);
    return qkv__model_add_premise(model, node) ||
           qkv__model_complain(model, node->place, "too many premises");
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
    if (qkv__node_is_word(node) && comes_later(model, after, node->text)) return true;
    for (size_t i = 0; i < node->count; i++)
        if (waits(model, after, node->child[i])) return true;
    return false;
}

/* A premise may stand in front of the declaration of what it speaks of: then it waits. */
static bool declare_given(qkv__model *model, const qkv__statement *statement)
{
    assert(statement->kind == QKV__STATEMENT_GIVEN || statement->kind == QKV__STATEMENT_ASSUME);
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
        qkv__parameter_counts(known);
        if (!known->lower.known || qkv__rational_compare(known->lower.value, one) < 0)
            known->lower = (qkv__bound){.known = true, .value = one};
    }
}

/* vector q[d] where vectors of d numbers are drawn and there are no matrices: like vector q. */
static bool is_among_drawn(const qkv__model *model, const qkv__node *node)
{
    if (!qkv__random_is_declared(model->statements) || !qkv__law_measures(model->statements, node))
        return false;
    for (const qkv__statement *s = model->statements; s != NULL; s = qkv__statement_after(s))
        if (s->kind == QKV__STATEMENT_OBJECT &&
            (strcmp(s->text, "matrix") == 0 || strcmp(s->text, "permutation") == 0))
            return false;
    return true;
}

/* vector q: a symbol of its own; matrix and permutation wait for the words engine. */
static bool declare_object(qkv__model *model, const qkv__statement *statement)
{
    assert(statement->kind == QKV__STATEMENT_OBJECT);
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
        bool drawn = strcmp(statement->text, "vector") == 0 && is_among_drawn(model, node);
        if (drawn && !qkv__family_measure(model, node->child[1]))
            return qkv__model_complain(model, node->place, "too many premises");
        if (strcmp(statement->text, "vector") == 0 && (drawn || node->kind == QKV__NODE_NAME)) {
            qkv__family *family = qkv__family_add(&model->space, name, NULL);
            if (family == NULL) return qkv__model_complain(model, node->place, "too many vectors");
            model->frames[0].free = true;
            binding.value = qkv__value_vector(qkv__vector_symbol(&model->space, family, 0));
        } else {
            binding.symbolic = node;
            binding.symbolic_kind = statement->text;
        }
        if (!qkv__model_bind(model, binding)) return false;
    }
    return true;
}

/* The indexes 1..count + 1 of a family that grows by the member `target`, in order. */
static qkv__index_set *grown_set(qkv__model *model, const qkv__node *target, size_t count,
                                 qkv__failure *failure)
{
    assert(target->kind == QKV__NODE_INDEX);
    const char *name = target->child[0]->text;
    qkv__arena *arena = &model->algebra.arena;
    if (target->count != 2 || target->child[1]->kind != QKV__NODE_NUMBER ||
        target->child[1]->value.numerator != (int64_t)count + 1)
        return qkv__fail_value(failure, QKV__TROUBLE_TEXT,
                               "members are defined in order: expected %s[%zu]", name, count + 1),
               NULL;
    char text[64];
    snprintf(text, sizeof text, "1..%zu", count + 1);
    qkv__index_set *set = qkv__set_find(model, text);
    if (set == NULL) set = qkv__set_new(model, qkv__arena_text(arena, text, strlen(text)));
    if (set == NULL) return qkv__fail_value(failure, QKV__TROUBLE_UNABLE, "out of memory"), NULL;
    set->size = qkv__ratio_whole(&model->algebra, (int64_t)count + 1);
    for (size_t i = 1; i <= count + 1; i++) {
        snprintf(text, sizeof text, "%zu", i);
        if (!qkv__set_add_mark(model, set, text) || qkv__mark_find(set, text) != (int)i - 1)
            return qkv__fail_value(failure, QKV__TROUBLE_UNABLE,
                                   "indices of %s were picked before its members are defined",
                                   set->name),
                   NULL;
    }
    return set;
}

/* x[1] = ...: the family of vectors grows by one member. */
static bool define_member(qkv__model *model, const qkv__node *target, const qkv__vector *vector,
                          qkv__failure *failure)
{
    const char *name = target->child[0]->text;
    const qkv__binding *old = qkv__model_find(model, NULL, name);
    if (old != NULL && old->value.kind != QKV__VALUE_VECTORS)
        return qkv__fail_value(failure, QKV__TROUBLE_TEXT, "%s is not a family of vectors", name);
    const size_t count = old == NULL ? 0 : old->value.vectors->set->mark_count;
    qkv__index_set *set = grown_set(model, target, count, failure);
    if (set == NULL) return false;
    qkv__vectors *vectors = qkv__arena_take(&model->algebra.arena, sizeof *vectors);
    const qkv__vector **mark = qkv__arena_array(&model->algebra.arena, count + 1, sizeof *mark);
    if (vectors == NULL || mark == NULL)
        return qkv__fail_value(failure, QKV__TROUBLE_UNABLE, "out of memory");
    if (count > 0) memcpy(mark, old->value.vectors->mark, count * sizeof *mark);
    mark[count] = vector;
    *vectors = (qkv__vectors){.set = set, .mark = mark};
    return qkv__model_bind(
        model,
        (qkv__binding){.name = name, .value = {.kind = QKV__VALUE_VECTORS, .vectors = vectors}});
}

/* g[1] = 0: the same of numbers. */
static bool define_number(qkv__model *model, const qkv__node *target, qkv__ratio number,
                          qkv__failure *failure)
{
    const char *name = target->child[0]->text;
    const qkv__binding *old = qkv__model_find(model, NULL, name);
    if (old != NULL && old->value.kind != QKV__VALUE_NUMBERS)
        return qkv__fail_value(failure, QKV__TROUBLE_TEXT, "%s is not a family of numbers", name);
    const size_t count = old == NULL ? 0 : old->value.numbers->set->mark_count;
    qkv__index_set *set = grown_set(model, target, count, failure);
    if (set == NULL) return false;
    qkv__numbers *numbers = qkv__arena_take(&model->algebra.arena, sizeof *numbers);
    qkv__ratio *mark = qkv__arena_array(&model->algebra.arena, count + 1, sizeof *mark);
    if (numbers == NULL || mark == NULL)
        return qkv__fail_value(failure, QKV__TROUBLE_UNABLE, "out of memory");
    if (count > 0) memcpy(mark, old->value.numbers->mark, count * sizeof *mark);
    mark[count] = number;
    *numbers = (qkv__numbers){.set = set, .mark = mark};
    return qkv__model_bind(
        model,
        (qkv__binding){.name = name, .value = {.kind = QKV__VALUE_NUMBERS, .numbers = numbers}});
}

static bool declare_definition(qkv__model *model, const qkv__statement *statement)
{
    assert(statement->kind == QKV__STATEMENT_DEFINE);
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
        return qkv__model_bind(
            model, (qkv__binding){.name = target->text,
                                  .beyond = "P, E, Var and Cov are allowed only in claims",
                                  .chance = expanded});
    bool table = model->table_reader != NULL && model->table_reader->takes(model, body);
    bool good = table ? model->table_reader->evaluate(model, body, &value, &failure, &culprit)
                      : qkv__model_evaluate(model, body, NULL, &value, &failure, &culprit) &&
                            qkv__model_as_vector(model, &value, &failure);
    if (!good && (!table || qkv__list_is_family(body)) && failure.trouble == QKV__TROUBLE_UNABLE &&
        target->kind == QKV__NODE_NAME) {
        const char *why = /* other engines may still take it */
            qkv__arena_text(&model->algebra.arena, failure.message, strlen(failure.message));
        return qkv__model_bind(model,
                               (qkv__binding){.name = target->text, .beyond = why, .body = body});
    }
    if (!good) return qkv__model_complain_failure(model, culprit->place, &failure);
    if (target->kind == QKV__NODE_INDEX) {
        const qkv__vector *vector;
        qkv__ratio number;
        const bool is_number = qkv__value_as_ratio(&value, &number);
        if (!is_number && !qkv__value_as_vector(&value, &vector))
            return qkv__model_complain(model, body->place,
                                       "expected a vector or a number, found %s",
                                       qkv__value_kind_name(value.kind));
        return (is_number ? define_number(model, target, number, &failure)
                          : define_member(model, target, vector, &failure)) ||
               qkv__model_complain_failure(model, target->place, &failure);
    }
    return qkv__model_bind(model, (qkv__binding){.name = target->text, .value = value});
}

bool qkv__model_is_defined(const qkv__model *model, const char *name)
{
    for (const qkv__statement *s = model->statements; s != NULL; s = qkv__statement_after(s)) {
        if (s->kind == QKV__STATEMENT_DEFINE && qkv__node_is(s->node[0], name))
            return qkv__model_find(model, NULL, name) != NULL;
    }
    return false;
}

/* What is assumed of matrices is for the words engine, anything else is given. */
static bool names_matrices(const qkv__model *model, const qkv__statement *statement)
{
    assert(statement->kind == QKV__STATEMENT_ASSUME);
    for (size_t i = 0; i < statement->count; i++)
        if (!qkv__model_is_symbolic(model, statement->node[i])) return false;
    return true;
}

/* What is picked from a set is there. */
static bool declare_pick(qkv__model *model, const qkv__statement *statement)
{
    assert(statement->kind == QKV__STATEMENT_PICK);
    const qkv__node *range = statement->node[statement->count - 1];
    qkv__failure failure = {0};
    if (range->kind != QKV__NODE_RANGE) return true;
    if (!waits(model, statement->next, range)) qkv__set_of_range(model, range, true, &failure);
    const qkv__node *low = range->child[0], *high = range->child[1];
    if (low->kind == QKV__NODE_NUMBER &&
        (high->kind == QKV__NODE_NUMBER || low->value.numerator == 1))
        return true;
    if (low->kind == QKV__NODE_NUMBER) { /* p different numbers from low on */
        qkv__node *least = qkv__arena_take(&model->algebra.arena, sizeof *least);
        if (least == NULL) return false;
        *least = *low;
        least->value =
            qkv__rational_add(low->value, qkv__rational_whole((int64_t)statement->count - 2));
        low = least;
    }
    return qkv__model_add_premise(model,
                                  qkv__model_comparison(model, low, QKV__LESS_OR_EQUAL, high));
}

static bool declare(qkv__model *model, const qkv__statement *statement)
{
    switch (statement->kind) {
    case QKV__STATEMENT_GIVEN: return declare_given(model, statement);
    case QKV__STATEMENT_FAMILY: return qkv__family_declare(model, statement);
    case QKV__STATEMENT_OBJECT: return declare_object(model, statement);
    case QKV__STATEMENT_DEFINE: return declare_definition(model, statement);
    case QKV__STATEMENT_PICK: return declare_pick(model, statement);
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
