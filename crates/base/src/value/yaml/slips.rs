//! Slips of the keyboard after which YAML can't be read on, often some lines below: a space or a colon that is missing, a tab, a quote
//! of a word processor.

use crate::diag::{Code, Problem, SourceFile, Span};
use std::ops::Range;
use std::sync::Arc;

/// The signs that word processors put in place of `'` and `"`.
const CURLY: [char; 8] = ['‘', '’', '‚', '“', '”', '„', '«', '»'];

/// The slip for which the text can't be read past `at`; `info` is what the scanner says.
pub(super) fn slip(file: &Arc<SourceFile>, at: usize, info: &str) -> Option<Problem> {
    let own = line_with(file.text(), at)?;
    let said = file.text().get(own.start..at)?.trim();
    // Nothing of the line has been read: it ended the one above.
    let lines = match (said.is_empty(), line_above(file.text(), own.start)) {
        (true, Some(above)) => vec![above],
        (true, None) => return None,
        (false, above) => std::iter::once(own).chain(above).collect(),
    };
    let first = lines.first()?;
    let of_values = in_value(file, first, info);
    if of_values.is_some() {
        return of_values;
    }
    let unfinished = [
        "comment intercepting",
        "simple key expect ':'",
        "mapping values are not allowed",
        "expected <document start>",
    ];
    let is_unfinished = unfinished.iter().any(|part| info.contains(part));
    lines.iter().filter(|_| is_unfinished).find_map(|line| of_colon(file, line))
}

/// The problem at the beginning of a value: a tab before it, a quote that is none.
fn in_value(file: &Arc<SourceFile>, line: &Range<usize>, info: &str) -> Option<Problem> {
    let text = file.text().get(line.clone())?;
    let place = |from: usize, length: usize| Span::new(file, line.start + from, line.start + from + length);
    if let Some(tab) = tab_after_colon(text).filter(|_| info.contains("valid YAML whitespace")) {
        let problem = Problem::error(Code::Syntax, &place(tab, 1), "there is a tab after the `:`");
        return Some(problem.help("put a space in place of the tab"));
    }
    let (quote, sign) = curly_quote(text)?;
    let message = format!("`{sign}` is not a quote of YAML");
    let problem = Problem::error(Code::Syntax, &place(quote, sign.len_utf8()), message);
    Some(problem.help("write `'` or `\"` on both sides of the text"))
}

/// A key without its `:`, or without the space after it. What is written after it may be a secret and is not repeated.
fn of_colon(file: &Arc<SourceFile>, line: &Range<usize>) -> Option<Problem> {
    let text = file.text().get(line.clone())?;
    let start = text.len() - text.trim_start_matches([' ', '-', '\u{feff}']).len();
    let rest = text.get(start..)?.split(" #").next()?.trim_end();
    let key = rest.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-')).next()?;
    let value = rest.get(key.len()..).filter(|_| !key.is_empty())?;
    let span = Span::new(file, line.start + start, line.start + start + key.len());
    let message = match value.strip_prefix(':') {
        Some(value) if !value.is_empty() && !value.starts_with([' ', '/']) => {
            format!("a space is missing after `{key}:`")
        }
        None if !rest.contains(": ") && !rest.ends_with(':') => format!("there is no `:` after `{key}`"),
        _ => return None,
    };
    let help = format!("write `{key}: ` before the value, with a space");
    Some(Problem::error(Code::Syntax, &span, message).help(help))
}

/// The line that contains a position.
fn line_with(text: &str, at: usize) -> Option<Range<usize>> {
    let start = text.get(..at)?.rfind('\n').map_or(0, |end| end + 1);
    let end = text.get(start..)?.find('\n').map_or(text.len(), |end| start + end);
    Some(start..end)
}

/// The nearest line above that is neither empty nor a comment.
fn line_above(text: &str, mut start: usize) -> Option<Range<usize>> {
    while let Some(above) = start.checked_sub(1) {
        let line = line_with(text, above)?;
        let said = text.get(line.clone())?.trim();
        if !said.is_empty() && !said.starts_with('#') {
            return Some(line);
        }
        start = line.start;
    }
    None
}

fn tab_after_colon(line: &str) -> Option<usize> {
    let colon = line.find(":\t").or_else(|| line.find(": \t"))?;
    line.get(colon..)?.find('\t').map(|tab| colon + tab)
}

/// A sign at the beginning of a value, where a quote would be.
fn curly_quote(line: &str) -> Option<(usize, char)> {
    let mut quotes = line.char_indices().filter(|(_, sign)| CURLY.contains(sign));
    quotes.find(|(at, _)| {
        let before = line.get(..*at).unwrap_or_default().trim_end();
        before.ends_with([':', '-', '[', '{', ',']) || before.is_empty()
    })
}
