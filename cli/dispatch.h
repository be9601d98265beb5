/* A program of subcommands: finds the one that is named and runs it, or prints help. Shared by qkv
 * and qkv-mpi, which differ in their tables alone. */
#ifndef QKV_CLI_DISPATCH_H
#define QKV_CLI_DISPATCH_H

#include <stddef.h>

#include "command.h"

typedef struct cli_program {
    const char *name;
    const char *usage; /* the help text up to the list of subcommands */
    const cli_command *const *commands;
    size_t count;
    void (*print_version)(void);
} cli_program;

/* Runs the words behind the program's name; returns the exit status. */
int cli_dispatch(const cli_program *program, int count, char **words);

#endif
