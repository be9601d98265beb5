/*
 * Wolfe's algorithm (Finding the nearest point in a polytope, 1976): the point of a convex hull
 * nearest to the origin. Knows nothing of what the answer is for, nor of proofs: what comes out is
 * a candidate with its optimality gap.
 *
 * For a face with first member s, the points are z_l = P (k_s - k_l), l the other keys and P the
 * projection that removes the directions in which the members differ. The nearest point
 * x = sum lambda_l z_l is then the shortest vector from the others' hull to the members' plane.
 */
#include "reach/reach_part.h"

#include <math.h>
#include <string.h>

#include <lapacke.h>

/* The corral is Wolfe's name for the affinely independent points that carry x. */
typedef struct search {
    size_t count, width;
    double *points; /* count x width, row after row */
    double *x;      /* width */
    size_t size;    /* of the corral, at most width + 1 */
    size_t *corral; /* indexes of points */
    double *weight; /* of each, positive, sum 1 */
    double *target; /* weights of the nearest point of the corral's plane */
    double *edges;  /* width x width, workspace */
    double *right;  /* width, workspace */
    double longest; /* the largest |z| */
} search;

static double dot(size_t count, const double *a, const double *b)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

/* ---- The members' plane --------------------------------------------------------------------- */

/* Orthonormal directions of the members' differences, and what turns a vector's parts along them
 * into multipliers of the differences: D = U diag(s) V', V' v = parts, nu = U (parts / s). */
typedef struct plane {
    size_t rows, small, rank;
    double *left, *values, *across;
} plane;

static bool take_plane(plane *made, const qkv__reach_face *face, qkv__arena *scratch)
{
    size_t rows = face->member_count - 1, width = face->problem->width;
    size_t small = rows < width ? rows : width;
    *made = (plane){.rows = rows, .small = small};
    if (rows == 0) return true;
    double *matrix = qkv__arena_array(scratch, rows * width, sizeof *matrix);
    made->left = qkv__arena_array(scratch, rows * small, sizeof(double));
    made->values = qkv__arena_array(scratch, small, sizeof(double));
    made->across = qkv__arena_array(scratch, small * width, sizeof(double));
    if (scratch->failed) return false;
    const double *first = qkv__reach_key(face->problem, face->members[0]);
    for (size_t m = 0; m < rows; m++)
        for (size_t x = 0; x < width; x++)
            matrix[x * rows + m] =
                qkv__reach_key(face->problem, face->members[m + 1])[x] - first[x];
    if (LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'S', (lapack_int)rows, (lapack_int)width, matrix,
                       (lapack_int)rows, made->values, made->left, (lapack_int)rows, made->across,
                       (lapack_int)small) != 0)
        return false;
    double tolerance = qkv__reach_rounding(rows > width ? rows : width) * made->values[0];
    while (made->rank < small && made->values[made->rank] > tolerance) made->rank++;
    return true;
}

/* Removes the part of a vector along direction r and returns its length. */
static double remove_part(const plane *members, size_t width, size_t r, double *vector)
{
    double part = 0.0;
    for (size_t x = 0; x < width; x++) part += members->across[x * members->small + r] * vector[x];
    for (size_t x = 0; x < width; x++) vector[x] -= part * members->across[x * members->small + r];
    return part;
}

/* Twice, because one pass leaves rounding of the size of what it removed (Kahan's rule). */
static void project(const plane *members, size_t width, double *vector)
{
    for (int pass = 0; pass < 2; pass++)
        for (size_t r = 0; r < members->rank; r++) remove_part(members, width, r, vector);
}

/* ---- Wolfe's algorithm ---------------------------------------------------------------------- */

static bool take_search(search *made, size_t count, size_t width, qkv__arena *scratch)
{
    *made = (search){.count = count, .width = width};
    made->points = qkv__arena_array(scratch, count * width, sizeof(double));
    made->x = qkv__arena_array(scratch, width, sizeof(double));
    made->corral = qkv__arena_array(scratch, width + 2, sizeof(size_t));
    made->weight = qkv__arena_array(scratch, width + 2, sizeof(double));
    made->target = qkv__arena_array(scratch, width + 2, sizeof(double));
    made->edges = qkv__arena_array(scratch, width * width, sizeof(double));
    made->right = qkv__arena_array(scratch, width, sizeof(double));
    return !scratch->failed;
}

static const double *point(const search *s, size_t i)
{
    return s->points + i * s->width;
}

/* x = sum weight z over the corral. */
static void combine(search *s)
{
    memset(s->x, 0, s->width * sizeof *s->x);
    for (size_t c = 0; c < s->size; c++)
        for (size_t x = 0; x < s->width; x++) s->x[x] += s->weight[c] * point(s, s->corral[c])[x];
}

/* Starts from the shortest point. */
static void start(search *s)
{
    double least = INFINITY;
    for (size_t i = 0; i < s->count; i++) {
        double square = dot(s->width, point(s, i), point(s, i));
        s->longest = fmax(s->longest, sqrt(square));
        if (square < least) {
            least = square;
            s->corral[0] = i;
        }
    }
    s->size = 1;
    s->weight[0] = 1.0;
    combine(s);
}

/* The point farthest against x. */
static size_t farthest(const search *s, double *product)
{
    size_t best = 0;
    *product = INFINITY;
    for (size_t i = 0; i < s->count; i++) {
        double along = dot(s->width, s->x, point(s, i));
        if (along < *product) {
            *product = along;
            best = i;
        }
    }
    return best;
}

/* min |z_0 + sum v_c (z_c - z_0)| by orthogonal factors, which do not square the condition as the
 * Gram matrix would; target becomes (1 - sum v, v). False where the corral is too flat. */
static bool nearest_of_plane(search *s)
{
    size_t width = s->width, others = s->size - 1;
    if (others > width) return false;
    const double *base = point(s, s->corral[0]);
    for (size_t c = 0; c < others; c++)
        for (size_t x = 0; x < width; x++)
            s->edges[c * width + x] = point(s, s->corral[c + 1])[x] - base[x];
    for (size_t x = 0; x < width; x++) s->right[x] = -base[x];
    if (others > 0 && LAPACKE_dgels(LAPACK_COL_MAJOR, 'N', (lapack_int)width, (lapack_int)others, 1,
                                    s->edges, (lapack_int)width, s->right, (lapack_int)width) != 0)
        return false;
    s->target[0] = 1.0;
    for (size_t c = 0; c < others; c++) {
        s->target[c + 1] = s->right[c];
        s->target[0] -= s->right[c];
    }
    return true;
}

/* Goes from weight towards target until the first weight is 0, and drops the points at 0. True if
 * target itself was reached. */
static bool step(search *s)
{
    double part = 1.0;
    size_t blocking = s->size;
    for (size_t c = 0; c < s->size; c++) {
        if (s->target[c] > 0.0) continue;
        double reach = s->weight[c] / (s->weight[c] - s->target[c]);
        if (reach < part || blocking == s->size) {
            part = fmin(part, reach);
            blocking = c;
        }
    }
    bool whole = blocking == s->size;
    size_t kept = 0;
    for (size_t c = 0; c < s->size; c++) {
        double weight = s->weight[c] + part * (s->target[c] - s->weight[c]);
        if (c == blocking || !(weight > 0.0)) continue;
        s->corral[kept] = s->corral[c];
        s->weight[kept++] = weight;
    }
    s->size = kept;
    return whole;
}

static bool settle(search *s)
{
    while (s->size > 0 && nearest_of_plane(s))
        if (step(s)) return true;
    return false;
}

static bool is_in_corral(const search *s, size_t i)
{
    for (size_t c = 0; c < s->size; c++)
        if (s->corral[c] == i) return true;
    return false;
}

/* Leaves the last good state behind where rounding ends the descent. Random keys take about two
 * steps a dimension; there are keys that take exponentially many, hence the limit. */
static void descend(search *s, size_t *corral, double *weight)
{
    enum { STEPS_PER_DIMENSION = 16, STEPS = 256 };
    double square = dot(s->width, s->x, s->x);
    for (size_t i = 0; i < STEPS + STEPS_PER_DIMENSION * s->width; i++) {
        double product;
        size_t next = farthest(s, &product);
        /* Both products carry the rounding of width terms no larger than |x| max |z|. */
        double rounding = qkv__reach_rounding(s->width) * sqrt(square) * s->longest;
        if (square - product <= rounding || is_in_corral(s, next)) return;
        size_t size = s->size;
        memcpy(corral, s->corral, size * sizeof *corral);
        memcpy(weight, s->weight, size * sizeof *weight);
        s->corral[s->size] = next;
        s->weight[s->size++] = 0.0;
        bool settled = s->size <= s->width + 1 && settle(s);
        if (settled) combine(s);
        double after = dot(s->width, s->x, s->x);
        if (!settled || !(after < square)) {
            s->size = size;
            memcpy(s->corral, corral, size * sizeof *corral);
            memcpy(s->weight, weight, size * sizeof *weight);
            combine(s);
            return;
        }
        square = after;
    }
}

/* ---- The face ------------------------------------------------------------------------------- */

/* Fills the points, in the order of the keys off the members, and which key each is. */
static void fill_points(search *s, size_t *key_of, const qkv__reach_face *face,
                        const plane *members)
{
    const double *first = qkv__reach_key(face->problem, face->members[0]);
    size_t made = 0;
    for (size_t i = 0; i < face->problem->count; i++) {
        if (face->is_member[i]) continue;
        double *z = s->points + made * s->width;
        for (size_t x = 0; x < s->width; x++) z[x] = first[x] - qkv__reach_key(face->problem, i)[x];
        project(members, s->width, z);
        key_of[made++] = i;
    }
}

/*
 * lambda off the members. On them: v = sum lambda_l (k_s - k_l) has the part V'v in the members'
 * plane, which nu = -U diag(1/s) V'v takes away: x = v + sum nu_r (k_r - k_s). As multipliers of
 * the keys in -x: lambda_l, -nu_r, and sum nu_r - 1 for s.
 */
static void fill_multipliers(const search *s, const size_t *key_of, const qkv__reach_face *face,
                             const plane *members, double *v, double *multipliers)
{
    size_t width = s->width;
    const double *first = qkv__reach_key(face->problem, face->members[0]);
    memset(multipliers, 0, face->problem->count * sizeof *multipliers);
    memset(v, 0, width * sizeof *v);
    for (size_t c = 0; c < s->size; c++) {
        size_t key = key_of[s->corral[c]];
        multipliers[key] = s->weight[c];
        for (size_t x = 0; x < width; x++)
            v[x] += s->weight[c] * (first[x] - qkv__reach_key(face->problem, key)[x]);
    }
    multipliers[face->members[0]] = -1.0;
    for (size_t r = 0; r < members->rank; r++) {
        double part = remove_part(members, width, r, v) / members->values[r];
        for (size_t m = 0; m < members->rows; m++) {
            double nu = -part * members->left[r * members->rows + m];
            multipliers[face->members[m + 1]] -= nu;
            multipliers[face->members[0]] += nu;
        }
    }
}

qkv_status qkv__reach_nearest_points(const qkv__reach_face *face, double *query,
                                     double *multipliers, double *gap, bool *solved,
                                     qkv_error *error)
{
    size_t width = face->problem->width, count = face->problem->count - face->member_count;
    qkv__arena scratch = {0};
    search s;
    plane members;
    size_t *key_of = qkv__arena_array(&scratch, count, sizeof *key_of);
    size_t *corral = qkv__arena_array(&scratch, width + 2, sizeof *corral);
    double *weight = qkv__arena_array(&scratch, width + 2, sizeof *weight);
    *solved = take_search(&s, count, width, &scratch) && take_plane(&members, face, &scratch);
    if (*solved) {
        fill_points(&s, key_of, face, &members);
        start(&s);
        descend(&s, corral, weight);
        double product;
        farthest(&s, &product);
        *gap = dot(width, s.x, s.x) - product;
        memcpy(query, s.x, width * sizeof *query);
        fill_multipliers(&s, key_of, face, &members, s.x, multipliers);
    }
    qkv_status status = scratch.failed ? qkv__reach_no_memory(&scratch, error) : QKV_OK;
    qkv__arena_free(&scratch);
    return status;
}
