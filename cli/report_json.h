/* Reports on claims as JSON, for the command and for the page. */
#ifndef QKV_CLI_REPORT_JSON_H
#define QKV_CLI_REPORT_JSON_H

#include <stdbool.h>
#include <stdio.h>

#include <qkv/claim.h>

/* What is counted over documents. */
typedef struct cli_tally {
    size_t verdicts[4], claims, passed, mistakes, disputed;
} cli_tally;

void cli_tally_add(cli_tally *tally, const qkv_report *report);

/* {"claims": [ for the first document, the claims of each, and the end with what was counted. */
void cli_json_begin(FILE *stream);
void cli_json_claims(FILE *stream, const char *path, const qkv_report *report, bool first);
void cli_json_end(FILE *stream, const cli_tally *tally);

/* All of it for one document. */
void cli_json_report(FILE *stream, const char *path, const qkv_report *report);

/* Claims with the steps of their derivations. */
void cli_json_explanation(FILE *stream, const char *path, const qkv_report *report);

#endif
