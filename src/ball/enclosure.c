/* Enclosures of quotients over boxes. Knows nothing of claims. */
#include "ball/enclosure.h"

#include <assert.h>

#include "ball/divide.h"
#include "ball/evaluate.h"
#include "base/memory.h"

enum {
    FIRST_PRECISION = 64,
    LAST_PRECISION = 4096,
    WIDE_PRECISION = 64, /* for boxes, where width comes from the box */
    NARROW_BITS = 50,    /* relative width that ends the raising of precision */
    PARTS = 256,         /* that a box is cut into */
    SCRATCH = 64 << 20,  /* bytes for quotients of forms */
};

/* The same quotient written in several ways: both parts over the same term. Each gives an
 * enclosure, and what they have in common is one too. */
typedef struct quotients {
    qkv__algebra algebra; /* a copy with an arena of its own */
    size_t count;
    qkv__ratio ratio[QKV__DIVISORS + 1];
} quotients;

static void quotients_init(quotients *ways, const qkv__algebra *algebra, qkv__ratio ratio,
                           const qkv__box *box)
{
    const qkv__term *divisor[QKV__DIVISORS];
    ways->algebra = *algebra;
    ways->algebra.arena = (qkv__arena){.limit = SCRATCH};
    ways->count = 1;
    ways->ratio[0] = ratio;
    if (ratio.denominator->count <= 1) return;
    size_t count = qkv__divisors_choose(algebra, ratio.denominator, box, divisor);
    for (size_t i = 0; i < count; i++) {
        qkv__parameter_set unused;
        qkv__ratio way = {
            qkv__form_divide_positive(&ways->algebra, ratio.numerator, divisor[i], box, &unused),
            qkv__form_divide_positive(&ways->algebra, ratio.denominator, divisor[i], box, &unused)};
        if (!qkv__ratio_is_lost(way)) ways->ratio[ways->count++] = way;
    }
}

static void evaluate_quotient(qkv__ratio ratio, const qkv__domain *domain, qkv__interval *value)
{
    qkv__interval below;
    qkv__interval_init(&below);
    qkv__evaluate(ratio.numerator, domain, value);
    qkv__evaluate(ratio.denominator, domain, &below);
    qkv__interval_divide(value, value, &below, domain->precision);
    qkv__interval_clear(&below);
}

static void evaluate_box(const quotients *ways, const qkv__box *box, slong precision,
                         qkv__interval *value)
{
    qkv__domain domain;
    qkv__interval one_way;
    qkv__interval_init(&one_way);
    qkv__domain_init(&domain, &ways->algebra, box, precision);
    qkv__interval_set_everything(value);
    for (size_t i = 0; i < ways->count; i++) {
        evaluate_quotient(ways->ratio[i], &domain, &one_way);
        qkv__interval_meet(value, value, &one_way);
    }
    qkv__domain_clear(&domain);
    qkv__interval_clear(&one_way);
}

/* ---- One point ----------------------------------------------------------------------------- */

static void enclose_point(const quotients *ways, const qkv__box *box, qkv__interval *value)
{
    for (slong precision = FIRST_PRECISION; precision <= LAST_PRECISION; precision *= 2) {
        evaluate_box(ways, box, precision, value);
        if (qkv__interval_is_narrow(value, NARROW_BITS)) return;
    }
}

/* ---- Wide boxes ---------------------------------------------------------------------------- */

typedef struct part {
    qkv__box box;
    qkv__interval value;
} part;

/* The part that sets the lower or the upper end of all. */
static size_t outermost(const part *parts, size_t count, bool upper)
{
    assert(count > 0);
    size_t found = 0;
    for (size_t i = 1; i < count; i++) {
        int order = upper ? arf_cmp(parts[found].value.upper, parts[i].value.upper)
                          : arf_cmp(parts[i].value.lower, parts[found].value.lower);
        if (order < 0) found = i;
    }
    return found;
}

/* Cuts one part in two; false when it cannot be cut. Values of a part lie among those of what it
 * was cut from, whatever the arithmetic says. */
static bool cut_part(const quotients *ways, part *whole, part *added, qkv__parameter_set among)
{
    int parameter = qkv__box_widest(&ways->algebra, &whole->box, among);
    qkv__box low;
    if (parameter < 0 || !qkv__box_split(&ways->algebra, &whole->box, parameter, &low, &added->box))
        return false;
    whole->box = low;
    qkv__interval before;
    qkv__interval_init(&before);
    qkv__interval_set(&before, &whole->value);
    qkv__interval_init(&added->value);
    evaluate_box(ways, &whole->box, WIDE_PRECISION, &whole->value);
    evaluate_box(ways, &added->box, WIDE_PRECISION, &added->value);
    qkv__interval_meet(&whole->value, &whole->value, &before);
    qkv__interval_meet(&added->value, &added->value, &before);
    qkv__interval_clear(&before);
    return true;
}

static size_t cut_parts(const quotients *ways, part *parts, qkv__parameter_set among)
{
    size_t count = 1;
    bool stuck[2] = {false, false}; /* the part at this end cannot be cut further */
    while (count < PARTS && !(stuck[0] && stuck[1])) {
        bool upper = count % 2 == 1 ? !stuck[1] : stuck[0];
        size_t chosen = outermost(parts, count, upper);
        if (cut_part(ways, &parts[chosen], &parts[count], among))
            count++;
        else
            stuck[upper] = true;
    }
    return count;
}

/* False when there is no memory. */
static bool enclose_wide(const quotients *ways, const qkv__box *box, qkv__interval *value)
{
    part *parts = qkv__allocate(PARTS * sizeof *parts);
    if (parts == NULL) return false;
    qkv__parameter_set among = qkv__form_parameters(&ways->algebra, ways->ratio[0].numerator) |
                               qkv__form_parameters(&ways->algebra, ways->ratio[0].denominator);
    parts[0].box = *box;
    qkv__interval_init(&parts[0].value);
    evaluate_box(ways, box, WIDE_PRECISION, &parts[0].value);
    size_t count = cut_parts(ways, parts, among);
    qkv__interval_set(value, &parts[0].value);
    for (size_t i = 0; i < count; i++) {
        qkv__interval_join(value, value, &parts[i].value);
        qkv__interval_clear(&parts[i].value);
    }
    qkv__free(parts);
    return true;
}

static bool is_point(const qkv__algebra *algebra, qkv__ratio ratio, const qkv__box *box)
{
    for (int p = 0; p < (int)algebra->parameter_count; p++)
        if (qkv__ratio_depends_on(ratio, p) && !qkv__box_is_fixed(algebra, box, p)) return false;
    return true;
}

bool qkv__ball_enclose(const qkv__algebra *algebra, qkv__ratio ratio, const qkv__box *box,
                       qkv__enclosure *enclosure)
{
    qkv__box tidy = *box;
    *enclosure = (qkv__enclosure){0};
    if (qkv__ratio_is_lost(ratio) || !qkv__box_tidy(algebra, &tidy)) return false;
    qkv__interval value;
    quotients ways;
    qkv__interval_init(&value);
    quotients_init(&ways, algebra, ratio, &tidy);
    bool done = true;
    if (is_point(algebra, ratio, &tidy))
        enclose_point(&ways, &tidy, &value);
    else
        done = enclose_wide(&ways, &tidy, &value);
    if (done) qkv__enclosure_set(enclosure, &value);
    qkv__arena_free(&ways.algebra.arena);
    qkv__interval_clear(&value);
    return enclosure->known;
}
