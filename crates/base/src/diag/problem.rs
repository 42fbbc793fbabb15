//! One problem: what, where, how severe it is, and what to do about it.

use super::{Code, Span};
use std::fmt;

/// The severity of a problem: an error makes the file unusable, a warning and a note do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Worth knowing; nothing need be wrong, or it is wrong on this machine only.
    Note,
    /// Probably not what was meant; the file can be used.
    Warning,
    /// The file can't be used.
    Error,
}

impl Level {
    /// The word for it in every output format.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Level::Note => "note",
            Level::Warning => "warning",
            Level::Error => "error",
        }
    }
}

/// One mistake in a file, an environment variable or an argument.
#[derive(Debug, Clone)]
pub struct Problem {
    /// The kind of mistake; stable across releases.
    pub code: Code,
    /// An error, a warning or a note.
    pub level: Level,
    /// A description of what is wrong: lower case, one line, no full stop.
    pub message: String,
    /// The location. `None` only when the problem has no text to point at, such as a file that does not exist.
    pub span: Option<Span>,
    /// A few words beside the marked text.
    pub label: String,
    /// Advice on what to do about it.
    pub help: Option<String>,
    /// Other locations that matter, each with a few words on why.
    pub related: Vec<(Span, String)>,
}

impl Problem {
    /// An error at `span`.
    #[must_use]
    pub fn error(code: Code, span: &Span, message: impl Into<String>) -> Self {
        Self::new(code, Level::Error, Some(span.clone()), message.into())
    }

    /// A warning at `span`.
    #[must_use]
    pub fn warning(code: Code, span: &Span, message: impl Into<String>) -> Self {
        Self::new(code, Level::Warning, Some(span.clone()), message.into())
    }

    /// A note at `span`.
    #[must_use]
    pub fn note(code: Code, span: &Span, message: impl Into<String>) -> Self {
        Self::new(code, Level::Note, Some(span.clone()), message.into())
    }

    /// An error that has no text to point at.
    #[must_use]
    pub fn placeless(code: Code, message: impl Into<String>) -> Self {
        Self::new(code, Level::Error, None, message.into())
    }

    fn new(code: Code, level: Level, span: Option<Span>, message: String) -> Self {
        Problem { code, level, message, span, label: String::new(), help: None, related: Vec::new() }
    }

    /// Adds a few words beside the marked text.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Adds advice on what to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Points at another location that matters.
    #[must_use]
    pub fn related(mut self, span: &Span, why: impl Into<String>) -> Self {
        self.related.push((span.clone(), why.into()));
        self
    }
}

impl fmt::Display for Problem {
    /// One line: `file:line:column: error[LC102]: message`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(span) = &self.span {
            write!(f, "{}: ", span.location())?;
        }
        write!(f, "{}[{}]: {}", self.level.as_str(), self.code.as_str(), self.message)
    }
}
