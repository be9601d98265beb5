/* `qkv-mpi attend`: attention over tensors that lie in shards on the ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <qkv/mpi.h>

#include "commands.h"
#include "ranks.h"
#include "../report.h"
#include "shards.h"
#include "../value.h"

#define ATTEND "qkv-mpi attend"

enum {
    OPTION_QUERY,
    OPTION_KEY,
    OPTION_VALUE,
    OPTION_RANDOM,
    OPTION_TYPE,
    OPTION_SCALE,
    OPTION_CAUSAL,
    OPTION_WINDOW,
    OPTION_MASK,
    OPTION_LAYOUT,
    OPTION_BLOCK,
    OPTION_THREADS,
    OPTION_OUTPUT,
    OPTION_LOG_SUM_EXP,
    OPTION_TIME,
    OPTION_COUNT
};

static const cli_option options[OPTION_COUNT] = {
    [OPTION_QUERY] = {"Tensors", "query", 'q', "FILE",
                      "Queries, (length, width), (heads, length, width) or with a batch in front."},
    [OPTION_KEY] = {NULL, "key", 'k', "FILE", "Keys; query heads may share key heads."},
    [OPTION_VALUE] = {NULL, "value", 'v', "FILE", "Values."},
    [OPTION_RANDOM] = {NULL, "random", '\0', "HEADSxLENGTHxWIDTH",
                       "Random tensors instead of files, to measure speed: 8x32768x64. "
                       "8:2x32768x64 has 2 key heads."},
    [OPTION_TYPE] = {NULL, "type", '\0', "f64|f32|f16|bf16",
                     "Element type of random tensors. Default: f32."},
    [OPTION_SCALE] = {"Scores", "scale", '\0', "X",
                      "Factor of the scores. Default: 1/sqrt(width)."},
    [OPTION_CAUSAL] = {NULL, "causal", '\0', NULL,
                       "Each query sees only keys up to its own position; the last query is at the "
                       "last key."},
    [OPTION_WINDOW] = {NULL, "window", '\0', "LEFT,RIGHT",
                       "Each query sees only so many keys before and behind its position."},
    [OPTION_MASK] =
        {NULL, "mask", '\0', "FILE",
         "Mask of (queries, keys), perhaps with heads and a batch in front, any of them 1: "
         "bool, true where a query may look; or numbers, added to the scores. Ranks take "
         "the rows of their queries."},
    [OPTION_LAYOUT] = {"Ranks", "layout", '\0', "contiguous|zigzag",
                       "Which rows a rank has. Default: zigzag with --causal and no --window, "
                       "otherwise contiguous."},
    [OPTION_BLOCK] =
        {NULL, "block", '\0', "N",
         "Rows of a block. Default: 1024; 2048 from 32768 rows on; more from 134 million on."},
    [OPTION_THREADS] = {NULL, "threads", '\0', "N",
                        "Threads of each rank. Default: one per core that it may use."},
    [OPTION_OUTPUT] = {"Output", "output", 'o', "FILE", "Write the output."},
    [OPTION_LOG_SUM_EXP] = {NULL, "log-sum-exp", '\0', "FILE",
                            "Write the log-sum-exp of each query, in f64, with a width of 1."},
    [OPTION_TIME] = {NULL, "time", '\0', NULL,
                     "Print the time of the call, and the memory that each rank used at most."},
};

static const cli_usage usage = {
    .who = ATTEND,
    .synopsis = "--query FILE --key FILE --value FILE [option ...]",
    .introduction =
        "Computes attention over sequences that are cut into shards, one per rank. FILE is\n"
        "one .npy or .safetensors file, which every rank maps and reads its rows of, or,\n"
        "with %r in its name, a file per rank; %r is the number of the rank. Results are\n"
        "written in the same two ways. They do not depend on the number of ranks, to the\n"
        "last bit. Shapes and types are compared before any data moves.\n",
    .closing = "Exit status: 0 if the output was computed; 2 if not.\n",
    .options = options,
    .option_count = OPTION_COUNT,
};

typedef struct request {
    const char *path[3]; /* query, key, value */
    const char *mask, *output, *log_sum_exp;
    size_t shape[3], kv_heads; /* of random tensors; 0 heads: there are files */
    qkv_type type;
    qkv_attention_options attention;
    qkv_mpi_options how;
    bool time;
} request;

/* ---- Words of the command line -------------------------------------------------------------- */

static bool read_random(const char *text, request *r)
{
    char end;
    if (sscanf(text, "%zux%zux%zu%c", &r->shape[0], &r->shape[1], &r->shape[2], &end) == 3)
        r->kv_heads = r->shape[0];
    else if (sscanf(text, "%zu:%zux%zux%zu%c", &r->shape[0], &r->kv_heads, &r->shape[1],
                    &r->shape[2], &end) != 4)
        return false;
    return r->shape[0] > 0 && r->kv_heads > 0 && r->shape[0] % r->kv_heads == 0 && r->shape[1] > 0;
}

static int read_sizes(const char **values, request *r)
{
    size_t threads = 0;
    char end;
    if (values[OPTION_BLOCK] != NULL &&
        (!cli_parse_size(values[OPTION_BLOCK], &r->how.block) || r->how.block == 0))
        return cli_fail_value(ATTEND, "--block", values[OPTION_BLOCK], "a number of rows, from 1");
    if (values[OPTION_THREADS] != NULL &&
        (!cli_parse_size(values[OPTION_THREADS], &threads) || threads < 1 || threads > 256))
        return cli_fail_value(ATTEND, "--threads", values[OPTION_THREADS],
                              "a number of threads, from 1 to 256");
    r->attention.threads = (int)threads;
    r->attention.window = values[OPTION_WINDOW] != NULL;
    if (values[OPTION_WINDOW] != NULL &&
        sscanf(values[OPTION_WINDOW], "%zu,%zu%c", &r->attention.window_left,
               &r->attention.window_right, &end) != 2)
        return cli_fail_value(ATTEND, "--window", values[OPTION_WINDOW],
                              "two numbers of keys, as in 4095,0");
    if (values[OPTION_RANDOM] != NULL && !read_random(values[OPTION_RANDOM], r))
        return cli_fail_value(ATTEND, "--random", values[OPTION_RANDOM],
                              "HEADSxLENGTHxWIDTH, as in 8x32768x64");
    return CLI_PROCEED;
}

static int read_request(const char **values, request *r)
{
    static const char *const layouts[] = {"contiguous", "zigzag"};
    size_t layout = 0;
    r->attention = qkv_attention_default();
    r->how = qkv_mpi_default();
    r->type = QKV_F32;
    for (int i = 0; i < 3; i++) {
        r->path[i] = values[OPTION_QUERY + i];
        if ((r->path[i] == NULL) == (values[OPTION_RANDOM] == NULL))
            return cli_fail(ATTEND, "--%s: is %s; expected three files, or --random",
                            options[OPTION_QUERY + i].name,
                            r->path[i] == NULL ? "missing" : "given beside --random");
    }
    if (values[OPTION_TYPE] != NULL) r->type = qkv_type_from_name(values[OPTION_TYPE]);
    if (r->type < QKV_F64 || r->type > QKV_BF16)
        return cli_fail_value(ATTEND, "--type", values[OPTION_TYPE], "f64, f32, f16 or bf16");
    if (values[OPTION_SCALE] != NULL && !cli_parse_real(values[OPTION_SCALE], &r->attention.scale))
        return cli_fail_value(ATTEND, "--scale", values[OPTION_SCALE], "a number");
    r->attention.causal = values[OPTION_CAUSAL] != NULL;
    r->attention.alignment = QKV_ALIGN_BOTTOM_RIGHT;
    if (r->attention.causal && values[OPTION_WINDOW] == NULL) layout = 1;
    if (values[OPTION_LAYOUT] != NULL &&
        !cli_parse_choice(values[OPTION_LAYOUT], layouts, 2, &layout))
        return cli_fail_value(ATTEND, "--layout", values[OPTION_LAYOUT], "contiguous or zigzag");
    r->how.layout = layout == 0 ? QKV_MPI_CONTIGUOUS : QKV_MPI_ZIGZAG;
    r->mask = values[OPTION_MASK];
    r->output = values[OPTION_OUTPUT];
    r->log_sum_exp = values[OPTION_LOG_SUM_EXP];
    r->time = values[OPTION_TIME] != NULL;
    for (int i = OPTION_OUTPUT; i <= OPTION_LOG_SUM_EXP; i++)
        if (values[i] != NULL && !shards_take_name(values[i]))
            return cli_fail(ATTEND,
                            "--%s: got \"%.200s\"; expected a name that ends in .npy or "
                            ".safetensors",
                            options[i].name, values[i]);
    return read_sizes(values, r);
}

/* ---- Work ----------------------------------------------------------------------------------- */

enum { QUERY, KEY, VALUE, MASK, OUTPUT, SUMS, TENSORS };

static qkv_status read_inputs(const request *r, qkv_tensor **tensors, qkv_error *error)
{
    qkv_status status = QKV_OK;
    for (unsigned i = 0; i < 3 && status == QKV_OK; i++) {
        const size_t shape[3] = {i == 0 ? r->shape[0] : r->kv_heads, r->shape[1], r->shape[2]};
        status = r->shape[0] > 0 ? shards_random(r->type, 3, shape, i, &r->how, &tensors[i], error)
                                 : shards_read(r->path[i], false, &r->how, &tensors[i], error);
    }
    if (status == QKV_OK && r->mask != NULL)
        status = shards_read(r->mask, true, &r->how, &tensors[MASK], error);
    return status;
}

/* The output has the queries' type, or f32 where its file has no such. */
static qkv_status make_outputs(const request *r, qkv_tensor **tensors, qkv_error *error)
{
    const qkv_view *query = qkv_tensor_view(tensors[QUERY]);
    const bool narrow = r->output == NULL || shards_take_bf16(r->output);
    const qkv_type type = query->type == QKV_BF16 && !narrow ? QKV_F32 : query->type;
    size_t shape[QKV_MAX_RANK];
    memcpy(shape, query->shape, sizeof shape);
    shape[query->rank - 1] = qkv_tensor_view(tensors[VALUE])->shape[query->rank - 1];
    qkv_status status = qkv_tensor_create(type, query->rank, shape, &tensors[OUTPUT], error);
    shape[query->rank - 1] = 1;
    if (status == QKV_OK && r->log_sum_exp != NULL)
        status = qkv_tensor_create(QKV_F64, query->rank, shape, &tensors[SUMS], error);
    return status;
}

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Seconds of the slowest rank, of all ranks' processors, and the memory of each at its peak. */
static void print_time(double seconds, double cpu)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    const double own[2] = {seconds, (double)used.ru_maxrss / 1024.0};
    double most[2], least, all;
    MPI_Reduce(own, most, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&own[1], &least, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
    MPI_Reduce(&cpu, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    printf("%d rank%s: %.4f s; %.2f s of CPU time in all; memory per rank %.1f to %.1f MiB\n",
           ranks.count, ranks.count == 1 ? "" : "s", most[0], all, least, most[1]);
}

static int attend(request *r, qkv_tensor **tensors)
{
    qkv_error error = {0};
    qkv_status status = r->output != NULL ? shards_try(r->output, &error) : QKV_OK;
    if (status == QKV_OK && r->log_sum_exp != NULL) status = shards_try(r->log_sum_exp, &error);
    if (status == QKV_OK) status = read_inputs(r, tensors, &error);
    if (status == QKV_OK) status = make_outputs(r, tensors, &error);
    int settled = mpi_settle(ATTEND, status, &error);
    if (settled != CLI_PROCEED) return settled;
    if (tensors[MASK] != NULL) r->attention.mask = *qkv_tensor_view(tensors[MASK]);
    if (tensors[SUMS] != NULL) {
        r->attention.log_sum_exp = *qkv_tensor_view(tensors[SUMS]);
        r->attention.log_sum_exp.rank--;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime(), cpu_start = cpu_seconds();
    status = qkv_mpi_attention(MPI_COMM_WORLD, qkv_tensor_view(tensors[QUERY]),
                               qkv_tensor_view(tensors[KEY]), qkv_tensor_view(tensors[VALUE]),
                               qkv_tensor_view(tensors[OUTPUT]), &r->attention, &r->how, &error);
    const double seconds = MPI_Wtime() - start, cpu = cpu_seconds() - cpu_start;
    settled = mpi_settle(ATTEND, status, &error);
    if (settled != CLI_PROCEED) return settled;
    const qkv_view *output = qkv_tensor_view(tensors[OUTPUT]);
    unsigned long long rows = output->shape[output->rank - 2], length;
    MPI_Allreduce(&rows, &length, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (r->output != NULL) status = shards_write(r->output, output, length, &r->how, &error);
    settled = mpi_settle(ATTEND, status, &error);
    if (settled != CLI_PROCEED) return settled;
    if (r->log_sum_exp != NULL)
        status =
            shards_write(r->log_sum_exp, qkv_tensor_view(tensors[SUMS]), length, &r->how, &error);
    settled = mpi_settle(ATTEND, status, &error);
    if (settled == CLI_PROCEED && r->time) print_time(seconds, cpu);
    return settled == CLI_PROCEED ? CLI_SUCCESS : settled;
}

static int run(int count, char **words)
{
    const char *values[OPTION_COUNT];
    size_t operands;
    request r = {.type = QKV_NONE};
    qkv_tensor *tensors[TENSORS] = {NULL};
    int status = cli_options_parse(&usage, count, words, values, &operands);
    if (status == CLI_PROCEED && operands > 0)
        return cli_fail(ATTEND, "got \"%.64s\"; expected only options", words[0]);
    if (status == CLI_PROCEED) status = read_request(values, &r);
    if (status == CLI_PROCEED) status = attend(&r, tensors);
    for (int i = 0; i < TENSORS; i++) qkv_tensor_free(&tensors[i]);
    return status;
}

const cli_command mpi_attend = {
    .name = "attend",
    .summary = "Compute attention over tensors in shards.",
    .usage = &usage,
    .run = run,
};
