/* A document to a report: problem by problem, statement by statement. Knows the model and the
 * verdicts; prints nothing. */
#include "claim/check.h"

#include <assert.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "claim/answer.h"
#include "claim/cases.h"
#include "claim/decide.h"
#include "claim/engine.h"
#include "claim/gate.h"
#include "claim/model/binding.h"
#include "claim/model/limits.h"
#include "claim/model/model_memory.h"
#include "claim/model/random_declare.h"
#include "claim/model/random_still.h"
#include "claim/premise/reach.h"
#include "claim/settle.h"
#include "claim/table/table.h"
#include "language/complaint.h"
#include "language/document.h"
#include "language/ranges.h"
#include "language/reading.h"
#include "language/slips.h"
#include "language/tree.h"

/* A walk through a document. */
typedef struct walk {
    qkv_report *report;
    const qkv__visitor *visitor; /* NULL: none */
    const qkv__limits *limits;
    qkv__model model;
    qkv__model still;                 /* its twin in which noise in every direction has vanished */
    bool has_still;                   /* where keys are random */
    int begin;                        /* the line where the problem begins */
    const qkv__circumstances *around; /* of the blocks around the statement at hand */
    qkv__names names;                 /* of the problem */
    const char *problem;
    bool open;   /* a model is there */
    bool failed; /* out of memory */
} walk;

const char *qkv_verdict_name(qkv_verdict verdict)
{
    return qkv__verdict_name((qkv__verdict)verdict);
}

bool qkv_claim_passes(const qkv_claim *claim)
{
    if (claim->has_expectation) return claim->verdict == claim->expected;
    return claim->verdict == QKV_PROVED || (claim->verdict == QKV_SUPPORTED && claim->accepted);
}

void qkv_report_accept_supported(qkv_report *report)
{
    for (size_t i = 0; i < report->claim_count; i++) report->claims[i].accepted = true;
}

const char *qkv__statement_label(const qkv__statement *statement)
{
    if (statement->kind == QKV__STATEMENT_CLAIM) return statement->text;
    return statement->kind == QKV__STATEMENT_FIND ? "find" : "law";
}

static int last_line(const qkv__node *node, int line)
{
    if (node->place.line > line) line = node->place.line;
    for (size_t i = 0; i < node->count; i++) line = last_line(node->child[i], line);
    return line;
}

int qkv__statement_end(const qkv__statement *statement)
{
    int line = statement->place.line;
    for (size_t i = 0; i < statement->count; i++) line = last_line(statement->node[i], line);
    for (const qkv__condition *c = statement->conditions; c != NULL; c = c->next) {
        if (c->place.line > line) line = c->place.line;
        for (size_t i = 0; i < c->count; i++) line = last_line(c->node[i], line);
    }
    return line;
}

/* ---- Results ------------------------------------------------------------------------- */

static const char *keep(walk *w, const qkv__text *text)
{
    if (text->data == NULL) return "";
    const char *kept = qkv__arena_text(&w->report->document.arena, text->data, text->length);
    return kept == NULL ? "" : kept;
}

static const char *keep_complaint(walk *w, const qkv__finding *finding)
{
    qkv__text text = {0};
    qkv__text_format(&text, "The claim is not well posed: %s.", finding->complaint);
    const char *kept = keep(w, &text);
    qkv__text_free(&text);
    return kept;
}

static qkv_claim *new_claim(walk *w)
{
    qkv_report *report = w->report;
    if (report->claim_count == report->claim_capacity) {
        size_t capacity = report->claim_capacity == 0 ? 16 : 2 * report->claim_capacity;
        qkv_claim *grown = qkv__arena_array(&report->document.arena, capacity, sizeof *grown);
        if (grown == NULL) return NULL;
        if (report->claim_count > 0)
            memcpy(grown, report->claims, report->claim_count * sizeof *grown);
        report->claims = grown;
        report->claim_capacity = capacity;
    }
    return &report->claims[report->claim_count++];
}

static void read_expectation(const qkv__circumstances *circumstances, qkv_claim *claim)
{
    for (size_t i = 0; i < circumstances->count; i++)
        for (int v = QKV_UNDECIDED; v <= QKV_SUPPORTED; v++)
            if (circumstances->item[i].kind == QKV__CONDITION_EXPECT &&
                strcmp(circumstances->item[i].text, qkv_verdict_name((qkv_verdict)v)) == 0) {
                claim->has_expectation = true;
                claim->expected = (qkv_verdict)v;
            }
}

/* One entry of the report from what was found of a claim or of a question. */
static void add_entry(walk *w, const qkv__occasion *occasion)
{
    assert(occasion->finding->engine != NULL);
    assert((occasion->finding->verdict == QKV__UNDECIDED) ==
           (occasion->finding->engine[0] == '\0'));
    assert(occasion->finding->culprit == NULL || occasion->finding->verdict == QKV__UNDECIDED);
    assert(!occasion->finding->disputed || occasion->finding->verdict == QKV__UNDECIDED);
    const qkv__finding *finding = occasion->finding;
    if (finding->culprit != NULL)
        qkv__model_complain(&w->model, finding->culprit->place, "%s", finding->complaint);
    qkv_claim *claim = new_claim(w);
    if (claim == NULL) {
        w->failed = true;
        return;
    }
    *claim = (qkv_claim){.line = occasion->statement->place.line,
                         .last_line = qkv__statement_end(occasion->statement),
                         .problem = w->problem,
                         .name = qkv__statement_label(occasion->statement),
                         .claim = occasion->statement->source,
                         .verdict = (qkv_verdict)finding->verdict,
                         .engine = finding->engine,
                         .replayed = finding->replayed,
                         .disputed = finding->disputed,
                         .found = keep(w, &finding->found),
                         .reason = finding->culprit != NULL ? keep_complaint(w, finding)
                                                            : keep(w, &finding->reason)};
    read_expectation(occasion->circumstances, claim);
    if (w->visitor != NULL &&
        !w->visitor->sees(w->visitor->data, occasion, &w->report->document.arena, claim))
        w->failed = true;
}

/* Where the conditions let noise vanish first, the model without it is asked. */
static qkv__model *asked_model(walk *w, const qkv__statement *statement,
                               const qkv__circumstances *circumstances)
{
    const qkv__node *asked = statement->node[statement->count - 1];
    bool still = w->has_still && qkv__random_is_still(&w->still, circumstances, asked);
    return still ? &w->still : &w->model;
}

/* No verdict below a statement that was not understood: it may have changed what a name means, or
 * have been a condition around the claim. */
static void leave_open(int lost, qkv__finding *finding)
{
    *finding = (qkv__finding){.verdict = QKV__UNDECIDED, .engine = ""};
    qkv__text_format(&finding->reason,
                     "line %d was not understood and may change the meaning of this one", lost);
}

/* The claim says something that nobody meant: a mistake in the text. */
static void refuse(const qkv__slip *slip, qkv__finding *finding)
{
    *finding = (qkv__finding){.verdict = QKV__UNDECIDED, .engine = "", .culprit = slip->node};
    memcpy(finding->complaint, slip->message, sizeof slip->message);
}

/* A slip in what the text says, before ranges were written out. */
static bool has_slip(const walk *w, const qkv__statement *statement,
                     const qkv__circumstances *written, qkv__slip *slip)
{
    qkv__circumstances spoken;
    const qkv__statement *said = statement->written;
    if (said == NULL) return qkv__slip_find(&w->names, statement, written, slip);
    if (written == NULL) return qkv__slip_find(&w->names, said, NULL, slip);
    spoken = *w->around;
    qkv__circumstances_add(&spoken, said->conditions);
    return qkv__slip_find(&w->names, said, &spoken, slip);
}

/* Whether a range of the text was written out, so that its name is gone. */
static bool is_gone(const qkv__statement *statement, const qkv__node *range)
{
    if (!qkv__is_index_domain(range)) return false;
    const char *name = range->child[0]->text;
    for (const qkv__condition *c = statement->conditions; c != NULL; c = c->next)
        for (size_t i = 0; i < c->count; i++)
            if (qkv__node_has_index(c->node[i], name)) return false;
    return !qkv__node_has_index(statement->node[statement->count - 1], name);
}

/* x[i] >= g/i for i in 1..4, where g = i + 1, or in a block that speaks of i: with numbers in place
 * of i, whose i would these be? */
static bool hides_other(const walk *w, const qkv__statement *statement, const qkv__node *range,
                        qkv__slip *slip)
{
    if (!is_gone(statement, range)) return false;
    const char *name = range->child[0]->text;
    const qkv__statement *s = qkv__bound_is_number(w->names.first, range);
    slip->node = range;
    if (s != NULL)
        snprintf(slip->message, sizeof slip->message,
                 "%s is also a number in line %d: use another name here", name, s->place.line);
    bool around = false;
    for (size_t i = 0; s == NULL && i < w->around->count && !around; i++)
        around =
            w->around->item[i].node != NULL && qkv__node_has_index(w->around->item[i].node, name);
    if (around)
        snprintf(
            slip->message, sizeof slip->message,
            "the block around the claim speaks of %s too: write its condition behind the claim",
            name);
    return s != NULL || around;
}

/* The same of all ranges that were written out and were outermost: the others were looked at. */
static bool has_lost_range(const walk *w, const qkv__statement *statement, qkv__slip *slip)
{
    const qkv__statement *said = statement->written;
    if (said == NULL) return false;
    for (const qkv__condition *c = said->conditions; c != NULL; c = c->next)
        for (size_t i = 0; c->kind == QKV__CONDITION_RANGE && i < c->count; i++)
            if (hides_other(w, statement, c->node[i], slip)) return true;
    const qkv__node *p = said->node[said->count - 1];
    for (size_t i = 0; p->kind == QKV__NODE_FOR_ALL && i + 1 < p->count; i++)
        if (hides_other(w, statement, p->child[i], slip)) return true;
    return false;
}

/* What to do about a name that is an index and a number. */
static void advise(char *message, size_t size, const char *name)
{
    snprintf(message, size,
             "%s stands for a number too, which takes a range between plain numbers, such as 1..4; "
             "otherwise define g[%s] = 1/%s for %s in 1..n, say, and write g[%s]",
             name, name, name, name, name);
}

/* An engine cannot tell more than that an index is no number. */
static void tell_of_index(const qkv__statement *statement, qkv__finding *finding)
{
    const char *name = finding->culprit == NULL || strstr(finding->complaint, "index") == NULL
                           ? NULL
                           : qkv__ranges_left(statement);
    if (name == NULL) return;
    advise(finding->complaint, sizeof finding->complaint, name);
}

/* claim: t <= 1 or t >= 2 for t in 1..2 */
static bool is_unclear(const walk *w, const qkv__statement *statement,
                       const qkv__circumstances *circumstances, qkv__slip *slip)
{
    qkv__reading reading = QKV__READ_UNCLEAR;
    slip->node = qkv__unclear_range(&w->names, statement, circumstances, &reading);
    if (slip->node == NULL) return false;
    const char *name = slip->node->child[0]->text;
    if (reading == QKV__READ_BOTH)
        advise(slip->message, sizeof slip->message, name);
    else
        snprintf(slip->message, sizeof slip->message,
                 "cannot tell whether %s is an index or any number: for a number, declare scalar "
                 "%s",
                 name, name);
    return true;
}

/* for all t: p, given y > 4, where y is made of t: whose t is it? */
static bool conditions_hide(const qkv__model *model, const qkv__node *node,
                            const qkv__circumstances *circumstances, qkv__slip *slip)
{
    for (size_t i = 0; node->kind == QKV__NODE_FOR_ALL && i + 1 < node->count; i++) {
        const qkv__node *bound = node->child[i];
        if (qkv__node_is_domain(bound)) continue;
        if (bound->kind == QKV__NODE_COMPARE) bound = bound->child[0];
        for (size_t c = 0; c < circumstances->count; c++)
            if (qkv__circumstance_is_premise(&circumstances->item[c]) &&
                qkv__reaches(model, circumstances->item[c].node, qkv__unknown_name(bound))) {
                slip->node = node->child[i];
                snprintf(slip->message, sizeof slip->message,
                         "a condition of the claim depends on %s: use another name here",
                         qkv__unknown_name(bound));
                return true;
            }
    }
    for (size_t i = 0; i < node->count; i++)
        if (conditions_hide(model, node->child[i], circumstances, slip)) return true;
    return false;
}

/* ---- Entries ------------------------------------------------------------------------- */

/* Whether indexes are picked from listed vectors: the model knows them as the first of their cases.
 */
static bool has_picks(const qkv__model *model)
{
    for (size_t i = 0; i < model->fixed_count; i++)
        if (model->fixed[i].pick != NULL) return true;
    return false;
}

static void leave_picks(qkv__finding *finding)
{
    *finding = (qkv__finding){.verdict = QKV__UNDECIDED, .engine = ""};
    qkv__text_format(
        &finding->reason,
        "an index is picked from listed vectors: ask this in a problem without the pick");
}

static void leave_crowded(qkv__finding *finding)
{
    *finding = (qkv__finding){.verdict = QKV__UNDECIDED, .engine = ""};
    qkv__text_format(&finding->reason, "a claim may have at most %d conditions, blocks included",
                     QKV__CIRCUMSTANCES);
}

/* A premise about something further down is no premise yet. */
static void leave_valueless(qkv__finding *finding)
{
    qkv__finding_free(finding);
    *finding = (qkv__finding){.engine = ""};
    qkv__text_format(&finding->reason, "it has no value there: a division by 0");
}

static void leave_waiting(qkv__finding *finding)
{
    qkv__finding_free(finding);
    *finding = (qkv__finding){.verdict = QKV__UNDECIDED, .engine = ""};
    qkv__text_format(&finding->reason,
                     "it fails, but a premise refers to something declared further down");
}

static void leave_late(qkv__finding *finding)
{
    *finding = (qkv__finding){.verdict = QKV__UNDECIDED, .engine = ""};
    qkv__text_format(&finding->reason, "the time allowed for this check is used up");
}

/* An engine that is switched off may have been needed on the way to a verdict. */
static void refuse_engine(qkv__finding *finding)
{
    const char *engine = finding->engine;
    qkv__finding_free(finding);
    *finding = (qkv__finding){.verdict = QKV__UNDECIDED, .engine = ""};
    qkv__text_format(&finding->reason, "this needs the %s engine, which is switched off", engine);
}

static void decide_entry(walk *w, const qkv__statement *statement,
                         const qkv__circumstances *written)
{
    assert(statement->count > 0);
    qkv__finding finding;
    qkv__circumstances bounds = *written;
    const qkv__circumstances *circumstances = &bounds;
    if (!qkv__write_bounds(&w->report->document.arena, &w->names, statement, &bounds))
        bounds.too_many = true;
    qkv__model *model = asked_model(w, statement, circumstances);
    const int line = statement->place.line;
    const int lost = qkv__document_lost(model->document, w->begin, line);
    model->gappy = model->deferred_count > 0;
    qkv__slip slip;
    if (lost > 0)
        leave_open(lost, &finding);
    else if (circumstances->too_many)
        leave_crowded(&finding);
    else if (qkv__limits_spent(w->limits))
        leave_late(&finding);
    else if (has_slip(w, statement, written, &slip) || has_lost_range(w, statement, &slip))
        refuse(&slip, &finding);
    else if (is_unclear(w, statement, written, &slip))
        refuse(&slip, &finding);
    else if (conditions_hide(model, statement->node[statement->count - 1], circumstances, &slip))
        refuse(&slip, &finding);
    else if (statement->kind == QKV__STATEMENT_CLAIM)
        qkv__settle(model, statement, circumstances, &finding);
    else if (has_picks(model))
        leave_picks(&finding);
    else
        qkv__answer(model, statement, circumstances, &finding);
    if (model->gappy && finding.verdict == QKV__REFUTED) leave_waiting(&finding);
    tell_of_index(statement, &finding);
    if (statement->kind == QKV__STATEMENT_FIND) {
        qkv__gate_question(model, statement, circumstances, &finding);
        qkv__answer_of_find(model, statement, circumstances, &finding);
    }
    if (statement->kind == QKV__STATEMENT_LAW)
        qkv__answer_of_law(model, statement, circumstances, &finding);
    if ((finding.verdict == QKV__PROVED || finding.verdict == QKV__REFUTED) &&
        finding.replayed == 0 &&
        qkv__divides_by_zero(model, statement->node[statement->count - 1], circumstances))
        leave_valueless(&finding);
    if ((qkv__engine_bit(finding.engine) & w->limits->without) != 0) refuse_engine(&finding);
    add_entry(w, &(qkv__occasion){model, statement, circumstances, &finding});
    qkv__finding_free(&finding);
}

/* A verdict is the same however many claims stand before it: each finds the models as the
 * declarations left them. */
static void take_entry(walk *w, const qkv__statement *statement,
                       const qkv__circumstances *circumstances)
{
    assert(w->open && qkv__statement_is_entry(statement));
    qkv__model_memory memory, still;
    if (w->visitor != NULL && !w->visitor->wants(w->visitor->data, statement)) return;
    qkv__model_remember(&w->model, &memory);
    if (w->has_still) qkv__model_remember(&w->still, &still);
    decide_entry(w, statement, circumstances);
    qkv__model_forget(&w->model, &memory);
    if (w->has_still) qkv__model_forget(&w->still, &still);
}

/* ---- The walk ------------------------------------------------------------------------ */

static void end_problem(walk *w)
{
    if (w->open) qkv__model_end(&w->model);
    if (w->has_still) qkv__model_end(&w->still);
    w->open = w->has_still = false;
}

static void begin_problem(walk *w, const qkv__statement *statement)
{
    end_problem(w);
    w->open = true;
    w->has_still = qkv__random_is_declared(statement);
    const bool named = statement->kind == QKV__STATEMENT_PROBLEM;
    w->problem = named ? statement->text : "";
    w->begin = named ? statement->place.line : 0;
    qkv__index_case picked;
    qkv__cases_begin(statement, &picked);
    qkv__document *document = &w->report->document;
    if (!qkv__names_collect(statement, &document->arena, &w->names)) w->failed = true;
    qkv__model_begin_case(&w->model, document, statement, &qkv__reader_of_tables, picked.fixed,
                          picked.count, false);
    w->model.limits = w->limits;
    if (!w->has_still) return;
    qkv__model_begin_case(&w->still, document, statement, &qkv__reader_of_tables, picked.fixed,
                          picked.count, true);
    w->still.still = true;
    w->still.limits = w->limits;
}

/* Whether a statement speaks of something whose declaration was not understood: a second complaint
 * would be about the first mistake. */
static bool rests_on_lost(const walk *w, const qkv__statement *statement)
{
    const qkv__document *document = &w->report->document;
    for (size_t i = 0; i < w->names.count; i++) {
        const qkv__known_name *known = &w->names.item[i];
        const int line = known->statement->place.line;
        if (known->statement == statement ||
            !qkv__stands_before(known->statement->place, statement->place) ||
            qkv__document_lost(document, line - 1, line) == 0)
            continue;
        for (size_t j = 0; j < statement->count; j++)
            if (qkv__node_has_index(statement->node[j], known->name)) return true;
    }
    return false;
}

static void declare(walk *w, const qkv__statement *statement)
{
    assert(w->open && !qkv__statement_is_entry(statement));
    qkv__slip slip;
    if (rests_on_lost(w, statement)) {
        qkv__document_lose(&w->report->document, statement->place.line);
        return;
    }
    if (has_slip(w, statement, NULL, &slip)) {
        qkv__model_complain(&w->model, slip.node->place, "%s", slip.message);
        qkv__document_lose(&w->report->document, statement->place.line);
        return;
    }
    if (!qkv__model_declare(&w->model, statement))
        qkv__document_lose(&w->report->document, statement->place.line);
    if (w->has_still) qkv__model_declare(&w->still, statement);
}

/* What is declared in a block would be meant below it too, under conditions that have ended. */
static void refuse_declaration(walk *w, const qkv__statement *statement)
{
    qkv__model_complain(&w->model, statement->place,
                        "a block may contain only claims and questions: move this above it");
    qkv__document_lose(&w->report->document, statement->place.line);
}

static void walk_statements(walk *w, const qkv__statement *first,
                            const qkv__circumstances *circumstances)
{
    for (const qkv__statement *s = first; s != NULL && !w->failed; s = s->next) {
        qkv__circumstances inner = *circumstances;
        w->around = circumstances;
        if (s->kind == QKV__STATEMENT_PROBLEM || !w->open) begin_problem(w, s);
        qkv__circumstances_add(&inner, s->conditions);
        if (s->kind == QKV__STATEMENT_BLOCK)
            walk_statements(w, s->inside, &inner);
        else if (qkv__statement_is_entry(s))
            take_entry(w, s, &inner);
        else if (circumstances->count > 0)
            refuse_declaration(w, s);
        else
            declare(w, s);
    }
}

static int compare_complaints(const void *a, const void *b)
{
    const qkv__complaint *x = a, *y = b;
    if (x->place.line != y->place.line) return x->place.line < y->place.line ? -1 : 1;
    return (x->place.column > y->place.column) - (x->place.column < y->place.column);
}

static void publish_complaints(qkv_report *report)
{
    qkv__document *document = &report->document;
    qsort(document->complaint, document->complaint_count, sizeof document->complaint[0],
          compare_complaints);
    for (size_t i = 0; i < document->complaint_count; i++) {
        const qkv__complaint *from = &document->complaint[i];
        report->complaints[i] = (qkv_complaint){.line = from->place.line,
                                                .column = from->place.column,
                                                .message = from->message,
                                                .text = from->line,
                                                .caret = from->caret};
    }
}

qkv_status qkv__report_make(const char *name, const char *text, size_t length,
                            const qkv__visitor *visitor, const qkv_check_options *options,
                            qkv_report **report, qkv_error *error)
{
    qkv__limits limits;
    if (name == NULL || (text == NULL && length > 0) || report == NULL)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "name, text or report is NULL");
    qkv_status status = qkv__limits_begin(options, &limits, error);
    if (status != QKV_OK) return status;
    qkv_report *made = qkv__allocate_zero(sizeof *made);
    if (made == NULL) return qkv__fail_memory(error, sizeof *made);
    const size_t failures = qkv__memory_failures();
    status = qkv__document_read(name, text, length, &made->document, error);
    if (status == QKV_OK && made->document.first == NULL && made->document.complaint_count == 0 &&
        length > 0 && qkv_is_markdown(name, text, length))
        qkv__document_complain(&made->document, (qkv__place){1, 1, 1},
                               "there is no block of claims here: begin one with ```qkv");
    if (status == QKV_OK) {
        walk w = {.report = made, .visitor = visitor, .limits = &limits};
        qkv__circumstances none = {.count = 0};
        walk_statements(&w, made->document.first, &none);
        end_problem(&w);
        publish_complaints(made);
        /* An engine without memory knows less, which must not pass for a verdict. */
        if (w.failed || made->document.arena.failed || qkv__memory_failures() != failures)
            status = qkv__fail_memory(error, made->document.arena.used);
    }
    if (status == QKV_OK)
        *report = made;
    else
        qkv_report_free(&made);
    return status;
}

qkv_status qkv_check(const char *name, const char *text, size_t length, qkv_report **report,
                     qkv_error *error)
{
    return qkv__report_make(name, text, length, NULL, NULL, report, error);
}

qkv_status qkv_check_with(const char *name, const char *text, size_t length,
                          const qkv_check_options *options, qkv_report **report, qkv_error *error)
{
    return qkv__report_make(name, text, length, NULL, options, report, error);
}

size_t qkv_report_claim_count(const qkv_report *report)
{
    return report->claim_count;
}

const qkv_claim *qkv_report_claim(const qkv_report *report, size_t index)
{
    return index < report->claim_count ? &report->claims[index] : NULL;
}

size_t qkv_report_complaint_count(const qkv_report *report)
{
    return report->document.complaint_count;
}

const qkv_complaint *qkv_report_complaint(const qkv_report *report, size_t index)
{
    return index < report->document.complaint_count ? &report->complaints[index] : NULL;
}

void qkv_report_free(qkv_report **report)
{
    if (report == NULL || *report == NULL) return;
    qkv__document_free(&(*report)->document);
    qkv__free(*report);
    *report = NULL;
}
