//! `new vocabulary`: which phrases say which value of a field, with texts that it must read.

use super::change::{Plan, Refusal};
use super::draft::{Draft, Project};
use super::name::{self, kebab, title, words};
use super::proof::{Of, cases_pass};
use crate::profile::Files;
use crate::rules::Inheritance;

const VOCABULARY: &str = include_str!("templates/vocabulary.yaml");
const CASES: &str = include_str!("templates/vocabulary.test.yaml");

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewVocabulary<'a> {
    /// Its name.
    pub name: &'a str,
    /// The field that it reads; left out, one that is called like it.
    pub field: Option<&'a str>,
}

/// Plans `rules/vocabularies/NAME.yaml` and its cases.
///
/// # Errors
/// A name that can't be or is taken.
pub(crate) fn new_vocabulary(project: &Project, wanted: NewVocabulary<'_>) -> Result<Plan, Refusal> {
    kebab("vocabulary", wanted.name)?;
    let called_like_it = camel(wanted.name);
    let field = wanted.field.unwrap_or(&called_like_it);
    name::field(field)?;
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
    let names = if label == field { field.to_owned() } else { format!("{field}, {label}") };
    let filled = |template: &str| {
        template
            .replace("@NAME@", wanted.name)
            .replace("@NAMES@", &names)
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
        remarks: vec![format!(
            "no rubric uses it yet; write `{field}: {{ values: {0} }}` under `fields` of the rubric that the profile's \
             grounding uses",
            wanted.name
        )],
        next: vec!["loopctl check".to_owned(), format!("loopctl test {path}")],
        ..Plan::default()
    })
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
