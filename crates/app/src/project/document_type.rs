//! `new document-type`: all that a profile must know of a type, without a line of what it knows already.

use super::change::{Plan, Refusal};
use super::draft::{Draft, EDITOR_SCHEMAS, Project};
use super::insert::{Unfit, into_list, into_mapping, replace_text};
use super::name::{self, kebab, title, words};
use super::profile::{DEFAULT_PARENT, add_profile};
use super::proof::{Of, cases_pass};
use crate::diag::Problems;
use crate::profile::{Files, Loaded, Measure};
use crate::rules::{Inheritance, UNKNOWN_TYPE};
use crate::value::prose::did_you_mean;
use crate::value::yaml::{Data, Node};
use regex::Regex;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

const CLASSIFICATION: &str = include_str!("templates/classify.yaml");
const RUBRIC: &str = include_str!("templates/rubric.yaml");
const EXTRACTION: &str = include_str!("templates/extraction.yaml");
const CASES: &str = include_str!("templates/profile.test.yaml");

/// The fields of a type by default.
const DEFAULT_FIELDS: [&str; 2] = ["subject", "date"];

/// Most fields that are begun with.
const MOST_FIELDS: usize = 40;

/// A request for a new document type.
#[derive(Debug, Clone, Copy)]
pub struct NewDocumentType<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its fields, the first of which is required; left out, `subject` and `date`.
    pub fields: &'a [String],
    /// The profile of the project that is to know it; left out, the only one.
    pub profile: Option<&'a str>,
}

/// Plans a type: how it is recognised, its fields, their form and patterns, a sample document and a case.
///
/// # Errors
/// A name that is invalid or taken, a profile that has no place for types, a file that can't be added to.
pub(super) fn new_document_type(project: &Project, wanted: NewDocumentType<'_>) -> Result<Plan, Refusal> {
    let kind = FieldType::checked(&wanted)?;
    let mut draft = Draft::of(project);
    let profile = chosen_profile(&mut draft, wanted.profile, kind.name)?;
    refuse_known(&draft, &profile, kind.name)?;
    let places = Places::of(&draft, &profile, kind.name)?;

    let classification = own_classification(&mut draft, &profile, &places)?;
    add(&mut draft, &classification, "classify", &kind.classification())?;
    let rubric = own_rubric(&mut draft, &profile, &places)?;
    let known = known_fields(&draft, &rubric)?;
    add(&mut draft, &rubric, "types", &kind.rubric_type())?;
    let knowledge = kind.rubric_fields(&known);
    if !knowledge.is_empty() {
        add(&mut draft, &rubric, "fields", &knowledge)?;
    }
    for path in &places.schemas {
        draft.create(path, kind.schema())?;
    }
    for path in &places.patterns {
        draft.create(path, kind.extraction(path))?;
    }
    let document = format!("documents/{}.txt", kind.name);
    draft.create(&document, kind.document())?;
    let tests = format!("profiles/{profile}.test.yaml");
    if !draft.has(&tests) {
        draft.create(&tests, CASES.replace("@NAME@", &profile))?;
    }
    let case = kind.case();
    draft.edit(&tests, &case, |text| match into_list(text, &["cases"], &case) {
        Err(Unfit::Absent(_)) => {
            let begun = into_mapping(text, &[], "cases:\n")?;
            into_list(&begun, &["cases"], &case)
        }
        other => other,
    })?;
    draft.bring_editor_schemas()?;
    draft.profile(&profile)?;
    cases_pass(&draft, Of::Profile(&profile), &kind.case_name())?;
    Ok(Plan {
        changes: draft.changes,
        next: vec![
            format!("loopctl check {profile}"),
            format!("loopctl test {profile}"),
            format!("loopctl run --profile {profile} --out out {document}"),
        ],
        ..Plan::default()
    })
}

/// The profile that is to know of it; in a project without any, one is begun by the name `begin`.
pub(super) fn chosen_profile(
    draft: &mut Draft,
    wanted: Option<&str>,
    begin: &str,
) -> Result<String, Refusal> {
    let own = draft.project.profiles();
    match (wanted, own.as_slice()) {
        (Some(name), _) if own.iter().any(|known| known == name) => Ok(name.to_owned()),
        (Some(name), _) => {
            Err(Refusal::new(format!("no profile of this project is called `{name}`")).help(did_you_mean(
                name,
                own.iter().map(String::as_str),
                format!("`loopctl new profile NAME --extends {name}` begins one"),
            )))
        }
        (None, [only]) => Ok(only.clone()),
        (None, []) => {
            add_profile(draft, begin, DEFAULT_PARENT)?;
            Ok(begin.to_owned())
        }
        (None, several) => Err(Refusal::new("this project has several profiles").help(format!(
            "name the one that is to recognise the type with `--profile`: {}",
            several.join(", ")
        ))),
    }
}

fn refuse_known(draft: &Draft, profile: &str, document_type: &str) -> Result<(), Refusal> {
    let (_, plan) = draft.profile(profile)?;
    if plan.document_types().any(|known| known == document_type) {
        let message = format!("the profile `{profile}` knows the document type `{document_type}` already");
        return Err(Refusal::new(message).help(format!(
            "choose another name; `loopctl new field NAME --type {document_type}` adds a field to it"
        )));
    }
    Ok(())
}

/// The files in which a profile looks for what it must know of a type.
pub(super) struct Places {
    classification: String,
    /// The dimension that is measured by the rubric, and the rubric's name.
    rubric: (String, String),
    pub(super) schemas: Vec<String>,
    pub(super) patterns: Vec<String>,
}

impl Places {
    /// The file of the rubric that the profile asks.
    pub(super) fn rubric_path(&self) -> String {
        format!("rules/rubrics/{}.yaml", self.rubric.1)
    }

    pub(super) fn of(draft: &Draft, profile: &str, document_type: &str) -> Result<Places, Refusal> {
        let (loaded, _) = draft.profile(profile)?;
        let unfit = |why: &str| {
            Refusal::new(format!("the profile `{profile}` can't have document types of its own: {why}")).help(
                "begin a profile that can with `loopctl new profile NAME --extends balanced`, and name it with `--profile`",
            )
        };
        let Some(classification) = &loaded.profile.classify else {
            return Err(unfit("it does not classify documents (`classify: null`)"));
        };
        let rubric =
            rubric_of(&loaded).ok_or_else(|| unfit("no dimension of it is measured by a rubric alone"))?;
        let mut schemas = Vec::new();
        let mut patterns = Vec::new();
        for stage in &loaded.profile.stages {
            let output = stage.call.output.as_ref().map(|path| path.value.as_str());
            schemas.extend(output.and_then(|path| filled(path, document_type)));
            let found = stage.patterns.as_ref().map(|path| path.value.as_str());
            patterns.extend(
                found.and_then(|path| filled(path, document_type)).map(|path| format!("rules/{path}")),
            );
        }
        schemas.sort();
        schemas.dedup();
        patterns.sort();
        patterns.dedup();
        if schemas.is_empty() {
            return Err(unfit("its answers have one schema for all types"));
        }
        Ok(Places { classification: classification.value.clone(), rubric, schemas, patterns })
    }
}

/// A path for one type; `None` if it is the same for all.
fn filled(path: &str, document_type: &str) -> Option<String> {
    let variable = Regex::new(r"\{\{-?\s*document_type\s*-?\}\}").ok()?;
    variable.is_match(path).then(|| variable.replace_all(path, document_type).into_owned())
}

/// The first dimension that a rubric measures, and the rubric.
fn rubric_of(loaded: &Loaded) -> Option<(String, String)> {
    loaded.profile.dimensions.iter().find_map(|dimension| match &dimension.measure {
        Measure::Rubric { name } => Some((dimension.name.clone(), name.value.clone())),
        _ => None,
    })
}

/// The project's classification, which is created and named in the profile if need be.
fn own_classification(draft: &mut Draft, profile: &str, places: &Places) -> Result<String, Refusal> {
    let path = format!("rules/{}.yaml", places.classification);
    if draft.has(&path) {
        return Ok(path);
    }
    let name = format!("classify-{profile}");
    let path = format!("rules/{name}.yaml");
    draft.create(&path, CLASSIFICATION.replace("@PARENT@", &places.classification))?;
    let entry = format!("classify: {name}   # rules/{name}.yaml says what a document is\n");
    draft.edit(&format!("profiles/{profile}.yaml"), &entry, |text| {
        match into_mapping(text, &[], &format!("\n{entry}")) {
            Err(Unfit::Occupied(_)) => replace_text(text, &["classify"], &name),
            other => other,
        }
    })?;
    Ok(path)
}

/// The project's rubric, which is created and named in the profile if need be.
pub(super) fn own_rubric(draft: &mut Draft, profile: &str, places: &Places) -> Result<String, Refusal> {
    let (dimension, parent) = &places.rubric;
    let path = format!("rules/rubrics/{parent}.yaml");
    if draft.has(&path) {
        return Ok(path);
    }
    let path = format!("rules/rubrics/{profile}.yaml");
    draft.create(&path, RUBRIC.replace("@PARENT@", parent).replace("@NAME@", profile))?;
    let entry = format!(
        "{dimension}: {{ rubric: {profile} }}   # rules/rubrics/{profile}.yaml says which fields should be there\n"
    );
    let by_hand = format!("assess:\n  {entry}");
    draft.edit(&format!("profiles/{profile}.yaml"), &by_hand, |text| {
        match into_mapping(text, &["assess"], &entry) {
            Err(Unfit::Absent(_)) => into_mapping(text, &[], &format!("\n{by_hand}")),
            Err(Unfit::Occupied(_)) => replace_text(text, &["assess", dimension, "rubric"], profile),
            other => other,
        }
    })?;
    Ok(path)
}

/// Adds entries below a key, which is created if it does not exist.
pub(super) fn add(draft: &mut Draft, path: &str, key: &str, entries: &str) -> Result<(), Refusal> {
    let below: String = entries.lines().map(|line| format!("  {line}\n")).collect();
    let by_hand = format!("{key}:\n{below}");
    draft.edit(path, &by_hand, |text| match into_mapping(text, &[key], entries) {
        Err(Unfit::Absent(_)) => into_mapping(text, &[], &format!("\n{by_hand}")),
        other => other,
    })
}

/// A rubric with all that it extends.
pub(super) fn whole_rubric(draft: &Draft, path: &str) -> Result<Option<Node>, Refusal> {
    let library = draft.library();
    let file = library.read(path)?;
    Ok(file.and_then(|file| Inheritance::RUBRICS.read(&file, &library, &mut Problems::new())))
}

/// The fields of which a rubric, with all that it extends, knows something.
pub(super) fn known_fields(draft: &Draft, path: &str) -> Result<Vec<String>, Refusal> {
    let tree = whole_rubric(draft, path)?;
    let fields = tree.as_ref().and_then(|tree| tree.get("fields"));
    Ok(match fields {
        Some(Node { data: Data::Map(entries), .. }) => {
            entries.iter().map(|entry| entry.key.clone()).collect()
        }
        _ => Vec::new(),
    })
}

/// A field as a rubric has it.
pub(super) fn rubric_field(field: &str) -> String {
    let label = words(field);
    format!(
        "{field}:\n  synonyms: [{label}]   # what documents call it; a value is looked for beside these words\n  mentions: ['(?m)^\\W*{label}\\s*:\\s*\\S']   # where it is found, the field can't be said to be absent\n  suggestion: look for the {label}\n"
    )
}

/// A field and its status as a schema has them.
pub(super) fn schema_field(field: &str) -> ((String, Value), (String, Value)) {
    let label = words(field);
    let value = format!("The {label}, as the document writes it.");
    let status = format!(
        "`not_present` when the document says nothing about the {label}; `ambiguous` when it says several things that can't \
         all be right."
    );
    (
        (field.to_owned(), json!({ "type": "string", "minLength": 1, "description": value })),
        (
            format!("{field}_status"),
            json!({ "type": "string", "enum": ["present", "not_present", "ambiguous"], "description": status }),
        ),
    )
}

/// A field as the extraction patterns of the provider `pattern` have it.
pub(super) fn extraction_field(field: &str) -> String {
    let label = words(field);
    format!("{field}:\n  patterns:\n    - pattern: '^{label}\\s*:\\s*(?P<value>\\S[^\\r\\n]*)'\n")
}

/// A type and its fields.
struct FieldType<'a> {
    name: &'a str,
    fields: Vec<&'a str>,
}

impl<'a> FieldType<'a> {
    fn checked(wanted: &NewDocumentType<'a>) -> Result<FieldType<'a>, Refusal> {
        kebab("document type", wanted.name)?;
        if wanted.name == UNKNOWN_TYPE {
            return Err(Refusal::new("`unknown` can't be the name of a document type")
                .help("a document is `unknown` when no type fits; choose another name"));
        }
        if EDITOR_SCHEMAS.contains(&wanted.name) {
            return Err(Refusal::new(format!(
                "a document type `{}` would have a schema of ours as its own",
                wanted.name
            ))
            .help(
                "editors read `schemas/NAME.schema.json` of profiles, rules and so on; choose another name",
            ));
        }
        let fields: Vec<&str> = match wanted.fields {
            [] => DEFAULT_FIELDS.to_vec(),
            given => given.iter().map(|field| field.trim()).collect(),
        };
        for (at, field) in fields.iter().enumerate() {
            name::field(field)?;
            if fields.iter().take(at).any(|other| other == field) {
                return Err(
                    Refusal::new(format!("the field `{field}` is named twice")).help("name each once")
                );
            }
        }
        if fields.len() > MOST_FIELDS {
            return Err(Refusal::new(format!("{} fields are too many to begin with", fields.len()))
                .help(format!("begin with at most {MOST_FIELDS}; more can be added to the files")));
        }
        Ok(FieldType { name: wanted.name, fields })
    }

    /// The value of a field in the sample document.
    fn sample(field: &str) -> String {
        let words = words(field);
        if words.split(' ').any(|word| word == "date") {
            "3 March 2025".to_owned()
        } else {
            format!("made-up {words}")
        }
    }

    /// The text without the line that says that it is made up, which does not belong in a case.
    fn text(&self) -> String {
        let mut text = format!("{}\n\n", words(self.name).to_uppercase());
        for field in &self.fields {
            let _ = writeln!(text, "{}: {}", title(field), Self::sample(field));
        }
        text
    }

    fn document(&self) -> String {
        self.text().replacen("\n\n", "\n\n(An invented example: put a real document in its place.)\n\n", 1)
    }

    fn classification(&self) -> String {
        let mut entry = format!(
            "{}:   # what speaks for this type; look at several documents, and keep to words that others lack\n",
            self.name
        );
        let heading = words(self.name).split(' ').collect::<Vec<_>>().join("[ -]");
        let _ = writeln!(entry, r"  - {{ pattern: '\b{heading}\b', weight: 5 }}");
        for field in &self.fields {
            let _ = writeln!(entry, r"  - {{ pattern: '^{}\s*:', weight: 1 }}", words(field));
        }
        entry
    }

    fn rubric_type(&self) -> String {
        let (first, rest) =
            self.fields.split_first().map_or(("", [].as_slice()), |(first, rest)| (*first, rest));
        let mut entry = format!(
            "{}:\n  required: [{first}]   # missing: a major issue; further fields may be `important` (minor) or `optional` (none)\n",
            self.name
        );
        if !rest.is_empty() {
            let _ = writeln!(entry, "  important: [{}]", rest.join(", "));
        }
        entry
    }

    /// Of fields that the rubric does not know yet.
    fn rubric_fields(&self, known: &[String]) -> String {
        let mut entries = String::new();
        for field in self.fields.iter().filter(|field| !known.iter().any(|other| other == *field)) {
            entries.push_str(&rubric_field(field));
        }
        entries
    }

    fn schema(&self) -> String {
        let mut properties = Map::new();
        let (values, statuses): (Vec<_>, Vec<_>) =
            self.fields.iter().map(|field| schema_field(field)).unzip();
        properties.extend(values.into_iter().chain(statuses));
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": format!("Extraction from a document of the type {}", self.name),
            "type": "object",
            "additionalProperties": false,
            "properties": Value::Object(properties),
        });
        serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
    }

    fn extraction(&self, path: &str) -> String {
        let up = "../".repeat(path.matches('/').count());
        let mut text = EXTRACTION.replace("@NAME@", self.name).replace("@UP@", &up);
        for field in &self.fields {
            text.extend(extraction_field(field).lines().map(|line| format!("  {line}\n")));
        }
        text
    }

    fn case_name(&self) -> String {
        format!("a {} with all its fields, and one without any", self.name)
    }

    fn case(&self) -> String {
        let source: String = self
            .text()
            .lines()
            .map(|line| if line.is_empty() { "\n".to_owned() } else { format!("  {line}\n") })
            .collect();
        let values: Vec<String> =
            self.fields.iter().map(|field| format!("{field}: {}", Self::sample(field))).collect();
        let required = self.fields.first().copied().unwrap_or_default();
        format!(
            "name: {}\nsource: |\n{source}candidates:\n  - {{ {} }}\n  - {{}}\nexpect:\n  document_type: {}\n  assessments:\n    - {{ issues: [] }}\n    - {{ issues: [{{ code: MISSING_FIELD, severity: major, path: /{required} }}] }}\n",
            self.case_name(),
            values.join(", "),
            self.name
        )
    }
}
