/*
 * The parser of the claim language: expressions, propositions and statements against their trees,
 * in prefix form. Two trees are the same when they look the same in it.
 */
#include "trees.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- Expressions and propositions --------------------------------------------------------- */

/* The proposition of the one claim in `frame`, a format with a %s for the text. */
static void check_in(const char *frame, const char *text, const char *expected)
{
    char whole[1000];
    qkv__text shown = {0};
    snprintf(whole, sizeof whole, frame, text);
    qkv__document document = read_good(whole);
    assert_int_equal(document.statement_count, 1);
    dump(document.first->node[document.first->count - 1], &shown);
    assert_string_equal(shown.data, expected);
    qkv__text_free(&shown);
    qkv__document_free(&document);
}

static void check_expression(const char *text, const char *expected)
{
    check_in("value = %s\n", text, expected);
}

static void check_proposition(const char *text, const char *expected)
{
    check_in("claim: %s\n", text, expected);
}

static void test_precedence(void **state)
{
    (void)state;
    check_expression("a + b - c", "(- (+ a b) c)");
    check_expression("a - b*c", "(- a (* b c))");
    check_expression("a*b/c*d", "(* (/ (* a b) c) d)");
    check_expression("a/b c", "(* (/ a b) c)");
    check_expression("1/2 (v[a] + v[b])", "(* (/ 1 2) (+ (index v a) (index v b)))");
    check_expression("-a*b", "(* (neg a) b)");
    check_expression("a*-b", "(* a (neg b))");
    check_expression("--a", "(neg (neg a))");
    check_expression("a - -b", "(- a (neg b))");
    check_expression("-x^2", "(neg (^ x 2))");
    check_expression("a^b^c", "(^ a (^ b c))");
    check_expression("e^-beta", "(^ e (neg beta))");
    check_expression("e^-a^-b*c", "(* (^ e (neg (^ a (neg b)))) c)");
    check_expression("2 e^beta x", "(* (* 2 (^ e beta)) x)");
    check_expression("a^2'", "(^ a (' 2))");
    check_expression("A'*B", "(* (' A) B)");
    check_expression("A'A", "(* (' A) A)");
    check_expression("a''", "(' (' a))");
    check_expression("1 .. n - 1", "(.. 1 (- n 1))");
    check_expression("(a + b)*c", "(* (+ a b) c)");
}

static void test_inner_products_and_members(void **state)
{
    (void)state;
    check_expression("k[a].q", "(. (index k a) q)");
    check_expression("2*k[a].q^2", "(* 2 (^ (. (index k a) q) 2))");
    check_expression("-k.q", "(neg (. k q))");
    check_expression("a.b.c", "(. (. a b) c)");
    check_expression("a.b'", "(. a (' b))");
    check_expression("a'.b[i]", "(. (' a) (index b i))");
    check_expression("c.weight[a]", "(index (member:weight c) a)");
    check_expression("c.weights", "(member:weight c)");
    check_expression("c.scores[1]", "(index (member:score c) 1)");
    check_expression("two.heads[1].weight[a]",
                     "(index (member:weight (index (member:head two) 1)) a)");
    check_expression("att(x).output", "(member:output (call:att x))");
    check_expression("k.c.output", "(. k (member:output c))");
    check_expression("k.(weight)", "(. k weight)");
    check_expression("x.att(y)", "(. x (call:att y))");
}

static void test_side_by_side(void **state)
{
    (void)state;
    check_expression("M s", "(* M s)");
    check_expression("P att(X)", "(* P (call:att X))");
    check_expression("a b/c d", "(* (/ (* a b) c) d)");
    check_expression("2(x)", "(* 2 x)");
    check_expression("(a)(b)", "(* a b)");
    check_expression("a (b)", "(* a b)");
    check_expression("a(b)", "(* a b)"); /* no function of the problem */
    check_expression("e^a(b + 1)", "(* (^ e a) (+ b 1))");
    check_expression("1/a(b)", "(* (/ 1 a) b)");
    check_expression("exp (b)", "(call:exp b)");
    check_expression("k[a] (b)", "(* (index k a) b)");
    check_expression("x [1, 2]", "(* x (list 1 2))");
    check_expression("x[1, 2]", "(index x 1 2)");
    check_expression("2[1, 2]", "(* 2 (list 1 2))");
    check_expression("(2)[1]", "(index 2 1)");
    check_expression("2 |x| y |z|", "(* (* (* 2 (size x)) y) (size z))");
    check_expression("a √b c", "(* (* a (call:sqrt b)) c)");
}

static void test_sizes(void **state)
{
    (void)state;
    check_expression("|a - b|", "(size (- a b))");
    check_expression("||x||", "(size x)");
    check_expression("‖x‖²", "(^ (size x) 2)");
    check_expression("||x| - |y||", "(size (- (size x) (size y)))");
    check_expression("|a*|b||", "(size (* a (size b)))");
    check_expression("|a|/|b|", "(/ (size a) (size b))");
    check_expression("|att(|a| |b|)|", "(size (call:att (* (size a) (size b))))");
    check_expression("|[|a|, 1]|", "(size (list (size a) 1))");
}

static void test_calls(void **state)
{
    (void)state;
    check_expression("att(x, y + 1)", "(call:att x (+ y 1))");
    check_expression("attend(q, k, v, scale = 1/2)", "(call:attend q k v (option:scale (/ 1 2)))");
    check_expression("sum(x[i] for i in 1..n)", "(call:sum (over:i (index x i) (in i (.. 1 n))))");
    check_expression("sum(x[i] for i not in {a, b})",
                     "(call:sum (over:i (index x i) (notin i (set a b))))");
    check_expression("mean(x[i]*2 for i != j)", "(call:mean (over:i (* (index x i) 2) (!= i j)))");
    check_expression("∑(x for i ∉ {a})", "(call:sum (over:i x (notin i (set a))))");
    check_expression("x with x[2] = u[a] + u[b]",
                     "(with x (index x 2) (+ (index u a) (index u b)))");
    check_expression("att(x with x[1] = 1 with x[2] = 2)",
                     "(call:att (with (with x (index x 1) 1) (index x 2) 2))");
    check_expression("P(x ~ y)", "(call:P (~ x y))");
    check_expression("P(x = y and p < 1 given z > 0)",
                     "(call:P (given (and (= x y) (< p 1)) (> z 0)))");
    check_expression("P(X)", "(call:P X)");
    check_expression("E[x]", "(call:E x)");
    check_expression("E[x given y > 0]", "(call:E (given x (> y 0)))");
    check_expression("Var(x given y > 0)", "(call:Var (given x (> y 0)))");
    check_expression("√2", "(call:sqrt 2)");
    check_expression("√(a + b)²", "(^ (call:sqrt (+ a b)) 2)");
}

static void test_leaves(void **state)
{
    (void)state;
    check_expression("0.1", "1:10");
    check_expression("½", "(/ 1 2)");
    check_expression("½ x²", "(* (/ 1 2) (^ x 2))");
    check_expression("x⁻¹", "(^ x (neg 1))");
    check_expression("-inf", "(neg #inf)");
    check_expression("∞", "#inf");
    check_expression("e + I + pi", "(+ (+ e I) pi)");
    check_expression("[[1, 0], [0, 1]]", "(list (list 1 0) (list 0 1))");
    check_expression("β μ_a", "(* beta mu_a)");
}

/* Words of the language are names wherever they cannot be words. */
static void test_words_as_names(void **state)
{
    (void)state;
    check_expression("at + given*within", "(+ at (* given within))");
    check_expression("2*expect", "(* 2 expect)");
    check_expression("norm(mean)", "(call:norm mean)");
    check_expression("as'", "(' as)");
    check_expression("claim + find + law + values", "(+ (+ (+ claim find) law) values)");
    check_expression("exists", "exists");
    check_in("%s = 3\n", "at", "3");
    check_in("%s = 3\n", "values[1]", "3");
    check_in("%s = 3\n", "claim", "3");
    check_proposition("x = at and y = given", "(and (= x at) (= y given))");
}

static void test_propositions(void **state)
{
    (void)state;
    check_proposition("a = b", "(= a b)");
    check_proposition("a ≠ b", "(!= a b)");
    check_proposition("a ≈ b", "(~ a b)");
    check_proposition("a approx b", "(~ a b)");
    check_proposition("a in 0 .. 1", "(in a (.. 0 1))");
    check_proposition("a not in hull(v)", "(notin a (call:hull v))");
    check_proposition("0 <= x < 1", "(and (<= 0 x) (< x 1))");
    check_proposition("a = b = c = d", "(and (and (= a b) (= b c)) (= c d))");
    check_proposition("a = 1 and b = 2 or c = 3", "(or (and (= a 1) (= b 2)) (= c 3))");
    check_proposition("a = 1 or b = 2 and c = 3", "(or (= a 1) (and (= b 2) (= c 3)))");
    check_proposition("not a = 1 and b = 2", "(and (not (= a 1)) (= b 2))");
    check_proposition("not not a = 1", "(not (not (= a 1)))");
    check_proposition("a = 1 implies b = 2 => c = 3",
                      "(implies (= a 1) (implies (= b 2) (= c 3)))");
    check_proposition("(a = 1 or b = 2) and c = 3", "(and (or (= a 1) (= b 2)) (= c 3))");
    check_proposition("((a + 1)*2 = b)", "(= (* (+ a 1) 2) b)");
    check_proposition("x with x[1] = 2 ~ y", "(~ (with x (index x 1) 2) y)");
}

static void test_quantifiers(void **state)
{
    (void)state;
    check_proposition("exists t: a = t", "(exists t (= a t))");
    check_proposition("exists q, t: a = t and b = q", "(exists q t (and (= a t) (= b q)))");
    check_proposition("∃ t: a = t", "(exists t (= a t))");
    check_proposition("for all v: a = v", "(all v (= a v))");
    check_proposition("a = b and exists t: c = t or d = t",
                      "(and (= a b) (exists t (or (= c t) (= d t))))");
    check_proposition("(exists t: c = t) or d = e", "(or (exists t (= c t)) (= d e))");
    check_proposition("not exists t: exists s: s = t", "(not (exists t (exists s (= s t))))");
    check_proposition("for all i in 1..n: c.weight[i] > 0",
                      "(all (in i (.. 1 n)) (> (index (member:weight c) i) 0))");
    check_proposition("exists vector q, permutation R[d]: q = r",
                      "(exists (call:vector q) (call:permutation (index R d)) (= q r))");
    check_proposition("exists = 3", "(= exists 3)");
}

static void test_some_index(void **state)
{
    (void)state;
    check_proposition("exists i in 1..n: k[i] = q",
                      "(not (all (in i (.. 1 n)) (not (= (index k i) q))))");
    check_proposition("exists i != a: k_i = q", "(not (all (!= i a) (not (= k_i q))))");
    check_proposition("exists t in 0..1: t = s", "(exists (in t (.. 0 1)) (= t s))");
}

static void test_equivalences(void **state)
{
    (void)state;
    const char *both = "(and (implies (= a b) (= c d)) (implies (= c d) (= a b)))";
    check_proposition("a = b iff c = d", both);
    check_proposition("a = b <=> c = d", both);
    check_proposition("a = b ⇔ c = d", both);
    check_proposition("$a = b \\iff c = d$", both);
}

/* Both spellings give one tree. */
static void check_latex(const char *latex, const char *plain)
{
    char whole[1000];
    qkv__text shown = {0};
    snprintf(whole, sizeof whole, "claim: %s\n", plain);
    qkv__document document = read_good(whole);
    dump(document.first->node[0], &shown);
    check_proposition(latex, shown.data);
    qkv__text_free(&shown);
    qkv__document_free(&document);
}

static void test_latex(void **state)
{
    (void)state;
    check_latex("$\\frac{e^\\beta}{e^{\\beta} + n - 1} \\le 1$", "e^beta/(e^(beta) + n - 1) <= 1");
    check_latex("\\frac{1}{2} x = \\tfrac{1}{3}", "(1/2) x = 1/3");
    check_latex("2 \\frac{1}{2} = 1", "2*(1/2) = 1");
    check_latex("\\lVert x - y \\rVert \\leq \\|x\\| + |y|", "|x - y| <= |x| + |y|");
    check_latex("\\lvert s \\lvert t \\rvert r \\rvert = \\left| s \\right|", "|(s*|t|*r)| = |s|");
    check_latex("x^\\top y = x^{\\top} y", "x' y = x' y");
    check_latex("(Q K^\\top)_{i, j} = 0", "(Q K')[i, j] = 0");
    check_latex("\\langle x, y + z \\rangle = 0", "x.(y + z) = 0");
    check_latex("k_{a} = k_a", "k_a = k_a");
    check_latex("k_{i + 1} = \\mu_{12}", "k[i + 1] = mu_12");
    check_latex("\\mathbf{k}_a = \\boldsymbol{\\mu}_{a}", "k_a = mu_a");
    check_latex("\\operatorname{Var}(x) = \\mathbb{E}[x]", "Var(x) = E[x]");
    check_latex("\\sum_{i=1}^{n} x_i y + 1 = 0", "sum(x_i y for i in 1..n) + 1 = 0");
    check_latex("\\sum_{i=1}^n x_i = 0", "sum(x_i for i in 1..n) = 0");
    check_latex("\\max_{i \\neq j} x_i = 0", "max(x_i for i != j) = 0");
    check_latex("\\sqrt{d + 1} = \\sqrt 2", "sqrt(d + 1) = sqrt(2)");
    check_latex("\\ln n = \\log\\left(n\\right)", "ln(n) = log(n)");
    check_latex("-\\ln n^2 = 0", "-ln(n^2) = 0");
    check_latex("e^{-\\beta\\,t} \\ge 0", "e^(-beta t) >= 0");
    check_latex("\\forall t: t \\cdot 2 \\ne 1 \\lor \\neg (t = 1)",
                "for all t: t · 2 != 1 or not (t = 1)");
    check_latex("x \\in \\{a, b\\} \\implies x = a", "x in {a, b} => x = a");
    check_latex("\\bigl(x \\ast y\\bigr) \\div 2 = \\biggl(z\\biggr)", "(x*y)/2 = (z)");
    check_latex("x = 1 \\Longrightarrow y = 1", "x = 1 => y = 1");
    check_latex("P(x = 1 \\mid y = 1) = 1", "P(x = 1 given y = 1) = 1");
    check_latex("\\sum\\limits_{i=1}^n x_i = 0", "sum(x_i for i in 1..n) = 0");
    check_latex("\\exists x \\colon x \\in \\lbrace a, b\\rbrace", "exists x: x in {a, b}");
}

/* Without braces LaTeX takes one character, or one command. */
static void test_short_groups(void **state)
{
    (void)state;
    check_latex("\\frac12 = \\tfrac 1 2", "1/2 = 1/2");
    check_latex("\\dfrac12v_a = \\frac12 v_a", "(1/2) v_a = (1/2) v_a");
    check_latex("\\frac1n = \\frac n2", "1/n = n/2");
    check_latex("\\frac n2x = \\frac x y", "(n/2) x = x/y");
    check_latex("\\frac\\pi2 = \\frac2\\pi", "pi/2 = 2/pi");
    check_latex("\\frac{x}2y = \\frac1{n - 1}", "(x/2) y = 1/(n - 1)");
    check_latex("\\frac12(x + y) = \\frac{1}n", "(1/2) (x + y) = 1/n");
    check_latex("\\frac1β = \\cfrac\\beta1", "1/beta = beta/1");
    check_latex("\\mathbf k_a = \\boldsymbol\\mu_{a}", "k_a = mu_a");
    check_latex("x = y \\text{ and } y = z", "x = y and y = z");
}

/* ---- Statements --------------------------------------------------------------------------- */

/* A statement in prefix form: its kind, its text, its nodes, its conditions, what is inside. */
static void dump_statements(const qkv__statement *s, qkv__text *text)
{
    static const char *const kinds[] = {"problem", "given", "family", "object", "pick", "assume",
                                        "define",  "claim", "find",   "law",    "block"};
    static const char *const conditions[] = {"as", "for", "at", "within", "given", "expect"};
    for (; s != NULL; s = s->next) {
        qkv__text_format(text, "{%s", kinds[s->kind]);
        if (s->text[0] != '\0') qkv__text_format(text, " '%s'", s->text);
        if (s->least) qkv__text_format(text, " least");
        if (s->distinct) qkv__text_format(text, " distinct");
        for (size_t i = 0; i < s->count; i++) {
            qkv__text_append(text, " ", 1);
            dump(s->node[i], text);
        }
        for (const qkv__condition *c = s->conditions; c != NULL; c = c->next) {
            qkv__text_format(text, " <%s%s", conditions[c->kind], c->text);
            for (size_t i = 0; i < c->count; i++) {
                qkv__text_append(text, " ", 1);
                dump(c->node[i], text);
            }
            qkv__text_append(text, ">", 1);
        }
        dump_statements(s->inside, text);
        qkv__text_append(text, "}", 1);
    }
}

static void check_statements(const char *text, const char *expected)
{
    qkv__text shown = {0};
    qkv__document document = read_good(text);
    qkv__text_append(&shown, "", 0);
    dump_statements(document.first, &shown);
    assert_string_equal(shown.data, expected);
    qkv__text_free(&shown);
    qkv__document_free(&document);
}

static void test_declarations(void **state)
{
    (void)state;
    check_statements("problem \"two β\"", "{problem 'two β'}");
    check_statements("given n >= 3, 0 < beta", "{given (>= n 3) (< 0 beta)}");
    check_statements("assume A'*A = I, A'B = 0", "{assume (= (* (' A) A) I) (= (* (' A) B) 0)}");
    check_statements("keys k[1..n] orthonormal", "{family 'keys' (index k (.. 1 n)) orthonormal}");
    check_statements("values v [1..n]", "{family 'values' (index v (.. 1 n))}");
    check_statements("vectors u[a,b,c] orthogonal, norm beta, dimension d + 1",
                     "{family 'vectors' (index u a b c) orthogonal (call:norm beta) "
                     "(call:dimension (+ d 1))}");
    check_statements("keys k = [[1,0],[0,1]]",
                     "{family 'keys' (= k (list (list 1 0) (list 0 1)))}");
    check_statements("means mu[1..n] orthonormal dimension d",
                     "{family 'means' (index mu (.. 1 n)) orthonormal (call:dimension d)}");
    check_statements("keys k[i] ~ normal(mu[i], alpha*I)",
                     "{family 'keys' (law (index k i) (call:normal (index mu i) (* alpha I)))}");
    check_statements("vectors u[a,b], w[1..3] orthogonal, norm 2",
                     "{family 'vectors' (index u a b) orthogonal (call:norm 2)}"
                     "{family 'vectors' (index w (.. 1 3)) orthogonal (call:norm 2)}");
    check_statements("matrix X[n,d], W; permutation P[n]; scalar t; vector q",
                     "{object 'matrix' (index X n d) W}{object 'permutation' (index P n)}"
                     "{object 'scalar' t}{object 'vector' q}");
    check_statements("pick a, b distinct in 1..n", "{pick distinct a b (.. 1 n)}");
    check_statements("pick a in {1, 2}", "{pick a (set 1 2)}");
}

static void test_definitions(void **state)
{
    (void)state;
    check_statements("q = beta*k[a]", "{define q (* beta (index k a))}");
    check_statements("x[1] = u[d];  x[2] = u[a]", "{define (index x 1) (index u d)}"
                                                  "{define (index x 2) (index u a)}");
    check_statements("att(X, Y) = X*Y", "{define (call:att X Y) (* X Y)}");
    check_statements("f(x) = x\ny = e^f(2)", "{define (call:f x) x}{define y (^ e (call:f 2))}");
    check_statements("y = E[x given x > 0]", "{define y (call:E (given x (> x 0)))}");
    check_statements("x[i] = 2 i for i in 1..4",
                     "{define x (list (over:i (* 2 i) (in i (.. 1 4))))}");
    check_statements("keys k[1..n]\nm[i] = k[i]",
                     "{family 'keys' (index k (.. 1 n))}"
                     "{define m (list (over:i (index k i) (in i (.. 1 n))))}");
}

/* Orthogonal vectors of any lengths: a premise about each two of them. */
static void test_free_lengths(void **state)
{
    (void)state;
    check_statements("keys k[1..2] orthogonal",
                     "{family 'keys' (index k (.. 1 2))}{given (= (. (index k 1) (index k 2)) 0)}");
    check_statements("vectors u[a,b,c] orthogonal",
                     "{family 'vectors' (index u a b c)}{given (= (. (index u a) (index u b)) 0) "
                     "(= (. (index u a) (index u c)) 0) (= (. (index u b) (index u c)) 0)}");
    check_statements("keys k[1..2], m[1..2] orthogonal",
                     "{family 'keys' (index k (.. 1 2))}{given (= (. (index k 1) (index k 2)) 0)}"
                     "{family 'keys' (index m (.. 1 2))}{given (= (. (index m 1) (index m 2)) 0)}");
    check_statements("keys k[1..9] orthogonal", "{family 'keys' (index k (.. 1 9)) orthogonal}");
    check_statements("keys k[1..n] orthogonal", "{family 'keys' (index k (.. 1 n)) orthogonal}");
    check_statements("keys k[1..2] orthogonal, norm 2",
                     "{family 'keys' (index k (.. 1 2)) orthogonal (call:norm 2)}");
}

static void test_claims(void **state)
{
    (void)state;
    check_statements("claim S0.1.2.4: a = b", "{claim 'S0.1.2.4' (= a b)}");
    check_statements("claim: a = b", "{claim (= a b)}");
    check_statements("find q: a = q", "{find q (= a q)}");
    check_statements("find q such that a = q", "{find q (= a q)}");
    check_statements("find K, Q, V: a = K and b = Q", "{find K Q V (and (= a K) (= b Q))}");
    check_statements("find least beta: a <= beta", "{find least beta (<= a beta)}");
    check_statements("find least: a = least", "{find least (= a least)}");
    check_statements("find vector q: a = q", "{find (call:vector q) (= a q)}");
    check_statements("law of c + 1", "{law (+ c 1)}");
    check_statements("law of c as beta -> inf", "{law c <as (-> beta #inf)>}");
}

static void test_conditions(void **state)
{
    (void)state;
    check_statements("claim: p = q as beta -> inf", "{claim (= p q) <as (-> beta #inf)>}");
    check_statements("claim: p = q as beta → ∞ then alpha → 0",
                     "{claim (= p q) <as (-> beta #inf) (-> alpha 0)>}");
    check_statements("claim: p = q as t -> 0+", "{claim (= p q) <as (->+ t 0)> <for (> t 0)>}");
    check_statements("claim: p = q as t -> 1- then s -> inf, n = 3",
                     "{claim (= p q) <as (->- t 1) (-> s #inf)> <for (< t 1)> <for (= n 3)>}");
    check_statements("claim: p = q for beta >= 20, n = 1000",
                     "{claim (= p q) <for (>= beta 20) (= n 1000)>}");
    check_statements("claim: p = q for i not in {a, b}",
                     "{claim (= p q) <for (notin i (set a b))>}");
    check_statements("claim: p = q for all n >= 3", "{claim (= p q) <for (>= n 3)>}");
    check_statements("claim: p = q for all s, t", "{claim (= p q) <for s t>}");
    check_statements("claim: p = q for all permutation R[d] expect refuted",
                     "{claim (= p q) <for (call:permutation (index R d))> <expectrefuted>}");
    check_statements("claim: p = q at n = 10, beta = 2",
                     "{claim (= p q) <at (= n 10) (= beta 2)>}");
    check_statements("claim: p = q within 1e-6", "{claim (= p q) <within 1:1000000>}");
    check_statements("claim: p = q given a > 0, b > 0",
                     "{claim (= p q) <given (> a 0)> <given (> b 0)>}");
    check_statements("claim: p = q as b -> 0, expect undecided",
                     "{claim (= p q) <as (-> b 0)> <expectundecided>}");
    check_statements("claim: p = q as b -> 0 for n = 3, m = 4, given x > 0 within 2 expect proved",
                     "{claim (= p q) <as (-> b 0)> <for (= n 3) (= m 4)> <given (> x 0)> "
                     "<within 2> <expectproved>}");
    check_statements("find least b: p < q, n = 10", "{find least b (< p q) <for (= n 10)>}");
    check_statements("claim: p = q as b -> 0, n = 10",
                     "{claim (= p q) <as (-> b 0)> <for (= n 10)>}");
    check_statements("claim: p = q for n = 1, at = 3",
                     "{claim (= p q) <for (= n 1)> <for (= at 3)>}");
    check_statements("claim: p = q for 3 <= n <= 9", "{claim (= p q) <for (<= 3 n) (<= n 9)>}");
}

/* Ranges between plain numbers whose index stands for a number, or in arithmetic. */
static void test_plain_ranges(void **state)
{
    (void)state;
    check_proposition("x[i + 1] = x[i] for i in 1..2",
                      "(and (= (index x 2) (index x 1)) (= (index x 3) (index x 2)))");
    check_proposition("for all i in 1..2: x[i] = 1/i",
                      "(and (= (index x 1) (/ 1 1)) (= (index x 2) (/ 1 2)))");
    check_proposition("for all i in 1..2, j in 1..n: x[i] = i*x[j]",
                      "(and (all (in j (.. 1 n)) (= (index x 1) (* 1 (index x j)))) "
                      "(all (in j (.. 1 n)) (= (index x 2) (* 2 (index x j)))))");
    check_proposition(
        "x[i] = i for i in 1..2, j in 1..2, i < j",
        "(and (implies (< 1 j) (= (index x 1) 1)) (implies (< 2 j) (= (index x 2) 2)))");
    check_proposition("sum(x[i]/i for i in 2..3) = 0",
                      "(= (+ (/ (index x 2) 2) (/ (index x 3) 3)) 0)");
    check_proposition("sum(y[j][i] for i in 1..j) = 1 for j in 1..2",
                      "(and (= (index (index y 1) 1) 1) "
                      "(= (+ (index (index y 2) 1) (index (index y 2) 2)) 1))");
    check_proposition("mean(i for i in 1..2) = max(i for i in 1..2)",
                      "(= (/ (+ 1 2) 2) (call:max 1 2))");
    check_statements("claim: x[i] = i for i in 1..1, n = 3 expect refuted",
                     "{claim (= (index x 1) 1) <for (= n 3)> <expectrefuted>}");
    check_statements("given for all i in 1..2: x[i] = i",
                     "{given (and (= (index x 1) 1) (= (index x 2) 2))}");
    check_statements("s = sum(i*x[i] for i in 1..2)",
                     "{define s (+ (* 1 (index x 1)) (* 2 (index x 2)))}");
    /* What stays: indexes alone, other ranges, numbers, and names that cannot be replaced. */
    check_proposition("sum(x[i] for i in 1..2) = 0",
                      "(= (call:sum (over:i (index x i) (in i (.. 1 2)))) 0)");
    check_proposition("sum(i*x[i] for i in 1..n) = 0",
                      "(= (call:sum (over:i (* i (index x i)) (in i (.. 1 n)))) 0)");
    check_proposition("for all i in 1..65: x[i] = i", "(all (in i (.. 1 65)) (= (index x i) i))");
    check_proposition("for all t in 1..2: t^2 >= t", "(all (in t (.. 1 2)) (>= (^ t 2) t))");
    check_proposition("for all i in 1..2: x_i = i", "(all (in i (.. 1 2)) (= x_i i))");
    check_proposition("for all i in 1..2: x[i] = q iff i <= j",
                      "(all (in i (.. 1 2)) (and (implies (= (index x i) q) (<= i j)) "
                      "(implies (<= i j) (= (index x i) q))))");
    check_statements("claim: t^2 >= t for t in 1..2",
                     "{claim (>= (^ t 2) t) <for (in t (.. 1 2))>}");
}

static void test_blocks(void **state)
{
    (void)state;
    check_statements("as a -> 0 then b -> inf:\n    claim: p = q\n    law of c\nx = 1",
                     "{block <as (-> a 0) (-> b #inf)>{claim (= p q)}{law c}}{define x 1}");
    check_statements("at n = 10:\n  for all v:\n    claim: p = q\n  x = 1\ny = 2",
                     "{block <at (= n 10)>{block <for v>{claim (= p q)}}{define x 1}}{define y 2}");
    check_statements("for n = 3, given x > 0:\n  x = 1; y = 2",
                     "{block <for (= n 3)> <given (> x 0)>{define x 1}{define y 2}}");
}

/* The samples of the manual and of the assignment, shortened to what is peculiar to each. */
static void test_samples(void **state)
{
    (void)state;
    check_statements("claim: |c.weight[a] - 1/2| <= 1e-6       for beta >= 20, n = 1000",
                     "{claim (<= (size (- (index (member:weight c) a) (/ 1 2))) 1:1000000) "
                     "<for (>= beta 20) (= n 1000)>}");
    check_statements("claim: exists t: self_attend(x with x[2] = u[a] + t*u[d])[2] ~ u[b]  "
                     "expect refuted",
                     "{claim (exists t (~ (index (call:self_attend (with x (index x 2) (+ (index u "
                     "a) (* t (index u d))))) 2) (index u b))) <expectrefuted>}");
    check_statements("V = (u[b]*u[b]' - u[c]*u[c]')/beta^2",
                     "{define V (/ (- (* (index u b) (' (index u b))) (* (index u c) (' (index u "
                     "c)))) (^ beta 2))}");
    check_statements("immune  = attend(-beta*sum(mu[i] for i not in {a, b}), k, v)",
                     "{define immune (call:attend (* (neg beta) (call:sum (over:i (index mu i) "
                     "(notin i (set a b))))) k v)}");
    check_statements("claim: Var(single.weight[a]) in 0.1953 .. 0.1954",
                     "{claim (in (call:Var (index (member:weight single) a)) "
                     "(.. 1953:10000 977:5000))}");
    check_statements("claim: P(two.head[1].weight[a] < 0.99) <= 0.1       expect refuted",
                     "{claim (<= (call:P (< (index (member:weight (index (member:head two) 1)) a) "
                     "99:100)) 1:10) <expectrefuted>}");
    check_statements("att(X) = softmax(X*W_Q*(X*W_K)')*X*W_V",
                     "{define (call:att X) (* (* (call:softmax (* (* X W_Q) (' (* X W_K)))) X) "
                     "W_V)}");
    check_statements("claim: a[a] = e^β/(n − 2 + 2 e^β)",
                     "{claim (= (index a a) (/ (^ e beta) (+ (- n 2) (* 2 (^ e beta)))))}");
}

/* Places are those of the first character and of the last on its line; the source is one line. */
static void test_places_and_sources(void **state)
{
    (void)state;
    qkv__document document = read_good("x = 1\n  claim A:  b + (c*d)  ~ 2 # so\n"
                                       "     for  n = 3 ; y = 2");
    const qkv__statement *s = document.first->next;
    const qkv__node *product = s->node[0]->child[0]->child[1];
    assert_int_equal(s->place.line, 2);
    assert_int_equal(s->place.column, 3);
    assert_string_equal(s->source, "claim A: b + (c*d) ~ 2 for n = 3");
    assert_int_equal(product->place.column, 18);
    assert_int_equal(product->place.end_column, 21);
    assert_int_equal(s->node[0]->place.column, 13);
    assert_int_equal(s->node[0]->place.end_column, 27);
    assert_int_equal(s->conditions->place.line, 3);
    assert_int_equal(s->conditions->place.column, 6);
    assert_string_equal(s->next->source, "y = 2");
    qkv__document_free(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_precedence),     cmocka_unit_test(test_inner_products_and_members),
        cmocka_unit_test(test_side_by_side),   cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_calls),          cmocka_unit_test(test_leaves),
        cmocka_unit_test(test_words_as_names), cmocka_unit_test(test_propositions),
        cmocka_unit_test(test_quantifiers),    cmocka_unit_test(test_some_index),
        cmocka_unit_test(test_equivalences),   cmocka_unit_test(test_latex),
        cmocka_unit_test(test_short_groups),   cmocka_unit_test(test_declarations),
        cmocka_unit_test(test_definitions),    cmocka_unit_test(test_claims),
        cmocka_unit_test(test_plain_ranges),   cmocka_unit_test(test_free_lengths),
        cmocka_unit_test(test_conditions),     cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_samples),        cmocka_unit_test(test_places_and_sources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
