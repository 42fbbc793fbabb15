//! `max_corrections`: the most corrections.

use super::rule::{Constant, Declared, Looked, Memory, Progress, Properties, Rule, Seen};
use super::{Criterion, Doubt, EndingLine, Ground, MaxIterations, Overtakes};
use crate::diag::Problems;
use crate::value::decode::{Decode, read_within};
use crate::value::prose::count;
use crate::value::shape::Key;
use crate::value::yaml::Node;
use smallvec::smallvec;

/// The most corrections that are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MaxCorrections(pub u64);

impl Declared for MaxCorrections {
    const KEY: Key = Key::new(
        "max_corrections",
        u64::shape,
        "The most corrections that are made: 0 to 1000. One less than `max_iterations` of the same effect.",
    )
    .whole(0, 1000)
    .examples(&["2"]);
    const IN_GROUP: Key = Self::KEY.as_typed().never_null();
    const REASON: &'static str = MaxIterations::KEY.name;
    const IS_LIMIT: bool = true;

    fn ended(line: &EndingLine<'_>) -> String {
        let (s, were) = line.number_words();
        let EndingLine { line, value_text, bound_text, .. } = line;
        format!("{value_text} correction{s} {were} made, and `{line}` allows {bound_text}")
    }

    fn read(node: &Node, problems: &mut Problems) -> Vec<Self> {
        read_within(&Self::KEY, node, problems).map(MaxCorrections).into_iter().collect()
    }

    fn read_in_group(node: &Node, problems: &mut Problems) -> Option<Self> {
        read_within(&Self::IN_GROUP, node, problems).map(MaxCorrections)
    }
}

impl Rule for MaxCorrections {
    fn look(&self, run: &Progress<'_>) -> Looked {
        Seen::count(run.candidates().saturating_sub(1), self.0).into()
    }

    fn clause(&self) -> String {
        match self.0 {
            0 => "candidate 0 has been assessed: no correction is made".to_owned(),
            most => format!(
                "{} {} been made ({} with candidate 0)",
                count(most, "correction"),
                if most == 1 { "has" } else { "have" },
                count(most.saturating_add(1), "candidate")
            ),
        }
    }

    fn properties(&self) -> Properties {
        Properties {
            earliest: self.0.saturating_add(1),
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
    fn candidate_0_is_counted_with_them() {
        assert_eq!(MaxCorrections(1).clause(), "1 correction has been made (2 candidates with candidate 0)");
    }
}
