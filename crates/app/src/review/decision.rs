//! The decision of one reviewer: about a document, one of its fields, or an issue of the document as a whole.

use super::field_path::FieldPath;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The kind of decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// The value of a field is right; of a document: all values as they are, with what was decided about them before.
    Accept,
    /// The value of a field is another one.
    Edit,
    /// The document has no such value.
    NotPresent,
    /// The document has a value that was not extracted.
    Missed,
    /// The document holds despite an issue of it as a whole.
    Holds,
    /// Every value that nothing has checked, and no one has decided about, was compared with the document and is right.
    Compared,
    /// The document has another type than the one that it was run with.
    Retype,
    /// Nothing can be made of the document.
    Reject,
    /// Something to be read by others.
    Comment,
    /// The latest decision of this reviewer about the document does not hold.
    Undo,
}

impl Action {
    /// Every action.
    pub const ALL: [Action; 10] = [
        Action::Accept,
        Action::Edit,
        Action::NotPresent,
        Action::Missed,
        Action::Holds,
        Action::Compared,
        Action::Retype,
        Action::Reject,
        Action::Comment,
        Action::Undo,
    ];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Action::Accept => "accept",
            Action::Edit => "edit",
            Action::NotPresent => "not_present",
            Action::Missed => "missed",
            Action::Holds => "holds",
            Action::Compared => "compared",
            Action::Retype => "retype",
            Action::Reject => "reject",
            Action::Comment => "comment",
            Action::Undo => "undo",
        }
    }

    /// The action of this name, in any case, its words separated by spaces, hyphens or underscores.
    pub fn written(name: &str) -> Option<Self> {
        let name = name.to_lowercase().replace([' ', '-'], "_");
        Self::ALL.into_iter().find(|action| action.as_str() == name)
    }

    /// Returns whether it may be about a field.
    pub fn is_of_field(self) -> bool {
        !matches!(self, Action::Holds | Action::Compared | Action::Retype | Action::Reject | Action::Undo)
    }

    /// Returns whether it may be about a document as a whole.
    pub fn is_of_document(self) -> bool {
        matches!(
            self,
            Action::Accept
                | Action::Holds
                | Action::Compared
                | Action::Retype
                | Action::Reject
                | Action::Comment
                | Action::Undo
        )
    }

    /// Returns whether it may settle what reviewers differ about.
    pub fn can_settle(self) -> bool {
        match self {
            Action::Accept | Action::Edit | Action::NotPresent | Action::Missed | Action::Reject => true,
            Action::Holds | Action::Compared | Action::Retype | Action::Comment | Action::Undo => false,
        }
    }

    /// Returns whether it needs the right value, or the right type.
    pub fn needs_after(self) -> bool {
        matches!(self, Action::Edit | Action::Missed | Action::Retype)
    }
}

/// The way in which a reviewer came to decide about a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// The field was inspected: it was decided about by itself, or compared with the document.
    Each,
    /// The document was accepted as it is. No one says that the field was inspected.
    Swept,
}

impl How {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            How::Each => "each",
            How::Swept => "swept",
        }
    }

    /// Combines those of several values: `Each` if all of them were inspected.
    pub fn of_all(each: impl IntoIterator<Item = How>) -> Self {
        each.into_iter().max().unwrap_or(How::Each)
    }
}

/// The part of a decision that is kept besides its document, its reviewer and its time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DecisionContent {
    /// The field; none where the document as a whole is meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<FieldPath>,
    /// The issue of the document as a whole that is answered, by its key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue: Option<String>,
    /// The kind of decision.
    pub action: Action,
    /// The value that the reviewer saw; none where there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Value>,
    /// The right value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Value>,
    /// The reviewer's comment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// The time that the reviewer took, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spent_ms: Option<u64>,
    /// Digest of the result that the reviewer was shown.
    pub shown: String,
    /// The way in which the reviewer came to it, where the action does not imply it: a decision about a field inspects
    /// it, and one about a document as a whole sweeps over its fields.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub how: Option<How>,
    /// `true` if it is the last word where reviewers differed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub settles: bool,
    /// `true` if the reviewer saw nothing of what others had decided.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub blind: bool,
    /// Digest of the row of a file that it was read from, so that the same row is not read twice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
}

/// A decision.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The id of the document.
    pub document: String,
    /// The reviewer.
    pub reviewer: String,
    /// The time of the decision.
    pub at: Timestamp,
    /// The decision itself.
    pub content: DecisionContent,
}

impl Decision {
    /// A decision as it is kept; `None` for one that this release does not understand.
    pub fn read(document: &str, reviewer: &str, at: &str, decision: &Value) -> Option<Self> {
        Some(Decision {
            document: document.to_owned(),
            reviewer: reviewer.to_owned(),
            at: at.parse().ok()?,
            content: DecisionContent::deserialize(decision).ok()?,
        })
    }

    /// The value that the reviewer considers right; `None` where the document has none, and for what is about no value.
    pub fn value(&self) -> Option<&Value> {
        match self.content.action {
            Action::Accept => self.content.before.as_ref(),
            Action::Edit | Action::Missed => self.content.after.as_ref(),
            Action::NotPresent
            | Action::Holds
            | Action::Compared
            | Action::Retype
            | Action::Reject
            | Action::Comment
            | Action::Undo => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_decision_is_read_as_it_was_written() {
        for action in Action::ALL {
            assert_eq!(Action::written(action.as_str()), Some(action));
            assert_eq!(serde_json::to_value(action).unwrap(), json!(action.as_str()));
        }
        let content = DecisionContent {
            field: Some(FieldPath::named("margins")),
            action: Action::Edit,
            before: Some(json!("negative")),
            after: Some(json!("positive")),
            comment: None,
            spent_ms: Some(1200),
            shown: "d".to_owned(),
            issue: None,
            how: None,
            settles: false,
            blind: false,
            entry: None,
        };
        let written = serde_json::to_value(&content).unwrap();
        assert_eq!(
            written,
            json!({"field": "margins", "action": "edit", "before": "negative", "after": "positive", "spent_ms": 1200, "shown": "d"})
        );
        let read = Decision::read("a", "b", "2026-01-01T00:00:00Z", &written).unwrap();
        assert_eq!(read.content, content);
        assert_eq!(Decision::read("a", "b", "2026-01-01T00:00:00Z", &json!({"action": "praise"})), None);
    }
}
