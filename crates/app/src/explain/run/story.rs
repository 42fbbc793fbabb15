//! The story of one document's loop: everything that is reported, as data. Its JSON is that of `explain --format json`.

use super::record::{RunFacts, Trouble};
use crate::explain::json_diff::Change;
use crate::policy::{FinalStatus, StopReason};
use crate::result::FeedbackSent;
use crate::score::Issue;
use crate::value::{Disposition, PagePassage, Severity, Usage};
use serde::Serialize;
use std::sync::Arc;

/// The course of one document, and the reasons.
#[derive(Debug, Clone, Serialize)]
pub struct Story {
    /// The document's id.
    pub document: String,
    /// Its type.
    pub document_type: String,
    /// The profile that decided.
    pub profile: String,
    /// The run in the journal, where the story was read there.
    pub run: Option<RunFacts>,
    /// Its end; `None` for a run that was interrupted.
    pub ended: Option<Ended>,
    /// Every candidate, and the one that never came if a call for it failed.
    pub candidates: Vec<CandidateStory>,
    /// The reasons why it stopped.
    pub why_stopped: Vec<String>,
    /// The reason why the chosen candidate is the chosen one.
    pub chosen: Option<Chosen>,
    /// `true` if it needs review; `None` where that was not recorded.
    pub review: Option<bool>,
    /// The reasons why it does, or does not.
    pub why_review: Vec<String>,
    /// The message to the person who must decide, issue by issue.
    pub message: Option<String>,
    /// The other warnings.
    pub warnings: Vec<String>,
    /// The next step, in one line.
    pub next: String,
    /// The gaps of the record.
    pub gaps: Vec<String>,
}

/// The end of a run.
#[derive(Debug, Clone, Serialize)]
pub struct Ended {
    /// The final status.
    pub final_status: FinalStatus,
    /// The reason, in one word.
    pub stop_reason: StopReason,
    /// The number of assessed candidates.
    pub candidates: usize,
    /// The usage.
    pub usage: Usage,
    /// The time that it took, in milliseconds.
    pub elapsed_ms: u64,
}

/// One candidate.
#[derive(Debug, Clone, Serialize)]
pub struct CandidateStory {
    /// Its iteration, from 0.
    pub iteration: usize,
    /// The candidate that it was corrected from.
    pub base: Option<usize>,
    /// The way in which it came to be, in words.
    pub origin: String,
    /// Calls that gave nothing.
    pub troubles: Vec<Trouble>,
    /// The repairs of the answer, in words.
    pub repairs: Vec<String>,
    /// The notes of providers about their answers.
    pub notes: Vec<String>,
    /// The feedback that led to it.
    pub feedback: Vec<FeedbackSent>,
    /// The changes against its base, by path; `None` where one of the two is not recorded.
    pub changes: Option<Vec<Change>>,
    /// Its dimensions.
    pub dimensions: Vec<DimensionStory>,
    /// Its overall score; `None` for one that was not assessed.
    pub overall: Option<f64>,
    /// Its issues; empty where they are not recorded.
    pub issues: Vec<IssueStory>,
    /// `true` if its issues are known.
    pub issues_known: bool,
    /// Points that were lost without an issue.
    pub other_losses: Vec<OtherLoss>,
    /// Issues of its base that it no longer has.
    pub solved: Vec<Issue>,
    /// The gate, if it was checked: in words.
    pub gate: Option<Acceptance>,
    /// The lines of `accept`.
    pub acceptance: Vec<Acceptance>,
    /// `true` if it was rolled back.
    pub rolled_back: bool,
    /// The decision, in words.
    pub decision: Vec<String>,
}

/// A dimension of a candidate.
#[derive(Debug, Clone, Serialize)]
pub struct DimensionStory {
    /// Its name.
    pub dimension: Arc<str>,
    /// Its score; `None` where it could not be measured, which counts 0.
    pub score: Option<f64>,
    /// Its weight in the overall score; `None` where that is not recorded.
    pub weight: Option<f64>,
    /// Its contribution to the overall score.
    pub share: Option<f64>,
    /// Its loss in the overall score.
    pub lost: Option<f64>,
    /// The way in which it was measured, in words.
    pub how: String,
}

/// The relation of an issue to those of the base.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum IssueChange {
    /// The candidate is the first, or the issues of its base are not known.
    Only,
    /// The base had it, too.
    Remains,
    /// The base did not have it.
    New,
}

/// An issue and what it costs.
#[derive(Debug, Clone, Serialize)]
pub struct IssueStory {
    /// The code of its kind.
    pub code: String,
    /// The severity.
    pub severity: Severity,
    /// The disposition: who handles it.
    pub disposition: Disposition,
    /// The location, as a JSON Pointer.
    pub path: String,
    /// The error.
    pub message: String,
    /// The rule that found it.
    pub rule: Option<Arc<str>>,
    /// The places on the pages of the document that it is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<PagePassage>,
    /// Its relation to the issues of the base.
    pub standing: IssueChange,
    /// Its costs, by dimension; empty when it costs nothing or that is not recorded.
    pub costs: Vec<Cost>,
}

impl IssueStory {
    /// The cost in the overall score.
    #[must_use]
    pub fn overall_lost(&self) -> f64 {
        self.costs.iter().filter_map(|cost| cost.overall).sum()
    }
}

/// Points that are lost.
#[derive(Debug, Clone, Serialize)]
pub struct Cost {
    /// The dimension.
    pub dimension: Arc<str>,
    /// The number of points.
    pub points: f64,
    /// The loss in the overall score; `None` where the weights are not recorded.
    pub overall: Option<f64>,
    /// The points that it would cost besides, if the dimension could be lower.
    pub capped: f64,
}

/// Points that are lost without an issue.
#[derive(Debug, Clone, Serialize)]
pub struct OtherLoss {
    /// The cause.
    pub why: String,
    /// The points.
    pub cost: Cost,
}

/// A bound and whether it was reached.
#[derive(Debug, Clone, Serialize)]
pub struct Acceptance {
    /// The line of the profile.
    pub line: String,
    /// `true` if it holds.
    pub holds: bool,
    /// The actual value.
    pub value: f64,
    /// The required value.
    pub bound: f64,
    /// The bound and the value in words.
    pub words: String,
}

/// The reason why the chosen candidate is the chosen one.
#[derive(Debug, Clone, Serialize)]
pub struct Chosen {
    /// Its iteration.
    pub iteration: usize,
    /// The keys, compared from left to right.
    pub order: Vec<String>,
    /// Every candidate with its value for each key; more is better, and counts are negative.
    pub candidates: Vec<Ranked>,
    /// The reasons, in sentences without a capital and a full stop.
    pub why: Vec<String>,
}

/// A candidate with its value for each key.
#[derive(Debug, Clone, Serialize)]
pub struct Ranked {
    /// Its iteration.
    pub iteration: usize,
    /// The values; `None` where they are not recorded.
    pub values: Vec<Option<f64>>,
}
