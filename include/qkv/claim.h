/*
 * Claims about attention, checked.
 *
 * A document (plain text, or Markdown with fenced ```qkv blocks) declares vectors, builds queries
 * and attention from them, and claims things. Each claim gets a verdict:
 *
 *     proved      true for everything the document allows, by the exact or the ball engine
 *     refuted     false; the correct value is given
 *     supported   no counterexample was found; not a proof
 *     undecided   no engine could settle it; the reason says what was missing
 *
 *     qkv_report *report = NULL;
 *     qkv_error error;
 *     if (qkv_check("answers.md", text, length, &report, &error) != QKV_OK) ...
 *     for (size_t i = 0; i < qkv_report_claim_count(report); i++) {
 *         const qkv_claim *claim = qkv_report_claim(report, i);
 *         printf("%d %s %s\n", claim->line, qkv_verdict_name(claim->verdict), claim->found);
 *     }
 *     qkv_report_free(&report);
 */
#ifndef QKV_CLAIM_H
#define QKV_CLAIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <qkv/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum qkv_verdict {
    QKV_UNDECIDED = 0,
    QKV_PROVED = 1,
    QKV_REFUTED = 2,
    QKV_SUPPORTED = 3,
} qkv_verdict;

/* "undecided", "proved", "refuted", "supported". */
QKV_API const char *qkv_verdict_name(qkv_verdict verdict);

/* One step of a derivation: a title, and lines that belong together. */
typedef struct qkv_step {
    const char *title;
    size_t line_count;
    const char *const *lines; /* "c.weight[a] = e^beta/(n - 2 + 2*e^beta)", in aligned columns */
} qkv_step;

/*
 * The data behind a claim's figure: panels of one kind, to be drawn by qkv_plot_claim (plot.h).
 * It is an illustration, computed in doubles, and no verdict depends on it. `at` gives the numbers
 * chosen for parameters that the claim leaves open.
 */
typedef enum qkv_scene_kind {
    QKV_SCENE_CURVES = 1, /* lines over a parameter */
    QKV_SCENE_BARS = 2,   /* one number per name: y[i] belongs to names[i] */
    QKV_SCENE_HEAT = 3,   /* weights: one series per row, y[i] is that of the key names[i] */
    QKV_SCENE_LAW = 4,    /* histograms of samples: y[i] is the density from x[i] to x[i + 1]; and
                             the exact density as a line, if it is known */
    QKV_SCENE_FALL = 5,   /* where outputs fall: x and y are the weights of names[0] and names[1],
                             and names[2], if there is one, stands for all other keys */
} qkv_scene_kind;

typedef struct qkv_scene_series {
    const char *label;
    size_t group; /* the actual and the claimed series of one quantity share a group */
    bool claimed; /* the claimed numbers; otherwise the actual ones */
    bool line;    /* for LAW: points of a curve, not bars */
    size_t count; /* of y */
    const double *x, *y;
} qkv_scene_series;

typedef struct qkv_scene_rule {
    double at; /* on the x axis */
    const char *label;
} qkv_scene_rule;

typedef struct qkv_scene_panel {
    const char *title, *x_label, *y_label; /* may be "" */
    bool logarithmic;                      /* the x axis */
    size_t series_count, rule_count, name_count;
    const qkv_scene_series *series;
    const qkv_scene_rule *rules;
    const char *const *names;
} qkv_scene_panel;

typedef struct qkv_scene {
    qkv_scene_kind kind;
    const char *title;
    const char *at;   /* "n = 10": chosen for the figure; may be "" */
    uint64_t samples; /* for LAW and FALL; otherwise 0 */
    size_t panel_count;
    const qkv_scene_panel *panels;
} qkv_scene;

/* One claim and its verdict. Strings are never NULL and live as long as the report. */
typedef struct qkv_claim {
    int line;            /* in the document, from 1 */
    int last_line;       /* where it ends, including its conditions */
    const char *problem; /* the title of its problem, "" for none */
    const char *name;    /* the label after `claim`, "" for none */
    const char *claim;   /* as written */
    qkv_verdict verdict;
    const char *engine; /* "exact", "ball", "search", "sample"; "" if undecided */
    const char *found;  /* the correct value: limit, formula or enclosure; may be "" */
    const char *reason; /* one or two plain sentences */
    bool has_expectation;
    qkv_verdict expected; /* of `expect refuted` */
    size_t replayed;      /* concrete examples on which a second reading of the document agrees with
                             the verdict; 0 if that reading cannot try the claim */
    bool disputed;        /* undecided because the two readings disagree: please report it */
    bool accepted;        /* supported is good enough: see qkv_report_accept_supported */
    size_t step_count;    /* of its derivation; 0 from qkv_check */
    const qkv_step *steps;
    const qkv_scene *scene; /* NULL from qkv_check, and if there is no figure */
} qkv_claim;

/* An error in the text; claims that depend on it have no verdict. */
typedef struct qkv_complaint {
    int line, column;    /* from 1; columns count characters */
    const char *message; /* what was found and what was expected */
    const char *text;    /* the line itself */
    int caret;           /* the column of `text` that the complaint points at */
} qkv_complaint;

typedef struct qkv_report qkv_report;

/* name: the document's name in messages; its ending distinguishes Markdown from plain text. */
QKV_API qkv_status qkv_check(const char *name, const char *text, size_t length, qkv_report **report,
                             qkv_error *error);

/* The engines that can be switched off. Exact algebra cannot. */
typedef enum qkv_engine {
    QKV_ENGINE_BALL = 1,   /* interval arithmetic: proofs at fixed parameters and over ranges */
    QKV_ENGINE_SEARCH = 2, /* the search for counterexamples, where there is no proof */
    QKV_ENGINE_SAMPLE = 4, /* Monte Carlo, where no integral is known */
} qkv_engine;

/*
 * Take a struct from qkv_check_options_default(). Zero means the default, given after the field.
 * The options never change a verdict into another one: they only leave claims undecided.
 */
typedef struct qkv_check_options {
    size_t struct_size;
    unsigned without; /* none. Engines that may not decide: a sum of qkv_engine constants */
    double seconds;   /* no limit. After so many, claims that are not yet begun stay undecided, and
                         no search or sampling begins. A claim under way is finished */
    int threads;      /* 1. For sampling; the results do not depend on it */
} qkv_check_options;

QKV_API qkv_check_options qkv_check_options_default(void);

/* qkv_check with options, which may be NULL. */
QKV_API qkv_status qkv_check_with(const char *name, const char *text, size_t length,
                                  const qkv_check_options *options, qkv_report **report,
                                  qkv_error *error);

/* Whether qkv_check reads a document as Markdown: by the ending of its name or, if that is
 * unknown, by its contents. */
QKV_API bool qkv_is_markdown(const char *name, const char *text, size_t length);

QKV_API size_t qkv_report_claim_count(const qkv_report *report);
QKV_API const qkv_claim *qkv_report_claim(const qkv_report *report, size_t index);
QKV_API size_t qkv_report_complaint_count(const qkv_report *report);
QKV_API const qkv_complaint *qkv_report_complaint(const qkv_report *report, size_t index);

/* Lets supported claims pass, unless they expect another verdict. */
QKV_API void qkv_report_accept_supported(qkv_report *report);

/* Whether the claim came out as expected: proved, or as `expect` says. */
QKV_API bool qkv_claim_passes(const qkv_claim *claim);

QKV_API void qkv_report_free(qkv_report **report);

/* ---- Derivations ----------------------------------------------------------------------------- */

/* Which claims: all of them if both are zero. Otherwise those on the line, which may be any line of
 * a claim of several lines; if there is none, those with the label. */
typedef struct qkv_selection {
    int line;          /* from 1; 0: not by line */
    const char *label; /* of `claim LABEL:`; "find" and "law" for questions; NULL: not by label */
} qkv_selection;

/*
 * Decides only the chosen claims, and derives each step by step: the givens and definitions; the
 * scores, weights and output of every attention in it; the limit or the numbers; both
 * sides; the verdict. The report has these claims, with steps. which may be NULL: all.
 *
 * QKV_ERROR_ARGUMENT if the document has no such claim; the message names those nearby.
 */
QKV_API qkv_status qkv_explain(const char *name, const char *text, size_t length,
                               const qkv_selection *which, qkv_report **report, qkv_error *error);

/* The same with options, which may be NULL. */
QKV_API qkv_status qkv_explain_with(const char *name, const char *text, size_t length,
                                    const qkv_selection *which, const qkv_check_options *options,
                                    qkv_report **report, qkv_error *error);

/* ---- Sampling -------------------------------------------------------------------------------- */

/*
 * Runs a document's random problem (keys k[i] ~ normal(...)): mean and variance of the weights of
 * every result defined in it, and the probabilities in its claims, with confidence intervals and,
 * where they are known, the exact values.
 *
 * Take a struct from qkv_sample_options_default(). Zero means the default, given after the field.
 */
typedef struct qkv_sample_options {
    size_t struct_size;
    const char *problem; /* NULL: the first one with random keys; else its title */
    const char *at;      /* "n = 10, beta = 10"; NULL: the problem's first `at` */
    uint64_t samples;    /* 1,000,000 */
    uint64_t seed;       /* 0 is as good as any */
    int threads;         /* 0: one per core. The results do not depend on it */
    double error;        /* 1e-6: probability that any of the intervals fails */
    bool (*progress)(uint64_t done, uint64_t total, void *context); /* false stops the run */
    void *context;
    const struct qkv_lab_team *team; /* NULL: this process draws alone; see lab.h */
} qkv_sample_options;

QKV_API qkv_sample_options qkv_sample_options_default(void);

/* An estimate, its confidence interval (infinite ends: unknown), and the exact number without
 * isotropic noise, if it is known. */
typedef struct qkv_sample_number {
    double value, low, high;
    bool has_exact;
    double exact_low, exact_high; /* an enclosure */
} qkv_sample_number;

/* Mean and variance of a weight, or of the sum of all other weights; for an event only its
 * probability. Strings live as long as the samples. */
typedef struct qkv_sample_row {
    const char *result;   /* "two"; "" for an event */
    const char *quantity; /* "weight[a]", "others", "P(two.weight[a] < 0.9)" */
    bool is_event;
    qkv_sample_number mean; /* for an event, its probability */
    qkv_sample_number variance;
} qkv_sample_row;

typedef struct qkv_samples qkv_samples;

/* QKV_ERROR_ARGUMENT if there is no random problem, or a parameter has no number: the message
 * says which. The caller frees the samples. options may be NULL. */
QKV_API qkv_status qkv_sample(const char *name, const char *text, size_t length,
                              const qkv_sample_options *options, qkv_samples **samples,
                              qkv_error *error);

QKV_API const char *qkv_samples_problem(const qkv_samples *samples);  /* its title, "" for none */
QKV_API const char *qkv_samples_at(const qkv_samples *samples);       /* "n = 10, beta = 10" */
QKV_API const char *qkv_samples_exact_at(const qkv_samples *samples); /* "alpha = 0"; may be "" */
QKV_API uint64_t qkv_samples_drawn(const qkv_samples *samples);
QKV_API size_t qkv_samples_row_count(const qkv_samples *samples);
QKV_API const qkv_sample_row *qkv_samples_row(const qkv_samples *samples, size_t index);

/* The samples, starting with number `first`: count x rows, in the order of the rows; an event is 1
 * where it happens, 0 where it does not, 1/2 where rounding leaves it open, and NaN where its
 * condition is not met. Uses memory of the samples: one thread at a time per qkv_samples. */
QKV_API qkv_status qkv_samples_draw(qkv_samples *samples, uint64_t first, size_t count,
                                    double *numbers, qkv_error *error);

QKV_API void qkv_samples_free(qkv_samples **samples);

#ifdef __cplusplus
}
#endif
#endif
