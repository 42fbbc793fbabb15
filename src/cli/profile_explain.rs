//! `loopctl profile explain`, and `loopctl explain PROFILE`, which does the same.

use super::loading::context;
use super::profile::NamedProfileArguments;
use crate::explain::policy::{ProfileView, explain, json, markdown, text};
use crate::failure::{ExitStatus, Failure};
use crate::plans::price_tables;
use crate::profiles::SelectedProfile;
use crate::requests::ResultFormat;
use crate::streams::Streams;
use crate::value::sanitize_line;
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

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
    /// The format, if programs read it.
    pub(super) fn of_data(self) -> Option<ResultFormat> {
        match self {
            ExplainFormat::Text | ExplainFormat::Markdown => None,
            ExplainFormat::Json => Some(ResultFormat::Json),
            ExplainFormat::Jsonl => Some(ResultFormat::Jsonl),
        }
    }
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let profile = arguments.named.over.on(&arguments.named.profile);
    let prices = arguments.prices.as_deref();
    explain_profile(&profile, prices, arguments.full, arguments.format, output)
}

/// Explains what a profile does: the part to sign off, or with `full` all of it. Programs get all of it in any case.
pub(super) fn explain_profile(
    profile: &SelectedProfile,
    prices: Option<&Path>,
    full: bool,
    voice: ExplainFormat,
    output: &mut Streams,
) -> Result<ExitStatus, Failure> {
    let prices = price_tables(prices, context(), output)?;
    let (loaded, plan) = profile.to_explain(context(), output)?;
    let explanation = explain(ProfileView { loaded: &loaded, plan: &plan, prices: &prices });
    let shown = if full { explanation.clone() } else { explanation.in_short() };
    let written = match voice {
        ExplainFormat::Text => lines_tamed(&text(&shown)),
        ExplainFormat::Markdown => lines_tamed(&markdown(&shown)),
        ExplainFormat::Json | ExplainFormat::Jsonl => {
            let mut value = json(&explanation);
            if let Some(members) = value.as_object_mut() {
                members.insert("digest".to_owned(), plan.profile.digest.clone().into());
            }
            output.write_json(&value, voice.of_data().unwrap_or(ResultFormat::Json))?;
            return Ok(ExitStatus::Success);
        }
    };
    output.out.write_all(written.as_bytes())?;
    Ok(ExitStatus::Success)
}

/// Text of several lines, safe for a terminal.
fn lines_tamed(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", sanitize_line(line))).collect()
}
