//! The messages about documents that a run leaves, and the command that resumes it.

use crate::failure::Failure;
use crate::journals::JournalPlace;
use crate::run::BatchEnd;
use crate::store::RunId;
use crate::streams::{Streams, complain};
use crate::value::{DocumentId, sanitize_line};

/// The way to resume a run that is not over.
pub(super) struct ResumeHint<'a> {
    pub(super) run: &'a RunId,
    pub(super) journal: &'a JournalPlace,
    pub(super) quiet: bool,
}

impl ResumeHint<'_> {
    /// Reports what is left, and how to resume the run.
    pub(super) fn say(&self, end: &BatchEnd, gave_up: bool, output: &mut Streams) {
        let left = end.not_tried + end.given_up;
        if (left == 0 && !end.cancelled) || !self.journal.is_kept() {
            return;
        }
        let command = format!("loopctl resume {}{}", self.run, self.journal.again());
        if end.over_budget {
            let documents =
                if left == 1 { "1 document is".to_owned() } else { format!("{left} documents are") };
            let failure = Failure::broken(format!("the run's budget is spent: {documents} left"));
            complain(
                output,
                &failure.help(format!("resume with a larger one: `{command} --budget cost_usd=N`, `tokens=N` or `calls=N`; it counts what was used before")),
            );
        } else if !self.quiet && !gave_up {
            let waiting = match left {
                0 => String::new(),
                1 => "1 document waits; ".to_owned(),
                more => format!("{more} documents wait; "),
            };
            output.say(&format!("{waiting}resume with `{}`", sanitize_line(&command)));
        }
    }
}

/// The failure of a run that ended early, with the number of documents it did not try, and the first of them. `why` is
/// why the latest document failed, one of `in_a_row` whose provider did.
pub(super) fn gave_up(why: &str, in_a_row: usize, (not_tried, named): (usize, &[DocumentId])) -> Failure {
    let names: Vec<String> = named.iter().map(|id| format!("`{}`", sanitize_line(id.as_str()))).collect();
    let more = match not_tried.saturating_sub(names.len()) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let names = format!("({}{more})", names.join(", "));
    let documents = match not_tried {
        1 => "1 document was".to_owned(),
        more => format!("{more} documents were"),
    };
    let after = match in_a_row {
        1 => String::new(),
        many => format!(" after {many} in a row whose provider failed"),
    };
    Failure::broken(format!("{documents} not tried{after} {names}: {why}")).help(
        "when that is corrected, say `--resume` to run the rest; `--keep-going` tries every document all the same",
    )
}
