/* The sampler's kernel for CPUs with AVX-512 F and DQ. */
#define KERNEL qkv__lab_kernel_avx512
#define KERNEL_NAME "avx512"

#include "lab/x86/lanes_avx512.h"
#include "lab/sample_template.c"
