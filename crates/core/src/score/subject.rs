//! The value that is assessed: the candidate itself, or the document that a candidate patches.

use super::issue::Issue;
use super::wording::plain_issue;
use crate::profile::CandidateKind;
use crate::value::{MAX_CANDIDATE_DEPTH, Segment, Severity, is_deeper, kind_in_words, push_segment};
use json_patch::{PatchErrorKind, PatchOperation, jsonptr, patch_unsafe};
use serde::Deserialize;
use serde_json::Value;
use std::borrow::Cow;

/// The code of issues about a candidate that is not a patch, or does not fit its document.
pub(super) const INVALID_PATCH: &str = "INVALID_PATCH";
/// Most operations in one patch. Each can move all elements of a list by one.
const MAX_OPERATIONS: usize = 5_000;
/// A patched document may grow to this many bytes as compact JSON, or to [`MAX_GROWTH`] times its size if that is
/// more: copies of copies double it with every operation.
const MAX_PATCHED_BYTES: usize = 8 << 20;
/// See [`MAX_PATCHED_BYTES`].
const MAX_GROWTH: usize = 4;

/// The value that rules, schemas and scripts inspect.
#[derive(Debug, Clone, PartialEq)]
pub struct AssessedValue<'a>(Cow<'a, Value>);

impl<'a> AssessedValue<'a> {
    /// The candidate itself, or `document` with the candidate, an RFC 6902 patch, applied.
    ///
    /// # Errors
    /// Issues with the code `INVALID_PATCH` when the candidate is not a patch or does not apply: each names the location
    /// in the patch (`/INDEX`), what was found there and what is expected. All operations that can't be read are named;
    /// of those that don't apply, the first, because the ones after it build upon it.
    pub fn of(
        kind: CandidateKind,
        candidate: &'a Value,
        document: Option<&Value>,
    ) -> Result<Self, Vec<Issue>> {
        match kind {
            CandidateKind::Value => Ok(AssessedValue(Cow::Borrowed(candidate))),
            CandidateKind::Patch => {
                patched(candidate, document).map(|value| AssessedValue(Cow::Owned(value)))
            }
        }
    }

    /// The value.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.0
    }
}

fn patched(candidate: &Value, document: Option<&Value>) -> Result<Value, Vec<Issue>> {
    let Some(document) = document else {
        return Err(vec![refusal(None, "there is no JSON document that the patch could be applied to")]);
    };
    let Value::Array(items) = candidate else {
        let found = kind_in_words(candidate);
        return Err(vec![refusal(
            None,
            &format!("expected a JSON Patch (RFC 6902), a list of operations; found {found}"),
        )]);
    };
    if items.is_empty() {
        return Err(vec![refusal(None, "an empty patch changes nothing; expected at least one operation")]);
    }
    if items.len() > MAX_OPERATIONS {
        let message = format!("a patch has at most {MAX_OPERATIONS} operations, found {}", items.len());
        return Err(vec![refusal(None, &message)]);
    }
    let mut operations = Vec::with_capacity(items.len());
    let mut issues = Vec::new();
    for (index, item) in items.iter().enumerate() {
        match PatchOperation::deserialize(item) {
            Ok(operation) => operations.push(operation),
            Err(error) => issues.push(refusal(Some(index), &format!("this is not an operation: {error}"))),
        }
    }
    if !issues.is_empty() {
        return Err(issues);
    }
    let mut value = document.clone();
    let mut size = bytes(document);
    let limit = MAX_PATCHED_BYTES.max(size.saturating_mul(MAX_GROWTH));
    for (index, operation) in operations.iter().enumerate() {
        let refused = |message: &str| vec![refusal(Some(index), message)];
        if operation.path().as_str().is_empty() && !matches!(operation, PatchOperation::Test(_)) {
            return Err(refused(
                "an edit names what it changes; the whole document can't be replaced or removed",
            ));
        }
        let added = match operation {
            PatchOperation::Add(add) => Some(&add.value),
            PatchOperation::Replace(replace) => Some(&replace.value),
            PatchOperation::Copy(copy) => value.pointer(copy.from.as_str()),
            PatchOperation::Move(moved) => value.pointer(moved.from.as_str()),
            PatchOperation::Remove(_) | PatchOperation::Test(_) => None,
        };
        if let Some(added) = added {
            let room = MAX_CANDIDATE_DEPTH.checked_sub(operation.path().count());
            if room.is_none_or(|room| is_deeper(added, room)) {
                return Err(refused(&format!(
                    "the patched document would be nested more than {MAX_CANDIDATE_DEPTH} deep"
                )));
            }
            if !matches!(operation, PatchOperation::Move(_)) {
                size = size.saturating_add(bytes(added));
            }
            if size > limit {
                return Err(refused(&format!("the patched document would have more than {limit} bytes")));
            }
        }
        if let Err(error) = patch_unsafe(&mut value, std::slice::from_ref(operation)) {
            return Err(refused(&explanation(operation, &error.kind, &value)));
        }
    }
    Ok(value)
}

/// The reason that an operation did not apply, and a remedy.
fn explanation(operation: &PatchOperation, kind: &PatchErrorKind, value: &Value) -> String {
    let path = operation.path();
    match (operation, kind) {
        (PatchOperation::Test(_), PatchErrorKind::TestFailed) => {
            format!("the test of `{path}` failed: the document has another value there")
        }
        (
            PatchOperation::Move(json_patch::MoveOperation { from, .. })
            | PatchOperation::Copy(json_patch::CopyOperation { from, .. }),
            PatchErrorKind::InvalidFromPointer,
        ) => format!("there is nothing at `{from}` (`from`); {}", reach(from, value)),
        (PatchOperation::Move(_), PatchErrorKind::CannotMoveInsideItself) => {
            format!("a value can't be moved into itself, to `{path}`")
        }
        (PatchOperation::Add(_) | PatchOperation::Copy(_) | PatchOperation::Move(_), _) => {
            format!("nothing can be put at `{path}`; {}", reach(path, value))
        }
        _ => format!("there is nothing at `{path}`; {}", reach(path, value)),
    }
}

/// The part of a pointer that leads into the document, and the value there.
fn reach(pointer: &jsonptr::Pointer, value: &Value) -> String {
    let (mut at, mut here) = (String::new(), value);
    for token in pointer.tokens() {
        let key = token.decoded();
        let below = match here {
            Value::Object(members) => members.get(key.as_ref()),
            Value::Array(items) => key.parse::<usize>().ok().and_then(|index| items.get(index)),
            _ => None,
        };
        let Some(below) = below else { break };
        push_segment(&mut at, Segment::Key(&key));
        here = below;
    }
    let place = if at.is_empty() { "the document itself".to_owned() } else { format!("`{at}`") };
    match here {
        Value::Array(items) => format!("{place} is a list of {} elements, counted from 0", items.len()),
        Value::Object(members) => {
            const SHOWN: usize = 20;
            let keys: Vec<&str> = members.keys().take(SHOWN).map(String::as_str).collect();
            let more = if members.len() > SHOWN { ", …" } else { "" };
            format!("{place} has the members {}{more}", keys.join(", "))
        }
        other => format!("{place} is {}", kind_in_words(other)),
    }
}

/// The length of a value as compact JSON, near enough: escapes are not counted.
fn bytes(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) => 5,
        Value::Number(_) => 8,
        Value::String(text) => text.len() + 2,
        Value::Array(items) => items.iter().map(|item| bytes(item) + 1).sum::<usize>() + 2,
        Value::Object(members) => {
            members.iter().map(|(key, member)| key.len() + 4 + bytes(member)).sum::<usize>() + 2
        }
    }
}

fn refusal(index: Option<usize>, message: &str) -> Issue {
    let mut path = String::new();
    if let Some(index) = index {
        push_segment(&mut path, Segment::Index(index));
    }
    plain_issue(INVALID_PATCH, Severity::Critical, path, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn apply(document: &Value, patch: &Value) -> Result<Value, Vec<(String, String)>> {
        AssessedValue::of(CandidateKind::Patch, patch, Some(document))
            .map(|subject| subject.value().clone())
            .map_err(|issues| {
                issues.into_iter().map(|issue| (issue.path.into(), issue.message.into())).collect()
            })
    }

    #[test]
    fn a_value_is_its_own_subject_and_a_patch_is_applied_in_order() {
        let candidate = json!({"a": 1});
        assert_eq!(AssessedValue::of(CandidateKind::Value, &candidate, None).unwrap().value(), &candidate);
        let document = json!({"a": [1, 2], "b": {"c/d": "x"}});
        let patch = json!([
            {"op": "test", "path": "/a/0", "value": 1},
            {"op": "add", "path": "/a/-", "value": 3},
            {"op": "replace", "path": "/b/c~1d", "value": "y"},
            {"op": "move", "from": "/a/0", "path": "/first"},
            {"op": "copy", "from": "/b", "path": "/e"},
            {"op": "remove", "path": "/b"}
        ]);
        assert_eq!(apply(&document, &patch).unwrap(), json!({"a": [2, 3], "first": 1, "e": {"c/d": "y"}}));
    }

    #[test]
    fn what_is_no_patch_or_does_not_apply_says_where_and_why() {
        let document = json!({"submodels": [{"id": "x"}], "n": 1});
        for (patch, path, says) in [
            (json!([]), "", "an empty patch changes nothing"),
            (
                json!([{"op": "replace", "path": "", "value": {}}]),
                "/0",
                "the whole document can't be replaced",
            ),
            (json!([{"op": "move", "path": "", "from": "/submodels"}]), "/0", "the whole document"),
            (
                json!({"op": "add"}),
                "",
                "expected a JSON Patch (RFC 6902), a list of operations; found an object",
            ),
            (json!([{"op": "put", "path": "/n", "value": 1}]), "/0", "unknown variant `put`"),
            (json!([{"op": "add", "path": "/n"}]), "/0", "missing field `value`"),
            (json!([{"op": "add", "path": "n", "value": 1}]), "/0", "this is not an operation"),
            (
                json!([{"op": "remove", "path": "/n"}, {"op": "remove", "path": "/submodels/1"}]),
                "/1",
                "there is nothing at `/submodels/1`; `/submodels` is a list of 1 elements, counted from 0",
            ),
            (
                json!([{"op": "replace", "path": "/submodels/0/idShort", "value": 1}]),
                "/0",
                "`/submodels/0` has the members id",
            ),
            (json!([{"op": "add", "path": "/n/x", "value": 1}]), "/0", "`/n` is a number"),
            (json!([{"op": "add", "path": "/submodels/7", "value": 1}]), "/0", "nothing can be put"),
            (json!([{"op": "test", "path": "/n", "value": 2}]), "/0", "the test of `/n` failed"),
            (json!([{"op": "copy", "from": "/m", "path": "/o"}]), "/0", "there is nothing at `/m` (`from`)"),
            (json!([{"op": "move", "from": "/submodels", "path": "/submodels/0"}]), "/0", "into itself"),
        ] {
            let issues = apply(&document, &patch).unwrap_err();
            assert_eq!(issues[0].0, path, "{patch}");
            assert!(issues[0].1.contains(says), "{patch}: {}", issues[0].1);
        }
        let two = json!([1, {"op": "add", "path": "/x", "value": 1}, "x"]);
        let places: Vec<String> = apply(&document, &two).unwrap_err().into_iter().map(|(at, _)| at).collect();
        assert_eq!(places, ["/0", "/2"]);
        let issues = AssessedValue::of(CandidateKind::Patch, &json!([]), None).unwrap_err();
        assert!(issues[0].message.contains("no JSON document"), "{}", issues[0].message);
    }

    #[test]
    fn copies_of_copies_end_at_a_bound() {
        let wide: Vec<Value> =
            (0..60).map(|n| json!({"op": "copy", "from": "", "path": format!("/c{n}")})).collect();
        let issues = apply(&json!({"a": "xxxxxxxxxxxxxxxx"}), &wide.into()).unwrap_err();
        assert!(issues[0].1.contains("nested more than") || issues[0].1.contains("bytes"), "{}", issues[0].1);
        let list: Vec<Value> = (0..60).map(|_| json!({"op": "copy", "from": "/a", "path": "/a/-"})).collect();
        assert!(apply(&json!({"a": ["xxxxxxxxxxxxxxxx"]}), &list.into()).is_err());
        let flat: Vec<Value> =
            (0..200).map(|n| json!({"op": "copy", "from": "/a", "path": format!("/b{n}")})).collect();
        let issues = apply(&json!({"a": "x".repeat(1 << 20)}), &flat.into()).unwrap_err();
        assert!(issues[0].1.contains("bytes"), "{}", issues[0].1);
        let many = vec![json!({"op": "test", "path": "", "value": 1}); MAX_OPERATIONS + 1];
        assert!(apply(&json!(1), &many.into()).unwrap_err()[0].1.contains("at most 5000"));
    }

    fn place() -> impl Strategy<Value = String> {
        proptest::collection::vec(
            prop_oneof![Just("/a"), Just("/b"), Just("/0"), Just("/-"), Just("/~1"), Just("")],
            0..4,
        )
        .prop_map(|parts| parts.concat())
    }

    fn operation() -> impl Strategy<Value = Value> {
        let op = prop_oneof![
            Just("add"),
            Just("remove"),
            Just("replace"),
            Just("move"),
            Just("copy"),
            Just("test"),
            Just("x")
        ];
        (op, place(), place(), 0..3_u8).prop_map(|(op, path, from, kind)| match kind {
            0 => json!({"op": op, "path": path, "value": {"a": [1]}}),
            1 => json!({"op": op, "path": path, "from": from, "value": [2]}),
            _ => json!({"op": op, "path": path}),
        })
    }

    proptest! {
        /// Whatever the patch, there is a patched document or an issue within the patch, and the original stays.
        #[test]
        fn no_patch_breaks_anything(operations in proptest::collection::vec(operation(), 1..12)) {
            let document = json!({"a": [{"b": 1}, 2], "b": {"a": null}});
            let before = document.clone();
            let count = operations.len();
            let patch = Value::from(operations);
            match AssessedValue::of(CandidateKind::Patch, &patch, Some(&document)) {
                Ok(subject) => prop_assert!(!is_deeper(subject.value(), MAX_CANDIDATE_DEPTH)),
                Err(issues) => {
                    prop_assert!(!issues.is_empty());
                    for issue in issues {
                        let index: usize = issue.path.trim_start_matches('/').parse().unwrap();
                        prop_assert!(index < count);
                        prop_assert_eq!(&issue.code, INVALID_PATCH);
                    }
                }
            }
            prop_assert_eq!(document, before);
        }
    }
}
