/*
 * What the files of the teacher's desk share. A key is a document whose labelled claims are
 * questions; an answer is a student's claim of the same label. Nothing that a student declares or
 * supposes is ever used: a student's claim, with the student's definitions put in, is moved into
 * the key's problem and judged there.
 */
#ifndef QKV_GRADE_PART_H
#define QKV_GRADE_PART_H

#include <qkv/claim.h>
#include <qkv/grade.h>

#include "base/arena.h"
#include "language/syntax.h"

/* ---- Trees (tree.c) ------------------------------------------------------------------------- */

/* What names stand for. */
typedef struct qkv__meaning {
    const char *name;
    const qkv__node *node;
} qkv__meaning;

typedef struct qkv__dictionary {
    size_t count, capacity;
    qkv__meaning *item;
} qkv__dictionary;

bool qkv__dictionary_put(qkv__dictionary *dictionary, qkv__arena *arena, const char *name,
                         const qkv__node *node);
const qkv__node *qkv__dictionary_find(const qkv__dictionary *dictionary, const char *name);

/* The tree with names replaced by their meanings; NULL where that would be too large, or where a
 * name of a meaning would be caught by a sum or quantifier around it. A plain index, the a of k[a],
 * is no name to be replaced. */
const qkv__node *qkv__grade_tree_expand(qkv__arena *arena, const qkv__node *node,
                                  const qkv__dictionary *dictionary);

/* A new node; NULL without memory, or if it would be too deep. */
const qkv__node *qkv__grade_tree_make(qkv__arena *arena, qkv__node_kind kind, const char *text,
                                size_t count, const qkv__node *const *child);
const qkv__node *qkv__grade_tree_two(qkv__arena *arena, qkv__node_kind kind, const qkv__node *x,
                               const qkv__node *y);
const qkv__node *qkv__grade_tree_compare(qkv__arena *arena, qkv__comparison comparison,
                                   const qkv__node *x, const qkv__node *y);
const qkv__node *qkv__grade_tree_name(qkv__arena *arena, const char *name);
const qkv__node *qkv__grade_tree_number(qkv__arena *arena, int64_t value);

/* Writes the tree so that two trees which differ in the order of sums, of products of numbers, of
 * inner products, of the sides of an equation or of parts of `and` and `or`, or in bound names, are
 * written alike. */
void qkv__grade_tree_signature(const qkv__node *node, bool matrices, qkv__text *text);
bool qkv__grade_tree_alike(const qkv__node *one, const qkv__node *other, bool matrices);

/* Whether it depends on attention or on chance: on what questions are usually about. */
bool qkv__grade_tree_is_subject(const qkv__node *node, const qkv__dictionary *subjects);

/* ---- Claims taken apart (form.c) ------------------------------------------------------------ */

enum { QKV__FORM_ITEMS = 24 };

typedef struct qkv__nodes {
    size_t count;
    const qkv__node *item[QKV__FORM_ITEMS];
} qkv__nodes;

typedef struct qkv__statement_form {
    const qkv__node *body;   /* without what it is conditional on */
    qkv__nodes premises;     /* beta >= 20, n = 10: from for, at, given, and in front of implies */
    qkv__nodes domains;      /* i in 1..n, i != j: what an index runs over */
    qkv__nodes limits;       /* beta -> inf, in order */
    const qkv__node *within; /* NULL: none */
    const char *expected;    /* of `expect`; NULL: none */
    bool crowded;            /* it has more than fits here */
} qkv__statement_form;

void qkv__statement_form_read(qkv__arena *arena, const qkv__node *body,
                    const qkv__circumstances *circumstances, qkv__statement_form *form);

/* Puts meanings in for names everywhere; false where that is not possible. */
bool qkv__statement_form_expand(qkv__arena *arena, qkv__statement_form *form, const qkv__dictionary *dictionary);

/* Calls the indexes of a claim what another one calls them, where both run over the same. */
void qkv__statement_form_align(qkv__arena *arena, const qkv__statement_form *model, qkv__statement_form *form);

bool qkv__statement_form_alike(const qkv__statement_form *one, const qkv__statement_form *other, bool matrices);
bool qkv__nodes_alike(const qkv__nodes *one, const qkv__nodes *other, bool ordered, bool matrices);

/* ": body as beta -> inf, for ..., given ..." */
void qkv__statement_form_write(const qkv__statement_form *form, qkv__text *text);

/* ---- The key (key.c) ------------------------------------------------------------------------ */

typedef struct qkv__key_problem {
    const qkv__statement *first;
    qkv__dictionary definitions; /* names with one value, expanded */
    qkv__dictionary subjects;    /* other definitions that depend on attention or chance */
    bool matrices;
    qkv__text preamble; /* all declarations, premises and definitions, as text */
} qkv__key_problem;

typedef struct qkv__mistake {
    const char *label, *hint;
    qkv__statement_form form; /* expanded */
} qkv__mistake;

typedef struct qkv__question {
    qkv_question face;
    const qkv__key_problem *problem;
    qkv__statement_form form;     /* as written */
    qkv__statement_form expanded; /* with definitions put in */
    qkv_verdict verdict;
    const char *found;
    const qkv__node *limit; /* beta -> inf of `limit 1 as beta -> inf`; NULL: that of the claim */
    bool has_stronger, has_terms;
    double stronger, supported;
    size_t define_count, term_count, mistake_count, mistake_capacity;
    const char *define[8], *term[16];
    qkv__mistake *mistake;
    const char *hint; /* NULL: none */
} qkv__question;

struct qkv_key {
    qkv__document document;
    const char *asked; /* the name of question documents: beside the key, so that files are found */
    double seconds;    /* for each of them */
    size_t problem_count, question_count;
    qkv__key_problem *problem;
    qkv__question *question;
};

/* ---- Asking the checker (inquiry.c) --------------------------------------------------------- */

enum { QKV__INQUIRIES = 16 };

/* Several claims about one problem of the key, decided together. */
typedef struct qkv__inquiry {
    const qkv_key *key;
    qkv__text text;
    size_t count;
    qkv_verdict verdict[QKV__INQUIRIES]; /* once asked */
} qkv__inquiry;

/* preamble: NULL for that of the problem. */
void qkv__inquiry_begin(qkv__inquiry *inquiry, const qkv_key *key, const qkv__key_problem *problem,
                        const char *preamble);

/* A line of its own, such as `scalar x`. */
void qkv__inquiry_declare(qkv__inquiry *inquiry, const char *line);

/* Its number, which is also its place among the verdicts. */
size_t qkv__inquiry_add(qkv__inquiry *inquiry, const qkv__statement_form *form);

/* The report is the caller's to free; NULL: only the verdicts are wanted. A claim that could not be
 * read is undecided. */
qkv_status qkv__inquiry_ask(qkv__inquiry *inquiry, qkv_report **report, qkv_error *error);
void qkv__inquiry_end(qkv__inquiry *inquiry);

/* ---- Whether two claims say the same (same.c, abstract.c) ----------------------------------- */

typedef enum qkv__relation {
    QKV__SAYS_UNKNOWN, /* the checker could not tell */
    QKV__SAYS_SAME,
    QKV__SAYS_LESS,    /* it follows from the question's claim, and not the other way round */
    QKV__SAYS_MORE,    /* the question's claim follows from it */
    QKV__SAYS_NOTHING, /* it holds whatever the thing in question may be */
    QKV__SAYS_OTHER,   /* neither follows from the other */
} qkv__relation;

typedef struct qkv__comparing {
    const qkv_key *key;
    const qkv__key_problem *problem;
    const char *preamble; /* the problem's, with what the student defines */
    qkv__arena *arena;
    qkv_status status;
    qkv_error error;
    bool contains; /* SAYS_MORE: the claim is a conjunction that contains the question's */
} qkv__comparing;

/* Both forms are expanded. */
qkv__relation qkv__compare_claims(qkv__comparing *c, const qkv__statement_form *asked,
                                  const qkv__statement_form *answer);

/* Whether two things, such as attend(q, k, v).weight[a], are the same: built alike out of parts that
 * are proved equal and do not depend on attention or chance. */
bool qkv__same_thing(qkv__comparing *c, const qkv__statement_form *conditions, const qkv__node *one,
                     const qkv__node *other);

/* The same of bodies alone, with what they are about taken as unknown (abstract.c). conditions: the
 * premises, domains and limits that both stand under. */
qkv__relation qkv__compare_unknown(qkv__comparing *c, const qkv__statement_form *conditions,
                                   const qkv__node *asked, const qkv__node *answer);

/* Whether an expression or a claim has a value everywhere under the conditions (defined.c): false
 * also where the checker cannot tell. */
bool qkv__has_value(qkv__comparing *c, const qkv__statement_form *conditions,
                    const qkv__node *node);

/* ---- Answers (answer.c) --------------------------------------------------------------------- */

/* A claim of a student, moved into a problem of the key. */
typedef struct qkv__submission {
    const qkv__statement *statement;
    qkv__statement_form form;     /* with the student's own definitions put in */
    qkv__text preamble; /* the key's, and those of the student's definitions that stay definitions */
    const char *failure; /* why it cannot be judged; NULL: it can */
} qkv__submission;

/* Everything that a student's document has under a label; at most `capacity` of them are filled in,
 * and all are counted. */
size_t qkv__submissions_find(const qkv_key *key, const qkv__question *question,
                             const qkv__document *document, qkv__arena *arena,
                             qkv__submission *submission, size_t capacity);
void qkv__submission_free(qkv__submission *submission);

/* The key's problem as text with the names that the question leaves open defined as the student
 * does, and these definitions; false if one is missing, which is then said. */
bool qkv__answer_defines(const qkv__question *question, const qkv__document *document,
                         qkv__arena *arena, qkv__text *preamble, qkv__nodes *values,
                         const char **missing);

/* Lines of a student's document that change the key's givens or names, one note for each. */
void qkv__answer_notes(const qkv_key *key, const qkv__document *document, qkv__text *notes,
                       size_t *count);

/* ---- Judging (judge.c) ---------------------------------------------------------------------- */

qkv_status qkv__judge(const qkv_key *key, const qkv__question *question,
                      const qkv__document *document, qkv__arena *arena, qkv_answer *answer,
                      qkv_error *error);

#endif
