/* Words of the claim language as signs. Knows which words stand for which; nothing of grammar: a word
 * is replaced where no letter, digit or line stands before or behind it. */
#include "signs.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool refused;

static const struct {
    const char *word, *sign;
} words[] = {
    {"alpha", "α"}, {"beta", "β"},   {"gamma", "γ"}, {"delta", "δ"}, {"Delta", "Δ"},
    {"eps", "ε"},   {"theta", "θ"},  {"lambda", "λ"}, {"mu", "μ"},   {"pi", "π"},
    {"sigma", "σ"}, {"Sigma", "Σ"},  {"tau", "τ"},   {"inf", "∞"},
};

static const struct {
    const char *from, *to;
} marks[] = {{"+/-", "±"}, {"->", "→"}, {"<=", "≤"}, {">=", "≥"}, {"!=", "≠"}};

static const struct {
    const char *from, *to;
} fractions[] = {{"1/2", "½"}, {"1/4", "¼"}, {"3/4", "¾"}, {"1/3", "⅓"}, {"2/3", "⅔"}};

void cli_signs_off(void)
{
    refused = true;
}

/* The first of these variables that is set says which characters there are. */
static bool is_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = getenv(names[i]);
        if (value == NULL || value[0] == '\0') continue;
        return strstr(value, "UTF-8") != NULL || strstr(value, "utf8") != NULL ||
               strstr(value, "UTF8") != NULL || strstr(value, "utf-8") != NULL;
    }
    return false;
}

bool cli_signs(void)
{
    return !refused && isatty(STDOUT_FILENO) && is_utf8();
}

const char *cli_sign_of(qkv_verdict verdict)
{
    if (!cli_signs()) return "";
    switch (verdict) {
    case QKV_PROVED: return "✓ ";
    case QKV_REFUTED: return "✗ ";
    case QKV_SUPPORTED: return "≈ ";
    case QKV_UNDECIDED: break;
    }
    return "? ";
}

static bool is_wordly(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* What the text goes on with, as a sign; NULL: nothing of the kind. before: the character in front. */
static const char *sign_at(const char *at, char before, size_t *length)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        *length = strlen(words[i].word);
        if (strncmp(at, words[i].word, *length) == 0 && !is_wordly(before) &&
            !is_wordly(at[*length]))
            return words[i].sign;
    }
    for (size_t i = 0; i < sizeof fractions / sizeof fractions[0]; i++) {
        *length = strlen(fractions[i].from);
        const bool alone = !is_wordly(before) && strchr("./^", before) == NULL &&
                           !is_wordly(at[*length]) && at[*length] != '.' && at[*length] != '^';
        if (strncmp(at, fractions[i].from, *length) == 0 && (before == '\0' || alone))
            return is_wordly(at[*length]) ? NULL : fractions[i].to;
    }
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        *length = strlen(marks[i].from);
        if (strncmp(at, marks[i].from, *length) == 0) return marks[i].to;
    }
    return NULL;
}

char *cli_with_signs(const char *text)
{
    if (!cli_signs()) return strdup(text);
    char *made = malloc(3 * strlen(text) + 1), *to = made, before = '\0';
    for (size_t length; made != NULL && *text != '\0'; text += length) {
        const char *sign = sign_at(text, before, &length);
        if (sign == NULL) {
            length = 1;
            *to++ = *text;
        } else {
            memcpy(to, sign, strlen(sign));
            to += strlen(sign);
        }
        before = text[length - 1];
    }
    if (made != NULL) *to = '\0';
    return made;
}
