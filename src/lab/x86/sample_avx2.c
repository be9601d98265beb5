/* The sampler's kernel for CPUs with AVX2. */
#define KERNEL qkv__lab_kernel_avx2
#define KERNEL_NAME "avx2"

#include "lab/x86/lanes_avx2.h"
#include "lab/sample_template.c"
