/* For those inside the library who make figures: numbers in text, which know no locale, the room
 * that text takes, and texts that found no memory. */
#ifndef QKV_FIGURE_MAKE_H
#define QKV_FIGURE_MAKE_H

#include <stdbool.h>
#include <stddef.h>

#include <qkv/figure.h>

#include "base/text.h"

/* With at most `decimals` of them (0 to 12) and no zeros behind the last that counts; "0" and not
 * "-0". Beyond 10^15 in size, and for what is no number, "0". Knows no locale. */
void qkv__figure_number(qkv__text *text, double value, int decimals);

/* A number for people: `decimals` of them, a minus sign that is one, powers of ten for large and
 * small ones. */
void qkv__figure_label(qkv__text *text, double value, int decimals);

/* The width in pixels at a size; an estimate for a wide font, as fonts are the reader's. */
double qkv__figure_measure(const char *string, size_t length, double size, bool markup);

/* Appends the text as qkv_notation has it. */
void qkv__notation(qkv__text *out, const char *text, bool scripts);

/* Pixels across the panel of a figure in one column, if its axes are blank. */
double qkv__figure_room(const qkv_figure *figure);

/* Frees a text that was made for the figure; if it is not whole, the figure fails, out of
 * memory. */
void qkv__figure_said(qkv_figure *figure, qkv__text *text);

#endif
