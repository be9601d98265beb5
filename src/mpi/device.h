/* Memory of CUDA devices, which this library does not work on. */
#ifndef QKV_MPI_DEVICE_H
#define QKV_MPI_DEVICE_H

#include <qkv/status.h>
#include <qkv/tensor.h>

/* Fails, naming the view, if its data is where only a CUDA device can read it. */
qkv_status qkv__mpi_check_host(const qkv_view *view, const char *name, qkv_error *error);

#endif
