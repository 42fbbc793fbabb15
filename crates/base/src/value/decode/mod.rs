//! YAML trees to checked types: all problems collected, unknown keys guessed at.
//!
//! A type implements [`Decode`]. Mappings are read with [`Fields`] through their declaration
//! ([`Mapping`](super::shape::Mapping)), so that `Fields::finish` can report each key that is not declared. Decoding
//! continues after a mistake; `None` only says that this value can't be used.

mod fields;
mod scalars;

pub use fields::Fields;
pub use fields::read_within;
pub use scalars::{Count, number_in};

use super::shape::{Names, Null, Open, Shape};
use super::yaml::{Data, Node};
use crate::diag::{Code, Problem, Problems, Span, nearest};
use std::collections::BTreeMap;

/// A type that can be read from a YAML tree.
pub trait Decode: Sized {
    /// A description of a correct value, in words that follow "expected".
    const EXPECTED: &'static str;

    /// The shape of a correct value, for schemas and reference pages. A decoder may be stricter where a shape can't say
    /// more (a pattern that compiles, a name that exists), never more lenient.
    fn shape() -> Shape;

    /// Reads the value, reporting what is wrong with it.
    fn decode(node: &Node, problems: &mut Problems) -> Option<Self>;
}

/// A decoded value that remembers its location.
#[derive(Debug, Clone)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Its location.
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

/// Longest text that help shows as the item of a list, in bytes.
const LONGEST_ITEM: usize = 60;

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
    if let Some(text) = node.as_text()
        && expected.starts_with("a list, each item text")
        && text.len() <= LONGEST_ITEM
        && !text.contains('\n')
    {
        problem = problem.help(format!("write it as a list: `[{text}]`"));
    }
    if let Some(text) = node.as_text()
        && expected.contains("mapping")
        && let Some((key, value)) = key_without_space(text)
    {
        problem.message = format!("a space is missing after `{key}:`");
        problem = problem.help(format!("write `{key}: {value}`"));
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

/// The key and the value of `overall:0.95`, which is one text to YAML.
fn key_without_space(text: &str) -> Option<(&str, &str)> {
    let (key, value) = text.lines().next()?.split_once(':')?;
    let is_key = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    (is_key && !value.is_empty() && !value.starts_with(['/', ' '])).then_some((key, value))
}

/// A number that was written with a decimal comma, with a point.
fn with_point(text: &str) -> Option<String> {
    let pointed = text.trim().replacen(',', ".", 1);
    (text.contains(',') && pointed.parse::<f64>().is_ok()).then_some(pointed)
}

/// The names that severities have elsewhere.
const SYNONYMS: [(&str, &str); 10] = [
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

/// Implements [`Decode`] for an enum of words, each with a sentence that says what it means:
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

pub use decode_words;
