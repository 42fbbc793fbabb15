//! The condition under which a field of a rubric applies at all, over other fields of the candidate.

use super::condition::{Condition, ConditionContext, Operand, condition};
use super::field_trie::FieldTrie;
use super::keys::CONDITION;
use super::placing::placed;
use super::program::Index;
use super::reference::Reference;
use crate::diag::{Code, Problem, Problems};
use crate::value::decode::Decode;
use crate::value::shape::Shape;
use crate::value::yaml::Node;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The condition under which a field applies, as it is written.
#[derive(Debug, Clone)]
pub struct AppliesWhen {
    condition: Condition,
    /// The fields that it inspects, by their names. Never empty.
    looks_at: BTreeSet<String>,
}

/// Like [`AppliesWhen`], ready to be asked of a candidate.
#[derive(Debug, Clone)]
pub struct Applicability {
    /// The condition.
    pub condition: Condition,
    /// The fields that it inspects, and their slots in a candidate.
    pub looks_at: Vec<(Arc<str>, Index)>,
}

impl AppliesWhen {
    pub(super) fn compile(&self, fields: &mut FieldTrie) -> Applicability {
        let condition = placed(&self.condition, fields);
        let looks_at = self.looks_at.iter().map(|name| (Arc::from(name.as_str()), fields.add_field(name)));
        Applicability { looks_at: looks_at.collect(), condition }
    }
}

impl Decode for AppliesWhen {
    const EXPECTED: &'static str =
        "a condition of a rule about other fields, such as `{ field: histology, contains: carcinoma }`";

    fn shape() -> Shape {
        Shape::Mapping(&CONDITION)
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let context = ConditionContext { subject: Operand::Value, has_key: false };
        let condition = condition(node, &context, problems)?;
        let mut looks_at = BTreeSet::new();
        if !collect(&condition, &mut looks_at) || looks_at.is_empty() {
            problems.push(
                Problem::error(
                    Code::InertRule,
                    &node.span,
                    "each test of this condition must be about another top-level field of the candidate",
                )
                .help("name the field: `{ field: histology, contains: carcinoma }`"),
            );
            return None;
        }
        Some(AppliesWhen { condition, looks_at })
    }
}

/// Collects the fields that a condition inspects. Returns whether that is all it inspects.
fn collect(condition: &Condition, found: &mut BTreeSet<String>) -> bool {
    let mut name = |reference: &Reference| match reference {
        Reference::Field { name, .. } => {
            found.insert(name.clone());
            true
        }
        Reference::Root { .. } | Reference::Target(_) | Reference::Holder { .. } | Reference::Before(_) => {
            false
        }
    };
    match condition {
        Condition::Test { subject: Operand::At(reference), test } => {
            name(reference) && test.references().iter().all(name)
        }
        Condition::Test { subject: Operand::Value | Operand::Key | Operand::Source, .. } => false,
        Condition::All(inner) | Condition::Any(inner) => inner.iter().all(|inner| collect(inner, found)),
        Condition::Not(inner) => collect(inner, found),
    }
}
