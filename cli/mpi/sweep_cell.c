/* Sampling one cell. Knows designs and the lab, nothing of ranks or files. */
#include "sweep_cell.h"

#include <stdio.h>
#include <stdlib.h>

const char *const sweep_heading =
    "design\tkeys\tof\tbeta\tnoise\tsamples\tweight\tweight_variance\t"
    "error\terror_low\terror_high\tlaw_error";

/* H x n coefficients of the means; the wanted keys are the first, the first of them is noisy. */
static size_t make_queries(const qkv_law_options *o, double *coefficients)
{
    const size_t heads = o->design == QKV_DESIGN_HEADS ? o->wanted : 1;
    for (size_t h = 0; h < heads; h++)
        for (size_t i = 0; i < o->keys; i++) {
            double *to = &coefficients[h * o->keys + i];
            if (o->design == QKV_DESIGN_HEADS)
                *to = i == h ? o->beta : 0.0;
            else if (o->design == QKV_DESIGN_SINGLE)
                *to = i < o->wanted ? o->beta : 0.0;
            else
                *to = i < o->wanted ? 0.0 : -o->beta;
        }
    return heads;
}

static void write_row(const sweep_cell *cell, const qkv_lab_sampler *sampler, double law_error,
                      char text[SWEEP_TEXT])
{
    const qkv_law_options *o = &cell->law;
    const qkv_lab_summary weight = qkv_lab_sampler_summary(sampler, 0);
    const qkv_lab_summary error = qkv_lab_sampler_summary(sampler, 1);
    snprintf(text, SWEEP_TEXT,
             "%s\t%zu\t%zu\t%.17g\t%.17g\t%llu\t%.17g\t%.17g\t%.17g\t%.17g\t%.17g\t%.17g",
             qkv_design_name(o->design), o->keys, o->wanted, o->beta, o->noise,
             (unsigned long long)weight.count, weight.mean, weight.variance, error.mean, error.low,
             error.high, law_error);
}

qkv_status sweep_compute(const sweep_cell *cell, int threads, qkv_lab_progress progress,
                         void *context, char text[SWEEP_TEXT], qkv_error *error)
{
    const qkv_law_options *o = &cell->law;
    double *coefficients = calloc(o->wanted * o->keys, sizeof *coefficients);
    double *target = calloc(o->keys, sizeof *target);
    qkv_lab_noise *noises = calloc(o->keys, sizeof *noises);
    qkv_lab_sampler *sampler = NULL;
    qkv_law law;
    qkv_status status = QKV_ERROR_MEMORY;
    snprintf(error->message, sizeof error->message, "out of memory");
    if (coefficients != NULL && target != NULL && noises != NULL) {
        for (size_t i = 0; i < o->wanted; i++) target[i] = 1.0 / (double)o->wanted;
        noises[0].stretch = o->noise;
        qkv_lab_model model = qkv_lab_model_default();
        model.keys = o->keys;
        model.heads = make_queries(o, coefficients);
        model.coefficients = coefficients;
        model.noises = noises;
        const qkv_lab_quantity quantities[2] = {
            {.kind = QKV_LAB_WEIGHT, .index = 0, .head = QKV_LAB_ALL_HEADS},
            {.kind = QKV_LAB_ERROR, .numbers = target}};
        qkv_lab_options how = qkv_lab_options_default();
        how.seed = cell->seed;
        how.quantities = quantities;
        how.quantity_count = 2;
        how.no_covariance = true;
        how.threads = threads;
        how.progress = progress;
        how.context = context;
        status = qkv_lab_sampler_create(&model, &how, &sampler, error);
    }
    if (status == QKV_OK) status = qkv_lab_sampler_run(sampler, cell->samples, error);
    if (status == QKV_OK) status = qkv_law_compute(o, &law, error);
    if (status == QKV_OK) write_row(cell, sampler, law.error, text);
    qkv_lab_sampler_free(&sampler);
    free(coefficients);
    free(target);
    free(noises);
    return status;
}
