/* What a terminal gets beyond a pipe: colours, and lines that are broken at its width. */
#ifndef QKV_CLI_TERMINAL_H
#define QKV_CLI_TERMINAL_H

#include <qkv/claim.h>

/* Columns of standard output; 0 when it is no terminal: then nothing is broken. */
int cli_terminal_width(void);

/* The sequence that paints a verdict, and the one that ends it; "" where standard output is no
 * terminal or NO_COLOR is set. The word always stands beside the colour. */
const char *cli_paint(qkv_verdict verdict);
const char *cli_paint_strong(void);
const char *cli_paint_end(void);

/*
 * Prints text and a newline, broken at blanks where it would pass the terminal's width; the lines
 * that follow are indented. column: where the cursor stands, from 0.
 */
void cli_print_wrapped(const char *text, int indent, int column);

#endif
