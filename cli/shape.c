/* Histograms of sampled weights in a terminal. Knows samples and figures; weighs nothing. */
#include "shape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <qkv/figure.h>

#include "report.h"
#include "terminal.h"

enum { MOST = 1 << 16, BATCH = 1 << 10 }; /* samples in all, and at a time */

int cli_shapes_count(const char *who, qkv_samples *samples, cli_shapes *shapes)
{
    qkv_error error;
    size_t rows = qkv_samples_row_count(samples);
    uint64_t drawn = qkv_samples_drawn(samples);
    *shapes = (cli_shapes){.rows = rows, .samples = drawn < MOST ? drawn : MOST};
    shapes->counts = calloc(rows * CLI_SHAPE_BINS + 1, sizeof *shapes->counts);
    double *numbers = malloc((rows * BATCH + 1) * sizeof *numbers);
    qkv_status status = QKV_OK;
    bool room = shapes->counts != NULL && numbers != NULL;
    for (uint64_t first = 0; room && status == QKV_OK && first < shapes->samples; first += BATCH) {
        uint64_t left = shapes->samples - first;
        size_t count = left < BATCH ? (size_t)left : BATCH;
        status = qkv_samples_draw(samples, first, count, numbers, &error);
        for (size_t i = 0; status == QKV_OK && i < count * rows; i++) {
            double place = numbers[i] * CLI_SHAPE_BINS;
            if (!(place >= 0.0)) continue;
            size_t bin = place < CLI_SHAPE_BINS ? (size_t)place : CLI_SHAPE_BINS - 1;
            shapes->counts[i % rows * CLI_SHAPE_BINS + bin]++;
        }
    }
    free(numbers);
    if (!room) return cli_fail(who, "out of memory");
    return status == QKV_OK ? CLI_PROCEED : cli_fail(who, "%s", error.message);
}

void cli_shapes_free(cli_shapes *shapes)
{
    free(shapes->counts);
    *shapes = (cli_shapes){.counts = NULL};
}

void cli_shapes_spark(const cli_shapes *shapes, size_t row, char spark[CLI_SPARK])
{
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    const size_t *counts = shapes->counts + row * CLI_SHAPE_BINS;
    size_t most = 1;
    for (size_t i = 0; i < CLI_SHAPE_BINS; i++)
        if (counts[i] > most) most = counts[i];
    strcpy(spark, "│");
    for (size_t i = 0; i < CLI_SHAPE_BINS; i++) /* what was seen at all is seen */
        strcat(spark, blocks[(8 * counts[i] + most - 1) / most]);
    strcat(spark, "│");
}

/* ---- Histograms -------------------------------------------------------------------------- */

static void add_panel(qkv_figure *figure, const qkv_sample_row *row, const size_t *counts,
                      uint64_t samples)
{
    double edges[CLI_SHAPE_BINS + 1], shares[CLI_SHAPE_BINS];
    char title[160];
    for (int i = 0; i <= CLI_SHAPE_BINS; i++) edges[i] = (double)i / CLI_SHAPE_BINS;
    for (int i = 0; i < CLI_SHAPE_BINS; i++) shares[i] = (double)counts[i] / (double)samples;
    snprintf(title, sizeof title, "%.70s.%.70s", row->result, row->quantity);
    qkv_panel panel = qkv_panel_default();
    panel.title = title;
    panel.x = (qkv_axis){.low = 0, .high = 1};
    panel.y = (qkv_axis){.label = "share"};
    qkv_figure_panel(figure, &panel);
    qkv_figure_bars(figure, edges, shares, CLI_SHAPE_BINS, NULL);
}

static qkv_status draw(const qkv_samples *samples, const cli_shapes *shapes, qkv_picture *picture,
                       qkv_error *error)
{
    enum { COLUMN = 9, USUAL = 80, WIDEST = 160, PANELS = 64 };
    int width = cli_terminal_width();
    qkv_figure *figure = NULL;
    qkv_figure_options options = qkv_figure_default();
    if (width == 0) width = USUAL;
    options.width = COLUMN * (width < 24 ? 24 : width > WIDEST ? WIDEST : width);
    options.columns = 2;
    options.panel_height = 90;
    qkv_status status = qkv_figure_create(&options, &figure, error);
    for (size_t i = 0, panels = 0; status == QKV_OK && i < shapes->rows && panels < PANELS; i++) {
        const qkv_sample_row *row = qkv_samples_row(samples, i);
        if (row->is_event) continue;
        add_panel(figure, row, shapes->counts + i * CLI_SHAPE_BINS, shapes->samples);
        panels++;
    }
    if (status == QKV_OK) status = qkv_figure_render(figure, QKV_PICTURE_TEXT, 0, picture, error);
    qkv_figure_free(&figure);
    return status;
}

int cli_shapes_print(const char *who, const qkv_samples *samples, const cli_shapes *shapes)
{
    qkv_error error;
    qkv_picture picture;
    bool any = false;
    for (size_t i = 0; i < shapes->rows; i++) any = any || !qkv_samples_row(samples, i)->is_event;
    if (!any || shapes->samples == 0) return CLI_PROCEED;
    if (draw(samples, shapes, &picture, &error) != QKV_OK)
        return cli_fail(who, "%s", error.message);
    printf("\n%s", picture.data);
    qkv_picture_free(&picture);
    return CLI_PROCEED;
}
