//! Mappings, read through their declaration.

use super::scalars::whole;
use super::{Decode, number_in, wrong_type};
use crate::diag::{Code, Problem, Problems, Span, nearest};
use crate::value::Millis;
use crate::value::shape::{Key, Mapping, Narrowed, Shape};
use crate::value::yaml::{Data, Entry, Node};

/// A mapping being read.
pub struct Fields<'n> {
    entries: &'n [Entry],
    span: &'n Span,
    mapping: &'static Mapping,
    asked: Vec<&'static str>,
    passed_over: Option<&'static str>,
    /// Keys that belong to an empty one above them, which is reported as not indented.
    displaced: Vec<&'n str>,
}

impl<'n> Fields<'n> {
    /// Starts reading a mapping.
    pub fn open(node: &'n Node, mapping: &'static Mapping, problems: &mut Problems) -> Option<Self> {
        match &node.data {
            Data::Map(entries) => {
                let is_missed = |entry: &&Entry| {
                    matches!(entry.value.data, Data::Null)
                        && mapping.key(&entry.key).is_some_and(|key| key.required)
                };
                let missed = entries.iter().filter(is_missed);
                let displaced =
                    missed.flat_map(|empty| not_indented(entries, mapping, &empty.key, &empty.key_span));
                Some(Fields {
                    displaced: displaced.map(|entry| entry.key.as_str()).collect(),
                    entries,
                    span: &node.span,
                    mapping,
                    asked: Vec::new(),
                    passed_over: None,
                })
            }
            _ => wrong_type(node, &format!("a mapping ({})", mapping.what), problems),
        }
    }

    /// The location of the mapping.
    #[must_use]
    pub fn span(&self) -> &'n Span {
        self.span
    }

    /// Returns whether it has no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Ignores a `null` under `key`, which marks another kind of this mapping.
    #[must_use]
    pub fn without(self, key: &'static str) -> Self {
        Fields { passed_over: Some(key), ..self }
    }

    /// The raw value under `key`; a `null` counts as absent.
    pub fn node(&mut self, key: &'static str) -> Option<&'n Node> {
        debug_assert!(self.mapping.key(key).is_some(), "`{}` declares no key `{key}`", self.mapping.name);
        self.asked.push(key);
        self.entries.iter().find(|e| e.key == key).map(|e| &e.value).filter(|n| !matches!(n.data, Data::Null))
    }

    /// The location of the key itself.
    #[must_use]
    pub fn key_span(&self, key: &str) -> Option<&'n Span> {
        self.entries.iter().find(|e| e.key == key).map(|e| &e.key_span)
    }

    /// An optional value.
    pub fn optional<T: Decode>(&mut self, key: &'static str, problems: &mut Problems) -> Option<T> {
        T::decode(self.node(key)?, problems)
    }

    /// A value that falls back to `default` when it is absent (or wrong, which has been reported).
    pub fn or<T: Decode>(&mut self, key: &'static str, default: T, problems: &mut Problems) -> T {
        self.optional(key, problems).unwrap_or(default)
    }

    /// A value that must be there.
    pub fn required<T: Decode>(&mut self, key: &'static str, problems: &mut Problems) -> Option<T> {
        match self.node(key) {
            Some(node) => T::decode(node, problems),
            None => {
                problems.push(self.lacking(key, &format!("add `{key}:` with {}", T::EXPECTED)));
                None
            }
        }
    }

    /// The value of a declared key, read by `read` and checked against its bounds. If it is missing, or is wrong, which
    /// is reported, it is what `usual` returns.
    #[doc(hidden)]
    pub fn declared<T>(
        &mut self,
        key: &'static Key,
        read: impl Fn(&Node, &mut Problems) -> Option<T>,
        usual: impl Fn() -> Option<T>,
        expected: &str,
        problems: &mut Problems,
    ) -> Option<T> {
        let Some(node) = self.node(key.name) else {
            if key.required {
                let add = || format!("add `{}:` with {expected}", key.name);
                problems.push(self.lacking(key.name, &key.missing.map_or_else(add, str::to_owned)));
            }
            return usual();
        };
        if self.displaced.contains(&key.name) {
            return usual();
        }
        if is_within(key, node, problems) { read(node, problems).or_else(usual) } else { usual() }
    }

    /// The problem of a required key that is missing, or has no value; `help` says what would belong there.
    #[must_use]
    pub fn lacking(&self, key: &str, help: &str) -> Problem {
        match self.key_span(key) {
            Some(span) => {
                if let Some(next) = not_indented(self.entries, self.mapping, key, span).first() {
                    let next = next.key.as_str();
                    let message = format!("`{key}` is empty, because `{next}` below it is not indented");
                    return Problem::error(Code::MissingKey, span, message)
                        .help(format!("put two spaces before `{next}:` and all that belongs to `{key}`"));
                }
                let problem = Problem::error(Code::MissingKey, span, format!("`{key}` is empty"));
                let inherits = self.mapping.key("extends").is_some();
                problem.help(if inherits {
                    format!("{help}; a key without a value takes away what is inherited: without the line it stays")
                } else {
                    help.replacen("add `", "write `", 1)
                })
            }
            None => {
                let message = format!("this {} lacks `{key}`", self.mapping.what);
                Problem::error(Code::MissingKey, self.span, message).help(help)
            }
        }
    }

    /// The entries whose keys are not declared: the open part of a mapping such as dimension weights.
    #[must_use]
    pub fn rest(&self) -> Vec<&'n Entry> {
        debug_assert!(self.mapping.open.is_some(), "`{}` has no open part", self.mapping.name);
        self.entries.iter().filter(|entry| self.mapping.key(&entry.key).is_none()).collect()
    }

    /// Reports every key that is not declared.
    pub fn finish(self, problems: &mut Problems) {
        let unread = self.mapping.all_keys().find(|key| !self.asked.contains(&key.name));
        debug_assert!(unread.is_none(), "nothing reads `{:?}` of `{}`", unread, self.mapping.name);
        let passed_over = |entry: &Entry| {
            matches!(entry.value.data, Data::Null) && self.passed_over == Some(entry.key.as_str())
        };
        for entry in self.entries {
            let is_displaced = self.displaced.contains(&entry.key.as_str());
            let is_known = self.mapping.open.is_some() || self.mapping.key(&entry.key).is_some();
            if is_known || is_displaced || passed_over(entry) {
                continue;
            }
            if let Some((key, rest)) = glued(&entry.key) {
                let message = format!("a space is missing after `{key}:`");
                let problem = Problem::error(Code::UnknownKey, &entry.key_span, message);
                problems.push(problem.help(format!("write `{key}: {rest}`")));
                continue;
            }
            let problem = Problem::error(
                Code::UnknownKey,
                &entry.key_span,
                format!("unknown key `{}` in this {}", entry.key, self.mapping.what),
            );
            let help = match nearest(&entry.key, self.mapping.all_keys().map(|key| key.name)) {
                Some(guess) => format!("did you mean `{guess}`?"),
                None => {
                    let known: Vec<String> =
                        self.mapping.all_keys().map(|key| format!("`{}`", key.name)).collect();
                    format!("known keys: {}", known.join(", "))
                }
            };
            problems.push(problem.help(help));
        }
    }
}

/// The entries that follow an empty key in its column, and mean something only within it.
fn not_indented<'n>(
    entries: &'n [Entry],
    mapping: &'static Mapping,
    key: &str,
    span: &Span,
) -> Vec<&'n Entry> {
    let shape = mapping.key(key).map(|key| key.shape());
    let (inner, is_open) = match &shape {
        Some(Shape::Mapping(inner)) => (Some(*inner), inner.open.is_some()),
        Some(Shape::Map(_)) => (None, true),
        _ => return Vec::new(),
    };
    let is_inner = |next: &Entry| {
        let may_be_inner = is_open || inner.is_some_and(|inner| inner.key(&next.key).is_some());
        let is_outer = match mapping.key(&next.key) {
            None => false,
            // Both may have it: here it would be a mapping, there it is not.
            Some(outer) => !outer.shape().is_mapping() || matches!(next.value.data, Data::Map(_)),
        };
        may_be_inner && !is_outer && next.key_span.location().column == span.location().column
    };
    // Inherited entries lie between them in the tree, and in another file.
    let mut below: Vec<&Entry> = entries
        .iter()
        .filter(|entry| {
            entry.key_span.file().name() == span.file().name() && entry.key_span.start() > span.start()
        })
        .collect();
    below.sort_by_key(|entry| entry.key_span.start());
    below.into_iter().take_while(|next| is_inner(next)).collect()
}

/// Checks a value against the bounds of its key.
fn is_within(key: &Key, node: &Node, problems: &mut Problems) -> bool {
    match key.narrowed {
        Some(Narrowed::Whole(low, high)) => whole(node, low, high, problems).is_some(),
        Some(Narrowed::Number(low, high)) => number_in(node, low, high, problems).is_some(),
        Some(Narrowed::SomeTime) => {
            let is_nothing = node.as_text().and_then(Millis::parse) == Some(Millis(0));
            if is_nothing {
                let problem =
                    Problem::error(Code::OutOfRange, &node.span, "within no time nothing can happen");
                problems.push(problem.help("write a duration such as `10s`"));
            }
            !is_nothing
        }
        Some(Narrowed::Text(_)) | None => true,
    }
}

/// Reads the value of a key within its bounds.
pub fn read_within<T: Decode>(key: &Key, node: &Node, problems: &mut Problems) -> Option<T> {
    is_within(key, node, problems).then(|| T::decode(node, problems)).flatten()
}

/// A key that was written without a space after its `:`, as in `accept:{ overall: 0.95 }`, and the bracket after it.
fn glued(key: &str) -> Option<(&str, &str)> {
    let (name, rest) = key.split_once(':')?;
    let bracket = rest.get(..1).filter(|c| matches!(*c, "{" | "["))?;
    Some((name, if bracket == "{" { "{ … }" } else { "[ … ]" }))
}
