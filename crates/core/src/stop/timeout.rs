//! `timeout`: the longest time.

use super::rule::{Constant, Declared, Looked, Memory, Progress, Properties, Rule, Seen, number};
use super::{Criterion, Doubt, EndingLine, Ground, Overtakes};
use crate::diag::Problems;
use crate::value::Millis;
use crate::value::decode::Decode;
use crate::value::prose::duration;
use crate::value::shape::{Key, Shape};
use crate::value::yaml::{Data, Node};
use crate::{decode_words, mapping};
use smallvec::smallvec;

mapping! {
    /// The longest time that a run may take, and the part of its time that counts.
    "timeout" is "limit of time";
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Timeout {
        /// The longest time that the run may take.
        #[key(required, examples(&["30s", "2m"]))]
        pub after: Millis,
        /// The treatment of time in which calls wait for their turn, because of `network.limits` or because the server
        /// reports that nothing is left.
        #[key(default("left_out"), examples(&["counts"]))]
        pub waiting: Waiting,
    }
}

/// The treatment of time spent waiting for a rate limit's turn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Waiting {
    /// It is not part of a run's time: a run slowed down by limits would be late otherwise, and what has been paid for
    /// by then lost.
    #[default]
    LeftOut,
    /// It is part of a run's time: someone waits for the answer.
    Counts,
}

decode_words!(Waiting, "word", {
    "left_out": "It is not part of the run's time, so that limits make no run late." => Waiting::LeftOut,
    "counts": "It is part of the run's time: someone waits for the answer." => Waiting::Counts,
});

impl Declared for Timeout {
    const KEY: Key = Key::new(
        "timeout",
        || Shape::AnyOf(vec![Millis::shape(), Shape::Mapping(Timeout::mapping())]),
        "Stops when the run has taken this long. It is looked at between iterations and before a call is made again, so one \
         iteration can go over. Waiting for a rate limit's turn is left out, unless `waiting: counts` says otherwise.",
    )
    .examples(&["30s", "{ after: 30s, waiting: counts }"]);

    // A run has one time, so a group says nothing about what is part of it.
    const IN_GROUP: Key = Key::new(
        "timeout",
        Millis::shape,
        "Stops when the run has taken this long. It is looked at between iterations, so one iteration can go over.",
    )
    .examples(&["30s", "2m"])
    .never_null();

    const BOUNDS_CALLS: bool = true;

    fn ended(line: &EndingLine<'_>) -> String {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "milliseconds as recorded"
        )]
        let (passed, limit) = (Millis(line.value as u64), Millis(line.bound as u64));
        format!("{passed} had passed, and `{}` allows {limit}", line.line)
    }

    fn read(node: &Node, problems: &mut Problems) -> Vec<Self> {
        match node.data {
            Data::Map(_) => Self::read_mapping(node, problems),
            _ => Self::read_in_group(node, problems),
        }
        .into_iter()
        .collect()
    }

    fn read_in_group(node: &Node, problems: &mut Problems) -> Option<Self> {
        Millis::decode(node, problems).map(Timeout::of)
    }
}

impl Timeout {
    /// One that leaves out waiting.
    #[must_use]
    pub fn of(after: Millis) -> Self {
        Timeout { after, waiting: Waiting::LeftOut }
    }
}

impl Rule for Timeout {
    fn look(&self, run: &Progress<'_>) -> Looked {
        Seen::new(run.elapsed > self.after, number(run.elapsed.0), number(self.after.0)).into()
    }

    fn clause(&self) -> String {
        format!("more than {} have passed since the loop began", duration(self.after))
            .replace("more than 1 second have", "more than 1 second has")
    }

    fn properties(&self) -> Properties {
        Properties {
            earliest: 1,
            fitting: None,
            constants: smallvec![Constant::Elapsed(self.after)],
            costly: None,
            needs_rollback: false,
            parts: smallvec![],
        }
    }

    fn overtakes(&self, other: &Criterion, _: &Ground) -> Option<Overtakes> {
        let Criterion::Timeout(other) = other else { return None };
        (self.after <= other.after).then(|| Overtakes::new(false))
    }

    fn doubt(&self, _: &Ground) -> Option<Doubt> {
        (self.after == Millis(0)).then(|| {
            let why = "making a candidate always takes some time";
            Doubt::always(why, "write a time such as `30s`, or remove it")
        })
    }

    fn remember(&self, run: &Progress<'_>, memory: &mut Memory) {
        // Past the limit it no longer matters how far.
        memory.numbers.push(number(run.elapsed.0.min(self.after.0.saturating_add(1))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clause_has_its_time() {
        assert_eq!(
            Timeout::of(Millis(30_000)).clause(),
            "more than 30 seconds have passed since the loop began"
        );
    }
}
