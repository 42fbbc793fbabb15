//! Laying one profile over another.

use crate::value::yaml::{Data, Entry, Node};
use std::collections::HashSet;

/// Keys of which a mapping has exactly one; naming another replaces the mapping instead of merging into it.
const EXCLUSIVE: [&str; 7] = ["rubric", "schema", "rules", "grounding", "script", "given", "from"];

/// Lays `over` on `base`: mappings merge key by key, anything else replaces. A `null` takes the key away.
///
/// A mapping that says of which kind it is (a measure, or `overall: {from: …}`) replaces one of another kind whole,
/// because settings of one kind mean nothing to another.
#[must_use]
pub(super) fn merge(base: Node, over: Node) -> Node {
    let (Data::Map(below), Data::Map(above)) = (base.data, over.data.clone()) else { return over };
    if kind(&below) != kind(&above) && (kind(&above).is_some() || kind(&below) == Some("from")) {
        return over;
    }
    // A file may have as many keys as a file can hold: those that are not below are not searched for there.
    let known_below: HashSet<String> = below.iter().map(|entry| entry.key.clone()).collect();
    let mut merged: Vec<Entry> = below;
    for entry in above {
        let at = known_below
            .contains(&entry.key)
            .then(|| merged.iter().position(|known| known.key == entry.key))
            .flatten();
        match (at, &entry.value.data) {
            (Some(at), Data::Null) => {
                merged.remove(at);
            }
            (Some(at), _) => {
                let known = merged.remove(at);
                let value = merge(known.value, entry.value);
                merged.insert(at, Entry { key: entry.key, key_span: entry.key_span, value });
            }
            (None, _) => merged.push(entry),
        }
    }
    Node { span: over.span, data: Data::Map(merged) }
}

fn kind(entries: &[Entry]) -> Option<&str> {
    entries.iter().map(|e| e.key.as_str()).find(|key| EXCLUSIVE.contains(key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::{Problems, SourceFile};
    use crate::value::yaml::parse;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn node(value: &Value) -> Node {
        parse(&SourceFile::new("t.yaml", value.to_string()), &mut Problems::new()).unwrap()
    }

    fn merged(base: &Value, over: &Value) -> Value {
        merge(node(base), node(over)).to_json()
    }

    #[test]
    fn mappings_merge_lists_replace_and_null_removes() {
        assert_eq!(
            merged(
                &json!({"stop": {"max_iterations": 3, "timeout": "30s"}, "order": [1, 2]}),
                &json!({"stop": {"max_iterations": 5, "timeout": null}, "order": [3]})
            ),
            json!({"stop": {"max_iterations": 5}, "order": [3]})
        );
    }

    #[test]
    fn a_measure_of_another_kind_replaces_and_one_setting_does_not() {
        let base = json!({"validity": {"rules": "a", "penalty": 0.1}});
        assert_eq!(
            merged(&base, &json!({"validity": {"rubric": "b"}})),
            json!({"validity": {"rubric": "b"}})
        );
        assert_eq!(
            merged(&base, &json!({"validity": {"penalty": 0.2}})),
            json!({"validity": {"rules": "a", "penalty": 0.2}})
        );
        assert_eq!(
            merged(&json!({"o": {"a": 1}}), &json!({"o": {"from": "a"}})),
            json!({"o": {"from": "a"}})
        );
        assert_eq!(merged(&json!({"o": {"from": "a"}}), &json!({"o": {"a": 1}})), json!({"o": {"a": 1}}));
    }

    /// The obvious model: JSON values merged by recursion, without kinds.
    fn model(base: &Value, over: &Value) -> Value {
        match (base, over) {
            (Value::Object(base), Value::Object(over)) => {
                let mut out = base.clone();
                for (key, value) in over {
                    if value.is_null() && base.contains_key(key) {
                        out.shift_remove(key);
                    } else {
                        let value = base.get(key).map_or_else(|| value.clone(), |below| model(below, value));
                        out.insert(key.clone(), value);
                    }
                }
                Value::Object(out)
            }
            _ => over.clone(),
        }
    }

    fn tree() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![Just(json!(null)), Just(json!(1)), Just(json!("x")), Just(json!([1, 2]))];
        let object = |inner: BoxedStrategy<Value>| {
            proptest::collection::btree_map("[abc]", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect()))
        };
        object(leaf.prop_recursive(3, 20, 4, move |inner| object(inner.boxed())).boxed())
    }

    proptest! {
        #[test]
        fn merge_agrees_with_the_model(base in tree(), over in tree()) {
            prop_assert_eq!(merged(&base, &over), model(&base, &over));
        }
    }
}
