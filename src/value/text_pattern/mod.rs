//! Regular expressions that experts write.

mod plain;

use crate::diag::Span;
use plain::PlainPattern;
use regex::{Regex, RegexBuilder};
use regex_syntax::hir::Hir;
use std::fmt;
use std::sync::OnceLock;

/// How a pattern reads letters and lines, and how large it may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PatternSyntax {
    /// Whether upper and lower case are the same.
    pub(crate) ignore_case: bool,
    /// Whether `^` and `$` are the ends of a line, which a carriage return ends too.
    pub(crate) by_lines: bool,
    /// Most memory that the compiled pattern may take, in bytes.
    pub(crate) most_bytes: usize,
}

/// Longest pattern without counted repetitions that compiles within any bound here, in bytes.
const SMALL: usize = 2_000;

impl PatternSyntax {
    /// Whether a pattern can't be too large: only counts make much of little.
    fn is_small(self, written: &str) -> bool {
        written.len() <= SMALL && !written.contains('{')
    }

    fn parse(self, written: &str) -> Option<Hir> {
        let mut parser = regex_syntax::ParserBuilder::new()
            .case_insensitive(self.ignore_case)
            .multi_line(self.by_lines)
            .crlf(self.by_lines)
            .build();
        parser.parse(written).ok()
    }

    fn compile(self, written: &str) -> Result<Regex, regex::Error> {
        RegexBuilder::new(written)
            .case_insensitive(self.ignore_case)
            .multi_line(self.by_lines)
            .crlf(self.by_lines)
            .size_limit(self.most_bytes)
            .dfa_size_limit(self.most_bytes)
            .build()
    }
}

/// A regular expression that compiles, and is compiled when it is first used: a profile has hundreds, and a document needs a few
/// of them. Parsing, which takes a tenth of the time, shows what is wrong with one. What ships with the program is known to
/// compile (the tests see to that), and not even parsed.
#[derive(Clone)]
pub struct TextPattern {
    written: String,
    syntax: PatternSyntax,
    compiled: OnceLock<Option<Box<Regex>>>,
    /// The same without an automaton, where that is enough to say whether it matches.
    plain: OnceLock<Option<Box<PlainPattern>>>,
}

impl TextPattern {
    /// A pattern that was written at `span`.
    pub(crate) fn new(written: &str, syntax: PatternSyntax, span: &Span) -> Result<Self, regex::Error> {
        let pattern = TextPattern {
            written: written.to_owned(),
            syntax,
            compiled: OnceLock::new(),
            plain: OnceLock::new(),
        };
        let compiles =
            span.file().is_shipped() || (syntax.is_small(written) && syntax.parse(written).is_some());
        if !compiles {
            let _ = pattern.compiled.set(Some(Box::new(syntax.compile(written)?)));
        }
        Ok(pattern)
    }

    /// As it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.written
    }

    /// Whether it is found anywhere in a text.
    #[must_use]
    pub fn is_match(&self, text: &str) -> bool {
        match self.plain.get_or_init(|| self.as_plain()) {
            Some(plain) => plain.is_match(text),
            None => self.regex().is_some_and(|regex| regex.is_match(text)),
        }
    }

    fn as_plain(&self) -> Option<Box<PlainPattern>> {
        let parsed = self.syntax.is_small(&self.written).then(|| self.syntax.parse(&self.written));
        PlainPattern::of(&parsed.flatten()?).map(Box::new)
    }

    /// The compiled pattern. A pattern that ships has one, too, unless the program was built with tests that fail.
    #[must_use]
    pub fn regex(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| self.syntax.compile(&self.written).ok().map(Box::new)).as_deref()
    }
}

impl fmt::Debug for TextPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TextPattern").field(&self.written).finish()
    }
}
