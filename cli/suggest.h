/* The word that was probably meant. */
#ifndef QKV_CLI_SUGGEST_H
#define QKV_CLI_SUGGEST_H

#include <stddef.h>

/* The best candidate seen so far; start from {word, NULL, 0} and offer them all. */
typedef struct cli_suggestion {
    const char *word; /* as typed */
    const char *best; /* NULL while nothing is near enough */
    size_t distance;  /* of best */
} cli_suggestion;

void cli_suggest(cli_suggestion *suggestion, const char *candidate);

#endif
