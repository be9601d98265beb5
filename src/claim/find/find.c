/* Questions: which engine answers a `find`, and under which conditions. Knows the engines by name;
 * nothing of how they answer. */
#include "claim/find/find.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ball/box.h"
#include "claim/find/find_part.h"
#include "claim/model/bound.h"
#include "claim/model/definition.h"
#include "claim/model/evaluate.h"
#include "claim/model/random_still.h"
#include "claim/premise/given.h"
#include "claim/words/words_engine.h"
#include "language/tree.h"

/* ---- Names --------------------------------------------------------------------------- */

static bool unknowns_differ(qkv__question *question)
{
    for (size_t i = 0; i < question->unknown_count; i++) {
        const char *name = qkv__unknown_name(question->unknown[i]);
        for (size_t j = 0; j < i; j++)
            if (strcmp(name, qkv__unknown_name(question->unknown[j])) == 0)
                return qkv__question_complain(question, question->unknown[i],
                                              "%s is asked for twice", name);
    }
    return true;
}

static bool unknowns_occur(qkv__question *question)
{
    for (size_t i = 0; i < question->unknown_count; i++) {
        const char *name = qkv__unknown_name(question->unknown[i]);
        if (!qkv__question_mentions(question, name))
            return qkv__question_complain(question, question->unknown[i],
                                          "%s does not occur in the question", name);
    }
    return true;
}

/* ---- Conditions ---------------------------------------------------------------------- */

/* beta in 1..2, where beta is a number and no index. */
static bool is_interval(const qkv__question *question, const qkv__node *node)
{
    return node->kind == QKV__NODE_COMPARE && node->comparison == QKV__IN &&
           node->child[0]->kind == QKV__NODE_NAME && node->child[1]->kind == QKV__NODE_RANGE &&
           qkv__parameter_find(&question->model->algebra, node->child[0]->text) >= 0;
}

static bool take_interval(qkv__question *question, const qkv__node *node)
{
    assert(node->kind == QKV__NODE_COMPARE);
    static const qkv__comparison comparisons[] = {QKV__GREATER_OR_EQUAL, QKV__LESS_OR_EQUAL};
    for (int i = 0; i < 2; i++) {
        const qkv__node *sides[] = {node->child[0], node->child[1]->child[i]};
        qkv__node bound = *node;
        qkv__failure failure = {0};
        bound.comparison = comparisons[i];
        bound.child = sides;
        if (!qkv__model_bound(question->model, &bound, &failure)) question->premised = true;
    }
    return true;
}

static bool take_range(qkv__question *question, const qkv__node *node)
{
    qkv__failure failure = {0};
    if (qkv__node_is_word(node)) return true;        /* for all s */
    if (qkv__random_is_met(question->model, node)) { /* alpha = 0 in a still model */
        qkv__random_meet(question->model, node);
        return true;
    }
    if (is_interval(question, node)) return take_interval(question, node);
    bool plain = node->kind == QKV__NODE_COMPARE && node->child[0]->kind == QKV__NODE_NAME;
    if (plain && node->comparison == QKV__NOT_EQUAL &&
        qkv__parameter_find(&question->model->algebra, node->child[0]->text) >= 0) {
        question->premised = true; /* s != 0, of a number */
        return true;
    }
    if (node->kind == QKV__NODE_COMPARE &&
        (node->comparison == QKV__NOT_IN || node->comparison == QKV__IN ||
         node->comparison == QKV__NOT_EQUAL)) {
        if (question->index != NULL) /* two conditions on an index */
            return qkv__question_open(
                question,
                "several conditions on an index: write them as one, such as i not in {a, b}");
        question->index = node;
        return true;
    }
    /* What is no bound is left to who decides in the end. */
    if (!qkv__model_bound(question->model, node, &failure)) question->premised = true;
    return true;
}

static bool take_tolerance(qkv__question *question, const qkv__node *node)
{
    qkv__value value;
    qkv__failure failure = {0};
    const qkv__node *culprit;
    if (!qkv__model_evaluate(question->model, node, NULL, &value, &failure, &culprit)) {
        qkv__question_fail(question, &failure, culprit);
        return false;
    }
    question->has_tolerance = qkv__value_as_ratio(&value, &question->tolerance);
    return question->has_tolerance ||
           qkv__question_complain(question, node, "a tolerance is a number");
}

static bool take_condition(qkv__question *question, const qkv__circumstance *condition)
{
    switch (condition->kind) {
    case QKV__CONDITION_EXPECT: return true;
    case QKV__CONDITION_WITHIN: return take_tolerance(question, condition->node);
    case QKV__CONDITION_LIMIT:
        if (question->limit == NULL) question->limit = condition->node;
        return true;
    default: return take_range(question, condition->node);
    }
}

static bool take_conditions(qkv__question *question)
{
    qkv__box box;
    if (question->model->gappy) question->premised = true;
    for (size_t i = 0; i < question->circumstances->count; i++)
        if (!take_condition(question, &question->circumstances->item[i])) return false;
    return qkv__box_of_algebra(&question->model->algebra, &box) ||
           qkv__question_open(question,
                              "the conditions exclude each other: nothing is left to find");
}

/* ---- Which engine -------------------------------------------------------------------- */

/* A query or a number: find q: p asks what exists q: p claims. */
static void ask_design(qkv__question *question)
{
    qkv__node exists = *question->proposition;
    exists.kind = QKV__NODE_EXISTS;
    exists.count = question->unknown_count + 1;
    exists.child = question->statement->node; /* the unknowns, and what they must do */
    question->again(question->model, &exists, question->circumstances, question->finding);
    if (question->finding->verdict == QKV__UNDECIDED && question->finding->culprit == NULL)
        qkv__question_open(question, "no engine supports this question");
}

static void answer(qkv__question *question)
{
    const qkv__statement *statement = question->statement;
    if (!unknowns_differ(question) || !take_conditions(question)) return;
    if (statement->least)
        qkv__find_least(question);
    else if (qkv__model_is_symbolic(question->model, question->proposition))
        qkv__find_words(question->model, question->unknown, question->unknown_count,
                        question->proposition, question->circumstances, question->finding);
    else if (qkv__find_is_about_matrices(question))
        qkv__find_matrices(question);
    else
        unknowns_occur(question);
}

void qkv__find(qkv__model *model, const qkv__statement *statement,
               const qkv__circumstances *circumstances, qkv__decider *again, qkv__finding *finding)
{
    assert(statement->kind == QKV__STATEMENT_FIND);
    qkv__parameter kept[QKV__PARAMETERS];
    memcpy(kept, model->algebra.parameter, sizeof kept);
    size_t known = model->algebra.parameter_count;
    *finding = (qkv__finding){.engine = ""};
    qkv__question question = {.model = model,
                              .statement = statement,
                              .circumstances = circumstances,
                              .again = again,
                              .proposition = statement->node[statement->count - 1],
                              .unknown_count = statement->count - 1,
                              .unknown = statement->node,
                              .finding = finding};
    const qkv__binding *bindings = model->bindings;
    answer(&question);
    model->bindings = bindings;
    /* Bounds of this question end with it; parameters that it brought stay, free. */
    for (size_t p = 0; p < model->algebra.parameter_count; p++) {
        if (p < known) {
            model->algebra.parameter[p] = kept[p];
        } else if (model->algebra.parameter[p].prime == 0) {
            model->algebra.parameter[p].lower.known = false;
            model->algebra.parameter[p].upper.known = false;
        }
    }
    bool open = finding->verdict == QKV__UNDECIDED && finding->culprit == NULL &&
                finding->reason.length == 0;
    if (open && !statement->least) ask_design(&question);
    if (finding->verdict == QKV__UNDECIDED && finding->culprit == NULL && statement->least &&
        !statement->largest)
        qkv__find_bracket(&question);
    if (finding->verdict == QKV__REFUTED && !finding->uniform && !statement->least &&
        qkv__has_conditions(model, circumstances)) {
        qkv__finding_free(finding);
        *finding = (qkv__finding){.engine = ""};
        qkv__question_open(&question, "there is none for some choice of the free variables, but a "
                                      "premise may exclude that choice");
    }
    if (finding->culprit != NULL) finding->verdict = QKV__UNDECIDED;
}
