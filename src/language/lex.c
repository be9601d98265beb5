/*
 * The lexer of the claim language: bytes to tokens, and lines to statements. Knows how numbers and
 * names are spelt, in ASCII and with the signs of mathematics, and which lines belong together.
 * Knows nothing of what a statement says, and never gives up: what is no token of the language
 * becomes an ERROR token with the reason, and reading goes on behind it.
 */
#include "language/token.h"

#include <assert.h>
#include <string.h>

#include "language/builtin.h"
#include "language/latex.h"
#include "language/signs.h"

static const char *const statement_words[] = {
    "problem", "given",  "keys",        "values", "means",  "vectors", "vector",
    "matrix",  "scalar", "permutation", "pick",   "assume", "claim",   "find",
    "law",     "as",     "at",          "for",    NULL};
const char *const qkv__condition_words[] = {"as", "for", "at", "within", "given", "expect", NULL};
const char *const qkv__reserved_words[] = {"and", "or",   "not", "in", "implies",
                                           "iff", "with", "for", NULL};

bool qkv__token_is(const qkv__token *token, const char *word)
{
    return token->kind == QKV__TOKEN_NAME && token->length == strlen(word) &&
           memcmp(token->text, word, token->length) == 0;
}

bool qkv__token_among(const qkv__token *token, const char *const *words)
{
    while (*words != NULL && !qkv__token_is(token, *words)) words++;
    return *words != NULL;
}

/* ---- Characters --------------------------------------------------------------------------- */

/* RFC 3629's table of byte ranges: no surrogates, no long forms, nothing above U+10FFFF. */
size_t qkv__decode(const char *bytes, size_t count, unsigned *code)
{
    const unsigned char *s = (const unsigned char *)bytes;
    size_t length = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    if (length == 0 || length > count || s[0] > 0xf4) return 0;
    *code = length == 1 ? s[0] : s[0] & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80) return 0;
        *code = *code << 6 | (s[i] & 0x3fu);
    }
    bool surrogate = *code >= 0xd800 && *code <= 0xdfff;
    bool long_form = (length == 3 && *code < 0x800) || (length == 4 && *code < 0x10000);
    return surrogate || long_form || *code > 0x10ffff ? 0 : length;
}

static bool is_letter(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

/* The sign at an offset and its length in bytes; NULL for anything else. */
static const qkv__sign_token *sign_at(const qkv__lexer *l, size_t at, size_t *length)
{
    unsigned code;
    if (at >= l->end || (unsigned char)l->text[at] < 0x80) return NULL;
    *length = qkv__decode(l->text + at, l->end - at, &code);
    return *length == 0 ? NULL : qkv__sign_find(code);
}

/* -1 behind the end, so that no byte of the text is taken for it. */
static int byte_at(const qkv__lexer *l, size_t at)
{
    return at < l->end ? (unsigned char)l->text[at] : -1;
}

/* Bytes of the blank at an offset: a space, a tab, or a space that does not break; else 0. */
static size_t blank_at(const qkv__lexer *l, size_t at)
{
    int c = byte_at(l, at);
    if (c == ' ' || c == '\t') return 1;
    unsigned code = 0;
    size_t length = c >= 0x80 ? qkv__decode(l->text + at, l->end - at, &code) : 0;
    return code == 0xa0 || code == 0x2009 || code == 0x202f ? length : 0;
}

/* Nothing that a title or a comment may have in it: a terminal would take it for a command. */
static bool is_control(unsigned code)
{
    return (code < 0x20 && code != '\t') || (code >= 0x7f && code < 0xa0);
}

static bool is_newline(int c)
{
    return c == '\n' || c == '\r';
}

/* ---- Single tokens ------------------------------------------------------------------------ */

/* The token that ends at l->at. Every token is on one line. */
static qkv__token finish(const qkv__lexer *l, qkv__token_kind kind, size_t begin, int column)
{
    return (qkv__token){.kind = kind,
                        .place = {l->line, column, l->column},
                        .text = l->text + begin,
                        .length = l->at - begin,
                        .value = QKV__RATIONAL_LOST,
                        .begin = begin,
                        .end = l->at,
                        .indent = l->indent};
}

static void skip(qkv__lexer *l, size_t bytes, int columns)
{
    l->at += bytes;
    l->column += columns;
}

/* An ERROR token for what was read since `begin`. */
static qkv__token refuse(qkv__lexer *l, size_t begin, int column, const char *message)
{
    qkv__token token = finish(l, QKV__TOKEN_ERROR, begin, column);
    token.text = message;
    token.length = strlen(message);
    return token;
}

/* Skips the one byte or character that nothing can be made of. Without a message: whoever wants to
 * complain can look at it, and a megabyte of such bytes should cost nothing. */
static qkv__token refuse_character(qkv__lexer *l)
{
    unsigned code = 0;
    size_t begin = l->at, length = qkv__decode(l->text + l->at, l->end - l->at, &code);
    skip(l, length == 0 ? 1 : length, 1);
    return refuse(l, begin, l->column - 1, "");
}

/* A name in its ASCII spelling; no sign's is longer than four times its own bytes. */
static void spell(const qkv__lexer *l, qkv__token *token)
{
    size_t written = 0, length = 0;
    const qkv__sign_token *whole = sign_at(l, token->begin, &length);
    if (length == token->length) {
        token->text = whole->text;
        token->length = strlen(whole->text);
        return;
    }
    char *copy = qkv__arena_take(l->arena, 4 * token->length + 1);
    for (size_t at = token->begin; copy != NULL && at < token->end;) {
        const qkv__sign_token *s = sign_at(l, at, &length);
        if (s == NULL) {
            copy[written++] = l->text[at++];
            continue;
        }
        memcpy(copy + written, s->text, strlen(s->text));
        written += strlen(s->text);
        at += length;
    }
    token->text = copy == NULL ? "" : copy;
    token->length = written;
}

/* Bytes behind "_" of a simple group, {a} or {12}, braces included; 0 for anything else. */
static size_t simple_group(const qkv__lexer *l, size_t at)
{
    size_t end = at + 1;
    if (byte_at(l, at) != '{') return 0;
    while (is_letter(byte_at(l, end)) || is_digit(byte_at(l, end))) end++;
    return end > at + 1 && byte_at(l, end) == '}' ? end + 1 - at : 0;
}

/* A name as the text has it, but without braces: k_{a}. */
static void drop_braces(const qkv__lexer *l, qkv__token *token)
{
    char *copy = qkv__arena_take(l->arena, token->length + 1);
    size_t written = 0;
    for (size_t i = 0; copy != NULL && i < token->length; i++)
        if (token->text[i] != '{' && token->text[i] != '}') copy[written++] = token->text[i];
    token->text = copy == NULL ? "" : copy;
    token->length = written;
}

/*
 * name = letter { letter | digit | "_" } | greek [ ( digit | "_" ) { letter | digit | "_" } ]
 *
 * A Greek letter is a name of its own, so that two side by side multiply, but it may stand behind
 * a "_": mu_a, W_beta. Behind "_" the rest may stand in braces, k_{a}; a group that says more is a
 * subscript, and no part of the name.
 */
static qkv__token scan_name(qkv__lexer *l)
{
    size_t begin = l->at, length;
    int column = l->column, before = ' ';
    bool greek = false, braces = false;
    for (;;) {
        int c = byte_at(l, l->at);
        bool first = l->at == begin, alone = greek && before == 'g';
        const qkv__sign_token *s = sign_at(l, l->at, &length);
        if (s != NULL && s->letter && (first || before == '_')) {
            greek = true;
            before = first ? 'g' : 'x';
            skip(l, length, 1);
        } else if (c == '_' && byte_at(l, l->at + 1) == '{') {
            length = simple_group(l, l->at + 1);
            if (length > 0) skip(l, 1 + length, 1 + (int)length);
            braces = length > 0;
            break;
        } else if ((is_letter(c) && !alone) || is_digit(c) || c == '_') {
            before = c == '_' ? '_' : 'x';
            skip(l, 1, 1);
        } else {
            break;
        }
    }
    qkv__token token = finish(l, QKV__TOKEN_NAME, begin, column);
    if (greek) spell(l, &token);
    if (braces) drop_braces(l, &token);
    if (qkv__token_is(&token, "approx")) token.kind = QKV__TOKEN_NEAR;
    return token;
}

/* digits 10^exponent in lowest terms; lost when it does not fit. Each step makes the numerator or
 * the denominator larger, so that what is lost once is lost for good. */
static qkv__rational scale(qkv__rational digits, long long exponent)
{
    if (digits.numerator == 0) return digits;
    qkv__rational ten = qkv__rational_whole(10), value = digits;
    for (; exponent > 0 && !qkv__rational_is_lost(value); exponent--)
        value = qkv__rational_multiply(value, ten);
    for (; exponent < 0 && !qkv__rational_is_lost(value); exponent++)
        value = qkv__rational_divide(value, ten);
    return value;
}

/* The exponent of "e-6"; far outside of any that fits it stays where it is. */
static long long exponent_of(const char *text, size_t length)
{
    assert(length > 0);
    long long exponent = 0;
    bool negative = text[0] == '-';
    for (size_t i = 0; i < length; i++)
        if (is_digit(text[i]) && exponent < 1000000000) exponent = 10 * exponent + (text[i] - '0');
    return negative ? -exponent : exponent;
}

/* The value of a number as written. Zeros at the end wait until another digit follows, so that
 * 1.000 and 1000...0e-30 are read as what they are. */
static qkv__rational number_value(const char *text, size_t length)
{
    qkv__rational digits = qkv__rational_whole(0);
    long long zeros = 0, exponent = 0;
    bool fraction = false;
    size_t i;
    for (i = 0; i < length && text[i] != 'e' && text[i] != 'E'; i++) {
        if (text[i] == '.') {
            fraction = true;
            continue;
        }
        exponent -= fraction;
        zeros++;
        if (text[i] == '0') continue;
        digits = scale(digits, zeros);
        digits = qkv__rational_add(digits, qkv__rational_whole(text[i] - '0'));
        zeros = 0;
    }
    if (i < length) exponent += exponent_of(text + i + 1, length - i - 1);
    return scale(digits, exponent + zeros);
}

static void skip_digits(qkv__lexer *l)
{
    while (is_digit(byte_at(l, l->at))) skip(l, 1, 1);
}

/* number = ( digits [ "." digits ] | "." digits ) [ ( "e" | "E" ) [ "+" | "-" ] digits ] */
static qkv__token scan_number(qkv__lexer *l)
{
    size_t begin = l->at;
    int column = l->column;
    skip_digits(l);
    if (byte_at(l, l->at) == '.' && is_digit(byte_at(l, l->at + 1))) {
        skip(l, 1, 1);
        skip_digits(l);
    }
    int e = byte_at(l, l->at), sign = byte_at(l, l->at + 1);
    size_t mark = sign == '+' || sign == '-' ? 2 : 1;
    if ((e == 'e' || e == 'E') && is_digit(byte_at(l, l->at + mark))) {
        skip(l, mark, (int)mark);
        skip_digits(l);
    }
    qkv__token token = finish(l, QKV__TOKEN_NUMBER, begin, column);
    token.value = number_value(token.text, token.length);
    if (qkv__rational_is_lost(token.value))
        return refuse(l, begin, column, "this number is too large or too fine for 64 bits");
    return token;
}

/* title = '"' { any character but '"' and line ends } '"' */
static qkv__token scan_title(qkv__lexer *l)
{
    size_t begin = l->at;
    int column = l->column;
    skip(l, 1, 1);
    for (int c = byte_at(l, l->at); c != '"'; c = byte_at(l, l->at)) {
        unsigned code;
        if (c < 0 || is_newline(c))
            return refuse(l, begin, column, "expected '\"' to close the title, found end of line");
        size_t length = qkv__decode(l->text + l->at, l->end - l->at, &code);
        if (length == 0 || is_control(code)) return refuse_character(l);
        skip(l, length, 1);
    }
    skip(l, 1, 1);
    qkv__token token = finish(l, QKV__TOKEN_TITLE, begin, column);
    token.text++;
    token.length -= 2;
    return token;
}

/* Raised digits stand for "^" and a whole number. */
static qkv__token scan_exponent(qkv__lexer *l)
{
    size_t begin = l->at, length;
    int column = l->column;
    bool negative = false, digits = false;
    qkv__rational value = qkv__rational_whole(0);
    const qkv__sign_token *s = sign_at(l, l->at, &length);
    for (; s != NULL && s->kind == QKV__TOKEN_EXPONENT; s = sign_at(l, l->at, &length)) {
        if (s->text[0] == '-' && l->at != begin) break;
        skip(l, length, 1);
        negative |= s->text[0] == '-';
        if (s->text[0] == '-') continue;
        digits = true;
        value = qkv__rational_multiply(value, qkv__rational_whole(10));
        value = qkv__rational_add(value, qkv__rational_whole(s->text[0] - '0'));
    }
    qkv__token token = finish(l, QKV__TOKEN_EXPONENT, begin, column);
    token.value = negative ? qkv__rational_negate(value) : value;
    if (!digits) return refuse(l, begin, column, "a raised '-' without raised digits after it");
    if (qkv__rational_is_lost(value))
        return refuse(l, begin, column, "this number is too large or too fine for 64 bits");
    return token;
}

/* Whatever is not ASCII. */
static qkv__token scan_sign(qkv__lexer *l)
{
    size_t begin = l->at, length;
    int column = l->column;
    const qkv__sign_token *s = sign_at(l, l->at, &length);
    if (s == NULL) return refuse_character(l);
    if (s->letter) return scan_name(l);
    if (s->kind == QKV__TOKEN_EXPONENT) return scan_exponent(l);
    skip(l, length, 1);
    qkv__token token = finish(l, s->kind, begin, column);
    token.text = s->text;
    token.length = strlen(s->text);
    if (s->kind == QKV__TOKEN_FRACTION)
        token.value = qkv__rational_make(s->text[0] - '0', s->text[1] - '0');
    return token;
}

/* The name that `text` begins, with what a "_" joins to it: \mu_a, \mathbf{k}_{12}. */
static void join_subscript(qkv__lexer *l, qkv__token *token, const char *text, size_t length)
{
    size_t end = l->at + 1, group = simple_group(l, l->at + 1);
    token->text = text;
    token->length = length;
    if (byte_at(l, l->at) != '_' || qkv__builtin_find(text, length) != QKV__BUILTIN_NONE) return;
    while (group == 0 && (is_letter(byte_at(l, end)) || is_digit(byte_at(l, end)))) end++;
    if (group > 0) end = l->at + 1 + group;
    if (end == l->at + 1) return;
    char *copy = qkv__arena_take(l->arena, length + (end - l->at) + 1);
    if (copy == NULL) return;
    memcpy(copy, text, length);
    memcpy(copy + length, l->text + l->at, end - l->at);
    token->text = copy;
    token->length = length + (end - l->at);
    skip(l, end - l->at, (int)(end - l->at));
    token->end = l->at;
    token->place.end_column = l->column;
    if (group > 0) drop_braces(l, token);
}

static bool is_alphanumeric(int c)
{
    return is_letter(c) || is_digit(c);
}

/*
 * One character, which LaTeX takes for a group of its own where there are no braces: \frac12,
 * \frac1n, \frac12 v_a. Where a reader may take more for the group than LaTeX does, as in
 * \frac1nx, it wants braces.
 */
static qkv__token scan_short_group(qkv__lexer *l)
{
    const size_t begin = l->at;
    const int column = l->column, c = byte_at(l, begin), next = byte_at(l, begin + 1);
    const bool first = l->short_groups == 2, digit = is_digit(c);
    const bool joined = first ? !digit && !is_digit(next) : !digit || is_digit(next);
    const bool decimal = next == '.' && is_digit(byte_at(l, begin + 2));
    l->short_groups--;
    skip(l, 1, 1);
    if (next == '_' || decimal || (is_alphanumeric(next) && joined))
        return refuse(l, begin, column, "write braces: \\frac{...}{...}");
    qkv__token token = finish(l, digit ? QKV__TOKEN_NUMBER : QKV__TOKEN_NAME, begin, column);
    if (digit) token.value = qkv__rational_whole(c - '0');
    return token;
}

/* A command of LaTeX. */
static qkv__token scan_command(qkv__lexer *l)
{
    size_t begin = l->at, length, inside = 0, letters = 0, left = l->end - l->at;
    int column = l->column;
    size_t font = qkv__latex_font(l->text + begin, left, &inside, &letters);
    if (font > 0) {
        skip(l, font, (int)font);
        qkv__token token = finish(l, QKV__TOKEN_NAME, begin, column);
        const char *name = l->text + begin + inside;
        const qkv__latex_command *inner =
            name[0] == '\\' ? qkv__latex_find(name, letters, &length) : NULL;
        if (name[0] == '\\' && (inner == NULL || inner->kind != QKV__TOKEN_NAME))
            return refuse(l, begin, column, "expected a name in the braces");
        join_subscript(l, &token, inner != NULL ? inner->text : name,
                       inner != NULL ? strlen(inner->text) : letters);
        return token;
    }
    bool opens;
    length = qkv__latex_bar(l->text + begin, left, &opens);
    if (length > 0) {
        skip(l, length, (int)length);
        return finish(l, opens ? QKV__TOKEN_OPEN_BAR : QKV__TOKEN_CLOSE_BAR, begin, column);
    }
    const qkv__latex_command *command = qkv__latex_find(l->text + begin, left, &length);
    skip(l, length, (int)length);
    if (command == NULL)
        return refuse(
            l, begin, column,
            length == 1 ? "" : "this command of LaTeX is not known here: see the manual's list");
    if (command->kind == QKV__TOKEN_ERROR) return refuse(l, begin, column, command->text);
    qkv__token token = finish(l, command->kind, begin, column);
    token.text = command->text;
    token.length = strlen(command->text);
    token.command = true;
    if (token.kind == QKV__TOKEN_FRAC) l->short_groups = 2;
    if (token.kind == QKV__TOKEN_NAME) join_subscript(l, &token, command->text, token.length);
    return token;
}

/* Operators and brackets; two characters before one, so that "<=" is not "<". */
static qkv__token scan_operator(qkv__lexer *l)
{
    static const struct {
        char text[3];
        qkv__token_kind kind;
    } operators[] = {
        {"!=", QKV__TOKEN_NOT_EQUAL},  {"<=", QKV__TOKEN_LESS_OR_EQUAL},
        {"->", QKV__TOKEN_ARROW},      {">=", QKV__TOKEN_GREATER_OR_EQUAL},
        {"=>", QKV__TOKEN_IMPLIES},    {"..", QKV__TOKEN_RANGE},
        {"(", QKV__TOKEN_OPEN_ROUND},  {")", QKV__TOKEN_CLOSE_ROUND},
        {"[", QKV__TOKEN_OPEN_SQUARE}, {"]", QKV__TOKEN_CLOSE_SQUARE},
        {"{", QKV__TOKEN_OPEN_CURLY},  {"}", QKV__TOKEN_CLOSE_CURLY},
        {",", QKV__TOKEN_COMMA},       {":", QKV__TOKEN_COLON},
        {"+", QKV__TOKEN_PLUS},        {"-", QKV__TOKEN_MINUS},
        {"*", QKV__TOKEN_TIMES},       {"/", QKV__TOKEN_DIVIDE},
        {"^", QKV__TOKEN_POWER},       {".", QKV__TOKEN_DOT},
        {"=", QKV__TOKEN_EQUAL},       {"<", QKV__TOKEN_LESS},
        {">", QKV__TOKEN_GREATER},     {"~", QKV__TOKEN_NEAR},
        {"'", QKV__TOKEN_TRANSPOSE},   {"|", QKV__TOKEN_BAR},
        {";", QKV__TOKEN_SEMICOLON},
    };
    size_t begin = l->at, left = l->end - l->at;
    int column = l->column;
    if (left > 1 && memcmp(l->text + begin, "==", 2) == 0) {
        skip(l, 2, 2);
        return refuse(l, begin, column, "write '=' for equality");
    }
    if (left > 2 && memcmp(l->text + begin, "<=>", 3) == 0) {
        skip(l, 3, 3);
        qkv__token token = finish(l, QKV__TOKEN_NAME, begin, column);
        token.text = "iff";
        return token;
    }
    if (left > 1 && memcmp(l->text + begin, "_{", 2) == 0) {
        skip(l, 1, 1);
        return finish(l, QKV__TOKEN_SUBSCRIPT, begin, column);
    }
    if (l->text[begin] == '_') {
        skip(l, 1, 1);
        return refuse(l, begin, column,
                      "a '_' belongs in a name, k_a, or before braces: \\sum_{i=1}^{n}");
    }
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        if (operators[i].text[0] != l->text[l->at]) continue;
        size_t length = strlen(operators[i].text);
        if (length > left || memcmp(l->text + l->at, operators[i].text, length) != 0) continue;
        skip(l, length, (int)length);
        return finish(l, operators[i].kind, begin, column);
    }
    return refuse_character(l);
}

static qkv__token scan_token(qkv__lexer *l)
{
    int c = byte_at(l, l->at);
    if (l->short_groups > 0 && is_alphanumeric(c)) return scan_short_group(l);
    l->short_groups = c == '\\' && l->short_groups > 0 ? l->short_groups - 1 : 0;
    if (is_letter(c)) return scan_name(l);
    if (is_digit(c) || (c == '.' && is_digit(byte_at(l, l->at + 1)))) return scan_number(l);
    if (c == '"') return scan_title(l);
    if (c == '\\') return scan_command(l);
    return c >= 0x80 ? scan_sign(l) : scan_operator(l);
}

/*
 * label = ( letter | digit | "." | "-" | "_" ) { the same }
 *
 * Only between `claim` and its colon, because S0.1.2 is nothing else that the language knows.
 * Returns false, and reads nothing, when there is none.
 */
static bool scan_label(qkv__lexer *l, qkv__token *token)
{
    size_t begin = l->at, at = begin, length;
    for (int c = byte_at(l, at); is_letter(c) || is_digit(c) || c == '.' || c == '-' || c == '_';
         c = byte_at(l, at))
        at++;
    size_t behind = at;
    while ((length = blank_at(l, behind)) > 0) behind += length;
    if (at == begin || byte_at(l, behind) != ':') return false;
    int column = l->column;
    skip(l, at - begin, (int)(at - begin));
    *token = finish(l, QKV__TOKEN_LABEL, begin, column);
    return true;
}

/* ---- Lines and statements ----------------------------------------------------------------- */

/* At the beginning of a line: skips Markdown's margin and measures the indentation. */
static void begin_line(qkv__lexer *l)
{
    while (l->margin && byte_at(l, l->at) == QKV__MARGIN) skip(l, 1, 1);
    l->line_indent = 0;
    for (size_t at = l->at, length; (length = blank_at(l, at)) > 0; at += length) l->line_indent++;
}

static void next_line(qkv__lexer *l)
{
    l->at += byte_at(l, l->at) == '\r' && byte_at(l, l->at + 1) == '\n' ? 2 : 1;
    l->line++;
    l->column = 1;
    begin_line(l);
}

/* Skips blanks and a comment, to the next token or line end. Stops within a comment at bytes that
 * are no text; `stuck` then says so. Returns whether it skipped anything. */
static bool skip_blanks(qkv__lexer *l, bool *stuck)
{
    size_t length;
    bool spaced = false, blank = true;
    do {
        length = blank_at(l, l->at);
        blank = length > 0;
        int columns = 1;
        if (!blank) {
            length = qkv__latex_filler(l->text + l->at, l->end - l->at, &blank);
            columns = (int)length;
        }
        skip(l, length, columns);
        spaced = spaced || blank;
    } while (length > 0);
    *stuck = false;
    if (byte_at(l, l->at) != '#') return spaced;
    for (int c = '#'; c >= 0 && !is_newline(c); c = byte_at(l, l->at)) {
        unsigned code;
        length = qkv__decode(l->text + l->at, l->end - l->at, &code);
        *stuck = length == 0 || is_control(code);
        if (*stuck) break;
        skip(l, length, 1);
    }
    return true;
}

/* The byte that is no text; the rest of the comment is still a comment. */
static qkv__token refuse_comment(qkv__lexer *l)
{
    qkv__token token = refuse_character(l);
    while (l->at < l->end && !is_newline(byte_at(l, l->at))) skip(l, 1, 1);
    return token;
}

/* Operators, also those that are words. */
static bool is_operator(const qkv__token *token)
{
    return token->kind >= QKV__TOKEN_COMMA ||
           (qkv__token_among(token, qkv__reserved_words) && !qkv__token_is(token, "for"));
}

/* Whether the last token leaves no doubt that more must follow. */
static bool is_unfinished(const qkv__lexer *l)
{
    qkv__token_kind kind = l->last.kind;
    return is_operator(&l->last) || kind == QKV__TOKEN_OPEN_ROUND ||
           kind == QKV__TOKEN_OPEN_SQUARE || kind == QKV__TOKEN_OPEN_CURLY ||
           (qkv__token_is(&l->last, "that") && qkv__token_is(&l->opening, "find"));
}

/* Whether a line ending in ':' opens a block, whose statements follow. */
static bool opens_block(const qkv__lexer *l)
{
    static const char *const words[] = {"as", "at", "for", NULL};
    return qkv__token_among(&l->opening, words);
}

/* Under any other statement, a deeper line that begins with `given` or `for` is a statement. */
static bool takes_conditions(const qkv__lexer *l)
{
    static const char *const words[] = {"claim", "find", "law", NULL};
    return qkv__token_among(&l->opening, words) || opens_block(l);
}

/*
 * Whether the statement goes on with the line that begins with `token`, `deeper` than its own.
 * A line that is not deeper and looks like a statement never continues another one: a bracket that
 * was forgotten should not swallow the rest of the document.
 */
static bool goes_on(const qkv__lexer *l, const qkv__token *token, bool defines, bool deeper)
{
    if (is_unfinished(l)) return deeper || !(defines || qkv__token_among(token, statement_words));
    if (l->depth > 0) return deeper || token->kind != QKV__TOKEN_NAME;
    if (l->last.kind == QKV__TOKEN_COLON) return deeper && !opens_block(l);
    if (qkv__token_is(token, "such") || qkv__token_among(token, qkv__condition_words))
        return deeper && takes_conditions(l);
    return deeper && is_operator(token);
}

/* At a line end: looks at the next line that says something, and if the statement goes on there,
 * moves to it. One look for all the empty lines between, so that they cost no more than once. */
static bool continue_line(qkv__lexer *l)
{
    qkv__lexer probe = *l;
    bool stuck = false;
    while (!stuck && is_newline(byte_at(&probe, probe.at))) {
        next_line(&probe);
        skip_blanks(&probe, &stuck);
    }
    if (stuck || probe.at >= probe.end) return false;
    qkv__lexer there = probe;
    const bool deeper = probe.line_indent > l->indent;
    const qkv__token token = scan_token(&probe);
    skip_blanks(&probe, &stuck);
    const bool defines =
        token.kind == QKV__TOKEN_NAME && !stuck && byte_at(&probe, probe.at) == '=';
    if (!goes_on(l, &token, defines, deeper)) return false;
    *l = there;
    return true;
}

/* Right behind the last token: a comment is not where a reader would look for what is missing. */
static qkv__token end_of_statement(qkv__lexer *l)
{
    qkv__token token = l->last;
    token.kind = QKV__TOKEN_END;
    token.place.column = token.place.end_column;
    token.place.end_column++;
    token.begin = token.end;
    token.text = "";
    token.length = 0;
    l->begun = false;
    return token;
}

static void begin_statement(qkv__lexer *l)
{
    l->begun = true;
    l->indent = l->line_indent;
    l->depth = 0;
    l->opening = l->last = (qkv__token){.kind = QKV__TOKEN_END};
}

static void count_brackets(qkv__lexer *l, qkv__token_kind kind)
{
    if (kind == QKV__TOKEN_OPEN_ROUND || kind == QKV__TOKEN_OPEN_SQUARE ||
        kind == QKV__TOKEN_OPEN_CURLY)
        l->depth++;
    if (l->depth > 0 && (kind == QKV__TOKEN_CLOSE_ROUND || kind == QKV__TOKEN_CLOSE_SQUARE ||
                         kind == QKV__TOKEN_CLOSE_CURLY))
        l->depth--;
}

/* The token at hand, with what the statement needs to remember of it. */
static qkv__token give_out(qkv__lexer *l, bool stuck, bool spaced)
{
    if (!l->begun) begin_statement(l);
    bool first = l->opening.kind == QKV__TOKEN_END;
    bool labelled = !first && l->last.begin == l->opening.begin && qkv__token_is(&l->last, "claim");
    qkv__token token;
    if (stuck)
        token = refuse_comment(l);
    else if (!labelled || !scan_label(l, &token))
        token = scan_token(l);
    token.spaced = spaced;
    token.indent = l->indent;
    count_brackets(l, token.kind);
    if (token.kind == QKV__TOKEN_SEMICOLON && l->depth == 0) {
        token.kind = QKV__TOKEN_END;
        l->begun = false;
    }
    if (first) l->opening = token;
    l->last = token;
    return token;
}

qkv__token qkv__lexer_next(qkv__lexer *l)
{
    bool spaced = false, stuck = false;
    for (;;) {
        spaced |= skip_blanks(l, &stuck);
        int c = byte_at(l, l->at);
        if (stuck || (c >= 0 && !is_newline(c) && (c != ';' || l->begun))) break;
        if (c < 0 && !l->begun) return finish(l, QKV__TOKEN_END_OF_TEXT, l->at, l->column);
        spaced = true;
        if (l->begun && !continue_line(l)) return end_of_statement(l);
        if (l->begun) break;
        if (c == ';')
            skip(l, 1, 1); /* an empty statement */
        else
            next_line(l);
    }
    return give_out(l, stuck, spaced);
}

/* A byte order mark takes up no column. */
void qkv__lexer_start(qkv__lexer *l, size_t begin, size_t end, int line)
{
    l->at = begin;
    l->end = end;
    l->line = line;
    l->column = 1;
    l->begun = false;
    if (begin == 0 && end >= 3 && memcmp(l->text, "\xef\xbb\xbf", 3) == 0) l->at = 3;
    begin_line(l);
}
