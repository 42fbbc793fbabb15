//! `--journal` of verbs about recorded runs.

use super::headings::DOCUMENTS;
use super::loading::context;
use crate::failure::Failure;
use crate::journals::JournalSpec;
use crate::store::Journal;
use clap::Args;
use std::path::PathBuf;

/// The journal of a run.
#[derive(Args, Clone)]
pub(super) struct JournalArgument {
    /// Journal file [default: that of the latest run, else the one in the state folder]
    #[arg(long, value_name = "FILE", help_heading = DOCUMENTS)]
    journal: Option<PathBuf>,
}

impl JournalArgument {
    /// The journal of a request.
    pub(super) fn spec(&self) -> JournalSpec {
        JournalSpec { file: self.journal.clone() }
    }

    /// The argument by which another command names the same journal.
    pub(super) fn again(&self) -> String {
        self.spec().again()
    }

    /// Opens the journal, which must exist.
    pub(super) fn open(&self) -> Result<Journal, Failure> {
        self.spec().open(context())
    }
}
