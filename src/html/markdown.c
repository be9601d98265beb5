/* A document's own text as HTML. Markdown's structure is md4c's business; of what it finds, HTML is
 * shown as text, images by what they say, and links go to the web or nowhere. Knows nothing of
 * claims but which code is the language's. */
#include <md4c.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "html/part.h"

enum { DEEPEST = 6, SHIFT = 2 }; /* headings of HTML; those of the page come first */

typedef struct renderer {
    qkv__html_document *document;
    qkv__text *out;
    const char *input; /* what md4c reads */
    size_t length;

    qkv__text block; /* code under way */
    bool in_code, ours;
    size_t first;   /* the offset of the first piece of it that lies in the input; SIZE_MAX: none */
    int before;     /* lines of the block before that piece */
    size_t counted; /* bytes before which line ends are counted */
    int line;       /* the number of the line at `counted` */
    size_t heading_start;
    qkv__text formula; /* under way */
} renderer;

static void put(renderer *r, const char *markup)
{
    qkv__text_append(r->out, markup, strlen(markup));
}

/* ---- Entities ---------------------------------------------------------------------------- */

static const struct {
    const char *name, *text;
} entities[] = {
    {"amp", "&"},       {"lt", "<"},    {"gt", ">"},      {"quot", "\""},  {"apos", "'"},
    {"nbsp", "\u00a0"}, {"ndash", "–"}, {"mdash", "—"},   {"hellip", "…"}, {"times", "×"},
    {"middot", "·"},    {"minus", "−"}, {"le", "≤"},      {"ge", "≥"},     {"ne", "≠"},
    {"asymp", "≈"},     {"infin", "∞"}, {"rarr", "→"},    {"larr", "←"},   {"copy", "©"},
    {"alpha", "α"},     {"beta", "β"},  {"epsilon", "ε"}, {"mu", "μ"},     {"sigma", "σ"},
    {"Sigma", "Σ"},     {"lsquo", "‘"}, {"rsquo", "’"},   {"ldquo", "“"},  {"rdquo", "”"},
};

/* UTF-8 of a code point into bytes; how many. */
static size_t encode(unsigned long code, char *bytes)
{
    if (code == 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) code = 0xfffd;
    if (code < 0x80) {
        bytes[0] = (char)code;
        return 1;
    }
    size_t count = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = count - 1; i > 0; i--, code >>= 6) bytes[i] = (char)(0x80 | (code & 0x3f));
    bytes[0] = (char)(lead[count] | code);
    return count;
}

static unsigned long numeric_code(const char *entity, size_t size)
{
    bool hexadecimal = size > 3 && (entity[2] == 'x' || entity[2] == 'X');
    unsigned long code = 0;
    for (size_t i = hexadecimal ? 3 : 2; i + 1 < size && code <= 0x10ffff; i++) {
        unsigned digit = entity[i] <= '9' ? (unsigned)(entity[i] - '0')
                                          : (unsigned)((entity[i] | 0x20) - 'a') + 10;
        code = code * (hexadecimal ? 16 : 10) + digit;
    }
    return code;
}

void qkv__html_entity(qkv__text *out, const char *entity, size_t size)
{
    char bytes[4];
    if (size > 3 && entity[1] == '#') {
        qkv__text_append(out, bytes, encode(numeric_code(entity, size), bytes));
        return;
    }
    for (size_t i = 0; i < sizeof entities / sizeof entities[0]; i++)
        if (size == strlen(entities[i].name) + 2 &&
            memcmp(entity + 1, entities[i].name, size - 2) == 0) {
            qkv__text_append(out, entities[i].text, strlen(entities[i].text));
            return;
        }
    qkv__text_append(out, entity, size);
}

static void put_entity(qkv__text *out, const char *entity, size_t size)
{
    qkv__text plain = {0};
    qkv__html_entity(&plain, entity, size);
    if (plain.data != NULL) qkv__text_markup(out, plain.data, plain.length);
    out->failed = out->failed || plain.failed;
    qkv__text_free(&plain);
}

static void put_attribute(qkv__text *out, const MD_ATTRIBUTE *attribute)
{
    for (size_t i = 0; attribute->size > 0 && attribute->substr_offsets[i] < attribute->size; i++) {
        size_t from = attribute->substr_offsets[i], to = attribute->substr_offsets[i + 1];
        if (attribute->substr_types[i] == MD_TEXT_ENTITY)
            put_entity(out, attribute->text + from, to - from);
        else
            qkv__text_markup(out, attribute->text + from, to - from);
    }
}

/* ---- Links ------------------------------------------------------------------------------- */

/* Whether a target begins with one of the schemes that do no harm, letter by letter in plain
 * text. */
static bool is_web(const MD_ATTRIBUTE *target)
{
    static const char *const schemes[] = {"http://", "https://", "mailto:"};
    size_t plain = target->size == 0 || target->substr_types[0] != MD_TEXT_NORMAL
                       ? 0
                       : target->substr_offsets[1];
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
        size_t length = strlen(schemes[i]);
        if (plain >= length && memcmp(target->text, schemes[i], length) == 0) return true;
    }
    return false;
}

static void open_link(renderer *r, const MD_ATTRIBUTE *target)
{
    bool web = is_web(target);
    put(r, web ? "<a rel=\"noopener noreferrer\" href=\"" : "<span class=\"link\" title=\"");
    put_attribute(r->out, target);
    put(r, "\">");
}

static int enter_span(MD_SPANTYPE type, void *detail, void *data)
{
    renderer *r = data;
    switch (type) {
    case MD_SPAN_EM: put(r, "<em>"); break;
    case MD_SPAN_STRONG: put(r, "<strong>"); break;
    case MD_SPAN_A: open_link(r, &((MD_SPAN_A_DETAIL *)detail)->href); break;
    case MD_SPAN_IMG: put(r, "<span class=\"image\">image: "); break;
    case MD_SPAN_CODE: put(r, "<code>"); break;
    case MD_SPAN_DEL: put(r, "<del>"); break;
    default: break;
    }
    return 0;
}

static void put_formula(renderer *r, bool display)
{
    const char *source = r->formula.data == NULL ? "" : r->formula.data;
    qkv__html_mathematics(r->out, source, r->formula.length, display);
    r->out->failed = r->out->failed || r->formula.failed;
    qkv__text_free(&r->formula);
}

static int leave_span(MD_SPANTYPE type, void *detail, void *data)
{
    renderer *r = data;
    switch (type) {
    case MD_SPAN_EM: put(r, "</em>"); break;
    case MD_SPAN_STRONG: put(r, "</strong>"); break;
    case MD_SPAN_A: put(r, is_web(&((MD_SPAN_A_DETAIL *)detail)->href) ? "</a>" : "</span>"); break;
    case MD_SPAN_IMG: put(r, "</span>"); break;
    case MD_SPAN_CODE: put(r, "</code>"); break;
    case MD_SPAN_DEL: put(r, "</del>"); break;
    case MD_SPAN_LATEXMATH:
    case MD_SPAN_LATEXMATH_DISPLAY: put_formula(r, type == MD_SPAN_LATEXMATH_DISPLAY); break;
    default: break;
    }
    return 0;
}

/* ---- Headings ---------------------------------------------------------------------------- */

static unsigned heading_level(const MD_BLOCK_H_DETAIL *detail)
{
    unsigned level = detail->level + SHIFT;
    return level > DEEPEST ? DEEPEST : level;
}

static void open_heading(renderer *r, const MD_BLOCK_H_DETAIL *detail)
{
    qkv__html_document *d = r->document;
    d->heading++;
    qkv__text_format(r->out, "<h%u class=\"level%u\" id=\"d%zu-h%zu\">", heading_level(detail),
                     detail->level, d->number, d->heading);
    r->heading_start = r->out->length;
}

/* What was written since, without its tags, into the list of contents. */
static void close_heading(renderer *r, const MD_BLOCK_H_DETAIL *detail)
{
    qkv__html_document *d = r->document;
    qkv__text *contents = &d->html->contents;
    if (detail->level <= 2 && !r->out->failed && r->out->length > r->heading_start) {
        qkv__text_format(contents, "<li class=\"level%u\"><a href=\"#d%zu-h%zu\">", detail->level,
                         d->number, d->heading);
        bool tag = false;
        for (size_t i = r->heading_start; i < r->out->length; i++) {
            char c = r->out->data[i];
            if (c == '<') tag = true;
            if (!tag) qkv__text_append(contents, &c, 1);
            if (c == '>') tag = false;
        }
        qkv__text_format(contents, "</a></li>\n");
    }
    qkv__text_format(r->out, "</h%u>\n", heading_level(detail));
}

/* ---- Code -------------------------------------------------------------------------------- */

/* As the reader of documents has it: qkv, alone or in front of what no longer word goes on with. */
static bool is_ours(const MD_ATTRIBUTE *info)
{
    if (info->size < 3 || memcmp(info->text, "qkv", 3) != 0) return false;
    return info->size == 3 || strchr(" \t,:;{", info->text[3]) != NULL;
}

static void open_code(renderer *r, const MD_BLOCK_CODE_DETAIL *detail)
{
    r->in_code = true;
    r->ours = is_ours(&detail->info);
    r->first = SIZE_MAX;
    r->before = 0;
}

/* The number of the line that an offset lies in; line ends are CommonMark's. Blocks come in order.
 */
static int line_of(renderer *r, size_t offset)
{
    for (size_t i = r->counted; i < offset; i++)
        r->line += r->input[i] == '\n' ||
                   (r->input[i] == '\r' && !(i + 1 < r->length && r->input[i + 1] == '\n'));
    if (offset > r->counted) r->counted = offset;
    return r->line;
}

static void close_code(renderer *r)
{
    const char *code = r->block.data == NULL ? "" : r->block.data;
    r->in_code = false;
    if (r->block.failed) r->out->failed = true;
    if (r->ours && r->first != SIZE_MAX) {
        qkv__html_block(r->document, code, r->block.length, line_of(r, r->first) - r->before);
    } else {
        put(r, "<pre><code>");
        qkv__text_markup(r->out, code, r->block.length);
        put(r, "</code></pre>\n");
    }
    qkv__text_free(&r->block);
}

/* md4c gives indentation and line ends from strings of its own. */
static void take_code(renderer *r, const char *text, size_t size)
{
    bool own = text >= r->input && text < r->input + r->length;
    if (own && r->first == SIZE_MAX) {
        r->first = (size_t)(text - r->input);
        for (size_t i = 0; i < r->block.length; i++) r->before += r->block.data[i] == '\n';
    }
    qkv__text_append(&r->block, text, size);
}

/* ---- Blocks ------------------------------------------------------------------------------ */

static void open_item(renderer *r, const MD_BLOCK_LI_DETAIL *detail)
{
    put(r, "<li>");
    if (detail->is_task) put(r, detail->task_mark == ' ' ? "☐ " : "☑ ");
}

static void open_cell(renderer *r, const char *tag, const MD_BLOCK_TD_DETAIL *detail)
{
    static const char *const classes[] = {"", " class=\"left\"", " class=\"center\"",
                                          " class=\"right\""};
    qkv__text_format(r->out, "<%s%s>", tag, classes[(unsigned)detail->align % 4]);
}

static int enter_block(MD_BLOCKTYPE type, void *detail, void *data)
{
    renderer *r = data;
    switch (type) {
    case MD_BLOCK_DOC: break;
    case MD_BLOCK_QUOTE: put(r, "<blockquote>\n"); break;
    case MD_BLOCK_UL: put(r, "<ul>\n"); break;
    case MD_BLOCK_OL:
        qkv__text_format(r->out, "<ol start=\"%u\">\n", ((MD_BLOCK_OL_DETAIL *)detail)->start);
        break;
    case MD_BLOCK_LI: open_item(r, detail); break;
    case MD_BLOCK_HR: put(r, "<hr/>\n"); break;
    case MD_BLOCK_H: open_heading(r, detail); break;
    case MD_BLOCK_CODE: open_code(r, detail); break;
    case MD_BLOCK_HTML: put(r, "<pre class=\"raw\"><code>"); break;
    case MD_BLOCK_P: put(r, "<p>"); break;
    case MD_BLOCK_TABLE: put(r, "<div class=\"wide\"><table>\n"); break;
    case MD_BLOCK_THEAD: put(r, "<thead>\n"); break;
    case MD_BLOCK_TBODY: put(r, "<tbody>\n"); break;
    case MD_BLOCK_TR: put(r, "<tr>"); break;
    case MD_BLOCK_TH: open_cell(r, "th", detail); break;
    case MD_BLOCK_TD: open_cell(r, "td", detail); break;
    }
    return 0;
}

static int leave_block(MD_BLOCKTYPE type, void *detail, void *data)
{
    renderer *r = data;
    switch (type) {
    case MD_BLOCK_DOC: break;
    case MD_BLOCK_QUOTE: put(r, "</blockquote>\n"); break;
    case MD_BLOCK_UL: put(r, "</ul>\n"); break;
    case MD_BLOCK_OL: put(r, "</ol>\n"); break;
    case MD_BLOCK_LI: put(r, "</li>\n"); break;
    case MD_BLOCK_HR: break;
    case MD_BLOCK_H: close_heading(r, detail); break;
    case MD_BLOCK_CODE: close_code(r); break;
    case MD_BLOCK_HTML: put(r, "</code></pre>\n"); break;
    case MD_BLOCK_P: put(r, "</p>\n"); break;
    case MD_BLOCK_TABLE: put(r, "</table></div>\n"); break;
    case MD_BLOCK_THEAD: put(r, "</thead>\n"); break;
    case MD_BLOCK_TBODY: put(r, "</tbody>\n"); break;
    case MD_BLOCK_TR: put(r, "</tr>\n"); break;
    case MD_BLOCK_TH: put(r, "</th>"); break;
    case MD_BLOCK_TD: put(r, "</td>"); break;
    }
    return r->out->failed;
}

static int take_text(MD_TEXTTYPE type, const MD_CHAR *text, MD_SIZE size, void *data)
{
    renderer *r = data;
    if (r->in_code) {
        take_code(r, text, size);
        return 0;
    }
    switch (type) {
    case MD_TEXT_LATEXMATH: qkv__text_append(&r->formula, text, size); break;
    case MD_TEXT_BR: put(r, "<br/>\n"); break;
    case MD_TEXT_SOFTBR: put(r, "\n"); break;
    case MD_TEXT_NULLCHAR: put(r, "\xef\xbf\xbd"); break;
    case MD_TEXT_ENTITY: put_entity(r->out, text, size); break;
    default: qkv__text_markup(r->out, text, size); break;
    }
    return 0;
}

/* ---- The text ---------------------------------------------------------------------------- */

static bool render_markdown(qkv__html_document *document, const char *text, size_t length)
{
    static const MD_PARSER callbacks = {.flags = QKV__HTML_MARKDOWN,
                                        .enter_block = enter_block,
                                        .leave_block = leave_block,
                                        .enter_span = enter_span,
                                        .leave_span = leave_span,
                                        .text = take_text};
    char *input = qkv__allocate(length + 1); /* md4c may look at the byte behind the text */
    if (input == NULL) return false;
    memcpy(input, text, length);
    input[length] = '\0';
    renderer r = {.document = document,
                  .out = &document->html->body,
                  .input = input,
                  .length = length,
                  .line = 1};
    int status = md_parse(input, (MD_SIZE)length, &callbacks, &r);
    qkv__text_free(&r.block);
    qkv__text_free(&r.formula);
    qkv__free(input);
    return status == 0;
}

bool qkv__html_text(qkv__html_document *document)
{
    static const char mark[] = "\xef\xbb\xbf";
    size_t skip = document->length >= 3 && memcmp(document->text, mark, 3) == 0 ? 3 : 0;
    const char *text = document->text + skip;
    size_t length = document->length - skip;
    if (length == 0) return true;
    if (qkv_is_markdown(document->name, document->text, document->length))
        return render_markdown(document, text, length);
    qkv__html_block(document, text, length, 1);
    return !document->html->body.failed;
}
