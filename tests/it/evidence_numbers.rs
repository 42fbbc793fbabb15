//! The numbers of evidence in `docs/quality.md` come from `examples/evidence_quality.rs`: here those of one half of the reports.

#[expect(dead_code, reason = "`main` is the example's own")]
#[path = "../../examples/evidence_quality.rs"]
mod evidence_quality;

use std::path::Path;

/// The last cell of the row of a table that begins so.
fn share<'t>(table: &'t str, row: &str) -> &'t str {
    let line = table.lines().find(|line| line.starts_with(row)).unwrap_or_default();
    line.trim_end_matches([' ', '|']).rsplit('|').next().unwrap_or_default().trim()
}

#[test]
fn the_page_has_the_numbers_that_the_example_prints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("docs/quality.md")).unwrap();
    let mut printed = Vec::new();
    evidence_quality::measure(&root.join("tests/evidence/developed"), "clinical", false, &mut printed)
        .unwrap();
    let printed = String::from_utf8(printed).unwrap();
    let (with, without) = printed.split_once("## without quotes").unwrap();
    for (title, table) in [("with quotes", with), ("without quotes", without)] {
        let row = format!(
            "| developed | {title} | {} | {} |",
            share(table, "| not `verified`"),
            share(table, "| all ")
        );
        assert!(page.contains(&row), "docs/quality.md lacks\n{row}\n{printed}");
    }
}
