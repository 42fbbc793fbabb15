//! JSON Schemas of our YAML files, for editors: written from the declarations that the decoders read through.
//!
//! Draft 7, because the YAML language server knows it best. A schema refuses what a decoder refuses of its form
//! (unknown keys, wrong types, numbers out of range, unknown words), as far as a schema can say it, and never what a
//! decoder takes. A profile has leave for more than other files:
//!
//! - Any scalar may be a text with `${VARIABLE}` in it, which is replaced by the environment's value.
//! - What can be inherited may be left out, and may be `null` to take it away: all but what is in lists, which are
//!   inherited whole except for stages, which have the keys of the parent's stage of their `id`. A profile that extends
//!   none must have what the defaults lack.

use crate::diag::{Problems, SourceFile};
use crate::experiment::evaluate::WrittenLabelMap;
use crate::experiment::scenario::{RuleCases, ScenarioFile, VocabularyCases};
use crate::experiment::sweep::Experiment;
use crate::facts::number;
use crate::ingest::Classifier;
use crate::profile::{Profile, Stage, defaults};
use crate::provider::PriceTable;
use crate::rules::{Context, EvidenceCounts, Extraction, RULES, Rubric, Vocabulary};
use crate::value::shape::{Key, Mapping, Names, Null, Open, Shape, Word};
use crate::value::yaml;
use serde_json::{Map, Value, json};

/// A kind of YAML file.
#[derive(Debug)]
pub struct FileKind {
    /// The name of its schema: `schemas/NAME.schema.json`.
    pub name: &'static str,
    /// The path of such files.
    pub place: &'static str,
    /// The mapping that such a file is.
    pub root: &'static Mapping,
}

/// Every kind of YAML file that people write.
pub static FILE_KINDS: [FileKind; 14] = [
    FileKind { name: "profile", place: "profiles/NAME.yaml", root: Profile::mapping() },
    FileKind { name: "rules", place: "rules/NAME.yaml", root: &RULES },
    FileKind { name: "rubric", place: "rules/rubrics/NAME.yaml", root: Rubric::mapping() },
    FileKind { name: "extraction", place: "rules/extract/TYPE.yaml", root: Extraction::mapping() },
    FileKind { name: "classification", place: "rules/classify.yaml", root: Classifier::mapping() },
    FileKind { name: "vocabulary", place: "rules/vocabularies/NAME.yaml", root: Vocabulary::mapping() },
    FileKind { name: "context", place: "rules/NAME.yaml", root: Context::mapping() },
    FileKind { name: "evidence", place: "rules/evidence.yaml", root: EvidenceCounts::mapping() },
    FileKind { name: "prices", place: "prices.yaml", root: PriceTable::mapping() },
    FileKind { name: "label-map", place: "NAME.map.yaml", root: WrittenLabelMap::mapping() },
    FileKind { name: "experiment", place: "NAME.sweep.yaml", root: Experiment::mapping() },
    FileKind { name: "scenarios", place: "profiles/NAME.test.yaml", root: ScenarioFile::mapping() },
    FileKind { name: "rule-tests", place: "rules/NAME.test.yaml", root: RuleCases::mapping() },
    FileKind {
        name: "vocabulary-tests",
        place: "rules/vocabularies/NAME.test.yaml",
        root: VocabularyCases::mapping(),
    },
];

impl FileKind {
    /// The kind of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static FileKind> {
        FILE_KINDS.iter().find(|kind| kind.name == name)
    }

    /// Its JSON Schema.
    #[must_use]
    pub fn schema(&self) -> Value {
        let profile = self.name == Profile::mapping().name;
        let mut writer = Writer { profile, definitions: Map::new() };
        let place = SchemaContext { inherited: profile };
        let mut schema = Map::new();
        schema.insert("$schema".into(), "http://json-schema.org/draft-07/schema#".into());
        schema.insert("description".into(), self.root.doc.into());
        schema.extend(writer.mapping(self.root, place));
        if profile {
            let inherits = json!({ "required": ["extends"] });
            let own = json!({ "required": lacking_by_default(self.root) });
            schema.insert("if".into(), json!({ "not": inherits }));
            schema.insert("then".into(), own);
        }
        schema.insert("definitions".into(), Value::Object(writer.definitions));
        Value::Object(schema)
    }

    /// Its JSON Schema as it is in `schemas/`.
    #[must_use]
    pub fn schema_text(&self) -> String {
        format!("{:#}\n", self.schema())
    }
}

/// A value written in YAML, as JSON.
pub(super) fn value_of(text: &str) -> Value {
    let file = SourceFile::new("declaration", text);
    yaml::parse(&file, &mut Problems::new()).map_or(Value::Null, |node| node.to_json())
}

/// The keys that a profile must have and that the defaults do not give it.
fn lacking_by_default(profile: &Mapping) -> Vec<&'static str> {
    let given = defaults().to_json();
    profile
        .all_keys()
        .filter(|key| key.required && given.get(key.name).is_none())
        .map(|key| key.name)
        .collect()
}

/// A text that the environment fills in. `$${` is a literal `${`.
const VARIABLE: &str = r"(^|[^$])\$\{";

/// Kinds of one thing that profiles merge key by key, or whose keys would be treated as names of the other. Measures are
/// replaced whole when they become of another kind.
const MERGED_KINDS: [&str; 4] = ["validator_program", "validator_service", "overall_weights", "overall_from"];

/// The context of a value in a file.
#[derive(Clone, Copy)]
struct SchemaContext {
    /// `true` if it may come from another profile, so that it may be left out or be taken away with `null`.
    inherited: bool,
}

struct Writer {
    profile: bool,
    definitions: Map<String, Value>,
}

type Schema = Map<String, Value>;

fn schema(value: Value) -> Schema {
    match value {
        Value::Object(schema) => schema,
        _ => Map::new(),
    }
}

impl Writer {
    /// The schema of a mapping.
    fn mapping(&mut self, mapping: &'static Mapping, place: SchemaContext) -> Schema {
        let mut properties = Map::new();
        let mut required = Vec::new();
        for key in mapping.all_keys() {
            properties.insert(key.name.into(), Value::Object(self.key(key, place)));
            // Stages are distinguished by it, so that one of a parent is found.
            let tells_apart = self.profile && key.name == "id";
            if key.required && (!place.inherited || tells_apart) {
                required.push(Value::from(key.name));
            }
        }
        let mut schema = Map::new();
        schema.insert("type".into(), "object".into());
        if let Some(open) = &mapping.open
            && let Names::Known(names) = open.names
        {
            for name in names {
                properties.insert((*name).into(), Value::Object(self.entry(open, place)));
            }
        }
        schema.insert("properties".into(), Value::Object(properties));
        if !required.is_empty() {
            schema.insert("required".into(), Value::Array(required));
        }
        let others = match &mapping.open {
            Some(open) if !matches!(open.names, Names::Known(_)) => Value::Object(self.entry(open, place)),
            _ => Value::Bool(false),
        };
        schema.insert("additionalProperties".into(), others);
        schema
    }

    fn key(&mut self, key: &Key, place: SchemaContext) -> Schema {
        let nullable = place.inherited || (key.null == Null::Absent && !key.required);
        let mut schema = described(key.doc, self.value(&key.shape(), place, nullable));
        if let Some(default) = key.default {
            schema.insert("default".into(), value_of(default));
        }
        if !key.examples.is_empty() {
            schema.insert("examples".into(), key.examples.iter().map(|example| value_of(example)).collect());
        }
        schema
    }

    /// The schema of an entry under a key that people choose.
    fn entry(&mut self, open: &Open, place: SchemaContext) -> Schema {
        let nullable = place.inherited || open.null == Null::Absent;
        described(open.doc, self.value(&(open.shape)(), place, nullable))
    }

    /// The schema of a value; `nullable`: or `null`.
    fn value(&mut self, shape: &Shape, place: SchemaContext, nullable: bool) -> Schema {
        match shape {
            Shape::AnyOf(alternatives) => self.any_of(alternatives, place, nullable),
            Shape::Words(_) | Shape::Only(_) if self.profile => {
                self.any_of(std::slice::from_ref(shape), place, nullable)
            }
            Shape::Mapping(_) if nullable => self.any_of(std::slice::from_ref(shape), place, nullable),
            _ => {
                let mut schema = self.plain(shape, place);
                if self.profile && is_scalar(shape) {
                    admit_variables(&mut schema);
                }
                if nullable {
                    admit_null(&mut schema);
                }
                schema
            }
        }
    }

    fn any_of(&mut self, alternatives: &[Shape], place: SchemaContext, nullable: bool) -> Schema {
        let mut schemas: Vec<Value> =
            alternatives.iter().map(|shape| Value::Object(self.plain(shape, place))).collect();
        if place.inherited {
            self.admit_null_of_others(alternatives, place);
        }
        let is_text = |shape: &Shape| matches!(shape, Shape::Text(text) if text.pattern.is_none());
        if self.profile && alternatives.iter().any(is_scalar) && !alternatives.iter().any(is_text) {
            schemas.push(json!({ "type": "string", "pattern": VARIABLE }));
        }
        if nullable {
            schemas.push(json!({ "type": "null" }));
        }
        schema(json!({ "anyOf": schemas }))
    }

    /// A profile may take away what another says of another kind of the same thing: `{ command: [a], url: null }`.
    fn admit_null_of_others(&mut self, alternatives: &[Shape], place: SchemaContext) {
        let mappings = || {
            alternatives.iter().filter_map(|shape| match shape {
                Shape::Mapping(mapping) if MERGED_KINDS.contains(&mapping.name) => Some(*mapping),
                _ => None,
            })
        };
        for mapping in mappings() {
            let Some(properties) = self
                .definitions
                .get_mut(&definition_name(self.profile, mapping, place))
                .and_then(|definition| definition.get_mut("properties"))
                .and_then(Value::as_object_mut)
            else {
                continue;
            };
            for key in mappings().flat_map(Mapping::all_keys) {
                properties.entry(key.name).or_insert_with(|| json!({ "type": "null" }));
            }
        }
    }

    /// The schema of a value, without variables and `null`.
    fn plain(&mut self, shape: &Shape, place: SchemaContext) -> Schema {
        schema(match shape {
            Shape::Text(text) => match text.pattern {
                None => json!({ "type": "string" }),
                Some(pattern) => json!({ "type": "string", "pattern": pattern }),
            },
            Shape::Bool => json!({ "type": "boolean" }),
            Shape::Number { low, high, above } => {
                let mut schema = schema(json!({ "type": "number" }));
                if let Some(low) = low {
                    let bound = if *above { "exclusiveMinimum" } else { "minimum" };
                    schema.insert(bound.into(), number(*low));
                }
                if let Some(high) = high {
                    schema.insert("maximum".into(), number(*high));
                }
                return schema;
            }
            Shape::Whole { low, high } => match high {
                None => json!({ "type": "integer", "minimum": low }),
                Some(high) => json!({ "type": "integer", "minimum": low, "maximum": high }),
            },
            Shape::Words(words) => return enumeration(words),
            Shape::Only(value) => json!({ "const": value_of(value) }),
            Shape::List(of) => {
                let inherited = place.inherited && is_stage(of);
                let items = self.value(of, SchemaContext { inherited }, false);
                json!({ "type": "array", "items": items })
            }
            Shape::Map(open) => {
                let mut schema = schema(json!({ "type": "object" }));
                let entry = Value::Object(self.entry(open, place));
                match open.names {
                    Names::Any => {}
                    Names::Pattern(pattern) => {
                        schema.insert("propertyNames".into(), json!({ "pattern": pattern }));
                    }
                    Names::Known(names) => {
                        schema.insert("propertyNames".into(), json!({ "enum": names }));
                    }
                }
                schema.insert("additionalProperties".into(), entry);
                return schema;
            }
            Shape::Mapping(mapping) => {
                let reference = format!("#/definitions/{}", self.define(mapping, place));
                // Beside `$ref`, draft 7 ignores everything; so descriptions are put beside `allOf`.
                json!({ "allOf": [{ "$ref": reference }] })
            }
            Shape::AnyOf(alternatives) => return self.any_of(alternatives, place, false),
            Shape::Any => json!({}),
        })
    }

    /// Writes the definition of a mapping, if it is not there yet.
    fn define(&mut self, mapping: &'static Mapping, place: SchemaContext) -> String {
        let name = definition_name(self.profile, mapping, place);
        if !self.definitions.contains_key(&name) {
            // Conditions hold conditions: the name is taken before the keys are inspected.
            self.definitions.insert(name.clone(), Value::Null);
            let definition = Value::Object(self.mapping(mapping, place));
            self.definitions.insert(name.clone(), definition);
        }
        name
    }
}

fn is_stage(shape: &Shape) -> bool {
    matches!(shape, Shape::Mapping(mapping) if mapping.name == Stage::mapping().name)
}

/// The name of a mapping's definition. In profiles the same mapping differs in a list from outside.
fn definition_name(profile: bool, mapping: &Mapping, place: SchemaContext) -> String {
    let suffix = if profile && !place.inherited { "_in_list" } else { "" };
    format!("{}{suffix}", mapping.name)
}

fn described(doc: &str, mut rest: Schema) -> Schema {
    let mut schema = Map::new();
    if !doc.is_empty() {
        schema.insert("description".into(), doc.into());
    }
    schema.append(&mut rest);
    schema
}

fn enumeration(words: &[Word]) -> Schema {
    let mut schema = schema(json!({ "enum": words.iter().map(|word| word.word).collect::<Vec<_>>() }));
    if words.iter().any(|word| !word.doc.is_empty()) {
        schema.insert("enumDescriptions".into(), words.iter().map(|word| Value::from(word.doc)).collect());
    }
    schema
}

fn is_scalar(shape: &Shape) -> bool {
    match shape {
        Shape::Text(_)
        | Shape::Bool
        | Shape::Number { .. }
        | Shape::Whole { .. }
        | Shape::Words(_)
        | Shape::Only(_) => true,
        Shape::List(_) | Shape::Map(_) | Shape::Mapping(_) | Shape::Any => false,
        Shape::AnyOf(alternatives) => alternatives.iter().any(is_scalar),
    }
}

/// Lets the value of a type also be a text with a variable in it. Bounds of numbers say nothing of texts.
fn admit_variables(schema: &mut Schema) {
    if let Some(Value::String(kind)) = schema.get("type") {
        if kind != "string" {
            let kinds = json!([kind, "string"]);
            schema.insert("type".into(), kinds);
            schema.insert("pattern".into(), VARIABLE.into());
        } else if let Some(Value::String(pattern)) = schema.get("pattern") {
            let either = format!("(?:{pattern})|{VARIABLE}");
            schema.insert("pattern".into(), either.into());
        }
    }
}

fn admit_null(schema: &mut Schema) {
    match schema.get_mut("type") {
        Some(Value::String(kind)) => {
            let kinds = json!([kind, "null"]);
            schema.insert("type".into(), kinds);
        }
        Some(Value::Array(kinds)) => kinds.push("null".into()),
        _ => {}
    }
    if let Some(Value::Array(words)) = schema.get_mut("enum") {
        words.push(Value::Null);
    }
    if let Some(Value::Array(docs)) = schema.get_mut("enumDescriptions") {
        docs.push("As if the key were not there.".into());
    }
    if let Some(only) = schema.remove("const") {
        schema.insert("enum".into(), json!([only, null]));
    }
}
