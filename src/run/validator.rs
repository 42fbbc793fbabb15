//! External validators: a program that reads a candidate as JSON and says what is wrong with it.

use super::ValidatorPlan;
use crate::engine::{CallFailed, Consulted};
use crate::profile::Asked;
use crate::value::{MAX_CANDIDATE_DEPTH, Usage, is_deeper};
use serde_json::{Value, json};
use std::process::Stdio;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;

/// Most bytes of a validator's answer.
const MOST_OUTPUT: u64 = 8 << 20;

/// Variables that a validator sees.
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

/// What a validator is asked.
pub(super) fn question(document_type: &str, candidate: &Value, subject: &Value) -> Value {
    json!({ "document_type": document_type, "candidate": candidate, "subject": subject })
}

/// Runs a validator. It reads `{"document_type", "candidate", "subject"}` (the subject is what the candidate makes of the
/// document; for most profiles the candidate itself) and answers with `{"stages": [{"name", "passed", "issues"}]}`, or
/// with `{"unavailable": "why"}`. A program that is not there counts as unavailable.
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
    let failed = |message: String| CallFailed {
        message,
        transient: false,
        retry_after: None,
        backoff: None,
        usage: Usage::default(),
    };
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
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    // A program that checks data needs no keys of anyone.
    command.env_clear().envs(KEPT.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
    command.args(plan.script.iter().map(|script| script.text())).kill_on_drop(true);
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Ok(consulted(json!({ "unavailable": format!("there is no program `{program}`") })));
        }
        Err(error) => return Err(failed(format!("`{program}` can't be started: {error}"))),
    };
    let question = question(document_type, candidate, subject);
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let talk = async {
        let write = async {
            if let Some(mut stdin) = stdin {
                // A program that answers without reading everything is no failure.
                let _ = stdin.write_all(question.to_string().as_bytes()).await;
            }
        };
        let mut answer = Vec::new();
        let read = async {
            match stdout {
                Some(stdout) => stdout.take(MOST_OUTPUT + 1).read_to_end(&mut answer).await.map(|_| ()),
                None => Ok(()),
            }
        };
        let ((), read) = tokio::join!(write, read);
        read.map_err(|error| format!("its answer can't be read: {error}"))?;
        if answer.len() as u64 > MOST_OUTPUT {
            return Err(format!("its answer is longer than {MOST_OUTPUT} bytes"));
        }
        let status = child.wait().await.map_err(|error| error.to_string())?;
        if !status.success() {
            return Err(format!("it ended with {status}"));
        }
        let answer = serde_json::from_slice::<Value>(&answer).map_err(|error| {
            format!("its answer is not JSON (line {}, column {})", error.line(), error.column())
        })?;
        // What is deeper could be written to the journal, but not read again.
        if is_deeper(&answer, MAX_CANDIDATE_DEPTH) {
            return Err(format!("its answer is nested more than {MAX_CANDIDATE_DEPTH} deep"));
        }
        Ok(answer)
    };
    let deadline = plan.validator.deadline;
    match tokio::time::timeout(deadline.duration(), talk).await {
        Ok(Ok(answer)) => Ok(consulted(answer)),
        Ok(Err(why)) => Err(failed(why)),
        Err(_) => Err(failed(format!("it took longer than {deadline}"))),
    }
}
