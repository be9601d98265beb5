/* Reading a key: its problems, its questions and what they are worth. Knows the blocks of a key;
 * the language is that of any document. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "grade/part.h"
#include "language/document.h"
#include "language/family_index.h"
#include "language/tree.h"
#include "language/write.h"

enum { SECONDS = 10 };

static qkv__arena *arena_of(qkv_key *key)
{
    return &key->document.arena;
}

/* ---- Problems ------------------------------------------------------------------------------- */

static void add_definition(qkv_key *key, qkv__key_problem *problem, const qkv__statement *s)
{
    const qkv__node *target = s->node[0];
    const qkv__node *value =
        qkv__grade_tree_expand(arena_of(key), s->node[1], &problem->definitions);
    if (value == NULL) value = s->node[1];
    if (target->kind == QKV__NODE_NAME && !qkv__list_is_family(s->node[1])) {
        qkv__dictionary_put(&problem->definitions, arena_of(key), target->text, value);
    } else if (qkv__grade_tree_is_subject(value, &problem->subjects)) {
        const char *name = target->kind == QKV__NODE_INDEX ? target->child[0]->text : target->text;
        qkv__dictionary_put(&problem->subjects, arena_of(key), name, value);
    }
}

static void read_problem(qkv_key *key, const qkv__statement *first, qkv__key_problem *problem)
{
    *problem = (qkv__key_problem){.first = first};
    for (const qkv__statement *s = first; s != NULL; s = qkv__statement_after(s)) {
        if (qkv__statement_is_entry(s) || s->kind == QKV__STATEMENT_BLOCK) continue;
        if (s->kind == QKV__STATEMENT_PROBLEM) continue;
        qkv__statement_write(s, &problem->preamble);
        qkv__text_append(&problem->preamble, "\n", 1);
        if (s->kind == QKV__STATEMENT_DEFINE) add_definition(key, problem, s);
        if (s->kind == QKV__STATEMENT_OBJECT && (s->text[0] == 'm' || s->text[0] == 'p'))
            problem->matrices = true; /* matrix, permutation */
    }
}

static bool read_problems(qkv_key *key)
{
    size_t count = 1;
    for (const qkv__statement *s = key->document.first; s != NULL; s = s->next)
        count += s->kind == QKV__STATEMENT_PROBLEM;
    key->problem = qkv__arena_array(arena_of(key), count, sizeof *key->problem);
    if (key->problem == NULL) return false;
    for (const qkv__statement *s = key->document.first; s != NULL; s = s->next)
        if (s == key->document.first || s->kind == QKV__STATEMENT_PROBLEM)
            read_problem(key, s, &key->problem[key->problem_count++]);
    return !arena_of(key)->failed;
}

/* ---- Claims --------------------------------------------------------------------------------- */

/* A claim of the key, with the conditions of the blocks around it. */
typedef struct found_claim {
    const qkv__statement *statement;
    qkv__key_problem *problem;
    qkv__circumstances circumstances;
} found_claim;

static bool find_inside(const qkv__statement *s, const char *label, const qkv__circumstances *outer,
                        found_claim *found)
{
    for (; s != NULL; s = s->next) {
        qkv__circumstances own = *outer;
        qkv__circumstances_add(&own, s->conditions);
        if (s->kind == QKV__STATEMENT_BLOCK && find_inside(s->inside, label, &own, found))
            return true;
        if (s->kind != QKV__STATEMENT_CLAIM || strcmp(s->text, label) != 0) continue;
        found->statement = s;
        found->circumstances = own;
        return true;
    }
    return false;
}

static bool find_claim(qkv_key *key, const char *label, found_claim *found)
{
    for (size_t i = 0; i < key->problem_count; i++) {
        found->problem = &key->problem[i];
        for (const qkv__statement *s = key->problem[i].first; s != NULL;
             s = qkv__statement_after(s)) {
            qkv__statement alone = *s;
            alone.next = NULL;
            if (!find_inside(&alone, label, &(qkv__circumstances){0}, found)) continue;
            if (found->statement == &alone) found->statement = s;
            return true;
        }
    }
    return false;
}

/* ---- Questions ------------------------------------------------------------------------------ */

static qkv__question *find_question(qkv_key *key, const char *label, size_t length)
{
    for (size_t i = 0; i < key->question_count; i++)
        if (strlen(key->question[i].face.label) == length &&
            memcmp(key->question[i].face.label, label, length) == 0)
            return &key->question[i];
    return NULL;
}

static qkv_status add_question(qkv_key *key, const char *label, int line, qkv__question **made,
                               qkv_error *error)
{
    found_claim found;
    if (find_question(key, label, strlen(label)) != NULL)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "line %d: %s is listed twice", line, label);
    if (!find_claim(key, label, &found))
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "line %d: the key has no claim %s", line,
                         label);
    qkv__question *grown = qkv__arena_array(arena_of(key), key->question_count + 1, sizeof *grown);
    if (grown == NULL) return qkv__fail_memory(error, sizeof *grown);
    if (key->question_count > 0) memcpy(grown, key->question, key->question_count * sizeof *grown);
    key->question = grown;
    qkv__question *q = *made = &grown[key->question_count++];
    *q = (qkv__question){.problem = found.problem};
    q->face = (qkv_question){.label = found.statement->text,
                             .claim = found.statement->source,
                             .line = found.statement->place.line,
                             .points = 1.0};
    qkv__statement_form_read(arena_of(key), found.statement->node[0], &found.circumstances,
                             &q->form);
    q->expanded = q->form;
    if (q->form.crowded ||
        !qkv__statement_form_expand(arena_of(key), &q->expanded, &found.problem->definitions))
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "line %d: claim %s is too large for a question",
                         q->face.line, label);
    return QKV_OK;
}

/* ---- Blocks of points ----------------------------------------------------------------------- */

static const char *skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t' || *at == '\r') at++;
    return at;
}

/* Copies up to the next of the characters, without blanks at either end. */
static const char *take(qkv_key *key, const char **at, const char *stops)
{
    const char *from = skip_blanks(*at);
    size_t length = strcspn(from, stops);
    *at = from + length;
    while (length > 0 && strchr(" \t\r", from[length - 1]) != NULL) length--;
    return qkv__arena_text(arena_of(key), from, length);
}

/* Whether the text begins with a word; then it is skipped. */
static bool accept(const char **at, const char *word)
{
    const size_t length = strlen(word);
    if (strncmp(*at, word, length) != 0 || !strchr(" \t\r", (*at)[length])) return false;
    *at = skip_blanks(*at + length);
    return true;
}

static bool take_points(const char **at, double *points)
{
    char *end;
    double value = strtod(*at, &end);
    if (end == *at || !(value >= 0.0) || value > 1e6) return false;
    *points = value;
    *at = skip_blanks(end);
    if (!accept(at, "points")) accept(at, "point");
    return true;
}

/* names = NAME { ("," | "and" | blank) NAME } */
static bool take_names(qkv_key *key, const char *at, const char **names, size_t most, size_t *count)
{
    while (*(at = skip_blanks(at)) != '\0') {
        if (*at == ',') {
            at++;
            continue;
        }
        if (accept(&at, "and")) continue;
        if (*count == most) return false;
        if ((names[*count] = take(key, &at, " ,\t\r")) == NULL) return false;
        (*count)++;
    }
    return *count > 0;
}

/* "as beta -> inf", read by the parser of the language. */
static bool take_limit(qkv_key *key, const char *at, qkv__question *q)
{
    if (*at == '\0') return true;
    qkv__text text = {0};
    qkv__document document;
    qkv_error error;
    qkv__text_format(&text, "claim: 1 = 1 %s\n", at);
    bool good = !text.failed && qkv__document_read("limit.qkv", text.data, text.length, &document,
                                                   &error) == QKV_OK;
    qkv__text_free(&text);
    if (!good) return false;
    const qkv__statement *s = document.first;
    const qkv__condition *c = s == NULL ? NULL : s->conditions;
    good = document.complaint_count == 0 && c != NULL && c->kind == QKV__CONDITION_LIMIT &&
           c->count == 1 && c->node[0]->child[0]->kind == QKV__NODE_NAME &&
           c->node[0]->child[1]->kind == QKV__NODE_INFINITY;
    if (good) {
        const char *name = c->node[0]->child[0]->text;
        const char *kept = qkv__arena_text(arena_of(key), name, strlen(name));
        q->limit = kept == NULL ? NULL : qkv__node_grows(arena_of(key), kept, (qkv__place){0});
    }
    qkv__document_free(&document);
    return good && q->limit != NULL;
}

/* item = NUMBER "points" | "limit" NUMBER [ "as" limit ] | "stronger" NUMBER | "supported" NUMBER
 *      | "defines" names | "in" names */
static bool read_item(qkv_key *key, qkv__question *q, const char *item)
{
    const char *at = item;
    if (accept(&at, "limit")) return take_points(&at, &q->face.limit) && take_limit(key, at, q);
    if (accept(&at, "stronger"))
        return q->has_stronger = true, take_points(&at, &q->stronger) && *at == '\0';
    if (accept(&at, "supported")) return take_points(&at, &q->supported) && *at == '\0';
    if (accept(&at, "defines"))
        return take_names(key, at, q->define, sizeof q->define / sizeof q->define[0],
                          &q->define_count);
    if (accept(&at, "in"))
        return q->has_terms = true,
               take_names(key, at, q->term, sizeof q->term / sizeof q->term[0], &q->term_count);
    return take_points(&at, &q->face.points) && *at == '\0';
}

static qkv_status add_mistake(qkv_key *key, qkv__question *q, const char *label, const char *hint,
                              int line, qkv_error *error)
{
    found_claim found;
    if (!find_claim(key, label, &found))
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "line %d: the key has no claim %s", line,
                         label);
    qkv__mistake *grown = qkv__arena_array(arena_of(key), q->mistake_count + 1, sizeof *grown);
    if (grown == NULL) return qkv__fail_memory(error, sizeof *grown);
    if (q->mistake_count > 0) memcpy(grown, q->mistake, q->mistake_count * sizeof *grown);
    q->mistake = grown;
    qkv__mistake *m = &grown[q->mistake_count++];
    *m = (qkv__mistake){.label = label, .hint = hint};
    qkv__statement_form_read(arena_of(key), found.statement->node[0], &found.circumstances,
                             &m->form);
    m->form.expected = NULL;
    if (q->define_count == 0 &&
        !qkv__statement_form_expand(arena_of(key), &m->form, &found.problem->definitions))
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "line %d: claim %s is too large", line, label);
    return QKV_OK;
}

/* hint LABEL: text. The label is that of a question, or of a mistake: the question's label, a dot,
 * and more. */
static qkv_status read_hint(qkv_key *key, const char *at, int line, qkv_error *error)
{
    const char *label = take(key, &at, ":");
    const char *text = label == NULL || *at == '\0' ? NULL : (at++, take(key, &at, "\n"));
    if (text == NULL || text[0] == '\0')
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "line %d: expected hint LABEL: text", line);
    qkv__question *q = find_question(key, label, strlen(label));
    if (q != NULL) return q->hint = text, QKV_OK;
    for (size_t length = strlen(label); length > 0; length--) {
        if (label[length] != '.') continue;
        q = find_question(key, label, length);
        if (q != NULL) return add_mistake(key, q, label, text, line, error);
    }
    return qkv__fail(error, QKV_ERROR_ARGUMENT,
                     "line %d: %s is not a question, nor a question's label, a dot and more", line,
                     label);
}

/* line = LABEL ":" item { ";" item } | "hint" LABEL ":" text | "#" comment */
static qkv_status read_line(qkv_key *key, const char *at, int line, qkv_error *error)
{
    qkv__question *q = NULL;
    at = skip_blanks(at);
    if (*at == '\0' || *at == '#') return QKV_OK;
    if (accept(&at, "hint")) return read_hint(key, at, line, error);
    const char *label = take(key, &at, ":");
    if (label == NULL || *at != ':')
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "line %d: expected LABEL: points, or hint LABEL: text", line);
    qkv_status status = add_question(key, label, line, &q, error);
    assert(status != QKV_OK || q != NULL);
    while (status == QKV_OK && *at != '\0') {
        at++;
        const char *item = take(key, &at, ";");
        if (item == NULL) return qkv__fail_memory(error, 1);
        if (!read_item(key, q, item))
            status = qkv__fail(error, QKV_ERROR_ARGUMENT,
                               "line %d: got \"%.60s\"; expected 2 points, limit 1, stronger 1, "
                               "supported 1, defines q, or in n, beta",
                               line, item);
    }
    return status;
}

/* A fence: three or more backquotes or tildes; the word behind it. */
static bool is_fence(const char *line, const char **word)
{
    const char *at = line + strspn(line, " ");
    const size_t marks = strspn(at, *at == '~' ? "~" : "`");
    if (at - line > 3 || marks < 3) return false;
    *word = skip_blanks(at + marks);
    return true;
}

static bool is_grade(const char *word)
{
    return strncmp(word, "grade", 5) == 0 && strchr(" \t\r", word[5]) != NULL;
}

static qkv_status read_blocks(qkv_key *key, size_t *blocks, qkv_error *error)
{
    bool inside = false, other = false;
    int line = 1;
    const char *at = key->document.text;
    for (qkv_status status; *at != '\0'; line++) {
        const size_t length = strcspn(at, "\n");
        const char *word, *copy = qkv__arena_text(arena_of(key), at, length);
        if (copy == NULL) return qkv__fail_memory(error, length);
        if (is_fence(copy, &word)) {
            const bool open = inside || other;
            *blocks += !open && is_grade(word);
            other = !open && !is_grade(word);
            inside = !open && is_grade(word);
        } else if (inside && (status = read_line(key, copy, line, error)) != QKV_OK) {
            return status;
        }
        at += length + (at[length] == '\n');
    }
    return QKV_OK;
}

/* Without points every labelled claim is a question. */
static qkv_status ask_all(qkv_key *key, const qkv__statement *s, qkv_error *error)
{
    for (qkv_status status; s != NULL; s = s->next) {
        qkv__question *q;
        qkv__circumstances own = {0};
        qkv__circumstances_add(&own, s->conditions);
        bool expects = false;
        for (size_t i = 0; i < own.count; i++)
            expects = expects || own.item[i].kind == QKV__CONDITION_EXPECT;
        if (s->kind == QKV__STATEMENT_BLOCK && (status = ask_all(key, s->inside, error)) != QKV_OK)
            return status;
        if (s->kind != QKV__STATEMENT_CLAIM || s->text[0] == '\0' || expects) continue;
        if ((status = add_question(key, s->text, s->place.line, &q, error)) != QKV_OK)
            return status;
    }
    return QKV_OK;
}

/* ---- Reading -------------------------------------------------------------------------------- */

/* question.qkv in the folder of the key. */
static const char *asked_name(qkv_key *key, const char *name)
{
    const char *slash = strrchr(name, '/');
    const size_t folder = slash == NULL ? 0 : (size_t)(slash - name) + 1;
    char *made = qkv__arena_array(arena_of(key), folder + sizeof "question.qkv", 1);
    if (made == NULL) return NULL;
    memcpy(made, name, folder);
    strcpy(made + folder, "question.qkv");
    return made;
}

static qkv_status refuse_complaints(const qkv_key *key, qkv_error *error)
{
    if (key->document.complaint_count == 0) return QKV_OK;
    const qkv__complaint *c = &key->document.complaint[0];
    return qkv__fail(error, QKV_ERROR_ARGUMENT, "line %d, column %d: %s", c->place.line,
                     c->place.column, c->message);
}

/* What the checker says of the key itself. */
static qkv_status check_key(qkv_key *key, const char *name, const char *text, size_t length,
                            qkv_error *error)
{
    qkv_report *report = NULL;
    qkv_status status = qkv_check(name, text, length, &report, error);
    if (status == QKV_OK && qkv_report_complaint_count(report) > 0) {
        const qkv_complaint *c = qkv_report_complaint(report, 0);
        status = qkv__fail(error, QKV_ERROR_ARGUMENT, "line %d, column %d: %s", c->line, c->column,
                           c->message);
    }
    for (size_t i = 0; status == QKV_OK && i < qkv_report_claim_count(report); i++) {
        const qkv_claim *claim = qkv_report_claim(report, i);
        qkv__question *q = find_question(key, claim->name, strlen(claim->name));
        if (q == NULL || q->face.line != claim->line) continue;
        q->verdict = q->face.verdict = claim->verdict;
        q->found = qkv__arena_text(arena_of(key), claim->found, strlen(claim->found));
        if (claim->verdict == QKV_REFUTED || q->form.expected != NULL)
            status =
                qkv__fail(error, QKV_ERROR_ARGUMENT,
                          "line %d: claim %s is %s; a question needs a true claim", claim->line,
                          claim->name, q->form.expected != NULL ? "one with `expect`" : "refuted");
    }
    qkv_report_free(&report);
    return status;
}

qkv_status qkv_key_read(const char *name, const char *text, size_t length, double seconds,
                        qkv_key **key, qkv_error *error)
{
    size_t blocks = 0;
    if (name == NULL || text == NULL || key == NULL)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "name, text or key is NULL");
    const size_t failures = qkv__memory_failures();
    qkv_key *made = qkv__allocate_zero(sizeof *made);
    if (made == NULL) return qkv__fail_memory(error, sizeof *made);
    made->seconds = seconds > 0.0 ? seconds : SECONDS;
    qkv_status status = qkv__document_read(name, text, length, &made->document, error);
    if (status != QKV_OK) {
        qkv__free(made);
        return status;
    }
    made->asked = asked_name(made, name);
    if (made->asked == NULL || !read_problems(made)) status = qkv__fail_memory(error, length);
    if (status == QKV_OK) status = refuse_complaints(made, error);
    if (status == QKV_OK) status = read_blocks(made, &blocks, error);
    if (status == QKV_OK && blocks == 0) status = ask_all(made, made->document.first, error);
    if (status == QKV_OK) status = check_key(made, name, text, length, error);
    if (status == QKV_OK && made->question_count == 0)
        status = qkv__fail(error, QKV_ERROR_ARGUMENT, "the key asks nothing: no labelled claim");
    if (arena_of(made)->failed || qkv__memory_failures() != failures)
        status = qkv__fail_memory(error, length);
    if (status != QKV_OK)
        qkv_key_free(&made);
    else
        *key = made;
    return status;
}

size_t qkv_key_count(const qkv_key *key)
{
    return key->question_count;
}

const qkv_question *qkv_key_question(const qkv_key *key, size_t index)
{
    return index < key->question_count ? &key->question[index].face : NULL;
}

double qkv_key_points(const qkv_key *key)
{
    double sum = 0.0;
    for (size_t i = 0; i < key->question_count; i++) sum += key->question[i].face.points;
    return sum;
}

void qkv_key_free(qkv_key **key)
{
    if (key == NULL || *key == NULL) return;
    for (size_t i = 0; i < (*key)->problem_count; i++) qkv__text_free(&(*key)->problem[i].preamble);
    qkv__document_free(&(*key)->document);
    qkv__free(*key);
    *key = NULL;
}
