//! What is said of a run that ended early: which documents were not tried, and how to go on.

use super::exit::Failure;
use crate::ingest::Input;

/// Most documents named that were not tried.
const MOST_NAMED: usize = 10;

/// Which documents a run did not try that ended early, and how to go on. `why` the latest document failed, one of
/// `in_a_row` whose provider did.
pub(super) fn gave_up(why: &str, in_a_row: usize, rest: &[Input], with_out: bool) -> Failure {
    let names: Vec<String> = rest.iter().take(MOST_NAMED).map(|input| format!("`{}`", input.id())).collect();
    let more = match rest.len() - names.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let documents = if rest.len() == 1 { "document was" } else { "documents were" };
    let after = match in_a_row {
        1 => String::new(),
        many => format!(" after {many} in a row whose provider failed"),
    };
    let message = format!("{} {documents} not tried{after} ({}{more}): {why}", rest.len(), names.join(", "));
    let go_on = if with_out { "say `--resume` to run the rest" } else { "run the rest" };
    Failure::broken(message)
        .help(format!("when that is corrected, {go_on}; `--keep-going` tries every document all the same"))
}
