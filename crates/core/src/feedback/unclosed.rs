//! Tags that a template opens and never closes. The template engine notices only at the end of the file, or at the next
//! tag that is not allowed inside, far from the mistake.

use crate::diag::{Code, Problem, SourceFile, Span};
use std::sync::Arc;

/// Statements that have an end of their own.
const BLOCKS: [&str; 9] = ["for", "if", "macro", "filter", "with", "block", "call", "autoescape", "set"];

/// The mistake, if it is one of that sort, in a template that does not compile.
pub(super) fn unclosed(file: &Arc<SourceFile>) -> Option<Problem> {
    let text = file.text();
    let mut open: Vec<(&str, Span)> = Vec::new();
    let mut at = 0;
    while let Some((start, mark)) = next_mark(text, at) {
        let span = Span::new(file, start, start + 2);
        let close = closing(mark);
        let Some(end) = end_of(text, start + 2, mark) else {
            let message = format!("this `{mark}` is never closed with `{close}`");
            return Some(Problem::error(Code::BadTemplate, &span, message).help(advice(mark)));
        };
        at = end;
        if mark != "{%" {
            continue;
        }
        let inside = text.get(start + 2..end - 2).unwrap_or_default();
        let inside = inside.trim_matches(|c: char| c.is_whitespace() || matches!(c, '-' | '+'));
        let word = inside.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        if word == "raw" {
            at = text.get(at..).and_then(|rest| rest.find("endraw")).map_or(text.len(), |found| at + found);
            at = text.get(at..).and_then(|rest| rest.find("%}")).map_or(text.len(), |found| at + found + 2);
        } else if let Some(ended) = word.strip_prefix("end") {
            match open.pop() {
                Some((opened, _)) if opened == ended => {}
                Some((opened, span)) => return Some(without_end(opened, &span)),
                None => {
                    let message = format!("this `{{% {word} %}}` closes nothing");
                    let span = Span::new(file, start, end);
                    let problem = Problem::error(Code::BadTemplate, &span, message);
                    return Some(
                        problem.help(format!("take it out, or put its `{{% {ended} … %}}` before it")),
                    );
                }
            }
        } else if BLOCKS.contains(&word) && !(word == "set" && inside.contains('=')) {
            open.push((word, Span::new(file, start, end)));
        }
    }
    open.pop().map(|(word, span)| without_end(word, &span))
}

fn without_end(word: &str, span: &Span) -> Problem {
    let message = format!("this `{{% {word} %}}` has no `{{% end{word} %}}`");
    let help = format!("put `{{% end{word} %}}` where it ends");
    Problem::error(Code::BadTemplate, span, message).help(help)
}

fn closing(mark: &str) -> &'static str {
    match mark {
        "{{" => "}}",
        "{%" => "%}",
        _ => "#}",
    }
}

fn advice(mark: &str) -> &'static str {
    match mark {
        "{{" => "a variable is written `{{ name }}`",
        "{%" => "a statement is written `{% if name %}`",
        _ => "a comment is written `{# text #}`",
    }
}

/// The next opening mark, at `from` or later.
fn next_mark(text: &str, from: usize) -> Option<(usize, &'static str)> {
    let rest = text.get(from..)?;
    let marks = ["{{", "{%", "{#"];
    marks.into_iter().filter_map(|mark| Some((from + rest.find(mark)?, mark))).min()
}

/// The end of the tag opened before `from`, its closing mark included: not in quotes, and before anything else opens.
fn end_of(text: &str, from: usize, mark: &str) -> Option<usize> {
    let rest = text.get(from..)?;
    let close = closing(mark);
    if mark == "{#" {
        return rest.find(close).map(|found| from + found + 2);
    }
    let mut quote = None;
    for (offset, c) in rest.char_indices() {
        let here = rest.get(offset..)?;
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if here.starts_with(close) => return Some(from + offset + 2),
            None if here.starts_with("{{") || here.starts_with("{%") => return None,
            None if matches!(c, '"' | '\'') => quote = Some(c),
            None => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Option<String> {
        unclosed(&SourceFile::new("t.md", text)).map(|p| {
            let span = p.span.unwrap();
            let at = span.location();
            format!("{}:{} {}", at.line, at.column, p.message)
        })
    }

    #[test]
    fn what_is_not_closed_is_said_where_it_opens() {
        for (text, expected) in [
            ("a\n{{ source\nb {{ x }}", "2:1 this `{{` is never closed with `}}`"),
            ("{{ source }} {{ it's", "1:14 this `{{` is never closed with `}}`"),
            ("x {% if a\n{{ b }}{% endif %}", "1:3 this `{%` is never closed with `%}`"),
            ("{# x", "1:1 this `{#` is never closed with `#}`"),
            ("{% for a in b %}\n{{ a }}", "1:1 this `{% for %}` has no `{% endfor %}`"),
            ("{% for a in b %}{%- if a %}x{% endfor %}", "1:17 this `{% if %}` has no `{% endif %}`"),
            ("{% if a %}{% endif %}{% endif %}", "1:22 this `{% endif %}` closes nothing"),
        ] {
            assert_eq!(said(text).as_deref(), Some(expected), "{text}");
        }
        for text in [
            "{{ '{{' }}{% raw %}{{ {% for %}{% endraw %}",
            "{% set a = 1 %}{% set b %}x{% endset %}{# {{ #}",
            "{% for a in b -%}{{ a }}{% else %}{% endfor %} }}",
        ] {
            assert_eq!(said(text), None, "{text}");
        }
    }
}
