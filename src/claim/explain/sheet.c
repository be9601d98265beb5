/* Steps, lines and tables. What finds no memory marks the arena as failed, and is left out. */
#include "claim/explain/sheet.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum { WIDEST_RIGHT = 60 }; /* a note stands behind what is longer, out of line */

static const char *keep(qkv__sheet *sheet, const char *text)
{
    size_t length = strlen(text);
    if (length <= QKV__SHEET_WIDTH) return qkv__arena_text(sheet->arena, text, length);
    char *cut = qkv__arena_text(sheet->arena, text, QKV__SHEET_WIDTH);
    if (cut != NULL) memcpy(cut + QKV__SHEET_WIDTH - 4, " ...", 4);
    return cut;
}

/* Room for one more element; false if memory ran out. The elements move. */
static bool grow(qkv__arena *arena, void **elements, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity) return true;
    size_t wider = *capacity == 0 ? 8 : 2 * *capacity;
    void *grown = qkv__arena_array(arena, wider, size);
    if (grown == NULL) return false;
    if (count > 0) memcpy(grown, *elements, count * size);
    *elements = grown;
    *capacity = wider;
    return true;
}

static void add_line(qkv__sheet *sheet, const char *text)
{
    const char *kept = keep(sheet, text);
    void *lines = sheet->line;
    if (kept == NULL || sheet->step_count == 0 ||
        !grow(sheet->arena, &lines, sheet->line_count, &sheet->line_capacity, sizeof kept))
        return;
    sheet->line = lines;
    sheet->line[sheet->line_count++] = kept;
}

/* ---- Tables -------------------------------------------------------------------------- */

/* Columns that a text takes up: characters, not bytes. */
static int width_of(const char *text)
{
    int width = 0;
    for (; *text != '\0'; text++) width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static void write_padded(qkv__text *line, const char *text, int width)
{
    int blanks = width - width_of(text);
    qkv__text_format(line, "%s%*s", text, blanks > 0 ? blanks : 0, "");
}

/* Widths of the columns of a table. */
typedef struct columns {
    int left, relation, right;
} columns;

static void write_row(qkv__sheet *sheet, const qkv__sheet_entry *row, const columns *width)
{
    qkv__text line = {0};
    write_padded(&line, row->left, width->left);
    qkv__text_format(&line, " ");
    write_padded(&line, row->relation, width->relation);
    qkv__text_format(&line, " ");
    write_padded(&line, row->right, row->note[0] != '\0' ? width->right : 0);
    if (row->note[0] != '\0') qkv__text_format(&line, "   %s", row->note);
    if (line.failed)
        sheet->arena->failed = true;
    else
        add_line(sheet, line.data);
    qkv__text_free(&line);
}

static void flush_rows(qkv__sheet *sheet)
{
    columns width = {0, 0, 0};
    for (size_t i = 0; i < sheet->row_count; i++) {
        int left = width_of(sheet->row[i].left), right = width_of(sheet->row[i].right);
        int relation = width_of(sheet->row[i].relation);
        if (left > width.left) width.left = left;
        if (relation > width.relation) width.relation = relation;
        if (right > width.right && right <= WIDEST_RIGHT) width.right = right;
    }
    for (size_t i = 0; i < sheet->row_count; i++) write_row(sheet, &sheet->row[i], &width);
    sheet->row_count = 0;
}

void qkv__sheet_row(qkv__sheet *sheet, const char *left, const char *relation, const char *right,
                    const char *note)
{
    if (sheet->row_count == QKV__SHEET_ROWS) flush_rows(sheet);
    qkv__sheet_entry row = {keep(sheet, left), relation, keep(sheet, right), keep(sheet, note)};
    if (row.left == NULL || row.right == NULL || row.note == NULL) return;
    sheet->row[sheet->row_count++] = row;
}

/* ---- Steps --------------------------------------------------------------------------- */

static void write_line(qkv__sheet *sheet, const char *format, va_list arguments,
                       void (*use)(qkv__sheet *sheet, const char *text))
{
    char text[QKV__SHEET_WIDTH + 8];
    vsnprintf(text, sizeof text, format, arguments);
    use(sheet, text);
}

void qkv__sheet_line(qkv__sheet *sheet, const char *format, ...)
{
    va_list arguments;
    flush_rows(sheet);
    va_start(arguments, format);
    write_line(sheet, format, arguments, add_line);
    va_end(arguments);
}

/* Puts the lines into the step at hand; a step without lines is taken off. */
static void close_step(qkv__sheet *sheet)
{
    flush_rows(sheet);
    if (sheet->step_count > 0 && sheet->line_count == 0) sheet->step_count--;
    if (sheet->line_count > 0) {
        sheet->step[sheet->step_count - 1].line_count = sheet->line_count;
        sheet->step[sheet->step_count - 1].lines = sheet->line;
    }
    sheet->line = NULL;
    sheet->line_count = sheet->line_capacity = 0;
}

static void open_step(qkv__sheet *sheet, const char *title)
{
    const char *kept = keep(sheet, title);
    void *steps = sheet->step;
    if (kept == NULL ||
        !grow(sheet->arena, &steps, sheet->step_count, &sheet->step_capacity, sizeof *sheet->step))
        return;
    sheet->step = steps;
    sheet->step[sheet->step_count++] = (qkv_step){.title = kept};
}

void qkv__sheet_step(qkv__sheet *sheet, const char *format, ...)
{
    va_list arguments;
    close_step(sheet);
    va_start(arguments, format);
    write_line(sheet, format, arguments, open_step);
    va_end(arguments);
}

const qkv_step *qkv__sheet_finish(qkv__sheet *sheet, size_t *count)
{
    close_step(sheet);
    *count = sheet->arena->failed ? 0 : sheet->step_count;
    return *count == 0 ? NULL : sheet->step;
}
