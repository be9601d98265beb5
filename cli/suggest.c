/* Levenshtein's edit distance, for words of the command line. Knows nothing of what they name. */
#include "suggest.h"

#include <string.h>

enum {
    WORD_AT_MOST = 32, /* longer words name nothing here */
    EDITS_AT_MOST = 2  /* two slips, or one exchange of neighbours */
};

static size_t least(size_t a, size_t b, size_t c)
{
    size_t low = a < b ? a : b;
    return low < c ? low : c;
}

/* Insertions, deletions and replacements that make one word the other; row by row. */
static size_t edit_distance(const char *from, const char *to)
{
    size_t row[WORD_AT_MOST + 1], columns = strlen(to);
    for (size_t j = 0; j <= columns; j++) row[j] = j;
    for (size_t i = 0; from[i] != '\0'; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < columns; j++) {
            size_t replaced = diagonal + (from[i] != to[j]);
            diagonal = row[j + 1];
            row[j + 1] = least(replaced, row[j] + 1, row[j + 1] + 1);
        }
    }
    return row[columns];
}

void cli_suggest(cli_suggestion *suggestion, const char *candidate)
{
    size_t typed = strlen(suggestion->word), length = strlen(candidate);
    if (typed > WORD_AT_MOST || length > WORD_AT_MOST) return;
    size_t distance = edit_distance(suggestion->word, candidate);
    /* The beginning of a word is no slip at all, however much is left to type. */
    if (typed > 0 && strncmp(suggestion->word, candidate, typed) == 0) distance = 0;
    /* A distance as long as the word would turn anything into anything. */
    if (distance > EDITS_AT_MOST || distance >= typed) return;
    if (suggestion->best != NULL && suggestion->distance <= distance) return;
    suggestion->best = candidate;
    suggestion->distance = distance;
}
