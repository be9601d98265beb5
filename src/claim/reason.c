/* Why a limit is what it is, in a sentence: the scores that led to it, and how much of the weight
 * the keys that fade still keep at finite parameters. */
#include "claim/situation.h"
#include "exact/limit.h"

enum { KEYS_SHOWN = 6 };

static qkv__ratio limit_of_weight(qkv__situation *s, qkv__ratio weight)
{
    qkv__limit limit = {QKV__LIMIT_FINITE, qkv__situation_apply(s, weight)};
    for (size_t i = 0; i < s->limit_count && limit.kind == QKV__LIMIT_FINITE; i++) {
        if (!s->limit[i].infinite) return (qkv__ratio){NULL, NULL};
        limit = qkv__ratio_limit(&s->model->algebra, limit.value, s->limit[i].parameter);
    }
    return limit.kind == QKV__LIMIT_FINITE ? limit.value : (qkv__ratio){NULL, NULL};
}

/* "The scores are beta for a, beta for b and 0 for the others." */
static void write_scores(qkv__situation *s, const qkv__result *result, qkv__text *text)
{
    const qkv__attention *row = result->row[0];
    qkv__text_format(text, "The scores are ");
    for (size_t i = 0; i < row->count; i++) {
        qkv__text_format(text, "%s", i == 0 ? "" : i + 1 == row->count ? " and " : ", ");
        qkv__ratio_write(&s->model->algebra, qkv__situation_apply(s, row->score[i]), text);
        if (i < result->keys->mark_count)
            qkv__text_format(text, " for %s", result->keys->mark[i]);
        else
            qkv__text_format(text, row->count > 1 ? " for the others" : " for all keys");
    }
    qkv__text_format(text, ".");
}

/* The weight of all keys whose own weight tends to 0; lost when that cannot be told. */
static qkv__ratio leak_of(qkv__situation *s, const qkv__result *result)
{
    qkv__algebra *algebra = &s->model->algebra;
    const qkv__attention *row = result->row[0];
    qkv__ratio leak = qkv__ratio_whole(algebra, 0);
    for (size_t i = 0; i < row->count; i++) {
        qkv__ratio limit = limit_of_weight(s, row->weight[i]);
        if (qkv__ratio_is_lost(limit)) return limit;
        if (!qkv__ratio_is_zero(limit)) continue;
        qkv__ratio part = row->weight[i];
        if (i >= result->keys->mark_count)
            part = qkv__ratio_multiply(algebra, part, qkv__rest_size(algebra, result->keys));
        leak = qkv__ratio_add(algebra, leak, part);
    }
    return qkv__situation_apply(s, leak);
}

static void explain_head(qkv__situation *s, const qkv__result *result)
{
    qkv__text text = {0};
    const qkv__attention *row = result->row[0];
    bool plain = result->queries == NULL && row->score != NULL && row->count <= KEYS_SHOWN &&
                 row->count <= result->keys->mark_count + 1;
    if (!plain) return;
    write_scores(s, result, &text);
    qkv__situation_say(s, text.data == NULL ? "" : text.data);
    text.length = 0;
    qkv__ratio leak = leak_of(s, result);
    if (!qkv__ratio_is_lost(leak) && !qkv__ratio_is_zero(leak)) {
        qkv__text_format(&text, "The keys that fade keep ");
        qkv__ratio_write(&s->model->algebra, leak, &text);
        qkv__text_format(&text, " of the weight.");
        qkv__situation_say(s, text.data == NULL ? "" : text.data);
    }
    qkv__text_free(&text);
}

void qkv__explain_limit(qkv__situation *s, const qkv__value *x)
{
    if (x->kind != QKV__VALUE_RESULT) return;
    for (size_t i = 0; i < x->result->head_count; i++) explain_head(s, x->result->head[i]);
    if (x->result->head_count == 0) explain_head(s, x->result);
}
