//! Examples in prompts that contradict what the prompt asks for: a model copies them, mistakes and all.
//!
//! A fenced block whose info string says `json example` is an example of the answer. A third word names the document
//! type that it is for: ```` ```json example pathology ````. An example of a whole candidate is scored by the profile's
//! own rules; one of an earlier stage, or of a judge, is held against its schema.

use super::project::Project;
use super::schema::SchemaNode;
use crate::diag::{Code, Problem, Problems, SourceFile, Span, nearest};
use crate::rules::{Schema, UNKNOWN_TYPE};
use crate::score::{Assessment, Assessor};
use crate::value::Severity;
use crate::value::decode::Spanned;
use crate::value::prose::did_you_mean;
use jsonschema::error::ValidationErrorKind;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Most issues of one example that a message lists.
const MOST_ISSUES: usize = 3;

/// A fenced example.
struct Example<'t> {
    /// Byte at which its text begins.
    start: usize,
    text: &'t str,
    document_type: Option<&'t str>,
}

pub(super) fn check(project: &Project<'_>, problems: &mut Problems) {
    let plan = project.subject.plan;
    let mut assessor = Assessor::new(Arc::clone(&plan.scoring));
    let is_last = |at: usize| at + 1 == plan.stages.len();
    let alone = plan.stages.iter().all(|stage| stage.stage.into.is_none()) && !project.fields.is_empty();
    for (at, stage) in plan.stages.iter().enumerate() {
        let files = stage.stage.call.prompt.iter().chain(&stage.stage.context_files);
        for name in files {
            let scored = (is_last(at) && alone).then_some(&mut assessor);
            in_file(project, name, &stage.schemas, scored, problems);
        }
    }
    for judge in &plan.judges {
        if let Some(name) = &judge.judge.call.prompt {
            in_file(project, name, &judge.schemas, None, problems);
        }
    }
}

fn in_file(
    project: &Project<'_>,
    name: &Spanned<String>,
    schemas: &BTreeMap<String, Value>,
    mut assessor: Option<&mut Assessor>,
    problems: &mut Problems,
) {
    let Some(file) = project.file(&format!("prompts/{}", name.value)) else { return };
    for example in examples(file.text()) {
        let span =
            Span::new(&file, example.start, example.start + example.text.lines().next().map_or(1, str::len));
        let value: Value = match serde_json::from_str(example.text) {
            Ok(value) => value,
            Err(error) => {
                problems.push(not_json(&file, &example, &error));
                continue;
            }
        };
        if let Some(unknown) = example.document_type.filter(|kind| !project.types.contains(kind)) {
            let known = project.types.iter().copied();
            let problem = Problem::warning(
                Code::WrongExample,
                &span,
                format!("this example is for the document type `{unknown}`, which does not exist"),
            );
            let all = format!("known: {}", project.types.join(", "));
            problems.push(problem.help(did_you_mean(unknown, known, all)));
            continue;
        }
        // An example for all types must fit one of them.
        let types: Vec<&str> = match example.document_type {
            Some(kind) => vec![kind],
            None => project.types.clone(),
        };
        let mut best: Option<Vec<String>> = None;
        for kind in types {
            let found = faults(kind, &value, schemas, assessor.as_deref_mut());
            if best.as_ref().is_none_or(|best| found.len() < best.len()) {
                best = Some(found);
            }
        }
        let Some(faults) = best.filter(|faults| !faults.is_empty()) else { continue };
        let more = faults.len().saturating_sub(MOST_ISSUES);
        let mut said = faults.get(..MOST_ISSUES.min(faults.len())).unwrap_or_default().join("; ");
        if more > 0 {
            said.push_str(&format!("; and {more} more"));
        }
        problems.push(
            Problem::warning(
                Code::WrongExample,
                &span,
                format!("by the profile's own schema and rules this example is wrong: {said}"),
            )
            .related(&name.span, "shown to the model by this file")
            .help("correct the example, or the rule"),
        );
    }
}

/// The objections of the schema and the rules to an example.
fn faults(
    kind: &str,
    value: &Value,
    schemas: &BTreeMap<String, Value>,
    assessor: Option<&mut Assessor>,
) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let written = schemas.get(kind).or_else(|| schemas.get(UNKNOWN_TYPE));
    let declared: Vec<&str> = match written {
        Some(schema) => SchemaNode::whole(schema).members().into_iter().map(|(name, _)| name).collect(),
        None => Vec::new(),
    };
    if let Some(schema) = written
        && let Ok(schema) = Schema::compile(kind, schema)
        && let Ok(validator) = schema.for_value(value)
    {
        found.extend(validator.iter_errors(value).map(|error| {
            let at = error.instance_path().to_string();
            if let ValidationErrorKind::AdditionalProperties { unexpected } = error.kind() {
                return unexpected_fields(&at, unexpected, &declared);
            }
            if at.is_empty() { error.to_string() } else { format!("`{at}`: {error}") }
        }));
    }
    if let (Some(assessor), true) = (assessor, found.is_empty()) {
        let mut assessment = Assessment::default();
        assessor.measure(kind, value, None, &[], &mut assessment);
        let serious = assessment.issues.iter().filter(|issue| issue.severity > Severity::Minor);
        found.extend(serious.map(|issue| {
            let says_where = issue.path.is_empty() || issue.message.contains(&*issue.path);
            if says_where {
                issue.message.to_string()
            } else {
                format!("`{}`: {}", issue.path, issue.message)
            }
        }));
    }
    found
}

/// The message that a schema has no such fields; `declared` are those of the whole answer.
fn unexpected_fields(at: &str, unexpected: &[String], declared: &[&str]) -> String {
    let fields = unexpected.iter().map(|name| {
        let guess = nearest(name, declared.iter().copied()).filter(|_| at.is_empty());
        let place = if at.is_empty() { String::new() } else { format!(" at `{at}`") };
        match guess {
            Some(guess) => format!("the schema has no field `{name}`{place}; did you mean `{guess}`?"),
            None => format!("the schema has no field `{name}`{place}"),
        }
    });
    fields.collect::<Vec<_>>().join("; ")
}

fn not_json(file: &Arc<SourceFile>, example: &Example<'_>, error: &serde_json::Error) -> Problem {
    let before: usize =
        example.text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let at = example.start + before + error.column().saturating_sub(1);
    let text = error.to_string();
    let why = text.split(" at line ").next().unwrap_or_default();
    Problem::warning(
        Code::WrongExample,
        &Span::new(file, at, at + 1),
        format!("this example is not JSON: {why}"),
    )
    .help("JSON has double quotes round every name and text, and no comma at the end")
}

/// The fenced blocks of a text that are marked as examples.
fn examples(text: &str) -> Vec<Example<'_>> {
    let mut found = Vec::new();
    let mut open: Option<(usize, Option<&str>)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let next = at + line.len();
        let start = line.trim_start();
        let fence = start.strip_prefix("```").or_else(|| start.strip_prefix("~~~")).map(str::trim);
        match (fence, open) {
            (Some(info), None) => {
                let mut words = info.split_whitespace();
                if (words.next(), words.next()) == (Some("json"), Some("example")) {
                    open = Some((next, words.next()));
                }
            }
            (Some(""), Some((start, document_type))) => {
                found.push(Example { start, text: text.get(start..at).unwrap_or_default(), document_type });
                open = None;
            }
            _ => {}
        }
        at = next;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_blocks_that_call_themselves_examples_are_examples() {
        let text = "a\n```json\n{}\n```\n```json example\n{\"a\": 1}\n```\nb\n  ```json example lab\n[]\n  ```\n```json example\nopen";
        let found: Vec<_> = examples(text).into_iter().map(|e| (e.text.trim(), e.document_type)).collect();
        assert_eq!(found, [("{\"a\": 1}", None), ("[]", Some("lab"))]);
    }
}
