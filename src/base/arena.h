/* Memory that is taken piece by piece and given back all at once: for syntax trees and formulas,
 * which are many, small and live as long as their document. */
#ifndef QKV_BASE_ARENA_H
#define QKV_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

typedef struct qkv__arena {
    struct qkv__arena_block *blocks; /* newest first */
    size_t used;                     /* bytes of all blocks together */
    size_t limit;                    /* no more than this; 0: no limit */
    const void *last;                /* what was taken last */
    bool failed;                     /* some request found no memory */
} qkv__arena;

/* Zeroed and aligned for any type; NULL, and `failed` set, when there is no memory. */
void *qkv__arena_take(qkv__arena *arena, size_t bytes);

/* `count` elements of `size` bytes; the product is checked. */
void *qkv__arena_array(qkv__arena *arena, size_t count, size_t size);

/* Shrinks what was taken last to its first `bytes` bytes; anything else is left as it is. */
void qkv__arena_trim(qkv__arena *arena, const void *taken, size_t bytes);

/* A copy of `length` characters with a '\0' behind them. */
char *qkv__arena_text(qkv__arena *arena, const char *text, size_t length);

/* A place to return to: all that was taken behind it is given back. Nothing that stays may point
 * there. */
typedef struct qkv__arena_place {
    struct qkv__arena_block *block;
    size_t block_used, used;
} qkv__arena_place;

qkv__arena_place qkv__arena_here(const qkv__arena *arena);
void qkv__arena_return(qkv__arena *arena, qkv__arena_place place);

/* Gives everything back; the arena is then as new. */
void qkv__arena_free(qkv__arena *arena);

#endif
