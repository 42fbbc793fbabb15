//! `rollbacks`: corrections that made things worse.

use super::rule::{Constant, Declared, Looked, Memory, Progress, Properties, Rule, Seen, Setting, number};
use super::{Baseline, Criterion, Decline, Doubt, EndingLine, Ground, Overtakes};
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

    fn ended(line: &EndingLine<'_>) -> String {
        let EndingLine { line, value_text, bound_text, .. } = line;
        format!(
            "{value_text} candidates in a row were rolled back, and `{line}` allows fewer than {bound_text}"
        )
    }

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

    fn properties(&self) -> Properties {
        Properties {
            // Candidate 0 is never rolled back: there is nothing better, and a missed gate ends the loop.
            earliest: self.0.saturating_add(1),
            fitting: Some(Setting {
                key: Self::KEY.name,
                value: |candidates| candidates.saturating_sub(1),
                least: 1,
            }),
            constants: smallvec![Constant::Count(self.0)],
            costly: None,
            needs_rollback: true,
            parts: smallvec![],
        }
    }

    fn overtakes(&self, other: &Criterion, ground: &Ground) -> Option<Overtakes> {
        let limit = usize::try_from(self.0).unwrap_or(usize::MAX);
        if let Criterion::Rollbacks(other) = other {
            return Overtakes::steps(self.0, other.0);
        }
        if !ground.falls_roll_back {
            return None;
        }
        // Each score that falls is below the best.
        if let Criterion::Decline(Decline { length }) = other {
            let steps = Overtakes::steps(limit, length.saturating_sub(1))?;
            return Some(steps.unless(format!("rollbacks: {length}")));
        }
        if let Criterion::MinImprovement(other) = other {
            let by_best = other.delta == 0.0 && other.baseline == Baseline::Best;
            return if by_best { Overtakes::steps(limit, other.patience) } else { None };
        }
        // If no fall is tolerated, nothing goes up and down. With two changes of direction, one fall is not the last step.
        let Criterion::Oscillation(other) = other else { return None };
        (self.0 == 1).then(|| Overtakes::new(other.flips > 1).unless("rollbacks: 2"))
    }

    fn doubt(&self, ground: &Ground) -> Option<Doubt> {
        (!ground.rolls_back).then(|| {
            let why = "nothing is rolled back while `on_regression` is `keep`";
            Doubt::never(why, "set `on_regression: rollback`, or remove this criterion")
        })
    }

    fn remember(&self, run: &Progress<'_>, memory: &mut Memory) {
        memory.numbers.push(number(run.rollbacks.min(self.0)));
    }
}
