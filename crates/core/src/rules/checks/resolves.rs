//! The check `resolves`: values that must be somewhere in the candidate.

use super::Test;
use super::chain::Chain;
use super::check::{AsksAbsent, Blame, Check, Definition};
use crate::rules::memo::{Asks, Known, PAIRWISE};
use crate::rules::placing::Placing;
use crate::rules::reference::{Reference, path};
use crate::rules::rule_scope::RuleScope;
use crate::value::shape::{Key, Shape};
use crate::value::yaml::Data;
use crate::value::{Item, JsonPath};
#[cfg(test)]
use serde_json::json;
use std::collections::HashSet;
use std::fmt;

pub(super) const RESOLVES: Definition = Definition {
    key: Key::new(
        "resolves",
        || Shape::AnyOf(vec![Shape::text("a JSONPath"), Shape::Mapping(Chain::mapping())]),
        "The value, or each of its elements, must be among the values that a path selects; or it is a chain of steps that must lead somewhere.",
    )
    .examples(&["'$.specimens[*].id'"]),
    read: |node, problems| match &node.data {
        Data::Map(_) => Chain::read_mapping(node, problems).map(|chain| Test::Chain(Box::new(chain))),
        _ => path(node, problems).map(|path| Test::Resolves(Resolves(path))),
    },
    named: |value| Some(value.get("start").unwrap_or(value)),
    #[cfg(test)]
    cases: || {
        vec![(
            "resolves: '$.ids[*].id'",
            json!(["a", 2, 2.0, ["a", 2]]),
            json!(["b", "2", ["a", "b"]]),
        )]
    },
};

/// The value, or each element of the list, is among the values that the path selects in the candidate.
#[derive(Debug, Clone)]
pub struct Resolves(JsonPath);

impl fmt::Display for Resolves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a value found at `{}`", self.0.as_str())
    }
}

impl Check for Resolves {
    fn asks_absent(&self) -> AsksAbsent {
        AsksAbsent::Never
    }

    fn looks_inside(&self) -> bool {
        true
    }

    fn references(&self) -> &[Reference] {
        &[]
    }

    fn place(&mut self, placing: &mut Placing<'_>) {
        placing.path(&self.0);
    }

    fn holds(&self, item: Item<'_>, scope: Option<&RuleScope<'_, '_>>, _room: &mut String) -> Option<bool> {
        Some(resolves(scope?, item, &self.0))
    }

    fn blame(&self, _scope: &RuleScope<'_, '_>) -> Vec<Blame> {
        Vec::new()
    }
}

/// Returns whether a value, or each element of a list, is among those that a path selects. If asked often, it is
/// found by the hashes of all of them; that takes memory.
fn resolves(scope: &RuleScope<'_, '_>, item: Item<'_>, path: &JsonPath) -> bool {
    let wanted = if let Item::List(items) = item { items.len() } else { 0 };
    let key = (std::ptr::from_ref(path) as usize, Asks::Among);
    let mut memo = scope.memo.borrow_mut();
    if memo.get(key).is_none() {
        memo.keep(key, Known::Among(0, HashSet::new()));
    }
    let Some(Known::Among(asked, known)) = memo.get(key) else { return false };
    if *asked <= PAIRWISE {
        *asked += wanted.max(1);
        if *asked > PAIRWISE {
            path.visit(scope.candidate, scope.fuel, &mut |_, value| {
                known.insert(value.canonical());
            });
        }
    }
    if *asked > PAIRWISE {
        return match item {
            Item::List(_) => item.elements().all(|one| known.contains(&one.canonical())),
            other => known.contains(&other.canonical()),
        };
    }
    drop(memo);
    let found = |wanted: Item<'_>| {
        let mut found = false;
        path.visit(scope.candidate, scope.fuel, &mut |_, value| {
            found = found || wanted.equals(value, false);
        });
        found
    };
    match item {
        Item::List(_) => item.elements().all(found),
        other => found(other),
    }
}
