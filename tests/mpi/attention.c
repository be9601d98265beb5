/*
 * Attention, gradients and decoding over the ranks of MPI_COMM_WORLD, for many kinds of call. Rank
 * 0 prints one line per case: its name, a digest of all bits of the result, and how far the result
 * is from that of one process, in units of what rounding allows (1 passes). tests/mpi/run.py
 * compares the digests between numbers of ranks.
 */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <qkv/mpi.h>

typedef struct test_case {
    const char *name;
    qkv_type type;
    size_t batch, heads, kv_heads, queries, keys, width, value_width;
    qkv_mpi_layout layout;
    size_t block;
    bool causal, window, slopes, sinks, lengths, spoilt;
    bool narrow;   /* the output has the type of the rest */
    qkv_type mask; /* QKV_BOOL: one for all heads; a type of numbers: one per head and batch */
    bool drowned;  /* from query 7 all keys are masked alike, by -1e30; from query 8 the first 40 */
    size_t left, right;
    double softcap;
    qkv_alignment alignment;
    ptrdiff_t offset;
} test_case;

#define COMMON .batch = 1, .heads = 2, .kv_heads = 2, .width = 16, .value_width = 16

static const test_case cases[] = {
    {"contiguous", QKV_F32, COMMON, .queries = 600, .keys = 600, .layout = 1, .block = 32},
    {"zigzag-causal", QKV_F32, COMMON, .queries = 600, .keys = 600, .layout = 2, .block = 32,
     .causal = true},
    {"contiguous-causal", QKV_F32, COMMON, .queries = 600, .keys = 600, .layout = 1, .block = 32,
     .causal = true},
    {"odd-blocks-f64", QKV_F64, COMMON, .queries = 225, .keys = 225, .layout = 2, .block = 32,
     .causal = true},
    {"few-blocks", QKV_F32, COMMON, .queries = 70, .keys = 70, .layout = 2, .block = 32,
     .causal = true},
    {"one-block", QKV_F32, COMMON, .queries = 50, .keys = 50, .layout = 1},
    {"grouped-batch", QKV_F32, .batch = 2, .heads = 6, .kv_heads = 2, .queries = 300, .keys = 300,
     .width = 24, .value_width = 8, .layout = 2, .block = 16, .causal = true},
    {"half-precision", QKV_BF16, COMMON, .queries = 256, .keys = 256, .layout = 2, .block = 16,
     .causal = true},
    {"half-f16", QKV_F16, COMMON, .queries = 200, .keys = 200, .layout = 1, .block = 16},
    {"window", QKV_F32, COMMON, .queries = 640, .keys = 640, .layout = 1, .block = 16,
     .window = true, .left = 40, .right = 25},
    {"window-causal", QKV_F32, COMMON, .queries = 640, .keys = 640, .layout = 1, .block = 16,
     .window = true, .left = 50, .causal = true},
    {"window-zigzag", QKV_F32, COMMON, .queries = 640, .keys = 640, .layout = 2, .block = 16,
     .window = true, .left = 50, .causal = true},
    {"other-lengths", QKV_F32, COMMON, .queries = 200, .keys = 500, .layout = 2, .block = 16,
     .causal = true, .alignment = QKV_ALIGN_BOTTOM_RIGHT},
    {"offset-unseen", QKV_F32, COMMON, .queries = 300, .keys = 200, .layout = 1, .block = 16,
     .causal = true, .alignment = QKV_ALIGN_OFFSET, .offset = -40},
    {"everything", QKV_F64, .batch = 2, .heads = 4, .kv_heads = 2, .queries = 260, .keys = 260,
     .width = 8, .value_width = 12, .layout = 2, .block = 16, .causal = true, .slopes = true,
     .sinks = true, .lengths = true, .softcap = 5, .alignment = QKV_ALIGN_TOP_LEFT},
    {"masked-nan", QKV_F32, COMMON, .queries = 200, .keys = 200, .layout = 2, .block = 16,
     .causal = true, .spoilt = true, .lengths = true, .alignment = QKV_ALIGN_TOP_LEFT},
    {"bf16-kernel", QKV_BF16, .batch = 2, .heads = 4, .kv_heads = 2, .queries = 300, .keys = 300,
     .width = 64, .value_width = 48, .layout = 2, .block = 32, .causal = true, .narrow = true},
    {"f16-narrow", QKV_F16, COMMON, .queries = 200, .keys = 200, .layout = 1, .block = 32,
     .causal = true, .narrow = true},
    {"mask", QKV_F32, .batch = 2, .heads = 4, .kv_heads = 2, .queries = 210, .keys = 330,
     .width = 16, .value_width = 16, .layout = 1, .block = 16, .mask = QKV_BOOL},
    {"mask-zigzag", QKV_F32, .batch = 2, .heads = 4, .kv_heads = 4, .queries = 300, .keys = 300,
     .width = 16, .value_width = 8, .layout = 2, .block = 16, .causal = true, .mask = QKV_F32},
    {"mask-f64", QKV_F64, COMMON, .queries = 150, .keys = 150, .layout = 1, .block = 16,
     .mask = QKV_F16, .window = true, .left = 40, .right = 10},
    {"mask-drowned", QKV_F32, COMMON, .queries = 100, .keys = 85, .layout = 1, .block = 32,
     .mask = QKV_F32, .drowned = true},
};

/* ---- Numbers -------------------------------------------------------------------------------- */

/* A number in [-1, 1] by its place alone: every rank makes the same. */
static double number(uint64_t tensor, uint64_t place)
{
    uint64_t x = place + tensor * UINT64_C(0x9e3779b97f4a7c15) + 1;
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((x ^ (x >> 31)) >> 11) * 0x1p-52 - 1.0;
}

static qkv_view make(qkv_type type, const size_t shape[4])
{
    const size_t count = shape[0] * shape[1] * shape[2] * shape[3];
    return qkv_view_dense(type, calloc(count + 1, qkv_type_size(type)), 4, shape);
}

static qkv_view make_numbers(qkv_type type, const size_t shape[4], uint64_t tensor)
{
    const qkv_view wide = make(QKV_F64, shape), view = make(type, shape);
    for (size_t i = 0; i < qkv_view_count(&wide); i++)
        ((double *)wide.data)[i] = 2.0 * number(tensor, i);
    qkv_view_copy(&wide, &view, NULL);
    free(wide.data);
    return view;
}

static qkv_view row_of(const qkv_view *view, size_t row)
{
    qkv_view part = *view;
    part.shape[2] = 1;
    part.data = (char *)part.data + row * (size_t)view->stride[2] * qkv_type_size(view->type);
    return part;
}

static int ranks, rank;

/* The rows of this rank, or, back, the rows of all ranks on rank 0. */
static qkv_view shard_of(const qkv_view *whole, const qkv_mpi_options *how)
{
    size_t shape[4] = {whole->shape[0], whole->shape[1],
                       qkv_mpi_rows(how, whole->shape[2], ranks, rank), whole->shape[3]};
    const qkv_view shard = make(whole->type, shape);
    for (size_t i = 0; i < shape[2]; i++) {
        const qkv_view from = row_of(whole, qkv_mpi_row(how, whole->shape[2], ranks, rank, i));
        const qkv_view to = row_of(&shard, i);
        qkv_view_copy(&from, &to, NULL);
    }
    return shard;
}

static qkv_view join(const qkv_view *shard, size_t length, const qkv_mpi_options *how)
{
    const size_t shape[4] = {shard->shape[0], shard->shape[1], length, shard->shape[3]};
    const qkv_view own = make(QKV_F64, shape), all = make(QKV_F64, shape);
    for (size_t i = 0; i < shard->shape[2]; i++) {
        const qkv_view from = row_of(shard, i);
        const qkv_view to = row_of(&own, qkv_mpi_row(how, length, ranks, rank, i));
        qkv_view_copy(&from, &to, NULL);
    }
    /* One rank has a number, the others 0: the sum is that number. */
    MPI_Reduce(own.data, all.data, (int)qkv_view_count(&own), MPI_DOUBLE, MPI_SUM, 0,
               MPI_COMM_WORLD);
    free(own.data);
    return all;
}

static uint64_t digest(uint64_t hash, const qkv_view *view)
{
    const double *numbers = view->data;
    for (size_t i = 0; i < qkv_view_count(view); i++) {
        const double x = numbers[i] == 0.0 ? 0.0 : numbers[i]; /* a sum of zeros loses its sign */
        uint64_t bits;
        memcpy(&bits, &x, sizeof bits);
        hash = (hash ^ bits) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* The largest difference, in units of `allowed` times the largest number. */
static double distance(const qkv_view *view, const qkv_view *expected, double allowed)
{
    const qkv_view wide = make(QKV_F64, expected->shape);
    qkv_view_copy(expected, &wide, NULL);
    const double *a = view->data, *b = wide.data;
    double worst = 0.0, size = 0.0;
    for (size_t i = 0; i < qkv_view_count(view); i++) {
        const double apart = a[i] == b[i] ? 0.0 : fabs(a[i] - b[i]);
        worst = isnan(apart) ? INFINITY : fmax(worst, apart);
        if (isfinite(b[i])) size = fmax(size, fabs(b[i]));
    }
    free(wide.data);
    return worst == 0.0 ? 0.0 : worst / (allowed * fmax(size, 1e-300));
}

/* ---- A case --------------------------------------------------------------------------------- */

/* Roundings of the type of the result, and of single-precision sums over so many keys. */
static double allowed(qkv_type type)
{
    switch (type) {
    case QKV_F64: return 0x1p-49;
    case QKV_F16: return 0x1p-11;
    case QKV_BF16: return 0x1p-8;
    default: return 0x1p-20;
    }
}

static const double slopes[] = {0.5, 0.25, 0.125, 0.0625};
static const double sinks[] = {0.5, -1.0, 2.0, 0.0};
static const size_t lengths[] = {170, 33};

static qkv_attention_options options_of(const test_case *c)
{
    qkv_attention_options o = qkv_attention_default();
    o.causal = c->causal;
    o.window = c->window;
    o.window_left = c->left;
    o.window_right = c->right;
    o.softcap = c->softcap;
    o.alignment = c->alignment;
    o.query_offset = c->offset;
    if (c->slopes) o.alibi_slopes = slopes;
    if (c->sinks) o.sinks = sinks;
    if (c->lengths) o.key_lengths = lengths;
    o.threads = 1;
    return o;
}

/*
 * The mask of all queries and keys: bool, (1, 1, queries, keys), which hides a third of the keys
 * and, from query 7, all; or numbers, (batch, heads, queries, keys), some of them -infinity.
 */
static qkv_view make_mask(const test_case *c, size_t queries)
{
    const bool boolean = c->mask == QKV_BOOL;
    const size_t shape[4] = {boolean ? 1 : c->batch, boolean ? 1 : c->heads, queries, c->keys};
    if (c->mask == QKV_NONE) return (qkv_view){0};
    qkv_view mask = make(c->mask, shape), wide = make(QKV_F64, shape);
    for (size_t i = 0; i < qkv_view_count(&mask); i++) {
        const double x = number(6, i);
        const bool hidden = x < -1.0 / 3.0 || i / c->keys % queries == 7;
        if (boolean) ((unsigned char *)mask.data)[i] = !hidden;
        ((double *)wide.data)[i] = x < -0.8 ? -INFINITY : x;
        const size_t row = i / c->keys % queries;
        if (c->drowned && (row == 7 % queries || (row == 8 % queries && i % c->keys < 40)))
            ((double *)wide.data)[i] = -1e30;
    }
    if (!boolean) qkv_view_copy(&wide, &mask, NULL);
    free(wide.data);
    return mask;
}

static void fail(const test_case *c, const char *what, const qkv_error *error)
{
    fprintf(stderr, "rank %d: %s, %s: %s\n", rank, c->name, what, error->message);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void report(const test_case *c, const char *what, uint64_t bits, double apart)
{
    if (rank == 0) printf("%s %s %016llx %.3g\n", c->name, what, (unsigned long long)bits, apart);
}

static void free_views(qkv_view *views, size_t count)
{
    for (size_t i = 0; i < count; i++) free(views[i].data);
}

static qkv_view without_width(const qkv_view *view)
{
    qkv_view v = *view;
    v.rank = 3;
    return v;
}

/* The whole problem: query, key, value, and a gradient of the output. */
static void make_problem(const test_case *c, qkv_view whole[4])
{
    const size_t q[4] = {c->batch, c->heads, c->queries, c->width};
    const size_t k[4] = {c->batch, c->kv_heads, c->keys, c->width};
    const size_t v[4] = {c->batch, c->kv_heads, c->keys, c->value_width};
    const size_t o[4] = {c->batch, c->heads, c->queries, c->value_width};
    whole[0] = make_numbers(c->type, q, 1);
    whole[1] = make_numbers(c->type, k, 2);
    whole[2] = make_numbers(c->type, v, 3);
    whole[3] = make_numbers(c->type, o, 4);
    for (size_t i = 0; c->spoilt && i < c->width; i++) /* behind the length: nobody sees it */
        ((float *)whole[1].data)[(c->keys - 1) * c->width + i] =
            ((float *)whole[2].data)[(c->keys - 1) * c->value_width + i] = NAN;
}

static void forward_and_gradient(const test_case *c, const qkv_view whole[4])
{
    const qkv_mpi_options how = {sizeof how, c->layout, c->block};
    const size_t one[4] = {c->batch, c->heads, c->queries, 1};
    qkv_attention_options o = options_of(c);
    qkv_error error;
    qkv_view shard[4], result[5], expected[5], all[5];
    qkv_view mask = make_mask(c, c->queries), own_mask = {0};
    if (mask.rank > 0) own_mask = shard_of(&mask, &how);
    for (int i = 0; i < 4; i++) shard[i] = shard_of(&whole[i], &how);
    /* output, log_sum_exp, and the three gradients; the first two in full precision for the rest */
    const qkv_type wide = c->type == QKV_F64 ? QKV_F64 : QKV_F32;
    const qkv_type kind = c->narrow ? c->type : wide; /* of the output over MPI */
    const qkv_view *const like[5] = {&whole[3], NULL, &whole[0], &whole[1], &whole[2]};
    for (int i = 0; i < 5; i++) {
        const size_t *shape = like[i] == NULL ? one : like[i]->shape;
        expected[i] = make(i == 1 ? QKV_F64 : i == 0 ? wide : c->type, shape);
        qkv_view like_result = expected[i];
        like_result.type = i == 0 ? kind : like_result.type;
        result[i] = shard_of(&like_result, &how); /* zeros, whatever their type */
    }
    o.mask = own_mask;
    o.log_sum_exp = without_width(&result[1]);
    if (qkv_mpi_attention(MPI_COMM_WORLD, &shard[0], &shard[1], &shard[2], &result[0], &o, &how,
                          &error) != QKV_OK)
        fail(c, "attention", &error);
    o.log_sum_exp = (qkv_view){0};
    o.given_output = result[0];
    o.given_log_sum_exp = without_width(&result[1]);
    if (qkv_mpi_attention_gradient(MPI_COMM_WORLD, &shard[0], &shard[1], &shard[2], &shard[3],
                                   &result[2], &result[3], &result[4], &o, &how, &error) != QKV_OK)
        fail(c, "gradient", &error);
    o.mask = mask;
    o.log_sum_exp = without_width(&expected[1]);
    o.given_output = o.given_log_sum_exp = (qkv_view){0};
    if (qkv_attention(&whole[0], &whole[1], &whole[2], &expected[0], &o, &error) != QKV_OK ||
        qkv_attention_gradient(&whole[0], &whole[1], &whole[2], &whole[3], &expected[2],
                               &expected[3], &expected[4], &o, &error) != QKV_OK)
        fail(c, "one process", &error);
    uint64_t bits = UINT64_C(0xcbf29ce484222325);
    double apart = 0.0, gradient_apart = 0.0;
    for (int i = 0; i < 5; i++) {
        all[i] = join(&result[i], expected[i].shape[2], &how);
        bits = digest(bits, &all[i]);
        if (rank != 0) continue;
        /* The gradient of a narrow output is that of a rounded one. */
        const double more = i > 1 && c->narrow ? 2.0 : 1.0;
        const double d = distance(&all[i], &expected[i],
                                  more * allowed(i == 0   ? kind
                                                 : i == 1 ? wide
                                                          : c->type));
        if (c->drowned && i > 1) continue; /* a log-sum-exp of -1e30 does not say of how many */
        if (i < 2)
            apart = fmax(apart, d);
        else
            gradient_apart = fmax(gradient_apart, d);
    }
    report(c, "attention", bits, apart);
    report(c, "gradient", bits, gradient_apart);
    free_views(shard, 4);
    free_views(result, 5);
    free_views(expected, 5);
    free_views(all, 5);
    free_views((qkv_view[]){mask, own_mask}, 2);
}

/* A few queries at the end, over keys in each layout: the digest must be the same for all three. */
static void decode(const test_case *c, const qkv_view whole[4])
{
    const size_t few = 3, block = c->block == 0 ? 1024 : c->block;
    const size_t q[4] = {c->batch, c->heads, few, c->width};
    const size_t shape[4] = {c->batch, c->heads, few, c->value_width};
    const size_t one[4] = {c->batch, c->heads, few, 1};
    const qkv_type wide = c->type == QKV_F64 ? QKV_F64 : QKV_F32;
    const qkv_type kind = c->narrow ? c->type : wide; /* of the output over MPI */
    qkv_view query = make_numbers(c->type, q, 5), expected = make(wide, shape);
    qkv_view expected_sums = make(QKV_F64, one);
    qkv_attention_options o = options_of(c);
    qkv_error error;
    o.alignment = c->lengths ? QKV_ALIGN_OFFSET : QKV_ALIGN_BOTTOM_RIGHT;
    o.query_offset = c->lengths ? 150 : 0;
    o.log_sum_exp = without_width(&expected_sums);
    o.mask = make_mask(c, few);
    if (qkv_attention(&query, &whole[1], &whole[2], &expected, &o, &error) != QKV_OK)
        fail(c, "one process", &error);
    for (int layout = 1; layout <= 3; layout++) {
        const qkv_mpi_options how = {sizeof how, (qkv_mpi_layout)layout, block};
        qkv_view key = shard_of(&whole[1], &how), value = shard_of(&whole[2], &how);
        qkv_view output = make(kind, shape), sums = make(QKV_F64, one), copy = make(QKV_F64, shape);
        o.log_sum_exp = without_width(&sums);
        if (qkv_mpi_decode(MPI_COMM_WORLD, &query, &key, &value, &output, &o, &how, &error) !=
            QKV_OK)
            fail(c, "decode", &error);
        qkv_view_copy(&output, &copy, NULL);
        report(c,
               layout == 1   ? "decode-1"
               : layout == 2 ? "decode-2"
                             : "decode-3",
               digest(digest(UINT64_C(0xcbf29ce484222325), &copy), &sums),
               fmax(distance(&copy, &expected, allowed(kind)),
                    distance(&sums, &expected_sums, allowed(wide))));
        free_views((qkv_view[]){key, value, output, sums, copy}, 5);
    }
    free_views((qkv_view[]){query, expected, expected_sums, o.mask}, 4);
}

int main(int count, char **words)
{
    MPI_Init(&count, &words);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        qkv_view whole[4];
        make_problem(&cases[i], whole);
        forward_and_gradient(&cases[i], whole);
        decode(&cases[i], whole);
        free_views(whole, 4);
    }
    MPI_Finalize();
    return 0;
}
