/* Finds a subcommand and runs it. Knows the subcommands by their table alone. */
#include "dispatch.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "report.h"
#include "suggest.h"

static const cli_command *find_command(const cli_program *program, const char *name)
{
    for (size_t i = 0; i < program->count; i++)
        if (strcmp(program->commands[i]->name, name) == 0) return program->commands[i];
    return NULL;
}

static void print_usage(const cli_program *program, FILE *stream)
{
    fprintf(stream, "%s\nSubcommands:\n", program->usage);
    for (size_t i = 0; i < program->count; i++)
        fprintf(stream, "  %-9s %s\n", program->commands[i]->name, program->commands[i]->summary);
    fprintf(stream, "  %-9s %s\n", "help", "Print this text, or the help of a subcommand.");
}

/* Suggests subcommands, and where no subcommand has been named yet the other first words too. */
static int fail_unknown(const cli_program *program, const char *word, bool first)
{
    static const char *const others[] = {"help", "--help", "--version"};
    const char *kind = word[0] == '-' ? "option" : "subcommand";
    cli_suggestion suggestion = {.word = word};
    for (size_t i = 0; i < program->count; i++)
        cli_suggest(&suggestion, program->commands[i]->name);
    for (size_t i = 0; first && i < sizeof others / sizeof others[0]; i++)
        cli_suggest(&suggestion, others[i]);
    if (suggestion.best != NULL)
        return cli_fail(program->name, "unknown %s \"%.64s\"; did you mean %s?", kind, word,
                        suggestion.best);
    return cli_fail(program->name, "unknown %s \"%.64s\"; %s help lists the subcommands", kind,
                    word, program->name);
}

static int run_help(const cli_program *program, int count, char **words)
{
    if (count > 1)
        return cli_fail(program->name, "help: got %d words; expected one subcommand", count);
    if (count == 0 || strcmp(words[0], "help") == 0) {
        print_usage(program, stdout);
        return CLI_SUCCESS;
    }
    const cli_command *command = find_command(program, words[0]);
    if (command == NULL) return fail_unknown(program, words[0], false);
    cli_options_help(command->usage, stdout);
    return CLI_SUCCESS;
}

static bool is_one_of(const char *word, const char *name, const char *other)
{
    return strcmp(word, name) == 0 || strcmp(word, other) == 0;
}

int cli_dispatch(const cli_program *program, int count, char **words)
{
    if (count <= 0) {
        print_usage(program, stderr);
        return CLI_FAILURE;
    }
    const cli_command *command = find_command(program, words[0]);
    if (command != NULL) return command->run(count - 1, words + 1);
    if (strcmp(words[0], "help") == 0 || is_one_of(words[0], "--help", "-h"))
        return run_help(program, count - 1, words + 1);
    if (!is_one_of(words[0], "--version", "-V")) return fail_unknown(program, words[0], true);
    if (count > 1)
        return cli_fail(program->name, "%s: got \"%.64s\"; expected nothing after it", words[0],
                        words[1]);
    program->print_version();
    return CLI_SUCCESS;
}
