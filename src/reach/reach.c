/*
 * The questions of reach.h: checks arguments, asks the solvers for candidates, has them proved, and
 * puts the answer together. Knows nothing of how candidates are found or proved.
 */
#include "reach/reach_part.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/error.h"

/* ---- Arguments ------------------------------------------------------------------------------ */

static qkv_status check_keys(const qkv__reach_problem *problem, qkv_error *error)
{
    size_t count = problem->count, width = problem->width;
    if (count == 0 || width == 0)
        return qkv__fail(error, QKV_ERROR_SHAPE,
                         "%zu keys in %zu dimensions: expected at least one of each", count, width);
    if (count > INT_MAX / width)
        return qkv__fail(error, QKV_ERROR_UNSUPPORTED,
                         "%zu keys in %zu dimensions: expected at most %d numbers in all", count,
                         width, INT_MAX);
    for (size_t i = 0; i < count * width; i++) {
        double size = fabs(problem->keys[i]);
        if (!(size == 0.0 || (size >= 0x1p-400 && size <= 0x1p400)))
            return qkv__fail(error, QKV_ERROR_ARGUMENT,
                             "key %zu has the entry %g: expected 0 or a size from 2^-400 to 2^400",
                             i / width + 1, problem->keys[i]);
    }
    return QKV_OK;
}

bool *qkv__reach_flags(size_t count, size_t member_count, const size_t *members,
                       qkv__arena *scratch)
{
    bool *flags = qkv__arena_array(scratch, count, sizeof *flags);
    for (size_t m = 0; flags != NULL && m < member_count; m++) flags[members[m]] = true;
    return flags;
}

/* Members are keys, and different ones. */
static qkv_status check_members(size_t count, size_t member_count, const size_t *members,
                                qkv_error *error)
{
    if (member_count == 0 || member_count > count)
        return qkv__fail(error, QKV_ERROR_SHAPE, "%zu members: expected from 1 to %zu",
                         member_count, count);
    qkv__arena scratch = {0};
    bool *seen = qkv__arena_array(&scratch, count, sizeof *seen);
    qkv_status status = seen == NULL ? qkv__reach_no_memory(&scratch, error) : QKV_OK;
    for (size_t m = 0; seen != NULL && status == QKV_OK && m < member_count; m++) {
        if (members[m] >= count)
            status = qkv__fail(error, QKV_ERROR_ARGUMENT, "member %zu: expected less than %zu",
                               members[m], count);
        else if (seen[members[m]])
            status = qkv__fail(error, QKV_ERROR_ARGUMENT, "member %zu is given twice", members[m]);
        else
            seen[members[m]] = true;
    }
    qkv__arena_free(&scratch);
    return status;
}

qkv_status qkv__reach_check(const qkv__reach_problem *problem, size_t member_count,
                            const size_t *members, qkv_error *error)
{
    qkv_status status = check_keys(problem, error);
    return status != QKV_OK ? status : check_members(problem->count, member_count, members, error);
}

qkv_status qkv__reach_check_positive(const char *name, size_t count, const double *values,
                                     qkv_error *error)
{
    for (size_t i = 0; i < count; i++)
        if (!(values[i] > 0.0 && isfinite(values[i])))
            return qkv__fail(error, QKV_ERROR_ARGUMENT,
                             "%s %zu is %g: expected a positive finite number", name, i + 1,
                             values[i]);
    return QKV_OK;
}

qkv_status qkv__reach_no_memory(const qkv__arena *arena, qkv_error *error)
{
    return qkv__fail(error, QKV_ERROR_MEMORY, "out of memory: reach had %zu bytes and needed more",
                     arena->used);
}

/* ---- The best candidate --------------------------------------------------------------------- */

/* The strongest evidence so far, for and against. */
typedef struct evidence {
    qkv__reach_proof reachable, impossible;
    double *query; /* d */
    double margin;
    qkv__reach_dependency dependency;
} evidence;

/* The terms of n multipliers. Smaller ones than this are basic variables that are 0 but for
 * rounding; if one was not, the proof fails and no harm is done. */
static bool collect_terms(const qkv__reach_face *face, const double *multipliers,
                          qkv__reach_dependency *made, qkv__arena *scratch)
{
    const double negligible = 0x1p-30;
    if (!qkv__reach_take_dependency(made, face->problem->count, scratch)) return false;
    for (size_t i = 0; i < face->problem->count; i++) {
        if (!(fabs(multipliers[i]) > negligible)) continue;
        made->index[made->count] = i;
        made->is_off[made->count] = !face->is_member[i];
        made->value[made->count++] = multipliers[i];
    }
    return true;
}

static void consider_query(evidence *best, const qkv__reach_face *face, double *query,
                           qkv__arena *scratch)
{
    double margin;
    qkv__reach_proof proof = qkv__reach_prove_face(face, scratch, query, &margin);
    if (proof <= best->reachable) return;
    best->reachable = proof;
    best->margin = margin;
    memcpy(best->query, query, face->problem->width * sizeof *query);
}

static void consider_multipliers(evidence *best, const qkv__reach_face *face,
                                 const double *multipliers, qkv__arena *scratch)
{
    qkv__reach_dependency terms;
    if (!collect_terms(face, multipliers, &terms, scratch)) return;
    qkv__reach_proof proof = qkv__reach_prove_dependency(face->problem, scratch, &terms);
    if (proof <= best->impossible) return;
    best->impossible = proof;
    best->dependency = terms;
}

static bool is_settled(const evidence *best)
{
    return best->reachable >= QKV__REACH_ENCLOSED || best->impossible >= QKV__REACH_ENCLOSED;
}

/* k_i = k_j for r keys i gives a_i = a_j for all of them: multipliers 1 each, -r for j. Returns r.
 */
static size_t find_duplicates(const qkv__reach_face *face, double *multipliers)
{
    const qkv__reach_problem *problem = face->problem;
    const double *own = qkv__reach_key(problem, face->members[0]);
    size_t found = 0;
    for (size_t i = 0; i < problem->count; i++) {
        bool same = i != face->members[0];
        for (size_t x = 0; same && x < problem->width; x++)
            same = qkv__reach_key(problem, i)[x] == own[x];
        multipliers[i] = same ? 1.0 : 0.0;
        found += same;
    }
    multipliers[face->members[0]] = -(double)found;
    return found;
}

/* To |q_x| <= 1, by a power of two. */
static void shrink(size_t width, double *query)
{
    double largest = 0.0;
    int exponent;
    for (size_t x = 0; x < width; x++) largest = fmax(largest, fabs(query[x]));
    frexp(largest, &exponent);
    for (size_t x = 0; x < width; x++) query[x] = ldexp(query[x], -exponent);
}

/* The linear program: its direction and its combination. */
static qkv_status consider_program(evidence *best, const qkv__reach_face *face, double *query,
                                   double *multipliers, qkv__arena *scratch, qkv_error *error)
{
    bool solved = false;
    qkv_status status = qkv__reach_program(face, query, multipliers, &solved, error);
    if (status != QKV_OK || !solved) return status;
    consider_query(best, face, query, scratch);
    consider_multipliers(best, face, multipliers, scratch);
    return QKV_OK;
}

/*
 * Duplicates; then Wolfe's direction, which for thousands of keys is found twenty times sooner
 * than the program's; then the program, whose combinations are basic and so have few keys and
 * small fractions; at last Wolfe's combination, often of other keys, whose system may have the
 * rank that a proof needs.
 */
static qkv_status gather(evidence *best, const qkv__reach_face *face, qkv__arena *scratch,
                         qkv_error *error)
{
    size_t count = face->problem->count, width = face->problem->width;
    double *query = qkv__arena_array(scratch, width, sizeof *query), gap;
    double *multipliers = qkv__arena_array(scratch, count, sizeof *multipliers);
    double *nearest = qkv__arena_array(scratch, count, sizeof *nearest);
    if (scratch->failed) return qkv__reach_no_memory(scratch, error);
    if (face->member_count == 1 && find_duplicates(face, multipliers) > 0)
        consider_multipliers(best, face, multipliers, scratch);
    if (is_settled(best)) return QKV_OK;
    bool found;
    qkv_status status = qkv__reach_nearest_points(face, query, nearest, &gap, &found, error);
    if (status != QKV_OK) return status;
    if (found) {
        shrink(width, query);
        consider_query(best, face, query, scratch);
    }
    if (!is_settled(best))
        status = consider_program(best, face, query, multipliers, scratch, error);
    if (status != QKV_OK) return status;
    if (found && !is_settled(best)) consider_multipliers(best, face, nearest, scratch);
    return scratch->failed ? qkv__reach_no_memory(scratch, error) : QKV_OK;
}

/* ---- The bound on a weight that cannot be copied -------------------------------------------- */

/* A lower bound of -x ln x over |x - lambda| <= radius: the function is concave, so its least
 * value is at an end. Logarithm and product round by less than 4 units in the last place. */
static double entropy_term(double lambda, double radius)
{
    double low = fmax(lambda - radius, 0.0), high = fmin(lambda + radius, 1.0);
    double at_low = low > 0.0 ? -low * log(low) : 0.0, at_high = -high * log(high);
    return fmin(at_low, at_high) * (1.0 - 0x1p-50);
}

/*
 * For k_j = sum lambda_i k_i, lambda > 0 with sum 1, the scores satisfy s_j = sum lambda_i s_i, so
 * a_j = product a_i^lambda_i. With H = -sum lambda_i ln lambda_i, by the weighted inequality of
 * arithmetic and geometric means,
 *
 *     a_j = e^-H product (a_i / lambda_i)^lambda_i <= e^-H sum a_i <= e^-H (1 - a_j),
 *
 * hence a_j <= 1 / (1 + e^H). For -1, 0, 1: H = ln 2 and a_2 <= 1/3; for r duplicates 1/(r + 1).
 * Equality holds where a_i / lambda_i is the same for all i and no other key has weight: of all
 * combinations the one of largest H gives the supremum, and any other a weaker bound.
 */
static double ceiling_of(const qkv__reach_dependency *dependency, bool whole)
{
    double total = whole ? 0.0 : 1.0, entropy = 0.0; /* enclosed values sum to 1 in the exact */
    for (size_t i = 0; i < dependency->count && whole; i++)
        if (dependency->is_off[i]) total += dependency->value[i];
    for (size_t i = 0; i < dependency->count; i++) {
        if (!dependency->is_off[i]) continue;
        double lambda = dependency->value[i] / total;
        double rounding = qkv__reach_rounding(dependency->count + 4) * lambda;
        entropy += entropy_term(lambda, dependency->radius[i] + rounding); /* radius 0 if whole */
    }
    entropy *= 1.0 - qkv__reach_rounding(dependency->count + 4);
    return fmin(1.0, 1.0 / (1.0 + exp(entropy)) * (1.0 + 0x1p-49));
}

/* ---- Answers -------------------------------------------------------------------------------- */

static qkv__reach_status judge(const evidence *best)
{
    if (best->reachable >= QKV__REACH_ENCLOSED) return QKV__REACH_REACHABLE;
    if (best->impossible >= QKV__REACH_ENCLOSED) return QKV__REACH_IMPOSSIBLE;
    if (best->reachable == best->impossible) return QKV__REACH_UNKNOWN;
    return best->reachable > best->impossible ? QKV__REACH_SEEMS_REACHABLE
                                              : QKV__REACH_SEEMS_IMPOSSIBLE;
}

static bool is_against(qkv__reach_status status)
{
    return status == QKV__REACH_IMPOSSIBLE || status == QKV__REACH_SEEMS_IMPOSSIBLE;
}

static void state_face(const qkv__reach_face *face, const evidence *best, qkv__reach_answer *answer)
{
    answer->status = judge(best);
    bool against = is_against(answer->status);
    answer->exact = (against ? best->impossible : best->reachable) == QKV__REACH_EXACT;
    if (against || answer->status == QKV__REACH_UNKNOWN)
        answer->query = NULL;
    else
        answer->margin = best->margin;
    if (answer->status == QKV__REACH_IMPOSSIBLE && face->member_count == 1)
        answer->ceiling = ceiling_of(&best->dependency, answer->exact);
}

/* The dependency as n multipliers, in the caller's arena. */
static bool spread(size_t count, const qkv__reach_dependency *dependency, qkv__arena *arena,
                   qkv__reach_answer *answer)
{
    if (!is_against(answer->status)) return true;
    answer->multipliers = qkv__arena_array(arena, count, sizeof(double));
    for (size_t i = 0; answer->multipliers != NULL && i < dependency->count; i++)
        answer->multipliers[dependency->index[i]] = dependency->value[i];
    return answer->multipliers != NULL;
}

static qkv_status decide_face(const qkv__reach_face *face, qkv__arena *arena, qkv__arena *scratch,
                              qkv__reach_answer *answer, qkv__reach_dependency *dependency,
                              qkv_error *error)
{
    answer->query = qkv__arena_array(arena, face->problem->width, sizeof(double));
    if (answer->query == NULL) return qkv__reach_no_memory(arena, error);
    evidence best = {.query = answer->query};
    if (face->member_count == face->problem->count) { /* q = 0: nothing to keep away from */
        best.reachable = QKV__REACH_EXACT;
        best.margin = INFINITY;
    } else {
        qkv_status status = gather(&best, face, scratch, error);
        if (status != QKV_OK) return status;
    }
    state_face(face, &best, answer);
    *dependency = best.dependency;
    return QKV_OK;
}

/* The members' keys as a problem of their own. */
static bool gather_members(const qkv__reach_face *face, qkv__reach_problem *part,
                           qkv__arena *scratch)
{
    size_t width = face->problem->width;
    double *keys = qkv__arena_array(scratch, face->member_count * width, sizeof *keys);
    if (keys == NULL) return false;
    for (size_t m = 0; m < face->member_count; m++)
        memcpy(keys + m * width, qkv__reach_key(face->problem, face->members[m]),
               width * sizeof *keys);
    *part = (qkv__reach_problem){face->member_count, width, keys};
    return true;
}

/* The weaker of two answers decides, and a proved refusal decides alone. */
static int rank_of(qkv__reach_status status)
{
    switch (status) {
    case QKV__REACH_IMPOSSIBLE: return 0;
    case QKV__REACH_SEEMS_IMPOSSIBLE: return 1;
    case QKV__REACH_UNKNOWN: return 2;
    case QKV__REACH_SEEMS_REACHABLE: return 3;
    case QKV__REACH_REACHABLE: break;
    }
    return 4;
}

/* Takes the ratios on the members into the answer of the face. */
static void merge(const qkv__reach_face *face, const qkv__reach_answer *ratios,
                  const qkv__reach_dependency *terms, qkv__reach_answer *answer,
                  qkv__reach_dependency *dependency)
{
    answer->singular_count = ratios->singular_count;
    answer->singular_values = ratios->singular_values;
    answer->rank = ratios->rank;
    answer->tolerance = ratios->tolerance;
    answer->exact = answer->exact && ratios->exact;
    if (answer->query != NULL) answer->offset = ratios->query;
    if (rank_of(ratios->status) >= rank_of(answer->status)) return;
    answer->status = ratios->status;
    answer->exact = ratios->exact;
    if (ratios->status == QKV__REACH_SEEMS_REACHABLE) return;
    answer->query = answer->offset = NULL;
    answer->margin = 0.0;
    if (ratios->status == QKV__REACH_UNKNOWN) return;
    answer->mismatch = ratios->mismatch;
    *dependency = *terms;
    for (size_t i = 0; i < terms->count; i++) dependency->index[i] = face->members[terms->index[i]];
}

static qkv_status decide_ratios(const qkv__reach_face *face, const double *weights,
                                qkv__arena *arena, qkv__arena *scratch, qkv__reach_answer *answer,
                                qkv__reach_dependency *dependency, qkv_error *error)
{
    qkv__reach_problem part;
    qkv__reach_answer ratios = {0};
    qkv__reach_dependency terms;
    if (!gather_members(face, &part, scratch)) return qkv__reach_no_memory(scratch, error);
    qkv_status status = qkv__reach_solve(&part, weights, arena, scratch, &ratios, &terms, error);
    if (status == QKV_OK) merge(face, &ratios, &terms, answer, dependency);
    return status;
}

/* The whole answer, for arguments that were checked. */
static qkv_status answer_face(const qkv__reach_problem *problem, size_t member_count,
                              const size_t *members, const double *weights, qkv__arena *arena,
                              qkv__reach_answer *answer, qkv_error *error)
{
    qkv__arena scratch = {0};
    qkv__reach_answer made = {.ceiling = 1.0};
    qkv__reach_dependency dependency = {0};
    qkv_status status = QKV_OK;
    bool *flags = qkv__reach_flags(problem->count, member_count, members, &scratch);
    qkv__reach_face face = {problem, member_count, members, flags};
    if (flags == NULL) status = qkv__reach_no_memory(&scratch, error);
    if (status == QKV_OK) status = decide_face(&face, arena, &scratch, &made, &dependency, error);
    if (status == QKV_OK && weights != NULL && made.status != QKV__REACH_IMPOSSIBLE)
        status = decide_ratios(&face, weights, arena, &scratch, &made, &dependency, error);
    if (status == QKV_OK && spread(problem->count, &dependency, arena, &made))
        made.text = qkv__reach_say_face(&face, &made, &dependency, arena);
    if (status == QKV_OK && made.text == NULL) status = qkv__reach_no_memory(arena, error);
    if (status == QKV_OK) *answer = made;
    qkv__arena_free(&scratch);
    return status;
}

qkv_status qkv__reach_copy(const qkv__reach_problem *problem, size_t key, qkv__arena *arena,
                           qkv__reach_answer *answer, qkv_error *error)
{
    return qkv__reach_subset(problem, 1, &key, NULL, arena, answer, error);
}

qkv_status qkv__reach_subset(const qkv__reach_problem *problem, size_t member_count,
                             const size_t *members, const double *weights, qkv__arena *arena,
                             qkv__reach_answer *answer, qkv_error *error)
{
    qkv_status status = qkv__reach_check(problem, member_count, members, error);
    if (status == QKV_OK && weights != NULL)
        status = qkv__reach_check_positive("weight", member_count, weights, error);
    if (status != QKV_OK) return status;
    return answer_face(problem, member_count, members, weights, arena, answer, error);
}

qkv_status qkv__reach_weights(const qkv__reach_problem *problem, const double *target,
                              qkv__arena *arena, qkv__reach_answer *answer, qkv_error *error)
{
    qkv_status status = check_keys(problem, error);
    if (status == QKV_OK)
        status = qkv__reach_check_positive("target", problem->count, target, error);
    if (status != QKV_OK) return status;
    qkv__arena scratch = {0};
    qkv__reach_answer made = {.ceiling = 1.0};
    qkv__reach_dependency dependency;
    status = qkv__reach_solve(problem, target, arena, &scratch, &made, &dependency, error);
    if (status == QKV_OK && spread(problem->count, &dependency, arena, &made))
        made.text = qkv__reach_say_weights(&made, &dependency, arena);
    if (is_against(made.status) || made.status == QKV__REACH_UNKNOWN) made.query = NULL;
    if (status == QKV_OK && made.text == NULL) status = qkv__reach_no_memory(arena, error);
    if (status == QKV_OK) *answer = made;
    qkv__arena_free(&scratch);
    return status;
}
