/*
 * A tensor named on the command line:
 *
 *     q.npy                 a file
 *     all.safetensors       the tensor called as its role, or by the role's letter, or the only one
 *     all.safetensors:NAME  the tensor NAME
 *     -                     standard input, as npy
 *     [[1, 0], [0, 1]]      the numbers themselves, as f64
 *     [[true, false]]       the same of type bool
 */
#ifndef QKV_CLI_INPUT_H
#define QKV_CLI_INPUT_H

#include <stdbool.h>

#include <qkv/file.h>

/* What a tensor is to the call. */
typedef struct cli_role {
    const char *name;   /* "query"; its option is --query */
    const char *letter; /* a second name to look for in a file; NULL: none */
} cli_role;

typedef struct cli_input {
    qkv_tensor *tensor; /* NULL: none */
    bool literal;       /* written out: if f64, that came by default and may give way */
} cli_input;

/* Reads what an option names. Returns CLI_PROCEED, or CLI_FAILURE once that is said. */
int cli_input_read(const char *who, const cli_role *role, const char *argument, cli_input *input);

/*
 * Reads the tensor of a role from a safetensors file that holds several. With `optional` the
 * file may lack it: the input then stays empty.
 */
int cli_input_read_member(const char *who, const cli_role *role, const char *path, bool optional,
                          cli_input *input);

/* Converts a literal of numbers to a type; leaves everything else alone. */
int cli_input_convert(const char *who, const cli_role *role, qkv_type type, cli_input *input);

/* Whether an argument of cli_input_read reads that file. */
bool cli_input_reads(const char *argument, const char *path);

void cli_input_free(cli_input *input);

#endif
