/*
 * An engine that lies. Linked with --wrap=qkv__decide, this stands between the front of the checker
 * and its engines: whatever a claim says, the answer is the one that QKV_LIE names. All the rest,
 * the gate above all, is as in the product, which knows nothing of this file.
 */
#include <stdlib.h>
#include <string.h>

#include "claim/engine.h"

/* The names that the linker makes. */
qkv__decider __wrap_qkv__decide;

/* "proved"; "refuted", for some choice of what is free; "never", for every choice. */
void __wrap_qkv__decide(qkv__model *model, const qkv__node *proposition,
                        const qkv__circumstances *circumstances, qkv__finding *finding)
{
    const char *lie = getenv("QKV_LIE");
    (void)model, (void)proposition, (void)circumstances;
    if (lie == NULL) abort();
    *finding = (qkv__finding){.engine = "exact"};
    finding->verdict = strcmp(lie, "proved") == 0 ? QKV__PROVED : QKV__REFUTED;
    finding->uniform = strcmp(lie, "never") == 0;
}
