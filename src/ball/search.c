/* Branch and bound: parts of the box wait in a queue; a part that cannot be proved is cut in two.
 * The first witness of the opposite sign ends it, and so does the end of the effort. */
#include "ball/search.h"

#include <assert.h>
#include <string.h>

#include "ball/witness.h"
#include "base/memory.h"

enum {
    EDGE_DEPTH = 4,      /* slopes in a row for parts that touch the edge of the box, */
    LONE_EDGE_DEPTH = 6, /* where only one parameter is free, */
    INNER_DEPTH = 2,     /* and for the others */
    INNER_EFFORT = 48,   /* evaluations for a part inside */
    STRICT_EFFORT = 600, /* for a second try, when a proof left room for zeros */
    EDGE_SHARE = 8,      /* a part at the edge may take this part of all effort */
    CUT_TRIALS = 24,     /* numbers tried as zeros of the form */
};

/* ---- The queue ------------------------------------------------------------------------------ */

typedef struct queue {
    qkv__box *part;
    size_t first, end, capacity; /* waiting: those from first to before end */
} queue;

/* Room for two more: what has been taken out is left behind. */
static bool queue_reserve(queue *waiting)
{
    size_t count = waiting->end - waiting->first, bytes;
    if (waiting->end + 2 <= waiting->capacity) return true;
    size_t capacity = 2 * count + 16;
    if (!qkv__size_multiply(capacity, sizeof *waiting->part, &bytes)) return false;
    qkv__box *grown = qkv__allocate(bytes);
    if (grown == NULL) return false;
    if (count > 0) memcpy(grown, waiting->part + waiting->first, count * sizeof *grown);
    qkv__free(waiting->part);
    *waiting = (queue){.part = grown, .end = count, .capacity = capacity};
    return true;
}

static bool enqueue_halves(queue *waiting, const qkv__algebra *algebra, const qkv__box *part, int p)
{
    if (!queue_reserve(waiting)) return false;
    qkv__box *halves = waiting->part + waiting->end;
    if (!qkv__box_split(algebra, part, p, &halves[0], &halves[1])) return false;
    waiting->end += 2;
    return true;
}

/* ---- One form ------------------------------------------------------------------------------- */

static bool is_same(const qkv__bound *a, const qkv__bound *b)
{
    return a->known && b->known && qkv__rational_compare(a->value, b->value) == 0;
}

/* Whether the part has an end of the box in a parameter that matters. */
static bool touches_edge(const qkv__prover *prover, const qkv__box *part, qkv__parameter_set among)
{
    for (int p = 0; p < (int)prover->algebra.parameter_count; p++) {
        const qkv__range *a = &part->range[p], *b = &prover->box.range[p];
        if (!qkv__parameter_set_has(among, p) || is_same(&b->lower, &b->upper)) continue;
        if (is_same(&a->lower, &b->lower) || is_same(&a->upper, &b->upper)) return true;
    }
    return false;
}

static bool is_lone(qkv__parameter_set among)
{
    assert(among != 0);
    return (among & (among - 1)) == 0;
}

static qkv__proof prove_part(qkv__sign_search *task, const qkv__box *part, qkv__parameter_set among)
{
    bool edge = touches_edge(task->prover, part, among);
    size_t most = task->effort / EDGE_SHARE;
    if (!edge || most < INNER_EFFORT) most = INNER_EFFORT;
    int depth = !edge ? INNER_DEPTH : is_lone(among) ? LONE_EDGE_DEPTH : EDGE_DEPTH;
    return qkv__prove(task->prover, task->subject, part, task->sign, depth, most);
}

/* A form may be 0 on faces that the box leaves out, and is still strict. */
static bool is_strict(const qkv__proof *proof, const qkv__box *part)
{
    if (proof->weak) return false;
    for (int p = 0; p < QKV__PARAMETERS; p++) {
        const qkv__range *range = &part->range[p];
        if (qkv__parameter_set_has(proof->lower, p) && !range->lower.strict) return false;
        if (qkv__parameter_set_has(proof->upper, p) && !range->upper.strict) return false;
    }
    return true;
}

/* Looks for the opposite sign in the middle of a part that resists. */
static bool is_opposed(qkv__sign_search *task, const qkv__box *part)
{
    const qkv__algebra *algebra = &task->prover->algebra;
    if (!qkv__box_middle(algebra, part, &task->witness)) return false;
    task->opposed = qkv__form_sign_at(algebra, task->form, &task->witness) == -task->sign;
    return task->opposed;
}

/* ---- Zeros --------------------------------------------------------------------------------- */

static bool is_narrow(const qkv__range *range)
{
    enum { PARTS_OF_A_WHOLE = 256 };
    if (!range->lower.known || !range->upper.known) return false;
    double lower = qkv__rational_approximate(range->lower.value);
    double upper = qkv__rational_approximate(range->upper.value);
    return (upper - lower) * PARTS_OF_A_WHOLE <= 1 + (lower < 0 ? -lower : lower);
}

static bool is_inside(const qkv__range *range, qkv__rational value)
{
    return (!range->lower.known || qkv__rational_compare(value, range->lower.value) > 0) &&
           (!range->upper.known || qkv__rational_compare(value, range->upper.value) < 0);
}

/* A narrow part that resists may hold a zero: the simplest number in it is tried. */
static bool find_cut(qkv__sign_search *task, const qkv__box *part, qkv__parameter_set among)
{
    qkv__algebra *algebra = &task->prover->algebra;
    for (int p = 0; p < (int)algebra->parameter_count && !task->has_cut; p++) {
        const qkv__range *range = &part->range[p];
        if (!qkv__parameter_set_has(among, p) || algebra->parameter[p].prime != 0) continue;
        if (qkv__box_is_fixed(algebra, &task->prover->box, p) || !is_narrow(range)) continue;
        qkv__rational value = qkv__rational_simplest(range->lower.value, range->upper.value);
        if (!is_inside(&task->prover->box.range[p], value) || task->trials++ >= CUT_TRIALS)
            continue;
        const qkv__form *there =
            qkv__form_substitute(algebra, task->form, p, qkv__form_constant(algebra, value));
        task->has_cut = qkv__form_is_zero(there);
        task->cut_parameter = p;
        task->cut = value;
    }
    return task->has_cut;
}

static qkv__outcome search_queue(qkv__sign_search *task, queue *waiting)
{
    const qkv__algebra *algebra = &task->prover->algebra;
    qkv__parameter_set among = qkv__form_parameters(algebra, task->form);
    qkv__outcome so_far = QKV__STRICT;
    while (waiting->first < waiting->end) {
        qkv__box part = waiting->part[waiting->first++];
        if (task->prover->left == 0) return QKV__FAILED;
        qkv__proof proof = prove_part(task, &part, among);
        bool strict = proof.proved && is_strict(&proof, &part);
        if (strict) continue;
        if (proof.proved && !task->strictly) {
            so_far = QKV__WEAK;
            continue;
        }
        int widest = qkv__box_widest(algebra, &part, among);
        if (is_opposed(task, &part) || widest < 0) return QKV__FAILED;
        if (!task->strictly && find_cut(task, &part, among)) return QKV__FAILED;
        if (!enqueue_halves(waiting, algebra, &part, widest)) return QKV__FAILED;
    }
    return so_far;
}

static qkv__outcome search_box(qkv__sign_search *task)
{
    queue waiting = {0};
    qkv__outcome found = QKV__FAILED;
    task->effort = task->prover->left;
    if (queue_reserve(&waiting)) {
        waiting.part[waiting.end++] = task->prover->box;
        found = search_queue(task, &waiting);
    }
    qkv__free(waiting.part);
    return found;
}

/* Interval arithmetic may end at 0 where the form does not: smaller parts may show it. */
static qkv__outcome search_strictly(qkv__sign_search *task)
{
    size_t left = task->prover->left, spent = left < STRICT_EFFORT ? left : STRICT_EFFORT;
    task->prover->left = spent;
    task->strictly = true;
    qkv__outcome found = search_box(task);
    task->prover->left += left - spent;
    return found == QKV__STRICT ? QKV__STRICT : QKV__WEAK;
}

qkv__outcome qkv__search_prove(qkv__sign_search *task)
{
    task->subject = qkv__subject_make(task->prover, task->form);
    if (task->subject == NULL) return QKV__FAILED;
    qkv__outcome found = search_box(task);
    return found == QKV__WEAK && !task->zero ? search_strictly(task) : found;
}
