//! The loop for other programs: a profile at work on documents that they hand over.

use super::{
    Candidates, OpenError, RunObserver, RunStore, Session, asked_of, merge_rules, open_panel, open_stages,
    plan_ids, plugins_of, split_rules,
};
use crate::diag::{Problems, Style, render_human};
use crate::engine::Event;
use crate::ingest::{Document, InputError, section_documents};
use crate::plan::{Plan, Terms};
use crate::profile::{Library, Override, load};
use crate::provider::{Linked, PluginPaths, Prices, ProviderError, Providers};
use crate::result::{DocumentResult, MergedResult};
use crate::store::{Artifacts, EventLog, NoJournal, RunId, RunRecord, StoreError};
use crate::value::{DocumentId, Millis};
use serde_json::{Value, json};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::watch;

/// A profile at work. Documents may be run at the same time; they share providers, limits, circuit breakers and retry
/// budgets, and nothing else. Dropping the future of a run gives up its calls in flight.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let clinical = loopctl_run::Loop::builder().profile("clinical").plugins("/opt/loopctl/plugins").build()?;
/// let report = "SURGICAL PATHOLOGY REPORT\nFINAL DIAGNOSIS: Lung, lobectomy: adenocarcinoma, grade 2. Margins: negative.";
/// let result = clinical.run("report-1", report).await?;
/// println!("{:?} {:?}", result.final_status, result.best_extraction);
/// # Ok(())
/// # }
/// ```
pub struct Loop {
    session: Session,
    /// The sender of the signal to stop, which is never given.
    _stop: watch::Sender<bool>,
}

impl Loop {
    /// A plan at work without a journal, with these providers.
    pub fn of_plan(plan: Plan, providers: &Providers, allow_commands: bool) -> Result<Self, OpenError> {
        let candidates = open_stages(providers, &plan)?;
        let consultants = open_panel(providers, &plan, allow_commands)?;
        let (journal, run) = without_journal(&record_of(&plan, &candidates, &consultants));
        let (stop, cancelled) = watch::channel(false);
        let store = RunStore { journal, run, artifacts: None };
        let session = Session::new(Arc::new(plan), candidates, consultants, store, cancelled);
        Ok(Loop { session, _stop: stop })
    }

    /// Begins with the profile `balanced` and its own settings, until something else is set.
    pub fn builder() -> LoopBuilder {
        LoopBuilder::default()
    }

    /// Runs the loop over a text. `id` names the document in results and in the journal, which takes each once.
    ///
    /// Needs a tokio runtime with time enabled, and with IO for providers in the network.
    ///
    /// # Errors
    /// When the journal or an artifact can't be written. Whatever goes wrong with the document or a provider is in the
    /// result.
    pub async fn run(
        &self,
        id: impl Into<String>,
        text: impl Into<String>,
    ) -> Result<DocumentResult, StoreError> {
        self.run_document(&Document::from_text(id, text), None, None).await
    }

    /// Like [`Loop::run`], for a document that was read from a file, of a known type (else it is found), starting from
    /// an existing candidate (else it is asked for).
    ///
    /// # Errors
    /// Those of [`Loop::run`].
    pub async fn run_document(
        &self,
        document: &Document,
        document_type: Option<&str>,
        supplied: Option<Arc<Value>>,
    ) -> Result<DocumentResult, StoreError> {
        self.session.run(document, document_type, supplied, &mut Unobserved).await
    }

    /// Like [`Loop::run_document`], reporting each event to an observer.
    ///
    /// # Errors
    /// Those of [`Loop::run`].
    pub async fn run_observed<O: RunObserver + ?Sized>(
        &self,
        document: &Document,
        document_type: Option<&str>,
        supplied: Option<Arc<Value>>,
        observer: &mut O,
    ) -> Result<DocumentResult, StoreError> {
        self.session.run(document, document_type, supplied, observer).await
    }

    /// The sections of a document that was read from a file of several, each as a document of its own, to be run as such.
    /// None if it is one document, or the profile does not ask for it (`sections: { split: true }`): then it is run whole.
    #[must_use]
    pub fn sections(&self, document: &Document) -> Vec<Document> {
        let rules = split_rules(self.plan());
        rules.map_or_else(Vec::new, |(classifier, _)| section_documents(document, classifier))
    }

    /// One result for a document, of those of all its sections in their order, merged as the profile says.
    #[must_use]
    pub fn merged(&self, document: &Document, sections: &[DocumentResult]) -> MergedResult {
        let sections: Vec<_> =
            sections.iter().map(|result| (result.id.clone(), Some(result.clone()))).collect();
        let rules = split_rules(self.plan()).map(|(_, rules)| rules.clone());
        let rules = rules.unwrap_or_else(|| merge_rules(&Value::Null));
        MergedResult::of(document.id.clone(), &sections, &rules)
    }

    /// The compiled profile.
    #[must_use]
    pub fn plan(&self) -> &Arc<Plan> {
        self.session.plan()
    }

    /// Records in the journal that no document follows.
    ///
    /// # Errors
    /// When the journal can't be written.
    pub async fn close(self) -> Result<(), StoreError> {
        self.session.close(&jiff::Timestamp::now().to_string()).await
    }
}

/// The reason that a loop can't be built. Its `Debug` shows the message and what to do about it, because that is what a
/// `main` prints that returns it.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The profile, or a file that it reaches, can't be used: every problem, drawn with its location.
    #[error("{}", render_human(.0, Style::Plain))]
    Profile(Problems),
    /// A prompt uses a variable that is not set.
    #[error("the prompt of the profile `{profile}` needs the variable `{variable}`")]
    UnsetVariable {
        /// The profile's name.
        profile: String,
        /// The variable's name.
        variable: String,
    },
    /// A provider or validator that the profile asks can't be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The journal can't be opened, or the folder for artifacts can't be made.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl fmt::Debug for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")?;
        match self {
            BuildError::Open(error) => write!(f, "\n  help: {}", error.help()),
            BuildError::UnsetVariable { variable, .. } => {
                write!(f, "\n  help: set it with `.variable(\"{variable}\", …)`")
            }
            BuildError::Profile(_) | BuildError::Store(_) => Ok(()),
        }
    }
}

impl From<ProviderError> for BuildError {
    fn from(error: ProviderError) -> Self {
        BuildError::Open(error.into())
    }
}

/// The configuration of a [`Loop`]. Nothing is read or opened before [`LoopBuilder::build`].
#[must_use]
#[derive(Default)]
pub struct LoopBuilder {
    profile: Option<String>,
    folders: Vec<PathBuf>,
    settings: Vec<String>,
    options: Vec<Override>,
    plugins: Vec<PathBuf>,
    linked: Vec<Linked>,
    paths: Option<PluginPaths>,
    prices: Option<Prices>,
    environment: Option<EnvironmentFn>,
    allow_commands: bool,
    artifacts: Option<PathBuf>,
    #[cfg(feature = "journal")]
    journal: Option<PathBuf>,
}

type EnvironmentFn = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

impl LoopBuilder {
    /// A profile by name, or by path if it has a separator or ends in `.yaml`.
    pub fn profile(mut self, name: impl Into<String>) -> Self {
        self.profile = Some(name.into());
        self
    }

    /// A folder with `profiles/`, `rules/`, `prompts/` and `schemas/`, before the shipped files; the first named is the
    /// nearest.
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folders.push(folder.into());
        self
    }

    /// A setting laid over the profile, such as `accept.overall=0.9`.
    pub fn set(mut self, setting: impl Into<String>) -> Self {
        self.settings.push(setting.into());
        self
    }

    /// A variable of the profile's prompts.
    pub fn variable(mut self, name: &str, text: &str) -> Self {
        self.options.push(Override::from_option("variable", &["variables", name], text));
        self
    }

    /// The provider of every stage, such as `openai:gpt-x`.
    pub fn provider(mut self, spec: &str) -> Self {
        self.options.push(Override::from_option("provider", &["stages", "*", "provider"], spec));
        self
    }

    /// The provider of every judge; `none` to do without.
    pub fn judge(mut self, spec: &str) -> Self {
        self.options.push(Override::from_option("judge", &["judges", "*", "provider"], spec));
        self
    }

    /// A folder to search for plugins, before those of the environment and of the installation. Plugins there run only
    /// if the lock file has them (`loopctl plugin trust`), or if they are part of the installation: the folder of this
    /// program.
    pub fn plugins(mut self, folder: impl Into<PathBuf>) -> Self {
        self.plugins.push(folder.into());
        self
    }

    /// All locations that matter to plugins, instead of what the environment says.
    pub fn plugin_paths(mut self, paths: PluginPaths) -> Self {
        self.paths = Some(paths);
        self
    }

    /// A plugin that is linked into this program.
    pub fn linked(mut self, plugin: Linked) -> Self {
        self.linked.push(plugin);
        self
    }

    /// The prices of models, before those that ship with loopctl.
    pub fn prices(mut self, prices: Prices) -> Self {
        self.prices = Some(prices);
        self
    }

    /// The source of variables that profiles, keys and proxies name; else the process's environment.
    pub fn environment(mut self, variable: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        self.environment = Some(Arc::new(variable));
        self
    }

    /// Lets the profile run programs on this machine: its validators, and those that the provider `command` runs.
    pub fn allow_commands(mut self, allow: bool) -> Self {
        self.allow_commands = allow;
        self
    }

    /// A folder for extractions, validations and results.
    pub fn artifacts(mut self, folder: impl Into<PathBuf>) -> Self {
        self.artifacts = Some(folder.into());
        self
    }

    /// A file that keeps every event before it is acted upon; else nothing is kept.
    #[cfg(feature = "journal")]
    pub fn journal(mut self, file: impl Into<PathBuf>) -> Self {
        self.journal = Some(file.into());
        self
    }

    /// Reads the profile with everything that it reaches, and opens its providers.
    ///
    /// # Errors
    /// When one of these can't be used.
    pub fn build(self) -> Result<Loop, BuildError> {
        let own: EnvironmentFn = Arc::new(|name| std::env::var(name).ok());
        let environment = self.environment.unwrap_or(own);
        let mut problems = Problems::new();
        let mut overrides: Vec<Override> = Vec::new();
        overrides.extend(self.settings.iter().filter_map(|one| Override::from_flag(one, &mut problems)));
        overrides.extend(self.options);
        let mut paths = self.paths.unwrap_or_else(PluginPaths::from_env);
        let mut search = self.plugins;
        search.append(&mut paths.search);
        paths.search = search;
        let mut known = Providers::new(paths);
        for plugin in self.linked {
            known = known.with_linked(plugin)?;
        }
        let manifests = known.clone();
        let library = Library::new(self.folders)
            .beside(move |name| manifests.find(name).ok().map(|plugin| plugin.manifest.answers_prompts()));
        let name = self.profile.as_deref().unwrap_or("balanced");
        let loaded = load(name, &library, &overrides, environment.as_ref(), &mut problems);
        let plan = loaded.and_then(|loaded| Plan::compile(&loaded, &mut problems));
        let Some(plan) = plan.filter(|_| !problems.has_errors()) else {
            return Err(BuildError::Profile(problems));
        };
        if let Some(variable) = plan.unset_variables.first() {
            let (profile, variable) = (plan.profile.name.clone(), variable.clone());
            return Err(BuildError::UnsetVariable { profile, variable });
        }
        let variable = Arc::clone(&environment);
        let mut providers = known
            .with_environment(move |name| variable(name))
            .with_programs_allowed(self.allow_commands)
            .with_network(plan.profile.network.clone());
        if let Some(prices) = self.prices {
            providers = providers.with_prices(prices.before(Prices::shipped()));
        }
        let candidates = open_stages(&providers, &plan)?;
        let consultants = open_panel(&providers, &plan, self.allow_commands)?;
        let artifacts = self.artifacts.map(Artifacts::new).transpose()?;
        let record = record_of(&plan, &candidates, &consultants);
        #[cfg(feature = "journal")]
        let (journal, run) = match self.journal {
            Some(file) => {
                let journal = crate::store::Journal::open(file)?;
                let run = journal.begin_run(&record)?;
                (Arc::new(journal) as Arc<dyn EventLog>, run)
            }
            None => without_journal(&record),
        };
        #[cfg(not(feature = "journal"))]
        let (journal, run) = without_journal(&record);
        let (stop, cancelled) = watch::channel(false);
        let store = RunStore { journal, run, artifacts };
        let session = Session::new(Arc::new(plan), candidates, consultants, store, cancelled);
        Ok(Loop { session, _stop: stop })
    }
}

fn without_journal(record: &RunRecord) -> (Arc<dyn EventLog>, RunId) {
    (Arc::new(NoJournal), RunId::new(record.started_at.as_str()))
}

fn record_of(plan: &Plan, candidates: &Candidates, consultants: &[super::Consultant]) -> RunRecord {
    RunRecord {
        started_at: jiff::Timestamp::now().to_string(),
        profile: plan.profile.name.clone(),
        profile_digest: plan.profile.digest.clone(),
        loopctl_version: env!("CARGO_PKG_VERSION").to_owned(),
        plugins: plugins_of(candidates, consultants),
        settings: json!({
            "terms": Terms::of(plan),
            "providers": asked_of(&plan_ids(plan), candidates, consultants),
        }),
    }
}

/// An observer that ignores everything.
struct Unobserved;

impl RunObserver for Unobserved {
    fn started(&mut self, _: &DocumentId, _: &str) {}
    fn event(&mut self, _: &DocumentId, _: Millis, _: &Event) {}
    fn finished(&mut self, _: &DocumentResult) {}
    fn unusable(&mut self, _: &InputError) {}
}
