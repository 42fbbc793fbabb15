//! What the loop asks of candidates as JSON: are they equal, is a value there at all.

use serde_json::{Number, Value};
use sha2::{Digest as _, Sha256};
use std::fmt::Write;

/// Whether a field counts as present: neither null nor `""`, nor an empty array or object.
#[must_use]
pub fn is_present(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
        Value::Bool(_) | Value::Number(_) => true,
    }
}

/// Deepest candidate. Requests, events and results wrap it in more, and all of them must be readable again: parsers
/// stop at 128.
pub const MAX_CANDIDATE_DEPTH: usize = 100;

/// Whether arrays and objects are nested more than `limit` deep.
#[must_use]
pub fn is_deeper(value: &Value, limit: usize) -> bool {
    let Some(below) = limit.checked_sub(1) else { return value.is_array() || value.is_object() };
    match value {
        Value::Array(items) => items.iter().any(|item| is_deeper(item, below)),
        Value::Object(members) => members.values().any(|member| is_deeper(member, below)),
        _ => false,
    }
}

/// SHA-256 of a value's canonical form: equal for values that are equal as JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// Of a JSON value, whatever the order of its members and the spelling of its numbers.
    #[must_use]
    pub fn of(value: &Value) -> Self {
        Digest(Sha256::digest(canonical(value).as_bytes()).into())
    }

    /// Lower-case hexadecimal.
    #[must_use]
    pub fn hex(&self) -> String {
        hex(&self.0)
    }
}

/// SHA-256 of bytes, as lower-case hexadecimal.
#[must_use]
pub(crate) fn digest_bytes(bytes: &[u8]) -> String {
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
    let mut out = String::new();
    write_canonical(value, &mut out);
    out
}

fn write_canonical(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        Value::Number(number) => write_number(number, out),
        Value::String(_) => out.push_str(&value.to_string()),
        Value::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_canonical(item, out);
            }
            out.push(']');
        }
        Value::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_by(|a, b| a.0.cmp(b.0));
            out.push('{');
            for (i, (key, member)) in sorted.into_iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                out.push_str(&Value::String(key.clone()).to_string());
                out.push(':');
                write_canonical(member, out);
            }
            out.push('}');
        }
    }
}

fn write_number(number: &Number, out: &mut String) {
    // Writing to a String can't fail.
    let _ = match (number.as_i64(), number.as_u64(), number.as_f64()) {
        (Some(int), _, _) => write!(out, "{int}"),
        (_, Some(int), _) => write!(out, "{int}"),
        // As far as whole numbers are written in digits: those beyond 64 bits are all binary fractions.
        #[expect(clippy::cast_possible_truncation, reason = "whole and within 2^64")]
        (_, _, Some(float)) if float.fract() == 0.0 && float.abs() <= 18_446_744_073_709_551_616.0 => {
            write!(out, "{}", float as i128)
        }
        (_, _, Some(float)) => write!(out, "{float:e}"),
        _ => write!(out, "{number}"),
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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

    #[test]
    fn depth_is_counted_in_arrays_and_objects() {
        let nested = |depth: usize| -> Value {
            serde_json::from_str(&format!("{}{}", "[".repeat(depth), "]".repeat(depth))).unwrap()
        };
        assert!(!is_deeper(&nested(MAX_CANDIDATE_DEPTH), MAX_CANDIDATE_DEPTH));
        assert!(is_deeper(&nested(MAX_CANDIDATE_DEPTH + 1), MAX_CANDIDATE_DEPTH));
        assert!(!is_deeper(&json!(1), 0));
    }

    #[test]
    fn present_is_more_than_there() {
        for absent in [json!(null), json!(""), json!([]), json!({})] {
            assert!(!is_present(&absent), "{absent}");
        }
        for present in [json!(0), json!(false), json!(" "), json!([null]), json!({"a": null})] {
            assert!(is_present(&present), "{present}");
        }
    }
}
