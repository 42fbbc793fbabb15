//! Rubrics: which fields a document type should have, how much each weighs, and what fields are called in texts.

use super::checks::pattern;
use super::keys;
use crate::diag::{Code, Problem, Problems};
use crate::value::decode::{Decode, Fields, Spanned, number_in};
use crate::value::shape::Shape;
use crate::value::yaml::{Data, Node};
use regex::Regex;
use std::collections::BTreeMap;

/// How much a field matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Importance {
    /// Its absence is a major issue.
    Required,
    /// Its absence is a minor issue.
    Important,
    /// Its absence is no issue.
    Optional,
}

impl Importance {
    /// From the weightiest down.
    pub const ALL: [Importance; 3] = [Importance::Required, Importance::Important, Importance::Optional];

    /// The word in a rubric.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Importance::Required => "required",
            Importance::Important => "important",
            Importance::Optional => "optional",
        }
    }
}

/// A checked rubric.
#[derive(Debug, Clone)]
pub struct Rubric {
    /// What a present field of each importance weighs.
    pub weights: Weights,
    /// What is known of fields, whatever the document type.
    pub fields: BTreeMap<String, FieldKnowledge>,
    /// The fields of each document type, required ones first, then in file order.
    pub types: BTreeMap<String, Vec<(Importance, String)>>,
}

/// What a present field weighs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// A required field.
    pub required: f64,
    /// An important field.
    pub important: f64,
    /// An optional field.
    pub optional: f64,
}

impl Default for Weights {
    /// Unless the rubric says otherwise: required 1.0, important 0.7, optional 0.3.
    fn default() -> Self {
        Weights { required: 1.0, important: 0.7, optional: 0.3 }
    }
}

impl Weights {
    /// The weight of a field of this importance.
    #[must_use]
    pub fn of(&self, importance: Importance) -> f64 {
        match importance {
            Importance::Required => self.required,
            Importance::Important => self.important,
            Importance::Optional => self.optional,
        }
    }
}

/// What is known of one field.
#[derive(Debug, Clone, Default)]
pub struct FieldKnowledge {
    /// What it may be called in a text.
    pub synonyms: Vec<String>,
    /// If one of these matches the source (in any case), the source speaks of the field.
    pub mentions: Vec<Regex>,
    /// What to do when it is missing.
    pub suggestion: Option<String>,
    /// What the keys inside it may be called.
    pub keys: BTreeMap<String, Vec<String>>,
}

/// Reads a rubric file.
pub(super) fn decode_rubric(root: &Node, problems: &mut Problems) -> Option<Rubric> {
    let mut fields = Fields::open(root, &keys::RUBRIC, problems)?;
    fields.optional::<String>("rubric", problems);
    fields.optional::<String>("description", problems);
    // Followed before this is decoded (`Inheritance`).
    fields.optional::<String>("extends", problems);
    let weights = match fields.node("weights") {
        Some(node) => decode_weights(node, problems).unwrap_or_default(),
        None => Weights::default(),
    };
    let known = fields.optional("fields", problems).unwrap_or_default();
    let types = match fields.node("types") {
        Some(node) => decode_types(node, problems),
        None => {
            problems.push(fields.lacking("types", "add `types:` with the fields of each document type"));
            BTreeMap::new()
        }
    };
    fields.finish(problems);
    Some(Rubric { weights, fields: known, types })
}

fn decode_weights(node: &Node, problems: &mut Problems) -> Option<Weights> {
    let mut fields = Fields::open(node, &keys::WEIGHTS, problems)?;
    let defaults = Weights::default();
    let mut read =
        |key, default| fields.node(key).and_then(|n| number_in(n, 0.0, 1e6, problems)).unwrap_or(default);
    let weights = Weights {
        required: read("required", defaults.required),
        important: read("important", defaults.important),
        optional: read("optional", defaults.optional),
    };
    fields.finish(problems);
    Some(weights)
}

fn decode_types(node: &Node, problems: &mut Problems) -> BTreeMap<String, Vec<(Importance, String)>> {
    let Data::Map(entries) = &node.data else {
        crate::value::decode::wrong_type::<()>(
            node,
            "a mapping from document types to their fields",
            problems,
        );
        return BTreeMap::new();
    };
    let mut types = BTreeMap::new();
    for entry in entries {
        let Some(mut fields) = Fields::open(&entry.value, &keys::DOCUMENT_TYPE, problems) else { continue };
        let mut list: Vec<(Importance, Spanned<String>)> = Vec::new();
        for importance in Importance::ALL {
            let names: Vec<Spanned<String>> =
                fields.optional(importance.as_str(), problems).unwrap_or_default();
            for name in names {
                if let Some((_, first)) = list.iter().find(|(_, known)| known.value == name.value) {
                    problems.push(
                        Problem::error(
                            Code::Conflict,
                            &name.span,
                            format!("the field `{}` is listed twice", name.value),
                        )
                        .related(&first.span, "first here")
                        .help("a field has one importance"),
                    );
                    continue;
                }
                if name.value.is_empty() {
                    problems.push(Problem::error(Code::Empty, &name.span, "a field needs a name"));
                    continue;
                }
                list.push((importance, name));
            }
        }
        fields.finish(problems);
        types.insert(entry.key.clone(), list.into_iter().map(|(i, name)| (i, name.value)).collect());
    }
    types
}

impl Decode for FieldKnowledge {
    const EXPECTED: &'static str = "a mapping with `synonyms`, `mentions`, `suggestion` and `keys`";

    fn shape() -> Shape {
        Shape::Mapping(&keys::FIELD)
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let mut fields = Fields::open(node, &keys::FIELD, problems)?;
        let patterns: Vec<Spanned<String>> = fields.optional("mentions", problems).unwrap_or_default();
        let keys: BTreeMap<String, KeyKnowledge> = fields.optional("keys", problems).unwrap_or_default();
        let knowledge = FieldKnowledge {
            synonyms: fields.optional("synonyms", problems).unwrap_or_default(),
            mentions: patterns.iter().filter_map(|p| pattern(&p.value, true, &p.span, problems)).collect(),
            suggestion: fields.optional("suggestion", problems),
            keys: keys.into_iter().map(|(key, known)| (key, known.0)).collect(),
        };
        fields.finish(problems);
        Some(knowledge)
    }
}

/// Synonyms of a key inside a field.
struct KeyKnowledge(Vec<String>);

impl Decode for KeyKnowledge {
    const EXPECTED: &'static str = "a mapping with `synonyms`";

    fn shape() -> Shape {
        Shape::Mapping(&keys::KEY)
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let mut fields = Fields::open(node, &keys::KEY, problems)?;
        let synonyms = fields.optional("synonyms", problems).unwrap_or_default();
        fields.finish(problems);
        Some(KeyKnowledge(synonyms))
    }
}
