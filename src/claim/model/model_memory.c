/* A model put back to what it was before a claim. Values never change once made, so that the model
 * itself and its index sets, which learn their size when first met, are all there is to keep. Knows
 * nothing of claims. */
#include "claim/model/model_memory.h"

#include <assert.h>

void qkv__model_remember(qkv__model *model, qkv__model_memory *memory)
{
    qkv__arena *arena = &model->algebra.arena;
    memory->place = qkv__arena_here(arena);
    memory->before = *model;
    memory->sets = qkv__arena_array(arena, model->set_count, sizeof *memory->sets);
    for (size_t i = 0; memory->sets != NULL && i < model->set_count; i++)
        memory->sets[i] = *model->sets[i];
}

/* Without a copy of the sets everything taken meanwhile stays, since they may point to it. */
void qkv__model_forget(qkv__model *model, const qkv__model_memory *memory)
{
    assert(memory->before.algebra.parameter_count <= model->algebra.parameter_count);
    if (memory->sets == NULL) return;
    for (size_t i = 0; i < memory->before.set_count; i++) *memory->before.sets[i] = memory->sets[i];
    if (model->tables != memory->before.tables)
        model->table_reader->free_since(model, memory->before.tables);
    qkv__arena arena = model->algebra.arena;
    arena.failed = memory->before.algebra.arena.failed;
    *model = memory->before;
    model->algebra.arena = arena;
    qkv__arena_return(&model->algebra.arena, memory->place);
}
