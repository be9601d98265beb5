/* Which claim of which document: FILE, FILE:LINE, FILE:LABEL, or the two as two words. */
#ifndef QKV_CLI_PLACE_H
#define QKV_CLI_PLACE_H

#include <qkv/claim.h>

typedef struct cli_place {
    char *path; /* to be freed */
    qkv_selection which;
} cli_place;

/* CLI_PROCEED or, once that is told, CLI_FAILURE; the path is to be freed in any case. */
int cli_place_read(const char *who, size_t count, char **words, cli_place *place);

#endif
