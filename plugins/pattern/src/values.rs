//! Decides which matches of a field say the same: by its vocabulary, which the host writes into the pattern
//! file.

use std::sync::Arc;

use regex_automata::Input;
use regex_automata::meta::Regex;
use regex_automata::nfa::thompson::WhichCaptures;
use regex_automata::util::syntax;
use regex_syntax::ast::parse::Parser;
use serde::Deserialize;

use crate::expression::{Automata, Needs};

/// The most phrases of one vocabulary.
const MAX_PHRASES: usize = 2_000;
/// The memory bound of one compiled phrase, in bytes.
const MAX_COMPILED_BYTES: usize = 4 << 20;

/// A vocabulary as the host writes it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawValues {
    /// Each phrase as a regular expression, with the canonical value that it says.
    phrases: Vec<(String, String)>,
    /// The value that a careful reader reports where matches differ.
    prefer: Option<String>,
    /// `true` if a denial says another value: `not involved`.
    #[serde(default)]
    polarity: bool,
}

/// A vocabulary.
#[derive(Debug, Clone)]
pub(crate) struct FieldVocabulary {
    /// The longer before the shorter.
    phrases: Arc<[VocabularyPhrase]>,
    prefer: Option<usize>,
    polarity: bool,
}

/// A phrase, compiled when a text is first read that may have it.
#[derive(Debug)]
struct VocabularyPhrase {
    pattern: String,
    /// The canonical value.
    says: usize,
    needs: Needs,
    automata: Automata,
}

impl VocabularyPhrase {
    fn automaton(&self, text: &str) -> Option<&Regex> {
        self.automata.for_text(text, |any| {
            let limits = Regex::config()
                .nfa_size_limit(Some(MAX_COMPILED_BYTES))
                .which_captures(WhichCaptures::Implicit)
                .auto_prefilter(false);
            let syntax = syntax::Config::new().case_insensitive(true).unicode(any).utf8(any);
            Regex::builder().syntax(syntax).configure(limits).build(&self.pattern).ok()
        })
    }
}

impl FieldVocabulary {
    pub(crate) fn new(raw: RawValues) -> Result<Self, String> {
        let RawValues { mut phrases, prefer, polarity } = raw;
        if phrases.is_empty() || phrases.len() > MAX_PHRASES {
            return Err(format!("expected 1 to {MAX_PHRASES} phrases, found {}", phrases.len()));
        }
        // Of two phrases that begin at one position, the longer says more: `not involved` before `not`.
        phrases.sort_by_key(|(pattern, _)| std::cmp::Reverse(pattern.len()));
        let mut names: Vec<String> = Vec::new();
        let mut checked = Vec::with_capacity(phrases.len());
        for (pattern, value) in phrases {
            let read = Parser::new().parse(&pattern);
            let read = read.map_err(|error| format!("{} in `{pattern}`", error.kind()))?;
            let says = names.iter().position(|name| *name == value).unwrap_or(names.len());
            if says == names.len() {
                names.push(value);
            }
            checked.push(VocabularyPhrase {
                says,
                needs: Needs::of_ast(&read),
                automata: Automata::default(),
                pattern,
            });
        }
        let prefer = prefer.and_then(|prefer| names.iter().position(|name| *name == prefer));
        Ok(FieldVocabulary { phrases: checked.into(), prefer, polarity })
    }

    /// The value that a text says; `None` where it says several or none.
    pub(crate) fn read(&self, text: &str) -> Option<usize> {
        let mut said = None;
        let may_be = self.phrases.iter().filter(|phrase| phrase.needs.are_met_by(text));
        let may_be: Vec<(&VocabularyPhrase, &Regex)> =
            may_be.filter_map(|phrase| Some((phrase, phrase.automaton(text)?))).collect();
        let mut at = 0;
        while let Some(rest) = text.get(at..) {
            let found = may_be.iter().filter_map(|(phrase, automaton)| {
                Some((phrase.says, automaton.find(Input::new(text).span(at..text.len()))?))
            });
            // The first of those that begin at one position.
            let Some((value, found)) = found.min_by_key(|(_, found)| found.start()) else { break };
            if said.is_some_and(|known| known != value) {
                return None;
            }
            said = Some(value);
            let next = rest.chars().next().map_or(1, char::len_utf8);
            at = found.end().max(at + next);
        }
        said
    }

    /// Returns whether a denial says another value.
    pub(crate) fn is_polarity(&self) -> bool {
        self.polarity
    }

    /// The value that is reported where matches differ.
    pub(crate) fn prefers(&self) -> Option<usize> {
        self.prefer
    }
}
