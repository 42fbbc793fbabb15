//! Keys that appear twice in one object.

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::collections::HashSet;
use std::fmt;

/// Returns whether an object in strict JSON has a key twice: readers differ in which of the two counts. `false` for
/// text that is not strict JSON.
#[must_use]
pub fn has_a_key_twice(json: &[u8]) -> bool {
    serde_json::from_slice::<Twice>(json).is_ok_and(|found| found.0)
}

/// `true` if one was found in a value.
struct Twice(bool);

impl<'de> Deserialize<'de> for Twice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;

        impl<'de> Visitor<'de> for Any {
            type Value = Twice;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("JSON")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Twice, A::Error> {
                let (mut seen, mut twice) = (HashSet::new(), false);
                while let Some((key, inner)) = members.next_entry::<String, Twice>()? {
                    twice |= inner.0 | !seen.insert(key);
                }
                Ok(Twice(twice))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Twice, A::Error> {
                let mut twice = false;
                while let Some(inner) = items.next_element::<Twice>()? {
                    twice |= inner.0;
                }
                Ok(Twice(twice))
            }

            fn visit_unit<E>(self) -> Result<Twice, E> {
                Ok(Twice(false))
            }

            fn visit_bool<E>(self, _: bool) -> Result<Twice, E> {
                Ok(Twice(false))
            }

            fn visit_i64<E>(self, _: i64) -> Result<Twice, E> {
                Ok(Twice(false))
            }

            fn visit_u64<E>(self, _: u64) -> Result<Twice, E> {
                Ok(Twice(false))
            }

            fn visit_f64<E>(self, _: f64) -> Result<Twice, E> {
                Ok(Twice(false))
            }

            fn visit_str<E>(self, _: &str) -> Result<Twice, E> {
                Ok(Twice(false))
            }
        }

        deserializer.deserialize_any(Any)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_compared_within_their_object_and_as_they_are_read() {
        for (json, twice) in [
            (r#"{"a": 1, "b": {"a": [null, true, -1, 0.5, "a"]}, "c": [{"a": 1}, {"a": 2}]}"#, false),
            (r#"{"a": 1, "a": 1}"#, true),
            (r#"[{"a": {"b": 1, "\u0062": 2}}]"#, true),
            (r#"{"a": 1, "a": "#, false),
            ("3", false),
        ] {
            assert_eq!(has_a_key_twice(json.as_bytes()), twice, "{json}");
        }
    }
}
