//! Rule files: YAML to checked rules.

use super::condition::{self, Condition, ConditionContext, Operand};
use super::keys;
use super::reference::{Reference, path, reference};
use super::schema::{SchemaCheck, read_schema};
use super::template::Template;
use crate::diag::{Code, Problem, Problems};
use crate::profile::{Files, SchemaCodes, check_code};
use crate::script::{FunctionId, ScriptSet};
use crate::value::decode::{Fields, Spanned, wrong_type};
use crate::value::yaml::{Data, Node};
use crate::value::{Disposition, JsonPath, Severity, to_kebab};
use std::sync::Arc;

/// The variables that a rule's message and suggestion may use.
pub const MESSAGE_VARIABLES: [&str; 5] = ["value", "json", "key", "path", "field"];

/// Parameters of a rule function: candidate and source.
const RULE_PARAMETERS: usize = 2;

/// A checked rule.
#[derive(Debug, Clone)]
pub(super) struct Rule {
    /// Its name, unique in its file.
    pub id: Spanned<String>,
    /// The document types it is for; empty for all.
    pub types: Vec<Spanned<String>>,
    /// The target that it inspects.
    pub target: Target,
    /// The condition under which it applies; always, if absent.
    pub when: Option<Condition>,
    /// The conditions that must hold. Absent values are asked only what [`Condition::asks_presence`] says.
    pub checks: Vec<Condition>,
    /// A schema that finds issues in the target.
    pub schema: Option<SchemaCheck>,
    /// A function that finds the issues.
    pub script: Option<FunctionId>,
    /// The properties of its issues.
    pub issue: IssueText,
}

/// The properties of a rule's issues.
#[derive(Debug, Clone)]
pub struct IssueText {
    /// The rule's id.
    pub rule: Arc<str>,
    /// Their code; by default the id in capitals.
    pub code: Arc<str>,
    /// Their severity.
    pub severity: Severity,
    /// Their disposition; `None` for the one that the profile gives their code.
    pub disposition: Option<Disposition>,
    /// `true` if they claim that the loop can put them right.
    pub auto_fixable: bool,
    /// `true` if they take the measure's penalty off the score.
    pub costs: bool,
    /// The message; a sentence made from the check, if absent.
    pub message: Option<Template>,
    /// The mistake that the rule is against, regardless of the candidate, for explanations.
    pub says: Option<Arc<str>>,
    /// Advice that would put it right.
    pub suggestion: Option<Template>,
}

impl IssueText {
    /// Returns whether they show the value that a check found wrong.
    #[must_use]
    pub fn shows_value(&self) -> bool {
        let is_fixed = |template: &Template| template.fixed().is_some();
        !self.message.as_ref().is_some_and(is_fixed) || self.suggestion.as_ref().is_some_and(|s| !is_fixed(s))
    }
}

/// The code of a rule's issues that names none: its id in capitals.
#[must_use]
pub fn code_of_rule(id: &str) -> String {
    id.to_uppercase().replace('-', "_")
}

/// The target of a rule.
#[derive(Debug, Clone)]
pub enum Target {
    /// The whole candidate.
    Candidate,
    /// One top-level field, also when it is absent.
    Field(String),
    /// Each value that a path selects.
    Each(JsonPath),
}

/// The sources in which rules find what they name.
pub(super) struct DecodeContext<'a> {
    pub files: &'a dyn Files,
    pub scripts: &'a mut ScriptSet,
}

/// Reads a rule file: a mapping with `rules:`, a list, and an optional `description:`.
pub(super) fn decode_rules(
    root: &Node,
    surroundings: &mut DecodeContext<'_>,
    problems: &mut Problems,
) -> Vec<Rule> {
    let Some(mut fields) = Fields::open(root, &keys::RULES, problems) else { return Vec::new() };
    fields.optional::<String>("description", problems);
    // Followed before this is decoded (`Inheritance`).
    fields.optional::<String>("extends", problems);
    let mut rules: Vec<Rule> = Vec::new();
    match fields.node("rules") {
        None => {
            problems.push(fields.lacking("rules", "add `rules:` with a list of rules"));
        }
        Some(list) => {
            if let Data::List(items) = &list.data {
                for item in items {
                    let Some(rule) = decode_rule(item, surroundings, problems) else { continue };
                    if let Some(first) = rules.iter().find(|known| known.id.value == rule.id.value) {
                        problems.push(
                            Problem::error(
                                Code::Conflict,
                                &rule.id.span,
                                format!("two rules have the id `{}`", rule.id.value),
                            )
                            .related(&first.id.span, "first here")
                            .help("rename one of the two"),
                        );
                    }
                    rules.push(rule);
                }
                if items.is_empty() {
                    problems.push(Problem::warning(Code::Empty, &list.span, "there is no rule in this file"));
                }
            } else {
                wrong_type::<()>(list, "a list of rules", problems);
            }
        }
    }
    fields.finish(problems);
    rules
}

fn decode_rule(node: &Node, surroundings: &mut DecodeContext<'_>, problems: &mut Problems) -> Option<Rule> {
    let mut fields = Fields::open(node, &keys::RULE, problems)?;
    let errors_before = problems.error_count();
    let id: Option<Spanned<String>> = fields.required("id", problems);
    if let Some(id) = &id {
        check_id(id, problems);
    }
    let types = decode_types(&mut fields, problems);
    let target = decode_target(&mut fields, problems);
    let place =
        ConditionContext { subject: Operand::Value, has_key: !matches!(target, Some(Target::Candidate)) };
    let when = fields.node("when").and_then(|when| condition::condition(when, &place, problems));
    let checks = condition::checks(&mut fields, &place, problems);
    if matches!(target, Some(Target::Candidate))
        && (when.as_ref().is_some_and(Condition::looks_around)
            || checks.iter().any(|(check, _)| check.looks_around()))
    {
        problems.push(
            Problem::error(Code::InertRule, fields.span(), "there is nothing around the whole candidate")
                .help("`^` and `<` look from a target: give the rule a `field` or `each`"),
        );
    }
    let script: Option<Spanned<String>> = fields.optional("script", problems);
    let schema = decode_schema(&mut fields, surroundings.files, problems);
    let severity = fields.or("severity", Severity::Major, problems);
    let disposition = fields.optional("disposition", problems);
    let auto_fixable = fields.or("auto_fixable", false, problems);
    let costs = fields.or("costs", true, problems);
    let code: Option<Spanned<String>> = fields.optional("code", problems);
    let message = decode_template(&mut fields, "message", problems);
    let says: Option<String> = fields.optional("says", problems);
    let suggestion = decode_template(&mut fields, "suggestion", problems);
    let span = fields.span().clone();
    fields.finish(problems);
    if let (Some(script), Some(Target::Field(_) | Target::Each(_))) = (&script, &target) {
        problems.push(
            Problem::error(
                Code::Conflict,
                &script.span,
                "a script looks at the whole candidate; it can't have a target",
            )
            .help("remove `field` or `each`; the script gets the candidate and walks it itself"),
        );
    }
    let function = script.as_ref().and_then(|script| {
        surroundings.scripts.function(script, RULE_PARAMETERS, surroundings.files, problems)
    });
    if checks.is_empty() && script.is_none() && schema.is_none() && problems.error_count() == errors_before {
        problems.push(Problem::error(Code::InertRule, &span, "this rule checks nothing").help(
            "add a check such as `required: true`, `matches`, `one_of`, `require`, `schema` or `script`",
        ));
    }
    let id = id?;
    if let Some(code) = &code {
        check_code(code, problems);
    }
    let issue = IssueText {
        rule: Arc::from(id.value.as_str()),
        code: code.map_or_else(|| code_of_rule(&id.value), |code| code.value).into(),
        severity,
        disposition,
        auto_fixable,
        costs,
        message,
        says: says.map(Arc::from),
        suggestion,
    };
    let checks = checks.into_iter().map(|(condition, _)| condition).collect();
    Some(Rule { id, types, target: target?, when, checks, schema, script: function, issue })
}

fn decode_schema(fields: &mut Fields<'_>, files: &dyn Files, problems: &mut Problems) -> Option<SchemaCheck> {
    let path: Option<Spanned<String>> = fields.optional("schema", problems);
    let codes: SchemaCodes = fields.or("codes", SchemaCodes::default(), problems);
    if let (None, Some(span)) = (&path, fields.key_span("codes")) {
        problems.push(
            Problem::error(Code::InertRule, span, "there is no schema that could use these codes")
                .help("add `schema: schemas/NAME.schema.json`, or write `code:` for the rule's own code"),
        );
    }
    let path = path?;
    read_schema(&path.value, &path.span, files, problems).map(|schema| SchemaCheck { schema, codes })
}

fn check_id(id: &Spanned<String>, problems: &mut Problems) {
    let word =
        |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    if id.value.split('-').all(word) {
        return;
    }
    let kebab = to_kebab(&id.value);
    let problem = Problem::error(
        Code::UnknownWord,
        &id.span,
        format!("an id is made of small letters, digits and dashes, found `{}`", id.value),
    );
    problems.push(if kebab.is_empty() { problem } else { problem.help(format!("write `{kebab}`")) });
}

fn decode_types(fields: &mut Fields<'_>, problems: &mut Problems) -> Vec<Spanned<String>> {
    let Some(node) = fields.node("for") else { return Vec::new() };
    if matches!(node.data, Data::Text { .. }) {
        return crate::value::decode::Decode::decode(node, problems).into_iter().collect();
    }
    let types: Vec<Spanned<String>> =
        crate::value::decode::Decode::decode(node, problems).unwrap_or_default();
    if matches!(&node.data, Data::List(items) if items.is_empty()) {
        problems.push(
            Problem::error(Code::Empty, &node.span, "this rule is for no document type")
                .help("list some types, or remove `for` to have it for all"),
        );
    }
    types
}

fn decode_target(fields: &mut Fields<'_>, problems: &mut Problems) -> Option<Target> {
    let field: Option<&Node> = fields.node("field");
    let each: Option<&Node> = fields.node("each");
    match (field, each) {
        (None, None) => Some(Target::Candidate),
        (Some(_), Some(each)) => {
            problems.push(
                Problem::error(Code::Conflict, &each.span, "a rule has one target: `field` or `each`")
                    .help("keep one of the two"),
            );
            None
        }
        (Some(field), None) => match reference(field, problems)? {
            Reference::Field { name, .. } => Some(Target::Field(name)),
            _ => {
                problems.push(
                    Problem::error(
                        Code::BadPath,
                        &field.span,
                        "`field` is the name of a top-level field, not a path",
                    )
                    .help(match field.as_text() {
                        Some(path) if path.starts_with('$') => format!("write `each: {path}`"),
                        _ => "use `each` for a path".to_owned(),
                    }),
                );
                None
            }
        },
        (None, Some(each)) => path(each, problems).map(Target::Each),
    }
}

fn decode_template(fields: &mut Fields<'_>, key: &'static str, problems: &mut Problems) -> Option<Template> {
    let text: Spanned<String> = fields.optional(key, problems)?;
    Template::check(&text.value, &MESSAGE_VARIABLES, &text.span, problems)
}

impl Rule {
    /// Returns whether the rule is for this document type.
    #[must_use]
    pub(super) fn is_for(&self, document_type: &str) -> bool {
        self.types.is_empty() || self.types.iter().any(|t| t.value == document_type)
    }
}
