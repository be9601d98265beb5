/*
 * Text of the claim language in the signs of mathematics: words, relations and fractions, and on
 * request scripts as figures have them. Works on the text alone, so that it may stand in prose or
 * be cut off; whatever it does not know stays as it is.
 */
#include <string.h>

#include "base/error.h"
#include "figure/make.h"

typedef struct pair {
    const char *from, *to;
} pair;

static const pair letters[] = {
    {"alpha", "α"}, {"beta", "β"},  {"gamma", "γ"},  {"delta", "δ"}, {"Delta", "Δ"}, {"eps", "ε"},
    {"theta", "θ"}, {"kappa", "κ"}, {"lambda", "λ"}, {"mu", "μ"},    {"pi", "π"},    {"rho", "ρ"},
    {"sigma", "σ"}, {"Sigma", "Σ"}, {"tau", "τ"},    {"phi", "φ"},   {"omega", "ω"}, {"inf", "∞"},
};

static const pair marks[] = {{"+/-", "±"}, {"->", "→"}, {"<=", "≤"}, {">=", "≥"}, {"!=", "≠"}};

static const pair fractions[] = {
    {"1/2", "½"}, {"1/4", "¼"}, {"3/4", "¾"}, {"1/3", "⅓"}, {"2/3", "⅔"}};

/* Text that is being read: `at` moves from `start` to `end`. */
typedef struct reader {
    const char *start, *at, *end;
    bool signs, scripts; /* of formulas: minus and products; indexes and powers */
    qkv__text *out;
} reader;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_word(char c)
{
    return is_letter(c) || is_digit(c) || c == '_';
}

static char before(const reader *r)
{
    return r->at > r->start ? r->at[-1] : '\0';
}

static char ahead(const reader *r, size_t distance)
{
    return (size_t)(r->end - r->at) > distance ? r->at[distance] : '\0';
}

static void put(reader *r, const char *text)
{
    qkv__text_append(r->out, text, strlen(text));
}

static void copy(reader *r, size_t length)
{
    qkv__text_append(r->out, r->at, length);
    r->at += length;
}

static void translate(reader *r);

/* `length` bytes at `from`, without scripts, which cannot be nested. */
static void put_inside(reader *r, const char *from, size_t length)
{
    reader inside = {from, from, from + length, true, false, r->out};
    translate(&inside);
}

static void put_script(reader *r, const char *sign, const char *from, size_t length)
{
    put(r, sign);
    put_inside(r, from, length);
    put(r, "}");
}

/* Bytes between the bracket at `open` and the one that closes it; false: none, or brackets inside.
 */
static bool is_bracketed(const reader *r, const char *open, char closing, size_t *length)
{
    const char *close = open;
    while (++close < r->end && strchr("[](){}", *close) == NULL) {
    }
    *length = (size_t)(close - open) - 1;
    return close<r->end && * close == closing && * length> 0;
}

/* ---- Tokens ------------------------------------------------------------------------------ */

static const char *find_sign(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++)
        if (strlen(letters[i].from) == length && memcmp(name, letters[i].from, length) == 0)
            return letters[i].to;
    return NULL;
}

/* A name, and with scripts its index: v[a], mu_a. */
static void take_name(reader *r)
{
    size_t length = 1, inside;
    while (is_word(ahead(r, length))) length++;
    const char *line = r->scripts ? memchr(r->at, '_', length) : NULL;
    size_t stem = line == NULL ? length : (size_t)(line - r->at);
    const char *sign = stem == 0 ? NULL : find_sign(r->at, stem);
    if (sign != NULL)
        put(r, sign);
    else
        qkv__text_append(r->out, r->at, stem);
    if (stem < length) put_script(r, "_{", line + 1, length - stem - 1);
    r->at += length;
    if (r->scripts && stem == length && ahead(r, 0) == '[' &&
        is_bracketed(r, r->at, ']', &inside)) {
        put_script(r, "_{", r->at + 1, inside);
        r->at += inside + 2;
    }
}

/* Digits and an exponent, which the language writes as 1484e-7: 1.484×10^{-4}. */
static void put_power_of_ten(reader *r, size_t digits, long exponent)
{
    size_t kept = digits;
    while (kept > 1 && r->at[kept - 1] == '0') kept--;
    exponent += (long)digits - 1;
    if (kept > 1 || r->at[0] != '1') {
        qkv__text_append(r->out, r->at, 1);
        if (kept > 1) put(r, ".");
        qkv__text_append(r->out, r->at + 1, kept - 1);
        put(r, "×");
    }
    qkv__text_format(r->out, "10^{%s%ld}", exponent < 0 ? "−" : "",
                     exponent < 0 ? -exponent : exponent);
}

static void take_number(reader *r)
{
    size_t digits = 0, length;
    while (is_digit(ahead(r, digits))) digits++;
    length = digits;
    bool down = ahead(r, length + 1) == '-';
    size_t from = length + 1 + down, behind = from;
    while (is_digit(ahead(r, behind))) behind++;
    if (r->scripts && ahead(r, length) == 'e' && behind > from && behind - from < 5 &&
        before(r) != '.' && !is_word(ahead(r, behind))) {
        long exponent = 0;
        for (size_t i = from; i < behind; i++) exponent = 10 * exponent + (r->at[i] - '0');
        put_power_of_ten(r, digits, down ? -exponent : exponent);
        r->at += behind;
        return;
    }
    if (ahead(r, length) == '.' && is_digit(ahead(r, length + 1)))
        for (length++; is_digit(ahead(r, length));) length++;
    copy(r, length);
}

static bool take_fraction(reader *r)
{
    for (size_t i = 0; i < sizeof fractions / sizeof fractions[0]; i++) {
        size_t length = strlen(fractions[i].from);
        if ((size_t)(r->end - r->at) < length || memcmp(r->at, fractions[i].from, length) != 0)
            continue;
        const char last = before(r), next = ahead(r, length);
        bool more = next == '.' && is_digit(ahead(r, length + 1));
        if (is_word(last) || (last != '\0' && strchr("./^", last) != NULL) || is_word(next) ||
            next == '^' || more)
            return false;
        put(r, fractions[i].to);
        r->at += length;
        return true;
    }
    return false;
}

static bool take_mark(reader *r)
{
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        size_t length = strlen(marks[i].from);
        if ((size_t)(r->end - r->at) < length || memcmp(r->at, marks[i].from, length) != 0)
            continue;
        put(r, marks[i].to);
        r->at += length;
        return true;
    }
    return false;
}

/* "^" and a name, a number or a sum in brackets. */
static bool take_power(reader *r)
{
    size_t length = 0;
    if (ahead(r, 1) == '(') {
        if (!is_bracketed(r, r->at + 1, ')', &length)) return false;
        put_script(r, "^{", r->at + 2, length);
        r->at += length + 3;
        return true;
    }
    if (ahead(r, 1) == '-') length = 1;
    while (is_word(ahead(r, 1 + length)) ||
           (ahead(r, 1 + length) == '.' && is_digit(ahead(r, 2 + length))))
        length++;
    if (length == 0 || ahead(r, 1 + length) == '[' || ahead(r, 1 + length) == '(') return false;
    put_script(r, "^{", r->at + 1, length);
    r->at += 1 + length;
    return true;
}

/* Products, minus, inner products, and dots. */
static bool take_sign(reader *r)
{
    const char last = before(r), next = ahead(r, 1);
    if (*r->at == '*') {
        bool numbers = is_digit(last) && is_digit(next);
        put(r, numbers ? "·" : "\u2009");
    } else if (*r->at == '-' && !(is_letter(last) && is_letter(next))) {
        put(r, "−");
    } else if (*r->at == '.' && last == ']' && is_letter(next) && !is_word(ahead(r, 2))) {
        put(r, "·");
    } else if (*r->at == '.' && next == '.' && ahead(r, 2) == '.') {
        put(r, "…");
        r->at += 2;
    } else {
        return false;
    }
    r->at++;
    return true;
}

/* A text in quotes, such as the name of a file, is nobody's formula. */
static void take_quoted(reader *r)
{
    const char *close = memchr(r->at + 1, '"', (size_t)(r->end - r->at) - 1);
    copy(r, close == NULL ? 1 : (size_t)(close - r->at) + 1);
}

static void translate(reader *r)
{
    while (r->at < r->end) {
        const char c = *r->at, last = before(r);
        if (is_digit(c) && take_fraction(r)) continue;
        if (is_digit(c))
            take_number(r);
        else if (is_letter(c) && !is_word(last))
            take_name(r);
        else if (c == '"')
            take_quoted(r);
        else if (take_mark(r) || (r->scripts && c == '^' && take_power(r)) ||
                 (r->signs && take_sign(r)))
            continue;
        else
            copy(r, 1);
    }
}

void qkv__notation(qkv__text *out, const char *text, bool scripts)
{
    reader r = {text, text, text + strlen(text), scripts, scripts, out};
    qkv__text_append(out, "", 0);
    translate(&r);
}

qkv_status qkv_notation(const char *text, bool scripts, qkv_picture *words, qkv_error *error)
{
    if (text == NULL || words == NULL)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "text or words is NULL");
    qkv__text out = {0};
    qkv__notation(&out, text, scripts);
    if (out.failed) {
        qkv__text_free(&out);
        return qkv__fail_memory(error, strlen(text));
    }
    *words = (qkv_picture){out.data, out.length};
    return QKV_OK;
}
