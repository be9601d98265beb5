/*
 * Every public function that returns a status, with every one of its allocations failing in turn:
 * it returns QKV_ERROR_MEMORY with a message, leaves what it would have returned alone, and frees
 * everything. What a function does is not looked at here. allocations.py compares the table below
 * with the headers.
 *
 *     test_allocations           the tests
 *     test_allocations --list    the names of the functions
 */
#include "support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <qkv/qkv.h>

#include "base/memory.h"
#include "support/cases.h"

/* ---- Inputs ---------------------------------------------------------------------------------- */

static const char document[] = "# A copy\n"
                               "```qkv\n"
                               "problem \"a copy\"\n"
                               "given  n >= 3, beta > 0\n"
                               "keys   k[1..n] orthonormal\n"
                               "values v[1..n]\n"
                               "pick   a in 1..n\n"
                               "c = attend(beta*k[a], k, v)\n"
                               "claim copy: c ~ v[a]           as beta -> inf\n"
                               "claim half: c.weight[a] > 1/2  at n = 4, beta = 3\n"
                               "claim: c.weight[a] > 1/2       expect refuted\n"
                               "claim: c = = v[a]\n"
                               "```\n";
static const char noisy[] = "given  n >= 3, alpha > 0\n"
                            "means  mu[1..n] orthonormal\n"
                            "values v[1..n]\n"
                            "pick   a, b distinct in 1..n\n"
                            "keys   k[i] ~ normal(mu[i], alpha*I)\n"
                            "c = attend(beta*(mu[a] + mu[b]), k, v)\n"
                            "claim: P(c.weight[a] < 0.1) < 1/2  at n = 4, beta = 3, alpha = 0.1\n";

static char folder[] = "/tmp/qkv-allocations-XXXXXX";
static char path_npy[64], path_safetensors[64];

static double numbers[8 * 8];

static qkv_view view_of(size_t rows, size_t columns)
{
    const size_t shape[] = {rows, columns};
    return qkv_view_dense(QKV_F64, numbers, 2, shape);
}

/* The same with memory of its own for results. */
static qkv_view result_of(size_t rows, size_t columns)
{
    static double results[8][8 * 8];
    static int next;
    const size_t shape[] = {rows, columns};
    return qkv_view_dense(QKV_F64, results[next++ % 8], 2, shape);
}

/* ---- Calls: one per function ------------------------------------------------------------------
 */

typedef qkv_status (*call)(qkv_error *error);

static qkv_status attention(qkv_error *error)
{
    qkv_view q = view_of(3, 4), k = view_of(5, 4), v = view_of(5, 2), c = result_of(3, 2);
    qkv_attention_options options = qkv_attention_default();
    options.weights = result_of(3, 5);
    return qkv_attention(&q, &k, &v, &c, &options, error);
}

static qkv_status dropout_mask(qkv_error *error)
{
    static unsigned char kept[3 * 5];
    const size_t shape[] = {3, 5};
    qkv_view mask = qkv_view_dense(QKV_BOOL, kept, 2, shape);
    return qkv_dropout_mask(0.5, 1, &mask, error);
}

static qkv_status set_threads(qkv_error *error)
{
    return qkv_set_threads(0, error);
}

static qkv_status attention_gradient(qkv_error *error)
{
    qkv_view q = view_of(3, 4), k = view_of(5, 4), v = view_of(5, 2), g = view_of(3, 2);
    qkv_view dq = result_of(3, 4), dk = result_of(5, 4), dv = result_of(5, 2);
    return qkv_attention_gradient(&q, &k, &v, &g, &dq, &dk, &dv, NULL, error);
}

static qkv_status cache_append(qkv_error *error)
{
    qkv_cache cache = {.key = result_of(5, 4), .value = result_of(5, 2)};
    qkv_view k = view_of(2, 4), v = view_of(2, 2);
    return qkv_cache_append(&cache, &k, &v, error);
}

static qkv_status cache_attend(qkv_error *error)
{
    qkv_cache cache = {.key = view_of(5, 4), .value = view_of(5, 2), .length = 3};
    qkv_view q = view_of(1, 4), c = result_of(1, 2);
    return qkv_cache_attend(&cache, &q, &c, NULL, error);
}

static qkv_status self_attention(qkv_error *error)
{
    qkv_view x = view_of(3, 4), c = result_of(3, 4);
    qkv_self_attention_weights weights = {.query = view_of(4, 4), .heads = 2};
    return qkv_self_attention(&x, &weights, &c, NULL, error);
}

static qkv_status heads_mean(qkv_error *error)
{
    const size_t shape[] = {2, 3, 4};
    qkv_view heads = qkv_view_dense(QKV_F64, numbers, 3, shape), mean = result_of(3, 4);
    return qkv_heads_mean(&heads, &mean, error);
}

static qkv_status split_heads(qkv_error *error)
{
    qkv_view packed = view_of(3, 4), split;
    return qkv_view_split_heads(&packed, 2, &split, error);
}

static qkv_status view_copy(qkv_error *error)
{
    qkv_view from = view_of(3, 4), to = result_of(3, 4);
    return qkv_view_copy(&from, &to, error);
}

/* What a call returned, and whether it left alone what it did not set. */
static qkv_status end_tensor(qkv_status status, qkv_tensor *tensor)
{
    assert_int_equal(tensor != NULL, status == QKV_OK);
    qkv_tensor_free(&tensor);
    return status;
}

static qkv_status tensor_create(qkv_error *error)
{
    qkv_tensor *tensor = NULL;
    const size_t shape[] = {3, 4};
    qkv_status status = qkv_tensor_create(QKV_F32, 2, shape, &tensor, error);
    return end_tensor(status, tensor);
}

static qkv_status tensor_from_text(qkv_error *error)
{
    qkv_tensor *tensor = NULL;
    qkv_status status = qkv_tensor_from_text("[[1, 2], [3, 4]]", &tensor, error);
    return end_tensor(status, tensor);
}

static qkv_status tensor_read(qkv_error *error)
{
    qkv_tensor *tensor = NULL;
    qkv_status status = qkv_tensor_read(path_npy, NULL, &tensor, error);
    return end_tensor(status, tensor);
}

static qkv_status tensor_read_named(qkv_error *error)
{
    qkv_tensor *tensor = NULL;
    qkv_status status = qkv_tensor_read(path_safetensors, "second", &tensor, error);
    return end_tensor(status, tensor);
}

static qkv_status tensor_parse(qkv_error *error)
{
    char bytes[1024];
    FILE *stream = fopen(path_npy, "rb");
    assert_non_null(stream);
    size_t count = fread(bytes, 1, sizeof bytes, stream);
    fclose(stream);
    qkv_tensor *tensor = NULL;
    qkv_status status = qkv_tensor_parse(bytes, count, NULL, &tensor, error);
    return end_tensor(status, tensor);
}

enum { OUTPUTS = 3 };

static void fill_outputs(qkv_tensor_output *outputs)
{
    outputs[0] = (qkv_tensor_output){.path = path_npy, .view = view_of(3, 4)};
    outputs[1] =
        (qkv_tensor_output){.path = path_safetensors, .name = "first", .view = view_of(2, 4)};
    outputs[2] =
        (qkv_tensor_output){.path = path_safetensors, .name = "second", .view = view_of(3, 2)};
}

static qkv_status tensor_write(qkv_error *error)
{
    qkv_tensor_output outputs[OUTPUTS];
    fill_outputs(outputs);
    return qkv_tensor_write(outputs, OUTPUTS, error);
}

static qkv_status tensor_write_check(qkv_error *error)
{
    qkv_tensor_output outputs[OUTPUTS];
    fill_outputs(outputs);
    return qkv_tensor_write_check(outputs, OUTPUTS, error);
}

static qkv_status end_report(qkv_status status, qkv_report *report)
{
    assert_int_equal(report != NULL, status == QKV_OK);
    qkv_report_free(&report);
    return status;
}

static qkv_status check(qkv_error *error)
{
    qkv_report *report = NULL;
    qkv_status status = qkv_check("a.md", document, strlen(document), &report, error);
    return end_report(status, report);
}

static qkv_status explain(qkv_error *error)
{
    qkv_report *report = NULL;
    qkv_status status = qkv_explain("a.md", document, strlen(document), NULL, &report, error);
    return end_report(status, report);
}

static qkv_status check_with(qkv_error *error)
{
    qkv_report *report = NULL;
    qkv_check_options options = qkv_check_options_default();
    qkv_status status =
        qkv_check_with("a.md", document, strlen(document), &options, &report, error);
    return end_report(status, report);
}

static qkv_status explain_with(qkv_error *error)
{
    qkv_report *report = NULL;
    qkv_check_options options = qkv_check_options_default();
    qkv_status status =
        qkv_explain_with("a.md", document, strlen(document), NULL, &options, &report, error);
    return end_report(status, report);
}

static qkv_status sample(qkv_error *error)
{
    qkv_samples *samples = NULL;
    qkv_sample_options options = qkv_sample_options_default();
    options.samples = 1000;
    options.threads = 1;
    qkv_status status = qkv_sample("a.qkv", noisy, strlen(noisy), &options, &samples, error);
    assert_int_equal(samples != NULL, status == QKV_OK);
    qkv_samples_free(&samples);
    return status;
}

static qkv_status samples_draw(qkv_error *error)
{
    double rows[64];
    qkv_samples *samples = NULL;
    qkv_sample_options options = qkv_sample_options_default();
    options.samples = 1000;
    options.threads = 1;
    qkv_status status = qkv_sample("a.qkv", noisy, strlen(noisy), &options, &samples, error);
    if (status == QKV_OK) {
        assert_true(qkv_samples_row_count(samples) * 4 <= 64);
        status = qkv_samples_draw(samples, 0, 4, rows, error);
    }
    qkv_samples_free(&samples);
    return status;
}

static qkv_status with_html(qkv_error *error, bool failure)
{
    qkv_html *html = NULL;
    qkv_report *report = NULL;
    qkv_picture page = {.data = NULL};
    qkv_status status = qkv_html_create(NULL, &html, error);
    if (status == QKV_OK && failure) status = qkv_html_add_failure(html, "b.md", "gone", error);
    if (status == QKV_OK && !failure)
        status = qkv_explain("a.md", document, strlen(document), NULL, &report, error);
    if (status == QKV_OK && !failure)
        status = qkv_html_add(html, "a.md", document, strlen(document), report, error);
    if (status == QKV_OK) status = qkv_html_render(html, &page, error);
    if (status == QKV_OK) qkv_picture_free(&page);
    qkv_report_free(&report);
    qkv_html_free(&html);
    return status;
}

static qkv_status html_add(qkv_error *error)
{
    return with_html(error, false);
}

static qkv_status html_add_failure(qkv_error *error)
{
    return with_html(error, true);
}

static qkv_status notation(qkv_error *error)
{
    qkv_status status = QKV_OK;
    for (int scripts = 0; scripts < 2 && status == QKV_OK; scripts++) {
        qkv_picture words = {.data = NULL};
        status = qkv_notation("v[a] - e^beta >= 1/2", scripts == 1, &words, error);
        if (status == QKV_OK) qkv_picture_free(&words);
    }
    return status;
}

static qkv_status article_section(qkv_error *error)
{
    static const qkv_article kinds[] = {QKV_ARTICLE_LATEX, QKV_ARTICLE_MARKDOWN};
    qkv_report *report = NULL;
    qkv_status status = qkv_explain("a.md", document, strlen(document), NULL, &report, error);
    for (size_t i = 0; i < 2 && status == QKV_OK; i++) {
        qkv_picture section = {.data = NULL};
        status = qkv_article_section(kinds[i], "a.md", document, strlen(document), report, &section,
                                     error);
        if (status == QKV_OK) qkv_picture_free(&section);
    }
    qkv_report_free(&report);
    return status;
}

/* A key, an answer, and the reports of a student and of the class. */
static qkv_status grade(qkv_error *error)
{
    static const char key_text[] = "keys k[1..2] orthonormal\nvalues v[1..2]\n"
                                   "c = attend(beta*k[1], k, v)\n"
                                   "claim a: c.weight[1] > c.weight[2] for beta > 0\n";
    static const char answer[] = "claim a: c.weight[2] < c.weight[1] for beta > 0\n";
    qkv_key *key = NULL;
    qkv_grade *marks = NULL;
    qkv_picture page = {.data = NULL};
    qkv_class_row row = {.name = "a"};
    qkv_status status = qkv_key_read("key.qkv", key_text, strlen(key_text), 0.0, &key, error);
    if (status == QKV_OK)
        status = qkv_grade_document(key, "a.qkv", answer, strlen(answer), &marks, error);
    if (status == QKV_OK) status = qkv_html_grade(key, "a", marks, &page, error);
    if (status == QKV_OK) qkv_picture_free(&page);
    if (status == QKV_OK) {
        row.answers = qkv_grade_answer(marks, 0);
        status = qkv_html_class(key, &row, 1, &page, error);
    }
    if (status == QKV_OK) qkv_picture_free(&page);
    qkv_grade_free(&marks);
    qkv_key_free(&key);
    return status;
}

static qkv_status end_figure(qkv_status status, qkv_figure *figure, qkv_error *error)
{
    static const qkv_picture_format formats[] = {QKV_PICTURE_SVG, QKV_PICTURE_TEXT};
    assert_int_equal(figure != NULL, status == QKV_OK);
    for (size_t i = 0; i < 2 && status == QKV_OK; i++) {
        qkv_picture picture = {.data = NULL};
        status = qkv_figure_render(figure, formats[i], 1.0, &picture, error);
        if (status == QKV_OK) qkv_picture_free(&picture);
    }
    qkv_figure_free(&figure);
    return status;
}

/* Every kind of mark. */
static qkv_status figure_create(qkv_error *error)
{
    static const double x[] = {1, 2, 3}, y[] = {1, 3, 2}, parts[] = {1, 1, 1, 2, 2, 2};
    static const qkv_style styles[] = {{.label = "first"}, {.label = "second"}};
    qkv_figure_options options = qkv_figure_default();
    qkv_figure *figure = NULL;
    options.title = "title";
    options.subtitle = "subtitle";
    qkv_status status = qkv_figure_create(&options, &figure, error);
    if (status != QKV_OK) return end_figure(status, figure, error);
    qkv_panel panel = qkv_panel_default();
    panel.title = "panel";
    panel.x.label = "x";
    qkv_figure_panel(figure, &panel);
    qkv_figure_line(figure, x, y, 3, styles);
    qkv_figure_points(figure, x, y, 3, styles + 1);
    qkv_figure_band(figure, x, x, y, 3, NULL);
    qkv_figure_stack(figure, x, 3, parts, 2, styles);
    qkv_figure_bars(figure, x, y, 2, NULL);
    qkv_figure_rule_x(figure, 2, "here", NULL);
    qkv_figure_rule_y(figure, 2, "there", NULL);
    qkv_figure_text(figure, 1, 1, "text", NULL);
    qkv_figure_arrow(figure, 1, 1, 2, 2, NULL);
    qkv_figure_box(figure, 1, 1, 1, 1, "box", NULL);
    qkv_figure_panel(figure, &panel);
    qkv_figure_heat(figure, &(qkv_heat){.rows = 1, .columns = 3, .values = x, .label = "heat"});
    return end_figure(status, figure, error);
}

static qkv_plot_options plot_options(void)
{
    qkv_plot_options options = qkv_plot_default();
    options.samples = 1000;
    return options;
}

/* The plot of that name from the table, which has them all. */
static qkv_status draw(const char *name, qkv_error *error)
{
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    qkv_plot_options options = plot_options();
    qkv_view q = view_of(3, 4), k = view_of(5, 4);
    qkv_plot_attention heat = {.query = &q, .key = &k, .key_names = names};
    qkv_figure *figure = NULL;
    size_t count;
    const qkv_plot *plots = qkv_plots(&count), *plot = NULL;
    for (size_t i = 0; i < count; i++)
        if (strcmp(plots[i].name, name) == 0) plot = &plots[i];
    assert_non_null(plot);
    const bool example = (plot->takes & QKV_PLOT_HAS_EXAMPLE) != 0;
    qkv_status status = plot->of_laws != NULL
                            ? plot->of_laws(&options, &figure, error)
                            : plot->of_attention(&options, example ? NULL : &heat, &figure, error);
    return end_figure(status, figure, error);
}

#define PLOT(name)                                                                                 \
    static qkv_status plot_##name(qkv_error *error)                                                \
    {                                                                                              \
        return draw(#name, error);                                                                 \
    }
PLOT(key)
PLOT(weights)
PLOT(law)
PLOT(fall)
PLOT(error)
PLOT(heat)
PLOT(diagram)
PLOT(permutation)

static qkv_status plot_claim(qkv_error *error)
{
    qkv_report *report = NULL;
    qkv_figure *figure = NULL;
    qkv_plot_options options = plot_options();
    qkv_status status = qkv_explain("a.md", document, strlen(document), NULL, &report, error);
    if (status != QKV_OK) return status;
    status = qkv_plot_claim(&options, qkv_report_claim(report, 0), &figure, error);
    status = end_figure(status, figure, error);
    qkv_report_free(&report);
    return status;
}

static qkv_status with_sampler(qkv_error *error)
{
    static const double coefficients[] = {1, 1, 0};
    static const qkv_lab_quantity quantities[] = {
        {.kind = QKV_LAB_WEIGHT, .bins = 4, .low = 0, .high = 1, .quantiles = true}};
    double rows[4], value;
    uint64_t counts[6];
    qkv_lab_sampler *sampler = NULL;
    qkv_lab_model model = qkv_lab_model_default();
    qkv_lab_options options = qkv_lab_options_default();
    model.keys = 3;
    model.noise.alpha = 0.5;
    model.coefficients = coefficients;
    options.quantities = quantities;
    options.quantity_count = 1;
    options.threads = 1;
    qkv_status status = qkv_lab_sampler_create(&model, &options, &sampler, error);
    assert_int_equal(sampler != NULL, status == QKV_OK);
    if (status == QKV_OK) status = qkv_lab_sampler_run(sampler, 1000, error);
    if (status == QKV_OK) status = qkv_lab_sampler_draw(sampler, 0, 4, rows, error);
    if (status == QKV_OK) status = qkv_lab_sampler_histogram(sampler, 0, counts, error);
    if (status == QKV_OK) status = qkv_lab_sampler_quantile(sampler, 0, 0.5, &value, error);
    qkv_lab_sampler_free(&sampler);
    return status;
}

static qkv_status sampler_add_sums(qkv_error *error)
{
    static const double coefficients[] = {0.5, 0.5, 0.0}, sums[1024];
    const qkv_lab_quantity quantities[] = {{.kind = QKV_LAB_WEIGHT}};
    qkv_lab_sampler *sampler = NULL;
    qkv_lab_model model = qkv_lab_model_default();
    qkv_lab_options options = qkv_lab_options_default();
    model.keys = 3;
    model.noise.alpha = 0.5;
    model.coefficients = coefficients;
    options.quantities = quantities;
    options.quantity_count = 1;
    options.threads = 1;
    qkv_status status = qkv_lab_sampler_create(&model, &options, &sampler, error);
    if (status == QKV_OK) status = qkv_lab_sampler_add_sums(sampler, 1, sums, error);
    qkv_lab_sampler_free(&sampler);
    return status;
}

static qkv_law_options law_options(void)
{
    qkv_law_options options = qkv_law_default();
    options.keys = 5;
    options.beta = 3.0;
    return options;
}

static qkv_status law_compute(qkv_error *error)
{
    qkv_law law;
    qkv_law_options options = law_options();
    return qkv_law_compute(&options, &law, error);
}

static qkv_status law_enclose(qkv_error *error)
{
    qkv_law_bounds bounds;
    qkv_law_options options = law_options();
    return qkv_law_enclose(&options, &bounds, error);
}

static qkv_status law_least_beta(qkv_error *error)
{
    qkv_least_beta least;
    qkv_law_options options = law_options();
    return qkv_law_least_beta(&options, 0.1, &least, error);
}

static qkv_status law_best_beta(qkv_error *error)
{
    double beta;
    qkv_law law;
    qkv_law_options options = law_options();
    return qkv_law_best_beta(&options, &beta, &law, error);
}

static qkv_status law_crossings(qkv_error *error)
{
    double beta[4];
    size_t count;
    bool better;
    qkv_law_options options = law_options();
    return qkv_law_crossings(&options, QKV_DESIGN_HEADS, beta, 4, &count, &better, error);
}

static const struct {
    const char *name; /* of the function, and after a blank of the others that the call needs */
    call make;
} calls[] = {
    {"qkv_attention", attention},
    {"qkv_attention_gradient", attention_gradient},
    {"qkv_dropout_mask", dropout_mask},
    {"qkv_set_threads", set_threads},
    {"qkv_cache_append", cache_append},
    {"qkv_cache_attend", cache_attend},
    {"qkv_self_attention", self_attention},
    {"qkv_heads_mean", heads_mean},
    {"qkv_view_split_heads", split_heads},
    {"qkv_view_copy", view_copy},
    {"qkv_tensor_create", tensor_create},
    {"qkv_tensor_from_text", tensor_from_text},
    {"qkv_tensor_write", tensor_write}, /* what the next three read */
    {"qkv_tensor_write_check", tensor_write_check},
    {"qkv_tensor_read", tensor_read},
    {"qkv_tensor_read", tensor_read_named},
    {"qkv_tensor_parse", tensor_parse},
    {"qkv_check", check},
    {"qkv_explain", explain},
    {"qkv_check_with", check_with},
    {"qkv_explain_with", explain_with},
    {"qkv_sample", sample},
    {"qkv_samples_draw qkv_sample", samples_draw},
    {"qkv_article_section qkv_explain", article_section},
    {"qkv_html_add qkv_html_create qkv_html_render qkv_explain", html_add},
    {"qkv_key_read qkv_grade_document qkv_html_grade qkv_html_class", grade},
    {"qkv_html_add_failure", html_add_failure},
    {"qkv_figure_create qkv_figure_render", figure_create},
    {"qkv_notation", notation},
    {"qkv_plot_key", plot_key},
    {"qkv_plot_weights", plot_weights},
    {"qkv_plot_law", plot_law},
    {"qkv_plot_fall", plot_fall},
    {"qkv_plot_error", plot_error},
    {"qkv_plot_heat", plot_heat},
    {"qkv_plot_diagram", plot_diagram},
    {"qkv_plot_permutation", plot_permutation},
    {"qkv_plot_claim qkv_explain", plot_claim},
    {"qkv_lab_sampler_run qkv_lab_sampler_create qkv_lab_sampler_draw qkv_lab_sampler_histogram "
     "qkv_lab_sampler_quantile",
     with_sampler},
    {"qkv_lab_sampler_add_sums qkv_lab_sampler_create", sampler_add_sums},
    {"qkv_law_compute", law_compute},
    {"qkv_law_enclose", law_enclose},
    {"qkv_law_least_beta", law_least_beta},
    {"qkv_law_best_beta", law_best_beta},
    {"qkv_law_crossings", law_crossings},
};
enum { CALL_COUNT = sizeof calls / sizeof calls[0] };

/* ---- The tests ------------------------------------------------------------------------------- */

/* What a build without FLINT or md4c does not offer. */
static bool is_offered(call make)
{
    return make(NULL) != QKV_ERROR_UNSUPPORTED;
}

/* Allocation number `at`, from 0, fails. Returns false once there is none. */
static bool fail_one(const char *name, call make, long at)
{
    qkv_error error = {.message = ""};
    const long before = qkv__memory_live();
    qkv__memory_fail_after(at);
    const qkv_status status = make(&error);
    const bool failed = qkv__memory_fail_after(-1) < 0;
    if (qkv__memory_live() != before)
        fail_msg("%s: %ld blocks leaked when allocation %ld failed", name,
                 qkv__memory_live() - before, at);
    if (!failed) {
        check_ok(status, &error);
        return false;
    }
    if (status != QKV_ERROR_MEMORY || error.status != status ||
        strstr(error.message, "memory") == NULL)
        fail_msg("%s: status %d, \"%s\" when allocation %ld failed", name, (int)status,
                 error.message, at);
    return true;
}

static void test_call(void **state)
{
    const size_t index = *(const size_t *)*state;
    qkv_error error = {.message = ""};
    if (!is_offered(calls[index].make)) return;
    check_ok(calls[index].make(&error), &error);
    long at = 0, step = 1;
    while (fail_one(calls[index].name, calls[index].make, at)) {
        if (at >= 8) step = cases_step(); /* the first ones in any case */
        at += step;
    }
    print_message("# %s: %ld allocations\n", calls[index].name, at);
}

static int make_folder(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) numbers[i] = sin((double)i);
    if (mkdtemp(folder) == NULL) return 1;
    snprintf(path_npy, sizeof path_npy, "%s/a.npy", folder);
    snprintf(path_safetensors, sizeof path_safetensors, "%s/b.safetensors", folder);
    return 0;
}

/* No temporary file is left: the folder can be removed. */
static int remove_folder(void **state)
{
    (void)state;
    unlink(path_npy);
    unlink(path_safetensors);
    return rmdir(folder);
}

int main(int count, char **words)
{
    static struct CMUnitTest tests[CALL_COUNT];
    static size_t indexes[CALL_COUNT];
    for (size_t i = 0; i < CALL_COUNT; i++) {
        indexes[i] = i;
        tests[i] = (struct CMUnitTest){
            .name = calls[i].name, .test_func = test_call, .initial_state = &indexes[i]};
        if (count > 1 && strcmp(words[1], "--list") == 0) puts(calls[i].name);
    }
    if (count > 1) return 0;
    return cmocka_run_group_tests_name("allocations", tests, make_folder, remove_folder);
}
