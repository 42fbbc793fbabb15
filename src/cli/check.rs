//! `loopctl check`: profiles and everything they reach, and any other file by itself.

use super::loading::context;
use crate::checks::{CheckRequest, check};
use crate::diag::{render_json, render_sarif};
use crate::execution::providers_or_warn;
use crate::failure::{ExitStatus, Failure};
use crate::requests::ResultFormat;
use crate::streams::Streams;
use clap::{Args, ValueEnum};

#[derive(Args)]
#[command(
    after_help = "Exit status: 0 nothing is wrong, or there are warnings only; 2 something is wrong (with `--strict` warnings, too)."
)]
pub(super) struct Arguments {
    /// Profile by name or path (repeatable)
    #[arg(long, short, value_name = "PROFILE")]
    profile: Vec<String>,
    /// Set a key of each profile, such as `accept.overall=0.9` (repeatable)
    #[arg(long = "config", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// Format of the problems on standard output
    #[arg(long, value_enum, default_value = "text")]
    format: CheckFormat,
    /// Exit with status 2 on warnings, too: for continuous integration
    #[arg(long)]
    strict: bool,
    /// Profiles by name or path, or files of any other kind by path: rules, rubrics, cases, prices, schemas, prompts,
    /// scripts [default: all profiles that can be named, and every file of this folder's project]
    #[arg(value_name = "PROFILE|FILE")]
    what: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CheckFormat {
    /// With the source lines
    Text,
    /// A list of problems
    Json,
    /// One problem per line
    Jsonl,
    /// SARIF 2.1.0, for code hosts and editors
    Sarif,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let request = CheckRequest {
        profiles: arguments.profile.clone(),
        settings: arguments.settings.clone(),
        named: arguments.what.clone(),
    };
    let checked = check(&request, context(), &providers_or_warn(context(), output));
    let problems = &checked.problems;
    match arguments.format {
        CheckFormat::Json => output.write_json(&render_json(problems), ResultFormat::Json)?,
        CheckFormat::Jsonl => output.write_json(&render_json(problems), ResultFormat::Jsonl)?,
        CheckFormat::Sarif => {
            output.write_json(&render_sarif(problems, context().folder()), ResultFormat::Json)?;
        }
        CheckFormat::Text => {
            output.write_problems(problems)?;
            output.out.write_all(checked.closing().as_bytes())?;
        }
    }
    let fails = problems.has_errors() || arguments.strict && problems.warning_count() > 0;
    Ok(if fails { ExitStatus::Usage } else { ExitStatus::Success })
}
