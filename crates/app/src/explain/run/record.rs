//! The record of one document's loop, regardless of its source.

use crate::engine::{MOST_ITERATIONS, Outcome};
use crate::plan::Terms;
use crate::policy::{Decision, StopReason};
use crate::repair::RepairStep;
use crate::result::{Explained, FeedbackSent};
use crate::score::{Assessment, ScoreBreakdown, Scores};
use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;

/// The record of one document's loop.
#[derive(Debug, Clone, Default)]
pub struct Record {
    /// The document's id.
    pub document: String,
    /// Its type.
    pub document_type: String,
    /// The profile that decided.
    pub profile: String,
    /// The run in the journal, where it was read there.
    pub run: Option<RunFacts>,
    /// The terms of the decisions.
    pub terms: Option<Terms>,
    /// Its outcome; `None` for a run that was interrupted.
    pub outcome: Option<Outcome>,
    /// Every candidate, and the one that never came if a call for it failed.
    pub candidates: Vec<Candidate>,
    /// `true` if it needs review.
    pub review: Option<bool>,
    /// The message to the person who must decide.
    pub message: Option<String>,
    /// The warnings that were shown to the user who ran it.
    pub warnings: Vec<String>,
    /// The gaps of the record, in sentences.
    pub gaps: Vec<String>,
}

/// The run that a document belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunFacts {
    /// Its id in the journal.
    pub id: String,
    /// The time at which it began, as RFC 3339.
    pub started_at: String,
    /// The loopctl that ran it.
    pub loopctl_version: String,
}

/// The record of one candidate.
#[derive(Debug, Clone, Default)]
pub struct Candidate {
    /// The iteration that it was corrected from; `None` for candidate 0 and where it is not recorded.
    pub base: Option<usize>,
    /// `true` if it was supplied instead of generated.
    pub supplied: bool,
    /// The candidate itself.
    pub value: Option<Arc<Value>>,
    /// The assessment that was decided on.
    pub assessment: Option<Assessment>,
    /// Its dimensions, which are known even where the assessment is not.
    pub scores: Option<Scores>,
    /// Its overall score.
    pub overall: Option<f64>,
    /// The number of its critical issues, where its issues are not known.
    pub critical: Option<u64>,
    /// `true` if it was rolled back.
    pub rolled_back: bool,
    /// The breakdown of its score.
    pub account: Option<ScoreBreakdown>,
    /// The decision about it.
    pub decision: Option<Arc<Decision>>,
    /// The feedback that led to it.
    pub feedback: Vec<FeedbackSent>,
    /// The repairs of the answers that made it.
    pub repairs: Vec<RepairStep>,
    /// Calls that failed on the way.
    pub troubles: Vec<Trouble>,
    /// The notes of providers about their answers.
    pub notes: Vec<String>,
}

/// A call that gave nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Trouble {
    /// The callee, for people: ``stage `extract` ``, ``judge `tone` ``.
    pub who: String,
    /// The error.
    pub message: String,
    /// The time until which the run waited before it tried again, in milliseconds from its start; `None` if it did not.
    pub tried_again_at_ms: Option<u64>,
}

impl Record {
    /// The candidate of an iteration, made if it does not exist.
    pub(super) fn at(&mut self, iteration: usize) -> Option<&mut Candidate> {
        // More than a profile may allow is a damaged record, not a reason to fill the memory.
        if iteration > MOST_ITERATIONS {
            return None;
        }
        if self.candidates.len() <= iteration {
            self.candidates.resize_with(iteration + 1, Candidate::default);
        }
        self.candidates.get_mut(iteration)
    }

    /// Notes what an older loopctl did not record.
    pub(super) fn note_gaps(&mut self) {
        let assessed: Vec<&Candidate> = self.candidates.iter().filter(|one| one.overall.is_some()).collect();
        let accounts = assessed.iter().all(|one| one.account.is_some());
        let feedback = self.candidates.iter().skip(1).all(|one| !one.feedback.is_empty());
        let decisions = assessed.iter().all(|one| one.decision.is_some());
        if self.terms.is_none() {
            self.lacks("the weights of the dimensions and the order of selection were not recorded");
        }
        if !accounts {
            self.lacks("what each issue costs was not recorded");
        }
        if !decisions
            && self.outcome.as_ref().is_some_and(|outcome| outcome.stop_reason != StopReason::Cancelled)
        {
            self.lacks("the numbers of some decisions were not recorded");
        }
        if !feedback {
            self.lacks("what was fed back was not recorded");
        }
    }

    /// Takes the explanation of each candidate.
    pub(super) fn take_explained(&mut self, iterations: Vec<Explained>) {
        for (at, explained) in iterations.into_iter().enumerate() {
            if let Some(candidate) = self.at(at) {
                candidate.base = explained.base;
                candidate.supplied = explained.supplied;
                candidate.feedback = explained.feedback;
                candidate.account = explained.account;
                candidate.decision = explained.decision;
            }
        }
    }

    /// Adds a sentence about what is lacking, once.
    pub(super) fn lacks(&mut self, what: &str) {
        if !self.gaps.iter().any(|known| known == what) {
            self.gaps.push(what.to_owned());
        }
    }
}

impl Candidate {
    /// Takes an assessment.
    pub(super) fn assessed(&mut self, assessment: Assessment) {
        self.scores = Some(assessment.scores.clone());
        self.overall = Some(assessment.overall);
        self.assessment = Some(assessment);
    }
}
