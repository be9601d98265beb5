/*
 * Every kernel against the reference: the input's bytes choose shapes, types, strides and options,
 * and seed the numbers. Results agree within the rounding that the operands' type allows, and are
 * the same bits for one thread and for three. Most problems are small, so that there can be many.
 */
#include <math.h>
#include <string.h>

#include "fuzz/expect.h"
#include "support/tensors.h"

/* ---- The input as choices ----------------------------------------------------------------------
 */

typedef struct chooser {
    const uint8_t *at, *end;
} chooser;

/* 0 to limit - 1; 0 once the input is at its end. */
static size_t choose(chooser *c, size_t limit)
{
    if (c->end - c->at < 2) return 0;
    const size_t number = (size_t)c->at[0] << 8 | c->at[1];
    c->at += 2;
    return number % limit;
}

typedef struct problem {
    qkv_type type;
    size_t batch, groups, heads, queries, keys, width, value_width;
    qkv_view operands[3], mask;
    size_t lengths[2];
    double numbers[8];
    qkv_attention_options options;
} problem;

static void choose_positions(chooser *c, problem *p)
{
    qkv_attention_options *o = &p->options;
    o->causal = choose(c, 3) == 0;
    o->alignment = (qkv_alignment)(1 + choose(c, 3));
    if (o->alignment == QKV_ALIGN_OFFSET)
        o->query_offset = (ptrdiff_t)choose(c, 2 * p->keys) - (ptrdiff_t)(p->keys / 2);
    o->window = choose(c, 3) == 0;
    if (o->window) o->window_left = choose(c, p->keys + 2);
    if (o->window) o->window_right = choose(c, p->queries + 2);
    if (choose(c, 4) == 0) o->key_lengths = p->lengths;
    for (size_t b = 0; b < 2; b++) p->lengths[b] = choose(c, p->keys + 1);
}

static void choose_mask(chooser *c, problem *p, random_source *source)
{
    const qkv_type type = choose(c, 2) == 0 ? QKV_BOOL : QKV_F32;
    p->mask = make_tensor4(type, p->batch, 1, p->queries, p->keys);
    fill_random(&p->mask, 1.0, source);
    for (size_t i = 0; i < qkv_view_count(&p->mask); i++)
        if (random_below(source, 3) == 0)
            set(&p->mask, i / (p->queries * p->keys), 0, i / p->keys % p->queries, i % p->keys,
                type == QKV_BOOL ? 0.0 : -INFINITY);
    if (choose(c, 3) == 0) p->options.mask = p->mask;
}

/* Operands lie densely, or scattered with gaps. */
static void make_operands(chooser *c, problem *p, random_source *source)
{
    p->operands[0] = make_tensor4(p->type, p->batch, p->heads, p->queries, p->width);
    p->operands[1] = make_tensor4(p->type, p->batch, p->groups, p->keys, p->width);
    p->operands[2] = make_tensor4(p->type, p->batch, p->groups, p->keys, p->value_width);
    for (int i = 0; i < 3; i++) {
        qkv_view dense = p->operands[i];
        const bool scattered = choose(c, 3) == 0;
        if (scattered) p->operands[i] = make_scattered(&dense, source);
        if (scattered) free(dense.data);
        fill_random(&p->operands[i], 1.0, source);
    }
}

static problem choose_problem(chooser *c, random_source *source)
{
    static const qkv_type types[] = {QKV_F64, QKV_F32, QKV_F16, QKV_BF16};
    problem p = {.type = types[choose(c, 4)], .options = qkv_attention_default()};
    p.batch = choose(c, 6) == 1 ? 2 : 1;
    p.groups = choose(c, 4) == 1 ? 2 : 1;
    p.heads = p.groups * (choose(c, 4) == 1 ? 2 : 1);
    const size_t kind = choose(c, 64); /* now and then several blocks of keys, or wide rows */
    const bool is_long = kind == 1, is_wide = kind == 2 || kind == 3;
    p.queries = 1 + choose(c, is_wide ? 20 : 4);
    p.keys = 1 + choose(c, is_long ? 700 : is_wide ? 40 : 9);
    p.width = 1 + choose(c, is_wide ? 34 : 6);
    p.value_width = 1 + choose(c, is_wide ? 34 : 6);
    p.options.scale = choose(c, 2) ? 0.0 : (double)choose(c, 1000) / 1000.0;
    p.options.softcap = choose(c, 4) ? 0.0 : 1.0 + (double)choose(c, 50) / 10.0;
    choose_positions(c, &p);
    for (size_t h = 0; h < 8; h++) p.numbers[h] = (double)choose(c, 100) / 100.0;
    make_operands(c, &p, source);
    choose_mask(c, &p, source);
    return p;
}

/* ---- Comparing --------------------------------------------------------------------------------
 */

/* Numbers lie between -3 and 3, so scores stay under `largest`: 9 * width, and with ALiBi, whose
 * slopes are under 1, the distance of a query and a key. A score carries an absolute error of
 * largest * width units, and that is the relative error of a weight. See
 * tests/unit/attention/test_agreement.c. */
static double tolerance(const problem *p)
{
    const double unit = p->type == QKV_F64 ? 0x1p-53 : 0x1p-24;
    const double largest = 9.0 * (double)p->width + 3.0 * (double)(p->keys + p->queries);
    const double own = p->type == QKV_F16 ? 0x1p-10 : p->type == QKV_BF16 ? 0x1p-7 : 0.0;
    return largest * (double)(p->width + 8) * unit + 4.0 * own;
}

static void run(const problem *p, const char *kernel, int threads, const qkv_view *output)
{
    qkv_error error;
    qkv_attention_options options = p->options;
    options.kernel = kernel;
    options.threads = threads;
    if (p->lengths[0] % 3 == 0) options.alibi_slopes = p->numbers;
    if (p->lengths[0] % 4 == 0) options.sinks = p->numbers;
    qkv_status status =
        qkv_attention(&p->operands[0], &p->operands[1], &p->operands[2], output, &options, &error);
    if (status == QKV_OK) return;
    fprintf(stderr, "%s refuses: %s\n", kernel, error.message);
    abort();
}

/* Whether a kernel takes the type, asked once. */
static bool takes(size_t kernel, qkv_type type)
{
    enum { UNKNOWN, YES, NO, KERNELS = 16, TYPES = 8 };
    static int known[KERNELS][TYPES];
    if (kernel >= KERNELS || (int)type >= (int)TYPES)
        return kernel_takes(qkv_kernel_name(kernel), type);
    int *answer = &known[kernel][type];
    if (*answer == UNKNOWN) *answer = kernel_takes(qkv_kernel_name(kernel), type) ? YES : NO;
    return *answer == YES;
}

/* Waking threads takes longer than a small problem does. */
static void compare(const problem *p, const char *kernel, const qkv_view *right, bool threads)
{
    qkv_view one = make_tensor4(p->type, p->batch, p->heads, p->queries, p->value_width);
    run(p, kernel, 1, &one);
    const double difference = largest_difference(right, &one);
    if (!(difference <= tolerance(p))) {
        fprintf(stderr, "%s differs by %g, allowed are %g\n", kernel, difference, tolerance(p));
        abort();
    }
    if (threads) {
        qkv_view three = make_tensor4(p->type, p->batch, p->heads, p->queries, p->value_width);
        run(p, kernel, 3, &three);
        expect(same_bits(&one, &three), "three threads give the same bits as one");
        free(three.data);
    }
    free(one.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 8) return 0;
    random_source source = {.state = 1};
    memcpy(&source.state, data, sizeof source.state);
    chooser c = {.at = data + sizeof source.state, .end = data + size};
    problem p = choose_problem(&c, &source);
    qkv_view right = make_tensor4(p.type, p.batch, p.heads, p.queries, p.value_width);
    run(&p, "reference", 1, &right);
    for (size_t i = 0; i < qkv_kernel_count(); i++)
        if (takes(i, p.type) && strcmp(qkv_kernel_name(i), "reference") != 0)
            compare(&p, qkv_kernel_name(i), &right, is_drawn(data, size, (uint32_t)i, 32));
    for (int i = 0; i < 3; i++) free(p.operands[i].data);
    free(p.mask.data);
    free(right.data);
    return 0;
}
