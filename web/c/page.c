/* Numbers and texts between JavaScript and C. Knows nothing of what they mean. */
#include "page.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct array {
    double *data;
    size_t count;
} array;

static array numbers, results;
static char *input, *answer;
static size_t input_length, answer_length;

/* An array with room for so many numbers; what was in it may be lost. */
static double *make_room(array *a, size_t count)
{
    if (count > a->count || a->data == NULL) {
        free(a->data);
        a->data = count > SIZE_MAX / sizeof *a->data ? NULL : calloc(count, sizeof *a->data);
        a->count = a->data == NULL ? 0 : count;
    }
    return a->data;
}

double *page_numbers(void)
{
    return numbers.data;
}

size_t page_number_count(void)
{
    return numbers.count;
}

double *page_results(size_t count)
{
    return make_room(&results, count);
}

const char *page_input(size_t *length)
{
    *length = input_length;
    return input == NULL ? "" : input;
}

void page_answer(char *text, size_t length)
{
    free(answer);
    answer = text;
    answer_length = length;
}

bool page_fail(const char *message)
{
    size_t length = strlen(message);
    char *copy = malloc(length + 1);
    if (copy != NULL) memcpy(copy, message, length + 1);
    page_answer(copy, copy == NULL ? 0 : length);
    return false;
}

bool page_answer_figure(qkv_figure **figure)
{
    qkv_picture picture;
    qkv_error error;
    qkv_status status = qkv_figure_render(*figure, QKV_PICTURE_SVG, 0, &picture, &error);
    qkv_figure_free(figure);
    if (status != QKV_OK) return page_fail(error.message);
    char *copy = malloc(picture.length + 1);
    if (copy != NULL) memcpy(copy, picture.data, picture.length + 1);
    page_answer(copy, copy == NULL ? 0 : picture.length);
    qkv_picture_free(&picture);
    return copy != NULL || page_fail("out of memory");
}

/* ---- What JavaScript calls ----------------------------------------------------------------- */

PAGE_EXPORT("numbers") double *export_numbers(size_t count)
{
    return make_room(&numbers, count);
}

PAGE_EXPORT("results") double *export_results(void)
{
    return results.data;
}

/* Room for a text of so many bytes. */
PAGE_EXPORT("input") char *export_input(size_t length)
{
    free(input);
    input = malloc(length + 1);
    input_length = input == NULL ? 0 : length;
    if (input != NULL) input[length] = '\0';
    return input;
}

PAGE_EXPORT("answer") const char *export_answer(void)
{
    return answer;
}

PAGE_EXPORT("answer_length") size_t export_answer_length(void)
{
    return answer_length;
}
