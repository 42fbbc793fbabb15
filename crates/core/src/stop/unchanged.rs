//! `unchanged`: a candidate that was assessed before.

use super::rule::{Costly, Declared, Looked, Memory, Progress, Properties, Rule, Seen, long, number};
use super::{Criterion, Doubt, EndingLine, Ground, Overtakes};
use crate::diag::Problems;
use crate::value::decode::{Decode, wrong_type};
use crate::value::shape::{Key, Shape};
use crate::value::yaml::Node;
use smallvec::SmallVec;

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

    fn ended(line: &EndingLine<'_>) -> String {
        format!("the candidate equals candidate {} (`{}`)", line.value_text, line.line)
    }

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

    fn properties(&self) -> Properties {
        Properties {
            earliest: 2,
            fitting: None,
            constants: SmallVec::new(),
            costly: Some(Costly::Equality),
            needs_rollback: false,
            parts: SmallVec::new(),
        }
    }

    fn overtakes(&self, other: &Criterion, _: &Ground) -> Option<Overtakes> {
        matches!(other, Criterion::Unchanged(_)).then(|| Overtakes::new(false))
    }

    fn doubt(&self, _: &Ground) -> Option<Doubt> {
        None
    }

    fn remember(&self, _: &Progress<'_>, _: &mut Memory) {
        // Equality of a later candidate with an earlier one is reported together with it.
    }
}
