//! `new field`: one more field of a document type, without a copy of what ships for the type.

use super::change::{Plan, Refusal};
use super::document_type::{
    Places, add, chosen_profile, extraction_field, known_fields, own_rubric, rubric_field, schema_field,
    whole_rubric,
};
use super::draft::{Draft, Project};
use super::insert::{Unfit, into_list, into_mapping};
use super::name::{self, kebab};
use crate::diag::{Problems, SourceFile, nearest};
use crate::profile::Files;
use crate::rules::{Importance, whole_schema};
use crate::value::prose::listed;
use crate::value::yaml::{self, Data, Node};
use serde_json::{Map, Value, json};

/// A request for a new field.
#[derive(Debug, Clone, Copy)]
pub struct NewField<'a> {
    /// Its name.
    pub name: &'a str,
    /// The documents that have it.
    pub document_type: &'a str,
    /// Its importance, which says what it means when it is missing.
    pub importance: Importance,
    /// The profile of the project that asks for it; left out, the only one.
    pub profile: Option<&'a str>,
}

/// Plans a field: its form, its patterns, and its importance.
///
/// # Errors
/// A name that is invalid or taken, a type that the profile does not know, a file that can't be added to.
pub(super) fn new_field(project: &Project, wanted: NewField<'_>) -> Result<Plan, Refusal> {
    let NewField { name: field, document_type, .. } = wanted;
    name::field(field)?;
    kebab("document type", document_type)?;
    let mut draft = Draft::of(project);
    let profile = chosen_profile(&mut draft, wanted.profile, &format!("own-{document_type}"))?;
    refuse_unknown_type(&draft, &profile, document_type)?;
    let places = Places::of(&draft, &profile, document_type)?;
    for path in &places.schemas {
        add_to_schema(&mut draft, path, field)?;
    }
    for path in &places.patterns {
        add_to_patterns(&mut draft, path, document_type, field)?;
    }
    // Before a rubric is created: an empty one takes away what it extends.
    let inherited = places.rubric_path();
    let known = known_fields(&draft, &inherited)?;
    let level = level(wanted.importance);
    let mut fields = fields_at(&draft, &inherited, document_type, level)?;
    fields.push(field.to_owned());
    let rubric = own_rubric(&mut draft, &profile, &places)?;
    ask_for(&mut draft, &rubric, document_type, level, &fields)?;
    if !known.iter().any(|known| known == field) {
        add(&mut draft, &rubric, "fields", &rubric_field(field))?;
    }
    draft.bring_editor_schemas()?;
    draft.profile(&profile)?;
    let mut plan = Plan {
        changes: draft.changes,
        next: vec![
            format!("loopctl check {profile}"),
            format!("loopctl test {profile}"),
            format!("loopctl run --profile {profile} --type {document_type} --out out DOCUMENT"),
        ],
        ..Plan::default()
    };
    plan.remarks.push(format!(
        "say in `{}` how documents write it; what is there is a guess",
        places.patterns.first().or(places.schemas.first()).map_or("", String::as_str)
    ));
    plan.remarks.push(format!(
        "every profile that is run in this folder has the field `{field}` in its schema; `{profile}` alone asks for it"
    ));
    Ok(plan)
}

/// The name of an importance in a rubric.
fn level(importance: Importance) -> &'static str {
    match importance {
        Importance::Required => "required",
        Importance::Important => "important",
        Importance::Optional => "optional",
    }
}

fn refuse_unknown_type(draft: &Draft, profile: &str, document_type: &str) -> Result<(), Refusal> {
    let (_, plan) = draft.profile(profile)?;
    let known: Vec<&str> = plan.document_types().collect();
    if known.contains(&document_type) {
        return Ok(());
    }
    let message = format!("the profile `{profile}` knows no document type `{document_type}`");
    let list = listed(&known);
    Err(Refusal::new(message).help(match nearest(document_type, known) {
        Some(guess) => format!("did you mean `{guess}`? Known: {list}"),
        None => format!("known: {list}; `loopctl new document-type {document_type}` makes one"),
    }))
}

fn add_to_schema(draft: &mut Draft, path: &str, field: &str) -> Result<(), Refusal> {
    let library = draft.library();
    let there = library.read(path)?;
    let whole = there.as_ref().map(|file| whole_schema(file, &library)).transpose()?;
    if whole.as_ref().is_some_and(|schema| schema.pointer(&format!("/properties/{field}")).is_some()) {
        return Err(
            Refusal::new(format!("`{path}` has the field `{field}` already")).help("choose another name")
        );
    }
    let (value, status) = schema_field(field);
    let new: Map<String, Value> = [value, status].into_iter().collect();
    if draft.has(path) {
        let by_hand = format!("{:#}", Value::Object(new.clone()));
        return draft.edit(path, &by_hand, |text| with_properties(text, new).ok_or(Unfit::Unsafe));
    }
    let parent = path.strip_prefix("schemas/").and_then(|rest| rest.strip_suffix(".schema.json"));
    let mut schema = json!({ "$schema": "https://json-schema.org/draft/2020-12/schema" });
    if let (Some(members), Some(parent)) = (schema.as_object_mut(), parent.filter(|_| there.is_some())) {
        members.insert("extends".to_owned(), parent.into());
    }
    if let Some(members) = schema.as_object_mut() {
        members.insert("properties".to_owned(), Value::Object(new));
    }
    draft.create(path, format!("{schema:#}\n"))
}

/// A schema with more properties; `None` for a text that is none.
fn with_properties(text: &str, new: Map<String, Value>) -> Option<String> {
    let mut schema: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()?;
    let properties = schema.as_object_mut()?.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    properties.as_object_mut()?.extend(new);
    Some(format!("{schema:#}\n"))
}

fn add_to_patterns(draft: &mut Draft, path: &str, document_type: &str, field: &str) -> Result<(), Refusal> {
    let entry = extraction_field(field);
    if draft.has(path) {
        return add(draft, path, "fields", &entry);
    }
    let name = path.strip_prefix("rules/extract/").and_then(|rest| rest.strip_suffix(".yaml"));
    let extends = match (draft.library().read(path)?, name) {
        (Some(_), Some(name)) => format!("extends: {name}   # the patterns that ship with loopctl\n"),
        _ => String::new(),
    };
    let up = "../".repeat(path.matches('/').count());
    let entry: String = entry.lines().map(|line| format!("  {line}\n")).collect();
    draft.create(
        path,
        format!(
            "# yaml-language-server: $schema={up}schemas/extraction.schema.json\nextract: {document_type}\n{extends}\nfields:\n{entry}"
        ),
    )
}

/// Adds the field to the list of a type's fields. A list replaces that of the parent, so it begins with that.
fn ask_for(
    draft: &mut Draft,
    rubric: &str,
    document_type: &str,
    level: &str,
    fields: &[String],
) -> Result<(), Refusal> {
    let line = format!("{level}: [{}]", fields.join(", "));
    let text = draft.own_text(rubric)?.unwrap_or_default();
    let own = yaml::parse(&SourceFile::new(rubric, text), &mut Problems::new());
    let of_type = own.as_ref().and_then(|own| own.get("types")?.get(document_type));
    let Some(of_type) = of_type else {
        return add(draft, rubric, "types", &format!("{document_type}:\n  {line}\n"));
    };
    let by_hand = format!("types:\n  {document_type}:\n    {line}\n");
    let path = ["types", document_type, level];
    match of_type.get(level) {
        None => draft.edit(rubric, &by_hand, |text| {
            into_mapping(text, &["types", document_type], &format!("{line}\n"))
        }),
        Some(Node { span, data: Data::List(_) }) if span.text().ends_with(']') => {
            let (start, end) = (span.start(), span.end());
            draft.edit(rubric, &by_hand, |text| {
                let (Some(before), Some(after)) = (text.get(..start), text.get(end..)) else {
                    return Err(Unfit::Unsafe);
                };
                Ok(format!("{before}[{}]{after}", fields.join(", ")))
            })
        }
        Some(_) => {
            let field = fields.last().map_or("", String::as_str);
            draft.edit(rubric, &by_hand, |text| into_list(text, &path, field))
        }
    }
}

/// The fields of a type at a level, as a rubric has them with all that it extends.
fn fields_at(draft: &Draft, rubric: &str, document_type: &str, level: &str) -> Result<Vec<String>, Refusal> {
    let tree = whole_rubric(draft, rubric)?;
    let list = tree.as_ref().and_then(|tree| tree.get("types")?.get(document_type)?.get(level));
    Ok(match list.map(|list| &list.data) {
        Some(Data::List(fields)) => {
            fields.iter().filter_map(|field| field.as_text().map(str::to_owned)).collect()
        }
        _ => Vec::new(),
    })
}
