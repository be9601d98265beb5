/*
 * The walk through a document, problem by problem and statement by statement, that makes a report.
 * Whoever wants more than verdicts comes along as a visitor.
 */
#ifndef QKV_CLAIM_CHECK_H
#define QKV_CLAIM_CHECK_H

#include <qkv/claim.h>

#include "claim/premise/finding.h"

struct qkv_report {
    qkv__document document; /* its arena holds the report's strings */
    size_t claim_count, claim_capacity;
    qkv_claim *claims;
    qkv_complaint complaints[QKV__COMPLAINTS];
};

/* A claim, a question or a law where it stands: the model knows what was said before it. */
typedef struct qkv__occasion {
    qkv__model *model;
    const qkv__statement *statement;
    const qkv__circumstances *circumstances;
    const qkv__finding *finding;
} qkv__occasion;

typedef struct qkv__visitor {
    void *data;

    /* Whether a statement is to be decided. */
    bool (*wants)(void *data, const qkv__statement *statement);

    /* Called with each entry of the report as it is made; false if memory ran out. The arena is
     * the report's. */
    bool (*sees)(void *data, const qkv__occasion *occasion, qkv__arena *arena, qkv_claim *claim);
} qkv__visitor;

/* What a report calls the statement: the label of a claim, "find" or "law". */
const char *qkv__statement_label(const qkv__statement *statement);

/* The last line of a statement, which conditions may bring. */
int qkv__statement_end(const qkv__statement *statement);

/* visitor may be NULL: everything is decided. options may be NULL. */
qkv_status qkv__report_make(const char *name, const char *text, size_t length,
                            const qkv__visitor *visitor, const qkv_check_options *options,
                            qkv_report **report, qkv_error *error);

#endif
