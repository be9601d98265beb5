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
    if (e->kind == QKV__EXPRESSION_PRODUCT || e->kind == QKV__EXPRESSION_SCALE) return PRODUCT;
    return POSTFIX;
}

static void write_bare(const qkv__theory *theory, const qkv__expression *e, qkv__text *text)
{
    switch (e->kind) {
    case QKV__EXPRESSION_ATOM: qkv__text_format(text, "%s", theory->atom[e->atom].name); break;
    case QKV__EXPRESSION_IDENTITY: qkv__text_append(text, "I", 1); break;
    case QKV__EXPRESSION_ZERO: qkv__text_append(text, "0", 1); break;
    case QKV__EXPRESSION_SUM: write_sum(theory, e, text); break;
    case QKV__EXPRESSION_PRODUCT:
        write_within(theory, e->left, PRODUCT, text);
        qkv__text_append(text, "*", 1);
        write_within(theory, e->right, PRODUCT, text);
        break;
    case QKV__EXPRESSION_SCALE:
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

static void write_letter(const qkv__theory *theory, int letter, qkv__text *text)
{
    int symbol = letter / 2;
    if (symbol < QKV__ATOMS) {
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

static void write_word(const qkv__theory *theory, const qkv__word *word, bool first,
                       qkv__text *text)
{
    qkv__rational factor = word->coefficient;
    if (!first && qkv__rational_sign(factor) < 0) {
        qkv__text_append(text, " - ", 3);
        factor = qkv__rational_negate(factor);
    } else if (!first) {
        qkv__text_append(text, " + ", 3);
    }
    write_factor(factor, text);
    if (word->length == 0) qkv__text_append(text, "I", 1);
    qkv__letters_write(theory, word->letter, word->length, text);
}

void qkv__words_write(const qkv__theory *theory, const qkv__words *words, qkv__text *text)
{
    if (words == NULL) {
        qkv__text_append(text, "?", 1);
        return;
    }
    if (words->count == 0) qkv__text_append(text, "0", 1);
    for (size_t i = 0; i < words->count; i++) write_word(theory, &words->word[i], i == 0, text);
}
