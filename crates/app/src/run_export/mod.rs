//! Runs of a journal exported for other programs.

mod documents;
mod results;
mod run_file;

pub use results::write_results;
pub use run_file::{FileFormat, RunFileRequest, WrittenFile, write_run_file};
