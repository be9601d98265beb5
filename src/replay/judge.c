/* Propositions at one case: what is certainly true, what is certainly false, and by how much. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "language/builtin.h"
#include "replay/names.h"
#include "replay/replay.h"

enum {
    MEMBERS = 300,      /* that a quantifier runs over; more would take too long */
    ALL_MEMBERS = 20000 /* in one case, by quantifiers inside of each other */
};

static const qkv__truth OPEN = {0, 0.0};

static bool unable(qkv__scene *scene)
{
    return qkv__bench_fail(&scene->replay->bench, QKV__OBSTACLE_UNABLE);
}

/* ---- Comparisons --------------------------------------------------------------------------- */

/* A comparison that counts against the claim is kept, to be shown. */
static void keep_seen(qkv__scene *scene, const qkv__node *node, const qkv__case_value *x,
                      const qkv__case_value *y)
{
    qkv__comparison_seen *seen = &scene->replay->seen;
    *seen = (qkv__comparison_seen){.node = node, .left = *x, .right = *y};
    for (const qkv__local *l = scene->locals; l != NULL && seen->index_count < 4; l = l->next) {
        if (l->value != NULL) continue;
        seen->index_name[seen->index_count] = l->name;
        seen->index_member[seen->index_count++] = l->member;
    }
}

/* How wide a difference is, relative to the numbers if these are large. */
static double width_of(const qkv__real *difference, const qkv__real *x, const qkv__real *y)
{
    const double size = fabs(qkv__real_middle(x)) + fabs(qkv__real_middle(y));
    return qkv__real_width(difference) / fmax(1.0, size);
}

/* The sign of x - y and its middle. What stands in one place is one number, however wide its
 * enclosure: c.weight[a] and c.weight[i] where i is a. */
static bool difference(qkv__scene *scene, const qkv__real *x, const qkv__real *y, int *sign,
                       double *middle)
{
    qkv__real *entry = qkv__bench_take(&scene->replay->bench, 1);
    if (entry == NULL) return false;
    qkv__real_subtract(entry, x, y);
    if (!qkv__real_is_defined(entry))
        return qkv__bench_fail(&scene->replay->bench, QKV__OBSTACLE_VAGUE);
    *sign = x == y ? 0 : qkv__real_sign(entry);
    *middle = x == y ? 0.0 : qkv__real_middle(entry);
    if (*sign == QKV__SIGN_OPEN)
        scene->replay->blur = fmax(scene->replay->blur, width_of(entry, x, y));
    return true;
}

/* Entry by entry: false as soon as one differs, true when none does. */
static bool judge_equal(qkv__scene *scene, const qkv__case_value *x, const qkv__case_value *y,
                        qkv__truth *truth)
{
    qkv__case_value left, right;
    int certain = 1;
    double apart = 0.0;
    if (!qkv__case_align(&scene->replay->bench, x, y, &left, &right)) return false;
    for (size_t i = 0; i < left.rows * left.columns; i++) {
        int sign;
        double middle;
        if (!difference(scene, &left.entry[i], &right.entry[i], &sign, &middle)) return false;
        if (sign == 1 || sign == -1) certain = -1;
        if (sign == QKV__SIGN_OPEN && certain == 1) certain = 0;
        apart = fmax(apart, fabs(middle));
    }
    *truth = (qkv__truth){certain, -apart};
    return true;
}

/* A vector of one coordinate is a number where numbers are ordered. */
static qkv__case_value as_number(const qkv__case_value *x)
{
    qkv__case_value plain = qkv__case_plain(x);
    if (plain.kind == QKV__CASE_VECTOR && plain.rows == 1) plain.kind = QKV__CASE_SCALAR;
    return plain;
}

static bool judge_order(qkv__scene *scene, qkv__comparison comparison, const qkv__real *x,
                        const qkv__real *y, qkv__truth *truth)
{
    bool less = comparison == QKV__LESS || comparison == QKV__LESS_OR_EQUAL;
    bool strict = comparison == QKV__LESS || comparison == QKV__GREATER;
    int sign;
    double middle;
    if (!difference(scene, less ? y : x, less ? x : y, &sign, &middle)) return false;
    truth->certain = sign == QKV__SIGN_OPEN ? 0 : sign > 0 || (sign == 0 && !strict) ? 1 : -1;
    truth->margin = middle;
    return true;
}

/* |x - y| <= tolerance */
static bool judge_near(qkv__scene *scene, const qkv__case_value *x, const qkv__case_value *y,
                       qkv__truth *truth)
{
    qkv__bench *bench = &scene->replay->bench;
    qkv__scene outer = {.replay = scene->replay, .position = scene->replay->statement_count};
    qkv__case_value apart, size, tolerance;
    static const qkv__node little = {
        .kind = QKV__NODE_NUMBER, .text = "", .value = {1, 1000000000}};
    const qkv__node *within = scene->replay->tolerance;
    if (within == NULL && scene->replay->near_at_all) within = &little;
    if (within == NULL) return unable(scene);
    if (!qkv__replay_evaluate(&outer, within, &tolerance) ||
        !qkv__case_add(bench, x, y, true, &apart) || !qkv__case_size(bench, &apart, &size))
        return false;
    if (tolerance.kind != QKV__CASE_SCALAR) return unable(scene);
    return judge_order(scene, QKV__LESS_OR_EQUAL, size.entry, tolerance.entry, truth);
}

static qkv__truth opposite(qkv__truth truth)
{
    return (qkv__truth){-truth.certain, -truth.margin};
}

static qkv__truth both(qkv__truth a, qkv__truth b)
{
    int certain = a.certain < b.certain ? a.certain : b.certain;
    return (qkv__truth){certain, fmin(a.margin, b.margin)};
}

static qkv__truth either(qkv__truth a, qkv__truth b)
{
    return opposite(both(opposite(a), opposite(b)));
}

/* x in l .. u, x in {y, z} */
static bool judge_in(qkv__scene *scene, const qkv__node *node, const qkv__case_value *x,
                     qkv__truth *truth)
{
    assert(node->kind == QKV__NODE_COMPARE);
    const qkv__node *over = node->child[1];
    bool range = over->kind == QKV__NODE_RANGE;
    if (qkv__builtin_of(over) == QKV__BUILTIN_HULL) {
        qkv__case_value family;
        if (over->count != 1) return unable(scene);
        if (!qkv__replay_evaluate(scene, over->child[0], &family) ||
            !qkv__replay_judge_hull(&scene->replay->bench, x, &family, truth))
            return false;
        keep_seen(scene, node, x, x);
        return true;
    }
    if (!range && over->kind != QKV__NODE_SET) return unable(scene);
    assert(over->count > 0); /* by the grammar */
    for (size_t i = 0; i < over->count; i++) {
        qkv__case_value y;
        qkv__truth part;
        if (!qkv__replay_evaluate(scene, over->child[i], &y)) return false;
        const qkv__case_value left = as_number(x), right = as_number(&y);
        if (range && (left.kind != QKV__CASE_SCALAR || right.kind != QKV__CASE_SCALAR))
            return unable(scene);
        bool good = range ? judge_order(scene, i == 0 ? QKV__GREATER_OR_EQUAL : QKV__LESS_OR_EQUAL,
                                        left.entry, right.entry, &part)
                          : judge_equal(scene, x, &y, &part);
        if (!good) return false;
        if (part.certain == -1) keep_seen(scene, node, x, &y);
        *truth = i == 0 ? part : range ? both(*truth, part) : either(*truth, part);
    }
    return true;
}

static bool compare_values(qkv__scene *scene, const qkv__node *node, const qkv__case_value *x,
                           const qkv__case_value *y, qkv__truth *truth)
{
    assert(node->kind == QKV__NODE_COMPARE);
    bool near = node->comparison == QKV__NEAR ||
                (node->comparison == QKV__EQUAL && scene->replay->tolerance != NULL);
    if (near) return judge_near(scene, x, y, truth);
    if (node->comparison == QKV__NOT_EQUAL && scene->replay->tolerance != NULL) {
        if (!judge_near(scene, x, y, truth)) return false;
        *truth = opposite(*truth);
        return true;
    }
    if (node->comparison == QKV__EQUAL || node->comparison == QKV__NOT_EQUAL) {
        if (!judge_equal(scene, x, y, truth)) return false;
        if (node->comparison == QKV__NOT_EQUAL) *truth = opposite(*truth);
        return true;
    }
    const qkv__case_value left = as_number(x), right = as_number(y);
    if (node->comparison > QKV__GREATER_OR_EQUAL || left.kind != QKV__CASE_SCALAR ||
        right.kind != QKV__CASE_SCALAR)
        return unable(scene);
    return judge_order(scene, node->comparison, left.entry, right.entry, truth);
}

/* Indexes are compared as numbers, to the letter: no tolerance belongs to them. */
static bool judge_indexes(qkv__scene *scene, const qkv__node *node, bool positive, int64_t left,
                          int64_t right, qkv__truth *truth)
{
    qkv__case_value x, y;
    const qkv__node *tolerance = scene->replay->tolerance;
    scene->replay->tolerance = NULL;
    bool good = qkv__case_scalar(&scene->replay->bench, qkv__rational_whole(left), &x) &&
                qkv__case_scalar(&scene->replay->bench, qkv__rational_whole(right), &y) &&
                compare_values(scene, node, &x, &y, truth);
    scene->replay->tolerance = tolerance;
    if (good && truth->certain == (positive ? -1 : 1)) keep_seen(scene, node, &x, &y);
    return good;
}

static bool judge_comparison(qkv__scene *scene, const qkv__node *node, bool positive,
                             qkv__truth *truth)
{
    assert(node->kind == QKV__NODE_COMPARE);
    qkv__case_value x, y;
    int64_t left, right;
    if (qkv__replay_compares_indexes(scene, node, &left, &right))
        return judge_indexes(scene, node, positive, left, right, truth);
    if (!qkv__replay_evaluate(scene, node->child[0], &x)) return false;
    scene->replay->blur = 0.0;
    if (node->comparison == QKV__IN || node->comparison == QKV__NOT_IN) {
        if (!judge_in(scene, node, &x, truth)) return false;
        if (node->comparison == QKV__NOT_IN) *truth = opposite(*truth);
        return true;
    }
    if (!qkv__replay_evaluate(scene, node->child[1], &y)) return false;
    scene->replay->blur = 0.0; /* what was compared on the way is another matter */
    if (!compare_values(scene, node, &x, &y, truth)) return false;
    if (truth->certain == (positive ? -1 : 1)) keep_seen(scene, node, &x, &y);
    return true;
}

/* ---- Quantifiers --------------------------------------------------------------------------- */

static bool judge(qkv__scene *scene, const qkv__node *node, bool positive, qkv__truth *truth);

/* What is supposed: a tolerance belongs to what is claimed. */
static bool judge_exactly(qkv__scene *scene, const qkv__node *node, bool positive,
                          qkv__truth *truth)
{
    const qkv__node *tolerance = scene->replay->tolerance;
    scene->replay->tolerance = NULL;
    bool good = judge(scene, node, positive, truth);
    scene->replay->tolerance = tolerance;
    return good;
}

/* What was evaluated for one member, many may share the room of it. */
typedef struct member_place {
    qkv__bench_place place;
    bool known[QKV__REPLAY_STATEMENTS], unknown_known[QKV__UNKNOWNS];
    size_t law_count;
} member_place;

static member_place keep_place(const qkv__replay *replay)
{
    member_place p = {.place = qkv__bench_here(&replay->bench),
                      .law_count = replay->draw.law_count};
    memcpy(p.known, replay->known, sizeof p.known);
    memcpy(p.unknown_known, replay->unknown_known, sizeof p.unknown_known);
    return p;
}

static void return_to(qkv__replay *replay, const member_place *p, bool positive)
{
    if (!positive) replay->seen.node = NULL; /* its values are gone */
    qkv__bench_return(&replay->bench, p->place);
    memcpy(replay->known, p->known, sizeof p->known);
    memcpy(replay->unknown_known, p->unknown_known, sizeof p->unknown_known);
    if (replay->draw.law_count > p->law_count) replay->draw.law_count = p->law_count;
}

/*
 * for all ...: p, from its bound number `at` on. An index runs over all its members. Another name
 * has the one value that was chosen: where p counts for the claim, one failure is enough; where it
 * counts against, nothing is known.
 */
static bool judge_for_all(qkv__scene *scene, const qkv__node *node, size_t at, bool positive,
                          qkv__truth *truth)
{
    const qkv__node *bound = node->child[at], *declared;
    const char *kind;
    if (at + 1 == node->count) return judge(scene, bound, positive, truth);
    qkv__scene inner = *scene;
    qkv__local local = {.next = scene->locals};
    inner.locals = &local;
    bool domain = bound->kind == QKV__NODE_COMPARE && bound->child[0]->kind == QKV__NODE_NAME &&
                  (bound->comparison == QKV__IN || bound->comparison == QKV__NOT_IN ||
                   bound->comparison == QKV__NOT_EQUAL);
    if (domain) {
        const bool *in;
        local.name = bound->child[0]->text;
        if (!qkv__replay_domain(scene, bound, node->child[node->count - 1], &local.count, &in))
            return false;
        if (local.count > MEMBERS)
            return qkv__bench_fail(&scene->replay->bench, QKV__OBSTACLE_ROOM);
        *truth = (qkv__truth){1, INFINITY};
        member_place before = keep_place(scene->replay);
        for (local.member = 0; local.member < local.count; local.member++) {
            qkv__truth part;
            if (!in[local.member]) continue;
            if (++scene->replay->members > ALL_MEMBERS)
                return qkv__bench_fail(&scene->replay->bench, QKV__OBSTACLE_ROOM);
            if (!judge_for_all(&inner, node, at + 1, positive, &part)) return false;
            *truth = both(*truth, part);
            if (positive && part.certain == -1) return true;
            if (part.certain == 1) return_to(scene->replay, &before, positive);
        }
        return true;
    }
    if (!positive) return unable(scene);
    if (bound->kind == QKV__NODE_COMPARE) { /* beta >= 3: a premise */
        qkv__truth premise;
        if (!judge_exactly(scene, bound, false, &premise)) return false;
        if (premise.certain != 1) scene->replay->vacuous = true;
        if (premise.certain == -1) return *truth = opposite(premise), true;
        if (!judge_for_all(scene, node, at + 1, positive, truth)) return false;
        *truth = either(opposite(premise), *truth);
        return true;
    }
    const char *name = qkv__binding_name(bound, &kind, &declared);
    qkv__case_value value;
    int unknown = qkv__replay_unknown(scene->replay, name, NULL, bound);
    if (unknown < 0) { /* a number: for each other binding, the walk has added an unknown */
        assert(kind[0] == '\0' || strcmp(kind, "scalar") == 0);
        return judge_for_all(scene, node, at + 1, positive, truth);
    }
    if (!qkv__replay_unknown_value(scene, unknown, &value)) return unable(scene);
    local.name = name;
    local.value = &value;
    return judge_for_all(&inner, node, at + 1, positive, truth);
}

/* ---- Propositions -------------------------------------------------------------------------- */

/* i < j, where a quantifier around it runs over i: the premise holds for other members. */
static bool is_of_members(const qkv__scene *scene, const qkv__node *premise)
{
    int64_t left, right;
    if (!qkv__replay_compares_indexes(scene, premise, &left, &right)) return false;
    for (const qkv__local *l = scene->locals; l != NULL; l = l->next)
        for (size_t i = 0; l->value == NULL && i < premise->count; i++)
            if (premise->child[i]->kind == QKV__NODE_NAME &&
                strcmp(premise->child[i]->text, l->name) == 0)
                return true;
    return false;
}

/* What is certainly false needs no conclusion; it may not even have a value there. */
static bool judge_implies(qkv__scene *scene, const qkv__node *node, bool positive,
                          qkv__truth *truth)
{
    assert(node->kind == QKV__NODE_IMPLIES);
    qkv__truth premise, conclusion;
    if (!judge_exactly(scene, node->child[0], !positive, &premise)) return false;
    if (premise.certain != 1 && !is_of_members(scene, node->child[0]))
        scene->replay->vacuous = true;
    if (premise.certain == -1) return *truth = opposite(premise), true;
    if (!judge(scene, node->child[1], positive, &conclusion)) return false;
    *truth = either(opposite(premise), conclusion);
    return true;
}

/* Where one part has no value, the other may settle the whole: a false one of `and`, a true one of
 * `or`. */
static bool judge_pair(qkv__scene *scene, const qkv__node *node, bool positive, qkv__truth *truth)
{
    const bool conjunction = node->kind == QKV__NODE_AND;
    const int settled = conjunction ? -1 : 1;
    qkv__bench *bench = &scene->replay->bench;
    qkv__truth part[2];
    bool known[2];
    for (int i = 0; i < 2; i++) {
        known[i] = judge(scene, node->child[i], positive, &part[i]);
        if (!known[i] && (!positive || bench->obstacle != QKV__OBSTACLE_UNDEFINED)) return false;
        if (!known[i]) bench->obstacle = QKV__OBSTACLE_NONE;
        if (conjunction && positive && known[i] && i == 0 && part[i].certain == settled)
            return *truth = part[i], true;
    }
    for (int i = 0; i < 2; i++)
        if (!known[1 - i] && known[i] && part[i].certain == settled) return *truth = part[i], true;
    if (!known[0] || !known[1]) return qkv__bench_fail(bench, QKV__OBSTACLE_UNDEFINED);
    *truth = conjunction ? both(part[0], part[1]) : either(part[0], part[1]);
    return true;
}

/* positive: false would refute the claim; else true would. */
static bool judge(qkv__scene *scene, const qkv__node *node, bool positive, qkv__truth *truth)
{
    *truth = OPEN;
    switch (node->kind) {
    case QKV__NODE_COMPARE: return judge_comparison(scene, node, positive, truth);
    case QKV__NODE_AND:
    case QKV__NODE_OR: return judge_pair(scene, node, positive, truth);
    case QKV__NODE_IMPLIES: return judge_implies(scene, node, positive, truth);
    case QKV__NODE_FOR_ALL: return judge_for_all(scene, node, 0, positive, truth);
    case QKV__NODE_EXISTS: /* where what was chosen is none, another may be one */
        if (!judge_for_all(scene, node, 0, true, truth)) return false;
        if (truth->certain == -1 && !qkv__replay_judge_none(scene, node)) truth->certain = 0;
        return true;
    case QKV__NODE_NOT:
        if (!judge(scene, node->child[0], !positive, truth)) return false;
        *truth = opposite(*truth);
        return true;
    default: return unable(scene);
    }
}

/* ---- Cases --------------------------------------------------------------------------------- */

static bool judge_premise(qkv__replay *replay, const qkv__replay_premise *premise,
                          qkv__truth *truth)
{
    qkv__scene scene = {.replay = replay, .position = premise->position};
    return judge_exactly(&scene, premise->node, false, truth);
}

bool qkv__replay_judge_premise(qkv__scene *scene, const qkv__node *node, qkv__truth *truth)
{
    return judge_exactly(scene, node, false, truth);
}

static bool has_near(const qkv__node *node)
{
    bool found = node->kind == QKV__NODE_COMPARE &&
                 (node->comparison == QKV__NEAR || node->comparison == QKV__EQUAL ||
                  node->comparison == QKV__NOT_EQUAL);
    for (size_t i = 0; i < node->count && !found; i++) found = has_near(node->child[i]);
    return found;
}

bool qkv__replay_is_limit_event(const qkv__replay *replay, const qkv__node *node)
{
    return replay->path != NULL && has_near(node);
}

bool qkv__replay_judge_event(qkv__scene *scene, const qkv__node *node, int *certain)
{
    qkv__truth truth;
    if (qkv__replay_is_limit_event(scene->replay, node))
        return qkv__replay_judge_along(scene, node, certain);
    bool good = judge_exactly(scene, node, true, &truth);
    *certain = good ? truth.certain : 0;
    return good;
}

bool qkv__replay_judge_node(qkv__scene *scene, const qkv__node *node, qkv__truth *truth)
{
    assert(scene->replay != NULL && truth != NULL);
    return judge(scene, node, true, truth);
}

static bool judge_premises(qkv__replay *replay, qkv__truth *given)
{
    *given = (qkv__truth){1, INFINITY};
    for (size_t i = 0; i < replay->premise_count; i++) {
        qkv__truth part;
        if (!judge_premise(replay, &replay->premise[i], &part))
            return qkv__bench_fail(&replay->bench, QKV__OBSTACLE_UNABLE);
        *given = both(*given, part);
    }
    return true;
}

int qkv__replay_judge_premises(qkv__replay *replay)
{
    qkv__truth given;
    return judge_premises(replay, &given) ? given.certain : QKV__SIGN_OPEN;
}

/* Where an answer has no value, nothing is answered. */
static bool answers_have_values(qkv__replay *replay)
{
    qkv__scene scene = {.replay = replay, .position = replay->statement_count};
    for (size_t i = 0; i < replay->answer_count; i++) {
        qkv__case_value value;
        const qkv__node *name = replay->statement[replay->statement_count + i]->node[0];
        assert(name->kind == QKV__NODE_NAME); /* others are not read */
        if (!qkv__replay_evaluate(&scene, name, &value)) return false;
    }
    return true;
}

qkv__judgement qkv__replay_judge(qkv__replay *replay, double *margin)
{
    assert(replay->proposition != NULL);
    assert(replay->slot_count <= QKV__REPLAY_SLOTS);
    qkv__truth given, claim;
    qkv__scene scene = {.replay = replay, .position = replay->statement_count};
    qkv__replay_begin_case(replay);
    *margin = INFINITY;
    replay->given = false;
    if (!judge_premises(replay, &given)) return QKV__CASE_VOID;
    replay->given = given.certain == 1;
    if (!answers_have_values(replay)) return QKV__CASE_VOID;
    replay->seen.node = NULL;
    replay->vacuous = false;
    if (!judge(&scene, replay->proposition, true, &claim)) {
        qkv__bench_fail(&replay->bench, QKV__OBSTACLE_UNABLE);
        return QKV__CASE_VOID;
    }
    *margin = fmax(given.certain == 1 ? -INFINITY : -given.margin, claim.margin);
    replay->certain = claim.certain;
    if (given.certain != 1) return QKV__CASE_MISSED;
    if (claim.certain == -1) return QKV__CASE_REFUTES;
    return replay->vacuous ? QKV__CASE_MISSED : QKV__CASE_HOLDS;
}

bool qkv__replay_premises_hold(qkv__replay *replay, uint64_t unknowns, uint64_t at_least_one_of)
{
    qkv__replay_begin_case(replay);
    for (size_t i = 0; i < replay->premise_count; i++) {
        const qkv__replay_premise *p = &replay->premise[i];
        qkv__truth truth;
        if ((p->unknowns & ~unknowns) != 0 || (p->unknowns & at_least_one_of) == 0) continue;
        if (!judge_premise(replay, p, &truth) || truth.certain != 1) return false;
    }
    return true;
}
