/*
 * Confidence sequences. Knows nothing of samplers.
 *
 * Both rest on Ville's inequality (1939): a nonnegative supermartingale M_t that starts at 1 ever
 * reaches 1/error with probability at most `error`. If M_t(m) is one whenever the true value is m,
 * then the m with M_t(m) < 1/error hold the true value at all times t at once.
 */
#include <qkv/lab.h>

#include <math.h>

/* Room for rounding, relative to the range: samples, their sums and what is computed here are good
 * to better than this. */
#define ROUNDING 1e-12

static bool is_error(double error)
{
    return error > 0.0 && error < 1.0;
}

/* ---- Probabilities -------------------------------------------------------------------------- */

/*
 * For coins with probability p and S successes in t trials, the likelihood of a mixture over p'
 * with weights Beta(1/2, 1/2), divided by that of p, is a martingale:
 *
 *     M_t(p) = B(S + 1/2, t - S + 1/2) / B(1/2, 1/2) / (p^S (1 - p)^(t - S)),
 *
 * and ln M_t is convex in p with its minimum at S/t, so the p with M_t(p) < 1/error are an interval
 * (Robbins, Statistical methods related to the law of the iterated logarithm, 1970). B(1/2, 1/2) =
 * pi.
 */
static double log_likelihood(double p, double successes, double failures)
{
    double sum = 0.0; /* 0 ln 0 = 0 */
    if (successes > 0.0) sum += successes * log(p);
    if (failures > 0.0) sum += failures * log1p(-p);
    return sum;
}

/* Of Stirling's series, ln Gamma(x) = (x - 1/2) ln x - x + ln(2 pi)/2 + this; the next term is
 * 1/(1680 x^7). */
static double stirling_rest(double x)
{
    double square = x * x;
    return (1.0 / 12.0 - (1.0 / 360.0 - 1.0 / (1260.0 * square)) / square) / x;
}

/* ln of the Beta function for a and b of at least 1/2. lgamma's terms grow like x ln x and would
 * cancel; in Stirling's series that is done on paper. */
static double log_beta(double a, double b)
{
    double small = fmin(a, b), large = fmax(a, b), sum = a + b, share = small / sum;
    if (large < 1000.0) return lgamma(a) + lgamma(b) - lgamma(sum);
    double rest = stirling_rest(large) - stirling_rest(sum) + (large - 0.5) * log1p(-share);
    if (small < 10.0) return lgamma(small) - small * log(sum) + small + rest;
    return 0.91893853320467274178 - 0.5 * log(small) + small * log(share) + stirling_rest(small) +
           rest; /* ln(2 pi)/2 */
}

/* Where the log-likelihood crosses `level` between `outside`, where it is less, and `inside`. The
 * end that is outside is returned. */
static double crossing(double outside, double inside, double level, double successes,
                       double failures)
{
    for (int i = 0; i < 200; i++) {
        double middle = 0.5 * (outside + inside);
        if (middle == outside || middle == inside) break;
        if (log_likelihood(middle, successes, failures) > level)
            inside = middle;
        else
            outside = middle;
    }
    return outside;
}

qkv_lab_interval qkv_lab_probability_interval(uint64_t successes, uint64_t trials, double error)
{
    qkv_lab_interval found = {0.0, 1.0};
    if (successes > trials || !is_error(error)) return (qkv_lab_interval){NAN, NAN};
    if (trials == 0) return found;
    double s = (double)successes, f = (double)(trials - successes);
    double level = log_beta(s + 0.5, f + 0.5) - 1.14472988584940017414 + log(error); /* ln pi */
    /* Rounding of the level and of the likelihoods, made to widen the interval. */
    level -= 1e-15 * (s + f) + 1e-9;
    double centre = s / (s + f);
    if (successes > 0) found.low = crossing(0.0, centre, level, s, f);
    if (successes < trials) found.high = crossing(1.0, centre, level, s, f);
    return found;
}

/* ---- Bounded means -------------------------------------------------------------------------- */

/*
 * For x in [0, 1] with mean m, any guess g of it and any bet 0 <= l < 1, both chosen before x is
 * seen,
 *
 *     E exp(l (x - m) - psi(l) (x - g)^2) <= 1,      psi(l) = -ln(1 - l) - l
 *
 * (Fan, Grama and Liu 2015; Howard, Ramdas, McAuliffe and Sekhon, Time-uniform, nonparametric,
 * nonasymptotic confidence sequences, 2021, theorem 4). So for every l the product of such factors
 * is a supermartingale, and so is the average over several l. With x' the mean of t numbers and V =
 * sum (x - g)^2 that average is
 *
 *     M(m) = (1/BETS) sum_k exp(l_k t (x' - m) - psi(l_k) V),
 *
 * which grows with x' - m; the same holds for 1 - x with the same V. With error/2 for each side the
 * mean is within r of x' at all times, r being where M reaches 2/error. The bets are 2^(-1/2),
 * 2^-1, ..., 2^-20: one of them is within 2^(1/4) of the best for any V up to 10^13, so that r is
 * at most 1.02 sqrt(2 V ln(2 BETS/error))/t there.
 *
 * The guess is the mean of the batches before; for the first it is the middle of the range.
 */
enum { BETS = 40 };

static double psi(double bet)
{
    return -log1p(-bet) - bet;
}

static bool is_known(const qkv_lab_sequence *sequence)
{
    return sequence->range_low < sequence->range_high && isfinite(sequence->range_low) &&
           isfinite(sequence->range_high);
}

qkv_lab_sequence qkv_lab_sequence_start(double range_low, double range_high, double error)
{
    return (qkv_lab_sequence){.range_low = range_low, .range_high = range_high, .error = error};
}

void qkv_lab_sequence_add(qkv_lab_sequence *sequence, uint64_t count, double mean, double spread)
{
    double n = (double)count;
    if (count == 0) return;
    double guess =
        sequence->count > 0.0 ? sequence->mean : 0.5 * (sequence->range_low + sequence->range_high);
    sequence->scatter += spread + n * (mean - guess) * (mean - guess);
    sequence->count += n;
    sequence->mean += (mean - sequence->mean) * (n / sequence->count);
}

/*
 * For numbers in [0, 1]: where sum_k exp(l_k t r - psi(l_k) V) = 2 BETS/error. One bet alone
 * reaches that at (ln(2 BETS/error) + psi V)/(l t), and the least of these bounds r from above. The
 * logarithm of the sum is convex in r and grows, so Newton's steps come down to the root and never
 * pass it.
 */
static double radius(double count, double scatter, double error)
{
    double bets[BETS], costs[BETS], level = log(2.0 * BETS / error), r = INFINITY;
    for (int k = 0; k < BETS; k++) {
        bets[k] = exp2(-0.5 * (k + 1)) * count;
        costs[k] = psi(bets[k] / count) * scatter;
        r = fmin(r, (level + costs[k]) / bets[k]);
    }
    for (int i = 0; i < 50; i++) {
        double sum = 0.0, slope = 0.0;
        for (int k = 0; k < BETS; k++) {
            double term = exp(bets[k] * r - costs[k] - level); /* at most 1, up to rounding */
            sum += term;
            slope += bets[k] * term;
        }
        double step = log(sum) * sum / slope;
        if (!(step > 1e-13 * r)) break;
        r -= step;
    }
    return r * (1.0 + ROUNDING);
}

qkv_lab_interval qkv_lab_sequence_interval(const qkv_lab_sequence *sequence)
{
    double low = sequence->range_low, high = sequence->range_high, width = high - low;
    if (isnan(low) || isnan(high) || low > high || !is_error(sequence->error))
        return (qkv_lab_interval){NAN, NAN};
    if (!is_known(sequence) || sequence->count == 0.0) return (qkv_lab_interval){low, high};
    double scatter = sequence->scatter / (width * width) * (1.0 + ROUNDING);
    double reach = width * (radius(sequence->count, scatter, sequence->error) + ROUNDING);
    return (qkv_lab_interval){fmax(low, sequence->mean - reach),
                              fmin(high, sequence->mean + reach)};
}
