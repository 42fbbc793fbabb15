//! The pattern file: its syntax, and its checked form.

use serde::Deserialize;
use serde_json::{Map, Value};
use thiserror::Error;

use crate::expression::Expression;
use crate::tables::{RowColumn, Rows};
use crate::values::{FieldVocabulary, RawValues};
use loopctl_plugin_sdk::words::{MAX_PATTERN_BYTES, Words, is_name};

/// The most fields in one pattern file.
pub const MAX_FIELDS: usize = 200;
/// The most patterns of one field, headings of one file, or keys of one field.
pub const MAX_PATTERNS: usize = 200;

/// The error in a pattern file, and its location.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PatternError {
    /// A key is missing, unknown or of the wrong type.
    #[error("`{place}` in the patterns: {reason}")]
    Shape {
        /// Dotted path in the pattern file.
        place: String,
        /// The problem: what was expected and what was found.
        reason: String,
    },
    /// A regular expression does not compile, is too large, or lacks a named group.
    #[error("`{place}` in the patterns: {reason} in `{pattern}`")]
    Regex {
        /// Dotted path in the pattern file.
        place: String,
        /// The offending pattern, shortened to 200 characters.
        pattern: String,
        /// The reason why it was refused.
        reason: String,
    },
}

/// The form that a field's matches take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldKind {
    /// The group `value` of the first match, as text.
    #[default]
    Text,
    /// The group `value` of the first match that reads as a number, as a JSON number.
    Number,
    /// One property per match: the groups `key` and `value`.
    Object,
    /// One object per match: every named group is a property.
    List,
    /// The whole document.
    Whole,
    /// One object for each part of the document that the host has found.
    Each,
}

/// The match of a pattern that counts, for fields of kind `text` and `number`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Take {
    /// The first match in the document.
    #[default]
    First,
    /// The last match in the document.
    Last,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFile {
    /// The document type that the file is for. Only a label: the host chose the file.
    #[serde(rename = "extract")]
    _extract: String,
    #[serde(default)]
    words: Map<String, Value>,
    #[serde(default)]
    headings: Vec<String>,
    preliminary: Option<String>,
    #[serde(default)]
    markup: bool,
    fields: Map<String, Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawField {
    #[serde(default)]
    kind: FieldKind,
    #[serde(default)]
    keys: Map<String, Value>,
    #[serde(default)]
    fields: Map<String, Value>,
    #[serde(default)]
    patterns: Vec<RawPattern>,
    absent: Option<RawAbsent>,
    rows: Option<RawRows>,
    verdict: Option<String>,
    /// The vocabulary; its name alone says nothing here.
    values: Option<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawAbsent {
    after: u32,
    unless: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRows {
    columns: Map<String, Value>,
    needs: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawColumn {
    head: String,
    #[serde(default)]
    cells: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPattern {
    #[serde(default)]
    tier: u32,
    section: Option<String>,
    head: Option<usize>,
    pattern: Option<String>,
    reject: Option<String>,
    #[serde(default)]
    take: Take,
}

/// A checked pattern file.
#[derive(Debug, Clone)]
pub struct Patterns {
    pub(crate) headings: Vec<Expression>,
    /// Headings, as a whole, of what a later part of the document may overrule.
    pub(crate) preliminary: Option<Expression>,
    pub(crate) fields: Vec<(String, Field)>,
}

#[derive(Debug, Clone)]
pub(crate) struct Field {
    pub(crate) kind: FieldKind,
    /// Canonical key, and the pattern that a captured key must match as a whole.
    pub(crate) keys: Vec<(String, Expression)>,
    pub(crate) patterns: Vec<FieldPattern>,
    pub(crate) absent: Option<Absent>,
    /// The verdict behind a text, from which the text must not be cut off.
    pub(crate) verdict: Option<Expression>,
    /// The columns from which a list is read.
    pub(crate) rows: Option<Rows>,
    /// For each part: the members of its item.
    pub(crate) fields: Vec<(String, Field)>,
    /// The vocabulary that tells matches that say the same from matches that differ.
    pub(crate) values: Option<FieldVocabulary>,
    /// True if values are read out of XML or HTML.
    pub(crate) has_markup: bool,
}

/// The conditions under which a field that was not found may be said to be not present in the document.
#[derive(Debug, Clone)]
pub(crate) struct Absent {
    /// The tier that must have been tried.
    pub(crate) after: u32,
    /// The expression that must not match anywhere in the document; no condition without it.
    pub(crate) unless: Option<Expression>,
}

#[derive(Debug, Clone)]
pub(crate) struct FieldPattern {
    pub(crate) tier: u32,
    pub(crate) section: Option<Expression>,
    /// The number of characters of the document, or of each section, that are searched.
    pub(crate) head: Option<usize>,
    /// None: the whole section is the value.
    pub(crate) regex: Option<Expression>,
    pub(crate) reject: Option<Expression>,
    pub(crate) take: Take,
}

impl Patterns {
    /// Checks a pattern file that was read as JSON.
    ///
    /// # Errors
    ///
    /// The first error, with its location: an unknown or missing key, a wrong type, a regular expression that does not
    /// compile, that is too large, or that lacks the named groups which its field's kind needs.
    pub fn from_json(file: &Value) -> Result<Self, PatternError> {
        let raw = RawFile::deserialize(file).map_err(|e| shape("patterns", &e))?;
        within("words", raw.words.len(), MAX_PATTERNS)?;
        within("headings", raw.headings.len(), MAX_PATTERNS)?;
        within("fields", raw.fields.len(), MAX_FIELDS)?;
        let words = declared(&raw.words)?;
        let compile = |place: &str, pattern: &str| compile(&words, place, pattern);
        let mut headings = Vec::with_capacity(raw.headings.len());
        for (at, pattern) in raw.headings.iter().enumerate() {
            let place = format!("headings[{at}]");
            let regex = compile(&place, pattern)?;
            needs_group(&place, &regex, "title")?;
            headings.push(regex);
        }
        let preliminary = match &raw.preliminary {
            Some(_) if headings.is_empty() => {
                return Err(wrong("preliminary", "it needs `headings` at the top of the file"));
            }
            Some(title) => Some(compile("preliminary", &format!("^(?:{title})$"))?),
            None => None,
        };
        let mut fields = Vec::with_capacity(raw.fields.len());
        let mut items = Vec::new();
        for (name, value) in &raw.fields {
            let place = format!("fields.{name}");
            let mut one = RawField::deserialize(value).map_err(|e| shape(&place, &e))?;
            items.push(std::mem::take(&mut one.fields));
            fields.push((name.clone(), field(&words, &place, one, !headings.is_empty())?));
        }
        for (at, members) in items.iter().enumerate() {
            let place = fields.get(at).map_or(String::new(), |(name, _)| format!("fields.{name}"));
            let members = item(&words, &place, members, &fields, !headings.is_empty())?;
            if let Some((_, field)) = fields.get_mut(at) {
                if (field.kind == FieldKind::Each) == members.is_empty() {
                    return Err(wrong(&place, "`kind: each` and `fields` go together"));
                }
                field.fields = members;
                for one in std::iter::once(&mut field.has_markup)
                    .chain(field.fields.iter_mut().map(|(_, member)| &mut member.has_markup))
                {
                    *one = raw.markup;
                }
            }
        }
        Ok(Self { headings, preliminary, fields })
    }

    /// The names of the fields that the file declares, in its order.
    pub fn field_names(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|(name, _)| name.as_str())
    }
}

/// The members of an item; one without patterns has those of the field of its name.
fn item(
    words: &Words,
    place: &str,
    raw: &Map<String, Value>,
    fields: &[(String, Field)],
    has_headings: bool,
) -> Result<Vec<(String, Field)>, PatternError> {
    within(&format!("{place}.fields"), raw.len(), MAX_FIELDS)?;
    let mut members = Vec::with_capacity(raw.len());
    for (name, value) in raw {
        let place = format!("{place}.fields.{name}");
        let raw = RawField::deserialize(value).map_err(|e| shape(&place, &e))?;
        let member = if raw.patterns.is_empty() {
            let same = fields.iter().find(|(known, field)| known == name && !field.patterns.is_empty());
            let (_, field) = same
                .ok_or_else(|| wrong(&place, "expected `patterns`, or a field of that name that has some"))?;
            field.clone()
        } else {
            field(words, &place, raw, has_headings)?
        };
        if matches!(member.kind, FieldKind::Each | FieldKind::Whole) {
            return Err(wrong(&place, "a member is a text, a number, an object or a list"));
        }
        members.push((name.clone(), member));
    }
    Ok(members)
}

fn field(words: &Words, place: &str, raw: RawField, has_headings: bool) -> Result<Field, PatternError> {
    let compile = |place: &str, pattern: &str| compile(words, place, pattern);
    within(&format!("{place}.patterns"), raw.patterns.len(), MAX_PATTERNS)?;
    within(&format!("{place}.keys"), raw.keys.len(), MAX_PATTERNS)?;
    let is_whole = matches!(raw.kind, FieldKind::Whole | FieldKind::Each);
    if is_whole && !raw.patterns.is_empty() {
        return Err(wrong(place, "a field of kind `whole` or `each` takes no `patterns`"));
    }
    if !is_whole && raw.patterns.is_empty() {
        return Err(wrong(place, "expected at least one pattern under `patterns`"));
    }
    if raw.kind != FieldKind::Object && !raw.keys.is_empty() {
        return Err(wrong(place, "`keys` goes with `kind: object` only"));
    }
    let mut keys = Vec::with_capacity(raw.keys.len());
    for (key, pattern) in &raw.keys {
        let place = format!("{place}.keys.{key}");
        let Value::String(pattern) = pattern else {
            return Err(wrong(&place, "expected a pattern (text)"));
        };
        // A key is a captured word: it must match as a whole, so that `ER` is not found in `ERG`.
        compile(&place, pattern)?;
        keys.push((key.clone(), compile(&place, &format!("^(?:{pattern})$"))?));
    }
    let mut patterns = Vec::with_capacity(raw.patterns.len());
    for (at, raw_pattern) in raw.patterns.into_iter().enumerate() {
        let place = format!("{place}.patterns[{at}]");
        patterns.push(pattern(words, &place, raw_pattern, raw.kind, has_headings)?);
    }
    let absent = match raw.absent {
        Some(RawAbsent { after: 0, .. }) => {
            return Err(wrong(
                &format!("{place}.absent.after"),
                "expected 1 or more: the first attempt never gives up",
            ));
        }
        Some(RawAbsent { after, unless }) => {
            let unless =
                unless.map(|unless| compile(&format!("{place}.absent.unless"), &unless)).transpose()?;
            Some(Absent { after, unless })
        }
        None => None,
    };
    let verdict = match &raw.verdict {
        Some(_) if raw.kind != FieldKind::Text => {
            return Err(wrong(place, "`verdict` goes with `kind: text` only"));
        }
        Some(verdict) => Some(compile(&format!("{place}.verdict"), verdict)?),
        None => None,
    };
    let rows = match raw.rows {
        Some(_) if raw.kind != FieldKind::List => {
            return Err(wrong(place, "`rows` goes with `kind: list` only"));
        }
        Some(raw) => Some(rows(words, &format!("{place}.rows"), raw)?),
        None => None,
    };
    let values = match &raw.values {
        Some(_) if raw.kind != FieldKind::Text => {
            return Err(wrong(place, "`values` goes with `kind: text` only"));
        }
        None | Some(Value::String(_)) => None,
        Some(phrases) => {
            let place = format!("{place}.values");
            let raw = RawValues::deserialize(phrases).map_err(|error| shape(&place, &error))?;
            Some(FieldVocabulary::new(raw).map_err(|reason| wrong(&place, &reason))?)
        }
    };
    Ok(Field {
        kind: raw.kind,
        keys,
        patterns,
        absent,
        verdict,
        rows,
        fields: Vec::new(),
        values,
        has_markup: false,
    })
}

fn rows(words: &Words, place: &str, raw: RawRows) -> Result<Rows, PatternError> {
    within(&format!("{place}.columns"), raw.columns.len(), MAX_PATTERNS)?;
    let whole = |place: &str, pattern: &str| {
        compile(words, place, pattern)?;
        compile(words, place, &format!("^(?:{pattern})$"))
    };
    let mut columns = Vec::with_capacity(raw.columns.len());
    for (name, value) in &raw.columns {
        let place = format!("{place}.columns.{name}");
        let raw = RawColumn::deserialize(value).map_err(|error| shape(&place, &error))?;
        within(&format!("{place}.cells"), raw.cells.len(), MAX_PATTERNS)?;
        let head = whole(&format!("{place}.head"), &raw.head)?;
        let cells = raw.cells.iter().enumerate();
        let cells =
            cells.map(|(at, cell)| whole(&format!("{place}.cells[{at}]"), cell)).collect::<Result<_, _>>()?;
        columns.push(RowColumn { name: name.clone(), head, cells });
    }
    let mut needs = Vec::with_capacity(raw.needs.len());
    for name in &raw.needs {
        let at = columns.iter().position(|column| column.name == *name);
        needs.push(at.ok_or_else(|| wrong(&format!("{place}.needs"), &format!("no column `{name}`")))?);
    }
    if needs.is_empty() {
        return Err(wrong(&format!("{place}.needs"), "expected the columns without which a row is none"));
    }
    Ok(Rows { columns, needs })
}

fn pattern(
    words: &Words,
    place: &str,
    raw: RawPattern,
    kind: FieldKind,
    has_headings: bool,
) -> Result<FieldPattern, PatternError> {
    let compile = |place: &str, pattern: &str| compile(words, place, pattern);
    let section = match &raw.section {
        Some(_) if !has_headings => {
            return Err(wrong(place, "`section` needs `headings` at the top of the file"));
        }
        Some(title) => Some(compile(&format!("{place}.section"), &format!("^(?:{title})$"))?),
        None => None,
    };
    let regex_place = format!("{place}.pattern");
    let regex = match &raw.pattern {
        Some(pattern) => Some(compile(&regex_place, pattern)?),
        None if section.is_some() && kind == FieldKind::Text => None,
        None => return Err(wrong(place, "expected `pattern` (only a text field may have `section` alone)")),
    };
    if let Some(regex) = &regex {
        match kind {
            FieldKind::Text | FieldKind::Number => needs_group(&regex_place, regex, "value")?,
            FieldKind::Object => {
                needs_group(&regex_place, regex, "key")?;
                needs_group(&regex_place, regex, "value")?;
            }
            FieldKind::List if regex.names().next().is_none() => {
                return Err(refused(
                    &regex_place,
                    regex.as_str(),
                    "expected a named group like `(?P<size>...)`",
                ));
            }
            FieldKind::List | FieldKind::Whole | FieldKind::Each => {}
        }
    }
    let reject = match &raw.reject {
        Some(pattern) => Some(compile(&format!("{place}.reject"), pattern)?),
        None => None,
    };
    Ok(FieldPattern { tier: raw.tier, section, head: raw.head, regex, reject, take: raw.take })
}

fn declared(raw: &Map<String, Value>) -> Result<Words, PatternError> {
    let mut words = Words::default();
    for (name, pattern) in raw {
        let place = format!("words.{name}");
        if !is_name(name) {
            return Err(wrong(&place, "expected a name of lower-case letters, digits and `_`"));
        }
        let Value::String(pattern) = pattern else {
            return Err(wrong(&place, "expected a pattern (text)"));
        };
        let compiled = compile(&words, &place, pattern)?;
        if let Some(group) = compiled.names().next() {
            return Err(refused(
                &place,
                pattern,
                &format!("a word may not have the group `(?P<{group}>...)`"),
            ));
        }
        words.declare(name, compiled.as_str().to_owned());
    }
    Ok(words)
}

fn compile(words: &Words, place: &str, pattern: &str) -> Result<Expression, PatternError> {
    let expanded = words
        .expand(pattern, MAX_PATTERN_BYTES)
        .map_err(|reason| refused(place, pattern, &reason.to_string()))?;
    Expression::new(&expanded).map_err(|error| {
        let text = match &error {
            regex::Error::CompiledTooBig(limit) => format!("compiles to more than {limit} bytes"),
            // The last line says what is wrong; the ones before show the pattern.
            other => other.to_string().lines().last().unwrap_or_default().trim().to_owned(),
        };
        refused(place, pattern, text.strip_prefix("error: ").unwrap_or(&text))
    })
}

fn needs_group(place: &str, regex: &Expression, group: &str) -> Result<(), PatternError> {
    if regex.names().any(|name| name == group) {
        return Ok(());
    }
    Err(refused(place, regex.as_str(), &format!("no group `(?P<{group}>...)`")))
}

fn within(place: &str, found: usize, most: usize) -> Result<(), PatternError> {
    if found <= most {
        Ok(())
    } else {
        Err(wrong(place, &format!("{found} entries, at most {most} allowed")))
    }
}

fn shape(place: &str, error: &serde_json::Error) -> PatternError {
    wrong(place, &error.to_string())
}

fn wrong(place: &str, reason: &str) -> PatternError {
    PatternError::Shape { place: place.to_owned(), reason: reason.to_owned() }
}

fn refused(place: &str, pattern: &str, reason: &str) -> PatternError {
    PatternError::Regex {
        place: place.to_owned(),
        pattern: pattern.chars().take(200).collect(),
        reason: reason.to_owned(),
    }
}
