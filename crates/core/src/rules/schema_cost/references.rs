//! The schemas that the references of a JSON Schema lead to, within the schema itself.

use crate::value::{Segment, push_segment, unescape_fragment};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// The schemas that references lead to. Where a name could mean several, all of them count.
pub(super) struct Targets<'s> {
    root: &'s Value,
    /// Schemas with an `$id`, by its last part; the root has none here.
    resources: Vec<(&'s str, &'s Value, String)>,
    anchors: HashMap<&'s str, Vec<(&'s Value, String)>>,
}

impl<'s> Targets<'s> {
    pub(super) fn of(root: &'s Value) -> Self {
        let mut targets = Targets { root, resources: Vec::new(), anchors: HashMap::new() };
        let mut open = vec![(root, String::new())];
        while let Some((value, place)) = open.pop() {
            match value {
                Value::Object(members) => {
                    if let (Some(id), false) = (members.get("$id").and_then(Value::as_str), place.is_empty())
                    {
                        targets.resources.push((last_part(id), value, place.clone()));
                    }
                    for key in ["$anchor", "$dynamicAnchor"] {
                        if let Some(name) = members.get(key).and_then(Value::as_str) {
                            targets.anchors.entry(name).or_default().push((value, place.clone()));
                        }
                    }
                    for (name, member) in members {
                        if member.is_object() || member.is_array() {
                            let mut at = place.clone();
                            push_segment(&mut at, Segment::Key(name));
                            open.push((member, at));
                        }
                    }
                }
                Value::Array(items) => {
                    for (index, item) in items.iter().enumerate().filter(|(_, item)| !item.is_string()) {
                        let mut at = place.clone();
                        push_segment(&mut at, Segment::Index(index));
                        open.push((item, at));
                    }
                }
                _ => {}
            }
        }
        targets
    }

    /// Every schema that the references in a schema may lead to.
    pub(super) fn named_in(&self, schema: &'s Map<String, Value>) -> Vec<(&'s Value, String)> {
        let mut found = Vec::new();
        for key in ["$ref", "$dynamicRef", "$recursiveRef"] {
            if let Some(reference) = schema.get(key).and_then(Value::as_str) {
                self.add(reference, &mut found);
            }
        }
        found
    }

    fn add(&self, reference: &str, found: &mut Vec<(&'s Value, String)>) {
        let (resource, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let fragment = unescape_fragment(fragment);
        if !fragment.is_empty() && !fragment.starts_with('/') {
            found.extend(self.anchors.get(fragment.as_str()).into_iter().flatten().cloned());
            return;
        }
        let named = last_part(resource);
        let has_name = self.root.get("$id").or_else(|| self.root.get("id")).is_some();
        let is_elsewhere =
            !has_name && ["file:", "http:", "https:"].iter().any(|scheme| resource.starts_with(scheme));
        let root = (!is_elsewhere).then_some((named, self.root, "")).into_iter();
        let others = self.resources.iter().map(|(name, value, place)| (*name, *value, place.as_str()));
        for (name, value, place) in root.chain(others) {
            if (resource.is_empty() || name == named)
                && let Some(target) = value.pointer(&fragment)
            {
                found.push((target, format!("{place}{fragment}")));
            }
        }
    }
}

/// The part of an address after its last slash or colon.
fn last_part(address: &str) -> &str {
    let address = address.trim_end_matches('#');
    address.rsplit(['/', ':']).next().unwrap_or(address)
}
