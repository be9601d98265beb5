/* Tensors as files and as text, valid in all their forms, and the ways to spoil them that readers
 * stumble over. Knows the formats, not the readers. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "fuzz/mutate.h"

/* ---- Seeds -------------------------------------------------------------------------------- */

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

static size_t seed_count(void)
{
    return SEEDS;
}

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

/* ---- Ways to spoil them -------------------------------------------------------------------- */

static void set_byte(input *in)
{
    static const uint8_t symbols[] =
        "[](){},:'\"\\ \n\t0123456789-+.eELinfaNTFxp<>|=\x00\x7f\x80\xff";
    if (in->size > 0) in->bytes[below(in->size)] = symbols[below(sizeof symbols - 1)];
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
    if (at < in->size) replace(in, at, end - at, text, (size_t)length);
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

static void spoil(input *in)
{
    static void (*const mutations[])(input *) = {flip_bit, set_byte,   cut_end,     remove_range,
                                                 splice,   set_binary, set_decimal, set_decimal};
    spoil_by(in, mutations, sizeof mutations / sizeof mutations[0], 4);
    if (below(2) == 0) mend_length(in);
}

const subject fuzz_subject = {.name = "tensor",
                              .promise = "the readers survive",
                              .iterations = 20000,
                              .runs_seeds = true,
                              .seed_count = seed_count,
                              .seed = seed,
                              .spoil = spoil};
