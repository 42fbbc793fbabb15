//! Questions that must be answered before a document is accepted, by a worksheet and by lines of JSON.

use super::{Table, decision, import};
use crate::workspace::Workspace;
use serde_json::{Value, json};

/// Reports that a person answers for as a whole, each with the code of an issue that says so.
const REPORTS: [(&str, &str, &str); 5] = [
    ("withdrawn", "DOCUMENT_NOT_FINAL", "THIS REPORT HAS BEEN WITHDRAWN.\n"),
    ("draft", "DOCUMENT_NOT_FINAL", "*** PRELIMINARY REPORT - NOT FOR CLINICAL USE ***\n"),
    ("swapped", "DOCUMENT_NOT_FINAL", "Comment: SPECIMEN MIX-UP.\n"),
    (
        "amended",
        "DOCUMENT_AMENDED",
        "AMENDED SURGICAL PATHOLOGY REPORT\nAMENDMENT 06/20/2024: On further work-up.\n",
    ),
    ("two-people", "SEVERAL_PATIENTS", "PATIENT: Jane Doe  MRN: 1234567\nPATIENT: John Roe  MRN: 7654321\n"),
];

const BODY: &str = "SURGICAL PATHOLOGY REPORT\nINSTITUTION: General Hospital\nDATE: 2024-03-05\nFINAL DIAGNOSIS:\n\
                    Left breast, lumpectomy: Invasive ductal carcinoma, grade 2.\nSurgical margins: negative for carcinoma.\n";

fn reports() -> Workspace {
    let place = Workspace::new();
    for (name, _, banner) in REPORTS {
        place.write(&format!("reports/{name}.txt"), format!("{banner}{BODY}"));
    }
    place.run(&["run", "--quiet", "--profile", "clinical", "--type", "pathology", "reports"]).exits(3);
    place
}

fn shown(place: &Workspace, document: &str) -> Value {
    place.run_json(&["review", "show", document, "--format", "json"])
}

#[test]
fn every_issue_of_a_document_as_a_whole_is_answered_before_it_is_accepted() {
    let place = reports();
    for (name, code, _) in REPORTS {
        let before = shown(&place, name);
        let questions = before["questions"].as_array().unwrap_or_else(|| panic!("{name}: {before}"));
        assert!(questions.iter().any(|question| question["code"] == code), "{name}: {before}");
        assert!(questions.iter().all(|question| question["needs_reason"] == true), "{name}: {before}");
        import(&place, "a", &[decision(name, "", "accept", None)]).exits(1).says(&[
            "can't be accepted before these are answered",
            code,
            "write `holds` and why",
        ]);
        // An answer in the same file counts, and one without a reason is none.
        let answer = |key: &Value, why: Value| {
            json!({"document": name, "issue": key, "action": "holds", "comment": why}).to_string()
        };
        let answers = |why: &Value| -> Vec<String> {
            questions.iter().map(|question| answer(&question["issue"], why.clone())).collect()
        };
        import(&place, "a", &answers(&Value::Null))
            .exits(1)
            .says(&["say why the document holds all the same"]);
        let mut all = answers(&json!("asked the sender"));
        all.push(decision(name, "", "accept", None));
        import(&place, "a", &all).exits(0);
        assert_eq!(shown(&place, name)["state"], "accepted", "{name}");
        import(&place, "a", &all).exits(0);
    }
    place
        .run(&["review", "show", "withdrawn", "--format", "text"])
        .exits(0)
        .finds(&["line 1: [THIS REPORT HAS BEEN WITHDRAWN]", "a: holds all the same  (asked the sender)"]);
}

#[test]
fn a_worksheet_has_a_row_for_each_question() {
    let place = reports();
    place.run(&["review", "export", "--to", "sheet.csv"]).exits(0);
    let mut table = Table::read(&place.read("sheet.csv"));
    let (document, issue) = (table.at("document"), table.at("issue"));
    let row =
        table.rows.iter().position(|row| row[document] == "withdrawn" && !row[issue].is_empty()).unwrap();
    let value = table.at("value");
    assert!(
        table.rows[row][value].contains("cancelled, withdrawn or made in error"),
        "{:?}",
        table.rows[row]
    );
    table.fill("withdrawn", "", &[("decision", "accept")]);
    place.write("filled.csv", table.written());
    let filled = ["review", "import", "filled.csv", "--reviewer", "a"];
    place.run(&filled).exits(1).says(&["can't be accepted before these are answered"]);
    for (column, cell) in [("decision", "holds"), ("comment", "the banner is of an earlier version")] {
        let at = table.at(column);
        table.rows[row][at] = cell.to_owned();
    }
    place.write("filled.csv", table.written());
    place.run(&filled).exits(0);
    assert_eq!(shown(&place, "withdrawn")["state"], "accepted");
    // An answer is about an issue of the document, and about nothing else.
    let wrong = |line: Value, said: &str| {
        import(&place, "a", &[line.to_string()]).exits(1).says(&[said]);
    };
    wrong(json!({"document": "draft", "action": "holds", "comment": "x"}), "and none is named");
    wrong(
        json!({"document": "draft", "issue": "NOTHING-1", "action": "holds", "comment": "x"}),
        "has no issue",
    );
    let key = shown(&place, "draft")["questions"][0]["issue"].clone();
    wrong(json!({"document": "draft", "issue": key, "action": "accept"}), "answers no issue");
    wrong(json!({"document": "draft", "issue": key, "field": "grade", "action": "holds"}), "names both");
}

#[test]
fn what_nothing_has_checked_is_decided_or_compared() {
    let place = Workspace::new();
    place.write("profiles/plain.yaml", "description: Reads a form, and looks nothing up.\nclassify: null\nstages: [{ id: read, provider: scripted, prompt: read.md }]\nassess: { form: { schema: schemas/form.schema.json } }\noverall: { from: form }\naccept: { overall: 0.9 }\nstop: { max_iterations: 1 }\n");
    place.write("profiles/prompts/read.md", "Read this: {{ source }}.");
    place.write("prompts/read.md", "Read this: {{ source }}.");
    let schema =
        r#"{"type": "object", "properties": {"number": {"type": "string"}, "side": {"type": "string"}}}"#;
    place.write("schemas/form.schema.json", schema);
    place.write("answers.yaml", "- value: { number: '41', side: left }\n");
    place.write("form.txt", "Number 41, left.");
    let run = "run --quiet --profile plain --provider scripted --provider-config file=answers.yaml form.txt";
    place.run(&run.split_whitespace().collect::<Vec<_>>());
    let before = shown(&place, "form");
    assert!(before["fields"].as_array().unwrap().iter().all(|field| field["unchecked"] == true), "{before}");
    let refused = import(&place, "a", &[decision("form", "", "accept", None)]).exits(1);
    refused.says(&["which nothing has checked", "write `compared`"]);
    let each = ["number", "side"].map(|field| decision("form", field, "accept", None));
    import(&place, "a", &[&each[..], &[decision("form", "", "accept", None)]].concat()).exits(0);
    assert_eq!(shown(&place, "form")["state"], "accepted");
    import(&place, "a", &vec![decision("form", "", "undo", None); 1]).exits(0);
    import(&place, "b", &[decision("form", "", "compared", None), decision("form", "", "accept", None)])
        .exits(0);
}
