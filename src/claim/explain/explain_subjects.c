/* What a claim speaks of: the results of attention in it, and the definitions that it rests on.
 * Knows syntax and what names stand for; writes nothing. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "claim/explain/explain.h"
#include "claim/model/binding.h"
#include "claim/model/evaluate.h"
#include "claim/model/index_set.h"
#include "language/tree.h"
#include "language/write.h"

enum { ORIGIN_DEPTH = 16 };

bool qkv__lesson_value(qkv__lesson *lesson, const qkv__node *node, qkv__value *value)
{
    return qkv__model_value(lesson->model, node, lesson->locals, value);
}

/* ---- Definitions --------------------------------------------------------------------- */

/* False once the lesson's own statement, or the next problem, was met. */
static bool scan(const qkv__statement *first, const qkv__statement *start,
                 const qkv__statement *until,
                 void (*use)(void *data, const qkv__statement *statement), void *data)
{
    for (const qkv__statement *s = first; s != NULL; s = s->next) {
        if (s == until || (s->kind == QKV__STATEMENT_PROBLEM && s != start)) return false;
        use(data, s);
        if (s->kind == QKV__STATEMENT_BLOCK && !scan(s->inside, start, until, use, data))
            return false;
    }
    return true;
}

void qkv__lesson_scan(const qkv__lesson *lesson,
                      void (*use)(void *data, const qkv__statement *statement), void *data)
{
    scan(lesson->model->statements, lesson->model->statements, lesson->statement, use, data);
}

/* The name that a definition gives a meaning: x of x = ..., x[1] = ... and x(y) = ... */
static const char *defined_name(const qkv__statement *statement)
{
    if (statement->kind != QKV__STATEMENT_DEFINE) return "";
    const qkv__node *target = statement->node[0];
    return target->kind == QKV__NODE_INDEX ? target->child[0]->text : target->text;
}

typedef struct definition_search {
    const char *name;
    const qkv__statement *found; /* the last one */
} definition_search;

static void match_definition(void *data, const qkv__statement *statement)
{
    definition_search *search = data;
    if (strcmp(defined_name(statement), search->name) == 0) search->found = statement;
}

static const qkv__statement *find_definition(const qkv__lesson *lesson, const char *name)
{
    definition_search search = {.name = name};
    if (name[0] != '\0') qkv__lesson_scan(lesson, match_definition, &search);
    return search.found;
}

static void add_definition(qkv__subjects *subjects, const qkv__statement *statement)
{
    for (size_t i = 0; i < subjects->definition_count; i++)
        if (subjects->definition[i] == statement) return;
    if (subjects->definition_count < QKV__DEFINITIONS)
        subjects->definition[subjects->definition_count++] = statement;
}

typedef struct listing {
    qkv__subjects *subjects;
    const char *name;
} listing;

static void list_definition(void *data, const qkv__statement *statement)
{
    listing *l = data;
    if (strcmp(defined_name(statement), l->name) == 0) add_definition(l->subjects, statement);
}

/* The names in u[c] and {a, b} are those of indices, which nothing else has to do with. */
static bool is_index_name(const qkv__node *node, size_t child)
{
    bool indices = node->kind == QKV__NODE_SET || (node->kind == QKV__NODE_INDEX && child > 0);
    return indices && node->child[child]->kind == QKV__NODE_NAME;
}

/* All definitions of the names in an expression. */
static void list_names(qkv__lesson *lesson, const qkv__node *node, qkv__subjects *subjects)
{
    if (qkv__node_is_word(node) && node->text[0] != '\0') {
        listing l = {subjects, node->text};
        qkv__lesson_scan(lesson, list_definition, &l);
    }
    for (size_t i = 0; i < node->count; i++)
        if (!is_index_name(node, i)) list_names(lesson, node->child[i], subjects);
}

/* ---- Origins ------------------------------------------------------------------------- */

const qkv__node *qkv__plain_argument(const qkv__node *call, size_t number)
{
    assert(call->kind == QKV__NODE_CALL);
    for (size_t i = 0; i < call->count; i++) {
        const qkv__node *argument = call->child[i];
        bool option = argument->kind == QKV__NODE_OPTION || qkv__node_is(argument, "causal");
        if (!option && number-- == 0) return argument;
    }
    return NULL;
}

static bool is_call_of(const qkv__node *node, const char *name)
{
    return node != NULL && node->kind == QKV__NODE_CALL && strcmp(node->text, name) == 0;
}

static const qkv__node *origin(const qkv__lesson *lesson, const qkv__node *node, int depth)
{
    if (node == NULL || depth == ORIGIN_DEPTH) return NULL;
    if (node->kind == QKV__NODE_NAME) {
        const qkv__statement *definition = find_definition(lesson, node->text);
        if (definition == NULL || definition->node[0]->kind != QKV__NODE_NAME) return NULL;
        return origin(lesson, definition->node[1], depth + 1);
    }
    if (node->kind == QKV__NODE_INDEX && node->child[0]->kind == QKV__NODE_MEMBER &&
        node->child[1]->kind == QKV__NODE_NUMBER) { /* both.head[2] */
        const qkv__node *whole = origin(lesson, node->child[0]->child[0], depth + 1);
        int64_t number = node->child[1]->value.numerator;
        if (!is_call_of(whole, "mean") || number < 1) return NULL;
        return origin(lesson, qkv__plain_argument(whole, (size_t)number - 1), depth + 1);
    }
    bool known =
        is_call_of(node, "attend") || is_call_of(node, "self_attend") || is_call_of(node, "mean");
    return known && find_definition(lesson, node->text) == NULL ? node : NULL;
}

const qkv__node *qkv__lesson_origin(const qkv__lesson *lesson, const qkv__node *node)
{
    return origin(lesson, node, 0);
}

/* ---- Results of attention ------------------------------------------------------------ */

/* row: of self-attention; -1: all of them. */
static void add_subject(qkv__subjects *subjects, const qkv__node *node, const qkv__result *result,
                        int row)
{
    qkv__subject *subject = NULL;
    for (size_t i = 0; i < subjects->count && subject == NULL; i++)
        if (qkv__node_same_text(subjects->subject[i].node, node)) subject = &subjects->subject[i];
    if (subject == NULL) {
        if (subjects->count == QKV__SUBJECTS) return;
        subject = &subjects->subject[subjects->count++];
        *subject = (qkv__subject){.node = node, .result = result};
    }
    if (row < 0)
        subject->all = true;
    else
        subject->row[row] = true;
}

/* The query that the first index behind a result of self-attention names; -1 for none. */
static int indexed_row(const qkv__lesson *lesson, const qkv__result *result, const qkv__node *index)
{
    char number[32];
    const char *name = index->text;
    if (result->queries == NULL) return -1;
    if (index->kind == QKV__NODE_NUMBER) {
        snprintf(number, sizeof number, "%lld", (long long)index->value.numerator);
        name = number;
    }
    for (const qkv__binding *b = lesson->locals; b != NULL; b = b->next)
        if (strcmp(b->name, name) == 0) return b->value.member;
    return qkv__mark_find(result->queries, name);
}

static bool result_of(qkv__lesson *lesson, const qkv__node *node, const qkv__result **result)
{
    qkv__value value;
    bool named = node->kind != QKV__NODE_NAME ||
                 qkv__model_find(lesson->model, lesson->locals, node->text) != NULL;
    if (!named || !qkv__lesson_value(lesson, node, &value) || value.kind != QKV__VALUE_RESULT)
        return false;
    *result = value.result;
    return true;
}

/* z[1], z.weight[2][1], c.weight[a], both.head[2].weight[a]: the result that the indices stand
 * behind. */
static bool visit_indexed(qkv__lesson *lesson, const qkv__node *node, qkv__subjects *subjects)
{
    assert(node->kind == QKV__NODE_INDEX);
    const qkv__node *base = node, *first = NULL;
    const qkv__result *result;
    if (node->child[0]->kind == QKV__NODE_MEMBER && result_of(lesson, node, &result)) {
        add_subject(subjects, node, result, -1); /* a head */
        return true;
    }
    while (base->kind == QKV__NODE_INDEX) {
        first = base->child[1];
        base = base->child[0];
        if (base->kind != QKV__NODE_MEMBER) continue;
        base = base->child[0];
        if (base->kind == QKV__NODE_INDEX) break; /* both.head[2] */
    }
    assert(first != NULL); /* the node itself is an index */
    if (!result_of(lesson, base, &result)) return false;
    add_subject(subjects, base, result, indexed_row(lesson, result, first));
    return true;
}

/* A name that stands for something else: what its definition speaks of comes later. */
static void note_definition(qkv__lesson *lesson, const char *name, qkv__subjects *subjects)
{
    const qkv__statement *definition = find_definition(lesson, name);
    if (definition != NULL && definition->node[0]->kind != QKV__NODE_CALL)
        add_definition(subjects, definition);
}

static void visit(qkv__lesson *lesson, const qkv__node *node, qkv__subjects *subjects)
{
    const qkv__result *result;
    bool may_be = qkv__node_is_word(node);
    if (may_be && result_of(lesson, node, &result)) {
        add_subject(subjects, node, result, -1);
        return;
    }
    if (node->kind == QKV__NODE_INDEX && visit_indexed(lesson, node, subjects)) return;
    if (node->kind == QKV__NODE_NAME) note_definition(lesson, node->text, subjects);
    for (size_t i = 0; i < node->count; i++)
        if (!is_index_name(node, i)) visit(lesson, node->child[i], subjects);
}

/* The list of definitions is also the list of what is left to look into, so that a long chain of
 * them costs no stack. */
void qkv__subjects_collect(qkv__lesson *lesson, const qkv__node *node, qkv__subjects *subjects)
{
    visit(lesson, node, subjects);
    for (size_t i = 0; i < subjects->definition_count; i++)
        visit(lesson, subjects->definition[i]->node[1], subjects);
    subjects->definition_count = 0; /* now those that results of attention rest on as well */
    list_names(lesson, node, subjects);
    for (size_t i = 0; i < subjects->definition_count; i++)
        list_names(lesson, subjects->definition[i]->node[1], subjects);
}
