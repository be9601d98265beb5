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
    QKV__MATRICES = 128,           /* values of other functions in one theory: matrices */
    QKV__NUMBERS = 512,            /* and numbers */
    QKV__NESTING = 8,              /* of softmax within softmax that permutations are moved past */
    QKV__REWRITES = 100000,        /* for one question */
    QKV__PENDING = 1024,           /* equations looked at while rules are made of one assumption */
    QKV__SCRATCH_BYTES = 64 << 20, /* for one question */
};

enum {
    QKV__FIRST_SPECIAL = QKV__ATOMS + QKV__SOFTMAX_FACTORS,
    QKV__FIRST_NUMBER = QKV__FIRST_SPECIAL + QKV__MATRICES,
};

/* A letter is 2*symbol + (1 if transposed). Symbols below QKV__ATOMS are atoms. Those below
 * QKV__FIRST_SPECIAL are softmax factors, known by their argument: rules->softmax[symbol -
 * QKV__ATOMS]; the others are values of other functions. From QKV__FIRST_NUMBER on they are
 * numbers, which are never transposed and stand in front. */
static inline int qkv__letter_transpose(int letter)
{
    return letter ^ 1;
}

static inline bool qkv__letter_is_softmax(int letter)
{
    return letter / 2 >= QKV__ATOMS && letter / 2 < QKV__FIRST_SPECIAL;
}

static inline bool qkv__letter_is_special(int letter)
{
    return letter / 2 >= QKV__FIRST_SPECIAL;
}

static inline bool qkv__letter_is_number(int letter)
{
    return letter / 2 >= QKV__FIRST_NUMBER;
}

/* coefficient * letter[0] * letter[1] * ...; no letters: the identity. */
typedef struct qkv__word {
    qkv__rational coefficient;
    size_t length;
    const int *letter;
} qkv__word;

/* A sum of words of one shape. In a normal form no rule fits, words ascend (see
 * qkv__word_compare), none comes twice, no coefficient is zero. */
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

/* The value of a function, as a letter. */
typedef struct qkv__special {
    qkv__function function;
    const char *name;           /* of a parameter */
    const qkv__words *argument; /* NULL for parameters and ones */
    int rows, columns;
    bool nonnegative, nonzero; /* for certain, wherever it has a value */
} qkv__special;

struct qkv__rules {
    size_t rule_count, step_count, softmax_count, matrix_count, number_count;
    qkv__special special[QKV__MATRICES + QKV__NUMBERS]; /* matrices first */
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

/* By the number of matrices, then by length, then by letters. */
int qkv__word_compare(const qkv__word *a, const qkv__word *b);
int qkv__words_compare(const qkv__words *a, const qkv__words *b); /* 0: the same in every way */

/* Sorts, adds up like words, drops zeros, in place; NULL for what is lost. */
const qkv__words *qkv__words_merge(qkv__words *words);

int qkv__letter_rows(const qkv__theory *theory, int letter);
int qkv__letter_columns(const qkv__theory *theory, int letter);
bool qkv__letter_permutes(const qkv__theory *theory, int letter);

const char *qkv__function_name(qkv__function function);
void qkv__letters_write(const qkv__theory *theory, const int *letter, size_t length,
                        qkv__text *text);

/* One word, of letters that are copied. */
qkv__words *qkv__words_one(qkv__work *work, int rows, int columns, qkv__rational coefficient,
                           const int *letter, size_t length);

/* How many letters in front of a word are numbers, once they stand there. */
size_t qkv__word_numbers(const qkv__word *word);

/* Whether a letter is certainly no negative number, and whether a product is v'*v. */
bool qkv__letter_is_nonnegative(const qkv__theory *theory, int letter);
bool qkv__letters_are_gram(const int *letter, size_t length);

/* ---- Numbers, and functions of matrices ------------------------------------------------------ */

static inline const qkv__special *qkv__letter_special(const qkv__theory *theory, int letter)
{
    return &theory->rules->special[letter / 2 - QKV__FIRST_SPECIAL];
}

/* Whether a letter is the value of that function. */
bool qkv__letter_is(const qkv__theory *theory, int letter, qkv__function function);

/* A number, as words of size 1 by 1; a number times anything. */
const qkv__words *qkv__words_number(qkv__work *work, qkv__rational number);
const qkv__words *qkv__words_times(qkv__work *work, const qkv__words *number,
                                   const qkv__words *words);

/* function(argument) in normal form; NULL: lost, or it has no value. */
const qkv__words *qkv__words_function(qkv__work *work, qkv__function function,
                                      const qkv__words *argument);
const qkv__words *qkv__words_parameter(qkv__work *work, const char *name, bool nonnegative);
const qkv__words *qkv__words_size(qkv__work *work, int dimension);
const qkv__words *qkv__words_ones(qkv__work *work, int rows);

/* The letter of a function's value, new or known; -1 without room. */
int qkv__special_letter(qkv__work *work, qkv__special special);

/* A product of size 1 by 1, as a number. */
const qkv__words *qkv__words_of_block(qkv__work *work, const int *letter, size_t length);

/* softmax(0): all weights are 1/columns. */
const qkv__words *qkv__words_uniform(qkv__work *work, int rows, int columns);

/* What a law of numbers makes of one word; *changed: whether one applies. NULL: lost. The shape of
 * what is returned has no meaning. */
const qkv__words *qkv__words_number_law(qkv__work *work, const qkv__word *word, bool *changed);

/* Whether both sides are the same once multiplied by the denominators in them. */
bool qkv__words_cross_equal(qkv__work *work, const qkv__words_proof *proof);

/* Whether a number is shown to be not negative, by bounds. */
bool qkv__words_is_nonnegative(qkv__work *work, const qkv__words *number);

/* u*ones' in the argument of a softmax, which it does not change, is left out. */
const qkv__words *qkv__words_unshifted(qkv__work *work, const qkv__words *argument);

/* ---- Between the files ---------------------------------------------------------------------- */

/* Turns left = right into rules without recording it as an assumption. */
qkv_status qkv__theory_add_rules(qkv__theory *theory, const qkv__expression *left,
                                 const qkv__expression *right);

/* The same for words = 0, which follows from what functions are; `text` says what it is. */
bool qkv__theory_learn(qkv__theory *theory, const qkv__words *words, const qkv__text *text);

/* Cites a law. */
bool qkv__law_use(qkv__work *work, const char *law);

/* softmax(argument), with permutations moved in front and behind. */
const qkv__words *qkv__words_softmax(qkv__work *work, const qkv__words *argument);

/* Whether a softmax letter and a permutation behind it may change places. */
bool qkv__softmax_commutes(qkv__work *work, int letter, int permutation);

/* Whether of two letters, a softmax factor and a permutation in either order, the permutation may
 * be left out. */
bool qkv__softmax_absorbs(qkv__work *work, int first, int second);

#endif
