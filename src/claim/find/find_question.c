/* A question of `find`: what is said of it, and what it speaks of. Knows findings; nothing of how
 * questions are answered. */
#include <stdarg.h>
#include <stdio.h>

#include "claim/find/find_part.h"
#include "language/tree.h"

bool qkv__question_complain(qkv__question *question, const qkv__node *culprit, const char *format,
                            ...)
{
    qkv__finding *finding = question->finding;
    va_list arguments;
    if (finding->culprit != NULL) return false;
    finding->culprit = culprit;
    va_start(arguments, format);
    vsnprintf(finding->complaint, sizeof finding->complaint, format, arguments);
    va_end(arguments);
    return false;
}

bool qkv__question_open(qkv__question *question, const char *format, ...)
{
    char message[400];
    va_list arguments;
    if (question->finding->reason.length > 0) return false;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    qkv__text_format(&question->finding->reason, "%s", message);
    return false;
}

void qkv__question_fail(qkv__question *question, const qkv__failure *failure,
                        const qkv__node *culprit)
{
    if (failure->trouble == QKV__TROUBLE_TEXT)
        qkv__question_complain(question, culprit, "%s", failure->message);
    else
        qkv__question_open(question, "%s", failure->message);
}

void qkv__question_conclude(qkv__question *question, qkv__verdict verdict, const char *engine)
{
    question->finding->verdict = verdict;
    question->finding->engine = engine;
}

bool qkv__question_mentions(const qkv__question *question, const char *name)
{
    if (qkv__node_mentions(question->proposition, name)) return true;
    for (const qkv__statement *s = question->model->statements; s != NULL;
         s = qkv__statement_after(s)) {
        if (s->kind == QKV__STATEMENT_DEFINE && qkv__node_mentions(s->node[1], name)) return true;
        for (size_t i = 0; s->kind == QKV__STATEMENT_FAMILY && i < s->count; i++)
            if (qkv__node_mentions(s->node[i], name)) return true;
    }
    return false;
}
