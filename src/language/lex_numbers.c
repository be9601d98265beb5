/*
 * Long lists of plain numbers, read at once: a hundred thousand tokens and nodes would say no more
 * than the numbers do. Knows how numbers, blanks, lines and comments are spelt, as the lexer does.
 * Whatever is not plain (a name, a sign of mathematics, rows in rows) it leaves to the parser.
 */
#include <string.h>

#include "language/token.h"

/* A walk over the text, ahead of the lexer. */
typedef struct walker {
    const qkv__lexer *l;
    size_t at;
    int line, column;
    int indent; /* of the line at hand */
} walker;

static int byte_at(const walker *w, size_t at)
{
    return at < w->l->end ? (unsigned char)w->l->text[at] : -1;
}

/* ---- Is it long enough? -------------------------------------------------------------------- */

static bool may_occur(int c)
{
    return (c >= '0' && c <= '9') || c == ',' || c == '.' || c == '-' || c == '+' || c == 'e' ||
           c == 'E' || c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == QKV__MARGIN;
}

/* An upper bound on the numbers from here to the bracket that closes `depth` of them; 0 when
 * anything stands there that no list of numbers has. */
static size_t count_numbers(const walker *w, int depth)
{
    size_t count = 1;
    for (size_t at = w->at;; at++) {
        int c = byte_at(w, at);
        if (c == '#')
            while (c >= 0 && c != '\n' && c != '\r') c = byte_at(w, ++at);
        if (c == '[') depth++;
        if (c == ']' && --depth == 0) return count;
        if (depth > 2 || (c != '[' && c != ']' && !may_occur(c))) return 0;
        count += c == ',';
    }
}

/* ---- The list ------------------------------------------------------------------------------ */

static void step(walker *w, size_t bytes)
{
    w->at += bytes;
    w->column += (int)bytes;
}

/* To the beginning of what the next line says; what belongs to Markdown there is no text. */
static void step_line(walker *w)
{
    w->at += byte_at(w, w->at) == '\r' && byte_at(w, w->at + 1) == '\n' ? 2 : 1;
    w->line++;
    w->column = 1;
    while (w->l->margin && byte_at(w, w->at) == QKV__MARGIN) step(w, 1);
    for (w->indent = 0; byte_at(w, w->at + (size_t)w->indent) == ' ' ||
                        byte_at(w, w->at + (size_t)w->indent) == '\t';)
        w->indent++;
}

/* Blanks, line ends and comments. False: a comment with anything but ASCII, which is left to the
 * lexer, since it must be looked at. */
static bool skip_blanks(walker *w)
{
    for (;;) {
        int c = byte_at(w, w->at);
        if (c == '\n' || c == '\r') {
            step_line(w);
        } else if (c == ' ' || c == '\t') {
            step(w, 1);
        } else if (c == '#') {
            for (; c >= 0 && c != '\n' && c != '\r'; c = byte_at(w, w->at)) {
                if (c >= 0x7f || (c < 0x20 && c != '\t')) return false;
                step(w, 1);
            }
        } else {
            return true;
        }
    }
}

static bool take(walker *w, char c)
{
    if (!skip_blanks(w) || byte_at(w, w->at) != c) return false;
    step(w, 1);
    return true;
}

/* [ "-" ] number, and nothing that would go on with it, such as the second point of 1..2 */
static bool take_number(walker *w, qkv__decimal *number)
{
    bool negative = take(w, '-'), fits;
    if (!skip_blanks(w)) return false;
    size_t length = qkv__decimal_scan(w->l->text + w->at, w->l->end - w->at, number, &fits);
    if (length == 0 || !fits) return false;
    step(w, length);
    if (negative) number->digits = -number->digits;
    int c = byte_at(w, w->at);
    return c == ',' || c == ']' || c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '#';
}

/* number { "," number } "]"; returns how many, 0 when it is something else. */
static size_t take_row(walker *w, qkv__decimal *entry)
{
    size_t count = 0;
    do {
        if (!take_number(w, &entry[count++])) return 0;
    } while (take(w, ','));
    return take(w, ']') ? count : 0;
}

static qkv__long_list fail_ragged(int line, int column, size_t row, size_t found, size_t expected)
{
    return (qkv__long_list){.outcome = QKV__LIST_RAGGED,
                            .rows = row,
                            .columns = expected,
                            .place = {line, column, column + 1},
                            .row = row,
                            .found = found,
                            .expected = expected};
}

/* row { "," row } "]", each row with its brackets. */
static qkv__long_list take_rows(walker *w, qkv__decimal *entry)
{
    qkv__long_list list = {.outcome = QKV__LIST_PLAIN};
    size_t written = 0;
    do {
        if (!take(w, '[')) return list;
        int line = w->line, column = w->column - 1;
        size_t count = take_row(w, entry + written);
        written += count;
        if (count == 0) return list;
        if (list.rows == 0) list.columns = count;
        list.rows++;
        if (count != list.columns) return fail_ragged(line, column, list.rows, count, list.columns);
    } while (take(w, ','));
    if (take(w, ']')) list.outcome = QKV__LIST_LONG_NUMBERS;
    return list;
}

static qkv__long_list take_flat(walker *w, qkv__decimal *entry)
{
    qkv__long_list list = {.outcome = QKV__LIST_PLAIN, .columns = 1};
    list.rows = take_row(w, entry);
    if (list.rows > 0) list.outcome = QKV__LIST_LONG_NUMBERS;
    return list;
}

/* The lexer goes on behind the list, as if it had given out the bracket that closes it. */
static void move_lexer(qkv__lexer *l, const walker *w, size_t depth, qkv__token *close)
{
    *close = (qkv__token){.kind = QKV__TOKEN_CLOSE_SQUARE,
                          .place = {w->line, w->column - 1, w->column},
                          .text = l->text + w->at - 1,
                          .length = 1,
                          .value = QKV__RATIONAL_LOST,
                          .begin = w->at - 1,
                          .end = w->at,
                          .indent = l->indent};
    l->at = w->at;
    l->line = w->line;
    l->column = w->column;
    l->line_indent = w->indent;
    l->depth = depth;
    l->last = *close;
}

qkv__long_list qkv__lexer_long_list(qkv__lexer *l, const qkv__token *open, const qkv__token *next,
                                    qkv__token *close)
{
    qkv__long_list plain = {.outcome = QKV__LIST_PLAIN};
    bool nested = next->kind == QKV__TOKEN_OPEN_SQUARE;
    walker w = {l, open->end, open->place.line, open->place.end_column, l->line_indent};
    if (!nested && next->kind != QKV__TOKEN_NUMBER && next->kind != QKV__TOKEN_MINUS) return plain;
    size_t most = count_numbers(&w, 1);
    if (most <= QKV__LIST_LONG) return plain;
    qkv__decimal *entry = qkv__arena_array(l->arena, most, sizeof *entry);
    if (entry == NULL) return plain; /* the arena remembers */
    size_t depth = l->depth - 1 - (nested ? 1 : 0);
    qkv__long_list list = nested ? take_rows(&w, entry) : take_flat(&w, entry);
    bool is_long = list.rows > QKV__LIST_LONG || list.columns > QKV__LIST_LONG;
    if (list.outcome == QKV__LIST_LONG_NUMBERS && is_long) {
        list.flat = !nested;
        list.entry = entry;
        qkv__arena_trim(l->arena, entry, list.rows * list.columns * sizeof *entry);
        move_lexer(l, &w, depth, close);
        return list;
    }
    qkv__arena_trim(l->arena, entry, 0);
    if (list.outcome == QKV__LIST_RAGGED && is_long) return list;
    return plain;
}
