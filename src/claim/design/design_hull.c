/*
 * Convex hulls: x in hull(v). The output of attention lies in the hull of its values by its law,
 * whatever keys and query. Otherwise the weights of a combination are looked for: they are unique
 * for independent vectors, and for vectors given as numbers the nearest point of the hull is found
 * exactly, face by face; where it is not x itself, the line between them separates x from the hull.
 * Knows values and signs; nothing of designs.
 */
#include "claim/design/design_part.h"

#include <assert.h>
#include "claim/premise/situation.h"
#include "exact/echelon.h"

enum { POINTS = 64, SYMBOLS = 96, FACES = 60000 };

static void conclude(qkv__design_task *task, qkv__verdict verdict, const char *reason)
{
    qkv__design_say(task, "%s", reason);
    qkv__design_conclude(task, verdict, verdict == QKV__UNDECIDED ? "" : "exact");
}

/* ---- By law -------------------------------------------------------------------------------- */

static bool same_family(qkv__model *model, const qkv__vectors *a, const qkv__vectors *b)
{
    if (a == b) return true;
    if (a == NULL || a->set != b->set) return false;
    if ((a->generic == NULL) != (b->generic == NULL)) return false;
    bool same = a->generic == NULL || qkv__vector_equal(&model->space, a->generic, b->generic);
    for (size_t i = 0; same && i < a->set->mark_count; i++)
        same = qkv__vector_equal(&model->space, a->mark[i], b->mark[i]);
    return same;
}

/* Averages of these very vectors, or averages of such averages. */
static bool is_average(qkv__model *model, const qkv__vectors *of, const qkv__vectors *vectors)
{
    for (; of != NULL; of = of->within)
        if (same_family(model, of, vectors)) return true;
    return false;
}

/* One of these very vectors: one that is named, or any other. Where it is spoken of an unnamed
 * member, there is one. */
static bool is_member(qkv__model *model, const qkv__vector *x, const qkv__vectors *vectors)
{
    bool unnamed = false;
    for (size_t i = 0; i < vectors->set->mark_count; i++)
        if (qkv__vector_equal(&model->space, x, vectors->mark[i])) return true;
    for (size_t i = 0; i < x->count; i++)
        unnamed = unnamed || x->component[i].symbol.member == QKV__GENERIC;
    return unnamed && vectors->generic != NULL &&
           qkv__vector_equal(&model->space, x, vectors->generic);
}

/* Weights that are not negative and sum to 1 over these very vectors. */
static bool by_law(qkv__model *model, const qkv__result *result, const qkv__vectors *vectors)
{
    if (result->queries != NULL) return false;
    if (result->head_count == 0) return is_average(model, result->values, vectors);
    bool all = true;
    for (size_t i = 0; i < result->head_count; i++)
        all = all && by_law(model, result->head[i], vectors);
    return all;
}

/* ---- Independent vectors ------------------------------------------------------------------- */

/* x as a combination of the vectors: a row for each symbol, a column for each class of vectors
 * with its whole mass, and a last row for their sum. */
typedef struct combination {
    size_t rows, columns;
    qkv__symbol symbol[SYMBOLS];
    qkv__rational *matrix;
    qkv__ratio *right;
    int pivot[POINTS];
} combination;

static size_t row_of(combination *c, qkv__symbol symbol)
{
    size_t row = 0;
    while (row < c->rows &&
           (c->symbol[row].family != symbol.family || c->symbol[row].member != symbol.member))
        row++;
    if (row == c->rows && row < SYMBOLS) c->symbol[c->rows++] = symbol;
    return row;
}

/* A member of a family as it occurs in a sum over the rest. */
static qkv__symbol summed(qkv__symbol symbol)
{
    if (symbol.member == QKV__GENERIC) symbol.member = QKV__REST;
    return symbol;
}

static bool collect_symbols(combination *c, const qkv__vector *vector)
{
    for (size_t i = 0; vector != NULL && i < vector->count; i++)
        if (row_of(c, summed(vector->component[i].symbol)) >= SYMBOLS) return false;
    return vector != NULL;
}

static bool fill_column(combination *c, size_t column, const qkv__vector *vector)
{
    for (size_t i = 0; i < vector->count; i++) {
        size_t row = row_of(c, summed(vector->component[i].symbol));
        if (!qkv__ratio_is_constant(vector->component[i].factor,
                                    &c->matrix[row * c->columns + column]))
            return false;
    }
    return true;
}

/* The equations; false when the vectors are not of a kind that can be put into numbers. */
static bool fill(qkv__design_task *task, const qkv__vector *x, const qkv__vectors *vectors,
                 combination *c)
{
    qkv__model *model = task->model;
    qkv__arena *arena = &model->algebra.arena;
    size_t marks = vectors->set->mark_count;
    const qkv__vector *generic = vectors->generic;
    qkv__ratio rest = qkv__design_fixed(model, qkv__rest_size(&model->algebra, vectors->set));
    bool has_rest = generic != NULL && !qkv__ratio_is_zero(rest);
    *c = (combination){.columns = marks + (has_rest ? 1 : 0)};
    if (c->columns > POINTS || !collect_symbols(c, x)) return false;
    for (size_t i = 0; i < marks; i++)
        if (!collect_symbols(c, vectors->mark[i])) return false;
    /* The rest is understood where its members are symbols of their own. */
    if (has_rest && (generic->count != 1 || generic->component[0].symbol.member != QKV__GENERIC ||
                     !collect_symbols(c, generic)))
        return false;
    c->matrix = qkv__arena_array(arena, (c->rows + 1) * c->columns, sizeof *c->matrix);
    c->right = qkv__arena_array(arena, c->rows + 1, sizeof *c->right);
    if (c->matrix == NULL || c->right == NULL) return false;
    for (size_t i = 0; i < (c->rows + 1) * c->columns; i++)
        c->matrix[i] = qkv__rational_whole(i / c->columns == c->rows);
    for (size_t r = 0; r <= c->rows; r++)
        c->right[r] = qkv__ratio_whole(&model->algebra, r == c->rows);
    for (size_t i = 0; i < x->count; i++) {
        qkv__symbol symbol = x->component[i].symbol;
        if (symbol.member == QKV__GENERIC) return false; /* one unnamed vector */
        qkv__ratio factor = qkv__design_fixed(model, x->component[i].factor);
        if (symbol.member == QKV__REST) /* in terms of the mass of all the rest */
            factor = qkv__ratio_multiply(&model->algebra, factor,
                                         qkv__rest_size(&model->algebra, symbol.family->set));
        c->right[row_of(c, symbol)] = factor;
    }
    for (size_t i = 0; i < marks; i++)
        if (!fill_column(c, i, qkv__design_fixed_vector(model, vectors->mark[i]))) return false;
    return !has_rest || fill_column(c, marks, generic);
}

static bool independent(qkv__design_task *task, const combination *c)
{
    for (size_t r = 0; r < c->rows; r++)
        if (!qkv__design_is_independent(task, c->symbol[r].family)) return false;
    return true;
}

/* Refutes where the symbols can be chosen independent; else leaves it open. */
static void refuse(qkv__design_task *task, const combination *c, const char *reason)
{
    if (independent(task, c))
        conclude(task, QKV__REFUTED, reason);
    else
        conclude(task, QKV__UNDECIDED, "the known facts about the vectors may allow it");
}

/* One choice of weights at most: decided by their signs. False: there may be several. */
static bool decide_unique(qkv__design_task *task, combination *c)
{
    size_t rows = c->rows + 1;
    qkv__text at = {0}, text = {0};
    int rank =
        qkv__echelon_reduce(&task->model->algebra, c->matrix, rows, c->columns, c->pivot, c->right);
    if (rank < 0) return false;
    for (size_t r = (size_t)rank; r < rows; r++) {
        if (qkv__ratio_is_zero(c->right[r])) continue;
        if (qkv__design_somewhere_nonzero(task, c->right[r], &at)) {
            qkv__text_format(&text, "No combination with weights that sum to 1 gives it%s.",
                             at.data == NULL ? "" : at.data);
            refuse(task, c, text.data == NULL ? "" : text.data);
        } else {
            conclude(task, QKV__UNDECIDED, "it is not known whether the weights sum to 1");
        }
        qkv__text_free(&at);
        qkv__text_free(&text);
        return true;
    }
    if (rank < (int)c->columns) return false;
    bool good = true;
    for (size_t i = 0; i < c->columns; i++) {
        qkv__ratio weight = c->right[c->pivot[i]];
        qkv__sign sign = qkv__design_sign(task, weight);
        if (sign == QKV__SIGN_POSITIVE || sign == QKV__SIGN_NONNEGATIVE || sign == QKV__SIGN_ZERO)
            continue;
        good = false;
        if (!qkv__design_somewhere_negative(task, weight, &at)) continue;
        qkv__text_format(&text, "The combination is unique, and has the weight ");
        qkv__ratio_write(&task->model->algebra, weight, &text);
        qkv__text_format(&text, ", which is negative%s.", at.data == NULL ? "" : at.data);
        refuse(task, c, text.data == NULL ? "" : text.data);
        qkv__text_free(&at);
        qkv__text_free(&text);
        return true;
    }
    if (good)
        conclude(task, QKV__PROVED, "Its weights are not negative and sum to 1.");
    else
        conclude(task, QKV__UNDECIDED, "the signs of the weights could not be settled");
    return true;
}

/* ---- Vectors given as numbers ---------------------------------------------------------------- */

/* Points and target in coordinates along symbols of one length at right angles. */
typedef struct point_cloud {
    size_t count, width;
    qkv__rational point[POINTS][POINTS], target[POINTS];
} point_cloud;

static qkv__rational dot(const qkv__rational *a, const qkv__rational *b, size_t width)
{
    qkv__rational sum = qkv__rational_whole(0);
    for (size_t c = 0; c < width; c++)
        sum = qkv__rational_add(sum, qkv__rational_multiply(a[c], b[c]));
    return sum;
}

/*
 * The point nearest to the target in the plane through a face: weights l with sum 1 and
 * (p - target).(v_i - v_0) = 0 for the members of the face. False when it is lost or not unique.
 */
static bool project(qkv__design_task *task, const point_cloud *cloud, const size_t *face,
                    size_t count, qkv__rational *weight)
{
    enum { MOST = 8 };
    qkv__algebra *algebra = &task->model->algebra;
    qkv__rational matrix[MOST * MOST], difference[POINTS];
    qkv__ratio right[MOST];
    int pivot[MOST];
    if (count > MOST) return false;
    for (size_t i = 0; i < count; i++) {
        matrix[i] = qkv__rational_whole(1);
        if (i == 0) continue;
        for (size_t c = 0; c < cloud->width; c++)
            difference[c] =
                qkv__rational_subtract(cloud->point[face[i]][c], cloud->point[face[0]][c]);
        for (size_t j = 0; j < count; j++)
            matrix[i * count + j] = dot(cloud->point[face[j]], difference, cloud->width);
        right[i] = qkv__ratio_constant(algebra, dot(cloud->target, difference, cloud->width));
        if (qkv__ratio_is_lost(right[i])) return false;
    }
    right[0] = qkv__ratio_whole(algebra, 1);
    for (size_t i = 0; i < count * count; i++)
        if (qkv__rational_is_lost(matrix[i])) return false;
    if (qkv__echelon_reduce(algebra, matrix, count, count, pivot, right) != (int)count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!qkv__ratio_is_constant(right[pivot[i]], &weight[i])) return false;
    return true;
}

/* Whether the point of a face is the nearest of the whole hull: its weights are not negative, and
 * no point of the cloud lies nearer to the target along the line to it. */
static bool is_nearest(const point_cloud *cloud, const size_t *face, size_t count,
                       const qkv__rational *weight, qkv__rational *direction,
                       qkv__rational *distance)
{
    qkv__rational nearest[POINTS];
    for (size_t i = 0; i < count; i++)
        if (qkv__rational_sign(weight[i]) < 0) return false;
    for (size_t c = 0; c < cloud->width; c++) {
        nearest[c] = qkv__rational_whole(0);
        for (size_t i = 0; i < count; i++)
            nearest[c] = qkv__rational_add(
                nearest[c], qkv__rational_multiply(weight[i], cloud->point[face[i]][c]));
        direction[c] = qkv__rational_subtract(cloud->target[c], nearest[c]);
    }
    qkv__rational level = dot(direction, nearest, cloud->width);
    *distance = dot(direction, direction, cloud->width);
    if (qkv__rational_is_lost(level) || qkv__rational_is_lost(*distance)) return false;
    for (size_t i = 0; i < cloud->count; i++) {
        qkv__rational at = dot(direction, cloud->point[i], cloud->width);
        if (qkv__rational_is_lost(at) || qkv__rational_compare(at, level) > 0) return false;
    }
    return true;
}

/* The next choice of `count` numbers below `most`, in order; false after the last. */
static bool next_face(size_t *face, size_t count, size_t most)
{
    size_t i = count;
    while (i > 0 && face[i - 1] == most - count + i - 1) i--;
    if (i == 0) return false;
    face[i - 1]++;
    for (; i < count; i++) face[i] = face[i - 1] + 1;
    return true;
}

/* The square of the distance from the target to the hull, and the direction; false: not found. */
static bool find_nearest(qkv__design_task *task, const point_cloud *cloud, qkv__rational *direction,
                         qkv__rational *distance)
{
    enum { MOST = 8 };
    size_t tried = 0;
    for (size_t count = 1; count <= MOST && count <= cloud->count && count <= cloud->width + 1;
         count++) {
        size_t face[MOST];
        for (size_t i = 0; i < count; i++) face[i] = i;
        do {
            qkv__rational weight[MOST];
            if (project(task, cloud, face, count, weight) &&
                is_nearest(cloud, face, count, weight, direction, distance))
                return true;
            if (++tried > FACES) return false;
        } while (next_face(face, count, cloud->count));
    }
    return false;
}

/* Reads the equations back as a cloud; before they are reduced. */
static bool read_cloud(qkv__design_task *task, const combination *c, point_cloud *cloud)
{
    *cloud = (point_cloud){.count = c->columns, .width = c->rows};
    if (c->rows > POINTS || c->rows == 0) return false;
    for (size_t r = 0; r < c->rows; r++) {
        const qkv__family *family = c->symbol[r].family;
        if (family != c->symbol[0].family || c->symbol[r].member < 0 ||
            family->gram != QKV__GRAM_UNIFORM || !qkv__ratio_is_zero(family->different) ||
            qkv__design_sign(task, family->same) != QKV__SIGN_POSITIVE ||
            !qkv__ratio_is_constant(c->right[r], &cloud->target[r]))
            return false;
        for (size_t i = 0; i < c->columns; i++) cloud->point[i][r] = c->matrix[r * c->columns + i];
    }
    return true;
}

/* Along which direction the target lies beyond the hull, and how far. */
static void explain_distance(qkv__design_task *task, const combination *c, const point_cloud *cloud,
                             const qkv__rational *direction, qkv__rational distance)
{
    assert(cloud->width == c->rows);
    qkv__space *space = &task->model->space;
    const qkv__vector *along = qkv__vector_zero(space);
    for (size_t r = 0; r < cloud->width; r++)
        along = qkv__vector_add(
            space, along,
            qkv__vector_scale(space,
                              qkv__vector_symbol(space, c->symbol[r].family, c->symbol[r].member),
                              qkv__ratio_constant(space->algebra, direction[r])));
    qkv__text text = {0};
    qkv__text_format(&text, "Along ");
    qkv__design_vector_write(task, along, &text);
    qkv__text_format(&text, " the target lies beyond all of them; the square of its distance is ");
    qkv__ratio_write(space->algebra,
                     qkv__ratio_multiply(space->algebra, c->symbol[0].family->same,
                                         qkv__ratio_constant(space->algebra, distance)),
                     &text);
    if (!text.failed) qkv__design_say(task, "%s.", text.data);
    qkv__text_free(&text);
}

static void decide_cloud(qkv__design_task *task, const combination *c, const point_cloud *cloud)
{
    qkv__rational direction[POINTS], distance;
    if (!find_nearest(task, cloud, direction, &distance)) {
        conclude(task, QKV__UNDECIDED, "the nearest point of the hull was not found");
    } else if (qkv__rational_is_zero(distance)) {
        conclude(task, QKV__PROVED, "Its weights are not negative and sum to 1.");
    } else {
        explain_distance(task, c, cloud, direction, distance);
        qkv__design_refute(task, true);
    }
}

bool qkv__design_separate(qkv__design_task *task, const qkv__vector *target,
                          const qkv__vectors *vectors)
{
    qkv__rational direction[POINTS], distance;
    combination equations;
    point_cloud *points = qkv__arena_take(&task->model->algebra.arena, sizeof *points);
    if (points == NULL || !fill(task, target, vectors, &equations) ||
        !read_cloud(task, &equations, points) ||
        !find_nearest(task, points, direction, &distance) || qkv__rational_is_zero(distance))
        return false;
    explain_distance(task, &equations, points, direction, distance);
    return true;
}

/* ---- The question ---------------------------------------------------------------------------- */

/* What was found of x in the hull, turned round; what is open for some choice stays open. */
static void turn_round(qkv__design_task *task)
{
    qkv__finding *finding = task->finding;
    if (finding->verdict == QKV__PROVED)
        finding->verdict = QKV__REFUTED;
    else if (finding->verdict == QKV__REFUTED && finding->uniform)
        finding->verdict = QKV__PROVED;
    else
        qkv__design_conclude(task, QKV__UNDECIDED, "");
}

qkv__verdict qkv__decide_hull_by_law(qkv__situation *s, const qkv__vectors *averaged,
                                     const qkv__value *hull, bool outside)
{
    assert(hull->kind == QKV__VALUE_HULL);
    if (outside || !is_average(s->model, averaged, hull->vectors)) return QKV__UNDECIDED;
    qkv__design_task task = {.model = s->model, .finding = s->finding, .growth = -1};
    conclude(&task, QKV__PROVED,
             "Weights are positive and sum to 1, whatever the keys and the query.");
    return s->finding->verdict;
}

qkv__verdict qkv__decide_hull(qkv__situation *s, const qkv__value *x, const qkv__value *hull,
                              bool outside)
{
    assert(hull->kind == QKV__VALUE_HULL);
    qkv__model *model = s->model;
    qkv__design_task task = {.model = model, .finding = s->finding, .growth = -1};
    const qkv__vectors *vectors = hull->vectors;
    const qkv__vector *vector;
    combination equations;
    point_cloud *points = qkv__arena_take(&model->algebra.arena, sizeof *points);
    qkv__scope scope = qkv__situation_open(s);
    qkv__design_bound_norms(model);
    s->finding->uniform = false;
    if (x->kind == QKV__VALUE_RESULT && by_law(model, x->result, vectors))
        conclude(&task, QKV__PROVED,
                 "Weights are positive and sum to 1, whatever the keys and the query.");
    else if (qkv__value_as_vector(x, &vector) && is_member(model, vector, vectors))
        conclude(&task, QKV__PROVED, "It is one of them.");
    else if (!qkv__value_as_vector(x, &vector) || points == NULL ||
             !fill(&task, vector, vectors, &equations))
        conclude(&task, QKV__UNDECIDED, "these vectors are beyond the exact engine");
    else if (read_cloud(&task, &equations, points))
        decide_cloud(&task, &equations, points);
    else if (!decide_unique(&task, &equations))
        conclude(&task, QKV__UNDECIDED, "the vectors depend on each other");
    qkv__situation_close(s, &scope);
    /* A premise that was put in place of parameters is not seen here: what fails may hold under it.
     */
    if (s->finding->verdict == QKV__REFUTED && !s->finding->uniform &&
        (s->weakened || s->substitution_count > 0))
        conclude(&task, QKV__UNDECIDED, "a premise may allow it");
    if (outside) turn_round(&task);
    return s->finding->verdict;
}
