/* A subcommand, as the dispatcher sees it: a name, a summary, its help and a function. One file per
 * subcommand, one entry in the table of main.c. */
#ifndef QKV_CLI_COMMAND_H
#define QKV_CLI_COMMAND_H

#include "options.h"

typedef struct cli_command {
    const char *name;
    const char *summary; /* one line, for the list of subcommands */
    const cli_usage *usage;

    /* Gets the words behind the subcommand's name, which it may reorder; returns the exit status.
     */
    int (*run)(int count, char **words);
} cli_command;

extern const cli_command cli_attend;
extern const cli_command cli_check;
extern const cli_command cli_design;
extern const cli_command cli_explain;
extern const cli_command cli_grade;
extern const cli_command cli_law;
extern const cli_command cli_plot;
extern const cli_command cli_sample;

#endif
