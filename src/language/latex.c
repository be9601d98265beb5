/* The table of LaTeX's commands. Knows names; nothing of what the words mean. */
#include "language/latex.h"

#include <assert.h>
#include <string.h>

static const qkv__latex_command commands[] = {
    {"Delta", QKV__TOKEN_NAME, "Delta"},
    {"Gamma", QKV__TOKEN_NAME, "Gamma"},
    {"Lambda", QKV__TOKEN_NAME, "Lambda"},
    {"Leftrightarrow", QKV__TOKEN_NAME, "iff"},
    {"Longleftrightarrow", QKV__TOKEN_NAME, "iff"},
    {"Longrightarrow", QKV__TOKEN_IMPLIES, "=>"},
    {"Omega", QKV__TOKEN_NAME, "Omega"},
    {"Phi", QKV__TOKEN_NAME, "Phi"},
    {"Pr", QKV__TOKEN_NAME, "P"},
    {"Psi", QKV__TOKEN_NAME, "Psi"},
    {"Rightarrow", QKV__TOKEN_IMPLIES, "=>"},
    {"Sigma", QKV__TOKEN_NAME, "Sigma"},
    {"Theta", QKV__TOKEN_NAME, "Theta"},
    {"Vert", QKV__TOKEN_BAR, "|"},
    {"Xi", QKV__TOKEN_NAME, "Xi"},
    {"alpha", QKV__TOKEN_NAME, "alpha"},
    {"approx", QKV__TOKEN_NEAR, "~"},
    {"ast", QKV__TOKEN_TIMES, "*"},
    {"beta", QKV__TOKEN_NAME, "beta"},
    {"cdot", QKV__TOKEN_TIMES, "."},
    {"cfrac", QKV__TOKEN_FRAC, "frac"},
    {"chi", QKV__TOKEN_NAME, "chi"},
    {"colon", QKV__TOKEN_COLON, ":"},
    {"delta", QKV__TOKEN_NAME, "delta"},
    {"dfrac", QKV__TOKEN_FRAC, "frac"},
    {"div", QKV__TOKEN_DIVIDE, "/"},
    {"dots", QKV__TOKEN_RANGE, ".."},
    {"epsilon", QKV__TOKEN_NAME, "eps"},
    {"eta", QKV__TOKEN_NAME, "eta"},
    {"exists", QKV__TOKEN_NAME, "exists"},
    {"forall", QKV__TOKEN_NAME, "forall"},
    {"frac", QKV__TOKEN_FRAC, "frac"},
    {"gamma", QKV__TOKEN_NAME, "gamma"},
    {"ge", QKV__TOKEN_GREATER_OR_EQUAL, ">="},
    {"geq", QKV__TOKEN_GREATER_OR_EQUAL, ">="},
    {"geqslant", QKV__TOKEN_GREATER_OR_EQUAL, ">="},
    {"gt", QKV__TOKEN_GREATER, ">"},
    {"iff", QKV__TOKEN_NAME, "iff"},
    {"implies", QKV__TOKEN_IMPLIES, "=>"},
    {"in", QKV__TOKEN_NAME, "in"},
    {"infty", QKV__TOKEN_NAME, "inf"},
    {"intercal", QKV__TOKEN_TRANSPOSE, "'"},
    {"kappa", QKV__TOKEN_NAME, "kappa"},
    {"lVert", QKV__TOKEN_OPEN_BAR, "|"},
    {"lambda", QKV__TOKEN_NAME, "lambda"},
    {"land", QKV__TOKEN_NAME, "and"},
    {"langle", QKV__TOKEN_OPEN_ANGLE, "<"},
    {"lbrace", QKV__TOKEN_OPEN_CURLY, "{"},
    {"ldots", QKV__TOKEN_RANGE, ".."},
    {"le", QKV__TOKEN_LESS_OR_EQUAL, "<="},
    {"leq", QKV__TOKEN_LESS_OR_EQUAL, "<="},
    {"leqslant", QKV__TOKEN_LESS_OR_EQUAL, "<="},
    {"lim", QKV__TOKEN_NAME, "lim"},
    {"lnot", QKV__TOKEN_NAME, "not"},
    {"longrightarrow", QKV__TOKEN_ARROW, "->"},
    {"lor", QKV__TOKEN_NAME, "or"},
    {"lt", QKV__TOKEN_LESS, "<"},
    {"lvert", QKV__TOKEN_OPEN_BAR, "|"},
    {"mid", QKV__TOKEN_NAME, "given"},
    {"mu", QKV__TOKEN_NAME, "mu"},
    {"ne", QKV__TOKEN_NOT_EQUAL, "!="},
    {"neg", QKV__TOKEN_NAME, "not"},
    {"neq", QKV__TOKEN_NOT_EQUAL, "!="},
    {"notin", QKV__TOKEN_NOT_IN, "not in"},
    {"nu", QKV__TOKEN_NAME, "nu"},
    {"omega", QKV__TOKEN_NAME, "omega"},
    {"phi", QKV__TOKEN_NAME, "phi"},
    {"pi", QKV__TOKEN_NAME, "pi"},
    {"pm", QKV__TOKEN_ERROR, "write x = 0.94 within 0.01 in place of \\pm"},
    {"prime", QKV__TOKEN_TRANSPOSE, "'"},
    {"psi", QKV__TOKEN_NAME, "psi"},
    {"rVert", QKV__TOKEN_CLOSE_BAR, "|"},
    {"rangle", QKV__TOKEN_CLOSE_ANGLE, ">"},
    {"rbrace", QKV__TOKEN_CLOSE_CURLY, "}"},
    {"rho", QKV__TOKEN_NAME, "rho"},
    {"rightarrow", QKV__TOKEN_ARROW, "->"},
    {"rvert", QKV__TOKEN_CLOSE_BAR, "|"},
    {"sigma", QKV__TOKEN_NAME, "sigma"},
    {"sim", QKV__TOKEN_NEAR, "~"},
    {"sqrt", QKV__TOKEN_ROOT, "sqrt"},
    {"tau", QKV__TOKEN_NAME, "tau"},
    {"tfrac", QKV__TOKEN_FRAC, "frac"},
    {"theta", QKV__TOKEN_NAME, "theta"},
    {"times", QKV__TOKEN_TIMES, "*"},
    {"to", QKV__TOKEN_ARROW, "->"},
    {"top", QKV__TOKEN_TRANSPOSE, "'"},
    {"varepsilon", QKV__TOKEN_NAME, "eps"},
    {"varphi", QKV__TOKEN_NAME, "phi"},
    {"vee", QKV__TOKEN_NAME, "or"},
    {"vert", QKV__TOKEN_BAR, "|"},
    {"wedge", QKV__TOKEN_NAME, "and"},
    {"xi", QKV__TOKEN_NAME, "xi"},
    {"zeta", QKV__TOKEN_NAME, "zeta"},
    {"{", QKV__TOKEN_OPEN_CURLY, "{"},
    {"|", QKV__TOKEN_BAR, "|"},
    {"}", QKV__TOKEN_CLOSE_CURLY, "}"},
};

/* \tanh and the like: every function of the language, by its own name. */
static const qkv__latex_command functions[] = {
#define BUILTIN(id, name, kind, values) {name, QKV__TOKEN_NAME, name},
#define SYNONYM(id, name) {name, QKV__TOKEN_NAME, name},
#include "language/builtin.def"
};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Bytes of the command: the backslash and letters, or one character that is none. */
static size_t length_of(const char *text, size_t count)
{
    assert(count > 0 && text[0] == '\\');
    size_t length = 1;
    while (length < count && is_letter(text[length])) length++;
    bool sign = length == 1 && count > 1 && text[1] > ' ' && text[1] < 0x7f;
    return length + sign;
}

static bool is_command(const char *text, size_t length, const char *name)
{
    return strlen(name) == length - 1 && memcmp(text + 1, name, length - 1) == 0;
}

static bool is_among(const char *text, size_t length, const char *const *names)
{
    while (*names != NULL && !is_command(text, length, *names)) names++;
    return *names != NULL;
}

const qkv__latex_command *qkv__latex_find(const char *text, size_t count, size_t *length)
{
    *length = length_of(text, count);
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (is_command(text, *length, commands[i].name)) return &commands[i];
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (is_command(text, *length, functions[i].name)) return &functions[i];
    return NULL;
}

/* Bytes of the bar at the beginning: |, \|, \vert or \Vert; else 0. */
static size_t bar_length(const char *text, size_t count)
{
    static const char *const bars[] = {"|", "vert", "Vert", NULL};
    if (count == 0) return 0;
    if (text[0] == '|') return 1;
    size_t length = text[0] == '\\' ? length_of(text, count) : 1;
    return text[0] == '\\' && is_among(text, length, bars) ? length : 0;
}

size_t qkv__latex_bar(const char *text, size_t count, bool *opens)
{
    static const char *const left[] = {"left", "bigl", "Bigl", NULL};
    static const char *const right[] = {"right", "bigr", "Bigr", NULL};
    size_t length = length_of(text, count);
    *opens = is_among(text, length, left);
    if (!*opens && !is_among(text, length, right)) return 0;
    size_t bar = bar_length(text + length, count - length);
    return bar == 0 ? 0 : length + bar;
}

size_t qkv__latex_filler(const char *text, size_t count, bool *blank)
{
    static const char *const blanks[] = {",", ";", ":", " ", "quad", "qquad", NULL};
    static const char *const glue[] = {
        "left", "right",        "big",       "Big",    "bigl",  "bigr",  "Bigl",
        "Bigr", "bigg",         "Bigg",      "biggl",  "biggr", "Biggl", "Biggr",
        "!",    "displaystyle", "textstyle", "limits", "(",     ")",     NULL};
    *blank = false;
    if (count == 0 || (text[0] != '\\' && text[0] != '$')) return 0;
    if (text[0] == '$') return 1;
    size_t length = length_of(text, count);
    bool opens;
    if (qkv__latex_bar(text, count, &opens) > 0) return 0;
    if (length == 1 && count > 1 && text[1] == ' ') length = 2;
    *blank = is_among(text, length, blanks);
    return *blank || is_among(text, length, glue) ? length : 0;
}

static size_t blanks(const char *text, size_t count)
{
    size_t length = 0;
    while (length < count && text[length] == ' ') length++;
    return length;
}

static size_t letters_of(const char *text, size_t count)
{
    size_t length = 0;
    while (length < count && is_letter(text[length])) length++;
    return length;
}

/* Without braces a font is that of one letter or command: \mathbf k_a, \boldsymbol\mu. */
size_t qkv__latex_font(const char *text, size_t count, size_t *begin, size_t *letters)
{
    static const char *const fonts[] = {"mathbf", "boldsymbol",   "mathrm",  "mathit", "mathsf",
                                        "mathtt", "mathbb",       "mathcal", "text",   "textbf",
                                        "vec",    "operatorname", "bm",      NULL};
    size_t length = length_of(text, count), end;
    if (!is_among(text, length, fonts)) return 0;
    length += blanks(text + length, count - length);
    const bool braces = length < count && text[length] == '{';
    *begin = length + braces;
    if (braces) *begin += blanks(text + *begin, count - *begin);
    const bool command = *begin < count && text[*begin] == '\\';
    *letters = command + letters_of(text + *begin + command, count - *begin - command);
    end = *begin + *letters;
    if (braces) end += blanks(text + end, count - end);
    if (*letters == (size_t)command || (braces && (end == count || text[end] != '}'))) return 0;
    return braces ? end + 1 : command || *letters == 1 ? end : 0;
}
