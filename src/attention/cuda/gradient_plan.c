/* Choosing the gradient's kernels and laying out their workspace. Knows no header of CUDA's. */
#include "attention/cuda/gradient_plan.h"

#include <string.h>

#include "attention/cuda/gradient_range.h"
#include "base/error.h"

/* Tiles of all heads stay under this: rows, and blocks of threads for them, fit in 31 bits. */
#define TILE_LIMIT ((size_t)1 << 24)

static size_t divide_up(size_t count, size_t by)
{
    return count / by + (count % by != 0);
}

static size_t take(size_t *bytes, size_t count)
{
    const size_t offset = *bytes;
    *bytes += divide_up(count, 64) * 64;
    return offset;
}

static bool is_wanted(const qkv_view *view)
{
    return view->rank > 0 && qkv_view_count(view) > 0;
}

static bool is_fit(const qkv_view *view, qkv_type type)
{
    return view->rank == 0 || (view->type == type && qkv__cuda_is_aligned(view));
}

static size_t tiles_of(size_t queries)
{
    return divide_up(queries, QKV__CUDA_GRADIENT_QUERIES);
}

static size_t blocks_of(size_t keys)
{
    return divide_up(keys, QKV__CUDA_GRADIENT_KEYS);
}

/* Rows of dk and dv that belong to a sequence: keys, and those past a key length. */
static size_t rows_of(const qkv__problem *p, size_t keys)
{
    return p->packed ? keys : p->key.shape[QKV__LENGTH];
}

/* Why the fast kernel cannot take the call, or NULL. */
static const char *hopper_lacks(const qkv__gradient *g, const qkv__cuda_device *device)
{
    const qkv__problem *p = &g->problem;
    const size_t width = p->query.shape[QKV__WIDTH];
    const char *lacks = qkv__cuda_hopper_lacks(p, device);
    if (lacks != NULL) return lacks;
    if ((width != 64 && width != 128) || p->value.shape[QKV__WIDTH] != width)
        return "widths 64 or 128 for the gradient";
    if (!is_fit(&g->dq, p->query.type) || !is_fit(&g->dk, p->query.type) ||
        !is_fit(&g->dv, p->query.type))
        return "gradients of the query's type, with rows at multiples of 16 bytes";
    if (p->heads == 0 || p->sequences == 0 || p->query.shape[QKV__LENGTH] == 0) return "queries";
    /* Sequences end with tiles and blocks that are not full. */
    const size_t batch = p->query.shape[QKV__BATCH], ends = p->packed ? p->sequences : 1;
    if (tiles_of(p->query.shape[QKV__LENGTH]) + ends >= TILE_LIMIT / p->heads / batch)
        return "fewer queries";
    if (blocks_of(p->key.shape[QKV__LENGTH]) + ends >= TILE_LIMIT / p->heads / batch)
        return "fewer keys";
    return NULL;
}

/*
 * Key heads whose blocks take turns, the longest first. What they read and add to, again and again,
 * should stay in the cache together, half of it: queries, gradients and sums of dq. More of them
 * mean that fewer blocks of one head are at work at the same time, which begin one behind the
 * other. With a mask blocks differ, and there must be several for each multiprocessor. More than
 * eight heads gain nothing: short ones would only come from memory again.
 */
enum { BLOCKS_EACH = 4, UNITS_AT_MOST = 8 };

static size_t section_units(const qkv__cuda_gradient_plan *plan, const qkv__problem *p,
                            const qkv__cuda_device *device)
{
    const bool ranged = p->options.causal || p->options.window;
    const size_t unit =
        (size_t)plan->width * (2 + 2 + 4) * p->group * (plan->tiles * QKV__CUDA_GRADIENT_QUERIES);
    const size_t least =
        divide_up((ranged ? BLOCKS_EACH : 1) * (size_t)device->multiprocessors, plan->blocks);
    size_t together = device->cache / 2 / unit;
    if (together < least) together = least;
    if (together > UNITS_AT_MOST) together = UNITS_AT_MOST;
    const size_t sections = together < plan->units ? plan->units / together : 1;
    return divide_up(plan->units, sections);
}

/* With a list: the tiles of a head of a batch, and the blocks of all sequences. */
static void count_listed(const qkv__problem *p, qkv__cuda_gradient_plan *plan)
{
    plan->blocks = 0;
    if (p->packed) plan->tiles = 0;
    for (size_t s = 0; s < p->sequences; s++) {
        size_t queries, keys;
        qkv__problem_lengths(p, s, &queries, &keys);
        if (p->packed) plan->tiles += tiles_of(queries);
        plan->blocks += blocks_of(rows_of(p, keys));
    }
}

static int32_t limited(ptrdiff_t side)
{
    return side < QKV__CUDA_POSITION_LIMIT ? (int32_t)side : QKV__CUDA_POSITION_LIMIT;
}

bool qkv__cuda_gradient_plan_write(const qkv__cuda_gradient_plan *plan, const qkv__gradient *g,
                                   qkv__cuda_write *write, void *context)
{
    const qkv__problem *p = &g->problem;
    size_t tile = 0, block = 0;
    for (size_t s = 0; plan->listed && s < p->sequences; s++) {
        qkv__head head;
        qkv__problem_head(p, s, 0, &head);
        const qkv__cuda_gradient_sequence sequence = {
            .positions = {.queries = (int32_t)head.queries,
                          .keys = (int32_t)head.keys,
                          .offset = (int32_t)head.offset,
                          .left = limited(head.left),
                          .right = limited(head.right)},
            .batch = p->packed ? 0 : (int32_t)s,
            .query = p->packed ? (int32_t)p->options.query_starts[s] : 0,
            .key = p->packed ? (int32_t)p->options.key_starts[s] : 0,
            .rows = (int32_t)rows_of(p, head.keys),
            .tile = (int32_t)tile,
            .block = (int32_t)block,
            .number = (int32_t)s,
        };
        if (!write(context, plan->sequences + s * sizeof sequence, &sequence, sizeof sequence))
            return false;
        if (p->packed) tile += tiles_of(head.queries);
        block += blocks_of(rows_of(p, head.keys));
    }
    for (size_t h = 0; g->sink_sums != NULL && h < p->heads; h++) {
        const float sink = (float)(p->options.sinks[h] * 1.4426950408889634);
        if (!write(context, plan->sinks + h * sizeof sink, &sink, sizeof sink)) return false;
    }
    return true;
}

static qkv_status plan_hopper(const qkv__gradient *g, const qkv__cuda_device *device,
                              qkv__cuda_gradient_plan *plan, qkv_error *error)
{
    const qkv__problem *p = &g->problem;
    plan->path = QKV__CUDA_HOPPER;
    plan->width = (int)p->query.shape[QKV__WIDTH];
    const size_t batch = p->query.shape[QKV__BATCH];
    plan->listed = p->packed || p->options.key_lengths != NULL || p->options.softcap > 0.0 ||
                   p->options.dropout != 0.0;
    plan->units = p->heads / p->group * batch;
    plan->tiles = tiles_of(p->query.shape[QKV__LENGTH]);
    plan->blocks = blocks_of(p->key.shape[QKV__LENGTH]);
    if (plan->listed)
        count_listed(p, plan);
    else
        plan->section = section_units(plan, p, device);
    const size_t tiles = plan->tiles * p->heads * batch;
    const size_t rows = tiles * QKV__CUDA_GRADIENT_QUERIES;
    if (g->log_sum_exp.rank == 0) {
        qkv__problem forward;
        qkv__cuda_gradient_forward(g, plan, NULL, &forward);
        const qkv_status status = qkv__cuda_plan_make(&forward, device, &plan->call, error);
        if (status != QKV_OK) return status;
        const size_t numbers = p->query.shape[QKV__LENGTH] * p->heads * batch;
        plan->bytes = plan->call.bytes;
        plan->output = take(&plan->bytes, numbers * (size_t)plan->width * 2);
        plan->log_sum_exp = take(&plan->bytes, numbers * sizeof(float));
    }
    plan->counter = take(&plan->bytes, sizeof(uint32_t));
    plan->turns = take(&plan->bytes,
                       tiles * ((size_t)plan->width / QKV__CUDA_GRADIENT_PIECE) * sizeof(uint32_t));
    plan->row_log = take(&plan->bytes, rows * sizeof(float));
    plan->row_mean = take(&plan->bytes, rows * sizeof(float));
    plan->sums = take(&plan->bytes, rows * (size_t)plan->width * sizeof(float));
    plan->sequences =
        take(&plan->bytes, plan->listed ? p->sequences * sizeof(qkv__cuda_gradient_sequence) : 0);
    plan->sinks = take(&plan->bytes, g->sink_sums != NULL ? p->heads * sizeof(float) : 0);
    return QKV_OK;
}

static void plan_portable(const qkv__gradient *g, qkv__cuda_gradient_plan *plan)
{
    const qkv__problem *p = &g->problem;
    const size_t rows = qkv_view_count(&p->query) == 0
                            ? p->query.shape[QKV__BATCH] * p->heads * p->query.shape[QKV__LENGTH]
                            : qkv_view_count(&p->query) / p->query.shape[QKV__WIDTH];
    plan->path = QKV__CUDA_PORTABLE;
    qkv__cuda_plan_tables(p, &plan->call);
    plan->bytes = plan->call.bytes;
    plan->kept = take(&plan->bytes, rows * QKV__CUDA_KEPT *
                                        (p->compute == QKV_F64 ? sizeof(double) : sizeof(float)));
}

qkv_status qkv__cuda_gradient_plan_make(const qkv__gradient *g, const qkv__cuda_device *device,
                                        qkv__cuda_gradient_plan *plan, qkv_error *error)
{
    const char *name = g->problem.options.kernel;
    const char *lacks = hopper_lacks(g, device);
    *plan = (qkv__cuda_gradient_plan){.path = QKV__CUDA_NOTHING};
    const bool hopper = name != NULL && strcmp(name, "hopper") == 0;
    if (name != NULL && !hopper && strcmp(name, "portable") != 0)
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "kernel is \"%s\"; for the gradient on a CUDA device expected \"hopper\" "
                         "or \"portable\"",
                         name);
    if (hopper && lacks != NULL)
        return qkv__fail(error, QKV_ERROR_UNSUPPORTED, "kernel \"hopper\" needs %s", lacks);
    if (!is_wanted(&g->dq) && !is_wanted(&g->dk) && !is_wanted(&g->dv) &&
        !is_wanted(&g->mask_gradient) && g->slope_sums == NULL && g->sink_sums == NULL)
        return QKV_OK;
    if (lacks == NULL && (name == NULL || hopper)) return plan_hopper(g, device, plan, error);
    plan_portable(g, plan);
    return QKV_OK;
}

void qkv__cuda_gradient_forward(const qkv__gradient *g, const qkv__cuda_gradient_plan *plan,
                                void *workspace, qkv__problem *forward)
{
    const qkv__problem *p = &g->problem;
    unsigned char *base = workspace;
    *forward = *p;
    forward->options.kernel = NULL;
    forward->output = qkv_view_dense(p->query.type, base == NULL ? NULL : base + plan->output, 4,
                                     p->output.shape);
    forward->options.log_sum_exp =
        qkv_view_dense(QKV_F32, base == NULL ? NULL : base + plan->log_sum_exp, 3, p->output.shape);
}
