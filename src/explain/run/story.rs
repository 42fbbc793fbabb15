//! The story of one document's loop: everything that is told, as data. Its JSON is what `explain --format json` prints.

use super::choice::chosen;
use super::losses::{costs, dimensions, other_losses};
use super::next_step::{what_next, why_stopped};
use super::record::{Candidate, Record, RunFacts, Trouble};
use super::verdict::{acceptance, decision, gate, why_review};
use crate::explain::json_diff::{Change, diff};
use crate::policy::{FinalStatus, StopReason};
use crate::repair::{Operation, RepairStep};
use crate::result::FeedbackSent;
use crate::score::Issue;
use crate::value::{Disposition, Severity, Usage};
use serde::Serialize;
use std::sync::Arc;

/// What happened to one document, and why.
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
pub struct Ended {
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
pub struct CandidateStory {
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
pub struct DimensionStory {
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
    pub fn overall_lost(&self) -> f64 {
        self.costs.iter().filter_map(|cost| cost.overall).sum()
    }
}

/// Points that are lost.
#[derive(Debug, Clone, Serialize)]
pub struct Cost {
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
pub struct OtherLoss {
    /// What costs them.
    pub why: String,
    /// The points.
    pub cost: Cost,
}

/// A bound and whether it was reached.
#[derive(Debug, Clone, Serialize)]
pub struct Acceptance {
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
pub struct Chosen {
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
pub struct Ranked {
    /// Its iteration.
    pub iteration: usize,
    /// The values; `None` where they are not recorded.
    pub values: Vec<Option<f64>>,
}

impl Story {
    /// The story that a record tells.
    #[must_use]
    pub fn of(record: &Record) -> Self {
        let candidates: Vec<CandidateStory> =
            (0..record.candidates.len()).filter_map(|at| candidate_story(record, at)).collect();
        let ended = record.outcome.as_ref().map(|outcome| Ended {
            final_status: outcome.final_status,
            stop_reason: outcome.stop_reason.clone(),
            candidates: outcome.iteration_count,
            usage: outcome.usage,
            elapsed_ms: outcome.elapsed_ms.0,
        });
        Story {
            document: record.document.clone(),
            document_type: record.document_type.clone(),
            profile: record.profile.clone(),
            run: record.run.clone(),
            ended,
            why_stopped: why_stopped(record),
            chosen: chosen(record),
            review: record.review,
            why_review: why_review(record),
            message: record.message.clone(),
            warnings: record.warnings.clone(),
            next: what_next(record, record.outcome.as_ref(), &candidates),
            gaps: record.gaps.clone(),
            candidates,
        }
    }
}

fn candidate_story(record: &Record, at: usize) -> Option<CandidateStory> {
    let candidate = record.candidates.get(at)?;
    let base = candidate.base.and_then(|base| record.candidates.get(base));
    let terms = record.terms.as_ref();
    let changes = base.and_then(|base| Some(diff(base.value.as_ref()?, candidate.value.as_ref()?)));
    let known = base.and_then(|base| base.assessment.as_ref());
    let own = candidate.assessment.as_ref();
    let issues = own.map_or_else(Vec::new, |assessment| {
        let story = |(place, issue): (usize, &Issue)| {
            let standing = match known {
                None => IssueChange::Only,
                Some(known) if known.issues.iter().any(|other| alike(other, issue)) => IssueChange::Remains,
                Some(_) => IssueChange::New,
            };
            issue_story(issue, standing, costs(candidate.account.as_ref(), place, terms))
        };
        let mut issues: Vec<IssueStory> = assessment.issues.iter().enumerate().map(story).collect();
        let lost = |issue: &IssueStory| issue.costs.iter().map(|cost| cost.points).sum::<f64>();
        issues.sort_by(|a, b| {
            b.overall_lost()
                .total_cmp(&a.overall_lost())
                .then(lost(b).total_cmp(&lost(a)))
                .then(b.severity.cmp(&a.severity))
        });
        issues
    });
    let solved = match (known, own) {
        (Some(known), Some(own)) => {
            known.issues.iter().filter(|old| !own.issues.iter().any(|new| alike(old, new))).cloned().collect()
        }
        _ => Vec::new(),
    };
    Some(CandidateStory {
        iteration: at,
        base: candidate.base,
        origin: origin(candidate, at),
        troubles: candidate.troubles.clone(),
        repairs: candidate.repairs.iter().map(repair).collect(),
        notes: candidate.notes.clone(),
        feedback: candidate.feedback.clone(),
        changes,
        dimensions: dimensions(candidate, terms),
        overall: candidate.overall,
        issues,
        issues_known: own.is_some(),
        other_losses: other_losses(candidate.account.as_ref(), terms),
        solved,
        gate: gate(candidate, terms),
        acceptance: acceptance(candidate),
        rolled_back: candidate.rolled_back,
        decision: decision(record, candidate, at),
    })
}

/// Whether two issues of different candidates are the same one.
fn alike(a: &Issue, b: &Issue) -> bool {
    a.code == b.code && a.path == b.path && a.rule == b.rule
}

fn issue_story(issue: &Issue, standing: IssueChange, costs: Vec<Cost>) -> IssueStory {
    IssueStory {
        code: issue.code.clone(),
        severity: issue.severity,
        disposition: issue.disposition,
        path: issue.path.clone(),
        message: issue.message.clone(),
        rule: issue.rule.clone(),
        standing,
        costs,
    }
}

fn origin(candidate: &Candidate, at: usize) -> String {
    let came = candidate.value.is_some() || candidate.overall.is_some();
    match (candidate.base, at) {
        (_, 0) if candidate.supplied => "supplied".to_owned(),
        (_, 0) if came => "generated".to_owned(),
        (_, 0) => "never came".to_owned(),
        (Some(base), _) if came => format!("corrected from candidate {base}"),
        (Some(base), _) => format!("a correction of candidate {base} that never came"),
        (None, _) => "a correction".to_owned(),
    }
}

fn repair(step: &RepairStep) -> String {
    let path = step.patch.first().map(|operation| match operation {
        Operation::Add { path, .. } | Operation::Remove { path } | Operation::Replace { path, .. } => path,
    });
    let times = if step.times > 1 { format!(" ({} times)", step.times) } else { String::new() };
    match path.filter(|path| !path.is_empty()) {
        Some(path) => format!("{} at `{path}`{times}", step.reason),
        None => format!("{}{times}", step.reason),
    }
}
