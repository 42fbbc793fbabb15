//! The structure that YAML may have, as data: every mapping with its keys, and the shape of every value.
//!
//! A [`Mapping`] is declared once, beside the type that is read from it. The decoder reads through it
//! ([`super::decode::Fields`]), and JSON Schemas and the reference pages are written from it
//! (`reference` of the application), so that none of them can know a key that the others
//! do not.

/// A mapping with keys of its own.
#[derive(Debug)]
pub struct Mapping {
    /// Its name in schemas and on reference pages: lower case, words joined by `_`, unlike that of any other mapping
    /// that can be reached from the same file.
    pub name: &'static str,
    /// The name that messages give it: "this `what` lacks …".
    pub what: &'static str,
    /// Its purpose, in sentences.
    pub doc: &'static str,
    /// Its keys, in groups, because mappings may share some.
    pub keys: &'static [&'static [Key]],
    /// The declaration of any other key; `None` when there may be none.
    pub open: Option<Open>,
}

/// One key of a mapping.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// The key.
    pub name: &'static str,
    /// Its effect, in sentences: purpose, unit, what happens without it.
    pub doc: &'static str,
    /// The shape of its type. [`Key::shape`] gives its shape here.
    pub shape: fn() -> Shape,
    /// The part of that shape that is allowed here, if not all.
    pub narrowed: Option<Narrowed>,
    /// Values that it may have, in YAML.
    pub examples: &'static [&'static str],
    /// `true` if it must be there. A profile may have it from the profile that it extends.
    pub required: bool,
    /// Advice where it must be there and is missing.
    pub missing: Option<&'static str>,
    /// The value that holds without it, in YAML, if there is one.
    pub default: Option<&'static str>,
    /// `true` if its mapping is always there, with the defaults of its keys.
    pub always: bool,
    /// The meaning of `null`.
    pub null: Null,
}

/// The values that a key allows, of all that its type allows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Narrowed {
    /// Text of this kind. The decoder determines which text that is.
    Text(Text),
    /// A whole number from the first to the second.
    Whole(i64, i64),
    /// A number from the first to the second.
    Number(f64, f64),
    /// A duration that is not nothing.
    SomeTime,
}

/// The meaning of a key's `null`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Null {
    /// That the key is not there.
    Absent,
    /// Nothing: it is a mistake.
    Mistake,
}

impl Key {
    /// A key that may be left out.
    #[must_use]
    pub const fn new(name: &'static str, shape: fn() -> Shape, doc: &'static str) -> Self {
        Key {
            name,
            doc,
            shape,
            narrowed: None,
            examples: &[],
            required: false,
            missing: None,
            default: None,
            always: false,
            null: Null::Absent,
        }
    }

    /// Makes the key required.
    #[must_use]
    pub const fn required(self) -> Self {
        Key { required: true, ..self }
    }

    /// Sets the value that holds without it (YAML).
    #[must_use]
    pub const fn default(self, value: &'static str) -> Self {
        Key { default: Some(value), ..self }
    }

    /// Sets examples of its value (YAML).
    #[must_use]
    pub const fn examples(self, examples: &'static [&'static str]) -> Self {
        Key { examples, ..self }
    }

    /// Makes its mapping always present, with the defaults of its keys.
    #[must_use]
    pub const fn always(self) -> Self {
        Key { always: true, ..self }
    }

    /// Sets another name than that of its field.
    #[must_use]
    pub const fn name(self, name: &'static str) -> Self {
        Key { name, ..self }
    }

    /// Sets another shape than that of its type.
    #[must_use]
    pub const fn shaped(self, shape: fn() -> Shape) -> Self {
        Key { shape, ..self }
    }

    /// Restricts its value to text of this kind.
    #[must_use]
    pub const fn text(self, what: &'static str) -> Self {
        Key { narrowed: Some(Narrowed::Text(Text { what, pattern: None })), ..self }
    }

    /// Restricts its value to text of this kind in which a pattern is found.
    #[must_use]
    pub const fn text_like(self, what: &'static str, pattern: &'static str) -> Self {
        Key { narrowed: Some(Narrowed::Text(Text { what, pattern: Some(pattern) })), ..self }
    }

    /// Restricts its value to a whole number from `low` to `high`.
    #[must_use]
    pub const fn whole(self, low: i64, high: i64) -> Self {
        Key { narrowed: Some(Narrowed::Whole(low, high)), ..self }
    }

    /// Restricts its value to a count of things: 1 or more.
    #[must_use]
    pub const fn count(self) -> Self {
        self.at_least(1)
    }

    /// Restricts its value to a whole number of `low` or more.
    #[must_use]
    pub const fn at_least(self, low: i64) -> Self {
        self.whole(low, u32::MAX as i64)
    }

    /// Restricts its value to a number from `low` to `high`.
    #[must_use]
    pub const fn number(self, low: f64, high: f64) -> Self {
        Key { narrowed: Some(Narrowed::Number(low, high)), ..self }
    }

    /// Restricts its value to a duration that is not nothing.
    #[must_use]
    pub const fn some_time(self) -> Self {
        Key { narrowed: Some(Narrowed::SomeTime), ..self }
    }

    /// Sets the help that is shown where it is missing.
    #[must_use]
    pub const fn missing(self, help: &'static str) -> Self {
        Key { missing: Some(help), ..self }
    }

    /// Allows every value that its type may have.
    #[must_use]
    pub const fn as_typed(self) -> Self {
        Key { narrowed: None, ..self }
    }

    /// The shape of its value.
    #[must_use]
    pub fn shape(&self) -> Shape {
        match self.narrowed {
            None => (self.shape)(),
            Some(Narrowed::Text(text)) => Shape::Text(text),
            Some(Narrowed::Whole(low, high)) => Shape::whole(low, high),
            Some(Narrowed::Number(low, high)) => Shape::number(low, high),
            Some(Narrowed::SomeTime) => some_time(),
        }
    }

    /// Makes `null` a mistake.
    #[must_use]
    pub const fn never_null(self) -> Self {
        Key { null: Null::Mistake, ..self }
    }
}

impl Mapping {
    /// Every key, in the order in which they are listed.
    pub fn all_keys(&self) -> impl Iterator<Item = &'static Key> + use<> {
        self.keys.iter().flat_map(|group| group.iter())
    }

    /// The defaults of its keys in YAML. An empty list or mapping is as good as none.
    #[must_use]
    pub fn defaults(&self) -> String {
        fn write(mapping: &Mapping, indent: &str, text: &mut String) {
            for key in mapping.all_keys() {
                match (key.default, mapping_of(&key.shape())) {
                    (Some("[]" | "{}"), _) => {}
                    (Some(default), _) => text.push_str(&format!("{indent}{}: {default}\n", key.name)),
                    (None, Some(inner)) if key.always => {
                        text.push_str(&format!("{indent}{}:\n", key.name));
                        write(inner, &format!("{indent}  "), text);
                    }
                    (None, _) => {}
                }
            }
        }
        fn mapping_of(shape: &Shape) -> Option<&'static Mapping> {
            match shape {
                Shape::Mapping(mapping) => Some(mapping),
                Shape::AnyOf(alternatives) => alternatives.iter().find_map(mapping_of),
                _ => None,
            }
        }
        let mut text = String::new();
        write(self, "", &mut text);
        text
    }

    /// The key of that name.
    #[must_use]
    pub fn key(&self, name: &str) -> Option<&'static Key> {
        self.all_keys().find(|key| key.name == name)
    }
}

/// The entries under keys that people choose.
#[derive(Debug, Clone, Copy)]
pub struct Open {
    /// The word for such a key, in capitals: `DIMENSION`.
    pub key: &'static str,
    /// The keys that are allowed.
    pub names: Names,
    /// The effect of such an entry, in sentences.
    pub doc: &'static str,
    /// The shape of the value.
    pub shape: fn() -> Shape,
    /// The meaning of `null`.
    pub null: Null,
}

/// The keys that people may choose.
#[derive(Debug, Clone, Copy)]
pub enum Names {
    /// Any.
    Any,
    /// Those that this regular expression finds (ECMA 262; no flags).
    Pattern(&'static str),
    /// One of these.
    Known(&'static [&'static str]),
}

/// Names of stages, judges and the like.
pub const NAME: &str = "^[A-Za-z0-9_-]+$";

/// A word and its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    /// The word.
    pub word: &'static str,
    /// Its meaning, in a sentence; empty when the word says it.
    pub doc: &'static str,
}

/// The names of the schemas of our own files, which lie beside those of document types: `schemas/NAME.schema.json`.
pub const FILE_KINDS: [&str; 14] = [
    "profile",
    "rules",
    "rubric",
    "extraction",
    "classification",
    "vocabulary",
    "context",
    "evidence",
    "prices",
    "label-map",
    "experiment",
    "scenarios",
    "rule-tests",
    "vocabulary-tests",
];

/// The shape of a value.
#[derive(Debug, Clone)]
pub enum Shape {
    /// Text.
    Text(Text),
    /// `true` or `false`.
    Bool,
    /// A number.
    Number {
        /// The least.
        low: Option<f64>,
        /// The greatest.
        high: Option<f64>,
        /// `true` if it must be greater than `low`.
        above: bool,
    },
    /// A whole number.
    Whole {
        /// The least.
        low: i64,
        /// The greatest, if that is worth saying.
        high: Option<i64>,
    },
    /// One of some words.
    Words(Vec<Word>),
    /// This value only, in YAML.
    Only(&'static str),
    /// A list.
    List(Box<Shape>),
    /// A mapping all of whose keys people choose.
    Map(Open),
    /// A declared mapping.
    Mapping(&'static Mapping),
    /// One of these.
    AnyOf(Vec<Shape>),
    /// Anything.
    Any,
}

/// A kind of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text {
    /// The kind, in words: "the name of a stage".
    pub what: &'static str,
    /// The pattern that must be found in it, as a regular expression (ECMA 262; no flags).
    pub pattern: Option<&'static str>,
}

impl Shape {
    /// Returns whether only mappings have this shape.
    #[must_use]
    pub fn is_mapping(&self) -> bool {
        match self {
            Shape::Map(_) | Shape::Mapping(_) => true,
            Shape::AnyOf(shapes) => shapes.iter().all(Shape::is_mapping),
            _ => false,
        }
    }

    /// A text of this kind.
    #[must_use]
    pub const fn text(what: &'static str) -> Shape {
        Shape::Text(Text { what, pattern: None })
    }

    /// A text of this kind in which a pattern is found.
    #[must_use]
    pub const fn text_like(what: &'static str, pattern: &'static str) -> Shape {
        Shape::Text(Text { what, pattern: Some(pattern) })
    }

    /// A number from `low` to `high`.
    #[must_use]
    pub const fn number(low: f64, high: f64) -> Shape {
        Shape::Number { low: Some(low), high: Some(high), above: false }
    }

    /// A number of `low` or more.
    #[must_use]
    pub const fn at_least(low: f64) -> Shape {
        Shape::Number { low: Some(low), high: None, above: false }
    }

    /// A number above 0, of `high` or less.
    #[must_use]
    pub const fn positive(high: f64) -> Shape {
        Shape::Number { low: Some(0.0), high: Some(high), above: true }
    }

    /// A whole number from `low` to `high`.
    #[must_use]
    pub const fn whole(low: i64, high: i64) -> Shape {
        Shape::Whole { low, high: Some(high) }
    }

    /// A list of these.
    #[must_use]
    pub fn list(of: Shape) -> Shape {
        Shape::List(Box::new(of))
    }

    /// One of these, or a list of them.
    #[must_use]
    pub fn one_or_more(of: Shape) -> Shape {
        Shape::AnyOf(vec![of.clone(), Shape::list(of)])
    }
}

/// The words alone.
#[must_use]
pub fn words(of: &'static [Word]) -> Vec<&'static str> {
    of.iter().map(|word| word.word).collect()
}

/// The pattern of the texts that [`super::Millis::parse`] reads, except for no time at all.
const SOME_TIME: &str = r"^\s*\+?(?=[0-9.]*[1-9])([0-9]+\.?[0-9]*|\.[0-9]+)\s*(ms|s|m|min|h)\s*$";

/// A duration in which something can happen.
fn some_time() -> Shape {
    Shape::text_like("a duration such as `500ms`, `30s`, `2m` or `1h`", SOME_TIME)
}

/// A mapping from names that people choose, called `key` in capitals, to values of this shape. A `null` is a mistake.
#[must_use]
pub fn by_name(key: &'static str, doc: &'static str, shape: fn() -> Shape) -> Shape {
    Shape::Map(Open { key, names: Names::Any, doc, shape, null: Null::Mistake })
}

/// Values of a plugin or an API, which only that knows.
#[must_use]
pub fn settings() -> Shape {
    Shape::Map(Open {
        key: "NAME",
        names: Names::Any,
        doc: "A setting.",
        shape: || Shape::Any,
        null: Null::Absent,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Millis;

    #[test]
    fn some_time_is_a_duration_that_is_not_nothing() {
        let Shape::Text(text) = some_time() else { panic!() };
        let pattern = fancy(text.pattern.unwrap());
        for (duration, fits) in [("60s", true), ("0s", false), ("0.5m", true), ("00ms", false), ("5", false)]
        {
            assert_eq!(pattern(duration), fits, "{duration}");
            assert_eq!(Millis::parse(duration).is_some_and(|time| time > Millis(0)), fits, "{duration}");
        }
    }

    /// The patterns of JSON Schemas, as the validator reads them.
    fn fancy(pattern: &str) -> impl Fn(&str) -> bool {
        let schema = serde_json::json!({ "pattern": pattern });
        let validator = jsonschema::validator_for(&schema).unwrap();
        move |text| validator.is_valid(&text.into())
    }
}
