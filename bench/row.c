/* Counting what a row must do, and by which limit. */
#include "row.h"

#include "limits.h"
#include "machine.h"

static double pairs_of_head(const row *r)
{
    double queries = (double)r->queries, keys = (double)r->keys;
    if (r->form == FORM_CAUSAL) return queries * keys / 2.0;
    if (r->form != FORM_WINDOW) return queries * keys;
    double pairs = 0.0; /* as long as the window, but for the first rows */
    for (size_t i = 0; i < r->queries; i++)
        pairs += i + 1 < ROW_WINDOW ? (double)(i + 1) : (double)ROW_WINDOW;
    return pairs;
}

double row_pairs(const row *r)
{
    return (double)r->heads * pairs_of_head(r);
}

double row_operations(const row *r)
{
    return (r->family == ROW_BACKWARD ? 2.5 : 1.0) * 4.0 * row_pairs(r) * (double)r->width;
}

double row_cache_bytes(const row *r)
{
    return 2.0 * (double)(r->kv_heads * r->keys * r->width * qkv_type_size(r->type));
}

const char *row_unit(const row *r)
{
    return r->family == ROW_DECODE ? "GB/s" : r->family == ROW_SMALL ? "ns" : "GFLOP/s";
}

double row_value(const row *r, double seconds)
{
    if (r->family == ROW_SMALL) return 1e9 * seconds;
    return 1e-9 * (r->family == ROW_DECODE ? row_cache_bytes(r) : row_operations(r)) / seconds;
}

/* ---- The floor --------------------------------------------------------------------------- */

/* The unit that multiplies the type fastest with sums in f32 (f64 for f64). */
static limit_kind best_unit(const row *r)
{
    limit_kind best = r->type == QKV_F64 ? LIMIT_F64 : LIMIT_F32;
    if (r->type != QKV_BF16) return best;
    if (limits_best(LIMIT_BF16, r->threads) > limits_best(best, r->threads)) best = LIMIT_BF16;
    if (limits_best(LIMIT_AMX, r->threads) > limits_best(best, r->threads)) best = LIMIT_AMX;
    return best;
}

/* The level that holds what a row reads again and again. */
static limit_kind memory_level(const row *r)
{
    const machine *m = machine_get();
    double bytes = row_cache_bytes(r);
    if (r->cold || bytes > 0.75 * (double)m->l3) return LIMIT_DRAM;
    return bytes > 0.75 * (double)m->l2 * r->threads ? LIMIT_L3 : LIMIT_L2;
}

/* An exponential in f64 is taken to cost twice that in f32, as half as many fit a vector. */
static double arithmetic_floor(const row *r, const char **by)
{
    limit_kind unit = best_unit(r);
    double wide = r->type == QKV_F64 ? 2.0 : 1.0;
    double products = row_operations(r) / limits_best(unit, r->threads);
    double exponentials = wide * row_pairs(r) / limits_best(LIMIT_EXP, r->threads);
    if (unit != LIMIT_AMX) {
        *by = unit == LIMIT_F64   ? "f64 FMA+exp"
              : unit == LIMIT_F32 ? "f32 FMA+exp"
                                  : "bf16 dot+exp";
        return products + exponentials;
    }
    *by = limits_name(products > exponentials ? LIMIT_AMX : LIMIT_EXP);
    return products > exponentials ? products : exponentials;
}

double row_floor(const row *r, const char **by)
{
    double arithmetic = arithmetic_floor(r, by);
    limit_kind level = memory_level(r);
    double memory = row_cache_bytes(r) / limits_best(level, r->threads);
    if (r->family != ROW_DECODE || memory <= arithmetic) return arithmetic;
    *by = limits_name(level);
    return memory;
}
