/*
 * The sheet that a derivation is written on: numbered steps with a title and lines, some of them
 * rows of a table whose columns are aligned. Knows nothing of what they say.
 *
 *     qkv__sheet_step(sheet, "The weights");
 *     qkv__sheet_row(sheet, "c.weight[a]", "=", "1/2", "");
 *     qkv__sheet_row(sheet, "c.weight[i]", "=", "0", "for i not in {a, b}");
 *     steps = qkv__sheet_finish(sheet, &count);
 */
#ifndef QKV_CLAIM_SHEET_H
#define QKV_CLAIM_SHEET_H

#include <qkv/claim.h>

#include "base/arena.h"

enum { QKV__SHEET_ROWS = 256, QKV__SHEET_WIDTH = 2000 }; /* rows of a table, bytes of a line */

typedef struct qkv__sheet_entry {
    const char *left, *relation, *right, *note;
} qkv__sheet_entry;

/* Start from {.arena = ...}, which must outlive the steps. */
typedef struct qkv__sheet {
    qkv__arena *arena;
    size_t step_count, step_capacity;
    qkv_step *step;
    size_t line_count, line_capacity; /* of the last step */
    const char **line;
    size_t row_count; /* rows not yet made into lines */
    qkv__sheet_entry row[QKV__SHEET_ROWS];
} qkv__sheet;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void qkv__sheet_step(qkv__sheet *sheet, const char *format, ...);

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void qkv__sheet_line(qkv__sheet *sheet, const char *format, ...);

/* Rows that follow each other make a table: "left relation right   note". */
void qkv__sheet_row(qkv__sheet *sheet, const char *left, const char *relation, const char *right,
                    const char *note);

/* The steps that have lines, in the arena. NULL if memory ran out, or if there is none. */
const qkv_step *qkv__sheet_finish(qkv__sheet *sheet, size_t *count);

#endif
