//! The program that profile and rules become for one document type.

use super::applies::Applicability;
use super::compiled_rule::{CompiledRule, CompiledTarget};
use super::field_trie::FieldTrie;
use super::reference::Reference;
use super::rubric::{Importance, KnownFrom};
use super::schema::SchemaCheck;
use crate::profile::{Combine, Counts, Disagreement, Overall, Weight};
use crate::script::FunctionId;
use crate::value::{Score, Severity, TextPattern};
use loopctl_ground::Trust;
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// Position in a table, or the number of a slot.
pub type Index = u32;

/// Everything that assessing a candidate of one document type needs. Immutable, shared by all documents.
#[derive(Debug)]
pub struct Program {
    /// The document type, or `unknown`.
    pub document_type: Arc<str>,
    /// Names of dimensions, in the order of the profile.
    pub dimensions: Vec<Arc<str>>,
    /// The measure of each of them, in the same order; `None` for one that is given, or measured elsewhere.
    pub measures: Vec<Option<CompiledMeasure>>,
    /// The way the overall score follows.
    pub overall: Overall,
    /// The locations that rubrics and rules inspect.
    pub fields: FieldTrie,
}

/// Names and slots of fields; inline while they are few, because they are asked for with every candidate.
type Slots<'p> = SmallVec<[(&'p str, Index); 4]>;

impl Program {
    /// The rule of this name, if its dimensions have one.
    pub fn rule(&self, id: &str) -> Option<&CompiledRule> {
        fn of<'p>(measure: &'p CompiledMeasure, id: &str) -> Option<&'p CompiledRule> {
            match measure {
                CompiledMeasure::Rules { rules, .. } => rules.iter().find(|rule| &*rule.issue.rule == id),
                CompiledMeasure::Ensemble { members, .. } => {
                    members.iter().find_map(|(member, _)| of(member.as_ref()?, id))
                }
                CompiledMeasure::Rubric(_)
                | CompiledMeasure::Schema(_)
                | CompiledMeasure::Grounding(_)
                | CompiledMeasure::Script(_) => None,
            }
        }
        self.measures.iter().flatten().find_map(|measure| of(measure, id))
    }
}

/// The measure of a dimension.
#[derive(Debug)]
pub enum CompiledMeasure {
    /// The share of weights whose fields are present.
    Rubric(RubricFields),
    /// The findings of a schema.
    Schema(SchemaCheck),
    /// 1 less a penalty for each issue of some rules.
    Rules {
        /// The rules, in the order of their file.
        rules: Vec<CompiledRule>,
        /// Taken off for each issue.
        penalty: Score,
        /// The least it can be.
        floor: Score,
        /// The issues that count.
        counts: Counts,
    },
    /// The share of values that the source supports.
    Grounding(GroundingSettings),
    /// The result of a function, clamped.
    Script(FunctionId),
    /// The combination of several measures.
    Ensemble {
        /// The measures, and how much each counts, where weights count.
        members: Vec<(Option<CompiledMeasure>, Weight)>,
        /// The way in which they become one.
        combine: Combine,
        /// The condition under which they differ too much.
        disagreement: Option<Disagreement>,
    },
}

/// The fields of a rubric, for one document type.
#[derive(Debug)]
pub struct RubricFields {
    /// The knowledge about each.
    pub fields: Vec<RubricField>,
    /// The data about each that a candidate in which all is well needs, close together.
    pub weights: Vec<FieldWeight>,
    /// The severity when something of a field is left behind in the document.
    pub left_behind: Severity,
    /// The severity for single fields, whose lists are to have all rows of their tables.
    pub left_behind_of: Vec<(Arc<str>, Severity)>,
}

impl RubricFields {
    /// The severity when something of a field is left behind in the document.
    #[must_use]
    pub fn left_behind(&self, field: &str) -> Severity {
        let own = self.left_behind_of.iter().find(|(name, _)| **name == *field);
        own.map_or(self.left_behind, |(_, severity)| *severity)
    }
}

/// The weight of a field, and its slots in a candidate.
#[derive(Debug, Clone, Copy)]
pub struct FieldWeight {
    /// The slot of the field.
    pub slot: Index,
    /// The slot of `<name>_status`.
    pub status: Index,
    /// Its weight.
    pub weight: f64,
}

/// A field of a rubric, for one document type.
#[derive(Debug, Clone)]
pub struct RubricField {
    /// Its name.
    pub name: Arc<str>,
    /// The JSON Pointer to it.
    pub pointer: Arc<str>,
    /// The message when it is missing.
    pub missing: Arc<str>,
    /// Its importance.
    pub importance: Importance,
    /// Its weight.
    pub weight: f64,
    /// Patterns that show that the source speaks of it.
    pub mentions: Vec<TextPattern>,
    /// Advice for when it is missing.
    pub suggestion: Option<Arc<str>>,
    /// The source from which the host takes it.
    pub from: Option<KnownFrom>,
    /// The condition under which it applies; `None` for a field that always does.
    pub applies_when: Option<Arc<Applicability>>,
}

/// Settings of a grounding measure.
#[derive(Debug, Clone)]
pub struct GroundingSettings {
    /// Least similarity of a fuzzy match.
    pub fuzzy: Score,
    /// Severity of the issue about a value that is not in the source.
    pub severity: Severity,
    /// Top-level fields that are not checked.
    pub ignore: Vec<String>,
    /// Top-level fields that the host fills in with the text itself: as such they say nothing for or against the rest.
    pub known: Vec<String>,
    /// The share that a value counts which the document has, but not so that it is known to be this field's.
    pub undecided: Score,
    /// The share that a value counts that is stated, while another is stated as well.
    pub conflicting: Score,
    /// The least precision of passages of a pattern for a value to be verified.
    pub trust: Score,
    /// The precision of passages of each pattern.
    pub patterns: Arc<Trust>,
    /// `true` if values are compared with rows, columns and labels: no rubric has words for documents of this type.
    pub by_structure: bool,
    /// `true` if a judge is to decide what quotes leave undecided.
    pub judged: bool,
}

impl Program {
    /// The measures of a dimension, those of an ensemble one by one.
    pub fn measures_of(&self, dimension: &str) -> impl Iterator<Item = &CompiledMeasure> {
        let own = self.dimensions.iter().position(|name| **name == *dimension);
        let measure = own.and_then(|at| self.measures.get(at)?.as_ref());
        measure.into_iter().flat_map(CompiledMeasure::parts)
    }

    /// Returns whether something looks values up in a source.
    #[must_use]
    pub fn is_grounded(&self) -> bool {
        let mut parts = self.measures.iter().flatten().flat_map(CompiledMeasure::parts);
        parts.any(|measure| matches!(measure, CompiledMeasure::Grounding(_)))
    }

    /// Returns whether candidates are checked against a schema.
    #[must_use]
    pub fn is_held_against_a_schema(&self) -> bool {
        let mut parts = self.measures.iter().flatten().flat_map(CompiledMeasure::parts);
        parts.any(|measure| matches!(measure, CompiledMeasure::Schema(_)))
    }

    /// Every field of its rubrics.
    pub fn rubric_fields(&self) -> impl Iterator<Item = &RubricField> {
        let parts = self.measures.iter().flatten().flat_map(CompiledMeasure::parts);
        parts.flat_map(|measure| match measure {
            CompiledMeasure::Rubric(rubric) => rubric.fields.as_slice(),
            _ => &[],
        })
    }

    /// Every field of its rubrics, with the slot of each.
    pub fn rubric_slots(&self) -> impl Iterator<Item = (&RubricField, Index)> {
        let parts = self.measures.iter().flatten().flat_map(CompiledMeasure::parts);
        parts.flat_map(|measure| {
            let (fields, weights): (&[RubricField], &[FieldWeight]) = match measure {
                CompiledMeasure::Rubric(rubric) => (&rubric.fields, &rubric.weights),
                _ => (&[], &[]),
            };
            fields.iter().zip(weights.iter().map(|weight| weight.slot))
        })
    }

    /// The fields in which a rule asks for something that is present, with the slot of each.
    pub fn presence_slots(&self) -> impl Iterator<Item = (&str, Index)> {
        self.rules().flat_map(|rule| {
            let own: Slots<'_> = match &rule.target {
                _ if !rule.asks_absent() => Slots::new(),
                CompiledTarget::Candidate => Slots::new(),
                CompiledTarget::Field { slot, name, .. } => smallvec![(&**name, *slot)],
                CompiledTarget::Each { path, slots } => {
                    path.first_names().map(String::as_str).zip(slots.iter().copied()).collect()
                }
            };
            let asked = rule.all_checks().flat_map(|check| check.condition.required());
            let asked = asked.flat_map(|reference| match reference {
                Reference::Field { name, slot: Some(slot) } => smallvec![(&**name, *slot)],
                Reference::Root { path, slots } => {
                    path.first_names().map(String::as_str).zip(slots.iter().copied()).collect()
                }
                Reference::Field { slot: None, .. }
                | Reference::Target(_)
                | Reference::Holder { .. }
                | Reference::Before(_) => Slots::new(),
            });
            own.into_iter().chain(asked)
        })
    }

    /// Every rule of its rule sets.
    pub fn rules(&self) -> impl Iterator<Item = &CompiledRule> {
        let parts = self.measures.iter().flatten().flat_map(CompiledMeasure::parts);
        parts.flat_map(CompiledMeasure::rules)
    }
}

impl CompiledMeasure {
    /// The rules, if it is a rule set.
    #[must_use]
    pub fn rules(&self) -> &[CompiledRule] {
        if let CompiledMeasure::Rules { rules, .. } = self { rules } else { &[] }
    }

    /// The members of an ensemble, or the measure itself.
    pub fn parts(&self) -> impl Iterator<Item = &CompiledMeasure> {
        let members: &[(Option<CompiledMeasure>, Weight)] = match self {
            CompiledMeasure::Ensemble { members, .. } => members,
            _ => &[],
        };
        let alone = !matches!(self, CompiledMeasure::Ensemble { .. });
        members.iter().filter_map(|(member, _)| member.as_ref()).chain(alone.then_some(self))
    }
}
