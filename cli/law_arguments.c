/* Reading the options of laws. Prints nothing but failures. */
#include "law_arguments.h"

#include <math.h>

#include "report.h"
#include "value.h"

int law_read_real(const char *who, const char *option, const char *text, double low, bool closed,
                  double high, const char *expected, double *number)
{
    double read;
    if (text == NULL) return CLI_PROCEED;
    if (!cli_parse_real(text, &read) || !(closed ? read >= low : read > low) || !(read < high))
        return cli_fail_value(who, option, text, expected);
    *number = read;
    return CLI_PROCEED;
}

static int read_counts(const char *who, const law_words *words, qkv_law_options *options)
{
    const size_t most = (size_t)1 << 53;
    if (words->keys == NULL)
        return cli_fail(who, "--keys: is missing; expected how many there are");
    if (!cli_parse_size(words->keys, &options->keys) || options->keys < 2 || options->keys > most)
        return cli_fail_value(who, "--keys", words->keys, "a whole number, 2 to 2^53");
    if (words->of == NULL) {
        if (options->wanted > options->keys) options->wanted = options->keys;
        return CLI_PROCEED;
    }
    if (!cli_parse_size(words->of, &options->wanted) || options->wanted < 1 ||
        options->wanted > options->keys)
        return cli_fail_value(who, "--of", words->of,
                              "a whole number from 1 to the number of keys");
    return CLI_PROCEED;
}

static int read_noisy(const char *who, const char *text, qkv_law_options *options)
{
    static const char *const names[] = {"wanted", "other"};
    size_t chosen = 0;
    if (text != NULL && !cli_parse_choice(text, names, 2, &chosen))
        return cli_fail_value(who, "--noisy", text, "wanted or other");
    options->other_noisy = chosen == 1;
    if (options->other_noisy && options->wanted == options->keys)
        return cli_fail(who, "--noisy: all keys are wanted; expected more --keys than --of");
    return CLI_PROCEED;
}

int law_read_words(const char *who, const law_words *words, qkv_law_options *options)
{
    int status = read_counts(who, words, options);
    if (status == CLI_PROCEED) status = read_noisy(who, words->noisy, options);
    if (status == CLI_PROCEED)
        status = law_read_real(who, "--noise", words->noise, 0, true, 1e100,
                               "a variance, from 0 to below 1e100", &options->noise);
    if (status == CLI_PROCEED)
        status = law_read_real(who, "--tolerance", words->tolerance, 0, false, 1,
                               "a number above 0 and below 1", &options->tolerance);
    return status;
}
