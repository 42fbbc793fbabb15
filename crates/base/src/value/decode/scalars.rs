//! Texts, numbers, amounts and durations, and values of any form.

use super::{Decode, wrong_type};
use crate::diag::{Code, Problem, Problems};
use crate::value::shape::{Shape, settings};
use crate::value::yaml::{Data, Node};
use crate::value::{Millis, Score, Usd};

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

/// A number that must lie in a range; reports it when it doesn't.
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

/// Numbers that other types count with are whole, too; a key says within which bounds.
macro_rules! whole_numbers {
    ($($type:ty),+) => {
        $(impl Decode for $type {
            const EXPECTED: &'static str = u64::EXPECTED;

            fn shape() -> Shape {
                u64::shape()
            }

            fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
                whole(node, 0, i64::from(u32::MAX), problems).and_then(|value| <$type>::try_from(value).ok())
            }
        })+
    };
}

whole_numbers!(u32, usize);

impl Decode for u64 {
    const EXPECTED: &'static str = "a whole number";

    fn shape() -> Shape {
        Shape::Whole { low: 0, high: None }
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        whole(node, 0, i64::MAX, problems).and_then(|value| u64::try_from(value).ok())
    }
}

pub(super) fn whole(node: &Node, low: i64, high: i64, problems: &mut Problems) -> Option<i64> {
    match node.data {
        Data::Int(value) if (low..=high).contains(&value) => Some(value),
        Data::Int(value) => {
            let range = match (value < low, high < i64::from(u32::MAX)) {
                (_, true) => format!(" from {low} to {high}"),
                (true, false) => format!(", at least {low}"),
                (false, false) => format!(", at most {high}"),
            };
            let message = format!("expected a whole number{range}, found {value}");
            problems.push(Problem::error(Code::OutOfRange, &node.span, message));
            None
        }
        Data::Float(value) => {
            // As it is written (`2.0` would be reported as `2`), unless a variable is there.
            let written = node.span.text();
            let found = if written.parse() == Ok(value) { written.to_owned() } else { value.to_string() };
            problems.push(Problem::error(
                Code::WrongType,
                &node.span,
                format!("expected a whole number, found {found}"),
            ));
            None
        }
        _ => wrong_type(node, "a whole number", problems),
    }
}

/// The pattern of the texts that [`Millis::parse`] reads.
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

impl Decode for serde_json::Map<String, serde_json::Value> {
    const EXPECTED: &'static str = "a mapping";

    fn shape() -> Shape {
        settings()
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        match serde_json::Value::decode(node, problems)? {
            serde_json::Value::Object(settings) => Some(settings),
            _ => wrong_type(node, Self::EXPECTED, problems),
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
