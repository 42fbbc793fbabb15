//! Comparisons of dates: `before` and `after`.

use super::Test;
use super::check::{AsksAbsent, Blame, Check, Definition};
use super::formats::parse_date;
use crate::diag::{Code, Problem, Problems};
use crate::rules::placing::Placing;
use crate::rules::reference::{Reference, reference};
use crate::rules::rule_scope::RuleScope;
use crate::value::Item;
use crate::value::decode::Decode;
use crate::value::shape::{Key, Shape};
use crate::value::yaml::Node;
use jiff::civil::Date;
#[cfg(test)]
use serde_json::json;
use std::cmp::Ordering;
use std::fmt;

pub(super) const BEFORE: Definition = Definition {
    key: Key::new("before", date, "A date must lie before this date, or before the date in this field.")
        .examples(&["discharged", "2030-01-01"]),
    read: |node, problems| {
        moment(node, problems).map(|other| Test::Dated(Dated { order: Ordering::Less, other }))
    },
    named: |value| Some(value).filter(|value| !value.as_text().is_some_and(starts_with_digit)),
    #[cfg(test)]
    cases: || vec![("before: 2024-06-01", json!(["2024-05-31"]), json!(["2024-06-01", "soon", 2024]))],
};

pub(super) const AFTER: Definition = Definition {
    key: Key::new("after", date, "A date must lie after this date, or after the date in this field.")
        .examples(&["birthDate"]),
    read: |node, problems| {
        moment(node, problems).map(|other| Test::Dated(Dated { order: Ordering::Greater, other }))
    },
    named: BEFORE.named,
    #[cfg(test)]
    cases: || {
        vec![
            ("after: start", json!(["2024-01-02T10:00:00Z"]), json!(["2024-01-01", "2023-12-31"])),
            ("after: nowhere", json!(["2024-01-02"]), json!(["not a date"])),
        ]
    },
};

fn date() -> Shape {
    Shape::text_like(
        "a date such as `2024-06-19`, or a field or path with one",
        r"^([^0-9]|[0-9]{4}-[0-9]{2}-[0-9]{2})",
    )
}

/// A date before or after the other; holds if the other is absent or not a date.
#[derive(Debug, Clone)]
pub struct Dated {
    /// The order of the date and the other.
    order: Ordering,
    other: Moment,
}

/// The other side of a comparison of dates.
#[derive(Debug, Clone)]
enum Moment {
    /// A date in the rule.
    Literal(Date),
    /// A date in the candidate.
    At(Reference),
}

impl fmt::Display for Dated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.order.is_lt() { "a date before " } else { "a date after " })?;
        match &self.other {
            Moment::Literal(date) => write!(f, "{date}"),
            Moment::At(reference) => write!(f, "`{reference}`"),
        }
    }
}

impl Check for Dated {
    fn asks_absent(&self) -> AsksAbsent {
        AsksAbsent::Never
    }

    fn looks_inside(&self) -> bool {
        false
    }

    fn references(&self) -> &[Reference] {
        match &self.other {
            Moment::At(one) => std::slice::from_ref(one),
            Moment::Literal(_) => &[],
        }
    }

    fn place(&mut self, placing: &mut Placing<'_>) {
        if let Moment::At(one) = &mut self.other {
            placing.reference(one, false);
        }
    }

    fn holds(&self, item: Item<'_>, scope: Option<&RuleScope<'_, '_>>, _room: &mut String) -> Option<bool> {
        let scope = scope?;
        let Some(date) = item.as_text().and_then(parse_date) else { return Some(false) };
        Some(match &self.other {
            Moment::Literal(other) => date.cmp(other) == self.order,
            Moment::At(reference) => {
                let mut all = true;
                scope.look(reference, &mut |value| {
                    if let Some(other) = value.as_text().and_then(parse_date) {
                        all &= date.cmp(&other) == self.order;
                    }
                });
                all
            }
        })
    }

    fn blame(&self, _scope: &RuleScope<'_, '_>) -> Vec<Blame> {
        Vec::new()
    }
}

fn starts_with_digit(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

fn moment(node: &Node, problems: &mut Problems) -> Option<Moment> {
    let text = String::decode(node, problems)?;
    if let Some(date) = parse_date(&text) {
        return Some(Moment::Literal(date));
    }
    if starts_with_digit(&text) {
        problems.push(
            Problem::error(Code::WrongType, &node.span, format!("`{text}` is not a date"))
                .help("write a date as `2024-06-19`, or name a field"),
        );
        return None;
    }
    reference(node, problems).map(Moment::At)
}
