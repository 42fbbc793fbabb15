//! The input of `next`, from JSON: every mistake with its location, what was expected and what was found.

use crate::diag::nearest;
use crate::exchange::checked_quotes;
use crate::plan::Plan;
use crate::score::Quotes;
use crate::value::{
    DocumentId, MAX_CANDIDATE_DEPTH, Millis, Score, Segment, Usage, Usd, is_deeper, kind_in_words,
    push_segment,
};
use serde_json::{Map, Value};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// A document and what has been tried on it so far.
#[derive(Debug, Clone, PartialEq)]
pub struct NextInput {
    /// The document's name, if it was given one.
    pub id: Option<DocumentId>,
    /// Its text.
    pub document: Text,
    /// Its type; `None` to classify it.
    pub document_type: Option<String>,
    /// Every answer of the model so far, the oldest first.
    pub history: Vec<Entry>,
    /// Keys that mean nothing here: a pipeline's own, or slips.
    pub ignored: Vec<String>,
}

/// The text of a document, or the file that holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Text {
    /// The text itself.
    Inline(String),
    /// The path of the file.
    File(PathBuf),
}

/// One answer of the model.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The answer itself.
    pub said: ModelOutput,
    /// The usage of the call; one call, where the history does not say.
    pub usage: Usage,
    /// The time it took, from the request (or the end of the pause before it) to the answer.
    pub elapsed: Millis,
    /// Scores that are given instead of measured, by dimension.
    pub given: Vec<(String, f64)>,
    /// The stage that gave it, to make sure; `None` if that is not given.
    pub stage: Option<String>,
    /// Passages of the document that are offered for the candidate's leaves, besides those that came with the answer.
    pub quotes: Quotes,
    /// The answers of judges and validators about the candidate, by id. Each judge's answer counts as one call.
    pub answers: Map<String, Value>,
}

/// The output of a model.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelOutput {
    /// A candidate.
    Candidate(Arc<Value>),
    /// Text that should hold one.
    Text(String),
}

/// One mistake in the input. It says nothing about what a text holds: that may be the document's.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mistake {
    /// Its location, as a JSON Pointer into the input; empty for the whole.
    pub at: String,
    /// The problem: what was expected and what was found.
    pub problem: String,
    /// Advice on what to do about it.
    pub help: Option<String>,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.at.is_empty() {
            f.write_str(&self.problem)
        } else {
            write!(f, "{}: {}", self.at, self.problem)
        }
    }
}

impl NextInput {
    /// Reads the input.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn parse(value: &Value) -> Result<Self, Vec<Mistake>> {
        let mut reader = InputReader::default();
        let input = reader.input(value);
        match input {
            Some(input) if reader.mistakes.is_empty() => Ok(NextInput { ignored: reader.ignored, ..input }),
            _ => Err(reader.mistakes),
        }
    }
}

/// The given scores of each entry, after a check against what only the profile knows: its document types, dimensions,
/// stages, judges and validators.
pub(super) fn checked(
    plan: &Plan,
    document_type: Option<&str>,
    history: &[Entry],
    warnings: &mut Vec<String>,
) -> Result<Vec<Vec<(String, Score)>>, Vec<Mistake>> {
    let mut reader = InputReader::default();
    if let Some(named) = document_type {
        let known: Vec<&str> = plan.document_types().collect();
        reader.known(&["document_type"], "document type", named, &known);
    }
    let dimensions = plan.dimensions();
    let stages: Vec<&str> = plan.stages.iter().map(|stage| stage.stage.id.value.as_str()).collect();
    let judges = plan.profile.judges.iter().map(|judge| judge.id.value.as_str());
    let consulted: Vec<&str> =
        plan.profile.validators.iter().map(|one| one.id.value.as_str()).chain(judges).collect();
    let asked = |id: &str| plan.panel.members().iter().any(|member| member.id.as_ref() == id);
    let mut given = Vec::with_capacity(history.len());
    for (at, entry) in history.iter().enumerate() {
        let at = at.to_string();
        let mut scores = Vec::new();
        for (name, value) in &entry.given {
            let path = ["history", &at, "given", name];
            if !reader.known(&path, "dimension", name, &dimensions) {
                continue;
            }
            match Score::new(*value) {
                Some(score) => scores.push((name.clone(), score)),
                None => reader.wrong(pointer(&path), format!("expected a score from 0 to 1, found {value}")),
            }
        }
        given.push(scores);
        if let Some(stage) = &entry.stage {
            reader.known(&["history", &at, "stage"], "stage", stage, &stages);
        }
        for id in entry.answers.keys() {
            let path = ["history", &at, "answers", id];
            if consulted.is_empty() {
                warnings.push(format!("{}: ignored, because no judge is asked", pointer(&path)));
            } else if reader.known(&path, "judge or validator", id, &consulted) && !asked(id) {
                warnings.push(format!("{}: ignored, because its provider is `none`", pointer(&path)));
            }
        }
    }
    if reader.mistakes.is_empty() { Ok(given) } else { Err(reader.mistakes) }
}

fn pointer(path: &[&str]) -> String {
    let mut pointer = String::new();
    path.iter().for_each(|key| push_segment(&mut pointer, Segment::Key(key)));
    pointer
}

fn below(at: &str, key: &str) -> String {
    let mut pointer = at.to_owned();
    push_segment(&mut pointer, Segment::Key(key));
    pointer
}

/// A value in a message; the contents of texts are not shown.
fn found(value: &Value) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Null | Value::String(_) | Value::Array(_) | Value::Object(_) => {
            kind_in_words(value).to_owned()
        }
    }
}

/// Reads the input and collects its mistakes.
#[derive(Default)]
struct InputReader {
    mistakes: Vec<Mistake>,
    ignored: Vec<String>,
}

impl InputReader {
    fn wrong(&mut self, at: String, problem: String) {
        self.mistakes.push(Mistake { at, problem, help: None });
    }

    fn wrong_help(&mut self, at: &str, problem: impl Into<String>, help: impl Into<String>) {
        self.mistakes.push(Mistake { at: at.to_owned(), problem: problem.into(), help: Some(help.into()) });
    }

    /// Returns whether a name is one of those known; it is a mistake if not.
    fn known(&mut self, path: &[&str], what: &str, name: &str, known: &[&str]) -> bool {
        if known.contains(&name) {
            return true;
        }
        let list = known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let help = match nearest(name, known.iter().copied()) {
            Some(guess) => format!("did you mean `{guess}`? Known: {list}"),
            None => format!("known: {list}"),
        };
        self.wrong_help(&pointer(path), format!("no {what} is called `{name}`"), help);
        false
    }

    fn object<'v>(&mut self, at: &str, value: &'v Value, keys: &[&str]) -> Option<&'v Map<String, Value>> {
        let Value::Object(members) = value else {
            self.wrong(at.to_owned(), format!("expected an object, found {}", found(value)));
            return None;
        };
        for key in members.keys().filter(|key| !keys.contains(&key.as_str())) {
            let guess = nearest(key, keys.iter().copied())
                .map_or_else(String::new, |guess| format!("; did you mean `{guess}`?"));
            self.ignored.push(format!("{}: this key is ignored{guess}", below(at, key)));
        }
        Some(members)
    }

    fn text(&mut self, at: &str, key: &str, members: &Map<String, Value>) -> Option<String> {
        match members.get(key)? {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            other => {
                self.wrong(below(at, key), format!("expected text, found {}", found(other)));
                None
            }
        }
    }

    fn count(&mut self, at: &str, key: &str, members: &Map<String, Value>) -> Option<u64> {
        match members.get(key)? {
            Value::Null => None,
            value => {
                let count = value.as_u64();
                if count.is_none() {
                    let problem = format!("expected a whole number, 0 or more, found {}", found(value));
                    self.wrong(below(at, key), problem);
                }
                count
            }
        }
    }

    fn input(&mut self, value: &Value) -> Option<NextInput> {
        let members = self.object("", value, &["document", "document_type", "history"])?;
        let document = match members.get("document") {
            Some(document) => self.document(document),
            None => {
                self.wrong_help(
                    "",
                    "the input lacks `document`",
                    "add `\"document\": {\"text\": …}` or `\"document\": {\"path\": …}`",
                );
                None
            }
        };
        let document_type = self.text("", "document_type", members);
        let history = match members.get("history") {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(entries)) => entries
                .iter()
                .enumerate()
                .filter_map(|(at, entry)| self.entry(&format!("/history/{at}"), entry))
                .collect(),
            Some(other) => {
                self.wrong("/history".to_owned(), format!("expected a list, found {}", found(other)));
                Vec::new()
            }
        };
        let (id, document) = document?;
        Some(NextInput { id, document, document_type, history, ignored: Vec::new() })
    }

    fn document(&mut self, value: &Value) -> Option<(Option<DocumentId>, Text)> {
        let at = "/document";
        let members = self.object(at, value, &["id", "text", "path"])?;
        let id = self.text(at, "id", members).filter(|id| !id.is_empty()).map(DocumentId::new);
        let before = self.mistakes.len();
        let (text, path) = (self.text(at, "text", members), self.text(at, "path", members));
        let document = match (text, path) {
            (Some(text), None) => Text::Inline(text),
            (None, Some(path)) => Text::File(path.into()),
            (None, None) if self.mistakes.len() > before => return None,
            (None, None) => {
                self.wrong(at.to_owned(), "expected `text` or `path`, found neither".to_owned());
                return None;
            }
            (Some(_), Some(_)) => {
                self.wrong_help(at, "expected `text` or `path`, found both", "keep one of them");
                return None;
            }
        };
        Some((id, document))
    }

    fn entry(&mut self, at: &str, value: &Value) -> Option<Entry> {
        let members = self.object(
            at,
            value,
            &["stage", "candidate", "text", "evidence", "usage", "elapsed_ms", "given", "answers"],
        )?;
        let before = self.mistakes.len();
        // A candidate may be `null`; it is there when its key is.
        let said = match (members.get("candidate"), self.text(at, "text", members)) {
            (Some(candidate), None) if is_deeper(candidate, MAX_CANDIDATE_DEPTH) => {
                let problem = format!(
                    "expected JSON nested at most {MAX_CANDIDATE_DEPTH} deep, found a deeper candidate"
                );
                self.wrong(below(at, "candidate"), problem);
                None
            }
            (Some(candidate), None) => Some(ModelOutput::Candidate(Arc::new(candidate.clone()))),
            (None, Some(text)) => Some(ModelOutput::Text(text)),
            (None, None) if self.mistakes.len() > before => None,
            (None, None) => {
                self.wrong_help(
                    at,
                    "expected `candidate` or `text`, found neither",
                    "`candidate` holds the model's answer as JSON, `text` as it wrote it",
                );
                None
            }
            (Some(_), Some(_)) => {
                self.wrong_help(at, "expected `candidate` or `text`, found both", "keep one of them");
                None
            }
        };
        let stage = self.text(at, "stage", members);
        let mut answers = match members.get("answers") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(answers)) => answers.clone(),
            Some(other) => {
                let problem = format!("expected an object from judges to answers, found {}", found(other));
                self.wrong(below(at, "answers"), problem);
                Map::new()
            }
        };
        answers.retain(|_, answer| !answer.is_null());
        let quotes = match members.get("evidence").filter(|evidence| !evidence.is_null()) {
            None => Quotes::default(),
            Some(evidence) => checked_quotes(evidence).unwrap_or_else(|problem| {
                self.wrong(below(at, "evidence"), problem);
                Quotes::default()
            }),
        };
        let usage = self.usage(&below(at, "usage"), members.get("usage"));
        let elapsed = Millis(self.count(at, "elapsed_ms", members).unwrap_or(0));
        let given = self.given(&below(at, "given"), members.get("given"));
        Some(Entry { said: said?, usage, elapsed, given, stage, quotes, answers })
    }

    fn usage(&mut self, at: &str, value: Option<&Value>) -> Usage {
        let one_call = Usage { calls: 1, ..Usage::default() };
        let Some(value) = value.filter(|value| !value.is_null()) else { return one_call };
        let Some(members) = self.object(at, value, &["calls", "tokens", "cost_usd"]) else { return one_call };
        let known = match members.get("cost_usd") {
            None => Some(Usd::default()),
            Some(Value::Null) => None,
            Some(value) => value.as_f64().and_then(Usd::new).or_else(|| {
                let problem = format!("expected an amount of US dollars, 0 or more, found {}", found(value));
                self.wrong(below(at, "cost_usd"), problem);
                None
            }),
        };
        let calls = self.count(at, "calls", members).unwrap_or(1);
        Usage {
            calls,
            tokens: self.count(at, "tokens", members).unwrap_or(0),
            known_cost_usd: known.unwrap_or_default(),
            calls_of_unknown_cost: if known.is_none() { calls } else { 0 },
        }
    }

    fn given(&mut self, at: &str, value: Option<&Value>) -> Vec<(String, f64)> {
        match value {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Object(members)) => {
                let mut scores = Vec::new();
                for (name, value) in members {
                    match value.as_f64() {
                        Some(score) => scores.push((name.clone(), score)),
                        None => {
                            let problem = format!("expected a score from 0 to 1, found {}", found(value));
                            self.wrong(below(at, name), problem);
                        }
                    }
                }
                scores
            }
            Some(other) => {
                let problem = format!("expected an object from dimensions to scores, found {}", found(other));
                self.wrong(at.to_owned(), problem);
                Vec::new()
            }
        }
    }
}
