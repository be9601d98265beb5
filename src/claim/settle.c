/* A claim to its verdict: its outermost bounds are conditions, where one generic member cannot
 * stand for what an index is it is decided case by case, and what comes of it passes the gate.
 * Knows nothing of documents beyond the problem. */
#include "claim/settle.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "claim/cases.h"
#include "claim/decide.h"
#include "claim/engine.h"
#include "claim/gate.h"
#include "claim/model/limits.h"
#include "claim/premise/given.h"
#include "claim/search/search.h"
#include "claim/substitute.h"
#include "claim/table/table.h"
#include "claim/turn.h"
#include "language/reading.h"
#include "language/slips.h"
#include "language/tree.h"
#include "language/write.h"

static bool is_inside(const qkv__statement *block, const qkv__statement *claim)
{
    for (const qkv__statement *s = block->inside; s != NULL; s = s->next)
        if (s == claim || is_inside(s, claim)) return true;
    return false;
}

/* Reads the statements in front of a claim. */
static void declare_until(qkv__model *model, const qkv__statement *first,
                          const qkv__statement *claim)
{
    for (const qkv__statement *s = first; s != NULL; s = s->next) {
        if (s == claim || is_inside(s, claim)) return;
        if (s->kind == QKV__STATEMENT_PROBLEM && s != first) return;
        if (s->kind != QKV__STATEMENT_BLOCK && !qkv__statement_is_entry(s))
            qkv__model_declare(model, s);
    }
}

/* A claim under way. */
typedef struct asked {
    const qkv__statement *statement;
    const qkv__node *proposition;
    qkv__circumstances circumstances;
} asked;

/* for all t in 1..2: p, where t is a number of the problem, is p for t in 1..2. */
static bool take_bounds(qkv__model *model, asked *a)
{
    assert(a->proposition->kind == QKV__NODE_FOR_ALL);
    qkv__names names;
    const qkv__node *node = a->proposition;
    const qkv__node **kept = qkv__arena_array(&model->algebra.arena, node->count + 1, sizeof *kept);
    size_t count = 0;
    if (kept == NULL || !qkv__names_collect(model->statements, &model->algebra.arena, &names))
        return false;
    for (size_t i = 0; i < node->count; i++) {
        const bool number =
            i + 1 < node->count && qkv__is_index_domain(node->child[i]) &&
            (qkv__bound_is_number(names.first, node->child[i]) != NULL ||
             qkv__read_range(&names, a->statement, &a->circumstances, node->child[i],
                             QKV__WRITTEN_AROUND) == QKV__READ_NUMBER);
        if (!number)
            kept[count++] = node->child[i];
        else if (!qkv__circumstances_put(&a->circumstances, QKV__CONDITION_RANGE, node->child[i]))
            return false;
    }
    if (!qkv__write_bounds(&model->algebra.arena, &names, a->statement, &a->circumstances))
        return false;
    a->proposition =
        count == 1 ? kept[0] : qkv__node_like(&model->algebra.arena, node, node->kind, kept, count);
    return a->proposition != NULL;
}

/* Whether conditions bind an index that a node speaks of: i in 1..n. */
static bool speaks_of_index(const qkv__circumstances *circumstances, const qkv__node *node)
{
    for (size_t i = 0; i < circumstances->count; i++) {
        const qkv__circumstance *c = &circumstances->item[i];
        if (c->kind == QKV__CONDITION_RANGE && qkv__is_index_domain(c->node) &&
            c->node->child[1]->kind == QKV__NODE_RANGE &&
            qkv__node_has_index(node, c->node->child[0]->text))
            return true;
    }
    return false;
}

/* Whether a condition is a premise about indexes that others bind, be it that two of them differ:
 * i != j says what i runs over only where nothing else does. */
static bool is_about_indexes(const qkv__circumstances *circumstances, const qkv__circumstance *c)
{
    if (c->kind != QKV__CONDITION_RANGE && c->kind != QKV__CONDITION_GIVEN) return false;
    if (!qkv__is_index_domain(c->node)) return speaks_of_index(circumstances, c->node);
    return c->node->comparison == QKV__NOT_EQUAL &&
           speaks_of_index(circumstances, c->node->child[0]) &&
           speaks_of_index(circumstances, c->node->child[1]);
}

static bool imply(qkv__model *model, asked *a, const qkv__node *premise)
{
    const qkv__node **sides = qkv__arena_array(&model->algebra.arena, 2, sizeof *sides);
    qkv__node *whole = qkv__arena_take(&model->algebra.arena, sizeof *whole);
    if (sides == NULL || whole == NULL) return false;
    sides[0] = premise;
    sides[1] = a->proposition;
    *whole = *a->proposition;
    whole->kind = QKV__NODE_IMPLIES;
    whole->count = 2;
    whole->child = sides;
    whole->depth++;
    a->proposition = whole;
    return true;
}

/* p for i in 1..n, j in 1..n, i < j: a premise about indexes is one for each of them, i < j implies
 * p. */
static bool take_premises(qkv__model *model, asked *a)
{
    const qkv__circumstances all = a->circumstances;
    a->circumstances.count = 0;
    for (size_t i = all.count; i-- > 0;) {
        const qkv__circumstance *c = &all.item[i];
        if (is_about_indexes(&all, c) && !imply(model, a, c->node)) return false;
    }
    for (size_t i = 0; i < all.count; i++)
        if (!is_about_indexes(&all, &all.item[i]))
            a->circumstances.item[a->circumstances.count++] = all.item[i];
    return true;
}

/* One case, in a model of its own. */
static void decide_case(const qkv__model *like, const qkv__index_case *item, const asked *a,
                        qkv__finding *finding)
{
    assert(item->count > 0);
    qkv__model *model = qkv__allocate(sizeof *model);
    *finding = (qkv__finding){.engine = ""};
    if (model == NULL) return;
    bool good = qkv__model_begin_case(model, like->document, like->statements,
                                      &qkv__reader_of_tables, item->fixed, item->count, true);
    model->in_case = true;
    model->still = like->still;
    model->limits = like->limits;
    model->gappy = like->gappy;
    if (good) declare_until(model, like->statements, a->statement);
    if (good) qkv__decide(model, a->proposition, &a->circumstances, finding);
    qkv__model_end(model);
    qkv__free(model);
}

/* What was found in one case, said to be of that case. */
static void tell_case(const qkv__index_case *item, qkv__finding *finding)
{
    qkv__text text = {0};
    qkv__case_write(item, &text);
    qkv__text_format(&text, "%s", finding->reason.data == NULL ? "" : finding->reason.data);
    qkv__text_free(&finding->reason);
    finding->reason = text;
}

/* The claim holds if it does in every case that there is; one in which it fails refutes it. */
static void decide_cases(const qkv__model *model, const qkv__cases *cases, const asked *a,
                         qkv__finding *finding)
{
    assert(cases->count > 0 && !cases->too_many && !cases->hollow);
    bool begun = false;
    size_t met = 0, never = 0;
    *finding = (qkv__finding){.engine = "", .empty = true};
    for (size_t i = 0; i < cases->count; i++) {
        qkv__finding one;
        decide_case(model, &cases->item[i], a, &one);
        bool worse = one.verdict == QKV__REFUTED || one.culprit != NULL ||
                     (one.verdict != QKV__PROVED && finding->verdict == QKV__PROVED);
        met += !one.empty;
        never += !one.empty && qkv__says_never(&one);
        if (one.empty || (begun && !worse)) {
            if (begun && one.verdict == QKV__PROVED && strcmp(one.engine, "ball") == 0)
                finding->engine = finding->verdict == QKV__PROVED ? one.engine : finding->engine;
            qkv__finding_free(&one);
            continue;
        }
        qkv__finding_free(finding);
        *finding = one;
        begun = true;
        if (one.verdict != QKV__PROVED) tell_case(&cases->item[i], finding);
        if (one.verdict == QKV__REFUTED || one.culprit != NULL) return;
    }
    if (!begun)
        qkv__text_format(&finding->reason, "the conditions exclude each other: nothing is left");
    if (finding->verdict != QKV__PROVED) return;
    if (met == 1) return;
    qkv__text_free(&finding->found); /* of one case */
    if (never < met) qkv__leave_out_never(finding);
    if (finding->reason.length > 0) qkv__text_append(&finding->reason, " ", 1);
    qkv__text_format(&finding->reason, "It holds in each of the %zu cases for the indexes.", met);
}

/* Case by case where one index cannot stand for all. */
static void decide_asked(qkv__model *model, const asked *a, qkv__finding *finding)
{
    qkv__cases *cases = qkv__allocate(sizeof *cases);
    *finding = (qkv__finding){.engine = ""};
    if (cases == NULL) return;
    cases->count = 0;
    qkv__cases_of_claim(model, a->proposition, &a->circumstances, cases);
    if (cases->count == 0) {
        qkv__decide(model, a->proposition, &a->circumstances, finding);
    } else if (cases->too_many || cases->hollow) {
        qkv__text_format(&finding->reason, "%s",
                         cases->too_many ? "there are too many cases for the indexes"
                                         : "an index runs over a set that may be empty");
    } else {
        decide_cases(model, cases, a, finding);
    }
    if (cases->count > 0 && finding->verdict == QKV__UNDECIDED && finding->culprit == NULL &&
        !finding->empty && !model->in_case && qkv__limits_allow(model->limits, QKV_ENGINE_SEARCH))
        qkv__search(model, a->proposition, &a->circumstances, finding);
    qkv__free(cases);
}

/* ---- Limits in another letter ---------------------------------------------------------- */

/* All statements in front of the claim; false where one cannot be taken in the new letter. */
static bool declare_turned(qkv__model *model, const qkv__turned *turned)
{
    for (const qkv__statement *s = turned->first; s != turned->claim; s = s->next)
        if (!qkv__model_declare(model, s)) return false;
    return true;
}

static void tell_turn(const qkv__turned *turned, qkv__finding *finding)
{
    qkv__text text = {0};
    qkv__text_format(&text, "With %s = ", turned->name);
    qkv__node_write(turned->value, &text);
    qkv__text_format(&text, ", as %s -> inf.", turned->letter);
    if (finding->reason.length > 0) qkv__text_format(&text, " %s", finding->reason.data);
    qkv__text_free(&finding->reason);
    finding->reason = text;
}

/* The claim in another letter, in a model of its own; true: that decides it, or nothing else can.
 */
static bool decide_turned(qkv__model *like, const asked *a, bool needed, qkv__finding *finding)
{
    qkv__turned *turned = qkv__allocate(sizeof *turned);
    qkv__model *model = qkv__allocate(sizeof *model);
    qkv__finding one = {.engine = ""};
    qkv__index_case picked;
    bool good = turned != NULL && model != NULL && !qkv__limits_spent(like->limits) &&
                qkv__turn(like, &like->algebra.arena, a->statement, a->proposition,
                          &a->circumstances, turned);
    if (good) {
        qkv__cases_begin(turned->first, &picked);
        good = qkv__model_begin_case(model, like->document, turned->first, &qkv__reader_of_tables,
                                     picked.fixed, picked.count, true);
        model->in_case = true;
        model->still = like->still;
        model->limits = like->limits;
        model->gappy = like->gappy;
        const asked other = {turned->claim, turned->claim->node[0], turned->circumstances};
        if (good && declare_turned(model, turned)) decide_asked(model, &other, &one);
        qkv__model_end(model);
    }
    const bool decided = one.verdict == QKV__PROVED || one.verdict == QKV__REFUTED;
    const bool last = needed && one.reason.length > 0 && one.culprit == NULL;
    if (decided || last) {
        if (decided) tell_turn(turned, &one);
        qkv__finding_free(finding);
        *finding = one;
    } else {
        qkv__finding_free(&one);
    }
    qkv__free(model);
    qkv__free(turned);
    return decided || last;
}

/* Whether another letter may help: no engine decides it as it stands. */
static bool is_open_limit(const asked *a, const qkv__finding *finding)
{
    return (finding->verdict == QKV__UNDECIDED || finding->verdict == QKV__SUPPORTED) &&
           finding->culprit == NULL && !finding->empty && qkv__has_limit(&a->circumstances);
}

/* ---- Vectors put in ---------------------------------------------------------------------- */

/* Whether the claim is proved in a problem in which what premises say of vectors is put in. */
static bool prove_substituted(const qkv__model *like, const qkv__substituted *made,
                              qkv__finding *one)
{
    qkv__model *model = qkv__allocate(sizeof *model);
    qkv__index_case picked;
    *one = (qkv__finding){.engine = ""};
    if (model == NULL) return false;
    qkv__cases_begin(made->first, &picked);
    bool good = qkv__model_begin_case(model, like->document, made->first, &qkv__reader_of_tables,
                                      picked.fixed, picked.count, true);
    model->in_case = true;
    model->still = like->still;
    model->limits = like->limits;
    model->gappy = like->gappy;
    const asked other = {made->claim, made->claim->node[0], made->circumstances};
    for (const qkv__statement *s = made->first; good && s != made->claim; s = s->next)
        good = qkv__model_declare(model, s);
    if (good) decide_asked(model, &other, one);
    qkv__model_end(model);
    qkv__free(model);
    return one->verdict == QKV__PROVED && one->culprit == NULL;
}

static void tell_substitution(qkv__text *told, qkv__finding *finding)
{
    if (finding->reason.length > 0) qkv__text_format(told, ": %s", finding->reason.data);
    qkv__substitution_unmark(told);
    qkv__substitution_unmark(&finding->found);
    qkv__text_free(&finding->reason);
    finding->reason = *told;
    *told = (qkv__text){0};
}

/* By what premises say of vectors, in all the ways in which the indexes of the claim may coincide.
 */
static bool decide_substituted(qkv__model *model, const asked *a, size_t ways,
                               qkv__finding *finding)
{
    qkv__finding first = {.engine = ""};
    qkv__text told = {0};
    qkv__substituted *made = qkv__allocate(sizeof *made);
    bool good = made != NULL && ways > 0;
    for (size_t which = 0; good && which < ways; which++) {
        qkv__finding one = {.engine = ""};
        qkv__text own = {0};
        good = !qkv__limits_spent(model->limits) &&
               qkv__substitute(model, &model->algebra.arena, a->statement, a->proposition,
                               &a->circumstances, which, made, &own) &&
               prove_substituted(model, made, &one);
        if (which == 0) {
            told = own;
            first = one;
        } else {
            if (good && strcmp(one.engine, "ball") == 0) first.engine = one.engine;
            qkv__text_free(&own);
            qkv__finding_free(&one);
        }
    }
    qkv__free(made);
    if (good) {
        tell_substitution(&told, &first);
        if (ways > 1) qkv__text_free(&first.found); /* of one way */
        qkv__finding_free(finding);
        *finding = first;
    } else {
        qkv__finding_free(&first);
    }
    qkv__text_free(&told);
    return good;
}

/* Case by case; where a premise says what a vector is and that leaves it open, once more with that
 * put in, before examples are looked for. */
static void decide_with_vectors(qkv__model *model, const asked *a, qkv__finding *finding)
{
    const size_t ways = model->in_case
                            ? 0
                            : qkv__substitutions(model, &model->algebra.arena, a->statement,
                                                 a->proposition, &a->circumstances);
    if (ways > 0) {
        model->in_case = true;
        decide_asked(model, a, finding);
        model->in_case = false;
        if (finding->verdict == QKV__PROVED || finding->verdict == QKV__REFUTED ||
            finding->culprit != NULL || finding->empty ||
            decide_substituted(model, a, ways, finding))
            return;
        qkv__finding_free(finding);
    }
    decide_asked(model, a, finding);
}

void qkv__settle(qkv__model *model, const qkv__statement *statement,
                 const qkv__circumstances *circumstances, qkv__finding *finding)
{
    assert(statement->kind == QKV__STATEMENT_CLAIM);
    asked a = {statement, statement->node[0], *circumstances};
    *finding = (qkv__finding){.engine = ""};
    if ((a.proposition->kind == QKV__NODE_FOR_ALL && !take_bounds(model, &a)) ||
        !take_premises(model, &a))
        return;
    if (!qkv__turn_is_needed(&a.circumstances) || !decide_turned(model, &a, true, finding)) {
        decide_with_vectors(model, &a, finding);
        if (is_open_limit(&a, finding)) decide_turned(model, &a, false, finding);
    }
    qkv__gate(model, a.proposition, &a.circumstances, finding);
}
