/* Claims that something grows without bound, as orders. Knows where such a claim stands by itself;
 * nothing of what its sides are. */
#include "language/growth.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "language/tree.h"

/* ---- Infinity ------------------------------------------------------------------------------ */

static bool is_infinity(const qkv__node *node)
{
    return node->kind == QKV__NODE_INFINITY || qkv__node_is(node, "infinity") ||
           qkv__node_is(node, "oo");
}

/* x ~ inf, x ~ -inf; in a limit, x = inf is the same. */
static bool is_growth(const qkv__node *node, const void *unused)
{
    (void)unused;
    if (node->kind != QKV__NODE_COMPARE ||
        (node->comparison != QKV__NEAR && node->comparison != QKV__EQUAL))
        return false;
    const qkv__node *right = node->child[1];
    return is_infinity(right) || (right->kind == QKV__NODE_NEGATE && is_infinity(right->child[0]));
}

/* ---- A letter that the document does not have ---------------------------------------------- */

static bool is_of_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (c & 0x80) != 0;
}

static bool has_letter(const char *text, size_t length, char letter)
{
    for (size_t i = 0; i < length; i++) {
        const bool begins = i == 0 || text[i - 1] == '_' || !is_of_word(text[i - 1]);
        const bool ends = i + 1 == length || text[i + 1] == '_' || !is_of_word(text[i + 1]);
        if (text[i] == letter && begins && ends) return true;
    }
    return false;
}

/* Letters that no function, unit or property has. */
static char free_letter(const char *text, size_t length)
{
    static const char letters[] = "MBLCKNRSTUWXYZ";
    for (size_t i = 0; i + 1 < sizeof letters; i++)
        if (!has_letter(text, length, letters[i])) return letters[i];
    return '\0';
}

/* ---- Trees --------------------------------------------------------------------------------- */

typedef struct writer {
    qkv__arena *arena;
    const char *letter;
} writer;

/* x > M, or x < M; NULL without memory. */
static const qkv__node *as_order(const writer *w, const qkv__node *node)
{
    const qkv__node *sides[2] = {node->child[0],
                                 qkv__node_name(w->arena, w->letter, node->child[1]->place)};
    qkv__node *made =
        sides[1] == NULL ? NULL : qkv__node_like(w->arena, node, QKV__NODE_COMPARE, sides, 2);
    if (made != NULL)
        made->comparison = node->child[1]->kind == QKV__NODE_NEGATE ? QKV__LESS : QKV__GREATER;
    return made;
}

/* Under `not`, and in front of `implies`, "for every M" would turn into "for some M": there the
 * claim stays as it is, and whoever evaluates it says that inf is no value. */
static const qkv__node *write_out(const qkv__node *node, void *context)
{
    const writer *w = context;
    if (is_growth(node, NULL)) return as_order(w, node);
    if (node->kind == QKV__NODE_AND) return qkv__node_changed(w->arena, node, write_out, context);
    if (node->kind != QKV__NODE_FOR_ALL && node->kind != QKV__NODE_IMPLIES) return node;
    enum { MOST = 9 };
    const qkv__node *child[MOST], *last = node->child[node->count - 1];
    const qkv__node *body = write_out(last, context);
    if (body == last || node->count > MOST) return node;
    if (body == NULL) return NULL;
    memcpy(child, node->child, (node->count - 1) * sizeof *child);
    child[node->count - 1] = body;
    return qkv__node_like(w->arena, node, node->kind, child, node->count);
}

bool qkv__growth_write_out(qkv__arena *arena, const char *text, size_t length,
                           qkv__statement *claim)
{
    assert(claim->kind == QKV__STATEMENT_CLAIM && claim->count == 1 && claim->written == NULL);
    if (!qkv__node_has(claim->node[0], is_growth, NULL)) return true;
    const char letter = free_letter(text, length);
    if (letter == '\0') return true;
    const writer w = {arena, qkv__arena_text(arena, &letter, 1)};
    if (w.letter == NULL) return false;
    const qkv__node **node = qkv__arena_array(arena, 1, sizeof *node);
    if (node == NULL || (node[0] = write_out(claim->node[0], (void *)(uintptr_t)&w)) == NULL)
        return false;
    if (node[0] == claim->node[0]) return true;
    qkv__statement *written = qkv__arena_take(arena, sizeof *written);
    if (written == NULL) return false;
    *written = *claim;
    claim->written = written;
    claim->node = node;
    return true;
}
