//! The properties of candidates as JSON that the loop asks for: equality, depth and size.

use serde_json::{Number, Value};
use sha2::{Digest as _, Sha256};
use smallvec::SmallVec;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Deepest candidate. Requests, events and results wrap it in more, and all of them must be readable again: parsers
/// stop at 128.
pub const MAX_CANDIDATE_DEPTH: usize = 100;

/// Returns whether arrays and objects are nested more than `limit` deep.
#[must_use]
pub fn is_deeper(value: &Value, limit: usize) -> bool {
    let Some(below) = limit.checked_sub(1) else { return value.is_array() || value.is_object() };
    match value {
        Value::Array(items) => items.iter().any(|item| is_deeper(item, below)),
        Value::Object(members) => members.values().any(|member| is_deeper(member, below)),
        _ => false,
    }
}

/// The approximate number of bytes a value takes as JSON, counted no further than `limit`.
#[must_use]
pub fn about_bytes(value: &Value, limit: usize) -> usize {
    let add = |sum: usize, value: &Value, name: usize| match limit.checked_sub(sum) {
        Some(left) if left > 0 => sum + name + about_bytes(value, left),
        _ => sum,
    };
    match value {
        Value::String(text) => text.len() + 2,
        Value::Array(items) => items.iter().fold(2, |sum, item| add(sum, item, 1)),
        Value::Object(members) => members.iter().fold(2, |sum, (name, item)| add(sum, item, name.len() + 4)),
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
    }
}

/// SHA-256 of a value's canonical form: equal for values that are equal as JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of a JSON value, regardless of the order of its members and the spelling of its numbers.
    #[must_use]
    pub fn of(value: &Value) -> Self {
        let mut hashing = Hashing(Sha256::new());
        // Nothing that is written to it can fail.
        let _ = write_canonical(value, &mut hashing);
        Digest(hashing.0.finalize().into())
    }

    /// Lower-case hexadecimal.
    #[must_use]
    pub fn hex(&self) -> String {
        hex(&self.0)
    }
}

/// Takes a digest of what is written.
struct Hashing(Sha256);

impl Write for Hashing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// SHA-256 of bytes, as lower-case hexadecimal.
#[must_use]
pub fn digest_bytes(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut out, byte| {
        // Writing to a String can't fail.
        let _ = write!(out, "{byte:02x}");
        out
    })
}

/// One text for all values that are equal as JSON: members sorted by key, `1` and `1.0` the same.
#[must_use]
pub fn canonical(value: &Value) -> String {
    let mut out = Vec::new();
    // Writing to a Vec can't fail, and JSON of texts is text.
    let _ = write_canonical(value, &mut out);
    String::from_utf8(out).unwrap_or_default()
}

fn write_canonical(value: &Value, out: &mut impl Write) -> io::Result<()> {
    match value {
        Value::Null => out.write_all(b"null"),
        Value::Bool(b) => out.write_all(if *b { b"true" } else { b"false" }),
        Value::Number(number) => write_number(number, out),
        Value::String(text) => write_text(text, out),
        Value::Array(items) => {
            out.write_all(b"[")?;
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.write_all(b",")?;
                }
                write_canonical(item, out)?;
            }
            out.write_all(b"]")
        }
        Value::Object(members) => {
            // Few objects have more members than fit inline.
            let mut sorted: SmallVec<[(&String, &Value); 16]> = members.iter().collect();
            sorted.sort_unstable_by_key(|(key, _)| *key);
            out.write_all(b"{")?;
            for (i, (key, member)) in sorted.into_iter().enumerate() {
                if i > 0 {
                    out.write_all(b",")?;
                }
                write_text(key, out)?;
                out.write_all(b":")?;
                write_canonical(member, out)?;
            }
            out.write_all(b"}")
        }
    }
}

fn write_text(text: &str, out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer(out, text).map_err(io::Error::from)
}

fn write_number(number: &Number, out: &mut impl Write) -> io::Result<()> {
    match (number.as_i64(), number.as_u64(), number.as_f64()) {
        (Some(int), _, _) => write!(out, "{int}"),
        (_, Some(int), _) => write!(out, "{int}"),
        // As far as whole numbers are written in digits: those beyond 64 bits are all binary fractions.
        #[expect(clippy::cast_possible_truncation, reason = "whole and within 2^64")]
        (_, _, Some(float)) if float.fract() == 0.0 && float.abs() <= 18_446_744_073_709_551_616.0 => {
            write!(out, "{}", float as i128)
        }
        (_, _, Some(float)) => write!(out, "{float:e}"),
        _ => write!(out, "{number}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;
    use std::collections::BTreeMap;

    #[test]
    fn order_and_spelling_of_numbers_do_not_matter() {
        assert_eq!(Digest::of(&json!({"a": 1, "b": [2.0]})), Digest::of(&json!({"b": [2], "a": 1.0})));
        assert_eq!(canonical(&json!(1e16)), canonical(&json!(10_000_000_000_000_000_i64)));
        assert_ne!(canonical(&json!(9_007_199_254_740_992.0)), canonical(&json!(9_007_199_254_740_993_i64)));
        assert_eq!(canonical(&json!(-9_223_372_036_854_775_808.0)), canonical(&json!(i64::MIN)));
        assert_ne!(canonical(&json!(18_446_744_073_709_551_616.0)), canonical(&json!(u64::MAX)));
        assert_ne!(Digest::of(&json!({"a": 1})), Digest::of(&json!({"a": "1"})));
        assert_ne!(Digest::of(&json!([1, 2])), Digest::of(&json!([2, 1])));
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
            "[a\"\\\\\n\t\u{0}\u{1f}\u{7f}ä]{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 64, 20, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((any::<String>(), inner), 0..20)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    /// The canonical form as a tree of texts. Digests appear in journals, so it stays as it is.
    #[expect(clippy::cast_possible_truncation, reason = "whole and within 2^64")]
    fn text_of(value: &Value) -> String {
        match value {
            Value::Null | Value::Bool(_) | Value::String(_) => value.to_string(),
            Value::Number(number) => {
                let float = number.as_f64().unwrap();
                match (number.as_i64(), number.as_u64()) {
                    (Some(int), _) => int.to_string(),
                    (_, Some(int)) => int.to_string(),
                    _ if float.fract() == 0.0 && float.abs() <= 2.0_f64.powi(64) => {
                        (float as i128).to_string()
                    }
                    _ => format!("{float:e}"),
                }
            }
            Value::Array(items) => {
                format!("[{}]", items.iter().map(text_of).collect::<Vec<_>>().join(","))
            }
            Value::Object(members) => {
                let sorted: BTreeMap<&String, &Value> = members.iter().collect();
                let member = |(key, value): (&String, &Value)| format!("{}:{}", json!(key), text_of(value));
                format!("{{{}}}", sorted.into_iter().map(member).collect::<Vec<_>>().join(","))
            }
        }
    }

    proptest! {
        #[test]
        fn a_digest_is_that_of_the_canonical_text(value in values()) {
            let text = text_of(&value);
            prop_assert_eq!(canonical(&value), text.as_str());
            prop_assert_eq!(Digest::of(&value).hex(), digest_bytes(text.as_bytes()));
        }
    }

    #[test]
    fn digests_stay_what_journals_have_them_be() {
        let value = json!({"b": [1.0, 2.5, 1e300, null], "a\n\"": "ä\u{1}", "a": {}});
        assert_eq!(canonical(&value), r#"{"a":{},"a\n\"":"ä\u0001","b":[1,2.5e0,1e300,null]}"#);
    }

    #[test]
    fn depth_is_counted_in_arrays_and_objects() {
        let nested = |depth: usize| -> Value {
            serde_json::from_str(&format!("{}{}", "[".repeat(depth), "]".repeat(depth))).unwrap()
        };
        assert!(!is_deeper(&nested(MAX_CANDIDATE_DEPTH), MAX_CANDIDATE_DEPTH));
        assert!(is_deeper(&nested(MAX_CANDIDATE_DEPTH + 1), MAX_CANDIDATE_DEPTH));
        assert!(!is_deeper(&json!(1), 0));
    }
}
