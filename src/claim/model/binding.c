/* Names of a model: what they stand for, and complaints about their places. Evaluates nothing. */
#include "claim/model/binding.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "language/complaint.h"

bool qkv__model_complain(qkv__model *model, qkv__place place, const char *format, ...)
{
    if (model->mute) return false;
    char message[320];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    qkv__document_complain(model->document, place, message);
    return false;
}

bool qkv__model_complain_failure(qkv__model *model, qkv__place place, const qkv__failure *failure)
{
    return qkv__model_complain(model, place, "%s", failure->message);
}

bool qkv__model_bind(qkv__model *model, qkv__binding binding)
{
    assert(binding.name != NULL);
    qkv__binding *kept = qkv__arena_take(&model->algebra.arena, sizeof *kept);
    if (kept == NULL) return false;
    *kept = binding;
    kept->next = model->bindings;
    model->bindings = kept;
    return true;
}

const qkv__binding *qkv__model_find(const qkv__model *model, const qkv__binding *locals,
                                    const char *name)
{
    for (const qkv__binding *b = locals; b != NULL; b = b->next)
        if (strcmp(b->name, name) == 0) return b;
    for (const qkv__binding *b = model->bindings; b != NULL; b = b->next)
        if (strcmp(b->name, name) == 0) return b;
    return NULL;
}

qkv__binding qkv__index_binding(const char *name, qkv__index_set *set, int member,
                                const qkv__binding *next)
{
    return (qkv__binding){.name = name,
                          .value = {.kind = QKV__VALUE_INDEX, .set = set, .member = member},
                          .next = next};
}

int qkv__model_parameter(qkv__model *model, const char *name)
{
    int found = qkv__parameter_find(&model->algebra, name);
    return found >= 0 ? found : qkv__parameter_add(&model->algebra, name);
}
