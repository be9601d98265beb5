/*
 * The claim language against arbitrary bytes: as a document of its own and as Markdown. Whatever
 * is said about mistakes must point into the document, and every proposition that is understood
 * must survive being written down and read again. The entry point is libFuzzer's; mutate_claim.c
 * calls the same one without libFuzzer.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "claim/syntax.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t characters(const char *text)
{
    size_t count = 0;
    for (; *text != '\0'; text++) count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

static void check_complaints(const qkv__document *document)
{
    if (document->complaint_count > QKV__COMPLAINTS) abort();
    for (size_t i = 0; i < document->complaint_count; i++) {
        const qkv__complaint *c = &document->complaint[i];
        size_t shown = characters(c->line);
        if (c->place.line < 1 || c->place.column < 1 || c->message[0] == '\0') abort();
        if (!qkv__text_is_utf8(c->line) || !qkv__text_is_utf8(c->message)) abort();
        if (shown > 200 || c->caret < 1 || (size_t)c->caret > shown + 1) abort();
    }
}

/* The proposition as text, in a claim of its own. */
static qkv__text write_claim(const qkv__node *node)
{
    qkv__text text = {0};
    qkv__text_format(&text, "claim: ");
    qkv__node_write(node, &text);
    return text;
}

static void check_there_and_back(const qkv__node *node)
{
    qkv__text text = write_claim(node);
    qkv__document document;
    if (qkv__document_read("a.qkv", text.data, text.length, &document, NULL) != QKV_OK) abort();
    if (document.complaint_count > 0 || document.statement_count != 1) abort();
    qkv__text again = write_claim(document.first->node[0]);
    if (document.first->conditions != NULL || strcmp(text.data, again.data) != 0) abort();
    qkv__text_free(&again);
    qkv__text_free(&text);
    qkv__document_free(&document);
}

/* Returns how many there are. */
static size_t check_statements(const qkv__statement *s)
{
    size_t count = 0;
    for (; s != NULL; s = s->next) {
        if (s->text == NULL || s->source[0] == '\0' || s->place.line < 1) abort();
        for (size_t i = 0; i < s->count; i++)
            if (s->node[i]->depth > QKV__TREE_DEPTH) abort();
        /* One that is nearly too deep may be so when it is spelt out. */
        if (s->kind == QKV__STATEMENT_CLAIM && s->node[0]->depth < 100)
            check_there_and_back(s->node[0]);
        count += 1 + check_statements(s->inside);
    }
    return count;
}

static void read_as(const char *name, const uint8_t *data, size_t size)
{
    qkv__document document;
    qkv_error error;
    if (qkv__document_read(name, (const char *)data, size, &document, &error) != QKV_OK) return;
    check_complaints(&document);
    if (check_statements(document.first) != document.statement_count) abort();
    qkv__document_free(&document);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_as("a.qkv", data, size);
    read_as("a.md", data, size);
    read_as("-", data, size);
    return 0;
}
