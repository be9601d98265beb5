/* The CPU's tiles: see tiles.h. */
#include "kernels/tiles.h"

#include "attention/x86/pairs_tiles.h"

void tiles_multiply_amx(const uint16_t *left, const uint16_t *right, float *sums)
{
    tiles_begin();
    for (int i = 0; i < 4; i++) tile_zero(i);
    tile_load(5, left, 64);
    tile_load(6, right, 64);
    tile_load(2, sums, 64);
    tile_multiply(2);
    tile_store(2, sums, 64);
    tiles_end();
}
