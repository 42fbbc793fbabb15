//! Sequences that programs write for a terminal: colours and movements of the cursor.

use regex::Regex;
use std::sync::LazyLock;

const ESCAPE: char = '\u{1b}';

/// The text without sequences for a terminal, and the position of the first one; `None` when there is none.
pub(super) fn plain(text: &str) -> Option<(String, usize)> {
    static SEQUENCE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let csi = r"\x1b\[[0-?]*[ -/]*[@-~]";
        let osc = r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)";
        let other = r"\x1b[ -/]*[0-Z\\^-~]";
        Regex::new(&format!("{csi}|{osc}|{other}")).ok()
    });
    if !text.contains(ESCAPE) {
        return None;
    }
    let sequence = SEQUENCE.as_ref()?;
    let first = sequence.find(text)?.start();
    Some((sequence.replace_all(text, "").into_owned(), first))
}
