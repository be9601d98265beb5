/* What the files that answer `find` share. */
#ifndef QKV_CLAIM_FIND_PART_H
#define QKV_CLAIM_FIND_PART_H

#include "claim/find/find.h"

enum { QKV__FIND_DIGITS = 6 }; /* of a threshold */

/* A question with its conditions, which have narrowed the model's bounds. */
typedef struct qkv__question {
    qkv__model *model;
    const qkv__statement *statement;
    const qkv__circumstances *circumstances;
    qkv__decider *again; /* by whom an answer is checked */
    const qkv__node *proposition;
    size_t unknown_count;
    const qkv__node *const *unknown;
    const qkv__node *limit; /* beta -> inf, the first one; NULL for none */
    bool has_tolerance;     /* within */
    qkv__ratio tolerance;
    bool premised;          /* some condition is more than a bound, and was not taken */
    const qkv__node *index; /* i not in {a, b}: meant for all such i; NULL for none */
    qkv__finding *finding;
} qkv__question;

/* ---- What is said (find_question.c) ---------------------------------------------------------- */

/* Whether the question is about the name: it is in what is asked, or in a declaration or definition
 * of the problem. */
bool qkv__question_mentions(const qkv__question *question, const char *name);

/* A mistake in the text, and an answer that stays open; both return false. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
bool qkv__question_complain(qkv__question *question, const qkv__node *culprit, const char *format,
                            ...);

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
bool qkv__question_open(qkv__question *question, const char *format, ...);

void qkv__question_fail(qkv__question *question, const qkv__failure *failure,
                        const qkv__node *culprit);

void qkv__question_conclude(qkv__question *question, qkv__verdict verdict, const char *engine);

/* ---- Who answers ----------------------------------------------------------------------------- */

void qkv__find_least(qkv__question *question);
void qkv__find_matrices(qkv__question *question);

/* `find least` by asking the proposition at numbers; the finding stays as it is where that does not
 * tell. */
void qkv__find_bracket(qkv__question *question);

/* Whether an unknown stands for a matrix of self-attention in the question. */
bool qkv__find_is_about_matrices(const qkv__question *question);

#endif
