//! Clauses: the words around a value, and if they say it of its field, whole, and as a fact.

mod absence;
mod assertion;
mod claim;
mod cues;
mod exactness;
mod index;
mod naming;
mod passage;
mod said;
mod search;
mod sentence;
mod tokens;
mod trust;

pub use absence::is_nowhere;
pub use claim::{Claim, ValueKind};
pub use naming::Naming;
pub use passage::{
    Doubt, Pattern, UnknownPattern, is_denied_at, is_exact, is_named, read_opposite, read_passage,
};
pub(crate) use said::each_sentence;
pub use said::{Act, Acting, Sentence, Statement};
pub use search::{Found, Passage, find_passage};
pub(crate) use tokens::Tokens;
pub use trust::{CountedFrom, Counts, Labels, Precision, Trust};
