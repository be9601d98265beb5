/* Whether a point lies in the convex hull of others, at one case. The nearest point of the hull is
 * found in floating point; what is certain rests on a plane that separates, checked with
 * enclosures, or on a point that is a vertex or lies between two numbers. */
#include <assert.h>
#include <math.h>

#include "replay/replay.h"

enum { STEPS = 400, LARGEST = 256 };

typedef struct points {
    size_t count, width;
    const qkv__real *entry; /* count x width */
    const qkv__real *point; /* width */
} points;

/* The vertex farthest along a direction. */
static size_t farthest(const points *p, const double *direction)
{
    size_t best = 0;
    double most = -INFINITY;
    for (size_t i = 0; i < p->count; i++) {
        double along = 0.0;
        for (size_t j = 0; j < p->width; j++)
            along += direction[j] * qkv__real_middle(&p->entry[i * p->width + j]);
        if (along > most) {
            most = along;
            best = i;
        }
    }
    return best;
}

/* Frank and Wolfe's steps to the nearest point of the hull; the direction from there to the point,
 * and its length. */
static double approach(const points *p, double *direction)
{
    double nearest[LARGEST] = {0.0}, squares = 0.0;
    for (size_t j = 0; j < p->width; j++) nearest[j] = qkv__real_middle(&p->entry[j]);
    for (int step = 0;; step++) {
        double along = 0.0, length = 0.0;
        squares = 0.0;
        for (size_t j = 0; j < p->width; j++) {
            direction[j] = qkv__real_middle(&p->point[j]) - nearest[j];
            squares += direction[j] * direction[j];
        }
        const qkv__real *vertex = p->entry + farthest(p, direction) * p->width;
        for (size_t j = 0; j < p->width; j++) {
            double towards = qkv__real_middle(&vertex[j]) - nearest[j];
            along += towards * direction[j];
            length += towards * towards;
        }
        if (!(along > 0.0) || step == STEPS) break;
        double share = fmin(along / length, 1.0);
        for (size_t j = 0; j < p->width; j++)
            nearest[j] += share * (qkv__real_middle(&vertex[j]) - nearest[j]);
    }
    return sqrt(squares);
}

/* Certain: the point lies farther along the direction than every vertex. */
static bool separates(qkv__bench *bench, const points *p, const double *direction, double length)
{
    qkv__real *plane = qkv__bench_take(bench, p->width + 2);
    if (plane == NULL) return false;
    qkv__real *point_along = plane + p->width, *along = point_along + 1;
    for (size_t j = 0; j < p->width; j++) /* any direction will do: 20 bits are enough */
        qkv__real_set_rational(
            &plane[j],
            qkv__rational_make((int64_t)(direction[j] / length * 0x1p20), INT64_C(1) << 20));
    qkv__real_dot(point_along, plane, p->point, p->width, 1);
    for (size_t i = 0; i < p->count; i++) {
        qkv__real_dot(along, plane, p->entry + i * p->width, p->width, 1);
        qkv__real_subtract(along, along, point_along);
        if (qkv__real_sign(along) != -1) return false;
    }
    return true;
}

/* Certain: the point is a vertex, or lies between two vertices on a line of numbers. */
static bool is_inside(qkv__bench *bench, const points *p)
{
    qkv__real *apart = qkv__bench_take(bench, 1);
    bool above = false, below = false;
    for (size_t i = 0; apart != NULL && i < p->count; i++) {
        bool same = true;
        for (size_t j = 0; j < p->width; j++) {
            qkv__real_subtract(apart, &p->point[j], &p->entry[i * p->width + j]);
            same = same && qkv__real_is_zero(apart);
        }
        if (same) return true;
        above = above || (p->width == 1 && qkv__real_sign(apart) == -1);
        below = below || (p->width == 1 && qkv__real_sign(apart) == 1);
    }
    return above && below;
}

bool qkv__replay_judge_hull(qkv__bench *bench, const qkv__case_value *x,
                            const qkv__case_value *family, qkv__truth *truth)
{
    assert(truth != NULL);
    qkv__case_value rows, point = qkv__case_plain(x);
    double direction[LARGEST];
    if (!qkv__case_rows(family, &rows) || point.kind != QKV__CASE_VECTOR)
        return qkv__bench_fail(bench, QKV__OBSTACLE_UNABLE);
    if (point.rows != rows.columns) return qkv__bench_fail(bench, QKV__OBSTACLE_SHAPE);
    if (rows.columns > LARGEST || rows.kind == QKV__CASE_AXES)
        return qkv__bench_fail(bench, QKV__OBSTACLE_ROOM);
    points p = {rows.rows, rows.columns, rows.entry, point.entry};
    double length = approach(&p, direction);
    bench->operations += rows.rows * rows.columns * 32;
    *truth = (qkv__truth){0, -length};
    if (length > 0.0 && separates(bench, &p, direction, length))
        truth->certain = -1;
    else if (is_inside(bench, &p))
        *truth = (qkv__truth){1, 0.0};
    return bench->obstacle == QKV__OBSTACLE_NONE; /* there was room for the plane */
}
