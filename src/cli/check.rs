//! `loopctl check`: profiles and everything they reach, and any other file by itself.

use super::loading::{context, library};
use crate::diag::{Code, Level, Problem, Problems, SourceFile, render_json, render_sarif};
use crate::execution::providers_or_warn;
use crate::experiment::calibrate::Basis;
use crate::failure::{ExitStatus, Failure};
use crate::lint::{
    FileKind, check_file, check_loaded, files_of, is_about_shipped, lint_certificate, lint_endings,
    lint_prices,
};
use crate::profile::{FileTracker, available, read_text_file};
use crate::profiles::SelectedProfile;
use crate::provider::Providers;
use crate::requests::ResultFormat;
use crate::streams::Streams;
use clap::{Args, ValueEnum};
use std::path::Path;
use std::sync::Arc;

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
    let mut problems = Problems::new();
    let providers = providers_or_warn(context(), output);
    context().prices(None, &mut problems);
    let mut checked = CheckedCounts::default();
    if arguments.profile.is_empty() && arguments.what.is_empty() {
        for name in available(&library()) {
            let mut found = Problems::new();
            check_profile(&name, arguments, &providers, &mut found);
            // Shipped files were not asked about, and can't be changed here.
            found.retain(|problem| problem.level > Level::Note || !is_about_shipped(problem));
            problems.extend(found);
            checked.profiles += 1;
        }
        let table = Path::new(crate::context::PRICES);
        if table.is_file() {
            // Errors of form were found above.
            if let Ok(file) = read_text_file(table) {
                lint_prices(&file, &providers, &mut problems);
            }
            checked.files += 1;
        }
        for (kind, path, file) in files_of(Path::new("."), &mut problems) {
            check_one(kind, &path, &file, &providers, &mut problems);
            checked.files += 1;
        }
        lint_endings(&mut problems);
    }
    for name in &arguments.profile {
        check_profile(name, arguments, &providers, &mut problems);
        checked.profiles += 1;
    }
    for what in &arguments.what {
        check_what(what, arguments, &providers, &mut problems, &mut checked);
    }
    show(arguments.format, &problems, &checked, output)?;
    let fails = problems.has_errors() || arguments.strict && problems.warning_count() > 0;
    Ok(if fails { ExitStatus::Usage } else { ExitStatus::Success })
}

/// The number of checked profiles and files.
#[derive(Default)]
struct CheckedCounts {
    profiles: usize,
    files: usize,
}

fn show(
    format: CheckFormat,
    problems: &Problems,
    checked: &CheckedCounts,
    output: &mut Streams,
) -> Result<(), Failure> {
    match format {
        CheckFormat::Json => output.write_json(&render_json(problems), ResultFormat::Json)?,
        CheckFormat::Jsonl => output.write_json(&render_json(problems), ResultFormat::Jsonl)?,
        CheckFormat::Sarif => {
            let base = std::env::current_dir().unwrap_or_default();
            output.write_json(&render_sarif(problems, &base), ResultFormat::Json)?;
        }
        CheckFormat::Text => {
            output.write_problems(problems)?;
            let what = match (checked.profiles, checked.files) {
                (profiles, 0) => counted(profiles, "profile"),
                (0, files) => counted(files, "file"),
                (profiles, files) => {
                    format!("{} and {}", counted(profiles, "profile"), counted(files, "other file"))
                }
            };
            let (errors, warnings) = (problems.error_count(), problems.warning_count());
            let mut counts = vec![counted(errors, "error"), counted(warnings, "warning")];
            if problems.note_count() > 0 {
                counts.push(counted(problems.note_count(), "note"));
            }
            writeln!(output.out, "{what} checked: {}", counts.join(", "))?;
            if let Some(first) = problems.sorted().into_iter().rev().max_by_key(|problem| problem.level) {
                writeln!(output.out, "more about a code: loopctl explain {}", first.code.as_str())?;
            }
        }
    }
    Ok(())
}

/// Checks what an argument names: a profile, or a file of another kind.
fn check_what(
    what: &str,
    arguments: &Arguments,
    providers: &Providers,
    problems: &mut Problems,
    checked: &mut CheckedCounts,
) {
    let path = Path::new(what);
    if path.is_dir() {
        let problem = Problem::placeless(Code::Unreadable, format!("`{what}` is a folder"));
        problems.push(problem.help("`loopctl check` without a name checks everything in this folder"));
        return;
    }
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default();
    let is_yaml = matches!(ending.as_str(), "yaml" | "yml");
    let is_path = is_yaml
        || what.contains(['/', '\\'])
        || path.is_file()
        || matches!(ending.as_str(), "json" | "md" | "txt" | "rhai");
    let file = is_path.then(|| read_text_file(path));
    let kind = match &file {
        // For a profile that can't be read, loading reports why.
        None => Ok(FileKind::Profile),
        Some(Err(_)) if is_yaml => Ok(FileKind::Profile),
        Some(Err(problem)) => Err(problem.clone()),
        Some(Ok(file)) => FileKind::of(path, file),
    };
    match (kind, file) {
        (Ok(FileKind::Profile), _) => {
            checked.profiles += 1;
            check_profile(what, arguments, providers, problems);
        }
        (Ok(kind), Some(Ok(file))) => {
            checked.files += 1;
            check_one(kind, path, &file, providers, problems);
        }
        (Ok(_), _) => {}
        (Err(problem), _) => {
            checked.files += 1;
            problems.push(problem);
        }
    }
}

/// Checks a file that is not a profile.
fn check_one(
    kind: FileKind,
    path: &Path,
    file: &Arc<SourceFile>,
    providers: &Providers,
    problems: &mut Problems,
) {
    check_file(kind, path, file, &library(), problems);
    if kind == FileKind::Prices {
        lint_prices(file, providers, problems);
    }
}

fn check_profile(name: &str, arguments: &Arguments, providers: &Providers, all: &mut Problems) {
    // Problems of another profile must not reduce the checks of this one.
    let problems = &mut Problems::new();
    let profile = SelectedProfile::of(name, &arguments.settings);
    let notes = FileTracker::default();
    if let Some(loaded) = profile.load(context(), &library().noted_in(&notes), &[], problems) {
        check_loaded(&loaded, providers, &|name| std::env::var(name).ok(), problems);
        lint_certificate(&loaded, &Basis::of(&loaded.profile, &notes.take(), Path::new(name)), problems);
    }
    all.extend(std::mem::take(problems));
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
