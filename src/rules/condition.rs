//! Checks and conditions as people write them, read into trees of tests.

use super::formats::parse_date;
use super::test::{Chain, Moment, Reference, Test};
use crate::diag::{Code, Problem, Problems, Span};
use crate::value::JsonPath;
use crate::value::decode::{Decode, Fields, number_in, wrong_type};
use crate::value::yaml::{Data, Node};
use regex::{Regex, RegexBuilder};
use serde_json::Value;

/// Largest compiled form of one pattern, in bytes.
const MAX_PATTERN_BYTES: usize = 1 << 20;

/// What a test looks at.
#[derive(Debug, Clone)]
pub enum Subject {
    /// The value of the rule's target.
    Value,
    /// The key (or index) under which the target's value stands.
    Key,
    /// Something else in the candidate; the test holds when it holds for one of the values there.
    At(Reference),
}

/// Tests joined by all, any and not.
#[derive(Debug, Clone)]
pub enum Condition {
    /// One test.
    Test {
        /// What it looks at.
        subject: Subject,
        /// What it asks.
        test: Test,
    },
    /// All hold. Never empty.
    All(Vec<Condition>),
    /// At least one holds. Never empty.
    Any(Vec<Condition>),
    /// It does not hold.
    Not(Box<Condition>),
}

impl Condition {
    /// Whether a test in it must be asked even when the rule's target is absent.
    #[must_use]
    pub fn asks_presence(&self) -> bool {
        match self {
            Condition::Test { test, .. } => test.asks_presence(),
            Condition::All(inner) | Condition::Any(inner) => inner.iter().any(Condition::asks_presence),
            Condition::Not(inner) => inner.asks_presence(),
        }
    }

    /// What passes, in words that follow "expected".
    #[must_use]
    pub fn expectation(&self) -> String {
        let join = |inner: &[Condition], word: &str| {
            inner.iter().map(Condition::expectation).collect::<Vec<_>>().join(word)
        };
        match self {
            Condition::Test { subject: Subject::Value, test } => test.to_string(),
            Condition::Test { subject: Subject::Key, test } => format!("a key that is {test}"),
            Condition::Test { subject: Subject::At(reference), test } => {
                format!("`{reference}` to be {test}")
            }
            Condition::All(inner) => join(inner, ", and "),
            Condition::Any(inner) => join(inner, ", or "),
            Condition::Not(inner) => format!("not {}", inner.expectation()),
        }
    }
}

/// Where in a rule a condition stands.
#[derive(Debug, Clone)]
pub(super) struct Place {
    /// What tests look at unless they say otherwise.
    pub subject: Subject,
    /// Whether there is a key: the rule has a target.
    pub has_key: bool,
}

/// Reads a condition: a mapping of checks, optionally about a `field`, or `key:` and `value:` with checks below them.
pub(super) fn condition(node: &Node, place: &Place, problems: &mut Problems) -> Option<Condition> {
    let mut fields = Fields::open(node, "condition", problems)?;
    let errors_before = problems.error_count();
    let mut found = Vec::new();
    let mut place = place.clone();
    if let Some(field) = fields.node("field") {
        place.subject = Subject::At(reference(field, problems)?);
    }
    for (word, subject) in [("key", Subject::Key), ("value", Subject::Value)] {
        let Some(inner) = fields.node(word) else { continue };
        if word == "key" && !place.has_key {
            problems.push(
                Problem::error(Code::InertRule, &inner.span, "there is no `key` in this rule")
                    .help("`key` is the name under which a value of `each` or `field` stands"),
            );
            continue;
        }
        let inside = Place { subject, has_key: place.has_key };
        found.extend(condition(inner, &inside, problems));
    }
    found.extend(checks(&mut fields, &place, problems).into_iter().map(|(condition, _)| condition));
    fields.finish(problems);
    if found.is_empty() {
        if problems.error_count() == errors_before {
            problems.push(
                Problem::error(Code::Empty, &node.span, "this condition asks nothing")
                    .help("add a check such as `matches`, `contains` or `required: true`"),
            );
        }
        return None;
    }
    Some(joined(found))
}

fn joined(mut all: Vec<Condition>) -> Condition {
    match all.pop() {
        Some(only) if all.is_empty() => only,
        Some(last) => {
            all.push(last);
            Condition::All(all)
        }
        None => Condition::All(all),
    }
}

/// Reads every check in a mapping, each with where it stands.
pub(super) fn checks(
    fields: &mut Fields<'_>,
    place: &Place,
    problems: &mut Problems,
) -> Vec<(Condition, Span)> {
    let mut found = Vec::new();
    let mut add = |condition: Condition, span: &Span| found.push((condition, span.clone()));
    for (key, read) in READERS {
        let Some(node) = fields.node(key) else { continue };
        if let Some(test) = read(node, problems) {
            add(Condition::Test { subject: place.subject.clone(), test }, &node.span);
        }
    }
    for (key, join) in [("all", Condition::All as fn(Vec<Condition>) -> Condition), ("any", Condition::Any)] {
        let Some(node) = fields.node(key) else { continue };
        let Data::List(items) = &node.data else {
            wrong_type::<()>(node, "a list of conditions", problems);
            continue;
        };
        if items.is_empty() {
            problems.push(Problem::error(
                Code::Empty,
                &node.span,
                format!("`{key}` needs at least one condition"),
            ));
        }
        let inner: Vec<Condition> =
            items.iter().filter_map(|item| condition(item, place, problems)).collect();
        if !inner.is_empty() {
            add(join(inner), &node.span);
        }
    }
    if let Some(node) = fields.node("not")
        && let Some(inner) = condition(node, place, problems)
    {
        add(Condition::Not(Box::new(inner)), &node.span);
    }
    found
}

type Reader = fn(&Node, &mut Problems) -> Option<Test>;

/// Every check that asks something of one value, and how its setting is read.
const READERS: [(&str, Reader); 22] = [
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

/// Reads a field name, `$.path`, `@.path`, `^.path` or `<.path`.
pub(super) fn reference(node: &Node, problems: &mut Problems) -> Option<Reference> {
    let text = String::decode(node, problems)?;
    if text.is_empty() {
        problems.push(Problem::error(
            Code::BadPath,
            &node.span,
            "expected the name of a field, found nothing",
        ));
        return None;
    }
    if text.starts_with('$') {
        return path(node, problems).map(Reference::Root);
    }
    if let Some(rest) = text.strip_prefix('@') {
        return parse_path(&format!("${rest}"), node, problems).map(Reference::Target);
    }
    if text.starts_with('^') {
        let rest = text.trim_start_matches('^');
        let up = text.len() - rest.len();
        let path = parse_path(&format!("${rest}"), node, problems)?;
        return Some(Reference::Holder { up, path });
    }
    if let Some(rest) = text.strip_prefix('<') {
        return parse_path(&format!("${rest}"), node, problems).map(Reference::Before);
    }
    Some(Reference::Field(text))
}

fn references(node: &Node, problems: &mut Problems) -> Option<Vec<Reference>> {
    let found: Vec<Reference> = match &node.data {
        Data::List(items) => items.iter().filter_map(|item| reference(item, problems)).collect(),
        _ => vec![reference(node, problems)?],
    };
    if found.is_empty() {
        problems.push(Problem::error(Code::Empty, &node.span, "expected at least one field"));
        return None;
    }
    Some(found)
}

/// Reads an RFC 9535 path.
pub(super) fn path(node: &Node, problems: &mut Problems) -> Option<JsonPath> {
    let text = String::decode(node, problems)?;
    parse_path(&text, node, problems)
}

fn parse_path(text: &str, node: &Node, problems: &mut Problems) -> Option<JsonPath> {
    match JsonPath::parse(text) {
        Ok(path) => Some(path),
        Err(error) => {
            problems.push(
                Problem::error(
                    Code::BadPath,
                    &node.span,
                    format!("`{text}` is not a JSONPath: {}", error.message),
                )
                .help(format!(
                    "it goes wrong at character {}; a path looks like `$.measurements[*].size`",
                    error.position + 1
                )),
            );
            None
        }
    }
}

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
            problems.push(Problem::error(
                Code::BadPattern,
                span,
                format!("this pattern does not compile: {why}"),
            ));
            None
        }
    }
}

fn matches(node: &Node, problems: &mut Problems) -> Option<Test> {
    if node.as_text().is_some() {
        let text = String::decode(node, problems)?;
        return pattern(&text, false, &node.span, problems).map(Test::Matches);
    }
    if !matches!(node.data, Data::Map(_)) {
        return wrong_type(node, "a pattern, or a mapping with `pattern` and `ignore_case`", problems);
    }
    let mut fields = Fields::open(node, "pattern", problems)?;
    let span = fields.node("pattern").map_or_else(|| node.span.clone(), |n| n.span.clone());
    let text: Option<String> = fields.required("pattern", problems);
    let ignore_case = fields.or("ignore_case", false, problems);
    fields.finish(problems);
    pattern(&text?, ignore_case, &span, problems).map(Test::Matches)
}

fn one_of(node: &Node, problems: &mut Problems) -> Option<Test> {
    let (list, ignore_case) = match &node.data {
        Data::Map(_) => {
            let mut fields = Fields::open(node, "list of allowed values", problems)?;
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
        problems.push(Problem::error(Code::Empty, &list.span, "`one_of` needs at least one value"));
        return None;
    }
    Some(Test::OneOf { values, ignore_case })
}

fn range(node: &Node, problems: &mut Problems) -> Option<Test> {
    let mut fields = Fields::open(node, "range", problems)?;
    let (min, max) = (fields.optional("min", problems), fields.optional("max", problems));
    fields.finish(problems);
    ordered(node, min, max, problems).map(|(min, max)| Test::Range { min, max })
}

fn length(node: &Node, problems: &mut Problems) -> Option<Test> {
    let mut fields = Fields::open(node, "length", problems)?;
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
            problems.push(Problem::error(Code::Conflict, &node.span, "`min` is larger than `max`"));
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
    let mut fields = Fields::open(node, "format", problems)?;
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
    let mut fields = Fields::open(node, "chain", problems)?;
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
    Some(Test::Leads(Box::new(Chain { start: start?, by: by?, below: below?, name: name?, step })))
}

/// A path from what a step has found, written `@.b`.
fn below_path(node: &Node, problems: &mut Problems) -> Option<JsonPath> {
    match reference(node, problems)? {
        Reference::Target(path) => Some(path),
        _ => {
            problems.push(
                Problem::error(Code::BadPath, &node.span, "a further step is looked for below the one before")
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
    let mut fields = Fields::open(node, "sum", problems)?;
    let value = fields.required("value", problems);
    let tolerance = match fields.node("tolerance") {
        Some(inner) => number_in(inner, 0.0, f64::MAX, problems),
        None => Some(1e-9),
    };
    fields.finish(problems);
    Some(Test::SumTo { value: value?, tolerance: tolerance? })
}
