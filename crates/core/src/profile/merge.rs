//! Laying one profile over another.

use super::assess::KINDS;
use crate::value::yaml::{Data, Entry, Node};
use std::collections::HashMap;

/// The position of a mapping in a profile: keys of the same spelling are settings in one place and names of dimensions
/// in another.
#[derive(Clone, Copy)]
enum MergeContext {
    Profile,
    Dimensions,
    Measure,
    Overall,
    Stages,
    Elsewhere,
}

/// The keys that say of which kind an entry of `assess` is.
const MEASURES: [&str; 9] = {
    let [rubric, schema, rules, grounding, script, given] = KINDS;
    [rubric, schema, rules, grounding, script, given, "judge", "external", "ensemble"]
};

impl MergeContext {
    /// The position of the value under `key`.
    fn under(self, key: &str) -> MergeContext {
        match (self, key) {
            (MergeContext::Profile, "assess") => MergeContext::Dimensions,
            (MergeContext::Profile, "overall") => MergeContext::Overall,
            (MergeContext::Profile, "stages") => MergeContext::Stages,
            (MergeContext::Dimensions, _) => MergeContext::Measure,
            _ => MergeContext::Elsewhere,
        }
    }

    /// The key that says of which kind a mapping here is.
    fn kind(self, entries: &[Entry]) -> Option<&str> {
        let kinds: &[&str] = match self {
            MergeContext::Measure => &MEASURES,
            MergeContext::Overall => &["from"],
            MergeContext::Profile
            | MergeContext::Dimensions
            | MergeContext::Stages
            | MergeContext::Elsewhere => &[],
        };
        entries.iter().map(|e| e.key.as_str()).find(|key| kinds.contains(key))
    }
}

/// Lays the profile `over` on `base`: mappings merge key by key, anything else replaces. A `null` takes the key away.
///
/// A mapping that says of which kind it is (a measure, or `overall: {from: …}`) replaces one of another kind whole,
/// because settings of one kind mean nothing to another. `stages` replaces as a list does, but a stage takes the keys
/// that it leaves out from the one of its `id` below.
#[must_use]
pub(super) fn merge(base: Node, over: Node) -> Node {
    merge_at(MergeContext::Profile, base, over)
}

/// Lays one tree over another as `merge` does, where no key has a meaning of its own.
#[must_use]
pub fn merge_mappings(base: Node, over: Node) -> Node {
    merge_at(MergeContext::Elsewhere, base, over)
}

/// The stages of `over`, each laid over the one of its `id` in `base`.
fn merge_stages(base: Vec<Node>, over: Vec<Node>) -> Vec<Node> {
    let id = |stage: &Node| stage.get("id").and_then(Node::as_text).map(str::to_owned);
    let mut below: HashMap<String, Node> =
        base.into_iter().filter_map(|stage| Some((id(&stage)?, stage))).collect();
    over.into_iter()
        .map(|stage| match id(&stage).and_then(|id| below.remove(&id)) {
            Some(known) => merge_at(MergeContext::Elsewhere, without_config(known, &stage), stage),
            None => stage,
        })
        .collect()
}

/// A stage as another takes it over: the settings of one provider mean nothing to another.
fn without_config(mut stage: Node, over: &Node) -> Node {
    if let (Data::Map(entries), Some(_)) = (&mut stage.data, over.get("provider")) {
        entries.retain(|entry| entry.key != "config");
    }
    stage
}

fn merge_at(place: MergeContext, base: Node, over: Node) -> Node {
    if let (MergeContext::Stages, Data::List(below), Data::List(above)) = (place, &base.data, &over.data) {
        let data = Data::List(merge_stages(below.clone(), above.clone()));
        return Node { span: over.span, data };
    }
    let (Data::Map(below), Data::Map(above)) = (base.data, over.data.clone()) else { return over };
    let (kind_below, kind_above) = (place.kind(&below), place.kind(&above));
    if kind_below != kind_above && (kind_above.is_some() || kind_below == Some("from")) {
        return over;
    }
    // Keys are looked up in an index: a file may hold a hundred thousand of them.
    let mut at: HashMap<String, usize> =
        below.iter().enumerate().map(|(index, entry)| (entry.key.clone(), index)).collect();
    let mut merged: Vec<Option<Entry>> = below.into_iter().map(Some).collect();
    for entry in above {
        match at.get(&entry.key).and_then(|index| merged.get_mut(*index)) {
            Some(slot) => {
                *slot = match (slot.take(), &entry.value.data) {
                    (_, Data::Null) => None,
                    (None, _) => Some(entry),
                    (Some(known), _) => {
                        let value = merge_at(place.under(&entry.key), known.value, entry.value);
                        Some(Entry { key: entry.key, key_span: entry.key_span, value })
                    }
                };
            }
            None => {
                at.insert(entry.key.clone(), merged.len());
                merged.push(Some(entry));
            }
        }
    }
    let merged = merged.into_iter().flatten().collect();
    Node { span: over.span, data: Data::Map(merged) }
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
        let base = json!({"assess": {"validity": {"rules": "a", "penalty": 0.1}}});
        assert_eq!(
            merged(&base, &json!({"assess": {"validity": {"rubric": "b"}}})),
            json!({"assess": {"validity": {"rubric": "b"}}})
        );
        assert_eq!(
            merged(&base, &json!({"assess": {"validity": {"penalty": 0.2}}})),
            json!({"assess": {"validity": {"rules": "a", "penalty": 0.2}}})
        );
        assert_eq!(
            merged(&json!({"overall": {"a": 1}}), &json!({"overall": {"from": "a"}})),
            json!({"overall": {"from": "a"}})
        );
        assert_eq!(
            merged(&json!({"overall": {"from": "a"}}), &json!({"overall": {"a": 1}})),
            json!({"overall": {"a": 1}})
        );
    }

    #[test]
    fn a_stage_takes_what_it_leaves_out_from_the_one_of_its_id() {
        let base = json!({"stages": [
            {"id": "tag", "provider": "a"},
            {"id": "extract", "provider": "b:m", "prompt": "p.md", "config": {"url": "u"}, "options": {"seed": 1}},
        ]});
        assert_eq!(
            merged(
                &base,
                &json!({"stages": [{"id": "extract", "evidence": "quotes", "options": {"model": "n"}}]})
            ),
            json!({"stages": [{
                "id": "extract", "provider": "b:m", "prompt": "p.md", "config": {"url": "u"},
                "options": {"seed": 1, "model": "n"}, "evidence": "quotes",
            }]})
        );
        assert_eq!(
            merged(
                &base,
                &json!({"stages": [{"id": "extract", "provider": "c", "prompt": null}, {"id": "new"}]})
            ),
            json!({"stages": [{"id": "extract", "provider": "c", "options": {"seed": 1}}, {"id": "new"}]})
        );
    }

    #[test]
    fn a_dimension_may_be_called_like_a_kind() {
        let base = json!({
            "assess": {"completeness": {"rubric": "a"}},
            "overall": {"completeness": 1},
            "accept": {"overall": 0.9},
        });
        let over = json!({
            "assess": {"grounding": {"grounding": {"fuzzy": 0.8}}},
            "overall": {"grounding": 1},
            "accept": {"grounding": 0.5},
        });
        let both = json!({
            "assess": {"completeness": {"rubric": "a"}, "grounding": {"grounding": {"fuzzy": 0.8}}},
            "overall": {"completeness": 1, "grounding": 1},
            "accept": {"overall": 0.9, "grounding": 0.5},
        });
        assert_eq!(merged(&base, &over), both);
        assert_eq!(
            merged(&both, &json!({"assess": {"grounding": {"grounding": {"rubric": "a"}}}}))
                .pointer("/assess/grounding/grounding"),
            Some(&json!({"fuzzy": 0.8, "rubric": "a"}))
        );
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
