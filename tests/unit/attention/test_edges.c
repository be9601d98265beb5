/*
 * Kernels at the edges of memory: every array of a call ends right before a page that may not be
 * touched, or begins right behind one, over odd widths, odd lengths and all kinds of strides. What
 * is not an element of an array is not read and not written, the bits are those of a call on dense
 * arrays, and keys beyond key_lengths may lie where there is no memory at all.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "support/check.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/number.h"
#include "base/view.h"
#include "support/cases.h"
#include "support/tensors.h"

static const qkv_type types[] = {QKV_F64, QKV_F32, QKV_F16, QKV_BF16};
static const size_t widths[] = {1, 3, 17, 31, 33, 63, 65, 100, 129};
enum { WIDTHS = sizeof widths / sizeof widths[0] };

/* ---- Guarded memory ------------------------------------------------------------------------ */

enum { ARENAS = 16, ARENA_BYTES = 8 << 20, PATTERN = 0xa5 };

static unsigned char *arenas[ARENAS]; /* ARENA_BYTES each, between two pages without access */
static size_t arenas_used;
static char doing[512]; /* what the signal's handler says */

static void on_fault(int number)
{
    static const char words[] = "# outside of an array: ";
    ssize_t written = write(STDOUT_FILENO, words, sizeof words - 1);
    written += write(STDOUT_FILENO, doing, strlen(doing));
    _exit(written > 0 ? 1 : number);
}

static int make_arenas(void **state)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    (void)state;
    for (size_t i = 0; i < ARENAS; i++) {
        unsigned char *room = mmap(NULL, ARENA_BYTES + 2 * page, PROT_NONE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (room == MAP_FAILED) return 1;
        arenas[i] = room + page;
        if (mprotect(arenas[i], ARENA_BYTES, PROT_READ | PROT_WRITE) != 0) return 1;
    }
    return 0;
}

/* ---- Layouts ------------------------------------------------------------------------------- */

typedef enum layout {
    DENSE,
    ROWS_APART,
    ROWS_BACKWARDS,
    COLUMNS_APART,
    COLUMNS_DENSE, /* transposed */
    HEADS_INSIDE,  /* (batch, length, heads, width) in memory */
    LAYOUTS,
} layout;

static void set_strides(qkv_view *view, layout how)
{
    const ptrdiff_t heads = (ptrdiff_t)view->shape[1], rows = (ptrdiff_t)view->shape[2];
    const ptrdiff_t columns = (ptrdiff_t)view->shape[3];
    ptrdiff_t *stride = view->stride;
    stride[3] = how == COLUMNS_APART ? 3 : how == COLUMNS_DENSE ? rows : 1;
    stride[2] = how == ROWS_APART || how == ROWS_BACKWARDS ? columns + 5
                : how == COLUMNS_APART                     ? 3 * columns + 1
                : how == COLUMNS_DENSE                     ? 1
                : how == HEADS_INSIDE                      ? heads * columns
                                                           : columns;
    stride[1] = how == HEADS_INSIDE    ? columns
                : how == COLUMNS_DENSE ? rows * columns
                                       : rows * stride[2];
    stride[0] = how == HEADS_INSIDE ? rows * stride[2] : heads * stride[1];
    if (how == ROWS_BACKWARDS) stride[2] = -stride[2];
}

/* The bytes from a view's lowest element to the end of its highest. */
typedef struct extent {
    unsigned char *begin;
    size_t bytes;
} extent;

static extent extent_of(const qkv_view *view)
{
    const ptrdiff_t size = (ptrdiff_t)qkv_type_size(view->type);
    ptrdiff_t lowest = 0, highest = 0;
    for (int axis = 0; axis < view->rank; axis++) {
        const ptrdiff_t reach = ((ptrdiff_t)view->shape[axis] - 1) * view->stride[axis];
        lowest += reach < 0 ? reach : 0;
        highest += reach > 0 ? reach : 0;
    }
    return (extent){(unsigned char *)view->data + lowest * size,
                    (size_t)((highest - lowest + 1) * size)};
}

/* How the arrays of a call lie. */
typedef struct placement {
    layout how;
    bool at_end; /* or behind the page in front */
} placement;

/* A view of four axes with the elements of `dense`, in an arena of its own; the rest of the arena
 * around it holds NaN, or for results, of which no element is set, a pattern. */
static qkv_view place(const qkv_view *dense, placement where, bool result)
{
    qkv_view view = *dense;
    unsigned char *arena = arenas[arenas_used++];
    set_strides(&view, where.how);
    view.data = arena;
    const extent reach = extent_of(&view);
    assert_true(arenas_used <= ARENAS && reach.bytes <= ARENA_BYTES);
    unsigned char *begin = where.at_end ? arena + ARENA_BYTES - reach.bytes : arena;
    view.data = begin + (arena - reach.begin);
    memset(begin, result ? PATTERN : 0xff, reach.bytes);
    if (!result) check_ok(qkv_view_copy(dense, &view, NULL), &(qkv_error){0});
    return view;
}

/* Whether elements alone were written: puts the pattern back into them and looks at the rest. */
static bool gaps_untouched(const qkv_view *view)
{
    const size_t size = qkv_type_size(view->type);
    const extent reach = extent_of(view);
    size_t index[QKV_MAX_RANK] = {0};
    do
        memset((unsigned char *)view->data + qkv__view_offset(view, index) * (ptrdiff_t)size,
               PATTERN, size);
    while (qkv__index_next(view->rank, view->shape, index));
    for (size_t i = 0; i < reach.bytes; i++)
        if (reach.begin[i] != PATTERN) return false;
    return true;
}

/* A view of four axes, of which the last has size 1, without it. */
static qkv_view without_width(qkv_view view)
{
    view.rank = 3;
    return view;
}

static void check_result(const qkv_view *dense, const qkv_view *placed, const char *name)
{
    if (!same_bits(dense, placed)) fail_msg("%s has other bits: %s", name, doing);
    if (!gaps_untouched(placed)) fail_msg("%s was written between its elements: %s", name, doing);
}

/* ---- The forward call ---------------------------------------------------------------------- */

typedef struct forward_call {
    qkv_view q, k, v, c, mask, key_scales, value_scales, log_sum_exp, entropy, weights;
    qkv_attention_options options;
    size_t lengths[2]; /* of keys, in each batch */
    bool more;         /* entropy and weights too */
} forward_call;

typedef struct shape {
    size_t batch, groups, heads, queries, keys, width, value_width;
} shape;

/* Few queries over many keys, many over few, lengths around those of vectors, blocks and segments.
 */
static shape choose_shape(size_t number, random_source *source)
{
    static const size_t queries[] = {1, 2, 7, 17, 33, 50, 1, 5}, keys[] = {1, 3, 31, 65, 70, 129};
    shape s = {.batch = 1 + number % 2,
               .groups = 1 + random_below(source, 2),
               .queries = queries[random_below(source, 8)],
               .keys = keys[random_below(source, 6)],
               .width = widths[number % WIDTHS],
               .value_width = widths[random_below(source, WIDTHS)]};
    if (number % 11 == 0) s.keys = 261;
    if (number % 29 == 0) s.keys = 1031, s.queries = 3, s.batch = s.groups = 1;
    s.heads = s.groups * (1 + random_below(source, 3));
    return s;
}

static qkv_view make_random(qkv_type type, size_t a, size_t b, size_t c, size_t d,
                            random_source *source)
{
    qkv_view view = make_tensor4(type, a, b, c, d);
    fill_random(&view, type == QKV_I8 ? 40.0 : 1.0, source);
    return view;
}

/* The type of keys or values: mostly the queries', sometimes bytes or another. */
static qkv_type other_type(qkv_type type, random_source *source)
{
    const size_t n = random_below(source, 6);
    if (n == 0 || n == 1) return QKV_I8;
    return n == 2 && type != QKV_F64 ? types[1 + random_below(source, 3)] : type;
}

static qkv_view make_mask(const shape *s, random_source *source)
{
    static const qkv_type kinds[] = {QKV_BOOL, QKV_F32, QKV_F16, QKV_BF16, QKV_F64};
    const qkv_type kind = kinds[random_below(source, 5)];
    qkv_view mask = make_random(kind, random_below(source, 2) ? 1 : s->batch,
                                random_below(source, 2) ? 1 : s->heads,
                                random_below(source, 4) ? s->queries : 1, s->keys, source);
    return mask;
}

static forward_call make_forward(const shape *s, const char *kernel, qkv_type type,
                                 random_source *source)
{
    const bool same = !kernel_takes(kernel, QKV_F32); /* a kernel of one type alone */
    const qkv_type key = same ? type : other_type(type, source);
    const qkv_type value = same ? type : other_type(type, source);
    const size_t b = s->batch, h = s->heads, g = s->groups;
    forward_call f = {.q = make_random(type, b, h, s->queries, s->width, source),
                      .k = make_random(key, b, g, s->keys, s->width, source),
                      .v = make_random(value, b, g, s->keys, s->value_width, source),
                      .c = make_tensor4(type, b, h, s->queries, s->value_width),
                      .options = qkv_attention_default(),
                      .more = random_below(source, 4) == 0};
    if (random_below(source, 3) == 0) f.mask = make_mask(s, source);
    if (key == QKV_I8)
        f.key_scales = make_random(types[random_below(source, 4)], b, g, s->keys, 1, source);
    if (value == QKV_I8)
        f.value_scales = make_random(types[random_below(source, 4)], b, g, s->keys, 1, source);
    f.log_sum_exp = make_tensor4(types[random_below(source, 4)], b, h, s->queries, 1);
    f.entropy = make_tensor4(types[random_below(source, 4)], b, h, s->queries, 1);
    f.weights = make_tensor4(types[random_below(source, 4)], b, h, s->queries, s->keys);
    f.options.kernel = kernel;
    f.options.threads = 1 + (int)random_below(source, 2);
    f.options.causal = random_below(source, 3) == 0;
    f.options.alignment = QKV_ALIGN_BOTTOM_RIGHT;
    f.options.softcap = random_below(source, 5) == 0 ? 3.0 : 0.0;
    for (size_t i = 0; i < 2; i++) f.lengths[i] = s->keys - random_below(source, s->keys) / 2;
    return f;
}

static void free_forward(forward_call *f)
{
    qkv_view *views[] = {
        &f->q,           &f->k,       &f->v,      &f->c, &f->mask, &f->key_scales, &f->value_scales,
        &f->log_sum_exp, &f->entropy, &f->weights};
    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++) free(views[i]->data);
}

static void run_forward(forward_call *f)
{
    qkv_attention_options options = f->options;
    options.mask = f->mask;
    if (f->key_scales.rank > 0) options.key_scales = without_width(f->key_scales);
    if (f->value_scales.rank > 0) options.value_scales = without_width(f->value_scales);
    options.log_sum_exp = without_width(f->log_sum_exp);
    if (f->more) options.entropy = without_width(f->entropy), options.weights = f->weights;
    qkv_error error;
    check_ok(qkv_attention(&f->q, &f->k, &f->v, &f->c, &options, &error), &error);
}

/* The same call on guarded arrays. */
static forward_call place_forward(const forward_call *f, placement where)
{
    forward_call g = *f;
    arenas_used = 0;
    g.q = place(&f->q, where, false);
    g.k = place(&f->k, where, false);
    g.v = place(&f->v, where, false);
    g.c = place(&f->c, where, true);
    if (f->mask.rank > 0) g.mask = place(&f->mask, where, false);
    if (f->key_scales.rank > 0) g.key_scales = place(&f->key_scales, where, false);
    if (f->value_scales.rank > 0) g.value_scales = place(&f->value_scales, where, false);
    g.log_sum_exp = place(&f->log_sum_exp, where, true);
    g.entropy = place(&f->entropy, where, true);
    g.weights = place(&f->weights, where, true);
    return g;
}

static void say(const char *what, const char *kernel, qkv_type type, const shape *s,
                placement where)
{
    snprintf(doing, sizeof doing,
             "%s, kernel %s, type %s, batch %zu, heads %zu of %zu, queries %zu, keys %zu, width "
             "%zu, value width %zu, layout %d at the %s\n",
             what, kernel, qkv_type_name(type), s->batch, s->heads, s->groups, s->queries, s->keys,
             s->width, s->value_width, (int)where.how, where.at_end ? "end" : "beginning");
}

static void compare_forward(const char *kernel, qkv_type type, size_t number, random_source *source)
{
    const shape s = choose_shape(number, source);
    forward_call dense = make_forward(&s, kernel, type, source);
    if (number % 3 == 0) dense.options.key_lengths = dense.lengths;
    run_forward(&dense);
    for (int n = 0; n < 2 * LAYOUTS; n++) {
        const placement where = {(layout)(n / 2), n % 2 == 0};
        say("forward", kernel, type, &s, where);
        forward_call placed = place_forward(&dense, where);
        if (number % 3 == 0) placed.options.key_lengths = placed.lengths;
        run_forward(&placed);
        check_result(&dense.c, &placed.c, "output");
        check_result(&dense.log_sum_exp, &placed.log_sum_exp, "log_sum_exp");
        if (dense.more) check_result(&dense.entropy, &placed.entropy, "entropy");
        if (dense.more) check_result(&dense.weights, &placed.weights, "weights");
    }
    free_forward(&dense);
}

/* Keys beyond key_lengths: the memory ends where the last that counts does. */
static void compare_short(const char *kernel, qkv_type type, size_t number, random_source *source)
{
    enum { BEYOND = 70 };
    shape s = choose_shape(number, source);
    s.batch = s.groups = 1;
    s.heads = 1 + number % 3;
    forward_call dense = make_forward(&s, kernel, type, source);
    free(dense.mask.data);
    dense.mask = (qkv_view){0};
    dense.more = false;
    run_forward(&dense);
    for (int how = DENSE; how <= COLUMNS_APART; how++) {
        if (how == ROWS_BACKWARDS) continue;
        const placement where = {(layout)how, true};
        say("keys beyond key_lengths", kernel, type, &s, where);
        forward_call placed = place_forward(&dense, where);
        placed.lengths[0] = s.keys;
        placed.options.key_lengths = placed.lengths;
        placed.k.shape[2] = placed.v.shape[2] = s.keys + BEYOND;
        placed.key_scales.shape[2] = placed.value_scales.shape[2] = s.keys + BEYOND;
        run_forward(&placed);
        check_result(&dense.c, &placed.c, "output");
    }
    free_forward(&dense);
}

/* ---- The gradient -------------------------------------------------------------------------- */

enum { Q, K, V, G, DQ, DK, DV, OUTPUT, SUMS, VIEWS };

typedef struct gradient_call {
    qkv_view of[VIEWS], mask;
    qkv_attention_options options;
    bool given;
} gradient_call;

static gradient_call make_gradient(const shape *s, const char *kernel, qkv_type type,
                                   random_source *source)
{
    const size_t b = s->batch, h = s->heads, g = s->groups;
    gradient_call c = {.options = qkv_attention_default(), .given = random_below(source, 2) == 0};
    c.of[Q] = make_random(type, b, h, s->queries, s->width, source);
    c.of[K] = make_random(type, b, g, s->keys, s->width, source);
    c.of[V] = make_random(type, b, g, s->keys, s->value_width, source);
    c.of[G] = make_random(type, b, h, s->queries, s->value_width, source);
    for (int i = 0; i < 3; i++) c.of[DQ + i] = make_tensor(type, 4, c.of[Q + i].shape);
    c.of[OUTPUT] = make_tensor(type, 4, c.of[G].shape);
    c.of[SUMS] = make_tensor4(QKV_F64, b, h, s->queries, 1);
    if (random_below(source, 3) == 0) c.mask = make_mask(s, source);
    c.options.kernel = kernel;
    c.options.threads = 1 + (int)random_below(source, 2);
    c.options.causal = random_below(source, 3) == 0;
    c.options.alignment = QKV_ALIGN_BOTTOM_RIGHT;
    c.options.softcap = random_below(source, 5) == 0 ? 3.0 : 0.0;
    qkv_attention_options options = c.options;
    options.mask = c.mask;
    options.log_sum_exp = without_width(c.of[SUMS]);
    qkv_error error;
    check_ok(qkv_attention(&c.of[Q], &c.of[K], &c.of[V], &c.of[OUTPUT], &options, &error), &error);
    return c;
}

static void run_gradient(gradient_call *c)
{
    qkv_attention_options options = c->options;
    options.mask = c->mask;
    if (c->given) {
        options.given_output = c->of[OUTPUT];
        options.given_log_sum_exp = without_width(c->of[SUMS]);
    }
    qkv_error error;
    check_ok(qkv_attention_gradient(&c->of[Q], &c->of[K], &c->of[V], &c->of[G], &c->of[DQ],
                                    &c->of[DK], &c->of[DV], &options, &error),
             &error);
}

static void compare_gradient(const char *kernel, qkv_type type, size_t number,
                             random_source *source)
{
    const shape s = choose_shape(number, source);
    gradient_call dense = make_gradient(&s, kernel, type, source);
    run_gradient(&dense);
    for (int n = 0; n < 2 * LAYOUTS; n++) {
        const placement where = {(layout)(n / 2), n % 2 == 0};
        say("gradient", kernel, type, &s, where);
        gradient_call placed = dense;
        arenas_used = 0;
        for (int i = 0; i < VIEWS; i++)
            placed.of[i] = place(&dense.of[i], where, i >= DQ && i <= DV);
        if (dense.mask.rank > 0) placed.mask = place(&dense.mask, where, false);
        run_gradient(&placed);
        check_result(&dense.of[DQ], &placed.of[DQ], "dq");
        check_result(&dense.of[DK], &placed.of[DK], "dk");
        check_result(&dense.of[DV], &placed.of[DV], "dv");
    }
    for (int i = 0; i < VIEWS; i++) free(dense.of[i].data);
    free(dense.mask.data);
}

/* ---- Every kernel and type ----------------------------------------------------------------- */

/* So many problems each; fewer of the kernels of plain loops, which are slow and have no vectors
 * to go too far. */
static void each_kernel(size_t problems, uint64_t seed,
                        void (*body)(const char *, qkv_type, size_t, random_source *))
{
    signal(SIGSEGV, on_fault); /* in the place of cmocka's, which does not know where */
    signal(SIGBUS, on_fault);
    const bool few = QKV_SANITIZED || QKV_EMULATED || !all_cases();
    for (size_t k = 0; k < qkv_kernel_count(); k++)
        for (size_t t = 0; t < 4; t++) {
            random_source source = {.state = seed + t};
            const char *kernel = qkv_kernel_name(k);
            const bool plain = strcmp(kernel, "reference") == 0 || strcmp(kernel, "portable") == 0;
            if (!kernel_takes(kernel, types[t])) continue;
            for (size_t n = 0; n < (plain || few ? WIDTHS : problems); n++)
                body(kernel, types[t], n, &source);
        }
}

static void test_forward(void **state)
{
    (void)state, each_kernel(5 * WIDTHS, 81, compare_forward);
}

static void test_short(void **state)
{
    (void)state, each_kernel(3 * WIDTHS, 91, compare_short);
}

static void test_gradient(void **state)
{
    (void)state, each_kernel(2 * WIDTHS, 101, compare_gradient);
}

/* The guard itself: a byte beyond each end cannot be read. */
static void test_guard(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARENAS; i++) {
        int pipes[2];
        assert_int_equal(pipe(pipes), 0); /* write(2) answers EFAULT where a read would die */
        assert_true(write(pipes[1], arenas[i] - 1, 1) < 0);
        assert_true(write(pipes[1], arenas[i] + ARENA_BYTES, 1) < 0);
        assert_int_equal(write(pipes[1], arenas[i], 1), 1);
        close(pipes[0]), close(pipes[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_guard),
        cmocka_unit_test(test_forward),
        cmocka_unit_test(test_short),
        cmocka_unit_test(test_gradient),
    };
    return cmocka_run_group_tests_name("edges", tests, make_arenas, NULL);
}
