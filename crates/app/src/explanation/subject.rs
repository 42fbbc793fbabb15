//! The subject of an explanation, by the word that names it.

use super::ExplainRequest;
use super::issue_code;
use crate::failure::Failure;
use crate::profile::{Library, file_of};
use crate::requests::ProfileSpec;
use crate::value::sanitize_line;
use std::path::Path;

/// The word for all codes.
const ALL_CODES: &str = "codes";

/// The subject of an explanation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Subject {
    Code,
    AllCodes,
    /// The code of an issue.
    Issue,
    Profile,
    Run,
}

impl Subject {
    /// Finds what a word means. Runs come last: everything else is known to exist or not.
    pub(super) fn of(word: &str, library: &Library) -> Self {
        let path = Path::new(word);
        let is_yaml = path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml");
        if word == ALL_CODES {
            Subject::AllCodes
        } else if is_problem_code(word) {
            Subject::Code
        } else if is_yaml {
            Subject::Profile
        } else if word == "-" || path.is_dir() || path.is_file() {
            Subject::Run
        } else if !word.contains(['/', '\\']) && file_of(word, library).is_ok_and(|file| file.is_some()) {
            Subject::Profile
        } else if issue_code::is_meant_as_code(word) {
            Subject::Issue
        } else {
            Subject::Run
        }
    }

    /// Refuses flags that would do nothing.
    pub(super) fn refuse_other_flags(self, request: &ExplainRequest) -> Result<(), Failure> {
        let of_a_run = request.document.is_some() || request.journal.is_some();
        let of_a_profile = request.overrides != ProfileSpec::default() || request.prices.is_some();
        let what = match self {
            Subject::Run if of_a_profile => "a run, and the flags given are those of a profile",
            Subject::Profile if of_a_run => "a profile, and `--document` and `--journal` are of a run",
            Subject::Code | Subject::AllCodes | Subject::Issue if of_a_run || of_a_profile => {
                "a code, which takes no such flags"
            }
            Subject::Run | Subject::Profile | Subject::Code | Subject::AllCodes | Subject::Issue => {
                return Ok(());
            }
        };
        Err(Failure::usage(format!("`{}` is {what}", sanitize_line(&request.target)))
            .help("`loopctl explain -h` says which flags belong to what"))
    }
}

/// Returns whether a word is meant as the code of a problem: `LC` and digits, in any case.
fn is_problem_code(word: &str) -> bool {
    let Some((start, digits)) = word.split_at_checked(2) else { return false };
    start.eq_ignore_ascii_case("LC") && !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}
