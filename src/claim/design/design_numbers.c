/*
 * Queries for keys given as numbers. Weights w on a set S of keys, and 0 elsewhere, are the limit
 * of attention at g q0 + q1 if and only if q0 has one score on S and less elsewhere, and q1 has the
 * scores ln w on S up to a constant. The first is a linear program, asked of the lab; its direction
 * is rounded to small rationals and checked exactly. The second is exact linear algebra, since the
 * logarithms of primes are independent over the rationals. Knows weights and coordinates.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "ball/enclosure.h"
#include "claim/design/design_part.h"
#include "claim/model/listed.h"
#include "exact/echelon.h"
#ifdef QKV_HAVE_LAB
#include "reach/reach.h"
#endif

/* Which keys have a weight. */
typedef struct members_of {
    size_t count;
    size_t key[QKV__DESIGN_KEYS];
    bool in[QKV__DESIGN_KEYS];
    bool uniform;
} members_of;

static bool read_members(const qkv__design_head *head, const qkv__design_weights *weights,
                         members_of *members)
{
    qkv__rational first = {0, 1}, value;
    *members = (members_of){.uniform = true};
    for (size_t i = 0; i < head->count; i++) {
        if (!qkv__ratio_is_constant(weights->weight[i], &value)) return false;
        members->in[i] = qkv__rational_sign(value) > 0;
        if (!members->in[i]) continue;
        if (members->count == 0) first = value;
        members->uniform = members->uniform && qkv__rational_compare(first, value) == 0;
        members->key[members->count++] = i;
    }
    return members->count > 0;
}

static qkv__rational at(const qkv__design_head *head, size_t key, size_t column)
{
    return head->coordinate[key * QKV__DESIGN_WIDTH + column];
}

/* ---- Sentences ----------------------------------------------------------------------------- */

/* "2*k[1] + k[3]": the keys with a positive (or negative) multiplier. */
static void write_side(qkv__design_task *task, const qkv__design_head *head,
                       const qkv__rational *multiplier, int sign, bool powers, qkv__text *text)
{
    bool first = true;
    for (size_t i = 0; i < head->count; i++) {
        if (qkv__rational_sign(multiplier[i]) != sign) continue;
        qkv__rational size = sign < 0 ? qkv__rational_negate(multiplier[i]) : multiplier[i];
        bool one = size.numerator == 1 && size.denominator == 1;
        qkv__text_format(text, "%s", first ? "" : powers ? "*" : " + ");
        first = false;
        if (!powers && !one) {
            qkv__design_rational_write(size, text);
            qkv__text_format(text, "*");
        }
        if (powers)
            qkv__text_format(text, "weight[%s]", head->keys->set->mark[i]);
        else
            qkv__design_key_write(task, head, i, text);
        if (powers && !one) {
            qkv__text_format(text, size.denominator == 1 ? "^" : "^(");
            qkv__design_rational_write(size, text);
            qkv__text_format(text, size.denominator == 1 ? "" : ")");
        }
    }
}

/* Multipliers c with sum c_i = 0 and sum c_i k_i = 0: product weight_i^c_i = 1 for every query. */
static void explain_dependency(qkv__design_task *task, const qkv__design_head *head,
                               const qkv__rational *multiplier)
{
    qkv__text text = {0};
    qkv__text_format(&text, "Since ");
    write_side(task, head, multiplier, 1, false, &text);
    qkv__text_format(&text, " = ");
    write_side(task, head, multiplier, -1, false, &text);
    qkv__text_format(&text, ", every query has ");
    write_side(task, head, multiplier, 1, true, &text);
    qkv__text_format(&text, " = ");
    write_side(task, head, multiplier, -1, true, &text);
    qkv__text_format(&text, ", which the wanted weights break.");
    if (!text.failed) qkv__design_say(task, "%s", text.data);
    qkv__text_free(&text);
}

/* The query in coordinates: beta*[1, -1], or [beta + ln(2), 0]; else as a combination. */
static void write_query(qkv__design_task *task, const qkv__design_head *head,
                        const qkv__vector *query, const qkv__rational *direction)
{
    qkv__text *text = &task->finding->found;
    int width = (int)qkv__model_list_width(task->model, false);
    for (size_t c = 0; c < head->width; c++)
        if (head->axis[c] + 1 > width) width = head->axis[c] + 1;
    if (!head->family->axis) {
        qkv__vector_write(&task->model->space, query, text);
        return;
    }
    qkv__ratio below = qkv__ratio_multiply(&task->model->algebra, head->scale, head->square);
    qkv__rational factor;
    bool plain = direction != NULL && qkv__ratio_is_constant(below, &factor);
    if (plain) qkv__text_format(text, "%s*", task->model->algebra.parameter[task->growth].name);
    for (int i = 0; i < width; i++) {
        qkv__text_format(text, i == 0 ? "[" : ", ");
        size_t column = 0;
        while (column < head->width && head->axis[column] != i) column++;
        if (!plain)
            qkv__ratio_write(
                &task->model->algebra,
                qkv__vector_factor(&task->model->space, query, (qkv__symbol){head->family, i}),
                text);
        else
            qkv__design_rational_write(column == head->width
                                           ? qkv__rational_whole(0)
                                           : qkv__rational_divide(direction[column], factor),
                                       text);
    }
    qkv__text_format(text, "]");
}

/* ---- Weights on the members ---------------------------------------------------------------- */

static qkv__ratio logarithm(qkv__design_task *task, qkv__ratio weight)
{
    qkv__rational value;
    if (!qkv__ratio_is_constant(weight, &value)) return (qkv__ratio){NULL, NULL};
    return qkv__ratio_of_form(&task->model->algebra,
                              qkv__form_logarithm(&task->model->algebra, value));
}

/*
 * Every c with sum c_i = 0, sum c_i k_i = 0 over the members must have sum c_i ln w_i = 0. Returns
 * 1 when all have, 0 with such a c in `multiplier` when one has not, -1 when a number is lost.
 */
static int weights_fit(qkv__design_task *task, const qkv__design_head *head,
                       const members_of *members, const qkv__design_weights *weights,
                       qkv__rational *multiplier)
{
    qkv__algebra *algebra = &task->model->algebra;
    size_t rows = head->width + 1, columns = members->count;
    qkv__rational *matrix = qkv__arena_array(&algebra->arena, rows * columns, sizeof *matrix);
    int pivot[QKV__DESIGN_KEYS];
    if (matrix == NULL) return -1;
    for (size_t c = 0; c < columns; c++) {
        for (size_t r = 0; r < head->width; r++)
            matrix[r * columns + c] = at(head, members->key[c], r);
        matrix[head->width * columns + c] = qkv__rational_whole(1);
    }
    if (qkv__echelon_reduce(algebra, matrix, rows, columns, pivot, NULL) < 0) return -1;
    for (size_t free = 0; free < columns; free++) {
        if (pivot[free] >= 0) continue;
        qkv__ratio sum = qkv__ratio_whole(algebra, 0);
        for (size_t i = 0; i < head->count; i++) multiplier[i] = qkv__rational_whole(0);
        for (size_t c = 0; c < columns; c++) {
            qkv__rational value = qkv__rational_whole(c == free);
            if (pivot[c] >= 0)
                value = qkv__rational_negate(matrix[(size_t)pivot[c] * columns + free]);
            multiplier[members->key[c]] = value;
            sum = qkv__ratio_add(
                algebra, sum,
                qkv__ratio_multiply(algebra, qkv__ratio_constant(algebra, value),
                                    logarithm(task, weights->weight[members->key[c]])));
        }
        if (qkv__ratio_is_lost(sum)) return -1;
        if (!qkv__ratio_is_zero(sum)) return 0;
    }
    return 1;
}

/* q1: the scores ln w_i - ln w_first on the members; free coordinates are 0. */
static bool solve_offset(qkv__design_task *task, const qkv__design_head *head,
                         const members_of *members, const qkv__design_weights *weights,
                         qkv__ratio *offset)
{
    qkv__algebra *algebra = &task->model->algebra;
    size_t rows = members->count - 1, columns = head->width;
    qkv__rational *matrix = qkv__arena_array(&algebra->arena, rows * columns + 1, sizeof *matrix);
    qkv__ratio *right = qkv__arena_array(&algebra->arena, rows + 1, sizeof *right);
    int pivot[QKV__DESIGN_WIDTH];
    if (matrix == NULL || right == NULL) return false;
    for (size_t r = 0; r < rows; r++) {
        size_t key = members->key[r + 1], first = members->key[0];
        for (size_t c = 0; c < columns; c++)
            matrix[r * columns + c] = qkv__rational_subtract(at(head, key, c), at(head, first, c));
        /* One after the other: the order in which logarithms are made is that in which they are
         * written, and compilers differ in which argument they take first. */
        qkv__ratio base = logarithm(task, weights->weight[first]);
        right[r] = qkv__ratio_subtract(algebra, logarithm(task, weights->weight[key]), base);
        if (qkv__ratio_is_lost(right[r])) return false;
    }
    if (qkv__echelon_reduce(algebra, matrix, rows, columns, pivot, right) < 0) return false;
    for (size_t c = 0; c < columns; c++)
        offset[c] = pivot[c] < 0 ? qkv__ratio_whole(algebra, 0) : right[pivot[c]];
    return true;
}

/* ---- The direction ------------------------------------------------------------------------- */

/* What was found out about the direction q0. */
typedef struct direction_of {
    int outcome; /* 1 found, 0 there is none, -1 not known */
    bool seems;  /* found, up to rounding alone */
    qkv__rational direction[QKV__DESIGN_WIDTH];
    double approximate[QKV__DESIGN_WIDTH];
    qkv__rational multiplier[QKV__DESIGN_KEYS]; /* 0: the certificate, where `certified` */
    bool certified;
    double ceiling;
    char text[256];
} direction_of;

/* One score on the members and strictly less elsewhere, exactly. */
static bool exposes(const qkv__design_head *head, const members_of *members,
                    const qkv__rational *direction)
{
    for (size_t i = 0; i < head->count; i++) {
        qkv__rational score = qkv__rational_whole(0);
        for (size_t c = 0; c < head->width; c++)
            score = qkv__rational_add(
                score, qkv__rational_multiply(
                           qkv__rational_subtract(at(head, i, c), at(head, members->key[0], c)),
                           direction[c]));
        if (qkv__rational_is_lost(score)) return false;
        if (members->in[i] ? qkv__rational_sign(score) != 0 : qkv__rational_sign(score) >= 0)
            return false;
    }
    return true;
}

/* Rounds the free coordinates of a direction; the others follow from equal scores. */
static bool round_direction(qkv__design_task *task, const qkv__design_head *head,
                            const members_of *members, direction_of *found)
{
    static const int64_t denominators[] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 100, 1000, 1000000};
    qkv__algebra *algebra = &task->model->algebra;
    size_t rows = members->count - 1, columns = head->width;
    qkv__rational *matrix = qkv__arena_array(&algebra->arena, rows * columns + 1, sizeof *matrix);
    int pivot[QKV__DESIGN_WIDTH];
    double largest = 0.0;
    if (matrix == NULL) return false;
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < columns; c++)
            matrix[r * columns + c] = qkv__rational_subtract(at(head, members->key[r + 1], c),
                                                             at(head, members->key[0], c));
    if (qkv__echelon_reduce(algebra, matrix, rows, columns, pivot, NULL) < 0) return false;
    for (size_t c = 0; c < columns; c++)
        if (pivot[c] < 0) largest = fmax(largest, fabs(found->approximate[c]));
    if (!(largest > 0.0)) return false;
    for (size_t d = 0; d < sizeof denominators / sizeof denominators[0]; d++) {
        for (size_t c = 0; c < columns; c++)
            found->direction[c] =
                pivot[c] >= 0 ? qkv__rational_whole(0)
                              : qkv__rational_make((int64_t)round(found->approximate[c] / largest *
                                                                  (double)denominators[d]),
                                                   denominators[d]);
        for (size_t c = 0; c < columns; c++)
            for (size_t free = 0; pivot[c] >= 0 && free < columns; free++)
                if (pivot[free] < 0)
                    found->direction[c] = qkv__rational_subtract(
                        found->direction[c],
                        qkv__rational_multiply(matrix[(size_t)pivot[c] * columns + free],
                                               found->direction[free]));
        if (exposes(head, members, found->direction)) return true;
    }
    return false;
}

/* Multipliers from the lab, checked again exactly: sums 0, not negative off the members, and not
 * all 0 there. */
static bool check_multipliers(const qkv__design_head *head, const members_of *members,
                              const double *given, qkv__rational *multiplier)
{
    bool used = false;
    qkv__rational sum = qkv__rational_whole(0);
    if (given == NULL) return false;
    for (size_t i = 0; i < head->count; i++) {
        if (!(fabs(given[i]) < 0x1p53) || given[i] != floor(given[i])) return false;
        multiplier[i] = qkv__rational_whole((int64_t)given[i]);
        sum = qkv__rational_add(sum, multiplier[i]);
        if (members->in[i]) continue;
        if (given[i] < 0.0) return false;
        used = used || given[i] > 0.0;
    }
    for (size_t c = 0; c < head->width; c++) {
        qkv__rational total = qkv__rational_whole(0);
        for (size_t i = 0; i < head->count; i++)
            total = qkv__rational_add(total, qkv__rational_multiply(multiplier[i], at(head, i, c)));
        if (!qkv__rational_is_zero(total)) return false;
    }
    return used && qkv__rational_is_zero(sum);
}

#ifdef QKV_HAVE_LAB

/* Coordinates as whole numbers in doubles; false when they do not fit exactly. */
static bool whole_keys(qkv__design_task *task, const qkv__design_head *head, double **keys,
                       double *scale)
{
    int64_t common = 1;
    *keys = qkv__arena_array(&task->model->algebra.arena, head->count * head->width, sizeof **keys);
    if (*keys == NULL) return false;
    for (size_t i = 0; i < head->count; i++)
        for (size_t c = 0; c < head->width; c++) {
            /* common * denominator / gcd, by the denominator of common / denominator */
            qkv__rational part = qkv__rational_make(common, at(head, i, c).denominator);
            qkv__rational least = qkv__rational_multiply(qkv__rational_whole(common),
                                                         qkv__rational_whole(part.denominator));
            if (qkv__rational_is_lost(least)) return false;
            common = least.numerator;
        }
    for (size_t i = 0; i < head->count; i++)
        for (size_t c = 0; c < head->width; c++) {
            qkv__rational value =
                qkv__rational_multiply(at(head, i, c), qkv__rational_whole(common));
            if (qkv__rational_is_lost(value) || value.denominator != 1 ||
                fabs((double)value.numerator) > 0x1p50)
                return false;
            (*keys)[i * head->width + c] = (double)value.numerator;
        }
    *scale = (double)common;
    return true;
}

static void ask_lab(qkv__design_task *task, const qkv__design_head *head, const members_of *members,
                    direction_of *found)
{
    double *keys, scale;
    qkv__reach_answer answer = {0};
    qkv_error error;
    found->outcome = -1;
    found->ceiling = 1.0;
    if (!whole_keys(task, head, &keys, &scale)) return;
    qkv__reach_problem problem = {head->count, head->width, keys};
    qkv_status status = members->count == 1
                            ? qkv__reach_copy(&problem, members->key[0],
                                              &task->model->algebra.arena, &answer, &error)
                            : qkv__reach_subset(&problem, members->count, members->key, NULL,
                                                &task->model->algebra.arena, &answer, &error);
    if (status != QKV_OK) return;
    if (answer.text != NULL) strncat(found->text, answer.text, sizeof found->text - 1);
    if (answer.status == QKV__REACH_IMPOSSIBLE) {
        found->outcome = 0;
        found->ceiling = answer.ceiling;
        found->certified = check_multipliers(head, members, answer.multipliers, found->multiplier);
    }
    found->seems = answer.status == QKV__REACH_SEEMS_REACHABLE;
    if (answer.query == NULL) return;
    for (size_t c = 0; c < head->width; c++) found->approximate[c] = answer.query[c];
    if ((answer.status == QKV__REACH_REACHABLE || found->seems) &&
        round_direction(task, head, members, found))
        found->outcome = 1;
}

/* The least growth for a leak of 1 %, as a sentence. */
static void explain_leak(qkv__design_task *task, const qkv__design_head *head,
                         const members_of *members, const qkv__rational *direction,
                         const double *offset)
{
    double *keys, scale, query[QKV__DESIGN_WIDTH], shift[QKV__DESIGN_WIDTH];
    qkv__reach_scale needed;
    qkv_error error;
    if (!whole_keys(task, head, &keys, &scale)) return;
    qkv__reach_problem problem = {head->count, head->width, keys};
    for (size_t c = 0; c < head->width; c++) {
        query[c] = qkv__rational_approximate(direction[c]) / scale;
        shift[c] = offset[c] / scale;
    }
    if (qkv__reach_leak(&problem, members->count, members->key, query, shift, 0.01, &needed,
                        &error) == QKV_OK)
        qkv__design_say(task, "All other keys keep at most 1 %% once %s is about %.4g.",
                        task->model->algebra.parameter[task->growth].name, needed.least);
}

#else

/* Without the lab a few simple directions are tried: the axes and the keys. */
static void ask_lab(qkv__design_task *task, const qkv__design_head *head, const members_of *members,
                    direction_of *found)
{
    found->outcome = -1;
    found->ceiling = 1.0;
    for (size_t i = 0; i < head->count + 2 * head->width && found->outcome < 0; i++) {
        for (size_t c = 0; c < head->width; c++)
            found->approximate[c] =
                i < head->count ? qkv__rational_approximate(at(head, i, c))
                                : ((i - head->count) / 2 == c) * ((i - head->count) % 2 ? -1 : 1);
        if (round_direction(task, head, members, found)) found->outcome = 1;
    }
    (void)check_multipliers;
}

static void explain_leak(qkv__design_task *task, const qkv__design_head *head,
                         const members_of *members, const qkv__rational *direction,
                         const double *offset)
{
    (void)task, (void)head, (void)members, (void)direction, (void)offset;
}

#endif

/* ---- Designs ------------------------------------------------------------------------------- */

/* (g q0 + q1)/(scale |axis|^2) as a vector. */
static const qkv__vector *assemble(qkv__design_task *task, const qkv__design_head *head,
                                   const qkv__rational *direction, const qkv__ratio *offset)
{
    qkv__space *space = &task->model->space;
    qkv__algebra *algebra = space->algebra;
    qkv__ratio below = qkv__ratio_multiply(algebra, head->scale, head->square);
    const qkv__vector *query = qkv__vector_zero(space);
    for (size_t c = 0; c < head->width; c++) {
        qkv__ratio entry = offset[c];
        if (direction != NULL)
            entry = qkv__ratio_add(
                algebra, entry,
                qkv__ratio_multiply(
                    algebra, qkv__ratio_constant(algebra, direction[c]),
                    qkv__ratio_of_form(algebra, qkv__form_parameter(algebra, task->growth))));
        query = qkv__vector_add(
            space, query,
            qkv__vector_scale(space, qkv__vector_symbol(space, head->family, head->axis[c]),
                              qkv__ratio_divide(algebra, entry, below)));
    }
    return query;
}

/* The shares of the other keys in a copy's certificate; how many there are, if all are equal. */
static int64_t read_shares(const qkv__design_head *head, size_t key, const direction_of *found,
                           qkv__rational *share)
{
    qkv__rational first = {0, 1};
    bool uniform = true;
    int64_t used = 0;
    if (!found->certified || qkv__rational_sign(found->multiplier[key]) >= 0) return -1;
    for (size_t i = 0; i < head->count; i++) {
        share[i] = qkv__rational_divide(found->multiplier[i],
                                        qkv__rational_negate(found->multiplier[key]));
        if (i == key || qkv__rational_is_zero(share[i])) continue;
        if (used++ == 0) first = share[i];
        uniform = uniform && qkv__rational_compare(first, share[i]) == 0;
    }
    return uniform ? used : 0;
}

/* m keys whose mean is the key: sum e^(s_i) >= m e^(s_key), so the weight is at most 1/(m + 1).
 * Else the lab's number, rounded up. */
static qkv__rational exact_ceiling(const qkv__design_head *head, size_t key,
                                   const direction_of *found)
{
    const double steps = 0x1p40;
    qkv__rational share[QKV__DESIGN_KEYS];
    int64_t mean_of = found->outcome == 0 ? read_shares(head, key, found, share) : -1;
    if (mean_of > 0) return qkv__rational_make(1, mean_of + 1);
    if (found->outcome != 0 || !(found->ceiling > 0.0 && found->ceiling < 1.0))
        return QKV__RATIONAL_LOST;
    return qkv__rational_make((int64_t)ceil(found->ceiling * steps), (int64_t)steps);
}

int qkv__design_can_copy(qkv__design_task *task, const qkv__design_head *head, size_t key,
                         const qkv__vector **query, qkv__rational *ceiling)
{
    direction_of found = {.outcome = -1};
    members_of members = {.count = 1, .key = {key}, .uniform = true};
    qkv__ratio none[QKV__DESIGN_WIDTH];
    members.in[key] = true;
    for (size_t c = 0; c < head->width; c++) none[c] = qkv__ratio_whole(&task->model->algebra, 0);
    if (head->count == 1) return -1;
    ask_lab(task, head, &members, &found);
    *ceiling = exact_ceiling(head, key, &found);
    if (found.outcome == 1 && task->growth < 0) return -1;
    if (found.outcome == 1) *query = assemble(task, head, found.direction, none);
    return found.outcome;
}

/* "k[2] = 1/2*k[1] + 1/2*k[3] lies in the hull of the others, so weight[2] <= 1/3". */
static void explain_copy(qkv__design_task *task, const qkv__design_head *head, size_t key,
                         const direction_of *found)
{
    qkv__rational share[QKV__DESIGN_KEYS] = {{0, 1}};
    int64_t mean_of = read_shares(head, key, found, share);
    if (mean_of < 0) {
        qkv__design_say(task, "%s.", found->text);
        return;
    }
    qkv__text text = {0};
    qkv__design_key_write(task, head, key, &text);
    qkv__text_format(&text, " = ");
    write_side(task, head, share, 1, false, &text);
    qkv__text_format(&text,
                     mean_of == 1 ? ", so weight[%s] <= "
                                  : " lies in the hull of the other keys, so weight[%s] <= ",
                     head->keys->set->mark[key]);
    if (mean_of > 0)
        qkv__text_format(&text, "1/%lld", (long long)mean_of + 1);
    else
        qkv__text_format(&text, "%.4f", ceil(found->ceiling * 1e4) / 1e4);
    qkv__text_format(&text, " for every query.");
    if (!text.failed) qkv__design_say(task, "%s", text.data);
    qkv__text_free(&text);
}

void qkv__design_refuse_copy(qkv__design_task *task, const qkv__design_demand *demand,
                             const qkv__design_weights *weights)
{
    direction_of found = {.outcome = -1};
    members_of members;
    if (!read_members(&demand->head, weights, &members) || members.count != 1) return;
    ask_lab(task, &demand->head, &members, &found);
    explain_copy(task, &demand->head, members.key[0], &found);
    qkv__design_refute(task, qkv__design_is_uniform(demand));
}

static double approximate(qkv__design_task *task, qkv__ratio ratio)
{
    qkv__box box;
    qkv__enclosure enclosure;
    if (!qkv__box_of_algebra(&task->model->algebra, &box) ||
        !qkv__ball_enclose(&task->model->algebra, ratio, &box, &enclosure))
        return 0.0;
    return 0.5 * (enclosure.lower + enclosure.upper);
}

static void refuse(qkv__design_task *task, const qkv__design_demand *demand,
                   const members_of *members, const direction_of *found)
{
    const qkv__design_head *head = &demand->head;
    if (members->count == 1)
        explain_copy(task, head, members->key[0], found);
    else if (found->certified)
        explain_dependency(task, head, found->multiplier);
    else
        qkv__design_say(task, "%s.", found->text);
    qkv__design_refute(task, qkv__design_is_uniform(demand));
}

/* Builds the query, checks it, and says so. */
static void deliver(qkv__design_task *task, const qkv__design_demand *demand,
                    const qkv__design_weights *weights, const members_of *members,
                    const direction_of *found)
{
    const qkv__design_head *head = &demand->head;
    qkv__ratio offset[QKV__DESIGN_WIDTH];
    double shift[QKV__DESIGN_WIDTH];
    const qkv__attention *attention;
    bool all = members->count == head->count, plain = true;
    if (!solve_offset(task, head, members, weights, offset)) {
        qkv__design_leave(task, "the query is beyond the exact engine");
        return;
    }
    for (size_t c = 0; c < head->width; c++) {
        plain = plain && qkv__ratio_is_zero(offset[c]);
        shift[c] = approximate(task, offset[c]);
    }
    const qkv__rational *direction = all ? NULL : found->direction;
    const qkv__vector *query = assemble(task, head, direction, offset);
    if (!qkv__design_reaches(task, demand, query, weights, all, &attention) ||
        !qkv__design_confirm(task, query, !all)) {
        qkv__design_leave(task, "the design could not be checked");
        return;
    }
    qkv__design_begin_found(task);
    write_query(task, head, query, plain ? direction : NULL);
    if (all)
        qkv__design_say(task, "This query gives the weights exactly.");
    else
        explain_leak(task, head, members, found->direction, shift);
    qkv__design_conclude(task, QKV__PROVED, "exact");
}

/* ---- Heads that share the keys among them --------------------------------------------------- */

/* A mean of h heads, each of which copies one key. */
static bool try_shares(qkv__design_task *task, const qkv__design_demand *demand,
                       const qkv__design_weights *weights)
{
    const qkv__design_head *head = &demand->head;
    qkv__value values[QKV__DESIGN_UNKNOWNS] = {0};
    const qkv__vector *query = NULL;
    qkv__rational ceiling;
    size_t used = 0;
    if (task->count != demand->heads) return false;
    for (size_t i = 0; i < head->count; i++) {
        qkv__rational part;
        if (!qkv__ratio_is_constant(weights->weight[i], &part)) return false;
        part = qkv__rational_multiply(part, qkv__rational_whole((int64_t)demand->heads));
        if (part.denominator != 1 || part.numerator + (int64_t)used > (int64_t)demand->heads)
            return false;
        if (part.numerator > 0 && qkv__design_can_copy(task, head, i, &query, &ceiling) != 1)
            return false;
        for (int64_t copies = 0; copies < part.numerator; copies++) {
            size_t unknown = 0;
            while (strcmp(task->name[unknown], demand->query[used]->text) != 0) unknown++;
            if (values[unknown].vector != NULL) return false; /* the same query in two heads */
            values[unknown] = qkv__value_vector(query);
            used++;
        }
    }
    if (used != demand->heads ||
        qkv__design_verify(task, task->proposition, values, true, true) != QKV__PROVED)
        return false;
    for (size_t i = 0; i < task->count; i++) {
        qkv__text_format(&task->finding->found,
                         "%s%s = ", task->finding->found.length > 0 ? "; " : "", task->name[i]);
        write_query(task, head, values[i].vector, NULL);
    }
    qkv__design_say(task, "Each head copies one key.");
    qkv__design_conclude(task, QKV__PROVED, "exact");
    return true;
}

/* ---- The question -------------------------------------------------------------------------- */

void qkv__design_numbers(qkv__design_task *task, const qkv__design_demand *demand,
                         const qkv__design_weights *weights, bool unique)
{
    const qkv__design_head *head = &demand->head;
    direction_of found = {.outcome = -1};
    members_of members;
    qkv__rational multiplier[QKV__DESIGN_KEYS];
    bool exact = true, some = false, single = demand->heads == 1;
    for (size_t i = 0; i < demand->count; i++) {
        exact = exact && demand->relation[i].comparison == QKV__EQUAL;
        some = some || demand->relation[i].comparison == QKV__EQUAL;
    }
    if (!read_members(head, weights, &members)) {
        qkv__design_leave(task, "weights that depend on parameters, for explicit keys");
        return;
    }
    bool all = members.count == head->count;
    if (some && !all) {
        if (exact && unique) {
            qkv__design_say(task, "A weight would have to be 0, and e^score is positive at every "
                                  "query.");
            qkv__design_refute(task, qkv__design_is_uniform(demand));
        } else {
            qkv__design_leave(task, "these weights are reached only in the limit");
        }
        return;
    }
    if (!single && try_shares(task, demand, weights)) return;
    int fit = weights_fit(task, head, &members, weights, multiplier);
    if (fit == 0 && unique && single) {
        explain_dependency(task, head, multiplier);
        qkv__design_refute(task, qkv__design_is_uniform(demand));
        return;
    }
    if (fit == 1 && !all && task->growth >= 0) ask_lab(task, head, &members, &found);
    if (fit == 1 && !all && found.outcome == 0 && unique && single)
        refuse(task, demand, &members, &found);
    else if (fit == 1 && (all || found.outcome == 1))
        deliver(task, demand, weights, &members, &found);
    else
        qkv__design_leave(task, "it is not known whether these keys can get such weights");
}
