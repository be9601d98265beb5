/*
 * The text of a Markdown document in an article, its claims typeset where they stand. Markdown
 * stays as it is but for the blocks of the language; for LaTeX, md4c takes it apart. Knows which
 * code is the language's; nothing of claims but their lines.
 */
#include <math.h>
#include <md4c.h>
#include <string.h>

#include "base/memory.h"
#include "html/article.h"
#include "html/part.h"

static bool is_blank(const char *text, size_t length)
{
    size_t i = 0;
    while (i < length && (text[i] == ' ' || text[i] == '\t')) i++;
    return i == length;
}

/* ---- Code -------------------------------------------------------------------------------- */

/* Words with every blank kept, as a line of LaTeX. */
static void put_latex_line(qkv__article *a, const char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        char piece[256];
        size_t end = i;
        if (text[i] == ' ' || text[i] == '\t') {
            qkv__article_put(a, text[i] == '\t' ? "~~~~" : "~");
            i++;
            continue;
        }
        while (end < length && text[end] != ' ' && text[end] != '\t' && end - i < sizeof piece - 4)
            end++;
        while (end < length && ((unsigned char)text[end] & 0xc0) == 0x80) end++;
        memcpy(piece, text + i, end - i);
        piece[end - i] = '\0';
        qkv__article_words(a, piece);
        i = end;
    }
    qkv__article_put(a, "\\\\\n");
}

/* Lines of code, without blank ones at the ends; `ours`: of the language. */
static void put_code(qkv__article *a, const char *from, const char *to, bool ours)
{
    while (from < to && (*from == '\n' || *from == '\r')) from++;
    while (to > from && (to[-1] == '\n' || to[-1] == '\r' || to[-1] == ' ')) to--;
    if (from == to) return;
    qkv__html_lines c = {from, (size_t)(to - from), 0, 1};
    qkv__html_line l;
    qkv__article_put(a, a->latex ? "\\begin{flushleft}\\small\\ttfamily\n"
                        : ours   ? "\n```qkv\n"
                                 : "\n```\n");
    while (qkv__html_next_line(&c, &l)) {
        if (a->latex) {
            put_latex_line(a, l.text, l.length);
        } else {
            qkv__text_append(&a->out, l.text, l.length);
            qkv__article_put(a, "\n");
        }
    }
    qkv__article_put(a, a->latex ? "\\end{flushleft}\n\n" : "```\n");
}

/* ---- Blocks of the language -------------------------------------------------------------- */

static const qkv_claim *claim_on(const qkv_report *report, int number, size_t *next)
{
    const size_t count = qkv_report_claim_count(report);
    while (*next < count && qkv_report_claim(report, *next)->line < number) (*next)++;
    if (*next == count || qkv_report_claim(report, *next)->line != number) return NULL;
    return qkv_report_claim(report, (*next)++);
}

/* Declarations as code, claims typeset; the first line has that number in the document. */
static void put_block(qkv__article *a, const qkv_report *report, const char *text, size_t length,
                      int first_line)
{
    qkv__html_lines c = {text, length, 0, first_line};
    const char *setup = text;
    size_t next = 0;
    qkv__html_line l;
    while (qkv__html_next_line(&c, &l)) {
        const qkv_claim *claim = claim_on(report, l.number, &next);
        if (claim == NULL) continue;
        put_code(a, setup, l.text, true);
        int last = l.number;
        for (; claim != NULL; claim = claim_on(report, l.number, &next)) {
            qkv__article_claim(a, claim);
            last = claim->last_line > last ? claim->last_line : last;
        }
        qkv__html_line skipped;
        while (c.number <= last && qkv__html_next_line(&c, &skipped)) {
        }
        setup = text + (c.at < length ? c.at : length);
    }
    put_code(a, setup, text + length, true);
    qkv__article_complaints(a, report, first_line, c.number - 1);
}

/* As the reader of documents has it: qkv, alone or in front of what no longer word goes on with. */
static bool is_ours(const char *info, size_t length)
{
    if (length < 3 || memcmp(info, "qkv", 3) != 0) return false;
    return length == 3 || strchr(" \t,:;{", info[3]) != NULL;
}

/* ---- Markdown ---------------------------------------------------------------------------- */

/* The fence at the beginning of a line: how many signs it has, 0 for none, and what follows. */
static size_t fence_of(const qkv__html_line *l, char *sign, const char **info)
{
    size_t at = 0, count = 0;
    while (at < l->length && at < 3 && l->text[at] == ' ') at++;
    if (at == l->length || (l->text[at] != '`' && l->text[at] != '~')) return 0;
    *sign = l->text[at];
    while (at < l->length && l->text[at] == *sign) at++, count++;
    while (at < l->length && l->text[at] == ' ') at++;
    *info = l->text + at;
    return count < 3 ? 0 : count;
}

static void put_markdown(qkv__article *a, const qkv_report *report, const char *text, size_t length)
{
    qkv__html_lines c = {text, length, 0, 1};
    qkv__html_line l;
    const char *block = NULL; /* of the language, under way */
    int first = 0;
    size_t fence = 0;
    char sign = '\0', other = '\0';
    const char *info = NULL;
    while (qkv__html_next_line(&c, &l)) {
        size_t signs = fence_of(&l, &other, &info);
        bool closes = fence > 0 && signs >= fence && other == sign &&
                      is_blank(info, (size_t)(l.text + l.length - info));
        if (fence == 0 && signs > 0) {
            fence = signs, sign = other;
            bool ours = is_ours(info, (size_t)(l.text + l.length - info));
            block = ours ? text + (c.at < length ? c.at : length) : NULL;
            first = l.number + 1;
            if (ours) continue;
        } else if (closes) {
            fence = 0;
            if (block != NULL) {
                put_block(a, report, block, (size_t)(l.text - block), first);
                block = NULL;
                continue;
            }
        }
        if (block != NULL) continue;
        qkv__text_append(&a->out, l.text, l.length);
        qkv__article_put(a, "\n");
    }
    if (block != NULL) put_block(a, report, block, (size_t)(text + length - block), first);
}

/* ---- LaTeX ------------------------------------------------------------------------------- */

enum {
    COLUMNS_MOST = 16, /* of a table, whose widths are found */
    CELL_LONG = 24,    /* characters of a cell that may be broken into lines */
};

typedef struct renderer {
    qkv__article *article;
    const qkv_report *report;
    const char *input;
    size_t length;
    qkv__text block; /* code or a formula under way */
    bool in_code, in_formula, ours;
    const char *first;  /* piece of the block that lies in the input; NULL: none */
    int before;         /* lines of the block before that piece */
    size_t table, cell; /* where they begin in the article */
    size_t columns, column, widest[COLUMNS_MOST]; /* of the table, and characters of their cells */
} renderer;

static void put(renderer *r, const char *markup)
{
    qkv__article_put(r->article, markup);
}

static int line_of(const renderer *r, const char *at)
{
    int number = 1;
    for (const char *c = r->input; c < at; c++)
        number += *c == '\n' || (*c == '\r' && c[1] != '\n');
    return number;
}

static void close_code(renderer *r)
{
    const char *code = r->block.data == NULL ? "" : r->block.data;
    if (r->ours && r->first != NULL)
        put_block(r->article, r->report, code, r->block.length, line_of(r, r->first) - r->before);
    else
        put_code(r->article, code, code + r->block.length, false);
    r->article->out.failed = r->article->out.failed || r->block.failed;
    qkv__text_free(&r->block);
    r->in_code = false;
}

/* A formula that no page could show is shown as its source: it might not compile. */
static void close_formula(renderer *r, bool display)
{
    const char *source = r->block.data == NULL ? "" : r->block.data;
    if (qkv__html_is_formula(source, r->block.length)) {
        put(r, display ? "\\[ " : "$");
        put(r, source);
        put(r, display ? " \\]" : "$");
    } else {
        put(r, "\\texttt{");
        qkv__article_words(r->article, source);
        put(r, "}");
    }
    r->article->out.failed = r->article->out.failed || r->block.failed;
    qkv__text_free(&r->block);
    r->in_formula = false;
}

/* How wide columns must be is known when their cells are. */
static void open_table(renderer *r, unsigned columns)
{
    r->columns = columns;
    r->column = 0;
    r->table = r->article->out.length;
    memset(r->widest, 0, sizeof r->widest);
}

static void open_cell(renderer *r)
{
    put(r, r->column == 0 ? "" : " & ");
    r->cell = r->article->out.length;
}

static void close_cell(renderer *r)
{
    const size_t length = r->article->out.length - r->cell;
    if (r->column < COLUMNS_MOST && length > r->widest[r->column]) r->widest[r->column] = length;
    r->column++;
}

/* Long cells are broken into lines where the table would be wider than the page: their columns
 * share what the others leave. A character of small print is about 0.0135 of a line. */
static void put_columns(renderer *r)
{
    double left = 1, share = 1;
    size_t broken = 0;
    for (size_t i = 0; i < r->columns; i++) {
        const size_t widest = i < COLUMNS_MOST ? r->widest[i] : 0;
        left -= 0.035 + (widest > CELL_LONG ? 0 : 0.0135 * (double)widest);
        share -= 0.035 + 0.0135 * (double)widest;
        broken += widest > CELL_LONG;
    }
    for (size_t i = 0; i < r->columns; i++)
        if (share < 0 && i < COLUMNS_MOST && r->widest[i] > CELL_LONG)
            qkv__text_format(&r->article->out, "p{%.2f\\linewidth}",
                             fmax(left / (double)broken, 0.15));
        else
            put(r, "l");
}

static void close_table(renderer *r)
{
    qkv__text *out = &r->article->out;
    qkv__text rows = {0};
    if (out->failed || out->length < r->table) return;
    qkv__text_append(&rows, out->data + r->table, out->length - r->table);
    out->length = r->table;
    put(r, "\\begin{center}\\small\\begin{tabular}{");
    put_columns(r);
    put(r, "}\n");
    if (rows.length > 0) qkv__text_append(out, rows.data, rows.length);
    put(r, "\\end{tabular}\\end{center}\n\n");
    out->failed = out->failed || rows.failed;
    qkv__text_free(&rows);
}

static int enter_block(MD_BLOCKTYPE type, void *detail, void *data)
{
    static const char *const headings[] = {"\\section*{", "\\subsection*{", "\\subsubsection*{"};
    renderer *r = data;
    switch (type) {
    case MD_BLOCK_QUOTE: put(r, "\\begin{quote}\n"); break;
    case MD_BLOCK_UL: put(r, "\\begin{itemize}\n"); break;
    case MD_BLOCK_OL: put(r, "\\begin{enumerate}\n"); break;
    case MD_BLOCK_LI: put(r, "\\item "); break;
    case MD_BLOCK_HR: put(r, "\\medskip\\hrule\\medskip\n\n"); break;
    case MD_BLOCK_H: {
        unsigned level = ((MD_BLOCK_H_DETAIL *)detail)->level;
        put(r, level <= 3 ? headings[level - 1] : "\\paragraph*{");
        break;
    }
    case MD_BLOCK_CODE: {
        const MD_ATTRIBUTE *info = &((MD_BLOCK_CODE_DETAIL *)detail)->info;
        r->in_code = true;
        r->ours = is_ours(info->text, info->size);
        r->first = NULL;
        r->before = 0;
        break;
    }
    case MD_BLOCK_HTML:
        r->in_code = true;
        r->ours = false;
        break;
    case MD_BLOCK_TABLE: open_table(r, ((MD_BLOCK_TABLE_DETAIL *)detail)->col_count); break;
    case MD_BLOCK_TR: r->column = 0; break;
    case MD_BLOCK_TH:
    case MD_BLOCK_TD: open_cell(r); break;
    default: break;
    }
    return 0;
}

static int leave_block(MD_BLOCKTYPE type, void *detail, void *data)
{
    renderer *r = data;
    (void)detail;
    switch (type) {
    case MD_BLOCK_QUOTE: put(r, "\\end{quote}\n"); break;
    case MD_BLOCK_UL: put(r, "\\end{itemize}\n\n"); break;
    case MD_BLOCK_OL: put(r, "\\end{enumerate}\n\n"); break;
    case MD_BLOCK_LI: put(r, "\n"); break;
    case MD_BLOCK_H: put(r, "}\n\n"); break;
    case MD_BLOCK_CODE:
    case MD_BLOCK_HTML: close_code(r); break;
    case MD_BLOCK_P: put(r, "\n\n"); break;
    case MD_BLOCK_TABLE: close_table(r); break;
    case MD_BLOCK_TH:
    case MD_BLOCK_TD: close_cell(r); break;
    case MD_BLOCK_THEAD: put(r, "\\hline\n"); break;
    case MD_BLOCK_TR: put(r, " \\\\\n"); break;
    default: break;
    }
    return r->article->out.failed;
}

static int enter_span(MD_SPANTYPE type, void *detail, void *data)
{
    renderer *r = data;
    (void)detail;
    switch (type) {
    case MD_SPAN_EM: put(r, "\\emph{"); break;
    case MD_SPAN_STRONG: put(r, "\\textbf{"); break;
    case MD_SPAN_CODE: put(r, "\\texttt{"); break;
    case MD_SPAN_IMG: put(r, "(image: "); break;
    case MD_SPAN_LATEXMATH:
    case MD_SPAN_LATEXMATH_DISPLAY: r->in_formula = true; break;
    default: break;
    }
    return 0;
}

static int leave_span(MD_SPANTYPE type, void *detail, void *data)
{
    renderer *r = data;
    (void)detail;
    switch (type) {
    case MD_SPAN_EM:
    case MD_SPAN_STRONG:
    case MD_SPAN_CODE: put(r, "}"); break;
    case MD_SPAN_IMG: put(r, ")"); break;
    case MD_SPAN_LATEXMATH:
    case MD_SPAN_LATEXMATH_DISPLAY: close_formula(r, type == MD_SPAN_LATEXMATH_DISPLAY); break;
    default: break;
    }
    return 0;
}

/* md4c gives indentation and line ends from strings of its own. */
static void take_code(renderer *r, const char *text, size_t size)
{
    if (r->first == NULL && text >= r->input && text < r->input + r->length) {
        r->first = text;
        for (size_t i = 0; i < r->block.length; i++) r->before += r->block.data[i] == '\n';
    }
    qkv__text_append(&r->block, text, size);
}

static int take_text(MD_TEXTTYPE type, const MD_CHAR *text, MD_SIZE size, void *data)
{
    renderer *r = data;
    qkv__text words = {0};
    if (r->in_code) {
        take_code(r, text, size);
        return 0;
    }
    if (r->in_formula) {
        qkv__text_append(&r->block, text, size);
        return 0;
    }
    switch (type) {
    case MD_TEXT_BR: put(r, "\\newline\n"); return 0;
    case MD_TEXT_SOFTBR: put(r, "\n"); return 0;
    case MD_TEXT_ENTITY: qkv__html_entity(&words, text, size); break;
    default: qkv__text_append(&words, text, size); break;
    }
    if (words.data != NULL) qkv__article_words(r->article, words.data);
    r->article->out.failed = r->article->out.failed || words.failed;
    qkv__text_free(&words);
    return 0;
}

static void put_latex(qkv__article *a, const qkv_report *report, const char *text, size_t length)
{
    static const MD_PARSER callbacks = {.flags = QKV__HTML_MARKDOWN,
                                        .enter_block = enter_block,
                                        .leave_block = leave_block,
                                        .enter_span = enter_span,
                                        .leave_span = leave_span,
                                        .text = take_text};
    char *input = qkv__allocate(length + 1); /* md4c may look at the byte behind the text */
    if (input == NULL) {
        a->out.failed = true;
        return;
    }
    memcpy(input, text, length);
    input[length] = '\0';
    renderer r = {.article = a, .report = report, .input = input, .length = length};
    if (md_parse(input, (MD_SIZE)length, &callbacks, &r) != 0) a->out.failed = true;
    qkv__text_free(&r.block);
    qkv__free(input);
}

void qkv__article_text(qkv__article *a, const qkv_report *report, const char *text, size_t length)
{
    static const char mark[] = "\xef\xbb\xbf";
    size_t skip = length >= 3 && memcmp(text, mark, 3) == 0 ? 3 : 0;
    if (a->latex)
        put_latex(a, report, text + skip, length - skip);
    else
        put_markdown(a, report, text + skip, length - skip);
}
