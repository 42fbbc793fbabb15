//! Encodings of text files that are not UTF-8: known by a mark, by a declaration, or by a guess that fits every byte.
//!
//! Nothing is replaced: bytes that are not a text in one encoding as a whole have no text.

use super::{Encoding, SourceText, Unreadable};
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding as NamedEncoding, ISO_2022_JP, UTF_8};

/// The part of a file, in bytes from its beginning, in which it may declare its encoding.
const DECLARATION: usize = 1024;
/// The least share of ASCII, in percent, by which UTF-16 without a byte order mark is recognized.
const LEAST_ASCII_PERCENT: usize = 5;

/// A text, and the encoding that its bytes had.
struct DecodedText {
    text: String,
    encoding: Encoding,
}

/// The text of a file in any encoding.
///
/// # Errors
/// The reason why the bytes are not a readable text, as for UTF-8.
pub(super) fn source_of(bytes: Vec<u8>) -> Result<SourceText, Unreadable> {
    if let Some(DecodedText { text, encoding }) = marked_utf32(&bytes).or_else(|| by_declaration(&bytes)) {
        return SourceText::from_decoded(&text, encoding);
    }
    let is_utf8 = std::str::from_utf8(&bytes).is_ok();
    let undecoded = if is_utf8 && !bytes.contains(&0) { None } else { Some(bytes.clone()) };
    match (SourceText::from_bytes(bytes), undecoded) {
        (Err(why @ (Unreadable::InvalidUtf8 { .. } | Unreadable::ZeroByte { .. })), Some(bytes)) => {
            let decoded = if bytes.contains(&0) { unmarked_utf16(&bytes) } else { by_guess(&bytes) };
            decoded.map_or(Err(why), |decoded| SourceText::from_decoded(&decoded.text, decoded.encoding))
        }
        (read, _) => read,
    }
}

fn marked_utf32(bytes: &[u8]) -> Option<DecodedText> {
    match bytes {
        [0xFF, 0xFE, 0, 0, rest @ ..] => {
            Some(DecodedText { text: utf32(rest, u32::from_le_bytes)?, encoding: Encoding::Utf32Le })
        }
        [0, 0, 0xFE, 0xFF, rest @ ..] => {
            Some(DecodedText { text: utf32(rest, u32::from_be_bytes)?, encoding: Encoding::Utf32Be })
        }
        _ => None,
    }
}

fn utf32(bytes: &[u8], unit: fn([u8; 4]) -> u32) -> Option<String> {
    let (units, rest) = bytes.as_chunks::<4>();
    let characters = units.iter().map(|bytes| char::from_u32(unit(*bytes)));
    if rest.is_empty() { characters.collect() } else { None }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Option<String> {
    let (units, rest) = bytes.as_chunks::<2>();
    let characters = char::decode_utf16(units.iter().map(|bytes| unit(*bytes)));
    if rest.is_empty() { characters.collect::<Result<_, _>>().ok() } else { None }
}

/// UTF-16 without a byte order mark: in the order of bytes that yields a text, with signs of ASCII in it.
fn unmarked_utf16(bytes: &[u8]) -> Option<DecodedText> {
    if matches!(bytes, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..]) {
        return None;
    }
    let ascii = |text: &String| text.chars().filter(char::is_ascii).count();
    let low = utf16(bytes, u16::from_le_bytes).filter(|text| is_plain(text));
    let high = utf16(bytes, u16::from_be_bytes).filter(|text| is_plain(text));
    let (text, encoding) = match (low, high) {
        (Some(low), Some(high)) if ascii(&low) < ascii(&high) => (high, Encoding::Utf16Be),
        (Some(low), _) => (low, Encoding::Utf16Le),
        (None, high) => (high?, Encoding::Utf16Be),
    };
    let enough = ascii(&text) * 100 >= text.chars().count() * LEAST_ASCII_PERCENT;
    enough.then_some(DecodedText { text, encoding })
}

/// Returns whether a text has no control characters but those of lines and pages.
fn is_plain(text: &str) -> bool {
    !text.chars().any(|c| c.is_control() && !c.is_whitespace())
}

/// The encoding that an XML declaration or the head of a page names, if it fits every byte.
fn by_declaration(bytes: &[u8]) -> Option<DecodedText> {
    let encoding = declared(bytes)?.output_encoding();
    // UTF-8 is read as such, and whatever a file declares: what is valid in it is hardly ever anything else.
    if encoding == UTF_8 || encoding != ISO_2022_JP && std::str::from_utf8(bytes).is_ok() {
        return None;
    }
    let text = fitted(bytes, encoding)?;
    Some(DecodedText { text, encoding: Encoding::Declared { name: encoding.name() } })
}

/// The encoding that a file of markup declares near its beginning.
fn declared(bytes: &[u8]) -> Option<&'static NamedEncoding> {
    let head = bytes.get(..bytes.len().min(DECLARATION))?;
    let head = head.trim_ascii_start();
    if head.first() != Some(&b'<') {
        return None;
    }
    // Declarations are ASCII: what is not can only be elsewhere.
    let head: String = head.iter().map(|byte| char::from(byte.to_ascii_lowercase())).collect();
    if let Some(rest) = head.strip_prefix("<?xml") {
        let declaration = rest.split("?>").next()?;
        return named_after(declaration, "encoding");
    }
    let tags = head.split('<').filter(|tag| tag.starts_with("meta"));
    tags.filter_map(|tag| named_after(tag, "charset")).next()
}

/// The encoding whose name follows a word and `=`.
fn named_after(text: &str, word: &str) -> Option<&'static NamedEncoding> {
    let (_, rest) = text.split_once(word)?;
    let value = rest.trim_start().strip_prefix('=')?.trim_start().trim_start_matches(['"', '\'']);
    let end = value.find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ';' | '>' | '/'));
    NamedEncoding::for_label(value.get(..end.unwrap_or(value.len()))?.as_bytes())
}

/// The most likely encoding of bytes that declare none and are not UTF-8.
fn by_guess(bytes: &[u8]) -> Option<DecodedText> {
    // UTF-8 throughout, or cut off within its last character.
    std::str::from_utf8(bytes).err()?.error_len()?;
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    let encoding = detector.guess(None, Utf8Detection::Deny);
    // UTF-8 with bytes of another encoding in it, or with some lost: no encoding fits all of it.
    let (whole, broken) = utf8_sequences(bytes);
    if whole > 0 && (encoding.is_single_byte() || whole * 2 > broken) {
        return None;
    }
    let text = fitted(bytes, encoding)?;
    Some(DecodedText { text, encoding: Encoding::Guessed { name: encoding.name() } })
}

/// The number of characters beyond ASCII that are whole in UTF-8, and of pieces that are none.
fn utf8_sequences(bytes: &[u8]) -> (usize, usize) {
    let (mut whole, mut broken) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        whole += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        broken += usize::from(!chunk.invalid().is_empty());
    }
    (whole, broken)
}

/// The text that bytes are in an encoding, without errors and without characters that only other files have.
fn fitted(bytes: &[u8], encoding: &'static NamedEncoding) -> Option<String> {
    let text = encoding.decode_without_bom_handling_and_without_replacement(bytes)?;
    is_plain(&text).then(|| text.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(bytes: &[u8]) -> Result<(String, String), Unreadable> {
        let source = source_of(bytes.to_vec())?;
        Ok((source.as_str().to_owned(), source.encoding().to_string()))
    }

    fn text_of(bytes: &[u8]) -> (String, String) {
        read(bytes).unwrap()
    }

    fn encoded(text: &str, name: &str) -> Vec<u8> {
        let (bytes, _, lost) = NamedEncoding::for_label(name.as_bytes()).unwrap().encode(text);
        assert!(!lost, "{text}");
        bytes.into_owned()
    }

    fn utf16(text: &str, big: bool) -> Vec<u8> {
        let bytes = |unit: u16| if big { unit.to_be_bytes() } else { unit.to_le_bytes() };
        text.encode_utf16().flat_map(bytes).collect()
    }

    #[test]
    fn utf8_is_left_alone() {
        for text in ["Grade 2", "Größe 3 mm", "\u{FEFF}Größe", "<meta charset=latin1>Größe"] {
            assert_eq!(text_of(text.as_bytes()).1, "UTF-8", "{text}");
        }
    }

    #[test]
    fn utf16_is_read_without_its_mark_in_either_order() {
        for text in ["Größe des Tumors: 3 mm\n", "<?xml version=\"1.0\"?><a>β</a>", "診断 2024\n腫瘍"]
        {
            assert_eq!(text_of(&utf16(text, false)), (text.to_owned(), "UTF-16LE".to_owned()));
            assert_eq!(text_of(&utf16(text, true)), (text.to_owned(), "UTF-16BE".to_owned()));
        }
    }

    #[test]
    fn utf32_is_read_by_its_mark() {
        let text = "Größe 3 mm \u{1F52C}";
        let units = || std::iter::once('\u{FEFF}').chain(text.chars()).map(u32::from);
        let low: Vec<u8> = units().flat_map(u32::to_le_bytes).collect();
        let high: Vec<u8> = units().flat_map(u32::to_be_bytes).collect();
        assert_eq!(text_of(&low), (text.to_owned(), "UTF-32LE".to_owned()));
        assert_eq!(text_of(&high), (text.to_owned(), "UTF-32BE".to_owned()));
        assert!(read(&low[..low.len() - 1]).is_err());
    }

    #[test]
    fn a_declared_encoding_is_used() {
        let xml = "<?xml version='1.0' encoding='ISO-8859-2'?><jméno>Dvořák</jméno>";
        assert_eq!(text_of(&encoded(xml, "iso-8859-2")), (xml.to_owned(), "ISO-8859-2".to_owned()));
        let page = "<!DOCTYPE html><html><head><meta http-equiv=Content-Type content=\"text/html; charset=shift_jis\"></head>診断</html>";
        assert_eq!(text_of(&encoded(page, "shift_jis")), (page.to_owned(), "Shift_JIS".to_owned()));
        let page = "<html><meta charset='iso-2022-jp'><p>診断</p></html>";
        assert_eq!(text_of(&encoded(page, "iso-2022-jp")), (page.to_owned(), "ISO-2022-JP".to_owned()));
    }

    #[test]
    fn a_declaration_that_does_not_fit_is_not_believed() {
        let text = "<?xml version='1.0' encoding='latin1'?><a>Größe</a>";
        assert_eq!(text_of(text.as_bytes()), (text.to_owned(), "UTF-8".to_owned()));
        let text = "<meta charset=utf-8><p>Die Größe des Tumors beträgt 3 mm.</p>";
        assert_eq!(text_of(&encoded(text, "windows-1252")).1, "windows-1252 (guessed)");
    }

    #[test]
    fn an_undeclared_encoding_is_guessed_and_said_to_be() {
        for (text, name) in [
            ("Die Größe des Tumors beträgt 3 mm – ohne Befund für Rückstände.", "windows-1252"),
            ("Пациент выписан в удовлетворительном состоянии.", "windows-1251"),
            ("患者は肺炎と診断され、入院した。血圧は正常である。", "Shift_JIS"),
            (
                "Pacjent został wypisany w stanie ogólnym dobrym, bez gorączki, ciśnienie prawidłowe.",
                "windows-1250",
            ),
        ] {
            assert_eq!(text_of(&encoded(text, name)), (text.to_owned(), format!("{name} (guessed)")));
        }
    }

    #[test]
    fn mixed_encodings_and_binary_files_are_refused_with_their_place() {
        let mut mixed = "Größe: 3 mm, ".as_bytes().to_vec();
        mixed.extend(encoded("Länge: 4 mm", "windows-1252"));
        assert_eq!(read(&mixed), Err(Unreadable::InvalidUtf8 { at: 16 }));
        assert_eq!(read(b"\x7FELF\x02\x01\x01\0\0\0"), Err(Unreadable::ZeroByte { at: 7 }));
        assert_eq!(read(b"\x80\x01\x02\xFF"), Err(Unreadable::InvalidUtf8 { at: 0 }));
        assert_eq!(read(b"caf\xC3"), Err(Unreadable::InvalidUtf8 { at: 3 }));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes: Vec<u8>) {
            let _ = read(&bytes);
        }

        #[test]
        fn damaged_text_is_refused_or_read(
            text in "[a-zäöü <>=?\n]{1,60}", at in 0..60_usize, byte: u8, wide: bool,
        ) {
            let mut bytes = if wide { utf16(&text, false) } else { text.into_bytes() };
            if let Some(place) = bytes.get_mut(at) {
                *place = byte;
            }
            let _ = read(&bytes);
        }
    }
}
