/* What a problem says of a letter, beyond a bound: by declarations, premises and conditions as they
 * are written. Knows statements; nothing of values, and takes no condition. */
#include "claim/premise/given.h"

#include <assert.h>
#include <string.h>

#include "claim/model/binding.h"
#include "claim/premise/reach.h"
#include "language/tree.h"

/* 3, -3, 1/8 */
static bool is_number(const qkv__node *node)
{
    if (node->kind == QKV__NODE_NEGATE) return is_number(node->child[0]);
    if (node->kind == QKV__NODE_DIVIDE)
        return is_number(node->child[0]) && node->child[1]->kind == QKV__NODE_NUMBER &&
               node->child[1]->value.numerator != 0;
    return node->kind == QKV__NODE_NUMBER;
}

/* name <= number, which bounds a parameter and nothing else; for all v says nothing. */
bool qkv__given_is_bound(const qkv__model *model, const qkv__node *node)
{
    if (node->kind == QKV__NODE_AND)
        return qkv__given_is_bound(model, node->child[0]) &&
               qkv__given_is_bound(model, node->child[1]);
    if (node->kind == QKV__NODE_NAME) return true;
    if (node->kind != QKV__NODE_COMPARE || node->comparison == QKV__NOT_EQUAL ||
        node->comparison > QKV__GREATER_OR_EQUAL)
        return false;
    const qkv__node *name = node->child[0], *number = node->child[1];
    if (name->kind != QKV__NODE_NAME) {
        name = node->child[1];
        number = node->child[0];
    }
    return name->kind == QKV__NODE_NAME && is_number(number) &&
           qkv__model_find(model, NULL, name->text) == NULL;
}

bool qkv__starts_at_one(const qkv__node *range)
{
    const qkv__rational one = qkv__rational_whole(1);
    return range->kind != QKV__NODE_RANGE ||
           (range->child[0]->kind == QKV__NODE_NUMBER &&
            qkv__rational_compare(range->child[0]->value, one) == 0);
}

/* Whether conditions behind a claim say more than bounds. */
static bool conditions_say_more(const qkv__model *model, const qkv__circumstances *circumstances)
{
    for (size_t i = 0; circumstances != NULL && i < circumstances->count; i++) {
        const qkv__circumstance *c = &circumstances->item[i];
        if (qkv__circumstance_is_premise(c) && !qkv__given_is_bound(model, c->node) &&
            c->node->kind != QKV__NODE_CALL)
            return true;
    }
    return false;
}

bool qkv__has_assumptions(const qkv__model *model)
{
    for (const qkv__statement *s = model->statements; s != NULL; s = qkv__statement_after(s))
        if (s->kind == QKV__STATEMENT_ASSUME) return true;
    return false;
}

bool qkv__has_conditions(const qkv__model *model, const qkv__circumstances *circumstances)
{
    for (const qkv__statement *s = model->statements; s != NULL; s = qkv__statement_after(s))
        for (size_t i = 0; s->kind == QKV__STATEMENT_GIVEN && i < s->count; i++)
            if (!qkv__given_is_bound(model, s->node[i])) return true;
    return conditions_say_more(model, circumstances);
}

bool qkv__has_limit(const qkv__circumstances *circumstances)
{
    for (size_t i = 0; i < circumstances->count; i++)
        if (circumstances->item[i].kind == QKV__CONDITION_LIMIT) return true;
    return false;
}

static bool is_rational(const qkv__node *node)
{
    if (node->kind == QKV__NODE_CALL ||
        (node->kind == QKV__NODE_POWER && node->child[1]->kind != QKV__NODE_NUMBER))
        return false;
    for (size_t i = 0; i < node->count; i++)
        if (!is_rational(node->child[i])) return false;
    return true;
}

bool qkv__limit_is_irrational(const qkv__model *model, const qkv__circumstances *circumstances)
{
    const qkv__node *equation = NULL, *limit = NULL;
    size_t limits = 0, premises = 0;
    for (size_t i = 0; i < circumstances->count; i++) {
        const qkv__circumstance *c = &circumstances->item[i];
        if (c->kind == QKV__CONDITION_LIMIT) {
            limit = c->node->child[0];
            limits++;
        } else if (qkv__circumstance_is_premise(c) && !qkv__given_is_bound(model, c->node)) {
            equation = c->node;
            premises++;
        }
    }
    for (const qkv__statement *s = model->statements; s != NULL; s = qkv__statement_after(s))
        for (size_t i = 0; s->kind == QKV__STATEMENT_GIVEN && i < s->count; i++)
            premises += !qkv__given_is_bound(model, s->node[i]);
    return limits == 1 && premises == 1 && equation != NULL &&
           equation->kind == QKV__NODE_COMPARE && equation->comparison == QKV__EQUAL &&
           limit->kind == QKV__NODE_NAME && qkv__node_is(equation->child[0], limit->text) &&
           !is_rational(equation->child[1]) &&
           !qkv__given_names(model, equation->child[1], limit->text);
}

/* Whether there are premises that are more than bounds: a choice of what is free may break them. */
bool qkv__has_premises(const qkv__model *model, const qkv__circumstances *circumstances)
{
    if (model->premise_count > 0 || model->gappy) return true;
    for (const qkv__statement *s = model->statements; s != NULL; s = qkv__statement_after(s)) {
        bool premise = s->kind == QKV__STATEMENT_GIVEN || s->kind == QKV__STATEMENT_ASSUME;
        for (size_t i = 0; premise && i < s->count; i++)
            if (!qkv__given_is_bound(model, s->node[i])) return true;
        if (s->kind == QKV__STATEMENT_PICK && !qkv__starts_at_one(s->node[s->count - 1]))
            return true;
    }
    return conditions_say_more(model, circumstances);
}

static bool has_property(const qkv__statement *family, const char *name)
{
    assert(family->kind == QKV__STATEMENT_FAMILY);
    for (size_t i = 0; i < family->count; i++)
        if (qkv__node_is_word(family->node[i]) && strcmp(family->node[i]->text, name) == 0)
            return true;
    return false;
}

bool qkv__given_names(const qkv__model *model, const qkv__node *node, const char *name)
{
    return qkv__reaches(model, node, name);
}

bool qkv__given_speaks_of(const qkv__model *model, const qkv__circumstances *circumstances,
                          const char *name)
{
    for (size_t i = 0; circumstances != NULL && i < circumstances->count; i++)
        if (qkv__circumstance_is_premise(&circumstances->item[i]) &&
            !qkv__given_is_bound(model, circumstances->item[i].node) &&
            qkv__given_names(model, circumstances->item[i].node, name))
            return true;
    for (const qkv__statement *s = model->statements; s != NULL; s = qkv__statement_after(s))
        for (size_t i = 0; i < s->count; i++)
            if ((s->kind == QKV__STATEMENT_GIVEN || s->kind == QKV__STATEMENT_ASSUME) &&
                !qkv__given_is_bound(model, s->node[i]) &&
                qkv__given_names(model, s->node[i], name))
                return true;
    return false;
}

/* n/2, or something that is defined by it; n itself is not made of n. */
static bool is_made_of(const qkv__model *model, const qkv__node *size, const char *name)
{
    bool same = qkv__node_is(size, name);
    return !same && qkv__given_names(model, size, name);
}

bool qkv__letter_is_declared(const qkv__model *model, const qkv__statement *s, const char *name)
{
    bool family = s->kind == QKV__STATEMENT_FAMILY;
    if (s->kind == QKV__STATEMENT_OBJECT) /* scalar t says nothing */
        for (size_t i = 0; i < s->count; i++)
            for (size_t j = 1; s->node[i]->kind == QKV__NODE_INDEX && j < s->node[i]->count; j++)
                if (qkv__given_names(model, s->node[i]->child[j], name)) return true;
    for (size_t i = 0; family && i < s->count; i++) {
        const qkv__node *node = s->node[i];
        bool dimension = node->kind == QKV__NODE_CALL && strcmp(node->text, "dimension") == 0;
        if (dimension && qkv__given_names(model, node, name)) return true;
        if (node->kind != QKV__NODE_INDEX && node->kind != QKV__NODE_CALL) continue;
        for (size_t j = node->kind == QKV__NODE_INDEX; j < node->count; j++) {
            const qkv__node *size = node->child[j];
            if (node->kind == QKV__NODE_INDEX && size->kind != QKV__NODE_RANGE)
                continue; /* u[a,b] */
            if (size->kind == QKV__NODE_RANGE) size = size->child[1];
            if (is_made_of(model, size, name)) return true;
        }
    }
    return false;
}

static bool is_defined(const qkv__node *node, const void *model)
{
    return qkv__node_is_word(node) && qkv__model_is_defined(model, node->text);
}

bool qkv__given_has_defined(const qkv__model *model, const qkv__node *node)
{
    return qkv__node_has(node, is_defined, model);
}

static bool is_of_vectors(const qkv__node *node, const void *context)
{
    (void)context;
    return node->kind == QKV__NODE_DOT || node->kind == QKV__NODE_SIZE ||
           node->kind == QKV__NODE_TRANSPOSE;
}

bool qkv__letter_is_tied(const qkv__model *model, const char *name)
{
    bool vectors = false;
    for (const qkv__statement *s = model->statements; s != NULL; s = qkv__statement_after(s)) {
        if (qkv__letter_is_declared(model, s, name)) return true;
        bool frame = s->kind == QKV__STATEMENT_FAMILY &&
                     (has_property(s, "orthonormal") || has_property(s, "orthogonal"));
        bool confined = model->frames[0].dimension != NULL || model->frames[1].dimension != NULL;
        if (frame && confined && qkv__given_names(model, s->node[0], name)) return true;
        bool premise = s->kind == QKV__STATEMENT_GIVEN || s->kind == QKV__STATEMENT_ASSUME;
        vectors = vectors || s->kind == QKV__STATEMENT_ASSUME;
        for (size_t i = 0; premise && i < s->count; i++) {
            if (!qkv__node_has(s->node[i], is_of_vectors, NULL) &&
                !qkv__given_has_defined(model, s->node[i]))
                continue;
            if (qkv__given_names(model, s->node[i], name)) return true;
            vectors = true;
        }
        const qkv__node *range = s->kind == QKV__STATEMENT_PICK ? s->node[s->count - 1] : NULL;
        if (range != NULL && !qkv__starts_at_one(range) && qkv__given_names(model, range, name))
            return true;
        if (range != NULL && range->kind == QKV__NODE_RANGE &&
            is_made_of(model, range->child[1], name))
            return true;
    }
    /* What is said of vectors may bound their norm, and of matrices their sizes. */
    for (const qkv__statement *s = model->statements; vectors && s != NULL;
         s = qkv__statement_after(s)) {
        for (size_t i = 0; i < s->count; i++) {
            const qkv__node *node = s->node[i];
            bool norm = s->kind == QKV__STATEMENT_FAMILY && node->kind == QKV__NODE_CALL;
            if ((norm || s->kind == QKV__STATEMENT_OBJECT) && qkv__given_names(model, node, name))
                return true;
        }
    }
    return false;
}
