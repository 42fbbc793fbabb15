//! How the setting of each check is read.

use super::condition::{parse_path, path, reference, references};
use super::formats::parse_date;
use super::keys;
use super::test::{Moment, PathSpec, Reference, Test};
use crate::diag::{Code, Problem, Problems, Span};
use crate::value::JsonPath;
use crate::value::decode::{Decode, Fields, number_in, wrong_type};
use crate::value::yaml::{Data, Node};
use regex::{Regex, RegexBuilder};
use serde_json::Value;

/// Largest compiled form of one pattern, in bytes.
const MAX_PATTERN_BYTES: usize = 1 << 20;

pub(super) type Reader = fn(&Node, &mut Problems) -> Option<Test>;

/// Every check that asks something of one value, and how its setting is read.
pub(super) const READERS: [(&str, Reader); 22] = [
    ("required", |node, problems| bool::decode(node, problems)?.then_some(Test::Present)),
    ("require", |node, problems| Some(Test::Require(references(node, problems)?))),
    ("requires", |node, problems| Some(Test::RequireWith(references(node, problems)?))),
    ("forbids", |node, problems| Some(Test::Forbid(references(node, problems)?))),
    ("type", |node, problems| one_or_more(node, problems).map(Test::Type)),
    ("matches", matches),
    ("one_of", one_of),
    ("range", range),
    ("length", length),
    ("format", format),
    ("unit", unit),
    ("unique", unique),
    ("uniform", uniform),
    ("same_as", |node, problems| reference(node, problems).map(Test::SameAs)),
    ("at_most", |node, problems| reference(node, problems).map(Test::AtMost)),
    ("at_least", |node, problems| reference(node, problems).map(Test::AtLeast)),
    ("equals", |node, problems| Value::decode(node, problems).map(Test::Equals)),
    ("contains", contains),
    ("before", |node, problems| moment(node, problems).map(Test::Before)),
    ("after", |node, problems| moment(node, problems).map(Test::After)),
    ("sum_to", sum_to),
    ("resolves", resolves),
];

fn one_or_more<T: Decode>(node: &Node, problems: &mut Problems) -> Option<Vec<T>> {
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

/// Compiles a pattern within its bounds; a mistake is reported at `span`.
pub(super) fn pattern(text: &str, ignore_case: bool, span: &Span, problems: &mut Problems) -> Option<Regex> {
    let built = RegexBuilder::new(text)
        .case_insensitive(ignore_case)
        .size_limit(MAX_PATTERN_BYTES)
        .dfa_size_limit(MAX_PATTERN_BYTES)
        .build();
    match built {
        Ok(regex) => Some(regex),
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

/// What to do about a pattern of which the library says this.
pub(super) fn pattern_advice(why: &str) -> Option<&'static str> {
    let known = [
        ("unclosed group", "each `(` needs its `)`; a bracket that is meant as it stands is written `\\(`"),
        ("unopened group", "each `)` needs its `(`; a bracket that is meant as it stands is written `\\)`"),
        (
            "unclosed character class",
            "each `[` needs its `]`; a bracket that is meant as it stands is written `\\[`",
        ),
        (
            "repetition operator missing",
            "`*`, `+` and `?` repeat what comes before them; as they stand they are written `\\*`",
        ),
        (
            "look-around",
            "there is no look-ahead and no look-behind; say what comes before and after, and check that",
        ),
        ("backreferences", "there are no references back; write out what is meant"),
        ("unrecognized escape", "a backslash that is meant as it stands is written `\\\\`"),
    ];
    known.into_iter().find(|(part, _)| why.contains(part)).map(|(_, advice)| advice)
}

fn matches(node: &Node, problems: &mut Problems) -> Option<Test> {
    if node.as_text().is_some() {
        let text = String::decode(node, problems)?;
        return pattern(&text, false, &node.span, problems).map(Test::Matches);
    }
    if !matches!(node.data, Data::Map(_)) {
        return wrong_type(
            node,
            "a pattern, or a mapping with `pattern`, `ignore_case` and `examples`",
            problems,
        );
    }
    let mut fields = Fields::open(node, &keys::MATCHES, problems)?;
    let span = fields.node("pattern").map_or_else(|| node.span.clone(), |n| n.span.clone());
    let text: Option<String> = fields.required("pattern", problems);
    let ignore_case = fields.or("ignore_case", false, problems);
    // For whoever reads the rule, and for `check`, which tries them.
    fields.optional::<Vec<String>>("examples", problems);
    fields.finish(problems);
    pattern(&text?, ignore_case, &span, problems).map(Test::Matches)
}

fn one_of(node: &Node, problems: &mut Problems) -> Option<Test> {
    let (list, ignore_case) = match &node.data {
        Data::Map(_) => {
            let mut fields = Fields::open(node, &keys::ONE_OF, problems)?;
            let list = fields.node("values");
            if list.is_none() {
                fields.required::<Value>("values", problems);
            }
            let ignore_case = fields.or("ignore_case", false, problems);
            fields.finish(problems);
            (list?, ignore_case)
        }
        _ => (node, false),
    };
    let values: Vec<Value> = Vec::decode(list, problems)?;
    if values.is_empty() {
        let problem = Problem::error(Code::Empty, &list.span, "`one_of` needs at least one value");
        problems
            .push(problem.help("list what is allowed, such as `one_of: [I, II, III]`, or take the line out"));
        return None;
    }
    Some(Test::OneOf { values, ignore_case })
}

fn range(node: &Node, problems: &mut Problems) -> Option<Test> {
    let mut fields = Fields::open(node, &keys::RANGE, problems)?;
    let (min, max) = (fields.optional("min", problems), fields.optional("max", problems));
    fields.finish(problems);
    ordered(node, min, max, problems).map(|(min, max)| Test::Range { min, max })
}

fn length(node: &Node, problems: &mut Problems) -> Option<Test> {
    let mut fields = Fields::open(node, &keys::LENGTH, problems)?;
    let (min, max) = (fields.optional("min", problems), fields.optional("max", problems));
    fields.finish(problems);
    ordered(node, min, max, problems).map(|(min, max)| Test::Length { min, max })
}

type Bounds<T> = (Option<T>, Option<T>);

fn ordered<T: PartialOrd>(
    node: &Node,
    min: Option<T>,
    max: Option<T>,
    problems: &mut Problems,
) -> Option<Bounds<T>> {
    match (&min, &max) {
        (None, None) => {
            let empty = matches!(&node.data, Data::Map(entries) if entries.is_empty());
            if empty {
                problems.push(Problem::error(Code::Empty, &node.span, "give `min`, `max` or both"));
            }
            return None;
        }
        (Some(low), Some(high)) if low > high => {
            problems.push(
                Problem::error(Code::Conflict, &node.span, "`min` is larger than `max`").help("swap the two"),
            );
            return None;
        }
        _ => {}
    }
    Some((min, max))
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
    let text = format!(r"\d\s*(?:{})", alternatives.join("|"));
    pattern(&text, true, &node.span, problems).map(Test::Matches)
}

fn format(node: &Node, problems: &mut Problems) -> Option<Test> {
    if !matches!(node.data, Data::Map(_)) {
        return Decode::decode(node, problems).map(Test::Format);
    }
    let mut fields = Fields::open(node, &keys::FORMAT_NAMED, problems)?;
    let named = fields.node("named_at");
    if named.is_none() {
        fields.required::<String>("named_at", problems);
    }
    fields.finish(problems);
    reference(named?, problems).map(Test::FormatNamedAt)
}

fn uniform(node: &Node, problems: &mut Problems) -> Option<Test> {
    match &node.data {
        Data::Bool(true) => Some(Test::Uniform { path: None }),
        Data::Bool(false) => None,
        Data::Text { text, .. } => {
            let text = text.strip_prefix('@').map_or_else(|| format!("$.{text}"), |rest| format!("${rest}"));
            parse_path(&text, node, problems).map(|path| Test::Uniform { path: Some(path) })
        }
        _ => wrong_type(node, "`true`, or what all elements must have the same of", problems),
    }
}

fn resolves(node: &Node, problems: &mut Problems) -> Option<Test> {
    if !matches!(node.data, Data::Map(_)) {
        return path(node, problems).map(Test::Resolves);
    }
    let mut fields = Fields::open(node, &keys::CHAIN, problems)?;
    let mut needed = |key: &'static str, problems: &mut Problems| {
        let found = fields.node(key);
        if found.is_none() {
            fields.required::<String>(key, problems);
        }
        found
    };
    let (start, below) = (needed("start", problems), needed("below", problems));
    let (by, name) = (fields.required("by", problems), fields.required("name", problems));
    let step = fields.optional("step", problems);
    fields.finish(problems);
    let below = match &below?.data {
        Data::List(items) => items.iter().map(|item| below_path(item, problems)).collect::<Option<Vec<_>>>(),
        _ => below_path(below?, problems).map(|path| vec![path]),
    };
    let start = path(start?, problems);
    Some(Test::PathResolves(Box::new(PathSpec { start: start?, by: by?, below: below?, name: name?, step })))
}

/// A path from what a step has found, written `@.b`.
fn below_path(node: &Node, problems: &mut Problems) -> Option<JsonPath> {
    match reference(node, problems)? {
        Reference::Target(path) => Some(path),
        _ => {
            problems.push(
                Problem::error(
                    Code::BadPath,
                    &node.span,
                    "a further step is looked for below the one before",
                )
                .help("write a path that begins with `@`, such as `@.children[*]`"),
            );
            None
        }
    }
}

fn unique(node: &Node, problems: &mut Problems) -> Option<Test> {
    match &node.data {
        Data::Bool(true) => Some(Test::Unique { key: None }),
        Data::Bool(false) => None,
        Data::Text { text, .. } if text.starts_with(['$', '@']) => {
            reference(node, problems).map(Test::Distinct)
        }
        Data::Text { text, .. } => Some(Test::Unique { key: Some(text.clone()) }),
        _ => wrong_type(node, "`true`, or the key that tells elements apart", problems),
    }
}

fn contains(node: &Node, problems: &mut Problems) -> Option<Test> {
    let value = Value::decode(node, problems)?;
    let text = match &value {
        Value::String(text) if text.is_empty() => {
            problems.push(Problem::error(Code::Empty, &node.span, "everything contains an empty text"));
            return None;
        }
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let pattern = match text {
        Some(text) => Some(pattern(&regex::escape(&text), true, &node.span, problems)?),
        None => None,
    };
    Some(Test::Contains { pattern, value })
}

fn moment(node: &Node, problems: &mut Problems) -> Option<Moment> {
    let text = String::decode(node, problems)?;
    if let Some(date) = parse_date(&text) {
        return Some(Moment::Literal(date));
    }
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        problems.push(
            Problem::error(Code::WrongType, &node.span, format!("`{text}` is no date"))
                .help("write a date as `2024-06-19`, or name a field"),
        );
        return None;
    }
    reference(node, problems).map(Moment::At)
}

fn sum_to(node: &Node, problems: &mut Problems) -> Option<Test> {
    if matches!(node.data, Data::Int(_) | Data::Float(_)) {
        return f64::decode(node, problems).map(|value| Test::SumTo { value, tolerance: 1e-9 });
    }
    let mut fields = Fields::open(node, &keys::SUM, problems)?;
    let value = fields.required("value", problems);
    let tolerance = match fields.node("tolerance") {
        Some(inner) => number_in(inner, 0.0, f64::MAX, problems),
        None => Some(1e-9),
    };
    fields.finish(problems);
    Some(Test::SumTo { value: value?, tolerance: tolerance? })
}
