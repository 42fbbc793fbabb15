//! Reports as texts and as HTML pages: those of a run and a sweep are templates, filled in with what is shown.

use super::page::{render, template};
use super::{Paint, calibration, evaluation, run_summary, sweep};
use crate::experiment::calibrate::Calibration;
use crate::experiment::evaluate::Evaluation;
use crate::experiment::sweep::Findings;
use run_summary::RunSummary;
use std::sync::LazyLock;

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

/// The findings of an experiment as a page. It holds nothing of the documents but numbers.
pub fn sweep_html(findings: &Findings) -> String {
    static PAGE: LazyLock<String> = LazyLock::new(|| template(include_str!("sweep/page.html")));
    let title = if findings.description.is_empty() { "Sweep" } else { findings.description.as_str() };
    render(&PAGE, &sweep::Page::of(findings, title), title, || sweep::sweep_text(findings, Paint::new(false)))
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
    static PAGE: LazyLock<String> = LazyLock::new(|| template(include_str!("run_summary/page.html")));
    let title = options.title.as_deref().unwrap_or("Summary of a run");
    render(&PAGE, &run_summary::Page::of(summary, title), title, || {
        run_summary::render_text(summary, Paint::new(false))
    })
}
