/* The sampler's kernel for any CPU. */
#define KERNEL qkv__lab_kernel_portable
#define KERNEL_NAME "portable"

#include "lab/lanes_portable.h"
#include "lab/sample_template.c"
