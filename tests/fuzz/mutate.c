/* Random numbers and the mutations that all subjects share. Knows bytes, not what they mean. */
#include "fuzz/mutate.h"

#include <string.h>

#include "support/random.h"

/* The longest piece that is taken out or copied at once. */
enum { PIECE = 64 };

static random_source source = {1};

void random_begin(uint64_t state)
{
    source = (random_source){state};
}

size_t below(size_t limit)
{
    return limit == 0 ? 0 : random_below(&source, limit);
}

void append(input *in, const void *bytes, size_t count)
{
    if (count > INPUT_CAPACITY - in->size) count = INPUT_CAPACITY - in->size;
    if (count > 0) memcpy(in->bytes + in->size, bytes, count);
    in->size += count;
}

void replace(input *in, size_t at, size_t count, const void *bytes, size_t more)
{
    uint8_t copy[INPUT_CAPACITY];
    if (in->size - count + more > INPUT_CAPACITY) return;
    memcpy(copy, bytes, more);
    memmove(in->bytes + at + more, in->bytes + at + count, in->size - at - count);
    memcpy(in->bytes + at, copy, more);
    in->size = in->size - count + more;
}

void flip_bit(input *in)
{
    if (in->size > 0) in->bytes[below(in->size)] ^= (uint8_t)(1u << below(8));
}

void cut_end(input *in)
{
    in->size = below(in->size + 1);
}

void remove_range(input *in)
{
    size_t at = below(in->size), count = below(in->size - at + 1);
    replace(in, at, count > PIECE ? PIECE : count, in->bytes, 0);
}

void splice(input *in)
{
    input other = below(2) == 0 ? *in : fuzz_subject.seed(below(fuzz_subject.seed_count()));
    size_t from = below(other.size), count = below(other.size - from + 1);
    size_t at = below(in->size + 1), gone = below(2) == 0 ? 0 : below(in->size - at + 1);
    replace(in, at, gone > PIECE ? PIECE : gone, other.bytes + from, count > PIECE ? PIECE : count);
}

void spoil_by(input *in, void (*const *mutations)(input *), size_t count, size_t most)
{
    for (size_t times = 1 + below(most); times > 0; times--) mutations[below(count)](in);
}
