/* What the files of the HTML report share. A report grows as text; what came from a document goes
 * through qkv__html_escape, everywhere. */
#ifndef QKV_HTML_PART_H
#define QKV_HTML_PART_H

#include <stdint.h>

#include <qkv/html.h>

#include "base/text.h"

struct qkv_html {
    qkv__text title;
    bool brief;         /* answers and verdicts alone */
    qkv__text contents; /* items of the list of contents */
    qkv__text rows;     /* of the table of documents */
    qkv__text open;     /* items of the list of what is not as expected */
    qkv__text body;     /* the documents */
    size_t documents, failures, claims, passed, complaints, verdicts[4], open_count;
};

/* A figure that stands in the body, by a sum over its bytes, and whose it is. */
typedef struct qkv__html_figure {
    uint64_t sum;
    size_t length, claim;
} qkv__html_figure;

enum { QKV__HTML_FIGURES = 1024 }; /* that are remembered */

/* A document on its way into the body. */
typedef struct qkv__html_document {
    qkv_html *html;
    size_t number; /* from 1; the front of its ids: d1, d1-c7 */
    const char *name, *text;
    size_t length;
    const qkv_report *report;
    bool *placed;        /* which of its claims and, behind them, complaints stand in the text */
    size_t next;         /* the first claim that may have no place yet; they come in order */
    size_t heading;      /* headings met */
    size_t figure_count; /* drawn so far: no figure is drawn twice */
    qkv__html_figure figure[QKV__HTML_FIGURES];
    qkv_status status; /* of figures: the first failure */
    qkv_error error;
} qkv__html_document;

/* What md4c reads beyond plain Markdown, in pages and articles alike: flags may only add what
 * leaves blocks of code where the reader of documents finds them. */
#define QKV__HTML_MARKDOWN \
    (MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_TASKLISTS | MD_FLAG_LATEXMATHSPANS)

/* A line without its end. */
typedef struct qkv__html_line {
    const char *text;
    size_t length;
    int number;
} qkv__html_line;

/* A text read line by line. */
typedef struct qkv__html_lines {
    const char *text;
    size_t length, at;
    int number; /* of the line at `at` */
} qkv__html_lines;

/* The next line; false at the end (block.c). */
bool qkv__html_next_line(qkv__html_lines *lines, qkv__html_line *line);

/* A '\0'-terminated string, escaped. */
void qkv__html_escape(qkv__text *text, const char *string);

/* Sentences about formulas, with mathematical signs, subscripts and powers (claims.c). */
void qkv__html_prose(qkv__text *out, const char *text);

/* A claim or a value, typeset if it can be, with its text on hover; otherwise as code (claims.c).
 */
void qkv__html_formula(qkv__text *out, const char *line);

/* All of a page up to its contents, and behind the end of <main> (page.c). */
void qkv__html_head(qkv__text *out, const char *title);
void qkv__html_foot(qkv__text *out);

/* Parts of the page that never change (style.c). Rules for dark figures come from the palette. */
void qkv__html_styles(qkv__text *text);
extern const char qkv__html_script[];
extern const char qkv__html_script_hash[]; /* as a content security policy has it */

/* A verdict with its sign: "✓ proved". */
const char *qkv__html_verdict(qkv_verdict verdict);

/* "as expected", "a mistake", "expected refuted", "open". */
const char *qkv__html_standing(const qkv_claim *claim);

/* The claim of that number (claims.c): a card with its source, which stands in `source`. */
void qkv__html_claim(qkv__html_document *document, size_t index, const char *source, size_t length);
void qkv__html_complaint(qkv__html_document *document, size_t index);

/* Lines of the claim language, the first of which has that number in the document: claims become
 * cards, and complaints stand below their lines (block.c). */
void qkv__html_block(qkv__html_document *document, const char *lines, size_t length,
                     int first_line);

/* A formula of LaTeX as MathML, its source on hover (mathematics.c). One that is not understood is
 * shown as its source. */
void qkv__html_mathematics(qkv__text *out, const char *source, size_t length, bool display);

/* Whether a formula of LaTeX is understood (mathematics.c). */
bool qkv__html_is_formula(const char *source, size_t length);

/* &#955; or &nbsp;, as the character it stands for; one that is not known, as it is (markdown.c).
 */
void qkv__html_entity(qkv__text *out, const char *entity, size_t size);

/* A line of the claim language as MathML, perhaps with the line on hover; false, with nothing
 * added, if it cannot be typeset. */
bool qkv__html_typeset(qkv__text *out, const char *line, bool display, bool hover);

/* Adds a claim to the list of what is not as expected (claims.c). */
void qkv__html_note_open(qkv__html_document *document, size_t index, const qkv_claim *claim);

/* What was found, typeset where it can be (claims.c). */
void qkv__html_found(qkv__text *out, const char *found);

/* The document's claims by problems, in few lines (brief.c). */
void qkv__html_brief(qkv__html_document *document);

/* The picture of a claim as SVG within the page; false: it has none (claims.c). */
bool qkv__html_draw(qkv__html_document *document, const qkv_claim *claim);

/* The document's text: Markdown, or the language alone (markdown.c). */
bool qkv__html_text(qkv__html_document *document);

#endif
