/* The command line of `qkv attend`: its options, its help, and what they ask for. Opens no file. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "attend.h"
#include "report.h"
#include "value.h"

/* ---- The table ---------------------------------------------------------------------------- */

/* In the order of the help text, which is that of the operator's table. */
enum {
#define OPTION(id, command, python) OPTION_##id,
#define COMMAND_OPTION(id, command) OPTION_##id,
#include "../src/attention/options.def"
    OPTION_COUNT
};

static const cli_option options[OPTION_COUNT] = {
#define OPTION(id, command, python) [OPTION_##id] = command,
#define COMMAND_OPTION(id, command) [OPTION_##id] = command,
#define COMMAND(heading, name, letter, argument, help, details)                                    \
    {                                                                                              \
        heading, name, letter, argument, help                                                      \
    }
#include "../src/attention/options.def"
};

const cli_usage attend_usage = {
    .who = ATTEND,
    .synopsis = "--query INPUT --key INPUT --value INPUT [option ...]\n"
                "       qkv attend [option ...] FILE.safetensors",
    .introduction =
        "Computes attention, softmax(scale * Q K') V: one row of output per query.\n"
        "\n"
        "  !!  THE DEFAULT SCALE IS 1/sqrt(width), as in frameworks. Textbooks and the\n"
        "  !!  attention exploration assignment do not scale the scores: for their\n"
        "  !!  attention, use --scale 1.\n"
        "\n"
        "Shapes are (length, width), (heads, length, width) or (batch, heads, length,\n"
        "width). INPUT is one of\n"
#define FORMAT(name, word, tensors, help, details) help
#include "../src/io/formats.def"
        "  -                      standard input, as npy; for one input only\n"
        "  '[[1,0],[0,1]]'        literal numbers, in the type of the other inputs; or\n"
        "                         '[[true,false]]', of type bool, for a mask\n"
        "FILE.safetensors supplies every input that no option names: query, key, value,\n"
        "and mask, key_scales and value_scales if it has them.\n",
    .closing = "Examples:\n"
               "  qkv attend --scale 1 --query '[[1,0]]' --key '[[1,0],[0,1]]' \\\n"
               "      --value '[[5],[7]]'\n"
               "  qkv attend --query q.npy --key k.npy --value v.npy -o c.npy\n"
               "  qkv attend --causal bottom-right --heads 8 -o c.npy layer.safetensors\n",
    .options = options,
    .option_count = OPTION_COUNT,
};

const cli_role attend_roles[INPUT_COUNT] = {
    [INPUT_QUERY] = {"query", "q"},
    [INPUT_KEY] = {"key", "k"},
    [INPUT_VALUE] = {"value", "v"},
    [INPUT_MASK] = {"mask", NULL},
    [INPUT_KEY_SCALES] = {"key-scales", "key_scales"},
    [INPUT_VALUE_SCALES] = {"value-scales", "value_scales"},
};

static const int result_options[RESULT_COUNT] = {OPTION_OUTPUT, OPTION_WEIGHTS, OPTION_LSE,
                                                 OPTION_ENTROPY};
const char *const attend_result_options[RESULT_COUNT] = {"output", "weights", "lse", "entropy"};
const char *const attend_result_names[RESULT_COUNT] = {"output", "weights", "log_sum_exp",
                                                       "entropy"};

/* ---- Values ------------------------------------------------------------------------------- */

static int parse_scale(const char *text, double *scale)
{
    double value = 0.0;
    if (text == NULL || strcmp(text, "sqrt") == 0) return CLI_PROCEED; /* zero: the default */
    if (!cli_parse_real(text, &value) || !isfinite(value))
        return cli_fail_value(ATTEND, "--scale", text, "sqrt or a finite number");
    *scale = value == 0.0 ? QKV_SCALE_ZERO : value;
    return CLI_PROCEED;
}

static int parse_positive(int option, const char *text, double *number)
{
    char name[32];
    if (text == NULL) return CLI_PROCEED;
    if (cli_parse_real(text, number) && isfinite(*number) && *number > 0.0) return CLI_PROCEED;
    snprintf(name, sizeof name, "--%s", options[option].name);
    return cli_fail_value(ATTEND, name, text, "a positive number");
}

/* The options that are a number, each into the field of its name. */
static int parse_numbers(const char *const *values, qkv_attention_options *attention)
{
    int status = CLI_PROCEED;
#define NUMBER(id, field)                                                                          \
    if (status == CLI_PROCEED)                                                                     \
        status = parse_positive(OPTION_##id, values[OPTION_##id], &attention->field);
#include "../src/attention/options.def"
    return status;
}

static int parse_alignment(const char *option, const char *text, qkv_alignment *alignment)
{
    static const char *const names[] = {"top-left", "bottom-right"};
    static const qkv_alignment alignments[] = {QKV_ALIGN_TOP_LEFT, QKV_ALIGN_BOTTOM_RIGHT};
    size_t index;
    if (text == NULL) return CLI_PROCEED;
    if (!cli_parse_choice(text, names, 2, &index))
        return cli_fail_value(ATTEND, option, text, "top-left or bottom-right");
    *alignment = alignments[index];
    return CLI_PROCEED;
}

static int parse_positions(const char *const *values, qkv_attention_options *attention)
{
    const char *causal = values[OPTION_CAUSAL], *align = values[OPTION_ALIGN];
    int status = parse_alignment("--align", align, &attention->alignment);
    if (status == CLI_PROCEED) status = parse_alignment("--causal", causal, &attention->alignment);
    if (status != CLI_PROCEED) return status;
    attention->causal = causal != NULL;
    if (causal != NULL && align != NULL && strcmp(causal, align) != 0)
        return cli_fail(ATTEND, "--align: got \"%s\", but --causal is \"%s\"; expected the same",
                        align, causal);
    if (align != NULL && causal == NULL && values[OPTION_WINDOW] == NULL)
        return cli_fail(ATTEND,
                        "--align: has no effect by itself; expected --causal %s, or "
                        "--window as well",
                        align);
    return CLI_PROCEED;
}

/* side = digits | "inf" */
static bool parse_side(const char *text, size_t length, size_t *side)
{
    char copy[32];
    if (length >= sizeof copy) return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    *side = QKV_UNLIMITED;
    return strcmp(copy, "inf") == 0 || cli_parse_size(copy, side);
}

/* window = side "," side */
static int parse_window(const char *text, qkv_attention_options *attention)
{
    if (text == NULL) return CLI_PROCEED;
    const char *comma = strchr(text, ',');
    if (comma == NULL || !parse_side(text, (size_t)(comma - text), &attention->window_left) ||
        !parse_side(comma + 1, strlen(comma + 1), &attention->window_right))
        return cli_fail_value(ATTEND, "--window", text,
                              "L,R: two whole numbers or inf, such as 128,0");
    attention->window = true;
    return CLI_PROCEED;
}

static int parse_heads(const char *const *values, attend_request *request)
{
    static const char expected[] = "a whole number from 1 on";
    const char *heads = values[OPTION_HEADS], *kv_heads = values[OPTION_KV_HEADS];
    if (heads == NULL && kv_heads != NULL)
        return cli_fail(ATTEND, "--kv-heads: has no effect by itself; expected --heads as well");
    if (heads == NULL) return CLI_PROCEED;
    if (!cli_parse_size(heads, &request->heads) || request->heads == 0)
        return cli_fail_value(ATTEND, "--heads", heads, expected);
    request->kv_heads = request->heads;
    if (kv_heads != NULL &&
        (!cli_parse_size(kv_heads, &request->kv_heads) || request->kv_heads == 0))
        return cli_fail_value(ATTEND, "--kv-heads", kv_heads, expected);
    if (request->heads % request->kv_heads != 0)
        return cli_fail(ATTEND, "--kv-heads: got %zu; expected a divisor of --heads, %zu",
                        request->kv_heads, request->heads);
    return CLI_PROCEED;
}

static int parse_type(const char *text, qkv_type *type)
{
    if (text == NULL) return CLI_PROCEED;
    *type = qkv_type_from_name(text);
    if (*type == QKV_NONE || *type == QKV_BOOL || *type == QKV_I8 || *type == QKV_E4M3)
        return cli_fail_value(ATTEND, "--type", text, "f64, f32, f16 or bf16");
    return CLI_PROCEED;
}

static int parse_computation(const char *const *values, qkv_attention_options *attention)
{
    const char *threads = values[OPTION_THREADS];
    size_t count = 0;
    if (threads != NULL && (!cli_parse_size(threads, &count) || count > INT_MAX))
        return cli_fail_value(ATTEND, "--threads", threads,
                              "a whole number, or 0 for one thread per core");
    attention->threads = (int)count;
    attention->kernel = values[OPTION_KERNEL];
    if (attention->kernel != NULL && attention->kernel[0] == '\0')
        return cli_fail_value(ATTEND, "--kernel", "", "a name that qkv --version lists");
    return CLI_PROCEED;
}

/* ---- What goes together --------------------------------------------------------------------- */

/* Standard input and output are streams: each can serve one tensor. */
static int check_streams(const attend_request *request)
{
    const char *input = NULL, *result = NULL;
    for (int i = 0; i < INPUT_COUNT; i++) {
        if (request->inputs[i] == NULL || strcmp(request->inputs[i], "-") != 0) continue;
        if (input != NULL)
            return cli_fail(ATTEND,
                            "--%s: got \"-\", but --%s reads standard input already; "
                            "expected one of them",
                            attend_roles[i].name, input);
        input = attend_roles[i].name;
    }
    for (int i = 0; i < RESULT_COUNT; i++) {
        if (request->targets[i] == NULL || strcmp(request->targets[i], "-") != 0) continue;
        if (result != NULL)
            return cli_fail(ATTEND,
                            "--%s: got \"-\", but --%s goes to standard output already; "
                            "expected one of them",
                            attend_result_options[i], result);
        result = attend_result_options[i];
    }
    if (result != NULL && (request->json || request->text))
        return cli_fail(ATTEND,
                        "--%s: got \"-\", but --%s goes to standard output already; "
                        "expected a file",
                        result, request->json ? "json" : "print");
    return CLI_PROCEED;
}

/* Results must not take the place of what they are computed from. */
static int check_targets(const attend_request *request)
{
    for (int i = 0; i < RESULT_COUNT; i++)
        for (int j = 0; j <= INPUT_COUNT; j++) {
            const char *target = request->targets[i];
            const char *input = j < INPUT_COUNT ? request->inputs[j] : request->file;
            if (target == NULL || input == NULL || !cli_input_reads(input, target)) continue;
            return cli_fail(ATTEND, "--%s: %s is an input; expected another file",
                            attend_result_options[i], target);
        }
    return CLI_PROCEED;
}

static int check_inputs(const attend_request *request)
{
    for (int i = 0; i < OPERAND_COUNT; i++)
        if (request->inputs[i] == NULL && request->file == NULL)
            return cli_fail(ATTEND,
                            "--%s: is missing; expected a file or a literal such as "
                            "[[1,0],[0,1]]",
                            attend_roles[i].name);
    return CLI_PROCEED;
}

static int take_operands(char **operands, size_t count, attend_request *request)
{
    if (count == 0) return CLI_PROCEED;
    bool named;
    if (!qkv_is_tensor_file(operands[0], &named) || !named)
        return cli_fail(ATTEND,
                        "got \"%.64s\" without an option; expected FILE.safetensors, or "
                        "--query, --key and --value before each input",
                        operands[0]);
    if (count > 1)
        return cli_fail(ATTEND, "got \"%.64s\" beside \"%.64s\"; expected one FILE.safetensors",
                        operands[1], operands[0]);
    request->file = operands[0];
    return CLI_PROCEED;
}

/* Text is for those who take nothing else: no file for the output, nothing on standard output. */
static bool wants_text(const attend_request *request, bool print)
{
    if (print) return true;
    if (request->json || request->targets[RESULT_OUTPUT] != NULL) return false;
    for (int i = 0; i < RESULT_COUNT; i++)
        if (request->targets[i] != NULL && strcmp(request->targets[i], "-") == 0) return false;
    return true;
}

static int fill_request(const char *const *values, attend_request *request)
{
    int status = parse_scale(values[OPTION_SCALE], &request->options.scale);
    if (status == CLI_PROCEED) status = parse_numbers(values, &request->options);
    if (status == CLI_PROCEED) status = parse_positions(values, &request->options);
    if (status == CLI_PROCEED) status = parse_window(values[OPTION_WINDOW], &request->options);
    if (status == CLI_PROCEED) status = parse_heads(values, request);
    if (status == CLI_PROCEED) status = parse_type(values[OPTION_TYPE], &request->type);
    if (status == CLI_PROCEED) status = parse_computation(values, &request->options);
    if (status != CLI_PROCEED) return status;
    for (int i = 0; i < INPUT_COUNT; i++) request->inputs[i] = values[OPTION_QUERY + i];
    for (int i = 0; i < RESULT_COUNT; i++) request->targets[i] = values[result_options[i]];
    request->json = values[OPTION_JSON] != NULL;
    request->text = wants_text(request, values[OPTION_PRINT] != NULL);
    if (values[OPTION_PRINT] != NULL && request->json)
        return cli_fail(ATTEND, "--print: cannot go with --json; expected one of them");
    return CLI_PROCEED;
}

int attend_parse(int count, char **words, attend_request *request)
{
    const char *values[OPTION_COUNT];
    size_t operand_count;
    *request = (attend_request){.options = qkv_attention_default()};
    int status = cli_options_parse(&attend_usage, count, words, values, &operand_count);
    if (status == CLI_PROCEED) status = take_operands(words, operand_count, request);
    if (status == CLI_PROCEED) status = fill_request(values, request);
    if (status == CLI_PROCEED) status = check_inputs(request);
    if (status == CLI_PROCEED) status = check_streams(request);
    if (status == CLI_PROCEED) status = check_targets(request);
    return status;
}
