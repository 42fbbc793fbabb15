//! The table in `docs/quality.md` comes from `examples/aas_quality.rs`: here it is made of three small files.

#[expect(dead_code, reason = "`main` is the example's own")]
#[path = "../../../examples/aas_quality.rs"]
mod aas_quality;

use crate::workspace::Workspace;

const SUBMODEL: &str = r#"{"submodels": [{"id": "a", "modelType": "Submodel"}]}"#;
const WITHOUT_ID: &str = r#"{"submodels": [{"modelType": "Submodel"}]}"#;
const UNKNOWN_MEMBER: &str = r#"{"submodels": [{"id": "a", "modelType": "Submodel", "colour": "red"}]}"#;

#[test]
fn the_table_tells_valid_files_from_invalid_ones() {
    let place = Workspace::new();
    // The folders of the published cases.
    place.write("ContainedInEnvironment/Expected/Submodel/minimal.json", format!("\u{feff}{SUBMODEL}"));
    for (kind, text) in [("RequiredViolation", WITHOUT_ID), ("UnexpectedAdditionalProperty", UNKNOWN_MEMBER)]
    {
        place.write(
            &format!("ContainedInEnvironment/Unexpected/Unserializable/{kind}/Submodel/id.json"),
            text,
        );
    }
    place.write("template.json", SUBMODEL);
    let mut table = Vec::new();
    aas_quality::measure(&place.path(""), "aas", &mut table).unwrap();
    let table = String::from_utf8(table).unwrap();
    for row in [
        "| invalid | RequiredViolation | 1 | 1 | 0 |",
        "| invalid | UnexpectedAdditionalProperty | 1 | 1 | 0 |",
        "| valid |  | 1 | 0 | 0 |",
        "| - |  | 1 | 0 | 0 |",
    ] {
        assert!(table.contains(row), "`{row}` is not in\n{table}");
    }
}
