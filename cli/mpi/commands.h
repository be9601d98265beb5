/* The subcommands of qkv-mpi, for the table of main.c. */
#ifndef QKV_CLI_MPI_COMMANDS_H
#define QKV_CLI_MPI_COMMANDS_H

#include "../command.h"

extern const cli_command mpi_attend;
extern const cli_command mpi_plan;
extern const cli_command mpi_sample;
extern const cli_command mpi_sweep;

#endif
