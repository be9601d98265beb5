/* Cutting lines and polygons to a rectangle: Liang and Barsky's way for segments, Sutherland and
 * Hodgman's for polygons. Places are finite. */
#include "figure/part.h"

/* Narrows [*first, *last], the part of the segment that is left, by p t <= q. */
static bool narrow(double p, double q, double *first, double *last)
{
    if (p == 0) return q >= 0;
    double t = q / p;
    if (p < 0 && t > *first) *first = t;
    if (p > 0 && t < *last) *last = t;
    return *first <= *last;
}

bool qkv__clip_segment(const qkv__frame *frame, qkv__figure_point *from, qkv__figure_point *to)
{
    double dx = to->x - from->x, dy = to->y - from->y, first = 0, last = 1;
    if (!narrow(-dx, from->x - frame->left, &first, &last) ||
        !narrow(dx, frame->right - from->x, &first, &last) ||
        !narrow(-dy, from->y - frame->top, &first, &last) ||
        !narrow(dy, frame->bottom - from->y, &first, &last))
        return false;
    qkv__figure_point start = *from;
    if (first > 0) *from = (qkv__figure_point){start.x + first * dx, start.y + first * dy};
    if (last < 1) *to = (qkv__figure_point){start.x + last * dx, start.y + last * dy};
    return true;
}

/* How far inside of a side a point is: positive is inside. */
static double depth(const qkv__frame *frame, int side, qkv__figure_point point)
{
    switch (side) {
    case 0: return point.x - frame->left;
    case 1: return frame->right - point.x;
    case 2: return point.y - frame->top;
    default: return frame->bottom - point.y;
    }
}

static size_t clip_side(const qkv__frame *frame, int side, const qkv__figure_point *points,
                        size_t count, qkv__figure_point *kept)
{
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        qkv__figure_point from = points[i], to = points[i + 1 == count ? 0 : i + 1];
        double here = depth(frame, side, from), there = depth(frame, side, to);
        if (here >= 0) kept[left++] = from;
        if ((here >= 0) != (there >= 0)) {
            double t = here / (here - there);
            kept[left++] =
                (qkv__figure_point){from.x + t * (to.x - from.x), from.y + t * (to.y - from.y)};
        }
    }
    return left;
}

size_t qkv__clip_polygon(const qkv__frame *frame, qkv__figure_point *points,
                         qkv__figure_point *spare, size_t count)
{
    count = clip_side(frame, 0, points, count, spare);
    count = clip_side(frame, 1, spare, count, points);
    count = clip_side(frame, 2, points, count, spare);
    return clip_side(frame, 3, spare, count, points);
}
