//! Self-contained pages of HTML: no script, no request, light and dark, to be read and printed. Their common parts are
//! here; `view` has the words and numbers of these, `risk_axes`, `dot_rows` and `labels` the common parts of their plots.

mod dot_rows;
mod labels;
mod risk_axes;
mod view;

pub(super) use dot_rows::{DotRow, DotRows, Names};
pub(super) use labels::Labels;
pub(super) use risk_axes::{MarkedPoint, RiskAxes, Tick, WIDTH, percent_tick};
pub(super) use view::{Fact, Row, Table, Tile, facts, of_100, tenths, tile};

use crate::value::{Engine, Limits, is_wild};
use minijinja::Value;
use minijinja::value::Serde;
use serde::Serialize;
use std::fmt::Write;
use std::sync::LazyLock;

/// Parts that are written in the templates as `<!--NAME-->`.
const PARTS: [(&str, &str); 5] = [
    ("<!--dot-axis-->", include_str!("dot_axis.html")),
    ("<!--head-->", include_str!("head.html")),
    ("<!--tiles-->", include_str!("tiles.html")),
    ("<!--tables-->", include_str!("tables.html")),
    // Also part of the previous one.
    ("<!--table-->", include_str!("table.html")),
];
/// The style sheet of report pages, which those of the service begin with: colours, for light and dark, screen and paper.
pub const STYLE: &str = include_str!("page.css");

/// Some thousand rows with a dozen values each.
const LIMITS: Limits = Limits { source_bytes: 64 << 10, steps: 4_000_000, bytes: 64 << 20 };

static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    Engine::with_formatter(LIMITS, |out, _, value| {
        let escaped = value.as_str().map_or_else(|| escape_html(&value.to_string()), escape_html);
        out.write_str(&escaped).map_err(Into::into)
    })
});

/// A template with the parts that it names, and the style, which would be escaped in a value.
pub(super) fn template(written: &str) -> String {
    let whole =
        PARTS.iter().fold(written.to_owned(), |text, (name, part)| text.replace(&format!("{name}\n"), part));
    whole.replacen("/*style*/", STYLE.trim_end(), 1)
}

/// Fills in a [`template`], in which every value is written by [`escape_html`]; a page that is beyond all bounds holds `plain`
/// instead.
pub(super) fn render(
    template: &str,
    view: &impl Serialize,
    title: &str,
    plain: impl FnOnce() -> String,
) -> String {
    ENGINE.render(template, Value::from(Serde(view))).unwrap_or_else(|_| {
        let lines: Vec<String> = plain().lines().map(escape_html).collect();
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>{}</title>\n<pre>\n{}\n</pre>\n</html>\n",
            escape_html(title),
            lines.join("\n")
        )
    })
}

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
