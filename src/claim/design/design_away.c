/*
 * Targets that stay out of reach for all that the parameters may be: a component of a difference
 * that keeps away from 0, the weight that the key of the largest score is sure of, or a functional
 * that separates the target from the convex hull of the values. Knows values and signs; nothing of
 * what was tried before.
 */
#include <assert.h>
#include <string.h>

#include "claim/design/design_part.h"

enum { DIRECTIONS = 6 };

/* ---- Away from the target ------------------------------------------------------------------ */

/*
 * Whether a polynomial of degree 2 is a sum of squares, whatever its variables: as z'Mz over
 * z = (1, x, y, ...) its matrix is positive semidefinite, by exact elimination.
 */
static bool is_sum_of_squares(const qkv__form *form)
{
    enum { MOST = 8 };
    int variable[MOST] = {-1};
    qkv__rational m[MOST][MOST];
    size_t count = 1;
    for (size_t i = 0; i < MOST * MOST; i++) m[i / MOST][i % MOST] = qkv__rational_whole(0);
    for (size_t t = 0; form != NULL && t < form->count; t++) {
        const qkv__term *term = &form->term[t];
        size_t at[2] = {0, 0}, degree = 0;
        if (term->exponent != NULL) return false;
        for (int p = 0; p < QKV__PARAMETERS; p++) {
            if (term->power[p] == 0) continue;
            if (term->power[p] != 2 && term->power[p] != 4) return false;
            size_t v = 1;
            while (v < count && variable[v] != p) v++;
            if (v == MOST) return false;
            if (v == count) variable[count++] = p;
            for (int times = 0; times < term->power[p] / 2; times++) {
                if (degree == 2) return false;
                at[degree++] = v;
            }
        }
        qkv__rational part = at[0] == at[1]
                                 ? term->coefficient
                                 : qkv__rational_divide(term->coefficient, qkv__rational_whole(2));
        m[at[0]][at[1]] = m[at[1]][at[0]] = part;
    }
    for (size_t k = count; form != NULL && k-- > 0;) { /* the last variable first */
        if (qkv__rational_is_lost(m[k][k]) || qkv__rational_sign(m[k][k]) < 0) return false;
        for (size_t i = 0; i < k; i++) {
            if (qkv__rational_is_zero(m[k][k])) {
                if (!qkv__rational_is_zero(m[i][k])) return false;
                continue;
            }
            qkv__rational factor = qkv__rational_divide(m[i][k], m[k][k]);
            for (size_t j = 0; j < k; j++)
                m[i][j] = qkv__rational_subtract(m[i][j], qkv__rational_multiply(factor, m[k][j]));
        }
    }
    return form != NULL;
}

/* Whether a ratio is nowhere negative; powers that all terms share, and that are not negative, are
 * taken out first. */
static bool is_nonnegative(qkv__design_task *task, qkv__ratio ratio)
{
    qkv__algebra *algebra = &task->model->algebra;
    qkv__term common = {.coefficient = {1, 1}};
    if (qkv__ratio_is_lost(ratio)) return false;
    const qkv__form *form = ratio.numerator;
    for (int p = 0; form->count > 0 && p < (int)algebra->parameter_count; p++) {
        const qkv__bound *lower = &algebra->parameter[p].lower;
        int16_t least = form->term[0].power[p];
        for (size_t t = 1; t < form->count; t++)
            if (form->term[t].power[p] < least) least = form->term[t].power[p];
        bool positive = lower->known && qkv__rational_sign(lower->value) >= 0;
        if (least > 0 && (positive || least % 4 == 0)) common.power[p] = least;
    }
    ratio.numerator = qkv__form_divide_by_term(algebra, form, &common);
    if (ratio.numerator == NULL) return false;
    if (qkv__form_sign(algebra, ratio.denominator) == QKV__SIGN_POSITIVE &&
        is_sum_of_squares(ratio.numerator))
        return true;
    qkv__sign sign = qkv__design_sign(task, ratio);
    return sign == QKV__SIGN_POSITIVE || sign == QKV__SIGN_NONNEGATIVE || sign == QKV__SIGN_ZERO;
}

/* A bound of some size that a number keeps from 0 on the side `sign`: 1 positive, -1 negative. */
static bool keeps_away(qkv__design_task *task, qkv__ratio number, int sign, qkv__rational *bound)
{
    static const int64_t parts[] = {1, 2, 3, 4, 10, 100, 1000};
    qkv__algebra *algebra = &task->model->algebra;
    if (sign < 0) number = qkv__ratio_negate(algebra, number);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        *bound = qkv__rational_make(1, parts[i]);
        if (is_nonnegative(
                task, qkv__ratio_subtract(algebra, number, qkv__ratio_constant(algebra, *bound))))
            return true;
    }
    return false;
}

/* What stands against a target: the difference of the sides, and the attention behind it. */
typedef struct difference_of {
    const qkv__vector *vector; /* X - T; NULL for numbers */
    qkv__ratio number;
    const qkv__attention *attention; /* X, where it is known */
    const qkv__vectors *values;
    const qkv__vector *target;
} difference_of;

static bool read_difference(qkv__design_task *task, const qkv__node *node, const qkv__value *values,
                            difference_of *d)
{
    assert(node->kind == QKV__NODE_COMPARE);
    qkv__value x, y;
    qkv__ratio a, b;
    const qkv__vector *u;
    *d = (difference_of){.vector = NULL};
    if (!qkv__design_evaluate_with(task, node->child[0], values, &x) ||
        !qkv__design_evaluate_with(task, node->child[1], values, &y))
        return false;
    if (qkv__value_as_ratio(&x, &a) && qkv__value_as_ratio(&y, &b)) {
        d->number =
            qkv__design_fixed(task->model, qkv__ratio_subtract(&task->model->algebra, a, b));
        return !qkv__ratio_is_lost(d->number);
    }
    if (!qkv__value_as_vector(&x, &u) || !qkv__value_as_vector(&y, &d->target)) return false;
    d->vector = qkv__design_fixed_vector(task->model,
                                         qkv__vector_subtract(&task->model->space, u, d->target));
    if (x.kind == QKV__VALUE_RESULT && x.result->head_count == 0) {
        d->attention = x.result->row[0];
        d->values = x.result->values;
        bool whole = d->values != NULL && d->values->set->mark_count == d->attention->count;
        if (!whole || d->attention->score == NULL) d->attention = NULL;
    }
    return d->vector != NULL;
}

void qkv__design_write_range(const qkv__design_task *task, qkv__text *text)
{
    int parameter = qkv__parameter_find(&task->model->algebra, task->name[0]);
    const qkv__parameter *known = parameter < 0 ? NULL : &task->model->algebra.parameter[parameter];
    if (task->count > 1 || known == NULL || (!known->lower.known && !known->upper.known)) {
        qkv__text_format(text, "whatever %s", task->count == 1 ? task->name[0] : "they are");
        return;
    }
    qkv__text_format(text, "for ");
    if (known->lower.known) {
        qkv__design_rational_write(known->lower.value, text);
        qkv__text_format(text, known->lower.strict ? " < " : " <= ");
    }
    qkv__text_format(text, "%s", task->name[0]);
    if (known->upper.known) {
        qkv__text_format(text, known->upper.strict ? " < " : " <= ");
        qkv__design_rational_write(known->upper.value, text);
    }
}

static void write_bound(qkv__design_task *task, const char *what, qkv__rational bound)
{
    qkv__text text = {0};
    qkv__design_rational_write(bound, &text);
    qkv__text_format(&text, ", ");
    qkv__design_write_range(task, &text);
    if (!text.failed) qkv__design_say(task, "%s at least %s.", what, text.data);
    qkv__text_free(&text);
}

/* "The coefficient of u[a] differs from the target's by" */
static void explain_component(qkv__design_task *task, qkv__symbol symbol, qkv__rational bound)
{
    qkv__text text = {0};
    qkv__text_format(&text, "The coefficient of ");
    qkv__vector_write(&task->model->space,
                      qkv__vector_symbol(&task->model->space, symbol.family, symbol.member), &text);
    qkv__text_format(&text, " differs from the target's by");
    if (!text.failed) write_bound(task, text.data, bound);
    qkv__text_free(&text);
}

/* Vectors that may point anywhere are independent for some choice of them, not for every one. */
static void note_choice(qkv__design_task *task, const qkv__vector *vector)
{
    for (size_t i = 0; vector != NULL && i < vector->count; i++) {
        const qkv__family *family = vector->component[i].symbol.family;
        if (family->gram != QKV__GRAM_UNIFORM || family != vector->component[0].symbol.family)
            task->finding->uniform = false;
    }
}

static bool component_keeps_away(qkv__design_task *task, const difference_of *d)
{
    qkv__rational bound;
    if (d->vector == NULL) {
        if (!keeps_away(task, d->number, 1, &bound) && !keeps_away(task, d->number, -1, &bound))
            return false;
        write_bound(task, "The sides differ by", bound);
        return true;
    }
    for (size_t i = 0; i < d->vector->count; i++) {
        const qkv__component *part = &d->vector->component[i];
        if (part->symbol.member < 0 || !qkv__design_is_independent(task, part->symbol.family))
            continue;
        if (!keeps_away(task, part->factor, 1, &bound) &&
            !keeps_away(task, part->factor, -1, &bound))
            continue;
        explain_component(task, part->symbol, bound);
        note_choice(task, d->vector);
        return true;
    }
    return false;
}

/* A coefficient of value i minus that of the target. */
static qkv__ratio gap(qkv__design_task *task, const difference_of *d, size_t i, qkv__symbol symbol)
{
    qkv__space *space = &task->model->space;
    return qkv__design_fixed(
        task->model,
        qkv__ratio_subtract(space->algebra, qkv__vector_factor(space, d->values->mark[i], symbol),
                            qkv__vector_factor(space, d->target, symbol)));
}

/* The key whose score is the largest for all parameters has at least 1/m of the weight. */
static size_t largest_key(qkv__design_task *task, const difference_of *d)
{
    for (size_t j = 0; j < d->attention->count; j++) {
        bool largest = !qkv__ratio_is_zero(d->attention->weight[j]); /* masked */
        for (size_t i = 0; i < d->attention->count && largest; i++)
            largest =
                i == j ||
                is_nonnegative(task, qkv__design_fixed(
                                         task->model, qkv__ratio_subtract(&task->model->algebra,
                                                                          d->attention->score[j],
                                                                          d->attention->score[i])));
        if (largest) return j;
    }
    return d->attention->count;
}

/* All values lie on one side of the target along a symbol, and the value of the largest key by a
 * bound: so does the output, by that bound over the number of keys. */
static bool largest_key_keeps_away(qkv__design_task *task, const difference_of *d)
{
    if (d->vector == NULL || d->attention == NULL) return false;
    size_t key = largest_key(task, d), count = d->attention->count;
    for (size_t c = 0; key < count && c < d->vector->count; c++) {
        qkv__symbol symbol = d->vector->component[c].symbol;
        if (symbol.member < 0 || !qkv__design_is_independent(task, symbol.family)) continue;
        for (int sign = 1; sign >= -1; sign -= 2) {
            qkv__rational bound;
            bool good = keeps_away(task, gap(task, d, key, symbol), sign, &bound);
            for (size_t i = 0; i < count && good; i++)
                good = is_nonnegative(
                    task, qkv__ratio_multiply(&task->model->algebra, gap(task, d, i, symbol),
                                              qkv__ratio_whole(&task->model->algebra, sign)));
            bound = qkv__rational_divide(bound, qkv__rational_whole((int64_t)count));
            if (!good || qkv__rational_is_lost(bound)) continue;
            qkv__design_say(task, "Key %s has the largest score, so at least 1/%zu of the weight.",
                            d->values->set->mark[key], count);
            explain_component(task, symbol, bound);
            note_choice(task, d->vector);
            return true;
        }
    }
    return false;
}

/* A sum of some coefficients, each with a sign: base 3, digit 1 for none. */
typedef struct functional {
    size_t count, used;
    qkv__symbol symbol[DIRECTIONS];
    int sign[DIRECTIONS];
    qkv__rational bound; /* by which it is larger for every value than for the target */
} functional;

static void set_signs(functional *w, unsigned code)
{
    w->used = 0;
    for (size_t c = 0; c < w->count; c++, code /= 3) {
        w->sign[c] = (int)(code % 3) - 1;
        w->used += w->sign[c] != 0;
    }
}

/* The least bound over all values; false when it is not positive for one of them. */
static bool exceeds(qkv__design_task *task, const difference_of *d, functional *w)
{
    qkv__algebra *algebra = &task->model->algebra;
    w->bound = QKV__RATIONAL_LOST;
    for (size_t i = 0; i < d->attention->count; i++) {
        qkv__ratio sum = qkv__ratio_whole(algebra, 0);
        qkv__rational bound;
        for (size_t c = 0; c < w->count; c++)
            sum = qkv__ratio_add(algebra, sum,
                                 qkv__ratio_multiply(algebra, qkv__ratio_whole(algebra, w->sign[c]),
                                                     gap(task, d, i, w->symbol[c])));
        if (qkv__ratio_sign(algebra, sum) != QKV__SIGN_POSITIVE ||
            !keeps_away(task, sum, 1, &bound))
            return false;
        if (qkv__rational_is_lost(w->bound) || qkv__rational_compare(bound, w->bound) < 0)
            w->bound = bound;
    }
    return !qkv__rational_is_lost(w->bound);
}

/* Symbols that the difference is made of; false when one is not independent. */
static bool read_symbols(qkv__design_task *task, const difference_of *d, functional *w)
{
    *w = (functional){.count = 0};
    if (d->vector == NULL || d->attention == NULL) return false;
    for (size_t c = 0; c < d->vector->count; c++) {
        qkv__symbol symbol = d->vector->component[c].symbol;
        if (w->count == DIRECTIONS || symbol.member < 0 ||
            !qkv__design_is_independent(task, symbol.family))
            return false;
        w->symbol[w->count++] = symbol;
    }
    return w->count > 0;
}

/* bound/sqrt(used) is, times the common norm of the symbols, a distance. */
static bool is_farther(const functional *x, const functional *y)
{
    double a = qkv__rational_approximate(x->bound), b = qkv__rational_approximate(y->bound);
    return a * a / (double)x->used > b * b / (double)y->used;
}

static void explain_hull(qkv__design_task *task, const functional *w)
{
    qkv__space *space = &task->model->space;
    const qkv__family *family = w->symbol[0].family;
    const qkv__vector *direction = qkv__vector_zero(space);
    qkv__text text = {0};
    bool right_angles = family->gram == QKV__GRAM_UNIFORM;
    for (size_t c = 0; c < w->count; c++) {
        direction = qkv__vector_add(
            space, direction,
            qkv__vector_scale(space,
                              qkv__vector_symbol(space, w->symbol[c].family, w->symbol[c].member),
                              qkv__ratio_whole(space->algebra, w->sign[c])));
        right_angles = right_angles && w->symbol[c].family == family;
    }
    qkv__text_format(&text, "For any weights the output exceeds the target along ");
    qkv__design_vector_write(task, direction, &text);
    qkv__text_format(&text, ", in coefficients, by");
    if (!text.failed) write_bound(task, text.data, w->bound);
    qkv__text_free(&text);
    if (!right_angles) return;
    qkv__rational square = qkv__rational_divide(qkv__rational_multiply(w->bound, w->bound),
                                                qkv__rational_whole((int64_t)w->used));
    qkv__text_format(&text, "The square of the distance is at least ");
    qkv__ratio_write(space->algebra,
                     qkv__ratio_multiply(space->algebra, family->same,
                                         qkv__ratio_constant(space->algebra, square)),
                     &text);
    if (!text.failed && !qkv__rational_is_lost(square)) qkv__design_say(task, "%s.", text.data);
    qkv__text_free(&text);
}

/* A functional that is larger by a bound for every value than for the target: the target is outside
 * of the hull, for any weights. The one that shows the largest distance is told. */
static bool outside_hull(qkv__design_task *task, const difference_of *d)
{
    functional w, best = {.count = 0};
    bool found = false;
    unsigned all = 1;
    if (!read_symbols(task, d, &w)) return false;
    for (size_t c = 0; c < w.count; c++) all *= 3;
    for (unsigned code = 0; code < all; code++) {
        set_signs(&w, code);
        if (w.used == 0 || !exceeds(task, d, &w)) continue;
        if (!found || is_farther(&w, &best)) best = w;
        found = true;
    }
    if (found) {
        explain_hull(task, &best);
        note_choice(task, d->vector);
    }
    return found;
}

/* A difference of two numbers that is larger than a tolerance. */
static bool beyond_tolerance(qkv__design_task *task, const difference_of *d)
{
    qkv__algebra *algebra = &task->model->algebra;
    if (d->vector != NULL) return false;
    qkv__sign above =
        qkv__design_sign(task, qkv__ratio_subtract(algebra, d->number, task->tolerance));
    qkv__sign below = qkv__design_sign(task, qkv__ratio_add(algebra, d->number, task->tolerance));
    if (above != QKV__SIGN_POSITIVE && below != QKV__SIGN_NEGATIVE) return false;
    qkv__text text = {0};
    qkv__design_write_range(task, &text);
    if (!text.failed)
        qkv__design_say(task, "The sides differ by more than the tolerance, %s.", text.data);
    qkv__text_free(&text);
    return true;
}

bool qkv__design_keeps_away(qkv__design_task *task, const qkv__node *node, const qkv__value *values)
{
    difference_of d;
    if (!read_difference(task, node, values, &d)) return false;
    if (task->has_tolerance) return beyond_tolerance(task, &d);
    return outside_hull(task, &d) || largest_key_keeps_away(task, &d) ||
           component_keeps_away(task, &d);
}
