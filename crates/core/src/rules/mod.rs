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
mod field_trie;
mod first_letters;
mod formats;
mod inherit;
mod inherited_schema;
mod keys;
mod name_table;
mod pattern_groups;
mod phrase;
mod program;
mod quantity;
mod rubric;
mod rule;
mod schema;
mod schema_cost;
mod template;
mod test;
mod vocabulary;
mod xsd;
mod xsd_order;
#[cfg(test)]
pub(crate) mod memory;
#[cfg(test)]
mod mistakes;

pub use answers::{AnswerSchema, Answers};
pub use applies::{Applicability, AppliesWhen};
pub use bound::Bound;
#[doc(hidden)]
pub use compile::UNKNOWN_TYPE;
pub use compile::{CompiledRules, compile};
pub use compiled_rule::{Check, CompiledRule, CompiledTarget};
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
pub use field_trie::{FieldTrie, TrieNode};
#[doc(hidden)]
pub use formats::{is_format, parse_date};
#[doc(hidden)]
pub use inherit::Inheritance;
#[doc(hidden)]
pub use inherited_schema::whole_schema;
#[doc(hidden)]
pub use keys::RULES;
pub use phrase::{GAP, Phrase, is_gap, is_special};
pub use program::{
    CompiledMeasure, FieldWeight, GroundingSettings, Index, Program, RubricField, RubricFields,
};
pub use quantity::Quantity;
pub use rubric::{FieldKnowledge, FieldValues, Importance, KnownFrom, Rubric, Weights};
pub use rule::{IssueText, Target};
#[doc(hidden)]
pub use rule::{MESSAGE_VARIABLES, code_of_rule};
#[doc(hidden)]
pub use schema::is_among_schemas;
pub use schema::{Schema, SchemaCheck};
pub use schema_cost::TooMuch;
pub use template::Template;
pub use test::{Format, JsonType, Moment, PathSpec, Reference, Test};
pub use vocabulary::{Named, Vocabulary};
pub use xsd::Datatype;
#[doc(hidden)]
pub use xsd_order::compare_ordered;
