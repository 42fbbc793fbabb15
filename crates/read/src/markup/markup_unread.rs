//! Reasons why a file of markup has no text, in words.

use super::Unreadable;
use serde::{Deserialize, Serialize};

/// A format of markup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MarkupFormat {
    Html,
    Xml,
}

/// The reason why a file of markup has no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MarkupFault {
    /// Nothing of it is seen.
    NoText,
    /// It has more elements, depth or text than a document may.
    TooLarge,
    /// It uses entities of its own, which are not expanded.
    OwnEntities,
    /// It is not well formed at this byte.
    Malformed { at: u64 },
}

/// The reason, and advice.
pub(crate) fn unreadable(format: MarkupFormat, fault: MarkupFault) -> Unreadable {
    let what = match format {
        MarkupFormat::Html => "an HTML page",
        MarkupFormat::Xml => "an XML file",
    };
    let (why, help) = match fault {
        MarkupFault::NoText => (
            format!("the document is {what} that shows no text"),
            "if a script fills it, open it in a browser and save it as PDF, or give its text",
        ),
        MarkupFault::TooLarge => (
            format!("the document is {what} with more elements or text than a document may have"),
            "split it, or give its text",
        ),
        MarkupFault::OwnEntities => (
            format!("the document is {what} that uses entities of its own, which are not expanded"),
            "save it with the characters in their place, for example with `xmllint --noent`",
        ),
        MarkupFault::Malformed { at } => (
            format!("the document is {what} that is not well formed (byte {at})"),
            "open it in the program that wrote it and save it again, or give its text",
        ),
    };
    Unreadable::File { why, help }
}
