/*
 * Documents: a text of the claim language, or Markdown with blocks of it. Markdown's structure is
 * md4c's business; what comes back from it is a copy of the document in which everything but the
 * contents of ```qkv blocks is blank, so that lines and columns stay those of the file. Knows
 * nothing of the grammar.
 */
#include <string.h>

#if defined(QKV_HAVE_MD4C)
#include <md4c.h>
#endif

#include <qkv/claim.h>

#include "base/error.h"
#include "base/memory.h"
#include "language/complaint.h"
#include "language/document.h"
#include "language/lines.h"
#include "language/parse_part.h"

/* Lines and columns are ints, and md4c counts bytes in 32 bits. */
enum { LARGEST = 1 << 30 };

/* ---- Which kind --------------------------------------------------------------------------- */

static bool ends_with(const char *name, const char *ending)
{
    size_t length = strlen(name), tail = strlen(ending);
    return length >= tail && strcmp(name + length - tail, ending) == 0;
}

/* Whether a line opens a ```qkv block, perhaps inside of quotes and lists. */
static bool is_fence(const char *line, size_t length)
{
    size_t at = 0, mark;
    while (at < length && line[at] != '\0' && strchr(" \t>-+*.)0123456789", line[at]) != NULL) at++;
    mark = at;
    while (at < length && (line[at] == '`' || line[at] == '~') && line[at] == line[mark]) at++;
    if (at - mark < 3) return false;
    while (at < length && (line[at] == ' ' || line[at] == '\t')) at++;
    return length - at >= 3 && memcmp(line + at, "qkv", 3) == 0;
}

static bool has_fence(const char *text, size_t length)
{
    for (size_t at = 0, end; at < length; at = end + 1) {
        for (end = at; end < length && !qkv__is_newline(text[end]);) end++;
        if (is_fence(text + at, end - at)) return true;
    }
    return false;
}

bool qkv_is_markdown(const char *name, const char *text, size_t length)
{
    if (ends_with(name, ".md") || ends_with(name, ".markdown")) return true;
    return !ends_with(name, ".qkv") && has_fence(text, length);
}

/* ---- Markdown ----------------------------------------------------------------------------- */

typedef struct reader {
    qkv__parser *parser;
    const char *original;
    char *input;  /* what md4c reads: the document without '\0', which it would not point to, and
                     with one behind it, where md4c may look */
    char *masked; /* what the parser reads */
    size_t length;
    size_t counted; /* bytes before which line ends are counted */
    int line;       /* the number of the line at `counted` */

    /* The block at hand. */
    bool inside;
    size_t begin, end; /* of its contents, whole lines; begin == end: none yet */
    size_t indent;     /* blanks before the line under way that belong to the contents */
} reader;

/* The number of the line that begins there; blocks come in order. */
static int line_at(reader *r, size_t offset)
{
    while (r->counted < offset) {
        size_t end = qkv__newline_at(r->original, r->length, r->counted);
        r->line += end > 0;
        r->counted += end > 0 ? end : 1;
    }
    return r->line;
}

/* One line of contents, from `at` to its end. What stands before it on the line is margin, but for
 * the indentation that is left to the contents. */
static void keep_line(reader *r, size_t at)
{
    size_t begin = at, end = at;
    while (begin > 0 && !qkv__is_newline(r->original[begin - 1])) begin--;
    while (end < r->length && !qkv__is_newline(r->original[end])) end++;
    for (size_t i = begin; i < at; i++) r->masked[i] = at - i <= r->indent ? ' ' : QKV__MARGIN;
    for (size_t i = at; i < end; i++)
        r->masked[i] = r->original[i] == QKV__MARGIN ? QKV__MARGIN + 1 : r->original[i];
    if (r->begin == r->end) r->begin = begin;
    r->end = end;
}

/* Everything blank but the line ends, and for md4c everything as it is but '\0'. */
static void prepare(reader *r)
{
    for (size_t i = 0; i < r->length; i++) {
        r->masked[i] = qkv__is_newline(r->original[i]) ? r->original[i] : ' ';
        r->input[i] = r->original[i] == '\0' ? QKV__MARGIN : r->original[i];
    }
    r->input[r->length] = '\0';
}

/* Parses the block at once: the next one comes only after this. False: the parser has had enough.
 */
static bool end_block(reader *r)
{
    qkv__document *document = r->parser->document;
    if (r->inside && r->begin < r->end)
        qkv__parse_text(r->parser, r->begin, r->end, line_at(r, r->begin));
    r->inside = false;
    return !document->arena.failed && document->complaint_count < QKV__COMPLAINTS;
}

#if defined(QKV_HAVE_MD4C)

/* qkv, alone or in front of anything that cannot belong to a longer word. Code that is only
 * indented has no such word. */
static bool is_ours(const MD_ATTRIBUTE *info)
{
    if (info->size < 3 || memcmp(info->text, "qkv", 3) != 0) return false;
    return info->size == 3 || strchr(" \t,:;{", info->text[3]) != NULL;
}

static int enter_block(MD_BLOCKTYPE type, void *detail, void *data)
{
    reader *r = data;
    const MD_BLOCK_CODE_DETAIL *code = detail;
    r->inside = type == MD_BLOCK_CODE && is_ours(&code->info);
    r->begin = r->end = r->indent = 0;
    return 0;
}

/* A parser that has had enough stops md4c too. */
static int leave_block(MD_BLOCKTYPE type, void *detail, void *data)
{
    (void)type;
    (void)detail;
    return !end_block(data);
}

static int pass_span(MD_SPANTYPE type, void *detail, void *data)
{
    (void)type;
    (void)detail;
    (void)data;
    return 0;
}

/* md4c gives the indentation and the line end from strings of its own, and the rest of a line as a
 * piece of the text: that tells where it is. */
static int take_text(MD_TEXTTYPE type, const MD_CHAR *text, MD_SIZE size, void *data)
{
    reader *r = data;
    (void)type;
    if (!r->inside || size == 0) return 0;
    bool own = text >= r->input && text < r->input + r->length;
    if (own)
        keep_line(r, (size_t)(text - r->input));
    else if (*text == ' ')
        r->indent += size;
    if (own || qkv__is_newline(*text)) r->indent = 0;
    return 0;
}

static bool read_blocks(reader *r, size_t mark)
{
    static const MD_PARSER callbacks = {.enter_block = enter_block,
                                        .leave_block = leave_block,
                                        .enter_span = pass_span,
                                        .leave_span = pass_span,
                                        .text = take_text};
    return md_parse(r->input + mark, (MD_SIZE)(r->length - mark), &callbacks, r) >= 0;
}

#else

/* A line that opens or closes a block: up to three blanks, three or more of ` or ~. */
typedef struct fence {
    char sign; /* 0: the line is none */
    size_t indent, count;
    size_t rest; /* the offset behind it */
} fence;

static fence fence_at(const char *text, size_t begin, size_t end)
{
    fence f = {0};
    size_t at = begin;
    while (at < end && text[at] == ' ' && at - begin < 4) at++;
    f.indent = at - begin;
    if (f.indent > 3 || at == end || (text[at] != '`' && text[at] != '~')) return (fence){0};
    f.sign = text[at];
    while (at < end && text[at] == f.sign) at++, f.count++;
    f.rest = at;
    return f.count < 3 ? (fence){0} : f;
}

static bool is_blank(const char *text, size_t begin, size_t end)
{
    while (begin < end && (text[begin] == ' ' || text[begin] == '\t')) begin++;
    return begin == end;
}

/* Code by indentation: four blanks. */
static bool is_indented(const char *text, size_t begin, size_t end)
{
    return end - begin >= 4 && memcmp(text + begin, "    ", 4) == 0;
}

/* Whether a fence closes the block that another one opened. */
static bool closes(const fence *f, const fence *open, const char *text, size_t end)
{
    return f->sign == open->sign && f->count >= open->count && is_blank(text, f->rest, end);
}

/* qkv, alone or in front of anything that cannot belong to a longer word. */
static bool is_ours(const char *text, size_t at, size_t end)
{
    while (at < end && (text[at] == ' ' || text[at] == '\t')) at++;
    if (end - at < 3 || memcmp(text + at, "qkv", 3) != 0) return false;
    return end - at == 3 || strchr(" \t,:;{", text[at + 3]) != NULL;
}

/* A line of contents loses as many blanks as its fence stands behind. */
static void keep_contents(reader *r, size_t begin, size_t end, size_t indent)
{
    size_t at = begin;
    while (at < end && at - begin < indent && r->original[at] == ' ') at++;
    keep_line(r, at);
}

static void open_block(reader *r, const fence *f, size_t end)
{
    r->inside = is_ours(r->original, f->rest, end);
    r->begin = r->end = r->indent = 0;
}

/* Without md4c blocks are found by their fences, at the margin of the page; one inside of a quote
 * or a list is complained about. */
static bool read_blocks(reader *r, size_t mark)
{
    fence open = {0};
    const char *text = r->original;
    for (size_t begin = mark, end; begin < r->length;
         begin = end + qkv__newline_at(text, r->length, end)) {
        for (end = begin; end < r->length && !qkv__is_newline(text[end]);) end++;
        fence f = fence_at(text, begin, end);
        if (open.sign == 0 && f.sign != 0) {
            open = f;
            open_block(r, &f, end);
        } else if (open.sign != 0 && closes(&f, &open, text, end)) {
            open.sign = 0;
            if (!end_block(r)) return true;
        } else if (r->inside) {
            keep_contents(r, begin, end, open.indent);
        } else if (open.sign == 0 && !is_indented(text, begin, end) &&
                   is_fence(text + begin, end - begin)) {
            qkv__document_complain(
                r->parser->document, (qkv__place){line_at(r, begin), 1, 1},
                "this build, made without md4c, reads blocks at the margin alone");
        }
    }
    end_block(r);
    return true;
}

#endif

static void read_markdown(qkv__document *document, const char *text, size_t length)
{
    qkv__parser parser;
    reader r = {.parser = &parser, .original = text, .length = length, .line = 1};
    if (length == 0) return;
    r.input = qkv__allocate(length + 1);
    r.masked = qkv__allocate(length);
    qkv__parser_start(&parser, document, r.masked, text, length);
    if (r.input == NULL || r.masked == NULL) {
        document->arena.failed = true;
    } else {
        prepare(&r);
        if (!read_blocks(&r, qkv__mark_length(text, length))) document->arena.failed = true;
    }
    qkv__parser_free(&parser);
    qkv__free(r.input);
    qkv__free(r.masked);
}

/* ---- Documents ---------------------------------------------------------------------------- */

static void read_plain(qkv__document *document, const char *text, size_t length)
{
    qkv__parser parser;
    qkv__parser_start(&parser, document, text, text, length);
    qkv__parse_text(&parser, 0, length, 1);
    qkv__parser_free(&parser);
}

static void read_kept(qkv__document *document)
{
    if (document->name == NULL || document->text == NULL) return; /* no memory */
    if (qkv_is_markdown(document->name, document->text, document->length))
        read_markdown(document, document->text, document->length);
    else
        read_plain(document, document->text, document->length);
}

qkv_status qkv__document_read(const char *name, const char *text, size_t length,
                              qkv__document *document, qkv_error *error)
{
    const size_t failures = qkv__memory_failures(); /* also of texts that were compared and freed */
    *document = (qkv__document){.text = ""};
    document->name = qkv__arena_text(&document->arena, name, strlen(name));
    if (length > LARGEST) {
        qkv__document_complain(document, (qkv__place){1, 1, 1}, "the document is above 1 GiB");
    } else if (length > 0) {
        document->text = qkv__arena_text(&document->arena, text, length);
        document->length = length;
        read_kept(document);
    }
    if (!document->arena.failed && qkv__memory_failures() == failures) return QKV_OK;
    size_t used = document->arena.used;
    qkv__document_free(document);
    return qkv__fail_memory(error, used);
}

void qkv__document_free(qkv__document *document)
{
    qkv__arena_free(&document->arena);
    *document = (qkv__document){0};
}
