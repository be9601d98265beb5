/*
 * Reading .npy files, from the format's definition (NumPy's NEP 1): files are put together here,
 * byte by byte, and never by the library's own writer. Every file that is accepted is also cut at
 * every length, which must be refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
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
    unsigned char bytes[1024];
    size_t count;
} file;

/* Magic, version, length of the header in 2 or 4 bytes with the lowest first, header, elements. */
static file build(int major, const char *header, const void *elements, size_t size)
{
    file f = {.bytes = {0x93, 'N', 'U', 'M', 'P', 'Y', (unsigned char)major, 0}, .count = 8};
    size_t length = strlen(header);
    for (int i = 0; i < (major == 1 ? 2 : 4); i++)
        f.bytes[f.count++] = (unsigned char)(length >> (8 * i));
    assert_true(f.count + length + size <= sizeof f.bytes);
    memcpy(f.bytes + f.count, header, length);
    if (size > 0) memcpy(f.bytes + f.count + length, elements, size);
    f.count += length + size;
    return f;
}

static qkv_tensor *parse(const file *f)
{
    qkv_tensor *tensor = NULL;
    qkv_error error = {.message = ""};
    if (qkv_tensor_parse(f->bytes, f->count, NULL, &tensor, &error) != QKV_OK)
        fail_msg("refused: %s", error.message);
    return tensor;
}

/* Refused with this status and with a message that contains `text`; *tensor is left alone. */
static void assert_refused(const void *bytes, size_t count, qkv_status status, const char *text)
{
    qkv_tensor *tensor = (qkv_tensor *)&tensor, *before = tensor;
    qkv_error error = {.message = ""};
    assert_int_equal(qkv_tensor_parse(bytes, count, NULL, &tensor, &error), status);
    assert_int_equal(error.status, status);
    assert_ptr_equal(tensor, before);
    if (strstr(error.message, text) == NULL)
        fail_msg("the message \"%s\" lacks \"%s\"", error.message, text);
}

/* A header that is refused, whatever its elements; 24 bytes of them follow. */
static void assert_header_refused(const char *header, qkv_status status, const char *text)
{
    const unsigned char elements[24] = {0};
    file f = build(1, header, elements, sizeof elements);
    assert_refused(f.bytes, f.count, status, text);
}

/* Cut anywhere, or one byte longer, the file is refused. Exact copies let a sanitizer see a read
 * behind the end. */
static void assert_exact_length_needed(const file *f)
{
    qkv_tensor *tensor = NULL;
    bool alone = qkv_tensor_parse("", 0, NULL, &tensor, NULL) == QKV_ERROR_UNSUPPORTED;
    /* Less than the magic might be a file of the other format, where a build cannot read those. */
    for (size_t count = alone ? 6 : 0; count < f->count; count++) {
        unsigned char *cut = malloc(count + 1);
        assert_non_null(cut);
        memcpy(cut + 1, f->bytes, count);
        assert_refused(cut + 1, count, QKV_ERROR_FORMAT, "bytes: ");
        free(cut);
    }
    file longer = *f;
    longer.bytes[longer.count++] = 0;
    assert_refused(longer.bytes, longer.count, QKV_ERROR_FORMAT, "bytes of elements; expected");
}

static double element(const qkv_view *view, size_t i, size_t j)
{
    const size_t index[QKV_MAX_RANK] = {i, j};
    return qkv__load(view->type, view->data, qkv__view_offset(view, index));
}

/* ---- What is read ------------------------------------------------------------------------- */

/* numpy.save of arange(6, dtype='<f4').reshape(2, 3): its header of 118 bytes, to the byte. */
static void a_file_of_numpy_is_read(void **state)
{
    (void)state;
    const float numbers[6] = {0, 1, 2, 3, 4, 5};
    char header[119];
    snprintf(header, sizeof header, "%-117s\n",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }");
    file f = build(1, header, numbers, sizeof numbers);
    assert_int_equal(f.count, 128 + sizeof numbers);
    qkv_tensor *tensor = parse(&f);
    const qkv_view *view = qkv_tensor_view(tensor);
    assert_int_equal(view->type, QKV_F32);
    assert_int_equal(view->rank, 2);
    assert_int_equal(view->shape[0], 2);
    assert_int_equal(view->shape[1], 3);
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < 3; j++) assert_true(element(view, i, j) == (double)(3 * i + j));
    qkv_tensor_free(&tensor);
    assert_null(tensor);
    assert_exact_length_needed(&f);
}

static void versions_1_2_and_3_are_read(void **state)
{
    (void)state;
    const double numbers[3] = {1.5, -2, 1e300};
    for (int major = 1; major <= 3; major++) {
        file f = build(major, "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }\n",
                       numbers, sizeof numbers);
        qkv_tensor *tensor = parse(&f);
        assert_memory_equal(qkv_tensor_view(tensor)->data, numbers, sizeof numbers);
        qkv_tensor_free(&tensor);
        assert_exact_length_needed(&f);
    }
}

/* The first axis runs fastest: element (i, j) is the one at 2j + i. */
static void fortran_order_becomes_strides(void **state)
{
    (void)state;
    const double numbers[6] = {0, 1, 2, 3, 4, 5};
    file f = build(1, "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }", numbers,
                   sizeof numbers);
    qkv_tensor *tensor = parse(&f);
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < 3; j++)
            assert_true(element(qkv_tensor_view(tensor), i, j) == (double)(2 * j + i));
    qkv_tensor_free(&tensor);
}

/* The numbers 1.5 and -2 as the bytes of each type, lowest byte first. */
static const struct type_case {
    const char *name;
    qkv_type type;
    size_t size;
    unsigned char bytes[16];
} type_cases[] = {
    {"f2", QKV_F16, 2, {0x00, 0x3e, 0x00, 0xc0}},
    {"f4", QKV_F32, 4, {0, 0, 0xc0, 0x3f, 0, 0, 0, 0xc0}},
    {"f8", QKV_F64, 8, {0, 0, 0, 0, 0, 0, 0xf8, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0xc0}},
};

static void check_type(const struct type_case *type, char order)
{
    unsigned char bytes[16];
    char header[80];
    for (size_t i = 0; i < 2 * type->size; i++) {
        size_t within = i % type->size, start = i - within;
        bytes[i] = type->bytes[start + (order == '>' ? type->size - 1 - within : within)];
    }
    snprintf(header, sizeof header, "{'descr': '%c%s', 'fortran_order': False, 'shape': (2,)}",
             order, type->name);
    file f = build(1, header, bytes, 2 * type->size);
    qkv_tensor *tensor = parse(&f);
    assert_int_equal(qkv_tensor_view(tensor)->type, type->type);
    assert_true(element(qkv_tensor_view(tensor), 0, 0) == 1.5);
    assert_true(element(qkv_tensor_view(tensor), 1, 0) == -2);
    qkv_tensor_free(&tensor);
    assert_exact_length_needed(&f);
}

static void all_types_and_byte_orders_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof type_cases / sizeof type_cases[0]; i++) {
        check_type(&type_cases[i], '<');
        check_type(&type_cases[i], '>');
        const uint16_t probe = 1;
        /* '=' and '|' stand for the order of the machine that reads. */
        if (*(const unsigned char *)&probe == 0) continue;
        check_type(&type_cases[i], '=');
        check_type(&type_cases[i], '|');
    }
}

static void booleans_are_read(void **state)
{
    (void)state;
    const unsigned char truth[4] = {0, 1, 1, 0};
    file f = build(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (2, 2)}", truth, 4);
    qkv_tensor *tensor = parse(&f);
    assert_int_equal(qkv_tensor_view(tensor)->type, QKV_BOOL);
    assert_memory_equal(qkv_tensor_view(tensor)->data, truth, 4);
    qkv_tensor_free(&tensor);
}

/* What Python would read as the same dictionary; each holds a tensor of shape (3, 2). */
static void all_spellings_of_a_header_are_read(void **state)
{
    (void)state;
    static const char *const headers[] = {
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3L, 2L), }",
        "{'shape': (3, 2), 'fortran_order': False, 'descr': '<f4'}",
        "{\"fortran_order\": False, \"descr\": \"<f4\", 'shape': (3,2)}",
        "{'descr':'<f4','fortran_order':False,'shape':(3,2)}",
        " \t{ 'descr' : '<f4' ,\n 'fortran_order' : False ,\r\n 'shape' : ( 3 , 2 , ) , } \n",
    };
    const float numbers[6] = {0, 1, 2, 3, 4, 5};
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        file f = build(1, headers[i], numbers, sizeof numbers);
        qkv_tensor *tensor = parse(&f);
        assert_int_equal(qkv_tensor_view(tensor)->rank, 2);
        assert_true(element(qkv_tensor_view(tensor), 2, 1) == 5);
        qkv_tensor_free(&tensor);
        assert_exact_length_needed(&f);
    }
}

static void all_ranks_and_empty_shapes_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *shape;
        int rank;
        size_t count;
    } cases[] = {{"(6,)", 1, 6},      {"(3, 2)", 2, 6},
                 {"(3, 1, 2)", 3, 6}, {"(1, 3, 1, 2)", 4, 6},
                 {"(0,)", 1, 0},      {"(0, 5)", 2, 0},
                 {"(5, 0, 7)", 3, 0}, {"(9999999999999999, 9999999999999999, 0)", 3, 0}};
    const float numbers[6] = {0, 1, 2, 3, 4, 5};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char header[128];
        snprintf(header, sizeof header, "{'descr': '<f4', 'fortran_order': False, 'shape': %s}",
                 cases[i].shape);
        file f = build(1, header, numbers, 4 * cases[i].count);
        qkv_tensor *tensor = parse(&f);
        const qkv_view *view = qkv_tensor_view(tensor);
        assert_int_equal(view->rank, cases[i].rank);
        assert_int_equal(qkv_view_count(view), cases[i].count);
        assert_int_equal(qkv__view_check(view, "tensor", NULL), QKV_OK);
        qkv_tensor_free(&tensor);
    }
}

/* ---- What is refused ---------------------------------------------------------------------- */

static void other_versions_are_refused(void **state)
{
    (void)state;
    const float number = 1;
    const char *header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}";
    file f = build(0, header, &number, sizeof number);
    assert_refused(f.bytes, f.count, QKV_ERROR_FORMAT, "npy version 0.0; expected 1.0, 2.0 or 3.0");
    f = build(4, header, &number, sizeof number);
    assert_refused(f.bytes, f.count, QKV_ERROR_FORMAT, "npy version 4.0");
    f = build(1, header, &number, sizeof number);
    f.bytes[7] = 1;
    assert_refused(f.bytes, f.count, QKV_ERROR_FORMAT, "npy version 1.1");
}

static void other_element_types_are_refused(void **state)
{
    (void)state;
    static const char *const types[] = {"<i4",  "<i8", "|i2",  "|u1", "<c8",     "<c16",
                                        "<f16", "|V2", "<U5",  "|S3", "<M8[ns]", "<e2",
                                        "f4",   "<f",  "<f44", ""};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        char header[80], expected[80];
        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (3,)}",
                 types[i]);
        snprintf(expected, sizeof expected, "has element type '%s'; expected f8, f4, f2, b1 or i1",
                 types[i]);
        assert_header_refused(header, QKV_ERROR_TYPE, expected);
    }
    assert_header_refused("{'descr': '|O', 'fortran_order': False, 'shape': (3,)}", QKV_ERROR_TYPE,
                          "'|O' (Python objects)");
    assert_header_refused("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (3,)}",
                          QKV_ERROR_FORMAT, "structured arrays are not supported");
}

/* A zero byte is no byte order, although the list of orders ends in one. */
static void a_zero_byte_in_the_type_is_refused(void **state)
{
    (void)state;
    const float numbers[3] = {0};
    file f = build(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}", numbers, 12);
    *(unsigned char *)memchr(f.bytes, '<', f.count) = 0;
    assert_refused(f.bytes, f.count, QKV_ERROR_TYPE, "has element type");
}

static void ranks_0_and_5_are_refused(void **state)
{
    (void)state;
    assert_header_refused("{'descr': '<f8', 'fortran_order': False, 'shape': ()}", QKV_ERROR_SHAPE,
                          "has rank 0; expected 1 to 4");
    assert_header_refused("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1, 1, 1, 3)}",
                          QKV_ERROR_SHAPE, "has rank 5; expected 1 to 4");
}

/* Products that wrap to what the file holds: 2^61 * 8 = 2^64, (2^32)^2 = 2^64. */
static void sizes_that_overflow_are_refused(void **state)
{
    (void)state;
    assert_header_refused(
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2305843009213693955,)}",
        QKV_ERROR_SHAPE, "(2305843009213693955,) is too large");
    assert_header_refused(
        "{'descr': '|b1', 'fortran_order': False, 'shape': (4294967296, 4294967296, 24)}",
        QKV_ERROR_SHAPE, "is too large");
    assert_header_refused(
        "{'descr': '|b1', 'fortran_order': False, 'shape': (9223372036854775808,)}",
        QKV_ERROR_SHAPE, "is too large");
    assert_header_refused(
        "{'descr': '|b1', 'fortran_order': False, 'shape': (18446744073709551640,)}",
        QKV_ERROR_FORMAT, "a size in shape is not a number, or is too large");
}

static void sizes_that_differ_from_the_file_are_refused(void **state)
{
    (void)state;
    assert_header_refused("{'descr': '<f8', 'fortran_order': False, 'shape': (4,)}",
                          QKV_ERROR_FORMAT,
                          "has 24 bytes of elements; expected 32 for f64 of shape (4,)");
}

/* Each is one step away from a header that is read. */
static void malformed_headers_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *header, *text;
    } cases[] = {
        {"", "expected '{'"},
        {"'descr': '<f8'", "expected '{'"},
        {"{", "expected a key"},
        {"{}", "missing"},
        {"{'fortran_order': False, 'shape': (3,)}", "missing"},
        {"{'descr': '<f8', 'shape': (3,)}", "missing"},
        {"{'descr': '<f8', 'fortran_order': False}", "missing"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (3,), 'shape': (3,)}", "repeated key"},
        {"{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (3,)}", "repeated key"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (3,), 'extra': 1}", "unknown"},
        {"{'descr' '<f8', 'fortran_order': False, 'shape': (3,)}", "expected a key"},
        {"{'descr: '<f8', 'fortran_order': False, 'shape': (3,)}", "expected a key"},
        {"{descr: '<f8', 'fortran_order': False, 'shape': (3,)}", "expected a key"},
        {"{'descr\": '<f8', 'fortran_order': False, 'shape': (3,)}", "expected a key"},
        {"{'descr': '<f8' 'fortran_order': False, 'shape': (3,)}", "expected ',' or '}'"},
        {"{'descr': '<f8',, 'fortran_order': False, 'shape': (3,)}", "expected a key"},
        {"{'descr': '<f8', 'fortran_order': 0, 'shape': (3,)}", "neither True nor False"},
        {"{'descr': '<f8', 'fortran_order': false, 'shape': (3,)}", "neither True nor False"},
        {"{'descr': '<f8', 'fortran_order': Falsehood, 'shape': (3,)}", "expected ',' or '}'"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': 3}", "shape is not a tuple"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': [3]}", "shape is not a tuple"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (3}", "expected ',' or ')'"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (,)}", "a size in shape"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (3,,)}", "a size in shape"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (-3,)}", "a size in shape"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (3.0,)}", "expected ',' or ')'"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (3LL,)}", "expected ',' or ')'"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (3 1)}", "expected ',' or ')'"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (3,)", "expected ',' or '}'"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (3,)} x", "text after"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (3,)}}", "text after"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_header_refused(cases[i].header, QKV_ERROR_FORMAT, cases[i].text);
}

static void header_lengths_beyond_the_file_are_refused(void **state)
{
    (void)state;
    const double numbers[3] = {0};
    const char *header = "{'descr': '<f8', 'fortran_order': False, 'shape': (3,)}";
    for (int major = 1; major <= 3; major++) {
        file f = build(major, header, numbers, sizeof numbers);
        memset(f.bytes + 8, 0xff, major == 1 ? 2 : 4);
        assert_refused(f.bytes, f.count, QKV_ERROR_FORMAT, "ends within the npy header");
    }
    file f = build(1, header, NULL, 0);
    f.bytes[8]++; /* one more than there is */
    assert_refused(f.bytes, f.count, QKV_ERROR_FORMAT, "ends within the npy header");
}

static void a_name_is_refused(void **state)
{
    (void)state;
    const double numbers[3] = {0};
    file f = build(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (3,)}", numbers, 24);
    qkv_tensor *tensor = NULL;
    qkv_error error;
    assert_int_equal(qkv_tensor_parse(f.bytes, f.count, "q", &tensor, &error), QKV_ERROR_ARGUMENT);
    assert_string_equal(error.message, "bytes: is an npy file and has no tensor named \"q\"");
    assert_null(tensor);
}

/* The error may be left out everywhere. */
static void a_missing_error_is_no_error(void **state)
{
    (void)state;
    qkv_tensor *tensor = NULL;
    assert_int_equal(qkv_tensor_parse("\x93NUMPY", 6, NULL, &tensor, NULL), QKV_ERROR_FORMAT);
    assert_int_equal(qkv_tensor_parse(NULL, 0, NULL, &tensor, NULL), QKV_ERROR_ARGUMENT);
    assert_null(tensor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_of_numpy_is_read),
        cmocka_unit_test(versions_1_2_and_3_are_read),
        cmocka_unit_test(fortran_order_becomes_strides),
        cmocka_unit_test(all_types_and_byte_orders_are_read),
        cmocka_unit_test(booleans_are_read),
        cmocka_unit_test(all_spellings_of_a_header_are_read),
        cmocka_unit_test(all_ranks_and_empty_shapes_are_read),
        cmocka_unit_test(other_versions_are_refused),
        cmocka_unit_test(other_element_types_are_refused),
        cmocka_unit_test(a_zero_byte_in_the_type_is_refused),
        cmocka_unit_test(ranks_0_and_5_are_refused),
        cmocka_unit_test(sizes_that_overflow_are_refused),
        cmocka_unit_test(sizes_that_differ_from_the_file_are_refused),
        cmocka_unit_test(malformed_headers_are_refused),
        cmocka_unit_test(header_lengths_beyond_the_file_are_refused),
        cmocka_unit_test(a_name_is_refused),
        cmocka_unit_test(a_missing_error_is_no_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
