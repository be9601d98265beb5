/* The table of the sampler's kernels, and which of them this CPU runs. */
#include <string.h>

#include "base/cpu.h"
#include "base/error.h"
#include "lab/sample.h"

enum { KERNELS = 3 };

/* Those that can run, fastest first; returns their number. */
static size_t available(const qkv__lab_kernel *found[KERNELS])
{
    size_t count = 0;
#if defined(QKV_HAVE_LAB_X86)
    if (qkv__cpu_has(QKV__CPU_AVX512)) found[count++] = &qkv__lab_kernel_avx512;
    if (qkv__cpu_has(QKV__CPU_AVX2)) found[count++] = &qkv__lab_kernel_avx2;
#endif
    found[count++] = &qkv__lab_kernel_portable;
    return count;
}

size_t qkv_lab_kernel_count(void)
{
    const qkv__lab_kernel *found[KERNELS];
    return available(found);
}

const char *qkv_lab_kernel_name(size_t index)
{
    const qkv__lab_kernel *found[KERNELS];
    return index < available(found) ? found[index]->name : NULL;
}

qkv_status qkv__lab_kernel_find(const char *name, const qkv__lab_kernel **kernel, qkv_error *error)
{
    const qkv__lab_kernel *found[KERNELS];
    size_t count = available(found);
    *kernel = found[0];
    if (name == NULL) return QKV_OK;
    for (size_t i = 0; i < count; i++)
        if (strcmp(found[i]->name, name) == 0) {
            *kernel = found[i];
            return QKV_OK;
        }
    return qkv__fail(error, QKV_ERROR_UNSUPPORTED,
                     "no kernel of the sampler is called '%s' on this CPU: expected %s or another "
                     "name of qkv_lab_kernel_name()",
                     name, found[0]->name);
}
