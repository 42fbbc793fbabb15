//! `loopctl check`: profiles and everything they reach, and any other file by itself.

use super::exit::{Exit, Failure};
use super::loading::{ProfileArguments, library, prices, providers};
use super::output::Output;
use crate::diag::{Code, Level, Problem, Problems, Span, nearest, render_json, render_sarif};
use crate::lint::{FileKind, ProfileView, check_file, files_of, lint, lint_provider};
use crate::profile::{Loaded, available, read_text_file};
use crate::provider::Providers;
use crate::run::Plan;
use crate::value::yaml::{Data, Entry, Node};
use clap::{Args, ValueEnum};
use std::path::Path;

#[derive(Args)]
#[command(
    after_help = "Exit status: 0 nothing is wrong, or there are warnings only; 2 something is wrong (with `--strict` warnings, too)."
)]
pub(super) struct Arguments {
    /// Profile by name or path (repeatable)
    #[arg(long, short, value_name = "PROFILE")]
    profile: Vec<String>,
    /// Lay a setting over each profile, such as `accept.overall=0.9` (repeatable)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// How problems are written: for people to standard error, else to standard output
    #[arg(long, value_enum, default_value = "human")]
    format: CheckFormat,
    /// Warnings make the exit status 2, too: for continuous integration
    #[arg(long)]
    strict: bool,
    /// Say what a code means, such as `LC501`; without a code, list them all
    #[arg(long, value_name = "CODE", num_args = 0..=1, default_missing_value = "", conflicts_with_all = ["profile", "settings", "strict"])]
    explain: Option<String>,
    /// Profiles by name or path, or files of any other kind by path: rules, rubrics, cases, prices, schemas, prompts,
    /// scripts [default: all profiles that can be named, and every file of this folder's project]
    #[arg(value_name = "PROFILE|FILE")]
    what: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CheckFormat {
    /// With the source lines
    Human,
    /// A list of problems
    Json,
    /// SARIF 2.1.0, for code hosts and editors
    Sarif,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Output) -> Result<Exit, Failure> {
    if let Some(code) = &arguments.explain {
        return explain(code, output);
    }
    let mut problems = Problems::new();
    let providers = providers();
    prices(None, &mut problems);
    let mut checked = Checked::default();
    if arguments.profile.is_empty() && arguments.what.is_empty() {
        for name in available(&library()) {
            let mut found = Problems::new();
            check_profile(&name, arguments, &providers, &mut found);
            // Nobody asked about what is shipped, and nobody here can change it.
            found.retain(|problem| problem.level > Level::Note || !is_about_shipped(problem));
            problems.extend(found);
            checked.profiles += 1;
        }
        for (kind, path, file) in files_of(Path::new("."), &mut problems) {
            check_file(kind, &path, &file, &library(), &mut problems);
            checked.files += 1;
        }
        other_endings(&mut problems);
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
    Ok(if fails { Exit::Usage } else { Exit::Success })
}

/// Files that nothing finds by their name, because of how they end.
fn other_endings(problems: &mut Problems) {
    for folder in ["profiles", "rules", "rules/rubrics", "rules/extract"] {
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        let mut names: Vec<String> =
            entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        for (name, stem) in names.iter().filter_map(|name| Some((name, name.strip_suffix(".yml")?))) {
            let message = format!("`{folder}/{name}` is not found by its name: files here end in `.yaml`");
            let problem = Problem { level: Level::Note, ..Problem::placeless(Code::MissingFile, message) };
            problems.push(problem.help(format!("rename it to `{stem}.yaml`")));
        }
    }
}

/// How much was checked.
#[derive(Default)]
struct Checked {
    profiles: usize,
    files: usize,
}

fn show(
    format: CheckFormat,
    problems: &Problems,
    checked: &Checked,
    output: &mut Output,
) -> Result<(), Failure> {
    match format {
        CheckFormat::Json => {
            let text = serde_json::to_string_pretty(&render_json(problems)).unwrap_or_default();
            writeln!(output.out, "{text}")?;
        }
        CheckFormat::Sarif => {
            let base = std::env::current_dir().unwrap_or_default();
            let text = serde_json::to_string_pretty(&render_sarif(problems, &base)).unwrap_or_default();
            writeln!(output.out, "{text}")?;
        }
        CheckFormat::Human => {
            output.show(problems);
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
            output.say(&format!("{what} checked: {}", counts.join(", ")));
            if let Some(first) = problems.sorted().into_iter().rev().max_by_key(|problem| problem.level) {
                output.say(&format!("more about a code: loopctl check --explain {}", first.code.as_str()));
            }
        }
    }
    Ok(())
}

/// What a code means; for no code, all of them.
fn explain(code: &str, output: &mut Output) -> Result<Exit, Failure> {
    if code.is_empty() {
        for code in Code::ALL {
            writeln!(output.out, "{}  {}", code.as_str(), code.title())?;
        }
        return Ok(Exit::Success);
    }
    if let Some(known) = Code::parse(code) {
        write!(output.out, "{}", known.page())?;
        return Ok(Exit::Success);
    }
    let guess = nearest(code, Code::ALL.iter().map(|code| code.as_str()));
    Err(Failure::usage(format!("no code is called `{}`", crate::value::sanitize_line(code))).help(
        match guess {
            Some(guess) => format!("did you mean `{guess}`? `loopctl check --explain` lists them all"),
            None => "`loopctl check --explain` lists them all".to_owned(),
        },
    ))
}

/// Checks what an argument names: a profile, or a file of another kind.
fn check_what(
    what: &str,
    arguments: &Arguments,
    providers: &Providers,
    problems: &mut Problems,
    checked: &mut Checked,
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
        // Of a profile that can't be read, loading says why.
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
            check_file(kind, path, &file, &library(), problems);
        }
        (Ok(_), _) => {}
        (Err(problem), _) => {
            checked.files += 1;
            problems.push(problem);
        }
    }
}

fn check_profile(name: &str, arguments: &Arguments, providers: &Providers, all: &mut Problems) {
    // What is wrong with another profile is no reason to look at this one less.
    let problems = &mut Problems::new();
    let profile = ProfileArguments {
        profile: name.to_owned(),
        variables: Vec::new(),
        settings: arguments.settings.clone(),
        provider: None,
        judge: None,
        provider_config: Vec::new(),
    };
    if let Some(loaded) = profile.load(&[], problems) {
        if let Some(plan) = Plan::check(&loaded, problems) {
            let mut found = Problems::new();
            lint(ProfileView { loaded: &loaded, plan: &plan }, &mut found);
            if !is_shipped(&loaded.merged.span) {
                for_the_child(&mut found);
            }
            problems.extend(found);
        }
        check_providers(&loaded, providers, problems);
    }
    all.extend(std::mem::take(problems));
}

/// What is said of a profile that extends a shipped one, as one who can only change the profile needs it: no notes about
/// shipped files, and of warnings where to mend them.
fn for_the_child(found: &mut Problems) {
    found.retain(|problem| problem.level > Level::Note || !problem.span.as_ref().is_some_and(is_shipped));
    found.change(|problem| {
        if problem.span.as_ref().is_some_and(is_shipped) {
            let help = problem.help.take().unwrap_or_default();
            problem.help = Some(format!("in your profile (this file ships with loopctl): {help}"));
        }
    });
}

fn is_shipped(span: &Span) -> bool {
    span.file().name().starts_with("<embedded>/")
}

/// Whether all places of a problem are in files that are shipped.
fn is_about_shipped(problem: &Problem) -> bool {
    let related = problem.related.iter().map(|(span, _)| span);
    problem.span.iter().chain(related).all(is_shipped)
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// Looks at the plugin of each stage and judge without running it. Not every machine that checks a profile has every
/// plugin, so what is wrong is a warning here; `run` fails on it.
fn check_providers(loaded: &Loaded, providers: &Providers, problems: &mut Problems) {
    check_limits(loaded, providers, problems);
    let stages = loaded.profile.stages.iter().flat_map(|stage| &stage.call.providers);
    let asked = loaded.profile.judges.iter().filter(|judge| judge.is_asked());
    for choice in stages.chain(asked.flat_map(|judge| &judge.call.providers)) {
        let provider = &choice.name;
        let name = &provider.value;
        if name.starts_with("${") {
            // A variable that is not set has been reported.
            continue;
        }
        let problem = match providers.find(name) {
            Ok(plugin) if plugin.trust.may_run() => {
                lint_provider(choice, &plugin.manifest, &|name| std::env::var(name).ok(), problems);
                continue;
            }
            Ok(_) => Problem::warning(
                Code::Plugin,
                &provider.span,
                format!("the provider `{name}` is not trusted"),
            )
            .help(format!(
                "look at it with `loopctl plugin inspect {name}`, then `loopctl plugin trust {name}`"
            )),
            Err(error) => {
                Problem::warning(Code::Plugin, &provider.span, error.to_string()).help(error.help())
            }
        };
        problems.push(problem);
    }
}

/// Limits are by the name of a provider; one that nobody has would never apply.
fn check_limits(loaded: &Loaded, providers: &Providers, problems: &mut Problems) {
    let written = loaded.merged.get("network").and_then(|network| network.get("limits"));
    let Some(Node { data: Data::Map(limits), .. }) = written else { return };
    let mut known: Vec<String> = Vec::new();
    for listed in providers.used() {
        if let Ok(plugin) = listed.plugin {
            known.extend(plugin.manifest.endpoints.into_iter().map(|endpoint| endpoint.name));
        }
        known.push(listed.name);
    }
    let spelled = |name: &str| name.replace('-', "_");
    for Entry { key: name, key_span, .. } in limits {
        if known.iter().any(|other| spelled(other) == spelled(name)) {
            continue;
        }
        let problem = Problem::warning(
            Code::InertRule,
            key_span,
            format!("no provider is called `{name}`, so this limit never applies"),
        );
        problems.push(match nearest(name, known.iter().map(String::as_str)) {
            Some(guess) => problem.help(format!("did you mean `{guess}`?")),
            None => problem.help("`loopctl plugin list` names the providers that there are"),
        });
    }
}
