/* P, E, Var and Cov as words of an expression: which calls they are. Knows syntax alone. */
#include "language/chance_call.h"

#include "language/builtin.h"
#include "language/tree.h"

qkv__chance_call qkv__chance_read(const qkv__node *node)
{
    qkv__chance_call call = {0};
    if (qkv__builtin_kind_of(qkv__builtin_of(node)) == QKV__OF_CHANCE) call.kind = node->text[0];
    for (size_t i = 0; call.kind != 0 && i < node->count && call.count < 2; i++)
        call.argument[call.count++] = node->child[i];
    for (size_t i = 0; i < call.count; i++) /* what is given is so for both of Cov */
        if (call.given == NULL && call.argument[i]->kind == QKV__NODE_GIVEN) {
            call.given = call.argument[i]->child[1];
            call.argument[i] = call.argument[i]->child[0];
        }
    if (call.count == 0) call.kind = 0;
    return call;
}

const qkv__node *qkv__chance_miscounted(const qkv__node *node, const char **expected)
{
    qkv__chance_call call = qkv__chance_read(node);
    *expected = call.kind == 'C'   ? "Cov takes two numbers: Cov(x, y)"
                : call.kind == 'P' ? "P takes one event: join several with and"
                                   : "E and Var take one argument";
    if (call.kind != 0 && node->count != (call.kind == 'C' ? 2 : 1)) return node;
    for (size_t i = 0; i < node->count; i++) {
        const qkv__node *found = qkv__chance_miscounted(node->child[i], expected);
        if (found != NULL) return found;
    }
    return NULL;
}

static bool is_of_chance(const qkv__node *node, const void *context)
{
    (void)context;
    return qkv__chance_read(node).kind != 0;
}

bool qkv__speaks_of_chance(const qkv__node *node)
{
    return qkv__node_has(node, is_of_chance, NULL);
}

bool qkv__chance_is_settled(const qkv__node *node)
{
    qkv__chance_call call = qkv__chance_read(node);
    if (call.kind != 0)
        return call.kind == 'P' && call.argument[0]->kind == QKV__NODE_COMPARE &&
               call.argument[0]->comparison == QKV__NEAR;
    for (size_t i = 0; i < node->count; i++)
        if (!qkv__chance_is_settled(node->child[i])) return false;
    return true;
}
