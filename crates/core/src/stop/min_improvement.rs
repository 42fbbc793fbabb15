//! `min_improvement`: too little gain.

use super::doubt::decimal;
use super::rule::{
    Constant, Declared, Looked, Memory, Progress, Properties, Rule, Seen, Setting, long, number,
};
use super::{Criterion, Decline, Doubt, EndingLine, Ground, Overtakes, Rollbacks};
use crate::diag::Problems;
use crate::value::decode::Decode;
use crate::value::prose::score;
use crate::value::shape::Key;
use crate::value::yaml::Node;
use crate::value::{EPSILON, below};
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

    fn ended(line: &EndingLine<'_>) -> String {
        let against = match (line.setting)("baseline").as_deref() {
            Some("best") => "the best candidate before",
            _ => "the candidate before",
        };
        let text = line.value_text;
        let moved = match text.strip_prefix(['−', '-']) {
            Some(fall) => format!("fell by {fall} against {against}"),
            None => format!("gained {text} over {against}"),
        };
        let patience = match (line.setting)("patience").as_deref() {
            None | Some("1") => String::new(),
            Some(times) => format!(", {times} times in a row"),
        };
        let EndingLine { line, bound_text, .. } = line;
        format!("the overall score {moved}, where `{line}.delta` asks for {bound_text}{patience}")
    }

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

    fn properties(&self) -> Properties {
        Properties {
            earliest: long(self.patience).saturating_add(1),
            fitting: Some(Setting {
                key: "patience",
                value: |candidates| candidates.saturating_sub(1),
                least: 1,
            }),
            constants: smallvec![Constant::Gain(self.delta), Constant::Count(long(self.patience))],
            costly: None,
            needs_rollback: false,
            parts: smallvec![],
        }
    }

    fn overtakes(&self, other: &Criterion, ground: &Ground) -> Option<Overtakes> {
        if let Criterion::MinImprovement(other) = other {
            let baseline = self.baseline == other.baseline || self.baseline == Baseline::Best;
            let as_strict = baseline && self.delta >= other.delta;
            return if as_strict { Overtakes::steps(self.patience, other.patience) } else { None };
        }
        // Scores that fall, or hardly move, gain too little.
        if let Criterion::Decline(Decline { length }) = other {
            let steps = Overtakes::steps(self.patience, length.saturating_sub(1))?;
            return Some(steps.unless(format!("patience: {length}")));
        }
        if let Criterion::Stagnation(other) = other {
            let steps = Overtakes::steps(self.patience, other.window.saturating_sub(1))?;
            return (other.epsilon <= self.delta)
                .then(|| steps.unless(format!("patience: {}", other.window)));
        }
        // If no fall is tolerated, nothing goes up and down. With two changes of direction, one fall is not the last step.
        if let Criterion::Oscillation(other) = other {
            return (self.patience == 1).then(|| Overtakes::new(other.flips > 1).unless("patience: 2"));
        }
        // A score below the best gains nothing on it. Against the candidate before, that holds for the first in a row.
        let Criterion::Rollbacks(Rollbacks(limit)) = other else { return None };
        let ties = ground.ties_may_roll_back && self.delta < 1e-6;
        let sees = self.baseline == Baseline::Best || self.patience == 1;
        if !ground.only_falls_roll_back || !sees || ties {
            return None;
        }
        let steps = Overtakes::steps(long(self.patience), *limit)?;
        Some(steps.unless(format!("patience: {limit}")))
    }

    fn doubt(&self, ground: &Ground) -> Option<Doubt> {
        (self.delta > ground.width() + EPSILON).then(|| {
            let why = format!("{}, so no correction gains {}", ground.range(), decimal(self.delta));
            Doubt::always(why, "write a gain that a correction can make, such as `delta: 0.02`")
        })
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
