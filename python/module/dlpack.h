/*
 * The structs that a `__dlpack__` capsule holds, as the DLPack standard lays them out (version 1;
 * a capsule "dltensor" has the layout from before 1.0, "dltensor_versioned" the one since). Only
 * the layout: what is done with it is in array.c and tensor.c.
 */
#ifndef QKV_PYTHON_DLPACK_H
#define QKV_PYTHON_DLPACK_H

#include <stdint.h>

#define DLPACK_CAPSULE "dltensor"
#define DLPACK_CAPSULE_VERSIONED "dltensor_versioned"

/* Where memory lies. Those not named here cannot be read by this process's CPU. */
enum {
    DLPACK_CPU = 1,
    DLPACK_CUDA = 2,
    DLPACK_CUDA_HOST = 3,
    DLPACK_ROCM = 10,
    DLPACK_ROCM_HOST = 11
};

/* Kinds of elements. */
enum { DLPACK_INT = 0, DLPACK_UINT = 1, DLPACK_FLOAT = 2, DLPACK_BFLOAT = 4, DLPACK_BOOL = 6 };

enum { DLPACK_FLAG_READ_ONLY = 1 };

typedef struct dlpack_device {
    int32_t type, index;
} dlpack_device;

typedef struct dlpack_type {
    uint8_t kind, bits;
    uint16_t lanes; /* 1: no vectors */
} dlpack_type;

typedef struct dlpack_tensor {
    void *data;
    dlpack_device device;
    int32_t rank;
    dlpack_type type;
    int64_t *shape;
    int64_t *strides; /* in elements; NULL: dense, the last axis running fastest */
    uint64_t byte_offset;
} dlpack_tensor;

/* "dltensor" */
typedef struct dlpack_managed {
    dlpack_tensor tensor;
    void *context;
    void (*release)(struct dlpack_managed *self);
} dlpack_managed;

typedef struct dlpack_version {
    uint32_t major, minor;
} dlpack_version;

/* "dltensor_versioned" */
typedef struct dlpack_managed_versioned {
    dlpack_version version;
    void *context;
    void (*release)(struct dlpack_managed_versioned *self);
    uint64_t flags;
    dlpack_tensor tensor;
} dlpack_managed_versioned;

#endif
