//! The files of a stage or judge, read and checked once.

use super::reference_path::reference_path;
use super::repairers::Repairers;
use crate::diag::{Code, Problem, Problems, SourceFile, Span};
use crate::feedback::{Passages, Role, Template, Templates};
use crate::profile::{
    Asked, CandidateKind, Dimension, Files, Judge, Repair, Stage, StageEvidence, Validator,
};
use crate::rules::{
    Inheritance, PatternCheck, Schema, check_extraction, is_among_schemas, values_of_fields, whole_schema,
};
use crate::value::decode::Spanned;
use crate::value::{PATH, fill_in_path, unescape};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The ending of prompts that ask for quotes.
const QUOTES: &str = "prompts/evidence.md";

/// A stage with everything it names.
#[derive(Debug)]
pub struct StagePlan {
    /// As the profile has it.
    pub stage: Stage,
    /// Its prompt, if it has one.
    pub prompt: Option<Template>,
    /// The ending of its prompt when it asks for quotes; `None` when it asks for none.
    pub quotes: Option<Template>,
    /// The schema that its output must follow, by document type.
    pub schemas: BTreeMap<String, Value>,
    /// Extraction patterns, by document type.
    pub patterns: BTreeMap<String, Value>,
    /// Its context files.
    pub passages: Passages,
    /// The repairers of its answers.
    pub repairers: Repairers,
}

/// A judge with everything it names.
#[derive(Debug)]
pub struct JudgePlan {
    /// As the profile has it.
    pub judge: Judge,
    /// Its prompt.
    pub prompt: Option<Template>,
    /// The schema that its answer must follow, by document type.
    pub schemas: BTreeMap<String, Value>,
    /// The schemas, compiled.
    checks: BTreeMap<String, Arc<Schema>>,
    /// The readers of its answers. Answers are not changed: a changed verdict is no longer the judge's.
    pub repairers: Repairers,
}

impl JudgePlan {
    /// Holds an answer against the schema that the judge was given: one that does not follow it can't be read. A score
    /// of 95 where 0 to 1 was asked for is no 1.
    ///
    /// # Errors
    /// The location and the keyword of the first violation, without any of the answer's text.
    pub fn check(&self, document_type: &str, answer: &Value) -> Result<(), String> {
        let Some(schema) = self.checks.get(document_type) else { return Ok(()) };
        let validator = schema
            .for_value(answer)
            .map_err(|much| format!("the answer of `{}` can't be checked: {much}", self.judge.id.value))?;
        let error = validator.iter_errors(answer).next();
        match error {
            None => Ok(()),
            Some(error) => Err(format!(
                "the answer of `{}` does not follow its schema at `{}` (`{}`)",
                self.judge.id.value,
                error.instance_path(),
                error.kind().keyword()
            )),
        }
    }
}

/// A validator with the script that it runs.
#[derive(Debug)]
pub struct ValidatorPlan {
    /// As the profile has it.
    pub validator: Validator,
    /// The text that is the last argument of its command.
    pub script: Option<Arc<SourceFile>>,
}

/// The source of a plan's files, and the settings by which they are checked.
pub(super) struct PlanReader<'a> {
    pub(super) files: &'a dyn Files,
    pub(super) templates: &'a mut Templates,
    pub(super) types: &'a [String],
    /// The classification that gives them.
    pub(super) classify: Option<&'a str>,
    /// The depth to which patterns are checked; `None` leaves schemas of answers and patterns out.
    pub(super) care: Option<PatternCheck>,
    pub(super) candidate: CandidateKind,
    pub(super) dimensions: &'a [Dimension],
    pub(super) repair: Repair,
}

impl PlanReader<'_> {
    /// Reads the files that a stage names; `earlier` are the ids of the stages before it.
    pub(super) fn stage(&mut self, stage: &Stage, earlier: &[&str], problems: &mut Problems) -> StagePlan {
        let prompt = stage.call.prompt.as_ref().and_then(|name| {
            let file = read(self.files, &format!("prompts/{}", name.value), &name.span, problems)?;
            self.templates.add_stage(&file, earlier, problems)
        });
        let quotes = match (stage.evidence, self.candidate) {
            (StageEvidence::Quotes, CandidateKind::Value) => {
                read(self.files, QUOTES, &stage.id.span, problems)
                    .and_then(|file| self.templates.add_stage(&file, earlier, problems))
            }
            (StageEvidence::Quotes, CandidateKind::Patch) => {
                let problem = "quotes are asked for, but candidates are patches, which have none";
                let problem = Problem::warning(Code::Conflict, &stage.id.span, problem);
                problems.push(problem.help("take `evidence: quotes` away"));
                None
            }
            (StageEvidence::None, _) => None,
        };
        let mut passages = Passages::default();
        for name in &stage.context_files {
            if let Some(file) = read(self.files, &format!("prompts/{}", name.value), &name.span, problems) {
                passages.add(&name.value, file.text());
            }
        }
        let output = stage.call.output.as_ref();
        let schemas = self.outputs(output, problems);
        // A patch with one operation fewer is another edit, and an empty one would pass for "nothing wrong".
        let repairers = match self.candidate {
            CandidateKind::Patch => Repairers::without_schemas(self.repair),
            CandidateKind::Value => {
                Repairers::new(self.repair, &schemas, output.map(|output| &output.span), problems)
            }
        };
        StagePlan {
            prompt,
            quotes,
            repairers,
            schemas,
            patterns: self.patterns(stage, problems),
            passages,
            stage: stage.clone(),
        }
    }

    /// Reads the files that a judge names; `role` says what its prompt may use.
    pub(super) fn judge(&mut self, judge: &Judge, role: Role, problems: &mut Problems) -> JudgePlan {
        let prompt = judge.call.prompt.as_ref().and_then(|name| {
            let file = read(self.files, &format!("prompts/{}", name.value), &name.span, problems)?;
            self.templates.add(role, &file, problems)
        });
        let schemas = self.outputs(judge.call.output.as_ref(), problems);
        let repairers = Repairers::without_schemas(self.repair);
        let mut checks: BTreeMap<String, Arc<Schema>> = BTreeMap::new();
        for (document_type, schema) in &schemas {
            // A path without `{{ document_type }}` is the same for all.
            let known =
                schemas.iter().find(|(_, other)| *other == schema).and_then(|(first, _)| checks.get(first));
            let compiled =
                known.cloned().or_else(|| Schema::compile(&judge.id.value, schema).ok().map(Arc::new));
            checks.extend(compiled.map(|compiled| (document_type.clone(), compiled)));
        }
        self.check_pointers(judge, &schemas, problems);
        if let Some(named) = &judge.reference
            && let Err(why) = reference_path(&named.value, "id", "type")
        {
            let problem = format!("this path can't be filled in: {why}");
            problems.push(
                Problem::error(Code::BadTemplate, &named.span, problem)
                    .help("the variables in it are `document_id` and `document_type`"),
            );
        }
        JudgePlan { prompt, schemas, checks, repairers, judge: judge.clone() }
    }

    /// A pointer to a field that the answer's schema does not declare finds nothing, and issues that are not found are
    /// not issues.
    fn check_pointers(&self, judge: &Judge, schemas: &BTreeMap<String, Value>, problems: &mut Problems) {
        let Some(schema) = schemas.values().next() else { return };
        let scores = self.dimensions.iter().filter_map(|dimension| dimension.second.as_ref());
        let scores = scores.flat_map(|second| &second.sources);
        let scores = scores.filter(|source| source.name.value == judge.id.value);
        for pointer in scores.filter_map(|source| source.score.as_ref()).chain(&judge.issues) {
            if !may_hold(schema, &pointer.value) {
                problems.push(
                    Problem::warning(
                        Code::BadPath,
                        &pointer.span,
                        format!("the schema of this judge's answer has nothing at `{}`", pointer.value),
                    )
                    .help("point at a property that the schema declares"),
                );
            }
        }
    }

    /// Reads the files that a validator names.
    pub(super) fn validator(&self, validator: &Validator, problems: &mut Problems) -> ValidatorPlan {
        let named = match &validator.asked {
            Asked::Command { script, .. } => script.as_ref(),
            Asked::Service { .. } => None,
        };
        let script =
            named.and_then(|name| read(self.files, &format!("rules/{}", name.value), &name.span, problems));
        ValidatorPlan { script, validator: validator.clone() }
    }

    fn outputs(&self, output: Option<&Spanned<String>>, problems: &mut Problems) -> BTreeMap<String, Value> {
        let Some(output) = output.filter(|_| self.care.is_some()) else { return BTreeMap::new() };
        let mut schemas = BTreeMap::new();
        let mut known: BTreeMap<String, Option<Value>> = BTreeMap::new();
        if self.nothing_there(output, problems) {
            return schemas;
        }
        for document_type in self.types {
            let Some(path) = path_for(&output.value, document_type, &output.span, problems) else { break };
            if !is_among_schemas(&path, &output.span, problems) {
                break;
            }
            // A path without `{{ document_type }}` is the same for all.
            let schema = known.entry(path).or_insert_with_key(|path| {
                if self.is_missing(path) {
                    problems.push(self.missing_schema(path, document_type, output));
                    return None;
                }
                self.schema(path, output, problems)
            });
            schemas.extend(schema.clone().map(|schema| (document_type.clone(), schema)));
        }
        schemas
    }

    fn is_missing(&self, path: &str) -> bool {
        matches!(self.files.read(path), Ok(None))
    }

    /// Reports once that no type has a schema: the path is wrong, not the types.
    fn nothing_there(&self, output: &Spanned<String>, problems: &mut Problems) -> bool {
        let mut unheard = Problems::new();
        let mut paths: Vec<String> = Vec::new();
        for document_type in self.types {
            let Some(path) = path_for(&output.value, document_type, &output.span, &mut unheard) else {
                return false;
            };
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        let [first, _, ..] = paths.as_slice() else { return false };
        if !paths.iter().all(|path| self.is_missing(path)) {
            return false;
        }
        let message = format!("no document type has a file at `{}`: there is no `{first}`", output.value);
        let problem = Problem::error(Code::MissingFile, &output.span, message);
        problems.push(match self.schema_like(first, |_| true) {
            Some(guess) => problem.help(format!("there is `{guess}`: write the path as that one is written")),
            None => {
                problem.help("write where the schemas are, such as `schemas/{{ document_type }}.schema.json`")
            }
        });
        true
    }

    fn schema(&self, path: &str, named: &Spanned<String>, problems: &mut Problems) -> Option<Value> {
        let file = read(self.files, path, &named.span, problems)?;
        match whole_schema(&file, self.files) {
            Ok(schema) => {
                if let Err(error) = jsonschema::meta::validate(&schema) {
                    let at = error.instance_path().to_string();
                    let message = format!("not a JSON Schema at `{at}`");
                    let problem = Problem::error(Code::BadSchema, &key_place(&file, &at), message);
                    let problem = problem.related(&named.span, "named here");
                    problems.push(if at.ends_with("/type") {
                        problem.help("types are array, boolean, integer, null, number, object and string")
                    } else {
                        problem
                            .help("look the keyword up at https://json-schema.org/understanding-json-schema")
                    });
                    return None;
                }
                Some(schema)
            }
            Err(problem) => {
                problems.push(problem.related(&named.span, "named here"));
                None
            }
        }
    }

    fn patterns(&self, stage: &Stage, problems: &mut Problems) -> BTreeMap<String, Value> {
        let (Some(declared), Some(care)) = (&stage.patterns, self.care) else { return BTreeMap::new() };
        let mut patterns = BTreeMap::new();
        for document_type in self.types {
            let Some(path) = path_for(&declared.value, document_type, &declared.span, problems) else {
                break;
            };
            let path = format!("rules/{path}");
            match self.files.read(&path) {
                Ok(Some(file)) => {
                    if let Some(node) = Inheritance::EXTRACTIONS.read(&file, self.files, problems) {
                        check_extraction(&node, care, problems);
                        let values = values_of_fields(&node, self.files, problems);
                        patterns.insert(document_type.clone(), for_providers(node.to_json(), values));
                    }
                }
                Ok(None) => {
                    problems.push(self.missing_patterns(&path, document_type, declared));
                }
                Err(problem) => {
                    let span = problem.span.clone().or_else(|| Some(declared.span.clone()));
                    problems.push(Problem { span, ..problem });
                }
            }
        }
        patterns
    }
}

/// The position of the key that a JSON Pointer ends with: each segment is looked for after the one before.
fn key_place(file: &Arc<SourceFile>, pointer: &str) -> Span {
    let mut found = (0, 1);
    for segment in pointer.split('/').skip(1) {
        let key = format!("\"{}\"", unescape(segment));
        let rest = file.text().get(found.1..).unwrap_or_default();
        if let Some(at) = rest.find(&key) {
            let start = found.1 + at;
            found = (start, start + key.len());
        }
    }
    Span::new(file, found.0, found.1)
}

/// Extraction patterns as providers get them: vocabularies with their phrases instead of their names, without the
/// examples beside patterns, which are for people, and without keys whose value is `null`, which are as good as absent.
fn for_providers(mut patterns: Value, values: Vec<(String, Value)>) -> Value {
    leave_out_examples(&mut patterns);
    leave_out_nulls(&mut patterns);
    let fields = patterns.get_mut("fields").and_then(Value::as_object_mut);
    for (name, field) in fields.into_iter().flatten() {
        let own = values.iter().find(|(of, _)| of == name);
        if let (Some(field), Some((_, phrases))) = (field.as_object_mut(), own) {
            field.insert("values".to_owned(), phrases.clone());
        }
    }
    patterns
}

fn leave_out_nulls(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|_, member| !member.is_null());
            members.values_mut().for_each(leave_out_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(leave_out_nulls),
        _ => {}
    }
}

/// Of fields, and of the members of their items. The names of vocabularies go with them.
fn leave_out_examples(holder: &mut Value) {
    let fields = holder.get_mut("fields").and_then(Value::as_object_mut);
    for field in fields.into_iter().flat_map(serde_json::Map::values_mut) {
        if let Some(field) = field.as_object_mut() {
            field.remove("values");
        }
        let entries = field.get_mut("patterns").and_then(Value::as_array_mut);
        for entry in entries.into_iter().flatten().filter_map(Value::as_object_mut) {
            entry.remove("examples");
        }
        leave_out_examples(field);
    }
}

/// Returns whether a value that follows `schema` may have something at `pointer`. Only plain properties are followed;
/// anything declared in another way may hold any value.
fn may_hold(schema: &Value, pointer: &str) -> bool {
    let mut schema = schema;
    for segment in pointer.split('/').skip(1) {
        let Some(Value::Object(properties)) = schema.get("properties") else { return true };
        match properties.get(unescape(segment).as_ref()) {
            Some(inner) => schema = inner,
            None => return false,
        }
    }
    true
}

/// Reads a file that the profile names at `span`.
pub(super) fn read(
    files: &dyn Files,
    name: &str,
    span: &Span,
    problems: &mut Problems,
) -> Option<Arc<SourceFile>> {
    match files.read(name) {
        Ok(Some(file)) => Some(file),
        Ok(None) => {
            let problem = Problem::error(Code::MissingFile, span, format!("there is no file `{name}`"));
            problems.push(problem.help("it is looked for beside the profile, in the working directory, in $LOOPCTL_HOME and among the shipped files"));
            None
        }
        Err(problem) => {
            problems.push(Problem { span: problem.span.clone().or_else(|| Some(span.clone())), ..problem });
            None
        }
    }
}

/// Fills in `{{ document_type }}`.
pub(super) fn path_for(
    template: &str,
    document_type: &str,
    span: &Span,
    problems: &mut Problems,
) -> Option<String> {
    if template.len() > PATH.source_bytes {
        problems.push(Problem::error(Code::TooLarge, span, "this path is longer than any file's"));
        return None;
    }
    match fill_in_path(template, minijinja::context! { document_type }) {
        Ok(path) => Some(path),
        Err(error) => {
            let what = error.detail().map_or_else(|| error.to_string(), str::to_owned);
            problems.push(
                Problem::error(Code::BadTemplate, span, format!("this path can't be filled in: {what}"))
                    .help("the only variable in paths is `document_type`"),
            );
            None
        }
    }
}
