/*
 * Claims about limits, along a path: everything else is one instance, and the parameter goes far.
 * The distance of two sides tends to 0 or stays away; an inequality holds or fails from somewhere
 * on. A path shows a limit and proves none, so that what it shows serves as a check of verdicts
 * alone.
 */
#include <assert.h>
#include <string.h>

#include "language/tree.h"
#include "replay/names.h"
#include "replay/replay.h"

enum {
    STEPS = 3, /* that are looked at */
    MEMBERS = 256,
    TIED = 64, /* numbers of an unknown that follows the limit */
};

/* How far the parameter goes, in powers of 2: beta itself, or how near it comes to its limit. What
 * is seen must be seen on two scales, since one may be too short for the numbers of a claim. */
enum { SCALES = 2, EARLY = SCALES };
static const int POWERS[SCALES + 1][STEPS] = {{8, 16, 32}, {40, 50, 60}, {3, 4, 5}};

/* The limits that are taken first go much farther than the last one; what still changes between the
 * two has not come to its limit. */
enum { FAR = 60, LESS_FAR = 40 };
static const int POWERS_OF_LAST[SCALES + 1][STEPS] = {{3, 6, 9}, {4, 8, 12}, {1, 2, 3}};

/* A size does not go as far: its keys are one by one on the way. */
static const int POWERS_OF_SIZE[SCALES + 1][STEPS] = {{7, 9, 11}, {8, 10, 12}, {4, 5, 6}};

/* What happens to two sides along the path: 1, -1, or 0 where that is not plain. */
typedef struct walk {
    qkv__replay *replay;
    int side; /* from above, 1, or from below, -1: to a number */
    int scale;
    bool less_far;
    bool arrived; /* limits that were taken before, to numbers, are these numbers */
    int tied;     /* an unknown that follows the limit, in proportion; -1: none does */
    qkv__rational kept[TIED];
} walk;

/* ---- The path ------------------------------------------------------------------------------ */

static qkv__rational place_on(const walk *w, const qkv__replay_limit *limit, int power)
{
    const qkv__unknown *u = &w->replay->unknown[limit->unknown];
    qkv__rational far = qkv__rational_whole(INT64_C(1) << power);
    if (limit->down) {
        far = qkv__rational_negate(far);
        return u->upper.known && qkv__rational_sign(u->upper.value) < 0
                   ? qkv__rational_add(far, u->upper.value)
                   : far;
    }
    if (limit->infinite && u->lower.known && qkv__rational_sign(u->lower.value) > 0)
        return qkv__rational_add(far, u->lower.value);
    if (limit->infinite) return far;
    qkv__rational near = qkv__rational_make(w->side, INT64_C(1) << power);
    return qkv__rational_add(limit->point, near);
}

/* What a premise ties to the limit is put in proportion to it. */
static void follow(walk *w, qkv__rational factor)
{
    const qkv__unknown *u = &w->replay->unknown[w->tied];
    for (size_t i = 0; i < u->rows * u->columns; i++)
        w->replay->slot[u->offset + i] = qkv__rational_multiply(w->kept[i], factor);
}

/* Whether the last limit may go as far as if it were the only one: those before it are numbers,
 * and these numbers are put in. */
static bool is_alone(const walk *w)
{
    const qkv__replay *replay = w->replay;
    for (size_t i = 0; i + 1 < replay->limit_count; i++)
        if (!w->arrived || replay->limit[i].infinite) return false;
    return true;
}

/* Families at right angles, and values that are 0 but for a few, are as many as the size on its way
 * says. They are the same as before, and more. */
static bool grow(qkv__replay *replay)
{
    for (size_t i = 0; i < replay->unknown_count; i++) {
        qkv__unknown *u = &replay->unknown[i];
        qkv__scene scene = {.replay = replay, .position = u->position};
        qkv__rational end;
        if (!u->axes) continue;
        if (u->declared->child[1]->kind != QKV__NODE_RANGE ||
            !qkv__replay_number(&scene, u->declared->child[1]->child[1], &end) ||
            !qkv__rational_is_whole(end) || end.numerator < 1 || end.numerator > QKV__BENCH_LARGEST)
            return false;
        u->rows = (size_t)end.numerator;
        if (u->orthogonal) u->columns = u->rows;
    }
    qkv__replay_begin_case(replay); /* what was evaluated may have had another size */
    return true;
}

static const int *powers_of(const walk *w)
{
    if (w->replay->growing) return POWERS_OF_SIZE[w->scale];
    return is_alone(w) ? POWERS[w->scale] : POWERS_OF_LAST[w->scale];
}

/* The last limit is on its way, those before it have been taken. */
static bool go_to(walk *w, int step)
{
    qkv__replay *replay = w->replay;
    for (size_t i = 0; i < replay->limit_count; i++) {
        const qkv__replay_limit *limit = &replay->limit[i];
        bool last = i + 1 == replay->limit_count;
        const int *powers = powers_of(w);
        qkv__rational place = place_on(w, limit,
                                       last          ? powers[step]
                                       : w->less_far ? LESS_FAR
                                                     : FAR);
        if (!last && w->arrived && !limit->infinite) place = limit->point;
        if (qkv__rational_is_lost(place)) return false;
        replay->slot[replay->unknown[limit->unknown].offset] = place;
        if (last && w->tied >= 0)
            follow(w, limit->down       ? qkv__rational_negate(place)
                      : limit->infinite ? place
                                        : qkv__rational_subtract(place, limit->point));
    }
    qkv__replay_begin_case(replay);
    return !replay->growing || grow(replay);
}

/* ---- Comparisons --------------------------------------------------------------------------- */

/* |x - y| at each step. */
static bool distances(walk *w, const qkv__scene *scene, const qkv__node *node, qkv__real *distance)
{
    assert(node->kind == QKV__NODE_COMPARE);
    for (int step = 0; step < STEPS; step++) {
        qkv__scene here = *scene;
        qkv__case_value x, y, left, right, apart, size;
        qkv__bench *bench = &w->replay->bench;
        if (!go_to(w, step) || !qkv__replay_evaluate(&here, node->child[0], &x) ||
            !qkv__replay_evaluate(&here, node->child[1], &y) ||
            !qkv__case_align(bench, &x, &y, &left, &right) ||
            !qkv__case_add(bench, &left, &right, true, &apart))
            return false;
        if (apart.kind != QKV__CASE_SCALAR) apart.kind = QKV__CASE_VECTOR; /* entry by entry */
        apart.rows *= apart.columns;
        apart.columns = 1;
        if (!qkv__case_size(bench, &apart, &size)) return false;
        qkv__real_set(&distance[step], size.entry);
    }
    return true;
}

/* Whether x > factor*y for certain. */
static bool exceeds(const qkv__real *x, const qkv__real *y, qkv__rational factor)
{
    qkv__real part;
    qkv__real_init(&part);
    qkv__real_set_rational(&part, factor);
    qkv__real_multiply(&part, &part, y);
    qkv__real_subtract(&part, x, &part);
    bool larger = qkv__real_is_defined(&part) && qkv__real_sign(&part) == 1;
    qkv__real_clear(&part);
    return larger;
}

/* ---- Powers of a size ---------------------------------------------------------------------- */

static bool has_letter(const qkv__replay *replay, const qkv__node *node, const char *size)
{
    if (node->kind == QKV__NODE_NAME && strcmp(node->text, size) != 0)
        for (size_t i = 0; i < replay->unknown_count; i++)
            if (replay->unknown[i].kind == QKV__UNKNOWN_PARAMETER &&
                strcmp(replay->unknown[i].name, node->text) == 0)
                return true;
    for (size_t i = 0; i < node->count; i++)
        if (has_letter(replay, node->child[i], size)) return true;
    return false;
}

static bool has_logarithm(const qkv__node *node, const char *size)
{
    if (node->kind == QKV__NODE_CALL && strcmp(node->text, "ln") == 0 &&
        qkv__node_names(node, size))
        return true;
    for (size_t i = 0; i < node->count; i++)
        if (has_logarithm(node->child[i], size)) return true;
    return false;
}

/* n^s, or s*ln(n), of a letter s. */
static bool has_power(const qkv__replay *replay, const qkv__node *node, const char *size)
{
    if (node->kind == QKV__NODE_POWER && qkv__node_names(node->child[0], size) &&
        has_letter(replay, node->child[1], size))
        return true;
    if (node->kind == QKV__NODE_MULTIPLY && has_logarithm(node, size) &&
        has_letter(replay, node, size))
        return true;
    for (size_t i = 0; i < node->count; i++)
        if (has_power(replay, node->child[i], size)) return true;
    return false;
}

/* Whether a size that grows is raised to a letter, in the claim or in a definition: sizes on the
 * path are too small to tell n^(-1/100) from a number. */
static bool raises_size(const walk *w)
{
    const qkv__replay *replay = w->replay;
    if (!replay->growing || replay->limit_count != 1) return false;
    const char *size = replay->unknown[replay->limit[0].unknown].name;
    if (has_power(replay, replay->proposition, size)) return true;
    for (size_t i = 0; i < replay->statement_count; i++) {
        const qkv__statement *s = replay->statement[i];
        if (s->kind == QKV__STATEMENT_DEFINE && has_power(replay, s->node[1], size)) return true;
    }
    return false;
}

/* Whether a distance still moves at the last step by more than half of what it moved before, and
 * does not rise faster and faster: that it stays away is not seen then. */
static bool goes_on(const qkv__real *distance)
{
    qkv__real before, now;
    qkv__real_init(&before);
    qkv__real_init(&now);
    qkv__real_subtract(&before, &distance[0], &distance[1]);
    qkv__real_subtract(&now, &distance[1], &distance[2]);
    const bool falls = qkv__real_is_defined(&now) && qkv__real_sign(&now) == 1;
    qkv__real_magnitude(&before, &before);
    qkv__real_magnitude(&now, &now);
    const bool moves = exceeds(&now, &before, (qkv__rational){1, 2}) &&
                       (falls || exceeds(&before, &now, (qkv__rational){1, 1}));
    qkv__real_clear(&before);
    qkv__real_clear(&now);
    return moves;
}

/* ---- What a distance does ------------------------------------------------------------------ */

/* 1: the distance tends to 0, -1: it stays away. Slow ways to 0, such as 1/ln(beta), halve it from
 * step to step. exact: however small it is. *seems: it
 * is small, and no more is known. */
static int tendency(const qkv__real *distance, bool exact, bool *seems)
{
    static const qkv__rational little = {1, INT64_C(1) << 40}, most = {9, 10}, less = {10, 9};
    qkv__real one;
    qkv__real_init(&one);
    qkv__real_set_whole(&one, 1);
    bool vanishes =
        exceeds(&one, &distance[2], qkv__rational_whole(1)) && !exceeds(&distance[2], &one, little);
    bool falls =
        exceeds(&distance[0], &distance[1], less) && exceeds(&distance[1], &distance[2], less);
    bool stays = exceeds(&distance[2], &one, exact ? qkv__rational_whole(0) : little) &&
                 exceeds(&distance[2], &distance[1], most) &&
                 exceeds(&distance[1], &distance[0], most);
    qkv__real_clear(&one);
    *seems = vanishes && !falls && !qkv__real_is_zero(&distance[2]);
    return stays ? -1 : vanishes || falls ? 1 : 0;
}

/* Whether the distance is no longer falling in the limits that were taken first. */
static bool has_come(walk *w, const qkv__scene *scene, const qkv__node *node,
                     const qkv__real *reached)
{
    static const qkv__rational less = {10, 9};
    qkv__real distance[STEPS];
    for (int i = 0; i < STEPS; i++) qkv__real_init(&distance[i]);
    w->less_far = true;
    bool good = distances(w, scene, node, distance);
    w->less_far = false;
    bool falls = !good || exceeds(&distance[2], reached, less);
    for (int i = 0; i < STEPS; i++) qkv__real_clear(&distance[i]);
    return !falls;
}

/* Whether the distance grows without bound in the limits that were taken first: farther along in
 * these it is a thousand times what it was, at every step of the last one. */
static bool diverges(walk *w, const qkv__scene *scene, const qkv__node *node,
                     const qkv__real *distance)
{
    qkv__real before[STEPS];
    for (int i = 0; i < STEPS; i++) qkv__real_init(&before[i]);
    w->less_far = true;
    bool grows = distances(w, scene, node, before);
    w->less_far = false;
    for (int i = 0; i < STEPS; i++) {
        grows = grows && exceeds(&distance[i], &before[i], qkv__rational_whole(1 << 10));
        qkv__real_clear(&before[i]);
    }
    return grows;
}

static bool judge_near(walk *w, const qkv__scene *scene, const qkv__node *node, int *truth)
{
    assert(node->kind == QKV__NODE_COMPARE);
    qkv__real distance[STEPS];
    for (int i = 0; i < STEPS; i++) qkv__real_init(&distance[i]);
    bool good = distances(w, scene, node, distance);
    bool seems = false;
    /* Limits that were taken before leave something over, however far they went. */
    bool exact = node->comparison == QKV__NOT_EQUAL && w->replay->limit_count == 1;
    *truth = good ? tendency(distance, exact, &seems) : 0;
    if (good && *truth == -1 && raises_size(w) && goes_on(distance)) *truth = 0;
    /* Small, and no smaller from step to step: it may stay there. */
    if (seems && w->replay->limit_count == 1 && node->comparison != QKV__NOT_EQUAL &&
        qkv__real_sign(&distance[2]) == 1)
        *truth = 0;
    if (good && w->replay->limit_count > 1 && !w->replay->random &&
        diverges(w, scene, node, distance))
        *truth = -1;
    else if (good && *truth == -1 && w->replay->limit_count > 1 &&
             !has_come(w, scene, node, &distance[2]))
        *truth = 0;
    /* That two sides differ is not refuted by a small distance, but by one that fell all the way.
     */
    if (good && node->comparison == QKV__NOT_EQUAL && seems) {
        const int scale = w->scale;
        w->scale = EARLY;
        bool early = distances(w, scene, node, distance);
        w->scale = scale;
        bool fell = early && exceeds(&distance[0], &distance[1], qkv__rational_whole(2)) &&
                    exceeds(&distance[1], &distance[2], qkv__rational_whole(2));
        if (!fell) *truth = 0;
    }
    for (int i = 0; i < STEPS; i++) qkv__real_clear(&distance[i]);
    return good;
}

static bool is_order(const qkv__node *node)
{
    return node->kind == QKV__NODE_COMPARE &&
           (node->comparison == QKV__LESS || node->comparison == QKV__LESS_OR_EQUAL ||
            node->comparison == QKV__GREATER || node->comparison == QKV__GREATER_OR_EQUAL);
}

/* Whether the smaller of two sides gains on the larger one at the last step, be it as slowly as
 * ln n: which of them is the larger one in the end is not seen. */
static bool gains(walk *w, const qkv__scene *scene, const qkv__node *node)
{
    qkv__real side[2][2], *now = side[1], *before = side[0];
    bool numbers = true;
    int sign[2] = {0, 0};
    for (int i = 0; i < 4; i++) qkv__real_init(&side[i / 2][i % 2]);
    for (int i = 0; i < 4 && numbers; i++) {
        qkv__scene here = *scene;
        qkv__case_value value;
        numbers = go_to(w, STEPS - 2 + i / 2) &&
                  qkv__replay_evaluate(&here, node->child[i % 2], &value) &&
                  value.kind == QKV__CASE_SCALAR;
        if (!numbers) break;
        sign[i % 2] = qkv__real_sign(value.entry);
        qkv__real_magnitude(&side[i / 2][i % 2], value.entry);
    }
    int small = exceeds(&now[0], &now[1], qkv__rational_whole(1)) ? 1 : 0;
    qkv__real_multiply(&now[small], &now[small], &before[1 - small]);
    qkv__real_multiply(&now[1 - small], &now[1 - small], &before[small]);
    bool gained = numbers && sign[0] == sign[1] &&
                  exceeds(&now[small], &now[1 - small], (qkv__rational){21, 20});
    for (int i = 0; i < 4; i++) qkv__real_clear(&side[i / 2][i % 2]);
    return gained;
}

/* At the steps one after the other: 1 where it is true at the last two, -1 where it is false. */
static bool judge_steps(walk *w, const qkv__scene *scene, const qkv__node *node, int *truth)
{
    *truth = 0;
    for (int step = 1; step < STEPS; step++) {
        qkv__scene here = *scene;
        qkv__truth now;
        if (!go_to(w, step) || !qkv__replay_judge_node(&here, node, &now)) return false;
        if (step > 1 && now.certain != *truth) now.certain = 0;
        *truth = now.certain;
    }
    if (*truth != 0 && is_order(node) && w->replay->limit_count == 1 && gains(w, scene, node))
        *truth = 0;
    /* The last limit may have gone too far for those before it. */
    if (*truth == -1 && w->replay->limit_count > 1 && w->scale != EARLY) {
        const int scale = w->scale;
        int early;
        w->scale = EARLY;
        bool good = judge_steps(w, scene, node, &early);
        w->scale = scale;
        if (!good || early != -1) *truth = 0;
    }
    return true;
}

static bool judge_comparison(walk *w, const qkv__scene *scene, const qkv__node *node, int *truth)
{
    assert(node->kind == QKV__NODE_COMPARE);
    bool near = node->comparison == QKV__NEAR || node->comparison == QKV__EQUAL;
    bool apart = node->comparison == QKV__NOT_EQUAL;
    int64_t left, right;
    /* Within a tolerance, sides are near from somewhere on; indexes stay where they are. */
    if ((!near && !apart) || w->replay->tolerance != NULL ||
        qkv__replay_compares_indexes(scene, node, &left, &right))
        return judge_steps(w, scene, node, truth);
    if (!judge_near(w, scene, node, truth)) return false;
    if (apart) *truth = -*truth;
    return true;
}

/* ---- Propositions -------------------------------------------------------------------------- */

static bool judge(walk *w, const qkv__scene *scene, const qkv__node *node, int *truth);

static int both(int x, int y)
{
    return x < y ? x : y;
}

/* for all i in 1..n: p. What is in the domain does not change along the path. */
static bool judge_for_all(walk *w, const qkv__scene *scene, const qkv__node *node, size_t at,
                          int *truth)
{
    assert(node->kind == QKV__NODE_FOR_ALL);
    const qkv__node *bound = node->child[at];
    if (at + 1 == node->count) return judge(w, scene, bound, truth);
    if (!qkv__is_index_domain(bound))
        return qkv__bench_fail(&w->replay->bench, QKV__OBSTACLE_UNABLE);
    qkv__scene here = *scene, inner = *scene;
    qkv__local local = {.name = bound->child[0]->text, .next = scene->locals};
    const bool *in;
    bool kept[MEMBERS];
    if (!go_to(w, 0) ||
        !qkv__replay_domain(&here, bound, node->child[node->count - 1], &local.count, &in))
        return false;
    if (local.count > MEMBERS) return qkv__bench_fail(&w->replay->bench, QKV__OBSTACLE_ROOM);
    memcpy(kept, in, local.count * sizeof *kept);
    inner.locals = &local;
    *truth = 1;
    for (local.member = 0; local.member < local.count; local.member++) {
        int part;
        if (!kept[local.member]) continue;
        if (!judge_for_all(w, &inner, node, at + 1, &part)) return false;
        *truth = both(*truth, part);
    }
    return true;
}

/* A premise is meant at every step. */
static bool judge_implies(walk *w, const qkv__scene *scene, const qkv__node *node, int *truth)
{
    assert(node->kind == QKV__NODE_IMPLIES);
    int premise;
    if (!judge_steps(w, scene, node->child[0], &premise)) return false;
    if (premise != 1) w->replay->vacuous = true;
    if (premise == -1) return *truth = 1, true;
    if (!judge(w, scene, node->child[1], truth)) return false;
    if (premise == 0 && *truth == -1) *truth = 0;
    return true;
}

static bool judge(walk *w, const qkv__scene *scene, const qkv__node *node, int *truth)
{
    int first, second;
    switch (node->kind) {
    case QKV__NODE_COMPARE: return judge_comparison(w, scene, node, truth);
    case QKV__NODE_AND:
    case QKV__NODE_OR:
        if (!judge(w, scene, node->child[0], &first) || !judge(w, scene, node->child[1], &second))
            return false;
        *truth = node->kind == QKV__NODE_AND ? both(first, second) : -both(-first, -second);
        return true;
    case QKV__NODE_IMPLIES: return judge_implies(w, scene, node, truth);
    case QKV__NODE_FOR_ALL: return judge_for_all(w, scene, node, 0, truth);
    case QKV__NODE_EXISTS: /* the numbers that were chosen may do, or others */
        for (size_t i = 0; i + 1 < node->count; i++)
            if (node->child[i]->kind != QKV__NODE_NAME ||
                qkv__replay_unknown(w->replay, node->child[i]->text, NULL, node->child[i]) >= 0)
                return qkv__bench_fail(&w->replay->bench, QKV__OBSTACLE_UNABLE);
        if (!judge(w, scene, node->child[node->count - 1], truth)) return false;
        if (*truth == -1) *truth = 0;
        return true;
    case QKV__NODE_NOT:
        if (!judge(w, scene, node->child[0], truth)) return false;
        *truth = -*truth;
        return true;
    default: return qkv__bench_fail(&w->replay->bench, QKV__OBSTACLE_UNABLE);
    }
}

bool qkv__replay_judge_along(qkv__scene *scene, const qkv__node *node, int *certain)
{
    walk w = *(const walk *)scene->replay->path;
    const qkv__node *tolerance = scene->replay->tolerance;
    scene->replay->tolerance = NULL; /* it belongs to what is claimed of the probability */
    bool good = judge(&w, scene, node, certain);
    scene->replay->tolerance = tolerance;
    return good;
}

/* ---- Cases --------------------------------------------------------------------------------- */

/* Whether the premises hold along the path. */
static qkv__judgement judge_premises(walk *w)
{
    for (int step = 0; step < STEPS; step++) {
        if (!go_to(w, step)) return QKV__CASE_VOID;
        switch (qkv__replay_judge_premises(w->replay)) {
        case 1: break;
        case QKV__SIGN_OPEN: return QKV__CASE_VOID;
        default: return QKV__CASE_MISSED;
        }
    }
    return QKV__CASE_HOLDS;
}

/* What premises tie to a limit, by way of one another: a bit for each unknown. */
static uint64_t tied_unknowns(const qkv__replay *replay)
{
    uint64_t tied = 0, before;
    for (size_t i = 0; i < replay->limit_count; i++)
        tied |= UINT64_C(1) << (replay->limit[i].unknown & 63);
    do {
        before = tied;
        for (size_t i = 0; i < replay->premise_count; i++)
            if ((replay->premise[i].unknowns & tied) != 0) tied |= replay->premise[i].unknowns;
    } while (tied != before);
    return tied;
}

/* A vector or a number that may follow the limit. */
static bool may_follow(const qkv__replay *replay, size_t at, uint64_t tied)
{
    const qkv__unknown *u = &replay->unknown[at];
    if ((tied >> (at & 63) & 1) == 0) return false;
    for (size_t i = 0; i < replay->limit_count; i++)
        if (replay->limit[i].unknown == (int)at) return false;
    return (u->kind == QKV__UNKNOWN_VECTOR || u->kind == QKV__UNKNOWN_PARAMETER) && !u->whole &&
           u->rows * u->columns <= TIED;
}

/* Where a premise does not hold with all else fixed, something may follow the limit. */
static qkv__judgement tie(walk *w)
{
    qkv__replay *replay = w->replay;
    qkv__judgement judgement = judge_premises(w);
    const uint64_t tied = judgement == QKV__CASE_MISSED ? tied_unknowns(replay) : 0;
    for (size_t i = 0; judgement == QKV__CASE_MISSED && i < replay->unknown_count; i++) {
        const qkv__unknown *u = &replay->unknown[i];
        const size_t count = u->rows * u->columns;
        if (!may_follow(replay, i, tied)) continue;
        memcpy(w->kept, replay->slot + u->offset, count * sizeof *w->kept);
        w->tied = (int)i;
        judgement = judge_premises(w);
        if (judgement == QKV__CASE_HOLDS) return judgement;
        memcpy(replay->slot + u->offset, w->kept, count * sizeof *w->kept);
        w->tied = -1;
        if (judgement == QKV__CASE_VOID) judgement = QKV__CASE_MISSED;
    }
    return judgement;
}

/* What followed the limit is what it was. */
static void untie(walk *w)
{
    if (w->tied < 0) return;
    const qkv__unknown *u = &w->replay->unknown[w->tied];
    memcpy(w->replay->slot + u->offset, w->kept, u->rows * u->columns * sizeof *w->kept);
    w->tied = -1;
}

static qkv__judgement judge_side(walk *w)
{
    qkv__replay *replay = w->replay;
    qkv__scene scene = {.replay = replay, .position = replay->statement_count};
    int truth;
    qkv__judgement premises = tie(w);
    if (premises != QKV__CASE_HOLDS) return premises;
    replay->vacuous = false;
    replay->seen.node = NULL;
    w->arrived = replay->random;
    replay->path = w;
    replay->recalled_count = 0;
    bool good = judge(w, &scene, replay->proposition, &truth);
    w->arrived = false;
    replay->path = NULL;
    if (!good) return QKV__CASE_VOID;
    replay->certain = truth;
    replay->seen.node = NULL; /* of a single step */
    if (truth == -1) return QKV__CASE_REFUTES;
    /* A sum over draws is rarely certain, and of what exists nothing is seen but one try. */
    bool open = truth == 0 && !replay->chance && !replay->existential;
    return open || replay->vacuous ? QKV__CASE_MISSED : QKV__CASE_HOLDS;
}

/* On both scales the same, or nothing. */
static qkv__judgement judge_scales(qkv__replay *replay, int side)
{
    qkv__judgement seen = QKV__CASE_VOID;
    const int first = replay->chance ? SCALES - 1 : 0; /* draws take time */
    for (int scale = first; scale < SCALES; scale++) {
        walk w = {.replay = replay, .side = side, .scale = scale, .tied = -1};
        qkv__judgement now = judge_side(&w);
        untie(&w);
        if (scale > first && now != seen) return QKV__CASE_MISSED;
        seen = now;
        if (now == QKV__CASE_VOID) return now;
    }
    return seen;
}

/* A limit to a number is taken from both sides, where the premises leave both. */
qkv__judgement qkv__replay_judge_limit(qkv__replay *replay)
{
    assert(replay->limit_count > 0);
    const qkv__replay_limit *last = &replay->limit[replay->limit_count - 1];
    qkv__judgement first = judge_scales(replay, 1);
    if (last->infinite || first == QKV__CASE_REFUTES || replay->limit_count > 1) return first;
    qkv__judgement second = judge_scales(replay, -1);
    if (second == QKV__CASE_REFUTES) return second;
    return first == QKV__CASE_HOLDS ? first : second;
}
