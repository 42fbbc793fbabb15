//! Evidence for the types of documents in parts of a text, and how much of it one type leaves unexplained.

use super::super::Classifier;
use super::super::weighted_pattern::{SearchedText, WeightedPattern};
use super::ENOUGH;
use super::signs::SectionSigns;
use std::ops::Range;

/// The evidence in each part of a text.
pub(super) struct TypeEvidence<'c> {
    types: Vec<&'c str>,
    /// The patterns, each with the number of its type.
    patterns: Vec<(usize, &'c WeightedPattern)>,
    parts: Vec<PartEvidence>,
    /// The weight that counts as one.
    unit: f64,
}

/// The patterns and words of a part.
struct PartEvidence {
    /// The patterns that occur, each with the number of lines and the first of them.
    found: Vec<(usize, Occurrence)>,
    /// The number of its lines that say something.
    lines: usize,
}

/// The lines of a part in which a pattern occurs.
#[derive(Debug, Clone, Copy)]
struct Occurrence {
    lines: usize,
    first: usize,
}

impl<'c> TypeEvidence<'c> {
    /// The evidence in these parts of a text.
    pub(super) fn of(classifier: &'c Classifier, text: &str, parts: &[Range<usize>]) -> Self {
        let types: Vec<&str> = classifier.types().collect();
        let patterns: Vec<(usize, &WeightedPattern)> = classifier.patterns().collect();
        let of_part = |part: &Range<usize>| {
            let searched = SearchedText::new(text.get(part.clone()).unwrap_or_default());
            let occurrence = |(number, (_, pattern)): (usize, &(usize, &WeightedPattern))| {
                let (lines, first) = pattern.lines_in(&searched)?;
                Some((number, Occurrence { lines, first }))
            };
            let found = patterns.iter().enumerate().filter_map(occurrence).collect();
            PartEvidence { found, lines: searched.line_count() }
        };
        let parts = parts.iter().map(of_part).collect();
        TypeEvidence { types, patterns, parts, unit: classifier.minimum().max(1.0) }
    }

    fn type_name(&self, number: usize) -> &str {
        self.types.get(number).copied().unwrap_or_default()
    }

    /// The evidence in a section that has no part yet.
    pub(super) fn section(&self) -> SectionEvidence<'_> {
        SectionEvidence {
            all: self,
            lines: 0,
            counts: vec![0; self.patterns.len()],
            scores: vec![0.0; self.types.len()],
            by_share: Vec::new(),
        }
    }
}

/// The evidence in a section to which parts are added.
pub(super) struct SectionEvidence<'e> {
    all: &'e TypeEvidence<'e>,
    lines: usize,
    /// The number of lines in which each pattern occurs.
    counts: Vec<usize>,
    /// The score of each type by the patterns that stay once they occur.
    scores: Vec<f64>,
    /// The patterns that count by their share of the lines.
    by_share: Vec<usize>,
}

impl SectionEvidence<'_> {
    /// Adds the next part.
    pub(super) fn add(&mut self, part: usize) {
        let Some(part) = self.all.parts.get(part) else { return };
        for (number, occurrence) in &part.found {
            let (Some((of_type, pattern)), Some(count)) =
                (self.all.patterns.get(*number), self.counts.get_mut(*number))
            else {
                continue;
            };
            if !pattern.reaches(self.lines + occurrence.first) {
                continue;
            }
            let before = *count;
            *count += occurrence.lines;
            if pattern.counts_by_share() {
                if before == 0 {
                    self.by_share.push(*number);
                }
            } else if !pattern.suffices(before, 0)
                && pattern.suffices(*count, 0)
                && let Some(score) = self.scores.get_mut(*of_type)
            {
                *score += pattern.weight();
            }
        }
        self.lines += part.lines;
    }

    /// The evidence for other types than its best one, in units of the least score of a type.
    pub(super) fn unexplained(&self, signs: &SectionSigns) -> f64 {
        /// The cost of a section without a clear type.
        const UNCLEAR: f64 = 1.5;
        let scores = self.scores();
        let best = best(&scores);
        let holder = self.all.type_name(best);
        let others = scores.iter().zip(&self.all.types).enumerate();
        let others = others.filter(|(number, (_, held))| *number != best && !signs.is_held_by(held, holder));
        let (mut rest, mut second) = (0.0, 0.0_f64);
        for (_, (score, _)) in others {
            rest += score;
            second = second.max(*score);
        }
        let most = scores.get(best).copied().unwrap_or_default();
        let is_clear = most >= self.all.unit && most > second;
        rest / self.all.unit + if is_clear { 0.0 } else { UNCLEAR }
    }

    /// Its type, if that is known with enough confidence to cut by it.
    pub(super) fn known_type(&self) -> Option<&str> {
        let scores = self.scores();
        let best = best(&scores);
        let most = scores.get(best).copied()?;
        let others = scores.iter().enumerate().filter(|(number, _)| *number != best);
        let second = others.map(|(_, score)| *score).fold(0.0, f64::max);
        (most >= self.all.unit && most / (most + second) >= ENOUGH).then(|| self.all.type_name(best))
    }

    /// The score of each type.
    fn scores(&self) -> Vec<f64> {
        let mut scores = self.scores.clone();
        for number in &self.by_share {
            let (Some((of_type, pattern)), Some(count)) =
                (self.all.patterns.get(*number), self.counts.get(*number))
            else {
                continue;
            };
            if pattern.suffices(*count, self.lines)
                && let Some(score) = scores.get_mut(*of_type)
            {
                *score += pattern.weight();
            }
        }
        scores
    }
}

/// The number of the type with the highest score, of two of them the first.
fn best(scores: &[f64]) -> usize {
    let best = scores.iter().enumerate().rev().max_by(|one, other| one.1.total_cmp(other.1));
    best.map_or(0, |(number, _)| number)
}
