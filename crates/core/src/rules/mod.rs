//! The language of rubrics and rules: files to checked types to [`Program`]s.
//!
//! A rule inspects a target (`field: NAME`, `each: JSONPATH`, or the whole candidate), applies `when` its condition
//! holds, and asks its checks; the first that fails becomes the rule's issue for that target. Where a check or
//! condition names another location, a plain name is a top-level field, `$.a.b` a path from the candidate, `@.b` a path
//! from the target, `^.b` one from what the target is in, and `<.b` one from the list element before it.
//!
//! A target that is absent ([`crate::value::is_present`]) is asked `required` and `require` only. In a condition, a
//! test of an absent value does not hold.

mod answers;
mod applies;
mod bound;
mod checks;
mod compile;
mod compiled_rule;
mod concept;
mod condition;
mod context;
mod each;
mod evidence;
mod evidence_counts;
mod extraction;
mod extraction_keys;
mod field_slots;
mod field_trie;
mod first_letters;
mod inherit;
mod inherited_schema;
mod keys;
mod memo;
mod name_table;
mod number;
mod pattern_groups;
mod phrase;
mod placing;
mod program;
mod reference;
mod rubric;
mod rule;
mod rule_scope;
mod schema;
mod schema_cost;
mod shown;
mod template;
mod vocabulary;
mod xsd;
mod xsd_order;
#[cfg(test)]
pub(crate) mod memory;
#[cfg(test)]
mod mistakes;

pub use answers::{AnswerSchema, Answers};
pub use applies::{Applicability, AppliesWhen};
#[doc(hidden)]
pub use checks::CHECKS;
pub use checks::parse_date;
pub(crate) use checks::{Blame, Test};
#[doc(hidden)]
pub use compile::UNKNOWN_TYPE;
pub use compile::{CompiledRules, compile};
pub use compiled_rule::{CompiledRule, CompiledTarget, Requirement};
#[doc(hidden)]
pub use concept::ExportTerms;
pub use concept::{Coding, Concept};
#[doc(hidden)]
pub use condition::{Condition, Operand};
pub use context::{Assertion, Context, FieldWords, Section};
pub use each::Each;
#[doc(hidden)]
pub use each::{HEADING, LABEL};
pub use evidence::{EvidenceRules, FieldName};
#[doc(hidden)]
pub use evidence::{decode_context, decode_vocabulary};
pub use evidence_counts::EvidenceCounts;
#[doc(hidden)]
pub use extraction::{Extraction, values_of_fields};
pub use extraction::{PatternCheck, check_extraction};
pub(crate) use field_slots::{FieldSlots, ReadSlots, SlotRoom, members_of};
pub use field_trie::{FieldTrie, TrieNode};
#[doc(hidden)]
pub use inherit::Inheritance;
#[doc(hidden)]
pub use inherited_schema::whole_schema;
#[doc(hidden)]
pub use keys::RULES;
pub(crate) use memo::{Memo, PlaceholderLookup};
pub use phrase::{GAP, Phrase, is_gap, is_special};
pub use program::{
    CompiledMeasure, FieldWeight, GroundingSettings, Index, Program, RubricField, RubricFields,
};
pub use rubric::{FieldKnowledge, FieldValues, Importance, KnownFrom, Rubric, Weights};
pub use rule::{IssueText, Target};
#[doc(hidden)]
pub use rule::{MESSAGE_VARIABLES, code_of_rule};
pub(crate) use rule_scope::RuleScope;
#[doc(hidden)]
pub use schema::is_among_schemas;
pub use schema::{Schema, SchemaCheck};
pub use schema_cost::TooMuch;
pub(crate) use shown::{Shown, cut, shown};
pub use template::Template;
pub use vocabulary::{Named, Vocabulary};
