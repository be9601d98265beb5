/* Exit statuses, and failures and warnings told in one line on standard error. */
#ifndef QKV_CLI_REPORT_H
#define QKV_CLI_REPORT_H

#include <qkv/status.h>

enum {
    CLI_SUCCESS = 0,
    CLI_FAILURE = 2, /* 1 is left to answers such as 'refuted', which are no failures */
    CLI_PROCEED = -1 /* no exit status: there is work left to do */
};

/* A name or another text from outside, as it may be shown: a terminal must find no control
 * characters in it. Cut where it is very long. */
typedef struct cli_text {
    char text[4 * QKV_ERROR_CAPACITY];
} cli_text;

cli_text cli_shown(const char *text);

/* Prints "WHO: the text", on one line whatever the text holds; returns CLI_FAILURE. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
int cli_fail(const char *who, const char *format, ...);

/* Prints "WHO: warning: the text" likewise: what was asked for is done, but may not be meant. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void cli_warn(const char *who, const char *format, ...);

/* The value of an option that cannot be: names the option, the value and what was expected. */
int cli_fail_value(const char *who, const char *option, const char *value, const char *expected);

/* Empties the buffer of standard output, and fails where the system cannot take it all. */
int cli_finish_output(const char *who);

#endif
