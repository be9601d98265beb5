/* Verdicts replayed on instances. Knows findings and the search; nothing of how a verdict came
 * about. */
#include "claim/gate.h"

#include <assert.h>
#include <string.h>

#include "claim/answer.h"
#include "claim/model/definition.h"
#include "claim/model/listed.h"
#include "claim/premise/given.h"
#include "claim/premise/reach.h"
#include "claim/search/search.h"
#include "language/builtin.h"
#include "language/chance_call.h"
#include "language/tree.h"

enum {
    PROVED_TRIES = 24,   /* instances on which a proof is tried */
    ORDER_TRIES = 96,    /* the same, where a claim may fail on few of them */
    LENGTH_TRIES = 600,  /* and on fewer still: lengths of vectors, which point anywhere */
    MATRIX_TRIES = 1200, /* matrices in either order */
    REFUTED_TRIES = 2000 /* instances among which one must fail */
};

static void take_back(qkv__finding *finding, const char *reason)
{
    qkv__finding_free(finding);
    finding->verdict = QKV__UNDECIDED;
    finding->engine = "";
    finding->uniform = false;
    finding->part = NULL;
    qkv__text_format(&finding->reason, "%s", reason);
}

static void disagree(qkv__finding *finding, const qkv__text *example)
{
    qkv__finding_free(finding);
    finding->verdict = QKV__UNDECIDED;
    finding->engine = "";
    finding->disputed = true;
    qkv__text_format(&finding->reason,
                     "engines disagree, please report: one proves it, and yet: %s",
                     example->data == NULL ? "it fails on an example" : example->data);
}

/* Whether a name stands in the arguments of a call of attention, or in a definition. */
static bool enters_attention(const qkv__model *model, const qkv__node *node, const char *name)
{
    const qkv__builtin function = qkv__builtin_of(node);
    bool attention = function == QKV__BUILTIN_ATTEND || function == QKV__BUILTIN_SELF_ATTEND;
    if (attention && qkv__given_names(model, node, name)) return true;
    for (size_t i = 0; i < node->count; i++)
        if (enters_attention(model, node->child[i], name)) return true;
    return node->kind == QKV__NODE_NAME && strcmp(node->text, name) != 0 &&
           qkv__given_names(model, node, name);
}

/* With values in general position there should be none either. */
static void try_generic(qkv__model *model, const qkv__node *exists,
                        const qkv__circumstances *circumstances, qkv__finding *finding)
{
    qkv__node contrary = *exists;
    contrary.kind = QKV__NODE_NOT;
    contrary.count = 1;
    contrary.child = &exists;
    qkv__search_question question = {.proposition = &contrary,
                                     .circumstances = circumstances,
                                     .near_at_all = true,
                                     .generic = true,
                                     .tries = PROVED_TRIES};
    qkv__search_report report = qkv__search_instances(model, &question, NULL);
    finding->replayed = report.able && !report.found ? report.met : 0;
}

static bool has_implication(const qkv__node *node)
{
    if (node->kind == QKV__NODE_IMPLIES) return true;
    for (size_t i = 0; i < node->count; i++)
        if (has_implication(node->child[i])) return true;
    return false;
}

/* Whether something more than bounds is supposed. */
static bool has_premises(const qkv__model *model, const qkv__node *proposition,
                         const qkv__circumstances *circumstances)
{
    return qkv__has_conditions(model, circumstances) || qkv__has_assumptions(model) ||
           has_implication(proposition);
}

/* ---- Rooms --------------------------------------------------------------------------------- */

/* Where vectors live: values in a space of their own, which is that of the others where a claim
 * adds, compares or multiplies the two. */
typedef enum room { NO_VECTOR, OF_KEYS, OF_VALUES, OF_BOTH } room;

enum { ROOM_DEPTH = 64 };

static room together(room a, room b)
{
    return a == NO_VECTOR || a == b ? b : b == NO_VECTOR ? a : OF_BOTH;
}

static room room_of(const qkv__model *model, const qkv__node *node, int depth);

static room room_of_name(const qkv__model *model, const char *name, int depth)
{
    room found = NO_VECTOR;
    for (const qkv__statement *s = model->statements; s != NULL; s = qkv__statement_after(s)) {
        bool values = s->kind == QKV__STATEMENT_FAMILY && strcmp(s->text, "values") == 0;
        bool vectors = s->kind == QKV__STATEMENT_OBJECT && strcmp(s->text, "scalar") != 0;
        if (s->kind == QKV__STATEMENT_DEFINE && qkv__name_is_of(name, qkv__statement_name(s)))
            found = together(found, room_of(model, s->node[1], depth + 1));
        if (s->kind == QKV__STATEMENT_FAMILY && qkv__name_is_of(name, qkv__statement_name(s)))
            found = together(found, values ? OF_VALUES : OF_KEYS);
        for (size_t i = 0; vectors && i < s->count; i++)
            if (qkv__name_is_of(name, qkv__unknown_name(s->node[i])))
                found = together(found, OF_KEYS);
    }
    return found;
}

static room room_of(const qkv__model *model, const qkv__node *node, int depth)
{
    const qkv__builtin function = qkv__builtin_of(node);
    room all = NO_VECTOR;
    if (depth > ROOM_DEPTH) return OF_BOTH;
    if (node->kind == QKV__NODE_NAME) return room_of_name(model, node->text, depth);
    const size_t parts = node->kind == QKV__NODE_INDEX ? 1 : node->count;
    for (size_t i = 0; i < parts && !(function == QKV__BUILTIN_ATTEND && i == 2); i++)
        all = together(all, room_of(model, node->child[i], depth + 1));
    if (node->kind == QKV__NODE_CALL && function == QKV__BUILTIN_NONE)
        all = together(all, room_of_name(model, node->text, depth));
    if (all == OF_BOTH) return all;
    if (function == QKV__BUILTIN_ATTEND && node->count > 2)
        return room_of(model, node->child[2], depth + 1);
    bool number = node->kind == QKV__NODE_DOT || node->kind == QKV__NODE_SIZE ||
                  node->kind == QKV__NODE_POWER || node->kind == QKV__NODE_COMPARE ||
                  (node->kind == QKV__NODE_MEMBER && strcmp(node->text, "output") != 0 &&
                   strcmp(node->text, "head") != 0);
    return number ? NO_VECTOR : all;
}

/* ---- Delicate claims ------------------------------------------------------------------------ */

/* x/y, x^-1, ln(x) and the like have no value everywhere; a list has a width that others share. */
static bool is_partial(const qkv__node *node)
{
    const qkv__builtin function = qkv__builtin_of(node);
    bool base = node->kind == QKV__NODE_POWER && node->child[0]->kind == QKV__NODE_NAME &&
                strcmp(node->child[0]->text, "e") == 0;
    if (node->kind == QKV__NODE_DIVIDE && node->child[1]->kind != QKV__NODE_NUMBER) return true;
    if (node->kind == QKV__NODE_POWER && !base &&
        (node->child[1]->kind != QKV__NODE_NUMBER ||
         !qkv__rational_is_whole(node->child[1]->value) ||
         qkv__rational_sign(node->child[1]->value) <= 0))
        return true;
    bool cosine = function == QKV__BUILTIN_COS;
    for (size_t i = 0; cosine && i < node->count; i++) /* of members, which are not 0 */
        cosine = node->child[i]->kind == QKV__NODE_INDEX;
    if (node->kind == QKV__NODE_LIST || (qkv__builtin_is_partial(function) && !cosine)) return true;
    for (size_t i = 0; i < node->count; i++)
        if (is_partial(node->child[i])) return true;
    return false;
}

/* The same for the numbers of a list, or of the mean of random keys. */
static bool has_partial_entry(const qkv__node *node)
{
    if (node->kind != QKV__NODE_LIST && node->kind != QKV__NODE_CALL) return is_partial(node);
    for (size_t i = 0; i < node->count; i++)
        if (has_partial_entry(node->child[i])) return true;
    return false;
}

/* Whether a proposition has an `exists` below its top. The answer is not put in there, and where
 * the numbers of an example will not do, others may: no example could show that it fails. */
static bool has_inner_question(const qkv__node *proposition)
{
    for (size_t i = 0; i < proposition->count; i++)
        if (proposition->child[i]->kind == QKV__NODE_EXISTS ||
            has_inner_question(proposition->child[i]))
            return true;
    return false;
}

/* Whether a name is one of those that `exists` binds, whatever it is elsewhere. */
static bool is_bound(const qkv__node *exists, const char *name)
{
    for (size_t i = 0; exists->kind == QKV__NODE_EXISTS && i + 1 < exists->count; i++)
        if (strcmp(qkv__unknown_name(exists->child[i]), name) == 0) return true;
    return false;
}

static bool has_property(const qkv__statement *family, const char *name)
{
    for (size_t i = 1; i < family->count; i++)
        if (strcmp(family->node[i]->text, name) == 0) return true;
    return false;
}

/* Whether vectors that the claim speaks of may depend on each other: they are more than one frame,
 * or free in a space of declared dimension. Values without further properties are in general
 * position. */
static bool may_depend(qkv__model *model, const qkv__reached *names)
{
    const bool listed = qkv__model_list_width(model, true) > 0;
    size_t families[2] = {0}, frames[2] = {0};
    bool measured[2] = {false}, free_values = false;
    for (const qkv__statement *s = model->statements; s != NULL; s = qkv__statement_after(s)) {
        for (size_t i = 0; s->kind == QKV__STATEMENT_OBJECT && i < s->count; i++)
            if (strcmp(s->text, "scalar") != 0 &&
                qkv__reached_have(names, qkv__unknown_name(s->node[i])))
                return true;
        if (s->kind != QKV__STATEMENT_FAMILY || s->node[0]->kind != QKV__NODE_INDEX) continue;
        const bool values = strcmp(s->text, "values") == 0;
        const bool frame = has_property(s, "orthonormal");
        const bool reached = qkv__reached_have(names, qkv__statement_name(s));
        families[values]++;
        frames[values] += frame;
        measured[values] = measured[values] || has_property(s, "dimension");
        if (reached && !frame && (listed || s->count > 1 || !values)) return true;
        free_values = free_values || (reached && values);
    }
    return frames[0] > 1 || frames[1] > 1 || (free_values && families[1] > 1 && measured[1]);
}

/* Whether not every choice of a claim's numbers is one: it speaks of vectors that may depend on
 * each other, or of something that has no value everywhere. design: of vectors the engine said
 * itself what they are, and of values nothing else may be said. */
static bool is_delicate(qkv__model *model, const qkv__node *proposition, bool design)
{
    qkv__reached names = {.count = 0};
    qkv__reach_collect(model, proposition, QKV__REACH_ALL, &names);
    if (names.all || is_partial(proposition) || room_of(model, proposition, 0) == OF_BOTH)
        return true;
    for (const qkv__statement *s = model->statements; s != NULL; s = qkv__statement_after(s)) {
        const bool family = s->kind == QKV__STATEMENT_FAMILY;
        const bool reached = qkv__reached_have(&names, qkv__statement_name(s)) &&
                             !is_bound(proposition, qkv__statement_name(s));
        if (s->kind == QKV__STATEMENT_DEFINE && reached &&
            (is_partial(s->node[1]) || room_of(model, s->node[1], 0) == OF_BOTH))
            return true;
        if (family && s->node[0]->kind == QKV__NODE_COMPARE &&
            has_partial_entry(s->node[0]->child[1]))
            return true;
        if (s->kind == QKV__STATEMENT_PICK && !qkv__starts_at_one(s->node[s->count - 1]))
            return true;
        if (design && family && reached && strcmp(s->text, "values") == 0 && s->count > 1)
            return true;
    }
    return !design && may_depend(model, &names);
}

static bool has_derivative(const qkv__node *node)
{
    const qkv__builtin function = qkv__builtin_of(node);
    if (function == QKV__BUILTIN_DERIVATIVE || function == QKV__BUILTIN_GRADIENT) return true;
    for (size_t i = 0; i < node->count; i++)
        if (has_derivative(node->child[i])) return true;
    return false;
}

/* Whether a claim speaks of derivatives, be it by way of definitions. */
static bool speaks_of_derivatives(qkv__model *model, const qkv__node *proposition)
{
    qkv__reached names = {.count = 0};
    if (has_derivative(proposition)) return true;
    qkv__reach_collect(model, proposition, QKV__REACH_ALL, &names);
    for (const qkv__statement *s = model->statements; s != NULL; s = qkv__statement_after(s))
        if (s->kind == QKV__STATEMENT_DEFINE && has_derivative(s->node[1]) &&
            (names.all || qkv__reached_have(&names, qkv__statement_name(s))))
            return true;
    return false;
}

/* Whether a proof that met no example is one all the same: the premises can be met, and what cannot
 * be tried, or never comes about, is the claim alone; or the claim holds without them. */
static bool stands_alone(qkv__model *model, const qkv__search_question *asked,
                         qkv__finding *finding)
{
    qkv__node zero = {.kind = QKV__NODE_NUMBER, .text = "", .value = {0, 1}, .depth = 1};
    const qkv__node *sides[] = {&zero, &zero};
    qkv__node trivial = {.kind = QKV__NODE_COMPARE,
                         .text = "",
                         .comparison = QKV__EQUAL,
                         .place = asked->proposition->place,
                         .count = 2,
                         .child = sides,
                         .depth = 2};
    qkv__search_question question = *asked;
    question.proposition = &trivial;
    qkv__search_report report = qkv__search_instances(model, &question, NULL);
    if (report.able && report.met > 0) return true;
    if (report.able && qkv__has_limit(asked->circumstances) &&
        !qkv__limit_is_irrational(model, asked->circumstances)) { /* the limit may never come */
        question.close = true;
        report = qkv__search_instances(model, &question, NULL);
        if (!report.able || report.met == 0) return false;
    }
    question = *asked;
    question.without_premises = true;
    report = qkv__search_instances(model, &question, NULL);
    finding->replayed = report.able && !report.found ? report.met : 0;
    return finding->replayed > 0;
}

static void gate_part(qkv__model *model, const qkv__circumstances *circumstances,
                      qkv__finding *finding)
{
    if (finding->verdict != QKV__REFUTED || finding->part == NULL) return;
    qkv__search_question question = {.proposition = finding->part,
                                     .circumstances = circumstances,
                                     .near_at_all = true,
                                     .tries = REFUTED_TRIES};
    qkv__search_report report = qkv__search_instances(model, &question, NULL);
    finding->replayed = report.found;
    if (!report.found)
        take_back(finding,
                  "an engine refutes a part of it, but no example was found that shows it");
}

/* That there is none for some choice of the rest is shown by an instance where nothing will do, for
 * certain; what enters the weights of attention is beyond that, and rests on the engine. */
static void gate_none(qkv__model *model, const qkv__node *exists,
                      const qkv__circumstances *circumstances, qkv__finding *finding)
{
    assert(exists->kind == QKV__NODE_EXISTS);
    static const char reason[] = "it seems that there is none for some choice of the free "
                                 "quantities, but no example shows it";
    qkv__search_question question = {.proposition = exists,
                                     .circumstances = circumstances,
                                     .near_at_all = true,
                                     .tries = REFUTED_TRIES};
    qkv__search_report report = qkv__search_instances(model, &question, NULL);
    bool weighs = false;
    for (size_t i = 0; i + 1 < exists->count; i++)
        weighs = weighs || enters_attention(model, exists->child[exists->count - 1],
                                            qkv__unknown_name(exists->child[i]));
    finding->replayed = report.found ? report.met + 1 : 0;
    if (report.found) return;
    if (weighs && !is_delicate(model, exists, true) && !qkv__has_conditions(model, circumstances))
        try_generic(model, exists, circumstances, finding);
    else
        take_back(finding, reason);
}

/* The claim with another comparison in place of its `left`-th !=, counted from 0 on and down;
 * premises stay. */
static const qkv__node *with_order(qkv__arena *arena, const qkv__node *node,
                                   qkv__comparison comparison, int *left)
{
    qkv__node *copy = qkv__arena_take(arena, sizeof *copy);
    const qkv__node **child = qkv__arena_array(arena, node->count + 1, sizeof *child);
    if (copy == NULL || child == NULL) return NULL;
    *copy = *node;
    copy->child = child;
    for (size_t i = 0; i < node->count; i++) child[i] = node->child[i];
    if (node->kind == QKV__NODE_COMPARE && node->comparison == QKV__NOT_EQUAL && (*left)-- == 0)
        copy->comparison = comparison;
    bool all = node->kind == QKV__NODE_AND || node->kind == QKV__NODE_OR;
    bool last = node->kind == QKV__NODE_IMPLIES || node->kind == QKV__NODE_FOR_ALL;
    for (size_t i = last ? node->count - 1 : 0; (all || last) && i < node->count; i++)
        if ((child[i] = with_order(arena, node->child[i], comparison, left)) == NULL) return NULL;
    return copy;
}

/* Whether one side of some != is less on one instance and greater on another. Where they
 * are continuous they meet in between, at a number that no instance may have: a root, ln 2. */
static bool straddles(qkv__model *model, const qkv__search_question *asked)
{
    enum { MOST = 4 };
    if (qkv__has_limit(asked->circumstances)) return false;
    for (int which = 0; which < MOST; which++) {
        bool both = true;
        for (int side = 0; side < 2 && both; side++) {
            int left = which;
            qkv__search_question question = *asked;
            question.proposition = with_order(&model->algebra.arena, asked->proposition,
                                              side == 0 ? QKV__LESS : QKV__GREATER, &left);
            if (question.proposition == NULL || left >= 0) return false;
            both = qkv__search_instances(model, &question, NULL).found;
        }
        if (both) return true;
    }
    return false;
}

/* Whether a proposition compares numbers by their size, or states that they differ. */
static bool has_order(const qkv__node *node)
{
    if (node->kind == QKV__NODE_COMPARE &&
        (node->comparison == QKV__LESS || node->comparison == QKV__LESS_OR_EQUAL ||
         node->comparison == QKV__GREATER || node->comparison == QKV__GREATER_OR_EQUAL))
        return true;
    for (size_t i = 0; i < node->count; i++)
        if (has_order(node->child[i])) return true;
    return false;
}

/* Whether it is a bound on a length, be it under a premise: |c - v[j]| <= r. */
static bool bounds_length(const qkv__node *node)
{
    while (node->kind == QKV__NODE_IMPLIES || node->kind == QKV__NODE_FOR_ALL)
        node = node->child[node->count - 1];
    return node->kind == QKV__NODE_COMPARE && node->child[0]->kind == QKV__NODE_SIZE &&
           (node->comparison == QKV__LESS || node->comparison == QKV__LESS_OR_EQUAL);
}

/* An equation that is false fails on almost every instance, unless premises single some out. A
 * bound may fail on few. */
static size_t tries_of_proof(qkv__model *model, const qkv__node *proposition,
                             const qkv__circumstances *circumstances)
{
    const bool rare = has_order(proposition) || has_premises(model, proposition, circumstances);
    if (!rare) return PROVED_TRIES;
    if (qkv__model_is_symbolic(model, proposition)) return MATRIX_TRIES;
    return bounds_length(proposition) ? LENGTH_TRIES : ORDER_TRIES;
}

void qkv__gate(qkv__model *model, const qkv__node *proposition,
               const qkv__circumstances *circumstances, qkv__finding *finding)
{
    assert(finding->engine != NULL);
    qkv__text example = {0};
    bool proved = finding->verdict == QKV__PROVED;
    if ((!proved && finding->verdict != QKV__REFUTED) || finding->replayed > 0) return;
    const qkv__node *exists = proposition->kind == QKV__NODE_NOT ? proposition->child[0] : NULL;
    if (proved && has_inner_question(exists != NULL ? exists : proposition)) {
        take_back(finding,
                  "an exists within a claim cannot be tried on examples: ask it by itself");
        return;
    }
    if (proposition->kind == QKV__NODE_EXISTS && (proved || !finding->uniform)) {
        if (proved)
            qkv__answer_of_exists(model, proposition, circumstances, finding);
        else if (finding->part != NULL)
            gate_part(model, circumstances, finding);
        else
            gate_none(model, proposition, circumstances, finding);
        return;
    }
    if (exists != NULL && exists->kind == QKV__NODE_EXISTS && !proved) {
        qkv__answer_of_exists(model, exists, circumstances, finding);
        return;
    }
    const qkv__node *claimed = proposition;
    qkv__node contrary = *proposition;
    if (proposition->kind == QKV__NODE_EXISTS) { /* there is none, whatever the rest */
        contrary.kind = QKV__NODE_NOT;
        contrary.count = 1;
        contrary.child = &claimed;
        proposition = &contrary;
        proved = true;
    }
    qkv__search_question question = {
        .proposition = proposition,
        .circumstances = circumstances,
        .near_at_all = claimed != proposition || exists != NULL,
        .tries = proved ? tries_of_proof(model, proposition, circumstances) : REFUTED_TRIES};
    qkv__search_report report = qkv__search_instances(model, &question, proved ? &example : NULL);
    if (proved && report.too_large && !qkv__is_of_weights(claimed)) {
        take_back(finding, "it is too large to be tried on an example");
        qkv__text_free(&example);
        return;
    }
    if (proved && !report.able && speaks_of_derivatives(model, claimed)) {
        take_back(finding, "it has a derivative that cannot be tried on an example");
        qkv__text_free(&example);
        return;
    }
    if (proved && claimed == proposition && !report.able && !report.too_large &&
        !qkv__has_limit(circumstances) && !qkv__speaks_of_chance(claimed) &&
        !qkv__model_is_symbolic(model, claimed)) {
        take_back(finding, "proved, but it cannot be tried on an example");
        qkv__text_free(&example);
        return;
    }
    if (claimed != proposition && report.found) { /* there is one after all, for some choice */
        take_back(finding, "there is one for some choice of the free quantities");
        qkv__text_free(&example);
        return;
    }
    if (!proved && report.found && (report.derived || model->chance_count > 0) &&
        !report.chance) { /* engines take such letters for any number */
        qkv__search_instances(model, &question, &example);
        qkv__text_free(&finding->reason);
        finding->reason = example;
        finding->engine = "search";
        example = (qkv__text){0};
    }
    finding->replayed = report.met + report.found;
    if (!proved && report.chance && !report.found) {
        /* Draws may be too few to see one comparison fail; that it always holds, or that another
         * part of the claim fails, is another matter. */
        finding->replayed = 0;
        if (!report.settled && !report.drawn && !report.derived && report.undefined == 0 &&
            proposition->kind == QKV__NODE_COMPARE && !qkv__has_conditions(model, circumstances) &&
            !is_delicate(model, proposition, false))
            return;
    }
    if (report.able && proved && report.found)
        disagree(finding, &example);
    else if (report.able && proved && report.undefined > 0)
        take_back(finding, "it has no value wherever its premises hold");
    else if (proved && report.met == 0 && has_premises(model, proposition, circumstances) &&
             !stands_alone(model, &question, finding))
        take_back(finding,
                  "proved, but not confirmed: no example was found that satisfies the premises");
    else if (report.misshapen && !report.found)
        take_back(finding, "the sides, or parts of them, have different shapes");
    else if (!proved && report.settled && !report.found)
        take_back(finding, "an engine refutes it, but a sum over draws says that it holds");
    else if (!proved && !report.found)
        take_back(finding, report.able
                               ? "an engine refutes it, but no example was found that shows it"
                               : "an engine refutes it, but it cannot be tried on an example");
    else if (proved && straddles(model, &question))
        take_back(finding,
                  "the two sides of != are less on one example and greater on another, so that "
                  "they may be equal in between");
    qkv__text_free(&example);
}

void qkv__gate_question(qkv__model *model, const qkv__statement *find,
                        const qkv__circumstances *circumstances, qkv__finding *finding)
{
    assert(find->kind == QKV__STATEMENT_FIND);
    const qkv__node *asked = find->node[find->count - 1];
    if (finding->verdict != QKV__REFUTED) return;
    qkv__node exists = *asked;
    exists.kind = QKV__NODE_EXISTS;
    exists.count = find->count;
    exists.child = find->node;
    if (find->least || strcmp(finding->engine, "exact") == 0)
        qkv__gate(model, &exists, circumstances, finding);
}
