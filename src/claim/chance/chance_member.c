/* Sums over keys that are drawn alike, as trees. Knows laws by their declarations alone; evaluates
 * nothing. */
#include "claim/chance/chance_member.h"

#include <assert.h>
#include <string.h>

#include "claim/model/compose.h"
#include "language/builtin.h"
#include "language/chance_call.h"
#include "language/law.h"
#include "language/tree.h"
#include "language/write.h"

typedef struct rewriting {
    qkv__model *model;
    const qkv__circumstances *circumstances;
    const qkv__node *domain; /* i in 1..n of the sums that were replaced; NULL: none was */
    bool failed;             /* sums over two domains */
} rewriting;

/* ---- What is drawn ------------------------------------------------------------------------- */

/* The only law of a name; false: it has none, or several. */
static bool only_law(const qkv__model *model, const char *name, qkv__drawn *law)
{
    size_t count = 0;
    for (const qkv__statement *s = model->statements; s != NULL; s = qkv__statement_after(s)) {
        qkv__drawn one;
        if (s->count == 0 || s->kind == QKV__STATEMENT_DEFINE || !qkv__law_read(s->node[0], &one) ||
            strcmp(one.name, name) != 0)
            continue;
        *law = one;
        count++;
    }
    return count == 1;
}

static bool is_drawn(const qkv__node *node, const void *context)
{
    const qkv__model *model = context;
    if (node->kind != QKV__NODE_NAME) return false;
    for (const qkv__statement *s = model->statements; s != NULL; s = qkv__statement_after(s)) {
        qkv__drawn one;
        if (s->count > 0 && s->kind != QKV__STATEMENT_DEFINE && qkv__law_read(s->node[0], &one) &&
            strcmp(one.name, node->text) == 0)
            return true;
    }
    return false;
}

static bool is_fixed(const qkv__model *model, const qkv__node *node)
{
    return !qkv__speaks_of_chance(node) &&
           !qkv__node_rests_on(model->statements, node, is_drawn, model);
}

/* A premise about keys changes their law. */
static bool is_premised(const rewriting *r, const char *name)
{
    for (size_t i = 0; i < r->circumstances->count; i++) {
        const qkv__node *node = r->circumstances->item[i].node;
        if (node != NULL && qkv__node_names(node, name)) return true;
    }
    for (const qkv__statement *s = r->model->statements; s != NULL; s = qkv__statement_after(s))
        for (size_t i = 0; i < s->count; i++)
            if ((s->kind == QKV__STATEMENT_GIVEN || s->kind == QKV__STATEMENT_ASSUME) &&
                qkv__node_names(s->node[i], name))
                return true;
    return false;
}

/* Whether all members of a family have one law, whatever their index, and run over that range. */
static bool is_drawn_alike(const rewriting *r, const char *name, const qkv__node *range,
                           qkv__drawn *law)
{
    if (!only_law(r->model, name, law) || law->single || law->range == NULL || is_premised(r, name))
        return false;
    for (size_t i = 0; i < law->count; i++)
        if (!is_fixed(r->model, law->value[i]) ||
            (law->index != NULL && qkv__node_names(law->value[i], law->index->text)))
            return false;
    const qkv__node *own = qkv__is_index_domain(law->range) ? law->range->child[1] : law->range;
    const qkv__node *end = range->child[1]; /* of 1..n - 1 there may be no member */
    const bool some = end->kind == QKV__NODE_NAME ||
                      (end->kind == QKV__NODE_NUMBER && qkv__rational_sign(end->value) > 0);
    return some && qkv__node_same_text(own, range);
}

/* ---- What a sum is of ---------------------------------------------------------------------- */

/* Whether a term depends on its index through members that are drawn alike, and on nothing else
 * that is random; a single random vector may be in it where only its mean is asked for. */
static bool is_of_member(const rewriting *r, const qkv__node *node, const qkv__node *domain,
                         bool alone)
{
    const char *index = domain->child[0]->text;
    qkv__drawn law;
    if (node->kind == QKV__NODE_INDEX && node->count == 2 &&
        node->child[0]->kind == QKV__NODE_NAME && qkv__node_is(node->child[1], index))
        return is_drawn_alike(r, node->child[0]->text, domain->child[1], &law);
    if (node->kind == QKV__NODE_CALL && qkv__builtin_of(node) == QKV__BUILTIN_NONE)
        return false; /* a function of the document: its body may speak of anything */
    if (node->kind == QKV__NODE_NAME) {
        if (qkv__node_is(node, index)) return false;
        if (is_fixed(r->model, node)) return true;
        return !alone && only_law(r->model, node->text, &law) && law.single;
    }
    if (qkv__node_binds(node, index)) return false;
    for (size_t i = 0; i < node->count; i++)
        if (!is_of_member(r, node->child[i], domain, alone)) return false;
    return true;
}

/* Whether a node is sum(x for i in 1..n), or mean, and x is of one member. */
static bool is_member_sum(const rewriting *r, const qkv__node *node, bool alone)
{
    const qkv__builtin function = qkv__builtin_of(node);
    if (node->kind != QKV__NODE_CALL || !qkv__call_is_over(node) ||
        (function != QKV__BUILTIN_SUM && function != QKV__BUILTIN_MEAN))
        return false;
    const qkv__node *sum = node->child[0], *domain = sum->child[1];
    return qkv__is_index_domain(domain) && domain->comparison == QKV__IN &&
           domain->child[1]->kind == QKV__NODE_RANGE &&
           is_of_member(r, sum->child[0], domain, alone);
}

static bool has_member_sum(const rewriting *r, const qkv__node *node, bool alone)
{
    if (is_member_sum(r, node, alone)) return true;
    for (size_t i = 0; i < node->count; i++)
        if (has_member_sum(r, node->child[i], alone)) return true;
    return false;
}

/* ---- In its place -------------------------------------------------------------------------- */

static const qkv__node *compose(rewriting *r, qkv__node_kind kind, const qkv__node *one,
                                const qkv__node *other)
{
    return qkv__compose_binary(r->model, kind, one, other);
}

static const qkv__node *call(rewriting *r, const char *function, const qkv__node *argument)
{
    return qkv__compose_unary(r->model, QKV__NODE_CALL, function, argument);
}

/* How many keys a sum is over. The index of all sums is one, so that one member stands for all. */
static const qkv__node *size_of(rewriting *r, const qkv__node *sum)
{
    const qkv__node *domain = sum->child[0]->child[1];
    if (r->domain == NULL) r->domain = domain;
    if (!qkv__node_same_text(r->domain, domain)) r->failed = true;
    return domain->child[1]->child[1];
}

static bool is_mean(const qkv__node *sum)
{
    return qkv__builtin_of(sum) == QKV__BUILTIN_MEAN;
}

/* The sum in |sum(k[i] for i in 1..n)|^2, or the mean, and the law of the keys; NULL: it is none.
 */
static const qkv__node *squared_sum(const rewriting *r, const qkv__node *node, qkv__drawn *law)
{
    if (node->kind != QKV__NODE_POWER || node->child[0]->kind != QKV__NODE_SIZE ||
        node->child[1]->kind != QKV__NODE_NUMBER ||
        qkv__rational_compare(node->child[1]->value, qkv__rational_whole(2)) != 0)
        return NULL;
    const qkv__node *sum = node->child[0]->child[0];
    if (!is_member_sum(r, sum, true)) return NULL;
    const qkv__node *body = sum->child[0]->child[0], *domain = sum->child[0]->child[1];
    const bool good = body->kind == QKV__NODE_INDEX &&
                      is_drawn_alike(r, body->child[0]->text, domain->child[1], law) &&
                      law->kind == QKV__LAW_NORMAL && law->count == 2;
    return good ? sum : NULL;
}

/* n E|k[i]|^2 + n (n - 1) |m|^2, where m is the mean of a key; divided by n^2 for the mean. */
static const qkv__node *mean_of_square(rewriting *r, const qkv__node *sum, const qkv__drawn *law)
{
    const qkv__node *size = size_of(r, sum), *m = law->value[0], *body = sum->child[0]->child[0];
    const qkv__node *length = qkv__compose_unary(r->model, QKV__NODE_SIZE, "", body);
    const qkv__node *all =
        compose(r, QKV__NODE_MULTIPLY, size, call(r, "E", qkv__compose_square(r->model, length)));
    if (m->kind != QKV__NODE_NUMBER) { /* a mean that is a number is 0 */
        const qkv__node *one = qkv__compose_number(r->model, qkv__rational_whole(1), sum->place);
        const qkv__node *pairs =
            compose(r, QKV__NODE_MULTIPLY, size, compose(r, QKV__NODE_SUBTRACT, size, one));
        all = compose(r, QKV__NODE_ADD, all,
                      compose(r, QKV__NODE_MULTIPLY, pairs, compose(r, QKV__NODE_DOT, m, m)));
    }
    return is_mean(sum) ? compose(r, QKV__NODE_DIVIDE, all, qkv__compose_square(r->model, size))
                        : all;
}

static const qkv__node *mean_of(rewriting *r, const qkv__node *x)
{
    if (is_member_sum(r, x, false)) {
        const qkv__node *one = call(r, "E", x->child[0]->child[0]), *size = size_of(r, x);
        return is_mean(x) ? one : compose(r, QKV__NODE_MULTIPLY, size, one);
    }
    qkv__drawn law;
    const qkv__node *sum = squared_sum(r, x, &law);
    if (sum != NULL) return mean_of_square(r, sum, &law);
    const bool pair = x->kind == QKV__NODE_ADD || x->kind == QKV__NODE_SUBTRACT;
    if (pair && has_member_sum(r, x, false))
        return compose(r, x->kind, mean_of(r, x->child[0]), mean_of(r, x->child[1]));
    if (x->kind == QKV__NODE_NEGATE)
        return qkv__compose_unary(r->model, QKV__NODE_NEGATE, "", mean_of(r, x->child[0]));
    if (x->kind == QKV__NODE_DIVIDE && is_fixed(r->model, x->child[1]))
        return compose(r, x->kind, mean_of(r, x->child[0]), x->child[1]);
    if (x->kind == QKV__NODE_MULTIPLY && is_fixed(r->model, x->child[0]))
        return compose(r, x->kind, x->child[0], mean_of(r, x->child[1]));
    if (x->kind == QKV__NODE_MULTIPLY && is_fixed(r->model, x->child[1]))
        return compose(r, x->kind, mean_of(r, x->child[0]), x->child[1]);
    return call(r, "E", x);
}

/* Of a sum of independent terms, and of multiples of one. */
static const qkv__node *variance_of(rewriting *r, const qkv__node *x)
{
    if (is_member_sum(r, x, true)) {
        const qkv__node *one = call(r, "Var", x->child[0]->child[0]), *size = size_of(r, x);
        return is_mean(x) ? compose(r, QKV__NODE_DIVIDE, one, size)
                          : compose(r, QKV__NODE_MULTIPLY, size, one);
    }
    if (x->kind == QKV__NODE_NEGATE) return variance_of(r, x->child[0]);
    for (int i = 0; (x->kind == QKV__NODE_ADD || x->kind == QKV__NODE_SUBTRACT) && i < 2; i++)
        if (is_fixed(r->model, x->child[i])) return variance_of(r, x->child[1 - i]);
    if (x->kind == QKV__NODE_DIVIDE && is_fixed(r->model, x->child[1]))
        return compose(r, x->kind, variance_of(r, x->child[0]),
                       qkv__compose_square(r->model, x->child[1]));
    for (int i = 0; x->kind == QKV__NODE_MULTIPLY && i < 2; i++)
        if (is_fixed(r->model, x->child[i]))
            return compose(r, x->kind, qkv__compose_square(r->model, x->child[i]),
                           variance_of(r, x->child[1 - i]));
    return call(r, "Var", x);
}

/* Whether an index stands anywhere but within P, E, Var and Cov. */
static bool is_outside(const qkv__node *node, const char *index)
{
    if (qkv__chance_read(node).kind != 0) return false;
    if (qkv__node_is(node, index)) return true;
    for (size_t i = 0; i < node->count; i++)
        if (is_outside(node->child[i], index)) return true;
    return false;
}

/* A sum of numbers like E(f(k[i])), which are all the same. */
static bool is_sum_of_means(const rewriting *r, const qkv__node *node)
{
    return qkv__speaks_of_chance(node) && is_member_sum(r, node, false) &&
           !is_outside(node->child[0]->child[0], node->child[0]->text);
}

static const qkv__node *rewrite(const qkv__node *node, void *context)
{
    rewriting *r = context;
    const qkv__chance_call chance = qkv__chance_read(node);
    if (chance.kind != 0) {
        if (chance.given != NULL || chance.count != 1) return node;
        const qkv__node *x = chance.argument[0];
        if (chance.kind == 'E' && has_member_sum(r, x, false)) return mean_of(r, x);
        if (chance.kind == 'V' && has_member_sum(r, x, true)) return variance_of(r, x);
        return node;
    }
    if (is_sum_of_means(r, node)) {
        const qkv__node *size = size_of(r, node), *one = node->child[0]->child[0];
        return is_mean(node) ? one : compose(r, QKV__NODE_MULTIPLY, size, one);
    }
    return qkv__node_changed(&r->model->algebra.arena, node, rewrite, r);
}

static bool binds(const qkv__node *node, const void *name)
{
    return qkv__node_binds(node, name);
}

const qkv__node *qkv__chance_by_member(qkv__model *model, const qkv__node *comparison,
                                       const qkv__circumstances *circumstances)
{
    assert(comparison->kind == QKV__NODE_COMPARE);
    if (!qkv__speaks_of_chance(comparison)) return NULL;
    rewriting r = {.model = model, .circumstances = circumstances};
    const qkv__node *made = rewrite(comparison, &r);
    if (made == NULL || r.failed || r.domain == NULL) return NULL;
    const char *index = r.domain->child[0]->text;
    if (qkv__node_has(made, binds, index)) return NULL;
    for (size_t i = 0; i < circumstances->count; i++)
        if (circumstances->item[i].node != NULL &&
            qkv__node_names(circumstances->item[i].node, index))
            return NULL;
    return qkv__node_pair(&model->algebra.arena, comparison, QKV__NODE_FOR_ALL, r.domain, made);
}
