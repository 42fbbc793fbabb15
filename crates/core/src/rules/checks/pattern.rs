//! Checks of a text by a regular expression: `matches` and `unit`.

use super::Test;
use super::check::{CheckOfValue, Definition};
use crate::diag::{Code, Problem, Problems, Span};
use crate::mapping;
use crate::rules::number::text_of;
use crate::value::decode::{Decode, Spanned, wrong_type};
use crate::value::shape::{Key, Shape};
use crate::value::yaml::{Data, Node};
use crate::value::{Item, PatternSyntax, TextPattern};
#[cfg(test)]
use serde_json::json;
use std::fmt;

/// Largest compiled form of one pattern, in bytes.
const MAX_PATTERN_BYTES: usize = 1 << 20;

pub(super) const MATCHES: Definition = Definition {
    key: Key::new(
        "matches",
        || Shape::AnyOf(vec![Shape::text("a regular expression"), Shape::Mapping(PatternSetting::mapping())]),
        "A text (or number) in which this regular expression must be found. `^` and `$` tie it to the ends.",
    )
    .examples(&["'^T[0-4]'", "{ pattern: '^(left|right)$', ignore_case: true }"]),
    read: matches,
    named: |_| None,
    #[cfg(test)]
    cases: || {
        vec![
            ("matches: '^[ab]+$'", json!(["abba"]), json!(["ABBA", "c", ["a"], {"a": "a"}])),
            ("matches: {pattern: '^[ab]+$', ignore_case: true}", json!(["ABba"]), json!(["c"])),
            ("matches: '^(12|true)$'", json!([12, true, "12"]), json!([12.5, false])),
        ]
    },
};

pub(super) const UNIT: Definition = Definition {
    key: Key::new(
        "unit",
        || Shape::one_or_more(Shape::text("a unit such as `mm`")),
        "The text must have a number followed by one of these units, in upper or lower case: `12 mm`, `12mm`, `12-mm`. With \
         bounds, it is `quantity`.",
    )
    .examples(&["[mm, cm]"]),
    read: unit,
    named: |_| None,
    #[cfg(test)]
    cases: || {
        vec![
            ("unit: [mm, cm]", json!(["3 mm", "3.5MM", "1x2 cm wide"]), json!(["3", "mm 3", "3 mmHg", "3 m", 3])),
            ("unit: '%'", json!(["3 %", "3%x"]), json!(["3"])),
            ("unit: mm", json!(["12-mm", "12mm", "1.2 x 8 mm"]), json!(["12--mm"])),
        ]
    },
};

mapping! {
    /// A regular expression that must be found in the value.
    "matches" is "pattern";
    pub(super) struct PatternSetting {
        /// The regular expression (syntax of the Rust crate `regex`).
        #[key(text("a regular expression"), required, examples(&["'^(1|2|3|I|II|III)'"]))]
        pattern: Spanned<String>,
        /// Treats upper and lower case as the same.
        #[key(default("false"), examples(&["true"]))]
        ignore_case: bool,
        /// Texts that the pattern must match. `check` tries them; a run ignores them. Without it none is tried.
        #[key(name("examples"), shaped(|| Shape::list(Shape::text("a text"))), examples(&["[I, 'III']"]))]
        _examples: Vec<String> => |_| Vec::new(),
    }
}

/// Its text matches; lists and mappings have no text.
#[derive(Debug, Clone)]
pub struct Matches(pub(in crate::rules) TextPattern);

impl fmt::Display for Matches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "text that matches `{}`", self.0.as_str())
    }
}

impl CheckOfValue for Matches {
    fn looks_inside(&self) -> bool {
        false
    }

    #[inline]
    fn holds(&self, item: Item<'_>, room: &mut String) -> bool {
        text_of(item, room).is_some_and(|text| self.0.is_match(text))
    }
}

fn matches(node: &Node, problems: &mut Problems) -> Option<Test> {
    let (text, ignore_case) = if node.as_text().is_some() {
        (Spanned::decode(node, problems)?, false)
    } else if matches!(node.data, Data::Map(_)) {
        let PatternSetting { pattern, ignore_case, .. } = PatternSetting::read_mapping(node, problems)?;
        (pattern, ignore_case)
    } else {
        let expected = "a pattern, or a mapping with `pattern`, `ignore_case` and `examples`";
        return wrong_type(node, expected, problems);
    };
    pattern(&text.value, ignore_case, &text.span, problems).map(|pattern| Test::Matches(Matches(pattern)))
}

fn unit(node: &Node, problems: &mut Problems) -> Option<Test> {
    let units: Vec<String> = one_or_more(node, problems)?;
    if units.iter().any(|unit| unit.trim().is_empty()) {
        problems.push(Problem::error(Code::Empty, &node.span, "a unit can't be empty"));
        return None;
    }
    let ends_in_a_letter = |unit: &str| unit.ends_with(|c: char| c.is_alphanumeric());
    let alternatives: Vec<String> = units
        .iter()
        .map(|unit| unit.trim())
        .map(|unit| format!("{}{}", regex::escape(unit), if ends_in_a_letter(unit) { r"\b" } else { "" }))
        .collect();
    // A dash may join the two: `12-mm`.
    let text = format!(r"\d\s*[-‐‑–]?\s*(?:{})", alternatives.join("|"));
    pattern(&text, true, &node.span, problems).map(|pattern| Test::Matches(Matches(pattern)))
}

/// Reads one word, or a list of at least one.
pub(super) fn one_or_more<T: Decode>(node: &Node, problems: &mut Problems) -> Option<Vec<T>> {
    let found = match &node.data {
        Data::List(_) => Vec::decode(node, problems)?,
        _ => vec![T::decode(node, problems)?],
    };
    if found.is_empty() {
        problems.push(Problem::error(Code::Empty, &node.span, "expected at least one word"));
        return None;
    }
    Some(found)
}

/// A pattern within its bounds; a mistake is reported at `span`.
pub(in crate::rules) fn pattern(
    text: &str,
    ignore_case: bool,
    span: &Span,
    problems: &mut Problems,
) -> Option<TextPattern> {
    let syntax = PatternSyntax { ignore_case, by_lines: false, most_bytes: MAX_PATTERN_BYTES };
    match TextPattern::new(text, syntax, span) {
        Ok(pattern) => Some(pattern),
        Err(regex::Error::CompiledTooBig(limit)) => {
            let message = format!("this pattern is too large: more than {limit} bytes when compiled");
            problems
                .push(Problem::error(Code::BadPattern, span, message).help("use smaller repetition counts"));
            None
        }
        Err(error) => {
            // The library draws the pattern over several lines; its last line says what is wrong.
            let text = error.to_string();
            let last = text.lines().last().unwrap_or_default().trim();
            let why = last.strip_prefix("error: ").unwrap_or(last);
            let problem =
                Problem::error(Code::BadPattern, span, format!("this pattern does not compile: {why}"));
            problems.push(match pattern_advice(why) {
                Some(advice) => problem.help(advice),
                None => problem,
            });
            None
        }
    }
}

/// Advice on a pattern about which the library says this.
pub(in crate::rules) fn pattern_advice(why: &str) -> Option<&'static str> {
    let known = [
        ("unclosed group", "each `(` needs its `)`; a literal bracket is written `\\(`"),
        ("unopened group", "each `)` needs its `(`; a literal bracket is written `\\)`"),
        ("unclosed character class", "each `[` needs its `]`; a literal bracket is written `\\[`"),
        (
            "repetition operator missing",
            "`*`, `+` and `?` repeat what comes before them; as they stand they are written `\\*`",
        ),
        (
            "look-around",
            "there is no look-ahead and no look-behind; say what comes before and after, and check that",
        ),
        ("backreferences", "there are no references back; write out what is meant"),
        ("unrecognized escape", "a literal backslash is written `\\\\`"),
    ];
    known.into_iter().find(|(part, _)| why.contains(part)).map(|(_, advice)| advice)
}
