//! Patterns that indicate a document type, and the text in which they are looked for.

use crate::diag::{Code, Problem, Problems};
use crate::mapping;
use crate::value::decode::{Decode, Spanned, number_in};
use crate::value::shape::Shape;
use crate::value::yaml::Node;
use crate::value::{EPSILON, PatternSyntax, TextPattern};
use std::cell::OnceCell;

/// The most memory that one compiled pattern may take, in bytes.
const PATTERN_BYTES: usize = 2 << 20;

/// The largest weight: far above any sensible one, and sums of them stay exact.
const MOST_WEIGHT: f64 = 1_000.0;

mapping! {
    /// A pattern that indicates a document type.
    "pattern" is "pattern", expects "`{ pattern: …, weight: … }`";
    #[derive(Debug, Clone)]
    pub(super) struct WeightedPattern {
        /// A regular expression. Upper and lower case are the same unless a part is in `(?-i:…)`; `^` and `$` are the ends of a
        /// line.
        #[key(
            shaped(|| Shape::text("a regular expression")),
            required,
            missing("add `pattern:` with text"),
            examples(&["'\\bgross description\\b'"])
        )]
        pattern: TextPattern as String = pattern,
        /// The strength of its evidence, above 0 and at most 1000: 1 a hint, 2 usual, 3 rarely found elsewhere, 5 and
        /// more as good as proof.
        #[key(
            shaped(|| Shape::positive(MOST_WEIGHT)),
            required,
            missing("add `weight:` with a number above 0"),
            examples(&["4"])
        )]
        weight: f64 = weight,
        /// The number of lines in which it must occur. With 2 and more, or with `share` or `top`, it is looked for in
        /// each line alone, and lines without a letter or digit do not count.
        #[key(whole(1, 1_000), default("1"), examples(&["3"]))]
        at_least: usize,
        /// The share of the lines in which it must occur, from 0 to 1, for what shows by how much of a document
        /// looks like it: the rows of a table of results. Without it a few lines suffice.
        #[key(number(0.0, 1.0), examples(&["0.4"]))]
        share: Option<f64>,
        /// The number of lines at the top of the document in which it is looked for, for titles. Without it the whole
        /// document is.
        #[key(whole(1, 1_000), examples(&["8"]))]
        top: Option<usize>,
    }
}

/// A text in which patterns are looked for.
pub(super) struct SearchedText<'a> {
    text: &'a str,
    lines: OnceCell<Vec<&'a str>>,
}

impl<'a> SearchedText<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        SearchedText { text, lines: OnceCell::new() }
    }

    /// The number of lines that say something.
    pub(super) fn line_count(&self) -> usize {
        self.lines().len()
    }

    /// The lines that say something.
    fn lines(&self) -> &[&'a str] {
        self.lines.get_or_init(|| {
            let lines = self.text.split(['\n', '\r', '\x0c']);
            lines.filter(|line| line.contains(char::is_alphanumeric)).collect()
        })
    }
}

impl WeightedPattern {
    /// The pattern as it was declared.
    pub(super) fn written(&self) -> &str {
        self.pattern.as_str()
    }

    /// The strength of its evidence.
    pub(super) fn weight(&self) -> f64 {
        self.weight
    }

    /// The number of lines of a part of a text in which it occurs, and the number of the first of them; `None` if it
    /// does not occur. Where no number of lines is asked for, it counts as one.
    pub(super) fn lines_in(&self, part: &SearchedText<'_>) -> Option<(usize, usize)> {
        if !self.is_by_lines() {
            return self.pattern.is_match(part.text).then_some((1, 0));
        }
        let mut found = part.lines().iter().enumerate().filter(|(_, line)| self.pattern.is_match(line));
        let (first, _) = found.next()?;
        Some((1 + found.count(), first))
    }

    /// Returns whether it is looked for in a line with this number, from 0.
    pub(super) fn reaches(&self, line: usize) -> bool {
        self.top.is_none_or(|top| line < top)
    }

    /// Returns whether it counts by its share of the lines.
    pub(super) fn counts_by_share(&self) -> bool {
        self.share.is_some()
    }

    /// Returns whether it occurs in enough of so many lines.
    pub(super) fn suffices(&self, count: usize, lines: usize) -> bool {
        let least = self.share.map_or(0.0, |share| share * whole(lines) - EPSILON);
        count >= self.at_least && whole(count) >= least
    }

    fn is_by_lines(&self) -> bool {
        self.at_least >= 2 || self.share.is_some() || self.top.is_some()
    }

    /// Returns whether it occurs as often and where it must.
    pub(super) fn occurs(&self, searched: &SearchedText<'_>) -> bool {
        if !self.is_by_lines() {
            return self.pattern.is_match(searched.text);
        }
        let lines = searched.lines();
        let lines = lines.get(..self.top.unwrap_or(lines.len())).unwrap_or(lines);
        let least = self.share.map_or(0.0, |share| share * whole(lines.len()) - EPSILON);
        let found = lines.iter().filter(|line| self.pattern.is_match(line));
        let mut count = 0;
        for _ in found {
            count += 1;
            if count >= self.at_least && whole(count) >= least {
                return true;
            }
        }
        false
    }
}

/// A number of lines, as shares of it are taken.
fn whole(lines: usize) -> f64 {
    u32::try_from(lines).map_or(f64::MAX, f64::from)
}

pub(super) fn pattern(node: &Node, problems: &mut Problems) -> Option<TextPattern> {
    let pattern = Spanned::<String>::decode(node, problems)?;
    // A carriage return ends a line too: HL7 messages have nothing else between their segments.
    let syntax = PatternSyntax { ignore_case: true, by_lines: true, most_bytes: PATTERN_BYTES };
    match TextPattern::new(&pattern.value, syntax, &pattern.span) {
        Ok(found) => {
            if !pattern.span.file().is_shipped() && found.is_match("") {
                problems.push(
                    Problem::error(
                        Code::InertRule,
                        &pattern.span,
                        "this pattern matches the empty text, so it occurs in every document",
                    )
                    .help("make the pattern ask for at least one character"),
                );
            }
            Some(found)
        }
        Err(error) => {
            problems.push(bad_pattern(&pattern, &error));
            None
        }
    }
}

fn bad_pattern(pattern: &Spanned<String>, error: &regex::Error) -> Problem {
    let problem = |message: String| Problem::error(Code::BadPattern, &pattern.span, message);
    match error {
        regex::Error::CompiledTooBig(limit) => {
            problem(format!("this pattern needs more than {limit} bytes when it is compiled"))
                .help("use smaller repetition counts, or split it")
        }
        // The library draws the pattern over several lines; its last line says what is wrong.
        other => {
            let text = other.to_string();
            let reason = text.lines().last().unwrap_or_default().trim().trim_start_matches("error: ");
            problem(format!("this regular expression does not compile: {reason}"))
        }
    }
}

fn weight(node: &Node, problems: &mut Problems) -> Option<f64> {
    let weight = number_in(node, 0.0, MOST_WEIGHT, problems)?;
    if weight <= 0.0 {
        problems.push(Problem::error(Code::OutOfRange, &node.span, "a weight of 0 has no effect"));
    }
    (weight > 0.0).then_some(weight)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::SourceFile;
    use crate::value::yaml::parse;

    fn occurs(pattern: &str, text: &str) -> bool {
        let mut problems = Problems::new();
        let node = parse(&SourceFile::new("p.yaml", pattern), &mut problems).unwrap();
        let pattern = WeightedPattern::decode(&node, &mut problems);
        assert!(problems.is_empty());
        pattern.unwrap().occurs(&SearchedText::new(text))
    }

    #[test]
    fn a_pattern_may_ask_for_a_number_of_lines() {
        let three = "{ pattern: 'a \\d', weight: 1, at_least: 3 }";
        assert!(occurs(three, "a 1\n\nb\ra 2\x0ca 3"));
        assert!(!occurs(three, "a 1 a 2 a 3\na 4"), "lines count, and not how often it is in one");
    }

    #[test]
    fn a_pattern_may_ask_for_a_share_of_the_lines_that_say_something() {
        let half = "{ pattern: '^a', weight: 1, share: 0.5 }";
        assert!(occurs(half, "a\n---\n\nb\n"));
        assert!(!occurs(half, "a\nb\nc\n"));
        assert!(!occurs(half, ""));
    }

    #[test]
    fn a_pattern_may_be_looked_for_at_the_top_alone() {
        let top = "{ pattern: title, weight: 1, top: 2 }";
        assert!(occurs(top, "\n\nletterhead\ntitle\nbody"));
        assert!(!occurs(top, "letterhead\nbody\ntitle"));
    }
}
