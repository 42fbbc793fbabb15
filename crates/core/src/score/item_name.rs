//! The text that names an item of a list: a value of one of its other members is stated about it only beside that text.

use super::grounded::steps;
use crate::value::unescape;
use serde_json::Value;
use std::collections::HashSet;

/// Most items of a list that are compared to see which member names them.
const MOST_COMPARED: usize = 50;

/// The key of a leaf, as written in its pointer, and the text that names the item that it is a member of: that of the
/// member that `item_key` gives for the pointer of its list, else the first that no other item of the list has. The
/// text is empty for the member that names the item.
pub fn claimed_field<'p, 'k>(
    candidate: &'p Value,
    pointer: &'p str,
    item_key: &dyn Fn(&str) -> Option<&'k str>,
) -> (&'p str, Option<&'p str>) {
    let key = steps(pointer).filter(|step| !is_index(step)).last().unwrap_or_default();
    let Some((of_item, member)) = pointer.rsplit_once('/') else { return (key, None) };
    if !of_item.rsplit('/').next().is_some_and(is_index) {
        return (key, None);
    }
    let item = candidate.pointer(of_item).and_then(Value::as_object);
    let list = of_item.rsplit_once('/').map(|(list, _)| list);
    let by_key = || {
        let (name, value) = item?.get_key_value(item_key(list?)?)?;
        Some((name, value.as_str().filter(|text| !text.trim().is_empty())?))
    };
    let texts = || {
        item.into_iter().flatten().filter_map(|(name, value)| {
            let text = value.as_str().filter(|text| names_item(text))?;
            Some((name, text))
        })
    };
    let items = list.and_then(|list| candidate.pointer(list)).and_then(Value::as_array);
    let tells_apart = |name: &String| {
        let items = || items.into_iter().flatten().take(MOST_COMPARED).filter_map(|item| item.get(name));
        let mut known = HashSet::new();
        items().all(|value| value.as_str().is_none_or(|text| known.insert(text)))
    };
    let named = by_key().or_else(|| texts().find(|(name, _)| tells_apart(name))).or_else(|| texts().next());
    match named {
        Some((name, _)) if *name == *unescape(member) => (key, Some("")),
        Some((_, text)) => (key, Some(text)),
        None => (key, None),
    }
}

/// Returns whether a step of a pointer is the index of an item.
pub(super) fn is_index(step: &str) -> bool {
    !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns whether a text can name an item: it has two letters in a row.
fn names_item(text: &str) -> bool {
    text.chars().zip(text.chars().skip(1)).any(|(one, other)| one.is_alphabetic() && other.is_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_item_is_named_by_its_key_or_by_the_first_text_that_tells_it_apart() {
        let record = json!({"markers": [
            {"clone": "SP1", "unit": "percent", "marker": "ER", "result": 90},
            {"clone": "PgR636", "unit": "percent", "marker": "PR", "result": 10},
        ]});
        let none = |_: &str| None;
        let key = |list: &str| (list == "/markers").then_some("marker");
        assert_eq!(claimed_field(&record, "/markers/0/result", &none), ("result", Some("SP1")));
        assert_eq!(claimed_field(&record, "/markers/0/result", &key), ("result", Some("ER")));
        assert_eq!(claimed_field(&record, "/markers/1/marker", &key), ("marker", Some("")));
        assert_eq!(claimed_field(&record, "/markers", &key), ("markers", None));
        // A key that the item lacks names nothing.
        let lost = |_: &str| Some("gene");
        assert_eq!(claimed_field(&record, "/markers/1/result", &lost), ("result", Some("PgR636")));
    }
}
