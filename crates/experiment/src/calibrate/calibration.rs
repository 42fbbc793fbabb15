//! The profile's grid tested on a sample: which threshold is certified, for which documents.

use super::Agreement;
use super::betting::{Against, Wealth, any_time_bound};
use super::distribution::{most_wrong, real, upper_bound};
use super::feasibility::Feasibility;
use super::sample::{LeftOut, Reviewed, Sample, ScoredDocument};
use super::sequence::{Counts, Evidence, Promise, Verdict, certified};
use crate::profile::{Among, Certify, Looks, Per, Share};
use crate::value::{Score, at_least};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The documents that the promise is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// All from the source of the reviewed ones.
    DocumentsLikeThese,
    /// Those of one run, and no others.
    ThisRun,
}

/// The outcome of testing a profile's grid on a sample.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// The largest share of the accepted documents that may be wrong.
    pub wrong_documents: Share,
    /// The confidence of all statements together.
    pub confidence: Share,
    /// The score that was compared with the thresholds.
    pub score: String,
    /// The documents that may count as accepted.
    pub among: Among,
    /// The looks at labels that are allowed: once, or at any time.
    pub looks: Looks,
    /// The documents that the promise is about.
    pub scope: Scope,
    /// The thresholds that were tried, the strictest first.
    pub grid: Vec<f64>,
    /// Reviewed documents that count.
    pub reviewed: u64,
    /// Reviewed documents that do not count.
    pub left_out: LeftOut,
    /// The number of clusters that they come from, if labels name any: each counts once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clusters: Option<u64>,
    /// Documents on which reviewers disagree; they count as wrong.
    pub disputed: u64,
    /// The agreement of reviewers, if two inspected the same documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agreement: Option<Agreement>,
    /// SHA-256 of the reviewed documents with their scores and labels.
    pub sample_digest: String,
    /// For each document type, or for all together.
    pub groups: Vec<Group>,
}

/// The documents that one statement is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// Their type; `None` for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document_type: Option<String>,
    /// Its part of the error probability.
    pub delta: f64,
    /// Reviewed documents.
    pub reviewed: u64,
    /// The number of these that are wrong, accepted or not.
    pub wrong: u64,
    /// The outcome at each threshold.
    pub thresholds: Vec<TestedThreshold>,
    /// The most lenient threshold that is certified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certified: Option<CertifiedThreshold>,
    /// The feasibility: what can be certified at all, and what it takes.
    pub feasibility: Feasibility,
}

/// One threshold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TestedThreshold {
    /// The least score.
    pub threshold: f64,
    /// Reviewed documents that reach it.
    pub accepted: u64,
    /// The number of these that are wrong.
    pub wrong: u64,
    /// Documents of the run that reach it, where the promise is about that run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted_in_run: Option<u64>,
    /// The largest share of wrong documents that this does not contradict, at this threshold alone; with
    /// `looks: any_time`, however often reviews are inspected.
    pub upper_bound: f64,
    /// The evidence for it.
    #[serde(flatten)]
    pub evidence: Evidence,
    /// The outcome of its test.
    pub verdict: Verdict,
}

/// A threshold that is certified.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CertifiedThreshold {
    /// The least score.
    pub threshold: f64,
    /// Reviewed documents that reach it.
    pub accepted: u64,
    /// The number of these that are wrong.
    pub wrong: u64,
    /// The share of reviewed documents that reach it.
    pub coverage: f64,
}

/// Tests the grid of `settings` on `sample`. With `run`, the promise is about the documents of that run alone, from
/// which `sample` must be drawn at random.
#[must_use]
pub fn calibrate(settings: &Certify, sample: &Sample, run: Option<&[ScoredDocument]>) -> Calibration {
    let types: Vec<Option<&str>> = match settings.per {
        Per::DocumentType => {
            let types: BTreeSet<Option<&str>> =
                sample.documents.iter().map(|document| document.document_type.as_deref()).collect();
            types.into_iter().collect()
        }
        _ => vec![None],
    };
    // One statement for each type: together they may err as often as one alone.
    let delta = settings.delta() / real(types.len().max(1) as u64);
    let promise = Promise { share: settings.wrong_documents.get(), delta };
    let groups = types
        .into_iter()
        .map(|of_type| {
            let belongs = |other: Option<&str>| settings.per == Per::All || other == of_type;
            let documents: Vec<&Reviewed> = sample
                .documents
                .iter()
                .filter(|document| belongs(document.document_type.as_deref()))
                .collect();
            let run: Option<Vec<Option<Score>>> = run.map(|documents| {
                let counted = documents.iter().filter(|document| !sample.not_counted.contains(&document.id));
                counted
                    .filter(|document| belongs(Some(&document.document_type)))
                    .map(|document| document.score)
                    .collect()
            });
            group(settings, promise, of_type.map(str::to_owned), &documents, run.as_deref())
        })
        .collect();
    Calibration {
        wrong_documents: settings.wrong_documents,
        confidence: settings.confidence,
        score: settings.score.value.clone(),
        among: settings.among,
        looks: settings.looks,
        scope: if run.is_some() { Scope::ThisRun } else { Scope::DocumentsLikeThese },
        grid: settings.grid.thresholds().to_vec(),
        reviewed: sample.documents.len() as u64,
        left_out: sample.left_out,
        clusters: sample.clusters,
        disputed: sample.disputed,
        agreement: sample.agreement,
        sample_digest: sample.digest(),
        groups,
    }
}

/// Returns whether a document with this score is accepted at a threshold.
pub(super) fn reaches(score: Option<Score>, threshold: f64) -> bool {
    score.is_some_and(|score| at_least(score.get(), threshold))
}

fn group(
    settings: &Certify,
    promise: Promise,
    document_type: Option<String>,
    documents: &[&Reviewed],
    run: Option<&[Option<Score>]>,
) -> Group {
    let reviewed = documents.len() as u64;
    let grid = settings.grid.thresholds();
    let counts: Vec<Counts> = grid
        .iter()
        .map(|threshold| {
            let accepted = || documents.iter().filter(|document| reaches(document.score, *threshold));
            Counts {
                accepted: accepted().count() as u64,
                wrong: accepted().filter(|document| document.wrong).count() as u64,
                batch: run.map(|run| run.iter().filter(|score| reaches(**score, *threshold)).count() as u64),
            }
        })
        .collect();
    // A batch is complete: no documents are added to it.
    let looks = if run.is_some() { Looks::Once } else { settings.looks };
    let outcomes = |threshold: f64| -> Vec<bool> {
        let accepted = documents.iter().filter(|document| reaches(document.score, threshold));
        accepted.map(|document| document.wrong).collect()
    };
    let tested = match looks {
        Looks::AnyTime => {
            let wealth = |threshold: &f64| {
                let mut wealth = Wealth::new(Against::More, promise.share);
                outcomes(*threshold).into_iter().for_each(|wrong| wealth.add(wrong));
                wealth.highest()
            };
            promise.test_any_time(&grid.iter().map(wealth).collect::<Vec<_>>())
        }
        _ => promise.test_once(&counts, reviewed),
    };
    let found = certified(&tested);
    let wrong = documents.iter().filter(|document| document.wrong).count() as u64;
    let feasibility = Feasibility::of(promise, looks, (reviewed, wrong), grid, &counts, &tested);
    let thresholds: Vec<TestedThreshold> = grid
        .iter()
        .zip(counts.iter().zip(tested))
        .map(|(threshold, (counts, (evidence, verdict)))| TestedThreshold {
            threshold: *threshold,
            accepted: counts.accepted,
            wrong: counts.wrong,
            accepted_in_run: counts.batch,
            upper_bound: match looks {
                Looks::AnyTime => any_time_bound(&outcomes(*threshold), promise.delta),
                _ => bound(counts, promise.delta),
            },
            evidence,
            verdict,
        })
        .collect();
    let certified = found.and_then(|place| thresholds.get(place)).map(|found| CertifiedThreshold {
        threshold: found.threshold,
        accepted: found.accepted,
        wrong: found.wrong,
        coverage: real(found.accepted) / real(reviewed.max(1)),
    });
    Group { document_type, delta: promise.delta, reviewed, wrong, thresholds, certified, feasibility }
}

fn bound(counts: &Counts, delta: f64) -> f64 {
    match counts.batch {
        None => upper_bound(counts.wrong, counts.accepted, delta),
        Some(0) => 0.0,
        Some(batch) => real(most_wrong(counts.wrong, counts.accepted, batch, delta)) / real(batch),
    }
}

impl Calibration {
    /// The statement of each group for which a threshold is certified.
    pub fn statements(&self) -> impl Iterator<Item = String> {
        self.groups.iter().filter_map(|group| self.statement(group))
    }

    /// The certified statement about a group, as a sentence; `None` if nothing is certified.
    #[must_use]
    pub fn statement(&self, group: &Group) -> Option<String> {
        let found = group.certified?;
        let of_type = match &group.document_type {
            Some(name) => format!(" of the type `{name}`"),
            None => String::new(),
        };
        let documents = match self.scope {
            Scope::DocumentsLikeThese => format!("Of documents{of_type}"),
            Scope::ThisRun => format!("Of the documents{of_type} of this run"),
        };
        Some(format!(
            "{documents} accepted by `{}`, at most {} hold a wrong value, with {} confidence (n = {}, wrong = {})",
            self.condition(found.threshold),
            self.wrong_documents,
            self.confidence,
            found.accepted,
            found.wrong
        ))
    }

    /// The condition on which a document is accepted at a threshold, such as `passed and overall ≥ 0.95`.
    pub fn condition(&self, threshold: f64) -> String {
        let passed = if self.among == Among::Passed { "passed and " } else { "" };
        format!("{passed}{} ≥ {}", self.score, Threshold(threshold))
    }

    /// Returns whether any group has a certified threshold.
    #[must_use]
    pub fn certifies(&self) -> bool {
        self.groups.iter().any(|group| group.certified.is_some())
    }

    /// The group that a document of this type belongs to.
    #[must_use]
    pub fn group_of(&self, document_type: Option<&str>) -> Option<&Group> {
        let named =
            |group: &&Group| group.document_type.is_some() && group.document_type.as_deref() == document_type;
        let all = |group: &&Group| group.document_type.is_none();
        self.groups.iter().find(named).or_else(|| self.groups.iter().find(all))
    }

    /// Returns whether a document is accepted at the threshold that is certified for its type.
    #[must_use]
    pub fn covers(&self, document_type: Option<&str>, score: Option<Score>) -> bool {
        let certified = self.group_of(document_type).and_then(|group| group.certified);
        certified.is_some_and(|found| reaches(score, found.threshold))
    }
}

/// A threshold with two decimals at least.
pub struct Threshold(pub f64);

impl std::fmt::Display for Threshold {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let short = format!("{:.2}", self.0);
        if short.parse() == Ok(self.0) { f.write_str(&short) } else { write!(f, "{}", self.0) }
    }
}
