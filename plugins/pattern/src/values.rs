//! Which matches of a field say the same: its vocabulary, which the host writes into the pattern file.

use regex::{Regex, RegexBuilder};
use serde::Deserialize;

/// Most phrases of one vocabulary.
const MAX_PHRASES: usize = 2_000;
/// Memory bound of one compiled vocabulary, in bytes.
const MAX_COMPILED_BYTES: usize = 16 << 20;

/// A vocabulary as the host writes it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawValues {
    /// Each phrase as a regular expression, with the canonical value that it says.
    phrases: Vec<(String, String)>,
    /// The value that a careful reader reports where matches differ.
    prefer: Option<String>,
    /// Whether what is denied says another value: `not involved`.
    #[serde(default)]
    polarity: bool,
}

/// A vocabulary, compiled.
#[derive(Debug, Clone)]
pub(crate) struct Values {
    /// Every phrase, each in a group of its own.
    search: Regex,
    /// The canonical value of each group.
    says: Vec<usize>,
    prefer: Option<usize>,
    polarity: bool,
}

impl Values {
    pub(crate) fn new(raw: RawValues) -> Result<Self, String> {
        let RawValues { mut phrases, prefer, polarity } = raw;
        if phrases.is_empty() || phrases.len() > MAX_PHRASES {
            return Err(format!("expected 1 to {MAX_PHRASES} phrases, found {}", phrases.len()));
        }
        // Of two phrases that begin at one place, the longer says more: `not involved` before `not`.
        phrases.sort_by_key(|(pattern, _)| std::cmp::Reverse(pattern.len()));
        let mut names: Vec<String> = Vec::new();
        let mut says = Vec::with_capacity(phrases.len());
        let mut written = String::new();
        for (number, (pattern, value)) in phrases.iter().enumerate() {
            let known = names.iter().position(|name| name == value);
            says.push(known.unwrap_or(names.len()));
            if known.is_none() {
                names.push(value.clone());
            }
            let or = if number == 0 { "" } else { "|" };
            written.push_str(&format!("{or}(?P<p{number}>{pattern})"));
        }
        let search = RegexBuilder::new(&written)
            .case_insensitive(true)
            .size_limit(MAX_COMPILED_BYTES)
            .dfa_size_limit(MAX_COMPILED_BYTES)
            .build()
            .map_err(|error| error.to_string().lines().last().unwrap_or_default().trim().to_owned())?;
        let prefer = prefer.and_then(|prefer| names.iter().position(|name| *name == prefer));
        Ok(Values { search, says, prefer, polarity })
    }

    /// What a text says: one value; none where it says several or none.
    pub(crate) fn read(&self, text: &str) -> Option<usize> {
        let mut said = None;
        for captures in self.search.captures_iter(text) {
            let phrase =
                (0..self.says.len()).find(|number| captures.name(&format!("p{number}")).is_some())?;
            let value = self.says.get(phrase).copied()?;
            if said.is_some_and(|known| known != value) {
                return None;
            }
            said = Some(value);
        }
        said
    }

    /// Whether what is denied says another value.
    pub(crate) fn is_polarity(&self) -> bool {
        self.polarity
    }

    /// The value that is reported where matches differ.
    pub(crate) fn prefers(&self) -> Option<usize> {
        self.prefer
    }
}
