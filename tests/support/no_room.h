/*
 * Memory that ends at a chosen piece. Arenas take blocks and give pieces of them: to fail each
 * allocation is to fail one piece in a hundred. The linker puts the functions of no_room.c in the
 * place of the arena's (--wrap), so that the block which a piece would have needed is not had,
 * whatever the arena holds.
 */
#ifndef TESTS_SUPPORT_NO_ROOM_H
#define TESTS_SUPPORT_NO_ROOM_H

#include <stdbool.h>

/* The piece after `countdown` more fails, and so do `failures` - 1 after it; a negative number
 * turns this off. Returns whether any failed since the last call. */
bool no_room_after(long countdown, long failures);

/* Of the last countdown, what was left of it when it was turned off. */
long no_room_left(void);

#endif
