/* Names by syntax alone. Knows statements; nothing of values. */
#include "language/names.h"

#include <assert.h>
#include <string.h>

#include "language/builtin.h"
#include "language/law.h"

enum { NESTED = 8 }; /* definitions that are looked through: then it may be anything */

static bool add_name(qkv__arena *arena, qkv__names *names, qkv__known_name name)
{
    if (names->count == names->capacity) {
        size_t capacity = names->capacity == 0 ? 32 : 2 * names->capacity;
        qkv__known_name *grown = qkv__arena_array(arena, capacity, sizeof *grown);
        if (grown == NULL) return false;
        if (names->count > 0) memcpy(grown, names->item, names->count * sizeof *grown);
        names->item = grown;
        names->capacity = capacity;
    }
    names->item[names->count++] = name;
    return true;
}

const char *qkv__name_brought(const qkv__statement *statement, size_t i)
{
    const qkv__node *node = statement->node[i];
    qkv__drawn law;
    switch (statement->kind) {
    case QKV__STATEMENT_PICK: return i + 1 < statement->count ? node->text : NULL;
    case QKV__STATEMENT_OBJECT:
        return node->kind == QKV__NODE_INDEX ? node->child[0]->text : node->text;
    case QKV__STATEMENT_DEFINE:
        if (i > 0) return NULL;
        if (node->kind != QKV__NODE_INDEX) return node->text;
        return node->child[1]->kind == QKV__NODE_NUMBER && node->child[1]->value.numerator == 1
                   ? node->child[0]->text
                   : NULL;
    case QKV__STATEMENT_FAMILY:
        if (node->kind == QKV__NODE_INDEX) return node->child[0]->text;
        if (qkv__law_read(node, &law) && (law.single || law.range != NULL)) return law.name;
        if (node->kind != QKV__NODE_COMPARE || node->comparison != QKV__EQUAL) return NULL;
        return node->child[0]->kind == QKV__NODE_INDEX ? node->child[0]->child[0]->text
                                                       : node->child[0]->text;
    default: return NULL;
    }
}

static bool collect(const qkv__statement *first, bool inside, qkv__arena *arena, qkv__names *names)
{
    for (const qkv__statement *s = first; s != NULL; s = s->next) {
        if (!inside && s != first && s->kind == QKV__STATEMENT_PROBLEM) break;
        if (s->kind == QKV__STATEMENT_BLOCK && !collect(s->inside, true, arena, names))
            return false;
        for (size_t i = 0; i < s->count; i++) {
            const char *name = qkv__name_brought(s, i);
            if (name != NULL && !add_name(arena, names, (qkv__known_name){name, s, s->node[i]}))
                return false;
        }
    }
    return true;
}

bool qkv__names_collect(const qkv__statement *first, qkv__arena *arena, qkv__names *names)
{
    *names = (qkv__names){.first = first};
    return collect(first, false, arena, names);
}

bool qkv__is_letter_name(const char *name, size_t length)
{
    static const char *const greek[] = {
        "alpha", "beta",  "gamma",   "delta",  "eps",   "epsilon", "zeta",  "eta",
        "theta", "iota",  "kappa",   "lambda", "mu",    "nu",      "xi",    "rho",
        "sigma", "tau",   "upsilon", "phi",    "chi",   "psi",     "omega", "Gamma",
        "Delta", "Theta", "Lambda",  "Xi",     "Sigma", "Phi",     "Psi",   "Omega"};
    for (size_t i = 0; i < sizeof greek / sizeof greek[0]; i++)
        if (strlen(greek[i]) == length && memcmp(greek[i], name, length) == 0) return true;
    return length == 1 || (length == 2 && name[1] >= '0' && name[1] <= '9');
}

bool qkv__stands_before(qkv__place a, qkv__place b)
{
    return a.line < b.line || (a.line == b.line && a.column < b.column);
}

const qkv__known_name *qkv__name_find_before(const qkv__names *names, const char *name,
                                             const qkv__statement *statement)
{
    const qkv__known_name *found = NULL;
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->item[i].name, name) == 0 &&
            qkv__stands_before(names->item[i].statement->place, statement->place))
            found = &names->item[i];
    return found;
}

/* ---- Families ------------------------------------------------------------------------------ */

static bool is_family(const qkv__names *names, const qkv__statement *statement, int depth);

/* Whether an expression may stand for a family: h = k, h = f(k), h = k with k[1] = x. */
static bool may_be_family(const qkv__names *names, const qkv__node *node, int depth)
{
    qkv__builtin_kind kind = qkv__builtin_kind_of(qkv__builtin_of(node));
    switch (node->kind) {
    case QKV__NODE_NAME:
        for (size_t i = 0; i < names->count; i++)
            if (strcmp(names->item[i].name, node->text) == 0 &&
                is_family(names, names->item[i].statement, depth + 1))
                return true;
        return false;
    case QKV__NODE_CALL:
        if (kind == QKV__OF_NUMBERS || kind == QKV__OF_MATRICES || kind == QKV__OF_CHANCE)
            return false;
        for (size_t i = 0; i < node->count; i++)
            if (may_be_family(names, node->child[i], depth + 1)) return true;
        for (size_t i = 0; i < names->count; i++)
            if (strcmp(names->item[i].name, node->text) == 0 &&
                names->item[i].statement->kind == QKV__STATEMENT_DEFINE)
                return depth > NESTED ||
                       may_be_family(names, names->item[i].statement->node[1], depth + 1);
        return kind == QKV__OF_FAMILY;
    case QKV__NODE_LIST:
    case QKV__NODE_MEMBER:
    case QKV__NODE_WITH: return true;
    case QKV__NODE_NEGATE:
    case QKV__NODE_TRANSPOSE:
    case QKV__NODE_ADD:
    case QKV__NODE_SUBTRACT:
    case QKV__NODE_MULTIPLY:
    case QKV__NODE_DIVIDE:
        for (size_t i = 0; i < node->count; i++)
            if (may_be_family(names, node->child[i], depth)) return true;
        return false;
    default: return false;
    }
}

static bool is_family(const qkv__names *names, const qkv__statement *statement, int depth)
{
    if (statement->kind == QKV__STATEMENT_FAMILY) return !qkv__law_is_of_object(statement);
    if (statement->kind != QKV__STATEMENT_DEFINE) return false;
    return depth > NESTED || statement->node[0]->kind == QKV__NODE_INDEX ||
           (statement->node[0]->kind == QKV__NODE_NAME &&
            may_be_family(names, statement->node[1], depth));
}

const qkv__known_name *qkv__name_find_family(const qkv__names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++) {
        const qkv__known_name *known = &names->item[i];
        const size_t length = strlen(known->name);
        if (strncmp(name, known->name, length) == 0 && name[length] == '_' &&
            is_family(names, known->statement, 0))
            return known;
    }
    return NULL;
}
