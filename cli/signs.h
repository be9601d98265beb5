/* Mathematical signs for terminals that have them: β for beta, → for ->, ½ for 1/2. */
#ifndef QKV_CLI_SIGNS_H
#define QKV_CLI_SIGNS_H

#include <stdbool.h>

#include <qkv/claim.h>

/* Whether standard output is a terminal whose locale is in UTF-8, and nobody asked for ASCII. */
bool cli_signs(void);

/* Letters and signs as ASCII from now on: --ascii. */
void cli_signs_off(void);

/* "✓ " for proved, and so on; "" where there are no signs. */
const char *cli_sign_of(qkv_verdict verdict);

/* The text with signs, to be freed; a plain copy where there are none; NULL without memory. */
char *cli_with_signs(const char *text);

#endif
