/*
 * The fuzz target of the claim language without libFuzzer: valid documents, spoilt in the ways that
 * writers and readers stumble over, the same ones in every run. Knows nothing of the target but its
 * entry point.
 *
 *     mutate_claim [ITERATIONS]      spoils and runs; 20,000 unless told
 *     mutate_claim --seeds FOLDER    writes the unspoilt inputs into files, for libFuzzer to begin
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/random.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CAPACITY = 2048 };

typedef struct input {
    uint8_t bytes[CAPACITY];
    size_t size;
} input;

static random_source source = {1};

/* 0 to limit - 1, and 0 for no limit. */
static size_t below(size_t limit)
{
    return limit == 0 ? 0 : random_below(&source, limit);
}

/* ---- Seeds -------------------------------------------------------------------------------- */

static const char *const seeds[] = {
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
enum { SEEDS = sizeof seeds / sizeof seeds[0] };

static input seed(size_t which)
{
    input in = {.size = strlen(seeds[which])};
    memcpy(in.bytes, seeds[which], in.size);
    return in;
}

/* ---- Mutations ---------------------------------------------------------------------------- */

/* Takes `count` bytes out at `at` and puts `more` of `bytes` in their place. */
static void replace(input *in, size_t at, size_t count, const void *bytes, size_t more)
{
    if (in->size - count + more > CAPACITY) return;
    memmove(in->bytes + at + more, in->bytes + at + count, in->size - at - count);
    memcpy(in->bytes + at, bytes, more);
    in->size = in->size - count + more;
}

static void flip_bit(input *in)
{
    if (in->size > 0) in->bytes[below(in->size)] ^= (uint8_t)(1u << below(8));
}

static void cut(input *in)
{
    in->size = below(in->size + 1);
}

static void remove_range(input *in)
{
    size_t at = below(in->size), count = below(in->size - at + 1);
    replace(in, at, count > 16 ? 16 : count, in->bytes, 0);
}

/* A piece of one input into another, or of one into itself. */
static void splice(input *in)
{
    input other = below(2) == 0 ? *in : seed(below(SEEDS));
    size_t from = below(other.size), count = below(other.size - from + 1);
    size_t at = below(in->size + 1), gone = below(2) == 0 ? 0 : below(in->size - at + 1);
    replace(in, at, gone, other.bytes + from, count > 64 ? 64 : count);
}

/* Separated by '\0'. */
static const char tokens[] =
    "(\0)\0[\0]\0{\0}\0|\0'\0^\0-\0*\0/\0.\0..\0,\0:\0;\0\n\0\n  \0#\0\"\0=\0~\0<=\0->\0=>\0!=\0"
    " in \0 not \0 and \0 or \0 with \0 for \0 as \0 at \0 given \0 all \0 exp\0claim \0find \0"
    "at n=3:\n  \0exists t: \0inf\0.5\0"
    "1e-6\0"
    "9223372036854775807\0```\n\0```qkv\n\0> \0½\0²\0μ\0"
    "∉\0√\0\xff\0\t\0.weight[1]\0 implies \0P(\0E[\0vector \0permutation \0 such that \0within \0"
    "expect proved";

/* Whole tokens, which get further than bytes do. */
static void put_token(input *in)
{
    const char *token = tokens + below(sizeof tokens - 1);
    while (token > tokens && token[-1] != '\0') token--;
    size_t at = below(in->size + 1), gone = below(3) == 0 && at < in->size ? 1 : 0;
    replace(in, at, gone, token, strlen(token));
}

static void mutate(input *in)
{
    static void (*const mutations[])(input *) = {flip_bit, cut,       remove_range, splice,
                                                 splice,   put_token, put_token,    put_token};
    for (size_t count = 1 + below(6); count > 0; count--)
        mutations[below(sizeof mutations / sizeof mutations[0])](in);
}

/* ---- Running ------------------------------------------------------------------------------ */

/* A copy of the exact size, so that a sanitizer sees the first byte behind it. */
static void run(const input *in)
{
    uint8_t *exact = malloc(in->size == 0 ? 1 : in->size);
    if (exact == NULL) abort();
    memcpy(exact, in->bytes, in->size);
    LLVMFuzzerTestOneInput(exact, in->size);
    free(exact);
}

static int write_seeds(const char *folder)
{
    for (size_t i = 0; i < SEEDS; i++) {
        char path[512];
        input in = seed(i);
        snprintf(path, sizeof path, "%s/claim-%zu", folder, i);
        FILE *stream = fopen(path, "wb");
        if (stream == NULL) return 1;
        size_t written = fwrite(in.bytes, 1, in.size, stream);
        if (fclose(stream) != 0 || written != in.size) return 1;
    }
    return 0;
}

int main(int count, char **arguments)
{
    if (count > 2 && strcmp(arguments[1], "--seeds") == 0) return write_seeds(arguments[2]);
    long iterations = count > 1 ? strtol(arguments[1], NULL, 10) : 20000;
    printf("1..1\n");
    fflush(stdout); /* a crash then leaves a plan that was not met */
    for (size_t i = 0; i < SEEDS; i++) {
        input in = seed(i);
        run(&in);
    }
    for (long i = 0; i < iterations; i++) {
        input in = seed(below(SEEDS));
        mutate(&in);
        run(&in);
    }
    printf("ok 1 - the language survives %ld spoilt documents\n", iterations);
    return 0;
}
