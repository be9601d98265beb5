/*
 * Claims that are decided case by case, because one generic member of a family cannot stand for all
 * that an index may be: two indexes that run over the same family may meet or differ, and an index
 * that is picked from listed vectors may be any of them. In each case such an index is one member,
 * known by a mark of its own, and the problem is read anew.
 */
#ifndef QKV_CLAIM_CASES_H
#define QKV_CLAIM_CASES_H

#include "claim/premise/finding.h"

enum { QKV__CASES = 96 };

/* One case: what each of the indexes is. */
typedef struct qkv__index_case {
    size_t count;
    qkv__fixed_index fixed[QKV__FIXED];
} qkv__index_case;

typedef struct qkv__cases {
    size_t count; /* 0: the claim needs none */
    bool too_many;
    bool hollow; /* an index inside of the claim runs over a set that may be empty */
    qkv__index_case item[QKV__CASES];
} qkv__cases;

/* The first way to choose the indexes that are picked from listed vectors: what a model of the
 * problem begins with. */
void qkv__cases_begin(const qkv__statement *first, qkv__index_case *picked);

/* The cases of a claim, in the order in which they are decided. The model knows its problem; names
 * are kept in the model's arena. */
void qkv__cases_of_claim(qkv__model *model, const qkv__node *proposition,
                         const qkv__circumstances *circumstances, qkv__cases *cases);

/* "With i = a, j another one: " */
void qkv__case_write(const qkv__index_case *item, qkv__text *text);

#endif
