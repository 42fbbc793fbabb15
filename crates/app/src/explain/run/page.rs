//! A rendered story as lines, and the lines as plain text or Markdown.

use super::words::one_line;
use crate::value::prose::padded;
use crate::value::sanitize_line;

/// Longest line of plain text, in characters.
const WIDTH: usize = 100;

/// The tone of a piece of text, for the colours of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// No tone.
    Plain,
    /// Good news.
    Good,
    /// A shortfall.
    Warn,
    /// An error.
    Bad,
    /// Minor details.
    Faint,
    /// Names.
    Strong,
}

/// A line of a rendered story.
#[derive(Debug, Clone, PartialEq)]
pub enum Line {
    /// The first line.
    Title(String),
    /// A part: a candidate, the reason why it stopped.
    Heading(String),
    /// A part of a part.
    Part(String),
    /// A sentence.
    Text(Tone, String),
    /// One of several.
    Item(Tone, String),
    /// A part of the item before.
    Under(Tone, String),
    /// Rows under a head. The first column holds names, the last one words, those between numbers.
    Table(Vec<&'static str>, Vec<Vec<String>>),
    /// Text as it was, line by line.
    Verbatim(Vec<String>),
}

/// As plain text of at most 100 columns. `paint` adds colours or hands the text back.
#[must_use]
pub fn as_text(lines: &[Line], paint: &dyn Fn(Tone, &str) -> String) -> String {
    let mut out = String::new();
    for (at, line) in lines.iter().enumerate() {
        match line {
            Line::Title(text) => wrapped(&mut out, "", "  ", text, &|text| paint(Tone::Strong, text)),
            Line::Heading(text) => {
                out.push('\n');
                wrapped(&mut out, "", "  ", text, &|text| paint(Tone::Strong, text));
            }
            Line::Part(text) => wrapped(&mut out, "  ", "    ", text, &|text| paint(Tone::Strong, text)),
            Line::Text(tone, text) => {
                // A sentence under a part is indented further than one under a heading.
                let inner = lines.get(..at).unwrap_or_default().iter().rev().find_map(|line| match line {
                    Line::Part(_) => Some("    "),
                    Line::Heading(_) => Some("  "),
                    Line::Title(_) => Some(""),
                    _ => None,
                });
                let indent = inner.unwrap_or("");
                wrapped(&mut out, indent, indent, text, &|text| paint(*tone, text));
            }
            Line::Item(tone, text) => wrapped(&mut out, "    - ", "      ", text, &|text| paint(*tone, text)),
            Line::Under(tone, text) => {
                wrapped(&mut out, "      ", "      ", text, &|text| paint(*tone, text))
            }
            Line::Table(head, rows) => table(&mut out, head, rows, paint),
            Line::Verbatim(texts) => {
                for text in texts {
                    wrapped(&mut out, "    | ", "    |   ", &tamed(text), &|text| paint(Tone::Faint, text));
                }
            }
        }
    }
    out
}

fn table(
    out: &mut String,
    head: &[&'static str],
    rows: &[Vec<String>],
    paint: &dyn Fn(Tone, &str) -> String,
) {
    // Names and words begin at the left, numbers end at the right.
    let numbers: Vec<bool> = (1..=head.len()).map(|column| column > 1 && column < head.len()).collect();
    let names: Vec<String> = head.iter().map(|name| (*name).to_owned()).collect();
    let all: Vec<Vec<String>> = std::iter::once(names).chain(rows.iter().cloned()).collect();
    let mut cells = padded(&all, &numbers).into_iter();
    let names = cells.next().unwrap_or_default();
    let before: usize = names.iter().rev().skip(1).map(|name| name.chars().count() + 2).sum();
    let hanging = " ".repeat((4 + before).min(WIDTH / 2));
    out.push_str(&format!("    {}\n", paint(Tone::Faint, names.join("  ").trim_end())));
    for cells in cells {
        // Spaces that align the columns are kept: only a line that is too long is broken.
        hung(out, &format!("    {}", cells.join("  ").trim_end()), &hanging);
    }
}

/// Adds a line whose own spaces are kept, broken at words where it is too long.
fn hung(out: &mut String, text: &str, hanging: &str) {
    let mut rest: &str = text;
    let mut indent = "";
    loop {
        let room = WIDTH.saturating_sub(indent.chars().count());
        let Some((end, _)) = rest.char_indices().nth(room) else {
            out.push_str(&format!("{indent}{rest}\n"));
            return;
        };
        let head = rest.get(..end).unwrap_or(rest);
        let least = if indent.is_empty() { hanging.len() } else { 0 };
        let cut = head.rfind(' ').filter(|at| *at > least).unwrap_or(end);
        out.push_str(&format!("{indent}{}\n", rest.get(..cut).unwrap_or_default().trim_end()));
        rest = rest.get(cut..).unwrap_or_default().trim_start();
        indent = hanging;
    }
}

/// Adds text broken into lines of at most [`WIDTH`] characters.
fn wrapped(out: &mut String, first: &str, then: &str, text: &str, paint: &dyn Fn(&str) -> String) {
    let mut indent = first;
    let mut line = String::new();
    let mut push = |line: &str, indent: &str| {
        if line.is_empty() {
            out.push_str(indent.trim_end());
        } else {
            out.push_str(indent);
            out.push_str(&paint(line));
        }
        out.push('\n');
    };
    for word in text.split(' ') {
        let mut word = word;
        let room = |indent: &str| WIDTH.saturating_sub(indent.chars().count());
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > room(indent) {
            push(&line, indent);
            line.clear();
            indent = then;
        }
        // A word longer than a line is broken.
        while word.chars().count() > room(indent) {
            let Some((end, _)) = word.char_indices().nth(room(indent)) else { break };
            push(word.get(..end).unwrap_or(word), indent);
            indent = then;
            word = word.get(end..).unwrap_or_default();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    push(&line, indent);
}

/// A line of a text from outside: characters that a terminal would obey become blanks, indentation stays.
fn tamed(text: &str) -> String {
    sanitize_line(text).trim_end().to_owned()
}

/// As Markdown.
#[must_use]
pub fn as_markdown(lines: &[Line]) -> String {
    let mut out = String::new();
    let mut listing = false;
    for line in lines {
        let is_item = matches!(line, Line::Item(..) | Line::Under(..));
        let goes_on = listing && is_item;
        if !out.is_empty() && !goes_on {
            out.push('\n');
        }
        listing = is_item;
        match line {
            Line::Title(text) => out.push_str(&format!("# {}\n", escaped(text))),
            Line::Heading(text) => out.push_str(&format!("## {}\n", escaped(text))),
            Line::Part(text) => out.push_str(&format!("### {}\n", escaped(text))),
            Line::Text(_, text) => out.push_str(&format!("{}\n", escaped(text))),
            Line::Item(_, text) => out.push_str(&format!("- {}\n", escaped(text))),
            Line::Under(_, text) => out.push_str(&format!("  - {}\n", escaped(text))),
            Line::Table(head, rows) => {
                let cells = |row: &[String]| {
                    row.iter().map(|cell| cell.replace('|', "\\|")).collect::<Vec<_>>().join(" | ")
                };
                let names: Vec<String> = head.iter().map(|name| (*name).to_owned()).collect();
                let rule: Vec<&str> = (0..head.len())
                    .map(|column| if column == 0 || column + 1 == head.len() { "---" } else { "---:" })
                    .collect();
                out.push_str(&format!("| {} |\n| {} |\n", cells(&names), rule.join(" | ")));
                for row in rows {
                    let row: Vec<String> = row.iter().map(|cell| escaped(cell)).collect();
                    out.push_str(&format!("| {} |\n", cells(&row)));
                }
            }
            Line::Verbatim(texts) => {
                let ticks =
                    texts.iter().map(|text| text.chars().filter(|c| *c == '`').count()).max().unwrap_or(0);
                let fence = "`".repeat(ticks.max(2) + 1);
                out.push_str(&format!("{fence}text\n"));
                for text in texts {
                    out.push_str(&tamed(text));
                    out.push('\n');
                }
                out.push_str(&format!("{fence}\n"));
            }
        }
    }
    out
}

/// Text in which nothing but code between backticks means anything to Markdown. A value can't open or close more than
/// that: of its backticks, single ones count, in pairs.
fn escaped(text: &str) -> String {
    let text = one_line(text);
    let mut singles = 0;
    for run in text.split(|c| c != '`') {
        singles += usize::from(run.len() == 1);
    }
    let mut paired = singles - singles % 2;
    let mut out = String::new();
    let mut is_code = false;
    let mut rest = text.as_str();
    while let Some(c) = rest.chars().next() {
        let run = rest.len() - rest.trim_start_matches('`').len();
        if run == 1 && paired > 0 {
            paired -= 1;
            is_code = !is_code;
            out.push('`');
        } else if run > 0 && is_code {
            out.push_str(rest.get(..run).unwrap_or_default());
        } else if run > 0 {
            out.push_str(&"\\`".repeat(run));
        } else {
            if !is_code && matches!(c, '*' | '_' | '<' | '>' | '[' | ']' | '#' | '~' | '\\') {
                out.push('\\');
            }
            out.push(c);
        }
        rest = rest.get(run.max(c.len_utf8())..).unwrap_or_default();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_value_ends_no_fence_and_opens_none() {
        for (text, expected) in [
            ("the value `a_b` of *x*", "the value `a_b` of \\*x\\*"),
            ("```", "\\`\\`\\`"),
            ("~~~", "\\~\\~\\~"),
            ("found `a`b <i>` here", "found `a`b \\<i\\>\\` here"),
            ("found `a``` <i>` here", "found `a``` <i>` here"),
            ("a `` b `c` <i>", "a \\`\\` b `c` \\<i\\>"),
        ] {
            assert_eq!(escaped(text), expected, "{text}");
        }
        let told = ["a ```` b".to_owned(), "```".to_owned(), "# heading".to_owned()];
        let page =
            as_markdown(&[Line::Verbatim(told.to_vec()), Line::Text(Tone::Plain, "```text".to_owned())]);
        assert_eq!(page, "`````text\na ```` b\n```\n# heading\n`````\n\n\\`\\`\\`text\n");
    }

    proptest! {
        #[test]
        fn no_line_is_longer_than_a_page_is_wide(text in "[a-z \n\u{1b}ß]{0,400}", cell in "[a-z ]{0,300}") {
            let lines = [
                Line::Title(one_line(&text)),
                Line::Item(Tone::Plain, one_line(&text)),
                Line::Verbatim(text.lines().map(str::to_owned).collect()),
                Line::Table(vec!["name", "n", "words"], vec![vec!["a".into(), "1".into(), one_line(&cell)]]),
            ];
            let shown = as_text(&lines, &|_, text| text.to_owned());
            for line in shown.lines() {
                prop_assert!(line.chars().count() <= WIDTH, "{line}");
                prop_assert!(!line.contains('\u{1b}'), "an escape sequence");
            }
        }
    }
}
