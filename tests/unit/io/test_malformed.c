/*
 * Malformed npy and safetensors files, made by hand: each is refused with its status and a reason,
 * and before memory is taken for what it claims to hold. Where entries must be compared with each
 * other, one list of them is taken, which is smaller than the text it was made of.
 */
#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>

#include <qkv/file.h>

#include "base/memory.h"

#define FORMAT QKV_ERROR_FORMAT
#define SHAPE QKV_ERROR_SHAPE
#define TYPE QKV_ERROR_TYPE

typedef struct malformed {
    const char *header; /* what is malformed; "%" stands for a byte 0 */
    size_t data;        /* zero bytes behind it */
    qkv_status status;
    const char *reason;
} malformed;

#define NPY(descr, order, shape)                                                                   \
    "{'descr': " descr ", 'fortran_order': " order ", 'shape': " shape ", }"

static const malformed npy_headers[] = {
    {"", 0, FORMAT, "expected '{'"},
    {"{", 0, FORMAT, "expected a key"},
    {"{}", 0, FORMAT, "is missing"},
    {"[]", 0, FORMAT, "expected '{'"},
    {"{'descr': '<f8', 'fortran_order': False}", 8, FORMAT, "is missing"},
    {"{'descr': '<f8', 'shape': (1,)}", 8, FORMAT, "is missing"},
    {"{'fortran_order': False, 'shape': (1,)}", 8, FORMAT, "is missing"},
    {"{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1,)}", 8, FORMAT,
     "repeated key"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'more': 1}", 8, FORMAT,
     "unknown or repeated key"},
    {"{descr: '<f8', 'fortran_order': False, 'shape': (1,)}", 8, FORMAT, "expected a key"},
    {"{'descr' '<f8', 'fortran_order': False, 'shape': (1,)}", 8, FORMAT, "expected a key"},
    {"{'descr': '<f8 'fortran_order': False, 'shape': (1,)}", 8, TYPE, "has element type"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (1,)", 8, FORMAT, "expected ',' or '}'"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (1,)} x", 8, FORMAT,
     "after the dictionary"},
    {NPY("'<f8", "False", "(1,)"), 8, TYPE, "has element type"},
    {NPY("'<f16'", "False", "(1,)"), 16, TYPE, "has element type"},
    {NPY("'<i8'", "False", "(1,)"), 8, TYPE, "has element type"},
    {NPY("'<c16'", "False", "(1,)"), 16, TYPE, "has element type"},
    {NPY("'|O'", "False", "(1,)"), 8, TYPE, "Python objects"},
    {NPY("'|S8'", "False", "(1,)"), 8, TYPE, "has element type"},
    {NPY("'?f8'", "False", "(1,)"), 8, TYPE, "has element type"},
    {NPY("''", "False", "(1,)"), 8, TYPE, "has element type"},
    {NPY("[('a', '<f8')]", "False", "(1,)"), 8, FORMAT, "structured"},
    {NPY("'<f8'", "No", "(1,)"), 8, FORMAT, "neither True nor False"},
    {NPY("'<f8'", "0", "(1,)"), 8, FORMAT, "neither True nor False"},
    {NPY("'<f8'", "False", "[1]"), 8, FORMAT, "not a tuple"},
    {NPY("'<f8'", "False", "1"), 8, FORMAT, "not a tuple"},
    {NPY("'<f8'", "False", "()"), 8, SHAPE, "has rank 0"},
    {NPY("'<f8'", "False", "(1, 1, 1, 1, 1)"), 8, SHAPE, "has rank 5"},
    {NPY("'<f8'", "False", "(1 1)"), 8, FORMAT, "expected ',' or ')'"},
    {NPY("'<f8'", "False", "(1,,)"), 8, FORMAT, "not a number"},
    {NPY("'<f8'", "False", "(-1,)"), 8, FORMAT, "not a number"},
    {NPY("'<f8'", "False", "(1.0,)"), 8, FORMAT, "expected ',' or ')'"},
    {NPY("'<f8'", "False", "(0x1,)"), 8, FORMAT, "expected ',' or ')'"},
    {NPY("'<f8'", "False", "(one,)"), 8, FORMAT, "not a number"},
    {NPY("'<f8'", "False", "(2,)"), 8, FORMAT, "8 bytes of elements; expected 16"},
    {NPY("'<f8'", "False", "(1,)"), 7, FORMAT, "7 bytes of elements; expected 8"},
    {NPY("'<f8'", "False", "(1,)"), 9, FORMAT, "9 bytes of elements; expected 8"},
    {NPY("'<f8'", "False", "(0,)"), 8, FORMAT, "8 bytes of elements; expected 0"},
    {NPY("'<f8'", "False", "(18446744073709551615,)"), 8, SHAPE, "too large"},
    {NPY("'<f8'", "False", "(18446744073709551616,)"), 8, FORMAT, "too large"},
    {NPY("'<f8'", "False", "(4294967296, 4294967296)"), 8, SHAPE, "too large"},
    {NPY("'<f8'", "False", "(2305843009213693953,)"), 8, SHAPE, "too large"},
    {NPY("'<f8'", "False", "(1000000000000,)"), 8, FORMAT, "expected 8000000000000"},
};

#define ENTRY(dtype, shape, offsets)                                                               \
    "{\"q\":{\"dtype\":" dtype ",\"shape\":" shape ",\"data_offsets\":" offsets "}}"
#define TWO(a, b)                                                                                  \
    "{\"a\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":" a "},"                             \
    "\"b\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":" b "}}"

static const malformed safetensors_headers[] = {
    {"{", 8, FORMAT, "expected a string"},
    {"{]", 8, FORMAT, "expected a string"},
    {"{\"q\"}", 8, FORMAT, "expected ':'"},
    {"{\"q\":}", 8, FORMAT, "expected a value"},
    {"{\"q\":1,}", 8, FORMAT, "expected a string"},
    {"{\"q\":01}", 8, FORMAT, "begins with 0"},
    {"{\"q\":1.}", 8, FORMAT, "expected digits"},
    {"{\"q\":1e}", 8, FORMAT, "expected digits"},
    {"{\"q\":1e", 8, FORMAT, "expected digits"},
    {"{\"q\":+1}", 8, FORMAT, "expected a value"},
    {"{\"q\":-}", 8, FORMAT, "expected a value"},
    {"{\"q\":-", 8, FORMAT, "expected a value"},
    {"{\"q\":-1E-5}", 8, FORMAT, "tensor \"q\" lacks"},
    {"{\"a name of seventy characters, of which a message shows no more than 64.\":1}", 8, FORMAT,
     "a message shows no more t\" lacks"},
    {"{\"q\":nul}", 8, FORMAT, "expected a value"},
    {"{\"q\":[1}", 8, FORMAT, "expected ',' or ']'"},
    {"{\"q\":{\"a\":1]}", 8, FORMAT, "expected ',' or '}'"},
    {"{\"q", 8, FORMAT, "has no end"},
    {"{\"\xff\":1}", 8, FORMAT, "invalid character"},
    {"{\"\xc0\x80\":1}", 8, FORMAT, "invalid character"},
    {"{\"\xed\xa0\x80\":1}", 8, FORMAT, "invalid character"},
    {"{\"a\nb\":1}", 8, FORMAT, "invalid character"},
    {"{\"a%\":1}", 8, FORMAT, "invalid character"},
    {"{\"\\x\":1}", 8, FORMAT, "invalid character"},
    {"{\"\\u12\":1}", 8, FORMAT, "invalid character"},
    {"{\"\\u0000\":1}", 8, FORMAT, "invalid character"},
    {"{\"\\ud800\":1}", 8, FORMAT, "invalid character"},
    {"{\"\\udc00\":1}", 8, FORMAT, "invalid character"},
    {"{\"\\ud800\\ud800\":1}", 8, FORMAT, "invalid character"},
    {"{\"\\ud800\\ue000\":1}", 8, FORMAT, "invalid character"},
    {"{\"\\ud800\\u0041\":1}", 8, FORMAT, "invalid character"},
    {"{\"\\ud800x12345\":1}", 8, FORMAT, "invalid character"},
    {"{\"\\ud800\\n12345\":1}", 8, FORMAT, "invalid character"},
    {"{\"\\u00%0\":1}", 8, FORMAT, "invalid character"},
    {"{\"\\u12", 8, FORMAT, "invalid character"},
    {"{\"\\", 8, FORMAT, "invalid character"},
    {"{} x", 8, FORMAT, "after the end"},
    {"{}{}", 8, FORMAT, "after the end"},
    {"{\"__metadata__\":{\"a\":}}", 0, FORMAT, "expected a value"},
    {"{\"q\":1}", 8, FORMAT, "tensor \"q\" lacks"},
    {"{\"q\":[]}", 8, FORMAT, "tensor \"q\" lacks"},
    {"{\"q\":{}}", 8, FORMAT, "tensor \"q\" lacks"},
    {"{\"q\":{\"dtype\":\"F64\",\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[0,8]}}", 8,
     FORMAT, "tensor \"q\" lacks"},
    {ENTRY("null", "[1]", "[0,8]"), 8, FORMAT, "lacks a dtype"},
    {ENTRY("\"F65\"", "[1]", "[0,8]"), 8, FORMAT, "unknown dtype \"F65\""},
    {ENTRY("\"F64\\u0031\"", "[1]", "[0,8]"), 8, FORMAT, "unknown dtype \"F641\""},
    {ENTRY("\"F64\"", "1", "[0,8]"), 8, FORMAT, "a shape"},
    {ENTRY("\"F64\"", "[-1]", "[0,8]"), 8, FORMAT, "do not fit its shape"},
    {ENTRY("\"F64\"", "[1.0]", "[0,8]"), 8, FORMAT, "do not fit its shape"},
    {ENTRY("\"F64\"", "[1e0]", "[0,8]"), 8, FORMAT, "do not fit its shape"},
    {ENTRY("\"F64\"", "[\"1\"]", "[0,8]"), 8, FORMAT, "do not fit its shape"},
    {ENTRY("\"F64\"", "[18446744073709551616]", "[0,8]"), 8, FORMAT, "do not fit its shape"},
    {ENTRY("\"F64\"", "[4294967296,4294967296,2]", "[0,0]"), 0, FORMAT, "do not fit its shape"},
    {ENTRY("\"F64\"", "[1000000000000]", "[0,8]"), 8, FORMAT, "do not fit its shape"},
    {ENTRY("\"F64\"", "[1]", "[0]"), 8, FORMAT, "two data_offsets"},
    {ENTRY("\"F64\"", "[1]", "[0,8,8]"), 8, FORMAT, "two data_offsets"},
    {ENTRY("\"F64\"", "[1]", "[-8,0]"), 8, FORMAT, "two data_offsets"},
    {ENTRY("\"F64\"", "[1]", "[8,0]"), 8, FORMAT, "do not fit its shape"},
    {ENTRY("\"F64\"", "[1]", "[0,8]"), 7, FORMAT, "end at byte 8 of the data; expected 7"},
    {ENTRY("\"F64\"", "[1]", "[0,8]"), 9, FORMAT, "end at byte 8 of the data; expected 9"},
    {ENTRY("\"F64\"", "[1]", "[8,16]"), 16, FORMAT, "gap or overlap at byte 0"},
    {ENTRY("\"F64\"", "[1]", "[18446744073709551600,18446744073709551608]"), 8, FORMAT,
     "gap or overlap at byte 0"},
    {ENTRY("\"F64\"", "[1000000000000]", "[0,8000000000000]"), 8, FORMAT,
     "end at byte 8000000000000 of the data; expected 8"},
    {TWO("[0,8]", "[0,8]"), 8, FORMAT, "gap or overlap at byte 8"},
    {TWO("[0,8]", "[4,12]"), 12, FORMAT, "gap or overlap at byte 8"},
    {TWO("[0,8]", "[16,24]"), 24, FORMAT, "gap or overlap at byte 8"},
    {"{\"a\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[0,8]},"
     "\"\\u0061\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[8,16]}}",
     16, FORMAT, "duplicate name \"a\""},
};

/* Whole files, which have no header to speak of. */
static const struct {
    const char *bytes;
    size_t count;
    const char *reason;
} files[] = {
    {"", 0, "neither"},
    {"\x93", 1, "neither"},
    {"\x93NUMPX\x01\x00\x02\x00{}", 12, "neither"},
    {"\x93NUMPY", 6, "ends within"},
    {"\x93NUMPY\x01\x00\x02", 9, "ends within"},
    {"\x93NUMPY\x00\x00\x02\x00{}", 12, "version 0.0"},
    {"\x93NUMPY\x04\x00\x02\x00{}", 12, "version 4.0"},
    {"\x93NUMPY\x01\x01\x02\x00{}", 12, "version 1.1"},
    {"\x93NUMPY\x01\x00\x03\x00{}", 12, "ends within"},
    {"\x93NUMPY\x02\x00\xff\xff\xff\xff{}", 14, "ends within"},
    {"\x02\x00\x00\x00\x00\x00\x00\x00[]", 10, "neither"},
    {"\x03\x00\x00\x00\x00\x00\x00\x00{}", 10, "claims a safetensors header of 3 bytes"},
    {"\xff\xff\xff\xff\xff\xff\xff\xff{}", 10, "18446744073709551615 bytes"},
    {"\x00\xe1\xf5\x05\x00\x00\x00\x00{}", 10, "claims a safetensors header of 100000000 bytes"},
    {"PK\x03\x04zip archive", 15, "zip archive"},
};

/* ---- The tests ------------------------------------------------------------------------------- */

/* Refused, with that many allocations, on a copy that ends where the bytes end. */
static void assert_refused(const unsigned char *bytes, size_t count, qkv_status status,
                           const char *reason, const char *what, long allocations)
{
    enum { MANY = 1000 };
    qkv_tensor *tensor = NULL;
    qkv_error error = {.message = ""};
    unsigned char *copy = malloc(count + 1);
    assert_non_null(copy);
    memcpy(copy + 1, bytes, count);
    qkv__memory_fail_after(MANY);
    const qkv_status got = qkv_tensor_parse(copy + 1, count, NULL, &tensor, &error);
    const long made = MANY - qkv__memory_fail_after(-1);
    free(copy);
    if (got != status || tensor != NULL || strstr(error.message, reason) == NULL)
        fail_msg("%s: status %d, \"%s\"", what, (int)got, error.message);
    if (made > allocations) fail_msg("%s: %ld allocations", what, made);
}

/* `%` becomes a byte 0, which a string of C cannot hold. */
static size_t put_header(unsigned char *to, const char *header)
{
    size_t length = strlen(header);
    for (size_t i = 0; i < length; i++) to[i] = header[i] == '%' ? 0 : (unsigned char)header[i];
    return length;
}

static void test_npy(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof npy_headers / sizeof npy_headers[0]; i++)
        for (unsigned char major = 1; major <= 3; major++) {
            const malformed *m = &npy_headers[i];
            unsigned char bytes[512] = "\x93NUMPY";
            const size_t start = major == 1 ? 10 : 12,
                         length = put_header(bytes + start, m->header);
            bytes[6] = major;
            bytes[8] = (unsigned char)length;
            assert_refused(bytes, start + length + m->data, m->status, m->reason, m->header, 0);
        }
}

static void test_safetensors(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof safetensors_headers / sizeof safetensors_headers[0]; i++) {
        const malformed *m = &safetensors_headers[i];
        unsigned char bytes[512] = {0};
        const size_t length = put_header(bytes + 8, m->header);
        bytes[0] = (unsigned char)length;
        assert_refused(bytes, 8 + length + m->data, m->status, m->reason, m->header, 1);
    }
}

static void test_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        assert_refused((const unsigned char *)files[i].bytes, files[i].count, FORMAT,
                       files[i].reason, files[i].reason, 0);
}

/* Nesting is refused before the stack is in danger, and a long list without memory for each. */
static void test_deep_and_long(void **state)
{
    (void)state;
    enum { SIZE = 1 << 20 };
    static unsigned char bytes[SIZE];
    static const char *const pieces[] = {"[", "{\"a\":", "[],", "\"a\":1,"};
    for (size_t p = 0; p < sizeof pieces / sizeof pieces[0]; p++) {
        const size_t length = strlen(pieces[p]), times = (SIZE - 64) / length;
        size_t at = 8;
        memset(bytes, 0, 8);
        at += put_header(bytes + at, p == 2 ? "{\"q\":[" : p == 3 ? "{" : "{\"q\":");
        for (size_t i = 0; i < times; i++) at += put_header(bytes + at, pieces[p]);
        at += put_header(bytes + at, p == 2 ? "1]}" : p == 3 ? "\"q\":1}" : "1");
        for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)((at - 8) >> (8 * i));
        assert_refused(bytes, at, FORMAT, p < 2 ? "nested too deep" : "lacks", pieces[p], 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_npy),
        cmocka_unit_test(test_safetensors),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_deep_and_long),
    };
    return cmocka_run_group_tests_name("malformed", tests, NULL, NULL);
}
