//! The name of a field: the member of the extraction that it is, or a JSON Pointer to a value within it.

use crate::value::{escape, has_too_many_steps, index_of, unescape};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use std::fmt;

/// A field of an extraction. Kept as a JSON Pointer, named as [labels](crate::experiment) name fields.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldPath(String);

/// The reason why a value can't be put where a path leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoPlace {
    /// Its parent is neither an object nor a list.
    InValue(FieldPath),
    /// It is an item of a list that has fewer.
    BeyondList(FieldPath, usize),
    /// Its pointer has more steps than any value has levels.
    TooDeep,
}

impl FieldPath {
    /// The field that a name means: `margins`, `/ihcMarkers/ER`.
    pub fn named(name: &str) -> Self {
        if name.starts_with('/') {
            FieldPath(name.to_owned())
        } else {
            FieldPath(format!("/{}", escape(name)))
        }
    }

    /// The member of this name at the top.
    pub(super) fn of_top(name: &str) -> Self {
        FieldPath::root().child(name)
    }

    /// The JSON Pointer.
    pub fn pointer(&self) -> &str {
        &self.0
    }

    /// A part of this field.
    pub(super) fn child(&self, step: &str) -> Self {
        FieldPath(format!("{}/{}", self.0, escape(step)))
    }

    /// The whole extraction.
    pub(super) fn root() -> Self {
        FieldPath(String::new())
    }

    /// The member at the top that it is, or lies in.
    pub fn top(&self) -> String {
        unescape(self.0.split('/').nth(1).unwrap_or_default()).into_owned()
    }

    /// The name of the last member.
    pub fn last(&self) -> String {
        unescape(self.0.rsplit('/').next().unwrap_or_default()).into_owned()
    }

    /// Its parent, with the last step; `None` of the whole.
    pub(super) fn parent(&self) -> Option<(FieldPath, String)> {
        let (parent, step) = self.0.rsplit_once('/')?;
        Some((FieldPath(parent.to_owned()), unescape(step).into_owned()))
    }

    /// Returns whether it is a member at the top of an extraction.
    pub(super) fn is_top(&self) -> bool {
        self.0.matches('/').count() == 1
    }

    /// The value there.
    pub fn of<'v>(&self, extraction: &'v Value) -> Option<&'v Value> {
        extraction.pointer(&self.0)
    }

    /// Checks that a value could be put there.
    pub fn place_in(&self, extraction: &Value) -> Result<(), NoPlace> {
        if has_too_many_steps(&self.0) {
            return Err(NoPlace::TooDeep);
        }
        let Some((parent, step)) = self.parent() else { return Ok(()) };
        match parent.of(extraction) {
            None => parent.place_in(extraction),
            Some(Value::Object(_) | Value::Null) => Ok(()),
            Some(Value::Array(items)) => match index_of(&step) {
                Some(index) if index <= items.len() => Ok(()),
                _ => Err(NoPlace::BeyondList(parent, items.len())),
            },
            Some(_) => Err(NoPlace::InValue(parent)),
        }
    }

    /// Puts a value there, with its missing parents. An extraction that has no place for it is unchanged.
    pub(super) fn set(&self, extraction: &mut Value, value: Value) {
        if has_too_many_steps(&self.0) {
            return;
        }
        let Some((parent, step)) = self.parent() else { return *extraction = value };
        if matches!(parent.of(extraction), None | Some(Value::Null)) {
            parent.set(extraction, Value::Object(Map::new()));
        }
        match extraction.pointer_mut(&parent.0) {
            Some(Value::Object(members)) => _ = members.insert(step, value),
            Some(Value::Array(items)) => {
                let (Some(index), count) = (index_of(&step), items.len()) else { return };
                match items.get_mut(index) {
                    Some(item) => *item = value,
                    None if index == count => items.push(value),
                    None => {}
                }
            }
            _ => {}
        }
    }

    /// Removes the value from an object. In a list `null` replaces it, so that the other items keep their numbers.
    pub(super) fn remove(&self, extraction: &mut Value) {
        let Some((parent, step)) = self.parent() else { return *extraction = Value::Null };
        match extraction.pointer_mut(&parent.0) {
            Some(Value::Object(members)) => _ = members.shift_remove(&step),
            Some(Value::Array(items)) => {
                if let Some(item) = step.parse().ok().and_then(|index: usize| items.get_mut(index)) {
                    *item = Value::Null;
                }
            }
            _ => {}
        }
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.strip_prefix('/') {
            Some(name) if !name.is_empty() && !name.contains(['/', '~']) => f.write_str(name),
            _ => f.write_str(&self.0),
        }
    }
}

impl Serialize for FieldPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for FieldPath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|name| FieldPath::named(&name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_name_and_its_pointer_are_one_field() {
        for (name, pointer, shown) in [
            ("margins", "/margins", "margins"),
            ("/margins", "/margins", "margins"),
            ("/ihcMarkers/ER", "/ihcMarkers/ER", "/ihcMarkers/ER"),
            ("a/b", "/a~1b", "/a~1b"),
        ] {
            let field = FieldPath::named(name);
            assert_eq!((field.pointer(), field.to_string().as_str()), (pointer, shown));
            assert_eq!(FieldPath::named(&field.to_string()), field);
        }
        assert_eq!(FieldPath::named("/a~1b/c").top(), "a/b");
    }

    #[test]
    fn values_are_put_and_taken_out() {
        let mut value = json!({"list": [{"a": 1}, {"a": 2}], "text": "t"});
        FieldPath::named("/list/0/a").remove(&mut value);
        FieldPath::named("/list/2").set(&mut value, json!({"a": 3}));
        FieldPath::named("/list/9/a").set(&mut value, json!(9));
        FieldPath::named("/deep/er").set(&mut value, json!(true));
        FieldPath::named("/text/x").set(&mut value, json!(1));
        FieldPath::named("/list/1").remove(&mut value);
        assert_eq!(value, json!({"list": [{}, null, {"a": 3}], "text": "t", "deep": {"er": true}}));
        assert!(FieldPath::named("/list/4").place_in(&value).is_err());
        assert!(FieldPath::named("/text/x").place_in(&value).is_err());
        assert!(FieldPath::named("/fresh/x").place_in(&value).is_ok());
        let endless = FieldPath::named(&"/a".repeat(100_000));
        endless.set(&mut value, json!(1));
        assert_eq!((endless.place_in(&value), value.get("a")), (Err(NoPlace::TooDeep), None));
    }
}
