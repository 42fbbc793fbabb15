//! The parts of an explanation.

use crate::facts::Fact;
use serde::Serialize;

/// A profile in words.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// The profile's name.
    pub profile: String,
    /// The sections, in the order in which they are read.
    pub sections: Vec<Section>,
}

/// The statements about one subject.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Section {
    /// Its key, which never changes.
    pub key: &'static str,
    /// Its title, for people.
    pub title: &'static str,
    /// The statements, in the order in which they are read.
    pub statements: Vec<Statement>,
}

/// One thing that a profile does.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Statement {
    /// The fact, its key (such as `stop.stagnation`) and where it was set.
    #[serde(flatten)]
    pub fact: Fact,
    /// Its subject, for people, where a paragraph should begin with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Its words: whole sentences, with names between backticks.
    pub text: String,
    /// Its layout.
    #[serde(skip)]
    pub form: Form,
}

/// The layout of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A paragraph.
    Paragraph,
    /// An element of a list.
    Point,
    /// An element of a list below an element.
    Detail,
    /// An element of a list below such a one.
    Item,
    /// An element of a list whose order counts.
    Step,
}

impl Form {
    /// The form that a page names; `None` for any other word.
    pub(super) fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "paragraph" => Form::Paragraph,
            "point" => Form::Point,
            "detail" => Form::Detail,
            "step" => Form::Step,
            _ => return None,
        })
    }
}

impl Explanation {
    /// Every statement with its section, in the order in which they are read.
    pub fn statements(&self) -> impl Iterator<Item = (&Section, &Statement)> {
        self.sections.iter().flat_map(|section| section.statements.iter().map(move |one| (section, one)))
    }
}
