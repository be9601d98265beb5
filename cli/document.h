/* Documents of claims as the commands read them, and what is wrong with them as they tell it. */
#ifndef QKV_CLI_DOCUMENT_H
#define QKV_CLI_DOCUMENT_H

#include <stddef.h>

#include <qkv/claim.h>

/* The whole of a file, "-" for standard input, in memory to be freed by free(); NULL once the
 * failure is told. */
char *cli_document_read(const char *who, const char *path, size_t *length);

/* What messages call the document: "standard input" for "-". */
const char *cli_document_name(const char *path);

/* The mistakes in a document on standard error, each with its line and a caret. */
void cli_document_complain(const char *path, const qkv_report *report);

#endif
