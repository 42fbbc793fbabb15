//! Texts with `{{ }}` that lack their quotes: YAML reads a `{` as the beginning of a mapping wherever a value begins, and within
//! `{ }` and `[ ]` everywhere.

use crate::diag::{Code, Problem, SourceFile, Span};
use std::sync::Arc;

/// The problem of a mapping that begins at `start`, if a placeholder is there.
pub(super) fn as_mapping(file: &Arc<SourceFile>, start: usize) -> Option<Problem> {
    file.text().get(start..)?.starts_with("{{").then(|| problem(file, start, start))
}

/// The problem of the line in which the text can't be read past `at`, if a placeholder without quotes comes before.
pub(super) fn unread(file: &Arc<SourceFile>, at: usize) -> Option<Problem> {
    let text = file.text();
    let line = text.get(..at)?.rfind('\n').map_or(0, |end| end + 1);
    let (mut quote, mut last, mut start) = (None, ' ', line);
    for (offset, c) in text.get(line..)?.char_indices() {
        let here = line + offset;
        if c == '\n' || here > at + 1 {
            break;
        }
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            // Within a word, an apostrophe is one.
            None if matches!(c, '\'' | '"') && " [{,:".contains(last) => quote = Some(c),
            None if c == '{' && text.get(here..)?.starts_with("{{") => {
                return Some(problem(file, start, here));
            }
            None if " [{,".contains(c) => start = here + c.len_utf8(),
            None => {}
        }
        last = c;
    }
    None
}

/// The problem of a text that begins at `start` and has a placeholder at `brace`.
fn problem(file: &Arc<SourceFile>, start: usize, brace: usize) -> Problem {
    let rest = file.text().get(brace..).unwrap_or_default();
    let rest = rest.split('\n').next().unwrap_or_default();
    let close = rest.find("}}").map_or(rest.len(), |close| close + 2);
    let tail = rest.get(close..).unwrap_or_default();
    let end = tail.find([' ', ',', ']', '}']).unwrap_or(tail.len());
    let span = Span::new(file, start, brace + close + end);
    Problem::error(Code::Syntax, &span, "a text with `{{ }}` needs quotes here")
        .label("without them, `{` begins a mapping")
        .help("write it as `'reports/{{ name }}.md'`, with a quote on both sides of the whole text")
}
