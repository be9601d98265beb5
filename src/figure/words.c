/* Numbers and text as SVG has them: formatted without a locale, measured without a font, escaped.
 * Knows nothing of panels. */
#include <math.h>
#include <string.h>

#include "figure/part.h"

static void append(qkv__text *text, const char *string)
{
    qkv__text_append(text, string, strlen(string));
}

/* ---- Numbers ----------------------------------------------------------------------------- */

/* 10^decimals is exact; the product is rounded once, which can turn a tie of decimals at most. */
static void append_digits(qkv__text *text, double size, int decimals)
{
    unsigned long long unit = 1;
    for (int i = 0; i < decimals; i++) unit *= 10;
    unsigned long long scaled = (unsigned long long)llround(size * (double)unit);
    qkv__text_format(text, "%llu", scaled / unit);
    unsigned long long rest = scaled % unit;
    if (rest == 0) return;
    while (rest % 10 == 0) rest /= 10, decimals--;
    qkv__text_format(text, ".%0*llu", decimals, rest);
}

static bool rounds_to_zero(double value, int decimals)
{
    return fabs(value) * pow(10, decimals) < 0.5;
}

void qkv__figure_number(qkv__text *text, double value, int decimals)
{
    if (!(fabs(value) <= 1e15) || rounds_to_zero(value, decimals)) {
        append(text, "0");
        return;
    }
    while (decimals > 0 && fabs(value) * pow(10, decimals) > 9e15) decimals--;
    if (value < 0) append(text, "-");
    append_digits(text, fabs(value), decimals);
}

void qkv__figure_place(qkv__text *text, double value)
{
    qkv__figure_number(text, value, 2);
}

static void append_superscript(qkv__text *text, int exponent)
{
    static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char plain[8];
    int size = exponent < 0 ? -exponent : exponent, length = 0;
    if (exponent < 0) append(text, "⁻");
    do plain[length++] = (char)(size % 10);
    while ((size /= 10) > 0 && length < 8);
    while (length > 0) append(text, digits[(int)plain[--length]]);
}

/* mantissa * 10^exponent; 10^exponent alone where the mantissa is 1. */
static void append_power(qkv__text *text, double value, int decimals)
{
    int exponent = (int)floor(log10(value) + 1e-9);
    double mantissa = value / pow(10, exponent);
    int digits = decimals + exponent;
    digits = digits < 0 ? 0 : digits > 6 ? 6 : digits;
    if (!rounds_to_zero(mantissa - 1, digits)) {
        qkv__figure_number(text, mantissa, digits);
        append(text, "×");
    }
    append(text, "10");
    append_superscript(text, exponent);
}

void qkv__figure_label(qkv__text *text, double value, int decimals)
{
    double size = fabs(value);
    if (!isfinite(value)) {
        append(text, isnan(value) ? "NaN" : value < 0 ? "−∞" : "∞");
        return;
    }
    if (value < 0 && !rounds_to_zero(value, decimals)) append(text, "−");
    if (size >= 1e6 || (decimals > 5 && size > 0 && !rounds_to_zero(value, decimals)))
        append_power(text, size, decimals);
    else
        qkv__figure_number(text, size, decimals < 0 ? 0 : decimals);
}

/* ---- Characters -------------------------------------------------------------------------- */

/* The character at s and its bytes; U+FFFD and 1 for what is not UTF-8, or not allowed in XML. */
static unsigned long next_character(const char *s, size_t *bytes)
{
    const unsigned char *u = (const unsigned char *)s;
    size_t length = u[0] < 0x80 ? 1 : u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : 4;
    char piece[5] = {0};
    for (size_t i = 0; i < length && (i == 0 || s[i - 1] != '\0'); i++) piece[i] = s[i];
    *bytes = 1;
    if (!qkv__text_is_utf8(piece) || strlen(piece) != length) return 0xfffd;
    unsigned long c = length == 1 ? u[0] : u[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) c = c << 6 | (u[i] & 0x3fu);
    *bytes = length;
    bool control = c < 0x20 && c != '\t' && c != '\n';
    return control || c == 0x7f || c == 0xfffe || c == 0xffff ? 0xfffd : c;
}

static void append_escaped(qkv__text *text, const char *string, size_t length)
{
    for (size_t i = 0, bytes; i < length; i += bytes) {
        unsigned long c = next_character(string + i, &bytes);
        switch (c) {
        case '&': append(text, "&amp;"); break;
        case '<': append(text, "&lt;"); break;
        case '>': append(text, "&gt;"); break;
        case '"': append(text, "&quot;"); break;
        case '\t':
        case '\n': append(text, " "); break;
        case 0xfffd: append(text, "\xef\xbf\xbd"); break;
        default: qkv__text_append(text, string + i, bytes);
        }
    }
}

void qkv__figure_escape(qkv__text *text, const char *string)
{
    append_escaped(text, string, strlen(string));
}

/* Whether a subscript or a power begins at s, which has `length` bytes left: then how many are
 * inside. */
static bool at_script(const char *s, size_t length, size_t *inside)
{
    if (length < 3 || (s[0] != '_' && s[0] != '^') || s[1] != '{') return false;
    const char *end = memchr(s + 2, '}', length - 2);
    if (end == NULL) return false;
    *inside = (size_t)(end - s) - 2;
    return true;
}

void qkv__figure_plain(qkv__text *text, const char *string)
{
    size_t length = strlen(string), inside;
    for (size_t i = 0; i < length;) {
        if (at_script(string + i, length - i, &inside)) {
            qkv__text_append(text, string + i, 1);
            append_escaped(text, string + i + 2, inside);
            i += inside + 3;
        } else {
            size_t bytes;
            next_character(string + i, &bytes);
            append_escaped(text, string + i, bytes);
            i += bytes;
        }
    }
}

/* ---- Widths ------------------------------------------------------------------------------ */

/* Of an em, in DejaVu Sans, one of the widest fonts that a reader may have. */
static double character_width(unsigned long c)
{
    if (c < 0x80) {
        if (strchr("iljI.,:;'|! ", (int)c) != NULL) return 0.33;
        if (strchr("frt()[]{}/\\-\"", (int)c) != NULL) return 0.41;
        if (strchr("mWM@%", (int)c) != NULL) return 0.96;
        if (strchr("w+<=>~", (int)c) != NULL) return 0.84;
        return c >= 'A' && c <= 'Z' ? 0.7 : 0.62;
    }
    if (c >= 0x300 && c < 0x370) return 0; /* combining */
    if (c == 0x2009) return 0.2;           /* a thin space */
    if (c >= 0x2e80) return 1;             /* the scripts of East Asia, and pictures */
    return c >= 0x2070 && c < 0x20a0 ? 0.42 : 0.66;
}

double qkv__figure_measure(const char *string, size_t length, double size, bool markup)
{
    double width = 0;
    size_t inside, bytes;
    for (size_t i = 0; i < length;) {
        if (markup && at_script(string + i, length - i, &inside)) {
            width += qkv__figure_measure(string + i + 2, inside, 0.75 * size, false);
            i += inside + 3;
        } else {
            width += size * character_width(next_character(string + i, &bytes));
            i += bytes;
        }
    }
    return width;
}

size_t qkv__figure_break(const char *string, double size, double width, const char **next)
{
    size_t end = 0; /* of the last word that fits */
    for (size_t i = 0;; i++) {
        if (string[i] != ' ' && string[i] != '\n' && string[i] != '\0') continue;
        if (end > 0 && qkv__figure_measure(string, i, size, true) > width) break;
        end = i;
        if (string[i] == '\0' || string[i] == '\n') break;
    }
    *next = string + end;
    while (**next == ' ') (*next)++;
    if (string[end] == '\n') *next = string + end + 1;
    return end;
}

size_t qkv__figure_lines(const char *string, double size, double width)
{
    size_t lines = 0;
    while (string != NULL && *string != '\0') {
        qkv__figure_break(string, size, width, &string);
        lines++;
    }
    return lines;
}

/* ---- <text> ------------------------------------------------------------------------------ */

/* A piece of text at a height above or below the line, where the piece before it was at another. */
static void append_lifted(qkv__text *text, double from, double to, bool small, const char *string,
                          size_t length)
{
    const bool plain = from == to && !small;
    if (!plain) {
        append(text, "<tspan dy=\"");
        qkv__figure_place(text, to - from);
        append(text, small ? "\" font-size=\"75%\">" : "\">");
    }
    append_escaped(text, string, length);
    if (!plain) append(text, "</tspan>");
}

/* Scripts are smaller, and lower or higher; the text behind them is on the line again. */
static void append_marked_up(qkv__text *text, const char *string, size_t length, double size)
{
    size_t inside;
    double at = 0;
    for (size_t i = 0; i < length;) {
        if (at_script(string + i, length - i, &inside)) {
            double to = string[i] == '_' ? 0.22 * size : -0.38 * size;
            append_lifted(text, at, to, true, string + i + 2, inside);
            at = to;
            i += inside + 3;
            continue;
        }
        size_t end = i + 1;
        while (end < length && !at_script(string + end, length - end, &inside)) end++;
        append_lifted(text, at, 0, false, string + i, end - i);
        at = 0;
        i = end;
    }
}

static void append_attribute(qkv__text *text, const char *name, double value)
{
    qkv__text_format(text, " %s=\"", name);
    qkv__figure_place(text, value);
    append(text, "\"");
}

void qkv__figure_words(qkv__text *text, const qkv__word_style *words, const char *background,
                       const char *string, size_t length)
{
    append(text, "<text");
    append_attribute(text, "x", words->x);
    append_attribute(text, "y", words->y);
    if (words->size != QKV__SIZE_TEXT) append_attribute(text, "font-size", words->size);
    if (words->anchor == QKV_ANCHOR_MIDDLE) append(text, " text-anchor=\"middle\"");
    if (words->anchor == QKV_ANCHOR_END) append(text, " text-anchor=\"end\"");
    if (words->bold) append(text, " font-weight=\"bold\"");
    qkv__text_format(text, " fill=\"%s\"", words->colour);
    if (background != NULL)
        qkv__text_format(text,
                         " stroke=\"%s\" stroke-width=\"3\" stroke-linejoin=\"round\" "
                         "paint-order=\"stroke\"",
                         background);
    if (words->turn != 0) {
        append(text, " transform=\"rotate(");
        qkv__figure_place(text, words->turn);
        append(text, " ");
        qkv__figure_place(text, words->x);
        append(text, " ");
        qkv__figure_place(text, words->y);
        append(text, ")\"");
    }
    append(text, ">");
    if (words->markup)
        append_marked_up(text, string, length, words->size);
    else
        append_escaped(text, string, length);
    append(text, "</text>\n");
}
