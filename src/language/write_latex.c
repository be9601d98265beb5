/*
 * Trees as LaTeX: fractions, exponents, subscripts, sums. Only commands that every LaTeX with
 * amsmath knows, and that html/mathematics.c turns into MathML. Knows syntax alone.
 */
#include <string.h>

#include "language/builtin.h"
#include "language/document.h"
#include "language/names.h"
#include "language/write.h"

/* How tightly a place binds; a looser node gets parentheses. */
typedef enum level {
    LEVEL_ANY,
    LEVEL_OR,
    LEVEL_AND,
    LEVEL_NOT,
    LEVEL_COMPARE,
    LEVEL_SUM,
    LEVEL_PRODUCT,
    LEVEL_FACTOR,
    LEVEL_ATOM
} level;

static void write(const qkv__node *node, level wanted, qkv__text *text);

static void put(qkv__text *text, const char *string)
{
    qkv__text_append(text, string, strlen(string));
}

/* Words as text within a formula, without the characters that LaTeX takes for commands. */
static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* A power within words, as in "sum of e^score", is raised. */
static void put_words(qkv__text *text, const char *words, size_t length)
{
    put(text, "\\text{");
    for (size_t i = 0; i < length; i++) {
        size_t power = i + 1;
        while (words[i] == '^' && power < length && is_letter(words[power])) power++;
        if (power > i + 1) {
            put(text, "}^{\\text{");
            qkv__text_append(text, words + i + 1, power - i - 1);
            put(text, "}}\\text{");
            i = power - 1;
        } else if (strchr("{}\\$&#^_~%", words[i]) == NULL) {
            qkv__text_append(text, words + i, 1);
        }
    }
    put(text, "}");
}

/* ---- Names ---------------------------------------------------------------------------------- */

static bool is_greek(const char *name, size_t length)
{
    static const char *const letters[] = {
        "alpha", "beta",  "gamma", "delta", "theta", "lambda", "mu",     "nu",    "pi",
        "rho",   "sigma", "tau",   "phi",   "omega", "Delta",  "Lambda", "Sigma", "Omega",
        "Phi",   "eta",   "xi",    "psi",   "Gamma", "Theta",  "kappa"};
    for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++)
        if (strlen(letters[i]) == length && memcmp(letters[i], name, length) == 0) return true;
    return false;
}

static void put_plain_name(qkv__text *text, const char *name, size_t length)
{
    if (length == 3 && memcmp(name, "eps", 3) == 0)
        put(text, "\\varepsilon ");
    else if (is_greek(name, length))
        qkv__text_format(text, "\\%.*s ", (int)length, name);
    else if (length == 1)
        qkv__text_format(text, "%c", name[0]);
    else {
        put(text, "\\mathrm{");
        for (size_t i = 0; i < length; i++) /* two subscripts are an error there */
            qkv__text_format(text, "%s%c", name[i] == '_' ? "\\" : "", name[i]);
        put(text, "}");
    }
}

/* W_Q is W with the index Q, and t1 is t with 1. */
static void put_name(qkv__text *text, const char *name)
{
    const char *line = strchr(name, '_');
    size_t length = strlen(name), front = line == NULL ? length : (size_t)(line - name);
    if (line == NULL)
        while (front > 1 && name[front - 1] >= '0' && name[front - 1] <= '9') front--;
    const char *rest = line == NULL ? name + front : line + 1;
    if (front == 0 || strchr(rest, '_') != NULL) front = length, rest = "";
    put_plain_name(text, name, front);
    if (rest[0] == '\0') return;
    put(text, "_{");
    put_plain_name(text, rest, strlen(rest));
    put(text, "}");
}

/* ---- Levels --------------------------------------------------------------------------------- */

static level level_of(const qkv__node *node)
{
    switch (node->kind) {
    case QKV__NODE_IMPLIES:
    case QKV__NODE_EXISTS:
    case QKV__NODE_FOR_ALL:
    case QKV__NODE_GIVEN: return LEVEL_ANY;
    case QKV__NODE_OR: return LEVEL_OR;
    case QKV__NODE_AND: return LEVEL_AND;
    case QKV__NODE_NOT: return LEVEL_NOT;
    case QKV__NODE_COMPARE: return LEVEL_COMPARE;
    case QKV__NODE_ADD:
    case QKV__NODE_SUBTRACT:
    case QKV__NODE_NEGATE:
    case QKV__NODE_WITH:
    case QKV__NODE_RANGE: return LEVEL_SUM;
    case QKV__NODE_MULTIPLY: return LEVEL_PRODUCT;
    case QKV__NODE_NUMBER: return node->value.numerator < 0 ? LEVEL_SUM : LEVEL_ATOM;
    case QKV__NODE_DOT:
    case QKV__NODE_DIVIDE:
    case QKV__NODE_POWER: return LEVEL_FACTOR;
    case QKV__NODE_CALL:
        return node->count == 1 && node->child[0]->kind == QKV__NODE_SUM ? LEVEL_PRODUCT
                                                                         : LEVEL_ATOM;
    default: return LEVEL_ATOM;
    }
}

/* ---- Expressions ---------------------------------------------------------------------------- */

/* As high as a fraction in them. Takes `inside`. */
static void put_parentheses(qkv__text *inside, qkv__text *text)
{
    const bool high = inside->length > 0 && strstr(inside->data, "\\frac") != NULL;
    put(text, high ? "\\left(" : "(");
    if (inside->length > 0) qkv__text_append(text, inside->data, inside->length);
    put(text, high ? "\\right)" : ")");
    text->failed = text->failed || inside->failed;
    qkv__text_free(inside);
}

static void put_items(const qkv__node *node, size_t first, qkv__text *text)
{
    for (size_t i = first; i < node->count; i++) {
        put(text, i > first ? ", " : "");
        write(node->child[i], LEVEL_ANY, text);
    }
}

static void put_two(const qkv__node *node, const char *between, level left, level right,
                    qkv__text *text)
{
    write(node->child[0], left, text);
    put(text, between);
    write(node->child[1], right, text);
}

/* 0.146 as it was written, 1/3 as a fraction. */
static void put_number(const qkv__node *node, qkv__text *text)
{
    qkv__text plain = {0};
    qkv__node_write(node, &plain);
    const char *slash = plain.data == NULL ? NULL : strchr(plain.data, '/');
    if (slash != NULL)
        qkv__text_format(text, "\\frac{%.*s}{%s}", (int)(slash - plain.data), plain.data,
                         slash + 1);
    else if (plain.data != NULL)
        put(text, plain.data);
    text->failed = text->failed || plain.failed;
    qkv__text_free(&plain);
}

/* A number, or a quotient of numbers. */
static bool is_numeric(const qkv__node *node)
{
    if (node->kind == QKV__NODE_DIVIDE)
        return is_numeric(node->child[0]) && is_numeric(node->child[1]);
    return node->kind == QKV__NODE_NUMBER;
}

static const qkv__node *rightmost(const qkv__node *node)
{
    while (node->kind == QKV__NODE_MULTIPLY) node = node->child[1];
    return node;
}

static const qkv__node *leftmost(const qkv__node *node)
{
    while (node->kind == QKV__NODE_MULTIPLY || node->kind == QKV__NODE_POWER) node = node->child[0];
    return node;
}

static void put_product(const qkv__node *node, qkv__text *text)
{
    const qkv__node *before = rightmost(node->child[0]), *behind = leftmost(node->child[1]);
    const bool numbers = is_numeric(before) && is_numeric(behind);
    put_two(node, numbers || node->text[0] == '.' ? " \\cdot " : "\\,", LEVEL_PRODUCT, LEVEL_FACTOR,
            text);
}

static void put_domain(const qkv__node *domain, qkv__text *text)
{
    put(text, "_{");
    write(domain, LEVEL_ANY, text);
    put(text, "}");
}

/* sum(x for i in S), mean, max, min */
static void put_big(const qkv__node *call, qkv__text *text)
{
    const qkv__node *sum = call->child[0];
    const bool own = strcmp(call->text, "sum") == 0 || strcmp(call->text, "max") == 0 ||
                     strcmp(call->text, "min") == 0;
    if (own)
        qkv__text_format(text, "\\%s", call->text);
    else
        qkv__text_format(text, "\\operatorname{%s}", call->text);
    put_domain(sum->child[1], text);
    put(text, " ");
    write(sum->child[0], LEVEL_PRODUCT, text);
}

/* self_attend is one word, and has no index. */
static void put_function(const char *name, qkv__text *text)
{
    put(text, "\\operatorname{");
    for (; *name != '\0'; name++) qkv__text_append(text, *name == '_' ? "-" : name, 1);
    put(text, "}");
}

static void put_call(const qkv__node *node, qkv__text *text)
{
    const bool single = strlen(node->text) == 1;
    if (node->count == 1 && node->child[0]->kind == QKV__NODE_SUM) {
        put_big(node, text);
        return;
    }
    if (strcmp(node->text, "sqrt") == 0 && node->count == 1) {
        put(text, "\\sqrt{");
        write(node->child[0], LEVEL_ANY, text);
        put(text, "}");
        return;
    }
    const bool known = strcmp(node->text, "ln") == 0 || strcmp(node->text, "exp") == 0 ||
                       strcmp(node->text, "log") == 0;
    if (single)
        put(text, node->text);
    else if (known)
        qkv__text_format(text, "\\%s", node->text);
    else if (strchr(node->text, '_') != NULL && qkv__builtin_of(node) != QKV__BUILTIN_NONE)
        put_function(node->text, text);
    else
        put_name(text, node->text);
    qkv__text items = {0};
    put_items(node, 0, &items);
    put_parentheses(&items, text);
}

static void put_index(const qkv__node *node, qkv__text *text)
{
    write(node->child[0], LEVEL_ATOM, text);
    const bool twice =
        node->child[0]->kind == QKV__NODE_INDEX ||
        (node->child[0]->kind == QKV__NODE_NAME && strchr(node->child[0]->text, '_') != NULL);
    put(text, twice ? "[" : "_{");
    put_items(node, 1, text);
    put(text, twice ? "]" : "}");
}

/* A power below another one gets its parentheses by its level. */
static void put_power(const qkv__node *node, qkv__text *text)
{
    const bool nested = node->child[0]->kind == QKV__NODE_TRANSPOSE;
    put(text, nested ? "(" : "{");
    write(node->child[0], LEVEL_ATOM, text);
    put(text, nested ? ")^{" : "}^{");
    write(node->child[1], LEVEL_ANY, text);
    put(text, "}");
}

static void put_fraction(const qkv__node *node, qkv__text *text)
{
    put(text, "\\frac{");
    write(node->child[0], LEVEL_ANY, text);
    put(text, "}{");
    write(node->child[1], LEVEL_ANY, text);
    put(text, "}");
}

static void put_around(const char *front, const qkv__node *node, level wanted, const char *behind,
                       qkv__text *text)
{
    put(text, front);
    write(node->child[0], wanted, text);
    put(text, behind);
}

static void write_expression(const qkv__node *node, qkv__text *text)
{
    switch (node->kind) {
    case QKV__NODE_NUMBER: put_number(node, text); break;
    case QKV__NODE_INFINITY: put(text, "\\infty "); break;
    case QKV__NODE_NAME: put_name(text, node->text); break;
    case QKV__NODE_INDEX: put_index(node, text); break;
    case QKV__NODE_MEMBER:
        put_around("", node, LEVEL_ATOM, "", text);
        qkv__text_format(text, "\\mathrm{.%s}", node->text);
        break;
    case QKV__NODE_CALL: put_call(node, text); break;
    case QKV__NODE_OPTION:
        put_name(text, node->text);
        put_around(" = ", node, LEVEL_SUM, "", text);
        break;
    case QKV__NODE_NEGATE: put_around("-", node, LEVEL_PRODUCT, "", text); break;
    case QKV__NODE_TRANSPOSE: put_around("{", node, LEVEL_ATOM, "}^{\\top}", text); break;
    case QKV__NODE_ADD: put_two(node, " + ", LEVEL_SUM, LEVEL_PRODUCT, text); break;
    case QKV__NODE_SUBTRACT: put_two(node, " - ", LEVEL_SUM, LEVEL_PRODUCT, text); break;
    case QKV__NODE_MULTIPLY: put_product(node, text); break;
    case QKV__NODE_DIVIDE: put_fraction(node, text); break;
    case QKV__NODE_POWER: put_power(node, text); break;
    case QKV__NODE_DOT: put_two(node, " \\cdot ", LEVEL_FACTOR, LEVEL_ATOM, text); break;
    case QKV__NODE_SIZE: put_around("|", node, LEVEL_ANY, "|", text); break;
    case QKV__NODE_RANGE: put_two(node, ", \\ldots , ", LEVEL_SUM, LEVEL_SUM, text); break;
    case QKV__NODE_SET:
        put(text, "\\{");
        put_items(node, 0, text);
        put(text, "\\}");
        break;
    case QKV__NODE_LIST:
        put(text, "[");
        put_items(node, 0, text);
        put(text, "]");
        break;
    case QKV__NODE_SUM:
        put_around("", node, LEVEL_SUM, "\\;\\text{for}\\;", text);
        write(node->child[1], LEVEL_ANY, text);
        break;
    case QKV__NODE_WITH:
        put_two(node, "\\;\\text{with}\\;", LEVEL_SUM, LEVEL_SUM, text);
        put(text, " = ");
        write(node->child[2], LEVEL_SUM, text);
        break;
    default: put_words(text, node->text, strlen(node->text)); break; /* the name of a file */
    }
}

/* ---- Propositions --------------------------------------------------------------------------- */

static const char *comparison_text(qkv__comparison comparison)
{
    static const char *const texts[] = {
        [QKV__EQUAL] = " = ",
        [QKV__NOT_EQUAL] = " \\ne ",
        [QKV__LESS] = " < ",
        [QKV__LESS_OR_EQUAL] = " \\le ",
        [QKV__GREATER] = " > ",
        [QKV__GREATER_OR_EQUAL] = " \\ge ",
        [QKV__NEAR] = " \\approx ",
        [QKV__IN] = " \\in ",
        [QKV__NOT_IN] = " \\notin ",
        [QKV__TENDS_TO] = " \\to ",
        [QKV__DISTRIBUTED] = " \\sim ",
    };
    return texts[comparison];
}

/* Whether something can be the first or last index of a range. */
static bool may_be_whole(const qkv__node *node)
{
    return node->kind == QKV__NODE_NUMBER ? node->value.denominator == 1 : !is_numeric(node);
}

/* {1, ..., n} where an index runs over a range; from x to y where a number lies in one. */
static void put_comparison(const qkv__node *node, qkv__text *text)
{
    const qkv__node *set = node->child[1];
    const bool range = set->kind == QKV__NODE_RANGE &&
                       (node->comparison == QKV__IN || node->comparison == QKV__NOT_IN);
    write(node->child[0], LEVEL_SUM, text);
    put(text, comparison_text(node->comparison));
    if (range) {
        const bool whole = node->child[0]->kind == QKV__NODE_NAME && may_be_whole(set->child[0]) &&
                           may_be_whole(set->child[1]);
        put(text, whole ? "\\{" : "[");
        write(set->child[0], LEVEL_SUM, text);
        put(text, whole ? ", \\ldots , " : ", ");
        write(set->child[1], LEVEL_SUM, text);
        put(text, whole ? "\\}" : "]");
    } else {
        write(set, LEVEL_SUM, text);
    }
}

/* A name, `vector q` or `i in 1..n`. */
static void put_quantifier(const qkv__node *node, qkv__text *text)
{
    put(text, node->kind == QKV__NODE_EXISTS ? "\\exists " : "\\forall ");
    for (size_t i = 0; i + 1 < node->count; i++) {
        const qkv__node *bound = node->child[i];
        put(text, i > 0 ? ", " : "");
        write(bound->kind == QKV__NODE_CALL ? bound->child[0] : bound, LEVEL_ANY, text);
    }
    put(text, " : \\; ");
    write(node->child[node->count - 1], LEVEL_ANY, text);
}

static void write_proposition(const qkv__node *node, qkv__text *text)
{
    switch (node->kind) {
    case QKV__NODE_COMPARE: put_comparison(node, text); break;
    case QKV__NODE_AND: put_two(node, "\\;\\text{and}\\;", LEVEL_AND, LEVEL_NOT, text); break;
    case QKV__NODE_OR: put_two(node, "\\;\\text{or}\\;", LEVEL_OR, LEVEL_AND, text); break;
    case QKV__NODE_NOT: put_around("\\text{not}\\;", node, LEVEL_NOT, "", text); break;
    case QKV__NODE_IMPLIES: put_two(node, " \\implies ", LEVEL_OR, LEVEL_ANY, text); break;
    case QKV__NODE_GIVEN: put_two(node, " \\mid ", LEVEL_OR, LEVEL_OR, text); break;
    default: put_quantifier(node, text); break;
    }
}

static void write(const qkv__node *node, level wanted, qkv__text *text)
{
    const bool parentheses = level_of(node) < wanted;
    qkv__text inside = {0}, *place = parentheses ? &inside : text;
    if (node->kind >= QKV__NODE_COMPARE)
        write_proposition(node, place);
    else
        write_expression(node, place);
    if (parentheses) put_parentheses(&inside, text);
}

void qkv__node_latex(const qkv__node *node, qkv__text *text)
{
    write(node, LEVEL_ANY, text);
}

/* ---- Statements and texts ------------------------------------------------------------------- */

static void put_condition(const qkv__condition *c, qkv__text *text)
{
    static const char *const words[] = {
        [QKV__CONDITION_LIMIT] = "as",    [QKV__CONDITION_RANGE] = "for",
        [QKV__CONDITION_AT] = "at",       [QKV__CONDITION_WITHIN] = "within",
        [QKV__CONDITION_GIVEN] = "given", [QKV__CONDITION_EXPECT] = ""};
    if (c->kind == QKV__CONDITION_EXPECT) return;
    qkv__text_format(text, "\\quad \\text{%s}\\;", words[c->kind]);
    for (size_t i = 0; i < c->count; i++) {
        put(text, i == 0 ? "" : c->kind == QKV__CONDITION_LIMIT ? "\\;\\text{then}\\;" : ", ");
        write(c->node[i], LEVEL_ANY, text);
    }
}

static void put_entry(const qkv__statement *s, qkv__text *text)
{
    if (s->kind == QKV__STATEMENT_LAW) put(text, "\\text{law of}\\;");
    if (s->kind == QKV__STATEMENT_FIND) {
        put(text, s->least ? "\\text{find least}\\;" : "\\text{find}\\;");
        for (size_t i = 0; i + 1 < s->count; i++) {
            put(text, i > 0 ? ", " : "");
            write(s->node[i]->kind == QKV__NODE_CALL ? s->node[i]->child[0] : s->node[i], LEVEL_ANY,
                  text);
        }
        put(text, " : \\; ");
    }
    write(s->node[s->count - 1], LEVEL_ANY, text);
    for (const qkv__condition *c = s->conditions; c != NULL; c = c->next) put_condition(c, text);
}

/* Words side by side are prose, not a product: "k[i].q is any number". */
static bool is_word(const qkv__node *node)
{
    return node->kind == QKV__NODE_NAME && strlen(node->text) > 1 &&
           strchr(node->text, '_') == NULL && !is_greek(node->text, strlen(node->text)) &&
           !qkv__is_letter_name(node->text, strlen(node->text));
}

static bool is_prose(const qkv__node *node)
{
    if (node->kind == QKV__NODE_MULTIPLY &&
        (is_word(rightmost(node->child[0])) || is_word(leftmost(node->child[1]))))
        return true;
    for (size_t i = 0; i < node->count; i++)
        if (is_prose(node->child[i])) return true;
    return false;
}

/* Reads a document of one line that is expected to have one statement. */
static bool typeset_line(const char *front, const char *line, const char *behind, bool definition,
                         qkv__text *latex)
{
    qkv__document document;
    qkv_error error;
    qkv__text text = {0};
    qkv__text_format(&text, "%s%s%s\n", front, line, behind);
    bool good = !text.failed &&
                qkv__document_read("line.qkv", text.data, text.length, &document, &error) == QKV_OK;
    qkv__text_free(&text);
    if (!good) latex->failed = true; /* there is no memory: whatever was written is read */
    if (!good) return false;
    const qkv__statement *s = document.first;
    good = document.complaint_count == 0 && s != NULL && s->next == NULL && s->count > 0 &&
           s->kind >= QKV__STATEMENT_DEFINE && s->kind <= QKV__STATEMENT_LAW;
    if (good && s->written != NULL)
        s = s->written; /* as it stands in the text, before it was written out */
    for (size_t i = 0; good && front[0] != '\0' && i < s->count; i++) good = !is_prose(s->node[i]);
    if (good && s->kind == QKV__STATEMENT_DEFINE && !definition)
        qkv__node_latex(s->node[1], latex);
    else if (good && s->kind == QKV__STATEMENT_DEFINE) {
        qkv__node_latex(s->node[0], latex);
        put(latex, " = ");
        qkv__node_latex(s->node[1], latex);
    } else if (good) {
        put_entry(s, latex);
    }
    qkv__document_free(&document);
    return good;
}

/* One formula: a proposition or an expression, perhaps behind "=", "+" or "->". */
static bool typeset_formula(const char *source, size_t length, qkv__text *latex)
{
    qkv__text line = {0};
    const char *const signs[][2] = {{"-> ", "\\to "}, {"= ", "= "}, {"+ ", "+ "}};
    while (length > 0 && *source == ' ') source++, length--;
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        const size_t sign = strlen(signs[i][0]);
        if (length <= sign || memcmp(source, signs[i][0], sign) != 0) continue;
        put(latex, signs[i][1]);
        source += sign;
        length -= sign;
        break;
    }
    qkv__text_append(&line, source, length);
    latex->failed = latex->failed || line.failed;
    const bool good = !line.failed && line.data != NULL &&
                      (typeset_line("claim: ", line.data, "", false, latex) ||
                       typeset_line("typeset = ", line.data, "", false, latex));
    qkv__text_free(&line);
    return good;
}

/* Where a remark begins behind a formula, three blanks away from it; the length if there is none.
 */
static size_t find_remark(const char *source)
{
    const char *sign = strstr(source, "= "), *remark = NULL;
    for (const char *at = sign; at != NULL; at = strstr(at + 1, "   "))
        if (at != sign) remark = at;
    return remark == NULL ? strlen(source) : (size_t)(remark - source);
}

/* The name of something in words, "another's, on average", then its value. */
static bool typeset_named(const char *source, size_t length, qkv__text *latex)
{
    const char *sign = strstr(source, " = ");
    if (sign == NULL || sign >= source + length) return false;
    size_t words = (size_t)(sign - source);
    while (words > 0 && source[words - 1] == ' ') words--;
    if (words == 0) return false;
    put_words(latex, source, words);
    put(latex, " ");
    return typeset_formula(sign + 1, length - (size_t)(sign + 1 - source), latex);
}

static void forget(qkv__text *latex, size_t length)
{
    latex->length = length;
    if (latex->data != NULL) latex->data[length] = '\0';
}

bool qkv__typeset(const char *source, qkv__text *latex)
{
    const size_t before = latex->length, length = find_remark(source);
    static const char *const words[] = {"claim", "find ", "law "};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strncmp(source, words[i], strlen(words[i])) == 0)
            return typeset_line("", source, "", true, latex);
    bool good = typeset_formula(source, length, latex);
    if (!good) forget(latex, before);
    if (!good) good = typeset_named(source, length, latex);
    if (!good) return forget(latex, before), false;
    const char *remark = source + length + strspn(source + length, " ");
    if (*remark != '\0') put(latex, "\\quad ");
    if (*remark != '\0') put_words(latex, remark, strlen(remark));
    return true;
}
