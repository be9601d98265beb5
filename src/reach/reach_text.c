/*
 * Answers in words. Knows nothing of how they were found.
 *
 * A dependency is written with its positive terms on the left and its negative ones on the right,
 * once for the keys, "k_1 + k_3 = 2 k_2", and once for the weights, "a_1 a_3 = a_2^2".
 */
#include "reach/reach_part.h"

#include <math.h>

#include "base/text.h"

enum { TERMS_SHOWN = 6 };

/* One term: "2 k_3" or "a_3^2". A multiplier of 1 is not written. */
static void write_term(qkv__text *text, double multiplier, size_t key, bool product)
{
    if (!product && multiplier != 1.0) qkv__text_format(text, "%.6g ", multiplier);
    qkv__text_format(text, "%c_%zu", product ? 'a' : 'k', key + 1);
    if (product && multiplier != 1.0) qkv__text_format(text, "^%.6g", multiplier);
}

/* The terms of one sign. */
static void write_side(qkv__text *text, const qkv__reach_dependency *dependency, double sign,
                       bool product)
{
    size_t written = 0;
    for (size_t i = 0; i < dependency->count; i++) {
        double multiplier = sign * dependency->value[i];
        if (!(multiplier > 0.0)) continue;
        if (written++ >= TERMS_SHOWN) continue;
        if (written > 1) qkv__text_format(text, product ? " " : " + ");
        write_term(text, multiplier, dependency->index[i], product);
    }
    if (written > TERMS_SHOWN)
        qkv__text_format(text, product ? " (%zu more)" : " + (%zu more)", written - TERMS_SHOWN);
}

static void write_identity(qkv__text *text, const qkv__reach_dependency *dependency, bool product)
{
    write_side(text, dependency, 1.0, product);
    qkv__text_format(text, " = ");
    write_side(text, dependency, -1.0, product);
}

/* "k_1 + k_3 = 2 k_2 exactly, so a_1 a_3 = a_2^2 for every query" */
static void write_reason(qkv__text *text, const qkv__reach_answer *answer,
                         const qkv__reach_dependency *dependency)
{
    write_identity(text, dependency, false);
    if (answer->exact)
        qkv__text_format(text, " exactly");
    else if (answer->status == QKV__REACH_IMPOSSIBLE)
        qkv__text_format(text, " with multipliers that are right but for rounding");
    else
        qkv__text_format(text, " up to rounding");
    qkv__text_format(text, ", so ");
    write_identity(text, dependency, true);
    qkv__text_format(text, " for every query");
}

/* "keys 1, 4 and 2 more" */
static void write_members(qkv__text *text, const qkv__reach_face *face)
{
    qkv__text_format(text, face->member_count == 1 ? "key" : "keys");
    for (size_t m = 0; m < face->member_count && m < TERMS_SHOWN; m++)
        qkv__text_format(text, "%s %zu", m > 0 ? "," : "", face->members[m] + 1);
    if (face->member_count > TERMS_SHOWN)
        qkv__text_format(text, " and %zu more", face->member_count - TERMS_SHOWN);
}

static void write_reachable(qkv__text *text, const qkv__reach_face *face,
                            const qkv__reach_answer *answer)
{
    qkv__text_format(text, "the weights can tend to the wanted ones on ");
    write_members(text, face);
    if (isinf(answer->margin))
        qkv__text_format(text, ", and there is no other key");
    else
        qkv__text_format(text, ": along the query every other key scores at least %.6g less",
                         answer->margin);
}

static void write_impossible(qkv__text *text, const qkv__reach_face *face,
                             const qkv__reach_answer *answer,
                             const qkv__reach_dependency *dependency)
{
    qkv__text_format(text, "no query brings the weights to the wanted ones on ");
    write_members(text, face);
    qkv__text_format(text, ": ");
    write_reason(text, answer, dependency);
    if (answer->ceiling < 1.0)
        qkv__text_format(text, ", and a_%zu is at most %.6g", face->members[0] + 1,
                         answer->ceiling);
    else
        qkv__text_format(text, ", which those weights do not satisfy");
}

/* The text in the arena; NULL where either had no memory. */
static const char *keep(qkv__text *text, qkv__arena *arena)
{
    const char *kept = text->failed || text->data == NULL
                           ? NULL
                           : qkv__arena_text(arena, text->data, text->length);
    qkv__text_free(text);
    return kept;
}

static bool is_hedged(qkv__reach_status status)
{
    return status == QKV__REACH_SEEMS_REACHABLE || status == QKV__REACH_SEEMS_IMPOSSIBLE;
}

const char *qkv__reach_say_face(const qkv__reach_face *face, const qkv__reach_answer *answer,
                                const qkv__reach_dependency *dependency, qkv__arena *arena)
{
    qkv__text text = {0};
    if (is_hedged(answer->status)) qkv__text_format(&text, "as far as double precision tells, ");
    if (answer->status == QKV__REACH_UNKNOWN)
        qkv__text_format(&text, "too near the border for double precision to tell");
    else if (answer->multipliers != NULL)
        write_impossible(&text, face, answer, dependency);
    else
        write_reachable(&text, face, answer);
    return keep(&text, arena);
}

const char *qkv__reach_say_weights(const qkv__reach_answer *answer,
                                   const qkv__reach_dependency *dependency, qkv__arena *arena)
{
    qkv__text text = {0};
    if (is_hedged(answer->status)) qkv__text_format(&text, "as far as double precision tells, ");
    if (answer->status == QKV__REACH_UNKNOWN)
        qkv__text_format(&text, "too near the border for double precision to tell");
    else if (answer->multipliers != NULL) {
        qkv__text_format(&text, "no query gives the target: ");
        write_reason(&text, answer, dependency);
        qkv__text_format(&text, ", but the target's left side is e^%.6g times its right side",
                         answer->mismatch);
    } else {
        qkv__text_format(&text, "the query gives the target");
    }
    if (answer->singular_count > 0)
        qkv__text_format(&text, " (rank %zu: singular values from %.6g to %.6g, tolerance %.3g)",
                         answer->rank, answer->singular_values[0],
                         answer->singular_values[answer->singular_count - 1], answer->tolerance);
    return keep(&text, arena);
}
