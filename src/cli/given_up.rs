//! What is said of a run that ended early because its provider is gone.

use super::exit::Failure;

/// How many documents a run did not try that ended early. `why` the latest document failed, one of `in_a_row` whose provider
/// did.
pub(super) fn gave_up(why: &str, in_a_row: usize, not_tried: usize) -> Failure {
    let documents = match not_tried {
        1 => "1 document was".to_owned(),
        more => format!("{more} documents were"),
    };
    let after = match in_a_row {
        1 => String::new(),
        many => format!(" after {many} in a row whose provider failed"),
    };
    Failure::broken(format!("{documents} not tried{after}: {why}")).help(
        "when that is corrected, say `--resume` to run the rest; `--keep-going` tries every document all the same",
    )
}
