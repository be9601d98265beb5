/*
 * Two claims about the same things, compared with these things taken as unknown: c.weight[a] becomes
 * a number x of which nothing is known. x = R and x*S = T say the same if each follows from the
 * other for all x, which the checker is asked; 1 = 1 then says nothing, and x >= 0 less.
 *
 * An equation that has x in one place only is first solved for x.
 */
#include <stdio.h>
#include <string.h>

#include "grade/part.h"
#include "language/tree.h"
#include "language/write.h"

enum { MOST_UNKNOWNS = 16, BOUND_NAMES = 32 };

typedef enum shape { SHAPE_NUMBER, SHAPE_VECTOR, SHAPE_OTHER } shape;

typedef struct unknown {
    const qkv__node *thing;
    const char *name;
    shape shape;
    bool weight; /* a weight of attention: positive */
} unknown;

typedef struct abstraction {
    qkv__comparing *c;
    const qkv__statement_form *conditions;
    size_t count;
    unknown item[MOST_UNKNOWNS];
    const char *bound[BOUND_NAMES];
    size_t bound_count;
    bool failed;
    char prefix[24]; /* of the names of unknowns: it occurs nowhere else */
} abstraction;

/* ---- Things in question --------------------------------------------------------------------- */

static bool is_subject(const abstraction *a, const qkv__node *node)
{
    return qkv__grade_tree_is_subject(node, &a->c->problem->subjects);
}

static bool is_chance(const char *name)
{
    return strcmp(name, "P") == 0 || strcmp(name, "E") == 0 || strcmp(name, "Var") == 0 ||
           strcmp(name, "Cov") == 0 || strcmp(name, "entropy") == 0;
}

static bool is_plural_of(const char *text, const char *word)
{
    const size_t length = strlen(word);
    return strncmp(text, word, length) == 0 && (text[length] == '\0' || text[length] == 's');
}

/* The number of indexes behind c.weight, and whether it is that. */
static bool is_weight(const qkv__node *node, const char *word, size_t *indexes)
{
    *indexes = 0;
    while (node->kind == QKV__NODE_INDEX) {
        *indexes += node->count - 1;
        node = node->child[0];
    }
    return node->kind == QKV__NODE_MEMBER && is_plural_of(node->text, word);
}

static bool has_call(const qkv__node *node, const char *name)
{
    if (node->kind == QKV__NODE_CALL && strcmp(node->text, name) == 0) return true;
    for (size_t i = 0; i < node->count; i++)
        if (has_call(node->child[i], name)) return true;
    return false;
}

/* Whether a chain of members and indexes, or a call, is one thing; and what it is. */
static bool is_thing(const qkv__node *node, shape *found, bool *weight)
{
    size_t indexes;
    *weight = is_weight(node, "weight", &indexes);
    if (*weight || is_weight(node, "score", &indexes)) {
        const size_t needed = has_call(node, "self_attend") ? 2 : 1;
        *found = indexes == needed ? SHAPE_NUMBER : SHAPE_OTHER;
        return true;
    }
    if (node->kind == QKV__NODE_CALL && is_chance(node->text)) return *found = SHAPE_NUMBER, true;
    if (node->kind == QKV__NODE_CALL && strcmp(node->text, "attend") == 0)
        return *found = SHAPE_VECTOR, true;
    if (node->kind == QKV__NODE_INDEX && node->child[0]->kind == QKV__NODE_CALL &&
        strcmp(node->child[0]->text, "self_attend") == 0)
        return *found = node->count == 2 ? SHAPE_VECTOR : SHAPE_OTHER, true;
    if (node->kind == QKV__NODE_MEMBER || node->kind == QKV__NODE_INDEX)
        return *found = SHAPE_OTHER, true;
    return *found = SHAPE_OTHER, node->kind == QKV__NODE_CALL;
}

static bool mentions_bound(const abstraction *a, const qkv__node *node)
{
    for (size_t i = 0; i < a->bound_count; i++)
        if (qkv__node_names(node, a->bound[i])) return true;
    return false;
}

/* sum(c.weight[i] for ...) is a number; any other sum might be a vector. */
static shape shape_of_sum(const qkv__node *call)
{
    shape inner = SHAPE_OTHER;
    bool weight;
    if (call->count != 1 || call->child[0]->kind != QKV__NODE_SUM) return SHAPE_OTHER;
    const qkv__node *body = call->child[0]->child[0];
    if (body->kind == QKV__NODE_POWER) body = body->child[0];
    return is_thing(body, &inner, &weight) ? inner : SHAPE_OTHER;
}

static const qkv__node *name_thing(abstraction *a, const qkv__node *node, shape found, bool weight)
{
    for (size_t i = 0; i < a->count; i++)
        if (qkv__grade_tree_alike(a->item[i].thing, node, a->c->problem->matrices))
            return qkv__grade_tree_name(a->c->arena, a->item[i].name);
    for (size_t i = 0; i < a->count && found != SHAPE_OTHER; i++)
        if (a->item[i].shape == found && a->item[i].thing->kind == node->kind &&
            qkv__same_thing(a->c, a->conditions, a->item[i].thing, node))
            return qkv__grade_tree_name(a->c->arena, a->item[i].name);
    if (a->count == MOST_UNKNOWNS || found == SHAPE_OTHER) return a->failed = true, node;
    char name[32];
    snprintf(name, sizeof name, "%s%zu", a->prefix, a->count + 1);
    const char *kept = qkv__arena_text(a->c->arena, name, strlen(name));
    if (kept == NULL) return a->failed = true, node;
    a->item[a->count++] = (unknown){node, kept, found, weight};
    return qkv__grade_tree_name(a->c->arena, kept);
}

static bool is_linear_call(const qkv__node *node)
{
    return strcmp(node->text, "mean") == 0 || strcmp(node->text, "ln") == 0 ||
           strcmp(node->text, "log") == 0 || strcmp(node->text, "exp") == 0 ||
           strcmp(node->text, "sqrt") == 0 || strcmp(node->text, "abs") == 0 ||
           strcmp(node->text, "norm") == 0 || strcmp(node->text, "dist") == 0;
}

static const qkv__node *abstract(abstraction *a, const qkv__node *node)
{
    shape found;
    bool weight;
    if (a->failed || !is_subject(a, node)) return node;
    const bool sum = node->kind == QKV__NODE_CALL && node->count == 1 &&
                     node->child[0]->kind == QKV__NODE_SUM;
    if (sum) return name_thing(a, node, shape_of_sum(node), false);
    const bool through = node->kind == QKV__NODE_CALL && is_linear_call(node);
    if (!through && node->kind < QKV__NODE_COMPARE && is_thing(node, &found, &weight))
        return name_thing(a, node, mentions_bound(a, node) ? SHAPE_OTHER : found, weight);
    if (node->kind == QKV__NODE_EXISTS || node->kind == QKV__NODE_FOR_ALL ||
        node->kind == QKV__NODE_SUM || node->count == 0)
        return a->failed = true, node;
    const qkv__node **child = qkv__arena_array(a->c->arena, node->count, sizeof *child);
    qkv__node *copy = qkv__arena_take(a->c->arena, sizeof *copy);
    if (child == NULL || copy == NULL) return a->failed = true, node;
    for (size_t i = 0; i < node->count; i++) child[i] = abstract(a, node->child[i]);
    *copy = *node;
    copy->child = child;
    return copy;
}

/* ---- Solving for the unknown ---------------------------------------------------------------- */

/* x = right, provided that `apart` differ from 0 and `positive` are above it. */
typedef struct solution {
    qkv__arena *arena;
    const qkv__node *right;
    qkv__nodes apart, positive;
    bool weight;   /* the unknown is positive */
    bool constant; /* only multiplied by and divided by plain numbers: good in a limit too */
    bool failed;
} solution;

static const qkv__node *two(solution *s, qkv__node_kind kind, const qkv__node *x,
                            const qkv__node *y)
{
    const qkv__node *made = qkv__grade_tree_two(s->arena, kind, x, y);
    if (made == NULL) s->failed = true;
    return made;
}

static void need(solution *s, qkv__nodes *nodes, const qkv__node *node)
{
    if (nodes->count == 8)
        s->failed = true;
    else
        nodes->item[nodes->count++] = node;
}

static bool is_plain_number(const qkv__node *node)
{
    if (node->kind == QKV__NODE_NUMBER) return node->value.numerator != 0;
    if (node->kind == QKV__NODE_NEGATE) return is_plain_number(node->child[0]);
    return node->kind == QKV__NODE_DIVIDE && is_plain_number(node->child[0]) &&
           is_plain_number(node->child[1]);
}

static void multiply_out(solution *s, const qkv__node *factor, bool divided)
{
    if (!is_plain_number(factor)) {
        s->constant = false;
        need(s, &s->apart, factor);
    }
    s->right = divided ? two(s, QKV__NODE_MULTIPLY, factor, s->right)
                       : two(s, QKV__NODE_DIVIDE, s->right, factor);
}

/* t/x = r means x = t/r, if t is not 0; this takes x to be other than 0, which weights are. */
static void turn_over(solution *s, const qkv__node *above)
{
    if (!s->weight) s->failed = true;
    need(s, &s->apart, above);
    s->constant = false;
    s->right = two(s, QKV__NODE_DIVIDE, above, s->right);
}

static const qkv__node *call_of(solution *s, const char *name, const qkv__node *argument)
{
    const qkv__node *made = qkv__grade_tree_make(s->arena, QKV__NODE_CALL, name, 1, &argument);
    if (made == NULL) s->failed = true;
    return made;
}

/* ln x = r means x = e^r for positive x; e^x = r means x = ln r for positive r. */
static void invert_call(solution *s, const qkv__node *call)
{
    s->constant = false;
    if (strcmp(call->text, "ln") == 0 || strcmp(call->text, "log") == 0) {
        if (!s->weight) s->failed = true;
        s->right = call_of(s, "exp", s->right);
    } else if (strcmp(call->text, "exp") == 0) {
        need(s, &s->positive, s->right);
        s->right = call_of(s, "ln", s->right);
    } else {
        s->failed = true;
    }
}

/* 0 may be a number or a vector, and only one of them can be added to. */
static const qkv__node *add(solution *s, const qkv__node *x, const qkv__node *y, bool minus)
{
    const bool zero = x->kind == QKV__NODE_NUMBER && x->value.numerator == 0;
    if (zero && !minus) return y;
    if (zero) return qkv__grade_tree_make(s->arena, QKV__NODE_NEGATE, "", 1, &y);
    return two(s, minus ? QKV__NODE_SUBTRACT : QKV__NODE_ADD, x, y);
}

/* One step outward is undone; the part that holds the unknown, or NULL. */
static const qkv__node *undo(solution *s, const qkv__node *left, const char *name)
{
    const qkv__node *x = left->child[0], *y = left->count > 1 ? left->child[1] : NULL;
    const bool first = qkv__node_names(x, name);
    const qkv__node *inner = first ? x : y, *rest = first ? y : x;
    if (y != NULL && first && qkv__node_names(y, name)) return NULL;
    switch (left->kind) {
    case QKV__NODE_ADD: s->right = add(s, s->right, rest, true); break;
    case QKV__NODE_SUBTRACT:
        s->right = first ? add(s, s->right, rest, false) : add(s, rest, s->right, true);
        break;
    case QKV__NODE_NEGATE:
        s->right = qkv__grade_tree_make(s->arena, QKV__NODE_NEGATE, "", 1, &s->right);
        break;
    case QKV__NODE_MULTIPLY: multiply_out(s, rest, false); break;
    case QKV__NODE_DIVIDE: first ? multiply_out(s, rest, true) : turn_over(s, rest); break;
    case QKV__NODE_CALL: y == NULL ? invert_call(s, left) : (void)(s->failed = true); break;
    default: s->failed = true; break;
    }
    return s->failed || s->right == NULL ? NULL : inner;
}

/* coefficient*x + rest, where the unknown stands in several places. */
typedef struct linear {
    const qkv__node *coefficient, *rest; /* NULL: 0 */
} linear;

static const qkv__node *plus(solution *s, const qkv__node *x, const qkv__node *y, bool minus)
{
    if (y == NULL) return x;
    if (x == NULL && !minus) return y;
    if (x == NULL) return qkv__grade_tree_make(s->arena, QKV__NODE_NEGATE, "", 1, &y);
    return two(s, minus ? QKV__NODE_SUBTRACT : QKV__NODE_ADD, x, y);
}

static const qkv__node *times(solution *s, qkv__node_kind kind, const qkv__node *x,
                              const qkv__node *y)
{
    return x == NULL || y == NULL ? NULL : two(s, kind, x, y);
}

static linear read_linear(solution *s, const qkv__node *node, const char *name)
{
    linear none = {NULL, NULL};
    if (!qkv__node_names(node, name)) return (linear){NULL, node};
    if (node->kind == QKV__NODE_NAME) return (linear){qkv__grade_tree_number(s->arena, 1), NULL};
    if (node->kind == QKV__NODE_ADD || node->kind == QKV__NODE_SUBTRACT) {
        linear x = read_linear(s, node->child[0], name), y = read_linear(s, node->child[1], name);
        const bool minus = node->kind == QKV__NODE_SUBTRACT;
        return (linear){plus(s, x.coefficient, y.coefficient, minus),
                        plus(s, x.rest, y.rest, minus)};
    }
    if (node->kind == QKV__NODE_NEGATE) {
        linear x = read_linear(s, node->child[0], name);
        return (linear){plus(s, NULL, x.coefficient, true), plus(s, NULL, x.rest, true)};
    }
    const bool product = node->kind == QKV__NODE_MULTIPLY;
    if (!product && node->kind != QKV__NODE_DIVIDE) return s->failed = true, none;
    const bool first = qkv__node_names(node->child[0], name);
    const qkv__node *factor = node->child[first ? 1 : 0];
    if (qkv__node_names(factor, name) || (!product && !first)) return s->failed = true, none;
    linear x = read_linear(s, node->child[first ? 0 : 1], name);
    return (linear){times(s, node->kind, x.coefficient, factor),
                    times(s, node->kind, x.rest, factor)};
}

static void solve_linear(solution *s, const qkv__node *left, const qkv__node *right,
                         const char *name)
{
    linear x = read_linear(s, left, name), y = read_linear(s, right, name);
    const qkv__node *coefficient = plus(s, x.coefficient, y.coefficient, true);
    const qkv__node *rest = plus(s, y.rest, x.rest, true);
    if (coefficient == NULL || rest == NULL) s->failed = true;
    if (s->failed) return;
    s->constant = is_plain_number(coefficient);
    if (!s->constant) need(s, &s->apart, coefficient);
    s->right = two(s, QKV__NODE_DIVIDE, rest, coefficient);
}

/* Solves an equation for the unknown; false where that is beyond these rules. */
static bool solve(solution *s, const qkv__node *equation, const char *name)
{
    const qkv__node *left = equation->child[0], *right = equation->child[1];
    s->constant = true;
    if (qkv__node_names(right, name) && !qkv__node_names(left, name)) {
        const qkv__node *turned = left;
        left = right;
        right = turned;
    }
    if (!qkv__node_names(left, name)) return false;
    if (qkv__node_names(right, name)) return solve_linear(s, left, right, name), !s->failed;
    const solution fresh = *s;
    const qkv__node *whole = left;
    s->right = right;
    while (left != NULL && left->kind != QKV__NODE_NAME) left = undo(s, left, name);
    if (left != NULL && !s->failed) return true;
    *s = fresh;
    solve_linear(s, whole, right, name);
    return !s->failed;
}

/* ---- Asking --------------------------------------------------------------------------------- */

static void declare(const abstraction *a, qkv__inquiry *inquiry)
{
    for (size_t i = 0; i < a->count; i++) {
        char line[64];
        snprintf(line, sizeof line, "%s %s",
                 a->item[i].shape == SHAPE_VECTOR ? "vector" : "scalar", a->item[i].name);
        qkv__inquiry_declare(inquiry, line);
    }
}

static void ask_of(abstraction *a, qkv__inquiry *inquiry, const qkv__nodes *nodes,
                   qkv__comparison comparison)
{
    for (size_t i = 0; i < nodes->count; i++) {
        const qkv__node *zero = qkv__grade_tree_number(a->c->arena, 0);
        qkv__statement_form form = *a->conditions;
        form.limits.count = 0;
        form.within = NULL;
        form.body = zero == NULL
                        ? NULL
                        : qkv__grade_tree_compare(a->c->arena, comparison, nodes->item[i], zero);
        if (form.body != NULL && inquiry->count < QKV__INQUIRIES) qkv__inquiry_add(inquiry, &form);
    }
}

static bool all_proved(abstraction *a, qkv__inquiry *inquiry, size_t expected)
{
    a->c->status = qkv__inquiry_ask(inquiry, NULL, &a->c->error);
    bool proved = a->c->status == QKV_OK && inquiry->count == expected;
    for (size_t i = 0; i < inquiry->count; i++)
        proved = proved && inquiry->verdict[i] == QKV_PROVED;
    return proved;
}

/* x = R and x = S say the same if R = S, in the limit R ~ S. */
static bool solutions_agree(abstraction *a, const solution *x, const solution *y, bool limit)
{
    qkv__inquiry inquiry;
    qkv__statement_form form = *a->conditions;
    form.within = NULL;
    form.body = qkv__grade_tree_compare(a->c->arena, limit ? QKV__NEAR : QKV__EQUAL, x->right, y->right);
    if (form.body == NULL) return false;
    qkv__inquiry_begin(&inquiry, a->c->key, a->c->problem, a->c->preamble);
    declare(a, &inquiry);
    qkv__inquiry_add(&inquiry, &form);
    ask_of(a, &inquiry, &x->apart, QKV__NOT_EQUAL);
    ask_of(a, &inquiry, &y->apart, QKV__NOT_EQUAL);
    ask_of(a, &inquiry, &x->positive, QKV__GREATER);
    ask_of(a, &inquiry, &y->positive, QKV__GREATER);
    const size_t expected =
        1 + x->apart.count + y->apart.count + x->positive.count + y->positive.count;
    const bool agree = all_proved(a, &inquiry, expected);
    qkv__inquiry_end(&inquiry);
    return agree;
}

static bool is_equation(const qkv__node *node, bool limit)
{
    return node->kind == QKV__NODE_COMPARE &&
           (node->comparison == QKV__EQUAL || (limit && node->comparison == QKV__NEAR));
}

static bool equations_agree(abstraction *a, const qkv__node *asked, const qkv__node *answer)
{
    const bool limit = a->conditions->limits.count > 0;
    if (!is_equation(asked, limit) || !is_equation(answer, limit)) return false;
    for (size_t i = 0; i < a->count && a->c->status == QKV_OK; i++) {
        solution x = {.arena = a->c->arena, .weight = a->item[i].weight}, y = x;
        if (!solve(&x, asked, a->item[i].name) || !solve(&y, answer, a->item[i].name)) continue;
        if (limit && (!x.constant || !y.constant)) continue;
        if (solutions_agree(a, &x, &y, limit)) return true;
    }
    return false;
}

/* Adds the claim that `goal` follows from `premise`. If the premise is an equation that gives an
 * unknown, its value is put into the goal: that is easier to decide. */
static void ask_whether(abstraction *a, qkv__inquiry *inquiry, const qkv__node *premise,
                        const qkv__node *goal)
{
    qkv__statement_form form = *a->conditions;
    form.within = NULL;
    form.body = goal;
    for (size_t i = 0; is_equation(premise, false) && i < a->count; i++) {
        solution s = {.arena = a->c->arena};
        qkv__dictionary value = {0};
        if (!qkv__node_names(goal, a->item[i].name) || !solve(&s, premise, a->item[i].name) ||
            s.apart.count + s.positive.count > 0 || qkv__node_names(s.right, a->item[i].name) ||
            !qkv__dictionary_put(&value, a->c->arena, a->item[i].name, s.right))
            continue;
        const qkv__node *known = qkv__grade_tree_expand(a->c->arena, goal, &value);
        if (known == NULL) continue;
        form.body = known;
        qkv__inquiry_add(inquiry, &form);
        return;
    }
    form.premises.item[form.premises.count++] = premise;
    qkv__inquiry_add(inquiry, &form);
}

/* Which of the two follows from the other. In a limit premises hold exactly, not in the limit, so
 * nothing is asked there but whether the answer holds of everything. */
static qkv__relation ask_implications(abstraction *a, const qkv__node *asked,
                                      const qkv__node *answer)
{
    qkv__inquiry inquiry;
    qkv__statement_form alone = *a->conditions;
    const bool limit = a->conditions->limits.count > 0;
    if (alone.premises.count == QKV__FORM_ITEMS) return QKV__SAYS_UNKNOWN;
    alone.body = answer;
    alone.within = NULL;
    qkv__inquiry_begin(&inquiry, a->c->key, a->c->problem, a->c->preamble);
    declare(a, &inquiry);
    qkv__inquiry_add(&inquiry, &alone);
    if (!limit) ask_whether(a, &inquiry, asked, answer);
    if (!limit) ask_whether(a, &inquiry, answer, asked);
    a->c->status = qkv__inquiry_ask(&inquiry, NULL, &a->c->error);
    const qkv_verdict *v = inquiry.verdict;
    qkv__relation relation = QKV__SAYS_UNKNOWN;
    if (a->c->status != QKV_OK)
        relation = QKV__SAYS_UNKNOWN;
    else if (v[0] == QKV_PROVED)
        relation = QKV__SAYS_NOTHING;
    else if (limit)
        relation = QKV__SAYS_UNKNOWN;
    else if (v[1] == QKV_PROVED && v[2] == QKV_PROVED)
        relation = QKV__SAYS_SAME;
    else if (v[1] == QKV_PROVED && v[2] == QKV_REFUTED)
        relation = QKV__SAYS_LESS;
    else if (v[1] == QKV_REFUTED && v[2] == QKV_PROVED)
        relation = QKV__SAYS_MORE;
    else if (v[1] == QKV_REFUTED && v[2] == QKV_REFUTED)
        relation = QKV__SAYS_OTHER;
    qkv__inquiry_end(&inquiry);
    return relation;
}

/* A student may have used any name; one that is found in no text is free. */
static bool choose_prefix(abstraction *a, const qkv__node *asked, const qkv__node *answer)
{
    qkv__text text = {0};
    qkv__text_format(&text, "%s\n", a->c->preamble == NULL ? "" : a->c->preamble);
    qkv__node_write(asked, &text);
    qkv__node_write(answer, &text);
    snprintf(a->prefix, sizeof a->prefix, "asked");
    bool found = !text.failed;
    while (found && strstr(text.data, a->prefix) != NULL) {
        const size_t length = strlen(a->prefix);
        found = length + 2 < sizeof a->prefix;
        if (found) a->prefix[length] = 'x', a->prefix[length + 1] = '\0';
    }
    qkv__text_free(&text);
    return found;
}

qkv__relation qkv__compare_unknown(qkv__comparing *c, const qkv__statement_form *conditions,
                                   const qkv__node *asked, const qkv__node *answer)
{
    abstraction a = {.c = c, .conditions = conditions};
    if (!choose_prefix(&a, asked, answer)) return QKV__SAYS_UNKNOWN;
    const qkv__node *wanted = abstract(&a, asked), *had = a.failed ? NULL : abstract(&a, answer);
    if (a.failed || c->arena->failed || a.count == 0) return QKV__SAYS_UNKNOWN;
    if (qkv__grade_tree_alike(wanted, had, c->problem->matrices)) return QKV__SAYS_SAME;
    if (equations_agree(&a, wanted, had)) return QKV__SAYS_SAME;
    if (c->status != QKV_OK) return QKV__SAYS_UNKNOWN;
    return ask_implications(&a, wanted, had);
}
