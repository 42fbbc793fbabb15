//! Repairers of the answers of a stage or judge.

use crate::diag::{Code, Problem, Problems, Span};
use crate::profile::Repair;
use crate::repair::Repairer;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The repairers of the answers of a stage or judge, by document type.
#[derive(Debug)]
pub struct Repairers {
    by_type: BTreeMap<String, Arc<Repairer>>,
    /// For types without a schema.
    plain: Repairer,
}

impl Repairers {
    /// Without schemas, answers are only read.
    #[must_use]
    pub fn without_schemas(settings: Repair) -> Self {
        Repairers { by_type: BTreeMap::new(), plain: Repairer::without_schema(settings) }
    }

    /// With the schemas of a stage, which are named at `span`.
    pub(super) fn new(
        settings: Repair,
        schemas: &BTreeMap<String, Value>,
        span: Option<&Span>,
        problems: &mut Problems,
    ) -> Self {
        let mut repairers = Repairers::without_schemas(settings);
        let mut compiled: Vec<(&Value, Option<Arc<Repairer>>)> = Vec::new();
        for (document_type, schema) in schemas {
            let known =
                compiled.iter().find(|(known, _)| *known == schema).map(|(_, repairer)| repairer.clone());
            let repairer = known.unwrap_or_else(|| {
                let repairer = match Repairer::new(settings, document_type, schema) {
                    Ok(repairer) => Some(Arc::new(repairer)),
                    Err(why) => {
                        if let Some(span) = span {
                            let message = format!("answers can't be brought closer to the schema: {why}");
                            problems.push(Problem::warning(Code::BadSchema, span, message));
                        }
                        None
                    }
                };
                compiled.push((schema, repairer.clone()));
                repairer
            });
            repairers.by_type.extend(repairer.map(|repairer| (document_type.clone(), repairer)));
        }
        repairers
    }

    /// The one for a document type.
    #[must_use]
    pub fn of(&self, document_type: &str) -> &Repairer {
        self.by_type.get(document_type).map_or(&self.plain, AsRef::as_ref)
    }
}
