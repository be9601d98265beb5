/*
 * A teacher's desk: answers of students, judged by a key.
 *
 * A key is a document (see claim.h) whose labelled claims are the questions, with one or more
 * fenced ```grade blocks that say what they are worth:
 *
 *     ```qkv
 *     given   n >= 3
 *     keys    k[1..n] orthonormal
 *     values  v[1..n]
 *     pick    a, b distinct in 1..n
 *     c = attend(beta*(k[a] + k[b]), k, v)
 *     claim 1a: c.weight[a] = e^beta/(n - 2 + 2 e^beta)
 *     ```
 *
 *     ```grade
 *     1a: 2 points
 *     ```
 *
 * A student answers with a claim of the same label. It must say the same as the key's: each must
 * follow from the other, whatever the thing in question may be. `1 = 1` is true, and no answer.
 * Declarations and premises of the student are never used, only definitions.
 *
 *     qkv_key *key = NULL;
 *     qkv_grade *grade = NULL;
 *     if (qkv_key_read("key.md", text, length, &key, &error) != QKV_OK) ...
 *     if (qkv_grade_document(key, "ada.md", answer, answer_length, &grade, &error) != QKV_OK) ...
 *     for (size_t i = 0; i < qkv_grade_count(grade); i++)
 *         printf("%s: %g\n", qkv_grade_answer(grade, i)->label, qkv_grade_answer(grade, i)->points);
 *
 * docs/guide/grading-a-class.md explains keys to teachers.
 */
#ifndef QKV_GRADE_H
#define QKV_GRADE_H

#include <stdbool.h>
#include <stddef.h>

#include <qkv/claim.h>
#include <qkv/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum qkv_mark {
    QKV_MARK_LOOK = 0,    /* undecided: a person has to look at it. No points so far */
    QKV_MARK_RIGHT = 1,   /* proved, and the same as the question's claim */
    QKV_MARK_LIMIT = 2,   /* true only in the limit: the points that the key gives for this */
    QKV_MARK_WRONG = 3,   /* refuted */
    QKV_MARK_NOTHING = 4, /* true, but it does not answer the question */
    QKV_MARK_MISSING = 5, /* there is no claim of this label */
    QKV_MARK_ERROR = 6,   /* it cannot be read, or is not allowed */
} qkv_mark;

/* "to look at", "right", "in the limit", "wrong", "no answer", "missing", "error". */
QKV_API const char *qkv_mark_name(qkv_mark mark);

typedef struct qkv_key qkv_key;

/* A question of a key. Strings live as long as the key. */
typedef struct qkv_question {
    const char *label;
    const char *claim; /* as written */
    int line;
    double points; /* for the right answer */
    double limit;  /* for one that is true only in the limit */
    qkv_verdict verdict; /* of the key's claim; if it is not proved, all answers are to look at */
} qkv_question;

/* QKV_ERROR_ARGUMENT if the key has errors, or if a question's claim is refuted; the message begins
 * with its line. seconds: for each question to the checker; 0 means 10. */
QKV_API qkv_status qkv_key_read(const char *name, const char *text, size_t length, double seconds,
                                qkv_key **key, qkv_error *error);
QKV_API size_t qkv_key_count(const qkv_key *key);
QKV_API const qkv_question *qkv_key_question(const qkv_key *key, size_t index);
QKV_API double qkv_key_points(const qkv_key *key); /* of all questions together */
QKV_API void qkv_key_free(qkv_key **key);

/* What became of a question. Strings are never NULL and live as long as the grade. */
typedef struct qkv_answer {
    const char *label;
    qkv_mark mark;
    double points, worth; /* earned, and for the right answer */
    int line;             /* of the student's claim; 0: there is none */
    const char *claim;    /* as the student wrote it */
    qkv_verdict verdict;  /* of the student's claim, under the key's givens */
    const char *found;    /* the correct value, or where the claim fails; may be "" */
    const char *reason;   /* one or two sentences */
    const char *hint;     /* of the key; "" for none */
    const char *mistake;  /* the label of the known mistake that this is; "" for none */
} qkv_answer;

typedef struct qkv_grade qkv_grade;

/* Judges a student's document, Markdown or plain text by the ending of its name. Errors in it are
 * no failures of this call. */
QKV_API qkv_status qkv_grade_document(const qkv_key *key, const char *name, const char *text,
                                      size_t length, qkv_grade **grade, qkv_error *error);
QKV_API size_t qkv_grade_count(const qkv_grade *grade); /* as many as the key has questions */
QKV_API const qkv_answer *qkv_grade_answer(const qkv_grade *grade, size_t index);
QKV_API double qkv_grade_points(const qkv_grade *grade);
/* Lines that were not used, such as premises that the key does not have; and errors in the text. */
QKV_API size_t qkv_grade_note_count(const qkv_grade *grade);
QKV_API const char *qkv_grade_note(const qkv_grade *grade, size_t index);
QKV_API void qkv_grade_free(qkv_grade **grade);

#ifdef __cplusplus
}
#endif
#endif
