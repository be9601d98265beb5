/*
 * Which weights a query can reach, against the mathematics: hulls decided in whole numbers, the
 * softmax itself far along the directions that are found, the identities that certificates stand
 * for at thousands of queries. Knows nothing of the solvers.
 */
#include "unit/reach/reach.h"

#include <stdlib.h>

#include "base/memory.h"
#include "support/random.h"

enum { MOST = 64 }; /* keys in a small test */

/* ---- Evidence ------------------------------------------------------------------------------- */

/* Random queries of lengths from 0.01 to 100. */
static void random_query(random_source *source, size_t width, double *query)
{
    double length = pow(10.0, 4.0 * random_uniform(source) - 2.0);
    for (size_t x = 0; x < width; x++) query[x] = length * random_bell(source);
}

/* sum c_i = 0 and sum c_i k_i = 0, up to rounding; the latter also as the claim that
 * sum c_i (k_i . q) = 0 at random queries. */
static void check_dependency(const qkv__reach_problem *problem, const double *multipliers)
{
    random_source source = {17};
    double total = 0.0, size = 0.0, query[MOST];
    for (size_t i = 0; i < problem->count; i++) {
        total += multipliers[i];
        size += fabs(multipliers[i]);
    }
    assert_true(size > 0.0);
    assert_true(fabs(total) <= 1e-13 * size);
    for (int trial = 0; trial < 100; trial++) {
        double sum = 0.0, terms = 0.0;
        random_query(&source, problem->width, query);
        for (size_t i = 0; i < problem->count; i++)
            for (size_t x = 0; x < problem->width; x++) {
                double term = multipliers[i] * problem->keys[i * problem->width + x] * query[x];
                sum += term;
                terms += fabs(term);
            }
        assert_true(fabs(sum) <= 1e-12 * terms);
    }
}

/* At a multiple of the query that makes e^-(beta margin) negligible, the weight is 1. */
static void check_copied(const qkv__reach_problem *problem, size_t key,
                         const qkv__reach_answer *answer)
{
    double *weights = malloc(problem->count * sizeof *weights);
    assert_non_null(weights);
    assert_int_equal(answer->status, QKV__REACH_REACHABLE);
    assert_true(answer->exact && answer->margin > 0.0 && answer->multipliers == NULL);
    softmax(problem, 60.0 / answer->margin, answer->query, NULL, weights);
    assert_true(weights[key] > 1.0 - 1e-12);
    free(weights);
}

/* The certificate holds and no random query beats the ceiling. */
static void check_refused(const qkv__reach_problem *problem, size_t key,
                          const qkv__reach_answer *answer, int trials)
{
    random_source source = {23};
    double query[MOST], weights[MOST];
    assert_int_equal(answer->status, QKV__REACH_IMPOSSIBLE);
    assert_null(answer->query);
    assert_non_null(answer->multipliers);
    for (size_t i = 0; i < problem->count; i++)
        assert_true(i == key ? answer->multipliers[i] < 0.0 : answer->multipliers[i] >= 0.0);
    check_dependency(problem, answer->multipliers);
    assert_true(answer->ceiling <= 0.5 + 1e-12);
    for (int trial = 0; trial < trials; trial++) {
        random_query(&source, problem->width, query);
        softmax(problem, 1.0, query, NULL, weights);
        assert_true(weights[key] <= answer->ceiling * (1.0 + 1e-12));
    }
}

/* ---- Copying -------------------------------------------------------------------------------- */

static void three_keys_on_a_line(void **state)
{
    (void)state;
    static const double keys[] = {-1.0, 0.0, 1.0};
    const qkv__reach_problem problem = {3, 1, keys};
    qkv__arena arena = {0};
    qkv__reach_answer first = copy(&problem, 0, &arena), middle = copy(&problem, 1, &arena);
    qkv__reach_answer last = copy(&problem, 2, &arena);
    check_copied(&problem, 0, &first);
    check_copied(&problem, 2, &last);
    check_refused(&problem, 1, &middle, 2000);
    assert_true(middle.exact);
    assert_true(middle.multipliers[0] == 1.0 && middle.multipliers[1] == -2.0);
    assert_true(middle.multipliers[2] == 1.0);
    assert_true(middle.ceiling >= 1.0 / 3.0 && middle.ceiling < 1.0 / 3.0 + 1e-14);
    assert_string_equal(middle.text,
                        "no query brings the weights to the wanted ones on key 2: k_1 + k_3 = 2 "
                        "k_2 exactly, so a_1 a_3 = a_2^2 for every query, and a_2 is at most "
                        "0.333333");
    qkv__arena_free(&arena);
}

/* The corners of a simplex are copied; a point inside, of barycentric coordinates c / 32, is the
 * combination that it was made as, since the corners are affinely independent. */
static void a_simplex_and_a_point_inside(void **state)
{
    (void)state;
    enum { WIDTH = 5, COUNT = WIDTH + 2 };
    static const double parts[WIDTH + 1] = {3.0, 5.0, 7.0, 1.0, 11.0, 5.0}; /* sum 32 */
    double keys[COUNT * WIDTH] = {0}, entropy = 0.0;
    for (size_t i = 0; i < WIDTH; i++) {
        keys[i * WIDTH + i] = 3.0;
        keys[(WIDTH + 1) * WIDTH + i] = 3.0 * parts[i] / 32.0;
    }
    const qkv__reach_problem problem = {COUNT, WIDTH, keys};
    qkv__arena arena = {0};
    for (size_t i = 0; i <= WIDTH; i++) {
        qkv__reach_answer corner = copy(&problem, i, &arena);
        check_copied(&problem, i, &corner);
        entropy -= parts[i] / 32.0 * log(parts[i] / 32.0);
    }
    qkv__reach_answer inside = copy(&problem, WIDTH + 1, &arena);
    check_refused(&problem, WIDTH + 1, &inside, 2000);
    assert_true(inside.exact);
    for (size_t i = 0; i <= WIDTH; i++) assert_true(inside.multipliers[i] == parts[i]);
    assert_true(fabs(inside.ceiling - 1.0 / (1.0 + exp(entropy))) < 1e-13);
    /* Equality in the bound: the query that makes a_i proportional to the parts. */
    double query[WIDTH], weights[COUNT];
    for (size_t i = 0; i < WIDTH; i++) query[i] = log(parts[i] / parts[WIDTH]) / 3.0;
    softmax(&problem, 1.0, query, NULL, weights);
    assert_true(fabs(weights[WIDTH + 1] - inside.ceiling) < 1e-13);
    qkv__arena_free(&arena);
}

static void points_of_a_circle(void **state)
{
    (void)state;
    enum { COUNT = 48 };
    double keys[2 * (COUNT + 1)] = {0};
    for (int i = 0; i < COUNT; i++) {
        keys[2 * i] = cos(0.1309 * i); /* just under a 48th of the turn */
        keys[2 * i + 1] = sin(0.1309 * i);
    }
    keys[2 * COUNT] = 0.1;
    keys[2 * COUNT + 1] = -0.3;
    const qkv__reach_problem problem = {COUNT + 1, 2, keys};
    qkv__arena arena = {0};
    for (size_t i = 0; i < COUNT; i++) {
        qkv__reach_answer answer = copy(&problem, i, &arena);
        check_copied(&problem, i, &answer);
    }
    qkv__reach_answer inside = copy(&problem, COUNT, &arena);
    check_refused(&problem, COUNT, &inside, 2000);
    qkv__arena_free(&arena);
}

static void duplicates_share_their_weight(void **state)
{
    (void)state;
    static const double keys[] = {0.1, 0.2, 0.7, 0.3, 0.1, 0.2, 0.1, 0.2, -0.4, 0.9};
    const qkv__reach_problem three = {5, 2, keys}, two = {3, 2, keys};
    qkv__arena arena = {0};
    qkv__reach_answer answer = copy(&two, 0, &arena);
    check_refused(&two, 0, &answer, 2000);
    assert_true(answer.exact && fabs(answer.ceiling - 1.0 / 2.0) < 1e-14);
    answer = copy(&three, 2, &arena);
    check_refused(&three, 2, &answer, 2000);
    assert_true(answer.exact && fabs(answer.ceiling - 1.0 / 3.0) < 1e-14);
    qkv__reach_answer other = copy(&three, 1, &arena);
    check_copied(&three, 1, &other);
    qkv__arena_free(&arena);
}

static int turn(const int *a, const int *b, const int *c)
{
    int area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    return (area > 0) - (area < 0);
}

static bool is_between(const int *p, const int *a, const int *b)
{
    int ahead = (p[0] - a[0]) * (p[0] - b[0]) + (p[1] - a[1]) * (p[1] - b[1]);
    return turn(a, b, p) == 0 && ahead <= 0;
}

/* In the plane, by Caratheodory: in a triangle of others, or between two, or equal to one. */
static bool is_in_hull(int (*points)[2], int count, int p)
{
    for (int a = 0; a < count; a++)
        for (int b = 0; b < count; b++) {
            if (a == p || b == p) continue;
            if (is_between(points[p], points[a], points[b])) return true;
            for (int c = 0; c < count; c++) {
                if (c == p || turn(points[a], points[b], points[c]) <= 0) continue;
                if (turn(points[a], points[b], points[p]) >= 0 &&
                    turn(points[b], points[c], points[p]) >= 0 &&
                    turn(points[c], points[a], points[p]) >= 0)
                    return true;
            }
        }
    return false;
}

/* A small grid is full of midpoints, duplicates and lines: all must be proved, and exactly where
 * the answer is no. */
static void whole_points_of_the_plane(void **state)
{
    (void)state;
    enum { COUNT = 9, ROUNDS = 150 };
    random_source source = {5};
    for (int round = 0; round < ROUNDS; round++) {
        int points[COUNT][2];
        double keys[2 * COUNT];
        for (int i = 0; i < 2 * COUNT; i++)
            keys[i] = points[i / 2][i % 2] = (int)random_below(&source, 3 + (size_t)round / 10);
        const qkv__reach_problem problem = {COUNT, 2, keys};
        qkv__arena arena = {0};
        for (int p = 0; p < COUNT; p++) {
            qkv__reach_answer answer = copy(&problem, (size_t)p, &arena);
            if (is_in_hull(points, COUNT, p)) {
                check_refused(&problem, (size_t)p, &answer, 30);
                assert_true(answer.exact);
            } else
                check_copied(&problem, (size_t)p, &answer);
        }
        qkv__arena_free(&arena);
    }
}

static void random_keys_are_decided(void **state)
{
    (void)state;
    enum { COUNT = 40, WIDTH = 4, ROUNDS = 10 };
    random_source source = {7};
    int copied = 0, refused = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double keys[COUNT * WIDTH];
        for (size_t i = 0; i < COUNT * WIDTH; i++)
            keys[i] = (i < 20 ? 0.3 : 1.0) * random_bell(&source) + 5.0;
        const qkv__reach_problem problem = {COUNT, WIDTH, keys};
        qkv__arena arena = {0};
        for (size_t i = 0; i < COUNT; i++) {
            qkv__reach_answer answer = copy(&problem, i, &arena);
            if (answer.status == QKV__REACH_REACHABLE) {
                check_copied(&problem, i, &answer);
                copied++;
            } else {
                check_refused(&problem, i, &answer, 1000);
                refused++;
            }
        }
        qkv__arena_free(&arena);
    }
    assert_true(copied > 20 && refused > 20);
}

/* A margin far below the tolerance of the linear program, from either side of the border. */
static void near_the_border(void **state)
{
    (void)state;
    for (int step = 0; step < 12; step++) {
        double height = ldexp(1.0, -3 * step - 10), keys[] = {-1.0, 0.0, 1.0, 0.0, 0.25, height};
        double above[] = {-1.0, 0.0, 1.0, 0.0, 0.25, height, 0.5, 1.0};
        const qkv__reach_problem problem = {3, 2, keys}, inside = {4, 2, above};
        qkv__arena arena = {0};
        qkv__reach_answer answer = copy(&problem, 2, &arena);
        check_copied(&problem, 2, &answer);
        answer = copy(&inside, 2, &arena);
        if (answer.status != QKV__REACH_UNKNOWN && answer.status != QKV__REACH_SEEMS_IMPOSSIBLE)
            check_refused(&inside, 2, &answer, 500);
        assert_true(step > 4 || answer.status == QKV__REACH_IMPOSSIBLE);
        qkv__arena_free(&arena);
    }
}

/* As doubles these three points are not on a line, by less than a rounding: nothing is proved that
 * is false. */
static void decimals_are_not_doubles(void **state)
{
    (void)state;
    static const double keys[] = {0.1, 0.3, 0.2, 0.6, 0.3, 0.9};
    const qkv__reach_problem problem = {3, 2, keys};
    qkv__arena arena = {0};
    qkv__reach_answer answer = copy(&problem, 1, &arena);
    assert_int_not_equal(answer.status, QKV__REACH_IMPOSSIBLE);
    if (answer.status == QKV__REACH_REACHABLE) check_copied(&problem, 1, &answer);
    assert_true(answer.ceiling == 1.0);
    qkv__arena_free(&arena);
}

static void a_single_key(void **state)
{
    (void)state;
    static const double keys[] = {3.0, 4.0};
    const qkv__reach_problem problem = {1, 2, keys};
    qkv__arena arena = {0};
    qkv__reach_answer answer = copy(&problem, 0, &arena);
    assert_int_equal(answer.status, QKV__REACH_REACHABLE);
    assert_true(isinf(answer.margin));
    static const double target[] = {1.0};
    answer = exactly(&problem, target, &arena);
    assert_int_equal(answer.status, QKV__REACH_REACHABLE);
    qkv__arena_free(&arena);
}

/* ---- Subsets -------------------------------------------------------------------------------- */

/* The weights at a large multiple are the wanted ones on the members. */
static void check_limit(const qkv__reach_problem *problem, size_t count, const size_t *members,
                        const double *weights, const qkv__reach_answer *answer)
{
    double reached[MOST], total = 0.0;
    assert_int_equal(answer->status, QKV__REACH_REACHABLE);
    for (size_t m = 0; m < count; m++) total += weights == NULL ? 1.0 : weights[m];
    double beta = isinf(answer->margin) ? 1.0 : 80.0 / answer->margin;
    softmax(problem, beta, answer->query, answer->offset, reached);
    for (size_t m = 0; m < count; m++) {
        double wanted = (weights == NULL ? 1.0 : weights[m]) / total;
        assert_true(fabs(reached[members[m]] - wanted) < 1e-10);
    }
}

static void check_no_face(const qkv__reach_problem *problem, size_t count, const size_t *members,
                          const qkv__reach_answer *answer)
{
    bool is_member[MOST] = {false};
    for (size_t m = 0; m < count; m++) is_member[members[m]] = true;
    assert_int_equal(answer->status, QKV__REACH_IMPOSSIBLE);
    double off = 0.0;
    for (size_t i = 0; i < problem->count; i++) {
        if (is_member[i]) continue;
        assert_true(answer->multipliers[i] >= 0.0);
        off += answer->multipliers[i];
    }
    assert_true(off > 0.0);
    check_dependency(problem, answer->multipliers);
}

static int bits_of(size_t number)
{
    return (int)((number & 1) + (number >> 1 & 1) + (number >> 2 & 1));
}

/* Two corners are the key set of a face if and only if they differ in one coordinate; four, if
 * they share one; eight always. */
static void faces_of_a_cube(void **state)
{
    (void)state;
    double keys[24];
    for (size_t i = 0; i < 24; i++) keys[i] = (double)(i / 3 >> i % 3 & 1);
    const qkv__reach_problem problem = {8, 3, keys};
    qkv__arena arena = {0};
    for (size_t subset_bits = 1; subset_bits < 256; subset_bits++) {
        size_t members[8], count = 0, together = 7, apart = 7;
        for (size_t i = 0; i < 8; i++) {
            if ((subset_bits >> i & 1) == 0) continue;
            members[count++] = i;
            together &= i;
            apart &= ~i;
        }
        size_t free_coordinates = (size_t)(3 - bits_of(together) - bits_of(apart));
        qkv__reach_answer answer = subset(&problem, count, members, NULL, &arena);
        assert_true(answer.exact);
        if (count == (size_t)1 << free_coordinates)
            check_limit(&problem, count, members, NULL, &answer);
        else
            check_no_face(&problem, count, members, &answer);
    }
    qkv__arena_free(&arena);
}

/* For affinely independent keys every subset and every weights on it can be reached. */
static void independent_keys_reach_everything(void **state)
{
    (void)state;
    enum { COUNT = 7, WIDTH = 6 };
    random_source source = {11};
    double keys[COUNT * WIDTH], weights[COUNT];
    for (size_t i = 0; i < COUNT * WIDTH; i++) keys[i] = random_bell(&source) + 1.0;
    for (size_t i = 0; i < COUNT; i++) weights[i] = 0.05 + random_uniform(&source);
    const qkv__reach_problem problem = {COUNT, WIDTH, keys};
    qkv__arena arena = {0};
    for (size_t subset_bits = 1; subset_bits < 1 << COUNT; subset_bits++) {
        size_t members[COUNT], count = 0;
        for (size_t i = 0; i < COUNT; i++)
            if (subset_bits >> i & 1) members[count++] = i;
        qkv__reach_answer answer = subset(&problem, count, members, NULL, &arena);
        check_limit(&problem, count, members, NULL, &answer);
        answer = subset(&problem, count, members, weights, &arena);
        check_limit(&problem, count, members, weights, &answer);
    }
    qkv__arena_free(&arena);
}

/* Random real keys: a pair is a face or a proved one is not; in the plane there are as many edges
 * as vertices. */
static void edges_of_a_polygon(void **state)
{
    (void)state;
    enum { COUNT = 14 };
    random_source source = {13};
    double keys[2 * COUNT];
    for (size_t i = 0; i < 2 * COUNT; i++) keys[i] = random_bell(&source);
    const qkv__reach_problem problem = {COUNT, 2, keys};
    qkv__arena arena = {0};
    int vertices = 0, edges = 0;
    for (size_t a = 0; a < COUNT; a++) {
        vertices += copy(&problem, a, &arena).status == QKV__REACH_REACHABLE;
        for (size_t b = a + 1; b < COUNT; b++) {
            const size_t members[] = {a, b};
            qkv__reach_answer answer = subset(&problem, 2, members, NULL, &arena);
            if (answer.status == QKV__REACH_REACHABLE) {
                check_limit(&problem, 2, members, NULL, &answer);
                edges++;
            } else
                check_no_face(&problem, 2, members, &answer);
        }
    }
    assert_true(vertices >= 3);
    assert_int_equal(vertices, edges);
    qkv__arena_free(&arena);
}

/* Three keys on an edge of a triangle: the edge is a face, uniform weights tend to it, but the
 * middle weight is the geometric mean of the others whatever the query. */
static void weights_on_a_line_of_keys(void **state)
{
    (void)state;
    static const double keys[] = {-1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, -1.0};
    static const size_t members[] = {0, 1, 2};
    static const double bad[] = {0.5, 0.25, 0.25}, good[] = {0.1, 0.2, 0.4};
    const qkv__reach_problem problem = {4, 2, keys};
    qkv__arena arena = {0};
    qkv__reach_answer answer = subset(&problem, 3, members, NULL, &arena);
    check_limit(&problem, 3, members, NULL, &answer);
    answer = subset(&problem, 3, members, bad, &arena);
    assert_int_equal(answer.status, QKV__REACH_IMPOSSIBLE);
    assert_true(answer.exact && answer.query == NULL && answer.multipliers[3] == 0.0);
    check_dependency(&problem, answer.multipliers);
    answer = subset(&problem, 3, members, good, &arena);
    assert_int_equal(answer.status, QKV__REACH_SEEMS_REACHABLE); /* 0.1, 0.2 are not doubles */
    qkv__arena_free(&arena);
}

/* ---- Exact weights -------------------------------------------------------------------------- */

static void independent_keys_reproduce_the_target(void **state)
{
    (void)state;
    random_source source = {19};
    for (size_t width = 1; width <= 20; width++)
        for (size_t count = 2; count <= width + 1; count++) {
            double keys[21 * 20], target[21], reached[21], total = 0.0;
            for (size_t i = 0; i < count * width; i++) keys[i] = random_bell(&source);
            for (size_t i = 0; i < count; i++) {
                target[i] = exp(3.0 * random_bell(&source));
                total += target[i];
            }
            const qkv__reach_problem problem = {count, width, keys};
            qkv__arena arena = {0};
            qkv__reach_answer answer = exactly(&problem, target, &arena);
            assert_int_equal(answer.status, QKV__REACH_REACHABLE);
            assert_int_equal(answer.rank, count - 1);
            softmax(&problem, 1.0, answer.query, NULL, reached);
            for (size_t i = 0; i < count; i++)
                assert_true(fabs(reached[i] - target[i] / total) < 1e-12);
            qkv__arena_free(&arena);
        }
}

/* Orthonormal keys: the scores may be moved by a constant, and the shortest query has mean score
 * 0: q_i = ln t_i - mean. */
static void the_query_is_the_shortest(void **state)
{
    (void)state;
    static const double keys[] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    static const double target[] = {0.2, 0.3, 0.5};
    const qkv__reach_problem problem = {3, 4, keys};
    qkv__arena arena = {0};
    qkv__reach_answer answer = exactly(&problem, target, &arena);
    double mean = (log(0.2) + log(0.3) + log(0.5)) / 3.0;
    for (size_t i = 0; i < 3; i++)
        assert_true(fabs(answer.query[i] - (log(target[i]) - mean)) < 1e-14);
    assert_true(fabs(answer.query[3]) < 1e-14);
    qkv__arena_free(&arena);
}

static void dependent_keys_are_refused(void **state)
{
    (void)state;
    static const double keys[] = {-1.0, 0.0, 1.0}, bad[] = {0.5, 0.25, 0.25};
    static const double good[] = {1.0, 2.0, 4.0}, uniform[] = {1.0, 1.0, 1.0};
    const qkv__reach_problem problem = {3, 1, keys};
    qkv__arena arena = {0};
    qkv__reach_answer answer = exactly(&problem, bad, &arena);
    assert_int_equal(answer.status, QKV__REACH_IMPOSSIBLE);
    assert_true(answer.exact && answer.query == NULL);
    double scale = answer.multipliers[0];
    assert_true(answer.multipliers[1] == -2.0 * scale && answer.multipliers[2] == scale);
    assert_true(fabs(answer.mismatch - scale * log(2.0)) < 1e-14);
    answer = exactly(&problem, good, &arena);
    assert_int_equal(answer.status, QKV__REACH_SEEMS_REACHABLE);
    assert_true(fabs(answer.query[0] - log(2.0)) < 1e-15);
    answer = exactly(&problem, uniform, &arena);
    assert_int_equal(answer.status, QKV__REACH_REACHABLE);
    assert_true(answer.exact && answer.query[0] == 0.0);
    qkv__arena_free(&arena);
}

/* More keys than dimensions allow: weights that some query has are never refused, others are. */
static void random_dependent_keys(void **state)
{
    (void)state;
    enum { COUNT = 30, WIDTH = 5 };
    random_source source = {29};
    for (int round = 0; round < 50; round++) {
        double keys[COUNT * WIDTH], target[COUNT], query[WIDTH];
        for (size_t i = 0; i < COUNT * WIDTH; i++) keys[i] = random_bell(&source);
        for (size_t x = 0; x < WIDTH; x++) query[x] = random_bell(&source);
        const qkv__reach_problem problem = {COUNT, WIDTH, keys};
        softmax(&problem, 1.0, query, NULL, target);
        qkv__arena arena = {0};
        qkv__reach_answer answer = exactly(&problem, target, &arena);
        assert_int_equal(answer.status, QKV__REACH_SEEMS_REACHABLE);
        for (size_t x = 0; x < WIDTH; x++) assert_true(fabs(answer.query[x] - query[x]) < 1e-12);
        target[random_below(&source, COUNT)] *= 1.0 + 1e-9;
        answer = exactly(&problem, target, &arena);
        assert_int_equal(answer.status, QKV__REACH_IMPOSSIBLE);
        check_dependency(&problem, answer.multipliers);
        double mismatch = 0.0;
        for (size_t i = 0; i < COUNT; i++) mismatch += answer.multipliers[i] * log(target[i]);
        assert_true(mismatch * answer.mismatch > 0.0);
        qkv__arena_free(&arena);
    }
}

/* ---- Arguments and memory ------------------------------------------------------------------- */

static void bad_arguments_are_named(void **state)
{
    (void)state;
    static const double keys[] = {0.0, 1.0, INFINITY}, zero[] = {0.5, 0.0}, query[] = {-1.0};
    static const size_t beyond[] = {2}, twice[] = {0, 0}, both[] = {0, 1};
    const qkv__reach_problem good = {2, 1, keys}, bad = {3, 1, keys}, none = {0, 1, keys};
    qkv__reach_answer a;
    qkv__reach_nearest nearest;
    qkv__reach_scale scale;
    qkv__arena arena = {0};
    qkv_error e;
    check_error(qkv__reach_copy(&none, 0, &arena, &a, &e), QKV_ERROR_SHAPE, &e, "0 keys");
    check_error(qkv__reach_copy(&bad, 0, &arena, &a, &e), QKV_ERROR_ARGUMENT, &e, "key 3");
    check_error(qkv__reach_copy(&good, 2, &arena, &a, &e), QKV_ERROR_ARGUMENT, &e, "member 2");
    check_error(qkv__reach_subset(&good, 0, beyond, NULL, &arena, &a, &e), QKV_ERROR_SHAPE, &e,
                "0 members");
    check_error(qkv__reach_subset(&good, 1, beyond, NULL, &arena, &a, &e), QKV_ERROR_ARGUMENT, &e,
                "member 2");
    check_error(qkv__reach_subset(&good, 2, twice, NULL, &arena, &a, &e), QKV_ERROR_ARGUMENT, &e,
                "twice");
    check_error(qkv__reach_subset(&good, 2, both, zero, &arena, &a, &e), QKV_ERROR_ARGUMENT, &e,
                "weight 2 is 0");
    check_error(qkv__reach_weights(&good, zero, &arena, &a, &e), QKV_ERROR_ARGUMENT, &e,
                "target 2 is 0");
    check_error(qkv__reach_norm(&good, 2, both, 1.0, &arena, &nearest, &e), QKV_ERROR_ARGUMENT, &e,
                "all 2 keys");
    check_error(qkv__reach_norm(&good, 1, both, -1.0, &arena, &nearest, &e), QKV_ERROR_ARGUMENT, &e,
                "margin");
    check_error(qkv__reach_leak(&good, 1, both, query, NULL, 1.0, &scale, &e), QKV_ERROR_ARGUMENT,
                &e, "tolerance is 1");
    check_error(qkv__reach_leak(&good, 1, both + 1, query, NULL, 0.1, &scale, &e),
                QKV_ERROR_ARGUMENT, &e, "query");
    qkv__arena_free(&arena);
}

/* Every entry point once, on keys that need all of the code. */
static qkv_status ask(int question, qkv__arena *arena, qkv_error *error)
{
    static const double keys[] = {0, 0, 1, 0, 2, 0, 0.3, 1, 1, 0.25, 5, 7};
    static const size_t members[] = {0, 1, 2};
    static const double weights[] = {0.5, 0.25, 0.25, 1, 1, 1}, query[] = {0, -1};
    const qkv__reach_problem problem = {6, 2, keys}, flat = {5, 2, keys};
    qkv__reach_answer answer = {.text = "not asked for"};
    qkv__reach_nearest nearest;
    qkv__reach_scale scale;
    qkv_status status = QKV_OK;
    switch (question) {
    case 0: status = qkv__reach_copy(&problem, 4, arena, &answer, error); break;
    case 1: status = qkv__reach_subset(&problem, 3, members, weights, arena, &answer, error); break;
    case 2: status = qkv__reach_weights(&problem, weights, arena, &answer, error); break;
    case 3: status = qkv__reach_norm(&flat, 2, members, 1.0, arena, &nearest, error); break;
    default: status = qkv__reach_leak(&flat, 3, members, query, NULL, 0.01, &scale, error);
    }
    if (status == QKV_OK) assert_non_null(answer.text);
    return status;
}

/* A call that needs no more allocations needs no more at any later countdown either: a failure that
 * was swallowed shows as a success before the last failure. */
static void memory_failures_are_reported(void **state)
{
    (void)state;
    enum { COUNTDOWNS = 60 };
    for (int question = 0; question < 5; question++) {
        long live = qkv__memory_live(), failures = 0;
        for (long countdown = 0; countdown < COUNTDOWNS; countdown++) {
            qkv__arena arena = {0};
            qkv_error error;
            qkv__memory_fail_after(countdown);
            qkv_status status = ask(question, &arena, &error);
            qkv__memory_fail_after(-1);
            qkv__arena_free(&arena);
            assert_int_equal(qkv__memory_live(), live);
            if (status == QKV_OK) continue;
            check_error(status, QKV_ERROR_MEMORY, &error, "out of memory: ");
            assert_int_equal(failures++, countdown);
        }
        assert_true(failures > 0 && failures < COUNTDOWNS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_keys_on_a_line),
        cmocka_unit_test(a_simplex_and_a_point_inside),
        cmocka_unit_test(points_of_a_circle),
        cmocka_unit_test(duplicates_share_their_weight),
        cmocka_unit_test(whole_points_of_the_plane),
        cmocka_unit_test(random_keys_are_decided),
        cmocka_unit_test(near_the_border),
        cmocka_unit_test(decimals_are_not_doubles),
        cmocka_unit_test(a_single_key),
        cmocka_unit_test(faces_of_a_cube),
        cmocka_unit_test(independent_keys_reach_everything),
        cmocka_unit_test(edges_of_a_polygon),
        cmocka_unit_test(weights_on_a_line_of_keys),
        cmocka_unit_test(independent_keys_reproduce_the_target),
        cmocka_unit_test(the_query_is_the_shortest),
        cmocka_unit_test(dependent_keys_are_refused),
        cmocka_unit_test(random_dependent_keys),
        cmocka_unit_test(bad_arguments_are_named),
        cmocka_unit_test(memory_failures_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
