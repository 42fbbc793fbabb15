//! Clauses: the words around a value, and if they say it of its field, whole, and as a fact.

mod absence;
mod assertion;
mod candidates;
mod claim;
mod cues;
mod exactness;
mod index;
mod naming;
mod passage;
mod quote;
mod reading;
mod said;
mod rivals;
mod search;
mod sentence;
mod tokens;
mod trust;
mod wording;

pub use absence::is_nowhere;
pub use claim::{Claim, ValueKind};
pub use cues::CueWords;
pub(crate) use cues::{Cues, cues_of};
pub use naming::Naming;
pub use passage::{Doubt, Pattern, UnknownPattern, is_denied_at, is_exact, read_passage};
pub use quote::quote_places;
pub use reading::{Known, Reading, Trusted, read_claim};
pub(crate) use said::each_sentence;
pub use said::{Act, Acting, Sentence, Statement};
pub use search::Passage;
pub(crate) use tokens::{Token, Tokens};
pub use trust::{CountedFrom, Counts, Labels, Precision, Trust};
pub use wording::{Scope, Wording, named_places, read_wording, scopes, sentence_around};
