//! External validators: a program that reads a candidate as JSON and says what is wrong with it.

use crate::engine::{CallFailed, Consulted};
use crate::plan::ValidatorPlan;
use crate::profile::Asked;
use crate::repair::has_a_key_twice;
use crate::value::{MAX_CANDIDATE_DEPTH, Usage, is_deeper};
use loopctl_plugin_sdk::Cancel;
use loopctl_program::{Program, locate};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

/// The maximum number of bytes of a validator's answer.
const MOST_OUTPUT: u64 = 8 << 20;

/// Environment variables that a validator sees.
const KEPT: [&str; 12] = [
    "PATH",
    "HOME",
    "USER",
    "LANG",
    "LC_ALL",
    "TMPDIR",
    "TEMP",
    "TMP",
    "SYSTEMROOT",
    "VIRTUAL_ENV",
    "PYTHONPATH",
    "PYTHONUSERBASE",
];

/// The question to a validator.
pub(super) fn question(document_type: &str, candidate: &Value, subject: &Value) -> Value {
    json!({ "document_type": document_type, "candidate": candidate, "subject": subject })
}

/// Runs a validator. It reads `{"document_type", "candidate", "subject"}` (the subject is what the candidate makes of
/// the document; for most profiles the candidate itself) and answers with `{"stages": [{"name", "passed", "issues"}]}`,
/// or with `{"unavailable": "why"}`. A missing program counts as unavailable.
///
/// # Errors
/// When it can't be run to its end within its deadline, or answers with anything but JSON.
pub async fn ask_validator(
    plan: &ValidatorPlan,
    document_type: &str,
    candidate: &Value,
    subject: &Value,
) -> Result<Consulted, CallFailed> {
    let name = &plan.validator.id.value;
    let failed = |message: String| CallFailed { message, transient: false, ..CallFailed::default() };
    let consulted = |answer: Value| Consulted {
        answer: Arc::new(answer),
        usage: Usage::default(),
        notes: Vec::new(),
        repairs: Vec::new(),
    };
    let command = match &plan.validator.asked {
        Asked::Command { command, .. } => command.as_slice(),
        Asked::Service { .. } => &[],
    };
    let Some((program, arguments)) = command.split_first() else {
        return Err(failed(format!("validator `{name}` has no command")));
    };
    let file = match locate(program, Path::new(""), &std::env::var_os("PATH").unwrap_or_default()) {
        Ok(file) => file,
        Err(why) => return Ok(consulted(json!({ "unavailable": why }))),
    };
    let program = Program {
        name: program.clone(),
        file,
        arguments: arguments
            .iter()
            .cloned()
            .chain(plan.script.iter().map(|file| file.text().into()))
            .collect(),
        // A program that checks data needs no keys of anyone.
        environment: KEPT.iter().filter_map(|name| Some((name.into(), std::env::var_os(name)?))).collect(),
        cwd: None,
        max_output: MOST_OUTPUT,
        // It may repeat the document.
        show_stderr: false,
    };
    let input = question(document_type, candidate, subject).to_string().into_bytes();
    let cancel = Arc::new(Cancel::new());
    // However this ends, the program does, too, with all that it started.
    let _given_up = CancelGuard(Arc::clone(&cancel));
    let running = tokio::task::spawn_blocking(move || program.run(input, &cancel));
    let deadline = plan.validator.deadline;
    let said = match tokio::time::timeout(deadline.duration(), running).await {
        Err(_) => Err(format!("it took longer than {deadline}")),
        Ok(Err(_)) => Err("it was lost".to_owned()),
        Ok(Ok(Err(failure))) => Err(failure.error.message),
        Ok(Ok(Ok(output))) => answer_in(&output),
    };
    said.map(consulted).map_err(failed)
}

/// Ends a program when it is dropped.
struct CancelGuard(Arc<Cancel>);

impl Drop for CancelGuard {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// The answer that a program wrote.
fn answer_in(output: &[u8]) -> Result<Value, String> {
    let answer = serde_json::from_slice::<Value>(output).map_err(|error| {
        format!("its answer is not JSON (line {}, column {})", error.line(), error.column())
    })?;
    // Of a key given twice, either value could be meant.
    if has_a_key_twice(output) {
        return Err("its answer has a key twice in one object".to_owned());
    }
    // A deeper value could be written to the journal, but not read again.
    if is_deeper(&answer, MAX_CANDIDATE_DEPTH) {
        return Err(format!("its answer is nested more than {MAX_CANDIDATE_DEPTH} deep"));
    }
    Ok(answer)
}
