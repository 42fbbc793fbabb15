//! `new vocabulary`: the phrases for each value of a field, with texts that it must read.

use super::change::{Plan, Refusal};
use super::draft::{Draft, Project};
use super::name::{self, kebab, title, words};
use super::proof::{Of, cases_pass};
use crate::diag::{Problems, nearest};
use crate::lint::nodes::entries;
use crate::profile::Files;
use crate::rules::Inheritance;
use crate::value::yaml::{self, Data, Node};
use std::collections::BTreeSet;

const VOCABULARY: &str = include_str!("templates/vocabulary.yaml");
const CASES: &str = include_str!("templates/vocabulary.test.yaml");

/// A request for a new vocabulary.
#[derive(Debug, Clone, Copy)]
pub struct NewVocabulary<'a> {
    /// Its name.
    pub name: &'a str,
    /// The field that it reads; left out, the one with its name.
    pub field: Option<&'a str>,
}

/// Plans `rules/vocabularies/NAME.yaml` and its cases.
///
/// # Errors
/// A name that is invalid or taken, a field that the project's rubrics don't know.
pub(super) fn new_vocabulary(project: &Project, wanted: NewVocabulary<'_>) -> Result<Plan, Refusal> {
    kebab("vocabulary", wanted.name)?;
    let called_like_it = camel(wanted.name);
    let field = wanted.field.unwrap_or(&called_like_it);
    name::field(field)?;
    let rubrics = OwnRubric::all(project)?;
    if wanted.field.is_some() {
        refuse_unknown(field, &rubrics)?;
    }
    let folder = Inheritance::VOCABULARIES.folder;
    let (path, tests) =
        (format!("{folder}/{}.yaml", wanted.name), format!("{folder}/{}.test.yaml", wanted.name));
    let mut draft = Draft::of(project);
    if let Some(file) = draft.library().read(&path)?.filter(|file| file.is_shipped()) {
        let message = format!("`{}` ships with loopctl", file.name());
        return Err(Refusal::new(message).help(format!(
            "choose another name; or write `{path}` with `extends: {}` and the values that differ",
            wanted.name
        )));
    }
    let label = words(field);
    let filled = |template: &str| {
        template
            .replace("@NAME@", wanted.name)
            .replace("@FIELD@", field)
            .replace("@WORDS@", &label)
            .replace("@LABEL@", &title(field))
    };
    draft.create(&path, filled(VOCABULARY))?;
    draft.create(&tests, filled(CASES))?;
    draft.bring_editor_schemas()?;
    cases_pass(&draft, Of::Vocabulary(wanted.name), "")?;
    Ok(Plan {
        changes: draft.changes,
        remarks: vec![to_be_used(wanted.name, field, &rubrics)],
        next: vec!["loopctl check".to_owned(), format!("loopctl test {path}")],
        ..Plan::default()
    })
}

/// A rubric of the project.
struct OwnRubric {
    path: String,
    /// The contents of the file itself.
    own: Node,
    /// Like `own`, with what it extends.
    whole: Node,
}

impl OwnRubric {
    fn all(project: &Project) -> Result<Vec<OwnRubric>, Refusal> {
        let library = Draft::of(project).library();
        let mut found = Vec::new();
        for path in library.list(Inheritance::RUBRICS.folder, ".yaml") {
            let Some(file) = library.read(&path)?.filter(|_| project.has(&path)) else { continue };
            let whole = Inheritance::RUBRICS.read(&file, &library, &mut Problems::new());
            if let (Some(own), Some(whole)) = (yaml::parse(&file, &mut Problems::new()), whole) {
                found.push(OwnRubric { path, own, whole });
            }
        }
        Ok(found)
    }

    /// The fields that it knows, by itself or by what it extends.
    fn fields(&self) -> BTreeSet<&str> {
        let known = entries(self.whole.get("fields")).flat_map(|field| {
            let keys = entries(field.value.get("keys")).map(|key| key.key.as_str());
            keys.chain(std::iter::once(field.key.as_str()))
        });
        let asked = entries(self.whole.get("types")).flat_map(|of| entries(Some(&of.value)));
        let asked = asked.flat_map(|importance| match &importance.value.data {
            Data::List(names) => names.as_slice(),
            _ => &[],
        });
        known.chain(asked.filter_map(Node::as_text)).collect()
    }
}

fn refuse_unknown(field: &str, rubrics: &[OwnRubric]) -> Result<(), Refusal> {
    let known: BTreeSet<&str> = rubrics.iter().flat_map(OwnRubric::fields).collect();
    if known.is_empty() || known.contains(field) {
        return Ok(());
    }
    let new = format!("`loopctl new field {field} --type TYPE` makes one");
    Err(Refusal::new(format!("no rubric of this project has a field `{field}`")).help(
        match nearest(field, known) {
            Some(guess) => format!("did you mean `{guess}`? Else {new}"),
            None => new,
        },
    ))
}

/// The text that a user has to write so that the vocabulary is used, and where.
fn to_be_used(name: &str, field: &str, rubrics: &[OwnRubric]) -> String {
    let of_field =
        |rubric: &OwnRubric| rubric.own.get("fields").and_then(|fields| fields.get(field)).cloned();
    if let Some((path, known)) = rubrics.iter().find_map(|rubric| Some((&rubric.path, of_field(rubric)?))) {
        return match known.get("values") {
            Some(_) => {
                format!("`{field}` has other `values` in `{path}`: write `values: {name}` in their place")
            }
            None => format!("no rubric uses it yet; add `values: {name}` under `{field}` in `{path}`"),
        };
    }
    let knowing = rubrics.iter().find(|rubric| rubric.fields().contains(field));
    let place = match knowing.or(rubrics.first().filter(|_| rubrics.len() == 1)) {
        Some(rubric) => format!("in `{}`", rubric.path),
        None => "of the rubric that the profile's grounding uses".to_owned(),
    };
    format!("no rubric uses it yet; add `{field}: {{ values: {name} }}` under `fields` {place}")
}

/// `polyp-shape` as fields are called: `polypShape`.
fn camel(name: &str) -> String {
    let mut field = String::with_capacity(name.len());
    let mut after_dash = false;
    for letter in name.chars() {
        if letter != '-' {
            field.push(if after_dash { letter.to_ascii_uppercase() } else { letter });
        }
        after_dash = letter == '-';
    }
    field
}
