//! Mistakes that a document had before an edit, and that the edit does not touch.

use super::issue::Issue;
use crate::value::{Disposition, Segment, push_segment};
use json_patch::{PatchOperation, patch_unsafe};
use serde::Deserialize;
use serde_json::Value;

/// What was wrong with the document before the edit, where it stands after it.
#[derive(Debug, Default)]
pub(super) struct PreExisting(Vec<Issue>);

impl PreExisting {
    /// `issues` are those of `document`; `patch` is known to apply to it. Issues that the patch touches are left out: one
    /// of its operations changes the value that the issue is about, something that holds it, or a direct member of it.
    pub(super) fn of(issues: Vec<Issue>, document: &Value, patch: &Value) -> Self {
        let operations: Vec<PatchOperation> = patch
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|item| PatchOperation::deserialize(item).ok())
            .collect();
        let mut known: Vec<(Issue, Option<Vec<String>>)> = issues
            .into_iter()
            .map(|issue| {
                let place = segments(&issue.path);
                (issue, Some(place))
            })
            .collect();
        let mut value = document.clone();
        for operation in &operations {
            for (removed, path) in changes(operation) {
                let at = segments(path);
                let in_list = at
                    .split_last()
                    .is_some_and(|(_, holder)| value.pointer(&pointer(holder)).is_some_and(Value::is_array));
                for (_, place) in &mut known {
                    *place = place.take().and_then(|place| moved(place, &at, in_list, removed));
                }
            }
            if patch_unsafe(&mut value, std::slice::from_ref(operation)).is_err() {
                return PreExisting::default();
            }
        }
        let untouched = known.into_iter().filter_map(|(issue, place)| {
            let path = pointer(&place?);
            // What a message says of the place goes by where it is now.
            let message = issue.message.replace(&format!("`{}`", issue.path), &format!("`{path}`"));
            Some(Issue { path: path.into(), message: message.into(), ..issue })
        });
        PreExisting(untouched.collect())
    }

    /// Marks those of `issues` that were there before: they are shown and block nothing.
    pub(super) fn mark(&self, issues: &mut [Issue]) {
        let is_known = |issue: &Issue| {
            self.0.iter().any(|known| {
                (&known.code, &known.rule, &known.path, &known.message)
                    == (&issue.code, &issue.rule, &issue.path, &issue.message)
            })
        };
        for issue in issues.iter_mut().filter(|issue| is_known(issue)) {
            issue.pre_existing = true;
            issue.disposition = Disposition::Warn;
        }
    }
}

/// How an operation changes a place.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Change {
    /// It is put there; in a list, what follows moves on.
    Added,
    /// It is taken away; in a list, what follows moves up.
    Removed,
    Replaced,
}

fn changes(operation: &PatchOperation) -> Vec<(Change, &str)> {
    match operation {
        PatchOperation::Add(add) => vec![(Change::Added, add.path.as_str())],
        PatchOperation::Copy(copy) => vec![(Change::Added, copy.path.as_str())],
        PatchOperation::Remove(remove) => vec![(Change::Removed, remove.path.as_str())],
        PatchOperation::Replace(replace) => vec![(Change::Replaced, replace.path.as_str())],
        PatchOperation::Move(moved) => {
            vec![(Change::Removed, moved.from.as_str()), (Change::Added, moved.path.as_str())]
        }
        PatchOperation::Test(_) => Vec::new(),
    }
}

/// Where a place is after a change at `at`; `None` when the change touches it.
fn moved(mut place: Vec<String>, at: &[String], in_list: bool, change: Change) -> Option<Vec<String>> {
    let (last, holder) = at.split_last()?;
    // The value that holds what is changed has another member.
    if place == holder {
        return None;
    }
    let Some(here) = place.strip_prefix(holder).and_then(|rest| rest.first()) else { return Some(place) };
    let (here, changed) = match (in_list, here.parse::<usize>(), last.parse::<usize>()) {
        (true, Ok(here), Ok(changed)) if change != Change::Replaced => (here, changed),
        // `-` is past the last element.
        (true, ..) if last == "-" => return Some(place),
        _ => return (here != last).then_some(place),
    };
    let now = match change {
        Change::Added if here >= changed => here + 1,
        Change::Removed if here > changed => here - 1,
        Change::Removed if here == changed => return None,
        _ => here,
    };
    if let Some(segment) = place.get_mut(holder.len()) {
        *segment = now.to_string();
    }
    Some(place)
}

fn segments(path: &str) -> Vec<String> {
    path.split('/').skip(1).map(|part| part.replace("~1", "/").replace("~0", "~")).collect()
}

fn pointer(segments: &[String]) -> String {
    let mut path = String::new();
    segments.iter().for_each(|segment| push_segment(&mut path, Segment::Key(segment)));
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Severity;
    use serde_json::json;

    /// Where an issue at `path` is known after the patch, if it still is.
    fn after(path: &str, patch: &Value) -> Option<String> {
        let document = json!({"a": [{"x": 1}, {"x": 2}, {"x": 3}], "b": {"c": {"d": 1}}, "a/b": 1});
        let issue = Issue { path: path.to_owned().into(), ..Issue::new("X", Severity::Major) };
        PreExisting::of(vec![issue], &document, patch).0.pop().map(|issue| issue.path.into())
    }

    #[test]
    fn an_issue_is_where_its_value_went_unless_the_edit_touches_it() {
        let op = |op: &str, path: &str| json!([{"op": op, "path": path, "value": 9}]);
        for (path, patch, now) in [
            ("/a/1/x", json!([{"op": "test", "path": "/a/1/x", "value": 2}]), Some("/a/1/x")),
            ("/a/1/x", op("replace", "/a/0/x"), Some("/a/1/x")),
            ("/a/1/x", op("replace", "/a/1/x"), None),
            ("/a/1/x", op("replace", "/a/1"), None),
            ("/a/1/x", op("remove", "/a"), None),
            ("/a/1/x", op("remove", "/a/0"), Some("/a/0/x")),
            ("/a/1/x", op("remove", "/a/1"), None),
            ("/a/1/x", op("remove", "/a/2"), Some("/a/1/x")),
            ("/a/1/x", op("add", "/a/1"), Some("/a/2/x")),
            ("/a/1/x", op("add", "/a/-"), Some("/a/1/x")),
            ("/a/1/y", op("add", "/a/1/y"), None),
            // A member that is added or taken away changes what holds it, and nothing above.
            ("/a", op("add", "/a/-"), None),
            ("/b", op("replace", "/b/c/d"), Some("/b")),
            ("/b/c", op("replace", "/b/c/d"), None),
            ("", op("replace", "/b/c/d"), Some("")),
            ("", op("add", "/n"), None),
            ("/a~1b", op("replace", "/b"), Some("/a~1b")),
            ("/a/2/x", json!([{"op": "move", "from": "/a/0", "path": "/b/e"}]), Some("/a/1/x")),
            (
                "/a/2/x",
                json!([{"op": "remove", "path": "/a/0"}, {"op": "replace", "path": "/a/1/x", "value": 0}]),
                None,
            ),
        ] {
            assert_eq!(after(path, &patch).as_deref(), now, "{path}: {patch}");
        }
    }
}
