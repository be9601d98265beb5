/*
 * Counterexamples in parameters: a point where a comparison is proved to fail is made as simple as
 * it can be had, and told with both sides at it. Knows nothing of how the point was found.
 */
#include "claim/compare/counterexample.h"

#include <math.h>

#include "ball/enclosure.h"
#include "claim/premise/gap.h"

/* A parameter of the point as a number; false when it has none there. */
static bool fix_all(const qkv__situation *s, qkv__ratio ratio, const qkv__point *point,
                    qkv__box *box)
{
    const qkv__algebra *algebra = &s->model->algebra;
    if (!qkv__box_of_algebra(algebra, box)) return false;
    for (int p = 0; p < (int)algebra->parameter_count; p++)
        if (qkv__ratio_depends_on(ratio, p) && algebra->parameter[p].prime == 0 &&
            (qkv__rational_is_lost(point->value[p]) ||
             !qkv__box_fix(algebra, box, p, point->value[p])))
            return false;
    return true;
}

static bool enclose_at(const qkv__situation *s, qkv__ratio ratio, const qkv__point *point,
                       qkv__enclosure *enclosure)
{
    qkv__box box;
    return fix_all(s, ratio, point, &box) &&
           qkv__ball_enclose(&s->model->algebra, ratio, &box, enclosure);
}

/* ---- Simpler points ------------------------------------------------------------------ */

/* Numbers that a reader likes best, the simplest first; offset by a bound where there is one. */
static const int simple[] = {0, 1, 2, 3, -1, -2, 5, 10, -5, 20, 100};

/* A failure that shows: not much smaller than the one that was found, or plain to see by itself. */
static bool still_fails(const qkv__situation *s, qkv__ratio difference, const qkv__point *point,
                        const qkv__enclosure *found)
{
    static const double plain = 1e-2;
    qkv__enclosure now;
    if (!enclose_at(s, difference, point, &now)) return false;
    bool positive = found->lower > 0.0;
    double size = positive ? now.lower : -now.upper;
    double before = positive ? found->upper : -found->lower;
    return size > 0.0 && (size >= plain || size >= before / 2) &&
           qkv__situation_admits(s, difference, point);
}

static void simplify(const qkv__situation *s, qkv__ratio difference, qkv__point *point)
{
    const qkv__algebra *algebra = &s->model->algebra;
    qkv__enclosure found;
    if (!enclose_at(s, difference, point, &found)) return;
    if (!(found.lower > 0.0) && !(found.upper < 0.0)) return;
    for (int p = 0; p < (int)algebra->parameter_count; p++) {
        if (!qkv__ratio_depends_on(difference, p) || algebra->parameter[p].prime != 0) continue;
        qkv__rational kept = point->value[p];
        const qkv__bound *lower = &algebra->parameter[p].lower;
        bool done = false;
        for (size_t i = 0; i < sizeof simple / sizeof simple[0] && !done; i++) {
            qkv__rational from = lower->known ? lower->value : qkv__rational_whole(0);
            point->value[p] = qkv__rational_add(from, qkv__rational_whole(simple[i]));
            done = qkv__rational_compare(point->value[p], kept) == 0 ||
                   still_fails(s, difference, point, &found);
        }
        if (!done) point->value[p] = kept;
    }
}

/* ---- Telling ------------------------------------------------------------------------- */

/* Whether a parameter is in play through a premise; not one whose place coordinates have taken. */
static bool is_premised(const qkv__situation *s, int parameter, bool involved)
{
    involved = involved || qkv__parameter_set_has(s->narrowed, parameter);
    for (size_t i = 0; i < s->substitution_count; i++) {
        const qkv__substitution *made = &s->substitution[i];
        if (made->parameter == parameter) return !made->embedded;
        if (qkv__form_depends_on(made->form, parameter))
            involved = involved || !qkv__parameter_set_has(s->slacks, parameter);
    }
    return involved;
}

/* "beta = 1, n = 3": what the sides and the premises depend on, premises seen through. */
static void write_point(const qkv__situation *s, qkv__ratio difference, const qkv__value *sides[2],
                        const qkv__point *point, qkv__text *text)
{
    const qkv__algebra *algebra = &s->model->algebra;
    bool first = true;
    for (int p = 0; p < (int)algebra->parameter_count; p++) {
        qkv__rational value;
        bool involved = false;
        for (size_t i = 0; i < 2 && sides[i]->kind == QKV__VALUE_SCALAR; i++)
            involved = involved || qkv__ratio_depends_on(sides[i]->scalar.factor, p) ||
                       qkv__ratio_depends_on(sides[i]->scalar.radicand, p);
        if (sides[0]->kind != QKV__VALUE_SCALAR || sides[1]->kind != QKV__VALUE_SCALAR)
            involved = qkv__ratio_depends_on(difference, p);
        qkv__enclosure enclosure;
        if (!is_premised(s, p, involved) || algebra->parameter[p].prime != 0 ||
            qkv__parameter_set_has(s->slacks, p))
            continue;
        bool rational = qkv__situation_parameter_at(s, p, point, &value);
        qkv__ratio number = qkv__situation_apply(
            s, qkv__ratio_of_form(&s->model->algebra, qkv__form_parameter(&s->model->algebra, p)));
        if (!rational && !enclose_at(s, number, point, &enclosure)) continue;
        qkv__text_format(text, "%s%s = ", first ? "" : ", ", algebra->parameter[p].name);
        if (rational)
            qkv__rational_write(value, text);
        else
            qkv__text_format(text, "%.6g...", 0.5 * (enclosure.lower + enclosure.upper));
        first = false;
    }
}

/* Six digits, or as many as tell the sides apart. */
static int digits_for(double x, double y)
{
    double apart = fabs(x - y), size = fmax(fabs(x), fabs(y));
    if (!(apart > 0.0) || size == 0.0) return 6;
    int digits = 2 + (int)ceil(log10(size / apart));
    return digits < 6 ? 6 : digits > 15 ? 15 : digits;
}

/* A side at the point, to the digits of a report. */
static bool side_at(qkv__situation *s, const qkv__value *side, const qkv__point *point,
                    double *value)
{
    qkv__enclosure factor, radicand;
    if (side->kind != QKV__VALUE_SCALAR) return false;
    qkv__surd surd = qkv__surd_resolve(s, side->scalar);
    if (!enclose_at(s, surd.factor, point, &factor) ||
        !enclose_at(s, surd.radicand, point, &radicand))
        return false;
    *value = 0.5 * (factor.lower + factor.upper) *
             sqrt(fmax(0.0, 0.5 * (radicand.lower + radicand.upper)));
    return true;
}

void qkv__counterexample(qkv__situation *s, qkv__ratio difference, const qkv__point *found,
                         const qkv__value *left, const qkv__value *right, qkv__symbol symbol)
{
    qkv__point point = *found;
    qkv__enclosure gap;
    qkv__text place = {0}, *reason = &s->finding->reason;
    const qkv__value *sides[2] = {left, right};
    double x, y;
    simplify(s, difference, &point);
    write_point(s, difference, sides, &point, &place);
    qkv__text_format(reason, "%s%s%s", reason->length > 0 ? " " : "",
                     place.length > 0 ? "At " : "It is false", place.length > 0 ? place.data : "");
    bool numbers = side_at(s, left, &point, &x) && side_at(s, right, &point, &y) && x != y &&
                   isfinite(x) && isfinite(y);
    if (numbers) {
        int digits = digits_for(x, y);
        qkv__text_format(reason, ": %.*g against %.*g.", digits, x, digits, y);
    } else if (enclose_at(s, difference, &point, &gap) && symbol.family != NULL) {
        if (symbol.family->axis)
            qkv__text_format(reason, ": entries number %d", symbol.member + 1);
        else
            qkv__text_format(reason, ": the factors of ");
        if (!symbol.family->axis) qkv__symbol_write(symbol, reason);
        qkv__text_format(reason, " differ by %.6g.", 0.5 * (gap.lower + gap.upper));
    } else {
        qkv__text_format(reason, ".");
    }
    qkv__text_free(&place);
}
