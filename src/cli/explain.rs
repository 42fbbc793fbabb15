//! `loopctl explain`: why a run went as it did, what a profile does, what a code means.

use super::headings::OUTPUT;
use super::loading::OverrideArguments;
use super::passwords::PasswordArguments;
use super::profile_explain::ExplainFormat;
use crate::explanation::{ExplainRequest, explain};
use crate::failure::{ExitStatus, Failure};
use crate::streams::Streams;
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
#[command(
    after_help = "Examples:\n  loopctl explain out/report-1-result.json\n  loopctl explain latest --document report-1\n  loopctl run --format json report-1.txt | loopctl explain -\n  loopctl explain clinical --config accept.overall=0.9\n  loopctl explain LC101\n  loopctl explain report-1.txt --field margins"
)]
pub(super) struct Arguments {
    /// A run: a result file, a folder of `run --out`, `-` for results on standard input, a run's id in the journal, or
    /// `latest`. A profile, by name or path. A code, such as `LC101` (`codes` lists them all), or that of an
    /// issue, such as `MISSING_FIELD`. With `--field`, a document
    #[arg(value_name = "RUN|FILE|PROFILE|CODE")]
    target: String,
    /// The document, where there are several
    #[arg(long, short, value_name = "ID", help_heading = OF_A_RUN)]
    document: Option<String>,
    /// Journal file [default: beside the result, else that of the latest run]
    #[arg(long, value_name = "FILE", help_heading = OF_A_RUN)]
    journal: Option<PathBuf>,
    /// Leave nothing out: for a run, the whole feedback, every issue and change, and long values; for a profile, all
    /// that the policy does
    #[arg(long, help_heading = OUTPUT)]
    full: bool,
    /// Show the mentions of this field in the document (given instead of a run): how each was read, and which one
    /// holds; for a list with one item for each part (`specimens`), its parts, or a field of one
    /// (`specimens.B.margins`)
    #[arg(long, value_name = "NAME", help_heading = OF_A_DOCUMENT)]
    field: Option<String>,
    /// The profile whose vocabularies read the field [default: `$LOOPCTL_PROFILE`, else `balanced`, as with `run`]
    #[arg(long, value_name = "PROFILE", requires = "field", help_heading = OF_A_DOCUMENT)]
    profile: Option<String>,
    #[command(flatten)]
    passwords: PasswordArguments,
    #[command(flatten, next_help_heading = OF_A_PROFILE)]
    over: OverrideArguments,
    /// Price table that takes precedence over the others (see `docs/costs.md`)
    #[arg(long, value_name = "FILE", help_heading = OF_A_PROFILE)]
    prices: Option<PathBuf>,
    /// Format of the explanation
    #[arg(long, value_enum, default_value = "text", help_heading = OUTPUT)]
    format: ExplainFormat,
}

const OF_A_RUN: &str = "Of a run";
const OF_A_PROFILE: &str = "Of a profile";
const OF_A_DOCUMENT: &str = "Of a document";

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let request = ExplainRequest {
        target: arguments.target.clone(),
        document: arguments.document.clone(),
        journal: arguments.journal.clone(),
        field: arguments.field.clone(),
        profile: arguments.profile.clone(),
        overrides: arguments.over.on("").spec,
        prices: arguments.prices.clone(),
    };
    let explanation = explain(&request, &arguments.passwords.context()?, output)?;
    arguments.format.print(&explanation, arguments.full, output)
}
