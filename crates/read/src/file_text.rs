//! The text of a file that is not plain text, or the reason why it has none.

use super::markup_unread::{self, MarkupFault, MarkupFormat};
use super::{Pages, Structure, Unreadable};
use serde::{Deserialize, Serialize};

const OPEN_AND_SAVE: &str = "open it and save it again as PDF, or give its text";
const SCAN: &str = "if it is a scan, read its text first, for example with `ocrmypdf`; or let a model that reads PDFs look at it: `attach: document` in the stages of its profile, and its type named (on the command line `--config 'stages.*.attach=document' --type TYPE`)";

/// The text of a file, with its pages and structure as far as the file has them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct FileText {
    pub(super) text: String,
    pub(super) pages: Option<Pages>,
    #[serde(default, skip_serializing_if = "Structure::is_empty")]
    pub(super) structure: Structure,
}

/// The reason why a file has no text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Unread {
    /// It needs a password.
    Protected,
    /// It is encrypted in a way that is not known.
    UnknownEncryption,
    /// It can't be parsed, or has no pages.
    Damaged,
    /// It has more pages or characters than a document may have.
    TooLong,
    /// No page shows text.
    NoText { pages: usize },
    /// The characters of so many of its glyphs are not known.
    UnknownCharacters { percent: usize },
    /// It is markup without text.
    Markup { format: MarkupFormat, fault: MarkupFault },
    /// It has no such page.
    NoPage { page: usize },
    /// The process that read it ended without an answer.
    Lost { why: String },
}

impl From<Unread> for Unreadable {
    fn from(unread: Unread) -> Self {
        let (why, help) = match unread {
            Unread::Protected => {
                ("the document is a PDF that needs a password".to_owned(), "save a copy that needs none")
            }
            Unread::UnknownEncryption => (
                "the document is a PDF that is encrypted in an unknown way".to_owned(),
                "save a copy without encryption",
            ),
            Unread::Damaged => ("the document begins as a PDF, and is damaged".to_owned(), OPEN_AND_SAVE),
            Unread::TooLong => (
                "the document is a PDF with more pages or characters than a document may have".to_owned(),
                "split it",
            ),
            Unread::NoText { pages: 1 } => {
                ("the document is a PDF whose page shows no text".to_owned(), SCAN)
            }
            Unread::NoText { pages } => {
                (format!("the document is a PDF, and none of its {pages} pages shows text"), SCAN)
            }
            Unread::UnknownCharacters { percent } => (
                format!("the fonts of the PDF do not tell which characters {percent} % of its glyphs are"),
                SCAN,
            ),
            Unread::Markup { format, fault } => return markup_unread::unreadable(format, fault),
            Unread::NoPage { page } => {
                (format!("the document has no page {page}"), "ask for one of its pages")
            }
            Unread::Lost { why } => (
                format!(
                    "the file needs more memory or time than a document may, or breaks its reader ({why})"
                ),
                OPEN_AND_SAVE,
            ),
        };
        Unreadable::File { why, help }
    }
}
