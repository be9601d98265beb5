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

bool qkv__limiting_is_of_range(qkv__limiting *l, const qkv__node *index, const qkv__node *range)
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

/* ---- Attention with a sink ------------------------------------------------------------- */

/* The node of an option; NULL: the attention does not have it. */
static const qkv__node *option_of(const qkv__node *attention, const char *name)
{
    for (size_t i = 3; i < attention->count; i++)
        if (attention->child[i]->kind == QKV__NODE_OPTION &&
            strcmp(attention->child[i]->text, name) == 0)
            return attention->child[i];
    return NULL;
}

/* The attention without its sink. */
static const qkv__node *without_sink(qkv__limiting *l, const qkv__node *attention)
{
    enum { MOST = 5 };
    const qkv__node *sink = option_of(attention, "sink");
    if (sink == NULL || attention->count > MOST) return attention;
    qkv__node *made = qkv__arena_take(&l->q->algebra.arena, sizeof *made);
    const qkv__node **child = qkv__arena_array(&l->q->algebra.arena, MOST, sizeof *child);
    if (made == NULL || child == NULL) return NULL;
    *made = *attention;
    made->child = child;
    made->count = 0;
    for (size_t i = 0; i < attention->count; i++)
        if (attention->child[i] != sink) child[made->count++] = attention->child[i];
    return made;
}

bool qkv__limiting_is_attention(qkv__limiting *l, const qkv__node *node)
{
    if (node->kind != QKV__NODE_CALL || node->count < 3) return false;
    const qkv__node *plain = without_sink(l, node);
    return plain != NULL && qkv__tree_is_attention(l->q, plain);
}

bool qkv__limiting_is_weight(qkv__limiting *l, const qkv__node *node, const qkv__node **attention,
                             const qkv__node **index)
{
    if (qkv__tree_is_weight(l->q, node, attention, index)) return true;
    if (node->kind != QKV__NODE_INDEX || node->count != 2) return false;
    const qkv__node *member = node->child[0];
    if (member->kind != QKV__NODE_MEMBER ||
        (strcmp(member->text, "weight") != 0 && strcmp(member->text, "weights") != 0) ||
        !qkv__limiting_is_attention(l, member->child[0]))
        return false;
    *attention = member->child[0];
    *index = node->child[1];
    return true;
}

const qkv__node *qkv__limiting_winner(const qkv__weights *weights)
{
    return weights->kind == QKV__WEIGHTS_SHARED && weights->count == 1 && !weights->sunk
               ? weights->key[0]
               : NULL;
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

const qkv__node *qkv__limiting_others(qkv__limiting *l, const qkv__node *index,
                                      const qkv__node *const *key, size_t count)
{
    if (count == 1) return other_than(l, index, key[0]);
    qkv__node *set =
        (qkv__node *)(uintptr_t)qkv__tree_make(l->q, QKV__NODE_SET, "", key[0], key[1]);
    const qkv__node **child = qkv__arena_array(&l->q->algebra.arena, count, sizeof *child);
    if (set == NULL || child == NULL) return NULL;
    set->child = memcpy(child, key, count * sizeof *child);
    set->count = count;
    qkv__node *domain =
        (qkv__node *)(uintptr_t)qkv__tree_make(l->q, QKV__NODE_COMPARE, "", index, set);
    if (domain != NULL) domain->comparison = QKV__NOT_IN;
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
        if (!qkv__limiting_is_of_range(l, l->index[i], range)) continue;
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
    const qkv__node *whole;   /* the attention, without a sink */
    const qkv__node *leading; /* the same with its leading coefficients for query and scale */
    const qkv__node *sink;    /* the score of the sink, NULL: there is none */
    const qkv__node *level;   /* its coefficient of that power */
    bool level_exact;         /* there is nothing besides it */
} scores;

static bool is_nought(const qkv__node *node)
{
    return node->kind == QKV__NODE_NUMBER && qkv__rational_is_zero(node->value);
}

/* The sink, which must not grow faster than the scores. */
static bool read_sink(qkv__limiting *l, const qkv__node *sink, scores *s)
{
    qkv__growth growth;
    s->sink = sink;
    if (!qkv__limiting_growth(l, sink, &growth)) return false;
    if (growth.degree == s->degree) {
        s->level = growth.coefficient;
        s->level_exact = growth.exact;
    } else if (qkv__limiting_is_large(l, s->degree - growth.degree)) {
        s->level = qkv__tree_number(l->q, 0);
        s->level_exact = is_nought(sink);
    }
    return true;
}

static bool read_scores(qkv__limiting *l, const qkv__node *attention, scores *s)
{
    qkv__growth query, scale = {0, NULL, true};
    const qkv__node *sink = option_of(attention, "sink");
    attention = without_sink(l, attention);
    if (attention == NULL || !qkv__limiting_growth(l, attention->child[0], &query)) return false;
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
    *s = (scores){.degree = query.degree + scale.degree,
                  .exact = query.exact && scale.exact,
                  .whole = attention,
                  .leading = leading};
    return sink == NULL || read_sink(l, sink->child[0], s);
}

static const qkv__node *range_of(qkv__limiting *l, const scores *s)
{
    return qkv__tree_family_range(l->q, s->leading->child[1]->text);
}

/* Whether differences of leading coefficients grow without bound. */
static bool grows(const qkv__limiting *l, const scores *s)
{
    return qkv__limiting_is_large(l, s->degree) &&
           (s->degree % 2 == 0 || l->positive); /* 1/T as T -> 0 from both sides */
}

static const qkv__node *compared(qkv__limiting *l, const qkv__node *x, qkv__comparison comparison,
                                 const qkv__node *y)
{
    qkv__node *made =
        x == NULL || y == NULL
            ? NULL
            : (qkv__node *)(uintptr_t)qkv__tree_make(l->q, QKV__NODE_COMPARE, "", x, y);
    if (made != NULL) made->comparison = comparison;
    return made;
}

/* Whether the leading scores of all keys but these are smaller than a number. */
static bool exceeds_others(qkv__limiting *l, const scores *s, const qkv__node *key,
                           const qkv__node *number, const qkv__weights *w)
{
    const qkv__node *any = qkv__tree_score(l->q, s->leading, key);
    const qkv__node *domain = w->count == 0 ? qkv__tree_domain(l->q, key, range_of(l, s))
                                            : qkv__limiting_others(l, key, w->key, w->count);
    return any != NULL && number != NULL && domain != NULL &&
           holds(l, for_all(l, domain, any, QKV__LESS, number));
}

/* Whether a score exceeds the sink by a margin that grows; true where there is none. */
static bool exceeds_sink(qkv__limiting *l, const scores *s, const qkv__node *score)
{
    return s->sink == NULL || holds(l, compared(l, s->level, QKV__LESS, score));
}

bool qkv__limiting_sums_to_one(qkv__limiting *l, const qkv__node *attention)
{
    scores s;
    if (l->moving == NULL || !read_scores(l, attention, &s) || !grows(l, &s) || s.level == NULL)
        return false;
    for (size_t i = 0; i < l->index_count; i++)
        if (qkv__limiting_is_of_range(l, l->index[i], range_of(l, &s)) &&
            exceeds_sink(l, &s, qkv__tree_score(l->q, s.leading, l->index[i])))
            return true;
    return false;
}

const qkv__node *qkv__limiting_leading_score(qkv__limiting *l, const qkv__node *attention,
                                             const qkv__node *index)
{
    scores s;
    return l->moving != NULL && read_scores(l, attention, &s) && grows(l, &s) && s.sink == NULL
               ? qkv__tree_score(l->q, s.leading, index)
               : NULL;
}

/* Whether one score is smaller than another for all indexes of the sums and claims around it. */
static bool is_smaller(qkv__limiting *l, const qkv__node *score, const qkv__node *other)
{
    const qkv__node *smaller = compared(l, score, QKV__LESS, other);
    for (size_t i = l->bound_count; smaller != NULL && i-- > l->bound_count - l->own_count;)
        smaller = qkv__tree_make(l->q, QKV__NODE_FOR_ALL, "", l->bound[i], smaller);
    return holds(l, smaller);
}

bool qkv__limiting_is_beaten(qkv__limiting *l, const qkv__node *attention, const qkv__node *index)
{
    scores s;
    if (l->moving == NULL || !read_scores(l, attention, &s) || !grows(l, &s) ||
        (index->kind != QKV__NODE_NAME && index->kind != QKV__NODE_NUMBER))
        return false;
    const qkv__node *own = qkv__tree_score(l->q, s.leading, index);
    if (s.level != NULL && is_smaller(l, own, s.level)) return true;
    for (size_t i = 0; i < l->index_count; i++)
        if (qkv__limiting_same(l, l->index[i], index) != 1 &&
            qkv__limiting_is_of_range(l, l->index[i], range_of(l, &s)) &&
            is_smaller(l, own, qkv__tree_score(l->q, s.leading, l->index[i])))
            return true;
    return false;
}

/* Whether a key scores as much as the sink, all the way. */
static bool equals_sink(qkv__limiting *l, const scores *s, const qkv__node *index)
{
    if (s->sink == NULL) return false;
    const bool leading = s->exact && s->level_exact;
    return holds(l, compared(l, qkv__tree_score(l->q, leading ? s->leading : s->whole, index),
                             QKV__EQUAL, leading ? s->level : s->sink));
}

/* One score grows faster than all others and the sink. */
static bool find_largest(qkv__limiting *l, const scores *s, const qkv__node *key, qkv__weights *w)
{
    for (size_t i = 0; i < l->index_count; i++) {
        if (!qkv__limiting_is_of_range(l, l->index[i], range_of(l, s))) continue;
        const qkv__node *score = qkv__tree_score(l->q, s->leading, l->index[i]);
        w->count = 1;
        w->key[0] = l->index[i];
        if (exceeds_others(l, s, key, score, w)) return exceeds_sink(l, s, score);
    }
    return false;
}

/* The keys that score as much as one of them, all the way. */
static void take_equals(qkv__limiting *l, const scores *s, size_t first, qkv__weights *w)
{
    const qkv__node *of = s->exact ? s->leading : s->whole;
    const qkv__node *score = qkv__tree_score(l->q, of, l->index[first]);
    w->count = 0;
    w->key[w->count++] = l->index[first];
    for (size_t i = first + 1; i < l->index_count; i++) {
        bool differs = qkv__limiting_is_of_range(l, l->index[i], range_of(l, s));
        for (size_t k = 0; differs && k < w->count; k++)
            differs = qkv__limiting_same(l, l->index[i], w->key[k]) == -1;
        if (differs &&
            holds(l, compared(l, qkv__tree_score(l->q, of, l->index[i]), QKV__EQUAL, score)))
            w->key[w->count++] = l->index[i];
    }
}

/* Several keys, or some and the sink, tie and score more than the others. */
static bool find_tied(qkv__limiting *l, const scores *s, const qkv__node *key, qkv__weights *w)
{
    for (size_t i = 0; i < l->index_count; i++) {
        if (!qkv__limiting_is_of_range(l, l->index[i], range_of(l, s))) continue;
        const qkv__node *score = qkv__tree_score(l->q, s->leading, l->index[i]);
        take_equals(l, s, i, w);
        w->sunk = equals_sink(l, s, l->index[i]);
        if ((w->count > 1 || w->sunk) && exceeds_others(l, s, key, score, w))
            return w->sunk || exceeds_sink(l, s, score);
    }
    return false;
}

/* The keys that are named and certainly differ, whose scores are below the sink. */
static void take_sunk(qkv__limiting *l, const scores *s, qkv__weights *w)
{
    w->count = 0;
    for (size_t i = 0; i < l->index_count && w->count < QKV__INEQUALITY_DIFFERS; i++) {
        bool differs = qkv__limiting_is_of_range(l, l->index[i], range_of(l, s));
        for (size_t k = 0; differs && k < w->count; k++)
            differs = qkv__limiting_same(l, l->index[i], w->key[k]) == -1;
        if (differs && holds(l, compared(l, qkv__tree_score(l->q, s->leading, l->index[i]),
                                         QKV__LESS, s->level)))
            w->key[w->count++] = l->index[i];
    }
}

/* The sink takes all: it exceeds every score, those of the keys that are named by themselves. */
static bool is_drained(qkv__limiting *l, const scores *s, const qkv__node *key, qkv__weights *w)
{
    if (s->sink == NULL) return false;
    w->count = 0;
    w->sunk = true;
    if (exceeds_others(l, s, key, s->level, w)) return true;
    take_sunk(l, s, w);
    const bool drained = w->count > 0 && exceeds_others(l, s, key, s->level, w);
    w->count = 0;
    return drained;
}

static bool find_shares(qkv__limiting *l, const scores *s, const qkv__node *key, qkv__weights *w)
{
    if (!grows(l, s) || (s->sink != NULL && s->level == NULL)) return false;
    w->sunk = false;
    return find_largest(l, s, key, w) || is_drained(l, s, key, w) || find_tied(l, s, key, w);
}

/* Whether all scores are the same; in the case of a tie, they are supposed to be. */
static bool is_equal(qkv__limiting *l, const scores *s, const qkv__node *key)
{
    const qkv__node *range = qkv__tree_family_range(l->q, s->leading->child[1]->text);
    const qkv__node *any = qkv__tree_score(l->q, s->leading, key);
    const qkv__node *domain = range == NULL ? NULL : qkv__tree_domain(l->q, key, range);
    const qkv__node *index = NULL;
    for (size_t i = 0; index == NULL && i < l->index_count; i++)
        if (qkv__limiting_is_of_range(l, l->index[i], range)) index = l->index[i];
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
    weights->sink = s.sink;
    const bool steady = s.sink == NULL || qkv__limiting_is_fixed(l, s.sink);
    if (l->moving != NULL && steady && qkv__limiting_is_small(l, s.degree))
        weights->kind = QKV__WEIGHTS_EVEN;
    else if (l->moving != NULL && find_shares(l, &s, key, weights))
        weights->kind = QKV__WEIGHTS_SHARED;
    else if (s.sink == NULL && is_equal(l, &s, key))
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
