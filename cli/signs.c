/* Whether the terminal has signs, and text with them. Knows locales; the library knows the signs.
 */
#include "signs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <qkv/figure.h>

static bool refused;

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

char *cli_with_signs(const char *text)
{
    qkv_picture words;
    if (!cli_signs()) return strdup(text);
    if (qkv_notation(text, false, &words, NULL) != QKV_OK) return NULL;
    char *copy = strdup(words.data);
    qkv_picture_free(&words);
    return copy;
}
