//! `new rule`: a rule in a file of rules, with a candidate that it must accept and one in which it must find something.

use super::change::{Plan, Refusal};
use super::draft::{Draft, Project};
use super::insert::{Unfit, into_list, into_mapping};
use super::name::{self, kebab, words};
use super::profile::DEFAULT_PARENT;
use super::proof::{Of, cases_pass};
use crate::diag::{Problems, SourceFile, nearest};
use crate::lint::nodes::entries;
use crate::profile::{CandidateKind, Files, Measure, Profile};
use crate::rules::Inheritance;
use crate::value::prose::listed;
use crate::value::yaml::{self, Data};
use std::collections::BTreeSet;

const RULE: &str = include_str!("templates/rule.yaml");
const RULES: &str = include_str!("templates/rules.yaml");
const CASES: &str = include_str!("templates/rules.test.yaml");

/// A request for a new rule.
#[derive(Debug, Clone, Copy)]
pub struct NewRule<'a> {
    /// Its id.
    pub name: &'a str,
    /// The documents that it is for; left out, all.
    pub document_type: Option<&'a str>,
    /// The field that it checks.
    pub field: &'a str,
    /// `rules/NAME.yaml`; left out, the project's only file of rules.
    pub file: Option<&'a str>,
}

/// Plans a rule and its cases.
///
/// # Errors
/// A name that is invalid or taken, a type or field that is unknown to the project's profiles, a file that can't be
/// added to.
pub(super) fn new_rule(project: &Project, wanted: NewRule<'_>) -> Result<Plan, Refusal> {
    kebab("rule", wanted.name)?;
    name::field(wanted.field)?;
    let mut draft = Draft::of(project);
    let mut plan = Plan::default();
    let file = match wanted.file {
        Some(path) => named(path)?,
        None => only_file(project)?,
    };
    let path = format!("rules/{file}.yaml");
    let tests = format!("rules/{file}.test.yaml");
    let mut parent = None;
    if !draft.bring(&path)? {
        parent = parent_of(&draft, &file)?;
        let extends = parent.as_ref().map_or_else(String::new, |parent| {
            format!("extends: {parent}   # its rules are asked, too; one of the same id here replaces it\n")
        });
        draft.create(&path, RULES.replace("@FILE@", &file).replace("@EXTENDS@", &extends))?;
    }
    if !draft.bring(&tests)? {
        draft.create(&tests, CASES.to_owned())?;
    }
    refuse_taken(&draft, &path, wanted.name)?;

    let label = words(wanted.field);
    let rule = RULE
        .replace("@NAME@", wanted.name)
        .replace("@FOR@", &wanted.document_type.map_or_else(String::new, |name| format!("for: [{name}]\n")))
        .replace("@FIELD@", wanted.field)
        .replace("@LABEL@", &label)
        .replace("@THE_LABEL@", &format!("the {label}"));
    // The comment above the item belongs before its dash.
    let (comment, rule) = rule.split_once('\n').unwrap_or(("", &rule));
    let by_hand = format!("  {comment}\n{}", as_item(rule));
    draft.edit(&path, &by_hand, |text| added(text, "rules", comment, rule))?;
    let case = format!(
        "rule: {}\n{}valid:\n  - {{ {field}: an example }}\n  - {{}}   # without the field there is nothing to say\ninvalid:\n  - {{ {field}: unknown }}\n",
        wanted.name,
        wanted.document_type.map_or_else(String::new, |name| format!("document_type: {name}\n")),
        field = wanted.field
    );
    draft.edit(&tests, &as_item(&case), |text| added(text, "cases", "", &case))?;
    draft.bring_editor_schemas()?;
    // Only now: a profile may name the file that is created here.
    let known = Known::of(&draft)?;
    known.check(wanted)?;
    cases_pass(&draft, Of::Rules(&file), wanted.name)?;

    if !known.rule_files.contains(&file) {
        let kept = parent.map_or_else(String::new, |parent| {
            format!("; the rules of `{parent}` stay, because the file extends it")
        });
        plan.remarks.push(format!(
            "no profile of this project asks the rules in `{path}`; write `validity: {{ rules: {file} }}` under its `assess`{kept}"
        ));
    }
    plan.changes = draft.changes;
    let checked = match project.profiles().as_slice() {
        [only] => format!("loopctl check {only}"),
        _ => "loopctl check".to_owned(),
    };
    plan.next = vec![checked, format!("loopctl test {path}")];
    Ok(plan)
}

/// The rules that a new file would replace, and had better extend: those of the dimension that names the file already,
/// as the profile's parent has them; else those that a profile uses for `validity`, or first.
fn parent_of(draft: &Draft, file: &str) -> Result<Option<String>, Refusal> {
    for profile in draft.project.profiles() {
        let own = draft.own_text(&format!("profiles/{profile}.yaml"))?.unwrap_or_default();
        let Some(tree) = yaml::parse(&SourceFile::new(profile.as_str(), own), &mut Problems::new()) else {
            continue;
        };
        let names_it =
            |measure: &yaml::Node| measure.get("rules").and_then(|name| name.as_text()) == Some(file);
        let dimension =
            entries(tree.get("assess")).find(|entry| names_it(&entry.value)).map(|entry| entry.key.as_str());
        let asked = match (dimension, tree.get("extends").and_then(|parent| parent.as_text())) {
            (Some(dimension), Some(parent)) => rules_of(draft, parent, dimension)?,
            // It replaces nothing.
            (Some(_), None) => return Ok(None),
            (None, _) => rules_of(draft, &profile, "validity")?,
        };
        if asked.is_some() {
            return Ok(asked);
        }
    }
    if draft.project.profiles().is_empty() { rules_of(draft, DEFAULT_PARENT, "validity") } else { Ok(None) }
}

/// The file of rules that measures a dimension of a profile, or another if that one has none.
fn rules_of(draft: &Draft, profile: &str, dimension: &str) -> Result<Option<String>, Refusal> {
    let (loaded, _) = draft.profile(profile)?;
    Ok(rules_measuring(&loaded.profile, dimension))
}

/// Like [`rules_of`], for a profile that is loaded.
pub(super) fn rules_measuring(profile: &Profile, dimension: &str) -> Option<String> {
    let mut named = profile.dimensions.iter().filter_map(|measured| match &measured.measure {
        Measure::Rules { name, .. } => Some((measured.name == dimension, name.value.clone())),
        _ => None,
    });
    let first = named.next();
    let wanted = named.find(|(is_wanted, _)| *is_wanted);
    match first {
        Some((true, name)) => Some(name),
        other => wanted.or(other).map(|(_, name)| name),
    }
}

/// Adds an item to a list, which is created if there is none; a comment goes on the line above it.
fn added(text: &str, key: &str, comment: &str, item: &str) -> Result<String, Unfit> {
    let done = match into_list(text, &[key], item) {
        Err(Unfit::Absent(_)) => into_mapping(text, &[], &format!("{key}:\n{}", as_item(item)))?,
        other => other?,
    };
    if comment.is_empty() {
        return Ok(done);
    }
    let first = item.lines().next().unwrap_or_default();
    let dashed = format!("- {first}");
    // The id is the file's only one, so its line is, too.
    let Some(at) = done.lines().position(|line| line.trim_start() == dashed) else { return Ok(done) };
    let ending = if done.contains("\r\n") { "\r\n" } else { "\n" };
    let mut lines: Vec<String> = done.lines().map(str::to_owned).collect();
    let indent = lines.get(at).map_or(0, |line| line.len() - line.trim_start().len());
    lines.insert(at, format!("{}{comment}", " ".repeat(indent)));
    Ok(lines.iter().map(|line| format!("{line}{ending}")).collect())
}

/// A text as an item of a list below a key.
fn as_item(text: &str) -> String {
    let mut item = String::new();
    for (at, line) in text.lines().enumerate() {
        item.push_str(if at == 0 { "  - " } else { "    " });
        item.push_str(line);
        item.push('\n');
    }
    item
}

/// The name of `rules/NAME.yaml`.
fn named(path: &str) -> Result<String, Refusal> {
    let inner = path.strip_prefix("./").unwrap_or(path);
    let name = inner.strip_prefix("rules/").and_then(|rest| rest.strip_suffix(".yaml"));
    let Some(name) = name.filter(|name| !name.ends_with(".test")) else {
        return Err(
            Refusal::new(format!("`{path}` can't be a file of rules")).help("name one as `rules/mine.yaml`")
        );
    };
    kebab("file of rules", name)?;
    Ok(name.to_owned())
}

/// The project's only file of rules.
fn only_file(project: &Project) -> Result<String, Refusal> {
    let draft = Draft::of(project);
    let library = draft.library();
    let mut own = Vec::new();
    for path in library.list("rules", ".yaml") {
        if path.ends_with(".test.yaml") || !project.has(&path) {
            continue;
        }
        let Some(text) = draft.own_text(&path)? else { continue };
        let tree = yaml::parse(&SourceFile::new(path.as_str(), text), &mut Problems::new());
        if tree.is_some_and(|tree| {
            tree.get("rules").is_some_and(|rules| matches!(rules.data, Data::List(_) | Data::Null))
        }) {
            own.push(path);
        }
    }
    match own.as_slice() {
        [only] => named(only),
        [] => Err(Refusal::new("this project has no file of rules yet")
            .help("name a new one, such as `--file rules/mine.yaml`, or a shipped one, such as `--file rules/clinical-validity.yaml`: it is copied into the project")),
        several => Err(Refusal::new(format!("this project has {} files of rules", several.len()))
            .help(format!("say which with `--file`: {}", several.join(", ")))),
    }
}

fn refuse_taken(draft: &Draft, path: &str, id: &str) -> Result<(), Refusal> {
    let library = draft.library();
    let mut problems = Problems::new();
    let tree = library.read(path)?.and_then(|file| Inheritance::RULES.read(&file, &library, &mut problems));
    if problems.has_errors() {
        return Err(Refusal::new(format!("`{path}` can't be used as it is"))
            .help("put this right first; nothing was written")
            .with(problems));
    }
    let taken = tree.as_ref().and_then(|tree| match &tree.get("rules")?.data {
        Data::List(rules) => rules.iter().find(|rule| rule.get("id").and_then(|id| id.as_text()) == Some(id)),
        _ => None,
    });
    match taken {
        Some(rule) => {
            Err(Refusal::new(format!("there is a rule `{id}` already, at {}", rule.span.location()))
                .help("choose another name"))
        }
        None => Ok(()),
    }
}

/// The types, fields and files of rules that the project's profiles know.
struct Known {
    types: BTreeSet<String>,
    /// Fields of each type, as the schemas of answers have them; empty where any field is allowed.
    fields: Vec<(String, String)>,
    rule_files: BTreeSet<String>,
}

impl Known {
    fn of(draft: &Draft) -> Result<Known, Refusal> {
        let mut known = Known { types: BTreeSet::new(), fields: Vec::new(), rule_files: BTreeSet::new() };
        for name in draft.project.profiles() {
            let (loaded, plan) = draft.profile(&name)?;
            known.types.extend(plan.document_types().map(str::to_owned));
            let whole = loaded.profile.candidate == CandidateKind::Value
                && loaded.profile.stages.iter().all(|stage| stage.into.is_none());
            if let (true, Some(last)) = (whole, plan.stages.last()) {
                for (document_type, schema) in &last.schemas {
                    let properties = schema.get("properties").and_then(|found| found.as_object());
                    let names = properties.into_iter().flat_map(|found| found.keys());
                    known.fields.extend(names.map(|field| (document_type.clone(), field.clone())));
                }
            }
            for measure in loaded.profile.dimensions.iter().flat_map(|dimension| dimension.measure.parts()) {
                if let Measure::Rules { name, .. } = measure {
                    known.rule_files.extend(lineage(draft, &name.value)?);
                }
            }
        }
        Ok(known)
    }

    fn check(&self, wanted: NewRule<'_>) -> Result<(), Refusal> {
        if let Some(name) = wanted.document_type {
            kebab("document type", name)?;
            if !self.types.is_empty() && !self.types.contains(name) {
                return Err(unknown("document type", name, self.types.iter().map(String::as_str).collect())
                    .help_more(&format!("`loopctl new document-type {name}` makes one")));
            }
        }
        let fits = |document_type: &str| wanted.document_type.is_none_or(|name| name == document_type);
        let fields: BTreeSet<&str> = self
            .fields
            .iter()
            .filter(|(document_type, field)| fits(document_type) && !field.ends_with("_status"))
            .map(|(_, field)| field.as_str())
            .collect();
        if !fields.is_empty() && !fields.contains(wanted.field) {
            return Err(unknown("field", wanted.field, fields.into_iter().collect())
                .help_more("a field has to be in the schema of its type first"));
        }
        Ok(())
    }
}

/// A file of rules and all that it extends.
fn lineage(draft: &Draft, name: &str) -> Result<BTreeSet<String>, Refusal> {
    let library = draft.library();
    let mut names = BTreeSet::new();
    let mut next = Some(name.to_owned());
    while let Some(name) = next.take() {
        let file = library.read(&format!("rules/{name}.yaml"))?;
        if !names.insert(name) {
            break;
        }
        let tree = file.and_then(|file| yaml::parse(&file, &mut Problems::new()));
        next = tree.and_then(|tree| tree.get("extends")?.as_text().map(str::to_owned));
    }
    Ok(names)
}

fn unknown(what: &str, name: &str, known: Vec<&str>) -> Refusal {
    let list = listed(&known);
    Refusal::new(format!("no {what} is called `{name}`")).help(match nearest(name, known) {
        Some(guess) => format!("did you mean `{guess}`? Known: {list}"),
        None => format!("known: {list}"),
    })
}

impl Refusal {
    fn help_more(mut self, more: &str) -> Self {
        self.help = Some(self.help.map_or_else(|| more.to_owned(), |help| format!("{help}; {more}")));
        self
    }
}
