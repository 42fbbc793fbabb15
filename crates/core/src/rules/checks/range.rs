//! The check `range`: a number within bounds.

use super::Test;
use super::check::{CheckOfValue, Definition};
use crate::diag::{Code, Problem, Problems};
use crate::mapping;
use crate::rules::bound::Bound;
use crate::rules::number::{Number, exact};
use crate::value::Item;
use crate::value::shape::{Key, Shape};
use crate::value::yaml::{Data, Node};
#[cfg(test)]
use serde_json::json;
use std::cmp::Ordering;
use std::fmt;

pub(super) const RANGE: Definition = Definition {
    key: Key::new(
        "range",
        || Shape::Mapping(Range::mapping()),
        "A number, or a text that is one, must lie within these bounds.",
    )
    .examples(&["{ min: 0, max: 100 }"]),
    read: |node, problems| {
        let range = Range::read_mapping(node, problems)?;
        are_ordered(node, range.min.as_ref(), range.max.as_ref(), problems).then_some(Test::Range(range))
    },
    named: |_| None,
    #[cfg(test)]
    cases: || {
        vec![
            ("range: {min: 1, max: 2}", json!([1, 2, 1.5, "1.5"]), json!([0.999, 2.001, "x", true, [1]])),
            ("range: {min: 1}", json!([1, 1e300]), json!([0])),
        ]
    },
};

mapping! {
    /// Bounds of a number: `min`, `max` or both. The bounds themselves are allowed.
    "range" is "range";
    #[derive(Debug, Clone)]
    pub struct Range {
        /// The least. Without it there is none.
        #[key(examples(&["0"]))]
        min: Option<Bound>,
        /// The greatest. Without it there is none.
        #[key(examples(&["100"]))]
        max: Option<Bound>,
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number")?;
        write_bounds(f, self.min.as_ref(), self.max.as_ref())
    }
}

impl CheckOfValue for Range {
    fn looks_inside(&self) -> bool {
        false
    }

    #[inline]
    fn holds(&self, item: Item<'_>, _room: &mut String) -> bool {
        exact(item).is_some_and(|number| {
            let compare = |bound: &Bound| match number {
                Number::Json(number) => bound.compare(number),
                Number::Text(_) => number.compare(Number::Json(bound.number())),
            };
            self.min.as_ref().is_none_or(|min| compare(min).is_some_and(Ordering::is_ge))
                && self.max.as_ref().is_none_or(|max| compare(max).is_some_and(Ordering::is_le))
        })
    }
}

/// Returns whether there are bounds that something can be within; reports it if not.
pub(super) fn are_ordered<T: PartialOrd>(
    node: &Node,
    min: Option<&T>,
    max: Option<&T>,
    problems: &mut Problems,
) -> bool {
    match (min, max) {
        (None, None) => {
            let empty = matches!(&node.data, Data::Map(entries) if entries.is_empty());
            if empty {
                problems.push(Problem::error(Code::Empty, &node.span, "give `min`, `max` or both"));
            }
            false
        }
        (Some(low), Some(high)) if low > high => {
            problems.push(
                Problem::error(Code::Conflict, &node.span, "`min` is larger than `max`").help("swap the two"),
            );
            false
        }
        (Some(_), _) | (None, Some(_)) => true,
    }
}

/// Writes bounds in words that follow those for what is within them.
pub(super) fn write_bounds<T: fmt::Display>(
    f: &mut fmt::Formatter<'_>,
    min: Option<&T>,
    max: Option<&T>,
) -> fmt::Result {
    match (min, max) {
        (Some(min), Some(max)) => write!(f, " from {min} to {max}"),
        (Some(min), None) => write!(f, " of {min} or more"),
        (None, Some(max)) => write!(f, " of {max} or less"),
        (None, None) => Ok(()),
    }
}
