//! What an explanation is made of.

use crate::policy::{FinalStatus, StopReason};
use serde::Serialize;

/// A profile in words.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// The profile's name.
    pub profile: String,
    /// In the order in which they are read.
    pub sections: Vec<Section>,
}

/// What is said about one matter.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Section {
    /// A word that does not change.
    pub key: &'static str,
    /// For people.
    pub title: &'static str,
    /// In the order in which they are read.
    pub statements: Vec<Statement>,
}

/// One thing that a profile does.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Statement {
    /// What it is about, such as `stop.stagnation`. The same for the same matter in every profile, whatever is said of it.
    pub key: String,
    /// What it is about, for people, where a paragraph should begin with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Whole sentences. Names stand between backticks.
    pub text: String,
    /// How the loop ends by it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ending: Option<Ending>,
    /// How it is laid out.
    #[serde(skip)]
    pub form: Form,
}

/// How a statement is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A paragraph.
    Paragraph,
    /// An element of a list.
    Point,
    /// An element of a list below an element.
    Detail,
    /// An element of a list whose order counts.
    Step,
}

/// What is in the result of a document that ended so.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ending {
    /// The final status.
    pub final_status: FinalStatus,
    /// The reason to stop; where it has a name in it that is not known beforehand, in words.
    pub stop_reason: String,
}

impl From<StopReason> for Ending {
    fn from(reason: StopReason) -> Self {
        Ending { final_status: reason.status(), stop_reason: reason.to_string() }
    }
}

impl Section {
    pub(super) fn new(key: &'static str, title: &'static str) -> Self {
        Section { key, title, statements: Vec::new() }
    }

    fn push(
        &mut self,
        form: Form,
        key: impl Into<String>,
        label: Option<String>,
        text: impl Into<String>,
        ending: Option<Ending>,
    ) {
        self.statements.push(Statement { key: key.into(), label, text: text.into(), ending, form });
    }

    /// Adds a paragraph.
    pub(super) fn say(&mut self, key: impl Into<String>, text: impl Into<String>) {
        self.push(Form::Paragraph, key, None, text, None);
    }

    /// Adds an element of a list.
    pub(super) fn point(&mut self, key: impl Into<String>, text: impl Into<String>) {
        self.push(Form::Point, key, None, text, None);
    }

    /// Adds an element of a list that begins with what it is about.
    pub(super) fn labelled(
        &mut self,
        key: impl Into<String>,
        label: impl Into<String>,
        text: impl Into<String>,
    ) {
        self.push(Form::Point, key, Some(label.into()), text, None);
    }

    /// Adds an element below the latest one.
    pub(super) fn detail(&mut self, key: impl Into<String>, text: impl Into<String>) {
        self.push(Form::Detail, key, None, text, None);
    }

    /// Adds the next element of a list whose order counts.
    pub(super) fn step(
        &mut self,
        key: impl Into<String>,
        text: impl Into<String>,
        ending: impl Into<Ending>,
    ) {
        self.push(Form::Step, key, None, text, Some(ending.into()));
    }

    /// Adds an element of a list by which the loop ends.
    pub(super) fn end(&mut self, key: impl Into<String>, text: impl Into<String>, ending: impl Into<Ending>) {
        self.push(Form::Point, key, None, text, Some(ending.into()));
    }
}

impl Explanation {
    /// Every statement with its section, in the order in which they are read.
    pub fn statements(&self) -> impl Iterator<Item = (&Section, &Statement)> {
        self.sections.iter().flat_map(|section| section.statements.iter().map(move |one| (section, one)))
    }
}
