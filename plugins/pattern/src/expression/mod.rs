//! Regular expressions that are compiled when a text is first searched that may match them: a pattern file has
//! hundreds, and a document needs some of them.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

pub(crate) use loopctl_expressions::Needs;
use loopctl_expressions::most_bytes;
use regex::RegexBuilder;
use regex_automata::meta::Regex;
use regex_automata::util::{captures, syntax};
use regex_syntax::ast::parse::Parser;
use regex_syntax::hir::translate::TranslatorBuilder;
use regex_syntax::hir::{Hir, HirKind};

/// The memory bound of one compiled pattern, in bytes.
const MAX_COMPILED_BYTES: usize = 4 << 20;
/// The number of texts in which a pattern is searched by its words before it is compiled: beyond that, an automaton is
/// worth it.
const BY_WORDS: u32 = 32;

/// A regular expression that compiles. Case is ignored and `^` and `$` are the ends of lines, whether LF, CR LF or CR, unless it
/// says otherwise. Copies share what was compiled.
#[derive(Debug, Clone)]
pub(crate) struct Expression(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    written: String,
    names: Vec<String>,
    /// The words that a text must have to match.
    needs: Needs,
    /// The number of texts that were checked for them.
    asked: AtomicU32,
    automata: Automata,
}

/// Automata of the same expressions: most texts are of ASCII alone, for which one is compiled in a tenth of the time.
#[derive(Debug, Default)]
pub(crate) struct Automata {
    for_ascii: OnceLock<Option<Regex>>,
    for_any: OnceLock<Option<Regex>>,
}

impl Automata {
    /// The one for a text, compiled by `compile`, which is told whether it is for any text.
    pub(crate) fn for_text(&self, text: &str, compile: impl Fn(bool) -> Option<Regex>) -> Option<&Regex> {
        let for_ascii = || self.for_ascii.get_or_init(|| compile(false)).as_ref();
        // A pattern of letters outside of ASCII has no automaton without them.
        let compiled = text.is_ascii().then(for_ascii).flatten();
        compiled.or_else(|| self.for_any.get_or_init(|| compile(true)).as_ref())
    }

    fn is_known_for(&self, text: &str) -> bool {
        if text.is_ascii() { self.for_ascii.get() } else { self.for_any.get() }.is_some()
    }
}

impl Expression {
    /// An expression, or what is wrong with it.
    pub(crate) fn new(written: &str) -> Result<Self, regex::Error> {
        let read = Parser::new().parse(written).ok();
        let needs = read.as_ref().map_or(Needs::Nothing, Needs::of_ast);
        let mut translator = TranslatorBuilder::new();
        let mut translator = translator.case_insensitive(true).multi_line(true).crlf(true).build();
        let parsed = read.and_then(|read| translator.translate(written, &read).ok());
        let mut names = Vec::new();
        match &parsed {
            Some(parsed) if most_bytes(parsed) <= MAX_COMPILED_BYTES as u64 => add_names(parsed, &mut names),
            _ => {
                let mut builder = RegexBuilder::new(written);
                builder.case_insensitive(true).multi_line(true).crlf(true).size_limit(MAX_COMPILED_BYTES);
                names.extend(builder.build()?.capture_names().flatten().map(str::to_owned));
            }
        }
        Ok(Expression(Arc::new(Inner {
            written: written.to_owned(),
            names,
            needs,
            asked: AtomicU32::new(0),
            automata: Automata::default(),
        })))
    }

    /// As it is written.
    pub(crate) fn as_str(&self) -> &str {
        &self.0.written
    }

    /// The names of its groups, in its order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.names.iter().map(String::as_str)
    }

    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.automaton(text).is_some_and(|automaton| automaton.is_match(text))
    }

    /// Every match in a text, in order.
    pub(crate) fn captures_iter<'t>(&self, text: &'t str) -> impl Iterator<Item = Captures<'t>> {
        let automaton = self.automaton(text).into_iter();
        automaton.flat_map(move |one| one.captures_iter(text)).map(move |found| Captures { text, found })
    }

    /// The automaton that finds it in this text; `None` if it certainly has no match.
    fn automaton(&self, text: &str) -> Option<&Regex> {
        let Inner { written, needs, asked, automata, .. } = &*self.0;
        if !automata.is_known_for(text)
            && asked.fetch_add(1, Ordering::Relaxed) < BY_WORDS
            && !needs.are_met_by(text)
        {
            return None;
        }
        automata.for_text(text, |any| {
            let syntax = syntax::Config::new().case_insensitive(true).multi_line(true).crlf(true);
            let limits = Regex::config()
                .nfa_size_limit(Some(MAX_COMPILED_BYTES))
                .hybrid_cache_capacity(MAX_COMPILED_BYTES);
            Regex::builder().syntax(syntax.unicode(any).utf8(any)).configure(limits).build(written).ok()
        })
    }
}

/// The names of groups, from left to right. The parser bounds the depth.
fn add_names(pattern: &Hir, names: &mut Vec<String>) {
    match pattern.kind() {
        HirKind::Capture(capture) => {
            names.extend(capture.name.iter().map(|name| name.to_string()));
            add_names(&capture.sub, names);
        }
        HirKind::Repetition(repetition) => add_names(&repetition.sub, names),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().for_each(|part| add_names(part, names));
        }
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) | HirKind::Look(_) => {}
    }
}

/// One match and its groups.
pub(crate) struct Captures<'t> {
    text: &'t str,
    found: captures::Captures,
}

impl<'t> Captures<'t> {
    /// The whole match.
    pub(crate) fn whole(&self) -> Option<SearchedText<'t>> {
        self.piece(self.found.get_group(0))
    }

    /// The piece that a group has matched.
    pub(crate) fn name(&self, name: &str) -> Option<SearchedText<'t>> {
        self.piece(self.found.get_group_by_name(name))
    }

    fn piece(&self, found: Option<regex_automata::Span>) -> Option<SearchedText<'t>> {
        let range = found?.range();
        Some(SearchedText { text: self.text.get(range.clone())?, start: range.start })
    }
}

/// A piece of a text that was searched.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SearchedText<'t> {
    text: &'t str,
    start: usize,
}

impl<'t> SearchedText<'t> {
    pub(crate) fn as_str(self) -> &'t str {
        self.text
    }

    pub(crate) fn range(self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }

    pub(crate) fn start(self) -> usize {
        self.start
    }

    pub(crate) fn end(self) -> usize {
        self.start + self.text.len()
    }
}
