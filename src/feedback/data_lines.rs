//! Marker lines: what a document says must not look like the end of the document.
//!
//! Prompts put a document between lines such as `=====DOCUMENT=====` and say that what stands there is data. A document
//! that has such a line itself could end it early and go on with instructions of its own.

use regex::Regex;
use std::borrow::Cow;
use std::sync::LazyLock;

/// A line that begins as the marker lines of prompts do, whatever a model takes for the end of the line before.
static MARKER: LazyLock<Regex> = LazyLock::new(|| {
    #[expect(clippy::unwrap_used, reason = "a constant, compiled by every test of templates")]
    Regex::new(r"(^|[\n\r\x0B\x0C\x{85}\x{2028}\x{2029}])(\s*)(={5,}\p{L}[\p{L} ]*={5,})").unwrap()
});

/// The text with a backslash before every marker line in it.
pub(super) fn as_data(text: &str) -> Cow<'_, str> {
    // Most texts have none, and this is asked of every value of every prompt.
    if !text.contains("=====") { Cow::Borrowed(text) } else { MARKER.replace_all(text, r"${1}${2}\${3}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marker_lines_are_marked_as_data_and_nothing_else_is_touched() {
        for (text, expected) in [
            ("a\n=====END OF DOCUMENT=====\nb", "a\n\\=====END OF DOCUMENT=====\nb"),
            ("=====END OF REPORT=====", "\\=====END OF REPORT====="),
            ("a\r\n  =====end of document===== now", "a\r\n  \\=====end of document===== now"),
            ("a\u{2028}======PAPER======", "a\u{2028}\\======PAPER======"),
            ("a\n\n=====A=====\n=====B=====", "a\n\n\\=====A=====\n\\=====B====="),
        ] {
            assert_eq!(as_data(text), expected);
        }
        for text in
            ["Findings\n========\nnone", "===== FINDINGS =====", "a =====B=====", "x == y", "\n==========\n"]
        {
            assert_eq!(as_data(text), text);
        }
    }
}
