//! The files to write, and the reasons why one is not written.

use crate::diag::{Problem, Problems};

/// A file of a project that is to be written.
#[derive(Debug, Clone)]
pub struct Change {
    /// Its path in the project, with `/`.
    pub path: String,
    /// Its whole text.
    pub text: String,
    /// The kind of change.
    pub how: How,
}

/// The kind of change to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum How {
    /// It does not exist yet.
    Written,
    /// It does not exist yet: a file that ships with loopctl, copied and added to.
    Copied,
    /// It exists, with this text, and is added to.
    Changed {
        /// Its text while the change is planned. If it differs when it is written, someone has changed it meanwhile.
        before: String,
    },
}

/// The changes to make, and the next steps.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// Files in the order in which users should hear of them.
    pub changes: Vec<Change>,
    /// Files that exist already and are not changed.
    pub kept: Vec<String>,
    /// Commands, one a line.
    pub next: Vec<String>,
    /// Further steps that the user must do.
    pub remarks: Vec<String>,
}

/// The reason why nothing is written.
#[derive(Debug)]
pub struct Refusal {
    /// In one line.
    pub message: String,
    /// The remedy.
    pub help: Option<String>,
    /// The problems of files, if that is the reason.
    pub problems: Problems,
    /// The file that the user must add to, and the text to add.
    pub by_hand: Option<(String, String)>,
}

impl Refusal {
    /// For a reason that is not in a file.
    pub fn new(message: impl Into<String>) -> Self {
        Refusal { message: message.into(), help: None, problems: Problems::new(), by_hand: None }
    }

    /// With a remedy.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// With problems of files.
    #[must_use]
    pub fn with(mut self, problems: Problems) -> Self {
        self.problems = problems;
        self
    }

    /// With a text that the user must add to a file.
    #[must_use]
    pub fn by_hand(mut self, path: &str, text: &str) -> Self {
        self.by_hand = Some((path.to_owned(), text.to_owned()));
        self
    }
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Self {
        let mut refusal = Refusal::new(problem.message.clone());
        refusal.help = problem.help.clone();
        refusal
    }
}
