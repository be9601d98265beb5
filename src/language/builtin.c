/* The table of the language's functions. Knows names; nothing of what the functions do. */
#include "language/builtin.h"

#include <assert.h>
#include <string.h>

static const struct {
    const char *name;
    qkv__builtin function;
    qkv__builtin_kind kind;
} rows[] = {
    {"abs", QKV__BUILTIN_ABS, QKV__OF_NUMBERS},
    {"attend", QKV__BUILTIN_ATTEND, QKV__OF_FAMILY},
    {"cos", QKV__BUILTIN_COS, QKV__OF_NUMBERS},
    {"Cov", QKV__BUILTIN_COVARIANCE, QKV__OF_CHANCE},
    {"det", QKV__BUILTIN_DETERMINANT, QKV__OF_MATRICES},
    {"diag", QKV__BUILTIN_DIAGONAL, QKV__OF_MATRICES},
    {"dist", QKV__BUILTIN_DISTANCE, QKV__OF_NUMBERS},
    {"E", QKV__BUILTIN_EXPECTATION, QKV__OF_CHANCE},
    {"entropy", QKV__BUILTIN_ENTROPY, QKV__OF_FAMILY},
    {"erf", QKV__BUILTIN_ERF, QKV__OF_NUMBERS},
    {"exp", QKV__BUILTIN_EXP, QKV__OF_NUMBERS},
    {"file", QKV__BUILTIN_FILE, QKV__OF_NAMES},
    {"hull", QKV__BUILTIN_HULL, QKV__OF_FAMILY},
    {"inverse", QKV__BUILTIN_INVERSE, QKV__OF_MATRICES},
    {"ln", QKV__BUILTIN_LN, QKV__OF_NUMBERS},
    {"log", QKV__BUILTIN_LN, QKV__OF_NUMBERS},
    {"logsumexp", QKV__BUILTIN_LOG_SUM_EXP, QKV__OF_FAMILY},
    {"max", QKV__BUILTIN_MAX, QKV__OF_NUMBERS},
    {"mean", QKV__BUILTIN_MEAN, QKV__OF_NUMBERS},
    {"min", QKV__BUILTIN_MIN, QKV__OF_NUMBERS},
    {"norm", QKV__BUILTIN_NORM, QKV__OF_NUMBERS},
    {"normal", QKV__BUILTIN_NORMAL, QKV__OF_NAMES},
    {"ones", QKV__BUILTIN_ONES, QKV__OF_MATRICES},
    {"P", QKV__BUILTIN_PROBABILITY, QKV__OF_CHANCE},
    {"rank", QKV__BUILTIN_RANK, QKV__OF_MATRICES},
    {"relu", QKV__BUILTIN_RELU, QKV__OF_NUMBERS},
    {"self_attend", QKV__BUILTIN_SELF_ATTEND, QKV__OF_FAMILY},
    {"sigmoid", QKV__BUILTIN_SIGMOID, QKV__OF_NUMBERS},
    {"sin", QKV__BUILTIN_SIN, QKV__OF_NUMBERS},
    {"softmax", QKV__BUILTIN_SOFTMAX, QKV__OF_FAMILY},
    {"spectral", QKV__BUILTIN_SPECTRAL, QKV__OF_MATRICES},
    {"softplus", QKV__BUILTIN_SOFTPLUS, QKV__OF_NUMBERS},
    {"sqrt", QKV__BUILTIN_SQRT, QKV__OF_NUMBERS},
    {"sum", QKV__BUILTIN_SUM, QKV__OF_NUMBERS},
    {"tanh", QKV__BUILTIN_TANH, QKV__OF_NUMBERS},
    {"trace", QKV__BUILTIN_TRACE, QKV__OF_MATRICES},
    {"Var", QKV__BUILTIN_VARIANCE, QKV__OF_CHANCE},
    {"zeros", QKV__BUILTIN_ZEROS, QKV__OF_MATRICES},
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

qkv__builtin_kind qkv__builtin_kind_of(qkv__builtin function)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].function == function) return rows[i].kind;
    return QKV__OF_NAMES;
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
