/*
 * Formulas of LaTeX as MathML, which browsers show by themselves: letters, numbers, fractions,
 * roots, scripts, sums and limits, Greek, accents of vectors, and the usual signs. A formula with
 * anything else is not rendered at all, so that no half of one is shown. Knows nothing of Markdown.
 */
#include <string.h>

#include "html/part.h"
#include "language/write.h"

enum { DEEPEST_GROUP = 32 };

typedef struct formula {
    const char *at, *end;
    int depth;
    bool display;
    bool high;      /* behind \left, \big ...: the next bracket is as high as what is inside */
    int kept;       /* brackets around this place that stay on one line */
    bool breaks;    /* a long formula in a line of text: it may be broken between its parts */
    bool operand;   /* whether something stands before the next sign, for it to be between two */
    bool may_break; /* behind the part just read */
} formula;

enum { LONG_FORMULA = 60 }; /* bytes of the source: what is shorter stays on one line */

/* ---- Names ---------------------------------------------------------------------------------- */

/* kind: 'i' an identifier, 'o' an operator, 'b' a bracket, 'u' an operator whose limits stand below
 * and above it. */
static const struct {
    const char *name;
    char kind;
    const char *text;
} names[] = {
    {"alpha", 'i', "α"},
    {"beta", 'i', "β"},
    {"gamma", 'i', "γ"},
    {"delta", 'i', "δ"},
    {"epsilon", 'i', "ϵ"},
    {"varepsilon", 'i', "ε"},
    {"eta", 'i', "η"},
    {"theta", 'i', "θ"},
    {"lambda", 'i', "λ"},
    {"mu", 'i', "μ"},
    {"nu", 'i', "ν"},
    {"pi", 'i', "π"},
    {"rho", 'i', "ρ"},
    {"kappa", 'i', "κ"},
    {"xi", 'i', "ξ"},
    {"psi", 'i', "ψ"},
    {"Gamma", 'i', "Γ"},
    {"Theta", 'i', "Θ"},
    {"sigma", 'i', "σ"},
    {"tau", 'i', "τ"},
    {"phi", 'i', "ϕ"},
    {"varphi", 'i', "φ"},
    {"omega", 'i', "ω"},
    {"Delta", 'i', "Δ"},
    {"Lambda", 'i', "Λ"},
    {"Phi", 'i', "Φ"},
    {"Sigma", 'i', "Σ"},
    {"Omega", 'i', "Ω"},
    {"infty", 'i', "∞"},
    {"ell", 'i', "ℓ"},
    {"exp", 'i', "exp"},
    {"ln", 'i', "ln"},
    {"log", 'i', "log"},
    {"softmax", 'i', "softmax"},
    {"cdot", 'o', "·"},
    {"times", 'o', "×"},
    {"pm", 'o', "±"},
    {"le", 'o', "≤"},
    {"leq", 'o', "≤"},
    {"ge", 'o', "≥"},
    {"geq", 'o', "≥"},
    {"ne", 'o', "≠"},
    {"neq", 'o', "≠"},
    {"approx", 'o', "≈"},
    {"sim", 'o', "∼"},
    {"gg", 'o', "≫"},
    {"ll", 'o', "≪"},
    {"in", 'o', "∈"},
    {"notin", 'o', "∉"},
    {"to", 'o', "→"},
    {"rightarrow", 'o', "→"},
    {"Rightarrow", 'o', "⇒"},
    {"implies", 'o', "⟹"},
    {"mapsto", 'o', "↦"},
    {"propto", 'o', "∝"},
    {"perp", 'o', "⊥"},
    {"top", 'o', "⊤"},
    {"dots", 'o', "…"},
    {"ldots", 'o', "…"},
    {"cdots", 'o', "⋯"},
    {"forall", 'o', "∀"},
    {"exists", 'o', "∃"},
    {"partial", 'o', "∂"},
    {"mid", 'o', "∣"},
    {"Vert", 'b', "‖"},
    {"|", 'b', "‖"},
    {"{", 'b', "{"},
    {"}", 'b', "}"},
    {"%", 'o', "%"},
    {"sum", 'u', "∑"},
    {"prod", 'u', "∏"},
    {"lim", 'u', "lim"},
    {"max", 'u', "max"},
    {"min", 'u', "min"},
    {"chi", 'i', "χ"},
    {"zeta", 'i', "ζ"},
    {"vartheta", 'i', "ϑ"},
    {"Pi", 'i', "Π"},
    {"Psi", 'i', "Ψ"},
    {"Xi", 'i', "Ξ"},
    {"sin", 'i', "sin"},
    {"cos", 'i', "cos"},
    {"tanh", 'i', "tanh"},
    {"Pr", 'i', "Pr"},
    {"emptyset", 'i', "∅"},
    {"nabla", 'i', "∇"},
    {"lt", 'o', "&lt;"},
    {"gt", 'o', "&gt;"},
    {"leqslant", 'o', "≤"},
    {"geqslant", 'o', "≥"},
    {"equiv", 'o', "≡"},
    {"simeq", 'o', "≃"},
    {"subset", 'o', "⊂"},
    {"cup", 'o', "∪"},
    {"cap", 'o', "∩"},
    {"ast", 'o', "∗"},
    {"star", 'o', "⋆"},
    {"circ", 'o', "∘"},
    {"odot", 'o', "⊙"},
    {"otimes", 'o', "⊗"},
    {"oplus", 'o', "⊕"},
    {"div", 'o', "÷"},
    {"colon", 'o', ":"},
    {"prime", 'o', "′"},
    {"neg", 'o', "¬"},
    {"lnot", 'o', "¬"},
    {"land", 'o', "∧"},
    {"wedge", 'o', "∧"},
    {"lor", 'o', "∨"},
    {"vee", 'o', "∨"},
    {"iff", 'o', "⟺"},
    {"Leftrightarrow", 'o', "⇔"},
    {"Longrightarrow", 'o', "⟹"},
    {"longrightarrow", 'o', "⟶"},
    {"leftarrow", 'o', "←"},
    {"lVert", 'b', "‖"},
    {"rVert", 'b', "‖"},
    {"lvert", 'b', "|"},
    {"rvert", 'b', "|"},
    {"vert", 'b', "|"},
    {"langle", 'b', "⟨"},
    {"rangle", 'b', "⟩"},
    {"lbrace", 'b', "{"},
    {"rbrace", 'b', "}"},
    {"lfloor", 'b', "⌊"},
    {"rfloor", 'b', "⌋"},
    {"lceil", 'b', "⌈"},
    {"rceil", 'b', "⌉"},
    {"int", 'o', "∫"},
    {"sup", 'u', "sup"},
    {"inf", 'u', "inf"},
    {"argmax", 'u', "argmax"},
    {"argmin", 'u', "argmin"},
};

/* What makes the bracket behind it higher, and what browsers choose by themselves. */
enum { FIRST_OTHER = 14 };
static const char *const ignored[] = {"left",         "right",     "big",    "Big",     "bigl",
                                      "bigr",         "Bigl",      "Bigr",   "bigg",    "Bigg",
                                      "biggl",        "biggr",     "Biggl",  "Biggr",   "!",
                                      "displaystyle", "textstyle", "limits", "nolimits"};

/* Spaces, and their widths. */
static const struct {
    const char *name, *width;
} spaces[] = {{",", "0.17em"}, {":", "0.22em"}, {";", "0.28em"},
              {" ", "0.33em"}, {"quad", "1em"}, {"qquad", "2em"}};

/* Letters in another style. kind: 'u' upright, 'b' upright and bold, 's' bold as they are, 'd' with
 * double strokes, 'c' as written by hand. */
static const struct {
    const char *name;
    char kind;
} styles[] = {
    {"mathrm", 'u'}, {"text", 'u'},   {"operatorname", 'u'}, {"mathsf", 'u'},
    {"mathtt", 'u'}, {"mathbf", 'b'}, {"textbf", 'b'},       {"boldsymbol", 's'},
    {"bm", 's'},     {"mathbb", 'd'}, {"mathcal", 'c'},
};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is(const char *name, size_t length, const char *other)
{
    return strlen(other) == length && memcmp(name, other, length) == 0;
}

static void skip_blanks(formula *f)
{
    while (f->at < f->end && (*f->at == ' ' || *f->at == '\n' || *f->at == '\t')) f->at++;
}

static void put(qkv__text *out, const char *markup)
{
    qkv__text_append(out, markup, strlen(markup));
}

/* ---- Parts ---------------------------------------------------------------------------------- */

static bool row(formula *f, char closing, qkv__text *out);

/* group = "{" row "}" | one digit | one atom; it becomes one element. */
static bool atom(formula *f, qkv__text *out, bool *limits);

/* A letter, or digits: one element by itself, which needs no <mrow>. */
static bool is_single(const char *source, size_t length)
{
    if (length == 1) return is_letter(source[0]) || is_digit(source[0]);
    for (size_t i = 0; i < length; i++)
        if (!is_digit(source[i])) return false;
    return length > 0;
}

static bool group(formula *f, qkv__text *out)
{
    bool limits = false;
    skip_blanks(f);
    if (f->at == f->end) return false;
    if (is_digit(*f->at)) { /* one: \frac12, x^23 */
        qkv__text_format(out, "<mn>%c</mn>", *f->at++);
        return true;
    }
    if (*f->at != '{') return atom(f, out, &limits);
    f->at++;
    if (++f->depth > DEEPEST_GROUP) return false;
    qkv__text inside = {0};
    const char *from = f->at;
    bool good = row(f, '}', &inside);
    const bool single = good && is_single(from, (size_t)(f->at - from) - 1);
    put(out, single ? "" : "<mrow>");
    if (inside.length > 0) qkv__text_append(out, inside.data, inside.length);
    put(out, single ? "" : "</mrow>");
    out->failed = out->failed || inside.failed;
    qkv__text_free(&inside);
    f->depth--;
    return good;
}

/* The character of Unicode for a capital in style 'd' or 'c': in a row, but for those that older
 * standards had. */
static unsigned capital(char letter, char kind)
{
    static const struct {
        char kind, letter;
        unsigned code;
    } older[] = {
        {'d', 'C', 0x2102}, {'d', 'H', 0x210d}, {'d', 'N', 0x2115}, {'d', 'P', 0x2119},
        {'d', 'Q', 0x211a}, {'d', 'R', 0x211d}, {'d', 'Z', 0x2124}, {'c', 'B', 0x212c},
        {'c', 'E', 0x2130}, {'c', 'F', 0x2131}, {'c', 'H', 0x210b}, {'c', 'I', 0x2110},
        {'c', 'L', 0x2112}, {'c', 'M', 0x2133}, {'c', 'R', 0x211b},
    };
    for (size_t i = 0; i < sizeof older / sizeof older[0]; i++)
        if (older[i].kind == kind && older[i].letter == letter) return older[i].code;
    return (kind == 'd' ? 0x1d538u : 0x1d49cu) + (unsigned)(letter - 'A');
}

static bool capitals(const char *letters, size_t length, char kind, qkv__text *out)
{
    for (size_t i = 0; i < length; i++)
        if (letters[i] < 'A' || letters[i] > 'Z') return false;
    put(out, "<mi>");
    for (size_t i = 0; i < length; i++) qkv__text_format(out, "&#x%x;", capital(letters[i], kind));
    put(out, "</mi>");
    return length > 0;
}

/* "{" letters "}", as they stand, or one letter: \mathbf k. */
static bool words(formula *f, char kind, qkv__text *out)
{
    skip_blanks(f);
    if (f->at == f->end) return false;
    const bool braces = *f->at == '{';
    const char *from = f->at + braces,
               *end = braces ? memchr(from, '}', (size_t)(f->end - from)) : from + 1;
    if (end == NULL || (!braces && !is_letter(*from) && !is_digit(*from))) return false;
    const size_t length = (size_t)(end - from);
    if (memchr(from, '\\', length) != NULL || memchr(from, '{', length) != NULL) return false;
    f->at = end + braces;
    if (kind == 'd' || kind == 'c') return capitals(from, length, kind, out);
    qkv__text_format(out, "<mi mathvariant=\"normal\"%s>", kind == 'b' ? " class=\"bold\"" : "");
    qkv__text_markup(out, from, length);
    put(out, "</mi>");
    return true;
}

static bool styled(formula *f, char kind, qkv__text *out)
{
    f->operand = true;
    if (kind != 's') return words(f, kind, out);
    put(out, "<mrow class=\"bold\">");
    const bool good = group(f, out);
    put(out, "</mrow>");
    return good;
}

/* \frac{x}{y}, \sqrt{x}, \hat{x}, ... */
static bool structure(formula *f, const char *name, size_t length, qkv__text *out, bool *known)
{
    *known = true;
    static const char *const fractions[] = {"frac", "tfrac", "dfrac", "cfrac"};
    bool fraction = false;
    for (size_t i = 0; i < 4; i++) fraction |= is(name, length, fractions[i]);
    if (fraction) {
        put(out, "<mfrac>");
        bool good = group(f, out) && group(f, out);
        put(out, "</mfrac>");
        return good;
    }
    if (is(name, length, "sqrt")) {
        put(out, "<msqrt>");
        bool good = group(f, out);
        put(out, "</msqrt>");
        return good;
    }
    static const char *const accents[][2] = {
        {"hat", "^"}, {"bar", "¯"}, {"tilde", "~"}, {"vec", "→"}};
    for (size_t i = 0; i < sizeof accents / sizeof accents[0]; i++)
        if (is(name, length, accents[i][0])) {
            put(out, "<mover accent=\"true\">");
            bool good = group(f, out);
            qkv__text_format(out, "<mo>%s</mo></mover>", accents[i][1]);
            return good;
        }
    *known = false;
    return true;
}

static void put_identifier(formula *f, const char *element, const char *text, qkv__text *out)
{
    qkv__text_format(out, "<%s>%s</%s>", element, text, element);
    f->operand = true;
}

/* Whether the bracket just read is closed on what should be the same line. */
static bool closes_soon(const formula *f)
{
    int open = 1;
    for (const char *at = f->at; at < f->end && at - f->at < LONG_FORMULA; at++) {
        open += (*at == '(' || *at == '[') - (*at == ')' || *at == ']');
        if (open == 0) return true;
    }
    return false;
}

/* A bracket is as high as a letter, but behind \left. */
static void put_bracket(formula *f, const char *sign, qkv__text *out)
{
    const bool opens = *sign == '(' || *sign == '[', closes = *sign == ')' || *sign == ']';
    qkv__text_format(out, f->high ? "<mo>%s</mo>" : "<mo stretchy=\"false\">%s</mo>", sign);
    if (!f->high && opens && (f->kept > 0 || closes_soon(f))) f->kept++;
    if (!f->high && closes && f->kept > 0) f->kept--;
    f->high = false;
    f->operand = !opens;
}

static void put_sign(formula *f, const char *sign, qkv__text *out)
{
    static const char *const between[] = {"+", "−", "=", "≈", "≤", "≥", "&lt;", "&gt;", "⟹"};
    bool found = false;
    for (size_t i = 0; i < sizeof between / sizeof between[0]; i++)
        found |= strcmp(sign, between[i]) == 0;
    f->may_break = found && f->breaks && f->operand && f->depth == 0 && f->kept == 0;
    qkv__text_format(out, f->may_break ? "<mo form=\"infix\">%s</mo>" : "<mo>%s</mo>", sign);
    f->operand = false;
}

/* Behind a wide space come conditions, each on one line. */
static void put_space(formula *f, const char *width, bool wide, qkv__text *out)
{
    qkv__text_format(out, "<mspace width=\"%s\"/>", width);
    if (!wide || !f->breaks || f->depth > 0) return;
    f->may_break = true;
    f->kept = 1;
}

/* A backslash and a name. */
static bool command(formula *f, qkv__text *out, bool *limits)
{
    const char *name = ++f->at;
    while (f->at < f->end && is_letter(*f->at)) f->at++;
    if (f->at == name && f->at < f->end) f->at++;
    size_t length = (size_t)(f->at - name);
    bool known, good = structure(f, name, length, out, &known);
    if (known) return good;
    for (size_t i = 0; i < sizeof styles / sizeof styles[0]; i++)
        if (is(name, length, styles[i].name)) return styled(f, styles[i].kind, out);
    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
        if (is(name, length, ignored[i])) {
            f->kept += is(name, length, "left") - is(name, length, "right");
            f->high = i < FIRST_OTHER;
            return true;
        }
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++)
        if (is(name, length, spaces[i].name)) {
            put_space(f, spaces[i].width, is_letter(*name), out);
            return true;
        }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (!is(name, length, names[i].name)) continue;
        *limits = names[i].kind == 'u' && f->display;
        if (names[i].kind == 'b')
            put_bracket(f, names[i].text, out);
        else if (names[i].kind != 'i')
            put_sign(f, names[i].text, out);
        else
            put_identifier(f, "mi", names[i].text, out);
        return true;
    }
    return false;
}

/* A number, a letter, a sign, a command, or a group. */
static bool atom(formula *f, qkv__text *out, bool *limits)
{
    const char *from = f->at;
    if (*from == '{') return group(f, out);
    if (*from == '\\') return command(f, out, limits);
    if (memchr("}_^&#$", *from, 6) != NULL) return false;
    if (is_digit(*from)) {
        while (f->at < f->end &&
               (is_digit(*f->at) || (*f->at == '.' && f->at + 1 < f->end && is_digit(f->at[1]))))
            f->at++;
    } else {
        size_t length = qkv__utf8_length(from, (size_t)(f->end - from));
        if (length == 0) return false;
        f->at += length;
    }
    const bool letter = is_letter(*from) || (unsigned char)*from >= 0x80;
    qkv__text text = {0};
    if (*from == '-')
        put(&text, "−");
    else if (*from == '\'')
        put(&text, "′");
    else
        qkv__text_markup(&text, from, (size_t)(f->at - from));
    if (text.failed || text.data == NULL) {
        out->failed = true;
        qkv__text_free(&text);
        return false;
    }
    if (is_digit(*from) || letter)
        put_identifier(f, is_digit(*from) ? "mn" : "mi", text.data, out);
    else if (memchr("()[]|", *from, 5) != NULL)
        put_bracket(f, text.data, out);
    else
        put_sign(f, text.data, out);
    qkv__text_free(&text);
    return true;
}

/* scripted = atom ["_" group] ["^" group], in either order. */
static bool scripted(formula *f, qkv__text *out)
{
    qkv__text base = {0}, low = {0}, high = {0};
    bool limits = false, good = atom(f, &base, &limits);
    for (skip_blanks(f); good && f->at < f->end && (*f->at == '_' || *f->at == '^');
         skip_blanks(f)) {
        qkv__text *script = *f->at++ == '_' ? &low : &high;
        good = script->length == 0 && group(f, script);
    }
    bool has_low = low.length > 0, has_high = high.length > 0;
    if (has_low || has_high) {
        f->may_break = false;
        f->operand = true;
    }
    const char *elements[2][3] = {{"msub", "msup", "msubsup"}, {"munder", "mover", "munderover"}};
    const char *element = elements[limits][has_low && has_high ? 2 : has_high ? 1 : 0];
    if (has_low || has_high) qkv__text_format(out, "<%s>", element);
    if (base.length > 0)
        qkv__text_append(out, base.data, base.length);
    else if (has_low || has_high)
        good = false;
    if (has_low) qkv__text_append(out, low.data, low.length);
    if (has_high) qkv__text_append(out, high.data, high.length);
    if (has_low || has_high) qkv__text_format(out, "</%s>", element);
    out->failed = out->failed || base.failed || low.failed || high.failed;
    qkv__text_free(&base);
    qkv__text_free(&low);
    qkv__text_free(&high);
    return good;
}

/* All up to a closing brace, or, for '\0', up to the end. */
static bool row(formula *f, char closing, qkv__text *out)
{
    for (skip_blanks(f); f->at < f->end; skip_blanks(f)) {
        if (closing != '\0' && *f->at == closing) {
            f->at++;
            return true;
        }
        f->may_break = false;
        if (!scripted(f, out)) return false;
        if (f->may_break) put(out, "</math><wbr/><math>");
    }
    return closing == '\0';
}

/* A formula of LaTeX with what is shown on hover. */
static void put_formula(qkv__text *out, const char *source, size_t length, bool display,
                        const char *title, size_t title_length, bool hover)
{
    qkv__text markup = {0};
    formula f = {.at = source,
                 .end = source + length,
                 .display = display,
                 .breaks = !display && length > LONG_FORMULA};
    bool good = row(&f, '\0', &markup);
    put(out, "<span class=\"formula\"");
    if (hover) put(out, " title=\"");
    if (hover) qkv__text_markup(out, title, title_length);
    put(out, hover ? "\">" : ">");
    if (good && markup.length > 0) {
        qkv__text_format(out, "<math%s>", display ? " display=\"block\"" : "");
        qkv__text_append(out, markup.data, markup.length);
        put(out, "</math>");
    } else {
        put(out, "<code>");
        qkv__text_markup(out, title, title_length);
        put(out, "</code>");
    }
    put(out, "</span>");
    out->failed = out->failed || markup.failed;
    qkv__text_free(&markup);
}

bool qkv__html_is_formula(const char *source, size_t length)
{
    qkv__text markup = {0};
    formula f = {.at = source, .end = source + length};
    bool good = row(&f, '\0', &markup) && !markup.failed;
    qkv__text_free(&markup);
    return good;
}

void qkv__html_mathematics(qkv__text *out, const char *source, size_t length, bool display)
{
    put_formula(out, source, length, display, source, length, true);
}

bool qkv__html_typeset(qkv__text *out, const char *line, bool display, bool hover)
{
    qkv__text latex = {0};
    const bool good = qkv__typeset(line, &latex);
    if (good && !latex.failed)
        put_formula(out, latex.data, latex.length, display, line, strlen(line), hover);
    out->failed = out->failed || latex.failed;
    qkv__text_free(&latex);
    return good;
}
