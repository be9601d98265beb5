/*
 * The parser of the claim language against arbitrary text, without engines, and so a thousand times
 * as fast as fuzz_claim.c. What reading.h lists holds, all that was understood can be written down, as
 * text and as LaTeX whose braces are closed, a second reading gives the same, and nothing is kept.
 */
#include "base/memory.h"
#include "fuzz/reading.h"

/* LaTeX that cannot end the formula it stands in: braces are closed in order, and no sign stands
 * there that means something to LaTeX outside of formulas. */
static void check_latex(const qkv__node *node)
{
    qkv__text latex = {0};
    long depth = 0;
    qkv__node_latex(node, &latex);
    expect(latex.length > 0 && qkv__text_is_utf8(latex.data), "LaTeX is UTF-8");
    for (size_t i = 0; i < latex.length; i++) {
        const char sign = latex.data[i];
        if (sign == '\\') {
            i++; /* a brace that is printed, or the first letter of a command */
            continue;
        }
        depth += (sign == '{') - (sign == '}');
        expect(depth >= 0 && strchr("$%#&~\n", sign) == NULL, "LaTeX stays inside of its formula");
    }
    expect(depth == 0, "braces are closed");
    qkv__text_free(&latex);
}

/* All that was understood, as text. */
static void write_statements(const qkv__statement *first, qkv__text *text)
{
    for (const qkv__statement *s = first; s != NULL; s = s->next) {
        for (size_t i = 0; i < s->count; i++) {
            check_latex(s->node[i]);
            qkv__node_write(s->node[i], text);
            qkv__text_append(text, "\n", 1);
        }
        write_statements(s->inside, text);
    }
}

static void read_text(const uint8_t *data, size_t size, qkv__text *text)
{
    qkv__document document;
    if (qkv__document_read("a.qkv", (const char *)data, size, &document, NULL) != QKV_OK) return;
    check_document(&document);
    write_statements(document.first, text);
    qkv__document_free(&document);
}

static void read_again(const uint8_t *data, size_t size, const qkv__text *once)
{
    qkv__text again = {0};
    read_text(data, size, &again);
    expect(once->length == again.length &&
               (once->length == 0 || memcmp(once->data, again.data, once->length) == 0),
           "a text means the same each time");
    qkv__text_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const long live = qkv__memory_live();
    qkv__text once = {0};
    read_text(data, size, &once);
    if (is_drawn(data, size, 1, 16)) read_again(data, size, &once);
    qkv__text_free(&once);
    expect(qkv__memory_live() == live, "nothing is kept");
    return 0;
}
