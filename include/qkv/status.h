/*
 * What every qkv function returns.
 *
 * The library never prints, exits or aborts. A function that can fail returns a
 * qkv_status, and takes as its last parameter a qkv_error that it fills with one
 * line of text naming the argument, its value and what was expected:
 *
 *     qkv_error error;
 *     if (qkv_attention(&q, &k, &v, &c, NULL, &error) != QKV_OK)
 *         fprintf(stderr, "%s\n", error.message);
 *
 * Pass NULL if you do not need the text. A call that fails has not changed any of
 * its arguments, unless its description says otherwise.
 */
#ifndef QKV_STATUS_H
#define QKV_STATUS_H

#if defined(__GNUC__)
#define QKV_API __attribute__((visibility("default")))
#else
#define QKV_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The codes are pinned: a number once given keeps its meaning. */
typedef enum qkv_status {
    QKV_OK = 0,
    QKV_ERROR_ARGUMENT = 1,    /* a value out of its range: a NaN scale, an unknown kernel name */
    QKV_ERROR_SHAPE = 2,       /* ranks or sizes that do not fit together */
    QKV_ERROR_TYPE = 3,        /* element types that do not fit together */
    QKV_ERROR_MEMORY = 4,      /* an allocation failed */
    QKV_ERROR_FILE = 5,        /* the operating system refused: no such file, no space */
    QKV_ERROR_FORMAT = 6,      /* a file whose contents violate its format */
    QKV_ERROR_UNSUPPORTED = 7, /* valid, but not supported, or not in this build */
    QKV_ERROR_DEVICE = 8,      /* a device or its driver refused, or there is none */
    QKV_ERROR_INTERRUPTED = 9, /* the caller asked for it: see qkv_set_interrupt */
} qkv_status;

#define QKV_ERROR_CAPACITY 512

/* The description of a failure: one line, no newline at its end. */
typedef struct qkv_error {
    qkv_status status;
    char message[QKV_ERROR_CAPACITY];
} qkv_error;

/* The meaning of a code in a few words, for example "out of memory". Never NULL. */
QKV_API const char *qkv_status_text(qkv_status status);

#ifdef __cplusplus
}
#endif
#endif
