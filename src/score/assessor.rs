//! The entry to scoring.

use super::assessment::Assessment;
use super::grounded::{Names, Source};
use super::machine::{Machine, Room};
use crate::rules::CompiledRules;
use crate::value::Score;
use serde_json::Value;
use std::sync::Arc;

/// Everything that is prepared once for a profile and shared by all documents and threads.
#[derive(Debug)]
pub struct Scoring {
    rules: CompiledRules,
    names: Names,
}

impl Scoring {
    /// Prepares compiled rules for scoring.
    #[must_use]
    pub fn new(rules: CompiledRules) -> Arc<Self> {
        let names = Names::new(rules.field_names());
        Arc::new(Scoring { rules, names })
    }

    /// The compiled rules.
    #[must_use]
    pub fn rules(&self) -> &CompiledRules {
        &self.rules
    }

    /// Indexes the text of a document, once for all of its candidates. It belongs to this scoring: the index holds
    /// where the rubric's field names stand in the text.
    #[must_use]
    pub fn source(&self, text: &str) -> Source {
        Source::new(text, &self.names)
    }
}

/// Assesses candidates, one after the other, with buffers that are kept: once warm, a candidate without issues costs
/// no allocation (JSON Schemas and scripts aside). Each thread has its own.
#[derive(Debug)]
pub struct Assessor {
    scoring: Arc<Scoring>,
    room: Room,
}

impl Assessor {
    /// An assessor with empty buffers.
    #[must_use]
    pub fn new(scoring: Arc<Scoring>) -> Self {
        Assessor { scoring, room: Room::default() }
    }

    /// What it scores with.
    #[must_use]
    pub fn scoring(&self) -> &Arc<Scoring> {
        &self.scoring
    }

    /// Assesses a candidate into `out`, which is emptied first.
    ///
    /// A type that no rubric knows is scored as `unknown`. `source` is the document's text, from [`Scoring::source`].
    /// A dimension in `given` takes that value, and its own measure (with the issues that it would find) is left out;
    /// names of other dimensions are ignored.
    pub fn assess(
        &mut self,
        document_type: &str,
        candidate: &Value,
        source: Option<&Source>,
        given: &[(String, Score)],
        out: &mut Assessment,
    ) {
        out.clear();
        let rules = &self.scoring.rules;
        let program = rules.program(document_type);
        let names = &self.scoring.names;
        Machine::new(program, rules, names, candidate, source, given, out, &mut self.room).run();
    }
}
