/* The qkv command: its subcommands, by their table alone. */
#include <stdio.h>

#include <qkv/qkv.h>

#include "dispatch.h"
#include "process.h"
#include "report.h"

static const cli_command *const commands[] = {&cli_attend,  &cli_check, &cli_design, &cli_explain,
                                              &cli_grade,   &cli_law,   &cli_plot,   &cli_sample};

static void print_version(void)
{
    printf("qkv %s\nkernels: ", qkv_version());
    for (size_t i = 0; i < qkv_kernel_count(); i++)
        printf("%s%s", i == 0 ? "" : ", ", qkv_kernel_name(i));
    putchar('\n');
}

static const cli_program program = {.name = "qkv",
                                    .usage = "usage: qkv SUBCOMMAND [argument ...]\n"
                                             "       qkv help [SUBCOMMAND]\n"
                                             "       qkv --version\n"
                                             "\n"
                                             "qkv is an attention workbench.\n",
                                    .commands = commands,
                                    .count = sizeof commands / sizeof commands[0],
                                    .print_version = print_version};

int main(int count, char **words)
{
    cli_process_begin();
    int status = cli_dispatch(&program, count - 1, words + 1);
    return status == CLI_SUCCESS ? cli_finish_output(program.name) : status;
}
