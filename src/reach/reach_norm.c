/*
 * How long a query must be: the shortest one of a margin, and how far along a direction a
 * tolerance lies. Knows nothing of linear programs.
 *
 * Shortest. For multipliers lambda >= 0 off the members and any nu, let
 * x = sum lambda_l (k_s - k_l) + sum nu_r (k_r - k_s). A query q with the same score on all members
 * and at least Delta less elsewhere has x . q >= Delta sum lambda, hence
 *
 *     |q| >= Delta sum lambda / |x|,
 *
 * and q = Delta x / |x|^2 attains it where x is the nearest point.
 */
#include "reach/reach_part.h"

#include <math.h>

#include "base/error.h"

/* ---- The shortest query of a margin --------------------------------------------------------- */

/* Coordinate `at` of x above, and an upper bound of its rounding. */
static double coordinate(const qkv__reach_face *face, const double *multipliers, size_t at,
                         double *error)
{
    const qkv__reach_problem *problem = face->problem;
    double first = qkv__reach_key(problem, face->members[0])[at], sum = 0.0, size = 0.0;
    size_t terms = 0;
    for (size_t i = 0; i < problem->count; i++) {
        if (multipliers[i] == 0.0 || i == face->members[0]) continue;
        double product = multipliers[i] * (first - qkv__reach_key(problem, i)[at]);
        sum += product;
        size += fabs(product);
        terms++;
    }
    *error = qkv__reach_rounding(terms + 4) * size + (double)terms * 0x1p-1022;
    return sum;
}

/* An upper bound of |x| / sum lambda, the distance that the multipliers prove. */
static double distance_above(const qkv__reach_face *face, const double *multipliers)
{
    double square = 0.0, total = 0.0;
    for (size_t x = 0; x < face->problem->width; x++) {
        double error, value = fabs(coordinate(face, multipliers, x, &error)) + error;
        square += value * value;
    }
    for (size_t i = 0; i < face->problem->count; i++)
        if (!face->is_member[i]) total += multipliers[i];
    double rounding = qkv__reach_rounding(face->problem->count + face->problem->width + 8);
    return sqrt(square) / total * (1.0 + rounding);
}

static double norm_of(size_t width, const double *query)
{
    double norm = 0.0;
    for (size_t x = 0; x < width; x++) norm = hypot(norm, query[x]);
    return norm;
}

/* Stretches the query until its margin over the first member is what was asked for, rounding
 * accounted for: each pass leaves only the rounding of its own products. */
static void stretch(const qkv__reach_face *face, double wanted, qkv__reach_nearest *nearest)
{
    for (int pass = 0; pass < 4; pass++) {
        nearest->margin = qkv__reach_margin(face, nearest->query, 0.0);
        if (nearest->margin >= wanted && pass > 0) break;
        double factor = wanted / nearest->margin * (1.0 + 0x1p-51);
        for (size_t x = 0; x < face->problem->width; x++) nearest->query[x] *= factor;
    }
}

static qkv_status find_nearest(const qkv__reach_face *face, qkv__arena *scratch, double wanted,
                               qkv__reach_nearest *nearest, qkv_error *error)
{
    double *query = nearest->query;
    bool found;
    qkv_status status =
        qkv__reach_nearest_points(face, query, nearest->multipliers, &nearest->gap, &found, error);
    if (status != QKV_OK || !found) return status;
    nearest->distance = norm_of(face->problem->width, query);
    qkv__reach_proof proof = qkv__reach_prove_face(face, scratch, query, &nearest->margin);
    if (proof != QKV__REACH_NOTHING) {
        stretch(face, wanted, nearest);
        bool proved = proof >= QKV__REACH_ENCLOSED && nearest->margin >= wanted;
        nearest->status = proved ? QKV__REACH_REACHABLE : QKV__REACH_SEEMS_REACHABLE;
        nearest->norm = norm_of(face->problem->width, query);
    }
    nearest->norm_least = wanted / distance_above(face, nearest->multipliers);
    nearest->norm_least *= 1.0 - 0x1p-51;
    return scratch->failed ? qkv__reach_no_memory(scratch, error) : QKV_OK;
}

qkv_status qkv__reach_norm(const qkv__reach_problem *problem, size_t member_count,
                           const size_t *members, double margin, qkv__arena *arena,
                           qkv__reach_nearest *nearest, qkv_error *error)
{
    qkv_status status = qkv__reach_check(problem, member_count, members, error);
    if (status == QKV_OK) status = qkv__reach_check_positive("margin", 1, &margin, error);
    if (status == QKV_OK && member_count == problem->count)
        status = qkv__fail(error, QKV_ERROR_ARGUMENT,
                           "all %zu keys are members: expected some key to keep a margin from",
                           problem->count);
    if (status != QKV_OK) return status;
    qkv__arena scratch = {0};
    qkv__reach_nearest made = {0};
    bool *flags = qkv__reach_flags(problem->count, member_count, members, &scratch);
    made.query = qkv__arena_array(arena, problem->width, sizeof(double));
    made.multipliers = qkv__arena_array(arena, problem->count, sizeof(double));
    if (flags != NULL && !arena->failed) {
        qkv__reach_face face = {problem, member_count, members, flags};
        status = find_nearest(&face, &scratch, margin, &made, error);
        if (made.status == QKV__REACH_UNKNOWN) made.query = NULL;
    } else
        status = qkv__reach_no_memory(arena->failed ? arena : &scratch, error);
    if (status == QKV_OK) *nearest = made;
    qkv__arena_free(&scratch);
    return status;
}

/* ---- From a margin to a tolerance ----------------------------------------------------------- */

/* The scores along the direction and of the offset. */
typedef struct line {
    size_t count;
    const bool *is_member;
    double *along, *offset; /* n each */
} line;

/* ln sum e^(beta along + offset) over the members or over the others. */
static double log_sum(const line *l, bool members, double beta)
{
    double largest = -INFINITY, sum = 0.0;
    for (size_t i = 0; i < l->count; i++)
        if (l->is_member[i] == members) largest = fmax(largest, beta * l->along[i] + l->offset[i]);
    for (size_t i = 0; i < l->count; i++)
        if (l->is_member[i] == members) sum += exp(beta * l->along[i] + l->offset[i] - largest);
    return largest + log(sum);
}

/* ln(leak / (1 - leak)): falls as beta grows, since every other key's score grows less fast than
 * every member's. */
static double log_odds(const line *l, double beta)
{
    return log_sum(l, false, beta) - log_sum(l, true, beta);
}

/* The least score of a member less the largest of another key, each moved by its rounding; for one
 * member by differences of keys, which is sharper. */
static double least_margin(const qkv__reach_face *face, const double *query, const line *l)
{
    if (face->member_count == 1) return qkv__reach_margin(face, query, 0.0);
    const qkv__reach_problem *problem = face->problem;
    double lowest = INFINITY, highest = -INFINITY;
    for (size_t i = 0; i < problem->count; i++) {
        double size = 0.0;
        for (size_t x = 0; x < problem->width; x++)
            size += fabs(qkv__reach_key(problem, i)[x] * query[x]);
        double error = qkv__reach_rounding(problem->width + 4) * size;
        if (l->is_member[i])
            lowest = fmin(lowest, l->along[i] - error);
        else
            highest = fmax(highest, l->along[i] + error);
    }
    return lowest - highest;
}

/*
 * With every other key at least `margin` below every member,
 * log_odds(beta) <= log_odds(0) - beta margin, and leak <= tolerance where that is at most
 * ln(tolerance / (1 - tolerance)). Without an offset log_odds(0) = ln((n - m) / m), so that the
 * bound is ln((n - m) (1 - tolerance) / (m tolerance)) / margin. It is raised by the rounding of
 * its terms.
 */
static double sufficient_scale(const line *l, double margin, double tolerance)
{
    double odds = log_odds(l, 0.0), wanted = log(tolerance) - log1p(-tolerance);
    double size = fabs(odds) + fabs(wanted) + fabs(log_sum(l, true, 0.0));
    double bound = (odds - wanted + qkv__reach_rounding(l->count + 16) * size) / margin;
    return fmax(bound, 0.0);
}

static double least_scale(const line *l, double sufficient, double tolerance)
{
    double wanted = log(tolerance) - log1p(-tolerance);
    if (log_odds(l, 0.0) <= wanted) return 0.0;
    double low = 0.0, high = sufficient;
    for (;;) { /* until no double lies between */
        double middle = low + (high - low) / 2.0;
        if (!(middle > low && middle < high)) return high;
        if (log_odds(l, middle) <= wanted)
            high = middle;
        else
            low = middle;
    }
}

static bool take_line(line *made, const qkv__reach_problem *problem, const bool *flags,
                      const double *query, const double *offset, qkv__arena *scratch)
{
    *made = (line){.count = problem->count, .is_member = flags};
    made->along = qkv__arena_array(scratch, problem->count, sizeof(double));
    made->offset = qkv__arena_array(scratch, problem->count, sizeof(double));
    if (scratch->failed) return false;
    for (size_t i = 0; i < problem->count; i++) {
        const double *key = qkv__reach_key(problem, i);
        for (size_t x = 0; x < problem->width; x++) {
            made->along[i] += key[x] * query[x];
            if (offset != NULL) made->offset[i] += key[x] * offset[x];
        }
    }
    return true;
}

qkv_status qkv__reach_leak(const qkv__reach_problem *problem, size_t member_count,
                           const size_t *members, const double *query, const double *offset,
                           double tolerance, qkv__reach_scale *scale, qkv_error *error)
{
    qkv_status status = qkv__reach_check(problem, member_count, members, error);
    if (status != QKV_OK) return status;
    if (!(tolerance > 0.0 && tolerance < 1.0))
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "tolerance is %g: expected more than 0 and less than 1", tolerance);
    if (member_count == problem->count) {
        *scale = (qkv__reach_scale){0};
        return QKV_OK;
    }
    qkv__arena scratch = {0};
    line made;
    bool *flags = qkv__reach_flags(problem->count, member_count, members, &scratch);
    if (flags == NULL || !take_line(&made, problem, flags, query, offset, &scratch)) {
        status = qkv__reach_no_memory(&scratch, error);
        goto done;
    }
    qkv__reach_face face = {problem, member_count, members, flags};
    double margin = least_margin(&face, query, &made);
    if (!(margin > 0.0)) {
        status = qkv__fail(error, QKV_ERROR_ARGUMENT,
                           "query: some member scores no more than some other key along it");
        goto done;
    }
    scale->sufficient = sufficient_scale(&made, margin, tolerance);
    scale->least = least_scale(&made, scale->sufficient, tolerance);
done:
    qkv__arena_free(&scratch);
    return status;
}
