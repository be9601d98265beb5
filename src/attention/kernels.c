/* The table of kernels: which there are, and which one takes a problem on this CPU. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attention/kernel.h"
#include "base/cpu.h"
#include "base/once.h"
#include "base/error.h"

/* Best first. */
static const qkv__kernel *const kernels[] = {
#if defined(__x86_64__)
    &qkv__kernel_amx,          &qkv__kernel_avx512_bf16,  &qkv__kernel_avx512_f32,
    &qkv__kernel_avx512_f64,   &qkv__kernel_avx2_f32,     &qkv__kernel_avx2_f64,
#elif defined(__aarch64__)
    &qkv__kernel_neon_f32,     &qkv__kernel_neon_f64,
#endif
    &qkv__kernel_portable_f32, &qkv__kernel_portable_f64, &qkv__kernel_reference,
};
enum { KERNEL_COUNT = sizeof kernels / sizeof kernels[0] };

static bool runs_here(size_t index)
{
    return qkv__cpu_has(kernels[index]->features);
}

/* Kernels of one name stand side by side in the table; a name counts once, if this CPU runs it. */
static bool first_of_name(size_t index)
{
    return runs_here(index) &&
           (index == 0 || strcmp(kernels[index]->name, kernels[index - 1]->name) != 0);
}

const char *qkv_kernel_name(size_t index)
{
    for (size_t i = 0; i < KERNEL_COUNT; i++)
        if (first_of_name(i) && index-- == 0) return kernels[i]->name;
    return NULL;
}

size_t qkv_kernel_count(void)
{
    size_t count = 0;
    for (size_t i = 0; i < KERNEL_COUNT; i++) count += first_of_name(i);
    return count;
}

/* The first operand of a type that the kernel does not take, and its name; NULL: there is none. */
static const qkv_view *refused(const qkv__kernel *kernel, const qkv__problem *problem,
                               const char **name)
{
    static const char *const names[] = {"query", "key", "value", "output"};
    const qkv_view *const views[] = {&problem->query, &problem->key, &problem->value,
                                     &problem->output};
    for (int i = 0; i < 4 && kernel->only != QKV_NONE; i++) {
        *name = names[i];
        if ((i < 3 ? views[i]->type : problem->result) != kernel->only) return views[i];
    }
    return NULL;
}

static bool takes(const qkv__kernel *kernel, const qkv__problem *problem)
{
    const char *name;
    return (kernel->compute == problem->compute || kernel->compute == QKV_NONE) &&
           (kernel->drops || problem->options.dropout == 0.0) &&
           refused(kernel, problem, &name) == NULL;
}

static qkv_status fail_unknown(const char *source, const char *name, qkv_error *error)
{
    char list[QKV_ERROR_CAPACITY / 2] = "";
    for (size_t i = 0; i < qkv_kernel_count(); i++) {
        strncat(list, i == 0 ? "" : ", ", sizeof list - strlen(list) - 1);
        strncat(list, qkv_kernel_name(i), sizeof list - strlen(list) - 1);
    }
    return qkv__fail(error, QKV_ERROR_ARGUMENT, "%s \"%.64s\" is not known; expected one of %s",
                     source, name, list);
}

/* What QKV_KERNEL held when the first call without a kernel of its own came; "" for nothing. Longer
 * names are nobody's, cut or not. */
static char environment[QKV_ERROR_CAPACITY / 4];

static char unknown_cpu[QKV_ERROR_CAPACITY / 4]; /* QKV_CPU, if it names what is not known */

static void read_environment(void)
{
    const char *name = getenv("QKV_KERNEL"), *list = getenv("QKV_CPU");
    if (name != NULL) snprintf(environment, sizeof environment, "%s", name);
    if (!qkv__cpu_list_known(list)) snprintf(unknown_cpu, sizeof unknown_cpu, "%s", list);
}

/* A slip of the pen would leave the portable kernel, and nobody would know why it is so slow. */
static qkv_status fail_cpu(qkv_error *error)
{
    char list[QKV_ERROR_CAPACITY / 2] = "none";
    for (size_t i = 0; i < QKV__CPU_FEATURES; i++) {
        strncat(list, ", ", sizeof list - strlen(list) - 1);
        strncat(list, qkv__cpu_name(i), sizeof list - strlen(list) - 1);
    }
    return qkv__fail(error, QKV_ERROR_ARGUMENT,
                     "QKV_CPU \"%.64s\" is not known; expected a list of some of %s", unknown_cpu,
                     list);
}

qkv_status qkv__kernel_find(const char *name, const qkv__problem *problem,
                            const qkv__kernel **kernel, qkv_error *error)
{
    static qkv__once_flag once = QKV__ONCE_INIT;
    const char *source = "kernel";
    qkv__once(&once, read_environment);
    if (unknown_cpu[0] != '\0') return fail_cpu(error);
    if (name == NULL) {
        name = environment;
        source = "QKV_KERNEL";
    }
    if (name[0] == '\0') name = NULL;
    const qkv__kernel *known = NULL;
    for (size_t i = 0; i < KERNEL_COUNT; i++) {
        if (name != NULL && strcmp(name, kernels[i]->name) != 0) continue;
        if (!runs_here(i)) continue;
        known = kernels[i];
        if (takes(kernels[i], problem)) {
            *kernel = kernels[i];
            return QKV_OK;
        }
    }
    if (known == NULL) return fail_unknown(source, name, error);
    const char *operand;
    const qkv_view *view = refused(known, problem, &operand);
    if (!known->drops && problem->options.dropout != 0.0)
        return qkv__fail(error, QKV_ERROR_UNSUPPORTED, "%s %s does not take dropout", source, name);
    if (view == NULL)
        return qkv__fail(error, QKV_ERROR_UNSUPPORTED, "%s %s does not compute in %s", source, name,
                         qkv_type_name(problem->compute));
    return qkv__fail(error, QKV_ERROR_UNSUPPORTED,
                     "%s %s takes operands of type %s alone; %s has type %s", source, name,
                     qkv_type_name(known->only), operand, qkv_type_name(view->type));
}
