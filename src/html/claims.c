/* A claim as a card: source, verdict, what is true, figure, derivation. Knows the public report. */
#include <string.h>

#include <qkv/plot.h>

#include "figure/make.h"
#include "html/part.h"

void qkv__html_escape(qkv__text *text, const char *string)
{
    qkv__text_markup(text, string, strlen(string));
}

void qkv__html_prose(qkv__text *out, const char *text)
{
    qkv__text words = {0};
    qkv__notation(&words, text, true);
    for (const char *at = words.data; *at != '\0';) {
        size_t length = strcspn(at, "_^");
        const char *close =
            at[length] != '\0' && at[length + 1] == '{' ? strchr(at + length, '}') : NULL;
        if (close == NULL) {
            length += at[length] != '\0';
            qkv__text_markup(out, at, length);
            at += length;
            continue;
        }
        const char *element = at[length] == '_' ? "sub" : "sup";
        qkv__text_markup(out, at, length);
        at += length + 2;
        qkv__text_format(out, "<%s>", element);
        qkv__text_markup(out, at, (size_t)(close - at));
        qkv__text_format(out, "</%s>", element);
        at = close + 1;
    }
    out->failed = out->failed || words.failed;
    qkv__text_free(&words);
}

void qkv__html_formula(qkv__text *out, const char *line)
{
    if (qkv__html_typeset(out, line, false, true)) return;
    qkv__text_format(out, "<code>");
    qkv__html_escape(out, line);
    qkv__text_format(out, "</code>");
}

/* ---- Words ------------------------------------------------------------------------------- */

const char *qkv__html_verdict(qkv_verdict verdict)
{
    switch (verdict) {
    case QKV_PROVED: return "✓ proved";
    case QKV_REFUTED: return "✗ refuted";
    case QKV_SUPPORTED: return "≈ supported";
    case QKV_UNDECIDED: break;
    }
    return "? undecided";
}

const char *qkv__html_standing(const qkv_claim *claim)
{
    if (qkv_claim_passes(claim)) return "as expected";
    if (claim->has_expectation) return "not as expected";
    return claim->verdict == QKV_REFUTED ? "a mistake" : "open";
}

static const char *engine_words(const char *engine)
{
    if (strcmp(engine, "exact") == 0) return "exact algebra";
    if (strcmp(engine, "ball") == 0) return "rigorous enclosures";
    if (strcmp(engine, "search") == 0) return "a search for counterexamples";
    if (strcmp(engine, "sample") == 0) return "samples";
    return engine;
}

/* ---- Parts of a card --------------------------------------------------------------------- */

static void put_head(qkv__html_document *d, size_t index, const qkv_claim *claim)
{
    qkv__text *out = &d->html->body;
    bool passes = qkv_claim_passes(claim);
    qkv__text_format(out, "<article class=\"claim %s%s\" id=\"d%zu-c%zu\">\n<header>",
                     qkv_verdict_name(claim->verdict), passes ? "" : " amiss", d->number,
                     index + 1);
    qkv__text_format(out,
                     "<span class=\"verdict\">%s</span> <a class=\"label\" href=\"#d%zu-c%zu\">",
                     qkv__html_verdict(claim->verdict), d->number, index + 1);
    qkv__html_escape(out, claim->name[0] == '\0' ? "claim" : claim->name);
    qkv__text_format(out, "</a> <span class=\"standing\">%s", qkv__html_standing(claim));
    if (!passes && claim->has_expectation)
        qkv__text_format(out, ": expected %s", qkv_verdict_name(claim->expected));
    qkv__text_format(out, "</span> <span class=\"line\">line %d</span></header>\n", claim->line);
}

/* Several values are separated by semicolons. */
void qkv__html_found(qkv__text *out, const char *found)
{
    char part[1000];
    for (const char *at = found; *at != '\0';) {
        const char *end = strstr(at, "; ");
        const size_t length = end == NULL ? strlen(at) : (size_t)(end - at);
        if (at > found) qkv__text_format(out, "; ");
        const bool fits = length < sizeof part;
        if (fits) memcpy(part, at, length), part[length] = '\0';
        if (!fits || !qkv__html_typeset(out, part, false, true)) {
            qkv__text_format(out, "<code>");
            qkv__text_markup(out, at, length);
            qkv__text_format(out, "</code>");
        }
        at += length + (end == NULL ? 0 : 2);
    }
}

static void put_finding(qkv__text *out, const qkv_claim *claim)
{
    if (claim->found[0] != '\0') {
        qkv__text_format(out, "<p class=\"found\"><span class=\"what\">%s</span> ",
                         claim->verdict == QKV_REFUTED ? "In fact" : "Found");
        qkv__html_found(out, claim->found);
        qkv__text_format(out, "</p>\n");
    }
    if (claim->reason[0] != '\0') {
        qkv__text_format(out, "<p class=\"reason\">");
        qkv__html_prose(out, claim->reason);
        qkv__text_format(out, "</p>\n");
    }
}

enum { WIDEST_FORMULA = 120 };

static void put_step(qkv__text *out, const qkv_step *step)
{
    qkv__text_format(out, "<li><span class=\"step\">");
    qkv__html_prose(out, step->title);
    qkv__text_format(out, "</span>");
    bool open = false; /* within <pre> */
    for (size_t i = 0; i < step->line_count; i++) {
        qkv__text formula = {0};
        /* A formula that is wider than any page is no easier to read than its text. */
        const bool typeset = strlen(step->lines[i]) <= WIDEST_FORMULA &&
                             qkv__html_typeset(&formula, step->lines[i], false, false);
        if (typeset && open) qkv__text_format(out, "</pre>");
        if (typeset) {
            qkv__text_format(out, "<div class=\"typeset\">");
            qkv__text_append(out, formula.data, formula.length);
            qkv__text_format(out, "</div>");
        } else {
            qkv__text_format(out, "%s", open ? "\n" : "<pre>");
            qkv__html_escape(out, step->lines[i]);
        }
        open = !typeset;
        out->failed = out->failed || formula.failed;
        qkv__text_free(&formula);
    }
    qkv__text_format(out, "%s</li>\n", open ? "</pre>" : "");
}

/* The first step repeats what is given and the last one the verdict, which both stand above. */
static void put_steps(qkv__text *out, const qkv_claim *claim)
{
    const qkv_step *steps = claim->steps;
    size_t count = claim->step_count;
    if (count > 0 && strncmp(steps[count - 1].title, "Verdict: ", 9) == 0) count--;
    if (count > 0 && strcmp(steps[0].title, "Given") == 0) steps++, count--;
    if (count == 0) return;
    qkv__text_format(out, "<details><summary>Derivation <span>%zu step%s", count,
                     count == 1 ? "" : "s");
    if (claim->engine[0] != '\0') {
        qkv__text_format(out, ", decided by ");
        qkv__html_escape(out, engine_words(claim->engine));
    }
    qkv__text_format(out, "</span></summary>\n<ol>\n");
    for (size_t i = 0; i < count; i++) put_step(out, &steps[i]);
    qkv__text_format(out, "</ol></details>\n");
}

/* ---- Figures ----------------------------------------------------------------------------- */

/* The picture of a claim as SVG; data is NULL where the claim has none, or it failed. */
static qkv_picture draw(qkv__html_document *d, const qkv_claim *claim)
{
    qkv_picture picture = {.data = NULL};
    qkv_figure *figure = NULL;
    qkv_plot_options options = qkv_plot_default();
    options.width = 640;
    options.title = ""; /* the claim stands above */
    if (claim->scene == NULL || d->status != QKV_OK) return picture;
    d->status = qkv_plot_claim(&options, claim, &figure, &d->error);
    if (d->status == QKV_OK)
        d->status = qkv_figure_render(figure, QKV_PICTURE_SVG, 0, &picture, &d->error);
    qkv_figure_free(&figure);
    return d->status == QKV_OK ? picture : (qkv_picture){.data = NULL};
}

/* FNV-1a over the bytes; with the length, enough to know a picture again among a thousand. */
static uint64_t sum_bytes(const qkv_picture *picture)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < picture->length; i++)
        sum = (sum ^ (unsigned char)picture->data[i]) * UINT64_C(0x100000001b3);
    return sum;
}

/* The claim with the same picture, or the claim itself, whose picture is then remembered. */
static size_t owner_of(qkv__html_document *d, const qkv_picture *picture, size_t claim)
{
    qkv__html_figure figure = {sum_bytes(picture), picture->length, claim};
    for (size_t i = 0; i < d->figure_count; i++)
        if (d->figure[i].sum == figure.sum && d->figure[i].length == figure.length)
            return d->figure[i].claim;
    if (d->figure_count < QKV__HTML_FIGURES) d->figure[d->figure_count++] = figure;
    return claim;
}

/* The SVG from `begin` to `end` is left out. */
static const char *skip(qkv__text *out, const char *at, const char *begin, const char *end)
{
    const char *from = strstr(at, begin),
               *to = from == NULL ? NULL : strstr(from + strlen(begin), end);
    if (to == NULL) return at;
    qkv__text_append(out, at, (size_t)(from - at));
    return to + strlen(end);
}

/* Within the page a figure has the page's font and ground, and its claim for a name. */
static void put_svg(qkv__text *out, const char *svg, const qkv_claim *claim)
{
    const char *tag = "<svg ";
    if (strncmp(svg, tag, strlen(tag)) == 0) {
        qkv__text_format(out, "<svg aria-label=\"Figure of the claim on line %d\" ", claim->line);
        svg += strlen(tag);
    }
    svg = skip(out, svg, " font-family=\"", "\"");
    svg = skip(out, svg, "<rect width=\"100%\" height=\"100%\"", "/>\n");
    qkv__text_append(out, svg, strlen(svg));
}

bool qkv__html_draw(qkv__html_document *d, const qkv_claim *claim)
{
    qkv__text *out = &d->html->body;
    qkv_picture picture = draw(d, claim);
    if (picture.data == NULL) return false;
    qkv__text_format(out, "<figure>\n");
    put_svg(out, picture.data, claim);
    qkv__text_format(out, "</figure>\n");
    qkv_picture_free(&picture);
    return true;
}

static void put_figure(qkv__html_document *d, size_t index, const qkv_claim *claim)
{
    qkv__text *out = &d->html->body;
    qkv_picture picture = draw(d, claim);
    if (picture.data == NULL) return;
    size_t owner = owner_of(d, &picture, index);
    if (owner != index) {
        const char *name = qkv_report_claim(d->report, owner)->name;
        qkv__text_format(out, "<p class=\"again\">Figure: that of <a href=\"#d%zu-c%zu\">",
                         d->number, owner + 1);
        qkv__html_escape(out, name[0] == '\0' ? "the claim above" : name);
        qkv__text_format(out, "</a></p>\n");
    } else {
        qkv__text_format(out, "<figure>\n");
        put_svg(out, picture.data, claim);
        qkv__text_format(out, "</figure>\n");
    }
    qkv_picture_free(&picture);
}

/* ---- The lists at the top ---------------------------------------------------------------- */

void qkv__html_note_open(qkv__html_document *d, size_t index, const qkv_claim *claim)
{
    qkv__text *open = &d->html->open;
    qkv__text_format(open, "<li class=\"%s\"><a href=\"#d%zu-c%zu\">",
                     qkv_verdict_name(claim->verdict), d->number, index + 1);
    qkv__html_escape(open, claim->name[0] == '\0' ? "claim" : claim->name);
    qkv__text_format(open, "</a> <span class=\"verdict\">%s</span> <span class=\"line\">",
                     qkv__html_verdict(claim->verdict));
    qkv__html_escape(open, d->name);
    qkv__text_format(open, ", line %d</span></li>\n", claim->line);
    d->html->open_count++;
}

void qkv__html_claim(qkv__html_document *d, size_t index, const char *source, size_t length)
{
    qkv__text *out = &d->html->body;
    const qkv_claim *claim = qkv_report_claim(d->report, index);
    d->placed[index] = true;
    put_head(d, index, claim);
    const size_t before = out->length;
    qkv__text_format(out, "<div class=\"typeset\">");
    if (qkv__html_typeset(out, claim->claim, true, true))
        qkv__text_format(out, "</div>\n");
    else if (!out->failed)
        out->data[out->length = before] = '\0';
    if (length > 0) {
        qkv__text_format(out, "<pre class=\"source\"><code>");
        qkv__text_append(out, source, length);
        qkv__text_format(out, "</code></pre>\n");
    }
    put_finding(out, claim);
    put_figure(d, index, claim);
    put_steps(out, claim);
    qkv__text_format(out, "</article>\n");
    if (!qkv_claim_passes(claim)) qkv__html_note_open(d, index, claim);
}

void qkv__html_complaint(qkv__html_document *d, size_t index)
{
    qkv__text *out = &d->html->body, *open = &d->html->open;
    const qkv_complaint *c = qkv_report_complaint(d->report, index);
    d->placed[qkv_report_claim_count(d->report) + index] = true;
    qkv__text_format(out, "<aside class=\"complaint\" id=\"d%zu-m%zu\"><p>", d->number, index + 1);
    qkv__text_format(out, "<span class=\"verdict\">! not understood</span> line %d, column %d: ",
                     c->line, c->column);
    qkv__html_escape(out, c->message);
    qkv__text_format(out, "</p><pre><code>");
    qkv__html_escape(out, c->text);
    qkv__text_format(out, "\n%*s^</code></pre></aside>\n", c->caret > 0 ? c->caret - 1 : 0, "");
    qkv__text_format(open, "<li class=\"complaint\"><a href=\"#d%zu-m%zu\">", d->number, index + 1);
    qkv__html_escape(open, c->message);
    qkv__text_format(open, "</a> <span class=\"verdict\">! not understood</span> "
                           "<span class=\"line\">");
    qkv__html_escape(open, d->name);
    qkv__text_format(open, ", line %d</span></li>\n", c->line);
    d->html->open_count++;
}
