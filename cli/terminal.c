/* Colours and widths. Knows nothing of what is printed. */
#include "terminal.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { NARROWEST = 40, WIDTH = 80 };

int cli_terminal_width(void)
{
    struct winsize size;
    if (!isatty(STDOUT_FILENO)) return 0;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return WIDTH;
    return size.ws_col < NARROWEST ? NARROWEST : size.ws_col;
}

static bool is_painting(void)
{
    const char *refused = getenv("NO_COLOR");
    return isatty(STDOUT_FILENO) && (refused == NULL || refused[0] == '\0');
}

const char *cli_paint(qkv_verdict verdict)
{
    if (!is_painting()) return "";
    switch (verdict) {
    case QKV_PROVED: return "\033[32m";
    case QKV_REFUTED: return "\033[31m";
    case QKV_SUPPORTED: return "\033[36m";
    case QKV_UNDECIDED: break;
    }
    return "\033[33m";
}

const char *cli_paint_strong(void)
{
    return is_painting() ? "\033[1m" : "";
}

const char *cli_paint_end(void)
{
    return is_painting() ? "\033[0m" : "";
}

/* Columns of `length` bytes: characters. */
static int columns_of(const char *text, size_t length)
{
    int columns = 0;
    for (size_t i = 0; i < length; i++) columns += ((unsigned char)text[i] & 0xc0) != 0x80;
    return columns;
}

void cli_print_wrapped(const char *text, int indent, int column)
{
    int width = cli_terminal_width();
    if (width == 0) {
        puts(text);
        return;
    }
    if (indent > width / 2) indent = width / 2;
    bool first = true;
    while (*text != '\0') {
        size_t blanks = strspn(text, " "), length = strcspn(text + blanks, " ");
        int columns = columns_of(text + blanks, length);
        if (!first && column + (int)blanks + columns > width) {
            printf("\n%*s", indent, "");
            column = indent;
        } else {
            printf("%*s", (int)blanks, "");
            column += (int)blanks;
        }
        printf("%.*s", (int)length, text + blanks);
        column += columns;
        text += blanks + length;
        first = false;
    }
    putchar('\n');
}
