/* Merging of statistics. Knows nothing of how samples are made. */
#include "lab/statistics.h"

#include <math.h>
#include <string.h>

#include "base/number.h"

/* ---- Sums ----------------------------------------------------------------------------------- */

bool qkv__lab_totals_make(const qkv__lab_plan *plan, double error, qkv__arena *arena,
                          qkv__lab_totals *totals)
{
    size_t count = qkv__lab_sum_count(plan);
    totals->sum = qkv__arena_array(arena, count, sizeof *totals->sum);
    totals->lost = qkv__arena_array(arena, count, sizeof *totals->lost);
    totals->sequences = qkv__arena_array(arena, plan->quantities, sizeof *totals->sequences);
    if (totals->sum == NULL || totals->lost == NULL || totals->sequences == NULL) return false;
    for (size_t q = 0; q < plan->quantities; q++) {
        totals->sum[qkv__lab_sum_least(plan) + q] = INFINITY;
        totals->sum[qkv__lab_sum_greatest(plan) + q] = -INFINITY;
        totals->sequences[q] =
            qkv_lab_sequence_start(plan->range_low[q], plan->range_high[q], error);
    }
    return true;
}

void qkv__lab_totals_copy(const qkv__lab_plan *plan, const qkv__lab_totals *from,
                          qkv__lab_totals *to)
{
    size_t count = qkv__lab_sum_count(plan);
    memcpy(to->sum, from->sum, count * sizeof *to->sum);
    memcpy(to->lost, from->lost, count * sizeof *to->lost);
    memcpy(to->sequences, from->sequences, plan->quantities * sizeof *to->sequences);
}

static void fill_columns(double *columns, size_t first, size_t count, double value)
{
    for (size_t x = first * QKV__LAB_COLUMNS; x < (first + count) * QKV__LAB_COLUMNS; x++)
        columns[x] = value;
}

void qkv__lab_columns_clear(const qkv__lab_plan *plan, double *columns)
{
    fill_columns(columns, 0, qkv__lab_sum_count(plan), 0.0);
    fill_columns(columns, qkv__lab_sum_least(plan), plan->quantities, INFINITY);
    fill_columns(columns, qkv__lab_sum_greatest(plan), plan->quantities, -INFINITY);
}

/* Which of the sums are extremes. */
static bool is_least(const qkv__lab_plan *plan, size_t sum)
{
    return sum >= qkv__lab_sum_least(plan) && sum < qkv__lab_sum_greatest(plan);
}

static bool is_greatest(const qkv__lab_plan *plan, size_t sum)
{
    size_t first = qkv__lab_sum_greatest(plan);
    return sum >= first && sum < first + plan->quantities;
}

void qkv__lab_columns_close(const qkv__lab_plan *plan, const double *columns, double *sums)
{
    for (size_t s = 0; s < qkv__lab_sum_count(plan); s++) {
        const double *c = columns + s * QKV__LAB_COLUMNS;
        if (is_least(plan, s))
            sums[s] = fmin(fmin(fmin(c[0], c[1]), fmin(c[2], c[3])),
                           fmin(fmin(c[4], c[5]), fmin(c[6], c[7])));
        else if (is_greatest(plan, s))
            sums[s] = fmax(fmax(fmax(c[0], c[1]), fmax(c[2], c[3])),
                           fmax(fmax(c[4], c[5]), fmax(c[6], c[7])));
        else
            sums[s] = ((c[0] + c[1]) + (c[2] + c[3])) + ((c[4] + c[5]) + (c[6] + c[7]));
    }
}

/* Knuth's two-sum: what rounding takes from sum + term is kept. */
static void add_exactly(double *sum, double *lost, double term)
{
    double total = *sum + term, part = total - *sum;
    *lost += (*sum - (total - part)) + (term - part);
    *sum = total;
}

void qkv__lab_totals_merge(const qkv__lab_plan *plan, qkv__lab_totals *totals, const double *sums)
{
    double count = sums[0];
    for (size_t s = 0; s < qkv__lab_sum_count(plan); s++) {
        if (is_least(plan, s))
            totals->sum[s] = fmin(totals->sum[s], sums[s]);
        else if (is_greatest(plan, s))
            totals->sum[s] = fmax(totals->sum[s], sums[s]);
        else
            add_exactly(&totals->sum[s], &totals->lost[s], sums[s]);
    }
    if (!(count > 0.0)) return;
    for (size_t q = 0; q < plan->quantities; q++) {
        double mean = sums[qkv__lab_sum_first(plan) + q] / count;
        double spread = sums[qkv__lab_sum_product(plan, q, q)] - mean * mean * count;
        qkv_lab_sequence_add(&totals->sequences[q], (uint64_t)count, plan->origin[q] + mean,
                             fmax(spread, 0.0));
    }
}

/* ---- Counts --------------------------------------------------------------------------------- */

/*
 * Quantiles are read off counts of numbers by sign, binary exponent and the first FRACTION bits
 * behind the leading one: bins lie one behind the other in the bits of a double. The places: what
 * is under -2^24; negative bins, the largest sizes first; sizes under 2^-40; positive bins; the
 * rest.
 */
enum {
    FRACTION = 9,
    EXPONENTS = 64, /* 2^-40 to 2^24 */
    BINS = EXPONENTS << FRACTION,
    ZERO = BINS + 1,
    PLACES = 2 * BINS + 3,
    SHIFT = 52 - FRACTION,
};
static const uint64_t first_bin = (UINT64_C(1023) - 40) << FRACTION;

static size_t place_of(double value)
{
    uint64_t bin = qkv__double_bits(fabs(value)) >> SHIFT;
    if (bin < first_bin) return ZERO;
    size_t steps = bin - first_bin < BINS ? (size_t)(bin - first_bin) + 1 : BINS + 1;
    return value < 0.0 ? ZERO - steps : ZERO + steps;
}

/* The middle of a bin. */
static double value_of(size_t place)
{
    if (place == ZERO) return 0.0;
    size_t steps = place > ZERO ? place - ZERO : ZERO - place;
    double size = INFINITY;
    if (steps <= BINS)
        size =
            qkv__double_from_bits(((first_bin + steps - 1) << SHIFT) | UINT64_C(1) << (SHIFT - 1));
    return place > ZERO ? size : -size;
}

bool qkv__lab_count_map_make(const qkv__lab_plan *plan, qkv__arena *arena, qkv__lab_count_map *map)
{
    map->histogram = qkv__arena_array(arena, plan->quantities, sizeof *map->histogram);
    map->quantile = qkv__arena_array(arena, plan->quantities, sizeof *map->quantile);
    map->total = 0;
    if (map->histogram == NULL || map->quantile == NULL) return false;
    for (size_t q = 0; q < plan->quantities; q++) {
        map->histogram[q] = map->total;
        if (plan->quantity[q].bins > 0) map->total += plan->quantity[q].bins + 2;
        map->quantile[q] = map->total;
        if (plan->quantity[q].quantiles) map->total += PLACES;
    }
    return true;
}

/* 0: below; 1 to bins; bins + 1: at the upper end or above. */
static size_t bin_of(const qkv_lab_quantity *quantity, double value)
{
    if (value < quantity->low) return 0;
    if (value >= quantity->high) return quantity->bins + 1;
    double share = (value - quantity->low) / (quantity->high - quantity->low);
    size_t bin = (size_t)(share * (double)quantity->bins);
    return bin < quantity->bins ? bin + 1 : quantity->bins;
}

void qkv__lab_count(const qkv__lab_plan *plan, const qkv__lab_count_map *map,
                    const qkv__lab_workspace *space, size_t count, uint64_t *counts)
{
    for (size_t q = 0; q < plan->quantities; q++) {
        const qkv_lab_quantity *quantity = &plan->quantity[q];
        const double *row = space->quantity[q];
        if (quantity->bins == 0 && !quantity->quantiles) continue;
        for (size_t x = 0; x < count; x++) {
            if (space->accepted[x] == 0.0) continue;
            if (quantity->bins > 0) counts[map->histogram[q] + bin_of(quantity, row[x])]++;
            if (quantity->quantiles) counts[map->quantile[q] + place_of(row[x])]++;
        }
    }
}

double qkv__lab_quantile(const uint64_t *counts, const uint64_t *more, uint64_t rank)
{
    uint64_t seen = 0;
    size_t place = 0;
    for (; place < PLACES - 1; place++) {
        seen += counts[place] + more[place];
        if (seen >= rank) break;
    }
    return value_of(place);
}
