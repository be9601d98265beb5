/* Files that results may be written to: never a document, never something else's file. */
#ifndef QKV_CLI_TARGET_H
#define QKV_CLI_TARGET_H

#include <stdbool.h>
#include <stddef.h>

typedef enum cli_target_kind { CLI_TARGET_HTML, CLI_TARGET_JSON, CLI_TARGET_CSV, CLI_TARGET_ZIP,
                               CLI_TARGET_TEX, CLI_TARGET_MARKDOWN } cli_target_kind;

/* Refuses, and says why, a target that is one of the documents, that ends like a document, or that
 * exists and was not written by qkv. CLI_PROCEED: it may be written. */
int cli_target_check(const char *who, const char *option, const char *target, cli_target_kind kind,
                     size_t count, char *const *files);

#endif
