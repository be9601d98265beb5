/* Trees made of others: names replaced, order made plain. Knows syntax alone. */
#include <stdlib.h>
#include <string.h>

#include "grade/part.h"
#include "language/builtin.h"
#include "language/tree.h"

/* An answer with more nodes than this is nobody's answer, but may be an attack. */
enum { LARGEST_TREE = 20000, BOUND_NAMES = 32 };

/* ---- Dictionaries --------------------------------------------------------------------------- */

bool qkv__dictionary_put(qkv__dictionary *d, qkv__arena *arena, const char *name,
                         const qkv__node *node)
{
    for (size_t i = 0; i < d->count; i++)
        if (strcmp(d->item[i].name, name) == 0) return d->item[i].node = node, true;
    if (d->count == d->capacity) {
        size_t capacity = d->capacity == 0 ? 16 : 2 * d->capacity;
        qkv__meaning *grown = qkv__arena_array(arena, capacity, sizeof *grown);
        if (grown == NULL) return false;
        if (d->count > 0) memcpy(grown, d->item, d->count * sizeof *grown);
        d->item = grown;
        d->capacity = capacity;
    }
    d->item[d->count++] = (qkv__meaning){name, node};
    return true;
}

const qkv__node *qkv__dictionary_find(const qkv__dictionary *d, const char *name)
{
    for (size_t i = 0; i < d->count; i++)
        if (strcmp(d->item[i].name, name) == 0) return d->item[i].node;
    return NULL;
}

/* ---- Making nodes --------------------------------------------------------------------------- */

const qkv__node *qkv__grade_tree_make(qkv__arena *arena, qkv__node_kind kind, const char *text,
                                      size_t count, const qkv__node *const *child)
{
    qkv__node *node = qkv__arena_take(arena, sizeof *node);
    const qkv__node **children = qkv__arena_array(arena, count + 1, sizeof *children);
    if (node == NULL || children == NULL) return NULL;
    int depth = 0;
    for (size_t i = 0; i < count; i++) {
        if (child[i] == NULL) return NULL;
        children[i] = child[i];
        if (child[i]->depth > depth) depth = child[i]->depth;
    }
    if (depth + 1 > QKV__TREE_DEPTH) return NULL;
    *node = (qkv__node){
        .kind = kind, .text = text, .count = count, .child = children, .depth = depth + 1};
    return node;
}

const qkv__node *qkv__grade_tree_two(qkv__arena *arena, qkv__node_kind kind, const qkv__node *x,
                                     const qkv__node *y)
{
    return qkv__grade_tree_make(arena, kind, "", 2, (const qkv__node *const[]){x, y});
}

const qkv__node *qkv__grade_tree_compare(qkv__arena *arena, qkv__comparison comparison,
                                         const qkv__node *x, const qkv__node *y)
{
    const qkv__node *made = qkv__grade_tree_two(arena, QKV__NODE_COMPARE, x, y);
    qkv__node *node = made == NULL ? NULL : qkv__arena_take(arena, sizeof *node);
    if (node == NULL) return NULL;
    *node = *made;
    node->comparison = comparison;
    return node;
}

const qkv__node *qkv__grade_tree_name(qkv__arena *arena, const char *name)
{
    return qkv__grade_tree_make(arena, QKV__NODE_NAME, name, 0, NULL);
}

const qkv__node *qkv__grade_tree_number(qkv__arena *arena, int64_t value)
{
    const qkv__node *made = qkv__grade_tree_make(arena, QKV__NODE_NUMBER, "", 0, NULL);
    qkv__node *node = made == NULL ? NULL : qkv__arena_take(arena, sizeof *node);
    if (node == NULL) return NULL;
    *node = *made;
    node->value = (qkv__rational){.numerator = value, .denominator = 1};
    return node;
}

/* ---- Putting meanings in -------------------------------------------------------------------- */

typedef struct expansion {
    qkv__arena *arena;
    const qkv__dictionary *dictionary;
    const char *bound[BOUND_NAMES];
    size_t bound_count, size;
    bool failed;
} expansion;

static bool is_bound(const expansion *e, const char *name)
{
    for (size_t i = 0; i < e->bound_count; i++)
        if (strcmp(e->bound[i], name) == 0) return true;
    return false;
}

static void bind(expansion *e, const char *name)
{
    if (e->bound_count == BOUND_NAMES)
        e->failed = true;
    else
        e->bound[e->bound_count++] = name;
}

/* The name that an item of a quantifier binds: q, vector q, i in 1..n. */
static const char *bound_name(const qkv__node *item)
{
    return qkv__unknown_name(item->kind == QKV__NODE_COMPARE ? item->child[0] : item);
}

static void bind_all(expansion *e, const qkv__node *node)
{
    if (node->kind == QKV__NODE_SUM) bind(e, node->text);
    if (node->kind != QKV__NODE_EXISTS && node->kind != QKV__NODE_FOR_ALL) return;
    for (size_t i = 0; i + 1 < node->count; i++) bind(e, bound_name(node->child[i]));
}

static size_t tree_size(const qkv__node *node, size_t most)
{
    size_t size = 1;
    for (size_t i = 0; i < node->count && size <= most; i++)
        size += tree_size(node->child[i], most - size);
    return size;
}

static const qkv__node *replace_name(expansion *e, const qkv__node *node)
{
    const qkv__node *meaning = qkv__dictionary_find(e->dictionary, node->text);
    if (meaning == NULL || is_bound(e, node->text)) return node;
    for (size_t i = 0; i < e->bound_count; i++)
        if (qkv__node_names(meaning, e->bound[i])) e->failed = true;
    e->size += tree_size(meaning, LARGEST_TREE);
    return meaning;
}

static const qkv__node *expand(expansion *e, const qkv__node *node)
{
    if (e->failed || ++e->size > LARGEST_TREE) return e->failed = true, node;
    if (node->kind == QKV__NODE_NAME) return replace_name(e, node);
    if (node->count == 0) return node;
    const size_t outer = e->bound_count;
    bind_all(e, node);
    const qkv__node **child = qkv__arena_array(e->arena, node->count, sizeof *child);
    bool changed = false;
    for (size_t i = 0; child != NULL && i < node->count; i++) {
        const bool mark =
            node->kind == QKV__NODE_INDEX && i > 0 && node->child[i]->kind == QKV__NODE_NAME;
        child[i] = mark ? node->child[i] : expand(e, node->child[i]);
        changed = changed || child[i] != node->child[i];
    }
    e->bound_count = outer;
    if (child == NULL || !changed) return node;
    int depth = 0;
    for (size_t i = 0; i < node->count; i++)
        if (child[i]->depth > depth) depth = child[i]->depth;
    qkv__node *copy = qkv__arena_take(e->arena, sizeof *copy);
    if (copy == NULL || depth + 1 > QKV__TREE_DEPTH) return e->failed = true, node;
    *copy = *node;
    copy->child = child;
    copy->depth = depth + 1;
    return copy;
}

const qkv__node *qkv__grade_tree_expand(qkv__arena *arena, const qkv__node *node,
                                        const qkv__dictionary *dictionary)
{
    expansion e = {.arena = arena, .dictionary = dictionary};
    const qkv__node *expanded = expand(&e, node);
    return e.failed || arena->failed ? NULL : expanded;
}

/* ---- Order made plain ----------------------------------------------------------------------- */

typedef struct signing {
    bool matrices;
    const char *bound[BOUND_NAMES];
    size_t bound_count;
} signing;

static void sign(signing *s, const qkv__node *node, qkv__text *text);

static bool has_transpose(const qkv__node *node)
{
    if (node->kind == QKV__NODE_TRANSPOSE) return true;
    for (size_t i = 0; i < node->count; i++)
        if (has_transpose(node->child[i])) return true;
    return false;
}

/* Whether the operation gives the same whatever the order, and however it is grouped. */
static bool commutes(const signing *s, const qkv__node *node)
{
    switch (node->kind) {
    case QKV__NODE_ADD:
    case QKV__NODE_AND:
    case QKV__NODE_OR:
    case QKV__NODE_DOT:
    case QKV__NODE_SET: return true;
    case QKV__NODE_MULTIPLY: return !s->matrices && !has_transpose(node);
    case QKV__NODE_COMPARE:
        return node->comparison == QKV__EQUAL || node->comparison == QKV__NOT_EQUAL ||
               node->comparison == QKV__NEAR;
    default: return false;
    }
}

/* x·y, the product of two numbers or two vectors: (u·v)·w is not u·(v·w). */
static bool is_raised_dot(const qkv__node *node)
{
    return node->kind == QKV__NODE_MULTIPLY && node->text[0] == '.';
}

static bool is_grouped(const qkv__node *node, const qkv__node *inner)
{
    return node->kind == inner->kind && node->kind != QKV__NODE_DOT && !is_raised_dot(node) &&
           node->kind != QKV__NODE_COMPARE && node->kind != QKV__NODE_SET &&
           strcmp(node->text, inner->text) == 0;
}

enum { MOST_OPERANDS = 64 }; /* trees may be deep, and each level has as many */

typedef struct operands {
    size_t count;
    bool too_many;
    qkv__text text[MOST_OPERANDS];
} operands;

static void gather(signing *s, const qkv__node *node, const qkv__node *outer, operands *o)
{
    for (size_t i = 0; i < node->count; i++) {
        if (is_grouped(outer, node->child[i])) {
            gather(s, node->child[i], outer, o);
            continue;
        }
        qkv__text one = {0};
        sign(s, node->child[i], &one);
        if (o->count < MOST_OPERANDS && one.data != NULL) {
            o->text[o->count++] = one;
        } else {
            o->too_many = true;
            qkv__text_free(&one);
        }
    }
}

static int by_text(const void *a, const void *b)
{
    const qkv__text *x = a, *y = b;
    return strcmp(x->data, y->data);
}

static void sign_sorted(signing *s, const qkv__node *node, qkv__text *text)
{
    operands o = {0};
    gather(s, node, node, &o);
    qsort(o.text, o.count, sizeof o.text[0], by_text);
    for (size_t i = 0; i < o.count; i++) {
        qkv__text_format(text, " %s", o.text[i].data);
        qkv__text_free(&o.text[i]);
    }
    /* What was left out makes it like nothing else. */
    if (o.too_many) qkv__text_format(text, " %p", (const void *)node);
}

/* Names bound further in count from the outermost. */
static void sign_name(const signing *s, const char *name, qkv__text *text)
{
    for (size_t i = s->bound_count; i > 0; i--)
        if (strcmp(s->bound[i - 1], name) == 0) {
            qkv__text_format(text, "#%zu", i);
            return;
        }
    qkv__text_append(text, name, strlen(name));
}

static void sign_bound(signing *s, const char *name)
{
    if (s->bound_count < BOUND_NAMES) s->bound[s->bound_count++] = name;
}

static void sign_children(signing *s, const qkv__node *node, qkv__text *text)
{
    const size_t outer = s->bound_count;
    if (node->kind == QKV__NODE_SUM) sign_bound(s, node->text);
    if (node->kind == QKV__NODE_EXISTS || node->kind == QKV__NODE_FOR_ALL)
        for (size_t i = 0; i + 1 < node->count; i++) sign_bound(s, bound_name(node->child[i]));
    for (size_t i = 0; i < node->count; i++) {
        qkv__text_append(text, " ", 1);
        sign(s, node->child[i], text);
    }
    s->bound_count = outer;
}

/* x > y is y < x. */
static void sign_mirrored(signing *s, const qkv__node *node, qkv__text *text)
{
    qkv__text_format(text, "(cmp%d ", (int)qkv__comparison_mirror(node->comparison));
    sign(s, node->child[1], text);
    qkv__text_append(text, " ", 1);
    sign(s, node->child[0], text);
    qkv__text_append(text, ")", 1);
}

static void sign_number(const qkv__node *node, qkv__text *text)
{
    qkv__text_format(text, "%lld/%lld", (long long)node->value.numerator,
                     (long long)node->value.denominator);
}

static void sign(signing *s, const qkv__node *node, qkv__text *text)
{
    if (node->kind == QKV__NODE_NUMBER) {
        sign_number(node, text);
        return;
    }
    if (node->kind == QKV__NODE_NAME) {
        sign_name(s, node->text, text);
        return;
    }
    if (node->kind == QKV__NODE_COMPARE &&
        (node->comparison == QKV__GREATER || node->comparison == QKV__GREATER_OR_EQUAL)) {
        sign_mirrored(s, node, text);
        return;
    }
    if (node->kind == QKV__NODE_COMPARE)
        qkv__text_format(text, "(cmp%d", (int)node->comparison);
    else if (is_raised_dot(node) && !s->matrices) /* as x.y, which it is of vectors */
        qkv__text_format(text, "(%d", (int)QKV__NODE_DOT);
    else
        qkv__text_format(text, "(%d%s%s", (int)node->kind,
                         node->kind == QKV__NODE_SUM || node->text[0] == '\0' ? "" : ":",
                         node->kind == QKV__NODE_SUM ? "" : node->text);
    if (node->table != NULL) qkv__text_format(text, " table%p", (const void *)node->table);
    if (commutes(s, node))
        sign_sorted(s, node, text);
    else
        sign_children(s, node, text);
    qkv__text_append(text, ")", 1);
}

void qkv__grade_tree_signature(const qkv__node *node, bool matrices, qkv__text *text)
{
    signing s = {.matrices = matrices};
    sign(&s, node, text);
}

bool qkv__grade_tree_alike(const qkv__node *one, const qkv__node *other, bool matrices)
{
    qkv__text a = {0}, b = {0};
    qkv__grade_tree_signature(one, matrices, &a);
    qkv__grade_tree_signature(other, matrices, &b);
    const bool alike =
        !a.failed && !b.failed && a.data != NULL && b.data != NULL && strcmp(a.data, b.data) == 0;
    qkv__text_free(&a);
    qkv__text_free(&b);
    return alike;
}

/* ---- What a claim is about ------------------------------------------------------------------ */

static bool is_subject_call(const char *name)
{
    static const char *const calls[] = {"attend", "self_attend", "softmax", "entropy", "P",
                                        "E",      "Var",         "Cov",     "law"};
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        if (strcmp(calls[i], name) == 0) return true;
    return false;
}

bool qkv__grade_tree_is_subject(const qkv__node *node, const qkv__dictionary *subjects)
{
    if (node->kind == QKV__NODE_CALL && is_subject_call(node->text)) return true;
    if ((node->kind == QKV__NODE_CALL || node->kind == QKV__NODE_NAME) &&
        qkv__dictionary_find(subjects, node->text) != NULL)
        return true;
    for (size_t i = 0; i < node->count; i++)
        if (qkv__grade_tree_is_subject(node->child[i], subjects)) return true;
    return false;
}
