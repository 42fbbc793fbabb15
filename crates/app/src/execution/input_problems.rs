//! The inputs of a run that can't be used, counted, so that a few of many are reported one by one.

use crate::ingest::InputError;
use crate::streams::Streams;
use crate::value::prose;

/// The maximum number of lines without a document that are reported one by one.
const MOST_BAD_LINES: u64 = 10;

/// The inputs that can't be used.
#[derive(Debug, Default)]
pub(super) struct InputProblems {
    /// Those that can't be read.
    pub(super) unreadable: u64,
    /// Documents of another run, on which a process is at work.
    elsewhere: u64,
    /// Lines of lists and records that name no document.
    bad_lines: u64,
}

impl InputProblems {
    /// Counts an input; returns whether it is reported by itself.
    pub(super) fn count(&mut self, error: &InputError) -> bool {
        if let InputError::AtWorkElsewhere { .. } = error {
            // The others would get the same message.
            self.elsewhere += 1;
            return self.elsewhere == 1;
        }
        self.unreadable += 1;
        self.bad_lines += u64::from(matches!(error, InputError::Line { .. }));
        !matches!(error, InputError::Line { .. }) || self.bad_lines <= MOST_BAD_LINES
    }

    /// Reports how many were not reported by themselves.
    pub(super) fn say_others(&self, output: &mut Streams) {
        if let Some(more @ 1..) = self.elsewhere.checked_sub(1) {
            output.say(&format!("{more} more documents are of that run"));
        }
        if let Some(more @ 1..) = self.bad_lines.checked_sub(MOST_BAD_LINES) {
            let (lines, name) = (prose::count(more, "more line"), if more == 1 { "names" } else { "name" });
            output.say(&format!("{lines} {name} no document either"));
        }
    }
}
