//! `loopctl test`: scenario tests of profiles, rules and vocabularies.

use super::loading::library;
use crate::diag::Problems;
use crate::experiment::scenario::{
    Choice, Mutant, Mutation, Suite, SuiteKind, TestTarget, Unusable, find_subject, subjects, survivors,
    test_profile, test_rules, test_vocabulary,
};
use crate::failure::{ExitStatus, Failure};
use crate::profile::Override;
use crate::report::{junit, suite_lines, suites_closing, suites_json, unusable_line};
use crate::requests::ResultFormat;
use crate::streams::Streams;
use crate::value::sanitize_line;
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
    let mut unusable = Vec::new();
    let mut problems = Problems::new();
    let settings: Vec<Override> =
        arguments.settings.iter().filter_map(|setting| Override::from_flag(setting, &mut problems)).collect();
    unusable.extend(Unusable::new("--config", None, None, &problems));
    output.show(&problems);
    let chosen = choose(arguments, &mut unusable, output);
    if arguments.subjects.is_empty() && chosen.is_empty() && unusable.is_empty() {
        return Err(Failure::usage("there are no tests in this folder")
            .help("name what is to be tested, or write `--all` for those that ship with loopctl"));
    }
    if arguments.mutate {
        return mutate(&chosen, !unusable.is_empty(), output);
    }
    let human = arguments.format == TestFormat::Text;
    if human {
        for unusable in &unusable {
            output.out.write_all(unusable_line(unusable, output.out_paint).as_bytes())?;
        }
    }
    let choice = Choice { filter: arguments.filter.as_deref(), settings: &settings, ..Choice::default() };
    let mut suites = Vec::new();
    for subject in chosen {
        let TestTarget { kind, name, file, library } = &subject;
        let mut problems = Problems::new();
        let suite = match kind {
            SuiteKind::Profile => test_profile(name, library, file, choice, &mut problems),
            SuiteKind::Rules => test_rules(name, library, file, choice, &mut problems),
            SuiteKind::Vocabulary => test_vocabulary(name, library, file, choice, &mut problems),
        };
        output.show(&problems);
        if let Some(error) = Unusable::new(name, Some(*kind), Some(file.name()), &problems) {
            if human {
                output.out.write_all(unusable_line(&error, output.out_paint).as_bytes())?;
            }
            unusable.push(error);
            continue;
        }
        // With a filter, files without a matching case say nothing.
        let Some(suite) = suite.filter(|suite| choice.filter.is_none() || !suite.results.is_empty()) else {
            continue;
        };
        if human {
            output.out.write_all(suite_lines(&suite, output.out_paint).as_bytes())?;
        }
        suites.push(suite);
    }
    match arguments.format {
        TestFormat::Text => {
            output.out.write_all(suites_closing(&suites, &unusable, output.out_paint).as_bytes())?
        }
        TestFormat::Json => output.write_json(&suites_json(&suites, &unusable), ResultFormat::Json)?,
        TestFormat::Jsonl => output.write_json(&suites_json(&suites, &unusable), ResultFormat::Jsonl)?,
        TestFormat::Junit => output.out.write_all(junit(&suites, &unusable).as_bytes())?,
    }
    output.out.flush()?;
    if !unusable.is_empty() {
        return Ok(ExitStatus::Usage);
    }
    if let (Some(filter), true) = (&arguments.filter, suites.is_empty()) {
        return Err(Failure::usage(format!("no case has `{}` in its name", sanitize_line(filter))));
    }
    let failed = suites.iter().any(|suite: &Suite| suite.failed() > 0);
    Ok(if failed { ExitStatus::NotPassed } else { ExitStatus::Success })
}

fn choose(arguments: &Arguments, unusable: &mut Vec<Unusable>, output: &mut Streams) -> Vec<TestTarget> {
    let library = library();
    let mut problems = Problems::new();
    if arguments.subjects.is_empty() {
        let mut chosen = subjects(&library, &mut problems);
        let ships = |target: &TestTarget| target.file.is_shipped();
        if !arguments.all {
            chosen.retain(|target| !ships(target));
        }
        unusable.extend(Unusable::new("test files", None, None, &problems));
        output.show(&problems);
        return chosen;
    }
    let mut chosen = Vec::new();
    for argument in &arguments.subjects {
        match find_subject(argument, &library) {
            Ok(subject) => chosen.push(subject),
            Err(problem) => {
                let mut own = Problems::new();
                own.push(problem.clone());
                unusable.extend(Unusable::new(argument, None, None, &own));
                problems.push(problem);
            }
        }
    }
    output.show(&problems);
    chosen
}

/// Names the changes that no case notices. Files of rules and vocabularies are left out: their candidates and texts try
/// what they say.
fn mutate(chosen: &[TestTarget], mut unusable: bool, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let mut survived = 0;
    for TestTarget { kind, name, library, .. } in chosen {
        if *kind != SuiteKind::Profile {
            continue;
        }
        if name.contains(['/', '\\']) || name.ends_with(".yaml") || name.ends_with(".yml") {
            return Err(Failure::usage("`--mutate` takes profiles by name")
                .help("run it in the folder that holds `profiles/`"));
        }
        let mut problems = Problems::new();
        let mutation = survivors(name, library, &mut problems);
        unusable |= problems.has_errors();
        output.show(&problems);
        let Some(Mutation { noticed, invalid, equivalent, survivors }) = mutation else { continue };
        survived += survivors.len();
        let counts = format!(
            "{noticed} changes noticed, {invalid} make no valid profile, {equivalent} change nothing, {} unnoticed",
            survivors.len()
        );
        let line = format!("{}  {counts}", output.out_paint.strong(&sanitize_line(name)));
        writeln!(output.out, "{line}")?;
        for Mutant { line, name, .. } in &survivors {
            writeln!(output.out, "  line {line}: {}", sanitize_line(name))?;
        }
        output.out.flush()?;
    }
    Ok(match (unusable, survived) {
        (true, _) => ExitStatus::Usage,
        (false, 0) => ExitStatus::Success,
        (false, _) => ExitStatus::NotPassed,
    })
}
