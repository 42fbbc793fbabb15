//! A summary as one HTML page that needs nothing else: no script, no request, light and dark, to be read and printed.

use super::RunSummary;
use super::page_view::{Labels, Page};
use super::text::render_text;
use crate::report::Paint;
use crate::value::{Engine, Limits, is_wild};
use minijinja::Value;
use minijinja::value::Serde;
use std::fmt::Write;
use std::sync::LazyLock;

/// The page, in which every value is written by [`escape_html`].
const TEMPLATE: &str = include_str!("page.html");
/// Its colours, for light and dark, screen and paper.
const STYLE: &str = include_str!("page.css");

/// Some thousand rows with a dozen values each.
const LIMITS: Limits = Limits { source_bytes: 64 << 10, steps: 4_000_000, bytes: 64 << 20 };

/// The template with its style, which would be escaped in a value.
static SOURCE: LazyLock<String> = LazyLock::new(|| TEMPLATE.replacen("/*style*/", STYLE.trim_end(), 1));

static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    Engine::with_formatter(LIMITS, |out, _, value| {
        let escaped = value.as_str().map_or_else(|| escape_html(&value.to_string()), escape_html);
        out.write_str(&escaped).map_err(Into::into)
    })
});

/// How a page is written.
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

/// The summary of a run as a page. Of documents it holds their ids, and of issues their codes and paths; what issues say only
/// if the summary was made [with messages](RunSummary::with_messages).
#[must_use]
pub fn render_html(summary: &RunSummary, options: &PageOptions) -> String {
    let title = options.title.as_deref().unwrap_or("Summary of a run");
    let page = Page::of(summary, title, Labels::default());
    ENGINE.render(&SOURCE, Value::from(Serde(&page))).unwrap_or_else(|_| plain(summary, title))
}

/// The page of a summary that is beyond all bounds: its text.
fn plain(summary: &RunSummary, title: &str) -> String {
    let lines: Vec<String> = render_text(summary, Paint::new(false)).lines().map(escape_html).collect();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>{}</title>\n<pre>\n{}\n</pre>\n</html>\n",
        escape_html(title),
        lines.join("\n")
    )
}

/// Text from outside as text of a page, in an element or in a quoted attribute. Control characters, and those that turn text
/// round or hide it, are written out (`\u202e`), so that people see that they are there and nothing obeys them.
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

/// What a page would not show at all, so that two ids look like one.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}')
}
