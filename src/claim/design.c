#include "claim/design.h"

void qkv__design(qkv__model *model, const qkv__design_question *question, qkv__finding *finding)
{
    (void)model, (void)question;
    finding->engine = "";
}
