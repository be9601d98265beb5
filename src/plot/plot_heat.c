/* Weights as heat maps, one panel per head. */
#include <math.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "plot/attention.h"
#include "plot/plot.h"

enum {
    CELLS_MOST = 60000, /* of all heads: a megabyte or two of SVG */
    SIDE_MOST = 170,    /* cells of one head each way */
    HEADS_MOST = 64,
    COLUMNS_MOST = 3,
    SIDES = 70,        /* pixels of a panel beside its cells */
    LEGIBLE = 4,       /* pixels of a cell */
    ENTROPY_MOST = 32, /* rows of several heads that have room for bars beside them */
};

/* How cells stand for blocks of weights. */
typedef struct blocks {
    size_t high, wide;    /* queries and keys of a block */
    size_t rows, columns; /* of cells */
} blocks;

static blocks cut(const qkv__seen *seen)
{
    double side = floor(sqrt((double)CELLS_MOST / (double)seen->heads));
    size_t most = (size_t)fmin(side, SIDE_MOST);
    blocks b;
    b.high = (seen->queries + most - 1) / most;
    b.wide = (seen->keys + most - 1) / most;
    b.rows = (seen->queries + b.high - 1) / b.high;
    b.columns = (seen->keys + b.wide - 1) / b.wide;
    return b;
}

/* The largest weight of a block, and NaN if there is one: a mean would hide what is sharp. */
static double block_value(const qkv__seen *seen, const blocks *b, size_t head, size_t row,
                          size_t column)
{
    double largest = -INFINITY;
    const double *weights = seen->weights + head * seen->queries * seen->keys;
    for (size_t i = row * b->high; i < (row + 1) * b->high && i < seen->queries; i++)
        for (size_t j = column * b->wide; j < (column + 1) * b->wide && j < seen->keys; j++) {
            double weight = weights[i * seen->keys + j];
            if (isnan(weight)) return NAN;
            largest = fmax(largest, weight);
        }
    return largest;
}

static double block_entropy(const qkv__seen *seen, const blocks *b, size_t head, size_t row)
{
    double sum = 0, count = 0;
    for (size_t i = row * b->high; i < (row + 1) * b->high && i < seen->queries; i++, count++)
        sum +=
            qkv__plot_entropy(seen->weights + (head * seen->queries + i) * seen->keys, seen->keys);
    return sum / count;
}

/* Names of rows or columns: of the first that a block holds. */
static const char *const *block_names(qkv__arena *arena, const char *const *names, size_t count,
                                      size_t size)
{
    const char **made = qkv__arena_array(arena, count, sizeof *made);
    for (size_t i = 0; made != NULL && i < count; i++) {
        char number[32];
        int length = snprintf(number, sizeof number, "%zu", i * size + 1);
        made[i] = names != NULL ? names[i * size] : qkv__arena_text(arena, number, (size_t)length);
        if (made[i] == NULL) return NULL;
    }
    return made;
}

/* Bars for the entropy take a third of a panel; rows that are too thin for them have none. */
static bool has_entropy(const qkv__seen *seen, const blocks *b)
{
    return seen->heads == 1 || b->rows <= ENTROPY_MOST;
}

static qkv_status add_head(qkv_figure *figure, const qkv__seen *seen, const blocks *b, size_t head,
                           const char *const *row_names, const char *const *column_names,
                           qkv__arena *arena, qkv_error *error)
{
    double *values = qkv__arena_array(arena, b->rows * b->columns, sizeof *values);
    double *entropy = qkv__arena_array(arena, b->rows, sizeof *entropy);
    if (values == NULL || entropy == NULL) return qkv__fail_memory(error, 0);
    for (size_t i = 0; i < b->rows; i++) {
        for (size_t j = 0; j < b->columns; j++)
            values[i * b->columns + j] = block_value(seen, b, head, i, j);
        entropy[i] = block_entropy(seen, b, head, i);
    }
    char title[32];
    snprintf(title, sizeof title, "head %zu", head);
    qkv_panel panel = qkv_panel_default();
    panel.title = seen->heads > 1 ? title : NULL;
    panel.x = (qkv_axis){QKV_AXIS_NAMES, "keys", 0, 0, column_names, b->columns, false};
    panel.y = (qkv_axis){QKV_AXIS_NAMES, "queries", 0, 0, row_names, b->rows, false};
    panel.square = true;
    qkv_figure_panel(figure, &panel);
    qkv_figure_heat(figure, &(qkv_heat){.rows = b->rows,
                                        .columns = b->columns,
                                        .values = values,
                                        .label = "weight",
                                        .beside = has_entropy(seen, b) ? entropy : NULL,
                                        .beside_high = seen->keys > 1 ? log((double)seen->keys) : 1,
                                        .beside_label = "entropy (nats)"});
    return QKV_OK;
}

static size_t count_unsummed(const qkv__seen *seen)
{
    size_t count = 0;
    for (size_t i = 0; i < seen->heads * seen->queries; i++)
        count += isnan(qkv__plot_entropy(seen->weights + i * seen->keys, seen->keys)) ? 1 : 0;
    return count;
}

static void say(const qkv__seen *seen, const blocks *b, qkv__text *text)
{
    size_t unsummed = count_unsummed(seen);
    qkv__text_format(text, "%zu %s over %zu %s.", seen->queries,
                     seen->queries == 1 ? "query" : "queries", seen->keys,
                     seen->keys == 1 ? "key" : "keys");
    if (has_entropy(seen, b))
        qkv__text_format(
            text, " Beside a row is its entropy: 0 for one key alone, %s nats for all alike.",
            qkv__plot_digits(log((double)seen->keys), 2).text);
    if (unsummed > 0 && has_entropy(seen, b))
        qkv__text_format(text, " %zu row%s not sum to 1, and %s none.", unsummed,
                         unsummed == 1 ? " does" : "s do", unsummed == 1 ? "has" : "have");
    if (b->high > 1 || b->wide > 1)
        qkv__text_format(text, " A cell is the largest of %zu × %zu weights.", b->high, b->wide);
}

/* As many panels side by side as leave cells legible; at least two. */
static size_t count_columns(const qkv__plot *plot, const qkv__seen *seen, const blocks *b)
{
    size_t columns = seen->heads == 1 ? 1 : seen->heads <= 6 ? 2 : COLUMNS_MOST;
    while (columns > 2 && !has_entropy(seen, b) &&
           qkv__plot_panel_width(plot, columns) - SIDES < LEGIBLE * (double)b->columns)
        columns--;
    return columns;
}

/* Maps without bars are as wide as their panels, and as high. */
static double panel_height(const qkv__plot *plot, const qkv__seen *seen, const blocks *b,
                           size_t columns)
{
    if (seen->heads == 1) return fmin(fmax(44 * (double)b->rows, 60), 520);
    return has_entropy(seen, b) ? 240
                                : fmax(qkv__plot_panel_width(plot, columns) - SIDES + 60, 240);
}

static qkv_status make_figure(const qkv__plot *plot, const qkv_plot_attention *attention,
                              const qkv__seen *seen, qkv__arena *arena, qkv_figure **figure,
                              qkv_error *error)
{
    blocks b = cut(seen);
    const char *const *queries = attention->query_names;
    if (queries == NULL && seen->queries == seen->keys) queries = attention->key_names;
    const char *const *row_names = block_names(arena, queries, b.rows, b.high);
    const char *const *column_names = block_names(arena, attention->key_names, b.columns, b.wide);
    if (row_names == NULL || column_names == NULL) return qkv__fail_memory(error, 0);
    size_t columns = count_columns(plot, seen, &b);
    double height = panel_height(plot, seen, &b, columns);
    qkv__text text = {0};
    say(seen, &b, &text);
    qkv_status status = qkv__plot_begin(plot, &text, columns, height, figure, error);
    qkv__text_free(&text);
    for (size_t h = 0; h < seen->heads && status == QKV_OK; h++)
        status = add_head(*figure, seen, &b, h, row_names, column_names, arena, error);
    return status;
}

qkv_status qkv_plot_heat(const qkv_plot_options *options, const qkv_plot_attention *attention,
                         qkv_figure **figure, qkv_error *error)
{
    static const qkv__plot_own own = {.title = "Attention weights"};
    qkv__plot plot;
    qkv__seen seen;
    qkv__arena arena = {0};
    qkv_figure *made = NULL;
    if (attention == NULL)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "attention is NULL; heat has no example");
    qkv_status status = qkv__plot_take(options, &own, &plot, error);
    if (status == QKV_OK) status = qkv__plot_see(attention, &seen, error);
    if (status != QKV_OK) return status;
    if (seen.heads > HEADS_MOST)
        status = qkv__fail(error, QKV_ERROR_SHAPE, "there are %zu heads; expected at most %d",
                           seen.heads, HEADS_MOST);
    if (status == QKV_OK) status = make_figure(&plot, attention, &seen, &arena, &made, error);
    qkv__arena_free(&arena);
    qkv__free(seen.weights);
    return qkv__plot_end(status, made, figure);
}
