//! `loopctl sweep`: the best policy of many, on recorded documents or on those that are run for it.

use super::headings::{ARGUMENTS, CALLS, DOCUMENTS, OUTPUT};
use super::loading::CallArguments;
use super::passwords::PasswordArguments;
use super::result_format::result_format;
use crate::failure::{ExitStatus, Failure};
use crate::report::{PlainSteps, Progress, sweep_text};
use crate::requests::ResultFormat;
use crate::streams::Streams;
use crate::sweep::{SweepRequest, sweep};
use crate::value::Millis;
use crate::value::prose::count;
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::path::PathBuf;
use std::time::Instant;

#[derive(Args)]
#[command(
    after_help = "An experiment names recorded documents, a space of settings, and what is wanted:\n\n  documents: { trajectories: [runs.jsonl] }\n  space: { stop.max_iterations: { from: 2, to: 6 }, on_regression: [keep, rollback] }\n  objectives: [{ maximize: overall }, { minimize: cost_usd }]\n\nPolicies are chosen on one part of the documents and judged on the other. The same file and recordings give the same answer.\n\nOn documents that are not recorded, which are run for it, policies race within a budget:\n\n  documents: { fresh: ['reports/*.txt'] }\n  budget: { calls: 500, cost_usd: 5 }"
)]
pub(super) struct Arguments {
    /// The file of the experiment
    #[arg(value_name = "EXPERIMENT.yaml", help_heading = ARGUMENTS)]
    file: PathBuf,
    /// With fresh documents, run this many policies at the same time on a document
    #[arg(long, short, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000), help_heading = DOCUMENTS)]
    jobs: u32,
    #[command(flatten)]
    passwords: PasswordArguments,
    #[command(flatten, next_help_heading = CALLS)]
    calls: CallArguments,
    /// Format of the findings on standard output
    #[arg(long, value_parser = result_format(), value_name = "FORMAT", default_value = "text", help_heading = OUTPUT)]
    format: ResultFormat,
    /// Also write them to this file, as a self-contained HTML page
    #[arg(long, value_name = "FILE.html", help_heading = OUTPUT)]
    report: Option<PathBuf>,
    /// No progress on standard error
    #[arg(long, short, help_heading = OUTPUT)]
    quiet: bool,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let request = SweepRequest {
        file: arguments.file.clone(),
        jobs: usize::try_from(arguments.jobs).unwrap_or(usize::MAX),
        allow_commands: arguments.calls.allow_commands,
        prices: arguments.calls.prices.clone(),
        report: arguments.report.clone(),
        quiet: arguments.quiet,
    };
    let answer = sweep(
        &request,
        &arguments.passwords.context()?,
        &mut |all, tried, output| show_tried(all, tried, arguments.quiet, output),
        output,
    )?;
    let findings = &answer.findings;
    output.write_answer(arguments.format, |paint| sweep_text(findings, paint), || findings)?;
    Ok(ExitStatus::whole(answer.is_whole))
}

/// Shows progress: a line that is redrawn on a terminal; elsewhere a line now and then.
fn show_tried(all: usize, tried: &mut dyn Iterator<Item = usize>, quiet: bool, output: &mut Streams) {
    let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let bar = ProgressBar::with_draw_target(Some(all as u64), target);
    if let Ok(style) =
        ProgressStyle::with_template("trying policies {wide_bar} {human_pos} of {human_len}, {eta} left")
    {
        bar.set_style(style);
    }
    let began = Instant::now();
    let mut plain = PlainSteps::new(Millis(0));
    let mut progress = Progress::new(Some(all as u64), Millis(0));
    for more in tried {
        bar.inc(more as u64);
        progress.done = bar.position();
        let now = Millis(u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX));
        if bar.is_hidden() && !quiet && plain.is_due(&progress, now) {
            output.say(&format!("tried {} of {}", progress.done, count(all as u64, "policy")));
        }
    }
    bar.finish_and_clear();
}
