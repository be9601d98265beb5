/* The qkv command: finds the subcommand and runs it. Knows the subcommands by their table alone. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <qkv/qkv.h>

#include "command.h"
#include "process.h"
#include "report.h"
#include "suggest.h"

#define PROGRAM "qkv"

static const cli_command *const commands[] = {&cli_attend, &cli_check, &cli_design, &cli_explain,
                                              &cli_law,    &cli_plot,  &cli_sample};
enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static const cli_command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i]->name, name) == 0) return commands[i];
    return NULL;
}

static void print_usage(FILE *stream)
{
    fprintf(stream, "usage: qkv SUBCOMMAND [argument ...]\n"
                    "       qkv help [SUBCOMMAND]\n"
                    "       qkv --version\n"
                    "\n"
                    "qkv is an attention workbench.\n"
                    "\n"
                    "Subcommands:\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(stream, "  %-9s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(stream, "  %-9s %s\n", "help", "Print this text, or the help of a subcommand.");
}

static void print_version(void)
{
    printf("qkv %s\nkernels: ", qkv_version());
    for (size_t i = 0; i < qkv_kernel_count(); i++)
        printf("%s%s", i == 0 ? "" : ", ", qkv_kernel_name(i));
    putchar('\n');
}

/* Suggests subcommands, and where no subcommand has been named yet the other first words too. */
static int fail_unknown(const char *word, bool first)
{
    static const char *const others[] = {"help", "--help", "--version"};
    const char *kind = word[0] == '-' ? "option" : "subcommand";
    cli_suggestion suggestion = {.word = word};
    for (size_t i = 0; i < COMMAND_COUNT; i++) cli_suggest(&suggestion, commands[i]->name);
    for (size_t i = 0; first && i < sizeof others / sizeof others[0]; i++)
        cli_suggest(&suggestion, others[i]);
    if (suggestion.best != NULL)
        return cli_fail(PROGRAM, "unknown %s \"%.64s\"; did you mean %s?", kind, word,
                        suggestion.best);
    return cli_fail(PROGRAM, "unknown %s \"%.64s\"; qkv help lists the subcommands", kind, word);
}

static int run_help(int count, char **words)
{
    if (count > 1) return cli_fail(PROGRAM, "help: got %d words; expected one subcommand", count);
    if (count == 0 || strcmp(words[0], "help") == 0) {
        print_usage(stdout);
        return CLI_SUCCESS;
    }
    const cli_command *command = find_command(words[0]);
    if (command == NULL) return fail_unknown(words[0], false);
    cli_options_help(command->usage, stdout);
    return CLI_SUCCESS;
}

static bool is_one_of(const char *word, const char *name, const char *other)
{
    return strcmp(word, name) == 0 || strcmp(word, other) == 0;
}

static int dispatch(int count, char **words)
{
    if (count <= 0) {
        print_usage(stderr);
        return CLI_FAILURE;
    }
    const cli_command *command = find_command(words[0]);
    if (command != NULL) return command->run(count - 1, words + 1);
    if (strcmp(words[0], "help") == 0 || is_one_of(words[0], "--help", "-h"))
        return run_help(count - 1, words + 1);
    if (!is_one_of(words[0], "--version", "-V")) return fail_unknown(words[0], true);
    if (count > 1)
        return cli_fail(PROGRAM, "%s: got \"%.64s\"; expected nothing after it", words[0],
                        words[1]);
    print_version();
    return CLI_SUCCESS;
}

int main(int count, char **words)
{
    cli_process_begin();
    int status = dispatch(count - 1, words + 1);
    return status == CLI_SUCCESS ? cli_finish_output(PROGRAM) : status;
}
