//! The check `sum_to`: numbers that add up.

use super::Test;
use super::check::{CheckOfValue, Definition};
use crate::mapping;
use crate::rules::number::number;
use crate::value::decode::{Decode, number_in};
use crate::value::shape::{Key, Shape};
use crate::value::yaml::Data;
use crate::value::{Children, Item};
#[cfg(test)]
use serde_json::json;
use std::fmt;

pub(super) const SUM_TO: Definition = Definition {
    key: Key::new(
        "sum_to",
        || Shape::AnyOf(vec![f64::shape(), Shape::Mapping(SumTo::mapping())]),
        "The numbers of a list or mapping must add up to this.",
    )
    .examples(&["100", "{ value: 100, tolerance: 0.5 }"]),
    read: |node, problems| {
        let sum = match node.data {
            Data::Int(_) | Data::Float(_) => SumTo { value: f64::decode(node, problems)?, tolerance: 1e-9 },
            _ => SumTo::read_mapping(node, problems)?,
        };
        Some(Test::SumTo(sum))
    },
    named: |_| None,
    #[cfg(test)]
    cases: || {
        vec![
            ("sum_to: 100", json!([[60, 40], {"a": 99, "b": "1"}]), json!([[60, 39], [60, "x"], 100])),
            ("sum_to: {value: 100, tolerance: 1.5}", json!([[60, 39], [101.5]]), json!([[60, 38], [102]])),
        ]
    },
};

mapping! {
    /// The number that others must add up to.
    "sum" is "sum";
    #[derive(Debug, Clone)]
    pub struct SumTo {
        /// The number that the numbers must add up to.
        #[key(required, examples(&["100"]))]
        value: f64,
        /// The amount by which the sum may be off.
        #[key(shaped(|| Shape::at_least(0.0)), default("1e-9"), examples(&["0.5"]))]
        tolerance: f64 = |node, problems| number_in(node, 0.0, f64::MAX, problems),
    }
}

impl fmt::Display for SumTo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "numbers that add up to {} (give or take {})", self.value, self.tolerance)
    }
}

impl CheckOfValue for SumTo {
    fn looks_inside(&self) -> bool {
        true
    }

    #[inline]
    fn holds(&self, item: Item<'_>, _room: &mut String) -> bool {
        let sum = match item {
            Item::List(branch) | Item::Map(branch) => sum(branch.children()),
            _ => None,
        };
        sum.is_some_and(|sum| (sum - self.value).abs() <= self.tolerance)
    }
}

fn sum(mut values: Children<'_>) -> Option<f64> {
    values.try_fold(0.0, |sum, (_, value)| Some(sum + number(value)?))
}
