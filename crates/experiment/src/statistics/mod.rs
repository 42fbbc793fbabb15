//! Statistics of experiments: pure functions of numbers, and of a seed where something is drawn.
//!
//! `oracle.py` wrote `oracle.json` with scipy; the tests of each file compare with it.

mod beta;
mod bootstrap;
mod clopper_pearson;
mod holm;
mod kappa;
mod mcnemar;
mod needed;
mod normal;
mod paired_t;
mod random;
mod sign_flip;

pub use bootstrap::{Bootstrap, Clusters, Estimate};
#[doc(hidden)]
pub use clopper_pearson::{Interval, clopper_pearson, clopper_pearson_of_share};
pub use holm::holm;
#[doc(hidden)]
pub use kappa::cohen_kappa;
pub use loopctl_ground::bounds::real;
pub use mcnemar::{Discordant, mcnemar_exact};
pub use needed::{Spread, documents_needed};
pub use normal::normal_quantile;
pub use paired_t::paired_t;
pub use random::Seeded;
pub use sign_flip::sign_flip;

/// A count as a number.
fn number(count: usize) -> f64 {
    real(count as u64)
}

/// A share of a whole; `None` if the whole is 0.
#[must_use]
pub fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| real(part) / real(whole))
}

/// A table of values that scipy computed.
#[cfg(test)]
fn oracle(name: &str) -> Vec<serde_json::Value> {
    let all: serde_json::Value = serde_json::from_str(include_str!("oracle.json")).unwrap();
    all[name].as_array().unwrap_or_else(|| panic!("no table `{name}`")).clone()
}

/// The numbers of a list of the table.
#[cfg(test)]
fn numbers(list: &serde_json::Value) -> Vec<f64> {
    list.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
}
