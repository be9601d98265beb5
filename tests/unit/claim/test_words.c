/*
 * The words engine and the search for witnesses: the identities of attention that hold and those
 * that do not, from the catalogue of claims; assumptions, shapes, text and memory. Random
 * expressions are in test_words_random.c.
 */
#include "unit/claim/words_model.h"

#include "base/memory.h"

/* ---- Verdicts -------------------------------------------------------------------------------- */

static qkv__words_verdict decide(qkv__theory *theory, const char *left, const char *right,
                                 qkv__words_proof *proof)
{
    return qkv__words_equal(theory, parse(theory, left), parse(theory, right), proof);
}

static void check_proved(qkv__theory *theory, const char *left, const char *right)
{
    qkv__words_proof proof;
    if (decide(theory, left, right, &proof) == QKV__WORDS_PROVED) return;
    qkv__text one = {0}, two = {0};
    qkv__words_write(theory, proof.left, &one);
    qkv__words_write(theory, proof.right, &two);
    fail_msg("%s = %s: %s against %s (%s)", left, right, one.data, two.data, theory->error.message);
}

/* Whether one of the steps has this text. */
static bool cites(const qkv__words_proof *proof, const char *text)
{
    for (size_t i = 0; i < proof->step_count; i++)
        if (strcmp(proof->step[i], text) == 0) return true;
    return false;
}

static void check_cited(const qkv__words_proof *proof, const char *text)
{
    if (cites(proof, text)) return;
    for (size_t i = 0; i < proof->step_count; i++) print_message("step: %s\n", proof->step[i]);
    fail_msg("\"%s\" is not among the %zu steps", text, proof->step_count);
}

static void check_ill_posed(qkv__theory *theory, const char *left, const char *right,
                            const char *message)
{
    qkv__words_proof proof;
    assert_int_equal(decide(theory, left, right, &proof), QKV__WORDS_ILL_POSED);
    assert_string_equal(theory->error.message, message);
}

static void check_refuted(qkv__theory *theory, const char *left, const char *right,
                          const char *words)
{
    qkv__words_proof proof;
    qkv__witness witness;
    qkv__text text = {0};
    expression one = parse(theory, left), two = parse(theory, right);
    assert_int_equal(qkv__words_equal(theory, one, two, &proof), QKV__WORDS_UNKNOWN);
    assert_true(qkv__expression_agree(theory, &one, &two));
    if (qkv__matrix_witness(theory, one, two, NULL, &text, &witness) != QKV__WITNESS_FOUND)
        fail_msg("%s = %s: no witness after %zu tries", left, right, witness.tries);
    check_witness(theory, one, two, &witness);
    if (words != NULL && strcmp(text.data, words) != 0)
        fail_msg("%s = %s: \"%s\" instead of \"%s\"", left, right, text.data, words);
    qkv__text_free(&text);
}

/* ---- Attention ----------------------------------------------------------------------- */

static const char attention_names[] = "X[n,d] W_Q[d,m] W_K[d,m] W_V[d,p] P[n]! M[n,n] E[n,d]";

/* softmax(X*W_Q*(X*W_K)' + mask)*X*W_V with x for X, in one of four turning buffers. */
static const char *attention(const char *x, const char *mask)
{
    static char buffer[4][512];
    static size_t turn;
    char *text = buffer[turn++ % 4];
    snprintf(text, sizeof buffer[0], "softmax((%s)*W_Q*((%s)*W_K)'%s%s)*(%s)*W_V", x, x,
             mask[0] == '\0' ? "" : " + ", mask, x);
    return text;
}

static const char *joined(const char *before, const char *text, const char *behind)
{
    static char buffer[2][512];
    static size_t turn;
    char *made = buffer[turn++ % 2];
    snprintf(made, sizeof buffer[0], "%s%s%s", before, text, behind);
    return made;
}

static void test_attention_is_equivariant(void **state)
{
    (void)state;
    qkv__theory theory = {0};
    qkv__words_proof proof;
    declare(&theory, attention_names);
    const char *left = attention("P*X", ""), *right = joined("P*", attention("X", ""), "");
    assert_int_equal(decide(&theory, left, right, &proof), QKV__WORDS_PROVED);
    check_cited(&proof, "softmax(P*S*P') = P*softmax(S)*P'");
    check_cited(&proof, "P'*P = I");
    assert_int_equal(proof.step_count, 2);
    qkv__text text = {0};
    qkv__words_write(&theory, proof.left, &text);
    assert_string_equal(text.data, "P*softmax(X*W_Q*W_K'*X')*X*W_V");
    qkv__text_free(&text);
    qkv__arena_free(&theory.arena);
}

/* x + softmax(x*W*x')*x*V: a layer with its residual connection. */
static expression layer(qkv__theory *theory, expression x)
{
    expression scores = qkv__expression_multiply(theory, x, parse(theory, "W"));
    scores = qkv__expression_multiply(theory, scores, qkv__expression_transpose(theory, x));
    expression values = qkv__expression_multiply(theory, x, parse(theory, "V"));
    expression weights = qkv__expression_softmax(theory, scores);
    return qkv__expression_add(theory, x, qkv__expression_multiply(theory, weights, values));
}

static void test_layers(void **state)
{
    (void)state;
    qkv__theory theory = {0};
    qkv__words_proof proof;
    declare(&theory, "X[n,d] W[d,d] V[d,d] P[n]!");
    expression moved = parse(&theory, "P*X"), plain = parse(&theory, "X");
    for (int depth = 1; depth <= 3; depth++) {
        moved = layer(&theory, moved);
        plain = layer(&theory, plain);
        expression right = qkv__expression_multiply(&theory, parse(&theory, "P"), plain);
        assert_int_equal(qkv__words_equal(&theory, moved, right, &proof), QKV__WORDS_PROVED);
        assert_int_equal(qkv__words_equal(&theory, moved, plain, &proof), QKV__WORDS_UNKNOWN);
    }
    qkv__arena_free(&theory.arena);
}

static void test_masks_and_positions(void **state)
{
    (void)state;
    qkv__theory theory = {0};
    declare(&theory, attention_names);
    const char *masked = joined("P*", attention("X", "M"), "");
    check_proved(&theory, attention("P*X", "P*M*P'"), masked);
    check_refuted(&theory, attention("P*X", "M"), masked, NULL);
    const char *placed = joined("P*", attention("X + E", ""), "");
    check_proved(&theory, attention("P*(X + E)", ""), placed);
    check_refuted(&theory, attention("P*X + E", ""), placed, NULL);
    /* A mask that the permutation leaves as it is needs no conjugation. */
    assume(&theory, "P*M", "M*P");
    check_proved(&theory, attention("P*X", "M"), joined("P*", attention("X", "M"), ""));
    qkv__arena_free(&theory.arena);
}

static void test_features(void **state)
{
    (void)state;
    qkv__theory theory = {0}, plain = {0}, commuting = {0};
    const char *names = "X[n,d] R[d]! W_Q[d,d] W_K[d,d] W_V[d,d]";
    const char *left = attention("X*R", ""), *right = joined("(", attention("X", ""), ")*R");
    declare(&theory, names);
    check_refuted(&theory, left, right,
                  "With n = 1, d = 2, X = [[1,0]], R = [[0,1],[1,0]], W_Q = [[0,0],[0,0]], "
                  "W_K = [[0,0],[0,0]], W_V = [[1,0],[0,0]]: left [[0,0]] against right [[0,1]]");
    declare(&plain, names);
    assume(&plain, "W_Q", "I");
    assume(&plain, "W_K", "I");
    assume(&plain, "W_V", "I");
    check_proved(&plain, left, right);
    declare(&commuting, names);
    assume(&commuting, "W_Q*R", "R*W_Q");
    assume(&commuting, "W_K*R", "R*W_K");
    assume(&commuting, "R*W_V", "W_V*R");
    check_proved(&commuting, left, right);
    qkv__arena_free(&theory.arena);
    qkv__arena_free(&plain.arena);
    qkv__arena_free(&commuting.arena);
}

/* ---- The catalogue's steps ----------------------------------------------------------- */

static void test_permutations(void **state)
{
    (void)state;
    qkv__theory theory = {0};
    declare(&theory, "X[n,d] P[n]! Q[n,m] K[n,m] R[m]! S[n,n] W[d,d] T[d]! O[n]!");
    check_ill_posed(&theory, "X*P", "X", "X*P multiplies (n, d) by (n, n)");
    check_ill_posed(&theory, "X + P", "X", "X + P adds (n, d) and (n, n)");
    check_ill_posed(&theory, "(X + X)*(P - S)", "X", "(X + X)*(P - S) multiplies (n, d) by (n, n)");
    check_ill_posed(&theory, "P*X", "P", "P*X = P compares (n, d) with (n, n)");
    check_ill_posed(&theory, "X", "I", "X = I compares (n, d) with (?, ?)");
    check_proved(&theory, "(Q*R)*(K*R)'", "Q*K'");
    check_proved(&theory, "softmax(S*P)", "softmax(S)*P");
    check_proved(&theory, "softmax(P*S*P')", "P*softmax(S)*P'");
    check_proved(&theory, "softmax(P*P*S*P'*P')", "P*P*softmax(S)*(P*P)'");
    check_proved(&theory, "softmax(P*S + S)", "P*softmax(S + P'*S)");
    check_proved(&theory, "softmax(O*P*S*P*O)", "O*P*softmax(S)*P*O");
    check_refuted(&theory, "softmax(S*P*O)", "softmax(S)*O*P", NULL);
    check_refuted(&theory, "softmax(P*O*S)", "O*P*softmax(S)", NULL);
    check_refuted(&theory, "softmax(P*S*P')", "softmax(S)*P", NULL);
    check_refuted(&theory, "X*T*W", "X*W*T", NULL);
    assume(&theory, "T*W", "W*T");
    check_proved(&theory, "X*T*W", "X*W*T");
    check_proved(&theory, "T'*W", "W*T'");
    check_proved(&theory, "W'*T*X'", "T*W'*X'");
    qkv__arena_free(&theory.arena);
}

/* What softmax does not do. */
static void test_softmax_laws_that_fail(void **state)
{
    (void)state;
    qkv__theory theory = {0};
    declare(&theory, "S[n,n] X[n,d] W[d,d] P[n]!");
    check_refuted(&theory, "softmax(S)'", "softmax(S')", NULL);
    check_refuted(&theory, "softmax(2*S)", "2*softmax(S)", NULL);
    check_refuted(&theory, "softmax(S + S)", "softmax(S)", NULL);
    check_refuted(&theory, "softmax(X*W)", "softmax(X)*W", NULL);
    check_refuted(&theory, "softmax(P*S)", "softmax(S)", NULL);
    check_refuted(&theory, "softmax(S)*P", "P*softmax(S)", NULL);
    check_proved(&theory, "softmax(P*P')*P", "P*softmax(P*P')");
    check_proved(&theory, "softmax(P)", "softmax(P*P')*P");
    assume(&theory, "P*S", "S*P");
    check_proved(&theory, "softmax(S)*P", "P*softmax(S)");
    check_proved(&theory, "softmax(S)'*P", "P*softmax(S)'");
    check_proved(&theory, "softmax(S - S)*P", "softmax(S - S)");
    check_proved(&theory, "P'*softmax(X - X)*X'", "softmax(X - X)*X'");
    check_proved(&theory, "P*softmax(X' - X')'", "softmax(X' - X')'");
    qkv__arena_free(&theory.arena);
}

static void test_projector(void **state)
{
    (void)state;
    qkv__theory theory = {0}, loose = {0};
    qkv__words_proof proof;
    const char *names = "A[d,m] B[d,p] s[m] t[p]";
    declare(&theory, names);
    assume(&theory, "A'*A", "I");
    assume(&theory, "A'*B", "0");
    assert_int_equal(decide(&theory, "A*A'*(A*s + B*t)", "A*s", &proof), QKV__WORDS_PROVED);
    assert_int_equal(proof.step_count, 2);
    check_cited(&proof, "A'*A = I");
    check_cited(&proof, "A'*B = 0");
    check_proved(&theory, "B'*(A*s)", "0");
    check_ill_posed(&theory, "A'*(A*s + B*t)", "A*s",
                    "A'*(A*s + B*t) = A*s compares (m, 1) with (d, 1)");
    declare(&loose, names);
    assume(&loose, "A'*A", "I");
    check_refuted(&loose, "A*A'*(A*s + B*t)", "A*s",
                  "With d = 1, m = 1, p = 1, A = [[1]], B = [[1]], s = [0], t = [1]: "
                  "left [1] against right [0]");
    qkv__arena_free(&theory.arena);
    qkv__arena_free(&loose.arena);
}

static void check_found(qkv__theory *theory, const char *given, const char *wanted,
                        const char *matrix)
{
    qkv__words_solution solution;
    const int atoms[] = {qkv__theory_find(theory, "s"), qkv__theory_find(theory, "t")};
    qkv__words_verdict verdict =
        qkv__words_find(theory, parse(theory, given), parse(theory, wanted), atoms, 2, &solution);
    if (verdict != QKV__WORDS_PROVED)
        fail_msg("%s -> %s: %s missing", given, wanted, solution.missing[0]);
    qkv__text text = {0};
    qkv__expression_write(theory, solution.matrix, &text);
    assert_string_equal(text.data, matrix);
    assert_int_equal(solution.missing_count, 0);
    qkv__text_free(&text);
}

static void check_missing(qkv__theory *theory, const char *given, const char *wanted,
                          const char *one, const char *two)
{
    qkv__words_solution solution;
    const int atoms[] = {qkv__theory_find(theory, "s"), qkv__theory_find(theory, "t")};
    qkv__words_verdict verdict =
        qkv__words_find(theory, parse(theory, given), parse(theory, wanted), atoms, 2, &solution);
    assert_int_equal(verdict, QKV__WORDS_UNKNOWN);
    assert_null(solution.matrix);
    assert_int_equal(solution.missing_count, two == NULL ? 1 : 2);
    assert_string_equal(solution.missing[0], one);
    if (two != NULL) assert_string_equal(solution.missing[1], two);
}

static void test_find(void **state)
{
    (void)state;
    qkv__theory theory = {0};
    qkv__words_solution solution;
    declare(&theory, "A[d,m] B[d,p] C[q,m] s[m] t[p] c[d]");
    check_missing(&theory, "A*s + B*t", "A*s", "A'*A = I", "A'*B = 0");
    assume(&theory, "A'*A", "I");
    check_missing(&theory, "A*s + B*t", "A*s", "A'*B = 0", NULL);
    check_missing(&theory, "A*s", "B*t", "a term with t", NULL);
    check_missing(&theory, "A*s + c", "A*s", "c + A*s as a sum of products that end in s or t",
                  NULL);
    assume(&theory, "A'*B", "0");
    check_found(&theory, "A*s + B*t", "A*s", "A*A'");
    check_found(&theory, "A*s + B*t", "2*C*s", "2*C*A'");
    check_found(&theory, "B*t + A*s", "s", "A'");
    check_found(&theory, "A*s + B*t", "A*s - A*s", "0");
    check_missing(&theory, "A*s + B*t", "B*t", "B'*B = I", NULL);
    assert_int_equal(qkv__words_find(&theory, parse(&theory, "A*s"), parse(&theory, "A"),
                                     (int[]){3}, 1, &solution),
                     QKV__WORDS_ILL_POSED);
    qkv__arena_free(&theory.arena);
}

/* ---- Algebra, assumptions, text ------------------------------------------------------ */

static void test_algebra(void **state)
{
    (void)state;
    qkv__theory theory = {0};
    declare(&theory, "A[n,d] B[d,n] C[n,n] D[n,n] x[n] y[n]");
    check_proved(&theory, "(A*B + C)'", "B'*A' + C'");
    check_proved(&theory, "(C + D)*(C - D)", "C*C - C*D + D*C - D*D");
    check_proved(&theory, "A'' - A", "0");
    check_proved(&theory, "1/2*A + 1/3*A", "5/6*A");
    check_proved(&theory, "(2*I - C)*(C - 2*I)", "4*C - C*C - 4*I");
    check_proved(&theory, "(C + 0)*I", "C");
    check_proved(&theory, "(2*I)*C*(3*I)", "6*C");
    check_proved(&theory, "softmax(C + D)", "softmax(D + C)");
    check_proved(&theory, "softmax(softmax(A*B))", "softmax(softmax((B'*A')'))");
    check_proved(&theory, "x'*y", "y'*x");
    check_proved(&theory, "x*(x'*C*y)*(y'*y)*y'", "x*(y'*y)*(y'*C'*x)*y'");
    check_refuted(&theory, "C*D", "D*C", NULL);
    check_refuted(&theory, "(C + D)*(C - D)", "C*C - D*D", NULL);
    check_refuted(&theory, "x*y'", "y*x'", NULL);
    qkv__arena_free(&theory.arena);
}

static void test_assumptions(void **state)
{
    (void)state;
    qkv__theory theory = {0};
    qkv__words_proof proof;
    declare(&theory, "S[n,n] A[n,n] B[n,n] C[n,n] P[n]! N[n,n]");
    assume(&theory, "S'", "S");
    check_proved(&theory, "(S*A)'", "A'*S");
    check_refuted(&theory, "S*A", "A*S", NULL);
    assume(&theory, "C", "A*B + S");
    check_proved(&theory, "C'*P", "B'*A'*P + S*P");
    check_refuted(&theory, "C'", "C", NULL);
    assume(&theory, "N*N", "0");
    check_proved(&theory, "(I + N)*(I - N)", "I");
    check_refuted(&theory, "N*A*N", "0", NULL);
    assume(&theory, "P*A", "A*P");
    assert_int_equal(decide(&theory, "P*A'", "A'*P", &proof), QKV__WORDS_PROVED);
    assert_true(proof.step_count > 0);
    /* Moving P out of this one is tried, by P'*A = A*P', and given up: it is not cited. */
    assert_int_equal(decide(&theory, "softmax(A + P*B)", "softmax(P*B + A)", &proof),
                     QKV__WORDS_PROVED);
    assert_int_equal(proof.step_count, 0);
    qkv_status status = qkv__theory_assume(&theory, parse(&theory, "P*P'"), parse(&theory, "0"));
    check_error(status, QKV_ERROR_ARGUMENT, &theory.error, "P*P' = 0 contradicts what is known");
    assert_int_equal(decide(&theory, "A", "B", &proof), QKV__WORDS_LOST);
    qkv__arena_free(&theory.arena);
}

/* Rules whose completion does not end still give an answer, and so does a softmax that is part of
 * its own argument. */
static void test_endless_rules(void **state)
{
    (void)state;
    qkv__theory theory = {0}, circular = {0};
    qkv__words_proof proof;
    declare(&circular, "A[n,n] B[n,n] P[n]!");
    assume(&circular, "A*B", "softmax(A*B)");
    check_proved(&circular, "softmax(A*B)*B", "A*B*B");
    assert_int_equal(decide(&circular, "softmax(A*B)*P", "P*softmax(A*B)", &proof),
                     QKV__WORDS_UNKNOWN);
    check_refuted(&circular, "softmax(A*B)", "A", NULL);
    qkv__arena_free(&circular.arena);
    declare(&theory, "A[n,n] B[n,n] C[n,n] D[n,n]");
    assume(&theory, "A*B*A", "B*A*B + C");
    assume(&theory, "B*C*B", "C*D*A");
    assume(&theory, "A*D*A", "D*A*D - B*B");
    check_proved(&theory, "D*A*B*A", "D*B*A*B + D*C");
    check_proved(&theory, "(A*B*A)'", "(B*A*B + C)'");
    qkv__arena_free(&theory.arena);
}

static void check_text(qkv__theory *theory, const char *text)
{
    qkv__text written = {0};
    qkv__expression_write(theory, parse(theory, text), &written);
    assert_string_equal(written.data, text);
    qkv__text_free(&written);
}

static void test_text(void **state)
{
    (void)state;
    qkv__theory theory = {0};
    declare(&theory, "X[n,d] W_Q[d,m] W_K[d,m] W_V[d,p] P[n]! C[n,n]");
    check_text(&theory, "P*softmax(X*W_Q*W_K'*X')*X*W_V");
    check_text(&theory, "(X*W_Q)'");
    check_text(&theory, "C - (C + P)*(C - 2*P)'");
    check_text(&theory, "-1/2*C + 3*(C - P)");
    check_text(&theory, "softmax(C)'*C''");
    qkv__text text = {0};
    qkv__expression_write(&theory, NULL, &text);
    qkv__words_write(&theory, NULL, &text);
    assert_string_equal(text.data, "??");
    qkv__text_free(&text);
    qkv__arena_free(&theory.arena);
}

static void test_declarations(void **state)
{
    (void)state;
    qkv__theory theory = {0};
    int n = qkv__theory_dimension(&theory, "n"), three = qkv__theory_size(&theory, 3);
    assert_int_equal(qkv__theory_dimension(&theory, "n"), n);
    assert_int_equal(qkv__theory_size(&theory, 3), three);
    assert_int_equal(qkv__theory_dimension(&theory, "3"), three);
    assert_int_equal(qkv__theory_size(&theory, 0), -1);
    int x = qkv__theory_matrix(&theory, "X", n, three);
    assert_int_equal(qkv__theory_matrix(&theory, "X", n, n), -1);
    assert_string_equal(theory.error.message, "X is declared twice");
    expression e = qkv__expression_atom(&theory, x);
    assert_null(qkv__expression_multiply(&theory, e, e));
    assert_string_equal(theory.error.message, "X*X multiplies (n, 3) by (n, 3)");
    assert_null(qkv__expression_atom(&theory, 7));
    assert_null(qkv__expression_softmax(&theory, qkv__expression_identity(&theory, -1)));
    expression deep = e, wide = e; /* by doubling, so that what is shared has to be counted */
    for (int i = 0; i < QKV__EXPRESSION_DEPTH; i++) deep = qkv__expression_transpose(&theory, deep);
    assert_null(deep);
    assert_non_null(strstr(theory.error.message, "too large"));
    for (int i = 0; i < 13; i++) wide = qkv__expression_add(&theory, wide, wide);
    assert_null(wide);
    qkv__arena_free(&theory.arena);
}

/* An assumption that small numbers only nearly satisfy gives no witness. */
static void test_witness_is_exact(void **state)
{
    (void)state;
    qkv__theory theory = {0};
    qkv__witness witness;
    qkv__text text = {0};
    qkv__witness_limits few = {.tries = 500};
    declare(&theory, "A[n,n] B[n,n]");
    assume(&theory, "1/1000000000000*A*B", "0");
    check_proved(&theory, "A*B", "0");
    check_refuted(&theory, "B*A", "0", NULL);
    expression product = parse(&theory, "A*B"), zero = parse(&theory, "0");
    assert_int_equal(qkv__matrix_witness(&theory, product, zero, &few, &text, &witness),
                     QKV__WITNESS_NONE);
    assert_int_equal(witness.tries, 500);
    assume(&theory, "softmax(A)*B", "A"); /* exact where softmax is: rows of equal scores */
    check_refuted(&theory, "A", "B", NULL);
    qkv__text_free(&text);
    qkv__arena_free(&theory.arena);
}

/* The same question has the same answer, and its text has up to four digits. */
static void test_witness_is_deterministic(void **state)
{
    (void)state;
    qkv__theory theory = {0};
    qkv__witness one, two;
    qkv__text first = {0}, second = {0};
    declare(&theory, "S[n,n] P[n]!");
    expression left = parse(&theory, "softmax(P*S*P')"), right = parse(&theory, "softmax(S)*P");
    qkv__matrix_witness(&theory, left, right, NULL, &first, &one);
    qkv__matrix_witness(&theory, left, right, NULL, &second, &two);
    assert_string_equal(first.data, second.data);
    assert_int_equal(one.tries, two.tries);
    assert_string_equal(first.data,
                        "With n = 2, S = [[1,0],[0,0]], P = [[0,1],[1,0]]: left "
                        "[[0.5,0.5],[0.2689,0.7311]] against right [[0.2689,0.7311],[0.5,0.5]]");
    qkv__text_free(&first);
    qkv__text_free(&second);
    qkv__arena_free(&theory.arena);
}

/* A whole-number dimension that is too large for the search is no crash and no verdict. */
static void test_witness_limits(void **state)
{
    (void)state;
    qkv__theory theory = {0};
    qkv__witness witness;
    qkv__text text = {0};
    int size = qkv__theory_size(&theory, QKV__WITNESS_SIDE + 1);
    expression a = qkv__expression_atom(&theory, qkv__theory_matrix(&theory, "A", size, size));
    expression turned = qkv__expression_transpose(&theory, a);
    assert_int_equal(qkv__matrix_witness(&theory, a, turned, NULL, &text, &witness),
                     QKV__WITNESS_NONE);
    assert_int_equal(qkv__matrix_witness(&theory, a, NULL, NULL, &text, &witness),
                     QKV__WITNESS_LOST);
    size = qkv__theory_size(&theory, QKV__WITNESS_SIDE);
    a = qkv__expression_atom(&theory, qkv__theory_matrix(&theory, "B", size, size));
    turned = qkv__expression_transpose(&theory, a);
    assert_int_equal(qkv__matrix_witness(&theory, a, turned, NULL, &text, &witness),
                     QKV__WITNESS_FOUND);
    check_witness(&theory, a, turned, &witness);
    int n = qkv__theory_dimension(&theory, "n");
    a = qkv__expression_atom(&theory, qkv__theory_matrix(&theory, "C", n, n));
    turned = qkv__expression_transpose(&theory, a);
    for (theory.dimension[n].least = 1; theory.dimension[n].least <= QKV__WITNESS_SIDE;
         theory.dimension[n].least++) {
        size_t least = theory.dimension[n].least;
        assert_int_equal(qkv__matrix_witness(&theory, a, turned, NULL, &text, &witness),
                         QKV__WITNESS_FOUND);
        assert_int_equal(witness.size[n], least < 2 ? 2 : least);
    }
    assert_int_equal(qkv__matrix_witness(&theory, a, turned, NULL, &text, &witness),
                     QKV__WITNESS_NONE);
    qkv__text_free(&text);
    qkv__arena_free(&theory.arena);
}

/* ---- Memory -------------------------------------------------------------------------- */

/* Everything in one go, with so many bytes for it; whether every part of it succeeded. */
static bool run_all_parts(size_t limit)
{
    qkv__theory theory = {.arena = {.limit = limit}};
    qkv__words_proof proof;
    qkv__words_solution solution = {0};
    qkv__witness witness;
    qkv__text text = {0};
    int d = qkv__theory_dimension(&theory, "d"), m = qkv__theory_dimension(&theory, "m");
    expression a = qkv__expression_atom(&theory, qkv__theory_matrix(&theory, "A", d, m));
    expression p = qkv__expression_atom(&theory, qkv__theory_permutation(&theory, "P", d));
    int free_atom = qkv__theory_vector(&theory, "s", m);
    expression s = qkv__expression_atom(&theory, free_atom);
    expression gram = qkv__expression_multiply(&theory, qkv__expression_transpose(&theory, a), a);
    expression one = qkv__expression_identity(&theory, QKV__ANY_SIZE);
    bool good = qkv__theory_assume(&theory, gram, one) == QKV_OK;
    expression moved = qkv__expression_softmax(&theory, qkv__expression_multiply(&theory, p, a));
    expression plain = qkv__expression_softmax(&theory, a);
    expression both = qkv__expression_multiply(&theory, p, plain);
    expression given = qkv__expression_multiply(&theory, a, s);
    good &= qkv__words_equal(&theory, moved, both, &proof) == QKV__WORDS_PROVED;
    good &= qkv__words_find(&theory, given, given, &free_atom, 1, &solution) == QKV__WORDS_PROVED;
    good &= qkv__matrix_witness(&theory, moved, plain, &(qkv__witness_limits){.tries = 400}, &text,
                                &witness) == QKV__WITNESS_FOUND;
    qkv__text_free(&text);
    qkv__arena_free(&theory.arena);
    return good;
}

static void test_memory_failure(void **state)
{
    (void)state;
    long live = qkv__memory_live(), failures = 0;
    for (bool good = false; !good; failures++) {
        qkv__memory_fail_after(failures);
        good = run_all_parts(0);
        qkv__memory_fail_after(-1);
        assert_int_equal(qkv__memory_live(), live);
        assert_true(failures < 1000);
    }
    assert_true(failures > 10);
    for (size_t limit = 16; !run_all_parts(limit); limit += 112) {
        assert_int_equal(qkv__memory_live(), live);
        assert_true(limit < (1 << 20));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_attention_is_equivariant),
        cmocka_unit_test(test_layers),
        cmocka_unit_test(test_masks_and_positions),
        cmocka_unit_test(test_features),
        cmocka_unit_test(test_permutations),
        cmocka_unit_test(test_softmax_laws_that_fail),
        cmocka_unit_test(test_projector),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_algebra),
        cmocka_unit_test(test_assumptions),
        cmocka_unit_test(test_endless_rules),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_declarations),
        cmocka_unit_test(test_witness_is_exact),
        cmocka_unit_test(test_witness_is_deterministic),
        cmocka_unit_test(test_witness_limits),
        cmocka_unit_test(test_memory_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
