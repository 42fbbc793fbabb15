//! Providers in profiles and price tables, held against the plugins of this machine. None is run here.

use super::content::{key_to_named_port, lint_provider, lint_provider_settings};
use crate::diag::{Code, Problem, Problems, SourceFile, Span};
use crate::profile::{Asked, Author, Environment, Loaded, OutsideKind, ProviderChoice, outside_of};
use crate::provider::{Inspected, Prices, Providers};
use crate::value::decode::Spanned;
use crate::value::prose::did_you_mean;
use crate::value::yaml::{Data, Entry, Node, parse};
use std::sync::Arc;

/// The provider that validators with a URL go through.
const SERVICE: &str = "service";

/// Inspects the plugin of each stage and judge without running it. Not every machine that checks a profile has every
/// plugin, so errors are warnings here; `run` fails on them.
pub fn lint_providers(
    loaded: &Loaded,
    providers: &Providers,
    environment: Environment<'_>,
    problems: &mut Problems,
) {
    limits(loaded, providers, problems);
    named_servers(loaded, problems);
    each_choice(loaded, |choice| {
        if let Some(plugin) = usable(choice, providers, problems) {
            lint_provider(choice, &plugin.manifest, environment, problems);
        }
    });
    for validator in &loaded.profile.validators {
        let Asked::Service { config, url_by } = &validator.asked else { continue };
        let Ok(plugin) = providers.find(SERVICE) else { continue };
        let name = Spanned { value: SERVICE.to_owned(), span: validator.id.span.clone() };
        let choice = ProviderChoice { name, config: config.clone(), base_url_by: *url_by };
        key_to_named_port(&plugin.manifest, &choice, environment, problems);
    }
}

/// Notes the servers that documents go to because the profile alone says so: it may come from a third party.
fn named_servers(loaded: &Loaded, problems: &mut Problems) {
    for one in outside_of(loaded).iter().filter(|one| one.by == Author::Profile && !one.is_shipped()) {
        let message = match &one.what {
            OutsideKind::Server(host) => format!("documents go to `{host}`, which only this file names"),
            OutsideKind::Proxy(host) => {
                format!("documents go through the proxy `{host}`, which only this file names")
            }
            OutsideKind::Program(_) | OutsideKind::Provider(..) => continue,
        };
        problems.push(
            Problem::note(Code::NamedServer, &one.at, message)
                .help("if the file is someone else's, ask whether your documents may go there"),
        );
    }
}

/// Inspects the plugin of each stage and judge by its name alone, and nothing else on this machine.
pub(super) fn lint_named_providers(loaded: &Loaded, providers: &Providers, problems: &mut Problems) {
    limits(loaded, providers, problems);
    each_choice(loaded, |choice| {
        if Providers::is_named_by_path(&choice.name.value) {
            let message = "a provider that is named by its path is not checked here";
            problems.push(Problem::warning(Code::Plugin, &choice.name.span, message).help(
                "name a plugin that is installed where the service runs; `loopctl plugin list` names them",
            ));
        } else if let Some(plugin) = usable(choice, providers, problems) {
            lint_provider_settings(choice, &plugin.manifest, problems);
        }
    });
}

/// Calls `look` with each provider that stages and judges ask.
fn each_choice(loaded: &Loaded, look: impl FnMut(&ProviderChoice)) {
    let stages = loaded.profile.stages.iter().flat_map(|stage| &stage.call.providers);
    let asked = loaded.profile.judges.iter().filter(|judge| judge.is_asked());
    let choices = stages.chain(asked.flat_map(|judge| &judge.call.providers));
    // A variable that is not set has been reported.
    choices.filter(|choice| !choice.name.value.starts_with("${")).for_each(look);
}

/// The plugin that a choice means, if it may run; the problem that keeps it from running is pushed.
fn usable(choice: &ProviderChoice, providers: &Providers, problems: &mut Problems) -> Option<Inspected> {
    let provider = &choice.name;
    let name = &provider.value;
    let problem = match providers.find(name) {
        Ok(plugin) if plugin.trust.may_run() => return Some(plugin),
        Ok(_) => {
            Problem::warning(Code::Plugin, &provider.span, format!("the provider `{name}` is not trusted"))
                .help(format!(
                    "look at it with `loopctl plugin inspect {name}`, then `loopctl plugin trust {name}`"
                ))
        }
        Err(error) => Problem::warning(Code::Plugin, &provider.span, error.to_string()).help(error.help()),
    };
    problems.push(problem);
    None
}

/// Limits are by the name of a provider; one with an unknown name would never apply.
fn limits(loaded: &Loaded, providers: &Providers, problems: &mut Problems) {
    let written = loaded.merged.get("network").and_then(|network| network.get("limits"));
    let Some(Node { data: Data::Map(limits), .. }) = written else { return };
    let known = known_names(providers);
    for Entry { key: name, key_span, .. } in limits {
        unknown(name, key_span, "limit", &known, problems);
    }
}

/// Looks up the providers that a price table names.
pub fn lint_prices(file: &Arc<SourceFile>, providers: &Providers, problems: &mut Problems) {
    // Errors in its form are reported when it is decoded.
    let Some(root) = parse(file, &mut Problems::new()) else { return };
    let Some(Node { data: Data::List(prices), .. }) = root.get("prices") else { return };
    let known = known_names(providers);
    for provider in prices.iter().filter_map(|price| price.get("provider")) {
        if let Data::Text { text, .. } = &provider.data {
            unknown(text, &provider.span, "price", &known, problems);
        }
    }
    for price in prices {
        let is_nothing = |key| price.get(key).and_then(|rate| rate.to_json().as_f64()) == Some(0.0);
        let Some(provider) = price.get("provider").and_then(Node::as_text) else { continue };
        if is_nothing("input") && is_nothing("output") && Prices::shipped().charges(provider) {
            let message = format!(
                "by this price `{provider}` asks nothing, and it charges: no budget of money is ever spent"
            );
            problems.push(
                Problem::warning(Code::FreePrice, &price.span, message)
                    .help("write what its models cost, or leave the entry out"),
            );
        }
    }
}

/// The names that a provider can have: its plugin's, or one of the plugin's services.
fn known_names(providers: &Providers) -> Vec<String> {
    let mut known: Vec<String> = Vec::new();
    for listed in providers.used() {
        if let Ok(plugin) = listed.plugin {
            known.extend(plugin.manifest.endpoints.into_iter().map(|endpoint| endpoint.name));
        }
        known.push(listed.name);
    }
    known
}

/// Warns of a name that no provider has: settings for it have no effect.
fn unknown(name: &str, span: &Span, what: &str, known: &[String], problems: &mut Problems) {
    let spelled = |name: &str| name.replace('-', "_").to_ascii_lowercase();
    if known.iter().any(|other| spelled(other) == spelled(name)) {
        return;
    }
    let message = format!("no provider is called `{name}`, so this {what} never applies");
    let problem = Problem::warning(Code::InertRule, span, message);
    let help = "`loopctl plugin list` names the providers that there are";
    problems.push(problem.help(did_you_mean(name, known.iter().map(String::as_str), help)));
}
