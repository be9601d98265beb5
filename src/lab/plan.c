/* From a model and options to the plan of a sampler, and the workspace that a plan needs. Knows
 * nothing of threads and results. */
#include "lab/sample.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "lab/model.h"

enum {
    BINS_AT_MOST = 1 << 24,
    BLOCK_AT_MOST = 40,        /* five cache lines a row: no power of two, so rows do not collide */
    ROOM_OF_BLOCK = 512 << 10, /* bytes that should stay in the second cache */
};

qkv_lab_options qkv_lab_options_default(void)
{
    return (qkv_lab_options){.struct_size = sizeof(qkv_lab_options)};
}

/* ---- Quantities ----------------------------------------------------------------------------- */

static qkv_status check_index(size_t quantity, size_t index, size_t limit, const char *what,
                              qkv_error *error)
{
    if (index < limit) return QKV_OK;
    return qkv__fail(error, QKV_ERROR_ARGUMENT, "quantity %zu: %s %zu, expected less than %zu",
                     quantity, what, index, limit);
}

static qkv_status copy_numbers(size_t quantity, const double *from, size_t count, qkv__arena *arena,
                               const double **to, qkv_error *error)
{
    if (from == NULL && count > 0)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "quantity %zu: numbers is NULL, expected %zu",
                         quantity, count);
    double *copy = qkv__arena_array(arena, count + 1, sizeof *copy);
    if (copy == NULL) return qkv__lab_no_memory(arena, error);
    for (size_t j = 0; j < count; j++) {
        if (!isfinite(from[j]))
            return qkv__fail(error, QKV_ERROR_ARGUMENT,
                             "quantity %zu: number %zu is %g, expected a finite one", quantity, j,
                             from[j]);
        copy[j] = from[j];
    }
    *to = copy;
    return QKV_OK;
}

/* Indexes in range, numbers copied. */
static qkv_status read_kind(const qkv__lab_plan *plan, size_t q, qkv_lab_quantity *quantity,
                            qkv__arena *arena, qkv_error *error)
{
    qkv_status status = QKV_OK;
    bool all_heads = quantity->kind == QKV_LAB_WEIGHT && quantity->head == QKV_LAB_ALL_HEADS;
    switch (quantity->kind) {
    case QKV_LAB_OUTPUT: return check_index(q, quantity->index, plan->outputs, "output", error);
    case QKV_LAB_WEIGHT:
    case QKV_LAB_SCORE:
        status = check_index(q, quantity->index, plan->keys, "key", error);
        if (status != QKV_OK || all_heads) return status;
        return check_index(q, quantity->head, plan->heads, "head", error);
    case QKV_LAB_ERROR:
        return copy_numbers(q, quantity->numbers, plan->outputs, arena, &quantity->numbers, error);
    case QKV_LAB_COMBINATION:
        return copy_numbers(q, quantity->numbers, q, arena, &quantity->numbers, error);
    case QKV_LAB_PRODUCT:
        status = check_index(q, quantity->index, q, "factor", error);
        if (status != QKV_OK) return status;
        return check_index(q, quantity->other, q, "factor", error);
    case QKV_LAB_KEY_NORM:
    case QKV_LAB_KEY_COSINE:
        if (!plan->full_keys)
            return qkv__fail(error, QKV_ERROR_ARGUMENT,
                             "quantity %zu is about a key: set options.full_keys", q);
        return check_index(q, quantity->index, plan->keys, "key", error);
    }
    return qkv__fail(error, QKV_ERROR_ARGUMENT, "quantity %zu is of unknown kind %d", q,
                     (int)quantity->kind);
}

static qkv_status check_histogram(size_t q, const qkv_lab_quantity *quantity, qkv_error *error)
{
    if (quantity->bins == 0) return QKV_OK;
    if (quantity->bins > BINS_AT_MOST)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "quantity %zu: %zu bins, expected at most %d",
                         q, quantity->bins, BINS_AT_MOST);
    if (isfinite(quantity->low) && isfinite(quantity->high) && quantity->low < quantity->high &&
        isfinite(quantity->high - quantity->low))
        return QKV_OK;
    return qkv__fail(error, QKV_ERROR_ARGUMENT,
                     "quantity %zu: a histogram from %g to %g, expected finite ends in order", q,
                     quantity->low, quantity->high);
}

static void note_needs(qkv__lab_plan *plan, const qkv_lab_quantity *quantity)
{
    bool output = quantity->kind == QKV_LAB_OUTPUT || quantity->kind == QKV_LAB_ERROR;
    bool mean = quantity->kind == QKV_LAB_WEIGHT && quantity->head == QKV_LAB_ALL_HEADS;
    plan->needs_scores |= quantity->kind == QKV_LAB_SCORE;
    plan->needs_weights |= quantity->kind == QKV_LAB_WEIGHT && !mean;
    plan->needs_output |= output;
    plan->needs_mean |= output || mean;
}

static qkv_status read_quantities(const qkv_lab_options *options, qkv__arena *arena,
                                  qkv__lab_plan *plan, qkv_error *error)
{
    size_t count = options->quantity_count != 0 ? options->quantity_count : plan->outputs;
    if (options->quantity_count != 0 && options->quantities == NULL)
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "options.quantities is NULL, but options.quantity_count is %zu", count);
    if (count > ((size_t)1 << 24))
        return qkv__fail(error, QKV_ERROR_UNSUPPORTED, "%zu quantities are too many", count);
    qkv_lab_quantity *quantity = qkv__arena_array(arena, count, sizeof *quantity);
    if (quantity == NULL) return qkv__lab_no_memory(arena, error);
    for (size_t q = 0; q < count; q++) {
        quantity[q] = options->quantity_count != 0
                          ? options->quantities[q]
                          : (qkv_lab_quantity){.kind = QKV_LAB_OUTPUT, .index = q};
        qkv_status status = read_kind(plan, q, &quantity[q], arena, error);
        if (status == QKV_OK) status = check_histogram(q, &quantity[q], error);
        if (status != QKV_OK) return status;
        note_needs(plan, &quantity[q]);
    }
    plan->quantities = count;
    plan->quantity = quantity;
    return QKV_OK;
}

/* ---- Ranges: what values a quantity can take ------------------------------------------------ */

typedef struct range {
    double low, high;
} range;

static range range_of_output(const qkv__lab_plan *plan, size_t j)
{
    if (plan->values == NULL) return (range){0.0, 1.0};
    range found = {INFINITY, -INFINITY};
    for (size_t i = 0; i < plan->keys; i++) {
        double value = plan->values[i * plan->outputs + j];
        found = (range){fmin(found.low, value), fmax(found.high, value)};
    }
    return found;
}

static range range_of_error(const qkv__lab_plan *plan, const double *target)
{
    range found = {0.0, 0.0};
    for (size_t j = 0; j < plan->outputs; j++) {
        range output = range_of_output(plan, j);
        double below = target[j] - output.low, above = output.high - target[j];
        found.high += fmax(below * below, above * above);
    }
    return found;
}

static range range_of_combination(const qkv__lab_plan *plan, const double *numbers, size_t count)
{
    range found = {0.0, 0.0};
    for (size_t j = 0; j < count; j++) {
        if (numbers[j] == 0.0) continue;
        bool rising = numbers[j] > 0.0;
        found.low += numbers[j] * (rising ? plan->range_low[j] : plan->range_high[j]);
        found.high += numbers[j] * (rising ? plan->range_high[j] : plan->range_low[j]);
    }
    return found;
}

static range range_of_product(const qkv__lab_plan *plan, size_t j, size_t k)
{
    const double a[] = {plan->range_low[j], plan->range_high[j]};
    const double b[] = {plan->range_low[k], plan->range_high[k]};
    range found = {INFINITY, -INFINITY};
    for (int x = 0; x < 4; x++) {
        double product = a[x / 2] * b[x % 2];
        if (isnan(product)) return (range){-INFINITY, INFINITY}; /* 0 times infinity */
        found = (range){fmin(found.low, product), fmax(found.high, product)};
    }
    if (j == k) found.low = a[0] > 0.0 ? a[0] * a[0] : a[1] < 0.0 ? a[1] * a[1] : 0.0;
    return found;
}

static range range_of(const qkv__lab_plan *plan, size_t q)
{
    const qkv_lab_quantity *quantity = &plan->quantity[q];
    switch (quantity->kind) {
    case QKV_LAB_OUTPUT: return range_of_output(plan, quantity->index);
    case QKV_LAB_WEIGHT: return (range){0.0, 1.0};
    case QKV_LAB_SCORE: break;
    case QKV_LAB_ERROR: return range_of_error(plan, quantity->numbers);
    case QKV_LAB_COMBINATION: return range_of_combination(plan, quantity->numbers, q);
    case QKV_LAB_PRODUCT: return range_of_product(plan, quantity->index, quantity->other);
    case QKV_LAB_KEY_NORM: return (range){0.0, INFINITY};
    case QKV_LAB_KEY_COSINE: return (range){-1.0, 1.0};
    }
    return (range){-INFINITY, INFINITY};
}

/* ---- Events --------------------------------------------------------------------------------- */

/* Leaves out zero coefficients; > and >= become < and <= of the negatives. */
static qkv_status read_inequality(const qkv_lab_inequality *given, size_t quantities,
                                  qkv__arena *arena, qkv__lab_inequality *read, qkv_error *error)
{
    bool greater =
        given->relation == QKV_LAB_GREATER || given->relation == QKV_LAB_GREATER_OR_EQUAL;
    size_t *index = qkv__arena_array(arena, quantities, sizeof *index);
    double *coefficient = qkv__arena_array(arena, quantities, sizeof *coefficient);
    if (index == NULL || coefficient == NULL) return qkv__lab_no_memory(arena, error);
    if ((unsigned)given->relation > QKV_LAB_GREATER_OR_EQUAL || given->coefficients == NULL ||
        isnan(given->bound))
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "an inequality of an event has relation %d, bound %g and %s coefficients",
                         (int)given->relation, given->bound,
                         given->coefficients == NULL ? "no" : "its");
    for (size_t j = 0; j < quantities; j++) {
        double number = given->coefficients[j];
        if (!isfinite(number))
            return qkv__fail(error, QKV_ERROR_ARGUMENT,
                             "an inequality of an event has the coefficient %g of quantity %zu: "
                             "expected a finite number",
                             number, j);
        if (number == 0.0) continue;
        index[read->terms] = j;
        coefficient[read->terms++] = greater ? -number : number;
    }
    read->quantity = index;
    read->coefficient = coefficient;
    read->bound = greater ? -given->bound : given->bound;
    read->strict = given->relation == QKV_LAB_LESS || given->relation == QKV_LAB_GREATER;
    return QKV_OK;
}

static qkv_status read_event(const qkv_lab_event *given, size_t quantities, qkv__arena *arena,
                             qkv__lab_event *event, qkv_error *error)
{
    if (given->count > 0 && given->inequalities == NULL)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "an event of %zu inequalities has none",
                         given->count);
    qkv__lab_inequality *inequalities =
        qkv__arena_array(arena, given->count + 1, sizeof *inequalities);
    if (inequalities == NULL) return qkv__lab_no_memory(arena, error);
    for (size_t e = 0; e < given->count; e++) {
        qkv_status status =
            read_inequality(&given->inequalities[e], quantities, arena, &inequalities[e], error);
        if (status != QKV_OK) return status;
    }
    *event = (qkv__lab_event){given->count, inequalities};
    return QKV_OK;
}

static qkv_status read_events(const qkv_lab_options *options, qkv__arena *arena,
                              qkv__lab_plan *plan, qkv_error *error)
{
    if (options->event_count > 0 && options->events == NULL)
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "options.events is NULL, but options.event_count is %zu",
                         options->event_count);
    qkv__lab_event *event = qkv__arena_array(arena, options->event_count + 1, sizeof *event);
    if (event == NULL) return qkv__lab_no_memory(arena, error);
    for (size_t e = 0; e < options->event_count; e++) {
        qkv_status status =
            read_event(&options->events[e], plan->quantities, arena, &event[e], error);
        if (status != QKV_OK) return status;
    }
    plan->events = options->event_count;
    plan->event = event;
    if (options->given == NULL) return QKV_OK;
    plan->given = &event[options->event_count];
    return read_event(options->given, plan->quantities, arena, &event[options->event_count], error);
}

/* ---- Keys and the sample without noise ------------------------------------------------------ */

static qkv_status place_keys(const qkv__lab_model *model, qkv__arena *arena, qkv__lab_plan *plan,
                             qkv_error *error)
{
    static const qkv__lab_key_form forms[] = {QKV__LAB_KEY_STRETCH, QKV__LAB_KEY_DIAGONAL,
                                              QKV__LAB_KEY_MATRIX};
    qkv__lab_key *key = qkv__arena_array(arena, model->keys, sizeof *key);
    double *axes = NULL;
    if (key == NULL) return qkv__lab_no_memory(arena, error);
    plan->in_place = !model->shared;
    for (size_t i = 0; i < model->keys; i++) {
        plan->in_place &= model->noise[i].kind != QKV_LAB_NOISE_MATRIX;
        key[i] = (qkv__lab_key){.form = forms[model->noise[i].kind],
                                .root = model->noise[i].root,
                                .along = model->noise[i].along,
                                .factor = model->noise[i].factor};
    }
    plan->key = key;
    plan->means = model->means;
    if (model->means != NULL) return QKV_OK;
    plan->means = axes = qkv__arena_array(arena, model->keys * model->width, sizeof *axes);
    if (axes == NULL) return qkv__lab_no_memory(arena, error);
    for (size_t i = 0; i < model->keys; i++) axes[i * model->width + i] = 1.0;
    return QKV_OK;
}

/* A plan whose scores are their means: one sample of it gives the origins. The portable kernel is
 * used, so that the origins have the same bits everywhere. */
static qkv_status find_origins(qkv__lab_plan *plan, double *origin, qkv__arena *arena,
                               qkv_error *error)
{
    qkv__lab_plan still = *plan;
    qkv__lab_workspace space;
    size_t scores = plan->heads * plan->keys;
    still.full_keys = still.in_place = still.covariance = false;
    still.normals = 0;
    still.factor_start = qkv__arena_array(arena, scores + 1, sizeof *still.factor_start);
    if (still.factor_start == NULL) return qkv__lab_no_memory(arena, error);
    qkv_status status = qkv__lab_workspace_make(&still, &space, error);
    if (status != QKV_OK) return status;
    for (size_t q = 0; q < plan->quantities; q++) { /* of keys, which `fill` leaves alone */
        double norm =
            plan->mean_norm[plan->quantity[q].kind >= QKV_LAB_KEY_NORM ? plan->quantity[q].index
                                                                       : 0];
        bool cosine = plan->quantity[q].kind == QKV_LAB_KEY_COSINE;
        for (size_t x = 0; x < plan->block; x++)
            space.derived[q * plan->block + x] = cosine ? (norm > 0.0 ? 1.0 : 0.0) : norm;
    }
    qkv__lab_kernel_portable.fill(&still, &space, 0, 1);
    for (size_t q = 0; q < plan->quantities; q++) origin[q] = space.quantity[q][0];
    qkv__lab_workspace_free(&space);
    return QKV_OK;
}

/* ---- The plan ------------------------------------------------------------------------------- */

static size_t rows_of(const qkv__lab_plan *plan, size_t *normals)
{
    size_t drawn = plan->full_keys ? plan->width : plan->normals;
    *normals = (drawn + 1) / 2 * 2;
    return *normals + (plan->full_keys && !plan->in_place ? plan->width : 0) +
           plan->heads * plan->keys * (plan->needs_scores ? 2 : 1) +
           (plan->needs_mean && plan->heads > 1 ? plan->keys : 0) +
           (plan->needs_output && plan->values != NULL ? plan->outputs : 0) + 2 * plan->quantities +
           1 + plan->heads;
}

/* An odd number of cache lines a row, as many as leave the block in the second cache. */
static size_t choose_block(const qkv__lab_plan *plan)
{
    size_t normals, lines = ROOM_OF_BLOCK / 64 / rows_of(plan, &normals);
    if (lines > BLOCK_AT_MOST / QKV__LAB_COLUMNS) lines = BLOCK_AT_MOST / QKV__LAB_COLUMNS;
    if (lines % 2 == 0) lines = lines == 0 ? 1 : lines - 1;
    return lines * QKV__LAB_COLUMNS;
}

static qkv_status set_ranges(qkv__lab_plan *plan, qkv__arena *arena, qkv_error *error)
{
    double *low = qkv__arena_array(arena, plan->quantities, sizeof *low);
    double *high = qkv__arena_array(arena, plan->quantities, sizeof *high);
    double *origin = qkv__arena_array(arena, plan->quantities, sizeof *origin);
    if (low == NULL || high == NULL || origin == NULL) return qkv__lab_no_memory(arena, error);
    plan->range_low = low;
    plan->range_high = high;
    plan->origin = origin;
    for (size_t q = 0; q < plan->quantities; q++) {
        range found = range_of(plan, q);
        low[q] = found.low;
        high[q] = found.high;
    }
    plan->block = choose_block(plan);
    return find_origins(plan, origin, arena, error);
}

static qkv_status read_options(const qkv_lab_options *given, qkv_lab_options *options,
                               qkv_error *error)
{
    *options = qkv_lab_options_default();
    if (given == NULL) return QKV_OK;
    return qkv__options_take(options, sizeof *options, given, "options", "qkv_lab_options_default",
                             error);
}

static void take_model(const qkv__lab_model *model, const qkv__lab_law *law, qkv__lab_plan *plan)
{
    plan->keys = model->keys;
    plan->heads = model->heads;
    plan->width = model->width;
    plan->outputs = model->outputs;
    plan->shared = model->shared;
    plan->queries = model->queries;
    plan->values = model->values;
    plan->mean_norm = model->mean_norm;
    plan->normals = law->normals;
    plan->score_mean = law->mean;
    plan->factor_start = law->start;
    plan->factor_normal = law->normal;
    plan->factor_value = law->value;
}

/* A Philox counter has 32 bits for the block of a sample. */
static qkv_status check_normals(const qkv__lab_plan *plan, qkv_error *error)
{
    size_t pairs = plan->full_keys ? plan->keys * ((plan->width + 1) / 2) : plan->normals / 2 + 1;
    if (pairs < UINT32_MAX) return QKV_OK;
    return qkv__fail(error, QKV_ERROR_UNSUPPORTED,
                     "a sample would take %zu pairs of normal numbers: expected less than 2^32",
                     pairs);
}

qkv_status qkv__lab_plan_make(const qkv_lab_model *given, const qkv_lab_options *given_options,
                              qkv__arena *arena, qkv__lab_plan *plan, qkv_error *error)
{
    qkv_lab_options options;
    qkv__lab_model model;
    qkv__lab_law law;
    *plan = (qkv__lab_plan){0};
    qkv_status status = read_options(given_options, &options, error);
    if (status == QKV_OK)
        status = qkv__lab_model_read(given, options.full_keys, arena, &model, error);
    if (status == QKV_OK) status = qkv__lab_law_make(&model, arena, &law, error);
    if (status != QKV_OK) return status;
    take_model(&model, &law, plan);
    plan->seed = options.seed;
    plan->full_keys = options.full_keys;
    plan->covariance = !options.no_covariance;
    status = check_normals(plan, error);
    if (status == QKV_OK && plan->full_keys) status = place_keys(&model, arena, plan, error);
    if (status == QKV_OK) status = read_quantities(&options, arena, plan, error);
    if (status == QKV_OK) status = read_events(&options, arena, plan, error);
    if (status == QKV_OK) status = set_ranges(plan, arena, error);
    return status;
}

/* ---- The workspace -------------------------------------------------------------------------- */

/* Where the row of a quantity lies. */
static const double *row_of(const qkv__lab_plan *plan, const qkv__lab_workspace *space, size_t q)
{
    const qkv_lab_quantity *quantity = &plan->quantity[q];
    const size_t block = plan->block;
    size_t score = quantity->head * plan->keys + quantity->index;
    switch (quantity->kind) {
    case QKV_LAB_OUTPUT: return space->output + quantity->index * block;
    case QKV_LAB_WEIGHT:
        return quantity->head == QKV_LAB_ALL_HEADS ? space->mean + quantity->index * block
                                                   : space->weight + score * block;
    case QKV_LAB_SCORE: return space->score + score * block;
    case QKV_LAB_ERROR:
    case QKV_LAB_COMBINATION:
    case QKV_LAB_PRODUCT:
    case QKV_LAB_KEY_NORM:
    case QKV_LAB_KEY_COSINE: break;
    }
    return space->derived + q * block;
}

/* Cuts the rows off the memory, in the order of the struct. */
static void cut_rows(const qkv__lab_plan *plan, size_t normals, qkv__lab_workspace *space)
{
    const size_t block = plan->block, scores = plan->heads * plan->keys;
    double *next = space->memory;
    space->normal = next;
    space->entry = next += normals * block;
    if (plan->in_place) space->entry = space->normal;
    space->score = next += (plan->full_keys && !plan->in_place ? plan->width : 0) * block;
    space->weight = plan->needs_scores ? (next += scores * block) : space->score;
    space->mean = space->weight;
    next += scores * block;
    if (plan->needs_mean && plan->heads > 1) {
        space->mean = next;
        next += plan->keys * block;
    }
    space->output = space->mean;
    if (plan->needs_output && plan->values != NULL) {
        space->output = next;
        next += plan->outputs * block;
    }
    space->derived = next;
    space->centred = next += plan->quantities * block;
    space->accepted = next += plan->quantities * block;
    space->share = next += block;
    space->columns = next + plan->heads * block;
}

qkv_status qkv__lab_workspace_make(const qkv__lab_plan *plan, qkv__lab_workspace *space,
                                   qkv_error *error)
{
    size_t normals, rows = rows_of(plan, &normals), numbers, sums, bytes = SIZE_MAX;
    *space = (qkv__lab_workspace){0};
    if (!qkv__size_multiply(rows, plan->block, &numbers) ||
        !qkv__size_multiply(qkv__lab_sum_count(plan), QKV__LAB_COLUMNS, &sums) ||
        !qkv__size_add(numbers, sums, &numbers) ||
        !qkv__size_multiply(numbers, sizeof(double), &bytes) ||
        (space->memory = qkv__allocate_zero(bytes)) == NULL)
        return qkv__fail_memory(error, bytes);
    space->quantity = qkv__allocate(plan->quantities * sizeof *space->quantity);
    if (space->quantity == NULL) {
        qkv__lab_workspace_free(space);
        return qkv__fail_memory(error, plan->quantities * sizeof *space->quantity);
    }
    cut_rows(plan, normals, space);
    for (size_t q = 0; q < plan->quantities; q++) space->quantity[q] = row_of(plan, space, q);
    return QKV_OK;
}

void qkv__lab_workspace_free(qkv__lab_workspace *space)
{
    qkv__free(space->memory);
    qkv__free(space->quantity);
    *space = (qkv__lab_workspace){0};
}
