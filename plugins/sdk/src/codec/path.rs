//! Names as parts of paths and queries.

use crate::Failure;

/// As part of a path or query: everything but letters, digits and `-._~` percent-encoded.
pub fn escaped(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
            byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
            byte => format!("%{byte:02X}"),
        })
        .collect()
}

/// As one segment of a path. `what` is its name in the message, such as `the model's name`.
///
/// # Errors
/// A name that would lead elsewhere: `.`, `..`, or nothing.
pub fn segment(name: &str, what: &str) -> Result<String, Failure> {
    if matches!(name, "" | "." | "..") {
        return Err(Failure::invalid_request(format!("{what} can't be used in a URL")));
    }
    Ok(escaped(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_within_their_segment() {
        for (name, escaped) in
            [("gpt-5.2_a~", "gpt-5.2_a~"), ("a b/c?d#e%", "a%20b%2Fc%3Fd%23e%25"), ("é", "%C3%A9")]
        {
            assert_eq!(segment(name, "the name").unwrap(), escaped);
        }
        for name in ["", ".", ".."] {
            let failure = segment(name, "the model's name").unwrap_err();
            assert_eq!(failure.error.message, "the model's name can't be used in a URL");
        }
    }
}
