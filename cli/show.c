/* The text form of a tensor. Knows nothing of attention. */
#include "show.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    WHOLE_AT_MOST = 8, /* an axis up to this is shown whole */
    EDGE = 3,          /* of a longer one, so many at either end */
    SLOTS_AT_MOST = WHOLE_AT_MOST,
    CELL_CAPACITY = 16 /* "-1.23457e-308" */
};
#define GAP SIZE_MAX /* the slot that stands for what is left out */

static size_t slot_count(size_t size)
{
    return size <= WHOLE_AT_MOST ? size : 2 * EDGE + 1;
}

/* The index that a slot shows, or GAP. */
static size_t slot_index(size_t slot, size_t size)
{
    if (size <= WHOLE_AT_MOST || slot < EDGE) return slot;
    return slot == EDGE ? GAP : size - slot_count(size) + slot;
}

/* The view of one index of the first axis. */
static qkv_view at_index(const qkv_view *view, size_t index)
{
    qkv_view part = {.type = view->type, .rank = view->rank - 1};
    ptrdiff_t bytes = (ptrdiff_t)index * view->stride[0] * (ptrdiff_t)qkv_type_size(view->type);
    part.data = (char *)view->data + bytes;
    for (int axis = 0; axis < part.rank; axis++) {
        part.shape[axis] = view->shape[axis + 1];
        part.stride[axis] = view->stride[axis + 1];
    }
    return part;
}

/* ---- A matrix ----------------------------------------------------------------------------- */

typedef struct cell {
    char text[CELL_CAPACITY];
    int before, after; /* characters up to the decimal point, and from it on */
} cell;

static cell make_cell(const qkv_view *row, size_t index)
{
    cell result = {.text = "...", .before = 3};
    double value = 0.0;
    if (index == GAP) return result;
    qkv_view element = *row;
    element.data =
        (char *)row->data + (ptrdiff_t)index * row->stride[0] * (ptrdiff_t)qkv_type_size(row->type);
    element.shape[0] = 1;
    qkv_view target = qkv_view_dense(QKV_F64, &value, 1, (size_t[]){1});
    qkv_view_copy(&element, &target, NULL); /* one shape, two valid types: cannot fail */
    /* Of a NaN the sign says nothing, and of a zero no more: -0 + 0 is 0. */
    value = isnan(value) ? fabs(value) : value + 0.0;
    snprintf(result.text, sizeof result.text, "%.6g", value);
    result.before = (int)strcspn(result.text, ".e");
    result.after = (int)strlen(result.text) - result.before;
    return result;
}

static void widen(cell *width, const cell *other)
{
    if (other->before > width->before) width->before = other->before;
    if (other->after > width->after) width->after = other->after;
}

/* One row; the padding behind a number waits for the next one, so that no line ends in spaces. */
static void print_row(FILE *stream, const cell *cells, const cell *widths, size_t columns,
                      int indent)
{
    int pending = indent;
    for (size_t c = 0; c < columns; c++) {
        fprintf(stream, "%*s%s", pending + widths[c].before - cells[c].before, "", cells[c].text);
        pending = 2 + widths[c].after - cells[c].after;
    }
    fputc('\n', stream);
}

static void print_matrix(FILE *stream, const qkv_view *view, int indent)
{
    cell cells[SLOTS_AT_MOST][SLOTS_AT_MOST], widths[SLOTS_AT_MOST] = {0};
    size_t rows = slot_count(view->shape[0]), columns = slot_count(view->shape[1]);
    for (size_t r = 0; r < rows; r++) {
        size_t index = slot_index(r, view->shape[0]);
        if (index == GAP) continue;
        qkv_view row = at_index(view, index);
        for (size_t c = 0; c < columns; c++) {
            cells[r][c] = make_cell(&row, slot_index(c, view->shape[1]));
            widen(&widths[c], &cells[r][c]);
        }
    }
    for (size_t r = 0; r < rows; r++)
        if (slot_index(r, view->shape[0]) == GAP)
            fprintf(stream, "%*s...\n", indent, "");
        else
            print_row(stream, cells[r], widths, columns, indent);
}

/* ---- The axes before the last two ----------------------------------------------------------- */

/* `where` holds the indexes chosen so far, as in "batch 0, ". */
static void print_blocks(FILE *stream, const qkv_view *view, const cli_axis *axes,
                         const char *where)
{
    if (view->rank <= 2) {
        if (*where != '\0') fprintf(stream, "  %.*s\n", (int)strlen(where) - 2, where);
        print_matrix(stream, view, *where != '\0' ? 4 : 2);
        return;
    }
    for (size_t slot = 0; slot < slot_count(view->shape[0]); slot++) {
        size_t index = slot_index(slot, view->shape[0]);
        if (index == GAP) {
            fprintf(stream, "  ...\n");
            continue;
        }
        char longer[128];
        snprintf(longer, sizeof longer, "%s%s %zu, ", where, axes[0].one, index);
        qkv_view part = at_index(view, index);
        print_blocks(stream, &part, axes + 1, longer);
    }
}

static void print_heading(FILE *stream, const char *title, const qkv_view *view,
                          const cli_axis *axes)
{
    bool cut = false;
    for (int axis = 0; axis < view->rank; axis++) {
        fprintf(stream, "%s%s", axis == 0 ? title : " x ", axis == 0 ? " (" : "");
        fputs(axes[axis].many, stream);
        cut = cut || view->shape[axis] > WHOLE_AT_MOST;
    }
    fputc(')', stream);
    for (int axis = 0; cut && axis < view->rank; axis++)
        fprintf(stream, "%s%zu", axis == 0 ? ", " : " x ", view->shape[axis]);
    fputc('\n', stream);
}

void cli_show(FILE *stream, const char *title, const qkv_view *view, const cli_axis *axes)
{
    print_heading(stream, title, view, axes);
    if (qkv_view_count(view) == 0)
        fprintf(stream, "  no elements\n");
    else
        print_blocks(stream, view, axes, "");
}
