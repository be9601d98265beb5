/*
 * The search for a witness. Sizes are taken in order of the entries they need. For each, names are
 * filled one after another with small simple matrices; an assumption is checked as soon as all its
 * names are filled, and an abbreviation (A = B*C) is computed. The first sizes that give a witness
 * are kept; there the entries are lowered for as long as it stays one. Deterministic: the random
 * numbers are a function of the seed and a counter. Knows nothing of proofs.
 */
#include "claim/words/matrix_witness.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "claim/words/matrix_value.h"

enum {
    DEFAULT_TRIES = 20000,
    DEFAULT_LARGEST = 5,
    FIRST_LARGEST = 3,   /* sizes that are gone through in order, before larger ones at random */
    SIZE_CHOICES = 729,  /* 3^6: beyond six dimensions the choices are drawn */
    TRIES_AT_MOST = 200, /* for one choice of sizes */
    TRIES_AT_LEAST = 24, /* for one choice of sizes */
    SIMPLE_TRIES = 40,   /* of these, with structured matrices */
    SUCCESSES = 16,      /* for one choice of sizes, of which the simplest is taken */
    ATTEMPTS = 16,       /* to fill one name so that the assumptions hold */
    PASSES = 6,          /* over all entries when lowering them */
    EASY_NODES = 256,    /* larger claims get fewer tries, for the same time */
    DIGITS_SHOWN = 4,
    ALL_DIGITS = 9,  /* where a few do not show the difference */
    HEAVY = 1 << 20, /* weight of a difference that four digits do not show */
};

/* Far above the bounds on rounding of numbers that a reader can check by hand (entries up to some
 * hundred, sums of at most 8 products: some 1e-12), which are added to it all the same. */
static const double LEAST_DIFFERENCE = 1e-6;

/* Four printed digits show a relative difference from 5e-4 on; this leaves room. */
static const double PLAIN_DIFFERENCE = 5e-3;

/* Sizes of the named dimensions, and the entries that all names together have then. */
typedef struct sizes {
    unsigned char size[QKV__DIMENSIONS];
    size_t entries;
} sizes;

/* One name to be filled. */
typedef struct filling {
    int atom;
    const qkv__expression *definition; /* computed from this; NULL: free */
} filling;

typedef struct search {
    qkv__theory *theory;
    const qkv__expression *left, *right;
    uint64_t seed, counter;
    uint64_t concerned;                   /* a bit an atom */
    bool dimension[QKV__DIMENSIONS];      /* that are concerned */
    bool is_definition[QKV__EQUATIONS];   /* satisfied by computing an atom */
    size_t checked_after[QKV__EQUATIONS]; /* index of the filling that completes an equation */
    size_t filling_count;
    filling filling[QKV__ATOMS];
    qkv__assignment now, best;
    size_t best_weight;
    qkv__matrix_value value[2];
    qkv__matrix_value *scratch; /* 2 * the largest depth */
} search;

/* ---- Random numbers ------------------------------------------------------------------------ */

/* SplitMix64's mixing of a counter (Steele, Lea and Flood 2014). */
static uint64_t draw_bits(search *s)
{
    uint64_t z = s->seed + UINT64_C(0x9e3779b97f4a7c15) * ++s->counter;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* In 0 ... limit - 1. */
static size_t draw(search *s, size_t limit)
{
    return (size_t)(draw_bits(s) % limit);
}

/* ---- What is concerned ---------------------------------------------------------------------- */

static uint64_t atom_bit(int atom)
{
    return UINT64_C(1) << atom;
}

/* The atoms of an expression; notes its dimensions on the way. */
static uint64_t atoms_of(search *s, const qkv__expression *e)
{
    s->dimension[e->rows] = true;
    s->dimension[e->columns] = true;
    uint64_t atoms = e->kind == QKV__EXPRESSION_ATOM ? atom_bit(e->atom) : 0;
    if (e->left != NULL) atoms |= atoms_of(s, e->left);
    if (e->right != NULL) atoms |= atoms_of(s, e->right);
    return atoms;
}

static uint64_t equation_atoms(search *s, size_t equation)
{
    const qkv__equation *e = &s->theory->equation[equation];
    return atoms_of(s, e->left) | atoms_of(s, e->right);
}

/* ---- The order of filling ------------------------------------------------------------------- */

/* A definition may not reach its own atom through others: reach[a] holds all that a is made of. */
static bool try_definition(search *s, size_t equation, const qkv__expression *name,
                           const qkv__expression *body, const qkv__expression **definition,
                           uint64_t *reach)
{
    if (name->kind != QKV__EXPRESSION_ATOM || s->theory->atom[name->atom].permutation ||
        definition[name->atom] != NULL)
        return false;
    uint64_t made_of = atoms_of(s, body);
    for (int a = 0; a < QKV__ATOMS; a++)
        if ((made_of & atom_bit(a)) != 0) made_of |= reach[a];
    if ((made_of & atom_bit(name->atom)) != 0) return false;
    reach[name->atom] = made_of;
    for (int a = 0; a < QKV__ATOMS; a++)
        if ((reach[a] & atom_bit(name->atom)) != 0) reach[a] |= made_of;
    definition[name->atom] = body;
    s->is_definition[equation] = true;
    return true;
}

static void find_definitions(search *s, const qkv__expression **definition)
{
    uint64_t reach[QKV__ATOMS] = {0};
    for (size_t i = 0; i < s->theory->equation_count; i++) {
        const qkv__equation *e = &s->theory->equation[i];
        if (!try_definition(s, i, e->left, e->right, definition, reach))
            try_definition(s, i, e->right, e->left, definition, reach);
    }
}

/* Puts every concerned atom behind those that it is defined by. */
static void order_fillings(search *s, const qkv__expression **definition)
{
    uint64_t filled = 0;
    while (filled != s->concerned) {
        for (int a = 0; (size_t)a < s->theory->atom_count; a++) {
            if ((s->concerned & ~filled & atom_bit(a)) == 0) continue;
            if (definition[a] != NULL && (atoms_of(s, definition[a]) & ~filled) != 0) continue;
            s->filling[s->filling_count++] = (filling){a, definition[a]};
            filled |= atom_bit(a);
        }
    }
}

static void place_checks(search *s)
{
    for (size_t i = 0; i < s->theory->equation_count; i++) {
        uint64_t atoms = equation_atoms(s, i);
        for (size_t k = 0; k < s->filling_count; k++)
            if ((atoms & atom_bit(s->filling[k].atom)) != 0) s->checked_after[i] = k;
    }
}

static void plan(search *s)
{
    const qkv__expression *definition[QKV__ATOMS] = {NULL};
    s->concerned = atoms_of(s, s->left) | atoms_of(s, s->right);
    for (size_t i = 0; i < s->theory->equation_count; i++) s->concerned |= equation_atoms(s, i);
    find_definitions(s, definition);
    order_fillings(s, definition);
    place_checks(s);
}

/* ---- Filling a matrix ----------------------------------------------------------------------- */

typedef enum family {
    ZERO,      /* nothing */
    CORNER,    /* a 1 in the first place */
    DIAGONAL,  /* 1 along the diagonal */
    RISING,    /* 1, 2, 3 ... along the diagonal */
    MULTIPLE,  /* 2 along the diagonal: commutes with everything square */
    SHIFTED,   /* columns of the identity, beginning anywhere: orthonormal, some disjoint */
    PLACED,    /* a 1 or a 2 anywhere */
    SHUFFLED,  /* a 1 in every row, each in another column where there are enough */
    BITS,      /* 0 and 1 */
    DIGITS,    /* 0, 1 and 2 */
    SIGNED,    /* -1 to 2 */
    SYMMETRIC, /* 0, 1 and 2, mirrored */
    FAMILIES,
} family;

typedef struct frame {
    size_t rows, columns;
    size_t shift, place; /* random, for the families that want them */
} frame;

static double entry_of(search *s, family kind, const frame *f, size_t i, size_t j)
{
    bool diagonal = i == j;
    switch (kind) {
    case ZERO:
    case SHUFFLED:
    case FAMILIES: return 0.0;
    case CORNER: return i == 0 && j == 0 ? 1.0 : 0.0;
    case DIAGONAL: return diagonal ? 1.0 : 0.0;
    case RISING: return diagonal ? (double)(i + 1) : 0.0;
    case MULTIPLE: return diagonal ? 2.0 : 0.0;
    case SHIFTED: return i == (j + f->shift) ? 1.0 : 0.0;
    case PLACED: return i * f->columns + j == f->place ? (double)(1 + f->shift % 2) : 0.0;
    case BITS: return (double)draw(s, 2);
    case DIGITS:
    case SYMMETRIC: return (double)draw(s, 3);
    case SIGNED: return (double)draw(s, 4) - 1.0;
    }
    return 0.0;
}

/* A random order of 0 ... count - 1; for a try that is to be simple, 0 and 1 change places. */
static void shuffle(search *s, bool simple, size_t count, size_t order[QKV__WITNESS_SIDE])
{
    for (size_t i = 0; i < count; i++) order[i] = i;
    for (size_t i = count; i > 1; i--) {
        size_t k = simple ? (i == 2 ? 0 : i - 1) : draw(s, i);
        size_t kept = order[i - 1];
        order[i - 1] = order[k];
        order[k] = kept;
    }
}

static void fill_shuffled(search *s, bool simple, const frame *f, qkv__matrix_value *m)
{
    size_t order[QKV__WITNESS_SIDE] = {0};
    size_t count = f->rows > f->columns ? f->rows : f->columns;
    shuffle(s, simple, count, order);
    for (size_t i = 0; i < f->rows * f->columns; i++) m->entry[i] = (qkv__bounded){0.0, 0.0};
    for (size_t i = 0; i < f->rows; i++)
        if (order[i] < f->columns) m->entry[i * f->columns + order[i]].value = 1.0;
}

static void fill_free(search *s, family kind, const frame *f, qkv__matrix_value *m)
{
    if (kind == SHUFFLED) {
        fill_shuffled(s, false, f, m);
        return;
    }
    for (size_t i = 0; i < f->rows; i++)
        for (size_t j = 0; j < f->columns; j++)
            m->entry[i * f->columns + j] = (qkv__bounded){entry_of(s, kind, f, i, j), 0.0};
    for (size_t i = 0; kind == SYMMETRIC && i < f->rows; i++)
        for (size_t j = 0; j < i && j < f->columns && i < f->columns; j++)
            m->entry[i * f->columns + j] = m->entry[j * f->columns + i];
}

static frame frame_of(const search *s, int atom)
{
    const qkv__atom *a = &s->theory->atom[atom];
    return (frame){.rows = s->now.size[a->rows], .columns = s->now.size[a->columns]};
}

/* Every third permutation after the first tries is random, so that sizes above 2 see all kinds. */
static void fill_atom(search *s, int atom, bool simple)
{
    frame f = frame_of(s, atom);
    qkv__matrix_value *m = &s->now.atom[atom];
    if (s->theory->atom[atom].permutation) {
        fill_shuffled(s, simple || draw(s, 3) != 0, &f, m);
        return;
    }
    f.shift = draw(s, f.rows);
    f.place = draw(s, f.rows * f.columns);
    fill_free(s, (family)draw(s, simple ? BITS : FAMILIES), &f, m);
}

/* ---- Judging an assignment ------------------------------------------------------------------ */

static void evaluate_sides(search *s, const qkv__expression *left, const qkv__expression *right)
{
    qkv__matrix_evaluate(&s->now, left, &s->value[0], s->scratch);
    qkv__matrix_evaluate(&s->now, right, &s->value[1], s->scratch);
}

static size_t entry_count(const search *s, const qkv__expression *e)
{
    return s->now.size[e->rows] * s->now.size[e->columns];
}

/* Exactly, without any rounding: nearly satisfied assumptions refute nothing. */
static bool holds(search *s, const qkv__equation *equation)
{
    evaluate_sides(s, equation->left, equation->right);
    for (size_t i = 0; i < entry_count(s, equation->left); i++) {
        qkv__bounded a = s->value[0].entry[i], b = s->value[1].entry[i];
        if (a.error != 0.0 || b.error != 0.0 || a.value != b.value) return false;
    }
    return true;
}

/* The equations that the filling just done completes. */
static bool all_hold(search *s, size_t filled)
{
    for (size_t i = 0; i < s->theory->equation_count; i++)
        if (!s->is_definition[i] && s->checked_after[i] == filled &&
            !holds(s, &s->theory->equation[i]))
            return false;
    return true;
}

typedef enum difference { NO_DIFFERENCE, HIDDEN_DIFFERENCE, PLAIN } difference;

/* Whether the sides differ for certain, and in a way that a reader sees. NaN never differs. */
static difference compare_sides(search *s)
{
    difference found = NO_DIFFERENCE;
    evaluate_sides(s, s->left, s->right);
    for (size_t i = 0; i < entry_count(s, s->left); i++) {
        qkv__bounded a = s->value[0].entry[i], b = s->value[1].entry[i];
        double apart = fabs(a.value - b.value);
        if (!(apart > a.error + b.error + LEAST_DIFFERENCE)) continue;
        if (apart > PLAIN_DIFFERENCE * fmax(1.0, fmax(fabs(a.value), fabs(b.value)))) return PLAIN;
        found = HIDDEN_DIFFERENCE;
    }
    return found;
}

/* 0 costs nothing, 1 little, negative numbers more than positive ones. */
static size_t weight_of_number(double value)
{
    if (value == 0.0) return 0;
    double size = fmin(fabs(value), 1000.0);
    return (size_t)(2.0 * size) - 1 + (value < 0.0 ? 2 : 0);
}

/* How much a reader has to take in; SIZE_MAX for no witness. Permutations count by what they move.
 */
static size_t weigh(search *s)
{
    difference found = compare_sides(s);
    if (found == NO_DIFFERENCE) return SIZE_MAX;
    size_t weight = found == PLAIN ? 0 : HEAVY;
    for (size_t k = 0; k < s->filling_count; k++) {
        frame f = frame_of(s, s->filling[k].atom);
        const qkv__bounded *entry = s->now.atom[s->filling[k].atom].entry;
        bool permutation = s->theory->atom[s->filling[k].atom].permutation;
        for (size_t i = 0; i < f.rows * f.columns; i++)
            if (!permutation || i % (f.columns + 1) != 0)
                weight += weight_of_number(entry[i].value);
    }
    return weight;
}

/* ---- One try -------------------------------------------------------------------------------- */

static bool fill_one(search *s, size_t k, bool simple)
{
    const filling *f = &s->filling[k];
    if (f->definition != NULL) {
        qkv__matrix_evaluate(&s->now, f->definition, &s->now.atom[f->atom], s->scratch);
        return all_hold(s, k);
    }
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        fill_atom(s, f->atom, simple);
        if (all_hold(s, k)) return true;
    }
    return false;
}

/* Fills all names so that the assumptions hold; false when that did not succeed. Without a name
 * there still may be assumptions, such as softmax(I) = I. */
static bool fill_all(search *s, bool simple)
{
    if (s->filling_count == 0) return all_hold(s, 0);
    for (size_t k = 0; k < s->filling_count; k++)
        if (!fill_one(s, k, simple)) return false;
    return true;
}

/* The weight after free names were changed by hand; SIZE_MAX if that broke something. */
static size_t weigh_again(search *s)
{
    for (size_t k = 0; k < s->filling_count; k++) {
        const filling *f = &s->filling[k];
        if (f->definition != NULL)
            qkv__matrix_evaluate(&s->now, f->definition, &s->now.atom[f->atom], s->scratch);
        if (!all_hold(s, k)) return SIZE_MAX;
    }
    return weigh(s);
}

/* Tries smaller numbers in one place; keeps what makes a lighter witness. */
static void lower_entry(search *s, qkv__bounded *entry, size_t *weight)
{
    const double from = entry->value;
    const double choices[] = {0.0, 1.0, from > 0.0 ? from - 1.0 : from + 1.0};
    for (size_t c = 0; c < 3; c++) {
        double before = entry->value;
        if (weight_of_number(choices[c]) >= weight_of_number(before)) continue;
        entry->value = choices[c];
        size_t lowered = weigh_again(s);
        if (lowered < *weight)
            *weight = lowered;
        else
            entry->value = before;
    }
}

/* Lowers entries one at a time until a pass changes nothing. Leaves definitions recomputed. */
static size_t lower_all(search *s, size_t weight)
{
    for (int pass = 0; pass < PASSES; pass++) {
        size_t before = weight;
        for (size_t k = 0; k < s->filling_count; k++) {
            int atom = s->filling[k].atom;
            frame f = frame_of(s, atom);
            if (s->filling[k].definition != NULL || s->theory->atom[atom].permutation) continue;
            for (size_t i = 0; i < f.rows * f.columns; i++)
                lower_entry(s, &s->now.atom[atom].entry[i], &weight);
        }
        if (weight == before) break;
    }
    return weigh_again(s);
}

/* ---- Sizes ---------------------------------------------------------------------------------- */

/* The dimensions that are to be chosen; their count. */
static size_t named_dimensions(const search *s, size_t named[QKV__DIMENSIONS])
{
    size_t count = 0;
    for (size_t i = 0; i < s->theory->dimension_count; i++)
        if (s->dimension[i] && s->theory->dimension[i].size == 0) named[count++] = i;
    return count;
}

static void set_sizes(search *s, sizes *choice)
{
    choice->entries = 0;
    for (size_t i = 0; i < s->theory->dimension_count; i++) {
        size_t fixed = s->theory->dimension[i].size;
        s->now.size[i] = !s->dimension[i] ? 0 : fixed > 0 ? fixed : choice->size[i];
    }
    for (size_t k = 0; k < s->filling_count; k++) {
        frame f = frame_of(s, s->filling[k].atom);
        choice->entries += f.rows * f.columns;
    }
}

static int compare_choices(const void *one, const void *two)
{
    const sizes *a = one, *b = two;
    if (a->entries != b->entries) return a->entries < b->entries ? -1 : 1;
    return memcmp(a->size, b->size, sizeof a->size);
}

/* The size of a named dimension that lies so much above its least. */
static unsigned char size_above(const search *s, size_t dimension, size_t above)
{
    size_t least = s->theory->dimension[dimension].least;
    size_t size = (least == 0 ? 1 : least) + above;
    return (unsigned char)(size < QKV__WITNESS_SIDE ? size : QKV__WITNESS_SIDE);
}

/* The FIRST_LARGEST least sizes of every dimension, or as many drawn ones as there is room for;
 * sorted. */
static size_t list_choices(search *s, size_t largest, sizes choices[SIZE_CHOICES])
{
    size_t named[QKV__DIMENSIONS], count = named_dimensions(s, named), total = 1;
    if (largest > FIRST_LARGEST) largest = FIRST_LARGEST;
    for (size_t k = 0; k < count && total <= SIZE_CHOICES; k++) total *= largest;
    bool all = total <= SIZE_CHOICES;
    if (!all) total = SIZE_CHOICES;
    for (size_t c = 0; c < total; c++) {
        size_t rest = c;
        for (size_t k = 0; k < count; k++) {
            choices[c].size[named[k]] =
                size_above(s, named[k], all ? rest % largest : draw(s, largest));
            rest /= largest;
        }
        set_sizes(s, &choices[c]);
    }
    qsort(choices, total, sizeof choices[0], compare_choices);
    return total;
}

static void draw_sizes(search *s, size_t largest, sizes *choice)
{
    size_t named[QKV__DIMENSIONS], count = named_dimensions(s, named);
    for (size_t k = 0; k < count; k++)
        choice->size[named[k]] = size_above(s, named[k], draw(s, largest));
}

/* ---- The search ----------------------------------------------------------------------------- */

/* Tries one choice of sizes; whether a witness was found. The simplest is left in best. */
static bool search_sizes(search *s, sizes *choice, size_t tries, size_t *made)
{
    size_t successes = 0;
    s->best_weight = SIZE_MAX;
    set_sizes(s, choice);
    for (size_t t = 0; t < tries && successes < SUCCESSES; t++) {
        ++*made;
        if (!fill_all(s, t < SIMPLE_TRIES)) continue;
        size_t weight = weigh(s);
        if (weight == SIZE_MAX) continue;
        successes++;
        weight = lower_all(s, weight);
        if (weight >= s->best_weight) continue;
        s->best_weight = weight;
        s->best = s->now;
    }
    return s->best_weight != SIZE_MAX;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool search_all(search *s, const qkv__witness_limits *limits, sizes *choices, size_t *made)
{
    size_t count = list_choices(s, limits->largest, choices);
    assert(count > 0);
    size_t each = smaller(limits->tries / 2 / count, TRIES_AT_MOST);
    if (each < TRIES_AT_LEAST) each = TRIES_AT_LEAST;
    for (size_t c = 0; c < count && *made < limits->tries; c++)
        if (search_sizes(s, &choices[c], smaller(each, limits->tries - *made), made)) return true;
    while (*made < limits->tries) {
        draw_sizes(s, limits->largest, &choices[0]);
        if (search_sizes(s, &choices[0], smaller(each, limits->tries - *made), made)) return true;
    }
    return false;
}

/* ---- The report ----------------------------------------------------------------------------- */

static void write_number(const search *s, double value, qkv__text *text)
{
    int digits = s->best_weight < HEAVY ? DIGITS_SHOWN : ALL_DIGITS;
    qkv__text_format(text, "%.*g", digits, value + 0.0); /* + 0 turns -0 into 0 */
}

/* [[1,0],[0,1]], or [1,0] for what is declared to be a single column. */
static void write_matrix(const search *s, int rows, int columns, const qkv__bounded *entry,
                         qkv__text *text)
{
    size_t height = s->best.size[rows], width = s->best.size[columns];
    bool vector = s->theory->dimension[columns].size == 1;
    qkv__text_append(text, "[", 1);
    for (size_t i = 0; i < height; i++) {
        qkv__text_format(text, "%s%s", i > 0 ? "," : "", vector ? "" : "[");
        for (size_t j = 0; j < width; j++) {
            if (j > 0) qkv__text_append(text, ",", 1);
            write_number(s, entry[i * width + j].value, text);
        }
        if (!vector) qkv__text_append(text, "]", 1);
    }
    qkv__text_append(text, "]", 1);
}

/* Names that the claim does not depend on, not even through an assumption, are not shown. */
static uint64_t shown_atoms(search *s)
{
    uint64_t shown = atoms_of(s, s->left) | atoms_of(s, s->right), before;
    do {
        before = shown;
        for (size_t i = 0; i < s->theory->equation_count; i++) {
            uint64_t atoms = equation_atoms(s, i);
            if ((atoms & shown) != 0) shown |= atoms;
        }
    } while (shown != before);
    return shown;
}

/* "With n = 2, X = [[1,0]]: left [[0,1]] against right [[1,0]]". */
static void write_witness(search *s, qkv__text *text)
{
    const char *lead = "With";
    uint64_t shown = shown_atoms(s);
    size_t named[QKV__DIMENSIONS], count = named_dimensions(s, named);
    for (size_t k = 0; k < count; k++) {
        qkv__text_format(text, "%s %s = %zu", lead, s->theory->dimension[named[k]].name,
                         s->best.size[named[k]]);
        lead = ",";
    }
    for (int a = 0; (size_t)a < s->theory->atom_count; a++) {
        const qkv__atom *atom = &s->theory->atom[a];
        if ((shown & atom_bit(a)) == 0) continue;
        qkv__text_format(text, "%s %s = ", lead, atom->name);
        write_matrix(s, atom->rows, atom->columns, s->best.atom[a].entry, text);
        lead = ",";
    }
    s->now = s->best;
    evaluate_sides(s, s->left, s->right);
    qkv__text_append(text, ": left ", 7);
    write_matrix(s, s->left->rows, s->left->columns, s->value[0].entry, text);
    qkv__text_append(text, " against right ", 15);
    write_matrix(s, s->left->rows, s->left->columns, s->value[1].entry, text);
}

/* Copies the witness into the theory's arena; false without memory. */
static bool keep_witness(search *s, qkv__witness *witness)
{
    memcpy(witness->size, s->best.size, sizeof witness->size);
    s->now = s->best;
    for (size_t k = 0; k < s->filling_count; k++) {
        int atom = s->filling[k].atom;
        frame f = frame_of(s, atom);
        double *copy = qkv__arena_array(&s->theory->arena, f.rows * f.columns, sizeof *copy);
        if (copy == NULL) return false;
        for (size_t i = 0; i < f.rows * f.columns; i++) copy[i] = s->best.atom[atom].entry[i].value;
        witness->entry[atom] = copy;
    }
    return true;
}

/* ---- The question --------------------------------------------------------------------------- */

static qkv__witness_limits settle(const qkv__witness_limits *limits, size_t nodes)
{
    qkv__witness_limits settled = limits == NULL ? (qkv__witness_limits){0} : *limits;
    if (settled.tries == 0) settled.tries = DEFAULT_TRIES;
    if (nodes > EASY_NODES) settled.tries = settled.tries / (nodes / EASY_NODES) + 1;
    if (settled.largest == 0) settled.largest = DEFAULT_LARGEST;
    if (settled.largest > QKV__WITNESS_SIDE) settled.largest = QKV__WITNESS_SIDE;
    return settled;
}

static size_t larger_depth(size_t depth, const qkv__expression *e)
{
    return e->depth > depth ? e->depth : depth;
}

static size_t largest_depth(const search *s)
{
    size_t depth = larger_depth(s->left->depth, s->right);
    for (size_t i = 0; i < s->theory->equation_count; i++) {
        depth = larger_depth(depth, s->theory->equation[i].left);
        depth = larger_depth(depth, s->theory->equation[i].right);
    }
    return depth;
}

/* Whether every whole-number dimension, and the least size of every named one, fits here. */
static bool sizes_fit(const search *s)
{
    for (size_t i = 0; i < s->theory->dimension_count; i++) {
        const qkv__dimension *d = &s->theory->dimension[i];
        if (s->dimension[i] && (d->size > QKV__WITNESS_SIDE || d->least > QKV__WITNESS_SIDE))
            return false;
    }
    return true;
}

static qkv__witness_verdict run(search *s, const qkv__witness_limits *limits, sizes *choices,
                                qkv__text *text, qkv__witness *witness)
{
    plan(s);
    if (!sizes_fit(s) || !search_all(s, limits, choices, &witness->tries)) return QKV__WITNESS_NONE;
    write_witness(s, text);
    bool kept = keep_witness(s, witness) && !text->failed;
    return kept ? QKV__WITNESS_FOUND : QKV__WITNESS_LOST;
}

qkv__witness_verdict qkv__matrix_witness(qkv__theory *theory, const qkv__expression *left,
                                         const qkv__expression *right,
                                         const qkv__witness_limits *limits, qkv__text *text,
                                         qkv__witness *witness)
{
    qkv__witness_verdict verdict = QKV__WITNESS_LOST;
    *witness = (qkv__witness){0};
    if (!qkv__expression_agree(theory, &left, &right)) return QKV__WITNESS_LOST;
    if (theory->contradictory) return QKV__WITNESS_NONE;
    qkv__witness_limits settled = settle(limits, left->nodes + right->nodes);
    search *s = qkv__allocate_zero(sizeof *s);
    sizes *choices = qkv__allocate_zero(SIZE_CHOICES * sizeof *choices);
    qkv__matrix_value *scratch = NULL;
    if (s == NULL || choices == NULL) goto fail;
    s->theory = theory;
    s->left = left;
    s->right = right;
    s->seed = settled.seed;
    scratch = s->scratch = qkv__allocate(2 * largest_depth(s) * sizeof *scratch);
    if (scratch == NULL) goto fail;
    verdict = run(s, &settled, choices, text, witness);
fail:
    if (verdict == QKV__WITNESS_LOST)
        qkv__fail(&theory->error, QKV_ERROR_MEMORY, "out of memory for a witness");
    qkv__free(scratch);
    qkv__free(choices);
    qkv__free(s);
    return verdict;
}
