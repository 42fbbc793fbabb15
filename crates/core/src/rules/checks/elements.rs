//! Checks of the elements of a list: `unique` and `uniform`.

use super::Test;
use super::check::{AsksAbsent, Blame, Check, Definition};
use crate::diag::Problems;
use crate::rules::memo::PAIRWISE;
use crate::rules::placing::Placing;
use crate::rules::reference::{Reference, parse_path, reference};
use crate::rules::rule_scope::RuleScope;
use crate::rules::shown::Shown;
use crate::value::decode::wrong_type;
use crate::value::shape::{Key, Shape};
use crate::value::yaml::{Data, Node};
use crate::value::{Fuel, Item, JsonPath, Pointer};
#[cfg(test)]
use serde_json::json;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::fmt;

pub(super) const UNIQUE: Definition = Definition {
    key: Key::new(
        "unique",
        || Shape::AnyOf(vec![Shape::Bool, Shape::text("the key that tells elements apart, or a path")]),
        "A list must have no repetitions (`true`), no two elements with the same value of a key, or no two equal values \
         at a path (`$…`, `@…`).",
    )
    .examples(&["true", "name", "'$.reports[*].id'"]),
    read: unique,
    // A plain name is a member of the elements.
    named: |value| Some(value).filter(|value| value.as_text().is_some_and(is_path)),
    #[cfg(test)]
    cases: || {
        vec![
            (
                "unique: true",
                json!([[1, 2], ["1", 1], [[1], [2]]]),
                json!([[1, 1.0], ["a", "a"], [{"a": 1, "b": 2}, {"b": 2, "a": 1}], "aa"]),
            ),
            (
                "unique: id",
                json!([[{"id": 1}, {"id": 2}, {}, {}]]),
                json!([[{"id": 1, "n": 1}, {"id": 1, "n": 2}]]),
            ),
            (
                "unique: '@[*].a.id'",
                json!([[{"a": {"id": 1}}, {"a": {"id": 2}}, {}], "x"]),
                json!([[{"a": {"id": 1}}, {"a": {"id": 1.0}}]]),
            ),
            ("unique: '$.ids[*].id'", json!(["x"]), json!([])),
        ]
    },
};

pub(super) const UNIFORM: Definition = Definition {
    key: Key::new(
        "uniform",
        || {
            Shape::AnyOf(vec![
                Shape::Bool,
                Shape::text("what all elements must have the same of: a key, or a path that begins with `@`"),
            ])
        },
        "All elements of a list must be equal (`true`), or have the same of what a key or path selects.",
    )
    .examples(&["unit"]),
    read: uniform,
    named: |_| None,
    #[cfg(test)]
    cases: || {
        vec![
            ("uniform: true", json!([[1, 1.0], ["a"]]), json!([[1, 2], "aa"])),
            (
                "uniform: id",
                json!([[{"id": 1, "n": 1}, {}, {"id": 1, "n": 2}]]),
                json!([[{"id": 1}, {"id": 2}]]),
            ),
            (
                "uniform: '@.a[*]'",
                json!([[{"a": [1, 2]}, {"a": [1, 2]}]]),
                json!([[{"a": [1, 2]}, {"a": [1]}]]),
            ),
        ]
    },
};

/// No two elements of the list are equal, by a member if one is named; elements without it are ignored.
#[derive(Debug, Clone)]
pub struct Unique {
    key: Option<String>,
}

impl fmt::Display for Unique {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.key {
            None => f.write_str("a list without repetitions"),
            Some(key) => write!(f, "a list in which no `{key}` is repeated"),
        }
    }
}

impl Check for Unique {
    fn asks_absent(&self) -> AsksAbsent {
        AsksAbsent::Never
    }

    fn looks_inside(&self) -> bool {
        true
    }

    fn references(&self) -> &[Reference] {
        &[]
    }

    fn place(&mut self, _placing: &mut Placing<'_>) {}

    fn holds(&self, item: Item<'_>, _scope: Option<&RuleScope<'_, '_>>, _room: &mut String) -> Option<bool> {
        Some(is_unique(item, self.key.as_deref()))
    }

    fn blame(&self, scope: &RuleScope<'_, '_>) -> Vec<Blame> {
        let key = self.key.as_deref();
        let blamed = |(again, first): (usize, usize)| {
            let value = Shown::of(side(scope.value.element(again)?, key)?);
            Some(repetition(scope.element(again, key), &value, &scope.element(first, key)))
        };
        repetitions(scope.value, key).filter_map(blamed).collect()
    }
}

/// No two values there are equal.
#[derive(Debug, Clone)]
pub struct Distinct(Reference);

impl fmt::Display for Distinct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no value of `{}` to be repeated", self.0)
    }
}

impl Check for Distinct {
    fn asks_absent(&self) -> AsksAbsent {
        AsksAbsent::Never
    }

    fn looks_inside(&self) -> bool {
        false
    }

    fn references(&self) -> &[Reference] {
        std::slice::from_ref(&self.0)
    }

    fn place(&mut self, placing: &mut Placing<'_>) {
        placing.reference(&mut self.0, true);
    }

    fn holds(&self, _item: Item<'_>, scope: Option<&RuleScope<'_, '_>>, _room: &mut String) -> Option<bool> {
        Some(repeated(scope?, &self.0).is_empty())
    }

    fn blame(&self, scope: &RuleScope<'_, '_>) -> Vec<Blame> {
        repeated(scope, &self.0)
    }
}

/// All elements of the list are equal, by a path if one is given; elements in which it selects nothing are ignored.
#[derive(Debug, Clone)]
pub struct Uniform {
    path: Option<JsonPath>,
}

impl fmt::Display for Uniform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.path {
            None => f.write_str("a list of equal elements"),
            Some(path) => write!(f, "a list in which all elements have the same `{}`", path.as_str()),
        }
    }
}

impl Check for Uniform {
    fn asks_absent(&self) -> AsksAbsent {
        AsksAbsent::Never
    }

    fn looks_inside(&self) -> bool {
        true
    }

    fn references(&self) -> &[Reference] {
        &[]
    }

    fn place(&mut self, _placing: &mut Placing<'_>) {}

    fn holds(&self, item: Item<'_>, scope: Option<&RuleScope<'_, '_>>, _room: &mut String) -> Option<bool> {
        let fuel = scope?.fuel;
        Some(matches!(item, Item::List(_)) && different(item, self.path.as_ref(), fuel).next().is_none())
    }

    fn blame(&self, scope: &RuleScope<'_, '_>) -> Vec<Blame> {
        let what = self.path.as_ref().map_or_else(String::new, |path| format!(" in `{}`", path.as_str()));
        let blamed = |position| {
            let path = scope.element(position, None);
            Blame { message: format!("`{path}` differs{what} from the elements before it"), path }
        };
        different(scope.value, self.path.as_ref(), scope.fuel).map(blamed).collect()
    }
}

fn unique(node: &Node, problems: &mut Problems) -> Option<Test> {
    match &node.data {
        Data::Bool(true) => Some(Test::Unique(Unique { key: None })),
        Data::Bool(false) => None,
        Data::Text { text, .. } if is_path(text) => {
            reference(node, problems).map(|there| Test::Distinct(Distinct(there)))
        }
        Data::Text { text, .. } => Some(Test::Unique(Unique { key: Some(text.clone()) })),
        _ => wrong_type(node, "`true`, or the key that tells elements apart", problems),
    }
}

fn is_path(text: &str) -> bool {
    text.starts_with(['$', '@'])
}

fn uniform(node: &Node, problems: &mut Problems) -> Option<Test> {
    match &node.data {
        Data::Bool(true) => Some(Test::Uniform(Uniform { path: None })),
        Data::Bool(false) => None,
        Data::Text { text, .. } => {
            let text = text.strip_prefix('@').map_or_else(|| format!("$.{text}"), |rest| format!("${rest}"));
            parse_path(&text, node, problems).map(|path| Test::Uniform(Uniform { path: Some(path) }))
        }
        _ => wrong_type(node, "`true`, or what all elements must have the same of", problems),
    }
}

/// The blame of a value that is at another place already.
fn repetition(path: String, value: &Shown, first: &str) -> Blame {
    Blame { message: format!("`{path}` is `{value}`, which is at `{first}` already"), path }
}

/// The values that repeat another one among those that a reference into the candidate or the target selects.
fn repeated<'c>(scope: &RuleScope<'c, '_>, reference: &Reference) -> Vec<Blame> {
    let mut seen: HashMap<String, String> = HashMap::new();
    let mut repeated = Vec::new();
    let mut look = |base: &str, at: &Pointer<'_>, value: Item<'c>| {
        let path = format!("{base}{at}");
        match seen.entry(value.canonical()) {
            Entry::Occupied(first) => repeated.push(repetition(path, &Shown::of(value), first.get())),
            Entry::Vacant(free) => {
                free.insert(path);
            }
        }
    };
    match reference {
        Reference::Root { path, slots } => scope.select(path, slots, &mut |at, value| look("", at, value)),
        Reference::Target(path) => {
            let base = scope.at.to_string();
            path.visit(scope.value, scope.fuel, &mut |at, value| look(&base, at, value));
        }
        Reference::Field { .. } | Reference::Holder { .. } | Reference::Before(_) => {}
    }
    repeated
}

/// The identity of an element: itself, or one of its members.
fn side<'v>(value: Item<'v>, key: Option<&str>) -> Option<Item<'v>> {
    key.map_or(Some(value), |key| value.member(key))
}

/// The positions of the elements of a list that differ from the first one, by what a path selects in each.
fn different<'i>(
    list: Item<'i>,
    path: Option<&'i JsonPath>,
    fuel: &'i Fuel,
) -> impl Iterator<Item = usize> + 'i {
    let mut model: Option<Vec<Item<'_>>> = None;
    list.elements().enumerate().filter_map(move |(position, item)| {
        let mut selected = Vec::new();
        match path {
            Some(path) => path.visit(item, fuel, &mut |_, value| selected.push(value)),
            None => selected.push(item),
        }
        if selected.is_empty() {
            return None;
        }
        let Some(model) = &model else {
            model = Some(selected);
            return None;
        };
        let differs =
            model.len() != selected.len() || model.iter().zip(&selected).any(|(a, b)| !a.equals(*b, false));
        differs.then_some(position)
    })
}

/// The positions of elements of a list that are equal, by a member if one is named: each that repeats another, and the first that
/// is like it.
fn repetitions<'i>(list: Item<'i>, key: Option<&'i str>) -> impl Iterator<Item = (usize, usize)> + 'i {
    let mut seen = HashMap::new();
    list.elements().enumerate().filter_map(move |(position, value)| {
        let text = side(value, key)?.canonical();
        match seen.entry(text) {
            Entry::Occupied(first) => Some((position, *first.get())),
            Entry::Vacant(free) => {
                free.insert(position);
                None
            }
        }
    })
}

/// Returns whether no two elements are equal, by a member if one is named.
fn is_unique(item: Item<'_>, key: Option<&str>) -> bool {
    let Item::List(items) = item else { return false };
    if items.len() <= PAIRWISE {
        return item.elements().enumerate().all(|(at, a)| {
            let Some(a) = side(a, key) else { return true };
            item.elements().skip(at + 1).filter_map(|b| side(b, key)).all(|b| !a.equals(b, false))
        });
    }
    let mut seen = HashSet::new();
    item.elements().filter_map(|value| side(value, key)).all(|value| seen.insert(value.canonical()))
}
