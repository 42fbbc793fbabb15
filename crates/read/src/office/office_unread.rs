//! Reasons why an office document or an e-mail has no text, in words.

use super::Unreadable;
use super::file_text::Unread;
use serde::{Deserialize, Serialize};

const WITHOUT_PASSWORD: &str = "save a copy that needs none";
const SAVE_AGAIN: &str = "open it and save it again, or give its text";
const SPLIT: &str = "split it";
const ONLY_PICTURES: &str = "check that this is the file you meant; if it shows pictures of text, save it as PDF and let its text be read first, for example with `ocrmypdf`";

/// An office format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OfficeFormat {
    /// `.docx`
    Word,
    /// `.xlsx`
    Excel,
    /// `.odt`
    OpenText,
    /// `.ods`
    OpenSheets,
    /// `.rtf`
    RichText,
    /// `.eml`
    Mail,
    /// An office document that is encrypted as a whole, of any kind.
    Encrypted,
    /// `.doc`
    OldWord,
    /// `.xls`
    OldExcel,
    /// `.xlsb`
    BinaryExcel,
    /// `.ppt`, `.pptx`, `.odp`
    Slides,
    /// `.msg`
    OutlookMessage,
    /// Another file in the container of the old office programs.
    OldOffice,
    /// Another ZIP archive.
    Archive,
}

/// The reason why such a file has no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OfficeFault {
    /// It can't be parsed.
    Damaged,
    /// It needs a password.
    Protected,
    /// It has more text, cells or parts in one another than a document may have.
    TooLong,
    /// Its XML declares a document type, and may name files or multiply itself.
    DocumentType,
    /// It shows no text.
    NoText,
    /// Such files have no reader.
    NoReader,
}

impl OfficeFault {
    /// This reason, of a file of this format.
    pub(crate) fn of(self, format: OfficeFormat) -> Unread {
        Unread::Office { format, fault: self }
    }
}

/// The reason in words.
pub(crate) fn unreadable(format: OfficeFormat, fault: OfficeFault) -> Unreadable {
    let what = name(format);
    let (why, help) = match fault {
        OfficeFault::Damaged => (format!("the document begins as {what}, and is damaged"), SAVE_AGAIN),
        OfficeFault::Protected => (format!("the document is {what} that needs a password"), WITHOUT_PASSWORD),
        OfficeFault::TooLong => (
            format!("the document is {what} with more text, or deeper in itself, than a document may have"),
            SPLIT,
        ),
        OfficeFault::DocumentType => (
            format!(
                "the document is {what} that declares a document type (DTD), which none of these files needs"
            ),
            SAVE_AGAIN,
        ),
        OfficeFault::NoText => (format!("the document is {what} that shows no text"), ONLY_PICTURES),
        OfficeFault::NoReader => (format!("the document is {what}, which is not read"), other_format(format)),
    };
    Unreadable::File { why, help }
}

fn name(format: OfficeFormat) -> &'static str {
    match format {
        OfficeFormat::Word => "a Word document",
        OfficeFormat::Excel => "an Excel workbook",
        OfficeFormat::OpenText => "an OpenDocument text",
        OfficeFormat::OpenSheets => "an OpenDocument spreadsheet",
        OfficeFormat::RichText => "an RTF document",
        OfficeFormat::Mail => "an e-mail",
        OfficeFormat::Encrypted => "an office document",
        OfficeFormat::OldWord => "a Word document of the old format (`.doc`)",
        OfficeFormat::OldExcel => "an Excel workbook of the old format (`.xls`)",
        OfficeFormat::BinaryExcel => "a binary Excel workbook (`.xlsb`)",
        OfficeFormat::Slides => "a presentation",
        OfficeFormat::OutlookMessage => "a message of Outlook (`.msg`)",
        OfficeFormat::OldOffice => "an old office document",
        OfficeFormat::Archive => "a ZIP archive or an office document of an unknown kind",
    }
}

/// The advice for a format that has no reader.
fn other_format(format: OfficeFormat) -> &'static str {
    match format {
        OfficeFormat::OldExcel | OfficeFormat::BinaryExcel => {
            "save it as `.xlsx`, for example with `soffice --headless --convert-to xlsx FILE`"
        }
        OfficeFormat::OldWord => {
            "save it as `.docx`, for example with `soffice --headless --convert-to docx FILE`"
        }
        OfficeFormat::OutlookMessage => "save it as `.eml` or as text",
        OfficeFormat::Archive => "unpack it, and give the documents in it",
        OfficeFormat::Word
        | OfficeFormat::Excel
        | OfficeFormat::OpenText
        | OfficeFormat::OpenSheets
        | OfficeFormat::RichText
        | OfficeFormat::Mail
        | OfficeFormat::Encrypted
        | OfficeFormat::Slides
        | OfficeFormat::OldOffice => "save it as PDF, or give its text",
    }
}
