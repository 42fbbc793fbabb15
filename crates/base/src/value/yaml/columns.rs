//! Finds the line that is not indented as it should be. Where reading ends, the mistake is often some lines above: a
//! key in another column than its block opens a block of its own, and what follows is read as part of that.

use crate::diag::{Code, Problem, SourceFile, Span};
use std::sync::Arc;

/// A line with something other than a comment on it.
struct Line<'a> {
    /// The position at which its text begins.
    start: usize,
    column: usize,
    text: &'a str,
}

fn lines(text: &str) -> Vec<Line<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_start_matches(['\u{feff}', ' ']);
        let column = line.len() - trimmed.len();
        if !trimmed.trim().is_empty() && !trimmed.starts_with('#') {
            found.push(Line { start: at + column, column, text: trimmed.trim_end() });
        }
        at += line.len();
    }
    found
}

/// The line in another column than the rest of its block, and the location of the rest. `open` is where the block
/// begins that was being read, `at` the line at which it could not continue.
pub(super) fn misplaced(file: &Arc<SourceFile>, open: usize, at: usize) -> Option<Problem> {
    let lines = lines(file.text());
    let here = lines.iter().position(|line| line.start == at)?;
    let block = lines.iter().find(|line| line.start == open)?.column;
    let (before, last) = (lines.get(..here)?, lines.get(here)?);
    // The key of the block that the line is read as a part of, and what is below it.
    let key = before.iter().rposition(|line| line.column <= block)?;
    let below = before.get(key + 1..)?;
    let is_empty_key = |line: &Line<'_>| line.text.ends_with(':');
    let wrong = match below {
        [] => {
            let above = key.checked_sub(1).and_then(|above| before.get(above))?;
            let should_be_below = above.column == block && is_empty_key(above);
            if should_be_below { before.get(key)? } else { last }
        }
        // One line alone, deeper than those that follow it.
        [one] => one,
        // A whole block that belongs a level deeper, with its key.
        _ => before.get(key)?,
    };
    let rest = if std::ptr::eq(wrong, last) { before.get(key)? } else { last };
    if [wrong, rest].iter().any(|line| line.text.starts_with("- ")) || wrong.column == rest.column {
        return None;
    }
    let place = |line: &Line<'_>| {
        let end = line.text.split([':', ' ']).next().unwrap_or_default().len().max(1);
        Span::new(file, line.start, line.start + end)
    };
    let problem =
        Problem::error(Code::Syntax, &place(wrong), "this line is not indented like the rest of its block");
    let why = format!("this one begins in column {}, not in column {}", rest.column + 1, wrong.column + 1);
    Some(problem.related(&place(rest), why).help("begin each key of a mapping in the same column"))
}

/// A line that is deeper than the one above, though that one has its value: `info` says that a second `:` is not
/// allowed.
pub(super) fn too_deep(file: &Arc<SourceFile>, at: usize, info: &str) -> Option<Problem> {
    let lines = lines(file.text());
    let here = lines
        .iter()
        .rposition(|line| line.start <= at)
        .filter(|_| info.contains("mapping values are not"))?;
    let (above, own) = (lines.get(here.checked_sub(1)?)?, lines.get(here)?);
    let has_value = above
        .text
        .split_once(": ")
        .is_some_and(|(_, value)| !value.trim_start().starts_with(['|', '>', '&', '\'', '"']));
    if !has_value || own.column <= above.column || own.text.starts_with("- ") || !own.text.contains(':') {
        return None;
    }
    let first = own.text.split([':', ' ']).next().unwrap_or_default().len().max(1);
    let span = Span::new(file, own.start, own.start + first);
    let message = "this line is indented deeper than the one above, which has its value already";
    let above = Span::new(file, above.start, above.start + 1);
    let problem = Problem::error(Code::Syntax, &span, message).related(&above, "the one above");
    Some(problem.help("begin each key of a mapping in the same column; a text of several lines needs quotes, or `|` before it"))
}
