/* An arena of growing blocks. Knows nothing of what lies in it. */
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"

enum { FIRST_BLOCK = 4096, LARGEST_BLOCK = 1 << 20 };

typedef struct qkv__arena_block {
    struct qkv__arena_block *next;
    size_t capacity, used;
    alignas(max_align_t) unsigned char bytes[];
} block;

/* Blocks double up to a limit, so that small documents stay small and large ones stay quick. */
static block *grow(qkv__arena *arena, size_t bytes)
{
    size_t capacity = arena->blocks == NULL ? FIRST_BLOCK : arena->blocks->capacity * 2;
    if (capacity > LARGEST_BLOCK) capacity = LARGEST_BLOCK;
    if (capacity < bytes) capacity = bytes;
    block *grown = qkv__allocate(sizeof *grown + capacity);
    if (grown == NULL) return NULL;
    *grown = (block){.next = arena->blocks, .capacity = capacity};
    arena->blocks = grown;
    return grown;
}

/* Up to the next multiple of the strictest alignment; what overflows stays too large to take. */
static size_t round_up(size_t bytes)
{
    const size_t alignment = alignof(max_align_t);
    size_t rounded;
    if (!qkv__size_add(bytes, alignment - 1, &rounded)) rounded = SIZE_MAX;
    return rounded / alignment * alignment;
}

void qkv__arena_trim(qkv__arena *arena, const void *taken, size_t bytes)
{
    block *current = arena->blocks;
    size_t kept = round_up(bytes);
    if (taken == NULL || current == NULL) return;
    const unsigned char *start = taken;
    if (start < current->bytes || start >= current->bytes + current->used) return;
    size_t offset = (size_t)(start - current->bytes);
    if (offset + kept >= current->used || arena->last != taken) return;
    arena->used -= current->used - (offset + kept);
    current->used = offset + kept;
}

void *qkv__arena_take(qkv__arena *arena, size_t bytes)
{
    size_t rounded = round_up(bytes);
    bool allowed =
        rounded <= PTRDIFF_MAX && (arena->limit == 0 || rounded <= arena->limit - arena->used);
    block *current = arena->blocks;
    if (allowed && (current == NULL || current->capacity - current->used < rounded))
        current = grow(arena, rounded);
    if (!allowed || current == NULL) {
        arena->failed = true;
        return NULL;
    }
    void *taken = current->bytes + current->used;
    current->used += rounded;
    arena->used += rounded;
    arena->last = taken;
    memset(taken, 0, rounded);
    return taken;
}

void *qkv__arena_array(qkv__arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (!qkv__size_multiply(count, size, &bytes)) {
        arena->failed = true;
        return NULL;
    }
    return qkv__arena_take(arena, bytes);
}

char *qkv__arena_text(qkv__arena *arena, const char *text, size_t length)
{
    char *copy = length == SIZE_MAX ? NULL : qkv__arena_take(arena, length + 1);
    if (copy != NULL) memcpy(copy, text, length);
    return copy;
}

qkv__arena_place qkv__arena_here(const qkv__arena *arena)
{
    const block *current = arena->blocks;
    return (qkv__arena_place){.block = arena->blocks,
                              .block_used = current == NULL ? 0 : current->used,
                              .used = arena->used};
}

void qkv__arena_return(qkv__arena *arena, qkv__arena_place place)
{
    while (arena->blocks != place.block) {
        block *next = arena->blocks->next;
        qkv__free(arena->blocks);
        arena->blocks = next;
    }
    if (place.block != NULL) place.block->used = place.block_used;
    arena->used = place.used;
    arena->last = NULL;
}

void qkv__arena_free(qkv__arena *arena)
{
    while (arena->blocks != NULL) {
        block *next = arena->blocks->next;
        qkv__free(arena->blocks);
        arena->blocks = next;
    }
    *arena = (qkv__arena){.limit = arena->limit};
}
