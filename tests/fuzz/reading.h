/* What must hold of any document that is read: complaints point into it, statements are counted,
 * and every proposition that is understood survives being written down and read again. Knows the
 * language's trees; nothing of engines. */
#ifndef TESTS_FUZZ_READING_H
#define TESTS_FUZZ_READING_H

#include <string.h>

#include "base/text.h"
#include "fuzz/expect.h"
#include "language/builtin.h"
#include "language/document.h"
#include "language/names.h"
#include "language/syntax.h"
#include "language/write.h"

static inline size_t characters(const char *text)
{
    size_t count = 0;
    for (; *text != '\0'; text++) count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

static inline void check_complaints(const qkv__document *document)
{
    expect(document->complaint_count <= QKV__COMPLAINTS, "complaints are few");
    for (size_t i = 0; i < document->complaint_count; i++) {
        const qkv__complaint *c = &document->complaint[i];
        size_t shown = characters(c->line);
        expect(c->place.line >= 1 && c->place.column >= 1 && c->message[0] != '\0',
               "a complaint has a place and a message");
        expect(qkv__text_is_utf8(c->line) && qkv__text_is_utf8(c->message), "complaints are UTF-8");
        expect(shown <= 200 && c->caret >= 1 && (size_t)c->caret <= shown + 1,
               "the caret stands below the line");
    }
}

/* The proposition as text, in a claim of its own. */
static inline qkv__text write_claim(const qkv__node *node)
{
    qkv__text text = {0};
    qkv__text_format(&text, "claim: ");
    qkv__node_write(node, &text);
    return text;
}

/* Whether the text reads otherwise by itself: a letter is a function, and E a family, only where a
 * document says so. */
static inline bool needs_document(const qkv__node *node)
{
    const qkv__node *base = node->kind == QKV__NODE_INDEX ? node->child[0] : NULL;
    bool named = base != NULL && base->kind == QKV__NODE_NAME;
    if (node->kind == QKV__NODE_CALL && qkv__builtin_of(node) == QKV__BUILTIN_NONE &&
        qkv__is_letter_name(node->text, strlen(node->text)))
        return true;
    if (named && qkv__builtin_find(base->text, strlen(base->text)) != QKV__BUILTIN_NONE)
        return true;
    for (size_t i = 0; i < node->count; i++)
        if (needs_document(node->child[i])) return true;
    return false;
}

static inline void check_there_and_back(const qkv__node *node)
{
    if (needs_document(node)) return;
    qkv__text text = write_claim(node);
    qkv__document document;
    expect(qkv__document_read("a.qkv", text.data, text.length, &document, NULL) == QKV_OK,
           "a claim that is written down can be read");
    expect(document.complaint_count == 0 && document.statement_count == 1,
           "a claim that is written down is a claim");
    qkv__text again = write_claim(document.first->node[0]);
    expect(document.first->conditions == NULL && strcmp(text.data, again.data) == 0,
           "a claim that is written down stays the same");
    qkv__text_free(&again);
    qkv__text_free(&text);
    qkv__document_free(&document);
}

/* Returns how many there are. */
static inline size_t check_statements(const qkv__statement *s)
{
    size_t count = 0;
    for (; s != NULL; s = s->next) {
        expect(s->text != NULL && s->source[0] != '\0' && s->place.line >= 1,
               "a statement has a text and a place");
        for (size_t i = 0; i < s->count; i++)
            expect(s->node[i]->depth <= QKV__TREE_DEPTH, "trees are not too deep");
        /* One that is nearly too deep may be so when it is spelt out. */
        if (s->kind == QKV__STATEMENT_CLAIM && s->node[0]->depth < 100)
            check_there_and_back(s->node[0]);
        count += 1 + check_statements(s->inside);
    }
    return count;
}

static inline void check_document(const qkv__document *document)
{
    check_complaints(document);
    expect(check_statements(document->first) == document->statement_count,
           "statements are counted");
}

#endif
