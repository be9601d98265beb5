/* Tensors as text for people: rows of numbers under a heading. */
#ifndef QKV_CLI_SHOW_H
#define QKV_CLI_SHOW_H

#include <stdio.h>

#include <qkv/tensor.h>

/* What an axis counts, as in "heads" and "head 0". */
typedef struct cli_axis {
    const char *many, *one;
} cli_axis;

/*
 * Prints "title (many x many)" and then the numbers, to 6 significant digits, columns aligned at
 * the decimal point. An axis of more than 8 shows its first and last 3; the heading then says
 * all sizes. Axes before the last two become lines such as "head 0". axes: one an axis.
 */
void cli_show(FILE *stream, const char *title, const qkv_view *view, const cli_axis *axes);

#endif
