/* Long lists of numbers and files: read once, and kept for all cases. Knows where numbers come
 * from; nothing of what is made of them. */
#include "base/memory.h"
#include "replay/replay.h"

enum { ENTRIES = 65536 }; /* of one table; larger ones are not replayed */

static const qkv__replay_table *find_table(const qkv__replay *replay, const qkv__node *node)
{
    for (size_t i = 0; i < replay->table_count; i++)
        if (replay->table[i].node == node) return &replay->table[i];
    return NULL;
}

/* The grid of a list, or of a file by way of who knows files; NULL: none. */
static qkv__grid *read_grid(const qkv__replay *replay, const qkv__node *node, bool *flat)
{
    const qkv__number_table *list = node->table;
    if (list != NULL && list->rows * list->columns > ENTRIES) return NULL;
    if (list == NULL)
        return replay->read_file == NULL ? NULL : replay->read_file(replay->files, node, flat);
    *flat = list->flat;
    return qkv__grid_of_decimals(list->rows, list->columns, list->entry);
}

static bool keep_entries(const qkv__grid *grid, qkv__replay_table *table)
{
    const size_t count = grid->rows * grid->columns;
    fmpq_t number;
    table->entry = qkv__allocate(count * sizeof *table->entry);
    if (table->entry == NULL) return false;
    fmpq_init(number);
    for (size_t i = 0; i < count; i++) {
        qkv__real_init(&table->entry[i]);
        qkv__grid_get(grid, i / grid->columns, i % grid->columns, number);
        qkv__real_set_fraction(&table->entry[i], number);
    }
    fmpq_clear(number);
    table->rows = grid->rows;
    table->columns = grid->columns;
    return true;
}

static const qkv__replay_table *add_table(qkv__replay *replay, const qkv__node *node)
{
    qkv__replay_table table = {.node = node};
    if (replay->table_count == QKV__REPLAY_TABLES) return NULL;
    qkv__grid *grid = read_grid(replay, node, &table.flat);
    bool good = grid != NULL && grid->rows * grid->columns <= ENTRIES && keep_entries(grid, &table);
    qkv__grid_free(grid);
    if (!good) return NULL;
    replay->table[replay->table_count] = table;
    return &replay->table[replay->table_count++];
}

size_t qkv__replay_file_width(qkv__replay *replay, const qkv__node *call)
{
    const qkv__replay_table *table = find_table(replay, call);
    if (table == NULL) table = add_table(replay, call);
    if (table != NULL) return table->flat ? 1 : table->columns;
    bool flat = false; /* too large to be kept */
    qkv__grid *grid = read_grid(replay, call, &flat);
    size_t width = grid == NULL ? 0 : flat ? 1 : grid->columns;
    qkv__grid_free(grid);
    return width;
}

bool qkv__replay_table_value(qkv__scene *scene, const qkv__node *node, qkv__case_value *value)
{
    qkv__replay *replay = scene->replay;
    const qkv__replay_table *table = find_table(replay, node);
    if (table == NULL) table = add_table(replay, node);
    if (table == NULL) return qkv__bench_fail(&replay->bench, QKV__OBSTACLE_UNABLE);
    *value = (qkv__case_value){.kind = table->flat ? QKV__CASE_VECTOR : QKV__CASE_FAMILY,
                               .rows = table->rows,
                               .columns = table->columns,
                               .entry = table->entry};
    return true;
}

void qkv__replay_free(qkv__replay *replay)
{
    for (size_t i = 0; i < replay->table_count; i++) {
        qkv__replay_table *table = &replay->table[i];
        for (size_t j = 0; j < table->rows * table->columns; j++) qkv__real_clear(&table->entry[j]);
        qkv__free(table->entry);
    }
    replay->table_count = 0;
    qkv__bench_free(&replay->bench);
    qkv__arena_free(&replay->arena);
}
