/*
 * The command's arguments: the input is cut into words, of which the first byte chooses a
 * subcommand, and read as `qkv attend`, `qkv plot` and the options of all others read theirs.
 * Nothing is computed and no file is opened for writing. Messages go to standard error, which
 * libFuzzer closes.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/attend.h"
#include "cli/command.h"
#include "cli/place.h"
#include "cli/plot.h"
#include "cli/report.h"
#include "cli/suggest.h"
#include "cli/value.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { WORDS_AT_MOST = 40, OPTIONS_AT_MOST = 64 };

static const cli_command *const commands[] = {&cli_attend, &cli_check, &cli_design, &cli_explain,
                                              &cli_law,    &cli_plot,  &cli_sample};
enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

/* Words are cut at newlines and zeros; they lie in `copy`. */
static int cut(char *copy, size_t size, char **words)
{
    int count = 0;
    for (size_t at = 0; at < size && count < WORDS_AT_MOST; at += strlen(copy + at) + 1)
        words[count++] = copy + at;
    words[count] = NULL;
    return count;
}

static void read_plot(const char *const *values)
{
    plot_request request = {.path = NULL};
    int status = plot_read(values, &request);
    if (status != CLI_PROCEED && status != CLI_FAILURE) abort();
    plot_free(&request);
}

static void read_words(const cli_command *command, int count, char **words)
{
    const char *values[OPTIONS_AT_MOST] = {NULL};
    size_t operands = 0, index;
    double real;
    if (command->usage->option_count > OPTIONS_AT_MOST) abort();
    int status = cli_options_parse(command->usage, count, words, values, &operands);
    if (status != CLI_PROCEED) return;
    if (operands > (size_t)count) abort();
    if (command == &cli_plot) read_plot(values);
    cli_place place = {.path = NULL};
    (void)cli_place_read("qkv explain", operands, words, &place);
    free(place.path);
    for (size_t i = 0; i < operands; i++) {
        cli_suggestion suggestion = {.word = words[i]};
        for (size_t j = 0; j < COMMAND_COUNT; j++) cli_suggest(&suggestion, commands[j]->name);
        (void)cli_parse_real(words[i], &real);
        (void)cli_parse_size(words[i], &index);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *words[WORDS_AT_MOST + 1], *copy;
    if (size < 1 || (copy = malloc(size)) == NULL) return 0;
    memcpy(copy, data + 1, size - 1);
    copy[size - 1] = '\0';
    for (size_t i = 0; i + 1 < size; i++)
        if (copy[i] == '\n') copy[i] = '\0';
    const cli_command *command = commands[data[0] % COMMAND_COUNT];
    const int count = cut(copy, size - 1, words);
    attend_request request;
    if (command == &cli_attend)
        (void)attend_parse(count, words, &request);
    else
        read_words(command, count, words);
    free(copy);
    return 0;
}
