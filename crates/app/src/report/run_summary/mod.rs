//! The summary of a run over many documents: counted document by document, in bounded room, independent of the order in
//! which documents end and of the way in which partial counts are merged.
//!
//! - `bounded`: counts by key, `histogram`: distributions of scores, iterations and times, `fields`: the fields of
//!   extractions, `look_at`: the documents to inspect first;
//! - `written`: the summary as JSON;
//! - `report`: the summary for people, with its tables in `tables` and what these list in `ranked`.

mod bounded;
mod fields;
mod histogram;
mod look_at;
mod ranked;
mod report;
mod tables;
mod written;

pub use look_at::{LookAt, LookAtIssue, Why};
pub(super) use report::report;

use crate::experiment::statistics::{real, share};
use crate::policy::{FinalStatus, StopReason};
use crate::profile::{LoopPolicy, Target};
use crate::result::DocumentResult;
use crate::score::JUDGE_FAILED;
use crate::value::prose::cut;
use crate::value::{Disposition, Millis, Severity, Usage, Usd};
use bounded::{Bounded, Count};
use fields::Fields;
use histogram::{IterationHistogram, ScoreHistogram, TimeHistogram};
use look_at::{Glance, MOST_DOCUMENTS, has_conflicts};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use written::Written;

/// Most document types, codes of issues, endings and kinds of errors that are counted separately.
const MOST_TYPES: usize = 50;
const MOST_CODES: usize = 500;
const MOST_ENDINGS: usize = 100;
const MOST_ERRORS: usize = 50;
/// Longest names of them, in characters.
const LONGEST_TYPE: usize = 80;
const LONGEST_CODE: usize = 80;

/// The identity of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunFacts {
    /// Its id in the journal.
    pub id: String,
    /// The profile that decided.
    pub profile: String,
    /// The time at which it began (RFC 3339).
    pub started_at: Option<String>,
    /// The time at which it ended (RFC 3339).
    pub finished_at: Option<String>,
    /// The version of loopctl.
    pub loopctl_version: String,
    /// The lower bound of the overall score in `accept`, if there is one.
    pub accept_overall: Option<f64>,
}

impl RunFacts {
    /// A run of this version under a policy.
    #[must_use]
    pub fn new(id: impl Into<String>, profile: impl Into<String>, policy: &LoopPolicy) -> Self {
        RunFacts {
            id: id.into(),
            profile: profile.into(),
            loopctl_version: env!("CARGO_PKG_VERSION").to_owned(),
            accept_overall: policy.accept.bound(&Target::Overall).map(crate::value::Score::get),
            ..RunFacts::default()
        }
    }

    /// Adds the facts of another part of the same run: the time from the first beginning to the last end.
    fn merge(&mut self, other: Self) {
        fn fill(text: &mut String, other: String) {
            if text.is_empty() {
                *text = other;
            }
        }
        fill(&mut self.id, other.id);
        fill(&mut self.profile, other.profile);
        fill(&mut self.loopctl_version, other.loopctl_version);
        self.accept_overall = self.accept_overall.or(other.accept_overall);
        self.started_at = of_both(self.started_at.take(), other.started_at, |own, other| own <= other);
        self.finished_at = of_both(self.finished_at.take(), other.finished_at, |own, other| own >= other);
    }

    /// The time that it took.
    #[must_use]
    pub fn elapsed(&self) -> Option<Millis> {
        let (started, finished) =
            (moment(self.started_at.as_deref()?)?, moment(self.finished_at.as_deref()?)?);
        u64::try_from(finished.as_millisecond() - started.as_millisecond()).ok().map(Millis)
    }
}

fn moment(text: &str) -> Option<jiff::Timestamp> {
    text.parse().ok()
}

/// The wanted one of two moments; one that is invalid is ignored.
fn of_both(
    own: Option<String>,
    other: Option<String>,
    keeps_own: fn(jiff::Timestamp, jiff::Timestamp) -> bool,
) -> Option<String> {
    match (own.as_deref().and_then(moment), other.as_deref().and_then(moment)) {
        (Some(a), Some(b)) => {
            if keeps_own(a, b) {
                own
            } else {
                other
            }
        }
        (None, Some(_)) => other,
        (_, None) => own.or(other),
    }
}

/// The summary of a run over many documents. Its JSON form is described in `docs/operating.md`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct RunSummary {
    run: RunFacts,
    /// `true` if the messages of issues are kept of the documents to inspect.
    with_messages: bool,
    statuses: [u64; FinalStatus::ALL.len()],
    endings: Bounded<Ending, u64, MOST_ENDINGS>,
    without_result: u64,
    given_up: u64,
    waiting: u64,
    unreadable: u64,
    needs_review: u64,
    needs_review_passed: u64,
    with_critical: u64,
    with_conflicts: u64,
    spent: Spent,
    time: TimeHistogram,
    total_ms: u64,
    longest_ms: u64,
    iterations: IterationHistogram,
    types: Bounded<String, TypeSummary, MOST_TYPES>,
    issues: Bounded<IssueKey, IssueCount, MOST_CODES>,
    errors: Bounded<String, u64, MOST_ERRORS>,
    look_at: Vec<LookAt>,
}

/// The end of documents: the status by its position among all, and the reason.
type Ending = (usize, String);
/// The worst first.
type IssueKey = (Reverse<Severity>, String);

fn place_of(status: FinalStatus) -> usize {
    FinalStatus::ALL.iter().position(|known| *known == status).unwrap_or_default()
}

/// Issues of a code.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct IssueCount {
    documents: u64,
    count: u64,
}

impl Count for IssueCount {
    fn absorb(&mut self, other: Self) {
        self.documents.absorb(other.documents);
        self.count.absorb(other.count);
    }
}

/// Documents of a type.
#[derive(Debug, Clone, Default, PartialEq)]
struct TypeSummary {
    documents: u64,
    passed: u64,
    needs_review: u64,
    /// Those with an extraction.
    extracted: u64,
    scores: ScoreHistogram,
    /// The sum of overall scores, in millionths: whole numbers add up to the same in any order.
    overall_millionths: u64,
    fields: Fields,
}

impl TypeSummary {
    fn mean_overall(&self) -> Option<f64> {
        let scored: u64 = self.scores.0.iter().sum();
        (scored > 0).then(|| real(self.overall_millionths) / 1e6 / real(scored))
    }
}

impl Count for TypeSummary {
    fn absorb(&mut self, other: Self) {
        self.documents.absorb(other.documents);
        self.passed.absorb(other.passed);
        self.needs_review.absorb(other.needs_review);
        self.extracted.absorb(other.extracted);
        self.scores.absorb(other.scores);
        self.overall_millionths.absorb(other.overall_millionths);
        self.fields.merge(other.fields);
    }
}

/// The usage. Money is in billionths of a dollar: whole numbers add up to the same in any order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Spent {
    calls: u64,
    tokens: u64,
    billionths_usd: u64,
    calls_of_unknown_cost: u64,
    cached_calls: u64,
}

impl Spent {
    fn of(usage: Usage, cached_calls: u64) -> Self {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "not negative, and saturates"
        )]
        let billionths_usd = (usage.known_cost_usd.get() * 1e9).round() as u64;
        Spent {
            calls: usage.calls,
            tokens: usage.tokens,
            billionths_usd,
            calls_of_unknown_cost: usage.calls_of_unknown_cost,
            cached_calls,
        }
    }

    fn usage(self) -> Usage {
        let dollars = real(self.billionths_usd) / 1e9;
        Usage {
            calls: self.calls,
            tokens: self.tokens,
            known_cost_usd: Usd::new(dollars).unwrap_or_default(),
            calls_of_unknown_cost: self.calls_of_unknown_cost,
        }
    }

    fn absorb(&mut self, other: Self) {
        self.calls.absorb(other.calls);
        self.tokens.absorb(other.tokens);
        self.billionths_usd.absorb(other.billionths_usd);
        self.calls_of_unknown_cost.absorb(other.calls_of_unknown_cost);
        self.cached_calls.absorb(other.cached_calls);
    }
}

impl RunSummary {
    /// Of a run whose documents are yet to come.
    #[must_use]
    pub fn new(run: RunFacts) -> Self {
        RunSummary { run, ..RunSummary::default() }
    }

    /// Keeps the messages of issues of the documents to inspect, which may quote them. Call it before adding documents.
    #[must_use]
    pub fn with_messages(self) -> Self {
        RunSummary { with_messages: true, ..self }
    }

    /// The facts of the run.
    #[must_use]
    pub fn run(&self) -> &RunFacts {
        &self.run
    }

    /// Counts a document that has a result.
    pub fn add(&mut self, result: &DocumentResult) {
        let status = place_of(result.final_status);
        if let Some(documents) = self.statuses.get_mut(status) {
            documents.absorb(1);
        }
        let reason = cut(&result.stop_reason.to_string(), LONGEST_CODE);
        self.endings.of((status, reason)).absorb(1);
        let passes = result.final_status.passes();
        self.needs_review.absorb(u64::from(result.review));
        self.needs_review_passed.absorb(u64::from(result.review && passes));
        self.spent.absorb(Spent::of(result.usage, result.cached_calls as u64));
        self.time.add(result.elapsed_ms);
        self.total_ms.absorb(result.elapsed_ms.0);
        self.longest_ms = self.longest_ms.max(result.elapsed_ms.0);
        self.iterations.add(result.iteration_count);
        let of_type = self.types.of(cut(&result.document_type, LONGEST_TYPE));
        of_type.documents.absorb(1);
        of_type.passed.absorb(u64::from(passes));
        of_type.needs_review.absorb(u64::from(result.review));
        if result.best_extraction.is_some() {
            of_type.extracted.absorb(1);
            fields::count(&mut of_type.fields, result);
        }
        if let Some(validation) = &result.best_validation {
            of_type.scores.add(validation.overall);
            of_type.overall_millionths.absorb(u64::from(look_at::millionths(validation.overall)));
        }
        self.add_issues(result);
        match result.stop_reason {
            StopReason::ProviderError => self.add_error("provider_error"),
            StopReason::UnreadableInput => self.add_error("unreadable_input"),
            _ => {}
        }
        let critical =
            result.best_validation.as_ref().map_or(0, |v| v.count_severity(Severity::Critical)) as u64;
        let conflicts = has_conflicts(result);
        self.with_critical.absorb(u64::from(critical > 0));
        self.with_conflicts.absorb(u64::from(conflicts));
        if let Some(glance) = Glance::at(result, critical, conflicts)
            && !(self.look_at.len() >= MOST_DOCUMENTS
                && self.look_at.last().is_some_and(|last| glance.is_after(last)))
        {
            self.look_first(glance.look(self.with_messages));
        }
    }

    /// Counts the issues of the returned candidate.
    fn add_issues(&mut self, result: &DocumentResult) {
        let Some(validation) = &result.best_validation else { return };
        let mut counts: BTreeMap<(Reverse<Severity>, &str), u64> = BTreeMap::new();
        let mut lacks_judge = false;
        for issue in &validation.issues {
            *counts.entry((Reverse(issue.severity), &issue.code)).or_default() += 1;
            lacks_judge |= &*issue.code == JUDGE_FAILED && issue.disposition == Disposition::Escalate;
        }
        for ((severity, code), count) in counts {
            self.issues.of((severity, cut(code, LONGEST_CODE))).absorb(IssueCount { documents: 1, count });
        }
        if lacks_judge {
            self.add_error("judge_unavailable");
        }
    }

    /// Counts a document that has no result, because something broke; `reason` is for people.
    pub fn add_failed(&mut self, id: &str, reason: &str) {
        self.without_result.absorb(1);
        self.add_error("no_result");
        self.look_first(LookAt::without_result(id, Why::Failed, reason));
    }

    /// Counts a document that has no result, because it was tried as often as it may be; `reason` is for people.
    pub fn add_given_up(&mut self, id: &str, reason: &str) {
        self.given_up.absorb(1);
        self.add_error("given_up");
        self.look_first(LookAt::without_result(id, Why::GivenUp, reason));
    }

    /// Counts an error by its kind, besides those that results are counted by: `provider_error`, `unreadable_input`,
    /// `judge_unavailable`, `no_result`, `given_up`.
    pub fn add_error(&mut self, kind: &str) {
        self.errors.of(cut(kind, LONGEST_CODE)).absorb(1);
    }

    /// Sets the number of documents that are yet to be run.
    pub fn set_waiting(&mut self, documents: u64) {
        self.waiting = documents;
    }

    /// Sets the number of inputs that could not be read at all.
    pub fn set_unreadable(&mut self, inputs: u64) {
        self.unreadable = inputs;
    }

    /// Adds the counts of another summary, as if all of it had been added to this one.
    pub fn merge(&mut self, other: RunSummary) {
        self.run.merge(other.run);
        self.with_messages |= other.with_messages;
        self.statuses.iter_mut().zip(other.statuses).for_each(|(own, other)| own.absorb(other));
        self.endings.merge(other.endings);
        for (own, other) in [
            (&mut self.without_result, other.without_result),
            (&mut self.given_up, other.given_up),
            (&mut self.waiting, other.waiting),
            (&mut self.unreadable, other.unreadable),
            (&mut self.needs_review, other.needs_review),
            (&mut self.needs_review_passed, other.needs_review_passed),
            (&mut self.with_critical, other.with_critical),
            (&mut self.with_conflicts, other.with_conflicts),
            (&mut self.total_ms, other.total_ms),
        ] {
            own.absorb(other);
        }
        self.spent.absorb(other.spent);
        self.time.absorb(other.time);
        self.longest_ms = self.longest_ms.max(other.longest_ms);
        self.iterations.absorb(other.iterations);
        self.types.merge(other.types);
        self.issues.merge(other.issues);
        self.errors.merge(other.errors);
        other.look_at.into_iter().for_each(|document| self.look_first(document));
    }

    /// Keeps a document if it is among the first to inspect.
    fn look_first(&mut self, document: LookAt) {
        let place = self.look_at.partition_point(|known| known.order(&document).is_lt());
        if place < MOST_DOCUMENTS {
            self.look_at.insert(place, document);
            self.look_at.truncate(MOST_DOCUMENTS);
        }
    }

    /// Documents with this status.
    #[must_use]
    pub fn with_status(&self, status: FinalStatus) -> u64 {
        self.statuses.get(place_of(status)).copied().unwrap_or_default()
    }

    /// Documents that are over, with a result or without.
    #[must_use]
    pub fn done(&self) -> u64 {
        self.statuses.iter().sum::<u64>() + self.without_result + self.given_up
    }

    /// Documents that passed, or of which there was nothing to do.
    #[must_use]
    pub fn passed(&self) -> u64 {
        self.with_status(FinalStatus::Passed) + self.with_status(FinalStatus::Skipped)
    }

    /// Documents that were carried to an end without passing.
    #[must_use]
    pub fn not_passed(&self) -> u64 {
        let others = [FinalStatus::MaxIterationsReached, FinalStatus::StoppedEarly, FinalStatus::Incomplete];
        others.into_iter().map(|status| self.with_status(status)).sum()
    }

    /// Documents that failed, with a result or without.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.with_status(FinalStatus::Failed) + self.without_result
    }

    /// Documents that were given up.
    #[must_use]
    pub fn given_up(&self) -> u64 {
        self.given_up
    }

    /// Documents that need review, whether they passed or not.
    #[must_use]
    pub fn needs_review(&self) -> u64 {
        self.needs_review
    }

    /// The share of the documents that are over that passed; `None` when there is none. Stopped ones are not over.
    #[must_use]
    pub fn passed_share(&self) -> Option<f64> {
        share(self.passed(), self.done() - self.with_status(FinalStatus::Cancelled))
    }

    /// The usage; a cost that is not known is never counted as 0.
    #[must_use]
    pub fn usage(&self) -> Usage {
        self.spent.usage()
    }

    /// The documents to inspect first.
    #[must_use]
    pub fn look_at(&self) -> &[LookAt] {
        &self.look_at
    }
}

#[cfg(test)]
mod sample;
#[cfg(test)]
mod tests;
