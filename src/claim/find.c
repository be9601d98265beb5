#include "claim/find.h"

void qkv__find(qkv__model *model, const qkv__statement *statement,
               const qkv__circumstances *circumstances, qkv__finding *finding)
{
    (void)model, (void)statement, (void)circumstances;
    *finding = (qkv__finding){.engine = ""};
    qkv__text_format(&finding->reason, "this version decides claims alone");
}
