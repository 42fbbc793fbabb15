//! Readers of the settings of checks.

use super::bound::Bound;
use super::condition::{parse_path, path, reference, references};
use super::formats::parse_date;
use super::keys;
use super::quantity::quantity;
use super::test::{Moment, PathSpec, Reference, Test};
use crate::diag::{Code, Problem, Problems, Span};
use crate::mapping;
use crate::value::decode::{Decode, Spanned, number_in, wrong_type};
use crate::value::shape::Shape;
use crate::value::yaml::{Data, Node};
use crate::value::{JsonPath, PatternSyntax, TextPattern};
use serde_json::Value;

/// Largest compiled form of one pattern, in bytes.
const MAX_PATTERN_BYTES: usize = 1 << 20;

pub(super) type Reader = fn(&Node, &mut Problems) -> Option<Test>;

/// Every check that asks something of one value, and how its setting is read.
pub(super) const READERS: [(&str, Reader); 23] = [
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
    ("quantity", |node, problems| quantity(node, problems).map(|found| Test::Quantity(Box::new(found)))),
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

/// A pattern within its bounds; a mistake is reported at `span`.
pub(super) fn pattern(
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
pub(super) fn pattern_advice(why: &str) -> Option<&'static str> {
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
    let Matches { pattern: text, ignore_case, .. } = Matches::read_mapping(node, problems)?;
    pattern(&text.value, ignore_case, &text.span, problems).map(Test::Matches)
}

fn one_of(node: &Node, problems: &mut Problems) -> Option<Test> {
    let OneOf { values: Spanned { value: values, span }, ignore_case } = match &node.data {
        Data::Map(_) => OneOf::read_mapping(node, problems)?,
        _ => OneOf { values: Decode::decode(node, problems)?, ignore_case: false },
    };
    if values.is_empty() {
        let problem = Problem::error(Code::Empty, &span, "`one_of` needs at least one value");
        problems
            .push(problem.help("list what is allowed, such as `one_of: [I, II, III]`, or take the line out"));
        return None;
    }
    Some(Test::OneOf { values, ignore_case })
}

fn range(node: &Node, problems: &mut Problems) -> Option<Test> {
    let Range { min, max } = Range::read_mapping(node, problems)?;
    ordered(node, min, max, problems).map(|(min, max)| Test::Range { min, max })
}

fn length(node: &Node, problems: &mut Problems) -> Option<Test> {
    let Length { min, max } = Length::read_mapping(node, problems)?;
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
    // A dash may join the two: `12-mm`.
    let text = format!(r"\d\s*[-‐‑–]?\s*(?:{})", alternatives.join("|"));
    pattern(&text, true, &node.span, problems).map(Test::Matches)
}

fn format(node: &Node, problems: &mut Problems) -> Option<Test> {
    if !matches!(node.data, Data::Map(_)) {
        return Decode::decode(node, problems).map(Test::Format);
    }
    FormatNamed::read_mapping(node, problems).map(|read| Test::FormatNamedAt(read.named_at))
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
    PathSpec::read_mapping(node, problems).map(|chain| Test::PathResolves(Box::new(chain)))
}

/// The paths of all further steps, or of one.
pub(super) fn below_paths(node: &Node, problems: &mut Problems) -> Option<Vec<JsonPath>> {
    match &node.data {
        Data::List(items) => items.iter().map(|item| below_path(item, problems)).collect(),
        _ => below_path(node, problems).map(|path| vec![path]),
    }
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
    Sum::read_mapping(node, problems).map(|Sum { value, tolerance }| Test::SumTo { value, tolerance })
}

mapping! {
    /// A regular expression that must be found in the value.
    "matches" is "pattern";
    pub(super) struct Matches {
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

mapping! {
    /// The values that are allowed.
    "one_of" is "list of allowed values";
    pub(super) struct OneOf {
        /// The allowed values, at least one.
        #[key(shaped(|| Shape::list(Shape::Any)), required, examples(&["[left, right]"]))]
        values: Spanned<Vec<Value>>,
        /// Treats upper and lower case as the same.
        #[key(default("false"), examples(&["true"]))]
        ignore_case: bool,
    }
}

mapping! {
    /// Bounds of a number: `min`, `max` or both. The bounds themselves are allowed.
    "range" is "range";
    pub(super) struct Range {
        /// The least. Without it there is none.
        #[key(examples(&["0"]))]
        min: Option<Bound>,
        /// The greatest. Without it there is none.
        #[key(examples(&["100"]))]
        max: Option<Bound>,
    }
}

mapping! {
    /// Bounds of a length, in characters, elements or members: `min`, `max` or both.
    "length" is "length";
    pub(super) struct Length {
        /// The least. Without it there is none.
        #[key(examples(&["1"]))]
        min: Option<u64>,
        /// The greatest. Without it there is none.
        #[key(examples(&["200"]))]
        max: Option<u64>,
    }
}

mapping! {
    /// A format whose name appears in the document.
    "format_named" is "format";
    pub(super) struct FormatNamed {
        /// The location of the name of the datatype (`xs:int`, say).
        #[key(shaped(keys::place), required, examples(&["^.valueType"]))]
        named_at: Reference as String = reference,
    }
}

mapping! {
    /// The number that others must add up to.
    "sum" is "sum";
    pub(super) struct Sum {
        /// The number that the numbers must add up to.
        #[key(required, examples(&["100"]))]
        value: f64,
        /// The amount by which the sum may be off.
        #[key(shaped(|| Shape::at_least(0.0)), default("1e-9"), examples(&["0.5"]))]
        tolerance: f64 = |node, problems| number_in(node, 0.0, f64::MAX, problems),
    }
}
