//! Worksheets: written, filled in, and read back.

use super::{Table, decision, field, import, reviewed_run, shown};
use crate::serve::desk::paged::{PAGES, pdf};
use crate::workspace::{Ran, Workspace};
use serde_json::{Value, json};

const THYROID: &str = "thyroid-resection";

fn exported(place: &Workspace) -> Table {
    place.run(&["review", "export", "--to", "sheet.csv"]).exits(0).says(&["written to `"]);
    Table::read(&place.read("sheet.csv"))
}

fn exported_all(place: &Workspace) -> Table {
    place.run(&["review", "export", "--all", "--to", "sheet.csv"]).exits(0);
    Table::read(&place.read("sheet.csv"))
}

fn imported(place: &Workspace, table: &Table) -> Ran {
    place.write("sheet.csv", table.written());
    place.run(&["review", "import", "sheet.csv", "--reviewer", "a.meyer", "--format", "json"])
}

fn reviews(place: &Workspace) -> usize {
    place.run(&["review", "export", "--decisions"]).exits(0).lines().len()
}

#[test]
fn a_worksheet_has_a_row_for_each_field_of_what_waits() {
    let place = reviewed_run();
    let table = exported(&place);
    assert_eq!(table.cell(THYROID, "histology", "value"), "Papillary carcinoma");
    assert_eq!(table.cell(THYROID, "histology", "support"), "verified");
    assert_eq!(table.cell(THYROID, "grade", "value"), "");
    assert!(table.cell(THYROID, "", "reasons").contains("refused"));
    assert!(table.rows.iter().all(|row| row[0] != "liver-resection"));
    assert!(table.rows.iter().all(|row| row[table.at("field")] != "rawText"));
    let lines = place.run(&["review", "export", "--to", "sheet.jsonl"]).exits(0);
    assert!(lines.out.is_empty());
    let first: Value = serde_json::from_str(place.read("sheet.jsonl").lines().next().unwrap()).unwrap();
    assert!(first["decision"].is_null() && first["reviewer"].is_null());
    place.run(&["review", "export", "--to", "sheet.xlsx"]).exits(2).says(&["`.csv` or `.jsonl`"]);
    place.run(&["review", "export"]).exits(2).says(&["--to"]);
    // An empty worksheet decides nothing.
    place.run(&["review", "import", "sheet.jsonl", "--format", "text"]).exits(0).finds(&["0 decisions kept"]);
}

#[test]
fn a_filled_worksheet_corrects_and_is_scored_as_validate_does() {
    let place = reviewed_run();
    let mut table = exported(&place);
    table.fill(THYROID, "grade", &[("decision", "missed"), ("after", "2")]);
    table.fill(THYROID, "histology", &[("decision", "accept"), ("comment", "the main tumor")]);
    table.fill(THYROID, "margins", &[("decision", "Edit"), ("after", "uninvolved"), ("reviewer", "b.kaya")]);
    let answer = imported(&place, &table).exits(0).json();
    assert_eq!((&answer["kept"], &answer["known"]), (&json!(3), &json!(0)));
    let corrected = &answer["documents"][0];
    assert_eq!((&corrected["document"], &corrected["state"]), (&json!(THYROID), &json!("in_review")));
    let extraction = &corrected["extraction"];
    assert_eq!((&extraction["grade"], &extraction["margins"]), (&json!("2"), &json!("uninvolved")));
    // The same by `validate`.
    place.write("corrected.json", extraction.to_string());
    let validated = place.run_json(&[
        "validate",
        "--profile",
        "clinical",
        "--type",
        "pathology",
        "--extraction",
        "corrected.json",
        "--format",
        "json",
        "reports/thyroid-resection.txt",
    ]);
    assert_eq!(corrected["validation"]["overall"], validated["best_validation"]["overall"]);
    assert_eq!(corrected["validation"]["issues"], validated["best_validation"]["issues"]);
    assert_eq!(corrected["accepted"], json!(validated["final_status"] == "passed"));
    let margins = field(&shown(&place), "margins").clone();
    assert_eq!(margins["decisions"][0]["reviewer"], "b.kaya");
}

#[test]
fn a_document_is_accepted_with_what_its_other_rows_decide() {
    let place = reviewed_run();
    let mut table = exported(&place);
    // The row of the document is above those of its fields.
    table.fill(THYROID, "", &[("decision", "Accept")]);
    table.fill(THYROID, "grade", &[("decision", "not present")]);
    table.fill(THYROID, "margins", &[("decision", "edit"), ("after", "uninvolved")]);
    assert_eq!(imported(&place, &table).exits(0).json()["documents"][0]["state"], "accepted");
    // Of a later worksheet what is taken back is the acceptance, and not what the worksheet decides.
    let mut later = exported_all(&place);
    later.fill(THYROID, "", &[("decision", "undo")]);
    later.fill(THYROID, "histology", &[("decision", "accept")]);
    let answer = imported(&place, &later).exits(0).json();
    assert_eq!((&answer["kept"], &answer["documents"][0]["state"]), (&json!(2), &json!("in_review")));
    assert_eq!(field(&shown(&place), "histology")["decisions"].as_array().unwrap().len(), 1);
}

#[test]
fn the_same_file_twice_adds_nothing_and_more_of_it_adds_the_rest() {
    let place = reviewed_run();
    let mut table = exported(&place);
    table.fill(THYROID, "grade", &[("decision", "missed"), ("after", "2")]);
    table.fill(THYROID, "", &[("decision", "comment"), ("comment", "no grade is given")]);
    assert_eq!(imported(&place, &table).exits(0).json()["kept"], 2);
    let again = imported(&place, &table).exits(0).json();
    assert_eq!((&again["kept"], &again["known"]), (&json!(0), &json!(2)));
    table.fill(THYROID, "margins", &[("decision", "accept")]);
    let more = imported(&place, &table).exits(0).json();
    assert_eq!((&more["kept"], &more["known"]), (&json!(1), &json!(2)));
    // What was taken back stays so.
    let mut undone = exported(&place);
    undone.fill(THYROID, "", &[("decision", "undo")]);
    assert_eq!(imported(&place, &undone).exits(0).json()["kept"], 1);
    assert_eq!(imported(&place, &undone).exits(0).json()["kept"], 0);
    assert_eq!(imported(&place, &table).exits(0).json()["kept"], 0);
    assert_eq!(reviews(&place), 1);
}

#[test]
fn a_dry_run_keeps_nothing() {
    let place = reviewed_run();
    let mut table = exported(&place);
    table.fill(THYROID, "", &[("decision", "accept")]);
    place.write("sheet.csv", table.written());
    let dry = ["review", "import", "sheet.csv", "--reviewer", "x", "--dry-run", "--format", "json"];
    let answer = place.run(&dry).exits(0).json();
    assert_eq!((&answer["kept"], &answer["valid"]), (&json!(0), &json!(1)));
    assert_eq!(answer["documents"][0]["state"], "accepted");
    assert_eq!((reviews(&place), &shown(&place)["state"]), (0, &json!("waiting")));
    // What is decided is in a worksheet only where it is asked for.
    import(&place, "x", &[decision(THYROID, "", "accept", None)]).exits(0);
    assert!(exported(&place).rows.iter().all(|row| row[0] != THYROID));
    place.run(&["review", "export", "--all", "--to", "all.csv"]).exits(0);
    assert!(Table::read(&place.read("all.csv")).rows.iter().any(|row| row[0] == THYROID));
}

#[test]
fn nothing_is_kept_if_anything_is_wrong() {
    let place = reviewed_run();
    let good = ("grade", &[("decision", "missed"), ("after", "2")][..]);
    for (of, cells, said) in [
        (
            "histology",
            &[("decision", "acept")][..],
            "line [N], `decision`: no action is called `acept`; did you mean `accept`?",
        ),
        (
            "histology",
            &[("decision", "edit")],
            "line [N], `after`: `edit` needs the right value, found nothing",
        ),
        ("histology", &[("after", "x")], "`decision`: `after` is filled in, and this is not"),
        ("histology", &[("decision", "accept"), ("after", "x")], "`after`: `accept` takes no value"),
        (
            "histology",
            &[("decision", "accept"), ("value", "Follicular")],
            "`value`: this is not what was extracted",
        ),
        ("histology", &[("decision", "reject")], "`decision`: `reject` is about a document"),
        (
            "histology",
            &[("field", "histolgy"), ("decision", "accept")],
            "`field`: documents of type `pathology` have no field `histolgy`; did you mean `histology`?",
        ),
        (
            "histology",
            &[("document", "thyroid"), ("decision", "accept")],
            "`document`: the run has no result of a document `thyroid`",
        ),
        (
            "histology",
            &[("decision", "missed"), ("after", "x")],
            "`decision`: a value was extracted; write `edit`",
        ),
        ("institution", &[("decision", "accept")], "`decision`: no value is there to accept"),
        (
            "institution",
            &[("decision", "edit"), ("after", "x")],
            "`decision`: no value is there to edit; write `missed`",
        ),
        (
            "date",
            &[("decision", "missed"), ("after", "garbage")],
            "`after`: expected a date, found `garbage`",
        ),
        ("", &[("decision", "edit"), ("after", "x")], "`field`: `edit` is about a field, and none is named"),
        (
            "",
            &[("decision", "undo"), ("reviewer", "nobody")],
            "`nobody` has decided nothing about the document",
        ),
        (
            "histology",
            &[("decision", "accept"), ("shown", "0@0")],
            "`shown`: the result of `thyroid-resection`, or the document, is not the one that was exported",
        ),
    ] {
        let mut table = exported(&place);
        let row = table.row(THYROID, of);
        table.fill(THYROID, good.0, good.1);
        table.fill(THYROID, of, cells);
        // The header is line 1.
        let said = said.replace("[N]", &(row + 2).to_string());
        imported(&place, &table).exits(1).says(&[&said, "nothing was kept: 1 row"]);
    }
    let nobody = place.run(&["review", "import", "sheet.csv"]);
    nobody.exits(1).says(&["`reviewer`: no one is named", "`--reviewer NAME`"]);
    assert_eq!(reviews(&place), 0);
    place.run(&["review", "import", "sheet.txt"]).exits(1);
    place.write("notes.txt", "x");
    place.run(&["review", "import", "notes.txt"]).exits(2).says(&["expected a `.csv` or a `.jsonl`"]);
    place.write("other.csv", "document,field,decison\n");
    place
        .run(&["review", "import", "other.csv"])
        .exits(1)
        .says(&["`decison`: unknown column; did you mean `decision`?"]);
}

#[test]
fn a_value_must_be_of_its_field_s_type() {
    let place = reviewed_run();
    for (field, after, said) in [
        ("ihcMarkers", "positive", "expected an object as JSON"),
        ("ihcMarkers", "[1]", "expected an object as JSON"),
        ("specimens", "one", "expected a list as JSON"),
    ] {
        let mut table = exported(&place);
        let row = table.row(THYROID, "grade");
        let (of_field, of_action, of_after) = (table.at("field"), table.at("decision"), table.at("after"));
        table.rows[row][of_field] = field.to_owned();
        table.rows[row][of_action] = if field == "specimens" { "edit" } else { "missed" }.to_owned();
        table.rows[row][of_after] = after.to_owned();
        imported(&place, &table).exits(1).says(&[said]);
    }
    let markers =
        json!({"document": THYROID, "field": "ihcMarkers", "action": "missed", "after": "positive"});
    import(&place, "x", &[markers.to_string()]).exits(1).says(&["`after`: expected an object, found text"]);
    let one =
        json!({"document": THYROID, "field": "/ihcMarkers/ER", "action": "missed", "after": "positive"});
    import(&place, "x", &[one.to_string()]).exits(0);
    let specimen =
        json!({"document": THYROID, "field": "/specimens/99/margins", "action": "missed", "after": "x"});
    import(&place, "x", &[specimen.to_string()]).exits(1).says(&["`field`: `specimens` has"]);
}

#[test]
fn formulas_are_texts_and_come_back_as_they_were() {
    let place = reviewed_run();
    import(
        &place,
        "x",
        &[
            decision(THYROID, "grade", "missed", Some("=1+1")),
            decision(THYROID, "margins", "edit", Some("-2 mm")),
        ],
    )
    .exits(0);
    let mut table = exported(&place);
    assert_eq!(table.cell(THYROID, "grade", "value"), "'=1+1");
    assert_eq!(table.cell(THYROID, "margins", "value"), "'-2 mm");
    for row in &table.rows {
        assert!(row.iter().all(|cell| !cell.starts_with(['=', '+', '-', '@'])), "{row:?}");
    }
    table.fill(THYROID, "grade", &[("decision", "accept")]);
    table.fill(THYROID, "margins", &[("decision", "edit"), ("after", "'-3 mm")]);
    imported(&place, &table).exits(0);
    let shown = shown(&place);
    let last =
        |name: &str| field(&shown, name)["decisions"].as_array().unwrap().last().unwrap()["value"].clone();
    assert_eq!((last("grade"), last("margins")), (json!("=1+1"), json!("-3 mm")));
}

#[test]
fn a_worksheet_says_where_on_the_pages_a_value_is() {
    let place = Workspace::new();
    place.write("report.pdf", pdf(&PAGES));
    place.run(&["run", "--quiet", "--profile", "clinical", "--type", "pathology", "report.pdf"]);
    let table = exported_all(&place);
    assert_eq!(table.cell("report", "margins", "page"), "1");
    let places: Value = serde_json::from_str(table.cell("report", "margins", "places")).unwrap();
    assert!(places[0]["page"] == 1 && places[0]["boxes"][0].as_array().unwrap().len() == 4, "{places}");
    assert_eq!(table.cell("report", "", "places"), "");
    place.run(&["review", "export", "--all", "--to", "sheet.jsonl"]).exits(0);
    let rows: Vec<Value> =
        place.read("sheet.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let margins = rows.iter().find(|row| row["field"] == "margins").unwrap();
    assert_eq!(margins["places"], places);
    assert!(rows[0].get("places").is_none());
    // The columns are shown, and read back as nothing.
    imported(&place, &table).exits(0);
    place.run(&["review", "import", "sheet.jsonl", "--reviewer", "a.meyer"]).exits(0);
    // A run without pages has no such columns.
    assert!(exported(&reviewed_run()).header.iter().all(|column| column != "places"));
}
