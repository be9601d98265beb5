/* One product of tiles, by the CPU's and by the emulated ones: sums (16, 16) += left (16 rows, 16
 * pairs) right (16 pairs, 16 columns). */
#ifndef TESTS_KERNELS_TILES_H
#define TESTS_KERNELS_TILES_H

#include <stdint.h>

void tiles_multiply_amx(const uint16_t *left, const uint16_t *right, float *sums);
void tiles_multiply_emulated(const uint16_t *left, const uint16_t *right, float *sums);

#endif
