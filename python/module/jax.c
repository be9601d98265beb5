/*
 * Attention as foreign functions of XLA, which JAX calls without Python: `jax_targets` hands their
 * addresses to qkv.jax, which registers them. They hold no lock of the interpreter and touch no
 * object of Python's.
 *
 * Options come as two arrays of constants: `numbers`, and `wholes`, which end with the lists of key
 * lengths and starts; qkv.jax writes them in the order of the enums below. vmap puts axes in front
 * of all arrays alike: the call is then made once for each index of theirs.
 */
#include "module.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <qkv/attention.h>

#include "xla.h"

enum {
    SCALE,
    DROPOUT,
#define NUMBER(id, field) NUMBER_##id,
#include "../../src/attention/options.def"
    NUMBERS
};
enum {
    CAUSAL,
    ALIGNMENT,
    OFFSET,
    WINDOW,
    WINDOW_LEFT, /* -1: unlimited */
    WINDOW_RIGHT,
    THREADS,
    SEED,
    RANK, /* of q, before vmap */
    MASK, /* which of the arrays behind q, k and v; -1: none */
    SINKS,
    SLOPES,
    KEY_LENGTHS, /* how many */
    SEQUENCES,
    WHOLES
};
enum { ARRAYS = 12 }; /* arguments of a call, and results, at most */

/* A call, unpacked: what does not depend on the index of vmap. */
typedef struct work {
    const xla_call *call;
    const int64_t *wholes;
    size_t lead, parts; /* axes of vmap, and the product of their sizes */
    qkv_attention_options options;
    qkv_view arguments[ARRAYS], results[ARRAYS]; /* of the first part */
    size_t argument_bytes[ARRAYS], result_bytes[ARRAYS];
    size_t *lists;          /* key lengths and starts */
    double *slopes, *sinks; /* one per head, of this part */
    double *slopes_gradient, *sinks_gradient;
    char message[QKV_ERROR_CAPACITY];
} work;

static bool fail(work *w, const char *message)
{
    snprintf(w->message, sizeof w->message, "%s", message);
    return false;
}

/* ---- Unpacking ----------------------------------------------------------------------------- */

static qkv_type type_of(int type)
{
    switch (type) {
    case XLA_BOOL: return QKV_BOOL;
    case XLA_F16: return QKV_F16;
    case XLA_BF16: return QKV_BF16;
    case XLA_F32: return QKV_F32;
    case XLA_F64: return QKV_F64;
    }
    return QKV_NONE;
}

/* The constants of that name and type; NULL where there are fewer than `least`. */
static const xla_array *attribute(const xla_call *call, const char *name, int type, size_t least)
{
    for (int64_t i = 0; i < call->attributes.count; i++) {
        const xla_text *text = call->attributes.names[i];
        const xla_array *array = call->attributes.of[i];
        if (text->length == strlen(name) && memcmp(text->start, name, text->length) == 0 &&
            call->attributes.kinds[i] == XLA_ATTRIBUTE_ARRAY && array->type == type &&
            array->count >= least)
            return array;
    }
    return NULL;
}

/* The first part of a buffer as a view, and the bytes from one part to the next. */
static bool open_buffer(work *w, const xla_buffer *buffer, qkv_view *view, size_t *bytes)
{
    const qkv_type type = type_of(buffer->type);
    const size_t rank = (size_t)buffer->rank;
    size_t shape[QKV_MAX_RANK] = {0};
    if (type == QKV_NONE)
        return fail(w, "an array has a type that is not offered; expected f64, f32, f16 or bf16");
    if (rank < w->lead || rank - w->lead > QKV_MAX_RANK)
        return fail(w, "an array has too many axes; expected at most 4");
    *bytes = qkv_type_size(type);
    for (size_t i = w->lead; i < rank; i++) {
        shape[i - w->lead] = (size_t)buffer->shape[i];
        *bytes *= (size_t)buffer->shape[i];
    }
    *view = qkv_view_dense(type, buffer->data, (int)(rank - w->lead), shape);
    return true;
}

static bool open_buffers(work *w, const xla_buffers *buffers, qkv_view *views, size_t *bytes)
{
    if (buffers->count > ARRAYS) return fail(w, "the call has too many arrays");
    for (int64_t i = 0; i < buffers->count; i++)
        if (!open_buffer(w, buffers->of[i], &views[i], &bytes[i])) return false;
    return true;
}

/* Key lengths and starts, which are sizes here. */
static bool open_lists(work *w, size_t there)
{
    const int64_t *whole = w->wholes + WHOLES;
    const size_t lengths = (size_t)w->wholes[KEY_LENGTHS], sequences = (size_t)w->wholes[SEQUENCES];
    const size_t starts = sequences > 0 ? sequences + 1 : 0, count = lengths + 2 * starts;
    if (count == 0) return true;
    if (there < WHOLES + count) return fail(w, "the call's lists are too short");
    w->lists = malloc(count * sizeof *w->lists);
    if (w->lists == NULL) return fail(w, "out of memory");
    for (size_t i = 0; i < count; i++) w->lists[i] = (size_t)whole[i];
    if (lengths > 0) w->options.key_lengths = w->lists;
    if (sequences > 0) {
        w->options.sequences = sequences;
        w->options.query_starts = w->lists + lengths;
        w->options.key_starts = w->options.query_starts + starts;
    }
    return true;
}

static size_t side(int64_t given)
{
    return given < 0 ? QKV_UNLIMITED : (size_t)given;
}

static bool open_options(work *w)
{
    const xla_array *numbers = attribute(w->call, "numbers", XLA_F64, NUMBERS);
    const xla_array *wholes = attribute(w->call, "wholes", XLA_S64, WHOLES);
    if (numbers == NULL || wholes == NULL) return fail(w, "the call has no options");
    const double *number = numbers->data;
    const int64_t *whole = w->wholes = wholes->data;
    w->options = qkv_attention_default();
    w->options.scale = number[SCALE] == 0.0   ? QKV_SCALE_ZERO
                       : isnan(number[SCALE]) ? 0.0
                                              : number[SCALE];
#define NUMBER(id, field) w->options.field = number[NUMBER_##id];
#include "../../src/attention/options.def"
    w->options.dropout = number[DROPOUT];
    w->options.seed = (uint64_t)whole[SEED];
    w->options.causal = whole[CAUSAL] != 0;
    w->options.alignment = (qkv_alignment)whole[ALIGNMENT];
    w->options.query_offset = (ptrdiff_t)whole[OFFSET];
    w->options.window = whole[WINDOW] != 0;
    w->options.window_left = side(whole[WINDOW_LEFT]);
    w->options.window_right = side(whole[WINDOW_RIGHT]);
    w->options.threads = (int)whole[THREADS];
    return open_lists(w, wholes->count);
}

/* How many parts vmap has made of the call. `query` is the number of q among the arguments. */
static bool count_parts(work *w, int64_t query)
{
    const xla_buffer *q = w->call->arguments.of[query];
    if (q->rank < w->wholes[RANK]) return fail(w, "q has lost an axis");
    w->lead = (size_t)(q->rank - w->wholes[RANK]);
    w->parts = 1;
    for (size_t i = 0; i < w->lead; i++) w->parts *= (size_t)q->shape[i];
    return true;
}

/* The library reads one key length per batch. */
static bool check_lengths(work *w, size_t query)
{
    const qkv_view *q = &w->arguments[query];
    const size_t batch = q->rank < 4 ? 1 : q->shape[0], given = (size_t)w->wholes[KEY_LENGTHS];
    if (given == 0 || given == batch) return true;
    snprintf(w->message, sizeof w->message, "key_lengths: got %zu; expected %zu, one per batch",
             given, batch);
    return false;
}

static double *room_for(const qkv_view *numbers)
{
    return calloc(qkv_view_count(numbers) + 1, sizeof(double));
}

/* Memory for what the library takes and gives as doubles. `more` is the first array behind v. */
static bool open_numbers(work *w, size_t more, bool gradient)
{
    const int64_t sinks = w->wholes[SINKS], slopes = w->wholes[SLOPES];
    bool good = true;
    if (sinks >= 0) good = (w->sinks = room_for(&w->arguments[more + (size_t)sinks])) != NULL;
    if (slopes >= 0 && good)
        good = (w->slopes = room_for(&w->arguments[more + (size_t)slopes])) != NULL;
    if (sinks >= 0 && gradient && good)
        good = (w->sinks_gradient = room_for(&w->arguments[more + (size_t)sinks])) != NULL;
    if (slopes >= 0 && gradient && good)
        good = (w->slopes_gradient = room_for(&w->arguments[more + (size_t)slopes])) != NULL;
    return good || fail(w, "out of memory");
}

static void close_work(work *w)
{
    free(w->lists);
    free(w->sinks);
    free(w->slopes);
    free(w->sinks_gradient);
    free(w->slopes_gradient);
}

/* ---- Parts --------------------------------------------------------------------------------- */

static qkv_view part_of(const qkv_view *view, size_t bytes, size_t part)
{
    qkv_view result = *view;
    if (result.data != NULL) result.data = (unsigned char *)result.data + part * bytes;
    return result;
}

static qkv_view argument(const work *w, size_t number, size_t part)
{
    return part_of(&w->arguments[number], w->argument_bytes[number], part);
}

static qkv_view result(const work *w, size_t number, size_t part)
{
    return part_of(&w->results[number], w->result_bytes[number], part);
}

/* Numbers of any type as doubles in a row, or back. */
static bool convert(work *w, const qkv_view *from, const qkv_view *to)
{
    qkv_error error;
    return qkv_view_copy(from, to, &error) == QKV_OK || fail(w, error.message);
}

static qkv_view doubles(double *numbers, const qkv_view *like)
{
    return qkv_view_dense(QKV_F64, numbers, like->rank, like->shape);
}

static bool take_numbers(work *w, int64_t which, size_t more, size_t part, double *numbers,
                         const double **option)
{
    if (which < 0) return true;
    const qkv_view given = argument(w, more + (size_t)which, part),
                   taken = doubles(numbers, &given);
    const qkv_view *q = &w->arguments[more - 3];
    const size_t heads = q->rank < 3 ? 1 : q->shape[q->rank - 3];
    if (given.rank != 1 || given.shape[0] != heads)
        return fail(w, "sinks and alibi_slopes: expected one number per head of q");
    *option = numbers;
    return convert(w, &given, &taken);
}

/* The options of one part. */
static bool take_options(work *w, size_t more, size_t part)
{
    const int64_t mask = w->wholes[MASK];
    if (mask >= 0) w->options.mask = argument(w, more + (size_t)mask, part);
    return take_numbers(w, w->wholes[SINKS], more, part, w->sinks, &w->options.sinks) &&
           take_numbers(w, w->wholes[SLOPES], more, part, w->slopes, &w->options.alibi_slopes);
}

/* q, k, v, more; results: the output and the log-sum-exp. */
static bool forward_part(work *w, size_t part)
{
    const qkv_view q = argument(w, 0, part), k = argument(w, 1, part), v = argument(w, 2, part);
    const qkv_view output = result(w, 0, part);
    qkv_error error;
    if (!take_options(w, 3, part)) return false;
    w->options.log_sum_exp = result(w, 1, part);
    return qkv_attention(&q, &k, &v, &output, &w->options, &error) == QKV_OK ||
           fail(w, error.message);
}

/* g, the output, the log-sum-exp, q, k, v, more; results: the gradients of q, k and v, and of those
 * of the others that hold numbers, in their order. */
static bool gradient_part(work *w, size_t part)
{
    const qkv_view g = argument(w, 0, part), q = argument(w, 3, part), k = argument(w, 4, part),
                   v = argument(w, 5, part);
    const qkv_view dq = result(w, 0, part), dk = result(w, 1, part), dv = result(w, 2, part);
    const size_t others = (size_t)w->call->arguments.count - 6;
    qkv_view numbers[2], written[2];
    size_t next = 3, converted = 0;
    qkv_error error;
    if (!take_options(w, 6, part)) return false;
    w->options.given_output = argument(w, 1, part);
    w->options.given_log_sum_exp = argument(w, 2, part);
    for (size_t i = 0; i < others; i++) {
        if (w->arguments[6 + i].type == QKV_BOOL) continue;
        const qkv_view to = result(w, next++, part);
        if ((int64_t)i == w->wholes[MASK]) {
            w->options.mask_gradient = to;
            continue;
        }
        const bool sinks = (int64_t)i == w->wholes[SINKS];
        double *room = sinks ? w->sinks_gradient : w->slopes_gradient;
        *(sinks ? &w->options.sinks_gradient : &w->options.alibi_slopes_gradient) = room;
        numbers[converted] = doubles(room, &to);
        written[converted++] = to;
    }
    if (qkv_attention_gradient(&q, &k, &v, &g, &dq, &dk, &dv, &w->options, &error) != QKV_OK)
        return fail(w, error.message);
    for (size_t i = 0; i < converted; i++)
        if (!convert(w, &numbers[i], &written[i])) return false;
    return true;
}

/* ---- The functions ------------------------------------------------------------------------- */

/* XLA asks for the version of its interface before the first call. */
static bool answers_metadata(const xla_call *call)
{
    xla_extension *extension = call->extensions;
    if (extension == NULL || extension->type != XLA_EXTENSION_METADATA) return false;
    xla_metadata *metadata = ((xla_metadata_extension *)(void *)extension)->metadata;
    metadata->version.major = XLA_VERSION_MAJOR;
    metadata->version.minor = XLA_VERSION_MINOR;
    metadata->traits = 0;
    return true;
}

static xla_error *give_error(const xla_call *call, const char *message)
{
    xla_error_arguments arguments = {.struct_size = offsetof(xla_error_arguments, code) +
                                                    sizeof arguments.code,
                                     .message = message,
                                     .code = XLA_INVALID_ARGUMENT};
    return call->functions->create_error(&arguments);
}

/* All parts of a call whose q is argument number `query`. */
static xla_error *run(const xla_call *call, size_t query, size_t results,
                      bool (*compute)(work *w, size_t part))
{
    if (answers_metadata(call) || call->stage != XLA_STAGE_EXECUTE) return NULL;
    work w = {.call = call, .lists = NULL};
    bool good = (size_t)call->arguments.count >= query + 3 && (size_t)call->results.count >= results
                    ? open_options(&w)
                    : fail(&w, "the call has too few arrays");
    good = good && count_parts(&w, (int64_t)query) &&
           open_buffers(&w, &call->arguments, w.arguments, w.argument_bytes) &&
           open_buffers(&w, &call->results, w.results, w.result_bytes) &&
           check_lengths(&w, query) && open_numbers(&w, query + 3, query > 0);
    for (size_t part = 0; good && part < w.parts; part++) good = compute(&w, part);
    close_work(&w);
    return good ? NULL : give_error(call, w.message);
}

static xla_error *forward(xla_call *call)
{
    return run(call, 0, 2, forward_part);
}

static xla_error *gradient(xla_call *call)
{
    return run(call, 3, 3, gradient_part);
}

static PyObject *jax_targets(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    static const char *const name = "xla._CUSTOM_CALL_TARGET";
    return Py_BuildValue(
        "{sNsN}", "qkv_attention", PyCapsule_New((void *)(uintptr_t)forward, name, NULL),
        "qkv_attention_gradient", PyCapsule_New((void *)(uintptr_t)gradient, name, NULL));
}

PyMethodDef jax_functions[] = {
    {"jax_targets", jax_targets, METH_NOARGS,
     "jax_targets()\n--\n\n"
     "The foreign functions that qkv.jax registers with JAX, by name.\n"},
    {NULL, NULL, 0, NULL},
};
