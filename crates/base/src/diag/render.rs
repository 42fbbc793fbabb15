//! Problems as people and programs read them.

use super::mask::masked;
use super::{Code, Level, Problem, Problems};
use annotate_snippets::{AnnotationKind, Group, Level as Mark, Renderer, Snippet};
use serde_json::{Value, json};

/// The style in which problems are drawn for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// No escape sequences.
    Plain,
    /// ANSI colours.
    Coloured,
}

/// Lines longer than this are cut out of their file before they are drawn around the marked position.
const LONGEST_LINE: usize = 400;

/// Draws each problem with its source line, the marked text and what to do; an empty line between them.
#[must_use]
pub fn render_human(problems: &Problems, style: Style) -> String {
    let renderer = match style {
        Style::Plain => Renderer::plain(),
        Style::Coloured => Renderer::styled(),
    };
    let mut out = String::new();
    for problem in problems.sorted() {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&render_one(problem, &renderer));
        out.push('\n');
    }
    if problems.not_kept() > 0 {
        out.push_str(&format!("\n{}\n", not_kept(problems)));
    }
    out
}

fn not_kept(problems: &Problems) -> String {
    format!("and {} more problems", problems.not_kept())
}

fn render_one(problem: &Problem, renderer: &Renderer) -> String {
    let mark = match problem.level {
        Level::Error => Mark::ERROR,
        Level::Warning => Mark::WARNING,
        Level::Note => Mark::NOTE,
    };
    let title = mark.primary_title(problem.message.clone()).id(problem.code.as_str());
    let excerpts: Vec<Excerpt> = problem
        .span
        .iter()
        .map(|span| Excerpt::around(span, problem.label.clone(), true))
        .chain(problem.related.iter().map(|(span, why)| Excerpt::around(span, why.clone(), false)))
        .collect();
    let mut group = Group::with_title(title);
    for excerpt in &excerpts {
        let kind = if excerpt.primary { AnnotationKind::Primary } else { AnnotationKind::Context };
        group = group.element(
            Snippet::source(excerpt.text.as_str())
                .line_start(excerpt.line)
                .path(excerpt.path.as_str())
                .fold(true)
                .annotation(kind.span(excerpt.start..excerpt.end).label(excerpt.label.as_str())),
        );
    }
    let why = says_why(problem.code).then(|| (Mark::NOTE.with_name("why"), problem.code.why().to_owned()));
    let remarks = why.into_iter().chain(problem.help.clone().map(|help| (Mark::HELP, help)));
    if excerpts.is_empty() {
        // Drawn together they would be set apart by an empty gutter.
        let apart = remarks.map(|(mark, text)| Group::with_title(mark.primary_title(text)));
        let drawn: Vec<String> =
            std::iter::once(group).chain(apart).map(|group| renderer.render(&[group])).collect();
        return drawn.join("\n");
    }
    renderer.render(&[group.elements(remarks.map(|(mark, text)| mark.message(text)))])
}

/// Returns whether people are shown why such a problem matters. A slip of the keyboard explains itself; what is correct
/// yet doubtful (LC5, LC6) does not.
fn says_why(code: Code) -> bool {
    matches!(code.as_str().as_bytes(), [_, _, b'5' | b'6', ..])
}

/// The lines a span touches, with one before and one after; a very long line is cut around the span.
struct Excerpt {
    path: String,
    line: usize,
    text: String,
    start: usize,
    end: usize,
    label: String,
    primary: bool,
}

impl Excerpt {
    fn around(span: &super::Span, label: String, primary: bool) -> Self {
        let text = span.file().text();
        let line_start = |at: usize| text.get(..at).and_then(|t| t.rfind('\n')).map_or(0, |i| i + 1);
        let line_end = |at: usize| text.get(at..).and_then(|t| t.find('\n')).map_or(text.len(), |i| at + i);
        let first = line_start(span.start());
        // A block that spans many lines is marked on its first line only: the position is what matters.
        let last = line_end(span.start());
        let end = span.end().min(last).max(span.start());
        let from = if first == 0 { 0 } else { line_start(first - 1) };
        let (from, to) = if last - from > LONGEST_LINE {
            let mut from = first.max(span.start().saturating_sub(LONGEST_LINE / 2));
            let mut to = last.min(span.start() + LONGEST_LINE / 2).max(end.min(span.start() + LONGEST_LINE));
            while !text.is_char_boundary(from) {
                from -= 1;
            }
            while !text.is_char_boundary(to) {
                to += 1;
            }
            (from, to)
        } else {
            (from, last)
        };
        let line = text.get(..from).unwrap_or_default().matches('\n').count() + 1;
        Excerpt {
            path: span.file().name().to_owned(),
            line,
            text: masked(text.get(from..to).unwrap_or_default()),
            start: span.start() - from,
            end: (end.min(to)).max(span.start()) - from,
            label,
            primary,
        }
    }
}

/// Problems as a JSON list of `{code, level, message, why, file, line, column, help, related}`. If there are too many,
/// the last one says how many more there are.
#[must_use]
pub fn render_json(problems: &Problems) -> Value {
    let more = (problems.not_kept() > 0).then(|| {
        let level = if problems.has_errors() { Level::Error } else { Level::Warning };
        json!({
            "code": Code::TooLarge.as_str(),
            "level": level.as_str(),
            "message": not_kept(problems),
            "file": null,
            "line": null,
            "column": null,
            "help": null,
            "related": [],
        })
    });
    problems
        .sorted()
        .into_iter()
        .map(|p| {
            let location = p.span.as_ref().map(super::Span::location);
            json!({
                "code": p.code.as_str(),
                "level": p.level.as_str(),
                "message": p.message,
                "why": p.code.why(),
                "file": location.map(|l| l.file),
                "line": location.map(|l| l.line),
                "column": location.map(|l| l.column),
                "help": p.help,
                "related": p.related.iter().map(|(span, why)| {
                    let at = span.location();
                    json!({ "file": at.file, "line": at.line, "column": at.column, "why": why })
                }).collect::<Vec<_>>(),
            })
        })
        .chain(more)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::{SourceFile, Span};
    use super::*;

    #[test]
    fn a_problem_is_drawn_with_place_mark_and_help() {
        let file = SourceFile::new("profiles/p.yaml", "name: p\nstop:\n  max_iteration: 3\n");
        let at = file.text().find("max_iteration").unwrap();
        let mut problems = Problems::new();
        problems.push(
            Problem::error(Code::UnknownKey, &Span::new(&file, at, at + 13), "unknown key `max_iteration`")
                .help("did you mean `max_iterations`?"),
        );
        insta::assert_snapshot!(render_human(&problems, Style::Plain), @r"
        error[LC101]: unknown key `max_iteration`
         --> profiles/p.yaml:3:3
          |
        3 |   max_iteration: 3
          |   ^^^^^^^^^^^^^
          |
          = help: did you mean `max_iterations`?
        ");
    }

    #[test]
    fn an_endless_line_is_cut() {
        let text = format!("a: {}", "x".repeat(1_000_000));
        let file = SourceFile::new("p.yaml", text);
        let problems = Problems::from(Problem::error(Code::WrongType, &Span::new(&file, 3, 1_000_003), "no"));
        assert!(render_human(&problems, Style::Plain).len() < 5_000);
    }
}
