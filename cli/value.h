/* Words of the command line as numbers and choices. A word counts as a whole or not at all. */
#ifndef QKV_CLI_VALUE_H
#define QKV_CLI_VALUE_H

#include <stdbool.h>
#include <stddef.h>

/* Decimal digits alone: no sign, no space, no overflow. */
bool cli_parse_size(const char *text, size_t *size);

/* What strtod takes, infinities and NaN included. */
bool cli_parse_real(const char *text, double *real);

/* The place of the text among `count` names. */
bool cli_parse_choice(const char *text, const char *const *names, size_t count, size_t *index);

#endif
