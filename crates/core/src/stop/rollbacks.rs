//! `rollbacks`: corrections that made things worse.

use super::rule::{
    Constant, Constants, Costly, Declared, Looked, Memory, Progress, Rule, Seen, Setting, number,
};
use crate::diag::Problems;
use crate::value::decode::{Decode, read_within};
use crate::value::shape::Key;
use crate::value::yaml::Node;
use smallvec::smallvec;

/// So many candidates in a row were rolled back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rollbacks(pub u64);

impl Declared for Rollbacks {
    const KEY: Key = Key::new(
        "rollbacks",
        u64::shape,
        "Stops after so many corrections in a row that made things worse. Only with `on_regression: rollback` (or a gate with \
         `on_correction: rollback`).",
    )
    .count()
    .examples(&["2"]);

    fn read(node: &Node, problems: &mut Problems) -> Vec<Self> {
        read_within(&Self::KEY, node, problems).map(Rollbacks).into_iter().collect()
    }
}

impl Rule for Rollbacks {
    fn look(&self, run: &Progress<'_>) -> Looked {
        Seen::count(run.rollbacks, self.0).into()
    }

    fn clause(&self) -> String {
        match self.0 {
            1 => "the candidate was rolled back".to_owned(),
            most => format!("{most} candidates in a row were rolled back"),
        }
    }

    fn constants(&self) -> Constants {
        smallvec![Constant::Count(self.0)]
    }

    fn costly(&self) -> Option<Costly> {
        None
    }

    fn earliest(&self) -> u64 {
        // Candidate 0 is never rolled back: there is nothing better, and a missed gate ends the loop.
        self.0.saturating_add(1)
    }

    fn fitting(&self, candidates: u64) -> Option<Setting> {
        Some(Setting { key: Self::KEY.name, value: candidates.saturating_sub(1), least: 1 })
    }

    fn remember(&self, run: &Progress<'_>, memory: &mut Memory) {
        memory.numbers.push(number(run.rollbacks.min(self.0)));
    }
}
