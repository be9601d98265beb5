/* Averages over keys whose scores differ. Knows nothing of attention's outputs, nor of claims. */
#include "exact/average.h"

static qkv__ratio lost(void)
{
    return (qkv__ratio){NULL, NULL};
}

/* The product of a generic member and a vector that is the same for all keys, which a parameter
 * stands for. */
static bool product_of(const qkv__space *space, int parameter, qkv__symbol *member,
                       qkv__symbol *fixed)
{
    for (const qkv__unknown_product *u = space->unknown; u != NULL; u = u->next) {
        if (u->parameter != parameter) continue;
        bool first = u->x.member == QKV__GENERIC;
        *member = first ? u->x : u->y;
        *fixed = first ? u->y : u->x;
        return member->member == QKV__GENERIC && fixed->member != QKV__GENERIC;
    }
    return false;
}

const qkv__index_set *qkv__score_set(const qkv__space *space, qkv__ratio score)
{
    const qkv__index_set *set = NULL;
    for (int p = 0; p < (int)space->algebra->parameter_count; p++) {
        qkv__symbol member, fixed;
        if (!space->algebra->parameter[p].generic || !qkv__ratio_depends_on(score, p)) continue;
        if (!product_of(space, p, &member, &fixed)) return NULL;
        if (set != NULL && set != member.family->set) return NULL;
        set = member.family->set;
    }
    return set;
}

/* The others of the rest beside the generic member, weighed by their scores: its value, averaged.
 */
static bool weigh_others(qkv__space *space, qkv__ratio score, const qkv__family *family,
                         qkv__others *others)
{
    const qkv__index_set *set = qkv__score_set(space, score);
    if (set == NULL || family->set != set) return false;
    return qkv__space_spread(space, set, score, qkv__vector_symbol(space, family, QKV__GENERIC),
                             false, others);
}

qkv__ratio qkv__average_exponent(qkv__space *space, qkv__ratio score)
{
    qkv__symbol member, fixed;
    qkv__others others;
    for (int p = 0; p < (int)space->algebra->parameter_count; p++) {
        if (!space->algebra->parameter[p].generic || !qkv__ratio_depends_on(score, p)) continue;
        if (!product_of(space, p, &member, &fixed)) return lost();
        return weigh_others(space, score, member.family, &others) ? others.score : lost();
    }
    return lost();
}

/* The average of a family's members. */
static const qkv__vector *average_member(qkv__space *space, qkv__ratio score, qkv__symbol member)
{
    qkv__others others;
    return weigh_others(space, score, member.family, &others) ? others.value : NULL;
}

/* What a number is with all generic parameters 0, but for one that is 1 (-1: none). */
static qkv__ratio with_generic(qkv__space *space, qkv__ratio number, int one)
{
    qkv__algebra *algebra = space->algebra;
    for (int p = 0; p < (int)algebra->parameter_count; p++)
        if (algebra->parameter[p].generic && qkv__ratio_depends_on(number, p))
            number = qkv__ratio_substitute(algebra, number, p, qkv__form_whole(algebra, p == one));
    return number;
}

/* number = constant + the sum of slope*(k[i].p): each product is averaged, and they must add up. */
qkv__ratio qkv__average_number(qkv__space *space, qkv__ratio score, qkv__ratio number)
{
    qkv__algebra *algebra = space->algebra;
    const size_t count = algebra->parameter_count;
    qkv__ratio constant = with_generic(space, number, -1), linear = constant, average = constant;
    for (int p = 0; p < (int)count; p++) {
        qkv__symbol member, fixed;
        if (!algebra->parameter[p].generic || !qkv__ratio_depends_on(number, p)) continue;
        if (!product_of(space, p, &member, &fixed)) return lost();
        qkv__ratio slope = qkv__ratio_subtract(algebra, with_generic(space, number, p), constant);
        qkv__ratio product = qkv__vector_dot(space, average_member(space, score, member),
                                             qkv__vector_symbol(space, fixed.family, fixed.member));
        qkv__ratio letter = qkv__ratio_of_form(algebra, qkv__form_parameter(algebra, p));
        linear = qkv__ratio_add(algebra, linear, qkv__ratio_multiply(algebra, slope, letter));
        average = qkv__ratio_add(algebra, average, qkv__ratio_multiply(algebra, slope, product));
    }
    return qkv__ratio_equal(algebra, number, linear) ? average : lost();
}

const qkv__vector *qkv__average_vector(qkv__space *space, qkv__ratio score,
                                       const qkv__vector *vector)
{
    const qkv__vector *sum = qkv__vector_zero(space);
    for (size_t i = 0; vector != NULL && i < vector->count; i++) {
        const qkv__component *part = &vector->component[i];
        bool generic = part->symbol.member == QKV__GENERIC;
        if (generic && qkv__ratio_is_generic(space->algebra, part->factor)) return NULL;
        const qkv__vector *average =
            generic ? average_member(space, score, part->symbol)
                    : qkv__vector_symbol(space, part->symbol.family, part->symbol.member);
        qkv__ratio factor =
            generic ? part->factor : qkv__average_number(space, score, part->factor);
        sum = qkv__vector_add(space, sum, qkv__vector_scale(space, average, factor));
    }
    return vector == NULL ? NULL : sum;
}
