/* `qkv-mpi sample`: `qkv sample`, with the samples shared between the ranks. */
#include <mpi.h>
#include <string.h>

#include <qkv/mpi.h>

#include "commands.h"
#include "ranks.h"
#include "../report.h"
#include "../sample.h"

static int run(int count, char **words)
{
    qkv_mpi_team team;
    qkv_error error;
    for (int i = 0; i < count; i++)
        if (strcmp(words[i], "-") == 0)
            return cli_fail("qkv-mpi sample",
                            "got \"-\"; expected a file that every rank can read");
    int status =
        mpi_settle("qkv-mpi sample", qkv_mpi_team_begin(MPI_COMM_WORLD, &team, &error), &error);
    if (status != CLI_PROCEED) return status;
    cli_sample_team = &team.team;
    status = cli_sample.run(count, words);
    cli_sample_team = NULL;
    qkv_mpi_team_end(&team);
    return status;
}

const cli_command mpi_sample = {
    .name = "sample",
    .summary = "Sample attention over random keys, as qkv sample does.",
    .usage = &cli_sample_usage,
    .run = run,
};
