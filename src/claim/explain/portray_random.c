/* What is random in a claim, sampled for a picture: the law of a number that P, E, Var or Cov is
 * asked of, or where an output falls between two values. Samples are the lab's with one seed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "claim/explain/portray.h"
#include "claim/model/definition.h"
#include "claim/model/random_parameters.h"
#include "claim/sample/sample_part.h"
#include "language/chance_call.h"

enum {
    SAMPLES = 4 * QKV__SAMPLE_ROWS,
    CLOUD = 160, /* points that are drawn of them */
    BINS = 32,
    PANELS = 3,
    CURVE = 81, /* points of a density */
    LABEL = 40
};

/* A number, or the weights of a result, of which samples are drawn. */
typedef struct target {
    int step, second;      /* second: the other weight; -1: a number alone */
    const qkv__node *node; /* the number, or the result */
    const char *label;
    double rule; /* what the number is compared with; NaN: nothing */
    const char *rule_label;
} target;

typedef struct studio {
    qkv__portrait *portrait;
    qkv__sample sample;
    size_t count;
    target target[PANELS];
    double *numbers; /* SAMPLES for each target, and for its second */
} studio;

/* ---- What is drawn ----------------------------------------------------------------------- */

/* What a number is compared with, where that is a number itself. */
static double rule_of(studio *t, const qkv__node *node)
{
    qkv__value value;
    qkv__ratio ratio;
    double number;
    if (!qkv__lesson_value(t->portrait->lesson, node, &value) ||
        !qkv__value_as_ratio(&value, &ratio) || !qkv__sample_number(&t->sample, ratio, &number)) {
        t->sample.trouble[0] = '\0';
        return NAN;
    }
    return number;
}

static void add_number(studio *t, const qkv__node *node, const qkv__node *other)
{
    if (t->count == PANELS) return;
    const char *label = qkv__portrait_words(t->portrait, node, LABEL);
    for (size_t i = 0; i < t->count; i++)
        if (strcmp(t->target[i].label, label) == 0) return;
    int step = qkv__sample_expression(&t->sample, node);
    if (step < 0) {
        t->sample.trouble[0] = '\0';
        return;
    }
    target *made = &t->target[t->count++];
    *made = (target){
        .step = step, .second = -1, .node = node, .label = label, .rule = NAN, .rule_label = ""};
    if (other == NULL) return;
    made->rule = rule_of(t, other);
    made->rule_label = qkv__portrait_words(t->portrait, other, 12);
}

/* The number in an event such as c.weight[a] < 0.9. */
static void add_event(studio *t, const qkv__node *event)
{
    const qkv__node *comparison = qkv__portrait_comparison(event);
    if (comparison == NULL) return;
    if (comparison->comparison <= QKV__GREATER_OR_EQUAL)
        add_number(t, comparison->child[0], comparison->child[1]);
    else if (comparison->comparison == QKV__IN)
        add_number(t, comparison->child[0], NULL);
}

/* Numbers under P, E, Var and Cov. */
static void add_calls(studio *t, const qkv__node *node)
{
    qkv__chance_call call = qkv__chance_read(node);
    if (call.kind == 'P') {
        add_event(t, call.argument[0]);
        return;
    }
    for (size_t i = 0; i < call.count; i++) add_number(t, call.argument[i], NULL);
    for (size_t i = 0; i < node->count && call.kind == 0; i++) add_calls(t, node->child[i]);
}

/* The weights of the first two marks of every result that the claim speaks of. */
static void add_results(studio *t)
{
    const qkv__subjects *subjects = t->portrait->subjects;
    if (t->sample.count < 2) return;
    for (size_t i = 0; i < subjects->count && t->count < PANELS; i++) {
        qkv__sample_result result;
        const qkv__node *node = subjects->subject[i].node;
        int first = -1, second = -1;
        if (qkv__sample_is_result(&t->sample, node) &&
            qkv__sample_result_of(&t->sample, node, &result)) {
            first = qkv__sample_weight(&t->sample, &result, 0);
            second = qkv__sample_weight(&t->sample, &result, 1);
        }
        t->sample.trouble[0] = '\0';
        if (first < 0 || second < 0) continue;
        t->target[t->count++] = (target){.step = first,
                                         .second = second,
                                         .label = qkv__portrait_words(t->portrait, node, LABEL),
                                         .rule = NAN};
    }
}

/* ---- Drawing ----------------------------------------------------------------------------- */

/* Numbers for every parameter that is left open, but for what is random. */
static void fix_parameters(qkv__portrait *portrait)
{
    qkv__model *model = portrait->lesson->model;
    for (int p = 0; p < (int)model->algebra.parameter_count; p++) {
        qkv__parameter *known = &model->algebra.parameter[p];
        if (known->prime > 0 || known->generic || qkv__random_is(model, p)) continue;
        known->lower = known->upper = (qkv__bound){.known = true, .value = portrait->number[p]};
    }
}

static bool run_batches(studio *t, qkv_lab_sampler *sampler, double *rows, double *columns)
{
    qkv_error error;
    for (size_t first = 0; first < SAMPLES; first += QKV__SAMPLE_ROWS) {
        if (qkv_lab_sampler_draw(sampler, first, QKV__SAMPLE_ROWS, rows, &error) != QKV_OK)
            return false;
        qkv__sample_run(&t->sample, rows, QKV__SAMPLE_ROWS, columns);
        for (size_t i = 0; i < t->count; i++)
            for (size_t side = 0; side < 2; side++) {
                int step = side == 0 ? t->target[i].step : t->target[i].second;
                if (step < 0) continue;
                memcpy(t->numbers + (2 * i + side) * SAMPLES + first,
                       columns + (size_t)step * QKV__SAMPLE_ROWS,
                       QKV__SAMPLE_ROWS * sizeof *columns);
            }
    }
    return true;
}

/* Numbers that turn out to be the same in all samples have nothing to show. */
static bool draw(studio *t)
{
    if (t->sample.quantity_count == 0) return false;
    qkv_lab_sampler *sampler = qkv__sample_lab(&t->sample, 0);
    size_t rows = (size_t)QKV__SAMPLE_ROWS;
    double *quantities = qkv__allocate(rows * (t->sample.quantity_count + 1) * sizeof(double));
    double *columns = qkv__allocate(rows * (t->sample.step_count + 1) * sizeof(double));
    t->numbers = qkv__allocate(2 * (size_t)PANELS * SAMPLES * sizeof(double));
    if (quantities == NULL || columns == NULL || t->numbers == NULL)
        t->portrait->arena->failed = true;
    bool good = sampler != NULL && quantities != NULL && columns != NULL && t->numbers != NULL &&
                run_batches(t, sampler, quantities, columns);
    qkv_lab_sampler_free(&sampler);
    qkv__free(quantities);
    qkv__free(columns);
    return good;
}

/* ---- Panels ------------------------------------------------------------------------------ */

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Weights from 0 to 1; other numbers between those that one in two hundred lies beyond, which are
 * not seen. */
static bool choose_range(qkv__arena *arena, const double *numbers, double rule, double *low,
                         double *high)
{
    for (size_t i = 0; i < SAMPLES; i++)
        if (!isfinite(numbers[i])) return false;
    double *sorted = qkv__allocate(SAMPLES * sizeof *sorted);
    if (sorted == NULL) return arena->failed = true, false;
    memcpy(sorted, numbers, SAMPLES * sizeof *sorted);
    qsort(sorted, SAMPLES, sizeof *sorted, compare_doubles);
    bool weight = sorted[0] >= 0.0 && sorted[SAMPLES - 1] <= 1.0 && sorted[SAMPLES - 1] > 0.3;
    *low = weight ? 0.0 : sorted[SAMPLES / 200];
    *high = weight ? 1.0 : sorted[SAMPLES - 1 - SAMPLES / 200];
    qkv__free(sorted);
    if (isfinite(rule)) {
        *low = fmin(*low, rule);
        *high = fmax(*high, rule);
    }
    if (*high <= *low) { /* one number always */
        *low -= 0.5;
        *high += 0.5;
    }
    return true;
}

static void fill_histogram(const double *numbers, double low, double high, double *edges,
                           double *heights)
{
    double width = (high - low) / BINS;
    for (size_t i = 0; i <= BINS; i++) edges[i] = low + width * (double)i;
    for (size_t i = 0; i < SAMPLES; i++) {
        double place = (numbers[i] - low) / width;
        if (numbers[i] < low || numbers[i] > high) continue;
        size_t bin = place >= BINS ? BINS - 1 : (size_t)place;
        heights[bin] += 1.0 / (SAMPLES * width);
    }
}

/* The one normal parameter that a number depends on, and its law; -1: there is none such. */
static int normal_of(studio *t, qkv__ratio ratio, double *mean, double *deviation)
{
    qkv__model *model = t->portrait->lesson->model;
    qkv__surd number = {ratio, qkv__ratio_whole(&model->algebra, 1)};
    qkv__parameter_set set = qkv__surd_parameters(&model->algebra, &number);
    int found = -1;
    for (size_t i = 0; i < model->chance_count; i++) {
        const qkv__chance *chance = &model->chance[i];
        double variance;
        if (!qkv__parameter_set_has(set, chance->parameter)) continue;
        if (found >= 0 || chance->law != QKV__LAW_NORMAL ||
            !qkv__sample_number(&t->sample, chance->mean, mean) ||
            !qkv__sample_number(&t->sample, chance->variance, &variance))
            return -1;
        found = chance->parameter;
        *deviation = sqrt(variance);
        set &= ~((qkv__parameter_set)1 << found);
    }
    for (int p = 0; p < (int)model->algebra.parameter_count; p++)
        if (qkv__parameter_set_has(set, p) && qkv__random_is(model, p)) return -1;
    return found;
}

/* The density of x = f(eps): that of eps over the slope of f, where f goes one way alone. */
static bool fill_density(studio *t, const target *made, double *x, double *y)
{
    double values[QKV__PARAMETERS], mean, deviation, way = 0.0;
    qkv__value value;
    qkv__ratio ratio;
    if (!qkv__lesson_value(t->portrait->lesson, made->node, &value) ||
        !qkv__value_as_ratio(&value, &ratio))
        return false;
    int parameter = normal_of(t, ratio, &mean, &deviation);
    t->sample.trouble[0] = '\0';
    if (parameter < 0 || !(deviation > 0.0)) return false;
    memcpy(values, t->portrait->value, sizeof values);
    for (size_t i = 0; i < CURVE; i++) {
        double z = -4.0 + 8.0 * (double)i / (CURVE - 1), step = 1e-4, side[2];
        for (int k = 0; k < 2; k++) {
            values[parameter] = mean + deviation * (z + (k == 0 ? -step : step));
            side[k] = qkv__ratio_seen(ratio, values);
        }
        double slope = (side[1] - side[0]) / (2.0 * step);
        bool flat = !(fabs(slope) > 1e-9); /* what is left of it is rounding */
        if (!flat && slope * way < 0.0) return false;
        if (!flat) way = slope;
        x[i] = 0.5 * (side[0] + side[1]);
        y[i] = flat ? NAN : exp(-0.5 * z * z) / (sqrt(2.0 * acos(-1.0)) * fabs(slope));
    }
    return way != 0.0;
}

static bool make_law(studio *t, const target *made, const double *numbers, qkv_scene_panel *panel)
{
    qkv__arena *arena = t->portrait->arena;
    double low, high, *edges = qkv__arena_array(arena, 2 * BINS + 1, sizeof *edges);
    double *curve = qkv__arena_array(arena, 2 * CURVE, sizeof *curve);
    qkv_scene_series *series = qkv__arena_array(arena, 2, sizeof *series);
    qkv_scene_rule *rule = qkv__arena_take(arena, sizeof *rule);
    if (edges == NULL || curve == NULL || series == NULL || rule == NULL ||
        !choose_range(arena, numbers, made->rule, &low, &high))
        return false;
    fill_histogram(numbers, low, high, edges, edges + BINS + 1);
    bool known = fill_density(t, made, curve, curve + CURVE);
    series[0] =
        (qkv_scene_series){.label = "samples", .count = BINS, .x = edges, .y = edges + BINS + 1};
    series[1] = (qkv_scene_series){
        .label = "exact density", .line = true, .count = CURVE, .x = curve, .y = curve + CURVE};
    *rule = (qkv_scene_rule){made->rule, made->rule_label};
    *panel = (qkv_scene_panel){.title = "",
                               .x_label = made->label,
                               .y_label = "density",
                               .series_count = known ? 2 : 1,
                               .series = series,
                               .rule_count = isfinite(made->rule) ? 1 : 0,
                               .rules = rule};
    return true;
}

static bool make_fall(studio *t, const target *made, const double *numbers, qkv_scene_panel *panel)
{
    qkv__arena *arena = t->portrait->arena;
    const qkv__index_set *set = t->sample.keys->set;
    double *x = qkv__arena_array(arena, 2 * CLOUD, sizeof *x);
    qkv_scene_series *series = qkv__arena_take(arena, sizeof *series);
    const char **names = qkv__arena_array(arena, 3, sizeof *names);
    if (x == NULL || series == NULL || names == NULL) return false;
    memcpy(x, numbers, CLOUD * sizeof *x);
    memcpy(x + CLOUD, numbers + SAMPLES, CLOUD * sizeof *x);
    for (size_t i = 0; i < 2; i++) {
        qkv__text text = {0};
        qkv__text_format(&text, "%s", i < set->mark_count ? set->mark[i] : "one more");
        names[i] = qkv__portrait_keep(t->portrait, &text, LABEL);
    }
    names[2] = "the others";
    *series = (qkv_scene_series){.count = CLOUD, .x = x, .y = x + CLOUD};
    *panel = (qkv_scene_panel){.title = made->label,
                               .x_label = "",
                               .y_label = "",
                               .series_count = 1,
                               .series = series,
                               .names = names,
                               .name_count = t->sample.count > 2 ? 3 : 2};
    return true;
}

/* ---- The scene --------------------------------------------------------------------------- */

/* Which parameters the numbers of the picture are those of. */
static qkv__parameter_set chosen_parameters(const qkv__portrait *portrait)
{
    const qkv__model *model = portrait->lesson->model;
    qkv__parameter_set set = 0;
    for (int p = 0; p < (int)model->algebra.parameter_count; p++)
        if (model->algebra.parameter[p].prime == 0 && !model->algebra.parameter[p].generic &&
            !qkv__random_is(model, p) &&
            !qkv__parameter_set_has(model->still ? model->noise : 0, p))
            set |= (qkv__parameter_set)1 << p;
    return set;
}

static const qkv_scene *make_scene(studio *t)
{
    qkv__portrait *portrait = t->portrait;
    const qkv__statement *statement = portrait->lesson->statement;
    bool fall = t->target[0].second >= 0;
    qkv_scene *scene = qkv__arena_take(portrait->arena, sizeof *scene);
    qkv_scene_panel *panels = qkv__arena_array(portrait->arena, t->count, sizeof *panels);
    if (scene == NULL || panels == NULL) return NULL;
    for (size_t i = 0; i < t->count; i++) {
        const double *numbers = t->numbers + 2 * i * SAMPLES;
        bool good = fall ? make_fall(t, &t->target[i], numbers, &panels[i])
                         : make_law(t, &t->target[i], numbers, &panels[i]);
        if (!good) return NULL;
    }
    *scene = (qkv_scene){
        .kind = fall ? QKV_SCENE_FALL : QKV_SCENE_LAW,
        .title = qkv__portrait_words(portrait, statement->node[statement->count - 1], 72),
        .at = qkv__portrait_at(portrait, chosen_parameters(portrait)),
        .samples = fall ? CLOUD : SAMPLES,
        .panel_count = t->count,
        .panels = panels};
    return scene;
}

/* Whether what is random is so under a condition, which makes another law of it. */
static bool is_conditioned(const qkv__portrait *portrait, const qkv__node *node)
{
    const qkv__model *model = portrait->lesson->model;
    const qkv__circumstances *conditions = portrait->lesson->situation->circumstances;
    if (node->kind == QKV__NODE_GIVEN) return true;
    for (size_t i = 0; i < node->count; i++)
        if (is_conditioned(portrait, node->child[i])) return true;
    for (size_t i = 0; i < conditions->count; i++)
        if (conditions->item[i].kind == QKV__CONDITION_GIVEN) return true;
    for (int p = 0; p < (int)model->algebra.parameter_count; p++)
        if (qkv__random_is(model, p) &&
            (model->algebra.parameter[p].lower.known || model->algebra.parameter[p].upper.known))
            return true;
    return false;
}

static const qkv_scene *portray(studio *t)
{
    const qkv__statement *statement = t->portrait->lesson->statement;
    const qkv__node *asked = statement->node[statement->count - 1];
    const qkv__node *expanded = qkv__chance_expand(t->portrait->lesson->model, asked);
    if (expanded == NULL || is_conditioned(t->portrait, expanded)) return NULL;
    if (statement->kind != QKV__STATEMENT_LAW) add_calls(t, expanded);
    if (t->count == 0) add_results(t);
    return t->count > 0 && draw(t) ? make_scene(t) : NULL;
}

const qkv_scene *qkv__portray_random(qkv__portrait *portrait)
{
    qkv__lesson *lesson = portrait->lesson;
    studio t = {.portrait = portrait};
    const qkv_scene *scene = NULL;
    qkv__scope scope = qkv__situation_open(lesson->situation);
    size_t limits = lesson->situation->limit_count;
    lesson->situation->limit_count = 0; /* the numbers are on the way to it */
    fix_parameters(portrait);
    if (qkv__sample_begin(&t.sample, lesson->situation, lesson->statement->place.line))
        scene = portray(&t);
    qkv__sample_end(&t.sample);
    qkv__free(t.numbers);
    lesson->situation->limit_count = limits;
    qkv__situation_close(lesson->situation, &scope);
    return scene;
}
