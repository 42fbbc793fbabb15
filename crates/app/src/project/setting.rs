//! Sets a value in YAML that a user wrote: an existing value is replaced, or its key is inserted, and comments and
//! layout are kept. The result is parsed again, and must be the earlier content with that value, and nothing else.

use super::insert::{InsertionPoint, Unfit, find, into_mapping, is_flow, shown, tree};
use crate::value::yaml::{Data, Node};
use serde_json::{Map, Value};

/// Sets the value at `path` to a scalar, written literally as `scalar`.
///
/// # Errors
/// The reason why the user must do it. Nothing is half done.
pub fn set_scalar(text: &str, path: &[&str], scalar: &str) -> Result<String, Unfit> {
    let root = tree(text)?;
    let value = tree(scalar)?;
    if path.is_empty() || scalar.contains('\n') || matches!(value.data, Data::Map(_) | Data::List(_)) {
        return Err(Unfit::NotYaml);
    }
    let expected = with(root.to_json(), path, &value.to_json()).ok_or_else(|| Unfit::Absent(shown(path)))?;
    let known = (1..=path.len()).rev().find_map(|length| {
        let (to, rest) = path.split_at_checked(length)?;
        find(&root, to).ok().map(|place| (place, to, rest))
    });
    let changed = match known {
        Some((place, to, [])) => replaced(text, &place, scalar).ok_or_else(|| Unfit::Absent(shown(to)))?,
        Some((place, _, rest)) if is_flow(place.node) => in_one_line(text, place.node, rest, scalar)?,
        Some((_, to, rest)) => into_mapping(text, to, &nested(rest, scalar))?,
        None => into_mapping(text, &[], &nested(path, scalar))?,
    };
    if tree(&changed)?.to_json() == expected { Ok(changed) } else { Err(Unfit::Unsafe) }
}

/// A value with another one under a path; `None` where something on the way is not a mapping.
fn with(mut root: Value, path: &[&str], value: &Value) -> Option<Value> {
    let mut place = &mut root;
    for key in path {
        if place.is_null() {
            *place = Value::Object(Map::new());
        }
        place = place.as_object_mut()?.entry(*key).or_insert(Value::Null);
    }
    *place = value.clone();
    Some(root)
}

/// The text with another scalar instead of one.
fn replaced(text: &str, place: &InsertionPoint<'_>, scalar: &str) -> Option<String> {
    let node = place.node;
    if matches!(node.data, Data::Map(_) | Data::List(_)) {
        return None;
    }
    let (start, end) = (node.span.start(), node.span.end());
    if text.get(start..end)?.trim().is_empty() {
        // The value of a key without one belongs right after the colon.
        let key = place.entry?.key_span.end();
        let after = key + text.get(key..)?.find(':')? + 1;
        return Some(format!("{} {scalar}{}", text.get(..after)?, text.get(after..)?));
    }
    Some(format!("{}{scalar}{}", text.get(..start)?, text.get(end..)?))
}

/// The position of the brace that closes a mapping: the first that makes it whole, for the parser ends it later.
fn closing_brace(text: &str, node: &Node) -> Option<usize> {
    let start = node.span.start();
    let inside = text.get(start..)?;
    let whole = node.to_json();
    let closes = |length: &usize| {
        let until = inside.get(..length + 1);
        until.is_some_and(|text| tree(text).is_ok_and(|found| found.to_json() == whole))
    };
    inside.match_indices('}').map(|(at, _)| at).find(closes).map(|length| start + length)
}

/// A key at the end of a mapping that is written between braces.
fn in_one_line(text: &str, node: &Node, rest: &[&str], scalar: &str) -> Result<String, Unfit> {
    let Data::Map(entries) = &node.data else { return Err(Unfit::Absent(shown(rest))) };
    let end = closing_brace(text, node).ok_or(Unfit::Unsafe)?;
    let (inside, after) = text.split_at_checked(end).ok_or(Unfit::Unsafe)?;
    let kept = inside.trim_end();
    // After a comment a comma would be part of it.
    let last_line = kept.rsplit('\n').next().unwrap_or(kept);
    if last_line.contains(" #") {
        return Err(Unfit::InOneLine(shown(rest)));
    }
    let blank = inside.get(kept.len()..).unwrap_or_default();
    let comma = if entries.is_empty() || kept.ends_with(',') { " " } else { ", " };
    let blank = if entries.is_empty() && blank.is_empty() { " " } else { blank };
    let mut entry = scalar.to_owned();
    for (depth, key) in rest.iter().enumerate().rev() {
        entry =
            if depth + 1 == rest.len() { format!("{key}: {entry}") } else { format!("{key}: {{ {entry} }}") };
    }
    Ok(format!("{kept}{comma}{entry}{blank}{after}"))
}

/// Keys below each other, with a scalar at the end.
fn nested(path: &[&str], scalar: &str) -> String {
    let mut lines = String::new();
    for (depth, key) in path.iter().enumerate() {
        let value = if depth + 1 == path.len() { format!(" {scalar}") } else { String::new() };
        lines.push_str(&format!("{}{key}:{value}\n", "  ".repeat(depth)));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_replaced_and_everything_else_stays() {
        let text = "# head\naccept: { overall: 0.98, critical_issues: 0 }   # strict\nstop:\n  timeout: 30s  # long\n";
        let set = |path: &[&str], scalar: &str| set_scalar(text, path, scalar).unwrap();
        assert_eq!(set(&["accept", "overall"], "0.9"), text.replace("0.98", "0.9"));
        assert_eq!(set(&["stop", "timeout"], "1m"), text.replace("30s", "1m"));
        let empty = "a:\nb: 1\n";
        assert_eq!(set_scalar(empty, &["a"], "2").unwrap(), "a: 2\nb: 1\n");
    }

    #[test]
    fn a_key_that_is_not_there_comes_in() {
        let text = "accept: { overall: 0.98 } # strict\nstop:\n  max_iterations: 5   # few\n# foot\n";
        for (path, scalar, expected) in [
            (&["accept", "accuracy"][..], "0.9", text.replace("0.98 }", "0.98, accuracy: 0.9 }")),
            (&["accept", "a", "b"], "1", text.replace("0.98 }", "0.98, a: { b: 1 } }")),
            (&["stop", "timeout"], "10s", text.replace("# few\n", "# few\n  timeout: 10s\n")),
            (
                &["stop", "decline", "length"],
                "2",
                text.replace("# few\n", "# few\n  decline:\n    length: 2\n"),
            ),
            (&["gate", "validity"], "0.5", text.replace("# few\n", "# few\ngate:\n  validity: 0.5\n")),
        ] {
            assert_eq!(set_scalar(text, path, scalar).unwrap(), expected, "{path:?}");
        }
        assert_eq!(set_scalar("a: {}\n", &["a", "b"], "1").unwrap(), "a: { b: 1 }\n");
        assert_eq!(set_scalar("a: {\n  x: 1,\n}\n", &["a", "b"], "1").unwrap(), "a: {\n  x: 1, b: 1\n}\n");
    }

    #[test]
    fn what_is_written_otherwise_is_left_to_a_person() {
        assert!(set_scalar("a: [1]\n", &["a", "b"], "1").is_err());
        assert!(set_scalar("a: { b: 1 }\n", &["a"], "1").is_err());
        assert!(set_scalar("a: {\n  x: 1 # one\n}\n", &["a", "b"], "1").is_err());
        assert!(set_scalar("a: 1\n", &["a"], "1\nb: 2").is_err());
        assert!(set_scalar("a: 1\n", &["a"], "{ b: 1 }").is_err());
        assert!(set_scalar("a: &x 1\nb: *x\n", &["a"], "2").is_err());
    }
}
