//! The command that explains why documents did not pass.

use crate::journals::JournalPlace;
use crate::policy::FinalStatus;
use crate::result::DocumentResult;
use crate::shell::quoted;
use crate::store::{Artifact, Artifacts};
use crate::value::DocumentId;
use crate::value::ShownPath;
use crate::value::sanitize_line;

/// The hint at the command that explains why documents did not pass.
#[derive(Debug, Default)]
pub(super) struct ExplainHint {
    out: Option<Artifacts>,
    /// The arguments of `explain`, if the journal is kept.
    journal: Option<String>,
    /// The first documents that did not pass, and the number of all of them.
    about: Vec<DocumentId>,
    count: usize,
}

/// The maximum number of documents that are named.
const MOST_NAMED: usize = 4;

impl ExplainHint {
    pub(super) fn of(journal: &JournalPlace, out: Option<Artifacts>) -> Self {
        let journal = journal.is_kept().then(|| format!("latest{}", journal.again()));
        ExplainHint { out, journal, about: Vec::new(), count: 0 }
    }

    /// Takes in a result.
    pub(super) fn see(&mut self, result: &DocumentResult) {
        let passed = matches!(result.final_status, FinalStatus::Passed | FinalStatus::Skipped);
        if passed {
            return;
        }
        self.count += 1;
        if self.about.len() < MOST_NAMED {
            self.about.push(result.id.clone());
        }
    }

    /// The line, if something did not pass and what explains it is kept.
    pub(super) fn line(&self, several: bool) -> Option<String> {
        let (about, others) = self.about.split_first()?;
        let target = match (&self.out, &self.journal) {
            (Some(out), _) => quoted(&out.path(about, Artifact::Result).shown()),
            (None, Some(journal)) if several => format!("{journal} --document {}", quoted(about.as_str())),
            (None, Some(journal)) => journal.clone(),
            (None, None) => return None,
        };
        let mut also: Vec<String> = others.iter().map(|id| format!("`{id}`")).collect();
        if let Some(more @ 1..) = self.count.checked_sub(self.about.len()) {
            also.push(format!("{more} more"));
        }
        let also =
            if also.is_empty() { String::new() } else { format!("   (and so of {})", also.join(", ")) };
        Some(format!("why: loopctl explain {}{}", sanitize_line(&target), sanitize_line(&also)))
    }
}
