/* What names stand for in front of a claim: statements, unknowns, indices. Evaluates nothing. */
#include "replay/names.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "language/builtin.h"

/* The name that a node of a statement declares; NULL for properties. */
const char *qkv__declared_name(const qkv__statement *statement, const qkv__node *node)
{
    bool family = statement->kind == QKV__STATEMENT_FAMILY;
    const qkv__node *inner =
        node->kind == QKV__NODE_INDEX || node->kind == QKV__NODE_COMPARE ? node->child[0] : node;
    if (family && node->kind == QKV__NODE_NAME) return NULL;
    if (family && node->kind == QKV__NODE_CALL) return NULL;
    if (inner->kind == QKV__NODE_INDEX) inner = inner->child[0];
    return inner->text;
}

int qkv__replay_resolve(const qkv__replay *replay, const char *name, size_t position,
                        const qkv__node **declared)
{
    assert(position <= qkv__replay_statements(replay));
    for (size_t i = 0; i < replay->answer_count; i++) {
        const size_t s = replay->statement_count + i;
        if (strcmp(replay->statement[s]->node[0]->text, name) != 0) continue;
        *declared = replay->statement[s]->node[0];
        return (int)s;
    }
    for (size_t s = position; s-- > 0;) {
        const qkv__statement *statement = replay->statement[s];
        size_t count = statement->kind == QKV__STATEMENT_DEFINE ? 1 : statement->count;
        if (statement->kind != QKV__STATEMENT_DEFINE && statement->kind != QKV__STATEMENT_FAMILY &&
            statement->kind != QKV__STATEMENT_OBJECT)
            continue;
        for (size_t i = 0; i < count; i++) {
            const char *known = qkv__declared_name(statement, statement->node[i]);
            if (known == NULL || known[0] != name[0] || strcmp(known, name) != 0) continue;
            *declared = statement->node[i];
            return (int)s;
        }
    }
    return -1;
}

int qkv__replay_unknown(const qkv__replay *replay, const char *name,
                        const qkv__statement *statement, const qkv__node *quantifier)
{
    for (size_t i = 0; i < replay->unknown_count; i++) {
        const qkv__unknown *u = &replay->unknown[i];
        if (u->kind != QKV__UNKNOWN_INDEX && u->statement == statement &&
            u->quantifier == quantifier && strcmp(u->name, name) == 0)
            return (int)i;
    }
    return -1;
}

int qkv__replay_unknown_named(const qkv__replay *replay, const char *name, size_t position)
{
    const qkv__node *declared;
    const int index = qkv__replay_resolve(replay, name, position, &declared);
    return qkv__replay_unknown(replay, name, index < 0 ? NULL : replay->statement[index], NULL);
}

int qkv__replay_index(const qkv__replay *replay, const char *name)
{
    for (size_t i = replay->unknown_count; i-- > 0;)
        if (replay->unknown[i].kind == QKV__UNKNOWN_INDEX &&
            strcmp(replay->unknown[i].name, name) == 0)
            return (int)i;
    return -1;
}

const char *qkv__replay_subscript(const char *name, char *family, size_t size)
{
    const char *line = strchr(name, '_');
    if (line == NULL || line == name || (size_t)(line - name) >= size) return NULL;
    memcpy(family, name, (size_t)(line - name));
    family[line - name] = '\0';
    return line + 1;
}

qkv__node qkv__replay_subscript_node(const char *member)
{
    char *end;
    const long number = strtol(member, &end, 10);
    bool digits = member[0] >= '0' && member[0] <= '9' && *end == '\0' && number < INT32_MAX;
    return (qkv__node){.kind = digits ? QKV__NODE_NUMBER : QKV__NODE_NAME,
                       .text = member,
                       .value = qkv__rational_whole(digits ? number : 0)};
}

const char *qkv__binding_name(const qkv__node *binding, const char **kind,
                              const qkv__node **declared)
{
    const qkv__node *node = binding;
    *kind = "";
    if (node->kind == QKV__NODE_CALL && node->count == 1) {
        *kind = node->text;
        node = node->child[0];
    }
    *declared = node;
    return node->kind == QKV__NODE_INDEX ? node->child[0]->text : node->text;
}

bool qkv__replay_is_picked(const qkv__replay *replay, const qkv__node *index, size_t position)
{
    for (size_t s = 0; s < position; s++) {
        const qkv__statement *statement = replay->statement[s];
        if (statement->kind != QKV__STATEMENT_PICK) continue;
        for (size_t i = 0; i + 1 < statement->count; i++)
            if (strcmp(statement->node[i]->text, index->text) == 0) return true;
    }
    return false;
}
