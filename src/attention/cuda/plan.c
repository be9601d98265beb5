/* Choosing a kernel, cutting the work into tiles and laying out the workspace. Knows no header of
 * CUDA's. */
#include "attention/cuda/plan.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "attention/cuda/shapes.h"
#include "base/error.h"

#define LOG2_E 1.4426950408889634

/* The fast kernels, by width: one row to add one. */
static const struct shape {
    int width, value_width, rows, keys_full, keys_ranged;
} shapes[] = {
    {64, 64, 64 * QKV__CUDA_64_CONSUMERS, QKV__CUDA_64_KEYS_FULL, QKV__CUDA_64_KEYS_RANGED},
    {128, 128, 64 * QKV__CUDA_128_CONSUMERS, QKV__CUDA_128_KEYS_FULL, QKV__CUDA_128_KEYS_RANGED},
    {192, 128, 64 * QKV__CUDA_192_CONSUMERS, QKV__CUDA_192_KEYS_FULL, QKV__CUDA_192_KEYS_RANGED},
    {256, 256, 64 * QKV__CUDA_256_CONSUMERS, QKV__CUDA_256_KEYS_FULL, QKV__CUDA_256_KEYS_RANGED},
};

static const struct shape *find_shape(const qkv__problem *p)
{
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        if (p->query.shape[QKV__WIDTH] == (size_t)shapes[i].width &&
            p->value.shape[QKV__WIDTH] == (size_t)shapes[i].value_width)
            return &shapes[i];
    return NULL;
}

const char *qkv__cuda_path_name(qkv__cuda_path path)
{
    switch (path) {
    case QKV__CUDA_DECODE: return "decode";
    case QKV__CUDA_HOPPER: return "hopper";
    case QKV__CUDA_TILED: return "tiled";
    case QKV__CUDA_PORTABLE: return "portable";
    case QKV__CUDA_TF32: return "tf32";
    case QKV__CUDA_NOTHING: break;
    }
    return "none";
}

qkv_status qkv__cuda_workspace_check(const void *workspace, size_t bytes, size_t needed,
                                     const char *call, qkv_error *error)
{
    if (needed > 0 && (workspace == NULL || bytes < needed))
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "workspace has %zu bytes; expected %zu, see %s",
                         workspace == NULL ? 0 : bytes, needed, call);
    if (needed > 0 && (size_t)workspace % 64 != 0)
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "workspace is at %p; expected a multiple of 64 bytes", workspace);
    return QKV_OK;
}

/* ---- Whether the fast kernel fits ---------------------------------------------------------- */

bool qkv__cuda_is_aligned(const qkv_view *view)
{
    const ptrdiff_t unit = 16 / (ptrdiff_t)qkv_type_size(view->type);
    const ptrdiff_t most = (ptrdiff_t)1 << 39; /* of elements: 2^40 bytes */
    if ((size_t)view->data % 16 != 0 || view->stride[QKV__WIDTH] != 1) return false;
    for (int axis = QKV__BATCH; axis < QKV__WIDTH; axis++) {
        const ptrdiff_t stride = view->stride[axis];
        if (view->shape[axis] > 1 && (stride <= 0 || stride % unit != 0 || stride >= most))
            return false;
        if (view->shape[axis] >= (size_t)QKV__CUDA_POSITION_LIMIT) return false;
    }
    return true;
}

/* Keys and values where they lie, whether in pages or not. */
static bool keys_aligned(const qkv__problem *p)
{
    const qkv_view key = qkv__problem_pool(p, &p->key), value = qkv__problem_pool(p, &p->value);
    return qkv__cuda_is_aligned(&key) && qkv__cuda_is_aligned(&value) &&
           p->key.shape[QKV__LENGTH] < (size_t)QKV__CUDA_POSITION_LIMIT;
}

/* Why none of the kernels for Hopper can take it, or NULL; types and widths of keys and values
 * apart. */
static const char *hopper_lacks(const qkv__problem *p, const qkv__cuda_device *device)
{
    const qkv_attention_options *o = &p->options;
    const qkv_type type = p->query.type;
    if (device->major != 9) return "a device of compute capability 9.0";
    if (type != QKV_F16 && type != QKV_BF16) return "bf16 or f16";
    if (o->mask.rank > 0 || o->alibi_slopes != NULL) return "no mask and no ALiBi";
    if (qkv__problem_wants_more(p)) return "no result but the output and log_sum_exp";
    if (!((float)(p->scale * LOG2_E) >= FLT_MIN)) return "a positive scale";
    if (!qkv__cuda_is_aligned(&p->query) || !qkv__cuda_is_aligned(&p->output) || !keys_aligned(p))
        return "rows at multiples of 16 bytes, with their numbers side by side";
    if (p->key.shape[QKV__LENGTH] == 0) return "keys";
    if (o->query_offset >= QKV__CUDA_POSITION_LIMIT || o->query_offset <= -QKV__CUDA_POSITION_LIMIT)
        return "a query_offset under 2^28";
    return NULL;
}

static bool one_type(const qkv__problem *p)
{
    const qkv_type type = p->query.type;
    return p->key.type == type && p->value.type == type && p->output.type == type;
}

const char *qkv__cuda_hopper_lacks(const qkv__problem *p, const qkv__cuda_device *device)
{
    if (!one_type(p)) return "one type for query, key, value and output";
    if (find_shape(p) == NULL) return "widths 64, 128, 256, or 192 with values of 128";
    if (p->options.page_columns > 0) return "no pages";
    if (p->options.dropout != 0.0 &&
        (p->options.softcap > 0.0 || find_shape(p)->width != find_shape(p)->value_width ||
         find_shape(p)->width > 128))
        return "widths 64 or 128 and no soft cap, with dropout";
    return hopper_lacks(p, device);
}

/* ---- Keys and values in order --------------------------------------------------------------- */

/* Queries from which on copying pages of 16-bit numbers, to be read by faster products, pays. */
enum { QUERIES_TO_ORDER = 256 };

static bool is_short(qkv_type type)
{
    return type == QKV_E4M3 || type == QKV_I8;
}

/*
 * Whether copies of keys and values may be read instead of them. Copies of 8 bits, and of pages,
 * are exact; those that have scales are rounded as 16-bit keys and values are, which few queries
 * need not put up with.
 */
static bool may_order(const qkv__problem *p)
{
    const qkv_type type = p->query.type;
    const size_t queries = p->query.shape[QKV__LENGTH];
    const bool scaled = p->options.key_scales.rank > 0 || p->options.value_scales.rank > 0;
    if (is_short(p->key.type) && is_short(p->value.type))
        return !scaled || queries > QKV__CUDA_DECODE_ROWS;
    return p->key.type == type && p->value.type == type && p->options.page_columns > 0 &&
           queries >= QUERIES_TO_ORDER;
}

/* Rows that a copy needs of each head. */
static size_t longest_sequence(const qkv__problem *p)
{
    size_t longest = 0;
    if (p->packed || p->options.key_lengths == NULL) return p->key.shape[QKV__LENGTH];
    for (size_t s = 0; s < p->sequences; s++) {
        size_t queries, keys;
        qkv__problem_lengths(p, s, &queries, &keys);
        if (keys > longest) longest = keys;
    }
    return longest;
}

static void order_view(const qkv__problem *p, size_t rows, void *data, qkv_view *view)
{
    view->data = data;
    view->type = p->query.type;
    view->shape[QKV__LENGTH] = rows;
    view->stride[QKV__WIDTH] = 1;
    for (int axis = QKV__WIDTH; axis-- > 0;)
        view->stride[axis] = view->stride[axis + 1] * (ptrdiff_t)view->shape[axis + 1];
}

void qkv__cuda_plan_ordered(const qkv__cuda_plan *plan, const qkv__problem *p, void *workspace,
                            qkv__problem *ordered)
{
    unsigned char *base = workspace;
    const size_t rows = longest_sequence(p);
    *ordered = *p;
    order_view(p, rows, base == NULL ? NULL : base + plan->ordered_key, &ordered->key);
    order_view(p, rows, base == NULL ? NULL : base + plan->ordered_value, &ordered->value);
    ordered->options.page_table = NULL;
    ordered->options.page_columns = 0;
    ordered->options.key_scales = ordered->options.value_scales = (qkv_view){0};
}

/* Why "hopper" can take neither the problem nor copies of its keys and values, or NULL. */
static const char *hopper_lacks_anyhow(const qkv__problem *p, const qkv__cuda_device *device)
{
    const char *lacks = qkv__cuda_hopper_lacks(p, device);
    if (lacks == NULL || !may_order(p)) return lacks;
    const qkv__cuda_plan empty = {.path = QKV__CUDA_NOTHING};
    qkv__problem ordered;
    qkv__cuda_plan_ordered(&empty, p, NULL, &ordered);
    return qkv__cuda_hopper_lacks(&ordered, device);
}

/* Whether a scale is the same for all rows of a head. */
static bool scale_is_one(const qkv__problem *p, const qkv_view *scale)
{
    const bool paged = p->options.page_columns > 0;
    return scale->rank == 0 ||
           ((scale->stride[QKV__LENGTH] == 0 || scale->shape[QKV__LENGTH] == 1) &&
            (!paged || scale->stride[QKV__BATCH] == 0 || p->pages == 1));
}

/* Whether a chunk of keys is made of whole pages, or a page of whole chunks. */
static bool page_fits(size_t size)
{
    return size % QKV__CUDA_DECODE_BOX == 0 ||
           (size >= 8 && size < QKV__CUDA_DECODE_BOX && QKV__CUDA_DECODE_BOX % size == 0);
}

/* Why the kernel for few queries cannot take it, or NULL. */
static const char *decode_lacks(const qkv__problem *p, const qkv__cuda_device *device)
{
    const qkv_attention_options *o = &p->options;
    const size_t width = p->query.shape[QKV__WIDTH], value_width = p->value.shape[QKV__WIDTH];
    const size_t queries = p->query.shape[QKV__LENGTH];
    const bool eight = p->key.type == QKV_E4M3 && p->value.type == QKV_E4M3;
    if (eight ? p->output.type != p->query.type : !one_type(p))
        return "one type for query, key, value and output, or e4m3 for key and value";
    if (p->packed) return "no packed sequences";
    if (o->dropout != 0.0) return "no dropout";
    if (queries > QKV__CUDA_DECODE_ROWS || p->group * queries > QKV__CUDA_DECODE_ROWS)
        return "at most 16 rows: queries times query heads for a key head";
    if (!(value_width == width && (width == 64 || width == 128 || width == 256)) &&
        (eight || width != 192 || value_width != 128))
        return "widths 64, 128, 256, or, not in e4m3, 192 with values of 128";
    if (o->page_columns > 0 && !page_fits(p->page_size))
        return "pages of 8, 16, 32, 64, or a multiple of 128 keys";
    return hopper_lacks(p, device);
}

/* Why kernels in tiles on any device cannot take it, or NULL; types and widths apart. */
static const char *tiles_lack(const qkv__problem *p, const qkv__cuda_device *device)
{
    const ptrdiff_t offset = p->options.query_offset;
    if (device->major < 8) return "a device of compute capability 8.0 or newer";
    if (!one_type(p)) return "one type for query, key, value and output";
    if (qkv__problem_wants_more(p)) return "no result but the output and log_sum_exp";
    if (!(fabs(p->scale * LOG2_E) <= FLT_MAX)) return "a scale that fits in f32";
    if (!qkv__cuda_is_aligned(&p->query) || !qkv__cuda_is_aligned(&p->output) || !keys_aligned(p))
        return "rows at multiples of 16 bytes, with their numbers side by side";
    if (p->heads > UINT16_MAX || p->sequences > UINT16_MAX) return "fewer heads and sequences";
    if (offset >= QKV__CUDA_POSITION_LIMIT || offset <= -QKV__CUDA_POSITION_LIMIT)
        return "a query_offset under 2^28";
    return NULL;
}

/* Whether both widths are multiples of `step`, from there to `most`. */
static bool widths_fit(const qkv__problem *p, size_t step, size_t most)
{
    const size_t width = p->query.shape[QKV__WIDTH], value_width = p->value.shape[QKV__WIDTH];
    return width % step == 0 && value_width % step == 0 && width > 0 && value_width > 0 &&
           width <= most && value_width <= most;
}

static const char *tiled_lacks(const qkv__problem *p, const qkv__cuda_device *device)
{
    if (p->query.type != QKV_F16 && p->query.type != QKV_BF16) return "bf16 or f16";
    if (!widths_fit(p, 8, 256)) return "widths that are multiples of 8, up to 256";
    return tiles_lack(p, device);
}

static const char *tf32_lacks(const qkv__problem *p, const qkv__cuda_device *device)
{
    if (p->query.type != QKV_F32) return "f32";
    if (!widths_fit(p, 4, 128)) return "widths that are multiples of 4, up to 128";
    return tiles_lack(p, device);
}

/* ---- Tiles ----------------------------------------------------------------------------------- */

static size_t divide_up(size_t count, size_t by)
{
    return count / by + (count % by != 0);
}

static int32_t limited(ptrdiff_t side)
{
    return side < QKV__CUDA_POSITION_LIMIT ? (int32_t)side : QKV__CUDA_POSITION_LIMIT;
}

/* Blocks of keys that a tile looks at: what it costs. As tile_find in schedule.cuh. */
static size_t tile_blocks(const qkv__cuda_plan *plan, const qkv__head *head, size_t first,
                          size_t rows)
{
    const ptrdiff_t position = (ptrdiff_t)first + head->offset;
    const ptrdiff_t left = limited(head->left), right = limited(head->right);
    const ptrdiff_t begin = position > left ? position - left : 0;
    ptrdiff_t end = position + (ptrdiff_t)rows + right;
    if (end > (ptrdiff_t)head->keys) end = (ptrdiff_t)head->keys;
    if (begin >= end) return 0;
    return divide_up((size_t)end, (size_t)plan->keys) - (size_t)begin / (size_t)plan->keys;
}

/* The tiles of one sequence, first to last. */
static size_t sequence_tiles(const qkv__cuda_plan *plan, size_t queries)
{
    return divide_up(queries, (size_t)plan->rows);
}

/*
 * Heads whose tiles take turns, the longest first. Their keys and values should stay in the cache
 * together, half of it; but there must be several tiles for each multiprocessor, or those that get
 * the longest ones of the last section end late. Sections are equal and hold whole groups. Without
 * a mask tiles are alike, and one group after the other will do.
 */
enum { TILES_EACH = 4 };

static size_t section_heads(const qkv__cuda_plan *plan, const qkv__problem *p,
                            const qkv__cuda_device *device, size_t tiles_per_head)
{
    const size_t row = (size_t)(plan->width + plan->value_width) * 2;
    const size_t units = p->heads * p->sequences, fit = device->cache / 2 / row;
    if (!plan->ranged) return p->group;
    size_t together = fit / p->key.shape[QKV__LENGTH] * p->group;
    const size_t least = divide_up(TILES_EACH * (size_t)device->multiprocessors, tiles_per_head);
    if (together < least) together = least;
    const size_t sections = together < units ? units / together : 1;
    const size_t groups = divide_up(divide_up(units, sections), p->group);
    return groups * p->group;
}

static size_t take(size_t *bytes, size_t count)
{
    const size_t offset = *bytes;
    *bytes += divide_up(count, 64) * 64;
    return offset;
}

static bool plan_hopper(const qkv__problem *p, const qkv__cuda_device *device, qkv__cuda_plan *plan)
{
    const struct shape *shape = find_shape(p);
    const qkv_attention_options *o = &p->options;
    qkv__head head;
    qkv__problem_head(p, 0, 0, &head);
    plan->path = QKV__CUDA_HOPPER;
    plan->width = shape->width;
    plan->value_width = shape->value_width;
    plan->dropped = o->dropout != 0.0;
    plan->rows = plan->dropped ? 64 * QKV__CUDA_DROPPED_CONSUMERS : shape->rows;
    plan->ranged = o->causal || o->window || plan->dropped;
    plan->keys = plan->dropped  ? QKV__CUDA_DROPPED_KEYS
                 : plan->ranged ? shape->keys_ranged
                                : shape->keys_full;
    plan->capped = o->softcap > 0.0;
    plan->listed = p->packed || o->key_lengths != NULL;
    if (plan->listed) {
        for (size_t s = 0; s < p->sequences; s++) {
            size_t queries, keys;
            qkv__problem_lengths(p, s, &queries, &keys);
            plan->items += sequence_tiles(plan, queries);
        }
        plan->tiles = plan->items * p->heads;
    } else {
        plan->tiles = sequence_tiles(plan, head.queries) * p->heads * p->sequences;
    }
    if (plan->tiles >= (size_t)QKV__CUDA_POSITION_LIMIT) return false;
    const size_t multiprocessors = (size_t)device->multiprocessors;
    plan->blocks = plan->tiles < multiprocessors ? plan->tiles : multiprocessors;
    const bool taken = plan->ranged || plan->listed; /* tiles differ: whoever is free takes one */
    plan->schedule = (qkv__cuda_schedule){
        .tiles = (int32_t)plan->tiles,
        .tiles_per_head = (int32_t)sequence_tiles(plan, head.queries),
        .section = plan->listed ? 1
                                : (int32_t)section_heads(plan, p, device,
                                                         sequence_tiles(plan, head.queries)),
        .units = (int32_t)(p->heads * p->sequences),
        .heads = (int32_t)p->heads,
        .group = (int32_t)p->group,
        .descending = plan->ranged,
        .queries = (int32_t)head.queries,
        .keys = (int32_t)head.keys,
        .offset = plan->listed ? 0 : (int32_t)head.offset,
    };
    plan->counter = take(&plan->bytes, taken ? sizeof(uint32_t) : 0);
    plan->list = take(&plan->bytes, plan->items * sizeof(qkv__cuda_item));
    plan->sinks = take(&plan->bytes, o->sinks != NULL ? p->heads * sizeof(float) : 0);
    return true;
}

/* The same, after copies of keys and values where the problem cannot be taken as it is. */
static bool plan_hopper_anyhow(const qkv__problem *p, const qkv__cuda_device *device,
                               qkv__cuda_plan *plan)
{
    if (qkv__cuda_hopper_lacks(p, device) == NULL) return plan_hopper(p, device, plan);
    qkv__problem ordered;
    qkv__cuda_plan_ordered(plan, p, NULL, &ordered);
    if (!plan_hopper(&ordered, device, plan)) return false;
    const size_t size = qkv_type_size(p->query.type);
    plan->ordered = true;
    plan->ordered_key = take(&plan->bytes, qkv_view_count(&ordered.key) * size);
    plan->ordered_value = take(&plan->bytes, qkv_view_count(&ordered.value) * size);
    return true;
}

/* Splits of a sequence of `keys` keys; as find_unit in decode_merge.cuh. */
static size_t count_splits(size_t keys, size_t split)
{
    return divide_up(keys, keys < (size_t)QKV__CUDA_DECODE_LONG ? split : 2 * split);
}

/* Splits that a sequence has at most. With key_lengths these do not matter, only the room: the same
 * workspace will do while sequences grow. */
static size_t most_splits(const qkv__problem *p, size_t split)
{
    const size_t keys = p->key.shape[QKV__LENGTH];
    const size_t most = count_splits(keys, split);
    if (p->options.key_lengths == NULL || keys < (size_t)QKV__CUDA_DECODE_LONG) return most;
    const size_t below = count_splits((size_t)QKV__CUDA_DECODE_LONG - 1, split);
    return most > below ? most : below;
}

/* Whether a block has room for what several splits of a head add up to. */
static bool has_room(const qkv__cuda_plan *plan, size_t rows)
{
    return rows <= QKV__CUDA_DECODE_WHOLE_ROWS &&
           plan->value_width <= QKV__CUDA_DECODE_WHOLE_WIDTH && plan->splits > 1 &&
           plan->splits <= QKV__CUDA_DECODE_WHOLE_SPLITS;
}

/*
 * Key heads that have one block for all of their splits, which it then need not write to memory. As
 * many as blocks begin together, or twice as many, and so on, while as much as three quarters of
 * what these do is left: in single splits, so that all multiprocessors end together.
 */
static size_t count_whole(const qkv__cuda_plan *plan, size_t rows)
{
    const size_t together = 2 * (size_t)plan->multiprocessors;
    const size_t round = together * (size_t)plan->splits;
    if (!has_room(plan, rows) || 4 * plan->units < 7 * round) return 0;
    return (4 * plan->units - 3 * round) / (4 * round) * together;
}

/* Partial results of a unit: of each row the sums, the highest score and the total. */
static bool plan_decode(const qkv__problem *p, const qkv__cuda_device *device, qkv__cuda_plan *plan)
{
    const qkv_attention_options *o = &p->options;
    const size_t heads = p->heads / p->group * p->sequences;
    plan->path = QKV__CUDA_DECODE;
    plan->width = (int)p->query.shape[QKV__WIDTH];
    plan->value_width = (int)p->value.shape[QKV__WIDTH];
    /* As many bytes, whatever the type. */
    plan->split = QKV__CUDA_DECODE_SPLIT * 2 / (int)qkv_type_size(p->key.type);
    plan->splits = (int)most_splits(p, (size_t)plan->split);
    plan->units = heads * (size_t)plan->splits;
    if (plan->units >= (size_t)QKV__CUDA_POSITION_LIMIT) return false;
    plan->multiprocessors = device->multiprocessors;
    plan->scaled = !scale_is_one(p, &o->key_scales) || !scale_is_one(p, &o->value_scales);
    const size_t rows = p->group * p->query.shape[QKV__LENGTH];
    plan->whole = count_whole(plan, rows);
    /* Clusters of two calls must have room beside each other. */
    plan->clustered = has_room(plan, rows) && plan->splits <= QKV__CUDA_DECODE_CLUSTER &&
                      2 * plan->units <= (size_t)plan->multiprocessors;
    plan->alone = !plan->clustered && plan->units <= (size_t)plan->multiprocessors;
    plan->blocks = plan->whole + (heads - plan->whole) * (size_t)plan->splits;
    const size_t part = divide_up(rows * ((size_t)plan->value_width + 2), QKV__CUDA_DECODE_LINE) *
                        QKV__CUDA_DECODE_LINE * sizeof(float);
    const bool several = plan->splits > 1;
    plan->ranges =
        take(&plan->bytes, o->key_lengths != NULL ? p->sequences * sizeof(qkv__cuda_range) : 0);
    plan->sinks = take(&plan->bytes, o->sinks != NULL ? p->heads * sizeof(float) : 0);
    plan->partial = take(&plan->bytes, several ? plan->units * part : 0);
    return true;
}

void qkv__cuda_plan_tables(const qkv__problem *p, qkv__cuda_plan *plan)
{
    const qkv_attention_options *o = &p->options;
    plan->path = QKV__CUDA_PORTABLE;
    plan->sequences = take(&plan->bytes, p->sequences * sizeof(qkv__cuda_sequence));
    plan->sinks = take(&plan->bytes, o->sinks != NULL ? p->heads * sizeof(double) : 0);
    plan->slopes = take(&plan->bytes, o->alibi_slopes != NULL ? p->heads * sizeof(double) : 0);
}

/* The tables of "portable", and how many tiles the longest sequence has. */
static bool plan_tiled(const qkv__problem *p, const qkv__cuda_device *device, qkv__cuda_plan *plan)
{
    (void)device;
    qkv__cuda_plan_tables(p, plan);
    plan->path = QKV__CUDA_TILED;
    for (size_t s = 0; s < p->sequences; s++) {
        size_t queries, keys;
        qkv__problem_lengths(p, s, &queries, &keys);
        const size_t tiles = divide_up(queries, QKV__CUDA_TILED_QUERIES);
        if (tiles > plan->tiles) plan->tiles = tiles;
    }
    return true;
}

static bool plan_tf32(const qkv__problem *p, const qkv__cuda_device *device, qkv__cuda_plan *plan)
{
    plan_tiled(p, device, plan);
    plan->path = QKV__CUDA_TF32;
    return true;
}

static bool plan_portable(const qkv__problem *p, const qkv__cuda_device *device,
                          qkv__cuda_plan *plan)
{
    (void)device;
    qkv__cuda_plan_tables(p, plan);
    return true;
}

qkv_status qkv__cuda_plan_make(const qkv__problem *p, const qkv__cuda_device *device,
                               qkv__cuda_plan *plan, qkv_error *error)
{
    const char *name = p->options.kernel;
    const struct {
        qkv__cuda_path path;
        const char *lacks;
        bool (*make)(const qkv__problem *, const qkv__cuda_device *, qkv__cuda_plan *);
    } paths[] = {
        {QKV__CUDA_DECODE, decode_lacks(p, device), plan_decode},
        {QKV__CUDA_HOPPER, hopper_lacks_anyhow(p, device), plan_hopper_anyhow},
        {QKV__CUDA_TILED, tiled_lacks(p, device), plan_tiled},
        {QKV__CUDA_PORTABLE, NULL, plan_portable}, /* takes everything: the rest must be named */
        {QKV__CUDA_TF32, tf32_lacks(p, device), plan_tf32},
    };
    enum { PATHS = sizeof paths / sizeof paths[0] };
    *plan = (qkv__cuda_plan){.path = QKV__CUDA_NOTHING};
    size_t first = 0;
    while (name != NULL && first < PATHS &&
           strcmp(name, qkv__cuda_path_name(paths[first].path)) != 0)
        first++;
    if (first == PATHS)
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "kernel is \"%s\"; on a CUDA device expected \"decode\", \"hopper\", "
                         "\"tiled\", \"portable\" or \"tf32\"",
                         name);
    if (name != NULL && paths[first].lacks != NULL)
        return qkv__fail(error, QKV_ERROR_UNSUPPORTED, "kernel \"%s\" needs %s", name,
                         paths[first].lacks);
    if (p->sequences == 0 || p->heads == 0 || p->query.shape[QKV__LENGTH] == 0) return QKV_OK;
    for (size_t i = first; i < PATHS; i++) {
        *plan = (qkv__cuda_plan){.path = QKV__CUDA_NOTHING};
        if (paths[i].lacks == NULL && paths[i].make(p, device, plan)) break;
    }
    return QKV_OK;
}

/* ---- The contents of the workspace --------------------------------------------------------- */

/*
 * The list of tiles, the longest first, so that blocks of threads end together. Sorting would need
 * memory; instead the sequences are walked once for each of 32 classes of length.
 */
enum { CLASSES = 32 };

static bool write_item(const qkv__cuda_plan *plan, const qkv__head *head, const qkv__problem *p,
                       size_t sequence, size_t first, size_t index, qkv__cuda_write *write,
                       void *context)
{
    const qkv_attention_options *o = &p->options;
    const size_t left = head->queries - first, most = (size_t)plan->rows;
    const qkv__cuda_item item = {
        .row = (int32_t)((p->packed ? o->query_starts[sequence] : 0) + first),
        .rows = (int32_t)(left < most ? left : most),
        .position = (int32_t)((ptrdiff_t)first + head->offset),
        .key = (int32_t)(p->packed ? o->key_starts[sequence] : 0),
        .keys = (int32_t)head->keys,
        .batch = p->packed ? 0 : (int32_t)sequence,
        .sequence = (int32_t)sequence,
        .first = (int32_t)first,
    };
    return write(context, plan->list + index * sizeof item, &item, sizeof item);
}

static bool write_list(const qkv__cuda_plan *plan, const qkv__problem *p, qkv__cuda_write *write,
                       void *context)
{
    const size_t rows = (size_t)plan->rows,
                 longest = divide_up(p->key.shape[QKV__LENGTH], (size_t)plan->keys);
    size_t index = 0;
    for (size_t class = CLASSES; class -- > 0 && index < plan->items;)
        for (size_t s = 0; s < p->sequences; s++) {
            qkv__head head;
            qkv__problem_head(p, s, 0, &head);
            for (size_t tile = sequence_tiles(plan, head.queries); tile-- > 0;) {
                const size_t first = tile * rows;
                const size_t blocks = tile_blocks(plan, &head, first, rows);
                if (blocks * (CLASSES - 1) / (longest + (longest == 0)) != class) continue;
                if (!write_item(plan, &head, p, s, first, index++, write, context)) return false;
            }
        }
    assert(index == plan->items);
    return true;
}

static bool write_sinks(const qkv__cuda_plan *plan, const qkv__problem *p, qkv__cuda_write *write,
                        void *context)
{
    for (size_t h = 0; p->options.sinks != NULL && h < p->heads; h++) {
        const float sink = (float)(p->options.sinks[h] * LOG2_E);
        if (!write(context, plan->sinks + h * sizeof sink, &sink, sizeof sink)) return false;
    }
    return true;
}

static bool write_decode(const qkv__cuda_plan *plan, const qkv__problem *p, qkv__cuda_write *write,
                         void *context)
{
    for (size_t s = 0; p->options.key_lengths != NULL && s < p->sequences; s++) {
        qkv__head head;
        qkv__problem_head(p, s, 0, &head);
        const qkv__cuda_range range = {.offset = (int32_t)head.offset, .keys = (int32_t)head.keys};
        if (!write(context, plan->ranges + s * sizeof range, &range, sizeof range)) return false;
    }
    return write_sinks(plan, p, write, context);
}

static bool write_hopper(const qkv__cuda_plan *plan, const qkv__problem *p, qkv__cuda_write *write,
                         void *context)
{
    const uint32_t zero = 0;
    if ((plan->ranged || plan->listed) && !write(context, plan->counter, &zero, sizeof zero))
        return false;
    if (plan->listed && !write_list(plan, p, write, context)) return false;
    return write_sinks(plan, p, write, context);
}

static bool write_portable(const qkv__cuda_plan *plan, const qkv__problem *p,
                           qkv__cuda_write *write, void *context)
{
    const qkv_attention_options *o = &p->options;
    for (size_t s = 0; s < p->sequences; s++) {
        qkv__head head;
        qkv__problem_head(p, s, 0, &head);
        const qkv__cuda_sequence sequence = {
            .query = (int64_t)(p->packed ? o->query_starts[s] : 0),
            .queries = (int64_t)head.queries,
            .key = (int64_t)(p->packed ? o->key_starts[s] : 0),
            .keys = (int64_t)head.keys,
            .offset = (int64_t)head.offset,
        };
        if (!write(context, plan->sequences + s * sizeof sequence, &sequence, sizeof sequence))
            return false;
    }
    for (size_t h = 0; o->sinks != NULL && h < p->heads; h++)
        if (!write(context, plan->sinks + h * sizeof(double), &o->sinks[h], sizeof(double)))
            return false;
    for (size_t h = 0; o->alibi_slopes != NULL && h < p->heads; h++)
        if (!write(context, plan->slopes + h * sizeof(double), &o->alibi_slopes[h], sizeof(double)))
            return false;
    return true;
}

bool qkv__cuda_plan_write(const qkv__cuda_plan *plan, const qkv__problem *p, qkv__cuda_write *write,
                          void *context)
{
    if (plan->path == QKV__CUDA_DECODE) return write_decode(plan, p, write, context);
    if (plan->path == QKV__CUDA_HOPPER) return write_hopper(plan, p, write, context);
    return plan->path == QKV__CUDA_NOTHING || write_portable(plan, p, write, context);
}
