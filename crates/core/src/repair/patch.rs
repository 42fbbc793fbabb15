//! JSON Patch (RFC 6902), as far as repairs need it: add, remove and replace.

use crate::value::{index_of, unescape};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "op")]
pub enum Operation {
    /// Puts a value where there was none.
    Add {
        /// A JSON Pointer.
        path: String,
        /// The value.
        value: Value,
    },
    /// Removes a value.
    Remove {
        /// A JSON Pointer.
        path: String,
    },
    /// Replaces a value.
    Replace {
        /// A JSON Pointer.
        path: String,
        /// The value.
        value: Value,
    },
}

/// An operation that does not fit the value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is nothing at `{0}`")]
pub struct PatchError(String);

/// Applies operations, one after the other.
///
/// # Errors
/// [`PatchError`] at the first that does not fit; those before it have been applied.
pub fn apply(value: &mut Value, patch: &[Operation]) -> Result<(), PatchError> {
    patch.iter().try_for_each(|operation| one(value, operation))
}

fn one(value: &mut Value, operation: &Operation) -> Result<(), PatchError> {
    match operation {
        Operation::Replace { path, value: with } => {
            *value.pointer_mut(path).ok_or_else(|| PatchError(path.clone()))? = with.clone();
        }
        Operation::Remove { path } => {
            let missing = || PatchError(path.clone());
            let (parent, last) = path.rsplit_once('/').ok_or_else(missing)?;
            match value.pointer_mut(parent) {
                Some(Value::Object(members)) => {
                    members.shift_remove(unescape(last).as_ref()).ok_or_else(missing)?;
                }
                Some(Value::Array(items)) => {
                    let at = index_of(last).filter(|at| *at < items.len()).ok_or_else(missing)?;
                    items.remove(at);
                }
                _ => return Err(missing()),
            }
        }
        Operation::Add { path, value: with } => {
            let missing = || PatchError(path.clone());
            let Some((parent, last)) = path.rsplit_once('/') else {
                *value = with.clone();
                return Ok(());
            };
            match value.pointer_mut(parent) {
                Some(Value::Object(members)) => {
                    members.insert(unescape(last).into_owned(), with.clone());
                }
                Some(Value::Array(items)) => {
                    let at = if last == "-" { Some(items.len()) } else { index_of(last) };
                    items.insert(at.filter(|at| *at <= items.len()).ok_or_else(missing)?, with.clone());
                }
                _ => return Err(missing()),
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn operations_apply_in_order_and_say_what_does_not_fit() {
        let patch: Vec<Operation> = serde_json::from_value(json!([
            {"op": "remove", "path": "/a~1b/0"},
            {"op": "add", "path": "/a~1b/-", "value": 3},
            {"op": "add", "path": "/a~1b/0", "value": 1},
            {"op": "replace", "path": "/c", "value": null},
            {"op": "remove", "path": "/d"},
        ]))
        .unwrap();
        let mut value = json!({"a/b": [0, 2], "c": 1, "d": 1, "e": 1});
        apply(&mut value, &patch).unwrap();
        assert_eq!(value.to_string(), r#"{"a/b":[1,2,3],"c":null,"e":1}"#);
        for path in ["/x", "/a~1b/7", "/a~1b/01", "/c/0", ""] {
            let patch = [Operation::Remove { path: path.to_owned() }];
            assert_eq!(
                apply(&mut value, &patch).unwrap_err().to_string(),
                format!("there is nothing at `{path}`")
            );
        }
        apply(&mut value, &[Operation::Add { path: String::new(), value: json!(1) }]).unwrap();
        assert_eq!(value, 1);
    }
}
