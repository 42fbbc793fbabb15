//! `oscillation`: scores that go up and down.

use super::doubt::decimal;
use super::rule::{Constant, Declared, Looked, Memory, Progress, Properties, Rule, Seen, Setting, long};
use super::{Criterion, Doubt, EndingLine, Ground, Overtakes};
use crate::diag::Problems;
use crate::mapping;
use crate::value::decode::Decode;
use crate::value::prose::{plural, score, times};
use crate::value::shape::Key;
use crate::value::yaml::Node;
use crate::value::{at_least, below};
use serde_json::{Value, json};
use smallvec::smallvec;

mapping! {
    /// Stops when the overall scores go up and down.
    "oscillation" is "oscillation criterion", expects "`{ window: 4, flips: 2, amplitude: 0.05 }`";
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Oscillation {
        /// The number of latest candidates that are inspected: 3 or more.
        #[key(at_least(3), required, examples(&["4"]))]
        pub window: usize,
        /// The number of changes of direction that there must be.
        #[key(count, required, examples(&["2"]))]
        pub flips: usize,
        /// A difference smaller than this does not count, from 0 to 1.
        #[key(number(0.0, 1.0), default("0"), examples(&["0.05"]))]
        pub amplitude: f64,
    }
}

impl Declared for Oscillation {
    const KEY: Key =
        Key::new("oscillation", Oscillation::shape, "Stops when the overall scores go up and down.")
            .examples(&["{ window: 4, flips: 2, amplitude: 0.05 }"]);

    fn ended(line: &EndingLine<'_>) -> String {
        let window = (line.setting)("window")
            .map_or_else(String::new, |window| format!(" among the last {window} scores"));
        let EndingLine { line, value_text, bound_text, .. } = line;
        format!(
            "the overall score changed direction {value_text} times{window}, and `{line}` ends the run at {bound_text}"
        )
    }

    fn read(node: &Node, problems: &mut Problems) -> Vec<Self> {
        Self::decode(node, problems).into_iter().collect()
    }
}

impl Rule for Oscillation {
    fn look(&self, run: &Progress<'_>) -> Looked {
        Seen::count(long(flips(*self, run.overalls)), long(self.flips)).into()
    }

    fn clause(&self) -> String {
        let size = if self.amplitude > 0.0 {
            format!(
                "both of {} or more; a smaller step between them is no change of direction",
                score(self.amplitude)
            )
        } else {
            "a step between them that changes nothing is no change of direction".to_owned()
        };
        format!(
            "among the last {} overall scores two neighbouring steps go in opposite directions (up, then down, or down, then up; {size}) at least {}",
            self.window,
            times(long(self.flips))
        )
    }

    fn properties(&self) -> Properties {
        Properties {
            // Two neighbouring differences make one change of direction.
            earliest: long(self.flips).saturating_add(2),
            fitting: Some(Setting {
                key: "flips",
                value: |candidates| candidates.saturating_sub(2),
                least: 1,
            }),
            constants: smallvec![Constant::Gain(self.amplitude), Constant::Count(long(self.flips))],
            costly: None,
            needs_rollback: false,
            parts: smallvec![],
        }
    }

    fn overtakes(&self, other: &Criterion, _: &Ground) -> Option<Overtakes> {
        let Criterion::Oscillation(other) = other else { return None };
        let sees_more = self.window >= other.window && self.amplitude <= other.amplitude;
        if sees_more { Overtakes::steps(self.flips, other.flips) } else { None }
    }

    fn doubt(&self, ground: &Ground) -> Option<Doubt> {
        let Oscillation { window, flips, amplitude } = *self;
        if flips + 2 > window {
            let most = window.saturating_sub(2);
            let changes = plural(long(most), "change");
            let why =
                format!("among {window} scores there are at most {most} {changes} of direction, not {flips}");
            return Some(Doubt::never(why, format!("write `window: {}`, or `flips: {most}`", flips + 2)));
        }
        (amplitude > ground.width() + 1e-9).then(|| {
            let why = format!("{}, so no step is as large as {}", ground.range(), decimal(amplitude));
            Doubt::never(why, "write a smaller `amplitude`, such as 0.05")
        })
    }

    fn terms(&self) -> Option<Value> {
        Some(json!({ "window": self.window, "amplitude": self.amplitude }))
    }

    fn remember(&self, run: &Progress<'_>, memory: &mut Memory) {
        memory.last_scores(run.overalls, self.window.saturating_sub(1));
    }
}

/// Changes of direction among the last `window` overalls. Two neighbouring differences of opposite sign, each at
/// least `amplitude` in size, are one change. Overalls that are equal, as comparisons of scores go, have no direction.
fn flips(criterion: Oscillation, overalls: &[f64]) -> usize {
    let recent = overalls.get(overalls.len().saturating_sub(criterion.window)..).unwrap_or_default();
    let counts =
        |difference: f64| below(0.0, difference.abs()) && at_least(difference.abs(), criterion.amplitude);
    let turns = |three: &[f64]| {
        let [a, b, c] = three else { return false };
        let (to, from) = (b - a, c - b);
        counts(to) && counts(from) && to.signum() != from.signum()
    };
    recent.windows(3).filter(|three| turns(three)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_differences_are_no_flips() {
        let criterion = Oscillation { window: 4, flips: 2, amplitude: 0.05 };
        assert_eq!(flips(criterion, &[0.5, 0.6, 0.5, 0.6]), 2);
        assert_eq!(flips(criterion, &[0.5, 0.6, 0.58, 0.68]), 0);
        assert_eq!(flips(criterion, &[0.6, 0.5, 0.6, 0.7, 0.8]), 0);
    }
}
