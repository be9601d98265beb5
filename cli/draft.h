/* Files that are written whole or not at all: in a file without a name until commit, so that
 * whatever ends the command before leaves nothing behind; then in a temporary one beside the
 * target, which is renamed. */
#ifndef QKV_CLI_DRAFT_H
#define QKV_CLI_DRAFT_H

#include <stdbool.h>
#include <stdio.h>

typedef struct cli_draft {
    FILE *stream;    /* to be written to */
    char *target;    /* without links */
    char *temporary; /* while it is put in its place; else NULL */
    bool direct;     /* what is there is no regular file and is written to as it is */
} cli_draft;

/* CLI_PROCEED, or CLI_FAILURE once that is told. A link is followed; permissions of a file that is
 * replaced are kept. */
int cli_draft_begin(const char *who, const char *path, cli_draft *draft);

/* Puts the file in its place; CLI_SUCCESS, or CLI_FAILURE with nothing changed. */
int cli_draft_commit(const char *who, cli_draft *draft);

/* Removes what was not committed; safe after either of the above. */
void cli_draft_end(cli_draft *draft);

#endif
