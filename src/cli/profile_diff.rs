//! `loopctl profile diff`.

use super::loading::{OverrideArguments, context, library};
use super::profile::{compiled, price_tables};
use super::prove::{EffortArguments, TriedProfile};
use super::result_format::result_format;
use crate::diag::Problems;
use crate::experiment::prove::{self, Acceptance};
use crate::experiment::{Tally, Trajectory};
use crate::explain::policy::{Comparison, Documents, ProfileView, compare};
use crate::failure::{ExitStatus, Failure};
use crate::policy::ScriptCriteria;
use crate::profiles::SelectedProfile;
use crate::report::{
    ComparisonReport, comparison, comparison_json, comparison_text, documents_text, policy_changes_text,
};
use crate::requests::ResultFormat;
use crate::streams::Streams;
use crate::trials::{Policy, TrajectoryReading, overall_from};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;

/// The maximum number of documents that are named without `--all`.
const USUALLY_NAMED: usize = 20;

#[derive(Args)]
#[command(
    after_help = "The two are compared by what they do, not by how they are written: each line says what holds of both, with what changes in it, as in `at least 0.95 → 0.98`. Settings that differ without any effect are named last.\n\nWith `--trajectories`, the recorded documents that would end otherwise are listed: status, stop reason, the candidate that is returned, how many candidates are made.\n\nFlags are laid over B only. Without B, A is compared with itself under those flags. The exit status is 0 whether the two differ or not; with `--exit-code` it is 3 when they do, and with `--prove` also when it was not shown that they do not. It is 2 when one can't be used, 1 when a trajectory can't be read."
)]
pub(super) struct Arguments {
    /// Profile by name or path: the present one
    #[arg(value_name = "A")]
    before: String,
    /// Profile by name or path: the changed one [default: A, with the flags laid over it]
    #[arg(value_name = "B")]
    after: Option<String>,
    #[command(flatten)]
    over: OverrideArguments,
    /// Recorded documents (JSON lines, as `loopctl simulate` reads them; repeatable; `-` is standard input)
    #[arg(long, value_name = "FILE", num_args = 1..)]
    trajectories: Vec<PathBuf>,
    /// For the trajectories, take the overall score from this recorded dimension, whatever the profiles' weights
    #[arg(long, value_name = "DIM", requires = "trajectories")]
    overall_from: Option<String>,
    /// Name every document that ends differently, not only the first 20
    #[arg(long, requires = "trajectories")]
    all: bool,
    /// Prove that the two decide alike in every run, or show the shortest in which they do not, and whether one accepts
    /// only what the other accepts; nothing else is compared then
    #[arg(long, conflicts_with_all = ["trajectories", "all", "prices"])]
    prove: bool,
    #[command(flatten)]
    effort: EffortArguments,
    /// Exit with status 3 if the two behave differently
    #[arg(long)]
    exit_code: bool,
    /// Format of the differences; as JSON: `before`, `after`, `same`, `changes`, `settings`, `files`, and with
    /// trajectories `documents`
    #[arg(long, value_parser = result_format(), default_value = "text")]
    format: ResultFormat,
    /// Price table that takes precedence over the others (see `docs/costs.md`)
    #[arg(long, value_name = "FILE")]
    prices: Option<PathBuf>,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let after = match &arguments.after {
        Some(after) => after,
        None if arguments.over.is_empty() => {
            let problem = Failure::usage("there is nothing to compare the profile with");
            return Err(problem.help(
                "name a second profile, or lay a setting over the first: `--config accept.overall=0.9`",
            ));
        }
        None => &arguments.before,
    };
    if arguments.prove {
        return proved(arguments, after, output);
    }
    let first = OverrideArguments::default().on(&arguments.before);
    let second = arguments.over.on(after);
    let prices = price_tables(arguments.prices.as_deref(), output)?;
    let (loaded, plan) = compiled(&first, output)?;
    let (other_loaded, other_plan) = compiled(&second, output)?;
    let mut compared = compare(
        ProfileView { loaded: &loaded, plan: &plan, prices: &prices },
        ProfileView { loaded: &other_loaded, plan: &other_plan, prices: &prices },
    );
    tell_apart(&mut compared, &arguments.before, after, arguments.over.is_empty());
    let mut broken = false;
    let documents = if arguments.trajectories.is_empty() {
        None
    } else {
        let (documents, unread) = simulated(arguments, &compared, &first, &second, output)?;
        broken = unread;
        Some(documents)
    };
    match arguments.format {
        ResultFormat::Text => {
            let paint = output.out_paint;
            output.out.write_all(policy_changes_text(&compared, paint).as_bytes())?;
            if let Some(documents) = &documents {
                let text = documents_text(documents, paint);
                output.out.write_all(text.as_bytes())?;
                let (before, after) = documents.tallies();
                let columns: Vec<(String, Tally)> =
                    vec![(compared.before.clone(), before.clone()), (compared.after.clone(), after.clone())];
                output.out.write_all(comparison(&columns, paint).as_bytes())?;
            }
        }
        ResultFormat::Json | ResultFormat::Jsonl => {
            let mut value = json!(compared);
            if let Some(members) = value.as_object_mut() {
                members.insert("same".to_owned(), compared.is_same().into());
                if let Some(documents) = &documents {
                    let ends = json!({ "sum": documents.sum(), "differ": documents.moved() });
                    members.insert("documents".to_owned(), ends);
                }
            }
            output.write_json(&value, arguments.format)?;
        }
    }
    Ok(if broken {
        ExitStatus::Broken
    } else if arguments.exit_code && !compared.is_same() {
        ExitStatus::NotPassed
    } else {
        ExitStatus::Success
    })
}

/// Tries both policies side by side.
fn proved(arguments: &Arguments, after: &str, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let mut problems = Problems::new();
    let before = TriedProfile::load(&arguments.before, &OverrideArguments::default(), &[], &mut problems);
    let changed = TriedProfile::load(after, &arguments.over, &[], &mut problems);
    output.show(&problems);
    let (Some(first), Some(second)) = (before, changed) else {
        return Err(Failure::usage("the two can't be tried side by side"));
    };
    if problems.has_errors() {
        return Err(Failure::usage("the two can't be tried side by side"));
    }
    let (first_range, second_range) = (first.range(), second.range());
    let subjects = [first.subject(&first_range), second.subject(&second_range)];
    let compared = prove::compare(&subjects, arguments.effort.effort());
    let mut names = [first.loaded.profile.name.clone(), second.loaded.profile.name.clone()];
    if names[0] == names[1] {
        names = [arguments.before.clone(), after.to_owned()];
    }
    if names[0] == names[1] {
        names[1].push_str(", changed");
    }
    let (at_first, at_second) = (|line: &str| first.place(line), |line: &str| second.place(line));
    let [one, other] = &names;
    let report =
        ComparisonReport { names: [one, other], comparison: &compared, places: [&at_first, &at_second] };
    match arguments.format {
        ResultFormat::Text => output.out.write_all(comparison_text(report, output.out_paint).as_bytes())?,
        format => output.write_json(&comparison_json(report), format)?,
    }
    let shown = compared.accepts_only.iter().filter_map(|acceptance| match acceptance {
        Acceptance::Not(difference) => Some(difference.as_ref()),
        Acceptance::Only => None,
    });
    let runs: Vec<&Trajectory> =
        compared.difference.iter().chain(shown).map(|difference| &difference.trajectory).collect();
    arguments.effort.write(&runs)?;
    let differ = arguments.exit_code && compared.same() != Some(true);
    Ok(if differ { ExitStatus::NotPassed } else { ExitStatus::Success })
}

/// Gives profiles of the same name the names they have on the command line.
fn tell_apart(compared: &mut Comparison, before: &str, after: &str, unchanged: bool) {
    if compared.before == compared.after {
        before.clone_into(&mut compared.before);
        if before == after && !unchanged {
            compared.after = format!("{after}, changed");
        } else {
            after.clone_into(&mut compared.after);
        }
    }
}

/// Runs both policies over the trajectories; also returns whether something in those could not be read.
fn simulated(
    arguments: &Arguments,
    compared: &Comparison,
    first: &SelectedProfile,
    second: &SelectedProfile,
    output: &mut Streams,
) -> Result<(Documents, bool), Failure> {
    let forced = overall_from(arguments.overall_from.as_deref())?;
    let mut before = policy(&compared.before, first, &forced, output)?;
    let mut after = policy(&compared.after, second, &forced, output)?;
    let most = match arguments.format {
        ResultFormat::Text if !arguments.all => USUALLY_NAMED,
        _ => usize::MAX,
    };
    let mut documents = Documents::new(most);
    let mut reading = TrajectoryReading::default();
    reading.files(&arguments.trajectories, output, |trajectory, output| {
        let [one, other] =
            documents.add((&before.policy, &before.scripts), (&after.policy, &after.scripts), trajectory);
        before.say_notes(&one.decisions, output);
        after.say_notes(&other.decisions, output);
        Ok(())
    })?;
    reading.warn_of_missing([&before, &after].into_iter(), output);
    Ok((documents, reading.broken))
}

/// The policy of a profile with `--overall-from` laid over it.
fn policy(
    name: &str,
    profile: &SelectedProfile,
    forced: &[String],
    output: &mut Streams,
) -> Result<Policy, Failure> {
    let forced: Vec<&str> = forced.iter().map(String::as_str).collect();
    let mut problems = Problems::new();
    let loaded = profile.load(context(), &library(), &forced, &mut problems).map(|loaded| {
        let scripts = ScriptCriteria::compile(&loaded.profile.policy.stop, &loaded.library, &mut problems);
        Policy::new(name.to_owned(), loaded.profile.policy, scripts)
    });
    match loaded {
        Some(policy) if !problems.has_errors() => Ok(policy),
        _ => {
            // Problems without that flag have been shown already.
            output.show(&problems);
            Err(Failure::usage(format!("the profile `{name}` can't be used on these trajectories")))
        }
    }
}
