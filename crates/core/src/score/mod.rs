//! The hot path: candidate + source → assessment, by running a compiled program.

mod account;
mod answer_fields;
mod assessment;
mod asserted;
mod assessor;
mod doubtful_reading;
mod evidence;
mod clause_evidence;
mod combine;
mod field_comparison;
mod field_reader;
mod grounded;
mod issue;
mod item_name;
mod judged;
mod grounding_issue;
mod machine;
mod parted;
#[doc(hidden)]
pub mod parts;
mod placeholder;
mod pre_existing;
mod quotes;
mod reader;
mod rule_set;
mod schema_wording;
mod scores;
mod source_answers;
mod member;
mod structure;
mod layout_evidence;
mod leaves;
mod left_behind;
mod lexicon;
mod mentions;
mod plain_text;
mod positions;
mod sections;
mod source;
mod shown_line;
mod subject;
mod verdict;
mod panel;
mod weighing;
mod wording;

#[cfg(test)]
mod arithmetic;
#[cfg(test)]
mod check_table;
#[cfg(test)]
mod clinical;
#[cfg(test)]
mod growth;
#[cfg(test)]
mod from_text;
#[cfg(test)]
mod scripted;

pub use account::{DimensionBreakdown, Loss, MeasureKind, Part, ScoreBreakdown};
#[doc(hidden)]
pub use answer_fields::ITEM_KEY;
#[doc(hidden)]
pub use asserted::Scope;
pub use assessment::Assessment;
#[doc(hidden)]
pub use assessment::top_level_field;
#[doc(hidden)]
pub use assessor::Beside;
pub use assessor::{Assessor, Scoring};
#[doc(hidden)]
pub use doubtful_reading::DoubtfulPassage;
pub use evidence::{Evidence, LeafEvidence};
#[doc(hidden)]
pub use field_comparison::is_name_of_date;
#[doc(hidden)]
pub use field_comparison::{Items, ValueComparison};
#[doc(hidden)]
pub use field_reader::{FieldReader, Statement};
pub use issue::{Issue, LazyText, SourceSpan};
#[doc(hidden)]
pub use item_name::claimed_field;
pub use judged::Judged;
#[doc(hidden)]
pub use judged::{field_of, has_undecided, joined as joined_verdicts, read as read_verdicts, undecided};
#[doc(hidden)]
pub use machine::SCRIPT_FAILED;
#[doc(hidden)]
pub use member::JUDGE_FAILED;
pub use member::{Answer, Member};
#[doc(hidden)]
pub use mentions::MentionReader;
pub use mentions::{FieldMention, read_mentions};
pub use panel::{Panel, Unavailable};
pub use parts::{FoundPart, read_mentions_of_part, read_parts};
pub use quotes::Quotes;
pub use scores::Scores;
pub use source::Source;
pub use subject::AssessedValue;
pub use verdict::{Method, Support};
