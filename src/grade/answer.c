/* A student's document: its claims, moved into a problem of the key with the student's definitions
 * put in. Knows syntax alone. */
#include <ctype.h>
#include <string.h>

#include "grade/part.h"
#include "language/family_index.h"
#include "language/tree.h"
#include "language/write.h"

/* ---- Names ---------------------------------------------------------------------------------- */

static bool statement_names(const qkv__statement *s, const char *name)
{
    for (size_t i = 0; i < s->count; i++)
        if (qkv__node_mentions(s->node[i], name) || qkv__node_names(s->node[i], name)) return true;
    for (const qkv__condition *c = s->conditions; c != NULL; c = c->next)
        for (size_t i = 0; i < c->count; i++)
            if (qkv__node_names(c->node[i], name)) return true;
    for (const qkv__statement *inner = s->inside; inner != NULL; inner = inner->next)
        if (statement_names(inner, name)) return true;
    return false;
}

/* Whether the key's problem uses a name for anything. */
static bool key_names(const qkv__key_problem *problem, const char *name)
{
    for (const qkv__statement *s = problem->first; s != NULL; s = qkv__statement_after(s))
        if (statement_names(s, name)) return true;
    return false;
}

static const char *defined_name(const qkv__node *target)
{
    return target->kind == QKV__NODE_INDEX ? target->child[0]->text : target->text;
}

/* ---- Definitions ---------------------------------------------------------------------------- */

/* The definitions of a student that a claim sees. */
typedef struct own_definitions {
    const qkv__key_problem *problem;
    qkv__arena *arena;
    qkv__dictionary values; /* names that are replaced by their values */
    qkv__text *preamble;    /* definitions that stay definitions */
    const char *failure;
} own_definitions;

/* Whether the key defines the name just so. */
static bool is_keys_own(const own_definitions *own, const char *name, const qkv__node *value)
{
    const qkv__node *keys = qkv__dictionary_find(&own->problem->definitions, name);
    if (keys == NULL) return false;
    const qkv__node *expanded = qkv__grade_tree_expand(own->arena, value, &own->problem->definitions);
    return expanded != NULL && qkv__grade_tree_alike(keys, expanded, own->problem->matrices);
}

static bool is_keys_statement(const qkv__key_problem *problem, const qkv__statement *mine)
{
    qkv__text wanted = {0};
    bool found = false;
    qkv__statement_write(mine, &wanted);
    for (const qkv__statement *s = problem->first; s != NULL && !found;
         s = qkv__statement_after(s)) {
        qkv__text one = {0};
        qkv__statement_write(s, &one);
        found = one.data != NULL && wanted.data != NULL && strcmp(one.data, wanted.data) == 0;
        qkv__text_free(&one);
    }
    qkv__text_free(&wanted);
    return found;
}

/* A family, a function or a member keeps its definition, unless it would hide a name of the key. */
static void keep_definition(own_definitions *own, const qkv__statement *s, const qkv__node *value)
{
    if (is_keys_statement(own->problem, s)) return;
    if (key_names(own->problem, defined_name(s->node[0]))) {
        own->failure = "It uses a name of the key that is defined anew.";
        return;
    }
    qkv__node_write(s->node[0], own->preamble);
    qkv__text_append(own->preamble, " = ", 3);
    qkv__node_write(value, own->preamble);
    qkv__text_append(own->preamble, "\n", 1);
}

static void add_definition(own_definitions *own, const qkv__statement *s)
{
    const qkv__node *target = s->node[0];
    const qkv__node *value = qkv__grade_tree_expand(own->arena, s->node[1], &own->values);
    if (value == NULL) {
        own->failure = "Its definitions are too large, or a name in them means two things.";
    } else if (target->kind != QKV__NODE_NAME || qkv__list_is_family(s->node[1])) {
        keep_definition(own, s, value);
    } else if (!is_keys_own(own, target->text, value)) {
        qkv__dictionary_put(&own->values, own->arena, target->text, value);
    }
}

/* `vector u`, `scalar t`: anything at all, of which nothing is supposed. */
static void add_object(own_definitions *own, const qkv__statement *s)
{
    const bool plain = strcmp(s->text, "vector") == 0 || strcmp(s->text, "scalar") == 0;
    for (size_t i = 0; plain && i < s->count; i++)
        if (s->node[i]->kind == QKV__NODE_NAME && !key_names(own->problem, s->node[i]->text))
            qkv__text_format(own->preamble, "%s %s\n", s->text, s->node[i]->text);
}

static void read_definitions(own_definitions *own, const qkv__statement *first,
                             const qkv__statement *last)
{
    for (const qkv__statement *s = first; s != NULL && s != last && own->failure == NULL;
         s = qkv__statement_after(s)) {
        if (s->kind == QKV__STATEMENT_DEFINE) add_definition(own, s);
        if (s->kind == QKV__STATEMENT_OBJECT) add_object(own, s);
    }
}

/* ---- Claims --------------------------------------------------------------------------------- */

typedef struct search {
    const qkv__question *question;
    qkv__arena *arena;
    bool loosely; /* 1A is 1a */
    const qkv__statement *first; /* of the problem at hand */
    const qkv__statement *outer; /* at its top level */
    qkv__submission *submission;
    size_t count, capacity;
} search;

static bool same_label(const char *a, const char *b, bool loosely)
{
    for (; *a != '\0' && *b != '\0'; a++, b++)
        if (loosely ? tolower((unsigned char)*a) != tolower((unsigned char)*b) : *a != *b)
            return false;
    return *a == *b;
}

/* An index that runs is no name that was defined. */
static void free_indexes(own_definitions *own, const qkv__statement_form *form)
{
    for (size_t i = 0; i < form->domains.count; i++) {
        const qkv__node *index = form->domains.item[i]->child[0];
        if (qkv__dictionary_find(&own->values, index->text) != NULL)
            qkv__dictionary_put(&own->values, own->arena, index->text, index);
    }
}

static void submit(search *s, const qkv__statement *claim, const qkv__circumstances *circumstances)
{
    if (s->count++ >= s->capacity) return;
    qkv__submission *made = &s->submission[s->count - 1];
    *made = (qkv__submission){.statement = claim};
    const qkv__text *keys = &s->question->problem->preamble;
    if (keys->data != NULL) qkv__text_append(&made->preamble, keys->data, keys->length);
    own_definitions own = {
        .problem = s->question->problem, .arena = s->arena, .preamble = &made->preamble};
    read_definitions(&own, s->first, s->outer);
    qkv__statement_form_read(s->arena, claim->node[0], circumstances, &made->form);
    free_indexes(&own, &made->form);
    if (own.failure == NULL && made->form.crowded)
        own.failure = "It has more conditions than can be read.";
    if (own.failure == NULL && !qkv__statement_form_expand(s->arena, &made->form, &own.values))
        own.failure = "With its definitions put in it is too large, or a name means two things.";
    made->failure = own.failure;
}

static void search_statements(search *s, const qkv__statement *at, const qkv__circumstances *outer,
                              bool top)
{
    for (; at != NULL; at = top ? NULL : at->next) {
        qkv__circumstances own = *outer;
        qkv__circumstances_add(&own, at->conditions);
        if (at->kind == QKV__STATEMENT_BLOCK) search_statements(s, at->inside, &own, false);
        if (at->kind == QKV__STATEMENT_CLAIM &&
            same_label(at->text, s->question->face.label, s->loosely))
            submit(s, at, &own);
    }
}

static void search_document(search *s, const qkv__document *document)
{
    s->first = document->first;
    for (const qkv__statement *at = document->first; at != NULL; at = at->next) {
        if (at->kind == QKV__STATEMENT_PROBLEM) s->first = at;
        s->outer = at;
        search_statements(s, at, &(qkv__circumstances){0}, true);
    }
}

size_t qkv__submissions_find(const qkv_key *key, const qkv__question *question,
                             const qkv__document *document, qkv__arena *arena,
                             qkv__submission *submission, size_t capacity)
{
    (void)key;
    search s = {.question = question,
                .arena = arena,
                .submission = submission,
                .capacity = capacity};
    search_document(&s, document);
    if (s.count > 0) return s.count;
    s.loosely = true;
    search_document(&s, document);
    return s.count;
}

void qkv__submission_free(qkv__submission *submission)
{
    qkv__text_free(&submission->preamble);
}

/* ---- Names that the question leaves open ---------------------------------------------------- */

static bool is_open(const qkv__question *question, const char *name)
{
    for (size_t i = 0; i < question->define_count; i++)
        if (strcmp(question->define[i], name) == 0) return true;
    return false;
}

/* The last problem of the student that defines all of them; NULL: none. */
static const qkv__statement *find_problem(const qkv__question *question,
                                          const qkv__document *document, const char **missing)
{
    const qkv__statement *first = document->first, *best = NULL;
    for (const qkv__statement *p = first; p != NULL; p = p->next) {
        if (p != first && p->kind != QKV__STATEMENT_PROBLEM) continue;
        size_t defined = 0;
        for (size_t i = 0; i < question->define_count; i++) {
            bool found = false;
            for (const qkv__statement *s = p; s != NULL; s = qkv__statement_after(s))
                found = found || (s->kind == QKV__STATEMENT_DEFINE &&
                                  strcmp(defined_name(s->node[0]), question->define[i]) == 0);
            if (!found) *missing = question->define[i];
            defined += found;
        }
        if (defined == question->define_count) best = p;
    }
    return best;
}

static void write_definition(const qkv__node *target, const qkv__node *value, qkv__text *text)
{
    qkv__node_write(target, text);
    qkv__text_append(text, " = ", 3);
    qkv__node_write(value, text);
    qkv__text_append(text, "\n", 1);
}

/* The student's definitions of the open names, other own names put in. */
static const char *put_open(const qkv__question *question, const qkv__statement *first,
                            qkv__arena *arena, qkv__text *text, qkv__nodes *values)
{
    own_definitions own = {.problem = question->problem, .arena = arena, .preamble = text};
    for (const qkv__statement *s = first; s != NULL; s = qkv__statement_after(s)) {
        if (s->kind == QKV__STATEMENT_OBJECT) add_object(&own, s);
        if (s->kind != QKV__STATEMENT_DEFINE) continue;
        if (!is_open(question, defined_name(s->node[0]))) {
            add_definition(&own, s);
            continue;
        }
        const qkv__node *value = qkv__grade_tree_expand(arena, s->node[1], &own.values);
        if (value == NULL || values->count == QKV__FORM_ITEMS)
            return "its definitions are too large";
        values->item[values->count++] = value;
        write_definition(s->node[0], value, text);
    }
    return own.failure;
}

bool qkv__answer_defines(const qkv__question *question, const qkv__document *document,
                         qkv__arena *arena, qkv__text *preamble, qkv__nodes *values,
                         const char **missing)
{
    const qkv__statement *first = find_problem(question, document, missing);
    bool placed = false;
    if (first == NULL) return false;
    *missing = NULL;
    for (const qkv__statement *s = question->problem->first; s != NULL;
         s = qkv__statement_after(s)) {
        if (qkv__statement_is_entry(s) || s->kind == QKV__STATEMENT_BLOCK ||
            s->kind == QKV__STATEMENT_PROBLEM)
            continue;
        const bool open =
            s->kind == QKV__STATEMENT_DEFINE && is_open(question, defined_name(s->node[0]));
        if (open && !placed) {
            *missing = put_open(question, first, arena, preamble, values);
            placed = true;
        }
        if (!open) {
            qkv__statement_write(s, preamble);
            qkv__text_append(preamble, "\n", 1);
        }
    }
    return placed && *missing == NULL;
}

/* ---- Notes ---------------------------------------------------------------------------------- */

/* Whether any problem of the key supposes it. */
static bool key_supposes(const qkv_key *key, const qkv__node *premise)
{
    for (size_t i = 0; i < key->problem_count; i++)
        for (const qkv__statement *s = key->problem[i].first; s != NULL;
             s = qkv__statement_after(s))
            for (size_t j = 0; (s->kind == QKV__STATEMENT_GIVEN ||
                                s->kind == QKV__STATEMENT_ASSUME) && j < s->count; j++)
                if (qkv__grade_tree_alike(s->node[j], premise, key->problem[i].matrices)) return true;
    return false;
}

static bool key_has(const qkv_key *key, const qkv__statement *mine)
{
    for (size_t i = 0; i < key->problem_count; i++)
        if (is_keys_statement(&key->problem[i], mine)) return true;
    return false;
}

static void note(qkv__text *notes, size_t *count, int line, const char *before,
                 const qkv__node *node, const char *behind)
{
    qkv__text_format(notes, "line %d: %s", line, before);
    qkv__node_write(node, notes);
    qkv__text_append(notes, behind, strlen(behind) + 1); /* notes are separated by '\0' */
    ++*count;
}

static void note_statement(const qkv_key *key, const qkv__statement *s, qkv__text *notes,
                           size_t *count)
{
    static const char unused[] = " is not in the key and was not used";
    const bool premise = s->kind == QKV__STATEMENT_GIVEN || s->kind == QKV__STATEMENT_ASSUME;
    for (size_t i = 0; premise && i < s->count; i++)
        if (!key_supposes(key, s->node[i]))
            note(notes, count, s->place.line, "given ", s->node[i], unused);
    if ((s->kind == QKV__STATEMENT_FAMILY || s->kind == QKV__STATEMENT_PICK) && !key_has(key, s)) {
        qkv__text_format(notes, "line %d: ", s->place.line);
        qkv__statement_write(s, notes);
        qkv__text_append(notes, unused, sizeof unused);
        ++*count;
    }
}

void qkv__answer_notes(const qkv_key *key, const qkv__document *document, qkv__text *notes,
                       size_t *count)
{
    for (const qkv__statement *s = document->first; s != NULL; s = s->next)
        note_statement(key, s, notes, count);
    for (size_t i = 0; i < document->complaint_count; i++) {
        const qkv__complaint *c = &document->complaint[i];
        qkv__text_format(notes, "line %d, column %d: %s", c->place.line, c->place.column,
                         c->message);
        qkv__text_append(notes, "", 1);
        ++*count;
    }
}
