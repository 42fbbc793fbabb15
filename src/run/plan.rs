//! Everything a run needs, compiled once from a profile and shared by all documents.

use crate::diag::{Code, Problem, Problems, SourceFile, Span, nearest};
use crate::engine::Retry;
use crate::feedback::{Role, Template, Templates};
use crate::ingest::Classifier;
use crate::policy::Review;
use crate::profile::{Files, Loaded, LoopPolicy, Profile, Stage};
use crate::rules::{Care, compile};
use crate::score::Scoring;
use crate::value::{Millis, is_present, yaml};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// First pause before a failed call is made again; each further one is twice as long.
const FIRST_PAUSE: Millis = Millis(250);

/// A compiled profile.
#[derive(Debug)]
pub struct Plan {
    /// The profile it was compiled from.
    pub profile: Profile,
    /// What decides.
    pub policy: Arc<LoopPolicy>,
    /// Rubrics, rules, schemas and scripts.
    pub scoring: Arc<Scoring>,
    /// Gives documents their type.
    pub classifier: Option<Classifier>,
    /// When a person gets to see a result.
    pub review: Option<Review>,
    /// Prompts and feedback.
    pub templates: Templates,
    /// The feedback template.
    pub feedback: Template,
    /// The stage's prompt, if the profile has a stage with one.
    pub prompt: Option<Template>,
    /// What the stage's output must look like, by document type.
    pub schemas: BTreeMap<String, Value>,
    /// Extraction patterns, by document type.
    pub patterns: BTreeMap<String, Value>,
    /// Variables of the profile that a prompt uses and that are empty: nothing sensible could be asked for.
    pub unset_variables: Vec<String>,
}

impl Plan {
    /// Compiles a profile and everything it reaches. Every problem in every file is pushed; the plan is returned only
    /// when none is an error.
    pub fn compile(loaded: &Loaded, problems: &mut Problems) -> Option<Self> {
        Self::with(loaded, Care::Syntax, problems)
    }

    /// The same, looking more closely: every extraction pattern is compiled, too.
    pub fn check(loaded: &Loaded, problems: &mut Problems) -> Option<Self> {
        Self::with(loaded, Care::Compile, problems)
    }

    fn with(loaded: &Loaded, care: Care, problems: &mut Problems) -> Option<Self> {
        let (profile, files) = (&loaded.profile, &loaded.library);
        let classifier = profile.classify.as_ref().and_then(|name| {
            let file = read(files, &format!("rules/{}.yaml", name.value), &name.span, problems)?;
            Classifier::parse(&file, problems)
        });
        let types: Vec<String> = classifier.iter().flat_map(Classifier::types).map(str::to_owned).collect();
        let rules = compile(&profile.dimensions, &profile.policy.overall, &types, files, problems);

        let mut templates = Templates::default();
        let feedback_name = &profile.feedback.template;
        let feedback =
            read(files, &format!("prompts/{}", feedback_name.value), &feedback_name.span, problems)
                .and_then(|file| templates.add(Role::Feedback, &file, problems));
        let stage = profile.stages.first();
        let prompt = stage.and_then(|stage| stage.prompt.as_ref()).and_then(|name| {
            let file = read(files, &format!("prompts/{}", name.value), &name.span, problems)?;
            let template = templates.add(Role::Stage, &file, problems)?;
            check_variables(&templates.profile_variables(&template), profile, &file, problems);
            Some(template)
        });
        let unset_variables = prompt
            .iter()
            .flat_map(|prompt| templates.profile_variables(prompt))
            .filter(|name| profile.variables.get(name).is_some_and(|value| !is_present(value)))
            .collect();

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

        let known: Vec<String> = match &rules {
            Some(rules) => rules.document_types().map(str::to_owned).collect(),
            None => types,
        };
        let (schemas, patterns) = match stage {
            Some(stage) => {
                (outputs(stage, &known, files, problems), patterns(stage, &known, files, care, problems))
            }
            None => (BTreeMap::new(), BTreeMap::new()),
        };
        if problems.has_errors() {
            return None;
        }
        Some(Plan {
            policy: Arc::new(profile.policy.clone()),
            scoring: Scoring::of(profile.candidate, rules?),
            classifier,
            review,
            templates,
            feedback: feedback?,
            prompt,
            schemas,
            patterns,
            unset_variables,
            profile: profile.clone(),
        })
    }

    /// How failed calls are tried again.
    #[must_use]
    pub fn retry(&self) -> Retry {
        Retry { attempts: self.profile.stages.first().map_or(0, |stage| stage.retries), pause: FIRST_PAUSE }
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

/// A variable that the profile does not have is found before anything is asked.
fn check_variables(used: &[String], profile: &Profile, file: &Arc<SourceFile>, problems: &mut Problems) {
    for name in used.iter().filter(|name| !profile.variables.contains_key(*name)) {
        let wanted = format!("variables.{name}");
        let at = file.text().find(&wanted).unwrap_or(0);
        let span = Span::new(file, at, at + wanted.len());
        let problem = Problem::error(Code::BadTemplate, &span, format!("the profile has no variable `{name}`"));
        let help = match nearest(name, profile.variables.keys().map(String::as_str)) {
            Some(guess) => format!("did you mean `variables.{guess}`?"),
            None => format!("give it with `--variable {name}=TEXT`, or under `variables:` in the profile"),
        };
        problems.push(problem.help(help));
    }
}

/// Reads a file that the profile names at `span`.
fn read(
    files: &dyn Files,
    name: &str,
    span: &Span,
    problems: &mut Problems,
) -> Option<Arc<crate::diag::SourceFile>> {
    match files.read(name) {
        Ok(Some(file)) => Some(file),
        Ok(None) => {
            let problem = Problem::error(Code::MissingFile, span, format!("there is no file `{name}`"));
            problems.push(problem.help("it is looked for beside the profile, in the working directory, in $LOOPCTL_HOME and among the shipped files"));
            None
        }
        Err(problem) => {
            problems.push(Problem { span: problem.span.clone().or_else(|| Some(span.clone())), ..problem });
            None
        }
    }
}

/// Fills in `{{ document_type }}`.
fn path_for(template: &str, document_type: &str, span: &Span, problems: &mut Problems) -> Option<String> {
    if crate::value::long_block(template).is_some() {
        problems.push(Problem::error(Code::TooLarge, span, "this path is longer than any file's"));
        return None;
    }
    let mut environment = minijinja::Environment::new();
    environment.set_undefined_behavior(minijinja::UndefinedBehavior::Strict);
    match environment.render_str(template, minijinja::context! { document_type }) {
        Ok(path) => Some(path),
        Err(error) => {
            let what = error.detail().map_or_else(|| error.to_string(), str::to_owned);
            problems.push(
                Problem::error(Code::BadTemplate, span, format!("this path can't be filled in: {what}"))
                    .help("the only variable in paths is `document_type`"),
            );
            None
        }
    }
}

fn outputs(
    stage: &Stage,
    types: &[String],
    files: &dyn Files,
    problems: &mut Problems,
) -> BTreeMap<String, Value> {
    let Some(output) = &stage.output else { return BTreeMap::new() };
    let mut schemas = BTreeMap::new();
    for document_type in types {
        let Some(path) = path_for(&output.value, document_type, &output.span, problems) else { break };
        let Some(file) = read(files, &path, &output.span, problems) else { continue };
        match serde_json::from_str::<Value>(file.text()) {
            Ok(schema) => {
                if let Err(error) = jsonschema::meta::validate(&schema) {
                    let at = error.instance_path().to_string();
                    let problem = Problem::error(
                        Code::BadSchema,
                        &Span::new(&file, 0, 1),
                        format!("not a JSON Schema at `{at}`"),
                    );
                    problems.push(problem.related(&output.span, "named here"));
                }
                schemas.insert(document_type.clone(), schema);
            }
            Err(error) => {
                let start: usize = file
                    .text()
                    .split_inclusive('\n')
                    .take(error.line().saturating_sub(1))
                    .map(str::len)
                    .sum();
                let at = start + error.column().saturating_sub(1);
                let problem = Problem::error(
                    Code::BadSchema,
                    &Span::new(&file, at, at + 1),
                    format!("not JSON: {error}"),
                );
                problems.push(problem.related(&output.span, "named here"));
            }
        }
    }
    schemas
}

fn patterns(
    stage: &Stage,
    types: &[String],
    files: &dyn Files,
    care: Care,
    problems: &mut Problems,
) -> BTreeMap<String, Value> {
    let Some(declared) = &stage.patterns else { return BTreeMap::new() };
    let mut patterns = BTreeMap::new();
    for document_type in types {
        let Some(path) = path_for(&declared.value, document_type, &declared.span, problems) else { break };
        let path = format!("rules/{path}");
        match files.read(&path) {
            Ok(Some(file)) => {
                if let Some(node) = yaml::parse(&file, problems) {
                    crate::rules::check_extraction(&node, care, problems);
                    patterns.insert(document_type.clone(), node.to_json());
                }
            }
            Ok(None) => {
                // Providers with a model need no patterns, so a type without them is no error.
                let problem =
                    Problem::warning(Code::MissingFile, &declared.span, format!("there is no file `{path}`"));
                problems.push(
                    problem.help(format!(
                        "without it the provider `pattern` finds nothing in a {document_type}"
                    )),
                );
            }
            Err(problem) => {
                let span = problem.span.clone().or_else(|| Some(declared.span.clone()));
                problems.push(Problem { span, ..problem });
            }
        }
    }
    patterns
}
