//! A candidate is scored from its text as from its tree, whatever its bytes are.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loopctl::diag::Problems;
use loopctl::plan::Plan;
use loopctl::profile::{Library, load};
use loopctl::score::{Assessment, Assessor, Beside};
use std::sync::LazyLock;

static PLAN: LazyLock<Plan> = LazyLock::new(|| {
    let library = Library::embedded()
        .holding("profiles/fuzz.yaml", include_str!("../candidate/profile.yaml"))
        .holding("rules/fuzz.yaml", include_str!("../candidate/rules.yaml"))
        .holding("rules/rubrics/fuzz.yaml", include_str!("../candidate/rubric.yaml"));
    let mut problems = Problems::new();
    let loaded = load("fuzz", &library, &[], &|_| None, &mut problems);
    loaded.and_then(|loaded| Plan::compile(&loaded, &mut problems)).unwrap_or_else(|| panic!("{problems:?}"))
});

fuzz_target!(|text: &str| {
    let mut assessor = Assessor::new(PLAN.scoring.clone());
    let (mut from_tree, mut from_text) = (Assessment::default(), Assessment::default());
    let read = assessor.assess_text("unknown", text, Beside::default(), &mut from_text);
    match (serde_json::from_str::<serde_json::Value>(text), read) {
        (Ok(tree), Ok(())) => {
            assessor.assess("unknown", &tree, None, &[], &mut from_tree);
            assert_eq!(from_tree, from_text);
        }
        (Err(expected), Err(found)) => assert_eq!(expected.to_string(), found.to_string()),
        (tree, read) => panic!("{} from the tree, {} from text", tree.is_ok(), read.is_ok()),
    }
});
