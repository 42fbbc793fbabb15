//! A record of a list: `{"id": …, "text": …}` or `{"id": …, "path": …}`, on one line.

use crate::diag::nearest;
use crate::value::{kind_in_words, sanitize_line};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;

/// The keys of a record.
const KEYS: [&str; 5] = ["id", "text", "path", "document_type", "variables"];

/// Other names for them.
const SYNONYMS: [(&str, &str); 14] = [
    ("body", "text"),
    ("content", "text"),
    ("contents", "text"),
    ("document", "text"),
    ("input", "text"),
    ("source", "text"),
    ("file", "path"),
    ("file_name", "path"),
    ("filename", "path"),
    ("type", "document_type"),
    ("document_id", "id"),
    ("doc_id", "id"),
    ("name", "id"),
    ("vars", "variables"),
];

/// The longest id, in characters.
const LONGEST_ID: usize = 500;

/// The most of a key or name that is shown, in characters.
const MOST_SHOWN: usize = 40;

/// A document that a line describes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ListedDocument {
    /// Its name; a record with a path may do without.
    pub id: Option<String>,
    /// Its text, or the file that holds it.
    pub content: Content,
    /// Its type, where it is known.
    pub document_type: Option<String>,
    /// Variables of prompts.
    pub variables: BTreeMap<String, String>,
}

/// The text of a record, or the file that holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content {
    /// The text itself.
    Text(String),
    /// The path of the file.
    Path(String),
}

/// The problem with a line. It says nothing about what the text holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BadRecord {
    pub problem: String,
    pub help: Option<String>,
}

impl From<String> for BadRecord {
    fn from(problem: String) -> Self {
        BadRecord { problem, help: None }
    }
}

/// Returns whether a line is meant to be a record, and not a path.
pub(super) fn looks_like_record(line: &[u8]) -> bool {
    line.trim_ascii_start().starts_with(b"{")
}

/// Returns whether bytes are several records, one on each line.
pub(super) fn are_records(bytes: &[u8]) -> bool {
    /// Enough to know.
    const LOOKED_AT: usize = 8;
    let lines = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    let mut seen = 0;
    for line in lines.take(LOOKED_AT) {
        let members = looks_like_record(line).then(|| serde_json::from_slice::<Members>(line).ok()).flatten();
        let has =
            |key: &str| members.as_ref().is_some_and(|found| found.0.iter().any(|(name, _)| name == key));
        if !has("text") && !has("path") {
            return false;
        }
        seen += 1;
    }
    seen > 1
}

impl ListedDocument {
    /// Reads one line.
    pub(super) fn parse(line: &[u8]) -> Result<Self, BadRecord> {
        let line = line.trim_ascii_end();
        if !looks_like_record(line) {
            return Err("expected a JSON object".to_owned().into());
        }
        let Members(members) = serde_json::from_slice(line).map_err(|error| BadRecord {
            problem: format!("this is not JSON (column {}: {})", error.column(), reason(&error)),
            help: (error.classify() == serde_json::error::Category::Eof)
                .then(|| "a record is a JSON object on one line".to_owned()),
        })?;
        let mut found: [Option<Value>; KEYS.len()] = Default::default();
        for (key, value) in members {
            let place = KEYS.iter().position(|known| *known == key);
            let Some(place) = place.and_then(|place| found.get_mut(place)) else { return Err(unknown(&key)) };
            if place.replace(value).is_some() {
                return Err(format!("the record has `{key}` twice").into());
            }
        }
        let [id, text, path, document_type, variables] = found.map(|value| value.filter(|v| !v.is_null()));
        let content = match (text, path) {
            (Some(text), None) => Content::Text(texts(text, "text")?),
            (None, Some(path)) => Content::Path(texts(path, "path")?),
            (Some(_), Some(_)) => {
                return Err("the record has `text` and `path`: one of them is meant".to_owned().into());
            }
            (None, None) => return Err("the record has neither `text` nor `path`".to_owned().into()),
        };
        if matches!(&content, Content::Path(path) if path.is_empty() || path.contains('\0')) {
            return Err("expected a path under `path`".to_owned().into());
        }
        let id = id.map(as_id).transpose()?;
        if id.is_none() && matches!(content, Content::Text(_)) {
            return Err("the record lacks `id`, and its text has no other name".to_owned().into());
        }
        let document_type = document_type.map(|value| texts(value, "document_type")).transpose()?;
        let variables = variables.map(as_variables).transpose()?.unwrap_or_default();
        Ok(ListedDocument { id, content, document_type, variables })
    }
}

fn unknown(key: &str) -> BadRecord {
    let synonym = SYNONYMS.iter().find(|(other, _)| key.eq_ignore_ascii_case(other)).map(|(_, meant)| *meant);
    let help = match synonym.or_else(|| nearest(key, KEYS)) {
        Some(guess) => format!("did you mean `{guess}`?"),
        None => format!("known: {}", KEYS.map(|key| format!("`{key}`")).join(", ")),
    };
    BadRecord { problem: format!("unknown key `{}` in this record", shown(key)), help: Some(help) }
}

fn shown(name: &str) -> String {
    let cut: String = name.chars().take(MOST_SHOWN).collect();
    let more = if cut.len() < name.len() { "…" } else { "" };
    sanitize_line(&cut) + more
}

fn texts(value: Value, key: &str) -> Result<String, BadRecord> {
    match value {
        Value::String(text) => Ok(text),
        other => Err(format!("expected text under `{key}`, found {}", kind_in_words(&other)).into()),
    }
}

/// Reads an id. Numbers of databases are ids, too.
fn as_id(value: Value) -> Result<String, BadRecord> {
    let id = match value {
        Value::String(text) => text,
        Value::Number(number) => number.to_string(),
        other => return Err(format!("expected text under `id`, found {}", kind_in_words(&other)).into()),
    };
    if id.trim().is_empty() {
        Err("the `id` is empty".to_owned().into())
    } else if id.chars().count() > LONGEST_ID {
        Err(format!("the `id` has more than {LONGEST_ID} characters").into())
    } else {
        Ok(id)
    }
}

fn as_variables(value: Value) -> Result<BTreeMap<String, String>, BadRecord> {
    let Value::Object(members) = value else {
        return Err(format!("expected an object under `variables`, found {}", kind_in_words(&value)).into());
    };
    let text = |(name, value): (String, Value)| match value {
        Value::String(text) => Ok((name, text)),
        Value::Number(number) => Ok((name, number.to_string())),
        Value::Bool(flag) => Ok((name, flag.to_string())),
        other => {
            let problem =
                format!("expected text for the variable `{}`, found {}", shown(&name), kind_in_words(&other));
            Err(problem.into())
        }
    };
    members.into_iter().map(text).collect()
}

/// The message of serde, without the position that it appends.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split_once(" at line ").map_or(text.clone(), |(reason, _)| reason.to_owned())
}

/// The members of an object in their order, also those that come twice.
struct Members(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OfRecord;

        impl<'de> Visitor<'de> for OfRecord {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
                let mut found = Vec::new();
                while let Some(member) = members.next_entry()? {
                    found.push(member);
                }
                Ok(Members(found))
            }
        }

        deserializer.deserialize_map(OfRecord)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn wrong(line: &str) -> String {
        let bad = ListedDocument::parse(line.as_bytes()).unwrap_err();
        bad.problem + bad.help.map_or_else(String::new, |help| format!("; {help}")).as_str()
    }

    #[test]
    fn a_record_is_read() {
        let line = br#"{"id": 7, "text": "a\nb", "document_type": "pathology", "variables": {"ward": "3", "n": 2, "x": true}}"#;
        let record = ListedDocument::parse(line).unwrap();
        assert_eq!((record.id.as_deref(), &record.content), (Some("7"), &Content::Text("a\nb".into())));
        assert_eq!(record.document_type.as_deref(), Some("pathology"));
        let variables: Vec<_> =
            record.variables.iter().map(|(name, text)| format!("{name}={text}")).collect();
        assert_eq!(variables, ["n=2", "ward=3", "x=true"]);
        let record = ListedDocument::parse(br#"{"path": "a/b.txt", "id": null, "text": null}"#).unwrap();
        assert_eq!((record.id, record.content), (None, Content::Path("a/b.txt".into())));
    }

    #[test]
    fn every_mistake_is_told_apart_and_no_text_is_quoted() {
        let long = format!(r#"{{"id": "{}", "text": ""}}"#, "x".repeat(LONGEST_ID + 1));
        let said: Vec<String> = [
            "reports/a.txt",
            "[1]",
            r#"{"id": "a", "text": "Secret"#,
            r#"{"id": "a", "text": Secret}"#,
            r#"{"id": "a", "text": "x"} {"id": "b"}"#,
            r#"{"id": "a", "txet": "Secret"}"#,
            r#"{"id": "a", "content": "Secret"}"#,
            r#"{"id": "a", "text": "x", "colour": "Secret"}"#,
            r#"{"id": "a", "text": "x", "path": "y"}"#,
            r#"{"id": "a"}"#,
            r#"{"text": "Secret"}"#,
            r#"{"id": "a", "text": 5}"#,
            r#"{"id": ["a"], "text": "x"}"#,
            r#"{"id": " ", "text": "x"}"#,
            r#"{"id": "a", "path": ""}"#,
            r#"{"id": "a", "text": "x", "text": "y"}"#,
            r#"{"id": "a", "text": "x", "variables": []}"#,
            r#"{"id": "a", "text": "x", "variables": {"v": {}}}"#,
            r#"{"id": "a", "text": "x", "document_type": 3}"#,
            &long,
        ]
        .iter()
        .map(|line| wrong(line))
        .collect();
        insta::assert_snapshot!(said.join("\n"), @"
        expected a JSON object
        expected a JSON object
        this is not JSON (column 27: EOF while parsing a string); a record is a JSON object on one line
        this is not JSON (column 21: expected value)
        this is not JSON (column 26: trailing characters)
        unknown key `txet` in this record; did you mean `text`?
        unknown key `content` in this record; did you mean `text`?
        unknown key `colour` in this record; known: `id`, `text`, `path`, `document_type`, `variables`
        the record has `text` and `path`: one of them is meant
        the record has neither `text` nor `path`
        the record lacks `id`, and its text has no other name
        expected text under `text`, found a number
        expected text under `id`, found a list
        the `id` is empty
        expected a path under `path`
        the record has `text` twice
        expected an object under `variables`, found a list
        expected text for the variable `v`, found an object
        expected text under `document_type`, found a number
        the `id` has more than 500 characters
        ");
        assert!(!said.join("").contains("Secret"));
    }

    #[test]
    fn several_records_are_told_from_one_document() {
        assert!(are_records(b"{\"id\": 1, \"text\": \"a\"}\r\n\n{\"path\": \"b\"}\n"));
        for one in [
            &b"{\"text\": \"a\"}\n"[..],
            b"{\n\"text\": \"a\"\n}\n",
            b"a report\nof two lines",
            b"{\"text\": 1}\nand more",
            b"{\"level\": 1}\n{\"level\": 2}\n",
            b"",
        ] {
            assert!(!are_records(one), "{}", String::from_utf8_lossy(one));
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes: Vec<u8>) {
            let _ = ListedDocument::parse(&bytes);
            let _ = are_records(&bytes);
        }

        #[test]
        fn what_was_written_is_read(id in "[a-z]{1,8}", text: String) {
            let line = serde_json::json!({ "id": id, "text": text }).to_string();
            let record = ListedDocument::parse(line.as_bytes()).unwrap();
            prop_assert_eq!(record.id.as_deref(), Some(id.as_str()));
            prop_assert_eq!(record.content, Content::Text(text));
        }
    }
}
