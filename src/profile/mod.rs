//! Profiles: the policy of a loop as a domain expert writes it, from YAML to a checked [`Profile`].

mod assess;
mod files;

pub use assess::{Dimension, Grounding, Measure, Overall, Ties};
pub use files::{Files, Library, MAX_FILE_BYTES, read_text_file};
