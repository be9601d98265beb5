/* Axes: where numbers lie, how far an axis reaches, which of its numbers get a tick. Knows marks by
 * their extent alone. */
#include <math.h>
#include <string.h>

#include "figure/part.h"

static const double greatest = 1e100; /* larger numbers count as infinite */

/* ---- Places ------------------------------------------------------------------------------ */

double qkv__scale_map(const qkv__scale *scale, double value)
{
    double low = scale->low, high = scale->high;
    if (!(fabs(value) <= greatest)) return NAN;
    if (scale->kind == QKV_AXIS_LOG) {
        if (value <= 0) return NAN;
        value = log(value), low = log(low), high = log(high);
    }
    /* Kept within reach of a coordinate: what is that far outside is cut off anyway. */
    double part = (value - low) / (high - low);
    part = part > 1e6 ? 1e6 : part < -1e6 ? -1e6 : part;
    return scale->begin + part * (scale->end - scale->begin);
}

/* ---- Ticks ------------------------------------------------------------------------------- */

/* least = m 10^e with 1 <= m < 10 becomes 1, 2, 5 or 10 times 10^e. A billionth of slack, so that
 * a step is its own. */
double qkv__tick_step(double least)
{
    static const double steps[] = {1, 2, 5, 10};
    double power = pow(10, floor(log10(least)));
    for (int i = 0; i < 4; i++)
        if (steps[i] * power >= least * (1 - 1e-9)) return steps[i] * power;
    return 10 * power;
}

static void add_tick(qkv__ticks *ticks, double value, int decimals)
{
    if (ticks->count == QKV__TICKS_MOST) return;
    /* The text has its room already, and takes no memory. */
    qkv__text text = {ticks->text[ticks->count], 0, QKV__TICK_TEXT, false};
    qkv__figure_label(&text, value, decimals);
    ticks->value[ticks->count++] = value;
}

/* Multiples of the step; a thousandth of a step of slack at the ends, for their rounding. */
static void linear_ticks(double low, double high, double room, qkv__ticks *ticks)
{
    double step = qkv__tick_step((high - low) / (room < 1 ? 1 : room));
    int decimals = (int)-floor(log10(step) + 1e-9);
    double first = ceil(low / step - 1e-3), last = floor(high / step + 1e-3);
    for (double i = first; i <= last && ticks->count < QKV__TICKS_MOST; i++) {
        /* A multiple of 1/10 is better had by a division, which rounds once. */
        double value = step < 1 ? i / round(1 / step) : i * step;
        if (step < 1 && fabs(round(1 / step) * step - 1) > 1e-9) value = i * step;
        add_tick(ticks, value, decimals);
    }
}

/* Powers of ten, every `stride` of them; with 2 and 5 between where there is room. */
static void log_ticks(double low, double high, double room, qkv__ticks *ticks)
{
    static const double between[] = {1, 2, 5};
    double decades = log10(high / low);
    int stride = (int)ceil(decades / (room < 1 ? 1 : room));
    int within = 3 * decades <= room ? 3 : 1;
    stride = stride < 1 ? 1 : stride;
    int first = (int)floor(log10(low)), last = (int)ceil(log10(high));
    for (int e = first; e <= last; e++)
        for (int i = 0; i < within; i++) {
            double value = between[i] * pow(10, e);
            bool inside = value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9);
            if (inside && (e % stride + stride) % stride == 0) add_tick(ticks, value, -e);
        }
    if (ticks->count >= 2) return;
    ticks->count = 0;
    linear_ticks(low, high, room, ticks);
}

void qkv__ticks_find(const qkv__scale *scale, double spacing, qkv__ticks *ticks)
{
    double room = floor(fabs(scale->end - scale->begin) / spacing);
    room = room > QKV__TICKS_MOST / 2 ? QKV__TICKS_MOST / 2 : room;
    ticks->count = 0;
    if (scale->kind == QKV_AXIS_LINEAR) linear_ticks(scale->low, scale->high, room, ticks);
    if (scale->kind == QKV_AXIS_LOG) log_ticks(scale->low, scale->high, room, ticks);
}

/* ---- Ranges ------------------------------------------------------------------------------ */

typedef struct extent {
    double low, high; /* low > high: nothing yet */
    bool positive;    /* numbers of 0 and below do not count */
} extent;

static void reach(extent *e, double value)
{
    if (!(fabs(value) <= greatest) || (e->positive && value <= 0)) return;
    e->low = fmin(e->low, value);
    e->high = fmax(e->high, value);
}

static void reach_all(extent *e, const double *values, size_t count)
{
    for (size_t i = 0; values != NULL && i < count; i++) reach(e, values[i]);
}

static void reach_mark(extent *e, const qkv__mark *mark, bool vertical)
{
    const double *at = mark->at;
    switch (mark->kind) {
    case QKV__MARK_LINE:
    case QKV__MARK_POINTS: reach_all(e, vertical ? mark->y : mark->x, mark->count); break;
    case QKV__MARK_BAND:
        reach_all(e, vertical ? mark->y : mark->x, mark->count);
        if (vertical) reach_all(e, mark->high, mark->count);
        break;
    case QKV__MARK_BARS:
        if (vertical && mark->count > 0) reach(e, 0);
        reach_all(e, vertical ? mark->y : mark->x, mark->count + (vertical ? 0 : 1));
        break;
    case QKV__MARK_RULE_X:
        if (!vertical) reach(e, at[0]);
        break;
    case QKV__MARK_RULE_Y:
        if (vertical) reach(e, at[0]);
        break;
    case QKV__MARK_TEXT: reach(e, at[vertical]); break;
    case QKV__MARK_ARROW:
        reach(e, at[vertical]);
        reach(e, at[2 + vertical]);
        break;
    case QKV__MARK_BOX:
        reach(e, at[vertical] - at[2 + vertical] / 2);
        reach(e, at[vertical] + at[2 + vertical] / 2);
        break;
    case QKV__MARK_HEAT:
        reach(e, -0.5);
        reach(e, (double)(vertical ? mark->heat.rows : mark->heat.columns) - 0.5);
        break;
    }
}

/* Outwards to multiples of a step. */
static void round_linear(double room, double *low, double *high)
{
    double step = qkv__tick_step((*high - *low) / (room < 1 ? 1 : room));
    *low = step * floor(*low / step + 1e-9);
    *high = step * ceil(*high / step - 1e-9);
}

/* Outwards to 1, 2 or 5 times a power of ten. */
static void round_log(double *low, double *high)
{
    double power = pow(10, floor(log10(*low) + 1e-9));
    *low = *low >= 5 * power * (1 - 1e-9)   ? 5 * power
           : *low >= 2 * power * (1 - 1e-9) ? 2 * power
                                            : power;
    *high = qkv__tick_step(*high);
}

/* Never without an extent, and never so narrow that ticks would drown in rounding. */
static void widen(extent *e, qkv_axis_kind kind)
{
    if (e->low > e->high) e->low = kind == QKV_AXIS_LOG ? 0.1 : 0, e->high = 1;
    double size = fmax(fabs(e->low), fabs(e->high));
    if (e->high - e->low > 1e-9 * size && e->high - e->low > 1e-100) return;
    if (kind == QKV_AXIS_LOG) {
        e->low /= 2, e->high *= 2;
    } else {
        double half = size > 1e-90 ? size / 2 : 0.5;
        e->low -= half, e->high += half;
    }
}

static size_t name_count(const qkv__panel *panel, const qkv_axis *axis, bool vertical)
{
    size_t count = axis->name_count;
    for (const qkv__mark *mark = panel->marks; mark != NULL; mark = mark->next) {
        size_t needed = vertical ? mark->heat.rows : mark->heat.columns;
        if (needed > count) count = needed;
    }
    return count == 0 ? 1 : count;
}

void qkv__scale_range(const qkv__panel *panel, bool vertical, double room, qkv__scale *scale)
{
    const qkv_axis *axis = vertical ? &panel->options.y : &panel->options.x;
    extent e = {greatest * 2, -greatest * 2, axis->kind == QKV_AXIS_LOG};
    scale->kind = axis->kind;
    bool given = axis->low != 0 || axis->high != 0;
    if (given) {
        e.low = axis->low, e.high = axis->high;
    } else if (axis->kind == QKV_AXIS_NAMES) {
        e.low = -0.5, e.high = (double)name_count(panel, axis, vertical) - 0.5;
    } else {
        for (const qkv__mark *mark = panel->marks; mark != NULL; mark = mark->next)
            reach_mark(&e, mark, vertical);
    }
    widen(&e, axis->kind);
    if (!given && axis->kind == QKV_AXIS_LINEAR) round_linear(room, &e.low, &e.high);
    if (!given && axis->kind == QKV_AXIS_LOG) round_log(&e.low, &e.high);
    scale->low = e.low;
    scale->high = e.high;
}
