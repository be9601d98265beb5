/* Statements as text of the language. Knows syntax alone. */
#include <string.h>

#include "language/tree.h"
#include "language/write.h"

static void put(qkv__text *text, const char *string)
{
    qkv__text_append(text, string, strlen(string));
}

static void put_nodes(const qkv__node *const *node, size_t count, const char *joint,
                      qkv__text *text)
{
    for (size_t i = 0; i < count; i++) {
        if (i > 0) put(text, joint);
        qkv__node_write(node[i], text);
    }
}

/* k[i] ~ law, and k[i, 1..n] ~ law, which is written `k[i] ~ law for i in 1..n`. */
static void put_law(const qkv__node *declared, qkv__text *text)
{
    const qkv__node *target = declared->child[0];
    const bool ranged = target->kind == QKV__NODE_INDEX && target->count == 3;
    if (ranged) {
        qkv__node_write(target->child[0], text);
        qkv__text_format(text, "[%s]", target->child[1]->text);
    } else {
        qkv__node_write(target, text);
    }
    put(text, " ~ ");
    qkv__node_write(declared->child[1], text);
    if (!ranged) return;
    qkv__text_format(text, " for %s in ", target->child[1]->text);
    qkv__node_write(target->child[2], text);
}

static bool is_property(const qkv__node *node)
{
    return qkv__node_is_word(node);
}

/* The members of a family, then its properties. */
static void put_family(const qkv__statement *s, qkv__text *text)
{
    for (size_t i = 0; i < s->count; i++) {
        const qkv__node *node = s->node[i];
        put(text, i > 0 ? ", " : "");
        if (node->kind == QKV__NODE_COMPARE && node->comparison == QKV__DISTRIBUTED) {
            put_law(node, text);
        } else if (is_property(node) && node->kind == QKV__NODE_CALL) {
            qkv__text_format(text, "%s ", node->text);
            qkv__node_write(node->child[0], text);
        } else {
            qkv__node_write(node, text);
        }
    }
}

static void put_pick(const qkv__statement *s, qkv__text *text)
{
    put_nodes(s->node, s->count - 1, ", ", text);
    put(text, s->distinct ? " distinct in " : " in ");
    qkv__node_write(s->node[s->count - 1], text);
}

void qkv__statement_write(const qkv__statement *s, qkv__text *text)
{
    switch (s->kind) {
    case QKV__STATEMENT_GIVEN: put(text, "given "); break;
    case QKV__STATEMENT_ASSUME: put(text, "assume "); break;
    case QKV__STATEMENT_PICK: put(text, "pick "); break;
    case QKV__STATEMENT_FAMILY:
    case QKV__STATEMENT_OBJECT: qkv__text_format(text, "%s ", s->text); break;
    default: break;
    }
    if (s->kind == QKV__STATEMENT_FAMILY)
        put_family(s, text);
    else if (s->kind == QKV__STATEMENT_PICK)
        put_pick(s, text);
    else if (s->kind == QKV__STATEMENT_DEFINE)
        put_nodes(s->node, s->count, " = ", text);
    else if (s->kind == QKV__STATEMENT_GIVEN || s->kind == QKV__STATEMENT_ASSUME ||
             s->kind == QKV__STATEMENT_OBJECT)
        put_nodes(s->node, s->count, ", ", text);
}
