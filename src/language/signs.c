/* The table of signs. Knows code points and spellings. */
#include "language/signs.h"

/* In the order of their code points, for a search by halves. */
static const qkv__sign_token signs[] = {
    {0x00ac, QKV__TOKEN_NAME, "not", false},
    {0x00b2, QKV__TOKEN_EXPONENT, "2", false},
    {0x00b3, QKV__TOKEN_EXPONENT, "3", false},
    {0x00b5, QKV__TOKEN_NAME, "mu", true}, /* the micro sign, which keyboards have */
    {0x00b7, QKV__TOKEN_TIMES, ".", false},
    {0x00b9, QKV__TOKEN_EXPONENT, "1", false},
    {0x00bc, QKV__TOKEN_FRACTION, "14", false},
    {0x00bd, QKV__TOKEN_FRACTION, "12", false},
    {0x00be, QKV__TOKEN_FRACTION, "34", false},
    {0x00d7, QKV__TOKEN_TIMES, "*", false},
    {0x0393, QKV__TOKEN_NAME, "Gamma", true},
    {0x0394, QKV__TOKEN_NAME, "Delta", true},
    {0x0398, QKV__TOKEN_NAME, "Theta", true},
    {0x039b, QKV__TOKEN_NAME, "Lambda", true},
    {0x039e, QKV__TOKEN_NAME, "Xi", true},
    {0x03a0, QKV__TOKEN_NAME, "Pi", true},
    {0x03a3, QKV__TOKEN_NAME, "Sigma", true},
    {0x03a6, QKV__TOKEN_NAME, "Phi", true},
    {0x03a8, QKV__TOKEN_NAME, "Psi", true},
    {0x03a9, QKV__TOKEN_NAME, "Omega", true},
    {0x03b1, QKV__TOKEN_NAME, "alpha", true},
    {0x03b2, QKV__TOKEN_NAME, "beta", true},
    {0x03b3, QKV__TOKEN_NAME, "gamma", true},
    {0x03b4, QKV__TOKEN_NAME, "delta", true},
    {0x03b5, QKV__TOKEN_NAME, "eps", true},
    {0x03b6, QKV__TOKEN_NAME, "zeta", true},
    {0x03b7, QKV__TOKEN_NAME, "eta", true},
    {0x03b8, QKV__TOKEN_NAME, "theta", true},
    {0x03ba, QKV__TOKEN_NAME, "kappa", true},
    {0x03bb, QKV__TOKEN_NAME, "lambda", true},
    {0x03bc, QKV__TOKEN_NAME, "mu", true},
    {0x03bd, QKV__TOKEN_NAME, "nu", true},
    {0x03be, QKV__TOKEN_NAME, "xi", true},
    {0x03c0, QKV__TOKEN_NAME, "pi", true},
    {0x03c1, QKV__TOKEN_NAME, "rho", true},
    {0x03c3, QKV__TOKEN_NAME, "sigma", true},
    {0x03c4, QKV__TOKEN_NAME, "tau", true},
    {0x03c6, QKV__TOKEN_NAME, "phi", true},
    {0x03c7, QKV__TOKEN_NAME, "chi", true},
    {0x03c8, QKV__TOKEN_NAME, "psi", true},
    {0x03c9, QKV__TOKEN_NAME, "omega", true},
    {0x03f5, QKV__TOKEN_NAME, "eps", true}, /* the other epsilon */
    {0x1d40, QKV__TOKEN_TRANSPOSE, "'", false},
    {0x2016, QKV__TOKEN_BAR, "|", false},
    {0x2019, QKV__TOKEN_TRANSPOSE, "'", false}, /* what word processors make of ' */
    {0x2026, QKV__TOKEN_RANGE, "..", false},
    {0x2032, QKV__TOKEN_TRANSPOSE, "'", false},
    {0x2070, QKV__TOKEN_EXPONENT, "0", false},
    {0x2074, QKV__TOKEN_EXPONENT, "4", false},
    {0x2075, QKV__TOKEN_EXPONENT, "5", false},
    {0x2076, QKV__TOKEN_EXPONENT, "6", false},
    {0x2077, QKV__TOKEN_EXPONENT, "7", false},
    {0x2078, QKV__TOKEN_EXPONENT, "8", false},
    {0x2079, QKV__TOKEN_EXPONENT, "9", false},
    {0x207b, QKV__TOKEN_EXPONENT, "-", false},
    {0x2153, QKV__TOKEN_FRACTION, "13", false},
    {0x2154, QKV__TOKEN_FRACTION, "23", false},
    {0x2192, QKV__TOKEN_ARROW, "->", false},
    {0x21d2, QKV__TOKEN_IMPLIES, "=>", false},
    {0x21d4, QKV__TOKEN_NAME, "iff", false},
    {0x2200, QKV__TOKEN_NAME, "forall", false},
    {0x2203, QKV__TOKEN_NAME, "exists", false},
    {0x2206, QKV__TOKEN_NAME, "Delta", true}, /* the increment sign */
    {0x2208, QKV__TOKEN_NAME, "in", false},
    {0x2209, QKV__TOKEN_NOT_IN, "not in", false},
    {0x2211, QKV__TOKEN_NAME, "sum", false},
    {0x2212, QKV__TOKEN_MINUS, "-", false},
    {0x221a, QKV__TOKEN_ROOT, "sqrt", false},
    {0x221e, QKV__TOKEN_NAME, "inf", false},
    {0x2223, QKV__TOKEN_BAR, "|", false},
    {0x2225, QKV__TOKEN_BAR, "|", false},
    {0x2227, QKV__TOKEN_NAME, "and", false},
    {0x2228, QKV__TOKEN_NAME, "or", false},
    {0x223c, QKV__TOKEN_NEAR, "~", false},
    {0x2248, QKV__TOKEN_NEAR, "~", false},
    {0x2260, QKV__TOKEN_NOT_EQUAL, "!=", false},
    {0x2264, QKV__TOKEN_LESS_OR_EQUAL, "<=", false},
    {0x2265, QKV__TOKEN_GREATER_OR_EQUAL, ">=", false},
    {0x22a4, QKV__TOKEN_TRANSPOSE, "'", false},
    {0x22c5, QKV__TOKEN_TIMES, ".", false},
};

const qkv__sign_token *qkv__sign_find(unsigned code)
{
    size_t low = 0, high = sizeof signs / sizeof signs[0];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (signs[middle].code == code) return &signs[middle];
        if (signs[middle].code < code)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}
