//! The text of a file that is not plain text, or the reason why it has none.

use super::markup::markup_unread::{self, MarkupFault, MarkupFormat};
use super::office::office_unread::{self, OfficeFault, OfficeFormat};
use super::{Pages, Structure, Unreadable};
use serde::{Deserialize, Serialize};

const OPEN_AND_SAVE: &str = "open it and save it again as PDF, or give its text";
const PASSWORD: &str = "give its password by `--password-file FILE`, or in the variable LOOPCTL_PASSWORD; it is stored nowhere, so `loopctl resume` needs it again; submit it to a service with its password, also once more if the service was started again since; or save a copy that needs none";
const SCAN: &str = "if it is a scan, let OCR read it (`ingest: { ocr: true }` in its profile), or read its text first, for example with `ocrmypdf`; or let a model that reads PDFs look at it: `attach: document` in the stages of its profile, and its type named (on the command line `--config 'stages.*.attach=document' --type TYPE`)";

const BLANK: &str = "look at it: another file may be meant, or its pages were not scanned";
const SCAN_AGAIN: &str = "look at the pages: they may be empty, or too faint to read";
const SAVE_IMAGE: &str = "open it and save it again as PNG, or give its text";

const REFUSED: &str = "look at these pages; if they are as they should be, change the bound under `ingest: gate` in the profile, or let such pages be read by OCR (`then: ocr`) or left to a person (`then: review`)";

/// The text of a file, with its pages and structure as far as the file has them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct FileText {
    pub(super) text: String,
    pub(super) pages: Option<Pages>,
    #[serde(default, skip_serializing_if = "Structure::is_empty")]
    pub(super) structure: Structure,
    /// The numbers of the pages, from 1, whose text OCR has to read, if it is wanted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) for_ocr: Vec<usize>,
    /// The numbers of the pages, from 1, of which OCR tells whether their text layer says what is seen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) to_compare: Vec<usize>,
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
    /// Nothing is seen on any page.
    Blank { pages: usize },
    /// No page shows text, nor did OCR by this engine find any.
    NoText {
        pages: usize,
        #[serde(default)]
        engine: Option<String>,
    },
    /// It is an image that can't be decoded.
    DamagedImage,
    /// It is an image with more pixels than one may have.
    ImageTooLarge { width: u32, height: u32 },
    /// An engine of OCR, or what it needs, is missing.
    NoEngine { why: String },
    /// OCR of a page failed.
    OcrFailed { page: usize, why: String },
    /// More pages would have to be read by OCR than may be in one document.
    TooManyScans { pages: usize, most: usize },
    /// The time for OCR was over before this page.
    ScansTooSlow { page: usize },
    /// The characters of so many of its glyphs are not known.
    UnknownCharacters { percent: usize },
    /// Pages did not pass the gate of a profile.
    Refused { why: String },
    /// It is an office document or an e-mail without text.
    Office { format: OfficeFormat, fault: OfficeFault },
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
            Unread::Blank { pages: 1 } => ("the document is a PDF with an empty page".to_owned(), BLANK),
            Unread::Blank { pages } => {
                (format!("the document is a PDF, and all of its {pages} pages are empty"), BLANK)
            }
            Unread::NoText { pages: 1, engine: None } => {
                ("the document is a PDF whose page shows no text".to_owned(), SCAN)
            }
            Unread::NoText { pages, engine: None } => {
                (format!("the document is a PDF, and none of its {pages} pages shows text"), SCAN)
            }
            Unread::NoText { pages, engine: Some(engine) } => {
                let of = if pages == 1 { "its page".to_owned() } else { format!("its {pages} pages") };
                (format!("the document has no text, and OCR of {of} by `{engine}` finds none"), SCAN_AGAIN)
            }
            Unread::DamagedImage => ("the document is an image that can't be decoded".to_owned(), SAVE_IMAGE),
            Unread::ImageTooLarge { width, height } => (
                format!("the document is an image of {width} × {height} pixels, more than one may have"),
                "save it with fewer pixels: 300 for an inch of paper are enough",
            ),
            Unread::NoEngine { why } => (why, "or give a text instead of a scan"),
            Unread::OcrFailed { page, why } => {
                (format!("OCR of page {page} failed: {why}"), "give its text, or another scan of it")
            }
            Unread::TooManyScans { pages, most } => (
                format!(
                    "{pages} pages of the document are scans, and OCR reads at most {most} of one document"
                ),
                "split it, or allow more pages",
            ),
            Unread::ScansTooSlow { page } => (
                format!("the time for OCR of the document was over before its page {page}"),
                "split it, or allow more time",
            ),
            Unread::UnknownCharacters { percent } => (
                format!("the fonts of the PDF do not tell which characters {percent} % of its glyphs are"),
                SCAN,
            ),
            Unread::Refused { why } => (why, REFUSED),
            Unread::Office { format, fault } => return office_unread::unreadable(format, fault),
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
