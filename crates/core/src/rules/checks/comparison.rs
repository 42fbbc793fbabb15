//! Comparisons with values elsewhere in the candidate: `same_as`, `at_most` and `at_least`.

use super::Test;
use super::check::{AsksAbsent, Blame, Check, Definition};
use crate::rules::memo::{Asks, Known};
use crate::rules::number::{Number, exact};
use crate::rules::placing::Placing;
use crate::rules::reference::{Reference, place, reference};
use crate::rules::rule_scope::RuleScope;
use crate::rules::shown::Shown;
use crate::rules::xsd_order::compare_ordered;
use crate::value::Item;
use crate::value::shape::Key;
#[cfg(test)]
use serde_json::json;
use std::cmp::Ordering;
use std::fmt;

pub(super) const SAME_AS: Definition = Definition {
    key: Key::new("same_as", place, "The value must equal each value there, if there is any.")
        .examples(&["^.unit"]),
    read: |node, problems| reference(node, problems).map(|other| Test::SameAs(SameAs(other))),
    named: |value| Some(value),
    #[cfg(test)]
    cases: || {
        vec![
            ("same_as: other", json!(["here"]), json!(["there", 1])),
            ("same_as: nowhere", json!(["a", 1]), json!([])),
        ]
    },
};

pub(super) const AT_MOST: Definition = Definition {
    key: Key::new(
        "at_most",
        place,
        "The number, date, time or duration must not be above one of its kind there.",
    )
    .examples(&["^.high"]),
    read: |node, problems| {
        reference(node, problems).map(|other| Test::Bounded(Bounded { beyond: Ordering::Greater, other }))
    },
    named: |value| Some(value),
    #[cfg(test)]
    cases: || vec![("at_most: '$.ids[1].id'", json!([2, "2", "1.5", "two"]), json!([2.5, "3"]))],
};

pub(super) const AT_LEAST: Definition = Definition {
    key: Key::new(
        "at_least",
        place,
        "The number, date, time or duration must not be below one of its kind there.",
    )
    .examples(&["<.day"]),
    read: |node, problems| {
        reference(node, problems).map(|other| Test::Bounded(Bounded { beyond: Ordering::Less, other }))
    },
    named: |value| Some(value),
    #[cfg(test)]
    cases: || vec![("at_least: '$.ids[*].id'", json!([2, 3]), json!([1]))],
};

/// It equals each value there. Holds when nothing is there.
#[derive(Debug, Clone)]
pub struct SameAs(Reference);

impl fmt::Display for SameAs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the same as `{}`", self.0)
    }
}

impl Check for SameAs {
    fn asks_absent(&self) -> AsksAbsent {
        AsksAbsent::Never
    }

    fn looks_inside(&self) -> bool {
        true
    }

    fn references(&self) -> &[Reference] {
        std::slice::from_ref(&self.0)
    }

    fn place(&mut self, placing: &mut Placing<'_>) {
        placing.reference(&mut self.0, true);
    }

    fn holds(&self, item: Item<'_>, scope: Option<&RuleScope<'_, '_>>, _room: &mut String) -> Option<bool> {
        Some(equals_all(scope?, item, &self.0))
    }

    fn blame(&self, scope: &RuleScope<'_, '_>) -> Vec<Blame> {
        against(scope, "must be the same as", &self.0)
    }
}

/// It is not beyond a number, date, time or duration there. Holds if the two can't be compared.
#[derive(Debug, Clone)]
pub struct Bounded {
    /// The order of the value and another that it must not have.
    beyond: Ordering,
    other: Reference,
}

impl fmt::Display for Bounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a number of `{}` or {}", self.other, if self.beyond.is_gt() { "less" } else { "more" })
    }
}

impl Check for Bounded {
    fn asks_absent(&self) -> AsksAbsent {
        AsksAbsent::Never
    }

    fn looks_inside(&self) -> bool {
        false
    }

    fn references(&self) -> &[Reference] {
        std::slice::from_ref(&self.other)
    }

    fn place(&mut self, placing: &mut Placing<'_>) {
        placing.reference(&mut self.other, false);
    }

    fn holds(&self, item: Item<'_>, scope: Option<&RuleScope<'_, '_>>, _room: &mut String) -> Option<bool> {
        Some(is_beyond_none(scope?, item, &self.other, self.beyond))
    }

    fn blame(&self, scope: &RuleScope<'_, '_>) -> Vec<Blame> {
        let must = if self.beyond.is_gt() { "must be at most" } else { "must be at least" };
        against(scope, must, &self.other)
    }
}

/// The value of a scope, if it is to blame for what it must be beside the first value there.
pub(super) fn against(scope: &RuleScope<'_, '_>, must: &str, reference: &Reference) -> Vec<Blame> {
    let Some(other) = scope.first(reference) else { return Vec::new() };
    let (path, value) = (scope.at.to_string(), Shown::of(scope.value));
    let place = scope.pointer_of(reference);
    let message = format!("`{path}` is `{value}`, which {must} `{other}` (see `{place}`)");
    vec![Blame { path, message }]
}

/// Returns whether `item` is beyond no value there: numbers, and dates, times and durations with others of their kind.
/// Also when the two can't be compared.
fn is_beyond_none<'c>(
    scope: &RuleScope<'c, '_>,
    item: Item<'_>,
    other: &Reference,
    beyond: Ordering,
) -> bool {
    let asks = if beyond.is_gt() { Asks::Smallest } else { Asks::Largest };
    let number = exact(item);
    let order = |value: Item<'_>| match (number, exact(value)) {
        (Some(number), Some(other)) => number.compare(other),
        _ => compare_ordered(item.as_text()?.trim(), value.as_text()?.trim()),
    };
    let (Some(number), Reference::Root { path, slots }) = (number, other) else {
        let mut all = true;
        scope.look(other, &mut |value| all &= order(value) != Some(beyond));
        return all;
    };
    let key = (std::ptr::from_ref(path) as usize, asks);
    let mut memo = scope.memo.borrow_mut();
    let extreme = match memo.get(key) {
        Some(Known::Number(known)) => *known,
        _ => {
            let mut extreme: Option<Number<'c>> = None;
            scope.select(path, slots, &mut |_, value| {
                let more = exact(value);
                if let Some(more) = more
                    && extreme.is_none_or(|known| known.compare(more) == Some(beyond))
                {
                    extreme = Some(more);
                }
            });
            memo.keep(key, Known::Number(extreme));
            extreme
        }
    };
    extreme.is_none_or(|extreme| number.compare(extreme) != Some(beyond))
}

/// Returns whether `item` equals each value there.
fn equals_all<'c>(scope: &RuleScope<'c, '_>, item: Item<'_>, other: &Reference) -> bool {
    let Reference::Root { path, slots } = other else {
        let mut same = true;
        scope.look(other, &mut |value| same = same && item.equals(value, false));
        return same;
    };
    let key = (std::ptr::from_ref(path) as usize, Asks::Same);
    let mut memo = scope.memo.borrow_mut();
    let known = match memo.get(key) {
        Some(Known::Same(known)) => *known,
        _ => {
            let mut known: Result<Option<Item<'c>>, ()> = Ok(None);
            scope.select(path, slots, &mut |_, value| {
                known = match known {
                    Ok(None) => Ok(Some(value)),
                    Ok(Some(first)) if first.equals(value, false) => Ok(Some(first)),
                    _ => Err(()),
                };
            });
            memo.keep(key, Known::Same(known));
            known
        }
    };
    known.is_ok_and(|one| one.is_none_or(|one| item.equals(one, false)))
}
