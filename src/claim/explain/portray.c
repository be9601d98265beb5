/* A claim in numbers to draw: both sides of it over a parameter, or the weights that it speaks of.
 * What is drawn follows from the values in the claim and from its conditions alone. Knows the exact
 * engine's values; nothing of drawing. */
#include "claim/explain/portray.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "claim/model/random_declare.h"
#include "claim/model/random_parameters.h"
#include "claim/premise/gap.h"
#include "language/chance_call.h"
#include "language/write.h"

enum {
    SIGHTS = 12,    /* numbers in one picture */
    GROUPS = 6,     /* of them, coefficients that are told apart */
    CURVE = 61,     /* points of a curve */
    OPEN_MOST = 2,  /* numbers that are not counts and were chosen for the picture */
    HEAT_MOST = 24, /* rows and columns */
    LABEL = 44      /* characters */
};

/* A number to be seen. */
typedef struct sight {
    const char *label;
    size_t group;
    bool claimed;
    qkv__surd number;
} sight;

typedef struct view {
    qkv__portrait *portrait;
    size_t count;
    sight sight[SIGHTS];
    const char *y_label;
} view;

static qkv__surd plain(view *v, qkv__ratio ratio)
{
    qkv__algebra *algebra = &v->portrait->lesson->model->algebra;
    return (qkv__surd){ratio, qkv__ratio_whole(algebra, 1)};
}

static void add_sight(view *v, const char *label, size_t group, bool claimed, qkv__surd number)
{
    if (v->count < SIGHTS) v->sight[v->count++] = (sight){label, group, claimed, number};
}

/* ---- Both sides -------------------------------------------------------------------------- */

/* v[a]; for all the rest of a family what each of them is multiplied by. */
static const char *symbol_label(view *v, qkv__symbol symbol, const char *side)
{
    qkv__text text = {0};
    bool rest = symbol.member == QKV__REST;
    if (rest) symbol.member = QKV__GENERIC;
    qkv__text_format(&text, "%s%s", side, rest ? "each remaining " : "");
    qkv__symbol_write(symbol, &text);
    return qkv__portrait_keep(v->portrait, &text, LABEL);
}

static bool is_listed(const qkv__symbol *symbols, size_t count, qkv__symbol symbol)
{
    for (size_t i = 0; i < count; i++)
        if (symbols[i].family == symbol.family && symbols[i].member == symbol.member) return true;
    return false;
}

/* The coefficients of both vectors, vector by vector. */
static void add_vectors(view *v, const qkv__vector *x, const qkv__vector *y)
{
    qkv__space *space = &v->portrait->lesson->model->space;
    const qkv__vector *both[] = {x, y};
    qkv__symbol symbols[GROUPS];
    size_t count = 0;
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; both[side] != NULL && i < both[side]->count && count < GROUPS; i++) {
            qkv__symbol symbol = both[side]->component[i].symbol;
            if (!is_listed(symbols, count, symbol)) symbols[count++] = symbol;
        }
    for (size_t i = 0; i < count; i++) {
        add_sight(v, symbol_label(v, symbols[i], ""), i, false,
                  plain(v, qkv__vector_factor(space, x, symbols[i])));
        if (y != NULL)
            add_sight(v, i == 0 ? "claimed" : NULL, i, true,
                      plain(v, qkv__vector_factor(space, y, symbols[i])));
    }
    v->y_label = "coefficient";
}

static bool is_near_zero(const qkv__value *value)
{
    return value->kind == QKV__VALUE_SCALAR && qkv__ratio_is_zero(value->scalar.factor);
}

/* What stands on the sides of a comparison, where that is numbers or vectors. */
static void add_sides(view *v, const qkv__node *comparison)
{
    qkv__lesson *lesson = v->portrait->lesson;
    qkv__value x, y;
    const qkv__vector *left, *right = NULL;
    if (comparison == NULL || comparison->comparison == QKV__DISTRIBUTED ||
        !qkv__lesson_value(lesson, comparison->child[0], &x))
        return;
    bool both =
        comparison->comparison <= QKV__NEAR && qkv__lesson_value(lesson, comparison->child[1], &y);
    if (both) qkv__match_kinds(lesson->situation, &x, &y);
    if (qkv__value_as_vector(&x, &left) && left != NULL) {
        if (both && !qkv__value_as_vector(&y, &right) && !is_near_zero(&y)) return;
        add_vectors(v, left, right);
    } else if (x.kind == QKV__VALUE_SCALAR && (!both || y.kind == QKV__VALUE_SCALAR)) {
        add_sight(v, qkv__portrait_words(v->portrait, comparison->child[0], LABEL), 0, false,
                  x.scalar);
        if (!both) return;
        qkv__text text = {0};
        qkv__text_format(&text, "claimed: ");
        qkv__node_write(comparison->child[1], &text);
        add_sight(v, qkv__portrait_keep(v->portrait, &text, LABEL), 0, true, y.scalar);
        v->y_label = "value";
    }
}

/* ---- Weights ----------------------------------------------------------------------------- */

static const char *key_label(view *v, const qkv__index_set *set, size_t class)
{
    qkv__text text = {0};
    if (qkv__is_others(set, class))
        qkv__text_format(&text, "another, on average");
    else if (class < set->mark_count)
        qkv__text_format(&text, "%s", set->mark[class]);
    else
        qkv__text_format(&text, "%s%s", set->mark_count > 0 ? "each remaining " : "",
                         qkv__index_letter(set));
    return qkv__portrait_keep(v->portrait, &text, LABEL);
}

/* The weights of the first result that has one query. */
static void add_weights(view *v)
{
    const qkv__subjects *subjects = v->portrait->subjects;
    for (size_t i = 0; i < subjects->count; i++) {
        const qkv__result *result = subjects->subject[i].result;
        if (result->queries != NULL || result->count != 1 || result->row == NULL ||
            result->row[0] == NULL || result->row[0]->whole)
            continue;
        for (size_t c = 0; c < result->row[0]->count && c < GROUPS; c++)
            add_sight(v, key_label(v, result->keys, c), c, false,
                      plain(v, result->row[0]->weight[c]));
        v->y_label = "weight";
        return;
    }
}

/* ---- Which parameter ---------------------------------------------------------------------- */

static qkv__parameter_set parameters_of(const view *v)
{
    qkv__parameter_set set = 0;
    for (size_t i = 0; i < v->count; i++)
        set |= qkv__surd_parameters(&v->portrait->lesson->model->algebra, &v->sight[i].number);
    return set;
}

static bool is_lost(const view *v)
{
    for (size_t i = 0; i < v->count; i++)
        if (qkv__ratio_is_lost(v->sight[i].number.factor) ||
            qkv__ratio_is_lost(v->sight[i].number.radicand))
            return true;
    return false;
}

static bool is_fixed(const qkv__parameter *p)
{
    return p->lower.known && p->upper.known &&
           qkv__rational_compare(p->lower.value, p->upper.value) == 0;
}

/* An inner product or a score that may be any number: no choice of it says anything. */
static bool is_arbitrary(const qkv__model *model, int parameter)
{
    assert(qkv__is_parameter(&model->algebra, parameter));
    if (model->algebra.parameter[parameter].generic) return true;
    for (const qkv__unknown_product *u = model->space.unknown; u != NULL; u = u->next)
        if (u->parameter == parameter) return true;
    for (const qkv__spread *s = model->space.spreads; s != NULL; s = s->next)
        if (s->parameter == parameter) return true;
    return false;
}

/* The parameter that `find` looks for; -1: none of these. */
static int sought(const qkv__lesson *lesson)
{
    const qkv__statement *s = lesson->statement;
    if (s->kind != QKV__STATEMENT_FIND || s->count < 2 || s->node[0]->kind != QKV__NODE_NAME)
        return -1;
    return qkv__parameter_find(&lesson->model->algebra, s->node[0]->text);
}

static bool finds_least(const qkv__lesson *lesson, int parameter)
{
    return lesson->statement->least && sought(lesson) == parameter;
}

/* How much a parameter asks to be the axis: what a limit or `find` is about, then what conditions
 * bound, then what is free, then what conditions fix. */
static int claim_to_axis(const qkv__portrait *portrait, int parameter)
{
    assert(parameter >= 0 && parameter < QKV__PARAMETERS);
    const qkv__lesson *lesson = portrait->lesson;
    const qkv__parameter *p = &lesson->model->algebra.parameter[parameter];
    int rank = p->whole ? 0 : 1;
    for (size_t i = 0; i < lesson->situation->limit_count; i++)
        if (lesson->situation->limit[i].parameter == parameter) return 20 - (int)i;
    if (parameter == sought(lesson)) return 10;
    if (is_fixed(p)) return rank + (lesson->told[parameter] ? 0 : -10);
    return rank + (lesson->told[parameter] ? 4 : 2);
}

static int choose_axis(const view *v, qkv__parameter_set set)
{
    int best = -1, most = -1;
    const qkv__model *model = v->portrait->lesson->model;
    for (int p = 0; p < (int)model->algebra.parameter_count; p++) {
        if (!qkv__parameter_set_has(set, p) || is_arbitrary(model, p)) continue;
        int claim = claim_to_axis(v->portrait, p);
        if (claim > most) {
            most = claim;
            best = p;
        }
    }
    return best;
}

/* Whether numbers can be chosen for all but the axis without making something up. */
static bool is_drawable(const view *v, qkv__parameter_set set, int axis)
{
    const qkv__model *model = v->portrait->lesson->model;
    size_t open = 0;
    for (int p = 0; p < (int)model->algebra.parameter_count; p++) {
        if (!qkv__parameter_set_has(set, p) || p == axis) continue;
        if (is_arbitrary(model, p) || qkv__random_is(model, p)) return false;
        open += !is_fixed(&model->algebra.parameter[p]) && !model->algebra.parameter[p].whole;
    }
    return open <= OPEN_MOST;
}

/* ---- The axis ---------------------------------------------------------------------------- */

typedef struct span {
    int parameter;
    double low, high;
    bool logarithmic;
} span;

static double seen_at(const view *v, size_t number, int parameter, double x)
{
    assert(parameter >= 0 && parameter < QKV__PARAMETERS);
    double values[QKV__PARAMETERS];
    memcpy(values, v->portrait->value, sizeof values);
    values[parameter] = x;
    return qkv__surd_seen(&v->sight[number].number, values);
}

/* Whether nothing much happens beyond `end`: four times as far all numbers are about the same. */
static bool is_settled(const view *v, int parameter, double low, double end)
{
    for (size_t i = 0; i < v->count; i++) {
        double start = seen_at(v, i, parameter, low), here = seen_at(v, i, parameter, end),
               far = seen_at(v, i, parameter, 4.0 * end);
        double size = fmax(fabs(here), isfinite(start) ? fabs(start) : 0.0);
        if (isfinite(start) && !isfinite(here)) return false; /* it grew out of all numbers */
        if (isfinite(here) && !(fabs(far - here) <= 0.02 * fmax(size, 1e-9))) return false;
    }
    return true;
}

static double settled_end(const view *v, int parameter, double low, bool whole)
{
    static const double ends[] = {4, 6, 8, 10, 15, 20, 30, 50, 100, 200, 500, 1000, 10000};
    double least = fmax(2.0 * low, whole ? 100.0 : 4.0);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (ends[i] >= least && is_settled(v, parameter, low, ends[i])) return ends[i];
    return fmax(6.0, least); /* what grows for ever is seen best where it begins */
}

/* What a problem says of a parameter from the start, before a claim narrows it. */
typedef struct declared {
    const char *name;
    double low;
} declared;

static void note_declared(void *data, const qkv__statement *statement)
{
    declared *d = data;
    for (size_t i = 0; statement->kind == QKV__STATEMENT_GIVEN && i < statement->count; i++) {
        const qkv__node *node = statement->node[i];
        bool bound =
            node->kind == QKV__NODE_COMPARE &&
            (node->comparison == QKV__GREATER || node->comparison == QKV__GREATER_OR_EQUAL) &&
            node->child[0]->kind == QKV__NODE_NAME && node->child[1]->kind == QKV__NODE_NUMBER;
        if (bound && strcmp(node->child[0]->text, d->name) == 0)
            d->low = fmax(d->low, qkv__rational_approximate(node->child[1]->value));
    }
}

/* The least that a parameter may be, as far as it is told: there are as many keys as have names. */
static double declared_low(const qkv__lesson *lesson, int parameter)
{
    assert(parameter >= 0 && parameter < QKV__PARAMETERS);
    const qkv__model *model = lesson->model;
    const qkv__parameter *p = &model->algebra.parameter[parameter];
    declared d = {p->name, p->whole ? 1.0 : -INFINITY};
    qkv__lesson_scan(lesson, note_declared, &d);
    for (size_t i = 0; i < model->set_count; i++)
        if (qkv__ratio_depends_on(model->sets[i]->size, parameter))
            d.low = fmax(d.low, (double)model->sets[i]->mark_count);
    return d.low;
}

static span choose_span(const view *v, int parameter)
{
    assert(parameter >= 0 && parameter < QKV__PARAMETERS);
    const qkv__lesson *lesson = v->portrait->lesson;
    const qkv__parameter *p = &lesson->model->algebra.parameter[parameter];
    double low = p->lower.known ? qkv__rational_approximate(p->lower.value) : 0.0;
    span s = {.parameter = parameter, .low = low};
    for (size_t i = 0; i < lesson->situation->limit_count; i++) {
        const qkv__passage *limit = &lesson->situation->limit[i];
        if (limit->parameter != parameter || limit->infinite) continue;
        double point = qkv__rational_approximate(limit->point);
        bool one_sided = p->lower.known && low >= point;
        s.low = one_sided ? point : point - 1.0;
        s.high = point + 1.0;
        return s;
    }
    double least = declared_low(lesson, parameter);
    if (is_fixed(p)) {
        s.low = fmax(low > 0.0 ? 0.0 : low - 1.0, least);
        s.high = low > 0.0 ? 2.0 * low : low + 1.0;
        s.logarithmic = p->whole && s.high >= 50.0;
        return s;
    }
    if (lesson->told[parameter] && low > 0.0) s.low = fmax(0.0, least);
    if (p->upper.known) {
        s.high = qkv__rational_approximate(p->upper.value);
        if (!p->lower.known) s.low = s.high > 0.0 ? 0.0 : s.high - 1.0;
        return s;
    }
    s.high = settled_end(v, parameter, low, p->whole);
    s.logarithmic = p->whole && s.low > 0.0;
    return s;
}

/* ---- Curves ------------------------------------------------------------------------------ */

static double place_on(const span *s, size_t index, size_t count)
{
    double part = (double)index / (double)(count - 1);
    if (s->logarithmic) return s->low * pow(s->high / s->low, part);
    return s->low + part * (s->high - s->low);
}

/* Where the first two sides cross, for `find least`; NaN: nowhere on the axis. */
static double crossing(const view *v, const span *s)
{
    double before = NAN, at = s->low;
    for (size_t i = 0; i < CURVE && v->count >= 2; i++) {
        double x = place_on(s, i, CURVE);
        double gap = seen_at(v, 0, s->parameter, x) - seen_at(v, 1, s->parameter, x);
        if (isfinite(before) && before * gap < 0.0) {
            double low = at, high = x;
            for (int step = 0; step < 60; step++) {
                double middle = 0.5 * (low + high);
                double here =
                    seen_at(v, 0, s->parameter, middle) - seen_at(v, 1, s->parameter, middle);
                if (before * here > 0.0)
                    low = middle;
                else
                    high = middle;
            }
            return high;
        }
        before = gap;
        at = x;
    }
    return NAN;
}

/* A side that does not move needs no more than its ends. */
static bool is_level(const view *v, const span *s, size_t number)
{
    qkv__parameter_set set =
        qkv__surd_parameters(&v->portrait->lesson->model->algebra, &v->sight[number].number);
    return !qkv__parameter_set_has(set, s->parameter);
}

static bool fill_curve(view *v, const span *s, size_t number, qkv_scene_series *series)
{
    size_t count = is_level(v, s, number) ? 2 : CURVE;
    double *x = qkv__arena_array(v->portrait->arena, 2 * count, sizeof *x);
    if (x == NULL) return false;
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        x[i] = place_on(s, i, count);
        x[count + i] = seen_at(v, number, s->parameter, x[i]);
        any = any || isfinite(x[count + i]);
    }
    *series = (qkv_scene_series){.label = v->sight[number].label,
                                 .group = v->sight[number].group,
                                 .claimed = v->sight[number].claimed,
                                 .count = count,
                                 .x = x,
                                 .y = x + count};
    return any;
}

/* Leaves out points on a straight way between others, as far as an eye can tell. Places are equally
 * far from each other on the axis, whatever it is. */
static void thin_out(double close, qkv_scene_series *series)
{
    double *x = (double *)(uintptr_t)series->x, *y = (double *)(uintptr_t)series->y;
    size_t kept = 0, anchor = 0, end;
    for (; anchor < series->count; anchor = end) {
        x[kept] = x[anchor];
        y[kept++] = y[anchor];
        end = anchor + 1;
        for (bool straight = true; straight && end + 1 < series->count; end += straight) {
            double slope = (y[end + 1] - y[anchor]) / (double)(end + 1 - anchor);
            for (size_t i = anchor + 1; i <= end && straight; i++)
                straight = fabs(y[anchor] + slope * (double)(i - anchor) - y[i]) <= close;
        }
    }
    series->count = kept;
}

/* How far numbers reach from each other; *moves: whether one of the curves does. */
static double reach_of(const qkv_scene_series *series, size_t count, bool *moves)
{
    double low = INFINITY, high = -INFINITY, most = 0.0;
    for (size_t i = 0; i < count; i++) {
        double least = INFINITY, largest = -INFINITY;
        for (size_t j = 0; j < series[i].count; j++) {
            if (!isfinite(series[i].y[j])) continue;
            least = fmin(least, series[i].y[j]);
            largest = fmax(largest, series[i].y[j]);
        }
        low = fmin(low, least);
        high = fmax(high, largest);
        if (largest > least) most = fmax(most, largest - least);
    }
    *moves = most > 1e-6 * fmax(1.0, fabs(high));
    return high - low;
}

/* Marks the place that the conditions begin at or speak of, or that `find least` finds. */
static size_t add_rule(view *v, const span *s, qkv_scene_rule *rule)
{
    qkv__lesson *lesson = v->portrait->lesson;
    const qkv__parameter *p = &lesson->model->algebra.parameter[s->parameter];
    bool least = finds_least(lesson, s->parameter);
    double at = NAN;
    const char *relation = " = ";
    if (least) {
        at = crossing(v, s);
    } else if (lesson->told[s->parameter] && p->lower.known) {
        at = qkv__rational_approximate(p->lower.value);
        if (!is_fixed(p)) relation = p->lower.strict ? " > " : " >= ";
    }
    if (!(at > s->low && at < s->high)) return 0;
    qkv__text text = {0};
    qkv__text_format(&text, "%s%s", p->name, relation);
    qkv__write_decimal(&text, at);
    *rule = (qkv_scene_rule){at, qkv__portrait_keep(v->portrait, &text, LABEL)};
    return 1;
}

/* ---- Scenes ------------------------------------------------------------------------------ */

/* One panel as a scene. */
static const qkv_scene *make_scene(qkv__portrait *portrait, qkv_scene_kind kind, const char *title,
                                   const char *at, qkv_scene_panel panel)
{
    qkv_scene *scene = qkv__arena_take(portrait->arena, sizeof *scene);
    qkv_scene_panel *panels = qkv__arena_take(portrait->arena, sizeof *panels);
    if (scene == NULL || panels == NULL) return NULL;
    *panels = panel;
    *scene =
        (qkv_scene){.kind = kind, .title = title, .at = at, .panel_count = 1, .panels = panels};
    return scene;
}

static const char *title_of(view *v)
{
    const qkv__statement *statement = v->portrait->lesson->statement;
    return qkv__portrait_words(v->portrait, statement->node[statement->count - 1], 72);
}

/* Numbers without a parameter to follow: what is as bars, what is claimed as marks. */
static const qkv_scene *draw_bars(view *v, qkv__parameter_set set)
{
    qkv__portrait *portrait = v->portrait;
    size_t bars = 0, count[2] = {0};
    if (v->count <= 2) { /* a bar alone shows nothing */
        v->count = 0;
        add_weights(v);
        set = parameters_of(v);
        if (v->count < 2 || is_lost(v) || !is_drawable(v, set, -1)) return NULL;
    }
    qkv_scene_series *series = qkv__arena_array(portrait->arena, 2, sizeof *series);
    double *y = qkv__arena_array(portrait->arena, 2 * SIGHTS, sizeof *y);
    const char **names = qkv__arena_array(portrait->arena, SIGHTS, sizeof *names);
    if (series == NULL || y == NULL || names == NULL) return NULL;
    for (size_t i = 0; i < v->count; i++) {
        int side = v->sight[i].claimed ? 1 : 0;
        if (side == 0) names[bars++] = v->sight[i].label;
        y[(size_t)side * SIGHTS + count[side]++] =
            qkv__surd_seen(&v->sight[i].number, portrait->value);
    }
    for (int side = 0; side < 2; side++)
        series[side] = (qkv_scene_series){.label = side == 0 ? "found" : "claimed",
                                          .claimed = side == 1,
                                          .count = count[side],
                                          .y = y + side * SIGHTS};
    bool weights = strcmp(v->y_label, "weight") == 0;
    qkv_scene_panel panel = {.title = "",
                             .x_label = weights ? "key" : "",
                             .y_label = v->y_label,
                             .series_count = count[1] > 0 ? 2 : 1,
                             .series = series,
                             .names = names,
                             .name_count = bars};
    return bars == 0 ? NULL
                     : make_scene(portrait, QKV_SCENE_BARS, title_of(v),
                                  qkv__portrait_at(portrait, set), panel);
}

static const qkv_scene *draw_curves(view *v, int axis, qkv__parameter_set set)
{
    qkv__portrait *portrait = v->portrait;
    span s = choose_span(v, axis);
    double found = finds_least(portrait->lesson, axis) ? crossing(v, &s) : NAN;
    if (1.5 * found > s.high) s.high = 1.5 * found; /* not at the very edge */
    qkv_scene_series *series = qkv__arena_array(portrait->arena, v->count, sizeof *series);
    qkv_scene_rule *rule = qkv__arena_take(portrait->arena, sizeof *rule);
    if (!(s.high > s.low) || series == NULL || rule == NULL) return NULL;
    size_t count = 0;
    for (size_t i = 0; i < v->count; i++) count += fill_curve(v, &s, i, &series[count]);
    bool moves = false;
    double close = 0.0015 * reach_of(series, count, &moves);
    if (!moves) return draw_bars(v, set);
    for (size_t i = 0; i < count; i++) thin_out(close, &series[i]);
    qkv__text name = {0};
    qkv__text_format(&name, "%s", portrait->lesson->model->algebra.parameter[axis].name);
    qkv_scene_panel panel = {.title = "",
                             .x_label = qkv__portrait_keep(portrait, &name, LABEL),
                             .y_label = v->y_label,
                             .logarithmic = s.logarithmic,
                             .series_count = count,
                             .series = series,
                             .rules = rule};
    panel.rule_count = add_rule(v, &s, rule);
    return make_scene(portrait, QKV_SCENE_CURVES, title_of(v),
                      qkv__portrait_at(portrait, set & ~((qkv__parameter_set)1 << axis)), panel);
}

/* ---- Queries and keys -------------------------------------------------------------------- */

/* The keys of a class of many are one column. */
static bool fill_row(view *v, const qkv__attention *row, double *y, qkv__parameter_set *set)
{
    for (size_t c = 0; c < row->count; c++) {
        qkv__surd weight = plain(v, row->weight[c]);
        *set |= qkv__surd_parameters(&v->portrait->lesson->model->algebra, &weight);
        y[c] = qkv__surd_seen(&weight, v->portrait->value);
        if (!isfinite(y[c])) return false;
    }
    return true;
}

static const qkv_scene *draw_heat(view *v, const qkv__subject *subject)
{
    qkv__portrait *portrait = v->portrait;
    const qkv__result *result = subject->result;
    size_t rows = result->count, columns = rows == 0 ? 0 : result->row[0]->count;
    qkv__parameter_set set = 0;
    if (rows == 0 || rows > HEAT_MOST || columns > HEAT_MOST) return NULL;
    qkv_scene_series *series = qkv__arena_array(portrait->arena, rows, sizeof *series);
    double *y = qkv__arena_array(portrait->arena, rows * columns, sizeof *y);
    const char **names = qkv__arena_array(portrait->arena, columns, sizeof *names);
    if (series == NULL || y == NULL || names == NULL) return NULL;
    for (size_t i = 0; i < rows; i++) {
        const char *name = key_label(v, result->queries, i);
        if (result->row[i] == NULL || result->row[i]->count != columns ||
            !fill_row(v, result->row[i], y + i * columns, &set))
            return NULL;
        series[i] = (qkv_scene_series){.label = name, .count = columns, .y = y + i * columns};
    }
    for (size_t j = 0; j < columns; j++) names[j] = key_label(v, result->keys, j);
    if (!is_drawable(v, set, -1)) return NULL;
    qkv__text title = {0};
    qkv__text_format(&title, "Who looks at whom in ");
    qkv__node_write(subject->node, &title);
    qkv_scene_panel panel = {.title = "",
                             .x_label = "keys",
                             .y_label = "queries",
                             .series_count = rows,
                             .series = series,
                             .names = names,
                             .name_count = columns};
    return make_scene(portrait, QKV_SCENE_HEAT, qkv__portrait_keep(portrait, &title, 72),
                      qkv__portrait_at(portrait, set), panel);
}

static const qkv_scene *draw_self_attention(view *v)
{
    const qkv__subjects *subjects = v->portrait->subjects;
    for (size_t i = 0; i < subjects->count; i++)
        if (subjects->subject[i].result->queries != NULL &&
            subjects->subject[i].result->head_count == 0)
            return draw_heat(v, &subjects->subject[i]);
    return NULL;
}

/* ---- The portrait ------------------------------------------------------------------------ */

static void collect(view *v)
{
    const qkv__statement *statement = v->portrait->lesson->statement;
    if (statement->kind != QKV__STATEMENT_LAW)
        add_sides(v, qkv__portrait_comparison(statement->node[statement->count - 1]));
    /* Parameters of the premises give way to what those make of them. */
    for (size_t i = 0; i < v->count && v->portrait->lesson->situation->substitution_count > 0; i++)
        v->sight[i].number = qkv__surd_resolve(v->portrait->lesson->situation, v->sight[i].number);
    if (v->count == 0 || is_lost(v)) {
        v->count = 0;
        add_weights(v);
    }
}

static bool is_random(const view *v)
{
    const qkv__lesson *lesson = v->portrait->lesson;
    const qkv__statement *s = lesson->statement;
    if (!qkv__random_is_declared(lesson->model->statements)) return false;
    if (s->kind == QKV__STATEMENT_LAW || v->count == 0) return true;
    if (qkv__speaks_of_chance(s->node[s->count - 1])) return true;
    for (size_t i = 0; i < v->count; i++)
        if (qkv__random_touches(lesson->model, v->sight[i].number.factor) ||
            qkv__random_touches(lesson->model, v->sight[i].number.radicand))
            return true;
    return false;
}

const qkv_scene *qkv__portray(qkv__lesson *lesson, const qkv__subjects *subjects, qkv__arena *arena)
{
    qkv__portrait portrait = {.lesson = lesson, .subjects = subjects, .arena = arena};
    view v = {.portrait = &portrait, .y_label = "value"};
    collect(&v);
    qkv__portrait_sit(&portrait);
    if (is_random(&v)) return qkv__portray_random(&portrait);
    const qkv_scene *heat = draw_self_attention(&v);
    if (heat != NULL || v.count == 0 || is_lost(&v)) return heat;
    qkv__parameter_set set = parameters_of(&v);
    int axis = choose_axis(&v, set);
    if (!is_drawable(&v, set, axis)) return NULL;
    return axis >= 0 ? draw_curves(&v, axis, set) : draw_bars(&v, set);
}
