//! Schemas as an API wants them, kept: every call of a stage comes with the same schema.

use std::sync::{Mutex, PoisonError};

use serde_json::Value;

/// The number of schemas that are kept: those of a profile's stages and judges.
const MOST: usize = 16;

/// The schemas that a codec adapted last. A codec stays pure with it: what it makes of a schema is the same every time.
#[derive(Debug, Default)]
pub struct AdaptedSchemas {
    /// Each schema with what was made of it, the latest last.
    kept: Mutex<Vec<(Value, Value)>>,
}

impl AdaptedSchemas {
    /// The result of `adapt` for this schema.
    pub fn get(&self, schema: &Value, adapt: impl FnOnce(&Value) -> Value) -> Value {
        if let Some(known) = self.known(schema) {
            return known;
        }
        let adapted = adapt(schema);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == MOST {
            kept.remove(0);
        }
        kept.push((schema.clone(), adapted.clone()));
        adapted
    }

    fn known(&self, schema: &Value) -> Option<Value> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().rev().find(|(known, _)| known == schema).map(|(_, adapted)| adapted.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_schema_is_adapted_once_while_it_is_kept() {
        let (schemas, mut adapted) = (AdaptedSchemas::default(), Vec::new());
        let mut get = |number: usize| {
            let made = schemas.get(&json!({ "const": number }), |schema| {
                adapted.push(number);
                json!({ "anyOf": [schema] })
            });
            assert_eq!(made, json!({ "anyOf": [{ "const": number }] }));
        };
        for number in (0..=MOST).chain([MOST, 1, 0]) {
            get(number);
        }
        // The first had to go.
        assert_eq!(adapted, (0..=MOST).chain([0]).collect::<Vec<_>>());
    }
}
