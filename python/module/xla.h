/*
 * The structs that XLA hands to a foreign function, as its C interface lays them out (version 0.1
 * and later minor versions, which only add members at the end). Only the layout: what is done with
 * it is in jax.c. Names are ours, the order and types of the members are XLA's.
 */
#ifndef QKV_PYTHON_XLA_H
#define QKV_PYTHON_XLA_H

#include <stddef.h>
#include <stdint.h>

enum { XLA_VERSION_MAJOR = 0, XLA_VERSION_MINOR = 1 };

/* Types of elements; the others are not attention's. */
enum { XLA_BOOL = 1, XLA_S64 = 5, XLA_F16 = 10, XLA_F32 = 11, XLA_F64 = 12, XLA_BF16 = 16 };

enum { XLA_ATTRIBUTE_ARRAY = 1 };
enum { XLA_EXTENSION_METADATA = 1 };
enum { XLA_STAGE_EXECUTE = 3 };
enum { XLA_INVALID_ARGUMENT = 3, XLA_RESOURCE_EXHAUSTED = 8 };

typedef struct xla_error xla_error; /* XLA's own */

typedef struct xla_extension {
    size_t struct_size;
    int type;
    struct xla_extension *next;
} xla_extension;

typedef struct xla_version {
    size_t struct_size;
    xla_extension *extensions;
    int major, minor;
} xla_version;

/* What XLA asks of a function before it is first called. */
typedef struct xla_metadata {
    size_t struct_size;
    xla_version version;
    uint32_t traits;
} xla_metadata;

typedef struct xla_metadata_extension {
    xla_extension base;
    xla_metadata *metadata;
} xla_metadata_extension;

typedef struct xla_error_arguments {
    size_t struct_size;
    xla_extension *extensions;
    const char *message;
    int code;
} xla_error_arguments;

/* The functions of XLA, of which the first is used. */
typedef struct xla_functions {
    size_t struct_size;
    xla_extension *extensions;
    xla_version version;
    const void *internal;
    xla_error *(*create_error)(xla_error_arguments *arguments);
} xla_functions;

/* A dense array, rows first. */
typedef struct xla_buffer {
    size_t struct_size;
    xla_extension *extensions;
    int type;
    void *data;
    int64_t rank;
    int64_t *shape;
} xla_buffer;

/* Arguments, and in the same way results. */
typedef struct xla_buffers {
    size_t struct_size;
    xla_extension *extensions;
    int64_t count;
    int *kinds; /* there is one kind */
    void **of;  /* xla_buffer each */
} xla_buffers;

typedef struct xla_text {
    const char *start;
    size_t length;
} xla_text;

typedef struct xla_array {
    int type;
    size_t count;
    void *data;
} xla_array;

/* Constants of the call, sorted by name. */
typedef struct xla_attributes {
    size_t struct_size;
    xla_extension *extensions;
    int64_t count;
    int *kinds;
    xla_text **names;
    void **of; /* xla_array for XLA_ATTRIBUTE_ARRAY */
} xla_attributes;

typedef struct xla_call {
    size_t struct_size;
    xla_extension *extensions;
    const xla_functions *functions;
    void *context;
    int stage;
    xla_buffers arguments, results;
    xla_attributes attributes;
} xla_call;

#endif
