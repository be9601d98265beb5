/* The options that `qkv law` and `qkv design` have in common, read into the library's struct. */
#ifndef QKV_CLI_LAW_ARGUMENTS_H
#define QKV_CLI_LAW_ARGUMENTS_H

#include <qkv/law.h>

/* What was given for each; NULL: nothing. */
typedef struct law_words {
    const char *keys, *of, *noise, *noisy, *tolerance;
} law_words;

#define LAW_NOISE_HELP                                                                             \
    "VARIANCE of the noisy key's length, whose mean is 1. Default: 0.5, as in the "                \
    "attention exploration assignment."

/* Fills options from words; CLI_PROCEED, or CLI_FAILURE when that was said on standard error. */
int law_read_words(const char *who, const law_words *words, qkv_law_options *options);

/* A number within (low, high), or from low on where that is allowed; *number is left where text is
 * NULL. */
int law_read_real(const char *who, const char *option, const char *text, double low, bool closed,
                  double high, const char *expected, double *number);

#endif
