/*
 * The parser of the claim language against arbitrary text, without engines, and so many times as
 * fast as fuzz_claim.c. Complaints point into the text; a tree that was understood is walked
 * through; a second reading gives the same; nothing is kept.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "language/document.h"
#include "language/syntax.h"
#include "language/write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "not so: %s\n", what);
    abort();
}

/* All that was understood, as text. */
static void write_statements(const qkv__statement *first, qkv__text *text)
{
    for (const qkv__statement *s = first; s != NULL; s = s->next) {
        for (size_t i = 0; i < s->count; i++) {
            qkv__node_write(s->node[i], text);
            qkv__text_append(text, "\n", 1);
        }
        write_statements(s->inside, text);
    }
}

static void read_text(const char *name, const uint8_t *data, size_t size, qkv__text *text)
{
    qkv__document document;
    if (qkv__document_read(name, (const char *)data, size, &document, NULL) != QKV_OK) return;
    for (size_t i = 0; i < document.complaint_count; i++) {
        const qkv__complaint *c = &document.complaint[i];
        expect(c->place.line >= 1 && c->place.column >= 1 && c->message[0] != '\0',
               "a complaint has a place and a message");
        expect(qkv__text_is_utf8(c->line) && qkv__text_is_utf8(c->message), "complaints are UTF-8");
    }
    write_statements(document.first, text);
    qkv__document_free(&document);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const long live = qkv__memory_live();
    qkv__text once = {0}, again = {0};
    read_text("a.qkv", data, size, &once);
    read_text("a.qkv", data, size, &again);
    expect(once.length == again.length &&
               (once.length == 0 || memcmp(once.data, again.data, once.length) == 0),
           "a text means the same each time");
    qkv__text_free(&once);
    qkv__text_free(&again);
    expect(qkv__memory_live() == live, "nothing is kept");
    return 0;
}
