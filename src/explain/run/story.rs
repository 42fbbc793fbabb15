//! The story of one document's loop: everything that is told, as data. Its JSON is what `explain --format json` prints.

use super::record::{RunFacts, Trouble};
use crate::explain::json_diff::Change;
use crate::policy::{FinalStatus, StopReason};
use crate::result::FeedbackSent;
use crate::score::Issue;
use crate::value::{Disposition, Severity, Usage};
use serde::Serialize;
use std::sync::Arc;

/// What happened to one document, and why.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Story {
    /// The document's id.
    pub document: String,
    /// Its type.
    pub document_type: String,
    /// The profile that decided.
    pub profile: String,
    /// The run in the journal, where the story was read there.
    pub run: Option<RunFacts>,
    /// How it ended; `None` for a run that was interrupted.
    pub ended: Option<Ended>,
    /// Every candidate, and the one that never came if a call for it failed.
    pub candidates: Vec<CandidateStory>,
    /// Why it stopped.
    pub why_stopped: Vec<String>,
    /// Why the chosen candidate is the chosen one.
    pub chosen: Option<Chosen>,
    /// Whether it needs review; `None` where that was not recorded.
    pub review: Option<bool>,
    /// Why, or why not.
    pub why_review: Vec<String>,
    /// What a person must decide, issue by issue.
    pub message: Option<String>,
    /// What else was warned of.
    pub warnings: Vec<String>,
    /// What to do, in one line.
    pub next: String,
    /// What the record lacks.
    pub gaps: Vec<String>,
}

/// How a run ended.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Ended {
    /// How.
    pub final_status: FinalStatus,
    /// Why, in one word.
    pub stop_reason: StopReason,
    /// How many candidates were assessed.
    pub candidates: usize,
    /// What it used up.
    pub usage: Usage,
    /// How long it took, in milliseconds.
    pub elapsed_ms: u64,
}

/// One candidate.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct CandidateStory {
    /// Its iteration, from 0.
    pub iteration: usize,
    /// The candidate that it was corrected from.
    pub base: Option<usize>,
    /// How it came to be, in words.
    pub origin: String,
    /// Calls that gave nothing.
    pub troubles: Vec<Trouble>,
    /// What was repaired in the answer, in words.
    pub repairs: Vec<String>,
    /// What providers said about their answers.
    pub notes: Vec<String>,
    /// What was fed back to get it.
    pub feedback: Vec<FeedbackSent>,
    /// What changed against its base, as a list of changes by path; `None` where one of the two is not recorded.
    pub changes: Option<Vec<Change>>,
    /// Its dimensions.
    pub dimensions: Vec<DimensionStory>,
    /// Its overall score; `None` for one that was not assessed.
    pub overall: Option<f64>,
    /// What is wrong with it; `None` where that is not recorded.
    pub issues: Vec<IssueStory>,
    /// Whether its issues are known.
    pub issues_known: bool,
    /// Points that were lost without an issue.
    pub other_losses: Vec<OtherLoss>,
    /// Issues of its base that it no longer has.
    pub solved: Vec<Issue>,
    /// The gate, if it was looked at: in words.
    pub gate: Option<Acceptance>,
    /// The lines of `accept`.
    pub acceptance: Vec<Acceptance>,
    /// Whether it was rolled back.
    pub rolled_back: bool,
    /// What was decided, in words.
    pub decision: Vec<String>,
}

/// A dimension of a candidate.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct DimensionStory {
    /// Its name.
    pub dimension: Arc<str>,
    /// Its score; `None` where it could not be measured, which counts 0.
    pub score: Option<f64>,
    /// What it counts in the overall score; `None` where that is not recorded.
    pub weight: Option<f64>,
    /// What it gives to the overall score.
    pub share: Option<f64>,
    /// What is lost of it in the overall score.
    pub lost: Option<f64>,
    /// How it was measured, in words.
    pub how: String,
}

/// How an issue relates to those of the base.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum IssueChange {
    /// The candidate is the first, or the issues of its base are not known.
    Only,
    /// The base had it, too.
    Remains,
    /// The base did not have it.
    New,
}

/// An issue and what it costs.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct IssueStory {
    /// What kind.
    pub code: String,
    /// How bad.
    pub severity: Severity,
    /// Who handles it.
    pub disposition: Disposition,
    /// Where, as a JSON Pointer.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// The rule that found it.
    pub rule: Option<Arc<str>>,
    /// Whether the base had it.
    pub standing: IssueChange,
    /// What it costs, by dimension; empty when it costs nothing or that is not recorded.
    pub costs: Vec<Cost>,
}

impl IssueStory {
    /// What it costs in the overall score.
    #[must_use]
    pub(crate) fn overall_lost(&self) -> f64 {
        self.costs.iter().filter_map(|cost| cost.overall).sum()
    }
}

/// Points that are lost.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Cost {
    /// In which dimension.
    pub dimension: Arc<str>,
    /// How many.
    pub points: f64,
    /// What that is in the overall score; `None` where the weights are not recorded.
    pub overall: Option<f64>,
    /// What it would cost besides, if the dimension could be lower.
    pub capped: f64,
}

/// Points that are lost without an issue.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct OtherLoss {
    /// What costs them.
    pub why: String,
    /// The points.
    pub cost: Cost,
}

/// A bound and whether it was reached.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Acceptance {
    /// The line of the profile.
    pub line: String,
    /// Whether it holds.
    pub holds: bool,
    /// What there is.
    pub value: f64,
    /// What is asked for.
    pub bound: f64,
    /// The same in words.
    pub words: String,
}

/// Why the chosen candidate is the chosen one.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Chosen {
    /// Its iteration.
    pub iteration: usize,
    /// The keys, compared from left to right.
    pub order: Vec<String>,
    /// Every candidate with its value for each key; more is better, and counts are negative.
    pub candidates: Vec<Ranked>,
    /// Why, in sentences without a capital and a full stop.
    pub why: Vec<String>,
}

/// A candidate with its value for each key.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Ranked {
    /// Its iteration.
    pub iteration: usize,
    /// The values; `None` where they are not recorded.
    pub values: Vec<Option<f64>>,
}
