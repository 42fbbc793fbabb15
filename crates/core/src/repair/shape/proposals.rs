//! Changes that may help with an error. The validator decides whether one does.

use super::applicable::Applicable;
use super::errors::Wrong;
use super::replace;
use crate::profile::Repair;
use crate::repair::{Operation, RepairKind};
use crate::value::{Fuel, Segment, is_present, push_segment, unescape};
use serde_json::{Number, Value};

/// Longest text that is read as JSON or a number.
const MAX_COERCED_BYTES: usize = 1 << 20;

/// One change.
#[derive(Clone)]
pub(super) struct Proposal {
    pub(super) kind: RepairKind,
    /// The location of the change.
    pub(super) place: String,
    pub(super) patch: Vec<Operation>,
}

/// The changes that may help with an error, the most careful first.
pub(super) fn of(
    wrong: &Wrong,
    value: &Value,
    settings: Repair,
    schema: &Value,
    fuel: &Fuel,
) -> Vec<Proposal> {
    let path = wrong.path.as_str();
    let Some(here) = value.pointer(path) else { return Vec::new() };
    let mut list = List { path, found: Vec::new() };
    if settings.drop_unknown && !wrong.unexpected.is_empty() {
        let applicable = Applicable::at(schema, path, fuel);
        for name in wrong.unexpected.iter().take_while(|_| fuel.spend(1)) {
            let mut at = path.to_owned();
            push_segment(&mut at, Segment::Key(name));
            // A member that is required in one part and forbidden in another is a matter for a person.
            if here.get(name).is_some() && !applicable.may_require(name) {
                list.add(RepairKind::DropUnknown, &at, vec![Operation::Remove { path: at.clone() }]);
            }
        }
    }
    if let Some(name) = wrong.missing.as_deref().filter(|_| settings.defaults) {
        let mut at = path.to_owned();
        push_segment(&mut at, Segment::Key(name));
        if let (None, Some(default)) = (here.get(name), Applicable::at(schema, &at, fuel).default()) {
            list.add(
                RepairKind::Default,
                &at,
                vec![Operation::Add { path: at.clone(), value: default.clone() }],
            );
        }
    }
    if let (true, Value::String(text)) = (settings.trim, here) {
        let trimmed = text.trim();
        if trimmed.len() < text.len() {
            list.replace(RepairKind::Trim, Value::from(trimmed));
            if settings.coerce {
                coerced(&Value::from(trimmed))
                    .into_iter()
                    .for_each(|other| list.replace(RepairKind::Coerce, other));
            }
        }
    }
    let is_type = wrong.is_of_type();
    if settings.coerce && is_type {
        coerced(here).into_iter().for_each(|other| list.replace(RepairKind::Coerce, other));
    }
    if settings.rewrap && is_type && is_present(here) {
        rewrapped(here, path, schema, fuel, &mut list);
    }
    if settings.drop_invalid
        && let Some((parent, last)) = path.rsplit_once('/')
    {
        let may_go = match value.pointer(parent) {
            // A list or an object with something in it is worth asking for again.
            Some(Value::Object(_)) if is_present(here) && (here.is_object() || here.is_array()) => false,
            Some(Value::Object(_)) => !Applicable::at(schema, parent, fuel).may_require(&unescape(last)),
            // An element says something by being there, unless it is empty.
            Some(Value::Array(_)) => !is_present(here),
            _ => false,
        };
        if may_go {
            list.add(RepairKind::DropInvalid, path, vec![Operation::Remove { path: path.to_owned() }]);
        }
    }
    list.found
}

/// A list of one value as that value, and a value as a list of it, where the schema asks for the other. A record stays what it is: it
/// becomes an item, or an item becomes it, only where the schema declares its members by name. A map takes any names, so that
/// `[{"marker": "ER", "result": "positive"}]` would become two markers.
fn rewrapped(here: &Value, path: &str, schema: &Value, fuel: &Fuel, list: &mut List<'_>) {
    let is_record_of = |value: &Value, at: &str| match value {
        Value::Object(members) => Applicable::at(schema, at, fuel).declares(members),
        _ => true,
    };
    if let Value::Array(items) = here {
        if let [only] = items.as_slice()
            && is_record_of(only, path)
        {
            list.replace(RepairKind::Unwrap, only.clone());
        }
    } else if Applicable::at(schema, path, fuel).may_be_list() && is_record_of(here, &format!("{path}/0")) {
        list.replace(RepairKind::Wrap, Value::Array(vec![here.clone()]));
    }
}

struct List<'a> {
    path: &'a str,
    found: Vec<Proposal>,
}

impl List<'_> {
    fn add(&mut self, kind: RepairKind, place: &str, patch: Vec<Operation>) {
        self.found.push(Proposal { kind, place: place.to_owned(), patch });
    }

    fn replace(&mut self, kind: RepairKind, value: Value) {
        self.add(kind, self.path, replace(self.path, value));
    }
}

/// The value in other types: nothing is rounded, and nothing that could be an identifier (`007`) is touched.
fn coerced(value: &Value) -> Vec<Value> {
    match value {
        Value::String(text) if text.len() <= MAX_COERCED_BYTES => from_text(text).into_iter().collect(),
        Value::Bool(_) => vec![Value::String(value.to_string())],
        // Whole numbers only: how a fraction was written (`1.50`) is no longer known.
        Value::Number(number) if number.is_i64() || number.is_u64() => {
            vec![Value::String(number.to_string())]
        }
        _ => Vec::new(),
    }
}

fn from_text(text: &str) -> Option<Value> {
    match text {
        "true" | "True" | "TRUE" => return Some(Value::Bool(true)),
        "false" | "False" | "FALSE" => return Some(Value::Bool(false)),
        _ => {}
    }
    if text.starts_with(['{', '[']) {
        return serde_json::from_str(text).ok();
    }
    number(text).map(Value::Number)
}

/// A text as a number, if the number says all that the text says.
fn number(text: &str) -> Option<Number> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) =
        digits.split_once('.').map_or((digits, None), |(whole, rest)| (whole, Some(rest)));
    let are_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if !are_digits(whole) || (whole.len() > 1 && whole.starts_with('0')) || !fraction.is_none_or(are_digits) {
        return None;
    }
    let parsed: Number = text.parse().ok()?;
    let lossless = match fraction {
        None => parsed.to_string() == text,
        // Fifteen digits survive the way into a binary fraction and back.
        Some(fraction) => whole.len() + fraction.len() <= 15,
    };
    lossless.then_some(parsed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_are_read_only_when_nothing_is_lost() {
        for (text, expected) in [
            ("12", Some(json!(12))),
            ("-3", Some(json!(-3))),
            ("0", Some(json!(0))),
            ("0.5", Some(json!(0.5))),
            ("18446744073709551615", Some(json!(u64::MAX))),
            ("18446744073709551616", None),
            ("007", None),
            ("-0", None),
            ("1e5", None),
            ("+1", None),
            ("1.", None),
            (".5", None),
            ("12 mg", None),
            (" 12", None),
            ("0.1234567890123456789", None),
            ("", None),
            ("٣", None),
        ] {
            assert_eq!(number(text).map(Value::Number), expected, "{text}");
        }
    }
}
