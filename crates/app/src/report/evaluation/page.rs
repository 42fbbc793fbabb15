//! An evaluation as one HTML page.

use super::page_view::Page;
use super::text::evaluation_text;
use crate::experiment::evaluate::Evaluation;
use crate::report::Paint;
use crate::report::page::{render, template};
use std::sync::LazyLock;

static TEMPLATE: LazyLock<String> = LazyLock::new(|| template(include_str!("page.html")));

/// An evaluation as a page. It holds ids of documents, and right and wrong values of labelled fields.
pub fn evaluation_html(evaluation: &Evaluation) -> String {
    let title = "Evaluation";
    let page = Page::of(evaluation, title);
    render(&TEMPLATE, &page, title, || evaluation_text(evaluation, Paint::new(false)))
}
