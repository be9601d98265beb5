/* Branch and bound: parts of the box wait in a queue; a part that cannot be proved is cut in two.
 * The first witness of the opposite sign ends it, and so does the end of the effort. */
#include "ball/sign.h"

#include <string.h>

#include "ball/proof.h"
#include "ball/witness.h"
#include "base/memory.h"

enum {
    EDGE_DEPTH = 4,      /* slopes in a row for parts that touch the edge of the box */
    INNER_DEPTH = 2,     /* and for the others */
    INNER_EFFORT = 48,   /* evaluations for a part inside */
    STRICT_EFFORT = 600, /* for a second try, when a proof left room for zeros */
    EDGE_SHARE = 8,      /* a part at the edge may take this part of all effort */
};

/* What was proved about one form over a box. */
typedef enum outcome { FAILED, WEAK, STRICT } outcome;

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

static qkv__proof prove_part(qkv__prover *prover, qkv__subject *subject, const qkv__box *part,
                             int sign, bool edge, size_t effort)
{
    size_t most = effort / EDGE_SHARE;
    if (!edge || most < INNER_EFFORT) most = INNER_EFFORT;
    return qkv__prove(prover, subject, part, sign, edge ? EDGE_DEPTH : INNER_DEPTH, most);
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

typedef struct search {
    qkv__prover *prover;
    const qkv__form *form;
    qkv__subject *subject;
    int sign;      /* that is to be proved */
    bool zero;     /* it is known to be 0 somewhere, */
    bool strictly; /* else proofs that allow for that may be refused */
    size_t effort; /* at the beginning */
    bool opposed;  /* the form was found to have the opposite sign at: */
    qkv__point witness;
} search;

/* Looks for the opposite sign in the middle of a part that resists. */
static bool is_opposed(search *task, const qkv__box *part)
{
    const qkv__algebra *algebra = &task->prover->algebra;
    if (!qkv__box_middle(algebra, part, &task->witness)) return false;
    task->opposed = qkv__form_sign_at(algebra, task->form, &task->witness) == -task->sign;
    return task->opposed;
}

static outcome search_queue(search *task, queue *waiting)
{
    const qkv__algebra *algebra = &task->prover->algebra;
    qkv__parameter_set among = qkv__form_parameters(algebra, task->form);
    outcome so_far = STRICT;
    while (waiting->first < waiting->end) {
        qkv__box part = waiting->part[waiting->first++];
        if (task->prover->left == 0) return FAILED;
        bool edge = touches_edge(task->prover, &part, among);
        qkv__proof proof =
            prove_part(task->prover, task->subject, &part, task->sign, edge, task->effort);
        bool strict = proof.proved && is_strict(&proof, &part);
        if (strict) continue;
        if (proof.proved && !task->strictly) {
            so_far = WEAK;
            continue;
        }
        int widest = qkv__box_widest(algebra, &part, among);
        if (is_opposed(task, &part) || widest < 0) return FAILED;
        if (!enqueue_halves(waiting, algebra, &part, widest)) return FAILED;
    }
    return so_far;
}

static outcome search_box(search *task)
{
    queue waiting = {0};
    outcome found = FAILED;
    task->effort = task->prover->left;
    if (queue_reserve(&waiting)) {
        waiting.part[waiting.end++] = task->prover->box;
        found = search_queue(task, &waiting);
    }
    qkv__free(waiting.part);
    return found;
}

/* Interval arithmetic may end at 0 where the form does not: smaller parts may show it. */
static outcome search_strictly(search *task)
{
    size_t left = task->prover->left, spent = left < STRICT_EFFORT ? left : STRICT_EFFORT;
    task->prover->left = spent;
    task->strictly = true;
    outcome found = search_box(task);
    task->prover->left += left - spent;
    return found == STRICT ? STRICT : WEAK;
}

static outcome prove_form(search *task)
{
    task->subject = qkv__subject_make(task->prover, task->form);
    if (task->subject == NULL) return FAILED;
    outcome found = search_box(task);
    return found == WEAK && !task->zero ? search_strictly(task) : found;
}

/* ---- Where a form has values --------------------------------------------------------- */

static bool has_power_like(const qkv__form *form, int p, bool negative)
{
    for (size_t i = 0; form != NULL && i < form->count; i++) {
        int power = form->term[i].power[p];
        if (negative ? power < 0 : power % 2 != 0) return true;
        if (has_power_like(form->term[i].exponent, p, negative)) return true;
    }
    return false;
}

static bool excludes_zero(const qkv__range *range)
{
    int lower = range->lower.known ? qkv__rational_sign(range->lower.value) : -1;
    int upper = range->upper.known ? qkv__rational_sign(range->upper.value) : 1;
    return lower > 0 || upper < 0 || (lower == 0 && range->lower.strict) ||
           (upper == 0 && range->upper.strict);
}

/* Roots want parameters that are not negative, and negative powers ones that are not 0. */
static bool is_defined(const qkv__algebra *algebra, const qkv__form *form, const qkv__box *box)
{
    for (int p = 0; p < (int)algebra->parameter_count; p++) {
        if (algebra->parameter[p].prime != 0) continue; /* ln p > 0 */
        if (has_power_like(form, p, false) && !qkv__box_is_nonnegative(algebra, box, p))
            return false;
        if (has_power_like(form, p, true) && !excludes_zero(&box->range[p])) return false;
    }
    return true;
}

/* ---- Quotients ------------------------------------------------------------------------------ */

/* The sign of the denominator all over the box, or 0. The witness says which one to try. */
static int sign_of_denominator(qkv__prover *prover, const qkv__form *denominator,
                               const qkv__sign_result *result)
{
    if (denominator == NULL) return 1;
    const qkv__point *point = result->has_positive ? &result->positive : &result->negative;
    int sign = qkv__form_sign_at(&prover->algebra, denominator, point);
    search task = {.prover = prover, .form = denominator, .sign = sign};
    size_t kept = prover->left / 2; /* for the numerator */
    prover->left -= kept;
    bool strict = sign != 0 && prove_form(&task) == STRICT;
    prover->left += kept;
    return strict ? sign : 0;
}

static void decide(qkv__prover *prover, const qkv__form *numerator, const qkv__form *denominator,
                   qkv__sign_result *result)
{
    int below = sign_of_denominator(prover, denominator, result);
    if (below == 0) return;
    int sign = result->has_positive ? 1 : -1;
    search task = {
        .prover = prover, .form = numerator, .sign = sign * below, .zero = result->has_zero};
    outcome found = prove_form(&task);
    if (found == STRICT) result->sign = sign > 0 ? QKV__SIGN_POSITIVE : QKV__SIGN_NEGATIVE;
    if (found == WEAK) result->sign = sign > 0 ? QKV__SIGN_NONNEGATIVE : QKV__SIGN_NONPOSITIVE;
    if (!task.opposed) return;
    result->has_positive = result->has_negative = true;
    *(sign > 0 ? &result->negative : &result->positive) = task.witness;
}

/* A denominator NULL is 1. */
static void find_sign(const qkv__algebra *algebra, const qkv__form *numerator,
                      const qkv__form *denominator, const qkv__box *box, size_t effort,
                      qkv__sign_result *result)
{
    qkv__box tidy = *box;
    if (!qkv__box_tidy(algebra, &tidy) || !is_defined(algebra, numerator, &tidy) ||
        !is_defined(algebra, denominator, &tidy))
        return;
    if (qkv__form_is_zero(numerator)) {
        result->sign = QKV__SIGN_ZERO;
        return;
    }
    qkv__witness_search(algebra, numerator, denominator, &tidy, result);
    if (result->has_positive == result->has_negative) return;
    if (effort == 0) effort = QKV__SIGN_EFFORT;
    qkv__prover prover;
    qkv__prover_init(&prover, algebra, &tidy, effort);
    decide(&prover, numerator, denominator, result);
    result->spent = effort - prover.left;
    qkv__prover_free(&prover);
}

qkv__sign qkv__ball_sign_form(const qkv__algebra *algebra, const qkv__form *form,
                              const qkv__box *box, size_t effort, qkv__sign_result *result)
{
    *result = (qkv__sign_result){.sign = QKV__SIGN_UNKNOWN};
    if (form != NULL) find_sign(algebra, form, NULL, box, effort, result);
    return result->sign;
}

qkv__sign qkv__ball_sign(const qkv__algebra *algebra, qkv__ratio ratio, const qkv__box *box,
                         size_t effort, qkv__sign_result *result)
{
    qkv__rational below;
    *result = (qkv__sign_result){.sign = QKV__SIGN_UNKNOWN};
    if (qkv__ratio_is_lost(ratio)) return result->sign;
    bool one = qkv__form_is_constant(ratio.denominator, &below) && below.numerator == 1 &&
               below.denominator == 1;
    find_sign(algebra, ratio.numerator, one ? NULL : ratio.denominator, box, effort, result);
    return result->sign;
}
