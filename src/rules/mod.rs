//! The language of rubrics and rules: files to checked types to [`Program`]s.
//!
//! A rule looks at a target (`field: NAME`, `each: JSONPATH`, or the whole candidate), applies `when` its condition
//! holds, and asks its checks; the first that fails becomes the rule's issue for that target. Where a check or
//! condition names another place, a plain name is a top-level field, `$.a.b` a path from the candidate, `@.b` a path from
//! the target, `^.b` one from what the target stands in, and `<.b` one from the list element before it.
//!
//! A target that is absent ([`crate::value::is_present`]) is asked `required` and `require` only. In a condition, a
//! test of an absent value does not hold.

mod bound;
mod checks;
mod compile;
mod condition;
mod emit;
mod extraction;
mod formats;
mod inherit;
mod inherited_schema;
mod keys;
mod program;
mod rubric;
mod rule;
mod schema;
mod schema_cost;
mod template;
mod test;
mod xsd;
#[cfg(test)]
pub(crate) mod memory;
#[cfg(test)]
mod mistakes;

pub use bound::Bound;
pub use compile::{CompiledRules, UNKNOWN_TYPE, compile};
pub use condition::{Condition, Operand};
pub use extraction::{Extraction, PatternCheck, check_extraction};
pub use formats::{is_format, parse_date};
pub use inherit::Inheritance;
pub use inherited_schema::whole_schema;
pub use keys::RULES;
pub use program::{Address, Check, FieldName, GroundingSettings, Index, Op, OpSubject, Program, RubricField};
pub use rubric::{FieldKnowledge, Importance, Rubric, Weights};
pub use rule::{IssueText, MESSAGE_VARIABLES, Rule, Target};
pub use schema::{Schema, SchemaCheck, count_leaves, not_json};
pub use schema_cost::TooMuch;
pub use template::Template;
pub use test::{Format, JsonType, Moment, PathSpec, Reference, Test};
pub use xsd::Datatype;
