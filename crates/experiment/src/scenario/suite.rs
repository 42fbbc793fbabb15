//! The cases of one file, run.

use super::case::{Case, CaseInput, ScenarioFile};
use super::matching::Difference;
use super::play::{play_document, play_trajectory};
use super::verify::{check_names, check_rules, check_type, differences};
use crate::diag::{Level, Problem, Problems, SourceFile, Span};
use crate::plan::Plan;
use crate::policy::ScriptCriteria;
use crate::profile::{ANSWERED_BY_CASE, Library, Loaded, NO_PROVIDER, Override, load};
use crate::value::decode::Decode;
use crate::value::yaml;
use std::collections::HashMap;
use std::sync::Arc;

/// The subject of a test file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SuiteKind {
    /// A profile.
    Profile,
    /// A file of rules.
    Rules,
    /// A vocabulary.
    Vocabulary,
}

impl SuiteKind {
    /// Every kind, with the folder that holds such files beside their cases.
    pub(super) const FOLDERS: [(SuiteKind, &'static str); 3] = [
        (SuiteKind::Profile, "profiles"),
        (SuiteKind::Rules, "rules"),
        (SuiteKind::Vocabulary, "rules/vocabularies"),
    ];
}

/// The cases of one test file with their outcomes.
#[derive(Debug, Clone, PartialEq)]
pub struct Suite {
    /// The profile, the file of rules or the vocabulary.
    pub name: String,
    /// The kind of the subject.
    pub kind: SuiteKind,
    /// The test file.
    pub file: String,
    /// Its cases that were run, in file order.
    pub results: Vec<CaseResult>,
}

impl Suite {
    /// The number of cases that did not come out as expected.
    #[must_use]
    pub fn failed(&self) -> usize {
        self.results.iter().filter(|result| result.verdict != Verdict::Passed).count()
    }
}

/// A subject that could not be tested: none of its cases was run.
#[derive(Debug, Clone)]
pub struct Unusable {
    /// The profile, the file of rules, the vocabulary, or the argument of the command line.
    pub name: String,
    /// The kind of the subject; `None` if it was not found.
    pub kind: Option<SuiteKind>,
    /// The test file; `None` if there is none.
    pub file: Option<String>,
    /// The reason: the errors of the test file and of what it tests.
    pub problems: Vec<Problem>,
}

impl Unusable {
    /// The subject with the errors of `problems`; `None` if there are none.
    #[must_use]
    pub fn new(name: &str, kind: Option<SuiteKind>, file: Option<&str>, problems: &Problems) -> Option<Self> {
        let errors = problems.sorted().into_iter().filter(|problem| problem.level == Level::Error);
        let problems: Vec<Problem> = errors.cloned().collect();
        let file = file.map(str::to_owned);
        (!problems.is_empty()).then(|| Unusable { name: name.to_owned(), kind, file, problems })
    }
}

/// One case with its outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseResult {
    /// Its name.
    pub name: String,
    /// The line of the case, from 1.
    pub line: usize,
    /// Its outcome.
    pub verdict: Verdict,
}

/// The outcome of a case.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// All is as expected.
    Passed,
    /// Something is not.
    Failed(Vec<Difference>),
    /// The case lacks something that the loop asked for, or a template could not be rendered.
    Stuck(String),
}

impl Verdict {
    /// By the differences from what was expected.
    pub(super) fn of(differences: Vec<Difference>) -> Self {
        if differences.is_empty() { Verdict::Passed } else { Verdict::Failed(differences) }
    }
}

/// The cases to run, and options for running them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Choice<'a> {
    /// Only cases with this text in their name.
    pub filter: Option<&'a str>,
    /// Settings laid over the profile before those of the case.
    pub settings: &'a [Override],
    /// Stop at the first case that fails, the quick ones first.
    pub first_failure: bool,
}

impl Choice<'_> {
    /// Returns whether a case of this name is run.
    #[must_use]
    pub fn takes(&self, name: &str) -> bool {
        self.filter.is_none_or(|part| name.contains(part))
    }

    /// Runs those of the cases that are chosen by their titles. `run` gives the line and the outcome of each.
    pub(super) fn play<C>(
        &self,
        cases: &[C],
        title: impl Fn(&C) -> String,
        mut run: impl FnMut(&C) -> (usize, Verdict),
    ) -> Vec<CaseResult> {
        let titled = cases.iter().map(|case| (title(case), case)).filter(|(title, _)| self.takes(title));
        let results = titled.map(|(name, case)| {
            let (line, verdict) = run(case);
            CaseResult { name, line, verdict }
        });
        results.collect()
    }
}

/// Runs the cases of a profile (by name or path). The process's environment is ignored, so that a case comes out the
/// same everywhere: variables of the profile have their defaults.
///
/// Every problem of the file and the profile is pushed; `None` when one of them is an error.
pub fn test_profile(
    profile: &str,
    library: &Library,
    file: &Arc<SourceFile>,
    choice: Choice<'_>,
    problems: &mut Problems,
) -> Option<Suite> {
    let before = problems.error_count();
    let cases = yaml::parse(file, problems).and_then(|node| ScenarioFile::decode(&node, problems))?.cases;
    let mut bench = Bench::new(profile, library, choice.settings, problems)?;
    if !choice.first_failure {
        bench.plan_of_profile(problems);
    }
    if problems.error_count() > before {
        return None;
    }
    let mut order: Vec<&Case> = cases.iter().filter(|case| choice.takes(&case.name.value)).collect();
    if choice.first_failure {
        order.sort_by_key(|case| (needs_plan(case), !case.settings.is_empty()));
    }
    let mut results = Vec::new();
    for case in order {
        let Some(verdict) = bench.run(case, problems) else {
            if choice.first_failure {
                return None;
            }
            continue;
        };
        let ends = choice.first_failure && verdict != Verdict::Passed;
        let line = line_of(&case.name.span);
        results.push(CaseResult { name: case.name.value.clone(), line, verdict });
        if ends {
            break;
        }
    }
    if problems.error_count() > before {
        return None;
    }
    Some(Suite {
        name: bench.base.profile.name,
        kind: SuiteKind::Profile,
        file: file.name().to_owned(),
        results,
    })
}

pub(super) fn line_of(span: &Span) -> usize {
    span.location().line
}

/// Returns whether a case needs more of the profile than its policy.
fn needs_plan(case: &Case) -> bool {
    let expect = &case.expect;
    !matches!(case.course, CaseInput::Trajectory(_))
        || expect.feedback.is_some()
        || expect.fact("review").is_some()
}

/// A profile with the settings of its cases laid over it, each variant made once.
struct Bench<'a> {
    profile: &'a str,
    library: &'a Library,
    settings: &'a [Override],
    base: Loaded,
    variants: HashMap<String, Option<Variant>>,
}

/// The profile of some cases.
struct Variant {
    loaded: Loaded,
    /// The compiled functions of its script criteria.
    scripts: ScriptCriteria,
    /// Compiled when a case needs it; the inner `None` means that it can't be.
    plan: Option<Option<Arc<Plan>>>,
}

impl<'a> Bench<'a> {
    fn new(
        profile: &'a str,
        library: &'a Library,
        settings: &'a [Override],
        problems: &mut Problems,
    ) -> Option<Self> {
        let mut found = Problems::new();
        let base = load(profile, library, settings, &|_| None, &mut found);
        keep_errors(found, problems);
        Some(Bench { profile, library, settings, base: base?, variants: HashMap::new() })
    }

    /// Compiles the profile as it is, so that its problems are reported once and not by every case.
    fn plan_of_profile(&self, problems: &mut Problems) {
        let mut found = Problems::new();
        Plan::compile(&self.base, &mut found);
        keep_errors(found, problems);
    }

    /// Runs a case; `None` if the case, or the profile with its settings, is invalid.
    fn run(&mut self, case: &Case, problems: &mut Problems) -> Option<Verdict> {
        let key = self.key(case);
        if !self.variants.contains_key(&key) {
            let variant = self.variant(case, problems);
            self.variants.insert(key.clone(), variant);
        }
        let variant = self.variants.get_mut(&key)?.as_mut()?;
        let before = problems.error_count();
        check_names(case, &variant.loaded.profile, problems);
        if problems.error_count() > before {
            return None;
        }
        let plan = if needs_plan(case) { Some(variant.plan(problems)?) } else { None };
        if let Some(plan) = &plan {
            check_type(case, plan, problems);
            check_rules(case, plan, problems);
            if problems.error_count() > before {
                return None;
            }
        }
        let played = match (&case.course, &plan) {
            (CaseInput::Trajectory(steps), _) => {
                let profile = &variant.loaded.profile;
                let dimensions: Vec<&str> = profile.dimensions.iter().map(|d| d.name.as_str()).collect();
                let plan = plan.as_deref().filter(|_| case.expect.feedback.is_some());
                play_trajectory(&profile.policy, &variant.scripts, &dimensions, steps, plan)
            }
            (_, Some(plan)) => play_document(plan, case),
            (_, None) => return None,
        };
        Some(match played {
            Err(why) => Verdict::Stuck(why),
            Ok(played) => match differences(case, &played, plan.as_deref()) {
                found if found.is_empty() => Verdict::Passed,
                found => Verdict::Failed(found),
            },
        })
    }

    /// The key that tells the profile of this case from that of others.
    fn key(&self, case: &Case) -> String {
        let judges = self.base.profile.judges.iter().map(|judge| &judge.id.value);
        let answered: Vec<&String> = judges.filter(|judge| case.answers_for(judge)).collect();
        format!("{answered:?} {}", case.settings_key)
    }

    fn variant(&self, case: &Case, problems: &mut Problems) -> Option<Variant> {
        let mut settings = self.settings.to_vec();
        settings.extend(case.settings.iter().cloned());
        for judge in &self.base.profile.judges {
            let id = judge.id.value.as_str();
            let provider = if case.answers_for(id) { ANSWERED_BY_CASE } else { NO_PROVIDER };
            settings.push(Override::from_option("the case", &["judges", id, "provider"], provider));
        }
        let mut found = Problems::new();
        let loaded = load(self.profile, self.library, &settings, &|_| None, &mut found);
        let scripts =
            loaded.as_ref().map(|l| ScriptCriteria::compile(&l.profile.policy.stop, &l.library, &mut found));
        let usable = !found.has_errors();
        keep_errors(found, problems);
        let loaded = loaded.filter(|_| usable)?;
        Some(Variant { loaded, scripts: scripts.unwrap_or_default(), plan: None })
    }
}

impl Variant {
    fn plan(&mut self, problems: &mut Problems) -> Option<Arc<Plan>> {
        let plan = self.plan.get_or_insert_with(|| {
            let mut found = Problems::new();
            let plan = Plan::compile(&self.loaded, &mut found);
            keep_errors(found, problems);
            plan.map(Arc::new)
        });
        plan.clone()
    }
}

/// Warnings about a profile are what `check` is for.
fn keep_errors(found: Problems, problems: &mut Problems) {
    found
        .iter()
        .filter(|problem| problem.level == Level::Error)
        .for_each(|problem| problems.push(problem.clone()));
}
