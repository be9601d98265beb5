/* What a claim speaks of, drawn from the numbers that came with it (claim.h). Knows nothing of how
 * claims are decided. */
#include <assert.h>
#include <math.h>

#include <qkv/claim.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "figure/make.h"
#include "plot/attention.h"
#include "plot/plot.h"

enum { GROUPS = 6, CLOUD = 400 };

static qkv_ink ink_of(size_t group)
{
    return (qkv_ink)(QKV_INK_FIRST + group % GROUPS);
}

/* ---- Words ------------------------------------------------------------------------------- */

/* A text of the claim in mathematical signs. Never NULL: an arena without memory has failed. */
static const char *typeset(qkv__arena *arena, const char *text)
{
    qkv__text words = {0};
    if (text == NULL) return NULL;
    qkv__notation(&words, text, true);
    const char *kept = qkv__arena_text(arena, words.data, words.length);
    arena->failed = arena->failed || words.failed;
    qkv__text_free(&words);
    return kept == NULL ? "" : kept;
}

static qkv_scene_panel typeset_panel(qkv__arena *arena, const qkv_scene_panel *panel)
{
    qkv_scene_panel made = *panel;
    qkv_scene_series *series = qkv__arena_array(arena, made.series_count, sizeof *series);
    qkv_scene_rule *rules = qkv__arena_array(arena, made.rule_count, sizeof *rules);
    const char **names = qkv__arena_array(arena, made.name_count, sizeof *names);
    if (arena->failed) return made;
    for (size_t i = 0; i < made.series_count; i++) {
        series[i] = panel->series[i];
        series[i].label = typeset(arena, series[i].label);
    }
    for (size_t i = 0; i < made.rule_count; i++) {
        rules[i] = panel->rules[i];
        rules[i].label = typeset(arena, rules[i].label);
    }
    for (size_t i = 0; i < made.name_count; i++) names[i] = typeset(arena, panel->names[i]);
    made.title = typeset(arena, panel->title);
    made.x_label = typeset(arena, panel->x_label);
    made.y_label = typeset(arena, panel->y_label);
    made.series = series;
    made.rules = rules;
    made.names = names;
    return made;
}

/* The same scene with all its texts typeset. */
static qkv_scene typeset_scene(qkv__arena *arena, const qkv_scene *scene)
{
    qkv_scene made = *scene;
    qkv_scene_panel *panels = qkv__arena_array(arena, made.panel_count, sizeof *panels);
    if (arena->failed) return made;
    for (size_t i = 0; i < made.panel_count; i++)
        panels[i] = typeset_panel(arena, &scene->panels[i]);
    made.title = typeset(arena, scene->title);
    made.at = typeset(arena, scene->at);
    made.panels = panels;
    return made;
}

/* ---- Curves and bars --------------------------------------------------------------------- */

static void begin_panel(qkv_figure *figure, const qkv_scene_panel *p, qkv_axis x, qkv_axis y)
{
    qkv_panel panel = qkv_panel_default();
    panel.title = p->title[0] == '\0' ? NULL : p->title;
    panel.x = x;
    panel.y = y;
    qkv_figure_panel(figure, &panel);
}

static void add_rules(qkv_figure *figure, const qkv_scene_panel *p)
{
    for (size_t i = 0; i < p->rule_count; i++)
        qkv_figure_rule_x(figure, p->rules[i].at, p->rules[i].label,
                          &(qkv_style){.ink = QKV_INK_QUIET, .dash = QKV_DASH_SHORT});
}

/* The ends of the y axis: weights are seen from 0 to 1, other numbers as they need it. */
static qkv_axis value_axis(const qkv_scene_panel *p)
{
    qkv_axis axis = {.label = p->y_label};
    double low = 0, high = 0;
    for (size_t s = 0; s < p->series_count; s++)
        for (size_t i = 0; i < p->series[s].count; i++) {
            double y = p->series[s].y[i];
            if (!isfinite(y)) continue;
            low = fmin(low, y);
            high = fmax(high, y);
        }
    if (low >= 0 && high <= 1.0001 && high > 0.3) {
        axis.high = 1.05;
    }
    return axis;
}

/* What is claimed lies over what is, as a thin line, so that both are seen where they agree. */
static void add_curves(qkv_figure *figure, const qkv_scene_panel *p)
{
    qkv_axis x = {.kind = p->logarithmic ? QKV_AXIS_LOG : QKV_AXIS_LINEAR, .label = p->x_label};
    begin_panel(figure, p, x, value_axis(p));
    add_rules(figure, p);
    for (int claimed = 0; claimed < 2; claimed++)
        for (size_t i = 0; i < p->series_count; i++) {
            const qkv_scene_series *s = &p->series[i];
            if (s->claimed != (claimed == 1)) continue;
            qkv_figure_line(figure, s->x, s->y, s->count,
                            &(qkv_style){.label = s->label,
                                         .ink = claimed ? QKV_INK_TEXT : ink_of(s->group),
                                         .dash = claimed ? QKV_DASH_SOLID : QKV_DASH_BY_INK,
                                         .width = claimed ? 1.1 : 2.5});
        }
}

static void add_bars(qkv_figure *figure, const qkv_scene_panel *p)
{
    qkv_axis x = {.kind = QKV_AXIS_NAMES,
                  .label = p->x_label,
                  .names = p->names,
                  .name_count = p->name_count,
                  .marked_up = true};
    begin_panel(figure, p, x, value_axis(p));
    for (size_t i = 0; i < p->series_count; i++) {
        const qkv_scene_series *s = &p->series[i];
        for (size_t j = 0; j < s->count; j++) {
            double place = (double)j, edges[2] = {place - 0.35, place + 0.35};
            if (s->claimed)
                qkv_figure_points(figure, &place, &s->y[j], 1,
                                  &(qkv_style){.label = j == 0 ? s->label : NULL,
                                               .ink = QKV_INK_TEXT,
                                               .marker = QKV_MARKER_RING,
                                               .size = 11});
            else
                qkv_figure_bars(figure, edges, &s->y[j], 1,
                                &(qkv_style){.label = j == 0 ? s->label : NULL,
                                             .ink = QKV_INK_FIRST,
                                             .opacity = 0.7});
        }
    }
}

/* ---- Heat -------------------------------------------------------------------------------- */

static qkv_status add_heat(qkv_figure *figure, const qkv_scene_panel *p, qkv_error *error)
{
    size_t rows = p->series_count, columns = p->name_count;
    double *values = qkv__allocate(rows * (columns + 1) * sizeof *values);
    const char **names = qkv__allocate(rows * sizeof *names);
    if (values == NULL || names == NULL) {
        qkv__free(values);
        qkv__free(names);
        return qkv__fail_memory(error, rows * (columns + 1) * sizeof *values);
    }
    double *entropy = values + rows * columns;
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < columns; j++) values[i * columns + j] = p->series[i].y[j];
        entropy[i] = qkv__plot_entropy(p->series[i].y, columns);
        names[i] = p->series[i].label;
    }
    qkv_panel panel = qkv_panel_default();
    panel.title = p->title[0] == '\0' ? NULL : p->title;
    panel.x = (qkv_axis){QKV_AXIS_NAMES, p->x_label, 0, 0, p->names, columns, true};
    panel.y = (qkv_axis){QKV_AXIS_NAMES, p->y_label, 0, 0, names, rows, true};
    panel.square = true;
    qkv_figure_panel(figure, &panel);
    qkv_figure_heat(figure, &(qkv_heat){.rows = rows,
                                        .columns = columns,
                                        .values = values,
                                        .label = "weight",
                                        .beside = entropy,
                                        .beside_high = columns > 1 ? log((double)columns) : 1,
                                        .beside_label = "entropy (nats)"});
    qkv__free(values);
    qkv__free(names);
    return QKV_OK;
}

/* ---- Laws -------------------------------------------------------------------------------- */

static void add_law(qkv_figure *figure, const qkv_scene_panel *p)
{
    double top = 0;
    for (size_t i = 0; i < p->series_count; i++)
        for (size_t j = 0; j < p->series[i].count && !p->series[i].line; j++)
            top = fmax(top, p->series[i].y[j]);
    qkv_axis x = {.label = p->x_label}, y = {.label = p->y_label, .high = top > 0 ? 1.1 * top : 1};
    if (p->series_count > 0) {
        x.low = p->series[0].x[0];
        x.high = p->series[0].x[p->series[0].count];
    }
    begin_panel(figure, p, x, y);
    for (size_t i = 0; i < p->series_count; i++) {
        const qkv_scene_series *s = &p->series[i];
        if (s->line)
            qkv_figure_line(
                figure, s->x, s->y, s->count,
                &(qkv_style){.label = s->label, .ink = QKV_INK_SECOND, .dash = QKV_DASH_SOLID});
        else
            qkv_figure_bars(figure, s->x, s->y, s->count,
                            &(qkv_style){.label = s->label, .ink = ink_of(s->group)});
    }
    for (size_t i = 0; i < p->rule_count; i++)
        qkv_figure_rule_x(figure, p->rules[i].at, p->rules[i].label,
                          &(qkv_style){.ink = QKV_INK_TEXT, .dash = QKV_DASH_SHORT});
}

static const double height = 0.8660254; /* of a triangle with sides of 1: sqrt(3)/2 */

static void add_cloud(qkv_figure *figure, const qkv_scene_series *s, bool others)
{
    double x[CLOUD], y[CLOUD];
    size_t count = s->count < CLOUD ? s->count : CLOUD;
    for (size_t j = 0; j < count; j++) {
        double rest = fmax(0, 1 - s->x[j] - s->y[j]);
        x[j] = s->x[j] + rest / 2;
        y[j] = others ? rest * height : 0;
    }
    qkv__plot_discs(figure, x, y, count, ink_of(s->group));
}

/* The triangle of two values and the mean of the others; a line where there are no others. */
static void add_fall(qkv_figure *figure, const qkv_scene_panel *p)
{
    const double corner_x[] = {0, 1, 0.5, 0}, corner_y[] = {0, 0, height, 0};
    bool others = p->name_count > 2;
    qkv_panel panel = qkv_panel_default();
    panel.title = p->title[0] == '\0' ? NULL : p->title;
    panel.x = (qkv_axis){.kind = QKV_AXIS_BLANK, .low = -0.2, .high = 1.2};
    panel.y = (qkv_axis){.kind = QKV_AXIS_BLANK, .low = -0.12, .high = others ? 1 : 0.2};
    panel.square = true;
    qkv_figure_panel(figure, &panel);
    qkv_figure_line(figure, corner_x, corner_y, others ? 4 : 2,
                    &(qkv_style){.ink = QKV_INK_QUIET, .width = 1});
    qkv_figure_text(figure, 0, 0, p->names[1], &(qkv_style){.size = 13, .shift_y = 18});
    qkv_figure_text(figure, 1, 0, p->names[0], &(qkv_style){.size = 13, .shift_y = 18});
    if (others)
        qkv_figure_text(figure, 0.5, height, p->names[2],
                        &(qkv_style){.ink = QKV_INK_QUIET, .shift_y = -8});
    for (size_t i = 0; i < p->series_count; i++) add_cloud(figure, &p->series[i], others);
}

/* ---- The figure -------------------------------------------------------------------------- */

static void say(const qkv_scene *scene, qkv__text *text)
{
    static const char *const words[] = {[QKV_SCENE_CURVES] = "",
                                        [QKV_SCENE_BARS] = "",
                                        [QKV_SCENE_HEAT] = "Weights. ",
                                        [QKV_SCENE_LAW] = "How often which value comes. ",
                                        [QKV_SCENE_FALL] = "Where the output falls. "};
    assert(scene->at != NULL);
    qkv__text_format(text, "%s", words[scene->kind]);
    if (scene->at[0] != '\0') qkv__text_format(text, "Drawn at %s", scene->at);
    if (scene->samples > 0)
        qkv__text_format(text, "%s%llu sample%s", scene->at[0] == '\0' ? "" : ", ",
                         (unsigned long long)scene->samples, scene->samples == 1 ? "" : "s");
    if (scene->at[0] != '\0' || scene->samples > 0) qkv__text_format(text, ".");
}

static double panel_height(const qkv_scene *scene)
{
    switch (scene->kind) {
    case QKV_SCENE_HEAT: return fmin(fmax(30 * (double)scene->panels[0].series_count, 60), 360);
    case QKV_SCENE_LAW: return 120;
    case QKV_SCENE_FALL: return 150;
    case QKV_SCENE_CURVES:
    case QKV_SCENE_BARS: break;
    }
    return 150;
}

static qkv_status add_panel(qkv_figure *figure, const qkv_scene *scene, const qkv_scene_panel *p,
                            qkv_error *error)
{
    switch (scene->kind) {
    case QKV_SCENE_HEAT: return add_heat(figure, p, error);
    case QKV_SCENE_CURVES: add_curves(figure, p); break;
    case QKV_SCENE_BARS: add_bars(figure, p); break;
    case QKV_SCENE_LAW: add_law(figure, p); break;
    case QKV_SCENE_FALL: add_fall(figure, p); break;
    }
    return QKV_OK;
}

static qkv_status draw(const qkv_plot_options *options, const qkv_scene *scene, qkv_figure **figure,
                       qkv_error *error)
{
    qkv__plot plot;
    qkv_figure *made = NULL;
    qkv__text text = {0};
    const qkv__plot_own own = {.title = scene->title};
    qkv_status status = qkv__plot_take(options, &own, &plot, error);
    if (status != QKV_OK) return status;
    if (plot.options.title[0] == '\0') plot.options.title = NULL;
    say(scene, &text);
    size_t columns = scene->panel_count > 3 ? 3 : scene->panel_count;
    qkv__text_append(&text, "", 0);
    status = qkv__plot_begin(&plot, &text, columns, panel_height(scene), &made, error);
    for (size_t i = 0; i < scene->panel_count && status == QKV_OK; i++)
        status = add_panel(made, scene, &scene->panels[i], error);
    qkv__text_free(&text);
    return qkv__plot_end(status, made, figure);
}

qkv_status qkv_plot_claim(const qkv_plot_options *options, const qkv_claim *claim,
                          qkv_figure **figure, qkv_error *error)
{
    if (claim == NULL || figure == NULL)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "claim or figure is NULL");
    if (claim->scene == NULL || claim->scene->panel_count == 0)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "no picture fits the claim on line %d",
                         claim->line);
    qkv__arena arena = {0};
    qkv_scene scene = typeset_scene(&arena, claim->scene);
    qkv_status status =
        arena.failed ? qkv__fail_memory(error, arena.used) : draw(options, &scene, figure, error);
    qkv__arena_free(&arena);
    return status;
}
