//! Mistakes that people make in YAML, reported in words for people who have never heard of scalars.

use super::columns::{misplaced, too_deep};
use super::placeholders;
use super::slips::slip;
use super::{Data, Entry, Node};
use crate::diag::{Code, Problem, SourceFile, Span};
use std::sync::Arc;

/// The reason why the text can't be read past `at`. `open` is where the list or mapping around it begins; `info` is
/// what the scanner says.
pub(super) fn unreadable(file: &Arc<SourceFile>, open: Option<usize>, at: usize, info: &str) -> Problem {
    if let Some(problem) = placeholders::unread(file, at) {
        return problem;
    }
    if let Some(problem) = open.and_then(|start| left_open(file, start, at)) {
        return problem;
    }
    if let Some(problem) = slip(file, at, info).or_else(|| too_deep(file, at, info)) {
        return problem;
    }
    let place = Span::new(file, at, at + 1);
    let is_column =
        info.contains("did not find expected key") || info.contains("did not find expected '-' indicator");
    if let Some(dash) = dash_above(file, at).filter(|_| is_column) {
        let message = "the keys of this list item don't begin in the same column";
        return Problem::error(Code::Syntax, &dash, message)
            .related(&place, "this one")
            .help("put them below the first letter after the `- `");
    }
    if let Some(problem) = open.filter(|_| is_column).and_then(|open| misplaced(file, open, at)) {
        return problem;
    }
    let (message, help) = in_plain_words(info);
    let problem = Problem::error(Code::Syntax, &place, message).label("YAML can't be read past this place");
    match help {
        Some(help) => problem.help(help),
        None => problem,
    }
}

/// The bracket at `start` that is still open at `at`, where reading ended, and is not closed in that line either.
fn left_open(file: &Arc<SourceFile>, start: usize, at: usize) -> Option<Problem> {
    let text = file.text();
    let rest = text.get(start..)?;
    let bracket = rest.chars().next().filter(|c| matches!(c, '{' | '['))?;
    let close = if bracket == '{' { '}' } else { ']' };
    let end = text.get(at..)?.find('\n').map_or(text.len(), |line| at + line);
    let (mut depth, mut quote) = (0_usize, None);
    for c in text.get(start..end)?.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if matches!(c, '"') => quote = Some(c),
            None if matches!(c, '{' | '[') => depth += 1,
            None if matches!(c, '}' | ']') => depth = depth.saturating_sub(1),
            None => {}
        }
        if depth == 0 {
            return None;
        }
    }
    let message = format!("this `{bracket}` is never closed with `{close}`");
    let span = Span::new(file, start, start + 1);
    let problem =
        Problem::error(Code::Syntax, &span, message).help(format!("put the `{close}` where it ends"));
    Some(problem.related(&Span::new(file, at, at + 1), "YAML can't be read past this place"))
}

/// The `-` in the line above that in which reading ended.
fn dash_above(file: &Arc<SourceFile>, at: usize) -> Option<Span> {
    let before = file.text().get(..at)?;
    let line = before.rfind('\n')?;
    let above = before.get(..line)?;
    let start = above.rfind('\n').map_or(0, |end| end + 1);
    let text = above.get(start..)?;
    let dash = start + (text.len() - text.trim_start().len());
    text.trim_start().starts_with("- ").then(|| Span::new(file, dash, dash + 1))
}

/// The message of the scanner, in words for people who edit YAML and have never heard of scalars, with what to do.
/// Messages about rarer mistakes stay as they are.
fn in_plain_words(info: &str) -> (String, Option<&'static str>) {
    let known: [(&str, &str, &str); 9] = [
        (
            "tabs disallowed",
            "this line is indented with a tab",
            "YAML is indented with spaces: put two for each level",
        ),
        (
            "mapping values are not allowed",
            "a second `:` where only one is allowed",
            "look at the line before, too: after a `:` comes a space, and a text with `: ` in it needs quotes",
        ),
        (
            "simple key expect ':'",
            "expected a key and a value before this, and there is no `:` after the key",
            "write `key: value`, with a space after the `:`",
        ),
        (
            "unknown escape character",
            "in double quotes a `\\` begins an escape such as `\\n`, and there is none like this",
            "put the text in single quotes, in which a `\\` is a `\\`: '\\bG\\d'",
        ),
        (
            "in quoted scalar",
            "this text is never closed with its quote",
            "put the closing quote at its end; a quote within quotes is doubled: 'it''s'",
        ),
        (
            "while scanning a quoted scalar",
            "this text is never closed with its quote",
            "put the closing quote at its end; a quote within quotes is doubled: 'it''s'",
        ),
        (
            "did not find expected key",
            "this line is not indented like the rest of its block",
            "begin each key of a mapping in the same column",
        ),
        (
            "did not find expected '-' indicator",
            "this line is not indented like the rest of its list",
            "begin each `-` of a list in the same column",
        ),
        (
            "while parsing a flow",
            "a bracket or a comma is missing before this",
            "each `[` needs its `]`, each `{` its `}`, and commas between what is inside",
        ),
    ];
    match known.into_iter().find(|(part, ..)| info.contains(part)) {
        Some((_, message, help)) => (message.to_owned(), Some(help)),
        None => (info.to_owned(), None),
    }
}

/// The problem of an entry that is the rest of a number that was written with a decimal comma: `{ overall: 0,95 }` is
/// `overall: 0` and a key `95` to YAML. The number before is mended, so that nothing else is reported for it.
pub(super) fn decimal_comma(last: &mut Entry, key: &Span, value: &Node) -> Option<Problem> {
    let digits = key.text();
    let after = key.file().text().get(key.end()..).unwrap_or_default().trim_start();
    let is_rest = matches!(value.data, Data::Null)
        && after.starts_with([',', '}'])
        && matches!(last.value.data, Data::Int(_) | Data::Float(_))
        && !digits.is_empty()
        && digits.chars().all(|c| c.is_ascii_digit());
    let between = key.file().text().get(last.value.span.end()..key.start())?;
    if !is_rest || between.trim() != "," {
        return None;
    }
    let whole = last.value.span.text().to_owned();
    let span = Span::new(key.file(), last.value.span.start(), key.end());
    let message = format!("`{digits}` is not a setting: a comma ends the number before it");
    let problem = Problem::error(Code::WrongType, &span, message);
    Some(match format!("{whole}.{digits}").parse() {
        Ok(number) if matches!(last.value.data, Data::Int(_)) => {
            last.value = Node { span, data: Data::Float(number) };
            problem.help(format!("a decimal number is written with a point: `{whole}.{digits}`"))
        }
        _ => problem.help("a decimal number is written with a point, and with one only"),
    })
}
