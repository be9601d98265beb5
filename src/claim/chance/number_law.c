/* Powers of random numbers. Knows laws; nothing of what is asked of them, and no floating point. */
#include "claim/chance/number_law.h"

#include <assert.h>

#include "exact/sign.h"

/* m E x^(k-1) + (k-1) v E x^(k-2) */
static qkv__ratio normal_mean(qkv__algebra *algebra, const qkv__chance *chance, int power)
{
    qkv__ratio before = qkv__ratio_whole(algebra, 0), now = qkv__ratio_whole(algebra, 1);
    for (int k = 1; k <= power; k++) {
        qkv__ratio spread = qkv__ratio_multiply(
            algebra, qkv__ratio_multiply(algebra, qkv__ratio_whole(algebra, k - 1), before),
            chance->variance);
        qkv__ratio next =
            qkv__ratio_add(algebra, qkv__ratio_multiply(algebra, chance->mean, now), spread);
        before = now;
        now = next;
    }
    return now;
}

/* (a^k + a^(k-1) b + ... + b^k)/(k + 1), which has no denominator to vanish. */
static qkv__ratio uniform_mean(qkv__algebra *algebra, const qkv__chance *chance, int power)
{
    qkv__ratio sum = qkv__ratio_whole(algebra, 0);
    for (int k = 0; k <= power; k++)
        sum =
            qkv__ratio_add(algebra, sum,
                           qkv__ratio_multiply(algebra, qkv__ratio_power(algebra, chance->low, k),
                                               qkv__ratio_power(algebra, chance->high, power - k)));
    return qkv__ratio_divide(algebra, sum, qkv__ratio_whole(algebra, power + 1));
}

static qkv__ratio bernoulli_mean(qkv__algebra *algebra, const qkv__chance *chance, int power)
{
    return power == 0 ? qkv__ratio_whole(algebra, 1) : chance->mean;
}

/* power! / rate^power */
static qkv__ratio exponential_mean(qkv__algebra *algebra, const qkv__chance *chance, int power)
{
    qkv__ratio product = qkv__ratio_power(algebra, chance->mean, power);
    for (int k = 2; k <= power; k++)
        product = qkv__ratio_multiply(algebra, product, qkv__ratio_whole(algebra, k));
    return product;
}

qkv__ratio qkv__law_power_mean(qkv__algebra *algebra, const qkv__chance *chance, int power)
{
    static qkv__ratio (*const mean[])(qkv__algebra *, const qkv__chance *, int) = {
        [QKV__LAW_NORMAL] = normal_mean,
        [QKV__LAW_UNIFORM] = uniform_mean,
        [QKV__LAW_BERNOULLI] = bernoulli_mean,
        [QKV__LAW_EXPONENTIAL] = exponential_mean,
    };
    assert(power >= 0);
    return mean[chance->law](algebra, chance, power);
}

/* (e^(slope b) - e^(slope a))/(slope (b - a)) */
bool qkv__law_exponential_mean(qkv__algebra *algebra, const qkv__chance *chance, qkv__ratio slope,
                               qkv__ratio *mean)
{
    qkv__sign sign = qkv__ratio_sign(algebra, slope);
    if (sign != QKV__SIGN_POSITIVE && sign != QKV__SIGN_NEGATIVE) return false;
    qkv__ratio high =
        qkv__ratio_exponential(algebra, qkv__ratio_multiply(algebra, slope, chance->high));
    qkv__ratio low =
        qkv__ratio_exponential(algebra, qkv__ratio_multiply(algebra, slope, chance->low));
    qkv__ratio width = qkv__ratio_subtract(algebra, chance->high, chance->low);
    if (qkv__ratio_is_lost(high) || qkv__ratio_is_lost(low)) return false;
    *mean = qkv__ratio_divide(algebra, qkv__ratio_subtract(algebra, high, low),
                              qkv__ratio_multiply(algebra, slope, width));
    return !qkv__ratio_is_lost(*mean);
}

const qkv__chance *qkv__law_linear_uniform(const qkv__situation *s, qkv__ratio f, qkv__ratio *slope,
                                           qkv__ratio *rest)
{
    qkv__algebra *algebra = &s->model->algebra;
    for (size_t i = 0; i < s->model->chance_count; i++) {
        const qkv__chance *chance = &s->model->chance[i];
        const int p = chance->parameter;
        if (chance->law != QKV__LAW_UNIFORM || !qkv__ratio_depends_on(f, p)) continue;
        *rest = qkv__ratio_substitute(algebra, f, p, qkv__form_whole(algebra, 0));
        *slope = qkv__ratio_subtract(
            algebra, qkv__ratio_substitute(algebra, f, p, qkv__form_whole(algebra, 1)), *rest);
        qkv__ratio again = qkv__ratio_multiply(
            algebra, *slope, qkv__ratio_of_form(algebra, qkv__form_parameter(algebra, p)));
        again = qkv__ratio_add(algebra, again, *rest);
        if (!qkv__ratio_is_lost(again) && qkv__ratio_equal(algebra, again, f)) return chance;
    }
    return NULL;
}

bool qkv__law_is_discrete(const qkv__situation *s, qkv__ratio f, const qkv__chance **chance)
{
    for (size_t i = 0; i < s->model->chance_count; i++) {
        *chance = &s->model->chance[i];
        if ((*chance)->law == QKV__LAW_BERNOULLI && qkv__ratio_depends_on(f, (*chance)->parameter))
            return true;
    }
    return false;
}
