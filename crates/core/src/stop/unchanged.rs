//! `unchanged`: a candidate that was assessed before.

use super::rule::{Constants, Costly, Declared, Looked, Memory, Progress, Rule, Seen, long, number};
use crate::diag::Problems;
use crate::value::decode::{Decode, wrong_type};
use crate::value::shape::{Key, Shape};
use crate::value::yaml::Node;

/// The candidate equals one assessed before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unchanged;

impl Declared for Unchanged {
    const KEY: Key = Key::new(
        "unchanged",
        bool::shape,
        "`true`: stops at a candidate that equals one assessed before, because asking again would bring nothing new.",
    )
    .default("false")
    .examples(&["true"]);
    const IN_GROUP: Key = Key { shape: || Shape::Only("true"), default: None, ..Self::KEY.never_null() };
    const BEFORE_ROLLBACK: bool = true;

    fn read(node: &Node, problems: &mut Problems) -> Vec<Self> {
        bool::decode(node, problems).filter(|is_on| *is_on).map(|_| Unchanged).into_iter().collect()
    }

    fn read_in_group(node: &Node, problems: &mut Problems) -> Option<Self> {
        if bool::decode(node, problems)? { Some(Unchanged) } else { wrong_type(node, "`true`", problems) }
    }
}

impl Rule for Unchanged {
    fn look(&self, run: &Progress<'_>) -> Looked {
        // The value is the iteration that it equals, −1 for none.
        let value = run.equals.map_or(-1.0, |at| number(long(at)));
        Seen::new(run.equals.is_some(), value, 0.0).into()
    }

    fn clause(&self) -> String {
        "the candidate is the same, as JSON, as one that was assessed before".to_owned()
    }

    fn constants(&self) -> Constants {
        Constants::new()
    }

    fn earliest(&self) -> u64 {
        2
    }

    fn costly(&self) -> Option<Costly> {
        Some(Costly::Equality)
    }

    fn remember(&self, _: &Progress<'_>, _: &mut Memory) {
        // Equality of a later candidate with an earlier one is reported together with it.
    }
}
