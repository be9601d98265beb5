/* Claims chosen by line or label, decided, and derived step by step. Knows the walk through a
 * document and the order of a derivation; its parts are in the explain_*.c files. */
#include "claim/explain/explain.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "claim/explain/portray.h"
#include "claim/model/binding.h"
#include "claim/model/evaluate.h"
#include "claim/premise/conditions.h"
#include "language/document.h"
#include "language/tree.h"
#include "language/write.h"

/* ---- Conditions ---------------------------------------------------------------------- */

/* `for i not in {a, b}`: i is any one of the others, or else the first that is meant. */
static void take_index(qkv__lesson *lesson)
{
    const qkv__situation *situation = lesson->situation;
    const qkv__node *domain = situation->index_count == 0 ? NULL : situation->index[0];
    const qkv__node *culprit = domain;
    qkv__failure failure = {0};
    qkv__evaluation e = {.model = lesson->model, .failure = &failure, .culprit = &culprit};
    qkv__index_set *set;
    bool left_out[QKV__MARKS + 1];
    if (domain == NULL || !qkv__evaluate_domain(&e, domain, &set, left_out)) return;
    int member = QKV__GENERIC;
    if (left_out[QKV__MARKS] || qkv__ratio_is_zero(qkv__rest_size(&lesson->model->algebra, set))) {
        member = 0;
        while (member < (int)set->mark_count && left_out[member]) member++;
    }
    if (member == (int)set->mark_count) return;
    lesson->index = qkv__index_binding(domain->child[0]->text, set, member, NULL);
    lesson->locals = &lesson->index;
}

static void note_parameter(qkv__lesson *lesson, const qkv__node *node)
{
    int parameter = node->kind == QKV__NODE_NAME
                        ? qkv__parameter_find(&lesson->model->algebra, node->text)
                        : -1;
    if (parameter >= 0) lesson->told[parameter] = true;
}

static bool is_bound(const qkv__node *node)
{
    return node->kind == QKV__NODE_COMPARE && node->comparison <= QKV__GREATER_OR_EQUAL &&
           (node->child[0]->kind == QKV__NODE_NAME || node->child[1]->kind == QKV__NODE_NAME);
}

static void note_bound(qkv__lesson *lesson, const qkv__node *node)
{
    if (!is_bound(node) || qkv__situation_is_index(lesson->situation, node)) return;
    qkv__text_format(&lesson->bounds, "%s", lesson->bounds.length > 0 ? ", " : "");
    qkv__node_write(node, &lesson->bounds);
    note_parameter(lesson, node->child[0]);
    note_parameter(lesson, node->child[1]);
}

/* What the conditions say in words; the situation has taken them already. */
static void note_conditions(qkv__lesson *lesson)
{
    const qkv__circumstances *circumstances = lesson->situation->circumstances;
    for (size_t i = 0; i < circumstances->count; i++)
        if (qkv__circumstance_is_premise(&circumstances->item[i]))
            note_bound(lesson, circumstances->item[i].node);
}

/* ---- What is given and built --------------------------------------------------------- */

static void list_given(void *data, const qkv__statement *statement)
{
    qkv__text *text = data;
    bool given = statement->kind == QKV__STATEMENT_GIVEN ||
                 statement->kind == QKV__STATEMENT_FAMILY ||
                 statement->kind == QKV__STATEMENT_OBJECT ||
                 statement->kind == QKV__STATEMENT_PICK || statement->kind == QKV__STATEMENT_ASSUME;
    if (given) qkv__text_format(text, "%s%s", text->length > 0 ? "; " : "", statement->source);
}

typedef struct built {
    qkv__lesson *lesson;
    const qkv__subjects *subjects;
} built;

static void list_built(void *data, const qkv__statement *statement)
{
    built *b = data;
    for (size_t i = 0; i < b->subjects->definition_count; i++)
        if (b->subjects->definition[i] == statement) {
            qkv__text target = {0}, body = {0};
            qkv__node_write(statement->node[0], &target);
            qkv__node_write(statement->node[1], &body);
            qkv__sheet_row(b->lesson->sheet, qkv__shown(&target), "=", qkv__shown(&body), "");
            qkv__shown_free(b->lesson, &target);
            qkv__shown_free(b->lesson, &body);
        }
}

static void tell_given(qkv__lesson *lesson, const qkv__subjects *subjects)
{
    qkv__text given = {0};
    qkv__lesson_scan(lesson, list_given, &given);
    qkv__sheet_step(lesson->sheet, "Given");
    if (given.length > 0) qkv__sheet_line(lesson->sheet, "%s", qkv__shown(&given));
    qkv__shown_free(lesson, &given);
    qkv__sheet_step(lesson->sheet, "Built");
    built b = {lesson, subjects};
    qkv__lesson_scan(lesson, list_built, &b);
}

/* ---- The verdict --------------------------------------------------------------------- */

static void tell_verdict(qkv__lesson *lesson, const qkv_claim *claim)
{
    qkv__sheet_step(lesson->sheet, "Verdict: %s", qkv_verdict_name(claim->verdict));
    if (claim->found[0] == '\0' && claim->reason[0] == '\0')
        qkv__sheet_line(lesson->sheet, "No engine could decide it.");
    if (claim->found[0] != '\0') qkv__sheet_line(lesson->sheet, "%s", claim->found);
    if (claim->reason[0] != '\0') qkv__sheet_line(lesson->sheet, "%s", claim->reason);
    if (claim->engine[0] != '\0') qkv__sheet_line(lesson->sheet, "engine: %s", claim->engine);
    if (claim->has_expectation && claim->expected != claim->verdict)
        qkv__sheet_line(lesson->sheet, "expected: %s", qkv_verdict_name(claim->expected));
}

/* ---- A lesson ------------------------------------------------------------------------ */

/* What the derivation of one entry of the report needs. */
typedef struct task {
    const qkv__occasion *occasion;
    qkv__sheet *sheet;
    qkv_claim *claim;
} task;

static void tell(qkv__situation *situation, void *data)
{
    const task *t = data;
    const qkv__statement *statement = t->occasion->statement;
    const qkv__node *proposition = statement->node[statement->count - 1];
    qkv__lesson lesson = {.model = situation->model,
                          .statement = statement,
                          .situation = situation,
                          .sheet = t->sheet};
    qkv__subjects subjects = {.count = 0};
    take_index(&lesson);
    note_conditions(&lesson);
    qkv__subjects_collect(&lesson, proposition, &subjects);
    tell_given(&lesson, &subjects);
    for (size_t i = 0; i < subjects.count; i++) qkv__derive_subject(&lesson, &subjects.subject[i]);
    qkv__derive_sides(&lesson, proposition);
    tell_verdict(&lesson, t->claim);
    if (t->occasion->finding->culprit == NULL)
        t->claim->scene = qkv__portray(&lesson, &subjects, t->sheet->arena);
    qkv__shown_free(&lesson, &lesson.bounds);
}

static bool see(void *data, const qkv__occasion *occasion, qkv__arena *arena, qkv_claim *claim)
{
    qkv__sheet *sheet = qkv__arena_take(arena, sizeof *sheet);
    (void)data;
    if (sheet == NULL) return false;
    sheet->arena = arena;
    task t = {occasion, sheet, claim};
    qkv__under_conditions(occasion->model, occasion->circumstances, tell, &t);
    claim->steps = qkv__sheet_finish(sheet, &claim->step_count);
    return !arena->failed;
}

/* ---- Which claims -------------------------------------------------------------------- */

typedef struct chooser {
    int line;          /* 0: not by line */
    const char *label; /* NULL: not by label */
} chooser;

static bool is_chosen(const chooser *choice, const qkv__statement *statement)
{
    if (choice->line > 0)
        return statement->place.line <= choice->line &&
               choice->line <= qkv__statement_end(statement);
    return choice->label == NULL || strcmp(qkv__statement_label(statement), choice->label) == 0;
}

static bool wants(void *data, const qkv__statement *statement)
{
    return is_chosen(data, statement);
}

/* Calls `use` for every entry of a document, blocks included. */
static void for_each_entry(const qkv__statement *first,
                           void (*use)(void *data, const qkv__statement *statement), void *data)
{
    for (const qkv__statement *s = first; s != NULL; s = s->next) {
        if (qkv__statement_is_entry(s)) use(data, s);
        if (s->kind == QKV__STATEMENT_BLOCK) for_each_entry(s->inside, use, data);
    }
}

/* What a document has, seen from what was asked for. */
typedef struct survey {
    const qkv_selection *which;
    size_t entries, on_line, with_label;
    int before, after; /* lines of the nearest claims; 0: none */
    const char *near_label;
    size_t distance;
} survey;

/* How many characters must be put in, left out or changed; long labels are not compared. */
static size_t edits(const char *a, const char *b)
{
    enum { MOST = 64 };
    size_t row[MOST + 1], n = strlen(b);
    if (n > MOST || strlen(a) > MOST) return SIZE_MAX;
    for (size_t j = 0; j <= n; j++) row[j] = j;
    for (size_t i = 1; a[i - 1] != '\0'; i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t change = corner + (a[i - 1] != b[j - 1]);
            size_t shorter = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            corner = row[j];
            row[j] = change < shorter ? change : shorter;
        }
    }
    return row[n];
}

static void survey_entry(void *data, const qkv__statement *statement)
{
    survey *s = data;
    int line = s->which->line, first = statement->place.line;
    const char *label = qkv__statement_label(statement);
    s->entries++;
    if (line > 0) s->on_line += is_chosen(&(chooser){line, NULL}, statement);
    if (first < line && first > s->before) s->before = first;
    if (first > line && (s->after == 0 || first < s->after)) s->after = first;
    if (s->which->label == NULL) return;
    s->with_label += strcmp(label, s->which->label) == 0;
    size_t distance = label[0] == '\0' ? SIZE_MAX : edits(s->which->label, label);
    if (distance < s->distance) {
        s->distance = distance;
        s->near_label = label;
    }
}

/* A complaint about the line that was asked for says more than that there is no claim. */
static const qkv__complaint *complaint_on(const qkv__document *document, int line)
{
    for (size_t i = 0; line > 0 && i < document->complaint_count; i++)
        if (document->complaint[i].place.line == line) return &document->complaint[i];
    return NULL;
}

static qkv_status fail_line(const survey *s, const qkv__document *document, qkv_error *error)
{
    int line = s->which->line;
    const qkv__complaint *complaint = complaint_on(document, line);
    if (complaint != NULL)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "line %d, column %d: %s", line,
                         complaint->place.column, complaint->message);
    if (s->before > 0 && s->after > 0)
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "no claim on line %d; the nearest are on lines %d and %d", line, s->before,
                         s->after);
    return qkv__fail(error, QKV_ERROR_ARGUMENT, "no claim on line %d; the nearest is on line %d",
                     line, s->before > 0 ? s->before : s->after);
}

static qkv_status fail_choice(const survey *s, const qkv__document *document, qkv_error *error)
{
    const char *label = s->which->label;
    if (s->entries == 0 && complaint_on(document, s->which->line) == NULL)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "the document has no claims%s",
                         document->complaint_count > 0 ? " that could be read" : "");
    if (s->which->line > 0) return fail_line(s, document, error);
    if (s->near_label != NULL && s->distance <= 1 + strlen(label) / 3)
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "no claim is labelled \"%.64s\"; did you mean %.64s?", label,
                         s->near_label);
    return qkv__fail(error, QKV_ERROR_ARGUMENT, "no claim is labelled \"%.64s\"", label);
}

/* Lines first, then labels; an error that helps where there is neither. */
static qkv_status choose(const char *name, const char *text, size_t length,
                         const qkv_selection *which, chooser *choice, qkv_error *error)
{
    qkv__document document;
    qkv_status status = qkv__document_read(name, text, length, &document, error);
    if (status != QKV_OK) return status;
    survey s = {.which = which, .distance = SIZE_MAX};
    for_each_entry(document.first, survey_entry, &s);
    *choice = (chooser){.line = s.on_line > 0 ? which->line : 0, .label = which->label};
    bool all = which->line == 0 && which->label == NULL;
    if (!all && s.on_line == 0 && s.with_label == 0) status = fail_choice(&s, &document, error);
    qkv__document_free(&document);
    return status;
}

qkv_status qkv_explain(const char *name, const char *text, size_t length,
                       const qkv_selection *which, qkv_report **report, qkv_error *error)
{
    return qkv_explain_with(name, text, length, which, NULL, report, error);
}

qkv_status qkv_explain_with(const char *name, const char *text, size_t length,
                            const qkv_selection *which, const qkv_check_options *options,
                            qkv_report **report, qkv_error *error)
{
    chooser choice = {.line = 0};
    qkv_selection all = {.line = 0};
    if (name == NULL || (text == NULL && length > 0) || report == NULL)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "name, text or report is NULL");
    if (which == NULL) which = &all;
    if (which->line < 0)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "which: line is %d; expected 0 or more",
                         which->line);
    qkv_status status = choose(name, text, length, which, &choice, error);
    if (status != QKV_OK) return status;
    qkv__visitor visitor = {.data = &choice, .wants = wants, .sees = see};
    return qkv__report_make(name, text, length, &visitor, options, report, error);
}
