/* Runs a document's random problem: finds it, gives its parameters numbers, and tabulates what
 * samples say of every result in it. Prints nothing. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <qkv/claim.h>

#include "claim/model/random_declare.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "claim/chance/likely.h"
#include "claim/model/random_still.h"
#include "claim/premise/conditions.h"
#include "claim/sample/sample_part.h"
#include "claim/table/table.h"
#include "language/chance_call.h"
#include "language/document.h"
#include "language/tree.h"
#include "language/write.h"

enum { DEFAULT_SAMPLES = 1000000, MOST_THREADS = 256 };

/* A row: its calls in the document's syntax, and where their estimates are. */
typedef struct entry {
    const qkv__node *mean, *variance; /* E(...) and Var(...); P(...) and NULL */
    int estimate[2];
} entry;

struct qkv_samples {
    qkv__document document, words, numbers; /* the problem; the rows' calls; what `at` says */
    qkv__model model, still;
    bool has_model;
    const char *problem, *at, *exact_at;
    qkv__circumstances circumstances;
    size_t row_count;
    qkv_sample_row row[QKV__SAMPLE_ESTIMATES];
    entry entry[QKV__SAMPLE_ESTIMATES];
    uint64_t drawn;
    qkv__sample sample; /* once run: its program and quantities */
    qkv_lab_sampler *sampler;
    double *quantities, *columns; /* of a batch */
};

qkv_sample_options qkv_sample_options_default(void)
{
    return (qkv_sample_options){.struct_size = sizeof(qkv_sample_options)};
}

static const char *keep(qkv_samples *made, qkv__text *text)
{
    const char *kept =
        text->data == NULL ? "" : qkv__arena_text(&made->document.arena, text->data, text->length);
    qkv__text_free(text);
    return kept == NULL ? "" : kept;
}

/* The first complaint about a text as a failure. */
static qkv_status fail_complaint(qkv_error *error, const char *where, const qkv__document *document)
{
    const qkv__complaint *c = &document->complaint[0];
    if (where != NULL) return qkv__fail(error, QKV_ERROR_ARGUMENT, "%s: %s", where, c->message);
    return qkv__fail(error, QKV_ERROR_ARGUMENT, "line %d: %s", c->place.line, c->message);
}

/* ---- The problem --------------------------------------------------------------------------- */

/* The problem of that title, or the first with random keys; NULL with the failure. */
static const qkv__statement *find_problem(const qkv__document *document, const char *title,
                                          qkv_error *error)
{
    const qkv__statement *any = NULL, *named = NULL;
    for (const qkv__statement *s = document->first; s != NULL; s = s->next) {
        bool begins = s == document->first || s->kind == QKV__STATEMENT_PROBLEM;
        if (!begins) continue;
        bool random = qkv__random_is_declared(s);
        if (any == NULL && random) any = s;
        if (title == NULL || s->kind != QKV__STATEMENT_PROBLEM || strcmp(s->text, title) != 0)
            continue;
        if (random) return s;
        named = s;
    }
    if (any == NULL)
        qkv__fail(error, QKV_ERROR_ARGUMENT,
                  "no keys are random; expected keys k[i] ~ normal(mu[i], alpha*I)");
    else if (named != NULL)
        qkv__fail(error, QKV_ERROR_ARGUMENT, "in problem \"%.80s\" no keys are random", title);
    else if (title != NULL)
        qkv__fail(error, QKV_ERROR_ARGUMENT,
                  "no problem \"%.80s\"; the first with random keys is \"%.80s\"", title,
                  any->kind == QKV__STATEMENT_PROBLEM ? any->text : "");
    return title == NULL ? any : NULL;
}

static void declare(qkv_samples *made, const qkv__statement *first)
{
    for (const qkv__statement *s = first; s != NULL; s = qkv__statement_after(s)) {
        if (s->kind == QKV__STATEMENT_CLAIM || s->kind == QKV__STATEMENT_FIND ||
            s->kind == QKV__STATEMENT_LAW || s->kind == QKV__STATEMENT_BLOCK)
            continue;
        qkv__model_declare(&made->model, s);
        qkv__model_declare(&made->still, s);
    }
}

static qkv_status open_problem(qkv_samples *made, const char *title, qkv_error *error)
{
    const qkv__statement *first = find_problem(&made->document, title, error);
    if (first == NULL) return QKV_ERROR_ARGUMENT;
    made->problem = first->kind == QKV__STATEMENT_PROBLEM ? first->text : "";
    made->has_model = true;
    qkv__model_begin(&made->model, &made->document, first, &qkv__reader_of_tables);
    qkv__model_begin(&made->still, &made->document, first, &qkv__reader_of_tables);
    made->still.still = made->still.mute = true;
    declare(made, first);
    return made->document.complaint_count == 0 ? QKV_OK
                                               : fail_complaint(error, NULL, &made->document);
}

/* ---- Parameters ---------------------------------------------------------------------------- */

static const qkv__condition *find_at(const qkv__condition *conditions)
{
    for (const qkv__condition *c = conditions; c != NULL; c = c->next)
        if (c->kind == QKV__CONDITION_AT) return c;
    return NULL;
}

/* The first `at` among the statements. */
static const qkv__condition *first_at(const qkv__statement *first, bool inside)
{
    for (const qkv__statement *s = first; s != NULL; s = s->next) {
        if (s->kind == QKV__STATEMENT_PROBLEM && s != first && !inside) break;
        const qkv__condition *found = find_at(s->conditions);
        if (found == NULL && s->kind == QKV__STATEMENT_BLOCK) found = first_at(s->inside, true);
        if (found != NULL) return found;
    }
    return NULL;
}

static const char *write_conditions(qkv_samples *made, const qkv__condition *condition)
{
    qkv__text text = {0};
    for (size_t i = 0; i < condition->count; i++) {
        qkv__text_format(&text, "%s", i == 0 ? "" : ", ");
        qkv__node_write(condition->node[i], &text);
    }
    return keep(made, &text);
}

/* "n = 10, beta = 10", read as the language reads it behind `at`. */
static qkv_status read_at(qkv_samples *made, const char *at, const qkv__condition **condition,
                          qkv_error *error)
{
    qkv__text text = {0};
    if (strpbrk(at, "\n\r") != NULL)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "at: expected one line");
    qkv__text_format(&text, "claim: 0 = 0 at %s\n", at);
    if (text.failed) return qkv__fail_memory(error, strlen(at));
    qkv_status status = qkv__document_read("at.qkv", text.data, text.length, &made->numbers, error);
    qkv__text_free(&text);
    if (status != QKV_OK) return status;
    if (made->numbers.complaint_count > 0) return fail_complaint(error, "at", &made->numbers);
    *condition = made->numbers.first == NULL ? NULL : find_at(made->numbers.first->conditions);
    if (*condition == NULL)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "at: expected numbers such as n = 10");
    return QKV_OK;
}

/* A condition alone, without those that stand behind it in the document. */
static qkv_status choose_numbers(qkv_samples *made, const char *at, qkv_error *error)
{
    const qkv__condition *condition = NULL;
    qkv_status status = QKV_OK;
    if (at != NULL)
        status = read_at(made, at, &condition, error);
    else
        condition = first_at(made->model.statements, false);
    if (status != QKV_OK || condition == NULL) return status;
    qkv__condition alone = *condition;
    alone.next = NULL;
    made->at = write_conditions(made, &alone);
    qkv__circumstances_add(&made->circumstances, &alone);
    return QKV_OK;
}

/* ---- Rows ---------------------------------------------------------------------------------- */

/* A run under way. */
typedef struct run {
    qkv_samples *made;
    const qkv_sample_options *options;
    qkv_status status;
    qkv_error *error;
} run;

static bool add_row(qkv_samples *made, qkv_sample_row row)
{
    if (made->row_count + 1 >= QKV__SAMPLE_ESTIMATES / 2) return false;
    made->row[made->row_count++] = row;
    return true;
}

/* The weights of a result: those of the picked keys, and of all others together. */
static void add_result(qkv_samples *made, const char *name, size_t count, qkv__text *words)
{
    const qkv__index_set *set = made->sample.keys->set;
    qkv__text others = {0};
    for (size_t i = 0; i < set->mark_count; i++) {
        qkv__text quantity = {0};
        qkv__text_format(&quantity, "weight[%s]", set->mark[i]);
        qkv__text_format(&others, "%s%s", i == 0 ? "" : ", ", set->mark[i]);
        if (add_row(made, (qkv_sample_row){.result = name, .quantity = keep(made, &quantity)}))
            qkv__text_format(words, "claim: E(%s.weight[%s]) = Var(%s.weight[%s])\n", name,
                             set->mark[i], name, set->mark[i]);
        qkv__text_free(&quantity);
    }
    if (count > set->mark_count &&
        add_row(made, (qkv_sample_row){.result = name, .quantity = "others"})) {
        qkv__text sum = {0};
        const char *letter = qkv__index_letter(set);
        if (set->mark_count == 0)
            qkv__text_format(&sum, "sum(%s.weight[%s] for %s in %s)", name, letter, letter,
                             set->name);
        else
            qkv__text_format(&sum, "sum(%s.weight[%s] for %s not in {%s})", name, letter, letter,
                             others.data);
        qkv__text_format(words, "claim: E(%s) = Var(%s)\n", sum.data, sum.data);
        qkv__text_free(&sum);
    }
    qkv__text_free(&others);
}

static void add_results(qkv_samples *made, qkv__text *words)
{
    const qkv__statement *first = made->model.statements;
    for (const qkv__statement *s = first; s != NULL; s = qkv__statement_after(s)) {
        if (s->kind == QKV__STATEMENT_DEFINE && s->node[0]->kind == QKV__NODE_NAME &&
            qkv__sample_is_result(&made->sample, s->node[0]))
            add_result(made, s->node[0]->text, made->sample.count, words);
        made->sample.trouble[0] = '\0';
    }
}

/* The probabilities that a claim speaks of, each once. */
static void add_events(qkv_samples *made, const qkv__node *node, qkv__text *words)
{
    for (size_t i = 0; i < node->count; i++) add_events(made, node->child[i], words);
    if (qkv__chance_read(node).kind != 'P' || qkv__node_has_comparison(node, QKV__NEAR)) return;
    qkv__text text = {0};
    qkv__node_write(node, &text);
    const char *kept = keep(made, &text);
    for (size_t i = 0; i < made->row_count; i++)
        if (strcmp(made->row[i].quantity, kept) == 0) return;
    if (add_row(made, (qkv_sample_row){.result = "", .quantity = kept, .is_event = true}))
        qkv__text_format(words, "claim: %s = 0\n", kept);
}

static void walk_events(qkv_samples *made, const qkv__statement *first, bool inside,
                        qkv__text *words)
{
    for (const qkv__statement *s = first; s != NULL; s = s->next) {
        if (s->kind == QKV__STATEMENT_PROBLEM && s != first && !inside) break;
        if (s->kind == QKV__STATEMENT_BLOCK) walk_events(made, s->inside, true, words);
        if (s->kind == QKV__STATEMENT_CLAIM) add_events(made, s->node[0], words);
    }
}

/* The rows' calls, written in the language and read again. */
static qkv_status make_rows(run *r)
{
    qkv_samples *made = r->made;
    qkv__text words = {0};
    add_results(made, &words);
    if (made->row_count == 0)
        return qkv__fail(r->error, QKV_ERROR_ARGUMENT,
                         "no result over random keys is defined; expected c = attend(q, k, v)");
    walk_events(made, made->model.statements, false, &words);
    qkv_status status = words.failed ? qkv__fail_memory(r->error, words.capacity)
                                     : qkv__document_read("rows.qkv", words.data, words.length,
                                                          &made->words, r->error);
    qkv__text_free(&words);
    if (status != QKV_OK) return status;
    if (made->words.complaint_count > 0) return fail_complaint(r->error, "rows", &made->words);
    const qkv__statement *s = made->words.first;
    for (size_t i = 0; i < made->row_count && s != NULL; i++, s = s->next) {
        made->entry[i].mean = s->node[0]->child[0];
        made->entry[i].variance = made->row[i].is_event ? NULL : s->node[0]->child[1];
    }
    return QKV_OK;
}

/* Rows become estimates; an event that cannot be sampled is left out. */
static qkv_status make_estimates(run *r)
{
    qkv_samples *made = r->made;
    size_t kept = 0;
    for (size_t i = 0; i < made->row_count; i++) {
        entry e = made->entry[i];
        made->sample.trouble[0] = '\0';
        e.estimate[0] = qkv__sample_estimate_of(&made->sample, e.mean);
        e.estimate[1] =
            e.variance == NULL ? -1 : qkv__sample_estimate_of(&made->sample, e.variance);
        if (e.estimate[0] < 0 || (e.variance != NULL && e.estimate[1] < 0)) {
            if (made->row[i].is_event) continue;
            return qkv__fail(r->error, QKV_ERROR_ARGUMENT, "%s: %s", made->row[i].result,
                             made->sample.trouble);
        }
        made->row[kept] = made->row[i];
        made->entry[kept++] = e;
    }
    made->row_count = kept;
    made->sample.trouble[0] = '\0';
    return QKV_OK;
}

/* ---- The run ------------------------------------------------------------------------------- */

static bool proceed(void *context, const qkv__sample_tally *tally, uint64_t total)
{
    const qkv_sample_options *options = context;
    return options->progress == NULL ||
           options->progress(qkv__sample_drawn(tally), total, options->context);
}

static qkv_sample_number number_of(const qkv__sample_tally *tally, int estimate)
{
    if (estimate < 0) return (qkv_sample_number){.value = NAN, .low = -INFINITY, .high = INFINITY};
    qkv_lab_interval interval = qkv__sample_interval(tally, (size_t)estimate);
    return (qkv_sample_number){.value = qkv__sample_plain(tally, (size_t)estimate),
                               .low = interval.low,
                               .high = interval.high};
}

static qkv_status keep_sampler(run *r)
{
    qkv_samples *made = r->made;
    size_t rows = QKV__SAMPLE_ROWS;
    made->sampler = qkv__sample_lab(&made->sample, r->options->seed);
    made->quantities = qkv__allocate(rows * made->sample.quantity_count * sizeof(double));
    made->columns = qkv__allocate(rows * made->sample.step_count * sizeof(double));
    if (made->sampler != NULL && made->quantities != NULL && made->columns != NULL) return QKV_OK;
    return qkv__fail_memory(r->error, rows * made->sample.step_count * sizeof(double));
}

static qkv_status draw(run *r)
{
    qkv_samples *made = r->made;
    const qkv_sample_options *options = r->options;
    qkv__sample_run_options how = {.seed = options->seed,
                                   .error = options->error,
                                   .threads = (size_t)options->threads,
                                   .samples = options->samples,
                                   .proceed = proceed,
                                   .context = (void *)(uintptr_t)options,
                                   .team = options->team};
    qkv__sample_tally *tally = qkv__sample_draw(&made->sample, &how);
    if (tally == NULL) return qkv__fail(r->error, QKV_ERROR_ARGUMENT, "%s", made->sample.trouble);
    made->drawn = qkv__sample_drawn(tally);
    for (size_t i = 0; i < made->row_count; i++) {
        made->row[i].mean = number_of(tally, made->entry[i].estimate[0]);
        made->row[i].variance = number_of(tally, made->entry[i].estimate[1]);
    }
    qkv__sample_tally_free(tally);
    return keep_sampler(r);
}

/* What is wrong with the numbers, in words of the problem. */
static qkv_status run_problem(run *r, qkv__situation *s)
{
    qkv_samples *made = r->made;
    qkv__box box;
    if (!qkv__box_of_algebra(&s->model->algebra, &box))
        return qkv__fail(r->error, QKV_ERROR_ARGUMENT,
                         "at %s: this contradicts what is given in the problem", made->at);
    if (!qkv__sample_begin(&made->sample, s, INT_MAX))
        return qkv__fail(r->error, QKV_ERROR_ARGUMENT, "%s", made->sample.trouble);
    qkv_status status = make_rows(r);
    if (status == QKV_OK) status = make_estimates(r);
    return status == QKV_OK ? draw(r) : status;
}

static void act(qkv__situation *s, void *data)
{
    run *r = data;
    r->status = run_problem(r, s);
    r->made->sample.s = NULL; /* the situation ends here */
}

/* ---- The exact law ------------------------------------------------------------------------- */

static void set_exact(qkv__situation *s, const qkv__node *call, qkv_sample_number *number)
{
    qkv__likely exact;
    qkv__scope scope = qkv__situation_open(s);
    if (call != NULL && qkv__chance_evaluate(s, call, &exact) &&
        exact.upper - exact.lower <= 1e-4) {
        number->has_exact = true;
        number->exact_low = exact.lower;
        number->exact_high = exact.upper;
    }
    qkv__situation_close(s, &scope);
}

static void act_exactly(qkv__situation *s, void *data)
{
    qkv_samples *made = data;
    for (size_t i = 0; i < made->row_count; i++) {
        set_exact(s, made->entry[i].mean, &made->row[i].mean);
        set_exact(s, made->entry[i].variance, &made->row[i].variance);
    }
}

/* "alpha = 0": what the exact law is without. */
static const char *name_noise(qkv_samples *made)
{
    qkv__text text = {0};
    const qkv__algebra *algebra = &made->still.algebra;
    for (int p = 0; p < (int)algebra->parameter_count; p++)
        if (qkv__parameter_set_has(made->still.noise, p))
            qkv__text_format(&text, "%s%s = 0", text.length == 0 ? "" : ", ",
                             algebra->parameter[p].name);
    return keep(made, &text);
}

/* Whether there is noise in every direction that no letter scales: the exact law is without it. */
static bool has_noise_for_good(const qkv__model *model)
{
    qkv__rational number;
    for (size_t i = 0; i < model->scale_count && i < sizeof model->scale / sizeof model->scale[0];
         i++)
        if (qkv__ratio_is_constant(model->scale[i], &number) && !qkv__rational_is_zero(number))
            return true;
    return false;
}

/* ---- The call ------------------------------------------------------------------------------ */

static qkv_status read_options(const qkv_sample_options *given, qkv_sample_options *options,
                               qkv_error *error)
{
    *options = qkv_sample_options_default();
    qkv_status status = QKV_OK;
    if (given != NULL)
        status = qkv__options_take(options, sizeof *options, given, "options",
                                   "qkv_sample_options_default", error);
    if (status != QKV_OK) return status;
    if (options->samples == 0) options->samples = DEFAULT_SAMPLES;
    if (options->error == 0.0) options->error = 1e-6;
    if (!(options->error > 0.0 && options->error < 1.0))
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "error is %g: expected 0 < error < 1",
                         options->error);
    if (options->threads < 0 || options->threads > MOST_THREADS)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "threads is %d: expected 0 to %d",
                         options->threads, MOST_THREADS);
    if (options->samples > UINT64_C(1) << 50)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "more than 2^50 samples");
    return QKV_OK;
}

static qkv_status fill(qkv_samples *made, const char *name, const char *text, size_t length,
                       const qkv_sample_options *options, qkv_error *error)
{
    qkv_status status = qkv__document_read(name, text, length, &made->document, error);
    if (status == QKV_OK && made->document.complaint_count > 0)
        status = fail_complaint(error, NULL, &made->document);
    if (status == QKV_OK) status = open_problem(made, options->problem, error);
    if (status == QKV_OK) status = choose_numbers(made, options->at, error);
    if (status != QKV_OK) return status;
    run r = {.made = made, .options = options, .error = error};
    bool still = qkv__random_is_still(&made->still, &made->circumstances, NULL);
    qkv__under_conditions(still ? &made->still : &made->model, &made->circumstances, act, &r);
    if (r.status != QKV_OK) return r.status;
    made->exact_at = name_noise(made);
    if (!has_noise_for_good(&made->model))
        qkv__under_conditions(&made->still, &made->circumstances, act_exactly, made);
    return QKV_OK;
}

/* Everything else that can fail then is memory. */
static bool ran_out(const qkv_samples *made)
{
    return made->document.arena.failed || made->words.arena.failed || made->numbers.arena.failed ||
           made->sample.arena.failed || made->model.algebra.arena.failed ||
           made->still.algebra.arena.failed || strcmp(made->sample.trouble, "out of memory") == 0;
}

qkv_status qkv_sample(const char *name, const char *text, size_t length,
                      const qkv_sample_options *options, qkv_samples **samples, qkv_error *error)
{
    qkv_sample_options known;
    if (name == NULL || (text == NULL && length > 0) || samples == NULL)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "name, text or samples is NULL");
    qkv_status status = read_options(options, &known, error);
    if (status != QKV_OK) return status;
    qkv_samples *made = qkv__allocate_zero(sizeof *made);
    if (made == NULL) return qkv__fail_memory(error, sizeof *made);
    const size_t failures = qkv__memory_failures();
    made->problem = made->at = made->exact_at = "";
    status = fill(made, name, text, length, &known, error);
    if (ran_out(made) || qkv__memory_failures() != failures)
        status = qkv__fail_memory(error, made->model.algebra.arena.used);
    if (status == QKV_OK)
        *samples = made;
    else
        qkv_samples_free(&made);
    return status;
}

const char *qkv_samples_problem(const qkv_samples *samples)
{
    return samples->problem;
}

const char *qkv_samples_at(const qkv_samples *samples)
{
    return samples->at;
}

const char *qkv_samples_exact_at(const qkv_samples *samples)
{
    return samples->exact_at;
}

uint64_t qkv_samples_drawn(const qkv_samples *samples)
{
    return samples->drawn;
}

size_t qkv_samples_row_count(const qkv_samples *samples)
{
    return samples->row_count;
}

const qkv_sample_row *qkv_samples_row(const qkv_samples *samples, size_t index)
{
    return index < samples->row_count ? &samples->row[index] : NULL;
}

static double drawn_number(const qkv_samples *samples, size_t row, size_t sample)
{
    const qkv__sample_estimate *e = &samples->sample.estimate[samples->entry[row].estimate[0]];
    double given =
        e->given < 0 ? 1.0 : samples->columns[(size_t)e->given * QKV__SAMPLE_ROWS + sample];
    return given == 1.0 ? samples->columns[(size_t)e->x * QKV__SAMPLE_ROWS + sample] : NAN;
}

qkv_status qkv_samples_draw(qkv_samples *samples, uint64_t first, size_t count, double *numbers,
                            qkv_error *error)
{
    if (numbers == NULL && count > 0)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "numbers is NULL");
    for (size_t done = 0; done < count; done += QKV__SAMPLE_ROWS) {
        size_t part = count - done < QKV__SAMPLE_ROWS ? count - done : QKV__SAMPLE_ROWS;
        qkv_status status =
            qkv_lab_sampler_draw(samples->sampler, first + done, part, samples->quantities, error);
        if (status != QKV_OK) return status;
        qkv__sample_run(&samples->sample, samples->quantities, part, samples->columns);
        for (size_t i = 0; i < part; i++)
            for (size_t k = 0; k < samples->row_count; k++)
                numbers[(done + i) * samples->row_count + k] = drawn_number(samples, k, i);
    }
    return QKV_OK;
}

void qkv_samples_free(qkv_samples **samples)
{
    qkv_samples *made = samples == NULL ? NULL : *samples;
    if (made == NULL) return;
    qkv_lab_sampler_free(&made->sampler);
    qkv__sample_end(&made->sample);
    qkv__free(made->quantities);
    qkv__free(made->columns);
    if (made->has_model) {
        qkv__model_end(&made->model);
        qkv__model_end(&made->still);
    }
    qkv__document_free(&made->document);
    qkv__document_free(&made->words);
    qkv__document_free(&made->numbers);
    qkv__free(made);
    *samples = NULL;
}
