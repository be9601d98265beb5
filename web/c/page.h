/*
 * What the page's modules share: numbers and texts that go between JavaScript and C in linear
 * memory. JavaScript fills an array of numbers or a text, calls an export, and reads what that left
 * behind. Exports that can fail return 0 and leave a line of text.
 *
 * Two modules are made of this folder: one with the whole library, and one of the operator, the
 * lab, the laws and the figures alone, with WebAssembly's vectors.
 */
#ifndef QKV_WEB_PAGE_H
#define QKV_WEB_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <qkv/figure.h>
#include <qkv/status.h>

#define PAGE_EXPORT(name) __attribute__((export_name(name)))

/* The array that JavaScript asked for last, and room for results of `count` numbers; NULL without
 * memory. */
double *page_numbers(void);
size_t page_number_count(void);
double *page_results(size_t count);

/* The text that JavaScript asked for last; a '\0' follows it. */
const char *page_input(size_t *length);

/* Takes over a text that came from malloc as the answer. */
void page_answer(char *text, size_t length);

/* Leaves the message as the answer; false. */
bool page_fail(const char *message);

/* Renders the figure as the answer and frees it. */
bool page_answer_figure(qkv_figure **figure);

#endif
