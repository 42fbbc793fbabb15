//! The findings of an experiment as one HTML page.

use super::page_view::Page;
use super::text::sweep_text;
use crate::experiment::sweep::Findings;
use crate::report::Paint;
use crate::report::page::{render, template};
use std::sync::LazyLock;

static TEMPLATE: LazyLock<String> = LazyLock::new(|| template(include_str!("page.html")));

/// The findings of an experiment as a page. It holds nothing of the documents but numbers.
pub fn sweep_html(findings: &Findings) -> String {
    let title = if findings.description.is_empty() { "Sweep" } else { findings.description.as_str() };
    render(&TEMPLATE, &Page::of(findings, title), title, || sweep_text(findings, Paint::new(false)))
}
