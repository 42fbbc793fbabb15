//! Files declared in a test, and the shortest ways from them to a program and an assessment.

use super::{CompiledRules, compile};
use crate::diag::{Problem, Problems, SourceFile};
use crate::profile::{Dimension, Files, Overall};
use crate::value::yaml;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Declared files by name.
#[derive(Debug, Default)]
pub(crate) struct Memory(pub(crate) BTreeMap<String, String>);

impl Memory {
    pub(crate) fn with(mut self, name: &str, text: impl Into<String>) -> Self {
        self.0.insert(name.to_owned(), text.into());
        self
    }
}

impl Files for Memory {
    fn read(&self, name: &str) -> Result<Option<Arc<SourceFile>>, Problem> {
        Ok(self.0.get(name).map(|text| SourceFile::new(name, text.as_str())))
    }

    fn list(&self, folder: &str, suffix: &str) -> Vec<String> {
        let prefix = format!("{folder}/");
        self.0.keys().filter(|name| name.starts_with(&prefix) && name.ends_with(suffix)).cloned().collect()
    }
}

/// Dimensions from the YAML of an `assess` mapping.
pub(crate) fn dimensions(assess: &str) -> Vec<Dimension> {
    let file = SourceFile::new("profile.yaml", assess);
    let mut problems = Problems::new();
    let node = yaml::parse(&file, &mut problems).unwrap();
    let yaml::Data::Map(entries) = &node.data else { panic!("not a mapping") };
    let found = entries
        .iter()
        .map(|entry| {
            let (name, span) = (entry.key.clone(), entry.key_span.clone());
            Dimension::decode(name, span, &entry.value, &mut problems)
        })
        .collect();
    assert!(problems.is_empty(), "{problems:?}");
    found
}

/// Compiles `assess`; the overall score is the first dimension.
pub(crate) fn compiled(assess: &str, files: &Memory) -> Result<CompiledRules, Problems> {
    let dimensions = dimensions(assess);
    let overall = Overall::From(dimensions[0].name.clone());
    let mut problems = Problems::new();
    compile(&dimensions, &overall, &[], files, &mut problems).ok_or(problems)
}
