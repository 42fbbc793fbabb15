//! Owner passwords of PDF files: of the older kinds of encryption, what opens a file with them is the password of its
//! users, which the file keeps locked with the owner's.

use hayro_interpret::hayro_syntax::object::{Dict, FromBytes, String as PdfString};
use md5::{Digest, Md5};
use std::borrow::Cow;

/// The bytes that fill a password up.
const PADDING: [u8; 32] = [
    0x28, 0xBF, 0x4E, 0x5E, 0x4E, 0x75, 0x8A, 0x41, 0x64, 0x00, 0x4E, 0x56, 0xFF, 0xFA, 0x01, 0x08, 0x2E,
    0x2E, 0x00, 0xB6, 0xD0, 0x68, 0x3E, 0x80, 0x2F, 0x0C, 0xA9, 0xFE, 0x64, 0x53, 0x69, 0x7A,
];
/// The bytes of a key.
const LONGEST_KEY: usize = 16;

/// The password of a file's users, if `owner` is that of its owner. Another password yields one that opens nothing.
pub(super) fn user_password(file: &[u8], owner: &str) -> Option<String> {
    let encryption = encryption(file)?;
    let revision = encryption.get::<u8>(b"R")?;
    let key_length = match encryption.get::<u8>(b"V")? {
        1 => 5,
        2 => usize::from(encryption.get::<u16>(b"Length").unwrap_or(40) / 8),
        4 => LONGEST_KEY,
        _ => return None,
    };
    let locked = encryption.get::<PdfString<'_>>(b"O")?;
    let unlocked = unlocked(locked.get(..PADDING.len())?, owner.as_bytes(), revision, key_length)?;
    let length = (0..=unlocked.len())
        .find(|&length| unlocked.get(length..).is_some_and(|fill| PADDING.starts_with(fill)))?;
    String::from_utf8(unlocked.get(..length)?.to_vec()).ok()
}

/// Algorithm 7 of ISO 32000.
fn unlocked(locked: &[u8], owner: &[u8], revision: u8, key_length: usize) -> Option<Vec<u8>> {
    let padded: Vec<u8> = owner.iter().chain(&PADDING).copied().take(PADDING.len()).collect();
    let mut hash = Md5::digest(&padded);
    let is_first_kind = revision == 2;
    for _ in 0..if is_first_kind { 0 } else { 50 } {
        hash = Md5::digest(hash);
    }
    let key = hash.get(..key_length).filter(|key| !key.is_empty())?;
    let mut text = locked.to_vec();
    for round in (0..if is_first_kind { 1 } else { 20_u8 }).rev() {
        let key: Vec<u8> = key.iter().map(|byte| byte ^ round).collect();
        text = rc4(&key, &text);
    }
    Some(text)
}

/// RC4, which is the same both ways.
fn rc4(key: &[u8], text: &[u8]) -> Vec<u8> {
    let mut state: [u8; 256] = std::array::from_fn(|at| u8::try_from(at).unwrap_or(0));
    let mut at = 0_u8;
    for (index, byte) in key.iter().cycle().take(256).enumerate() {
        let value = state.get(index).copied().unwrap_or(0);
        at = at.wrapping_add(value).wrapping_add(*byte);
        state.swap(index, usize::from(at));
    }
    let (mut left, mut right) = (0_u8, 0_u8);
    let value = |state: &[u8; 256], at: u8| state.get(usize::from(at)).copied().unwrap_or(0);
    text.iter()
        .map(|byte| {
            left = left.wrapping_add(1);
            right = right.wrapping_add(value(&state, left));
            state.swap(usize::from(left), usize::from(right));
            byte ^ value(&state, value(&state, left).wrapping_add(value(&state, right)))
        })
        .collect()
}

/// The dictionary that says how a file is encrypted; it is not itself encrypted, nor compressed.
fn encryption(file: &[u8]) -> Option<Dict<'_>> {
    const KEY: &[u8] = b"/Encrypt";
    let named = rfind(file, |at| {
        at.strip_prefix(KEY).is_some_and(|rest| !rest.first().is_some_and(u8::is_ascii_alphabetic))
    })?;
    let value = named.get(KEY.len()..)?.trim_ascii_start();
    if value.starts_with(b"<<") {
        return Dict::from_bytes(value);
    }
    let reference: Vec<Cow<'_, str>> = value
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
        .take(2)
        .map(String::from_utf8_lossy)
        .collect();
    let [number, generation] = reference.as_slice() else { return None };
    let (number, generation) = (number.parse::<u32>().ok()?, generation.parse::<u16>().ok()?);
    let begin = format!("{number} {generation} obj");
    // Not the end of a larger number.
    let object = rfind(file, |at| {
        at.split_first()
            .is_some_and(|(before, rest)| !before.is_ascii_digit() && rest.starts_with(begin.as_bytes()))
    })?;
    Dict::from_bytes(object.get(begin.len() + 1..)?.trim_ascii_start())
}

/// The rest of the bytes from the last place where it begins so.
fn rfind(bytes: &[u8], begins: impl Fn(&[u8]) -> bool) -> Option<&[u8]> {
    (0..bytes.len()).rev().filter_map(|at| bytes.get(at..)).find(|rest| begins(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_enciphered_as_published() {
        // The first vectors of the cipher's description.
        assert_eq!(rc4(b"Key", b"Plaintext"), [0xBB, 0xF3, 0x16, 0xE8, 0xD9, 0x40, 0xAF, 0x0A, 0xD3]);
        assert_eq!(rc4(b"Wiki", b"pedia"), [0x10, 0x21, 0xBF, 0x04, 0x20]);
    }

    #[test]
    fn a_file_without_encryption_has_no_password() {
        assert_eq!(user_password(b"%PDF-1.4 trailer << /Size 1 >>", "x"), None);
        assert_eq!(user_password(b"/Encrypt 7 0 R /EncryptMetadata", "x"), None);
        assert_eq!(user_password(b"/Encrypt << /R 3 /V 2 >>", "x"), None);
    }
}
