//! Issues about values that the source does not support: code, severity, the line that decides, and advice.

use super::doubtful_reading;
use super::grounded::{span_of, steps};
use super::issue::{Issue, SourceSpan};
use super::parted::Elsewhere;
use super::shown_line::{shown_apart, shown_around};
use super::source::Source;
use super::verdict::{Finding, Method, Support, Verdict};
use super::wording::plain_issue;
use crate::rules::{GroundingSettings, shown};
use crate::value::{Severity, unescape};
use serde_json::Value;
use std::ops::Range;

/// A leaf that counts for less than a whole one, and the data of its issue.
pub(super) struct Told<'a> {
    pub(super) source: &'a Source,
    pub(super) verdict: &'a Verdict,
    pub(super) value: &'a Value,
    /// The part that it is held against, and the other location of its value.
    pub(super) part: Option<&'a str>,
    pub(super) elsewhere: Option<&'a Elsewhere>,
}

impl Told<'_> {
    /// The passage that decides, in characters.
    pub(super) fn span(&self) -> Option<SourceSpan> {
        span_of(self.source, self.verdict)
    }

    /// The issue about the leaf at `pointer`.
    pub(super) fn issue(&self, pointer: &str, settings: &GroundingSettings) -> Issue {
        let value = shown(self.value);
        if let (Some(part), Some(elsewhere)) = (self.part, self.elsewhere) {
            return self.issue_elsewhere(pointer, part, elsewhere, settings.severity);
        }
        if self.verdict.finding == Finding::DoubtfulReading {
            let bytes = self.verdict.bytes.as_ref().or(self.verdict.other.as_ref());
            let line = bytes.map_or_else(String::new, |bytes| self.line(bytes, "of the document"));
            let issue = doubtful_reading::issue(self.source, self.verdict, pointer, &value, &line);
            return Issue { source_span: self.span(), ..issue };
        }
        let place = self.part.map_or("the document".to_owned(), |part| format!("part {part}"));
        let (code, severity, message, fix) = match (self.verdict.support, self.verdict.finding) {
            (Support::Conflicting, _) => (
                "CONFLICTING_MENTIONS",
                Severity::Major,
                format!("`{value}` is written; {}, but {}", self.passage(), self.otherwise("says otherwise")),
                "say which of them holds for the whole document, or leave it to a person",
            ),
            (Support::Undecided, Finding::NotBound) => {
                let field = field_of(pointer);
                (
                    "UNVERIFIED_VALUE",
                    Severity::Minor,
                    format!(
                        "{}, but neither a row and column nor a label shows that it is the `{field}`",
                        self.held(&value)
                    ),
                    "keep it if it is right; write it as the document does, in the item that its row is about",
                )
            }
            (Support::Undecided, Finding::NotFound) => (
                "UNVERIFIED_VALUE",
                Severity::Minor,
                format!(
                    "no passage that could be read says `{value}`, but {place} may say it in other words"
                ),
                "keep it if it is right; quote the words that say it",
            ),
            (Support::Undecided, Finding::Doubted(doubt)) => (
                "UNVERIFIED_VALUE",
                Severity::Minor,
                format!("{}, but the passage {}", self.held(&value), doubt.reason()),
                "keep it if the document says so of this field; a judge or a person decides",
            ),
            (Support::Undecided, Finding::Untrusted(pattern)) => (
                "UNVERIFIED_VALUE",
                Severity::Minor,
                {
                    let counts = settings.patterns.of(pattern).counts;
                    format!(
                        "{}, but the text around it does not show that it is the `{}` (pattern `{pattern}`: right in {} of {} labelled values)",
                        self.held(&value),
                        field_of(pointer),
                        counts.right,
                        counts.all(),
                    )
                },
                "keep it if the document says so of this field; a judge or a person decides",
            ),
            (Support::Undecided, _) => (
                "UNVERIFIED_VALUE",
                Severity::Minor,
                format!("the quote for `{value}` is in {place}, but does not show that it says so"),
                "quote the words that say the value, or write it as the document does",
            ),
            (_, Finding::QuoteNotFound) => (
                "QUOTE_NOT_FOUND",
                settings.severity,
                format!("the quote for `{value}` is not in the document"),
                "copy the words of the document exactly, or take the value back",
            ),
            (Support::Contradicted, Finding::Denied) => (
                "CONTRADICTED_VALUE",
                Severity::Critical,
                format!("`{value}` is written; {}", self.otherwise("denies it")),
                "take the value back, or say what the document says",
            ),
            (Support::Contradicted, _) if self.verdict.method == Some(Method::Judge) => (
                "CONTRADICTED_VALUE",
                Severity::Critical,
                format!("`{value}` is written; as a judge reads it, {}", self.otherwise("says otherwise")),
                "say what the document says",
            ),
            (Support::Contradicted, _) => (
                "CONTRADICTED_VALUE",
                Severity::Critical,
                format!("`{value}` is written; {}", self.otherwise("says otherwise")),
                "say what the document says",
            ),
            (_, Finding::OwnerInDoubt) => (
                "UNGROUNDED_VALUE",
                settings.severity,
                format!(
                    "`{value}` is written; {}, where it may be of something else, or a bound",
                    self.otherwise("has it")
                ),
                "quote the words that say it of this field, or take the value back",
            ),
            _ => {
                let place = self.part.map_or("the source".to_owned(), |part| format!("part {part}"));
                let message = format!("`{value}` is not found in {place}");
                return plain_issue("UNGROUNDED_VALUE", settings.severity, pointer.to_owned(), message);
            }
        };
        Issue {
            suggested_fix: Some(fix.into()),
            source_span: self.span(),
            ..plain_issue(code, severity, pointer.to_owned(), message)
        }
    }

    /// The issue about a value that the document states, but not about the part that it is written for.
    fn issue_elsewhere(&self, pointer: &str, part: &str, elsewhere: &Elsewhere, severity: Severity) -> Issue {
        let value = shown(self.value);
        let bytes = self.verdict.bytes.as_ref();
        let line = bytes.map_or_else(String::new, |bytes| format!(", {}", self.line(bytes, "has it")));
        let (code, severity, message, fix) = match elsewhere {
            Elsewhere::Parts(others) => (
                "QUOTE_OF_ANOTHER_PART",
                severity,
                format!("the quote for `{value}` is in part {others}, not in part {part}{line}"),
                format!("say what part {part} says, with a quote from there, or take the value back"),
            ),
            Elsewhere::Common => (
                "UNVERIFIED_VALUE",
                Severity::Minor,
                format!(
                    "`{value}` is where the document is about no part in particular, not in part {part}{line}"
                ),
                format!("say it at the top of the extraction, or say what part {part} says"),
            ),
        };
        Issue {
            suggested_fix: Some(fix.into()),
            source_span: self.span(),
            ..plain_issue(code, severity, pointer.to_owned(), message)
        }
    }

    /// The location of a value in the document.
    fn held(&self, value: &str) -> String {
        match &self.verdict.bytes {
            Some(bytes) => format!("`{value}` is in the document, {}", self.line(bytes, "has it")),
            None => format!("`{value}` is in the document in another spelling"),
        }
    }

    /// The passage that states the value.
    fn passage(&self) -> String {
        self.verdict
            .bytes
            .as_ref()
            .map_or_else(|| "nothing says so".to_owned(), |bytes| self.line(bytes, "says so"))
    }

    /// The passage that states otherwise.
    fn otherwise(&self, what: &str) -> String {
        self.verdict.other.as_ref().map_or_else(|| what.to_owned(), |bytes| self.line(bytes, what))
    }

    fn line(&self, bytes: &Range<usize>, what: &str) -> String {
        let text = self.source.text();
        let number = self.source.line(bytes.start);
        let start = line_start(text, bytes.start);
        let around = match (self.verdict.support, self.value) {
            (Support::Contradicted, Value::String(value)) if self.verdict.finding == Finding::SaysAnother => {
                shown_apart(text, bytes, value)
            }
            _ => shown_around(text, bytes),
        };
        let rest = text.get(around.end..).and_then(|rest| rest.lines().next()).unwrap_or_default();
        let more = if rest.trim().is_empty() { "" } else { "…" };
        let around = text.get(around).unwrap_or_default().trim();
        let column = text.get(start..bytes.start).map_or(0, |before| before.chars().count()) + 1;
        // If two passages are in one line, the column tells them apart.
        let beside = self.verdict.bytes.as_ref().zip(self.verdict.other.as_ref());
        let place =
            match beside.map(|(one, other)| line_start(text, one.start) == line_start(text, other.start)) {
                Some(true) => format!("line {number}, column {column},"),
                _ => format!("line {number}"),
            };
        format!("{place} {what} (\"{around}{more}\")")
    }
}

/// The key of the field that a pointer leads to.
fn field_of(pointer: &str) -> std::borrow::Cow<'_, str> {
    let is_name = |step: &&str| step.bytes().any(|byte| !byte.is_ascii_digit());
    unescape(steps(pointer).filter(is_name).last().unwrap_or_default())
}

/// The start of the line that holds a byte.
fn line_start(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1)
}

/// The issue about a candidate that holds only what the host filled in.
pub(super) fn nothing_extracted() -> Issue {
    let message = "nothing was extracted: beside what the host filled in there is at most what the document is said to lack"
        .to_owned();
    let issue = plain_issue("NOTHING_EXTRACTED", Severity::Major, String::new(), message);
    let fix =
        "extract what the document says; where it says nothing of its fields, a person decides".to_owned();
    Issue { suggested_fix: Some(fix.into()), ..issue }
}
