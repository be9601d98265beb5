/*
 * Vectors with the inner products that premises state: x.y = 1/2, |x| = 3. One vector after the
 * other is a combination of those before, found by elimination, and the rest of its length goes
 * into four coordinates of its own: every rational that is not negative is a sum of four squares of
 * rationals (Lagrange 1770). All numbers are exact. Knows instances; nothing of verdicts.
 */
#include <math.h>
#include <string.h>

#include "ball/box.h"
#include "claim/search/search_part.h"
#include "replay/names.h"

enum {
    VECTORS = 6,
    OWN = 4,              /* coordinates of a vector's own */
    LARGEST = 1000000000, /* that is written as four squares */
    STEPS = 100000,       /* in looking for them */
};

typedef struct given {
    const qkv__node *node;
    const qkv__unknown *unknown;
    size_t row;
    bool sized; /* its length is known */
    qkv__rational square;
    bool known[VECTORS]; /* its products with others, by their place */
    qkv__rational product[VECTORS];
    qkv__rational at[QKV__REPLAY_SIDE];
} given;

typedef struct placing {
    qkv__replay *replay;
    size_t count, width, next; /* next: the first coordinate that nobody has */
    given vector[VECTORS];
} placing;

/* ---- What is given ------------------------------------------------------------------------- */

/* The member that x[i] is, or the vector x itself. */
static bool find_vector(qkv__replay *replay, const qkv__node *node, size_t position, given *found)
{
    const qkv__node *declared, *name = node->kind == QKV__NODE_INDEX ? node->child[0] : node;
    *found = (given){.node = node};
    if (name->kind != QKV__NODE_NAME) return false;
    int at = qkv__replay_resolve(replay, name->text, position, &declared);
    int unknown =
        at < 0 ? -1 : qkv__replay_unknown(replay, name->text, replay->statement[at], NULL);
    if (unknown < 0) return false;
    found->unknown = &replay->unknown[unknown];
    if (node->kind == QKV__NODE_NAME) return found->unknown->kind == QKV__UNKNOWN_VECTOR;
    if (found->unknown->kind != QKV__UNKNOWN_FAMILY || node->count != 2 ||
        found->unknown->names != NULL)
        return false;
    const qkv__node *index = node->child[1];
    int picked = index->kind == QKV__NODE_NAME ? qkv__replay_index(replay, index->text) : -1;
    qkv__rational number = index->kind == QKV__NODE_NUMBER ? index->value
                           : picked >= 0 ? replay->slot[replay->unknown[picked].offset]
                                         : QKV__RATIONAL_LOST;
    if (qkv__rational_is_lost(number) || number.denominator != 1 || number.numerator < 1 ||
        number.numerator > (int64_t)found->unknown->rows)
        return false;
    found->row = (size_t)number.numerator - 1;
    return true;
}

/* Its place among the vectors of the system; -1: there is no room, or it is none. */
static int place_of(placing *s, const qkv__node *node, size_t position)
{
    given found;
    if (!find_vector(s->replay, node, position, &found)) return -1;
    for (size_t i = 0; i < s->count; i++)
        if (s->vector[i].unknown == found.unknown && s->vector[i].row == found.row) return (int)i;
    if (s->count == VECTORS) return -1;
    s->vector[s->count] = found;
    return (int)s->count++;
}

static void take_premise(placing *s, const qkv__node *node, size_t position)
{
    if (node->kind == QKV__NODE_AND) {
        take_premise(s, node->child[0], position);
        take_premise(s, node->child[1], position);
    }
    if (node->kind != QKV__NODE_COMPARE || node->comparison != QKV__EQUAL) return;
    const qkv__node *left = node->child[0], *right = node->child[1];
    if (left->kind != QKV__NODE_DOT && left->kind != QKV__NODE_SIZE) {
        left = node->child[1];
        right = node->child[0];
    }
    qkv__scene scene = {.replay = s->replay, .position = position};
    qkv__rational number;
    bool length = left->kind == QKV__NODE_SIZE;
    if ((!length && left->kind != QKV__NODE_DOT) || !qkv__replay_number(&scene, right, &number))
        return;
    int x = place_of(s, left->child[0], position);
    int y = length ? x : place_of(s, left->child[1], position);
    if (x < 0 || y < 0) return;
    if (x == y) {
        s->vector[x].sized = true;
        s->vector[x].square = length ? qkv__rational_multiply(number, number) : number;
        return;
    }
    s->vector[x].known[y] = s->vector[y].known[x] = true;
    s->vector[x].product[y] = s->vector[y].product[x] = number;
}

bool qkv__search_has_products(const qkv__node *node)
{
    if (node->kind == QKV__NODE_COMPARE && node->comparison == QKV__EQUAL)
        for (size_t i = 0; i < 2; i++)
            if (node->child[i]->kind == QKV__NODE_DOT) return true;
    return node->kind == QKV__NODE_AND &&
           (qkv__search_has_products(node->child[0]) || qkv__search_has_products(node->child[1]));
}

/* ---- Numbers ------------------------------------------------------------------------------- */

static qkv__rational dot(const given *x, const given *y, size_t width)
{
    qkv__rational sum = qkv__rational_whole(0);
    for (size_t i = 0; i < width; i++)
        sum = qkv__rational_add(sum, qkv__rational_multiply(x->at[i], y->at[i]));
    return sum;
}

static int64_t root_below(int64_t n)
{
    int64_t root = (int64_t)sqrt((double)n);
    while (root * root > n) root--;
    while ((root + 1) * (root + 1) <= n) root++;
    return root;
}

/* p/q as the sum of four squares, by those of p*q over q. */
static bool four_squares(qkv__rational number, qkv__rational part[OWN])
{
    int64_t q = number.denominator;
    if (qkv__rational_is_lost(number) || number.numerator < 0 || q > LARGEST ||
        number.numerator > LARGEST / q)
        return false;
    int64_t n = number.numerator * q;
    size_t steps = 0;
    for (int64_t a = root_below(n); a >= 0; a--)
        for (int64_t b = root_below(n - a * a); b >= 0; b--) {
            int64_t left = n - a * a - b * b, c = root_below(left);
            for (; 2 * c * c >= left && c >= 0; c--) {
                if (++steps == STEPS) return false;
                int64_t d = root_below(left - c * c);
                if (c * c + d * d != left) continue;
                const int64_t squares[OWN] = {a, b, c, d};
                for (size_t i = 0; i < OWN; i++) part[i] = qkv__rational_make(squares[i], q);
                return true;
            }
        }
    return false;
}

/* ---- Placing ------------------------------------------------------------------------------- */

/* The part of a vector in the span of those that are placed, so that its products are right. */
static bool combine(const placing *s, const bool *placed, given *x)
{
    size_t count = 0, with[VECTORS];
    qkv__rational m[VECTORS][VECTORS + 1];
    for (size_t i = 0; i < s->count; i++)
        if (placed[i] && x->known[i]) with[count++] = i;
    for (size_t r = 0; r < count; r++) {
        for (size_t c = 0; c < count; c++)
            m[r][c] = dot(&s->vector[with[r]], &s->vector[with[c]], s->width);
        m[r][count] = x->product[with[r]];
    }
    for (size_t k = 0; k < count; k++) {
        if (qkv__rational_is_lost(m[k][k]) || m[k][k].numerator == 0) return false;
        for (size_t r = 0; r < count; r++) {
            if (r == k) continue;
            qkv__rational factor = qkv__rational_divide(m[r][k], m[k][k]);
            for (size_t c = k; c <= count; c++)
                m[r][c] = qkv__rational_subtract(m[r][c], qkv__rational_multiply(factor, m[k][c]));
        }
    }
    for (size_t i = 0; i < s->width; i++) {
        x->at[i] = qkv__rational_whole(0);
        for (size_t k = 0; k < count; k++)
            x->at[i] = qkv__rational_add(
                x->at[i], qkv__rational_multiply(qkv__rational_divide(m[k][count], m[k][k]),
                                                 s->vector[with[k]].at[i]));
        if (qkv__rational_is_lost(x->at[i])) return false;
    }
    return true;
}

/* Products of which nothing is said: anywhere in their range, also at its ends, in short decimals.
 */
static bool choose_products(placing *s, const bool *placed, size_t j)
{
    static const double places[] = {-1, -1, -0.9, -0.5, 0, 0, 0.5, 0.9, 1, 1};
    static const int64_t units[] = {1, 10, 10, 20, 100, 1000};
    given *x = &s->vector[j];
    for (size_t k = 0; k < s->count; k++) {
        given shadow = s->vector[k];
        if (!placed[k] || x->known[k] || !x->sized) continue;
        for (size_t i = 0; i < s->count;
             i++) { /* the part of it that x has in common with the known */
            shadow.known[i] = placed[i] && x->known[i];
            if (shadow.known[i]) shadow.product[i] = dot(&s->vector[k], &s->vector[i], s->width);
        }
        if (!combine(s, placed, &shadow)) return false;
        double rest =
            qkv__rational_approximate(qkv__rational_subtract(x->square, dot(x, x, s->width)));
        double aside = qkv__rational_approximate(qkv__rational_subtract(
            dot(&s->vector[k], &s->vector[k], s->width), dot(&shadow, &shadow, s->width)));
        double middle = qkv__rational_approximate(dot(x, &s->vector[k], s->width));
        double reach = rest > 0 && aside > 0 ? sqrt(rest * aside) : 0;
        int64_t unit = units[qkv__search_draw(s->replay, sizeof units / sizeof units[0])];
        double wanted = (middle + places[qkv__search_draw(s->replay, 10)] * reach) * (double)unit;
        double inward = wanted < middle * (double)unit ? ceil(wanted - 1e-9) : floor(wanted + 1e-9);
        if (!(fabs(inward) < 1e9) || aside <= 0) continue;
        x->known[k] = true;
        x->product[k] = qkv__rational_make((int64_t)inward, unit);
        if (!combine(s, placed, x)) return false;
    }
    return true;
}

/* The rest of its length, in coordinates of its own. */
static bool lengthen(placing *s, given *x)
{
    qkv__rational part[OWN];
    bool room = s->next + OWN <= s->width;
    if (!x->sized) {
        for (size_t i = 0; room && i < OWN; i++)
            x->at[s->next + i] = qkv__rational_whole((int64_t)qkv__search_draw(s->replay, 5) - 2);
        s->next += room ? OWN : 0;
        return true;
    }
    qkv__rational rest = qkv__rational_subtract(x->square, dot(x, x, s->width));
    if (rest.numerator == 0 && !qkv__rational_is_lost(rest)) return true;
    if (!room || !four_squares(rest, part)) return false;
    size_t turn = qkv__search_draw(s->replay, OWN);
    for (size_t i = 0; i < OWN; i++) {
        bool minus = qkv__search_draw(s->replay, 2) == 0;
        qkv__rational own = part[(i + turn) % OWN];
        x->at[s->next + i] = minus ? qkv__rational_negate(own) : own;
    }
    s->next += OWN;
    return true;
}

/* Into the slots: coordinates, or for unit vectors the point that is projected to them. */
static bool write_slots(placing *s, const given *x, qkv__rational norm)
{
    const qkv__unknown *u = x->unknown;
    qkv__rational *slot = s->replay->slot + u->offset + x->row * u->columns;
    if (u->kind == QKV__UNKNOWN_VECTOR) slot = s->replay->slot + u->offset;
    if (!u->spherical) {
        memcpy(slot, x->at, s->width * sizeof *slot);
        return true;
    }
    const size_t last = s->width - 1;
    qkv__rational end = qkv__rational_divide(x->at[last], norm);
    bool minus = end.numerator < 0;
    qkv__rational below =
        qkv__rational_add(qkv__rational_whole(1), minus ? qkv__rational_negate(end) : end);
    for (size_t i = 0; i < last; i++) {
        slot[i] = qkv__rational_divide(qkv__rational_divide(x->at[i], norm), below);
        if (qkv__rational_is_lost(slot[i])) return false;
    }
    slot[last] = qkv__rational_whole(minus ? -1 : 1);
    return true;
}

/* Vectors of families at right angles are what they are. */
static bool read_fixed(placing *s, given *x)
{
    qkv__scene scene = {.replay = s->replay, .position = s->replay->statement_count};
    qkv__case_value value;
    if (!qkv__replay_evaluate(&scene, x->node, &value) || value.rows != s->width) return false;
    for (size_t i = 0; i < s->width; i++) {
        x->at[i] = value.entry[i].exact;
        if (qkv__rational_is_lost(x->at[i])) return false;
        if (x->at[i].numerator != 0 && i >= s->next) s->next = i + 1;
    }
    return true;
}

static size_t width_of(const given *x)
{
    return x->unknown->kind == QKV__UNKNOWN_VECTOR ? x->unknown->rows : x->unknown->columns;
}

void qkv__search_give_products(qkv__replay *replay)
{
    placing s = {.replay = replay};
    bool placed[VECTORS] = {false};
    for (size_t i = 0; i < replay->premise_count; i++)
        take_premise(&s, replay->premise[i].node, replay->premise[i].position);
    if (s.count < 2) return;
    s.width = width_of(&s.vector[0]);
    if (s.width > QKV__REPLAY_SIDE) return;
    for (size_t i = 0; i < s.count; i++) {
        given *x = &s.vector[i];
        placed[i] = x->unknown->orthogonal;
        if (width_of(x) != s.width || x->unknown->axes || (placed[i] && !read_fixed(&s, x))) return;
    }
    for (size_t i = 0; i < s.count; i++) {
        given *x = &s.vector[i];
        qkv__rational norm = qkv__rational_whole(1);
        qkv__scene scene = {.replay = replay, .position = x->unknown->position};
        if (placed[i]) continue;
        if (x->unknown->norm != NULL) {
            if (!qkv__replay_number(&scene, x->unknown->norm, &norm)) return;
            x->sized = true;
            x->square = qkv__rational_multiply(norm, norm);
        }
        if (!combine(&s, placed, x) || !choose_products(&s, placed, i) || !lengthen(&s, x) ||
            !write_slots(&s, x, norm))
            return;
        placed[i] = true;
    }
}
