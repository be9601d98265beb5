/*
 * The rows: which problems are measured. To add a type or a shape, add it to a table here.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "row.h"

enum { PREFILL_HEADS = 8, GQA_GROUP = 4, DECODE_HEADS = 32, DECODE_WIDTH = 128 };

static const char *const form_names[] = {
    [FORM_FULL] = "full", [FORM_CAUSAL] = "causal", [FORM_WINDOW] = "window",
    [FORM_GQA] = "gqa",   [FORM_MASK] = "mask",
};

/* ---- The list ---------------------------------------------------------------------------- */

static void add(row_list *list, row r)
{
    if (list->count == list->room) {
        list->room = 2 * list->room + 64;
        list->rows = realloc(list->rows, list->room * sizeof r);
        if (list->rows == NULL) exit(1);
    }
    const char *type = qkv_type_name(r.type);
    switch (r.family) {
    case ROW_PREFILL:
    case ROW_BACKWARD:
        snprintf(r.name, sizeof r.name, "%s %s d%zu L%zu %s t%d",
                 r.family == ROW_PREFILL ? "prefill" : "backward", type, r.width, r.keys,
                 form_names[r.form], r.threads);
        break;
    case ROW_DECODE:
        snprintf(r.name, sizeof r.name, "decode %s d%zu q%zu k%zu %s t%d", type, r.width, r.queries,
                 r.keys, r.cold ? "cold" : "warm", r.threads);
        break;
    case ROW_SMALL:
        snprintf(r.name, sizeof r.name, "small %s d%zu q%zu k%zu t%d", type, r.width, r.queries,
                 r.keys, r.threads);
        break;
    }
    list->rows[list->count++] = r;
}

/* ---- Prefill and backward: squares ------------------------------------------------------- */

static void add_square(row_list *list, row_family family, qkv_type type, size_t width,
                       size_t length, row_form form, int threads)
{
    add(list, (row){.family = family,
                    .type = type,
                    .form = form,
                    .heads = PREFILL_HEADS,
                    .kv_heads = form == FORM_GQA ? PREFILL_HEADS / GQA_GROUP : PREFILL_HEADS,
                    .queries = length,
                    .keys = length,
                    .width = width,
                    .threads = threads});
}

/* The first forms are measured for every type and length, the rest for the two types most used. */
static bool in_grid(row_grid grid, qkv_type type, size_t width, size_t length, row_form form)
{
    bool usual_width = width == 64 || width == 128,
         usual_type = type == QKV_F32 || type == QKV_BF16;
    if (grid == GRID_QUICK) return form <= FORM_CAUSAL && length == 512 && usual_width;
    if (length == 8192)
        return grid == GRID_FULL && usual_width && form <= FORM_CAUSAL && usual_type;
    if (grid == GRID_USUAL && !usual_width) return false;
    if (form <= FORM_CAUSAL) return true;
    return usual_type && length == 2048 && usual_width;
}

static void add_prefill(row_list *list, row_grid grid, int threads)
{
    static const qkv_type types[] = {QKV_F32, QKV_BF16, QKV_F16, QKV_F64};
    static const size_t widths[] = {32, 64, 72, 80, 96, 128, 256}, lengths[] = {512, 2048, 8192};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
            for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
                for (int form = FORM_FULL; form <= FORM_MASK; form++)
                    if (in_grid(grid, types[t], widths[w], lengths[l], (row_form)form))
                        add_square(list, ROW_PREFILL, types[t], widths[w], lengths[l],
                                   (row_form)form, threads);
}

static void add_backward(row_list *list, row_grid grid, int threads)
{
    static const qkv_type types[] = {QKV_F32, QKV_BF16};
    static const size_t widths[] = {64, 128}, lengths[] = {512, 2048};
    for (size_t t = 0; t < 2; t++)
        for (size_t w = 0; w < 2; w++)
            for (size_t l = 0; l < (grid == GRID_QUICK ? 1 : 2); l++)
                for (int form = FORM_FULL; form <= FORM_CAUSAL; form++)
                    add_square(list, ROW_BACKWARD, types[t], widths[w], lengths[l], (row_form)form,
                               threads);
}

/* ---- Decode: few queries over a long cache ----------------------------------------------- */

typedef struct cache_shape {
    size_t queries, keys;
    bool cold;
    row_grid from; /* the first grid that has it */
} cache_shape;

static const cache_shape cache_shapes[] = {
    {1, 1024, false, GRID_QUICK},  {1, 8192, false, GRID_QUICK}, {1, 8192, true, GRID_QUICK},
    {1, 1024, true, GRID_FULL},    {1, 32768, false, GRID_FULL}, {1, 32768, true, GRID_USUAL},
    {1, 131072, true, GRID_USUAL}, {4, 8192, false, GRID_USUAL}, {16, 8192, false, GRID_USUAL},
    {4, 32768, true, GRID_FULL},   {16, 32768, true, GRID_FULL},
};

static void add_decode(row_list *list, row_grid grid, int threads)
{
    static const qkv_type types[] = {QKV_F32, QKV_BF16, QKV_F16, QKV_I8};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t i = 0; i < sizeof cache_shapes / sizeof *cache_shapes; i++) {
            const cache_shape *shape = &cache_shapes[i];
            if (shape->from > grid) continue;
            add(list, (row){.family = ROW_DECODE,
                            .type = types[t],
                            .heads = DECODE_HEADS,
                            .kv_heads = DECODE_HEADS / GQA_GROUP,
                            .queries = shape->queries,
                            .keys = shape->keys,
                            .width = DECODE_WIDTH,
                            .cold = shape->cold,
                            .threads = threads});
        }
}

/* ---- Small: what a call costs ------------------------------------------------------------ */

static void add_small(row_list *list, int threads)
{
    static const struct {
        qkv_type type;
        size_t queries, keys, width;
    } shapes[] = {
        {QKV_F32, 1, 1, 1},      {QKV_F32, 1, 3, 4},       {QKV_F64, 1, 3, 4},
        {QKV_F32, 3, 3, 4},      {QKV_F32, 1, 10, 16},     {QKV_F32, 10, 10, 16},
        {QKV_F64, 10, 10, 16},   {QKV_F32, 1, 100, 64},    {QKV_BF16, 1, 100, 64},
        {QKV_F32, 100, 100, 64}, {QKV_BF16, 100, 100, 64}, {QKV_F64, 100, 100, 64},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        if (threads > 1 && shapes[i].queries < 100) continue; /* too little to share */
        add(list, (row){.family = ROW_SMALL,
                        .type = shapes[i].type,
                        .heads = 1,
                        .kv_heads = 1,
                        .queries = shapes[i].queries,
                        .keys = shapes[i].keys,
                        .width = shapes[i].width,
                        .threads = threads});
    }
}

row_list rows_of_grid(row_grid grid, const int *threads, size_t thread_counts)
{
    row_list list = {0};
    for (size_t i = 0; i < thread_counts; i++) add_prefill(&list, grid, threads[i]);
    for (size_t i = 0; i < thread_counts; i++) add_decode(&list, grid, threads[i]);
    for (size_t i = 0; i < thread_counts; i++) add_backward(&list, grid, threads[i]);
    for (size_t i = 0; i < thread_counts; i++) add_small(&list, threads[i]);
    return list;
}
