/* A counterexample in words and numbers that a reader can check by hand. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "claim/search/search_part.h"
#include "language/write.h"

enum { DIGITS_SHOWN = 4, ALL_DIGITS = 12, EXPRESSION_SHOWN = 48, MATRIX_SHOWN = 64 };

/* ---- Numbers ------------------------------------------------------------------------------- */

/* [[1,0],[0,1]]; rows of one number are written as numbers. */
static void write_unknown(const qkv__replay *replay, const qkv__unknown *u, qkv__text *text)
{
    qkv__real entry;
    bool number = u->kind == QKV__UNKNOWN_PARAMETER || u->kind == QKV__UNKNOWN_INDEX;
    bool nested =
        u->columns > 1 || u->kind == QKV__UNKNOWN_MATRIX || u->kind == QKV__UNKNOWN_PERMUTATION;
    if (u->axes) {
        qkv__text_format(text, "unit vectors");
        return;
    }
    if (u->orthogonal && u->rows * u->columns > MATRIX_SHOWN) {
        qkv__text_format(text, "orthonormal vectors");
        return;
    }
    qkv__real_init(&entry);
    if (!number) qkv__text_append(text, "[", 1);
    for (size_t i = 0; i < u->rows; i++) {
        qkv__text_format(text, "%s%s", i > 0 ? "," : "", nested ? "[" : "");
        for (size_t j = 0; j < u->columns; j++) {
            if (j > 0) qkv__text_append(text, ",", 1);
            qkv__replay_entry(replay, u, i * u->columns + j, &entry);
            if (qkv__rational_is_lost(entry.exact))
                qkv__text_format(text, "%.6g", qkv__real_middle(&entry));
            else
                qkv__rational_write(entry.exact, text);
        }
        if (nested) qkv__text_append(text, "]", 1);
    }
    if (!number) qkv__text_append(text, "]", 1);
    qkv__real_clear(&entry);
}

/* In so many digits, however small or large it is. */
static void write_number(const qkv__real *x, int digits, qkv__text *text)
{
    const double middle = qkv__real_middle(x);
    const bool beyond = qkv__rational_is_lost(x->exact) && qkv__real_is_defined(x) &&
                        (middle == 0.0 || isinf(middle));
    char *written = beyond ? arb_get_str(x->ball, digits, ARB_STR_NO_RADIUS) : NULL;
    if (written != NULL)
        qkv__text_format(text, "%s", written);
    else
        qkv__text_format(text, "%.*g", digits, middle + 0.0);
    flint_free(written);
}

static void write_value(const qkv__case_value *from, int digits, qkv__text *text)
{
    qkv__case_value x = qkv__case_plain(from);
    bool nested = x.kind == QKV__CASE_MATRIX || (x.kind == QKV__CASE_FAMILY && x.columns > 1);
    bool number = x.kind == QKV__CASE_SCALAR;
    if (x.kind == QKV__CASE_IDENTITY) {
        qkv__text_format(text, "%.*g*I", digits, qkv__real_middle(x.entry));
        return;
    }
    if (!number) qkv__text_append(text, "[", 1);
    for (size_t i = 0; i < x.rows * x.columns; i++) {
        if (i > 0) qkv__text_append(text, ",", 1);
        if (nested && i % x.columns == 0) qkv__text_append(text, "[", 1);
        write_number(&x.entry[i], digits, text);
        if (nested && (i + 1) % x.columns == 0) qkv__text_append(text, "]", 1);
    }
    if (!number) qkv__text_append(text, "]", 1);
}

/* ---- The comparison ------------------------------------------------------------------------ */

/* Whether two numbers look alike when rounded to so many digits. */
static bool look_alike(double a, double b, int digits)
{
    char one[48], two[48];
    snprintf(one, sizeof one, "%.*g", digits, a);
    snprintf(two, sizeof two, "%.*g", digits, b);
    return strcmp(one, two) == 0;
}

int qkv__search_digits(const qkv__replay *replay)
{
    qkv__case_value x = qkv__case_plain(&replay->seen.left);
    qkv__case_value y = qkv__case_plain(&replay->seen.right);
    bool same = true, comparable = replay->seen.node != NULL && x.kind == y.kind &&
                                   x.rows == y.rows && x.columns == y.columns;
    for (int digits = DIGITS_SHOWN; comparable && digits <= ALL_DIGITS; digits += 2) {
        for (size_t i = 0; i < x.rows * x.columns; i++) {
            double a = qkv__real_middle(&x.entry[i]), b = qkv__real_middle(&y.entry[i]);
            if (!look_alike(a, b, digits)) return digits;
            same = same && a == b;
        }
    }
    /* Sides that are the same, where they should not be, need no digits to tell them apart. */
    return same ? DIGITS_SHOWN : ALL_DIGITS;
}

/* "c.weight[1] = 0.5", or the number alone where the document has just that. */
static void write_side(const qkv__node *node, const qkv__case_value *value, int digits,
                       const char *word, qkv__text *text)
{
    qkv__text expression = {0};
    qkv__node_write(node, &expression);
    bool plain = node->kind == QKV__NODE_NUMBER || expression.data == NULL;
    if (!plain && expression.length <= EXPRESSION_SHOWN)
        qkv__text_format(text, "%s = ", expression.data);
    else if (!plain)
        qkv__text_format(text, "%s ", word);
    qkv__text_free(&expression);
    write_value(value, digits, text);
}

void qkv__search_write_comparison(const qkv__replay *replay, qkv__text *text)
{
    const qkv__comparison_seen *seen = &replay->seen;
    assert(seen->node != NULL);
    int digits = qkv__search_digits(replay);
    bool membership = seen->node->comparison == QKV__IN || seen->node->comparison == QKV__NOT_IN;
    write_side(seen->node->child[0], &seen->left, digits, "left", text);
    if (membership) {
        qkv__text inside = {0};
        qkv__node_write(seen->node->child[1], &inside);
        qkv__text_format(text, " is %s %s", seen->node->comparison == QKV__IN ? "not in" : "in",
                         inside.data == NULL ? "it" : inside.data);
        qkv__text_free(&inside);
        return;
    }
    qkv__text_format(text, " against ");
    write_side(seen->node->child[1], &seen->right, digits, "right", text);
}

/* ---- The case ------------------------------------------------------------------------------ */

/* Sizes and other numbers first, then indices, then what they are the sizes of. */
static int rank_of(const qkv__unknown *u)
{
    if (u->kind == QKV__UNKNOWN_PARAMETER) return u->is_size ? 0 : 1;
    return u->kind == QKV__UNKNOWN_INDEX ? 2 : 3;
}

void qkv__search_write(const qkv__replay *replay, qkv__text *text)
{
    const char *lead = "With";
    for (int rank = 0; rank < 4; rank++)
        for (size_t i = 0; i < replay->unknown_count; i++) {
            const qkv__unknown *u = &replay->unknown[i];
            if (rank_of(u) != rank || !u->shown) continue;
            qkv__text_format(text, "%s %s = ", lead, u->name);
            if (u->norm != NULL && u->kind == QKV__UNKNOWN_FAMILY) {
                qkv__text text_of_norm = {0};
                qkv__node_write(u->norm, &text_of_norm);
                if (text_of_norm.data != NULL) qkv__text_format(text, "(%s)*", text_of_norm.data);
                qkv__text_free(&text_of_norm);
            }
            write_unknown(replay, u, text);
            lead = ",";
        }
    for (size_t i = 0; replay->seen.node != NULL && i < replay->seen.index_count; i++) {
        qkv__text_format(text, "%s %s = %zu", lead, replay->seen.index_name[i],
                         replay->seen.index_member[i] + 1);
        lead = ",";
    }
    if (lead[0] == ',') qkv__text_format(text, ": ");
    if (replay->seen.node != NULL)
        qkv__search_write_comparison(replay, text);
    else
        qkv__text_format(text, "the claim fails");
    qkv__text_format(text, ".");
}
