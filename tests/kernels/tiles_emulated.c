/* The emulated tiles: see tiles.h. */
#include "kernels/tiles.h"

#include "kernels/tiles_emulated.h"

void tiles_multiply_emulated(const uint16_t *left, const uint16_t *right, float *sums)
{
    const unsigned mode = _mm_getcsr();
    _mm_setcsr(0x9fc0); /* as the kernel has it: subnormal numbers are flushed */
    tiles_begin();
    tile_load(5, left, 64);
    tile_load(6, right, 64);
    tile_load(2, sums, 64);
    tile_multiply(2);
    tile_store(2, sums, 64);
    tiles_end();
    _mm_setcsr(mode);
}
