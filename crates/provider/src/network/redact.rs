//! Removes a secret from a text, however the text spells it: as it is, with the escapes of JSON (of JSON within JSON,
//! too), percent-encoded, with the references of HTML, or in Base64. Servers repeat keys in any of these, and codecs
//! undo the first.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use serde_json::Value;

/// Written instead of a secret.
const MARK: &str = "[secret]";

/// Most backslashes before one character: those of JSON within JSON within JSON.
const MOST_BACKSLASHES: usize = 7;

/// `text` without `secret`, which is ASCII, as everything sent in a header is.
pub(super) fn without(text: String, secret: &str) -> String {
    in_base64(secret).iter().fold(without_spelled(text, secret), |text, core| without_spelled(text, core))
}

/// The substrings of which one is in the Base64 of any text that holds the secret, in both alphabets: the text before
/// it may end at any of the three positions in a group. Characters that also hold bits of a neighbour are left out.
fn in_base64(secret: &str) -> Vec<String> {
    let mut cores = Vec::new();
    for before in 0..3_usize {
        let bytes = [vec![0; before], secret.as_bytes().to_vec()].concat();
        let (from, to) = ((before * 8).div_ceil(6), bytes.len() * 8 / 6);
        for alphabet in [STANDARD_NO_PAD, URL_SAFE_NO_PAD] {
            let core = alphabet.encode(&bytes).get(from..to).unwrap_or_default().to_owned();
            if !core.is_empty() && !cores.contains(&core) {
                cores.push(core);
            }
        }
    }
    cores
}

/// `text` without `secret` where it is a word of its own. Of JSON only the texts are inspected, which people read: a
/// short secret may look like anything else in it.
pub(super) fn without_word(text: String, secret: &str) -> String {
    match serde_json::from_str::<Value>(&text) {
        Ok(mut json) => {
            let mut found = false;
            in_texts(&mut json, secret, &mut found);
            if found { json.to_string() } else { text }
        }
        Err(_) => words_replaced(&text, secret).unwrap_or(text),
    }
}

fn in_texts(json: &mut Value, secret: &str, found: &mut bool) {
    match json {
        Value::String(text) => {
            if let Some(clean) = words_replaced(text, secret) {
                *text = clean;
                *found = true;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| in_texts(item, secret, found)),
        Value::Object(members) => members.values_mut().for_each(|member| in_texts(member, secret, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn words_replaced(text: &str, secret: &str) -> Option<String> {
    let joins = |neighbour: Option<char>| neighbour.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let mut clean = String::new();
    let mut kept = 0;
    for (at, _) in text.match_indices(secret) {
        let (before, after) = (text.get(..at)?, text.get(at + secret.len()..)?);
        if !joins(before.chars().next_back()) && !joins(after.chars().next()) {
            clean.push_str(text.get(kept..at)?);
            clean.push_str(MARK);
            kept = at + secret.len();
        }
    }
    (kept > 0).then(|| clean + text.get(kept..).unwrap_or_default())
}

fn without_spelled(text: String, secret: &str) -> String {
    let Some(first) = secret.bytes().next() else { return text };
    let bytes = text.as_bytes();
    let mut clean = String::new();
    let (mut kept, mut at) = (0, 0);
    while let Some(&byte) = bytes.get(at) {
        if byte == b'\\' && first != byte {
            // Of a long row only the last few can belong to the secret.
            let row = run_of_backslashes(bytes.get(at..).unwrap_or_default(), usize::MAX);
            at += row.saturating_sub(MOST_BACKSLASHES);
        }
        let may_begin = byte == first || matches!(byte, b'\\' | b'%' | b'&');
        match may_begin.then(|| spelled(bytes.get(at..).unwrap_or_default(), secret)).flatten() {
            Some(length) => {
                // All of it is ASCII, so both ends are boundaries of characters.
                clean.push_str(text.get(kept..at).unwrap_or_default());
                clean.push_str(MARK);
                at += length;
                kept = at;
            }
            None => at += 1,
        }
    }
    if kept == 0 {
        return text;
    }
    clean.push_str(text.get(kept..).unwrap_or_default());
    clean
}

/// The number of bytes at the beginning of `text` that spell the secret, if they do.
fn spelled(text: &[u8], secret: &str) -> Option<usize> {
    let mut at = 0;
    let mut rest = secret.as_bytes();
    while let Some((&wanted, behind)) = rest.split_first() {
        let left = text.get(at..)?;
        if wanted == b'\\' {
            let wants = run_of_backslashes(rest, usize::MAX);
            rest = rest.get(wants..)?;
            at += backslashes(left, wants, rest)?;
        } else {
            rest = behind;
            at += character(left, wanted, rest)?;
        }
    }
    Some(at)
}

/// The number of bytes that spell so many backslashes in a row, before `behind` of the secret. Each level of JSON
/// doubles them; the rest belongs to the character behind.
fn backslashes(text: &[u8], wanted: usize, behind: &[u8]) -> Option<usize> {
    let each = |spelling: fn(&[u8]) -> Option<usize>| {
        (0..wanted).try_fold(0, |at, _| Some(at + spelling(text.get(at..)?)?))
    };
    let run = run_of_backslashes(text, wanted.saturating_mul(MOST_BACKSLASHES + 1));
    let doubled = run.checked_div(wanted).and_then(usize::checked_ilog2).map(|levels| wanted << levels);
    // A secret may itself hold what looks like a code.
    let coded = || each(|text| coded(text, b'\\')).filter(|_| !behind.starts_with(b"u"));
    coded()
        .or(doubled)
        .or_else(|| each(|text| percent(text, b'\\')))
        .or_else(|| each(|text| reference(text, b'\\')))
}

/// The number of bytes at the beginning of `text` that spell this character, before `behind` of the secret.
fn character(text: &[u8], wanted: u8, behind: &[u8]) -> Option<usize> {
    // These are literal, and begin codes; a secret may itself hold what looks like a code.
    let code = match wanted {
        b'%' if !behind.starts_with(b"25") => percent(text, wanted),
        b'&' if !behind.starts_with(b"amp;") && !behind.starts_with(b"#") => reference(text, wanted),
        _ => None,
    };
    if code.is_some() {
        return code;
    }
    if text.first() == Some(&wanted) {
        return Some(1);
    }
    match text.first()? {
        b'%' => percent(text, wanted),
        b'&' => reference(text, wanted),
        b'\\' => coded(text, wanted).or_else(|| {
            let backslashes = run_of_backslashes(text, MOST_BACKSLASHES);
            // A letter behind a backslash is another character.
            let itself = text.get(backslashes) == Some(&wanted) && !wanted.is_ascii_alphanumeric();
            itself.then_some(backslashes + 1)
        }),
        _ => None,
    }
}

/// `\u002f`, behind as many backslashes as JSON within JSON has.
fn coded(text: &[u8], wanted: u8) -> Option<usize> {
    let backslashes = run_of_backslashes(text, MOST_BACKSLASHES);
    let code = text.get(backslashes..)?.strip_prefix(b"u")?.get(..4)?;
    (backslashes > 0 && number(code, 16) == Some(u32::from(wanted))).then_some(backslashes + 5)
}

fn run_of_backslashes(text: &[u8], most: usize) -> usize {
    text.iter().take(most).take_while(|byte| **byte == b'\\').count()
}

/// `%2F`
fn percent(text: &[u8], wanted: u8) -> Option<usize> {
    let code = text.strip_prefix(b"%")?.get(..2)?;
    (number(code, 16) == Some(u32::from(wanted))).then_some(3)
}

/// `&#47;`, `&#x2F;` or a name.
fn reference(text: &[u8], wanted: u8) -> Option<usize> {
    let inside = text.strip_prefix(b"&")?;
    let length = inside.iter().take(8).position(|byte| *byte == b';')?;
    let name = inside.get(..length)?;
    let is_it = match name {
        b"amp" => wanted == b'&',
        b"lt" => wanted == b'<',
        b"gt" => wanted == b'>',
        b"quot" => wanted == b'"',
        b"apos" => wanted == b'\'',
        _ => {
            let code = name.strip_prefix(b"#")?;
            let hex = code.strip_prefix(b"x").or_else(|| code.strip_prefix(b"X"));
            hex.map_or_else(|| number(code, 10), |hex| number(hex, 16)) == Some(u32::from(wanted))
        }
    };
    is_it.then_some(length + 2)
}

fn number(digits: &[u8], radix: u32) -> Option<u32> {
    let digits = std::str::from_utf8(digits).ok()?;
    // `from_str_radix` takes a sign as well.
    if digits.starts_with('+') { None } else { u32::from_str_radix(digits, radix).ok() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    const SECRET: &str = r#"sk-A/b+c="d\e&<f>'%g"#;

    fn percent_encoded(text: &str, all: bool) -> String {
        let plain = |byte: &u8| !all && (byte.is_ascii_alphanumeric() || b"-_.~".contains(byte));
        text.bytes()
            .map(|byte| if plain(&byte) { char::from(byte).to_string() } else { format!("%{byte:02x}") })
            .collect()
    }

    #[test]
    fn every_spelling_is_found() {
        let json = json!(SECRET).to_string();
        let slashes = json.replace('/', r"\/").replace('+', r"\u002B");
        let escaped: String = SECRET.bytes().map(|byte| format!(r"\u{byte:04x}")).collect();
        let html = SECRET.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let html = html.replace('"', "&quot;").replace('\'', "&#39;").replace('/', "&#x2F;");
        for spelling in [
            SECRET.to_owned(),
            json.trim_matches('"').to_owned(),
            slashes.trim_matches('"').to_owned(),
            json!(json).to_string().replace(r#""\""#, "").replace(r#"\"""#, ""),
            json!(slashes).to_string().replace(r#""\""#, "").replace(r#"\"""#, ""),
            escaped.clone(),
            json!(escaped).to_string().trim_matches('"').to_owned(),
            percent_encoded(SECRET, false),
            percent_encoded(SECRET, true).to_uppercase(),
            html,
        ] {
            let text = format!("é{spelling}, {spelling}{spelling}\n");
            assert_eq!(without(text, SECRET), "é[secret], [secret][secret]\n", "{spelling}");
        }
    }

    #[test]
    fn what_is_no_secret_is_left_alone() {
        for text in
            ["", r"sk-A/b+c=\", r"\\\\\\\\\\\\u0073", "%", "%7", "&#", "&", r"\u", r"\u00", "sk-sk-A/b&#43"]
        {
            assert_eq!(without(text.to_owned(), SECRET), text);
        }
        assert_eq!(without("abc".to_owned(), ""), "abc");
    }

    #[test]
    fn base64_of_it_and_its_neighbours_is_found() {
        for before in ["", "u:", "user:", "customer:"] {
            for after in ["", ".", ":x"] {
                let whole = format!("{before}{SECRET}{after}");
                for encoded in [STANDARD_NO_PAD.encode(&whole), URL_SAFE_NO_PAD.encode(&whole)] {
                    let clean = without(json!(format!("Basic {encoded}==")).to_string(), SECRET);
                    assert!(clean.len() < 45 && clean.contains(MARK), "{clean}");
                }
            }
        }
    }

    #[test]
    fn a_short_secret_is_taken_out_where_it_is_a_word_of_its_own() {
        for (text, clean) in [
            ("bad key: none!", "bad key: [secret]!"),
            ("nonetheless, none_of it, done", "nonetheless, none_of it, done"),
            (
                r#"{"key":"none","error":["no \"none\""]}"#,
                r#"{"key":"[secret]","error":["no \"[secret]\""]}"#,
            ),
            (r#"{ "type": "nonesuch" }"#, r#"{ "type": "nonesuch" }"#),
        ] {
            assert_eq!(without_word(text.to_owned(), "none"), clean);
        }
        assert_eq!(
            without_word(r#"{"code":1234,"m":"1234"}"#.to_owned(), "1234"),
            r#"{"code":1234,"m":"[secret]"}"#
        );
    }

    #[test]
    fn json_stays_json() {
        let text = json!({ "message": format!("C:\\{SECRET}\n\"{SECRET}\""), "n": 1 }).to_string();
        let clean: Value = serde_json::from_str(&without(text, SECRET)).unwrap();
        assert_eq!(clean["n"], 1);
        assert!(!clean["message"].as_str().unwrap().contains("sk-"), "{clean}");
    }

    proptest! {
        #[test]
        fn a_secret_in_json_is_always_found(
            secret in "[!#-~][!-~]{6,18}[!#-~]".prop_filter("begins with a backslash", |secret| !secret.starts_with('\\')),
            before in "\\PC{0,6}",
            after in "\\PC{0,6}",
            nested in 0..3_usize,
        ) {
            let mut text = json!({ "a": format!("{before} {secret} {after}") }).to_string();
            for _ in 0..nested {
                text = json!({ "b": text }).to_string();
            }
            let clean = without(text, &secret);
            let mut read: Value = serde_json::from_str(&clean).unwrap();
            for _ in 0..nested {
                read = serde_json::from_str(read["b"].as_str().unwrap()).unwrap();
            }
            prop_assert!(!read["a"].as_str().unwrap().contains(&secret), "{}", read);
        }

        #[test]
        fn any_text_is_taken(text in "[\\\\%&#x;su0-7/\\u{e9}]{0,40}", secret in "[\\\\%&/a-z]{1,9}") {
            let clean = without(text.clone(), &secret);
            prop_assert!(clean != text || !text.contains(&secret));
        }
    }
}
