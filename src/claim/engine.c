/* The tables of engines. The only file that names them; knows nothing of how they decide. */
#include "claim/engine.h"

#include <assert.h>

#include "claim/calculus/calculus.h"
#include "claim/chance/chance.h"
#include "claim/chance/chance_member.h"
#include "claim/compare/compare.h"
#include "claim/decide.h"
#include "claim/design/design.h"
#include "claim/eventually.h"
#include "claim/find/find.h"
#include "claim/halves.h"
#include "claim/inequality/inequality.h"
#include "claim/limiting/limiting.h"
#include "claim/model/definition.h"
#include "claim/model/evaluate.h"
#include "claim/model/limits.h"
#include "claim/premise/gap.h"
#include "claim/premise/ties.h"
#include "claim/sample/sample.h"
#include "claim/search/search.h"
#include "claim/sides.h"
#include "claim/table/table.h"
#include "claim/words/words_engine.h"
#include "language/chance_call.h"
#include "language/tree.h"

/* ---- Claims ---------------------------------------------------------------------------- */

/* Whether numbers in long lists and files decide, alone. */
static bool decide_table(qkv__model *model, const qkv__node *proposition,
                         const qkv__circumstances *circumstances, qkv__finding *finding)
{
    if (!qkv__table_takes(model, proposition)) return false;
    qkv__table_decide(model, proposition, circumstances, finding);
    return true;
}

/* By exact algebra, else by lemmas. */
static bool decide_once(qkv__model *model, const qkv__node *proposition,
                        const qkv__circumstances *circumstances, qkv__finding *finding)
{
    const bool done = qkv__decide_exactly(model, proposition, circumstances, finding);
    if (finding->verdict != QKV__UNDECIDED || finding->culprit != NULL || finding->empty)
        return done;
    return qkv__inequality_prove(model, proposition, circumstances, finding) || done;
}

/* For lemmas, which need no examples. */
static void decide_lemma(qkv__model *model, const qkv__node *proposition,
                         const qkv__circumstances *circumstances, qkv__finding *finding);

/* Where a premise says that numbers differ, on either side of it. */
static bool decide_exactly(qkv__model *model, const qkv__node *proposition,
                           const qkv__circumstances *circumstances, qkv__finding *finding)
{
    const bool done = decide_once(model, proposition, circumstances, finding);
    if (finding->verdict != QKV__UNDECIDED || finding->culprit != NULL || finding->empty)
        return done;
    return qkv__decide_sides(model, proposition, circumstances, decide_lemma, finding) || done;
}

static void decide_lemma(qkv__model *model, const qkv__node *proposition,
                         const qkv__circumstances *circumstances, qkv__finding *finding)
{
    *finding = (qkv__finding){.engine = ""};
    decide_exactly(model, proposition, circumstances, finding);
}

/* Examples, unless a claim is one case of several, or an answer that is being verified: they prove
 * nothing. */
static bool decide_search(qkv__model *model, const qkv__node *proposition,
                          const qkv__circumstances *circumstances, qkv__finding *finding)
{
    if (!model->in_case && !model->trying && qkv__limits_allow(model->limits, QKV_ENGINE_SEARCH))
        qkv__search(model, proposition, circumstances, finding);
    return true;
}

static void look_for_example(qkv__model *model, const qkv__node *proposition,
                             const qkv__circumstances *circumstances, qkv__finding *finding)
{
    *finding = (qkv__finding){.engine = ""};
    decide_search(model, proposition, circumstances, finding);
}

/* By the limits of weights, which are put in; then the claim is asked again. */
static bool decide_limiting(qkv__model *model, const qkv__node *proposition,
                            const qkv__circumstances *circumstances, qkv__finding *finding)
{
    const qkv__limiting_deciders deciders = {
        .again = qkv__decide, .lemma = decide_lemma, .search = look_for_example};
    return finding->culprit == NULL && !finding->empty &&
           qkv__limiting_decide(model, proposition, circumstances, &deciders, finding);
}

/* An order in a limit by the same order far out. */
static bool decide_eventually(qkv__model *model, const qkv__node *proposition,
                              const qkv__circumstances *circumstances, qkv__finding *finding)
{
    return finding->verdict == QKV__UNDECIDED && finding->culprit == NULL && !finding->empty &&
           qkv__decide_eventually(model, proposition, circumstances, decide_lemma, finding);
}

static void decide_part(qkv__model *model, const qkv__node *proposition,
                        const qkv__circumstances *circumstances, qkv__finding *finding);

/* By parts of the claim. */
static bool decide_halves(qkv__model *model, const qkv__node *proposition,
                          const qkv__circumstances *circumstances, qkv__finding *finding)
{
    const qkv__halves_deciders deciders = {.again = decide_part, .lemma = decide_lemma};
    return finding->culprit == NULL && !finding->empty && !model->trying &&
           !qkv__limits_spent(model->limits) &&
           qkv__halves_decide(model, proposition, circumstances, &deciders, finding);
}

/* Sums over keys that are drawn alike by one of them. */
static bool decide_member(qkv__model *model, const qkv__node *proposition,
                          const qkv__circumstances *circumstances, qkv__finding *finding)
{
    const qkv__node *same = proposition->kind == QKV__NODE_COMPARE
                                ? qkv__chance_by_member(model, proposition, circumstances)
                                : NULL;
    qkv__finding one = {.engine = ""};
    if (same == NULL) return false;
    decide_lemma(model, same, circumstances, &one);
    const bool decided = one.verdict == QKV__PROVED || one.verdict == QKV__REFUTED;
    if (decided) qkv__text_format(&one.reason, " The keys are independent and have one law.");
    qkv__finding_free(decided ? finding : &one);
    if (decided) *finding = one;
    return decided;
}

/* True: the claim is decided, or is to be left as it is. */
typedef bool claim_engine(qkv__model *model, const qkv__node *proposition,
                          const qkv__circumstances *circumstances, qkv__finding *finding);

static claim_engine *const claim_engines[] = {decide_table,    decide_member,     decide_exactly,
                                              decide_limiting, decide_eventually, decide_halves};

/* By the engines of the table; true: nobody else is to be asked. */
static bool decide_by_table(qkv__model *model, const qkv__node *proposition,
                            const qkv__circumstances *circumstances, qkv__finding *finding)
{
    bool done = false;
    *finding = (qkv__finding){.engine = ""};
    for (size_t i = 0; i < sizeof claim_engines / sizeof claim_engines[0] && !done; i++)
        done = claim_engines[i](model, proposition, circumstances, finding);
    return done;
}

/* A part of a claim: examples are looked for with the whole of it. */
static void decide_part(qkv__model *model, const qkv__node *proposition,
                        const qkv__circumstances *circumstances, qkv__finding *finding)
{
    decide_by_table(model, proposition, circumstances, finding);
}

void qkv__decide(qkv__model *model, const qkv__node *proposition,
                 const qkv__circumstances *circumstances, qkv__finding *finding)
{
    if (!decide_by_table(model, proposition, circumstances, finding))
        decide_search(model, proposition, circumstances, finding);
}

/* ---- Comparisons ----------------------------------------------------------------------- */

static bool is_about_chance(const qkv__situation *s, const qkv__node *node)
{
    (void)s;
    return qkv__speaks_of_chance(node);
}

static bool is_interval(const qkv__situation *s, const qkv__node *node)
{
    assert(node->kind == QKV__NODE_COMPARE);
    (void)s;
    return node->comparison == QKV__IN && node->child[1]->kind == QKV__NODE_RANGE;
}

static bool is_symbolic(const qkv__situation *s, const qkv__node *node)
{
    return qkv__model_is_symbolic(s->model, node);
}

static bool is_any(const qkv__situation *s, const qkv__node *node)
{
    (void)s, (void)node;
    return true;
}

static qkv__verdict compare_words(qkv__situation *s, const qkv__node *node)
{
    assert(node->kind == QKV__NODE_COMPARE);
    s->finding->verdict = QKV__UNDECIDED; /* it may be that of another part of the claim */
    if (node->comparison != QKV__EQUAL) {
        qkv__decide_words_order(s->model, node, s->circumstances, s->finding);
        return s->finding->verdict;
    }
    if (s->has_tolerance && !qkv__is_not_negative(s, s->tolerance))
        return qkv__situation_undecided(s, "the tolerance may be negative");
    qkv__decide_words(s->model, node, s->circumstances, s->finding);
    if (s->has_tolerance && s->finding->verdict == QKV__REFUTED) { /* they may be near */
        qkv__finding_free(s->finding);
        return qkv__situation_undecided(s, "nearness is not supported for matrices");
    }
    if (s->finding->verdict == QKV__REFUTED && s->weakened) { /* a premise was left out */
        qkv__finding_free(s->finding);
        return qkv__situation_undecided(s, "conditions on matrices are assumptions: say assume");
    }
    return s->finding->verdict;
}

/* x in hull(v), where x is an average of v even if its weights are beyond the exact engine. */
static bool is_average(qkv__situation *s, const qkv__node *node)
{
    qkv__value x, hull;
    qkv__failure failure = {0};
    const qkv__node *culprit = node;
    const qkv__vectors *averaged;
    qkv__evaluation e = {
        .model = s->model, .locals = s->locals, .failure = &failure, .culprit = &culprit};
    if (node->comparison != QKV__IN ||
        qkv__model_evaluate(s->model, node->child[0], s->locals, &x, &failure, &culprit) ||
        failure.trouble != QKV__TROUBLE_UNABLE ||
        !qkv__model_evaluate(s->model, node->child[1], s->locals, &hull, &failure, &culprit) ||
        hull.kind != QKV__VALUE_HULL || !qkv__evaluate_averaged(&e, node->child[0], &averaged))
        return false;
    return qkv__decide_hull_by_law(s, averaged, &hull, false) == QKV__PROVED;
}

static qkv__verdict compare_plain(qkv__situation *s, const qkv__node *node)
{
    assert(node->kind == QKV__NODE_COMPARE);
    qkv__value x, y;
    qkv__failure failure = {0};
    const qkv__node *culprit = node;
    if (is_average(s, node)) return s->finding->verdict;
    if (!qkv__model_evaluate(s->model, node->child[0], s->locals, &x, &failure, &culprit) ||
        !qkv__model_evaluate(s->model, node->child[1], s->locals, &y, &failure, &culprit))
        return qkv__situation_failed(s, &failure, culprit);
    if ((node->comparison == QKV__IN || node->comparison == QKV__NOT_IN) &&
        y.kind == QKV__VALUE_HULL)
        return qkv__decide_hull(s, &x, &y, node->comparison == QKV__NOT_IN);
    return qkv__compare_values(s, node, x, y);
}

/* What the exact engine left open may follow from calculus; else its reason stands. */
static qkv__verdict compare_by_calculus(qkv__situation *s, const qkv__node *node, qkv__told told)
{
    qkv__finding kept = *s->finding;
    s->finding->found = s->finding->reason = (qkv__text){0};
    qkv__verdict verdict = qkv__compare_calculus(s, node);
    if (verdict == QKV__UNDECIDED && s->limit_count > 0) verdict = qkv__compare_powers(s, node);
    qkv__finding tried = *s->finding;
    s->finding->found = kept.found;
    s->finding->reason = kept.reason;
    if (verdict != QKV__UNDECIDED) {
        qkv__text_take_out(&s->finding->found, told.found, s->finding->found.length);
        qkv__text_take_out(&s->finding->reason, told.reason, s->finding->reason.length);
        if (tried.reason.data != NULL) qkv__situation_say(s, tried.reason.data);
    } else {
        s->finding->engine = kept.engine;
    }
    qkv__text_free(&tried.found);
    qkv__text_free(&tried.reason);
    return verdict;
}

/* An expression without chance is compared like any other. */
static qkv__verdict compare_plainly(qkv__situation *s, const qkv__node *node)
{
    const qkv__told nothing = {0, 0};
    qkv__verdict verdict =
        is_interval(s, node) ? qkv__compare_interval(s, node) : compare_plain(s, node);
    if (verdict == QKV__UNDECIDED && s->finding->culprit == NULL)
        verdict = compare_by_calculus(s, node, nothing);
    return verdict;
}

/* Whether calculus proves the opposite, whatever the parameters are. */
static bool is_contrary(qkv__situation *s, const qkv__node *node)
{
    qkv__node opposite = *node;
    if (s->weakened || s->has_tolerance || s->finding->culprit != NULL ||
        !qkv__comparison_opposite(node->comparison, &opposite.comparison))
        return false;
    qkv__finding_free(s->finding);
    s->finding->found = s->finding->reason = (qkv__text){0};
    if (qkv__compare_calculus(s, &opposite) != QKV__PROVED) return false;
    qkv__text_free(&s->finding->reason);
    qkv__situation_conclude(s, QKV__REFUTED, "ball");
    return true;
}

/* What the engine of chance left open may have expressions without chance; else its reason
 * stands. */
static qkv__verdict compare_without_chance(qkv__situation *s, const qkv__node *node, qkv__told told)
{
    const qkv__binding *outer = s->locals, *locals;
    const qkv__node *same = qkv__chance_without(s, node, &locals);
    if (same == NULL) return QKV__UNDECIDED;
    qkv__finding kept = *s->finding;
    s->finding->found = s->finding->reason = (qkv__text){0};
    s->locals = locals;
    qkv__verdict verdict = compare_plainly(s, same);
    if (verdict == QKV__UNDECIDED && is_contrary(s, same)) verdict = QKV__REFUTED;
    s->locals = outer;
    qkv__finding tried = *s->finding;
    if (verdict == QKV__UNDECIDED) {
        *s->finding = kept;
    } else {
        s->finding->found = kept.found;
        s->finding->reason = kept.reason;
        qkv__text_take_out(&s->finding->found, told.found, s->finding->found.length);
        qkv__text_take_out(&s->finding->reason, told.reason, s->finding->reason.length);
        qkv__situation_say(s, "By the moments of the normal law.");
        if (tried.reason.data != NULL) qkv__situation_say(s, tried.reason.data);
    }
    qkv__text_free(&tried.found);
    qkv__text_free(&tried.reason);
    return verdict;
}

/* By formulas and integrals; by expressions without chance; else by samples. */
static qkv__verdict compare_chance(qkv__situation *s, const qkv__node *node)
{
    qkv__told told = {s->finding->found.length, s->finding->reason.length};
    qkv__verdict verdict = qkv__compare_chance(s, node);
    if (verdict == QKV__UNDECIDED && s->finding->culprit == NULL) {
        qkv__memory memory = qkv__situation_remember(s);
        verdict = compare_without_chance(s, node, told);
        qkv__situation_forget(s, &memory);
    }
    bool sampled =
        verdict == QKV__UNDECIDED && qkv__limits_allow(s->model->limits, QKV_ENGINE_SAMPLE);
    return sampled ? qkv__sample_decide(s, node, told) : verdict;
}

/* The first that takes a comparison decides it. */
static const struct {
    bool (*takes)(const qkv__situation *s, const qkv__node *comparison);
    qkv__verdict (*decide)(qkv__situation *s, const qkv__node *comparison);
    bool plain; /* between numbers or vectors: calculus may follow */
} comparison_engines[] = {{is_about_chance, compare_chance, false},
                          {is_interval, qkv__compare_interval, true},
                          {is_symbolic, compare_words, false},
                          {is_any, compare_plain, true}};

qkv__verdict qkv__compare(qkv__situation *s, const qkv__node *node)
{
    assert(node->kind == QKV__NODE_COMPARE && node->count == 2);
    bool random = s->model->chance_count > 0 || s->model->scale_count > 0;
    if (s->limit_count > 0 && random && qkv__ties_hold_node(s, node))
        return qkv__situation_undecided(
            s, "a premise makes something in the claim depend on the limit");
    for (size_t l = 0; random && l < s->limit_count; l++) /* noise grows with its dimension */
        if (s->model->algebra.parameter[s->limit[l].parameter].whole)
            return qkv__situation_undecided(
                s, "limits in the number or dimension of random keys are not supported");
    size_t i = 0;
    while (!comparison_engines[i].takes(s, node)) i++;
    qkv__told told = {s->finding->found.length, s->finding->reason.length};
    qkv__verdict verdict = comparison_engines[i].decide(s, node);
    /* What holds for all numbers holds in every draw; of noise in every direction less is known. */
    const bool drawn = s->model->noise != 0 || (s->model->chance_count > 0 && s->limit_count > 0);
    if (verdict == QKV__UNDECIDED && s->finding->culprit == NULL && comparison_engines[i].plain &&
        (!drawn || qkv__chance_is_fixed(s, node)))
        verdict = compare_by_calculus(s, node, told);
    /* Where something stands for outputs that are not known, what fails may hold of these, and
     * they may move along with a limit. */
    if (s->model->opaque && (verdict == QKV__REFUTED || s->limit_count > 0)) {
        qkv__finding_free(s->finding);
        return qkv__situation_undecided(s, "outputs of tokens that have no names are not known");
    }
    return verdict;
}

qkv__verdict qkv__exists(qkv__situation *s, const qkv__node *node)
{
    assert(node->count >= 2);
    assert(node->kind == QKV__NODE_EXISTS);
    qkv__design_question question = {.unknown_count = node->count - 1,
                                     .unknown = node->child,
                                     .proposition = node->child[node->count - 1],
                                     .locals = s->locals,
                                     .circumstances = s->circumstances,
                                     .again = qkv__decide};
    qkv__design(s->model, &question, s->finding);
    if (s->model->opaque) {
        qkv__finding_free(s->finding);
        return qkv__situation_undecided(s, "outputs of tokens that have no names are not known");
    }
    /* A premise in place of parameters is not seen there: what fails for some may hold under it. */
    if (s->finding->verdict == QKV__REFUTED && !s->finding->uniform &&
        (s->weakened || s->substitution_count > 0))
        return qkv__situation_conclude(s, QKV__UNDECIDED, "");
    return s->finding->verdict;
}

/* ---- Questions ------------------------------------------------------------------------- */

void qkv__answer(qkv__model *model, const qkv__statement *question,
                 const qkv__circumstances *circumstances, qkv__finding *finding)
{
    assert(question->kind == QKV__STATEMENT_FIND || question->kind == QKV__STATEMENT_LAW);
    const qkv__node *asked = question->node[question->count - 1];
    if (question->kind == QKV__STATEMENT_LAW)
        qkv__law(model, asked, circumstances, finding);
    else if (qkv__table_takes(model, asked))
        qkv__table_find(model, question, circumstances, finding);
    else
        qkv__find(model, question, circumstances, qkv__decide, finding);
    if (!model->opaque) return;
    qkv__finding_free(finding);
    *finding = (qkv__finding){.engine = ""};
    qkv__text_format(&finding->reason, "outputs of tokens that have no names are not known");
}
