/* All that is known: bounds, rules at each index, and what lemmas say of atoms, added until nothing
 * is new. Knows nothing of proofs. */
#include <string.h>

#include "claim/inequality/inequality_part.h"

static void tell_bounds(qkv__inequality *q, int atom)
{
    qkv__algebra *algebra = &q->algebra;
    const qkv__parameter x = algebra->parameter[atom];
    const qkv__form *own = qkv__form_parameter(algebra, atom);
    const char *label = q->atom[atom].kind == QKV__ATOM_WEIGHT   ? "weights lie between 0 and 1"
                        : q->atom[atom].kind == QKV__ATOM_NUMBER ? "a premise"
                        : q->atom[atom].kind == QKV__ATOM_INDEX  ? "indexes run from 1 to n"
                                                                 : "norms are not negative";
    if (x.lower.known)
        qkv__inequality_know(
            q, qkv__form_subtract(algebra, own, qkv__form_constant(algebra, x.lower.value)),
            x.lower.strict, label);
    if (x.upper.known)
        qkv__inequality_know(
            q, qkv__form_subtract(algebra, qkv__form_constant(algebra, x.upper.value), own),
            x.upper.strict, label);
}

static bool applies(qkv__inequality *q, const qkv__rule *rule, const qkv__running *to)
{
    if (to->range == NULL || to->name == NULL) return false; /* no memory for it */
    if (strcmp(rule->of.range, to->range) != 0) return false;
    for (size_t i = 0; i < QKV__INEQUALITY_DIFFERS && rule->of.differs[i] != NULL; i++)
        if (!qkv__inequality_differs(to, rule->of.differs[i]) &&
            !qkv__tree_is_distinct(q, rule->of.differs[i], to->name))
            return false;
    return true;
}

/* Whether something new may have been said. */
static bool apply_rules(qkv__inequality *q)
{
    bool any = false;
    for (size_t r = 0; r < q->rule_count; r++) /* rules and indexes may grow meanwhile */
        while (q->rule[r].applied < q->index_count) {
            const qkv__rule rule = q->rule[r];
            const qkv__running to = q->index[q->rule[r].applied++];
            if (!applies(q, &rule, &to)) continue;
            qkv__inequality_suppose(q, qkv__tree_put(q, rule.proposition, rule.of.name, to.name),
                                    rule.label);
            any = true;
        }
    return any;
}

static bool is_length(const qkv__inequality *q, size_t atom)
{
    return q->atom[atom].kind == QKV__ATOM_LENGTH || q->atom[atom].kind == QKV__ATOM_NORM;
}

/* |x| <= |y| + |z| where x is y + z, whatever the signs. */
static void know_triangles(qkv__inequality *q, size_t x, size_t y, size_t z)
{
    qkv__algebra *algebra = &q->algebra;
    for (int signs = 0; signs < 4; signs++) {
        qkv__mixture sum = q->atom[x].vector;
        bool good = true;
        for (int n = 0; n < 2; n++) {
            const qkv__mixture *other = &q->atom[n == 0 ? y : z].vector;
            const qkv__ratio sign = qkv__ratio_whole(algebra, (signs >> n & 1) ? 1 : -1);
            for (size_t i = 0; good && i < other->count; i++)
                good = qkv__mixture_add(q, &sum, other->part[i].base,
                                        qkv__ratio_multiply(algebra, sign, other->part[i].factor));
        }
        if (!good || sum.count != 0) continue;
        const size_t side[3] = {x, y, z};
        for (int longest = 0; longest < 3; longest++) {
            qkv__ratio rest = qkv__ratio_whole(algebra, 0);
            for (int n = 0; n < 3; n++) {
                const qkv__ratio length =
                    qkv__ratio_of_form(algebra, qkv__form_parameter(algebra, (int)side[n]));
                rest = n == longest ? qkv__ratio_subtract(algebra, rest, length)
                                    : qkv__ratio_add(algebra, rest, length);
            }
            qkv__inequality_know_ratio(q, rest, false, "the triangle inequality");
        }
    }
}

/* Products of vectors that are 0 with all others. */
static void tell_zeros(qkv__inequality *q)
{
    for (size_t z = 0; z < q->zero_count; z++)
        for (size_t b = 0; b < q->base_count; b++) {
            qkv__mixture base = {.count = 0};
            qkv__ratio product;
            if (!qkv__mixture_add(q, &base, (int)b, qkv__ratio_whole(&q->algebra, 1)) ||
                !qkv__inequality_product(q, &q->zero[z], &base, &product))
                continue;
            qkv__inequality_know_ratio(q, product, false, "a premise");
            qkv__inequality_know_ratio(q, qkv__ratio_negate(&q->algebra, product), false,
                                       "a premise");
        }
}

/* What holds for lengths of two or three vectors. */
static void tell_lengths(qkv__inequality *q)
{
    const size_t count = q->algebra.parameter_count;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++) {
            if (!is_length(q, i) || !is_length(q, j)) continue;
            for (size_t k = 0; k < j; k++)
                if (is_length(q, k)) know_triangles(q, i, j, k);
            const qkv__mixture x = q->atom[i].vector, y = q->atom[j].vector;
            if (q->with_norms) qkv__inequality_know_schwarz(q, &x, &y);
        }
}

/* Squares of x + y and x - y, and of x + y + z with all signs, for the vectors of a claim. */
static void tell_squares(qkv__inequality *q)
{
    enum { MOST = 4 };
    const qkv__ratio sign[] = {qkv__ratio_whole(&q->algebra, 1), qkv__ratio_whole(&q->algebra, -1)};
    const size_t count = q->base_count;
    for (size_t i = 0; count <= MOST && i < count; i++)
        for (size_t j = 0; j < i; j++)
            for (size_t k = 0; k <= j; k++) /* k = j: two vectors alone */
                for (int signs = 0; signs < (k == j ? 2 : 4); signs++) {
                    qkv__mixture sum = {.count = 0};
                    qkv__ratio square;
                    if (!qkv__mixture_add(q, &sum, (int)i, sign[0]) ||
                        !qkv__mixture_add(q, &sum, (int)j, sign[signs & 1]) ||
                        (k < j && !qkv__mixture_add(q, &sum, (int)k, sign[signs >> 1])) ||
                        !qkv__inequality_product(q, &sum, &sum, &square))
                        continue;
                    qkv__inequality_know_ratio(q, square, false, "a square is not negative");
                }
}

/* (x - y)^2 of a few numbers of the document. */
static void tell_differences(qkv__inequality *q)
{
    enum { MOST = 5 };
    int number[MOST];
    size_t count = 0;
    for (size_t i = 0; i < q->algebra.parameter_count; i++) {
        if (q->atom[i].kind != QKV__ATOM_NUMBER) continue;
        if (count == MOST) return;
        number[count++] = (int)i;
    }
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++) {
            const qkv__form *gap =
                qkv__form_subtract(&q->algebra, qkv__form_parameter(&q->algebra, number[i]),
                                   qkv__form_parameter(&q->algebra, number[j]));
            qkv__inequality_know(q, qkv__form_power(&q->algebra, gap, 2), false,
                                 "a square is not negative");
        }
}

static bool tell_once(qkv__inequality *q, int atom)
{
    if (q->atom[atom].told) return false;
    q->atom[atom].told = true;
    qkv__inequality_tell(q, atom);
    tell_bounds(q, atom);
    return true;
}

/* Distances come first: there are but so many indexes, and those of their inner products are of
 * less use. */
void qkv__inequality_saturate(qkv__inequality *q)
{
    enum { ROUNDS = 4 };
    bool any = true;
    for (int round = 0; any && round < ROUNDS; round++) {
        any = apply_rules(q);
        for (size_t i = 0; i < q->algebra.parameter_count; i++)
            if (q->atom[i].kind == QKV__ATOM_NORM && tell_once(q, (int)i)) any = true;
        for (size_t i = 0; i < q->algebra.parameter_count; i++)
            if (tell_once(q, (int)i)) any = true;
    }
    tell_zeros(q);
    tell_lengths(q);
    if (q->with_norms) tell_squares(q);
    if (q->derived) tell_differences(q);
    for (size_t i = 0; i < q->algebra.parameter_count; i++)
        for (size_t j = 0; j < i; j++)
            if (q->atom[i].kind == QKV__ATOM_WEIGHT && q->atom[j].kind == QKV__ATOM_WEIGHT)
                qkv__inequality_tell_weights(q, (int)i, (int)j);
    qkv__inequality_tell_logarithms(q);
    qkv__inequality_tell_log_sums(q);
    for (size_t i = 0; i < q->algebra.parameter_count; i++)
        if (!q->atom[i].told) tell_bounds(q, (int)i);
}
