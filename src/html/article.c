/* Reports as LaTeX and Markdown: claims typeset, verdicts, derivations. Knows the public report;
 * what came from a document goes through qkv__article_words, everywhere. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <qkv/version.h>

#include "base/error.h"
#include "figure/make.h"
#include "html/article.h"
#include "html/part.h"
#include "language/write.h"

/* ---- Words ---------------------------------------------------------------------------------- */

/* Characters that LaTeX takes for commands, and signs that its plain fonts do not have. */
static const struct {
    const char *sign, *latex;
} replaced[] = {
    {"<=", "$\\le$"},
    {">=", "$\\ge$"},
    {"->", "$\\to$"},
    {"!=", "$\\ne$"},
    {"\\", "\\textbackslash{}"},
    {"{", "\\{"},
    {"}", "\\}"},
    {"$", "\\$"},
    {"&", "\\&"},
    {"#", "\\#"},
    {"_", "\\_"},
    {"%", "\\%"},
    {"^", "\\^{}"},
    {"~", "\\~{}"},
    {"<", "$<$"},
    {">", "$>$"},
    {"|", "$|$"},
    {"β", "$\\beta$"},
    {"α", "$\\alpha$"},
    {"σ", "$\\sigma$"},
    {"Δ", "$\\Delta$"},
    {"μ", "$\\mu$"},
    {"→", "$\\to$"},
    {"≤", "$\\le$"},
    {"≥", "$\\ge$"},
    {"≈", "$\\approx$"},
    {"∞", "$\\infty$"},
    {"×", "$\\times$"},
    {"·", "$\\cdot$"},
    {"−", "$-$"},
    {"½", "$\\frac12$"},
    {"…", "\\ldots{}"},
    {"γ", "$\\gamma$"},
    {"δ", "$\\delta$"},
    {"ε", "$\\varepsilon$"},
    {"θ", "$\\theta$"},
    {"κ", "$\\kappa$"},
    {"λ", "$\\lambda$"},
    {"π", "$\\pi$"},
    {"ρ", "$\\rho$"},
    {"Σ", "$\\Sigma$"},
    {"τ", "$\\tau$"},
    {"φ", "$\\varphi$"},
    {"ω", "$\\omega$"},
    {"±", "$\\pm$"},
    {"≠", "$\\ne$"},
    {"¼", "$\\frac14$"},
    {"¾", "$\\frac34$"},
    {"⅓", "$\\frac13$"},
    {"⅔", "$\\frac23$"},
    {"∈", "$\\in$"},
    {"√", "$\\surd$"},
    {"²", "$^2$"},
    {"³", "$^3$"},
    {"₁", "$_1$"},
    {"₂", "$_2$"},
    {"₃", "$_3$"},
    {"‖", "$\\|$"},
    {"⊤", "$^\\top$"},
    {"⁰", "$^0$"},
    {"\u2009", "\\,"},
    {"\u00a0", "~"},
    {"✓", "$\\surd$"},
    {"✗", "$\\times$"},
};

void qkv__article_put(qkv__article *a, const char *text)
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

/* ASCII, letters with accents, quotes and dashes, which LaTeX has by itself. */
static bool is_plain(const char *text, size_t length)
{
    const unsigned char first = (unsigned char)text[0], next = (unsigned char)text[length > 1];
    if (length == 1) return (first >= ' ' && first != 0x7f) || first == '\n';
    if (length == 2) return first == 0xc3 || first == 0xc4 || first == 0xc5;
    return length == 3 && first == 0xe2 && next == 0x80 && (unsigned char)text[2] >= 0x93 &&
           (unsigned char)text[2] <= 0x9d;
}

static void put_latex_words(qkv__article *a, const char *text)
{
    size_t length;
    for (; *text != '\0'; text += length) {
        const char *other = find_replaced(text, &length);
        if (other != NULL) {
            qkv__article_put(a, other);
            continue;
        }
        length = qkv__utf8_length(text, strlen(text));
        if (is_plain(text, length))
            qkv__text_append(&a->out, text, length);
        else
            qkv__article_put(
                a, (unsigned char)*text < 0x80 ? " " : "?"); /* no plain font has everything */
        if (length == 0) length = 1;
    }
}

/* Backslashes keep Markdown from reading signs as its own. */
static void put_markdown_words(qkv__article *a, const char *text)
{
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        if (strchr("\\`*_{}[]<>#|$~&", c) != NULL) qkv__article_put(a, "\\");
        if (c < ' ' || c == 0x7f)
            qkv__article_put(a, " ");
        else
            qkv__text_append(&a->out, text, 1);
    }
}

void qkv__article_words(qkv__article *a, const char *text)
{
    if (a->latex)
        put_latex_words(a, text);
    else
        put_markdown_words(a, text);
}

/* Sentences about formulas: signs, subscripts and powers. */
static void put_prose(qkv__article *a, const char *text)
{
    qkv__text words = {0}, piece = {0};
    qkv__notation(&words, text, true);
    for (const char *at = words.data; *at != '\0';) {
        size_t length = strcspn(at, "_^");
        const char *close =
            at[length] != '\0' && at[length + 1] == '{' ? strchr(at + length, '}') : NULL;
        if (close == NULL) length += at[length] != '\0';
        qkv__text_append(&piece, at, length);
        qkv__article_words(a, piece.data);
        piece.length = 0;
        at += length;
        if (close == NULL) continue;
        qkv__text_append(&piece, at + 2, (size_t)(close - at) - 2);
        if (a->latex)
            qkv__text_format(&a->out, "$%c{\\text{", *at);
        else
            qkv__article_put(a, *at == '_' ? "<sub>" : "<sup>");
        qkv__article_words(a, piece.data);
        qkv__article_put(a, a->latex ? "}}$" : *at == '_' ? "</sub>" : "</sup>");
        piece.length = 0;
        at = close + 1;
    }
    a->out.failed = a->out.failed || words.failed || piece.failed;
    qkv__text_free(&words);
    qkv__text_free(&piece);
}

/* Lines of the language that cannot be typeset stay as they are, in a type of even width. */
static void put_code(qkv__article *a, const char *text)
{
    qkv__article_put(a, a->latex ? "\\texttt{" : "`` ");
    if (a->latex)
        put_latex_words(a, text);
    else
        for (; *text != '\0'; text++)
            qkv__article_put(a, *text == '`'                 ? "'"
                                : (unsigned char)*text < ' ' ? " "
                                                             : (char[]){*text, '\0'});
    qkv__article_put(a, a->latex ? "}" : " ``");
}

static bool put_formula(qkv__article *a, const char *source, bool display)
{
    qkv__text latex = {0};
    const bool good = qkv__typeset(source, &latex) && !latex.failed;
    const char *const marks[2][2] = {{"$", "$"}, {"$$", "$$"}};
    if (good && a->latex && display) {
        qkv__article_put(a, "\\[ ");
        qkv__article_put(a, latex.data);
        qkv__article_put(a, " \\]\n");
    } else if (good) {
        qkv__article_put(a, marks[display][0]);
        qkv__article_put(a, latex.data);
        qkv__article_put(a, marks[display][1]);
    }
    a->out.failed = a->out.failed || latex.failed;
    qkv__text_free(&latex);
    return good;
}

/* ---- Claims --------------------------------------------------------------------------------- */

static void put_heading(qkv__article *a, int depth, const char *words)
{
    static const char *const latex[] = {"\\section*{", "\\subsection*{", "\\subsubsection*{"};
    static const char *const markdown[] = {"# ", "## ", "### "};
    qkv__article_put(a, "\n");
    qkv__article_put(a, a->latex ? latex[depth] : markdown[depth]);
    qkv__article_words(a, words);
    qkv__article_put(a, a->latex ? "}\n\n" : "\n\n");
}

static void put_strong(qkv__article *a, const char *words)
{
    qkv__article_put(a, a->latex ? "\\textbf{" : "**");
    qkv__article_words(a, words);
    qkv__article_put(a, a->latex ? "}" : "**");
}

/* Several values are separated by semicolons. */
static void put_found(qkv__article *a, const qkv_claim *claim)
{
    char part[1000];
    qkv__article_put(a, claim->verdict == QKV_REFUTED ? "In fact: " : "Found: ");
    for (const char *at = claim->found; *at != '\0';) {
        const char *end = strstr(at, "; ");
        const size_t length = end == NULL ? strlen(at) : (size_t)(end - at);
        snprintf(part, sizeof part, "%.*s", length < sizeof part ? (int)length : 999, at);
        if (at > claim->found) qkv__article_put(a, "; ");
        if (!put_formula(a, part, false)) put_code(a, part);
        at += length + (end == NULL ? 0 : 2);
    }
    qkv__article_put(a, ".\n");
}

static void put_step(qkv__article *a, const qkv_step *step)
{
    qkv__article_put(a, a->latex ? "\\item " : "1. ");
    put_prose(a, step->title);
    qkv__article_put(a, "\n");
    for (size_t i = 0; i < step->line_count; i++) {
        qkv__article_put(a, a->latex ? "\n" : "\n   ");
        if (!put_formula(a, step->lines[i], false)) put_code(a, step->lines[i]);
        qkv__article_put(a, "\n");
    }
    qkv__article_put(a, "\n");
}

void qkv__article_claim(qkv__article *a, const qkv_claim *claim)
{
    char place[64];
    snprintf(place, sizeof place, "line %d", claim->line);
    qkv__article_put(a, a->latex ? "\\paragraph{" : "\n**");
    qkv__article_words(a, claim->name[0] == '\0' ? place : claim->name);
    qkv__article_put(a, a->latex ? "} " : "** ");
    put_strong(a, qkv_verdict_name(claim->verdict));
    if (claim->has_expectation)
        qkv__article_put(a, qkv_claim_passes(claim) ? " (as expected)" : " (not as expected)");
    qkv__article_put(a, a->latex ? "\n" : "\n\n");
    if (!put_formula(a, claim->claim, true)) {
        qkv__article_put(a, a->latex ? "\n\n\\noindent " : "");
        put_code(a, claim->claim);
        qkv__article_put(a, "\n");
    }
    qkv__article_put(a, a->latex ? "\\noindent " : "\n");
    if (claim->found[0] != '\0') put_found(a, claim);
    put_prose(a, claim->reason);
    qkv__article_put(a, "\n");
    if (claim->step_count > 0) qkv__article_put(a, a->latex ? "\\begin{enumerate}\n" : "\n");
    for (size_t i = 0; i < claim->step_count; i++) put_step(a, &claim->steps[i]);
    if (claim->step_count > 0 && a->latex) qkv__article_put(a, "\\end{enumerate}\n");
    qkv__article_put(a, "\n");
}

void qkv__article_complaints(qkv__article *a, const qkv_report *report, int first, int last)
{
    for (size_t i = 0; i < qkv_report_complaint_count(report); i++) {
        const qkv_complaint *c = qkv_report_complaint(report, i);
        if (c->line < first || c->line > last) continue;
        qkv__text_format(&a->out, "\n%s %d: ",
                         a->latex ? "\\noindent Not understood, line" : "Not understood, line",
                         c->line);
        qkv__article_words(a, c->message);
        qkv__article_put(a, "\n\n");
    }
}

/* ---- Articles ------------------------------------------------------------------------------- */

const char *qkv_article_begin(qkv_article kind)
{
    return kind == QKV_ARTICLE_LATEX ? "% Made by qkv " QKV_VERSION_TEXT "\n"
                                       "\\documentclass{article}\n"
                                       "\\usepackage{amsmath}\n"
                                       "\\DeclareMathOperator{\\softmax}{softmax}\n"
                                       "\\sloppy\n"
                                       "\\begin{document}\n"
                                     : "<!-- Made by qkv " QKV_VERSION_TEXT " -->\n";
}

const char *qkv_article_end(qkv_article kind)
{
    return kind == QKV_ARTICLE_LATEX ? "\\end{document}\n" : "";
}

/* Claims without the text around them. */
static void put_claims(qkv__article *a, const char *name, const qkv_report *report)
{
    const char *problem = "";
    put_heading(a, 0, name);
    qkv__article_complaints(a, report, 0, INT_MAX);
    for (size_t i = 0; i < qkv_report_claim_count(report); i++) {
        const qkv_claim *claim = qkv_report_claim(report, i);
        if (strcmp(claim->problem, problem) != 0) put_heading(a, 1, problem = claim->problem);
        qkv__article_claim(a, claim);
    }
}

qkv_status qkv_article_section(qkv_article kind, const char *name, const char *text, size_t length,
                               const qkv_report *report, qkv_picture *section, qkv_error *error)
{
    if (name == NULL || report == NULL || section == NULL)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "name, report or section is NULL");
    qkv__article a = {.latex = kind == QKV_ARTICLE_LATEX};
    if (text != NULL && qkv_is_markdown(name, text, length))
        qkv__article_text(&a, report, text, length);
    else
        put_claims(&a, name, report);
    if (a.out.failed) {
        qkv_status status = qkv__fail_memory(error, a.out.length);
        qkv__text_free(&a.out);
        return status;
    }
    *section = (qkv_picture){a.out.data, a.out.length};
    return QKV_OK;
}
