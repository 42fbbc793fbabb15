//! One file by itself, whatever it is: its kind, and the checks possible without a profile that reaches it.

use super::content::{self, patterns};
use super::{ProfileView, classification, names, rubric, schema_words};
use crate::diag::{Code, Level, Problem, Problems, SourceFile, Span};
use crate::disk;
use crate::experiment::evaluate::LabelMap;
use crate::experiment::scenario::{Choice, SuiteKind as CaseKind, TestTarget, find_subject};
use crate::experiment::sweep::Experiment;
use crate::feedback::{Role, Templates};
use crate::ingest::Classifier;
use crate::plan::Plan;
use crate::profile::{Counts, Dimension, Files, Library, Measure, Overall, load, read_text_file};
use crate::provider::Prices;
use crate::rules::{
    Context, EvidenceCounts, Inheritance, PatternCheck, Schema, check_extraction, compile, decode_context,
    decode_vocabulary, whole_schema,
};
use crate::script::ScriptSet;
use crate::value::ShownPath;
use crate::value::decode::Spanned;
use crate::value::yaml::{self, Data};
use crate::value::{Score, unescape};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The kinds of files that can be checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// A policy, in `profiles/`.
    Profile,
    /// Cases of a profile or of rules, in a file that ends in `.test.yaml`.
    Cases,
    /// Rules, in `rules/`.
    Rules,
    /// A rubric, in `rules/rubrics/`.
    Rubric,
    /// Extraction patterns, in `rules/extract/`.
    Extraction,
    /// Phrases that express values of fields, in `rules/vocabularies/`.
    Vocabulary,
    /// Words by which texts assert, deny or qualify what they mention, in `rules/`.
    Assertions,
    /// Patterns by which documents get their type, in `rules/`.
    Classification,
    /// The share of correct passages of each pattern, in `rules/`.
    Evidence,
    /// Prices of models.
    Prices,
    /// Locations of labels, for `evaluate --columns`.
    LabelMap,
    /// The settings that `sweep` tries.
    Experiment,
    /// A JSON Schema, in `schemas/`.
    Schema,
    /// The template of a prompt, in `prompts/`.
    Prompt,
    /// A text of which prompts show passages, in `prompts/context/`: anything goes.
    Context,
    /// Functions in Rhai, in `rules/`.
    Script,
}

/// The files that can be checked, in words.
const KNOWN: &str = "profiles, rules, rubrics, extraction patterns, vocabularies, contexts, classifications, tables of patterns, prices, maps of labels, \
     experiments and cases (`.yaml`), \
     JSON Schemas (`.json`), prompts (`.md`) and scripts (`.rhai`) can be checked";

impl FileKind {
    /// The name of such a file, with its article.
    #[must_use]
    pub fn what(self) -> &'static str {
        match self {
            FileKind::Profile => "a profile",
            FileKind::Cases => "a test file",
            FileKind::Rules => "a rule file",
            FileKind::Rubric => "a rubric",
            FileKind::Extraction => "a file of extraction patterns",
            FileKind::Vocabulary => "a vocabulary",
            FileKind::Assertions => "a context",
            FileKind::Classification => "a classification",
            FileKind::Evidence => "a table of patterns",
            FileKind::Prices => "a table of prices",
            FileKind::LabelMap => "a map of labels",
            FileKind::Experiment => "an experiment",
            FileKind::Schema => "a JSON Schema",
            FileKind::Prompt => "a prompt",
            FileKind::Context => "a text for prompts",
            FileKind::Script => "a script",
        }
    }

    /// The kind of the file at `path`, by its name and content.
    ///
    /// # Errors
    /// A problem that lists what can be checked, when it is none of that.
    pub fn of(path: &Path, file: &Arc<SourceFile>) -> Result<Self, Problem> {
        let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        let within = |folder: &str| path.parent().is_some_and(|p| p.iter().any(|part| part == folder));
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        let kind = match ending {
            "rhai" => Some(FileKind::Script),
            "md" | "txt" if within("context") && within("prompts") => Some(FileKind::Context),
            "md" | "txt" | "j2" if within("prompts") => Some(FileKind::Prompt),
            "json" => schema_kind(file, within("schemas") || name.ends_with(".schema.json")),
            "yaml" | "yml" if name.ends_with(".test.yaml") || name.ends_with(".test.yml") => {
                Some(FileKind::Cases)
            }
            "yaml" | "yml" => yaml_kind(file, &name, &within),
            _ => None,
        };
        kind.ok_or_else(|| {
            let message = format!("`{}` is not a file that loopctl can check", file.name());
            Problem { span: Some(Span::new(file, 0, 0)), ..Problem::placeless(Code::UnknownWord, message) }
                .help(KNOWN)
        })
    }
}

fn schema_kind(file: &Arc<SourceFile>, named: bool) -> Option<FileKind> {
    const KEYS: [&str; 6] = ["$schema", "properties", "$defs", "items", "anyOf", "enum"];
    let value: Option<serde_json::Value> = serde_json::from_str(file.without_mark()).ok();
    let looks = value.is_some_and(|value| KEYS.iter().any(|key| value.get(key).is_some()));
    (named || looks).then_some(FileKind::Schema)
}

/// By the keys that only files of a kind have, then by the folder.
fn yaml_kind(file: &Arc<SourceFile>, name: &str, within: &dyn Fn(&str) -> bool) -> Option<FileKind> {
    let root = yaml::parse(file, &mut Problems::new());
    // A file that can't be read is taken for the most likely kind: that reports why.
    if within("vocabularies") {
        return Some(FileKind::Vocabulary);
    }
    if root.as_ref().is_none_or(|root| matches!(root.data, Data::Null)) {
        return Some(if within("rules") { FileKind::Rules } else { FileKind::Profile });
    }
    let has = |key: &str| root.as_ref().is_some_and(|root| root.get(key).is_some());
    // In a profile `classify` is a name.
    let is_mapping = |key: &str| {
        root.as_ref().and_then(|root| root.get(key)).is_some_and(|node| matches!(node.data, Data::Map(_)))
    };
    let is_list = |key: &str| {
        root.as_ref().and_then(|root| root.get(key)).is_some_and(|node| matches!(node.data, Data::List(_)))
    };
    let profile = [
        "extends",
        "assess",
        "overall",
        "accept",
        "stop",
        "stages",
        "feedback",
        "select",
        "judges",
        "validators",
        "gate",
        "review",
        "network",
        "dispositions",
        "mask",
        "on_escalate",
        "on_regression",
    ];
    if has("document") && is_list("fields") {
        Some(FileKind::LabelMap)
    } else if has("space") && has("objectives") {
        Some(FileKind::Experiment)
    } else if within("extract") || has("extract") && has("fields") {
        Some(FileKind::Extraction)
    } else if has("vocabulary") && has("values") {
        Some(FileKind::Vocabulary)
    } else if within("rubrics") || has("rubric") && has("types") {
        Some(FileKind::Rubric)
    } else if is_list("rules") {
        Some(FileKind::Rules)
    } else if within("rules") && root.as_ref().is_some_and(Context::is_one) {
        Some(FileKind::Assertions)
    } else if is_mapping("classify") {
        Some(FileKind::Classification)
    } else if has("labelled") && has("patterns") {
        Some(FileKind::Evidence)
    } else if within("rules") && has("extends") {
        Some(FileKind::Rules)
    } else if profile.iter().any(|key| has(key)) || within("profiles") {
        Some(FileKind::Profile)
    } else if has("classify") {
        Some(FileKind::Classification)
    } else if has("types") {
        Some(FileKind::Rubric)
    } else if is_list("prices") || name == "prices.yaml" {
        Some(FileKind::Prices)
    } else {
        within("rules").then_some(FileKind::Rules)
    }
}

/// Checks a file by itself, as far as possible; the files that it names are looked for beside it, then in `library`.
/// Nothing is reported for a profile: it is checked with the files that it reaches.
pub fn check_file(
    kind: FileKind,
    path: &Path,
    file: &Arc<SourceFile>,
    library: &Library,
    problems: &mut Problems,
) {
    let library = library.nearest(&project_of(path));
    match kind {
        FileKind::Profile | FileKind::Context => {}
        FileKind::Cases => cases(path, &library, problems),
        FileKind::Rules => {
            let rules = Measure::Rules {
                name: named(file),
                penalty: Score::ZERO,
                floor: Score::ZERO,
                counts: Counts::All,
            };
            measured(rules, &format!("rules/{ONE}.yaml"), file, &library, problems);
            if let Some(root) = Inheritance::RULES.read(file, &library, &mut Problems::new()) {
                patterns::of_rules(&root, problems);
            }
        }
        FileKind::Rubric => {
            let rubric = Measure::Rubric { name: named(file) };
            measured(rubric, &format!("rules/rubrics/{ONE}.yaml"), file, &library, problems);
            if let Some(root) = Inheritance::RUBRICS.read(file, &library, &mut Problems::new()) {
                rubric::check(&root, problems);
                patterns::of_rubric(&root, problems);
                names::check(&root, "rubric", problems);
            }
        }
        FileKind::Extraction => {
            if let Some(node) = Inheritance::EXTRACTIONS.read(file, &library, problems) {
                check_extraction(&node, PatternCheck::Compile, problems);
                patterns::of_extraction(&node, problems);
                names::check(&node, "extract", problems);
            }
        }
        FileKind::Vocabulary => {
            decode_vocabulary(file, &library, problems);
            if let Some(root) = Inheritance::VOCABULARIES.read(file, &library, &mut Problems::new()) {
                names::check(&root, "vocabulary", problems);
            }
        }
        FileKind::Assertions => {
            decode_context(file, &library, problems);
        }
        FileKind::Classification => {
            Classifier::read(file, &library, problems);
            if let Some(root) = Inheritance::CLASSIFICATIONS.read(file, &library, &mut Problems::new()) {
                classification::check(&root, problems);
                patterns::of_classification(&root, problems);
            }
        }
        FileKind::Evidence => {
            EvidenceCounts::parse(file, problems);
        }
        FileKind::Prices => {
            Prices::parse(file, problems);
        }
        FileKind::LabelMap => {
            LabelMap::parse(file, problems);
        }
        FileKind::Experiment => {
            Experiment::parse(file, problems);
        }
        FileKind::Schema => schema(file, &library, problems),
        FileKind::Prompt => prompt(path, file, problems),
        FileKind::Script => ScriptSet::new().check(file, problems),
    }
}

/// The name by which the one file is asked for.
const ONE: &str = "the-file";

fn named(file: &Arc<SourceFile>) -> Spanned<String> {
    Spanned { value: ONE.to_owned(), span: Span::new(file, 0, 0) }
}

/// A library with one more file, which keeps its own name in messages.
struct With<'a> {
    name: &'a str,
    file: &'a Arc<SourceFile>,
    library: &'a Library,
}

impl Files for With<'_> {
    fn read(&self, name: &str) -> Result<Option<Arc<SourceFile>>, Problem> {
        if name == self.name { Ok(Some(Arc::clone(self.file))) } else { self.library.read(name) }
    }

    fn list(&self, folder: &str, suffix: &str) -> Vec<String> {
        self.library.list(folder, suffix)
    }
}

/// Compiles one measure.
fn measured(
    measure: Measure,
    name: &str,
    file: &Arc<SourceFile>,
    library: &Library,
    problems: &mut Problems,
) {
    let dimension =
        Dimension { name: "score".to_owned(), name_span: Span::new(file, 0, 0), measure, second: None };
    let overall = Overall::From(dimension.name.clone());
    compile(&[dimension], &overall, &[], &With { name, file, library }, problems);
}

/// Reads cases as `loopctl test` does. Whether they come out as expected is not checked here.
fn cases(path: &Path, library: &Library, problems: &mut Problems) {
    let subject = match find_subject(&path.shown(), library) {
        Ok(subject) => subject,
        Err(problem) => {
            problems.push(problem);
            return;
        }
    };
    subject.test(Choice::default(), problems);
    let TestTarget { kind, name, file, library } = &subject;
    match kind {
        CaseKind::Profile => {
            let found = &mut Problems::new();
            if let Some(loaded) = load(name, library, &[], &|name| std::env::var(name).ok(), found)
                && let Some(plan) = Plan::compile(&loaded, found)
            {
                content::of_profile_cases(ProfileView { loaded: &loaded, plan: &plan }, file, problems);
            }
        }
        CaseKind::Rules => {
            content::of_rules(name, file, library, problems);
        }
        CaseKind::Vocabulary => {}
    }
}

fn schema(file: &Arc<SourceFile>, library: &Library, problems: &mut Problems) {
    let value = match whole_schema(file, library) {
        Ok(value) => value,
        Err(problem) => {
            problems.push(problem);
            return;
        }
    };
    if let Err(error) = jsonschema::meta::validate(&value) {
        let at = error.instance_path().to_string();
        let message = format!("not a JSON Schema at `{at}`: `{}` is not kept", error.kind().keyword());
        let span = last_key(&at, file);
        problems.push(Problem::error(Code::BadSchema, &span, message).help("see https://json-schema.org"));
    } else if let Err(why) = Schema::compile(file.name(), &value) {
        // The reason for which profiles that name it would be refused.
        let message = format!("this is not a usable JSON Schema: {why}");
        problems.push(Problem::error(Code::BadSchema, &Span::new(file, 0, 1), message));
    }
    schema_words::check(file, problems);
}

/// The position of the last key of a JSON Pointer: the first in the text with all keys before it in their order.
fn last_key(pointer: &str, file: &Arc<SourceFile>) -> Span {
    let text = file.text();
    let (mut at, mut end) = (0, 1);
    for key in pointer.split('/').skip(1) {
        let quoted = format!("\"{}\"", unescape(key));
        if let Some(found) = text.get(end..).and_then(|rest| rest.find(&quoted)) {
            at = end + found;
            end = at + quoted.len();
        }
    }
    Span::new(file, at, end)
}

/// A prompt's folder says who reads it; one elsewhere may be for anyone.
fn prompt(path: &Path, file: &Arc<SourceFile>, problems: &mut Problems) {
    let within = |folder: &str| path.parent().is_some_and(|p| p.iter().any(|part| part == folder));
    let mut roles = vec![Role::Stage, Role::Feedback, Role::Judge, Role::ValueJudge];
    if within("feedback") {
        roles = vec![Role::Feedback];
    } else if within("judge") {
        roles = vec![Role::Judge, Role::ValueJudge];
    }
    let found = roles.into_iter().map(|role| {
        let mut found = Problems::new();
        Templates::default().add(role, file, &mut found);
        found
    });
    if let Some(least) = found.min_by_key(Problems::len) {
        problems.extend(least);
    }
}

/// The folder that holds `profiles`, `rules`, `prompts` or `schemas`; without those, the file's own.
fn project_of(path: &Path) -> PathBuf {
    const FOLDERS: [&str; 4] = ["profiles", "rules", "prompts", "schemas"];
    let standing = path.ancestors().find(|a| a.file_name().is_some_and(|n| FOLDERS.iter().any(|f| n == *f)));
    let project = standing.or(Some(path)).and_then(Path::parent).map(Path::to_path_buf).unwrap_or_default();
    if project.as_os_str().is_empty() { PathBuf::from(".") } else { project }
}

/// Every file of a project that can be checked by itself: rules, rubrics, patterns, cases, schemas, prompts and scripts
/// on the disk below `project`, sorted. Profiles are not among them, nor are unrelated files. A file that no profile
/// could read, because it is not a regular file or leads out of the project, is a problem.
#[must_use]
pub fn files_of(project: &Path, problems: &mut Problems) -> Vec<(FileKind, PathBuf, Arc<SourceFile>)> {
    let mut found = Vec::new();
    for (folder, depth) in [("profiles", 1), ("rules", 3), ("prompts", 3), ("schemas", 3)] {
        let walk = disk::files_below(project, folder, depth);
        found.extend(walk.files);
        for (path, error) in walk.refused {
            let message = format!("`{}` can't be used: {error}", path.shown());
            let problem = Problem { level: Level::Warning, ..Problem::placeless(Code::Unreadable, message) };
            problems.push(match error.help() {
                Some(help) => problem.help(help),
                None => problem,
            });
        }
        if walk.cut {
            let message = format!(
                "`{}` holds more than {} files and folders; the others were not checked",
                project.join(folder).shown(),
                disk::MAX_ENTRIES
            );
            problems.push(Problem { level: Level::Warning, ..Problem::placeless(Code::TooLarge, message) });
        }
    }
    found.sort();
    let files = found.into_iter().filter_map(|path| {
        let file = read_text_file(&path).ok()?;
        let kind = FileKind::of(&path, &file).ok()?;
        (!matches!(kind, FileKind::Profile | FileKind::Context)).then_some((kind, path, file))
    });
    files.collect()
}
