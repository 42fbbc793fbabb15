//! Opens the providers and validators that a profile asks, and describes them for the journal.

use super::{Candidates, Consultant, FallbackChain};
use crate::plan::{JudgePlan, Plan, ValidatorPlan};
use crate::profile::{Asked, Attach, Call, ProviderChoice, Stage};
use crate::provider::{Provider, ProviderError, Providers};
use serde_json::{Value, json};

/// The reason that a provider or validator of a profile can't be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The profile makes no candidates.
    #[error("the profile `{profile}` has no stage that makes a candidate")]
    NoStage {
        /// Its name.
        profile: String,
    },
    /// A provider would not get to see what the profile attaches.
    #[error("the provider `{provider}` takes no {what}, and the profile attaches them")]
    NoAttachments {
        /// As the profile names it.
        provider: String,
        /// The files that the profile attaches, in words.
        what: &'static str,
    },
    /// A provider can't be opened.
    #[error(transparent)]
    Provider(#[from] ProviderError),
}

impl OpenError {
    /// Returns what to do about it.
    #[must_use]
    pub fn help(&self) -> String {
        match self {
            OpenError::NoStage { .. } => {
                "add `stages:` with a provider, or use `score` or `validate`".to_owned()
            }
            OpenError::NoAttachments { .. } => {
                "name a provider whose capabilities (`loopctl plugin inspect`) have `images`, or `pdf` for `attach: document`"
                    .to_owned()
            }
            OpenError::Provider(error) => error.help(),
        }
    }

    /// Returns whether something was named or configured wrongly, and is not broken.
    #[must_use]
    pub fn is_wrong_usage(&self) -> bool {
        match self {
            OpenError::NoStage { .. } | OpenError::NoAttachments { .. } => true,
            OpenError::Provider(error) => matches!(
                error,
                ProviderError::Unknown { .. }
                    | ProviderError::BuiltIn { .. }
                    | ProviderError::Ambiguous { .. }
                    | ProviderError::BadName { .. }
                    | ProviderError::ProgramsNotAllowed { .. }
                    | ProviderError::Config { .. }
            ),
        }
    }
}

/// Opens the providers of each stage.
///
/// # Errors
/// When the profile has no stage, or a provider can't be opened.
pub fn open_stages(providers: &Providers, plan: &Plan) -> Result<Candidates, OpenError> {
    if plan.stages.is_empty() {
        return Err(OpenError::NoStage { profile: plan.profile.name.clone() });
    }
    let open = |stage: &Stage| open_chain(providers, &stage.call, stage.retries);
    let opened: Result<Vec<FallbackChain>, OpenError> =
        plan.stages.iter().map(|planned| open(&planned.stage)).collect();
    Ok(Candidates::Providers(opened?))
}

/// Opens the panel: validators first, then judges, in its order.
///
/// # Errors
/// When a provider can't be opened.
pub fn open_panel(
    providers: &Providers,
    plan: &Plan,
    allow_commands: bool,
) -> Result<Vec<Consultant>, OpenError> {
    let validator = |planned: &ValidatorPlan| match &planned.validator.asked {
        Asked::Service { config, url_by } => {
            let opened = providers.open_by("service", config, *url_by)?;
            Ok(Consultant::Service(FallbackChain::new(vec![opened], planned.validator.retries)))
        }
        Asked::Command { .. } if allow_commands => Ok(Consultant::Validator),
        Asked::Command { .. } => {
            Ok(Consultant::NotRun("a profile's programs run with `--allow-commands` only".to_owned()))
        }
    };
    let judge = |planned: &JudgePlan| {
        let retries = planned.judge.on_failure.retry;
        open_chain(providers, &planned.judge.call, retries).map(Consultant::Judge)
    };
    plan.validators.iter().map(validator).chain(plan.judges.iter().map(judge)).collect()
}

fn open_chain(providers: &Providers, call: &Call, retries: u32) -> Result<FallbackChain, OpenError> {
    let open = |choice: &ProviderChoice| {
        if let Some(attach) = &call.attach {
            takes_attachments(providers, &choice.name.value, &attach.value)?;
        }
        Ok(providers.open_by(&choice.name.value, &choice.config, choice.base_url_by)?)
    };
    let links: Result<Vec<Provider>, OpenError> = call.providers.iter().map(open).collect();
    Ok(FallbackChain::new(links?, retries))
}

/// Fails for a provider that would not get to see what the profile attaches.
fn takes_attachments(providers: &Providers, spec: &str, attach: &Attach) -> Result<(), OpenError> {
    let Ok(plugin) = providers.find(spec) else { return Ok(()) };
    let (taken, what): (&[&str], _) = match attach.pages() {
        Some(_) => (&["images"], "images"),
        None => (&["images", "pdf"], "images or PDFs"),
    };
    if plugin.manifest.capabilities.iter().any(|word| taken.contains(&word.as_str())) {
        return Ok(());
    }
    Err(OpenError::NoAttachments { provider: spec.to_owned(), what })
}

/// Ids of the stages, then of the panel.
#[must_use]
pub fn plan_ids(plan: &Plan) -> Vec<String> {
    let stages = plan.stages.iter().map(|planned| planned.stage.id.value.clone());
    stages.chain(plan.panel.members().iter().map(|member| member.id.to_string())).collect()
}

/// The service, model and server that each stage, judge and validator asks.
#[must_use]
pub fn asked_of(ids: &[String], candidates: &Candidates, consultants: &[Consultant]) -> Value {
    let stages: Vec<Option<&FallbackChain>> = match candidates {
        Candidates::Providers(chains) => chains.iter().map(Some).collect(),
        // No stage is asked, but each has its id.
        Candidates::Supplied => vec![None; ids.len().saturating_sub(consultants.len())],
    };
    let panel = consultants.iter().map(|consultant| match consultant {
        Consultant::Judge(chain) | Consultant::Service(chain) => Some(chain),
        Consultant::Validator | Consultant::NotRun(_) => None,
    });
    let mut asked = Vec::new();
    for (id, chain) in ids.iter().zip(stages.into_iter().chain(panel)) {
        for provider in chain.into_iter().flat_map(FallbackChain::links) {
            let server = provider.server().map(|(host, port)| format!("{host}:{port}"));
            let (service, model) = (provider.provider_label(), provider.model());
            asked.push(json!({ "for": id, "provider": service, "model": model, "server": server }));
        }
    }
    Value::Array(asked)
}

/// The plugins of a session, each once.
#[must_use]
pub fn plugins_of(candidates: &Candidates, consultants: &[Consultant]) -> Value {
    let stages = match candidates {
        Candidates::Providers(chains) => chains.as_slice(),
        Candidates::Supplied => &[],
    };
    let judges = consultants.iter().filter_map(|consultant| match consultant {
        Consultant::Judge(chain) | Consultant::Service(chain) => Some(chain),
        Consultant::Validator | Consultant::NotRun(_) => None,
    });
    let mut plugins: Vec<Value> = Vec::new();
    for provider in stages.iter().chain(judges).flat_map(FallbackChain::links) {
        let identity = json!(provider.identity());
        if !plugins.contains(&identity) {
            plugins.push(identity);
        }
    }
    Value::Array(plugins)
}
