#include "claim/search.h"

void qkv__search(qkv__model *model, const qkv__node *proposition,
                 const qkv__circumstances *circumstances, qkv__finding *finding)
{
    (void)model, (void)proposition, (void)circumstances, (void)finding;
}
