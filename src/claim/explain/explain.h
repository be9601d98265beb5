/*
 * What the files of the explainer share. A lesson derives one claim that was decided already: the
 * formulas are those of the exact engine, worked out once more and written down; nothing here
 * decides anything.
 */
#ifndef QKV_CLAIM_EXPLAIN_H
#define QKV_CLAIM_EXPLAIN_H

#include "claim/check.h"
#include "claim/explain/sheet.h"
#include "claim/premise/situation.h"

enum {
    QKV__SUBJECTS = 16,    /* results of attention in one claim */
    QKV__DEFINITIONS = 64, /* that a claim rests on */
};

typedef struct qkv__lesson {
    qkv__model *model;
    const qkv__statement *statement;
    qkv__situation *situation; /* limits and premises of the claim */
    qkv__sheet *sheet;
    const qkv__binding *locals; /* the index that the claim is meant for, if there is one */
    qkv__binding index;
    qkv__text bounds; /* "n = 10, beta >= 20": what the conditions say; empty for nothing */
    bool told[QKV__PARAMETERS]; /* parameters that the conditions speak of */
} qkv__lesson;

/* What a text holds, never NULL; and its end, which tells the report if memory ran out. */
const char *qkv__shown(const qkv__text *text);
void qkv__shown_free(qkv__lesson *lesson, qkv__text *text);

/* A result of attention that the claim speaks of, and the queries of it. */
typedef struct qkv__subject {
    const qkv__node *node;
    const qkv__result *result;
    bool all, row[QKV__MARKS];
} qkv__subject;

typedef struct qkv__subjects {
    size_t count;
    qkv__subject subject[QKV__SUBJECTS];
    size_t definition_count;
    const qkv__statement *definition[QKV__DEFINITIONS]; /* as met */
} qkv__subjects;

/* ---- What a claim speaks of (explain_subjects.c) --------------------------------------------- */

void qkv__subjects_collect(qkv__lesson *lesson, const qkv__node *node, qkv__subjects *subjects);

/* The call of attend, self_attend or mean that a node comes from, by definitions; or NULL. */
const qkv__node *qkv__lesson_origin(const qkv__lesson *lesson, const qkv__node *node);

/* The argument with that number among those that are no options; NULL: there is none. */
const qkv__node *qkv__plain_argument(const qkv__node *call, size_t number);

/* Calls `use` for the statements of the lesson's problem that stand before its own. */
void qkv__lesson_scan(const qkv__lesson *lesson,
                      void (*use)(void *data, const qkv__statement *statement), void *data);

/* The value of an expression, without a word where there is none. */
bool qkv__lesson_value(qkv__lesson *lesson, const qkv__node *node, qkv__value *value);

/* ---- Attention (explain_attention.c) --------------------------------------------------------- */

void qkv__derive_subject(qkv__lesson *lesson, const qkv__subject *subject);

/* What a class of keys is called: [a], or [i] for the unmarked ones. */
void qkv__write_index(const qkv__index_set *set, size_t class, qkv__text *text);

/* Whether a class is that of the other keys where scores differ: they have no name. */
bool qkv__is_others(const qkv__index_set *set, size_t class);

/* How many keys a class has. */
qkv__ratio qkv__class_size(qkv__lesson *lesson, const qkv__index_set *set,
                           const qkv__attention *attention, size_t class);

/* "for i not in {a, b}: n - 2 keys", or "" for a key with a mark. */
void qkv__write_others(qkv__lesson *lesson, const qkv__index_set *set,
                       const qkv__attention *attention, size_t class, qkv__text *text);

/* ---- Limits and numbers (explain_limit.c) ---------------------------------------------------- */

/* The weights of one query, and what stands before "weight[a]" and for the output. */
typedef struct qkv__shares {
    const qkv__index_set *keys;
    const qkv__attention *attention;
    qkv__ratio total;  /* the sum of exponentials; lost where there is none */
    const char *label; /* "c.weight", "z.weight[2]", "weight" */
    const char *output;
} qkv__shares;

/* "c.weight[a]", what a weight of the class is called. */
void qkv__write_weight(const qkv__shares *shares, size_t class, qkv__text *text);

void qkv__derive_limit(qkv__lesson *lesson, const qkv__shares *shares);
void qkv__derive_numbers(qkv__lesson *lesson, const qkv__shares *shares);

/* "beta -> inf, then n -> inf" */
void qkv__write_limits(const qkv__lesson *lesson, qkv__text *text);

/* The limit as text; "?" where it is not known. */
void qkv__write_limit(qkv__lesson *lesson, qkv__ratio ratio, qkv__text *text);

/* The vector of limits; NULL where one is not finite. */
const qkv__vector *qkv__lesson_limit_vector(qkv__lesson *lesson, const qkv__vector *vector);

/* An enclosure under the lesson's conditions; false where there is none, and where a parameter is
 * left that they do not speak of: what would come out for all its values says little. */
bool qkv__write_enclosure(qkv__lesson *lesson, qkv__ratio ratio, qkv__text *text);

/* Rows for a vector, one component per row: "c = 1/2*v[a]", "  + 1/2*v[b]". */
void qkv__sheet_vector(qkv__lesson *lesson, const char *left, const char *relation,
                       const qkv__vector *vector);

/* A row whose right side is a ratio. */
void qkv__sheet_ratio(qkv__lesson *lesson, const char *left, const char *relation, qkv__ratio ratio,
                      const char *note);

/* ---- Comparisons (explain_sides.c) ----------------------------------------------------------- */

void qkv__derive_sides(qkv__lesson *lesson, const qkv__node *proposition);

#endif
