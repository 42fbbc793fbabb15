//! Projects on disk: the files of a new one ([`begin`]), and additions to it ([`add`]).
//!
//! Everything is planned first, as texts of files, and proved: profiles are checked and their cases run with the
//! planned files instead of those on the disk. [`write()`] alone changes anything, and never overwrites a file unknown
//! to the plan.

mod change;
mod creation;
mod document_type;
mod draft;
mod field;
mod insert;
mod name;
mod profile;
mod proof;
mod rule;
mod setting;
mod starter;
mod vocabulary;
mod write;

pub use change::{Plan, Refusal};
pub use creation::{Addition, add, begin};
pub use document_type::NewDocumentType;
pub use draft::Project;
pub use field::NewField;
pub use profile::{NewProfile, profile_of_text};
pub use rule::NewRule;
pub use setting::set_scalar;
pub use vocabulary::NewVocabulary;
pub use write::{WriteError, write};
