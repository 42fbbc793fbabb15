//! `stagnation`: scores that hardly move.

use super::doubt::decimal;
use super::rule::{Constant, Declared, Looked, Memory, Progress, Properties, Rule, Seen, Setting, long};
use super::{Criterion, Doubt, EndingLine, Ground, Overtakes};
use crate::diag::Problems;
use crate::mapping;
use crate::value::decode::Decode;
use crate::value::prose::score;
use crate::value::shape::Key;
use crate::value::yaml::Node;
use crate::value::{EPSILON, below};
use serde_json::{Value, json};
use smallvec::smallvec;

mapping! {
    /// Stops when the last overall scores lie close together.
    "stagnation" is "stagnation criterion", expects "`{ window: 2, epsilon: 0.05 }`";
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Stagnation {
        /// The number of latest candidates that are inspected: 2 or more.
        #[key(at_least(2), required, examples(&["2"]))]
        pub window: usize,
        /// The highest and the lowest of their overall scores differ by less than this, from 0 to 1.
        #[key(number(0.0, 1.0), required, examples(&["0.05"]))]
        pub epsilon: f64,
    }
}

impl Declared for Stagnation {
    const KEY: Key =
        Key::new("stagnation", Stagnation::shape, "Stops when the overall scores hardly move any more.")
            .examples(&["{ window: 2, epsilon: 0.05 }"]);

    fn ended(line: &EndingLine<'_>) -> String {
        let window = (line.setting)("window").map_or_else(String::new, |window| format!("{window} "));
        let EndingLine { line, value_text, bound_text, .. } = line;
        format!(
            "the last {window}overall scores lie within {value_text}, less than the {bound_text} of `{line}.epsilon`"
        )
    }

    fn read(node: &Node, problems: &mut Problems) -> Vec<Self> {
        Self::decode(node, problems).into_iter().collect()
    }
}

impl Rule for Stagnation {
    fn look(&self, run: &Progress<'_>) -> Looked {
        let spread = spread(*self, run.overalls);
        spread.map(|spread| Seen::new(below(spread, self.epsilon), spread, self.epsilon)).into()
    }

    fn clause(&self) -> String {
        format!(
            "the overall scores of the last {} candidates lie less than {} apart",
            self.window,
            score(self.epsilon)
        )
    }

    fn properties(&self) -> Properties {
        Properties {
            earliest: long(self.window),
            fitting: Some(Setting { key: "window", value: |candidates| candidates, least: 2 }),
            constants: smallvec![Constant::Gain(self.epsilon)],
            costly: None,
            needs_rollback: false,
            parts: smallvec![],
        }
    }

    fn overtakes(&self, other: &Criterion, _: &Ground) -> Option<Overtakes> {
        let Criterion::Stagnation(other) = other else { return None };
        if self.epsilon >= other.epsilon { Overtakes::steps(self.window, other.window) } else { None }
    }

    fn doubt(&self, ground: &Ground) -> Option<Doubt> {
        if self.epsilon <= 1e-9 {
            let why = format!("scores never lie closer together than {}", decimal(self.epsilon));
            return Some(Doubt::never(why, "give `epsilon` a size, such as 0.01"));
        }
        (self.epsilon > ground.width() + EPSILON).then(|| {
            let why = format!("{}, so scores always lie within {}", ground.range(), decimal(self.epsilon));
            Doubt::always(why, "write how little scores may move, such as `epsilon: 0.02`")
        })
    }

    fn terms(&self) -> Option<Value> {
        Some(json!({ "window": self.window }))
    }

    fn remember(&self, run: &Progress<'_>, memory: &mut Memory) {
        memory.last_scores(run.overalls, self.window.saturating_sub(1));
    }
}

/// The spread of the last `window` overalls; `None` while there are fewer.
fn spread(criterion: Stagnation, overalls: &[f64]) -> Option<f64> {
    let recent = overalls.get(overalls.len().checked_sub(criterion.window)?..)?;
    let (low, high) =
        recent.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
    Some(high - low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_needs_its_whole_window() {
        let criterion = Stagnation { window: 3, epsilon: 0.05 };
        assert_eq!(spread(criterion, &[0.5, 0.5]), None);
        assert!((spread(criterion, &[0.1, 0.5, 0.52, 0.54]).unwrap() - 0.04).abs() < 1e-12);
    }
}
