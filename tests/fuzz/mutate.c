/*
 * The fuzz target without libFuzzer: valid files and texts, spoilt in the ways that readers
 * stumble over, the same ones in every run. Knows nothing of the target but its entry point.
 *
 *     mutate [ITERATIONS]      spoils and runs; 20,000 unless told
 *     mutate --seeds FOLDER    writes the unspoilt inputs into files, for libFuzzer to begin with
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CAPACITY = 1024 };

typedef struct input {
    uint8_t bytes[CAPACITY];
    size_t size;
} input;

/* ---- Random numbers ----------------------------------------------------------------------- */

static uint64_t random_state = 1;

/* splitmix64 */
static uint64_t next_random(void)
{
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* 0 to limit - 1, and 0 for no limit; the slight bias does not matter here. */
static size_t below(size_t limit)
{
    return limit == 0 ? 0 : (size_t)(next_random() % limit);
}

/* ---- Seeds -------------------------------------------------------------------------------- */

static void append(input *in, const void *bytes, size_t count)
{
    if (count > CAPACITY - in->size) count = CAPACITY - in->size;
    memcpy(in->bytes + in->size, bytes, count);
    in->size += count;
}

/* The length with its lowest byte first, the header, and `data` bytes of no meaning. */
static void append_file(input *in, size_t length_bytes, const char *header, size_t data)
{
    size_t length = strlen(header);
    for (size_t i = 0; i < length_bytes; i++)
        append(in, &(uint8_t){(uint8_t)((uint64_t)length >> (8 * i))}, 1);
    append(in, header, length);
    for (size_t i = 0; i < data; i++) append(in, &(uint8_t){(uint8_t)(37 * i)}, 1);
}

/* What a reader accepts, in all its forms: `version` 1 to 3 is npy, 0 safetensors, -1 text. */
static const struct {
    int version;
    const char *header;
    size_t data;
} seeds[] = {
    {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }          \n", 24},
    {1, "{'descr': '>f8', 'fortran_order': True, 'shape': (3,), }", 24},
    {2, "{'shape': (2L, 1L, 2L, 2L), \"descr\": '<f2', 'fortran_order': False}", 16},
    {3, "{'descr': '|b1', 'fortran_order': False, 'shape': (0, 7)}", 0},
    {0, "{\"q\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]}}     ", 24},
    {0,
     "{\"__metadata__\":{\"a\":\"b\"},\"k\":{\"dtype\":\"BF16\",\"shape\":[1,2],\"data_offsets\":"
     "[0,4]},\"q\":{\"dtype\":\"F64\",\"shape\":[2],\"data_offsets\":[4,20]},\"m\":{\"dtype\":"
     "\"BOOL\",\"shape\":[0],\"data_offsets\":[20,20]}}",
     20},
    {0, "{}", 0},
    {-1, "[[1, 2.5, -3e2], [inf, nan, 0x1p-3]]", 0},
    {-1, "[[[[1], [2]]], [[[3], [4]]]]", 0},
    {-1, "[[], [], []]", 0},
};
enum { SEEDS = sizeof seeds / sizeof seeds[0] };

static input seed(size_t which)
{
    input in = {.size = 0};
    int version = seeds[which].version;
    size_t length_bytes = version < 0 ? 0 : version == 0 ? 8 : version == 1 ? 2 : 4;
    if (version > 0) {
        append(&in, "\x93NUMPY", 6);
        append(&in, (uint8_t[]){(uint8_t)version, 0}, 2);
    }
    append_file(&in, length_bytes, seeds[which].header, seeds[which].data);
    return in;
}

/* ---- Mutations ---------------------------------------------------------------------------- */

static void flip_bit(input *in)
{
    if (in->size > 0) in->bytes[below(in->size)] ^= (uint8_t)(1u << below(8));
}

static void set_byte(input *in)
{
    static const uint8_t symbols[] =
        "[](){},:'\"\\ \n\t0123456789-+.eELinfaNTFxp<>|=\x00\x7f\x80\xff";
    if (in->size > 0) in->bytes[below(in->size)] = symbols[below(sizeof symbols - 1)];
}

static void truncate_input(input *in)
{
    in->size = below(in->size + 1);
}

/* Takes `count` bytes out at `at` and puts `more` of `bytes` in their place. */
static void replace(input *in, size_t at, size_t count, const uint8_t *bytes, size_t more)
{
    if (in->size - count + more > CAPACITY) return;
    memmove(in->bytes + at + more, in->bytes + at + count, in->size - at - count);
    memcpy(in->bytes + at, bytes, more);
    in->size = in->size - count + more;
}

static void remove_range(input *in)
{
    size_t at = below(in->size), count = below(in->size - at + 1);
    replace(in, at, count, in->bytes, 0);
}

/* A piece of one input into another, or of one into itself. */
static void splice(input *in)
{
    input other = below(2) == 0 ? *in : seed(below(SEEDS));
    size_t from = below(other.size), count = below(other.size - from + 1);
    if (count > 64) count = 64;
    size_t at = below(in->size + 1), gone = below(2) == 0 ? 0 : below(in->size - at + 1);
    replace(in, at, gone, other.bytes + from, count);
}

/* Numbers at the edges of their types, where products and sums go wrong. */
static const uint64_t edges[] = {
    0,
    1,
    7,
    8,
    9,
    127,
    128,
    255,
    256,
    32767,
    32768,
    65535,
    65536,
    99999999,
    100000000,
    100000001,
    INT32_MAX,
    UINT32_MAX,
    UINT64_C(1) << 32,
    UINT64_C(1) << 61,
    UINT64_C(1) << 62,
    INT64_MAX,
    UINT64_C(1) << 63,
    UINT64_MAX - 7,
    UINT64_MAX,
};
enum { EDGES = sizeof edges / sizeof edges[0] };

/* As binary, over what is there: the lengths of headers, mostly. */
static void set_binary(input *in)
{
    static const size_t widths[] = {1, 2, 4, 8};
    size_t width = widths[below(4)], at = below(2) == 0 ? below(16) : below(in->size);
    uint64_t value = edges[below(EDGES)];
    if (at + width > in->size) return;
    for (size_t i = 0; i < width; i++) in->bytes[at + i] = (uint8_t)(value >> (8 * i));
}

static int is_digit(uint8_t byte)
{
    return byte >= '0' && byte <= '9';
}

/* As text, in place of a number that is there: shapes and offsets. */
static void set_decimal(input *in)
{
    char text[32];
    size_t at = below(in->size), end;
    while (at < in->size && !is_digit(in->bytes[at])) at++;
    for (end = at; end < in->size && is_digit(in->bytes[end]);) end++;
    uint64_t value = below(2) == 0 ? below(40) : edges[below(EDGES)];
    int length = snprintf(text, sizeof text, "%s%" PRIu64, below(8) == 0 ? "-" : "", value);
    if (at < in->size) replace(in, at, end - at, (const uint8_t *)text, (size_t)length);
}

/* Puts the length of the header right again, so that the mutations behind it are looked at. */
static void mend_length(input *in)
{
    size_t start = in->size > 8 && in->bytes[0] == 0x93 ? 8 : 0;
    size_t width = start == 0 ? 8 : in->bytes[6] == 1 ? 2 : 4;
    for (size_t end = in->size; end > start + width; end--) {
        if (in->bytes[end - 1] != '}') continue;
        uint64_t length = end - start - width;
        for (size_t i = 0; i < width; i++) in->bytes[start + i] = (uint8_t)(length >> (8 * i));
        return;
    }
}

static void mutate(input *in)
{
    static void (*const mutations[])(input *) = {flip_bit, set_byte,   truncate_input, remove_range,
                                                 splice,   set_binary, set_decimal,    set_decimal};
    for (size_t count = 1 + below(4); count > 0; count--)
        mutations[below(sizeof mutations / sizeof mutations[0])](in);
    if (below(2) == 0) mend_length(in);
}

/* ---- Running ------------------------------------------------------------------------------ */

/* A copy of the exact size, so that a sanitizer sees the first byte behind it. */
static void run(const input *in)
{
    uint8_t *exact = malloc(in->size == 0 ? 1 : in->size);
    if (exact == NULL) abort();
    memcpy(exact, in->bytes, in->size);
    LLVMFuzzerTestOneInput(exact, in->size);
    free(exact);
}

static int write_seeds(const char *folder)
{
    for (size_t i = 0; i < SEEDS; i++) {
        char path[512];
        input in = seed(i);
        snprintf(path, sizeof path, "%s/seed-%zu", folder, i);
        FILE *stream = fopen(path, "wb");
        if (stream == NULL) return 1;
        size_t written = fwrite(in.bytes, 1, in.size, stream);
        if (fclose(stream) != 0 || written != in.size) return 1;
    }
    return 0;
}

int main(int count, char **arguments)
{
    if (count > 2 && strcmp(arguments[1], "--seeds") == 0) return write_seeds(arguments[2]);
    long iterations = count > 1 ? strtol(arguments[1], NULL, 10) : 20000;
    printf("1..1\n");
    fflush(stdout); /* a crash then leaves a plan that was not met */
    for (size_t i = 0; i < SEEDS; i++) {
        input in = seed(i);
        run(&in);
    }
    for (long i = 0; i < iterations; i++) {
        input in = seed(below(SEEDS));
        mutate(&in);
        run(&in);
    }
    printf("ok 1 - the readers survive %ld spoilt inputs\n", iterations);
    return 0;
}
