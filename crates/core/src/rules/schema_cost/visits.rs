//! The cost of checking one value against a JSON Schema: each pair of a schema and a value is counted once.

use super::references::Targets;
use super::{
    ELSEWHERE, FOR_ALL_ITEMS, FOR_ALL_MEMBERS, LONG_LIST, MAX_STACK, MAX_STEPS, allowed, id, in_place, marks,
};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// The work of a validator on one schema and one value.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Visit {
    /// Schemas that check a value, and values that are copied into errors.
    pub(super) checks: u64,
    /// Like `checks`, to find out what has been evaluated.
    marks: u64,
}

/// Counts visits, each pair of a schema and a value once.
pub(super) struct Visits<'t, 's> {
    pub(super) targets: &'t Targets<'s>,
    /// By the identities of the two.
    pub(super) known: HashMap<(usize, usize), Visit>,
    /// The number of values in a value.
    pub(super) sizes: HashMap<usize, u64>,
    pub(super) steps: u64,
}

impl<'s> Visits<'_, 's> {
    pub(super) fn of(&mut self, schema: &'s Value, value: &Value, depth: usize) -> Visit {
        let Value::Object(members) = schema else { return Visit { checks: 1, marks: 0 } };
        let pair = (id(schema), id(value));
        if let Some(known) = self.known.get(&pair) {
            return *known;
        }
        self.steps = self.steps.saturating_add(if depth > MAX_STACK { MAX_STEPS } else { 1 });
        if self.steps > MAX_STEPS {
            return Visit::default();
        }
        let mut visit = Visit { checks: 1, marks: 0 };
        let allowed = allowed(schema);
        if allowed > LONG_LIST {
            self.steps = self.steps.saturating_add(allowed / LONG_LIST);
            let is_one = members.get("const") == Some(value)
                || members.get("enum").and_then(Value::as_array).is_some_and(|list| list.contains(value));
            visit.checks = visit.checks.saturating_add(if is_one { 0 } else { allowed });
        }
        for (key, _, part) in in_place(members) {
            self.in_place(part, value, depth, &mut visit);
            // A value that fits no branch is copied into the errors of each.
            if matches!(key, "anyOf" | "oneOf") {
                visit.checks = visit.checks.saturating_add(self.size(value));
            }
        }
        let named = self.targets.named_in(members);
        if named.is_empty() && members.contains_key("$ref") {
            visit.checks = visit.checks.saturating_add(self.size(value).saturating_mul(ELSEWHERE));
        }
        for (target, _) in named {
            self.in_place(target, value, depth, &mut visit);
        }
        match value {
            Value::Object(held) => {
                for (name, member) in held {
                    let declared = members.get("properties").and_then(|named| named.get(name));
                    let patterns = members.get("patternProperties").and_then(Value::as_object);
                    let patterns = patterns.into_iter().flat_map(Map::values);
                    for part in declared.into_iter().chain(patterns) {
                        self.below(part, member, depth, false, &mut visit);
                    }
                    for key in FOR_ALL_MEMBERS {
                        let applies = key != "additionalProperties" || declared.is_none();
                        if let Some(part) = members.get(key).filter(|part| applies && part.is_object()) {
                            self.below(part, member, depth, key == "unevaluatedProperties", &mut visit);
                        }
                    }
                }
            }
            Value::Array(items) => {
                for (at, item) in items.iter().enumerate() {
                    for key in ["prefixItems", "items"] {
                        if let Some(part) = members.get(key).and_then(|list| list.get(at)) {
                            self.below(part, item, depth, false, &mut visit);
                        }
                    }
                    for key in FOR_ALL_ITEMS {
                        if let Some(part) = members.get(key).filter(|part| part.is_object()) {
                            self.below(part, item, depth, key == "unevaluatedItems", &mut visit);
                        }
                    }
                }
            }
            _ => {}
        }
        if marks(members) {
            visit.checks = visit.checks.saturating_add(visit.marks);
        }
        self.known.insert(pair, visit);
        visit
    }

    fn in_place(&mut self, part: &'s Value, value: &Value, depth: usize, visit: &mut Visit) {
        let one = self.of(part, value, depth + 1);
        visit.checks = visit.checks.saturating_add(one.checks);
        visit.marks = visit.marks.saturating_add(one.checks).saturating_add(one.marks);
    }

    fn below(&mut self, part: &'s Value, value: &Value, depth: usize, marking: bool, visit: &mut Visit) {
        let one = self.of(part, value, depth + 1);
        visit.checks = visit.checks.saturating_add(one.checks);
        if marking {
            visit.marks = visit.marks.saturating_add(one.checks);
        }
    }

    fn size(&mut self, value: &Value) -> u64 {
        if let Some(known) = self.sizes.get(&id(value)) {
            return *known;
        }
        let all = match value {
            Value::Array(items) => items.iter().map(|item| self.size(item)).sum::<u64>() + 1,
            Value::Object(members) => members.values().map(|member| self.size(member)).sum::<u64>() + 1,
            _ => return 1,
        };
        self.sizes.insert(id(value), all);
        all
    }
}
