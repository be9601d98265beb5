/* Trees for the calculus: built, renamed, definitions written out, and recognised as attention.
 * Knows the language and the statements of a problem; nothing of numbers. */
#include <stdlib.h>
#include <string.h>

#include "claim/inequality/inequality_part.h"
#include "language/builtin.h"
#include "language/family_index.h"
#include "language/tree.h"
#include "language/write.h"

/* ---- Making -------------------------------------------------------------------------- */

static const qkv__node *make(qkv__inequality *q, const qkv__node *like,
                             const qkv__node *const *child, size_t count)
{
    qkv__node *node = qkv__arena_take(&q->algebra.arena, sizeof *node);
    const qkv__node **copy = qkv__arena_array(&q->algebra.arena, count + 1, sizeof *copy);
    if (node == NULL || copy == NULL) return NULL;
    *node = *like;
    node->count = count;
    node->child = copy;
    node->depth = 1;
    for (size_t i = 0; i < count; i++) {
        if (child[i] == NULL) return NULL;
        copy[i] = child[i];
        if (child[i]->depth >= node->depth) node->depth = child[i]->depth + 1;
    }
    return node->depth > QKV__TREE_DEPTH ? NULL : node;
}

const qkv__node *qkv__tree_make(qkv__inequality *q, qkv__node_kind kind, const char *text,
                                const qkv__node *first, const qkv__node *second)
{
    const qkv__node *child[] = {first, second};
    const qkv__node like = {.kind = kind, .place = q->claim->place, .text = text};
    return make(q, &like, child, (first != NULL ? 1u : 0u) + (second != NULL ? 1u : 0u));
}

const qkv__node *qkv__tree_number(qkv__inequality *q, int64_t value)
{
    const qkv__node like = {.kind = QKV__NODE_NUMBER,
                            .place = q->claim->place,
                            .text = "",
                            .value = qkv__rational_whole(value)};
    return make(q, &like, NULL, 0);
}

static const qkv__node *compare(qkv__inequality *q, const qkv__node *x, qkv__comparison comparison,
                                const qkv__node *y)
{
    const qkv__node *child[] = {x, y};
    const qkv__node like = {
        .kind = QKV__NODE_COMPARE, .place = q->claim->place, .text = "", .comparison = comparison};
    return make(q, &like, child, 2);
}

const qkv__node *qkv__tree_compare(qkv__inequality *q, const qkv__node *less, const qkv__node *more)
{
    return compare(q, less, QKV__LESS_OR_EQUAL, more);
}

const qkv__node *qkv__tree_domain(qkv__inequality *q, const qkv__node *index,
                                  const qkv__node *range)
{
    return compare(q, index, QKV__IN, range);
}

const qkv__node *qkv__tree_with_children(qkv__inequality *q, const qkv__node *node,
                                         qkv__tree_changer *change, const void *context)
{
    enum { MOST = 64 };
    const qkv__node *child[MOST];
    if (node->count == 0) return node;
    if (node->count > MOST) return NULL;
    for (size_t i = 0; i < node->count; i++)
        if ((child[i] = change(q, node->child[i], context)) == NULL) return NULL;
    return make(q, node, child, node->count);
}

/* ---- Renaming ------------------------------------------------------------------------ */

typedef struct renaming {
    const char *name, *replacement;
} renaming;

static const qkv__node *rename_in(qkv__inequality *q, const qkv__node *node, const void *context)
{
    const renaming *r = context;
    if (node->kind == QKV__NODE_NAME && strcmp(node->text, r->name) == 0)
        return r->replacement[0] >= '0' && r->replacement[0] <= '9'
                   ? qkv__tree_number(q, strtoll(r->replacement, NULL, 10))
                   : qkv__tree_make(q, QKV__NODE_NAME, r->replacement, NULL, NULL);
    for (size_t i = 0; node->kind == QKV__NODE_FOR_ALL && i + 1 < node->count; i++) {
        const qkv__node *bound = node->child[i];
        if (bound->kind != QKV__NODE_COMPARE || bound->child[0]->kind != QKV__NODE_NAME ||
            strcmp(bound->child[0]->text, r->name) == 0 ||
            strcmp(bound->child[0]->text, r->replacement) == 0)
            return NULL;
    }
    if (node->kind == QKV__NODE_EXISTS) return NULL;
    if (node->kind == QKV__NODE_SUM) {
        if (!qkv__node_names(node, r->name)) return node;
        if (strcmp(node->text, r->replacement) == 0) return NULL;
        if (strcmp(node->text, r->name) == 0) /* what is meant inside is the sum's own */
            return qkv__node_names(node->child[1]->child[1], r->name) ? NULL : node;
    }
    return qkv__tree_with_children(q, node, rename_in, r);
}

const qkv__node *qkv__tree_put(qkv__inequality *q, const qkv__node *node, const char *name,
                               const char *replacement)
{
    renaming r = {name, replacement};
    return rename_in(q, node, &r);
}

static bool is_number_node(const qkv__node *node, int64_t value)
{
    return node->kind == QKV__NODE_NUMBER &&
           qkv__rational_compare(node->value, qkv__rational_whole(value)) == 0;
}

/* 0, and 0 times anything. */
static bool is_nothing(const qkv__node *node)
{
    return is_number_node(node, 0) ||
           (node->kind == QKV__NODE_MULTIPLY &&
            (is_number_node(node->child[0], 0) || is_number_node(node->child[1], 0)));
}

/* x + 0*y and 1*x are x. */
static const qkv__node *without_nothing(const qkv__node *node)
{
    const bool add = node->kind == QKV__NODE_ADD;
    if ((add || node->kind == QKV__NODE_SUBTRACT) && is_nothing(node->child[1]))
        return node->child[0];
    if (add && is_nothing(node->child[0])) return node->child[1];
    for (size_t at = 0; node->kind == QKV__NODE_MULTIPLY && at < 2; at++)
        if (is_number_node(node->child[at], 1)) return node->child[1 - at];
    return node;
}

/* Puts the number of a setting in. A sum whose index has the name speaks of another. */
static const qkv__node *set_in(qkv__inequality *q, const qkv__node *node, const void *context)
{
    const qkv__node *setting = context;
    const char *name = setting->child[0]->text;
    if (node->kind == QKV__NODE_NAME && strcmp(node->text, name) == 0) return setting->child[1];
    if (!qkv__tree_has_free(node, name)) return node;
    if (node->kind == QKV__NODE_EXISTS) return NULL;
    for (size_t i = 0; node->kind == QKV__NODE_FOR_ALL && i + 1 < node->count; i++)
        if (node->child[i]->kind != QKV__NODE_COMPARE ||
            qkv__tree_has_free(node->child[i]->child[0], name))
            return NULL;
    const qkv__node *made = qkv__tree_with_children(q, node, set_in, context);
    return made == NULL ? NULL : without_nothing(made);
}

const qkv__node *qkv__tree_at(qkv__inequality *q, const qkv__node *node, const qkv__node *setting)
{
    return set_in(q, node, setting);
}

bool qkv__tree_has_free(const qkv__node *node, const char *name)
{
    if (node->kind == QKV__NODE_SUM && strcmp(node->text, name) == 0)
        return qkv__tree_has_free(node->child[1]->child[1], name);
    if (node->kind == QKV__NODE_NAME && strcmp(node->text, name) == 0) return true;
    for (size_t i = 0; i < node->count; i++)
        if (qkv__tree_has_free(node->child[i], name)) return true;
    return false;
}

const qkv__node *qkv__tree_without_first(qkv__inequality *q, const qkv__node *for_all)
{
    if (for_all->count == 2) return for_all->child[1];
    return make(q, for_all, for_all->child + 1, for_all->count - 1);
}

const qkv__node *qkv__tree_listed(const qkv__node *call, size_t i)
{
    const qkv__node *list =
        call->count == 1 && call->child[0]->kind == QKV__NODE_LIST ? call->child[0] : call;
    return i < list->count ? list->child[i] : NULL;
}

/* ---- Text ---------------------------------------------------------------------------- */

/* Whether an expression is a number, whatever is put in; false too where that is not seen. */
static bool is_number(const qkv__inequality *q, const qkv__node *node)
{
    switch (node->kind) {
    case QKV__NODE_NUMBER:
    case QKV__NODE_DOT:
    case QKV__NODE_SIZE: return true;
    case QKV__NODE_NAME: return qkv__parameter_find(&q->model->algebra, node->text) >= 0;
    case QKV__NODE_INDEX: /* c.weight[a] */
        return node->child[0]->kind == QKV__NODE_MEMBER &&
               (strcmp(node->child[0]->text, "weight") == 0 ||
                strcmp(node->child[0]->text, "score") == 0);
    case QKV__NODE_SUM: return is_number(q, node->child[0]);
    case QKV__NODE_CALL:
        if (qkv__builtin_of(node) == QKV__BUILTIN_ENTROPY) return true;
        break;
    case QKV__NODE_NEGATE:
    case QKV__NODE_ADD:
    case QKV__NODE_SUBTRACT:
    case QKV__NODE_MULTIPLY:
    case QKV__NODE_DIVIDE:
    case QKV__NODE_POWER: break;
    default: return false;
    }
    for (size_t i = 0; i < node->count; i++)
        if (!is_number(q, node->child[i])) return false;
    return true;
}

/* x.y and y.x are one product; t*y and y*t are if t is a number, and t*t is t^2. Matrices have an
 * order. */
static const qkv__node *in_order(qkv__inequality *q, const qkv__node *product)
{
    qkv__text x = {0}, y = {0};
    if (product == NULL || product->count != 2) return product;
    if (product->kind != QKV__NODE_DOT && !is_number(q, product->child[0]) &&
        !is_number(q, product->child[1]))
        return product;
    qkv__node_write(product->child[0], &x);
    qkv__node_write(product->child[1], &y);
    const qkv__node *turned[] = {product->child[1], product->child[0]};
    const bool written = !x.failed && !y.failed && x.data != NULL && y.data != NULL;
    const int order = written ? strcmp(x.data, y.data) : -1;
    qkv__text_free(&x);
    qkv__text_free(&y);
    if (order > 0) return make(q, product, turned, 2);
    if (order < 0 || product->kind == QKV__NODE_DOT) return product;
    const qkv__node *two = qkv__tree_number(q, 2);
    return two == NULL ? NULL : qkv__tree_make(q, QKV__NODE_POWER, "", product->child[0], two);
}

/* Bound names by how deep they stand: what differs in them alone is written alike; so are exp(x)
 * and e^x. */
static const qkv__node *name_alike(qkv__inequality *q, const qkv__node *node, const void *context)
{
    static const char *const names[] = {"$1", "$2", "$3", "$4"};
    size_t level = *(const size_t *)context, next = level + 1;
    if (node->kind == QKV__NODE_DOT || node->kind == QKV__NODE_MULTIPLY)
        return in_order(q, qkv__tree_with_children(q, node, name_alike, context));
    if (node->kind == QKV__NODE_CALL && node->count == 1 &&
        qkv__builtin_of(node) == QKV__BUILTIN_EXP) {
        const qkv__node *base = qkv__tree_make(q, QKV__NODE_NAME, "e", NULL, NULL);
        const qkv__node *exponent = name_alike(q, node->child[0], context);
        return base == NULL || exponent == NULL
                   ? NULL
                   : qkv__tree_make(q, QKV__NODE_POWER, "", base, exponent);
    }
    if (node->kind != QKV__NODE_SUM) return qkv__tree_with_children(q, node, name_alike, context);
    if (level >= sizeof names / sizeof names[0]) return NULL;
    const qkv__node *domain = node->child[1];
    if (domain->kind != QKV__NODE_COMPARE || domain->count != 2) return NULL;
    const qkv__node *body = qkv__tree_put(q, node->child[0], node->text, names[level]);
    const qkv__node *name = qkv__tree_make(q, QKV__NODE_NAME, names[level], NULL, NULL);
    if (body == NULL || name == NULL || (body = name_alike(q, body, &next)) == NULL) return NULL;
    const qkv__node *where[] = {name, domain->child[1]};
    const qkv__node *both[] = {body, make(q, domain, where, 2)};
    qkv__node like = *node;
    like.text = names[level];
    return make(q, &like, both, 2);
}

const char *qkv__tree_text(qkv__inequality *q, const qkv__node *node)
{
    const size_t level = 0;
    qkv__text text = {0};
    const char *copy = NULL;
    node = name_alike(q, node, &level);
    if (node == NULL) return NULL;
    qkv__node_write(node, &text);
    if (!text.failed && text.data != NULL)
        copy = qkv__arena_text(&q->algebra.arena, text.data, text.length);
    qkv__text_free(&text);
    return copy;
}

/* ---- Statements ---------------------------------------------------------------------- */

bool qkv__tree_precedes(const qkv__statement *s, const qkv__node *claim)
{
    return s->place.line < claim->place.line ||
           (s->place.line == claim->place.line && s->place.column < claim->place.column);
}

static bool declares(const qkv__node *node, const char *name)
{
    if (node->kind == QKV__NODE_INDEX || node->kind == QKV__NODE_COMPARE)
        return declares(node->child[0], name);
    return node->kind == QKV__NODE_NAME && strcmp(node->text, name) == 0;
}

const qkv__statement *qkv__tree_declaration(qkv__inequality *q, const char *name)
{
    for (const qkv__statement *s = q->model->statements; s != NULL; s = qkv__statement_after(s)) {
        if (s->kind != QKV__STATEMENT_FAMILY && s->kind != QKV__STATEMENT_OBJECT) continue;
        for (size_t i = 0; i < s->count; i++)
            if (declares(s->node[i], name)) return qkv__tree_precedes(s, q->claim) ? s : NULL;
    }
    return NULL;
}

bool qkv__tree_is_distinct(qkv__inequality *q, const char *a, const char *b)
{
    for (const qkv__statement *s = q->model->statements; s != NULL; s = qkv__statement_after(s)) {
        bool has_a = false, has_b = false;
        if (s->kind != QKV__STATEMENT_PICK || !s->distinct) continue;
        for (size_t i = 0; i + 1 < s->count; i++) {
            has_a = has_a || strcmp(s->node[i]->text, a) == 0;
            has_b = has_b || strcmp(s->node[i]->text, b) == 0;
        }
        if (has_a && has_b) return strcmp(a, b) != 0;
    }
    return false;
}

/* The definition of a name; `members`: whether single members of it are defined. */
static const qkv__statement *definition_of(qkv__inequality *q, const char *name, bool *members)
{
    *members = false;
    for (const qkv__statement *s = q->model->statements; s != NULL; s = qkv__statement_after(s)) {
        if (s->kind != QKV__STATEMENT_DEFINE) continue;
        const qkv__node *target = s->node[0];
        if (target->kind == QKV__NODE_INDEX && declares(target, name)) *members = true;
        if (target->kind != QKV__NODE_INDEX && strcmp(target->text, name) == 0) return s;
    }
    return NULL;
}

/* x[1], where x[1] = ... is defined. */
static const qkv__node *member_of(qkv__inequality *q, const qkv__node *node)
{
    if (node->count != 2 || node->child[1]->kind != QKV__NODE_NUMBER) return NULL;
    for (const qkv__statement *s = q->model->statements; s != NULL; s = qkv__statement_after(s)) {
        if (s->kind != QKV__STATEMENT_DEFINE || s->node[0]->kind != QKV__NODE_INDEX) continue;
        const qkv__node *target = s->node[0];
        if (declares(target, node->child[0]->text) && target->count == 2 &&
            target->child[1]->kind == QKV__NODE_NUMBER &&
            qkv__rational_compare(target->child[1]->value, node->child[1]->value) == 0)
            return qkv__tree_precedes(s, q->claim) ? s->node[1] : NULL;
    }
    return NULL;
}

/* k_a, which is k[a]. */
static bool is_member_name(qkv__inequality *q, const char *name)
{
    const char *line = strchr(name, '_');
    const char *family =
        line == NULL ? NULL : qkv__arena_text(&q->algebra.arena, name, (size_t)(line - name));
    return family != NULL && qkv__tree_declaration(q, family) != NULL;
}

/* The attention of token i of self_attend(x): attend(x[i], x, x). */
static const qkv__node *of_token(qkv__inequality *q, const qkv__node *call, const qkv__node *token)
{
    if (call->kind != QKV__NODE_CALL || qkv__builtin_of(call) != QKV__BUILTIN_SELF_ATTEND ||
        call->count != 1 || call->child[0]->kind != QKV__NODE_NAME)
        return NULL;
    const qkv__node *tokens = call->child[0];
    const qkv__node *query = qkv__tree_make(q, QKV__NODE_INDEX, "", tokens, token);
    const qkv__node *argument[] = {query, tokens, tokens};
    const qkv__node like = {.kind = QKV__NODE_CALL, .place = call->place, .text = "attend"};
    return query == NULL ? NULL : make(q, &like, argument, 3);
}

static bool is_part(const qkv__node *node, const char *name)
{
    size_t length = strlen(name);
    return node->kind == QKV__NODE_MEMBER && strncmp(node->text, name, length) == 0 &&
           (node->text[length] == '\0' || strcmp(node->text + length, "s") == 0);
}

/* The number that a node is, from 1 to most; 0: it is none. */
static int64_t number_up_to(const qkv__node *node, int64_t most)
{
    return node->kind == QKV__NODE_NUMBER && qkv__rational_is_whole(node->value) &&
                   node->value.numerator >= 1 && node->value.numerator <= most
               ? node->value.numerator
               : 0;
}

/* The size of a family that has a number of members, k[1..4]; 0: it has not. */
static int64_t listed_size(qkv__inequality *q, const qkv__node *family)
{
    enum { MOST = 16 };
    const qkv__node *range =
        family->kind == QKV__NODE_NAME ? qkv__tree_family_range(q, family->text) : NULL;
    return range != NULL && number_up_to(range->child[0], 1) == 1
               ? number_up_to(range->child[1], MOST)
               : 0;
}

/* e^(x.k[i]) of a query x */
static const qkv__node *raised_score(qkv__inequality *q, const qkv__node *query,
                                     const qkv__node *keys, int64_t i)
{
    const qkv__node *base = qkv__tree_make(q, QKV__NODE_NAME, "e", NULL, NULL);
    const qkv__node *index = qkv__tree_number(q, i);
    const qkv__node *key =
        index == NULL ? NULL : qkv__tree_make(q, QKV__NODE_INDEX, "", keys, index);
    const qkv__node *score = key == NULL ? NULL : qkv__tree_make(q, QKV__NODE_DOT, "", key, query);
    return score == NULL || base == NULL ? NULL
                                         : qkv__tree_make(q, QKV__NODE_POWER, "", base, score);
}

/* The weight of a key by its number, of a query that sees the keys from first to last and no
 * others. */
static const qkv__node *weight_among(qkv__inequality *q, const qkv__node *query,
                                     const qkv__node *keys, int64_t first, int64_t last,
                                     int64_t key)
{
    const qkv__node *sum = NULL;
    if (key < first || key > last) return qkv__tree_number(q, 0);
    for (int64_t i = first; i <= last; i++) {
        const qkv__node *one = raised_score(q, query, keys, i);
        sum = sum == NULL   ? one
              : one == NULL ? NULL
                            : qkv__tree_make(q, QKV__NODE_ADD, "", sum, one);
        if (sum == NULL) return NULL;
    }
    const qkv__node *own = raised_score(q, query, keys, key);
    return own == NULL ? NULL : qkv__tree_make(q, QKV__NODE_DIVIDE, "", own, sum);
}

/* y.weight[i][j] of y = self_attend(x, causal), and c.weight[j] of c = attend(q, k, v, mask
 * = 1..3), for tokens and keys by their numbers; NULL: it is another weight. */
static const qkv__node *masked_weight(qkv__inequality *q, const qkv__node *node)
{
    if (node->kind != QKV__NODE_INDEX || node->count != 2) return NULL;
    const qkv__node *base = node->child[0];
    const bool row = base->kind == QKV__NODE_INDEX && base->count == 2;
    const qkv__node *member = row ? base->child[0] : base;
    const qkv__node *call = is_part(member, "weight") ? member->child[0] : NULL;
    if (call == NULL || call->kind != QKV__NODE_CALL) return NULL;
    if (row) {
        const int64_t size = call->count == 2 ? listed_size(q, call->child[0]) : 0;
        const int64_t token = number_up_to(base->child[1], size);
        const int64_t key = number_up_to(node->child[1], size);
        if (qkv__builtin_of(call) != QKV__BUILTIN_SELF_ATTEND || token == 0 || key == 0 ||
            call->child[1]->kind != QKV__NODE_NAME || strcmp(call->child[1]->text, "causal") != 0)
            return NULL;
        const qkv__node *query =
            qkv__tree_make(q, QKV__NODE_INDEX, "", call->child[0], base->child[1]);
        return query == NULL ? NULL : weight_among(q, query, call->child[0], 1, token, key);
    }
    if (qkv__builtin_of(call) != QKV__BUILTIN_ATTEND || call->count != 4 ||
        call->child[3]->kind != QKV__NODE_OPTION || strcmp(call->child[3]->text, "mask") != 0 ||
        call->child[3]->child[0]->kind != QKV__NODE_RANGE)
        return NULL;
    const int64_t size = listed_size(q, call->child[1]);
    const qkv__node *seen = call->child[3]->child[0];
    const int64_t first = number_up_to(seen->child[0], size);
    const int64_t last = number_up_to(seen->child[1], size);
    const int64_t key = number_up_to(node->child[1], size);
    if (first == 0 || last < first || key == 0 || listed_size(q, call->child[2]) != size)
        return NULL;
    return weight_among(q, call->child[0], call->child[1], first, last, key);
}

/* c[i], c.weight[i][j] and c.score[i][j] of self-attention, by the query that they are of. */
static const qkv__node *single_query(qkv__inequality *q, const qkv__node *node)
{
    if (node->kind != QKV__NODE_INDEX || node->count != 2) return node;
    const qkv__node *base = node->child[0];
    if (base->kind == QKV__NODE_CALL) {
        const qkv__node *row = of_token(q, base, node->child[1]);
        return row == NULL ? node : row;
    }
    if (base->kind != QKV__NODE_INDEX || base->count != 2 ||
        base->child[0]->kind != QKV__NODE_MEMBER)
        return node;
    const qkv__node *member = base->child[0];
    const qkv__node *row = of_token(q, member->child[0], base->child[1]);
    const qkv__node *part = row == NULL ? NULL : make(q, member, &row, 1);
    return part == NULL ? node : qkv__tree_make(q, QKV__NODE_INDEX, "", part, node->child[1]);
}

/* entropy(c) and entropy(c.weight) of plain attention: -sum(w ln w), over weights that are
 * positive. */
static const qkv__node *entropy_sum(qkv__inequality *q, const qkv__node *node)
{
    if (node->kind != QKV__NODE_CALL || qkv__builtin_of(node) != QKV__BUILTIN_ENTROPY ||
        node->count != 1)
        return node;
    const qkv__node *of = node->child[0];
    const qkv__node *attention = is_part(of, "weight") ? of->child[0] : of;
    const qkv__node like = {.kind = QKV__NODE_NAME, .place = node->place, .text = "the key"};
    const qkv__node *index = make(q, &like, NULL, 0);
    if (index == NULL || !qkv__tree_is_attention(q, attention)) return node;
    const qkv__node *range = qkv__tree_family_range(q, attention->child[1]->text);
    const qkv__node *weights = qkv__tree_make(q, QKV__NODE_MEMBER, "weight", attention, NULL);
    const qkv__node *weight =
        weights == NULL ? NULL : qkv__tree_make(q, QKV__NODE_INDEX, "", weights, index);
    const qkv__node *logarithm =
        weight == NULL ? NULL : qkv__tree_make(q, QKV__NODE_CALL, "ln", weight, NULL);
    const qkv__node *body =
        logarithm == NULL ? NULL : qkv__tree_make(q, QKV__NODE_MULTIPLY, "", weight, logarithm);
    const qkv__node *domain = qkv__tree_domain(q, index, range);
    const qkv__node *over = body == NULL || domain == NULL
                                ? NULL
                                : qkv__tree_make(q, QKV__NODE_SUM, index->text, body, domain);
    const qkv__node *sum =
        over == NULL ? NULL : qkv__tree_make(q, QKV__NODE_CALL, "sum", over, NULL);
    const qkv__node *made = sum == NULL ? NULL : qkv__tree_make(q, QKV__NODE_NEGATE, "", sum, NULL);
    return made == NULL ? node : made;
}

static bool has_derivative(const qkv__node *node)
{
    const qkv__builtin function =
        node->kind == QKV__NODE_CALL ? qkv__builtin_of(node) : QKV__BUILTIN_NONE;
    if (function == QKV__BUILTIN_DERIVATIVE || function == QKV__BUILTIN_GRADIENT) return true;
    for (size_t i = 0; i < node->count; i++)
        if (has_derivative(node->child[i])) return true;
    return false;
}

/* What a call f(x, y) puts in place of the names in f(a, b). */
typedef struct arguments {
    const qkv__node *call, *target;
} arguments;

/* The body of a function with the arguments in place of its names. Bound indexes get names that no
 * argument has; other binders are beyond it. */
static const qkv__node *put_arguments(qkv__inequality *q, const qkv__node *node,
                                      const void *context)
{
    const arguments *a = context;
    if (node->kind == QKV__NODE_NAME || node->kind == QKV__NODE_CALL || node->kind == QKV__NODE_SUM)
        for (size_t i = 0; i < a->target->count; i++)
            if (strcmp(node->text, a->target->child[i]->text) == 0)
                return node->kind == QKV__NODE_NAME ? a->call->child[i] : NULL;
    if (node->kind == QKV__NODE_FOR_ALL || node->kind == QKV__NODE_EXISTS ||
        node->kind == QKV__NODE_WITH || node->table != NULL)
        return NULL;
    if (node->kind != QKV__NODE_SUM)
        return qkv__tree_with_children(q, node, put_arguments, context);
    const char *name = qkv__tree_fresh_name(q);
    const qkv__node *domain = node->child[1];
    if (name == NULL || domain->kind != QKV__NODE_COMPARE || domain->comparison != QKV__IN)
        return NULL;
    const qkv__node *body = qkv__tree_put(q, node->child[0], node->text, name);
    const qkv__node *index = qkv__tree_make(q, QKV__NODE_NAME, name, NULL, NULL);
    const qkv__node *range = put_arguments(q, domain->child[1], context);
    if (body == NULL || index == NULL || range == NULL ||
        (body = put_arguments(q, body, context)) == NULL)
        return NULL;
    domain = qkv__tree_domain(q, index, range);
    return domain == NULL ? NULL : qkv__tree_make(q, QKV__NODE_SUM, name, body, domain);
}

/* f(x), where f(a) = ... is defined; NULL: it is no such call. */
static const qkv__node *applied(qkv__inequality *q, const qkv__node *call,
                                const qkv__statement *definition)
{
    const arguments a = {call, definition->node[0]};
    if (call->kind != QKV__NODE_CALL || a.target->kind != QKV__NODE_CALL ||
        a.target->count != call->count || has_derivative(definition->node[1]))
        return NULL;
    for (size_t i = 0; i < a.target->count; i++)
        if (a.target->child[i]->kind != QKV__NODE_NAME || call->child[i]->kind == QKV__NODE_OPTION)
            return NULL;
    return put_arguments(q, definition->node[1], &a);
}

static const qkv__node *expand(qkv__inequality *q, const qkv__node *node, const void *context)
{
    enum { DEEPEST = 24 };
    const int depth = *(const int *)context, next = depth + 1;
    bool members;
    if (depth > DEEPEST || q->algebra.arena.failed) return NULL;
    if (node->table != NULL || node->kind == QKV__NODE_WITH || node->kind == QKV__NODE_EXISTS)
        return NULL;
    if (node->kind == QKV__NODE_INDEX && node->child[0]->kind == QKV__NODE_NAME &&
        definition_of(q, node->child[0]->text, &members) == NULL && members) {
        const qkv__node *member = member_of(q, node);
        return member == NULL ? NULL : expand(q, member, &next);
    }
    if (node->kind == QKV__NODE_NAME || node->kind == QKV__NODE_CALL) {
        const qkv__statement *s = definition_of(q, node->text, &members);
        if (members) return NULL;
        if (s != NULL) {
            if (!qkv__tree_precedes(s, q->claim)) return NULL;
            if (node->kind == QKV__NODE_CALL) {
                const qkv__node *body = applied(q, node, s);
                return body == NULL ? NULL : expand(q, body, &next);
            }
            if (s->node[0]->kind != QKV__NODE_NAME) return NULL;
            return expand(q, s->node[1], &next);
        }
        if (node->kind == QKV__NODE_CALL && qkv__builtin_of(node) == QKV__BUILTIN_NONE) return NULL;
        if (is_member_name(q, node->text)) return NULL;
    }
    const qkv__node *made = qkv__tree_with_children(q, node, expand, context);
    const qkv__builtin function =
        made == NULL || made->kind != QKV__NODE_CALL ? QKV__BUILTIN_NONE : qkv__builtin_of(made);
    if (function == QKV__BUILTIN_DERIVATIVE || function == QKV__BUILTIN_GRADIENT)
        return qkv__tree_derivative(q, made);
    if (made != NULL && made->kind == QKV__NODE_INDEX && qkv__list_is_family(made->child[0]))
        return qkv__tree_made_member(q, made);
    const qkv__node *masked = made == NULL ? NULL : masked_weight(q, made);
    if (masked != NULL) return masked;
    return made == NULL ? NULL : entropy_sum(q, single_query(q, made));
}

const qkv__node *qkv__tree_expand(qkv__inequality *q, const qkv__node *node)
{
    const int depth = 0;
    return expand(q, node, &depth);
}

/* ---- Families and attention ---------------------------------------------------------- */

const qkv__node *qkv__tree_family_range(qkv__inequality *q, const char *name)
{
    const qkv__veil *veil = qkv__tree_veil(q, name);
    if (veil != NULL) return veil->range;
    const qkv__statement *s = qkv__tree_declaration(q, name);
    for (size_t i = 0; s != NULL && s->kind == QKV__STATEMENT_FAMILY && i < s->count; i++) {
        const qkv__node *member = s->node[i];
        if (member->kind == QKV__NODE_INDEX && declares(member, name) && member->count == 2 &&
            member->child[1]->kind == QKV__NODE_RANGE)
            return member->child[1];
    }
    return NULL;
}

/* Whether a family can have so many members: it has one at least. */
static bool is_count(const qkv__node *last)
{
    return last->kind == QKV__NODE_NAME ||
           (last->kind == QKV__NODE_NUMBER && qkv__rational_is_whole(last->value) &&
            qkv__rational_sign(last->value) > 0);
}

const qkv__node *qkv__tree_size_of(qkv__inequality *q, const char *range)
{
    for (const qkv__statement *s = q->model->statements; s != NULL; s = qkv__statement_after(s))
        for (size_t i = 0; s->kind == QKV__STATEMENT_FAMILY && i < s->count; i++) {
            const qkv__node *member = s->node[i];
            if (member->kind != QKV__NODE_INDEX || member->count != 2 ||
                member->child[1]->kind != QKV__NODE_RANGE ||
                !is_number_node(member->child[1]->child[0], 1) ||
                !is_count(member->child[1]->child[1]) || !qkv__tree_precedes(s, q->claim))
                continue;
            const char *other = qkv__tree_text(q, member->child[1]);
            if (other != NULL && strcmp(range, other) == 0) return member->child[1]->child[1];
        }
    return NULL;
}

const qkv__node *qkv__tree_size(qkv__inequality *q, const qkv__node *range)
{
    const char *text = range->kind == QKV__NODE_RANGE ? qkv__tree_text(q, range) : NULL;
    return text == NULL || !is_number_node(range->child[0], 1) || !is_count(range->child[1])
               ? NULL
               : qkv__tree_size_of(q, text);
}

/* attend(q, k, v) or attend(q, k, v, scale = x), over two declared families of one range. */
bool qkv__tree_is_attention(qkv__inequality *q, const qkv__node *node)
{
    if (node->kind != QKV__NODE_CALL || qkv__builtin_of(node) != QKV__BUILTIN_ATTEND) return false;
    if (node->count != 3 && node->count != 4) return false;
    if (node->count == 4 &&
        (node->child[3]->kind != QKV__NODE_OPTION || strcmp(node->child[3]->text, "scale") != 0))
        return false;
    if (node->child[1]->kind != QKV__NODE_NAME || node->child[2]->kind != QKV__NODE_NAME)
        return false;
    const qkv__node *keys = qkv__tree_family_range(q, node->child[1]->text);
    const qkv__node *values = qkv__tree_family_range(q, node->child[2]->text);
    if (keys == NULL || values == NULL || qkv__tree_size(q, keys) == NULL) return false;
    const char *x = qkv__tree_text(q, keys), *y = qkv__tree_text(q, values);
    return x != NULL && y != NULL && strcmp(x, y) == 0;
}

bool qkv__tree_is_weight(qkv__inequality *q, const qkv__node *node, const qkv__node **attention,
                         const qkv__node **index)
{
    if (node->kind != QKV__NODE_INDEX || node->count != 2 || !is_part(node->child[0], "weight"))
        return false;
    *attention = node->child[0]->child[0];
    *index = node->child[1];
    return qkv__tree_is_attention(q, *attention);
}

const qkv__node *qkv__tree_with_values(qkv__inequality *q, const qkv__node *attention,
                                       const qkv__node *values)
{
    const qkv__node *argument[4] = {attention->child[0], attention->child[1], values,
                                    attention->count == 4 ? attention->child[3] : NULL};
    return make(q, attention, argument, attention->count);
}

bool qkv__tree_weighs_alike(qkv__inequality *q, const qkv__node *x, const qkv__node *y)
{
    const qkv__node *plain = qkv__tree_with_values(q, y, x->child[2]);
    const char *a = qkv__tree_text(q, x), *b = plain == NULL ? NULL : qkv__tree_text(q, plain);
    return a != NULL && b != NULL && strcmp(a, b) == 0;
}

const qkv__node *qkv__tree_with_query(qkv__inequality *q, const qkv__node *attention,
                                      const qkv__node *query)
{
    const qkv__node *argument[3] = {query, attention->child[1], attention->child[2]};
    return make(q, attention, argument, 3);
}

const qkv__node *qkv__tree_running_weight(qkv__inequality *q, const qkv__node *query,
                                          const qkv__node *keys, const char *name)
{
    const qkv__node *argument[3] = {query, keys, keys};
    const qkv__node like = {.kind = QKV__NODE_CALL, .place = q->claim->place, .text = "attend"};
    const qkv__node *attention = make(q, &like, argument, 3);
    const qkv__node *weights =
        attention == NULL ? NULL : qkv__tree_make(q, QKV__NODE_MEMBER, "weight", attention, NULL);
    const qkv__node *index = qkv__tree_make(q, QKV__NODE_NAME, name, NULL, NULL);
    return weights == NULL || index == NULL
               ? NULL
               : qkv__tree_make(q, QKV__NODE_INDEX, "", weights, index);
}

const qkv__node *qkv__tree_declared_length(qkv__inequality *q, const qkv__node *member)
{
    if (member->kind != QKV__NODE_INDEX || member->child[0]->kind != QKV__NODE_NAME) return NULL;
    const qkv__veil *veil = qkv__tree_veil(q, member->child[0]->text);
    if (veil != NULL) return veil->unit ? qkv__tree_number(q, 1) : NULL;
    const qkv__statement *s = qkv__tree_declaration(q, member->child[0]->text);
    for (size_t i = 0; s != NULL && s->kind == QKV__STATEMENT_FAMILY && i < s->count; i++) {
        const qkv__node *property = s->node[i];
        if (property->kind == QKV__NODE_NAME && strcmp(property->text, "orthonormal") == 0)
            return qkv__tree_number(q, 1);
        if (property->kind == QKV__NODE_CALL && strcmp(property->text, "norm") == 0 &&
            property->count == 1)
            return qkv__tree_expand(q, property->child[0]);
    }
    return NULL;
}

const qkv__node *qkv__tree_mean(qkv__inequality *q, const qkv__node *over)
{
    const qkv__node *body = over->child[0], *domain = over->child[1], *attention, *index;
    if (body->kind != QKV__NODE_MULTIPLY || domain->comparison != QKV__IN ||
        domain->child[1]->kind != QKV__NODE_RANGE)
        return NULL;
    for (int at = 0; at < 2; at++) {
        const qkv__node *member = body->child[1 - at];
        if (!qkv__tree_is_weight(q, body->child[at], &attention, &index) ||
            member->kind != QKV__NODE_INDEX || member->count != 2 ||
            member->child[0]->kind != QKV__NODE_NAME || member->child[1]->kind != QKV__NODE_NAME ||
            index->kind != QKV__NODE_NAME || strcmp(index->text, over->text) != 0 ||
            strcmp(member->child[1]->text, over->text) != 0 ||
            qkv__node_names(attention, over->text))
            continue;
        const qkv__node *made = qkv__tree_with_values(q, attention, member->child[0]);
        const qkv__node *keys = qkv__tree_family_range(q, attention->child[1]->text);
        const char *x = qkv__tree_text(q, keys), *y = qkv__tree_text(q, domain->child[1]);
        if (made != NULL && x != NULL && y != NULL && strcmp(x, y) == 0 &&
            qkv__tree_is_attention(q, made))
            return made;
    }
    return NULL;
}

const qkv__node *qkv__tree_score(qkv__inequality *q, const qkv__node *attention,
                                 const qkv__node *index)
{
    const qkv__node *key = qkv__tree_make(q, QKV__NODE_INDEX, "", attention->child[1], index);
    const qkv__node *score =
        key == NULL ? NULL : qkv__tree_make(q, QKV__NODE_DOT, "", key, attention->child[0]);
    if (score == NULL || attention->count == 3) return score;
    return qkv__tree_make(q, QKV__NODE_MULTIPLY, "", attention->child[3]->child[0], score);
}
