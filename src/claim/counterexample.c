/*
 * Counterexamples in parameters: a point where a comparison is proved to fail is made as simple as
 * it can be had, and told with both sides at it. Knows nothing of how the point was found.
 */
#include <math.h>

#include "ball/enclosure.h"
#include "claim/situation.h"

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

static void write_rational(qkv__rational value, qkv__text *text)
{
    qkv__text_format(text, "%lld", (long long)value.numerator);
    if (value.denominator != 1) qkv__text_format(text, "/%lld", (long long)value.denominator);
}

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
static void write_point(const qkv__situation *s, const qkv__side *sides, size_t count,
                        const qkv__point *point, qkv__text *text)
{
    const qkv__algebra *algebra = &s->model->algebra;
    bool first = true;
    for (int p = 0; p < (int)algebra->parameter_count; p++) {
        qkv__rational value;
        bool involved = false;
        for (size_t i = 0; i < count; i++)
            involved = involved || qkv__ratio_depends_on(sides[i].plain, p);
        qkv__enclosure enclosure;
        if (!is_premised(s, p, involved) || algebra->parameter[p].prime != 0) continue;
        bool rational = qkv__situation_parameter_at(s, p, point, &value);
        qkv__ratio number = qkv__situation_apply(
            s, qkv__ratio_of_form(&s->model->algebra, qkv__form_parameter(&s->model->algebra, p)));
        if (!rational && !enclose_at(s, number, point, &enclosure)) continue;
        qkv__text_format(text, "%s%s = ", first ? "" : ", ", algebra->parameter[p].name);
        if (rational)
            write_rational(value, text);
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

void qkv__counterexample(qkv__situation *s, qkv__ratio difference, const qkv__point *found,
                         const qkv__side *sides, size_t count, qkv__symbol symbol)
{
    qkv__point point = *found;
    qkv__enclosure value[2];
    qkv__text place = {0}, *reason = &s->finding->reason;
    qkv__side whole = {.plain = difference};
    simplify(s, difference, &point);
    write_point(s, count == 2 ? sides : &whole, count == 2 ? 2 : 1, &point, &place);
    qkv__text_format(reason, "%s%s%s", reason->length > 0 ? " " : "",
                     place.length > 0 ? "At " : "It is false", place.length > 0 ? place.data : "");
    bool both = count == 2;
    for (size_t i = 0; i < 2 && both; i++)
        both = enclose_at(s, qkv__situation_apply(s, sides[i].plain), &point, &value[i]);
    if (both) {
        double left = 0.5 * (value[0].lower + value[0].upper);
        double right = 0.5 * (value[1].lower + value[1].upper);
        int digits = digits_for(left, right);
        qkv__text_format(reason, ": %.*g against %.*g.", digits, left, digits, right);
    } else if (enclose_at(s, difference, &point, &value[0])) {
        qkv__text_format(reason, ": the %s", symbol.family == NULL ? "sides" : "factors of ");
        if (symbol.family != NULL) qkv__symbol_write(symbol, reason);
        qkv__text_format(reason, " differ by %.6g.", 0.5 * (value[0].lower + value[0].upper));
    } else {
        qkv__text_format(reason, ".");
    }
    qkv__text_free(&place);
}
