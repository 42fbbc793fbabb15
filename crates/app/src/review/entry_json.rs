//! Decisions as lines of JSON: a worksheet, decisions, or corrections as `evaluate` reads them.

use super::decision::{Action, How};
use super::entry::{Entry, EntryError, Written};
use super::worksheet::{COLUMNS, MORE_COLUMNS};
use crate::experiment::evaluate::{kind, moment_or_day};
use crate::value::is_blank;
use crate::value::prose::did_you_mean;
use serde_json::{Map, Value};

/// The members that a line may have beside the columns of a worksheet. `cluster` and `disputed` are of corrections, and of no use here;
/// `document_type` is the right type of a document.
const MORE_KEYS: [&str; 6] = ["action", "before", "cluster", "how", "disputed", "document_type"];

/// Reads every line. Errors are returned along with the entries that have none.
pub fn read_entry_lines(bytes: &[u8]) -> (Vec<Entry>, Vec<EntryError>) {
    let (mut entries, mut errors) = (Vec::new(), Vec::new());
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    for (line, text) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        if text.trim_ascii().is_empty() {
            continue;
        }
        match read_line(line, text) {
            Ok(entry) => entries.extend(Some(entry).filter(Entry::is_filled_in)),
            Err(error) => errors.push(error),
        }
    }
    (entries, errors)
}

fn read_line(line: u64, text: &[u8]) -> Result<Entry, EntryError> {
    let members: Map<String, Value> = match serde_json::from_slice(text) {
        Ok(Value::Object(members)) => members,
        Ok(_) => return Err(EntryError::of_line(line, "expected a JSON object with `document`")),
        Err(error) => {
            let message = format!("no JSON, at column {}", error.column());
            return Err(EntryError::of_line(line, message));
        }
    };
    let mut entry = Entry { line, ..Entry::default() };
    let known = || COLUMNS.into_iter().chain(MORE_COLUMNS).chain(MORE_KEYS);
    // A decision about a document as a whole names no field, and says so where it was exported.
    let names_none =
        |key: &str, value: &Value| key == "fields" && value.as_object().is_some_and(Map::is_empty);
    let is_known = |key: &str| known().any(|known| known == key);
    let unknown = members.iter().find(|(key, value)| !is_known(key) && !names_none(key, value));
    if let Some((unknown, _)) = unknown {
        let all = "expected `document`, `field`, `decision`, `after`, `comment`, `reviewer`";
        let guess = did_you_mean(unknown, known(), all);
        return Err(entry.error(unknown, format!("unknown key; {guess}")));
    }
    let text = |key: &str| match members.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.trim().to_owned()).filter(|text| !is_blank(text))),
        Some(other) => Err(entry.error(key, format!("expected text, found {}", kind(other)))),
    };
    let (action, decision) = (text("action")?, text("decision")?);
    let action = action.or(decision);
    let right_type = match action.as_deref().and_then(Action::written) {
        Some(Action::Retype) => text("document_type")?.map(Written::Cell),
        Some(_) | None => None,
    };
    let read = Entry {
        document: text("document")?,
        field: text("field")?,
        issue: text("issue")?,
        how: match text("how")?.as_deref() {
            None => None,
            Some("each") => Some(How::Each),
            Some("swept") => Some(How::Swept),
            Some(_) => return Err(entry.error("how", "expected `each` or `swept`")),
        },
        settles: match members.get("settles") {
            None | Some(Value::Null) => false,
            Some(Value::Bool(settles)) => *settles,
            Some(other) => {
                let message = format!("expected `true` or `false`, found {}", kind(other));
                return Err(entry.error("settles", message));
            }
        },
        comment: text("comment")?,
        reviewer: text("reviewer")?,
        shown: text("shown")?,
        at: text("at")?.map(|at| moment_or_day(&at).ok_or_else(|| no_moment(&entry))).transpose()?,
        spent_ms: match members.get("spent_ms") {
            None | Some(Value::Null) => None,
            Some(given) => Some(
                given
                    .as_u64()
                    .ok_or_else(|| entry.error("spent_ms", "expected whole milliseconds, such as 4200"))?,
            ),
        },
        before: members.get("before").or(members.get("value")).filter(|value| !value.is_null()).cloned(),
        after: members
            .get("after")
            .filter(|value| !value.is_null())
            .cloned()
            .map(Written::Json)
            .or(right_type),
        action,
        ..entry.clone()
    };
    entry = read;
    // A correction gives the right value and no action. Empty members of a worksheet are not a correction.
    let is_worksheet = members.contains_key("decision") || members.contains_key("action");
    if entry.action.is_none() && !is_worksheet && members.contains_key("after") && entry.field.is_some() {
        let action = match (members.get("after"), members.get("before")) {
            (Some(Value::Null), _) => Action::NotPresent,
            (Some(after), Some(before)) if after == before => Action::Accept,
            (Some(_), Some(Value::Null)) => Action::Missed,
            _ => Action::Edit,
        };
        entry.after = entry.after.filter(|_| action.needs_after());
        entry.action = Some(action.as_str().to_owned());
    }
    Ok(entry)
}

fn no_moment(entry: &Entry) -> EntryError {
    entry.error("at", "expected a moment such as `2026-11-25T09:30:00Z`, or a day such as `2026-11-25`")
}
