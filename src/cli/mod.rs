//! The command line: arguments in, library call, rendering out, exit status.

mod calibrate;
mod check;
mod completions;
mod contained_reader;
mod correct;
mod dashes;
mod evaluate;
mod explain;
mod headings;
mod init;
mod interrupts;
mod journal_argument;
mod loading;
mod logging;
mod man;
mod new;
mod next;
mod permission;
mod plugin;
mod plugin_check;
mod plugin_new;
mod process_host;
mod process_streams;
mod profile;
mod profile_diff;
mod profile_explain;
mod profile_list;
mod profile_show;
mod progress_line;
mod prove;
mod read;
mod repair;
mod result_format;
mod resume;
mod review;
mod run;
mod runs;
mod schema;
mod score;
mod serve;
mod simulate;
mod step;
mod sweep;
mod tape;
mod test;
mod unknown_flags;
mod validate;

use crate::failure::ExitStatus;
use crate::provider::ProgramGuard;
use crate::streams::complain;
use clap::{CommandFactory, Parser, Subcommand};
use process_streams::process_streams;
use std::process::ExitCode;

/// Make the output of language models trustworthy: validate, score, feed back, correct, and stop by a policy.
#[derive(Parser)]
#[command(name = "loopctl", version, max_term_width = 110, propagate_version = true)]
#[command(
    after_help = "For editors and shells there are also `loopctl schema`, `loopctl completions` and `loopctl man`.\n\nExit status: 0 every document passed; 1 something broke; 2 wrong usage or an invalid profile;\n3 finished, but not every document passed; 130 interrupted."
)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Run the loop over documents: extract, assess, correct until the policy stops
    Run(run::Arguments),
    /// Resume a run that was stopped, killed, or ran out of budget, in the middle of every document
    Resume(resume::Arguments),
    /// List runs, show their results, cancel, retry, export and remove them
    Runs(runs::Arguments),
    /// Review the results of a run: documents that wait for a person, a worksheet to fill in, decisions as labels
    Review(review::Arguments),
    /// Serve documents, runs and reviews over HTTP: pages for people, an API for programs
    Serve(serve::Arguments),
    /// Assess one extraction against its document, without any provider
    Validate(validate::Arguments),
    /// Correct one extraction once
    Correct(correct::Arguments),
    /// Score extractions without any provider: one `.json`, or many in a `.jsonl`
    Score(score::Arguments),
    /// Repair text that is not quite JSON, and JSON that its schema refuses
    Repair(repair::Arguments),
    /// The loop as data, for callers who drive their own model: decide about a history, say what to ask next
    Next(next::Arguments),
    /// Explain why a run went as it did, what a profile does, or what a code means
    Explain(explain::Arguments),
    /// Show how a document was read: its cells, labels, values and statements, and how each value of an extraction is
    /// bound
    Read(read::Arguments),
    /// Try policies on recorded or invented assessments, without any provider
    Simulate(simulate::Arguments),
    /// Evaluate results against labelled documents
    Evaluate(evaluate::Arguments),
    /// Prove that promises of a policy hold in every run, or show a run in which one does not
    Prove(prove::Arguments),
    /// Find the threshold at which at most a given share of accepted documents is wrong, with a certificate
    Calibrate(calibrate::Arguments),
    /// Find the best policy of a space on recorded or fresh documents, and report how certain that is
    Sweep(sweep::Arguments),
    /// Create a project that passes `check`, `test` and `run` at once
    Init(init::Arguments),
    /// Add a profile, a rule, a field or a document type to the project in the working directory
    New(new::Arguments),
    /// Run the scenario tests that lie beside profiles and rules
    Test(test::Arguments),
    /// Check profiles and everything they reach: rules, rubrics, schemas, prompts, scripts, plugins
    Check(check::Arguments),
    /// List profiles, show their settings, explain them in plain words, compare two
    Profile(profile::Arguments),
    /// Print the JSON Schema of a kind of YAML file, or of a document type that ships
    #[command(hide = true)]
    Schema(schema::Arguments),
    /// List, inspect, trust, check and create provider plugins
    Plugin(plugin::Arguments),
    /// Complete verbs, flags and profiles in a shell
    #[command(hide = true)]
    Completions(completions::Arguments),
    /// Write manual pages
    #[command(hide = true)]
    Man(man::Arguments),
}

/// The whole command line, for what is generated from it.
fn command() -> clap::Command {
    Arguments::command()
}

/// Runs the command line of this process.
#[must_use]
pub fn main() -> ExitCode {
    let working = ProgramGuard::begin();
    let exit = run_process();
    working.end(exit.code());
    exit.into()
}

fn run_process() -> ExitStatus {
    // Remembers the folder where the process began.
    loading::context();
    if contained_reader::is_meant(std::env::args_os()) {
        return contained_reader::execute().unwrap_or_else(|error| error.exit);
    }
    let written = std::env::args_os().map(|argument| argument.to_string_lossy().into_owned());
    if let Some(error) = dashes::mistaken(command, written) {
        complain(&mut process_streams(), &error);
        return error.exit;
    }
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version go to standard output and are a success; mistakes go to standard error with status 2.
            let status = if error.use_stderr() { ExitStatus::Usage } else { ExitStatus::Success };
            let written: Vec<String> =
                std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
            let _ = unknown_flags::advise(error, &command(), &written).print();
            return status;
        }
    };
    let mut output = process_streams();
    let outcome = match arguments.verb {
        Verb::Run(arguments) => run::execute(&arguments, &mut output),
        Verb::Resume(arguments) => resume::execute(&arguments, &mut output),
        Verb::Runs(arguments) => runs::execute(&arguments, &mut output),
        Verb::Review(arguments) => review::execute(&arguments, &mut output),
        Verb::Serve(arguments) => serve::execute(&arguments, &mut output),
        Verb::Validate(arguments) => validate::execute(&arguments, &mut output),
        Verb::Correct(arguments) => correct::execute(&arguments, &mut output),
        Verb::Score(arguments) => score::execute(&arguments, &mut output),
        Verb::Repair(arguments) => repair::execute(&arguments, &mut output),
        Verb::Next(arguments) => next::execute(&arguments, &mut output),
        Verb::Explain(arguments) => explain::execute(&arguments, &mut output),
        Verb::Read(arguments) => read::execute(&arguments, &mut output),
        Verb::Simulate(arguments) => simulate::execute(&arguments, &mut output),
        Verb::Evaluate(arguments) => evaluate::execute(&arguments, &mut output),
        Verb::Prove(arguments) => prove::execute(&arguments, &mut output),
        Verb::Calibrate(arguments) => calibrate::execute(&arguments, &mut output),
        Verb::Sweep(arguments) => sweep::execute(&arguments, &mut output),
        Verb::Init(arguments) => init::execute(&arguments, &mut output),
        Verb::New(arguments) => new::execute(&arguments, &mut output),
        Verb::Test(arguments) => test::execute(&arguments, &mut output),
        Verb::Check(arguments) => check::execute(&arguments, &mut output),
        Verb::Profile(arguments) => profile::execute(&arguments, &mut output),
        Verb::Schema(arguments) => schema::execute(&arguments, &mut output),
        Verb::Plugin(arguments) => plugin::execute(&arguments, &mut output),
        Verb::Completions(arguments) => completions::execute(&arguments, &mut output),
        Verb::Man(arguments) => man::execute(&arguments, &mut output),
    };
    match outcome {
        Ok(exit) => exit,
        Err(error) => {
            complain(&mut output, &error);
            error.exit
        }
    }
}
