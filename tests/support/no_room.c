/* Pieces of memory that fail, in the place of the functions of src/base/arena.c. */
#include "support/no_room.h"

#include "base/arena.h"
#include "base/memory.h"

/* Of the pieces to come: how many are had, and how many then are not. */
static long left = -1, to_fail, left_before;
static bool failed;

bool no_room_after(long countdown, long failures)
{
    const bool before = failed;
    left_before = left;
    left = countdown;
    to_fail = failures;
    failed = false;
    return before;
}

long no_room_left(void)
{
    return left_before;
}

static bool fails(void)
{
    if (left < 0 || to_fail == 0) return false;
    if (left > 0) return left--, false;
    to_fail--;
    return failed = true;
}

void *__real_qkv__arena_take(qkv__arena *arena, size_t bytes);
void *__real_qkv__arena_array(qkv__arena *arena, size_t count, size_t size);
char *__real_qkv__arena_text(qkv__arena *arena, const char *text, size_t length);
void *__wrap_qkv__arena_take(qkv__arena *arena, size_t bytes);
void *__wrap_qkv__arena_array(qkv__arena *arena, size_t count, size_t size);
char *__wrap_qkv__arena_text(qkv__arena *arena, const char *text, size_t length);

/* As if a block had ended here, and there were no other: the arena itself finds that out, and
 * counts it. What an arena may take at most is no lack of memory: that is another matter. */
static void *refuse(qkv__arena *arena)
{
    const size_t more_than_a_block = (size_t)1 << 32, limit = arena->limit;
    arena->limit = 0;
    qkv__memory_fail_after(0);
    void *none = __real_qkv__arena_take(arena, more_than_a_block);
    qkv__memory_fail_after(-1);
    arena->limit = limit;
    return none;
}

void *__wrap_qkv__arena_take(qkv__arena *arena, size_t bytes)
{
    return fails() ? refuse(arena) : __real_qkv__arena_take(arena, bytes);
}

void *__wrap_qkv__arena_array(qkv__arena *arena, size_t count, size_t size)
{
    return fails() ? refuse(arena) : __real_qkv__arena_array(arena, count, size);
}

char *__wrap_qkv__arena_text(qkv__arena *arena, const char *text, size_t length)
{
    return fails() ? refuse(arena) : __real_qkv__arena_text(arena, text, length);
}
