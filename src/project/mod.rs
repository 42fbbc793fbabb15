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

pub(crate) use change::{How, Plan, Refusal};
pub(crate) use document_type::{NewDocumentType, new_document_type};
pub(crate) use draft::Project;
pub(crate) use field::{NewField, new_field};
pub(crate) use profile::{NewProfile, new_profile, profile_of_text};
pub(crate) use rule::{NewRule, new_rule};
pub(crate) use setting::set_scalar;
pub(crate) use starter::starter;
pub(crate) use vocabulary::{NewVocabulary, new_vocabulary};
pub(crate) use write::{WriteError, write};
