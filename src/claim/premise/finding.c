/* Verdicts, and what signs say of them. Knows nothing of engines. */
#include "claim/premise/finding.h"

const char *qkv__verdict_name(qkv__verdict verdict)
{
    static const char *const names[] = {"undecided", "proved", "refuted", "supported"};
    return names[verdict];
}

qkv__verdict qkv__verdict_both(qkv__verdict a, qkv__verdict b)
{
    if (a == QKV__REFUTED || b == QKV__REFUTED) return QKV__REFUTED;
    if (a == QKV__UNDECIDED || b == QKV__UNDECIDED) return QKV__UNDECIDED;
    return a == QKV__SUPPORTED || b == QKV__SUPPORTED ? QKV__SUPPORTED : QKV__PROVED;
}

/* Whether the sign is one that the comparison with zero allows, or proves wrong. */
qkv__verdict qkv__judge_sign(qkv__sign sign, qkv__comparison comparison)
{
    bool positive = sign == QKV__SIGN_POSITIVE, negative = sign == QKV__SIGN_NEGATIVE;
    bool zero = sign == QKV__SIGN_ZERO;
    bool not_negative = positive || zero || sign == QKV__SIGN_NONNEGATIVE;
    bool not_positive = negative || zero || sign == QKV__SIGN_NONPOSITIVE;
    switch (comparison) {
    case QKV__GREATER: return positive ? QKV__PROVED : not_positive ? QKV__REFUTED : QKV__UNDECIDED;
    case QKV__GREATER_OR_EQUAL:
        return not_negative ? QKV__PROVED : negative ? QKV__REFUTED : QKV__UNDECIDED;
    case QKV__LESS: return negative ? QKV__PROVED : not_negative ? QKV__REFUTED : QKV__UNDECIDED;
    case QKV__LESS_OR_EQUAL:
        return not_positive ? QKV__PROVED : positive ? QKV__REFUTED : QKV__UNDECIDED;
    case QKV__NOT_EQUAL:
        return positive || negative ? QKV__PROVED : zero ? QKV__REFUTED : QKV__UNDECIDED;
    default: return QKV__UNDECIDED;
    }
}

void qkv__finding_free(qkv__finding *finding)
{
    qkv__text_free(&finding->found);
    qkv__text_free(&finding->reason);
}
