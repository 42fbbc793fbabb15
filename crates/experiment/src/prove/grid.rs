//! The values of one score: around each constant that it is compared with, and the ends of what can be scored.

/// The part of a constant's neighbourhood that is tried. What decisions do not tell apart is left out first: a policy
/// asks whether a score reaches a constant, and what just reaches it does so as what is above does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Richness {
    /// Just below and at each constant, and the upper end of the range; the lower one where there is no constant. Scores that
    /// miss a bound by more than a little are not tried, so nothing is shown.
    Least,
    /// Just below and at each constant, and the ends of the range.
    Less,
    /// Just below, at and just above each constant, and the ends of the range.
    Full,
}

/// A step that every reader recognizes as small, unless a constant asks for a smaller one.
const USUAL_STEP: f64 = 0.001;

/// Comparisons allow 1e-9; a smaller step would be none.
const LEAST_STEP: f64 = 1e-6;

/// The constants that scores are compared with.
#[derive(Default)]
pub(super) struct Constants {
    /// By the name of the score; `overall` is one.
    pub of: Vec<(String, Vec<f64>)>,
    /// Gains in the overall score.
    pub gains: Vec<f64>,
    /// The number of overall scores that must be able to fall, one after the other.
    pub levels: usize,
    /// Those of promises, which may ask whether a score is above a constant: what is just above is tried in any case.
    pub strict: Vec<f64>,
}

impl Constants {
    pub(super) fn entry(&mut self, name: &str) -> &mut Vec<f64> {
        let at = self.of.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
            self.of.push((name.to_owned(), Vec::new()));
            self.of.len() - 1
        });
        // It is there: found, or pushed just now.
        #[expect(clippy::indexing_slicing, reason = "an index that `position` or `push` gave")]
        &mut self.of[at].1
    }

    pub(super) fn get(&self, name: &str) -> Option<&[f64]> {
        self.of.iter().find(|(known, _)| known == name).map(|(_, values)| values.as_slice())
    }

    pub(super) fn step(&self) -> f64 {
        let mut all: Vec<f64> = self.of.iter().flat_map(|(_, values)| values.iter().copied()).collect();
        all.extend([0.0, 1.0]);
        all.sort_by(f64::total_cmp);
        let gaps = all.windows(2).filter_map(|pair| match pair {
            [a, b] if b - a > LEAST_STEP => Some((b - a) / 4.0),
            _ => None,
        });
        let gains = self.gains.iter().filter(|gain| **gain > LEAST_STEP).map(|gain| gain / 5.0);
        gaps.chain(gains).fold(USUAL_STEP, f64::min).max(LEAST_STEP)
    }
}

/// The grid of values that are tried for one score.
#[derive(Clone, Copy)]
pub(super) struct Grid<'a> {
    pub low: f64,
    pub high: f64,
    pub step: f64,
    pub richness: Richness,
    pub strict: &'a [f64],
}

impl Grid<'_> {
    fn around(self, constants: &[f64], tried: &mut Vec<f64>) {
        for constant in constants {
            tried.extend([constant - self.step, *constant]);
            if self.richness == Richness::Full || self.strict.contains(constant) {
                tried.push(constant + self.step);
            }
        }
    }

    /// A score between the ends that looks like one to a reader.
    fn middle(self, constants: &[f64]) -> f64 {
        let lowest = constants.iter().copied().filter(|c| *c > self.low).fold(self.high, f64::min);
        (f64::midpoint(self.low, lowest) * 20.0).round() / 20.0
    }

    pub(super) fn dimension(self, constants: &[f64]) -> Vec<f64> {
        let mut tried = Vec::new();
        self.around(constants, &mut tried);
        tried.push(self.high);
        if self.richness > Richness::Least || constants.is_empty() {
            tried.push(self.low);
        }
        if constants.is_empty() {
            tried.push(self.middle(constants));
        }
        self.within(tried)
    }

    pub(super) fn overall(self, constants: &[f64], all: &Constants) -> Vec<f64> {
        let mut tried = vec![self.low, self.high];
        self.around(constants, &mut tried);
        let middle = self.middle(constants);
        for gain in &all.gains {
            let base = if middle + gain <= self.high { middle } else { self.low };
            tried.push(base);
            tried.extend(
                [gain - self.step, *gain].into_iter().filter(|gain| *gain > 0.0).map(|gain| base + gain),
            );
        }
        if self.richness == Richness::Full || all.gains.is_empty() {
            tried.push(middle);
        }
        let mut tried = self.within(tried);
        ascending(&mut tried);
        // Enough levels below what is accepted for scores to fall so often.
        let accepted = constants.iter().copied().fold(self.high, f64::min);
        let mut below = tried.iter().filter(|value| **value < accepted).count();
        for part in 1..all.levels {
            #[expect(clippy::cast_precision_loss, reason = "a handful of levels")]
            let level = self.low + (accepted - self.low) * part as f64 / all.levels as f64;
            if below < all.levels && !tried.iter().any(|value| (value - level).abs() < self.step) {
                tried.push(level);
                below += 1;
            }
        }
        tried
    }

    /// Adds the values of a dimension that make overall scores at and around these constants, if the other dimensions
    /// contribute `others`.
    pub(super) fn overall_scores(self, constants: &[f64], weight: f64, others: f64, tried: &mut Vec<f64>) {
        let mut overall = Vec::new();
        self.around(constants, &mut overall);
        tried.extend(self.within(overall.into_iter().map(|score| (score - others) / weight).collect()));
    }

    /// Adds the values of a dimension that make these gains in an overall score in which it has this weight.
    pub(super) fn gains(self, gains: &[f64], weight: f64, tried: &mut Vec<f64>) {
        let base = tried.iter().copied().filter(|value| *value > self.low).fold(self.high, f64::min);
        let lower = gains.iter().filter(|gain| **gain > 0.0).flat_map(|gain| [*gain, gain - self.step]);
        let lower: Vec<f64> =
            lower.map(|gain| base - gain / weight).filter(|value| *value >= self.low).collect();
        tried.extend(lower);
    }

    fn within(self, tried: Vec<f64>) -> Vec<f64> {
        let inside = |value: &f64| *value >= self.low - 1e-12 && *value <= self.high + 1e-12;
        tried.into_iter().filter(inside).map(|value| value.clamp(self.low, self.high)).collect()
    }
}

/// Sorts values, each once; sums of decimals become decimals again.
pub(super) fn ascending(values: &mut Vec<f64>) {
    values.iter_mut().for_each(|value| *value = (*value * 1e9).round() / 1e9);
    values.sort_by(f64::total_cmp);
    values.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
}
