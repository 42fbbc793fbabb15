//! `loopctl explain CODE`: what a code means.

use crate::diag::{Code, nearest};
use crate::failure::{ExitStatus, Failure};
use crate::requests::ResultFormat;
use crate::streams::Streams;
use crate::value::sanitize_line;
use serde_json::json;

/// Returns whether a word is meant as a code: `LC` and digits, in any case.
pub(super) fn is_meant_as_code(word: &str) -> bool {
    let Some((start, digits)) = word.split_at_checked(2) else { return false };
    start.eq_ignore_ascii_case("LC") && !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}

/// Writes the page of a code.
pub(super) fn page(
    code: &str,
    format: Option<ResultFormat>,
    output: &mut Streams,
) -> Result<ExitStatus, Failure> {
    let Some(known) = Code::parse(code) else {
        let guess = nearest(code, Code::ALL.iter().map(|code| code.as_str()));
        return Err(Failure::usage(format!("no code is called `{}`", sanitize_line(code))).help(
            match guess {
                Some(guess) => format!("did you mean `{guess}`? `loopctl explain codes` lists them all"),
                None => "`loopctl explain codes` lists them all".to_owned(),
            },
        ));
    };
    match format {
        Some(format) => output.write_json(
            &json!({ "code": known.as_str(), "title": known.title(), "page": known.page() }),
            format,
        )?,
        None => write!(output.out, "{}", known.page())?,
    }
    Ok(ExitStatus::Success)
}

/// Lists all codes.
pub(super) fn list(format: Option<ResultFormat>, output: &mut Streams) -> Result<ExitStatus, Failure> {
    match format {
        Some(format) => {
            let codes: Vec<_> = Code::ALL
                .iter()
                .map(|code| json!({ "code": code.as_str(), "title": code.title() }))
                .collect();
            output.write_json(&codes, format)?;
        }
        None => {
            for code in Code::ALL {
                writeln!(output.out, "{}  {}", code.as_str(), code.title())?;
            }
        }
    }
    Ok(ExitStatus::Success)
}
