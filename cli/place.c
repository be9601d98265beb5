/* Reading which claim is meant. Knows nothing of what becomes of it. */
#include "place.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report.h"
#include "value.h"

/* A number may be a line or, where no claim is there, a label. */
static int read_selection(const char *who, const char *text, qkv_selection *which)
{
    size_t line;
    if (text[0] == '\0') return cli_fail(who, "no line after ':'; expected FILE:LINE");
    *which = (qkv_selection){.label = text};
    if (!cli_parse_size(text, &line)) return CLI_PROCEED;
    if (line == 0 || line > INT_MAX)
        return cli_fail_value(who, "LINE", text, "a line number, from 1");
    which->line = (int)line;
    return CLI_PROCEED;
}

/* A file whose own name has a colon is found first. */
int cli_place_read(const char *who, size_t count, char **words, cli_place *place)
{
    if (count == 0) return cli_fail(who, "no document; expected FILE, FILE:LINE or FILE:LABEL");
    if (count > 2)
        return cli_fail(who, "got %zu words; expected FILE:LINE, or FILE and LINE", count);
    place->path = malloc(strlen(words[0]) + 1);
    if (place->path == NULL) return cli_fail(who, "out of memory");
    strcpy(place->path, words[0]);
    if (count == 2) return read_selection(who, words[1], &place->which);
    char *colon = strrchr(place->path, ':');
    if (colon == NULL || access(words[0], F_OK) == 0) return CLI_PROCEED;
    *colon = '\0';
    return read_selection(who, words[0] + (colon - place->path) + 1, &place->which);
}
