//! The message about a run that ended early because its provider is gone.

use crate::failure::Failure;
use crate::value::{DocumentId, sanitize_line};

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
