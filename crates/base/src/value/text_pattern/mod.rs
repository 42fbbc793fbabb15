//! Regular expressions that experts write.

mod ascii;
mod pairs;
mod plain;
mod shared;
mod steps;

use crate::diag::Span;
use ascii::within_ascii;
pub use loopctl_expressions::Needs;
use loopctl_expressions::most_bytes;
use plain::PlainPattern;
use regex_automata::meta::{Builder, Regex};
use regex_automata::util::syntax;
use regex_syntax::hir::Hir;
use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

/// The number of texts for which a pattern is looked for by its words before it is compiled: beyond that, an automaton
/// is worth it.
pub const BY_WORDS: u32 = 32;

/// The way a pattern reads letters and lines, and its largest size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PatternSyntax {
    /// `true` if upper and lower case are the same.
    pub ignore_case: bool,
    /// `true` if `^` and `$` are the ends of a line, which a carriage return ends too.
    pub by_lines: bool,
    /// Most memory that the compiled pattern may take, in bytes.
    pub most_bytes: usize,
}

impl PatternSyntax {
    fn parse(self, written: &str) -> Option<Hir> {
        let mut parser = regex_syntax::ParserBuilder::new()
            .case_insensitive(self.ignore_case)
            .multi_line(self.by_lines)
            .crlf(self.by_lines)
            .build();
        parser.parse(written).ok()
    }

    /// Checks in full that it compiles.
    fn check(self, written: &str) -> Result<(), regex::Error> {
        let mut builder = regex::RegexBuilder::new(written);
        builder.case_insensitive(self.ignore_case).multi_line(self.by_lines).crlf(self.by_lines);
        builder.size_limit(self.most_bytes).build().map(|_| ())
    }

    /// The pattern as an automaton for any text.
    fn compile(self, written: &str) -> Option<Box<Regex>> {
        self.builder().build(written).ok().map(Box::new)
    }

    /// The pattern as an automaton for texts of ASCII alone.
    fn compile_for_ascii(self, written: &str) -> Option<Box<Regex>> {
        let letters = |syntax: syntax::Config| syntax.unicode(false).utf8(false);
        let compiled = self.builder().syntax(letters(self.syntax())).build(written).ok();
        // Patterns with other letters, such as `[–-]`, can't be read without them.
        let reduced = || self.builder().build_from_hir(&within_ascii(&self.parse(written)?)).ok();
        compiled.or_else(reduced).map(Box::new)
    }

    fn syntax(self) -> syntax::Config {
        syntax::Config::new().case_insensitive(self.ignore_case).multi_line(self.by_lines).crlf(self.by_lines)
    }

    fn builder(self) -> Builder {
        let limits =
            Regex::config().nfa_size_limit(Some(self.most_bytes)).hybrid_cache_capacity(self.most_bytes);
        let mut builder = Regex::builder();
        builder.syntax(self.syntax()).configure(limits);
        builder
    }
}

/// A regular expression that compiles, and is compiled when it is first used: a profile has hundreds, and a document
/// needs a few of them. Parsing, which takes a tenth of the time, shows what is wrong with one. Patterns that ship with
/// the program are known to compile (the tests ensure that), and not even parsed.
///
/// There are two automata for it. `\w` matches a hundred thousand letters and `.` for all that can be written, of
/// which a text of ASCII has a hundred: for such a text, as most are, the pattern is compiled without the others, in a
/// tenth of the time. Patterns with the same spelling share them.
#[derive(Clone)]
pub struct TextPattern(Arc<Compiled>);

struct Compiled {
    written: String,
    syntax: PatternSyntax,
    for_ascii: OnceLock<Option<Box<Regex>>>,
    for_any: OnceLock<Option<Box<Regex>>>,
    /// The words that a text must have.
    needs: OnceLock<Needs>,
    /// The number of texts that were checked for them.
    asked: AtomicU32,
    /// The pattern without an automaton, where that is enough to tell whether it matches.
    plain: OnceLock<Option<Box<PlainPattern>>>,
}

impl TextPattern {
    /// A pattern that was written at `span`.
    pub fn new(written: &str, syntax: PatternSyntax, span: &Span) -> Result<Self, regex::Error> {
        let fits = |pattern: &Hir| most_bytes(pattern) <= syntax.most_bytes as u64;
        if !span.file().is_shipped() && !syntax.parse(written).as_ref().is_some_and(fits) {
            syntax.check(written)?;
        }
        Ok(TextPattern::unread(written, syntax))
    }

    /// A pattern of the program itself, which is known to compile.
    pub fn of_program(written: &str) -> Self {
        let syntax = PatternSyntax { ignore_case: false, by_lines: false, most_bytes: 10 << 20 };
        TextPattern::unread(written, syntax)
    }

    fn unread(written: &str, syntax: PatternSyntax) -> Self {
        let make = || {
            Arc::new(Compiled {
                written: written.to_owned(),
                syntax,
                for_ascii: OnceLock::new(),
                for_any: OnceLock::new(),
                needs: OnceLock::new(),
                asked: AtomicU32::new(0),
                plain: OnceLock::new(),
            })
        };
        TextPattern(shared::one_of(written, syntax, make))
    }

    /// The pattern as it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0.written
    }

    /// Returns whether it is found anywhere in a text.
    #[must_use]
    #[inline]
    pub fn is_match(&self, text: &str) -> bool {
        match self.plain(text) {
            Some(plain) => plain.is_match(text),
            None => self.automaton(text).is_some_and(|automaton| automaton.is_match(text)),
        }
    }

    /// The pattern without an automaton, if it can tell whether it is in this text.
    fn plain(&self, text: &str) -> Option<&PlainPattern> {
        let Compiled { written, syntax, plain, .. } = &*self.0;
        // In a long text it pays for what is bound to its start, if for anything. A long pattern is not so plain.
        if written.len() > plain::LONG || (text.len() > plain::LONG && !written.contains('^')) {
            return None;
        }
        let plain = plain.get_or_init(|| PlainPattern::of(&syntax.parse(written)?).map(Box::new));
        plain.as_deref().filter(|plain| plain.pays_for(text))
    }

    /// The automaton that finds it in this text, unless it is certain that there is no match.
    #[must_use]
    pub fn automaton(&self, text: &str) -> Option<&Regex> {
        let Compiled { written, syntax, for_ascii, for_any, needs, asked, .. } = &*self.0;
        let is_ascii = text.is_ascii();
        let automaton = if is_ascii { for_ascii } else { for_any };
        if automaton.get().is_none()
            && asked.fetch_add(1, Ordering::Relaxed) < BY_WORDS
            && !needs.get_or_init(|| Needs::of(written)).are_met_by(text)
        {
            return None;
        }
        let compile = || if is_ascii { syntax.compile_for_ascii(written) } else { syntax.compile(written) };
        // A pattern that ships compiles, unless the program was built with tests that fail.
        automaton.get_or_init(compile).as_deref()
    }
}

impl fmt::Debug for TextPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TextPattern").field(&self.0.written).finish()
    }
}
