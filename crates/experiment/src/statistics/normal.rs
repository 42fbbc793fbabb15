//! The normal distribution.

/// The number below which a standard normal variable falls with probability `p`; infinite for 0 and 1, NaN outside of
/// them.
///
/// Wichura's algorithm AS 241 (PPND16), Applied Statistics 37 (1988), accurate to about 16 digits.
#[must_use]
pub fn normal_quantile(p: f64) -> f64 {
    if !(0.0..=1.0).contains(&p) {
        return f64::NAN;
    }
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180_625 - q * q;
        return q * ratio(&CENTRE, r);
    }
    let tail = p.min(1.0 - p);
    if tail <= 0.0 {
        return q.signum() * f64::INFINITY;
    }
    let r = (-tail.ln()).sqrt();
    let size = if r <= 5.0 { ratio(&MIDDLE, r - 1.6) } else { ratio(&TAIL, r - 5.0) };
    q.signum() * size
}

/// Coefficients of a numerator and a denominator, the constant first.
type Rational = [[f64; 8]; 2];

fn ratio([above, below]: &Rational, x: f64) -> f64 {
    let at = |coefficients: &[f64; 8]| {
        coefficients.iter().rev().fold(0.0, |sum, coefficient| sum * x + coefficient)
    };
    at(above) / at(below)
}

#[expect(clippy::excessive_precision, clippy::unreadable_literal, reason = "as published")]
const CENTRE: Rational = [
    [
        3.3871328727963666080e0,
        1.3314166789178437745e2,
        1.9715909503065514427e3,
        1.3731693765509461125e4,
        4.5921953931549871457e4,
        6.7265770927008700853e4,
        3.3430575583588128105e4,
        2.5090809287301226727e3,
    ],
    [
        1.0,
        4.2313330701600911252e1,
        6.8718700749205790830e2,
        5.3941960214247511077e3,
        2.1213794301586595867e4,
        3.9307895800092710610e4,
        2.8729085735721942674e4,
        5.2264952788528545610e3,
    ],
];

#[expect(clippy::excessive_precision, clippy::unreadable_literal, reason = "as published")]
const MIDDLE: Rational = [
    [
        1.42343711074968357734e0,
        4.63033784615654529590e0,
        5.76949722146069140550e0,
        3.64784832476320460504e0,
        1.27045825245236838258e0,
        2.41780725177450611770e-1,
        2.27238449892691845833e-2,
        7.74545014278341407640e-4,
    ],
    [
        1.0,
        2.05319162663775882187e0,
        1.67638483018380384940e0,
        6.89767334985100004550e-1,
        1.48103976427480074590e-1,
        1.51986665636164571966e-2,
        5.47593808499534494600e-4,
        1.05075007164441684324e-9,
    ],
];

#[expect(clippy::excessive_precision, clippy::unreadable_literal, reason = "as published")]
const TAIL: Rational = [
    [
        6.65790464350110377720e0,
        5.46378491116411436990e0,
        1.78482653991729133580e0,
        2.96560571828504891230e-1,
        2.65321895265761230930e-2,
        1.24266094738807843860e-3,
        2.71155556874348757815e-5,
        2.01033439929228813265e-7,
    ],
    [
        1.0,
        5.99832206555887937690e-1,
        1.36929880922735805310e-1,
        1.48753612908506148525e-2,
        7.86869131145613259100e-4,
        1.84631831751005468180e-5,
        1.42151175831644588870e-7,
        2.04426310338993978564e-15,
    ],
];

#[cfg(test)]
mod tests {
    use super::super::{numbers, oracle};
    use super::*;

    #[test]
    fn quantiles_are_those_of_scipy() {
        for row in oracle("normal_quantile") {
            let [p, expected] = numbers(&row)[..] else { panic!() };
            let found = normal_quantile(p);
            assert!(
                (found - expected).abs() <= 1e-12 * expected.abs().max(1.0),
                "{p}: {found}, not {expected}"
            );
        }
        assert!(normal_quantile(f64::NAN).is_nan() && normal_quantile(1.1).is_nan());
        assert_eq!((normal_quantile(0.0), normal_quantile(1.0)), (f64::NEG_INFINITY, f64::INFINITY));
    }
}
