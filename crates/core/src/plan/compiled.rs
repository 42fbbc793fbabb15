//! Everything a run needs, compiled once from a profile and shared by all documents.

use super::DocumentContext;
use super::answers::answers;
use super::stage_plan::{JudgePlan, PlanReader, StagePlan, ValidatorPlan, read};
use crate::diag::{Code, Problem, Problems, Span, nearest};
use crate::document::Classifier;
use crate::engine::{FeedbackTo, Pipeline, PipelineStage, Retry, Run};
use crate::feedback::{Role, Template, Templates};
use crate::policy::{Condition, Promises, Review, ScriptCriteria};
use crate::profile::{ALL_STAGES, Files, Loaded, LoopPolicy, Profile};
use crate::rules::{PatternCheck, compile};
use crate::score::{Panel, Scoring};
use crate::value::{Millis, is_present};
use std::sync::Arc;

/// First pause before a failed call is made again; each further one is twice as long.
const FIRST_PAUSE: Millis = Millis(250);

/// A compiled profile.
#[derive(Debug)]
pub struct Plan {
    /// The profile it was compiled from.
    pub profile: Profile,
    /// The policy that decides.
    pub policy: Arc<LoopPolicy>,
    /// The compiled functions of its script criteria.
    pub scripts: Arc<ScriptCriteria>,
    /// Rubrics, rules, schemas and scripts.
    pub scoring: Arc<Scoring>,
    /// Gives documents their type.
    pub classifier: Option<Classifier>,
    /// The condition under which a result goes to a person for review.
    pub review: Option<Review>,
    /// Prompts and feedback.
    pub templates: Templates,
    /// The feedback template.
    pub feedback: Template,
    /// The stages, in order.
    pub stages: Vec<StagePlan>,
    /// The judges that are asked, in the order of the panel.
    pub judges: Vec<JudgePlan>,
    /// The validators, which precede the judges in the panel.
    pub validators: Vec<ValidatorPlan>,
    /// The stages as the engine sees them.
    pub pipeline: Arc<Pipeline>,
    /// Judges and validators as the engine sees them.
    pub panel: Arc<Panel>,
    /// Variables of the profile that a prompt uses and that are empty: nothing sensible could be asked for.
    pub unset_variables: Vec<String>,
}

impl Plan {
    /// Compiles a profile and everything it reaches. Every problem in every file is pushed; the plan is returned only
    /// when none is an error.
    pub fn compile(loaded: &Loaded, problems: &mut Problems) -> Option<Self> {
        Self::with(loaded, Some(PatternCheck::Syntax), problems)
    }

    /// Like [`Plan::compile`], but stricter: every extraction pattern is compiled, too.
    pub fn check(loaded: &Loaded, problems: &mut Problems) -> Option<Self> {
        Self::with(loaded, Some(PatternCheck::Compile), problems)
    }

    /// Like [`Plan::compile`], but only to score: schemas of answers and extraction patterns, which only asking needs
    /// and which are most of what there is to read, are left out, and errors in them go unnoticed.
    pub fn compile_to_score(loaded: &Loaded, problems: &mut Problems) -> Option<Self> {
        Self::with(loaded, None, problems)
    }

    fn with(loaded: &Loaded, care: Option<PatternCheck>, problems: &mut Problems) -> Option<Self> {
        let (profile, files) = (&loaded.profile, &loaded.library);
        let classifier = profile.classify.as_ref().and_then(|name| {
            let file = read(files, &format!("rules/{}.yaml", name.value), &name.span, problems)?;
            Classifier::read(&file, files, problems)
        });
        let types: Vec<String> = classifier.iter().flat_map(Classifier::types).map(str::to_owned).collect();
        let rules = compile(&profile.dimensions, &profile.policy.overall, &types, files, problems);
        let scripts = ScriptCriteria::compile(&profile.policy.stop, files, problems);

        let mut templates = Templates::default();
        let feedback_name = &profile.feedback.template;
        let feedback =
            read(files, &format!("prompts/{}", feedback_name.value), &feedback_name.span, problems)
                .and_then(|file| templates.add(Role::Feedback, &file, problems));
        let dimensions: Vec<&str> = profile.dimensions.iter().map(|d| d.name.as_str()).collect();
        let review = profile.review.as_ref().and_then(|when| match Review::parse(&when.value, &dimensions) {
            Ok(review) => Some(review),
            Err(error) => {
                let problem =
                    Problem::error(Code::BadTemplate, &when.span, format!("`when` can't be used: {error}"));
                problems.push(problem.help("write a condition such as `overall < 0.80 or status != passed`"));
                None
            }
        });

        // Proved by the caller that asks for it; errors in them are reported wherever the profile is checked.
        Promises::compile(&profile.promises, &dimensions, files, problems);

        let known: Vec<String> = match &rules {
            Some(rules) => rules.document_types().map(str::to_owned).collect(),
            None => types,
        };
        let mut reader = PlanReader {
            files,
            templates: &mut templates,
            types: &known,
            classify: profile.classify.as_ref().map(|name| name.value.as_str()),
            care,
            repair: profile.repair,
            candidate: profile.candidate,
            dimensions: &profile.dimensions,
        };
        let mut earlier: Vec<&str> = Vec::new();
        let mut stages = Vec::new();
        let mut steps = Vec::new();
        for stage in &profile.stages {
            stages.push(reader.stage(stage, &earlier, problems));
            earlier.push(&stage.id.value);
            steps.push(PipelineStage {
                id: stage.id.value.as_str().into(),
                into: stage.into.as_ref().map(|field| field.value.as_str().into()),
                once: profile.generate_once.iter().any(|id| id.value == stage.id.value),
                skip_when: stage.skip_when.as_ref().and_then(|when| condition(when, &earlier, problems)),
                retries: Some(stage.call.attempts_after_first(stage.retries)),
            });
        }
        let judges = profile.judges.iter().filter(|judge| judge.is_asked()).map(|judge| {
            let of_values = profile.value_judge().is_some_and(|named| named.value == judge.id.value);
            let role = if of_values { Role::ValueJudge } else { Role::Judge };
            reader.judge(judge, role, problems)
        });
        let judges = judges.collect();
        let validators = profile.validators.iter().map(|v| reader.validator(v, problems)).collect();
        let feedback_to = match &profile.feedback.to {
            Some(to) if to.value == ALL_STAGES => FeedbackTo::All,
            Some(to) => FeedbackTo::Stage(earlier.iter().position(|id| *id == to.value).unwrap_or(0)),
            None => FeedbackTo::Stage(steps.len().saturating_sub(1)),
        };
        let answers = answers(profile, &stages, &known, files);
        let unset_variables = unset_variables(profile, files, &stages, &templates, problems);
        if problems.has_errors() {
            return None;
        }
        Some(Plan {
            policy: Arc::new(profile.policy.clone()),
            scoring: Scoring::of(
                profile.candidate,
                profile.on_pre_existing,
                rules?.with_dispositions(profile.policy.dispositions.clone()).with_answers(answers),
            ),
            scripts: Arc::new(scripts),
            classifier,
            review,
            templates,
            feedback: feedback?,
            stages,
            judges,
            validators,
            pipeline: Arc::new(Pipeline::new(steps, feedback_to)),
            panel: Arc::new(Panel::of(profile)),
            unset_variables,
            profile: profile.clone(),
        })
    }

    /// The loop of a document of which nothing is attached, before it has started.
    #[must_use]
    pub fn engine_run(&self) -> Run {
        self.run_with(&self.panel)
    }

    /// The loop of this document, before it has started.
    #[must_use]
    pub fn engine_run_for(&self, document: &DocumentContext) -> Run {
        self.run_with(document.panel())
    }

    fn run_with(&self, panel: &Arc<Panel>) -> Run {
        let (pipeline, panel) = (Arc::clone(&self.pipeline), Arc::clone(panel));
        Run::new(Arc::clone(&self.policy), self.retry())
            .with(pipeline, panel, self.profile.feedback.lock)
            .with_scripts(Arc::clone(&self.scripts))
    }

    /// The schedule by which failed calls are tried again.
    #[must_use]
    pub fn retry(&self) -> Retry {
        Retry { attempts: self.profile.stages.first().map_or(0, |stage| stage.retries), pause: FIRST_PAUSE }
    }

    /// Returns whether a judge compares with the document's reference, which then is not itself a document.
    #[must_use]
    pub fn has_references(&self) -> bool {
        self.judges.iter().any(|judge| judge.judge.reference.is_some())
    }

    /// The types that documents may have.
    pub fn document_types(&self) -> impl Iterator<Item = &str> {
        self.scoring.rules().document_types()
    }

    /// Names of the dimensions.
    #[must_use]
    pub fn dimensions(&self) -> Vec<&str> {
        self.profile.dimensions.iter().map(|d| d.name.as_str()).collect()
    }
}

/// The variables of the profile that a prompt uses and that are empty. One that the profile does not have at all is a
/// problem, found before anything is asked.
fn unset_variables(
    profile: &Profile,
    files: &dyn Files,
    stages: &[StagePlan],
    templates: &Templates,
    problems: &mut Problems,
) -> Vec<String> {
    let mut unset = Vec::new();
    for stage in stages {
        let (Some(prompt), Some(name)) = (&stage.prompt, &stage.stage.call.prompt) else { continue };
        for variable in templates.profile_variables(prompt) {
            let Some(value) = profile.variables.get(&variable) else {
                let message =
                    format!("the prompt `{}` uses `variables.{variable}`, which is not set", name.value);
                let file = files.read(&format!("prompts/{}", name.value)).ok().flatten();
                let used = file.and_then(|file| {
                    let at = file.text().find(&format!("variables.{variable}"))?;
                    Some(Span::new(&file, at, at + "variables.".len() + variable.len()))
                });
                let problem = match used {
                    Some(used) => Problem::error(Code::BadTemplate, &used, message)
                        .related(&name.span, "this prompt is used here"),
                    None => Problem::error(Code::BadTemplate, &name.span, message),
                };
                let known = profile.variables.keys().map(String::as_str);
                problems.push(problem.help(match nearest(&variable, known) {
                    Some(guess) => format!("did you mean `variables.{guess}`?"),
                    None => {
                        format!("give it with `--var {variable}=TEXT`, or under `variables:` in the profile")
                    }
                }));
                continue;
            };
            if !is_present(value) && !unset.contains(&variable) {
                unset.push(variable);
            }
        }
    }
    unset
}

/// Reads a condition over the outputs of the stages in `known`.
fn condition(
    when: &crate::value::decode::Spanned<String>,
    known: &[&str],
    problems: &mut Problems,
) -> Option<Condition> {
    let unknown = |name: &str| {
        (!known.contains(&name))
            .then(|| format!("`{name}` is neither this stage nor one before it; known: {}", known.join(", ")))
    };
    match Condition::parse(&when.value, unknown) {
        Ok(condition) => Some(condition),
        Err(error) => {
            problems.push(
                Problem::error(Code::BadTemplate, &when.span, format!("`skip_when` can't be used: {error}"))
                    .help("write a condition over stage outputs, such as `tagger.findings | length == 0`"),
            );
            None
        }
    }
}
