/* Reports as LaTeX and Markdown: claims typeset, verdicts, derivations. Knows the public report; what
 * came from a document goes through put_words, everywhere. */
#include <stdio.h>
#include <string.h>

#include <qkv/version.h>

#include "base/error.h"
#include "html/part.h"
#include "language/write.h"

typedef struct article {
    bool latex; /* otherwise Markdown */
    qkv__text out;
} article;

/* ---- Words ---------------------------------------------------------------------------------- */

/* Characters that LaTeX takes for commands, and signs that its plain fonts do not have. */
static const struct {
    const char *sign, *latex;
} replaced[] = {
    {"<=", "$\\le$"},            {">=", "$\\ge$"},    {"->", "$\\to$"},    {"!=", "$\\ne$"},
    {"\\", "\\textbackslash{}"}, {"{", "\\{"},        {"}", "\\}"},        {"$", "\\$"},
    {"&", "\\&"},                {"#", "\\#"},        {"_", "\\_"},        {"%", "\\%"},
    {"^", "\\^{}"},              {"~", "\\~{}"},      {"<", "$<$"},        {">", "$>$"},
    {"|", "$|$"},                {"β", "$\\beta$"},   {"α", "$\\alpha$"},  {"σ", "$\\sigma$"},
    {"Δ", "$\\Delta$"},          {"μ", "$\\mu$"},     {"→", "$\\to$"},     {"≤", "$\\le$"},
    {"≥", "$\\ge$"},             {"≈", "$\\approx$"}, {"∞", "$\\infty$"},  {"×", "$\\times$"},
    {"·", "$\\cdot$"},           {"−", "$-$"},        {"½", "$\\frac12$"}, {"…", "\\ldots{}"},
};

static void put(article *a, const char *text)
{
    qkv__text_append(&a->out, text, strlen(text));
}

static const char *find_replaced(const char *at, size_t *length)
{
    for (size_t i = 0; i < sizeof replaced / sizeof replaced[0]; i++) {
        *length = strlen(replaced[i].sign);
        if (strncmp(at, replaced[i].sign, *length) == 0) return replaced[i].latex;
    }
    return NULL;
}

static void put_latex_words(article *a, const char *text)
{
    size_t length;
    for (; *text != '\0'; text += length) {
        const char *other = find_replaced(text, &length);
        if (other != NULL) {
            put(a, other);
            continue;
        }
        length = qkv__utf8_length(text, strlen(text));
        const unsigned char first = (unsigned char)*text;
        if (length == 1 && first >= ' ' && first != 0x7f)
            qkv__text_append(&a->out, text, 1);
        else
            put(a, first < 0x80 ? " " : "?"); /* no plain font has everything */
        if (length == 0) length = 1;
    }
}

/* Backslashes keep Markdown from reading signs as its own. */
static void put_markdown_words(article *a, const char *text)
{
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        if (strchr("\\`*_{}[]<>#|$~&", c) != NULL) put(a, "\\");
        if (c < ' ' || c == 0x7f)
            put(a, " ");
        else
            qkv__text_append(&a->out, text, 1);
    }
}

static void put_words(article *a, const char *text)
{
    if (a->latex)
        put_latex_words(a, text);
    else
        put_markdown_words(a, text);
}

/* Lines of the language that cannot be typeset stay as they are, in a type of even width. */
static void put_code(article *a, const char *text)
{
    put(a, a->latex ? "\\texttt{" : "`` ");
    if (a->latex)
        put_latex_words(a, text);
    else
        for (; *text != '\0'; text++)
            put(a, *text == '`' ? "'" : (unsigned char)*text < ' ' ? " " : (char[]){*text, '\0'});
    put(a, a->latex ? "}" : " ``");
}

static bool put_formula(article *a, const char *source, bool display)
{
    qkv__text latex = {0};
    const bool good = qkv__typeset(source, &latex) && !latex.failed;
    const char *const marks[2][2] = {{"$", "$"}, {"$$", "$$"}};
    if (good && a->latex && display) {
        put(a, "\\[ ");
        put(a, latex.data);
        put(a, " \\]\n");
    } else if (good) {
        put(a, marks[display][0]);
        put(a, latex.data);
        put(a, marks[display][1]);
    }
    a->out.failed = a->out.failed || latex.failed;
    qkv__text_free(&latex);
    return good;
}

/* ---- Claims --------------------------------------------------------------------------------- */

static void put_heading(article *a, int depth, const char *words)
{
    static const char *const latex[] = {"\\section*{", "\\subsection*{", "\\subsubsection*{"};
    static const char *const markdown[] = {"# ", "## ", "### "};
    put(a, "\n");
    put(a, a->latex ? latex[depth] : markdown[depth]);
    put_words(a, words);
    put(a, a->latex ? "}\n\n" : "\n\n");
}

static void put_strong(article *a, const char *words)
{
    put(a, a->latex ? "\\textbf{" : "**");
    put_words(a, words);
    put(a, a->latex ? "}" : "**");
}

/* Several values are separated by semicolons. */
static void put_found(article *a, const qkv_claim *claim)
{
    char part[1000];
    put(a, claim->verdict == QKV_REFUTED ? "In fact: " : "Found: ");
    for (const char *at = claim->found; *at != '\0';) {
        const char *end = strstr(at, "; ");
        const size_t length = end == NULL ? strlen(at) : (size_t)(end - at);
        snprintf(part, sizeof part, "%.*s", length < sizeof part ? (int)length : 999, at);
        if (at > claim->found) put(a, "; ");
        if (!put_formula(a, part, false)) put_code(a, part);
        at += length + (end == NULL ? 0 : 2);
    }
    put(a, ".\n");
}

static void put_step(article *a, const qkv_step *step)
{
    put(a, a->latex ? "\\item " : "1. ");
    put_words(a, step->title);
    put(a, "\n");
    for (size_t i = 0; i < step->line_count; i++) {
        put(a, a->latex ? "\n" : "\n   ");
        if (!put_formula(a, step->lines[i], false)) put_code(a, step->lines[i]);
        put(a, "\n");
    }
    put(a, "\n");
}

static void put_claim(article *a, const qkv_claim *claim)
{
    char place[64];
    snprintf(place, sizeof place, "line %d", claim->line);
    put(a, a->latex ? "\\paragraph{" : "\n### ");
    put_words(a, claim->name[0] == '\0' ? place : claim->name);
    put(a, a->latex ? "} " : "\n\n");
    put_strong(a, qkv_verdict_name(claim->verdict));
    if (claim->has_expectation)
        put(a, qkv_claim_passes(claim) ? " (as expected)" : " (not as expected)");
    put(a, a->latex ? "\n" : "\n\n");
    if (!put_formula(a, claim->claim, true)) {
        put(a, a->latex ? "\n\n\\noindent " : "");
        put_code(a, claim->claim);
        put(a, "\n");
    }
    put(a, a->latex ? "\\noindent " : "\n");
    if (claim->found[0] != '\0') put_found(a, claim);
    put_words(a, claim->reason);
    put(a, "\n");
    if (claim->step_count > 0) put(a, a->latex ? "\\begin{enumerate}\n" : "\n");
    for (size_t i = 0; i < claim->step_count; i++) put_step(a, &claim->steps[i]);
    if (claim->step_count > 0 && a->latex) put(a, "\\end{enumerate}\n");
    put(a, "\n");
}

static void put_complaints(article *a, const qkv_report *report)
{
    for (size_t i = 0; i < qkv_report_complaint_count(report); i++) {
        const qkv_complaint *c = qkv_report_complaint(report, i);
        qkv__text_format(&a->out, "\n%s %d: ", a->latex ? "\\noindent Not understood, line" : "Not understood, line",
                         c->line);
        put_words(a, c->message);
        put(a, "\n\n");
    }
}

/* ---- Articles ------------------------------------------------------------------------------- */

const char *qkv_article_begin(qkv_article kind)
{
    return kind == QKV_ARTICLE_LATEX
               ? "% Made by qkv " QKV_VERSION_TEXT "\n"
                 "\\documentclass{article}\n"
                 "\\usepackage{amsmath}\n"
                 "\\sloppy\n"
                 "\\begin{document}\n"
               : "<!-- Made by qkv " QKV_VERSION_TEXT " -->\n";
}

const char *qkv_article_end(qkv_article kind)
{
    return kind == QKV_ARTICLE_LATEX ? "\\end{document}\n" : "";
}

qkv_status qkv_article_section(qkv_article kind, const char *name, const qkv_report *report,
                               qkv_picture *section, qkv_error *error)
{
    if (name == NULL || report == NULL || section == NULL)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "name, report or section is NULL");
    article a = {.latex = kind == QKV_ARTICLE_LATEX};
    const char *problem = "";
    put_heading(&a, 0, name);
    put_complaints(&a, report);
    for (size_t i = 0; i < qkv_report_claim_count(report); i++) {
        const qkv_claim *claim = qkv_report_claim(report, i);
        if (strcmp(claim->problem, problem) != 0) put_heading(&a, 1, problem = claim->problem);
        put_claim(&a, claim);
    }
    if (a.out.failed) {
        qkv_status status = qkv__fail_memory(error, a.out.length);
        qkv__text_free(&a.out);
        return status;
    }
    *section = (qkv_picture){a.out.data, a.out.length};
    return QKV_OK;
}
