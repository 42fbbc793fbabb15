//! `max_iterations`: the most candidates.

use super::rule::{Constant, Declared, Looked, Memory, Progress, Properties, Rule, Seen};
use super::{Criterion, Doubt, EndingLine, Ground, Overtakes};
use crate::diag::Problems;
use crate::value::decode::{Decode, read_within};
use crate::value::prose::count;
use crate::value::shape::Key;
use crate::value::yaml::Node;
use smallvec::smallvec;

/// The most candidates that are assessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MaxIterations(pub u64);

impl Declared for MaxIterations {
    const KEY: Key = Key::new(
        "max_iterations",
        u64::shape,
        "The most candidates that are assessed, the first one counted: 1 to 1000. With 1 nothing is corrected. One of \
         `max_iterations` and `max_corrections` must be set.",
    )
    .whole(1, 1000)
    .examples(&["3"]);
    const IN_GROUP: Key = Self::KEY.count().never_null();
    const IS_LIMIT: bool = true;

    fn ended(line: &EndingLine<'_>) -> String {
        let (s, were) = line.number_words();
        let EndingLine { line, value_text, bound_text, .. } = line;
        format!("{value_text} candidate{s} {were} assessed, and `{line}` allows {bound_text}")
    }

    fn read(node: &Node, problems: &mut Problems) -> Vec<Self> {
        read_within(&Self::KEY, node, problems).map(MaxIterations).into_iter().collect()
    }

    fn read_in_group(node: &Node, problems: &mut Problems) -> Option<Self> {
        read_within(&Self::IN_GROUP, node, problems).map(MaxIterations)
    }
}

impl Rule for MaxIterations {
    fn look(&self, run: &Progress<'_>) -> Looked {
        Seen::count(run.candidates(), self.0).into()
    }

    fn clause(&self) -> String {
        match self.0 {
            1 => "1 candidate has been assessed (candidate 0, and no correction)".to_owned(),
            most => format!(
                "{} have been assessed (candidate 0 and {})",
                count(most, "candidate"),
                count(most.saturating_sub(1), "correction")
            ),
        }
    }

    fn properties(&self) -> Properties {
        Properties {
            earliest: self.0,
            fitting: None,
            constants: smallvec![Constant::Count(self.0)],
            costly: None,
            needs_rollback: false,
            parts: smallvec![],
        }
    }

    fn overtakes(&self, other: &Criterion, _: &Ground) -> Option<Overtakes> {
        Overtakes::steps(self.properties().earliest, other.earliest())
    }

    fn doubt(&self, _: &Ground) -> Option<Doubt> {
        None
    }

    fn remember(&self, _: &Progress<'_>, _: &mut Memory) {
        // The number of candidates is known to a search over courses of one length.
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corrections_are_one_less() {
        let clause = "2 candidates have been assessed (candidate 0 and 1 correction)";
        assert_eq!(MaxIterations(2).clause(), clause);
    }
}
