//! JSON Schemas: compiled, and how many leaf properties one declares.

use super::compile::missing;
use super::inherited_schema::whole_schema;
use super::schema_cost::{Limits, TooMuch};
use crate::diag::{Code, Problem, Problems, SourceFile, Span};
use crate::profile::{Files, SchemaCodes};
use crate::value::{Segment, push_segment};
use jsonschema::Validator;
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Deepest nesting followed when leaves are counted.
const MAX_DEPTH: usize = 32;
/// Most leaves counted; a schema with more is not an output format.
const MAX_LEAVES: usize = 10_000;

/// A compiled schema.
#[derive(Debug)]
pub struct Schema {
    /// The name of the file that it was read from.
    pub name: String,
    /// The fields that a schema's score is divided by: see `count_leaves`.
    pub total_fields: usize,
    validator: Validator,
    limits: Limits,
}

/// A schema at work, and the codes of its issues.
#[derive(Debug, Clone)]
pub struct SchemaCheck {
    /// The schema.
    pub schema: Arc<Schema>,
    /// The codes.
    pub codes: SchemaCodes,
}

impl Schema {
    /// Compiles a schema by the draft that its `$schema` names, 2020-12 by default.
    ///
    /// # Errors
    /// Returns one line that says what is wrong with it, or that it is [`TooMuch`].
    pub fn compile(name: &str, schema: &Value) -> Result<Self, String> {
        let limits = Limits::of(schema).map_err(|much| much.to_string())?;
        let validator =
            jsonschema::options().should_validate_formats(true).offline().build(schema).map_err(|error| {
                let at = error.instance_path().as_str();
                let message: String = error.to_string().chars().take(200).collect();
                if at.is_empty() { message } else { format!("{message} (at `{at}`)") }
            })?;
        Ok(Schema { name: name.to_owned(), validator, total_fields: count_leaves(schema), limits })
    }

    /// The number of steps that checking a value may take: the schemas that apply to one value, for each value in it.
    #[must_use]
    pub fn steps(&self, value: &Value) -> u64 {
        self.limits.steps(value)
    }

    /// The validator for candidates: formats are asserted, and nothing is fetched.
    ///
    /// # Errors
    /// Returns [`TooMuch`] if checking this value would take too many steps.
    pub fn for_value(&self, value: &Value) -> Result<&Validator, TooMuch> {
        self.limits.admits(value).map(|()| &self.validator)
    }
}

/// The number of leaf properties that a schema declares and a candidate could hold: the distinct paths of properties
/// that have no declared properties of their own, found through `properties`, `items`, `additionalItems`,
/// `prefixItems`, `anyOf`, `oneOf`, `allOf`, `then`, `else` and local `$ref`s. The elements of a list count once,
/// however many a candidate has; a property that is `false` can't be held; a reference back to where it came from is a
/// leaf.
///
/// A schema is inspected once for each path, however many references lead to it there, and no further than `MAX_VISITS`
/// of them: one that refers to itself in several ways has leaves without end.
#[must_use]
pub(super) fn count_leaves(schema: &Value) -> usize {
    leaves(schema).paths.len()
}

fn leaves(schema: &Value) -> Leaves<'_> {
    let mut count =
        Leaves { root: schema, paths: HashSet::new(), open: Vec::new(), seen: HashMap::new(), visits: 0 };
    count.visit(schema, "", 0);
    count
}

/// Most schemas that are inspected when leaves are counted.
const MAX_VISITS: usize = 200_000;

struct Leaves<'a> {
    root: &'a Value,
    paths: HashSet<String>,
    /// References being followed.
    open: Vec<&'a str>,
    /// The results for schemas that were reached by a reference, by their identity and the path; `None` while one is
    /// being determined.
    seen: HashMap<(usize, String), Option<bool>>,
    visits: usize,
}

impl<'a> Leaves<'a> {
    /// Returns whether the schema declares properties below `path`; they have been counted.
    fn visit(&mut self, schema: &'a Value, path: &str, depth: usize) -> bool {
        let Value::Object(members) = schema else { return false };
        self.visits += 1;
        if depth > MAX_DEPTH || self.paths.len() >= MAX_LEAVES || self.visits > MAX_VISITS {
            return false;
        }
        let mut declares = self.properties(members, path, depth);
        for key in ["items", "additionalItems"] {
            if let Some(items) = members.get(key) {
                declares |= self.visit(items, &format!("{path}/*"), depth + 1);
            }
        }
        for key in ["anyOf", "oneOf", "allOf"] {
            for branch in members.get(key).and_then(Value::as_array).into_iter().flatten() {
                declares |= self.visit(branch, path, depth + 1);
            }
        }
        for item in members.get("prefixItems").and_then(Value::as_array).into_iter().flatten() {
            declares |= self.visit(item, &format!("{path}/*"), depth + 1);
        }
        for key in ["then", "else"] {
            if let Some(branch) = members.get(key) {
                declares |= self.visit(branch, path, depth + 1);
            }
        }
        if let Some(reference) = members.get("$ref").and_then(Value::as_str)
            && let Some(target) = reference.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer))
            && !self.open.contains(&reference)
        {
            declares |= self.referred(reference, target, path, depth);
        }
        declares
    }

    /// A schema that a reference leads to: at one path it has the same leaves each time.
    fn referred(&mut self, reference: &'a str, target: &'a Value, path: &str, depth: usize) -> bool {
        let key = (std::ptr::from_ref(target) as usize, path.to_owned());
        if let Some(known) = self.seen.get(&key) {
            return known.unwrap_or(false);
        }
        self.seen.insert(key.clone(), None);
        self.open.push(reference);
        let declares = self.visit(target, path, depth + 1);
        self.open.pop();
        self.seen.insert(key, Some(declares));
        declares
    }

    fn properties(&mut self, members: &'a Map<String, Value>, path: &str, depth: usize) -> bool {
        let Some(properties) = members.get("properties").and_then(Value::as_object) else { return false };
        let mut any = false;
        for (name, property) in properties {
            if *property == Value::Bool(false) {
                continue;
            }
            any = true;
            let mut below = path.to_owned();
            push_segment(&mut below, Segment::Key(name));
            if !self.visit(property, &below, depth + 1) && self.paths.len() < MAX_LEAVES {
                self.paths.insert(below);
            }
        }
        any
    }
}

/// Returns whether a schema is where schemas belong; reported if not. A profile may be someone else's, and a schema is
/// sent to the provider: any other file of the project would be, too.
pub fn is_among_schemas(path: &str, named: &Span, problems: &mut Problems) -> bool {
    let is_among = path.trim_start_matches("./").starts_with("schemas/");
    if !is_among {
        let message = format!("a schema is a file under `schemas/`, found `{path}`");
        let name = path.rsplit('/').next().unwrap_or_default();
        let problem = Problem::error(Code::BadPath, named, message);
        problems.push(problem.help(format!("if it is one, put it there, and write `schemas/{name}`")));
    }
    is_among
}

/// Reads and compiles the schema `name`; mistakes are reported in it, or where it is named.
pub(super) fn read_schema(
    name: &str,
    named: &Span,
    files: &dyn Files,
    problems: &mut Problems,
) -> Option<Arc<Schema>> {
    if !is_among_schemas(name, named, problems) {
        return None;
    }
    let file = match files.read(name) {
        Ok(Some(file)) => file,
        Ok(None) => {
            let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
            let known = files.list(folder, ".json");
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            problems.push(missing("schema", name, name, &known, named));
            return None;
        }
        Err(problem) => {
            problems.push(problem.related(named, "named here"));
            return None;
        }
    };
    let json = match whole_schema(&file, files) {
        Ok(json) => json,
        Err(problem) => {
            problems.push(problem.related(named, "the schema is named here"));
            return None;
        }
    };
    match Schema::compile(name, &json) {
        Ok(schema) => Some(Arc::new(schema)),
        Err(why) => {
            let span = Span::new(&file, 0, 1);
            problems.push(
                Problem::error(Code::BadSchema, &span, format!("this is not a usable JSON Schema: {why}"))
                    .related(named, "the schema is named here"),
            );
            None
        }
    }
}

/// The problem of a text that is not JSON, with its location: for a comma too many, the comma.
pub(super) fn not_json(file: &Arc<SourceFile>, error: &serde_json::Error) -> Problem {
    let text = file.text();
    let start: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let mark = if error.line() > 1 { 0 } else { text.len() - file.without_mark().len() };
    let at = (start + mark + error.column().saturating_sub(1)).min(text.len());
    let before = text.get(..at).unwrap_or_default().trim_end();
    if error.to_string().starts_with("trailing comma") && before.ends_with(',') {
        let comma = Span::new(file, before.len() - 1, before.len());
        let help = format!("take the last comma on line {} out", comma.location().line);
        return Problem::error(Code::BadSchema, &comma, "not JSON: nothing follows this comma").help(help);
    }
    let message = format!("not JSON: {error}");
    let problem = Problem::error(Code::BadSchema, &Span::new(file, at, at + 1), message);
    problem.help("each `{` needs its `}`, each name and text its double quotes, and members and elements are separated by commas")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn leaves_are_counted_once_and_recursion_ends() {
        for (schema, expected) in [
            (json!(true), 0),
            (json!({"type": "object"}), 0),
            (
                json!({"properties": {"a": {"type": "string"}, "b": {"type": "array", "items": {"type": "number"}}}}),
                2,
            ),
            (json!({"properties": {"a": {"properties": {"x": {}, "y": {}}}, "never": false}}), 2),
            (json!({"properties": {"m": {"items": {"properties": {"size": {}, "site": {}}}}}}), 2),
            (json!({"anyOf": [{"properties": {"a": {}}}, {"properties": {"a": {}, "b": {}}}]}), 2),
            (
                json!({"$defs": {"n": {"properties": {"v": {}, "next": {"$ref": "#/$defs/n"}}}}, "$ref": "#/$defs/n"}),
                2,
            ),
            (json!({"properties": {"a": {"$ref": "#"}, "b": {}}}), 3),
        ] {
            assert_eq!(count_leaves(&schema), expected, "{schema}");
        }
    }

    #[test]
    fn nothing_is_fetched() {
        assert!(Schema::compile("x", &json!({"$ref": "https://example.com/schema.json"})).is_err());
        assert!(Schema::compile("x", &json!({"type": "nonsense"})).is_err());
        let schema = Schema::compile("x", &json!({"properties": {"d": {"format": "date"}}})).unwrap();
        assert!(!schema.for_value(&Value::Null).unwrap().is_valid(&json!({"d": "yesterday"})));
    }

    #[test]
    fn leaves_that_many_references_lead_to_are_looked_at_once() {
        let visits = |deep: usize| {
            let mut defs = Map::new();
            for at in 0..deep {
                let next = json!({"$ref": format!("#/$defs/d{}", at + 1)});
                defs.insert(format!("d{at}"), json!({"allOf": vec![next; 10]}));
            }
            defs.insert(format!("d{deep}"), json!({"properties": {"a": {}, "b": {}}}));
            let schema = json!({"$defs": defs, "$ref": "#/$defs/d0"});
            let found = leaves(&schema);
            (found.visits, found.paths.len())
        };
        let ((few, two), (more, still_two)) = (visits(6), visits(12));
        assert_eq!((two, still_two), (2, 2));
        assert!(more <= few * 5 / 2, "{few} {more}");
    }
}
