//! Opening of PDF files: beyond what precedes their header, and with passwords.

use super::super::file_text::Unread;
use super::super::reader_task::ReadingSettings;
use super::owner_password::user_password;
use hayro_interpret::hayro_syntax::{DecryptionError, LoadPdfError, Pdf, PdfData};
use loopctl_core::document::pdf_header;
use std::sync::Arc;
use unicode_normalization::UnicodeNormalization;

/// Returns whether bytes are a PDF file, whole or damaged: one with a header near its start, or one that begins with
/// objects because its header is lost.
pub(in super::super) fn is_pdf(bytes: &[u8]) -> bool {
    bytes.starts_with(b"%PDF") || pdf_header(bytes).is_some() || begins_with_objects(bytes)
}

/// Returns whether the first thing of a file is a trailer or an object, as no text begins.
fn begins_with_objects(bytes: &[u8]) -> bool {
    let begin = bytes.get(..64).unwrap_or(bytes).trim_ascii_start();
    let rest = begin.strip_prefix(b"trailer").or_else(|| {
        let rest = after_number(after_number(begin)?)?;
        rest.strip_prefix(b"obj")
    });
    rest.is_some_and(|rest| rest.trim_ascii_start().starts_with(b"<<"))
}

/// The rest behind a number and the blanks after it.
fn after_number(bytes: &[u8]) -> Option<&[u8]> {
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = bytes.get(digits..)?;
    (digits > 0 && rest.first()?.is_ascii_whitespace()).then(|| rest.trim_ascii_start())
}

/// Opens a file, with the first of the passwords that opens it if it needs one: that of its users, or its owner's.
pub(super) fn open(bytes: Arc<Vec<u8>>, settings: &ReadingSettings) -> Result<Pdf, Unread> {
    // Places in a file are counted from its header.
    let from_header = pdf_header(&bytes).filter(|header| *header > 0).and_then(|header| bytes.get(header..));
    let bytes: PdfData = match from_header {
        Some(from_header) => from_header.to_vec().into(),
        None => bytes.into(),
    };
    open_data(bytes, settings)
}

/// Opens an open file anew: what was kept of it for its pages is not kept for the new one.
pub(super) fn reopen(pdf: &Pdf, settings: &ReadingSettings) -> Result<Pdf, Unread> {
    open_data(pdf.data().clone(), settings)
}

fn open_data(bytes: PdfData, settings: &ReadingSettings) -> Result<Pdf, Unread> {
    match Pdf::new(bytes.clone()) {
        Err(LoadPdfError::Decryption(DecryptionError::PasswordProtected)) => {}
        opened => return opened.map_err(unread),
    }
    for password in &settings.passwords {
        let normal: String = password.shown().nfkc().collect();
        let unlocked = user_password(bytes.as_ref(), password.shown());
        let mut tried = vec![password.shown()];
        tried.extend((normal != password.shown()).then_some(normal.as_str()));
        tried.extend(unlocked.as_deref());
        if let Some(pdf) =
            tried.iter().find_map(|password| Pdf::new_with_password(bytes.clone(), password).ok())
        {
            return Ok(pdf);
        }
    }
    Err(if settings.passwords.is_empty() { Unread::Protected } else { Unread::WrongPassword })
}

fn unread(error: LoadPdfError) -> Unread {
    match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => Unread::Protected,
        LoadPdfError::Decryption(
            DecryptionError::MissingIDEntry
            | DecryptionError::InvalidEncryption
            | DecryptionError::UnsupportedAlgorithm,
        ) => Unread::UnknownEncryption,
        LoadPdfError::Invalid => Unread::Damaged,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pdf_is_told_by_its_header_near_the_start_or_by_its_objects() {
        for file in [
            &b"%PDF-1.7\n1 0 obj"[..],
            b"\xef\xbb\xbf\r\n%PDF-1.4\n1 0 obj",
            b"HTTP/1.1 200 OK\r\n\r\n%PDF-1.4\n1 0 obj",
            b"%PDFn\ntrailer",
            b"trailer<<>>",
            b" 00008 0 obj<</Type/XRef>>",
        ] {
            assert!(is_pdf(file), "{:?}", String::from_utf8_lossy(file));
        }
        for text in [
            &b"A PDF begins with %PDF-1.7."[..],
            b"%PD",
            b"trailer park\n<<",
            b"12 3 objects <<",
            b"<html>%PDF</html>",
            b"",
        ] {
            assert!(!is_pdf(text), "{:?}", String::from_utf8_lossy(text));
        }
    }
}
