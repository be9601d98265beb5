/* The numbers that a claim mentions: where it changes its sign, or how far out it does, is often
 * one of them, and no number that is drawn blindly is. Knows nothing of cases. */
#include "claim/search/search_part.h"

static bool is_kept(const qkv__rational *list, size_t count, qkv__rational value)
{
    for (size_t i = 0; i < count; i++)
        if (qkv__rational_compare(list[i], value) == 0) return true;
    return false;
}

static void keep(qkv__mentioned *m, qkv__rational value)
{
    if (!qkv__rational_is_lost(value) && m->count < QKV__MENTIONED &&
        !is_kept(m->number, m->count, value))
        m->number[m->count++] = value;
}

static void keep_scale(qkv__mentioned *m, qkv__rational value)
{
    if (!qkv__rational_is_lost(value) && m->scale_count < QKV__MENTIONED &&
        !is_kept(m->scale, m->scale_count, value))
        m->scale[m->scale_count++] = value;
}

/* 17/97, -3, 10^15: numbers made of numbers alone. Lost for anything else. */
static qkv__rational constant(const qkv__node *node)
{
    enum { MOST = 40 };
    if (node->kind == QKV__NODE_NUMBER) return node->value;
    if (node->kind == QKV__NODE_NEGATE) return qkv__rational_negate(constant(node->child[0]));
    if (node->kind != QKV__NODE_ADD && node->kind != QKV__NODE_SUBTRACT &&
        node->kind != QKV__NODE_MULTIPLY && node->kind != QKV__NODE_DIVIDE &&
        node->kind != QKV__NODE_POWER)
        return QKV__RATIONAL_LOST;
    qkv__rational x = constant(node->child[0]), y = constant(node->child[1]);
    if (qkv__rational_is_lost(x) || qkv__rational_is_lost(y)) return QKV__RATIONAL_LOST;
    switch (node->kind) {
    case QKV__NODE_ADD: return qkv__rational_add(x, y);
    case QKV__NODE_SUBTRACT: return qkv__rational_subtract(x, y);
    case QKV__NODE_MULTIPLY: return qkv__rational_multiply(x, y);
    case QKV__NODE_DIVIDE:
        return qkv__rational_is_zero(y) ? QKV__RATIONAL_LOST : qkv__rational_divide(x, y);
    default: break;
    }
    if (!qkv__rational_is_whole(y) || y.numerator < 1 || y.numerator > MOST)
        return QKV__RATIONAL_LOST;
    qkv__rational power = x;
    for (int64_t i = 1; i < y.numerator; i++) power = qkv__rational_multiply(power, x);
    return power;
}

/* What is far from all that is drawn, and what is nearer to 0: within 2^40, so that products stay
 * in range. */
static void keep_number(qkv__mentioned *m, qkv__rational value)
{
    enum { DRAWN = 1000 };
    const qkv__rational most = {INT64_C(1) << 40, 1}, far = {DRAWN, 1}, near = {1, DRAWN};
    const qkv__rational plain = {10, 1};
    qkv__rational size = qkv__rational_sign(value) < 0 ? qkv__rational_negate(value) : value;
    if (qkv__rational_is_zero(size) ||
        (qkv__rational_is_whole(size) && qkv__rational_compare(size, plain) <= 0))
        return; /* drawn anyway */
    keep(m, value);
    keep(m, qkv__rational_negate(value));
    keep(m, qkv__rational_multiply(value, qkv__rational_whole(10)));
    keep(m, qkv__rational_multiply(value, qkv__rational_whole(-10)));
    if (qkv__rational_compare(size, far) > 0 && qkv__rational_compare(size, most) < 0)
        keep_scale(m, qkv__rational_multiply(qkv__rational_whole(2), size));
    if (qkv__rational_compare(size, near) < 0 &&
        qkv__rational_compare(qkv__rational_divide(qkv__rational_whole(1), size), most) < 0)
        keep_scale(m, qkv__rational_divide(size, qkv__rational_whole(2)));
}

static void collect(qkv__mentioned *m, const qkv__node *node)
{
    qkv__rational value = constant(node);
    if (!qkv__rational_is_lost(value)) {
        keep_number(m, value);
        return;
    }
    for (size_t i = 0; i < node->count; i++) collect(m, node->child[i]);
}

void qkv__search_mentioned(const qkv__replay *replay, qkv__mentioned *mentioned)
{
    collect(mentioned, replay->proposition);
    for (size_t i = 0; i < replay->premise_count; i++) collect(mentioned, replay->premise[i].node);
}
