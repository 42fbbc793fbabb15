//! What tests of a document's text said, kept while the text is the same.

use super::source::{Identity, Source};
use crate::rules::{Program, Test};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What tests of a document's text said. Each candidate of it, and each of many values, asks them again.
#[derive(Debug, Default)]
pub(super) struct SourceAnswers {
    /// The text, and the type of document whose program has the tests.
    of: Option<(Identity, Arc<str>)>,
    /// By the tests' identities: those of a program stay where they are.
    said: BTreeMap<usize, bool>,
}

impl SourceAnswers {
    /// Forgets what was said of another text, or of tests of another program.
    pub(super) fn begin(&mut self, source: &Source, program: &Program) {
        let (text, tests) = (source.identity(), &program.document_type);
        let same = |(known, of): &(Identity, Arc<str>)| known == text && Arc::ptr_eq(of, tests);
        if !self.of.as_ref().is_some_and(same) {
            self.of = Some((text.clone(), Arc::clone(tests)));
            self.said.clear();
        }
    }

    /// What a test said.
    pub(super) fn get(&self, test: &Test) -> Option<bool> {
        self.said.get(&(std::ptr::from_ref(test) as usize)).copied()
    }

    pub(super) fn keep(&mut self, test: &Test, said: bool) {
        self.said.insert(std::ptr::from_ref(test) as usize, said);
    }
}
