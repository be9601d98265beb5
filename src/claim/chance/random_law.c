/* The laws of random parameters at numbers. Knows declarations and premises; nothing of what is
 * asked of the laws. */
#include "claim/chance/random_law.h"

#include <assert.h>

#include "claim/model/random_parameters.h"

/* The inner product of standard noise with a vector x of known length is normal, of variance x.x;
 * with a sum over the rest of the keys' noise, as many times that. */
static bool noise_variance(const qkv__model *model, int parameter, qkv__ratio *variance)
{
    qkv__space *space = (qkv__space *)(uintptr_t)&model->space;
    const qkv__unknown_product *u = qkv__random_product(model, parameter);
    if (u == NULL || u->x.family->noise == u->y.family->noise) return false;
    qkv__symbol noise = u->x.family->noise ? u->x : u->y, other = u->x.family->noise ? u->y : u->x;
    if (!qkv__symbol_product(space, other, other, variance)) return false;
    if (noise.member == QKV__REST)
        *variance = qkv__ratio_multiply(space->algebra, *variance,
                                        qkv__rest_size(space->algebra, noise.family->set));
    return true;
}

bool qkv__random_law(const qkv__situation *s, int parameter, qkv__normal *normal)
{
    assert(qkv__is_parameter(&s->model->algebra, parameter));
    const qkv__model *model = s->model;
    qkv__ratio variance;
    *normal = (qkv__normal){.parameter = parameter, .mean = qkv__rational_whole(0)};
    for (size_t i = 0; i < model->chance_count; i++)
        if (model->chance[i].parameter == parameter)
            return model->chance[i].law == QKV__LAW_NORMAL &&
                   qkv__ratio_is_constant(qkv__situation_apply(s, model->chance[i].mean),
                                          &normal->mean) &&
                   qkv__ratio_is_constant(qkv__situation_apply(s, model->chance[i].variance),
                                          &normal->variance);
    return noise_variance(model, parameter, &variance) &&
           qkv__ratio_is_constant(qkv__situation_apply(s, variance), &normal->variance);
}
