/* One cell of a sweep: a design at given numbers, sampled by one rank. */
#ifndef QKV_CLI_MPI_SWEEP_CELL_H
#define QKV_CLI_MPI_SWEEP_CELL_H

#include <stddef.h>
#include <stdint.h>

#include <qkv/lab.h>
#include <qkv/law.h>

typedef struct sweep_cell {
    qkv_law_options law; /* design, keys, wanted, beta, noise */
    uint64_t samples, seed;
} sweep_cell;

enum { SWEEP_TEXT = 512 };

/* The columns of a cell's text. */
extern const char *const sweep_heading;

/* Samples a cell and writes its row. It depends on the cell alone, to the last digit. */
qkv_status sweep_compute(const sweep_cell *cell, int threads, qkv_lab_progress progress,
                         void *context, char text[SWEEP_TEXT], qkv_error *error);

#endif
