//! References of our YAML files for editors and readers: a JSON Schema of each kind (`schema`, in `schemas/`) and pages
//! of keys (`pages`, in `docs/reference/`), both written from the declarations that the decoders read through.

mod pages;
mod schema;

pub use pages::{PAGES, Page};
pub use schema::{FILE_KINDS, FileKind};
