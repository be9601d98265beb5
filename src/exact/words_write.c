/* Expressions and normal forms as text that the claim language reads back:
 * P*softmax(X*W_Q*W_K'*X')*X*W_V. Changes nothing. */
#include "exact/words_internal.h"

/* How tightly a piece of text binds; what binds looser than its place asks gets parentheses. */
typedef enum binding { SUM, PRODUCT, POSTFIX } binding;

static void write_within(const qkv__theory *theory, const qkv__expression *e, binding place,
                         qkv__text *text);

/* 2*, 1/2*, -, -2*, or nothing. */
static void write_factor(qkv__rational factor, qkv__text *text)
{
    if (factor.denominator == 1 && factor.numerator == 1) return;
    if (factor.denominator == 1 && factor.numerator == -1) {
        qkv__text_append(text, "-", 1);
        return;
    }
    qkv__text_format(text, "%lld", (long long)factor.numerator);
    if (factor.denominator != 1) qkv__text_format(text, "/%lld", (long long)factor.denominator);
    qkv__text_append(text, "*", 1);
}

static bool is_negative_multiple(const qkv__expression *e)
{
    return e->kind == QKV__EXPRESSION_SCALE && qkv__rational_sign(e->factor) < 0;
}

/* left + right, or left - right where the right side is a negative multiple. */
static void write_sum(const qkv__theory *theory, const qkv__expression *e, qkv__text *text)
{
    write_within(theory, e->left, SUM, text);
    if (is_negative_multiple(e->right)) {
        qkv__text_append(text, " - ", 3);
        write_factor(qkv__rational_negate(e->right->factor), text);
        write_within(theory, e->right->left, PRODUCT, text);
    } else {
        qkv__text_append(text, " + ", 3);
        write_within(theory, e->right, SUM, text);
    }
}

static binding binding_of(const qkv__expression *e)
{
    if (e->kind == QKV__EXPRESSION_SUM || is_negative_multiple(e)) return SUM;
    if (e->kind == QKV__EXPRESSION_PRODUCT || e->kind == QKV__EXPRESSION_SCALE ||
        e->kind == QKV__EXPRESSION_TIMES ||
        (e->kind == QKV__EXPRESSION_FUNCTION && e->function == QKV__FUNCTION_RECIPROCAL))
        return PRODUCT;
    return POSTFIX;
}

const char *qkv__function_name(qkv__function function)
{
    static const char *const names[] = {
        [QKV__FUNCTION_PARAMETER] = "",        [QKV__FUNCTION_TRACE] = "trace",
        [QKV__FUNCTION_DETERMINANT] = "det",   [QKV__FUNCTION_RECIPROCAL] = "1/",
        [QKV__FUNCTION_ROOT] = "sqrt",         [QKV__FUNCTION_RANK] = "rank",
        [QKV__FUNCTION_SPECTRAL] = "spectral", [QKV__FUNCTION_INVERSE] = "inverse",
        [QKV__FUNCTION_ONES] = "ones",         [QKV__FUNCTION_DIAGONAL] = "diag",
    };
    return names[function];
}

static void write_function(const qkv__theory *theory, const qkv__expression *e, qkv__text *text)
{
    qkv__text_format(text, "%s", qkv__function_name(e->function));
    if (e->function == QKV__FUNCTION_PARAMETER) {
        qkv__text_format(text, "%s", e->name);
        return;
    }
    qkv__text_append(text, "(", 1);
    if (e->left == NULL)
        qkv__text_format(text, "%s", theory->dimension[e->rows].name);
    else
        write_within(theory, e->left, SUM, text);
    qkv__text_append(text, ")", 1);
}

static void write_bare(const qkv__theory *theory, const qkv__expression *e, qkv__text *text)
{
    switch (e->kind) {
    case QKV__EXPRESSION_ATOM: qkv__text_format(text, "%s", theory->atom[e->atom].name); break;
    case QKV__EXPRESSION_IDENTITY:
        qkv__text_append(text, e->form == QKV__FORM_NUMBER ? "1" : "I", 1);
        break;
    case QKV__EXPRESSION_ZERO: qkv__text_append(text, "0", 1); break;
    case QKV__EXPRESSION_SUM: write_sum(theory, e, text); break;
    case QKV__EXPRESSION_TIMES:
    case QKV__EXPRESSION_PRODUCT:
        write_within(theory, e->left, PRODUCT, text);
        qkv__text_append(text, "*", 1);
        write_within(theory, e->right, PRODUCT, text);
        break;
    case QKV__EXPRESSION_SCALE:
        if (e->left->kind == QKV__EXPRESSION_IDENTITY && e->form == QKV__FORM_NUMBER) {
            qkv__rational_write(e->factor, text);
            break;
        }
        write_factor(e->factor, text);
        write_within(theory, e->left, PRODUCT, text);
        break;
    case QKV__EXPRESSION_TRANSPOSE:
        write_within(theory, e->left, POSTFIX, text);
        qkv__text_append(text, "'", 1);
        break;
    case QKV__EXPRESSION_SOFTMAX:
        qkv__text_append(text, "softmax(", 8);
        write_within(theory, e->left, SUM, text);
        qkv__text_append(text, ")", 1);
        break;
    case QKV__EXPRESSION_FUNCTION: write_function(theory, e, text); break;
    }
}

static void write_within(const qkv__theory *theory, const qkv__expression *e, binding place,
                         qkv__text *text)
{
    bool braced = binding_of(e) < place;
    if (braced) qkv__text_append(text, "(", 1);
    write_bare(theory, e, text);
    if (braced) qkv__text_append(text, ")", 1);
}

void qkv__expression_write(const qkv__theory *theory, const qkv__expression *expression,
                           qkv__text *text)
{
    if (expression == NULL)
        qkv__text_append(text, "?", 1);
    else
        write_within(theory, expression, SUM, text);
}

/* ---- Normal forms -------------------------------------------------------------------------- */

/* sqrt(trace(v'*v)) is |v|, and sqrt(s*s) is |s|; false: it is neither. */
static bool write_norm(const qkv__theory *theory, const qkv__words *argument, qkv__text *text)
{
    const qkv__word *word = argument->count == 1 ? &argument->word[0] : NULL;
    if (word == NULL || word->coefficient.numerator != word->coefficient.denominator) return false;
    const bool pair = word->length == 2 && word->letter[0] == word->letter[1];
    const bool trace =
        word->length == 1 && qkv__letter_is(theory, word->letter[0], QKV__FUNCTION_TRACE);
    const int *letter = word->letter;
    size_t length = 1;
    int turned[QKV__LETTERS_AT_MOST];
    if (trace) {
        const qkv__word *inner = &qkv__letter_special(theory, letter[0])->argument->word[0];
        size_t by = 0;
        for (; by < inner->length; by++) {
            for (size_t i = 0; i < inner->length; i++)
                turned[i] = inner->letter[(i + by) % inner->length];
            if (qkv__letters_are_gram(turned, inner->length)) break;
        }
        if (by == inner->length) return false;
        length = inner->length / 2;
        letter = turned + length;
    }
    if (!pair && !trace) return false;
    qkv__text_append(text, "|", 1);
    qkv__letters_write(theory, letter, length, text);
    qkv__text_append(text, "|", 1);
    return true;
}

/* A product of size 1 by 1 is written as it is, a norm as a norm. */
static void write_special(const qkv__theory *theory, int letter, qkv__text *text)
{
    const qkv__special *special = qkv__letter_special(theory, letter);
    const qkv__words *argument = special->argument;
    if (special->function == QKV__FUNCTION_PARAMETER) {
        qkv__text_format(text, "%s", special->name);
        return;
    }
    bool bare =
        special->function == QKV__FUNCTION_TRACE && theory->dimension[argument->rows].size == 1;
    if (bare) {
        qkv__words_write(theory, argument, text);
        return;
    }
    if (special->function == QKV__FUNCTION_ROOT && write_norm(theory, argument, text)) return;
    qkv__text_format(text, "%s(", qkv__function_name(special->function));
    if (argument == NULL)
        qkv__text_format(text, "%s", theory->dimension[special->rows].name);
    else
        qkv__words_write(theory, argument, text);
    qkv__text_append(text, ")", 1);
}

static void write_letter(const qkv__theory *theory, int letter, qkv__text *text)
{
    int symbol = letter / 2;
    if (qkv__letter_is_special(letter)) {
        write_special(theory, letter, text);
    } else if (symbol < QKV__ATOMS) {
        qkv__text_format(text, "%s", theory->atom[symbol].name);
    } else {
        qkv__text_append(text, "softmax(", 8);
        qkv__words_write(theory, theory->rules->softmax[symbol - QKV__ATOMS], text);
        qkv__text_append(text, ")", 1);
    }
    if (letter % 2 != 0) qkv__text_append(text, "'", 1);
}

void qkv__letters_write(const qkv__theory *theory, const int *letter, size_t length,
                        qkv__text *text)
{
    for (size_t i = 0; i < length; i++) {
        if (i > 0) qkv__text_append(text, "*", 1);
        write_letter(theory, letter[i], text);
    }
}

static void write_word(const qkv__theory *theory, const qkv__word *word, bool first, bool number,
                       qkv__text *text)
{
    qkv__rational factor = word->coefficient;
    if (!first && qkv__rational_sign(factor) < 0) {
        qkv__text_append(text, " - ", 3);
        factor = qkv__rational_negate(factor);
    } else if (!first) {
        qkv__text_append(text, " + ", 3);
    }
    if (word->length == 0 && number) {
        qkv__rational_write(factor, text);
        return;
    }
    write_factor(factor, text);
    if (word->length == 0) qkv__text_append(text, "I", 1);
    qkv__letters_write(theory, word->letter, word->length, text);
    if (!number && word->length > 0 && qkv__word_numbers(word) == word->length)
        qkv__text_append(text, "*I", 2);
}

void qkv__words_write(const qkv__theory *theory, const qkv__words *words, qkv__text *text)
{
    if (words == NULL) {
        qkv__text_append(text, "?", 1);
        return;
    }
    if (words->count == 0) qkv__text_append(text, "0", 1);
    bool number = theory->numbers && theory->dimension[words->rows].size == 1 &&
                  theory->dimension[words->columns].size == 1;
    for (size_t i = 0; i < words->count; i++)
        write_word(theory, &words->word[i], i == 0, number, text);
}
