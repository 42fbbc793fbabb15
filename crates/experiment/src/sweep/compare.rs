//! Policies compared with the reference on documents that they were not chosen on.

use super::choice::Choice;
use super::file::{Experiment, Goal};
use super::findings::{DocumentCounts, Findings, Method, ObjectiveName, ShownPolicy, SplitDocuments};
use super::measures::Measure;
use super::trial::{Outcomes, keeps};
use crate::answer::undusted;
use crate::statistics::{
    Bootstrap, Clusters, Discordant, Estimate, Spread, documents_needed, holm, mcnemar_exact, real,
};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;

/// The probability that a difference is seen with as many documents as are reported to be needed.
const POWER: f64 = 0.8;

/// A policy against another one, on the same documents.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The whole comparison in a word.
    pub standing: Standing,
    /// The difference in each objective: this policy less the reference.
    pub objectives: Vec<Difference>,
    /// Like `objectives`, where policies are chosen, without a verdict: it is flattered there.
    pub train: Vec<Estimate>,
    /// Documents that one of both passes and the other does not.
    pub passed: PassedComparison,
    /// The difference to the chosen policy in the first objective; `None` for the chosen one itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against_chosen: Option<Difference>,
}

/// The standing of a policy against the reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Better in an objective, and in none shown to be worse.
    Better,
    /// Better in an objective, and worse in another.
    Mixed,
    /// Worse in an objective, and in none shown to be better.
    Worse,
    /// A tie: it is not shown to differ.
    NotShown,
    /// A tie: every document has the same outcome.
    Equal,
}

/// The verdict of the documents on a difference, corrected for all that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The policy is better.
    Better,
    /// The policy is worse.
    Worse,
    /// They are not shown to differ, which does not mean that they are equal.
    NotShown,
    /// Every document has the same outcome.
    Equal,
}

/// A difference of means over the same documents.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Difference {
    /// Its mean with the interval of this difference alone.
    #[serde(flatten)]
    pub estimate: Estimate,
    /// The p-value after Holm's correction for all comparisons that are shown.
    pub adjusted_p_value: f64,
    /// The verdict on it.
    pub verdict: Verdict,
    /// The number of documents with which a difference of this size would be seen four times out of five by a test of
    /// its own; `None` if it is shown already, or there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documents_needed: Option<u64>,
}

/// Documents that one of two policies passes and the other does not.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PassedComparison {
    /// Passed by this policy alone.
    pub policy_only: usize,
    /// Passed by the reference alone.
    pub reference_only: usize,
    /// McNemar's exact test; where documents share ids, the randomization test by id.
    pub p_value: f64,
    /// After Holm's correction.
    pub adjusted_p_value: f64,
    /// The verdict; more that pass count as better.
    pub verdict: Verdict,
}

/// The outcomes of a policy that is shown, on both parts of the documents.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownOutcomes {
    /// The name of its profile.
    pub profile: String,
    /// The settings of the space that it has.
    pub settings: serde_json::Map<String, serde_json::Value>,
    /// The outcomes where policies are chosen, and where they are judged.
    pub outcomes: [Outcomes; 2],
}

impl Findings {
    /// Judges the policies of a choice; `shown` are their outcomes, in the same order. `ids` are those of the documents
    /// that policies are chosen on, and of those that they are judged on.
    #[must_use]
    pub fn of(
        experiment: &Experiment,
        ids: &[Vec<Value>; 2],
        choice: Choice,
        reference: ShownOutcomes,
        shown: Vec<ShownOutcomes>,
    ) -> Self {
        let judge = Judge::of(experiment, ids);
        let comparisons = judge.compare(&reference, &shown);
        let family: usize = comparisons.iter().map(Comparison::tests).sum();
        let of_reference = reference.outcomes[1].means;
        let missed = |one: &ShownOutcomes| -> Vec<String> {
            let means = &one.outcomes[1].means;
            let constraints = experiment.constraints.iter().map(|constraint| &constraint.value);
            let missed = constraints.filter(|constraint| {
                keeps(&Measure::ALL, constraint, means, Some(&of_reference)) == Some(false)
            });
            missed.cloned().collect()
        };
        let judged =
            shown.into_iter().zip(comparisons).zip(&choice.shown).map(|((one, comparison), (_, same))| {
                let constraints_missed = missed(&one);
                ShownPolicy {
                    same: *same,
                    constraints_missed,
                    comparison: Some(comparison),
                    ..judge.shown(one)
                }
            });
        let shown = judged.collect();
        let bootstrap = experiment.bootstrap;
        Findings {
            description: experiment.description.clone(),
            documents: DocumentCounts {
                train: ids[0].len(),
                test: ids[1].len(),
                test_ids: judge.clusters[1].count(),
            },
            split: SplitDocuments {
                share: experiment.split.test,
                seed: experiment.split.seed,
                chosen_on: each_once(&ids[0]),
                judged_on: each_once(&ids[1]),
            },
            policies: choice.counts,
            objectives: ObjectiveName::of(experiment),
            constraints: experiment.constraints.iter().map(|one| one.value.clone()).collect(),
            statistics: Method {
                confidence: bootstrap.confidence,
                samples: bootstrap.samples,
                seed: bootstrap.seed,
                split_seed: experiment.split.seed,
                comparisons: family,
            },
            reference: judge.shown(reference),
            shown,
            points: choice.points,
            race: None,
        }
    }
}

/// Ids in their order, each once, however many documents have it.
fn each_once(ids: &[Value]) -> Vec<Value> {
    let mut seen = BTreeSet::new();
    ids.iter().filter(|id| seen.insert(id.to_string())).cloned().collect()
}

/// The data needed to judge.
struct Judge {
    goals: Vec<Goal>,
    bootstrap: Bootstrap,
    /// The documents that belong together, where policies are chosen and where they are judged.
    clusters: [Clusters; 2],
}

impl Judge {
    fn of(experiment: &Experiment, ids: &[Vec<Value>; 2]) -> Self {
        Judge {
            goals: experiment.objectives.iter().map(|objective| objective.goal).collect(),
            bootstrap: experiment.bootstrap.into(),
            clusters: [&ids[0], &ids[1]].map(|ids| Clusters::by(ids.iter().map(Value::to_string))),
        }
    }

    fn alpha(&self) -> f64 {
        1.0 - self.bootstrap.confidence
    }

    /// The figures of a policy, without a comparison.
    fn shown(&self, one: ShownOutcomes) -> ShownPolicy {
        let ShownOutcomes { profile, settings, outcomes: [train, test] } = one;
        let [_, clusters] = &self.clusters;
        ShownPolicy {
            profile,
            settings,
            same: 0,
            train: train.objectives.iter().map(|column| undusted(mean(column))).collect(),
            test: self.bootstrap.means(clusters, &test.objectives).into_iter().map(clean).collect(),
            passed: undusted(mean(&as_numbers(&test.passed))),
            constraints_missed: Vec::new(),
            comparison: None,
        }
    }

    /// Each policy against the reference; verdicts hold for all of them together.
    fn compare(&self, reference: &ShownOutcomes, shown: &[ShownOutcomes]) -> Vec<Comparison> {
        let Some(chosen) = shown.first() else { return Vec::new() };
        let [of_train, of_test] = &self.clusters;
        let mut comparisons: Vec<Comparison> = Vec::new();
        for (number, one) in shown.iter().enumerate() {
            let [train, test] = &one.outcomes;
            let [train_reference, test_reference] = &reference.outcomes;
            let mut differences = paired(&test.objectives, &test_reference.objectives);
            if number > 0 {
                let [_, chosen] = &chosen.outcomes;
                let first = |outcomes: &Outcomes| outcomes.objectives.first().cloned().unwrap_or_default();
                differences.push(differ(&first(test), &first(chosen)));
            }
            // The same samples for every policy: they are drawn by the seed.
            let estimates = self.bootstrap.means(of_test, &differences);
            let goals = self.goals.iter().chain(self.goals.first());
            let mut objectives: Vec<Difference> = estimates
                .into_iter()
                .zip(&differences)
                .zip(goals)
                .map(|((estimate, column), goal)| self.difference(estimate, column, *goal))
                .collect();
            let against_chosen = if number > 0 { objectives.pop() } else { None };
            let columns = paired(&train.objectives, &train_reference.objectives);
            comparisons.push(Comparison {
                standing: Standing::NotShown,
                objectives,
                train: self.bootstrap.means(of_train, &columns).into_iter().map(clean).collect(),
                passed: self.passed(&test.passed, &test_reference.passed),
                against_chosen,
            });
        }
        self.settle(&mut comparisons);
        comparisons
    }

    /// Applies Holm's correction to all, and sets the verdicts after it.
    fn settle(&self, comparisons: &mut [Comparison]) {
        let p_values: Vec<f64> = comparisons.iter().flat_map(Comparison::p_values).collect();
        let mut adjusted = holm(&p_values).into_iter();
        let alpha = self.alpha();
        for comparison in comparisons {
            let Comparison { objectives, passed, against_chosen, .. } = comparison;
            for difference in objectives.iter_mut().chain(against_chosen) {
                difference.adjusted_p_value = adjusted.next().unwrap_or(1.0);
                if difference.verdict != Verdict::Equal && difference.adjusted_p_value > alpha {
                    difference.verdict = Verdict::NotShown;
                }
                if difference.verdict != Verdict::NotShown {
                    difference.documents_needed = None;
                }
            }
            passed.adjusted_p_value = adjusted.next().unwrap_or(1.0);
            if passed.verdict != Verdict::Equal && passed.adjusted_p_value > alpha {
                passed.verdict = Verdict::NotShown;
            }
            comparison.standing = Standing::of(&comparison.objectives);
        }
    }

    /// The verdict follows the mean until all are corrected together.
    fn difference(&self, estimate: Estimate, column: &[f64], goal: Goal) -> Difference {
        let is_equal = column.iter().all(|value| value.abs() <= 1e-12);
        let [_, clusters] = &self.clusters;
        // What is drawn is ids, so the number of ids is what more documents add to.
        let spread = Spread::of(&clusters.shares(column));
        let needed =
            spread.filter(|_| !is_equal).and_then(|spread| documents_needed(spread, self.alpha(), POWER));
        Difference {
            estimate: clean(estimate),
            adjusted_p_value: 1.0,
            verdict: match (is_equal, goal) {
                (true, _) => Verdict::Equal,
                (_, Goal::Maximize) => Verdict::of(estimate.mean > 0.0),
                (_, Goal::Minimize) => Verdict::of(estimate.mean < 0.0),
            },
            documents_needed: needed,
        }
    }

    fn passed(&self, own: &[bool], reference: &[bool]) -> PassedComparison {
        let pairs = || own.iter().zip(reference);
        let discordant = Discordant {
            first_only: pairs().filter(|(own, reference)| **own && !**reference).count(),
            second_only: pairs().filter(|(own, reference)| !**own && **reference).count(),
        };
        let [_, clusters] = &self.clusters;
        let p_value = if clusters.count() == own.len() {
            mcnemar_exact(discordant)
        } else {
            let column = differ(&as_numbers(own), &as_numbers(reference));
            self.bootstrap.means(clusters, &[column]).first().map_or(1.0, |estimate| estimate.p_value)
        };
        let Discordant { first_only, second_only } = discordant;
        let is_equal = first_only + second_only == 0;
        PassedComparison {
            policy_only: first_only,
            reference_only: second_only,
            p_value,
            adjusted_p_value: 1.0,
            verdict: if is_equal { Verdict::Equal } else { Verdict::of(first_only > second_only) },
        }
    }
}

impl Comparison {
    /// In the order in which [`Judge::settle`] hands out the corrected ones.
    fn p_values(&self) -> Vec<f64> {
        let differences = self.objectives.iter().chain(&self.against_chosen);
        differences.map(|difference| difference.estimate.p_value).chain([self.passed.p_value]).collect()
    }

    fn tests(&self) -> usize {
        self.p_values().len()
    }
}

impl Verdict {
    fn of(is_better: bool) -> Self {
        if is_better { Verdict::Better } else { Verdict::Worse }
    }
}

impl Standing {
    fn of(differences: &[Difference]) -> Self {
        let any = |verdict| differences.iter().any(|difference| difference.verdict == verdict);
        match (any(Verdict::Better), any(Verdict::Worse)) {
            (true, true) => Standing::Mixed,
            (true, false) => Standing::Better,
            (false, true) => Standing::Worse,
            (false, false) if any(Verdict::NotShown) => Standing::NotShown,
            (false, false) => Standing::Equal,
        }
    }
}

fn paired(own: &[Vec<f64>], reference: &[Vec<f64>]) -> Vec<Vec<f64>> {
    own.iter().zip(reference).map(|(own, reference)| differ(own, reference)).collect()
}

fn differ(own: &[f64], reference: &[f64]) -> Vec<f64> {
    own.iter().zip(reference).map(|(own, reference)| own - reference).collect()
}

fn as_numbers(passed: &[bool]) -> Vec<f64> {
    passed.iter().map(|passed| f64::from(u8::from(*passed))).collect()
}

fn mean(column: &[f64]) -> f64 {
    if column.is_empty() { 0.0 } else { column.iter().sum::<f64>() / real(column.len() as u64) }
}

/// Numbers as people write them.
fn clean(estimate: Estimate) -> Estimate {
    Estimate {
        mean: undusted(estimate.mean),
        low: undusted(estimate.low),
        high: undusted(estimate.high),
        ..estimate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(documents: usize) -> Judge {
        Judge {
            goals: vec![Goal::Maximize, Goal::Minimize],
            bootstrap: Bootstrap { samples: 2_000, confidence: 0.95, seed: 1 },
            clusters: [Clusters::by(0..documents), Clusters::by(0..documents)],
        }
    }

    fn policy(quality: Vec<f64>, cost: Vec<f64>) -> ShownOutcomes {
        let passed = quality.iter().map(|quality| *quality > 0.9).collect();
        let outcomes = Outcomes { objectives: vec![quality, cost], passed, means: [0.0; Measure::ALL.len()] };
        ShownOutcomes {
            profile: "p".into(),
            settings: serde_json::Map::new(),
            outcomes: [outcomes.clone(), outcomes],
        }
    }

    /// Forty documents: quality 0.5 for all; the numbers are added to the first ones.
    fn with(gains: &[f64], cost: f64) -> ShownOutcomes {
        let quality = (0..40).map(|at| 0.5 + gains.get(at).copied().unwrap_or_default());
        policy(quality.collect(), vec![cost; 40])
    }

    #[test]
    fn verdicts_say_what_the_documents_show() {
        let reference = with(&[], 1.0);
        let shown = [
            with(&[0.5; 30], 1.0),
            with(&[0.5; 30], 2.0),
            with(&[-0.2; 30], 1.0),
            with(&[0.5, -0.3], 1.0),
            with(&[], 1.0),
        ];
        let found = judge(40).compare(&reference, &shown);
        let standings: Vec<Standing> = found.iter().map(|comparison| comparison.standing).collect();
        let expected =
            [Standing::Better, Standing::Mixed, Standing::Worse, Standing::NotShown, Standing::Equal];
        assert_eq!(standings, expected);
        // A tie says how many documents it would take, and what is shown does not.
        assert!(found[3].objectives[0].documents_needed.unwrap() > 40);
        assert_eq!(found[0].objectives[0].documents_needed, None);
        assert_eq!((found[0].passed.policy_only, found[0].passed.verdict), (30, Verdict::Better));
        // The second one is as good as the chosen one in the first objective.
        assert_eq!(found[1].against_chosen.unwrap().verdict, Verdict::Equal);
        assert_eq!(found[0].against_chosen, None);
    }

    /// Three of three documents passed by one policy alone: p = 0.25, whatever else is shown.
    #[test]
    fn few_documents_show_nothing() {
        let reference = with(&[], 1.0);
        let found = judge(40).compare(&reference, &[with(&[0.5; 3], 1.0)]);
        assert!((found[0].passed.p_value - 0.25).abs() < 1e-12);
        assert_eq!(found[0].passed.verdict, Verdict::NotShown);
    }

    #[test]
    fn the_more_is_shown_the_more_must_be_seen() {
        let reference = with(&[], 1.0);
        // Seven to nothing: p = 0.0156, which one test of three takes for a difference only by itself.
        let alone = judge(40).compare(&reference, &[with(&[0.5; 7], 1.0)]);
        assert_eq!(alone[0].passed.verdict, Verdict::Better);
        let many = vec![with(&[0.5; 7], 1.0); 9];
        let among_many = judge(40).compare(&reference, &many);
        assert_eq!(among_many[0].passed.verdict, Verdict::NotShown);
        assert_eq!(alone[0].passed.p_value, among_many[0].passed.p_value);
    }
}
