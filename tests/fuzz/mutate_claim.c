/*
 * Documents of claims: those of the tests and of the examples, cut into their problems, and a few
 * that show the rest of the language; spoilt by bytes, by words and by statements. Knows how a
 * document looks (statements begin at the left margin), not what it means.
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/mutate.h"

/* ---- Seeds --------------------------------------------------------------------------------- */

/* What the documents lack, and Markdown. */
static const char *const written[] = {
    "problem \"two\"\ngiven n >= 3, beta > 0\nkeys k[1..n] orthonormal\nvalues v[1..n]\n"
    "pick a, b distinct in 1..n\nq = beta*(k[a] + k[b])\nc = attend(q, k, v, scale = 1)\n"
    "claim S0.1: c.weight[a] = e^beta/(n - 2 + 2 e^beta)\n"
    "claim: c ~ 1/2 (v[a] + v[b])   as beta -> inf, expect proved\n",
    "find least beta: 1 - c.weight[a] <= 0.01, n = 10\nfind K, Q such that z[1] ~ u[b] and not x "
    "in hull(v)\n  for all s, t within 1e-6\n",
    "vectors u[a,b,c,d] orthogonal, norm beta\nx[1] = u[d]; x[2] = u[a]\nclaim: exists t: "
    "self_attend(x with x[2] = u[a] + t*u[d])[2] ~ u[b] expect refuted\n",
    "as alpha -> 0 then beta -> inf:\n    claim: P(two ~ v[a] given k[a].mu[a] > 0) = 1/2\n    law "
    "of two\nat n = 10, beta = 10:\n    claim: Var(c.weight[a]) in 0.1953 .. 0.1954\n",
    "matrix X[n,d], W_Q[d,m];  permutation P[n]\natt(X) = softmax(X*W_Q*(X*W_Q)')*X\nclaim: att(P "
    "X) = P att(X)  for all permutation R[d]\nassume A'A = I, A'*B = 0\n",
    "claim: |c - 1/2| <= ||x||^2 => a = b or 0 <= x <= 1 and for all i in 1..n: y[i] != 0\n"
    "keys k[i] ~ normal(mu[i], alpha*I)\nkeys k = [[1, 0],\n          [.5, -1e3]]\n",
    "claim: ‖β‖² ≥ ½ ∑(μ_i for i ∉ {a, b})·√2 − Aᵀx\n  given Σ_a ≈ ∞\n",
    "# Title\n\n- text\n\n  ```qkv\n  x = sum(x[i] for i != j) # so\n  claim A: x = y\n  ```\n\n"
    "> ~~~~ qkv\n> for n = 3:\n>   claim: e^-x^2 < 1 expect undecided\n> ~~~~\n",
    "\xef\xbb\xbf"
    "1. ```qkv\r\n   y = (1 +\r\n     2)\r\n   ```\r\n",
};

static const char *const patterns[] = {QKV_ROOT "/tests/claims/*.qkv",
                                       QKV_ROOT "/examples/assignment/*.md",
                                       QKV_ROOT "/examples/mistakes.md"};

enum { SEEDS = 512 };

static input seeds[SEEDS];
static size_t seeds_read;

static bool begins(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

/* The problem at hand has ended; one that did not fit is no seed. */
static void finish_problem(input *problem)
{
    bool fits = problem->size > 0 && problem->size < INPUT_CAPACITY;
    if (fits && seeds_read < SEEDS) seeds[seeds_read++] = *problem;
    problem->size = 0;
}

/* Of Markdown, what stands between the fences. */
static void read_document(const char *path)
{
    char line[1024];
    input problem = {.size = 0};
    bool markdown = strstr(path, ".md") != NULL, inside = !markdown;
    FILE *stream = fopen(path, "r");
    if (stream == NULL) return;
    while (fgets(line, sizeof line, stream) != NULL) {
        bool fence = markdown && begins(line, "```");
        if (fence) inside = begins(line, "```qkv");
        if (fence || !inside || line[0] == '#') continue;
        if (begins(line, "problem")) finish_problem(&problem);
        append(&problem, line, strlen(line));
    }
    finish_problem(&problem);
    fclose(stream);
}

static void read_seeds(void)
{
    for (size_t i = 0; i < sizeof written / sizeof written[0]; i++)
        append(&seeds[seeds_read++], written[i], strlen(written[i]));
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        glob_t found;
        if (glob(patterns[i], 0, NULL, &found) == 0) /* in the order of their names */
            for (size_t k = 0; k < found.gl_pathc; k++) read_document(found.gl_pathv[k]);
        globfree(&found);
    }
}

static size_t seed_count(void)
{
    if (seeds_read == 0) read_seeds();
    return seeds_read;
}

static input seed(size_t which)
{
    return which < seed_count() ? seeds[which] : seeds[0];
}

/* ---- Words --------------------------------------------------------------------------------- */

/* A word of the text: a name, a number, or one sign. */
typedef struct word {
    size_t at, length;
} word;

static bool is_letter(uint8_t byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' ||
           byte >= 0x80;
}

static bool is_digit(uint8_t byte)
{
    return (byte >= '0' && byte <= '9');
}

/* The word around or behind a place; of length 0 at the end. */
static word word_at(const input *in, size_t at)
{
    while (at < in->size && (in->bytes[at] == ' ' || in->bytes[at] == '\n')) at++;
    if (at == in->size) return (word){at, 0};
    bool (*part)(uint8_t) = is_letter(in->bytes[at])  ? is_letter
                            : is_digit(in->bytes[at]) ? is_digit
                                                      : NULL;
    size_t begin = at, end = at + 1;
    if (part != NULL) {
        while (begin > 0 && part(in->bytes[begin - 1])) begin--;
        while (end < in->size && part(in->bytes[end])) end++;
    }
    return (word){begin, end - begin};
}

static word any_word(const input *in)
{
    return word_at(in, below(in->size));
}

/* A word of the given kind somewhere; of length 0 where chance does not find one. */
static word any_word_like(const input *in, bool (*like)(uint8_t))
{
    for (int tries = 0; tries < 20; tries++) {
        word found = any_word(in);
        if (found.length > 0 && like(in->bytes[found.at])) return found;
    }
    return (word){0, 0};
}

/* Puts a word where another of its kind is: names for names, numbers for numbers. */
static void copy_word(input *in, bool (*like)(uint8_t))
{
    input other = below(4) == 0 ? seed(below(seed_count())) : *in;
    word to = any_word_like(in, like), from = any_word_like(&other, like);
    if (to.length > 0 && from.length > 0)
        replace(in, to.at, to.length, other.bytes + from.at, from.length);
}

static void copy_name(input *in)
{
    copy_word(in, is_letter);
}

/* At the beginning of an array: a text, with '\0' between its parts. */
static void put_one_of(input *in, size_t at, size_t gone, const char *parts, size_t size)
{
    const char *part = parts + below(size - 1);
    while (part > parts && part[-1] != '\0') part--;
    replace(in, at, gone, part, strlen(part));
}

static void change_number(input *in)
{
    static const char numbers[] =
        "0\0001\0002\0003\0007\00010\00064\00065\0001000\0001e-6\0001e18\0"
        "1e-300\0001/3\0000.99\000-1\0009223372036854775807\000inf";
    word to = any_word_like(in, is_digit);
    if (below(3) == 0)
        copy_word(in, is_digit);
    else if (to.length > 0)
        put_one_of(in, to.at, to.length, numbers, sizeof numbers);
}

static bool is_operator(uint8_t byte)
{
    return strchr("=<>~+-*/^.|!':,", byte) != NULL && byte != '\0';
}

static void change_operator(input *in)
{
    static const char operators[] = "=\0<\0>\0<=\0>=\0!=\0~\0+\0-\0*\0/\0^\0.\0|\0'\0 in \0 and \0"
                                    " or \0 implies \0 not in \0 ";
    word to = any_word_like(in, is_operator);
    if (to.length > 0) put_one_of(in, to.at, to.length, operators, sizeof operators);
}

/* Whole tokens, which get further than bytes do. */
static void put_token(input *in)
{
    static const char tokens[] =
        "(\0)\0[\0]\0{\0}\0|\0'\0^\0-\0*\0/\0.\0..\0,\0:\0;\0\n\0\n  "
        "\0#\0\"\0=\0~\0<=\0->\0=>\0!=\0"
        " in \0 not \0 and \0 or \0 with \0 for \0 as \0 at \0 given \0 all \0 exp\0claim \0find \0"
        "at n=3:\n  \0exists t: \0inf\0.5\0"
        "1e-6\0"
        "9223372036854775807\0```\n\0```qkv\n\0> \0½\0²\0μ\0"
        "∉\0√\0\xff\0\t\0.weight[1]\0 implies \0P(\0E[\0vector \0permutation \0 such that \0within "
        "\0expect proved\0 for beta >= 2\0 as beta -> inf\0 at beta = 1\0 for i in 1..n\0 within "
        "0.1\0 orthonormal\0 norm 2";
    size_t at = below(in->size + 1), gone = below(3) == 0 && at < in->size ? 1 : 0;
    put_one_of(in, at, gone, tokens, sizeof tokens);
}

/* f(word), once or many times over. */
static void nest(input *in)
{
    static const char *const openings[] = {"(",     "-(",    "|",         "sqrt(", "e^(",
                                           "ln(",   "not (", "softmax(",  "sum(",  "max(1, ",
                                           "mean(", "[",     "transpose("};
    static const char *const closings[] = {")", ")", "|", ")", ")", ")", ")",
                                           ")", ")", ")", ")", "]", ")"};
    size_t which = below(sizeof openings / sizeof openings[0]);
    size_t times = below(8) == 0 ? below(80) : 1 + below(2);
    word around = any_word(in);
    for (; times > 0; times--) {
        replace(in, around.at + around.length, 0, closings[which], strlen(closings[which]));
        replace(in, around.at, 0, openings[which], strlen(openings[which]));
    }
}

/* ---- Statements ---------------------------------------------------------------------------- */

/* Where the statement around a place begins: a line whose first byte is no blank. */
static size_t statement_begin(const input *in, size_t at)
{
    while (at > 0 && (in->bytes[at - 1] != '\n' || in->bytes[at] == ' ')) at--;
    return at;
}

static size_t statement_end(const input *in, size_t at)
{
    while (at < in->size && (at == 0 || in->bytes[at - 1] != '\n' || in->bytes[at] == ' ')) at++;
    return at;
}

static word any_statement(const input *in)
{
    if (in->size == 0) return (word){0, 0};
    size_t at = below(in->size), begin = statement_begin(in, at);
    return (word){begin, statement_end(in, at + 1) - begin};
}

static void delete_statement(input *in)
{
    word gone = any_statement(in);
    replace(in, gone.at, gone.length, in->bytes, 0);
}

/* In front of another one: of this document, or of another. */
static void copy_statement(input *in)
{
    input other = below(2) == 0 ? seed(below(seed_count())) : *in;
    word from = any_statement(&other), to = any_statement(in);
    replace(in, to.at, 0, other.bytes + from.at, from.length);
}

static bool is_claim(const input *in, word statement)
{
    const char *text = (const char *)in->bytes + statement.at;
    return statement.length > 5 && (memcmp(text, "claim", 5) == 0 || memcmp(text, "find ", 5) == 0);
}

/* Leaves one or two claims of many: what is declared is needed, and each claim costs time. */
static void thin(input *in)
{
    input left = {.size = 0};
    size_t claims = 0, at = 0, end;
    for (; at < in->size; at = end) {
        end = statement_end(in, at + 1);
        claims += is_claim(in, (word){at, end - at}) ? 1 : 0;
    }
    size_t first = below(claims), second = below(claims);
    for (at = 0, claims = 0; at < in->size; at = end) {
        end = statement_end(in, at + 1);
        bool claim = is_claim(in, (word){at, end - at});
        if (!claim || claims == first || claims == second) append(&left, in->bytes + at, end - at);
        claims += claim ? 1 : 0;
    }
    *in = left;
}

static void spoil(input *in)
{
    static void (*const by_words[])(input *) = {
        copy_name,       copy_name,      change_number,    change_number, change_operator,
        change_operator, copy_statement, delete_statement, nest,          put_token};
    static void (*const by_bytes[])(input *) = {flip_bit, cut_end,   remove_range, splice,
                                                splice,   put_token, put_token,    put_token};
    thin(in);
    if (below(8) == 0)
        spoil_by(in, by_bytes, sizeof by_bytes / sizeof by_bytes[0], 6);
    else
        spoil_by(in, by_words, sizeof by_words / sizeof by_words[0], 3);
}

const subject fuzz_subject = {.name = "claim",
                              .promise = "the language and its engines survive",
                              .iterations = 400,
                              .seed_count = seed_count,
                              .seed = seed,
                              .spoil = spoil,
                              .shorten = thin};
