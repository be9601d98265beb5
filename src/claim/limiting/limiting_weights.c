/* What the weights of an attention tend to: by how its scores grow, and by what premises say of
 * them. Knows nothing of the claim around it. */
#include <string.h>

#include "claim/limiting/limiting_part.h"
#include "language/tree.h"

/* ---- Indexes ------------------------------------------------------------------------- */

static bool is_same_node(const qkv__node *a, const qkv__node *b)
{
    if (a->kind != b->kind) return false;
    if (a->kind == QKV__NODE_NUMBER) return qkv__rational_compare(a->value, b->value) == 0;
    return a->kind == QKV__NODE_NAME && strcmp(a->text, b->text) == 0;
}

/* Whether a bound says that its index is none of the given: i != j, i not in {a, j}. */
static bool excludes(const qkv__node *bound, const qkv__node *index, const qkv__node *other)
{
    if (!is_same_node(bound->child[0], index)) return false;
    const qkv__node *set = bound->child[1];
    if (bound->comparison == QKV__NOT_EQUAL) return is_same_node(set, other);
    if (bound->comparison != QKV__NOT_IN || set->kind != QKV__NODE_SET) return false;
    for (size_t i = 0; i < set->count; i++)
        if (is_same_node(set->child[i], other)) return true;
    return false;
}

int qkv__limiting_same(const qkv__limiting *l, const qkv__node *a, const qkv__node *b)
{
    if (is_same_node(a, b)) return 1;
    if (a->kind == QKV__NODE_NUMBER && b->kind == QKV__NODE_NUMBER) return -1;
    if (a->kind == QKV__NODE_NAME && b->kind == QKV__NODE_NAME &&
        qkv__tree_is_distinct(l->q, a->text, b->text))
        return -1;
    for (size_t i = 0; i < l->bound_count; i++)
        if (excludes(l->bound[i], a, b) || excludes(l->bound[i], b, a)) return -1;
    return 0;
}

/* Whether an index is one of a range: a picked one of the same range, or a number. */
static bool is_of_range(qkv__limiting *l, const qkv__node *index, const qkv__node *range)
{
    const char *all = range == NULL ? NULL : qkv__tree_text(l->q, range);
    if (all == NULL || index->kind == QKV__NODE_NUMBER) return all != NULL;
    for (const qkv__statement *s = l->q->model->statements; s != NULL; s = qkv__statement_after(s))
        for (size_t i = 0; s->kind == QKV__STATEMENT_PICK && i + 1 < s->count; i++) {
            if (!is_same_node(s->node[i], index)) continue;
            const qkv__node *set = s->node[s->count - 1];
            const char *own = set->kind == QKV__NODE_RANGE ? qkv__tree_text(l->q, set) : NULL;
            return own != NULL && strcmp(all, own) == 0;
        }
    return false;
}

/* ---- Questions ----------------------------------------------------------------------- */

/* for all i in the domain: x compared with y. */
static const qkv__node *for_all(qkv__limiting *l, const qkv__node *domain, const qkv__node *x,
                                qkv__comparison comparison, const qkv__node *y)
{
    qkv__node *body = (qkv__node *)(uintptr_t)qkv__tree_make(l->q, QKV__NODE_COMPARE, "", x, y);
    if (body == NULL || domain == NULL) return NULL;
    body->comparison = comparison;
    return qkv__tree_make(l->q, QKV__NODE_FOR_ALL, "", domain, body);
}

static const qkv__node *other_than(qkv__limiting *l, const qkv__node *key, const qkv__node *index)
{
    qkv__node *domain =
        (qkv__node *)(uintptr_t)qkv__tree_make(l->q, QKV__NODE_COMPARE, "", key, index);
    if (domain != NULL) domain->comparison = QKV__NOT_EQUAL;
    return domain;
}

static bool holds(qkv__limiting *l, const qkv__node *proposition)
{
    qkv__finding finding = {.engine = ""};
    if (proposition == NULL) return false;
    l->deciders->lemma(l->q->model, proposition, &l->premises, &finding);
    const bool proved = finding.verdict == QKV__PROVED;
    qkv__finding_free(&finding);
    return proved;
}

const qkv__node *qkv__limiting_largest(qkv__limiting *l, const qkv__node *number, const char *index,
                                       const qkv__node *range)
{
    const qkv__node *key = qkv__tree_make(l->q, QKV__NODE_NAME, "the key", NULL, NULL);
    const qkv__node *any = key == NULL ? NULL : qkv__tree_put(l->q, number, index, key->text);
    for (size_t i = 0; any != NULL && i < l->index_count; i++) {
        if (!is_of_range(l, l->index[i], range)) continue;
        const char *name = qkv__tree_text(l->q, l->index[i]);
        const qkv__node *own = name == NULL ? NULL : qkv__tree_put(l->q, number, index, name);
        if (own != NULL &&
            holds(l, for_all(l, other_than(l, key, l->index[i]), any, QKV__LESS_OR_EQUAL, own)))
            return own;
    }
    return NULL;
}

/* ---- Families of one vector ---------------------------------------------------------- */

/* k[i], of the family and a bound name. */
static bool is_member(const qkv__node *node, const char *family, const char *index)
{
    return node->kind == QKV__NODE_INDEX && node->count == 2 &&
           node->child[0]->kind == QKV__NODE_NAME && node->child[1]->kind == QKV__NODE_NAME &&
           strcmp(node->child[0]->text, family) == 0 && strcmp(node->child[1]->text, index) == 0;
}

static bool says_constant(qkv__limiting *l, const qkv__node *premise, const char *family)
{
    if (premise->kind == QKV__NODE_AND)
        return says_constant(l, premise->child[0], family) ||
               says_constant(l, premise->child[1], family);
    if (premise->kind != QKV__NODE_FOR_ALL || premise->count != 2) return false;
    const qkv__node *domain = premise->child[0], *body = premise->child[1];
    const qkv__node *range = qkv__tree_family_range(l->q, family);
    if (range == NULL || domain->kind != QKV__NODE_COMPARE || domain->comparison != QKV__IN ||
        domain->child[0]->kind != QKV__NODE_NAME || body->kind != QKV__NODE_COMPARE ||
        body->comparison != QKV__EQUAL)
        return false;
    const char *index = domain->child[0]->text, *all = qkv__tree_text(l->q, range);
    const char *own =
        domain->child[1]->kind == QKV__NODE_RANGE ? qkv__tree_text(l->q, domain->child[1]) : NULL;
    if (all == NULL || own == NULL || strcmp(all, own) != 0) return false;
    for (int side = 0; side < 2; side++)
        if (is_member(body->child[side], family, index) &&
            !qkv__node_names(body->child[1 - side], index))
            return true;
    return false;
}

bool qkv__limiting_is_constant(qkv__limiting *l, const char *family)
{
    for (size_t i = 0; i < l->premises.count; i++)
        if (l->premises.item[i].kind == QKV__CONDITION_GIVEN &&
            says_constant(l, l->premises.item[i].node, family))
            return true;
    for (const qkv__statement *s = l->q->model->statements; s != NULL; s = qkv__statement_after(s))
        for (size_t i = 0; s->kind == QKV__STATEMENT_GIVEN && i < s->count; i++)
            if (qkv__tree_precedes(s, l->q->claim) && says_constant(l, s->node[i], family))
                return true;
    return false;
}

/* ---- Lemmas -------------------------------------------------------------------------- */

/* The scores of an attention: power of the parameter, and the coefficient of a key's. */
typedef struct scores {
    int degree;
    bool exact;               /* there is nothing besides that power */
    const qkv__node *leading; /* the attention with its leading coefficients for query and scale */
} scores;

static bool read_scores(qkv__limiting *l, const qkv__node *attention, scores *s)
{
    qkv__growth query, scale = {0, NULL, true};
    if (!qkv__limiting_growth(l, attention->child[0], &query)) return false;
    const bool scaled = attention->count == 4;
    if (scaled && !qkv__limiting_growth(l, attention->child[3]->child[0], &scale)) return false;
    const qkv__node *option =
        scaled ? qkv__tree_make(l->q, QKV__NODE_OPTION, "scale", scale.coefficient, NULL) : NULL;
    qkv__node *leading = qkv__arena_take(&l->q->algebra.arena, sizeof *leading);
    const qkv__node **child = qkv__arena_array(&l->q->algebra.arena, 4, sizeof *child);
    if (leading == NULL || child == NULL || (scaled && option == NULL)) return false;
    *leading = *attention;
    leading->child = child;
    child[0] = query.coefficient;
    child[1] = attention->child[1];
    child[2] = attention->child[2];
    child[3] = option;
    *s = (scores){query.degree + scale.degree, query.exact && scale.exact, leading};
    return true;
}

/* The index whose score grows fastest, alone; NULL: none is known to. */
static const qkv__node *largest(qkv__limiting *l, const scores *s, const qkv__node *key)
{
    if (!qkv__limiting_is_large(l, s->degree)) return NULL;
    if (s->degree % 2 != 0 && !l->positive) return NULL; /* 1/T as T -> 0 from both sides */
    const qkv__node *any = qkv__tree_score(l->q, s->leading, key);
    const qkv__node *range = qkv__tree_family_range(l->q, s->leading->child[1]->text);
    for (size_t i = 0; any != NULL && i < l->index_count; i++) {
        if (!is_of_range(l, l->index[i], range)) continue;
        const qkv__node *score = qkv__tree_score(l->q, s->leading, l->index[i]);
        if (score != NULL &&
            holds(l, for_all(l, other_than(l, key, l->index[i]), any, QKV__LESS, score)))
            return l->index[i];
    }
    return NULL;
}

/* Whether all scores are the same; in the case of a tie, they are supposed to be. */
static bool is_equal(qkv__limiting *l, const scores *s, const qkv__node *key)
{
    const qkv__node *range = qkv__tree_family_range(l->q, s->leading->child[1]->text);
    const qkv__node *any = qkv__tree_score(l->q, s->leading, key);
    const qkv__node *domain = range == NULL ? NULL : qkv__tree_domain(l->q, key, range);
    const qkv__node *index = NULL;
    for (size_t i = 0; index == NULL && i < l->index_count; i++)
        if (is_of_range(l, l->index[i], range)) index = l->index[i];
    const qkv__node *one =
        index != NULL ? qkv__tree_score(l->q, s->leading, index) : qkv__tree_number(l->q, 0);
    if (qkv__limiting_is_constant(l, s->leading->child[1]->text)) return true;
    if (!s->exact || any == NULL || domain == NULL || one == NULL) return false;
    const qkv__node *same = for_all(l, domain, any, QKV__EQUAL, one);
    if (l->tied)
        return same != NULL && qkv__circumstances_put(&l->premises, QKV__CONDITION_GIVEN, same);
    return index != NULL && holds(l, same);
}

static void find_weights(qkv__limiting *l, const qkv__node *attention, qkv__weights *weights)
{
    scores s;
    const qkv__node *key = qkv__tree_make(l->q, QKV__NODE_NAME, "the key", NULL, NULL);
    if (key == NULL || !read_scores(l, attention, &s)) return;
    if (l->moving != NULL && qkv__limiting_is_small(l, s.degree))
        weights->kind = QKV__WEIGHTS_EVEN;
    else if (l->moving != NULL && (weights->index = largest(l, &s, key)) != NULL)
        weights->kind = QKV__WEIGHTS_ONE;
    else if (is_equal(l, &s, key))
        weights->kind = QKV__WEIGHTS_EQUAL;
}

const qkv__weights *qkv__limiting_weights(qkv__limiting *l, const qkv__node *attention)
{
    static const qkv__weights unknown = {.kind = QKV__WEIGHTS_UNKNOWN};
    const char *text = qkv__tree_text(l->q, attention);
    if (text == NULL) return &unknown;
    for (size_t i = 0; i < l->known_count; i++)
        if (strcmp(l->known[i].text, text) == 0) return &l->known[i];
    if (l->known_count == QKV__LIMITING_KNOWN) return &unknown;
    qkv__weights *weights = &l->known[l->known_count++];
    *weights = (qkv__weights){.text = text};
    find_weights(l, attention, weights);
    return weights;
}
