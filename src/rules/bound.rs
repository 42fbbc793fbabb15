//! A bound of `range`, as it is written: a binary fraction can't hold every whole number.

use crate::diag::Problems;
use crate::value::compare_numbers;
use crate::value::decode::Decode;
use crate::value::shape::Shape;
use crate::value::yaml::{Data, Node};
use serde_json::Number;
use std::cmp::Ordering;
use std::fmt;

/// A finite number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound(Number);

impl Bound {
    /// The number.
    #[must_use]
    pub(crate) fn number(&self) -> &Number {
        &self.0
    }
}

impl PartialOrd for Bound {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        compare_numbers(&self.0, &other.0)
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_f64() {
            Some(float) if self.0.is_f64() => write!(f, "{float}"),
            _ => write!(f, "{}", self.0),
        }
    }
}

impl Decode for Bound {
    const EXPECTED: &'static str = f64::EXPECTED;

    fn shape() -> Shape {
        f64::shape()
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        match node.data {
            Data::Int(whole) => Some(Bound(Number::from(whole))),
            _ => f64::decode(node, problems).and_then(Number::from_f64).map(Bound),
        }
    }
}
