//! What is to be written, and why something is not.

use crate::diag::{Problem, Problems};

/// A file of a project that is to be written.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    /// Its path in the project, with `/`.
    pub path: String,
    /// All that it will hold.
    pub text: String,
    /// What happens to it.
    pub how: How,
}

/// What happens to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum How {
    /// It is not there yet.
    Written,
    /// It is not there yet: a file that ships with loopctl, copied and added to.
    Copied,
    /// It is there, with this text, and is added to.
    Changed {
        /// What it holds while the change is planned. If it holds something else when it is written, somebody has
        /// been at it.
        before: String,
    },
}

/// What is to be done, and what to do next.
#[derive(Debug, Clone, Default)]
pub(crate) struct Plan {
    /// Files in the order in which people should hear of them.
    pub changes: Vec<Change>,
    /// Files that are there already and stay as they are.
    pub kept: Vec<String>,
    /// Commands, one a line.
    pub next: Vec<String>,
    /// What has to be done by hand besides.
    pub remarks: Vec<String>,
}

/// Why nothing is written.
#[derive(Debug)]
pub(crate) struct Refusal {
    /// In one line.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
    /// What is wrong with files, if that is why.
    pub problems: Problems,
    /// What to add by hand, and to which file.
    pub by_hand: Option<(String, String)>,
}

impl Refusal {
    /// For a reason that is not in a file.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Refusal { message: message.into(), help: None, problems: Problems::new(), by_hand: None }
    }

    /// With what to do.
    #[must_use]
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// With problems of files.
    #[must_use]
    pub(crate) fn with(mut self, problems: Problems) -> Self {
        self.problems = problems;
        self
    }

    /// With a text to add to a file by hand.
    #[must_use]
    pub(crate) fn by_hand(mut self, path: &str, text: &str) -> Self {
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
