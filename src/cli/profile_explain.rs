//! `loopctl profile explain`, and `loopctl explain PROFILE`, which does the same.

use super::loading::context;
use super::profile::NamedProfileArguments;
use crate::explanation::{Explanation, TextForm, explain_policy};
use crate::failure::{ExitStatus, Failure};
use crate::requests::ResultFormat;
use crate::streams::Streams;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Args)]
#[command(
    after_help = "First what someone signs: what passes, what is refused, when a person looks, what a document costs at most, and every rule in its own words. With `--full` all of it: what makes a candidate, how it is scored, when it is accepted, when the loop stops and in which order, which candidate is returned, what the next request says, what a person gets to see, and what it may cost at most.\n\nEverything is worked out from the policy that a run would follow, with the flags given here; comments are not looked at. Nothing is asked of any provider. The exit status is 2 for a profile that can't be used."
)]
pub(super) struct Arguments {
    #[command(flatten)]
    named: NamedProfileArguments,
    /// Show all that the policy does, not only the summary
    #[arg(long)]
    full: bool,
    /// Format of the explanation
    #[arg(long, value_enum, default_value = "text")]
    format: ExplainFormat,
    /// Price table that takes precedence over the others (see `docs/costs.md`)
    #[arg(long, value_name = "FILE")]
    prices: Option<PathBuf>,
}

/// The format of an explanation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ExplainFormat {
    /// For people
    Text,
    /// For people, to keep or to send
    Markdown,
    /// For programs, and complete with or without `--full`: `profile`, `digest` and `sections` of statements: `key`,
    /// `kind`, `values`, `origin`, `text`, and `ending` if the loop ends by it
    Json,
    /// Like `json`, on one line
    Jsonl,
}

impl ExplainFormat {
    /// Prints an explanation; for people in full, or only the most important.
    pub(super) fn print(
        self,
        explanation: &Explanation,
        full: bool,
        output: &mut Streams,
    ) -> Result<ExitStatus, Failure> {
        let terminal = TextForm::Terminal(output.out_paint);
        match self {
            ExplainFormat::Text => output.write_text(&explanation.text(terminal, full))?,
            ExplainFormat::Markdown => output.write_text(&explanation.text(TextForm::Markdown, full))?,
            ExplainFormat::Json => output.write_json(&explanation.to_json(), ResultFormat::Json)?,
            ExplainFormat::Jsonl => output.write_json(&explanation.to_json(), ResultFormat::Jsonl)?,
        }
        Ok(ExitStatus::Success)
    }
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let profile = arguments.named.over.on(&arguments.named.profile);
    let policy = explain_policy(&profile, arguments.prices.as_deref(), context(), output)?;
    arguments.format.print(&Explanation::Policy(policy), arguments.full, output)
}
