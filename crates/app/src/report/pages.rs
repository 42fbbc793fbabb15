//! Reports as texts and as HTML pages.

use super::{Paint, calibration, evaluation, run_summary, sweep};
use crate::experiment::calibrate::Calibration;
use crate::experiment::evaluate::Evaluation;
use crate::experiment::sweep::Findings;
use run_summary::RunSummary;

/// A calibration as text.
#[must_use]
pub fn calibration_text(calibration: &Calibration, paint: Paint) -> String {
    calibration::report(calibration).text(paint)
}

/// A calibration as a page. It holds counts, and nothing of single documents.
pub fn calibration_html(calibration: &Calibration) -> String {
    calibration::report(calibration).html()
}

/// An evaluation as text.
pub fn evaluation_text(evaluation: &Evaluation, paint: Paint) -> String {
    evaluation::report(evaluation).text(paint)
}

/// An evaluation as a page. It holds ids of documents, and right and wrong values of labelled fields.
pub fn evaluation_html(evaluation: &Evaluation) -> String {
    evaluation::report(evaluation).html()
}

/// The findings of an experiment, as text.
pub fn sweep_text(findings: &Findings, paint: Paint) -> String {
    sweep::report(findings).text(paint)
}

/// The findings of an experiment as a page. It holds nothing of the documents but numbers.
pub fn sweep_html(findings: &Findings) -> String {
    sweep::report(findings).html()
}

/// The title of the summary of a run.
const SUMMARY: &str = "Summary of a run";

/// The summary of a run as text.
#[must_use]
pub fn render_text(summary: &RunSummary, paint: Paint) -> String {
    run_summary::report(summary, SUMMARY).text(paint)
}

/// Options of the page of a run.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct PageOptions {
    /// Its title; without one, "Summary of a run".
    pub title: Option<String>,
}

impl PageOptions {
    /// With a title.
    #[must_use]
    pub fn titled(title: impl Into<String>) -> Self {
        PageOptions { title: Some(title.into()) }
    }
}

/// The summary of a run as a page. Of documents it holds their ids, and of issues their codes and paths; messages of
/// issues only if the summary was made [with messages](RunSummary::with_messages).
#[must_use]
pub fn render_html(summary: &RunSummary, options: &PageOptions) -> String {
    run_summary::report(summary, options.title.as_deref().unwrap_or(SUMMARY)).html()
}
