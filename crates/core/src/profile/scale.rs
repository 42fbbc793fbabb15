//! `scale` of a judge: the numbers between which it scores.

use crate::diag::{Code, Problem, Problems};
use crate::value::Score;
use crate::value::decode::{Decode, wrong_type};
use crate::value::shape::Shape;
use crate::value::yaml::{Data, Node};
use std::fmt;

/// The numbers between which a judge scores: the first is the worst and counts 0, the second is the best and counts 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    low: f64,
    high: f64,
}

/// The distance by which a score may leave its scale, because sums of fractions are inexact.
const SCALE_TOLERANCE: f64 = 1e-6;

impl Default for Scale {
    fn default() -> Self {
        Scale { low: 0.0, high: 1.0 }
    }
}

impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} to {}", self.low, self.high)
    }
}

impl Scale {
    /// The worst and the best that can be given.
    #[must_use]
    pub fn bounds(self) -> (f64, f64) {
        (self.low, self.high)
    }

    /// The score of a number on this scale; `None` for one that is not on it.
    #[must_use]
    pub fn score(self, number: f64) -> Option<Score> {
        let on_it = number >= self.low - SCALE_TOLERANCE && number <= self.high + SCALE_TOLERANCE;
        on_it.then(|| Score::clamped((number - self.low) / (self.high - self.low)))
    }
}

impl Decode for Scale {
    const EXPECTED: &'static str = "a scale such as `[0, 10]`: the worst score, then the best";

    fn shape() -> Shape {
        Shape::list(f64::shape())
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let Data::List(items) = &node.data else { return wrong_type(node, Self::EXPECTED, problems) };
        let [low, high] = items.as_slice() else {
            let message = format!("a scale has two numbers, found {}", items.len());
            problems.push(
                Problem::error(Code::WrongType, &node.span, message)
                    .help("write the worst score and the best, such as `[0, 10]`"),
            );
            return None;
        };
        let (low, high) = (f64::decode(low, problems)?, f64::decode(high, problems)?);
        if low < high && (high - low).is_finite() {
            return Some(Scale { low, high });
        }
        problems.push(
            Problem::error(Code::OutOfRange, &node.span, format!("nothing lies between {low} and {high}"))
                .help("the worst score comes first and must be the lower one, as in `[0, 10]`"),
        );
        None
    }
}
