//! The files that a profile reaches, as written, and the known facts about the fields of its candidates.

use super::super::ProfileView;
use super::language;
use super::schema::{Reach, SchemaNode};
use crate::diag::{Problems, SourceFile, Span};
use crate::lint::nodes::{entries, one_or_more};
use crate::profile::{CandidateKind, Files, Measure};
use crate::rules::{Inheritance, UNKNOWN_TYPE};
use crate::value::yaml::Node;
use crate::value::{PathStep, fill_in_path};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A file with its tree.
#[derive(Debug)]
pub(super) struct Written {
    /// As the profile names it: `clinical` for `rules/rubrics/clinical.yaml`.
    pub(super) name: String,
    /// The tree of its content.
    pub(super) root: Node,
}

/// The extraction patterns of a stage for one document type.
#[derive(Debug)]
pub(super) struct Extraction {
    /// The stage's place in the profile.
    pub(super) stage: usize,
    /// The document type.
    pub(super) document_type: String,
    /// The file.
    pub(super) file: Written,
}

/// The known facts about the candidates of one document type.
#[derive(Debug, Default)]
pub(super) struct Fields<'a> {
    /// The fields of the candidate that stages put in, by name; its other fields are in `whole`.
    into: BTreeMap<&'a str, Vec<SchemaNode<'a>>>,
    /// The schema of the answer that becomes the candidate.
    whole: Option<SchemaNode<'a>>,
    /// Fields that extraction patterns find.
    extracted: BTreeSet<String>,
    /// Fields that a rubric lists.
    listed: BTreeSet<String>,
}

/// Everything that the lints of content inspect.
pub(super) struct Project<'a> {
    /// The profile.
    pub(super) subject: ProfileView<'a>,
    /// The existing document types.
    pub(super) types: Vec<&'a str>,
    /// The rule files of `assess`.
    pub(super) rules: Vec<Written>,
    /// The rubrics of `assess`.
    pub(super) rubrics: Vec<Written>,
    /// The extraction patterns of stages.
    pub(super) extractions: Vec<Extraction>,
    /// The fields that candidates may hold, by document type. Empty for patches: their candidates are not documents.
    pub(super) fields: BTreeMap<&'a str, Fields<'a>>,
}

impl<'a> Project<'a> {
    /// Reads the files again. They have compiled, so they hold no errors.
    pub(super) fn read(subject: ProfileView<'a>) -> Self {
        let (profile, plan) = (&subject.loaded.profile, subject.plan);
        let types: Vec<&str> = plan.document_types().collect();
        let (mut rules, mut rubrics): (Vec<Written>, Vec<Written>) = (Vec::new(), Vec::new());
        for measure in profile.dimensions.iter().flat_map(|dimension| dimension.measure.parts()) {
            match measure {
                Measure::Rules { name, .. } => add(subject, Inheritance::RULES, &name.value, &mut rules),
                Measure::Rubric { name } => add(subject, Inheritance::RUBRICS, &name.value, &mut rubrics),
                _ => {}
            }
        }
        let mut extractions = Vec::new();
        for (at, stage) in plan.stages.iter().enumerate() {
            let Some(declared) = &stage.stage.patterns else { continue };
            for document_type in stage.patterns.keys() {
                let name = filled(&declared.value, document_type);
                if let Some(root) = tree(subject, &format!("rules/{name}")) {
                    let file = Written { name, root };
                    extractions.push(Extraction { stage: at, document_type: document_type.clone(), file });
                }
            }
        }
        let mut project = Project { subject, types, rules, rubrics, extractions, fields: BTreeMap::new() };
        if profile.candidate == CandidateKind::Value {
            let known = project.types.iter().map(|kind| (*kind, project.fields_of(kind))).collect();
            project.fields = known;
        }
        project
    }

    fn fields_of(&self, document_type: &str) -> Fields<'a> {
        let stages = &self.subject.plan.stages;
        let mut fields = Fields::default();
        for (at, stage) in stages.iter().enumerate() {
            let schema = stage.schemas.get(document_type).map(SchemaNode::whole);
            match &stage.stage.into {
                Some(into) => fields.into.entry(into.value.as_str()).or_default().extend(schema),
                None if at + 1 == stages.len() => {
                    fields.whole = schema;
                    let files = self.extractions.iter();
                    let own = files.filter(|file| file.stage == at && file.document_type == document_type);
                    fields
                        .extracted
                        .extend(own.flat_map(|file| file.fields()).map(|(name, _)| name.to_owned()));
                }
                None => {}
            }
        }
        let rubrics = self.rubrics.iter().flat_map(|rubric| rubric_fields(&rubric.root, document_type));
        fields.listed = rubrics.map(|(_, field)| field.to_owned()).collect();
        fields
    }

    /// The file of this name.
    pub(super) fn file(&self, name: &str) -> Option<Arc<SourceFile>> {
        self.subject.loaded.library.read(name).ok().flatten()
    }

    /// The rules of a file with the types that each is for.
    pub(super) fn rules_of<'n>(&self, file: &'n Written) -> impl Iterator<Item = (&'n Node, Vec<&'a str>)> {
        language::rules(&file.root).iter().map(|rule| {
            let wanted = language::texts(rule.get("for"));
            let types = self.types.iter().copied().filter(|kind| wanted.is_empty() || wanted.contains(kind));
            (rule, types.collect())
        })
    }
}

impl Extraction {
    /// The fields, each with its settings.
    pub(super) fn fields(&self) -> impl Iterator<Item = (&str, &Node)> {
        entries(self.file.root.get("fields")).map(|entry| (entry.key.as_str(), &entry.value))
    }
}

impl<'a> Fields<'a> {
    /// Returns whether a schema describes candidates.
    pub(super) fn has_schema(&self) -> bool {
        self.whole.is_some()
    }

    /// Returns whether anything says which fields exist.
    fn is_known(&self) -> bool {
        self.whole.is_some() || !self.into.is_empty() || !self.extracted.is_empty() || !self.listed.is_empty()
    }

    /// The names of the fields that the schema declares, those that stages put in among them.
    pub(super) fn declared(&self) -> Vec<&'a str> {
        let mut names: Vec<&str> = self.into.keys().copied().collect();
        names.extend(self.whole.iter().flat_map(|whole| whole.members()).map(|(name, _)| name));
        names
    }

    /// The names of all known fields.
    pub(super) fn names(&self) -> BTreeSet<String> {
        let declared = self.declared().into_iter().map(str::to_owned);
        declared.chain(self.extracted.iter().cloned()).chain(self.listed.iter().cloned()).collect()
    }

    /// Returns whether the schema has a field; `None` when it leaves that open.
    pub(super) fn schema_has(&self, field: &str) -> Option<bool> {
        if self.into.contains_key(field) {
            return Some(true);
        }
        match self.whole?.reach(&[PathStep::Key(field.to_owned())]) {
            Reach::Unknown => None,
            Reach::Places(_) => Some(true),
            Reach::Nothing { .. } => Some(false),
        }
    }

    /// Follows a path from the candidate.
    pub(super) fn reach(&self, steps: &[PathStep]) -> Reach<'a> {
        if !self.is_known() {
            return Reach::Unknown;
        }
        let Some((first, rest)) = steps.split_first() else { return Reach::Unknown };
        let PathStep::Key(name) = first else {
            return match (self.whole, self.into.is_empty()) {
                (Some(whole), true) => whole.reach(steps),
                _ => Reach::Unknown,
            };
        };
        if let Some(places) = self.into.get(name.as_str()) {
            let [place] = places.as_slice() else { return Reach::Unknown };
            return match place.reach(rest) {
                Reach::Nothing { steps, known } => Reach::Nothing { steps: steps + 1, known },
                found => found,
            };
        }
        let nothing = || Reach::Nothing { steps: 0, known: self.names().into_iter().collect() };
        let is_named = self.extracted.contains(name) || self.listed.contains(name);
        let status_of = name.strip_suffix("_status").filter(|field| self.names().contains(*field));
        match self.whole {
            Some(whole) => match whole.reach(steps) {
                Reach::Nothing { steps: 0, .. } if is_named || status_of.is_some() => Reach::Unknown,
                Reach::Nothing { steps: 0, .. } => nothing(),
                found => found,
            },
            None if is_named || status_of.is_some() => Reach::Unknown,
            // Anything may be true of an answer without a schema, unless it is not part of the candidate.
            None if self.extracted.is_empty() && self.listed.is_empty() => Reach::Unknown,
            None => nothing(),
        }
    }
}

/// The fields that a rubric has for a document type, each with its node: those of `unknown` for a type that it does not
/// list.
pub(super) fn rubric_fields<'n>(root: &'n Node, document_type: &str) -> Vec<(&'n Node, &'n str)> {
    let types = root.get("types");
    let listed = types.and_then(|types| types.get(document_type).or_else(|| types.get(UNKNOWN_TYPE)));
    let lists = entries(listed).flat_map(|entry| one_or_more(&entry.value));
    lists.filter_map(|node| Some((node, node.as_text()?))).collect()
}

/// A path with `{{ document_type }}` filled in. It has been filled in before without a mistake.
pub(super) fn filled(path: &str, document_type: &str) -> String {
    let rendered = fill_in_path(path, minijinja::context! { document_type });
    rendered.unwrap_or_else(|_| path.to_owned())
}

/// The first position of `text` in a file; its beginning if it is missing.
pub(super) fn place_of(file: &Arc<SourceFile>, text: &str) -> Span {
    match file.text().find(text) {
        Some(at) => Span::new(file, at, at + text.len()),
        None => Span::new(file, 0, 1),
    }
}

/// Adds a file with all that it extends.
fn add(subject: ProfileView<'_>, kind: Inheritance, name: &str, files: &mut Vec<Written>) {
    if files.iter().any(|known| known.name == name) {
        return;
    }
    let library = &subject.loaded.library;
    let file = library.read(&format!("{}/{name}.yaml", kind.folder)).ok().flatten();
    if let Some(root) = file.and_then(|file| kind.read(&file, library, &mut Problems::new())) {
        files.push(Written { name: name.to_owned(), root });
    }
}

fn tree(subject: ProfileView<'_>, path: &str) -> Option<Node> {
    let library = &subject.loaded.library;
    let file = library.read(path).ok().flatten()?;
    Inheritance::EXTRACTIONS.read(&file, library, &mut Problems::new())
}
