/* The qkv-mpi command: every rank runs the subcommand, rank 0 speaks. Knows the subcommands by
 * their table alone. */
#include <fcntl.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <qkv/qkv.h>

#include "commands.h"
#include "../process.h"
#include "ranks.h"
#include "../report.h"
#include "../suggest.h"

#define PROGRAM "qkv-mpi"

mpi_ranks ranks = {1, 0, STDERR_FILENO};

static const cli_command *const commands[] = {&mpi_attend, &mpi_plan, &mpi_sample, &mpi_sweep};
enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static const cli_command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i]->name, name) == 0) return commands[i];
    return NULL;
}

static void print_usage(FILE *stream)
{
    fprintf(stream, "usage: mpirun -n RANKS qkv-mpi SUBCOMMAND [argument ...]\n"
                    "       qkv-mpi help [SUBCOMMAND]\n"
                    "       qkv-mpi --version\n"
                    "\n"
                    "qkv-mpi computes and samples attention on many machines, by MPI.\n"
                    "\n"
                    "Subcommands:\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(stream, "  %-9s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(stream, "  %-9s %s\n", "help", "Print this text, or the help of a subcommand.");
}

static void print_version(void)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Get_library_version(library, &length);
    printf("qkv-mpi %s\n%.*s\n", qkv_version(), (int)strcspn(library, ",\n"), library);
}

static int fail_unknown(const char *word)
{
    cli_suggestion suggestion = {.word = word};
    const char *kind = word[0] == '-' ? "option" : "subcommand";
    for (size_t i = 0; i < COMMAND_COUNT; i++) cli_suggest(&suggestion, commands[i]->name);
    if (suggestion.best != NULL)
        return cli_fail(PROGRAM, "unknown %s \"%.64s\"; did you mean %s?", kind, word,
                        suggestion.best);
    return cli_fail(PROGRAM, "unknown %s \"%.64s\"; qkv-mpi help lists the subcommands", kind,
                    word);
}

static int run_help(int count, char **words)
{
    if (count > 1) return cli_fail(PROGRAM, "help: got %d words; expected one subcommand", count);
    const cli_command *command = count == 0 ? NULL : find_command(words[0]);
    if (count > 0 && command == NULL) return fail_unknown(words[0]);
    if (command == NULL)
        print_usage(stdout);
    else
        cli_options_help(command->usage, stdout);
    return CLI_SUCCESS;
}

static int dispatch(int count, char **words)
{
    if (count <= 0) {
        print_usage(stderr);
        return CLI_FAILURE;
    }
    const cli_command *command = find_command(words[0]);
    if (command != NULL) return command->run(count - 1, words + 1);
    if (strcmp(words[0], "help") == 0 || strcmp(words[0], "--help") == 0 ||
        strcmp(words[0], "-h") == 0)
        return run_help(count - 1, words + 1);
    if (strcmp(words[0], "--version") != 0 && strcmp(words[0], "-V") != 0)
        return fail_unknown(words[0]);
    print_version();
    return CLI_SUCCESS;
}

/* All ranks read the same words and would say the same things: rank 0 does. */
static void be_silent(void)
{
    const int nowhere = open("/dev/null", O_WRONLY);
    ranks.voice = dup(STDERR_FILENO);
    if (nowhere < 0 || ranks.own == 0) return;
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    close(nowhere);
}

int mpi_settle(const char *who, qkv_status status, const qkv_error *error)
{
    int failed = status == QKV_OK ? ranks.count : ranks.own, first;
    MPI_Allreduce(&failed, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == ranks.count) return CLI_PROCEED;
    if (first == ranks.own) dprintf(ranks.voice, "%s: %s\n", who, cli_shown(error->message).text);
    return CLI_FAILURE;
}

int main(int count, char **words)
{
    int provided;
    cli_process_begin();
    if (MPI_Init_thread(&count, &words, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
        return cli_fail(PROGRAM, "MPI could not be started");
    MPI_Comm_size(MPI_COMM_WORLD, &ranks.count);
    MPI_Comm_rank(MPI_COMM_WORLD, &ranks.own);
    be_silent();
    int status = dispatch(count - 1, words + 1);
    if (status == CLI_SUCCESS) status = cli_finish_output(PROGRAM);
    fflush(stdout);
    MPI_Finalize();
    return ranks.own == 0 ? status : CLI_SUCCESS; /* one rank says it for all */
}
