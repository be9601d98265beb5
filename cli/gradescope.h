/*
 * Reports as the results.json of a Gradescope autograder: one test per claim, which passes if the
 * claim does; one failed test per error in a text and per file that could not be read. Format:
 * gradescope-autograders.readthedocs.io, "Autograder specifications".
 */
#ifndef QKV_CLI_GRADESCOPE_H
#define QKV_CLI_GRADESCOPE_H

#include <stddef.h>

#include <qkv/claim.h>

#include "draft.h"

typedef struct cli_gradescope {
    cli_draft draft;
    double points; /* of one claim */
    size_t tests, passed;
} cli_gradescope;

/* Each returns CLI_PROCEED or, once that is told, CLI_FAILURE. */
int cli_gradescope_begin(const char *who, const char *path, double points, cli_gradescope *results);

void cli_gradescope_add(cli_gradescope *results, const char *document, const qkv_report *report);

/* A document without a report. */
void cli_gradescope_add_failure(cli_gradescope *results, const char *document, const char *reason);

/* Puts the file in its place: CLI_SUCCESS or CLI_FAILURE. */
int cli_gradescope_finish(const char *who, cli_gradescope *results);

/* Safe at any time, also twice. */
void cli_gradescope_end(cli_gradescope *results);

#endif
