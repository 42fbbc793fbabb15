//! A bound of `range`, as it is written: a binary fraction can't hold every whole number.

use crate::diag::Problems;
use crate::value::decode::Decode;
use crate::value::shape::Shape;
use crate::value::yaml::{Data, Node};
use crate::value::{as_fraction, compare_numbers};
use serde_json::Number;
use std::cmp::Ordering;
use std::fmt;

/// A finite number.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Bound {
    number: Number,
    /// The number as a binary fraction, if that compares with others as what is written does.
    fraction: Option<f64>,
}

impl Bound {
    fn new(number: Number) -> Self {
        Bound { fraction: as_fraction(&number), number }
    }

    /// Compares a number with it.
    #[inline]
    pub(super) fn compare(&self, number: &Number) -> Option<Ordering> {
        match (as_fraction(number), self.fraction) {
            (Some(number), Some(bound)) => number.partial_cmp(&bound),
            _ => compare_numbers(number, &self.number),
        }
    }

    /// The number.
    pub(super) fn number(&self) -> &Number {
        &self.number
    }
}

impl PartialOrd for Bound {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        compare_numbers(&self.number, &other.number)
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.number.as_f64() {
            Some(float) if self.number.is_f64() => write!(f, "{float}"),
            _ => write!(f, "{}", self.number),
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
            Data::Int(whole) => Some(Bound::new(Number::from(whole))),
            _ => f64::decode(node, problems).and_then(Number::from_f64).map(Bound::new),
        }
    }
}
