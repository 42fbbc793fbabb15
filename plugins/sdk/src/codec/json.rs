//! JSON as servers send it.

use std::borrow::Cow;

use serde_json::Value;

/// Reads JSON in which a text may hold half a surrogate pair (`\ud83d` alone, as where a text was cut in the middle of a
/// character): JSON's grammar allows it, no text can hold it, and the replacement character (U+FFFD) replaces it.
///
/// # Errors
/// Text that isn't JSON.
pub fn lenient_json(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str(text).or_else(|error| match mended(text) {
        Cow::Owned(mended) => serde_json::from_str(&mended).map_err(|_| error),
        Cow::Borrowed(_) => Err(error),
    })
}

/// Bytes of `\uXXXX`.
const ESCAPE: usize = 6;

/// With `\ufffd` for each escape that is half a pair.
fn mended(json: &str) -> Cow<'_, str> {
    let mut out = String::new();
    // The position up to which it has been copied.
    let mut from = 0;
    let mut at = 0;
    while let Some(found) = json.get(at..).and_then(|rest| rest.find('\\')) {
        let here = at + found;
        at = match unit(json, here) {
            // An escape of another kind, which may be of a backslash. What follows one is ASCII in JSON.
            None => here + if json.is_char_boundary(here + 2) { 2 } else { 1 },
            Some(0xd800..=0xdbff) if matches!(unit(json, here + ESCAPE), Some(0xdc00..=0xdfff)) => {
                here + 2 * ESCAPE
            }
            Some(0xd800..=0xdfff) => {
                out.push_str(json.get(from..here).unwrap_or_default());
                out.push_str("\\ufffd");
                from = here + ESCAPE;
                from
            }
            Some(_) => here + ESCAPE,
        };
    }
    if from == 0 {
        return Cow::Borrowed(json);
    }
    out.push_str(json.get(from..).unwrap_or_default());
    Cow::Owned(out)
}

/// The unit of UTF-16 that an escape here represents.
fn unit(json: &str, at: usize) -> Option<u16> {
    let digits = json.get(at..at + ESCAPE)?.strip_prefix("\\u")?;
    u16::from_str_radix(digits, 16).ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_pair_is_read_as_the_replacement_character() {
        for (json, text) in [
            (r#""a\ud800""#, "a\u{fffd}"),
            (r#""\udc00b""#, "\u{fffd}b"),
            (r#""\uD83D\uD83D\uDE00""#, "\u{fffd}😀"),
            (r#""\ud83d\u00e9""#, "\u{fffd}é"),
            (r#""\ud83d😀\n""#, "\u{fffd}😀\n"),
            (r#""\ud83d\ude00\ude00""#, "😀\u{fffd}"),
            // A backslash, and then letters.
            (r#""\\ud800 \ud800""#, "\\ud800 \u{fffd}"),
            (r#""\\\ud800""#, "\\\u{fffd}"),
            (r#""\ud83d\ude00""#, "😀"),
        ] {
            assert_eq!(lenient_json(json).unwrap(), Value::from(text), "{json}");
        }
    }

    #[test]
    fn what_is_no_json_stays_none() {
        for broken in
            [r#""\ud800"#, r#""\ud8"#, r#""\ud80é""#, "\\", "\\é", r#"{"a": "\ud800", }"#, "", "<html>"]
        {
            assert!(lenient_json(broken).is_err(), "{broken}");
        }
    }
}
