//! Maps of labels in tables and in foreign JSON: `--columns MAP.yaml`.

use super::label::{FieldLabel, Held, LabelError, LabelRecord, Standing, field_name, moment};
use crate::diag::{Code, Problem, Problems, SourceFile};
use crate::value::decode::{Decode, Spanned};
use crate::value::shape::{Shape, by_name};
use crate::value::yaml::{self, Node};
use crate::value::{Fuel, JsonPath, is_blank, is_present};
use crate::{decode_words, mapping};
use regex::{Regex, RegexBuilder};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The text of a cell that says that a document has no such value, unless a map says otherwise.
pub(super) const NOT_PRESENT: &str = "not_present";

/// The largest compiled pattern, in bytes.
const MOST_PATTERN_BYTES: usize = 1 << 20;

/// The most values that one path may inspect in a label.
const MOST_STEPS: u64 = 1_000_000;

/// The deepest nesting at which lists that a path selects are taken apart.
const MOST_NESTED: usize = 8;

mapping! {
    /// The sources of labels: which column of a table, or which location in JSON, holds which field. For
    /// `loopctl evaluate --columns`.
    "label_map" is "map of labels";
    pub struct WrittenLabelMap {
        /// The name of the document: a column of the table, or a member or JSONPath of the JSON.
        #[key(required, shaped(place_shape), examples(&["case_id", "$.document"]))]
        document: Place,
        /// The type of the document. Without it, labels say nothing about types.
        #[key(shaped(place_shape), examples(&["kind"]))]
        document_type: Option<Place>,
        /// The value that documents share that are not independent, such as a patient or a case. Intervals take
        /// documents with the same value together. Without it, each document is by itself.
        #[key(shaped(place_shape), examples(&["patient_id"]))]
        cluster: Option<Place>,
        /// Document types of the profile, by their names in the labels. A type that is not listed keeps its name.
        #[key(
            shaped(|| by_name("TYPE", "The document type of the profile that labels call so.", String::shape)),
            default("{}"),
            examples(&["{ pathology_report: pathology }"])
        )]
        types: BTreeMap<String, String>,
        /// The reviewer who made the label.
        #[key(shaped(place_shape), examples(&["annotator"]))]
        reviewer: Option<Place>,
        /// The time at which the label was made.
        #[key(shaped(place_shape), examples(&["date"]))]
        at: Option<Place>,
        /// The texts that say that a document has no value for a field. An empty value or `null` says nothing.
        #[key(default("[not_present]"), examples(&["['-', n/a]"]))]
        not_present: Vec<String>,
        /// The fields that have labels.
        #[key(required, examples(&["[{ field: grade, from: histologic_grade }]"]))]
        fields: Vec<FieldSource>,
    }
}

mapping! {
    /// The source of the right value of a field.
    "label_source" is "source of labels", expects "a mapping such as `{ field: grade, from: histologic_grade }`";
    pub struct FieldSource {
        /// The field of the extraction, by its name or a JSON Pointer.
        #[key(required, examples(&["grade", "/ihcMarkers/ER"]))]
        field: String,
        /// The source of its right value: a column of the table, or a member or JSONPath of the JSON. Several values of
        /// a path are treated as `several` says.
        #[key(required, shaped(place_shape), examples(&["histologic_grade", "$.results[*].value"]))]
        from: Place,
        /// The names of the documents that it applies to: `*` matches any text, `?` for one character. Without it,
        /// all.
        #[key(examples(&["tcga_*"]))]
        documents: Option<Spanned<String>>,
        /// The separator of several values in one text. Without it, a text is one value.
        #[key(examples(&["';'"]))]
        separator: Option<String>,
        /// The part of a value that is the label: each match of this regular expression, in any case. If nothing
        /// matches, the label says nothing. Without it, the whole value.
        #[key(text("a regular expression"), examples(&["'\\w*oma\\b'"]))]
        pick: Option<Spanned<String>>,
        /// The meaning of several values.
        #[key(default("all"), examples(&["any"]))]
        several: Several,
        /// The member that the values belong to in the items of a list. Without it, they are the items themselves.
        #[key(examples(&["gene"]))]
        member: Option<String>,
        /// The way in which a value is compared with what was extracted.
        #[key(default("declared"), examples(&["contains_words"]))]
        compare: Held,
        /// `true` if more is true of the field than the labels say, so that what is extracted beyond them is not wrong.
        #[key(default("false"), examples(&["true"]))]
        partial: bool,
    }
}

/// The meaning of several values of one field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Several {
    /// Each is to be extracted: they are a list.
    All,
    /// Any of them is right.
    Any,
}

decode_words!(Several, "meaning of several values", {
    "all": "Each of them is to be extracted: they are the items of a list." => Several::All,
    "any": "Any of them is right." => Several::Any,
});

decode_words!(Held, "comparison of labels", {
    "declared": "As the profile declares the field: by its vocabulary, unit, tolerance, as a date, a list as a set, or a text." => Held::Declared,
    "contains_words": "The words of the label appear in what was extracted. What was extracted besides is not wrong." => Held::ContainsWords,
    "contains_text": "The letters of the label appear in what was extracted, also within words. What was extracted besides is not wrong." => Held::ContainsText,
});

/// A column of a table, or a location in JSON.
#[derive(Debug, Clone)]
pub(super) enum Place {
    /// A column, or a member of the label.
    Name(String),
    /// The values that a path selects.
    Path(JsonPath),
}

fn place_shape() -> Shape {
    Shape::text("a column or member, or a JSONPath such as `$.labels.grade`")
}

impl Decode for Place {
    const EXPECTED: &'static str = "the name of a column, or a JSONPath";

    fn shape() -> Shape {
        place_shape()
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let text = String::decode(node, problems)?;
        if !text.starts_with('$') {
            return Some(Place::Name(text));
        }
        match JsonPath::parse(&text) {
            Ok(path) => Some(Place::Path(path)),
            Err(error) => {
                let problem = Problem::error(
                    Code::BadPath,
                    &node.span,
                    format!("`{text}` is not a JSONPath: {}", error.message),
                );
                problems.push(problem.help("write the name of a column, or a path such as `$.labels.grade`"));
                None
            }
        }
    }
}

/// A map of labels, ready for use.
#[derive(Debug)]
pub struct LabelMap {
    document: Place,
    document_type: Option<Place>,
    cluster: Option<Place>,
    types: BTreeMap<String, String>,
    reviewer: Option<Place>,
    at: Option<Place>,
    not_present: Vec<String>,
    fields: Vec<Reader>,
}

#[derive(Debug)]
struct Reader {
    field: String,
    from: Place,
    documents: Option<globset::GlobMatcher>,
    separator: Option<String>,
    pick: Option<Regex>,
    several: Several,
    member: Option<String>,
    held: Held,
    is_partial: bool,
}

impl LabelMap {
    /// Reads a map; none is returned with errors. Problems are pushed.
    pub fn parse(file: &Arc<SourceFile>, problems: &mut Problems) -> Option<Self> {
        let root = yaml::parse(file, problems)?;
        let written = WrittenLabelMap::read_mapping(&root, problems)?;
        let fields = written.fields.into_iter().map(|source| Reader::new(source, problems)).collect();
        (!problems.has_errors()).then_some(())?;
        Some(LabelMap {
            document: written.document,
            document_type: written.document_type,
            cluster: written.cluster,
            types: written.types,
            reviewer: written.reviewer,
            at: written.at,
            not_present: written.not_present,
            fields,
        })
    }

    /// The columns that a table must have.
    pub(super) fn columns(&self) -> impl Iterator<Item = &str> {
        let places = std::iter::once(&self.document)
            .chain([&self.document_type, &self.cluster, &self.reviewer, &self.at].into_iter().flatten())
            .chain(self.fields.iter().map(|reader| &reader.from));
        places.map(|place| match place {
            Place::Name(name) => name.as_str(),
            Place::Path(path) => path.as_str(),
        })
    }

    /// Reads a row of a table, whose cells `cell` gives; `None` if it says nothing about the type or any field.
    pub(super) fn read_row<'r>(
        &self,
        cell: &dyn Fn(&str) -> Option<&'r str>,
        place: &str,
    ) -> Result<Option<LabelRecord>, LabelError> {
        let values = |from: &Place| match from {
            Place::Name(name) => cell(name).map(Value::from).into_iter().collect(),
            Place::Path(_) => Vec::new(),
        };
        self.read(&values, None, place)
    }

    /// Reads a foreign label; `None` if it says nothing about the type or any field.
    pub(super) fn read_json(
        &self,
        label: &Value,
        document: Option<&str>,
        place: &str,
    ) -> Result<Option<LabelRecord>, LabelError> {
        let values = |from: &Place| match from {
            Place::Name(name) => label.get(name).cloned().into_iter().collect(),
            Place::Path(path) => {
                let mut found = Vec::new();
                path.visit(label.into(), &Fuel::of(MOST_STEPS), &mut |_, item| found.push(item.to_value()));
                found
            }
        };
        self.read(&values, document, place)
    }

    fn read(
        &self,
        values: &dyn Fn(&Place) -> Vec<Value>,
        document: Option<&str>,
        place: &str,
    ) -> Result<Option<LabelRecord>, LabelError> {
        let text = |from: &Place| values(from).first().and_then(Value::as_str).map(str::to_owned);
        let optional = |from: &Option<Place>| from.as_ref().and_then(text);
        // Ids of patients and cases are often numbers.
        let cluster = |from: &Place| match values(from).first() {
            Some(Value::String(name)) if !is_blank(name) => Some(name.clone()),
            Some(Value::Number(number)) => Some(number.to_string()),
            _ => None,
        };
        let named = text(&self.document).or_else(|| document.map(str::to_owned));
        let Some(document) = named.filter(|name| !name.is_empty()) else {
            return Err(LabelError::new(
                place,
                "expected the name of a document where `document` says, found none",
            ));
        };
        let mut fields: Vec<(String, FieldLabel)> = Vec::new();
        for reader in self.fields.iter().filter(|reader| reader.is_of(&document)) {
            if let Some(label) = reader.label(&values(&reader.from), &self.not_present) {
                fields.push((reader.field.clone(), label));
            }
        }
        let document_type =
            optional(&self.document_type).map(|named| self.types.get(&named).cloned().unwrap_or(named));
        if fields.is_empty() && document_type.is_none() {
            return Ok(None);
        }
        Ok(Some(LabelRecord {
            is_swept: false,
            standing: Standing::Plain,
            document_type,
            cluster: self.cluster.as_ref().and_then(cluster),
            reviewer: optional(&self.reviewer),
            at: optional(&self.at).map(|at| moment(&at, place)).transpose()?,
            fields,
            place: place.to_owned(),
            document,
        }))
    }
}

impl Reader {
    fn new(source: FieldSource, problems: &mut Problems) -> Self {
        let glob = source.documents.as_ref().and_then(|pattern| {
            let read = globset::Glob::new(&pattern.value).map(|glob| glob.compile_matcher());
            read.map_err(|error| {
                let message = format!("`{}` is not a pattern of names: {}", pattern.value, error.kind());
                problems.push(Problem::error(Code::BadPattern, &pattern.span, message));
            })
            .ok()
        });
        let pick = source.pick.as_ref().and_then(|pattern| {
            let built = RegexBuilder::new(&pattern.value)
                .case_insensitive(true)
                .size_limit(MOST_PATTERN_BYTES)
                .build();
            built
                .map_err(|error| {
                    let text = error.to_string();
                    let last = text.lines().last().unwrap_or_default().trim();
                    let why = last.strip_prefix("error: ").unwrap_or(last);
                    let message = format!("this pattern does not compile: {why}");
                    problems.push(Problem::error(Code::BadPattern, &pattern.span, message));
                })
                .ok()
        });
        Reader {
            field: field_name(&source.field),
            from: source.from,
            documents: glob,
            separator: source.separator.filter(|separator| !separator.is_empty()),
            pick,
            several: source.several,
            member: source.member,
            held: source.compare,
            is_partial: source.partial || source.compare != Held::Declared,
        }
    }

    fn is_of(&self, document: &str) -> bool {
        self.documents.as_ref().is_none_or(|glob| glob.is_match(document))
    }

    /// The label that the values give; `None` if they say nothing.
    fn label(&self, values: &[Value], not_present: &[String]) -> Option<FieldLabel> {
        let mut found = Vec::new();
        values.iter().for_each(|value| self.take(value, MOST_NESTED, &mut found));
        let is_absent =
            |value: &Value| value.as_str().is_some_and(|text| not_present.iter().any(|one| one == text));
        let label = |accepted| FieldLabel { accepted, held: self.held, is_partial: self.is_partial };
        if let [only] = found.as_slice()
            && is_absent(only)
        {
            return Some(label(vec![Value::Null]));
        }
        found.retain(|value| !is_absent(value));
        let mut seen: Vec<Value> = Vec::new();
        for value in found {
            if !seen.contains(&value) {
                seen.push(value);
            }
        }
        let items = seen.into_iter().map(|value| match &self.member {
            Some(member) if self.held == Held::Declared => {
                Value::Object(std::iter::once((member.clone(), value)).collect())
            }
            _ => value,
        });
        let mut items: Vec<Value> = items.collect();
        match (self.several, items.len()) {
            (_, 0) => None,
            (Several::Any, _) => Some(label(items)),
            (Several::All, 1) if self.member.is_none() => items.pop().map(|only| label(vec![only])),
            (Several::All, _) => Some(label(vec![Value::Array(items)])),
        }
    }

    /// Collects the single values of a value: the items of lists, the parts at the separator, what is picked.
    fn take(&self, value: &Value, depth: usize, into: &mut Vec<Value>) {
        match value {
            Value::Array(items) if depth > 0 => {
                items.iter().for_each(|item| self.take(item, depth - 1, into));
            }
            Value::String(text) => {
                let parts: Vec<&str> = match &self.separator {
                    Some(separator) => text.split(separator.as_str()).collect(),
                    None => vec![text.as_str()],
                };
                for part in parts.into_iter().map(str::trim).filter(|part| !is_blank(part)) {
                    match &self.pick {
                        Some(pick) => {
                            into.extend(pick.find_iter(part).map(|found| Value::from(found.as_str())));
                        }
                        None => into.push(Value::from(part)),
                    }
                }
            }
            other if is_present(other) => into.push(other.clone()),
            _ => {}
        }
    }
}
