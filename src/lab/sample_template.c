/*
 * A kernel of the sampler, for any number of lanes: a file that includes it has included a
 * lanes_*.h and defined KERNEL (the kernel's name as a variable) and KERNEL_NAME (as text). Every
 * sample goes through the same operations in the same order, whatever the lanes. Knows nothing of
 * models and results: sample.h is all it sees.
 */
#include "lab/sample.h"

#include "lab/normal_template.h"

/* Samples rounded up to whole columns. */
static size_t padded(size_t count)
{
    return (count + QKV__LAB_COLUMNS - 1) / QKV__LAB_COLUMNS * QKV__LAB_COLUMNS;
}

/* ---- Normal numbers and exponentials -------------------------------------------------------- */

/* Words and what is made of them take turns, some blocks at a time: either has a long chain of
 * dependent operations, and a CPU looks only so far ahead for others. */
enum { TURN = 8 };

static void normals(uint64_t seed, uint32_t stream, uint32_t start, uint64_t first, size_t count,
                    size_t pairs, size_t stride, double *rows)
{
    word_block blocks[TURN];
    for (size_t x = 0; x < count; x += LANES) {
        philox_start begun = philox_begin(word_count_from(first + x), stream, seed);
        for (size_t p = 0; p < pairs; p += TURN) {
            size_t turn = pairs - p < TURN ? pairs - p : TURN;
            for (size_t t = 0; t < turn; t++)
                blocks[t] = philox_block(&begun, start + (uint32_t)(p + t));
            for (size_t t = 0; t < turn; t++) {
                normal_pair pair = normal_from_words(blocks[t]);
                real_store(rows + 2 * (p + t) * stride + x, pair.first);
                real_store(rows + (2 * (p + t) + 1) * stride + x, pair.second);
            }
        }
    }
}

static void exponentials(size_t count, const double *x, double *results)
{
    for (size_t i = 0; i < count; i++) {
        double lanes[LANES];
        real_store(lanes, exponential(real_all(x[i])));
        results[i] = lanes[0];
    }
}

/* ---- Scores straight from their law --------------------------------------------------------- */

static void scores_from_law(const qkv__lab_plan *plan, const qkv__lab_workspace *space,
                            uint64_t first, size_t count)
{
    const size_t stride = plan->block, scores = plan->heads * plan->keys;
    normals(plan->seed, QKV__LAB_STREAM_SCORES, 0, first, count, (plan->normals + 1) / 2, stride,
            space->normal);
    for (size_t s = 0; s < scores; s++) {
        double *row = space->score + s * stride;
        const size_t begin = plan->factor_start[s], end = plan->factor_start[s + 1];
        const reals mean = real_all(plan->score_mean[s]);
        if (begin == end)
            for (size_t x = 0; x < count; x += LANES) real_store(row + x, mean);
        for (size_t t = begin; t < end; t++) {
            const double *normal = space->normal + plan->factor_normal[t] * stride;
            const reals value = real_all(plan->factor_value[t]);
            for (size_t x = 0; x < count; x += LANES) {
                reals sum = t == begin ? mean : real_load(row + x);
                real_store(row + x, real_add(sum, real_multiply(value, real_load(normal + x))));
            }
        }
    }
}

/* ---- Scores by way of keys ------------------------------------------------------------------ */

/* Sums side by side do not wait for each other; five times eight lanes are a full block. */
enum { SIDE_BY_SIDE = 5 };

/* sum_r vector_r row_r for `groups` times LANES samples from x on, into a row. */
static inline void dot(const double *vector, const double *rows, size_t width, size_t stride,
                       size_t x, size_t groups, double *row)
{
    reals sums[SIDE_BY_SIDE];
    for (size_t g = 0; g < groups; g++) sums[g] = real_all(0.0);
    for (size_t r = 0; r < width; r++)
        for (size_t g = 0; g < groups; g++) {
            reals entry = real_load(rows + r * stride + x + g * LANES);
            sums[g] = real_add(sums[g], real_multiply(real_all(vector[r]), entry));
        }
    for (size_t g = 0; g < groups; g++) real_store(row + x + g * LANES, sums[g]);
}

static void dot_row(const double *vector, const double *rows, size_t width, size_t stride,
                    size_t count, double *row)
{
    size_t x = 0;
    for (; x + SIDE_BY_SIDE * LANES <= count; x += SIDE_BY_SIDE * LANES)
        dot(vector, rows, width, stride, x, SIDE_BY_SIDE, row);
    for (; x < count; x += LANES) dot(vector, rows, width, stride, x, 1, row);
}

/* The entries of key i, from its normal numbers. */
static void make_key(const qkv__lab_plan *plan, const qkv__lab_workspace *space, size_t i,
                     size_t count)
{
    const size_t stride = plan->block, width = plan->width;
    const qkv__lab_key *key = &plan->key[i];
    const double *mean = plan->means + i * width;
    if (key->form == QKV__LAB_KEY_STRETCH) /* mu . z, into a row that is free until then */
        dot_row(mean, space->normal, width, stride, key->along != 0.0 ? count : 0, space->share);
    for (size_t r = 0; r < width; r++) {
        double *row = space->entry + r * stride;
        double stretch = key->along * mean[r];
        double root = key->form == QKV__LAB_KEY_DIAGONAL ? key->factor[r] : key->root;
        if (key->form == QKV__LAB_KEY_MATRIX)
            dot_row(key->factor + r * width, space->normal, width, stride, count, row);
        for (size_t x = 0; x < count; x += LANES) {
            reals noise =
                key->form == QKV__LAB_KEY_MATRIX
                    ? real_load(row + x)
                    : real_multiply(real_all(root), real_load(space->normal + r * stride + x));
            if (key->form == QKV__LAB_KEY_STRETCH && stretch != 0.0)
                noise =
                    real_add(noise, real_multiply(real_all(stretch), real_load(space->share + x)));
            real_store(row + x, real_add(real_all(mean[r]), noise));
        }
    }
}

/* Norm and cosine of key i, where they are asked for. */
static void observe_key(const qkv__lab_plan *plan, const qkv__lab_workspace *space, size_t i,
                        size_t count)
{
    const size_t stride = plan->block, width = plan->width;
    const reals zero = real_all(0.0);
    for (size_t q = 0; q < plan->quantities; q++) {
        const qkv_lab_quantity *quantity = &plan->quantity[q];
        bool cosine = quantity->kind == QKV_LAB_KEY_COSINE;
        if ((!cosine && quantity->kind != QKV_LAB_KEY_NORM) || quantity->index != i) continue;
        for (size_t x = 0; x < count; x += LANES) {
            reals square = zero, along = zero;
            for (size_t r = 0; r < width; r++) {
                reals entry = real_load(space->entry + r * stride + x);
                reals mu = real_all(plan->means[i * width + r]);
                square = real_add(square, real_multiply(entry, entry));
                along = real_add(along, real_multiply(entry, mu));
            }
            reals norm = real_root(square);
            if (cosine) {
                norm = real_multiply(norm, real_all(plan->mean_norm[i]));
                mask regular = mask_less(zero, norm);
                reals ratio = real_divide(along, real_select(regular, norm, real_all(1.0)));
                norm = real_select(regular, ratio, zero);
                norm = real_max(real_min(norm, real_all(1.0)), real_all(-1.0)); /* for rounding */
            }
            real_store(space->derived + q * stride + x, norm);
        }
    }
}

static void scores_from_keys(const qkv__lab_plan *plan, const qkv__lab_workspace *space,
                             uint64_t first, size_t count)
{
    const size_t stride = plan->block, width = plan->width, pairs = (width + 1) / 2;
    for (size_t i = 0; i < plan->keys; i++) {
        if (i == 0 || !plan->shared)
            normals(plan->seed, QKV__LAB_STREAM_KEYS, (uint32_t)(i * pairs), first, count, pairs,
                    stride, space->normal);
        make_key(plan, space, i, count);
        for (size_t h = 0; h < plan->heads; h++) {
            double *row = space->score + (h * plan->keys + i) * stride;
            dot_row(plan->queries + h * width, space->entry, width, stride, count, row);
        }
        observe_key(plan, space, i, count);
    }
}

/* ---- Weights and outputs -------------------------------------------------------------------- */

/*
 * Softmax over the keys of a head, up to the last step: powers e^(score - greatest) into `powers`,
 * and what they are to be multiplied with into the row `share`. Greatest scores come in a pass of
 * their own: they would wait behind the exponentials of the samples before.
 */
static void weigh(const double *scores, double *powers, size_t keys, size_t stride, size_t count,
                  double *share)
{
    for (size_t x = 0; x < count; x += LANES) {
        reals greatest = real_load(scores + x);
        for (size_t i = 1; i < keys; i++)
            greatest = real_max(greatest, real_load(scores + i * stride + x));
        real_store(share + x, greatest);
    }
    for (size_t x = 0; x < count; x += LANES) {
        reals greatest = real_load(share + x), sum = real_all(0.0);
        for (size_t i = 0; i < keys; i++) {
            reals power = exponential(real_subtract(real_load(scores + i * stride + x), greatest));
            sum = real_add(sum, power);
            real_store(powers + i * stride + x, power);
        }
        real_store(share + x, real_divide(real_all(1.0), sum));
    }
}

/* From powers to weights: a row of each key times the row of shares. */
static void scale(double *powers, size_t keys, size_t stride, size_t count, const double *share)
{
    for (size_t i = 0; i < keys; i++)
        for (size_t x = 0; x < count; x += LANES) {
            double *place = powers + i * stride + x;
            real_store(place, real_multiply(real_load(place), real_load(share + x)));
        }
}

/* The mean over heads, from powers, whether or not anyone wants the weights of single heads. */
static void average(const qkv__lab_plan *plan, const qkv__lab_workspace *space, size_t count)
{
    const size_t stride = plan->block;
    const reals part = real_all(1.0 / (double)plan->heads);
    for (size_t x = 0; x < count; x += LANES)
        for (size_t i = 0; i < plan->keys; i++) {
            reals sum = real_all(0.0);
            for (size_t h = 0; h < plan->heads; h++)
                sum = real_add(sum, real_multiply(real_load(space->share + h * stride + x),
                                                  real_load(space->weight +
                                                            (h * plan->keys + i) * stride + x)));
            real_store(space->mean + i * stride + x, real_multiply(sum, part));
        }
}

static void combine(const qkv__lab_plan *plan, const qkv__lab_workspace *space, size_t count)
{
    const size_t stride = plan->block;
    for (size_t j = 0; j < plan->outputs; j++)
        for (size_t x = 0; x < count; x += LANES) {
            reals sum = real_all(0.0);
            for (size_t i = 0; i < plan->keys; i++)
                sum = real_add(sum, real_multiply(real_all(plan->values[i * plan->outputs + j]),
                                                  real_load(space->mean + i * stride + x)));
            real_store(space->output + j * stride + x, sum);
        }
}

/* ---- Quantities that are made from others --------------------------------------------------- */

static inline reals combination(const qkv__lab_workspace *space, const double *numbers,
                                size_t count, size_t x)
{
    reals sum = real_all(0.0);
    for (size_t j = 0; j < count; j++)
        sum = real_add(sum, real_multiply(real_all(numbers[j]), real_load(space->quantity[j] + x)));
    return sum;
}

static inline reals squared_distance(const qkv__lab_workspace *space, const double *target,
                                     size_t outputs, size_t stride, size_t x)
{
    reals sum = real_all(0.0);
    for (size_t j = 0; j < outputs; j++) {
        reals off = real_subtract(real_load(space->output + j * stride + x), real_all(target[j]));
        sum = real_add(sum, real_multiply(off, off));
    }
    return sum;
}

static void derive(const qkv__lab_plan *plan, const qkv__lab_workspace *space, size_t count)
{
    const size_t stride = plan->block;
    for (size_t q = 0; q < plan->quantities; q++) {
        const qkv_lab_quantity *quantity = &plan->quantity[q];
        double *row = space->derived + q * stride;
        for (size_t x = 0; x < count; x += LANES) {
            if (quantity->kind == QKV_LAB_COMBINATION)
                real_store(row + x, combination(space, quantity->numbers, q, x));
            else if (quantity->kind == QKV_LAB_PRODUCT)
                real_store(row + x, real_multiply(real_load(space->quantity[quantity->index] + x),
                                                  real_load(space->quantity[quantity->other] + x)));
            else if (quantity->kind == QKV_LAB_ERROR)
                real_store(row + x,
                           squared_distance(space, quantity->numbers, plan->outputs, stride, x));
            else
                break;
        }
    }
}

static void fill(const qkv__lab_plan *plan, const qkv__lab_workspace *space, uint64_t first,
                 size_t count)
{
    const size_t stride = plan->block;
    count = padded(count);
    if (plan->full_keys)
        scores_from_keys(plan, space, first, count);
    else
        scores_from_law(plan, space, first, count);
    for (size_t h = 0; h < plan->heads; h++)
        weigh(space->score + h * plan->keys * stride, space->weight + h * plan->keys * stride,
              plan->keys, stride, count, space->share + h * stride);
    if (plan->needs_mean && plan->heads > 1) average(plan, space, count);
    for (size_t h = 0; h < plan->heads; h++)
        if (plan->needs_weights || plan->heads == 1)
            scale(space->weight + h * plan->keys * stride, plan->keys, stride, count,
                  space->share + h * stride);
    if (plan->needs_output && plan->values != NULL) combine(plan, space, count);
    derive(plan, space, count);
}

/* ---- Sums ----------------------------------------------------------------------------------- */

static inline mask holds(const qkv__lab_workspace *space, const qkv__lab_event *event, size_t x)
{
    mask all = mask_all();
    for (size_t e = 0; e < event->count; e++) {
        const qkv__lab_inequality *inequality = &event->inequalities[e];
        reals sum = real_all(0.0), bound = real_all(inequality->bound);
        for (size_t t = 0; t < inequality->terms; t++)
            sum = real_add(sum,
                           real_multiply(real_all(inequality->coefficient[t]),
                                         real_load(space->quantity[inequality->quantity[t]] + x)));
        all = mask_and(all,
                       inequality->strict ? mask_less(sum, bound) : mask_less_or_equal(sum, bound));
    }
    return all;
}

/* A row of 1 for accepted samples and 0 for others. */
static void accept(const qkv__lab_plan *plan, const qkv__lab_workspace *space, size_t count)
{
    for (size_t x = 0; x < padded(count); x++) space->accepted[x] = x < count ? 1.0 : 0.0;
    if (plan->given == NULL) return;
    for (size_t x = 0; x < padded(count); x += LANES) {
        reals one = real_load(space->accepted + x);
        real_store(space->accepted + x,
                   real_select(holds(space, plan->given, x), one, real_all(0.0)));
    }
}

static void count_events(const qkv__lab_plan *plan, const qkv__lab_workspace *space, size_t count)
{
    for (size_t x = 0; x < padded(count); x += LANES) {
        reals one = real_load(space->accepted + x);
        double *column = space->columns + x % QKV__LAB_COLUMNS;
        real_store(column, real_add(real_load(column), one));
        for (size_t e = 0; e < plan->events; e++) {
            column =
                space->columns + qkv__lab_sum_event(e) * QKV__LAB_COLUMNS + x % QKV__LAB_COLUMNS;
            reals seen = real_select(holds(space, &plan->event[e], x), one, real_all(0.0));
            real_store(column, real_add(real_load(column), seen));
        }
    }
}

/* Centred rows, their sums, and the extremes. */
static void centre(const qkv__lab_plan *plan, const qkv__lab_workspace *space, size_t count)
{
    const reals zero = real_all(0.0), infinity = real_all((double)INFINITY);
    for (size_t q = 0; q < plan->quantities; q++) {
        const double *row = space->quantity[q];
        double *centred = space->centred + q * plan->block;
        double *sums = space->columns + (qkv__lab_sum_first(plan) + q) * QKV__LAB_COLUMNS;
        double *leasts = space->columns + (qkv__lab_sum_least(plan) + q) * QKV__LAB_COLUMNS;
        double *greatests = space->columns + (qkv__lab_sum_greatest(plan) + q) * QKV__LAB_COLUMNS;
        const reals origin = real_all(plan->origin[q]);
        for (size_t column = 0; column < QKV__LAB_COLUMNS; column += LANES) {
            reals sum = real_load(sums + column), least = real_load(leasts + column);
            reals greatest = real_load(greatests + column);
            for (size_t x = column; x < padded(count); x += QKV__LAB_COLUMNS) {
                mask counts = mask_less(zero, real_load(space->accepted + x));
                reals value = real_load(row + x);
                reals off = real_select(counts, real_subtract(value, origin), zero);
                real_store(centred + x, off);
                sum = real_add(sum, off);
                least = real_min(real_select(counts, value, infinity), least);
                greatest =
                    real_max(real_select(counts, value, real_subtract(zero, infinity)), greatest);
            }
            real_store(sums + column, sum);
            real_store(leasts + column, least);
            real_store(greatests + column, greatest);
        }
    }
}

/* Adds the products of row a with `rows` others, at most four, to their sums, which lie one behind
 * the other. */
static inline void add_products(const double *a, const double *b, size_t rows, size_t stride,
                                double *sums, size_t count)
{
    for (size_t column = 0; column < QKV__LAB_COLUMNS; column += LANES) {
        reals sum[4];
        for (size_t k = 0; k < rows; k++) sum[k] = real_load(sums + k * QKV__LAB_COLUMNS + column);
        for (size_t x = column; x < count; x += QKV__LAB_COLUMNS) {
            reals left = real_load(a + x);
            for (size_t k = 0; k < rows; k++)
                sum[k] = real_add(sum[k], real_multiply(left, real_load(b + k * stride + x)));
        }
        for (size_t k = 0; k < rows; k++) real_store(sums + k * QKV__LAB_COLUMNS + column, sum[k]);
    }
}

static void multiply(const qkv__lab_plan *plan, const qkv__lab_workspace *space, size_t count)
{
    const size_t stride = plan->block;
    for (size_t j = 0; j < plan->quantities; j++) {
        size_t end = plan->covariance ? plan->quantities : j + 1, k = j;
        const double *a = space->centred + j * stride;
        double *sums = space->columns + qkv__lab_sum_product(plan, j, j) * QKV__LAB_COLUMNS;
        for (; k + 4 <= end; k += 4, sums += 4 * QKV__LAB_COLUMNS)
            add_products(a, space->centred + k * stride, 4, stride, sums, count);
        const double *b = space->centred + k * stride;
        if (end - k == 3)
            add_products(a, b, 3, stride, sums, count);
        else if (end - k == 2)
            add_products(a, b, 2, stride, sums, count);
        else if (end - k == 1)
            add_products(a, b, 1, stride, sums, count);
    }
}

static void add(const qkv__lab_plan *plan, const qkv__lab_workspace *space, size_t count)
{
    accept(plan, space, count);
    count_events(plan, space, count);
    centre(plan, space, count);
    multiply(plan, space, padded(count));
}

const qkv__lab_kernel KERNEL = {.name = KERNEL_NAME,
                                .normals = normals,
                                .exponentials = exponentials,
                                .fill = fill,
                                .add = add};
