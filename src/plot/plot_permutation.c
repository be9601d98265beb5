/* The same tokens in another order: two heat maps, each computed by itself. */
#include <assert.h>
#include <math.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "figure/make.h"
#include "plot/attention.h"
#include "plot/plot.h"

enum { TOKENS_MOST = 64 };

/* order, or backwards where it is NULL; checked. */
static qkv_status take_order(const size_t *order, size_t count, size_t taken[TOKENS_MOST],
                             qkv_error *error)
{
    bool there[TOKENS_MOST] = {false};
    for (size_t i = 0; i < count; i++) {
        taken[i] = order == NULL ? count - 1 - i : order[i];
        if (taken[i] >= count || there[taken[i]])
            return qkv__fail(error, QKV_ERROR_ARGUMENT,
                             "order[%zu] is %zu; expected each of 0 to %zu once", i, taken[i],
                             count - 1);
        there[taken[i]] = true;
    }
    return QKV_OK;
}

static void permute_rows(const double *from, size_t count, size_t width, const size_t *order,
                         double *to)
{
    for (size_t i = 0; i < count; i++)
        for (size_t x = 0; x < width; x++) to[i * width + x] = from[order[i] * width + x];
}

/* Queries and keys in doubles, in the order of both. */
typedef struct tokens {
    size_t count, width;
    double *query, *key; /* from an arena */
} tokens;

static qkv_status load_one(const qkv_view *view, const char *name, qkv__arena *arena,
                           size_t size[3], double **numbers, qkv_error *error)
{
    double *loaded = NULL;
    if (view == NULL)
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "there is no %s: weights alone cannot be computed anew", name);
    qkv_status status = qkv__plot_load(view, name, size, &loaded, error);
    if (status != QKV_OK) return status;
    if (size[0] != 1 || size[1] == 0 || size[1] > TOKENS_MOST || size[2] > 100000)
        status = qkv__fail(error, QKV_ERROR_SHAPE,
                           "%s has %zu head%s and %zu row%s; expected one head, 1 to %d rows", name,
                           size[0], size[0] == 1 ? "" : "s", size[1], size[1] == 1 ? "" : "s",
                           TOKENS_MOST);
    *numbers =
        status == QKV_OK ? qkv__arena_array(arena, size[1] * size[2] + 1, sizeof(double)) : NULL;
    if (status == QKV_OK && *numbers == NULL) status = qkv__fail_memory(error, 0);
    for (size_t i = 0; *numbers != NULL && i < size[1] * size[2]; i++) (*numbers)[i] = loaded[i];
    qkv__free(loaded);
    return status;
}

static qkv_status load_tokens(const qkv_plot_attention *attention, qkv__arena *arena, tokens *t,
                              qkv_error *error)
{
    size_t qs[3] = {0}, ks[3] = {0};
    qkv_status status = load_one(attention->query, "query", arena, qs, &t->query, error);
    if (status == QKV_OK) status = load_one(attention->key, "key", arena, ks, &t->key, error);
    if (status == QKV_OK && (qs[1] != ks[1] || qs[2] != ks[2]))
        status = qkv__fail(error, QKV_ERROR_SHAPE,
                           "query is %zu x %zu and key is %zu x %zu; expected the same tokens",
                           qs[1], qs[2], ks[1], ks[2]);
    if (status == QKV_OK) t->count = qs[1], t->width = qs[2];
    return status;
}

static qkv_status see_order(const qkv_plot_attention *attention, const tokens *t,
                            const size_t *order, qkv__arena *arena, qkv__seen *seen,
                            qkv_error *error)
{
    double *q = qkv__arena_array(arena, t->count * t->width + 1, sizeof *q);
    double *k = qkv__arena_array(arena, t->count * t->width + 1, sizeof *k);
    if (q == NULL || k == NULL) return qkv__fail_memory(error, 0);
    permute_rows(t->query, t->count, t->width, order, q);
    permute_rows(t->key, t->count, t->width, order, k);
    qkv_view query = qkv_view_dense(QKV_F64, q, 2, (size_t[]){t->count, t->width});
    qkv_view key = qkv_view_dense(QKV_F64, k, 2, (size_t[]){t->count, t->width});
    qkv_plot_attention moved = {.query = &query, .key = &key, .attention = attention->attention};
    return qkv__plot_see(&moved, seen, error);
}

/* ---- Drawing ----------------------------------------------------------------------------- */

static qkv_status add_panel(qkv_figure *figure, const qkv__seen *seen, const char *title,
                            const char *const *names, const size_t *order, size_t followed,
                            qkv__arena *arena, qkv_error *error)
{
    size_t n = seen->keys, place = 0;
    const char **moved = qkv__arena_array(arena, n, sizeof *moved);
    if (moved == NULL) return qkv__fail_memory(error, 0);
    for (size_t i = 0; i < n; i++) {
        qkv__text text = {0};
        qkv__text_format(&text, "%zu", order[i] + 1);
        moved[i] = names != NULL ? names[order[i]]
                                 : qkv__arena_text(arena, text.data, text.failed ? 0 : text.length);
        qkv__figure_said(figure, &text);
        if (moved[i] == NULL) return qkv__fail_memory(error, 0);
        if (order[i] == followed) place = i;
    }
    qkv_panel panel = qkv_panel_default();
    panel.title = title;
    panel.x = (qkv_axis){QKV_AXIS_NAMES, "keys", 0, 0, moved, n, false};
    panel.y = (qkv_axis){QKV_AXIS_NAMES, "queries", 0, 0, moved, n, false};
    panel.square = true;
    qkv_figure_panel(figure, &panel);
    qkv_figure_heat(
        figure, &(qkv_heat){.rows = n, .columns = n, .values = seen->weights, .label = "weight"});
    qkv_figure_box(figure, (double)(n - 1) / 2, (double)place, (double)n, 1, NULL,
                   &(qkv_style){.ink = QKV_INK_SECOND, .opacity = 0.01, .width = 2});
    return QKV_OK;
}

/* How far the weights after are from those before, moved: max |A'_ij - A_o(i)o(j)|. */
static double largest_difference(const qkv__seen *before, const qkv__seen *after,
                                 const size_t *order)
{
    assert(before->weights != NULL && after->weights != NULL);
    double largest = 0;
    size_t n = before->keys;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double difference =
                fabs(after->weights[i * n + j] - before->weights[order[i] * n + order[j]]);
            if (!(difference <= largest)) largest = difference;
        }
    return largest;
}

/* Sums in another order are rounded otherwise: n weights, each a few units of 2^-53 off. */
static bool is_same(double difference, size_t n)
{
    return difference <= 16 * (double)n * 0x1p-53;
}

static void say(double difference, size_t n, qkv__text *text)
{
    if (is_same(difference, n))
        qkv__text_format(text, "The weights of the tokens in another order are the same weights, "
                               "moved: nothing in attention knows where a token stands. One "
                               "token's row is framed in both.");
    else
        qkv__text_format(text,
                         "The weights of the tokens in another order are not the same weights, "
                         "moved: they differ by up to %s. A mask or a window knows where a token "
                         "stands. One token's row is framed in both.",
                         qkv__plot_digits(difference, difference < 0.001 ? 9 : 3).text);
}

static qkv_status draw_both(const qkv__plot *plot, const qkv_plot_attention *attention,
                            const tokens *t, const size_t *order, qkv__arena *arena,
                            qkv_figure **figure, qkv_error *error)
{
    size_t same[TOKENS_MOST] = {0};
    qkv__seen before = {0}, after = {0};
    qkv__text text = {0};
    for (size_t i = 0; i < t->count; i++) same[i] = i;
    qkv_status status = see_order(attention, t, same, arena, &before, error);
    if (status == QKV_OK) status = see_order(attention, t, order, arena, &after, error);
    if (status == QKV_OK) {
        say(largest_difference(&before, &after, order), t->count, &text);
        status = qkv__plot_begin(plot, &text, 2, 280, figure, error);
    }
    const char *const *names = attention->key_names;
    if (status == QKV_OK)
        status = add_panel(*figure, &before, "before", names, same, 0, arena, error);
    if (status == QKV_OK)
        status = add_panel(*figure, &after, "in another order", names, order, 0, arena, error);
    qkv__text_free(&text);
    qkv__free(before.weights);
    qkv__free(after.weights);
    return status;
}

/* Six words and vectors for them that mean nothing, but differ. */
static qkv_status draw_example(const qkv__plot *plot, qkv__arena *arena, qkv_figure **figure,
                               qkv_error *error)
{
    enum { WORDS = 6, WIDTH = 4 };
    static const char *const words[WORDS] = {"she", "saw", "a", "small", "red", "boat"};
    static const size_t order[WORDS] = {4, 0, 5, 2, 1, 3};
    double q[WORDS * WIDTH], k[WORDS * WIDTH];
    for (int i = 0; i < WORDS * WIDTH; i++) {
        q[i] = 2 * cos(1.3 * i + 0.4 * i * i);
        k[i] = 2 * sin(0.9 * i + 0.7 * i * i);
    }
    tokens t = {WORDS, WIDTH, q, k};
    qkv_plot_attention attention = {.key_names = words};
    return draw_both(plot, &attention, &t, order, arena, figure, error);
}

static qkv_status draw_given(const qkv__plot *plot, const qkv_plot_attention *attention,
                             qkv__arena *arena, qkv_figure **figure, qkv_error *error)
{
    tokens t = {0};
    size_t order[TOKENS_MOST] = {0};
    qkv_status status = load_tokens(attention, arena, &t, error);
    if (status == QKV_OK) status = take_order(attention->order, t.count, order, error);
    if (status == QKV_OK) status = draw_both(plot, attention, &t, order, arena, figure, error);
    return status;
}

qkv_status qkv_plot_permutation(const qkv_plot_options *options,
                                const qkv_plot_attention *attention, qkv_figure **figure,
                                qkv_error *error)
{
    static const qkv__plot_own own = {.title = "The same tokens in another order"};
    qkv__plot plot;
    qkv__arena arena = {0};
    qkv_figure *made = NULL;
    qkv_status status = qkv__plot_take(options, &own, &plot, error);
    if (status != QKV_OK) return status;
    status = attention == NULL ? draw_example(&plot, &arena, &made, error)
                               : draw_given(&plot, attention, &arena, &made, error);
    qkv__arena_free(&arena);
    return qkv__plot_end(status, made, figure);
}
