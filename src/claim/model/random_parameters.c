/* Which parameters of a model are random. Knows the model; nothing of declarations. */
#include "claim/model/random_parameters.h"

#include <assert.h>

bool qkv__random_is_noisy(const qkv__vector *vector)
{
    for (size_t i = 0; vector != NULL && i < vector->count; i++)
        if (vector->component[i].symbol.family->noise) return true;
    return false;
}

const qkv__unknown_product *qkv__random_product(const qkv__model *model, int parameter)
{
    assert(qkv__is_parameter(&model->algebra, parameter));
    for (const qkv__unknown_product *u = model->space.unknown; u != NULL; u = u->next)
        if (u->parameter == parameter && (u->x.family->noise || u->y.family->noise)) return u;
    return NULL;
}

bool qkv__random_is(const qkv__model *model, int parameter)
{
    assert(qkv__is_parameter(&model->algebra, parameter));
    for (size_t i = 0; i < model->chance_count; i++)
        if (model->chance[i].parameter == parameter) return true;
    if (qkv__random_product(model, parameter) != NULL) return true;
    for (const qkv__spread *spread = model->space.spreads; spread != NULL; spread = spread->next)
        if (spread->parameter == parameter && qkv__random_touches(model, spread->score))
            return true;
    return false;
}

bool qkv__random_touches(const qkv__model *model, qkv__ratio ratio)
{
    for (int p = 0; p < (int)model->algebra.parameter_count; p++)
        if (qkv__ratio_depends_on(ratio, p) && qkv__random_is(model, p)) return true;
    return false;
}
