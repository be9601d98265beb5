/* Numbers and choices from text. Knows nothing of options. */
#include "value.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool cli_parse_size(const char *text, size_t *size)
{
    size_t result = 0;
    if (*text == '\0') return false;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9') return false;
        size_t digit = (size_t)(*text - '0');
        if (result > (SIZE_MAX - digit) / 10) return false;
        result = result * 10 + digit;
    }
    *size = result;
    return true;
}

bool cli_parse_real(const char *text, double *real)
{
    char *end;
    if (isspace((unsigned char)*text)) return false;
    double result = strtod(text, &end);
    if (end == text || *end != '\0') return false;
    *real = result;
    return true;
}

bool cli_parse_choice(const char *text, const char *const *names, size_t count, size_t *index)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(text, names[i]) == 0) {
            *index = i;
            return true;
        }
    return false;
}
