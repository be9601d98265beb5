/*
 * Design questions, from the question to whoever can answer it: names and conditions are read here,
 * then queries go to design_query.c and numbers to design_scalar.c. Knows verdicts and signs;
 * nothing of how a design is found.
 */
#include "claim/design/design.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "claim/design/design_part.h"
#include "claim/model/binding.h"
#include "claim/model/evaluate.h"
#include "claim/model/family.h"
#include "claim/premise/conditions.h"
#include "claim/premise/given.h"
#include "claim/premise/reach.h"
#include "claim/premise/ties.h"
#include "language/builtin.h"
#include "language/family_index.h"
#include "language/tree.h"
#include "language/write.h"

/* ---- Conditions --------------------------------------------------------------------------- */

/* What of the conditions bears on the design; the others are bounds, which hold already. */
static bool read_condition(qkv__design_task *task, const qkv__circumstance *condition)
{
    qkv__value value;
    if (condition->kind == QKV__CONDITION_LIMIT) {
        const qkv__node *limit = condition->node;
        if (task->has_limit || limit->child[1]->kind != QKV__NODE_INFINITY ||
            limit->child[0]->kind != QKV__NODE_NAME)
            return false;
        task->has_limit = true;
        task->growth = qkv__model_parameter(task->model, limit->child[0]->text);
        return task->growth >= 0;
    }
    if (condition->kind != QKV__CONDITION_WITHIN) return true;
    task->has_tolerance =
        qkv__model_value(task->model, condition->node, NULL, &value) &&
        qkv__value_as_ratio(&value, &task->tolerance) &&
        qkv__ratio_sign(&task->model->algebra, task->tolerance) == QKV__SIGN_POSITIVE;
    return task->has_tolerance;
}

static bool read_conditions(qkv__design_task *task)
{
    const qkv__circumstances *circumstances = task->question->circumstances;
    for (size_t i = 0; circumstances != NULL && i < circumstances->count; i++)
        if (!read_condition(task, &circumstances->item[i])) return false;
    return true;
}

/* ---- Unknowns ----------------------------------------------------------------------------- */

/* Whether a tree is a vector when the unknown is a number: then the unknown is none itself. */
static bool is_vector_with_number(qkv__design_task *task, const qkv__node *node, const char *name)
{
    const qkv__binding *kept = task->model->bindings;
    qkv__value one =
        qkv__value_scalar(&task->model->space, qkv__ratio_whole(&task->model->algebra, 1));
    qkv__value value;
    const qkv__vector *vector;
    bool good = qkv__model_bind(task->model, (qkv__binding){.name = name, .value = one}) &&
                qkv__model_value(task->model, node, NULL, &value) &&
                qkv__value_as_vector(&value, &vector);
    task->model->bindings = kept;
    return good;
}

/* Whether an unknown stands in the place of a query, or in an inner product. */
static bool is_query(qkv__design_task *task, const qkv__node *node, const char *name)
{
    bool attend = qkv__builtin_of(node) == QKV__BUILTIN_ATTEND;
    size_t places = node->kind == QKV__NODE_DOT ? 2 : attend && node->count > 0 ? 1 : 0;
    for (size_t i = 0; i < places; i++) {
        if (qkv__node_mentions(node->child[i], name) &&
            !is_vector_with_number(task, node->child[i], name))
            return true;
    }
    for (size_t i = 0; node->kind == QKV__NODE_COMPARE && i < 2; i++) /* q = k[1] + k[2] */
        if (qkv__node_is(node->child[i], name) &&
            is_vector_with_number(task, node->child[1 - i], name))
            return true;
    for (size_t i = 0; i < node->count; i++)
        if (is_query(task, node->child[i], name)) return true;
    return false;
}

/* What the problem says that a name is: vector q; NULL for nothing. */
static const char *declared_kind(const qkv__model *model, const char *name)
{
    for (const qkv__statement *s = model->statements; s != NULL; s = qkv__statement_after(s)) {
        for (size_t i = 0; s->kind == QKV__STATEMENT_OBJECT && i < s->count; i++) {
            const qkv__node *node = s->node[i];
            bool sized = node->kind == QKV__NODE_INDEX;
            if (strcmp(sized ? node->child[0]->text : node->text, name) == 0)
                return sized ? "of a size of its own" : s->text;
        }
    }
    return NULL;
}

/* The names, with their kinds where they are written. False for matrices and bounded names. */
static bool read_unknowns(qkv__design_task *task, bool *said)
{
    const qkv__design_question *question = task->question;
    if (question->unknown_count > QKV__DESIGN_UNKNOWNS) return false;
    for (size_t i = 0; i < question->unknown_count; i++) {
        const qkv__node *node = question->unknown[i];
        const char *kind = node->kind == QKV__NODE_CALL
                               ? node->text
                               : declared_kind(task->model, qkv__unknown_name(node));
        said[i] = kind != NULL;
        task->is_vector[i] = said[i] && strcmp(kind, "vector") == 0;
        if (said[i] && !task->is_vector[i] && strcmp(kind, "scalar") != 0) return false;
        if (node->kind == QKV__NODE_CALL) node = node->child[0];
        if (node->kind != QKV__NODE_NAME) return false; /* of a size of its own */
        task->name[task->count++] = node->text;
    }
    return task->count > 0;
}

/* ---- The growing parameter ---------------------------------------------------------------- */

/* Whether a size, a norm or a range of picks is made of a letter. */
static bool is_declared_with(const qkv__model *model, const char *name)
{
    for (const qkv__statement *s = model->statements; s != NULL; s = qkv__statement_after(s))
        for (size_t i = 0; i < s->count; i++)
            if ((s->kind == QKV__STATEMENT_FAMILY || s->kind == QKV__STATEMENT_OBJECT ||
                 s->kind == QKV__STATEMENT_PICK) &&
                qkv__reaches(model, s->node[i], name))
                return true;
    return false;
}

/* A parameter that may grow without changing anything that the question speaks of. */
static int free_parameter(qkv__design_task *task)
{
    static const char *const names[] = {"beta", "gamma", "lambda", "theta", "tau", "C"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (qkv__model_find(task->model, NULL, names[i]) != NULL) continue;
        int parameter = qkv__model_parameter(task->model, names[i]);
        if (parameter < 0) return -1;
        const qkv__parameter *known = &task->model->algebra.parameter[parameter];
        bool taken = known->upper.known || known->whole ||
                     qkv__reaches(task->model, task->proposition, names[i]) ||
                     is_declared_with(task->model, names[i]) ||
                     qkv__given_speaks_of(task->model, task->question->circumstances, names[i]);
        for (size_t u = 0; u < task->count; u++)
            taken = taken || strcmp(task->name[u], names[i]) == 0;
        if (!taken) return parameter;
    }
    return -1;
}

/* ---- The question ------------------------------------------------------------------------- */

/* A limit is about large values alone. */
static void bound_limit(qkv__design_task *task)
{
    qkv__bound *lower = &task->model->algebra.parameter[task->growth].lower;
    qkv__rational one = qkv__rational_whole(1);
    if (!lower->known || qkv__rational_compare(lower->value, one) < 0)
        *lower = (qkv__bound){.known = true, .value = one};
}

/* Marks are different indices: a set has at least as many members as marks. */
static void bound_sizes(qkv__model *model)
{
    for (size_t i = 0; i < model->set_count; i++) {
        const qkv__index_set *set = model->sets[i];
        for (int p = 0; p < (int)model->algebra.parameter_count; p++) {
            qkv__parameter *known = &model->algebra.parameter[p];
            qkv__ratio itself =
                qkv__ratio_of_form(&model->algebra, qkv__form_parameter(&model->algebra, p));
            qkv__rational marks = qkv__rational_whole((int64_t)set->mark_count);
            if (!known->whole || qkv__ratio_is_lost(set->size) ||
                !qkv__ratio_equal(&model->algebra, set->size, itself))
                continue;
            if (!known->lower.known || qkv__rational_compare(known->lower.value, marks) < 0)
                known->lower = (qkv__bound){.known = true, .value = marks};
        }
    }
}

/* A condition that no unknown is in. */
static void answer_without(qkv__design_task *task)
{
    static const char *const said[] = {[QKV__UNDECIDED] = "is open",
                                       [QKV__PROVED] = "holds",
                                       [QKV__REFUTED] = "does not always hold",
                                       [QKV__SUPPORTED] = "is open"};
    qkv__text text = {0};
    qkv__verdict verdict = qkv__design_verify(task, task->proposition, NULL, false, false);
    qkv__node_write(task->proposition, &text);
    if (!text.failed) qkv__design_say(task, "%s %s.", text.data, said[verdict]);
    qkv__text_free(&text);
    task->finding->part = verdict == QKV__REFUTED ? task->proposition : NULL;
    qkv__design_conclude(task, verdict, verdict == QKV__UNDECIDED ? "" : "exact");
}

/* One proposition whose conditions all share their unknowns. */
static void answer_part(qkv__design_task *task)
{
    bool vectors = false, numbers = false;
    if (!task->has_limit) task->growth = free_parameter(task);
    for (size_t i = 0; i < task->count; i++) {
        vectors = vectors || task->is_vector[i];
        numbers = numbers || !task->is_vector[i];
    }
    if (task->count == 0) /* nothing to look for */
        answer_without(task);
    else if (vectors && numbers)
        qkv__design_leave(task, "vectors and numbers cannot be searched for at the same time");
    else if (vectors && task->hidden)
        qkv__design_leave(task, "the unknown also appears in a declaration or definition above");
    else if (vectors)
        qkv__design_query(task);
    else
        qkv__design_scalar(task);
}

/* The task for one part of the proposition, with the unknowns that it mentions. */
static qkv__design_task part_of(const qkv__design_task *task, const qkv__node *proposition,
                                const bool *in)
{
    qkv__design_task part = *task;
    part.proposition = proposition;
    part.count = 0;
    for (size_t i = 0; i < task->count; i++) {
        if (!in[i]) continue;
        part.is_vector[part.count] = task->is_vector[i];
        part.name[part.count++] = task->name[i];
    }
    return part;
}

static void mentioned(const qkv__design_task *task, const qkv__node *node, bool *in)
{
    for (size_t i = 0; i < task->count; i++) {
        in[i] = qkv__reaches(task->model, node, task->name[i]);
    }
}

static void answer_proposition(qkv__design_task *task);

/* Alternatives: some one must have an answer. */
static void answer_or(qkv__design_task *task)
{
    bool refuted = true, uniform = true;
    qkv__text *reason = &task->finding->reason, *found = &task->finding->found;
    size_t reasons = reason->length, finds = found->length;
    for (size_t side = 0; side < 2; side++) {
        bool in[QKV__DESIGN_UNKNOWNS];
        const qkv__node *node = task->proposition->child[side];
        size_t before = reason->length, before_found = found->length;
        mentioned(task, node, in);
        qkv__design_task part = part_of(task, node, in);
        answer_proposition(&part);
        if (task->finding->verdict == QKV__PROVED) {
            qkv__text_take_out(reason, reasons, before);
            qkv__text_take_out(found, finds, before_found);
            return;
        }
        refuted = refuted && task->finding->verdict == QKV__REFUTED;
        uniform = uniform && task->finding->uniform;
    }
    if (refuted && uniform)
        qkv__design_refute(task, uniform);
    else if (refuted) /* each side for a choice of its own, which refutes nothing together */
    {
        qkv__text_free(reason);
        *reason = (qkv__text){0};
        qkv__design_leave(task, "each side fails for some choice of the free variables, but "
                                "perhaps not for the same one");
    } else
        qkv__design_conclude(task, QKV__UNDECIDED, "");
}

/* Conditions that share no unknown are questions of their own. False: they do share. */
static bool answer_and(qkv__design_task *task)
{
    bool in[2][QKV__DESIGN_UNKNOWNS], open = false;
    for (size_t side = 0; side < 2; side++)
        mentioned(task, task->proposition->child[side], in[side]);
    for (size_t i = 0; i < task->count; i++)
        if (in[0][i] && in[1][i]) return false;
    qkv__text *reason = &task->finding->reason, *found = &task->finding->found;
    size_t reasons = reason->length, finds = found->length;
    for (size_t side = 0; side < 2; side++) {
        size_t before = reason->length, before_found = found->length;
        qkv__design_task part = part_of(task, task->proposition->child[side], in[side]);
        answer_proposition(&part);
        if (task->finding->verdict == QKV__REFUTED) {
            qkv__text_take_out(reason, reasons, before);
            qkv__text_take_out(found, finds, before_found);
            return true;
        }
        open = open || task->finding->verdict != QKV__PROVED;
    }
    qkv__design_conclude(task, open ? QKV__UNDECIDED : QKV__PROVED, open ? "" : "exact");
    return true;
}

static void answer_proposition(qkv__design_task *task)
{
    if (task->proposition->kind == QKV__NODE_OR)
        answer_or(task);
    else if (task->proposition->kind != QKV__NODE_AND || !answer_and(task))
        answer_part(task);
}

/* M, W1, Wq or W_Q; not Delta. */
static bool is_capital(const char *name)
{
    return name[0] >= 'A' && name[0] <= 'Z' && (strlen(name) <= 2 || name[1] == '_');
}

/* M*u[a] = u[b], where nothing says what M is: most readers see a matrix. So they do wherever it is
 * part of something else than a number. */
static bool may_be_matrix(const qkv__design_task *task, const qkv__node *node, const char *name)
{
    qkv__value value;
    bool named = qkv__node_is_word(node);
    if (!is_capital(name) || !qkv__reaches(task->model, node, name)) return false;
    if (qkv__node_is(node, name)) return false;
    if (node->kind == QKV__NODE_TRANSPOSE) return true;
    if (node->kind < QKV__NODE_COMPARE &&
        (!qkv__model_value(task->model, node, task->question->locals, &value) ||
         value.kind != QKV__VALUE_SCALAR))
        return true;
    if (named && node->count == 0) return true; /* by way of something that is made of it */
    for (size_t i = 0; i < node->count; i++)
        if (may_be_matrix(task, node->child[i], name)) return true;
    return false;
}

/* In what is asked, or in a declaration, as a size or a norm. */
static bool occurs(const qkv__design_task *task, const char *name)
{
    if (qkv__reaches(task->model, task->proposition, name)) return true;
    for (const qkv__statement *s = task->model->statements; s != NULL;
         s = qkv__statement_after(s)) {
        for (size_t i = 0; s->kind == QKV__STATEMENT_FAMILY && i < s->count; i++)
            if (qkv__given_names(task->model, s->node[i], name)) return true;
    }
    return false;
}

static bool is_tied(const qkv__design_task *task)
{
    qkv__situation s = {.model = task->model,
                        .circumstances = task->question->circumstances,
                        .limit_count = 1,
                        .limit = {{.parameter = task->growth, .infinite = true}}};
    return qkv__ties_hold_node(&s, task->proposition);
}

static void answer(qkv__design_task *task)
{
    bool said[QKV__DESIGN_UNKNOWNS] = {false};
    if (!read_unknowns(task, said)) {
        qkv__design_leave(
            task, "exists and find search only for numbers and for vectors as wide as the keys");
        return;
    }
    if (!read_conditions(task)) {
        qkv__design_leave(task, "exists and find take only one limit, to infinity");
        return;
    }
    task->proposition = qkv__design_expand(task, task->question->proposition);
    if (task->proposition == NULL) {
        qkv__design_leave(task, "the definitions around the unknown could not be written out");
        return;
    }
    task->hidden = qkv__design_hides(task, task->proposition);
    if (task->has_limit && is_tied(task)) {
        qkv__design_leave(task, "a premise makes something in the question depend on the limit");
        return;
    }
    if (task->has_limit) bound_limit(task);
    for (size_t i = 0; i < task->count; i++) {
        if (!occurs(task, task->name[i])) {
            qkv__design_leave(task, "an unknown does not occur in the proposition");
            return;
        }
        if (said[i]) continue;
        task->is_vector[i] = is_query(task, task->proposition, task->name[i]);
        if (!task->is_vector[i] && may_be_matrix(task, task->proposition, task->name[i])) {
            qkv__design_leave(
                task,
                "the unknown before a vector could be a matrix or a number: write matrix or scalar "
                "before its name");
            return;
        }
    }
    answer_proposition(task);
}

/* Why a choice of what is free for which there is none does not refute; NULL: it does. */
static const char *doubt_of(qkv__model *model, const qkv__design_question *question)
{
    qkv__situation s = {.model = model, .locals = question->locals};
    if (qkv__has_premises(model, question->circumstances))
        return "there is none for some choice of the free variables, but a premise may exclude "
               "that choice";
    if (qkv__random_is_about(&s, question->proposition))
        return "for some keys there is none, but such keys may have no probability";
    return NULL;
}

/* Whether vectors that the question is about may become as short as one likes: then they are near
 * each other, whatever their coefficients are. */
static bool may_be_short(const qkv__design_task *task)
{
    bool near = qkv__node_has_comparison(task->proposition, QKV__NEAR) ||
                (task->has_limit && qkv__node_has_comparison(task->proposition, QKV__EQUAL));
    for (const qkv__statement *s = task->model->statements; near && s != NULL;
         s = qkv__statement_after(s))
        for (size_t i = 1; s->kind == QKV__STATEMENT_FAMILY && i < s->count; i++) {
            const qkv__node *norm = s->node[i];
            if (qkv__builtin_of(norm) != QKV__BUILTIN_NORM) continue;
            const char *growing =
                task->has_limit ? task->model->algebra.parameter[task->growth].name : "";
            norm = norm->child[0];
            if (qkv__node_is(norm, growing)) continue;
            if (qkv__design_mentions(task, norm) || qkv__reaches(task->model, norm, growing))
                return true;
        }
    return false;
}

/* Whether a condition of the question speaks of what is asked for. */
static bool is_conditioned(const qkv__model *model, const qkv__circumstances *circumstances,
                           const char *name)
{
    for (size_t i = 0; circumstances != NULL && i < circumstances->count; i++)
        if (qkv__circumstance_is_premise(&circumstances->item[i]) &&
            qkv__given_names(model, circumstances->item[i].node, name))
            return true;
    return false;
}

/* Whether the problem says more of what is asked for than a bound, which is taken: whether that
 * binds the answer, a reader cannot tell. */
static bool is_given(const qkv__model *model, const qkv__design_question *question)
{
    if (model->gappy) return true; /* a premise that was not understood */
    for (size_t u = 0; u < question->unknown_count; u++) {
        const char *name = qkv__unknown_name(question->unknown[u]);
        if (is_conditioned(model, question->circumstances, name)) return true;
        for (const qkv__statement *s = model->statements; s != NULL; s = qkv__statement_after(s)) {
            if (qkv__letter_is_declared(model, s, name)) return true;
        }
        if (qkv__letter_is_tied(model, name)) return true;
    }
    for (const qkv__statement *s = model->statements; s != NULL; s = qkv__statement_after(s)) {
        if (s->kind != QKV__STATEMENT_GIVEN && s->kind != QKV__STATEMENT_ASSUME) continue;
        for (size_t i = 0; i < s->count; i++)
            for (size_t u = 0;
                 !qkv__given_is_bound(model, s->node[i]) && u < question->unknown_count; u++)
                if (qkv__given_names(model, s->node[i], qkv__unknown_name(question->unknown[u])))
                    return true;
    }
    return false;
}

/* Whether something is divided by a number that may be 0: a quotient forgets what was cancelled. */
static bool may_lack_value(qkv__design_task *task, const qkv__node *node, int depth)
{
    enum { DEPTH = 24 };
    qkv__value value;
    qkv__ratio ratio;
    bool power = node->kind == QKV__NODE_POWER && (node->child[1]->kind != QKV__NODE_NUMBER ||
                                                   node->child[1]->value.numerator <= 0 ||
                                                   !qkv__rational_is_whole(node->child[1]->value));
    bool base = power && qkv__node_is(node->child[0], "e");
    const qkv__node *below = node->kind == QKV__NODE_DIVIDE ? node->child[1]
                             : power && !base               ? node->child[0]
                                                            : NULL;
    if (qkv__builtin_of(node) == QKV__BUILTIN_COS || qkv__builtin_of(node) == QKV__BUILTIN_INVERSE)
        return true;
    if (below != NULL) {
        bool known = qkv__model_value(task->model, below, task->question->locals, &value) &&
                     qkv__value_as_ratio(&value, &ratio);
        qkv__sign sign = known ? qkv__design_sign(task, ratio) : QKV__SIGN_UNKNOWN;
        if (sign != QKV__SIGN_POSITIVE && sign != QKV__SIGN_NEGATIVE) return true;
    }
    bool named = qkv__node_is_word(node);
    for (const qkv__statement *s = task->model->statements; named && s != NULL; s = s->next) {
        if (s->kind == QKV__STATEMENT_PROBLEM && s != task->model->statements) break;
        const qkv__node *body =
            s->kind == QKV__STATEMENT_DEFINE ? s->node[1]
            : s->kind == QKV__STATEMENT_FAMILY && s->node[0]->kind == QKV__NODE_COMPARE
                ? s->node[0]->child[1]
                : NULL;
        if (body != NULL && qkv__name_is_of(node->text, qkv__statement_name(s)) &&
            (depth > DEPTH || may_lack_value(task, body, depth + 1)))
            return true;
    }
    size_t count = node->kind == QKV__NODE_INDEX ? 1 : node->count; /* an index is no number */
    for (size_t i = 0; i < count; i++)
        if (may_lack_value(task, node->child[i], depth)) return true;
    return false;
}

/* q = [3, 4], x[1] = [1, 0]: vectors beside them may have as many numbers. */
static bool has_defined_list(const qkv__model *model)
{
    for (const qkv__statement *s = model->statements; s != NULL; s = qkv__statement_after(s))
        if (s->kind == QKV__STATEMENT_DEFINE && s->node[1]->kind == QKV__NODE_LIST &&
            !qkv__list_is_family(s->node[1]))
            return true;
    return false;
}

void qkv__design(qkv__model *model, const qkv__design_question *question, qkv__finding *finding)
{
    qkv__design_task task = {
        .model = model, .question = question, .finding = finding, .growth = -1};
    const size_t found_before = finding->found.length; /* by other parts of the claim */
    finding->verdict = QKV__UNDECIDED;
    finding->engine = "";
    finding->uniform = false;
    if (is_given(model, question)) {
        if (finding->reason.length == 0)
            qkv__text_format(
                &finding->reason,
                "a premise is about the unknown: move it into the question, joined by and");
        return;
    }
    const qkv__binding *bindings = model->bindings;
    qkv__parameter kept[QKV__PARAMETERS];
    memcpy(kept, model->algebra.parameter, sizeof kept);
    size_t known = model->algebra.parameter_count;
    bound_sizes(model);
    qkv__design_bound_norms(model);
    answer(&task);
    if (finding->verdict == QKV__REFUTED && !finding->uniform && finding->reason.data != NULL &&
        strstr(finding->reason.data, "whatever") != NULL &&
        strstr(finding->reason.data, "That is at") == NULL)
        qkv__design_say(&task, "This is for one choice of the other free variables.");
    const char *doubt =
        finding->verdict == QKV__REFUTED && !finding->uniform ? doubt_of(model, question) : NULL;
    for (size_t i = 0; i < 2 && finding->verdict == QKV__REFUTED; i++)
        if (qkv__frames_are_crowded(&model->frames[i]) ||
            (i == 0 && has_defined_list(model) && model->frames[0].count > 0))
            doubt = "the vectors are confined to a dimension, where there may be one";
    if (finding->verdict == QKV__REFUTED && task.proposition != NULL && may_be_short(&task))
        doubt = "vectors whose lengths may tend to 0 come close to each other";
    bool shown = finding->verdict == QKV__PROVED && finding->found.length > found_before &&
                 question->unknown_count == 1; /* of several, some may not be printed */
    if (finding->verdict != QKV__UNDECIDED && !shown && task.proposition != NULL &&
        may_lack_value(&task, task.proposition, 0))
        doubt = "the proposition may be undefined for some values, such as a zero denominator";
    if (doubt != NULL) {
        qkv__text_free(&finding->reason);
        qkv__text_free(&finding->found);
        finding->reason = finding->found = (qkv__text){0};
        qkv__design_leave(&task, doubt);
    }
    model->bindings = bindings;
    for (size_t p = 0; p < known; p++) {
        model->algebra.parameter[p].lower = kept[p].lower;
        model->algebra.parameter[p].upper = kept[p].upper;
    }
}
