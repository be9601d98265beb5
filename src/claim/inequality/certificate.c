/* A form as a sum of columns with factors that are not negative. A simplex method in floating point
 * says which columns to take; their factors are then solved for exactly, and the sum is formed and
 * compared with the goal: nothing rests on floating point. Knows forms alone. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "claim/inequality/inequality_part.h"
#include "exact/echelon.h"

enum { ROWS = 700, PIVOTS = 800, SUPPORT = 40 };

static const double SMALL = 1e-9;

/* One monomial a row. */
typedef struct program {
    size_t rows, columns;
    const qkv__term *monomial[ROWS];
    qkv__rational goal[ROWS];
    const qkv__column *column;
    int *row;      /* of each term of each column that is not dead, */
    size_t *first; /* column c's from here on */
    bool *dead;    /* one a column: cannot take part */
    size_t *place; /* columns that take part, by their place in the tableau */
    double *table; /* rows + 1 by columns + 1: the last row is the objective */
    size_t width;
    size_t basis[ROWS];
} program;

static int compare_monomials(const qkv__term *a, const qkv__term *b)
{
    int order = memcmp(a->power, b->power, sizeof a->power);
    if (order != 0 || (a->exponent == NULL && b->exponent == NULL)) return order;
    if (a->exponent == NULL || b->exponent == NULL) return a->exponent == NULL ? -1 : 1;
    return qkv__form_compare(a->exponent, b->exponent);
}

static int row_of(const program *p, const qkv__term *term)
{
    size_t low = 0, high = p->rows;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const int order = compare_monomials(term, p->monomial[middle]);
        if (order == 0) return (int)middle;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return -1;
}

static bool add_monomials(program *p, const qkv__form *form)
{
    for (size_t i = 0; i < form->count; i++) {
        size_t at = p->rows;
        if (row_of(p, &form->term[i]) >= 0) continue;
        if (p->rows == ROWS) return false;
        while (at > 0 && compare_monomials(&form->term[i], p->monomial[at - 1]) < 0) at--;
        memmove(&p->monomial[at + 1], &p->monomial[at], (p->rows - at) * sizeof p->monomial[0]);
        p->monomial[at] = &form->term[i];
        p->rows++;
    }
    return true;
}

/* Looks the rows of all terms up, once and for all. */
static bool find_rows(program *p)
{
    size_t terms = 0;
    for (size_t c = 0; c < p->columns; c++) {
        p->first[c] = terms;
        if (!p->dead[c]) terms += p->column[c].form->count;
    }
    p->row = qkv__allocate((terms + 1) * sizeof *p->row);
    for (size_t c = 0; p->row != NULL && c < p->columns; c++)
        for (size_t i = 0; !p->dead[c] && i < p->column[c].form->count; i++)
            p->row[p->first[c] + i] = row_of(p, &p->column[c].form->term[i]);
    return p->row != NULL;
}

/* Columns that nothing can make up for: in a monomial that the goal lacks, all signs are alike.
 * False: a monomial of the goal is in no column with its sign. */
static bool prune(program *p)
{
    bool changed = true;
    while (changed) {
        unsigned char signs[ROWS] = {0};
        changed = false;
        for (size_t c = 0; c < p->columns; c++) {
            const qkv__form *form = p->column[c].form;
            for (size_t i = 0; !p->dead[c] && i < form->count; i++)
                signs[p->row[p->first[c] + i]] |=
                    qkv__rational_sign(form->term[i].coefficient) > 0 ? 1 : 2;
        }
        for (size_t c = 0; c < p->columns; c++) {
            const qkv__form *form = p->column[c].form;
            for (size_t i = 0; !p->dead[c] && i < form->count; i++) {
                const int row = p->row[p->first[c] + i];
                const int goal = qkv__rational_sign(p->goal[row]);
                if ((goal == 0 && signs[row] != 3) || (goal > 0 && signs[row] == 2) ||
                    (goal < 0 && signs[row] == 1))
                    p->dead[c] = changed = true;
            }
        }
        for (size_t row = 0; !changed && row < p->rows; row++) {
            const int goal = qkv__rational_sign(p->goal[row]);
            if ((goal > 0 && !(signs[row] & 1)) || (goal < 0 && !(signs[row] & 2))) return false;
        }
    }
    return true;
}

static double approximate(qkv__rational x)
{
    return (double)x.numerator / (double)x.denominator;
}

/* The tableau with an artificial variable in each row: the objective is their sum. */
static void fill(program *p)
{
    const size_t last = p->width - 1;
    double *objective = p->table + p->rows * p->width;
    for (size_t place = 0; place < last; place++) {
        const qkv__form *form = p->column[p->place[place]].form;
        const int *row = p->row + p->first[p->place[place]];
        for (size_t i = 0; i < form->count; i++)
            p->table[(size_t)row[i] * p->width + place] = approximate(form->term[i].coefficient);
    }
    for (size_t row = 0; row < p->rows; row++) {
        double *entry = p->table + row * p->width;
        entry[last] = approximate(p->goal[row]);
        if (entry[last] < 0)
            for (size_t i = 0; i < p->width; i++) entry[i] = -entry[i];
        for (size_t i = 0; i < p->width; i++) objective[i] -= entry[i];
        p->basis[row] = SIZE_MAX;
    }
}

static void pivot(program *p, size_t row, size_t column)
{
    double *own = p->table + row * p->width;
    const double factor = own[column];
    for (size_t i = 0; i < p->width; i++) own[i] /= factor;
    for (size_t r = 0; r <= p->rows; r++) {
        double *other = p->table + r * p->width;
        const double times = other[column];
        if (r == row || times == 0) continue;
        for (size_t i = 0; i < p->width; i++) other[i] -= times * own[i];
        other[column] = 0;
    }
    p->basis[row] = column;
}

/* Pivots until the objective cannot fall. Artificial variables never come back. */
static bool minimise(program *p, double enough)
{
    const size_t last = p->width - 1;
    double *objective = p->table + p->rows * p->width;
    for (int n = 0; n < PIVOTS; n++) {
        size_t column = last, row = p->rows;
        double best = -SMALL;
        if (objective[last] >= enough) return true;
        for (size_t i = 0; i < last; i++) /* Bland's rule in the end, against cycles */
            if (objective[i] < best) {
                column = i;
                if (n > PIVOTS / 2) break;
                best = objective[i];
            }
        if (column == last) return true;
        double least = INFINITY;
        for (size_t r = 0; r < p->rows; r++) {
            const double entry = p->table[r * p->width + column];
            if (entry <= SMALL) continue;
            const double step = p->table[r * p->width + last] / entry;
            if (step < least - 1e-12) {
                least = step;
                row = r;
            }
        }
        if (row == p->rows) return false;
        pivot(p, row, column);
    }
    return false;
}

/* The objective becomes minus the sum of the factors of strict columns. */
static void ask_for_strict(program *p)
{
    double *objective = p->table + p->rows * p->width;
    memset(objective, 0, p->width * sizeof *objective);
    for (size_t i = 0; i + 1 < p->width; i++)
        if (p->column[p->place[i]].strict) objective[i] = -1;
    for (size_t row = 0; row < p->rows; row++) {
        const size_t basic = p->basis[row];
        if (basic == SIZE_MAX || !p->column[p->place[basic]].strict) continue;
        for (size_t i = 0; i < p->width; i++) objective[i] += p->table[row * p->width + i];
    }
}

/* The factors of the columns that the tableau chose, exactly, and the sum checked. */
static bool solve(qkv__algebra *algebra, program *p, const qkv__form *goal, bool strict,
                  qkv__rational *factor)
{
    size_t chosen[SUPPORT], count = 0;
    int at[SUPPORT + 1];
    bool is_strict = false;
    for (size_t row = 0; row < p->rows; row++) {
        if (p->basis[row] == SIZE_MAX || p->table[row * p->width + p->width - 1] < 1e-7) continue;
        if (count == SUPPORT) return false;
        chosen[count++] = p->place[p->basis[row]];
    }
    qkv__rational *matrix = qkv__allocate(p->rows * (count + 1) * sizeof *matrix);
    if (matrix == NULL) return false;
    for (size_t i = 0; i < p->rows * (count + 1); i++) matrix[i] = qkv__rational_whole(0);
    for (size_t c = 0; c < count; c++) {
        const qkv__form *form = p->column[chosen[c]].form;
        const int *row = p->row + p->first[chosen[c]];
        for (size_t i = 0; i < form->count; i++)
            matrix[(size_t)row[i] * (count + 1) + c] = form->term[i].coefficient;
    }
    for (size_t row = 0; row < p->rows; row++) matrix[row * (count + 1) + count] = p->goal[row];
    int rank = qkv__echelon_reduce(algebra, matrix, p->rows, count + 1, at, NULL);
    bool good = rank == (int)count && at[count] < 0;
    const qkv__form *sum = qkv__form_whole(algebra, 0);
    for (size_t c = 0; good && c < count; c++) {
        const qkv__rational value = matrix[(size_t)at[c] * (count + 1) + count];
        good = at[c] >= 0 && !qkv__rational_is_lost(value) && qkv__rational_sign(value) >= 0;
        if (!good) break;
        factor[chosen[c]] = value;
        is_strict = is_strict || (p->column[chosen[c]].strict && qkv__rational_sign(value) > 0);
        sum =
            qkv__form_add(algebra, sum, qkv__form_scale(algebra, p->column[chosen[c]].form, value));
    }
    qkv__free(matrix);
    return good && (is_strict || !strict) && qkv__form_equal(sum, goal);
}

static bool run(qkv__algebra *algebra, program *p, const qkv__form *goal, bool strict,
                qkv__rational *factor)
{
    size_t alive = 0;
    if (!prune(p)) return false;
    for (size_t c = 0; c < p->columns; c++)
        if (!p->dead[c]) p->place[alive++] = c;
    p->width = alive + 1;
    p->table = qkv__allocate((p->rows + 1) * p->width * sizeof *p->table);
    if (p->table == NULL) return false;
    memset(p->table, 0, (p->rows + 1) * p->width * sizeof *p->table);
    fill(p);
    bool good = minimise(p, -1e-9) && p->table[p->rows * p->width + p->width - 1] >= -1e-7;
    if (good && solve(algebra, p, goal, strict, factor)) return true;
    if (!good || !strict) return false;
    ask_for_strict(p);
    minimise(p, 1e-3); /* any gain will do */
    return solve(algebra, p, goal, strict, factor);
}

bool qkv__certificate_find(qkv__algebra *algebra, const qkv__form *goal, bool strict,
                           const qkv__column *column, size_t count, qkv__rational *factor)
{
    program *p = qkv__allocate(sizeof *p);
    if (p == NULL) return false;
    memset(p, 0, sizeof *p);
    p->column = column;
    p->columns = count;
    p->first = qkv__allocate((count + 1) * sizeof *p->first);
    p->dead = qkv__allocate((count + 1) * sizeof *p->dead);
    p->place = qkv__allocate((count + 1) * sizeof *p->place);
    bool good = p->first != NULL && p->dead != NULL && p->place != NULL && add_monomials(p, goal);
    for (size_t c = 0; good && c < count; c++) {
        factor[c] = qkv__rational_whole(0);
        p->dead[c] = !add_monomials(p, column[c].form); /* there is no room for it */
    }
    for (size_t row = 0; row < p->rows; row++) p->goal[row] = qkv__rational_whole(0);
    for (size_t i = 0; good && i < goal->count; i++)
        p->goal[row_of(p, &goal->term[i])] = goal->term[i].coefficient;
    good = good && find_rows(p) && run(algebra, p, goal, strict, factor);
    qkv__free(p->table);
    qkv__free(p->row);
    qkv__free(p->first);
    qkv__free(p->place);
    qkv__free(p->dead);
    qkv__free(p);
    return good;
}
