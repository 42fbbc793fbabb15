//! Content left behind: rows of a table without an item, and labelled values of missing fields, as `loopctl score`
//! reports them.

use crate::workspace::Workspace;
use serde_json::{Value, json};

const INVOICE: &str = "ACME GmbH                         Invoice No: INV-2024-0817
Hamburg                           Due date: 16 September 2024

Description            Qty    Unit price      Amount
Steel beams              5        200.00     1,000.00
Labor                   12        120.00     1,440.00
Paint, white             3         18.50        55.50
Nails                   10          1.00        10.00

                                 Subtotal     2,505.50
                                 Total        2,505.50
";
const PROFILE: &str = "classify: null
stages:
  - { id: extract, provider: scripted, config: { file: answers.jsonl }, prompt: extract.md, output: schemas/invoice.schema.json }
assess:
  completeness: { rubric: invoice }
  accuracy: grounding
overall: { completeness: 0.5, accuracy: 0.5 }
accept: { overall: 0.9 }
stop: { max_iterations: 2 }
";

fn place(rubric: &str) -> Workspace {
    let place = Workspace::new();
    place.write("rules/rubrics/invoice.yaml", rubric);
    place.write("profiles/invoice.yaml", PROFILE);
    place.write("prompts/extract.md", "Extract from {{ source }}");
    let text = json!({"type": "string"});
    let number = json!({"type": ["number", "null"]});
    let item =
        json!({"type": "object", "properties": {"description": text, "quantity": number, "amount": number}});
    let schema = json!({"type": "object", "properties": {
        "invoiceNumber": text, "dueDate": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]}, "total": number,
        "items": {"type": "array", "items": {"$ref": "#/$defs/item"}},
    }, "$defs": {"item": item}});
    place.write("schemas/invoice.schema.json", schema.to_string());
    place
}

fn right() -> Value {
    json!({
        "invoiceNumber": "INV-2024-0817", "dueDate": "2024-09-16", "total": 2505.5,
        "items": [
            {"description": "Steel beams", "quantity": 5, "amount": 1000.0},
            {"description": "Labor", "quantity": 12, "amount": 1440.0},
            {"description": "Paint, white", "quantity": 3, "amount": 55.5},
            {"description": "Nails", "quantity": 10, "amount": 10.0},
        ],
    })
}

/// Path, severity and passage of each issue with one of the two codes; and the scores.
fn left(
    place: &Workspace,
    profile: &str,
    kind: &str,
    source: &str,
    extraction: &Value,
) -> (Vec<[String; 4]>, Value) {
    let record = json!({"id": "a", "document_type": kind, "source": source, "extraction": extraction});
    place.write("record.jsonl", record.to_string());
    let told = place.run_json(&["score", "-p", profile, "record.jsonl"]);
    let text: Vec<char> = source.chars().collect();
    let issues = told["issues"].as_array().unwrap().iter();
    let ours =
        issues.filter(|issue| matches!(issue["code"].as_str(), Some("ROW_NOT_EXTRACTED" | "UNUSED_MENTION")));
    let shown = |issue: &Value| {
        let at = |name: &str| usize::try_from(issue["source_span"][name].as_u64().unwrap()).unwrap();
        let passage: String = text[at("start")..at("end")].iter().collect();
        let words = passage.split_whitespace().collect::<Vec<_>>().join(" ");
        let name = |key: &str| issue[key].as_str().unwrap().to_owned();
        [name("code"), name("path"), name("severity"), words]
    };
    (ours.map(shown).collect(), told["scores"].clone())
}

fn row(list: &str, severity: &str, words: &str) -> [String; 4] {
    ["ROW_NOT_EXTRACTED", list, severity, words].map(str::to_owned)
}

#[test]
fn a_row_without_an_item_and_a_missing_labelled_value_are_told() {
    let place = place("types: { unknown: { required: [items, total] } }");
    let score = |record: &Value| left(&place, "invoice", "unknown", INVOICE, record);
    let (told, all) = score(&right());
    assert_eq!(told, Vec::<[String; 4]>::new());
    for (item, words) in
        [(1, "Labor 12 120.00 1,440.00"), (3, "Nails 10 1.00 10.00"), (0, "Steel beams 5 200.00 1,000.00")]
    {
        let mut less = right();
        less["items"].as_array_mut().unwrap().remove(item);
        let (told, scores) = score(&less);
        let [code, list, severity, said] = &told[0];
        assert_eq!((told.len(), &**code, &**list, &**severity), (1, "ROW_NOT_EXTRACTED", "/items", "minor"));
        assert!(
            words.starts_with(&said[..5]) && words.contains(said.split(' ').next_back().unwrap()),
            "{said}"
        );
        // It says what was left, and costs nothing.
        assert_eq!(scores["completeness"], all["completeness"]);
    }
    let mut less = right();
    less["dueDate"] = Value::Null;
    less.as_object_mut().unwrap().remove("invoiceNumber");
    let (told, _) = score(&less);
    let value = |field: &str, words: &str| ["UNUSED_MENTION", field, "minor", words].map(str::to_owned);
    assert_eq!(told, [value("/invoiceNumber", "INV-2024-0817"), value("/dueDate", "16 September 2024")]);
    // It is an answer's value already, in a field that the label does not name.
    less["reference"] = json!("INV-2024-0817");
    assert_eq!(score(&less).0, [value("/dueDate", "16 September 2024")]);
}

#[test]
fn the_rubric_says_how_bad_it_is() {
    let rubric = "left_behind: major\nfields: { items: { left_behind: critical } }\ntypes: { unknown: { required: [items, total] } }";
    let place = place(rubric);
    let mut less = right();
    less["items"] = json!([{"description": "Labor", "quantity": 12, "amount": 1440.0}]);
    less["dueDate"] = Value::Null;
    let (told, _) = left(&place, "invoice", "unknown", INVOICE, &less);
    let severities: Vec<(&str, &str)> =
        told.iter().map(|told| (told[1].as_str(), told[2].as_str())).collect();
    // A list with a severity of its own is to have all rows, so that one item is enough.
    assert_eq!(
        severities,
        [("/items", "critical"), ("/items", "critical"), ("/items", "critical"), ("/dueDate", "major")]
    );
    let unsaid = self::place("left_behind: info\ntypes: { unknown: { required: [items, total] } }");
    assert!(left(&unsaid, "invoice", "unknown", INVOICE, &less).0.iter().all(|told| told[2] == "info"));
}

#[test]
fn every_result_of_a_laboratory_report_is_to_be_an_item() {
    let table = "Test | Result | Flag | Reference range
Sodium | 140 mmol/L | N | 135-145
Blood culture | Gram-positive cocci in clusters | A | No growth

Comment | fasting
";
    let place = Workspace::new();
    let score = |source: &str, record: Value| left(&place, "clinical", "lab-report", source, &record).0;
    let sodium = json!({"labValues": [{"test": "Sodium", "value": "140"}]});
    let culture =
        row("/labValues", "critical", "Blood culture | Gram-positive cocci in clusters | A | No growth");
    assert_eq!(score(table, sodium), [culture]);
    let both = json!({"labValues": [{"test": "Sodium", "value": "140"}, {"test": "Blood culture", "value": "Gram-positive cocci"}]});
    assert!(score(table, both).is_empty());
    assert!(score(table, json!({})).is_empty());
    let lines = "Collected: 12 May (fasting)\nHemoglobin: 9.2 g/dL (13.5-17.5)\nBlasts: 62 % (0)";
    let hemoglobin = json!({"test": "Hemoglobin", "value": "9.2"});
    let blasts = row("/labValues", "critical", "Blasts: 62 % (0)");
    assert_eq!(score(lines, json!({"labValues": [hemoglobin]})), [blasts]);
    assert!(score(lines, json!({"labValues": [hemoglobin, {"test": "Blasts", "value": "62"}]})).is_empty());
}
