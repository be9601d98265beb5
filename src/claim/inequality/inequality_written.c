/* Families that are made of others, member by member, and attention by its definition: a sum of
 * values with factors e^(score), over the sum of these factors. That is how attention with a bias,
 * or over made families, is read. Knows trees; nothing of numbers nor of proofs. */
#include <stdio.h>
#include <string.h>

#include "claim/inequality/inequality_part.h"
#include "language/builtin.h"
#include "language/family_index.h"
#include "language/tree.h"

/* ---- Made families ------------------------------------------------------------------- */

/* Sums with bound indexes that no document has, so that nothing put into them is caught. */
static const qkv__node *freshened(qkv__inequality *q, const qkv__node *node, const void *context)
{
    if (node->kind != QKV__NODE_SUM) return qkv__tree_with_children(q, node, freshened, context);
    const qkv__node *domain = node->child[1];
    const char *name = qkv__tree_fresh_name(q);
    if (name == NULL || domain->kind != QKV__NODE_COMPARE || domain->comparison != QKV__IN)
        return NULL;
    const qkv__node *body = qkv__tree_put(q, node->child[0], node->text, name);
    const qkv__node *index = qkv__tree_make(q, QKV__NODE_NAME, name, NULL, NULL);
    if (body == NULL || index == NULL || (body = freshened(q, body, context)) == NULL) return NULL;
    domain = qkv__tree_domain(q, index, domain->child[1]);
    return domain == NULL ? NULL : qkv__tree_make(q, QKV__NODE_SUM, name, body, domain);
}

/* Whether an index stands for its number: anywhere but in k[i]. */
static bool is_number_in(const qkv__node *node, const char *name)
{
    if (node->kind == QKV__NODE_NAME) return strcmp(node->text, name) == 0;
    for (size_t i = 0; i < node->count; i++) {
        const bool member = node->kind == QKV__NODE_INDEX && i > 0;
        if (!(member && node->child[i]->kind == QKV__NODE_NAME) &&
            is_number_in(node->child[i], name))
            return true;
    }
    return false;
}

static bool is_picked(const qkv__inequality *q, const char *name)
{
    for (const qkv__statement *s = q->model->statements; s != NULL; s = qkv__statement_after(s))
        for (size_t i = 0; s->kind == QKV__STATEMENT_PICK && i + 1 < s->count; i++)
            if (strcmp(s->node[i]->text, name) == 0) return true;
    return false;
}

const qkv__node *qkv__tree_made_member(qkv__inequality *q, const qkv__node *node)
{
    char number[24];
    if (node->kind != QKV__NODE_INDEX || node->count != 2 || !qkv__list_is_family(node->child[0]))
        return NULL;
    const qkv__node *over = node->child[0]->child[0], *index = node->child[1];
    const qkv__node *domain = over->child[1];
    if (domain->kind != QKV__NODE_COMPARE || domain->comparison != QKV__IN ||
        domain->child[1]->kind != QKV__NODE_RANGE ||
        (!q->numbers && is_number_in(over->child[0], over->text)))
        return NULL;
    const char *name = index->kind == QKV__NODE_NAME ? index->text : number;
    if (index->kind == QKV__NODE_NUMBER && qkv__rational_is_whole(index->value) &&
        index->value.numerator > 0)
        snprintf(number, sizeof number, "%lld", (long long)index->value.numerator);
    else if (index->kind != QKV__NODE_NAME)
        return NULL;
    if (strcmp(name, over->text) != 0 && qkv__tree_has_free(over->child[0], name) &&
        !is_picked(q, name))
        return NULL; /* what the definition speaks of is another thing */
    const qkv__node *body = freshened(q, over->child[0], NULL);
    return body == NULL ? NULL : qkv__tree_put(q, body, over->text, name);
}

/* ---- Attention ----------------------------------------------------------------------- */

/* attend(query, keys, values, scale = x, bias = b) over families of one range. */
typedef struct attention {
    const qkv__node *query, *keys, *values;
    const qkv__node *scale, *bias; /* NULL: there is none */
    const qkv__node *range;
} attention;

static bool is_arithmetic(const qkv__node *node)
{
    return node->kind == QKV__NODE_NEGATE || node->kind == QKV__NODE_ADD ||
           node->kind == QKV__NODE_SUBTRACT || node->kind == QKV__NODE_MULTIPLY ||
           node->kind == QKV__NODE_DIVIDE;
}

/* The range of a family: declared, made member by member, or by operations on all members, 2*k + u.
 */
static const qkv__node *range_of(qkv__inequality *q, const qkv__node *family)
{
    if (family->kind == QKV__NODE_NAME) return qkv__tree_family_range(q, family->text);
    if (is_arithmetic(family))
        for (size_t i = 0; i < family->count; i++) {
            const qkv__node *range = range_of(q, family->child[i]);
            if (range != NULL) return range;
        }
    if (!qkv__list_is_family(family)) return NULL;
    const qkv__node *domain = family->child[0]->child[1];
    return domain->kind == QKV__NODE_COMPARE && domain->comparison == QKV__IN &&
                   domain->child[1]->kind == QKV__NODE_RANGE
               ? domain->child[1]
               : NULL;
}

static bool is_over(qkv__inequality *q, const qkv__node *family, const char *range)
{
    const qkv__node *own = range_of(q, family);
    const char *text = own == NULL ? NULL : qkv__tree_text(q, own);
    return text != NULL && range != NULL && strcmp(text, range) == 0;
}

/* A member of a family; anything else is the same for all members. NULL: families of two ranges, or
 * a product of two. */
static const qkv__node *member(qkv__inequality *q, const qkv__node *family, const qkv__node *index)
{
    const qkv__node *range = family == NULL || index == NULL ? NULL : range_of(q, family), *part[2];
    const char *text = range == NULL ? NULL : qkv__tree_text(q, range);
    if (text == NULL) return NULL;
    for (size_t i = 0; is_arithmetic(family) && i < family->count; i++) {
        const bool varies = range_of(q, family->child[i]) != NULL;
        if (varies && !is_over(q, family->child[i], text)) return NULL;
        if (varies && i == 1 &&
            (family->kind == QKV__NODE_DIVIDE ||
             (family->kind == QKV__NODE_MULTIPLY && range_of(q, family->child[0]) != NULL)))
            return NULL; /* no operation on all members */
        part[i] = varies ? member(q, family->child[i], index) : family->child[i];
        if (part[i] == NULL) return NULL;
    }
    if (is_arithmetic(family))
        return qkv__tree_make(q, family->kind, "", part[0], family->count == 2 ? part[1] : NULL);
    const qkv__node *node = qkv__tree_make(q, QKV__NODE_INDEX, "", family, index);
    return node == NULL || family->kind == QKV__NODE_NAME ? node : qkv__tree_made_member(q, node);
}

static bool read_options(const qkv__node *call, attention *a)
{
    for (size_t i = 3; i < call->count; i++) {
        const qkv__node *option = call->child[i];
        if (option->kind != QKV__NODE_OPTION) return false;
        const qkv__node **own = strcmp(option->text, "scale") == 0  ? &a->scale
                                : strcmp(option->text, "bias") == 0 ? &a->bias
                                                                    : NULL;
        if (own == NULL || *own != NULL) return false;
        *own = option->child[0];
    }
    return true;
}

static bool read_attention(qkv__inequality *q, const qkv__node *node, attention *a)
{
    if (node->kind != QKV__NODE_CALL || qkv__builtin_of(node) != QKV__BUILTIN_ATTEND ||
        node->count < 3)
        return false;
    *a = (attention){node->child[0], node->child[1], node->child[2], NULL, NULL, NULL};
    if (!read_options(node, a) || !qkv__inequality_is_vector(q, a->query) ||
        (a->range = range_of(q, a->keys)) == NULL || qkv__tree_size(q, a->range) == NULL)
        return false;
    const char *range = qkv__tree_text(q, a->range);
    const qkv__node *index = qkv__tree_make(q, QKV__NODE_NAME, "the key", NULL, NULL);
    const qkv__node *key = member(q, a->keys, index);
    return key != NULL && qkv__inequality_is_vector(q, key) && is_over(q, a->values, range) &&
           (a->bias == NULL || is_over(q, a->bias, range));
}

/* e^(scale*(query.key) + bias) at an index. */
static const qkv__node *factor_at(qkv__inequality *q, const attention *a, const qkv__node *index)
{
    const qkv__node *base = qkv__tree_make(q, QKV__NODE_NAME, "e", NULL, NULL);
    const qkv__node *key = member(q, a->keys, index);
    const qkv__node *score =
        key == NULL ? NULL : qkv__tree_make(q, QKV__NODE_DOT, "", a->query, key);
    if (score != NULL && a->scale != NULL)
        score = qkv__tree_make(q, QKV__NODE_MULTIPLY, "", a->scale, score);
    if (score != NULL && a->bias != NULL) {
        const qkv__node *bias = member(q, a->bias, index);
        score = bias == NULL ? NULL : qkv__tree_make(q, QKV__NODE_ADD, "", score, bias);
    }
    return score == NULL || base == NULL ? NULL
                                         : qkv__tree_make(q, QKV__NODE_POWER, "", base, score);
}

/* The sum over all keys of their factors, times their values if that is asked for. */
static const qkv__node *sum_of_factors(qkv__inequality *q, const attention *a, bool with_values)
{
    const char *name = qkv__tree_fresh_name(q);
    const qkv__node *index =
        name == NULL ? NULL : qkv__tree_make(q, QKV__NODE_NAME, name, NULL, NULL);
    const qkv__node *body = index == NULL ? NULL : factor_at(q, a, index);
    if (body != NULL && with_values) {
        const qkv__node *value = member(q, a->values, index);
        body = value == NULL ? NULL : qkv__tree_make(q, QKV__NODE_MULTIPLY, "", body, value);
    }
    return body == NULL ? NULL : qkv__tree_sum(q, name, body, qkv__tree_domain(q, index, a->range));
}

static const qkv__node *written_out(qkv__inequality *q, const qkv__node *node, const void *context)
{
    attention a;
    const qkv__node *whole = node, *own = NULL;
    const bool weight = node->kind == QKV__NODE_INDEX && node->count == 2 &&
                        node->child[0]->kind == QKV__NODE_MEMBER &&
                        (strcmp(node->child[0]->text, "weight") == 0 ||
                         strcmp(node->child[0]->text, "weights") == 0);
    if (weight) whole = node->child[0]->child[0];
    if (!read_attention(q, whole, &a))
        return qkv__tree_with_children(q, node, written_out, context);
    /* attention within the query, and the like */
    if ((a.query = written_out(q, a.query, context)) == NULL) return NULL;
    own = weight ? factor_at(q, &a, node->child[1]) : sum_of_factors(q, &a, true);
    const qkv__node *all = sum_of_factors(q, &a, false);
    return own == NULL || all == NULL ? NULL : qkv__tree_make(q, QKV__NODE_DIVIDE, "", own, all);
}

const qkv__node *qkv__tree_written_out(qkv__inequality *q, const qkv__node *node)
{
    return written_out(q, node, NULL);
}

bool qkv__tree_has_attention(qkv__inequality *q, const qkv__node *node, bool odd)
{
    attention a;
    if (read_attention(q, node, &a) && !(odd && qkv__tree_is_attention(q, node))) return true;
    for (size_t i = 0; i < node->count; i++)
        if (qkv__tree_has_attention(q, node->child[i], odd)) return true;
    return false;
}

/* ---- Attention of which nothing is known ------------------------------------------------ */

const qkv__veil *qkv__tree_veil(const qkv__inequality *q, const char *name)
{
    for (size_t i = 0; i < q->veil_count; i++)
        if (strcmp(q->veil[i].name, name) == 0) return &q->veil[i];
    return NULL;
}

/* The names that sums bind around a node. */
typedef struct bound {
    const char *name;
    const struct bound *outer;
} bound;

static bool binds(const qkv__node *node, const char *name)
{
    if (node->kind == QKV__NODE_SUM && strcmp(node->text, name) == 0) return true;
    if (qkv__is_index_domain(node) && strcmp(node->child[0]->text, name) == 0) return true;
    for (size_t i = 0; i < node->count; i++)
        if (binds(node->child[i], name)) return true;
    return false;
}

/* Whether a name means one thing throughout a claim: it is declared, picked, or a parameter. */
static bool is_steady_name(qkv__inequality *q, const char *name)
{
    if (strcmp(name, "e") == 0 || strcmp(name, "pi") == 0 || is_picked(q, name) ||
        qkv__tree_declaration(q, name) != NULL)
        return true;
    if (qkv__parameter_find(&q->model->algebra, name) < 0 || binds(q->claim, name)) return false;
    for (size_t i = 0; i < q->index_count; i++)
        if (strcmp(q->index[i].name, name) == 0) return false;
    for (size_t i = 0; i < q->premise_count; i++)
        if (binds(q->premise[i], name)) return false;
    return true;
}

/* Whether an expression depends on no index that is bound around it. */
static bool is_steady(qkv__inequality *q, const qkv__node *node, const bound *around)
{
    const bound own = {node->text, around};
    if (node->kind == QKV__NODE_SUM) around = &own;
    bool known = node->kind != QKV__NODE_NAME;
    for (const bound *b = around; b != NULL && !known; b = b->outer)
        known = strcmp(b->name, node->text) == 0;
    if (!known && !is_steady_name(q, node->text)) return false;
    for (size_t i = 0; i < node->count; i++)
        if (!is_steady(q, node->child[i], around)) return false;
    return true;
}

/* The name of a query (no range), or of a family, in place of what a text says; NULL: no room. */
static const qkv__node *veil_of(qkv__inequality *q, const char *text, const qkv__node *range,
                                bool unit)
{
    char name[24];
    for (size_t i = 0; text != NULL && i < q->veil_count; i++)
        if ((q->veil[i].range == NULL) == (range == NULL) && strcmp(q->veil[i].text, text) == 0)
            return qkv__tree_make(q, QKV__NODE_NAME, q->veil[i].name, NULL, NULL);
    if (text == NULL || q->veil_count == QKV__INEQUALITY_VEILS) return NULL;
    snprintf(name, sizeof name, "~%zu", q->veil_count);
    const char *kept = qkv__arena_text(&q->algebra.arena, name, strlen(name));
    if (kept == NULL) return NULL;
    q->veil[q->veil_count++] = (qkv__veil){kept, text, range, unit};
    return qkv__tree_make(q, QKV__NODE_NAME, kept, NULL, NULL);
}

/* What the scores of an attention are made of, as a text. */
static const char *text_of_scores(qkv__inequality *q, const attention *a)
{
    const qkv__node *const part[] = {a->query, a->keys, a->scale, a->bias};
    qkv__text text = {0};
    const char *kept = NULL;
    bool good = true;
    for (size_t i = 0; i < sizeof part / sizeof part[0]; i++) {
        const char *own = part[i] == NULL ? "" : qkv__tree_text(q, part[i]);
        good = good && own != NULL;
        if (good) qkv__text_format(&text, "%s; ", own);
    }
    if (good && !text.failed) kept = qkv__arena_text(&q->algebra.arena, text.data, text.length);
    qkv__text_free(&text);
    return kept;
}

static const qkv__node *veiled_values(qkv__inequality *q, const attention *a)
{
    if (a->values->kind == QKV__NODE_NAME) return a->values;
    const qkv__node *index = qkv__tree_make(q, QKV__NODE_NAME, "the key", NULL, NULL);
    const qkv__node *value = member(q, a->values, index);
    return value == NULL || !qkv__inequality_is_vector(q, value)
               ? NULL
               : veil_of(q, qkv__tree_text(q, a->values), a->range, qkv__tree_is_unit(q, value));
}

static const qkv__node *veiled(qkv__inequality *q, const qkv__node *node, const void *context)
{
    attention a;
    if (qkv__tree_is_attention(q, node) || !read_attention(q, node, &a))
        return qkv__tree_with_children(q, node, veiled, context);
    if (!is_steady(q, node, NULL)) return NULL;
    const char *text = text_of_scores(q, &a);
    const qkv__node *query = veil_of(q, text, NULL, false);
    const qkv__node *keys = veil_of(q, text, a.range, false);
    const qkv__node *values = veiled_values(q, &a);
    const qkv__node *weight = query == NULL || keys == NULL || values == NULL
                                  ? NULL
                                  : qkv__tree_running_weight(q, query, keys, "the key");
    return weight == NULL ? NULL : qkv__tree_with_values(q, weight->child[0]->child[0], values);
}

const qkv__node *qkv__tree_veiled(qkv__inequality *q, const qkv__node *node)
{
    const qkv__node *made = veiled(q, node, NULL);
    return made == NULL ? NULL : qkv__tree_expand(q, made); /* entropy(c), of plain attention */
}

/* ---- Directions ---------------------------------------------------------------------- */

bool qkv__tree_is_unit(qkv__inequality *q, const qkv__node *node)
{
    if (node->kind != QKV__NODE_DIVIDE) return false;
    const qkv__node *x = node->child[0], *size = node->child[1];
    const bool is_size =
        size->kind == QKV__NODE_SIZE ||
        (size->kind == QKV__NODE_CALL && size->count == 1 &&
         (qkv__builtin_of(size) == QKV__BUILTIN_NORM || qkv__builtin_of(size) == QKV__BUILTIN_ABS));
    if (!is_size || !qkv__inequality_is_vector(q, x)) return false;
    const char *one = qkv__tree_text(q, x), *two = qkv__tree_text(q, size->child[0]);
    return one != NULL && two != NULL && strcmp(one, two) == 0;
}

bool qkv__tree_has_unit(qkv__inequality *q, const qkv__node *node)
{
    if (qkv__tree_is_unit(q, node)) return true;
    for (size_t i = 0; i < node->count; i++)
        if (qkv__tree_has_unit(q, node->child[i])) return true;
    return false;
}
