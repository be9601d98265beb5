/*
 * Asks the CUDA driver, if the program has loaded it, whose memory a pointer is in: a program that
 * passes a device pointer has. libqkv_mpi itself needs neither the driver nor its headers; the few
 * numbers of its interface that are used here are those of cuda.h.
 */
#include "mpi/device.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"

enum { CUDA_SUCCESS = 0, MEMORY_TYPE = 2, IS_MANAGED = 8, TYPE_DEVICE = 2 };

typedef int (*pointer_attribute)(void *data, int attribute, uint64_t pointer);

static pointer_attribute find_driver(void)
{
    pointer_attribute ask = NULL;
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (driver == NULL) return NULL;
    void *symbol = dlsym(driver, "cuPointerGetAttribute");
    memcpy(&ask, &symbol, sizeof ask);
    dlclose(driver); /* the program holds it */
    return ask;
}

qkv_status qkv__mpi_check_host(const qkv_view *view, const char *name, qkv_error *error)
{
    unsigned type = 0, managed = 0; /* managed memory can be read from both sides */
    const uint64_t pointer = (uint64_t)(uintptr_t)view->data;
    const pointer_attribute ask = view->rank == 0 || view->data == NULL ? NULL : find_driver();
    if (ask == NULL || ask(&type, MEMORY_TYPE, pointer) != CUDA_SUCCESS || type != TYPE_DEVICE)
        return QKV_OK;
    if (ask(&managed, IS_MANAGED, pointer) == CUDA_SUCCESS && managed != 0) return QKV_OK;
    return qkv__fail(error, QKV_ERROR_UNSUPPORTED,
                     "%s is in the memory of a CUDA device; over MPI expected host memory", name);
}
