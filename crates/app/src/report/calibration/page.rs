//! A calibration as one HTML page.

use super::page_view::Page;
use super::text::calibration_text;
use crate::experiment::calibrate::Calibration;
use crate::report::Paint;
use crate::report::page::{render, template};
use std::sync::LazyLock;

static TEMPLATE: LazyLock<String> = LazyLock::new(|| template(include_str!("page.html")));

/// A calibration as a page. It holds counts, and nothing of single documents.
pub fn calibration_html(calibration: &Calibration) -> String {
    let title = "Calibration";
    render(&TEMPLATE, &Page::of(calibration, title), title, || {
        calibration_text(calibration, Paint::new(false))
    })
}
