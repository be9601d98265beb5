/*
 * The lexer of the claim language: texts against the tokens that the manual promises, spelt out.
 * A text is shown as its tokens with a blank between them: names and signs in their ASCII spelling,
 * numbers as fractions, and END where a statement ends.
 */
#include "support/check.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/text.h"
#include "language/token.h"

/* ---- Helpers ------------------------------------------------------------------------------ */

static void show_token(const qkv__token *token, qkv__text *shown)
{
    if (shown->length > 0) qkv__text_append(shown, " ", 1);
    switch (token->kind) {
    case QKV__TOKEN_END: qkv__text_format(shown, "END"); break;
    case QKV__TOKEN_ERROR: qkv__text_format(shown, "ERROR"); break;
    case QKV__TOKEN_NUMBER:
    case QKV__TOKEN_FRACTION:
    case QKV__TOKEN_EXPONENT:
        qkv__text_format(shown, "%s%" PRId64, token->kind == QKV__TOKEN_EXPONENT ? "^" : "",
                         token->value.numerator);
        if (token->value.denominator != 1)
            qkv__text_format(shown, "/%" PRId64, token->value.denominator);
        break;
    case QKV__TOKEN_TITLE: qkv__text_append(shown, "TITLE:", 6); /* fall through */
    default: qkv__text_append(shown, token->text, token->length); break;
    }
}

static void check_tokens_of(const char *text, size_t length, const char *expected)
{
    qkv__arena arena = {0};
    qkv__lexer lexer = {.arena = &arena, .text = text, .original = text};
    qkv__text shown = {0};
    qkv__text_append(&shown, "", 0);
    qkv__lexer_start(&lexer, 0, length, 1);
    for (qkv__token token = qkv__lexer_next(&lexer); token.kind != QKV__TOKEN_END_OF_TEXT;
         token = qkv__lexer_next(&lexer))
        show_token(&token, &shown);
    assert_string_equal(shown.data, expected);
    qkv__text_free(&shown);
    qkv__arena_free(&arena);
}

static void check_tokens(const char *text, const char *expected)
{
    check_tokens_of(text, strlen(text), expected);
}

/* ---- Tests -------------------------------------------------------------------------------- */

static void test_names_and_signs(void **state)
{
    (void)state;
    check_tokens("k_a W_Q x1 E", "k_a W_Q x1 E END");
    check_tokens("a+b-c*d/e^f", "a + b - c * d / e ^ f END");
    check_tokens("a=b!=c<d<=e>f>=g~h->i=>j", "a = b != c < d <= e > f >= g ~ h -> i => j END");
    check_tokens("a<-b", "a < - b END");
    check_tokens("(a)[b]{c}|d|:,'", "( a ) [ b ] { c } | d | : , ' END");
    check_tokens("k[a].q c.weight 1..n", "k [ a ] . q c . weight 1 .. n END");
    check_tokens("x approx y", "x approx y END");
    check_tokens("problem \"a # \xc2\xa7 title\" # more", "problem TITLE:a # \xc2\xa7 title END");
    check_tokens("problem \"\"", "problem TITLE: END");
}

static void test_numbers(void **state)
{
    (void)state;
    check_tokens("0 12 007", "0 12 7 END");
    check_tokens("0.5 .5 1.50 2.000", "1/2 1/2 3/2 2 END");
    check_tokens("1e-6 1E+3 2.5e1 0e999999999999", "1/1000000 1000 25 0 END");
    check_tokens("2e 2e^3 2e-x 2x", "2 e 2 e ^ 3 2 e - x 2 x END");
    check_tokens("1..2 1.5..2 1...5 1.q", "1 .. 2 3/2 .. 2 1 .. 1/2 1 . q END");
    check_tokens("9223372036854775807", "9223372036854775807 END");
    check_tokens("0.000000000000000001", "1/1000000000000000000 END");
    check_tokens("1000000000000000000000000e-24", "1 END"); /* more digits than it needs */
    check_tokens("0.50000000000000000000000000000", "1/2 END");
    check_tokens("00000000000000000000000000000001", "1 END");
    check_tokens("4611686018427387904e-20", "4398046511104/95367431640625 END"); /* 2^62 */
}

/* Just above what 64 bits hold, and far above. */
static void test_numbers_that_do_not_fit(void **state)
{
    (void)state;
    check_tokens("9223372036854775808", "ERROR END");
    check_tokens("99999999999999999999 x", "ERROR x END");
    check_tokens("1e19 1e-19 1e999999999999 1e-999999999999", "ERROR ERROR ERROR ERROR END");
    check_tokens("0.1234567890123456789012", "ERROR END");
    check_tokens("1.00000000000000000000000001", "ERROR END");
    check_tokens("x\xc2\xb2\xc2\xb2\xc2\xb2\xc2\xb2\xc2\xb2\xc2\xb2\xc2\xb2\xc2\xb2\xc2\xb2\xc2\xb2"
                 "\xc2\xb2\xc2\xb2\xc2\xb2\xc2\xb2\xc2\xb2\xc2\xb2\xc2\xb2\xc2\xb2\xc2\xb2\xc2\xb2",
                 "x ERROR END");
}

/* Each sign is the same token as its ASCII spelling. */
static void test_unicode(void **state)
{
    (void)state;
    check_tokens("β μ µ α ε ϵ τ σ π δ λ γ θ", "beta mu mu alpha eps eps tau sigma pi delta lambda "
                                              "gamma theta END");
    check_tokens("ζ η κ ν ξ ρ φ χ ψ ω", "zeta eta kappa nu xi rho phi chi psi omega END");
    check_tokens("Δ ∆ Σ Γ Θ Λ Ξ Π Φ Ψ Ω",
                 "Delta Delta Sigma Gamma Theta Lambda Xi Pi Phi Psi Omega END");
    check_tokens("a ≈ b ∼ c ≥ d ≤ e ≠ f", "a ~ b ~ c >= d <= e != f END");
    check_tokens("½ ¼ ¾ ⅓ ⅔", "1/2 1/4 3/4 1/3 2/3 END");
    check_tokens("Aᵀ A⊤ A′ A’", "A ' A ' A ' A ' END");
    check_tokens("∞ ∑ √ ∃", "inf sum sqrt exists END");
    check_tokens("a·b×c⋅d−e", "a . b * c . d - e END");
    check_tokens("a → b ⇒ c ∈ d ∉ e", "a -> b => c in d not in e END");
    check_tokens("a ∧ b ∨ ¬c", "a and b or not c END");
    check_tokens("‖x‖ ∥x∥ ∣x∣", "| x | | x | | x | END");
    check_tokens("x² y³ z¹⁰ w⁻¹ x⁴⁵⁶⁷⁸⁹⁰", "x ^2 y ^3 z ^10 w ^-1 x ^4567890 END");
    check_tokens("1…n", "1 .. n END");
    check_tokens("a\xc2\xa0+\xe2\x80\xaf b", "a + b END"); /* blanks that do not break */
}

/* A Greek letter is a name of its own, and may be part of one behind a "_". */
static void test_greek_names(void **state)
{
    (void)state;
    check_tokens("μ_a β1 Σ_βx", "mu_a beta1 Sigma_betax END");
    check_tokens("αβ βx xβ 2β", "alpha beta beta x x beta 2 beta END");
    check_tokens("x_ξξ", "x_xi xi END");
}

static void test_labels(void **state)
{
    (void)state;
    check_tokens("claim S0.1.2.4: x", "claim S0.1.2.4 : x END");
    check_tokens("claim S3.c0b-2_x : x", "claim S3.c0b-2_x : x END");
    check_tokens("claim: x", "claim : x END");
    check_tokens("claim 1e5: x", "claim 1e5 : x END");    /* a label, not the number 100000 */
    check_tokens("claim x.5 = y", "claim x 1/2 = y END"); /* no colon, no label */
    check_tokens("x claim 1.2.3: y", "x claim 6/5 3/10 : y END");
    check_tokens("claim a: claim 1.2.3: y", "claim a : claim 6/5 3/10 : y END");
}

static void test_ends_of_statements(void **state)
{
    (void)state;
    check_tokens("a\nb", "a END b END");
    check_tokens("a\r\nb\rc\n\n\n", "a END b END c END");
    check_tokens("a; b ;; c;", "a END b END c END");
    check_tokens("# nothing\n\n  # at all\n", "");
    check_tokens("", "");
    check_tokens("a # b\n# c\nd", "a END d END");
}

/* A line goes on in brackets, behind operators, and with deeper conditions and operators. */
static void test_joined_lines(void **state)
{
    (void)state;
    check_tokens("x = (a\n  b)", "x = ( a b ) END");
    check_tokens("k = [\n[1,\n2]\n]\ny", "k = [ [ 1 , 2 ] ] END y END");
    check_tokens("x = a +\n\n# why\nb", "x = a + b END");
    check_tokens("x = a\n  + b", "x = a + b END");
    check_tokens("x = a\n+ b", "x = a END + b END");
    check_tokens("claim: p\n  for n = 3\n  expect refuted",
                 "claim : p for n = 3 expect refuted END");
    check_tokens("claim: p\nfor n = 3", "claim : p END for n = 3 END");
    check_tokens("matrix A,\nB", "matrix A , B END");
    check_tokens("claim S1:\n  x = y", "claim S1 : x = y END");
    check_tokens("find q such that\n  x = y", "find q such that x = y END");
    check_tokens("find q\n  such that x = y", "find q such that x = y END");
    check_tokens("claim: p and\nq", "claim : p and q END");
    check_tokens("claim: p\n  and q", "claim : p and q END");
    check_tokens("  claim: p\n  given q", "claim : p END given q END"); /* not deeper */
}

/* Lines that stand for themselves, though something before them was left open. */
static void test_separate_lines(void **state)
{
    (void)state;
    check_tokens("as x -> 0:\n  for n = 3:\n    claim: p",
                 "as x -> 0 : END for n = 3 : END claim : p END");
    check_tokens("problem \"t\"\n  given n = 3\n  keys k",
                 "problem TITLE:t END given n = 3 END keys k END");
    check_tokens("x = (a\ny = b", "x = ( a END y = b END");
    check_tokens("x = a +\nclaim: p", "x = a + END claim : p END");
    check_tokens("x = f(a,\nclaim: p", "x = f ( a , END claim : p END");
    check_tokens("x = [1; 2]; y", "x = [ 1 ; 2 ] END y END");
    check_tokens("x = a]; y", "x = a ] END y END");
}

static void test_what_is_no_text(void **state)
{
    (void)state;
    check_tokens("\xef\xbb\xbfx", "x END");        /* a byte order mark */
    check_tokens("x \xef\xbb\xbf", "x ERROR END"); /* but only in front */
    check_tokens("x \xff y", "x ERROR y END");
    check_tokens("x \xc3", "x ERROR END");                 /* cut off */
    check_tokens("\xc0\xaf", "ERROR ERROR END");           /* a long form of '/' */
    check_tokens("\xed\xa0\x80", "ERROR ERROR ERROR END"); /* a surrogate */
    check_tokens("\xe0\x9f\xbf", "ERROR ERROR ERROR END"); /* long forms again */
    check_tokens("\xf0\x8f\xbf\xbf", "ERROR ERROR ERROR ERROR END");
    check_tokens("\xf4\x90\x80\x80", "ERROR ERROR ERROR ERROR END");
    check_tokens("x \x07 y \x7f", "x ERROR y ERROR END");
    check_tokens("a § ! _x", "a ERROR ERROR ERROR x END");
    check_tokens("$a$ \\, b", "a b END"); /* what only moves print around */
    check_tokens_of("a \0 b", 5, "a ERROR b END");
    check_tokens("a # \xff; b\nc", "a ERROR END c END"); /* comments are text too */
    check_tokens("problem \"a\nb", "problem ERROR END b END");
    check_tokens("problem \"a\x01\"", "problem ERROR ERROR END");
    check_tokens("x\xe2\x81\xbb y", "x ERROR y END"); /* a raised minus alone */
}

/* Columns count characters; a tab is one, and so is a byte that is no text. */
static void test_places(void **state)
{
    static const struct {
        int line, column, end_column;
        bool spaced;
    } expected[] = {{1, 1, 2, false}, {1, 2, 3, false}, {1, 4, 5, true},  {1, 6, 8, true},
                    {1, 8, 9, false}, {2, 2, 4, true},  {2, 5, 6, false}, {2, 6, 7, false}};
    const char *text = "βx\t≥ ab;\n\tcd\xff"
                       "e";
    qkv__arena arena = {0};
    qkv__lexer lexer = {.arena = &arena, .text = text, .original = text};
    (void)state;
    qkv__lexer_start(&lexer, 0, strlen(text), 1);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        qkv__token token = qkv__lexer_next(&lexer);
        if (i == 6) { /* the byte between cd and e */
            assert_int_equal(token.kind, QKV__TOKEN_ERROR);
            assert_int_equal(token.place.column, 4);
            token = qkv__lexer_next(&lexer);
        }
        if (i == 7) assert_int_equal(token.kind, QKV__TOKEN_END);
        assert_int_equal(token.place.line, expected[i].line);
        assert_int_equal(token.place.column, expected[i].column);
        assert_int_equal(token.place.end_column, expected[i].end_column);
        if (token.kind != QKV__TOKEN_END) assert_int_equal(token.spaced, expected[i].spaced);
    }
    qkv__arena_free(&arena);
}

/* Every code point there is: read as one character if it is one, and never by a wrong length. */
static void test_decoding(void **state)
{
    (void)state;
    for (unsigned code = 0; code < 0x110000; code++) {
        char bytes[4];
        unsigned got = 0;
        size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
        static const unsigned lead[] = {0, 0x00, 0xc0, 0xe0, 0xf0};
        for (size_t i = length; i > 0; i--)
            bytes[i - 1] = (char)(unsigned char)((i > 1 ? 0x80 : lead[length]) |
                                                 (i > 1 ? code >> 6 * (length - i) & 0x3f
                                                        : code >> 6 * (length - 1)));
        bool surrogate = code >= 0xd800 && code < 0xe000;
        assert_int_equal(qkv__decode(bytes, length, &got), surrogate ? 0 : length);
        if (!surrogate) assert_int_equal(got, code);
        if (length > 1) assert_int_equal(qkv__decode(bytes, length - 1, &got), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_and_signs),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_numbers_that_do_not_fit),
        cmocka_unit_test(test_unicode),
        cmocka_unit_test(test_greek_names),
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_ends_of_statements),
        cmocka_unit_test(test_joined_lines),
        cmocka_unit_test(test_separate_lines),
        cmocka_unit_test(test_what_is_no_text),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_decoding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
