//! The reasons that a script gave no answer.

use super::limits::Limit;
use rhai::{EvalAltResult, Position};
use std::fmt;

/// A call that failed while it ran. The document's run continues; the failure becomes an issue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptError {
    /// File of the script, such as `her2.rhai`.
    pub script: String,
    /// The function that was called.
    pub function: String,
    /// Line of the script, from 1, where it is known.
    pub line: Option<usize>,
    /// The kind of failure.
    pub kind: ScriptFailure,
}

/// The kind of failure of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScriptFailure {
    /// It went over a bound of the sandbox.
    Limit(Limit),
    /// It failed on its own: a thrown error, a missing member, a wrong type.
    Failed(String),
    /// It returned something that the caller can't use.
    Returned(String),
}

impl fmt::Display for ScriptError {
    /// One line, such as ``script `her2.rhai`, function `agree`, line 4: went over its limit of 1000000 operations``.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "script `{}`, function `{}`", self.script, self.function)?;
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        match &self.kind {
            ScriptFailure::Limit(limit) => write!(f, ": went over its limit of {limit}"),
            ScriptFailure::Failed(why) => write!(f, ": {why}"),
            ScriptFailure::Returned(why) => write!(f, ": returned {why}"),
        }
    }
}

impl std::error::Error for ScriptError {}

/// Longest message taken over from a failing script, in characters: it may have put a whole document in it.
const MAX_MESSAGE_CHARS: usize = 200;

/// The failure and its line, from the innermost known position.
pub(super) fn failure_of(error: &EvalAltResult) -> (ScriptFailure, Option<usize>) {
    let mut line = error.position().line();
    let mut inner = error;
    while let EvalAltResult::ErrorInFunctionCall(_, _, cause, at) = inner {
        line = at.line().or(line);
        inner = cause;
    }
    line = inner.position().line().or(line);
    let failure = match inner {
        EvalAltResult::ErrorTooManyOperations(..) => ScriptFailure::Limit(Limit::Operations),
        EvalAltResult::ErrorTerminated(..) => ScriptFailure::Limit(Limit::TouchedBytes),
        EvalAltResult::ErrorStackOverflow(..) => ScriptFailure::Limit(Limit::CallDepth),
        EvalAltResult::ErrorDataTooLarge(..) => ScriptFailure::Limit(Limit::DataSize),
        EvalAltResult::ErrorTooManyVariables(..) => ScriptFailure::Limit(Limit::Variables),
        EvalAltResult::ErrorRuntime(thrown, _) => ScriptFailure::Failed(shorten(&format!("threw: {thrown}"))),
        other => ScriptFailure::Failed(shorten(&without_position(other))),
    };
    (failure, line)
}

fn without_position(error: &EvalAltResult) -> String {
    let text = error.to_string();
    let position = error.position();
    if position == Position::NONE {
        return text;
    }
    text.strip_suffix(&format!(" ({position})")).map(str::to_owned).unwrap_or(text)
}

fn shorten(text: &str) -> String {
    let line: String =
        text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_MESSAGE_CHARS).collect();
    line.trim().to_owned()
}
