/* Vectors over symbols with a Gram table. Knows nothing of attention or claims. */
#include "exact/space.h"

#include <assert.h>
#include <string.h>

static qkv__ratio lost_ratio(void)
{
    return (qkv__ratio){NULL, NULL};
}

qkv__family *qkv__family_add(qkv__space *space, const char *name, qkv__index_set *set)
{
    if (space->family_count == QKV__FAMILIES) return NULL;
    qkv__family *family = &space->family[space->family_count++];
    *family = (qkv__family){.name = name, .set = set};
    return family;
}

qkv__ratio qkv__rest_size(qkv__algebra *algebra, const qkv__index_set *set)
{
    assert(set->mark_count <= QKV__MARKS);
    return qkv__ratio_subtract(algebra, set->size,
                               qkv__ratio_whole(algebra, (int64_t)set->mark_count));
}

bool qkv__space_asked(const qkv__space *space, qkv__symbol x, qkv__symbol y)
{
    for (const qkv__unknown_product *u = space->unknown; u != NULL; u = u->next)
        if ((qkv__symbol_equal(u->x, x) && qkv__symbol_equal(u->y, y)) ||
            (qkv__symbol_equal(u->x, y) && qkv__symbol_equal(u->y, x)))
            return true;
    return false;
}

void qkv__space_give(qkv__space *space, qkv__symbol x, qkv__symbol y, qkv__ratio value)
{
    assert(x.family != NULL && y.family != NULL);
    qkv__given_product *given = qkv__arena_take(&space->algebra->arena, sizeof *given);
    if (given == NULL) return; /* the arena remembers that it failed */
    *given = (qkv__given_product){.x = x, .y = y, .value = value, .next = space->given};
    space->given = given;
}

/* ---- Building ------------------------------------------------------------------------------ */

static qkv__vector *new_vector(qkv__space *space, size_t count)
{
    return qkv__arena_take(&space->algebra->arena,
                           sizeof(qkv__vector) + count * sizeof(qkv__component));
}

const qkv__vector *qkv__vector_zero(qkv__space *space)
{
    return new_vector(space, 0);
}

const qkv__vector *qkv__vector_symbol(qkv__space *space, const qkv__family *family, int member)
{
    assert(member < 0 || family->set == NULL || (size_t)member < family->set->mark_count);
    qkv__vector *vector = new_vector(space, 1);
    if (vector == NULL) return NULL;
    vector->count = 1;
    vector->component[0] = (qkv__component){{family, member}, qkv__ratio_whole(space->algebra, 1)};
    return vector;
}

static int compare_symbols(qkv__symbol x, qkv__symbol y)
{
    if (x.family != y.family) return x.family < y.family ? -1 : 1;
    /* Marks in their order, then the generic member, then the rest. */
    int a = x.member < 0 ? QKV__MARKS - x.member : x.member;
    int b = y.member < 0 ? QKV__MARKS - y.member : y.member;
    return (a > b) - (a < b);
}

const qkv__vector *qkv__vector_add(qkv__space *space, const qkv__vector *x, const qkv__vector *y)
{
    if (x == NULL || y == NULL) return NULL;
    qkv__vector *sum = new_vector(space, x->count + y->count);
    if (sum == NULL) return NULL;
    size_t i = 0, j = 0;
    while (i < x->count || j < y->count) { /* both are in order: merge */
        int order = i == x->count ? 1
                    : j == y->count
                        ? -1
                        : compare_symbols(x->component[i].symbol, y->component[j].symbol);
        qkv__component part = order <= 0 ? x->component[i] : y->component[j];
        if (order == 0)
            part.factor = qkv__ratio_add(space->algebra, part.factor, y->component[j].factor);
        if (qkv__ratio_is_lost(part.factor)) return NULL;
        if (!qkv__ratio_is_zero(part.factor)) sum->component[sum->count++] = part;
        i += order <= 0;
        j += order >= 0;
    }
    return sum;
}

const qkv__vector *qkv__vector_scale(qkv__space *space, const qkv__vector *x, qkv__ratio factor)
{
    if (x == NULL || qkv__ratio_is_lost(factor)) return NULL;
    qkv__vector *scaled = new_vector(space, x->count);
    if (scaled == NULL) return NULL;
    for (size_t i = 0; i < x->count && !qkv__ratio_is_zero(factor); i++) {
        qkv__component part = x->component[i];
        part.factor = qkv__ratio_multiply(space->algebra, part.factor, factor);
        if (qkv__ratio_is_lost(part.factor)) return NULL;
        if (!qkv__ratio_is_zero(part.factor)) scaled->component[scaled->count++] = part;
    }
    return scaled;
}

const qkv__vector *qkv__vector_subtract(qkv__space *space, const qkv__vector *x,
                                        const qkv__vector *y)
{
    qkv__ratio minus_one = qkv__ratio_whole(space->algebra, -1);
    return qkv__vector_add(space, x, qkv__vector_scale(space, y, minus_one));
}

const qkv__vector *qkv__vector_sum_over_rest(qkv__space *space, const qkv__vector *x,
                                             const qkv__index_set *set)
{
    assert(set != NULL);
    if (x == NULL) return NULL;
    qkv__ratio size = qkv__rest_size(space->algebra, set);
    const qkv__vector *sum = qkv__vector_zero(space);
    for (size_t i = 0; i < x->count; i++) {
        qkv__symbol symbol = x->component[i].symbol;
        bool generic = symbol.member == QKV__GENERIC && symbol.family->set == set;
        const qkv__vector *part =
            qkv__vector_symbol(space, symbol.family, generic ? QKV__REST : symbol.member);
        qkv__ratio factor = x->component[i].factor;
        if (qkv__space_differs(space, factor)) return NULL;
        if (!generic) factor = qkv__ratio_multiply(space->algebra, factor, size);
        sum = qkv__vector_add(space, sum, qkv__vector_scale(space, part, factor));
    }
    return sum;
}

/* ---- Inner products ------------------------------------------------------------------------- */

/*
 * Within a family whose members have x.x = g and x.y = h, with r members in the rest: two marks
 * alike g, else h; the generic member with itself g, with a mark h; the rest's sum with a mark
 * r h, with the generic member g + (r - 1) h, with itself r g + r (r - 1) h.
 */
static qkv__ratio uniform_product(qkv__space *space, qkv__symbol x, qkv__symbol y)
{
    qkv__algebra *algebra = space->algebra;
    const qkv__family *family = x.family;
    qkv__ratio r = qkv__rest_size(algebra, family->set), one = qkv__ratio_whole(algebra, 1);
    qkv__ratio fewer = qkv__ratio_subtract(algebra, r, one);
    bool x_sum = x.member == QKV__REST, y_sum = y.member == QKV__REST;
    if (!x_sum && !y_sum) return x.member == y.member ? family->same : family->different;
    if (x_sum != y_sum && (x_sum ? y.member : x.member) >= 0)
        return qkv__ratio_multiply(algebra, r, family->different);
    qkv__ratio with_one = qkv__ratio_add(algebra, family->same,
                                         qkv__ratio_multiply(algebra, fewer, family->different));
    return x_sum && y_sum ? qkv__ratio_multiply(algebra, r, with_one) : with_one;
}

/* The letter of an unmarked index: i, unless that is a mark. */
const char *qkv__index_letter(const qkv__index_set *set)
{
    static const char *const letters[] = {"i", "j", "l", "m", "r", "s", "t", "other"};
    for (size_t n = 0; n < sizeof letters / sizeof letters[0]; n++) {
        bool taken = false;
        for (size_t i = 0; i < set->mark_count; i++)
            taken = taken || strcmp(set->mark[i], letters[n]) == 0;
        if (!taken) return letters[n];
    }
    return "rest";
}

void qkv__symbol_write(qkv__symbol symbol, qkv__text *text)
{
    assert(symbol.family != NULL);
    const qkv__index_set *set = symbol.family->set;
    const char *name = symbol.family->name;
    if (set == NULL) { /* a single vector */
        qkv__text_format(text, "%s", name);
    } else if (symbol.member >= 0) {
        qkv__text_format(text, "%s[%s]", name, set->mark[symbol.member]);
    } else if (symbol.member == QKV__GENERIC) {
        qkv__text_format(text, "%s[%s]", name, qkv__index_letter(set));
    } else {
        const char *letter = qkv__index_letter(set);
        qkv__text_format(text, "sum(%s[%s] for %s not in {", name, letter, letter);
        for (size_t i = 0; i < set->mark_count; i++)
            qkv__text_format(text, "%s%s", i == 0 ? "" : ", ", set->mark[i]);
        qkv__text_format(text, "})");
    }
}

static void write_product(qkv__symbol x, qkv__symbol y, qkv__text *name)
{
    qkv__symbol_write(x, name);
    qkv__text_append(name, ".", 1);
    qkv__symbol_write(y, name);
}

static int add_product(qkv__space *space, qkv__symbol x, qkv__symbol y)
{
    qkv__text name = {0};
    write_product(x, y, &name);
    int parameter = name.failed ? -1 : qkv__parameter_add(space->algebra, name.data);
    qkv__text_free(&name);
    qkv__unknown_product *product = qkv__arena_take(&space->algebra->arena, sizeof *product);
    if (parameter < 0 || product == NULL) return -1;
    if (qkv__symbol_equal(x, y)) /* a square */
        space->algebra->parameter[parameter].lower =
            (qkv__bound){.known = true, .value = qkv__rational_whole(0)};
    space->algebra->parameter[parameter].generic =
        x.member == QKV__GENERIC || y.member == QKV__GENERIC;
    *product = (qkv__unknown_product){.x = x, .y = y, .parameter = parameter};
    product->next = space->unknown;
    space->unknown = product;
    return parameter;
}

static bool is_pair(qkv__symbol a, qkv__symbol b, qkv__symbol x, qkv__symbol y)
{
    return (qkv__symbol_equal(a, x) && qkv__symbol_equal(b, y)) ||
           (qkv__symbol_equal(a, y) && qkv__symbol_equal(b, x));
}

/* A product of which nothing is known: one parameter for both orders. */
static qkv__ratio unknown_product(qkv__space *space, qkv__symbol x, qkv__symbol y)
{
    int parameter = -1;
    bool noise = x.family->noise != y.family->noise; /* with a sum it is normal as well */
    if ((x.member == QKV__REST || y.member == QKV__REST) && !noise) return lost_ratio();
    for (const qkv__unknown_product *u = space->unknown; u != NULL && parameter < 0; u = u->next)
        if (is_pair(u->x, u->y, x, y)) parameter = u->parameter;
    if (parameter < 0)
        parameter = compare_symbols(x, y) > 0 ? add_product(space, y, x) : add_product(space, x, y);
    return qkv__ratio_of_form(space->algebra, qkv__form_parameter(space->algebra, parameter));
}

bool qkv__symbol_product(qkv__space *space, qkv__symbol x, qkv__symbol y, qkv__ratio *product)
{
    for (const qkv__given_product *g = space->given; g != NULL; g = g->next)
        if (is_pair(g->x, g->y, x, y)) {
            *product = g->value;
            return true;
        }
    if (x.family != y.family || x.family->gram == QKV__GRAM_UNKNOWN) return false;
    bool length = x.member == y.member && x.member != QKV__REST;
    if (x.family->gram == QKV__GRAM_LENGTHS && !length) return false;
    *product = length ? x.family->same : uniform_product(space, x, y);
    return true;
}

static qkv__ratio symbol_product(qkv__space *space, qkv__symbol x, qkv__symbol y)
{
    qkv__ratio known;
    return qkv__symbol_product(space, x, y, &known) ? known : unknown_product(space, x, y);
}

/* Two generic symbols of one set, which stand for different members. */
static qkv__ratio product_apart(qkv__space *space, qkv__symbol x, qkv__symbol y,
                                const qkv__index_set *set)
{
    bool apart = set != NULL && x.member == QKV__GENERIC && y.member == QKV__GENERIC &&
                 x.family->set == set && y.family->set == set;
    if (!apart) return symbol_product(space, x, y);
    bool uniform = x.family == y.family && x.family->gram == QKV__GRAM_UNIFORM;
    return uniform ? x.family->different : lost_ratio();
}

qkv__ratio qkv__vector_dot_apart(qkv__space *space, const qkv__vector *x, const qkv__vector *y,
                                 const qkv__index_set *set)
{
    qkv__ratio sum = qkv__ratio_whole(space->algebra, 0);
    if (x == NULL || y == NULL) return lost_ratio();
    for (size_t i = 0; i < x->count; i++)
        for (size_t j = 0; j < y->count; j++) {
            const qkv__family *a = x->component[i].symbol.family;
            const qkv__family *b = y->component[j].symbol.family;
            if (a->axis && b->axis && a != b) return lost_ratio(); /* of different widths */
            qkv__ratio product =
                product_apart(space, x->component[i].symbol, y->component[j].symbol, set);
            if (qkv__ratio_is_zero(product)) continue;
            product = qkv__ratio_multiply(space->algebra, product, x->component[i].factor);
            product = qkv__ratio_multiply(space->algebra, product, y->component[j].factor);
            sum = qkv__ratio_add(space->algebra, sum, product);
        }
    return sum;
}

qkv__ratio qkv__vector_dot(qkv__space *space, const qkv__vector *x, const qkv__vector *y)
{
    return qkv__vector_dot_apart(space, x, y, NULL);
}

/* ---- Scores that differ ---------------------------------------------------------------- */

/* The family of one vector: the others' values averaged. Where the values are alike, so are its
 * inner products with those that it is no average of. */
static const qkv__vector *average_of_others(qkv__space *space, const qkv__vector *value, bool whole)
{
    const qkv__family *of = value->count == 1 ? value->component[0].symbol.family : NULL;
    qkv__text name = {0};
    qkv__text_format(&name, "%s[%s]", of == NULL ? "values" : of->name, whole ? "rest" : "others");
    char *kept =
        name.failed ? NULL : qkv__arena_text(&space->algebra->arena, name.data, name.length);
    qkv__text_free(&name);
    const qkv__family *family = kept == NULL ? NULL : qkv__family_add(space, kept, NULL);
    if (family == NULL) return NULL;
    if (of != NULL && of->gram == QKV__GRAM_UNIFORM)
        for (int member = whole ? 0 : QKV__GENERIC; member < (int)of->set->mark_count; member++)
            qkv__space_give(space, (qkv__symbol){family, 0}, (qkv__symbol){of, member},
                            of->different);
    return qkv__vector_symbol(space, family, 0);
}

/* b, named like a score: score[others], and numbered where one name is not enough. */
static int add_other_score(qkv__space *space, bool whole)
{
    int number = 1;
    for (const qkv__spread *s = space->spreads; s != NULL; s = s->next) number++;
    qkv__text name = {0};
    const char *of = whole ? "rest" : "others";
    qkv__text_format(&name, number == 1 ? "score[%s]" : "score[%s %d]", of, number);
    int parameter = name.failed ? -1 : qkv__parameter_add(space->algebra, name.data);
    qkv__text_free(&name);
    return parameter;
}

bool qkv__space_differs(const qkv__space *space, qkv__ratio ratio)
{
    for (const qkv__spread *s = space->spreads; s != NULL; s = s->next)
        if (qkv__ratio_depends_on(ratio, s->parameter)) return true;
    return qkv__ratio_is_generic(space->algebra, ratio);
}

/* The part of a score that all keys have in common. */
static qkv__ratio common_part(qkv__space *space, qkv__ratio score)
{
    qkv__algebra *algebra = space->algebra;
    qkv__ratio below = qkv__ratio_of_form(algebra, score.denominator);
    const qkv__form *common = qkv__form_whole(algebra, 0);
    if (qkv__ratio_is_lost(score) || qkv__space_differs(space, below))
        return qkv__ratio_whole(algebra, 0);
    for (size_t i = 0; i < score.numerator->count; i++) {
        const qkv__form *term = qkv__form_term(algebra, &score.numerator->term[i]);
        if (term != NULL && qkv__space_differs(space, qkv__ratio_of_form(algebra, term))) continue;
        common = qkv__form_add(algebra, common, term);
    }
    return qkv__ratio_divide(algebra, qkv__ratio_of_form(algebra, common), below);
}

/* The spread of these scores and one kind of value, made when first met; of any value for 0. */
static const qkv__spread *spread_of(qkv__space *space, qkv__ratio score, const qkv__vector *value,
                                    bool whole)
{
    int parameter = -1;
    for (const qkv__spread *s = space->spreads; s != NULL; s = s->next) {
        if (s->whole != whole || !qkv__ratio_equal(space->algebra, s->score, score)) continue;
        parameter = s->parameter;
        if (value->count == 0 || qkv__vector_equal(space, s->value, value)) return s;
    }
    if (parameter < 0) parameter = add_other_score(space, whole);
    qkv__spread *spread = qkv__arena_take(&space->algebra->arena, sizeof *spread);
    if (spread == NULL || parameter < 0) return NULL;
    *spread = (qkv__spread){.score = score,
                            .parameter = parameter,
                            .value = value,
                            .others = average_of_others(space, value, whole),
                            .whole = whole,
                            .next = space->spreads};
    if (spread->others == NULL) return NULL;
    space->spreads = spread;
    return spread;
}

static bool has_noise(const qkv__vector *value)
{
    for (size_t i = 0; i < value->count; i++)
        if (value->component[i].symbol.family->noise) return true;
    return false;
}

/* The average of a sum is the sum of the averages: members of families become theirs, and what all
 * have in common stays as it is. */
static const qkv__vector *average(qkv__space *space, const qkv__index_set *set, qkv__ratio score,
                                  const qkv__vector *value, bool whole)
{
    const qkv__vector *sum = qkv__vector_zero(space);
    for (size_t i = 0; i < value->count; i++) {
        const qkv__symbol symbol = value->component[i].symbol;
        const qkv__vector *part = qkv__vector_symbol(space, symbol.family, symbol.member);
        if (part == NULL || qkv__space_differs(space, value->component[i].factor)) return NULL;
        if (symbol.member == QKV__GENERIC && symbol.family->set == set) {
            const qkv__spread *spread = spread_of(space, score, part, whole);
            if (spread == NULL) return NULL;
            part = spread->others;
        }
        sum =
            qkv__vector_add(space, sum, qkv__vector_scale(space, part, value->component[i].factor));
    }
    return sum;
}

bool qkv__space_spread(qkv__space *space, const qkv__index_set *set, qkv__ratio score,
                       const qkv__vector *value, bool whole, qkv__others *others)
{
    qkv__algebra *algebra = space->algebra;
    if (value == NULL) return false;
    const qkv__ratio common = common_part(space, score);
    const qkv__ratio own = qkv__ratio_subtract(algebra, score, common);
    const qkv__vector *zero = qkv__vector_zero(space);
    const qkv__spread *drawn = has_noise(value) ? spread_of(space, own, value, whole) : NULL;
    others->value = drawn != NULL ? drawn->others : average(space, set, own, value, whole);
    if (others->value == NULL || zero == NULL) return false;
    const qkv__spread *spread = spread_of(space, own, zero, whole);
    if (spread == NULL) return false;
    const qkv__form *b = qkv__form_parameter(algebra, spread->parameter);
    others->score = qkv__ratio_add(algebra, qkv__ratio_of_form(algebra, b), common);
    return !qkv__ratio_is_lost(others->score);
}

/* ---- Questions ------------------------------------------------------------------------------ */

qkv__ratio qkv__vector_factor(qkv__space *space, const qkv__vector *x, qkv__symbol symbol)
{
    if (x == NULL) return lost_ratio();
    for (size_t i = 0; i < x->count; i++)
        if (qkv__symbol_equal(x->component[i].symbol, symbol)) return x->component[i].factor;
    return qkv__ratio_whole(space->algebra, 0);
}

bool qkv__vector_equal(qkv__space *space, const qkv__vector *x, const qkv__vector *y)
{
    const qkv__vector *difference = qkv__vector_subtract(space, x, y);
    return difference != NULL && difference->count == 0;
}

static void write_component(const qkv__space *space, const qkv__component *part, bool first,
                            qkv__text *text)
{
    qkv__rational value;
    bool number = qkv__ratio_is_constant(part->factor, &value);
    bool negative = number && qkv__rational_sign(value) < 0;
    if (negative) value = qkv__rational_negate(value);
    qkv__text_format(text, "%s", first ? (negative ? "-" : "") : (negative ? " - " : " + "));
    bool one = number && value.numerator == 1 && value.denominator == 1;
    if (number && !one)
        qkv__text_format(text, value.denominator == 1 ? "%lld*" : "%lld/%lld*",
                         (long long)value.numerator, (long long)value.denominator);
    if (!number) { /* a sum above no line needs parentheses in front of a '*' */
        bool sum = part->factor.numerator->count > 1 && part->factor.denominator->count == 1;
        qkv__text_format(text, "%s", sum ? "(" : "");
        qkv__ratio_write(space->algebra, part->factor, text);
        qkv__text_format(text, "%s", sum ? ")*" : "*");
    }
    qkv__symbol_write(part->symbol, text);
}

void qkv__vector_write(const qkv__space *space, const qkv__vector *x, qkv__text *text)
{
    if (x == NULL) {
        qkv__text_append(text, "?", 1);
        return;
    }
    if (x->count == 0) qkv__text_append(text, "0", 1);
    for (size_t i = 0; i < x->count; i++) write_component(space, &x->component[i], i == 0, text);
}
