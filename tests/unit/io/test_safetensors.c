/*
 * Reading .safetensors files, from the format's definition: eight bytes of length with the lowest
 * first, a JSON header, the data. Files are put together here and never by the library's own
 * writer. A library built without a JSON reader must say so, which is then the only test.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <qkv/file.h>

#include "base/number.h"
#include "base/view.h"

typedef struct file {
    unsigned char bytes[2048];
    size_t count;
} file;

static file build(const char *header, const void *data, size_t size)
{
    size_t length = strlen(header);
    file f = {.count = 8 + length + size};
    assert_true(f.count < sizeof f.bytes);
    for (int i = 0; i < 8; i++) f.bytes[i] = (unsigned char)((uint64_t)length >> (8 * i));
    memcpy(f.bytes + 8, header, length);
    if (size > 0) memcpy(f.bytes + 8 + length, data, size);
    return f;
}

static qkv_tensor *parse(const file *f, const char *name)
{
    qkv_tensor *tensor = NULL;
    qkv_error error = {.message = ""};
    if (qkv_tensor_parse(f->bytes, f->count, name, &tensor, &error) != QKV_OK)
        fail_msg("refused: %s", error.message);
    return tensor;
}

static void assert_refused(const void *bytes, size_t count, const char *name, qkv_status status,
                           const char *text)
{
    qkv_tensor *tensor = (qkv_tensor *)&tensor, *before = tensor;
    qkv_error error = {.message = ""};
    assert_int_equal(qkv_tensor_parse(bytes, count, name, &tensor, &error), status);
    assert_int_equal(error.status, status);
    assert_ptr_equal(tensor, before);
    if (strstr(error.message, text) == NULL)
        fail_msg("the message \"%s\" lacks \"%s\"", error.message, text);
}

/* A header that is refused over 24 bytes of zeros. */
static void assert_header_refused(const char *header, qkv_status status, const char *text)
{
    const unsigned char data[24] = {0};
    file f = build(header, data, sizeof data);
    assert_refused(f.bytes, f.count, NULL, status, text);
}

/* Cut anywhere, or one byte longer, the file is refused; exact copies, for the sanitizers. */
static void assert_exact_length_needed(const file *f, const char *name)
{
    for (size_t count = 0; count < f->count; count++) {
        unsigned char *cut = malloc(count + 1);
        assert_non_null(cut);
        memcpy(cut + 1, f->bytes, count);
        assert_refused(cut + 1, count, name, QKV_ERROR_FORMAT, "bytes: ");
        free(cut);
    }
    file longer = *f;
    longer.bytes[longer.count++] = 0;
    assert_refused(longer.bytes, longer.count, name, QKV_ERROR_FORMAT, "the end of the file");
}

/* ---- What is read ------------------------------------------------------------------------- */

static const char three_tensors[] =
    "{\"__metadata__\":{\"format\":\"pt\"},"
    "\"q\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[8,32]},"
    "\"k\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[0,8]},"
    "\"m\":{\"dtype\":\"BOOL\",\"shape\":[1,1,1,2],\"data_offsets\":[32,34]}}";

static file build_three(void)
{
    unsigned char data[34] = {0};
    memcpy(data, &(double){2.5}, 8);
    memcpy(data + 8, (float[]){0, 1, 2, 3, 4, 5}, 24);
    data[33] = 1;
    return build(three_tensors, data, sizeof data);
}

/* Neither the order of the names nor the metadata matters to where a tensor lies. */
static void tensors_are_found_by_name(void **state)
{
    (void)state;
    file f = build_three();
    qkv_tensor *tensor = parse(&f, "q");
    const qkv_view *view = qkv_tensor_view(tensor);
    assert_int_equal(view->type, QKV_F32);
    assert_int_equal(view->rank, 2);
    assert_memory_equal(view->data, ((float[]){0, 1, 2, 3, 4, 5}), 24);
    qkv_tensor_free(&tensor);

    tensor = parse(&f, "k");
    assert_true(*(double *)qkv_tensor_view(tensor)->data == 2.5);
    qkv_tensor_free(&tensor);

    tensor = parse(&f, "m");
    assert_int_equal(qkv_tensor_view(tensor)->type, QKV_BOOL);
    assert_int_equal(qkv_tensor_view(tensor)->rank, 4);
    assert_memory_equal(qkv_tensor_view(tensor)->data, ((unsigned char[]){0, 1}), 2);
    qkv_tensor_free(&tensor);
    assert_exact_length_needed(&f, "q");
}

static void the_only_tensor_needs_no_name(void **state)
{
    (void)state;
    const double numbers[2] = {1, -1};
    file f = build("{\"x y\":{\"dtype\":\"F64\",\"shape\":[2],\"data_offsets\":[0,16]}}", numbers,
                   sizeof numbers);
    qkv_tensor *tensor = parse(&f, NULL);
    assert_memory_equal(qkv_tensor_view(tensor)->data, numbers, sizeof numbers);
    qkv_tensor_free(&tensor);
    tensor = parse(&f, "x y");
    qkv_tensor_free(&tensor);
    assert_exact_length_needed(&f, NULL);
}

/* Writers fill the header with spaces up to a multiple of 8. */
static void padded_and_spread_headers_are_read(void **state)
{
    (void)state;
    const float number = 3;
    static const char *const headers[] = {
        "{\"q\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}       ",
        "{ \"q\" : { \"shape\" : [ 1 ] ,\n\"data_offsets\" : [ 0 , 4 ] , \"dtype\" : \"F32\" } }\n",
        "{\"\\u0071\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}",
        "{\r\n\t\"q\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}\r\n}",
    };
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        file f = build(headers[i], &number, sizeof number);
        qkv_tensor *tensor = parse(&f, "q");
        assert_true(*(float *)qkv_tensor_view(tensor)->data == 3);
        qkv_tensor_free(&tensor);
    }
}

/* RFC 8259: a character beyond 16 bits is written as a pair of surrogates. U+1F511 is a key. */
static void names_beyond_sixteen_bits_are_read(void **state)
{
    (void)state;
    const float number = 3;
    file f = build("{\"\\ud83d\\uDD11\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}",
                   &number, sizeof number);
    qkv_tensor *tensor = parse(&f, "\xf0\x9f\x94\x91");
    qkv_tensor_free(&tensor);
}

/* Names that begin with each other are different names, in whichever order they come. */
static void names_may_begin_with_each_other(void **state)
{
    (void)state;
    static const char *const orders[][3] = {
        {"q", "qk", "qkv"}, {"qkv", "qk", "q"}, {"qk", "q", "qkv"}, {"qk", "qkv", "q"}};
    const float numbers[3] = {1, 2, 3};
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        char header[512] = "{";
        for (int j = 0; j < 3; j++)
            snprintf(header + strlen(header), sizeof header - strlen(header),
                     "%s\"%s\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[%d,%d]}",
                     j == 0 ? "" : ",", orders[i][j], 4 * j, 4 * j + 4);
        strcat(header, "}");
        file f = build(header, numbers, sizeof numbers);
        for (int j = 0; j < 3; j++) {
            qkv_tensor *tensor = parse(&f, orders[i][j]);
            assert_true(*(float *)qkv_tensor_view(tensor)->data == numbers[j]);
            qkv_tensor_free(&tensor);
        }
    }
}

static void all_types_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *dtype;
        qkv_type type;
        unsigned char bytes[8]; /* of 1.5, lowest first */
    } cases[] = {
        {"F64", QKV_F64, {0, 0, 0, 0, 0, 0, 0xf8, 0x3f}},
        {"F32", QKV_F32, {0, 0, 0xc0, 0x3f}},
        {"F16", QKV_F16, {0x00, 0x3e}},
        {"BF16", QKV_BF16, {0xc0, 0x3f}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char header[96];
        size_t size = qkv_type_size(cases[i].type);
        snprintf(header, sizeof header,
                 "{\"q\":{\"dtype\":\"%s\",\"shape\":[1],\"data_offsets\":[0,%zu]}}",
                 cases[i].dtype, size);
        file f = build(header, cases[i].bytes, size);
        qkv_tensor *tensor = parse(&f, NULL);
        const qkv_view *view = qkv_tensor_view(tensor);
        assert_int_equal(view->type, cases[i].type);
        assert_true(qkv__load(view->type, view->data, 0) == 1.5);
        qkv_tensor_free(&tensor);
    }
}

static void empty_tensors_are_read(void **state)
{
    (void)state;
    static const char header[] =
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[0,4],\"data_offsets\":[0,0]},"
        "\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
        "\"c\":{\"dtype\":\"F64\",\"shape\":[3,0],\"data_offsets\":[4,4]}}";
    const float number = 1;
    file f = build(header, &number, sizeof number);
    static const char *const names[] = {"a", "c"};
    for (size_t i = 0; i < 2; i++) {
        qkv_tensor *tensor = parse(&f, names[i]);
        assert_int_equal(qkv_view_count(qkv_tensor_view(tensor)), 0);
        assert_int_equal(qkv__view_check(qkv_tensor_view(tensor), "tensor", NULL), QKV_OK);
        qkv_tensor_free(&tensor);
    }
}

/* A tensor at an odd byte comes out aligned, as every view must be. */
static void unaligned_tensors_are_copied(void **state)
{
    (void)state;
    static const char header[] = "{\"m\":{\"dtype\":\"BOOL\",\"shape\":[1],\"data_offsets\":[0,1]},"
                                 "\"q\":{\"dtype\":\"F64\",\"shape\":[2],\"data_offsets\":[1,17]}}";
    unsigned char data[17] = {1};
    memcpy(data + 1, (double[]){7, 8}, 16);
    file f = build(header, data, sizeof data);
    qkv_tensor *tensor = parse(&f, "q");
    assert_int_equal(qkv__view_check(qkv_tensor_view(tensor), "tensor", NULL), QKV_OK);
    assert_memory_equal(qkv_tensor_view(tensor)->data, ((double[]){7, 8}), 16);
    qkv_tensor_free(&tensor);
}

/* What qkv cannot compute with may lie beside what it can: integers, scalars, rank 5. */
static void tensors_of_other_types_are_passed_over(void **state)
{
    (void)state;
    static const char header[] =
        "{\"i\":{\"dtype\":\"I64\",\"shape\":[1],\"data_offsets\":[0,8]},"
        "\"s\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[8,12]},"
        "\"r\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1],\"data_offsets\":[12,16]},"
        "\"e\":{\"dtype\":\"F8_E5M2\",\"shape\":[4],\"data_offsets\":[16,20]},"
        "\"q\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[20,24]}}";
    unsigned char data[24] = {0};
    file f = build(header, data, sizeof data);
    qkv_tensor *tensor = parse(&f, "q");
    qkv_tensor_free(&tensor);
    assert_refused(f.bytes, f.count, "i", QKV_ERROR_TYPE, "tensor \"i\" has a type other than F64");
    assert_refused(f.bytes, f.count, "e", QKV_ERROR_TYPE, "tensor \"e\" has a type other than F64");
    assert_refused(f.bytes, f.count, "s", QKV_ERROR_SHAPE, "\"s\" has rank 0; expected 1 to 4");
    assert_refused(f.bytes, f.count, "r", QKV_ERROR_SHAPE, "\"r\" has rank 5; expected 1 to 4");
}

/* ---- Which tensor ------------------------------------------------------------------------- */

static void absent_names_are_refused_with_the_present_ones(void **state)
{
    (void)state;
    file f = build_three();
    assert_refused(f.bytes, f.count, "v", QKV_ERROR_ARGUMENT,
                   "has no tensor \"v\"; it holds 3 (\"q\", \"k\", \"m\")");
    assert_refused(f.bytes, f.count, "__metadata__", QKV_ERROR_ARGUMENT, "has no tensor");
    assert_refused(f.bytes, f.count, "", QKV_ERROR_ARGUMENT, "has no tensor \"\"");
    assert_refused(f.bytes, f.count, NULL, QKV_ERROR_ARGUMENT,
                   "holds 3 tensors (\"q\", \"k\", \"m\"); say which one is meant");
    f = build("{}", NULL, 0);
    assert_refused(f.bytes, f.count, NULL, QKV_ERROR_ARGUMENT, "holds 0 tensors");
    assert_refused(f.bytes, f.count, "q", QKV_ERROR_ARGUMENT, "has no tensor \"q\"; it holds 0");
}

/* A long list is cut at a name, and the sentence still ends. */
static void long_lists_of_names_are_cut(void **state)
{
    (void)state;
    char header[1900] = "{";
    for (int i = 0; i < 20; i++)
        snprintf(header + strlen(header), sizeof header - strlen(header),
                 "%s\"decoder.layer.%02d.weight\":{\"dtype\":\"F32\",\"shape\":[0],"
                 "\"data_offsets\":[0,0]}",
                 i == 0 ? "" : ",", i);
    strcat(header, "}");
    file f = build(header, NULL, 0);
    assert_refused(f.bytes, f.count, NULL, QKV_ERROR_ARGUMENT, ", ...); say which one is meant");
}

/* ---- What is refused ---------------------------------------------------------------------- */

static void impossible_header_lengths_are_refused(void **state)
{
    (void)state;
    file f = build_three();
    static const uint64_t lengths[] = {100000001, UINT64_MAX, UINT64_C(1) << 63, UINT32_MAX};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        char expected[64];
        for (int j = 0; j < 8; j++) f.bytes[j] = (unsigned char)(lengths[i] >> (8 * j));
        snprintf(expected, sizeof expected, "header of %llu bytes; %zu bytes follow",
                 (unsigned long long)lengths[i], f.count - 8);
        assert_refused(f.bytes, f.count, "q", QKV_ERROR_FORMAT, expected);
    }
    memset(f.bytes, 0, 8); /* no header at all */
    assert_refused(f.bytes, f.count, "q", QKV_ERROR_FORMAT, "safetensors header");
}

/* The limit holds although the file is long enough: 100,000,001 bytes of spaces are no header. */
static void headers_above_the_limit_are_refused(void **state)
{
    (void)state;
    const size_t length = 100000001;
    unsigned char *bytes = malloc(8 + length);
    assert_non_null(bytes);
    memset(bytes + 8, ' ', length);
    memcpy(bytes + 8, "{}", 2);
    for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)((uint64_t)length >> (8 * i));
    assert_refused(bytes, 8 + length, NULL, QKV_ERROR_FORMAT, "100000000 are the most");
    free(bytes);
}

static void other_files_are_told_apart(void **state)
{
    (void)state;
    assert_refused("", 0, NULL, QKV_ERROR_FORMAT,
                   "neither an npy nor a safetensors file (0 bytes)");
    assert_refused("PK\x03\x04 and so on", 14, NULL, QKV_ERROR_FORMAT, "is a zip archive (.npz");
    assert_refused("1 2 3\n4 5 6\n", 12, NULL, QKV_ERROR_FORMAT, "neither an npy nor");
    /* JSON, but no object; and a space before it, which the format forbids. */
    file f = build("[]", NULL, 0);
    assert_refused(f.bytes, f.count, NULL, QKV_ERROR_FORMAT, "neither an npy nor");
    f = build(" {}", NULL, 0);
    assert_refused(f.bytes, f.count, NULL, QKV_ERROR_FORMAT, "neither an npy nor");
}

static void malformed_json_is_refused(void **state)
{
    (void)state;
    static const char *const headers[] = {
        "{",    "{]",          "{\"q\"}",  "{\"q\":}",      "{} x",
        "{}{}", "{\"q\":{},}", "{'q':{}}", "{\"\xff\":{}}", "{\"q\\u0000\":{}}",
    };
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        assert_header_refused(headers[i], QKV_ERROR_FORMAT, "safetensors header: ");
}

static void duplicate_names_are_refused(void **state)
{
    (void)state;
    assert_header_refused("{\"q\":{\"dtype\":\"F64\",\"shape\":[3],\"data_offsets\":[0,24]},"
                          "\"q\":{\"dtype\":\"F64\",\"shape\":[3],\"data_offsets\":[0,24]}}",
                          QKV_ERROR_FORMAT, "duplicate");
}

/* Two tensors [a, b) and [c, d) that should cover the 24 bytes of data, and do not. */
static void gaps_and_overlaps_are_refused(void **state)
{
    (void)state;
    static const struct {
        int a, b, c, d;
        const char *text;
    } cases[] = {
        {0, 8, 12, 24, "gap or overlap at byte 8"},
        {0, 12, 8, 24, "gap or overlap at byte 12"},
        {0, 24, 0, 24, "gap or overlap at byte 24"},
        {4, 12, 12, 24, "gap or overlap at byte 0"},
        {0, 24, 8, 12, "gap or overlap at byte 24"},
        {0, 8, 8, 20, "end at byte 20"},
        {0, 8, 8, 28, "end at byte 28"},
        {0, 24, 12, 12, "gap or overlap at byte 24"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char header[256];
        snprintf(header, sizeof header,
                 "{\"p\":{\"dtype\":\"F32\",\"shape\":[%d],\"data_offsets\":[%d,%d]},"
                 "\"q\":{\"dtype\":\"F32\",\"shape\":[%d],\"data_offsets\":[%d,%d]}}",
                 (cases[i].b - cases[i].a) / 4, cases[i].a, cases[i].b,
                 (cases[i].d - cases[i].c) / 4, cases[i].c, cases[i].d);
        assert_header_refused(header, QKV_ERROR_FORMAT, cases[i].text);
    }
}

/* One tensor "q" whose three fields are as given; 24 bytes of data would suit [0,24] alone. */
static void assert_entry_refused(const char *dtype, const char *shape, const char *offsets,
                                 const char *text)
{
    char header[256];
    snprintf(header, sizeof header, "{\"q\":{\"dtype\":%s,\"shape\":%s,\"data_offsets\":%s}}",
             dtype, shape, offsets);
    assert_header_refused(header, QKV_ERROR_FORMAT, text);
}

static void malformed_offsets_are_refused(void **state)
{
    (void)state;
    const char *lacks = "lacks a dtype, a shape or two data_offsets",
               *unfit = "do not fit its shape";
    static const char *const malformed[] = {
        "[0]",      "[0,24,24]", "24",         "null",     "{}",        "[-1,23]", "[0,-24]",
        "[0.0,24]", "[0,24.0]",  "[0,\"24\"]", "[0,true]", "[0,2.4e1]", "[]",      "\"0,24\"",
    };
    for (size_t i = 0; i < sizeof malformed / sizeof malformed[0]; i++)
        assert_entry_refused("\"F64\"", "[3]", malformed[i], lacks);
    assert_entry_refused("\"F64\"", "[3]", "[24,0]", unfit); /* falling, by 24 bytes and by as */
    assert_entry_refused("\"F64\"", "[2305843009213693949]", "[24,0]",
                         unfit); /* many modulo 2^64 */
    assert_entry_refused("\"F64\"", "[3]", "[0,16]", unfit);
    assert_entry_refused("\"F64\"", "[3]", "[0,9223372036854775807]", unfit);
    assert_entry_refused("\"F64\"", "[3]", "[9223372036854775800,9223372036854775807]", unfit);
    assert_entry_refused("\"F64\"", "[3]", "[9223372036854775783,9223372036854775807]",
                         "gap or overlap at byte 0");
    assert_entry_refused("\"F64\"", "[3]", "[0,18446744073709551640]", lacks);
}

/* Products that wrap: 2^61 + 3 doubles would be 24 bytes modulo 2^64. */
static void malformed_shapes_are_refused(void **state)
{
    (void)state;
    static const char *const shapes[] = {
        "[-3]",
        "[3.0]",
        "[\"3\"]",
        "[null]",
        "[4]",
        "[]",
        "[2305843009213693955]",
        "[4294967296,4294967296]",
        "[9223372036854775807,2]",
        "[[3]]",
        "[-1,-3]",
    };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        assert_entry_refused("\"F64\"", shapes[i], "[0,24]", "do not fit its shape");
    assert_entry_refused("\"F64\"", "3", "[0,24]", "lacks a dtype, a shape");
    assert_entry_refused("\"F64\"", "{\"0\":3}", "[0,24]", "lacks a dtype, a shape");
}

static void unknown_dtypes_are_refused(void **state)
{
    (void)state;
    assert_entry_refused("\"F128\"", "[3]", "[0,24]", "has unknown dtype \"F128\"");
    assert_entry_refused("\"f64\"", "[3]", "[0,24]", "has unknown dtype \"f64\"");
    assert_entry_refused("\"\"", "[3]", "[0,24]", "has unknown dtype \"\"");
    assert_entry_refused("64", "[3]", "[0,24]", "lacks a dtype");
}

static void missing_fields_are_refused(void **state)
{
    (void)state;
    static const char *const entries[] = {
        "{}",
        "[]",
        "null",
        "\"F64\"",
        "{\"shape\":[3],\"data_offsets\":[0,24]}",
        "{\"dtype\":\"F64\",\"data_offsets\":[0,24]}",
        "{\"dtype\":\"F64\",\"shape\":[3]}",
    };
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        char header[128];
        snprintf(header, sizeof header, "{\"q\":%s}", entries[i]);
        assert_header_refused(header, QKV_ERROR_FORMAT, "tensor \"q\" lacks a dtype, a shape or");
    }
}

/* A damaged neighbour is a damaged file, whichever tensor was asked for. */
static void every_entry_is_checked(void **state)
{
    (void)state;
    unsigned char data[8] = {0};
    file f = build("{\"q\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
                   "\"z\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[4,8]}}",
                   data, sizeof data);
    assert_refused(f.bytes, f.count, "q", QKV_ERROR_FORMAT, "tensor \"z\" has data_offsets [4, 8]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tensors_are_found_by_name),
        cmocka_unit_test(the_only_tensor_needs_no_name),
        cmocka_unit_test(padded_and_spread_headers_are_read),
        cmocka_unit_test(names_beyond_sixteen_bits_are_read),
        cmocka_unit_test(names_may_begin_with_each_other),
        cmocka_unit_test(all_types_are_read),
        cmocka_unit_test(empty_tensors_are_read),
        cmocka_unit_test(unaligned_tensors_are_copied),
        cmocka_unit_test(tensors_of_other_types_are_passed_over),
        cmocka_unit_test(absent_names_are_refused_with_the_present_ones),
        cmocka_unit_test(long_lists_of_names_are_cut),
        cmocka_unit_test(impossible_header_lengths_are_refused),
        cmocka_unit_test(headers_above_the_limit_are_refused),
        cmocka_unit_test(other_files_are_told_apart),
        cmocka_unit_test(malformed_json_is_refused),
        cmocka_unit_test(duplicate_names_are_refused),
        cmocka_unit_test(gaps_and_overlaps_are_refused),
        cmocka_unit_test(malformed_offsets_are_refused),
        cmocka_unit_test(malformed_shapes_are_refused),
        cmocka_unit_test(unknown_dtypes_are_refused),
        cmocka_unit_test(missing_fields_are_refused),
        cmocka_unit_test(every_entry_is_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
