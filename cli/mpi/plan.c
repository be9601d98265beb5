/* `qkv-mpi plan`: what attention over many ranks would cost, from the speed of one. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>

#include <qkv/file.h>
#include <qkv/mpi.h>

#include "commands.h"
#include "ranks.h"
#include "../report.h"
#include "../value.h"

#define PLAN "qkv-mpi plan"

enum {
    OPTION_LENGTH,
    OPTION_HEADS,
    OPTION_KV_HEADS,
    OPTION_WIDTH,
    OPTION_BATCH,
    OPTION_TYPE,
    OPTION_CAUSAL,
    OPTION_WINDOW,
    OPTION_RANKS,
    OPTION_LAYOUT,
    OPTION_BLOCK,
    OPTION_AT_ONCE,
    OPTION_SPEED,
    OPTION_THREADS,
    OPTION_BANDWIDTH,
    OPTION_LATENCY,
    OPTION_JSON,
    OPTION_COUNT
};

static const cli_option options[OPTION_COUNT] = {
    [OPTION_LENGTH] = {"Problem", "length", '\0', "N", "Number of queries and keys, as in 1e8."},
    [OPTION_HEADS] = {NULL, "heads", '\0', "N", "Number of query heads. Default: 1."},
    [OPTION_KV_HEADS] = {NULL, "kv-heads", '\0', "N", "Number of key heads. Default: as many."},
    [OPTION_WIDTH] = {NULL, "width", '\0', "N", "Width of a head. Default: 64."},
    [OPTION_BATCH] = {NULL, "batch", '\0', "N", "Number of sequences. Default: 1."},
    [OPTION_TYPE] = {NULL, "type", '\0', "f64|f32|f16|bf16", "Element type. Default: f32."},
    [OPTION_CAUSAL] = {NULL, "causal", '\0', NULL, "With a causal mask."},
    [OPTION_WINDOW] = {NULL, "window", '\0', "N",
                       "Each query sees only N keys, itself included; without --causal, N on "
                       "either side."},
    [OPTION_RANKS] = {"Machines", "ranks", '\0', "N", "Number of ranks. Default: 1."},
    [OPTION_LAYOUT] = {NULL, "layout", '\0', "contiguous|zigzag",
                       "Which rows a rank has. Default: zigzag with --causal and no --window, "
                       "otherwise contiguous."},
    [OPTION_BLOCK] = {NULL, "block", '\0', "N", "Rows of a block. Default: as qkv-mpi attend."},
    [OPTION_AT_ONCE] = {NULL, "at-once", '\0', "N",
                        "Ranks that have cores of their own; the others share. Default: all."},
    [OPTION_SPEED] = {NULL, "speed", '\0', "X",
                      "Multiplications and additions of a rank per second, as in 1e11. Default: "
                      "measured here, with --heads, --width and --type."},
    [OPTION_THREADS] = {NULL, "threads", '\0', "N",
                        "Threads of a rank, for the measurement. Default: one per core."},
    [OPTION_BANDWIDTH] = {NULL, "bandwidth", '\0', "X",
                          "Bytes per second into a rank and out of it, as in 12.5e9."},
    [OPTION_LATENCY] = {NULL, "latency", '\0', "X", "Seconds per message, as in 2e-6. Default: 0."},
    [OPTION_JSON] = {"Output", "json", '\0', NULL, "Print one JSON object."},
};

static const cli_usage usage = {
    .who = PLAN,
    .synopsis = "--length N --ranks N --bandwidth X [option ...]",
    .introduction =
        "Predicts the time, traffic and memory of qkv-mpi attend on machines that you may\n"
        "not have. Nothing is sent; run it without mpirun. docs/scale.md compares its\n"
        "predictions with measurements.\n",
    .closing = "Exit status: 0 if there is a prediction; 2 if not.\n",
    .options = options,
    .option_count = OPTION_COUNT,
};

/* A whole number, also as 1e8. */
static int read_whole(const char **values, int option, size_t *number)
{
    double real;
    char name[32];
    if (values[option] == NULL) return CLI_PROCEED;
    snprintf(name, sizeof name, "--%s", options[option].name);
    if (!cli_parse_real(values[option], &real) || !(real >= 1.0) || real > 0x1p52 ||
        real != floor(real))
        return cli_fail_value(PLAN, name, values[option], "a whole number, from 1 to 2^52");
    *number = (size_t)real;
    return CLI_PROCEED;
}

static int read_real(const char **values, int option, double *number)
{
    char name[32];
    if (values[option] == NULL) return CLI_PROCEED;
    snprintf(name, sizeof name, "--%s", options[option].name);
    if (!cli_parse_real(values[option], number) || !(*number >= 0.0) || isinf(*number))
        return cli_fail_value(PLAN, name, values[option], "a number, 0 or more");
    return CLI_PROCEED;
}

static int read_prospect(const char **values, qkv_mpi_prospect *p, size_t *threads)
{
    static const char *const layouts[] = {"contiguous", "zigzag"};
    const struct {
        int option;
        size_t *number;
    } wholes[] = {{OPTION_LENGTH, &p->length},     {OPTION_HEADS, &p->heads},
                  {OPTION_KV_HEADS, &p->kv_heads}, {OPTION_WIDTH, &p->width},
                  {OPTION_BATCH, &p->batch},       {OPTION_WINDOW, &p->window},
                  {OPTION_RANKS, &p->ranks},       {OPTION_BLOCK, &p->options.block},
                  {OPTION_AT_ONCE, &p->at_once},   {OPTION_THREADS, threads}};
    size_t layout = values[OPTION_CAUSAL] != NULL && values[OPTION_WINDOW] == NULL;
    int status = CLI_PROCEED;
    for (size_t i = 0; i < sizeof wholes / sizeof wholes[0] && status == CLI_PROCEED; i++)
        status = read_whole(values, wholes[i].option, wholes[i].number);
    if (status == CLI_PROCEED) status = read_real(values, OPTION_SPEED, &p->speed);
    if (status == CLI_PROCEED) status = read_real(values, OPTION_BANDWIDTH, &p->bandwidth);
    if (status == CLI_PROCEED) status = read_real(values, OPTION_LATENCY, &p->latency);
    if (status != CLI_PROCEED) return status;
    if (values[OPTION_LENGTH] == NULL) return cli_fail(PLAN, "--length: is missing; expected N");
    if (p->ranks > 1 && p->bandwidth == 0.0)
        return cli_fail(PLAN, "--bandwidth: is missing; expected bytes per second");
    p->type = values[OPTION_TYPE] == NULL ? QKV_F32 : qkv_type_from_name(values[OPTION_TYPE]);
    if (p->type < QKV_F64 || p->type > QKV_BF16)
        return cli_fail_value(PLAN, "--type", values[OPTION_TYPE], "f64, f32, f16 or bf16");
    if (values[OPTION_LAYOUT] != NULL &&
        !cli_parse_choice(values[OPTION_LAYOUT], layouts, 2, &layout))
        return cli_fail_value(PLAN, "--layout", values[OPTION_LAYOUT], "contiguous or zigzag");
    p->options.layout = layout == 0 ? QKV_MPI_CONTIGUOUS : QKV_MPI_ZIGZAG;
    p->causal = values[OPTION_CAUSAL] != NULL;
    return CLI_PROCEED;
}

/* The speed of this rank alone, by the same call over a short sequence: the best of a few runs. */
static qkv_status measure(qkv_mpi_prospect *p, size_t threads, qkv_error *error)
{
    enum { LENGTH = 4096, RUNS = 5 };
    const size_t heads = p->heads == 0 ? 1 : p->heads, width = p->width == 0 ? 64 : p->width;
    const size_t shape[3] = {heads, LENGTH, width};
    const size_t kv[3] = {p->kv_heads == 0 ? heads : p->kv_heads, LENGTH, width};
    qkv_tensor *tensors[4] = {NULL};
    qkv_attention_options attention = qkv_attention_default();
    qkv_status status = QKV_OK;
    double best = INFINITY;
    attention.threads = (int)threads;
    for (int i = 0; i < 4 && status == QKV_OK; i++)
        status = qkv_tensor_create(p->type, 3, i == 1 || i == 2 ? kv : shape, &tensors[i], error);
    for (int run = 0; run < RUNS && status == QKV_OK; run++) {
        const double start = MPI_Wtime();
        status = qkv_mpi_attention(MPI_COMM_SELF, qkv_tensor_view(tensors[0]),
                                   qkv_tensor_view(tensors[1]), qkv_tensor_view(tensors[2]),
                                   qkv_tensor_view(tensors[3]), &attention, NULL, error);
        best = fmin(best, MPI_Wtime() - start);
    }
    for (int i = 0; i < 4; i++) qkv_tensor_free(&tensors[i]);
    p->speed = 4.0 * (double)(heads * width) * LENGTH * LENGTH / best;
    return status;
}

/* ---- Printing ------------------------------------------------------------------------------- */

static void print_amount(const char *name, double bytes)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    int unit = 0;
    while (bytes >= 1000.0 && unit < 5) bytes /= 1000.0, unit++;
    printf("  %-10s %.3g %s per rank", name, bytes, units[unit]);
}

static void print_duration(double seconds)
{
    if (seconds < 300.0)
        printf("%.3g s", seconds);
    else if (seconds < 3.0 * 86400.0)
        printf("%.3g h", seconds / 3600.0);
    else
        printf("%.3g days", seconds / 86400.0);
}

static void print_text(const qkv_mpi_prospect *p, const qkv_mpi_forecast *f)
{
    printf("%zu rank%s, %zu with rows; blocks of %zu; %.3g GFLOP/s per rank\n", p->ranks,
           p->ranks == 1 ? "" : "s", f->busy_ranks, f->block, p->speed * 1e-9);
    printf("  %-10s ", "time");
    print_duration(f->seconds);
    printf(": computing ");
    print_duration(f->compute_seconds);
    printf(", waiting ");
    print_duration(f->wait_seconds);
    putchar('\n');
    print_amount("traffic", f->traffic_bytes);
    printf(", in %zu messages\n", f->messages);
    print_amount("memory", f->memory_bytes);
    putchar('\n');
}

static void print_json(const qkv_mpi_prospect *p, const qkv_mpi_forecast *f)
{
    printf("{\"ranks\": %zu, \"busy_ranks\": %zu, \"block\": %zu, \"speed\": %.17g, "
           "\"seconds\": %.17g, \"compute_seconds\": %.17g, \"wait_seconds\": %.17g, "
           "\"traffic_bytes\": %.17g, \"messages\": %zu, \"memory_bytes\": %.17g}\n",
           p->ranks, f->busy_ranks, f->block, p->speed, f->seconds, f->compute_seconds,
           f->wait_seconds, f->traffic_bytes, f->messages, f->memory_bytes);
}

static int run(int count, char **words)
{
    const char *values[OPTION_COUNT];
    size_t operands, threads = 0;
    qkv_mpi_prospect p = qkv_mpi_prospect_default();
    qkv_mpi_forecast f;
    qkv_error error;
    p.options = qkv_mpi_default();
    p.ranks = 1;
    int status = cli_options_parse(&usage, count, words, values, &operands);
    if (status == CLI_PROCEED && operands > 0)
        return cli_fail(PLAN, "got \"%.64s\"; expected only options", words[0]);
    if (status == CLI_PROCEED) status = read_prospect(values, &p, &threads);
    if (status != CLI_PROCEED) return status;
    if (ranks.own != 0) return CLI_SUCCESS;
    if (p.speed == 0.0 && measure(&p, threads, &error) != QKV_OK)
        return cli_fail(PLAN, "%s", error.message);
    if (qkv_mpi_plan(&p, &f, &error) != QKV_OK) return cli_fail(PLAN, "%s", error.message);
    if (values[OPTION_JSON] != NULL)
        print_json(&p, &f);
    else
        print_text(&p, &f);
    return CLI_SUCCESS;
}

const cli_command mpi_plan = {
    .name = "plan",
    .summary = "Predict time, traffic and memory of attention on many machines.",
    .usage = &usage,
    .run = run,
};
