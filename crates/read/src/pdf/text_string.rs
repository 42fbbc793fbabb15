//! Text strings of a PDF file outside of its pages: values of fields, names of files.

use hayro_interpret::hayro_syntax::object::Object;

/// The characters of the bytes from 0x18 and from 0x80 on, where they are not those of Latin-1.
const ACCENTS: [char; 8] = ['˘', 'ˇ', 'ˆ', '˙', '˝', '˛', '˚', '˜'];
const SIGNS: [char; 33] = [
    '•', '†', '‡', '…', '—', '–', 'ƒ', '⁄', '‹', '›', '−', '‰', '„', '“', '”', '‘', '’', '‚', '™', 'ﬁ', 'ﬂ',
    'Ł', 'Œ', 'Š', 'Ÿ', 'Ž', 'ı', 'ł', 'œ', 'š', 'ž', '\u{fffd}', '€',
];
/// The longest text, in bytes.
const LONGEST: usize = 1 << 20;

/// The text of a string, a name, or the contents of a stream.
pub(super) fn text_of_object(object: Object<'_>) -> Option<String> {
    match object {
        Object::String(string) => Some(decoded(&string)),
        Object::Name(name) => Some(decoded(&name)),
        Object::Stream(stream) => Some(decoded(&stream.decoded_data().ok()?)),
        Object::Null(_) | Object::Boolean(_) | Object::Number(_) | Object::Dict(_) | Object::Array(_) => None,
    }
}

fn decoded(bytes: &[u8]) -> String {
    let bytes = bytes.get(..LONGEST).unwrap_or(bytes);
    match bytes {
        [0xFE, 0xFF, text @ ..] => utf16(text, u16::from_be_bytes),
        [0xFF, 0xFE, text @ ..] => utf16(text, u16::from_le_bytes),
        [0xEF, 0xBB, 0xBF, text @ ..] => String::from_utf8_lossy(text).into_owned(),
        _ => bytes.iter().map(|&byte| character(byte)).collect(),
    }
}

fn utf16(text: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = text.chunks_exact(2).filter_map(|pair| Some(unit(pair.try_into().ok()?)));
    char::decode_utf16(units).map(|decoded| decoded.unwrap_or('\u{fffd}')).collect()
}

/// The character of a byte of the encoding `PDFDocEncoding`.
fn character(byte: u8) -> char {
    let special = match byte {
        0x18..=0x1F => ACCENTS.get(usize::from(byte - 0x18)),
        0x80..=0xA0 => SIGNS.get(usize::from(byte - 0x80)),
        _ => None,
    };
    special.copied().unwrap_or(char::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_decoded_by_its_mark() {
        assert_eq!(decoded(b"Gr\xf6\xdfe \x85 \xa0 5"), "Größe – € 5");
        assert_eq!(decoded(b"\xfe\xff\x05\xd0\x00 \xd8\x3d\xde\x00"), "\u{5d0} \u{1f600}");
        assert_eq!(decoded(b"\xff\xfeA\x00"), "A");
        assert_eq!(decoded(b"\xef\xbb\xbfGr\xc3\xb6\xc3\x9fe"), "Größe");
        assert_eq!(decoded(b"\xfe\xff\xd8\x3d"), "\u{fffd}");
    }
}
