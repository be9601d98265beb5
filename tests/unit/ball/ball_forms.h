/*
 * What the ball room's tests share: an algebra, short names for building forms and boxes, random
 * forms, and the judge: an independent evaluation in long double with a bound of its own error.
 */
#ifndef TESTS_UNIT_BALL_FORMS_H
#define TESTS_UNIT_BALL_FORMS_H

#include "support/check.h"
#include "support/random.h"

#include "ball/box.h"
#include "ball/enclosure.h"

typedef const qkv__form *form;

/* beta >= 0; n whole, >= 1; d > 0; x any number. */
enum { BETA, N, D, X };

extern qkv__algebra algebra;

/* Fixtures: a fresh algebra, and the check that all memory was given back. */
int set_up(void **state);
int tear_down(void **state);

#define BALL_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/* ---- Forms --------------------------------------------------------------------------------- */

form whole(int64_t value);
form fraction(int64_t above, int64_t below);
form parameter(int p);
form plus(form a, form b);
form minus(form a, form b);
form times(form a, form b);
form power(form a, int exponent);
form e_to(form a);
qkv__ratio over(form a, form b);

/* ---- Boxes --------------------------------------------------------------------------------- */

qkv__box everywhere(void);
qkv__bound at(qkv__rational value);
qkv__box fixed(qkv__box box, int p, int64_t above, int64_t below);
qkv__box between(qkv__box box, int p, qkv__rational lower, qkv__rational upper);
qkv__box from(qkv__box box, int p, int64_t lower);

/* ---- The judge ----------------------------------------------------------------------------- */

/* A value and how far from the truth it may be. */
typedef struct judged {
    long double value, error;
} judged;

long double number(qkv__rational value);
judged judge(form a, const qkv__point *point);
judged judge_ratio(qkv__ratio a, const qkv__point *point);
bool is_judged_inside(judged truth, const qkv__enclosure *enclosure);
bool is_text_inside(judged truth, const char *text);

/* ---- Random forms -------------------------------------------------------------------------- */

int64_t random_between(random_source *source, int64_t lower, int64_t upper);
form random_form(random_source *source);
qkv__point random_point(random_source *source);
qkv__box box_of_point(const qkv__point *point);
qkv__box random_box(random_source *source, size_t fixed_of_three);
qkv__point random_point_in(random_source *source, const qkv__box *box);

/* A fresh algebra now and then, so that memory stays small. */
void forget_forms_now_and_then(size_t i);

#endif
