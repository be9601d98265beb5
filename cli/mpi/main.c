/* The qkv-mpi command: every rank runs the subcommand, rank 0 speaks. Knows the subcommands by
 * their table alone. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <qkv/qkv.h>

#include "../dispatch.h"
#include "commands.h"
#include "../process.h"
#include "ranks.h"
#include "../report.h"

mpi_ranks ranks = {1, 0, STDERR_FILENO};

static const cli_command *const commands[] = {&mpi_attend, &mpi_plan, &mpi_sample, &mpi_sweep};

static void print_version(void)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Get_library_version(library, &length);
    printf("qkv-mpi %s\n%.*s\n", qkv_version(), (int)strcspn(library, ",\n"), library);
}

static const cli_program program = {
    .name = "qkv-mpi",
    .usage = "usage: mpirun -n RANKS qkv-mpi SUBCOMMAND [argument ...]\n"
             "       qkv-mpi help [SUBCOMMAND]\n"
             "       qkv-mpi --version\n"
             "\n"
             "qkv-mpi computes and samples attention on many machines, by MPI.\n",
    .commands = commands,
    .count = sizeof commands / sizeof commands[0],
    .print_version = print_version};

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
    if (first == ranks.own && error->message[0] != '\0')
        dprintf(ranks.voice, "%s: %s\n", who, cli_shown(error->message).text);
    return CLI_FAILURE;
}

/* Ranks with other words would wait for each other in vain. */
static bool have_same_words(int count, char **words)
{
    unsigned long long digest = 0xcbf29ce484222325, least, most; /* FNV-1a */
    for (int i = 1; i < count; i++)
        for (const char *at = words[i]; at == words[i] || at[-1] != '\0'; at++)
            digest = (digest ^ (unsigned char)*at) * 0x100000001b3;
    MPI_Allreduce(&digest, &least, 1, MPI_UNSIGNED_LONG_LONG, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&digest, &most, 1, MPI_UNSIGNED_LONG_LONG, MPI_MAX, MPI_COMM_WORLD);
    return least == most;
}

int main(int count, char **words)
{
    int provided;
    cli_process_begin();
    if (MPI_Init_thread(&count, &words, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
        return cli_fail(program.name, "MPI could not be started");
    MPI_Comm_size(MPI_COMM_WORLD, &ranks.count);
    MPI_Comm_rank(MPI_COMM_WORLD, &ranks.own);
    be_silent();
    int status = have_same_words(count, words)
                     ? cli_dispatch(&program, count - 1, words + 1)
                     : cli_fail(program.name, "the ranks were given different arguments; expected "
                                              "the same on all of them");
    if (status == CLI_SUCCESS) status = cli_finish_output(program.name);
    fflush(stdout);
    MPI_Finalize();
    return ranks.own == 0 ? status : CLI_SUCCESS; /* one rank says it for all */
}
