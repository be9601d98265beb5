/* Dual vectors, linear systems and outer products. Knows the exact engine; nothing of claims. */
#include "claim/find/find_tokens.h"

#include <stdlib.h>

#include "claim/threshold/threshold.h"

bool qkv__ratio_is_invertible(qkv__algebra *algebra, qkv__ratio ratio)
{
    if (qkv__ratio_is_lost(ratio) || qkv__ratio_is_zero(ratio)) return false;
    const qkv__form *parts[] = {ratio.numerator, ratio.denominator};
    for (int i = 0; i < 2; i++) {
        qkv__sign sign = qkv__sign_of_form(algebra, parts[i]);
        if (sign != QKV__SIGN_POSITIVE && sign != QKV__SIGN_NEGATIVE) return false;
    }
    return true;
}

static qkv__ratio inverse(qkv__algebra *algebra, qkv__ratio ratio)
{
    return qkv__ratio_divide(algebra, qkv__ratio_whole(algebra, 1), ratio);
}

/* ---- Systems ------------------------------------------------------------------------- */

static void exchange_rows(qkv__system *s, size_t i, size_t j)
{
    for (size_t c = 0; c < s->columns; c++) {
        qkv__ratio kept = s->row[i][c];
        s->row[i][c] = s->row[j][c];
        s->row[j][c] = kept;
    }
    const qkv__vector *kept = s->right[i];
    s->right[i] = s->right[j];
    s->right[j] = kept;
}

/* Divides the pivot's row, and clears its column in all others. */
static bool eliminate(qkv__space *space, qkv__system *s, size_t row, size_t column)
{
    qkv__algebra *algebra = space->algebra;
    qkv__ratio scale = inverse(algebra, s->row[row][column]);
    for (size_t c = 0; c < s->columns; c++)
        s->row[row][c] = qkv__ratio_multiply(algebra, s->row[row][c], scale);
    s->right[row] = qkv__vector_scale(space, s->right[row], scale);
    for (size_t r = 0; r < s->rows; r++) {
        qkv__ratio factor = s->row[r][column];
        if (r == row || qkv__ratio_is_zero(factor)) continue;
        for (size_t c = 0; c < s->columns; c++)
            s->row[r][c] = qkv__ratio_subtract(
                algebra, s->row[r][c], qkv__ratio_multiply(algebra, factor, s->row[row][c]));
        s->right[r] = qkv__vector_subtract(space, s->right[r],
                                           qkv__vector_scale(space, s->right[row], factor));
        if (s->right[r] == NULL) return false;
    }
    return s->right[row] != NULL;
}

/* An entry at or below `row`, in a column that is not used yet, to divide by. */
static bool find_pivot(qkv__algebra *algebra, const qkv__system *s, size_t row, const bool *used,
                       size_t *at_row, size_t *at_column)
{
    for (size_t i = 0; i < s->columns; i++)
        for (size_t r = row; r < s->rows; r++) {
            size_t c = (row + i) % s->columns; /* the diagonal first */
            if (used[c] || !qkv__ratio_is_invertible(algebra, s->row[r][c])) continue;
            *at_row = r;
            *at_column = c;
            return true;
        }
    return false;
}

/* What is left below the last pivot must be 0 = 0. */
static bool is_consistent(const qkv__system *s, size_t rank)
{
    for (size_t r = rank; r < s->rows; r++) {
        for (size_t c = 0; c < s->columns; c++)
            if (!qkv__ratio_is_zero(s->row[r][c])) return false;
        if (s->right[r] == NULL || s->right[r]->count > 0) return false;
    }
    return true;
}

bool qkv__system_solve(qkv__space *space, qkv__system *s, const qkv__vector **solution)
{
    bool used[QKV__TOKENS] = {false};
    size_t pivot[QKV__TOKENS], rank = 0, row, column;
    while (rank < s->rows && find_pivot(space->algebra, s, rank, used, &row, &column)) {
        exchange_rows(s, rank, row);
        if (!eliminate(space, s, rank, column)) return false;
        used[column] = true;
        pivot[rank++] = column;
    }
    if (!is_consistent(s, rank)) return false;
    for (size_t c = 0; c < s->columns; c++) solution[c] = qkv__vector_zero(space);
    for (size_t r = 0; r < rank; r++) solution[pivot[r]] = s->right[r];
    return true;
}

/* ---- Duals --------------------------------------------------------------------------- */

/* The vector divided by its product with x_i, if its products with the others are 0. */
static const qkv__vector *as_dual(qkv__space *space, const qkv__tokens *x, size_t i,
                                  const qkv__vector *vector)
{
    qkv__ratio own = qkv__vector_dot(space, vector, x->token[i]);
    if (!qkv__ratio_is_invertible(space->algebra, own)) return NULL;
    for (size_t j = 0; j < x->count; j++)
        if (j != i && !qkv__ratio_is_zero(qkv__vector_dot(space, vector, x->token[j]))) return NULL;
    return qkv__vector_scale(space, vector, inverse(space->algebra, own));
}

/* G c = e_i, with the tokens themselves as unknowns: d = sum_j c_j x_j. The right sides are
 * multiples of one token, which carries the number. */
static const qkv__vector *gram_dual(qkv__space *space, const qkv__tokens *x, size_t i)
{
    qkv__algebra *algebra = space->algebra;
    qkv__system *gram = qkv__arena_take(&algebra->arena, sizeof *gram);
    const qkv__vector *solution[QKV__TOKENS], *carrier = NULL, *dual = qkv__vector_zero(space);
    if (gram == NULL) return NULL;
    gram->rows = gram->columns = x->count;
    /* Any symbol serves as the unit in which the numbers on the right are counted. */
    if (x->token[i]->count > 0) {
        qkv__symbol symbol = x->token[i]->component[0].symbol;
        carrier = qkv__vector_symbol(space, symbol.family, symbol.member);
    }
    for (size_t r = 0; r < x->count; r++) {
        for (size_t c = 0; c < x->count; c++) {
            gram->row[r][c] = qkv__vector_dot(space, x->token[r], x->token[c]);
            if (qkv__ratio_is_lost(gram->row[r][c])) return NULL;
        }
        gram->right[r] = r == i ? carrier : qkv__vector_zero(space);
        if (gram->right[r] == NULL) return NULL;
    }
    if (carrier == NULL || !qkv__system_solve(space, gram, solution)) return NULL;
    for (size_t j = 0; j < x->count; j++) {
        qkv__ratio number = qkv__vector_factor(space, solution[j], carrier->component[0].symbol);
        dual = qkv__vector_add(space, dual, qkv__vector_scale(space, x->token[j], number));
    }
    return dual == NULL ? NULL : as_dual(space, x, i, dual);
}

const qkv__vector *qkv__tokens_dual(qkv__space *space, const qkv__tokens *x, size_t i)
{
    for (size_t n = 0; n < x->count; n++) {
        const qkv__vector *token = x->token[(i + n) % x->count];
        for (size_t c = 0; c < token->count; c++) {
            qkv__symbol symbol = token->component[c].symbol;
            if (symbol.member < 0) continue;
            const qkv__vector *dual =
                as_dual(space, x, i, qkv__vector_symbol(space, symbol.family, symbol.member));
            if (dual != NULL) return dual;
        }
    }
    const qkv__vector *dual = as_dual(space, x, i, x->token[i]);
    return dual != NULL ? dual : gram_dual(space, x, i);
}

/* ---- Outer products ------------------------------------------------------------------ */

/* vector = factor * simple, where simple has small whole coefficients, if that goes. */
static const qkv__vector *simplify(qkv__space *space, const qkv__vector *vector, qkv__ratio *factor)
{
    qkv__algebra *algebra = space->algebra;
    int64_t above = 0, below = 1;
    *factor = qkv__ratio_whole(algebra, 1);
    if (vector == NULL || vector->count == 0) return vector;
    qkv__ratio first = vector->component[0].factor;
    for (size_t i = 0; i < vector->count; i++) {
        qkv__rational number;
        qkv__ratio quotient = qkv__ratio_divide(algebra, vector->component[i].factor, first);
        if (qkv__ratio_is_lost(quotient) || !qkv__ratio_is_constant(quotient, &number))
            return vector;
        above = qkv__common_divisor(above, number.numerator);
        below *= number.denominator / qkv__common_divisor(below, number.denominator);
        if (below > 1000000) return vector;
    }
    qkv__ratio common = qkv__ratio_multiply(
        algebra, first, qkv__ratio_constant(algebra, qkv__rational_make(above, below)));
    const qkv__vector *simple = qkv__vector_scale(space, vector, inverse(algebra, common));
    if (simple == NULL) return vector;
    *factor = common;
    return simple;
}

void qkv__outer_sum_add(qkv__space *space, qkv__outer_sum *sum, qkv__ratio factor,
                        const qkv__vector *left, const qkv__vector *right)
{
    qkv__algebra *algebra = space->algebra;
    qkv__ratio of_left, of_right;
    if (left == NULL || left->count == 0 || qkv__ratio_is_zero(factor)) return;
    right = simplify(space, right, &of_right);
    factor = qkv__ratio_multiply(algebra, factor, of_right);
    for (size_t i = 0; i < sum->count; i++)
        if (qkv__vector_equal(space, sum->right[i], right)) {
            left = qkv__vector_add(space, qkv__vector_scale(space, left, factor),
                                   qkv__vector_scale(space, sum->left[i], sum->factor[i]));
            sum->left[i] = simplify(space, left, &sum->factor[i]);
            return;
        }
    left = simplify(space, left, &of_left);
    sum->factor[sum->count] = qkv__ratio_multiply(algebra, factor, of_left);
    sum->left[sum->count] = left;
    sum->right[sum->count++] = right;
}

/* A vector as a factor of a product. */
static void write_vector(qkv__space *space, const qkv__vector *vector, qkv__text *text)
{
    qkv__rational one;
    bool bare = vector->count == 1 && qkv__ratio_is_constant(vector->component[0].factor, &one) &&
                one.numerator == 1 && one.denominator == 1;
    if (!bare) qkv__text_append(text, "(", 1);
    qkv__vector_write(space, vector, text);
    if (!bare) qkv__text_append(text, ")", 1);
}

static void write_outer(qkv__space *space, const qkv__outer_sum *sum, size_t i, qkv__text *text)
{
    write_vector(space, sum->left[i], text);
    qkv__text_append(text, "*", 1);
    write_vector(space, sum->right[i], text);
    qkv__text_append(text, "'", 1);
}

/* What can be written below a line of a factor: whole numbers and parameters. 1 for a lost one. */
static qkv__term part_below(const qkv__form *form)
{
    qkv__term below = {.coefficient = qkv__rational_whole(1)};
    for (size_t i = 0; form != NULL && i < form->count; i++) {
        int64_t more = form->term[i].coefficient.denominator;
        int64_t so_far = below.coefficient.numerator;
        more /= qkv__common_divisor(so_far, more);
        if (more < 1000000 && so_far < 1000000)
            below.coefficient = qkv__rational_whole(so_far * more);
        for (int p = 0; p < QKV__PARAMETERS; p++)
            if (-form->term[i].power[p] > below.power[p])
                below.power[p] = (int16_t)-form->term[i].power[p];
    }
    return below;
}

static bool is_one(qkv__ratio ratio)
{
    qkv__rational number;
    return qkv__ratio_is_constant(ratio, &number) && number.numerator == 1 &&
           number.denominator == 1;
}

/* above*body/below; `many`: the body is a sum. */
static void write_scaled(qkv__space *space, qkv__ratio factor, const char *body, bool many,
                         qkv__text *text)
{
    qkv__algebra *algebra = space->algebra;
    if (qkv__ratio_is_lost(factor)) {
        qkv__text_append(text, "?", 1); /* which no reader takes for a matrix */
        return;
    }
    qkv__term term = part_below(factor.numerator);
    const qkv__form *below = qkv__form_term(algebra, &term);
    qkv__ratio above = qkv__ratio_multiply(algebra, factor, qkv__ratio_of_form(algebra, below));
    if (qkv__ratio_is_lost(above)) {
        qkv__text_append(text, "?", 1);
        return;
    }
    const bool divided = !is_one(qkv__ratio_of_form(algebra, below)), plain = is_one(above);
    bool sum = !plain && above.numerator->count > 1;
    if (is_one(qkv__ratio_negate(algebra, above))) {
        qkv__text_append(text, "-", 1);
        many = true;
    } else if (!plain) {
        qkv__text_format(text, sum ? "(" : "");
        qkv__ratio_write(algebra, above, text);
        qkv__text_format(text, sum ? ")*" : "*");
    }
    bool open = many && (divided || !is_one(above));
    qkv__text_format(text, "%s%s%s", open ? "(" : "", body, open ? ")" : "");
    if (!divided) return;
    int factors = term.coefficient.numerator != 1;
    for (int p = 0; p < QKV__PARAMETERS; p++) factors += term.power[p] != 0;
    qkv__text_format(text, factors > 1 ? "/(" : "/");
    qkv__form_write(algebra, below, text);
    qkv__text_format(text, factors > 1 ? ")" : "");
}

/* Whether each factor is the first one or its negative. */
static bool have_one_factor(qkv__space *space, const qkv__outer_sum *sum, bool *minus)
{
    qkv__algebra *algebra = space->algebra;
    for (size_t i = 0; i < sum->count; i++) {
        minus[i] = !qkv__ratio_equal(algebra, sum->factor[i], sum->factor[0]);
        if (minus[i] &&
            !qkv__ratio_equal(algebra, qkv__ratio_negate(algebra, sum->factor[i]), sum->factor[0]))
            return false;
    }
    return true;
}

/* A factor that is written with a minus in front; a lost one is written as it is. */
static bool is_minus(qkv__ratio factor)
{
    if (qkv__ratio_is_lost(factor)) return false;
    for (size_t i = 0; i < factor.numerator->count; i++)
        if (qkv__rational_sign(factor.numerator->term[i].coefficient) > 0) return false;
    return true;
}

void qkv__outer_sum_write(qkv__space *space, const qkv__outer_sum *sum, qkv__text *text)
{
    bool minus[QKV__TOKENS * QKV__TOKENS];
    bool common = have_one_factor(space, sum, minus);
    qkv__text body = {0};
    if (sum->count == 0) qkv__text_format(text, "0*I");
    for (size_t i = 0; i < sum->count; i++) {
        if (common) {
            if (i > 0) qkv__text_format(&body, minus[i] ? " - " : " + ");
            write_outer(space, sum, i, &body);
            continue;
        }
        qkv__text one = {0};
        qkv__ratio factor = sum->factor[i];
        bool turned = i > 0 && is_minus(factor);
        if (turned) factor = qkv__ratio_negate(space->algebra, factor);
        write_outer(space, sum, i, &one);
        if (i > 0) qkv__text_format(text, turned ? " - " : " + ");
        write_scaled(space, factor, one.data == NULL ? "?" : one.data, false, text);
        qkv__text_free(&one);
    }
    if (common && sum->count > 0)
        write_scaled(space, sum->factor[0], body.data == NULL ? "?" : body.data, sum->count > 1,
                     text);
    qkv__text_free(&body);
}
