//! The items of a list that has one for each part of the document.

use std::ops::Range;

use loopctl_plugin_sdk::protocol::{RequestPart, RequestParts};
use serde_json::{Map, Value};

use crate::focus::Keys;
use crate::patterns::Field;
use crate::search::{FoundValue, Search, segment};

/// The most parts that are inspected in one document.
const MAX_PARTS: usize = 1_000;

impl<'a> Search<'a> {
    /// One item for each part, with its label. Of `old` items, the members that are not in `refused` stay.
    pub(crate) fn each(
        &self,
        parts: Option<&RequestParts>,
        old: &[Value],
        refused: &Keys,
    ) -> Option<FoundValue> {
        let parts = parts?;
        let mut items = Vec::new();
        let mut read = Vec::new();
        let named = |item: &Value, label: &str| item.get(&parts.label).and_then(Value::as_str) == Some(label);
        for part in parts.parts.iter().take(MAX_PARTS) {
            let stretches = self.stretches(part);
            let before = old.iter().position(|item| named(item, &part.label));
            let kept = before.and_then(|at| old.get(at)).and_then(Value::as_object);
            let mut item = Map::new();
            item.insert(parts.label.clone(), Value::String(part.label.clone()));
            for (name, field) in &self.field.fields {
                let search = self.within(name, field, &stretches);
                let value = kept.and_then(|kept| kept.get(name)).filter(|value| !value.is_null());
                let is_refused = before.is_some_and(|at| refused.contains(&format!("{at}/{name}")));
                let found = match value {
                    Some(value) if !is_refused => Some(FoundValue::from(value.clone())),
                    Some(value) => search.again(value),
                    None => search.all(None),
                };
                if let Some(found) = found {
                    let at = format!("/{}{}", items.len(), segment(name));
                    read.extend(
                        found.read.into_iter().map(|(within, place)| (format!("{at}{within}"), place)),
                    );
                    item.insert(name.clone(), found.value);
                }
            }
            items.push(Value::Object(item));
        }
        (!items.is_empty()).then_some(FoundValue { value: Value::Array(items), read, is_ambiguous: false })
    }

    fn within<'s>(&self, name: &'s str, field: &'s Field, stretches: &'s [Range<usize>]) -> Search<'s>
    where
        'a: 's,
    {
        let Search { source, sections, ref tiers, .. } = *self;
        Search { name, field, source, sections, tiers: tiers.clone(), within: Some(stretches) }
    }

    /// The stretches of a part that lie within the source.
    fn stretches(&self, part: &RequestPart) -> Vec<Range<usize>> {
        let ranges = part.stretches.iter().map(|(start, end)| *start..*end);
        ranges.filter(|range| self.source.get(range.clone()).is_some()).collect()
    }
}
