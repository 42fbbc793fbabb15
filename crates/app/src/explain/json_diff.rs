//! Differences between two JSON values, by path.
//!
//! Objects are compared member by member. Lists of objects that all have a member such as `id` are compared by it;
//! other lists by their longest common subsequence, so that an element put in at the front is one change. Values are
//! equal when they are equal as JSON: `1` is `1.0`, and the order of members does not matter.
//!
//! The changes of a list are in an order in which they can be carried out one after the other: removals from the last
//! element to the first, with the positions of the old list, then additions and changes from the first to the last,
//! with the positions of the new one.

use crate::value::{Segment, canonical, push_segment};
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};

/// Members that distinguish the objects of a list, the most telling first.
const KEYS: [&str; 7] = ["id", "idShort", "key", "name", "code", "label", "title"];

/// Lists whose lengths multiply to more than this are compared position by position.
const MOST_PAIRS: usize = 1_000_000;

/// One change.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "change")]
pub enum Change {
    /// Something is there that was not.
    Added {
        /// The location, as a JSON Pointer.
        path: String,
        /// The new value.
        new: Value,
    },
    /// Something is gone.
    Removed {
        /// Its former location.
        path: String,
        /// Its former value.
        old: Value,
    },
    /// Something is another value.
    Changed {
        /// The location.
        path: String,
        /// The former value.
        old: Value,
        /// The new value.
        new: Value,
    },
}

impl Change {
    /// The location, as a JSON Pointer.
    #[must_use]
    pub fn path(&self) -> &str {
        match self {
            Change::Added { path, .. } | Change::Removed { path, .. } | Change::Changed { path, .. } => path,
        }
    }
}

/// The changes that make `new` of `old`; none exactly when they are equal as JSON.
#[must_use]
pub fn diff(old: &Value, new: &Value) -> Vec<Change> {
    let mut changes = Vec::new();
    compare(old, new, &mut String::new(), &mut changes);
    changes
}

fn compare(old: &Value, new: &Value, path: &mut String, changes: &mut Vec<Change>) {
    match (old, new) {
        (Value::Object(before), Value::Object(after)) => members(before, after, path, changes),
        (Value::Array(before), Value::Array(after)) => elements(before, after, path, changes),
        _ if same(old, new) => {}
        _ => changes.push(Change::Changed { path: path.clone(), old: old.clone(), new: new.clone() }),
    }
}

fn same(a: &Value, b: &Value) -> bool {
    a == b || canonical(a) == canonical(b)
}

fn below(path: &mut String, segment: Segment<'_>, see: impl FnOnce(&mut String)) {
    let length = path.len();
    push_segment(path, segment);
    see(path);
    path.truncate(length);
}

fn members(
    before: &Map<String, Value>,
    after: &Map<String, Value>,
    path: &mut String,
    changes: &mut Vec<Change>,
) {
    for (key, old) in before {
        below(path, Segment::Key(key), |path| match after.get(key) {
            Some(new) => compare(old, new, path, changes),
            None => changes.push(Change::Removed { path: path.clone(), old: old.clone() }),
        });
    }
    for (key, new) in after.iter().filter(|(key, _)| !before.contains_key(*key)) {
        below(path, Segment::Key(key), |path| {
            changes.push(Change::Added { path: path.clone(), new: new.clone() });
        });
    }
}

fn elements(before: &[Value], after: &[Value], path: &mut String, changes: &mut Vec<Change>) {
    let pairs = paired(before, after);
    let kept: HashSet<usize> = pairs.iter().map(|(old, _)| *old).collect();
    for (at, old) in before.iter().enumerate().rev().filter(|(at, _)| !kept.contains(at)) {
        below(path, Segment::Index(at), |path| {
            changes.push(Change::Removed { path: path.clone(), old: old.clone() });
        });
    }
    let stayed: HashMap<usize, usize> = pairs.into_iter().map(|(old, new)| (new, old)).collect();
    for (at, new) in after.iter().enumerate() {
        below(path, Segment::Index(at), |path| match stayed.get(&at).and_then(|old| before.get(*old)) {
            Some(old) => compare(old, new, path, changes),
            None => changes.push(Change::Added { path: path.clone(), new: new.clone() }),
        });
    }
}

/// The pairs of elements of which one became the other, both rising.
fn paired(before: &[Value], after: &[Value]) -> Vec<(usize, usize)> {
    if let (Some(old), Some(new)) = keys(before, after) {
        return common(&old, &new);
    }
    let texts = |items: &[Value]| -> Vec<String> { items.iter().map(canonical).collect() };
    let equal = common(&texts(before), &texts(after));
    // Between two elements that stayed, removed and added ones are reported as changes of one another, in their order.
    let mut pairs = Vec::new();
    let (mut old, mut new) = (0, 0);
    let ends = std::iter::once((before.len(), after.len()));
    for (old_end, new_end) in equal.iter().copied().chain(ends) {
        pairs.extend((old..old_end).zip(new..new_end).filter(|(a, b)| alike(before.get(*a), after.get(*b))));
        if old_end < before.len() || new_end < after.len() {
            pairs.push((old_end, new_end));
        }
        (old, new) = (old_end + 1, new_end + 1);
    }
    pairs
}

/// Returns whether one is rather a change of the other than something else.
fn alike(a: Option<&Value>, b: Option<&Value>) -> bool {
    match (a, b) {
        (Some(Value::Object(_)), Some(Value::Object(_))) | (Some(Value::Array(_)), Some(Value::Array(_))) => {
            true
        }
        (Some(a), Some(b)) => !a.is_object() && !a.is_array() && !b.is_object() && !b.is_array(),
        _ => false,
    }
}

/// The values of a member that distinguishes the elements of both lists, if there is one.
fn keys(before: &[Value], after: &[Value]) -> (Option<Vec<String>>, Option<Vec<String>>) {
    let by = |items: &[Value], key: &str| -> Option<Vec<String>> {
        let names: Vec<String> = items
            .iter()
            .map(|item| item.get(key).filter(|name| name.is_string() || name.is_number()).map(canonical))
            .collect::<Option<_>>()?;
        let distinct: HashSet<&String> = names.iter().collect();
        (!names.is_empty() && distinct.len() == names.len()).then_some(names)
    };
    KEYS.iter()
        .map(|key| (by(before, key), by(after, key)))
        .find(|(old, new)| old.is_some() && new.is_some())
        .unwrap_or_default()
}

/// The longest common subsequence, as positions in both lists.
fn common(before: &[String], after: &[String]) -> Vec<(usize, usize)> {
    let head = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let rest = before.len().min(after.len()) - head;
    let tail = before.iter().rev().zip(after.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let middle = |items: &[String]| -> Vec<String> {
        items.get(head..items.len() - tail).map(<[String]>::to_vec).unwrap_or_default()
    };
    let (old, new) = (middle(before), middle(after));
    let mut pairs: Vec<(usize, usize)> = (0..head).map(|at| (at, at)).collect();
    pairs.extend(subsequence(&old, &new).into_iter().map(|(a, b)| (a + head, b + head)));
    pairs.extend((0..tail).map(|at| (before.len() - tail + at, after.len() - tail + at)));
    pairs
}

fn subsequence(old: &[String], new: &[String]) -> Vec<(usize, usize)> {
    if old.len().saturating_mul(new.len()) > MOST_PAIRS {
        return old
            .iter()
            .zip(new)
            .enumerate()
            .filter(|(_, (a, b))| a == b)
            .map(|(at, _)| (at, at))
            .collect();
    }
    // `longest[a * width + b]` is the length for what follows position `a` in the old list and `b` in the new one.
    let width = new.len() + 1;
    let mut longest = vec![0_usize; (old.len() + 1) * width];
    let at = |table: &[usize], a: usize, b: usize| table.get(a * width + b).copied().unwrap_or(0);
    for (a, one) in old.iter().enumerate().rev() {
        for (b, other) in new.iter().enumerate().rev() {
            let length = if one == other {
                at(&longest, a + 1, b + 1) + 1
            } else {
                at(&longest, a + 1, b).max(at(&longest, a, b + 1))
            };
            if let Some(place) = longest.get_mut(a * width + b) {
                *place = length;
            }
        }
    }
    let (mut pairs, mut a, mut b) = (Vec::new(), 0, 0);
    while let (Some(one), Some(other)) = (old.get(a), new.get(b)) {
        if one == other {
            pairs.push((a, b));
            (a, b) = (a + 1, b + 1);
        } else if at(&longest, a + 1, b) >= at(&longest, a, b + 1) {
            a += 1;
        } else {
            b += 1;
        }
    }
    pairs
}

/// The difference between two texts: the number of characters that they have in common at the beginning and the end.
/// The middle parts begin and end at words.
#[must_use]
pub fn changed_part(old: &str, new: &str) -> (usize, usize) {
    let (old, new): (Vec<char>, Vec<char>) = (old.chars().collect(), new.chars().collect());
    let mut head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - head;
    let mut tail = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let blank = |at: usize| old.get(at).is_none_or(|c| c.is_whitespace());
    while head > 0 && !blank(head - 1) {
        head -= 1;
    }
    while tail > 0 && !blank(old.len() - tail) {
        tail -= 1;
    }
    (head, tail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::unescape;
    use proptest::prelude::*;
    use serde_json::json;

    /// Carries the changes out, one after the other.
    fn apply(old: &Value, changes: &[Change]) -> Value {
        let mut value = old.clone();
        for change in changes {
            let Some((parent, last)) = change.path().rsplit_once('/') else {
                let Change::Changed { new, .. } = change else { panic!("{change:?}") };
                value = new.clone();
                continue;
            };
            let key = unescape(last).into_owned();
            match (value.pointer_mut(parent).unwrap(), change) {
                (Value::Array(items), Change::Added { new, .. }) => {
                    items.insert(key.parse().unwrap(), new.clone());
                }
                (Value::Array(items), Change::Removed { old, .. }) => {
                    assert_eq!(items.remove(key.parse::<usize>().unwrap()), *old);
                }
                (Value::Array(items), Change::Changed { new, old, .. }) => {
                    let at: usize = key.parse().unwrap();
                    assert_eq!(items[at], *old);
                    items[at] = new.clone();
                }
                (Value::Object(members), Change::Added { new, .. }) => {
                    assert!(members.insert(key, new.clone()).is_none());
                }
                (Value::Object(members), Change::Removed { old, .. }) => {
                    assert_eq!(members.remove(&key).as_ref(), Some(old));
                }
                (Value::Object(members), Change::Changed { new, old, .. }) => {
                    assert_eq!(members.insert(key, new.clone()).as_ref(), Some(old));
                }
                (other, _) => panic!("{other}"),
            }
        }
        value
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (0_i64..4).prop_map(Value::from),
            Just(json!(1.0)),
            Just(json!(0.1)),
            "[a-c]{0,3}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 60, 6, |inner| {
            let named = (0_u8..5, inner.clone()).prop_map(|(id, value)| json!({"id": id, "v": value}));
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::vec(named, 0..5).prop_map(Value::from),
                prop::collection::vec(("[ab/~]{0,2}|id", inner), 0..5)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn the_changes_make_the_new_value_of_the_old_one(old in any_json(), new in any_json()) {
            let changes = diff(&old, &new);
            prop_assert_eq!(canonical(&apply(&old, &changes)), canonical(&new));
            prop_assert_eq!(changes.is_empty(), canonical(&old) == canonical(&new));
            prop_assert!(diff(&new, &new).is_empty());
        }

        #[test]
        fn what_texts_have_in_common_is_left_out(old in "[ab ]{0,12}", new in "[ab ]{0,12}") {
            let (head, tail) = changed_part(&old, &new);
            prop_assert!(head + tail <= old.len().min(new.len()));
            prop_assert_eq!(&old[..head], &new[..head]);
            prop_assert_eq!(&old[old.len() - tail..], &new[new.len() - tail..]);
        }
    }

    #[test]
    fn an_element_put_in_at_the_front_is_one_change() {
        let found = diff(&json!({"a": ["x", "y"]}), &json!({"a": ["w", "x", "y"]}));
        assert_eq!(found, [Change::Added { path: "/a/0".into(), new: json!("w") }]);
    }

    #[test]
    fn objects_with_an_id_are_compared_by_it() {
        let old = json!([{"id": "a", "n": 1}, {"id": "b", "n": 2}]);
        let new = json!([{"id": "b", "n": 3}, {"id": "c", "n": 1}]);
        let paths: Vec<String> = diff(&old, &new).iter().map(|change| change.path().to_owned()).collect();
        assert_eq!(paths, ["/0", "/0/n", "/1"]);
    }

    #[test]
    fn one_element_that_changed_is_told_as_changed() {
        let found = diff(&json!(["a", "b", "c"]), &json!(["a", "B", "c"]));
        assert_eq!(found, [Change::Changed { path: "/1".into(), old: json!("b"), new: json!("B") }]);
    }

    #[test]
    fn numbers_are_compared_as_json() {
        assert!(diff(&json!({"a": [1, {"b": 2.0}]}), &json!({"a": [1.0, {"b": 2}]})).is_empty());
    }
}
