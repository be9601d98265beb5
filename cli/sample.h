/* `qkv sample` for several processes: each runs the subcommand, and they share its samples. */
#ifndef QKV_CLI_SAMPLE_H
#define QKV_CLI_SAMPLE_H

#include "options.h"

struct qkv_lab_team;

extern const cli_usage cli_sample_usage;

/* NULL, or the team that this process is a member of. Its member 0 alone writes files. */
extern const struct qkv_lab_team *cli_sample_team;

#endif
