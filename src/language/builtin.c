/* The table of the language's functions. Knows names; nothing of what the functions do. */
#include "language/builtin.h"

#include <assert.h>
#include <string.h>

static const struct {
    const char *name;
    qkv__builtin function;
    qkv__builtin_kind kind;
    bool partial, synonym;
} rows[] = {
#define TOTAL false
#define PARTIAL true
#define BUILTIN(id, name, kind, values) {name, QKV__BUILTIN_##id, QKV__OF_##kind, values, false},
#define SYNONYM(id, name) {name, QKV__BUILTIN_##id, QKV__OF_NAMES, false, true},
#include "language/builtin.def"
#undef TOTAL
#undef PARTIAL
};

qkv__builtin qkv__builtin_find(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strncmp(rows[i].name, name, length) == 0 && rows[i].name[length] == '\0')
            return rows[i].function;
    return QKV__BUILTIN_NONE;
}

const char *qkv__builtin_name(size_t row)
{
    return row < sizeof rows / sizeof rows[0] ? rows[row].name : NULL;
}

/* The row of a function, not that of a synonym; -1: d and grad have none. */
static ptrdiff_t row_of(qkv__builtin function)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].function == function && !rows[i].synonym) return (ptrdiff_t)i;
    return -1;
}

qkv__builtin_kind qkv__builtin_kind_of(qkv__builtin function)
{
    ptrdiff_t row = row_of(function);
    return row < 0 ? QKV__OF_NAMES : rows[row].kind;
}

const char *qkv__builtin_word(qkv__builtin function)
{
    ptrdiff_t row = row_of(function);
    return row < 0 ? "" : rows[row].name;
}

bool qkv__builtin_is_partial(qkv__builtin function)
{
    ptrdiff_t row = row_of(function);
    return function != QKV__BUILTIN_NONE && (row < 0 || rows[row].partial);
}

qkv__builtin qkv__builtin_of(const qkv__node *call)
{
    if (call->kind != QKV__NODE_CALL) return QKV__BUILTIN_NONE;
    if (call->count == 2 && strcmp(call->text, "d") == 0) return QKV__BUILTIN_DERIVATIVE;
    if (call->count == 2 && strcmp(call->text, "grad") == 0) return QKV__BUILTIN_GRADIENT;
    return qkv__builtin_find(call->text, strlen(call->text));
}

bool qkv__call_is_over(const qkv__node *call)
{
    assert(call->kind == QKV__NODE_CALL);
    return call->count == 1 && call->child[0]->kind == QKV__NODE_SUM;
}
