//! A label: the verdict of one reviewer on one document.

use crate::diag::nearest;
use crate::trajectory::found_instead;
use crate::value::{Score, is_present};
use serde_json::{Map, Value};

/// A reviewer's verdict on one document, and what they know about it besides.
#[derive(Debug, Clone, PartialEq)]
pub struct Label {
    /// The document's id, as in the run.
    pub document: String,
    /// `true` if its accepted output holds a wrong value.
    pub wrong: bool,
    /// The score that is compared with thresholds, if no run gives it.
    pub score: Option<Score>,
    /// `true` if the profile passed it, which is the default; for labels without a run.
    pub passed: bool,
    /// The document's type, if no run gives it.
    pub document_type: Option<String>,
    /// The value that documents share that are not independent, such as a patient.
    pub cluster: Option<String>,
    /// The reviewer.
    pub reviewer: Option<String>,
    /// `true` if this label is final where reviewers disagree.
    pub settles: bool,
    /// `true` if the document was accepted as it was, and it is not known that the values were inspected. Such a label
    /// counts for nothing.
    pub swept: bool,
    /// `true` if rules were written by this document.
    pub wrote_rules: bool,
    /// `true` if it appears in a prompt as an example.
    pub example: bool,
}

/// The members of a label.
const KEYS: [&str; 12] = [
    "document",
    "wrong",
    "right",
    "score",
    "passed",
    "document_type",
    "cluster",
    "reviewer",
    "settles",
    "how",
    "wrote_rules",
    "example",
];

/// The expected value of a flag, in words.
const FLAG: &str = "true or false (in a table also yes, no, 1 or 0)";

/// The reason why a label can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LabelError {
    /// A member is missing, or is not what it must be.
    #[error("`{key}`: expected {expected}, found {found}")]
    Unexpected {
        /// The member.
        key: &'static str,
        /// The expected value, in words.
        expected: &'static str,
        /// The value that was found; never more than a word.
        found: String,
    },
    /// It says both `wrong` and `right`, and they differ.
    #[error("`wrong` and `right` say the same of the document")]
    Contradiction,
    /// A table lacks a column without which its rows are not labels.
    #[error(
        "no column is called `{missing}`; the first row must name the columns, `document` and `wrong` (or `right`) among them"
    )]
    NoColumn {
        /// The column that is missing.
        missing: &'static str,
    },
    /// A member that means nothing, and resembles one that does.
    #[error("nothing reads `{key}`; did you mean `{guess}`?")]
    Misspelt {
        /// The name that was found.
        key: String,
        /// The name that was meant.
        guess: &'static str,
    },
}

impl Label {
    /// Reads a label from the members of a JSON object, or from the columns of a table, whose values are texts. An
    /// empty text counts as absent. Members with other names are the caller's own.
    ///
    /// # Errors
    /// [`LabelError`], for the first thing that is wrong.
    pub fn read(mut members: Map<String, Value>) -> Result<Self, LabelError> {
        // First, because what is misspelt is missing, too; and a mark that is not read would let a document count that must not.
        for key in members.keys() {
            if let Some(guess) = meant_by(key) {
                return Err(LabelError::Misspelt { key: key.clone(), guess });
            }
        }
        let mut take = |key: &'static str| members.remove(key).filter(is_present);
        let document = match take("document") {
            None => return Err(unexpected("document", "the document's id", None)),
            Some(value) => text("document", value)?,
        };
        let (wrong, right) = (flag("wrong", take("wrong"))?, flag("right", take("right"))?);
        let wrong = match (wrong, right) {
            (Some(wrong), Some(right)) if wrong == right => return Err(LabelError::Contradiction),
            (Some(wrong), _) => wrong,
            (None, Some(right)) => !right,
            (None, None) => return Err(unexpected("wrong", FLAG, None)),
        };
        let score = take("score").map(score).transpose()?;
        let mut optional = |key: &'static str| take(key).map(|value| text(key, value)).transpose();
        let (document_type, cluster, reviewer) =
            (optional("document_type")?, optional("cluster")?, optional("reviewer")?);
        let swept = match take("how") {
            None => false,
            Some(Value::String(how)) if how.trim() == "each" => false,
            Some(Value::String(how)) if how.trim() == "swept" => true,
            Some(other) => return Err(unexpected("how", "each or swept", Some(&other))),
        };
        let mut mark = |key: &'static str| flag(key, take(key));
        Ok(Label {
            document,
            wrong,
            score,
            document_type,
            cluster,
            reviewer,
            swept,
            passed: mark("passed")?.unwrap_or(true),
            settles: mark("settles")?.unwrap_or_default(),
            wrote_rules: mark("wrote_rules")?.unwrap_or_default(),
            example: mark("example")?.unwrap_or_default(),
        })
    }

    /// Checks the names of a table's columns for mistakes that concern all of its labels.
    ///
    /// # Errors
    /// [`LabelError`], for the first name that resembles one of a label's and is none, or for a column that is missing.
    pub fn check_columns(columns: &[&str]) -> Result<(), LabelError> {
        for column in columns {
            if let Some(guess) = meant_by(column) {
                return Err(LabelError::Misspelt { key: (*column).to_owned(), guess });
            }
        }
        let missing = |missing: &'static str| LabelError::NoColumn { missing };
        if !columns.contains(&"document") {
            return Err(missing("document"));
        }
        if !columns.contains(&"wrong") && !columns.contains(&"right") {
            return Err(missing("wrong"));
        }
        Ok(())
    }
}

/// The member of a label that a name resembles, if it is none itself.
fn meant_by(key: &str) -> Option<&'static str> {
    if KEYS.contains(&key) { None } else { nearest(key, KEYS) }
}

fn text(key: &'static str, value: Value) -> Result<String, LabelError> {
    match value {
        Value::String(text) => Ok(text),
        Value::Number(number) => Ok(number.to_string()),
        other => Err(unexpected(key, "text", Some(&other))),
    }
}

fn score(value: Value) -> Result<Score, LabelError> {
    let number = match &value {
        Value::String(text) => text.trim().parse().ok(),
        other => other.as_f64(),
    };
    number.and_then(Score::new).ok_or_else(|| unexpected("score", "a number from 0 to 1", Some(&value)))
}

fn flag(key: &'static str, value: Option<Value>) -> Result<Option<bool>, LabelError> {
    let Some(value) = value else { return Ok(None) };
    let read = match &value {
        Value::Bool(flag) => Some(*flag),
        // As tables write it.
        Value::String(text) => match text.trim().to_ascii_lowercase().as_str() {
            "true" | "yes" | "1" => Some(true),
            "false" | "no" | "0" => Some(false),
            _ => None,
        },
        _ => None,
    };
    read.map(Some).ok_or_else(|| unexpected(key, FLAG, Some(&value)))
}

fn unexpected(key: &'static str, expected: &'static str, found: Option<&Value>) -> LabelError {
    LabelError::Unexpected { key, expected, found: found_instead(found) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(value: Value) -> Result<Label, String> {
        let Value::Object(members) = value else { panic!("no object") };
        Label::read(members).map_err(|error| error.to_string())
    }

    #[test]
    fn a_label_may_say_right_instead_of_wrong_and_come_from_a_table() {
        let label =
            read(json!({ "document": "a", "right": "yes", "score": "0.93", "cluster": "", "note": "x" }))
                .unwrap();
        assert_eq!(
            (label.wrong, label.score, label.cluster, label.passed),
            (false, Score::new(0.93), None, true)
        );
        assert_eq!(read(json!({ "document": 17, "wrong": true })).unwrap().document, "17");
    }

    #[test]
    fn what_is_wrong_is_named() {
        let message = |value| read(value).unwrap_err();
        assert_eq!(
            message(json!({ "wrong": true })),
            "`document`: expected the document's id, found nothing"
        );
        assert_eq!(
            message(json!({ "document": "a" })),
            "`wrong`: expected true or false (in a table also yes, no, 1 or 0), found nothing"
        );
        assert_eq!(
            message(json!({ "document": "a", "wrong": "maybe" })),
            "`wrong`: expected true or false (in a table also yes, no, 1 or 0), found `maybe`"
        );
        assert_eq!(
            message(json!({ "document": "a", "wrong": false, "score": 93 })),
            "`score`: expected a number from 0 to 1, found 93"
        );
        assert_eq!(
            message(json!({ "document": "a", "wrong": false, "right": false })),
            "`wrong` and `right` say the same of the document"
        );
        assert_eq!(
            message(json!({ "document": "a", "wrong": false, "wrote_rule": true })),
            "nothing reads `wrote_rule`; did you mean `wrote_rules`?"
        );
        assert_eq!(
            message(json!({ "document": "a", "rigth": true })),
            "nothing reads `rigth`; did you mean `right`?"
        );
    }
}
