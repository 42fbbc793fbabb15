//! How documents are named in addresses.

use std::fmt::Write as _;

/// A part of a path, or a value of a query: every byte that could mean something there is written by its number.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            escaped.push(char::from(byte));
        } else {
            let _ = write!(escaped, "%{byte:02X}");
        }
    }
    // A part of one or two dots would be a step to another folder.
    match escaped.as_str() {
        "." => "%2E".to_owned(),
        ".." => "%2E%2E".to_owned(),
        _ => escaped,
    }
}

/// The address of a document's page.
pub(super) fn of_document(run: &str, document: &str) -> String {
    format!("/review/{}/{}", escaped(run), escaped(document))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_name_leaves_its_place() {
        assert_eq!(of_document("r-1", "a/b c?d#ü"), "/review/r-1/a%2Fb%20c%3Fd%23%C3%BC");
        assert_eq!(of_document("r", ".."), "/review/r/%2E%2E");
    }
}
