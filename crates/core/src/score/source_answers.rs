//! The results of tests of a document's text, kept while the text is the same.

use super::source::{Identity, Source};
use crate::rules::{Program, Test};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The results of tests of a document's text. Each candidate of it, and each of many values, asks them again.
#[derive(Debug, Default)]
pub(super) struct SourceAnswers {
    /// The text, and the type of document whose program has the tests.
    of: Option<(Identity, Arc<str>)>,
    /// By the tests' addresses: those of a program don't move.
    said: BTreeMap<usize, bool>,
}

impl SourceAnswers {
    /// Forgets the results for another text, or for tests of another program.
    pub(super) fn begin(&mut self, source: &Source, program: &Program) {
        let (text, tests) = (source.identity(), &program.document_type);
        let same = |(known, of): &(Identity, Arc<str>)| known == text && Arc::ptr_eq(of, tests);
        if !self.of.as_ref().is_some_and(same) {
            self.of = Some((text.clone(), Arc::clone(tests)));
            self.said.clear();
        }
    }

    /// The result of a test.
    pub(super) fn get(&self, test: &Test) -> Option<bool> {
        self.said.get(&(std::ptr::from_ref(test) as usize)).copied()
    }

    pub(super) fn keep(&mut self, test: &Test, said: bool) {
        self.said.insert(std::ptr::from_ref(test) as usize, said);
    }
}
