/* The mutations of a subject for libFuzzer, which mixes them with its own. */
#include <string.h>

#include "fuzz/mutate.h"

/* libFuzzer's names. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

const bool fuzz_hurries = true;

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    input in = {.size = 0};
    if (seed % 4 == 0 || size > INPUT_CAPACITY) return LLVMFuzzerMutate(data, size, max_size);
    random_begin(seed);
    append(&in, data, size);
    fuzz_subject.spoil(&in);
    if (in.size > max_size) in.size = max_size;
    memcpy(data, in.bytes, in.size);
    return in.size;
}
