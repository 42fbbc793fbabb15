//! Headings and labels of a text: `CLINICAL HISTORY`, `Diagnosis:`, on lines of their own or within a line.

use std::ops::Range;

/// The most of them that are looked at.
const MOST_LABELS: usize = 8_192;
/// The longest label, in bytes, and the number of its words.
const LONGEST: usize = 48;
const MOST_WORDS: usize = 6;
/// The least number of letters of a label without a colon.
const LEAST_LETTERS: usize = 4;
/// The length of a line from which on labels are looked for within it.
const LONG_LINE: usize = 160;

/// A heading or label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LineLabel {
    /// Its place, in bytes.
    pub(super) at: usize,
    /// Its words in small letters, without numbers.
    pub(super) text: String,
}

impl LineLabel {
    /// Returns whether a text says nothing but this label.
    pub(super) fn is_all_of(&self, text: &str) -> bool {
        text.len() <= 2 * LONGEST && !text.contains(char::is_numeric) && words(text) == self.text
    }
}

/// The headings and labels of a text, in its order.
pub(super) fn labels(text: &str) -> Vec<LineLabel> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive(['\n', '\r', '\x0c']) {
        if line.len() <= LONG_LINE {
            found.extend(label(line, start, '\n'));
        } else {
            let mut at = start;
            for part in line.split_inclusive(['.', ',', ';']) {
                found.extend(label(part, at, '.'));
                at += part.len();
            }
        }
        start += line.len();
        if found.len() >= MOST_LABELS {
            break;
        }
    }
    found.truncate(MOST_LABELS);
    found
}

/// Those of a part of the text.
pub(super) fn labels_within(labels: &[LineLabel], text: Range<usize>) -> &[LineLabel] {
    let place = |at: usize| labels.partition_point(|label| label.at < at);
    labels.get(place(text.start)..place(text.end)).unwrap_or_default()
}

/// The label with which a line or sentence begins: what is before a colon, or all of it in capitals or after the mark of a heading.
fn label(part: &str, start: usize, end: char) -> Option<LineLabel> {
    // A heading in Markdown begins with one mark or several.
    let own = part.trim().trim_start_matches('#').trim_start();
    let is_marked = end == '\n' && part.trim_start().starts_with('#');
    let at = start + part.len() - part.trim_start().len();
    if !own.starts_with(|c: char| c.is_uppercase()) {
        return None;
    }
    let before_colon = own.split_once(':').map(|(before, _)| before);
    let in_capitals = || {
        let is_alone = end == '\n' || own.ends_with(end);
        let letters = own.chars().filter(|c| c.is_alphabetic()).count();
        (is_alone && letters >= LEAST_LETTERS && !own.contains(char::is_lowercase)).then_some(own)
    };
    let written = before_colon.or_else(|| is_marked.then_some(own)).or_else(in_capitals)?;
    let text = words(written);
    let fits = written.len() <= LONGEST && !text.is_empty() && text.split(' ').count() <= MOST_WORDS;
    fits.then_some(LineLabel { at, text })
}

/// The words of a text in small letters, without numbers.
fn words(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}
