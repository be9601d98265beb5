/* Reading a question about the matrices of self-attention. Knows syntax and values; nothing of how
 * matrices are found. */
#include "claim/find/head.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "claim/model/binding.h"
#include "claim/model/evaluate.h"
#include "claim/model/index_set.h"
#include "language/builtin.h"
#include "language/tree.h"

enum { ALTERED = 64, DEPTH = 16 };

/* ---- Where the matrices stand -------------------------------------------------------- */

static const qkv__node *find_call(const qkv__node *node)
{
    return qkv__node_find_call(node, QKV__BUILTIN_SELF_ATTEND);
}

/* Whether a statement stands before the question; the question may be inside a block. */
static bool is_earlier(const qkv__question *question, const qkv__statement *s)
{
    qkv__place place = question->statement->place;
    return s != NULL && (s->place.line < place.line ||
                         (s->place.line == place.line && s->place.column < place.column));
}

/* The last definition, before the question, of a name in the proposition, by self_attend. */
static const qkv__statement *find_definition(const qkv__question *question)
{
    const qkv__statement *found = NULL;
    for (const qkv__statement *s = question->model->statements; is_earlier(question, s);
         s = s->next) {
        if (s->kind == QKV__STATEMENT_DEFINE && s->node[0]->kind == QKV__NODE_NAME &&
            qkv__node_mentions(question->proposition, s->node[0]->text) &&
            find_call(s->node[1]) != NULL)
            found = s;
    }
    return found;
}

static bool is_option(const qkv__node *argument)
{
    return argument->kind == QKV__NODE_OPTION || qkv__node_is(argument, "causal");
}

static size_t plain_count(const qkv__node *call)
{
    assert(call->kind == QKV__NODE_CALL);
    size_t count = 0;
    while (count < call->count && !is_option(call->child[count])) count++;
    return count;
}

/* The place of a name: where the call has it, else by its letter, as in W_Q or K. */
static int role_of(const qkv__node *call, const char *name)
{
    assert(call->kind == QKV__NODE_CALL);
    static const char letters[] = "QKV";
    size_t plain = plain_count(call), length = strlen(name);
    for (size_t i = 1; i < plain && i <= QKV__ROLES; i++)
        if (qkv__node_is(call->child[i], name)) return (int)i - 1;
    int found = -1;
    for (int r = 0; r < QKV__ROLES; r++) {
        if (length == 0 || (name[0] != letters[r] && name[length - 1] != letters[r])) continue;
        if (found >= 0) return -1; /* QK */
        found = r;
    }
    return found;
}

/* Finds the attention, and the place of every unknown in it. */
bool qkv__head_locate(qkv__head_task *d)
{
    const qkv__question *question = d->question;
    d->call = find_call(question->proposition);
    if (d->call == NULL) {
        d->definition = find_definition(question);
        if (d->definition != NULL) d->call = find_call(d->definition->node[1]);
    }
    if (d->call == NULL) return false;
    for (size_t i = 0; i < question->unknown_count; i++) {
        const qkv__node *unknown = question->unknown[i];
        bool matrix = unknown->kind == QKV__NODE_CALL && strcmp(unknown->text, "matrix") == 0;
        if (matrix) unknown = unknown->child[0];
        if (unknown->kind != QKV__NODE_NAME) return false; /* another kind, or a size of its own */
        const char *name = unknown->text;
        int role = role_of(d->call, name);
        if (role < 0 || d->unknown[role] != NULL) return false;
        d->unknown[role] = name;
    }
    return true;
}

/* ---- The call with the names in it --------------------------------------------------- */

qkv__node *qkv__head_node(qkv__head_task *d, qkv__node_kind kind, const char *text, size_t count)
{
    qkv__arena *arena = &d->model->algebra.arena;
    qkv__node *node = qkv__arena_take(arena, sizeof *node);
    const qkv__node **child = qkv__arena_array(arena, count + 1, sizeof *child);
    if (node == NULL || child == NULL) return NULL;
    *node = (qkv__node){.kind = kind,
                        .place = d->question->proposition->place,
                        .text = text,
                        .count = count,
                        .child = child,
                        .depth = 1};
    return node;
}

static bool change_call(qkv__head_task *d)
{
    size_t plain = plain_count(d->call), options = d->call->count - plain;
    qkv__node *changed = qkv__head_node(d, QKV__NODE_CALL, "self_attend", 1 + QKV__ROLES + options);
    if (changed == NULL || (plain != 1 && plain != 1 + QKV__ROLES)) return false;
    const qkv__node **child = qkv__node_children(changed);
    child[0] = d->call->child[0];
    for (size_t r = 0; r < QKV__ROLES; r++) {
        const char *name = d->unknown[r] != NULL ? d->unknown[r] : "I";
        bool given = d->unknown[r] == NULL && plain > 1;
        child[1 + r] = given ? d->call->child[1 + r] : qkv__head_node(d, QKV__NODE_NAME, name, 0);
        if (child[1 + r] == NULL) return false;
    }
    for (size_t i = 0; i < options; i++) child[1 + QKV__ROLES + i] = d->call->child[plain + i];
    d->changed = changed;
    return true;
}

/* Whether two trees say the same. */
static bool says_the_same(const qkv__node *x, const qkv__node *y)
{
    bool same = x->kind == y->kind && x->count == y->count && x->comparison == y->comparison &&
                strcmp(x->text, y->text) == 0 &&
                (x->kind != QKV__NODE_NUMBER || qkv__rational_compare(x->value, y->value) == 0);
    for (size_t i = 0; same && i < x->count; i++) same = says_the_same(x->child[i], y->child[i]);
    return same;
}

typedef struct replacement {
    qkv__arena *arena;
    const qkv__node *from, *to;
} replacement;

static const qkv__node *replace(const qkv__node *node, void *context)
{
    const replacement *r = context;
    if (says_the_same(node, r->from)) return r->to;
    const qkv__node *changed = qkv__node_changed(r->arena, node, replace, context);
    return changed == NULL ? node : changed;
}

const qkv__node *qkv__head_replaced(qkv__head_task *d, const qkv__node *node, const qkv__node *from,
                                    const qkv__node *to)
{
    replacement r = {&d->model->algebra.arena, from, to};
    return from == NULL ? node : replace(node, &r);
}

bool qkv__head_evaluate(qkv__head_task *d, const qkv__node *node, qkv__value *value)
{
    qkv__failure failure = {0};
    const qkv__node *culprit = node;
    if (qkv__model_evaluate(d->model, node, NULL, value, &failure, &culprit)) return true;
    qkv__question_fail(d->question, &failure, culprit);
    return false;
}

/* Definitions that rest on what was changed are made again. */
bool qkv__head_define_again(qkv__head_task *d)
{
    const char *altered[ALTERED];
    size_t count = 0;
    for (int r = 0; r < QKV__ROLES; r++)
        if (d->unknown[r] != NULL) altered[count++] = d->unknown[r];
    size_t unknowns = count;
    for (const qkv__statement *s = d->model->statements; is_earlier(d->question, s); s = s->next) {
        if (s->kind != QKV__STATEMENT_DEFINE || s->node[0]->kind == QKV__NODE_CALL) continue;
        bool touched = s == d->definition, own = false;
        for (size_t i = 0; i < count; i++)
            touched = touched || qkv__node_mentions(s->node[1], altered[i]);
        for (size_t i = 0; i < unknowns; i++)
            own = own || strcmp(s->node[0]->text, altered[i]) == 0;
        if (!touched || own) continue;
        qkv__value value;
        if (s->node[0]->kind != QKV__NODE_NAME || count == ALTERED)
            return qkv__question_open(d->question, "the tokens depend on the unknown matrices");
        if (!qkv__head_evaluate(d, qkv__head_replaced(d, s->node[1], d->call, d->changed),
                                &value) ||
            !qkv__model_bind(d->model, (qkv__binding){.name = s->node[0]->text, .value = value}))
            return false;
        altered[count++] = s->node[0]->text;
    }
    return true;
}

/* ---- What is wanted ------------------------------------------------------------------ */

/* Whether a node is the attention: its call, or the name that is defined by it. */
static bool is_attention(const qkv__head_task *d, const qkv__node *node)
{
    if (d->definition == NULL) return says_the_same(node, d->call);
    return qkv__node_is(node, d->definition->node[0]->text) && d->definition->node[1] == d->call;
}

static bool token_of(const qkv__head_task *d, const qkv__node *index, size_t *token)
{
    char number[32];
    const char *name = index->text;
    if (index->kind == QKV__NODE_NUMBER) {
        snprintf(number, sizeof number, "%lld", (long long)index->value.numerator);
        name = number;
    }
    int mark = qkv__mark_find(d->x->set, name);
    *token = mark < 0 ? 0 : (size_t)mark;
    return mark >= 0;
}

/* z[i], or z.weight[i]. */
static bool is_wanted_place(const qkv__head_task *d, const qkv__node *node, size_t *token,
                            bool *weights)
{
    if (node->kind != QKV__NODE_INDEX || node->count != 2) return false;
    const qkv__node *base = node->child[0];
    *weights = base->kind == QKV__NODE_MEMBER && strcmp(base->text, "weight") == 0;
    if (*weights) base = base->child[0];
    return is_attention(d, base) && token_of(d, node->child[1], token);
}

/* Whether a side rests on the unknown matrices, itself or by the definition of a name in it. */
static bool depends_on_unknown(const qkv__head_task *d, const qkv__node *node, int depth)
{
    if (depth > DEPTH || find_call(node) != NULL ||
        (d->definition != NULL && qkv__node_mentions(node, d->definition->node[0]->text)))
        return true;
    for (int r = 0; r < QKV__ROLES; r++)
        if (d->unknown[r] != NULL && qkv__node_mentions(node, d->unknown[r])) return true;
    for (const qkv__statement *s = d->model->statements; is_earlier(d->question, s); s = s->next) {
        if (s->kind != QKV__STATEMENT_DEFINE) continue;
        const char *name = qkv__statement_name(s);
        bool itself = qkv__node_mentions(s->node[1], name); /* a function's argument, at most */
        if (qkv__node_mentions(node, name) && s->node[1] != node && !itself &&
            depends_on_unknown(d, s->node[1], depth + 1))
            return true;
    }
    return false;
}

static bool add_target(qkv__head_task *d, const qkv__node *compared, const qkv__node *wanted,
                       size_t token, bool weights)
{
    qkv__value value;
    if (d->target_count == QKV__TOKENS || depends_on_unknown(d, wanted, 0))
        return qkv__question_open(d->question, "the unknown matrices occur on both sides");
    if (!qkv__head_evaluate(d, wanted, &value)) return false;
    qkv__head_target *t = &d->target[d->target_count++];
    *t = (qkv__head_target){.token = token, .node = wanted, .compared = compared};
    if (!weights)
        return qkv__value_as_vector(&value, &t->output) ||
               qkv__question_complain(d->question, wanted, "expected a vector, found %s",
                                      qkv__value_kind_name(value.kind));
    if (value.kind != QKV__VALUE_LIST || value.count != d->x->set->mark_count)
        return qkv__question_complain(d->question, wanted, "expected a list of %zu weights",
                                      d->x->set->mark_count);
    t->weight_count = value.count;
    for (size_t i = 0; i < value.count; i++)
        if (!qkv__value_as_ratio(&value.element[i], &t->weight[i]))
            return qkv__question_complain(d->question, wanted, "expected numbers as weights");
    return true;
}

/* z[1] ~ t, t = z[1], |z[1] - t| <= r */
static bool collect_comparison(qkv__head_task *d, const qkv__node *node)
{
    assert(node->kind == QKV__NODE_COMPARE);
    const qkv__node *x = node->child[0], *y = node->child[1];
    size_t token;
    bool weights, near = node->comparison == QKV__NEAR;
    if (near || node->comparison == QKV__EQUAL) {
        d->limit = d->limit || (near && !d->question->has_tolerance);
        d->exact = d->exact || !near;
        if (is_wanted_place(d, x, &token, &weights)) return add_target(d, node, y, token, weights);
        if (is_wanted_place(d, y, &token, &weights)) return add_target(d, node, x, token, weights);
    }
    bool below = node->comparison == QKV__LESS || node->comparison == QKV__LESS_OR_EQUAL;
    if (below && x->kind == QKV__NODE_SIZE && x->child[0]->kind == QKV__NODE_SUBTRACT) {
        const qkv__node *difference = x->child[0];
        for (int i = 0; i < 2; i++)
            if (is_wanted_place(d, difference->child[i], &token, &weights) && !weights)
                return add_target(d, node, difference->child[1 - i], token, false);
    }
    return qkv__question_open(d->question,
                              "matrices are found for outputs such as z[1] ~ y, joined by 'and'");
}

static bool collect(qkv__head_task *d, const qkv__node *node)
{
    if (node->kind == QKV__NODE_AND)
        return collect(d, node->child[0]) && collect(d, node->child[1]);
    if (node->kind == QKV__NODE_COMPARE) return collect_comparison(d, node);
    return qkv__question_open(d->question,
                              "matrices are found for outputs such as z[1] ~ y, joined by 'and'");
}

/* ---- The problem --------------------------------------------------------------------- */

static bool read_options(qkv__head_task *d)
{
    d->scale = qkv__ratio_whole(&d->model->algebra, 1);
    for (size_t i = plain_count(d->call); i < d->call->count; i++) {
        const qkv__node *option = d->call->child[i];
        qkv__value value;
        if (option->kind == QKV__NODE_NAME) {
            d->causal = true;
        } else if (strcmp(option->text, "scale") == 0) {
            if (!qkv__head_evaluate(d, option->child[0], &value)) return false;
            if (!qkv__value_as_ratio(&value, &d->scale) ||
                !qkv__ratio_is_invertible(&d->model->algebra, d->scale))
                return qkv__question_open(d->question, "a scale that may be 0");
        } else {
            return qkv__question_open(d->question, "matrices beside a mask, a bias or a sink");
        }
    }
    return true;
}

static bool read_tokens(qkv__head_task *d)
{
    qkv__value value;
    if (!qkv__head_evaluate(d, d->call->child[0], &value)) return false;
    if (value.kind != QKV__VALUE_VECTORS)
        return qkv__question_complain(d->question, d->call->child[0],
                                      "expected a family of vectors, found %s",
                                      qkv__value_kind_name(value.kind));
    d->x = value.vectors;
    size_t count = d->x->set->mark_count;
    if (d->x->generic != NULL || count > QKV__TOKENS)
        return qkv__question_open(d->question, "matrices are found for up to %d listed tokens",
                                  QKV__TOKENS);
    for (size_t i = 0; i < count; i++) {
        size_t j = 0;
        while (j < d->tokens.count &&
               !qkv__vector_equal(&d->model->space, d->tokens.token[j], d->x->mark[i]))
            j++;
        if (j == d->tokens.count) d->tokens.token[d->tokens.count++] = d->x->mark[i];
        d->class[i] = j;
    }
    return true;
}

bool qkv__head_read(qkv__head_task *d)
{
    if (!change_call(d))
        return qkv__question_complain(d->question, d->call,
                                      "self_attend takes x, or x, Q, K and V");
    return read_options(d) && read_tokens(d) && collect(d, d->question->proposition);
}
