/*
 * Whether two claims say the same. They do if they are built alike out of parts that the checker
 * proves equal, none of which may depend on what the question is about (attention, chance, or else
 * the left side of the question): otherwise the answer itself would make `1 = 1` equal to it. If
 * that does not succeed, abstract.c asks with the thing in question taken as unknown.
 */
#include <string.h>

#include "grade/part.h"
#include "language/tree.h"

/* Parts that must be equal. */
typedef struct pair {
    const qkv__node *one, *other;
    bool side; /* a whole side of the comparison: in a limit, equal in the limit is enough */
} pair;

enum { MOST_PAIRS = 12, BOUND_NAMES = 16 };

typedef struct matching {
    qkv__comparing *c;
    const qkv__statement_form *conditions;
    bool plain; /* the question depends on no attention: its left side is what it is about */
    size_t count, bound_count;
    pair pair[MOST_PAIRS];
    const char *bound[BOUND_NAMES]; /* by sums and quantifiers around what is matched */
} matching;

static bool alike(const matching *m, const qkv__node *one, const qkv__node *other)
{
    return qkv__grade_tree_alike(one, other, m->c->problem->matrices);
}

static bool is_subject(const matching *m, const qkv__node *node)
{
    return qkv__grade_tree_is_subject(node, &m->c->problem->subjects);
}

static bool add_pair(matching *m, const qkv__node *one, const qkv__node *other, bool side)
{
    if (m->count == MOST_PAIRS) return false;
    for (size_t i = 0; i < m->bound_count; i++)
        if (qkv__node_names(one, m->bound[i]) || qkv__node_names(other, m->bound[i])) return false;
    m->pair[m->count++] = (pair){one, other, side};
    return true;
}

static bool binds(const qkv__node *node)
{
    return node->kind == QKV__NODE_SUM || node->kind == QKV__NODE_EXISTS ||
           node->kind == QKV__NODE_FOR_ALL;
}

/* ---- Expressions ---------------------------------------------------------------------------- */

static bool match(matching *m, const qkv__node *one, const qkv__node *other, bool side);

static bool match_in_order(matching *m, const qkv__node *one, const qkv__node *other, bool swapped)
{
    for (size_t i = 0; i < one->count; i++) {
        const qkv__node *b = other->child[swapped ? one->count - 1 - i : i];
        const bool mark = one->kind == QKV__NODE_INDEX && i > 0;
        if (mark ? !alike(m, one->child[i], b) : !match(m, one->child[i], b, false)) return false;
    }
    return true;
}

/* Of a sum the part that is summed, of a quantifier what is said; both bind the same names. */
static bool match_bound(matching *m, const qkv__node *one, const qkv__node *other)
{
    const bool sum = one->kind == QKV__NODE_SUM;
    const size_t outer = m->bound_count, body = sum ? 0 : one->count - 1;
    for (size_t i = 0; i < one->count; i++) {
        if (i == body) continue;
        const qkv__node *item = one->child[i];
        if (!alike(m, item, other->child[i]) || m->bound_count == BOUND_NAMES) return false;
        m->bound[m->bound_count++] =
            sum ? one->text
                : qkv__unknown_name(item->kind == QKV__NODE_COMPARE ? item->child[0] : item);
    }
    const bool good = match(m, one->child[body], other->child[body], false);
    m->bound_count = outer;
    return good;
}

/* Parts below a sum or a quantifier that depend on what it binds must be alike. */
static bool match(matching *m, const qkv__node *one, const qkv__node *other, bool side)
{
    if (alike(m, one, other)) return true;
    if (!is_subject(m, one) && !is_subject(m, other)) return add_pair(m, one, other, side);
    if (one->kind != other->kind || one->count != other->count || one->count == 0 ||
        (one->kind == QKV__NODE_COMPARE && one->comparison != other->comparison) ||
        strcmp(one->text, other->text) != 0)
        return false;
    const size_t before = m->count;
    if (binds(one)) return match_bound(m, one, other);
    if (match_in_order(m, one, other, false)) return true;
    m->count = before;
    const bool commutes = one->kind == QKV__NODE_ADD ||
                          (one->kind == QKV__NODE_MULTIPLY && !m->c->problem->matrices);
    if (commutes && match_in_order(m, one, other, true)) return true;
    m->count = before;
    return false;
}

/* ---- Comparisons ---------------------------------------------------------------------------- */

static bool means_equal(qkv__comparison comparison, bool limit)
{
    return comparison == QKV__EQUAL || (limit && comparison == QKV__NEAR);
}

static bool has_kind(const qkv__node *node, qkv__node_kind kind)
{
    if (node->kind == kind) return true;
    for (size_t i = 0; i < node->count; i++)
        if (has_kind(node->child[i], kind)) return true;
    return false;
}

/* Whether the right side of an answer is made of nothing that the question's is not: if a question
 * is about its left side, `k[a].q = k[a].q` is no answer to `k[a].q = beta`. */
static bool is_as_plain(const qkv__node *answer, const qkv__node *asked)
{
    static const qkv__node_kind kinds[] = {QKV__NODE_DOT,       QKV__NODE_SIZE, QKV__NODE_INDEX,
                                           QKV__NODE_TRANSPOSE, QKV__NODE_CALL, QKV__NODE_SUM};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (answer->kind == kinds[i] && !has_kind(asked, kinds[i])) return false;
    if (answer->kind == QKV__NODE_NAME && !qkv__node_names(asked, answer->text)) return false;
    if (answer->kind == QKV__NODE_MULTIPLY && answer->text[0] == '.') return false;
    for (size_t i = 0; i < answer->count; i++)
        if (!is_as_plain(answer->child[i], asked)) return false;
    return true;
}

static bool match_sides(matching *m, const qkv__node *asked, const qkv__node *left,
                        const qkv__node *right)
{
    const bool limit = m->conditions->limits.count > 0;
    const bool side = means_equal(asked->comparison, limit); /* x < R needs R itself */
    m->count = 0;
    if (m->plain)
        return alike(m, asked->child[0], left) && is_as_plain(right, asked->child[1]) &&
               match(m, asked->child[1], right, side);
    return match(m, asked->child[0], left, side) && match(m, asked->child[1], right, side);
}

static bool match_comparison(matching *m, const qkv__node *asked, const qkv__node *answer)
{
    const bool limit = m->conditions->limits.count > 0;
    const qkv__comparison wanted = asked->comparison, had = answer->comparison;
    const bool same =
        wanted == had || (means_equal(wanted, limit) && means_equal(had, limit));
    if (same && match_sides(m, asked, answer->child[0], answer->child[1])) return true;
    const qkv__comparison mirrored = qkv__comparison_mirror(had);
    const bool turned = wanted == QKV__IN || wanted == QKV__NOT_IN ? false
                        : wanted == mirrored ||
                              (means_equal(wanted, limit) && means_equal(mirrored, limit));
    return turned && match_sides(m, asked, answer->child[1], answer->child[0]);
}

/* Where there are no comparisons at the top, parts must match as they stand. */
static bool match_body(matching *m, const qkv__node *asked, const qkv__node *answer)
{
    m->count = 0;
    if (asked->kind == QKV__NODE_COMPARE && answer->kind == QKV__NODE_COMPARE)
        return match_comparison(m, asked, answer);
    if (asked->kind != answer->kind || m->plain) return alike(m, asked, answer);
    return match(m, asked, answer, false);
}

/* ---- Asking --------------------------------------------------------------------------------- */

/* Whether all pairs are equal. */
static bool pairs_agree(matching *m)
{
    qkv__inquiry inquiry;
    qkv__comparing *c = m->c;
    if (m->count == 0) return true;
    qkv__inquiry_begin(&inquiry, c->key, c->problem, c->preamble);
    for (size_t i = 0; i < m->count; i++) {
        const bool limit = m->pair[i].side && m->conditions->limits.count > 0;
        qkv__statement_form form = *m->conditions;
        form.within = NULL;
        form.body = qkv__grade_tree_compare(c->arena, limit ? QKV__NEAR : QKV__EQUAL, m->pair[i].one,
                                      m->pair[i].other);
        if (!limit) form.limits.count = 0;
        if (form.body != NULL) qkv__inquiry_add(&inquiry, &form);
    }
    c->status = qkv__inquiry_ask(&inquiry, NULL, &c->error);
    bool agree = c->status == QKV_OK && inquiry.count == m->count;
    for (size_t i = 0; i < inquiry.count; i++) agree = agree && inquiry.verdict[i] == QKV_PROVED;
    qkv__inquiry_end(&inquiry);
    return agree;
}

bool qkv__same_thing(qkv__comparing *c, const qkv__statement_form *conditions, const qkv__node *one,
                     const qkv__node *other)
{
    matching m = {.c = c, .conditions = conditions};
    return c->status == QKV_OK && match(&m, one, other, false) && pairs_agree(&m);
}

static bool says_same(qkv__comparing *c, const qkv__statement_form *conditions, const qkv__node *asked,
                      const qkv__node *answer)
{
    matching m = {.c = c, .conditions = conditions};
    m.plain = !is_subject(&m, asked);
    if (c->status != QKV_OK) return false;
    return match_body(&m, asked, answer) && pairs_agree(&m);
}

/* ---- Bodies --------------------------------------------------------------------------------- */

static void split(const qkv__node *node, qkv__nodes *parts, bool *crowded)
{
    if (node->kind == QKV__NODE_AND) {
        split(node->child[0], parts, crowded);
        split(node->child[1], parts, crowded);
    } else if (parts->count == QKV__FORM_ITEMS) {
        *crowded = true;
    } else {
        parts->item[parts->count++] = node;
    }
}

/* Each part of the question must be said by some part of the answer. */
static bool find_parts(qkv__comparing *c, const qkv__statement_form *conditions, const qkv__nodes *asked,
                       const qkv__nodes *answer, size_t *used)
{
    bool taken[QKV__FORM_ITEMS] = {false};
    for (size_t i = 0; i < asked->count; i++) {
        bool found = false;
        for (size_t j = 0; j < answer->count && !found; j++)
            if (!taken[j]) {
                found = says_same(c, conditions, asked->item[i], answer->item[j]);
                taken[j] = found;
            }
        if (!found) return false;
    }
    *used = asked->count;
    return true;
}

static qkv__relation compare_bodies(qkv__comparing *c, const qkv__statement_form *conditions,
                                    const qkv__node *asked, const qkv__node *answer)
{
    qkv__nodes wanted = {0}, had = {0};
    bool crowded = false;
    size_t used = 0;
    split(asked, &wanted, &crowded);
    split(answer, &had, &crowded);
    if (!crowded && find_parts(c, conditions, &wanted, &had, &used)) {
        if (used == had.count) return QKV__SAYS_SAME;
        qkv__relation whole = qkv__compare_unknown(c, conditions, asked, answer);
        if (whole == QKV__SAYS_SAME) return whole;
        c->contains = true;
        return QKV__SAYS_MORE;
    }
    if (c->status != QKV_OK) return QKV__SAYS_UNKNOWN;
    qkv__relation relation = qkv__compare_unknown(c, conditions, asked, answer);
    c->contains = relation == QKV__SAYS_MORE && had.count > wanted.count;
    return relation;
}

/* ---- Premises ------------------------------------------------------------------------------- */

static bool among(const qkv__nodes *nodes, const qkv__node *node, bool matrices)
{
    for (size_t i = 0; i < nodes->count; i++)
        if (qkv__grade_tree_alike(nodes->item[i], node, matrices)) return true;
    return false;
}

/* Whether everything that `under` allows satisfies the other premises: QKV_PROVED if so,
 * QKV_REFUTED if something does not. */
static qkv_verdict follow(qkv__comparing *c, const qkv__statement_form *under, const qkv__nodes *premises)
{
    qkv__inquiry inquiry;
    const bool matrices = c->problem->matrices;
    qkv__inquiry_begin(&inquiry, c->key, c->problem, c->preamble);
    for (size_t i = 0; i < premises->count && inquiry.count < QKV__INQUIRIES; i++) {
        if (among(&under->premises, premises->item[i], matrices)) continue;
        qkv__statement_form form = {.body = premises->item[i],
                          .premises = under->premises,
                          .domains = under->domains};
        qkv__inquiry_add(&inquiry, &form);
    }
    qkv_verdict verdict = QKV_PROVED;
    if (inquiry.count > 0) c->status = qkv__inquiry_ask(&inquiry, NULL, &c->error);
    for (size_t i = 0; i < inquiry.count; i++) {
        if (inquiry.verdict[i] == QKV_REFUTED) verdict = QKV_REFUTED;
        if (inquiry.verdict[i] != QKV_PROVED && verdict == QKV_PROVED) verdict = QKV_UNDECIDED;
    }
    qkv__inquiry_end(&inquiry);
    return c->status == QKV_OK ? verdict : QKV_UNDECIDED;
}

/* A premise about the thing in question is part of what is said: `x = 1 implies x = 1`. */
static void fold_subjects(qkv__comparing *c, qkv__statement_form *form)
{
    size_t kept = 0;
    for (size_t i = 0; i < form->premises.count; i++) {
        const qkv__node *premise = form->premises.item[i];
        const qkv__node *folded =
            qkv__grade_tree_is_subject(premise, &c->problem->subjects)
                ? qkv__grade_tree_two(c->arena, QKV__NODE_IMPLIES, premise, form->body)
                : NULL;
        if (folded != NULL)
            form->body = folded;
        else
            form->premises.item[kept++] = premise;
    }
    form->premises.count = kept;
}

/* |x - y| <= t for x = y within t. */
static void fold_tolerance(qkv__comparing *c, qkv__statement_form *form)
{
    const qkv__node *body = form->body;
    if (form->within == NULL || body->kind != QKV__NODE_COMPARE ||
        (body->comparison != QKV__EQUAL && body->comparison != QKV__NEAR))
        return;
    const qkv__node *difference =
        qkv__grade_tree_two(c->arena, QKV__NODE_SUBTRACT, body->child[0], body->child[1]);
    const qkv__node *size =
        difference == NULL ? NULL : qkv__grade_tree_make(c->arena, QKV__NODE_SIZE, "", 1, &difference);
    const qkv__node *folded =
        size == NULL ? NULL
                     : qkv__grade_tree_compare(c->arena, QKV__LESS_OR_EQUAL, size, form->within);
    if (folded == NULL) return;
    form->body = folded;
    form->within = NULL;
}

static bool tolerances_agree(qkv__comparing *c, qkv__statement_form *asked, qkv__statement_form *answer)
{
    fold_tolerance(c, asked);
    fold_tolerance(c, answer);
    return asked->within == NULL && answer->within == NULL;
}

/* How what is said under other premises compares: the answer's hold wherever the question's do
 * (covered), and the other way round (confined). */
static qkv__relation weigh(qkv__relation bodies, qkv_verdict covered, qkv_verdict confined)
{
    if (bodies == QKV__SAYS_NOTHING) return bodies;
    if (covered == QKV_REFUTED) return QKV__SAYS_LESS; /* nothing is said where it matters */
    if (covered != QKV_PROVED) return QKV__SAYS_UNKNOWN;
    if (confined == QKV_PROVED) return bodies;
    return bodies == QKV__SAYS_SAME || bodies == QKV__SAYS_MORE ? QKV__SAYS_MORE
                                                                : QKV__SAYS_UNKNOWN;
}

qkv__relation qkv__compare_claims(qkv__comparing *c, const qkv__statement_form *asked_form,
                                  const qkv__statement_form *answer_form)
{
    qkv__statement_form asked = *asked_form, answer = *answer_form;
    const bool matrices = c->problem->matrices;
    c->contains = false;
    qkv__statement_form_align(c->arena, &asked, &answer);
    if (asked.crowded || answer.crowded) return QKV__SAYS_UNKNOWN;
    if (qkv__statement_form_alike(&asked, &answer, matrices)) return QKV__SAYS_SAME;
    if (!qkv__nodes_alike(&asked.limits, &answer.limits, true, matrices)) return QKV__SAYS_UNKNOWN;
    if (!tolerances_agree(c, &asked, &answer)) return QKV__SAYS_UNKNOWN;
    fold_subjects(c, &asked);
    fold_subjects(c, &answer);
    qkv__relation bodies = compare_bodies(c, &asked, asked.body, answer.body);
    if (c->status != QKV_OK) return QKV__SAYS_UNKNOWN;
    if (!qkv__nodes_alike(&asked.domains, &answer.domains, false, matrices))
        return bodies == QKV__SAYS_NOTHING ? bodies : QKV__SAYS_UNKNOWN;
    qkv_verdict covered = follow(c, &asked, &answer.premises);
    qkv_verdict confined =
        covered == QKV_PROVED ? follow(c, &answer, &asked.premises) : QKV_UNDECIDED;
    return weigh(bodies, covered, confined);
}
