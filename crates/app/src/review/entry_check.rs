//! Checks rows that were filled in, and turns those without errors into decisions.

use super::decision::{Action, Decision, DecisionContent};
use super::document::ReviewDocument;
use super::entry::{Entry, EntryError, Written};
use super::field_path::{FieldPath, NoPlace};
use super::questions::Unanswered;
use super::reviewed::{FieldReview, Reviewed, standing};
use super::typed_value::{FieldType, shown};
use crate::score::ValueComparison;
use crate::value::prose::{did_you_mean, first_listed, listed};
use crate::value::{MAX_STEPS, digest_bytes, is_present};
use jiff::Timestamp;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The context that rows are checked against.
pub struct EntryContext<'a> {
    /// The documents of the run that rows name.
    pub documents: &'a BTreeMap<String, &'a ReviewDocument>,
    /// The ids of all documents of the run, to guess among.
    pub known: &'a [String],
    /// The reviewer, where a row does not name one.
    pub reviewer: Option<&'a str>,
    /// The time, where a row does not have one.
    pub now: Timestamp,
    /// Compares values of the profile's fields.
    pub comparison: Option<ValueComparison<'a>>,
}

/// The outcome of checking rows.
#[derive(Debug, Default)]
pub struct CheckedEntries {
    /// The decisions, in the order of their rows, without those that are kept already.
    pub decisions: Vec<Decision>,
    /// The number of rows that are kept already.
    pub known: usize,
    /// The errors.
    pub errors: Vec<EntryError>,
}

/// Checks rows against the documents that they name.
pub fn checked_entries(entries: &[Entry], context: &EntryContext<'_>) -> CheckedEntries {
    let mut checked = CheckedEntries::default();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for document in context.documents.values() {
        seen.extend(document.decisions.iter().filter_map(|decision| decision.content.entry.clone()));
    }
    let reviewed: BTreeMap<&str, Reviewed> =
        context.documents.iter().map(|(id, document)| (id.as_str(), document.reviewed())).collect();
    // Decisions that a reviewer may take back, by document and reviewer.
    let mut standing_of: BTreeMap<(String, String), usize> = BTreeMap::new();
    for (id, document) in context.documents {
        for decision in standing(document) {
            *standing_of.entry((id.clone(), decision.reviewer.clone())).or_default() += 1;
        }
    }
    // Decisions of earlier rows of the same file count for those that follow.
    let mut pending: BTreeMap<String, Vec<Decision>> = BTreeMap::new();
    let mut in_turn: Vec<&Entry> = entries.iter().collect();
    in_turn.sort_by_key(|entry| entry.turn());
    for entry in in_turn {
        let row = Row { entry, context };
        match row.checked(&reviewed) {
            Ok(decision) => {
                let name = decision.content.entry.clone().unwrap_or_default();
                if !seen.insert(name) {
                    checked.known += 1;
                    continue;
                }
                let so_far = pending.entry(decision.document.clone()).or_default();
                if let Err(error) = row.refuse_early(&decision, so_far) {
                    checked.errors.push(error);
                    continue;
                }
                let count =
                    standing_of.entry((decision.document.clone(), decision.reviewer.clone())).or_default();
                if decision.content.action != Action::Undo {
                    *count += 1;
                } else if *count == 0 {
                    let message = format!(
                        "`{}` has decided nothing about the document that could be taken back",
                        decision.reviewer
                    );
                    checked.errors.push(entry.error("decision", message));
                    continue;
                } else {
                    *count -= 1;
                }
                so_far.push(decision.clone());
                checked.decisions.push(decision);
            }
            Err(error) => checked.errors.push(error),
        }
    }
    checked
}

struct Row<'a> {
    entry: &'a Entry,
    context: &'a EntryContext<'a>,
}

impl Row<'_> {
    fn checked(&self, reviewed: &BTreeMap<&str, Reviewed>) -> Result<Decision, EntryError> {
        let entry = self.entry;
        let id = entry
            .document
            .as_deref()
            .ok_or_else(|| entry.error("document", "expected the id of a document, found nothing"))?;
        let Some((document, reviewed)) = self.context.documents.get(id).zip(reviewed.get(id)) else {
            let known = self.context.known.iter().map(String::as_str);
            let help = did_you_mean(id, known, "`loopctl review list` names those that wait");
            return Err(
                entry.error("document", format!("the run has no result of a document `{id}`; {help}"))
            );
        };
        if let Some(shown) = entry.shown.as_deref()
            && shown.split('@').next() != Some(document.shown.as_str())
        {
            return Err(entry.error(
                "shown",
                format!(
                    "the result of `{id}`, or the document, is not the one that was exported; export it again"
                ),
            ));
        }
        let action = self.action()?;
        let reviewer = entry.reviewer.as_deref().or(self.context.reviewer).ok_or_else(|| {
            entry.error("reviewer", "no one is named; fill the column in, or add `--reviewer NAME`")
        })?;
        let field = entry.field.as_deref().map(FieldPath::named);
        let (before, after) = match (&field, &entry.issue) {
            (Some(_), Some(_)) => {
                return Err(entry.error("issue", "a row is about a field or about an issue, and names both"));
            }
            (Some(field), None) => self.of_field(action, field, document, reviewed)?,
            (None, Some(key)) => self.of_issue(action, key, document)?,
            (None, None) => self.of_document(action, document)?,
        };
        self.check_settles(action)?;
        if action == Action::Comment && entry.comment.is_none() {
            return Err(entry.error("comment", "expected a text, found nothing"));
        }
        let written = match &entry.after {
            Some(Written::Cell(cell)) => json!(cell),
            Some(Written::Json(value)) => value.clone(),
            None => Value::Null,
        };
        let identity = json!([
            entry.shown,
            document.shown,
            id,
            field,
            action,
            entry.value,
            entry.before,
            written,
            entry.comment,
            reviewer,
            entry.at.map(|at| at.to_string()),
        ]);
        // Rows of earlier releases have the same name as they had.
        let more = match (&entry.issue, entry.settles) {
            (None, false) => String::new(),
            (issue, settles) => json!([issue, settles]).to_string(),
        };
        let name = digest_bytes(format!("{identity}{more}").as_bytes());
        let name: String = name.chars().take(24).collect();
        Ok(Decision {
            document: id.to_owned(),
            reviewer: reviewer.to_owned(),
            at: entry.at.unwrap_or(self.context.now),
            content: DecisionContent {
                how: entry.how.filter(|_| field.is_some()),
                field,
                issue: entry.issue.clone(),
                action,
                before,
                after,
                settles: entry.settles,
                comment: entry.comment.clone(),
                spent_ms: entry.spent_ms,
                shown: document.shown.clone(),
                blind: false,
                entry: Some(name),
            },
        })
    }

    fn action(&self) -> Result<Action, EntryError> {
        let entry = self.entry;
        let Some(name) = entry.action.as_deref() else {
            return match entry.after {
                Some(_) => Err(entry
                    .error("decision", "`after` is filled in, and this is not; write `edit` or `missed`")),
                None => Ok(Action::Comment),
            };
        };
        Action::written(name).ok_or_else(|| {
            let known = Action::ALL.map(Action::as_str);
            let all = format!("expected one of {}", listed(known));
            let help = did_you_mean(&name.to_lowercase(), known, all);
            entry.error("decision", format!("no action is called `{name}`; {help}"))
        })
    }

    fn of_document(
        &self,
        action: Action,
        document: &ReviewDocument,
    ) -> Result<(Option<Value>, Option<Value>), EntryError> {
        if action == Action::Retype {
            let before = json!(document.result.document_type);
            return Ok((Some(before), Some(json!(self.named_type()?))));
        }
        if action == Action::Holds {
            return Err(self
                .entry
                .error("issue", "`holds` answers an issue of the document, and none is named"));
        }
        if !action.is_of_document() {
            return Err(self
                .entry
                .error("field", format!("`{}` is about a field, and none is named", action.as_str())));
        }
        self.no_after(action).map(|()| (None, None))
    }

    /// The type that a row says the document has.
    fn named_type(&self) -> Result<&str, EntryError> {
        let named = match &self.entry.after {
            Some(Written::Cell(named)) => Some(named.as_str()),
            Some(Written::Json(value)) => value.as_str(),
            None => None,
        };
        let named = named.map(str::trim).filter(|named| !named.is_empty() && named.len() <= LONGEST_TYPE);
        named.ok_or_else(|| {
            self.entry.error("after", "`retype` needs the name of the right type, such as `radiology`")
        })
    }

    /// An answer to an issue of the document as a whole.
    fn of_issue(
        &self,
        action: Action,
        key: &str,
        document: &ReviewDocument,
    ) -> Result<(Option<Value>, Option<Value>), EntryError> {
        let entry = self.entry;
        if action != Action::Holds {
            let word = action.as_str();
            return Err(entry.error(
                "decision",
                format!("`{word}` answers no issue; write `holds` if the document holds all the same, or `reject` in the row of the document"),
            ));
        }
        let questions = document.questions();
        let Some(question) = questions.iter().find(|question| question.key == key) else {
            let known = questions.iter().map(|question| question.key.as_str());
            let all = format!("`loopctl review show {}` names those that it has", document.id());
            let help = did_you_mean(key, known, all);
            return Err(entry.error("issue", format!("the document has no issue `{key}`; {help}")));
        };
        if question.needs_reason() && !self.has_comment() {
            return Err(
                entry.error("comment", "say why the document holds all the same, so that others know")
            );
        }
        self.no_after(action).map(|()| (None, None))
    }

    fn has_comment(&self) -> bool {
        self.entry.comment.as_deref().is_some_and(|comment| !comment.trim().is_empty())
    }

    /// The last word where reviewers differed says why.
    fn check_settles(&self, action: Action) -> Result<(), EntryError> {
        let entry = self.entry;
        if !entry.settles {
            return Ok(());
        }
        // Of a document as a whole, accepting it settles, too.
        if !action.can_settle() {
            return Err(entry.error("settles", format!("`{}` settles nothing", action.as_str())));
        }
        if !self.has_comment() {
            return Err(entry.error("comment", "say why, where reviewers differed"));
        }
        Ok(())
    }

    /// Refuses a decision that comes too early: a document is accepted when what must be answered is, and settled where reviewers differ.
    fn refuse_early(&self, decision: &Decision, so_far: &[Decision]) -> Result<(), EntryError> {
        let entry = self.entry;
        let Some(document) = self.context.documents.get(&decision.document) else { return Ok(()) };
        let is_accepting = decision.content.action == Action::Accept && decision.content.field.is_none();
        if !is_accepting && !decision.content.settles {
            return Ok(());
        }
        let reviewed = Reviewed::with(document, so_far);
        if decision.content.settles {
            let differs = match &decision.content.field {
                Some(field) => reviewed.field(field).is_some_and(FieldReview::is_disputed),
                None => reviewed.differs_as_a_whole(),
            };
            if !differs {
                return Err(
                    entry.error("settles", "reviewers do not differ about it, so there is nothing to settle")
                );
            }
        }
        if !is_accepting {
            return Ok(());
        }
        let left = document.unanswered(&reviewed);
        match left.is_empty() {
            true => Ok(()),
            false => Err(entry.error("decision", refusal(&left))),
        }
    }

    fn no_after(&self, action: Action) -> Result<(), EntryError> {
        match self.entry.after {
            Some(_) if !action.needs_after() => Err(self.entry.error(
                "after",
                format!(
                    "`{}` takes no value; write `edit` to give another one, or leave this empty",
                    action.as_str()
                ),
            )),
            _ => Ok(()),
        }
    }

    /// The value that the reviewer saw, and the right one.
    fn of_field(
        &self,
        action: Action,
        field: &FieldPath,
        document: &ReviewDocument,
        reviewed: &Reviewed,
    ) -> Result<(Option<Value>, Option<Value>), EntryError> {
        let entry = self.entry;
        if !action.is_of_field() {
            let word = action.as_str();
            return Err(entry.error("decision", format!("`{word}` is about a document; leave `field` empty")));
        }
        self.known_field(field, document, reviewed)?;
        self.no_after(action)?;
        let present = |value: Option<&Value>| value.filter(|value| is_present(value)).cloned();
        let extracted = present(field.of(document.extraction()));
        let held = reviewed.field(field).and_then(super::reviewed::FieldReview::holds);
        let current = held.map_or(extracted.clone(), |held| held.value.clone());
        let seen = self.seen(action, extracted.as_ref(), current.as_ref())?;
        match action {
            Action::Accept if seen.is_none() => Err(entry.error(
                "decision",
                "no value is there to accept; write `not_present` if the document has none, or `missed` with the value",
            )),
            Action::Edit if seen.is_none() => {
                Err(entry.error("decision", "no value is there to edit; write `missed` if the document has one"))
            }
            Action::Missed if extracted.is_some() => {
                Err(entry.error("decision", "a value was extracted; write `edit` if the document has another one"))
            }
            Action::Edit | Action::Missed => {
                let written = entry.after.as_ref().ok_or_else(|| {
                    entry.error("after", format!("`{}` needs the right value, found nothing", action.as_str()))
                })?;
                let of_field = FieldType::of(&document.declared, field, extracted.as_ref());
                let after = of_field.read(written).map_err(|why| entry.error("after", why))?;
                if !is_present(&after) {
                    let why = "this value has nothing in it; write `not_present` if the document has none";
                    return Err(entry.error("after", why));
                }
                of_field
                    .admits(field, &after, self.context.comparison)
                    .map_err(|why| entry.error("after", why))?;
                Ok((seen, Some(after)))
            }
            _ => Ok((seen, None)),
        }
    }

    /// The value that the reviewer decided about: the extracted one, or what others had decided before.
    fn seen(
        &self,
        action: Action,
        extracted: Option<&Value>,
        current: Option<&Value>,
    ) -> Result<Option<Value>, EntryError> {
        let entry = self.entry;
        if let Some(before) = &entry.before {
            let is_known = [current, extracted].contains(&Some(before));
            if action == Action::Accept && !is_known {
                return Err(self.changed_value());
            }
            return Ok(Some(before.clone()));
        }
        let Some(cell) = entry.value.as_deref() else { return Ok(current.cloned()) };
        let is = |value: Option<&Value>| value.is_some_and(|value| same_text(&shown(value), cell));
        if is(current) {
            Ok(current.cloned())
        } else if is(extracted) {
            Ok(extracted.cloned())
        } else if action == Action::Accept {
            Err(self.changed_value())
        } else {
            Ok(current.cloned())
        }
    }

    fn changed_value(&self) -> EntryError {
        self.entry.error(
            "value",
            "this is not what was extracted; write the right value under `after`, with the decision `edit`",
        )
    }

    fn known_field(
        &self,
        field: &FieldPath,
        document: &ReviewDocument,
        reviewed: &Reviewed,
    ) -> Result<(), EntryError> {
        let entry = self.entry;
        let rows = document.fields(document.extraction());
        if rows.iter().any(|row| row.path == *field) || reviewed.field(field).is_some() {
            return Ok(());
        }
        let top = field.top();
        let of_rows: Vec<String> = rows.iter().map(|row| row.path.to_string()).collect();
        let tops: BTreeSet<String> = rows.iter().map(|row| row.path.top()).collect();
        let declared = document.declared.names();
        let is_known = declared.contains(top.as_str()) || tops.contains(&top);
        if !is_known || document.declared.is_filled_in(&top) {
            let known = of_rows.iter().chain(&tops).map(String::as_str).chain(declared);
            let all = format!("`loopctl review show {}` lists its fields", document.id());
            let help = did_you_mean(&field.to_string(), known, all);
            return Err(entry.error(
                "field",
                format!(
                    "documents of type `{}` have no field `{field}`; {help}",
                    document.result.document_type
                ),
            ));
        }
        field.place_in(document.extraction()).map_err(|no_place| {
            let message = match no_place {
                NoPlace::InValue(above) => format!("`{above}` has no parts"),
                NoPlace::BeyondList(list, count) => {
                    format!("`{list}` has {count} items; `{list}/{count}` adds one")
                }
                NoPlace::TooDeep => format!("its pointer has more than {MAX_STEPS} steps"),
            };
            entry.error("field", message)
        })
    }
}

/// The longest name of a type, in bytes.
const LONGEST_TYPE: usize = 200;

/// Most of what is left to answer that a message names.
const MOST_NAMED: usize = 5;

/// The reason why a document can't be accepted yet, and what to do.
fn refusal(left: &Unanswered<'_>) -> String {
    let fields = |fields: &[FieldPath]| first_listed(fields, MOST_NAMED);
    let mut parts = Vec::new();
    if !left.questions.is_empty() {
        let keys = left.questions.iter().map(|question| &question.key);
        parts.push(format!(
            "{} of the document as a whole: write `holds` and why in its row, or `reject` the document",
            first_listed(keys, MOST_NAMED)
        ));
    }
    if !left.for_a_person.is_empty() {
        parts.push(format!(
            "{}, which only a person may decide: decide about each",
            fields(&left.for_a_person)
        ));
    }
    if !left.unchecked.is_empty() {
        parts.push(format!(
            "{}, which nothing has checked: decide about each, or write `compared` in the row of the document if you compared all of them with it",
            fields(&left.unchecked)
        ));
    }
    format!("the document can't be accepted before these are answered: {}", parts.join("; "))
}

/// Returns whether a cell still shows a value. Spreadsheets change outer spaces and number formats; a long one was cut.
fn same_text(value: &str, cell: &str) -> bool {
    let (value, cell) = (value.trim(), cell.trim());
    let number = |text: &str| text.parse::<f64>().ok();
    value == cell
        || number(value).zip(number(cell)).is_some_and(|(a, b)| (a - b).abs() < 1e-9)
        || cell.chars().count() >= 1_990 && value.starts_with(cell)
}
