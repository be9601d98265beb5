/* The option parser and the help text that comes with it. Knows nothing of what options mean. */
#include "options.h"

#include <stdbool.h>
#include <string.h>

#include "report.h"
#include "suggest.h"

/* ---- Parsing ------------------------------------------------------------------------------ */

typedef struct parser {
    const cli_usage *usage;
    int count, next; /* words, and the number of the one to read next */
    char **words;
    const char **values;
} parser;

static const cli_option *find_name(const cli_usage *usage, const char *name, size_t length)
{
    for (size_t i = 0; i < usage->option_count; i++)
        if (strlen(usage->options[i].name) == length &&
            memcmp(usage->options[i].name, name, length) == 0)
            return &usage->options[i];
    return NULL;
}

static const cli_option *find_letter(const cli_usage *usage, char letter)
{
    for (size_t i = 0; i < usage->option_count; i++)
        if (letter != '\0' && usage->options[i].letter == letter) return &usage->options[i];
    return NULL;
}

/* The option that a word names in one of the forms of options.h, or NULL. Letters of flags are not
 * run together, so a flag's letter with more text behind it names none. */
static const cli_option *find_option(const cli_usage *usage, const char *word)
{
    if (word[0] != '-' || word[1] == '\0') return NULL;
    if (word[1] == '-') return find_name(usage, word + 2, strcspn(word + 2, "="));
    const cli_option *option = find_letter(usage, word[1]);
    if (option != NULL && option->argument == NULL && word[2] != '\0') return NULL;
    return option;
}

static bool asks_for_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static int fail_unknown(const cli_usage *usage, const char *word)
{
    char name[64];
    size_t dashes = strspn(word, "-"), length = strcspn(word, "=");
    snprintf(name, sizeof name, "%.*s", (int)(length - dashes), word + dashes);
    cli_suggestion suggestion = {.word = name};
    for (size_t i = 0; i < usage->option_count; i++)
        cli_suggest(&suggestion, usage->options[i].name);
    cli_suggest(&suggestion, "help");
    int shown = (int)(length < 64 ? length : 64);
    if (suggestion.best != NULL)
        return cli_fail(usage->who, "unknown option \"%.*s\"; did you mean --%s?", shown, word,
                        suggestion.best);
    return cli_fail(usage->who, "unknown option \"%.*s\"; %s --help lists them all", shown, word,
                    usage->who);
}

/* Whether the next word can be a value. One that names an option is that option, and the value
 * before it was forgotten; a negative number names none. */
static bool value_follows(const parser *p)
{
    if (p->next == p->count) return false;
    const char *word = p->words[p->next];
    return find_option(p->usage, word) == NULL && !asks_for_help(word);
}

/* Stores the value of an option: the one attached to its name, or else the next word. */
static int take_value(parser *p, const cli_option *option, const char *attached)
{
    const char *who = p->usage->who, **value = &p->values[option - p->usage->options];
    if (*value != NULL) return cli_fail(who, "--%s: is given twice; expected once", option->name);
    if (option->argument == NULL) {
        if (attached != NULL)
            return cli_fail(who, "--%s: got \"%.64s\"; expected no value", option->name, attached);
        *value = "";
        return CLI_PROCEED;
    }
    if (attached == NULL && !value_follows(p))
        return cli_fail(who, "--%s: has no value; expected %s", option->name, option->argument);
    *value = attached != NULL ? attached : p->words[p->next++];
    return CLI_PROCEED;
}

static int take_option(parser *p, const char *word)
{
    const cli_option *option = find_option(p->usage, word);
    if (option == NULL) return fail_unknown(p->usage, word);
    if (word[1] != '-') return take_value(p, option, word[2] != '\0' ? word + 2 : NULL);
    const char *equals = strchr(word, '=');
    return take_value(p, option, equals != NULL ? equals + 1 : NULL);
}

int cli_options_parse(const cli_usage *usage, int count, char **words, const char **values,
                      size_t *operand_count)
{
    parser p = {.usage = usage, .count = count, .words = words, .values = values};
    bool open = true; /* until "--" */
    *operand_count = 0;
    for (size_t i = 0; i < usage->option_count; i++) values[i] = NULL;
    while (p.next < count) {
        char *word = words[p.next++];
        int status = CLI_PROCEED;
        if (!open || word[0] != '-' || word[1] == '\0' || word[1] == ':') {
            words[(*operand_count)++] = word;
        } else if (strcmp(word, "--") == 0) {
            open = false;
        } else if (asks_for_help(word)) {
            cli_options_help(usage, stdout);
            return CLI_SUCCESS;
        } else {
            status = take_option(&p, word);
        }
        if (status != CLI_PROCEED) return status;
    }
    return CLI_PROCEED;
}

/* ---- Help --------------------------------------------------------------------------------- */

enum {
    LINE_WIDTH = 80,
    NAME_WIDTH = 25 /* columns of names; a longer name pushes its text to the next line */
};

/* Words of the text, broken before LINE_WIDTH; the cursor stands on column `column`. */
static void print_wrapped(FILE *stream, const char *text, int indent, int column)
{
    while (*text != '\0') {
        int length = (int)strcspn(text, " ");
        bool first = column <= indent;
        if (!first && column + 1 + length > LINE_WIDTH) {
            fputc('\n', stream);
            column = 0;
            first = true;
        }
        column += fprintf(stream, "%*s", first ? indent - column : 1, "");
        column += fprintf(stream, "%.*s", length, text);
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', stream);
}

static void print_option(FILE *stream, const cli_option *option)
{
    int column;
    if (option->heading != NULL) fprintf(stream, "\n%s:\n", option->heading);
    if (option->letter != '\0')
        column = fprintf(stream, "  -%c, --%s", option->letter, option->name);
    else
        column = fprintf(stream, "  --%s", option->name);
    if (option->argument != NULL) column += fprintf(stream, " %s", option->argument);
    if (column >= NAME_WIDTH) {
        fputc('\n', stream);
        column = 0;
    }
    print_wrapped(stream, option->help, NAME_WIDTH, column);
}

void cli_options_help(const cli_usage *usage, FILE *stream)
{
    static const cli_option help = {
        .name = "help", .letter = 'h', .help = "Print this text and exit."};
    fprintf(stream, "usage: %s %s\n\n%s", usage->who, usage->synopsis, usage->introduction);
    for (size_t i = 0; i < usage->option_count; i++) print_option(stream, &usage->options[i]);
    print_option(stream, &help);
    fprintf(stream, "\n%s", usage->closing);
}
