//! Which matches of a field say the same: its vocabulary, which the host writes into the pattern file.

use regex::RegexSetBuilder;
use regex_automata::meta::Regex;
use regex_automata::nfa::thompson::WhichCaptures;
use regex_automata::util::syntax;
use regex_syntax::ParserBuilder;
use serde::Deserialize;
use std::sync::Arc;

use crate::expression::{Automata, most_bytes};

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

/// A vocabulary, compiled when a match is first read by it.
#[derive(Debug, Clone)]
pub(crate) struct Values {
    phrases: Vec<String>,
    search: Arc<Automata>,
    /// The canonical value of each phrase.
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
        let mut most: u64 = 0;
        for (pattern, value) in &phrases {
            let parsed = ParserBuilder::new().case_insensitive(true).build().parse(pattern);
            most = most.saturating_add(parsed.map_or(u64::MAX, |parsed| most_bytes(&parsed)));
            let known = names.iter().position(|name| name == value);
            says.push(known.unwrap_or(names.len()));
            if known.is_none() {
                names.push(value.clone());
            }
        }
        let prefer = prefer.and_then(|prefer| names.iter().position(|name| *name == prefer));
        let phrases: Vec<String> = phrases.into_iter().map(|(pattern, _)| pattern).collect();
        if most > MAX_COMPILED_BYTES as u64 {
            let mut builder = RegexSetBuilder::new(&phrases);
            let built = builder.case_insensitive(true).size_limit(MAX_COMPILED_BYTES).build();
            built.map_err(|error| error.to_string().lines().last().unwrap_or_default().trim().to_owned())?;
        }
        Ok(Values { phrases, search: Arc::default(), says, prefer, polarity })
    }

    /// What a text says: one value; none where it says several or none.
    pub(crate) fn read(&self, text: &str) -> Option<usize> {
        let mut said = None;
        for found in self.search.for_text(text, |any| automaton(&self.phrases, any))?.find_iter(text) {
            let value = self.says.get(found.pattern().as_usize()).copied()?;
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

/// One automaton of all phrases, for any text or for texts of ASCII alone.
fn automaton(phrases: &[String], any: bool) -> Option<Regex> {
    let limits = Regex::config()
        .nfa_size_limit(Some(MAX_COMPILED_BYTES))
        .hybrid_cache_capacity(MAX_COMPILED_BYTES)
        .which_captures(WhichCaptures::Implicit);
    let syntax = syntax::Config::new().case_insensitive(true).unicode(any).utf8(any);
    Regex::builder().syntax(syntax).configure(limits).build_many(phrases).ok()
}
