//! Self-contained pages of HTML: no script, no request, light and dark, to be read and printed. Their common parts are
//! here; `axis`, `risk_axes`, `dot_rows` and `labels` have the common parts of their plots.

mod axis;
mod dot_rows;
mod labels;
mod risk_axes;

pub(super) use axis::{Axis, Tick, percent_label, tenths};
pub(super) use dot_rows::{DotRow, DotRows, Names};
pub(super) use labels::Labels;
pub(super) use risk_axes::{MarkedPoint, RiskAxes, WIDTH};

use crate::value::is_wild;
use std::fmt::Write;

/// The style sheet of report pages, which those of the service begin with: colours, for light and dark, screen and paper.
pub const STYLE: &str = include_str!("page.css");

/// Text from outside as text of a page, in an element or in a quoted attribute. Control characters, and those that
/// reverse or hide text, are written out (`\u202e`), so that people see that they are there and nothing obeys them.
#[must_use]
pub fn escape_html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '`' => escaped.push_str("&#96;"),
            wild if is_wild(wild) || is_invisible(wild) => {
                for unit in wild.encode_utf16(&mut [0; 2]) {
                    let _ = write!(escaped, "\\u{unit:04x}");
                }
            }
            plain => escaped.push(plain),
        }
    }
    escaped
}

/// Returns whether a page would not show the character at all, so that two ids look like one.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}')
}
