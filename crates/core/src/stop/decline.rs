//! `decline`: scores that keep falling.

use super::rule::{
    Constant, Constants, Costly, Declared, Looked, Memory, Progress, Rule, Seen, Setting, long, number,
};
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

    fn constants(&self) -> Constants {
        smallvec![Constant::Falls(self.length)]
    }

    fn costly(&self) -> Option<Costly> {
        None
    }

    fn earliest(&self) -> u64 {
        long(self.length)
    }

    fn fitting(&self, candidates: u64) -> Option<Setting> {
        Some(Setting { key: "length", value: candidates, least: 2 })
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
