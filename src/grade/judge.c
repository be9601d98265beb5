/*
 * What becomes of a question: the student's claim is decided under the key's givens and compared
 * with the key's claim. Points are given only where both are certain; where the checker cannot
 * tell, a person has to look.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "grade/part.h"
#include "language/document.h"
#include "language/tree.h"

enum { SUBMISSIONS = 8 };

/* A claim on its way to a mark. */
typedef struct judging {
    const qkv_key *key;
    const qkv__question *question;
    qkv__arena *arena;
    qkv__submission *submission;
    qkv__document document; /* the claim again, read in the key's problem */
    bool has_document;
    qkv__statement_form form; /* of that, expanded */
    qkv_answer *answer;
    qkv_status status;
    qkv_error *error;
} judging;

static const char *keep(judging *j, const char *text)
{
    const char *kept = qkv__arena_text(j->arena, text, strlen(text));
    return kept == NULL ? "" : kept;
}

static void mark(judging *j, qkv_mark mark, double points, const char *reason)
{
    j->answer->mark = mark;
    j->answer->points = points;
    if (reason != NULL) j->answer->reason = reason;
}

/* ---- The claim in the key's problem --------------------------------------------------------- */

static const qkv__statement *last_claim(const qkv__document *document)
{
    const qkv__statement *found = NULL;
    for (const qkv__statement *s = document->first; s != NULL; s = s->next)
        if (s->kind == QKV__STATEMENT_CLAIM) found = s;
    return found;
}

/* Reads the claim once more below the key's declarations, where its names mean what they mean
 * there; false: it cannot be read, and that is marked. */
static bool read_again(judging *j)
{
    qkv__text text = {0};
    const qkv__submission *s = j->submission;
    if (s->preamble.data != NULL) qkv__text_append(&text, s->preamble.data, s->preamble.length);
    qkv__text_format(&text, "claim answer");
    qkv__statement_form_write(&s->form, &text);
    qkv__text_format(&text, "\n");
    j->status = text.failed ? qkv__fail_memory(j->error, text.length)
                            : qkv__document_read(j->key->asked, text.data, text.length,
                                                 &j->document, j->error);
    qkv__text_free(&text);
    if (j->status != QKV_OK) return false;
    j->has_document = true;
    const qkv__statement *claim = last_claim(&j->document);
    if (j->document.complaint_count > 0 || claim == NULL) {
        mark(j, QKV_MARK_ERROR, 0.0,
             j->document.complaint_count > 0 ? keep(j, j->document.complaint[0].message)
                                             : "The claim cannot be read.");
        return false;
    }
    qkv__circumstances circumstances = {0};
    qkv__circumstances_add(&circumstances, claim->conditions);
    qkv__statement_form_read(j->arena, claim->node[0], &circumstances, &j->form);
    if (!j->form.crowded &&
        qkv__statement_form_expand(j->arena, &j->form, &j->question->problem->definitions))
        return true;
    mark(j, QKV_MARK_LOOK, 0.0, "The claim is too large to be compared with the question.");
    return false;
}

/* ---- Verdicts ------------------------------------------------------------------------------- */

static void take_claim(judging *j, const qkv_claim *claim)
{
    j->answer->verdict = claim->verdict;
    j->answer->found = keep(j, claim->found);
    j->answer->reason = keep(j, claim->reason);
}

/* Decides a claim below a preamble; false: there is no verdict, and that is marked. */
static bool decide(judging *j, const char *preamble, const qkv__statement_form *form, bool tell,
                   qkv_verdict *verdict)
{
    qkv__inquiry inquiry;
    qkv_report *report = NULL;
    bool decided = false;
    qkv__inquiry_begin(&inquiry, j->key, j->question->problem, preamble);
    qkv__inquiry_add(&inquiry, form);
    j->status = qkv__inquiry_ask(&inquiry, &report, j->error);
    if (j->status == QKV_OK) {
        const size_t claims = qkv_report_claim_count(report);
        decided = qkv_report_complaint_count(report) == 0 && claims > 0;
        *verdict = inquiry.verdict[0];
        if (decided && tell) take_claim(j, qkv_report_claim(report, claims - 1));
        if (!decided && tell)
            mark(j, QKV_MARK_ERROR, 0.0,
                 qkv_report_complaint_count(report) > 0
                     ? keep(j, qkv_report_complaint(report, 0)->message)
                     : "The claim cannot be read.");
    }
    qkv_report_free(&report);
    qkv__inquiry_end(&inquiry);
    return decided;
}

static qkv__comparing comparing(const judging *j, const char *preamble)
{
    return (qkv__comparing){.key = j->key,
                            .problem = j->question->problem,
                            .preamble = preamble,
                            .arena = j->arena,
                            .status = QKV_OK};
}

/* Whether the answer has a value wherever the question is asked. */
static bool is_defined(judging *j)
{
    qkv__comparing c = comparing(j, j->submission->preamble.data);
    return qkv__has_value(&c, &j->question->expanded, j->form.body);
}

static qkv__relation compare(judging *j, const qkv__statement_form *asked,
                             const qkv__statement_form *answer, bool *contains)
{
    qkv__comparing c = comparing(j, j->submission->preamble.data);
    qkv__relation relation = qkv__compare_claims(&c, asked, answer);
    if (contains != NULL) *contains = c.contains;
    j->status = c.status;
    if (c.status != QKV_OK && j->error != NULL) *j->error = c.error;
    return c.status == QKV_OK ? relation : QKV__SAYS_UNKNOWN;
}

/* ---- True only in the limit ----------------------------------------------------------------- */

static bool is_same(judging *j, const qkv__statement_form *asked, const qkv__statement_form *answer)
{
    return j->status == QKV_OK && compare(j, asked, answer, NULL) == QKV__SAYS_SAME;
}

/* The same claim in a limit. */
static qkv__statement_form in_limit(const qkv__statement_form *form, const qkv__nodes *limits)
{
    qkv__statement_form limited = *form;
    limited.limits = *limits;
    return limited;
}

static qkv__nodes limits_of(const judging *j)
{
    qkv__nodes none = {0};
    if (j->question->expanded.limits.count > 0) return j->question->expanded.limits;
    if (j->form.limits.count > 0) return j->form.limits;
    if (j->question->limit != NULL) none.item[none.count++] = j->question->limit;
    return none;
}

/* Whether question and answer say the same in the limit, one of them having none, and the answer
 * holds there. */
static bool holds_in_limit(judging *j)
{
    const qkv__nodes limits = limits_of(j);
    const size_t asked = j->question->expanded.limits.count, had = j->form.limits.count;
    if (limits.count == 0 || (asked > 0 && had > 0)) return false;
    qkv__statement_form question = in_limit(&j->question->expanded, &limits);
    qkv__statement_form answer = in_limit(&j->form, &limits);
    qkv_verdict verdict = QKV_UNDECIDED;
    if (!is_same(j, &question, &answer)) return false;
    qkv__statement_form limited = in_limit(&j->form, &limits);
    return decide(j, j->submission->preamble.data, &limited, false, &verdict) &&
           verdict == QKV_PROVED;
}

static bool mark_limit(judging *j)
{
    if (!holds_in_limit(j) || j->status != QKV_OK) return false;
    mark(j, QKV_MARK_LIMIT, j->question->face.limit,
         j->question->expanded.limits.count > 0
             ? "True only in the limit, which the claim does not mention."
             : "True only in the limit; the question asks for every value.");
    return true;
}

/* ---- Known mistakes ------------------------------------------------------------------------- */

static void find_hint(judging *j)
{
    const qkv__question *q = j->question;
    if (q->hint != NULL) j->answer->hint = q->hint;
    for (size_t i = 0; i < q->mistake_count && j->status == QKV_OK; i++)
        if (is_same(j, &q->mistake[i].form, &j->form)) {
            j->answer->hint = q->mistake[i].hint;
            j->answer->mistake = q->mistake[i].label;
            return;
        }
}

/* ---- Marks ---------------------------------------------------------------------------------- */

/* Whether a name may stand in an answer that is to be in certain terms. */
static bool is_term(const qkv__question *q, const char *name)
{
    for (size_t i = 0; i < q->term_count; i++)
        if (strcmp(q->term[i], name) == 0) return true;
    return strcmp(name, "e") == 0 || strcmp(name, "pi") == 0;
}

/* The first name outside of what the question is about that is no term; NULL: none. */
static const char *foreign_name(const judging *j, const qkv__node *node)
{
    const qkv__dictionary *subjects = &j->question->problem->subjects;
    if (node->kind == QKV__NODE_NAME && !is_term(j->question, node->text)) return node->text;
    const bool thing = node->kind == QKV__NODE_MEMBER || node->kind == QKV__NODE_INDEX ||
                       node->kind == QKV__NODE_CALL;
    if (thing && qkv__grade_tree_is_subject(node, subjects)) return NULL;
    for (size_t i = 0; i < node->count; i++) {
        const char *found = foreign_name(j, node->child[i]);
        if (found != NULL) return found;
    }
    return NULL;
}

static const char *format(judging *j, const char *pattern, const char *word)
{
    char text[200];
    snprintf(text, sizeof text, pattern, word);
    return keep(j, text);
}

/* It says what was asked, which is as true as the key's claim. */
static void mark_same(judging *j)
{
    const qkv__question *q = j->question;
    const char *foreign = q->has_terms ? foreign_name(j, j->form.body) : NULL;
    if (foreign != NULL)
        mark(j, QKV_MARK_NOTHING, 0.0,
             format(j, "True, but the question asks for an answer without %.40s.", foreign));
    else if (q->verdict == QKV_PROVED)
        mark(j, QKV_MARK_RIGHT, q->face.points, "The same as the key's claim, which is proved.");
    else if (q->verdict == QKV_SUPPORTED && q->supported > 0.0)
        mark(j, QKV_MARK_RIGHT, q->supported, "The same as the key's claim, which is supported.");
    else
        mark(j, QKV_MARK_LOOK, 0.0, "The same as the key's claim, which is not proved either.");
    j->answer->verdict = q->verdict;
    if (j->answer->found[0] == '\0' && q->found != NULL) j->answer->found = q->found;
}

/* Whether the claim is about numbers and parameters alone: nothing that the key declares. */
static bool is_about_nothing(const judging *j, const qkv__node *node)
{
    if (qkv__grade_tree_is_subject(node, &j->question->problem->subjects)) return false;
    if (node->kind == QKV__NODE_INDEX || node->kind == QKV__NODE_MEMBER ||
        node->kind == QKV__NODE_DOT || node->kind == QKV__NODE_SIZE)
        return false;
    for (size_t i = 0; i < node->count; i++)
        if (!is_about_nothing(j, node->child[i])) return false;
    return true;
}

/* `exists i in 1..n: p` is read as `not for all i in 1..n: not p`. */
static bool is_existence(const qkv__node *node)
{
    return node->kind == QKV__NODE_EXISTS ||
           (node->kind == QKV__NODE_NOT && node->child[0]->kind == QKV__NODE_FOR_ALL);
}

/* True, but not plainly what was asked. */
static void mark_true(judging *j, qkv__relation relation, bool contains)
{
    const qkv__question *q = j->question;
    if (relation == QKV__SAYS_MORE && (contains || q->has_stronger))
        mark(j, QKV_MARK_RIGHT, contains ? q->face.points : q->stronger,
             "True, and it says more than the question asks.");
    else if (relation == QKV__SAYS_MORE)
        mark(j, QKV_MARK_LOOK, 0.0, "True, and it says more than the question asks.");
    else if (relation == QKV__SAYS_NOTHING || is_about_nothing(j, j->form.body))
        mark(j, QKV_MARK_NOTHING, 0.0, "True, but it says nothing about what was asked.");
    else if (relation == QKV__SAYS_LESS)
        mark(j, QKV_MARK_NOTHING, 0.0, "True, but it says less than the question asks.");
    else if (is_existence(j->form.body) && !is_existence(q->expanded.body))
        mark(j, QKV_MARK_NOTHING, 0.0,
             "True, but it only says that something exists, which was not asked.");
    else if (!mark_limit(j))
        mark(j, QKV_MARK_LOOK, 0.0,
             relation == QKV__SAYS_OTHER
                 ? "True, but it is not plain that it answers the question."
                 : "True, but the checker cannot tell whether it answers the question.");
}

static void mark_undecided(judging *j, qkv__relation relation)
{
    const bool supported = j->answer->verdict == QKV_SUPPORTED;
    if (relation == QKV__SAYS_NOTHING)
        mark(j, QKV_MARK_NOTHING, 0.0, "It says nothing about what was asked.");
    else if (relation == QKV__SAYS_LESS)
        mark(j, QKV_MARK_NOTHING, 0.0, "It says less than the question asks.");
    else
        mark(j, QKV_MARK_LOOK, 0.0,
             supported ? "Not proved: only supported by a search for counterexamples." : NULL);
}

static void mark_refuted(judging *j)
{
    if (!mark_limit(j) && j->status == QKV_OK) mark(j, QKV_MARK_WRONG, 0.0, j->answer->reason);
    find_hint(j);
}

static void judge_claim(judging *j)
{
    qkv_verdict verdict;
    bool contains = false;
    qkv__statement_form aligned = j->form;
    qkv__statement_form_align(j->arena, &j->question->expanded, &aligned);
    if (qkv__statement_form_alike(&j->question->expanded, &aligned,
                                  j->question->problem->matrices)) {
        mark_same(j);
        return;
    }
    if (!decide(j, j->submission->preamble.data, &j->form, true, &verdict)) return;
    if (verdict == QKV_REFUTED) {
        mark_refuted(j);
        return;
    }
    qkv__relation relation = compare(j, &j->question->expanded, &j->form, &contains);
    if (j->status != QKV_OK) return;
    if ((relation == QKV__SAYS_SAME || relation == QKV__SAYS_MORE) && !is_defined(j))
        mark(j, QKV_MARK_LOOK, 0.0, "The checker cannot tell whether it always has a value.");
    else if (relation == QKV__SAYS_SAME)
        mark_same(j);
    else if (verdict == QKV_PROVED)
        mark_true(j, relation, contains);
    else
        mark_undecided(j, relation);
}

/* ---- Names that the question leaves open ---------------------------------------------------- */

/* Every open name must have a value: what is true of nothing at all is no answer. */
static bool has_values(judging *j, const char *preamble)
{
    for (size_t i = 0; i < j->question->define_count; i++) {
        qkv_verdict verdict = QKV_UNDECIDED;
        const qkv__node *name = qkv__grade_tree_name(j->arena, j->question->define[i]);
        const qkv__node *size =
            name == NULL ? NULL : qkv__grade_tree_make(j->arena, QKV__NODE_SIZE, "", 1, &name);
        const qkv__node *zero = qkv__grade_tree_number(j->arena, 0);
        if (size == NULL || zero == NULL) return false;
        qkv__statement_form form = {.body =
                                        qkv__grade_tree_compare(j->arena, QKV__LESS, size, zero)};
        if (form.body == NULL || !decide(j, preamble, &form, false, &verdict) ||
            verdict != QKV_REFUTED)
            return false;
    }
    return true;
}

static void find_open_hint(judging *j, const char *preamble)
{
    const qkv__question *q = j->question;
    if (q->hint != NULL) j->answer->hint = q->hint;
    for (size_t i = 0; i < q->mistake_count && j->status == QKV_OK; i++) {
        qkv_verdict verdict = QKV_UNDECIDED;
        if (!decide(j, preamble, &q->mistake[i].form, false, &verdict) || verdict != QKV_PROVED)
            continue;
        j->answer->hint = q->mistake[i].hint;
        j->answer->mistake = q->mistake[i].label;
        return;
    }
}

static bool all_have_values(judging *j, const char *preamble, const qkv__nodes *values)
{
    qkv__comparing c = comparing(j, preamble);
    for (size_t i = 0; i < values->count; i++)
        if (!qkv__has_value(&c, &j->question->form, values->item[i])) return false;
    return has_values(j, preamble);
}

static void mark_open(judging *j, const char *preamble, const qkv__nodes *values)
{
    const qkv__question *q = j->question;
    qkv_verdict verdict = QKV_UNDECIDED;
    if (!decide(j, preamble, &q->form, true, &verdict)) return;
    const char *reason = j->answer->reason;
    if (verdict == QKV_PROVED && !all_have_values(j, preamble, values))
        mark(j, QKV_MARK_LOOK, 0.0, "The checker cannot tell whether the definition has a value.");
    else if (verdict == QKV_PROVED)
        mark(j, QKV_MARK_RIGHT, q->face.points, reason);
    else if (verdict == QKV_SUPPORTED && q->supported > 0.0)
        mark(j, QKV_MARK_RIGHT, q->supported, reason);
    else if (verdict != QKV_REFUTED)
        mark(j, QKV_MARK_LOOK, 0.0, reason);
    else {
        mark(j, QKV_MARK_WRONG, 0.0, reason);
        find_open_hint(j, preamble);
    }
}

static void judge_open(judging *j, const qkv__document *document)
{
    qkv__text preamble = {0};
    qkv__nodes values = {0};
    const char *missing = NULL;
    if (qkv__answer_defines(j->question, document, j->arena, &preamble, &values, &missing))
        mark_open(j, preamble.data, &values);
    else
        mark(
            j, QKV_MARK_ERROR, 0.0,
            format(j, "The answer needs a definition of %.60s.", missing == NULL ? "it" : missing));
    qkv__text_free(&preamble);
}

/* ---- All claims of a label ------------------------------------------------------------------ */

static void judge_submission(judging *j)
{
    const qkv__submission *s = j->submission;
    j->answer->line = s->statement->place.line;
    j->answer->claim = keep(j, s->statement->source);
    if (s->failure != NULL)
        mark(j, QKV_MARK_ERROR, 0.0, s->failure);
    else if (s->form.expected != NULL && strcmp(s->form.expected, "proved") != 0)
        mark(j, QKV_MARK_ERROR, 0.0, "An answer is a claim to be proved: `expect` is not allowed.");
    else if (read_again(j))
        judge_claim(j);
    if (j->has_document) qkv__document_free(&j->document);
    j->has_document = false;
}

static qkv_answer blank(const qkv__question *q)
{
    return (qkv_answer){.label = q->face.label,
                        .mark = QKV_MARK_MISSING,
                        .worth = q->face.points,
                        .claim = "",
                        .found = "",
                        .reason = "There is no claim of this label.",
                        .hint = "",
                        .mistake = ""};
}

/* Of several claims with one label the worst counts: no shot in the dark is free. */
static void judge_all(judging *j, qkv__submission *submission, size_t count)
{
    qkv_answer *answer = j->answer, worst = blank(j->question);
    for (size_t i = 0; i < count && j->status == QKV_OK; i++) {
        qkv_answer one = blank(j->question);
        one.reason = "";
        j->answer = &one;
        j->submission = &submission[i];
        judge_submission(j);
        if (i == 0 || one.points < worst.points) worst = one;
    }
    j->answer = answer;
    if (count > 1 && worst.points < worst.worth)
        worst.reason = format(
            j, "The label occurs more than once, and the worst claim counts. %.120s", worst.reason);
    *answer = worst;
}

qkv_status qkv__judge(const qkv_key *key, const qkv__question *question,
                      const qkv__document *document, qkv__arena *arena, qkv_answer *answer,
                      qkv_error *error)
{
    qkv__submission submission[SUBMISSIONS] = {{0}};
    judging j = {.key = key, .question = question, .arena = arena, .error = error};
    *answer = blank(question);
    j.answer = answer;
    size_t found = qkv__submissions_find(key, question, document, arena, submission, SUBMISSIONS);
    const size_t count = found < SUBMISSIONS ? found : SUBMISSIONS;
    if (found > 0 && question->define_count > 0) {
        answer->line = submission[0].statement->place.line;
        answer->claim = keep(&j, submission[0].statement->source);
        judge_open(&j, document);
    } else if (found > SUBMISSIONS) {
        answer->line = submission[0].statement->place.line;
        mark(&j, QKV_MARK_ERROR, 0.0, "The label occurs too often.");
    } else if (found > 0) {
        judge_all(&j, submission, count);
    }
    for (size_t i = 0; i < count; i++) qkv__submission_free(&submission[i]);
    return j.status;
}
