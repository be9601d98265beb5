/* Programs on columns of samples: steps, the ranges that their numbers lie in, and running them.
 * Knows neither documents nor what the numbers mean. */
#include "claim/sample/sample_part.h"

#include <math.h>
#include <string.h>

/* Samples are doubles of weights within 1e-13 and of scores within rounding: what is nearer than
 * this to the edge of an event is open. */
static const double BLUR = 1e-11;

/* ---- Ranges -------------------------------------------------------------------------------- */

typedef struct range {
    double low, high;
} range;

/* 0 times infinity is 0 here: a bound of a product of bounds. */
static double product(double x, double y)
{
    return x == 0.0 || y == 0.0 ? 0.0 : x * y;
}

static range multiply(range x, range y, bool square)
{
    double corner[] = {product(x.low, y.low), product(x.low, y.high), product(x.high, y.low),
                       product(x.high, y.high)};
    range r = {corner[0], corner[0]};
    for (int i = 1; i < 4; i++) r = (range){fmin(r.low, corner[i]), fmax(r.high, corner[i])};
    if (square) r.low = fmax(r.low, 0.0);
    return r;
}

static range size(range x)
{
    if (x.low >= 0.0) return x;
    if (x.high <= 0.0) return (range){-x.high, -x.low};
    return (range){0.0, fmax(-x.low, x.high)};
}

static range combine(qkv__sample_operation operation, range x, range y, bool same)
{
    switch (operation) {
    case QKV__SAMPLE_ADD: return (range){x.low + y.low, x.high + y.high};
    case QKV__SAMPLE_SUBTRACT: return (range){x.low - y.high, x.high - y.low};
    case QKV__SAMPLE_MULTIPLY: return multiply(x, y, same);
    case QKV__SAMPLE_DIVIDE:
        if (y.low <= 0.0 && y.high >= 0.0) return (range){-INFINITY, INFINITY};
        return multiply(x, (range){1.0 / y.high, 1.0 / y.low}, false);
    case QKV__SAMPLE_LEAST: return (range){fmin(x.low, y.low), fmin(x.high, y.high)};
    case QKV__SAMPLE_GREATEST: return (range){fmax(x.low, y.low), fmax(x.high, y.high)};
    case QKV__SAMPLE_SIZE: return size(x);
    case QKV__SAMPLE_ROOT: return (range){sqrt(fmax(x.low, 0.0)), sqrt(fmax(x.high, 0.0))};
    case QKV__SAMPLE_EXPONENTIAL: return (range){exp(x.low), exp(x.high)};
    case QKV__SAMPLE_LOGARITHM:
        return (range){x.low > 0.0 ? log(x.low) : -INFINITY, x.high > 0.0 ? log(x.high) : INFINITY};
    default: return (range){0.0, 1.0};
    }
}

/* Wider by what rounding may add; it does not change signs. */
static range pad(range x)
{
    double low = x.low - 1e-12 * (1.0 + fabs(x.low)), high = x.high + 1e-12 * (1.0 + fabs(x.high));
    if (x.low >= 0.0) low = fmax(low, 0.0);
    if (x.high <= 0.0) high = fmin(high, 0.0);
    return (range){isnan(low) ? -INFINITY : low, isnan(high) ? INFINITY : high};
}

/* ---- Steps --------------------------------------------------------------------------------- */

/* Doubles an array of the model's; NULL with the trouble. */
static void *grow(qkv__sample *sample, void *old, size_t count, size_t *capacity, size_t size)
{
    size_t more = *capacity == 0 ? 64 : 2 * *capacity;
    void *grown = qkv__arena_array(&sample->arena, more, size);
    if (grown == NULL) return qkv__sample_fail(sample, "out of memory"), NULL;
    if (count > 0) memcpy(grown, old, count * size);
    *capacity = more;
    return grown;
}

static int add(qkv__sample *sample, qkv__sample_step step)
{
    if (sample->step_count == QKV__SAMPLE_STEPS)
        return qkv__sample_fail(sample, "too many steps to compute per sample"), -1;
    if (sample->step_count == sample->step_capacity) {
        void *grown =
            grow(sample, sample->step, sample->step_count, &sample->step_capacity, sizeof step);
        if (grown == NULL) return -1;
        sample->step = grown;
    }
    sample->step[sample->step_count] = step;
    return (int)sample->step_count++;
}

int qkv__sample_constant(qkv__sample *sample, double number)
{
    return add(sample, (qkv__sample_step){.operation = QKV__SAMPLE_CONSTANT,
                                          .left = -1,
                                          .right = -1,
                                          .number = number,
                                          .low = number,
                                          .high = number});
}

static int find_quantity(const qkv__sample *sample, const qkv_lab_quantity *wanted)
{
    for (size_t i = 0; i < sample->step_count; i++) {
        const qkv__sample_step *step = &sample->step[i];
        if (step->operation != QKV__SAMPLE_QUANTITY) continue;
        const qkv_lab_quantity *known = &sample->quantity[step->quantity];
        if (known->kind == wanted->kind && known->index == wanted->index &&
            known->head == wanted->head)
            return (int)i;
    }
    return -1;
}

int qkv__sample_quantity(qkv__sample *sample, qkv_lab_kind kind, size_t key, size_t head)
{
    qkv_lab_quantity wanted = {.kind = kind, .index = key, .head = head};
    int known = find_quantity(sample, &wanted);
    if (known >= 0) return known;
    if (sample->quantity_count == sample->quantity_capacity) {
        void *grown = grow(sample, sample->quantity, sample->quantity_count,
                           &sample->quantity_capacity, sizeof wanted);
        if (grown == NULL) return -1;
        sample->quantity = grown;
    }
    sample->quantity[sample->quantity_count++] = wanted;
    qkv__sample_step step = {.operation = QKV__SAMPLE_QUANTITY,
                             .left = -1,
                             .right = -1,
                             .quantity = sample->quantity_count - 1,
                             .low = kind == QKV_LAB_SCORE ? -INFINITY : 0.0,
                             .high = kind == QKV_LAB_WEIGHT ? 1.0 : INFINITY};
    return add(sample, step);
}

int qkv__sample_apply(qkv__sample *sample, qkv__sample_operation operation, int left, int right)
{
    if (left < 0 || right < 0) return -1;
    const qkv__sample_step *x = &sample->step[left], *y = &sample->step[right];
    range r =
        pad(combine(operation, (range){x->low, x->high}, (range){y->low, y->high}, left == right));
    return add(
        sample,
        (qkv__sample_step){
            .operation = operation, .left = left, .right = right, .low = r.low, .high = r.high});
}

/* ---- Running ------------------------------------------------------------------------------- */

static double edge(double x, double y)
{
    return BLUR * (1.0 + fabs(x) + fabs(y));
}

static double compute(qkv__sample_operation operation, double x, double y)
{
    switch (operation) {
    case QKV__SAMPLE_ADD: return x + y;
    case QKV__SAMPLE_SUBTRACT: return x - y;
    case QKV__SAMPLE_MULTIPLY: return x * y;
    case QKV__SAMPLE_DIVIDE: return x / y;
    case QKV__SAMPLE_LEAST: return x < y || isnan(x) ? x : y; /* no number stays none */
    case QKV__SAMPLE_GREATEST: return x > y || isnan(x) ? x : y;
    case QKV__SAMPLE_SIZE: return fabs(x);
    case QKV__SAMPLE_ROOT: return x < 0.0 && x > -BLUR ? 0.0 : sqrt(x);
    case QKV__SAMPLE_EXPONENTIAL: return exp(x);
    case QKV__SAMPLE_LOGARITHM: return log(x);
    case QKV__SAMPLE_BELOW: /* what is no number is open */
        return y - x > edge(x, y) ? 1.0 : x - y > edge(x, y) ? 0.0 : 0.5;
    case QKV__SAMPLE_EQUAL: return fabs(x - y) > edge(x, y) ? 0.0 : 0.5;
    default: return 0.0;
    }
}

void qkv__sample_run(const qkv__sample *sample, const double *rows, size_t count, double *columns)
{
    for (size_t i = 0; i < sample->step_count; i++) {
        const qkv__sample_step *step = &sample->step[i];
        double *to = columns + i * QKV__SAMPLE_ROWS;
        const double *x = columns + (size_t)(step->left < 0 ? 0 : step->left) * QKV__SAMPLE_ROWS;
        const double *y = columns + (size_t)(step->right < 0 ? 0 : step->right) * QKV__SAMPLE_ROWS;
        if (step->operation == QKV__SAMPLE_CONSTANT)
            for (size_t r = 0; r < count; r++) to[r] = step->number;
        else if (step->operation == QKV__SAMPLE_QUANTITY)
            for (size_t r = 0; r < count; r++)
                to[r] = rows[r * sample->quantity_count + step->quantity];
        else if (step->operation == QKV__SAMPLE_ADD)
            for (size_t r = 0; r < count; r++) to[r] = x[r] + y[r];
        else if (step->operation == QKV__SAMPLE_MULTIPLY)
            for (size_t r = 0; r < count; r++) to[r] = x[r] * y[r];
        else
            for (size_t r = 0; r < count; r++) to[r] = compute(step->operation, x[r], y[r]);
    }
}
