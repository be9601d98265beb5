/* Who looks at whom, and what arrives: boxes for tokens, arrows for weights. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "figure/make.h"
#include "plot/attention.h"
#include "plot/plot.h"

enum {
    TOKENS_MOST = 12,
    ROW_HEIGHT = 70, /* pixels, as are the following */
    NUMBER_SIZE = 12,
    NUMBER_GAP = 2,
};

/* Everything that is drawn. */
typedef struct scene {
    qkv__seen seen;
    double *values; /* keys x width */
    size_t width;
    double unit; /* entries are told in multiples of it */
    const char *const *query_names, *const *key_names, *const *axis_names;
} scene;

/* ---- Words ------------------------------------------------------------------------------- */

/* Whether a number of hundredths stands for it: the rest is no more than rounding. */
static bool is_hundredths(double number)
{
    return fabs(number * 100 - round(number * 100)) < 1e-10 * (1 + fabs(number));
}

/* " = " and a vector as a combination of axes, "u_b − 0.5 u_c"; or " ≈ " where that is rounded. */
static void say_vector(const scene *s, const double *vector, qkv__text *text)
{
    bool begun = false, exact = true;
    for (size_t i = 0; i < s->width; i++) exact = exact && is_hundredths(vector[i] / s->unit);
    qkv__text_format(text, exact ? " = " : " ≈ ");
    for (size_t i = 0; i < s->width; i++) {
        double part = vector[i] / s->unit, size = fabs(part);
        if (isnan(part)) {
            qkv__text_format(text, "NaN");
            return;
        }
        if (size < 0.005) continue;
        qkv__text_format(text, "%s", part < 0 ? (begun ? " − " : "−") : begun ? " + " : "");
        if (fabs(size - 1) >= 0.005) qkv__text_format(text, "%s ", qkv__plot_digits(size, 2).text);
        if (s->axis_names != NULL)
            qkv__text_format(text, "%s", s->axis_names[i]);
        else
            qkv__text_format(text, "e_{%zu}", i + 1);
        begun = true;
    }
    if (!begun) qkv__text_format(text, "0");
}

/* A weight, with as many decimals as show that it is below 1. */
static qkv__digits weight_digits(double weight)
{
    int decimals = 2;
    while (decimals < 9 && weight < 1 && 1 - weight < 0.5 * pow(10, -decimals)) decimals++;
    return qkv__plot_digits(weight, decimals);
}

static void say_name(const char *const *names, const char *letter, size_t i, qkv__text *text)
{
    if (names != NULL)
        qkv__text_format(text, "%s", names[i]);
    else
        qkv__text_format(text, "%s_{%zu}", letter, i + 1);
}

/* ---- Boxes and arrows -------------------------------------------------------------------- */

static const double left = 1.7, right = 8.3, wide = 3, across = 10;

/* Rows go down from the top; fewer of them stand in the middle. */
static double row_y(size_t i, size_t count, size_t most)
{
    return (double)(most - 1) / 2 + (double)(count - 1) / 2 - (double)i;
}

static void add_keys(qkv_figure *figure, const scene *s, size_t most)
{
    for (size_t j = 0; j < s->seen.keys; j++) {
        qkv__text text = {0};
        say_name(s->key_names, "x", j, &text);
        if (s->values != NULL) {
            qkv__text_format(&text, "\nv_{%zu}", j + 1);
            say_vector(s, s->values + j * s->width, &text);
        }
        qkv_figure_box(figure, left, row_y(j, s->seen.keys, most), wide, 0.62, text.data,
                       &(qkv_style){.ink = QKV_INK_FIRST});
        qkv__figure_said(figure, &text);
    }
}

static void add_outputs(qkv_figure *figure, const scene *s, size_t most, double *c)
{
    for (size_t i = 0; i < s->seen.queries; i++) {
        qkv__text text = {0};
        const double *weights = s->seen.weights + i * s->seen.keys;
        say_name(s->query_names, "q", i, &text);
        if (s->values != NULL) {
            for (size_t x = 0; x < s->width; x++) c[x] = 0;
            for (size_t j = 0; j < s->seen.keys; j++)
                for (size_t x = 0; x < s->width; x++)
                    c[x] += weights[j] * s->values[j * s->width + x];
            qkv__text_format(&text, "\nc_{%zu}", i + 1);
            say_vector(s, c, &text);
        }
        qkv_figure_box(figure, right, row_y(i, s->seen.queries, most), wide, 0.62, text.data,
                       &(qkv_style){.ink = QKV_INK_THIRD});
        qkv__figure_said(figure, &text);
    }
}

/* Below a hundredth there is no arrow. */
static bool has_arrow(double weight)
{
    return weight >= 0.01;
}

/* Arrows as thick as weights. */
static void add_arrows(qkv_figure *figure, const scene *s, size_t most)
{
    for (size_t i = 0; i < s->seen.queries; i++)
        for (size_t j = 0; j < s->seen.keys; j++) {
            double weight = s->seen.weights[i * s->seen.keys + j];
            if (!has_arrow(weight)) continue;
            qkv_figure_arrow(figure, left + wide / 2, row_y(j, s->seen.keys, most),
                             right - wide / 2, row_y(i, s->seen.queries, most),
                             &(qkv_style){.width = 1 + 7 * weight,
                                          .ink = QKV_INK_SECOND,
                                          .opacity = 0.35 + 0.6 * weight});
        }
}

/* ---- Numbers on arrows ------------------------------------------------------------------- */

/* The number of an arrow, and where on its way it stands: 0 at the key, 1 at the query. */
typedef struct number {
    double weight, start, end; /* the arrow's heights, in rows */
    double at, x, y, width;    /* in pixels, from the middle */
} number;

/* Larger weights choose first; equal ones in the order of rows. */
static void sort_numbers(number *numbers, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        number moved = numbers[i];
        size_t to = i;
        for (; to > 0 && numbers[to - 1].weight < moved.weight; to--) numbers[to] = numbers[to - 1];
        numbers[to] = moved;
    }
}

static size_t collect_numbers(const scene *s, size_t most, number *numbers)
{
    size_t count = 0;
    for (size_t i = 0; i < s->seen.queries; i++)
        for (size_t j = 0; j < s->seen.keys; j++) {
            double weight = s->seen.weights[i * s->seen.keys + j];
            if (!has_arrow(weight)) continue;
            const char *text = weight_digits(weight).text;
            numbers[count++] =
                (number){.weight = weight,
                         .start = row_y(j, s->seen.keys, most),
                         .end = row_y(i, s->seen.queries, most),
                         .width = qkv__figure_measure(text, strlen(text), NUMBER_SIZE, false)};
        }
    sort_numbers(numbers, count);
    return count;
}

/* Whether the number stands clear of the boxes and of the first `placed` numbers. */
static bool stands_clear(const number *n, const number *numbers, size_t placed, double between)
{
    if (n->x < n->width / 2 + NUMBER_GAP || n->x > between - n->width / 2 - NUMBER_GAP)
        return false;
    for (size_t i = 0; i < placed; i++)
        if (fabs(n->x - numbers[i].x) < (n->width + numbers[i].width) / 2 + NUMBER_GAP &&
            fabs(n->y - numbers[i].y) < NUMBER_SIZE + NUMBER_GAP)
            return false;
    return true;
}

/* Whether no other arrow passes near the number's middle, so that it is plain whose it is. */
static bool is_alone(const number *n, const number *arrows, size_t count, double between)
{
    for (size_t i = 0; i < count; i++) {
        double rise = ROW_HEIGHT * (arrows[i].end - arrows[i].start);
        double off = n->y - ROW_HEIGHT * arrows[i].start - n->at * rise;
        bool own = arrows[i].start == n->start && arrows[i].end == n->end;
        if (!own && fabs(off) * between < NUMBER_SIZE / 2.0 * hypot(between, rise)) return false;
    }
    return true;
}

/* Looks along the arrow for a place that is free, from near the token that it leaves, where arrows
 * are apart, on both sides; first for one where it is alone. between: the pixels between the
 * columns of boxes. */
static bool place_number(number *n, const number *numbers, size_t placed, const number *arrows,
                         size_t count, double between)
{
    enum { STEPS = 80 };
    for (int alone = 1; alone >= 0; alone--)
        for (int step = 0; step <= 2 * STEPS; step++) {
            n->at = 0.22 + (step % 2 == 0 ? 1 : -1) * (double)((step + 1) / 2) / STEPS;
            n->x = n->at * between;
            n->y = ROW_HEIGHT * (n->start + n->at * (n->end - n->start));
            if (stands_clear(n, numbers, placed, between) &&
                (!alone || is_alone(n, arrows, count, between)))
                return true;
        }
    return false;
}

/* Numbers that find no place are left out: the smallest ones, whose arrows are the thinnest. */
static void add_numbers(qkv_figure *figure, const scene *s, size_t most)
{
    const double from = left + wide / 2, to = right - wide / 2;
    const double between = qkv__figure_room(figure) * (to - from) / across;
    number arrows[TOKENS_MOST * TOKENS_MOST], numbers[TOKENS_MOST * TOKENS_MOST];
    size_t count = collect_numbers(s, most, arrows), placed = 0;
    for (size_t i = 0; i < count; i++) {
        number n = arrows[i];
        if (!place_number(&n, numbers, placed, arrows, count, between)) continue;
        numbers[placed++] = n;
        qkv_figure_text(figure, from + n.at * (to - from), n.start + n.at * (n.end - n.start),
                        weight_digits(n.weight).text,
                        &(qkv_style){.size = NUMBER_SIZE, .shift_y = 4});
    }
}

static qkv_status draw_scene(const qkv__plot *plot, const scene *s, const qkv__text *subtitle,
                             qkv_figure **figure, qkv_error *error)
{
    size_t most = s->seen.keys > s->seen.queries ? s->seen.keys : s->seen.queries;
    double *c = qkv__allocate_zero((s->width + 1) * sizeof *c);
    if (c == NULL) return qkv__fail_memory(error, (s->width + 1) * sizeof *c);
    qkv_status status =
        qkv__plot_begin(plot, subtitle, 1, ROW_HEIGHT * ((double)most + 0.6), figure, error);
    if (status == QKV_OK) {
        qkv_panel panel = qkv_panel_default();
        panel.x = (qkv_axis){.kind = QKV_AXIS_BLANK, .low = 0, .high = across};
        panel.y = (qkv_axis){.kind = QKV_AXIS_BLANK, .low = -0.5, .high = (double)most + 0.1};
        qkv_figure_panel(*figure, &panel);
        double top = (double)most - 0.25;
        qkv_figure_text(*figure, left, top, "tokens, and what they hand over",
                        &(qkv_style){.ink = QKV_INK_QUIET});
        qkv_figure_text(*figure, right, top, "who looks, and what arrives",
                        &(qkv_style){.ink = QKV_INK_QUIET});
        add_arrows(*figure, s, most);
        add_numbers(*figure, s, most);
        add_keys(*figure, s, most);
        add_outputs(*figure, s, most, c);
    }
    qkv__free(c);
    return status;
}

/* ---- The assignment's example ------------------------------------------------------------ */

/*
 * Orthogonal u_a, u_b, u_c, u_d of norm beta, and the tokens x_1 = u_d + u_b, x_2 = u_a, x_3 = u_c
 * + u_b. Wanted: c_1 = u_b - u_c and c_2 = u_b. K = I; Q takes x_1 to u_c, x_2 to u_d and x_3 to 0;
 * V takes them to u_b, 0 and u_b - u_c. Entries below are in units of beta.
 */
static qkv_status draw_example(const qkv__plot *plot, qkv_figure **figure, qkv_error *error)
{
    static const double keys[3][4] = {{0, 1, 0, 1}, {1, 0, 0, 0}, {0, 1, 1, 0}};
    static const double queries[3][4] = {{0, 0, 1, 0}, {0, 0, 0, 1}, {0, 0, 0, 0}};
    static const double values[3][4] = {{0, 1, 0, 0}, {0, 0, 0, 0}, {0, 1, -1, 0}};
    static const char *const tokens[] = {"x_{1} = u_{d} + u_{b}", "x_{2} = u_{a}",
                                         "x_{3} = u_{c} + u_{b}"};
    static const char *const lookers[] = {"q_{1} = u_{c}", "q_{2} = u_{d}", "q_{3} = 0"};
    static const char *const axes[] = {"u_{a}", "u_{b}", "u_{c}", "u_{d}"};
    double q[3][4], k[3][4], v[3][4], beta = plot->betas[0];
    for (int i = 0; i < 3; i++)
        for (int x = 0; x < 4; x++) {
            q[i][x] = beta * queries[i][x];
            k[i][x] = beta * keys[i][x];
            v[i][x] = beta * values[i][x];
        }
    qkv_view query = qkv_view_dense(QKV_F64, q, 2, (size_t[]){3, 4});
    qkv_view key = qkv_view_dense(QKV_F64, k, 2, (size_t[]){3, 4});
    qkv_attention_options plain = qkv_attention_default();
    plain.scale = 1;
    qkv_plot_attention attention = {.query = &query, .key = &key, .attention = &plain};
    scene s = {.values = &v[0][0],
               .width = 4,
               .unit = beta,
               .query_names = lookers,
               .key_names = tokens,
               .axis_names = axes};
    qkv__text text = {0};
    qkv__text_format(&text,
                     "K, Q and V made by hand: x_{1} is to become u_{b} − u_{c}, and x_{2} is to "
                     "become u_{b}. The u are orthogonal, of norm β = %s. The third query is 0 and "
                     "looks at all tokens alike.",
                     qkv__plot_number(beta).text);
    qkv_status status = qkv__plot_see(&attention, &s.seen, error);
    if (status == QKV_OK) status = draw_scene(plot, &s, &text, figure, error);
    qkv__free(s.seen.weights);
    qkv__text_free(&text);
    return status;
}

/* ---- Any attention ----------------------------------------------------------------------- */

/* Known from the shapes alone: attention over thousands of tokens would be computed in vain. */
static qkv_status check_tokens(const qkv_plot_attention *attention, qkv_error *error)
{
    const qkv_view *views[] = {attention->weights, attention->query, attention->key};
    static const char *const names[] = {"weights", "query", "key"};
    for (int i = 0; i < 3; i++) {
        if (views[i] == NULL || views[i]->rank < 2) continue;
        size_t rows = views[i]->shape[views[i]->rank - 2];
        if (rows > TOKENS_MOST)
            return qkv__fail(error, QKV_ERROR_SHAPE, "%s has %zu rows; expected at most %d",
                             names[i], rows, TOKENS_MOST);
    }
    return QKV_OK;
}

static qkv_status check_scene(const scene *s, const size_t size[3], bool values, qkv_error *error)
{
    if (s->seen.heads != 1 || s->seen.queries > TOKENS_MOST || s->seen.keys > TOKENS_MOST)
        return qkv__fail(error, QKV_ERROR_SHAPE,
                         "there are %s; expected one head, and at most %d of the others",
                         qkv__plot_counts(&s->seen).text, TOKENS_MOST);
    if (values && (size[0] != 1 || size[1] != s->seen.keys || size[2] > 1000))
        return qkv__fail(error, QKV_ERROR_SHAPE,
                         "value has %zu head%s, %zu row%s and a width of %zu; expected a row for "
                         "each key, of which there %s %zu, at most 1000 wide",
                         size[0], size[0] == 1 ? "" : "s", size[1], size[1] == 1 ? "" : "s",
                         size[2], s->seen.keys == 1 ? "is" : "are", s->seen.keys);
    return QKV_OK;
}

static qkv_status draw_attention(const qkv__plot *plot, const qkv_plot_attention *attention,
                                 qkv_figure **figure, qkv_error *error)
{
    size_t size[3] = {1, 0, 0};
    qkv__text text = {0};
    scene s = {.unit = 1,
               .query_names = attention->query_names,
               .key_names = attention->key_names,
               .axis_names = attention->axis_names};
    qkv_status status = check_tokens(attention, error);
    if (status == QKV_OK) status = qkv__plot_see(attention, &s.seen, error);
    if (status == QKV_OK && attention->value != NULL)
        status = qkv__plot_load(attention->value, "value", size, &s.values, error);
    if (status == QKV_OK) status = check_scene(&s, size, s.values != NULL, error);
    s.width = size[2];
    if (s.query_names == NULL && s.seen.queries == s.seen.keys) s.query_names = s.key_names;
    qkv__text_format(&text, "Arrows are as thick as the weights; those under 0.01 are left out.");
    if (status == QKV_OK) status = draw_scene(plot, &s, &text, figure, error);
    qkv__free(s.seen.weights);
    qkv__free(s.values);
    qkv__text_free(&text);
    return status;
}

qkv_status qkv_plot_diagram(const qkv_plot_options *options, const qkv_plot_attention *attention,
                            qkv_figure **figure, qkv_error *error)
{
    static const qkv__plot_own own = {.title = "Who looks at whom, and what arrives",
                                      .betas = {3},
                                      .beta_count = 1,
                                      .one_beta = true};
    qkv__plot plot;
    qkv_figure *made = NULL;
    qkv_status status = qkv__plot_take(options, &own, &plot, error);
    if (status != QKV_OK) return status;
    status = attention == NULL ? draw_example(&plot, &made, error)
                               : draw_attention(&plot, attention, &made, error);
    return qkv__plot_end(status, made, figure);
}
