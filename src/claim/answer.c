/*
 * Answers read again: what `exists`, `find` and `law` print is parsed, put in, and tried on
 * instances. Knows how answers are written, and nothing of how they were found.
 */
#include "claim/answer.h"

#include <assert.h>
#include <string.h>

#include "claim/premise/given.h"
#include "claim/search/search.h"
#include "language/document.h"
#include "language/tree.h"
#include "language/write.h"

enum {
    TRIES = 48,
    TRIES_FOR_LESS = 1000, /* one of them must fail */
    PARTS = 16,            /* of an answer */
    LETTERS = 16,          /* in it that may grow */
};

/* ---- Reading what was printed -------------------------------------------------------------- */

typedef struct piece {
    const char *text;
    size_t length;
} piece;

static piece trim(piece p)
{
    while (p.length > 0 && p.text[0] == ' ') p.text++, p.length--;
    while (p.length > 0 && p.text[p.length - 1] == ' ') p.length--;
    return p;
}

/* The text up to a word outside of all brackets, which is stepped over; all of it if there is none.
 */
static piece cut(piece *rest, const char *word)
{
    const size_t length = strlen(word);
    int depth = 0;
    for (size_t i = 0; i < rest->length; i++) {
        char c = rest->text[i];
        depth += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
        if (depth != 0 || i + length > rest->length || memcmp(rest->text + i, word, length) != 0)
            continue;
        piece front = {rest->text, i};
        *rest = (piece){rest->text + i + length, rest->length - i - length};
        return trim(front);
    }
    piece all = *rest;
    *rest = (piece){rest->text + rest->length, 0};
    return trim(all);
}

static bool is_word(piece p)
{
    for (size_t i = 0; i < p.length; i++) {
        char c = p.text[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && !(i > 0 && c >= '0' && c <= '9')) return false;
    }
    return p.length > 0;
}

static bool has(piece p, const char *word)
{
    piece rest = p;
    cut(&rest, word);
    return rest.length > 0 || (p.length >= strlen(word) &&
                               memcmp(p.text + p.length - strlen(word), word, strlen(word)) == 0);
}

/* "q = beta*k[a]; r = s = 0" or "s = 3, t = -1" as definitions, a line each. */
static bool write_definitions(piece found, qkv__text *text)
{
    const char *comma = has(found, ";") ? ";" : ",";
    while (found.length > 0) {
        piece part = cut(&found, comma), names[PARTS];
        size_t count = 0;
        piece value = cut(&part, " = ");
        while (part.length > 0 && is_word(value) && count < PARTS) {
            names[count++] = value;
            value = cut(&part, " = ");
        }
        if (count == 0 || value.length == 0) return false;
        for (size_t i = 0; i < count; i++)
            qkv__text_format(text, "%.*s = %.*s\n", (int)names[i].length, names[i].text,
                             (int)value.length, value.text);
    }
    return !text->failed;
}

/* ---- Trying -------------------------------------------------------------------------------- */

typedef struct asking {
    qkv__model *model;
    const qkv__node *proposition; /* what an answer must make true */
    size_t unknown_count;
    const qkv__node *const *unknown; /* what is asked for */
    qkv__place place;
    const qkv__circumstances *circumstances;
    size_t met;        /* instances that agree, in all */
    size_t seen;       /* the same, where others do not */
    bool failed;       /* some instance does not */
    bool impossible;   /* an answer that has no instance at all */
    bool holed;        /* on some instance nothing has a value with it */
    bool valueless;    /* nor has it one at the threshold itself */
    bool loose;        /* no instance is known for which less would not do */
    bool unread;       /* what was found cannot be put in, or says nothing of an unknown */
    bool too_large;    /* there are too many vectors to try it */
    bool untried;      /* it may be the answer for one index among several: it must be tried */
    qkv__text example; /* the first on which it fails */
} asking;

bool qkv__is_of_weights(const qkv__node *node)
{
    const qkv__node_kind kind = node->kind;
    if (kind == QKV__NODE_NUMBER) return true;
    if (kind == QKV__NODE_INDEX) /* c.weight[a] */
        return node->child[0]->kind == QKV__NODE_MEMBER &&
               strcmp(node->child[0]->text, "weight") == 0;
    bool sum = kind == QKV__NODE_COMPARE || kind == QKV__NODE_AND || kind == QKV__NODE_ADD ||
               kind == QKV__NODE_SUBTRACT || kind == QKV__NODE_NEGATE;
    for (size_t i = 0; sum && i < node->count; i++) sum = qkv__is_of_weights(node->child[i]);
    return sum;
}

/* A text of definitions, and perhaps a claim behind them. */
static bool read_text(const qkv__text *text, qkv__document *document)
{
    qkv_error error = {0};
    if (text->failed || text->data == NULL ||
        qkv__document_read("answer.qkv", text->data, text->length, document, &error) != QKV_OK)
        return false;
    if (document->complaint_count == 0) return true;
    qkv__document_free(document);
    return false;
}

static qkv__search_report try_question(asking *a, const qkv__node *proposition,
                                       const qkv__statement *answers, const char *growth,
                                       qkv__text *example)
{
    qkv__search_question question = {.proposition = proposition,
                                     .place = a->place,
                                     .circumstances = a->circumstances,
                                     .answers = answers,
                                     .growth = growth,
                                     .tries = TRIES};
    qkv__search_report report = qkv__search_instances(a->model, &question, example);
    a->too_large = a->too_large || report.too_large;
    return report;
}

/* One text of definitions: the proposition, or its contrary, must hold with it on all instances. */
static void try_text(asking *a, const qkv__text *text, bool contrary)
{
    qkv__document document;
    qkv__text example = {0};
    qkv__node negated = *a->proposition;
    if (!read_text(text, &document)) return;
    negated.kind = QKV__NODE_NOT;
    negated.count = 1;
    negated.child = &a->proposition;
    qkv__search_report report =
        try_question(a, contrary ? &negated : a->proposition, document.first, NULL, &example);
    if (report.able) a->met += report.met;
    if (report.able && report.found && !a->failed) {
        a->failed = true;
        a->example = example;
        example = (qkv__text){0};
    }
    qkv__text_free(&example);
    qkv__document_free(&document);
}

/* ---- What exists --------------------------------------------------------------------------- */

/* From 1 on: 0 stands for none. */
static size_t collect_letters(const qkv__node *node, const char **letters, size_t count)
{
    bool known = node->kind != QKV__NODE_NAME;
    for (size_t i = 1; i < count && !known; i++) known = strcmp(letters[i], node->text) == 0;
    if (!known && count < LETTERS) letters[count++] = node->text;
    for (size_t i = 0; i < node->count; i++)
        count = collect_letters(node->child[i], letters, count);
    return count;
}

/* Whether there is a definition for all that is asked for: of a number that lies between two others
 * nothing is printed. */
static bool answers_all(const asking *a, const qkv__statement *first)
{
    for (size_t i = 0; i < a->unknown_count; i++) {
        const qkv__statement *s = first;
        while (s != NULL && strcmp(s->node[0]->text, qkv__unknown_name(a->unknown[i])) != 0)
            s = s->next;
        if (s == NULL) return false;
    }
    return true;
}

/* As it is, or in the limit of a letter of the answer, where it comes as near as one likes. */
static void try_answer(asking *a, piece found)
{
    qkv__text text = {0}, example = {0};
    qkv__document document;
    const char *letters[LETTERS] = {NULL};
    size_t count = 1;
    bool agrees = false, failed = false, impossible = false;
    bool good = write_definitions(found, &text) && read_text(&text, &document);
    qkv__text_free(&text);
    a->unread = found.length > 0 && !good;
    if (!good) return;
    if (!answers_all(a, document.first)) {
        a->unread = true;
        qkv__document_free(&document);
        return;
    }
    for (const qkv__statement *s = document.first; s != NULL; s = s->next)
        count = collect_letters(s->node[1], letters, count);
    for (size_t i = 0; i < count && !agrees; i++) {
        bool first = example.data == NULL;
        qkv__text shown = {0};
        qkv__search_report report =
            try_question(a, a->proposition, document.first, letters[i], &shown);
        if (!report.able) {
            qkv__text_free(&shown);
            continue;
        }
        agrees = report.met > 0 && !report.found;
        a->holed = a->holed || (i == 0 && report.holed);
        failed = failed || report.found;
        impossible = impossible || (i == 0 && report.met == 0 && report.missed == 0);
        if (agrees) a->met += report.met;
        a->seen += report.met;
        if (first) example = shown, shown = (qkv__text){0};
        qkv__text_free(&shown);
    }
    a->failed = !agrees && failed;
    a->impossible = !agrees && !failed && impossible;
    a->example = example;
    qkv__document_free(&document);
}

/* A claim with an order in the place of its equations, down to its conjunctions. */
static const qkv__node *with_order(qkv__arena *arena, const qkv__node *node,
                                   qkv__comparison order)
{
    qkv__node *copy = qkv__arena_take(arena, sizeof *copy);
    const qkv__node **child = qkv__arena_array(arena, node->count + 1, sizeof *child);
    if (copy == NULL || child == NULL) return NULL;
    const bool equation = node->kind == QKV__NODE_COMPARE &&
                          (node->comparison == QKV__EQUAL || node->comparison == QKV__NEAR);
    *copy = *node;
    copy->child = child;
    if (equation) copy->comparison = order;
    for (size_t i = 0; i < node->count; i++) child[i] = node->child[i];
    const bool parts = node->kind == QKV__NODE_AND || node->kind == QKV__NODE_OR;
    for (size_t i = 0; parts && i < node->count; i++)
        if ((child[i] = with_order(arena, node->child[i], order)) == NULL) return NULL;
    return copy;
}

/* Whether on some instance one of the numbers that are tried will do. */
static bool is_witnessed(asking *a, const qkv__node *exists, const qkv__node *claimed)
{
    qkv__arena *arena = &a->model->algebra.arena;
    const qkv__node **child = qkv__arena_array(arena, exists->count, sizeof *child);
    if (child == NULL || claimed == NULL) return false;
    qkv__node some = *exists, contrary = *exists;
    const qkv__node *only = &some;
    for (size_t i = 0; i + 1 < exists->count; i++) child[i] = exists->child[i];
    child[exists->count - 1] = claimed;
    some.child = child;
    contrary.kind = QKV__NODE_NOT;
    contrary.count = 1;
    contrary.child = &only;
    qkv__search_question question = {.proposition = &contrary,
                                     .place = a->place,
                                     .circumstances = a->circumstances,
                                     .near_at_all = true,
                                     .generic = true,
                                     .tries = TRIES_FOR_LESS};
    return qkv__search_instances(a->model, &question, NULL).found;
}

/* Of a number that lies between two others nothing is printed. Then there must be no instance, at
 * least, on which nothing will do, and one on which something does; of an equation, numbers with
 * the sides in either order, between which it lies. */
static void try_without(asking *a, const qkv__node *exists)
{
    qkv__arena *arena = &a->model->algebra.arena;
    qkv__search_question question = {.proposition = exists,
                                     .place = a->place,
                                     .circumstances = a->circumstances,
                                     .near_at_all = true,
                                     .tries = TRIES};
    qkv__search_report report = qkv__search_instances(a->model, &question, &a->example);
    a->failed = report.able && report.found;
    if (a->failed) return;
    a->met = is_witnessed(a, exists, a->proposition) ||
             (is_witnessed(a, exists, with_order(arena, a->proposition, QKV__LESS)) &&
              is_witnessed(a, exists, with_order(arena, a->proposition, QKV__GREATER)));
    a->unread = a->met == 0;
}

/* ---- One answer for each index ------------------------------------------------------------- */

/* "q = beta*k[1]; q = beta*k[2]": as often as there are answers. */
static size_t answer_count(const asking *a, piece found)
{
    const char *name = qkv__unknown_name(a->unknown[0]);
    size_t count = 0;
    while (found.length > 0) {
        piece part = cut(&found, ";"), first = cut(&part, " = ");
        count += first.length == strlen(name) && memcmp(first.text, name, first.length) == 0;
    }
    return count;
}

/* A tree with an index put in for its name; no quantifier binds the name again. */
static const qkv__node *put_in(qkv__arena *arena, const qkv__node *node, const char *name,
                               const qkv__node *index)
{
    if (node->kind == QKV__NODE_NAME && strcmp(node->text, name) == 0) return index;
    qkv__node *copy = qkv__arena_take(arena, sizeof *copy);
    const qkv__node **child = qkv__arena_array(arena, node->count + 1, sizeof *child);
    if (copy == NULL || child == NULL) return NULL;
    for (size_t i = 0; i < node->count; i++)
        if ((child[i] = put_in(arena, node->child[i], name, index)) == NULL) return NULL;
    *copy = *node;
    copy->child = child;
    return copy;
}

/* The one index condition, over as many members as there are answers; SIZE_MAX: none. */
static size_t index_condition(const asking *a, size_t answers)
{
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < a->circumstances->count; i++) {
        const qkv__circumstance *c = &a->circumstances->item[i];
        if (c->kind != QKV__CONDITION_RANGE) continue;
        const qkv__node *over = c->node->kind == QKV__NODE_COMPARE ? c->node->child[1] : NULL;
        if (found != SIZE_MAX || over == NULL || c->node->comparison != QKV__IN) return SIZE_MAX;
        bool range = over->kind == QKV__NODE_RANGE && over->child[0]->kind == QKV__NODE_NUMBER &&
                     over->child[1]->kind == QKV__NODE_NUMBER;
        int64_t members =
            range ? over->child[1]->value.numerator - over->child[0]->value.numerator + 1
            : over->kind == QKV__NODE_SET ? (int64_t)over->count
                                          : 0;
        if (members != (int64_t)answers) return SIZE_MAX;
        found = i;
    }
    return found;
}

/* Each answer with its index put in. */
static void try_each_index(asking *a, piece found)
{
    const size_t answers = answer_count(a, found), at = index_condition(a, answers);
    qkv__arena *arena = &a->model->algebra.arena;
    if (at == SIZE_MAX || answers == 0) return;
    const qkv__node *domain = a->circumstances->item[at].node, *over = domain->child[1];
    qkv__circumstances others = {.count = 0};
    for (size_t i = 0; i < a->circumstances->count; i++)
        if (i != at)
            qkv__circumstances_put(&others, a->circumstances->item[i].kind,
                                   a->circumstances->item[i].node);
    asking one = *a;
    one.circumstances = &others;
    size_t met = 0;
    for (size_t i = 0; i < answers; i++) {
        qkv__node *number = qkv__arena_take(arena, sizeof *number);
        if (number == NULL) return;
        const qkv__node *member = over->kind == QKV__NODE_SET ? over->child[i] : number;
        *number = *over->child[0];
        number->value.numerator += (int64_t)i;
        one.proposition = put_in(arena, a->proposition, domain->child[0]->text, member);
        piece answer = {found.text, 0};
        for (size_t u = 0; u < a->unknown_count; u++) cut(&found, ";");
        answer.length = (size_t)(found.text - answer.text);
        while (answer.length > 0 &&
               (answer.text[answer.length - 1] == ';' || answer.text[answer.length - 1] == ' '))
            answer.length--;
        one.met = 0;
        if (one.proposition != NULL) try_answer(&one, answer);
        if (one.met == 0 || one.failed || one.impossible || one.holed) {
            qkv__text_free(&one.example);
            return;
        }
        qkv__text_free(&one.example);
        one.example = (qkv__text){0};
        met += one.met;
    }
    a->met = met;
}

/* ---- The least ----------------------------------------------------------------------------- */

/* name = value with a step more or less. */
static qkv__text write_near(piece name, piece value, const char *step)
{
    qkv__text text = {0};
    qkv__text_format(&text, "%.*s = (%.*s)%s", (int)name.length, name.text, (int)value.length,
                     value.text, step);
    if (step[0] != '\0' && strchr(step, '|') != NULL) { /* in proportion to the value */
        qkv__text_free(&text);
        text = (qkv__text){0};
        qkv__text_format(&text, "%.*s = (%.*s) %c (|%.*s| + 1/1000)/1000", (int)name.length,
                         name.text, (int)value.length, value.text, step[0], (int)value.length,
                         value.text);
    }
    qkv__text_format(&text, "\n");
    return text;
}

static void try_near(asking *a, piece name, piece value, const char *step, bool contrary)
{
    qkv__text text = write_near(name, value, step);
    try_text(a, &text, contrary);
    qkv__text_free(&text);
}

/* With a step less it must fail for something that the others may be. */
static void try_less(asking *a, piece name, piece value, const char *step)
{
    qkv__document document;
    qkv__text text = write_near(name, value, step);
    if (read_text(&text, &document)) {
        qkv__search_question question = {.proposition = a->proposition,
                                         .place = a->place,
                                         .circumstances = a->circumstances,
                                         .answers = document.first,
                                         .tries = TRIES_FOR_LESS};
        qkv__search_report report = qkv__search_instances(a->model, &question, NULL);
        a->loose = report.able && !report.found;
        qkv__document_free(&document);
    }
    qkv__text_free(&text);
}

/* At the threshold itself: it holds there, or it fails there (strict), and it has a value. Of a
 * rough one only the latter can be told, and only if the digits are all of it: 1/(x - 3) at
 * about 3. */
static void try_threshold(asking *a, piece name, piece value, bool strict, bool rough)
{
    qkv__document document;
    qkv__text text = write_near(name, value, "");
    if (!strict && read_text(&text, &document)) {
        qkv__search_report report = try_question(a, a->proposition, document.first, NULL, NULL);
        a->valueless = report.able && report.undefined > 0;
        qkv__document_free(&document);
    }
    qkv__text_free(&text);
    if (!rough && !a->valueless) try_near(a, name, value, "", strict);
}

/* "beta = 5.98141... at n = 10", or with another sign where the threshold itself fails (strict).
 * rough: only some digits of the value are there. */
static bool read_threshold(piece found, const char *sign, piece *name, piece *value, bool *strict,
                           bool *rough)
{
    piece rest = found;
    *strict = is_word(cut(&rest, sign));
    *name = cut(&found, *strict ? sign : " = ");
    *value = cut(&found, " = ");
    *rough = has(*value, "...") || has(*value, " +/-") || has(*value, "about ");
    *value = cut(value, "...");
    *value = cut(value, " +/-");
    *value = cut(value, " at ");
    if (value->length > 6 && memcmp(value->text, "about ", 6) == 0)
        *value = (piece){value->text + 6, value->length - 6};
    return is_word(*name) && value->length > 0;
}

/* "every beta", "beta = ln(99*(n - 2)/2) = 5.98141... at n = 10", "n = 11", "t > about 3": from
 * there on it holds, and just below it does not; for_all: not for everything that the others may
 * be. alone: it holds at the least value that is allowed, and not for large ones. */
static void try_least(asking *a, piece found, bool whole, bool for_all, bool alone)
{
    if (found.length > 6 && memcmp(found.text, "every ", 6) == 0) {
        qkv__search_report report = try_question(a, a->proposition, NULL, NULL, &a->example);
        a->failed = report.able && report.found;
        a->met += report.able ? report.met : 0;
        return;
    }
    piece name, value;
    bool strict, rough;
    if (!read_threshold(found, " > ", &name, &value, &strict, &rough)) return;
    if (!alone) try_near(a, name, value, whole ? " + 1" : "+|", false);
    if (!alone) try_near(a, name, value, whole ? " + 7" : " + 1", false);
    if (!for_all) try_near(a, name, value, whole ? " - 1" : "-|", true);
    if (for_all) try_less(a, name, value, whole ? " - 1" : "-|");
    try_threshold(a, name, value, strict, rough);
}

/* ---- Laws ---------------------------------------------------------------------------------- */

/* "-> v[a] with probability 1/2; v[b] with probability 1/2": each is a claim. */
static void try_law(asking *a, const qkv__node *subject, piece found)
{
    qkv__text claims = {0}, written = {0};
    qkv__document document;
    qkv__node_write(subject, &written);
    if (found.length > 3 && memcmp(found.text, "-> ", 3) == 0) found.text += 3, found.length -= 3;
    while (found.length > 0 && written.data != NULL) {
        piece part = cut(&found, ";");
        piece outcome = cut(&part, " with probability ");
        piece chance = cut(&part, " = ");
        if (part.length > 0) chance = trim(part);         /* the number behind the formula */
        if (chance.length == 0) chance = (piece){"1", 1}; /* the one outcome */
        qkv__text_format(&claims, "claim: |P((%s) ~ %.*s) - (%.*s)| <= 1/1000\n", written.data,
                         (int)outcome.length, outcome.text, (int)chance.length, chance.text);
    }
    bool good = read_text(&claims, &document);
    qkv__text_free(&claims);
    qkv__text_free(&written);
    if (!good) return;
    for (const qkv__statement *s = document.first; s != NULL && !a->failed; s = s->next) {
        qkv__text example = {0};
        qkv__search_report report = try_question(a, s->node[0], NULL, NULL, &example);
        if (report.able) a->met += report.met;
        a->failed = report.able && report.found;
        if (a->failed)
            a->example = example;
        else
            qkv__text_free(&example);
    }
    qkv__document_free(&document);
}

/* ---- The doors ----------------------------------------------------------------------------- */

/* Whether the answer may be that of one index among several: then it is put in for none. */
static bool is_for_some_index(const qkv__model *model, const qkv__circumstances *circumstances)
{
    for (size_t i = 0; i < circumstances->count; i++) {
        const qkv__circumstance *c = &circumstances->item[i];
        if (qkv__circumstance_is_premise(c) && c->node->kind == QKV__NODE_COMPARE &&
            (c->node->comparison >= QKV__IN || c->node->comparison == QKV__NOT_EQUAL) &&
            qkv__parameter_find(&model->algebra, c->node->child[0]->text) < 0)
            return true;
    }
    return model->fixed_count > 0;
}

/* What came of it. */
static void conclude(asking *a, qkv__finding *finding)
{
    const char *flaw =
        a->failed       ? "engines disagree, please report: an answer was found, and put in: "
        : a->impossible ? "an answer was found, but no example allows it"
        : a->holed      ? "an answer was found, but for some values it leaves a zero denominator"
        : a->valueless  ? "a threshold was found, but something has no value there"
        : a->loose      ? "an answer was found, but no example shows that nothing less will do"
        : a->unread     ? "an answer was found, but it cannot be tried on an example"
        : a->untried && a->met == 0
            ? "an answer was found for each index, but cannot be tried on an example"
        : a->too_large && (a->proposition == NULL || !qkv__is_of_weights(a->proposition))
            ? "an answer was found, but it is too large to be tried on an example"
        : a->met == 0 &&
                (qkv__has_conditions(a->model, a->circumstances) || qkv__has_assumptions(a->model))
            ? "an answer was found, but no example was found that satisfies the premises"
            : NULL;
    if (flaw != NULL) {
        qkv__finding_free(finding);
        *finding = (qkv__finding){.engine = "", .disputed = a->failed};
        qkv__text_format(&finding->reason, "%s%s", flaw,
                         !a->failed                ? ""
                         : a->example.data == NULL ? "it fails"
                                                   : a->example.data);
    }
    finding->replayed = flaw != NULL ? 0 : a->met;
    qkv__text_free(&a->example);
}

static piece printed(const qkv__finding *finding)
{
    return (piece){finding->found.data == NULL ? "" : finding->found.data, finding->found.length};
}

void qkv__answer_of_exists(qkv__model *model, const qkv__node *exists,
                           const qkv__circumstances *circumstances, qkv__finding *finding)
{
    assert(exists->kind == QKV__NODE_EXISTS);
    asking a = {.model = model,
                .proposition = exists->child[exists->count - 1],
                .unknown_count = exists->count - 1,
                .unknown = exists->child,
                .place = exists->place,
                .circumstances = circumstances};
    a.untried = is_for_some_index(model, circumstances);
    if (a.untried && answer_count(&a, printed(finding)) > 1)
        try_each_index(&a, printed(finding));
    else if (finding->found.length == 0)
        try_without(&a, exists);
    else
        try_answer(&a, printed(finding));
    /* That there is none, whatever the index, is refuted by one index. */
    if (finding->verdict == QKV__REFUTED && a.untried && a.failed && a.seen > 0) {
        a.failed = false;
        a.met = a.seen;
    }
    conclude(&a, finding);
}

/* "n = 149", "beta = ln(9) = 2.19722... at n = 10", "t < 3": there it holds, and beyond it does
 * not. alone: nothing beyond it is allowed. */
static void try_largest(asking *a, piece found, bool whole, bool alone)
{
    piece name, value;
    bool strict, rough;
    if (!read_threshold(found, " < ", &name, &value, &strict, &rough)) return;
    if (!whole && !alone) try_near(a, name, value, "-|", false);
    if (!alone) try_near(a, name, value, whole ? " + 1" : "+|", true);
    if (!alone) try_near(a, name, value, whole ? " + 7" : " + 1", true);
    try_threshold(a, name, value, strict, rough);
}

void qkv__answer_of_find(qkv__model *model, const qkv__statement *statement,
                         const qkv__circumstances *circumstances, qkv__finding *finding)
{
    assert(statement->kind == QKV__STATEMENT_FIND);
    asking a = {.model = model,
                .proposition = statement->node[statement->count - 1],
                .unknown_count = statement->count - 1,
                .unknown = statement->node,
                .place = statement->place,
                .circumstances = circumstances};
    if (finding->verdict != QKV__PROVED) return;
    a.untried = is_for_some_index(model, circumstances);
    if (statement->least) {
        int parameter = qkv__parameter_find(&model->algebra, statement->node[0]->text);
        bool whole = parameter >= 0 && model->algebra.parameter[parameter].whole;
        if (statement->largest)
            try_largest(&a, printed(finding), whole, finding->alone);
        else
            try_least(&a, printed(finding), whole, finding->for_all || a.untried, finding->alone);
    } else if (a.untried && answer_count(&a, printed(finding)) > 1) {
        try_each_index(&a, printed(finding));
    } else {
        try_answer(&a, printed(finding));
    }
    conclude(&a, finding);
}

void qkv__answer_of_law(qkv__model *model, const qkv__statement *statement,
                        const qkv__circumstances *circumstances, qkv__finding *finding)
{
    assert(statement->kind == QKV__STATEMENT_LAW);
    asking a = {.model = model, .place = statement->place, .circumstances = circumstances};
    if (finding->verdict != QKV__PROVED) return;
    try_law(&a, statement->node[0], printed(finding));
    conclude(&a, finding);
}
