/* The inside of the words engine: words, normal forms, rewriting rules and the record of what was
 * used. Shared by the words_*.c files; nobody else includes it. */
#ifndef QKV_EXACT_WORDS_INTERNAL_H
#define QKV_EXACT_WORDS_INTERNAL_H

#include <stdint.h>

#include "exact/words.h"

enum {
    QKV__WORDS_AT_MOST = 4096,     /* in one sum */
    QKV__LETTERS_AT_MOST = 64,     /* in one word */
    QKV__HEAD_AT_MOST = 16,        /* letters of a rule's left side */
    QKV__RULES = 256,              /* made in one theory */
    QKV__STEPS = 512,              /* known to one theory */
    QKV__SOFTMAX_FACTORS = 512,    /* different ones in one theory */
    QKV__NESTING = 8,              /* of softmax within softmax that permutations are moved past */
    QKV__REWRITES = 100000,        /* for one question */
    QKV__PENDING = 1024,           /* equations looked at while rules are made of one assumption */
    QKV__SCRATCH_BYTES = 64 << 20, /* for one question */
};

/* A letter is 2*symbol + (1 if transposed). Symbols below QKV__ATOMS are atoms, the others are
 * softmax factors, known by their argument: rules->softmax[symbol - QKV__ATOMS]. */
static inline int qkv__letter_transpose(int letter)
{
    return letter ^ 1;
}

/* coefficient * letter[0] * letter[1] * ...; no letters: the identity. */
typedef struct qkv__word {
    qkv__rational coefficient;
    size_t length;
    const int *letter;
} qkv__word;

/* A sum of words of one shape. In a normal form no rule fits, words ascend (by length, then by
 * letters), none comes twice, no coefficient is zero. */
struct qkv__words {
    int rows, columns;
    size_t count;
    qkv__word *word;
};

/* Which of the theory's steps something rests on. */
typedef struct qkv__step_set {
    uint64_t bits[QKV__STEPS / 64];
} qkv__step_set;

/* Something that a derivation may cite. */
typedef struct qkv__step {
    const char *text;
    qkv__step_set from; /* the assumptions and laws that it follows from; itself if it is one */
} qkv__step;

/* head -> rest: the head is larger than every word of the rest. */
typedef struct qkv__rule {
    bool alive; /* not made needless by a later one */
    size_t length;
    const int *head;
    const qkv__words *rest;
    int step;
} qkv__rule;

struct qkv__rules {
    size_t rule_count, step_count, softmax_count;
    qkv__rule rule[QKV__RULES];
    qkv__step step[QKV__STEPS];
    const qkv__words *softmax[QKV__SOFTMAX_FACTORS]; /* arguments, in normal form when made */
};

/* One question being worked on: its scratch memory, what it may still spend, what it has cited. */
typedef struct qkv__work {
    qkv__theory *theory;
    qkv__arena arena;
    size_t rewrites_left;
    int nesting; /* softmax factors whose arguments are being looked into */
    size_t used_count;
    int used[QKV__STEPS]; /* steps in the order of their first use */
} qkv__work;

/* Makes sure that the theory has its rules; false without memory. */
bool qkv__work_begin(qkv__work *work, qkv__theory *theory);
void qkv__work_end(qkv__work *work);

/* Says in theory->error what a NULL from this work came of. */
qkv_status qkv__work_fail(qkv__work *work);

/* ---- Steps --------------------------------------------------------------------------------- */

/* The step of that text, new or known; -1 without room. `from` NULL: it rests on itself. */
int qkv__step_add(qkv__theory *theory, const qkv__text *text, const qkv__step_set *from);
void qkv__step_use(qkv__work *work, int step);

/* ---- Sums of words, all in the scratch memory; NULL is lost ---------------------------------- */

const qkv__words *qkv__words_zero(qkv__work *work, int rows, int columns);
const qkv__words *qkv__words_identity(qkv__work *work, int size);

/* The product of some letters (at least one), not reduced. */
const qkv__words *qkv__words_letters(qkv__work *work, const int *letter, size_t length);

/* a + factor * b, merged but not reduced. */
const qkv__words *qkv__words_add(qkv__work *work, const qkv__words *a, const qkv__words *b,
                                 qkv__rational factor);
const qkv__words *qkv__words_multiply(qkv__work *work, const qkv__words *a, const qkv__words *b);
const qkv__words *qkv__words_transpose(qkv__work *work, const qkv__words *a);

/* Rules and laws applied until none fits. */
const qkv__words *qkv__words_reduce(qkv__work *work, const qkv__words *words);

/* The normal form of an expression. */
const qkv__words *qkv__words_normal(qkv__work *work, const qkv__expression *expression);

/* A copy that outlives the work. */
const qkv__words *qkv__words_keep(qkv__theory *theory, const qkv__words *words);

int qkv__word_compare(const qkv__word *a, const qkv__word *b);    /* by length, then by letters */
int qkv__words_compare(const qkv__words *a, const qkv__words *b); /* 0: the same in every way */

/* Sorts, adds up like words, drops zeros, in place; NULL for what is lost. */
const qkv__words *qkv__words_merge(qkv__words *words);

int qkv__letter_rows(const qkv__theory *theory, int letter);
int qkv__letter_columns(const qkv__theory *theory, int letter);
bool qkv__letter_permutes(const qkv__theory *theory, int letter);

void qkv__letters_write(const qkv__theory *theory, const int *letter, size_t length,
                        qkv__text *text);

/* ---- Between the files ---------------------------------------------------------------------- */

/* Turns left = right into rules without recording it as an assumption. */
qkv_status qkv__theory_add_rules(qkv__theory *theory, const qkv__expression *left,
                                 const qkv__expression *right);

/* softmax(argument), with permutations moved in front and behind. */
const qkv__words *qkv__words_softmax(qkv__work *work, const qkv__words *argument);

/* Whether a softmax letter and a permutation behind it may change places. */
bool qkv__softmax_commutes(qkv__work *work, int letter, int permutation);

/* Whether of two letters, a softmax factor and a permutation in either order, the permutation may
 * be left out. */
bool qkv__softmax_absorbs(qkv__work *work, int first, int second);

#endif
