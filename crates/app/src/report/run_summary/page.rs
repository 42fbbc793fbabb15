//! A summary as one HTML page.

use super::RunSummary;
use super::page_view::{Labels, Page};
use super::text::render_text;
use crate::report::Paint;
use crate::report::page::{render, template};
use std::sync::LazyLock;

static TEMPLATE: LazyLock<String> = LazyLock::new(|| template(include_str!("page.html")));

/// Options of a page.
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
    let title = options.title.as_deref().unwrap_or("Summary of a run");
    let page = Page::of(summary, title, Labels::default());
    render(&TEMPLATE, &page, title, || render_text(summary, Paint::new(false)))
}
