//! A candidate gets the same score from its text as from its tree, for any bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loopctl::diag::Problems;
use loopctl::plan::{DocumentContext, Given, Plan};
use loopctl::profile::{Library, load};
use loopctl::score::Assessment;
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
    let context = DocumentContext::named(&PLAN, "unknown", None);
    let mut assessor = context.assessor();
    let (mut from_tree, mut from_text) = (Assessment::default(), Assessment::default());
    let read = context.assess_text(&mut assessor, text, Given::default(), &mut from_text);
    match (serde_json::from_str::<serde_json::Value>(text), read) {
        (Ok(tree), Ok(())) => {
            context.assess(&mut assessor, &tree, Given::default(), &mut from_tree);
            assert_eq!(from_tree, from_text);
        }
        (Err(expected), Err(found)) => assert_eq!(expected.to_string(), found.to_string()),
        (tree, read) => panic!("{} from the tree, {} from text", tree.is_ok(), read.is_ok()),
    }
});
