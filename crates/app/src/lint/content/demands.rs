//! Demands of an answer's schema that nothing checks.
//!
//! A model is shown the schema, and an answer whose types are wrong is repaired. Other demands (`required`, `pattern`,
//! bounds) are held against an answer only where a dimension measures the schema, or a rule or rubric asks the same.

use super::super::schema_words;
use super::fields::{has_word, named_by, scripts_of};
use super::language::rules;
use super::project::{Project, filled, rubric_fields};
use crate::diag::{Code, Problem, Problems, Span};
use crate::lint::nodes::{entries, one_or_more};
use crate::profile::{CandidateKind, Measure};
use crate::value::unescape;
use crate::value::yaml::{Data, Node, parse};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Most demands that a message lists.
const MOST_LISTED: usize = 4;

/// Deepest nesting that is followed.
const DEEPEST: usize = 16;

/// Keywords that demand something of a value.
const DEMANDING: [&str; 13] = [
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "maxItems",
    "maxLength",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "pattern",
    "uniqueItems",
];

/// A demand of a schema.
struct Demand<'n> {
    /// The field of the answer in which it is demanded.
    field: &'n str,
    keyword: &'n str,
    /// `true` if the field itself is required.
    is_presence: bool,
    span: &'n Span,
}

pub(super) fn check(project: &Project<'_>, problems: &mut Problems) {
    let (plan, profile) = (project.subject.plan, &project.subject.loaded.profile);
    let measured: BTreeSet<String> = profile
        .dimensions
        .iter()
        .flat_map(|dimension| dimension.measure.parts())
        .filter_map(|measure| match measure {
            Measure::Schema { path, .. } => Some(path),
            _ => None,
        })
        .flat_map(|path| project.types.iter().map(|kind| filled(&path.value, kind)))
        .collect();
    let outputs = plan.stages.iter().filter_map(|stage| stage.stage.call.output.as_ref());
    let outputs = outputs.chain(plan.judges.iter().filter_map(|judge| judge.judge.call.output.as_ref()));
    let mut paths = measured.clone();
    paths.extend(outputs.flat_map(|output| project.types.iter().map(|kind| filled(&output.value, kind))));
    for file in paths.iter().filter_map(|path| project.file(path)).filter(|file| is_own(file.name())) {
        schema_words::check(&file, problems);
    }
    let Some(last) = plan.stages.last() else { return };
    let (Some(output), None, CandidateKind::Value) =
        (&last.stage.call.output, &last.stage.into, profile.candidate)
    else {
        return;
    };
    let mut by_path: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for kind in &project.types {
        by_path.entry(filled(&output.value, kind)).or_default().push(kind);
    }
    for (path, kinds) in by_path {
        let Some(file) = project.file(&path).filter(|file| is_own(file.name())) else { continue };
        if measured.contains(&path) {
            continue;
        }
        let Some(root) = parse(&file, &mut Problems::new()) else { continue };
        let mut demands = Vec::new();
        of_schema(&root, &root, None, 0, &mut Seen::new(), &mut demands);
        demands.retain(|demand| !kinds.iter().all(|kind| is_asked(project, kind, demand)));
        unchecked(&path, &output.value, &demands, problems);
    }
}

/// Returns whether the user can change the file.
fn is_own(name: &str) -> bool {
    !name.starts_with("<embedded>/")
}

fn unchecked(path: &str, output: &str, demands: &[Demand<'_>], problems: &mut Problems) {
    let Some(first) = demands.first() else { return };
    let mut said: Vec<String> = Vec::new();
    for demand in demands {
        let text = format!("`{}` ({})", demand.field, demand.keyword);
        if !said.contains(&text) {
            said.push(text);
        }
    }
    let more = said.len().saturating_sub(MOST_LISTED);
    said.truncate(MOST_LISTED);
    let and_more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let message = format!(
        "what `{path}` demands of {}{and_more} is shown to the model, but not checked: nothing in `assess` measures \
         the schema, so an answer that breaks it can score 1",
        said.join(", ")
    );
    problems.push(Problem::warning(Code::UncheckedSchema, first.span, message).help(format!(
        "in your profile, add `schema_compliance: {{ schema: '{output}' }}` to `assess` and \
         `schema_compliance: 1` to `accept`; or ask the same in a rule"
    )));
}

/// Returns whether a rubric, a rule or a script asks for the same.
fn is_asked(project: &Project<'_>, kind: &str, demand: &Demand<'_>) -> bool {
    let field = demand.field;
    let listed = || {
        project.rubrics.iter().any(|rubric| {
            let listed = rubric_fields(&rubric.root, kind);
            listed.iter().any(|(_, name)| *name == field || field.strip_suffix("_status") == Some(name))
        })
    };
    if demand.is_presence && listed() {
        return true;
    }
    let by_rule = project.rules.iter().any(|file| {
        project
            .rules_of(file)
            .any(|(rule, types)| types.contains(&kind) && named_by(rule).iter().any(|name| name == field))
    });
    by_rule
        || project.rules.iter().flat_map(|file| rules(&file.root)).any(|rule| rule.get("schema").is_some())
        || scripts_of(project).iter().any(|text| has_word(text, field))
}

/// Parts of a schema that have been inspected, and for which field.
type Seen<'n> = HashSet<(*const Node, Option<&'n str>)>;

/// Gathers the demands of a schema; `field` is the field of the answer that `node` describes.
fn of_schema<'n>(
    root: &'n Node,
    node: &'n Node,
    field: Option<&'n str>,
    depth: usize,
    seen: &mut Seen<'n>,
    found: &mut Vec<Demand<'n>>,
) {
    // A part demands the same of one field each time.
    if depth > DEEPEST || !seen.insert((std::ptr::from_ref(node), field)) {
        return;
    }
    for entry in entries(Some(node)) {
        let (key, value) = (entry.key.as_str(), &entry.value);
        match key {
            "properties" => {
                for property in entries(Some(value)) {
                    let own = field.unwrap_or(property.key.as_str());
                    of_schema(root, &property.value, Some(own), depth + 1, seen, found);
                }
            }
            "required" => {
                for item in one_or_more(value) {
                    let Some(name) = item.as_text() else { continue };
                    let demand = Demand {
                        field: field.unwrap_or(name),
                        keyword: "required",
                        is_presence: field.is_none(),
                        span: &item.span,
                    };
                    found.push(demand);
                }
            }
            "items" | "prefixItems" | "allOf" | "anyOf" | "oneOf" | "additionalProperties" => {
                one_or_more(value).iter().for_each(|one| of_schema(root, one, field, depth + 1, seen, found));
            }
            "$ref" => {
                let target = value.as_text().and_then(|text| pointed(root, text));
                target.into_iter().for_each(|target| of_schema(root, target, field, depth + 1, seen, found));
            }
            _ if DEMANDING.contains(&key) && !is_harmless(key, value) => {
                let Some(field) = field else { continue };
                found.push(Demand { field, keyword: key, is_presence: false, span: &entry.key_span });
            }
            _ => {}
        }
    }
}

/// Returns whether a demand says no more than that a value is present.
fn is_harmless(keyword: &str, value: &Node) -> bool {
    let few = matches!(&value.data, Data::Null) || value.to_json().as_f64().is_some_and(|least| least <= 1.0);
    few && matches!(keyword, "minLength" | "minItems" | "minProperties")
}

fn pointed<'n>(root: &'n Node, reference: &str) -> Option<&'n Node> {
    let steps = reference.strip_prefix("#/")?;
    steps.split('/').try_fold(root, |node, step| node.get(unescape(step).as_ref()))
}
