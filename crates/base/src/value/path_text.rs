//! Paths as text. A path is bytes, and what holds one (the journal, JSON, messages) is text: bytes that are not UTF-8
//! are written as `\xE9`, and read back as the byte. A path that is UTF-8 is written as it is, unless it holds such an
//! escape itself, whose backslash is then written `\x5C`. So every path has a spelling, and no two have the same.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// A path as text, from which [`path_of`] makes it again.
#[must_use]
pub fn path_text(path: &Path) -> Cow<'_, str> {
    os_text(path.as_os_str())
}

/// Paths in messages.
pub trait ShownPath {
    /// The path as [`path_text`] writes it: one that is not UTF-8 shows its bytes, and is distinct from every other.
    fn shown(&self) -> Cow<'_, str>;
}

impl ShownPath for Path {
    fn shown(&self) -> Cow<'_, str> {
        path_text(self)
    }
}

/// The path that a text of [`path_text`] spells.
#[must_use]
pub fn path_of(text: &str) -> PathBuf {
    PathBuf::from(os_of(text))
}

/// An argument or a name as text, as [`path_text`] writes paths.
#[must_use]
pub fn os_text(name: &OsStr) -> Cow<'_, str> {
    match name.to_str() {
        Some(text) if !holds_escape(text) => Cow::Borrowed(text),
        _ => Cow::Owned(written(bytes_of(name))),
    }
}

/// The name that a text of [`os_text`] spells.
#[must_use]
fn os_of(text: &str) -> OsString {
    if !holds_escape(text) {
        return OsString::from(text);
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        match escaped(rest) {
            Some(byte) => {
                bytes.push(byte);
                rest = rest.get(ESCAPE..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    of_bytes(bytes, text)
}

/// Length of an escape: `\xE9`.
const ESCAPE: usize = 4;

/// The byte that the escape at the beginning of a text represents: never ASCII except the backslash, so that most texts
/// with backslashes need no escapes.
fn escaped(text: &[u8]) -> Option<u8> {
    let [b'\\', b'x', high, low, ..] = text else { return None };
    let digit = |digit: &u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    };
    let byte = digit(high)? * 16 + digit(low)?;
    (byte >= 0x80 || byte == b'\\').then_some(byte)
}

fn holds_escape(text: &str) -> bool {
    text.match_indices('\\').any(|(at, _)| text.as_bytes().get(at..).and_then(escaped).is_some())
}

fn written(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() + ESCAPE);
    for chunk in bytes.utf8_chunks() {
        let valid = chunk.valid();
        for (at, c) in valid.char_indices() {
            match valid.as_bytes().get(at..).and_then(escaped) {
                Some(_) => text.push_str("\\x5C"),
                None => text.push(c),
            }
        }
        chunk.invalid().iter().for_each(|byte| text.push_str(&format!("\\x{byte:02X}")));
    }
    text
}

#[cfg(unix)]
fn bytes_of(name: &OsStr) -> &[u8] {
    std::os::unix::ffi::OsStrExt::as_bytes(name)
}

#[cfg(not(unix))]
fn bytes_of(name: &OsStr) -> &[u8] {
    name.as_encoded_bytes()
}

#[cfg(unix)]
fn of_bytes(bytes: Vec<u8>, _: &str) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes)
}

/// Elsewhere names are not bytes: anything that is not text is left as it is spelled.
#[cfg(not(unix))]
fn of_bytes(bytes: Vec<u8>, text: &str) -> OsString {
    String::from_utf8(bytes).map_or_else(|_| text.into(), OsString::from)
}

/// Paths in what is serialised: `#[serde(with = "crate::value::path_serde")]`.
pub mod path_serde {
    use super::{path_of, path_text};
    use serde::{Deserialize, Deserializer, Serializer};
    use std::path::{Path, PathBuf};

    /// Writes a path as [`path_text`] spells it.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&path_text(path))
    }

    /// Reads a path that [`serialize`] wrote.
    ///
    /// # Errors
    /// When there is no text.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
        String::deserialize(deserializer).map(|text| path_of(&text))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::os::unix::ffi::{OsStrExt, OsStringExt};

    fn text(bytes: &[u8]) -> String {
        os_text(OsStr::from_bytes(bytes)).into_owned()
    }

    #[test]
    fn what_is_text_is_written_as_it_is_and_the_rest_by_its_bytes() {
        for (bytes, expected) in [
            (&b"reports/a b.txt"[..], "reports/a b.txt"),
            ("café\n\"'".as_bytes(), "café\n\"'"),
            (b"caf\xe9.txt", "caf\\xE9.txt"),
            (b"C:\\docs\\x.txt \\x41 \\xe9", "C:\\docs\\x.txt \\x41 \\xe9"),
            (b"caf\\xE9.txt", "caf\\x5CxE9.txt"),
            (b"\\x5C", "\\x5Cx5C"),
            (b"\\\xe9\xff", "\\\\xE9\\xFF"),
            (b"\\xE\xe9", "\\xE\\xE9"),
        ] {
            assert_eq!(text(bytes), expected);
            assert_eq!(os_of(expected).as_bytes(), bytes);
        }
    }

    /// Bytes among which escapes, their parts and broken UTF-8 are frequent.
    fn bytes() -> impl Strategy<Value = Vec<u8>> {
        let part = prop_oneof![
            any::<Vec<u8>>(),
            "[\\\\x0-9A-Fa-f]{0,6}".prop_map(String::into_bytes),
            Just(b"\\x5C".to_vec()),
            Just(b"\\xE9".to_vec()),
            Just(vec![0xc3]),
        ];
        proptest::collection::vec(part, 0..6).prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn every_path_comes_back(bytes in bytes()) {
            let name = OsString::from_vec(bytes);
            let spelled = os_text(&name).into_owned();
            prop_assert_eq!(&os_of(&spelled), &name);
            if let (Some(plain), false) = (name.to_str(), spelled.contains("\\x5C")) {
                prop_assert_eq!(plain, spelled);
            }
        }

        #[test]
        fn no_two_paths_are_written_alike(one in bytes(), other in bytes()) {
            prop_assert_eq!(text(&one) == text(&other), one == other);
        }
    }
}
