/*
 * `find least x: p` where p has no closed form in x: functions, probabilities, expectations. p is
 * asked at single numbers, and at last for all from one of them on. Knows claims alone; nothing of
 * how they are decided.
 */
#include <assert.h>

#include "claim/find/find_part.h"
#include "claim/model/bound.h"
#include "claim/model/compose.h"
#include "claim/premise/given.h"
#include "claim/threshold/threshold_number.h"
#include "language/tree.h"

enum { DOUBLINGS = 24, HALVINGS = 30 };

typedef struct bracket {
    qkv__question *question;
    const qkv__node *name;
    qkv__node opposite; /* what holds where the proposition does not */
    bool whole;
    qkv__rational first; /* whole: the least that is allowed, at least 1 */
    qkv__rational fails, holds;
} bracket;

/* Whether a proposition is proved where the unknown compares like that with a number. */
static bool is_proved(const bracket *b, const qkv__node *proposition, qkv__condition_kind kind,
                      qkv__comparison comparison, qkv__rational number)
{
    qkv__model *model = b->question->model;
    qkv__circumstances here = *b->question->circumstances;
    const qkv__node *value = qkv__compose_number(model, number, b->name->place);
    const qkv__node *condition =
        value == NULL ? NULL : qkv__model_comparison(model, b->name, comparison, value);
    if (condition == NULL || !qkv__circumstances_put(&here, kind, condition)) return false;
    qkv__finding finding = {.engine = ""};
    const bool trying = model->trying;
    model->trying = true;
    b->question->again(model, proposition, &here, &finding);
    model->trying = trying;
    const bool proved = finding.verdict == QKV__PROVED && finding.culprit == NULL;
    qkv__finding_free(&finding);
    return proved;
}

static bool holds_at(const bracket *b, qkv__rational number)
{
    return is_proved(b, b->question->proposition, QKV__CONDITION_AT, QKV__EQUAL, number);
}

static bool fails_at(const bracket *b, qkv__rational number)
{
    return is_proved(b, &b->opposite, QKV__CONDITION_AT, QKV__EQUAL, number);
}

/* From a number upward, or downward, by doubling (or halving) the distance, until it turns. */
static bool walk(bracket *b, qkv__rational from, qkv__rational step, qkv__rational factor,
                 bool upward)
{
    qkv__rational last = from;
    for (int i = 0; i < DOUBLINGS; i++) {
        const qkv__rational next = step;
        if (qkv__rational_is_lost(next)) return false;
        const bool turned = upward ? holds_at(b, next) : fails_at(b, next);
        if (turned) {
            b->fails = upward ? last : next;
            b->holds = upward ? next : last;
            return true;
        }
        if (!(upward ? fails_at(b, next) : holds_at(b, next))) return false;
        last = next;
        step = qkv__rational_multiply(step, factor);
    }
    return false;
}

/* A number where it fails below one where it holds. */
static bool enclose(bracket *b)
{
    const qkv__rational zero = qkv__rational_whole(0), one = qkv__rational_whole(1);
    const qkv__rational two = qkv__rational_whole(2), half = qkv__rational_make(1, 2);
    if (b->whole)
        return fails_at(b, b->first) &&
               walk(b, b->first, qkv__rational_multiply(b->first, two), two, true);
    if (fails_at(b, one)) return walk(b, one, two, two, true);
    if (!holds_at(b, one)) return false;
    if (fails_at(b, zero)) return b->fails = zero, b->holds = one, true;
    if (holds_at(b, zero)) return walk(b, zero, qkv__rational_whole(-1), two, false);
    return walk(b, one, half, half, false); /* ln x, which has no value at 0 */
}

static bool narrow(bracket *b)
{
    for (int i = 0; i < HALVINGS; i++) {
        const qkv__rational width = qkv__rational_subtract(b->holds, b->fails);
        if (b->whole && qkv__rational_compare(width, qkv__rational_whole(1)) <= 0) return true;
        qkv__rational middle =
            qkv__rational_add(b->fails, qkv__rational_divide(width, qkv__rational_whole(2)));
        if (qkv__rational_is_lost(middle)) return false;
        if (b->whole) middle = qkv__rational_whole(middle.numerator / middle.denominator);
        if (holds_at(b, middle))
            b->holds = middle;
        else if (fails_at(b, middle))
            b->fails = middle;
        else
            return !b->whole; /* as near as it is known */
    }
    return !b->whole;
}

/* The decimals around the threshold. */
static bool round_out(bracket *b)
{
    qkv__rational up, unit;
    if (b->whole) return true;
    if (qkv__rational_is_zero(b->holds))
        up = b->holds, unit = qkv__rational_make(1, 1000000);
    else if (!qkv__decimal_round_up(b->holds, QKV__FIND_DIGITS, &up, &unit))
        return false;
    qkv__rational down = qkv__rational_subtract(up, unit);
    if (qkv__rational_is_lost(down)) return false; /* too small a number for its digits */
    if (qkv__rational_compare(down, b->fails) > 0) down = qkv__rational_subtract(down, unit);
    if (qkv__rational_is_lost(down) || !fails_at(b, down)) return false;
    /* Farther below too: t != 1 fails at one number alone, and has no least one. */
    qkv__rational size = qkv__rational_sign(up) < 0 ? qkv__rational_negate(up) : up;
    qkv__rational step = qkv__rational_divide(qkv__rational_add(size, qkv__rational_make(1, 1000)),
                                              qkv__rational_whole(1000));
    qkv__rational below = qkv__rational_subtract(up, step);
    if (qkv__rational_is_lost(below) || !fails_at(b, below)) return false;
    b->holds = up;
    b->fails = down;
    return true;
}

static void tell(const bracket *b)
{
    qkv__finding *finding = b->question->finding;
    const char *name = b->name->text;
    qkv__finding_free(finding);
    *finding = (qkv__finding){.engine = ""};
    qkv__text_format(&finding->found, b->whole ? "%s = " : "%s = about ", name);
    qkv__digits_write(b->holds, b->whole ? 18 : QKV__FIND_DIGITS, &finding->found);
    qkv__text_format(&finding->reason, "It holds from %s = ", name);
    qkv__digits_write(b->holds, b->whole ? 18 : QKV__FIND_DIGITS, &finding->reason);
    qkv__text_format(&finding->reason, " on and fails at ");
    qkv__digits_write(b->fails, b->whole ? 18 : QKV__FIND_DIGITS, &finding->reason);
    qkv__text_format(&finding->reason, ".");
    qkv__question_conclude(b->question, QKV__PROVED, "ball");
}

void qkv__find_bracket(qkv__question *question)
{
    const qkv__node *asked = question->proposition;
    const qkv__algebra *algebra = &question->model->algebra;
    bracket b = {.question = question, .opposite = *asked};
    for (size_t i = 0; i < question->circumstances->count; i++)
        if (question->circumstances->item[i].kind == QKV__CONDITION_LIMIT ||
            question->circumstances->item[i].kind == QKV__CONDITION_WITHIN)
            return;
    if (question->unknown_count != 1 || question->unknown[0]->kind != QKV__NODE_NAME ||
        asked->kind != QKV__NODE_COMPARE || asked->comparison < QKV__LESS ||
        asked->comparison > QKV__GREATER_OR_EQUAL ||
        !qkv__comparison_opposite(asked->comparison, &b.opposite.comparison))
        return;
    b.name = question->unknown[0];
    if (qkv__letter_is_tied(question->model, b.name->text) ||
        qkv__has_assumptions(question->model) ||
        qkv__given_speaks_of(question->model, question->circumstances, b.name->text))
        return; /* it may be one of a few numbers alone, and every claim about the others is true */
    const int parameter = qkv__parameter_find(algebra, b.name->text);
    b.whole = parameter >= 0 && algebra->parameter[parameter].whole;
    b.first = qkv__rational_whole(1);
    if (b.whole && algebra->parameter[parameter].lower.known &&
        qkv__rational_compare(algebra->parameter[parameter].lower.value, b.first) > 0)
        b.first = algebra->parameter[parameter].lower.value;
    if (enclose(&b) && narrow(&b) && round_out(&b) &&
        is_proved(&b, asked, QKV__CONDITION_RANGE, QKV__GREATER_OR_EQUAL, b.holds))
        tell(&b);
}
