//! Schemas and examples that show models the form of the answers that are asked of them.

use super::stage_plan::{StagePlan, path_for};
use crate::diag::Problems;
use crate::profile::{Files, Profile};
use crate::rules::{AnswerSchema, Answers, whole_schema};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Longest prompt in which examples are looked for, in bytes.
const LONGEST_PROMPT: usize = 1 << 20;
/// Most positions of a prompt at which an example may begin.
const MOST_PLACES: usize = 1_000;

/// The schemas and examples that the stages of a profile are shown. Errors in a file are reported where the file is
/// used; to score, the schemas of answers are not compiled, only read.
pub(super) fn answers(
    profile: &Profile,
    stages: &[StagePlan],
    types: &[String],
    files: &dyn Files,
) -> Answers {
    let mut answers = Answers::default();
    for plan in stages {
        let stage = &plan.stage;
        let into = stage.into.as_ref().map(|field| field.value.clone());
        let mut by_path: BTreeMap<String, Option<Arc<Value>>> = BTreeMap::new();
        for document_type in types {
            let Some(output) = &stage.call.output else { break };
            let Some(path) = path_for(&output.value, document_type, &output.span, &mut Problems::new())
            else {
                break;
            };
            let schema =
                by_path.entry(path).or_insert_with_key(|path| match plan.schemas.get(document_type) {
                    Some(schema) => Some(Arc::new(schema.clone())),
                    None => whole_schema(&files.read(path).ok()??, files).ok().map(Arc::new),
                });
            if let Some(schema) = schema {
                let one = AnswerSchema { into: into.clone(), schema: Arc::clone(schema) };
                answers.schemas.entry(document_type.clone()).or_default().push(one);
            }
        }
        for name in stage.call.prompt.iter().chain(&stage.context_files) {
            let file = files.read(&format!("prompts/{}", name.value)).ok().flatten();
            let examples = file.iter().flat_map(|file| examples(file.text()));
            answers.examples.extend(examples.map(|example| match &into {
                Some(field) => Value::Object([(field.clone(), example)].into_iter().collect()),
                None => example,
            }));
        }
    }
    // Earlier stages answer in forms of their own, which are not the candidate's.
    let is_composed = profile.stages.iter().any(|stage| stage.into.is_some());
    if !is_composed && stages.len() > 1 {
        let keep_last =
            |schemas: &mut Vec<AnswerSchema>| _ = schemas.drain(..schemas.len().saturating_sub(1));
        answers.schemas.values_mut().for_each(keep_last);
    }
    answers
}

/// The JSON objects in a prompt.
fn examples(text: &str) -> Vec<Value> {
    let mut found = Vec::new();
    if text.len() > LONGEST_PROMPT {
        return found;
    }
    let mut from = 0;
    for (at, _) in text.match_indices('{').take(MOST_PLACES) {
        let Some(rest) = text.get(at..).filter(|_| at >= from) else { continue };
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        if let Some(Ok(value @ Value::Object(_))) = values.next() {
            from = at + values.byte_offset();
            found.push(value);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn objects_in_prompts_are_examples_and_templates_are_none() {
        let text = "{% if schema %}{{ schema }}{% endif %} such as {\"a\": {\"b\": 1}} or\n```json example\n{\"a\": \"x\"}\n```\n{a}";
        assert_eq!(examples(text), [json!({"a": {"b": 1}}), json!({"a": "x"})]);
    }
}
