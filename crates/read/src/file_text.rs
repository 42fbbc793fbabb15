//! The text of a file that is not plain text, or the reason why it has none.

use super::{Pages, Structure, Unreadable};
use serde::{Deserialize, Serialize};

const OPEN_AND_SAVE: &str = "open it and save it again as PDF, or give its text";
const PASSWORD: &str = "give its password by `--password-file FILE`, or in the variable LOOPCTL_PASSWORD; it is stored nowhere, so `loopctl resume` needs it again";
const SCAN: &str = "if it is a scan, read its text first, for example with `ocrmypdf`; or let a model that reads PDFs look at it: `attach: document` in the stages of its profile, and its type named (on the command line `--config 'stages.*.attach=document' --type TYPE`)";

/// The text of a file, with its pages and structure as far as the file has them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct FileText {
    pub(super) text: String,
    pub(super) pages: Option<Pages>,
    #[serde(default, skip_serializing_if = "Structure::is_empty")]
    pub(super) structure: Structure,
    /// The names of files that it holds, which are not read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) attachments: Vec<String>,
}

/// The reason why a file has no text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Unread {
    /// It needs a password.
    Protected,
    /// It needs another password than those that were given.
    WrongPassword,
    /// It is encrypted in a way that is not known.
    UnknownEncryption,
    /// It can't be parsed.
    Damaged,
    /// It has no pages.
    NoPages,
    /// Its pages are a substitute for a form that only its own program draws.
    DynamicForm,
    /// Its page is the cover of files that it holds.
    Portfolio { files: Vec<String> },
    /// It has more pages or characters than a document may have.
    TooLong,
    /// Its pages draw more than a document may.
    TooMuchWork,
    /// No page shows text.
    NoText { pages: usize },
    /// The characters of so many of its glyphs are not known.
    UnknownCharacters { percent: usize },
    /// It has no such page.
    NoPage { page: usize },
    /// The process that read it ended without an answer.
    Lost { why: String },
}

impl From<Unread> for Unreadable {
    fn from(unread: Unread) -> Self {
        let (why, help) = match unread {
            Unread::Protected => ("the document is a PDF that needs a password".to_owned(), PASSWORD),
            Unread::WrongPassword => (
                "the document is a PDF that needs a password, and no given one opens it".to_owned(),
                PASSWORD,
            ),
            Unread::UnknownEncryption => (
                "the document is a PDF that is encrypted in an unknown way".to_owned(),
                "save a copy without encryption",
            ),
            Unread::Damaged => ("the document begins as a PDF, and is damaged".to_owned(), OPEN_AND_SAVE),
            Unread::NoPages => ("the document is a PDF without any page".to_owned(), OPEN_AND_SAVE),
            Unread::DynamicForm => (
                "the document is a PDF whose form is drawn by Adobe's programs only (XFA)".to_owned(),
                "print it to a PDF from there, and give that",
            ),
            Unread::Portfolio { files } => (
                format!("the document is a PDF portfolio, the cover of {}", held_files(&files)),
                "save the files that it holds, and give each of them",
            ),
            Unread::TooMuchWork => (
                "the document is a PDF whose pages draw more than those of any document".to_owned(),
                "print it to a new PDF, or give its text",
            ),
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
            Unread::NoPage { page } => {
                (format!("the document has no page {page}"), "ask for one of its pages")
            }
            Unread::Lost { why } => (
                format!(
                    "the PDF needs more memory or time than a document may, or breaks its reader ({why})"
                ),
                OPEN_AND_SAVE,
            ),
        };
        Unreadable::File { why, help }
    }
}

/// The number of files within a file, and the names of the first of them.
fn held_files(files: &[String]) -> String {
    const MOST_SHOWN: usize = 3;
    let shown: Vec<String> = files.iter().take(MOST_SHOWN).map(|name| format!("`{name}`")).collect();
    match files {
        [] => "other files".to_owned(),
        [_] => format!("one file ({})", shown.join(", ")),
        several if several.len() > MOST_SHOWN => format!("{} files ({}, …)", several.len(), shown.join(", ")),
        several => format!("{} files ({})", several.len(), shown.join(", ")),
    }
}
