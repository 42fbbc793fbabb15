//! `loopctl check`: profiles and everything they reach.

use super::exit::{Exit, Failure};
use super::loading::{ProfileArguments, library, prices, providers};
use super::output::Output;
use crate::diag::{Code, Problem, Problems, SourceFile, Span, nearest, render_json};
use crate::lint::{Subject, lint, lint_providers};
use crate::profile::{Loaded, available};
use crate::provider::Providers;
use crate::run::Plan;
use clap::{Args, ValueEnum};

#[derive(Args)]
pub(super) struct Arguments {
    /// Profile by name or path (again for more)
    #[arg(long, short, value_name = "PROFILE")]
    profile: Vec<String>,
    /// Lay a setting over each profile, such as `accept.overall=0.9` (again for more)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// How problems are written: for people to standard error, as JSON to standard output
    #[arg(long, value_enum, default_value = "human")]
    format: CheckFormat,
    /// Profiles by name or path [default: all that can be named]
    #[arg(value_name = "PROFILE")]
    profiles: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CheckFormat {
    /// With the source lines
    Human,
    /// A list of problems
    Json,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Output) -> Result<Exit, Failure> {
    let mut names: Vec<String> = arguments.profile.iter().chain(&arguments.profiles).cloned().collect();
    if names.is_empty() {
        names = available(&library());
    }
    let providers = providers();
    let mut problems = Problems::new();
    prices(None, &mut problems);
    for name in &names {
        let profile = ProfileArguments {
            profile: name.clone(),
            variables: Vec::new(),
            settings: arguments.settings.clone(),
            provider: None,
            judge: None,
            provider_config: Vec::new(),
        };
        if let Some(loaded) = profile.load(&[], &mut problems) {
            if let Some(plan) = Plan::check(&loaded, &mut problems) {
                lint(Subject { loaded: &loaded, plan: &plan }, &mut problems);
            }
            check_providers(&loaded, &providers, &mut problems);
            lint_providers(&loaded, &providers, &|name| std::env::var(name).ok(), &mut problems);
        }
    }
    match arguments.format {
        CheckFormat::Json => {
            let text = serde_json::to_string_pretty(&render_json(&problems)).unwrap_or_default();
            writeln!(output.out, "{text}")?;
        }
        CheckFormat::Human => {
            output.show(&problems);
            let (errors, warnings) = (problems.error_count(), problems.warning_count());
            let (profiles, errors, warnings) =
                (counted(names.len(), "profile"), counted(errors, "error"), counted(warnings, "warning"));
            output.say(&format!("{profiles} checked: {errors}, {warnings}"));
        }
    }
    Ok(if problems.has_errors() { Exit::Usage } else { Exit::Success })
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
            Ok(plugin) if plugin.trust.may_run() => continue,
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
    if loaded.profile.network.limits.is_empty() {
        return;
    }
    let mut known: Vec<String> = Vec::new();
    for listed in providers.list() {
        if let Ok(plugin) = listed.plugin {
            known.extend(plugin.manifest.endpoints.into_iter().map(|endpoint| endpoint.name));
        }
        known.push(listed.name);
    }
    let spelled = |name: &str| name.replace('-', "_");
    for name in loaded.profile.network.limits.keys() {
        if known.iter().any(|other| spelled(other) == spelled(name)) {
            continue;
        }
        let place = SourceFile::new("network.limits", name.as_str());
        let problem = Problem::warning(
            Code::InertRule,
            &Span::new(&place, 0, name.len()),
            format!("no provider is called `{name}`, so this limit never applies"),
        );
        problems.push(match nearest(name, known.iter().map(String::as_str)) {
            Some(guess) => problem.help(format!("did you mean `{guess}`?")),
            None => problem.help("`loopctl plugin list` names the providers that there are"),
        });
    }
}
