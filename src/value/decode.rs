//! YAML trees to checked types: all problems collected, unknown keys guessed at.
//!
//! A type implements [`Decode`]. Mappings are read with [`Fields`] through their declaration ([`Mapping`]), so that
//! [`Fields::finish`] can report each key that is not declared. Decoding goes on after a mistake; `None` only says that
//! this value can't be used.

use super::shape::{Mapping, Names, Null, Open, Shape};
use super::yaml::{Data, Entry, Node};
use super::{Millis, Score, Usd};
use crate::diag::{Code, Problem, Problems, Span, nearest};
use std::collections::BTreeMap;

/// A type that can be read from a YAML tree.
pub trait Decode: Sized {
    /// What a correct value looks like, in words that follow "expected".
    const EXPECTED: &'static str;

    /// What a correct value is, for schemas and reference pages. A decoder may be stricter where a shape can't say more
    /// (a pattern that compiles, a name that exists), never more lenient.
    fn shape() -> Shape;

    /// Reads the value, pushing what is wrong with it.
    fn decode(node: &Node, problems: &mut Problems) -> Option<Self>;
}

/// A decoded value that remembers where it stood.
#[derive(Debug, Clone)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Where it stood.
    pub span: Span,
}

impl<T: Decode> Decode for Spanned<T> {
    const EXPECTED: &'static str = T::EXPECTED;

    fn shape() -> Shape {
        T::shape()
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let value = T::decode(node, problems)?;
        Some(Spanned { value, span: node.span.clone() })
    }
}

/// Pushes "expected …, found …" and returns `None`.
pub fn wrong_type<T>(node: &Node, expected: &str, problems: &mut Problems) -> Option<T> {
    let mut problem =
        Problem::error(Code::WrongType, &node.span, format!("expected {expected}, found {}", node.kind()));
    if let Some(text) = node.as_text()
        && expected == bool::EXPECTED
        && matches!(text.to_lowercase().as_str(), "yes" | "no" | "on" | "off" | "y" | "n")
    {
        problem = problem.help("write `true` or `false`");
    }
    if let Some(text) = node.as_text()
        && (expected.starts_with("a number") || expected.starts_with("a whole number"))
    {
        let percent = text.strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
        problem = problem.help(match (percent, with_point(text)) {
            (Some(percent), _) => format!("a percentage is written as a fraction: {}", percent / 100.0),
            (None, Some(number)) => format!("a decimal number is written with a point: `{number}`"),
            (None, None) => "write it in digits, without quotes".to_owned(),
        });
    }
    if let Data::List(items) = &node.data
        && expected.contains("mapping")
        && !items.is_empty()
        && items.iter().all(|item| matches!(item.data, Data::Map(_)))
    {
        problem = problem.help("take the dashes out: a `-` makes a list");
    }
    problems.push(problem);
    None
}

/// A number that was written with a decimal comma, with a point.
fn with_point(text: &str) -> Option<String> {
    let pointed = text.trim().replacen(',', ".", 1);
    (text.contains(',') && pointed.parse::<f64>().is_ok()).then_some(pointed)
}

/// What severities are called elsewhere.
const SYNONYMS: [(&str, &str); 11] = [
    ("blocker", "critical"),
    ("fatal", "critical"),
    ("severe", "critical"),
    ("high", "major"),
    ("error", "major"),
    ("serious", "major"),
    ("medium", "major"),
    ("moderate", "major"),
    ("low", "minor"),
    ("warning", "minor"),
    ("info", "minor"),
];

/// Pushes "unknown …" with the allowed words and a guess, and returns `None`.
pub fn unknown_word<T>(
    span: &Span,
    what: &str,
    found: &str,
    allowed: &[&str],
    problems: &mut Problems,
) -> Option<T> {
    let list = allowed.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
    let meant = SYNONYMS.iter().find(|(word, ours)| *word == found.to_lowercase() && allowed.contains(ours));
    let help = match meant.map(|(_, ours)| *ours).or_else(|| nearest(found, allowed.iter().copied())) {
        Some(guess) => format!("did you mean `{guess}`? Known: {list}"),
        None => format!("known: {list}"),
    };
    problems.push(Problem::error(Code::UnknownWord, span, format!("unknown {what} `{found}`")).help(help));
    None
}

/// A mapping being read.
pub struct Fields<'n> {
    entries: &'n [Entry],
    span: &'n Span,
    mapping: &'static Mapping,
    asked: Vec<&'static str>,
    passed_over: Option<&'static str>,
}

impl<'n> Fields<'n> {
    /// Starts reading a mapping.
    pub fn open(node: &'n Node, mapping: &'static Mapping, problems: &mut Problems) -> Option<Self> {
        match &node.data {
            Data::Map(entries) => {
                Some(Fields { entries, span: &node.span, mapping, asked: Vec::new(), passed_over: None })
            }
            _ => wrong_type(node, &format!("a mapping ({})", mapping.what), problems),
        }
    }

    /// Where the mapping stands.
    #[must_use]
    pub fn span(&self) -> &'n Span {
        self.span
    }

    /// Whether the mapping has such a key, there or not.
    #[must_use]
    pub fn declares(&self, key: &str) -> bool {
        self.mapping.key(key).is_some()
    }

    /// Takes no notice of a `null` under `key`, which is one of another kind of this mapping.
    #[must_use]
    pub fn without(self, key: &'static str) -> Self {
        Fields { passed_over: Some(key), ..self }
    }

    /// The raw value under `key`; a `null` counts as absent.
    pub fn node(&mut self, key: &'static str) -> Option<&'n Node> {
        debug_assert!(self.mapping.key(key).is_some(), "`{}` declares no key `{key}`", self.mapping.name);
        self.asked.push(key);
        self.entries.iter().find(|e| e.key == key).map(|e| &e.value).filter(|n| !matches!(n.data, Data::Null))
    }

    /// Where the key itself stands.
    #[must_use]
    pub fn key_span(&self, key: &str) -> Option<&'n Span> {
        self.entries.iter().find(|e| e.key == key).map(|e| &e.key_span)
    }

    /// An optional value.
    pub fn optional<T: Decode>(&mut self, key: &'static str, problems: &mut Problems) -> Option<T> {
        T::decode(self.node(key)?, problems)
    }

    /// A value that falls back to `default` when it is absent (or wrong, which has been reported).
    pub fn or<T: Decode>(&mut self, key: &'static str, default: T, problems: &mut Problems) -> T {
        self.optional(key, problems).unwrap_or(default)
    }

    /// A value that must be there.
    pub fn required<T: Decode>(&mut self, key: &'static str, problems: &mut Problems) -> Option<T> {
        match self.node(key) {
            Some(node) => T::decode(node, problems),
            None => {
                problems.push(self.lacking(key, &format!("add `{key}:` with {}", T::EXPECTED)));
                None
            }
        }
    }

    /// What is wrong when a key is not there that must be, or has no value; `help` says what would stand there.
    #[must_use]
    pub fn lacking(&self, key: &str, help: &str) -> Problem {
        match self.key_span(key) {
            Some(span) => {
                let problem = Problem::error(Code::MissingKey, span, format!("`{key}` is empty"));
                let inherits = self.mapping.key("extends").is_some();
                problem.help(if inherits {
                    format!("{help}; a key without a value takes away what is inherited: without the line it stays")
                } else {
                    help.replacen("add `", "write `", 1)
                })
            }
            None => {
                let message = format!("this {} lacks `{key}`", self.mapping.what);
                Problem::error(Code::MissingKey, self.span, message).help(help)
            }
        }
    }

    /// The entries whose keys have not been asked for: the open part of a mapping such as dimension weights.
    pub fn rest(&mut self) -> Vec<&'n Entry> {
        debug_assert!(self.mapping.open.is_some(), "`{}` has no open part", self.mapping.name);
        let rest: Vec<&Entry> =
            self.entries.iter().filter(|e| !self.asked.contains(&e.key.as_str())).collect();
        self.entries = &[];
        rest
    }

    /// Reports every key that is not declared.
    pub fn finish(self, problems: &mut Problems) {
        let unread = self.mapping.all_keys().find(|key| !self.asked.contains(&key.name));
        debug_assert!(unread.is_none(), "nothing reads `{:?}` of `{}`", unread, self.mapping.name);
        let passed_over = |entry: &Entry| {
            matches!(entry.value.data, Data::Null) && self.passed_over == Some(entry.key.as_str())
        };
        for entry in self.entries {
            if self.mapping.key(&entry.key).is_some() || passed_over(entry) {
                continue;
            }
            if let Some((key, rest)) = glued(&entry.key) {
                let message = format!("a space is missing after `{key}:`");
                let problem = Problem::error(Code::UnknownKey, &entry.key_span, message);
                problems.push(problem.help(format!("write `{key}: {rest}`")));
                continue;
            }
            let problem = Problem::error(
                Code::UnknownKey,
                &entry.key_span,
                format!("unknown key `{}` in this {}", entry.key, self.mapping.what),
            );
            let help = match nearest(&entry.key, self.mapping.all_keys().map(|key| key.name)) {
                Some(guess) => format!("did you mean `{guess}`?"),
                None => {
                    let known: Vec<String> =
                        self.mapping.all_keys().map(|key| format!("`{}`", key.name)).collect();
                    format!("known keys: {}", known.join(", "))
                }
            };
            problems.push(problem.help(help));
        }
    }
}

/// A key that was written without a space after its `:`, as in `accept:{ overall: 0.95 }`, and the bracket behind it.
fn glued(key: &str) -> Option<(&str, &str)> {
    let (name, rest) = key.split_once(':')?;
    let bracket = rest.get(..1).filter(|c| matches!(*c, "{" | "["))?;
    Some((name, if bracket == "{" { "{ … }" } else { "[ … ]" }))
}

impl Decode for String {
    const EXPECTED: &'static str = "text";

    fn shape() -> Shape {
        Shape::text("text")
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        match &node.data {
            Data::Text { text, .. } => Some(text.clone()),
            Data::Int(_) | Data::Float(_) | Data::Bool(_) => {
                problems.push(
                    Problem::error(
                        Code::WrongType,
                        &node.span,
                        format!("expected text, found {}", node.kind()),
                    )
                    .help(format!("put it in quotes: '{}'", node.span.text())),
                );
                None
            }
            _ => wrong_type(node, Self::EXPECTED, problems),
        }
    }
}

impl Decode for bool {
    const EXPECTED: &'static str = "`true` or `false`";

    fn shape() -> Shape {
        Shape::Bool
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        match node.data {
            Data::Bool(value) => Some(value),
            _ => wrong_type(node, Self::EXPECTED, problems),
        }
    }
}

impl Decode for f64 {
    const EXPECTED: &'static str = "a number";

    fn shape() -> Shape {
        Shape::Number { low: None, high: None, above: false }
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let value = match node.data {
            #[expect(clippy::cast_precision_loss, reason = "settings are small numbers")]
            Data::Int(value) => value as f64,
            Data::Float(value) => value,
            _ => return wrong_type(node, Self::EXPECTED, problems),
        };
        if value.is_finite() {
            return Some(value);
        }
        problems.push(Problem::error(Code::OutOfRange, &node.span, "expected a finite number"));
        None
    }
}

/// A number that must lie in a range; says so when it doesn't.
pub fn number_in(node: &Node, low: f64, high: f64, problems: &mut Problems) -> Option<f64> {
    let value = f64::decode(node, problems)?;
    if (low..=high).contains(&value) {
        return Some(value);
    }
    let range = if high == f64::MAX { format!("{low} or more") } else { format!("from {low} to {high}") };
    let problem =
        Problem::error(Code::OutOfRange, &node.span, format!("expected a number {range}, found {value}"));
    problems.push(problem.help(if value < low {
        format!("the least it may be is {low}")
    } else {
        format!("the most it may be is {high}")
    }));
    None
}

impl Decode for Score {
    const EXPECTED: &'static str = "a score from 0 to 1";

    fn shape() -> Shape {
        Shape::number(0.0, 1.0)
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let value = f64::decode(node, problems)?;
        if let Some(score) = Score::new(value) {
            return Some(score);
        }
        let mut problem = Problem::error(
            Code::OutOfRange,
            &node.span,
            format!("expected a score from 0 to 1, found {value}"),
        );
        if (1.0..=100.0).contains(&value) {
            problem = problem.help(format!("a percentage is written as a fraction: {}", value / 100.0));
        }
        problems.push(problem);
        None
    }
}

/// Highest amount of money that can be written down, in US dollars.
const HIGHEST_AMOUNT: f64 = 1e9;

impl Decode for Usd {
    const EXPECTED: &'static str = "an amount in US dollars";

    fn shape() -> Shape {
        Shape::number(0.0, HIGHEST_AMOUNT)
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        number_in(node, 0.0, HIGHEST_AMOUNT, problems).and_then(Usd::new)
    }
}

/// A whole number of things, at least 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Count(pub u32);

impl Decode for Count {
    const EXPECTED: &'static str = "a whole number, at least 1";

    fn shape() -> Shape {
        Shape::whole(1, i64::from(u32::MAX))
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let value = whole(node, 1, i64::from(u32::MAX), problems)?;
        u32::try_from(value).ok().map(Count)
    }
}

impl Decode for u64 {
    const EXPECTED: &'static str = "a whole number";

    fn shape() -> Shape {
        Shape::Whole { low: 0, high: None }
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        whole(node, 0, i64::MAX, problems).and_then(|value| u64::try_from(value).ok())
    }
}

fn whole(node: &Node, low: i64, high: i64, problems: &mut Problems) -> Option<i64> {
    match node.data {
        Data::Int(value) if (low..=high).contains(&value) => Some(value),
        Data::Int(value) => {
            let limit = if value < low { format!("at least {low}") } else { format!("at most {high}") };
            problems.push(Problem::error(
                Code::OutOfRange,
                &node.span,
                format!("expected a whole number, {limit}, found {value}"),
            ));
            None
        }
        Data::Float(value) => {
            problems.push(Problem::error(
                Code::WrongType,
                &node.span,
                format!("expected a whole number, found {value}"),
            ));
            None
        }
        _ => wrong_type(node, "a whole number", problems),
    }
}

/// What [`Millis::parse`] reads.
const DURATION: &str = r"^\s*\+?([0-9]+\.?[0-9]*|\.[0-9]+)\s*(ms|s|m|min|h)\s*$";

impl Decode for Millis {
    const EXPECTED: &'static str = "a duration such as `30s`, `500ms` or `2m`";

    fn shape() -> Shape {
        Shape::text_like("a duration such as `30s`, `500ms`, `2m` or `1h`", DURATION)
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let text = match &node.data {
            Data::Text { text, .. } => text.as_str(),
            Data::Int(_) | Data::Float(_) => {
                problems.push(
                    Problem::error(Code::WrongType, &node.span, "a duration needs its unit").help(format!(
                        "write `{0}s` for seconds or `{0}ms` for milliseconds",
                        node.span.text()
                    )),
                );
                return None;
            }
            _ => return wrong_type(node, Self::EXPECTED, problems),
        };
        let parsed = Millis::parse(text);
        if parsed.is_none() {
            problems.push(Problem::error(
                Code::WrongType,
                &node.span,
                format!("expected {}, found `{text}`", Self::EXPECTED),
            ));
        }
        parsed
    }
}

impl<T: Decode> Decode for Vec<T> {
    const EXPECTED: &'static str = "a list";

    fn shape() -> Shape {
        Shape::list(T::shape())
    }

    /// Wrong items are reported and left out.
    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        match &node.data {
            Data::List(items) => Some(items.iter().filter_map(|item| T::decode(item, problems)).collect()),
            _ => wrong_type(node, &format!("a list, each item {}", T::EXPECTED), problems),
        }
    }
}

impl<T: Decode> Decode for BTreeMap<String, T> {
    const EXPECTED: &'static str = "a mapping";

    fn shape() -> Shape {
        Shape::Map(Open { key: "NAME", names: Names::Any, doc: "", shape: T::shape, null: Null::Mistake })
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        match &node.data {
            Data::Map(entries) => Some(
                entries
                    .iter()
                    .filter_map(|e| T::decode(&e.value, problems).map(|value| (e.key.clone(), value)))
                    .collect(),
            ),
            _ => wrong_type(node, &format!("a mapping, each value {}", T::EXPECTED), problems),
        }
    }
}

impl Decode for serde_json::Value {
    const EXPECTED: &'static str = "any value";

    fn shape() -> Shape {
        Shape::Any
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        fn finite(node: &Node, problems: &mut Problems) -> bool {
            match &node.data {
                Data::Float(f) if !f.is_finite() => {
                    problems.push(Problem::error(Code::OutOfRange, &node.span, "expected a finite number"));
                    false
                }
                // Counted, not asked with `all`: each one that is not is reported.
                Data::List(items) => items.iter().filter(|item| !finite(item, problems)).count() == 0,
                Data::Map(entries) => entries.iter().filter(|e| !finite(&e.value, problems)).count() == 0,
                _ => true,
            }
        }
        finite(node, problems).then(|| node.to_json())
    }
}

/// Implements [`Decode`] for an enum of words, each with a sentence that says what it stands for:
/// `decode_words!(Ties, "tie rule", { "first": "The earlier." => Ties::First, … })`.
#[macro_export]
macro_rules! decode_words {
    ($type:ty, $what:literal, { $($word:literal : $doc:expr => $value:expr),+ $(,)? }) => {
        impl $crate::value::decode::Decode for $type {
            const EXPECTED: &'static str = concat!("one of", $(" `", $word, "`"),+);

            fn shape() -> $crate::value::shape::Shape {
                $crate::value::shape::Shape::Words(
                    vec![$($crate::value::shape::Word { word: $word, doc: $doc }),+],
                )
            }

            fn decode(
                node: &$crate::value::yaml::Node,
                problems: &mut $crate::diag::Problems,
            ) -> Option<Self> {
                let Some(text) = node.as_text() else {
                    return $crate::value::decode::wrong_type(
                        node,
                        <Self as $crate::value::decode::Decode>::EXPECTED,
                        problems,
                    );
                };
                match text {
                    $($word => Some($value),)+
                    other => $crate::value::decode::unknown_word(&node.span, $what, other, &[$($word),+], problems),
                }
            }
        }
    };
}
