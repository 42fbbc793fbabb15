//! The counts and measures of the service, for Prometheus: `/metrics`.
//!
//! - `families`: counters, gauges and histograms, of so many series at most.
//! - `exposition`: the text format.
//! - `calls`: measures from spans of calls.
//! - `requests`: counts of HTTP requests, and `/metrics` itself.
//!
//! Names are those of [`docs/telemetry.md`] where they mean the same, as Prometheus spells them. No label has the id of
//! a document, of a job or of a run, nor anything from a document.
//!
//! [`docs/telemetry.md`]: https://github.com/loopctl/loopctl/blob/main/docs/telemetry.md

mod calls;
mod exposition;
mod families;
mod requests;

pub use calls::CallMeasures;
pub(super) use requests::{count_requests, routes};

use self::exposition::{Exposition, as_number};
use self::families::{Counter, Gauge, Histogram};
use crate::policy::FinalStatus;
use crate::result::DocumentResult;
use crate::store::QueueLength;
use crate::trends::TrendMeasure;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

const ITERATIONS: &[f64] = &[1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0];
const SCORES: &[f64] = &[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98];
const IMPROVEMENTS: &[f64] = &[-0.2, -0.1, -0.05, 0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5];
const DOCUMENT_MILLISECONDS: &[f64] =
    &[100.0, 300.0, 1000.0, 3000.0, 10_000.0, 20_000.0, 30_000.0, 45_000.0, 60_000.0, 120_000.0, 300_000.0];
const CALL_SECONDS: &[f64] = &[0.01, 0.04, 0.16, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const REQUEST_SECONDS: &[f64] = &[0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0];

/// The number of latest documents of a profile over which the share that met the threshold is taken.
const LATEST: usize = 100;

/// The counts and measures since the service started.
pub struct Metrics {
    documents: Counter,
    reviews: Counter,
    set_aside: Counter,
    submissions: Counter,
    iteration_count: Histogram,
    final_score: Histogram,
    threshold_met_rate: Gauge,
    processing_time: Histogram,
    improvement: Histogram,
    /// By profile, whether each of the latest documents met the threshold, the latest last.
    met: Mutex<BTreeMap<String, Vec<bool>>>,
    calls: Counter,
    retries: Counter,
    call_seconds: Histogram,
    waited_seconds: Histogram,
    tokens: Counter,
    cost: Counter,
    cost_unknown: Counter,
    requests: Counter,
    request_seconds: Histogram,
    started: jiff::Timestamp,
}

/// The outcome of a submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IntakeOutcome {
    /// It is a job.
    Accepted,
    /// It was one before.
    Repeated,
    /// Too many documents wait.
    Refused,
}

impl IntakeOutcome {
    fn as_str(self) -> &'static str {
        match self {
            IntakeOutcome::Accepted => "accepted",
            IntakeOutcome::Repeated => "repeated",
            IntakeOutcome::Refused => "refused",
        }
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Metrics {
            documents: Counter::new(
                "loopctl_documents_total",
                "Documents that are over, by how they ended.",
                &["profile", "status"],
            ),
            reviews: Counter::new(
                "loopctl_documents_needing_review_total",
                "Documents that are over and need review.",
                &["profile"],
            ),
            set_aside: Counter::new(
                "loopctl_documents_set_aside_total",
                "Documents that were given up without a result.",
                &["profile"],
            ),
            submissions: Counter::new(
                "loopctl_submissions_total",
                "Documents that were submitted: accepted, known already, or refused because too many wait.",
                &["profile", "outcome"],
            ),
            iteration_count: Histogram::new(
                TrendMeasure::IterationCount.metric(),
                "Candidates of a document.",
                &["profile"],
                ITERATIONS,
            ),
            final_score: Histogram::new(
                TrendMeasure::FinalScore.metric(),
                "Overall score of the selected candidate.",
                &["profile"],
                SCORES,
            ),
            threshold_met_rate: Gauge::new(
                TrendMeasure::ThresholdMetRate.metric(),
                "Share of the latest 100 documents of a profile that passed, without those that were skipped or cancelled.",
                &["profile"],
            ),
            processing_time: Histogram::new(
                TrendMeasure::ProcessingTime.metric(),
                "How long documents took, in milliseconds.",
                &["profile"],
                DOCUMENT_MILLISECONDS,
            ),
            improvement: Histogram::new(
                TrendMeasure::ImprovementPerIteration.metric(),
                "Overall score less that of the iteration before.",
                &["profile"],
                IMPROVEMENTS,
            ),
            met: Mutex::default(),
            calls: Counter::new("loopctl_calls_total", "Calls of providers.", &["provider", "outcome"]),
            retries: Counter::new(
                "loopctl_call_retries_total",
                "Calls that were made again after a failed one.",
                &["provider"],
            ),
            call_seconds: Histogram::new(
                "loopctl_call_duration_seconds",
                "How long calls took, without waiting for their turn.",
                &["provider"],
                CALL_SECONDS,
            ),
            waited_seconds: Histogram::new(
                "loopctl_call_waited_seconds",
                "How long calls waited for their turn, where they did.",
                &["provider"],
                CALL_SECONDS,
            ),
            tokens: Counter::new(
                "loopctl_tokens_total",
                "Tokens; those from the provider's cache are input tokens, too.",
                &["provider", "model", "type"],
            ),
            cost: Counter::new(
                "loopctl_cost_usd_total",
                "Cost of the calls whose cost is known.",
                &["provider", "model"],
            ),
            cost_unknown: Counter::new(
                "loopctl_calls_of_unknown_cost_total",
                "Calls whose cost is unknown.",
                &["provider", "model"],
            ),
            requests: Counter::new(
                "loopctl_http_requests_total",
                "Requests, by the template of their route.",
                &["method", "route", "status"],
            ),
            request_seconds: Histogram::new(
                "loopctl_http_request_duration_seconds",
                "How long requests took until their answer began.",
                &["route"],
                REQUEST_SECONDS,
            ),
            started: jiff::Timestamp::now(),
        }
    }
}

impl Metrics {
    /// Counts a document that is over.
    pub fn document_finished(&self, result: &DocumentResult) {
        let profile = &[result.profile.as_str()];
        self.documents.add(&[&result.profile, result.final_status.as_str()], 1.0);
        if result.review {
            self.reviews.add(profile, 1.0);
        }
        self.iteration_count.record(profile, as_number(result.iteration_count as u64));
        if let Some(best) = &result.best_validation {
            self.final_score.record(profile, best.overall);
        }
        self.processing_time.record(profile, as_number(result.elapsed_ms.0));
        for pair in result.improvement_trajectory.windows(2) {
            if let [before, after] = pair {
                self.improvement.record(profile, after - before);
            }
        }
        if !matches!(result.final_status, FinalStatus::Skipped | FinalStatus::Cancelled) {
            self.threshold_was_met(&result.profile, result.final_status == FinalStatus::Passed);
        }
    }

    /// Counts a document that was given up without a result.
    pub fn document_set_aside(&self, profile: &str) {
        self.set_aside.add(&[profile], 1.0);
    }

    /// Counts a submission. `profile` is the name of one that exists.
    pub fn submitted(&self, profile: &str, outcome: IntakeOutcome) {
        self.submissions.add(&[profile, outcome.as_str()], 1.0);
    }

    fn threshold_was_met(&self, profile: &str, is_met: bool) {
        let mut profiles = self.met.lock().unwrap_or_else(PoisonError::into_inner);
        let latest = profiles.entry(profile.to_owned()).or_default();
        if latest.len() >= LATEST {
            latest.remove(0);
        }
        latest.push(is_met);
        let met = latest.iter().filter(|&&met| met).count();
        self.threshold_met_rate.set(&[profile], as_number(met as u64) / as_number(latest.len() as u64));
    }

    /// All measures and the present state, as Prometheus reads them.
    fn text(&self, now: &QueueSnapshot) -> String {
        let mut out = Exposition::default();
        out.family("loopctl_build_info", "gauge", "The version of the program.");
        out.sample("loopctl_build_info", &[("version", env!("CARGO_PKG_VERSION"))], 1.0);
        out.family("process_start_time_seconds", "gauge", "When the service started, in seconds since 1970.");
        out.sample("process_start_time_seconds", &[], self.started.as_duration().as_secs_f64());
        now.write(&mut out);
        for counter in [&self.documents, &self.reviews, &self.set_aside, &self.submissions] {
            counter.write(&mut out);
        }
        for histogram in [&self.iteration_count, &self.final_score] {
            histogram.write(&mut out);
        }
        self.threshold_met_rate.write(&mut out);
        for histogram in [&self.processing_time, &self.improvement] {
            histogram.write(&mut out);
        }
        for counter in [&self.calls, &self.retries, &self.tokens, &self.cost, &self.cost_unknown] {
            counter.write(&mut out);
        }
        for histogram in [&self.call_seconds, &self.waited_seconds] {
            histogram.write(&mut out);
        }
        self.requests.write(&mut out);
        self.request_seconds.write(&mut out);
        out.into_text()
    }
}

/// The present state, by the journal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct QueueSnapshot {
    /// By profile.
    queue: Vec<(String, QueueLength)>,
    /// The free space where the journal is, in bytes, if known.
    free_bytes: Option<u64>,
}

impl QueueSnapshot {
    fn write(&self, out: &mut Exposition) {
        if !self.queue.is_empty() {
            let name = "loopctl_queue_documents";
            out.family(name, "gauge", "Submitted documents that are not over.");
            for (profile, length) in &self.queue {
                for (state, count) in [("waiting", length.waiting), ("running", length.running)] {
                    out.sample(name, &[("profile", profile), ("state", state)], as_number(count));
                }
            }
        }
        if let Some(bytes) = self.free_bytes {
            out.family("loopctl_journal_disk_free_bytes", "gauge", "Room on the disk of the journal.");
            out.sample("loopctl_journal_disk_free_bytes", &[], as_number(bytes));
        }
    }
}
