/* `qkv-mpi sample`: `qkv sample`, with the samples shared between the ranks. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <qkv/mpi.h>

#include "commands.h"
#include "ranks.h"
#include "../report.h"
#include "../sample.h"

/* What a rank but the first has to say of a failure is kept until it is known who says it. */
static FILE *keep_words(void)
{
    FILE *kept = ranks.own == 0 ? NULL : tmpfile();
    fflush(stderr);
    if (kept != NULL) dup2(fileno(kept), STDERR_FILENO);
    return kept;
}

/* Its last line, without the name of the command; rank 0 has spoken already. */
static void take_words(FILE *kept, qkv_error *error)
{
    char line[sizeof error->message];
    error->message[0] = '\0';
    if (kept == NULL) return;
    fflush(stderr);
    rewind(kept);
    while (fgets(line, sizeof line, kept) != NULL) {
        const size_t skip =
            strncmp(line, SAMPLE ": ", strlen(SAMPLE ": ")) == 0 ? strlen(SAMPLE ": ") : 0;
        line[strcspn(line, "\n")] = '\0';
        snprintf(error->message, sizeof error->message, "rank %d: %.*s", ranks.own,
                 (int)sizeof line - 32, line + skip);
    }
    fclose(kept);
}

static int run(int count, char **words)
{
    qkv_mpi_team team;
    qkv_error error;
    for (int i = 0; i < count; i++)
        if (strcmp(words[i], "-") == 0)
            return cli_fail(SAMPLE, "got \"-\"; expected a file that every rank can read");
    int status = mpi_settle(SAMPLE, qkv_mpi_team_begin(MPI_COMM_WORLD, &team, &error), &error);
    if (status != CLI_PROCEED) return status;
    FILE *kept = keep_words();
    cli_sample_team = &team.team;
    status = cli_sample.run(count, words);
    cli_sample_team = NULL;
    /* Of ranks that fail, those speak whose samples others missed, not those who missed them. */
    const bool failed = status != CLI_SUCCESS && !team.over;
    qkv_mpi_team_end(&team);
    take_words(kept, &error);
    const int settled = mpi_settle(SAMPLE, failed ? QKV_ERROR_ARGUMENT : QKV_OK, &error);
    return settled == CLI_PROCEED ? status : settled;
}

const cli_command mpi_sample = {
    .name = "sample",
    .summary = "Sample attention over random keys, as qkv sample does.",
    .usage = &cli_sample_usage,
    .run = run,
};
