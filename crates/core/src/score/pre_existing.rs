//! Mistakes that a document had before an edit, and that the edit does not touch.
//!
//! A mistake is recognised by its code, its rule, its location and its message. Locations move: an element that is
//! added to a list moves those after it down, one that is removed moves them up. So do the locations that a message
//! names besides that of the mistake.

use super::issue::Issue;
use crate::value::{Disposition, Segment, push_segment};
use json_patch::{PatchOperation, patch_unsafe};
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;

/// A location in a document, step by step.
type Place = Vec<String>;

/// The mistakes of the document before the edit, at their locations after it.
#[derive(Debug, Default)]
pub(super) struct PreExisting {
    /// By their locations after the edit.
    known: HashMap<String, Vec<Known>>,
    /// The locations of values that the edit has put into the document.
    put: Vec<Place>,
}

/// A mistake from before.
#[derive(Debug)]
struct Known {
    issue: Issue,
    /// The locations that its message names, after the edit; none for one that is gone.
    named: Vec<Option<Place>>,
}

impl PreExisting {
    /// `issues` are those of `document`; `patch` is known to apply to it. Issues that the patch touches are left out:
    /// one of its operations changes the value that the issue is about, a holder of it, or a direct member of it.
    pub(super) fn of(issues: Vec<Issue>, document: &Value, patch: &Value) -> Self {
        let operations = patch.as_array().into_iter().flatten();
        let operations: Vec<PatchOperation> =
            operations.filter_map(|item| PatchOperation::deserialize(item).ok()).collect();
        let mut known: Vec<(Known, Option<Place>)> = issues
            .into_iter()
            .map(|issue| {
                let named = message_parts(&issue.message).filter(|(_, is_place)| *is_place);
                let named = named.map(|(place, _)| Some(segments(place))).collect();
                let place = segments(&issue.path);
                (Known { issue, named }, Some(place))
            })
            .collect();
        let mut put: Vec<Place> = Vec::new();
        let mut value = document.clone();
        for operation in &operations {
            if let Some(change) = changes(operation, &value) {
                for (known, place) in &mut known {
                    *place = place.take().filter(|place| !change.touches(place, &known.issue));
                    for moving in known.named.iter_mut().chain([place]) {
                        *moving = moving.take().and_then(|place| change.moved(place));
                    }
                }
                put = put.into_iter().filter_map(|place| change.moved(place)).collect();
                if matches!(change.kind, Kind::Added | Kind::Replaced) {
                    put.push(change.at);
                }
            }
            if patch_unsafe(&mut value, std::slice::from_ref(operation)).is_err() {
                return PreExisting::default();
            }
        }
        let mut by_place: HashMap<String, Vec<Known>> = HashMap::new();
        for (known, place) in known {
            if let Some(place) = place {
                by_place.entry(pointer(&place)).or_default().push(known);
            }
        }
        PreExisting { known: by_place, put }
    }

    /// Marks those of `issues` that are from before: they are shown and block nothing.
    pub(super) fn mark(&self, issues: &mut [Issue]) {
        for issue in issues {
            let here = self.known.get(&*issue.path).map_or(&[][..], Vec::as_slice);
            if here.iter().any(|known| self.is_same(known, issue)) {
                issue.pre_existing = true;
                issue.disposition = Disposition::Warn;
            }
        }
    }

    /// Returns whether an issue at the location of a known one is that one.
    fn is_same(&self, known: &Known, issue: &Issue) -> bool {
        if (&known.issue.code, &known.issue.rule) != (&issue.code, &issue.rule) {
            return false;
        }
        if known.issue.message == issue.message && known.named.is_empty() {
            return true;
        }
        let (mut before, mut now) = (message_parts(&known.issue.message), message_parts(&issue.message));
        let mut named = known.named.iter();
        loop {
            match (before.next(), now.next()) {
                (None, None) => return true,
                (Some((before, true)), Some((now, true))) => {
                    let place = segments(now);
                    let was_there = || !self.put.iter().any(|put| place.starts_with(put));
                    let is_meant = match named.next().and_then(Option::as_ref) {
                        // A value that only looks like a location stays as it is.
                        Some(known) => *known == place || (before == now && was_there()),
                        // Its named value is gone: another may have taken its part, if that was there before as well.
                        None => was_there(),
                    };
                    if !is_meant {
                        return false;
                    }
                }
                (Some(before), Some(now)) if before == now => {}
                _ => return false,
            }
        }
    }
}

/// The parts of a message: its words, and the locations that it names between backticks, which begin with `/`.
fn message_parts(message: &str) -> impl Iterator<Item = (&str, bool)> {
    message.split('`').enumerate().map(|(at, part)| (part, at % 2 == 1 && part.starts_with('/')))
}

/// The effect of an operation on a location.
#[derive(Debug, Clone, PartialEq)]
enum Kind {
    /// Something is put there; in a list, the following elements move down.
    Added,
    /// It is removed; in a list, the following elements move up.
    Removed,
    Replaced,
    /// It is removed, and put unchanged at another location.
    Moved(Place),
}

/// The change that an operation makes to a document.
#[derive(Debug)]
struct Change {
    kind: Kind,
    at: Place,
    /// `true` if a list holds it, and if one holds its target when it is moved.
    in_list: (bool, bool),
}

fn changes(operation: &PatchOperation, value: &Value) -> Option<Change> {
    let list = |holder: &[String]| value.pointer(&pointer(holder)).and_then(Value::as_array);
    let is_in_list = |at: &Place| at.split_last().is_some_and(|(_, holder)| list(holder).is_some());
    // `-` is past the last element.
    let place = |path: &str, from: Option<&Place>| {
        let mut at = segments(path);
        let behind = at.split_last().filter(|(last, _)| *last == "-").and_then(|(_, holder)| {
            let is_own = from.and_then(|from| from.split_last()).is_some_and(|(_, own)| own == holder);
            list(holder).map(|list| list.len() - usize::from(is_own && !list.is_empty()))
        });
        if let (Some(behind), Some(last)) = (behind, at.last_mut()) {
            *last = behind.to_string();
        }
        at
    };
    let (kind, at) = match operation {
        PatchOperation::Add(add) => (Kind::Added, place(add.path.as_str(), None)),
        PatchOperation::Copy(copy) => (Kind::Added, place(copy.path.as_str(), None)),
        PatchOperation::Remove(remove) => (Kind::Removed, place(remove.path.as_str(), None)),
        PatchOperation::Replace(replace) => (Kind::Replaced, place(replace.path.as_str(), None)),
        PatchOperation::Move(moved) => {
            let from = segments(moved.from.as_str());
            (Kind::Moved(place(moved.path.as_str(), Some(&from))), from)
        }
        PatchOperation::Test(_) => return None,
    };
    // An `add` to a mapping replaces an existing value.
    let is_list = is_in_list(&at);
    let target_in_list = match &kind {
        Kind::Moved(to) => is_in_list(to),
        Kind::Added | Kind::Removed | Kind::Replaced => is_list,
    };
    Some(Change { in_list: (is_list, target_in_list), kind, at })
}

impl Change {
    /// Returns whether it changes the subject of an issue at `place`: a direct member is added to it or removed, or
    /// something deeper where the message is cut.
    fn touches(&self, place: &[String], issue: &Issue) -> bool {
        let within = |at: &Place| {
            at.split_last().is_some_and(|(_, holder)| holder == place)
                || (issue.message.ends_with('…') && at.starts_with(place))
        };
        within(&self.at)
            || match &self.kind {
                Kind::Moved(to) => within(to),
                Kind::Added | Kind::Removed | Kind::Replaced => false,
            }
    }

    /// The location afterwards of the value at `place`; `None` when it is gone.
    fn moved(&self, place: Place) -> Option<Place> {
        let (is_list, target_in_list) = self.in_list;
        match &self.kind {
            Kind::Added if is_list => Some(shifted(place, &self.at, 1)),
            Kind::Added | Kind::Replaced => (!place.starts_with(&self.at)).then_some(place),
            Kind::Removed => self.without(place, is_list),
            Kind::Moved(to) => match place.strip_prefix(self.at.as_slice()) {
                Some(rest) => Some(to.iter().chain(rest).cloned().collect()),
                None => {
                    let place = self.without(place, is_list)?;
                    if target_in_list {
                        Some(shifted(place, to, 1))
                    } else {
                        (!place.starts_with(to)).then_some(place)
                    }
                }
            },
        }
    }

    fn without(&self, place: Place, is_list: bool) -> Option<Place> {
        if place.starts_with(&self.at) {
            return None;
        }
        Some(if is_list { shifted(place, &self.at, -1) } else { place })
    }
}

/// A location in a list at `at` or after it, moved by one; any other as it is.
fn shifted(mut place: Place, at: &[String], by: isize) -> Place {
    let Some((last, holder)) = at.split_last() else { return place };
    let here =
        place.strip_prefix(holder).and_then(|rest| rest.first()).and_then(|step| step.parse::<usize>().ok());
    if let (Some(here), Ok(from)) = (here, last.parse::<usize>())
        && here >= from
        && let Some(step) = place.get_mut(holder.len())
    {
        *step = here.saturating_add_signed(by).to_string();
    }
    place
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

    /// The location at which an issue at `path` is known after the patch, if it still is.
    fn after(path: &str, patch: &Value) -> Option<String> {
        let document = json!({"a": [{"x": 1}, {"x": 2}, {"x": 3}], "b": {"c": {"d": 1}}, "a/b": 1});
        let issue = Issue { path: path.to_owned().into(), ..Issue::new("X", Severity::Major) };
        PreExisting::of(vec![issue], &document, patch).known.into_keys().next()
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
            // A member that is added or removed changes its holder, and nothing above.
            ("/a", op("add", "/a/-"), None),
            ("/b", op("replace", "/b/c/d"), Some("/b")),
            ("/b/c", op("replace", "/b/c/d"), None),
            ("", op("replace", "/b/c/d"), Some("")),
            ("", op("add", "/n"), None),
            ("/a~1b", op("replace", "/b"), Some("/a~1b")),
            ("/a/2/x", json!([{"op": "move", "from": "/a/0", "path": "/b/e"}]), Some("/a/1/x")),
            ("/a/2/x", json!([{"op": "move", "from": "/a/2", "path": "/a/0"}]), Some("/a/0/x")),
            ("/a/0/x", json!([{"op": "move", "from": "/a/0", "path": "/a/-"}]), Some("/a/2/x")),
            ("/a/1/x", json!([{"op": "move", "from": "/a/0", "path": "/a/-"}]), Some("/a/0/x")),
            ("/a/1/x", json!([{"op": "copy", "from": "/a/2", "path": "/a/0"}]), Some("/a/2/x")),
            ("/b/c/d", json!([{"op": "move", "from": "/a/0", "path": "/b/c"}]), None),
            ("/b/c", json!([{"op": "move", "from": "/a/0", "path": "/b/c/e"}]), None),
            ("/a/1/x", json!([{"op": "add", "path": "/b", "value": 1}]), Some("/a/1/x")),
            ("/b/c/d", json!([{"op": "add", "path": "/b", "value": 1}]), None),
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
