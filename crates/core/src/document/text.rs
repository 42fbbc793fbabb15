//! Bytes to text, or the reason why they can't be (`failed`, `unreadable_input`).
//!
//! Nothing is ever replaced silently: a text that can't be decoded whole is refused, with the position and a remedy.

use std::fmt;
use std::sync::Arc;

use super::media::media_type;
use crate::value::is_unseen;

/// The most control characters, in percent, that bytes may have and still be treated as text. The form feeds of page
/// breaks and a stray escape code are common in real reports and stay far below; binary files are far above.
const MOST_CONTROL_PERCENT: usize = 5;
/// The most replacement characters (U+FFFD), in percent, before a text counts as destroyed. An earlier program wrote
/// one for each byte that it could not read: a few lose a word here and there, one in ten leaves no sentence whole.
const MOST_REPLACED_PERCENT: usize = 10;

/// The first bytes of files that people submit in place of their text, what to call them, and the remedy.
const SIGNATURES: [(&[u8], &str, &str); 8] = [
    (b"PK\x03\x04", "a ZIP archive or an office document", "save it as plain text first"),
    (b"\xD0\xCF\x11\xE0", "an old office document", "save it as plain text first"),
    (b"{\\rtf", "an RTF document", "save it as plain text first"),
    (b"II*\0", "a TIFF image", CONVERT_IMAGE),
    (b"MM\0*", "a TIFF image", CONVERT_IMAGE),
    (b"\x1F\x8B", "a gzip archive", "decompress it first"),
    (b"\xFF\xFE\0\0", "UTF-32 text", "save it as UTF-8"),
    (b"\0\0\xFE\xFF", "UTF-32 text", "save it as UTF-8"),
];

const CONVERT_IMAGE: &str = "give the text that it shows; or convert it to PNG or PDF, and let a model that reads images look at it: `attach: document` in the stages of its profile, and its type named (on the command line `--config 'stages.*.attach=document' --type TYPE`); or let OCR read it (`ingest: { ocr: true }` in its profile)";
const LOOK_AT_IMAGE: &str = "give the text that it shows; or let OCR read it (`ingest: { ocr: true }` in its profile); or let a model that reads images look at it: `attach: document` in the stages of its profile, and its type named (on the command line `--config 'stages.*.attach=document' --type TYPE`)";
const LOOK_AT_PDF: &str = "extract its text first, for example with `pdftotext -layout`; if it is a scan, let a model that reads PDFs look at it: `attach: document` in the stages of its profile, and its type named (on the command line `--config 'stages.*.attach=document' --type TYPE`)";

/// Like [`SIGNATURES`], for files that models can read: what to call them, and the remedy.
fn look_at(bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    let what = match media_type(bytes)? {
        "application/pdf" => return Some(("a PDF", LOOK_AT_PDF)),
        "image/png" => "a PNG image",
        "image/jpeg" => "a JPEG image",
        "image/gif" => "a GIF image",
        _ => "a WebP image",
    };
    Some((what, LOOK_AT_IMAGE))
}

/// The encoding of a text's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Encoding {
    /// UTF-8, with or without a byte order mark.
    Utf8,
    /// UTF-16, low byte first, recognized by its byte order mark or by its zero bytes.
    Utf16Le,
    /// UTF-16, high byte first, recognized by its byte order mark or by its zero bytes.
    Utf16Be,
    /// UTF-32, low byte first, recognized by its byte order mark.
    Utf32Le,
    /// UTF-32, high byte first, recognized by its byte order mark.
    Utf32Be,
    /// An older encoding, which the file itself declares.
    Declared {
        /// Its name, as browsers know it: `windows-1252`.
        name: &'static str,
    },
    /// An older encoding, by which the bytes make sense. The file does not name it.
    Guessed {
        /// Its name, as browsers know it: `windows-1252`.
        name: &'static str,
    },
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())?;
        if matches!(self, Encoding::Guessed { .. }) { f.write_str(" (guessed)") } else { Ok(()) }
    }
}

impl Encoding {
    /// Its usual name, such as `UTF-8`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Encoding::Utf8 => "UTF-8",
            Encoding::Utf16Le => "UTF-16LE",
            Encoding::Utf16Be => "UTF-16BE",
            Encoding::Utf32Le => "UTF-32LE",
            Encoding::Utf32Be => "UTF-32BE",
            Encoding::Declared { name } | Encoding::Guessed { name } => name,
        }
    }
}

/// The readable text of a document, without byte order mark, otherwise exactly as it came. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceText {
    text: Arc<str>,
    encoding: Encoding,
}

/// The reason why bytes are not a text that can be worked on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unreadable {
    /// No bytes at all, or nothing but a byte order mark.
    #[error("the document is empty")]
    Empty,
    /// Only spaces, line ends and other invisible characters.
    #[error("the document holds only white space")]
    Blank,
    /// A well-known format that is not plain text.
    #[error("the document is {what}, not plain text")]
    Format {
        /// The format, with its article.
        what: &'static str,
        /// Advice on what to do about it.
        help: &'static str,
    },
    /// A file whose reader found no text in it.
    #[error("{why}")]
    File {
        /// The reason, as a clause.
        why: String,
        /// Advice on what to do about it.
        help: &'static str,
    },
    /// A zero byte (in UTF-16: a zero character), which no text has.
    #[error("the document holds a zero byte (byte {at}); it is not text")]
    ZeroByte {
        /// Offset in bytes from the start of the file.
        at: usize,
    },
    /// Not valid UTF-8, and no byte order mark that says what else it is.
    #[error("the document is not UTF-8 text (byte {at})")]
    InvalidUtf8 {
        /// Offset in bytes from the start of the file.
        at: usize,
    },
    /// A UTF-16 byte order mark, and half a character somewhere after it.
    #[error("the document starts as UTF-16 text and is not valid UTF-16 (byte {at})")]
    InvalidUtf16 {
        /// Offset in bytes from the start of the file.
        at: usize,
    },
    /// More control characters than any text has.
    #[error("{percent} % of the document's characters are control characters; it is not text")]
    ControlCharacters {
        /// Their share, rounded down.
        percent: usize,
    },
    /// Too many characters were lost before the text came here.
    #[error("{percent} % of the document's characters are replacement characters (U+FFFD)")]
    Garbled {
        /// Their share, rounded down.
        percent: usize,
    },
}

impl Unreadable {
    /// Returns advice on what to do about it.
    #[must_use]
    pub fn help(&self) -> &'static str {
        match self {
            Unreadable::Empty | Unreadable::Blank => "check that this is the file you meant",
            Unreadable::Format { help, .. } | Unreadable::File { help, .. } => help,
            Unreadable::ZeroByte { .. } => {
                "give a text file; UTF-16 is read when it starts with a byte order mark, else convert it to UTF-8"
            }
            Unreadable::InvalidUtf8 { .. } => {
                "convert it to UTF-8, for example with `iconv -f WINDOWS-1252 -t UTF-8`"
            }
            Unreadable::InvalidUtf16 { .. } => "the file may have been cut off; save it again, as UTF-8",
            Unreadable::ControlCharacters { .. } => "give a text file in UTF-8",
            Unreadable::Garbled { .. } => {
                "an earlier conversion lost the text; convert the original to UTF-8 with its true encoding"
            }
        }
    }
}

impl SourceText {
    /// Decodes and checks the bytes of a file: UTF-8, or UTF-16 with a byte order mark.
    ///
    /// # Errors
    /// The first reason why they are not a readable text.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, Unreadable> {
        let known = SIGNATURES.iter().find(|(start, ..)| bytes.starts_with(start));
        if let Some((what, help)) = known.map(|(_, what, help)| (*what, *help)).or_else(|| look_at(&bytes)) {
            return Err(Unreadable::Format { what, help });
        }
        match bytes.as_slice() {
            [0xFF, 0xFE, rest @ ..] => Self::from_utf16(rest, Encoding::Utf16Le),
            [0xFE, 0xFF, rest @ ..] => Self::from_utf16(rest, Encoding::Utf16Be),
            _ => {
                if let Some(at) = bytes.iter().position(|byte| *byte == 0) {
                    return Err(Unreadable::ZeroByte { at });
                }
                match String::from_utf8(bytes) {
                    Ok(text) => Self::checked(text.strip_prefix('\u{FEFF}').unwrap_or(&text), Encoding::Utf8),
                    Err(error) => Err(Unreadable::InvalidUtf8 { at: error.utf8_error().valid_up_to() }),
                }
            }
        }
    }

    /// Checks a text that was decoded from this encoding, without its byte order mark.
    ///
    /// # Errors
    /// When it is not a readable text.
    pub fn from_decoded(text: &str, encoding: Encoding) -> Result<Self, Unreadable> {
        match text.find('\0') {
            Some(at) => Err(Unreadable::ZeroByte { at }),
            None => Self::checked(text, encoding),
        }
    }

    /// The text itself, without byte order mark.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The text, shared.
    #[must_use]
    pub fn shared(&self) -> Arc<str> {
        Arc::clone(&self.text)
    }

    /// The encoding of the file.
    #[must_use]
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// `bytes` come after the byte order mark.
    fn from_utf16(bytes: &[u8], encoding: Encoding) -> Result<Self, Unreadable> {
        const MARK: usize = 2;
        let (pairs, half) = bytes.as_chunks::<2>();
        let unit = |pair: &[u8; 2]| match encoding {
            Encoding::Utf16Be => u16::from_be_bytes(*pair),
            _ => u16::from_le_bytes(*pair),
        };
        if let Some(at) = pairs.iter().position(|pair| *pair == [0, 0]) {
            return Err(Unreadable::ZeroByte { at: MARK + 2 * at });
        }
        let mut text = String::with_capacity(bytes.len());
        let mut at = MARK;
        for decoded in char::decode_utf16(pairs.iter().map(unit)) {
            let Ok(character) = decoded else { return Err(Unreadable::InvalidUtf16 { at }) };
            text.push(character);
            at += 2 * character.len_utf16();
        }
        if !half.is_empty() {
            return Err(Unreadable::InvalidUtf16 { at });
        }
        Self::checked(&text, encoding)
    }

    /// The gate on the quality of a decoded text.
    fn checked(text: &str, encoding: Encoding) -> Result<Self, Unreadable> {
        if text.is_empty() {
            return Err(Unreadable::Empty);
        }
        let (mut visible, mut control, mut replaced) = (0_usize, 0_usize, 0_usize);
        for character in text.chars() {
            if character == char::REPLACEMENT_CHARACTER {
                replaced += 1;
            } else if character.is_control() && !character.is_whitespace() {
                control += 1;
            } else if !is_unseen(character) {
                visible += 1;
            }
        }
        let all = visible + control + replaced;
        if all == 0 {
            return Err(Unreadable::Blank);
        }
        let exceeds = |count: usize, percent: usize| count.saturating_mul(100) > all.saturating_mul(percent);
        if exceeds(control, MOST_CONTROL_PERCENT) {
            return Err(Unreadable::ControlCharacters { percent: control.saturating_mul(100) / all });
        }
        if exceeds(replaced, MOST_REPLACED_PERCENT) {
            return Err(Unreadable::Garbled { percent: replaced.saturating_mul(100) / all });
        }
        Ok(SourceText { text: Arc::from(text), encoding })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(bytes: &[u8]) -> Result<SourceText, Unreadable> {
        SourceText::from_bytes(bytes.to_vec())
    }

    fn utf16(text: &str, big: bool) -> Vec<u8> {
        std::iter::once(0xFEFF)
            .chain(text.encode_utf16())
            .flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() })
            .collect()
    }

    #[test]
    fn plain_text_comes_back_as_it_was() {
        let text = "Grade 2.\r\n\tMargins: frei \u{c}Größe 3 mm\n";
        let source = read(text.as_bytes()).unwrap();
        assert_eq!((source.as_str(), source.encoding()), (text, Encoding::Utf8));
        assert_eq!(read(br#"{"a": 1}"#).unwrap().as_str(), r#"{"a": 1}"#);
    }

    #[test]
    fn byte_order_marks_are_honoured_and_removed() {
        assert_eq!(read("\u{FEFF}Grad 2".as_bytes()).unwrap().as_str(), "Grad 2");
        for (big, encoding) in [(true, Encoding::Utf16Be), (false, Encoding::Utf16Le)] {
            let source = read(&utf16("Größe 3 mm \u{1F52C}", big)).unwrap();
            assert_eq!((source.as_str(), source.encoding()), ("Größe 3 mm \u{1F52C}", encoding));
        }
    }

    #[test]
    fn texts_without_anything_to_read_are_refused() {
        for empty in [&b""[..], b"\xEF\xBB\xBF", b"\xFF\xFE"] {
            assert_eq!(read(empty), Err(Unreadable::Empty));
        }
        for blank in ["  \r\n\t\n", "\u{200B}\u{A0} \u{c}"] {
            assert_eq!(read(blank.as_bytes()), Err(Unreadable::Blank));
        }
    }

    #[test]
    fn bytes_that_are_not_utf8_name_their_place() {
        let latin1 = b"Gr\xF6\xDFe 3 mm";
        let error = read(latin1).unwrap_err();
        assert_eq!(error, Unreadable::InvalidUtf8 { at: 2 });
        insta::assert_snapshot!(error, @"the document is not UTF-8 text (byte 2)");
        assert!(error.help().contains("UTF-8"));
    }

    #[test]
    fn broken_utf16_names_its_place() {
        let mut cut = utf16("ab", false);
        cut.pop();
        assert_eq!(read(&cut), Err(Unreadable::InvalidUtf16 { at: 4 }));
        assert_eq!(read(b"\xFE\xFF\0a\xD8\x00\0b"), Err(Unreadable::InvalidUtf16 { at: 4 }));
        assert_eq!(read(b"\xFE\xFF\0a\0\0"), Err(Unreadable::ZeroByte { at: 4 }));
    }

    #[test]
    fn binary_files_are_told_apart() {
        assert_eq!(read(b"\x7FELF\x02\x01\x01\0\0"), Err(Unreadable::ZeroByte { at: 7 }));
        assert!(matches!(read(b"%PDF-1.7\n%..."), Err(Unreadable::Format { what: "a PDF", .. })));
        assert!(matches!(read(b"PK\x03\x04\x14\0"), Err(Unreadable::Format { .. })));
        assert_eq!(read(b"\x01\x02\x03ab"), Err(Unreadable::ControlCharacters { percent: 60 }));
    }

    #[test]
    fn a_stray_control_character_is_no_reason_to_refuse() {
        let text = format!("\u{1b}[1m{}", "Impression: no acute findings. ".repeat(3));
        assert!(read(text.as_bytes()).is_ok());
    }

    #[test]
    fn a_text_lost_to_replacement_characters_is_refused_and_a_scratched_one_is_not() {
        let garbled = "\u{FFFD}\u{FFFD}a\u{FFFD}";
        assert_eq!(read(garbled.as_bytes()), Err(Unreadable::Garbled { percent: 75 }));
        assert!(read("Gr\u{FFFD}\u{DF}e des Tumors: 3 mm".as_bytes()).is_ok());
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic_and_what_is_read_is_what_was_there(bytes: Vec<u8>) {
            if let Ok(source) = SourceText::from_bytes(bytes.clone())
                && source.encoding() == Encoding::Utf8
            {
                let whole = std::str::from_utf8(&bytes).unwrap();
                prop_assert_eq!(whole.trim_start_matches('\u{FEFF}'), source.as_str().trim_start_matches('\u{FEFF}'));
            }
        }

        #[test]
        fn utf16_and_utf8_give_the_same_text(text in "[a-zäöü \n\u{1F600}-\u{1F64F}]{1,40}", big: bool) {
            let (wide, narrow) = (read(&utf16(&text, big)), read(text.as_bytes()));
            prop_assert_eq!(wide.map(|t| t.shared()), narrow.map(|t| t.shared()));
        }
    }
}
