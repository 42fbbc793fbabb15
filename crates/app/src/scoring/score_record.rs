//! One line of a `.jsonl` of extractions to score.

use crate::diag::nearest;
use crate::exchange::checked_quotes;
use crate::score::Quotes;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

/// The keys of a record.
pub(super) const KEYS: [&str; 7] =
    ["id", "document_type", "extraction", "source", "given", "evidence", "labels"];

/// One record. Its extraction is text: how much of it is read depends on the type of the document, which may come after
/// it.
pub struct ScoreRecord<'l> {
    /// The name that the answer repeats.
    pub id: Value,
    /// The type of the document.
    pub document_type: Option<Cow<'l, str>>,
    /// The extraction, as JSON.
    pub extraction: &'l str,
    /// The text of the document.
    pub source: Option<Cow<'l, str>>,
    /// The scores that are given, by their dimensions.
    pub given: BTreeMap<String, f64>,
    /// The quotes given as evidence.
    pub quotes: Quotes,
    /// The right and wrong values of the extraction, which only `calibrate --evidence` reads.
    labels: Option<&'l RawValue>,
    /// Keys that mean nothing here: a pipeline's own, or slips.
    pub ignored: Vec<Cow<'l, str>>,
}

/// The members of a record, not yet parsed.
#[derive(Default)]
struct RecordMembers<'l> {
    known: [Option<&'l RawValue>; KEYS.len()],
    ignored: Vec<Cow<'l, str>>,
}

/// A text that is borrowed where it has no escapes.
#[derive(Deserialize)]
struct BorrowedText<'l>(#[serde(borrow)] Cow<'l, str>);

impl<'l> ScoreRecord<'l> {
    /// Reads one line; the error says what is wrong with it, without quoting it.
    pub fn parse(line: &'l [u8]) -> Result<Self, String> {
        // An error at the end of the line is in its last column, not in the first of the next line.
        let line = without_mark(line).trim_ascii_end();
        let members = match std::str::from_utf8(line) {
            Ok(text) => serde_json::from_str::<RecordMembers<'l>>(text),
            // The parser reports where it is not text.
            Err(_) => serde_json::from_slice::<Value>(line).map(|_| RecordMembers::default()),
        };
        let RecordMembers { known, ignored } = members.map_err(|error| match error.is_data() {
            true => "expected a JSON object".to_owned(),
            false => in_column(0, &error),
        })?;
        let [id, document_type, extraction, source, given, evidence, labels] =
            known.map(|member| member.filter(|member| member.get() != "null"));
        // An error in a member is this many bytes after the beginning of the line.
        let value = |member: &'l RawValue| -> Result<Value, String> {
            let before = offset(line, member.get());
            serde_json::from_str(member.get()).map_err(|error| in_column(before, &error))
        };
        let text = |member: Option<&'l RawValue>, key: &str| match member {
            None => Ok(None),
            Some(member) => match serde_json::from_str::<BorrowedText<'l>>(member.get()) {
                Ok(BorrowedText(text)) => Ok(Some(text)),
                Err(error) if error.is_data() => Err(format!("expected text under `{key}`")),
                Err(error) => Err(in_column(offset(line, member.get()), &error)),
            },
        };
        let id = value(id.ok_or("the record lacks `id`")?)?;
        let extraction = extraction.ok_or("the record lacks `extraction`")?.get();
        let (document_type, source) = (text(document_type, "document_type")?, text(source, "source")?);
        let given = match given {
            None => BTreeMap::new(),
            Some(given) => serde_json::from_value(value(given)?)
                .map_err(|_| "expected a mapping from dimensions to numbers under `given`".to_owned())?,
        };
        let quotes = match evidence {
            None => Quotes::default(),
            Some(evidence) => checked_quotes(&value(evidence)?).map_err(|why| format!("evidence: {why}"))?,
        };
        Ok(ScoreRecord { id, document_type, extraction, source, given, quotes, labels, ignored })
    }

    /// A record without labels.
    pub(super) fn unlabelled(id: Value, extraction: &'l str, source: Option<&'l str>) -> Self {
        ScoreRecord {
            id,
            document_type: None,
            extraction,
            source: source.map(Cow::Borrowed),
            given: BTreeMap::new(),
            quotes: Quotes::default(),
            labels: None,
            ignored: Vec::new(),
        }
    }

    /// The labels: whether the value at a JSON Pointer is right.
    pub fn labels(&self) -> Result<BTreeMap<String, bool>, String> {
        let labels = self.labels.ok_or("the record lacks `labels`")?;
        let read: BTreeMap<String, Value> = serde_json::from_str(labels.get()).map_err(|_| {
            "expected a mapping from JSON Pointers to `right` or `wrong` under `labels`".to_owned()
        })?;
        let label = |(path, said): (String, Value)| match said.as_str() {
            Some("right") => Ok((path, true)),
            Some("wrong") => Ok((path, false)),
            found => {
                let help = found.and_then(|found| nearest(found, ["right", "wrong"]));
                let help = help.map_or_else(String::new, |guess| format!("; did you mean `{guess}`?"));
                Err(format!("the label of `{path}` is neither `right` nor `wrong`{help}"))
            }
        };
        read.into_iter().map(label).collect()
    }
}

/// The error in the extraction of a record.
pub(super) fn in_extraction(line: &[u8], extraction: &str, error: &serde_json::Error) -> String {
    in_column(offset(without_mark(line), extraction), error)
}

/// The number of bytes of a line before a part of it.
fn offset(line: &[u8], part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(line.as_ptr() as usize)
}

fn in_column(before: usize, error: &serde_json::Error) -> String {
    format!("column {}: {}", before + error.column(), reason(error))
}

/// The message of serde, without the position that it appends.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split_once(" at line ").map_or(text.clone(), |(reason, _)| reason.to_owned())
}

/// Strips the byte order mark that some editors put first.
pub fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

impl<'de: 'l, 'l> Deserialize<'de> for RecordMembers<'l> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OfRecord;

        impl<'de> Visitor<'de> for OfRecord {
            type Value = RecordMembers<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
                let mut found = RecordMembers::default();
                while let Some(BorrowedText(key)) = members.next_key()? {
                    let value: &'de RawValue = members.next_value()?;
                    let place = KEYS.iter().position(|known| *known == key);
                    match place.and_then(|place| found.known.get_mut(place)) {
                        Some(place) => *place = Some(value),
                        None => found.ignored.push(key),
                    }
                }
                Ok(found)
            }
        }

        deserializer.deserialize_map(OfRecord)
    }
}
