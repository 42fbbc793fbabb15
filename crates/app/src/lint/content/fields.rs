//! Fields that a rule, a rubric or a pattern names and nothing else has, and fields that nothing measures.

use super::language::{Part, visit};
use super::project::{Project, Written, filled, place_of, rubric_fields};
use super::schema::Reach;
use crate::diag::{Code, Problem, Problems, Span, nearest};
use crate::lint::nodes::{entries, one_or_more};
use crate::profile::Measure;
use crate::rules::{Importance, Inheritance, UNKNOWN_TYPE};
use crate::value::prose::{did_you_mean, first_listed, plural};
use crate::value::yaml::Node;
use crate::value::{JsonPath, PathStep};
use std::collections::{BTreeMap, BTreeSet};

/// Most names that one message lists.
const MOST_LISTED: usize = 12;

/// The beginning of the names of shipped files.
const EMBEDDED: &str = "<embedded>/";

pub(super) fn check(project: &Project<'_>, problems: &mut Problems) {
    if !project.fields.is_empty() {
        for file in &project.rules {
            for (rule, types) in project.rules_of(file) {
                of_rule(project, rule, &types, problems);
            }
        }
        for rubric in &project.rubrics {
            of_rubric(project, rubric, problems);
        }
        of_patterns(project, problems);
        unmeasured(project, problems);
    }
    without_types(project, problems);
    unlisted_types(project, problems);
}

/// The path that a rule names, as steps from the candidate.
fn steps_of(key: &str, text: &str, target: Option<&[PathStep]>) -> Option<Vec<PathStep>> {
    let parsed =
        |text: &str| JsonPath::parse(text).ok().and_then(|path| path.steps().map(<[PathStep]>::to_vec));
    match text.chars().next()? {
        '$' => parsed(text),
        _ if key == "each" => parsed(text),
        '@' => {
            let mut steps = target?.to_vec();
            steps.extend(parsed(&format!("${}", text.strip_prefix('@')?))?);
            Some(steps)
        }
        '^' | '<' => None,
        _ => Some(vec![PathStep::Key(text.to_owned())]),
    }
}

/// The steps to the field that a rule is about; `None` where it names none.
fn target_of(rule: &Node) -> Option<Vec<PathStep>> {
    match (rule.get("field").and_then(Node::as_text), rule.get("each").and_then(Node::as_text)) {
        (Some(field), _) => Some(vec![PathStep::Key(field.to_owned())]),
        (None, each) => each.and_then(|path| steps_of("each", path, None)),
    }
}

fn of_rule(project: &Project<'_>, rule: &Node, types: &[&str], problems: &mut Problems) {
    let target = target_of(rule);
    visit(rule, &mut |part| {
        let Part::Reference(key, node) = part else { return };
        let Some(text) = node.as_text() else { return };
        let Some(steps) = steps_of(key, text, target.as_deref()) else { return };
        let mut nothing = None;
        for kind in types {
            match project.fields.get(kind).map(|fields| fields.reach(&steps)) {
                Some(Reach::Nothing { steps, known }) => {
                    // The type that comes closest is the most telling.
                    if nothing.as_ref().is_none_or(|(farthest, _)| *farthest < steps) {
                        nothing = Some((steps, known));
                    }
                }
                _ => return,
            }
        }
        if let Some((at, known)) = nothing {
            problems.push(nobody_has(node, text, &steps, at, &known, types));
        }
    });
}

fn nobody_has(
    node: &Node,
    text: &str,
    steps: &[PathStep],
    at: usize,
    known: &[String],
    types: &[&str],
) -> Problem {
    let of_types = match types {
        [] | [UNKNOWN_TYPE] => String::new(),
        [only] => format!(" of `{only}`"),
        _ => " of its document types".to_owned(),
    };
    let wanted = match steps.get(at) {
        Some(PathStep::Key(key)) => Some(key.as_str()),
        _ => None,
    };
    let guess = wanted.and_then(|wanted| nearest(wanted, known.iter().map(String::as_str)));
    let (code, message) = match (at, wanted) {
        (0, Some(name)) => (
            Code::UnmadeField,
            format!("no schema, rubric or extraction pattern{of_types} has the field `{name}`"),
        ),
        (_, Some(name)) => (
            Code::DeadPath,
            format!("by the schema{of_types} nothing can stand at `{text}`: there is no `{name}`"),
        ),
        _ => {
            let step = at + 1;
            (
                Code::DeadPath,
                format!("by the schema{of_types} nothing can stand at `{text}`: step {step} leads nowhere"),
            )
        }
    };
    let problem = Problem::warning(code, &node.span, message);
    problem.help(match guess {
        Some(guess) => format!("did you mean `{guess}`?"),
        None if known.is_empty() => "add it to the schema, or take it out of the rule".to_owned(),
        None => format!("add it to the schema, or take one of {}", first_listed(known, MOST_LISTED)),
    })
}

/// Fields of a rubric that the schema of the type rules out, and required ones that the provider `pattern` can't find.
fn of_rubric(project: &Project<'_>, rubric: &Written, problems: &mut Problems) {
    for kind in own_types(project, rubric) {
        let Some(fields) = project.fields.get(kind) else { continue };
        for (node, field) in rubric_fields(&rubric.root, kind) {
            if fields.schema_has(field) == Some(false) {
                let declared = fields.declared();
                let schema = schema_of(project, kind);
                let message = format!("{schema} has no field `{field}`, so no answer can ever have it");
                let problem = Problem::warning(Code::UndeclaredField, &node.span, message);
                let help = "add it to the schema, or take it out of the rubric";
                problems.push(problem.help(did_you_mean(field, declared, help)));
            }
        }
    }
    of_parts(project, rubric, problems);
    unfindable(project, rubric, problems);
}

/// Kinds of parts whose list no answer can have, and types that the rubric does not list.
fn of_parts(project: &Project<'_>, rubric: &Written, problems: &mut Problems) {
    let listed_types: Vec<&str> = entries(rubric.root.get("types")).map(|entry| entry.key.as_str()).collect();
    for kind in entries(rubric.root.get("each")) {
        let list = kind.value.get("list");
        let label = kind.value.get("label");
        let Some((list, name)) = list.and_then(|list| Some((list, list.as_text()?))) else { continue };
        for node in kind.value.get("types").map(one_or_more).unwrap_or_default() {
            let Some(document_type) = node.as_text() else { continue };
            if !listed_types.contains(&document_type) {
                let message = format!("this rubric lists no document type `{document_type}`");
                let problem = Problem::warning(Code::UnknownName, &node.span, message);
                let help = "list it under `types`, or take it out here";
                problems.push(problem.help(did_you_mean(document_type, listed_types.iter().copied(), help)));
                continue;
            }
            let Some(fields) = project.fields.get(document_type) else { continue };
            let schema = schema_of(project, document_type);
            if fields.schema_has(name) == Some(false) {
                let message =
                    format!("{schema} has no list `{name}`, so no answer can have an item for a part");
                let problem = Problem::warning(Code::UndeclaredField, &list.span, message);
                let help = "add it to the schema: a list of objects, each with the label of its part";
                problems.push(problem.help(did_you_mean(name, fields.declared(), help)));
                continue;
            }
            let member = label.and_then(Node::as_text).unwrap_or("part");
            let steps =
                [PathStep::Key(name.to_owned()), PathStep::Wildcard, PathStep::Key(member.to_owned())];
            let reached = fields.reach(&steps);
            if let (Reach::Nothing { steps: at, known }, Some(true)) = (reached, fields.schema_has(name)) {
                let message = match at {
                    1 => format!("by {schema}, `{name}` is not a list"),
                    _ => format!("by {schema}, items of `{name}` have no `{member}` that names their part"),
                };
                let problem = Problem::warning(Code::UndeclaredField, &label.unwrap_or(list).span, message);
                problems.push(problem.help(match nearest(member, known.iter().map(String::as_str)) {
                    Some(guess) if at > 1 => format!("did you mean `label: {guess}`?"),
                    _ => format!(
                        "give its items the member `{member}`, or say with `label` which member it is"
                    ),
                }));
            }
        }
    }
}

/// The name of the schema of a type's candidates.
fn schema_of(project: &Project<'_>, kind: &str) -> String {
    let output = project.subject.plan.stages.last().and_then(|last| last.stage.call.output.as_ref());
    match output {
        Some(output) => format!("the schema `{}`", filled(&output.value, kind)),
        None => format!("the schema of `{kind}`"),
    }
}

/// A required field without a pattern: the position that requires it, the file that lacks one, and a field there whose
/// name is near.
struct Missing<'n> {
    node: &'n Node,
    file: &'n str,
    guess: Option<String>,
}

/// Required fields that the provider `pattern` can't find: one problem for a rubric. Where a variable may replace it by
/// another, it is a note.
fn unfindable(project: &Project<'_>, rubric: &Written, problems: &mut Problems) {
    let stages = &project.subject.plan.stages;
    let Some(last) = stages.last().filter(|last| last.stage.into.is_none()) else { return };
    let providers = &last.stage.call.providers;
    if providers.iter().any(|choice| choice.name.value != "pattern") {
        return;
    }
    let mut missing: BTreeMap<&str, Missing<'_>> = BTreeMap::new();
    for kind in own_types(project, rubric) {
        let at = stages.len() - 1;
        let file = project.extractions.iter().find(|file| file.stage == at && file.document_type == kind);
        let (Some(file), Some(fields)) = (file, project.fields.get(kind)) else { continue };
        let found: BTreeSet<&str> = file.fields().map(|(name, _)| name).collect();
        let listed = rubric.root.get("types").and_then(|types| types.get(kind));
        let required = listed.and_then(|listed| listed.get(Importance::Required.as_str()));
        for node in required.map(one_or_more).unwrap_or_default() {
            let Some(field) = node.as_text() else { continue };
            // A field that the host fills in is not looked for.
            let program = project.subject.plan.scoring.rules().program(kind);
            if program.rubric_fields().any(|known| known.from.is_some() && known.name.as_ref() == field) {
                continue;
            }
            if !found.contains(field) && fields.schema_has(field) != Some(false) && !is_put_in(project, field)
            {
                let guess = nearest(field, found.iter().copied()).map(str::to_owned);
                missing.entry(field).or_insert(Missing { node, file: &file.file.name, guess });
            }
        }
    }
    let Some(Missing { node: first, file, .. }) = missing.values().next() else { return };
    let names = first_listed(missing.keys(), MOST_LISTED);
    let is_are = if missing.len() == 1 { "is" } else { "are" };
    let message = format!(
        "{names} {is_are} required, but no pattern of `rules/{file}` finds that, and the provider is `pattern`"
    );
    let may_be_another = providers.iter().any(|choice| choice.name.span.text().contains("${"));
    let problem = if may_be_another {
        Problem::note(Code::UnfindableField, &first.span, message)
    } else {
        Problem::warning(Code::UnfindableField, &first.span, message)
    };
    let guess = missing.iter().find_map(|(field, missing)| Some((field, missing.guess.clone()?)));
    problems.push(problem.help(match guess {
        Some((field, guess)) => {
            format!("the patterns have `{guess}`; if that is `{field}`, call both the same")
        }
        None if may_be_another => {
            "add patterns, or name a provider with a model: no document is complete before".to_owned()
        }
        None => "add a pattern for it to that file; only if documents may do without it, move it to `important` or `optional`".to_owned(),
    }));
}

/// The types of a rubric that documents may have.
fn own_types<'n>(project: &Project<'_>, rubric: &'n Written) -> Vec<&'n str> {
    let own = entries(rubric.root.get("types")).map(|entry| entry.key.as_str());
    own.filter(|kind| project.types.contains(kind)).collect()
}

fn is_put_in(project: &Project<'_>, field: &str) -> bool {
    let mut into = project.subject.plan.stages.iter().filter_map(|stage| stage.stage.into.as_ref());
    into.any(|into| into.value == field)
}

/// Patterns for fields that the schema of the stage rules out: their findings are removed again.
fn of_patterns(project: &Project<'_>, problems: &mut Problems) {
    for file in &project.extractions {
        let Some(stage) = project.subject.plan.stages.get(file.stage) else { continue };
        let Some(schema) = stage.schemas.get(&file.document_type) else { continue };
        let whole = super::schema::SchemaNode::whole(schema);
        let declared: Vec<&str> = whole.members().into_iter().map(|(name, _)| name).collect();
        for entry in entries(file.file.root.get("fields")) {
            let field = entry.key.as_str();
            let Reach::Nothing { .. } = whole.reach(&[PathStep::Key(field.to_owned())]) else { continue };
            let message = format!(
                "the schema of the stage `{}` has no field `{field}`, so what these patterns find is dropped",
                stage.stage.id.value
            );
            let problem = Problem::warning(Code::UndeclaredField, &entry.key_span, message);
            let help = "add it to the schema, or take its patterns out";
            problems.push(problem.help(did_you_mean(field, declared.iter().copied(), help)));
        }
    }
}

/// Fields of a schema that neither a rubric nor a rule names. One note for a file; grounding inspects every value, but
/// does not know which ought to be there.
fn unmeasured(project: &Project<'_>, problems: &mut Problems) {
    let loaded = project.subject.loaded;
    // A schema of a project's own is measured by its own profiles; the shipped ones know nothing of its fields.
    let shipped = |name: &str| name.starts_with(EMBEDDED);
    let profile_is_shipped = shipped(loaded.merged.span.file().name());
    if project.rubrics.is_empty() && project.rules.is_empty() {
        return;
    }
    let Some(last) = project.subject.plan.stages.last() else { return };
    let (Some(output), None) = (&last.stage.call.output, &last.stage.into) else { return };
    let scripts = scripts_of(project);
    let mut by_file: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for (kind, fields) in &project.fields {
        if !fields.has_schema() {
            continue;
        }
        let mut named: BTreeSet<String> = fields.names();
        named.retain(|name| {
            project
                .rubrics
                .iter()
                .any(|rubric| rubric_fields(&rubric.root, kind).iter().any(|(_, field)| field == name))
        });
        // A field for which a rubric has names is looked for in the document when it is given.
        let known = project.rubrics.iter().flat_map(|rubric| entries(rubric.root.get("fields")));
        named.extend(known.map(|field| field.key.clone()));
        let each = project.rubrics.iter().flat_map(|rubric| entries(rubric.root.get("each")));
        named.extend(each.filter_map(|kind| Some(kind.value.get("list")?.as_text()?.to_owned())));
        let rules = project.rules.iter().flat_map(|file| project.rules_of(file));
        let rules: Vec<&Node> =
            rules.filter(|(_, types)| types.contains(kind)).map(|(rule, _)| rule).collect();
        let mentioned = |name: &str| {
            let field = name.strip_suffix("_status").unwrap_or(name);
            let is_looked_at =
                |name: &str| named.contains(name) || rules.iter().any(|rule| looks_at(rule, name));
            is_looked_at(name) || is_looked_at(field) || scripts.iter().any(|text| has_word(text, name))
        };
        let missing = fields.declared().into_iter().filter(|name| !mentioned(name));
        let missing: BTreeSet<&str> = missing.filter(|name| !is_put_in(project, name)).collect();
        let path = filled(&output.value, kind);
        // One schema for several types: a field measured for one type is measured.
        match by_file.get_mut(&path) {
            Some(known) => known.retain(|name| missing.contains(name)),
            None => {
                by_file.insert(path, missing);
            }
        }
    }
    for (path, missing) in by_file {
        let (Some(first), Some(file)) = (missing.first(), project.file(&path)) else { continue };
        if profile_is_shipped && !shipped(file.name()) {
            continue;
        }
        let message = format!(
            "no rubric and no rule of the profile `{}` looks at the {} {}",
            loaded.profile.name,
            plural(missing.len() as u64, "field"),
            first_listed(&missing, MOST_LISTED)
        );
        let place = place_of(&file, &format!("\"{first}\""));
        problems.push(Problem::note(Code::UnmeasuredField, &place, message).help(
            "list what should be there in the rubric, or leave it: such fields are taken as they come",
        ));
    }
}

/// Returns whether a rule may inspect a top-level field. Paths that select by more than names count if they name it
/// anywhere.
fn looks_at(rule: &Node, field: &str) -> bool {
    if rule.get("schema").is_some() && rule.get("field").is_none() && rule.get("each").is_none() {
        return true;
    }
    let target = target_of(rule);
    let mut looks = false;
    visit(rule, &mut |part| {
        let Part::Reference(key, node) = part else { return };
        let Some(text) = node.as_text() else { return };
        let steps = match text.trim_start_matches('^') {
            rest if rest.len() < text.len() => {
                // From the holder of the target, as many levels above it as there are `^`.
                let above = |target: &[PathStep]| target.len().checked_sub(text.len() - rest.len());
                let above = target.as_deref().and_then(|target| target.get(..above(target)?));
                above.and_then(|above| steps_of(key, &format!("@{rest}"), Some(above)))
            }
            _ => steps_of(key, text, target.as_deref()),
        };
        looks |= match steps.as_ref().map(|steps| steps.first()) {
            Some(Some(PathStep::Key(name))) => name == field,
            Some(Some(PathStep::Keys(names))) => names.iter().any(|name| name == field),
            Some(Some(PathStep::Wildcard) | None) => true,
            Some(Some(PathStep::Index(_))) => false,
            None => text.contains("..*") || has_word(text, field),
        };
    });
    looks
}

/// The top-level fields that a rule names.
pub(super) fn named_by(rule: &Node) -> Vec<String> {
    let mut names = Vec::new();
    // A schema that a rule asks inspects everything.
    visit(rule, &mut |part| {
        let Part::Reference(key, node) = part else { return };
        let steps = node.as_text().and_then(|text| steps_of(key, text, None));
        match steps.as_deref().and_then(<[PathStep]>::first) {
            Some(PathStep::Key(name)) => names.push(name.clone()),
            Some(PathStep::Keys(several)) => names.extend(several.iter().cloned()),
            _ => {}
        }
    });
    names
}

/// The texts of all scripts that measure or are rules.
pub(super) fn scripts_of(project: &Project<'_>) -> Vec<String> {
    let mut names: BTreeSet<String> = BTreeSet::new();
    let mut add = |function: &str| {
        names.extend(function.split_once('#').map(|(file, _)| file.to_owned()));
    };
    for measure in project.subject.loaded.profile.dimensions.iter().flat_map(|d| d.measure.parts()) {
        if let Measure::Script { function } = measure {
            add(&function.value);
        }
    }
    for rule in project.rules.iter().flat_map(|file| super::language::rules(&file.root)) {
        rule.get("script").and_then(Node::as_text).into_iter().for_each(&mut add);
    }
    let files = names.iter().filter_map(|name| project.file(&format!("rules/{name}")));
    files.map(|file| file.text().to_owned()).collect()
}

/// Returns whether a name appears in a text as a word of its own.
pub(super) fn has_word(text: &str, name: &str) -> bool {
    let fits = |c: Option<char>| !c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(name).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text.get(at + name.len()..).and_then(|after| after.chars().next());
        fits(before) && fits(after)
    })
}

/// Rules for document types in a profile that tells none apart.
fn without_types(project: &Project<'_>, problems: &mut Problems) {
    if project.types != [UNKNOWN_TYPE] {
        return;
    }
    for rule in project.rules.iter().flat_map(|file| super::language::rules(&file.root)) {
        let wanted = super::language::texts(rule.get("for"));
        let Some(node) = rule.get("for").filter(|_| !wanted.is_empty() && !wanted.contains(&UNKNOWN_TYPE))
        else {
            continue;
        };
        let message = format!(
            "this profile tells no document types apart, so a rule for `{}` never applies",
            wanted.join("`, `")
        );
        problems.push(
            Problem::warning(Code::NoSuchType, &node.span, message)
                .help("remove `for`, or name a classification in the profile: `classify: classify`"),
        );
    }
}

/// Types that classification gives and a rubric does not list: they are measured as `unknown`, or by nothing.
fn unlisted_types(project: &Project<'_>, problems: &mut Problems) {
    let profile = &project.subject.loaded.profile;
    let (Some(named), Some(classifier)) = (&profile.classify, &project.subject.plan.classifier) else {
        return;
    };
    let Some(file) = project.file(&format!("rules/{}.yaml", named.value)) else { return };
    for rubric in &project.rubrics {
        let Some(types) = rubric.root.get("types") else { continue };
        for kind in classifier.types().filter(|kind| types.get(kind).is_none()) {
            let place: Span = place_of_type(project, &file, kind);
            let problem = if types.get(UNKNOWN_TYPE).is_some() {
                Problem::note(
                    Code::UnlistedType,
                    &place,
                    format!(
                        "the rubric `{}` does not list `{kind}`; it is measured as `unknown`",
                        rubric.name
                    ),
                )
            } else {
                Problem::warning(
                    Code::UnlistedType,
                    &place,
                    format!(
                        "the rubric `{}` does not list `{kind}`, so nothing is asked of such documents",
                        rubric.name
                    ),
                )
            };
            let known = entries(Some(types)).map(|entry| entry.key.as_str());
            problems.push(problem.help(match nearest(kind, known) {
                Some(guess) => format!("the rubric has `{guess}`; call both the same"),
                None => format!("add `{kind}:` with its fields to `rules/rubrics/{}.yaml`", rubric.name),
            }));
        }
    }
}

fn place_of_type(project: &Project<'_>, file: &std::sync::Arc<crate::diag::SourceFile>, kind: &str) -> Span {
    let library = &project.subject.loaded.library;
    let root = Inheritance::CLASSIFICATIONS.read(file, library, &mut Problems::new());
    let entry = root.as_ref().and_then(|root| entries(root.get("classify")).find(|entry| entry.key == kind));
    entry.map_or_else(|| place_of(file, kind), |entry| entry.key_span.clone())
}
