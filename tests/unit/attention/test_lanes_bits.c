/*
 * All kernels in lanes give the same bits, on every machine: random problems are computed by each
 * that runs here and compared with one another, and the first of them with lanes_bits.h, so that
 * machines which no kernel shares are compared as well. After a change of the arithmetic
 *
 *     build/tests/test_lanes_bits --print >tests/unit/attention/lanes_bits.h
 *
 * writes that table anew. Softcaps are left out: they go through tanh of the C library, whose bits
 * are its own. So are sinks and log-sum-exps in double precision (exp and log), except between
 * kernels of one machine; in single precision they are rounded from double.
 *
 * And what they write in 16 bits is rounded once, to nearest even.
 */
#include "support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/number.h"
#include "support/tensors.h"
#include "unit/attention/lanes_bits.h"

enum { PROBLEMS = 600, TABLED = 96, HEADS_AT_MOST = 6 };

static const char *const lane_kernels[] = {"avx512", "avx2", "neon"};

/* ---- Problems ------------------------------------------------------------------------------ */

typedef struct problem {
    qkv_view q, k, v, mask;
    size_t batch, heads, queries, value_width;
    size_t lengths[2];
    double slopes[HEADS_AT_MOST], sinks[HEADS_AT_MOST];
    qkv_attention_options options;
} problem;

static bool one_in(size_t n, random_source *source)
{
    return random_below(source, n) == 0;
}

/* Keys in one block, in several, and in several segments. */
static size_t random_keys(random_source *source)
{
    static const size_t most[] = {8, 70, 300, 1100, 3200};
    return 1 + random_below(source, most[random_below(source, 5)]);
}

static void choose_mask(problem *p, size_t keys, random_source *source)
{
    static const qkv_type types[] = {QKV_BOOL, QKV_BOOL, QKV_F16, QKV_F32};
    const qkv_type type = types[random_below(source, 4)];
    p->mask = make_tensor4(type, p->batch, 1, p->queries, keys);
    fill_random(&p->mask, 1.0, source);
    for (size_t i = 0; i < qkv_view_count(&p->mask); i++)
        if (one_in(3, source))
            qkv__store(type, p->mask.data, (ptrdiff_t)i, type == QKV_BOOL ? 0.0 : -INFINITY);
    if (one_in(2, source)) p->options.mask = p->mask;
}

static void choose_options(problem *p, size_t keys, random_source *source)
{
    qkv_attention_options *o = &p->options;
    *o = qkv_attention_default();
    o->scale = one_in(3, source) ? random_uniform(source) : 0.0;
    o->causal = one_in(3, source);
    o->alignment = (qkv_alignment)(1 + random_below(source, 2));
    o->window = one_in(4, source);
    if (o->window) o->window_left = random_below(source, keys + 2);
    if (o->window) o->window_right = random_below(source, p->queries + 2);
    for (size_t h = 0; h < p->heads; h++) {
        p->slopes[h] = random_uniform(source);
        p->sinks[h] = 4.0 * random_bell(source);
    }
    if (one_in(4, source)) o->alibi_slopes = p->slopes;
    if (one_in(3, source)) o->sinks = p->sinks;
    for (size_t b = 0; b < p->batch; b++) p->lengths[b] = random_below(source, keys + 1);
    if (one_in(5, source)) o->key_lengths = p->lengths;
    choose_mask(p, keys, source);
    o->threads = 1 + (int)random_below(source, 3);
}

/* What is not finite takes ways of its own. */
static void poison(const qkv_view *view, random_source *source)
{
    static const double poisons[] = {NAN, INFINITY, -INFINITY};
    const ptrdiff_t at = (ptrdiff_t)random_below(source, qkv_view_count(view));
    qkv__store(view->type, view->data, at, poisons[random_below(source, 3)]);
}

/* The options point into *p. */
static void make_problem(problem *p, size_t number)
{
    static const qkv_type types[] = {QKV_F64, QKV_F32, QKV_F64, QKV_F32, QKV_F16, QKV_BF16};
    random_source source = {.state = 4000 + number};
    const qkv_type type = types[number % 6];
    const size_t groups = 1 + random_below(&source, 2), keys = random_keys(&source);
    const size_t width = 1 + random_below(&source, one_in(8, &source) ? 300 : 40);
    p->batch = 1 + random_below(&source, 2);
    p->heads = groups * (1 + random_below(&source, 3));
    p->queries = 1 + random_below(&source, keys > 300 ? 6 : 70);
    p->value_width = 1 + random_below(&source, 40);
    p->q = make_tensor4(type, p->batch, p->heads, p->queries, width);
    p->k = make_tensor4(type, p->batch, groups, keys, width);
    p->v = make_tensor4(type, p->batch, groups, keys, p->value_width);
    fill_random(&p->q, one_in(4, &source) ? 4.0 : 1.0, &source);
    fill_random(&p->k, 1.0, &source), fill_random(&p->v, 1.0, &source);
    if (one_in(8, &source)) poison(&p->k, &source);
    if (one_in(8, &source)) poison(&p->v, &source);
    choose_options(p, keys, &source);
}

static void free_problem(problem *p)
{
    free(p->q.data), free(p->k.data), free(p->v.data), free(p->mask.data);
}

/* ---- Bits ---------------------------------------------------------------------------------- */

/* FNV-1a, a number at a time; any NaN is as good as another. */
static uint64_t hash_view(uint64_t hash, const qkv_view *view)
{
    for (size_t i = 0; i < qkv_view_count(view); i++) {
        const double number = qkv__load(view->type, view->data, (ptrdiff_t)i);
        uint64_t bits = 0;
        if (!isnan(number)) memcpy(&bits, &number, sizeof bits);
        hash = (hash ^ bits) * UINT64_C(0x100000001b3);
        hash ^= hash >> 29;
    }
    return hash;
}

/* What a kernel says of a problem; if `anywhere`, without what depends on the C library. */
static uint64_t bits_of(size_t number, const char *kernel, bool anywhere)
{
    problem p;
    make_problem(&p, number);
    qkv_view output = make_tensor4(p.q.type, p.batch, p.heads, p.queries, p.value_width);
    qkv_view lse = make_tensor(QKV_F32, 3, (size_t[]){p.batch, p.heads, p.queries});
    qkv_error error;
    if (p.q.type == QKV_F64 && anywhere)
        p.options.sinks = NULL;
    else
        p.options.log_sum_exp = lse;
    p.options.kernel = kernel;
    check_ok(qkv_attention(&p.q, &p.k, &p.v, &output, &p.options, &error), &error);
    const uint64_t hash = hash_view(hash_view(UINT64_C(0xcbf29ce484222325), &output), &lse);
    free(output.data), free(lse.data), free_problem(&p);
    return hash;
}

static bool runs_here(const char *kernel)
{
    for (size_t k = 0; k < qkv_kernel_count(); k++)
        if (strcmp(qkv_kernel_name(k), kernel) == 0) return true;
    return false;
}

/* The next kernel in lanes that runs here, from *at on; NULL when there is none. */
static const char *next_kernel(size_t *at)
{
    while (*at < sizeof lane_kernels / sizeof lane_kernels[0])
        if (runs_here(lane_kernels[(*at)++])) return lane_kernels[*at - 1];
    return NULL;
}

/* ---- Tests --------------------------------------------------------------------------------- */

static void test_one_machine(void **state)
{
    (void)state;
    for (size_t n = 0; n < PROBLEMS; n++) {
        size_t at = 0;
        const char *first = next_kernel(&at), *other;
        if (first == NULL) return;
        const uint64_t expected = (other = next_kernel(&at)) == NULL ? 0 : bits_of(n, first, false);
        for (; other != NULL; other = next_kernel(&at))
            if (bits_of(n, other, false) != expected)
                fail_msg("%s and %s differ in problem %zu", first, other, n);
    }
}

static void test_all_machines(void **state)
{
    const char *kernel;
    (void)state;
    assert_int_equal(sizeof lanes_bits / sizeof lanes_bits[0], TABLED);
    for (size_t at = 0; (kernel = next_kernel(&at)) != NULL;)
        for (size_t n = 0; n < TABLED; n++)
            if (bits_of(n, kernel, true) != lanes_bits[n])
                fail_msg(
                    "%s has other bits than lanes_bits.h in problem %zu; see the head of this file",
                    kernel, n);
}

/* ---- Rounding ------------------------------------------------------------------------------ */

/* A finite float: subnormal numbers and numbers beyond the type's range are among them, and a third
 * lies halfway between two numbers of the type. */
static float random_float(qkv_type type, random_source *source)
{
    const uint32_t cut = type == QKV_BF16 ? 16 : 13, half = UINT32_C(1) << (cut - 1);
    uint32_t bits = (uint32_t)random_bits(source);
    if (one_in(3, source)) bits = (bits & ~(2 * half - 1)) | half;
    const uint32_t drawn = bits >> 23 & 0xff;
    const uint32_t exponent = type == QKV_BF16 ? drawn : 95 + drawn % 64; /* 2^-32 to 2^31 */
    return qkv__float_from_bits((bits & 0x807fffffu) | (exponent < 255 ? exponent : 254) << 23);
}

/* With one key the output is that key's value, rounded once. */
static void check_rounding(const char *kernel, qkv_type type, random_source *source)
{
    enum { QUERIES = 19, WIDTH = 37 };
    qkv_view q = make_tensor4(QKV_F32, 1, 1, QUERIES, 3), k = make_tensor4(QKV_F32, 1, 1, 1, 3);
    qkv_view v = make_tensor4(QKV_F32, 1, 1, 1, WIDTH);
    qkv_view c = make_tensor4(type, 1, 1, QUERIES, WIDTH);
    qkv_attention_options options = qkv_attention_default();
    options.kernel = kernel;
    fill_random(&q, 1.0, source), fill_random(&k, 1.0, source);
    for (size_t i = 0; i < WIDTH; i++) ((float *)v.data)[i] = random_float(type, source);
    assert_int_equal(qkv_attention(&q, &k, &v, &c, &options, NULL), QKV_OK);
    for (size_t i = 0; i < QUERIES * WIDTH; i++) {
        const float exact = ((const float *)v.data)[i % WIDTH];
        uint16_t expected;
        qkv__store(type, &expected, 0, (double)exact + 0.0);
        if (((const uint16_t *)c.data)[i] != expected)
            fail_msg("%s rounds %a to 0x%04x; expected 0x%04x", kernel, (double)exact,
                     ((const uint16_t *)c.data)[i], expected);
    }
    free(q.data), free(k.data), free(v.data), free(c.data);
}

static void test_rounding(void **state)
{
    (void)state;
    random_source source = {.state = 9};
    size_t at = 0;
    for (const char *kernel; (kernel = next_kernel(&at)) != NULL;)
        for (size_t i = 0; i < 200; i++) {
            check_rounding(kernel, QKV_BF16, &source);
            check_rounding(kernel, QKV_F16, &source);
        }
}

static void print_table(const char *kernel)
{
    printf(
        "/* What the kernels in lanes give, hashed: see test_lanes_bits.c, which writes this. */\n"
        "#ifndef TESTS_UNIT_LANES_BITS_H\n#define TESTS_UNIT_LANES_BITS_H\n\n"
        "#include <stdint.h>\n\nstatic const uint64_t lanes_bits[] = {\n");
    for (size_t n = 0; n < TABLED; n++)
        printf("    UINT64_C(0x%016llx), /* %zu */\n", (unsigned long long)bits_of(n, kernel, true),
               n);
    printf("};\n\n#endif\n");
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_machine),
                                       cmocka_unit_test(test_rounding),
                                       cmocka_unit_test(test_all_machines)};
    size_t at = 0;
    if (count == 2 && strcmp(arguments[1], "--print") == 0) {
        const char *kernel = next_kernel(&at);
        if (kernel == NULL) return 1;
        print_table(kernel);
        return 0;
    }
    return cmocka_run_group_tests_name("lanes_bits", tests, NULL, NULL);
}
