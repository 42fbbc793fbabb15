//! The numbers of a document that was run.

use super::measures::Measure;
use super::trial::{Goals, Numbers, Outcomes};
use crate::policy::StopReason;
use crate::result::DocumentResult;
use crate::statistics::real;

/// The numbers of a document under a policy.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    pub(super) numbers: Numbers,
    pub(super) objectives: Vec<f64>,
    passed: bool,
}

impl Goals {
    /// Takes the numbers of a document's result.
    ///
    /// # Errors
    /// The index of an objective that can't be computed.
    pub fn measured(&self, result: &DocumentResult) -> Result<Measured, usize> {
        let mut numbers: Numbers = [0.0; Measure::ALL.len()];
        for measure in &self.used {
            if let Some(place) = numbers.get_mut(measure.place()) {
                *place = self.number_of(*measure, result);
            }
        }
        let formulas = self.objectives.iter().enumerate();
        let objectives = formulas.map(|(at, (_, formula))| self.compute(formula, &numbers).ok_or(at));
        Ok(Measured {
            objectives: objectives.collect::<Result<_, _>>()?,
            passed: result.stop_reason == StopReason::Accepted,
            numbers,
        })
    }

    fn number_of(&self, measure: Measure, result: &DocumentResult) -> f64 {
        let best = result.best_iteration.and_then(|best| result.iterations.get(best));
        let issues = |count: Option<usize>| real(count.unwrap_or_default() as u64);
        match measure {
            Measure::Overall => best.map_or(0.0, |best| self.overall.of(|name| best.scores.get(name)).get()),
            Measure::Passed => f64::from(u8::from(result.stop_reason == StopReason::Accepted)),
            Measure::Review => f64::from(u8::from(result.review)),
            Measure::CostUsd => result.usage.known_cost_usd.get(),
            Measure::ElapsedMs => real(result.elapsed_ms.0),
            Measure::Tokens => real(result.usage.tokens),
            Measure::Calls => real(result.usage.calls),
            Measure::IterationCount => real(result.iteration_count as u64),
            Measure::Rollbacks => real(result.rollbacks),
            Measure::CriticalIssues => issues(best.map(|best| best.critical)),
            Measure::MajorIssues => issues(best.map(|best| best.major)),
            Measure::MinorIssues => issues(best.map(|best| best.minor)),
        }
    }

    /// Returns the same goals with the means of the reference on some documents, for constraints.
    pub(super) fn with_measured_reference(&self, reference: &[Measured]) -> Self {
        Goals { reference: Some(means(reference)), ..self.clone() }
    }

    /// Returns whether the means of some documents keep every constraint.
    ///
    /// # Errors
    /// The index of a constraint that can't be computed, after the objectives.
    pub(super) fn keep_constraints(&self, documents: &[Measured]) -> Result<bool, usize> {
        let means = means(documents);
        let mut keeps = true;
        for (at, constraint) in self.constraints.iter().enumerate() {
            keeps &= self.keeps(constraint, &means).ok_or(self.objectives.len() + at)?;
        }
        Ok(keeps)
    }
}

impl Outcomes {
    /// The outcomes of documents that were run; `objectives` is the number of objectives.
    #[must_use]
    pub fn of_measured(documents: &[Measured], objectives: usize) -> Self {
        let column = |at: usize| documents.iter().filter_map(|one| one.objectives.get(at).copied()).collect();
        Outcomes {
            objectives: (0..objectives).map(column).collect(),
            passed: documents.iter().map(|one| one.passed).collect(),
            means: means(documents),
        }
    }
}

fn means(documents: &[Measured]) -> Numbers {
    let mut sums: Numbers = [0.0; Measure::ALL.len()];
    for one in documents {
        sums.iter_mut().zip(one.numbers).for_each(|(sum, value)| *sum += value);
    }
    sums.map(|sum| sum / real(documents.len().max(1) as u64))
}

#[cfg(test)]
impl Measured {
    pub(super) fn for_tests(numbers: Numbers, objectives: Vec<f64>) -> Self {
        Measured { numbers, objectives, passed: false }
    }
}
