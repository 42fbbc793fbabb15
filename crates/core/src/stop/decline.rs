//! `decline`: scores that keep falling.

use super::rule::{
    Constant, Declared, Looked, Memory, Progress, Properties, Rule, Seen, Setting, long, number,
};
use super::{Criterion, Doubt, EndingLine, Ground, Overtakes};
use crate::diag::Problems;
use crate::mapping;
use crate::value::below;
use crate::value::decode::Decode;
use crate::value::shape::Key;
use crate::value::yaml::Node;
use smallvec::smallvec;

mapping! {
    /// Stops when the overall scores keep falling.
    "decline" is "decline criterion", expects "`{ length: 3 }`";
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Decline {
        /// The number of overall scores in a row, each lower than the one before: 2 or more.
        #[key(at_least(2), required, examples(&["3"]))]
        pub length: usize,
    }
}

impl Declared for Decline {
    const KEY: Key =
        Key::new("decline", Decline::shape, "Stops when the overall scores fall again and again.")
            .examples(&["{ length: 3 }"]);

    fn ended(line: &EndingLine<'_>) -> String {
        let EndingLine { line, value_text, bound_text, .. } = line;
        format!("the last {value_text} overall scores each fell, and `{line}` ends the run at {bound_text}")
    }

    fn read(node: &Node, problems: &mut Problems) -> Vec<Self> {
        Self::decode(node, problems).into_iter().collect()
    }
}

impl Rule for Decline {
    fn look(&self, run: &Progress<'_>) -> Looked {
        Seen::count(long(falling(run.overalls)), long(self.length)).into()
    }

    fn clause(&self) -> String {
        format!("the overall scores of the last {} candidates fall, each below the one before", self.length)
    }

    fn properties(&self) -> Properties {
        Properties {
            earliest: long(self.length),
            fitting: Some(Setting { key: "length", value: |candidates| candidates, least: 2 }),
            constants: smallvec![Constant::Falls(self.length)],
            costly: None,
            needs_rollback: false,
            parts: smallvec![],
        }
    }

    fn overtakes(&self, other: &Criterion, _: &Ground) -> Option<Overtakes> {
        if let Criterion::Decline(other) = other {
            return Overtakes::steps(self.length, other.length);
        }
        // If no fall is tolerated, nothing goes up and down. With two changes of direction, one fall is not the last step.
        let Criterion::Oscillation(other) = other else { return None };
        (self.length == 2).then(|| Overtakes::new(other.flips > 1).unless("length: 3"))
    }

    fn doubt(&self, _: &Ground) -> Option<Doubt> {
        None
    }

    fn remember(&self, run: &Progress<'_>, memory: &mut Memory) {
        memory.last_scores(run.overalls, 1);
        memory.numbers.push(number(long(falling(run.overalls).min(self.length))));
    }
}

/// The number of overalls at the end that strictly fall, counting the first of them: 1 when the last one did not fall.
fn falling(overalls: &[f64]) -> usize {
    let falls = overalls.windows(2).rev().take_while(|pair| matches!(pair, [a, b] if below(*b, *a))).count();
    falls + usize::from(!overalls.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn falling_counts_scores_not_steps() {
        assert_eq!(falling(&[]), 0);
        assert_eq!(falling(&[0.5]), 1);
        assert_eq!(falling(&[0.9, 0.5, 0.6, 0.5, 0.4]), 3);
        assert_eq!(falling(&[0.5, 0.5]), 1);
    }
}
