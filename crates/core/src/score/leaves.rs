//! The leaves of a candidate: its texts, numbers and truth values, each with its JSON Pointer.

use crate::value::{Segment, is_blank, push_segment};
use serde_json::Value;

/// Gives each text that is not blank, each number and each truth value to `visit`, in document order, as long as it answers `true`.
/// Pointers are written into `pointer`.
pub(super) fn each_leaf<'c>(
    candidate: &'c Value,
    pointer: &mut String,
    mut visit: impl FnMut(&str, &'c Value) -> bool,
) {
    pointer.clear();
    walk(candidate, pointer, &mut visit);
}

fn walk<'c>(value: &'c Value, pointer: &mut String, visit: &mut impl FnMut(&str, &'c Value) -> bool) -> bool {
    let mut within = |segment: Segment<'_>, value: &'c Value| {
        let length = pointer.len();
        push_segment(pointer, segment);
        let goes_on = walk(value, pointer, visit);
        pointer.truncate(length);
        goes_on
    };
    match value {
        Value::Object(members) => members.iter().all(|(key, value)| within(Segment::Key(key), value)),
        Value::Array(items) => {
            items.iter().enumerate().all(|(index, item)| within(Segment::Index(index), item))
        }
        Value::String(text) if is_blank(text) => true,
        Value::String(_) | Value::Number(_) | Value::Bool(_) => visit(pointer, value),
        Value::Null => true,
    }
}
