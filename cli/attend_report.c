/* What `qkv attend` prints: text for people, JSON for programs. Computes nothing. */
#include <math.h>
#include <stdlib.h>

#include "attend.h"
#include "json.h"
#include "show.h"

static const cli_axis batch = {"batch", "batch"}, heads = {"heads", "head"};
static const cli_axis queries = {"queries", "query"}, keys = {"keys", "key"};
static const cli_axis width = {"width", "width"};

/* ---- Text --------------------------------------------------------------------------------- */

/* The axes of a result of `rank`, the last of which is `last`. A packed output of rank 3 has a
 * batch where others have heads. */
static void show(const char *title, const qkv_view *view, bool packed, cli_axis last)
{
    cli_axis axes[QKV_MAX_RANK] = {batch, heads, queries, last};
    if (packed) axes[1] = batch;
    cli_show(stdout, title, view, axes + QKV_MAX_RANK - view->rank);
}

void attend_print_text(const attend_job *job)
{
    const qkv_view *query = &job->operands[INPUT_QUERY], *key = &job->operands[INPUT_KEY];
    if (attend_weights_shown(job))
        show("weights", qkv_tensor_view(job->results[RESULT_WEIGHTS]), false, keys);
    else
        printf("weights (queries x keys), %zu x %zu: not shown; --weights FILE keeps them\n",
               query->shape[query->rank - 2], key->shape[key->rank - 2]);
    putchar('\n');
    show("output", qkv_tensor_view(job->results[RESULT_OUTPUT]), job->request.heads > 0, width);
}

/* ---- JSON --------------------------------------------------------------------------------- */

/* The scale that the operator used, by the rules of qkv/attention.h. */
static double scale_used(const attend_job *job)
{
    double scale = job->request.options.scale;
    const qkv_view *query = &job->operands[INPUT_QUERY];
    size_t query_width = query->shape[query->rank - 1];
    if (scale == QKV_SCALE_ZERO) return 0.0;
    if (scale != 0.0) return scale;
    return query_width == 0 ? 1.0 : 1.0 / sqrt((double)query_width);
}

static const char *kernel_used(const attend_job *job)
{
    const char *asked = job->request.options.kernel;
    if (asked == NULL) asked = getenv("QKV_KERNEL");
    return asked != NULL && asked[0] != '\0' ? asked : qkv_kernel_name(0);
}

static void print_shapes(const attend_job *job)
{
    printf("  \"shapes\": {");
    for (int i = 0; i < OPERAND_COUNT; i++) {
        printf("\"%s\": ", attend_roles[i].name);
        cli_json_shape(stdout, qkv_tensor_view(job->inputs[i].tensor));
        printf(", ");
    }
    printf("\"output\": ");
    cli_json_shape(stdout, qkv_tensor_view(job->results[RESULT_OUTPUT]));
    printf("},\n");
}

static void print_written(const attend_job *job)
{
    const char *separator = "";
    printf("  \"written\": {");
    for (int i = 0; i < RESULT_COUNT; i++) {
        if (job->request.targets[i] == NULL) continue;
        printf("%s\"%s\": ", separator, attend_result_names[i]);
        cli_json_string(stdout, job->request.targets[i]);
        separator = ", ";
    }
    printf("}\n");
}

void attend_print_json(const attend_job *job)
{
    printf("{\n");
    print_shapes(job);
    printf("  \"type\": \"%s\",\n",
           qkv_type_name(qkv_tensor_view(job->results[RESULT_OUTPUT])->type));
    printf("  \"scale\": %.17g,\n", scale_used(job));
    printf("  \"kernel\": ");
    cli_json_string(stdout, kernel_used(job));
    printf(",\n  \"threads\": %d,\n", job->request.options.threads);
    printf("  \"seconds\": %.6f,\n", job->seconds);
    print_written(job);
    printf("}\n");
}
