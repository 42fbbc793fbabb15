//! The numbers of evidence in `docs/quality.md` come from `examples/evidence_quality.rs`: here those of two sets.

#[expect(dead_code, reason = "`main` is the example's own")]
#[path = "../../examples/evidence_quality.rs"]
mod evidence_quality;

use std::path::Path;

#[test]
fn the_page_has_the_numbers_that_the_example_prints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("docs/quality.md")).unwrap();
    let sets = ["tests/evidence/developed", "tests/evidence/faults/variants.jsonl"].map(|set| root.join(set));
    let mut printed = Vec::new();
    evidence_quality::measure(&sets, "clinical", &[], &mut printed).unwrap();
    let printed = String::from_utf8(printed).unwrap();
    assert_eq!(printed.lines().count(), 6, "{printed}");
    for row in printed.lines() {
        assert!(page.contains(row), "docs/quality.md lacks\n{row}\n{printed}");
    }
}
