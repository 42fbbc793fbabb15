//! `stop.any` and `stop.all`: criteria that compose.

use super::{Criterion, KEYS_IN_GROUPS, read_in_group};
use crate::diag::{Code, Problem, Problems};
use crate::value::decode::{unknown_word, wrong_type};
use crate::value::prose::list;
use crate::value::shape::{Key, Mapping, Shape};
use crate::value::yaml::{Data, Node};

pub(super) const ANY: Key = Key::new(
    "any",
    group,
    "Stops when one of these criteria applies. Groups are looked at after the others, and may nest.",
)
.examples(&["[{ timeout: 2m }, { all: [{ decline: { length: 2 } }, { budget: { cost_usd: 0.05 } }] }]"]);

pub(super) const ALL: Key = Key::new(
    "all",
    group,
    "Stops when all of these criteria apply at once. Groups are looked at after the others, and may nest.",
)
.examples(&["[{ stagnation: { window: 2, epsilon: 0.01 } }, { budget: { calls: 4 } }]"]);

fn group() -> Shape {
    Shape::list(Shape::Mapping(&MEMBER))
}

/// The keys that an element of a group may have; exactly one of these in each.
static MEMBER: Mapping = Mapping {
    name: "criterion",
    what: "element of a group",
    doc: "One criterion: exactly one of these keys.",
    keys: &[KEYS_IN_GROUPS, &[ANY.never_null(), ALL.never_null()]],
    open: None,
};

/// The clause of several criteria.
#[must_use]
pub fn clause_of_all(members: &[Criterion], last: &str) -> String {
    list(&members.iter().map(Criterion::clause).collect::<Vec<_>>(), last)
}

/// Reads the list under `any` or `all`.
pub(super) fn read_members(node: &Node, problems: &mut Problems) -> Vec<Criterion> {
    let Data::List(items) = &node.data else {
        return wrong_type(node, "a list of criteria", problems).unwrap_or_default();
    };
    if items.is_empty() {
        problems.push(
            Problem::error(Code::Empty, &node.span, "this group has no criterion")
                .help("add one, such as `- stagnation: { window: 2, epsilon: 0.05 }`, or remove the group"),
        );
    }
    items.iter().filter_map(|item| read_member(item, problems)).collect()
}

fn read_member(node: &Node, problems: &mut Problems) -> Option<Criterion> {
    let Data::Map(entries) = &node.data else {
        return wrong_type(
            node,
            "one criterion, such as `stagnation: { window: 2, epsilon: 0.05 }`",
            problems,
        );
    };
    let [entry] = entries.as_slice() else {
        let found = entries.len();
        let message = format!("an element of a group is one criterion, found {found}");
        problems.push(
            Problem::error(Code::Conflict, &node.span, message)
                .help("give each its own `-`, or nest them under `all:` or `any:`"),
        );
        return None;
    };
    match entry.key.as_str() {
        "any" => Some(Criterion::Any(read_members(&entry.value, problems))),
        "all" => Some(Criterion::All(read_members(&entry.value, problems))),
        key => read_in_group(key, &entry.value, problems).unwrap_or_else(|| {
            let known: Vec<&str> = MEMBER.all_keys().map(|key| key.name).collect();
            unknown_word(&entry.key_span, "criterion", key, &known, problems)
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stop::{Rollbacks, Unchanged};

    #[test]
    fn a_group_is_told_with_its_members() {
        let all = [Criterion::Unchanged(Unchanged), Criterion::Any(vec![Criterion::Rollbacks(Rollbacks(2))])];
        assert!(
            clause_of_all(&all, "and")
                .ends_with("and one of these holds: (2 candidates in a row were rolled back)")
        );
    }
}
