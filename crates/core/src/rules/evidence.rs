//! The knowledge about fields for the search for evidence: their names, the vocabularies that read their values, and
//! the context.

use super::compile::{missing, open};
use super::context::Context;
use super::each::Each;
use super::inherit::Inheritance;
use super::rubric::{FieldValues, Rubric};
use super::vocabulary::Vocabulary;
use crate::diag::{Problems, SourceFile};
use crate::profile::Files;
use crate::value::decode::Spanned;
use crate::value::yaml;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

/// The knowledge about texts in the rubrics that grounding uses.
#[derive(Debug, Clone, Default)]
pub struct EvidenceRules {
    /// Every vocabulary, by the name by which fields name it.
    pub vocabularies: Vec<(String, Vocabulary)>,
    /// The way in which texts assert what they mention.
    pub context: Option<Context>,
    /// Fields, and keys inside of them.
    pub fields: Vec<FieldName>,
    /// Kinds of which a document may hold several, by name.
    pub each: Vec<(String, Each)>,
    /// The first vocabulary that lists a name, by the name as all its writings have it.
    listing: OnceLock<HashMap<String, usize>>,
}

/// A field and what it may be called in a source.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldName {
    /// Its key in a candidate.
    pub key: String,
    /// Its other names.
    pub synonyms: Vec<String>,
    /// The vocabulary that reads its values, if the rubric says which.
    pub values: Option<String>,
    /// The unit of its numbers, if the rubric says which.
    pub unit: Option<String>,
    /// The distance that a number may have from the true one, if the rubric says so.
    pub tolerance: Option<f64>,
    /// The member that names each item, if the field is a list and the rubric says which.
    pub item_key: Option<String>,
}

impl EvidenceRules {
    /// The vocabulary that reads the values of a field or key: the one that the rubric names, else the first that lists its
    /// name, else the first that lists another name of it.
    #[must_use]
    pub fn vocabulary_of(&self, key: &str) -> Option<(&str, &Vocabulary)> {
        let field = self.fields.iter().find(|field| field.key == key);
        if let Some(named) = field.and_then(|field| field.values.as_ref()) {
            return self.vocabulary(named);
        }
        let synonyms = field.into_iter().flat_map(|field| field.synonyms.iter().map(String::as_str));
        let listing = self.listing.get_or_init(|| self.by_listed_name());
        let found = std::iter::once(key).chain(synonyms).find_map(|name| listing.get(&squeezed(name)))?;
        self.vocabularies.get(*found).map(|(name, one)| (name.as_str(), one))
    }

    fn by_listed_name(&self) -> HashMap<String, usize> {
        let mut listing = HashMap::new();
        for (number, (_, vocabulary)) in self.vocabularies.iter().enumerate() {
            for field in &vocabulary.fields {
                listing.entry(squeezed(field)).or_insert(number);
            }
        }
        listing
    }

    /// One vocabulary, `rules/vocabularies/NAME.yaml`, and a context, for trying them: with the fields that it reads,
    /// under the names that the rubrics on disk have for them. `None` if the vocabulary can't be used.
    pub fn alone(
        name: &str,
        context: Option<&Spanned<String>>,
        files: &dyn Files,
        problems: &mut Problems,
    ) -> Option<EvidenceRules> {
        let path = format!("{}/{name}.yaml", Inheritance::VOCABULARIES.folder);
        let file = files.read(&path).unwrap_or_else(|problem| {
            problems.push(problem);
            None
        })?;
        let vocabulary = decode_vocabulary(&file, files, problems)?;
        let context = context.and_then(|name| read_context(name, files, problems));
        // Its names are known, so that they are found in texts.
        let mut fields: Vec<FieldName> = vocabulary
            .fields
            .iter()
            .map(|key| FieldName {
                key: key.clone(),
                synonyms: Vec::new(),
                values: Some(name.to_owned()),
                unit: None,
                tolerance: None,
                item_key: None,
            })
            .collect();
        for field in read_with(name, files) {
            match fields.iter_mut().find(|known| known.key == field.key) {
                Some(known) => known.synonyms.extend(field.synonyms),
                None => fields.push(FieldName { values: Some(name.to_owned()), ..field }),
            }
        }
        Some(EvidenceRules {
            fields,
            vocabularies: vec![(name.to_owned(), vocabulary)],
            context,
            ..EvidenceRules::default()
        })
    }

    /// The vocabulary of that name.
    #[must_use]
    pub fn vocabulary(&self, name: &str) -> Option<(&str, &Vocabulary)> {
        self.vocabularies.iter().find(|(known, _)| known == name).map(|(name, one)| (name.as_str(), one))
    }
}

/// The fields that the rubrics on disk read with a vocabulary. Mistakes in a rubric are reported where it is used.
fn read_with(vocabulary: &str, files: &dyn Files) -> Vec<FieldName> {
    let Inheritance { folder, .. } = Inheritance::RUBRICS;
    let mut found = Vec::new();
    for path in files.list(folder, ".yaml") {
        let Some(file) = files.read(&path).ok().flatten().filter(|file| !file.is_shipped()) else { continue };
        let unheard = &mut Problems::new();
        let rubric = Inheritance::RUBRICS
            .read(&file, files, unheard)
            .and_then(|root| Rubric::read_mapping(&root, unheard));
        let Some(rubric) = rubric else { continue };
        let mut evidence = EvidenceFiles::default();
        evidence.read(&rubric, files, unheard);
        let rules = evidence.rules(std::iter::once((path.as_str(), &rubric)));
        let reads =
            |field: &&FieldName| rules.vocabulary_of(&field.key).is_some_and(|(name, _)| name == vocabulary);
        found.extend(rules.fields.iter().filter(reads).cloned());
    }
    found
}

/// A name as all its spellings share it: `marginStatus`, `margin_status` and `margin status` are one.
fn squeezed(name: &str) -> String {
    let letters = name.chars().filter(|c| c.is_alphanumeric());
    if name.is_ascii() {
        return letters.map(|c| c.to_ascii_lowercase()).collect();
    }
    letters.flat_map(char::to_lowercase).collect()
}

/// Vocabularies and contexts that rubrics name, each read once.
#[derive(Debug, Default)]
pub(super) struct EvidenceFiles {
    vocabularies: BTreeMap<String, Option<Vocabulary>>,
    contexts: BTreeMap<String, Option<Context>>,
}

impl EvidenceFiles {
    /// Reads the files that a rubric names.
    pub(super) fn read(&mut self, rubric: &Rubric, files: &dyn Files, problems: &mut Problems) {
        let named = rubric.fields.values().flat_map(|field| {
            std::iter::once(&field.values).chain(field.keys.values().map(|key| &key.values)).flatten()
        });
        let named = named.filter_map(|values| match values {
            FieldValues::Vocabulary(name) => Some(name),
            FieldValues::Own(_) => None,
        });
        for name in rubric.vocabularies.iter().chain(named) {
            if !self.vocabularies.contains_key(&name.value) {
                let found = read_vocabulary(name, files, problems);
                self.vocabularies.insert(name.value.clone(), found);
            }
        }
        if let Some(name) = &rubric.context
            && !self.contexts.contains_key(&name.value)
        {
            let found = read_context(name, files, problems);
            self.contexts.insert(name.value.clone(), found);
        }
    }

    /// The knowledge in these rubrics, in their order.
    pub(super) fn rules<'r>(&self, rubrics: impl Iterator<Item = (&'r str, &'r Rubric)>) -> EvidenceRules {
        let mut rules = EvidenceRules::default();
        for (name, rubric) in rubrics {
            for vocabulary in &rubric.vocabularies {
                self.add(&vocabulary.value, &mut rules);
            }
            for (key, field) in &rubric.fields {
                let values = self.values(&field.values, || format!("{name}/{key}"), &mut rules);
                rules.fields.push(FieldName {
                    key: key.clone(),
                    synonyms: field.synonyms.clone(),
                    values,
                    unit: field.unit.as_ref().map(|unit| unit.value.clone()),
                    tolerance: field.tolerance,
                    item_key: field.item_key.clone(),
                });
                for (inner, known) in &field.keys {
                    let values = self.values(&known.values, || format!("{name}/{key}/{inner}"), &mut rules);
                    rules.fields.push(FieldName {
                        key: inner.clone(),
                        synonyms: known.synonyms.clone(),
                        values,
                        unit: known.unit.as_ref().map(|unit| unit.value.clone()),
                        tolerance: known.tolerance,
                        item_key: None,
                    });
                }
            }
            rules.each.extend(rubric.each.iter().map(|(kind, each)| (kind.clone(), each.clone())));
            if rules.context.is_none()
                && let Some(context) = &rubric.context
            {
                rules.context = self.contexts.get(&context.value).cloned().flatten();
            }
        }
        rules
    }

    /// The name of the vocabulary to which a field's `values` refer; it is added if it is not there yet.
    fn values(
        &self,
        values: &Option<FieldValues>,
        own_name: impl Fn() -> String,
        rules: &mut EvidenceRules,
    ) -> Option<String> {
        match values.as_ref()? {
            FieldValues::Vocabulary(name) => {
                self.add(&name.value, rules);
                Some(name.value.clone())
            }
            FieldValues::Own(values) => {
                let name = own_name();
                rules.vocabularies.push((name.clone(), Vocabulary::of_values(values.clone())));
                Some(name)
            }
        }
    }

    fn add(&self, name: &str, rules: &mut EvidenceRules) {
        if rules.vocabulary(name).is_none()
            && let Some(Some(vocabulary)) = self.vocabularies.get(name)
        {
            rules.vocabularies.push((name.to_owned(), vocabulary.clone()));
        }
    }
}

pub(super) fn read_vocabulary(
    name: &Spanned<String>,
    files: &dyn Files,
    problems: &mut Problems,
) -> Option<Vocabulary> {
    let Inheritance { folder, what } = Inheritance::VOCABULARIES;
    let file = open(name, folder, what, files, problems)?;
    decode_vocabulary(&file, files, problems)
}

/// Reads a vocabulary, laid over those that it extends.
pub fn decode_vocabulary(
    file: &Arc<SourceFile>,
    files: &dyn Files,
    problems: &mut Problems,
) -> Option<Vocabulary> {
    let root = Inheritance::VOCABULARIES.read(file, files, problems)?;
    Vocabulary::read_mapping(&root, problems)
}

/// Reads a context, laid over those that it extends.
pub fn decode_context(file: &Arc<SourceFile>, files: &dyn Files, problems: &mut Problems) -> Option<Context> {
    let root = Inheritance::CONTEXTS.read(file, files, problems)?;
    Context::read_mapping(&root, problems)
}

/// Contexts lie beside rules, so the others of that folder are not guesses.
fn read_context(name: &Spanned<String>, files: &dyn Files, problems: &mut Problems) -> Option<Context> {
    let Inheritance { folder, what } = Inheritance::CONTEXTS;
    let path = format!("{folder}/{}.yaml", name.value);
    match files.read(&path) {
        Ok(Some(file)) => decode_context(&file, files, problems),
        Ok(None) => {
            let known = files.list(folder, ".yaml");
            let names: Vec<&str> = known
                .iter()
                .filter(|name| {
                    let file = files.read(name).ok().flatten();
                    let root = file.and_then(|file| yaml::parse(&file, &mut Problems::new()));
                    root.is_some_and(|root| Context::is_one(&root))
                })
                .filter_map(|known| known.strip_prefix(folder)?.strip_prefix('/')?.strip_suffix(".yaml"))
                .collect();
            problems.push(missing(what, &path, &name.value, &names, &name.span));
            None
        }
        Err(problem) => {
            problems.push(problem.related(&name.span, "named here"));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::memory::{Memory, compiled};

    const ASSESS: &str = "{ c: { rubric: r }, a: grounding }";

    fn files(rubric: &str) -> Memory {
        Memory::default()
            .with("rules/rubrics/r.yaml", rubric)
            .with(
                "rules/vocabularies/shape.yaml",
                "fields: [polyp shape]\nvalues: { flat: [sessile], stalked: [] }\n",
            )
            .with("rules/vocabularies/shape.test.yaml", "cases: []\n")
            .with(
                "rules/vocabularies/shape-2.yaml",
                "extends: shape\nfields: [form]\nvalues: { raised: [up] }\n",
            )
            .with("rules/said.yaml", "negated: [no]\nsections: [{ headings: [history] }]\n")
            .with("rules/said-2.yaml", "extends: said\nignored: [no increase]\n")
            .with("rules/other.yaml", "rules: []\n")
    }

    fn mistakes(rubric: &str) -> Vec<String> {
        let found = compiled(ASSESS, &files(rubric)).err().unwrap();
        found.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_field_is_read_by_what_names_it() {
        let files = files(
            "vocabularies: [shape]\ncontext: said-2\nfields:\n  form2: { values: shape-2 }\n  own: { values: { a: [b c] }, unit: mm }\n  \
             seen: { synonyms: [polyp_shape], keys: { inner: { values: shape-2 } } }\ntypes: { unknown: { required: [own] } }\n",
        );
        let compiled = compiled(ASSESS, &files).unwrap();
        let evidence = compiled.evidence();
        let of =
            |key: &str| evidence.vocabulary_of(key).map(|(name, one)| (name.to_owned(), one.values.len()));
        for (key, expected) in [
            ("polypShape", Some(("shape", 2))),
            ("Polyp-shape", Some(("shape", 2))),
            ("seen", Some(("shape", 2))),
            ("form2", Some(("shape-2", 3))),
            ("inner", Some(("shape-2", 3))),
            ("own", Some(("r/own", 1))),
            ("elsewhere", None),
        ] {
            assert_eq!(of(key), expected.map(|(name, values)| (name.to_owned(), values)), "{key}");
        }
        let own = evidence.fields.iter().find(|field| field.key == "own").unwrap();
        assert_eq!(own.unit.as_deref(), Some("mm"));
        let context = evidence.context.as_ref().unwrap();
        assert_eq!((context.negated.as_slice(), context.sections.len()), (&["no".to_owned()][..], 1));
    }

    #[test]
    fn what_is_not_there_is_named_with_a_guess() {
        assert_eq!(
            mistakes("vocabularies: [shap]\ncontext: sad\ntypes: {}\nfields: { x: { values: shape-3 } }\n"),
            [
                "rules/rubrics/r.yaml:1:16: error[LC203]: there is no vocabulary `rules/vocabularies/shap.yaml`",
                "rules/rubrics/r.yaml:4:24: error[LC203]: there is no vocabulary `rules/vocabularies/shape-3.yaml`",
                "rules/rubrics/r.yaml:2:10: error[LC203]: there is no context `rules/sad.yaml`",
            ]
        );
        let found = compiled(ASSESS, &files("context: other-2\nvocabularies: [shape.test]\ntypes: {}\n"))
            .err()
            .unwrap();
        let help: Vec<&str> = found.iter().filter_map(|problem| problem.help.as_deref()).collect();
        assert!(help.iter().all(|help| !help.contains("other") && !help.contains(".test`")), "{help:?}");
    }

    #[test]
    fn values_beside_a_field_are_held_to_the_same() {
        assert_eq!(
            mistakes("fields: { x: { values: { a: ['(b', c], d: [C] } } }\ntypes: {}\n"),
            [
                "rules/rubrics/r.yaml:1:30: error[LC301]: this pattern does not compile: unclosed group",
                "rules/rubrics/r.yaml:1:44: error[LC106]: `C` says both `a` and `d`",
            ]
        );
    }
}
