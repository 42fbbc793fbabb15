//! Growth of the time for an assessment with the rules of its profile, each about a field of its own.

use super::{median, print_doublings};
use crate::documents::{loaded, plan};
use loopctl::plan::{DocumentContext, Given, Plan};
use loopctl::score::Assessment;
use serde_json::{Map, Value};
use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

const RULES: [usize; 5] = [50, 100, 200, 400, 800];

const PROFILE: &str = "extends: marc
classify: null
stages: null
assess:
  completeness: null
  accuracy: null
  validity: { rules: many }
  consistency: null
overall: { completeness: null, accuracy: null, validity: 1, consistency: null }
";

pub(super) fn table() {
    let folder = tempfile::tempdir().unwrap();
    let rows = RULES.map(|count| {
        let plan = with_rules(folder.path(), count);
        let candidate = candidate(count);
        let context = DocumentContext::named(&plan, "unknown", None);
        let mut assessor = context.assessor();
        let mut out = Assessment::default();
        let time = median(|| {
            let start = Instant::now();
            context.assess(&mut assessor, &candidate, Given::default(), &mut out);
            start.elapsed()
        });
        assert!(out.issues.is_empty(), "{:?}", out.issues);
        (count, time)
    });
    print_doublings("growth of an assessment with rules and fields", "rules", &rows);
}

fn with_rules(folder: &Path, count: usize) -> Plan {
    let mut rules = "rules:\n".to_owned();
    for at in 0..count {
        // Writing to a String can't fail.
        let _ = writeln!(
            rules,
            "  - {{ id: rule{at}, field: field{at}, matches: '^observation \\d+ of \\d+$', length: {{ max: 60 }} }}"
        );
    }
    std::fs::create_dir_all(folder.join("rules")).unwrap();
    std::fs::write(folder.join("rules/many.yaml"), rules).unwrap();
    let profile = folder.join("many.yaml");
    std::fs::write(&profile, PROFILE).unwrap();
    plan(&loaded(&profile.to_string_lossy()))
}

fn candidate(count: usize) -> Value {
    let members = (0..count)
        .map(|at| (format!("field{at}"), format!("observation {at} of {}", at * 7919 % 1000).into()));
    Value::Object(members.collect::<Map<_, _>>())
}
