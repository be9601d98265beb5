/* Failures and warnings in one line. Knows nothing of what they are about. */
#include "report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "json.h"

/* A library message, a path and an option fit; what does not is cut. */
enum { LINE_CAPACITY = 2 * QKV_ERROR_CAPACITY };

/* Control characters, U+0080 to U+009F among them, and bytes that are no UTF-8 become '?': some
 * terminals take both for commands. */
static void clean(char *text)
{
    for (char *s = text; *s != '\0';) {
        size_t length = cli_utf8_length(s);
        const unsigned char first = (unsigned char)s[0], second = (unsigned char)s[1];
        const bool control = first < ' ' || first == 0x7f || (first == 0xc2 && second < 0xa0);
        const bool good = length > 0 && !control;
        if (length == 0) length = 1;
        if (!good) memset(s, '?', length);
        s += length;
    }
}

cli_text cli_shown(const char *text)
{
    cli_text shown;
    snprintf(shown.text, sizeof shown.text, "%s", text);
    clean(shown.text);
    return shown;
}

static void print_line(const char *who, const char *kind, const char *format, va_list arguments)
{
    char line[LINE_CAPACITY];
    vsnprintf(line, sizeof line, format, arguments);
    clean(line);
    fprintf(stderr, "%s: %s%s\n", who, kind, line);
}

int cli_fail(const char *who, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line(who, "", format, arguments);
    va_end(arguments);
    return CLI_FAILURE;
}

void cli_warn(const char *who, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line(who, "warning: ", format, arguments);
    va_end(arguments);
}

int cli_fail_value(const char *who, const char *option, const char *value, const char *expected)
{
    const char *cut = strlen(value) > 64 ? "..." : "";
    return cli_fail(who, "%s: got \"%.64s%s\"; expected %s", option, value, cut, expected);
}

int cli_finish_output(const char *who)
{
    errno = 0;
    if (fflush(stdout) == 0 && ferror(stdout) == 0) return CLI_SUCCESS;
    /* An earlier write may have failed, of which only the flag is left. */
    return cli_fail(who, "standard output: cannot write: %s",
                    errno != 0 ? strerror(errno) : "an earlier write failed");
}
