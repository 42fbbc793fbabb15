//! A provider that answers from a file: for tests, demonstrations and rehearsals of what goes wrong.
//!
//! Configuration: `{ "file": "answers.yaml" }`, a list of answers in YAML or (`.jsonl`, `.ndjson`) one JSON object per
//! line; or `{ "answers": […] }`, the list itself. Each call takes the next answer of its document: of those with its
//! `id`, or, if no answer has that id, of those without one. Answers with a `stage` are for that stage or judge alone,
//! in the same way. Every document walks its list from the start, so what it gets doesn't depend on what runs beside
//! it. When its answers run out, the call fails and says so.
//!
//! ```yaml
//! # answers.yaml
//! - id: report-1                      # only for this document
//!   value: { histology: ductal carcinoma }
//!   tokens: { input: 812, output: 96 }
//!   cost_usd: 0.0031
//! - id: report-1                      # what it gets the second time
//!   value: { histology: ductal carcinoma, grade: "2" }
//! - stage: verification               # what the judge of that name gets
//!   value: { accuracy: 0.9 }
//! - fault: rate_limited               # for every other document: first this …
//!   retry_after_ms: 250
//! - text: '{"histology": "unclear"}'  # … then the answer as a model would write it
//!   delay_ms: 20
//!   model: scripted-1
//!   notes: [from the file]
//! ```
//!
//! Each has one of `value` (JSON), `text`, and `fault`:
//!
//! | fault | what the host sees |
//! | --- | --- |
//! | `transient`, `rate_limited` (`retry_after_ms`), `unauthorized`, `invalid_request`, `permanent` | that failure (`message`) |
//! | `wrong_status` (`status`, 4242) | a status that the ABI doesn't know |
//! | `panic` | the plugin panics |
//! | `hang` | no answer until the host gives up |
//! | `garbage` | bytes that aren't JSON |
//! | `huge` (`bytes`, 32 MiB) | more bytes than the host takes |
//! | `not_json_text`, `empty` | a model's refusal in prose, and no text at all |

mod node;
mod script;

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use loopctl_plugin_sdk::abi::LC_OK;
use loopctl_plugin_sdk::protocol::{Completion, CompletionRequest, PluginError};
use loopctl_plugin_sdk::{Cancel, DirectPlugin, Failure, Reply, Value, export_direct_plugin};

use crate::script::{Fault, Script, ScriptedAnswer, ScriptedOutcome};

/// A script is written by a person or by a test; more is a mistake.
const MAX_FILE: u64 = 64 << 20;

/// An open script, and how far each document has walked it.
#[derive(Debug)]
pub struct Scripted {
    /// The file, or the text of the answers themselves: it identifies two instances of one script.
    source: String,
    script: Script,
    progress: Arc<AnswerCounts>,
}

/// The number of answers that each document has had, for each stage that has answers of its own.
type AnswerCounts = Mutex<HashMap<(String, Option<String>), usize>>;

/// By source, the progress of instances that panicked as their script told them to: the host replaces them with others,
/// which continue where they were.
static BEQUEATHED: Mutex<Option<HashMap<String, Arc<AnswerCounts>>>> = Mutex::new(None);

impl Scripted {
    fn answer(&self, document: &str, stage: &str) -> Result<&ScriptedAnswer, Failure> {
        let (answers, (own, own_stage)) = self.script.list(document, stage);
        let mut next = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        let at = next.entry((document.to_owned(), own_stage.clone())).or_default();
        let answer = answers.get(*at).ok_or_else(|| {
            let whose = match own {
                Some(_) => format!("for document `{document}`"),
                None => format!("without an id, which document `{document}` takes"),
            };
            let whose = own_stage.map_or(whose.clone(), |stage| format!("for stage `{stage}`, {whose}"));
            Failure::permanent(format!("the script has run out: it holds {} answers {whose}", answers.len()))
        })?;
        *at = at.saturating_add(1);
        Ok(answer)
    }
}

impl DirectPlugin for Scripted {
    fn open(config: &Value) -> Result<Self, Failure> {
        let (source, script) = match (config.get("file").and_then(Value::as_str), config.get("answers")) {
            (Some(file), _) => (file.to_owned(), from_file(file)?),
            (None, Some(Value::Array(answers))) => from_answers(answers)?,
            (None, _) => {
                return Err(Failure::invalid_config(
                    "no `file`: name the script, as in `{file: answers.yaml}`, or list its `answers`",
                ));
            }
        };
        let inherited = BEQUEATHED
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .as_mut()
            .and_then(|left| left.remove(&source));
        Ok(Self { source, script, progress: inherited.unwrap_or_default() })
    }

    fn complete(&self, request: &CompletionRequest, cancel: &Cancel) -> Result<Completion, Failure> {
        let answer = self.answer(&request.document.id, &request.stage)?;
        if cancel.wait(answer.delay) {
            return Err(Failure::cancelled());
        }
        match &answer.outcome {
            ScriptedOutcome::Complete(completion) => Ok((**completion).clone()),
            ScriptedOutcome::Fail(fault) => {
                if *fault == Fault::Panic {
                    BEQUEATHED
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .get_or_insert_default()
                        .insert(self.source.clone(), Arc::clone(&self.progress));
                }
                Err(fail(fault, cancel))
            }
        }
    }

    fn reply(&self, request: &CompletionRequest, cancel: &Cancel) -> Reply {
        match self.complete(request, cancel) {
            Err(Failure { status: RAW, error }) => Reply { status: LC_OK, body: error.message.into_bytes() },
            outcome => Reply::from(outcome),
        }
    }
}

fn from_file(file: &str) -> Result<Script, Failure> {
    let bad = |problem: String| Failure::invalid_config(format!("{file}{problem}"));
    let mut text = String::new();
    // Opening a pipe would wait for a writer, and a device has no end.
    match std::fs::metadata(file) {
        Ok(found) if !found.is_file() => {
            return Err(bad(": can't be read: it is not a regular file".to_owned()));
        }
        _ => {}
    }
    std::fs::File::open(file)
        .and_then(|open| open.take(MAX_FILE.saturating_add(1)).read_to_string(&mut text))
        .map_err(|error| bad(format!(": can't be read: {error}")))?;
    if text.len() as u64 > MAX_FILE {
        return Err(bad(": longer than 64 MiB".to_owned()));
    }
    let by_line = Path::new(file)
        .extension()
        .is_some_and(|ext| ext.eq_ignore_ascii_case("jsonl") || ext.eq_ignore_ascii_case("ndjson"));
    let script = if by_line { Script::from_jsonl(&text) } else { Script::from_yaml(&text) };
    script.map_err(|(line, problem)| bad(format!(":{line}: {problem}")))
}

/// A script in the configuration, and its text.
fn from_answers(answers: &[Value]) -> Result<(String, Script), Failure> {
    let lines: Vec<String> = answers.iter().map(Value::to_string).collect();
    let text = lines.join("\n");
    let script = Script::from_jsonl(&text)
        .map_err(|(line, problem)| Failure::invalid_config(format!("`answers`, number {line}: {problem}")))?;
    Ok((text, script))
}

/// Marks bytes that are to cross the boundary as they are; no fault of a script can have it.
const RAW: i32 = i32::MIN;

#[expect(clippy::panic, reason = "a panic is one of the faults that a script can ask for")]
fn fail(fault: &Fault, cancel: &Cancel) -> Failure {
    match fault {
        Fault::Transient(message) => Failure::transient(message),
        Fault::RateLimited(message, wait) => Failure::rate_limited(message, *wait),
        Fault::Unauthorized(message) => Failure::unauthorized(message),
        Fault::InvalidRequest(message) => Failure::invalid_request(message),
        Fault::Permanent(message) => Failure::permanent(message),
        Fault::WrongStatus(status) => Failure::new(*status, "scripted: a status that no one knows"),
        Fault::Panic => std::panic::panic_any("scripted: panic"),
        Fault::Hang => {
            while !cancel.wait(Duration::MAX) {}
            Failure::cancelled()
        }
        Fault::Garbage => raw("\u{1}<html>502 Bad Gateway</html>".to_owned()),
        Fault::Huge(bytes) => raw(format!(r#"{{"text":"{}"}}"#, "x".repeat(*bytes))),
    }
}

fn raw(message: String) -> Failure {
    Failure { status: RAW, error: PluginError { message, ..PluginError::default() } }
}

export_direct_plugin!(
    Scripted,
    concat!(
        r#"{"name": "scripted", "version": ""#,
        env!("CARGO_PKG_VERSION"),
        r#"", "abi": {"major": 1, "minor": 0}, "kind": "direct",
"description": "Answers from a file, with delays and faults: for tests, demonstrations and rehearsals.",
"capabilities": ["repeatable", "offline"],
"config_schema": {"type": "object", "additionalProperties": false, "oneOf": [{"required": ["file"]}, {"required": ["answers"]}],
"examples": [{"answers": [{"value": {}}]}],
"properties": {"file": {"type": "string", "minLength": 1}, "answers": {"type": "array", "minItems": 1}}}}"#
    ),
    unless = "linked"
);

#[cfg(test)]
mod tests {
    use super::*;
    use loopctl_plugin_sdk::protocol::{DocumentRef, Manifest};
    use serde_json::json;

    fn scripted(text: &str) -> Scripted {
        Scripted { source: String::new(), script: Script::from_yaml(text).unwrap(), progress: Arc::default() }
    }

    fn request(id: &str) -> CompletionRequest {
        CompletionRequest {
            document: DocumentRef { id: id.into(), document_type: String::new() },
            ..CompletionRequest::default()
        }
    }

    #[test]
    fn each_document_walks_its_own_list() {
        let plugin = scripted("- {id: a, value: 1}\n- {id: a, value: 2}\n- {value: 3}\n- {value: 4}\n");
        let ask = |id: &str| plugin.complete(&request(id), &Cancel::new()).map(|done| done.value);
        assert_eq!(ask("b").unwrap(), Some(json!(3)));
        assert_eq!(ask("a").unwrap(), Some(json!(1)));
        assert_eq!(ask("c").unwrap(), Some(json!(3)));
        assert_eq!(ask("a").unwrap(), Some(json!(2)));
        assert_eq!(ask("b").unwrap(), Some(json!(4)));
        let over = ask("a").unwrap_err();
        assert!(over.error.message.contains("run out: it holds 2 answers for document `a`"), "{over}");
    }

    #[test]
    fn stages_have_lists_of_their_own() {
        let plugin = scripted("- {stage: tag, value: 1}\n- {id: a, value: 2}\n- {value: 3}\n- {value: 4}\n");
        let ask = |id: &str, stage: &str| {
            let request = CompletionRequest { stage: stage.into(), ..request(id) };
            plugin.complete(&request, &Cancel::new()).map(|done| done.value)
        };
        assert_eq!(ask("b", "judge").unwrap(), Some(json!(3)));
        assert_eq!(ask("b", "tag").unwrap(), Some(json!(1)));
        assert_eq!(ask("b", "judge").unwrap(), Some(json!(4)));
        assert_eq!(ask("a", "tag").unwrap(), Some(json!(2)));
        let over = ask("b", "tag").unwrap_err();
        assert!(over.error.message.contains("1 answers for stage `tag`"), "{over}");
    }

    #[test]
    fn raw_faults_go_out_as_ok() {
        let plugin = scripted("- fault: garbage\n- {fault: huge, bytes: 100}\n");
        let garbage = plugin.reply(&request("a"), &Cancel::new());
        assert_eq!(garbage.status, LC_OK);
        assert!(serde_json::from_slice::<Value>(&garbage.body).is_err());
        assert!(plugin.reply(&request("a"), &Cancel::new()).body.len() > 100);
    }

    #[test]
    fn cancelling_ends_a_delay_and_a_hang() {
        let plugin = scripted("- {value: 1, delay_ms: 3600000}\n- fault: hang\n");
        let cancel = Cancel::new();
        cancel.cancel();
        for _ in 0..2 {
            assert_eq!(plugin.complete(&request("a"), &cancel), Err(Failure::cancelled()));
        }
    }

    #[test]
    fn configuration_mistakes_say_what_to_do() {
        let none = Scripted::open(&json!({})).unwrap_err();
        assert!(none.error.message.contains("no `file`"), "{none}");
        let missing = Scripted::open(&json!({"file": "no/such.yaml"})).unwrap_err();
        assert!(missing.error.message.contains("no/such.yaml"), "{missing}");
        let slip = Scripted::open(&json!({"answers": [{"value": 1}, {"valu": 2}]})).unwrap_err();
        assert!(slip.error.message.contains("`answers`, number 2: "), "{slip}");
    }

    #[test]
    fn answers_may_stand_in_the_configuration() {
        let plugin =
            Scripted::open(&json!({"answers": [{"id": "a", "value": "x\ny"}, {"value": 2}]})).unwrap();
        let ask = |id: &str| plugin.complete(&request(id), &Cancel::new()).map(|done| done.value);
        assert_eq!(ask("a").unwrap(), Some(json!("x\ny")));
        assert_eq!(ask("b").unwrap(), Some(json!(2)));
    }

    #[test]
    fn the_manifest_is_one() {
        let manifest: Manifest = serde_json::from_str(LOOPCTL_MANIFEST).unwrap();
        assert_eq!(manifest.name, "scripted");
    }
}
