//! `min_improvement`: too little gain.

use super::rule::{
    Constant, Constants, Costly, Declared, Looked, Memory, Progress, Rule, Seen, Setting, long, number,
};
use crate::diag::Problems;
use crate::value::below;
use crate::value::decode::Decode;
use crate::value::prose::score;
use crate::value::shape::Key;
use crate::value::yaml::Node;
use crate::{decode_words, mapping};
use serde_json::{Value, json};
use smallvec::smallvec;

mapping! {
    /// Stops when the gain in the overall score was too small.
    "min_improvement" is "min_improvement criterion", expects "`{ delta: 0.05, patience: 1, baseline: previous }`";
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct MinImprovement {
        /// The least gain that counts, from 0 to 1.
        #[key(number(0.0, 1.0), required, examples(&["0.05"]))]
        pub delta: f64,
        /// The number of times in a row that the gain may be missed; the last of them stops.
        #[key(count, default("1"), examples(&["2"]))]
        pub patience: usize,
        /// The score that the gain is measured against.
        #[key(default("previous"), examples(&["best"]))]
        pub baseline: Baseline,
    }
}

/// The score that a gain is measured against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Baseline {
    /// The candidate before.
    Previous,
    /// The highest overall before this candidate.
    Best,
}

decode_words!(Baseline, "baseline", {
    "previous": "The candidate before." => Baseline::Previous,
    "best": "The highest overall score before this candidate." => Baseline::Best,
});

impl Declared for MinImprovement {
    const KEY: Key =
        Key::new("min_improvement", MinImprovement::shape, "Stops when a correction gains too little.")
            .examples(&["{ delta: 0.05, patience: 1, baseline: previous }"]);

    fn read(node: &Node, problems: &mut Problems) -> Vec<Self> {
        Self::decode(node, problems).into_iter().collect()
    }
}

impl Rule for MinImprovement {
    fn look(&self, run: &Progress<'_>) -> Looked {
        let gain = gain(*self, run.overalls, run.highest);
        gain.map(|(gain, misses)| Seen::new(misses >= self.patience, gain, self.delta)).into()
    }

    fn clause(&self) -> String {
        let than = match self.baseline {
            Baseline::Previous => "that of the candidate before it",
            Baseline::Best => "the highest before it",
        };
        let row = match self.patience {
            1 => String::new(),
            patience => format!(", for the {} time in a row", ordinal(patience)),
        };
        format!("the candidate's overall score is less than {} above {than}{row}", score(self.delta))
    }

    fn constants(&self) -> Constants {
        smallvec![Constant::Gain(self.delta), Constant::Count(long(self.patience))]
    }

    fn costly(&self) -> Option<Costly> {
        None
    }

    fn earliest(&self) -> u64 {
        long(self.patience).saturating_add(1)
    }

    fn fitting(&self, candidates: u64) -> Option<Setting> {
        Some(Setting { key: "patience", value: candidates.saturating_sub(1), least: 1 })
    }

    fn terms(&self) -> Option<Value> {
        let baseline = if self.baseline == Baseline::Best { "best" } else { "previous" };
        Some(json!({ "patience": self.patience, "baseline": baseline }))
    }

    fn remember(&self, run: &Progress<'_>, memory: &mut Memory) {
        let baselines = match self.baseline {
            Baseline::Previous => run.overalls,
            Baseline::Best => run.highest,
        };
        memory.last_scores(baselines, 1);
        // Only the last gain is reported; the count of misses carries over.
        let misses = gain(*self, run.overalls, run.highest).map_or(0, |(_, misses)| misses);
        memory.numbers.push(number(long(misses)));
    }
}

/// The latest gain over the baseline, and how many times in a row (the latest included) the gain was below `delta`:
/// `patience` times at most, no matter what was before. `None` for candidate 0, which has no baseline. `highest` are
/// the highest scores up to each.
fn gain(criterion: MinImprovement, overalls: &[f64], highest: &[f64]) -> Option<(f64, usize)> {
    let baselines = match criterion.baseline {
        Baseline::Previous => overalls,
        Baseline::Best => highest,
    };
    let gain_at = |at: usize| Some(overalls.get(at)? - baselines.get(at.checked_sub(1)?)?);
    let latest = gain_at(overalls.len().checked_sub(1)?)?;
    let recent = (0..overalls.len()).rev().take(criterion.patience);
    let misses = recent.map_while(gain_at).take_while(|gain| below(*gain, criterion.delta)).count();
    Some((latest, misses))
}

fn ordinal(number: usize) -> String {
    let ending = match (number % 10, number % 100) {
        (1, tens) if tens != 11 => "st",
        (2, tens) if tens != 12 => "nd",
        (3, tens) if tens != 13 => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of times in a row that the gain was missed; `None` without a baseline.
    fn misses(criterion: MinImprovement, overalls: &[f64]) -> Option<usize> {
        let highest: Vec<f64> =
            (1..=overalls.len()).map(|to| overalls[..to].iter().copied().fold(f64::MIN, f64::max)).collect();
        gain(criterion, overalls, &highest).map(|(_, misses)| misses)
    }

    #[test]
    fn a_gain_of_exactly_delta_is_enough() {
        let criterion = MinImprovement { delta: 0.05, patience: 3, baseline: Baseline::Previous };
        assert_eq!(misses(criterion, &[0.80]), None);
        assert_eq!(misses(criterion, &[0.80, 0.85]), Some(0));
        assert_eq!(misses(criterion, &[0.80, 0.8499]), Some(1));
        assert_eq!(misses(criterion, &[0.80, 0.81, 0.82, 0.90, 0.91, 0.92]), Some(2));
        assert_eq!(misses(criterion, &[0.80, 0.80, 0.80, 0.80, 0.80, 0.80]), Some(3));
    }

    #[test]
    fn the_best_before_is_another_baseline_than_the_one_before() {
        let course = [0.80, 0.90, 0.70, 0.80];
        let previous = MinImprovement { delta: 0.05, patience: 3, baseline: Baseline::Previous };
        let best = MinImprovement { baseline: Baseline::Best, ..previous };
        assert_eq!(misses(previous, &course), Some(0));
        assert_eq!(misses(best, &course), Some(2));
    }

    #[test]
    fn times_are_counted_in_words() {
        assert_eq!([1, 2, 3, 4, 11, 22].map(ordinal), ["1st", "2nd", "3rd", "4th", "11th", "22nd"]);
    }
}
