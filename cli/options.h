/*
 * Options of a subcommand, declared in a table from which both the parser and the help text are
 * made, so that the two cannot differ.
 *
 *     --name value   --name=value   -o value   -ovalue   --flag   --  (ends the options)
 *
 * "-" is no option, nor is a place in it, "-:12". Every option may be given once. A value that is
 * itself one of the options, as in --query=--key, has to be attached; as the next word it is taken
 * for that option. --help and -h need no entry: every subcommand has them.
 */
#ifndef QKV_CLI_OPTIONS_H
#define QKV_CLI_OPTIONS_H

#include <stddef.h>
#include <stdio.h>

typedef struct cli_option {
    const char *heading;  /* printed above this option in the help; NULL: none */
    const char *name;     /* without its dashes */
    char letter;          /* '\0': none */
    const char *argument; /* what the help calls its value; NULL: it takes none */
    const char *help;     /* wrapped to the width of a terminal */
} cli_option;

typedef struct cli_usage {
    const char *who;          /* in front of messages: "qkv attend" */
    const char *synopsis;     /* behind who, lines of at most 80 columns */
    const char *introduction; /* printed as it is */
    const char *closing;      /* printed as it is */
    const cli_option *options;
    size_t option_count;
} cli_usage;

/*
 * Reads the words. values has room for one pointer per option and gets, in the order of the
 * table, NULL for what was not given, "" for a flag, or else the value. What is no option is
 * moved to the front of words, *operand_count of them. Returns CLI_PROCEED; or CLI_SUCCESS when
 * help was asked for and printed; or CLI_FAILURE when that was said on standard error.
 */
int cli_options_parse(const cli_usage *usage, int count, char **words, const char **values,
                      size_t *operand_count);

void cli_options_help(const cli_usage *usage, FILE *stream);

#endif
