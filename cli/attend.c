/* `qkv attend`: reads the inputs, runs the operator, writes the results. Everything is checked
 * before the first file is touched. Knows tensors, not the command line. */
#include <stdlib.h>
#include <time.h>

#include "attend.h"
#include "command.h"
#include "hold.h"
#include "report.h"

/* ---- Inputs ------------------------------------------------------------------------------- */

static int read_inputs(attend_job *job)
{
    int status = CLI_PROCEED;
    for (int i = 0; i < INPUT_COUNT && status == CLI_PROCEED; i++) {
        const attend_request *request = &job->request;
        if (request->inputs[i] != NULL)
            status = cli_input_read(ATTEND, &attend_roles[i], request->inputs[i], &job->inputs[i]);
        else if (request->file != NULL)
            status = cli_input_read_member(ATTEND, &attend_roles[i], request->file,
                                           i >= OPERAND_COUNT, &job->inputs[i]);
    }
    return status;
}

/* Types that keys and values may have beside any query. */
static bool is_stored(qkv_type type)
{
    return type == QKV_I8 || type == QKV_E4M3;
}

/* Literals take the type of the first input that has one of its own. */
static int convert_literals(attend_job *job)
{
    qkv_type type = QKV_F64;
    int status = CLI_PROCEED;
    for (int i = OPERAND_COUNT - 1; i >= 0; i--)
        if (!job->inputs[i].literal && !is_stored(qkv_tensor_view(job->inputs[i].tensor)->type))
            type = qkv_tensor_view(job->inputs[i].tensor)->type;
    if (type == QKV_F64 || type == QKV_BOOL) return CLI_PROCEED;
    for (int i = 0; i < OPERAND_COUNT && status == CLI_PROCEED; i++)
        status = cli_input_convert(ATTEND, &attend_roles[i], type, &job->inputs[i]);
    return status;
}

/* The operator refuses a mixture in its own words; here there are files that can be converted,
 * and a --type that looks as though it would do that. Booleans are left to the operator. */
static int check_types(attend_job *job)
{
    const qkv_type query = qkv_tensor_view(job->inputs[INPUT_QUERY].tensor)->type;
    for (int i = INPUT_QUERY + 1; i < OPERAND_COUNT; i++) {
        qkv_type type = qkv_tensor_view(job->inputs[i].tensor)->type;
        if (query == QKV_BOOL || type == QKV_BOOL) return CLI_PROCEED;
        if (is_stored(type) || (type == QKV_F64) == (query == QKV_F64)) continue;
        return cli_fail(ATTEND,
                        "--%s: has type %s, but --query has %s; f64 only goes with f64%s: convert "
                        "one, for example with numpy's astype('float32')",
                        attend_roles[i].name, qkv_type_name(type), qkv_type_name(query),
                        job->request.type != QKV_NONE ? " and --type is for results" : "");
    }
    return CLI_PROCEED;
}

static int split_inputs(attend_job *job)
{
    const attend_request *request = &job->request;
    for (int i = 0; i < OPERAND_COUNT; i++) {
        qkv_error error;
        size_t heads = i == INPUT_QUERY ? request->heads : request->kv_heads;
        const qkv_view *packed = qkv_tensor_view(job->inputs[i].tensor);
        job->operands[i] = *packed;
        if (heads == 0) continue;
        if (qkv_view_split_heads(packed, heads, &job->operands[i], &error) != QKV_OK)
            return cli_fail(ATTEND, "--%s: %s", attend_roles[i].name, error.message);
    }
    return CLI_PROCEED;
}

/* The size of an axis counted from the last, 0; of an axis that is not there, 1. The operator
 * refuses ranks that do not fit, and says so better than could be said here. */
static size_t size_from_last(const qkv_view *view, int axis)
{
    return axis < view->rank ? view->shape[view->rank - 1 - axis] : 1;
}

/* The operator would ask for an alignment in its own words; here it has an option. */
static int check_alignment(attend_job *job)
{
    const qkv_attention_options *options = &job->request.options;
    size_t queries = size_from_last(&job->operands[INPUT_QUERY], 1);
    size_t keys = size_from_last(&job->operands[INPUT_KEY], 1);
    if (!options->window || options->alignment != QKV_ALIGN_UNSET || queries == keys)
        return CLI_PROCEED;
    return cli_fail(ATTEND,
                    "--window: the numbers of queries (%zu) and keys (%zu) differ; expected "
                    "--align top-left or --align bottom-right as well",
                    queries, keys);
}

/* Literals are f64 and densely stored, unless they are of type bool. */
static bool holds_zeros_and_ones(const qkv_view *view)
{
    const double *numbers = view->data;
    size_t count = qkv_view_count(view);
    if (view->type != QKV_F64) return false;
    for (size_t i = 0; i < count; i++)
        if (numbers[i] != 0.0 && numbers[i] != 1.0) return false;
    return count > 0;
}

/* Zeros and ones are how a boolean mask is written elsewhere, but here they are added. Said last,
 * so that a call that fails says that alone; not of files, whose type was somebody's choice. */
static int warn_of_mask(attend_job *job)
{
    const cli_input *mask = &job->inputs[INPUT_MASK];
    if (mask->literal && holds_zeros_and_ones(qkv_tensor_view(mask->tensor)))
        cli_warn(ATTEND, "--mask: holds only 0 and 1, which are added to the scores; true and "
                         "false in their place make it boolean");
    return CLI_PROCEED;
}

/* ---- Results ------------------------------------------------------------------------------ */

enum { WEIGHTS_SHOWN_AT_MOST = 64 };

bool attend_weights_shown(const attend_job *job)
{
    return size_from_last(&job->operands[INPUT_QUERY], 1) <= WEIGHTS_SHOWN_AT_MOST &&
           size_from_last(&job->operands[INPUT_KEY], 1) <= WEIGHTS_SHOWN_AT_MOST;
}

static bool wants_result(const attend_job *job, int result)
{
    if (result == RESULT_OUTPUT || job->request.targets[result] != NULL) return true;
    return result == RESULT_WEIGHTS && job->request.text && attend_weights_shown(job);
}

static qkv_type result_type(const attend_job *job, int result)
{
    qkv_type type = job->operands[INPUT_QUERY].type;
    bool row_statistic = result == RESULT_LOG_SUM_EXP || result == RESULT_ENTROPY;
    if (job->request.type != QKV_NONE) return job->request.type;
    return row_statistic && qkv_type_size(type) < qkv_type_size(QKV_F32) ? QKV_F32 : type;
}

/* output (..., Lq, Dv), packed as the query is; weights (..., Lq, Lk); the others (..., Lq). */
static qkv_view result_shape(const attend_job *job, int result)
{
    const attend_request *request = &job->request;
    qkv_view shape = job->operands[INPUT_QUERY];
    size_t value_width = size_from_last(&job->operands[INPUT_VALUE], 0);
    if (result == RESULT_OUTPUT && request->heads > 0) {
        shape = *qkv_tensor_view(job->inputs[INPUT_QUERY].tensor);
        value_width *= request->heads;
    }
    if (result == RESULT_OUTPUT) shape.shape[shape.rank - 1] = value_width;
    if (result == RESULT_WEIGHTS)
        shape.shape[shape.rank - 1] = size_from_last(&job->operands[INPUT_KEY], 1);
    if ((result == RESULT_LOG_SUM_EXP || result == RESULT_ENTROPY) && shape.rank > 1) shape.rank--;
    return shape;
}

static int create_results(attend_job *job)
{
    qkv_error error;
    for (int i = 0; i < RESULT_COUNT; i++) {
        if (!wants_result(job, i)) continue;
        qkv_view shape = result_shape(job, i);
        if (qkv_tensor_create(result_type(job, i), shape.rank, shape.shape, &job->results[i],
                              &error) != QKV_OK)
            return cli_fail(ATTEND, "--%s: %s", attend_result_options[i], error.message);
    }
    /* The operator keeps f64 apart from the other types: --type crosses over by a conversion. */
    qkv_type type = job->operands[INPUT_QUERY].type;
    const qkv_view *output = qkv_tensor_view(job->results[RESULT_OUTPUT]);
    if ((type == QKV_F64) == (output->type == QKV_F64)) return CLI_PROCEED;
    if (qkv_tensor_create(type == QKV_F64 ? QKV_F64 : QKV_F32, output->rank, output->shape,
                          &job->computed, &error) != QKV_OK)
        return cli_fail(ATTEND, "--output: %s", error.message);
    return CLI_PROCEED;
}

static size_t list_targets(const attend_job *job, qkv_tensor_output *targets, int *which)
{
    size_t count = 0;
    for (int i = 0; i < RESULT_COUNT; i++) {
        if (job->request.targets[i] == NULL) continue;
        which[count] = i;
        targets[count++] = (qkv_tensor_output){.path = job->request.targets[i],
                                               .name = attend_result_names[i],
                                               .view = *qkv_tensor_view(job->results[i])};
    }
    return count;
}

/* One more target at a time, so that the option at fault is known. */
static int check_targets(attend_job *job)
{
    qkv_tensor_output targets[RESULT_COUNT];
    int which[RESULT_COUNT];
    size_t count = list_targets(job, targets, which);
    for (size_t i = 0; i < count; i++) {
        qkv_error error;
        if (targets[i].path[0] == '\0')
            return cli_fail(ATTEND, "--%s: got \"\"; expected a file or -",
                            attend_result_options[which[i]]);
        if (qkv_tensor_write_check(targets, i + 1, &error) != QKV_OK)
            return cli_fail(ATTEND, "--%s: %s", attend_result_options[which[i]], error.message);
    }
    return CLI_PROCEED;
}

static int write_results(attend_job *job)
{
    qkv_tensor_output targets[RESULT_COUNT];
    int which[RESULT_COUNT];
    qkv_error error;
    size_t count = list_targets(job, targets, which);
    if (cli_write_tensors(targets, count, &error) == QKV_OK) return CLI_PROCEED;
    return cli_fail(ATTEND, "%s", error.message);
}

/* ---- The operator ------------------------------------------------------------------------- */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static qkv_view view_or_none(const qkv_tensor *tensor)
{
    return tensor == NULL ? (qkv_view){0} : *qkv_tensor_view(tensor);
}

static qkv_status compute(attend_job *job, qkv_error *error)
{
    qkv_attention_options options = job->request.options;
    const qkv_view *result = qkv_tensor_view(job->results[RESULT_OUTPUT]);
    qkv_view output = job->computed != NULL ? *qkv_tensor_view(job->computed) : *result;
    qkv_view target = output;
    qkv_status status = QKV_OK;
    if (job->request.heads > 0)
        status = qkv_view_split_heads(&output, job->request.heads, &target, error);
    if (status != QKV_OK) return status;
    options.mask = view_or_none(job->inputs[INPUT_MASK].tensor);
    options.key_scales = view_or_none(job->inputs[INPUT_KEY_SCALES].tensor);
    options.value_scales = view_or_none(job->inputs[INPUT_VALUE_SCALES].tensor);
    options.weights = view_or_none(job->results[RESULT_WEIGHTS]);
    options.log_sum_exp = view_or_none(job->results[RESULT_LOG_SUM_EXP]);
    options.entropy = view_or_none(job->results[RESULT_ENTROPY]);
    double begin = now();
    status = qkv_attention(&job->operands[INPUT_QUERY], &job->operands[INPUT_KEY],
                           &job->operands[INPUT_VALUE], &target, &options, error);
    job->seconds = now() - begin;
    if (status == QKV_OK && job->computed != NULL) status = qkv_view_copy(&output, result, error);
    return status;
}

static int run_operator(attend_job *job)
{
    qkv_error error;
    return compute(job, &error) == QKV_OK ? CLI_PROCEED : cli_fail(ATTEND, "%s", error.message);
}

/* ---- The subcommand ----------------------------------------------------------------------- */

static int run_job(attend_job *job)
{
    static int (*const steps[])(attend_job *) = {
        read_inputs,    convert_literals, check_types,  split_inputs,  check_alignment,
        create_results, check_targets,    run_operator, write_results, warn_of_mask};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        int status = steps[i](job);
        if (status != CLI_PROCEED) return status;
    }
    if (job->request.text) attend_print_text(job);
    if (job->request.json) attend_print_json(job);
    return cli_finish_output(ATTEND);
}

static int run(int count, char **words)
{
    attend_job job = {0};
    int status = attend_parse(count, words, &job.request);
    if (status == CLI_PROCEED) status = run_job(&job);
    for (int i = 0; i < INPUT_COUNT; i++) cli_input_free(&job.inputs[i]);
    for (int i = 0; i < RESULT_COUNT; i++) qkv_tensor_free(&job.results[i]);
    qkv_tensor_free(&job.computed);
    return status;
}

const cli_command cli_attend = {
    .name = "attend",
    .summary = "Compute attention over tensors from files or the command line.",
    .usage = &attend_usage,
    .run = run,
};
