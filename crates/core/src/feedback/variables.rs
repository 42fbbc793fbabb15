//! The variables that templates may use.

use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The purpose of a template, which decides the variables that it may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The request for candidate 0, and the task part of every correction: [`StageVariables`].
    Stage,
    /// The feedback of a correction: [`Guidance`](super::Guidance).
    Feedback,
    /// The request to a judge: [`JudgeVariables`].
    Judge,
    /// The request to a judge of single values: [`ValueVariables`].
    ValueJudge,
}

impl Role {
    /// The variables that a template of this role may use.
    #[must_use]
    pub fn variables(self) -> &'static [&'static str] {
        match self {
            Role::Stage => &["document_type", "source", "schema", "stage", "stages", "context", "variables"],
            Role::Feedback => &[
                "iteration",
                "stage",
                "score",
                "target",
                "critical",
                "major",
                "minor",
                "missing",
                "priority",
                "suggestions",
                "locked",
                "failed_attempts",
                "dropped",
                "previous",
                "partial",
            ],
            Role::Judge => &["document_type", "source", "candidate", "schema", "reference"],
            Role::ValueJudge => &["document_type", "values", "asked"],
        }
    }
}

/// The variables that the prompt of a stage may use; field names are the variables of templates.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct StageVariables<'a> {
    /// The document's type.
    pub document_type: &'a str,
    /// The document's text, as this stage may see it.
    pub source: &'a str,
    /// The JSON Schema of the stage's output, as text.
    pub schema: Option<&'a str>,
    /// The stage's id.
    pub stage: &'a str,
    /// Outputs of earlier stages, by stage.
    pub stages: &'a BTreeMap<String, Value>,
    /// Passages that may help, the most relevant first.
    pub context: &'a [Passage],
    /// The profile's `variables`.
    pub variables: &'a Map<String, Value>,
}

/// A passage of a context file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Passage {
    /// The file, as the profile names it.
    pub file: String,
    /// The passage.
    pub text: String,
}

/// The variables that the prompt of a judge may use; field names are the variables of templates.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct JudgeVariables<'a> {
    /// The document's type.
    pub document_type: &'a str,
    /// The document's text, as this judge may see it.
    pub source: &'a str,
    /// The candidate, as JSON text.
    pub candidate: &'a str,
    /// The JSON Schema of the candidate, as text.
    pub schema: Option<&'a str>,
    /// The reference that the judge alone may hold the candidate against.
    pub reference: Option<&'a str>,
}

/// The variables that the prompt of a judge of single values may use; field names are the variables of templates.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct ValueVariables<'a> {
    /// The document's type.
    pub document_type: &'a str,
    /// The values that are to be judged with their passages, one JSON object per line.
    pub values: &'a str,
    /// The values one by one, for prompts that write them in their own form.
    pub asked: &'a [AskedValue],
}

/// A value that a judge is asked about, each part on one line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AskedValue {
    /// The words of the field's name.
    pub field: String,
    /// The description of the field in the schema.
    pub description: Option<String>,
    /// The value.
    pub value: String,
    /// The passage that was quoted for it, or that was read.
    pub passage: String,
    /// The sentence around the passage.
    pub sentence: String,
    /// The heading above it.
    pub heading: Option<String>,
}
