//! The regularised incomplete beta function, of which the tails of the binomial distribution are values.

/// Steps of the continued fraction. It takes some √max(a, b) of them, so that counts of a hundred million are within reach.
/// (`statrs` 0.19 stops after 140: for half of a million draws it says 0.5012 instead of 0.5.)
const MOST_STEPS: u32 = 200_000;

/// The number that replaces zero as a divisor.
const TINY: f64 = 1e-300;

/// Iₓ(a, b) for a, b > 0 and x within [0, 1]: the probability that a variable with the distribution Beta(a, b) is at most x.
/// P(Binomial(n, p) ≥ k) is `regularised_beta(p, k, n − k + 1)`.
///
/// By the continued fraction of DLMF 8.17.22, evaluated by Lentz's method.
pub(super) fn regularised_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    // The fraction converges fast on this side; the other is its complement.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - regularised_beta(1.0 - x, b, a);
    }
    let front = a * x.ln() + b * (-x).ln_1p() - ln_beta(a, b);
    front.exp() * continued_fraction(x, a, b) / a
}

fn continued_fraction(x: f64, a: f64, b: f64) -> f64 {
    let nonzero = |number: f64| if number.abs() < TINY { TINY } else { number };
    let mut c = 1.0;
    let mut d = 1.0 / nonzero(1.0 - (a + b) * x / (a + 1.0));
    let mut value = d;
    for step in 1..MOST_STEPS {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / nonzero(1.0 + even * d);
        c = nonzero(1.0 + even / c);
        value *= c * d;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / nonzero(1.0 + odd * d);
        c = nonzero(1.0 + odd / c);
        value *= c * d;
        if (c * d - 1.0).abs() < 1e-15 {
            break;
        }
    }
    value
}

/// ln B(a, b).
fn ln_beta(a: f64, b: f64) -> f64 {
    ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b)
}

/// ln Γ(x) for x > 0, by Lanczos's approximation (g = 7, nine terms), which is right to some 15 digits.
#[expect(clippy::excessive_precision, reason = "the coefficients as they are published")]
fn ln_gamma(x: f64) -> f64 {
    const G: f64 = 7.0;
    const FIRST: f64 = 0.999_999_999_999_809_93;
    const TERMS: [f64; 8] = [
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_13,
        -176.615_029_162_140_59,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_571_6e-6,
        1.505_632_735_149_311_6e-7,
    ];
    let x = x - 1.0;
    let terms = (1_u32..).zip(TERMS).map(|(number, term)| term / (x + f64::from(number)));
    let sum: f64 = FIRST + terms.sum::<f64>();
    let t = x + G + 0.5;
    0.5 * std::f64::consts::TAU.ln() + (x + 0.5) * t.ln() - t + sum.ln()
}
