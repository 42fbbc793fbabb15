//! `loopctl test`: scenario tests of profiles, rules and vocabularies.

use super::loading::context;
use crate::failure::{ExitStatus, Failure};
use crate::report::{junit, suites_closing, suites_json};
use crate::requests::ResultFormat;
use crate::scenarios::{ScenarioAnswer, ScenarioRequest, mutate, test};
use crate::streams::Streams;
use clap::{Args, ValueEnum};

#[derive(Args)]
#[command(
    after_help = "The cases of a profile stand beside it: `clinical.yaml` has `clinical.test.yaml`.\n\nExit status: 0 every case came out as expected; 2 a profile or test file is invalid; 3 some case did not."
)]
pub(super) struct Arguments {
    /// Profiles, rules or vocabularies, by name or path [default: all of the project that have a test file; without
    /// any, all that ship]
    #[arg(value_name = "PROFILE")]
    subjects: Vec<String>,
    /// Also test what ships: files of the project that replace shipped ones change what those do
    #[arg(long, conflicts_with = "subjects")]
    all: bool,
    /// Only cases with this text in their name
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Set a key of each profile, such as `accept.overall=0.9`, to see which cases notice (repeatable)
    #[arg(long = "config", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// Change each value of the profiles in turn, and name the changes that no case notices
    #[arg(long, conflicts_with_all = ["filter", "settings", "format"])]
    mutate: bool,
    /// Format of results on standard output
    #[arg(long, value_enum, default_value = "text")]
    format: TestFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TestFormat {
    /// Failed cases, with what was expected and what was found
    Text,
    /// One indented JSON value
    Json,
    /// Like `json`, on one line
    Jsonl,
    /// XML for continuous integration
    Junit,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let request = ScenarioRequest {
        subjects: arguments.subjects.clone(),
        with_shipped: arguments.all,
        filter: arguments.filter.clone(),
        settings: arguments.settings.clone(),
        is_text: arguments.format == TestFormat::Text,
    };
    if arguments.mutate {
        return mutate(&request, context(), output);
    }
    let answer = test(&request, context(), output)?;
    let ScenarioAnswer { suites, unusable, .. } = &answer;
    match arguments.format {
        TestFormat::Text => {
            output.out.write_all(suites_closing(suites, unusable, output.out_paint).as_bytes())?
        }
        TestFormat::Json => output.write_json(&suites_json(suites, unusable), ResultFormat::Json)?,
        TestFormat::Jsonl => output.write_json(&suites_json(suites, unusable), ResultFormat::Jsonl)?,
        TestFormat::Junit => output.out.write_all(junit(suites, unusable).as_bytes())?,
    }
    output.out.flush()?;
    answer.exit()
}
