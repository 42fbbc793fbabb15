//! `loopctl profile list`.

use super::loading::context;
use super::result_format::result_format;
use crate::failure::{ExitStatus, Failure};
use crate::profiles::{list_profiles, profile_list_text};
use crate::requests::ResultFormat;
use crate::streams::Streams;
use clap::Args;

#[derive(Args)]
pub(super) struct Arguments {
    /// Format of the list; as JSON: `name`, `description`, `source`, `path`, `usable`, `changed_by`
    #[arg(long, value_parser = result_format(), default_value = "text")]
    format: ResultFormat,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let profiles = list_profiles(context());
    output.write_answer(arguments.format, |paint| profile_list_text(&profiles, paint), || &profiles)?;
    Ok(ExitStatus::Success)
}
