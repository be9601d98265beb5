/*
 * Vectors over symbols, and exact attention: against the same thing done with numbers. Random Gram
 * matrices come from actual vectors; every inner product, score, weight and output must agree.
 */
#include "support/check.h"

#include <math.h>

#include "exact/attend.h"
#include "exact/average.h"
#include "exact/limit.h"
#include "support/forms.h"

enum { BETA, N };

static const qkv__ratio none = {NULL, NULL}; /* no sink */

typedef struct world {
    qkv__algebra algebra;
    qkv__space space;
    qkv__index_set set;
    qkv__family *k, *v;
} world;

/* n orthonormal keys and arbitrary values, two of them marked. */
static void make_world(world *w)
{
    *w = (world){.space = {.algebra = &w->algebra}};
    qkv__parameter_add(&w->algebra, "beta");
    qkv__parameter_add(&w->algebra, "n");
    w->algebra.parameter[BETA].lower = (qkv__bound){true, true, qkv__rational_whole(0)};
    w->algebra.parameter[N].lower = (qkv__bound){true, false, qkv__rational_whole(3)};
    w->set = (qkv__index_set){.name = "1..n", .mark_count = 2, .mark = {"a", "b"}};
    w->set.size = qkv__ratio_of_form(&w->algebra, qkv__form_parameter(&w->algebra, N));
    w->k = qkv__family_add(&w->space, "k", &w->set);
    w->v = qkv__family_add(&w->space, "v", &w->set);
    w->k->gram = QKV__GRAM_UNIFORM;
    w->k->same = qkv__ratio_whole(&w->algebra, 1);
    w->k->different = qkv__ratio_whole(&w->algebra, 0);
}

static const qkv__vector *key(world *w, int member)
{
    return qkv__vector_symbol(&w->space, w->k, member);
}

static void fill_classes(world *w, qkv__class *classes)
{
    for (int i = 0; i < 3; i++) {
        int member = i < 2 ? i : QKV__GENERIC;
        classes[i] = (qkv__class){.count = qkv__ratio_whole(&w->algebra, 1),
                                  .key = key(w, member),
                                  .value = qkv__vector_symbol(&w->space, w->v, member)};
        classes[i].total = classes[i].value;
    }
    classes[2].count = qkv__rest_size(&w->algebra, &w->set);
    classes[2].of = &w->set;
    classes[2].total = qkv__vector_sum_over_rest(&w->space, classes[2].value, &w->set);
}

static qkv__ratio beta(world *w)
{
    return qkv__ratio_of_form(&w->algebra, qkv__form_parameter(&w->algebra, BETA));
}

static void expect_vector(world *w, const qkv__vector *x, const char *expected)
{
    qkv__text text = {0};
    qkv__vector_write(&w->space, x, &text);
    assert_string_equal(text.data, expected);
    qkv__text_free(&text);
}

static void expect_ratio(world *w, qkv__ratio x, const char *expected)
{
    qkv__text text = {0};
    qkv__ratio_write(&w->algebra, x, &text);
    assert_string_equal(text.data, expected);
    qkv__text_free(&text);
}

/* q = beta (k_a + k_b): the assignment's average of two, for every n at once. */
static void test_average_of_two(void **state)
{
    world w;
    qkv__class classes[3];
    (void)state;
    make_world(&w);
    fill_classes(&w, classes);
    const qkv__vector *q =
        qkv__vector_scale(&w.space, qkv__vector_add(&w.space, key(&w, 0), key(&w, 1)), beta(&w));
    const qkv__attention *c =
        qkv__attend(&w.space, q, classes, 3, qkv__ratio_whole(&w.algebra, 1), none);
    assert_non_null(c);
    expect_ratio(&w, c->score[0], "beta");
    expect_ratio(&w, c->score[2], "0");
    expect_ratio(&w, c->weight[1], "e^beta/(n - 2 + 2*e^beta)");
    expect_vector(&w, c->output,
                  "e^beta/(n - 2 + 2*e^beta)*v[a] + e^beta/(n - 2 + 2*e^beta)*v[b] + "
                  "1/(n - 2 + 2*e^beta)*sum(v[i] for i not in {a, b})");
    qkv__limit limit = qkv__ratio_limit(&w.algebra, c->weight[0], BETA);
    expect_ratio(&w, limit.value, "1/2");
    qkv__arena_free(&w.algebra.arena);
}

/* The norm-immune query -beta sum over the rest: 1/(2 + (n - 2) e^-beta). */
static void test_immune_query(void **state)
{
    world w;
    qkv__class classes[3];
    (void)state;
    make_world(&w);
    fill_classes(&w, classes);
    qkv__ratio minus = qkv__ratio_negate(&w.algebra, beta(&w));
    const qkv__vector *q = qkv__vector_scale(
        &w.space, qkv__vector_sum_over_rest(&w.space, key(&w, QKV__GENERIC), &w.set), minus);
    const qkv__attention *c =
        qkv__attend(&w.space, q, classes, 3, qkv__ratio_whole(&w.algebra, 1), none);
    expect_ratio(&w, c->score[0], "0");
    expect_ratio(&w, c->score[2], "-beta");
    long double at[] = {3.5L, 20.0L};
    assert_true(fabsl(ratio_value(&w.algebra, c->weight[0], at) -
                      1.0L / (2.0L + 18.0L * expl(-3.5L))) < 1e-15L);
    qkv__arena_free(&w.algebra.arena);
}

/* Uniform Gram matrices against actual numbers: n vectors with k_i.k_i = g and k_i.k_j = h. */
static void test_products(void **state)
{
    random_source source = {.state = 96};
    (void)state;
    for (int trial = 0; trial < 500; trial++) {
        world w;
        make_world(&w);
        int64_t g = 1 + (int64_t)random_below(&source, 9),
                h = (int64_t)random_below(&source, 5) - 2;
        int n = 3 + (int)random_below(&source, 5);
        w.k->same = qkv__ratio_whole(&w.algebra, g);
        w.k->different = qkv__ratio_whole(&w.algebra, h);
        /* x = sum x_i k_i with x_i alike on the rest; the generic member is number 2. */
        long double x[8], y[8];
        const qkv__vector *vectors[2];
        for (int which = 0; which < 2; which++) {
            long double *numbers = which == 0 ? x : y;
            int64_t a[4];
            for (int i = 0; i < 4; i++) a[i] = (int64_t)random_below(&source, 9) - 4;
            const qkv__vector *sum = qkv__vector_zero(&w.space);
            const int members[] = {0, 1, QKV__GENERIC, QKV__REST};
            for (int i = 0; i < 4; i++)
                sum = qkv__vector_add(&w.space, sum,
                                      qkv__vector_scale(&w.space, key(&w, members[i]),
                                                        qkv__ratio_whole(&w.algebra, a[i])));
            vectors[which] = sum;
            for (int i = 0; i < n; i++) numbers[i] = i < 2 ? (long double)a[i] : (long double)a[3];
            numbers[2] += (long double)a[2];
        }
        long double dot = 0.0L, at[] = {1.0L, (long double)n};
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) dot += x[i] * y[j] * (long double)(i == j ? g : h);
        qkv__ratio product = qkv__vector_dot(&w.space, vectors[0], vectors[1]);
        assert_true(fabsl(ratio_value(&w.algebra, product, at) - dot) < 1e-9L);
        qkv__arena_free(&w.algebra.arena);
    }
}

/* Products that nobody gave become parameters, the same in both orders; given ones are used. */
static void test_unknown_products(void **state)
{
    world w;
    (void)state;
    make_world(&w);
    const qkv__vector *va = qkv__vector_symbol(&w.space, w.v, 0);
    const qkv__vector *vb = qkv__vector_symbol(&w.space, w.v, 1);
    expect_ratio(&w, qkv__vector_dot(&w.space, vb, va), "v[a].v[b]");
    assert_true(qkv__ratio_equal(&w.algebra, qkv__vector_dot(&w.space, vb, va),
                                 qkv__vector_dot(&w.space, va, vb)));
    qkv__space_give(&w.space, (qkv__symbol){w.v, 1}, (qkv__symbol){w.v, 0},
                    qkv__ratio_whole(&w.algebra, 7));
    expect_ratio(&w, qkv__vector_dot(&w.space, va, vb), "7");
    const qkv__vector *generic = qkv__vector_symbol(&w.space, w.v, QKV__GENERIC);
    /* With an unmarked member: another number for each of them, which no sum takes for one. */
    qkv__ratio product = qkv__vector_dot(&w.space, va, generic);
    assert_true(qkv__ratio_is_generic(&w.algebra, product));
    qkv__arena_free(&w.algebra.arena);
}

/* Masked classes get nothing; where all are masked, so does the output. */
static void test_masks(void **state)
{
    world w;
    qkv__class classes[3];
    (void)state;
    make_world(&w);
    fill_classes(&w, classes);
    qkv__ratio one = qkv__ratio_whole(&w.algebra, 1);
    classes[2].masked = true;
    const qkv__attention *c = qkv__attend(&w.space, key(&w, 0), classes, 3, one, none);
    expect_vector(&w, c->output, "e/(1 + e)*v[a] + 1/(1 + e)*v[b]");
    classes[0].masked = classes[1].masked = true;
    c = qkv__attend(&w.space, key(&w, 0), classes, 3, one, none);
    expect_vector(&w, c->output, "0");
    qkv__arena_free(&w.algebra.arena);
}

/* What is made of something lost is lost, in whichever place it stands. */
static void test_lost(void **state)
{
    world w;
    (void)state;
    make_world(&w);
    const qkv__vector *x = key(&w, 0);
    const qkv__ratio lost = {NULL, NULL}, one = qkv__ratio_whole(&w.algebra, 1);
    assert_true(qkv__ratio_is_lost(lost));
    assert_null(qkv__vector_add(&w.space, NULL, x));
    assert_null(qkv__vector_add(&w.space, x, NULL));
    assert_null(qkv__vector_subtract(&w.space, NULL, x));
    assert_null(qkv__vector_subtract(&w.space, x, NULL));
    assert_null(qkv__vector_scale(&w.space, NULL, one));
    assert_null(qkv__vector_scale(&w.space, x, lost));
    assert_null(qkv__vector_sum_over_rest(&w.space, NULL, &w.set));
    assert_true(qkv__ratio_is_lost(qkv__vector_dot(&w.space, NULL, x)));
    assert_true(qkv__ratio_is_lost(qkv__vector_dot(&w.space, x, NULL)));
    assert_true(qkv__ratio_is_lost(qkv__vector_factor(&w.space, NULL, (qkv__symbol){w.k, 0})));
    qkv__others others;
    assert_false(qkv__space_spread(&w.space, &w.set, one, NULL, false, &others));
    assert_false(qkv__vector_equal(&w.space, NULL, x));
    assert_false(qkv__vector_equal(&w.space, x, NULL));
    assert_true(qkv__ratio_is_lost(qkv__ratio_add(&w.algebra, lost, one)));
    assert_true(qkv__ratio_is_lost(qkv__ratio_add(&w.algebra, one, lost)));
    assert_true(qkv__ratio_is_lost(qkv__ratio_multiply(&w.algebra, lost, one)));
    assert_true(qkv__ratio_is_lost(qkv__ratio_multiply(&w.algebra, one, lost)));
    assert_true(qkv__ratio_is_lost(qkv__ratio_divide(&w.algebra, lost, one)));
    assert_true(qkv__ratio_is_lost(qkv__ratio_divide(&w.algebra, one, lost)));
    assert_true(
        qkv__ratio_is_lost(qkv__ratio_divide(&w.algebra, one, qkv__ratio_whole(&w.algebra, 0))));
    assert_true(qkv__ratio_is_lost(qkv__ratio_negate(&w.algebra, lost)));
    qkv__arena_free(&w.algebra.arena);
}

/* With too little memory for the average of two, some part of it is lost; with enough, none. */
static bool average_fits(size_t limit)
{
    world w;
    qkv__class classes[3];
    make_world(&w);
    w.algebra.arena.limit = w.algebra.arena.used + limit;
    fill_classes(&w, classes);
    const qkv__vector *q =
        qkv__vector_scale(&w.space, qkv__vector_add(&w.space, key(&w, 0), key(&w, 1)), beta(&w));
    const qkv__attention *c =
        q == NULL ? NULL
                  : qkv__attend(&w.space, q, classes, 3, qkv__ratio_whole(&w.algebra, 1), none);
    const bool fits = c != NULL && !w.algebra.arena.failed;
    if (fits) expect_ratio(&w, c->weight[1], "e^beta/(n - 2 + 2*e^beta)");
    if (fits) (void)qkv__ratio_limit(&w.algebra, c->weight[0], BETA);
    qkv__arena_free(&w.algebra.arena);
    return fits;
}

/* A sink takes its part and gives nothing. */
static void test_sink(void **state)
{
    world w;
    qkv__class classes[3];
    (void)state;
    make_world(&w);
    fill_classes(&w, classes);
    const qkv__ratio one = qkv__ratio_whole(&w.algebra, 1), zero = qkv__ratio_whole(&w.algebra, 0);
    const qkv__vector *q = qkv__vector_scale(&w.space, key(&w, 0), beta(&w));
    const qkv__attention *c = qkv__attend(&w.space, q, classes, 3, one, zero);
    expect_ratio(&w, c->weight[0], "e^beta/(n + e^beta)");
    qkv__arena_free(&w.algebra.arena);
}

/* Keys of which nothing is known, all moved by u: the others' score moves by u.q, and no weight
 * changes. */
static void test_moved_keys(void **state)
{
    world w;
    qkv__class classes[3];
    (void)state;
    make_world(&w);
    w.k->gram = QKV__GRAM_UNKNOWN;
    fill_classes(&w, classes);
    const qkv__ratio one = qkv__ratio_whole(&w.algebra, 1);
    const qkv__vector *q = qkv__vector_symbol(&w.space, qkv__family_add(&w.space, "q", NULL), 0);
    const qkv__vector *u = qkv__vector_symbol(&w.space, qkv__family_add(&w.space, "u", NULL), 0);
    const qkv__attention *before = qkv__attend(&w.space, q, classes, 3, one, none);
    for (int i = 0; i < 3; i++) classes[i].key = qkv__vector_add(&w.space, classes[i].key, u);
    const qkv__attention *after = qkv__attend(&w.space, q, classes, 3, one, none);
    assert_int_equal(before->count, 4);
    assert_int_equal(after->count, 4);
    expect_ratio(&w, qkv__ratio_subtract(&w.algebra, after->score[3], before->score[3]), "q.u");
    for (size_t i = 0; i < 4; i++)
        assert_true(qkv__ratio_equal(&w.algebra, before->weight[i], after->weight[i]));
    assert_true(qkv__vector_equal(&w.space, before->output, after->output));
    qkv__arena_free(&w.algebra.arena);
}

/* ---- Averages ----------------------------------------------------------------------------------
 */

/* Keys of which nothing is known, queries q and p that are the same for all, and the score k[i].q.
 */
typedef struct mean {
    world w;
    qkv__index_set other_set;
    const qkv__vector *k, *q, *p, *other; /* k[i], and a member of a family over another set */
    qkv__ratio score;
} mean;

static const qkv__vector *single(world *w, const char *name)
{
    return qkv__vector_symbol(&w->space, qkv__family_add(&w->space, name, NULL), 0);
}

static void make_mean(mean *m)
{
    make_world(&m->w);
    m->w.k->gram = QKV__GRAM_UNKNOWN;
    m->other_set = (qkv__index_set){.name = "1..m", .size = m->w.set.size};
    m->k = key(&m->w, QKV__GENERIC);
    m->q = single(&m->w, "q");
    m->p = single(&m->w, "p");
    m->other = qkv__vector_symbol(&m->w.space, qkv__family_add(&m->w.space, "u", &m->other_set),
                                  QKV__GENERIC);
    m->score = qkv__vector_dot(&m->w.space, m->k, m->q);
}

static qkv__ratio dot(mean *m, const qkv__vector *x, const qkv__vector *y)
{
    return qkv__vector_dot(&m->w.space, x, y);
}

static qkv__ratio average(mean *m, qkv__ratio number)
{
    return qkv__average_number(&m->w.space, m->score, number);
}

/* The average is linear, leaves what is the same for all, and is that of the vector in a product.
 */
static void test_averages(void **state)
{
    mean m;
    (void)state;
    make_mean(&m);
    qkv__algebra *algebra = &m.w.algebra;
    const qkv__ratio three = qkv__ratio_whole(algebra, 3), x = dot(&m, m.k, m.p);
    const qkv__vector *k = qkv__average_vector(&m.w.space, m.score, m.k);
    assert_non_null(k);
    assert_true(qkv__ratio_equal(algebra, average(&m, three), three));
    assert_true(qkv__ratio_equal(algebra, average(&m, x), dot(&m, k, m.p)));
    assert_true(qkv__ratio_equal(algebra, average(&m, dot(&m, m.p, m.k)), average(&m, x)));
    const qkv__ratio scaled = qkv__ratio_multiply(algebra, beta(&m.w), x);
    const qkv__ratio moved = qkv__ratio_add(algebra, scaled, m.score);
    qkv__ratio expected = qkv__ratio_multiply(algebra, beta(&m.w), average(&m, x));
    expected = qkv__ratio_add(algebra, expected, average(&m, m.score));
    assert_true(qkv__ratio_equal(algebra, average(&m, moved), expected));
    expected = qkv__ratio_add(algebra, expected, three);
    assert_true(
        qkv__ratio_equal(algebra, average(&m, qkv__ratio_add(algebra, moved, three)), expected));
    /* Of vectors: what all have in common stays, k[i] is averaged, and so are factors. */
    const qkv__vector *both =
        qkv__vector_add(&m.w.space, m.p, qkv__vector_scale(&m.w.space, m.k, beta(&m.w)));
    const qkv__vector *wanted =
        qkv__vector_add(&m.w.space, m.p, qkv__vector_scale(&m.w.space, k, beta(&m.w)));
    assert_true(
        qkv__vector_equal(&m.w.space, wanted, qkv__average_vector(&m.w.space, m.score, both)));
    assert_true(qkv__vector_equal(
        &m.w.space, qkv__vector_scale(&m.w.space, m.q, average(&m, x)),
        qkv__average_vector(&m.w.space, m.score, qkv__vector_scale(&m.w.space, m.q, x))));
    /* The exponent is that of the attention with these scores. */
    qkv__others others;
    assert_true(qkv__space_spread(&m.w.space, &m.w.set, m.score, m.k, false, &others));
    assert_true(qkv__vector_equal(&m.w.space, others.value, k));
    assert_true(
        qkv__ratio_equal(algebra, others.score, qkv__average_exponent(&m.w.space, m.score)));
    assert_ptr_equal(qkv__score_set(&m.w.space, m.score), &m.w.set);
    qkv__arena_free(&algebra->arena);
}

/* The average of a square is not the square of the average; and scores that are no plain products,
 * or products of a key with another one, or of families over two sets, have none. */
static void test_no_averages(void **state)
{
    mean m;
    (void)state;
    make_mean(&m);
    qkv__algebra *algebra = &m.w.algebra;
    const qkv__ratio x = dot(&m, m.k, m.p), square = qkv__ratio_multiply(algebra, x, x);
    const qkv__ratio own = dot(&m, m.k, m.k), apart = dot(&m, m.other, m.p);
    const qkv__ratio two_sets = qkv__ratio_add(algebra, m.score, apart);
    const qkv__ratio one = qkv__ratio_whole(algebra, 1);
    const qkv__ratio lost[] = {average(&m, square),
                               average(&m, own),
                               average(&m, apart),
                               average(&m, qkv__ratio_divide(algebra, one, x)),
                               qkv__average_number(&m.w.space, own, x),
                               qkv__average_number(&m.w.space, two_sets, x),
                               qkv__average_exponent(&m.w.space, own),
                               qkv__average_exponent(&m.w.space, two_sets),
                               qkv__average_exponent(&m.w.space, one)};
    for (size_t i = 0; i < sizeof lost / sizeof lost[0]; i++)
        if (!qkv__ratio_is_lost(lost[i])) fail_msg("number %zu has an average", i);
    assert_null(qkv__score_set(&m.w.space, own));
    assert_null(qkv__score_set(&m.w.space, two_sets));
    assert_null(qkv__score_set(&m.w.space, one));
    const qkv__vector *vectors[] = {NULL, qkv__vector_scale(&m.w.space, m.k, x),
                                    qkv__vector_scale(&m.w.space, m.q, square), m.other};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        if (qkv__average_vector(&m.w.space, m.score, vectors[i]) != NULL)
            fail_msg("vector %zu has an average", i);
    /* A sum over the rest takes no factor that is another one for each; what is the same counts n -
     * 2 times. */
    assert_null(
        qkv__vector_sum_over_rest(&m.w.space, qkv__vector_scale(&m.w.space, m.q, x), &m.w.set));
    expect_vector(&m.w, qkv__vector_sum_over_rest(&m.w.space, m.q, &m.w.set), "(n - 2)*q");
    qkv__arena_free(&algebra->arena);
}

/* Two different members of the rest: k[i].k[j], known where all pairs have one product. */
static void test_apart(void **state)
{
    mean m;
    (void)state;
    make_mean(&m);
    qkv__space *space = &m.w.space;
    assert_true(qkv__ratio_is_lost(qkv__vector_dot_apart(space, m.k, m.k, &m.w.set)));
    assert_true(qkv__ratio_is_lost(qkv__vector_dot_apart(
        space, m.k, qkv__vector_symbol(space, m.w.v, QKV__GENERIC), &m.w.set)));
    m.w.k->gram = QKV__GRAM_UNIFORM;
    m.w.k->same = qkv__ratio_whole(&m.w.algebra, 5);
    m.w.k->different = qkv__ratio_whole(&m.w.algebra, 3);
    expect_ratio(&m.w, qkv__vector_dot_apart(space, m.k, m.k, &m.w.set), "3");
    expect_ratio(&m.w, qkv__vector_dot_apart(space, m.k, m.k, NULL), "5");
    expect_ratio(&m.w, qkv__vector_dot_apart(space, m.k, m.k, &m.other_set), "5");
    expect_ratio(&m.w, qkv__vector_dot_apart(space, m.k, key(&m.w, 0), &m.w.set), "3");
    expect_ratio(&m.w, qkv__vector_dot_apart(space, key(&m.w, 0), key(&m.w, 0), &m.w.set), "5");
    /* Axes of lists of different widths have no product. */
    qkv__family *plane = qkv__family_add(space, "e", NULL),
                *room = qkv__family_add(space, "f", NULL);
    plane->axis = room->axis = true;
    const qkv__vector *x = qkv__vector_symbol(space, plane, 0),
                      *y = qkv__vector_symbol(space, room, 0);
    assert_true(qkv__ratio_is_lost(dot(&m, x, y)));
    qkv__arena_free(&m.w.algebra.arena);
}

/* Whether a product was met is known in both orders, and of no other product. */
static void test_asked(void **state)
{
    world w;
    (void)state;
    make_world(&w);
    const qkv__symbol a = {w.v, 0}, b = {w.v, 1}, c = {w.k, 0};
    assert_false(qkv__space_asked(&w.space, a, b));
    (void)qkv__vector_dot(&w.space, qkv__vector_symbol(&w.space, w.v, 0),
                          qkv__vector_symbol(&w.space, w.v, 1));
    assert_true(qkv__space_asked(&w.space, a, b));
    assert_true(qkv__space_asked(&w.space, b, a));
    assert_false(qkv__space_asked(&w.space, a, a));
    assert_false(qkv__space_asked(&w.space, a, c));
    assert_false(qkv__space_asked(&w.space, c, b));
    qkv__arena_free(&w.algebra.arena);
}

/* The letter of an unmarked index is no mark, however many there are. */
static void test_letters(void **state)
{
    static const char *const marks[] = {"i", "j", "l", "m", "r", "s", "t", "other"};
    (void)state;
    qkv__index_set set = {.name = "1..n"};
    for (size_t taken = 0; taken <= sizeof marks / sizeof marks[0]; taken++) {
        const char *letter = qkv__index_letter(&set);
        for (size_t i = 0; i < taken; i++) assert_string_not_equal(letter, marks[i]);
        if (taken < sizeof marks / sizeof marks[0]) set.mark[set.mark_count++] = marks[taken];
    }
}

/* Scores that are given, or added to, against keys that have them. */
static void test_given_scores(void **state)
{
    world w;
    qkv__class classes[3];
    (void)state;
    make_world(&w);
    fill_classes(&w, classes);
    const qkv__ratio one = qkv__ratio_whole(&w.algebra, 1), zero = qkv__ratio_whole(&w.algebra, 0);
    const qkv__vector *q = qkv__vector_scale(&w.space, key(&w, 0), beta(&w));
    const qkv__attention *by_keys = qkv__attend(&w.space, q, classes, 3, one, none);
    for (int i = 0; i < 3; i++) {
        classes[i].scored = i != 1;
        classes[i].score = i == 0 ? beta(&w) : zero;
    }
    const qkv__attention *given = qkv__attend(&w.space, q, classes, 3, one, none);
    for (int i = 0; i < 3; i++) classes[i].bias = beta(&w); /* what all have more changes nothing */
    const qkv__attention *moved = qkv__attend(&w.space, q, classes, 3, one, none);
    for (int i = 0; i < 3; i++) {
        assert_true(qkv__ratio_equal(&w.algebra, by_keys->weight[i], given->weight[i]));
        assert_true(qkv__ratio_equal(&w.algebra, by_keys->weight[i], moved->weight[i]));
    }
    expect_ratio(&w, moved->score[0], "2*beta");
    /* A score with an exponential in it has no weight; behind a mask that does no harm. */
    classes[1].scored = true;
    classes[1].score = qkv__ratio_exponential(&w.algebra, beta(&w));
    assert_null(qkv__attend(&w.space, q, classes, 3, one, none));
    classes[1].masked = true;
    assert_non_null(qkv__attend(&w.space, q, classes, 3, one, none));
    qkv__arena_free(&w.algebra.arena);
}

/* ---- Little memory ------------------------------------------------------------------------------
 */

/* With too little memory for scores that differ, and their averages, something is lost; what is
 * left is what it is with enough. */
static bool averages_fit(size_t limit)
{
    mean m;
    qkv__class classes[3];
    make_mean(&m);
    fill_classes(&m.w, classes);
    const qkv__ratio x = dot(&m, m.k, m.p), one = qkv__ratio_whole(&m.w.algebra, 1);
    m.w.algebra.arena.limit = m.w.algebra.arena.used + limit;
    const qkv__attention *c = qkv__attend(&m.w.space, m.q, classes, 3, one, none);
    const qkv__ratio number = average(&m, x), exponent = qkv__average_exponent(&m.w.space, m.score);
    const qkv__vector *vector = qkv__average_vector(&m.w.space, m.score, m.k);
    const bool failed = m.w.algebra.arena.failed;
    m.w.algebra.arena.limit = 0;
    if (c != NULL) assert_int_equal(c->count, 4);
    if (!qkv__ratio_is_lost(exponent)) expect_ratio(&m.w, exponent, "score[others]");
    if (!qkv__ratio_is_lost(number)) expect_ratio(&m.w, number, "p.k[others]");
    if (vector != NULL) expect_vector(&m.w, vector, "k[others]");
    const bool all =
        c != NULL && vector != NULL && !qkv__ratio_is_lost(number) && !qkv__ratio_is_lost(exponent);
    assert_true(all || failed);
    qkv__arena_free(&m.w.algebra.arena);
    return all && !failed;
}

static void test_little_memory_for_averages(void **state)
{
    (void)state;
    size_t limit = 16;
    while (!averages_fit(limit)) assert_true((limit += 16) < (1 << 20));
    assert_true(limit > 1000);
}

static void test_little_memory(void **state)
{
    (void)state;
    size_t limit = 16;
    while (!average_fits(limit)) assert_true((limit += 16) < (1 << 20));
    assert_true(limit > 1000);
    for (int more = 0; more < 64; more++) assert_true(average_fits(limit += 16));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_average_of_two), cmocka_unit_test(test_immune_query),
        cmocka_unit_test(test_products),       cmocka_unit_test(test_unknown_products),
        cmocka_unit_test(test_masks),          cmocka_unit_test(test_lost),
        cmocka_unit_test(test_sink),           cmocka_unit_test(test_moved_keys),
        cmocka_unit_test(test_averages),       cmocka_unit_test(test_no_averages),
        cmocka_unit_test(test_apart),          cmocka_unit_test(test_asked),
        cmocka_unit_test(test_letters),        cmocka_unit_test(test_given_scores),
        cmocka_unit_test(test_little_memory),  cmocka_unit_test(test_little_memory_for_averages),
    };
    return cmocka_run_group_tests_name("space", tests, NULL, NULL);
}
