/*
 * Limits of weights put into an expression. What stands around a weight must be continuous, and
 * what multiplies it must grow no faster than a power of the parameter: the difference made is then
 * one that tends to 0. Where no rate is known (`slow`), nothing may grow at all; who asks sees to
 * that.
 */
#include <string.h>

#include "claim/limiting/limiting_part.h"
#include "language/builtin.h"
#include "language/tree.h"

/* ---- Making -------------------------------------------------------------------------- */

/* The number of keys. */
static const qkv__node *size_of(qkv__limiting *l, const qkv__node *attention)
{
    const qkv__node *range = qkv__tree_family_range(l->q, attention->child[1]->text);
    return range == NULL ? NULL : qkv__tree_size(l->q, range);
}

/* e^sink, added to a number. */
static const qkv__node *with_sink(qkv__limiting *l, const qkv__node *number, const qkv__node *sink)
{
    if (sink == NULL || number == NULL) return number;
    const bool nought = sink->kind == QKV__NODE_NUMBER && qkv__rational_is_zero(sink->value);
    const qkv__node *base =
        nought ? qkv__tree_number(l->q, 1) : qkv__tree_make(l->q, QKV__NODE_NAME, "e", NULL, NULL);
    const qkv__node *power =
        nought || base == NULL ? base : qkv__tree_make(l->q, QKV__NODE_POWER, "", base, sink);
    return power == NULL ? NULL : qkv__tree_make(l->q, QKV__NODE_ADD, "", number, power);
}

/* 1/n, or 1/(n + e^sink) */
static const qkv__node *one_in(qkv__limiting *l, const qkv__node *attention, const qkv__node *sink)
{
    const qkv__node *one = qkv__tree_number(l->q, 1);
    const qkv__node *size = with_sink(l, size_of(l, attention), sink);
    return one == NULL || size == NULL ? NULL
                                       : qkv__tree_make(l->q, QKV__NODE_DIVIDE, "", one, size);
}

/* mean(v[i] for i in 1..n), or sum(v[i] for i in 1..n)/(n + e^sink) */
static const qkv__node *mean_of(qkv__limiting *l, const qkv__node *attention, const qkv__node *sink)
{
    const qkv__node *range = qkv__tree_family_range(l->q, attention->child[1]->text);
    const qkv__node *key = qkv__tree_make(l->q, QKV__NODE_NAME, l->letter, NULL, NULL);
    if (range == NULL || key == NULL) return NULL;
    const qkv__node *value = qkv__tree_make(l->q, QKV__NODE_INDEX, "", attention->child[2], key);
    const qkv__node *domain = qkv__tree_domain(l->q, key, range);
    if (value == NULL || domain == NULL) return NULL;
    const qkv__node *over = qkv__tree_make(l->q, QKV__NODE_SUM, l->letter, value, domain);
    if (over == NULL || sink == NULL)
        return over == NULL ? NULL : qkv__tree_make(l->q, QKV__NODE_CALL, "mean", over, NULL);
    const qkv__node *sum = qkv__tree_make(l->q, QKV__NODE_CALL, "sum", over, NULL);
    const qkv__node *size = with_sink(l, size_of(l, attention), sink);
    return sum == NULL || size == NULL ? NULL
                                       : qkv__tree_make(l->q, QKV__NODE_DIVIDE, "", sum, size);
}

/* 1/m, of m keys that share the weight, the sink among them if it does */
static const qkv__node *share_of(qkv__limiting *l, const qkv__weights *weights)
{
    const int64_t parts = (int64_t)weights->count + (weights->sunk ? 1 : 0);
    const qkv__node *one = qkv__tree_number(l->q, 1), *all = qkv__tree_number(l->q, parts);
    if (one == NULL || all == NULL || parts == 1) return one;
    return qkv__tree_make(l->q, QKV__NODE_DIVIDE, "", one, all);
}

/* A member of the family that the problem names, else the first. */
static const qkv__node *some_key(qkv__limiting *l, const qkv__node *attention)
{
    const qkv__node *range = qkv__tree_family_range(l->q, attention->child[1]->text);
    for (size_t i = 0; i < l->index_count; i++)
        if (qkv__limiting_is_of_range(l, l->index[i], range)) return l->index[i];
    return qkv__tree_number(l->q, 1);
}

/* v[a] + v[b]; some value, where none has a share */
static const qkv__node *sum_of_values(qkv__limiting *l, const qkv__node *attention,
                                      const qkv__weights *weights)
{
    const qkv__node *sum = NULL, *values = attention->child[2];
    for (size_t i = 0; i < weights->count || i == 0; i++) {
        const qkv__node *key = weights->count > 0 ? weights->key[i] : some_key(l, attention);
        const qkv__node *value =
            key == NULL ? NULL : qkv__tree_make(l->q, QKV__NODE_INDEX, "", values, key);
        if (value == NULL) return NULL;
        sum = i == 0 ? value : qkv__tree_make(l->q, QKV__NODE_ADD, "", sum, value);
        if (sum == NULL) return NULL;
    }
    return sum;
}

/* 1/2 (v[a] + v[b]); 0*v[1], where the sink has everything */
static const qkv__node *shared_output(qkv__limiting *l, const qkv__node *attention,
                                      const qkv__weights *weights)
{
    const qkv__node *sum = sum_of_values(l, attention, weights);
    if (sum == NULL || qkv__limiting_winner(weights) != NULL) return sum;
    const qkv__node *share = weights->count == 0 ? qkv__tree_number(l->q, 0) : share_of(l, weights);
    return share == NULL ? NULL : qkv__tree_make(l->q, QKV__NODE_MULTIPLY, "", share, sum);
}

/* ---- What is known ------------------------------------------------------------------- */

/* Notes that a limit is put in. */
static const qkv__node *put(qkv__limiting *l, const qkv__weights *weights, const qkv__node *limit)
{
    l->put_count++;
    if (weights->kind != QKV__WEIGHTS_EQUAL) l->identical = false;
    if (weights->kind == QKV__WEIGHTS_EVEN) l->slow = true;
    return limit;
}

/* The weights of an attention that no index of a sum around it occurs in. */
static const qkv__weights *weights_of(qkv__limiting *l, const qkv__node *attention)
{
    for (size_t i = l->bound_count - l->own_count; i < l->bound_count; i++)
        if (qkv__node_names(attention, l->bound[i]->child[0]->text)) return NULL;
    const qkv__weights *weights = qkv__limiting_weights(l, attention);
    return weights->kind == QKV__WEIGHTS_UNKNOWN ? NULL : weights;
}

static const qkv__node *output(qkv__limiting *l, const qkv__node *attention)
{
    const qkv__weights *weights = weights_of(l, attention);
    if (weights == NULL) return NULL;
    return put(l, weights,
               weights->kind == QKV__WEIGHTS_SHARED ? shared_output(l, attention, weights)
                                                    : mean_of(l, attention, weights->sink));
}

/* 0, where that is known of this key alone. */
static const qkv__node *beaten(qkv__limiting *l, const qkv__node *attention, const qkv__node *index)
{
    for (size_t i = l->bound_count - l->own_count; i < l->bound_count; i++)
        if (qkv__node_names(attention, l->bound[i]->child[0]->text)) return NULL;
    if (!qkv__limiting_is_beaten(l, attention, index)) return NULL;
    l->put_count++;
    l->identical = false;
    l->beaten = true;
    return qkv__tree_number(l->q, 0);
}

static const qkv__node *weight(qkv__limiting *l, const qkv__node *attention, const qkv__node *index)
{
    const qkv__weights *weights = weights_of(l, attention);
    if (weights == NULL) return beaten(l, attention, index);
    if (weights->kind != QKV__WEIGHTS_SHARED)
        return put(l, weights, one_in(l, attention, weights->sink));
    for (size_t i = 0; i < weights->count; i++) {
        const int same = qkv__limiting_same(l, index, weights->key[i]);
        if (same > 0) return put(l, weights, share_of(l, weights));
        if (same == 0) return beaten(l, attention, index);
    }
    return put(l, weights, qkv__tree_number(l->q, 0));
}

/* sum(w ln w) over all weights: -ln m for m keys that share the weight. */
static const qkv__node *sum_of_logarithms(qkv__limiting *l, const qkv__node *attention)
{
    const qkv__weights *weights = weights_of(l, attention);
    if (weights == NULL || weights->sink != NULL) return NULL;
    if (qkv__limiting_winner(weights) != NULL) return put(l, weights, qkv__tree_number(l->q, 0));
    const qkv__node *size = weights->kind == QKV__WEIGHTS_SHARED
                                ? qkv__tree_number(l->q, (int64_t)weights->count)
                                : size_of(l, attention);
    const qkv__node *logarithm =
        size == NULL ? NULL : qkv__tree_make(l->q, QKV__NODE_CALL, "ln", size, NULL);
    return logarithm == NULL
               ? NULL
               : put(l, weights, qkv__tree_make(l->q, QKV__NODE_NEGATE, "", logarithm, NULL));
}

/* sum(w[i]*ln(w[i]) for i in 1..n), over all keys; NULL: something else. */
static const qkv__node *attention_of_entropy(qkv__limiting *l, const qkv__node *over)
{
    const qkv__node *body = over->child[0], *domain = over->child[1], *attention, *index, *other,
                    *at;
    if (body->kind != QKV__NODE_MULTIPLY || domain->comparison != QKV__IN) return NULL;
    for (int i = 0; i < 2; i++) {
        const qkv__node *logarithm = body->child[1 - i];
        if (!qkv__tree_is_weight(l->q, body->child[i], &attention, &index) ||
            qkv__builtin_of(logarithm) != QKV__BUILTIN_LN || logarithm->count != 1 ||
            !qkv__tree_is_weight(l->q, logarithm->child[0], &other, &at) ||
            index->kind != QKV__NODE_NAME || strcmp(index->text, over->text) != 0 ||
            at->kind != QKV__NODE_NAME || strcmp(at->text, over->text) != 0 ||
            qkv__node_names(attention, over->text) || qkv__node_names(other, over->text))
            continue;
        const char *x = qkv__tree_text(l->q, attention), *y = qkv__tree_text(l->q, other);
        const qkv__node *range = qkv__tree_family_range(l->q, attention->child[1]->text);
        const char *all = range == NULL ? NULL : qkv__tree_text(l->q, range);
        const char *own = qkv__tree_text(l->q, domain->child[1]);
        if (x != NULL && y != NULL && all != NULL && own != NULL && strcmp(x, y) == 0 &&
            strcmp(all, own) == 0)
            return attention;
    }
    return NULL;
}

/* ---- Expressions --------------------------------------------------------------------- */

static bool is_whole(const qkv__node *node, int64_t number)
{
    return node != NULL && node->kind == QKV__NODE_NUMBER &&
           qkv__rational_compare(node->value, qkv__rational_whole(number)) == 0;
}

static bool is_nought(const qkv__node *node)
{
    return is_whole(node, 0) || (node->kind == QKV__NODE_MULTIPLY && is_whole(node->child[0], 0));
}

/* What people would not leave as it is: -0, --x, |0*v|, 1 - 1, 1^2, sum(0 for i in 1..n), ln(1). */
static const qkv__node *tidy(qkv__limiting *l, const qkv__node *node)
{
    if (node == NULL || node->count == 0) return node;
    const qkv__node *first = node->child[0];
    if (node->kind == QKV__NODE_NEGATE && is_whole(first, 0)) return first;
    if (node->kind == QKV__NODE_SIZE && is_nought(first)) return qkv__tree_number(l->q, 0);
    if (node->kind == QKV__NODE_NEGATE && first->kind == QKV__NODE_NEGATE) return first->child[0];
    if (node->kind == QKV__NODE_MULTIPLY && is_whole(first, 0) &&
        qkv__tree_is_scalar(l->q, node->child[1]))
        return first;
    if (node->kind == QKV__NODE_SUBTRACT && is_whole(node->child[1], 0)) return first;
    if (node->kind == QKV__NODE_ADD && is_whole(node->child[1], 0)) return first;
    if (node->kind == QKV__NODE_POWER && (is_whole(first, 0) || is_whole(first, 1))) return first;
    if (qkv__builtin_of(node) == QKV__BUILTIN_SUM && qkv__call_is_over(node) &&
        is_whole(first->child[0], 0))
        return first->child[0];
    if (node->kind == QKV__NODE_SUBTRACT && is_whole(first, 1) && is_whole(node->child[1], 1))
        return qkv__tree_number(l->q, 0);
    if (qkv__builtin_of(node) == QKV__BUILTIN_LN && is_whole(first, 1))
        return qkv__tree_number(l->q, 0);
    return node;
}

static bool has_attention(qkv__limiting *l, const qkv__node *node)
{
    qkv__logsum sum;
    if (qkv__tree_is_attention(l->q, node)) return true;
    if (!qkv__limiting_is_fixed(l, node) && qkv__limiting_is_attention(l, node)) return true;
    if (!qkv__limiting_is_fixed(l, node) && qkv__limiting_read_logsum(l, node, &sum)) return true;
    for (size_t i = 0; i < node->count; i++)
        if (has_attention(l, node->child[i])) return true;
    return false;
}

/* The same node with its children rewritten. */
static const qkv__node *with_parts(qkv__limiting *l, const qkv__node *node)
{
    enum { MOST = 16 };
    const qkv__node *child[MOST];
    if (node->count > MOST) return NULL;
    for (size_t i = 0; i < node->count; i++)
        if ((child[i] = qkv__limiting_rewrite(l, node->child[i])) == NULL) return NULL;
    qkv__node *made = qkv__arena_take(&l->q->algebra.arena, sizeof *made);
    const qkv__node **copy = qkv__arena_array(&l->q->algebra.arena, node->count, sizeof *copy);
    if (made == NULL || copy == NULL) return NULL;
    *made = *node;
    made->child = memcpy(copy, child, node->count * sizeof *copy);
    for (size_t i = 0; i < node->count; i++)
        if (child[i]->depth >= made->depth) made->depth = child[i]->depth + 1;
    return made->depth > QKV__TREE_DEPTH ? NULL : made;
}

/* Notes that a limit is put in of which no rate is known. */
static const qkv__node *put_slow(qkv__limiting *l, const qkv__node *limit)
{
    l->put_count++;
    l->identical = false;
    l->slow = true;
    return limit;
}

/* A logarithm of a sum by itself: the largest score, where that takes all, plus ln m, where it is
 * that of m keys; or ln n. */
static const qkv__node *logsum(qkv__limiting *l, const qkv__logsum *sum)
{
    const qkv__weights *weights = sum->attention == NULL ? NULL : weights_of(l, sum->attention);
    if (weights != NULL && weights->kind == QKV__WEIGHTS_SHARED && weights->sink == NULL) {
        const qkv__node *score = qkv__tree_score(l->q, sum->attention, weights->key[0]);
        const qkv__node *count = qkv__tree_number(l->q, (int64_t)weights->count);
        if (weights->count == 1) return score == NULL ? NULL : put(l, weights, score);
        const qkv__node *more =
            count == NULL ? NULL : qkv__tree_make(l->q, QKV__NODE_CALL, "ln", count, NULL);
        return score == NULL || more == NULL
                   ? NULL
                   : put(l, weights, qkv__tree_make(l->q, QKV__NODE_ADD, "", score, more));
    }
    const qkv__node *limit = l->own_count > 0 ? NULL : qkv__limiting_logsum_at_zero(l, sum);
    if (limit != NULL) l->log_sums = true;
    return limit == NULL ? NULL : put_slow(l, limit);
}

/* ln(sum of e^(f*g[i]))/f, and its product with 1/f: max g[i], times what else there is. */
static const qkv__node *logsum_over(qkv__limiting *l, const qkv__node *node)
{
    const bool divide = node->kind == QKV__NODE_DIVIDE;
    for (int at = 0; at < (divide ? 1 : 2); at++) {
        const qkv__node *other = node->child[1 - at];
        qkv__logsum sum;
        qkv__growth growth;
        int degree;
        if (l->own_count > 0 || !qkv__limiting_read_logsum(l, node->child[at], &sum) ||
            has_attention(l, other) || !qkv__limiting_growth(l, other, &growth) || !growth.exact)
            continue;
        const qkv__node *most = qkv__limiting_logsum_growth(l, &sum, &degree);
        if (most == NULL || growth.degree != (divide ? degree : -degree)) continue;
        l->log_sums = true;
        const bool one = is_whole(growth.coefficient, 1);
        return put_slow(l, one ? most
                               : qkv__tree_make(l->q, node->kind, node->text,
                                                at == 0 ? most : growth.coefficient,
                                                at == 0 ? growth.coefficient : most));
    }
    return NULL;
}

/* A sum, mean, maximum or minimum over indexes; its range is held fixed. */
static const qkv__node *over_indexes(qkv__limiting *l, const qkv__node *node)
{
    const qkv__node *domain = node->child[1];
    if (!qkv__node_is_domain(domain) || has_attention(l, domain) ||
        !qkv__limiting_is_fixed(l, domain) || l->bound_count == QKV__LIMITING_BOUNDS)
        return NULL;
    for (size_t i = 0; i < l->bound_count; i++) /* one name for two indexes */
        if (strcmp(l->bound[i]->child[0]->text, node->text) == 0) return NULL;
    l->bound[l->bound_count++] = domain;
    l->own_count++;
    const qkv__node *body = qkv__limiting_rewrite(l, node->child[0]);
    l->bound_count--;
    l->own_count--;
    return body == NULL ? NULL : qkv__tree_make(l->q, QKV__NODE_SUM, node->text, body, domain);
}

/* Whether a sum or maximum is over all keys of an attention. */
static bool is_over_keys(qkv__limiting *l, const qkv__node *over, const qkv__node *attention)
{
    const qkv__node *range = qkv__tree_family_range(l->q, attention->child[1]->text);
    const qkv__node *domain = over->child[1];
    if (range == NULL || domain->comparison != QKV__IN || domain->child[1]->kind != QKV__NODE_RANGE)
        return false;
    const char *all = qkv__tree_text(l->q, range), *own = qkv__tree_text(l->q, domain->child[1]);
    return all != NULL && own != NULL && strcmp(all, own) == 0;
}

/* What the first weight in a body tends to whose index is the running one, if some keys share it.
 */
static const qkv__weights *running_weight(qkv__limiting *l, const qkv__node *node,
                                          const char *index, const qkv__node **attention)
{
    const qkv__node *at;
    if (qkv__limiting_is_weight(l, node, attention, &at) && at->kind == QKV__NODE_NAME &&
        strcmp(at->text, index) == 0 && !qkv__node_names(*attention, index)) {
        const qkv__weights *weights = weights_of(l, *attention);
        return weights != NULL && weights->kind == QKV__WEIGHTS_SHARED ? weights : NULL;
    }
    for (size_t i = 0; i < node->count; i++) {
        const qkv__weights *found = running_weight(l, node->child[i], index, attention);
        if (found != NULL) return found;
    }
    return NULL;
}

/* sum(c.weight[i] for i in 1..n) of an attention with a sink: 1, where some score exceeds that. */
static const qkv__node *sum_of_weights(qkv__limiting *l, const qkv__node *over)
{
    const qkv__node *attention, *index;
    if (!qkv__limiting_is_weight(l, over->child[0], &attention, &index) ||
        qkv__tree_is_attention(l->q, attention) || index->kind != QKV__NODE_NAME ||
        strcmp(index->text, over->text) != 0 || qkv__node_names(attention, over->text) ||
        !is_over_keys(l, over, attention))
        return NULL;
    for (size_t i = l->bound_count - l->own_count; i < l->bound_count; i++)
        if (qkv__node_names(attention, l->bound[i]->child[0]->text)) return NULL;
    if (!qkv__limiting_sums_to_one(l, attention)) return NULL;
    l->put_count++;
    l->identical = false;
    l->total = true;
    return qkv__tree_number(l->q, 1);
}

/* sum(c.weight[i]*g[i] for i in 1..n), where scores are g[i]*moving^degree and grow: max g[i]. Only
 * the largest keep any weight, however many they are. */
static const qkv__node *mean_of_scores(qkv__limiting *l, const qkv__node *over)
{
    const qkv__node *body = over->child[0], *attention, *index;
    for (int at = 0; body->kind == QKV__NODE_MULTIPLY && at < 2; at++) {
        if (!qkv__tree_is_weight(l->q, body->child[at], &attention, &index) ||
            index->kind != QKV__NODE_NAME || strcmp(index->text, over->text) != 0 ||
            qkv__node_names(attention, over->text) || !is_over_keys(l, over, attention) ||
            l->own_count > 0)
            continue;
        const qkv__node *leading = qkv__limiting_leading_score(l, attention, index);
        const char *x = leading == NULL ? NULL : qkv__tree_text(l->q, leading);
        const char *y = qkv__tree_text(l->q, body->child[1 - at]);
        if (x == NULL || y == NULL || strcmp(x, y) != 0) continue;
        const qkv__node *scores =
            qkv__tree_make(l->q, QKV__NODE_SUM, over->text, leading, over->child[1]);
        const qkv__node *most =
            scores == NULL ? NULL : qkv__tree_make(l->q, QKV__NODE_CALL, "max", scores, NULL);
        if (most != NULL) l->most = true;
        return most == NULL ? NULL : put_slow(l, most);
    }
    return NULL;
}

/* A sum over all keys, those of the largest scores apart from the others. */
static const qkv__node *split_sum(qkv__limiting *l, const qkv__node *call)
{
    const qkv__node *over = call->child[0], *attention;
    const qkv__weights *weights = running_weight(l, over->child[0], over->text, &attention);
    if (weights == NULL || weights->count == 0 || !is_over_keys(l, over, attention)) return NULL;
    const qkv__node *others =
        qkv__limiting_others(l, over->child[1]->child[0], weights->key, weights->count);
    if (others == NULL) return NULL;
    const qkv__node *rest = qkv__tree_make(l->q, QKV__NODE_SUM, over->text, over->child[0], others);
    rest = rest == NULL ? NULL : qkv__tree_make(l->q, QKV__NODE_CALL, "sum", rest, NULL);
    rest = rest == NULL ? NULL : qkv__limiting_rewrite(l, rest);
    for (size_t i = weights->count; rest != NULL && i-- > 0;) {
        const char *name = qkv__tree_text(l->q, weights->key[i]);
        const qkv__node *own =
            name == NULL ? NULL : qkv__tree_put(l->q, over->child[0], over->text, name);
        own = own == NULL ? NULL : qkv__limiting_rewrite(l, own);
        rest = own == NULL ? NULL : tidy(l, qkv__tree_make(l->q, QKV__NODE_ADD, "", own, rest));
    }
    return rest;
}

/* max(c.weight[i] for i in 1..n), where some of them share the weight, or the sink has it. */
static const qkv__node *largest_weight(qkv__limiting *l, const qkv__node *over)
{
    const qkv__node *attention, *index;
    if (!qkv__limiting_is_weight(l, over->child[0], &attention, &index)) return NULL;
    const qkv__weights *weights = running_weight(l, over->child[0], over->text, &attention);
    if (weights == NULL || !is_over_keys(l, over, attention)) return NULL;
    return put(l, weights, weights->count == 0 ? qkv__tree_number(l->q, 0) : share_of(l, weights));
}

/* x^2; e^x, which is continuous. */
static const qkv__node *power(qkv__limiting *l, const qkv__node *node)
{
    const qkv__node *base = node->child[0], *exponent = node->child[1];
    if (exponent->kind == QKV__NODE_NUMBER && qkv__rational_is_whole(exponent->value) &&
        qkv__rational_sign(exponent->value) > 0)
        return tidy(l, with_parts(l, node));
    if (base->kind != QKV__NODE_NAME || strcmp(base->text, "e") != 0) return NULL;
    const qkv__node *made = with_parts(l, node);
    return made != NULL && qkv__limiting_is_fixed(l, made) ? made : NULL;
}

/* Functions of numbers that are continuous wherever they have a value; what is no more than that
 * must have an argument with a limit. */
static const qkv__node *call(qkv__limiting *l, const qkv__node *node)
{
    const qkv__node *made, *attention, *index;
    switch (qkv__builtin_of(node)) {
    case QKV__BUILTIN_MAX:
        if (qkv__call_is_over(node) && (made = largest_weight(l, node->child[0])) != NULL)
            return made;
        return with_parts(l, node);
    case QKV__BUILTIN_ABS:
    case QKV__BUILTIN_MIN:
    case QKV__BUILTIN_RELU: return with_parts(l, node);
    case QKV__BUILTIN_MEAN: return node->count >= 1 ? with_parts(l, node) : NULL;
    case QKV__BUILTIN_SUM:
        if (!qkv__call_is_over(node)) return NULL;
        if ((attention = attention_of_entropy(l, node->child[0])) != NULL)
            return sum_of_logarithms(l, attention);
        if ((attention = qkv__tree_mean(l->q, node->child[0])) != NULL) return output(l, attention);
        if ((made = sum_of_weights(l, node->child[0])) != NULL) return made;
        made = tidy(l, with_parts(l, node));
        if (made == NULL) made = split_sum(l, node);
        return made != NULL ? made : mean_of_scores(l, node->child[0]);
    case QKV__BUILTIN_EXP:
    case QKV__BUILTIN_TANH:
    case QKV__BUILTIN_SIGMOID:
    case QKV__BUILTIN_SOFTPLUS:
        made = node->count == 1 ? with_parts(l, node) : NULL;
        return made != NULL && qkv__limiting_is_fixed(l, made) ? made : NULL;
    case QKV__BUILTIN_LN: /* of a weight that does not vanish */
        made = node->count == 1 && qkv__limiting_is_weight(l, node->child[0], &attention, &index)
                   ? with_parts(l, node)
                   : NULL;
        return made == NULL || is_whole(made->child[0], 0) ? NULL : tidy(l, made);
    case QKV__BUILTIN_DERIVATIVE: /* of a weight that tends to 0 or 1 exponentially */
        if (node->child[1]->kind != QKV__NODE_NAME || l->moving == NULL ||
            strcmp(node->child[1]->text, l->moving) != 0 ||
            !qkv__tree_is_weight(l->q, node->child[0], &attention, &index))
            return NULL;
        const qkv__weights *weights = weights_of(l, attention);
        return weights == NULL || weights->kind != QKV__WEIGHTS_SHARED
                   ? NULL
                   : put(l, weights, qkv__tree_number(l->q, 0));
    default: return NULL;
    }
}

const qkv__node *qkv__limiting_rewrite(qkv__limiting *l, const qkv__node *node)
{
    const qkv__node *attention, *index, *made;
    qkv__growth growth;
    qkv__logsum sum;
    if (!has_attention(l, node)) /* of a growth that is known, or held fixed */
        return qkv__limiting_growth(l, node, &growth) ? node : NULL;
    if (qkv__limiting_read_logsum(l, node, &sum)) return logsum(l, &sum);
    if ((node->kind == QKV__NODE_DIVIDE || node->kind == QKV__NODE_MULTIPLY) &&
        (made = logsum_over(l, node)) != NULL)
        return made;
    switch (node->kind) {
    case QKV__NODE_CALL:
        return qkv__limiting_is_attention(l, node) ? output(l, node) : call(l, node);
    case QKV__NODE_INDEX:
        return qkv__limiting_is_weight(l, node, &attention, &index) ? weight(l, attention, index)
                                                                    : NULL;
    case QKV__NODE_SUM: return over_indexes(l, node);
    case QKV__NODE_POWER: return power(l, node);
    case QKV__NODE_DIVIDE:
        return has_attention(l, node->child[1]) ||
                       !qkv__limiting_growth(l, node->child[1], &growth) || !growth.exact
                   ? NULL
                   : with_parts(l, node);
    case QKV__NODE_NEGATE:
    case QKV__NODE_ADD:
    case QKV__NODE_SUBTRACT:
    case QKV__NODE_MULTIPLY:
    case QKV__NODE_DOT:
    case QKV__NODE_SIZE:
    case QKV__NODE_LIST: return tidy(l, with_parts(l, node));
    default: return NULL;
    }
}
