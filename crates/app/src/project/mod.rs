//! Projects on disk: the files of a new one ([`starter`]), and additions to it ([`new_profile`], [`new_rule`],
//! [`new_document_type`], [`new_field`], [`new_vocabulary`]).
//!
//! Everything is planned first, as texts of files, and proved: profiles are checked and their cases run with the
//! planned files instead of those on the disk. [`write()`] alone changes anything, and never overwrites a file unknown
//! to the plan.

mod change;
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

pub use change::{How, Plan, Refusal};
pub use document_type::{NewDocumentType, new_document_type};
pub use draft::Project;
pub use field::{NewField, new_field};
pub use profile::{NewProfile, new_profile, profile_of_text};
pub use rule::{NewRule, new_rule};
pub use setting::set_scalar;
pub use starter::starter;
pub use vocabulary::{NewVocabulary, new_vocabulary};
pub use write::{WriteError, write};
