/* What a certificate may be made of: products of the facts that are known, as columns; and what it
 * says, in words and as a sum. certificate.c finds it. */
#include <string.h>

#include "base/memory.h"
#include "claim/inequality/inequality_part.h"
#include "claim/model/limits.h"

enum { COLUMNS = 1800 };

static bool add_column(qkv__inequality *q, qkv__column *column, size_t *count, const int *fact,
                       int degree)
{
    const qkv__form *form = qkv__form_whole(&q->algebra, 1);
    bool strict = true;
    if (*count == COLUMNS) return false;
    for (int i = 0; i < degree; i++) {
        form = qkv__form_multiply(&q->algebra, form, q->fact[fact[i]].form);
        strict = strict && q->fact[fact[i]].strict;
    }
    form = qkv__inequality_reduce(q, form);
    if (form == NULL || form->count == 0) return true;
    column[(*count)++] = (qkv__column){
        .form = form,
        .strict = strict,
        .fact = {degree > 0 ? fact[0] : -1, degree > 1 ? fact[1] : -1, degree > 2 ? fact[2] : -1}};
    return true;
}

/* Whether a fact says that a number of the goal is not negative, and nothing else. */
static bool is_part_of(const qkv__inequality *q, const qkv__form *fact, const qkv__form *goal)
{
    int degree = 0;
    bool inside = true;
    if (fact->count != 1 || fact->term[0].exponent != NULL) return false;
    for (size_t a = 0; a < q->algebra.parameter_count; a++)
        if (fact->term[0].power[a] != 0) {
            degree += fact->term[0].power[a];
            inside = inside && qkv__form_depends_on(goal, (int)a);
        }
    return inside && degree == 2; /* twice the power */
}

/* Facts one by one, and products of two: where there is no room for all of these, first those with
 * a number of the goal. */
static size_t fill_columns(qkv__inequality *q, const qkv__form *goal, int degree,
                           qkv__column *column)
{
    size_t count = 0;
    const int facts = (int)q->fact_count;
    const bool tight = facts + facts * (facts + 1) / 2 >= COLUMNS;
    bool first[QKV__INEQUALITY_FACTS] = {false};
    int at[3] = {0};
    add_column(q, column, &count, at, 0);
    for (at[0] = 0; at[0] < facts; at[0]++)
        if (!add_column(q, column, &count, at, 1)) return count;
    for (int i = 0; tight && i < facts; i++) first[i] = is_part_of(q, q->fact[i].form, goal);
    for (int round = tight ? 0 : 1; degree > 1 && round < 2; round++)
        for (at[0] = 0; at[0] < facts; at[0]++)
            for (at[1] = at[0]; at[1] < facts; at[1]++) {
                const bool early = first[at[0]] || first[at[1]];
                if (early == (round == 0) && !add_column(q, column, &count, at, 2)) return count;
            }
    return count;
}

bool qkv__inequality_has_exponent(const qkv__form *form, const qkv__form *exponent)
{
    for (size_t i = 0; i < form->count; i++)
        if (qkv__form_equal(form->term[i].exponent, exponent)) return true;
    return false;
}

/* Whether all that a fact speaks of occurs in a form. */
static bool is_within(const qkv__inequality *q, const qkv__form *fact, const qkv__form *form)
{
    for (size_t a = 0; a < q->algebra.parameter_count; a++)
        if (qkv__form_depends_on(fact, (int)a) && !qkv__form_depends_on(form, (int)a)) return false;
    for (size_t i = 0; i < fact->count; i++)
        if (fact->term[i].exponent != NULL &&
            !qkv__inequality_has_exponent(form, fact->term[i].exponent))
            return false;
    return true;
}

/* Products of three facts, of the few that speak of nothing but the goal's atoms. */
static size_t fill_near_columns(qkv__inequality *q, const qkv__form *goal, qkv__column *column)
{
    enum { NEAR = 16 };
    size_t count = 0;
    int near[NEAR] = {0}, nears = 0, at[3] = {0};
    for (int i = 0; i < (int)q->fact_count && nears < NEAR; i++)
        if (is_within(q, q->fact[i].form, goal)) near[nears++] = i;
    add_column(q, column, &count, at, 0);
    for (int i = 0; i < nears; i++)
        for (int j = i; j < nears; j++)
            for (int k = j; k < nears; k++) {
                at[0] = near[i];
                at[1] = near[j];
                at[2] = near[k];
                if (i == j && j == k) add_column(q, column, &count, at, 1);
                if (j == k) add_column(q, column, &count, at, 2);
                if (!add_column(q, column, &count, at, 3)) return count;
            }
    return count;
}

void qkv__inequality_say(qkv__text *reason, const char *label)
{
    if (reason->data != NULL && strstr(reason->data, label) != NULL) return;
    qkv__text_format(reason, "%s%s", reason->length == 0 ? "" : "; ", label);
}

static void tell(qkv__inequality *q, const qkv__column *column, const qkv__rational *factor,
                 size_t count)
{
    for (size_t c = 0; c < count; c++)
        for (int i = 0; i < 3 && qkv__rational_sign(factor[c]) > 0; i++)
            if (column[c].fact[i] >= 0)
                qkv__inequality_say(&q->reason, q->fact[column[c].fact[i]].label);
}

/* right - left = 2*(R - |q|) + (|q| - q.k[i]), where that is short and names nothing that a reader
 * has not met. */
static void write_sum(qkv__inequality *q, const qkv__column *column, const qkv__rational *factor,
                      size_t count)
{
    enum { LONGEST = 160 };
    qkv__text text = {0};
    size_t parts = 0;
    for (size_t c = 0; c < count; c++) {
        bool first = true;
        const bool one = qkv__rational_compare(factor[c], qkv__rational_whole(1)) == 0;
        if (qkv__rational_sign(factor[c]) <= 0) continue;
        parts++;
        qkv__text_format(&text, "%s", text.length == 0 ? "" : " + ");
        if (!one || column[c].fact[0] < 0) {
            qkv__rational_write(factor[c], &text);
            first = false;
        }
        for (int i = 0; i < 3 && column[c].fact[i] >= 0; i++) {
            qkv__text_format(&text, "%s(", first ? "" : "*");
            qkv__form_write(&q->algebra, q->fact[column[c].fact[i]].form, &text);
            qkv__text_format(&text, ")");
            first = false;
        }
    }
    qkv__text_free(&q->sum);
    if (!text.failed && text.data != NULL && text.length <= LONGEST && parts > 1 &&
        strstr(text.data, "*]") == NULL && strchr(text.data, '$') == NULL)
        qkv__text_format(&q->sum, "%s", text.data);
    qkv__text_free(&text);
}

bool qkv__inequality_certify(qkv__inequality *q, const qkv__form *form, bool strict, int degree)
{
    if (form == NULL || q->effort++ > QKV__CERTIFICATES || q->algebra.arena.failed ||
        qkv__limits_spent(q->model->limits))
        return false;
    qkv__column *column = qkv__allocate(COLUMNS * sizeof *column);
    qkv__rational *factor = qkv__allocate(COLUMNS * sizeof *factor);
    const qkv__arena_place here = qkv__arena_here(&q->algebra.arena);
    bool good = false;
    if (column != NULL && factor != NULL) {
        size_t count =
            degree < 3 ? fill_columns(q, form, degree, column) : fill_near_columns(q, form, column);
        good = qkv__certificate_find(&q->algebra, form, strict, column, count, factor);
        if (good) tell(q, column, factor, count);
        if (good) write_sum(q, column, factor, count);
    }
    qkv__arena_return(&q->algebra.arena, here);
    qkv__free(column);
    qkv__free(factor);
    return good;
}
