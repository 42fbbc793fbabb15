//! One policy tried on all documents.

use super::candidate::Candidate;
use super::file::{Goal, REFERENCE};
use super::measures::Measure;
use super::{Experiment, Split, expression};
use crate::policy::{FinalStatus, IssueCounts, StopReason};
use crate::profile::{IssueKind, LoopPolicy, Overall};
use crate::score::Scores;
use crate::statistics::real;
use crate::value::{Disposition, Severity};
use crate::{Decided, Decider, Trajectories};
use minijinja::Value;
use std::collections::BTreeMap;

/// The measures of each document, and their use.
#[derive(Debug, Clone)]
pub struct Goals {
    /// Expressions of the objectives.
    pub(super) objectives: Vec<(Goal, Formula)>,
    pub(super) constraints: Vec<String>,
    pub(super) used: Vec<Measure>,
    /// The weights of the overall score of candidates, whatever a policy weighs.
    pub(super) overall: Overall,
    /// The means of the reference where policies are chosen, for constraints.
    pub(super) reference: Option<Numbers>,
}

#[derive(Debug, Clone)]
pub(super) enum Formula {
    /// A measure by itself, which needs no computing.
    One(Measure),
    Expression(String),
}

/// The numbers of a document, in the order of [`Measure::ALL`].
pub(super) type Numbers = [f64; Measure::ALL.len()];

/// The evaluation of a policy.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// The mean of each objective over the documents that policies are chosen on.
    pub means: Vec<f64>,
    /// `true` if every constraint holds there.
    pub keeps_constraints: bool,
    /// The number of documents, of all, that would have continued in a way that is not recorded.
    pub beyond: usize,
    /// A hash that is equal for policies that decide the same on every document.
    pub behaviour: u64,
}

/// The outcomes of a policy on each of some documents.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcomes {
    /// A column for each objective.
    pub objectives: Vec<Vec<f64>>,
    /// `true` for each document of which a candidate was accepted.
    pub passed: Vec<bool>,
    /// The mean of each measure, for constraints.
    pub(super) means: Numbers,
}

/// Sums over documents.
struct Sums {
    objectives: Vec<f64>,
    measures: Numbers,
    beyond: usize,
    behaviour: u64,
}

impl Goals {
    /// The goals of an experiment; `reference` is the policy whose overall score is the measure of all.
    #[must_use]
    pub fn of(experiment: &Experiment, reference: &LoopPolicy) -> Self {
        let formula = |expression: &String| match Measure::named(expression.trim()) {
            Some(measure) => Formula::One(measure),
            None => Formula::Expression(expression.clone()),
        };
        let objectives: Vec<(Goal, Formula)> = experiment
            .objectives
            .iter()
            .map(|objective| (objective.goal, formula(&objective.expression)))
            .collect();
        let constraints: Vec<String> = experiment.constraints.iter().map(|one| one.value.clone()).collect();
        let expressions = experiment.objectives.iter().map(|one| &one.expression).chain(&constraints);
        let mut used: Vec<Measure> = expressions
            .flat_map(|one| expression::names(one))
            .filter_map(|name| Measure::named(&name))
            .collect();
        let of_reference = constraints.iter().flat_map(|one| expression::members(one, REFERENCE));
        used.extend(of_reference.filter_map(Measure::named));
        // Always compared.
        used.push(Measure::Passed);
        used.sort_unstable();
        used.dedup();
        Goals { objectives, constraints, used, overall: reference.overall.clone(), reference: None }
    }

    /// Adds the means of the reference on the documents that policies are chosen on. Constraints over `reference` have
    /// no value without them.
    ///
    /// # Errors
    /// As for [`Trial::evaluate`].
    pub fn with_reference(
        self,
        trajectories: &Trajectories,
        reference: &Candidate,
        train: &[usize],
    ) -> Result<Self, usize> {
        let sums = Trial::new(trajectories, &self).sums(reference, train)?.measures;
        Ok(Goals { reference: Some(sums.map(|sum| sum / count_of(train))), ..self })
    }

    /// The measures that are taken of each document.
    #[must_use]
    pub fn measures(&self) -> &[Measure] {
        &self.used
    }

    /// The direction of each objective: whether more or less is better.
    pub fn goals(&self) -> impl Iterator<Item = Goal> {
        self.objectives.iter().map(|(goal, _)| *goal)
    }

    pub(super) fn compute(&self, formula: &Formula, numbers: &Numbers) -> Option<f64> {
        match formula {
            Formula::One(measure) => numbers.get(measure.place()).copied(),
            Formula::Expression(source) => {
                expression::compute(source, expression::named(&named(&self.used, numbers)))
            }
        }
    }

    /// Returns whether a constraint holds for the means of a policy.
    pub(super) fn keeps(&self, constraint: &str, means: &Numbers) -> Option<bool> {
        keeps(&self.used, constraint, means, self.reference.as_ref())
    }
}

/// Returns whether a constraint over these measures holds for the means of a policy, beside those of the reference.
pub(super) fn keeps(
    used: &[Measure],
    constraint: &str,
    means: &Numbers,
    reference: Option<&Numbers>,
) -> Option<bool> {
    let mut variables: Vec<(&str, Value)> =
        named(used, means).into_iter().map(|(name, value)| (name, value.into())).collect();
    if let Some(reference) = reference {
        variables.push((REFERENCE, expression::named(&named(used, reference))));
    }
    expression::compute(constraint, Value::from_pairs(variables)).map(|holds| holds != 0.0)
}

fn named(used: &[Measure], numbers: &Numbers) -> Vec<(&'static str, f64)> {
    let value = |measure: &Measure| numbers.get(measure.place()).copied().unwrap_or_default();
    used.iter().map(|measure| (measure.name(), value(measure))).collect()
}

/// Tries policies one after the other. Results for one are reused for the next.
#[derive(Debug)]
pub struct Trial<'c> {
    trajectories: &'c Trajectories,
    goals: &'c Goals,
    /// The results of review conditions: by condition, document, candidate and status.
    reviews: BTreeMap<(String, usize, usize, usize), bool>,
    /// The values of all objectives, by document and its numbers.
    computed: BTreeMap<(usize, Vec<u64>), Vec<f64>>,
}

/// The most results that are kept for the next policy.
const MOST_KEPT: usize = 2_000_000;

impl<'c> Trial<'c> {
    /// Tries policies on these documents.
    #[must_use]
    pub fn new(trajectories: &'c Trajectories, goals: &'c Goals) -> Self {
        Trial { trajectories, goals, reviews: BTreeMap::new(), computed: BTreeMap::new() }
    }

    /// Tries a policy on every document; means are those of `train`. The error names an objective or constraint that can't be
    /// computed.
    ///
    /// # Errors
    /// The index of the objective, or of the constraint after them.
    pub fn evaluate(&mut self, candidate: &Candidate, train: &[usize]) -> Result<Evaluation, usize> {
        let Sums { objectives, measures, beyond, behaviour } = self.sums(candidate, train)?;
        let count = count_of(train);
        let means = measures.map(|sum| sum / count);
        let mut keeps_constraints = true;
        for (at, constraint) in self.goals.constraints.iter().enumerate() {
            keeps_constraints &=
                self.goals.keeps(constraint, &means).ok_or(self.goals.objectives.len() + at)?;
        }
        let means = objectives.iter().map(|sum| sum / count).collect();
        Ok(Evaluation { means, keeps_constraints, beyond, behaviour })
    }

    /// Decides about every document, and adds up the numbers of those of `train`.
    fn sums(&mut self, candidate: &Candidate, train: &[usize]) -> Result<Sums, usize> {
        let mut decider = self.decider(candidate);
        let mut objectives = vec![0.0; self.goals.objectives.len()];
        let mut measures: Numbers = [0.0; Measure::ALL.len()];
        let mut beyond = 0;
        let mut behaviour = 0xCBF2_9CE4_8422_2325_u64;
        let mut chosen = train.iter().copied().peekable();
        for document in 0..self.trajectories.documents() {
            let is_train = chosen.next_if(|next| *next == document).is_some();
            let Some(decided) = decider.decide(document) else { continue };
            beyond += usize::from(decided.beyond.is_some());
            behaviour = mixed(behaviour, &decided);
            if is_train && beyond == 0 {
                let numbers = self.numbers(candidate, document, &decided);
                for (sum, value) in objectives.iter_mut().zip(self.objectives(document, &numbers)?) {
                    *sum += value;
                }
                measures.iter_mut().zip(numbers).for_each(|(sum, value)| *sum += value);
            }
        }
        Ok(Sums { objectives, measures, beyond, behaviour })
    }

    /// The outcomes of a policy on each document of both parts.
    ///
    /// # Errors
    /// The index of an objective that can't be computed.
    pub fn outcomes(&mut self, candidate: &Candidate, split: &Split) -> Result<[Outcomes; 2], usize> {
        Ok([self.columns(candidate, &split.train)?, self.columns(candidate, &split.test)?])
    }

    /// The objectives of each of some documents, each in a column, and which of them passed.
    ///
    /// # Errors
    /// The index of an objective that can't be computed.
    fn columns(&mut self, candidate: &Candidate, documents: &[usize]) -> Result<Outcomes, usize> {
        let mut decider = self.decider(candidate);
        let mut columns = vec![Vec::with_capacity(documents.len()); self.goals.objectives.len()];
        let mut passed = Vec::with_capacity(documents.len());
        let mut means: Numbers = [0.0; Measure::ALL.len()];
        for document in documents {
            let Some(decided) = decider.decide(*document) else { continue };
            let numbers = self.numbers(candidate, *document, &decided);
            for (column, value) in columns.iter_mut().zip(self.objectives(*document, &numbers)?) {
                column.push(value);
            }
            passed.push(decided.stop_reason == StopReason::Accepted);
            means.iter_mut().zip(numbers).for_each(|(sum, value)| *sum += value);
        }
        let means = means.map(|sum| sum / count_of(documents));
        Ok(Outcomes { objectives: columns, passed, means })
    }

    fn decider<'p>(&self, candidate: &'p Candidate) -> Decider<'c, 'p> {
        Decider::new(self.trajectories, &candidate.policy, &candidate.scripts)
            .told_otherwise(candidate.told_otherwise)
    }

    /// The value of each objective.
    fn objectives(&mut self, document: usize, numbers: &Numbers) -> Result<Vec<f64>, usize> {
        let goals = self.goals;
        let compute = || {
            let formulas = goals.objectives.iter().enumerate();
            formulas
                .map(|(at, (_, formula))| goals.compute(formula, numbers).ok_or(at))
                .collect::<Result<Vec<f64>, usize>>()
        };
        if goals.objectives.iter().all(|(_, formula)| matches!(formula, Formula::One(_))) {
            return compute();
        }
        let key = (document, numbers.iter().map(|number| number.to_bits()).collect::<Vec<u64>>());
        if let Some(known) = self.computed.get(&key) {
            return Ok(known.clone());
        }
        let values = compute()?;
        if self.computed.len() < MOST_KEPT {
            self.computed.insert(key, values.clone());
        }
        Ok(values)
    }

    fn numbers(&mut self, candidate: &Candidate, document: usize, decided: &Decided) -> Numbers {
        let mut numbers: Numbers = [0.0; Measure::ALL.len()];
        for measure in &self.goals.used {
            if let Some(place) = numbers.get_mut(measure.place()) {
                *place = self.reviewed(*measure, candidate, document, decided);
            }
        }
        numbers
    }

    fn reviewed(
        &mut self,
        measure: Measure,
        candidate: &Candidate,
        document: usize,
        decided: &Decided,
    ) -> f64 {
        if measure == Measure::Review {
            return f64::from(u8::from(self.needs_review(candidate, document, decided)));
        }
        let returned = decided.selection.map(|selection| selection.iteration);
        let issues = |severity| {
            let counts = returned
                .map(|iteration| self.trajectories.issue_counts(document, iteration, &candidate.policy));
            real(counts.unwrap_or_default().get(IssueKind::Severity(severity)))
        };
        match measure {
            Measure::Overall => returned.map_or(0.0, |iteration| {
                self.goals
                    .overall
                    .of(|name| self.trajectories.recorded_score(document, iteration, name))
                    .get()
            }),
            Measure::Passed => f64::from(u8::from(decided.stop_reason == StopReason::Accepted)),
            Measure::Review => 0.0,
            Measure::CostUsd => decided.spent.usage.known_cost_usd.get(),
            Measure::ElapsedMs => real(decided.spent.elapsed.0),
            Measure::Tokens => real(decided.spent.usage.tokens),
            Measure::Calls => real(decided.spent.usage.calls),
            Measure::IterationCount => real(decided.iteration_count as u64),
            Measure::Rollbacks => real(decided.rollbacks),
            Measure::CriticalIssues => issues(Severity::Critical),
            Measure::MajorIssues => issues(Severity::Major),
            Measure::MinorIssues => issues(Severity::Minor),
        }
    }

    /// Returns whether a result needs review, as in a run: a person must decide about an issue, or the profile's
    /// condition holds.
    fn needs_review(&mut self, candidate: &Candidate, document: usize, decided: &Decided) -> bool {
        let returned = decided.selection.map(|selection| selection.iteration);
        if let Some(iteration) = returned {
            let counts: IssueCounts = self.trajectories.issue_counts(document, iteration, &candidate.policy);
            if counts.get(IssueKind::Disposition(Disposition::Escalate)) > 0 {
                return true;
            }
        }
        let Some((written, review)) = &candidate.review else { return false };
        let status = decided.stop_reason.status();
        let place = FinalStatus::ALL.iter().position(|known| *known == status).unwrap_or_default();
        // Policies that weigh differently have other overall scores.
        let overall = returned.map_or(0.0, |iteration| {
            candidate
                .policy
                .overall
                .of(|name| self.trajectories.recorded_score(document, iteration, name))
                .get()
        });
        let key =
            (format!("{written}\n{}", overall.to_bits()), document, returned.map_or(0, |at| at + 1), place);
        if let Some(known) = self.reviews.get(&key) {
            return *known;
        }
        let dimensions: Vec<&str> = candidate.dimensions.iter().map(String::as_str).collect();
        let trajectories = self.trajectories;
        let measured = dimensions
            .iter()
            .filter_map(|name| Some((*name, trajectories.recorded_score(document, returned?, name)?)));
        let scores: Scores = measured.collect();
        let applies = review.applies(status, overall, &scores, &dimensions);
        if self.reviews.len() < MOST_KEPT {
            self.reviews.insert(key, applies);
        }
        applies
    }
}

/// Mixes the end of a document into the hash that tells policies apart (FNV-1a).
fn mixed(hash: u64, decided: &Decided) -> u64 {
    let returned = decided.selection.map_or(0, |selection| selection.iteration as u64 + 1);
    let status = FinalStatus::ALL.iter().position(|known| *known == decided.stop_reason.status());
    let ended = [decided.iteration_count as u64, returned, status.unwrap_or_default() as u64];
    ended.into_iter().fold(hash, |hash, part| (hash ^ part).wrapping_mul(0x0100_0000_01B3))
}

fn count_of(documents: &[usize]) -> f64 {
    real(documents.len().max(1) as u64)
}
